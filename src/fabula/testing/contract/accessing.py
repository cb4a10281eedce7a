"""That it is kept how often records came back, apart from them: reading changes no record and no revision.

It knows nothing of who counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from fabula.abc import Changes, Erasure, Store
from fabula.testing.contract.making import NOON, SPACE, entries, fact, passage
from fabula.types import Access

LATER = NOON + timedelta(hours=1)


class AccessingContract:
    """Counts of what came back, and every version of a record."""

    async def test_counts_add_up(self, store: Store, second: Store, reopen: Callable[[], Awaitable[Store]]) -> None:
        """Whoever counts: the first time stays, the last one moves on, and none moves back."""
        await store.write("u", Changes(add=entries(passage("u", "p"), passage("u", "q"))))
        await store.touch("u", {"p": 2}, NOON)
        await second.touch("u", {"p": 1, "q": 1}, LATER)
        await store.touch("u", {"q": 3}, NOON)
        whole = {"p": Access(3, NOON, LATER), "q": Access(4, NOON, LATER)}
        assert await store.accessed("u", ["p", "q", "r"]) == whole
        assert await (await reopen()).accessed("u", ["p", "q"]) == whole
        assert await second.accessed("u", []) == {}

    async def test_many_count_at_once(self, store: Store, second: Store) -> None:
        """No count is lost, in whatever order the ids are given."""
        ids = [f"p{n}" for n in range(8)]
        await store.write("u", Changes(add=entries(*(passage("u", one) for one in ids))))
        given = [ids, ids[::-1]]
        await asyncio.gather(
            *((store, second)[n % 2].touch("u", dict.fromkeys(given[n % 3 % 2], 1), NOON) for n in range(40))
        )
        assert await store.accessed("u", ids) == dict.fromkeys(ids, Access(40, NOON, NOON))

    async def test_counting_changes_nothing_else(self, store: Store) -> None:
        """An index in memory is as good as before, and whoever holds a revision holds it still."""
        await store.write("u", Changes(add=entries(passage("u", "p"))))
        state, index, records = await store.state("u"), await store.load("u", SPACE), await store.get("u", ["p"])
        await store.touch("u", {"p": 1}, NOON)
        assert await store.state("u") == state
        assert await store.load("u", SPACE, index) is index
        assert await store.get("u", ["p"]) == records

    async def test_what_is_not_there_is_not_counted(self, store: Store) -> None:
        """Neither an id that never was, nor one that was erased, nor one of another scope; no scope is made."""
        await store.touch("u", {"p": 1}, NOON)
        assert await store.scopes() == []
        await store.write("u", Changes(add=entries(passage("u", "p"), passage("u", "q"))))
        await store.write("v", Changes(add=entries(passage("v", "r"))))
        await store.erase("u", Erasure(ids=("q",)))
        await store.touch("u", {"p": 1, "q": 1, "r": 1, "s": 1}, NOON)
        assert (await store.accessed("u", ["p", "q", "r", "s"])).keys() == {"p"}
        assert await store.accessed("v", ["p", "r"]) == {}

    async def test_counts_go_with_what_they_are_of(self, store: Store) -> None:
        """With a message and what was made from it, with a session, with a scope."""
        said = (passage("u", "p", session="s"), passage("u", "q", session="t"), passage("u", "r"))
        await store.write("u", Changes(add=entries(*said, fact("u", "t", "p"))))
        every = ["p", "q", "r", "t"]
        await store.touch("u", dict.fromkeys(every, 1), NOON)
        erased = await store.erase("u", Erasure(ids=("p",)))
        assert erased.rows["access"] == 2
        assert (await store.accessed("u", every)).keys() == {"q", "r"}
        await store.erase("u", Erasure(session="t"))
        assert (await store.accessed("u", every)).keys() == {"r"}
        assert (await store.erase("u", Erasure(everything=True))).rows["access"] == 1
        await store.write("u", Changes(add=entries(passage("u", "r"))))
        assert await store.accessed("u", every) == {}

    async def test_a_record_that_loses_a_version_keeps_its_count(self, store: Store) -> None:
        """What is left of it still came back."""
        await store.write("u", Changes(add=entries(passage("u", "p"), passage("u", "q"), fact("u", "t", "p"))))
        await store.write("u", Changes(put=entries(fact("u", "t", "q"))))
        await store.touch("u", {"t": 1}, NOON)
        await store.erase("u", Erasure(ids=("q",)))
        assert (await store.accessed("u", ["t"])).keys() == {"t"}

    async def test_counting_and_erasing_at_once_leave_no_count_behind(self, store: Store, second: Store) -> None:
        """Whichever comes first; the check that follows each test would find one."""
        for turn in range(12):
            ids = [f"{turn}-{n}" for n in range(6)]
            await store.write("u", Changes(add=entries(*(passage("u", one) for one in ids))))
            await asyncio.gather(
                second.touch("u", dict.fromkeys(ids, 1), NOON),
                store.erase("u", Erasure(ids=tuple(ids))),
                second.touch("u", dict.fromkeys(ids, 1), NOON),
            )
            assert await store.accessed("u", ids) == {}
        assert await second.check() == []

    async def test_what_is_not_used(self, store: Store) -> None:
        """Live records of some kinds, by when they last came back or else were first recorded; oldest first."""
        for minute, one in enumerate(("a", "b", "c", "d", "e")):
            at = NOON + timedelta(minutes=minute)
            await store.write("u", Changes(put=entries(fact("u", one)), at=at))
        await store.write("u", Changes(add=entries(passage("u", "p")), at=NOON))
        await store.write("u", Changes(put=entries(fact("u", "e", status="archived")), at=LATER))
        await store.write("u", Changes(put=entries(fact("u", "b", text="anew")), at=LATER))  # as old as it was
        await store.touch("u", {"a": 1}, NOON + timedelta(minutes=2, seconds=30))
        await store.touch("u", {"d": 1}, LATER)

        async def unused(minutes: float, limit: int = 50, scope: str = "u") -> list[str]:
            found = await store.unused(scope, ["fact", "frame"], NOON + timedelta(minutes=minutes), limit)
            return [record.id for record in found]

        assert await unused(60) == ["b", "c", "a"]
        assert await unused(61) == ["b", "c", "a", "d"]
        assert await unused(61, limit=2) == ["b", "c"]
        assert await unused(2) == ["b"]
        assert await unused(1) == []
        assert await unused(60, scope="v") == []
        ((passages,),) = [[await store.unused("u", ["passage"], LATER, 9)]]
        assert [record.id for record in passages] == ["p"]
