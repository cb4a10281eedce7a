"""What a database does to a memory: writes that break off, schemas of older versions, ids of every length."""

from pathlib import Path
from typing import Any

import pytest

from fabula import AsyncMemory, InvalidInput, Message, StoreUnavailable
from fabula.stores import open_store, server, sqlite
from fabula.stores.driven import DrivenStore
from fabula.stores.statements import Do, Migration, migrations
from fabula.testing import FakeClock, HashEmbedder

TALK = [
    Message("I moved to Porto in May", speaker="Alice", id="1", session="s"),
    Message("我喜欢喝茶", speaker="小王", id="2", session="s"),
]


def memory(database: Any) -> AsyncMemory:
    return AsyncMemory(database, embedder=HashEmbedder(), clock=FakeClock("2024-06-01"), background=False)


class Broken(Exception):
    """The power went out between two statements."""


def breaking(store: DrivenStore, at: int) -> DrivenStore:
    """Make `store` break off before its `at`-th statement that changes something."""
    target: Any = store
    execute, seen = target._execute, 0

    def due(wanted: Do) -> bool:
        nonlocal seen
        seen += target._sql_of(wanted.name)
        return seen == at + 1 and bool(target._sql_of(wanted.name))

    def changes(name: str) -> bool:
        sql = target._sql[name]
        return not (sql if isinstance(sql, str) else sql[0]).lstrip().startswith("SELECT")

    def now(connection: Any, wanted: Do) -> Any:
        if due(wanted):
            raise Broken
        return execute(connection, wanted)

    async def later(connection: Any, wanted: Do) -> Any:
        if due(wanted):
            raise Broken
        return await execute(connection, wanted)

    target._sql_of = changes
    target._execute = now if store.engine == "sqlite" else later
    return store


async def all_of_it(opened: AsyncMemory) -> None:
    await opened.remember("u", TALK)
    flushed = await opened.flush()
    if flushed.errors:  # a background step that failed; nothing was waited for that a person would have to see
        raise Broken(*flushed.errors)
    await opened.forget("u", refs=["2"])


async def test_a_write_that_breaks_off_anywhere_leaves_nothing_by_half(db: str):
    """Case B101: the memory agrees with itself after every break, and doing it again gives each thing once."""
    at, broke = 0, True
    while broke:
        try:
            async with memory(breaking(open_store(db), at)) as opened:
                await all_of_it(opened)
        except Broken:
            at += 1
        else:
            broke = False
        async with memory(db) as opened:
            assert await opened.check() == [], f"after a break at {at}"
            await opened.remember("u", TALK)
            assert (await opened.flush()).pending == 0
            passages: Any = await opened.records("u")
            frames: Any = await opened.records("u", "frame")
            assert len({p.ref for p in passages}) == len(passages) <= 2
            cited = [source for frame in frames for source in frame.sources]
            assert sorted(cited) == sorted(p.id for p in passages)
            assert await opened.check() == []
            await opened.forget("u", everything=True)
    assert at > 15, "it was broken at every statement"


# --- schemas -----------------------------------------------------------------------------------------------------


def grown(dialect: Any) -> tuple[Migration, ...]:
    """The schema's history with one more change, which is new to every database there is."""
    return (
        *migrations(dialect),
        Migration(
            migrations(dialect)[-1].number + 1,
            "later",
            "ALTER TABLE records ADD COLUMN later TEXT;\nCREATE TABLE newer (x TEXT);",
        ),
    )


async def test_a_database_of_the_version_before_is_upgraded_once(db: str, monkeypatch: pytest.MonkeyPatch):
    """Case B103."""
    async with memory(db) as opened:
        await opened.remember("u", TALK)
        await opened.flush()
    for module in (sqlite, server):
        monkeypatch.setattr(module, "migrations", grown)
    for applied in (("later",), (), ()):
        store = open_store(db)
        async with memory(store) as opened:
            assert (await opened.recall("u", "Porto")).hits[0].record.text == "I moved to Porto in May"
            assert store.applied == applied
            await opened.remember("u", "another one")
            assert await opened.check() == []


async def test_a_change_of_the_schema_that_fails_changes_nothing(db: str, monkeypatch: pytest.MonkeyPatch):
    async with memory(db) as opened:
        await opened.remember("u", TALK)
    bad = Migration(99, "bad", "CREATE TABLE newer (x TEXT);\nNONSENSE;")
    with monkeypatch.context() as patch:
        for module in (sqlite, server):
            patch.setattr(module, "migrations", lambda dialect: (*migrations(dialect), bad))
        with pytest.raises(StoreUnavailable):
            await memory(db).open()
    monkeypatch.setattr(sqlite, "migrations", grown)
    monkeypatch.setattr(server, "migrations", grown)
    async with memory(db) as opened:  # else the table were there already
        assert len(await opened.records("u")) == 2


# --- ids ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ["x", "é", "记", "😀"])
async def test_ids_of_the_greatest_length(db: str, letter: str):
    longest = letter * (512 // len(letter.encode()))
    said = [Message(f"message {n} about Porto", id=longest * 20 + str(n), session=longest) for n in range(3)]
    async with memory(db) as opened:
        await opened.remember(longest, said)
        assert (await opened.flush()).pending == 0
        assert (await opened.remember(longest, said)).duplicates
        assert len((await opened.recall(longest, "Porto")).passages) == 3
        assert await opened.check() == []
        with pytest.raises(InvalidInput, match="512 bytes"):
            await opened.remember(longest + letter, said)
        with pytest.raises(InvalidInput, match="512 bytes"):
            await opened.remember("u", Message("hello", session=longest + letter))
        assert await opened.scopes() == [longest]


async def test_a_file_is_no_server(tmp_path: Path):
    store = open_store(tmp_path / "memory.db")
    await store.open()
    assert (store.engine, await store.apart("u", "space")) == ("sqlite", False)
    await store.close()
