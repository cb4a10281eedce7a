"""Reading dates in English and Chinese text, and writing them in words; knows no clock, no locale and no storage.

`find` resolves what is said against a reference moment in that moment's own zone. Readings that language leaves open:

- a weekday, or a month or day without a year, is the nearest past one, unless the sentence speaks of the future;
- `last Monday` is the last one before today, `next Monday` and 下周一 lie in the next week (Monday to Sunday);
- `3 days ago` is that day, `3 weeks ago` the seven days around it, `3 months ago` and `3 years ago` the calendar
  month and year (`a year ago today`: the day); `a few` and 几 are 3;
- 10/05/2023 is 5 October unless only the other order is a date; a winter begins in the year that names it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fabula.types import Interval, aware
from fabula.when import chinese, english
from fabula.when.spans import Calendar
from fabula.when.words import MONTH_NAMES, WEEKDAY_NAMES

__all__ = ["Found", "distance", "find", "spell"]

_DAY_SECONDS = 86_400.0
_NARROW = {0xFF10 + digit: str(digit) for digit in range(10)}
"""Full-width figures, as Chinese keyboards write them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A time expression: `text[start:end]`, and the stretch of time it means."""

    start: int
    end: int
    text: str
    interval: Interval


def find(text: str, reference: datetime) -> list[Found]:
    """Return the time expressions of `text` in order, none overlapping another; raises nothing on any text.

    Relative ones count from `reference` (naive is UTC) and lie in its zone. A date the calendar does not have
    (30 February) is not found.
    """
    calendar = Calendar(aware(reference))
    narrow = text.translate(_NARROW)
    found = [*english.GRAMMAR.read(narrow, calendar), *chinese.GRAMMAR.read(narrow, calendar)]
    found.sort(key=lambda one: (one[0], -one[1]))
    kept: list[Found] = []
    for start, end, interval in found:
        if not kept or start >= kept[-1].end:
            kept.append(Found(start=start, end=end, text=text[start:end], interval=interval))
    return kept


def spell(moment: datetime) -> str:
    """Return the date in English and Chinese words, for keyword search: `8 May 2023 Monday 2023年5月8日`."""
    month, weekday = MONTH_NAMES[moment.month - 1], WEEKDAY_NAMES[moment.weekday()]
    return f"{moment.day} {month} {moment.year} {weekday} {moment.year}年{moment.month}月{moment.day}日"


def distance(a: Interval, b: Interval) -> float:
    """Return the days between two intervals: 0 where they touch or overlap. An open end reaches for ever."""
    return max(_gap(a, b), _gap(b, a), 0.0)


def _gap(earlier: Interval, later: Interval) -> float:
    if earlier.end is None or later.start is None:
        return 0.0
    # Timestamps, because Python subtracts two times of one zone by the wall clock.
    return (later.start.timestamp() - earlier.end.timestamp()) / _DAY_SECONDS
