"""How a language's patterns are scanned: one compiled alternation, the leftmost match, then its own reading.

Knows neither a language nor the calendar's arithmetic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from fabula.types import Interval
from fabula.when.spans import Calendar

Match: TypeAlias = re.Match[str]
Reading: TypeAlias = Callable[[Match, Calendar], Interval | None]
"""Turns a match into an interval, or `None` where the words mean no time after all."""

_NEAR = 60
"""How many characters around a match count as near it."""
_SENTENCE_END = re.compile(r"[.!?。！？；\n]")
_GROUP = re.compile(r"\(\?P<\w+>")


class Grammar:
    """Patterns with their readings, the more telling ones first; `hint` matches wherever any of them could."""

    def __init__(self, hint: str, rules: Sequence[tuple[str, Reading]], flags: re.RegexFlag = re.NOFLAG) -> None:
        self._hint = re.compile(hint, flags)
        self._rules = [(re.compile(pattern, flags), reading) for pattern, reading in rules]
        # Group names repeat from rule to rule, so the alternation only numbers the rules.
        self._any = re.compile(
            "|".join(f"(?P<r{n}>{_GROUP.sub('(?:', pattern)})" for n, (pattern, _) in enumerate(rules)), flags
        )

    def read(self, text: str, calendar: Calendar) -> Iterator[tuple[int, int, Interval]]:
        """Yield start, end and interval of each time expression in `text`, in order."""
        if not self._hint.search(text):
            return
        for place in self._any.finditer(text):
            pattern, reading = self._rules[int((place.lastgroup or "r0")[1:])]
            match = pattern.match(text, place.start())
            if match is None:
                continue
            try:
                interval = reading(match, calendar)
            except (ValueError, OverflowError):
                interval = None  # a date the calendar does not have is no find
            if interval is not None:
                yield match.start(), match.end(), interval


def before(match: Match) -> str:
    """Return up to 60 characters that stand before the match in its sentence."""
    return _SENTENCE_END.split(match.string[max(0, match.start() - _NEAR) : match.start()])[-1]


def near(words: re.Pattern[str], match: Match) -> bool:
    """Whether `words` stand within 60 characters of the match in its sentence."""
    after = match.string[match.end() : match.end() + _NEAR]
    return bool(words.search(before(match)) or words.search(_SENTENCE_END.split(after, maxsplit=1)[0]))
