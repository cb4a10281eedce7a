"""Times that are counted, for the Chinese grammar's rules: weekends, weekdays and seasons one after another, weeks.

It knows no lengths: three weekends ago is no amount of time from now, but the third weekend back.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Final

from fabula.when import chinese_then as then
from fabula.when import chinese_words as words
from fabula.when.chinese_dates import this_or
from fabula.when.chinese_festivals import named_season, school_break
from fabula.when.chinese_lexer import simplified
from fabula.when.chinese_ranges import rhythm
from fabula.when.grammar import Anchor, Every, Got, Token
from fabula.when.named import WEEK, holiday, nth, weekday, weekend
from fabula.when.patterns import Pattern
from fabula.when.series import FRAMES, Either, Fixed, Periodic, Time, each, mapped
from fabula.when.spans import FIRST, Span, days, floor, step

_MOST: Final = 60
"""How many are counted at most."""
_FEW: Final = 15
"""How many days of something are counted from now, or from when a holiday begins."""
_AND_NO_MORE: Final = Pattern("(?:[早晚]上|[上下中]午|凌晨|傍晚)?起?(?:[)），,]|$)")
"""What follows a day that stands alone."""


def _thing(at: Anchor, got: Got) -> Time:
    if "weekday" in got:
        return weekday(got["weekday"])
    if "weekend" in got:
        return weekend(at.conventions)
    if "holiday" in got:
        return holiday(got["holiday"])
    return school_break(at, got) if "break_of" in got else named_season(at, got)


def _counts(got: Got) -> tuple[int, int]:
    """The least and the most that a count can be: 两个, 两三个, 三四个, 几个."""
    token: Token = next(token for token in got.tokens if token.name in ("number", "count", "some", "digits"))
    low, high = (
        token.value
        if token.name == "some"
        else (token.value[0], token.value[-1])
        if token.name == "digits"
        else (token.value, token.value)
    )
    if float(low) % 1 or not 0 < int(low) <= int(high) <= _MOST:
        raise ValueError("nothing is counted so")
    return int(low), int(high)


def _ones(time: Time, span: Span, count: int, sign: int) -> list[Span]:
    """The `count` ones that are over before `span`, or begin after it, the nearest first."""
    option = time.options[0]
    weekly = isinstance(option, Periodic) and option.unit == "week"
    reach = FRAMES[0 if weekly else 1] * (count + 1)
    if sign > 0:
        later = option.within(Span(span.end, span.end + reach, "range"))
        return list(islice((one for one in later if one.start > span.start), count))
    earlier = list(option.within(Span(max(span.start - reach, FIRST), span.start, "range")))
    return [one for one in reversed(earlier) if one.end <= span.start][:count]


def _from_to(ones: list[Span], low: int) -> Span:
    """All from the `low`th on; a single one is itself."""
    chosen = sorted(ones[low - 1 :])
    if not chosen:
        raise ValueError("none is known so far away")
    return chosen[0] if len(chosen) == 1 else Span(chosen[0].start, chosen[-1].end, "range")


def _now(at: Anchor, sign: int) -> Span:
    # What is going on today is neither over nor to come.
    return Span(floor(at.now, "day") if sign < 0 else at.now, at.now, "instant")


def away(at: Anchor, got: Got) -> Time:
    """两个周末前, 三个周五后, 几个周末前: the nth before or after now."""
    sign = -1 if "qian" in got or "before" in got else 1
    low, high = _counts(got)
    ones = _ones(_thing(at, got), _now(at, sign), high, sign)
    return Fixed(_from_to(ones, low))


def several(at: Anchor, got: Got) -> Time:
    """前两个周末, 接下来三个周五, 这两个周末, 下一个周五: the last or the next ones, from the first to the last."""
    _, high = _counts(got)
    which = got.tokens[0]
    signs = {"near": (-1,), "qian": (-1,), "coming": (1,), "hou": (1,)}.get(which.name)
    if signs is None:
        signs = (-1, 1) if which.value == 0 else (-1,) if which.value < 0 else (1,)
    found = tuple(Fixed(_from_to(_ones(_thing(at, got), _now(at, sign), high, sign), 1)) for sign in signs)
    return found[0] if len(found) == 1 else Either(found)


def beside(at: Anchor, got: Got) -> Time:
    """春节前两个周末, 五一后第一个周一: counted from a day."""
    sign = -1 if "qian" in got or "before" in got else 1
    low, high = _counts(got)
    thing = _thing(at, got)
    return mapped(got["day"], lambda span: _from_to(_ones(thing, span, high, sign), low if "di" in got else 1), "range")


def first_ones(at: Anchor, got: Got) -> Time:
    """六月前两个周末, 今年最后三个周五: the first or last ones in a time."""
    _, count = _counts(got)
    thing, last = _thing(at, got), "final" in got or "hou" in got

    def rule(span: Span) -> Span | None:
        inside = list(thing.within(span))[-count if last else 0 :][:count]
        return _from_to(inside, 1) if len(inside) == count else None

    return mapped(got.all("year", "month", "span")[0], rule, "range")


def every(at: Anchor, got: Got) -> Every | None:
    """每两个周末, 隔一个周五: every second one."""
    low, high = _counts(got)
    thing = _thing(at, got)
    if low != high or not isinstance(thing, Periodic):
        return None
    return Every(f"P{low + ('skip' in got and low == 1)}{thing.unit[0].upper()}", thing)


def week(at: Anchor, got: Got) -> Time | None:
    """第42周: of the year, by ISO 8601; the third week is one of anything, but of a month or year that is named."""
    number = got.all("number", "count")[0]
    if got["unit"] != "week" or not isinstance(number, int) or number <= words.WEEKS_OF_MONTH:
        return None
    before = simplified(got.before()[-1:])
    if before and before not in words.WEEK_BEFORE:
        return None
    if number > words.WEEKS_OF_YEAR:
        raise ValueError("no year has so many weeks")
    return this_or(at, "year", partial(each, partial(nth, number, WEEK)))


def nth_day(at: Anchor, got: Got) -> Time | None:
    """第三天: from the day that was told last on, or from today where nothing else is said; 来的第三天 from neither."""
    number: object = got.all("number", "count")[0]
    if got["unit"] != "day" or not isinstance(number, int) or not 1 < number <= 366 or got.before().endswith("的"):
        return None
    alone = got.before()[-1:] in ("", *"(（，,") and _AND_NO_MORE.match(simplified(got.after()))
    base = then.that_or_this_day(at) if alone and number <= _FEW else at.then("day")
    return mapped(base, partial(_day_of, number), "day")


def day_of_holiday(at: Anchor, got: Got) -> Time | None:
    """国庆的第三天, 五一假期第二天."""
    number: object = got.all("number", "count")[0] if "di" in got else got["then_day"] + 1
    base: Time = got.tokens[0].value
    if got["unit"] not in (None, "day") or not isinstance(number, int) or not 0 < number <= _FEW:
        return None
    if rhythm(base) != "year" or ("then_day" in got and not got.said("then_day").startswith("第")):
        return None
    return mapped(base, partial(_day_of, number), "day")


def _day_of(number: int, span: Span) -> Span:
    return days(step(span.start, number - 1, "day"), 1, "day")
