"""Rounds of upkeep: whom nothing is tied to is archived, chains of attributes become one fact, and both come back."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fabula import AsyncMemory, Message, Passage, Plan, Settings
from fabula.abc import Changes, Extraction, Filter, Written
from fabula.background import NEVER
from fabula.names import entity_id
from fabula.pruning import ALONE, Upkept
from fabula.stores import open_store
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Entity, Event, Fact, Frame, Interval, Kind, Record

EVERYTHING: tuple[Kind, ...] = ("passage", "frame", "fact", "entity")


def holds(subject: str, predicate: str, thing: str, **more: Any) -> Fact:
    return Fact(scope="", id="", text=f"{subject} {predicate} {thing}", subject=subject, predicate=predicate,
                object=thing, **more)  # fmt: skip


class Kept:
    """A memory in which each message is extracted alone, to the records that are given with it."""

    def __init__(self, db: str, **settings: Any) -> None:
        self.store = open_store(db)
        self.clock = FakeClock("2030-01-01T00:00:00Z")
        self.given: dict[str, tuple[Record, ...]] = {}
        self.memory = AsyncMemory(
            self.store, embedder=HashEmbedder(), extractor=FakeExtractor(self._drawn), clock=self.clock,
            settings=Settings(window=1, **settings), background=False,
        )  # fmt: skip

    def _drawn(self, window: Sequence[Passage]) -> Extraction:
        made = [
            record if record.meta.get("nowhere") else replace(record, sources=(p.id,))
            for p in window
            for record in self.given.get(p.text, ())
        ]
        return Extraction(
            frames=tuple(r for r in made if isinstance(r, Frame)),
            facts=tuple(r for r in made if isinstance(r, Fact)),
            entities=tuple(r for r in made if isinstance(r, Entity)),
        )

    async def say(self, text: str, *drawn: Record) -> str:
        self.clock.advance(timedelta(days=1))
        self.given[text] = drawn
        receipt = await self.memory.remember("u", Message(text))
        await self.settled()
        (passage,) = receipt.ids
        assert passage is not None
        return passage

    async def settled(self) -> None:
        flushed = await self.memory.flush()
        assert (flushed.pending, flushed.errors) == (0, ())
        assert await self.memory.check() == []

    async def round(self) -> Upkept:
        self.clock.advance(timedelta(days=1))
        done = await self.memory.upkeep("u")
        await self.settled()
        return done

    async def forget(self, *ids: str) -> None:
        assert await self.memory.forget("u", ids=ids)
        assert await self.memory.check() == []
        await self.settled()

    async def texts(self, kind: Kind = "fact") -> list[str]:
        return sorted(record.text for record in await self.memory.records("u", kind))

    async def found(self, query: str) -> set[str]:
        return {hit.record.text for hit in (await self.memory.recall("u", query, Plan(kinds=EVERYTHING))).hits}


@pytest.fixture
async def kept(db: str) -> AsyncIterator[Kept]:
    made = Kept(db)
    async with made.memory:
        yield made


ISLAND = Entity(scope="", id="", text="Atlantis", type="Location", meta={"nowhere": True})


class TestAlone:
    async def test_is_archived_after_three_rounds(self, kept: Kept):
        await kept.say("a tale", ISLAND, Entity(scope="", id="", text="Nora"))
        assert await kept.found("the tale of Atlantis") == {"a tale", "Nora"}
        island = next(e.id for e in await kept.memory.records("u", "entity") if e.text == "Atlantis")
        before = kept.clock()
        assert await kept.round() == Upkept(alone=(island,))
        assert await kept.round() == Upkept(alone=(island,))
        assert await kept.texts("entity") == ["Atlantis", "Nora"]
        assert await kept.round() == Upkept(archived=(island,))
        assert await kept.texts("entity") == ["Nora"]
        assert await kept.found("the tale of Atlantis") == {"a tale", "Nora"}
        assert await kept.round() == Upkept()
        (archived,) = await kept.memory.records("u", "entity", status="archived")
        assert archived.id == island
        then = await kept.memory.get("u", island, as_of=before)
        assert then is not None
        assert then.status == "live"

    async def test_stands_again_when_it_is_spoken_of(self, kept: Kept):
        await kept.say("1", ISLAND)
        for _ in range(3):
            await kept.round()
        assert await kept.texts("entity") == []
        await kept.say("2", holds("Atlantis", "is", "lost"))
        assert await kept.texts("entity") == ["Atlantis"]
        assert await kept.round() == Upkept()
        (island,) = await kept.memory.records("u", "entity")
        assert ALONE not in island.meta

    async def test_stands_again_where_it_was_only_tied_to(self, kept: Kept):
        """As where another process was at it at the same time."""
        await kept.say("1", ISLAND)
        for _ in range(3):
            await kept.round()
        await kept.say("2", holds("Plato", "tells of", "Atlantis"))
        (island,) = [e.id for e in await kept.memory.records("u", "entity", status=None) if e.text == "Atlantis"]
        done = await kept.round()
        assert done.restored == (island,)
        assert await kept.texts("entity") == ["Atlantis", "Plato"]

    @pytest.mark.parametrize(
        "tie",
        [
            holds("Plato", "tells of", "Atlantis"),
            Frame(scope="", id="f", text="a tale", events=(Event(participants=("Atlantis",), action="sinks"),)),
            Entity(scope="", id="", text="Atlantis", type="Location"),
        ],
        ids=["a fact", "a frame", "a mention"],
    )
    async def test_not_in_a_row_are_no_rounds(self, kept: Kept, tie: Record):
        await kept.say("1", ISLAND)
        await kept.round()
        await kept.round()
        said = await kept.say("2", tie)
        assert await kept.round() == Upkept()
        await kept.forget(said)
        for _ in range(2):
            assert (await kept.round()).archived == ()

    async def test_not_whom_a_message_names(self, kept: Kept):
        said = await kept.say("Atlantis sank", Entity(scope="", id="", text="Atlantis", type="Location"))
        for _ in range(4):
            assert await kept.round() == Upkept()
        await kept.forget(said)
        assert await kept.texts("entity") == []

    async def test_not_where_nothing_is_to_be_pruned(self, db: str):
        kept = Kept(db, prune=0)
        async with kept.memory:
            await kept.say("1", ISLAND)
            for _ in range(4):
                assert await kept.round() == Upkept()


CAT = holds("Nora", "has", "a cat"), holds("the cat", "is", "a tabby")
WHOLE = "Nora has a cat; the cat is a tabby"


class TestChains:
    async def test_become_one_fact_with_both_sources(self, kept: Kept):
        ids = [await kept.say(fact.text, fact) for fact in CAT]
        before = kept.clock()
        done = await kept.round()
        (whole,) = await kept.memory.records("u", "fact")
        assert done == Upkept(compressed=(whole.id,))
        assert isinstance(whole, Fact)
        assert (whole.subject, whole.predicate, whole.object, whole.text) == ("Nora", "has", "a tabby", WHOLE)
        assert whole.sources == tuple(ids)
        assert {fact.text for fact in await kept.memory.records("u", "fact", status="archived")} == {
            f.text for f in CAT
        }
        assert await kept.found("Who has a tabby cat?") >= {WHOLE}
        assert not {hit.record.text for hit in (await kept.memory.recall("u", "cat", Plan(kinds=("fact",)))).hits} - {
            WHOLE
        }
        assert await kept.round() == Upkept()
        then = await kept.memory.recall("u", "cat", Plan(kinds=("fact",)), as_of=before)
        assert {hit.record.text for hit in then.hits} == {fact.text for fact in CAT}

    async def test_what_a_caller_wrote_stays(self, kept: Kept):
        """Facts, frames and entities of a caller's own are neither taken together nor archived."""
        nora, cat, tabby = map(entity_id, ("Nora", "the cat", "a tabby"))
        ends = ((nora, cat), (cat, tabby))
        own = [
            *(replace(f, links={"subject": (a,), "object": (b,)}) for f, (a, b) in zip(CAT, ends, strict=True)),
            Frame(scope="", id="", text="a chase"), Entity(scope="", id="", text="Atlantis", type="Location"),
        ]  # fmt: skip
        ids = await kept.memory.add("u", own)
        await kept.settled()
        for _ in range(4):
            assert await kept.round() == Upkept()
        for one in ids:
            found = await kept.memory.get("u", one)
            assert found is not None
            assert found.status == "live"
            assert len(await kept.memory.history("u", one)) == 1

    async def test_nor_is_what_a_caller_has_changed(self, kept: Kept):
        for fact in CAT:
            await kept.say(fact.text, fact)
        (first, _) = await kept.memory.records("u", "fact")
        await kept.memory.revise("u", first.id, importance=0.9)
        await kept.settled()
        assert await kept.round() == Upkept()

    async def test_of_three_and_in_chinese(self, kept: Kept):
        for n, fact in enumerate(
            (holds("小李", "有", "一只猫"), holds("一只猫", "是", "橘猫"), holds("橘猫", "有", "黄毛"))
        ):
            await kept.say(str(n), replace(fact, text=f"{fact.subject}{fact.predicate}{fact.object}。"))
        await kept.round()
        assert await kept.texts() == ["小李有一只猫；一只猫是橘猫；橘猫有黄毛"]

    @pytest.mark.parametrize(
        "more",
        [
            holds("Bo", "likes", "the cat"),
            holds("the cat", "is", "old"),
            Frame(scope="", id="f", text="a chase", events=(Event(participants=("the cat",), action="runs"),)),
        ],
        ids=["another edge in", "another edge out", "a frame"],
    )
    async def test_not_where_more_is_told_of_what_is_between(self, kept: Kept, more: Record):
        for fact in CAT:
            await kept.say(fact.text, fact)
        said = await kept.say("more", more)
        assert await kept.round() == Upkept()
        await kept.forget(said)
        assert len((await kept.round()).compressed) == 1

    async def test_is_taken_apart_when_more_is_told_of_what_is_between(self, kept: Kept):
        for fact in CAT:
            await kept.say(fact.text, fact)
        await kept.round()
        await kept.say("more", holds("Bo", "likes", "the cat"))
        done = await kept.round()
        assert len(done.restored) == 2
        assert await kept.texts() == sorted([*(fact.text for fact in CAT), "Bo likes the cat"])
        assert await kept.found("Who has a cat?") >= {CAT[0].text}
        assert await kept.round() == Upkept()

    async def test_what_is_told_again_is_no_new_fact(self, kept: Kept):
        first = [await kept.say(fact.text, fact) for fact in CAT]
        await kept.round()
        again = await kept.say("she still has it", CAT[0])
        await kept.round()
        assert await kept.texts() == sorted(fact.text for fact in CAT)
        (has,) = [fact for fact in await kept.memory.records("u", "fact") if fact.text == CAT[0].text]
        assert has.sources == (first[0], again)

    @pytest.mark.parametrize("gone", [0, 1])
    async def test_goes_with_either_source_and_the_other_fact_holds_again(self, kept: Kept, gone: int):
        ids = [await kept.say(fact.text, fact) for fact in CAT]
        await kept.round()
        await kept.forget(ids[gone])
        (left,) = await kept.memory.records("u", "fact", status=None)
        assert (left.text, left.status, left.sources) == (CAT[1 - gone].text, "live", (ids[1 - gone],))
        versions = await kept.store.find("u", Filter(kind="fact", status=None, ended=True))
        assert {record.text for _, record in versions} == {CAT[1 - gone].text}
        assert await kept.found("cat") >= {CAT[1 - gone].text}

    async def test_what_two_told_is_left_by_the_other_of_them(self, kept: Kept):
        first, second = [await kept.say(text, CAT[0]) for text in ("1", "2")]
        await kept.say("3", CAT[1])
        await kept.round()
        await kept.forget(first)
        (has,) = [fact for fact in await kept.memory.records("u", "fact") if fact.text == CAT[0].text]
        assert (has.status, has.sources) == ("live", (second,))
        versions = await kept.store.find("u", Filter(kind="fact", status=None, ended=True))
        assert first not in repr(versions)

    async def test_goes_when_it_is_forgotten_who_is_meant_in_it(self, kept: Kept):
        await kept.say("1", CAT[0])
        await kept.say("2", holds("Mouser", "is", "a tabby"))
        told = await kept.say("3", Entity(scope="", id="", text="the cat", aliases=("Mouser",)))
        assert len((await kept.round()).compressed) == 1
        await kept.forget(told)
        assert await kept.texts() == sorted([CAT[0].text, "Mouser is a tabby"])
        has, is_ = sorted(await kept.memory.records("u", "fact"), key=lambda fact: "tabby" in fact.text)
        assert has.links["object"] != is_.links["subject"]
        assert await kept.round() == Upkept()

    async def test_that_is_forgotten_by_name_goes_with_all_it_says(self, kept: Kept):
        for fact in CAT:
            await kept.say(fact.text, fact)
        (whole,) = (await kept.round()).compressed
        await kept.forget(whole)
        assert await kept.store.find("u", Filter(kind="fact", status=None, ended=True)) == []

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (holds("Nora", "has", "a cat"), holds("the cat", "eats", "mice")),
            (holds("Nora", "visited", "a city"), holds("the city", "is", "old")),
            (replace(CAT[0], valid=Interval(start=datetime(2020, 1, 1, tzinfo=UTC))), CAT[1]),
            (holds("Nora", "has", "Tom"), holds("Tom", "is", "a tabby")),
            (holds("Nora", "has", "a cat"), holds("the cat", "is", "Nora")),
        ],
    )
    async def test_not_what_is_no_pure_attribute_or_has_a_name(self, kept: Kept, one: Fact, other: Fact):
        await kept.say("1", one)
        await kept.say("2", other)
        assert await kept.round() == Upkept()

    async def test_not_where_it_is_turned_off(self, db: str):
        kept = Kept(db, compress=False)
        async with kept.memory:
            for fact in CAT:
                await kept.say(fact.text, fact)
            assert await kept.round() == Upkept()


