"""Field reports of what became of facts, frames and entities: found, timed, deleted, interrupted; on both engines.

The id in brackets names the report. How facts are joined is tested in test_link.py.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from reports import case
from working import Working, drawn, draws

from fabula import AsyncMemory, Interval, Memory, Message, Passage, Plan, Settings
from fabula.abc import Embedder, Extraction, Reply, Role, Vectors
from fabula.prompts import JUDGEMENT
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM
from fabula.types import CHANNELS, Channel, Fact, Frame, Kind, Record

WAYS: dict[str, tuple[Channel, ...]] = {
    "dense": ("dense",),
    "sparse": ("sparse",),
    "keys": ("dense", "sparse", "facts", "frames"),
    "all": CHANNELS,
}


@pytest.fixture
async def memory(db: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(
        db, embedder=HashEmbedder(), extractor=FakeExtractor(drawn), clock=FakeClock("2024-05-01"), background=False
    ) as opened:
        yield opened


async def flushed(memory: AsyncMemory) -> None:
    done = await memory.flush()
    assert (done.pending, done.errors) == (0, ())
    assert await memory.check() == []


async def texts(memory: AsyncMemory, kind: Kind, scope: str = "u") -> list[str]:
    return [record.text for record in await memory.records(scope, kind)]


# --- retrieval ------------------------------------------------------------------------------------------------------


class Axes(Embedder):
    """A text's vector is named by its last word."""

    space, dimensions = "axes", 4
    KNOWN: Mapping[str, tuple[float, float]] = {"one": (1, 0), "two": (0.8, 0.6), "three": (0, 1)}

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        found = np.zeros((len(texts), 4), np.float32)
        found[:, :2] = [self.KNOWN[text.split()[-1]] for text in texts]
        return found


@case("B045")
async def test_the_nearest_come_first_and_by_how_near_they_are(db: str, report: str):
    """Of passages as of what was drawn from them."""

    def same(window: Sequence[Passage]) -> Extraction:
        return Extraction(facts=tuple(Fact(scope="", id="", text=p.text, sources=(p.id,)) for p in window))

    given: dict[str, Any] = {"extractor": FakeExtractor(same), "clock": FakeClock(), "background": False}
    async with AsyncMemory(db, embedder=Axes(), **given) as memory:
        await memory.remember("u", [Message(f"x {name}", session=name) for name in ("three", "two", "one")])
        await flushed(memory)
        for kind in ("passage", "fact"):
            for fusion in ("linear", "rrf"):
                plan = Plan(channels=("dense", "facts"), kinds=(kind,), fusion=fusion)  # pyright: ignore
                hits = (await memory.recall("u", "which one", plan)).hits
                assert [hit.record.text for hit in hits][:2] == ["x one", "x two"]
                cosines = {hit.record.text: hit.parts["cosine"] for hit in hits}
                assert abs(cosines["x one"] - 1) < 1e-6
                assert abs(cosines["x two"] - 0.8) < 1e-3
                assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
                relevant = [hit.relevance for hit in hits]
                assert relevant == sorted(relevant, reverse=True)
                edge = (relevant[1] + relevant[-1]) / 2 if len(hits) == 3 else relevant[1]
                left = await memory.recall(
                    "u",
                    "which one",
                    Plan(channels=("dense", "facts"), kinds=(kind,), fusion=fusion, min_relevance=edge),
                )  # pyright: ignore
                assert [hit.record.text for hit in left.hits] == ["x one", "x two"]
        store = memory._store  # pyright: ignore[reportPrivateUsage]
        index = await store.load("u", "axes")
        numbers, vectors = await store.nearest("u", "axes", np.eye(4, dtype=np.float32)[0], 4)
        assert set(numbers.tolist()) <= {*index.of("passage").number.tolist(), *index.of("fact").number.tolist()}
        assert abs(vectors[:, 0].max() - 1) < 1e-6


