"""From a question to what is remembered: found at once, narrowed, told as it was known then, and never at random."""

import asyncio
import importlib
import uuid
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabula import (
    AsyncMemory,
    EmbeddingMismatch,
    Interval,
    InvalidInput,
    Message,
    Plan,
    ProviderAuthError,
    ProviderUnavailable,
    Recollection,
    Settings,
)
from fabula.abc import Extraction
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import MAX_LIMIT, Fact, Frame, Note, Passage

COLD = Settings(hot_bytes=0)
SPARSE = Plan(channels=("sparse",))
DENSE = Plan(channels=("dense",))

TALK = [
    Message(
        "I adopted a kitten from the shelter", speaker="Ann", session="spring", time="2024-03-02T10:00:00Z", id="1"
    ),
    Message("What is the name of the kitten?", speaker="Bob", session="spring", time="2024-03-02T10:01:00Z", id="2"),
    Message("She is called Miso", speaker="Ann", session="spring", time="2024-03-02T10:02:00Z", id="3"),
    Message("我在杭州学潜水", speaker="小明", session="summer", time="2024-07-10T09:00:00+08:00", id="4"),
    Message("Diving sounds scary to me", speaker="Bob", session="summer", time="2024-07-10T01:05:00Z", id="5"),
    Message("The shelter sent a letter", speaker="Bob", session="autumn", time="2024-10-01T10:00:00Z", id="6"),
]


# What is refused before the database is asked is refused alike whichever it is.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2024-11-01T12:00:00Z")


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
async def memory(db: str, clock: FakeClock, embedder: HashEmbedder) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=embedder, clock=clock) as opened:
        yield opened


@pytest.fixture
async def told(memory: AsyncMemory) -> AsyncMemory:
    await memory.remember("u", TALK)
    await memory.flush("u")
    return memory


def refs(found: Recollection) -> list[str | None]:
    return [passage.ref for passage in found.passages]


async def written(db: str) -> bytes:
    """Everything that was written: on SQLite the files, on PostgreSQL every row with its place and who touched it."""
    if "://" not in db:
        files = sorted(Path(db).parent.glob("memory.db*"))
        return b"".join(path.read_bytes() for path in files if path.suffix != ".db-shm")
    found = BytesIO()
    connection: Any = await importlib.import_module("asyncpg").connect(db)  # its types are incomplete
    try:
        for (table,) in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
            rows = f"SELECT ctid, xmin, xmax, {table}.* FROM {table}"
            await connection.copy_from_query(rows, output=found, format="binary")
    finally:
        await connection.close()
    return found.getvalue()


