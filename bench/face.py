"""`python -m bench latency --face neuromemory`: what NeuroMemory takes for a recall and for a write.

One user has memories of every type and messages, in English and Chinese, with dates, importance and how they felt.
Embedding is left out: vectors are sums of random directions of words, known before the clock starts, with the width,
space and calibration of the bundled model, so that everything that depends on these is done. Everything else is as it
is by default: rules have drawn from the messages, the background works, recalls are counted, writes are durable.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.latency import bare_product, milliseconds
from fabula.abc import Role, Vectors
from fabula.providers.bundled import BundledEmbedder
from fabula.testing import HashEmbedder
from neuromemory import NeuroMemory

USER = "latency face"
ROUNDS = 200
BATCH, BATCHES, SINGLY = 100, 10, 200
TYPES = ("fact", "episodic", "general", "insight")
NOW = datetime(2026, 6, 1, tzinfo=UTC)
WHO = ("Alice", "Bob", "Nora", "Emma", "my sister", "our neighbour", "the new manager", "Dr Lee")
DID = ("met a friend in", "flew to", "is tired of", "works for a bank in", "bought a bicycle in", "loves the food of",
       "misses the rain of", "argued about money in", "learned to cook in", "wants to move to")  # fmt: skip
WHERE = ("Porto", "Berlin", "Kyoto", "Lima", "Oslo", "Boston", "Hangzhou", "Lyon", "Quito", "Cork")
WHY = ("because of the children", "before the summer", "with an old colleague", "and was late again",
       "for the first time", "which made her day", "although it is far", "after the long winter")  # fmt: skip
HAN_WHO = ("小王", "妈妈", "李医生", "我妹妹", "邻居", "新来的经理", "张老师", "艾玛")
HAN_DID = ("喜欢住在", "上周去了", "打算搬到", "厌倦了", "学会了做菜在", "在银行工作在", "买了一辆自行车在", "想念的是")
HAN_WHERE = ("上海", "杭州", "北京", "成都", "大理", "厦门", "西安", "南京")
HAN_WHY = ("因为孩子要上学", "所以很开心", "但是有点累", "和老同事一起", "这是第一次", "虽然很远", "过完冬天以后")


class Directions(BundledEmbedder):
    """Vectors of words as the bundled model's are of texts: unrelated ones have a cosine of about .8; none is computed
    twice."""

    def __init__(self) -> None:
        super().__init__()
        self._inner = HashEmbedder(self.dimensions)
        self._known: dict[str, np.ndarray] = {}

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if new := [text for text in dict.fromkeys(texts) if text not in self._known]:
            vectors = 0.45 * await self._inner.embed(new, role) + 0.9 / np.sqrt(np.float32(self.dimensions))
            self._known |= zip(new, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True)
        return np.array([self._known[text] for text in texts], np.float32)


def said(dice: random.Random) -> str:
    """Return a sentence of six to fifteen words or characters, in either language."""
    parts = (WHO, DID, WHERE, WHY) if dice.random() < 0.6 else (HAN_WHO, HAN_DID, HAN_WHERE, HAN_WHY)
    joint = " " if parts[0] is WHO else ""
    return joint.join([*map(dice.choice, parts), str(dice.randint(1, 400))])


def memories(count: int, seed: int) -> list[dict[str, Any]]:
    """Return memories as `add_memories` takes them."""
    dice = random.Random(seed)
    made: list[dict[str, Any]] = []
    for _ in range(count):
        told: dict[str, Any] = {"importance": dice.randint(1, 10)}
        if dice.random() < 0.5:
            told["emotion"] = {"valence": dice.uniform(-1, 1), "arousal": dice.random(), "label": "moved"}
        when = NOW - timedelta(days=dice.uniform(0, 700)) if dice.random() < 0.7 else None
        made.append({"content": said(dice), "memory_type": dice.choices(TYPES, (4, 3, 2, 1))[0], "metadata": told,
                     "occurred_at": when})  # fmt: skip
    return made


def questions(count: int) -> list[str]:
    dice = random.Random(5)
    english = (f"Where did {dice.choice(WHO)} go {dice.choice(WHY)}?" for _ in iter(int, 1))
    chinese = (f"{dice.choice(HAN_WHO)}在{dice.choice(HAN_WHERE)}做什么？" for _ in iter(int, 1))
    return [next(english if dice.random() < 0.6 else chinese) for _ in range(count)]


async def fill(nm: NeuroMemory, count: int) -> None:
    """Let a user have `count` memories; of ten, three are messages."""
    dice = random.Random(3)
    talk = 3 * count // 10
    await nm.add_memories(USER, memories(count - talk, 1))
    for start in range(0, talk, 20):
        day = (NOW - timedelta(days=dice.uniform(1, 700))).isoformat()
        await nm.conversations.add_messages_batch(USER, [
            {"role": ("user", "assistant")[place % 2], "content": said(dice), "created_at": day}
            for place in range(min(20, talk - start))
        ], f"session {start}")  # fmt: skip
    await nm.flush()


async def recalls(nm: NeuroMemory, asked: Sequence[str]) -> list[float]:
    times: list[float] = []
    for query in asked:
        start = time.perf_counter()
        await nm.recall(USER, query)
        times.append(time.perf_counter() - start)
    return times


async def throughput(nm: NeuroMemory, clients: int, seconds: float = 5.0) -> float:
    """Recalls a second that `clients` get who ask one question after the other, all at once."""
    until = time.perf_counter() + seconds

    async def client(asked: Sequence[str]) -> int:
        done = 0
        while time.perf_counter() < until:
            await nm.recall(USER, asked[done % len(asked)])
            done += 1
        return done

    asked = questions(ROUNDS)
    start = time.perf_counter()
    done = sum(await asyncio.gather(*(client(asked[place:]) for place in range(clients))))
    return done / (time.perf_counter() - start)


async def recalled(path: Path, count: int, clients: int) -> dict[str, Any]:
    async with NeuroMemory(f"sqlite+aiosqlite:///{path}", embedding=Directions()) as nm:  # type: ignore[arg-type]
        await fill(nm, count)
        asked = questions(ROUNDS)
        await recalls(nm, asked)  # and their vectors are known
        p50, p95 = milliseconds(await recalls(nm, asked))
        found = (await nm.recall(USER, asked[0]))["merged"]
        stats = await nm.stats(USER)
        row: dict[str, Any] = {
            "memories": stats["total_memories"], "messages": stats["messages"], "found": len(found),
            "recall_p50_ms": round(p50, 2), "recall_p95_ms": round(p95, 2), "numpy_ms": round(bare_product(count), 3),
        }  # fmt: skip
        if clients:
            row |= {"clients": clients, "recalls_per_s": round(await throughput(nm, clients))}
    return row


async def written(path: Path) -> dict[str, Any]:
    """Memories a second: many at once and one by one, each as a durable transaction."""
    given = memories(BATCH * BATCHES + SINGLY, 7)
    batches = [given[start : start + BATCH] for start in range(0, BATCH * BATCHES, BATCH)]
    async with NeuroMemory(f"sqlite+aiosqlite:///{path}", embedding=Directions()) as nm:  # type: ignore[arg-type]
        start = time.perf_counter()
        for batch in batches:
            await nm.add_memories(USER, batch)
        many = time.perf_counter() - start
        await nm.flush()
        start = time.perf_counter()
        for one in given[BATCH * BATCHES :]:
            await nm.add_memory(USER, **one)
        singly = time.perf_counter() - start
    return {"batch_per_s": round(BATCH * BATCHES / many), "single_per_s": round(SINGLY / singly)}


def bare(path: Path) -> float:
    """Transactions a second of one row each by the bare driver, as durable."""
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE told (id INTEGER PRIMARY KEY, text TEXT)")
    start = time.perf_counter()
    for place in range(SINGLY):
        connection.execute("INSERT INTO told VALUES (?, ?)", (place, "x" * 400))
    taken = time.perf_counter() - start
    connection.close()
    return SINGLY / taken


def measure(folder: Path, counts: Sequence[int], clients: int) -> dict[str, Any]:
    rows = [asyncio.run(recalled(folder / f"{count}.db", count, clients)) for count in counts]
    return {"sizes": rows, **asyncio.run(written(folder / "written.db")), "bare_per_s": round(bare(folder / "bare.db"))}


def report(result: Mapping[str, Any]) -> None:
    for row in result["sizes"]:
        print(f"{row['memories']} memories and {row['messages']} messages: recall p50 {row['recall_p50_ms']} ms, p95 "
              f"{row['recall_p95_ms']} ms ({row['found']} found); numpy {row['numpy_ms']} ms")  # fmt: skip
        if "recalls_per_s" in row:
            print(f"        {row['clients']} clients at once: {row['recalls_per_s']} recalls/s")
    print(f"durable memories: {result['batch_per_s']}/s in batches of {BATCH}, {result['single_per_s']}/s one by one; "
          f"one bare row a transaction {result['bare_per_s']}/s")  # fmt: skip
