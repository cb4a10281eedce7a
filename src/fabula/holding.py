"""What happened or held at a time: of the rows of an index, and of records; knows no other time than when it was valid.

What holds (facts, notes, entities, insights) held at a moment if it had begun and was not over. What happens (passages
and frames) is seldom asked for by the minute: what took less than a day counts for the day it fell on, and so does
what is known to have held at one moment only. The day is that of the moment asked about, in its own zone. What has no
time, or an open end, is not known not to have held.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

import numpy as np

from fabula.index import Bools, Doubles, Field
from fabula.types import Kind, Record

HAPPENS: Final[tuple[Kind, ...]] = ("passage", "frame")
"""The kinds of what happens, rather than holds."""
DAY: Final = 86_400.0


def rows_at(field: Field, kind: Kind, at: datetime) -> Bools:
    """Return which rows of a field happened or held at a time."""
    start = np.where(np.isnan(field.valid_from), -np.inf, field.valid_from)
    end = np.where(np.isnan(field.valid_to), np.inf, field.valid_to)
    return _within(start, end, kind, at)


def held_at(record: Record, at: datetime) -> bool:
    """Return whether a record happened or held at a time."""
    start, end = (record.valid.start, record.valid.end) if record.valid is not None else (None, None)
    first = np.array([-np.inf if start is None else start.timestamp()])
    last = np.array([np.inf if end is None else end.timestamp()])
    return bool(_within(first, last, record.kind, at)[0])


def _within(start: Doubles, end: Doubles, kind: Kind, at: datetime) -> Bools:
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    day = min(timedelta(days=1), datetime.max.replace(tzinfo=at.tzinfo) - midnight)  # the last day there is
    moment, dawn, dusk = (one.timestamp() for one in (at, midnight, midnight + day))
    brief = end - start < DAY if kind in HAPPENS else end == start
    that_day = (start < dusk) & ((end > dawn) | (start >= dawn))
    return np.where(brief, that_day, (start <= moment) & (moment < end))
