"""Many changes of one scope at once: they take turns in a process, so that hardly any is made twice."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from fabula import AsyncMemory, Fact, FolderBlobs
from fabula.abc import Store
from fabula.attempts import Attempts, _turns  # pyright: ignore[reportPrivateUsage]
from fabula.testing import HashEmbedder

MANY = 40
Change = Callable[[AsyncMemory, str, int], Awaitable[Any]]
CHANGES: dict[str, Change] = {
    "one key": lambda memory, _, n: memory.kv.merge("u", "n", "k", {str(n): n}),
    "a key each": lambda memory, _, n: memory.kv.merge("u", "n", str(n), [n]),
    "deleted": lambda memory, _, n: memory.kv.delete("u", "set", str(n)),
    "a record": lambda memory, record, n: memory.revise("u", record, meta=lambda meta: {**meta, str(n): n}),
    "an edge": lambda memory, _, n: memory.graph.add_edge("u", "me", "KNOWS", f"friend {n}"),
    "a file": lambda memory, _, n: memory.files.upload("u", f"{n}.txt", f"file {n}".encode()),
}


@pytest.fixture
async def memory(db: str, tmp_path: Any) -> AsyncIterator[AsyncMemory]:
    async with opened(db, tmp_path) as memory:
        yield memory


def opened(db: str, folder: Any) -> AsyncMemory:
    return AsyncMemory(db, embedder=HashEmbedder(), blobs=FolderBlobs(folder / "files"), background=False)


def store_of(memory: AsyncMemory) -> Store:
    return memory._store  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("kind", CHANGES)
async def test_in_one_process_each_change_is_written_once(memory: AsyncMemory, kind: str):
    for n in range(MANY):
        await memory.kv.set("u", "set", str(n), n)
    (record,) = await memory.add("u", [Fact(id="", scope="u", text="Ann is a baker")])
    store: Any = store_of(memory)
    write, tried = store.write, 0

    async def counted(*args: Any, **given: Any) -> Any:
        nonlocal tried
        tried += 1
        return await write(*args, **given)

    store.write = counted
    await asyncio.gather(*(CHANGES[kind](memory, record, n) for n in range(MANY)))
    assert tried == MANY
    if kind == "one key":
        note = await memory.kv.get("u", "n", "k")
        assert note is not None
        assert note.value == {str(n): n for n in range(MANY)}


async def test_of_two_memories_neither_loses_what_the_other_writes(db: str, memory: AsyncMemory, tmp_path: Any):
    async with opened(db, tmp_path) as other:
        both = [(memory, other)[n % 2].kv.merge("u", "n", "k", {str(n): n}) for n in range(MANY)]
        await asyncio.gather(*both)
    note = await memory.kv.get("u", "n", "k")
    assert note is not None
    assert note.value == {str(n): n for n in range(MANY)}


async def test_who_waits_and_is_cancelled_blocks_nobody(memory: AsyncMemory):
    tasks = [asyncio.create_task(memory.kv.merge("u", "n", "k", {str(n): n})) for n in range(MANY)]
    await tasks[0]
    cancelled = range(2, MANY, 2)
    for n in cancelled:
        tasks[n].cancel()
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert {n for n, one in enumerate(done) if isinstance(one, BaseException)} == set(cancelled)
    note = await memory.kv.get("u", "n", "k")
    assert note is not None
    # One that was cancelled while it wrote has written.
    assert {str(n) for n in range(MANY) if n not in cancelled} <= set(note.value)


async def test_each_of_them_can_be_cancelled_at_any_time(memory: AsyncMemory):
    for steps in range(12):
        tasks = [asyncio.create_task(memory.kv.merge("u", "n", str(steps), {str(n): n})) for n in range(4)]
        for _ in range(steps):
            await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[2].cancel()
        async with asyncio.timeout(20):
            await asyncio.gather(*tasks, return_exceptions=True)
        note = await memory.kv.get("u", "n", str(steps))
        assert note is not None
        assert {"1", "3"} <= set(note.value)


async def test_one_that_fails_lets_the_next_one_go_on(memory: AsyncMemory):
    await memory.kv.set("u", "n", "k", [])
    changes = [memory.kv.merge("u", "n", "k", [n] if n % 2 else {"n": n}) for n in range(MANY)]
    done = await asyncio.gather(*changes, return_exceptions=True)
    assert [isinstance(one, ValueError) for one in done] == [n % 2 == 0 for n in range(MANY)]
    note = await memory.kv.get("u", "n", "k")
    assert note is not None
    assert sorted(note.value) == list(range(1, MANY, 2))


async def test_scopes_do_not_wait_for_each_other_and_leave_nothing(memory: AsyncMemory):
    store = store_of(memory)
    async with Attempts(store, "u"):
        async with asyncio.timeout(20):
            await memory.kv.merge("v", "n", "k", [1])
        assert [scope for _, _, scope in _turns] == ["u"]
        waiting = asyncio.create_task(memory.kv.merge("u", "n", "k", [1]))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not waiting.done()
    await waiting
    del waiting
    gc.collect()
    assert not _turns


def test_a_turn_is_of_the_loop_it_is_waited_for_in():
    store: Any = object()
    held: list[Attempts] = []

    async def waited(*, left: bool) -> None:
        first = Attempts(store, "u")
        await first.__aenter__()
        second = asyncio.create_task(Attempts(store, "u").__aenter__())
        await asyncio.sleep(0)
        assert not second.done()
        if left:  # as by a program that ends in the middle
            held.append(first)
            second.cancel()
            return
        await first.__aexit__(None, None, None)
        await second

    asyncio.run(waited(left=True))
    asyncio.run(waited(left=False))
