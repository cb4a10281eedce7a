"""How talk falls apart: into exchanges, what goes on for long into stages, and each message into sentences.

It reads no meaning and no dates, and knows nothing of what is drawn from any of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from fabula.render import pictures, without_memories
from fabula.text import fold
from fabula.types import Event, Interval, Passage

PAUSE: Final = timedelta(minutes=30)
"""Silence after which what the same speaker says belongs to another exchange."""
LATE: Final = timedelta(days=1)
"""Silence after which an answer is none."""
BRIEF: Final = timedelta(minutes=5)
"""How long something may go on and still be one event."""
_BEFORE_MORE: Final = (
    "Mr", "mr", "Mrs", "mrs", "Ms", "ms", "Mx", "Dr", "dr", "Prof", "prof", "St", "Mt", "Rev", "Hon", "Gen", "Col",
    "Capt", "Lt", "Sgt", "Sen", "Rep", "Gov", "Pres", "vs", "e.g", "i.e", "cf", "approx",
)  # fmt: skip
"""Abbreviations that no sentence ends with."""
_OR_LAST: Final = ("a.m", "p.m", "A.M", "P.M", "etc", "Jr", "Sr", "Inc", "Ltd", "Co", "Corp")
"""Abbreviations that a sentence ends with where a capital letter follows."""
_BEFORE_FIGURES: Final = (
    "No", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
)  # fmt: skip
_BEGINS: Final = "The|This|That|There|Then|It|I|We|You|He|She|They|My|Our|And|But|So|In|On|At|What|When|How"
"""Words with which a sentence begins rather than a name goes on."""


def _after(words: Iterable[str]) -> str:
    return "|".join(rf"(?<=(?a:\b){re.escape(word)})" for word in words)


_INSIDE: Final = "|".join((
    rf"(?:{_after(_BEFORE_MORE)})\.",
    rf"(?:{_after(_OR_LAST)})\.(?!\s+[A-Z])",
    rf"(?:{_after(_BEFORE_FIGURES)})\.(?=\s?\d)",
    rf"(?<=(?a:\b)[A-HJ-Z])\.(?=\s?[A-Z])(?!\s(?:{_BEGINS})\b)",  # an initial
    r"(?<=(?a:\b)I)\.(?=\s?[A-Z]\.)",
    r"(?<=[A-Z]\.[A-Z])\.(?=\s[a-z])",  # U.S. and the like
    r"(?<=\d)\.(?=\d)",
    r"\.(?=[a-z])",
))  # fmt: skip
"""Full stops within a sentence."""
SENTENCE: Final = re.compile(rf"(?:[^.!?。！？\n]+|{_INSIDE})+[.!?。！？]*")


def exchanges(window: Sequence[Passage]) -> Iterator[list[Passage]]:
    """Split a window into exchanges: what one side says up to the other side's answer, both included.

    Going on after `PAUSE`, or answering after `LATE`, begins another one.
    """
    current: list[Passage] = []
    for passage in window:
        if passage.blank:
            continue
        answered = len({p.speaker for p in current}) > 1 and passage.speaker != current[-1].speaker
        if answered or (current and _apart(current[-1], passage)):
            yield current
            current = []
        current.append(passage)
    if current:
        yield current


def _apart(one: Passage, other: Passage) -> bool:
    if one.time is None or other.time is None:
        return False
    return abs(other.time - one.time) > (PAUSE if one.speaker == other.speaker else LATE)


def stages(talk: Sequence[Passage]) -> list[list[Passage]]:
    """Split what goes on for more than `BRIEF` at its longest pauses, until no part of it does.

    A message of unknown time stays with the one before it.
    """
    done: list[list[Passage]] = []
    left = [list(talk)]
    while left:
        part = left.pop()
        cut = _longest_pause(part) if _lasts(part) else 0
        if cut:
            left += [part[cut:], part[:cut]]
        else:
            done.append(part)
    return done


def _lasts(talk: Sequence[Passage]) -> bool:
    moments = _moments(talk)
    return bool(moments) and max(moments) - min(moments) > BRIEF


def _longest_pause(talk: Sequence[Passage]) -> int:
    """The place after it: the first of those that are as long."""
    timed = [(place, p.time) for place, p in enumerate(talk) if p.time is not None]
    pauses = ((abs(after - before), -place) for (_, before), (place, after) in pairwise(timed))
    return -max(pauses)[1]


def span(talk: Iterable[Passage]) -> Interval | None:
    """Return when it was said, from the first to the last; `None` where nobody knows."""
    moments = _moments(talk)
    return Interval(start=min(moments), end=max(moments)) if moments else None


def _moments(talk: Iterable[Passage]) -> list[datetime]:
    return [passage.time for passage in talk if passage.time is not None]


# --- what was said in it ----------------------------------------------------------------------------------------


def said(passage: Passage) -> str:
    """Return what a message says: its text without what was only recalled, and what its pictures show."""
    captions = " ".join(image.caption for image in passage.images)
    return f"{without_memories(passage.text)} {captions}".strip()


def sentences(passage: Passage) -> list[str]:
    """Return the sentences of a message, at least one: of pictures that nothing is said of, what they are called."""
    return [s.strip() for s in SENTENCE.findall(said(passage)) if s.strip()] or [said(passage) or pictures(passage)]


def told(talk: Iterable[Passage]) -> list[tuple[Passage, str]]:
    """Return the sentences of talk, each with its message: what is asked only where nothing is told."""
    every = [(passage, sentence) for passage in talk for sentence in sentences(passage)]
    return [(p, s) for p, s in every if not _asks(s)] or every


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？"))


def told_in(parts: Sequence[Sequence[Passage]]) -> Sequence[Sequence[Passage]]:
    """Return those of the stages in which something is told; where nothing is, all."""
    return [part for part in parts if not all(_asks(sentence) for _, sentence in told(part))] or parts


def telling(talk: Iterable[Passage]) -> tuple[Passage, str]:
    """Return the sentence that tells most, by its words and its length, and its message."""
    return max(told(talk), key=lambda pair: len(set(fold(pair[1]).split())) + len(pair[1]) / 20)


def event_of(stage: Sequence[Passage]) -> Event:
    """Return a stage as an event: who speaks in it, the sentence that tells most, and when it was said."""
    passage, sentence = telling(stage)
    speakers = dict.fromkeys((passage.speaker, *(one.speaker for one in stage)))
    return Event(participants=tuple(speakers), action=sentence, time=span(stage))
