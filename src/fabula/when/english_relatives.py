"""English times that are said from now or from another time: last week, Thursday week, the third Tuesday after Easter.

It knows no time of day.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import Final, NamedTuple

from fabula.when import named
from fabula.when.english_days import day_number, pair_date, year_of
from fabula.when.figures import full_year
from fabula.when.grammar import Amount, Anchor, Got
from fabula.when.patterns import Pattern
from fabula.when.series import LONGEST, Beyond, Either, Fixed, Through, Time, each, mapped, meet, moved, resolve
from fabula.when.spans import Span, days, floor, step, whole

_OWNED: Final = Pattern(r"(?:\b(?:my|your|his|her|its|our|their|whose)|'s|s')\s+$", re.I)
"""Before `last week`, these make it somebody's last one."""
_VERB: Final = Pattern(r"(?:\b(?:will|would|can|could|should|shall|must|might|may|to|not|does|did)|n't|'ll)\s+$", re.I)
"""Before `last two hours`, these make `last` a verb."""


# --- relatives ----------------------------------------------------------------------------------------------------

_OFFSETS: Final = {"last": -1, "past": -1, "this": 0, "next": 1, "following": 1, "coming": 1}


def relative(at: Anchor, which: str, time: Time) -> Time | None:
    """Return the last, this or the next of a time that comes again; None where the calendar has no such."""
    spans = resolve(time, at.now, ahead=True)
    gone = [span for span in spans if span.end <= at.now]
    coming = [span for span in spans if span.start > at.now]
    if which in ("last", "past"):
        return Fixed(gone[0]) if gone else None
    if which != "this":
        return Fixed(coming[0]) if coming else None
    going_on = [span for span in spans if span.start <= at.now < span.end]
    same_year = [span for span in spans if span.start.year == at.now.year]
    found = list(dict.fromkeys([*going_on, *same_year, *coming]))
    return Either(tuple(map(Fixed, found))) if found else None


def coming_weekday(at: Anchor, number: int, count: int = 1) -> Time:
    """Return the `count`th such weekday after today, or before it where `count` is negative."""
    return Beyond(count, named.weekday(number), at.day(0))


def rel_weekday(at: Anchor, got: Got) -> Time | None:
    """Next Friday is next week's, or the coming one; last Monday the one before today, or last week's."""
    which, number = got["rel"], got.all("weekday", "wday")[0]
    if which == "last" and _OWNED.search(got.before()):
        return None
    in_week = Fixed(days(step(floor(at.now, "week"), 7 * _OFFSETS[which] + number, "day"), 1, "day"))
    nearest = coming_weekday(at, number, -1 if _OFFSETS[which] < 0 else 1)
    if which in ("last", "past", "coming"):
        return Either((nearest, in_week))
    if which == "following":
        return Either((Beyond(1, named.weekday(number), at.then("day")), in_week, nearest))
    return Either((in_week, nearest))


def rel_pair(at: Anchor, got: Got) -> Time | None:
    if "/" not in got.said("pair") and ("weekday" in got or "wday" in got) and "." not in got.said("pair"):
        return None
    return relative(at, got["rel"], pair_date(at, got))


def fiscal(at: Anchor, got: Got) -> Time | None:
    if "rel" in got:
        return at.whole("year", _OFFSETS[got["rel"]])
    numbers = got.all("four", "number")
    return named.year(full_year(numbers[0])) if numbers else at.whole("year")


def rel_md(at: Anchor, got: Got) -> Time | None:
    return relative(at, got["rel"], named.month_day(*got["md"]))


def rel_named(at: Anchor, got: Got) -> Time | None:
    """Last summer, next May, this Christmas."""
    if got["rel"] == "last" and _OWNED.search(got.before()):
        return None
    if "month" in got:
        time = named.month(got["month"])
    elif "season" in got:
        time = named.season(got["season"])
    else:
        time = named.holiday(got.all("holiday", "wholiday")[0])
    return relative(at, got["rel"], time)


