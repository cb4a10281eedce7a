"""Clock times in or right behind a clause that tells a day, which then lie on that day: 昨晚失眠了，三点才睡着.

It does not know how the day was told; it counts from the time that the text has told last.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from fabula.when.chinese_clock import is_clock
from fabula.when.chinese_lexer import lex, simplified
from fabula.when.chinese_tense import TELLING, tense
from fabula.when.grammar import Anchor, Got
from fabula.when.patterns import Pattern
from fabula.when.series import LONGEST, Either, Mapped, Then, Through, Time
from fabula.when.spans import Span, floor, step

_DAYS: Final = frozenset(
    {"day_word", "night_word", "weekday", "hao", "ri", "then_day", "of_day", "that_part", "its_part", "holiday"}
)
"""Tokens that tell a day or a part of one."""
_SENTENCE: Final = Pattern(r"[。！？；.!?;\n]")
_CLOCK: Final = Pattern("[点點]")
_CLAUSE: Final = Pattern("[，,：:]")
_OTHER_DAY: Final = Pattern(f"{TELLING}|约|订|定")
"""What was said or agreed on a day that is over need not be about that day."""
_EARLY: Final = Pattern("[早起]起|起[早床]|赶早|早班|[一清]早|早早|晨[跑练]|早操|早自习|早[饭餐]")
_LATE: Final = Pattern("失眠|熬夜|通宵|夜班|夜宵|宵夜|半夜|睡不着|没睡|[才就]睡|晚[饭餐]")
_MORNING, _EVENING = timedelta(hours=3), timedelta(hours=17)
"""When what gets up early and what stays up late begin."""
_SOONER: Final = timedelta(hours=2)
"""How long before a part of a day what is told with it can be."""


def on_told_day(at: Anchor, got: Got) -> Time | None:
    """五点 in 明天要早起，五点就得出门: on the day told before, else as it is."""
    time: Time = got.tokens[0].value
    if time.fixed or not all(_is_clock(option) for option in time.options):
        return None
    between = _since_told(_SENTENCE.split(got.before())[-1])
    if between is None:
        return None
    after = _SENTENCE.split(simplified(got.after()), maxsplit=1)[0]
    looks_ahead = tense(f"{_CLAUSE.split(between)[-1]}\n{after}")
    words = between + _CLAUSE.split(after)[0]

    def placed(which: int, span: Span) -> Span | None:
        over, coming = span.end <= at.now, span.start > at.now
        if (over and (looks_ahead or _OTHER_DAY.search(between))) or (coming and looks_ahead is False):
            return None
        return next(iter(list(_placed(time, span, words))[which : which + 1]), None)

    told = Then(at.told, "day", lambda span: span)
    on_it = (Mapped(told, partial(placed, which), time.grain) for which in range(len(time.options)))
    return Either((*on_it, *time.options))


def _is_clock(time: Time) -> bool:
    return is_clock(time.first if isinstance(time, Through) else time)


def _since_told(before: str) -> str | None:
    """What stands between the day told last and the clock; None where none is in its clause or the one before.

    Clauses that have a clock time of that day too are passed over.
    """
    said = _CLAUSE.split(before)
    first = max(len(said) - 2, 0)
    while first and _CLOCK.search(said[first]):
        first -= 1
    clauses = simplified("，".join(said[first:]))
    tokens = lex(clauses)
    ends = [token.end for token in tokens if token.name in _DAYS]
    if not ends or any(token.name in ("mei", "skip") for token in tokens):
        return None
    return clauses[ends[-1] :]


def _placed(time: Time, told: Span, words: str) -> Iterator[Span]:
    """The clock times of the day told that can be meant, the likeliest first: of a part of it only the one near it."""
    day = floor(told.start, "day")
    whole_day = told.end - told.start >= LONGEST["day"]
    late = bool(_LATE.search(words)) if whole_day else told.start - day >= _EVENING
    earliest: datetime | None = None
    if late:
        earliest = max(day + _EVENING, told.start - _SOONER / 2)
    elif not whole_day:
        earliest = told.start - (timedelta(0) if told.grain in ("hour", "minute") else _SOONER)
    elif _EARLY.search(words):
        earliest = day + _MORNING
    frame = Span(day, step(day, 2 if late else 1, "day"), "range")
    there = [span for option in time.options for span in option.within(frame)]
    near = sorted(span for span in there if earliest is not None and span.start >= earliest)
    yield from near[:1] or there
