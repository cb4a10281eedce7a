"""Relevance, recency and importance; what a caller writes; similarity alone; and the filters that narrow them."""

import asyncio
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from fabula import (
    AsyncMemory,
    Emotion,
    Entity,
    Event,
    Fact,
    Factors,
    Frame,
    Insight,
    Interval,
    InvalidInput,
    Message,
    Plan,
)
from fabula.abc import Changes, Embedder, Extraction, Role, Vectors
from fabula.extract import entry_of
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import KINDS, SORT, Passage, Record

NOW = datetime(2030, 6, 1, tzinfo=UTC)
ALL = Plan(kinds=("passage", "frame", "fact", "insight"), factors=Factors())


def fact(text: str, **given: object) -> Fact:
    return Fact(scope="", id="", text=text, **given)  # type: ignore[arg-type]


def ago(days: float) -> Interval:
    return Interval.at(NOW - timedelta(days=days))


class Told(Embedder):
    """An embedder whose vectors are told."""

    space, dimensions = "told/2", 2

    def __init__(self, cosines: dict[str, float]) -> None:
        self.cosines = cosines

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        near = np.array([self.cosines.get(text, 1.0) for text in texts])
        return np.stack([near, np.sqrt(1 - near**2)], axis=1).astype(np.float32)


@pytest.fixture
async def memory(db: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock(NOW)) as opened:
        yield opened


def texts(records: Sequence[Record]) -> list[str]:
    return [record.text for record in records]


