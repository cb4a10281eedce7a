"""What `recall` gives, put together from one fabula recollection, the profile and the graph; ranks nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from fabula import AsyncMemory, FabulaError, Hit, Passage, Recollection
from fabula.profile import profile
from fabula.replies.records import PROFILE
from fabula.surroundings import over
from fabula.text import fold
from fabula.types import MAX_LIMIT
from neuromemory import shapes
from neuromemory.graph import graph_context, graph_results
from neuromemory.shapes import Shape

log = logging.getLogger(__name__)


async def recalled(
    memory: AsyncMemory, recalling: Awaitable[Recollection], user_id: str, limit: int, memory_type: str | None,
    now: datetime, *, as_of: datetime | str | None, graphed: bool, explain: bool,
) -> Shape:  # fmt: skip
    """Return a recollection as `NeuroMemory.recall` does, told as of `now`; a leg that fails is named in `degraded`."""
    reading = asyncio.ensure_future(_profile(memory, user_id, as_of))  # meanwhile
    try:
        found = await recalling
        profile, failed = await reading
    finally:
        reading.cancel()  # where the recall has failed, or is given up, nobody waits for it
    for one in failed:
        log.warning("recall went on without the %s", one)
    hits = [hit for hit in found.hits if memory_type is None or shapes.memory_type(hit.record) == memory_type]
    told = _Told(hits, now)
    facts = [fact for fact in found.facts if not over(fact, now)] if graphed else []
    return {
        "merged": told.first(limit, _once(hits)),
        "user_profile": profile,
        "graph_context": graph_context(facts, found.scope),
        "vector_results": told.first(limit, told.of("vector")),
        "conversation_results": told.first(limit, told.of("conversation")),
        "graph_results": graph_results(facts, found.scope),
        "degraded": [*found.degraded, *failed],
        **({"explain": _explained(found)} if explain else {}),
    }


class _Told:
    """The entries of hits; those that are wanted are made, once."""

    def __init__(self, hits: list[Hit], now: datetime) -> None:
        self._hits, self._now = hits, now
        self._made: dict[int, Shape] = {}

    def of(self, source: str) -> Iterator[int]:
        """The places of the hits from a source."""
        return (place for place, hit in enumerate(self._hits) if shapes.source(hit.record) == source)

    def first(self, limit: int, places: Iterator[int]) -> list[Shape]:
        """The entries of up to `limit` of the hits at these places."""
        return [self._entry(place) for place in islice(places, limit)]

    def _entry(self, place: int) -> Shape:
        if place not in self._made:
            self._made[place] = shapes.merged(self._hits[place], self._now)
        return self._made[place]


async def profiled(memory: AsyncMemory, user_id: str, as_of: datetime | str | None = None) -> Shape:
    """Return what is known of a user, or was at `as_of`."""
    return profile(await memory.kv.list(user_id, PROFILE, limit=MAX_LIMIT, as_of=as_of))


async def _profile(memory: AsyncMemory, user_id: str, as_of: datetime | str | None) -> tuple[Shape, list[str]]:
    """What is known of a user, and what became of it where that cannot be read."""
    try:
        return await profiled(memory, user_id, as_of), []
    except FabulaError as error:
        return {}, [f"profile: {error}"]


def _once(hits: list[Hit]) -> Iterator[int]:
    """The places of the hits without those that say nothing more: the same words again, and a frame that rules made of
    messages that stand there themselves."""
    said = {hit.record.id for hit in hits if isinstance(hit.record, Passage)}
    seen: set[str] = set()
    for place, hit in enumerate(hits):
        record = hit.record
        repeats = record.meta.get("extractor") == "rules" and not said.isdisjoint(record.sources)
        words = fold(shapes.text(record))
        if not repeats and words not in seen:
            seen.add(words)
            yield place


def _explained(found: Recollection) -> Shape:
    """Return how a recall came about."""
    trace: Any = found.trace
    if trace is None:
        return {"confidence": found.confidence}
    return {
        "confidence": found.confidence,
        "terms": list(trace.terms),
        "asks": trace.asks,
        "windows": [{"start": shapes.moment(one.start), "end": shapes.moment(one.end)} for one in trace.windows],
        "profile": trace.profile,
        "weights": dict(trace.weights),
        "candidates": trace.pool,
    }