class TestFinding:
    async def test_by_keyword_at_once(self, db: str, clock: FakeClock):
        """No vector exists yet: the model is never done with its first text."""
        slow = HashEmbedder(delay=3600)
        async with AsyncMemory(db, embedder=slow, clock=clock, settings=Settings(drain=0)) as memory:
            await memory.remember("u", TALK)
            assert refs(await memory.recall("u", "潜水", SPARSE))[0] == "4"
            assert refs(await memory.recall("u", "kitten", SPARSE))[0] == "1"

    async def test_by_meaning_after_the_flush(self, memory: AsyncMemory, db: str):
        await memory.remember("u", TALK)
        await memory.flush()
        found = await memory.recall("u", "scary diving", DENSE)
        assert refs(found)[0] == "5"
        assert found.hits[0].parts["cosine"] > 0.4

    async def test_the_whole_question(self, told: AsyncMemory):
        assert refs(await told.recall("u", "What is Ann's kitten called?"))[0] in ("1", "3")
        assert refs(await told.recall("u", "小明在哪里学潜水？"))[0] == "4"

    async def test_by_a_date(self, told: AsyncMemory):
        found = await told.recall("u", "what happened last October?", Plan(limit=1))
        assert refs(found) == ["6"]

    async def test_last_month_is_the_askers(self, told: AsyncMemory):
        found = await told.recall("u", "what was going on last month?", at="2024-04-10", explain=True)
        assert found.trace is not None
        assert [w.start for w in found.trace.windows] == [datetime(2024, 3, 1, tzinfo=UTC)]

    @pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000", "\0"])
    async def test_a_blank_question_brings_back_nothing(self, told: AsyncMemory, embedder: HashEmbedder, query: str):
        calls = len(embedder.calls)
        found = await told.recall("u", query)
        assert not found
        assert (found.hits, found.confidence, found.degraded) == ((), 0, ())
        assert len(embedder.calls) == calls

    async def test_an_unknown_scope_knows_nothing_and_is_not_made(self, told: AsyncMemory):
        assert not await told.recall("stranger", "kitten")
        assert await told.scopes() == ["u"]

    async def test_nothing_that_fits(self, told: AsyncMemory):
        assert not await told.recall("u", "zebra", SPARSE)

    async def test_without_a_model(self, db: str, clock: FakeClock):
        async with AsyncMemory(db, embedder=None, clock=clock) as memory:
            await memory.remember("u", TALK)
            found = await memory.recall("u", "kitten", explain=True)
            assert refs(found)[0] == "1"
            assert found.degraded == ()
            assert found.trace is not None
            assert found.trace.profile == "keyword"

    async def test_reading_writes_nothing(self, db: str, clock: FakeClock, embedder: HashEmbedder):
        # Without a background, which writes what was counted in its own time.
        async with AsyncMemory(db, embedder=embedder, clock=clock, background=False) as memory:
            await memory.remember("u", TALK)
            await memory.flush("u")
            before = await written(db)
            for _ in range(3):
                assert (await memory.recall("u", "kitten", explain=True)).hits
            assert await written(db) == before

    @sqlite_alone
    @pytest.mark.parametrize("query", [None, 5, b"kitten", ["kitten"]])
    async def test_a_question_is_text(self, told: AsyncMemory, query: Any):
        with pytest.raises(InvalidInput, match="query"):
            await told.recall("u", query)

    @sqlite_alone
    @pytest.mark.parametrize("moment", ["yesterday", "", 5, datetime(2024, 1, 1, tzinfo=UTC).date()])
    @pytest.mark.parametrize("name", ["at", "as_of"])
    async def test_a_moment_is_a_time(self, told: AsyncMemory, name: str, moment: Any):
        with pytest.raises(InvalidInput):
            await told.recall("u", "kitten", **{name: moment})


