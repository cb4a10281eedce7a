"""Field reports of memories that went wrong, one test each: the id in brackets names the report.

What another file tests in full is tested here in the report's own words. What a language model has a part in stands in
test_cases_llm.py, what its host does in test_cases_hosts.py, what becomes of facts and frames in test_cases_derived.py.
"""

import asyncio
import importlib
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from reports import case

from fabula import (
    AsyncMemory,
    Interval,
    InvalidInput,
    Memory,
    Message,
    Passage,
    Plan,
    Recollection,
    SchemaTooNew,
    Settings,
    StoreUnavailable,
)
from fabula.abc import Extraction, Role, Vectors
from fabula.question import window
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Frame

SPARSE = Plan(channels=("sparse",), kinds=("passage",))
WAYS = {
    "linear": Plan(),
    "rrf": Plan(fusion="rrf"),
    "dense": Plan(channels=("dense",)),
    "sparse": Plan(channels=("sparse",)),
    "context": Plan(channels=("context",)),
    "graph": Plan(channels=("graph",)),
    "keys": Plan(channels=("facts", "frames", "graph"), expand=5),
    "passages": Plan(kinds=("passage",)),
    "everything": Plan(kinds=("passage", "frame", "fact", "entity", "insight", "note")),
}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2024-05-01T12:00:00Z")


