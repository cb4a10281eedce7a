"""What comes back is counted beside the reading: nothing waits for it, nothing of it is lost, and no revision moves."""

import asyncio
import logging
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from engines import sql

from fabula import Access, AsyncMemory, Fact, InvalidInput, Memory, Message, Plan, Settings, StoreUnavailable, access
from fabula.access import AccessLog
from fabula.stores import open_store
from fabula.stores.server import asyncpg
from fabula.stores.statements import POSTGRES, statements
from fabula.testing import FakeClock, HashEmbedder
from fabula.upkeep import copy

TALK = [Message(f"tea with milk, cup {n}", id=str(n)) for n in range(4)]
WORDS = Plan(channels=("sparse",), kinds=("passage",), limit=4)

PASSAGES = Plan(kinds=("passage",))


def opened(db: str, clock: FakeClock | None = None, **more: Any) -> AsyncMemory:
    return AsyncMemory(db, embedder=None, clock=clock or FakeClock(), **{"background": False, **more})


async def ids_of(memory: AsyncMemory) -> list[str]:
    return [record.id for record in await memory.records("u")]


def stored(db: str) -> int:
    return int(sql(db, "SELECT COALESCE(SUM(count), 0) FROM access")[0][0])


# --- counting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("background", [True, False])
async def test_many_recalls_at_once_lose_no_count(db: str, background: bool, monkeypatch: pytest.MonkeyPatch):
    """Case: 200 at once, while it is written and asked for."""
    monkeypatch.setattr(access, "LARGE", 6)
    async with opened(db, background=background) as memory:
        await memory.remember("u", TALK)
        ids = await ids_of(memory)

        async def recall(turn: int) -> None:
            assert len((await memory.recall("u", "tea with milk", WORDS)).hits) == 4
            if turn % 20 == 0:
                await memory.flush("u")

        await asyncio.gather(*map(recall, range(200)))
        assert [one.count for one in (await memory.accessed("u", ids)).values()] == [200] * 4
    assert stored(db) == 800
    async with opened(db) as memory:
        assert [one.count for one in (await memory.accessed("u", ids)).values()] == [200] * 4
        assert await memory.check() == []


async def test_times_are_those_of_the_recalls(db: str):
    clock = FakeClock("2024-03-01T10:00:00Z")
    start = clock()
    async with opened(db, clock) as memory:
        await memory.remember("u", TALK)
        (one, *_) = ids = await ids_of(memory)
        assert await memory.accessed("u", ids) == {}
        await memory.recall("u", "tea", WORDS)
        later = clock.advance(timedelta(days=2))
        await memory.recall("u", "tea", WORDS)
        assert (await memory.accessed("u", [one]))[one] == Access(2, start, later), "not written yet"
        await memory.flush()
        assert (await memory.accessed("u", [one]))[one] == Access(2, start, later)
        last = clock.advance(60)
        await memory.recall("u", "tea", WORDS)
        assert (await memory.accessed("u", [one]))[one] == Access(3, start, last), "some of it"


async def test_two_memories_add_up(db: str):
    async with opened(db) as one, opened(db) as other:
        await one.remember("u", TALK)
        ids = await ids_of(one)
        for memory in (one, other, other):
            await memory.recall("u", "tea", WORDS)
        await asyncio.gather(one.flush(), other.flush())
        for memory in (one, other):
            assert [found.count for found in (await memory.accessed("u", ids)).values()] == [3] * 4


async def test_reading_writes_nothing_and_moves_no_revision(db: str):
    store = open_store(db)
    async with AsyncMemory(store, embedder=HashEmbedder(), background=False) as memory:
        await memory.remember("u", TALK)
        await memory.flush()
        before = await store.state("u")
        await memory.recall("u", "tea", PASSAGES)
        assert stored(db) == 0
        await memory.flush()
        assert stored(db) == 4
        assert await store.state("u") == before


async def test_the_background_writes_by_itself(db: str):
    async with opened(db, background=True) as memory:
        await memory.remember("u", TALK)
        await memory.recall("u", "tea", WORDS)
        await memory.remember("v", "wakes it")
        for _ in range(200):
            if stored(db):
                break
            await asyncio.sleep(0.05)
        assert stored(db) == 4


async def test_it_may_be_left_out(db: str):
    async with opened(db, settings=Settings(track=False)) as memory:
        await memory.remember("u", TALK)
        await memory.recall("u", "tea", WORDS)
        await memory.flush()
        assert await memory.accessed("u", await ids_of(memory)) == {}
    with pytest.raises(InvalidInput, match="track"):
        Settings(track=1)  # pyright: ignore[reportArgumentType]


KILLED = """
import asyncio, os, sys
from fabula import AsyncMemory, Plan

async def main():
    memory = await AsyncMemory(sys.argv[1], embedder=None, background=False).open()
    for turn in range(3):
        await memory.recall("u", "tea", Plan(channels=("sparse",), kinds=("passage",)))
        if turn == 1:
            await memory.flush()
    os._exit(9)

asyncio.run(main())
"""