class TestNarrowing:
    async def test_by_session(self, told: AsyncMemory):
        assert refs(await told.recall("u", "shelter", Plan(session="autumn"))) == ["6"]
        assert not await told.recall("u", "shelter", Plan(session="winter"))

    async def test_by_speaker(self, told: AsyncMemory):
        found = await told.recall("u", "the kitten of the shelter", Plan(speaker="Ann"))
        assert set(refs(found)) == {"1", "3"}
        assert set(refs(await told.recall("u", "潜水", Plan(speaker="小明")))) == {"4"}
        assert not await told.recall("u", "kitten", Plan(speaker="ann"))

    @pytest.mark.parametrize(
        ("start", "end", "wanted"),
        [
            ("2024-07-10T01:00:00Z", "2024-07-10T01:05:00Z", {"4"}),
            ("2024-07-10T01:00:00Z", "2024-07-10T01:05:01Z", {"4", "5"}),
            ("2024-07-10T09:00:00+08:00", None, {"4", "5", "6"}),
            (None, "2024-03-02T10:01:00Z", {"1"}),
            (None, None, {"1", "2", "3", "4", "5", "6"}),
            ("2025-01-01", None, set[str]()),
        ],
    )
    async def test_by_time(self, told: AsyncMemory, start: str | None, end: str | None, wanted: set[str]):
        during = Interval(start=start and datetime.fromisoformat(start), end=end and datetime.fromisoformat(end))  # pyright: ignore[reportArgumentType]
        found = await told.recall("u", "kitten called Miso shelter 潜水 diving scary", Plan(during=during))
        assert set(refs(found)) == wanted

    async def test_all_at_once(self, told: AsyncMemory):
        plan = Plan(session="spring", speaker="Ann", during=Interval(end=datetime(2024, 3, 2, 10, 2, tzinfo=UTC)))
        assert refs(await told.recall("u", "kitten Miso", plan)) == ["1"]

    async def test_derived_records_are_narrowed_with_their_passages(self, told: AsyncMemory):
        found = await told.recall("u", "shelter", Plan(session="autumn"))
        assert found.frames
        assert {frame.session for frame in found.frames} == {"autumn"}

    @pytest.mark.parametrize("limit", [1, 2, MAX_LIMIT])
    async def test_by_number(self, told: AsyncMemory, limit: int):
        everything = await told.recall("u", "kitten shelter", Plan(kinds=("passage",), limit=MAX_LIMIT))
        found = await told.recall("u", "kitten shelter", Plan(kinds=("passage",), limit=limit))
        assert found.hits == everything.hits[:limit]

    async def test_no_kind_comes_more_often_than_the_limit(self, told: AsyncMemory):
        found = await told.recall("u", "kitten shelter", Plan(limit=2))
        assert len(found.passages) <= 2
        assert len(found.frames) <= 2

    async def test_by_score(self, told: AsyncMemory):
        plan = Plan(kinds=("passage",))
        scores = [hit.score for hit in (await told.recall("u", "kitten shelter", plan)).hits]
        assert len(set(scores)) > 2
        for bound in (0.0, scores[1], 1.0):
            found = await told.recall("u", "kitten shelter", Plan(kinds=("passage",), min_score=bound))
            assert [hit.score for hit in found.hits] == [score for score in scores if score >= bound]

    async def test_by_relevance(self, told: AsyncMemory):
        """Comparable between recalls, so that what has nothing to do with a question can be left out."""
        known = await told.recall("u", "kitten from the shelter", Plan(kinds=("passage",)))
        bound = known.hits[0].relevance
        assert 0 < bound <= 1
        found = await told.recall("u", "kitten from the shelter", Plan(kinds=("passage",), min_relevance=bound))
        assert [hit for hit in known.hits if hit.relevance >= bound] == list(found.hits)
        assert not await told.recall("u", "quantum physics", Plan(min_relevance=bound))


