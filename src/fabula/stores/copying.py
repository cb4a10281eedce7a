"""What moving a scope between databases does, as steps of named statements; knows no driver and no way back.

Rows go in the order of their keys, so that what is there tells where to go on. Until the last step the scope does not
exist at its destination: its own row is missing, and a lease that never ends keeps workers out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fabula.abc import ScopeState
from fabula.errors import InvalidInput
from fabula.stores.erasing import empty
from fabula.stores.layouts import Layout
from fabula.stores.statements import COLUMNS, COPYING, LONGS, Do, Steps

NEVER: Final = 253370764800 * 10**6
"""When a copy's lease runs out: in the year 9999."""


def state(scope: str) -> Steps[ScopeState | None]:
    """See `Store.state`."""
    rows = yield Do("scope_state", {"scope": scope})
    return ScopeState(*rows[0]) if rows else None


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
    scope: str, revision: int, layout: Layout, *, afresh: bool
) -> Steps[dict[str, tuple[Any, ...] | None] | None]:
    """See `Store.receive`."""
    rows = yield Do("lock_scope", {"scope": scope})
    if rows and rows[0][0] == revision:
        return None
    if rows:
        raise InvalidInput(f"scope {scope!r} is at the destination already, with other contents: forget it there first")
    worker = f"{COPYING}{revision}"
    holder = yield Do("holder", {"scope": scope})
    if holder and (afresh or holder[0][0] != worker):
        yield from empty(scope, layout)  # what is left of a copy of an older state
    yield Do("take_lease", {"scope": scope, "worker": worker, "until": NEVER, "now": NEVER})
    reached: dict[str, tuple[Any, ...] | None] = {"vectors": (yield from layout.last(scope))}
    for table in COLUMNS:
        last = yield Do(f"last_{table}", {"scope": scope})
        reached[table] = tuple(last[0]) if last else None
    return reached


def restore(scope: str, table: str, rows: Sequence[tuple[Any, ...]], layout: Layout) -> Steps[None]:
    """See `Store.restore`."""
    holder = yield Do("holder", {"scope": scope})
    if not holder or not holder[0][0].startswith(COPYING):
        return (yield from _made_by_another(scope))
    revision = int(holder[0][0].removeprefix(COPYING))
    if table == "vectors":
        yield from layout.restore(scope, revision, rows)
    else:
        names = ("scope", *COLUMNS[table][0], *COLUMNS[table][1])
        yield Do(f"restore_{table}", [dict(zip(names, (scope, *row), strict=True)) for row in rows])


def publish(scope: str, state: ScopeState) -> Steps[None]:
    """See `Store.publish`."""
    worker = f"{COPYING}{state.revision}"
    holder = yield Do("holder", {"scope": scope})
    if not holder or holder[0][0] != worker:
        return (yield from _made_by_another(scope, state.revision))
    yield Do("take_scope", {"scope": scope, "first": state.revision})
    yield Do("leave_scope", {"scope": scope, "reset": state.reset, "next_number": state.next_number,
                             "analyzer": state.analyzer, "space": state.space})  # fmt: skip
    yield Do("drop_lease", {"scope": scope, "worker": worker})


def _made_by_another(scope: str, revision: int | None = None) -> Steps[None]:
    """Make sure that a scope which is no longer being copied is there, since another copy was quicker."""
    rows = yield Do("scope_state", {"scope": scope})
    if not rows or revision not in (None, rows[0][0]):
        raise InvalidInput(f"scope {scope!r} is not being copied here")
