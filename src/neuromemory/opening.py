"""A fabula memory as NeuroMemory's options mean it, and fabula's plans from its arguments; keeps nothing."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from typing import Any, Final, Literal, get_args
from urllib.parse import parse_qsl, urlencode

from fabula import AsyncMemory, FabulaError, Factors, InvalidInput, Plan, ProviderUnavailable, Settings
from fabula.abc import Clock
from fabula.checking import within
from fabula.types import DOCUMENT, FILE_SESSION
from neuromemory.providers import embedder_of, llm_of
from neuromemory.shapes import MEMORIES, kinds_of
from neuromemory.storage import blobs_of
from neuromemory.strategy import settings

Mode = Literal["lite", "pro", "max"]
SETTINGS: Final = Settings(workers=2)
"""Two users' memories are drawn side by side: mostly a distant model is waited for."""
MORE: Final = 10
"""How many further messages the mode `max` brings, at most."""


def memory(
    database_url: Any, embedding: Any, llm: Any, storage: Any, *, extraction: Any, auto_extract: Any,
    reflection_interval: Any, pool_size: Any, clock: Clock,
) -> AsyncMemory:  # fmt: skip
    """Return the memory, not yet opened; raises `InvalidInput` for what cannot be meant."""
    within("pool_size", pool_size, 1, 1000)
    return AsyncMemory(
        _pooled(database_url, pool_size),
        embedder=embedder_of(embedding),
        llm=llm_of(llm),
        blobs=None if storage is None else blobs_of(storage),
        settings=settings(
            auto_extract=auto_extract, extraction=extraction, reflection_interval=reflection_interval, base=SETTINGS
        ),
        clock=clock,
    )


def _pooled(url: Any, size: int) -> Any:
    """The URL with the number of connections in it, unless it says one itself."""
    if not isinstance(url, str) or not url.lower().startswith("postgres"):
        return url
    address, _, query = url.partition("?")
    options = parse_qsl(query, keep_blank_values=True)
    return url if "pool" in dict(options) else f"{address}?{urlencode([*options, ('pool', size)])}"


def plan(limit: int, decay_rate: float | None, memory_type: str | None, mode: str | None, *, graphed: bool) -> Plan:
    """Return how `recall` recalls; unless `graphed`, without the edges that `graph` was given."""
    if mode is not None and mode not in get_args(Mode):
        raise InvalidInput(f"mode is {', '.join(get_args(Mode))}, not {reprlib.repr(mode)}")
    if decay_rate is not None:
        within("decay_rate", decay_rate, 1, kind=float)
    kinds, sort = kinds_of(memory_type)
    if memory_type is None and mode != "lite":
        kinds = ("passage", *MEMORIES)
    factors = Factors() if decay_rate is None else Factors(decay=decay_rate)
    more = MORE if mode == "max" else 0
    return Plan(
        kinds=kinds, sort=sort, limit=limit, factors=factors, expand=more,
        edges=graphed and memory_type is None, **said(memory_type),
    )  # fmt: skip


def said(memory_type: str | None) -> dict[str, Any]:
    """Return how a plan tells what was said from the texts of files, where one of them is asked for."""
    if memory_type == "document":
        return {"speaker": DOCUMENT}
    return {"without": FILE_SESSION} if memory_type == "conversation" else {}


def failed(degraded: Sequence[str]) -> FabulaError:
    """Return the error for a search whose only leg failed."""
    return ProviderUnavailable("; ".join(degraded))
