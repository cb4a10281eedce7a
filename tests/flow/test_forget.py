"""Forgetting: nothing of it is left, in no table, no file and no memory that is hot, and it does not come back."""

import asyncio
import importlib
import random
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from engines import sql

from fabula import AsyncMemory, Image, InvalidInput, Message, Passage, Plan, Settings, StoreUnavailable, background
from fabula.abc import Extraction
from fabula.stores import sqlite
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Entity, Fact, Frame, Note

CANARY = "Quetzalcoatlus"
"""A word said in one message and nowhere else."""


# What is refused before the database is asked is refused alike whichever it is.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def everything(window: Sequence[Passage]) -> Extraction:
    """One record of each kind of each message, and a frame and a fact of the whole window."""
    said = [(passage, passage.text.split()[0]) for passage in window]
    return Extraction(
        frames=(
            *(Frame(scope="", id=f"frame-{p.ref}", text=f"{p.text} happened", sources=(p.id,)) for p, _ in said),
            Frame(
                scope="",
                id=f"all-{window[0].ref}",
                text="; ".join(p.text for p in window),
                sources=tuple(p.id for p in window),
            ),
        ),
        facts=(
            *(
                Fact(scope="", id=f"fact-{p.ref}", text=f"{word} holds", subject=word, sources=(p.id,))
                for p, word in said
            ),
            Fact(scope="", id="shared", text="they talk", sources=tuple(p.id for p in window)),
        ),
        entities=tuple(Entity(scope="", id=f"entity-{word}", text=word, sources=(p.id,)) for p, word in said),
        notes=tuple(
            Note(
                scope="", id=f"note-{p.ref}", text=p.text, namespace="n", key=str(p.ref), value=p.text, sources=(p.id,)
            )
            for p, _ in said
        ),
    )


MESSAGES = [
    Message("tea in the morning", id="1", session="a"),
    Message(
        f"{CANARY} over the sea",
        id="2",
        session="b",
        speaker=f"Dr {CANARY}",
        images=(Image(caption=f"a {CANARY}", name=f"{CANARY}.png"),),
        meta={CANARY: CANARY},
    ),
    Message("music at night", id="3", session="b"),
    Message("a walk", id="4", session="a"),
]


@pytest.fixture
async def memory(db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    extractor = FakeExtractor(everything)
    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=extractor, clock=clock) as opened:
        await opened.remember("u", MESSAGES)
        await opened.remember("other", "tea elsewhere")
        await opened.flush()
        yield opened


def on_disk(file: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(Path(file).parent.glob(f"{Path(file).name}*")))


async def tables(db: str) -> dict[str, bytes]:
    """Every row of every table, in text and in bytes as it stands there."""
    if "://" not in db:
        with closing(sqlite3.connect(db)) as file:
            names = [row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: str(file.execute(f"SELECT * FROM {name}").fetchall()).encode() for name in names}
    found: dict[str, bytes] = {}
    connection: Any = await importlib.import_module("asyncpg").connect(db)  # its types are incomplete
    try:
        for (name,) in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
            rows = BytesIO()
            await connection.copy_from_table(name, output=rows, format="binary")
            found[name] = rows.getvalue()
    finally:
        await connection.close()
    return found


async def tables_with(db: str, word: str) -> set[str]:
    return {name for name, rows in (await tables(db)).items() if word.encode() in rows}


async def told_and_forgotten(memory: AsyncMemory, seed: int) -> list[str]:
    """Tell two scopes forty messages of all lengths and forget thirty, in any order; return what was in these."""
    chance = random.Random(seed)
    told: list[tuple[str, str]] = []
    for number in range(40):
        scope, word = chance.choice(["u", "v"]), f"{CANARY}{number:03d}"
        told.append((scope, word))
        await memory.remember(scope, Message("Bob met Rosa " * chance.randint(1, 25) + word, id=word))
        if number % 4 == 3:
            await memory.flush()
    gone = chance.sample(told, 30)
    for scope, word in gone:
        await memory.forget(scope, refs=[word])
    return [word for _, word in gone]


async def ids_of(memory: AsyncMemory, kind: Any, scope: str = "u") -> set[str]:
    return {record.id for record in await memory.records(scope, kind)}


WAYS = ["ids", "refs", "session", "everything"]


