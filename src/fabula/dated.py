"""Records by when they happened, or else were recorded, newest first; ranks nothing and reads no question."""

from __future__ import annotations

from typing import Final

import numpy as np

from fabula import narrowing
from fabula.abc import Ground
from fabula.index import FOREVER, Doubles, Field, Index, Ints
from fabula.types import Interval, Plan, Record

PAGE: Final = 500
"""Records fetched at once."""


async def dated(ground: Ground, scope: str, plan: Plan, limit: int | None, offset: int) -> tuple[int, list[Record]]:
    """Return how many records there are, and those after `offset`; see `AsyncMemory.dated`."""
    index = await ground.store.load(scope, ground.space)
    numbers, moments = _within(index, plan)
    order = np.lexsort((-numbers, -moments))
    wanted = numbers[order][offset : None if limit is None else offset + limit].tolist()
    found: list[Record] = []
    for start in range(0, len(wanted), PAGE):
        part = wanted[start : start + PAGE]
        records = await ground.store.fetch(scope, part)
        found += [records[number] for number in part if number in records]
    return len(numbers), found


def _within(index: Index, plan: Plan) -> tuple[Ints, Doubles]:
    """The numbers and moments of the believed records of the plan's kinds that begin within its interval."""
    chosen = narrowing.drawn(index, plan)
    during = plan.during or Interval()
    numbers, moments = [np.empty(0, np.int64)], [np.empty(0, np.float64)]
    start = during.start.timestamp() if during.start else -np.inf
    end = during.end.timestamp() if during.end else np.inf
    for kind in plan.kinds:
        field = index.of(kind)
        begin = moments_of(field)
        rows = (field.recorded_to == FOREVER) & (begin >= start) & (begin < end)
        rows = np.flatnonzero(rows & chosen[kind] if kind in chosen else rows)
        numbers.append(field.number[rows])
        moments.append(begin[rows])
    return np.concatenate(numbers), np.concatenate(moments)


def moments_of(field: Field) -> Doubles:
    """Return when each row happened or began to hold, or else was recorded, in seconds since the epoch."""
    begun = np.where(np.isnan(field.valid_from), field.valid_to, field.valid_from)
    return np.where(np.isnan(begun), field.recorded_from, begun)
