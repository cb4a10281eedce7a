"""What `recall` gives, put together from one fabula recollection, the profile and the graph; ranks nothing."""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Any, TypeVar

from fabula import AsyncMemory, FabulaError, Hit, Passage, Plan, Recollection
from fabula.profile import profile
from fabula.replies.records import PROFILE
from fabula.text import fold
from fabula.types import MAX_LIMIT
from neuromemory import shapes
from neuromemory.graph import graph_context, graph_results
from neuromemory.shapes import Shape

log = logging.getLogger(__name__)
_T = TypeVar("_T")


async def recalled(
    memory: AsyncMemory, found: Recollection, plan: Plan, memory_type: str | None, *, graphed: bool
) -> Shape:
    """Return a recollection as `NeuroMemory.recall` does; a leg that fails is named in `degraded`."""
    degraded = list(found.degraded)
    hits = [hit for hit in found.hits if memory_type in (None, shapes.memory_type(hit.record))]
    told = [(hit, shapes.merged(hit)) for hit in hits]
    facts = [fact for fact in found.facts if graphed and fact.status == "live"]
    return {
        "merged": _once(told)[: plan.limit],
        "user_profile": await _leg("profile", profiled(memory, found.scope), {}, degraded),
        "graph_context": graph_context(facts, found.scope),
        "vector_results": [entry for _, entry in told if entry["source"] == "vector"][: plan.limit],
        "conversation_results": [entry for _, entry in told if entry["source"] == "conversation"][: plan.limit],
        "graph_results": graph_results(facts, found.scope),
        "degraded": degraded,
    }


async def profiled(memory: AsyncMemory, user_id: str) -> Shape:
    """Return what is known of a user."""
    return profile(await memory.kv.list(user_id, PROFILE, limit=MAX_LIMIT))


async def _leg(name: str, asked: Awaitable[_T], nothing: _T, degraded: list[str]) -> _T:
    try:
        return await asked
    except FabulaError as error:
        log.warning("recall went on without the %s: %s", name, error)
        degraded.append(f"{name}: {error}")
        return nothing


def _once(told: list[tuple[Hit, Shape]]) -> list[Shape]:
    """The entries without those that say nothing more: the same words again, and a frame that rules made of messages
    that stand there themselves."""
    said = {hit.record.id for hit, _ in told if isinstance(hit.record, Passage)}
    seen: set[str] = set()
    kept: list[Shape] = []
    for hit, entry in told:
        record = hit.record
        repeats = record.meta.get("extractor") == "rules" and not said.isdisjoint(record.sources)
        words = fold(entry["text"])
        if not repeats and words not in seen:
            kept.append(entry)
            seen.add(words)
    return kept


def explained(found: Recollection) -> Shape:
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