class TestKinds:
    @staticmethod
    def everything(window: Any) -> Extraction:
        ids = tuple(passage.id for passage in window)
        return Extraction(
            frames=(Frame(scope="", id="frame", text="a kitten came", sources=ids),),
            facts=(Fact(scope="", id="fact", text="Miso is a kitten", subject="Miso", sources=ids[:1]),),
            notes=(
                Note(scope="", id="note", text="likes cats", namespace="profile", key="cats", value=True, sources=ids),
            ),
        )

    @pytest.fixture
    async def drawn(self, db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
        extractor = FakeExtractor(self.everything)
        async with AsyncMemory(db, embedder=HashEmbedder(), extractor=extractor, clock=clock) as memory:
            await memory.remember("u", TALK[:3])
            await memory.flush()
            yield memory

    async def test_what_was_made_of_a_passage_comes_with_it(self, drawn: AsyncMemory):
        found = await drawn.recall("u", "kitten")
        assert {hit.record.kind for hit in found.hits} == {"passage", "frame", "fact"}
        (frame,) = [hit for hit in found.hits if hit.record.kind == "frame"]
        scores = {hit.record.id: hit.score for hit in found.hits}
        assert frame.score == max(scores[source] for source in frame.record.sources if source in scores)
        assert [hit.score for hit in found.hits] == sorted(scores.values(), reverse=True)
        assert frame.record.scope == "u"

    @pytest.mark.parametrize(
        ("told", "asked"),
        [("My cat Miso turned three last Friday", "How old is Miso?"), ("我家的猫米索上周五满三岁了", "米索几岁了？")],
    )
    async def test_what_was_asked_before_is_no_answer(self, db: str, told: str, asked: str):
        """An agent keeps the questions too; one that repeats the question comes last, and is no sign of knowing."""
        async with AsyncMemory(db, embedder=HashEmbedder()) as memory:
            questions = (Message(asked, id=str(n), speaker="Zoe", time="2024-05-01") for n in range(3))
            await memory.remember("u", [Message(told), *questions])
            await memory.flush()
            found = await memory.recall("u", asked, Plan(kinds=("passage",)))
        assert found.passages[0].text == told
        assert [hit.relevance for hit in found.hits if hit.record.text == asked] == [0.0] * 3
        assert told in found.render(budget=90)

    @pytest.mark.parametrize(
        ("said", "asked"),
        [
            ("Bob's office phone number Leeds: 555-1234, ok?", "What is Bob's office phone number in Leeds?"),
            ("Hotel Plaza Rome booked for Tom's party, right?", "Which hotel did Ann book in Rome for Tom's party?"),
            ("Bob lives in Leeds, doesn't he?", "Where does Bob live?"),
            ("鲍勃住在利兹，对吧？", "鲍勃住在哪里？"),
        ],
    )
    async def test_what_says_more_than_the_question_is_no_repetition(self, db: str, said: str, asked: str):
        async with AsyncMemory(db, embedder=None) as memory:
            await memory.remember("u", [Message(said, speaker="Tom"), Message(asked, speaker="Tom")])
            hits = (await memory.recall("u", asked, Plan(kinds=("passage",)))).hits
        assert [(hit.record.text, hit.parts["echo"]) for hit in hits] == [(said, 0.0), (asked, 1.0)]

    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ("Where does Mara work?", "works at Rook"),
            ("Mara works where?", "works at Rook"),
            ("Where does Mara work now?", "works at Rook"),
            ("Mara 现在在哪里 works?", "works at Rook"),
            ("What is Mara's latest job at works?", "works at Rook"),
        ],
    )
    async def test_what_still_holds_is_preferred_unless_the_past_is_asked_for(
        self, db: str, clock: FakeClock, query: str, first: str
    ):
        def jobs(window: Any) -> Extraction:
            ended = Interval(start=clock() - timedelta(900), end=clock() - timedelta(30), precision="day")
            return Extraction(
                facts=tuple(
                    Fact(scope="", id=text, text=text, subject="Mara", valid=valid, sources=(window[0].id,))
                    for text, valid in (
                        ("works at Kite", ended),
                        ("works at Rook", Interval(start=ended.end, precision="day")),
                    )
                )
            )

        async with AsyncMemory(db, embedder=HashEmbedder(), extractor=FakeExtractor(jobs), clock=clock) as memory:
            await memory.remember("u", Message("Mara works at Rook, before that she worked at Kite", speaker="Jun"))
            await memory.flush()
            facts = (await memory.recall("u", query)).facts
        assert facts[0].text == first
        assert len(facts) == 2

    @pytest.mark.parametrize(
        ("query", "first"),
        [
            ("Where did Mara live?", "Mara lives in Lyon"),
            ("Where did Mara live in 2021?", "home of Mara: Rome"),
            ("Where did Mara live in 2023?", "Mara lives in Lyon"),
            ("小芳住在哪里？", "小芳住在里昂"),
            ("小芳2021年住在哪里？", "小芳的家：罗马"),
            ("小芳2023年住在哪里？", "小芳住在里昂"),
        ],
    )
    async def test_what_held_at_the_time_that_is_asked_about_is_preferred(
        self, db: str, clock: FakeClock, query: str, first: str
    ):
        moved = datetime(2022, 6, 1, tzinfo=UTC)
        before, since = Interval(start=datetime(2018, 1, 1, tzinfo=UTC), end=moved), Interval(start=moved)

        def homes(window: Any) -> Extraction:
            told = (("home of Mara: Rome", before), ("Mara lives in Lyon", since),
                    ("小芳的家：罗马", before), ("小芳住在里昂", since))  # fmt: skip
            return Extraction(
                facts=tuple(
                    Fact(scope="", id=text, text=text, valid=valid, sources=(window[0].id,)) for text, valid in told
                )
            )

        async with AsyncMemory(db, embedder=HashEmbedder(), extractor=FakeExtractor(homes), clock=clock) as memory:
            await memory.remember("u", Message("Mara and 小芳 moved", speaker="Jun"))
            await memory.flush()
            facts = (await memory.recall("u", query, Plan(kinds=("fact",)))).facts
        assert facts[0].text == first
        assert len(facts) == 4, "the others come behind it"

    @pytest.mark.parametrize("kind", ["passage", "frame", "fact", "note"])
    async def test_one_kind_alone(self, drawn: AsyncMemory, kind: Any):
        found = await drawn.recall("u", "kitten", Plan(kinds=(kind,)))
        assert found.hits
        assert {hit.record.kind for hit in found.hits} == {kind}

    async def test_a_fact_comes_only_with_its_own_source(self, drawn: AsyncMemory):
        found = await drawn.recall("u", "Miso", Plan(during=Interval(start=datetime(2024, 3, 2, 10, 2, tzinfo=UTC))))
        assert refs(found) == ["3"]
        assert found.frames
        assert not found.facts

    @pytest.mark.parametrize(
        "narrow",
        [
            {"session": "spring"},
            {"speaker": "Ann"},
            {"during": Interval(end=datetime(2024, 3, 2, 10, 1, tzinfo=UTC))},
        ],
    )
    async def test_a_frame_for_which_there_is_no_room_hides_no_fact(self, drawn: AsyncMemory, narrow: dict[str, Any]):
        plan = Plan(kinds=("frame", "fact"), **narrow)
        found = await drawn.recall("u", "a kitten came", plan)
        assert [hit.record.id for hit in found.hits] == ["frame", "fact"]
        assert [hit.record.id for hit in found.within(45)] == ["fact"]

    async def test_an_entity_comes_with_every_passage_it_is_named_in(self, told: AsyncMemory):
        """Also where it was first named in another one."""
        await told.remember(
            "u", [Message("we saw Porto today", session="x"), Message("they say Porto has zebras", session="y")]
        )
        await told.flush()
        found = await told.recall("u", "zebras", Plan(kinds=("passage", "entity"), limit=1))
        assert [passage.session for passage in found.passages] == ["y"]
        assert [hit.record.text for hit in found.hits if hit.record.kind == "entity"] == ["Porto"]


