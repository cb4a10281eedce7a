"""Days, months, seasons and years that count from another time, for the Chinese grammar's rules.

That other time is the one that was told last (当天, 次年), one that is named (上周的今天), or now (上个夏天).
It knows no clock times.
"""

from __future__ import annotations

from typing import Final

from fabula.when.chinese_lexer import simplified
from fabula.when.grammar import Amount, Anchor, Got
from fabula.when.named import decade, month, section
from fabula.when.series import Either, Fixed, Through, Time, mapped, meet, moved
from fabula.when.spans import Span, days, floor, step, whole

_LASTS: Final = ("前", "后", "以", "之", "内", "间", "来", "了", "没")
"""What follows a length of years, and not the years of a decade."""


def that_or_this_day(at: Anchor, offset: int = 0) -> Time:
    """Return the day of the time that was told last; of now, where none was."""
    return Either((at.then("day", offset), at.day(offset)))


def day(at: Anchor, got: Got) -> Time:
    """当天, 次日: of what was told."""
    return at.then("day", got["then_day"])


def day_with_more(at: Anchor, got: Got) -> Time:
    """当日午夜, 次日上午: of what was told, or of today."""
    return that_or_this_day(at, got["then_day"])


def day_of_it(at: Anchor, got: Got) -> Time:
    """国庆当天, 中秋次日, 10月3日当天."""
    return moved(got["day"], got["then_day"], "day") if got["then_day"] else got["day"]


def day_before(at: Anchor, got: Got) -> Time | None:
    """前一天: the day before what was told, or before today."""
    said: Amount = got["amount"]
    return that_or_this_day(at, -1) if said.parts == ((1, "day"),) and not said.longest else None


def year(at: Anchor, got: Got) -> Time:
    """当年, 次年: of what was told."""
    return at.then("year", got["then_year"])


def part_of_year(at: Anchor, got: Got) -> Time:
    """次年年末, 当年年初: of the year of what was told, or of now."""
    which = "early" if "chu" in got else got["section"]
    return section(that_or_this_year(at, got["then_year"]), which)


def that_or_this_year(at: Anchor, offset: int) -> Time:
    """Return the year of the time that was told last, or one counted from it; from now, where none was."""
    return Either((at.then("year", offset), at.whole("year", offset)))


def in_year(at: Anchor, got: Got) -> Time | None:
    """当年五月, 次年3月8日: in the year of what was told, or of now."""
    inner: Time = got.tokens[-1].value
    return None if inner.fixed else meet(that_or_this_year(at, got["then_year"]), inner)


def same_day(at: Anchor, got: Got) -> Time | None:
    """上个月的今天, 下周的今天."""
    token = got.tokens[0]
    if got["day_word"] or not isinstance(token.value, Fixed) or token.value.grain not in ("week", "month"):
        return None
    span = token.value.span
    if span.grain == "week":
        return Fixed(days(step(span.start, at.now.weekday(), "day"), 1, "day"))
    months = (span.start.year - at.now.year) * 12 + span.start.month - at.now.month
    return Fixed(whole(step(at.now, months, "month"), "day"))


def season(at: Anchor, got: Got) -> Time | None:
    """上个夏天, 这个冬天, 下个暑假: the last that is over, the one that is going on or this year's, the next."""
    offset: int = got["rel"]

    def chosen(base: Time) -> Time:
        around = list(base.within(Span(step(at.now, -4, "year"), step(at.now, 4, "year"), "range")))
        if offset:
            over = [span for span in around if (span.end <= at.now if offset < 0 else span.start > at.now)]
            return Fixed(over[offset if offset < 0 else offset - 1])
        going = [span for span in around if span.end > at.now]
        return Fixed(next((span for span in going if span.start.year == at.now.year), going[0]))

    base: Time = got["season_time"]
    return None if base.fixed else Either(tuple(chosen(option) for option in base.options))


def neighbours(at: Anchor, got: Got) -> Time | None:
    """七八月: from one month to the next; 五六个月 is a length."""
    figures: str = got["digits"]
    low, high = int(figures[0]), int(figures[-1])
    if len(figures) != 2 or not 1 <= low == high - 1:
        return None
    return Through(month(low), month(high), closed=True)


def this_time(at: Anchor, got: Got) -> Time | None:
    """去年这个时候: half a month around today's date in that year; of a month days, of a day the hour."""
    base: Time = got.tokens[0].value
    if not isinstance(base, Fixed) or base.grain not in ("year", "month", "week", "day"):
        return None
    if base.grain == "day":
        hour = at.now.replace(minute=0, second=0, microsecond=0) + (base.span.start - whole(at.now, "day").start)
        return Fixed(Span(hour, step(hour, 1, "hour"), "fuzzy"))
    if base.grain == "week":
        return same_day(at, got)
    months = (base.span.start.year - at.now.year) * 12
    months += base.span.start.month - at.now.month if base.grain == "month" else 0
    day = whole(step(at.now, months, "month"), "day").start
    slack = 15 if base.grain == "year" else 3
    return Fixed(Span(step(day, -slack, "day"), step(day, slack + 1, "day"), "fuzzy"))


def decades(at: Anchor, got: Got) -> Time | None:
    """八九十年代: from one decade to the next."""
    low, high = got["some"]
    first = at.now.year // 100 * 100 + low
    if low % 10 or high != low + 10 or low < 10:
        return None
    first -= 100 if first > at.now.year else 0
    return Fixed(Span(decade(first).span.start, decade(first + 10).span.end, "range"))


def some_years(at: Anchor, got: Got) -> Time | None:
    """九几年, 90几年, 一九九几年: that decade; of one figure the last such decade that has begun."""
    tens: int = got["some_years"]
    if simplified(got.after()).startswith(_LASTS):
        return None
    if tens >= 100:
        return decade(10 * tens)
    first = at.now.year // 100 * 100 + 10 * tens
    return decade(first if first <= at.now.year else first - 100)


def away_year(at: Anchor, got: Got) -> Time | None:
    """去年今天: the same day of another year."""
    base: Time = got["year"]
    if got["day_word"]:
        return None

    def rule(span: Span) -> Span:
        return days(floor(step(at.now, span.start.year - at.now.year, "year"), "day"), 1, "day")

    return mapped(base, rule, "day")


def eve(at: Anchor, got: Got) -> Time:
    """国庆前夕: the day before."""
    return mapped(got.tokens[0].value, lambda span: days(step(span.start, -1, "day"), 1, "day"), "day")
