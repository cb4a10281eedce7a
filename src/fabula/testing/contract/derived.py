"""What becomes of records whose sources are erased: those that would still tell it go, what others bear stays.

It knows the rule only: an entity goes with its last source, a fact or a note with any of those that worded it, every
other record with any; and what is left of the sources is read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from fabula.abc import Changes, Edge, Entry, Erasure, Filter, Store
from fabula.index import FOREVER, LINKS
from fabula.remember import links_of
from fabula.testing.contract.making import (
    NOON,
    SPACE,
    assert_same,
    direction,
    entries,
    fact,
    frame,
    passage,
    since,
    told,
    vectors_of,
)
from fabula.text import analyse, hash_term
from fabula.timeline import SUPERSEDED_BY, WORDED_BY, Dated, ended
from fabula.types import KINDS, Entity, Insight, Interval, Note, Record


def entity(id: str, *sources: str) -> Entity:  # noqa: A002
    """Return an entity of scope u."""
    return Entity(scope="u", id=id, text=f"who is {id}", sources=sources)


def insight(id: str, *sources: str) -> Insight:  # noqa: A002
    """Return an insight of scope u."""
    return Insight(scope="u", id=id, text=f"what {id} means", sources=sources)


async def fill(store: Store, *records: Record) -> None:
    """Write passages a and b of session s and c of session t, then `records`, all embedded."""
    said = [passage("u", "a", session="s"), passage("u", "b", session="s"), passage("u", "c", session="t")]
    every: list[Record] = [*said, *records]
    await store.write("u", Changes(add=entries(*said, tasks=("extract",))))
    await store.write("u", Changes(done=tuple(("extract", name) for name in "abc"), add=entries(*records)))
    await store.write("u", Changes(vectors={record.id: direction(record.id) for record in every}, space=SPACE))


async def left(store: Store, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the sources of the records that are left, and see that all readings agree on them."""
    got = await store.get("u", list(ids))
    index = await store.load("u", SPACE)
    numbers = {number for held in index.fields.values() for number in held.number.tolist()}
    assert {record.id for record in (await store.fetch("u", sorted(numbers))).values()} >= got.keys()
    assert vectors_of(index).keys() == numbers
    listed = [record for kind in KINDS for _, record in await store.find("u", Filter(kind=kind))]
    assert {record.id for record in listed} >= got.keys()
    return {name: record.sources for name, record in got.items()}


