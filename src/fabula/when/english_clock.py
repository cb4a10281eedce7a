"""English times of day and stretches of hours: half past three, from nine to noon, 8:00 PST; knows no dates.

A clock without a half of the day has both, the likelier first. A stretch of hours (`hours`) is a list of pairs.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, Final, NamedTuple

from fabula.when import english_words as words
from fabula.when import named
from fabula.when.figures import clock, half, twelve
from fabula.when.grammar import Anchor, Got, Rule
from fabula.when.patterns import Pattern
from fabula.when.series import Either, Mapped, Meet, Through, Time, mapped, meet, moved
from fabula.when.spans import Span, day_of, step

_HALF_OF_DAY: Final[dict[str, tuple[float, float]]] = {
    "morning": (0, 12), "breakfast": (0, 12), "dawn": (0, 12), "small_hours": (0, 12), "noon": (11, 15),
    "lunch": (10, 16), "afternoon": (12, 24), "after_lunch": (12, 24), "after_school": (12, 24), "dusk": (12, 24),
    "dinner": (12, 24), "evening": (13, 25), "night": (17, 30), "late_night": (17, 30), "late_tonight": (17, 30),
    "night_time": (17, 30), "daytime": (6, 19),
}  # fmt: skip
"""The hours that a clock time said with a part of the day can have; beyond 24 they are the next day's."""
_MEASURES: Final = Pattern(rf"\b(?:{words.MEASURES})\b", re.I)
_CHANGES: Final = Pattern(rf"\b(?:{words.CHANGES})\s+$", re.I)
_HOURLY: Final = Pattern(rf"\b(?:{words.HOURLY})\b", re.I)
_GONE: Final = Pattern(r"\s*,?\s*(?:last|yester)", re.I)
_AT: Final = Pattern(r"\b(?:at|by|around|about|until|till|before|after|from|since|to|past)\s+$|[,;]\s*$", re.I)
_CLAUSE_END: Final = Pattern(r"[.;!?]\s")
_ANY_DAY: Final = day_of(2001, 2, 3)


class Hours(NamedTuple):
    """Stretches of the day, likeliest first: where each begins and ends."""

    pairs: tuple[tuple[Time, Time], ...]
    minutes_east: int | None = None
    """The zone they were said in, where it was named."""


# --- one time of day ----------------------------------------------------------------------------------------------


def hour_of(time: Time) -> float:
    """Return the hour of a time of day; beyond 24 where it is the next day's."""
    span = next(time.within(_ANY_DAY), None)
    if span is None:
        raise ValueError("no such hour in a day")
    return (span.start - _ANY_DAY.start) / timedelta(hours=1)


def placed(time: Time, part: str) -> Time:
    """Return a clock time as it is meant with a part of the day: seven in the evening, one at night."""
    low, high = _HALF_OF_DAY.get(part, (0, 24))
    fitting: list[Time] = []
    for option in time.options:
        hour = hour_of(option)
        if low <= hour < high:
            fitting.append(option)
        elif low <= hour + 24 < high:
            fitting += [moved(option, 1, "day"), option]
    return time if not fitting else fitting[0] if len(fitting) == 1 else Either(tuple(fitting))


def clock_within(part: Time, time: Time) -> Time:
    """Return the option of a clock time that lies in a part of the day, of all days or some: Sunday evenings at 7."""
    if isinstance(part, Meet):
        return meet(part.outer, clock_within(part.inner, time))
    span = next(part.within(_ANY_DAY))
    low, high = ((side - _ANY_DAY.start) / timedelta(hours=1) for side in (span.start, span.end))
    inside = [one for one in time.options if low <= hour_of(one) < high or low <= hour_of(one) + 24 < high]
    return inside[0] if inside else time


def _split(number: int, text: str) -> tuple[int, int | None]:
    """The hour and minute of 815 and 0730, the hour of 8."""
    if number >= 100 or (len(text) == 4 and text.isdigit()):
        hour, minute = divmod(number, 100)
        if not 0 <= minute < 60:
            raise ValueError(f"no minute {minute} in an hour")
        return hour, minute
    return number, None


