"""Lengths of time, what lies so far from now, ranges, and what comes again, for the Chinese grammar's rules.

It knows no dates and no clock times but as the times that other rules have made of them.
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Final

from fabula.when import chinese_words as words
from fabula.when.chinese_clock import is_clock, on
from fabula.when.chinese_dates import unit_of
from fabula.when.chinese_lexer import simplified
from fabula.when.chinese_ranges import rhythm
from fabula.when.grammar import BREAK, Amount, Anchor, Every, Got, Token
from fabula.when.named import away, lately
from fabula.when.patterns import Pattern
from fabula.when.series import (
    Either,
    Fixed,
    Periodic,
    Time,
    before,
    mapped,
    since,
)
from fabula.when.spans import MONTHS, Span, Unit, days, floor, step, whole

_SHORT: Final = frozenset({"hour", "minute", "second"})
_ROUND: Final = (10, 100, 1000, 10_000)


# --- lengths ----------------------------------------------------------------------------------------------------


def amount(at: Anchor, got: Got) -> Amount | None:
    """三天, 两年半, 三个多月, 半小时, 几十年, 一刻钟."""
    token = next(token for token in got.tokens if token.name in ("number", "four", "count", "some", "digits", "ban"))
    counts = _counts(token)
    if counts is None or _proverbial(got, token):
        return None
    low, high = counts
    name, size = _measure(got)
    if token.name != "ban" and "ban" in got:
        low, high = low + 0.5, high + 0.5
    if "duo" in got:
        high = low + next((one // 10 for one in _ROUND if low % one), 1000) if low == high else high
    if token.name == "ban" and "duo" in got:
        high = 1.0
    low, high = low * size, high * size
    if not 0 < low <= high < 10**7:
        return None
    return Amount(((low, name),), ((high, name),) if high != low else (), vague=high != low)


def many_days(at: Anchor, got: Got) -> Amount | None:
    """90日, which no month has: a length."""
    number = got.all("number", "four", "count")[0]
    if _proverbial(got, got.tokens[0]):
        return None
    return Amount(((number, "day"),)) if number > 31 or got.tokens[0].name == "count" else None


def _proverbial(got: Got, token: Token) -> bool:
    """Whether it is 百年, 千年, 百日, and nothing beside it says that they are counted."""
    if got.text[token.start : token.end] not in tuple("百千万亿萬億"):
        return False
    after = simplified(got.text[got.tokens[-1].end :][:1])
    return got.before()[-1:] not in tuple("了过過近逾达達") and after not in tuple("前后以之内间来")


def roughly(at: Anchor, got: Got) -> Amount:
    """三天左右."""
    said: Amount = got["amount"]
    return Amount(said.parts, said.longest, vague=True)


def _counts(token: Token) -> tuple[float, float] | None:
    if token.name == "some":
        return token.value
    if token.name == "digits":
        if token.value[0] == "0":  # 一年零三个月
            return int(token.value), int(token.value)
        low, high = int(token.value[0]), int(token.value[-1])
        return (low, high) if len(token.value) == 2 and 0 < low < high else None
    return token.value, token.value


def _measure(got: Got) -> tuple[Unit, float]:
    if "ke" in got:
        return "minute", 15
    if "fen" in got:
        return "minute", 1
    if "workday" in got:
        return "day", 1
    return unit_of(got), 1


def joined(at: Anchor, got: Got) -> Amount | None:
    """8天又20小时, 一年多三个月, 3小时20分: units that get finer."""
    parts: list[tuple[float, Unit]] = []
    for token in got.tokens:
        if token.name == "amount":
            parts.extend(token.value.parts)
    if "fen" in got:
        parts.append((got.all("number", "count", "digits")[-1], "minute"))
        parts[-1] = (float(parts[-1][0]), "minute")
    order = [_length(name) for _, name in parts]
    if order != sorted(set(order), reverse=True):
        return None
    return Amount(tuple(parts))


def _length(name: Unit) -> float:
    return Amount(((1, name),)).seconds[0]


def between(at: Anchor, got: Got) -> Amount | None:
    """3到5天, 13天—8周, 30~90日."""
    amounts: list[Amount] = got.all("amount")
    last = amounts[-1]
    low = amounts[0]
    if len(amounts) == 1:
        count: float = got.all("number", "count", "four")[0]
        low = Amount(((count, last.unit),))
    if low.seconds[0] >= last.seconds[1] or len(last.parts) > 1:
        return None
    return Amount(low.parts, last.parts, vague=True)


def paired(at: Anchor, got: Got) -> Amount | None:
    """3-5天; but 2.5小时 is one number."""
    low, high = got["pair"]
    name, size = _measure(got)
    token = got.tokens[0]
    written = got.text[token.start : token.end]
    if "." in written:
        return Amount(((float(written.replace(" ", "")) * size, name),))
    return Amount(((low * size, name),), ((high * size, name),), vague=True) if 0 < low < high else None


def bounded(at: Anchor, got: Got) -> Amount | None:
    """六个月以下, 三十年以上, 3年以上7年以下."""
    amounts: list[Amount] = got.all("amount")
    name = amounts[-1].unit
    low = amounts[0] if "at_least" in got else Amount(((0.0, name),))
    high = amounts[-1] if "at_most" in got else Amount(((math.inf, name),))
    return Amount(low.parts, high.parts, vague=True)


def and_nights(at: Anchor, got: Got) -> Amount | None:
    """三天三夜, 三天两晚: the days alone."""
    days: Amount = got["amount"]
    return days if days.unit == "day" and got["short_part"] != "morning" else None


# --- so far from now --------------------------------------------------------------------------------------------


def _halves(said: Amount) -> Amount:
    """The amount with half years as months."""
    parts: list[tuple[float, Unit]] = []
    for count, name in said.parts:
        parts.append((count * MONTHS[name], "month") if name in ("year", "quarter") and count % 1 else (count, name))
    return Amount(tuple(parts), said.longest, said.vague)


def ago(at: Anchor, got: Got) -> Time:
    """三天前, 半年以前, 十几年前."""
    return _open(distant(at, got["amount"], -1), got)


def ahead(at: Anchor, got: Got) -> Time:
    """三天后, 半小时之后."""
    return _open(distant(at, got["amount"], 1), got)


def _open(time: Time, got: Got) -> Time:
    """三年以前 can be all the time before as well; 三年前 cannot."""
    if "before" in got:
        return Either((*time.options, before(time.options[0], through=not is_clock(time))))
    return Either((*time.options, since(time.options[0]))) if "after" in got else time


def passing(at: Anchor, got: Got) -> Time:
    """再过二十分钟, 过两天: loosely."""
    said: Amount = got["amount"]
    return distant(at, said if said.longest else Amount(said.parts, vague=said.unit in _SHORT), 1)


def distant(at: Anchor, said: Amount, sign: int) -> Time:
    """Return what lies an amount from now; of a loose one (几天, 二十多年) all from its least to its most."""
    said = _halves(said)
    if not said.longest:
        return away(at, said, sign)
    name = said.unit
    near, far = (at.moment(parts, sign) for parts in (said.parts, said.longest))
    first, last = min(near, far), max(near, far)
    if name in _SHORT:
        return Fixed(Span(first, last, "fuzzy"))
    grain: Unit = "day" if name == "week" else name
    wide = Fixed(Span(whole(first, grain).start, whole(last, grain).end, "fuzzy"))
    return Either((wide, Fixed(whole(near, grain))))


def same_day(at: Anchor, got: Got) -> Time | None:
    """五年前的今天."""
    if got["day_word"]:
        return None
    sign = -1 if "qian" in got or "before" in got else 1
    return away(at, _halves(got["amount"]), sign, exact=True)


def recently(at: Anchor, got: Got) -> Time:
    """近30天, 过去的一年, 上两周, 前两个月, 未来7天, 后三天."""
    sign = 1 if "coming" in got or "hou" in got or "after" in got or any(one > 0 for one in got.all("rel")) else -1
    said: Amount = got["amount"]
    longest = Amount(said.longest, vague=True) if said.longest else said
    rolling = lately(at, longest, sign)
    if sign > 0 or said.unit in _SHORT:
        return rolling
    return Either((*rolling.options, Fixed(Span(floor(at.moment(longest.parts, -1), "day"), at.now, "range"))))


def in_coming(at: Anchor, got: Got) -> Time:
    """17天内: from now on, or the time till now."""
    said: Amount = got["amount"]
    ending = whole(at.moment(said.parts, 1), "day").end
    coming, past = lately(at, said, 1), lately(at, said, -1)
    return Either((coming.options[0], past.options[0], Fixed(Span(at.now, ending, "range")), *coming.options[1:]))


def since_amount(at: Anchor, got: Got) -> Time:
    """三个多月以来: till now."""
    said = _halves(got["amount"])
    start = at.moment(said.parts, -1)
    units: dict[str, Unit] = {"hour": "minute", "minute": "second", "second": "second"}
    grain: Unit = units.get(said.unit, said.unit)
    return Either((Fixed(Span(start, at.now, "range")), Fixed(Span(floor(start, grain), at.now, "range"))))


def vague(at: Anchor, got: Got) -> Time:
    """最近, 前阵子, 过几天: as wide as the table says; whole days where it is not about the present one."""
    word = next(token for token in got.tokens if token.name in ("vague", "near"))
    low, high = word.value or words.VAGUE["最近"]
    start, end = at.now + timedelta(low), at.now + timedelta(high)
    if abs(low) >= 1:
        start = floor(start, "day")
    if high:
        end = step(floor(end, "day"), 1, "day")
    return Fixed(Span(start, end, "fuzzy"))


def just_near(at: Anchor, got: Got) -> Time | None:
    """最近 by itself."""
    token = got.tokens[0]
    return vague(at, got) if got.text[token.start : token.end] == "最近" else None


def now(at: Anchor, got: Got) -> Time:
    """现在."""
    return Fixed(Span(at.now, at.now, "instant"))


def off(at: Anchor, got: Got) -> Time | None:
    """清明前一天, 春节前一周, 国庆后第二天, 春节后一个月."""
    base = got.tokens[0].value
    sign = -1 if "qian" in got or "before" in got else 1
    if "amount" in got:
        said: Amount = got["amount"]
        count, name = said.parts[0]
        if len(said.parts) > 1 or base.grain not in ("day", "range", "part"):
            return None
    else:
        # 第二天 after a festival is the second; 次日 the next one.
        second = got.said("then_day").startswith("第")
        count, name = [*got.all("number", "count"), 1 + second][0], "day"
    if name == "day":

        def exactly(span: Span) -> Span:
            edge = span.start if sign < 0 else step(span.end, -1, "day")
            return days(step(floor(edge, "day"), sign * count, "day"), 1, "day")

        return mapped(base, exactly, "day")

    def stretch(span: Span) -> Span:
        if sign < 0:
            return Span(step(span.start, -count, name), span.start, "range")
        return Span(span.end, step(span.end, count, name), "range")

    return mapped(base, stretch, "range")


def vague_before(at: Anchor, got: Got) -> Time | None:
    """春节前两天, 国庆前几天: before a day, not before now."""
    said = got.said("vague")
    if said[:1] != "前" or said[1:2] not in tuple("两兩几幾") or said[-1:] not in ("天", "日"):
        return None
    if "几" in said or "幾" in said:
        return mapped(
            got["day"], lambda span: Span(step(span.start, -words.SOME[1], "day"), span.start, "fuzzy"), "fuzzy"
        )
    return mapped(got["day"], lambda span: days(step(span.start, -2, "day"), 1, "day"), "day")


# --- what comes again -------------------------------------------------------------------------------------------

_ISO: Final[dict[str, str]] = {
    "second": "T{}S", "minute": "T{}M", "hour": "T{}H", "day": "{}D", "week": "{}W", "month": "{}M", "quarter": "{}M",
    "half": "{}M", "year": "{}Y",
}  # fmt: skip


_TIMES: Final = Pattern("[^，。,又再了就才]{0,8}?(?:[一1](?:[次回趟遍顿片粒颗]|更|换|休)|轮[班流])|一[次换休]")
"""What is done once in a while."""


def _period(count: float, name: Unit) -> str:
    if name in ("quarter", "half"):
        count *= MONTHS[name]
    if name == "year" and count % 1:
        count, name = count * 12, "month"
    return "P" + _ISO[name].format(int(count) if count == int(count) else count)


def every(at: Anchor, got: Got) -> Every | None:
    """每天, 每个月, 每两周, 每半年, 每隔200秒."""
    said: Amount | None = got["amount"]
    if said is None:
        return Every(_period(1 + ("skip" in got), unit_of(got)))
    (count, name), *finer = said.parts
    if finer or said.longest:
        return None
    # 每隔一天 leaves one day out; of longer ones nobody counts what is left out.
    return Every(_period(count + ("skip" in got and count == 1 and name in ("day", "week", "month", "year")), name))


def every_other(at: Anchor, got: Got) -> Every | None:
    """隔天浇一次水, 隔日一换: every second day, where 隔天 is not the day after another."""
    again = got.said("then_day").startswith("隔") and _TIMES.match(simplified(got.after()))
    return Every("P2D") if again else None


def every_workday(at: Anchor, got: Got) -> Every:
    """每个工作日."""
    return Every("P1D", Periodic("day", "day", lambda day: days(day, 1, "day") if day.weekday() < 5 else None))


def every_time(at: Anchor, got: Got) -> Every | None:
    """每周三, 每年9月, 每月4号, 每天晚上8点: the period, and when in it."""
    time = got.tokens[-1].value
    if not isinstance(time, Time):
        return None
    if "every" in got:
        said: Every = got["every"]
        inside = time if said.time is None else on(said.time, time)
        return Every(said.period, inside)
    name = rhythm(time)
    return None if name is None else Every(_period(1, name), time)


def nothing(at: Anchor, got: Got) -> str:
    """What no calendar and no clock has: 公元前221年, 2月30日下午."""
    return BREAK