class TestThreeFactors:
    async def test_what_is_not_known_is_no_part(self, db: str):
        """No passage told of a caller's fact, and without an embedder nothing says how alike two texts are."""
        async with AsyncMemory(db, embedder=None, clock=FakeClock(NOW)) as memory:
            await memory.add("u", [fact("tea in Porto")])
            await memory.remember("u", "We had tea in Porto")
            hits = (await memory.recall("u", "tea in Porto", ALL)).hits
        assert {hit.record.kind for hit in hits} >= {"fact", "passage"}
        assert all(math.isfinite(value) for hit in hits for value in hit.parts.values())
        assert all("similarity" not in hit.parts for hit in hits)
        assert ["told" in hit.parts for hit in hits if hit.record.kind != "frame"].count(True) == 1

    async def test_the_row_of_the_table_is_reproduced(self, db: str):
        old, new = "我在 Google 工作", "上周从 Google 离职了"
        async with AsyncMemory(db, embedder=Told({old: 0.95, new: 0.85}), clock=FakeClock(NOW)) as memory:
            await memory.add("u", [fact(old, valid=ago(365), importance=1.0), fact(new, valid=ago(7), importance=1.0)])
            await memory.flush("u")
            found = await memory.recall("u", "我在哪工作？", Plan(factors=Factors(floor=0.0)))
        first, second = found.hits
        assert (first.record.text, second.record.text) == (new, old)
        assert first.score == pytest.approx(0.85 * math.exp(-7 / 30), abs=1e-3)
        assert first.score == pytest.approx(0.67, abs=0.005)
        assert {name: round(first.parts[name], 2) for name in ("relevance", "recency", "importance")} == {
            "relevance": 0.85, "recency": 0.79, "importance": 1.0,
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("question", "old", "new", "other"),
        [
            ("Where do I work?", "I'm with Google", "I quit Siemens. On Monday I start at Spotify", "it does not work"),
            ("我住在哪里？", "我住北京朝阳区", "我们上周搬到了上海", "邻居的狗整夜叫"),
            ("What car do I drive?", "I drive a Volvo", "I traded it in for a Tesla", "my bike has a flat tyre"),
            ("我用什么手机？", "我用华为手机", "换成了小米的", "自行车坏了"),
        ],
    )
    async def test_what_has_changed_comes_before_what_was_so(
        self, db: str, question: str, old: str, new: str, other: str
    ):
        """In words of its own, which are less like the question; what is asked about the past is told by the past."""
        alike = {old: 0.95, new: 0.6, other: 0.9}
        async with AsyncMemory(db, embedder=Told(alike), clock=FakeClock(NOW)) as memory:
            await memory.add("u", [fact(old, valid=ago(365)), fact(new, valid=ago(40)), fact(other, valid=ago(60))])
            await memory.flush("u")
            now = texts((await memory.recall("u", question, ALL)).facts)
            then = texts((await memory.recall("u", f"{question} two years ago 两年前", ALL)).facts)
            plain = texts((await memory.recall("u", question, Plan(kinds=("fact",), factors=Factors(floor=0)))).facts)
        assert now.index(new) < now.index(old)
        assert then.index(old) < then.index(new)
        assert plain.index(new) < plain.index(old), "without a floor age alone decides"

    @pytest.mark.parametrize("question", ["Where do I work?", "我在哪工作？", "What car do I drive?"])
    async def test_of_nobody_nothing_has_changed(self, memory: AsyncMemory, question: str):
        assert (await memory.recall("nobody", question, ALL)).hits == ()

    async def test_what_moved_stays_fresh_longer(self, memory: AsyncMemory):
        calm, stirred = Emotion(valence=0, arousal=0), Emotion(valence=0, arousal=1)
        await memory.add("u", [fact("plum jam one", valid=ago(30), emotion=calm)])
        await memory.add("u", [fact("plum jam two", valid=ago(30), emotion=stirred)])
        await memory.flush("u")
        parts = {h.record.text: h.parts for h in (await memory.recall("u", "plum jam", ALL)).hits}
        floor = Factors().floor
        assert parts["plum jam one"]["recency"] == pytest.approx(floor + (1 - floor) * math.exp(-1))
        assert parts["plum jam two"]["recency"] == pytest.approx(floor + (1 - floor) * math.exp(-1 / 1.5))

    async def test_the_future_is_as_fresh_as_now_and_no_fresher(self, memory: AsyncMemory):
        stirred = Emotion(valence=0, arousal=1)
        await memory.add("u", [fact("plum one", valid=ago(-365), emotion=stirred), fact("plum two", valid=ago(0))])
        await memory.flush("u")
        assert [h.parts["recency"] for h in (await memory.recall("u", "plum", ALL)).hits] == [1.0, 1.0]

    async def test_importance_decides_between_equals(self, memory: AsyncMemory):
        await memory.add("u", [fact("plum one", importance=0.2), fact("plum two", importance=0.9)])
        await memory.flush("u")
        assert texts((await memory.recall("u", "plum", ALL)).facts) == ["plum two", "plum one"]

    async def test_without_vectors_relevance_is_the_share_ranked_behind(self, db: str):
        async with AsyncMemory(db, embedder=None, clock=FakeClock(NOW)) as memory:
            await memory.remember("u", ["plum jam on toast", "plum trees", "rain"])
            found = await memory.recall("u", "plum jam", Plan(kinds=("passage",), factors=Factors()))
        assert [h.parts["relevance"] for h in found.hits] == sorted(h.parts["relevance"] for h in found.hits)[::-1]
        assert found.hits[0].record.text == "plum jam on toast"
        assert found.hits[0].parts["relevance"] == 1.0

    @pytest.mark.parametrize("factors", [None, Factors()], ids=["ranked", "weighed"])
    @pytest.mark.parametrize("query", ["where is the plum jam", "梅子酱在哪里"])
    async def test_the_least_score_and_relevance_hold_for_those_that_are_returned(
        self, memory: AsyncMemory, factors: Factors | None, query: str
    ):
        """Before the limit is cut: as many come back as there are."""
        words = "plum jam", "plum tree", "the jam", "梅子酱", "梅子树", "the tram"
        old = Interval(start=NOW - timedelta(days=400), end=NOW - timedelta(days=30))
        for n, text in enumerate(words):
            talk = Message(f"we had {text} {n}", time=NOW - timedelta(days=70 * n), session=str(n))
            await memory.remember("u", [talk])
            await memory.add("u", [fact(f"{text} {n} is here", importance=n / 5, valid=old if n % 2 else None)])
        await memory.flush("u")
        kinds = ("passage", "frame", "fact")
        every = (await memory.recall("u", query, Plan(kinds=kinds, factors=factors))).hits
        assert len({hit.score for hit in every}) > 5
        surely = (await memory.recall("u", query, Plan(kinds=kinds, factors=factors))).confidence
        for name in ("score", "relevance"):
            for bound in sorted({getattr(hit, name) for hit in every}):
                good = [hit for hit in every if getattr(hit, name) >= bound]
                for limit in (1, 10):
                    plan = Plan(kinds=kinds, factors=factors, limit=limit, **{f"min_{name}": bound})  # type: ignore[arg-type]
                    found = await memory.recall("u", query, plan)
                    best = [[hit for hit in good if hit.record.kind == kind][:limit] for kind in kinds]
                    assert {(h.record.id, h.score) for h in found.hits} == {
                        (h.record.id, h.score) for b in best for h in b
                    }
                    assert found.confidence == surely

    async def test_passages_and_what_stands_alone_are_weighed_together(self, memory: AsyncMemory):
        await memory.remember("u", [Message("we made plum jam", time=NOW - timedelta(days=400))])
        await memory.add("u", [fact("plum jam is in the cellar")])
        await memory.flush("u")
        found = await memory.recall("u", "where is the plum jam", ALL)
        assert {hit.record.kind for hit in found.hits} >= {"passage", "fact"}
        assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)

    @pytest.mark.parametrize(
        "given", [{"decay": 0}, {"decay": 10**400}, {"floor": 1.1}, {"floor": "x"}, {"rehearsal": 1}], ids=" ".join
    )
    def test_what_cannot_be_meant_is_refused(self, given: dict[str, object]):
        with pytest.raises(InvalidInput, match=next(iter(given))):
            Factors(**given)  # type: ignore[arg-type]


