"""`python -m bench confidence`: does `Recollection.confidence` tell the known from the unknown?

Each LoCoMo conversation is asked its own questions (known) and those of another one, with the other's speakers
renamed to its own (unknown). Printed: mean confidence of both and the area under the ROC curve.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

import numpy as np

from bench.evidence import KeptEmbedder, write_json
from bench.locomo import DEFAULT, conversations
from fabula import AsyncMemory, Plan
from fabula.providers.bundled import bundled


async def measure(path: str) -> dict[str, float]:
    sets = list(conversations(Path(path)))
    known: list[float] = []
    unknown: list[float] = []
    for place, (name, messages, questions, _) in enumerate(sets):
        _, foreign_talk, foreign, _ = sets[(place + 1) % len(sets)]
        own_names, other_names = ({m.speaker for m in talk} for talk in (messages, foreign_talk))
        with tempfile.TemporaryDirectory() as folder:
            async with AsyncMemory(f"{folder}/m.db", embedder=KeptEmbedder(bundled())) as memory:
                await memory.remember(name, messages)
                await memory.flush()
                for asked, found in ((questions, known), (foreign, unknown)):
                    for question in asked:
                        text = question.text
                        if asked is foreign:
                            for other, own in zip(sorted(other_names), sorted(own_names), strict=False):
                                text = text.replace(str(other), str(own))
                        if question.category != "5":
                            answer = await memory.recall(name, text, Plan(kinds=("passage",)), at=question.at)
                            found.append(answer.confidence)
    pairs = np.subtract.outer(np.array(known), np.array(unknown))
    return {
        "known": float(np.mean(known)),
        "unknown": float(np.mean(unknown)),
        "auc": float((pairs > 0).mean() + (pairs == 0).mean() / 2),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench confidence", description=__doc__)
    parser.add_argument("file", nargs="?", default=str(DEFAULT))
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    result = asyncio.run(measure(args.file))
    print(" ".join(f"{name} {value:.3f}" for name, value in result.items()))
    write_json(args.json, result)
