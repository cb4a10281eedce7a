"""The values of a reply as records hold them: clean texts, names, bounded numbers, times; knows no record.

What cannot be read becomes nothing: `""`, `None` or the default, never an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

from fabula import when
from fabula.conventions import Conventions
from fabula.render import without_memories
from fabula.replies.enclosed import without_thoughts
from fabula.secrets import MARK
from fabula.text import clean, fold, script
from fabula.timeline import CONFIDENCE
from fabula.types import Emotion, Interval

MOST: Final = 1000
"""How many items of each kind one reply may tell, and `EVENTS` how many a frame.

A reply is written by whoever the messages are by, as far as they can talk a model into it, and what it tells is linked,
embedded and searched for as long as the memory lives. These are far above what a model finds in a window (some dozens),
and about what the longest reply that is asked for has room for.
"""
EVENTS: Final = 50
MANY: Final = 100
"""How many names, or values under one key, an item may have."""
TEXT: Final = 4000
"""How many characters a text may have, and `NAME` a name, a key, a value or a part of a triple.

A longer one is no summary of anything, and a name cut short is another's; its passages have every word anyway.
"""
NAME: Final = 500
IMPORTANCE: Final = 5
"""Of 1 to 10: what is taken where a reply names none."""
PRONOUNS: Final = frozenset((
    "i", "me", "my", "mine", "myself", "you", "your", "yourself", "he", "him", "his", "himself", "she", "her",
    "herself", "it", "its", "itself", "we", "us", "our", "ourselves", "they", "them", "their", "themselves",
    "我", "你", "您", "他", "她", "它", "咱", "我们", "你们", "他们", "她们", "它们", "咱们", "自己", "大家", "人家",
))  # fmt: skip
"""Words that stand for a name and are none."""
_HAN_ROLES: Final[Mapping[str, str]] = {"user": "用户", "assistant": "助手"}
_JOINED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
"""Characters of scripts that set no spaces between words, or glue endings to names."""
_GLUED: Final = re.compile(f"[{_JOINED}]")
_SPACED: Final = re.compile(rf"[^\W{_JOINED}]")
_NUMBER: Final = re.compile(r"\s*([+-]?\d{1,9}(?:\.\d{1,9})?)")
_ISO: Final = re.compile(r"\d{4}(?:-[\dQW][\dT:.Z+-]*)?")
_OPEN: Final = ("", "..")
"""How ISO 8601 writes the open side of a stretch of time."""
_ANY_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)


def listed(value: Any) -> list[Any]:
    """Return a list as it is, nothing as an empty one, and any other value as a list of one."""
    return cast(list[Any], value) if isinstance(value, list) else [] if value in (None, "") else [value]


# --- words ------------------------------------------------------------------------------------------------------


def text_of(value: Any) -> str:
    """Return a text as it is stored: without thoughts, and without what was only recalled; a number in figures."""
    if isinstance(value, str):
        return without_memories(without_thoughts(clean(value))).strip()
    if isinstance(value, bool) or not isinstance(value, int | float) or not _finite(value):
        return ""
    return str(int(value) if value == int(value) else value)


def line_of(value: Any) -> str:
    """Return a text on one line."""
    return " ".join(text_of(value).split())


def is_name(text: str) -> bool:
    """Whether a text can be somebody's or something's name: no pronoun, no treatise, and nothing that was hidden."""
    return len(text) <= NAME and bool(fold(text)) and fold(text) not in PRONOUNS and MARK not in text


def names_of(value: Any) -> tuple[str, ...]:
    """Return the first `MANY` names in a list (or one alone, or objects with a `name`), each once."""
    given = (cast(dict[str, Any], one).get("name") if isinstance(one, dict) else one for one in listed(value))
    return tuple({fold(name): name for name in map(line_of, given) if is_name(name)}.values())[:MANY]


def naming(names: Iterable[str]) -> Callable[[str], bool]:
    """Return what tells whether folded text has any of `names`, as a word of its own where its script has words."""
    folded = [name for name in map(fold, names) if name]
    return lambda text: any(_alone(name, text) for name in folded)


def _alone(name: str, text: str) -> bool:
    # Not one pattern of all names: to compile it takes longer than to look for them.
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        before = _GLUED.match(name[0]) or not at or not _SPACED.match(text[at - 1])
        if before and (_GLUED.match(name[-1]) or end == len(text) or not _SPACED.match(text[end])):
            return True
        at = text.find(name, at + 1)
    return False


def sentence(subject: str, predicate: str, thing: str) -> str:
    """Return a triple in words, joined the way its predicate's language does; in Chinese a role has its Chinese name.

    A predicate that is written as a type, in capitals (`WORKS_AT`), reads as words.
    """
    predicate = predicate.replace("_", " ")
    predicate = predicate.lower() if predicate.isupper() else predicate
    chinese = script(predicate or thing) == "han"
    if chinese:
        subject = _HAN_ROLES.get(fold(subject), subject)
    words = [word for word in (subject, predicate, thing) if word]
    return ("" if chinese else " ").join(words)


# --- numbers ----------------------------------------------------------------------------------------------------


def importance_of(value: Any) -> float:
    """Return an importance of 1 to 10 as one of 0.1 to 1."""
    return _number(value, 1, 10, IMPORTANCE) / 10


def confidence_of(value: Any) -> dict[str, float]:
    """Return a confidence, 0–1, as the `meta` of a fact; nothing where none is given."""
    bounded = _number(value, 0, 1, math.nan)
    return {} if math.isnan(bounded) else {CONFIDENCE: bounded}


def emotion_of(value: Any) -> Emotion | None:
    """Return an emotion, its numbers within their bounds; a text is its label."""
    given = cast(dict[str, Any], value) if isinstance(value, dict) else {"label": value}
    label = line_of(given.get("label"))
    label = label if len(label) <= NAME else ""
    if not label and given.get("valence") is None and given.get("arousal") is None:
        return None
    valence, arousal = _number(given.get("valence"), -1, 1, 0.0), _number(given.get("arousal"), 0, 1, 0.0)
    return Emotion(label=label, valence=valence, arousal=arousal)


def _number(value: Any, low: float, high: float, default: float) -> float:
    if isinstance(value, str):
        match = _NUMBER.match(value)
        value = float(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return default
    return float(min(max(value, low), high))


def _finite(value: float) -> bool:
    return isinstance(value, int) or math.isfinite(value)


# --- times ------------------------------------------------------------------------------------------------------


def time_of(value: Any, said: datetime | None, conventions: Conventions) -> Interval | None:
    """Return the time of ISO 8601 text (also `start/end`, with `..` for an open end) or of words, or `None`.

    Words count from the moment it was `said`; what has no offset is in that moment's zone.
    """
    text = line_of(value)
    if len(text) > NAME:
        return None
    first, slash, last = (side.strip() for side in text.partition("/"))
    sides = [side for side in (first, last) if side not in _OPEN]
    exact = bool(sides) and all(map(_ISO.fullmatch, sides))
    if said is None and not exact:
        return None
    if not (exact and slash):
        return _found(text, said or _ANY_DAY, conventions)
    times = {side: _found(side, said or _ANY_DAY, conventions) for side in sides}
    return None if None in times.values() else _stretch(times.get(first), times.get(last))


def lasting(since: Interval | None, until: Interval | None) -> Interval | None:
    """Return the time from the beginning of `since` to the end of `until`, in the precision of the first there is.

    An end before the beginning is none; what has neither is `None`.
    """
    if since == until:
        return since
    start, end = since and since.start, until and until.end
    if _backwards(start, end):
        end = None
    given = since or until
    if given is None or (start is None and end is None):
        return None
    return Interval(start=start, end=end, precision=given.precision)


def _found(text: str, said: datetime, conventions: Conventions) -> Interval | None:
    found = when.find(text, said, conventions)
    return next((one.interval for one in found if one.interval is not None), None)


def _stretch(since: Interval | None, until: Interval | None) -> Interval | None:
    if since == until:
        return since
    start, end = since and since.start, until and until.end
    if _backwards(start, end):
        return None
    return Interval(start=start, end=end, precision="range")


def _backwards(start: datetime | None, end: datetime | None) -> bool:
    # Timestamps, because Python compares two times of one zone by the wall clock.
    return start is not None and end is not None and end.timestamp() <= start.timestamp()