class TestAskedWhen:
    SPRING = datetime(2024, 3, 5, 10, tzinfo=UTC)

    @pytest.mark.parametrize(
        ("talk", "did", "will"),
        [
            (
                (
                    "the choir of Porto sang and it was lovely",
                    "the choir of Porto sang and we heard it last week",
                    "the choir of Porto sings and we hear it next month",
                    "recently the choir of Porto sang and it was lovely",
                ),
                "When did the choir of Porto sing?",
                "When will the choir of Porto sing?",
            ),
            (
                (
                    "合唱团在公园唱歌真好听",
                    "上周合唱团在公园唱歌",
                    "下个月合唱团在公园唱歌",
                    "最近合唱团在公园唱歌",
                ),
                "合唱团什么时候在公园唱的歌？",
                "合唱团打算什么时候在公园唱歌？",
            ),
        ],
    )
    async def test_what_says_a_time_comes_first(self, db: str, talk: tuple[str, ...], did: str, will: str):
        said = [*talk, *(f"cup {number} of tea at home" for number in range(20))]
        messages = [Message(text, time=self.SPRING, id=str(n), session=str(n)) for n, text in enumerate(said)]
        async with AsyncMemory(db, embedder=None) as memory:
            await memory.remember("u", messages)
            found = await memory.recall("u", did, at=self.SPRING)
            assert set(refs(found)[:2]) == {"1", "2"}
            assert [hit.parts["when"] > 0 for hit in found.hits if hit.record.kind == "passage"][:4] == [1, 1, 0, 0]
            assert refs(await memory.recall("u", will, at=self.SPRING))[0] == "2"


async def test_what_rules_draw_moves_no_passage(db: str, clock: FakeClock, embedder: HashEmbedder):
    """Their frames and entities repeat the talk: with them or without, every passage has the same score."""
    answers: list[list[tuple[str | None, float]]] = []
    for scope, extractor in (("with", None), ("without", FakeExtractor(lambda _: Extraction()))):
        async with AsyncMemory(
            db, embedder=embedder, clock=clock, extractor=extractor, background=False
        ) as memory:  # fmt: skip
            await memory.remember(scope, TALK)
            await memory.flush(scope)
            assert bool(await memory.records(scope, "frame")) == (scope == "with")
            for query in ("kitten shelter", "小明在哪潜水？", "What did Bob say in July?"):
                found = await memory.recall(scope, query)
                answers.append([(p.record.ref, p.score) for p in found.hits if isinstance(p.record, Passage)])
    assert answers[:3] == answers[3:]