@case("B046")
@pytest.mark.parametrize("way", WAYS)
async def test_the_filter_comes_before_the_best_of_what_was_drawn(memory: AsyncMemory, report: str, way: str):
    few = [Message(f"a cat of mine was the {n}th", session="b", time="2023-01-01") for n in range(5)]
    many = [Message(f"the black cat number {n}", session="a", time="2024-01-01") for n in range(120)]
    memory.settings = Settings(fuse=False)
    await memory.remember("u", [*few, *many])
    await memory.flush()
    day = Interval(start=datetime(2023, 1, 1, tzinfo=UTC), end=datetime(2023, 1, 2, tzinfo=UTC))
    for narrow in ({"session": "b"}, {"during": day}):
        for kind in ("passage", "fact", "frame"):
            plan = Plan(limit=5, kinds=(kind,), channels=WAYS[way], **narrow)  # pyright: ignore
            found = [hit.record.text for hit in (await memory.recall("u", "the black cat", plan)).hits]
            assert len(found) == 5
            assert all("mine" in text for text in found)


@case("B048")
@pytest.mark.parametrize("channels", [("graph",), ("graph", "dense"), CHANNELS], ids=["alone", "beside", "all"])
async def test_a_question_that_names_nothing_in_the_graph(memory: AsyncMemory, report: str, channels: Any):
    plan = Plan(channels=channels, kinds=("passage", "fact", "entity"), expand=3)
    for text in ("", "Ivo owns kayak", "Ana knows Bo"):
        if text:
            await memory.remember("u", text)
            await flushed(memory)
        for query in ("weather tomorrow?", "zzz", "Ivo", "Ivo Ana"):
            found = await memory.recall("u", query, plan)
            assert found.degraded == ()
            if channels != ("graph",):
                dense = await memory.recall("u", query, Plan(channels=("dense",), kinds=("passage",)))
                assert {passage.id for passage in dense.passages} <= {passage.id for passage in found.passages}


@case("B065")
async def test_each_sees_only_what_was_drawn_of_its_own(memory: AsyncMemory, report: str):
    scopes = ["u", "u1", "U", "u%", "x' OR '1'='1"]
    for n, scope in enumerate(scopes):
        await memory.remember(scope, f"canary{n} likes plums{n}")
    await flushed(memory)
    for n, scope in enumerate(scopes):
        for way in WAYS.values():
            plan = Plan(kinds=("passage", "frame", "fact", "entity"), channels=way, expand=5)
            found = await memory.recall(scope, " ".join(f"canary{m} likes plums{m}" for m in range(len(scopes))), plan)
            assert {hit.record.scope for hit in found.hits} == {scope}
            assert not [m for m in range(len(scopes)) if m != n and f"canary{m}" in repr(found.hits)]
        assert await texts(memory, "fact", scope) == [f"canary{n} likes plums{n}"]
        assert (await memory.stats(scope)).records["entity"] == 2


@case("B067")
async def test_quotes_in_names_change_no_statement(memory: AsyncMemory, report: str):
    names = ["O'Brien", "x'--", '"a"', "%", "_", "tag'='a'OR'1'='1'", ":id", "$1", "?"]
    for name in names:
        await memory.remember("u", f"{name} likes {name}'s")
        await flushed(memory)
    assert len(await texts(memory, "fact")) == len(names)
    for name in ("O'Brien", "x'--"):
        found = await memory.recall("u", f"What does {name} like?", Plan(kinds=("fact",)))
        assert found.facts[0].subject == name
    await memory.forget("u", ids=[r.id for r in await memory.records("u") if "O'Brien" in r.text])
    assert len(await texts(memory, "fact")) == len(names) - 1


@case("B069")
async def test_a_name_is_one_however_it_is_composed(memory: AsyncMemory, report: str):
    for name in ("jos\u00e9", "jose\u0301", "JOS\u00c9"):
        await memory.remember("u", f"{name} likes tea")
        await flushed(memory)
    assert await texts(memory, "fact") == ["jos\u00e9 likes tea"]
    assert [e.text for e in await memory.records("u", "entity")] == ["jos\u00e9", "tea"]


# --- deletion -------------------------------------------------------------------------------------------------------


