"""That what is erased is gone: from every way of reading, for every process, for good.

It knows only what was said; `derived` tells what becomes of the records made from it.
"""

from __future__ import annotations

from datetime import datetime

import pytest

from fabula.abc import Changes, Erasure, Filter, Store
from fabula.errors import LeaseLost, SourcesGone
from fabula.index import Index
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
    term,
    told,
    vectors_of,
)
from fabula.types import KINDS

ERASURES = [Erasure(ids=("a",)), Erasure(session="s"), Erasure(everything=True)]
BY = ["id", "session", "everything"]


async def fill(store: Store, scope: str = "u") -> None:
    """Write passage a (session s), b (session t) and a hand-made fact, embedded and with work left."""
    said = [passage(scope, "a", "apple pie", session="s"), passage(scope, "b", "banana", session="t"), fact(scope, "t")]
    await store.write(scope, Changes(add=entries(*said, tasks=("embed", "extract"))))
    vectors = {record.id: direction(record.id) for record in said}
    await store.write(scope, Changes(vectors=vectors, space=SPACE, cache={b"h": direction("h")}))


async def seen(store: Store, scope: str, at: datetime | None = None) -> set[str]:
    """Return every id that any way of reading still shows."""
    found = set(await store.get(scope, ["a", "b", "t"], as_of=at))
    for kind in KINDS:
        found |= {record.id for _, record in await store.find(scope, Filter(kind=kind, status=None))}
    found |= {record.id for record in (await store.fetch(scope, range(50))).values()}
    for task in ("embed", "extract"):
        found |= {work.id for work in await store.pending(scope, task)}
    return found


