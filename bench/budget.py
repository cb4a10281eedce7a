"""`python -m bench budget FILE --replies DIR`: how much of the evidence is in a prompt of so many tokens.

For each question of LoCoMo the answer is written into a prompt; a piece of evidence is there if the turn is, or a fact
or frame that was made from it. "passages" shows turns alone; "provenance" goes from them to the facts and frames that
cite them, and shows each piece of evidence once (reverse provenance expansion). Same ranking, same budget.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench import locomo
from bench.evidence import KeptEmbedder, write_json
from fabula import AsyncMemory, Passage, Plan
from fabula.providers.bundled import bundled
from fabula.testing import ReplayExtractor

BUDGETS = (200, 400, 800, 1600, 3200)
PLANS = {
    "passages": Plan(kinds=("passage",), limit=100),
    "provenance": Plan(kinds=("passage", "frame", "fact"), limit=100),
}


async def measure(args: argparse.Namespace) -> dict[str, Any]:
    embedder = KeptEmbedder(bundled())
    found: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
    for name, messages, questions, _ in locomo.conversations(Path(args.file), args.conversations):
        replies = Path(args.replies) / f"{name}.jsonl"
        if not replies.exists():
            continue
        with tempfile.TemporaryDirectory() as folder:
            extractor = ReplayExtractor(replies)
            async with AsyncMemory(Path(folder) / "m.db", embedder=embedder, extractor=extractor) as memory:
                await memory.remember(name, messages)
                await memory.flush()
                refs = {passage.id: passage.ref for passage in await memory.records(name, "passage", limit=10_000)}
                for question in questions:
                    for label, plan in PLANS.items():
                        answer = await memory.recall(name, question.text, plan, at=question.at)
                        for budget in BUDGETS:
                            shown = [hit.record for hit in answer.within(budget)]
                            said = {r for s in shown for r in ([s.id] if isinstance(s, Passage) else s.sources)}
                            here = {refs.get(record_id) for record_id in said} & set(question.evidence)
                            share = len(here) / len(question.evidence)
                            row = found.setdefault((label, budget, question.category), [])
                            row.append((share, float(share == 1)))
    return {"rows": [_row(found, label, budget, group)
                     for group in ("1-4", "1") for label in PLANS for budget in BUDGETS]}  # fmt: skip


def _row(found: dict[tuple[str, int, str], list[tuple[float, float]]], label: str, budget: int, group: str) -> Any:
    values = [v for c in locomo.GROUPS[group] for v in found.get((label, budget, c), [])]
    share, everything = np.mean(values, axis=0) if values else (0.0, 0.0)
    return {"plan": label, "group": group, "tokens": budget, "evidence": round(float(share), 4),
            "all": round(float(everything), 4), "questions": len(values)}  # fmt: skip


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench budget", description=__doc__)
    parser.add_argument("file", nargs="?", default=str(locomo.DEFAULT))
    parser.add_argument("--replies", default=str(locomo.DEFAULT.parent.parent.parent / "llm_replies"))
    parser.add_argument("--conversations", help="names, separated by commas")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    result = asyncio.run(measure(args))
    for row in result["rows"]:
        print(f"{row['group']:<4} {row['plan']:<12} {row['tokens']:>5} tokens  evidence {row['evidence']:.3f}  "
              f"all of it {row['all']:.3f}  n {row['questions']}")  # fmt: skip
    write_json(args.json, result)
