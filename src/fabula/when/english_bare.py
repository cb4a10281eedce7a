"""English words of time that are also other words: what must stand around May, sat, fall or 9/10 to make it a time.

It knows neither how dates are built nor how they are joined.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any, Final

from fabula.when import named
from fabula.when.english_amounts import Count, amount
from fabula.when.english_days import pair_date, part_of_year
from fabula.when.english_joins import around, of_part, onward, open_on, section, time_of, until
from fabula.when.english_lengths import counted_from
from fabula.when.english_relatives import lately, nth, rel_unit
from fabula.when.english_words import DUE, FOUNDED, FUZZY, MEASURED, PLAIN
from fabula.when.figures import twelve
from fabula.when.grammar import Amount, Anchor, Got, Token
from fabula.when.patterns import Pattern
from fabula.when.series import Fixed, Time, mapped, meet, moved
from fabula.when.spans import Span, floor, step

_NAME: Final = Pattern(r"\s+[A-Z][a-z]+")
"""A name behind it: Wednesday Addams."""
_PAPER: Final = Pattern(r"\b(?:in|from|of|for|to) the\s+$", re.I)
"""Before a name that begins with a weekday: in the Sunday Times."""
_NOUN: Final = Pattern(r"(?:'s)?[ \t]+[a-z]+|'s")
_PREPOSITION: Final = Pattern(
    r"\b(?:on|by|since|until|till|before|after|from|this|next|last|for|in|during|over|through|every|each|or|and|to)"
    r"(?: the| a)?\s+$",
    re.I,
)
_COUNTED: Final = Pattern(
    r"(?:[\d$€£¥]\S*|\b(?:of|odd|some|something|plus|more)|\b(?:hundred|thousand|[mb]illion|trillion)s?)[\s-]+$", re.I
)
"""Before `years ago`, these count the years."""
_ABOUT: Final = Pattern(r"\b(?:around about|close to|[a-z]+\.?)\s+$", re.I)
_SINCE: Final = Pattern(r"\b(?:in|since|from|until|till|before|after|by|between|during)\s+$", re.I)
_SENTENCE_GOES_ON: Final = Pattern(
    rf"\s+(?:{'|'.join(sorted(map(re.escape, PLAIN)))}|and|or|to|in|on|at|for|by|from|until|after|before)\b",
    re.I,
)
"""Behind a number, the words that it does not count."""
_FOUNDED: Final = Pattern(rf"\b(?:{FOUNDED})\s+$", re.I)
_MEASURED: Final = Pattern(rf"\b(?:{MEASURED})\s+$", re.I)
_DUE: Final = Pattern(rf"\b(?:{DUE})(?:\s+(?:date|is|was|on|by|for))*(?:\s*:)?\s+$", re.I)
_HALVES: Final[dict[Any, str]] = {
    "before_now": "early",
    "after_now": "late",
    "early": "early",
    "mid": "mid",
    "late": "late",
}
"""The part of a morning that is later."""
_SURE_MONTHS: Final = frozenset({1, 2, 7, 9, 10, 11, 12})
"""Months whose full names are no everyday words and no first names."""


def march_after_next(at: Anchor, got: Got) -> int | None:
    """Last march, next may; not `this may`."""
    return got["wmonth"] if re.search(r"\b(?:next|last|previous|coming)\s+$", got.before(), re.I) else None


def march_first(at: Anchor, got: Got) -> int | None:
    """March third, may 8th; not `you may first want to`."""
    figure = re.match(r"\s+(?:the\s+)?\d", got.after())
    return got["wmonth"] if figure or got["wmonth"] == 3 else None


def small_month(at: Anchor, got: Got) -> int:
    return got["wmonth"]


def glued_month(at: Anchor, got: Got) -> int | None:
    """Mar4, without a space."""
    return got["wmonth"] if got.after()[:1].isdigit() else None


def day_of_month_name(at: Anchor, got: Got) -> tuple[int, int] | None:
    """The second of March, the third day of October; not `one week of May`."""
    number = got.all("number", "spoken", "ordinal")[0]
    if got["unit"] not in (None, "day") or not isinstance(number, int) or ("spoken" in got and "unit" in got):
        return None
    named.month_day(got["month"], number)
    return got["month"], number


def count_rel_unit(at: Anchor, got: Got) -> Time | None:
    """The two next days, the 5 past years; not `I'll be 40 next month`."""
    count = got.all("number", "spoken", "few")[0]
    plural = got.said("unit").lower().endswith("s")
    return None if got["rel"] == "this" or not plural else lately(at, amount(Count(count), got["unit"]), got["rel"])


def before_last(at: Anchor, got: Got) -> int | None:
    """The week before last; not `before last week`."""
    return 0 if got["rel"] == "last" else None


def after_next(at: Anchor, got: Got) -> int | None:
    """The week after next."""
    return 0 if got["rel"] == "next" else None


def some_of(at: Anchor, got: Got) -> Time | None:
    """A Thursday in November: nobody said which, so that it is the whole of November."""
    one = got["spoken"] in (None, 1) and ("few" not in got or got.said("few").lower() == "some")
    base = time_of(at, got.tokens[-1])
    return base if one and base.grain in ("month", "season", "quarter", "half", "year", "decade") else None


def around_year(at: Anchor, got: Got) -> Time | None:
    """In about 2003, circa 1850, built around 1900; not `about 1500 of them`, and not half past ten."""
    year, before = got["four"], got.before()
    lead = _ABOUT.search(before)
    front = before[: lead.start()] if lead else before
    if (lead and lead[0].lower().startswith("c")) or _SINCE.search(front):
        return named.year(year)
    if re.match(r"\s+[^\W\d_]", got.after()) and not _SENTENCE_GOES_ON.match(got.after()):
        return None
    if not front.strip() or re.search(r"[.!?;,(]\s*$", front):
        clock = year < 1500 and year % 100 < 60 and not front.strip() and not got.after().strip(" .!?")
        return None if clock else named.year(year)
    if _FOUNDED.search(front):
        return named.year(year)
    likely = 1500 <= year < at.now.year + 100 and year % 50
    return named.year(year) if likely and not _MEASURED.search(front) else None


def all_year(at: Anchor, got: Got) -> Time | None:
    """All of 2019; not `all 1500`."""
    return named.year(got["four"]) if re.search(r"\b(?:of|whole|entire)\s+$", got.before(), re.I) else None


def around_four(at: Anchor, got: Got) -> Any:
    """Tomorrow around 1930: a time of day."""
    hour, minute = divmod(got["four"], 100)
    clock = Token("clock", twelve(hour, minute), got.tokens[-1].start, got.tokens[-1].end)
    return around(at, Got([clock], got.text))


def at_around(at: Anchor, got: Got) -> Time | None:
    """See you at around 1930."""
    if not re.search(r"\bat(?: \w+)?\s+$", got.before(), re.I):
        return None
    return twelve(*divmod(got["four"], 100))


def due_pair(at: Anchor, got: Got) -> Time | None:
    """Due 31/12, deadline: 5/6."""
    return pair_date(at, got) if "/" in got.said("pair") and _DUE.search(got.before()) else None


def year_part(at: Anchor, got: Got) -> Time | None:
    """The third quarter of 2018; the last quarter is one that has been, unless it is one of a year."""
    if "rel" in got and (got["rel"] != "last" or not ("span" in got or "four" in got)):
        return None
    span = got["span"]
    if span is not None and span.grain not in ("year", "decade", "half"):
        return None
    return part_of_year(at, got)


def half_or_quarter_of_the(at: Anchor, got: Got) -> Time | None:
    """The first quarter of the year."""
    part = part_of_year(at, Got(got.tokens[:-1], got.text))
    return None if part is None or got.all("unit")[-1] != "year" else meet(at.whole("year"), part)


def half_of_month(at: Anchor, got: Got) -> Time | None:
    """The first half of May: to the 15th."""
    base = named.month(got["month"]) if "month" in got else got["span"]
    number = -1 if got["rel"] == "last" else got.all("ordinal", "nth", "rel")[0]
    if base.grain != "month" or number not in (1, 2, -1):
        return None

    def rule(span: Span) -> Span:
        middle = step(span.start, 15, "day")
        return Span(span.start, middle, "fuzzy") if number == 1 else Span(middle, span.end, "fuzzy")

    return mapped(base, rule, "fuzzy")


def unix_date(at: Anchor, got: Got) -> Time:
    """Wed Oct 26 15:50:06 2016."""
    year = got.all("four", "year")[-1]
    day = meet(named.year(year if isinstance(year, int) else year.span.start.year), named.month_day(*got["md"]))
    return meet(day, got["clock"])


def weekday_alone(at: Anchor, got: Got) -> Time | None:
    """A weekday without a word that makes it a time: not a name, not an adjective."""
    before, after = got.before(), got.after()
    if _PAPER.search(before) and _NAME.match(after):
        return None
    if not _PREPOSITION.search(before):
        if _NAME.match(after) or re.match(r"\.\w", after):
            return None
        if re.search(r"\bthe\s+$", before, re.I) and _NOUN.match(after):
            return None
    return named.weekday(got["weekday"])


def month_alone(at: Anchor, got: Got) -> Time | None:
    """A month with a preposition, or whose name is nothing else."""
    before, after = got.before(), got.after()
    proof = re.search(r"\b(?:in|since|until|till|during|by|before|after|of|from|through|early|mid|late|the|for|to"
                      r"|between)[\s-]+$", before, re.I)  # fmt: skip
    sure = got["month"] in _SURE_MONTHS and len(got.said("month")) > 4 and not _NAME.match(after)
    if not (proof or sure) or after[:2] in ("'s", "’s"):
        return None
    return named.month(got["month"])


def whole_text(at: Anchor, got: Got) -> Time:
    """What nothing else stands with."""
    token = next(token for token in got.tokens if token.name not in ("stop", "the", "in", "on", "at"))
    return time_of(at, token)


def ordinal_after(at: Anchor, got: Got) -> Time | None:
    """On the 3rd, so; not on the 3rd floor, not on 7th Street."""
    number = got.all("ordinal", "number")[0]
    if re.match(r"(?:[ \t]+(?:and|or)[ \t]+\w+)?[ \t]+(?:floor|street|avenue|place|page|row|day\b)", got.after(), re.I):
        return None
    return named.day_of_month(number)


def the_unit(at: Anchor, got: Got) -> Time | None:
    """For the day, in the year."""
    unit = got["unit"]
    return at.whole(unit) if unit in ("day", "week", "month", "quarter", "year") else None


def nth_day(at: Anchor, got: Got) -> Time | None:
    """The third day of October: a day, where weeks and months are spans."""
    return nth(at, got) if got.all("unit")[0] == "day" else None


def of_month(at: Anchor, got: Got) -> Time | None:
    """The 20th of next month, the 31st day of the month; not the third quarter."""
    number = got.all("number", "ordinal")[0]
    units = got.all("unit")
    if "span" in got:
        outer, unit = got["span"], units[0] if units else "day"
    else:
        outer, unit = at.whole("month"), units[0] if len(units) > 1 else "day"
        if units[-1] != "month":
            return None
    if unit != "day" or outer.grain != "month" or not isinstance(number, int):
        return None
    return meet(outer, named.day_of_month(number))


def ago_today(at: Anchor, got: Got) -> Time | None:
    """A year ago today, three weeks ago yesterday."""
    amount, day = got["amount"], got["day"]
    if not isinstance(day, Fixed) or amount.unit in ("hour", "minute", "second"):
        return None
    sign = -1 if "ago" in got else 1
    for count, unit in amount.parts:
        day = moved(day, sign * count, unit)
    return day


def weeks_from(at: Anchor, got: Got) -> Time | None:
    """Three weeks tomorrow, a week today; not `2 hours Monday`."""
    return counted_from(at, got) if got["amount"].unit == "week" and not got["amount"].vague else None


def section_unit(at: Anchor, got: Got) -> Time | None:
    """Later in the week, early in the year."""
    if got["unit"] not in ("day", "week", "month", "quarter", "year", "decade"):
        return None
    tokens = [token for token in got.tokens if token.name != "unit"]
    base = Token("span", at.whole(got["unit"]), got.tokens[-1].start, got.tokens[-1].end)
    return section(at, Got([*tokens, base], got.text))


def daypart_in_span(at: Anchor, got: Got) -> tuple[Time, str] | None:
    """Wednesday evening next week."""
    day, part = got["daypart"]
    if day.fixed or got["span"].grain not in ("week", "month"):
        return None
    return meet(got["span"], day), part


def open_on_day(at: Anchor, got: Got) -> Time:
    """Before five on Monday."""
    day = [token for token in got.tokens if token.name in ("day", "weekday", "wday", "wholiday", "daypart")]
    clock = [token for token in got.tokens if token.name == "clock"]
    rest = [token for token in got.tokens if token not in day and token not in clock]
    return open_on(at, Got([*rest, *day, *clock], got.text))


def section_of_part(at: Anchor, got: Got) -> Time:
    """Late this morning, early tomorrow afternoon."""
    part = of_part(at, got["daypart"])
    return named.section(part, _HALVES[got["section"]])


def ordinal_around(at: Anchor, got: Got) -> Time:
    """Around the 21st."""
    day = named.day_of_month(got["ordinal"])
    return around(at, Got([Token("day", day, got.tokens[0].start, got.tokens[0].end)], got.text))


def open_ordinal(at: Anchor, got: Got) -> Time:
    """Since the 3rd, by the 15th."""
    return onward(at, got) if any(word in got for word in ("since", "starting", "after")) else until(at, got)


def weak_part(at: Anchor, got: Got) -> Time | None:
    """At night, in the late afternoon, around lunch."""
    key = got["part"] or got["meal"]
    part = named.part(key, at.conventions)
    if "section" in got:
        return named.section(part, _HALVES[got["section"]])
    return part


def whole_season(at: Anchor, got: Got) -> Time | None:
    """The summer; not the fall of a house, not the spring in the woods."""
    return None if got.said("season").lower() in ("fall", "spring") else named.season(got["season"])


def some_day(at: Anchor, got: Got) -> str | None:
    """One day you will see: no length."""
    said = got.text[got.tokens[0].start : got.tokens[-1].end].lower()
    return said if said in ("one day", "some day", "one night", "any day") else None


def for_all(at: Anchor, got: Got) -> Amount | None:
    """For all day: as long as a day."""
    return None if got["unit"] == "fortnight" else Amount(((1, got["unit"]),))


def earlier(at: Anchor, got: Got) -> int | None:
    """Two days earlier."""
    return 0 if got["section"] == "before_now" else None


def later(at: Anchor, got: Got) -> int | None:
    """Ten minutes later."""
    return 0 if got["section"] == "after_now" else None


def or_later(at: Anchor, got: Got) -> int | None:
    """In 2012 or later, from May and after."""
    return 0 if "after" in got or got["section"] == "after_now" else None


def or_earlier(at: Anchor, got: Got) -> int | None:
    """In 2012 or earlier."""
    return 0 if "before" in got or got["section"] == "before_now" else None


def onward_on(at: Anchor, got: Got) -> Time | None:
    """3 pm or later on Monday."""
    day = time_of(at, got.tokens[-1])
    return onward(at, Got([Token("moment", meet(day, got["clock"]), 0, 0)], got.text))


def units_ago(at: Anchor, got: Got) -> Time | None:
    """Years ago, centuries ago; nothing where what stands before counts them: 30+ years, forty-odd years."""
    span = FUZZY.get(f"{got['unit']}_ago")
    if span is None or not got.said("unit").endswith("s"):
        return None
    if _COUNTED.search(got.before()):
        raise ValueError("so many units ago, but nobody knows how many")
    first, last = (floor(at.now + timedelta(one), "day") for one in span)
    return Fixed(Span(first, last, "fuzzy"))


def rel_year(at: Anchor, got: Got) -> Time | None:
    """The last year of `last year in June`; weeks and days are counted in a month."""
    return rel_unit(at, got) if got["unit"] == "year" else None