class DerivedContract:
    """Erasing what other records were made from."""

    async def test_what_tells_goes_with_any_source(self, store: Store) -> None:
        """Its words may tell what was erased, whatever else they were made from."""
        made = (
            frame("u", "f1", "a", "b"),
            frame("u", "f2", "b"),
            fact("u", "t1", "b", "a"),
            fact("u", "t2", "b"),
            fact("u", "t3"),
            insight("i1", "c", "a"),
            insight("i2", "c"),
        )
        await fill(store, *made)
        receipt = await store.erase("u", Erasure(ids=("a",)))
        names = [record.id for record in made]
        assert await left(store, names) == {"f2": ("b",), "t2": ("b",), "t3": (), "i2": ("c",)}
        assert sum(receipt.rows.values()) >= 4
        assert await store.citing("u", ["a"], KINDS) == []

    async def test_what_is_only_told_again_does_not_word(self, store: Store) -> None:
        """A fact or a note loses a source that told it again, and goes with one of those whose words it has."""
        meta = {WORDED_BY: ["a"]}
        note = Note(scope="u", id="n", text="x", namespace="p", key="k", value="v", sources=("a", "b"), meta=meta)
        await fill(store, fact("u", "t", "a", "b", meta=meta), note)
        await store.erase("u", Erasure(ids=("b",)))
        got = await store.get("u", ["t", "n"])
        assert {record.id: record.sources for record in got.values()} == {"t": ("a",), "n": ("a",)}
        assert await store.pending("u", "extract") == []
        await store.write("u", Changes(put=entries(fact("u", "t", "a", "c", meta=meta))))
        await store.erase("u", Erasure(ids=("a",)))
        assert await store.get("u", ["t", "n"]) == {}
        assert [piece.id for piece in await store.pending("u", "extract")] == ["c"]

    async def test_an_entity_goes_with_the_last_source(self, store: Store) -> None:
        """Until then it stays and no longer names the one that is gone."""
        await fill(store, entity("e1", "b", "a"), entity("e2", "a"))
        await store.erase("u", Erasure(ids=("a",)))
        assert await left(store, ["e1", "e2"]) == {"e1": ("b",)}
        assert [record.id for record in await store.citing("u", ["b"], ["fact", "entity"])] == ["e1"]
        await store.erase("u", Erasure(ids=("b",)))
        assert await left(store, ["e1", "e2"]) == {}

    async def test_an_entity_stays_while_it_is_mentioned(self, store: Store) -> None:
        """A passage that mentions it bears it as a source does; with the last one it goes."""
        await fill(store, entity("e", "a"))
        edges = tuple(Edge(source="e", target=name, kind="mentions") for name in "ab")
        await store.write("u", Changes(edges=edges))
        await store.erase("u", Erasure(ids=("a",)))
        assert list(await left(store, ["e"])) == ["e"]
        assert "a" not in (await store.get("u", ["e"]))["e"].sources
        assert [record.id for record in await store.citing("u", ["b"], ["entity"])] == ["e"]
        assert await store.citing("u", ["a"], ["entity"]) == []
        await store.erase("u", Erasure(ids=("b",)))
        assert await left(store, ["e"]) == {}
        assert await store.citing("u", ["a", "b"], ["entity"]) == []

    async def test_a_note_goes_with_its_source(self, store: Store) -> None:
        """A value drawn from one message does not outlive it."""
        drawn = Note(scope="u", id="n", text="x", namespace="profile", key="city", value="上海", sources=("a",))
        given = Note(scope="u", id="m", text="y", namespace="profile", key="name", value="李雷")
        await fill(store, drawn, given)
        await store.erase("u", Erasure(ids=("a",)))
        assert await left(store, ["n", "m"]) == {"m": ()}

    async def test_it_goes_on_down_the_line(self, store: Store) -> None:
        """What was made from what was made from it goes as well, however far."""
        await fill(
            store,
            frame("u", "f", "a"),
            fact("u", "t1", "f"),
            fact("u", "t2", "f", "c"),
            insight("i1", "t1"),
            insight("i2", "t2"),
            insight("i3", "i1"),
        )
        await store.erase("u", Erasure(ids=("a",)))
        assert await left(store, ["f", "t1", "t2", "i1", "i2", "i3"]) == {}
        assert [piece.id for piece in await store.pending("u", "extract")] == ["c"]

    async def test_erasing_several_sources_at_once(self, store: Store) -> None:
        """An entity whose sources all go in one erasure goes with them."""
        await fill(store, entity("e1", "a", "b"), entity("e2", "a", "b", "c"))
        await store.erase("u", Erasure(session="s"))
        assert await left(store, ["a", "b", "c", "e1", "e2"]) == {"c": (), "e2": ("c",)}

    async def test_a_derived_record_can_be_erased_alone(self, store: Store) -> None:
        """Its sources stay; what was forgotten by name is not made again, what went along with it may be."""
        await fill(store, fact("u", "t", "a"), insight("i", "t"))
        assert await store.erase("u", Erasure(ids=("t",)))
        assert await left(store, ["a", "t", "i"]) == {"a": ()}
        assert await store.citing("u", ["a"], KINDS) == []
        written = await store.write("u", Changes(add=entries(fact("u", "t", "a"), insight("i", "a"))))
        assert written.erased == {"t"}
        assert list(await store.get("u", ["t", "i"])) == ["i"]
        assert await store.pending("u", "extract") == []

    @pytest.mark.parametrize("erasure", [Erasure(ids=("a",)), Erasure(session="t")], ids=["id", "session"])
    @pytest.mark.parametrize("made", [frame, fact])
    async def test_what_is_left_is_read_again(
        self, store: Store, erasure: Erasure, made: Callable[..., Record]
    ) -> None:  # fmt: skip
        """The other passages of what goes get their `extract` task back, once; those of other records do not."""
        await fill(store, made("u", "f1", "a", "b", "c"), made("u", "f2", "a", "b", "c"), made("u", "f3", "b"))
        assert await store.pending("u", "extract") == []
        await store.erase("u", erasure)
        gone = {"a"} if erasure.ids else {"c"}
        work = await store.pending("u", "extract")
        assert [piece.id for piece in work] == sorted({*"abc"} - gone)
        assert [piece.session for piece in work] == [{"c": "t"}.get(piece.id, "s") for piece in work]
        assert list(await left(store, ["f1", "f2", "f3"])) == ["f3"]

    async def test_a_frame_of_others_leaves_no_work(self, store: Store) -> None:
        """A passage that shared no frame with what was erased is not read again."""
        await fill(store, frame("u", "f1", "a"), frame("u", "f2", "b", "c"))
        await store.erase("u", Erasure(ids=("a",)))
        assert await store.pending("u", "extract") == []

    async def test_the_index_knows_the_sources_that_are_left(self, store: Store) -> None:
        """What cites them there is what cites them in the record, and what it is tied to stays."""
        made = replace(entity("t", "a", "b"), links={"synonym": ("who",)})
        terms = replace(analyse(made.text), links=links_of(made))
        await fill(store)
        await store.write("u", Changes(add=(Entry(record=made, terms=terms),)))
        await store.erase("u", Erasure(ids=("a",)))
        links = (await store.load("u", "")).of("entity").links
        assert [LINKS[kind] for kind in links.kind.tolist()] == ["cites", "synonym"]
        assert links.key.tolist() == [hash_term("b"), hash_term("who")]

    async def test_the_version_before_is_left(self, store: Store) -> None:
        """What another passage added to a frame goes with it, and nothing is read again for what is left."""
        await fill(store, frame("u", "f", "a"))
        await store.write("u", Changes(put=entries(frame("u", "f", "a", "b", text="more"))))
        await store.erase("u", Erasure(ids=("b",)))
        (record,) = (await store.get("u", ["f"])).values()
        assert (record.sources, record.text) == (("a",), frame("u", "f").text)
        assert (await store.load("u", "")).of("frame").recorded_to.tolist() == [FOREVER]
        assert await store.pending("u", "extract") == []
        assert await store.check("u") == []

    async def test_closed_versions_go_too(self, store: Store) -> None:
        """The past does not tell what was erased: not by number and not by time."""
        await fill(store, fact("u", "t", "a", text="the secret"), fact("u", "gone", "a", text="the secret too"))
        numbers = [number for number, _ in await store.find("u", Filter(kind="fact"))]
        at = since((await store.get("u", ["t"]))["t"])
        base = await store.load("u", SPACE)
        await store.write(
            "u", Changes(put=entries(fact("u", "t", "c")), close=("gone",), vectors={"t": direction("t2")}, space=SPACE)
        )
        await store.erase("u", Erasure(ids=("a",)))
        assert await store.fetch("u", numbers) == {}
        assert await store.get("u", ["t", "gone"], as_of=at) == {}
        assert await left(store, ["t", "gone"]) == {"t": ("c",)}
        assert_same(await store.load("u", SPACE, base), await store.load("u", SPACE))
        assert len((await store.load("u", SPACE)).of("fact")) == 1

    @pytest.mark.parametrize("erased", ["b", "new"], ids=["with its source", "alone"])
    async def test_what_an_erased_fact_ended_holds_again(self, store: Store, erased: str) -> None:
        """As it was told, in every version and for every reading; and its vector stays."""
        more = {"subject": "Nora", "predicate": "lives in", "meta": {"n": 1}}
        old = fact("u", "old", "a", object="Rome", valid=Interval(start=NOON, precision="day"), **more)
        new = fact("u", "new", "b", object="Lyon", valid=Interval(start=NOON + timedelta(days=1)), **more)
        await fill(store, old)
        over = ended(old, Dated(new, NOON + timedelta(days=1)))
        await store.write("u", Changes(add=entries(new), put=entries(over)))
        await store.write("u", Changes(put=entries(replace(over, importance=0.9))))
        changed = since((await store.get("u", ["old"]))["old"])
        assert await store.erase("u", Erasure(ids=(erased,)))
        for at in (None, changed, changed - timedelta(microseconds=1)):
            record = (await store.get("u", ["old"], as_of=at))["old"]
            assert replace(told(record), importance=old.importance) == old
        index = await store.load("u", "")
        assert np.isnan(index.of("fact").valid_to).all()
        assert await store.check("u") == []

    async def test_what_an_erased_fact_ended_ends_with_the_next(self, store: Store) -> None:
        """One that began before, was over before, or is of somebody else does not end it; the next one does."""
        facts = {
            name: fact("u", name, name, subject=who, predicate="lives in", object=name,
                       valid=Interval(start=NOON + timedelta(days=day), end=NOON + timedelta(days=until)))
            for name, who, day, until in (
                ("a", "Nora", 1, 9), ("b", "Nora", 3, 9), ("c", "Nora", 5, 9), ("before", "Nora", 0, 1),
                ("other", "Bo", 4, 9),
            )
        }  # fmt: skip
        said = [passage("u", name) for name in facts]
        await store.write("u", Changes(add=entries(*said)))
        dated = {name: Dated(one, one.valid and one.valid.start) for name, one in facts.items()}
        now = {**facts, "a": ended(facts["a"], dated["b"]), "b": ended(facts["b"], dated["c"])}
        now = {f"fact {name}": replace(one, id=f"fact {name}") for name, one in now.items()}
        now["fact a"] = replace(now["fact a"], meta={**now["fact a"].meta, SUPERSEDED_BY: "fact b"})
        now["fact b"] = replace(now["fact b"], meta={**now["fact b"].meta, SUPERSEDED_BY: "fact c"})
        await store.write("u", Changes(add=entries(*now.values())))
        await store.erase("u", Erasure(ids=("b",)))
        (left,) = (await store.get("u", ["fact a"])).values()
        assert left.meta[SUPERSEDED_BY] == "fact c"
        assert left.valid == Interval(start=NOON + timedelta(days=1), end=NOON + timedelta(days=5))
        assert await store.check("u") == []