@case("B053")
@pytest.mark.parametrize("how", ["ids", "refs", "session"])
async def test_what_is_deleted_is_found_by_no_path(memory: AsyncMemory, report: str, how: str):
    await memory.remember("u", Message("Nora likes tea", session="a"))
    await flushed(memory)
    before = await memory.stats("u")
    (canary,) = (await memory.remember("u", Message("canary-7Q likes plums", id="m2", session="b"))).ids
    await flushed(memory)
    assert (await memory.stats("u")).records != before.records
    what: dict[str, Any] = {"ids": {"ids": [canary]}, "refs": {"refs": ["m2"]}, "session": {"session": "b"}}[how]
    assert await memory.forget("u", **what)
    assert not await memory.forget("u", **what)
    await flushed(memory)
    assert (await memory.stats("u")).records == before.records
    for channels in WAYS.values():
        for fusion in ("linear", "rrf"):
            for query in ("canary-7Q", "plums", "Who likes plums?", "Nora"):
                plan = Plan(kinds=("passage", "frame", "fact", "entity"), channels=channels, fusion=fusion, expand=5)  # pyright: ignore
                found = await memory.recall("u", query, plan, explain=True)
                assert "canary" not in repr(found.hits)
                assert "plums" not in repr(found.hits)
    kinds: tuple[Kind, ...] = ("passage", "frame", "fact", "entity", "note")
    left: list[Record] = [record for kind in kinds for record in await memory.records("u", kind, status=None)]
    assert "canary" not in repr(left)


@case("B055")
async def test_a_fact_told_again_keeps_what_is_known_of_it(db: str, report: str):
    def told(window: Sequence[Passage]) -> Extraction:
        first = window[0].ref == "1"
        more: dict[str, Any] = {"meta": {"tag": "x"}, "importance": 0.8} if first else {}
        fact = Fact(scope="", id="", text="Nora likes tea", subject="Nora", predicate="likes", object="tea",
                    sources=(window[0].id,), **more)  # fmt: skip
        return Extraction(facts=(fact,))

    clock = FakeClock("2024-05-01")
    given: dict[str, Any] = {
        "embedder": HashEmbedder(),
        "extractor": FakeExtractor(told),
        "clock": clock,
        "background": False,
    }
    async with AsyncMemory(db, **given) as memory:
        await memory.remember("u", Message("tea", id="1"))
        await flushed(memory)
        (before,) = await memory.records("u", "fact")
        then = clock.now
        clock.advance(3600)
        await memory.remember("u", Message("tea!", id="2"))
        await flushed(memory)
        (after,) = await memory.records("u", "fact")
        told_first = {"worded_by": list(before.sources)}
        assert (after.id, after.meta, after.importance) == (before.id, {"tag": "x", **told_first}, 0.8)
        assert len(after.sources) == 2
        was = await memory.get("u", after.id, as_of=then)
        assert was is not None
        assert was.recorded is not None
        assert after.recorded is not None
        assert (was.recorded.start, after.recorded.start) == (then, clock.now)


# --- time -----------------------------------------------------------------------------------------------------------