@pytest.fixture
async def memory(db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


@pytest.fixture
async def words(db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    """A memory that knows keywords only."""
    async with AsyncMemory(db, embedder=None, clock=clock) as opened:
        yield opened


def texts(found: Recollection) -> list[str]:
    return [passage.text for passage in found.passages]


async def passages(memory: AsyncMemory, scope: str = "u") -> list[Passage]:
    return [record for record in await memory.records(scope) if isinstance(record, Passage)]


# --- text ---------------------------------------------------------------------------------------------------------


@case("B015")
async def test_a_text_full_of_templates(memory: AsyncMemory, report: str):
    text = '{user_id} and {"a": {0}} 100%s $x'
    await memory.remember("u", Message(text, speaker="{0}", session="%s", meta={"{x}": "{y}"}))
    assert [(p.text, p.speaker, p.session) for p in await passages(memory)] == [(text, "{0}", "%s")]
    await memory.flush()
    assert text in (await memory.recall("u", "user_id {0} %s")).render()


QUERIES = [
    "kite-surf",
    "2031-04-02",
    "C++",
    "don't",
    '"',
    "(a",
    "a AND",
    "col:x",
    "*",
    "50%",
    "@nora",
    "",
    "NEAR(a b)",
    "'",
]


@case("B037")
@pytest.mark.parametrize("query", QUERIES)
async def test_a_query_is_plain_text(words: AsyncMemory, report: str, query: str):
    kept = ["kite-surf on 2031-04-02", "C++ and C# notes", "don't forget O'Neil"]
    await words.remember("u", [Message(text, session=str(n)) for n, text in enumerate(kept)])
    found = texts(await words.recall("u", query, SPARSE))
    wanted = {"kite-surf": kept[0], "2031-04-02": kept[0], "C++": kept[1], "don't": kept[2]}
    if query in wanted:
        assert found[:1] == [wanted[query]]
    if not query:
        assert found == []


@case("B040")
@pytest.mark.parametrize("query", ["潜水", "杭州", "在杭州学什么？"])
async def test_a_chinese_clause_is_found_by_a_word_of_it(words: AsyncMemory, report: str, query: str):
    await words.remember("u", ["我在杭州学潜水", Message("今天下雨", session="b")])
    assert texts(await words.recall("u", query, SPARSE))[0] == "我在杭州学潜水"


@case("B042")
async def test_a_word_in_half_of_two_memories(words: AsyncMemory, report: str):
    await words.remember("two", ["jasmine tea", "coffee"])
    await words.remember("one", "jasmine tea")
    for scope in ("two", "one"):
        hits = (await words.recall(scope, "jasmine", SPARSE)).hits
        assert hits[0].record.text == "jasmine tea"
        assert hits[0].score > 0


@case("B043")
@pytest.mark.parametrize("way", WAYS)
async def test_nothing_to_find_anything_in(memory: AsyncMemory, report: str, way: str):
    assert not await memory.recall("u", "anything", WAYS[way])
    await memory.remember("u", ["!!!", "😀"])
    assert isinstance(await memory.recall("u", "anything", WAYS[way]), Recollection)
    await memory.flush()
    assert isinstance(await memory.recall("u", "anything", WAYS[way]), Recollection)
    assert isinstance(await memory.recall("u", "!!!", WAYS[way], explain=True), Recollection)
    await memory.forget("u", everything=True)
    assert not await memory.recall("u", "anything", WAYS[way])


@case("B076")
async def test_a_nul_byte(memory: AsyncMemory, report: str):
    await memory.remember("u", ["first", "ab\0cd", Message("x\0y", speaker="a\0nn", meta={"k\0": "v\0"}), "last"])
    kept = await passages(memory)
    assert [p.text for p in kept] == ["first", "abcd", "xy", "last"]
    assert (kept[2].speaker, dict(kept[2].meta)) == ("ann", {"k": "v"})
    assert texts(await memory.recall("u", "ab\0cd"))[0] == "abcd"
    assert (await memory.flush()).errors == ()


@case("B077")
async def test_half_a_character(memory: AsyncMemory, report: str):
    await memory.remember("u", "ok \ud83d")
    await memory.remember("u", ["\ud83c\udf78", "a normal message"])
    assert [p.text for p in await passages(memory)] == ["ok \ufffd", "🍸", "a normal message"]
    assert (await memory.flush()).errors == ()
    assert texts(await memory.recall("u", "normal \ud83d message"))[0] == "a normal message"


@case("B077")
async def test_half_a_character_from_a_model(db: str, clock: FakeClock, report: str):
    def broken(window: Sequence[Passage]) -> Extraction:
        sources = tuple(p.id for p in window)
        return Extraction(frames=(Frame(scope="", id="f", text="they met \ud83d", sources=sources),))

    async with AsyncMemory(db, embedder=None, extractor=FakeExtractor(broken), clock=clock) as memory:
        await memory.remember("u", "we met")
        assert (await memory.flush()).errors == ()
        assert [frame.text for frame in await memory.records("u", "frame")] == ["they met \ufffd"]


# --- models -------------------------------------------------------------------------------------------------------


class Strict(HashEmbedder):
    """Answers like a host that takes no blank text and none that is too long."""

    longest = 0

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if not all(text.strip() for text in texts):
            raise AssertionError("400: input must not be blank")
        self.longest = max(self.longest, *map(len, texts))
        return await super().embed(texts, role)


@case("B027")
async def test_a_blank_text_in_a_batch(db: str, clock: FakeClock, report: str):
    embedder = Strict()
    async with AsyncMemory(db, embedder=embedder, clock=clock) as memory:
        receipt = await memory.remember("u", ["apple", "", "\n\n", "banana"])
        assert len(receipt.ids) == 4
        assert (await memory.flush()).errors == ()
        for word in ("apple", "banana"):
            assert texts(await memory.recall("u", word, Plan(channels=("dense",), kinds=("passage",), limit=1))) == [
                word
            ]
        assert all("apple" in frame.text or "banana" in frame.text for frame in await memory.records("u", "frame"))


@case("B028")
async def test_a_text_longer_than_a_model_reads(db: str, clock: FakeClock, report: str):
    """It is kept whole, read whole, and found by its last word."""
    text = "今天我们继续聊旅行的计划，" * 2300 + "暗号是蓝鲸42"
    extractor = FakeExtractor(lambda window: Extraction())
    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=extractor, clock=clock) as memory:
        await memory.remember("u", [Message(text, session="a"), Message("别的话", session="b")])
        assert (await memory.flush()).errors == ()
        assert [p.text for p in await passages(memory)] == [text, "别的话"]
        assert text in [p.text for window in extractor.windows for p in window]
        assert texts(await memory.recall("u", "蓝鲸42"))[0] == text
        assert texts(await memory.recall("u", "蓝鲸42", SPARSE))[0] == text


@case("B024")
async def test_a_client_that_tries_again(memory: AsyncMemory, report: str):
    first = await memory.remember("u", Message("tea", id="m1"))
    again = await memory.remember("u", Message("tea", id="m1"))
    assert (first.ids, again.added) == (again.ids, 0)
    impatient = asyncio.create_task(memory.remember("u", Message("music", id="m2")))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(impatient, return_exceptions=True)
    await memory.remember("u", Message("music", id="m2"))
    await memory.remember("u", [Message("same words", id="m3"), Message("same words", id="m4")])
    await memory.flush()
    assert [p.ref for p in await passages(memory)] == ["m1", "m2", "m3", "m4"]
    cited = [source for frame in await memory.records("u", "frame") for source in frame.sources]
    assert len(cited) == len(set(cited)) == 4


@case("B046")
async def test_the_filter_comes_before_the_best(memory: AsyncMemory, report: str):
    """One user's many near texts do not crowd out another's few farther ones, nor one day's another day's."""
    await memory.remember("a", [f"the black cat number {n}" for n in range(400)])
    few = [Message(f"a cat of mine, the {n}th", time="2023-01-01") for n in range(5)]
    many = [Message(f"the black cat {n}", time="2024-01-01") for n in range(200)]
    await memory.remember("b", [*few, *many])
    await memory.remember("c", few)
    await memory.flush()
    for channels in (("dense",), ("dense", "sparse", "context", "time")):
        plan = Plan(limit=5, kinds=("passage",), channels=channels)  # pyright: ignore[reportArgumentType]
        found = await memory.recall("c", "the black cat", plan)
        assert {p.scope for p in found.passages} == {"c"}
        assert len(found.passages) == 5
        day = Interval(start=datetime(2023, 1, 1, tzinfo=UTC), end=datetime(2023, 1, 2, tzinfo=UTC))
        plan = Plan(limit=5, kinds=("passage",), channels=channels, during=day)  # pyright: ignore[reportArgumentType]
        assert sorted(texts(await memory.recall("b", "the black cat", plan))) == [m.content for m in few]


# --- deletion -----------------------------------------------------------------------------------------------------


@case("B057")
async def test_deleting_one_user_deletes_one_user(memory: AsyncMemory, report: str):
    await memory.remember("a", "tea")
    await memory.remember("b", "tea")
    await memory.flush()
    assert await memory.forget("a", everything=True)
    kept = (await memory.stats()).records
    nothing: list[dict[str, Any]] = [{}, {"ids": []}, {"refs": []}, {"session": None}, {"everything": False}]
    for what in nothing:
        with pytest.raises(InvalidInput):
            await memory.forget("b", **what)
    for nobody in ("", None, " "):
        with pytest.raises(InvalidInput):
            await memory.forget(nobody, everything=True)  # pyright: ignore[reportArgumentType]
    assert await memory.scopes() == ["b"]
    assert (await memory.stats()).records == kept


# --- tenants ------------------------------------------------------------------------------------------------------


@case("B064")
@pytest.mark.parametrize("nobody", [None, "", "  ", 0, False, [], b"u"], ids=repr)
async def test_no_user_is_nobody(memory: AsyncMemory, report: str, nobody: Any):
    await memory.remember("u", "tea")
    calls = (
        lambda: memory.remember(nobody, "tea"),
        lambda: memory.recall(nobody, "tea"),
        lambda: memory.forget(nobody, everything=True),
        lambda: memory.records(nobody),
        lambda: memory.get(nobody, "x"),
    )
    for call in calls:
        with pytest.raises(ValueError, match="scope"):
            await call()
    assert await memory.scopes() == ["u"]


NEIGHBOURS = [
    "u",
    "u1",
    "U",
    "u ",
    "ｕ",
    "u%",
    "u_",
    "*",
    "jane-doe",
    "jane_doe",
    "a:b",
    "a",
    "x" * 63 + "1",
    "x" * 63 + "2",
]


@case("B065", "B068")
async def test_each_sees_its_own(memory: AsyncMemory, report: str):
    for n, scope in enumerate(NEIGHBOURS):
        await memory.remember(scope, Message(f"canary {n}", id="b:c", session="s", speaker=f"Speaker{n}"))
    await memory.flush()
    assert await memory.scopes() == sorted(NEIGHBOURS)
    for n, scope in enumerate(NEIGHBOURS):
        assert [p.text for p in await passages(memory, scope)] == [f"canary {n}"]
        found = await memory.recall(scope, "canary", WAYS["everything"])
        assert texts(found) == [f"canary {n}"]
        assert [f.text for f in found.frames] == [f"Speaker{n}: canary {n}"]
        assert {hit.record.scope for hit in found.hits} == {scope}
        assert [f.text for f in await memory.records(scope, "frame")] == [f"Speaker{n}: canary {n}"]
        assert [e.text for e in await memory.records(scope, "entity")] == [f"Speaker{n}"]
        stats = await memory.stats(scope)
        assert (stats.scopes, stats.records["passage"], stats.sessions) == (1, 1, 1)
    await memory.forget("u", refs=["b:c"])
    await memory.forget("u1", session="s")
    await memory.forget("U", everything=True)
    left = [scope for scope in NEIGHBOURS if await memory.records(scope)]
    assert left == NEIGHBOURS[3:]


@case("B067")
async def test_quotes_change_no_statement(memory: AsyncMemory, report: str):
    evil = "x' OR '1'='1"
    tables = "'; DROP TABLE records; --"
    await memory.remember("u", Message("tea", speaker="O'Brien", session="it's", id="q'1"))
    await memory.remember(evil, Message("mine", speaker="O'Brien"))
    await memory.flush()
    assert [p.text for p in await passages(memory, evil)] == ["mine"]
    assert texts(await memory.recall(evil, "tea mine")) == ["mine"]
    for scope in (evil, tables):
        assert "tea" not in texts(await memory.recall(scope, "tea"))
    assert [r.text for r in await memory.records("u", speaker="O'Brien", session="it's")] == ["tea"]
    assert texts(await memory.recall("u", "tea", Plan(speaker="O'Brien", session="it's"))) == ["tea"]
    for narrow in (
        {"speaker": evil},
        {"session": evil},
        {"mentions": evil},
        {"mentions": "%"},
        {"mentions": "_"},
        {"speaker": tables},
    ):
        assert await memory.records("u", **narrow) == []  # pyright: ignore[reportArgumentType]
    assert await memory.get("u", evil) is None
    assert not await memory.forget("u", ids=[evil], refs=[tables])
    assert not await memory.forget("u", session=evil)
    assert await memory.forget("u", refs=["q'1"])
    assert await memory.scopes() == sorted(["u", evil])


@case("B068")
async def test_names_that_could_be_joined_wrongly(memory: AsyncMemory, report: str):
    pairs = [("a:b", "c"), ("a", "b:c"), ("a/b", "c"), ("a", "b/c")]
    await memory.remember("u", [Message(f"{session}+{ref}", session=session, id=ref) for session, ref in pairs[:2]])
    await memory.remember("v", [Message(f"{session}+{ref}", session=session, id=ref) for session, ref in pairs[2:]])
    assert [p.text for p in await passages(memory)] == ["a:b+c", "a+b:c"]
    assert [r.text for r in await memory.records("u", session="a")] == ["a+b:c"]
    long = "m" * 63
    receipt = await memory.remember("u", [Message("one", id=f"{long}1"), Message("two", id=f"{long}2")])
    assert receipt.added == 2


@case("B069")
async def test_one_name_however_it_is_composed(memory: AsyncMemory, report: str):
    composed, decomposed = "jos\u00e9", "jose\u0301"
    first = await memory.remember(composed, Message("tea", id=composed, session=composed, speaker=composed))
    again = await memory.remember(decomposed, Message("tea", id=decomposed, session=decomposed))
    assert again.duplicates == first.ids
    assert texts(await memory.recall(decomposed, "tea")) == ["tea"]
    assert len(await memory.records(decomposed, session=composed)) == 1
    assert len(await memory.records(composed, session=decomposed)) == 1
    assert len(await memory.records(composed, speaker=decomposed)) == 1
    assert len(await memory.records(composed, mentions="t\u0065a")) == 1
    assert texts(await memory.recall(composed, "tea", Plan(session=decomposed, speaker=decomposed))) == ["tea"]
    assert await memory.scopes() == [composed]
    assert await memory.forget(decomposed, refs=[decomposed])
    await memory.remember("Alice", "hers")
    assert await memory.records("Ａlice") == []
    assert not await memory.recall("Ａlice", "hers")


# --- time ---------------------------------------------------------------------------------------------------------


@case("B086")
async def test_naive_and_aware_times_together(memory: AsyncMemory, report: str):
    said = [datetime(2024, 4, 1, 8), "2024-04-01T18:00:00+09:00", "2024-04-01T10:00:00Z"]  # noqa: DTZ001
    await memory.remember("u", [Message(f"tea at {time}", time=time) for time in said])
    await memory.flush()
    times = [p.time for p in await passages(memory)]
    assert times == [datetime(2024, 4, 1, hour, tzinfo=UTC) for hour in (8, 9, 10)]
    assert [time.utcoffset() for time in times if time] == [timedelta(0), timedelta(hours=9), timedelta(0)]
    assert len((await memory.recall("u", "tea on 1 April")).passages) == 3
    during = Interval(start=datetime(2024, 4, 1, 8, 30), end=datetime(2024, 4, 1, 10, tzinfo=UTC))  # noqa: DTZ001
    assert len((await memory.recall("u", "tea", Plan(during=during))).passages) == 1
    assert len(await memory.records("u", during=during)) == 1
    assert (await memory.flush()).errors == ()


@case("B080")
async def test_last_week_counts_from_the_message(db: str, report: str):
    """The message is of 2023 and is worked on in 2031."""
    clock = FakeClock(datetime(2031, 1, 1, tzinfo=UTC))
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as memory:
        await memory.remember("u", Message("I went to Lyon last week", speaker="Ann", time="2023-05-24T10:00:00Z"))
        await memory.flush()
        (frame,) = cast(list[Frame], await memory.records("u", "frame"))
        found = await memory.recall("u", "Lyon", at=datetime(2031, 1, 2, tzinfo=UTC))
    (event,) = frame.events
    assert event.time == Interval(
        start=datetime(2023, 5, 15, tzinfo=UTC), end=datetime(2023, 5, 22, tzinfo=UTC), precision="week"
    )
    block = found.render()
    assert "2023-05-24" in block
    assert "2031" not in block


@case("B091")
async def test_a_range_has_its_last_day(memory: AsyncMemory, report: str):
    said = ["2026-03-31T15:00:00Z", "2026-03-31T23:59:59.999999Z", "2026-04-01T00:00:00Z"]
    await memory.remember("u", [Message(f"tea {n}", time=time) for n, time in enumerate(said)])
    march = window("2026-03-01 to 2026-03-31", datetime(2026, 6, 1, tzinfo=UTC))
    assert sorted(texts(await memory.recall("u", "tea", Plan(during=march)))) == ["tea 0", "tea 1"]
    with pytest.raises(InvalidInput, match="before it starts"):
        Interval(start="2026-04-01", end="2026-03-01")  # pyright: ignore[reportArgumentType]


# --- crash, concurrency, storage ----------------------------------------------------------------------------------


@case("B079")
def test_a_process_that_is_killed_while_it_saves(db: str, report: str):
    """Whatever the moment, the file opens again, in the state before or after the write."""
    code = """
import sys
from fabula import Memory, Message
with Memory(sys.argv[1], embedder=None) as memory:
    for n in range(100_000):
        print(memory.remember(sys.argv[2], [Message("a\\x0bb"), Message("Porto " * 500)]).ids[1], flush=True)
"""
    for moment in range(3):
        process = subprocess.Popen([sys.executable, "-c", code, db, f"u{moment}"], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        told = [process.stdout.readline().strip() for _ in range(1 + 7 * moment)]
        process.kill()
        process.communicate(timeout=60)
        with Memory(db, embedder=None, background=False) as memory:
            assert set(told) <= {record.id for record in memory.records(f"u{moment}")}
            assert len(memory.records(f"u{moment}")) % 2 == 0
            assert memory.check() == []


@case("B094")
async def test_twenty_at_once_with_one_id(memory: AsyncMemory, db: str, clock: FakeClock, report: str):
    async with AsyncMemory(db, embedder=HashEmbedder(delay=0.02), clock=clock) as other:
        receipts = await asyncio.gather(
            *(one.remember("u", Message("I like tea", id="m1")) for one in (memory, other) for _ in range(10))
        )
        assert len({receipt.ids for receipt in receipts}) == 1
        assert sum(receipt.added for receipt in receipts) == 1
        await asyncio.gather(memory.flush(), other.flush())
    assert (await memory.stats("u")).records["passage"] == 1
    assert (await memory.stats("u")).records["frame"] == 1
    assert await memory.check() == []


@case("B095")
def test_the_blocking_face_in_a_running_loop(db: str, report: str):
    memory = Memory(db, embedder=HashEmbedder())

    async def handler(text: str) -> int:
        memory.remember("u", text)
        await asyncio.to_thread(memory.remember, "u", text)
        return len(memory.recall("u", "tea").passages)

    assert (asyncio.run(handler("tea")), asyncio.run(handler("tea"))) == (2, 4)
    memory.close()


@case("B096")
async def test_leaving_at_once_loses_no_work(db: str, report: str):
    slow = FakeExtractor(
        lambda window: Extraction(frames=(Frame(scope="", id="f", text="met", sources=(window[0].id,)),))
    )
    async with AsyncMemory(db, embedder=HashEmbedder(delay=1), extractor=slow, settings=Settings(drain=0)) as memory:
        await memory.remember("u", "we met")
    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=slow) as memory:
        assert (await memory.flush()).pending == 0
        assert [frame.text for frame in await memory.records("u", "frame")] == ["met"]


@case("B098")
async def test_fifty_mixed_calls_at_once(memory: AsyncMemory, report: str):
    await memory.remember("u", "tea")
    calls: list[Any] = []
    for n in range(10):
        calls += [
            memory.remember("u", Message(f"tea {n}", id=str(n))),
            memory.recall("u", "tea"),
            memory.records("u"),
            memory.stats("u"),
            memory.flush("u") if n % 5 == 0 else memory.forget("u", refs=[f"unknown {n}"]),
        ]
    done = await asyncio.gather(*calls)
    assert len(done) == 50
    assert (await memory.stats("u")).records["passage"] == 11
    await memory.flush()
    assert await memory.check() == []


@case("B100")
async def test_many_writers_wait_for_each_other(db: str, report: str):
    """Separate connections, as separate processes have; the processes themselves are tested elsewhere."""
    memories = [AsyncMemory(db, embedder=None) for _ in range(4)]
    await asyncio.gather(*(one.open() for one in memories))
    receipts = await asyncio.gather(*(one.remember("u", f"message {n}") for n in range(20) for one in memories))
    assert sum(receipt.added for receipt in receipts) == 80
    assert len(await memories[0].records("u")) == 80
    assert memories[0].settings.busy > 0
    await asyncio.gather(*(one.close() for one in memories))


@case("B100")
async def test_a_writer_and_readers_do_not_wait_for_each_other(file: Path, report: str):
    async with AsyncMemory(file, embedder=None, background=False) as memory:
        await memory.remember("u", "tea")
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@case("B100")
async def test_a_database_that_stays_locked_is_told(file: Path, report: str):
    async with AsyncMemory(file, embedder=None, background=False, settings=Settings(busy=0.05)) as memory:
        await memory.remember("u", "before")
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable, match="locked by another process"):
                await memory.remember("u", "refused")
            assert texts(await memory.recall("u", "before")) == ["before"]
            other.execute("ROLLBACK")
        assert (await memory.remember("u", "after")).added == 1
        assert [p.text for p in await passages(memory)] == ["before", "after"]


