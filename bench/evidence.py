"""Evidence recall: is what answers a question among the first k that come back? Knows no data set."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fabula import Recollection
from fabula.abc import Embedder, Role, Vectors
from fabula.types import Channel, Hit, Plan

CUTS = (1, 3, 5, 10, 20, 50)
CACHE = Path(__file__).parent.parent / ".bench"

WITHOUT_KEYS: tuple[Channel, ...] = ("dense", "sparse", "context", "time")
BOOSTS = frozenset(
    {"prev", "prev2", "next", "answer", "session", "speaker", "date", "when", "question", "length", "first"}
)
"""What tells of a passage's place, time and kind, not of what it says."""


def _said(limit: int = 50, **more: Any) -> Plan:
    return Plan(kinds=("passage",), limit=limit, **more)


PLANS: dict[str, tuple[str, Plan]] = {
    "default": ("product", _said()),
    "bm25": ("baseline", _said(channels=("sparse",), fusion="rrf")),
    "dense": ("baseline", _said(channels=("dense",), fusion="rrf")),
    "rrf60": ("baseline", _said(channels=("sparse", "dense"), fusion="rrf")),
    "no dense": ("ablation", _said(channels=("sparse", "context", "time"))),
    "no context": ("ablation", _said(channels=("dense", "sparse", "time"))),
    "no time": ("ablation", _said(channels=("dense", "sparse", "context"))),
    "no boosts": ("ablation", _said(1000)),
}
KEYED: dict[str, tuple[str, Plan]] = {
    "no keys": ("ablation", _said(channels=WITHOUT_KEYS)),
    "no facts": ("ablation", _said(channels=(*WITHOUT_KEYS, "frames", "graph"))),
    "no frames": ("ablation", _said(channels=(*WITHOUT_KEYS, "facts", "graph"))),
    "no graph": ("ablation", _said(channels=(*WITHOUT_KEYS, "facts", "frames"))),
    "10, no RPE": ("ablation", _said(10)),
    "10, RPE 10": ("ablation", _said(10, expand=10)),
}
"""Only where facts and frames were drawn."""


def unboosted(answer: Recollection) -> list[Hit]:
    """Return the hits as they would stand without `BOOSTS`."""
    assert answer.trace is not None
    table = {name: weight for name, weight in answer.trace.weights.items() if name not in BOOSTS}
    return sorted(answer.hits, key=lambda hit: -sum(w * hit.parts.get(name, 0.0) for name, w in table.items()))


@dataclass(frozen=True)
class Question:
    """A question, where it is asked, and the message ids that answer it."""

    conversation: str
    text: str
    category: str
    evidence: tuple[str, ...]
    at: Any = None


@dataclass
class Scores:
    """Sums of one row of a table, by category."""

    hits: dict[str, list[list[float]]] = field(default_factory=dict)

    def add(self, question: Question, refs: Sequence[str]) -> None:
        places = [refs.index(ref) + 1 for ref in question.evidence if ref in refs]
        recalls = [sum(place <= cut for place in places) / len(question.evidence) for cut in CUTS]
        everything = float(sum(place <= 10 for place in places) == len(question.evidence))
        reciprocal = 1 / min(places) if places else 0.0
        self.hits.setdefault(question.category, []).append([*recalls, everything, reciprocal])

    def report(self, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return recall, all-evidence@10 and MRR by group of categories."""
        found: dict[str, Any] = {"recall": {}, "all_evidence": {}, "mrr": {}, "questions": {}}
        for group, categories in groups.items():
            rows = np.array([row for c in categories for row in self.hits.get(c, [])])
            if not len(rows):
                continue
            means = rows.mean(axis=0)
            found["recall"][group] = {str(cut): round(float(m), 4) for cut, m in zip(CUTS, means, strict=False)}
            found["all_evidence"][group] = round(float(means[-2]), 4)
            found["mrr"][group] = round(float(means[-1]), 4)
            found["questions"][group] = len(rows)
        return found


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as a text table: one line a row and group."""
    head = (
        f"{'row':<12} {'group':<14} {'n':>5} " + " ".join(f"{'@' + str(cut):>6}" for cut in CUTS) + "   all@10    mrr"
    )
    lines = [head]
    for row in rows:
        for group, recall in row["recall"].items():
            cells = " ".join(f"{recall[str(cut)]:>6.3f}" for cut in CUTS)
            lines.append(
                f"{row['name']:<12} {group:<14} {row['questions'][group]:>5} {cells}"
                f"   {row['all_evidence'][group]:>6.3f} {row['mrr'][group]:>6.3f}"
            )
    return "\n".join(lines)


def write_json(path: str | None, value: Any) -> None:
    if path:
        Path(path).write_text(json.dumps(value, ensure_ascii=False, indent=1), "utf-8")


class KeptEmbedder(Embedder):
    """Keeps the vectors of another embedder on disk, so that a second run is quick and equal."""

    def __init__(self, inner: Embedder) -> None:
        self.inner, self.space, self.dimensions = inner, inner.space, inner.dimensions
        CACHE.mkdir(exist_ok=True)
        self._db = sqlite3.connect(CACHE / "embeddings.db", check_same_thread=False, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        keys = [hashlib.blake2b(f"{self.space}\0{role}\0{t}".encode(), digest_size=16).digest() for t in texts]
        held: dict[bytes, np.ndarray] = {}
        for key in keys:
            row = self._db.execute("SELECT vector FROM kept WHERE key = ?", (key,)).fetchone()
            if row:
                held[key] = np.frombuffer(row[0], np.float32)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in held}
        if missing:
            made = await self.inner.embed(list(missing.values()), role)
            held |= dict(zip(missing, made, strict=True))
            self._db.executemany(
                "INSERT OR REPLACE INTO kept VALUES (?, ?)", [(key, held[key].tobytes()) for key in missing]
            )
        return np.stack([held[key] for key in keys])

    def similarity(self, cosine: Any, **more: Any) -> Any:
        return self.inner.similarity(cosine, **more)

    def unrelated(self, **more: Any) -> float:
        return self.inner.unrelated(**more)

    async def close(self) -> None:
        await self.inner.close()
