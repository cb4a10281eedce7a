"""What the handling of pending work does, as steps of named statements: leases, and what is left to do.

It knows no driver, and nothing of the work itself. See `statements.Do` for the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from fabula.abc import Lease, Pending, Task
from fabula.checking import EPOCH
from fabula.errors import LeaseLost
from fabula.stores.rows import MICROSECOND, micros, moment
from fabula.stores.statements import Do, Steps

CANDIDATES: Final = 64
"""How many scopes with work are looked at, since another worker may take the first."""


def held(lease: Lease) -> Steps[None]:
    """Make sure that a lease is still held."""
    rows = yield Do("hold_lease", {"scope": lease.scope})
    if not rows or rows[0][0] != lease.worker:
        raise LeaseLost(f"the work of scope {lease.scope!r} was taken over by another worker")


def work(
    worker: str, tasks: Sequence[Task], now: datetime, due: datetime | None, scope: str | None
) -> Steps[list[str]]:
    """Scopes that `lease` could take, the longest due first; asked first, since looking locks nothing."""
    wanted: dict[str, Any] = {"tasks": list(tasks), "due": micros(due or now)}
    if scope is not None:
        rows = yield Do("work", {**wanted, "scope": scope})
    else:
        rows = yield Do("all_work", {**wanted, "worker": worker, "now": micros(now), "limit": CANDIDATES})
    return [row[0] for row in rows]


def lease(scope: str, worker: str, now: datetime, seconds: float) -> Steps[Lease | None]:
    """Take a scope's lease, if it is free, has run out or is the worker's own."""
    until = now + timedelta(seconds=seconds)
    rows = yield Do("take_lease", {"scope": scope, "worker": worker, "until": micros(until), "now": micros(now)})
    return Lease(scope=scope, worker=worker, until=until) if rows else None


def holder(scope: str) -> Steps[Lease | None]:
    """See `Store.holder`."""
    rows = yield Do("lease_of", {"scope": scope})
    return Lease(scope=scope, worker=rows[0][0], until=EPOCH + rows[0][1] * MICROSECOND) if rows else None


def leases() -> Steps[list[Lease]]:
    """See `Store.leases`."""
    rows = yield Do("all_leases", {})
    return [Lease(scope=row[0], worker=row[1], until=EPOCH + row[2] * MICROSECOND) for row in rows]


def pending(scope: str, task: Task, limit: int, failed: bool | None, due: datetime | None) -> Steps[list[Pending]]:
    """See `Store.pending`."""
    wanted = {"scope": scope, "task": task, "limit": limit, "failed": failed, "due": micros(due)}
    rows = yield Do("list_pending", wanted)
    names = ("task", "id", "number", "session", "attempts", "error")
    return [Pending(**dict(zip(names, row, strict=False)), due=moment(row[6] or None)) for row in rows]


def postpone(scope: str, lease: Lease, work: Sequence[Pending]) -> Steps[None]:
    """See `Store.postpone`."""
    yield from held(lease)
    yield Do("postpone_pending", [
        {"scope": scope, "task": w.task, "number": w.number, "attempts": w.attempts, "error": w.error,
         "due": micros(w.due) or 0} for w in work
    ])  # fmt: skip


def failed(attempts: int) -> Steps[list[str]]:
    """Scopes with work that failed so often."""
    rows = yield Do("all_failed", {"attempts": attempts})
    return [row[0] for row in rows]


def retry(scope: str, attempts: int) -> Steps[int]:
    """See `Store.retry`, for one scope."""
    yield Do("hold_lease", {"scope": scope})  # first, as everywhere, or two could wait for each other
    return len((yield Do("renew_pending", {"scope": scope, "attempts": attempts})))


def hasten(scope: str, session: str | None) -> Steps[int]:
    """See `Store.hasten`."""
    yield Do("hold_lease", {"scope": scope})  # first, as everywhere
    return len((yield Do("hasten_pending", {"scope": scope, "session": session})))


def crowded(count: int) -> Steps[list[str]]:
    """See `Store.crowded`."""
    rows = yield Do("all_crowded", {"limit": count})
    return [row[0] for row in rows]


def release(scope: str, lease: Lease) -> Steps[None]:
    """See `Store.release`."""
    yield Do("drop_lease", {"scope": scope, "worker": lease.worker})
