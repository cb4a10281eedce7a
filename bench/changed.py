"""`python -m bench changed`: is the newest word on something found before the older one, told in other words?

Each pair of `data/changed.json` is a memory of its own, through the face `neuromemory` without a language model: what
was said a year ago, what was said a week ago and makes it untrue, and 42 things of the last weeks that have nothing to
do with it but often the same words. Printed: how often the newer one comes before the older, and how often first of
all; the pairs `seen` are those the rules were written on, the others are by another hand, which did not know them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.evidence import write_json
from fabula.text import script
from neuromemory import NeuroMemory

DATA = Path(__file__).parent / "data" / "changed.json"
AGO = {"old": timedelta(days=370), "new": timedelta(days=8)}
LATELY = 40
"""Days over which what has nothing to do with it was said."""


async def measure(given: dict[str, Any], told_as: str) -> dict[str, dict[str, float]]:
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        async with NeuroMemory(database_url=f"{folder}/m.db") as memory:
            for number, pair in enumerate(given["pairs"]):
                others = given["others"][script(pair["question"])]
                told = [(text, now - timedelta(days=at % LATELY)) for at, text in enumerate(others)]
                told += [(pair[which], now - ago) for which, ago in AGO.items()]
                await _tell(memory, f"u{number}", sorted(told, key=lambda one: one[1]), told_as)
            await memory.flush()
            places = [(pair, await _places(memory, f"u{number}", pair)) for number, pair in enumerate(given["pairs"])]
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for pair, place in places:
        found[f"{'seen' if pair['seen'] else 'unseen'} {script(pair['question'])}"].append(place)
    return {
        name: {
            "pairs": len(own),
            "before": sum(new < old for old, new in own) / len(own),
            "first": sum(new == 0 for _, new in own) / len(own),
        }
        for name, own in sorted(found.items())
    }


async def _tell(memory: NeuroMemory, user: str, told: list[tuple[str, datetime]], told_as: str) -> None:
    if told_as == "memories":
        for text, at in told:
            await memory.add_memory(user, text, "fact", occurred_at=at)
    else:
        talk = [{"role": "user", "content": text, "created_at": at.isoformat()} for text, at in told]
        await memory.conversations.add_messages_batch(user, talk)


async def _places(memory: NeuroMemory, user: str, pair: dict[str, str]) -> tuple[int, int]:
    """Where the older and the newer one stand among the ten that come back; 10 where they do not."""
    texts = [one["text"] for one in (await memory.recall(user, pair["question"]))["merged"]]
    old, new = (texts.index(pair[which]) if pair[which] in texts else 10 for which in AGO)
    return old, new


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench changed", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=DATA)
    parser.add_argument("--as", dest="told_as", choices=("memories", "messages"), default="memories")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    result = asyncio.run(measure(json.loads(args.file.read_text("utf-8")), args.told_as))
    for name, figures in result.items():
        print(f"{name:<14}", " ".join(f"{what} {value:g}" for what, value in figures.items()))
    write_json(args.json, result)
