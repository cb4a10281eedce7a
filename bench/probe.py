"""`python -m bench probe [FILE]`: top-1 on question-passage pairs, Chinese and across languages, end to end.

Each list of pairs is one scope; every passage is a message; a question's own passage has to come first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from bench.evidence import PLANS, KeptEmbedder, write_json
from bench.locomo import DEFAULT
from fabula import AsyncMemory, Message
from fabula.providers.bundled import bundled

PROBE = DEFAULT.parent.parent.parent / "probes" / "zh_probe_dev.json"


async def measure(sets: dict[str, list[list[str]]], *, one_session: bool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name, pairs in sets.items():
        with tempfile.TemporaryDirectory() as folder:
            async with AsyncMemory(Path(folder) / "m.db", embedder=KeptEmbedder(bundled())) as memory:
                talk = [
                    Message(passage, id=str(place), session="all" if one_session else str(place))
                    for place, (_, passage) in enumerate(pairs)
                ]
                await memory.remember("probe", talk)
                await memory.flush()
                for plan in ("default", "bm25", "dense", "rrf60"):
                    first = 0
                    for place, (question, _) in enumerate(pairs):
                        answer = await memory.recall("probe", question, PLANS[plan][1])
                        first += bool(answer.passages) and answer.passages[0].ref == str(place)
                    rows.append({"set": name, "row": plan, "one_session": one_session, "n": len(pairs),
                                 "top1": round(first / len(pairs), 4)})  # fmt: skip
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench probe", description=__doc__)
    parser.add_argument("file", nargs="?", default=str(PROBE))
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    sets = json.loads(Path(args.file).read_text("utf-8"))
    for one_session in (True, False):
        rows += asyncio.run(measure(sets, one_session=one_session))
    for row in rows:
        where = "one session" if row["one_session"] else "a session each"
        print(f"{row['set']:<8} {row['row']:<10} {where:<16} n {row['n']:>3}  top-1 {row['top1']:.3f}")
    write_json(args.json, {"rows": rows})
