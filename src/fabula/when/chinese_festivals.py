"""The Chinese lunar calendar, seasons and holidays, for the Chinese grammar's rules; knows no days but theirs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from functools import partial
from typing import Final

from fabula.when import chinese_words as words
from fabula.when import lunar
from fabula.when.chinese_dates import counted
from fabula.when.chinese_lexer import simplified
from fabula.when.grammar import Anchor, Got, Token
from fabula.when.holiday_words import CHINESE
from fabula.when.named import holiday, month_day, season
from fabula.when.patterns import Pattern
from fabula.when.series import Either, Fixed, Periodic, Time, each, mapped, meet
from fabula.when.spans import Span, day_of, days, floor, step, whole

_OFF: Final = {0: (-2, 3), 1: (-2, 3), 2: (0, 1), 3: (0, 3), 4: (0, 3), 5: (0, 3), 6: (-1, 3)}
"""When the days off for a holiday of one day begin, and how many they are, by its weekday: a bridge to the weekend."""
_TWELFTH_MONTH: Final = frozenset(
    {"xiaohan", "dahan", "lunar_new_years_eve", "laba", "weiya", "little_new_year", "little_new_year_south"}
)
"""Holidays and terms that fall into the last month of the lunar year."""
_BOOKED: Final = Pattern(words.BOOKED)
_OF_IT: Final = Pattern("的?第|的时[候节]")
"""What is of a holiday's time, and not of somebody who is called like it."""
_BEGINNINGS: Final = {3: "立春", 6: "立夏", 9: "立秋", 12: "立冬"}
"""The solar term that begins the season which has that month as its first."""


# --- seasons ----------------------------------------------------------------------------------------------------


def named_season(at: Anchor, got: Got) -> Time:
    """春天: three months, or from the solar term that begins it to the next one."""
    first = got.all("season", "short_season")[0]
    return Either((season(first), Periodic("year", "season", partial(_by_terms, first))))


def _by_terms(first: int, start: datetime) -> Span:
    following = start.year + (first == 12)
    ends = lunar.term(_BEGINNINGS[first], start.year), lunar.term(_BEGINNINGS[first % 12 + 3], following)
    begin, end = (day_of(day.year, day.month, day.day).start for day in ends)
    return Span(begin, end, "season")


def school_break(at: Anchor, got: Got) -> Time:
    """暑假, 寒假: two months of every year."""
    first, count = got["break_of"]

    def rule(start: datetime) -> Span:
        begin = step(start, first - 1, "month")
        return Span(begin, step(begin, count, "month"), "season")

    return Periodic("year", "season", rule)


# --- the lunar calendar -----------------------------------------------------------------------------------------


def _daily(found: date | None) -> Span | None:
    return None if found is None else day_of(found.year, found.month, found.day)


def lunar_day(number: int, day: int, *, leap: bool = False) -> Time:
    """Return a day of every lunar year."""
    return Periodic("year", "day", lambda start: _daily(lunar.day(start.year, number, day, leap=leap)))


def lunar_month(number: int, *, leap: bool = False) -> Time:
    """Return a month of every lunar year."""
    return Periodic("year", "month", lambda start: _monthly(lunar.month(start.year, number, leap)))


def _monthly(found: tuple[date, date] | None) -> Span | None:
    if found is None:
        return None
    start, end = (day_of(day.year, day.month, day.day).start for day in found)
    return Span(start, end, "month")


def _lunar(got: Got) -> tuple[int, int | None, bool]:
    """The month, the day where there is one, and whether the month is a leap month."""
    numbers = [int(one) for one in got.all("lunar_month", "number", "score", "lunar_date", "digits")]
    if not 1 <= numbers[0] <= 12 or (len(numbers) > 1 and not 1 <= numbers[1] <= 30):
        raise ValueError("no such month")
    return numbers[0], numbers[1] if len(numbers) > 1 else None, "leap" in got


def lunar_date(at: Anchor, got: Got) -> Time | None:
    """农历八月十五, 腊月初十, 闰四月, 正月; of a lunar year where one is named."""
    if got.tokens[-1].name == "number" and counted(got):
        return None
    number, day, leap = _lunar(got)
    if "year" not in got:
        return lunar_month(number, leap=leap) if day is None else lunar_day(number, day, leap=leap)

    def of(one: Time) -> Time:
        span = next(one.within(whole(at.now, "year")))
        found = (
            _monthly(lunar.month(span.start.year, number, leap))
            if day is None
            else _daily(lunar.day(span.start.year, number, day, leap=leap))
        )
        if found is None:
            raise ValueError("no such lunar date")
        return Fixed(found)

    return each(of, got["year"])


def of_lunar_month(at: Anchor, got: Got) -> Time | None:
    """廿一, 初五: a day of every lunar month, of the first one in the first place; 初二 is a year at school as well."""
    day = got["lunar_date"]
    after = simplified(got.text[got.tokens[-1].end :][:2])
    if day <= 3 and after and not after.startswith(words.FESTIVAL_AFTER):
        return None

    def rule(first: datetime) -> Span | None:
        for back in (1, 0):
            for number in range(1, 13):
                found = _daily(lunar.day(first.year - back, number, day))
                if found is not None and floor(found.start, "month") == first:
                    return found
        return None

    return Periodic("month", "day", rule)


def chu(at: Anchor, got: Got) -> int | None:
    """初五, 廿一, as the day of a lunar month."""
    number = got.all("number", "score", "digits")[0]
    if "chu" in got and not (isinstance(number, int) and 1 <= number <= 10):
        return None
    return int(number)


