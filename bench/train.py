"""`python -m bench train`: fits the weight table of `fabula.ranking` as a listwise softmax over the candidate pool.

The target is uniform over the evidence in a question's pool. Each conversation and each person's records are judged
with weights fitted on the others; the table that is written is fitted on all of them. L2-regularised, L-BFGS.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import minimize

from bench import lifebench, locomo
from bench.evidence import KeptEmbedder, Question, Scores
from fabula import AsyncMemory, Plan
from fabula.abc import Extractor
from fabula.providers.bundled import bundled
from fabula.testing import ReplayExtractor

FEATURES = (
    "bm25", "bm25_window", "dense", "dense_window", "coverage", "prev", "prev2", "next", "answer", "session", "speaker",
    "date", "when", "question", "length", "first", "bm25_told", "fact_meaning", "frame_meaning", "graph",
)  # fmt: skip
FITTED = ("passages", "han", "keyword", "han_keyword", "keys")
KEYED = ("bm25_told", "fact_meaning", "frame_meaning", "graph")
PLAIN = [name for name in FEATURES if name not in KEYED]
SPARSE = [name for name in PLAIN if not name.startswith("dense")]
TABLE = Path(__file__).parent.parent / "src" / "fabula" / "data" / "weights.json"
POOL = Plan(kinds=("passage",), limit=1000)
KEYWORDS = Plan(kinds=("passage",), limit=1000, channels=("sparse", "context", "time"))


@dataclass
class Pool:
    """One question's candidates: a row of features each, and which are evidence."""

    question: Question
    refs: list[str]
    features: np.ndarray
    evidence: np.ndarray


Groups: TypeAlias = dict[str, list[Pool]]


async def pools(
    messages: Sequence[Any], questions: Sequence[Question], plan: Plan, extractor: Extractor | None = None
) -> list[Pool]:
    """Return every question's candidates with their features, as the product sees them."""
    found: list[Pool] = []
    with tempfile.TemporaryDirectory() as folder:
        embedder = KeptEmbedder(bundled()) if "dense" in plan.channels else None
        async with AsyncMemory(Path(folder) / "m.db", embedder=embedder, extractor=extractor) as memory:
            await memory.remember("scope", messages)
            await memory.flush()
            for question in questions:
                answer = await memory.recall("scope", question.text, plan, at=question.at)
                refs = [hit.record.ref or "" for hit in answer.hits]  # pyright: ignore
                rows = np.array([[hit.parts.get(name, 0.0) for name in FEATURES] for hit in answer.hits])
                evidence = np.array([ref in question.evidence for ref in refs])
                found.append(Pool(question, refs, rows.reshape(len(refs), len(FEATURES)), evidence))
    return found


def alike(question: Question) -> float:
    """Every question counts the same."""
    del question
    return 1.0


def by_evidence(question: Question) -> float:
    """A question counts by the root of how much evidence it asks for, and by its category.

    Those that need several pieces (category 1 of LoCoMo, three times) or a guess (3, twice) are few, and they are what
    facts, frames and the graph are there for.
    """
    return len(question.evidence) ** 0.5 * {"1": 3, "3": 2}.get(question.category, 1)


def fit(
    pools: Sequence[Pool], free: Sequence[str], l2: float, counts: Callable[[Question], float] = alike
) -> np.ndarray:
    """Return the weights that make the evidence most likely under a softmax over each pool."""
    usable = [pool for pool in pools if pool.evidence.any() and len(pool.refs) > 1]
    mask = np.array([name in free for name in FEATURES])

    def loss(free_weights: np.ndarray) -> tuple[float, np.ndarray]:
        weights = np.zeros(len(FEATURES))
        weights[mask] = free_weights
        total, gradient = l2 * float(weights @ weights), 2 * l2 * weights
        for pool in usable:
            scores = pool.features @ weights
            scores -= scores.max()
            p = np.exp(scores) / np.exp(scores).sum()
            target = pool.evidence / pool.evidence.sum()
            share = counts(pool.question) / len(usable)
            total -= share * float(target @ np.log(p + 1e-300))
            gradient -= share * (pool.features.T @ (target - p))
        return total, gradient[mask]

    result = minimize(loss, np.zeros(mask.sum()), jac=True, method="L-BFGS-B")
    weights = np.zeros(len(FEATURES))
    weights[mask] = result.x
    return weights