class TestAsOf:
    async def test_is_what_was_known_then(self, memory: AsyncMemory, clock: FakeClock):
        await memory.remember("u", TALK[:1])
        await memory.flush()
        then = clock.now
        before = await memory.recall("u", "kitten shelter letter", at=then)
        clock.advance(timedelta(days=1))
        await memory.remember("u", TALK[1:])
        await memory.flush()
        assert await memory.recall("u", "kitten shelter letter", at=then, as_of=then) == before
        assert refs(await memory.recall("u", "kitten shelter letter", as_of=then - timedelta(seconds=1))) == []
        assert len(refs(await memory.recall("u", "kitten shelter letter", as_of=clock.now))) > 1

    async def test_does_not_know_who_spoke_later(self, memory: AsyncMemory, clock: FakeClock):
        await memory.remember("u", [Message("tea", speaker="Ann", id="a"), Message("tea", speaker="Cid", id="c")])
        await memory.flush()
        then = clock.now
        before = await memory.recall("u", "tea of Ann and Bob", explain=True, at=then)
        clock.advance(60)
        await memory.remember("u", Message("cake", speaker="Bob"))
        await memory.flush()
        after = await memory.recall("u", "tea of Ann and Bob", explain=True, at=then, as_of=then)
        assert before.trace is not None
        assert before.trace.speakers == ("Ann",)
        assert after == before


class TestExplained:
    async def test_how_an_answer_came_about(self, told: AsyncMemory):
        found = await told.recall("u", "Which kitten did Ann adopt in March?", explain=True)
        trace = found.trace
        assert trace is not None
        assert {"kitten", "adopt"} <= set(trace.terms)
        assert "which" not in trace.terms
        assert trace.speakers == ("Ann",)
        assert len(trace.windows) == 1
        assert (trace.profile, trace.pool) == ("passages", 6)
        assert set(trace.weights) <= set(found.hits[0].parts)

    async def test_only_when_asked(self, told: AsyncMemory):
        assert (await told.recall("u", "kitten")).trace is None

    async def test_changes_nothing(self, told: AsyncMemory):
        plain, explained = await told.recall("u", "kitten"), await told.recall("u", "kitten", explain=True)
        assert plain.hits == explained.hits

    async def test_the_confidence(self, told: AsyncMemory):
        known, unknown = await told.recall("u", "kitten shelter"), await told.recall("u", "quantum zebra physics")
        assert 0 <= unknown.confidence < known.confidence <= 1


class TestDegraded:
    @pytest.mark.parametrize("failure", [ProviderUnavailable("no connection"), ProviderAuthError("the key is wrong")])
    async def test_the_other_channels_answer(self, told: AsyncMemory, embedder: HashEmbedder, failure: Exception):
        embedder.fail = failure
        found = await told.recall("u", "kitten", explain=True)
        assert refs(found)[0] == "1"
        assert found.degraded == (f"dense: {failure}",)
        assert found.trace is not None
        assert found.trace.profile == "keyword"
        embedder.fail = None
        assert (await told.recall("u", "kitten")).degraded == ()

    async def test_a_fault_in_a_model_is_not_hidden(self, told: AsyncMemory, embedder: HashEmbedder):
        embedder.fail = KeyError("bug")
        with pytest.raises(KeyError):
            await told.recall("u", "kitten")

    async def test_another_model_than_the_stored_one(self, db: str, clock: FakeClock):
        async with AsyncMemory(db, embedder=HashEmbedder(64), clock=clock, background=False) as memory:
            await memory.remember("u", TALK)
            await memory.flush()
            receipt = await memory.remember("u", "the kitten sleeps")
        async with AsyncMemory(db, embedder=HashEmbedder(32), clock=clock, background=False) as other:
            found = await other.recall("u", "kitten from the shelter")
            assert refs(found)[0] == "1"
            (why,) = found.degraded
            assert "hash/64" in why
            assert "hash/32" in why
            with pytest.raises(EmbeddingMismatch, match=r"hash/64.*hash/32.*fabula reembed"):
                await other.remember("u", "the kitten wakes")
            flushed = await other.flush()
            assert flushed.failed == 1
            assert any("hash/64" in error and "hash/32" in error for error in flushed.errors)
            assert (await other.stats("u")).pending == {"embed": 1}
            assert len(await other.records("u")) == len(TALK) + 1
            assert "the kitten sleeps" in [p.text for p in (await other.recall("u", "kitten sleeps")).passages]
            assert await other.check() == []
        async with AsyncMemory(db, embedder=HashEmbedder(64), clock=clock) as memory:
            assert (await memory.flush()).pending == 0
            assert (await memory.recall("u", "kitten sleeps", DENSE)).hits[0].record.id == receipt.ids[0]

    async def test_another_model_in_another_scope_is_none_of_its_business(self, db: str, clock: FakeClock):
        async with AsyncMemory(db, embedder=HashEmbedder(64), clock=clock) as memory:
            await memory.remember("u", TALK)
            await memory.flush()
        async with AsyncMemory(db, embedder=HashEmbedder(32), clock=clock) as other:
            await other.remember("v", TALK)
            assert (await other.flush("v")).pending == 0
            assert (await other.recall("v", "kitten")).degraded == ()


