"""A user whose import was broken off: nobody sees the half of it, whenever that was, and doing it again mends it."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from neuro import Opening
from test_neuromemory_users import CALLS
from working import Working, receives

from fabula import FabulaError, InvalidInput, StoreUnavailable, Unfinished, transfer
from fabula.abc import Store
from neuromemory import NeuroMemory
from neuromemory.storage import LocalStorage

HALF = "an import or copy of 'ben' is under way or was broken off"
MAKES = {
    "add_memory", "add_memories", "conversations.add_message", "conversations.add_messages_batch", "kv.set",
    "conversations.extract", "kv.merge", "kv.batch_set", "graph.create_node", "graph.create_edge", "files.upload",
    "files.create_from_text",
}  # fmt: skip
"""What makes a user who is not there."""


@pytest.fixture
async def nm(opening: Opening, tmp_path: Path) -> NeuroMemory:
    return await opening(storage=LocalStorage(tmp_path / "files"))


async def exported(nm: NeuroMemory) -> dict[str, Any]:
    """A user who has left something wherever one can, under the names that `CALLS` ask for."""
    for word in ("x", "y"):
        await nm.conversations.add_message("ann", "user", f"{word}: I live in Porto", session_id="x")
    await nm.add_memory("ann", "x is green", memory_type="fact")
    await nm.flush()
    await nm.recall("ann", "x")
    await nm.kv.set("ann", "n", "k", {"a": 1})
    await nm.kv.set("ann", "profile", "occupation", "baker")
    await nm.graph.create_edge("ann", "User", "x", "OWNS", "Entity", "y")
    await nm.files.create_from_text("ann", "x.txt", "x marks the spot")
    await nm.conversations.add_message("ann", "user", "x: said last", session_id="x")
    return await nm.export_user_data("ann")


def store_of(nm: NeuroMemory) -> Store:
    return nm._memory._store  # pyright: ignore[reportPrivateUsage]


def broken_off(monkeypatch: pytest.MonkeyPatch, nm: NeuroMemory, place: int, *, after: bool) -> None:
    """Let who imports be cancelled before, or after, what it does with the database for the n-th time."""
    store, done = store_of(nm), 0

    def watched(name: str) -> None:
        real = getattr(store, name)

        async def call(*args: Any, **given: Any) -> Any:
            nonlocal done
            done += 1
            task, now = asyncio.current_task(), done == place
            assert task is not None
            if now and not after:
                task.cancel()
                await asyncio.sleep(0)
            found = await real(*args, **given)
            if now:
                task.cancel()
                await asyncio.sleep(0)
            return found

        monkeypatch.setattr(store, name, call)

    for name in ("receive", "page", "restore", "publish"):
        watched(name)


async def outcome(nm: NeuroMemory, name: str, user: str) -> str:
    try:
        return str(await CALLS[name](nm, user)).replace(user, "?")
    except Unfinished as error:
        return HALF if error.scope == user else repr(error)
    except FabulaError as error:
        return repr(error).replace(user, "?")


async def unseen(nm: NeuroMemory) -> None:
    """Ben's is as a user's who was never there, to whoever asks."""
    for name in CALLS.keys() - {"delete_user_data"}:
        if name in MAKES:
            assert await outcome(nm, name, "ben") == HALF, name
        else:
            assert await outcome(nm, name, "ben") == await outcome(nm, name, "eve"), name
    assert await nm.kv.get("ben", "profile", "occupation") is None
    (said,) = await nm._memory.check()  # pyright: ignore[reportPrivateUsage]
    assert said.startswith(HALF)


async def whole(nm: NeuroMemory, data: dict[str, Any]) -> None:
    again = await nm.export_user_data("ben")
    for table in ("records", "postings", "edges", "access"):  # more of them where the background has gone on already
        keys = [{row[next(iter(row))] for row in one["tables"][table]} for one in (data, again)]
        assert set() < keys[0] <= keys[1], table
    assert list(again["blobs"].values()) == list(data["blobs"].values())
    assert await nm._memory.check() == []  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_a_cancelled_import_is_seen_by_nobody(nm: NeuroMemory, monkeypatch: pytest.MonkeyPatch, after: bool):
    monkeypatch.setattr(transfer, "PAGE", 4)
    data, halves, place = await exported(nm), 0, 0
    while True:
        place += 1
        with monkeypatch.context() as patch:
            broken_off(patch, nm, place, after=after)
            with suppress(asyncio.CancelledError):
                await asyncio.create_task(nm.import_user_data(data, "ben"))
        scopes, leases = await store_of(nm).scopes(), await store_of(nm).leases()
        if "ben" in scopes:
            break
        if any(lease.scope == "ben" for lease in leases):
            halves += 1
            if halves % 8 == 3:  # to ask everything takes a while
                await unseen(nm)
            else:
                assert (await nm.stats("ben"))["total_memories"] == 0
                assert await nm.files.list("ben") == []
        if place % 3 == 0:
            await nm.delete_user_data("ben")
            assert await nm._memory.check() == []  # pyright: ignore[reportPrivateUsage]
    assert halves > 10
    await whole(nm, data)


async def test_what_was_broken_off_is_done_again_or_deleted(nm: NeuroMemory, monkeypatch: pytest.MonkeyPatch):
    data = await exported(nm)
    for mend in ("import", "delete"):
        with monkeypatch.context() as patch:
            broken_off(patch, nm, 5, after=True)
            with pytest.raises(asyncio.CancelledError):
                await asyncio.create_task(nm.import_user_data(data, "ben"))
        with pytest.raises(Unfinished, match=HALF):
            await nm.kv.set("ben", "n", "k", 2)
        if mend == "delete":
            assert (await nm.delete_user_data("ben"))["total"] > 0
            await nm.kv.set("ben", "n", "k", 2)
            with pytest.raises(InvalidInput, match="'ben' is there already, with other contents"):
                await nm.import_user_data(data, "ben")
            value = await nm.kv.get("ben", "n", "k")
            assert value is not None
            assert value.value == 2, "who is there loses nothing"
            await nm.delete_user_data("ben")
        assert not (await nm.import_user_data(data, "ben"))["already_present"]
        await whole(nm, data)
        await nm.delete_user_data("ben")


async def test_a_killed_import_is_seen_by_nobody(db: str, opening: Opening, tmp_path: Path):
    folder = tmp_path / "files"
    nm = await opening(storage=LocalStorage(folder))
    data = await exported(nm)
    for pages in (1, 9):
        process = Working(receives, db, str(folder), str(pages))
        process.told()
        process.kill()
        await unseen(nm)
    await nm.import_user_data(data, "ben")
    await whole(nm, data)


async def test_of_imports_at_once_one_arrives_and_the_others_are_told(nm: NeuroMemory):
    data = await exported(nm)
    done = await asyncio.gather(*(nm.import_user_data(data, "ben") for _ in range(5)), return_exceptions=True)
    failed = [one for one in done if isinstance(one, BaseException)]
    assert len(failed) < 5
    for error in failed:
        assert isinstance(error, StoreUnavailable)
        assert "'ben'" in str(error)
        assert not {"scope", "fabula"} & set(str(error).split())
    await whole(nm, data)
