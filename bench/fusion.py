"""`python -m bench fusion`: how long each level of fusion takes in a scope of many frames, without a language model.

At once: a new frame joins the one before it. Gathered: ten frames are held against all and clustered. Overturned: a
fact ended, and the frames that tell of it are found and marked. Reading the index anew after a write is part of it.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence import write_json
from bench.latency import milliseconds, talk
from fabula import AsyncMemory, Entity, Event, Fact, Frame, Interval, Message, Settings
from fabula.abc import Changes, Lease
from fabula.extract import entry_of
from fabula.fusion import GATHER, Fusion
from fabula.memory import local_now
from fabula.testing import HashEmbedder
from fabula.timeline import SUPERSEDED_BY

SCOPE = "fusion"
START = datetime(2024, 1, 1, tzinfo=UTC)
SESSION = 40
"""Frames a session."""
PLACE = "Porto"


def frame(number: int, text: str, source: str, session: int | None) -> Frame:
    """Return a frame in which one of five people takes part, the first in a session that is given.

    Every twentieth names a place.
    """
    who = f"speaker {number % 5 if session is None else 0}"
    session = number // SESSION if session is None else session
    return Frame(
        scope=SCOPE, id=f"f{number}", text=f"{text} {PLACE}" if number % 20 == 0 else text, session=str(session),
        events=(Event(participants=(who,), action=text),), valid=Interval.at(START + timedelta(hours=number)),
        sources=(source,), links={"names": (who,)},
    )  # fmt: skip


class Bench:
    def __init__(self, memory: AsyncMemory, embedder: HashEmbedder) -> None:
        self._memory, self._store, self._embedder = memory, memory._store, embedder
        self._made = 0
        self._passages: list[str] = []

    async def fill(self, count: int) -> None:
        receipt = await self._memory.remember(SCOPE, [Message(m.content, id=m.id) for m in talk(count + 2000)])
        self._passages = [record_id for record_id in receipt.ids if record_id]
        people = [
            Entity(scope=SCOPE, id=f"speaker {n}", text=f"speaker {n}", sources=(self._passages[0],)) for n in range(5)
        ]
        await self._store.write(SCOPE, Changes(add=tuple(map(entry_of, people))))
        words = [message.content for message in talk(count)]
        for start in range(0, count, 500):
            await self.add(words[start : start + 500], queued=False)

    async def add(self, texts: list[str], *, session: int | None = None, queued: bool = True) -> None:
        """Write frames with their vectors, as extraction and embedding leave them."""
        made: list[Frame] = []
        for text in texts:
            made.append(frame(self._made, text, self._passages[self._made], session))
            self._made += 1
        await self._store.write(SCOPE, Changes(add=tuple(entry_of(one, fuse=queued) for one in made)))
        vectors = await self._embedder.embed([one.text for one in made], "passage")
        embedded = dict(zip([one.id for one in made], np.asarray(vectors), strict=True))
        await self._store.write(
            SCOPE,
            Changes(vectors=embedded, space=self._embedder.space, done=tuple(("embed", one.id) for one in made)),
        )

    async def overturn(self, number: int) -> None:
        """Write a fact that has ended, and the one that ended it."""
        where, until = self._passages[self._made], START + timedelta(days=999)
        now = Fact(scope=SCOPE, id=f"now{number}", text="x", sources=(where,))
        then = Fact(
            scope=SCOPE, id=f"then{number}", text="y", subject="speaker 0", predicate="lives in", object=PLACE,
            status="superseded", valid=Interval(end=until), sources=(self._passages[1],),
            links={"subject": ("speaker 0",)}, meta={SUPERSEDED_BY: now.id},
        )  # fmt: skip
        await self._store.write(SCOPE, Changes(add=(entry_of(now), entry_of(then, fuse=True))))

    async def timed(self, rounds: int, prepare: Callable[[int], Awaitable[None]], join: bool) -> list[float]:
        settings, times = Settings(), list[float]()
        for number in range(rounds):
            await prepare(number)
            lease = await self._store.lease("bench", ["fuse"], local_now(), 600, scope=SCOPE)
            assert isinstance(lease, Lease)
            fusion = Fusion(self._store, self._embedder, None, settings, lease, local_now)
            work = await self._store.pending(SCOPE, "fuse")
            start = time.perf_counter()
            await (fusion.join(work) if join else fusion.fuse(work))
            times.append(time.perf_counter() - start)
            left = await self._store.pending(SCOPE, "fuse")
            assert not left, f"{len(left)} pieces are left of {len(work)}"
            await self._store.release(lease)
        return times


async def measure(url: str, count: int, rounds: int) -> dict[str, Any]:
    embedder = HashEmbedder(384)
    async with AsyncMemory(url, embedder=embedder, background=False) as memory:
        await memory.forget(SCOPE, everything=True)
        bench = Bench(memory, embedder)
        await bench.fill(count)
        words = [message.content for message in talk(2 * rounds * GATHER, seed=4)]
        result: dict[str, Any] = {"frames": count}

        async def one_more(number: int) -> None:
            session = 10_000 + number
            await bench.add([words[number]], session=session, queued=False)
            await bench.add([f"{words[number]} {words[number][:8]}"], session=session)

        async def ten(number: int) -> None:
            for place in range(GATHER):
                await bench.add(
                    [words[rounds + number * GATHER + place // 2]], session=20_000 + number * GATHER + place
                )

        async def ended(number: int) -> None:
            await bench.overturn(number)

        ways = {"at once": (one_more, True), "gathered": (ten, False), "overturned": (ended, False)}
        for name, (prepare, join) in ways.items():
            before = (await memory.stats(SCOPE)).records["frame"]
            p50, p95 = milliseconds(await bench.timed(rounds, prepare, join))
            result[name] = {"p50_ms": round(p50, 1), "p95_ms": round(p95, 1)}
            result[name]["frames_added"] = (await memory.stats(SCOPE)).records["frame"] - before
        await memory.forget(SCOPE, everything=True)
    return result


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench fusion", description=__doc__)
    parser.add_argument("--url", help="a database URL (default: a SQLite file in a temporary folder)")
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        result = asyncio.run(measure(args.url or str(Path(folder) / "fusion.db"), args.frames, args.rounds))
    print(f"{result['frames']} frames{'p50 ms':>14}{'p95 ms':>10}")
    for name, row in result.items():
        if name != "frames":
            print(f"{name:<14}{row['p50_ms']:>10}{row['p95_ms']:>10}")
    write_json(args.json, result)
