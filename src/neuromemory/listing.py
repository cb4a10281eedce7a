"""Memories listed by time, each with how often it came back; ranks nothing and keeps nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from fabula import AsyncMemory, Interval, InvalidInput, Record
from fabula.text import identifier
from neuromemory import shapes
from neuromemory.shapes import Shape, kinds_of

Dated: TypeAlias = list[tuple[datetime, Record]]
"""Memories, each behind the moment it counts by."""
ALL: Final = Interval()


async def dated(
    memory: AsyncMemory, user_id: str, memory_type: str | None, during: Interval = ALL, *,
    exact: timedelta | None = None, limit: int | None = None, offset: int = 0,
) -> tuple[int, Dated]:  # fmt: skip
    """Return how many memories of a type there are in a stretch of time, and a page of them, the newest first.

    `exact` is that of `AsyncMemory.dated`. Raises `InvalidInput` for what was said or uploaded.
    """
    kinds, sort = kinds_of(memory_type)
    if "passage" in kinds:
        raise InvalidInput("messages and files are listed by conversations and files")
    return await memory.dated(
        identifier(user_id, "user_id"), kinds, during=during, sort=sort, edges=False, exact=exact, limit=limit,
        offset=offset,
    )  # fmt: skip


async def told(
    memory: AsyncMemory, user_id: str, memory_types: Iterable[str | None], during: Interval, limit: int
) -> list[Record]:
    """Return up to `limit` memories of some types by when they were told, or else written, the newest first."""
    found: dict[str, tuple[datetime, Record]] = {}
    for kind in memory_types:
        _, some = await dated(memory, user_id, kind, during, exact=timedelta(0), limit=limit)
        found |= {record.id: (moment, record) for moment, record in some}
    newest = sorted(found.values(), key=lambda one: one[0], reverse=True)
    return [record for _, record in newest[:limit]]


async def shown(memory: AsyncMemory, user_id: str, records: Sequence[Record]) -> list[Shape]:
    """Return memories in full, with how often they came back, which is read at once for all."""
    accessed = await memory.accessed(user_id, list({record.id for record in records})) if records else {}
    return [shapes.memory(record, accessed.get(record.id)) for record in records]