@asynccontextmanager
async def asyncpg(url: str) -> AsyncGenerator[Any]:
    """A connection beside the memory's own."""
    connection: Any = await importlib.import_module("asyncpg").connect(url)  # its types are incomplete
    try:
        yield connection
    finally:
        await connection.close()


async def schema(connection: Any) -> list[tuple[Any, ...]]:
    """Every column of every table, with who changed the table last, and every extension."""
    columns = await connection.fetch(
        "SELECT relname, relkind, c.xmin, attname, atttypid::regtype::text"
        " FROM pg_class c JOIN pg_attribute ON attrelid = c.oid"
        " WHERE relnamespace = 'public'::regnamespace ORDER BY relname, attname"
    )
    extensions = await connection.fetch("SELECT extname, extversion FROM pg_extension ORDER BY extname")
    return [tuple(row) for row in (*columns, *extensions)]


@case("B100")
async def test_a_scope_in_postgres_that_stays_locked_is_told(postgres_url: str, report: str):
    async with AsyncMemory(postgres_url, embedder=None, background=False, settings=Settings(busy=1)) as memory:
        await memory.remember("u", "before")
        async with asyncpg(postgres_url) as other, other.transaction():
            await other.execute("SELECT * FROM scopes WHERE scope = 'u' FOR UPDATE")
            with pytest.raises(StoreUnavailable, match="a statement took longer than 1 s"):
                await memory.remember("u", "refused")
            assert texts(await memory.recall("u", "before")) == ["before"]
            assert (await memory.remember("v", "elsewhere")).added == 1
        assert (await memory.remember("u", "after")).added == 1
        assert [p.text for p in await passages(memory)] == ["before", "after"]


