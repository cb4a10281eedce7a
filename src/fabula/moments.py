"""Gathers how what a scope tells felt, moment by moment: as a model told it, or estimated from the vectors in store.

Writes nothing and calls no model: an estimate is made on reading, so that it goes with what it was made from.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from datetime import datetime
from typing import Final

from fabula.abc import Filter, Store
from fabula.feelings import Moment, felt, own, profile, readable
from fabula.index import Floats
from fabula.types import EmotionProfile, Fact, Frame, Kind, Passage, Record

PAGE: Final = 1000


async def feelings(store: Store, scope: str, at: datetime) -> EmotionProfile:
    """Return how what `scope` tells felt up to `at`; see `AsyncMemory.feelings`."""
    moments = await gathered(store, scope)
    return await asyncio.to_thread(profile, moments, at)


async def gathered(store: Store, scope: str) -> list[Moment]:
    """Return every moment of a scope that felt some way.

    A passage is spoken for by the frames made from it that say how it felt, or else by such facts; what is left are
    users' own passages, estimated. A moment is when it was told: of what has no sources when it was, or else recorded.
    """
    state = await store.state(scope)
    if state is None:
        return []
    said = {number: record async for number, record in _every(store, scope, "passage")}
    times = {record.id: record.time for record in said.values() if isinstance(record, Passage) and record.time}
    found: list[Moment] = []
    spoken_for = set[str]()
    for kind in ("frame", "fact"):
        told = [record async for _, record in _every(store, scope, kind) if record.emotion is not None]
        told = [record for record in told if spoken_for.isdisjoint(record.sources)]
        found += _moments(told, times)
        spoken_for.update(source for record in told for source in record.sources)
    left = {n: record for n, record in said.items() if own(record) and record.id not in spoken_for}
    vectors = await _vectors(store, scope, state.space, left)
    for number, record in left.items():
        emotion = felt(record, vectors.get(number), state.space)
        if emotion is not None and (time := _time(record, times)) is not None:
            found.append(Moment(time=time, emotion=emotion, text=record.text))
    return found


def _moments(told: Iterable[Record], times: Mapping[str, datetime]) -> list[Moment]:
    return [
        Moment(time=time, emotion=record.emotion, text=record.text, names=_names(record))
        for record in told
        if record.emotion is not None and (time := _time(record, times)) is not None
    ]


async def _every(store: Store, scope: str, kind: Kind) -> AsyncIterator[tuple[int, Record]]:
    """All records of a kind that are believed, with their numbers; also what is over now, but nothing archived."""
    async for page in store.pages(scope, Filter(kind=kind, status=None, limit=PAGE)):
        for number, record in page:
            if record.status != "archived":
                yield number, record


async def _vectors(store: Store, scope: str, space: str, numbers: Iterable[int]) -> dict[int, Floats]:
    wanted, found = list(numbers), dict[int, Floats]()
    for start in range(0, len(wanted) if readable(space) else 0, PAGE):
        there, matrix = await store.vectors(scope, space, wanted[start : start + PAGE])
        found |= zip(there.tolist(), matrix.astype("float32"), strict=True)
    return found


def _time(record: Record, times: Mapping[str, datetime]) -> datetime | None:
    """When it was told last; or when it was, or began to be believed."""
    told = [times[source] for source in record.sources if source in times]
    return max(told, default=None) or record.begun or (record.recorded and record.recorded.start)


def _names(record: Record) -> tuple[str, ...]:
    """Who and what it is about, as it names them."""
    if isinstance(record, Fact):
        return tuple(name for name in (record.subject, record.object) if name)
    events = record.events if isinstance(record, Frame) else ()
    return tuple(name for event in events for name in (*event.participants, event.location) if name)