def new_year_day(at: Anchor, got: Got) -> Time | None:
    """大年初三."""
    return lunar_day(1, got["lunar_date"])


def undated(at: Anchor, got: Got) -> Time | None:
    """1月3, 八月十五: without 日; in Chinese figures it can be the lunar date as well."""
    token = got.tokens[-1]
    number, day = got.all("number")
    if not all(isinstance(one, int) for one in (number, day)) or not (1 <= number <= 12 and 1 <= day <= 31):
        return None
    if counted(got):
        return None
    solar = month_day(number, day)
    if got.text[token.start : token.end].isdecimal() or day > 30:
        return solar
    # The month was read as a solar one; 8月十五 mixes figures, as only the lunar calendar is written.
    first = got.tokens[0]
    options = (solar, lunar_day(number, day))
    return Either(options[::-1] if got.text[first.start : first.end].isdecimal() else options)


# --- holidays ---------------------------------------------------------------------------------------------------


def festival(at: Anchor, got: Got) -> Time:
    """A holiday; National Day, where its year is named, stands for its week."""
    return holiday(_key(got.tokens, got.text))


def _key(tokens: Sequence[Token], text: str) -> str:
    for token in tokens:
        if token.name in ("holiday", "weak_holiday"):
            return token.value
        if token.name in ("number", "digits", "pair"):
            key = CHINESE.get(text[token.start : token.end])
            if key is None:
                raise ValueError("no such holiday")
            return key
    raise ValueError("no such holiday")


def numeric_festival(at: Anchor, got: Got) -> Time | None:
    """五一, 十一: holidays named by the figures of their date, where the context says so."""
    token = next(token for token in got.tokens if token.name in ("number", "digits", "pair"))
    key = CHINESE.get(got.text[token.start : token.end])
    if key is None:
        return None
    return of_year(got["year"], key) if "year" in got else holiday(key)


def weak_festival(at: Anchor, got: Got) -> Time | None:
    """国庆, 清明, 小满: where something beside it shows that a day is meant."""
    before = simplified(got.before()[-1:])
    rest = simplified(got.after())
    after = rest[:2]
    whole_text = not got.before().strip() and not after
    starts = not before or before in "，。！？；,.!?; \n我你他她们"
    name = simplified(got.text[got.tokens[0].start : got.tokens[0].end])
    if name in words.WEATHER and not whole_text:
        return festival(at, got) if after.startswith(("那天", "当天", "前后", "时节", "节气", "这天")) else None
    if whole_text or (before and before in words.FESTIVAL_BEFORE) or after.startswith(words.FESTIVAL_AFTER):
        return festival(at, got)
    goes_on = starts and (after.startswith(words.BEGINS) or _OF_IT.match(rest))
    return festival(at, got) if name in words.SURE and (goes_on or _BOOKED.match(rest)) else None


def bare_numeric(at: Anchor, got: Got) -> Time | None:
    """十一 at the beginning of what was done on it."""
    before = simplified(got.before()[-1:])
    rest = simplified(got.after())
    starts = not before or before in "，。！？；,.!? \n在过"
    proven = (starts and rest[:1] in tuple("去回放我咱出")) or (
        (starts or before in "了好到买订定抢约") and _BOOKED.match(rest)
    )
    return numeric_festival(at, got) if proven else None


def year_festival(at: Anchor, got: Got) -> Time:
    """去年国庆, 26年除夕."""
    return of_year(got["year"], got.all("holiday", "weak_holiday")[0])


def of_year(base: Time, key: str) -> Time:
    """Return a holiday of a year; what the last lunar month holds is of the lunar year too."""
    if key == "national_day_cn":
        return Either((meet(base, holiday("national_week_cn")), meet(base, holiday(key))))
    if key in _TWELFTH_MONTH:
        following = mapped(base, lambda span: whole(span.end, "year"), "year")
        return Either((meet(base, holiday(key)), meet(following, holiday(key))))
    return meet(base, holiday(key))


def new_year(at: Anchor, got: Got) -> Time | None:
    """过年, 去年过年: the days off for the Chinese new year."""
    before = simplified(got.before()[-1:])
    if "year" not in got and before and before in words.NO_NEW_YEAR_BEFORE:
        return None
    return _meeting(got, _days_of("spring_festival"))


def days_off(at: Anchor, got: Got) -> Time:
    """端午假期, 五一长假: the days off that China gives for it."""
    return _meeting(got, _days_of(_key(got.tokens, got.text)))


def _meeting(got: Got, time: Time) -> Time:
    return meet(got["year"], time) if "year" in got else time


def _days_of(key: str) -> Time:
    if key in ("national_day_cn", "national_week_cn"):
        return holiday("national_week_cn")
    if key in ("spring_festival", "lunar_new_years_eve"):
        return mapped(holiday("lunar_new_years_eve"), lambda span: days(span.start, 8, "range"), "range")
    if key == "labour_day":
        return mapped(holiday(key), lambda span: days(span.start, 5, "range"), "range")
    return mapped(holiday(key), _bridged, "range")


def long_holiday(at: Anchor, got: Got) -> Time | None:
    """五一期间, 去年春节期间: of holidays that have several days off for themselves, these."""
    long = _key(got.tokens[1 if "year" in got else 0 :], got.text) in ("labour_day", "spring_festival")
    return days_off(at, got) if long else None


def _bridged(span: Span) -> Span:
    offset, count = _OFF[span.start.weekday()]
    return days(step(span.start, offset, "day"), count, "range")