async def forgotten(memory: AsyncMemory, way: str) -> Any:
    """Forget the message with the canary, in one of the ways."""
    if way == "ids":
        canary = next(p for p in await memory.records("u") if CANARY in p.text)
        return await memory.forget("u", ids=[canary.id])
    if way == "refs":
        return await memory.forget("u", refs=["2"])
    if way == "session":
        return await memory.forget("u", session="b")
    return await memory.forget("u", everything=True)


class TestNothingIsLeft:
    @pytest.mark.parametrize("way", WAYS)
    async def test_in_no_table(self, memory: AsyncMemory, db: str, way: str):
        assert "records" in await tables_with(db, CANARY)
        assert await forgotten(memory, way)
        assert await tables_with(db, CANARY) == set()
        await memory.flush()
        await memory.close()
        assert await tables_with(db, CANARY) == set()

    @sqlite_alone
    @pytest.mark.parametrize("way", WAYS)
    async def test_in_no_byte_of_the_file(self, memory: AsyncMemory, db: str, way: str):
        assert CANARY.encode() in on_disk(db)
        assert await forgotten(memory, way)
        assert CANARY.encode() not in on_disk(db)
        await memory.flush()
        await memory.close()
        assert CANARY.encode() not in on_disk(db)

    @pytest.mark.parametrize("way", WAYS)
    async def test_not_while_it_waits_for_extraction(self, db: str, clock: FakeClock, way: str):
        async with AsyncMemory(db, embedder=None, clock=clock, settings=Settings(drain=0)) as memory:
            await memory.remember("u", MESSAGES)
            assert await forgotten(memory, way)
            assert await tables_with(db, CANARY) == set()
            assert await memory.check() == []

    @sqlite_alone
    @pytest.mark.parametrize("way", WAYS)
    async def test_in_no_byte_of_the_file_while_it_waits(self, db: str, clock: FakeClock, way: str):
        async with AsyncMemory(db, embedder=None, clock=clock, settings=Settings(drain=0)) as memory:
            await memory.remember("u", MESSAGES)
            assert await forgotten(memory, way)
            assert CANARY.encode() not in on_disk(db)

    @sqlite_alone
    async def test_although_somebody_was_reading_meanwhile(self, db: str, clock: FakeClock):
        """A reader keeps the log from being emptied; that is made up for as soon as it has gone."""
        settings = Settings(busy=0.05)
        async with AsyncMemory(db, embedder=None, clock=clock, settings=settings, background=False) as memory:
            await memory.remember("u", MESSAGES)
            with closing(sqlite3.connect(db, isolation_level=None)) as reader:
                reader.execute("BEGIN")
                reader.execute("SELECT * FROM records").fetchall()
                assert await memory.forget("u", refs=["2"])
                reader.execute("ROLLBACK")
            await memory.remember("u", "something new")
            assert CANARY.encode() not in on_disk(db)

    @pytest.mark.parametrize("way", WAYS)
    async def test_in_no_answer(self, memory: AsyncMemory, way: str):
        plan = Plan(kinds=("passage", "frame", "fact", "entity", "note"))
        assert CANARY in repr(await memory.recall("u", CANARY, plan))
        await forgotten(memory, way)
        found = await memory.recall("u", CANARY, plan, explain=True)
        assert CANARY not in repr(found.hits)
        assert found.trace is None or found.trace.speakers == ()
        for kind in plan.kinds:
            assert not await memory.records("u", kind, mentions=CANARY)
        assert await memory.check() == []

    async def test_the_error_of_a_failed_attempt_goes_too(self, db: str, clock: FakeClock):
        """What a model says about a text may quote it."""
        embedder = HashEmbedder(fail=RuntimeError(f"cannot read {CANARY}"))
        async with AsyncMemory(db, embedder=embedder, clock=clock, settings=Settings(drain=0)) as memory:
            await memory.remember("u", MESSAGES)
            await memory.flush()
            assert await tables_with(db, CANARY) >= {"pending", "records"}
            await memory.forget("u", refs=["2"])
            assert "records" not in await tables_with(db, CANARY)


def left_in(db: str, words: Sequence[str]) -> list[str]:
    raw = on_disk(db)
    return [word for word in words if word.encode() in raw]


def is_marked(db: str) -> bool:
    """Whether the file says that something is to be overwritten still."""
    return sql(db, "PRAGMA user_version") != [(0,)]