def left_as_it_was(file: Path) -> tuple[bytes, int, list[str]]:
    return file.read_bytes(), file.stat().st_mtime_ns, sorted(path.name for path in file.parent.iterdir())


@case("B103")
@pytest.mark.parametrize("journal", ["delete", "wal"])
async def test_a_newer_schema_is_refused_and_left_alone(file: Path, journal: str, report: str):
    async with AsyncMemory(file, embedder=None) as memory:
        await memory.remember("u", "tea")
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("INSERT INTO fabula_migrations VALUES (999, 'from the future', 0)")
        connection.commit()
    before = left_as_it_was(file)
    for _ in range(2):
        with pytest.raises(SchemaTooNew, match=r"999.*upgrade") as caught:
            await AsyncMemory(file, embedder=None).open()
        assert caught.value.found == 999
        assert left_as_it_was(file) == before


@case("B103")
async def test_a_newer_schema_in_postgres_is_refused_and_left_alone(postgres_url: str, report: str):
    async with AsyncMemory(postgres_url, embedder=None) as memory:
        await memory.remember("u", "tea")
    async with asyncpg(postgres_url) as connection:
        await connection.execute("INSERT INTO fabula_migrations VALUES (999, 'from the future', 0)")
        before = await schema(connection)
        for _ in range(2):
            with pytest.raises(SchemaTooNew, match=r"999.*upgrade") as caught:
                await AsyncMemory(postgres_url, embedder=None).open()
            assert caught.value.found == 999
            assert await schema(connection) == before


