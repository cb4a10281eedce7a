"""What English joins times into: Monday at three, from May to July, until Friday, three days after Easter, mid-June.

It knows the words between times, not those of the times themselves.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from fabula.when import english_words as words
from fabula.when import named
from fabula.when.english_clock import hours_in, pairs, placed, spread
from fabula.when.english_days import pair_date, year_of
from fabula.when.figures import twelve
from fabula.when.grammar import Anchor, Got, Token, exactly
from fabula.when.series import Beyond, Either, Fixed, Through, Time, before, each, mapped, meet, since
from fabula.when.spans import MONTHS, Span, floor, step

Limit = tuple[Time, str]
"""The end of May: a time, and which end of it."""
DayPart = tuple[Time, str]
"""Tomorrow morning: a day, and the part of it."""
CLOCKS: Final = frozenset({"hour", "minute", "second"})
"""The precisions of times of day."""


# --- any time -----------------------------------------------------------------------------------------------------


def time_of(at: Anchor, token: Token) -> Time:
    """Return the time that a token of a range stands for."""
    value: Any = token.value
    match token.name:
        case "weekday" | "wday":
            return named.weekday(value)
        case "month":
            return named.month(value)
        case "season":
            return named.season(value)
        case "pair":
            return pair_date(at, Got([token], ""))
        case "four":
            return named.year(value)
        case "ordinal":
            return named.day_of_month(value)
        case "holiday" | "wholiday":
            return named.holiday(value)
        case "now":
            return Fixed(exactly(at.now))
        case "daypart":
            return of_part(at, value)
        case "limit":
            return of_limit(at, value)
        case "part" | "meal" | "school":
            return named.part(value, at.conventions)
        case "weekend":
            return named.weekend(at.conventions)
        case "hours":
            return spread(at, value)
        case _:
            return value


TIMES: Final = frozenset({
    "weekday", "wday", "month", "season", "pair", "four", "ordinal", "holiday", "wholiday", "now", "daypart", "limit",
    "day", "span", "moment", "clock", "range", "part", "meal", "hours", "weekend",
})  # fmt: skip
"""Names of tokens that are times, or can be where other words say so."""


def times(at: Anchor, got: Got) -> list[tuple[str, Time]]:
    """Return the times that were matched, with the names of their tokens."""
    return [(token.name, time_of(at, token)) for token in got.tokens if token.name in TIMES]


def _closed(at: Anchor, time: Time) -> bool:
    """Whether a range reaches to the end of the time it names last, by custom."""
    return at.conventions.through == ("all" if time.grain in CLOCKS else at.conventions.through) != "none"


# --- parts of times -----------------------------------------------------------------------------------------------


def limit(at: Anchor, got: Got) -> Limit | None:
    """The end of May, the beginning of the week, EOY."""
    if "short" in got:
        unit, which = got["short"]
        days_named = [time for name, time in times(at, got) if name != "limit"]
        return (days_named[0] if unit == "day" and days_named else at.whole(unit)), which
    if "unit" in got:
        return (at.whole(got["unit"]), got["edge"]) if got["unit"] in MONTHS or got["unit"] in ("week", "day") else None
    return times(at, got)[-1][1], got["edge"]


def of_limit(at: Anchor, value: Limit) -> Time:
    """Return the part of a time at one of its ends: of a year two months, or a third of it."""
    base, which = value
    part = named.section(base, which)
    if base.grain == "year":
        first = {"early": 0, "mid": 4, "late": 8}[which]
        third = mapped(base, lambda span: Span(step(span.start, first, "month"), step(span.start, first + 4, "month"),
                                               "fuzzy"), "fuzzy")  # fmt: skip
        return Either((part, third))
    if base.grain == "day" and which == "late":
        last = mapped(base, lambda span: Span(span.end - timedelta(seconds=1), span.end, "second"), "second")
        return Either((last, part))
    return part


def limit_alone(at: Anchor, got: Got) -> Time:
    return of_limit(at, got["limit"])


def section(at: Anchor, got: Got) -> Time | None:
    """Early June, mid-2019, the late nineties, later this week."""
    ((_, base),) = times(at, got)[-1:]
    which = got["section"]
    if which in ("early", "mid", "late"):
        return named.section(base, which)
    if base.grain in ("part", "day"):
        return named.section(base, "late" if which == "after_now" else "early")

    def rule(span: Span) -> Span | None:
        first, last = (span.start, at.now) if which == "before_now" else (at.now, span.end)
        return Span(first, last, "fuzzy") if span.start <= first < last <= span.end else None

    halves = named.section(base, "late" if which == "after_now" else "early")
    return Either((mapped(base, rule, "range"), halves, _half(base, which)))


def _half(base: Time, which: str) -> Time:
    def rule(span: Span) -> Span:
        days_long = (span.end - span.start).days
        middle = step(span.start, 6, "month") if days_long > 364 else step(span.start, days_long // 2, "day")
        return Span(middle, span.end, "fuzzy") if which == "after_now" else Span(span.start, middle, "fuzzy")

    return mapped(base, rule, "fuzzy")


def rest(at: Anchor, got: Got) -> Time | None:
    """The rest of the week: from now to its end."""
    unit = got["unit"]
    base = got["span"] or got["day"] or (at.whole(unit) if unit in MONTHS or unit in ("week", "day") else None)
    if base is None:
        return None

    def rule(span: Span, start: datetime) -> Span | None:
        return Span(max(start, span.start), span.end, "range") if start < span.end else None

    today = floor(at.now, "day")
    return Either(
        tuple(mapped(base, lambda span, start=start: rule(span, start), "range") for start in (at.now, today))
    )


def around(at: Anchor, got: Got) -> Any:
    """Around three, around the 21st: as far on both sides as `AROUND` says, or the time itself."""
    ((_, base),) = times(at, got)[-1:]
    if base.grain not in words.AROUND:
        return base
    slack = timedelta(seconds=words.AROUND[base.grain])

    def rule(span: Span) -> Span:
        if base.grain in CLOCKS:
            return Span(span.start - slack, span.start + slack, "fuzzy")
        return Span(span.start - slack, span.end + slack, "fuzzy")

    return Either((*mapped(base, rule, base.grain).options, *base.options))


# --- days and hours -----------------------------------------------------------------------------------------------


def daypart(at: Anchor, got: Got) -> DayPart | None:
    """Tonight, this morning, Monday evening, the night of the 4th."""
    if "tonight" in got:
        offset, part = got["tonight"]
        if offset == -1 and re.search(r"\b(?:the|my|our|his|her|their)\s+$", got.before(), re.I):
            return None
        return at.day(offset), part
    part = got["part"] or got["meal"] or {"a": "morning", "p": "afternoon"}[got["ampm"]]
    if "rel" in got:
        offset = {"this": 0, "next": 1, "following": 1, "coming": 0}.get(got["rel"])
        return None if offset is None else (at.day(offset), part)
    found = times(at, Got([token for token in got.tokens if token.name not in ("part", "meal")], got.text))
    if "span" in got:
        return (meet(got["span"], found[0][1]), part) if got["span"].grain == "week" else None
    return found[0][1], part


def of_part(at: Anchor, value: DayPart) -> Time:
    """Return a part of a day."""
    return meet(value[0], named.part(value[1], at.conventions))


def part_of_day(at: Anchor, got: Got) -> Time:
    return of_part(at, got["daypart"])


def clock_in_part(at: Anchor, got: Got) -> Time:
    """Tonight at eight, seven tomorrow morning."""
    day, part = got["daypart"]
    return meet(day, placed(got["clock"], part))


def hours_in_part(at: Anchor, got: Got) -> Time:
    day, part = got["daypart"]
    return spread(at, hours_in(got["hours"], part), day)


def clock_on(at: Anchor, got: Got) -> Time | None:
    """Monday at nine."""
    days_of = tuple(one for one in _day_of(at, got).options if one.grain == "day")
    return meet(Either(days_of), got["clock"]) if days_of else None


def hours_on(at: Anchor, got: Got) -> Time:
    """Monday from nine to noon."""
    return spread(at, got["hours"], _day_of(at, got))


def pair_on(at: Anchor, got: Got) -> Time | None:
    """Monday 3-8, from 10 to 4 on Friday."""
    if "pair" in got and "-" not in got.said("pair"):
        return None
    numbers = got["pair"] or got.all("number", "spoken")
    if any(not isinstance(one, int) or not 0 <= one <= 24 for one in numbers):
        return None

    return spread(at, pairs(twelve(numbers[0]), twelve(numbers[1])), _day_of(at, got))


def _day_of(at: Anchor, got: Got) -> Time:
    return next(time for name, time in times(at, got) if name not in ("clock", "hours", "pair"))


# --- ranges -------------------------------------------------------------------------------------------------------


def through(at: Anchor, got: Got) -> Time | None:
    """From X to Y: to its end where the custom is so."""
    (first_name, first), (last_name, last) = times(at, got)[:2]
    if first_name == last_name == "four" and got.all("four")[0] >= got.all("four")[1]:
        return None
    closed = _closed(at, last)
    if first_name == "limit":
        base, which = got["limit"]
        first = base if which == "early" else first
    if last_name == "limit":
        last, which = got.all("limit")[-1]
        closed = which != "early"
    return each(partial(Through, closed=closed), first, last)


def pairs_through(at: Anchor, got: Got) -> Time | None:
    """10/1-11/2/2017, from 5/1 to 5/7."""
    texts = [got.text[token.start : token.end] for token in got.tokens if token.name == "pair"]
    if any("/" not in text for text in texts):
        return None
    ends = [time_of(at, token) for token in got.tokens if token.name in ("pair", "day")]
    if "four" in got:
        ends[1] = meet(named.year(got["four"]), ends[1])
    return Through(ends[0], ends[1], _closed(at, ends[1]))


def days_of_month(at: Anchor, got: Got) -> Time | None:
    """From the 13th to the 15th of July, July 13-15, 1-8 September."""
    first, last = got["pair"] or got.all("number", "ordinal", "spoken")[:2]
    if ("pair" in got and "-" not in got.said("pair")) or not (isinstance(first, int) and isinstance(last, int)):
        return None
    month_first = got.tokens[0].name == "month" or any(
        token.name == "month"
        and token.start < min(t.start for t in got.tokens if t.name in ("number", "ordinal", "spoken", "pair"))
        for token in got.tokens
    )
    month, years = got["month"], got.all("four", "year")
    if first > last:  # into the next month, or from the one before
        start, end = (month, month % 12 + 1) if month_first else ((month - 2) % 12 + 1, month)
    else:
        start = end = month
    begin, until = named.month_day(start, first), named.month_day(end, last)
    if years:
        until = meet(named.year(year_of(years[0])), until)
    return Through(begin, until, _closed(at, until))


# --- open ranges --------------------------------------------------------------------------------------------------


def onward(at: Anchor, got: Got) -> Time:
    """Since X, after X, X or later: until now as a second reading."""
    name, base = times(at, got)[-1]
    if name == "limit":
        base, which = got["limit"]
        base = of_limit(at, (base, which))
    after = "after" in got and base.grain not in CLOCKS
    found = _since(at, base, after=after)
    if "since" not in got or base.fixed:
        return found
    passed = _latest(at, base)
    return Either((*_since(at, passed).options, *found.options))


def _latest(at: Anchor, base: Time) -> Time:
    """The last of a time before now."""

    def one(option: Time) -> Time:
        return option if option.fixed else Beyond(-1, option, Fixed(exactly(at.now)))

    return each(one, base)


def _since(at: Anchor, base: Time, *, after: bool = False) -> Time:
    def until_now(span: Span) -> Span | None:
        start = span.end if after else span.start
        return Span(start, at.now, "range") if start < at.now else None

    latest = _latest(at, base)
    return Either((*since(base, after=after).options, *mapped(latest, until_now, "range").options))


def start_or_on(at: Anchor, got: Got) -> Time:
    """From X: from then on, or then, which it is for what is past: the bread from two days ago."""
    _, base = times(at, got)[-1]
    if isinstance(base.options[0], Fixed) and base.options[0].span.end <= at.now:
        return Either((*base.options, *since(base).options))
    return Either((*since(base).options, *base.options))


def until(at: Anchor, got: Got) -> Time:
    """Before X, by X, until X: with X itself or without."""
    name, base = times(at, got)[-1]
    if name == "limit":
        base, which = got["limit"]
        late = before(base, through=True)
        from_now = mapped(base, lambda span: Span(at.now, span.end, "range") if at.now < span.end else None, "range")
        return Either((late, from_now)) if which == "late" else before(of_limit(at, got["limit"]))
    excluded, included = before(base), before(base, through=True)
    if base.grain in CLOCKS or "before" in got:
        return excluded
    first, second = (included, excluded) if _closed(at, base) else (excluded, included)
    return Either((*first.options, *second.options))


def open_on(at: Anchor, got: Got) -> Time:
    """Tomorrow before five, next Wednesday after ten."""
    (name, day), (_, clock) = times(at, got)[:2]
    if name == "daypart":
        day, part = got["daypart"]
        clock = placed(clock, part)
    moment = meet(day, clock)
    return (
        before(moment) if any(w in got for w in ("before", "by", "until", "latest", "through")) else _since(at, moment)
    )


def after_meal(at: Anchor, got: Got) -> Time:
    """After lunch: the hours that follow it, or all that come after."""
    base = named.part(got["meal"], at.conventions)
    rest_of_day = since(base, after=True)
    return Either((named.part("after_lunch", at.conventions), rest_of_day)) if got["meal"] == "lunch" else rest_of_day