class TestFusion:
    async def test_by_reciprocal_ranks(self, told: AsyncMemory):
        found = await told.recall("u", "kitten shelter", Plan(fusion="rrf", kinds=("passage",)), explain=True)
        assert found.trace is not None
        assert (found.trace.profile, dict(found.trace.weights)) == ("rrf", {"rank": 1.0})
        assert refs(found)[0] == "1"
        assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)

    @pytest.mark.parametrize("channel", ["dense", "sparse", "context"])
    async def test_one_channel_alone(self, told: AsyncMemory, channel: Any):
        assert refs(await told.recall("u", "scary diving", Plan(channels=(channel,))))[0] in ("4", "5")

    async def test_a_model_that_is_not_asked_for_is_not_asked(self, told: AsyncMemory, embedder: HashEmbedder):
        calls = len(embedder.calls)
        await told.recall("u", "kitten", SPARSE)
        assert len(embedder.calls) == calls


# --- the same answer however it is come by -----------------------------------------------------------------------

WORDS = ["tea", "kitten", "Porto", "潜水", "杭州", "diving", "music", "茶", "Ann", "Bob"]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
messages = st.builds(
    Message,
    sentences,
    speaker=st.sampled_from(["Ann", "Bob", "小明"]),
    session=st.sampled_from(["s", "t"]),
    time=st.sampled_from([None, "2024-03-01T10:00:00Z", "2023-12-24"]),
    id=st.none() | st.sampled_from("abcdef"),
)
steps = st.one_of(
    st.tuples(st.just("remember"), st.lists(messages, min_size=1, max_size=4)),
    st.tuples(st.just("forget"), st.sampled_from([{"refs": ["a", "b"]}, {"session": "s"}, {"everything": True}])),
    st.tuples(st.just("flush"), st.none()),
    st.tuples(st.just("recall"), sentences),
)
PLANS = [Plan(), Plan(fusion="rrf"), Plan(session="s", kinds=("passage", "frame", "entity")), SPARSE]


async def take(memory: AsyncMemory, scope: str, step: tuple[str, Any]) -> None:
    what, given_ = step
    if what == "remember":
        await memory.remember(scope, given_)
    elif what == "forget":
        await memory.forget(scope, **given_)
    elif what == "flush":
        await memory.flush(scope)
    else:
        await memory.recall(scope, given_)


def seen(found: Recollection) -> list[tuple[str, Mapping[str, Any]]]:
    """What came back, scores rounded: sums of floats may be added up in another order."""
    return [
        (hit.record.id, {"score": pytest.approx(hit.score, abs=1e-4), "kind": hit.record.kind, "text": hit.record.text})
        for hit in found.hits
    ]


