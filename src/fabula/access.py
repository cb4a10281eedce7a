"""Which records came back, counted beside the reading: gathered in memory, and written to the store in batches.

It knows no engine, and not what the counts are for.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fabula.abc import Clock, Store
from fabula.errors import FabulaError
from fabula.types import Access

log = logging.getLogger(__name__)

LARGE: Final = 1000
"""Counts of so many records are not kept back until somebody asks for a write: one begins by itself."""


@dataclass(slots=True)
class _Batch:
    """What came back in a scope within an hour, and when something last did."""

    at: datetime
    counts: Counter[str]


class AccessLog:
    """Counts what comes back from recall without making it wait; for one event loop.

    What is not written yet is lost when the process is killed: a few seconds' worth where the background works, else
    the counts of up to `LARGE` records since the last flush. While a store fails they are kept, however many. A
    moment is that of the last recall of its batch, within the hour.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._batches: dict[tuple[str, int], _Batch] = {}
        self._large = LARGE
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()

    def touch(self, scope: str, ids: Iterable[str]) -> None:
        """Count that these records came back now; nothing is read or written before it returns."""
        counts = Counter(ids)
        if not counts:
            return
        self._add(scope, _Batch(self._clock(), counts))
        size = sum(len(batch.counts) for batch in self._batches.values())
        if size >= self._large:
            self._large = size + LARGE  # until it is written: not one more with every recall
            self._begin()

    def drop(self, scope: str) -> None:
        """Forget what was gathered of a scope that is erased."""
        for key in [key for key in self._batches if key[0] == scope]:
            del self._batches[key]

    async def write(self, scope: str | None = None) -> None:
        """Move what was gathered until now to the store, of one scope or all.

        What the store does not take is kept for the next time, and that is logged.
        """
        if self._batches or self._turn.locked():
            # A caller that is cancelled leaves; what was taken out of memory is written, or put back.
            await asyncio.shield(self._begin(scope))

    async def of(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        """Return how often these records came back and when, written or not, of those that ever did and are there."""
        async with self._turn:  # what is just being written would be counted twice, or not at all
            found = await self._store.accessed(scope, ids)
            if unknown := self._gathered(scope, set(ids) - found.keys()):
                there = {record.id for record in await self._store.versions(scope, sorted(unknown))}
                ids = [one for one in ids if one in found or one in there]
            else:
                ids = list(found)
            for batch in (batch for (name, _), batch in self._batches.items() if name == scope):
                for one in batch.counts.keys() & set(ids):
                    before = found.get(one, Access(0, batch.at, batch.at))
                    first, last = min(before.first, batch.at), max(before.last, batch.at)
                    found[one] = Access(before.count + batch.counts[one], first, last)
        return found

    def _gathered(self, scope: str, ids: set[str]) -> set[str]:
        return {one for (name, _), batch in self._batches.items() if name == scope for one in batch.counts.keys() & ids}

    def _add(self, scope: str, new: _Batch) -> None:
        batch = self._batches.setdefault((scope, int(new.at.timestamp()) // 3600), _Batch(new.at, Counter()))
        batch.counts.update(new.counts)
        batch.at = max(batch.at, new.at)

    def _begin(self, scope: str | None = None) -> asyncio.Task[None]:
        task = asyncio.create_task(self._write(scope), name="fabula-access")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _write(self, scope: str | None) -> None:
        async with self._turn:
            for key in [key for key in self._batches if scope in (None, key[0])]:
                if (batch := self._batches.pop(key, None)) is None:
                    continue
                try:
                    await self._store.touch(key[0], batch.counts, batch.at)
                except Exception as error:
                    # Behind the others, so that the next attempt begins with another scope.
                    self._add(key[0], batch)
                    expected = isinstance(error, FabulaError)
                    log.warning("what came back is not counted yet: %s", error, exc_info=not expected)
                    return
            self._large = LARGE