class TestAuthored:
    async def test_what_stands_alone_is_found_at_once_and_by_meaning(self, memory: AsyncMemory):
        (first,) = await memory.add("u", fact("小明喜欢潜水"))
        assert texts((await memory.recall("u", "潜水")).facts) == ["小明喜欢潜水"]
        await memory.flush("u")
        found = await memory.recall("u", "潜水")
        assert [h.record.id for h in found.hits] == [first]
        assert found.confidence > 0.5
        assert await memory.check("u") == []

    async def test_the_same_twice_is_one_and_forgotten_it_can_be_written_again(self, memory: AsyncMemory):
        one, two, other = await memory.add("u", [fact("tea"), fact("tea"), fact("tea", meta={SORT: "general"})])
        assert one == two != other
        assert await memory.forget("u", ids=[one])
        (again,) = await memory.add("u", fact("tea"))
        assert again not in (one, other)
        assert len(await memory.records("u", "fact")) == 2

    async def test_what_was_revised_says_something_else_and_does_not_stand_for_what_it_said(self, memory: AsyncMemory):
        given = [
            fact("在谷歌工作"), fact("Bo works at Google", subject="Bo", predicate="works_at", object="Google"),
            fact("works there", meta={SORT: "general"}), fact("walked", valid=ago(3)),
            Frame(scope="", id="", text="went to Google"), Insight(scope="", id="", text="works a lot"),
        ]  # fmt: skip
        ids = await memory.add("u", given)
        await memory.revise("u", ids[0], text="在苹果工作")
        await memory.revise("u", ids[1], text="Bo works at Apple")
        await memory.revise("u", ids[2], meta={SORT: "job"})
        await memory.revise("u", ids[3], valid=ago(2))
        await memory.revise("u", ids[4], text="went to Apple")
        await memory.revise("u", ids[5], importance=0.9)
        again = await memory.add("u", given)
        assert [new == old for new, old in zip(again, ids, strict=True)] == [False] * 5 + [True]
        assert await memory.add("u", given) == again
        for kept, record in zip([await memory.get("u", one) for one in again], given, strict=True):
            assert kept is not None
            assert (kept.text, kept.valid, kept.meta.get(SORT)) == (record.text, record.valid, record.meta.get(SORT))
        assert await memory.check("u") == []

    async def test_of_many_who_write_at_once_what_was_revised_one_does(self, memory: AsyncMemory):
        (old,) = await memory.add("u", fact("likes tea"))
        await memory.revise("u", old, text="likes milk")
        made = await asyncio.gather(*(memory.add("u", fact("likes tea")) for _ in range(8)))
        assert len(set(made)) == 1
        assert sorted(one.text for one in await memory.records("u", "fact")) == ["likes milk", "likes tea"]

    async def test_one_moment_is_the_same_in_the_hour_a_clock_is_put_back(self, memory: AsyncMemory):
        twice = Interval.at(datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin")))
        (one,) = await memory.add("u", fact("changed the clocks", valid=twice))
        assert await memory.add("u", fact("changed the clocks", valid=twice)) == (one,)

    async def test_every_kind_and_each_by_its_sort(self, memory: AsyncMemory):
        given = [
            fact("plum one"), fact("plum two", meta={SORT: "general"}), Frame(scope="", id="", text="plum three"),
            Insight(scope="", id="", text="plum four", category="preference"),
        ]  # fmt: skip
        await memory.add("u", given)
        await memory.flush("u")
        plan = Plan(kinds=("fact", "frame", "insight"))

        async def found(**changes: object) -> set[str]:
            narrowed = Plan(kinds=changes.pop("kinds", plan.kinds), **changes)  # type: ignore[arg-type]
            return {hit.record.text for hit in (await memory.recall("u", "plum", narrowed)).hits}

        assert await found() == {"plum one", "plum two", "plum three", "plum four"}
        assert await found(kinds=("fact",), sort="") == {"plum one"}
        assert await found(sort="general") == {"plum two"}
        assert await found(sort="genera") == set()
        assert await found(kinds=("insight",)) == {"plum four"}
        assert await found(kinds=("frame",), fusion="similarity") == {"plum three"}

    async def test_a_revision_keeps_what_it_does_not_change(self, memory: AsyncMemory):
        (made,) = await memory.add("u", fact("likes tea", importance=0.8, meta={"tag": "x"}))
        await memory.flush("u")
        new = await memory.revise("u", made, text="likes cocoa")
        await memory.flush("u")
        assert new is not None
        assert (new.id, new.importance, new.meta["tag"]) == (made, 0.8, "x")
        assert new.meta["fabula:created"] == NOW.isoformat()
        assert (await memory.recall("u", "tea", Plan(channels=("sparse",)))).hits == ()
        assert texts((await memory.recall("u", "cocoa")).facts) == ["likes cocoa"]
        assert await memory.check("u") == []

    async def test_secrets_are_masked(self, memory: AsyncMemory):
        await memory.add("u", fact("the key is sk-test-FAKE0123456789abcdef"))
        (kept,) = await memory.records("u", "fact")
        assert "FAKE0123" not in kept.text

    async def test_secrets_are_masked_wherever_they_stand(self, memory: AsyncMemory):
        key = "sk-test-FAKE0123456789abcdef"
        told = Event(participants=(f"who has {key}",), action=key, location=key, causality=key, manner=key)
        felt = Emotion(valence=0, arousal=0, label=key)
        await memory.add("u", [
            Frame(scope="", id="", text="one", events=(told,), emotion=felt),
            Entity(scope="", id="", text="two", type=key, aliases=(key,)),
            Insight(scope="", id="", text="three", category=key),
            fact("four", subject=key, predicate=key, object=key),
        ])  # fmt: skip
        for kind in KINDS:
            for record in await memory.records("u", kind):
                assert "FAKE0123" not in str(record)

    @pytest.mark.parametrize("text", ["", "  ", "\n"])
    async def test_a_blank_text_is_refused(self, memory: AsyncMemory, text: str):
        with pytest.raises(InvalidInput):
            await memory.add("u", fact(text))
        assert await memory.scopes() == []

    @pytest.mark.parametrize("words", ["the heron is called Ottokar", "那只鹭叫奥托卡"])
    async def test_what_rules_drew_and_a_caller_reworded_is_found_by_its_words(self, memory: AsyncMemory, words: str):
        await memory.remember("u", "I adopted a bird")
        await memory.flush("u")
        (drawn,) = await memory.records("u", "frame")
        await memory.revise("u", drawn.id, text=words)
        await memory.flush("u")
        query = words.removeprefix("the ").removeprefix("那只")
        (hit,) = (await memory.recall("u", query, Plan(kinds=("frame",)))).hits
        assert hit.record.text == words
        assert hit.relevance > 0.5
        assert await memory.check("u") == []

    async def test_a_passage_is_not_written_so(self, memory: AsyncMemory):
        await memory.remember("u", "said")
        (said,) = await memory.records("u")
        with pytest.raises(InvalidInput):
            await memory.add("u", said)
        with pytest.raises(InvalidInput):
            await memory.revise("u", said.id, text="unsaid")

    async def test_a_function_makes_meta_of_what_is_there_when_it_is_written(self, memory: AsyncMemory):
        (made,) = await memory.add("u", replace(fact("likes tea"), meta={"cups": 0}))

        def one_more(meta: Mapping[str, Any]) -> dict[str, Any]:
            return {**meta, "cups": meta["cups"] + 1}

        await asyncio.gather(*(memory.revise("u", made, meta=one_more) for _ in range(20)))
        found = await memory.get("u", made)
        assert found is not None
        assert found.meta["cups"] == 20
        for odd in (7, lambda _: None, ["x"]):
            with pytest.raises(InvalidInput, match="meta"):
                await memory.revise("u", made, meta=odd)  # pyright: ignore[reportArgumentType]


class TestRules:
    @pytest.mark.parametrize("embedder", [HashEmbedder(), None])
    async def test_what_rules_drew_stands_behind_its_passage_with_the_score_of_it(
        self, db: str, embedder: Embedder | None
    ):
        """It repeats its passage, and stands for nothing of its own."""
        async with AsyncMemory(db, embedder=embedder, clock=FakeClock(NOW)) as memory:
            await memory.remember("u", "The ferry leaves at nine")
            await memory.flush("u")
            first, second = (await memory.recall("u", "ferry")).hits
        assert (first.record.kind, second.record.kind) == ("passage", "frame")
        assert (second.score, second.parts) == (first.score, first.parts)


class TestNarrowed:
    async def test_by_when_it_happened(self, memory: AsyncMemory):
        await memory.add("u", [fact("plum one", valid=ago(400)), fact("plum two", valid=ago(3)), fact("plum three")])
        await memory.remember("u", [Message("plum four", time=NOW - timedelta(days=400))])
        await memory.flush("u")
        recent = Interval(start=NOW - timedelta(days=10))

        async def found(**changes: Interval) -> set[str]:
            plan = Plan(kinds=("passage", "fact"), **changes)  # type: ignore[arg-type]
            return {hit.record.text for hit in (await memory.recall("u", "plum", plan)).hits}

        assert await found(valid_during=recent) == {"plum two", "plum three"}
        assert await found(valid_during=Interval(end=NOW - timedelta(days=10))) == {"plum one", "plum four"}
        assert await found(created=recent) == {"plum one", "plum two", "plum three"}
        assert await found(created=Interval(end=NOW - timedelta(days=10))) == {"plum four"}


class TestSimilarity:
    async def test_it_is_the_cosine_and_nothing_else(self, db: str):
        async with AsyncMemory(
            db, embedder=Told({"one": 1.0, "two": 0.8, "three": 0.0}), clock=FakeClock(NOW)
        ) as memory:
            await memory.add(
                "u", [fact("one", importance=0.1, valid=ago(1000)), fact("two", importance=1), fact("three")]
            )
            await memory.flush("u")
            found = await memory.recall("u", "q", Plan(kinds=("fact",), fusion="similarity", min_score=0.7))
        assert [(h.record.text, h.score) for h in found.hits] == [
            ("one", pytest.approx(1.0, abs=1e-6)), ("two", pytest.approx(0.8, abs=1e-3)),
        ]  # fmt: skip

    async def test_what_a_model_drew_has_its_own_cosine_and_what_is_archived_none(self, db: str):
        def drawn(window: Sequence[Passage]) -> Extraction:
            return Extraction(facts=tuple(fact(text, sources=(window[0].id,)) for text in ("near", "far", "gone")))

        cosines = {"said": 1.0, "near": 0.8, "far": 0.2, "gone": 0.9}
        plan = Plan(kinds=("fact",), fusion="similarity", limit=1)
        async with AsyncMemory(
            db, embedder=Told(cosines), extractor=FakeExtractor(drawn), clock=FakeClock(NOW)
        ) as memory:
            await memory.remember("u", "said")
            await memory.flush("u")
            (gone,) = [one for one in await memory.records("u", "fact") if one.text == "gone"]
            archived = entry_of(replace(gone, status="archived"))
            await memory._store.write("u", Changes(put=(archived,)))
            (hit,) = (await memory.recall("u", "q", plan)).hits
            assert (hit.record.text, hit.score) == ("near", pytest.approx(0.8, abs=1e-3))

    async def test_what_rules_drew_has_the_cosine_of_its_passages(self, memory: AsyncMemory):
        await memory.remember("u", ["I adopted a heron", "It rains today"])
        await memory.flush("u")
        found = await memory.recall("u", "heron", Plan(kinds=("frame",), fusion="similarity"))
        assert found.frames
        assert found.hits[0].score > 0.1


class TestMargins:
    async def test_what_was_found_by_far_stands_before_what_is_fresh(self, memory: AsyncMemory):
        await memory.remember("u", [Message("I drive an old Volvo", time=NOW - timedelta(days=200), session="1")])
        fresh = ["I quit Siemens yesterday", "the train was late", "I had sushi", "my car key is on the table"]
        await memory.remember("u", [Message(text, time=NOW, session=str(n)) for n, text in enumerate(fresh, 2)])
        await memory.flush("u")
        found = await memory.recall("u", "which old Volvo do I drive", Plan(kinds=("passage",), factors=Factors()))
        assert found.hits[0].record.text == "I drive an old Volvo"
        assert found.hits[0].parts["relevance"] > 1.5 * found.hits[1].parts["relevance"]

    async def test_what_is_over_counts_half(self, memory: AsyncMemory):
        past = Interval(start=NOW - timedelta(days=400), end=NOW - timedelta(days=30))
        await memory.add("u", [fact("plum jam in Munich", valid=past), fact("plum jam in Stuttgart", valid=ago(30))])
        await memory.flush("u")
        found = await memory.recall("u", "where is the plum jam", ALL)
        assert texts(found.facts) == ["plum jam in Stuttgart", "plum jam in Munich"]
        assert found.hits[1].parts["fitting"] == 0.5

    async def test_a_model_that_is_down_from_the_start_is_named(self, db: str):
        from fabula import ProviderUnavailable

        embedder = HashEmbedder(fail=ProviderUnavailable("the host is away"))
        async with AsyncMemory(db, embedder=embedder, clock=FakeClock(NOW)) as memory:
            await memory.remember("u", "plum jam")
            found = await memory.recall("u", "plum")
        assert found.degraded == ("dense: the host is away",)
        assert texts(found.passages) == ["plum jam"]
