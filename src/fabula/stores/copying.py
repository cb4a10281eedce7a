"""What moving a scope between databases does, as steps of named statements; knows no driver and no way back.

Rows go in the order of their keys, so that what is there tells where to go on. Until the last step the scope does not
exist at its destination: its own row is missing, and a lease that never ends keeps workers out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fabula.abc import ScopeState
from fabula.errors import InvalidInput, StoreUnavailable
from fabula.stores.erasing import empty
from fabula.stores.layouts import Layout
from fabula.stores.statements import COLUMNS, COPYING, LONGS, Do, Steps

FOR_EVER: Final = 253370764800 * 10**6
"""When a copy's lease runs out: in the year 9999."""
NOBODY: Final = -1
"""The revision of no scope."""


def page(
    scope: str, table: str, after: Sequence[Any] | None, limit: int, layout: Layout
) -> Steps[list[tuple[Any, ...]]]:
    """See `Store.page`."""
    if table == "vectors":
        space, number = after or ("", -1)
        return (yield from layout.page(scope, space, number, limit))
    keys = COLUMNS[table][0]
    start = after or [-1 if key in LONGS else "" for key in keys]
    rows = yield Do(f"page_{table}", {"scope": scope, "limit": limit, **dict(zip(keys, start, strict=True))})
    return [tuple(row) for row in rows]


def receive(
    scope: str, revision: int, copier: str, layout: Layout, *, afresh: bool
) -> Steps[dict[str, tuple[Any, ...] | None] | None]:
    """See `Store.receive`."""
    rows = yield Do("lock_scope", {"scope": scope})
    if rows and rows[0][0] == revision:
        return None
    # Made and taken away again: who makes the scope at the same time waits for this transaction, or this one for it.
    made = (yield Do("take_scope", {"scope": scope, "first": NOBODY})) if not rows else ()
    if not made or made[0][0] != NOBODY:
        raise InvalidInput(f"{scope!r} is there already, with other contents: forget it there first")
    yield Do("empty_scopes", {"scope": scope})
    held = yield Do("hold_lease", {"scope": scope})
    if held and (afresh or not held[0][0].startswith(f"{COPYING}{revision} ")):
        yield from empty(scope, layout)  # what is left of a copy of an older state
    # Whoever copies last is the one who copies: what an earlier one still writes is refused.
    worker = f"{COPYING}{revision} {copier}"
    yield Do("take_lease", {"scope": scope, "worker": worker, "until": FOR_EVER, "now": FOR_EVER + 1})
    reached: dict[str, tuple[Any, ...] | None] = {"vectors": (yield from layout.last(scope))}
    for table in COLUMNS:
        last = yield Do(f"last_{table}", {"scope": scope})
        reached[table] = tuple(last[0]) if last else None
    return reached


def restore(scope: str, copier: str, table: str, rows: Sequence[tuple[Any, ...]], layout: Layout) -> Steps[None]:
    """See `Store.restore`."""
    revision = yield from _copied(scope, copier)
    if table == "vectors":
        yield from layout.restore(scope, revision, rows)
    else:
        names = ("scope", *COLUMNS[table][0], *COLUMNS[table][1])
        yield Do(f"restore_{table}", [dict(zip(names, (scope, *row), strict=True)) for row in rows])


def publish(scope: str, copier: str, state: ScopeState) -> Steps[None]:
    """See `Store.publish`."""
    rows = yield Do("take_scope", {"scope": scope, "first": state.revision})
    revision = yield from _copied(scope, copier)
    if (revision, rows[0][0]) != (state.revision, state.revision):
        raise StoreUnavailable(f"{scope!r} is no longer being copied from revision {state.revision}")
    yield Do("leave_scope", {"scope": scope, "reset": state.reset, "next_number": state.next_number,
                             "analyzer": state.analyzer, "space": state.space})  # fmt: skip
    yield Do("drop_lease", {"scope": scope, "worker": f"{COPYING}{revision} {copier}"})


def _copied(scope: str, copier: str) -> Steps[int]:
    """The revision that `copier` copies the scope at; raises `StoreUnavailable` where it no longer does."""
    held = yield Do("hold_lease", {"scope": scope})
    revision, _, holder = held[0][0].removeprefix(COPYING).partition(" ") if held else ("", "", "")
    if holder != copier or not held[0][0].startswith(COPYING):
        raise StoreUnavailable(f"another import or copy of {scope!r} has begun since, or it was forgotten")
    return int(revision)