@sqlite_alone
class TestUnusedPlaces:
    """Where SQLite moves a row to another page it leaves a copy, which it no longer knows when the row goes."""

    @pytest.fixture
    async def quiet(self, db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
        options: dict[str, Any] = {"clock": clock, "settings": Settings(busy=0.05)}
        async with AsyncMemory(db, embedder=None, background=False, **options) as opened:
            yield opened

    # With these a copy stays behind; with most it does not.
    @pytest.mark.parametrize("seed", [0, 6])
    async def test_after_closing(self, quiet: AsyncMemory, db: str, seed: int):
        gone = await told_and_forgotten(quiet, seed)
        if not left_in(db, gone):
            pytest.skip(f"SQLite {sqlite3.sqlite_version} leaves nothing behind here")
        await quiet.close()
        assert left_in(db, gone) == []
        assert len(sql(db, "SELECT * FROM records WHERE kind = 'passage'")) == 10
        assert sql(db, "PRAGMA integrity_check") == [("ok",)]

    async def test_after_upkeep_however_large_it_is(
        self, quiet: AsyncMemory, db: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(sqlite, "SCRUBBED_BY_ITSELF", 4096)
        gone = await told_and_forgotten(quiet, 0)
        await quiet.close()
        assert is_marked(db), "closing would take long"
        async with AsyncMemory(db, embedder=None, background=False, clock=clock) as later:
            await later.upkeep("u")
            assert left_in(db, gone) == []
            assert await later.check() == []

    async def test_in_the_background(
        self, quiet: AsyncMemory, db: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
    ):
        """Also what another process forgot, which was killed perhaps."""
        gone = await told_and_forgotten(quiet, 0)
        monkeypatch.setattr(background, "POLL", 0.02)
        monkeypatch.setattr(background, "SCRUB", 0.0)
        async with asyncio.timeout(10), AsyncMemory(db, embedder=None, clock=clock):
            while is_marked(db):  # noqa: ASYNC110 (somebody else's event)
                await asyncio.sleep(0.02)
            assert left_in(db, gone) == []

    async def test_once_nobody_reads_an_older_state(self, quiet: AsyncMemory, db: str, clock: FakeClock):
        gone = await told_and_forgotten(quiet, 0)
        with closing(sqlite3.connect(db, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM records").fetchall()
            await quiet.remember("u", "something new")
            with pytest.raises(StoreUnavailable, match="in use all the while"):
                await quiet.upkeep()
            await quiet.close()
            assert is_marked(db)
        async with AsyncMemory(db, embedder=None, background=False, clock=clock) as later:
            await later.recall("u", "Bob")
        assert left_in(db, gone) == []

    async def test_once_nobody_writes(self, quiet: AsyncMemory, db: str, clock: FakeClock):
        gone = await told_and_forgotten(quiet, 0)
        with closing(sqlite3.connect(db, isolation_level=None)) as writer:
            writer.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="in use"):
                await quiet.upkeep()
            await quiet.close()
        assert is_marked(db)
        async with AsyncMemory(db, embedder=None, background=False, clock=clock):
            pass
        assert left_in(db, gone) == []

    async def test_what_another_process_forgets_meanwhile_is_not_missed(
        self, quiet: AsyncMemory, db: str, monkeypatch: pytest.MonkeyPatch
    ):
        await told_and_forgotten(quiet, 0)
        cut, marks = sqlite.SQLiteStore._cut_log, iter(["", "PRAGMA user_version = 5"])

        def and_forget(store: sqlite.SQLiteStore, connection: sqlite3.Connection) -> None:
            cut(store, connection)
            sql(db, next(marks))

        with monkeypatch.context() as patch:
            patch.setattr(sqlite.SQLiteStore, "_cut_log", and_forget)
            await quiet.upkeep()
        assert is_marked(db)
        await quiet.upkeep()
        assert not is_marked(db)


class TestDerived:
    async def test_what_was_made_from_it_alone_goes_with_it(self, memory: AsyncMemory):
        await memory.forget("u", refs=["2"])
        assert await ids_of(memory, "frame") == {"frame-1", "frame-3", "frame-4", "all-1"}
        assert await ids_of(memory, "fact") == {"fact-1", "fact-3", "fact-4", "shared"}
        (shared,) = [record for record in await memory.records("u", "fact") if record.id == "shared"]
        assert {p.id for p in await memory.records("u")} == set(shared.sources), "worded by the session before it"
        assert await ids_of(memory, "entity") == {"entity-tea", "entity-music", "entity-a"}
        assert {n.key for n in await memory.records("u", "note") if isinstance(n, Note)} == {"1", "3", "4"}

    async def test_a_frame_of_several_is_made_again_from_the_others(self, memory: AsyncMemory):
        await memory.forget("u", refs=["2"])
        assert (await memory.stats("u")).pending == {"extract": 1}
        await memory.flush()
        (again,) = [record for record in await memory.records("u", "frame") if record.id == "all-3"]
        assert again.text == "music at night"
        assert await memory.check() == []

    async def test_a_fact_of_several_is_told_again_by_the_others(self, memory: AsyncMemory):
        await memory.forget("u", refs=["1"])
        assert "shared" not in await ids_of(memory, "fact")
        await memory.flush()
        left = {p.id for p in await memory.records("u")}
        (shared,) = [record for record in await memory.records("u", "fact") if record.id == "shared"]
        assert set(shared.sources) == left
        assert await memory.check() == []

    async def test_a_derived_record_alone(self, memory: AsyncMemory):
        receipt = await memory.forget("u", ids=["fact-1"])
        assert receipt.rows["records"] == 1
        assert "fact-1" not in await ids_of(memory, "fact")
        assert len(await memory.records("u")) == 4
        assert await memory.check() == []

    @pytest.mark.parametrize("way", WAYS)
    async def test_the_embeddings_that_were_kept_for_later(self, memory: AsyncMemory, db: str, way: str):
        """Their hashes would tell whether a text was once said."""
        assert {row[0] for row in sql(db, "SELECT scope FROM embeddings")} == {"other", "u"}
        await forgotten(memory, way)
        assert {row[0] for row in sql(db, "SELECT scope FROM embeddings")} == {"other"}

    async def test_the_vectors(self, memory: AsyncMemory):
        await memory.forget("u", refs=["2"])
        found = await memory.recall("u", f"{CANARY} over the sea", Plan(channels=("dense",), limit=1000))
        assert {p.ref for p in found.passages} <= {"1", "3", "4"}


class TestReceipt:
    async def test_says_what_went(self, memory: AsyncMemory):
        receipt = await memory.forget("u", refs=["2"])
        assert receipt
        wanted = {"passage": 1, "frame": 2, "fact": 1, "entity": 1, "note": 1}
        assert receipt.rows["records"] == sum(wanted.values())
        assert receipt.rows["vectors"] == sum(wanted.values()) - wanted["note"], "all but notes are found by meaning"
        assert receipt.rows["pending"] == 0
        assert all(count >= 0 for count in receipt.rows.values())

    async def test_of_everything_counts_by_table(self, memory: AsyncMemory):
        before = await memory.stats("u")
        receipt = await memory.forget("u", everything=True)
        kinds = ("passage", "frame", "fact", "entity", "note")
        earlier = 1  # what "shared" was before the other session told it again, which nobody embedded
        live = sum(before.records[kind] for kind in kinds)
        assert receipt.rows["records"] == live + earlier
        assert (receipt.rows["vectors"], receipt.rows["scopes"]) == (live - before.records["note"], 1)
        assert await memory.scopes() == ["other"]

    @pytest.mark.parametrize(
        "what", [{"ids": ["nobody"]}, {"refs": ["none"]}, {"session": "never"}, {"ids": ["x"], "refs": ["y"]}], ids=str
    )
    async def test_of_nothing_is_empty(self, memory: AsyncMemory, what: dict[str, Any]):
        before = await memory.stats("u")
        assert not await memory.forget("u", **what)
        assert (await memory.stats("u")).records == before.records
        assert not await memory.forget("stranger", everything=True)
        assert await memory.scopes() == ["other", "u"]

    async def test_twice_is_once(self, memory: AsyncMemory):
        assert await memory.forget("u", refs=["2"])
        assert not await memory.forget("u", refs=["2"])
        assert not await memory.forget("u", refs=["2", "2"])

    @sqlite_alone
    @pytest.mark.parametrize(
        "what",
        [
            {}, {"ids": []}, {"refs": ()}, {"session": ""}, {"session": " "}, {"ids": [""]}, {"refs": [None]},
            {"ids": "abc"}, {"refs": "abc"}, {"ids": [5]}, {"everything": True, "ids": ["x"]},
            {"everything": True, "session": "a"},
        ],
        ids=str,
    )  # fmt: skip
    async def test_it_has_to_be_said_what(self, memory: AsyncMemory, what: dict[str, Any]):
        before = await memory.stats()
        with pytest.raises(InvalidInput):
            await memory.forget("u", **what)
        assert (await memory.stats()).records == before.records

    @sqlite_alone
    @pytest.mark.parametrize("everything", ["false", "yes"])
    async def test_a_word_is_no_decision(self, memory: AsyncMemory, everything: Any):
        """`everything="false"`, as a form may send it, must not wipe a scope."""
        before = await memory.stats()
        with pytest.raises(InvalidInput):
            await memory.forget("u", everything=everything)
        assert (await memory.stats()).records == before.records


class TestNotComingBack:
    @pytest.mark.parametrize("way", ["ids", "refs", "session"])
    async def test_by_an_import_again(self, memory: AsyncMemory, way: str):
        await forgotten(memory, way)
        again = await memory.remember("u", MESSAGES)
        assert "2" in again.erased
        await memory.flush()
        assert not await memory.records("u", mentions=CANARY)

    async def test_after_reopening(self, db: str, memory: AsyncMemory, clock: FakeClock):
        await memory.forget("u", refs=["2"])
        await memory.close()
        async with AsyncMemory(db, embedder=None, clock=clock) as again:
            assert (await again.remember("u", MESSAGES)).erased == ("2",)

    async def test_unless_all_was_forgotten(self, memory: AsyncMemory):
        await memory.forget("u", refs=["2"])
        await memory.forget("u", everything=True)
        assert (await memory.remember("u", MESSAGES)).added == 4
        await memory.flush()
        assert (await memory.recall("u", CANARY)).passages[0].ref == "2"
        assert await memory.check() == []

    async def test_through_work_that_was_under_way(self, db: str, clock: FakeClock):
        """A message is forgotten while an extractor is at it."""
        memory: AsyncMemory

        class Slow(FakeExtractor):
            async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
                if any(p.ref == "2" for p in window):
                    await memory.forget("u", refs=["2"])
                return await super().extract(window, context)

        memory = AsyncMemory(db, embedder=HashEmbedder(), extractor=Slow(everything), clock=clock)
        async with memory:
            await memory.remember("u", MESSAGES)
            flushed = await memory.flush()
            assert (flushed.pending, flushed.failed) == (0, 0), "what is left can be done, so it is done"
            assert await tables_with(db, CANARY) == set()
            assert await memory.check() == []
            assert {"frame-1", "frame-3", "frame-4"} <= await ids_of(memory, "frame")


class TestOtherMemories:
    @pytest.mark.parametrize("way", WAYS)
    async def test_a_hot_one_elsewhere_stops_at_once(self, memory: AsyncMemory, db: str, clock: FakeClock, way: str):
        async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as other:
            assert (await other.recall("u", CANARY)).passages[0].ref == "2"
            await forgotten(memory, way)
            assert CANARY not in repr((await other.recall("u", CANARY)).hits)
            await memory.remember("u", Message("fresh talk", id="9"))
            assert "9" in {p.ref for p in (await other.recall("u", "fresh talk")).passages}
            assert CANARY not in repr((await other.recall("u", CANARY)).hits)

    @pytest.mark.parametrize("way", WAYS)
    async def test_a_hot_one_elsewhere_ranks_as_a_fresh_one(
        self, memory: AsyncMemory, db: str, clock: FakeClock, way: str
    ):
        """What is forgotten also leaves the statistics by which the rest is ranked."""
        options: dict[str, Any] = {"embedder": HashEmbedder(), "clock": clock, "background": False}
        plan = Plan(kinds=("passage",))
        async with AsyncMemory(db, **options) as other:
            await other.recall("u", "tea over the sea at night")
            await forgotten(memory, way)
            warm = await other.recall("u", "tea over the sea at night", plan)
        async with AsyncMemory(db, settings=Settings(hot_bytes=0), **options) as fresh:
            cold = await fresh.recall("u", "tea over the sea at night", plan)
        assert [(hit.record.id, hit.score) for hit in warm.hits] == [
            (hit.record.id, pytest.approx(hit.score)) for hit in cold.hits
        ]
        assert len(warm.hits) == {"session": 2, "everything": 0}.get(way, 3)

    async def test_another_scope_stays(self, memory: AsyncMemory):
        await memory.forget("u", everything=True)
        assert [p.text for p in (await memory.recall("other", "tea")).passages] == ["tea elsewhere"]

    async def test_reading_beside_it_never_fails(self, memory: AsyncMemory):
        async def read() -> None:
            for _ in range(10):
                await memory.recall("u", f"{CANARY} tea music")
                await memory.records("u", "frame")

        await asyncio.gather(read(), read(), *(memory.forget("u", refs=[ref]) for ref in "1234"))
        assert await memory.records("u") == []
        assert await memory.check() == []
