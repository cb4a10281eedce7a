"""What a database does to a memory: writes that break off, schemas of older versions, ids of every length."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fabula import AsyncMemory, InvalidInput, Message, Passage, StoreUnavailable
from fabula.abc import Extraction, Reply
from fabula.stores import open_store, server, sqlite
from fabula.stores.driven import DrivenStore
from fabula.stores.statements import Do, Migration, migrations
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Entity, Event, Fact, Frame, Kind, Note

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


async def all_of_it(opened: AsyncMemory, talk: Sequence[Message]) -> None:
    await opened.remember("u", talk)
    flushed = await opened.flush()
    if flushed.errors:  # a background step that failed; nothing was waited for that a person would have to see
        raise Broken(*flushed.errors)
    await opened.forget("u", refs=[talk[-1].id or ""])


async def test_a_write_that_breaks_off_anywhere_leaves_nothing_by_half(db: str):
    """Case B101: the memory agrees with itself after every break, and doing it again gives each thing once."""
    at, broke = 0, True
    while broke:
        try:
            async with memory(breaking(open_store(db), at)) as opened:
                await all_of_it(opened, TALK)
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


TRIPS = [
    Message("Nora sailed from Porto to Faro with her blue boat", speaker="Nora", id="1", session="a"),
    Message("Nora lives in Porto", speaker="Nora", id="2", session="b"),
    Message("Nora sailed from Porto to Faro with her blue boat and Ivo", speaker="Nora", id="3", session="a"),
    Message("Nono lives in Faro", speaker="Nora", id="4", session="b"),
    Message("They call Nora by Nono", speaker="Ivo", id="5", session="c"),
]


def drawn(window: Sequence[Passage]) -> Extraction:
    """A frame a message, a fact for "X lives in Y", whoever is named, and a profile of one key."""
    found: dict[str, list[Any]] = {"frames": [], "facts": [], "entities": [], "notes": []}
    for p in window:
        given: dict[str, Any] = {"scope": "", "text": p.text, "sources": (p.id,)}
        events = (Event(participants=(p.speaker,), action=p.text),)
        found["frames"].append(Frame(id=f"f-{p.ref}", session=p.session, events=events, valid=p.valid, **given))
        who, _, where = p.text.partition(" lives in ")
        if where:
            found["facts"].append(Fact(id="", subject=who, predicate="lives in", object=where, **given))
            found["notes"].append(Note(id="n", namespace="profile", key="home", value=where, **given))
        names = ("Nora", "Nono") if "call" in p.text else (who,) if where else ()
        found["entities"] += [Entity(id="", **{**given, "text": names[0]}, aliases=names[1:])] if names else []
    return Extraction(**{name: tuple(records) for name, records in found.items()})


class Judge:
    """Makes each frame one with the candidate most like it."""

    async def chat(self, messages: Sequence[Mapping[str, str]], **_: Any) -> Reply:
        offered = re.findall(r"candidates: (\d+)", messages[1]["content"])
        return Reply(text=json.dumps([
            {"frame": n, "target_id": int(one), "coherence": "STRONG", "summary": None} for n, one in enumerate(offered)
        ]))  # fmt: skip


def reading(database: Any) -> AsyncMemory:
    """A memory that draws facts, entities and a profile as well, and fuses frames."""
    return AsyncMemory(
        database, embedder=HashEmbedder(256), extractor=FakeExtractor(drawn), llm=Judge(),
        clock=FakeClock("2024-06-01"), background=False,
    )  # fmt: skip


async def made(opened: AsyncMemory) -> set[tuple[str, str, str, int, tuple[str, ...]]]:
    """All that was made of the talk: what it is, what it says, whether it holds, how many messages say so, of whom."""
    kinds: tuple[Kind, ...] = ("frame", "fact", "entity", "note")
    records = [record for kind in kinds for record in await opened.records("u", kind, status=None)]
    return {(r.kind, r.text, r.status, len(r.sources), r.links.get("subject", ())) for r in records}


async def test_facts_and_frames_that_break_off_anywhere_are_made_once(db: str):
    """Case B101: linking, what ends what, two names that become one, fusion, and forgetting what made them one."""
    at, broke = 0, True
    async with reading(db) as opened:
        await opened.remember("u", TRIPS)
        assert (await opened.flush()).pending == 0
        whole = await made(opened)
        assert {status for *_, status, _, _ in whole} == {"live", "superseded"}
        assert any(sources == 2 for kind, _, _, sources, _ in whole if kind == "frame")
        await opened.forget("u", refs=["5"])
        assert (await opened.flush()).pending == 0
        left = await made(opened)
        assert len([kind for kind, *_ in left if kind == "entity"]) == 2
        await opened.forget("u", everything=True)
    while broke:
        try:
            async with reading(breaking(open_store(db), at)) as opened:
                await all_of_it(opened, TRIPS)
        except Broken:
            at += 1
        else:
            broke = False
        async with reading(db) as opened:
            assert await opened.check() == [], f"after a break at {at}"
            await opened.remember("u", TRIPS)
            assert (await opened.flush()).pending == 0
            assert await made(opened) == (whole if broke else left), f"after a break at {at}"
            assert await opened.check() == []
            await opened.forget("u", everything=True)
    assert at > 60, "it was broken at every statement"


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