def judge(pools: Sequence[Pool], weights: np.ndarray, scores: Scores) -> None:
    for pool in pools:
        order = np.argsort(-(pool.features @ weights), kind="stable")
        scores.add(pool.question, [pool.refs[i] for i in order])


def shown(weights: np.ndarray) -> str:
    return " ".join(f"{name} {weight:.2f}" for name, weight in zip(FEATURES, weights, strict=True) if weight)


def cross(
    name: str, talk: Groups, records: Groups, free: Sequence[str], share: int, l2: float,
    counts: Callable[[Question], float] = alike,
) -> np.ndarray:  # fmt: skip
    """Judge each group with the weights of the others, print the sums, return the weights of all.

    The questions about phone records count `share` times: they keep the habits of one set of talk out.
    """

    def weights_without(held: str) -> np.ndarray:
        parts = [p for other, its in talk.items() if other != held for p in its]
        parts += [p for other, its in records.items() if other != held for p in its] * share
        return fit(parts, free, l2, counts)

    print(f"\n{name}: each group judged with the weights of the others")
    for groups, report in ((talk, locomo.GROUPS), (records, {"records": sorted(_categories(records))})):
        scores = Scores()
        for held, pools in groups.items():
            judge(pools, weights_without(held), scores)
        for group, recall in scores.report(report)["recall"].items():
            print(f"  {group:<12} " + " ".join(f"@{cut} {value:.3f}" for cut, value in recall.items()))
    weights = weights_without("")
    print(f"  weights of all: {shown(weights)}", flush=True)
    return weights


def _categories(groups: Groups) -> set[str]:
    return {pool.question.category for pools in groups.values() for pool in pools}


async def gather(shared: Path, people: str, plan: Plan) -> tuple[Groups, Groups]:
    talk: Groups = {}
    for name, messages, questions, _ in locomo.conversations(shared / "locomo" / "locomo_dev.json"):
        talk[name] = await pools(messages, questions, plan)
    records: Groups = {}
    for name, messages, questions in lifebench.people(shared / "lifebench" / "zh", people):
        records[name] = await pools(messages, questions, plan)
    return talk, records


async def gather_keyed(shared: Path, replies: Path) -> Groups:
    """The conversations with a language model's recorded replies, and what was drawn from them."""
    talk: Groups = {}
    for name, messages, questions, _ in locomo.conversations(shared / "locomo" / "locomo_dev.json"):
        if (replies / f"{name}.jsonl").exists():
            talk[name] = await pools(messages, questions, POOL, ReplayExtractor(replies / f"{name}.jsonl"))
    return talk


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench train", description=__doc__)
    parser.add_argument("--data", default=str(locomo.DEFAULT.parent.parent))
    parser.add_argument("--replies", default=str(locomo.DEFAULT.parent.parent.parent / "llm_replies"))
    parser.add_argument("--people", default="lumingqiang,leimingxuan", help="of LifeBench zh")
    parser.add_argument("--l2", type=float, default=0.001)
    parser.add_argument("--profiles", nargs="+", choices=FITTED, default=FITTED, help="which to fit")
    parser.add_argument("--write", action="store_true", help=f"write them into {TABLE.name}")
    args = parser.parse_args(argv)
    table: dict[str, np.ndarray] = {}
    for plan, kind, free in ((POOL, FITTED[:2], PLAIN), (KEYWORDS, FITTED[2:4], SPARSE)):
        names = [name for name in kind if name in args.profiles]
        groups = asyncio.run(gather(Path(args.data), args.people, plan)) if names else ({}, {})
        for name in names:
            table[name] = cross(name, *groups, free, 4 if name.startswith("han") else 1, args.l2)
    if "keys" in args.profiles:
        talk = asyncio.run(gather_keyed(Path(args.data), Path(args.replies)))
        table["keys"] = cross("keys", talk, {}, FEATURES, 1, args.l2, by_evidence)
    if args.write:
        held = json.loads(TABLE.read_text("utf-8"))
        for name, weights in table.items():
            held["fitted"][name] = f"python -m bench train --l2 {args.l2}, {datetime.now(UTC).date()}"
            held["profiles"][name] = {f: round(float(w), 3) for f, w in zip(FEATURES, weights, strict=True) if w}
        TABLE.write_text(json.dumps(held, indent=1) + "\n", "utf-8")
        print(f"\nwritten to {TABLE}")