def spoken(got: Got) -> tuple[int, int | None]:
    """Return hour and minute of the numbers that were matched: 3 · 3 15 · three oh five · 0730."""
    numbers = [token for token in got.tokens if token.name in ("number", "spoken", "four")]
    first = numbers[0]
    if len(numbers) == 1:
        return _split(_whole(first.value), got.text[first.start : first.end])
    minute = numbers[1].value
    if not (isinstance(minute, int) and 0 <= minute < 60):
        raise ValueError(f"no minute {minute} in an hour")
    return _whole(first.value), minute


def _whole(number: float) -> int:
    if number != int(number):
        raise ValueError("no hour has a fraction")
    return int(number)


def _twelve(at: Anchor, got: Got) -> Time | None:
    hour, minute = spoken(got)
    if hour > 24 or (minute is not None and hour > 23):
        return None
    exact = any(len(token_text) == 4 and token_text.startswith("0") for token_text in [got.said("number")])
    return clock(hour, minute) if exact else twelve(hour, minute)


def _before_day(at: Anchor, got: Got) -> Time | None:
    """Seven tomorrow morning, at two last night; not `he scored two last night`."""
    counted = _GONE.match(got.after()) and got.before().strip() and not _AT.search(got.before())
    return None if counted else _twelve(at, got)


def _two_numbers(at: Anchor, got: Got) -> Time | None:
    """Six forty-three: a minute below ten has an `oh`."""
    hour, minute = spoken(got)
    if not 1 <= hour <= 24 or minute is None or (minute < 10 and "oh" not in got):
        return None
    return twelve(hour, minute)


def _halved(at: Anchor, got: Got) -> Time | None:
    """Seven thirty p.m., 330 pm."""
    hour, minute = spoken(got)
    if not 0 < hour <= 12:
        return None
    return half(hour, got["ampm"], minute)


def four_hours(at: Anchor, got: Got) -> Time | None:
    """At 2030 hours, around 1930 o'clock."""
    hour, minute = divmod(got["four"], 100)
    if got["unit"] not in (None, "hour") or hour > 24 or minute > 59:
        return None
    return clock(hour, minute) if hour > 12 else twelve(hour, minute)


def _clock_half(at: Anchor, got: Got) -> Time | None:
    """3:30 p m: the option in that half of the day."""
    low = 12 if got["ampm"] == "p" else 0
    options = [one for one in got["clock"].options if low <= hour_of(one) < low + 12]
    return options[0] if options else got["clock"]


def _relative(at: Anchor, got: Got) -> Time | None:
    """Ten past nine, a quarter to noon, 20 minutes to 2pm, half past three."""
    front: Any = got.tokens
    cut = next(i for i, token in enumerate(front) if token.name in ("past", "to", "til", "before", "after"))
    first, sign = Got(front[:cut], got.text), 1 if front[cut].name in ("past", "after") else -1
    minutes = 30 if "half" in first else 15 if "quarter" in first else spoken(first)[0]
    if not 1 <= minutes <= 40 or first["unit"] not in (None, "minute"):
        return None
    if minutes % 5 and "unit" not in first:
        return None
    return _shifted(_target(Got(front[cut + 1 :], got.text)), sign * minutes)


def _amount_relative(at: Anchor, got: Got) -> Time | None:
    """20 minutes past 3."""
    (count, unit), *more = got["amount"].parts
    if unit != "minute" or more or count >= 60:
        return None
    sign = 1 if "past" in got or "after" in got else -1
    return _shifted(_target(Got(got.tokens[2:], got.text)), sign * count)


def _target(got: Got) -> Time:
    if "clock" in got:
        return got["clock"]
    if "noon" in got or "midnight" in got:
        return clock(12 if "noon" in got else 24)
    hour, minute = spoken(got)
    if minute is not None or not 1 <= hour <= 24:
        raise ValueError(f"no hour {hour} to count minutes from")
    return twelve(hour)


def _shifted(time: Time, minutes: float) -> Time:
    def rule(span: Span) -> Span:
        start = step(span.start, minutes, "minute")
        return Span(start, step(start, 1, "minute"), "minute")

    return mapped(time, rule, "minute")


