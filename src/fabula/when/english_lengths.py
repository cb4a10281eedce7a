"""English times that a length leads to: three days ago, two weeks after Easter, for ten days from the 18th, soon.

It knows neither how a length is said nor how the time is that it is counted from.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from fabula.when import english_words as words
from fabula.when import named
from fabula.when.english_clock import Hours
from fabula.when.english_joins import CLOCKS, TIMES, time_of, times
from fabula.when.english_relatives import coming_weekday
from fabula.when.figures import twelve
from fabula.when.grammar import Amount, Anchor, Got, exactly
from fabula.when.series import Either, Fixed, Mapped, Then, Time, before, mapped, moved
from fabula.when.spans import LENGTHS, MONTHS, Span, days, floor, step, whole


def away(at: Anchor, got: Got) -> Time | None:
    """Three days ago, in two weeks, a year ago today."""
    amount: Amount = got["amount"]
    if "around" in got:
        amount = amount._replace(vague=True)
    past = "ago" in got
    if not past and "in" in got and re.search(words.LOOKING_BACK, got.before()[-60:].rpartition(".")[2], re.I):
        return named.lately(at, amount, -1)
    sign = -1 if past else 1
    from_now = named.away(at, amount, sign, exact="offset" in got)
    if got["ago"] != 0 and got["hence"] != 0:  # the value of `earlier` and `later`
        return from_now

    def rule(span: Span) -> Span:
        there = named.away(replace(at, now=span.start), amount, sign).options[0]
        return next(there.within(span))

    return Either((Then(at.told, amount.unit, rule), *from_now.options))


def away_long(at: Anchor, got: Got) -> Time | None:
    """Two months ago, in three years: where the month or year is meant."""
    return away(at, got) if got["amount"].unit in MONTHS and "offset" not in got else None


def away_short(at: Anchor, got: Got) -> Time | None:
    """In five minutes, two hours ago."""
    return away(at, got) if got["amount"].unit in CLOCKS else None


def within(at: Anchor, got: Got) -> Time:
    return named.lately(at, got["amount"], 1)


def counted_from(at: Anchor, got: Got) -> Time | None:
    """Three weeks after Christmas, two days before that Monday, a week from Friday."""
    amount: Amount = got["amount"]
    if "on" in got and amount.unit != "week":
        return None
    token = next(t for t in reversed(got.tokens) if t.name in TIMES)
    base = (
        coming_weekday(at, token.value)
        if token.name in ("weekday", "wday") and "before" not in got
        else time_of(at, token)
    )
    sign = -1 if "before" in got else 1
    for count, unit in amount.parts:
        base = moved(base, sign * count, unit)
    return base


def next_to(at: Anchor, got: Got) -> Time | None:
    """The day before Christmas, the week after Easter, the year before."""
    unit, sign = got["unit"], -1 if "before" in got else 1
    if unit not in LENGTHS or unit in ("second", "minute", "hour"):
        return None
    _, base = times(at, got)[-1]
    return mapped(
        base, lambda span: whole(span.start if sign < 0 else span.end - timedelta(seconds=1), unit, sign), unit
    )


def lasting(at: Anchor, got: Got) -> Time | None:
    """For ten days from the 18th."""
    amount: Amount = got["amount"]
    _, base = next(one for one in times(at, got))
    extra = 1 if at.conventions.through == "all" else 0

    def rule(span: Span) -> Span:
        end = span.start
        for count, unit in amount.parts:
            end = step(end, count, unit)
        return Span(span.start, step(end, extra, "day"), "range")

    return mapped(base, rule, "range")


def hours_lasting(at: Anchor, got: Got) -> Hours | None:
    """From nine for two hours: until then."""
    number = (got.all("number", "spoken") or [None])[0]
    base = got["clock"] or (twelve(number) if isinstance(number, int) and 1 <= number <= 24 else None)
    if base is None or got["amount"].unit not in CLOCKS:
        return None

    def rule(span: Span) -> Span:
        end = span.start
        for count, unit in got["amount"].parts:
            end = step(end, count, unit)
        return Span(end, step(end, 1, "minute"), "minute")

    return Hours(tuple((one, Mapped(one, rule, "minute")) for one in base.options))


def this_time(at: Anchor, got: Got) -> Time | None:
    """This time next year: as near as `SAME_TIME` says."""
    base = got["span"] or got["day"]
    if not isinstance(base, Fixed) or base.grain not in words.SAME_TIME:
        return None
    unit: Any = base.grain
    moved_by = round((base.span.start - floor(at.now, unit)) / LENGTHS[unit])
    moment = step(at.now, moved_by, unit)
    slack = words.SAME_TIME[unit]
    if unit == "day":
        return Fixed(Span(moment - timedelta(slack), moment + timedelta(slack), "fuzzy"))
    return Fixed(days(step(floor(moment, "day"), -slack, "day"), 2 * slack + 1, "fuzzy"))


def fuzzy(at: Anchor, got: Got) -> Time:
    """Recently, the other day, soon."""
    first, last = words.FUZZY[got["fuzzy"]]
    start, end = (at.now + timedelta(one) for one in (first, last))
    if abs(first) >= 1 or abs(last) >= 1:
        start, end = (floor(one, "day") if one != at.now else one for one in (start, end))
    return Fixed(Span(start, max(start, end), "fuzzy"))


def now(at: Anchor, got: Got) -> Time:
    instant = Fixed(exactly(at.now))
    return instant if got["now"] is not None else Either((before(at.day(0)), before(instant)))


def world(at: Anchor, got: Got) -> Time:
    """An ISO 8601 moment of some zone, as the clocks of the reader show it."""
    said: datetime = got["world"]
    here = said.astimezone(at.zone).replace(tzinfo=None)
    text = got.said("world")
    if "." in text or "," in text:
        return Fixed(exactly(here))
    seconds = text.count(":") - text[19:].count(":") >= 2
    return Fixed(Span(here, step(here, 1, "second" if seconds else "minute"), "second" if seconds else "minute"))


def all_of(at: Anchor, got: Got) -> Time | None:
    """All week: this one."""
    return at.whole(got["unit"]) if got["unit"] in MONTHS or got["unit"] in ("week", "day") else None
