"""That what was acknowledged stays, and that many may read and write at once.

It knows no crash: what an engine does when the power fails is its own to test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from fabula.abc import Changes, Erasure, Filter, Store
from fabula.testing.contract.making import (
    NOON,
    SPACE,
    assert_same,
    direction,
    entries,
    fact,
    frame,
    passage,
    six,
    vectors_of,
)
from fabula.types import KINDS


class LastingContract:
    """Durability, concurrency and counting."""

    async def test_everything_acknowledged_is_there_after_reopening(
        self, store: Store, reopen: Callable[[], Awaitable[Store]]
    ) -> None:
        """Records, index, vectors, cache, work, leases and tombstones."""
        records = six("u")
        cache = {b"h": direction("h")}
        await store.write("u", Changes(add=entries(*records, tasks=("embed",)), analyzer=3))
        await store.write("u", Changes(vectors={record.id: direction(record.id) for record in records}, space=SPACE))
        await store.write("u", Changes(put=entries(fact("u", "t", "p", text="changed")), close=("e",)))
        await store.write("u", Changes(add=entries(passage("u", "x"))))
        await store.erase("u", Erasure(ids=("x",)))
        await store.write("u", Changes(cache=cache, space=SPACE))
        lease = await store.lease("w", ["embed"], NOON, 60)
        ids = [record.id for record in records]
        before = (await store.get("u", ids), await store.load("u", SPACE), await store.pending("u", "embed"))
        again = await reopen()
        assert (await again.get("u", ids), await again.pending("u", "embed")) == (before[0], before[2])
        assert_same(await again.load("u", SPACE), before[1])
        assert await again.load("u", SPACE, before[1]) is before[1]
        assert (await again.cached("u", SPACE, [b"h"])).keys() == cache.keys()
        assert await again.lease("x", ["embed"], NOON, 60) is None
        assert lease is not None
        written = await again.write("u", Changes(add=entries(passage("u", "x"))), lease)
        assert written.erased == {"x"}

    async def test_closing_twice_is_harmless(self, store: Store) -> None:
        """And so is closing before anything was asked."""
        await store.close()
        await store.close()

    async def test_a_write_is_seen_by_others_at_once(self, store: Store, second: Store) -> None:
        """Once `write` returned, every reader has it."""
        for n in range(5):
            writer, reader = (store, second) if n % 2 else (second, store)
            await writer.write("u", Changes(add=entries(passage("u", f"p{n}"))))
            assert list(await reader.get("u", [f"p{n}"])) == [f"p{n}"]
            assert len((await reader.load("u", "")).of("passage")) == n + 1

    async def test_the_same_id_from_many_writers_is_one_record(self, store: Store, second: Store) -> None:
        """One of them wins; the others are told what is there."""
        texts = [f"text {n}" for n in range(20)]
        written = await asyncio.gather(
            *(
                (store, second)[n % 2].write("u", Changes(add=entries(passage("u", "a", text), tasks=("embed",))))
                for n, text in enumerate(texts)
            )
        )
        ((_, winner),) = await store.find("u", Filter(kind="passage"))
        losers = [result for result in written if result.present]
        assert len(losers) == len(texts) - 1
        assert all(result.present == {"a": winner} for result in losers)
        assert winner.text in texts
        assert len(await store.pending("u", "embed")) == 1

    async def test_many_writers_of_one_scope(self, store: Store, second: Store) -> None:
        """No place, number or revision is given twice."""
        written = await asyncio.gather(
            *(
                (store, second)[n % 2].write("u", Changes(add=entries(passage("u", f"p{n}", session=f"s{n % 3}"))))
                for n in range(24)
            )
        )
        assert len({result.revision for result in written}) == 24
        found = await store.find("u", Filter(kind="passage"))
        assert len({number for number, _ in found}) == 24
        for session in ("s0", "s1", "s2"):
            places = [getattr(r, "seq", None) for _, r in found if getattr(r, "session", None) == session]
            assert places == list(range(8))

    async def test_many_writers_of_many_scopes(self, store: Store, second: Store) -> None:
        """Writers of different scopes do not lose each other's work."""

        async def fill(writer: Store, scope: str) -> None:
            for n in range(4):
                await writer.write(scope, Changes(add=entries(passage(scope, f"p{n}")), put=entries(fact(scope, "t"))))

        await asyncio.gather(*(fill((store, second)[n % 2], f"u{n}") for n in range(8)))
        assert len(await store.scopes()) == 8
        for n in range(8):
            stats = await second.stats(f"u{n}")
            assert (stats.records.get("passage"), stats.records.get("fact")) == (4, 1)

    async def test_readers_never_see_half_a_write(self, store: Store, second: Store) -> None:
        """While pairs are written and erased, every way of reading shows whole pairs."""
        finished = asyncio.Event()

        async def write() -> None:
            for n in range(12):
                pair = entries(passage("u", f"a{n}", session="s"), passage("u", f"b{n}", session="s"))
                vectors = {f"{x}{n}": direction(f"{x}{n}") for x in "ab"}
                await store.write("u", Changes(add=pair, vectors=vectors, space=SPACE))
                if n % 3 == 2:
                    await store.erase("u", Erasure(ids=(f"a{n - 1}", f"b{n - 1}")))
            finished.set()

        async def read(reader: Store) -> int:
            index, rounds = None, 0
            while not finished.is_set() or not rounds:
                index = await reader.load("u", SPACE, index)
                assert len(index.of("passage")) % 2 == 0
                assert len(vectors_of(index)) == len(index.of("passage"))
                got = await reader.get("u", [f"{x}{n}" for n in range(12) for x in "ab"])
                assert {name[1:] for name in got if name[0] == "a"} == {name[1:] for name in got if name[0] == "b"}
                assert len(await reader.find("u", Filter(kind="passage"))) % 2 == 0
                rounds += 1
            return rounds

        _, *rounds = await asyncio.gather(write(), read(store), read(second))
        assert all(rounds)
        assert len(await store.find("u", Filter(kind="passage"))) == 16

    async def test_erasing_and_writing_meet(self, store: Store, second: Store) -> None:
        """A frame of a message that is being erased is either erased with it or refused."""
        for n in range(6):
            await store.write("u", Changes(add=entries(passage("u", f"p{n}"))))
            await asyncio.gather(
                store.erase("u", Erasure(ids=(f"p{n}",))),
                second.write("u", Changes(add=entries(frame("u", f"f{n}", f"p{n}")))),
                return_exceptions=True,
            )
        assert await store.get("u", [f"{x}{n}" for n in range(6) for x in "pf"]) == {}
        assert len((await store.load("u", "")).of("frame")) == 0

    async def test_one_worker_gets_each_scope(self, store: Store, second: Store) -> None:
        """Workers that ask at the same moment get different scopes."""
        for n in range(6):
            await store.write(f"u{n}", Changes(add=entries(passage(f"u{n}", "a"), tasks=("embed",))))
        leases = await asyncio.gather(
            *((store, second)[n % 2].lease(f"w{n}", ["embed"], NOON, 60) for n in range(6)),
        )
        held = [lease.scope for lease in leases if lease is not None]
        assert len(held) == len(set(held))
        while lease := await store.lease("late", ["embed"], NOON, 60):
            held.append(lease.scope)
        assert sorted(held) == [f"u{n}" for n in range(6)]

    async def test_counts_of_one_scope_and_of_all(self, store: Store) -> None:
        """Live records by kind, sessions, work by task, scopes and bytes."""
        await store.write("u", Changes(add=entries(*six("u"), tasks=("embed",))))
        await store.write("u", Changes(add=entries(passage("u", "p2", session="other"), tasks=("embed", "extract"))))
        await store.write("u", Changes(put=entries(fact("u", "t", "p")), close=("e",)))
        await store.write("v", Changes(add=entries(passage("v", "p", session="other"), tasks=("extract",))))
        one, every = await store.stats("u"), await store.stats()
        counts = {kind: one.records.get(kind, 0) for kind in KINDS}
        assert counts == {"passage": 2, "frame": 1, "fact": 1, "entity": 0, "insight": 1, "note": 1}
        assert (one.sessions, every.sessions) == (2, 3)
        assert (one.scopes, every.scopes) == (1, 2)
        assert every.records.get("passage") == 3
        assert (one.pending.get("extract"), every.pending.get("extract")) == (1, 2)
        assert one.failed == every.failed == 0
        assert every.bytes_per_message > 0
        assert all(size >= 0 for size in every.bytes.values())
        nobody = await store.stats("nobody")
        assert (sum(nobody.records.values()), nobody.sessions, sum(nobody.pending.values())) == (0, 0, 0)

    async def test_check_looks_at_one_scope_or_all(self, store: Store) -> None:
        """A sound database has nothing to tell, in part or in whole."""
        await store.write("u", Changes(add=entries(*six("u")), vectors={"p": direction("p")}, space=SPACE))
        await store.erase("u", Erasure(ids=("f",)))
        for scope in ("u", "nobody", None):
            assert await store.check(scope) == []