@case("B103")
async def test_another_programs_postgres_is_refused_and_left_alone(empty_postgres_url: str, report: str):
    async with asyncpg(empty_postgres_url) as connection:
        await connection.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT)")
        before = await schema(connection)
        memory = AsyncMemory(empty_postgres_url, embedder=None)
        for call in (memory.open, memory.scopes, lambda: memory.remember("u", "tea")):
            with pytest.raises(StoreUnavailable, match="another program"):
                await call()
        await memory.close()
        assert await schema(connection) == before


@case("B103")
@pytest.mark.parametrize("journal", ["delete", "wal"])
async def test_another_programs_database_is_refused_and_left_alone(file: Path, journal: str, report: str):
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT)")
        connection.execute("INSERT INTO records (title) VALUES ('Abbey Road')")
        connection.commit()
    before = left_as_it_was(file)
    memory = AsyncMemory(file, embedder=None)
    for call in (memory.open, memory.scopes, lambda: memory.remember("u", "tea")):
        with pytest.raises(StoreUnavailable, match="another program"):
            await call()
    await memory.close()
    assert left_as_it_was(file) == before


@case("B103")
async def test_opening_again_changes_nothing(file: Path, report: str):
    async with AsyncMemory(file, embedder=None, background=False) as memory:
        await memory.remember("u", "tea")
    before, *_ = left_as_it_was(file)
    uncounted = Settings(track=False)  # what comes back is counted else
    for _ in range(2):
        async with AsyncMemory(file, embedder=None, background=False, settings=uncounted) as memory:
            assert texts(await memory.recall("u", "tea")) == ["tea"]
        assert left_as_it_was(file)[0] == before


@case("B108")
async def test_an_empty_filter_is_no_quiet_nothing(memory: AsyncMemory, report: str):
    await memory.remember("u", "tea")
    for wrong in ({"kinds": ""}, {"kinds": ()}, {"session": ""}, {"speaker": ""}, {"channels": ()}, {"channels": ""}):
        with pytest.raises(ValueError, match=r"\w"):
            Plan(**wrong)  # pyright: ignore[reportArgumentType]
    for wrong in ({"session": ""}, {"speaker": ""}, {"mentions": ""}, {"kind": ""}):
        with pytest.raises(ValueError, match=r"\w"):
            await memory.records("u", **wrong)  # pyright: ignore[reportArgumentType]
    assert texts(await memory.recall("u", "tea", Plan(session=None, speaker=None, during=Interval()))) == ["tea"]
    assert len(await memory.records("u", session=None, during=Interval())) == 1
