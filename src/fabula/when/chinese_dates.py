"""Years, months, days and weeks, for the Chinese grammar's rules; knows no clock times, holidays and lengths."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, Final, cast

from fabula.when import chinese_words as words
from fabula.when.chinese_lexer import simplified
from fabula.when.grammar import Anchor, Got
from fabula.when.named import (
    WEEK,
    century,
    day_of_month,
    decade,
    month,
    month_day,
    nth,
    part_of_year,
    section,
    unit,
    weekday,
    weekend,
    year,
)
from fabula.when.series import LONGEST, Either, Fixed, Mapped, Meet, Nth, Periodic, Through, Time, each, mapped, meet
from fabula.when.spans import LENGTHS, Span, Unit, day_of, days, exists, step, whole

_PAST, _COMING = 89, 10
"""Of the years that two figures can mean, the likeliest lies so far back at most, or so far ahead."""
_AROUND: Final = timedelta(3)
"""How far 中秋前后 reaches."""


# --- years ------------------------------------------------------------------------------------------------------


def short_year(number: int, at: Anchor) -> Time:
    """Return the year that two figures mean; a second reading is the century that is less likely."""
    base = at.now.year // 100 * 100 + number
    near = [base + shift for shift in (-100, 0, 100) if -_PAST <= base + shift - at.now.year <= 2 * _COMING]
    near.sort(key=lambda one: one - at.now.year > _COMING)
    options = tuple(year(one) for one in near if 1 <= one <= 9999)
    if not options:
        raise ValueError(f"no year {number}")
    return options[0] if len(options) == 1 else Either(options)


def full_year(at: Anchor, got: Got) -> Time | None:
    """2023年, 二〇二三年; of two figures those that count nothing: 98年, 08年, 九零年."""
    token = next(token for token in got.tokens if token.name in ("four", "digits", "number"))
    if token.name == "digits":
        figures = cast(str, token.value)
        if len(figures) == 4 and int(figures):
            return year(int(figures))
        # 三四年 is three or four years, 七八年 is 1978, but 七八年前 and 住了七八年 are lengths again.
        count = int(figures[-1]) == int(figures[0]) + 1 and (figures[0] not in "0789" or _lasts(got))
        return short_year(int(figures), at) if len(figures) == 2 and not count else None
    number = token.value
    after = simplified(got.text[got.tokens[-1].end :][:3])
    if after.removeprefix("的").startswith(words.LASTING):
        return None
    if token.name == "four":
        return year(number)
    written = got.text[token.start : token.end]
    if "千" in written and 1900 <= number <= 2199:
        return None if not number % 100 and _lasts(got) else year(number)
    if not isinstance(number, int) or not written.isdecimal():
        return None
    if len(written) == 4 and "ad" not in got:
        return year(number) if 1000 <= number <= 2199 else None
    if len(written) == 2 and (written[0] == "0" or (number >= 80 and after[:1] not in tuple("前后来以之内间"))):
        return short_year(number, at)
    return year(number) if "ad" in got and number else None


def _lasts(got: Got) -> bool:
    """Whether what stands beside 七八年 makes it a length."""
    before, after = simplified(got.before()[-1:]), simplified(got.text[got.tokens[-1].end :][:1])
    return before in tuple("了有过近约达逾隔") or after in tuple("前后以之内间来没多")


def dated_year(at: Anchor, got: Got) -> Time | None:
    """15年 where a month or a holiday follows, which makes it a year."""
    token = got.tokens[0]
    if token.name == "digits":
        return short_year(int(token.value), at) if len(token.value) == 2 else None
    written = got.text[token.start : token.end]
    return short_year(token.value, at) if len(written) == 2 and written.isdecimal() else None


def era_year(at: Anchor, got: Got) -> Time | None:
    """康熙三年, 民国元年."""
    number = 1 if "first_year" in got else got.all("number", "digits")[0]
    if not isinstance(number, int | str) or not 0 < int(number) < 100:
        return None
    return year(got["era"] + int(number) - 1)


def relative_year(at: Anchor, got: Got) -> Time | None:
    """去年, 上一年, 下年."""
    if got.all("number") not in ([], [1]):
        return None
    return at.whole("year", got.all("year_word", "rel", "same")[0])


def both(at: Anchor, got: Got) -> Time:
    """今明两年, 明后天."""
    name, offset = got["both"]
    start = at.whole(name, offset, 2).span
    return Fixed(Span(start.start, start.end, "range"))


def relative_century(at: Anchor, got: Got) -> Time:
    """上世纪, 本世纪."""
    return century(at.now.year // 100 + 1 + got["rel"])


def numbered_century(at: Anchor, got: Got) -> Time | None:
    """19世纪, 二十世纪."""
    number = got["number"]
    return century(number) if isinstance(number, int) and 0 < number <= 30 else None


def tens(at: Anchor, got: Got) -> Time | None:
    """八十年代, 2010年代; of a century, or the last one that has been."""
    number = got.all("number", "four", "digits")[0]
    number = int(number)
    if "century" in got:
        base: Time = got["century"]
        return decade(next(base.within(whole(at.now, "year"))).start.year + number)
    if number >= 1000:
        return decade(number) if number % 10 == 0 else None
    if number % 10 or number > 90:
        return None
    first = at.now.year // 100 * 100 + number
    return decade(first if first <= at.now.year + 5 else first - 100)


# --- parts of a year --------------------------------------------------------------------------------------------


def this_or(at: Anchor, name: Unit, build: Any) -> Time:
    """Return what `build` makes of the present unit, and of each unit as the other readings."""
    return Either((build(at.whole(name)), build(unit(name))))


def bare_section(at: Anchor, got: Got) -> Time:
    """年底, 月初: of this year and month, or of the one before or after."""
    return this_or(at, "year" if "nian" in got else "month", partial(section, which=_which(got)))


def _which(got: Got) -> str:
    return "early" if "chu" in got else got.all("section", "third")[0]


def sectioned(at: Anchor, got: Got) -> Time:
    """明年初, 三月底, 九月中旬, 一季度末, 九十年代末期."""
    base = got.all("year", "month", "span", "decade", "century", "season_time")[0]
    which = _which(got)
    wide = section(base, which)
    return (
        wide
        if base.grain != "month" or which not in _NARROW or "third" in got
        else Either((wide, *_narrow(base, which)))
    )


_NARROW: Final = {"early": (0, 5), "late": (24, 31)}
"""Days of a month that its beginning and end can mean when they are meant strictly."""


def _narrow(base: Time, which: str) -> tuple[Time, ...]:
    first, last = _NARROW[which]

    def rule(span: Span) -> Span:
        return Span(step(span.start, first, "day"), min(step(span.start, last, "day"), span.end), "fuzzy")

    return mapped(base, rule, "fuzzy").options


def half(at: Anchor, got: Got) -> Time:
    """上半年, 下半月, 下半周: of a year or month that is named, or of this one."""
    name, number = got["half_of"]
    grain: Unit = "year" if name == "half" else name

    def rule(span: Span) -> Span:
        if name == "half":
            return Span(step(span.start, 6 * number - 6, "month"), step(span.start, 6 * number, "month"), "half")
        middle = step(span.start, 15 if name == "month" else 3, "day")
        return Span(span.start, middle, "range") if number == 1 else Span(middle, span.end, "range")

    named = got.all("year", "month", "span")
    return mapped(named[0] if named else at.whole(grain), rule, "half" if name == "half" else "range")


def quarter(at: Anchor, got: Got) -> Time | None:
    """一季度, 第三季度, 首季度, Q1."""
    number = 1 if "shou" in got else got.all("number", "quarter")[0]
    if not isinstance(number, int) or not 1 <= number <= 4:
        return None
    return part_of_year("quarter", number)


def first_ones(at: Anchor, got: Got) -> Time | None:
    """今年前三季度, 4月前4天, 上月最后五天, 二〇二一年后三月: the first or last units of a time."""
    count = int(got.all("number", "count")[0])
    name = unit_of(got)
    bases = got.all("year", "month", "span")
    base: Time = bases[0] if bases else at.whole("year")
    last = "final" in got or "hou" in got
    if not 0 < count <= 366:
        return None
    if name == "week":
        inner = nth(-1 if last else 1, WEEK, base)
        shift = 1 - count if last else 0
        return mapped(
            inner,
            lambda span: Span(step(span.start, shift, "week"), step(span.start, shift + count, "week"), "range"),
            "range",
        )

    def rule(span: Span) -> Span:
        if last:
            return Span(step(span.end, -count, name), span.end, "range")
        return Span(span.start, step(span.start, count, name), "range")

    return mapped(base, rule, "range")


def unit_of(got: Got) -> Unit:
    """Return the unit that tokens name."""
    units: dict[str, Unit] = {"yue": "month", "jidu": "quarter", "nian": "year", "ri": "day"}
    for token in reversed(got.tokens):
        if token.name == "unit":
            return token.value
        if token.name in units:
            return units[token.name]
    raise ValueError("no unit of time")


def ordinal_day(at: Anchor, got: Got) -> Time | None:
    """2023年第十天."""
    return ordinal(at, got) if got["unit"] == "day" else None


def ordinal(at: Anchor, got: Got) -> Time | None:
    """今年第三十七个星期, 6月第3个星期日, 2005年首月: the nth unit or weekday of a time."""
    number = 1 if "shou" in got else -1 if "final" in got else got.all("number", "count")[0]
    base = got.all("year", "month", "span")[0]
    if not isinstance(number, int) or not number:
        return None
    if "weekday" in got:
        return each(partial(nth, number, weekday(got["weekday"])), base)
    if "weekend" in got:
        return each(partial(nth, number, weekend(at.conventions)), base)
    name = unit_of(got)
    by_unit = each(partial(nth, number, unit(name)), base)
    # Weeks by their Thursday (ISO 8601), or the first that begins in it.
    return Either((*by_unit.options, *each(partial(Nth, number, WEEK), base).options)) if name == "week" else by_unit


# --- months and days --------------------------------------------------------------------------------------------


def numbered_month(at: Anchor, got: Got) -> Time | None:
    """五月, 12月份."""
    number = got["number"]
    return month(number) if isinstance(number, int) and 1 <= number <= 12 else None


def dated(at: Anchor, got: Got) -> Time | None:
    """12月30号, 11/3号, 十二月卅一日."""
    number, day = got["pair"] or [int(one) for one in got.all("number", "score", "digits")][:2]
    return month_day(int(number), int(day)) if 1 <= number <= 12 else None


def no_day(at: Anchor, got: Got) -> Any:
    """13月5日, 2月30号, 上个月32号: a date that no year has; None where there is one."""
    numbers = got.all("number", "score", "digits")
    if any(float(one) % 1 for one in numbers):
        return None
    if len(numbers) == 1:
        return None if 1 <= int(numbers[0]) <= 31 or counts_things(got) else numbers
    number, day = (int(one) for one in numbers)
    return None if exists(2000, number, day) else numbers


def counts_things(got: Got) -> bool:
    """Whether 8号 is the number of a house or a line."""
    before = simplified(got.before()[-1:])
    after = simplified(got.text[got.tokens[-1].end :][:1])
    return bool((before and before in words.NO_DAY_BEFORE) or (after and after in words.NO_DAY_AFTER))


def slashed_day(at: Anchor, got: Got) -> Time | None:
    """11/3号; but 3-8号 are days."""
    token = got.tokens[0]
    return None if "-" in got.text[token.start : token.end] else dated(at, got)


def two_days(at: Anchor, got: Got) -> Time | None:
    """3-8号, 5月3-8日: from one day of the month to another."""
    first, last = got["pair"]
    number = got["number"]
    if not (1 <= first < last <= 31):
        return None
    ends = [day_of_month(one) if number is None else month_day(number, one) for one in (first, last)]
    return Through(*ends, closed=at.conventions.through != "none")


def counted(got: Got) -> bool:
    """Whether the number that a match ends with counts what follows it: 五月三千人."""
    after = simplified(got.text[got.tokens[-1].end :][:1])
    return bool(after) and after in words.COUNTED


def slashed(at: Anchor, got: Got) -> Time:
    """1/2/2020 by month and day or the other way round; 12-11-10 with the year first."""
    first, second, last = got["slashed"]
    token = got.tokens[0]
    short = got.text[token.end - 4 : token.end].isdecimal() is False
    readings: list[Time] = []
    order = [(last, first, second), (last, second, first)]
    if not at.conventions.month_first:
        order.reverse()
    if short and "/" not in got.text[token.start : token.end]:
        order.insert(0, (2000 + first, second, last % 100))
    readings += (Fixed(day_of(*one)) for one in order if exists(*one))
    if not readings:
        raise ValueError("no such date")
    return Either(tuple(readings)) if len(readings) > 1 else readings[0]


def of_month(at: Anchor, got: Got) -> Time | None:
    """29日: a day of every month."""
    number = got.all("number", "score")[0]
    return day_of_month(number) if isinstance(number, int) and 1 <= number <= 31 else None


def numbered(at: Anchor, got: Got) -> Time | None:
    """8号, unless it is the number of a house or a line."""
    return None if counts_things(got) else of_month(at, got)


# --- relative ---------------------------------------------------------------------------------------------------


def relative(at: Anchor, got: Got) -> Time | None:
    """上周, 下下个月, 本季度, 这个小时, 上一周."""
    name = unit_of(got)
    if got.all("number") not in ([], [1]) or name in ("day", "minute", "second"):
        return None
    offset = got.all("rel", "same")[0]
    if "same" in got:
        return Either((at.then(name, offset), at.whole(name, offset)))
    if name != "hour" or not offset:
        return at.whole(name, offset)
    rolling = (step(at.now, offset, "hour"), step(at.now, offset + 1, "hour"))
    return Either((at.whole(name, offset), Fixed(Span(*rolling, "range"))))


def relative_day(at: Anchor, got: Got) -> Time:
    """昨天, 大后天."""
    return at.day(got["day_word"])


def bare_weekday(at: Anchor, got: Got) -> Time:
    """周三."""
    return weekday(got["weekday"])


def bare_weekend(at: Anchor, got: Got) -> Time:
    """周末."""
    return weekend(at.conventions)


def relative_weekday(at: Anchor, got: Got) -> Time:
    """上周三, 这周五, 下下个星期日."""
    return Fixed(days(step(whole(at.now, "week", got.all("rel", "same")[0]).start, got["weekday"], "day"), 1, "day"))


def relative_weekend(at: Anchor, got: Got) -> Time:
    """上周末, 这个周末."""
    return meet(at.whole("week", got.all("rel", "same")[0]), weekend(at.conventions))


def two_of_week(at: Anchor, got: Got) -> Time:
    """上周星期三."""
    return meet(got["span"], weekday(got["weekday"]))


def in_year(at: Anchor, got: Got) -> Time | None:
    """A month, date, quarter or season in a year, a day in a month."""
    outer, inner = got.tokens[0].value, got.tokens[-1].value
    return None if inner.fixed or _unit_days(inner) >= _unit_days(outer) else meet(outer, inner)


def _unit_days(time: Time) -> float:
    """The days from one of a time to the next, for what comes by the calendar; a fixed one's own."""
    option = time.options[0]
    if isinstance(option, Periodic):
        # A weekday is one of a week, but in no month is it one day.
        return 1e9 if option.unit == "week" and option.grain == "day" else LENGTHS[option.unit].days - 1
    if isinstance(option, Mapped):
        return _unit_days(option.base)
    return LONGEST[option.grain].days


def stretch_in(at: Anchor, got: Got) -> Time | None:
    """周一上午10点到12点, 2019年1到5月: a stretch in something longer."""
    outer, inner = got.tokens[0].value, got.tokens[-1].value
    option = inner.options[0]
    if inner.fixed or not isinstance(option, Through):
        return None
    if LONGEST[option.first.grain] >= LONGEST[outer.grain]:
        return None
    # `meet` would take the stretch for the longer one.
    return each(Meet, outer, inner)


# --- with words that add little ---------------------------------------------------------------------------------


def around(at: Anchor, got: Got) -> Time:
    """中秋前后, 3月左右: some days more on both sides, or just what was said."""
    base: Time = got.tokens[0].value
    if base.grain != "day":
        return base
    wider = mapped(base, lambda span: Span(span.start - _AROUND, span.end + _AROUND, "fuzzy"), "fuzzy")
    return Either((*base.options, *wider.options))


def last(at: Anchor, got: Got) -> Any:
    """The last token with what comes before it, which adds nothing: 周日, 二月十号."""
    return got.tokens[-1].value


def kept(at: Anchor, got: Got) -> Any:
    """The first token with what follows, which adds nothing: 中秋那天, 国庆期间, 10月12号，星期一."""
    return got.tokens[0].value
