"""That records are bitemporal: a change closes a version and opens another, and nothing is edited in place.

It knows nothing of erasure, the one exception.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.abc import Changes, Filter, Store
from fabula.errors import InvalidInput
from fabula.testing.contract.making import (
    NOON,
    assert_same,
    entries,
    examples,
    fact,
    fresh,
    passage,
    seconds,
    since,
    told,
    until,
)
from fabula.types import Interval, Record

STEPS = st.lists(st.tuples(st.sampled_from(["put", "close"]), st.sampled_from("abc")), min_size=1, max_size=8)


class VersionsContract:
    """Versions and the two axes of time."""

    async def test_put_closes_and_inserts(self, store: Store) -> None:
        """The old version ends where the new one begins; both stay readable by number and by time."""
        old = fact("u", "t", object="Beijing", valid=Interval(start=NOON))
        new = fact("u", "t", object="上海", valid=Interval(start=NOON + timedelta(days=1)), status="superseded")
        await store.write("u", Changes(put=entries(old)))
        ((first, before),) = await store.find("u", Filter(kind="fact"))
        await store.write("u", Changes(put=entries(new)))
        ((second, after),) = await store.find("u", Filter(kind="fact", status=None))
        assert second > first
        assert told(after) == new
        assert (await store.get("u", ["t"])) == {"t": after}
        closed = (await store.fetch("u", [first, second]))[first]
        assert told(closed) == old
        assert since(closed) == since(before)
        assert until(closed) == since(after) > since(before)
        assert told((await store.get("u", ["t"], as_of=since(before)))["t"]) == old
        assert (await store.get("u", ["t"], as_of=since(after)))["t"] == after
        assert await store.get("u", ["t"], as_of=since(before) - timedelta(microseconds=1)) == {}

    async def test_a_write_may_be_meant_for_one_revision(self, store: Store) -> None:
        """With `revision`, it is made at that one; at another, and where there is no scope, nothing is written."""
        assert (await store.write("u", Changes(put=entries(fact("u", "t")), revision=1))).revision == 0
        assert await store.scopes() == []
        first = (await store.write("u", Changes(put=entries(fact("u", "t"))))).revision
        second = (await store.write("u", Changes(put=entries(fact("u", "other")), revision=first))).revision
        assert second > first
        late = await store.write("u", Changes(put=entries(fact("u", "late")), close=("t",), revision=first))
        assert late.revision == 0
        assert sorted(await store.get("u", ["t", "other", "late"])) == ["other", "t"]
        assert (await store.load("u", "")).revision == second

    async def test_a_write_may_be_meant_for_a_scope_that_is_not_there_yet(self, store: Store, second: Store) -> None:
        """With the revision 0, of those who would make a scope at once one does, and it alone writes."""
        for n in range(10):
            scope, meant = f"u{n}", Changes(put=entries(fact(f"u{n}", "t")), revision=0)
            both = await asyncio.gather(*(each.write(scope, meant) for each in (store, second)))
            made = max(written.revision for written in both)
            assert made > 0
            assert min(written.revision for written in both) == 0
            assert len(await store.versions(scope, ["t"])) == 1
            assert (await store.write(scope, replace(meant, put=(), add=meant.put))).revision == 0
            state = await store.state(scope)
            assert state is not None
            assert state.revision == made
        assert (await store.write("w", Changes(close=("t",), revision=0))).revision == 0
        assert await store.state("w") is None

    async def test_the_caller_may_say_when(self, store: Store) -> None:
        """With `at`, that is when it was recorded: a version begins and its predecessor ends then."""
        later = NOON + timedelta(hours=1)
        await store.write("u", Changes(add=entries(fact("u", "t"), fact("u", "other")), at=NOON))
        await store.write("u", Changes(put=entries(fact("u", "t", object="x")), close=("other",), at=later))
        assert since((await store.get("u", ["t"]))["t"]) == later
        past = await store.get("u", ["t", "other"], as_of=later - timedelta(microseconds=1))
        assert [(since(record), until(record)) for record in past.values()] == [(NOON, later)] * 2
        assert await store.get("u", ["t"], as_of=NOON - timedelta(microseconds=1)) == {}
        held = (await store.load("u", "")).of("fact")
        assert held.recorded_from.tolist() == [seconds(NOON)] * 2 + [seconds(later)]
        assert held.recorded_to.tolist() == [seconds(later)] * 2 + [float("inf")]

    @pytest.mark.parametrize("hours", [0, -1])
    async def test_a_clock_that_stands_or_goes_back(self, store: Store, hours: int) -> None:
        """What is written last is believed, and every version stays readable."""
        await store.write("u", Changes(add=entries(fact("u", "t"), fact("u", "other")), at=NOON))
        before = NOON + timedelta(hours=hours)
        await store.write("u", Changes(put=entries(fact("u", "t", object="x")), close=("other",), at=before))
        got = await store.get("u", ["t", "other"])
        assert {name: getattr(record, "object", None) for name, record in got.items()} == {"t": "x"}
        numbers = (await store.load("u", "")).of("fact").number.tolist()
        assert len(await store.fetch("u", numbers)) == 3
        assert await store.get("u", ["t"], as_of=NOON + timedelta(days=1)) == got

    async def test_close_ends_a_version(self, store: Store) -> None:
        """A closed record is no longer believed, and still was believed before."""
        written = fact("u", "t")
        await store.write("u", Changes(add=entries(written, fact("u", "other"))))
        ((number, before), _) = await store.find("u", Filter(kind="fact"))
        await store.write("u", Changes(close=("t", "unknown")))
        assert list(await store.get("u", ["t", "other"])) == ["other"]
        assert [record.id for _, record in await store.find("u", Filter(kind="fact", status=None))] == ["other"]
        closed = (await store.fetch("u", [number]))[number]
        assert told(closed) == written
        assert told((await store.get("u", ["t"], as_of=since(before)))["t"]) == written
        assert await store.get("u", ["t"], as_of=until(closed)) == {}
        await store.write("u", Changes(close=("t",)))
        assert await store.fetch("u", [number]) == {number: closed}

    async def test_all_versions_of_a_record_oldest_first(self, store: Store) -> None:
        """Those that ended and the one that is believed; of what is not there, none."""
        for text in ("one", "two", "three"):
            await store.write("u", Changes(put=entries(fact("u", "t", text=text))))
        await store.write("u", Changes(put=entries(fact("u", "x"))))
        found = await store.versions("u", ["t", "nothing"])
        assert [record.text for record in found] == ["one", "two", "three"]
        assert [record.recorded and record.recorded.end for record in found] == [*map(since, found[1:]), None]
        await store.write("u", Changes(close=("t",)))
        ended = await store.versions("u", ["t"])
        assert [record.text for record in ended] == ["one", "two", "three"]
        assert all(record.recorded and record.recorded.end for record in ended)
        assert await store.versions("v", ["t"]) == []

    async def test_one_write_does_it_all_at_one_moment(self, store: Store) -> None:
        """What one transaction closes ends at the moment at which what it writes begins."""
        await store.write("u", Changes(add=entries(fact("u", "a"), fact("u", "b"))))
        numbers = [number for number, _ in await store.find("u", Filter(kind="fact"))]
        await store.write(
            "u", Changes(add=entries(passage("u", "p")), put=entries(fact("u", "a", object="x")), close=("b",))
        )
        ended = [until(record) for record in (await store.fetch("u", numbers)).values()]
        begun = [since(record) for record in (await store.get("u", ["a", "p"])).values()]
        assert len({*ended, *begun}) == 1

    async def test_versions_are_in_the_index(self, store: Store) -> None:
        """The index holds all versions and knows which are believed, now and then; an older one is told."""
        await store.write("u", Changes(add=entries(fact("u", "a"), fact("u", "b"))))
        base = await store.load("u", "")
        first = since((await store.get("u", ["a"]))["a"])
        await store.write("u", Changes(put=entries(fact("u", "a", object="x")), close=("b",)))
        index = await store.load("u", "", base)
        held = index.of("fact")
        assert held.live(None).tolist() == [False, False, True]
        assert held.live(seconds(first)).tolist() == [True, True, False]
        assert base.of("fact").live(None).tolist() == [True, True]
        assert_same(index, await store.load("u", ""))

    async def test_a_passage_is_never_changed(self, store: Store) -> None:
        """What was said stays as it was said: no new version of it is taken, and nothing is written."""
        said = passage("u", "a")
        await store.write("u", Changes(add=entries(said)))
        with pytest.raises(InvalidInput):
            await store.write("u", Changes(add=entries(passage("u", "b")), put=entries(replace(said, text="other"))))
        assert told((await store.get("u", ["a", "b"]))["a"]) == said
        assert list(await store.get("u", ["a", "b"])) == ["a"]

    async def test_citing_follows_the_live_version(self, store: Store) -> None:
        """A version that was closed cites nothing any more."""
        await store.write("u", Changes(add=entries(passage("u", "p"), passage("u", "q"), fact("u", "t", "p"))))
        await store.write("u", Changes(put=entries(fact("u", "t", "q"))))
        assert await store.citing("u", ["p"], ["fact"]) == []
        assert [record.sources for record in await store.citing("u", ["q"], ["fact"])] == [("q",)]
        await store.write("u", Changes(close=("t",)))
        assert await store.citing("u", ["p", "q"], ["fact"]) == []

    async def test_citing_as_of_a_moment(self, store: Store) -> None:
        """What was made from a record by then, in the version that was believed then, whatever became of it."""
        await store.write("u", Changes(add=entries(passage("u", "p"), passage("u", "q")), at=NOON))
        await store.write("u", Changes(put=entries(fact("u", "t", "p")), at=NOON + timedelta(hours=1)))
        await store.write("u", Changes(put=entries(fact("u", "t", "q")), at=NOON + timedelta(hours=2)))
        await store.write("u", Changes(close=("t",), at=NOON + timedelta(hours=3)))

        async def citing(ids: list[str], hours: int) -> list[tuple[str, ...]]:
            found = await store.citing("u", ids, ["fact"], NOON + timedelta(hours=hours))
            return [record.sources for record in found]

        assert [await citing(["p"], hours) for hours in range(4)] == [[], [("p",)], [], []]
        assert [await citing(["q"], hours) for hours in range(4)] == [[], [], [("q",)], []]

    async def test_a_change_only_moves_its_own_scope(self, store: Store) -> None:
        """The revision grows with every write of its scope and with no other."""
        await store.write("v", Changes(add=entries(passage("v", "a"))))
        other = await store.load("v", "")
        seen: list[int] = []
        for n in range(3):
            written = await store.write("u", Changes(add=entries(passage("u", f"p{n}")), put=entries(fact("u", "t"))))
            seen.append(written.revision)
            assert (await store.load("u", "")).revision == written.revision
        assert seen == sorted(set(seen))
        assert await store.load("v", "", other) is other

    @examples
    @given(steps=STEPS)
    async def test_the_past_stays_as_it_was(self, store: Store, steps: list[tuple[str, str]]) -> None:
        """After any changes, `as_of` gives at each moment what `get` gave then."""
        scope = fresh()
        past: list[tuple[datetime, dict[str, Record]]] = []
        for n, (verb, name) in enumerate(steps):
            if verb == "put":
                await store.write(scope, Changes(put=entries(fact(scope, name, object=str(n)))))
                at = since((await store.get(scope, [name]))[name])
            else:
                numbers = [no for no, r in await store.find(scope, Filter(kind="fact")) if r.id == name]
                await store.write(scope, Changes(close=(name,)))
                closed = await store.fetch(scope, numbers)
                if not closed:
                    continue
                at = until(closed[numbers[0]])
            past.append((at, {key: told(value) for key, value in (await store.get(scope, list("abc"))).items()}))
        assert [at for at, _ in past] == sorted({at for at, _ in past})
        for at, then in past:
            now = await store.get(scope, list("abc"), as_of=at)
            assert {key: told(value) for key, value in now.items()} == then
