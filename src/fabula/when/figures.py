"""Dates and clock times written in figures, as tokens for the grammars; knows neither English nor Chinese.

What is no date by itself (a number, 9/10, 2019) is a token too, which only a rule can make one. Figures inside
numbers of other kinds (versions, prices, telephone numbers, ratios) are no tokens at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final

from fabula.when.grammar import BREAK, Token, exactly
from fabula.when.patterns import Pattern
from fabula.when.series import Either, Fixed, Periodic, Time
from fabula.when.spans import Span, day_of, days, step

_END: Final = r"(?![0-9A-Za-z_%])(?![-/.:,]\d)"
_RANGE: Final = rf"(?:{_END}|(?=[-–~]\d\d?/\d))"
"""The end of a date in figures, also where another follows without a space: 10/1-11/2/2017."""
_TO: Final = rf"(?:{_END}|(?=[-–~]\d))"
"""The end of a clock time, also where another follows without a space: 3:30-6."""
_ZONE: Final = r"(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?"
_CLOCK: Final = r"(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
_HALF: Final = r"(?P<half>[apAP])(?:\.\s?[mM](?:\.|\b)|\s?[mM]\b|\.(?=\s|$)|\b)"


def clock(hour: int, minute: int | None = None, second: int | None = None) -> Time:
    """Return a time of every day; its precision is the finest part that is given. Hour 24 is the next midnight."""
    if not 0 <= hour <= 24 or (hour == 24 and (minute or second)):
        raise ValueError(f"no time {hour}:{minute or 0:02} in a day")
    grain = "hour" if minute is None else "minute" if second is None else "second"

    def rule(day: datetime) -> Span:
        start = step(day, 3600 * hour + 60 * (minute or 0) + (second or 0), "second")
        return Span(start, step(start, 1, grain), grain)

    return Periodic("day", grain, rule)


def twelve(hour: int, minute: int | None = None, second: int | None = None) -> Time:
    """Return a time on a dial without saying which half of the day; the likelier one, by daylight, comes first."""
    if hour == 0 or hour > 12:
        return clock(hour, minute, second)
    early, late = clock(hour % 12, minute, second), clock(hour % 12 + 12, minute, second)
    return Either((late, early) if hour == 12 or hour < 7 else (early, late))


def half(hour: int, half_of_day: str, minute: int | None = None, second: int | None = None) -> Time:
    """Return a time with `a` (before noon) or `p` (after noon)."""
    if hour > 12:
        return clock(hour, minute, second)
    return clock(hour % 12 + (12 if half_of_day in "pP" else 0), minute, second)


def full_year(short: int) -> int:
    """Return the year that two figures mean: 70 is 1970, 69 is 2069 (POSIX has 69 to 99 in the last century)."""
    return short if short > 99 else short + (1900 if short >= 50 else 2000)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _iso(match: re.Match[str]) -> tuple[str, Any]:
    day = day_of(*(int(match[part]) for part in ("year", "month", "day")))
    if match["hour"] is None:
        return "day", Fixed(day)
    if match["zone"]:  # resolved by the rule that knows where the reader is
        return "world", datetime.fromisoformat(match[0].replace(" ", "T").replace(",", "."))
    start = day.start.replace(hour=int(match["hour"]), minute=int(match["minute"]), second=int(match["second"] or 0))
    grain = "second" if match["second"] else "minute"
    if "." in match[0] or "," in match[0]:
        return "moment", Fixed(exactly(start))
    return "moment", Fixed(Span(start, step(start, 1, grain), grain))


def _year_first(match: re.Match[str]) -> tuple[str, Any]:
    return "day", Fixed(day_of(int(match["year"]), int(match["month"]), int(match["day"])))


def _slashed(match: re.Match[str]) -> tuple[str, Any]:
    return "slashed", (int(match["first"]), int(match["second"]), full_year(int(match["year"])))


def _time(match: re.Match[str]) -> tuple[str, Any]:
    hour, minute, second = int(match["hour"]), _number(match["minute"]), _number(match["second"])
    if match["half"]:
        return "clock", half(hour, match["half"], minute, second)
    sure = hour > 12 or hour == 0 or (len(match["hour"]) == 2 and hour < 10)
    return "clock", clock(hour, minute, second) if sure else twelve(hour, minute, second)


def _week(match: re.Match[str]) -> tuple[str, Any]:
    return "span", Fixed(days(datetime.fromisocalendar(int(match["year"]), int(match["week"]), 1), 7, "week"))


def _month(match: re.Match[str]) -> tuple[str, Any]:
    start = datetime(int(match["year"]), int(match["month"]), 1)
    return "span", Fixed(Span(start, step(start, 1, "month"), "month"))


def _quarter(match: re.Match[str]) -> tuple[str, Any]:
    start = datetime(full_year(int(match["year"])), 1, 1)
    count = int(match["count"])
    unit = "quarter" if match["kind"] in "qQ" else "half"
    if count > (4 if unit == "quarter" else 2):
        raise ValueError(f"no {unit} {count} in a year")
    return "span", Fixed(Span(step(start, count - 1, unit), step(start, count, unit), unit))


def _decade(match: re.Match[str]) -> tuple[str, Any]:
    start = datetime(full_year(int(match["year"])), 1, 1)
    return "span", Fixed(Span(start, step(start, 10, "year"), "decade"))


def _no_date(match: re.Match[str]) -> tuple[str, Any]:
    return BREAK, None


def _pair(match: re.Match[str]) -> tuple[str, Any]:
    return "pair", (int(match["a"]), int(match["b"]))


def _four(match: re.Match[str]) -> tuple[str, Any]:
    return "four", int(match["year"])


def _plain(match: re.Match[str]) -> tuple[str, Any]:
    figures = match[0].replace(",", "")
    return "number", float(figures) if "." in figures else int(figures)


def _ordinal(match: re.Match[str]) -> tuple[str, Any]:
    return "ordinal", int(match["n"])


def _hours(match: re.Match[str]) -> tuple[str, Any]:
    return "hclock", int(match["hour"])


_OTHER: Final = r"\d+(?:[-/.]\d+){2,}"
"""Several figures joined that are no date: a telephone number, a version, an address."""
_Y: Final = r"(?P<year>1\d{3}|2[0-1]\d{2})"
_M: Final = r"(?P<month>1[0-2]|0?[1-9])"
_D: Final = r"(?P<day>3[01]|[12]\d|0?[1-9])"
_SHAPES: Final[tuple[tuple[str, Callable[[re.Match[str]], tuple[str, Any]]], ...]] = (
    (
        rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)"
        rf"(?:(?:[T ]\s?)?{_CLOCK}(?P<zone>{_ZONE})(?!\s?[apAP]\.?\s?[mM]\b)(?:(?=/\d{{4}}-)|{_END})|{_END})",
        _iso,
    ),
    (rf"{_Y}-W(?P<week>[0-5]\d){_END}", _week),
    (rf"{_Y}\s?([-/.])\s?{_M}\s?[-/.]\s?{_D}{_END}", _year_first),
    (rf"{_Y} {_M} {_D}{_END}", _year_first),
    (rf"{_Y}(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01]){_END}", _year_first),
    (rf"(?P<first>\d\d?)\s?([-/.])\s?(?P<second>\d\d?)\s?\2\s?(?P<year>\d{{4}}|\d\d){_RANGE}", _slashed),
    (rf"{_CLOCK}(?:\s?{_HALF}|(?P<none>)){_TO}", _time),
    (rf"(?P<hour>1[0-2]|0?\d)(?:[.:](?P<minute>[0-5]\d)|(?P<minute2>))(?P<second>(?!))?\s?{_HALF}{_TO}", _time),
    (rf"(?P<hour>[01]?\d|2[0-4])h(?P<minute>[0-5]\d)(?P<second>(?!))?(?P<half>(?!))?{_TO}", _time),
    (rf"(?P<hour>[01]?\d|2[0-4])h{_END}", _hours),
    (rf"{_Y}[-/.]{_M}{_END}", _month),
    (rf"{_M}[-/]{_Y}{_END}", _month),
    (rf"(?P<year>\d{{4}}|\d\d)\s?-?(?P<kind>[qQhH])(?P<count>[1-4]){_END}", _quarter),
    (rf"(?P<kind>[qQhH])(?P<count>[1-4])\s?-?(?P<year>\d{{4}}){_END}", _quarter),
    (r"(?P<year>(?:1\d|20)?\d0)\s?['’]?s(?![A-Za-z])", _decade),
    (rf"(?P<a>\d\d?)\s?[-/.·]\s?(?P<b>\d\d?){_END}", _pair),
    (r"(?P<a>\d\d?)/(?P<b>\d\d?)(?=\s?[-–~]\s?\d\d?/\d)", _pair),
    (
        rf"{_Y}(?=\s?[-–—~/]\s?{_Y.replace('year', 'until')}(?![\d/-]))(?<!\d[-/.]\d{{4}})",
        _four,
    ),
    (_OTHER, _no_date),
    (r"\d{1,3}(?:,\d{3})+(?:\.\d{1,6})?(?![\d:])", _plain),
    (r"(?P<n>\d{1,2})(?:st|nd|rd|th)(?![A-Za-z])", _ordinal),
    (rf"{_Y}(?![\dA-Za-z])(?![-/.:,]\d)", _four),
    (r"\d{1,9}(?:\.\d{1,6})?(?![\d:])", _plain),
)


_FORMS: Final[Sequence[tuple[Pattern, Callable[[re.Match[str]], tuple[str, Any]]]]] = [
    (Pattern(pattern, re.ASCII), build) for pattern, build in _SHAPES
]
_REST: Final = Pattern(r"[\d.:/-]+")


def read(text: str, at: int) -> Token:
    """Return the token that begins with the figure at `at`: a break where the figures are of another kind.

    Names: day, moment, world (an aware datetime), clock, span (times); slashed (first, second, year), pair (a, b),
    ordinal, four (a number of four figures), number, hclock (a number and an h: an hour, or as many hours).
    """
    before = text[max(0, at - 1) : at]
    if not (before and before in "$€£¥_#+vV"):
        for pattern, build in _FORMS:
            if match := pattern.match(text, at):
                try:
                    name, value = build(match)
                except (ValueError, OverflowError):  # no such date
                    name, value = BREAK, None
                return Token(name, value, at, match.end())
    rest = _REST.match(text, at)
    return Token(BREAK, None, at, rest.end() if rest else at + 1)
