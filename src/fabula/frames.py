"""Two frames as one, and whether they may be: their words, events, times and people; knows no store and no vector."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from fabula.names import normal
from fabula.relations import wording
from fabula.text import script
from fabula.types import MACHINES, VAGUE, Event, Frame, Interval, Link

SOON: Final = timedelta(days=3)
"""How long clustered frames may have lasted together, from the first beginning to the last end."""
LONGEST: Final = 1200
"""Characters of a fused summary, at most: what would be longer stays two frames."""
MOST: Final = 32
"""Passages of a fused frame, at most."""
CONTESTED: Final = "contested"
"""The key of `meta` that holds the ids of the facts that a frame tells of and that no longer hold."""
_SENTENCES: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\s*\n\s*")
_NOBODY: Final = MACHINES | {"助手"}
"""Participants that are in all talk, and tie no two frames."""


# --- two frames as one ------------------------------------------------------------------------------------------


def united(first: Frame, second: Frame, summary: str = "") -> Frame | None:
    """Return the next version of `first`, with what both say; `None` where that is more than a frame may hold.

    A `summary` that is given stands for both texts; without one, no sentence of either is lost.
    """
    if not 0 < len(summary) <= LONGEST:
        summary = added(first.text, second.text)
    sources = tuple(dict.fromkeys((*first.sources, *second.sources)))
    if len(summary) > LONGEST or len(sources) > MOST:
        return None
    kinds: tuple[Link, ...] = tuple(dict.fromkeys((*first.links, *second.links)))
    emotions = [emotion for emotion in (first.emotion, second.emotion) if emotion is not None]
    links = {kind: tuple(dict.fromkeys((*first.links.get(kind, ()), *second.links.get(kind, ())))) for kind in kinds}
    links["fused"] = (*first.links.get("fused", (first.id,)), *second.links.get("fused", (second.id,)))
    meta = {**second.meta, **first.meta}
    if contested := list(dict.fromkeys(listed(first, CONTESTED) + listed(second, CONTESTED))):
        meta[CONTESTED] = contested
    return replace(
        first,
        text=summary,
        events=_events(first.events, second.events),
        valid=hull(first.valid, second.valid),
        importance=max(first.importance, second.importance),
        emotion=max(emotions, key=lambda emotion: emotion.arousal, default=None),
        sources=sources,
        links=links,
        meta=meta,
    )


def listed(frame: Frame, key: str) -> list[str]:
    """Return the ids that a frame's `meta` holds under a key."""
    return list(frame.meta.get(key, ()))


def added(one: str, other: str) -> str:
    """Return the longer text, with the sentences of the other that it has not."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    said = {wording(sentence) for sentence in _SENTENCES.split(longer)}
    for sentence in _SENTENCES.split(shorter):
        if sentence and wording(sentence) not in said:
            longer = f"{longer}{_between(longer)}{sentence}"
    return longer.rstrip(";；")


def _between(text: str) -> str:
    """What parts a text from a sentence after it."""
    han = script(text[-1:]) == "han"
    if text[-1:] in "。！？；":
        return ""
    return " " if re.search(r"[.!?;…]['\"’”)]?\Z", text) else "；" if han else "; "


def _events(first: Sequence[Event], second: Sequence[Event]) -> tuple[Event, ...]:
    """The events of both, what both tell of once."""
    events = list(first)
    for event in second:
        for place, known in enumerate(events):
            if (one := _one(known, event)) is not None:
                events[place] = one
                break
        else:
            events.append(event)
    return tuple(events)


def _one(known: Event, event: Event) -> Event | None:
    """Two events as one, where the same was done and no role says otherwise; the emptier roles are filled."""
    roles: dict[str, Any] = {}
    for name in ("action", "time", "location", "causality", "manner"):
        mine, other = getattr(known, name), getattr(event, name)
        if mine and other and (mine != other if name == "time" else wording(mine) != wording(other)):
            return None
        roles[name] = mine or other
    apart = known.participants and event.participants and not _names(known) & _names(event)
    if apart or not (known.action and event.action):
        return None
    people: dict[str, str] = {}
    for name in (*known.participants, *event.participants):
        people.setdefault(normal(name), name)
    return replace(known, participants=tuple(people.values()), **roles)


def hull(one: Interval | None, other: Interval | None) -> Interval | None:
    """Return the shortest interval that covers both: an open end stays open, no time at all counts for nothing."""
    if one is None or other is None:
        return one or other
    starts, ends = [i.start for i in (one, other) if i.start], [i.end for i in (one, other) if i.end]
    start = min(starts, key=datetime.timestamp) if len(starts) == 2 else None
    end = max(ends, key=datetime.timestamp) if len(ends) == 2 else None
    for whole in (one, other):
        if (whole.start, whole.end) == (start, end):
            return whole
    return Interval(start=start, end=end, precision="range")


# --- what may be one --------------------------------------------------------------------------------------------


def kindred(one: Frame, other: Frame) -> bool:
    """Whether two frames share a participant, or something in both happened at the same time."""
    return bool(people(one) & people(other) or _times(one) & _times(other))


def people(frame: Frame) -> set[str]:
    """Return who takes part in a frame: ids of entities and names as they are compared."""
    named = {name for event in frame.events for name in _names(event)}
    return {*frame.links.get("names", ()), *named} - _NOBODY


def _names(event: Event) -> set[str]:
    return set(map(normal, event.participants))


def _times(frame: Frame) -> set[tuple[datetime | None, datetime | None]]:
    times = (event.time for event in frame.events)
    return {(time.start, time.end) for time in times if time is not None and time.precision not in VAGUE}


def soon(one: Frame, other: Frame) -> bool:
    """Whether two frames are of one time, or of times that lie within `SOON`; of what has no time, nobody knows.

    What goes on for long is near to much: it is no sign that two tell of the same.
    """
    if one.valid is None or other.valid is None:
        return False
    if (one.valid.start, one.valid.end) == (other.valid.start, other.valid.end):
        return True
    both = hull(one.valid, other.valid)
    return both is not None and both.start is not None and both.end is not None and both.end - both.start <= SOON


def groups(pairs: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return what hangs together by `pairs` (single link), in groups of two and more."""
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        whole = found.get(one, {one}) | found.get(other, {other})
        found |= dict.fromkeys(whole, whole)
    return list({id(group): group for group in found.values()}.values())
