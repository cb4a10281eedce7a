"""Stretches of the calendar by the wall clock, and steps on it; knows no words and no zone, and never asks the time.

Weeks start on Monday. What the calendar does not have leaves here as ValueError or OverflowError.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from fabula.types import Precision

Unit = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year", "decade", "century"]

FIRST: Final = datetime.min
"""The start of a span that has none."""
LAST: Final = datetime.max
"""The end of a span that has none."""

MONTHS: Final[dict[str, int]] = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
"""How many months a unit has, for those that are made of months."""
LENGTHS: Final[dict[str, timedelta]] = {
    "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(1),
    "week": timedelta(7), "month": timedelta(30), "quarter": timedelta(91), "half": timedelta(182),
    "year": timedelta(365), "decade": timedelta(3650), "century": timedelta(36500),
}  # fmt: skip
"""How long each unit lasts, where only a length is asked for: a month 30 days, a year 365."""
_DAY: Final = LENGTHS["day"]


class Span(NamedTuple):
    """A half-open stretch of local time, without a zone, and the precision it was given in."""

    start: datetime
    end: datetime
    grain: Precision


def floor(moment: datetime, unit: Unit) -> datetime:
    """Return when the unit around `moment` began."""
    if unit == "second":
        return moment.replace(microsecond=0)
    if unit == "minute":
        return moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if unit == "day":
        return day
    if unit == "week":
        return day - timedelta(day.weekday())
    if unit in ("decade", "century"):
        years = MONTHS[unit] // 12
        return day.replace(year=max(day.year // years * years, 1), month=1, day=1)
    months = MONTHS[unit]
    return day.replace(month=(day.month - 1) // months * months + 1, day=1)


def step(moment: datetime, count: float, unit: Unit) -> datetime:
    """Return `moment` moved by `count` units; where a month is too short, its last day.

    Half a month is 15 days, and half a year six months.
    """
    if unit not in MONTHS:
        # Python drops the fold: a minute after 1:30 of an hour that comes twice is in the same one.
        return (moment + count * LENGTHS[unit]).replace(fold=moment.fold if LENGTHS[unit] < _DAY else 0)
    months, rest = divmod(count * MONTHS[unit], 1)
    year, month = divmod(moment.year * 12 + moment.month - 1 + int(months), 12)
    if not 1 <= year <= 9999:
        raise OverflowError(f"no year {year} in the calendar")
    moved = moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))
    return moved + timedelta(round(30 * rest))


def whole(moment: datetime, unit: Unit, offset: int = 0, count: int = 1) -> Span:
    """Return `count` units on end, the first `offset` units after the one around `moment`."""
    start = step(floor(moment, unit), offset, unit)
    return Span(start, step(start, count, unit), unit)


def day_of(year: int, month: int, day: int) -> Span:
    """Return a day of the calendar."""
    start = datetime(year, month, day)
    return Span(start, start + timedelta(1), "day")


def exists(year: int, month: int, day: int) -> bool:
    """Whether the calendar has that day."""
    return 1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def days(start: datetime, count: float, grain: Precision) -> Span:
    """Return `count` days from `start` on."""
    return Span(start, start + timedelta(count), grain)
