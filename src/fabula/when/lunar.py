"""The Chinese lunar calendar, the 24 solar terms, and the courses of sun and moon they hang on.

It knows no festival, no text and no clock: a moment is a number of days, 1.0 being the first midnight (UTC) of year 1,
so that its whole part is a date's ordinal. All dates are proleptic Gregorian, as Python's are.
"""

from __future__ import annotations

import math
from datetime import date
from functools import lru_cache
from typing import Any, Final, cast

from fabula.errors import InvalidInput

TERMS: Final = (
    "小寒", "大寒", "立春", "雨水", "惊蛰", "春分", "清明", "谷雨", "立夏", "小满", "芒种", "夏至",
    "小暑", "大暑", "立秋", "处暑", "白露", "秋分", "寒露", "霜降", "立冬", "小雪", "大雪", "冬至",
)  # fmt: skip
"""The solar terms in the order of a calendar year: the sun stands at 285°, 300°, …"""

BEIJING: Final = 8 / 24
"""Days by which Chinese clocks are ahead of UTC."""

_FIRST_TERM = 285.0
_NEW_YEAR = 280.0
"""The sun's longitude on 1 January; in ten thousand years it moves by three days."""
_EPOCH = date(2000, 1, 1).toordinal() + 0.5
"""J2000, from which astronomers count."""
_JULIAN_DAY = 1_721_425
"""The Julian day number of the day before year 1."""


def day(year: int, month: int, day: int, *, leap: bool = False) -> date | None:
    """Return the date of a day of the lunar year that begins in `year`.

    None where that month has no such day, the year no such (leap) month, or the date lies outside the years 1 to 9999.
    """
    first, days = _month(year, month, leap)
    return _date(first + day - 1) if 1 <= day <= days else None


def month(year: int, month: int, leap: bool = False) -> tuple[date, date] | None:
    """Return the first day of a lunar month and the first day after it; None as for `day`."""
    first, days = _month(year, month, leap)
    start, end = _date(first), _date(first + days)
    return None if start is None or end is None or not days else (start, end)


def leap_month(year: int) -> int:
    """Return which month of the lunar year comes twice, 0 where none does."""
    return next((-number for number in _months(_year(year)) if number < 0), 0)


def new_year(year: int) -> date:
    """Return the first day of a lunar year (Spring Festival); `InvalidInput` outside the years 1 to 9999."""
    first, _ = _months(_year(year))[1]
    return date.fromordinal(first)


def eve(year: int) -> date | None:
    """Return the last day (除夕, a 29th or 30th) of the lunar year that begins in `year`; None outside 1 to 9999."""
    if not 1 <= year <= 9999:
        return None
    # Before 1645 the twelfth month itself could come twice.
    first, days = list(_months(year).values())[-1]
    return _date(first + days - 1)


def term(name: str, year: int) -> date:
    """Return the day, in Beijing, on which the solar term of that name in `TERMS` falls in the calendar year.

    Raises `InvalidInput` for another name and outside the years 1 to 9999.
    """
    if name not in TERMS:
        raise InvalidInput(f"not one of the 24 solar terms: {name!r}")
    moment = sun_reaches(_FIRST_TERM + 15 * TERMS.index(name), _year(year))
    return date.fromordinal(math.floor(moment + BEIJING))


def sun_reaches(degrees: float, year: int) -> float:
    """Return the moment of the year at which the sun's apparent longitude is `degrees`; 0 is the March equinox."""
    turned = _NEW_YEAR + (degrees - _NEW_YEAR) % 360 + 360 * (year - 2000)
    return _moment(_sky().saLonT(math.radians(turned)))


def sun(moment: float) -> float:
    """Return the sun's apparent longitude in degrees, 0 up to 360."""
    return math.degrees(_sky().saLon((moment - _EPOCH) / 36525, 10)) % 360


def moon(moment: float) -> float:
    """Return the moon's apparent longitude in degrees, 0 up to 360."""
    lead = math.degrees(_sky().msaLon((moment - _EPOCH) / 36525, 20, 10))
    return (sun(moment) + lead) % 360


def moon_leads(turns: float) -> float:
    """Return the moment at which the moon is `turns` round the sky ahead of the sun.

    Counted from the new moon of 6 January 2000: a whole number is a new moon, a half a full one.
    """
    return _moment(_sky().msaLonT(2 * math.pi * turns))


def _moment(centuries: float) -> float:
    """The moment (UTC) that lies `centuries` of terrestrial time from J2000."""
    days = centuries * 36525
    return _EPOCH + days - _sky().dtT(days)


def _sky() -> Any:
    """The library's astronomy (Xu Jianwei's 寿星万年历: VSOP87 and ELP/MPP02, shortened), which carries no types."""
    from lunar_python.util import ShouXingUtil

    return ShouXingUtil


def _year(year: int) -> int:
    if not 1 <= year <= 9999:
        raise InvalidInput(f"a year is 1 to 9999, not {year}")
    return year


def _date(ordinal: int) -> date | None:
    return date.fromordinal(ordinal) if 1 <= ordinal <= date.max.toordinal() else None


def _month(year: int, month: int, leap: bool) -> tuple[int, int]:
    """The ordinal of a month's first day, and its days: 0 where there is no such month."""
    if not 1 <= year <= 9999 or month < 1:
        return 0, 0
    return _months(year).get(-month if leap else month, (0, 0))


@lru_cache(maxsize=256)
def _months(year: int) -> dict[int, tuple[int, int]]:
    """The months of a lunar year, a leap month negative: ordinal of the first day, days."""
    from lunar_python import LunarYear

    # Not `LunarYear.fromYear`: where the constructor raises, that never gives its lock back.
    months = cast(list[Any], LunarYear(year).getMonthsInYear())
    return {one.getMonth(): (round(one.getFirstJulianDay()) - _JULIAN_DAY, one.getDayCount()) for one in months}
