"""Which stretch of time a caller's dates mean, and what fell into each day, week or month; knows no memory to ask."""

from __future__ import annotations

import reprlib
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import MINYEAR, UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final, Literal, TypeAlias, cast, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fabula import Interval, InvalidInput
from fabula.text import identifier
from neuromemory.shapes import Shape

When: TypeAlias = datetime | date | str
Granularity: TypeAlias = Literal["day", "week", "month"]
SLACK: Final = timedelta(hours=2)
"""More than a day or a month is too long by where the clock is put back."""
LENGTHS: Final[Mapping[Granularity, timedelta]] = {
    "day": timedelta(days=1) + SLACK, "week": timedelta(days=7) + SLACK, "month": timedelta(days=31) + SLACK,
}  # fmt: skip
"""To less than what a time has to be known, to be put into a period."""
_DATE: Final = len("2024-05-01")


def zone_of(given: str | tzinfo | None, local: datetime) -> tzinfo:
    """Return the zone days are counted in: the one given, by name too, or else that of `local`."""
    if given is None:
        return local.tzinfo or UTC
    if isinstance(given, tzinfo):
        return given
    try:
        return ZoneInfo(identifier(given, "tz"))
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        raise InvalidInput(f"no time zone is called {reprlib.repr(given)}") from None


def interval(start: When | None, end: When | None, zone: tzinfo = UTC) -> Interval:
    """Return `start <= t < end`; an end that is a date alone includes that day, in `zone`.

    A naive time is taken as UTC. Raises `InvalidInput` for what is no time, or an end before the start.
    """
    return Interval(
        start=None if start is None else _moment(start, zone, end=False),
        end=None if end is None else _moment(end, zone, end=True),
    )


def _moment(given: When, zone: tzinfo, *, end: bool) -> datetime:
    value: Any = given
    if isinstance(value, str):
        value = read(value)
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if not isinstance(value, date):
        raise InvalidInput(f"a time is a datetime, a date or ISO 8601 text, not {reprlib.repr(given)}")
    try:
        moment = datetime.combine(value + timedelta(days=1) if end else value, time(), zone)
        moment.astimezone(UTC)
    except OverflowError:
        return _limit(value)
    return moment


def read(text: str) -> datetime | date:
    """Return the date or time that a text is, with its zone if it says one; raises `InvalidInput` where it is none."""
    try:
        return date.fromisoformat(text.strip()) if len(text.strip()) <= _DATE else datetime.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInput(f"a time is ISO 8601 text, not {reprlib.repr(text)}") from None


def granularity(given: str) -> Granularity:
    """Return it where it is one; raises `InvalidInput`."""
    if given not in get_args(Granularity):
        raise InvalidInput(f"granularity is {', '.join(get_args(Granularity))}, not {reprlib.repr(given)}")
    return cast(Granularity, given)


def begin(moment: datetime, by: Granularity, zone: tzinfo) -> date:
    """Return the first day of the period a moment falls into; weeks begin on Monday."""
    try:
        day = moment.astimezone(zone).date()
    except OverflowError:
        day = _limit(moment).date()
    if by == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if by == "month" else day


def exact(during: Interval) -> timedelta | None:
    """Return how exactly the time of a memory has to be known for a stretch: to its length, and to the day at least."""
    if during.start is None or during.end is None:
        return None
    return max(LENGTHS["day"], during.end - during.start + SLACK)


def timeline(dated: Iterable[tuple[datetime, Shape]], by: Granularity, zone: tzinfo) -> list[Shape]:
    """Return the periods anything fell into, the first first: `{period, start, end, count, by_type, memories}`."""
    periods: dict[date, list[Shape]] = {}
    for moment, memory in dated:
        periods.setdefault(begin(moment, by, zone), []).append(memory)
    told: list[Shape] = []
    for first, held in sorted(periods.items()):
        told.append(
            {
                "period": first.isoformat()[:7] if by == "month" else first.isoformat(),
                "start": first.isoformat(),
                "end": _last(first, by).isoformat(),
                "count": len(held),
                "by_type": dict(sorted(Counter(memory["memory_type"] for memory in held).items())),
                "memories": held,
            }
        )
    return told


def _last(first: date, by: Granularity) -> date:
    days = 1 if by == "day" else 7 if by == "week" else monthrange(first.year, first.month)[1]
    return first + min(timedelta(days=days - 1), date.max - first)


def _limit(moment: date) -> datetime:
    """The end of all time that lies behind a moment which a shift has taken out of the years 1 to 9999."""
    return (datetime.min if moment.year == MINYEAR else datetime.max).replace(tzinfo=UTC)  # noqa: DTZ901 - given one here
