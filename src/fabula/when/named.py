"""The times that languages have names for: weekdays, months, seasons, parts of the day, holidays; knows no words."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from fabula.conventions import Conventions
from fabula.when import holidays
from fabula.when.grammar import Amount, Anchor, around
from fabula.when.series import Either, Fixed, Nth, Periodic, Time, mapped, moved
from fabula.when.spans import LENGTHS, MONTHS, Span, Unit, day_of, days, floor, step, whole

WEEK: Final = Periodic("week", "week", lambda monday: days(monday, 7, "week"))
THURSDAY: Final = timedelta(3)
"""A week belongs to the month and the year that have its Thursday (ISO 8601)."""


def weekday(number: int) -> Time:
    """Return a day of the week, 0 for Monday."""
    return Periodic("week", "day", lambda monday: days(step(monday, number, "day"), 1, "day"), now_counts=False)


def unit(name: Unit) -> Time:
    """Return every unit of the calendar: each week, each month."""
    if name == "week":
        return WEEK
    return Periodic(name, name, lambda start: Span(start, step(start, 1, name), name))


def weekend(conventions: Conventions) -> Time:
    """Return the weekends: to the end of Sunday."""

    def rule(monday: datetime) -> Span:
        return Span(monday + timedelta(days=5, hours=conventions.weekend), monday + timedelta(7), "weekend")

    return Periodic("week", "weekend", rule)


def month(number: int) -> Time:
    """Return a month of every year."""
    return Periodic("year", "month", lambda year: whole(step(year, number - 1, "month"), "month"))


def month_day(number: int, day: int) -> Time:
    """Return a date of every year that has it. Raises ValueError for a date that no year has."""
    day_of(2000, number, day)

    def rule(year: datetime) -> Span | None:
        return None if (number, day) == (2, 29) and not _leap(year.year) else day_of(year.year, number, day)

    return Periodic("year", "day", rule)


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def day_of_month(day: int) -> Time:
    """Return a day of every month that has it."""
    if not 1 <= day <= 31:
        raise ValueError(f"no month has a day {day}")

    def rule(first: datetime) -> Span | None:
        start = step(first, day - 1, "day")
        return days(start, 1, "day") if start.month == first.month else None

    return Periodic("month", "day", rule)


def part_of_year(name: Unit, number: int) -> Time:
    """Return a quarter or a half of every year, from 1."""
    if not 1 <= number <= 12 // MONTHS[name]:
        raise ValueError(f"no {name} {number} in a year")
    return Periodic("year", name, lambda year: whole(step(year, number - 1, name), name))


def season(first: int) -> Time:
    """Return the three months from month `first` on: a winter is named after the year it begins in."""

    def rule(year: datetime) -> Span:
        start = step(year, first - 1, "month")
        return Span(start, step(start, 3, "month"), "season")

    return Periodic("year", "season", rule)


def part(name: str, conventions: Conventions) -> Time:
    """Return a part of every day."""
    begin, end = conventions.part(name)
    return hours(begin, end)


def hours(begin: float, end: float) -> Time:
    """Return these hours of every day; beyond 24 they run into the next day. What has no length lasts a minute."""
    if begin == end:
        return Periodic("day", "minute", lambda day: whole(step(day, begin, "hour"), "minute"))
    return Periodic("day", "part", lambda day: Span(step(day, begin, "hour"), step(day, end, "hour"), "part"))


def year(number: int) -> Fixed:
    """Return a year."""
    return Fixed(whole(datetime(number, 1, 1), "year"))


def decade(number: int) -> Fixed:
    """Return the ten years from a year on."""
    return Fixed(Span(datetime(number, 1, 1), datetime(number + 10, 1, 1), "decade"))


def century(number: int) -> Fixed:
    """Return a century by its number: the 19th has the years 1800 to 1899, as it is commonly counted."""
    return Fixed(Span(datetime(max((number - 1) * 100, 1), 1, 1), datetime(number * 100, 1, 1), "century"))


@lru_cache(maxsize=512)
def holiday(key: str) -> Time:
    """Return a holiday of every year, as `holidays.on` says; a Hebrew one can also be the day of its eve."""

    def rule(first: datetime) -> Span | None:
        found = holidays.on(key, first.year)
        if found is None:
            return None
        start, end = (datetime(day.year, day.month, day.day) for day in found)
        return Span(start, end, "day" if end - start == timedelta(1) else "range")

    days_of = Periodic("year", "day", rule)
    return Either((days_of, moved(days_of, -1, "day"))) if holidays.at_dusk(key) else days_of


def week_of(base: Time) -> Time:
    """Return the weeks, Monday to Sunday, in which the spans of `base` begin."""
    return mapped(base, lambda span: days(floor(span.start, "week"), 7, "week"), "week")


def nth(number: int, inner: Time, outer: Time) -> Time:
    """Return the `number`th of `inner` in `outer`, from the end where it is negative; weeks by their Thursday."""
    return Nth(number, inner, outer, THURSDAY if inner is WEEK else timedelta(0))


def weekend_around(base: Time) -> Time:
    """Return the Saturday and Sunday next to a holiday, with the holiday where it makes the weekend longer."""

    def rule(span: Span) -> Span:
        day = span.start.weekday()
        saturday = step(span.start, 5 - day if day >= 2 else -day - 2, "day")
        end = max(step(saturday, 2, "day"), span.end if day < 2 else step(saturday, 2, "day"))
        return Span(min(saturday, span.start if day >= 3 else saturday), end, "weekend")

    return mapped(base, rule, "weekend")


# --- parts of longer times --------------------------------------------------------------------------------------

_SHARES: Final[dict[str, dict[str, tuple[float, float]]]] = {
    "day": {"early": (0, 0.5), "mid": (0.375, 0.625), "late": (0.5, 1)},
    "part": {"early": (0, 0.5), "mid": (0.25, 0.75), "late": (0.5, 1)},
    "decade": {"early": (0, 0.3), "mid": (0.3, 0.7), "late": (0.7, 1)},
    "century": {"early": (0, 0.2), "mid": (0.4, 0.6), "late": (0.8, 1)},
}
_MONTH: Final = {"early": (0, 10), "mid": (10, 20), "late": (20, 31)}
"""Days of a month: to the 10th, to the 20th, to its end."""
_WEEK: Final = {"early": (0, 3), "mid": (2, 4), "late": (4, 7)}
"""Days of a week: Monday to Wednesday, Wednesday and Thursday, from Friday on."""
_YEAR: Final = {"early": (0, 2), "mid": (5, 7), "late": (10, 12)}
"""Months of a year: the first two, the middle two, the last two."""


def section(base: Time, which: str) -> Time:
    """Return the early, middle ("mid") or late part of each span of `base`, as wide as the tables here say."""

    def rule(span: Span) -> Span:
        grain = span.grain
        if grain in ("month", "week", "year"):
            low, high = {"month": _MONTH, "week": _WEEK, "year": _YEAR}[grain][which]
            by: Unit = "month" if grain == "year" else "day"
            return Span(step(span.start, low, by), min(step(span.start, high, by), span.end), "fuzzy")
        if grain in ("quarter", "season", "half") and which != "mid":
            by_month = step(span.start, 1, "month") if which == "early" else step(span.end, -1, "month")
            return Span(span.start, by_month, "fuzzy") if which == "early" else Span(by_month, span.end, "fuzzy")
        low, high = _SHARES.get(grain, _SHARES["part"])[which]
        if grain in ("decade", "century"):
            years = 10 if grain == "decade" else 100
            return Span(step(span.start, low * years, "year"), step(span.start, high * years, "year"), "fuzzy")
        length = span.end - span.start
        return Span(span.start + low * length, span.start + high * length, "fuzzy")

    return mapped(base, rule, "fuzzy")


# --- lengths of time, from now ----------------------------------------------------------------------------------

_LOOSE: Final = 0.25
"""The share of a length by which it may be off, where it was said loosely: forty minutes, give or take ten."""


def _near(day: Span, amount: Amount) -> Fixed:
    """The days on both sides of `day` that a count of days or weeks, or an uneven one of months, may mean."""
    if amount.unit == "day":
        slack = timedelta(1)
    else:
        long = amount.unit != "week" and amount.seconds[0] >= LENGTHS["month"].total_seconds()
        several = amount.vague and amount.parts[0][0] > 1
        slack = timedelta(7 if several or long else 3)
    grain = "fuzzy" if amount.vague or amount.unit != "week" else "week"
    return Fixed(Span(day.start - slack, day.end + slack, grain))


def away(anchor: Anchor, amount: Amount, sign: int, *, exact: bool = False) -> Time:
    """Return what lies `amount` from now, into the future where `sign` is 1, into the past where it is −1.

    Hours and less are the moment; days that day; weeks the seven days around that day, or the day; months and years
    the calendar month and year, or the day. `exact` (a year ago today) is the day.
    """
    moment = anchor.moment(amount.parts, sign)
    name = amount.unit
    if name in ("hour", "minute", "second"):
        point = Fixed(Span(moment, step(moment, 1, name if name == "second" else "minute"), "minute"))
        slack = _LOOSE * timedelta(seconds=amount.seconds[0])
        return Either((Fixed(around(moment, slack)), point)) if amount.vague else point
    day = Fixed(whole(moment, "day"))
    if exact or (name == "day" and not amount.vague):
        return day
    count = amount.parts[-1][0]
    if name in ("day", "week") or count % 1 or len(amount.parts) > 1:
        near = _near(day.span, amount)
        return Either((near, day, Fixed(whole(moment, name)))) if name == "week" else Either((near, day))
    return Either((Fixed(whole(moment, name)), day))


def lately(anchor: Anchor, amount: Amount, sign: int) -> Time:
    """Return the time of `amount` that ends (−1) or begins (1) now; the second reading are whole calendar units."""
    moment = anchor.moment(amount.parts, sign)
    # Not the smaller and the greater: in an hour that comes twice the later one can be the smaller.
    rolling = Span(moment, anchor.now, "range") if sign < 0 else Span(anchor.now, moment, "range")
    count, name = amount.parts[-1]
    if count % 1 or len(amount.parts) > 1:
        return Fixed(rolling)
    first = whole(anchor.now, name, -int(count) if sign < 0 else 1, int(count))
    if name in ("hour", "minute", "second"):
        return Either((Fixed(rolling), Fixed(Span(first.start, first.end, "range"))))
    day = floor(anchor.now, "day")
    from_day = Span(min(floor(moment, "day"), day), max(floor(moment, "day"), day), "range")
    following = Span(step(from_day.start, 1, "day"), step(from_day.end, 1, "day"), "range")
    return Either(
        (Fixed(rolling), Fixed(Span(first.start, first.end, "range")), Fixed(from_day if sign < 0 else following))
    )