async def test_a_round_that_was_overtaken_is_done_again(kept: Kept, monkeypatch: pytest.MonkeyPatch):
    """What is written while a round is thought about is part of it, and never overwritten."""
    for fact in CAT:
        await kept.say(fact.text, fact)
    inner, turns = type(kept.store).write, list[Written]()

    async def overtaken(store: Any, scope: str, changes: Changes, lease: Any = None) -> Written:
        if changes.revision is not None and not turns:
            await inner(store, scope, Changes(put=(), close=(), at=kept.clock()))
            turns.append(written := await inner(store, scope, replace(changes, revision=changes.revision - 1)))
            return written
        return await inner(store, scope, changes, lease)

    monkeypatch.setattr(type(kept.store), "write", overtaken)
    assert len((await kept.round()).compressed) == 1
    assert [written.revision for written in turns] == [0]


async def test_a_round_holds_the_lease_and_skips_a_scope_that_is_worked_on(kept: Kept, monkeypatch: pytest.MonkeyPatch):
    for fact in CAT:
        await kept.say(fact.text, fact)
    await kept.memory.remember("u", "not read yet")
    other = await kept.store.lease("another process", ("extract",), kept.clock(), 60, due=NEVER, scope="u")
    assert other is not None
    assert await kept.memory.upkeep("u") == Upkept(skipped=("u",))
    await kept.store.release(other)
    await kept.settled()

    inner, refused = type(kept.store).write, list[object]()

    async def meanwhile(store: Any, scope: str, changes: Changes, lease: Any = None) -> Written:
        refused.append(await store.lease("another process", (), kept.clock(), 60, scope=scope))
        return await inner(store, scope, changes, lease)

    with monkeypatch.context() as patched:
        patched.setattr(type(kept.store), "write", meanwhile)
        done = await kept.memory.upkeep("u")
    assert len(done.compressed) == 1
    assert refused == [None]
    assert await kept.store.holder("u") is None
    assert await kept.memory.upkeep("nobody") == Upkept()
    assert await kept.memory.scopes() == ["u"]
