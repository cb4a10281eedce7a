"""Clock times and parts of the day, for the Chinese grammar's rules; knows no dates.

A bare hour on the dial has two readings; a part of the day said with it (下午三点) leaves the one that lies in it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from fabula.when import chinese_name_words as names
from fabula.when import chinese_words as words
from fabula.when.chinese_lexer import simplified
from fabula.when.chinese_then import that_or_this_day
from fabula.when.figures import clock, twelve
from fabula.when.grammar import Anchor, Got
from fabula.when.named import hours
from fabula.when.series import Either, Mapped, Periodic, Through, Time, each, meet
from fabula.when.spans import Span, day_of, floor, step

_EARLY: Final = frozenset({"small_hours", "dawn", "morning", "breakfast", "deep_night"})
_NIGHT: Final = frozenset({"night", "late_night", "night_time"})
_DEEP: Final = {"deep_night": (24, 30), "early_night": (18, 24)}
"""Halves of the night, which no convention names."""
_ANY: Final = day_of(2000, 1, 1).start
"""A day to ask for the hours of what is every day."""
_FINEST: Final = ("instant", "second", "minute", "hour")


def part(key: str, at: Anchor) -> Time:
    """Return a part of every day."""
    return hours(*_DEEP.get(key) or at.conventions.part(key))


def is_clock(time: Time) -> bool:
    """Whether it is a time of day rather than a part or more."""
    return time.grain in _FINEST


def on(day: Time, time: Time) -> Time:
    """Return a clock time, part or stretch of every day as it is on `day`, counted from its midnight on.

    Other than `meet`, which asks what begins within the day, this has 24 o'clock and the small hours of a night.
    """

    def placed(day: Time, time: Time) -> Time:
        if isinstance(time, Periodic) and time.unit == "day":
            return Mapped(day, lambda span: _of(time, span.start), time.grain)
        return meet(day, time)

    return each(placed, day, time)


def _of(time: Periodic, moment: datetime) -> Span:
    span = time.rule(floor(moment, "day"))
    if span is None:
        raise ValueError("no such time on that day")
    return span


def within(key: str, time: Time) -> Time:
    """Return the clock time that is meant in a part of the day: three in the afternoon is 15:00."""
    dial = [option for option in time.options if isinstance(option, Periodic) and option.unit == "day"]
    if not dial:
        return time
    return _shifted(min(dial, key=lambda option: _of(option, _ANY).start), key)


def _shifted(time: Periodic, key: str) -> Time:
    start = _of(time, _ANY).start
    if (start.hour > 12 and start.day == 1) or start.day > 1:
        return time
    by = _hour(start.hour % 12, key) - start.hour

    def rule(day: datetime) -> Span:
        span = _of(time, day)
        return Span(step(span.start, by, "hour"), step(span.end, by, "hour"), span.grain)

    return Periodic("day", time.grain, rule)


def _hour(dial: int, key: str) -> int:
    """The hour of the day that an hour on the dial is in a part of the day; beyond 24 in the night after it."""
    if key in _EARLY:
        return 12 if key == "morning" and not dial else dial
    if key in ("noon", "lunch", "midday"):
        return dial if dial >= 10 else dial + 12
    if key == "daytime":
        return dial if 6 <= dial < 12 else dial + 12
    if key in _NIGHT:
        return 24 + dial if dial < 5 else dial + 12
    if key in ("evening", "midnight", "early_night"):
        return 24 + dial if dial < 4 else dial + 12
    return dial + 12


def today(at: Anchor, time: Time) -> Time:
    """Return a time of every day as it is today, and any other as it is."""
    daily = all(isinstance(option, Periodic) and option.unit == "day" for option in time.options)
    return on(at.day(0), time) if daily and is_clock(time) else time


# --- what the rules build ---------------------------------------------------------------------------------------


def hour(at: Anchor, got: Got) -> int | None:
    """The hour of 三点 or 20时; None where the number can be none."""
    number = got.all("number", "count")[0]
    return number if isinstance(number, int) and 0 <= number <= 24 else None


def no_hour(at: Anchor, got: Got) -> Any:
    """25点, 24点30, 3点70分: what no clock shows; None where one does."""
    hour, minute = [*got.all("hour", "number", "count", "digits"), 0][:2]
    return (hour, minute) if float(hour) > 24 or int(minute) > (0 if hour == 24 else 59) else None


def o_clock(at: Anchor, got: Got) -> Time:
    """三点, 八点整, 零点: an hour."""
    sharp = 0 if "sharp" in got else None
    return clock(got["hour"], sharp) if got["hour"] == 0 else twelve(got["hour"], sharp)


def about(at: Anchor, got: Got) -> Time | None:
    """三点多, 三点左右: the hour; 五点来 is when somebody comes."""
    return None if got.said("duo") in ("来", "來") else o_clock(at, got)


def minutes(at: Anchor, got: Got) -> Time | None:
    """三点半, 三点一刻, 9点20, 三点零五分十秒, 三點搭三, 三點三個字."""
    numbers = [int(number) for number in got.all("number", "count", "digits") if float(number).is_integer()]
    if "ban" in got:
        minute, second = 30, None
    elif "ke" in got:
        minute, second = 15 * numbers[0], None
    elif "zi" in got or "ta" in got:
        minute, second = 5 * numbers[0], None
    else:
        minute, second = numbers[0], numbers[1] if len(numbers) > 1 else None
    if minute > 59 or (second or 0) > 59:
        return None
    return twelve(got["hour"], minute, second)


def bare_minutes(at: Anchor, got: Got) -> Time | None:
    """9点20, with nothing after it that the number could count."""
    after = simplified(got.text[got.tokens[-1].end :][:1])
    token = got.tokens[-1]
    if (after and after in words.COUNTED) or (token.end - token.start < 2 and token.name != "digits"):
        return None
    return minutes(at, got)


def minus(at: Anchor, got: Got) -> Time | None:
    """差五分三点, 三点差一刻."""
    missing = int(got.all("number", "count")[0]) * (15 if "ke" in got else 1)
    if not 0 < missing < 60:
        return None
    return twelve((got["hour"] - 1) % 12 or 12, 60 - missing)


def two_hours(at: Anchor, got: Got) -> Time | None:
    """七八点: from seven to the end of eight."""
    low, high = _pair(got)
    if not 0 <= low < high <= 24 or got["some"] == words.SOME:
        return None
    return _between(twelve(low), twelve(high), closed=True)


def _pair(got: Got) -> tuple[int, int]:
    return got["some"] or (int(got["digits"][0]), int(got["digits"][1]))


def two_hours_in_part(at: Anchor, got: Got) -> Time | None:
    """下午七八点, 昨晚十一二点."""
    low, high = _pair(got)
    if not 0 <= low < high <= 24 or got["some"] == words.SOME:
        return None
    key = _key(got)
    return _day_of(at, got, Through(within(key, twelve(low)), within(key, twelve(high)), closed=True))


def _key(got: Got) -> str:
    if "night_word" in got:
        return got["night_word"][1]
    return got.all("of_day", "short_part", "that_part")[0]


def _day_of(at: Anchor, got: Got, time: Time) -> Time:
    """A time as it is on the day that a word for the part has in it: 今晚."""
    if "night_word" not in got and "that_part" not in got:
        return time
    return on(at.day(got["night_word"][0]) if "night_word" in got else that_or_this_day(at), time)


def in_part(at: Anchor, got: Got) -> Time | None:
    """下午三点, 今晚八点, 晚8点; 睡得很早，九点 is no part of the day."""
    if "short_part" in got and "comma" in got:
        return None
    time = got["clock"]
    if time is None:
        time = twelve(got["hour"]) if got["hour"] else clock(0)
    return _day_of(at, got, within(_key(got), time))


def stretch(at: Anchor, got: Got) -> Time | None:
    """下午两点到四点, 9-12点半, 早上八点到中午十二点: from one time of day to another, each in its part of it."""
    first, last, keys = _ends(got)
    if first is None or last is None:
        return None
    if keys:
        start = within(keys[0], first)
        end = within(keys[-1], last)
        if len(keys) == 1 and _first(end) <= _first(start):
            end = last
    else:
        start, end = first, last
    closed = at.conventions.through == "all" and end.grain == "minute"
    return _day_of(at, got, _between(start, end, closed=closed))


def _between(start: Time, end: Time, *, closed: bool) -> Time:
    """From each reading of `start` on the dial to the one of `end` that comes soonest after it."""

    def later(first: Time) -> Time:
        return min(end.options, key=lambda last: (_first(last) - _first(first)).total_seconds() % 86_400 or 86_400)

    joined = tuple(Through(first, later(first), closed) for first in start.options)
    return joined[0] if len(joined) == 1 else Either(joined)


def _first(time: Time) -> datetime:
    option = time.options[0]
    return _of(option, _ANY).start if isinstance(option, Periodic) else _ANY


def _ends(got: Got) -> tuple[Time | None, Time | None, list[str]]:
    if "pair" in got:
        low, high = got["pair"]
        if not 0 <= low <= 24 or not 0 <= high <= 24:
            return None, None, []
        ends: list[Time] = [twelve(low), twelve(high)]
    else:
        ends = [
            token.value if token.name == "clock" else twelve(token.value)
            for token in got.tokens
            if token.name in ("clock", "hour") or (token.name in ("number", "count") and _is_hour(token.value))
        ]
    night = [got["night_word"][1]] if "night_word" in got else []
    keys = night + got.all("of_day", "short_part", "that_part")
    return (ends[0], ends[1], keys) if len(ends) == 2 else (None, None, keys)


def _is_hour(number: object) -> bool:
    return isinstance(number, int) and 0 <= number <= 24


def alone(at: Anchor, got: Got) -> Time | None:
    """三点 by itself: an hour, unless what stands beside it shows that three points are meant."""
    before = simplified(got.before()[-1:])
    after = simplified(got.text[got.tokens[-1].end :][:2])
    verb = simplified(got.before()[-4:])
    if (before in words.NO_HOUR_BEFORE and before) or verb.endswith(names.COUNTING):
        return None
    # Points that somebody makes; 说三点开会 goes on with what is done then.
    if verb.endswith(names.TELLING) and (not after or after[0] in names.CLAUSE_END):
        return None
    if after.startswith((*words.NO_HOUR_AFTER, *words.DIGITS)):
        return None
    # 一点 is also a little, and 一时 for a moment.
    moment = bool(after) and got.said("hour").endswith("时")
    if got["hour"] == 1 and (moment or before not in words.BEFORE_ONE):
        return None
    return o_clock(at, got)
