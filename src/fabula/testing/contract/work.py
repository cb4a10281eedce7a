"""That background work is durable, ordered, held by one worker at a time and never lost.

It knows no worker and no clock: the time is handed in.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest

from fabula.abc import NEVER, Changes, Lease, Store, Task
from fabula.errors import LeaseLost
from fabula.testing.contract.making import NOON, SPACE, direction, entries, fact, passage

LATER = NOON + timedelta(seconds=61)


async def leave(store: Store, *scopes: str) -> None:
    """Leave one passage to extract in each scope."""
    for scope in scopes:
        await store.write(scope, Changes(add=entries(passage(scope, "a"), tasks=("extract",)), at=NOON))


async def taken(store: Store, worker: str = "w", seconds: float = 60) -> Lease:
    """Return a lease at noon; there must be one."""
    lease = await store.lease(worker, ["extract"], NOON, seconds)
    assert lease is not None
    return lease


class WorkContract:
    """Pending work and leases."""

    async def test_work_comes_in_the_order_of_the_talk(self, store: Store) -> None:
        """Session by session, and in each by place, whatever the order of arrival between sessions."""
        for n in range(3):
            added = entries(*(passage("u", f"{s}{n}", session=s) for s in ("s", "t")), tasks=("extract",))
            await store.write("u", Changes(add=added))
        work = await store.pending("u", "extract")
        assert [(piece.session, piece.id) for piece in work] == [(s, f"{s}{n}") for s in ("s", "t") for n in range(3)]
        assert {piece.task for piece in work} == {"extract"}
        assert [(piece.attempts, piece.error) for piece in work] == [(0, "")] * 6
        records = await store.fetch("u", [piece.number for piece in work])
        assert [records[piece.number].id for piece in work] == [piece.id for piece in work]
        assert [piece.id for piece in await store.pending("u", "embed", limit=2)] == ["s0", "s1"]
        assert await store.pending("nobody", "embed") == []

    async def test_put_leaves_work_too(self, store: Store) -> None:
        """Any entry may leave tasks, each once."""
        await store.write("u", Changes(put=entries(fact("u", "t"), tasks=("embed",))))
        await store.write("u", Changes(put=entries(fact("u", "t", object="x"), tasks=("embed",))))
        ((piece),) = await store.pending("u", "embed")
        assert (await store.fetch("u", [piece.number]))[piece.number] == (await store.get("u", ["t"]))["t"]

    async def test_work_is_done_again(self, store: Store) -> None:
        """Of what is there, once, in its place; the same work twice is one."""
        await leave(store, "u")
        await store.write("u", Changes(add=entries(passage("u", "b", session="t"), fact("u", "t"), tasks=())))
        await store.write("u", Changes(again=(("extract", "b"), ("extract", "gone"), ("extract", "a"), ("fuse", "t"))))
        await store.write("u", Changes(again=(("extract", "b"),)))
        work = await store.pending("u", "extract")
        assert [(piece.session, piece.id) for piece in work] == [("default", "a"), ("t", "b")]
        assert [piece.id for piece in await store.pending("u", "fuse")] == ["t"]
        assert not (await store.write("nobody", Changes(again=(("extract", "a"),)))).revision
        assert await store.scopes() == ["u"]

    async def test_done_strikes_work(self, store: Store) -> None:
        """Only the named task of the named record; what is not there is passed over."""
        await store.write("u", Changes(add=entries(passage("u", "a"), passage("u", "b"), tasks=("extract",))))
        done: tuple[tuple[Task, str], ...] = (("embed", "a"), ("extract", "b"), ("embed", "unknown"))
        await store.write("u", Changes(vectors={"a": direction("a")}, space=SPACE, done=done))
        assert [piece.id for piece in await store.pending("u", "embed")] == ["b"]
        assert [piece.id for piece in await store.pending("u", "extract")] == ["a"]

    async def test_a_lease_is_for_work_that_is_there(self, store: Store) -> None:
        """There is none without work, none for other tasks, and it names scope, worker and end."""
        await store.write("idle", Changes(add=entries(fact("idle", "t"))))
        assert await store.lease("w", ["embed", "extract"], NOON, 60) is None
        await store.write("u", Changes(add=entries(fact("u", "t"), tasks=("extract",)), at=NOON))
        assert await store.lease("w", ["embed"], NOON, 60) is None
        lease = await store.lease("w", ["embed", "extract"], NOON, 60)
        assert lease == Lease(scope="u", worker="w", until=NOON + timedelta(seconds=60))

    async def test_a_scope_is_leased_for_other_work(self, store: Store) -> None:
        """Without tasks, there need be nothing to do in it; but nobody else holds it."""
        await store.write("idle", Changes(add=entries(fact("idle", "t"))))
        lease = await store.lease("w", (), NOON, 60, scope="idle")
        assert lease == Lease(scope="idle", worker="w", until=NOON + timedelta(seconds=60))
        assert await store.lease("x", (), NOON, 60, scope="idle") is None

    async def test_a_held_scope_is_not_leased(self, store: Store, second: Store) -> None:
        """To no other worker, in whatever process, until it runs out."""
        await leave(store, "u")
        await taken(store)
        almost = NOON + timedelta(seconds=59)
        for other in (store, second):
            assert await other.lease("x", ["extract"], almost, 60) is None
        lease = await second.lease("x", ["extract"], LATER, 60)
        assert lease is not None
        assert (lease.scope, lease.worker) == ("u", "x")

    async def test_a_worker_may_hold_on(self, store: Store) -> None:
        """Leasing again what it holds makes it longer; work that another worker took over it cannot."""
        await leave(store, "u")
        await taken(store)
        longer = await store.lease("w", ["extract"], NOON + timedelta(seconds=50), 60)
        assert longer is not None
        assert longer.until == NOON + timedelta(seconds=110)
        assert await store.lease("x", ["extract"], LATER, 60) is None
        assert await store.lease("x", ["extract"], longer.until, 60) is not None
        assert await store.lease("w", ["extract"], longer.until, 60) is None

    async def test_one_scope_can_be_asked_for(self, store: Store) -> None:
        """Then it is that one or none."""
        await leave(store, "u", "v")
        lease = await store.lease("w", ["extract"], NOON, 60, scope="v")
        assert lease is not None
        assert lease.scope == "v"
        assert await store.lease("x", ["extract"], NOON, 60, scope="v") is None
        assert await store.lease("x", ["extract"], NOON, 60, scope="nobody") is None

    async def test_quiet_talk_is_read_later(self, store: Store) -> None:
        """`extract` work is due `quiet` seconds after it was recorded, `embed` work at once; `due` looks ahead."""
        added = entries(passage("u", "a"), tasks=("extract",))
        await store.write("u", Changes(add=added, at=NOON, quiet=30))
        soon, due = NOON + timedelta(seconds=29), NOON + timedelta(seconds=30)
        assert await store.lease("w", ["extract"], soon, 60) is None
        ahead = await store.lease("w", ["extract"], soon, 60, due=due)
        assert ahead is not None
        assert (ahead.scope, ahead.until) == ("u", soon + timedelta(seconds=60))
        await store.release(ahead)
        lease = await store.lease("w", ["extract"], due, 60)
        assert lease is not None
        await store.release(lease)
        assert await store.lease("w", ["embed"], NOON, 60) is not None

    async def test_talk_may_wait_for_ever(self, store: Store) -> None:
        """With `quiet` beyond the end of time it is due `NEVER`."""
        for n, quiet in enumerate((math.inf, 1e12)):
            added = entries(passage("u", str(n)), tasks=("extract",))
            await store.write("u", Changes(add=added, at=NOON, quiet=quiet))
        assert [piece.due for piece in await store.pending("u", "extract")] == [NEVER, NEVER]
        assert await store.lease("w", ["extract"], NOON + timedelta(days=10**6), 60) is None

    async def test_talk_is_asked_for(self, store: Store) -> None:
        """Of a session or all; what failed keeps its time, other work and other scopes theirs."""
        for scope in ("u", "v"):
            said = [passage(scope, name, session=name[0]) for name in ("s0", "s1", "t0", "t1")]
            added = entries(*said, tasks=("embed", "extract"))
            await store.write(scope, Changes(add=added, at=NOON, quiet=math.inf))
        lease = await store.lease("w", (), NOON, 60, scope="u")
        assert lease is not None
        failed, *_ = await store.pending("u", "extract")
        await store.postpone(lease, [replace(failed, attempts=1, error="down", due=LATER)])
        assert await store.hasten("u", "s") == 1
        dues = {piece.id: piece.due for piece in await store.pending("u", "extract")}
        assert dues == {"s0": LATER, "s1": None, "t0": NEVER, "t1": NEVER}
        assert await store.hasten("u", "s") == 0
        assert await store.hasten("u") == 2
        assert await store.hasten("nobody") == 0
        assert {piece.due for piece in await store.pending("v", "extract")} == {NEVER}
        assert await store.scopes() == ["u", "v"]

    async def test_full_sessions_are_found(self, store: Store) -> None:
        """By what waits to be extracted in one session and has not failed."""
        for scope, sessions in (("two", "ss"), ("three", "sss"), ("apart", "stu")):
            said = [passage(scope, f"p{n}", session=session) for n, session in enumerate(sessions)]
            await store.write(scope, Changes(add=entries(*said, tasks=("embed", "extract")), at=NOON))
        assert sorted(await store.crowded(1)) == ["apart", "three", "two"]
        assert sorted(await store.crowded(2)) == ["three", "two"]
        lease = await store.lease("w", (), NOON, 60, scope="two")
        assert lease is not None
        failed, *_ = await store.pending("two", "extract")
        await store.postpone(lease, [replace(failed, attempts=1, error="down", due=LATER)])
        assert await store.crowded(2) == ["three"]
        assert await store.crowded(4) == []

    async def test_every_scope_gets_its_turn(self, store: Store, second: Store) -> None:
        """Many workers get each scope with work exactly once."""
        scopes = [f"u{n}" for n in range(12)]
        await leave(store, *scopes)
        leases: list[str] = []
        # Each is another worker: the same one might be given again what it holds.
        while lease := await (store, second)[len(leases) % 2].lease(f"w{len(leases)}", ["extract"], NOON, 60):
            leases.append(lease.scope)
        assert sorted(leases) == sorted(scopes)

    async def test_release_frees(self, store: Store) -> None:
        """A lease that is given back can be had at once; giving back twice or too late is harmless."""
        await leave(store, "u")
        first = await taken(store, "w")
        await store.release(first)
        await store.release(first)
        held = await taken(store, "x")
        await store.release(first)
        assert await store.lease("y", ["extract"], NOON, 60) is None
        await store.release(held)
        assert await store.lease("y", ["extract"], NOON, 60) is not None

    async def test_a_held_lease_may_write(self, store: Store) -> None:
        """Results and the striking of work go into one transaction."""
        await leave(store, "u")
        lease = await taken(store)
        await store.write("u", Changes(add=entries(fact("u", "t", "a")), done=(("extract", "a"),)), lease)
        assert list(await store.get("u", ["t"])) == ["t"]
        assert await store.pending("u", "extract") == []
        await store.release(lease)
        assert await store.lease("w", ["extract"], LATER, 60) is None
        assert (await store.stats("u")).pending.get("extract", 0) == 0

    @pytest.mark.parametrize("how", ["taken over", "released"])
    async def test_a_lost_lease_may_not_write(self, store: Store, second: Store, how: str) -> None:
        """`LeaseLost`, and nothing of the write is left."""
        await leave(store, "u")
        lease = await taken(store)
        if how == "released":
            await second.release(lease)
        else:
            assert await second.lease("x", ["extract"], LATER, 60) is not None
        before = await store.load("u", "")
        with pytest.raises(LeaseLost):
            await store.write("u", Changes(add=entries(fact("u", "t", "a")), done=(("extract", "a"),)), lease)
        assert await store.get("u", ["t"]) == {}
        assert [piece.id for piece in await store.pending("u", "extract")] == ["a"]
        assert await store.load("u", "", before) is before

    async def test_postponed_work_waits(self, store: Store) -> None:
        """Attempts, error and due date are kept, and the scope is not leased before."""
        await leave(store, "u")
        lease = await taken(store)
        (piece,) = await store.pending("u", "extract")
        due = NOON + timedelta(seconds=30)
        failed = replace(piece, attempts=2, error="主机没有回答: 'x'", due=due)
        await store.postpone(lease, [failed])
        await store.postpone(lease, [])
        await store.release(lease)
        assert await store.pending("u", "extract") == [failed]
        assert await store.lease("w", ["extract"], due - timedelta(seconds=1), 60) is None
        assert await store.lease("w", ["extract"], due, 60) is not None

    async def test_other_due_work_is_leased(self, store: Store) -> None:
        """Postponing one piece does not hold up another of the same scope or of another."""
        added = entries(passage("u", "a"), passage("u", "b"), tasks=("extract",))
        await store.write("u", Changes(add=added, at=NOON))
        lease = await taken(store)
        (first, second) = await store.pending("u", "extract")
        far = NOON + timedelta(days=1)
        await store.postpone(lease, [replace(first, attempts=1, error="x", due=far)])
        await store.release(lease)
        lease = await taken(store)
        await store.postpone(lease, [replace(second, attempts=1, error="x", due=far)])
        await store.release(lease)
        await leave(store, "v")
        assert (await taken(store)).scope == "v"

    async def test_retry_gives_a_fresh_start(self, store: Store) -> None:
        """Work that failed often enough is due again, in all scopes; what failed less often still waits."""
        await leave(store, "u", "v", "w")
        far = NOON + timedelta(days=300)
        for attempts in (5, 6, 4):
            lease = await taken(store)
            (piece,) = await store.pending(lease.scope, "extract")
            await store.postpone(lease, [replace(piece, attempts=attempts, error=str(attempts), due=far)])
            await store.release(lease)
        assert await store.lease("w", ["extract"], NOON, 60) is None
        assert await store.retry(5) == 2
        assert await store.retry(5) == 0
        states = [(await store.pending(scope, "extract"))[0] for scope in ("u", "v", "w")]
        assert sorted(piece.attempts for piece in states) == [0, 0, 4]
        assert {(await taken(store, worker)).scope for worker in ("x", "y")} == {
            scope for scope, piece in zip(("u", "v", "w"), states, strict=True) if piece.attempts == 0
        }
        assert await store.lease("z", ["extract"], NOON, 60) is None

    async def test_work_survives(self, store: Store, second: Store) -> None:
        """A worker that died leaves its work to the next one."""
        await leave(store, "u")
        await taken(store)
        await store.close()
        lease = await second.lease("x", ["extract"], LATER, 60)
        assert lease is not None
        assert [piece.id for piece in await second.pending("u", "extract")] == ["a"]

    @pytest.mark.parametrize("how", ["taken over", "released"])
    async def test_a_lost_lease_may_not_postpone(self, store: Store, second: Store, how: str) -> None:
        """`LeaseLost`, and the work is as it was."""
        await leave(store, "u")
        lease = await taken(store)
        work = await store.pending("u", "extract")
        if how == "released":
            await second.release(lease)
        else:
            assert await second.lease("x", ["extract"], LATER, 60) is not None
        with pytest.raises(LeaseLost):
            await store.postpone(lease, [replace(piece, attempts=9, error="x", due=LATER) for piece in work])
        assert await store.pending("u", "extract") == work
