"""English dates, months, quarters and years: May 8th, Friday the 13th, week 27, the nineties.

It knows no time of day and nothing relative. A day of a month without a year is an `md` until a year joins it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from fabula.when import named
from fabula.when.figures import full_year
from fabula.when.grammar import Anchor, Got
from fabula.when.series import Either, Fixed, Time, meet
from fabula.when.spans import day_of, days, exists, whole

_NUMBERS: Final = ("number", "spoken", "ordinal")


# --- dates --------------------------------------------------------------------------------------------------------


def day_number(got: Got) -> int:
    """Return the day of a month that was said. Raises ValueError where it is no whole number."""
    number = got.all(*_NUMBERS)[0]
    if number != int(number):
        raise ValueError("no day has a fraction")
    return int(number)


def md(at: Anchor, got: Got) -> tuple[int, int] | None:
    if not isinstance(got.all(*_NUMBERS)[0], int):
        return None
    named.month_day(got["month"], day_number(got))
    return got["month"], day_number(got)


def date(at: Anchor, got: Got) -> Time | None:
    """8-May-2023, 2019-aug-1: the year has four figures, or stands last."""
    numbers = got.all("number")
    if got.tokens[0].name == "number" and numbers[0] > 999:
        return Fixed(day_of(numbers[0], got["month"], numbers[1]))
    if "four" in got:
        return Fixed(day_of(got["four"], got["month"], numbers[0]))
    return Fixed(day_of(full_year(numbers[1]), got["month"], numbers[0]))


def year_of(value: Any) -> int:
    """Return the number of a year that is a number or a time."""
    return value if isinstance(value, int) else value.span.start.year


def md_year(at: Anchor, got: Got) -> Time | None:
    (month, day), year = got["md"], got.all("four", "year")
    if not year and len(got.said("number")) != 2:
        return None
    return Fixed(day_of(year_of(year[0]) if year else full_year(got["number"]), month, day))


def md_alone(at: Anchor, got: Got) -> Time:
    return named.month_day(*got["md"])


def slashed(at: Anchor, got: Got) -> Time:
    first, second, year = got["slashed"]
    return Fixed(day_of(year, *ordered(at, first, second)))


def ordered(at: Anchor, first: int, second: int) -> tuple[int, int]:
    """Return month and day of two figures: by custom, or the only order that is a date."""
    month, day = (first, second) if at.conventions.month_first else (second, first)
    return (month, day) if month <= 12 else (day, month)


def pair_date(at: Anchor, got: Got) -> Time:
    """Return the date of two figures."""
    return named.month_day(*ordered(at, *got["pair"]))


def pair(at: Anchor, got: Got) -> Time | None:
    return pair_date(at, got) if "/" in got.said("pair") or "on" in got.before()[-4:] or "rel" in got else None


def whole_pair(at: Anchor, got: Got) -> Time | None:
    """5/6, on 5-6; from 9-5 are hours."""
    said = got.said("pair")
    return None if "." in said or ("-" in said and "from" in got) else pair_date(at, got)


def weekday_pair(at: Anchor, got: Got) -> Time | None:
    """Friday 7/6; Friday 7-6 where that is a Friday, else these are hours."""
    month, day = ordered(at, *got["pair"])
    if "/" not in got.said("pair") and "." not in got.said("pair"):
        this_year = (at.now.year, month, day)
        if not exists(*this_year) or day_of(*this_year).start.weekday() != got.all("weekday", "wday")[0]:
            return None
    return _weekday_on(at, got.all("weekday", "wday")[0], month, day)


def weekday_md(at: Anchor, got: Got) -> Time:
    return _weekday_on(at, got.all("weekday", "wday")[0], *got["md"])


def _weekday_on(at: Anchor, weekday: int, month: int, day: int) -> Time:
    """A date with its weekday: of the years nearby the one that has it so, else just the date."""
    years = [year for year in (at.now.year, at.now.year - 1, at.now.year + 1) if exists(year, month, day)]
    spans = [day_of(year, month, day) for year in years]
    near = [Fixed(span) for span in spans if span.start.weekday() == weekday]
    date = named.month_day(month, day)
    return Either((*near, date)) if near else date


def weekday_day(at: Anchor, got: Got) -> Time:
    """Monday, 8 May 2023: the date says it all."""
    return got["day"]


def day_weekday(at: Anchor, got: Got) -> Time | None:
    """8 May 2023 (Monday), where it was one."""
    day, weekday = got["day"], got.all("weekday", "wday")[0]
    return day if isinstance(day, Fixed) and day.span.start.weekday() == weekday else None


def weekday_number(at: Anchor, got: Got) -> Time | None:
    """Friday the 13th."""
    return meet(named.day_of_month(day_number(got)), named.weekday(got.all("weekday", "wday")[0]))


def of_month(at: Anchor, got: Got) -> Time:
    """The 20th of next month."""
    outer = got["span"] or at.whole("month")
    if outer.grain != "month":
        raise ValueError("only a month has numbered days")
    return meet(outer, named.day_of_month(day_number(got)))


def ordinal_day(at: Anchor, got: Got) -> Time:
    return named.day_of_month(day_number(got))


# --- months and years ---------------------------------------------------------------------------------------------


def month_year(at: Anchor, got: Got) -> Time:
    start = datetime(year_of(got.all("four", "year")[0]), got["month"], 1)
    return Fixed(whole(start, "month"))


def year(at: Anchor, got: Got) -> Time | None:
    return named.year(got["four"]) if got["unit"] in (None, "year") else None


def by_year(at: Anchor, got: Got) -> Time | None:
    """By 2030, but not `rose by 2000`."""
    return named.year(got["four"]) if at.now.year <= got["four"] < at.now.year + 100 else None


def week_number(at: Anchor, got: Got) -> Time | None:
    if got["unit"] != "week" or not isinstance(got["number"], int):
        return None
    year = (
        got["span"].span.start.year if "span" in got and isinstance(got["span"], Fixed) else at.now.isocalendar().year
    )
    if "four" in got:
        year = got["four"]
    return Fixed(days(datetime.fromisocalendar(year, got["number"], 1), 7, "week"))


def decade_word(at: Anchor, got: Got) -> Time:
    """The nineties: those of the last hundred years."""
    start = 1900 + got["decade"]
    return named.decade(start + 100 if start + 110 <= at.now.year else start)


def hundreds(at: Anchor, got: Got) -> Time | None:
    """The 1800s: the century or its first decade, which it is first of the present millennium."""
    number: int | None = got["hundreds"] or got["spoken"]
    if number is None or not 10 <= number <= 21:
        return None
    readings = (named.century(number + 1), named.decade(number * 100))
    return Either(readings if number < 20 else readings[::-1])


def century(at: Anchor, got: Got) -> Time | None:
    return named.century(day_number(got)) if got["unit"] == "century" else None


def part_of_year(at: Anchor, got: Got) -> Time | None:
    """The third quarter, Q3, the first half; of a year where one is named."""
    unit, number = got["qn"] or (
        "quarter" if "quarter" in got else got["unit"] or "half",
        (got.all("ordinal", "rel", "nth") or [1])[0],
    )
    if unit not in ("quarter", "half"):
        return None
    if number in ("last", -1):
        number = 4 if unit == "quarter" else 2
    if not isinstance(number, int):
        return None
    part = named.part_of_year(unit, number)
    if "four" in got:
        return meet(named.year(got["four"]), part)
    return meet(got["span"], part) if "span" in got else part