class ErasingContract:
    """Erasing what was said."""

    @pytest.mark.parametrize("erasure", ERASURES, ids=BY)
    async def test_it_is_gone_from_every_reading(self, store: Store, second: Store, erasure: Erasure) -> None:
        """Now, by number, in the past, in the index, in the work and in the counts, for another process too."""
        await fill(store)
        at = since((await store.get("u", ["a"]))["a"])
        base, abroad = await store.load("u", SPACE), await second.load("u", SPACE)
        receipt = await store.erase("u", erasure)
        assert receipt
        assert sum(receipt.rows.values()) >= 1
        assert all(type(count) is int and count >= 0 for count in receipt.rows.values())
        left: set[str] = set() if erasure.everything else {"b", "t"}
        for reader, index in ((store, base), (second, abroad)):
            assert await seen(reader, "u") == left
            assert await seen(reader, "u", at) == left
            renewed = await reader.load("u", SPACE, index)
            assert sum(len(held) for held in renewed.fields.values()) == len(left)
            assert len(vectors_of(renewed)) == len(left)
            assert renewed.of("passage").postings.of(term("apple"))[0].tolist() == []
            assert_same(renewed, await reader.load("u", SPACE))
        stats = await store.stats("u")
        assert sum(stats.records.values()) == len(left)
        assert sum(stats.pending.values()) == len(left) * 2
        assert stats.sessions == (0 if erasure.everything else 1)

    @pytest.mark.parametrize("erasure", ERASURES, ids=BY)
    async def test_no_other_scope_is_touched(self, store: Store, erasure: Erasure) -> None:
        """The same ids, session and texts in another scope stay, and its index stays current."""
        for scope in ("u", "u1"):
            await fill(store, scope)
        index = await store.load("u1", SPACE)
        await store.erase("u", erasure)
        assert await seen(store, "u1") == {"a", "b", "t"}
        assert await store.load("u1", SPACE, index) is index

    @pytest.mark.parametrize("now", [False, True], ids=["when it suits", "now"])
    async def test_scrubbing_touches_nothing_that_is_kept(self, store: Store, second: Store, now: bool) -> None:
        """Whether or not something was erased; indexes in memory stay current."""
        await fill(store)
        await store.scrub(now=now)
        await store.erase("u", Erasure(ids=("a",)))
        index = await second.load("u", SPACE)
        await store.scrub(now=now)
        assert await seen(store, "u") == {"b", "t"}
        assert await second.load("u", SPACE, index) is index
        assert await store.check() == []

    @pytest.mark.parametrize("erasure", ERASURES, ids=BY)
    async def test_a_second_erasure_finds_nothing(self, store: Store, erasure: Erasure) -> None:
        """Its receipt is falsy."""
        await fill(store)
        assert await store.erase("u", erasure)
        assert not await store.erase("u", erasure)
        assert not await store.erase("nobody", erasure)

    async def test_what_does_not_match_stays(self, store: Store) -> None:
        """Unknown ids and sessions erase nothing and renew nothing; among known ones they are passed over."""
        await fill(store)
        index = await store.load("u", SPACE)
        for erasure in (Erasure(ids=("x", "A", "")), Erasure(session="S"), Erasure(session=""), Erasure()):
            assert not await store.erase("u", erasure)
        assert await seen(store, "u") == {"a", "b", "t"}
        assert_same(await store.load("u", SPACE, index), await store.load("u", SPACE))
        assert await store.erase("u", Erasure(ids=("x", "b")))
        assert await seen(store, "u") == {"a", "t"}

    async def test_a_forgotten_message_is_not_brought_back(self, store: Store, second: Store) -> None:
        """Adding its id again is reported as erased and not written, beside others that are."""
        await fill(store)
        await store.erase("u", Erasure(ids=("a",)))
        await store.erase("u", Erasure(session="t"))
        again = entries(
            passage("u", "a", "another text", session="x"), passage("u", "b"), passage("u", "c", session="x"),
            tasks=("embed",),
        )  # fmt: skip
        written = await second.write("u", Changes(add=again))
        assert written.erased == {"a", "b"}
        assert written.present == {}
        assert await seen(store, "u") == {"c", "t"}
        assert getattr((await store.get("u", ["c"]))["c"], "seq", None) == 0
        with pytest.raises(SourcesGone) as gone:
            await store.write("u", Changes(add=entries(passage("u", "a"), frame("u", "f", "a", "c"))))
        assert gone.value.ids == ("a",)

    async def test_another_scope_may_have_the_forgotten_id(self, store: Store) -> None:
        """A tombstone stands in one scope."""
        await fill(store)
        await store.erase("u", Erasure(ids=("a",)))
        written = await store.write("v", Changes(add=entries(passage("v", "a"))))
        assert written.erased == frozenset()
        assert list(await store.get("v", ["a"])) == ["a"]

    async def test_everything_leaves_nothing(self, store: Store) -> None:
        """The scope is unknown afterwards, tombstones included: the same id can begin anew."""
        await fill(store)
        await fill(store, "v")
        await store.erase("u", Erasure(ids=("a",)))
        await store.erase("u", Erasure(everything=True))
        assert await store.scopes() == ["v"]
        assert (await store.load("u", SPACE)).stored_space == ""
        anew = passage("u", "a", "anew", session="s")
        written = await store.write("u", Changes(add=entries(anew)))
        assert (written.present, written.erased) == ({}, frozenset())
        got = (await store.get("u", ["a"]))["a"]
        assert told(got) == anew
        assert getattr(got, "seq", None) == 0
        await store.write("u", Changes(vectors={"a": direction("a", 16)}, space="another/16"))
        assert (await store.load("u", "another/16")).stored_space == "another/16"

    async def test_a_new_life_is_not_taken_for_the_old(self, store: Store, second: Store) -> None:
        """An index from before everything was erased is no basis, however many writes came after."""
        held: list[Index] = []
        for n in range(4):
            await store.write("u", Changes(add=entries(passage("u", f"old{n}"))))
            held.append(await second.load("u", SPACE, held[-1] if held else None))
        await store.erase("u", Erasure(everything=True))
        for n in range(6):
            await store.write("u", Changes(add=entries(passage("u", f"new{n}", f"new text {n}"))))
            fresh = await store.load("u", SPACE)
            for index in held:
                assert_same(await second.load("u", SPACE, index), fresh)

    async def test_work_under_way_brings_nothing_back(self, store: Store) -> None:
        """What a worker made from a message that is forgotten meanwhile is refused or dropped."""
        await fill(store)
        lease = await store.lease("w", ["embed"], NOON, 60)
        assert lease is not None
        await store.erase("u", Erasure(ids=("a",)))
        with pytest.raises((SourcesGone, LeaseLost)):
            await store.write("u", Changes(add=entries(frame("u", "f", "a")), done=(("extract", "a"),)), lease)
        assert await store.get("u", ["f"]) == {}
        await store.erase("u", Erasure(everything=True))
        with pytest.raises((SourcesGone, LeaseLost)):
            await store.write("u", Changes(add=entries(frame("u", "f", "b"))), lease)
        with pytest.raises(LeaseLost):
            await store.write("u", Changes(vectors={"b": direction("b")}, space=SPACE, done=(("embed", "b"),)), lease)
        assert "u" not in await store.scopes()
        await store.release(lease)

    async def test_the_place_of_an_erased_passage(self, store: Store) -> None:
        """What is left of a session keeps its order, goes on behind its end, and closes ranks in the index."""
        await store.write("u", Changes(add=entries(*(passage("u", name, session="s") for name in "abcd"))))
        base = await store.load("u", "")
        await store.erase("u", Erasure(ids=("b", "d")))
        await store.write("u", Changes(add=entries(passage("u", "e", session="s"))))
        got = [record for _, record in await store.find("u", Filter(kind="passage"))]
        assert [record.id for record in got] == ["a", "c", "e"]
        places = [getattr(record, "seq", -1) for record in got]
        assert places == sorted(set(places))
        assert (await store.load("u", "", base)).of("passage").after.tolist() == [1, 2, -1]

    async def test_numbers_and_revisions_are_not_used_twice(self, store: Store) -> None:
        """Not even after everything was erased, however often."""
        numbers: list[int] = []
        revisions: list[int] = []
        for _ in range(4):
            for name in "ab":
                written = await store.write("u", Changes(add=entries(passage("u", name))))
                revisions += [written.revision, (await store.load("u", "")).revision]
            numbers += [number for number, _ in await store.find("u", Filter(kind="passage"))]
            await store.erase("u", Erasure(everything=True))
        assert len(numbers) == 8
        assert numbers == sorted(set(numbers))
        assert revisions[::2] == revisions[1::2] == sorted(set(revisions))
        assert await store.fetch("u", numbers) == {}
