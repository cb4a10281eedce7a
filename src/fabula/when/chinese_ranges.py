"""From one time to another, until one and since one, for the Chinese grammar's rules; knows no lengths of time."""

from __future__ import annotations

from datetime import datetime

from fabula.when import chinese_words as words
from fabula.when.chinese_clock import is_clock, today
from fabula.when.chinese_lexer import simplified
from fabula.when.grammar import Anchor, Got
from fabula.when.named import day_of_month, month, month_day, year
from fabula.when.series import (
    LONGEST,
    Either,
    Fixed,
    Mapped,
    Meet,
    Nth,
    Periodic,
    Through,
    Time,
    before,
    each,
    mapped,
    resolve,
    since,
)
from fabula.when.spans import LAST, Span, Unit, whole

# --- ranges -----------------------------------------------------------------------------------------------------


def through(at: Anchor, got: Got) -> Time:
    """从周一到周五, 三月和九月之间, 2017年五月至2018年四月."""
    first, last = _times(got)
    joined = span_of(at, first, last)
    if isinstance(last, Fixed) and last.span.start <= at.now < last.span.end:
        # 到今天 is up to now as well.
        return Either((*joined.options, *span_of(at, first, Fixed(Span(at.now, at.now, "instant"))).options))
    return joined


def span_of(at: Anchor, first: Time, last: Time) -> Time:
    """Return the time from one to another: whether with all of that depends on what it is and on the conventions."""
    custom = at.conventions.through
    closed = custom == "all" and last.grain == "minute" if is_clock(last) else custom != "none"

    def joined(first: Time, last: Time) -> Time:
        return Through(first, last, closed)

    return each(joined, first, last)


def _times(got: Got) -> tuple[Time, Time]:
    times = [token.value for token in got.tokens if isinstance(token.value, Time)]
    return times[0], times[-1]


def years(at: Anchor, got: Got) -> Time | None:
    """2020至2025年, 1995-1997年."""
    first = got.all("four", "digits", "number")[0]
    number = int(first)
    last: Time = got["year"]
    if number < 100:
        number += next(iter(last.within(whole(at.now, "year")))).start.year // 100 * 100
    return span_of(at, year(number), last) if 1000 <= number <= 2199 else None


def months(at: Anchor, got: Got) -> Time | None:
    """1-五月, 2到4月."""
    number = got.all("number")[0]
    return span_of(at, month(number), got["month"]) if isinstance(number, int) and 1 <= number <= 12 else None


def two_months(at: Anchor, got: Got) -> Time | None:
    """1-9月份; 3、4月 is no pair of figures."""
    low, high = got["pair"]
    return span_of(at, month(low), month(high)) if 1 <= low <= 12 and 1 <= high <= 12 else None


def day_range(at: Anchor, got: Got) -> Time | None:
    """3到8号."""
    number, last = got["number"], got["day"].options[0]
    if not isinstance(number, int) or not 1 <= number <= 31 or not isinstance(last, Periodic) or last.unit != "month":
        return None
    return span_of(at, day_of_month(number), last)


def to_date(at: Anchor, got: Got) -> Time:
    """2025.10.1-10.8: to another day of the year."""
    return span_of(at, got["day"], month_day(*got["pair"]))


def dates_in_figures(at: Anchor, got: Got) -> Time | None:
    """10.1-10.8, where nothing else stands, or what is done then: also 1.5-2.5 looks so."""
    after = simplified(got.after())
    first, last = got.all("pair")
    if (after or got.before().strip()) and not after.lstrip().startswith(words.ON_DAYS):
        return None
    return span_of(at, month_day(*first), month_day(*last))


# --- before and after -------------------------------------------------------------------------------------------


def _base(got: Got) -> Time:
    return next(token.value for token in got.tokens if isinstance(token.value, Time))


def until(at: Anchor, got: Got) -> Time:
    """明年6月之前, 截止到2018年, 10月1日止: up to it; where it lies ahead, also from now on."""
    base = _base(got)
    if not base.fixed and rhythm(base) in ("day", "week"):
        # A deadline lies ahead: 周五前.
        coming = [Fixed(span) for span in resolve(base, at.now, ahead=True)[:1]]
        base = Either((*coming, *base.options))
    # Of what is longer than a day no convention leaves the end out.
    longer = LONGEST[base.grain] > LONGEST["day"] and "up_to" in got
    with_it = not ("before" in got or "qian" in got or is_clock(base)) and (longer or at.conventions.through != "none")
    # What is due before the end of something is due at its very end: 月底前.
    ends = any(got.text[token.start : token.end].endswith(tuple("底末尾")) for token in got.tokens)
    open_ = before(base, through=with_it or (ends and base.grain == "fuzzy"))
    from_now = mapped(base, lambda span: _from(at.now, span.start), "range")
    to_end = mapped(base, lambda span: _from(at.now, span.end), "range")
    return Either((*open_.options, *(option for option in (*from_now.options[:1], *to_end.options[:1])))[:6])


def _from(now: datetime, end: datetime) -> Span | None:
    return Span(now, end, "range") if now < end else None


def after(at: Anchor, got: Got) -> Time:
    """2010-01-01之后: from its end on; a clock time is no stretch, so from it on."""
    base = today(at, _base(got))
    return Either((*since(base, after=not is_clock(base)).options, *since(base).options)[:6])


def beginning(at: Anchor, got: Got) -> Time | None:
    """从去年9月起, 2018年以来: open, or up to now where it has begun; but 三点开始 is when something begins."""
    base = _base(got)
    if is_clock(base) and base.grain != "instant" and "from" not in got and simplified(got.said("since")) == "开始":
        return None
    to_now = mapped(base, lambda span: Span(span.start, at.now if span.start < at.now else LAST, "range"), "range")
    return Either((*since(base).options, *to_now.options)[:6])


def rhythm(time: Time) -> Unit | None:
    """How often a time comes; None for what comes once."""
    option = time.options[0]
    if isinstance(option, Periodic):
        return option.unit
    if isinstance(option, Meet | Nth):
        return rhythm(option.outer)
    if isinstance(option, Mapped):
        return rhythm(option.base)
    return rhythm(option.first) if isinstance(option, Through) else None