def _british(at: Anchor, got: Got) -> Time | None:
    """Half seven is half past seven."""
    hour, minute = spoken(got)
    return twelve(hour, 30) if minute is None and 1 <= hour <= 12 else None


def _noon(at: Anchor, got: Got) -> Time:
    return clock(12)


def _midnight(at: Anchor, got: Got) -> Time:
    return Either((clock(24), clock(0)))


def in_part(at: Anchor, got: Got) -> Time:
    return placed(got["clock"], got["part"])


def _zoned(at: Anchor, got: Got) -> Any:
    """A clock in a named zone, as the clocks of the reader show it."""
    zone = got.said("zone")
    if len(zone) < 3 and not zone.isupper():
        return None
    if "hours" in got:
        return got["hours"]._replace(minutes_east=got["zone"])
    return _elsewhere(got["clock"], at, got["zone"])


def _elsewhere(time: Time, at: Anchor, minutes_east: int) -> Time:
    def here(moment: datetime) -> datetime:
        world = (moment - timedelta(minutes=minutes_east)).replace(tzinfo=UTC)
        return world.astimezone(at.zone).replace(tzinfo=None)

    options = tuple(Mapped(one, lambda span: Span(here(span.start), here(span.end), span.grain), one.grain)
                    for one in time.options)  # fmt: skip
    return options[0] if len(options) == 1 else Either(options)


# --- stretches of hours -------------------------------------------------------------------------------------------


def pairs(first: Time, last: Time) -> Hours:
    """Return the stretches between two times of day, likeliest first: what is left open takes the shorter way."""
    found = [((hour_of(b) - hour_of(a)) % 24 or 24, a, b) for a, b in product(first.options, last.options)]
    least = min(length for length, _, _ in found)
    return Hours(tuple((a, b) for length, a, b in found if length == least))


def _hours_half(at: Anchor, got: Got) -> Hours | None:
    """1-3 pm."""
    first, last = got["pair"]
    if "-" not in got.said("pair") or not (0 < first <= 12 and 0 < last <= 12):
        return None
    return pairs(twelve(first), half(last, got["ampm"]))


def _dotted(at: Anchor, got: Got) -> Time | None:
    """At 6.45."""
    hour, minute = got["pair"]
    return twelve(hour, minute) if "." in got.said("pair") and hour < 24 and 0 <= minute < 60 else None


def _ends(got: Got) -> list[Time]:
    ends: list[Time] = []
    group: list[Any] = []
    for token in [*got.tokens, None]:
        if token is not None and token.name in ("number", "spoken", "four", "oh"):
            group.append(token)
            continue
        if group:
            hour, minute = spoken(Got(group, got.text))
            ends.append(twelve(hour, minute))
            group = []
        if token is not None and token.name == "clock":
            ends.append(token.value)
        if token is not None and token.name == "pair":
            ends += [twelve(hour) for hour in token.value]
    return ends


def _hours(at: Anchor, got: Got) -> Hours | None:
    """From nine to 5pm, 3-4pm, between two and three."""
    if "pair" in got and "-" not in got.said("pair"):
        return None
    if any(not isinstance(one, int) or (one > 24 and one < 100) for one in got.all("number", "spoken")):
        return None
    first, last = _ends(got)
    return pairs(first, last)


def _bare_hours(at: Anchor, got: Got) -> Hours | None:
    """From two to four, open from 9-5; not a score, an age, a part of something counted."""
    numbers = got["pair"] or got.all("number", "spoken")
    if any(not isinstance(one, int) or not 1 <= one <= 12 for one in numbers) or numbers[0] == numbers[1]:
        return None
    said, hourly = _CLAUSE_END.split(got.before())[-1], _HOURLY.search(got.before())
    counted = _CHANGES.search(said) or tuple(numbers) in ((1, 5), (1, 10), (1, 12))
    return None if _MEASURES.search(said) or (counted and not hourly) else _hours(at, got)


