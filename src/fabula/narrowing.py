"""Which rows of an index a plan's filters let through, and which records; ranks nothing.

A filter is applied before anything is ranked, so that as many come back as there are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast

import numpy as np

from fabula.holding import held_at, rows_at
from fabula.index import FOREVER, Bools, Doubles, Field, Index
from fabula.names import PROPERTIES
from fabula.standing import STANDING
from fabula.text import TIMED, clean, hash_term
from fabula.types import SORT, TAGGED, Fact, Insight, Interval, Kind, Passage, Plan, Record

SORTED: Final = "\0sort"
"""The mark of a record that its author calls a memory of some sort; with the name behind it, of that sort."""
EDGE: Final = "\0edge"
"""The mark of an edge that somebody drew between two nodes."""
SPEAKING: Final[tuple[Kind, ...]] = ("frame", "fact")
"""What tells when that happened which a passage tells: the first of them that there are."""
TAG: Final = "\0tag:"
"""How the marks begin of what an author gave a record as metadata."""


def marks(record: Record) -> list[str]:
    """Return what a record is looked up by where memories of a sort, or with some metadata, are asked for."""
    sort, given = record.meta.get(SORT), record.meta.get(TAGGED)
    sorts = [SORTED, f"{SORTED}:{sort}"] if isinstance(sort, str) and sort else []
    told = {"category": record.category} if isinstance(record, Insight) and record.category else {}
    edges = [EDGE] if edge(record) else []
    return [*sorts, *edges, *_tags({**told, **(cast(Mapping[str, Any], given) if isinstance(given, Mapping) else {})})]


def edge(record: Record) -> bool:
    """Return whether a record is an edge that somebody drew between two nodes, and that no talk tells of."""
    return isinstance(record, Fact) and drawn_by_hand(record) and not record.sources


def drawn_by_hand(record: Record) -> bool:
    """Return whether a caller knows a record as a node or an edge of the graph, whoever else tells of it."""
    return PROPERTIES in record.meta


def _tags(given: Mapping[str, Any]) -> list[str]:
    """A mark for each key with its value, in one spelling: 8 and 8.0 are one number, 1 and true are not."""
    return [f"{TAG}{_spelt(key)}:{_spelt(value)}" for key, value in given.items()]


def _spelt(value: Any) -> str:
    if isinstance(value, str):
        value = clean(value)
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    return clean(json.dumps(value, ensure_ascii=False, sort_keys=True))


def passages(index: Index, plan: Plan, as_of: datetime | None) -> Bools:
    """Return which passages may come back, or lead to what was drawn from them."""
    field = index.of("passage")
    allowed = field.live(None if as_of is None else as_of.timestamp())
    if plan.session is not None:
        sessions = (plan.session,) if isinstance(plan.session, str) else plan.session
        allowed = allowed & np.isin(field.session, [index.sessions.get(name, -1) for name in sessions])
    if plan.without:
        aside = [code for name, code in index.sessions.items() if name.startswith(plan.without)]
        allowed = allowed & ~np.isin(field.session, aside)
    if plan.speaker is not None:
        allowed = allowed & (field.speaker == index.speakers.get(plan.speaker, -1))
    for window in (plan.during, plan.created):
        if window is not None:
            allowed = allowed & _inside(field.valid_from, window)
    return np.zeros_like(allowed) if plan.sort or plan.metadata else allowed


def said_then(index: Index, plan: Plan) -> Bools | None:
    """Return which passages may come back where the plan asks about a time; `None` where it asks about none."""
    field = index.of("passage")
    then = None if plan.valid_at is None else rows_at(field, "passage", plan.valid_at)
    if plan.valid_during is not None:
        during = _happened(index, plan.valid_during)
        then = during if then is None else then & during
    return then


def _happened(index: Index, window: Interval) -> Bools:
    """Which passages tell of what happened in a window: by when they were said, but one that names a time itself by
    the times of the frames, or else the facts, that were drawn from it."""
    passages = index.of("passage")
    inside, left = _overlaps(passages, window), _bearing(passages, TIMED)
    for kind in SPEAKING:
        field = index.of(kind)
        rows, said = field.made_from()
        dated = ~(np.isnan(field.valid_from) & np.isnan(field.valid_to)) & (field.recorded_to == FOREVER)
        told = left[said] & dated[rows]
        rows, said = rows[told], said[told]
        inside[said] = left[said] = False
        inside[said[_overlaps(field, window)[rows]]] = True
    return inside


def drawn(index: Index, plan: Plan) -> dict[Kind, Bools]:
    """Return which facts, frames and insights take part; empty where all do."""
    chosen: dict[Kind, Bools] = {}
    asked = (plan.valid_at, plan.valid_during, plan.created, plan.sort, plan.metadata or None)
    if plan.edges and asked == (None,) * len(asked):
        return chosen
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
            bearing = _bearing(field, f"{SORTED}:{plan.sort}" if plan.sort else SORTED)
            rows &= bearing if plan.sort else ~bearing
        if not plan.edges:
            rows &= ~_bearing(field, EDGE)
        for tag in _tags(plan.metadata or {}):
            rows &= _bearing(field, tag)
        if not rows.all():
            chosen[kind] = rows
    return chosen


def _bearing(field: Field, mark: str) -> Bools:
    rows = np.zeros(len(field), np.bool_)
    rows[field.postings.of(hash_term(mark))[0]] = True
    return rows


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
    if edge(record) and not plan.edges:
        return False
    if plan.metadata and not {*_tags(plan.metadata)} <= {*marks(record)}:
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