def rel_unit(at: Anchor, got: Got) -> Time | None:
    """Return last week, this year, the next quarter."""
    which, unit = got["rel"], got["unit"]
    before = got.before()
    if which == "last" and _OWNED.search(before):
        return None
    rolling = lately(at, Amount(((2, "week"),) if unit == "fortnight" else ((1, unit),)), which)
    if unit in ("hour", "minute", "second", "fortnight"):
        return at.whole(unit) if which == "this" and unit != "fortnight" else rolling
    if unit == "day":
        return at.day(_OFFSETS[which]) if which not in ("last", "past") else None
    calendar = at.whole(unit, _OFFSETS[which])
    the = got.tokens[0].name == "the" or re.search(r"\bthe\s+$", before, re.I) is not None
    if which == "last" and the:
        return _the_last(got, unit, before, rolling, calendar)
    if which == "past":
        over = re.search(r"\b(?:in|over|during|for|within|throughout)(?: the)?\s+$", before, re.I)
        return Either((rolling, calendar) if over or the else (calendar, rolling))
    return calendar


def _the_last(got: Got, unit: str, before: str, rolling: Time, calendar: Time) -> Time | None:
    """In the last year: the twelve months until now. The last year of school is no such time."""
    if re.match(r"\s+(?:of|in|that|before|at)\b", got.after()):
        return None
    if unit == "quarter":
        return Either((calendar, rolling))
    spans = re.search(r"\b(?:in|over|during|for|within|throughout)(?:\s+the)?\s+$", before, re.I)
    return Either((rolling, calendar)) if spans else None


def lately(at: Anchor, amount: Amount, which: str) -> Time:
    """Return the time of `amount` until now or from now on."""
    return named.lately(at, amount, -1 if _OFFSETS[which] < 0 else 1)


def rel_amount(at: Anchor, got: Got) -> Time | None:
    """The last two weeks, the next couple of days, two upcoming months."""
    amount: Amount = got["amount"]
    if got["rel"] == "this":
        return None
    if amount.unit in ("decade", "century") and len(amount.parts) == 1:
        count = int(amount.parts[0][0])
        return at.whole(amount.unit, -count if _OFFSETS[got["rel"]] < 0 else 1, count)
    if got["rel"] == "last" and (_OWNED.search(got.before()) or _VERB.search(got.before())):
        return None
    return lately(at, amount, got["rel"])


def rel_weekend(at: Anchor, got: Got) -> Time | None:
    which = got["rel"] or "this"
    weekends = named.weekend(at.conventions)
    if which in ("past", "coming"):
        return relative(at, which, weekends)
    return meet(at.whole("week", _OFFSETS[which]), weekends)


def workweek(at: Anchor, got: Got) -> Time:
    monday = at.whole("week", _OFFSETS[got["rel"] or "this"]).span.start
    return Fixed(days(monday, 5, "range"))