async def test_who_is_killed_loses_only_what_was_not_written(tmp_path: Path):
    db = str(tmp_path / "memory.db")
    async with opened(db) as memory:
        await memory.remember("u", TALK)
        await memory.recall("u", "tea", WORDS)
    done = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", KILLED, db], check=False)
    assert done.returncode == 9
    assert stored(db) == 4 + 8
    async with opened(db) as memory:
        assert await memory.check() == []


# --- what becomes of it ------------------------------------------------------------------------------------------


async def test_what_is_forgotten_was_never_used(db: str):
    async with opened(db) as memory:
        await memory.remember("u", TALK)
        first, second, *others = ids = await ids_of(memory)
        await memory.recall("u", "tea", WORDS)
        await memory.flush()
        await memory.recall("u", "tea", WORDS)
        forgotten = await memory.forget("u", ids=[first])
        assert forgotten.rows["access"] == 1
        assert (await memory.accessed("u", ids)).keys() == {second, *others}
        await memory.flush()
        assert (await memory.accessed("u", ids)).keys() == {second, *others}
        assert await memory.check() == []
        await memory.recall("u", "tea", WORDS)
        await memory.forget("u", everything=True)
        await memory.remember("u", TALK)
        assert await memory.accessed("u", ids) == {}, "they are other messages, whatever their ids"
        await memory.flush()
        assert stored(db) == 0


async def test_what_is_gone_before_it_is_written_is_not_told(db: str):
    async with opened(db) as memory:
        await memory.remember("u", TALK)
        ids = await ids_of(memory)
        await memory.recall("u", "tea", WORDS)
        await memory.forget("u", ids=ids[:1])
        assert (await memory.accessed("u", ids)).keys() == set(ids[1:])


async def test_it_moves_with_its_scope(db: str, tmp_path: Path):
    """Also where it is read meanwhile."""
    source, target = open_store(db), open_store(str(tmp_path / "other.db"))
    async with AsyncMemory(source, embedder=None, background=False) as memory:
        await memory.remember("u", TALK)
        ids = await ids_of(memory)
        await memory.recall("u", "tea", WORDS)
        await memory.flush()
        counted = await source.accessed("u", ids)
        await target.open()
        restore = target.restore

        async def meanwhile(scope: str, copier: str, table: str, rows: Any) -> None:
            await restore(scope, copier, table, rows)
            await memory.recall("u", "tea", WORDS)
            await memory.flush()

        target.restore = meanwhile
        copied = await copy(source, target, "u")
        assert copied.rows["access"] == 4
        found = await target.accessed("u", ids)
        assert [one.first for one in found.values()] == [one.first for one in counted.values()]
        assert all(one.count > 1 for one in found.values())
        assert await target.check() == []
        await target.close()


async def test_history_and_what_is_not_used(db: str):
    clock = FakeClock("2024-03-01T10:00:00Z")
    async with opened(db, clock) as memory:
        await memory.remember("u", TALK)
        await memory.remember("u", "a walk")
        (*_, walk) = ids = await ids_of(memory)
        assert [record.id for record in await memory.history("u", walk)] == [walk]
        assert await memory.history("u", "nothing") == []
        clock.advance(timedelta(days=2))
        await memory.recall("u", "tea", WORDS)
        since = clock.now - timedelta(days=1)
        assert [record.id for record in await memory.unused("u", since, kinds=["passage"])] == [walk]
        clock.advance(timedelta(days=2))
        every = await memory.unused("u", clock.now.isoformat(), kinds=["passage"])
        assert [record.id for record in every] == [walk, *ids[:-1]]
        assert await memory.unused("u", since) == []
        edge = await memory.graph.add_edge("u", "Nora", "owns", "a kite")
        clock.advance(timedelta(minutes=1))
        (own,) = await memory.add("u", Fact(scope="", id="", text="likes kites"))
        now = clock.advance(timedelta(minutes=1))
        assert [record.id for record in await memory.unused("u", now)] == [edge.id, own]
        assert [record.id for record in await memory.unused("u", now, edges=False, limit=1)] == [own]


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
async def test_what_cannot_be_meant(db: str):
    async with opened(db) as memory:
        for bad in ("abc", b"a", 3, [""]):
            with pytest.raises(InvalidInput):
                await memory.accessed("u", bad)  # pyright: ignore[reportArgumentType]
        for more in ({"kinds": "fact"}, {"kinds": ["facts"]}, {"limit": 0}, {"limit": 1001}, {"edges": 1}):
            with pytest.raises(InvalidInput):
                await memory.unused("u", "2024-01-01", **more)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InvalidInput):
            await memory.unused(" ", "2024-01-01")
        with pytest.raises(InvalidInput):
            await memory.history("u", "")