WHEN: list[tuple[str, str, str, str | None, str | None]] = [
    ("B080", "2023-05-24T10:00Z", "I went to Lyon last week", "2023-05-15", "2023-05-22"),
    ("B080", "2023-05-24T10:00Z", "我上周去了里昂", "2023-05-15", "2023-05-22"),
    ("B080", "2024-01-01T10:00Z", "I went to Lyon yesterday", "2023-12-31", "2024-01-01"),
    ("B081", "2031-03-31", "I went to Lyon last month", "2031-02-01", "2031-03-01"),
    ("B081", "2025-04-05", "It was due on the 1st of last month", "2025-03-01", "2025-03-02"),
    ("B081", "2031-01-31", "It is due next month", "2031-02-01", "2031-03-01"),
    ("B081", "2031-03-31", "我上个月去了里昂", "2031-02-01", "2031-03-01"),
    ("B082", "2028-02-29", "We met a year ago today", "2027-02-28", "2027-03-01"),
    ("B082", "2028-02-29", "We met last year", "2027-01-01", "2028-01-01"),
    ("B082", "2028-02-29", "我们去年见过面", "2027-01-01", "2028-01-01"),
    ("B083", "2025-03-05", "我昨天去了杭州", "2025-03-04", "2025-03-05"),
    ("B083", "2025-03-05", "我前天去了杭州", "2025-03-03", "2025-03-04"),
    ("B083", "2025-03-05", "我大前天去了杭州", "2025-03-02", "2025-03-03"),
    ("B083", "2025-03-05", "我大后天去杭州", "2025-03-08", "2025-03-09"),
    ("B083", "2025-03-05", "我上个月去了杭州", "2025-02-01", "2025-03-01"),
    ("B083", "2025-03-05", "我上周三去了杭州", "2025-02-26", "2025-02-27"),
    ("B083", "2025-03-05", "我三天前去了杭州", "2025-03-02", "2025-03-03"),
    ("B083", "2025-03-05", "我去年上半年去了杭州", "2024-01-01", "2024-07-01"),
    ("B093", "2030-05-05", "I moved there in 1998", "1998-01-01", "1999-01-01"),
    ("B093", "2026-01-01", "The fair is in week 53 of 2026", "2026-12-28", "2027-01-04"),
    ("B093", "2026-01-01", "Caesar died in 44 BC", None, None),
]


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize("model", [False, True], ids=["rules", "a model"])
@pytest.mark.parametrize(
    ("said", "text", "start", "end"), [pytest.param(*row[1:], id=f"{row[0]}-{n}") for n, row in enumerate(WHEN)]
)
async def test_times_count_from_the_message_all_the_way(
    db: str, model: bool, said: str, text: str, start: str | None, end: str | None
):
    """Worked on years later; the frame, the event and the fact have the time that was said, and it is found by."""
    told = {"frames": [{"summary": text, "events": [{"action": text, "time": text}]}],
            "facts": [{"text": text, "valid_from": text, "valid_to": text}]}  # fmt: skip
    llm = ScriptedLLM([json.dumps(told)]) if model else None
    clock = FakeClock("2035-07-01")
    async with AsyncMemory(db, embedder=HashEmbedder(), llm=llm, clock=clock, background=False) as memory:
        await memory.remember("u", Message(text, time=said, speaker="Ann"))
        await flushed(memory)
        (frame,) = await memory.records("u", "frame")
        assert isinstance(frame, Frame)
        times = [event.time for event in frame.events] + [fact.valid for fact in await memory.records("u", "fact")]
        if start is None or end is None:
            assert times == [None] * len(times)
            assert frame.text.endswith(text)
        else:
            assert all(time is not None and (time.start, time.end) == (day(start), day(end)) for time in times)
            assert frame.valid == times[0]
        shown = (await memory.recall("u", text)).render()
        assert "2035" not in shown + (llm.calls[0].text if llm else "")
        assert said[:10] in shown


@case("B086", "B089")
async def test_odd_clocks_of_messages_harm_no_recall(memory: AsyncMemory, report: str):
    """Naive and aware times, one far ahead, one long ago, with all that is drawn from them."""
    times = ["2024-04-01T08:00:00", "2024-04-01T18:00:00+09:00", "2024-04-01T10:00:00Z", "2525-01-01", "0001-01-01"]
    await memory.remember("u", [Message(f"tea at {n}", time=time, session=time) for n, time in enumerate(times)])
    await flushed(memory)
    for query in ("tea", "tea yesterday", "When was the latest tea?", "tea in 2525"):
        found = await memory.recall("u", query, Plan(kinds=("passage", "frame", "fact")))
        assert len(found.passages) == 5
        assert all(np.isfinite(hit.score) and 0 <= hit.score <= 1 for hit in found.hits)


# --- interruption and company ---------------------------------------------------------------------------------------


def killed(db: str, scope: str, lines: int, seconds: float) -> None:
    """Kill a process that works on facts and frames, and see that all it acknowledged is there and agrees."""
    process = Working(draws, db, scope)
    told = [int(process.told()) for _ in range(lines)]
    threading.Event().wait(seconds)
    process.kill()
    given: dict[str, Any] = {"embedder": HashEmbedder(), "extractor": FakeExtractor(drawn), "background": False}
    with Memory(db, **given) as memory:
        assert memory.check(scope) == []
        facts = {fact.text for fact in memory.records(scope, "fact")}
        assert {f"Nora{n % 7} owns boat{n}" for n in range(told[-1] + 1)} <= facts
        assert memory.flush(scope, seconds=60).pending == 0
        assert len(memory.records(scope, "fact")) == len(memory.records(scope))
        assert memory.check(scope) == []