def beyond_next(at: Anchor, got: Got) -> Time | None:
    """The week after next, the Sunday before last."""
    sign = 2 if "afternext" in got else -2
    if "unit" in got:
        return at.whole(got["unit"], sign) if got["unit"] not in ("hour", "minute", "second", "fortnight") else None
    if "weekend" in got:
        return meet(at.whole("week", sign), named.weekend(at.conventions))
    if "weekday" in got:
        return coming_weekday(at, got["weekday"], sign)
    again = _again(got)
    if again is None:
        return None
    first = relative(at, "next" if sign > 0 else "last", again)
    return None if first is None else moved(first, sign // 2, "year")


def told_part(at: Anchor, got: Got) -> tuple[Time, str]:
    """That evening, the following morning: of the day told last."""
    offset, part = got["told_part"]
    return at.then("day", offset), part


def told_unit(at: Anchor, got: Got) -> Time:
    """That month: the one told last. The following week: the one after it, or after this one."""
    unit, offset = got["told_unit"]
    then = at.then(unit, offset)
    return Either((then, at.whole(unit, offset))) if offset else then


def told_beside(at: Anchor, got: Got) -> Time | None:
    """The day after, the week before: of what was told last, or of today."""
    unit, sign = got["unit"], 1 if "after" in got else -1
    if unit not in ("day", "week", "month", "year"):
        return None
    return Either((at.then(unit, sign), at.whole(unit, sign)))


def told_part_beside(at: Anchor, got: Got) -> tuple[Time, str] | None:
    """The night before, the morning after: of the day told last."""
    if got["part"] not in ("morning", "afternoon", "evening", "night"):
        return None
    return at.then("day", 1 if "after" in got else -1), got["part"]


def weeks_on(at: Anchor, got: Got) -> Time | None:
    """Thursday week, Monday fortnight, tomorrow week."""
    weeks = {"week": 1, "fortnight": 2}.get(got["unit"])
    if weeks is None:
        return None
    base = at.day(got["offset"]) if "offset" in got else coming_weekday(at, got["weekday"])
    return moved(base, weeks, "week")


# --- weekends, Fridays and summers, counted -----------------------------------------------------------------------


class Several(NamedTuple):
    """So many of a time that comes again."""

    many: int
    time: Time


def several(at: Anchor, got: Got) -> Several | None:
    """Two weekends, a couple of Fridays, three Christmases."""
    count = got.all("number", "spoken", "few")[0]
    if count != int(count):
        return None
    if "weekend" in got or "weekends" in got:
        return Several(int(count), named.weekend(at.conventions))
    if "seasons" in got:
        return Several(int(count), named.season(got["seasons"]))
    if "holiday" in got or "holidays" in got:
        return Several(int(count), named.holiday(got.all("holiday", "holidays")[0]))
    return Several(int(count), named.weekday(got.all("weekday", "weekdays")[0]))


def counted(number: int, inner: Time, base: Time) -> Time:
    """Return the `number`th of `inner` after `base`, before it where negative; one that `base` touches does not count.

    So the weekend before Easter is none that has Easter in it.
    """

    def rule(span: Span) -> Span:
        near = Span(span.start - LONGEST[inner.grain], span.end, "range")
        touched = [one for one in inner.within(near) if one.end > span.start]
        return Span(min([span.start, *(one.start for one in touched)]),
                    max([span.end, *(one.end for one in touched)]), "range")  # fmt: skip

    return each(partial(Beyond, number, inner), mapped(base, rule, "range"))


def several_away(at: Anchor, got: Got) -> Time:
    """Two weekends ago, three Christmases ago, in two weekends: counted from today, or by weeks."""
    count, inner = got["several"]
    number = -count if "ago" in got else count
    found = counted(number, inner, at.day(0))
    return Either((found, meet(at.whole("week", number), inner))) if inner.grain == "weekend" else found


def several_days_away(at: Anchor, got: Got) -> Time | None:
    """Two Thursdays ago: a day."""
    return several_away(at, got) if got["several"].time.grain == "day" else None


def several_beyond(at: Anchor, got: Got) -> Time | None:
    """Two weekends before Easter."""
    base = _base(got)
    return None if base is None else counted(_sign(got) * got["several"].many, got["several"].time, base)


def rel_several(at: Anchor, got: Got) -> Time | None:
    """The last two weekends: from the first one's start to the last one's end."""
    which, (count, inner) = got["rel"], got["several"]
    if which == "this" or (which == "last" and (_OWNED.search(got.before()) or _VERB.search(got.before()))):
        return None
    ends = (-count, -1) if _OFFSETS[which] < 0 else (1, count)
    first, last = (counted(number, inner, at.day(0)) for number in ends)
    return Through(first, last, closed=True)


def several_within(at: Anchor, got: Got) -> Time | None:
    """The last three Fridays of May: from the first one's start to the last one's end."""
    which, (count, inner), outer = _which(got), got["several"], _outer(at, got)
    if outer is None or which not in (1, -1):
        return None
    ends = (1, count) if which == 1 else (-count, -1)
    first, last = (named.nth(number, inner, outer) for number in ends)
    return Through(first, last, closed=True)


def _sign(got: Got) -> int:
    return 1 if "after" in got else -1


def _base(got: Got) -> Time | None:
    bases = got.all("day", "span")
    return bases[0] if bases else _again(got)


# --- the nth of something -----------------------------------------------------------------------------------------


def nth(at: Anchor, got: Got) -> Time | None:
    """The first Monday of May, the last week of the month, the second last day of 2019."""
    number = _which(got)
    if number is None:
        return None
    inner = _inner(at, got)
    if inner is None:
        return None
    outer = _outer(at, got)
    return None if outer is None else named.nth(number, inner, outer)


def _which(got: Got) -> int | None:
    (number,) = got.all("ordinal", "nth", "rel")[:1] or (None,)
    return -1 if number == "last" else number if isinstance(number, int) else None


def _inner(at: Anchor, got: Got) -> Time | None:
    if "weekday" in got or "wday" in got:
        return named.weekday(got.all("weekday", "wday")[0])
    if "weekend" in got:
        return named.weekend(at.conventions)
    return named.unit(got["unit"]) if got["unit"] not in (None, "fortnight", "half") else None


def _outer(at: Anchor, got: Got) -> Time | None:
    """What follows `of`: the units' names come twice where it is `the month`."""
    for name, build in (("span", None), ("day", None), ("month", named.month), ("four", named.year),
                        ("season", named.season)):  # fmt: skip
        if name in got:
            return got[name] if build is None else build(got[name])
    units = got.all("unit")
    return at.whole(units[-1]) if units and units[-1] in ("week", "month", "quarter", "year", "decade") else None


def some_units(at: Anchor, got: Got) -> Time | None:
    """The last days of 2025, the first weeks of May: three of them."""
    if _which(got) not in (1, -1) or not got.said("unit").lower().endswith("s"):
        return None
    at_unit = next(n for n, token in enumerate(got.tokens) if token.name == "unit")
    several = got.tokens[at_unit]._replace(name="amount", value=Amount(((3, got["unit"]),), vague=True))
    return first_units(at, Got([*got.tokens[:at_unit], several, *got.tokens[at_unit + 1 :]], got.text))


def first_units(at: Anchor, got: Got) -> Time | None:
    """The first ten days of May, the last two weeks of the year."""
    outer = _outer(at, Got([token for token in got.tokens if token.name != "amount"], got.text))
    (count, unit), *more = got["amount"].parts
    if outer is None or more or _which(got) not in (1, -1):
        return None
    first = _which(got) == 1

    def rule(span: Span) -> Span:
        if first:
            return Span(span.start, min(step(span.start, count, unit), span.end), "range")
        return Span(max(step(span.end, -count, unit), span.start), span.end, "range")

    return mapped(outer, rule, "range")


def nth_beyond(at: Anchor, got: Got) -> Time | None:
    """The third Tuesday after Christmas."""
    number = _which(got) if any(name in got for name in ("ordinal", "nth", "rel")) else 1
    inner = _inner(at, got)
    if number is None or inner is None:
        return None
    base = _base(got)
    return None if base is None else counted(_sign(got) * number, inner, base)


def in_span(at: Anchor, got: Got) -> Time | None:
    """Monday of last week, next week on Tuesday, May of last year, Christmas two years ago."""
    outer, day = got["span"], got.all("weekday", "wday")
    if day:
        return meet(outer, named.weekday(day[0])) if outer.grain in ("week", "month", "weekend") else None
    inner = _again(got)
    order = ("day", "week", "weekend", "month", "season", "quarter", "half", "year", "decade", "century")
    if inner is None or inner.fixed or outer.grain not in order or order.index(outer.grain) <= order.index(inner.grain):
        return None
    return meet(outer, inner)


def _again(got: Got) -> Time | None:
    if "month" in got:
        return named.month(got["month"])
    if "season" in got:
        return named.season(got["season"])
    if "holiday" in got or "wholiday" in got:
        return named.holiday(got.all("holiday", "wholiday")[0])
    return named.month_day(*got["md"]) if "md" in got else got["day"]


def in_year(at: Anchor, got: Got) -> Time | None:
    """Christmas 2014, summer of '69."""
    inner = _again(got)
    return None if inner is None else meet(named.year(year_of(got.all("four", "year")[0])), inner)


def week_of(at: Anchor, got: Got) -> Time | None:
    """The week of the 13th, w/c 4 February."""
    if got["unit"] not in (None, "week"):
        return None
    for name in ("day", "span"):
        if name in got:
            return named.week_of(got[name])
    if "pair" in got:
        return named.week_of(pair_date(at, got)) if "/" in got.said("pair") else None
    if "holiday" in got:
        return named.week_of(named.holiday(got["holiday"]))
    return named.week_of(named.day_of_month(day_number(got)))


def weekend_around(at: Anchor, got: Got) -> Time:
    base = got["day"] or named.holiday(got.all("holiday", "wholiday")[0])
    return named.weekend_around(base if "four" not in got else meet(named.year(got["four"]), base))


def in_years(at: Anchor, got: Got) -> Time | None:
    """Thanksgiving in three years, March in a year: the first from then on."""
    amount: Amount = got["amount"]
    inner = _again(got)
    if inner is None or inner.fixed or amount.unit not in ("month", "year", "decade", "century"):
        return None
    sign = -1 if "ago" in got else 1
    moment = at.moment(amount.parts, sign)
    if amount.unit != "month":
        return meet(Fixed(whole(moment, "year")), inner)
    start = floor(moment, "month")
    return Beyond(1, inner, Fixed(Span(start - timedelta(1), start, "day")))