def hours_in_part(at: Anchor, got: Got) -> Hours:
    return hours_in(got["hours"], got["part"])


def hours_in(hours: Hours, part: str) -> Hours:
    """Return the stretches that begin in a part of the day."""
    low, high = _HALF_OF_DAY.get(part, (0, 24))
    kept = tuple(
        (a, b) if low <= hour_of(a) < high else (moved(a, 1, "day"), b)
        for a, b in hours.pairs
        if low <= hour_of(a) < high or low <= hour_of(a) + 24 < high
    )
    return hours._replace(pairs=kept) if kept else hours


def spread(at: Anchor, hours: Hours, day: Time | None = None) -> Time:
    """Return stretches of hours as a time, of a day where it is given."""
    closed = at.conventions.through == "all"
    built: list[Time] = []
    for first, last in hours.pairs:
        until = _as_fine_as(first, last)
        starts = [Meet(option, first) for option in day.options] if day else [first]
        built += [Through(start, until, closed) for start in starts]
    time = built[0] if len(built) == 1 else Either(tuple(built))
    return time if hours.minutes_east is None else _elsewhere(time, at, hours.minutes_east)


def _as_fine_as(first: Time, last: Time) -> Time:
    """`last` in the precision of `first` where that is finer: from 3:30 to 6 ends within a minute of six."""
    order = ("hour", "minute", "second")
    if first.grain not in order or last.grain not in order or order.index(first.grain) <= order.index(last.grain):
        return last
    unit: Any = first.grain
    return mapped(last, lambda span: Span(span.start, step(span.start, 1, unit), unit), unit)


def moment(at: Anchor, got: Got) -> Time:
    """Return a clock time of a day, or a part of it."""
    if "part" in got:
        return meet(got["day"], named.part(got["part"], at.conventions))
    return meet(got["day"], got["clock"])


_N: Final = "(number|spoken)"
_END: Final = "(clock|number|spoken|four|noon|midnight)"
_SAID_AT: Final = "(?<=(at|around|by|until|before|after|from|since|to|between|starting|latest|earliest|day|daypart|for|offset|tonight|holiday))"  # noqa: E501