# The examples share a database, each with a scope of its own.
together = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(taken=st.lists(steps, min_size=1, max_size=6), query=sentences)
@together
async def test_hot_and_cold_answer_alike(taken: list[tuple[str, Any]], query: str, db: str):
    """One reads an index that grew step by step, one does so elsewhere, one loads it anew for each question."""
    scope, clock, embedder = uuid.uuid4().hex, FakeClock(), HashEmbedder(16)
    async with (
        AsyncMemory(db, embedder=embedder, clock=clock, background=False) as hot,
        AsyncMemory(db, embedder=embedder, clock=clock, background=False) as elsewhere,
        AsyncMemory(db, embedder=embedder, clock=clock, background=False, settings=COLD) as cold,
    ):
        for step in taken:
            clock.advance(1)
            await take(hot, scope, step)
            for plan in PLANS:
                warm = await hot.recall(scope, query, plan, at=clock.now)
                fresh = await cold.recall(scope, query, plan, at=clock.now)
                assert seen(fresh) == seen(warm)
                assert seen(await elsewhere.recall(scope, query, plan, at=clock.now)) == seen(warm)
                assert fresh.confidence == pytest.approx(warm.confidence, abs=1e-4)
        await hot.flush(scope)
        assert await hot.check(scope) == []


@given(batches=st.lists(st.lists(messages, min_size=1, max_size=3), min_size=2, max_size=4), query=sentences)
@together
async def test_as_of_then_is_what_was_recalled_then(batches: list[list[Message]], query: str, db: str):
    scope, clock = uuid.uuid4().hex, FakeClock()
    async with AsyncMemory(db, embedder=HashEmbedder(16), clock=clock) as memory:
        answers: dict[datetime, Recollection] = {}
        for batch in batches:
            clock.advance(3600)
            await memory.remember(scope, batch)
            await memory.flush(scope)
            answers[clock.now] = await memory.recall(scope, query, at=clock.now)
        for then, answer in answers.items():
            again = await memory.recall(scope, query, at=then, as_of=then)
            assert seen(again) == seen(answer)


async def test_the_same_question_has_the_same_answer(told: AsyncMemory, db: str, clock: FakeClock):
    first = await told.recall("u", "kitten shelter 潜水")
    assert all([await told.recall("u", "kitten shelter 潜水") == first for _ in range(3)])
    both = await asyncio.gather(*(told.recall("u", "kitten shelter 潜水") for _ in range(4)))
    assert set(map(repr, both)) == {repr(first)}
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as other:
        assert seen(await other.recall("u", "kitten shelter 潜水")) == seen(first)


async def test_what_is_listed(told: AsyncMemory):
    async def listed(**narrow: Any) -> list[str | None]:
        return [record.ref for record in await told.records("u", **narrow) if isinstance(record, Passage)]

    assert await listed() == ["1", "2", "3", "4", "5", "6"]
    assert await listed(limit=2) == ["1", "2"]
    assert await listed(session="summer") == ["4", "5"]
    assert await listed(speaker="小明") == ["4"]
    assert await listed(mentions="KITTEN") == ["1", "2"]
    assert await listed(mentions="shelter", speaker="Bob", limit=1) == ["6"]
    assert await listed(during=Interval(start=datetime(2024, 10, 1, 10, tzinfo=UTC))) == ["6"]
    assert await listed(session="none") == []
    for wrong in ({"kind": "x"}, {"kind": ""}, {"limit": 0}, {"session": ""}, {"speaker": ""}, {"mentions": ""}):
        with pytest.raises(InvalidInput):
            await told.records("u", **wrong)  # pyright: ignore[reportArgumentType]


class TestExpansion:
    async def test_what_is_tied_stays_within_the_filters(self, told: AsyncMemory):
        everything = Plan(kinds=("passage",), limit=1, expand=10)
        found = await told.recall("u", "kitten", everything)
        assert len({passage.speaker for passage in found.passages}) > 1, "there is something to keep out"
        narrowed = await told.recall("u", "kitten", Plan(kinds=("passage",), limit=1, expand=10, speaker="Ann"))
        assert {passage.speaker for passage in narrowed.passages} == {"Ann"}
        assert len(narrowed.passages) > 1