def test_without_await(tmp_path: Path):
    with closing(Memory(tmp_path / "memory.db", embedder=None)) as memory:
        memory.remember("u", "tea")
        (hit,) = memory.recall("u", "tea", WORDS).hits
        assert memory.accessed("u", [hit.record.id])[hit.record.id].count == 1
        assert memory.history("u", hit.record.id) == [hit.record]
        assert memory.unused("u", datetime.now().astimezone(), kinds=("passage",), limit=1) == [hit.record]
        assert memory.unused("u", "2024-01-01", kinds=("passage",), limit=1) == []


# --- the log -----------------------------------------------------------------------------------------------------


class Slow:
    """A store that takes what is counted when it is let, or fails."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.fails = 0
        self.gate = asyncio.Event()
        self.calls: list[str] = []
        self.gate.set()

    async def touch(self, scope: str, counts: Mapping[str, int], at: datetime) -> None:
        self.calls.append(scope)
        await self.gate.wait()
        if self.fails:
            self.fails -= 1
            raise StoreUnavailable("not now")
        for one, count in counts.items():
            self.counts[one] = self.counts.get(one, 0) + count

    async def accessed(self, scope: str, ids: list[str]) -> dict[str, Access]:
        return {one: Access(self.counts[one], NOW, NOW) for one in ids if one in self.counts}

    async def versions(self, scope: str, ids: list[str]) -> list[Any]:
        return []


NOW = FakeClock()()


def log_of(store: Slow) -> AccessLog:
    return AccessLog(store, FakeClock())  # pyright: ignore[reportArgumentType]


async def test_what_the_store_does_not_take_is_kept(caplog: pytest.LogCaptureFixture):
    store = Slow()
    log, store.fails = log_of(store), 1
    log.touch("u", ["a", "a", "b"])
    log.touch("v", ["c"])
    await log.write()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "not now" in caplog.text
    assert store.counts == {}
    log.touch("u", ["b"])
    await log.write()
    assert store.counts == {"a": 2, "b": 2, "c": 1}
    assert store.calls == ["u", "v", "u"], "the other scope had its turn first"


async def test_a_caller_that_is_cancelled_loses_nothing():
    store = Slow()
    log = log_of(store)
    for fails in (0, 1):
        store.gate.clear()
        store.fails = fails
        log.touch("u", ["a"])
        writing = asyncio.ensure_future(log.write())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        log.touch("u", ["a"])
        asking = asyncio.ensure_future(log.of("u", ["a"]))
        await asyncio.sleep(0)
        assert not asking.done(), "what is under way is in no place yet"
        store.gate.set()
        await asking
        await log.write()
    assert store.counts == {"a": 4}


async def test_what_grows_large_is_written_by_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(access, "LARGE", 3)
    store = Slow()
    log, store.fails = log_of(store), 1
    log.touch("u", [])
    log.touch("u", ["a", "b"])
    log.touch("u", ["a"])
    await asyncio.sleep(0.01)
    assert store.calls == []
    log.touch("u", ["c"])
    log.touch("u", ["c"])
    await asyncio.sleep(0.01)
    assert store.calls == ["u"], "it failed, and is not asked with every recall"
    log.touch("u", ["d"])
    await asyncio.sleep(0.01)
    assert store.calls == ["u"]
    log.touch("u", ["e", "f"])
    await asyncio.sleep(0.01)
    assert store.counts == {"a": 2, "b": 1, "c": 2, "d": 1, "e": 1, "f": 1}


# --- side by side with those who write ---------------------------------------------------------------------------


async def test_who_remembers_does_not_wait_for_who_counts(postgres_url: str):
    """Nor the other way round: only an erasure waits, and is waited for."""
    connection = await asyncpg().connect(postgres_url)
    spelled = statements(POSTGRES)
    async with opened(postgres_url) as memory:
        await memory.remember("u", TALK)
        store = memory._store
        ids = await ids_of(memory)
        async with connection.transaction():
            assert await connection.fetch(spelled["share_scope"].replace(":scope", "$1"), "u")
            async with asyncio.timeout(5):
                await memory.remember("u", "meanwhile")
            forgetting = asyncio.ensure_future(memory.forget("u", ids=ids[:1]))
            await asyncio.sleep(0.2)
            assert not forgetting.done()
        assert await forgetting
        async with connection.transaction():
            await connection.execute("UPDATE scopes SET revision = revision + 1 WHERE scope = 'u'")
            async with asyncio.timeout(5):
                await store.touch("u", dict.fromkeys(ids, 1), NOW)
        assert (await store.accessed("u", ids)).keys() == set(ids[1:])
        async with connection.transaction():
            await connection.fetch(spelled["lock_scope"].replace(":scope", "$1"), "u")
            counting = asyncio.ensure_future(store.touch("u", {ids[1]: 1}, NOW))
            await asyncio.sleep(0.2)
            assert not counting.done()
        await counting
    await connection.close()