CLOCKS: Final[list[Rule]] = [
    ("clock", f"(number|spoken|four) (oh|dash)? {_N}? ampm", _halved),
    ("clock", f"{_N} oclock ampm?", lambda at, got: _halved(at, got) if "ampm" in got else _twelve(at, got)),
    ("clock", "clock oclock? ampm", _clock_half),
    ("clock", f"{_N} ish ampm?", lambda at, got: _halved(at, got) if "ampm" in got else _twelve(at, got)),
    ("hours", "(from|between)? pair ampm", _hours_half),
    ("clock", "(?<=at) pair (?!(unit|counted|percent))", _dotted),
    ("clock", "hclock", lambda at, got: twelve(got["hclock"], 0) if got["hclock"] < 12 else clock(got["hclock"], 0)),
    ("clock", "clock ish", lambda at, got: got["clock"]),
    ("clock", f"a? (half|quarter) (past|after) {_END}", _relative),
    ("clock", f"a? quarter (to|til|before) {_END}", _relative),
    ("clock", f"{_N} (past|til) {_END}", _relative),
    ("clock", f"{_N} (to|after) (noon|midnight)", _relative),
    ("clock", f"{_N} after clock", _relative),
    ("clock", f"(?<=(at|around|by)) {_N} to (clock|number|spoken)", _relative),
    ("clock", "noon ish?", _noon),
    ("clock", "midnight ish?", _midnight),
    ("clock", f"amount (past|to|til|before|after) {_END} (?!unit)", _amount_relative),
    ("clock", f"(?<=(at|around|by|until|before|after|from|since)) half {_N}", _british),
    ("clock", f"^ half {_N} stop? $", lambda at, got: _british(at, got)),
    ("clock", f"half {_N} (?=(day|offset|rel|in|on|tonight|zone))", _british),
    ("clock", "(number|spoken) (?= offset (in the)? part)", _before_day),
    ("clock", "^ (number|spoken) (?= offset)", _twelve),
    ("clock", "clock oclock", lambda at, got: got["clock"]),
    ("clock", f"{_SAID_AT} spoken dash? oh? spoken (unit)?", _two_numbers),
    ("clock", f"{_SAID_AT} number number (?!(unit|counted))", _two_numbers),
    ("clock", "spoken dash? oh? spoken (?=(offset|tonight|on|in|rel|weekday|day|zone))", _two_numbers),
    ("clock", "^ spoken dash? oh? dash? spoken stop? $", _two_numbers),
    ("clock", "(?<=(ordinal|spoken)) spoken spoken (?=(stop|$))", _two_numbers),
]
_ALONE: Final = "(?= (stop|comma|plain|day|offset|tonight|on|in|and|or|rel|weekday|wday|for|zone|at|to|dash|close|each|from|until|$))"  # noqa: E501
BARE_CLOCKS: Final[list[Rule]] = [
    ("clock", f"(?<=at) (number|spoken|four) (?!(dash|to)){_ALONE}", _twelve),
    ("clock", f"(?<=at around) (number|spoken|four) {_ALONE}", _twelve),
    ("clock", f"(?<=(tonight|daypart|offset)) (at|around|comma)? (number|four) {_ALONE}", _twelve),
    ("clock", "(number|spoken) comma? (?=(tonight|daypart))", _before_day),
    (
        "clock",
        "(?<=(at|by|before|after|since|until|from|around)) (number|spoken) (?= on? (daypart|rel part|weekday|wday))",
        _twelve,
    ),
    ("clock", f"(?<=(day|weekday) (before|after|by|until)) (number|spoken) {_ALONE}", _twelve),
    ("clock", "(number|spoken) (?= in the? part)", _twelve),
    ("clock", "(?<=(before|after|by|until|since)) (number|spoken) (?= on? (day|weekday|wday|tonight))", _twelve),
    ("clock", "(?<=^around) four (?=(stop|$))", _twelve),
    ("clock", "(?<=(day|tonight|part) around) (number|spoken) (?!(unit|counted|break|dash|to))", _twelve),
]
_NOT_COUNTED: Final = "(?=(stop|comma|plain|close|and|or|for|at|each|every|(on (every|business))|$))"
HOURS: Final[list[Rule]] = [
    ("hours", "between clock (and|to|dash|until) clock", _hours),
    ("hours", f"between {_N} {_N}? (and|to|dash|until) clock", _hours),
    ("hours", f"between clock (and|to|dash|until) {_N}", _hours),
    ("hours", f"between {_N} (and|to|dash) {_N} (?=(on|rel|offset|day|tonight|weekday|zone|(in the? part)))", _hours),
    ("hours", "between (number|four) (dash|and|to) (number|four) (?!unit)", lambda at, got: _military(got)),
    ("hours", "from? clock (to|dash|until|through) clock", _hours),
    ("hours", f"(from|at)? {_N} (to|dash|until|through) clock (?!(unit|counted))", _hours),
    ("hours", f"from? clock (to|dash|until|through) {_N} (?!(unit|counted|month|ordinal|of))", _hours),
    ("hours", f"from {_N} {_N}? (to|dash|until|through) {_N} {_N}? (?=(in the? part|tonight|offset|zone))", _hours),
    ("hours", "from? pair (?=(in the? part|tonight|zone))", _hours),
    ("hours", f"from {_N} (to|dash|until|through) {_N} {_NOT_COUNTED}", _bare_hours),
    ("hours", f"between {_N} (and|to|dash) {_N} {_NOT_COUNTED}", _bare_hours),
    ("hours", f"(from|between) pair {_NOT_COUNTED}", _bare_hours),
    ("hours", "hours zone", _zoned),
    ("clock", "clock zone", _zoned),
]


def _military(got: Got) -> Hours | None:
    """0730-0930, with four figures each."""
    texts = [got.text[token.start : token.end] for token in got.tokens if token.name in ("number", "four")]
    if any(len(text) != 4 for text in texts):
        return None
    first, last = (clock(*_split(int(text), text)) for text in texts)
    return pairs(first, last)
