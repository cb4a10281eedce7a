"""Which rows of an index a plan's filters let through, and which records; ranks nothing.

A filter is applied before anything is ranked, so that as many come back as there are.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import numpy as np

from fabula.holding import held_at, rows_at
from fabula.index import Bools, Doubles, Field, Index
from fabula.standing import STANDING
from fabula.text import hash_term
from fabula.types import SORT, Interval, Kind, Passage, Plan, Record

SORTED: Final = "\0sort"
"""The mark of a record that its author calls a memory of some sort; with the name behind it, of that sort."""


def marks(record: Record) -> list[str]:
    """Return what a record is looked up by where memories of a sort are asked for."""
    sort = record.meta.get(SORT)
    return [SORTED, f"{SORTED}:{sort}"] if isinstance(sort, str) and sort else []


def passages(index: Index, plan: Plan, as_of: datetime | None) -> Bools:
    """Return which passages may come back, or lead to what was drawn from them."""
    field = index.of("passage")
    allowed = field.live(None if as_of is None else as_of.timestamp())
    if plan.session is not None:
        sessions = (plan.session,) if isinstance(plan.session, str) else plan.session
        allowed = allowed & np.isin(field.session, [index.sessions.get(name, -1) for name in sessions])
    if plan.speaker is not None:
        allowed = allowed & (field.speaker == index.speakers.get(plan.speaker, -1))
    for window in (plan.during, plan.created):
        if window is not None:
            allowed = allowed & _inside(field.valid_from, window)
    return np.zeros_like(allowed) if plan.sort else allowed


def said_then(index: Index, plan: Plan) -> Bools | None:
    """Return which passages may come back where the plan asks about a time; `None` where it asks about none."""
    field = index.of("passage")
    then = None if plan.valid_at is None else rows_at(field, "passage", plan.valid_at)
    if plan.valid_during is not None:
        during = _overlaps(field, plan.valid_during)
        then = during if then is None else then & during
    return then


def drawn(index: Index, plan: Plan) -> dict[Kind, Bools]:
    """Return which facts, frames and insights take part; empty where all do."""
    chosen: dict[Kind, Bools] = {}
    for kind in STANDING:
        field = index.of(kind)
        rows = np.ones(len(field), np.bool_)
        if plan.valid_at is not None:
            rows &= rows_at(field, kind, plan.valid_at)
        if plan.valid_during is not None:
            rows &= _overlaps(field, plan.valid_during)
        if plan.created is not None:
            rows &= _inside(field.recorded_from, plan.created)
        if plan.sort is not None:
            bearing = np.zeros(len(field), np.bool_)
            bearing[field.postings.of(hash_term(f"{SORTED}:{plan.sort}" if plan.sort else SORTED))[0]] = True
            rows &= bearing if plan.sort else ~bearing
        if not rows.all():
            chosen[kind] = rows
    return chosen


def fits(record: Record, plan: Plan) -> bool:
    """Return whether a record that something else led to is let through too."""
    if plan.valid_at is not None and not held_at(record, plan.valid_at):
        return False
    recorded = record.recorded.start if record.recorded else None
    valid = record.valid or Interval(start=recorded, end=recorded)
    if plan.valid_during is not None and not _meets(valid, plan.valid_during):
        return False
    came = valid.start if isinstance(record, Passage) else recorded
    if plan.created is not None and not (came is not None and _meets(Interval.at(came), plan.created)):
        return False
    return plan.sort is None or plan.sort == record.meta.get(SORT, "")


def _meets(one: Interval, window: Interval) -> bool:
    begun = window.end is None or one.start is None or one.start < window.end
    return begun and (
        window.start is None or one.end is None or one.end > window.start or one.start == one.end == window.start
    )


def _inside(moments: Doubles, window: Interval) -> Bools:
    start, end = window.start, window.end
    inside = moments >= (start.timestamp() if start else -np.inf)
    return inside & (moments < (end.timestamp() if end else np.inf))


def _overlaps(field: Field, window: Interval) -> Bools:
    timeless = np.isnan(field.valid_from) & np.isnan(field.valid_to)
    start = np.where(timeless, field.recorded_from, np.where(np.isnan(field.valid_from), -np.inf, field.valid_from))
    end = np.where(timeless, field.recorded_from, np.where(np.isnan(field.valid_to), np.inf, field.valid_to))
    low = window.start.timestamp() if window.start else -np.inf
    high = window.end.timestamp() if window.end else np.inf
    return (start < high) & ((end > low) | ((start == end) & (start >= low)))