@case("B079", "B096")
def test_a_process_that_is_killed_while_it_makes_facts_and_frames(db: str, report: str):
    for moment in range(2):
        killed(db, f"u{moment}", 1 + moment, 0.013 * moment)


@pytest.mark.slow
@pytest.mark.timeout(600)
@case("B079")
def test_a_process_that_is_killed_at_25_moments(db: str, report: str):
    for moment in range(25):
        killed(db, f"u{moment}", 1 + moment % 3, 0.014 * moment)


@case("B094")
async def test_twenty_at_once_who_say_the_same(db: str, report: str):
    """Twenty messages are twenty, and what they say is one fact with twenty sources; two memories are at it."""
    given: dict[str, Any] = {"extractor": FakeExtractor(drawn), "settings": Settings(window=1, idle=0)}
    async with (
        AsyncMemory(db, embedder=HashEmbedder(delay=0.02), **given) as one,
        AsyncMemory(db, embedder=HashEmbedder(delay=0.02), **given) as other,
    ):
        await asyncio.gather(*(each.remember("u", "Nora likes tea") for each in (one, other) for _ in range(10)))
        await asyncio.gather(one.flush(), other.flush())
        await flushed(one)
        (fact,) = await other.records("u", "fact")
        assert len(set(fact.sources)) == 20
        assert sorted(await texts(other, "entity")) == ["Nora", "tea"]


@case("B098")
async def test_fifty_mixed_calls_at_once_with_facts(db: str, report: str):
    given: dict[str, Any] = {"extractor": FakeExtractor(drawn), "settings": Settings(window=2, idle=0)}
    async with AsyncMemory(db, embedder=HashEmbedder(), **given) as memory:
        calls: list[Any] = []
        for n in range(10):
            calls += [
                memory.remember("u", Message(f"Nora{n} likes tea{n}", id=str(n))),
                memory.recall("u", "Who likes tea?", Plan(kinds=("fact", "frame", "entity"), expand=3)),
                memory.records("u", "fact", status=None),
                memory.flush("u", seconds=5) if n % 3 == 0 else memory.stats("u"),
                memory.forget("u", refs=[str(n - 1)]) if n % 4 == 1 else memory.check("u"),
            ]
        assert len(await asyncio.gather(*calls)) == 50
        await flushed(memory)
        left = {record.text for record in await memory.records("u")}
        assert set(await texts(memory, "fact")) == left


class Slow:
    """A language model that thinks until it is let go, about the talk or about frames."""

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()
        self.slow_at = ""

    async def chat(self, messages: Sequence[Mapping[str, str]], **_: Any) -> Reply:
        judging = messages[0]["content"] == JUDGEMENT
        if judging == (self.slow_at == "judgement"):
            self.asked.set()
            await self.go.wait()
        return Reply(text="{}" if judging else '{"frames": [{"summary": "Nora sailed to Faro with her blue boat"}]}')


@case("B099")
@pytest.mark.parametrize("slow_at", ["extraction", "judgement"])
async def test_nothing_waits_while_a_language_model_thinks(db: str, slow_at: str, report: str):
    llm = Slow()
    llm.slow_at = slow_at
    url = f"{db}?pool=2" if "://" in db else db
    settings = Settings(window=1, idle=0, busy=10)
    async with AsyncMemory(url, embedder=HashEmbedder(), llm=llm, settings=settings) as memory:
        await memory.remember("u", [Message("Nora sailed", session=str(n)) for n in range(2)])
        async with asyncio.timeout(60):
            await llm.asked.wait()
            for scope in ("u", *(f"u{n}" for n in range(9))):
                assert (await memory.remember(scope, "later it rained")).added == 1
            assert len(await memory.records("u")) == 3
            assert (await memory.recall("u", "rained")).passages[0].text == "later it rained"
            assert (await memory.stats()).records["passage"] == 12
            assert await memory.forget("u1", everything=True)
        assert not llm.go.is_set()
        llm.go.set()
        assert (await memory.flush(seconds=60)).pending == 0
        assert await memory.check() == []
