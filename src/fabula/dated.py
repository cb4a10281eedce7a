"""Records by when they happened, or else were told, newest first; ranks nothing and reads no question."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from fabula import narrowing
from fabula.abc import Ground
from fabula.checking import EPOCH
from fabula.holding import HAPPENS
from fabula.index import FOREVER, Doubles, Index, Ints
from fabula.types import Interval, Kind, Plan, Record

PAGE: Final = 500
"""Records fetched at once."""
_LAST: Final = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC).timestamp()
"""As late as a moment is told: a fraction more, in floating point, would be in the year 10000."""


async def dated(
    ground: Ground, scope: str, plan: Plan, limit: int | None, offset: int, exact: timedelta | None = None
) -> tuple[int, list[tuple[datetime, Record]]]:
    """Return how many records there are, and those after `offset` with their moments; see `AsyncMemory.dated`."""
    index = await ground.store.load(scope, ground.space)
    numbers, moments = _within(index, plan, np.inf if exact is None else exact.total_seconds())
    order = np.lexsort((-numbers, -moments))[offset : None if limit is None else offset + limit]
    wanted = list(zip(numbers[order].tolist(), np.minimum(moments[order], _LAST).tolist(), strict=True))
    found: list[tuple[datetime, Record]] = []
    for start in range(0, len(wanted), PAGE):
        part = wanted[start : start + PAGE]
        records = await ground.store.fetch(scope, [number for number, _ in part])
        found += [(EPOCH + timedelta(seconds=at), records[number]) for number, at in part if number in records]
    return len(numbers), found


def _within(index: Index, plan: Plan, exact: float) -> tuple[Ints, Doubles]:
    """The numbers and moments of the believed records of the plan's kinds whose moment lies within its interval."""
    chosen = narrowing.drawn(index, plan)
    during = plan.during or Interval()
    numbers, moments = [np.empty(0, np.int64)], [np.empty(0, np.float64)]
    start = during.start.timestamp() if during.start else -np.inf
    end = during.end.timestamp() if during.end else np.inf
    for kind in plan.kinds:
        field = index.of(kind)
        moment = moments_of(index, kind, exact)
        rows = (field.recorded_to == FOREVER) & (moment >= start) & (moment < end)
        rows = np.flatnonzero(rows & chosen[kind] if kind in chosen else rows)
        numbers.append(field.number[rows])
        moments.append(moment[rows])
    return np.concatenate(numbers), np.concatenate(moments)


def moments_of(index: Index, kind: Kind, exact: float) -> Doubles:
    """Return the moment of each row, in seconds since the epoch: when it happened, where that is known to less than
    `exact` seconds, or began to hold; or else when it was told, or else recorded."""
    field = index.of(kind)
    begun = np.where(np.isnan(field.valid_from), field.valid_to, field.valid_from)
    length = field.valid_to - field.valid_from if kind in HAPPENS else np.zeros(len(field))
    known = np.nan_to_num(length) < exact  # what has an open end began at the other
    return np.where(np.isnan(begun) | ~known, _told(index, kind), begun)


def _told(index: Index, kind: Kind) -> Doubles:
    """When the last message that each row was made from was said, or else when it was recorded."""
    field, said = index.of(kind), index.of("passage").valid_from
    rows, sources = field.made_from()
    told = np.full(len(field), -np.inf)
    np.maximum.at(told, rows, said[sources])
    return np.where(np.isfinite(told), told, field.recorded_from)
