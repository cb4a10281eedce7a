"""The hot tier: a store around a store that keeps indexes of the scopes in use in memory, and what was shown of them.

It knows no engine. What it answers is what the store inside would answer: an index is asked for anew each time,
and only extended by what was written since, whoever wrote it. Records are kept for as long as their index says that
they are as they were.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Changes, Erasure, Filter, Lease, Pending, ScopeState, Store, Task, Written
from fabula.index import Block, Floats, Index
from fabula.text import hash_term
from fabula.types import Access, Forgotten, Kind, Note, Record, Session, Stats

RECORD: Final = 2048
"""Bytes that a record takes in memory besides its text, about."""


_Numbered: TypeAlias = list[tuple[int, Record]]


@dataclass(slots=True)
class _Held:
    """An index, and records that were shown of it."""

    index: Index
    records: dict[int, Record] = field(default_factory=dict[int, Record])
    cited: dict[tuple[str, Kind], _Numbered] = field(default_factory=dict[tuple[str, Kind], "_Numbered"])
    """What was made from a record, by its id and the kind: at this very revision, for any write may add to it."""
    nbytes: int = 0
    """Those of all of it."""

    def moved(self, index: Index) -> _Held:
        """Return what is held once the scope has become another index: without the records that have changed since."""
        if index.reset != self.index.reset or not self.records:
            return _Held(index, nbytes=index.nbytes)
        changed: set[int] = set()
        for kind, old in self.index.fields.items():
            ends = index.of(kind).recorded_to[: len(old)]
            if len(ends) < len(old):
                return _Held(index, nbytes=index.nbytes)
            changed.update(old.number[old.recorded_to != ends].tolist())
        records = {number: record for number, record in self.records.items() if number not in changed}
        return _Held(index, records, nbytes=index.nbytes + sum(map(_size, records.values())))


def _numbered(index: Index, records: Sequence[Record]) -> _Numbered:
    """Records with their numbers in the index; 0 for what has no row there."""
    keys = {record.id: hash_term(record.id) for record in records}
    numbers: dict[int, int] = {}
    kinds: dict[Kind, None] = {record.kind: None for record in records}
    for held in map(index.of, kinds):
        rows = np.flatnonzero(np.isin(held.key, np.array(list(keys.values()), np.uint64)))
        numbers |= zip(held.key[rows].tolist(), held.number[rows].tolist(), strict=True)
    return [(numbers.get(keys[record.id], 0), record) for record in records]


def _size(record: Record) -> int:
    return RECORD + 4 * len(record.text)


class HotStore(Store):
    """Keeps up to `limit` bytes of indexes and their records, least recently used ones out first."""

    def __init__(self, inner: Store, limit: int = 512 * 2**20) -> None:
        self.inner = inner
        self.engine = inner.engine
        self._limit = limit
        self._indexes: OrderedDict[tuple[str, str], _Held] = OrderedDict()
        # Extending shares memory with the older index, so one scope is extended by one caller at a time.
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._erasures = 0

    async def load(self, scope: str, space: str, base: Index | None = None) -> Index:
        # A caller that is cancelled leaves; the loading goes on to its end, for it may be half done.
        loading = asyncio.ensure_future(self._load(scope, space, base))
        try:
            return await asyncio.shield(loading)
        except asyncio.CancelledError:
            loading.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise

    async def _load(self, scope: str, space: str, base: Index | None) -> Index:
        key = (scope, space)
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            known, erasures = self._indexes.get(key), self._erasures
            held = known.index if known is not None else None
            if base is None or (held is not None and held.revision > base.revision):
                base = held
            index = await self.inner.load(scope, space, base)
            if index is not held:
                index = await asyncio.to_thread(index.compacted)
                if erasures == self._erasures:  # else it may hold what was erased while it was read
                    self._keep(key, _Held(index, nbytes=index.nbytes) if known is None else known.moved(index))
            elif key in self._indexes:
                self._indexes.move_to_end(key)
        return index

    def _keep(self, key: tuple[str, str], held: _Held) -> None:
        self._indexes.pop(key, None)
        if held.index.revision and held.index.nbytes <= self._limit:
            self._indexes[key] = held
        self._trim()

    def _trim(self) -> None:
        total = sum(held.nbytes for held in self._indexes.values())
        for held in self._indexes.values() if total > self._limit else ():
            total -= held.nbytes - held.index.nbytes  # records are soon read again
            held.records, held.cited, held.nbytes = {}, {}, held.index.nbytes
            if total <= self._limit:
                break
        while total > self._limit:
            _, dropped = self._indexes.popitem(last=False)
            total -= dropped.nbytes

    async def shown(self, scope: str, index: Index, numbers: Sequence[int]) -> dict[int, Record]:
        held = self._indexes.get((scope, index.space))
        if held is None or held.index.revision != index.revision:
            return await self.inner.fetch(scope, numbers)
        known = held.records
        if missing := [number for number in numbers if number not in known]:
            found = await self.inner.fetch(scope, missing)
            # Read after the index was: whatever of it has changed since, the next index tells.
            known |= found
            held.nbytes += sum(map(_size, found.values()))
            self._trim()
        return {number: known[number] for number in numbers if number in known}

    async def cited(
        self, scope: str, index: Index, ids: Sequence[str], kinds: Sequence[Kind], as_of: datetime | None = None
    ) -> list[Record]:
        held = self._indexes.get((scope, index.space))
        # Of an entity it is told where all of `ids` mention it.
        if held is None or held.index.revision != index.revision or as_of is not None or "entity" in kinds:
            return await self.inner.citing(scope, ids, kinds, as_of)
        known = held.cited
        if missing := [one for one in ids if not all((one, kind) in known for kind in kinds)]:
            found = await self.inner.citing(scope, missing, kinds)
            known |= {(one, kind): [] for one in missing for kind in kinds}
            for number, record in _numbered(index, found):
                for source in set(missing).intersection(record.sources):
                    known[source, record.kind].append((number, record))
            held.nbytes += sum(map(_size, found))
            self._trim()
        made = {record.id: (number, record) for one in ids for kind in kinds for number, record in known[one, kind]}
        return [record for _, record in sorted(made.values(), key=itemgetter(0))]

    async def erase(self, scope: str, erasure: Erasure) -> Forgotten:
        forgotten = await self.inner.erase(scope, erasure)
        self._erasures += 1
        for key in [key for key in self._indexes if key[0] == scope]:
            del self._indexes[key]
        return forgotten

    async def close(self) -> None:
        self._indexes.clear()
        self._locks.clear()
        await self.inner.close()

    async def open(self) -> None:
        await self.inner.open()

    async def nearest(self, scope: str, space: str, vector: Floats, limit: int) -> Block:
        return await self.inner.nearest(scope, space, vector, limit)

    async def vectors(self, scope: str, space: str, numbers: Sequence[int]) -> Block:
        return await self.inner.vectors(scope, space, numbers)

    async def write(self, scope: str, changes: Changes, lease: Lease | None = None) -> Written:
        return await self.inner.write(scope, changes, lease)

    async def scrub(self, *, now: bool = False) -> None:
        await self.inner.scrub(now=now)

    async def get(self, scope: str, ids: Sequence[str], as_of: datetime | None = None) -> dict[str, Record]:
        return await self.inner.get(scope, ids, as_of)

    async def fetch(self, scope: str, numbers: Sequence[int]) -> dict[int, Record]:
        return await self.inner.fetch(scope, numbers)

    async def pictures(self, scope: str, record_id: str) -> dict[int, bytes]:
        return await self.inner.pictures(scope, record_id)

    async def find(self, scope: str, wanted: Filter) -> list[tuple[int, Record]]:
        return await self.inner.find(scope, wanted)

    async def sessions(
        self, scope: str, *, limit: int = 50, offset: int = 0, without: str = ""
    ) -> tuple[int, list[Session]]:
        return await self.inner.sessions(scope, limit=limit, offset=offset, without=without)

    async def notes(
        self, scope: str, namespace: str, *, prefix: str, after: str, limit: int, as_of: datetime | None = None
    ) -> list[Note]:
        return await self.inner.notes(scope, namespace, prefix=prefix, after=after, limit=limit, as_of=as_of)

    async def citing(
        self, scope: str, ids: Sequence[str], kinds: Sequence[Kind], as_of: datetime | None = None
    ) -> list[Record]:
        return await self.inner.citing(scope, ids, kinds, as_of)

    async def touch(self, scope: str, counts: Mapping[str, int], at: datetime) -> None:
        await self.inner.touch(scope, counts, at)

    async def accessed(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        return await self.inner.accessed(scope, ids)

    async def versions(self, scope: str, ids: Sequence[str]) -> list[Record]:
        return await self.inner.versions(scope, ids)

    async def unused(self, scope: str, kinds: Sequence[Kind], since: datetime, limit: int) -> list[Record]:
        return await self.inner.unused(scope, kinds, since, limit)

    async def scopes(self) -> list[str]:
        return await self.inner.scopes()

    async def lease(
        self, worker: str, tasks: Sequence[Task], now: datetime, seconds: float, *,
        due: datetime | None = None, scope: str | None = None,
    ) -> Lease | None:  # fmt: skip
        return await self.inner.lease(worker, tasks, now, seconds, due=due, scope=scope)

    async def release(self, lease: Lease) -> None:
        await self.inner.release(lease)

    async def leases(self) -> list[Lease]:
        return await self.inner.leases()

    async def holder(self, scope: str) -> Lease | None:
        return await self.inner.holder(scope)

    async def pending(
        self, scope: str, task: Task, limit: int = 1000, *, failed: bool | None = None, due: datetime | None = None
    ) -> list[Pending]:
        return await self.inner.pending(scope, task, limit, failed=failed, due=due)

    async def postpone(self, lease: Lease, work: Sequence[Pending]) -> None:
        await self.inner.postpone(lease, work)

    async def retry(self, attempts: int) -> int:
        return await self.inner.retry(attempts)

    async def hasten(self, scope: str, session: str | None = None) -> int:
        return await self.inner.hasten(scope, session)

    async def crowded(self, count: int) -> list[str]:
        return await self.inner.crowded(count)

    async def cached(self, scope: str, space: str, hashes: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        return await self.inner.cached(scope, space, hashes)

    async def unembedded(self, scope: str, space: str) -> list[int]:
        return await self.inner.unembedded(scope, space)

    async def state(self, scope: str) -> ScopeState | None:
        return await self.inner.state(scope)

    async def page(
        self, scope: str, table: str, after: tuple[Any, ...] | None = None, limit: int = 1000
    ) -> list[tuple[Any, ...]]:
        return await self.inner.page(scope, table, after, limit)

    async def receive(
        self, scope: str, revision: int, copier: str, *, afresh: bool = False
    ) -> dict[str, tuple[Any, ...] | None] | None:
        return await self.inner.receive(scope, revision, copier, afresh=afresh)

    async def restore(self, scope: str, copier: str, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        await self.inner.restore(scope, copier, table, rows)

    async def publish(self, scope: str, copier: str, state: ScopeState) -> None:
        await self.inner.publish(scope, copier, state)

    async def stats(self, scope: str | None = None) -> Stats:
        return await self.inner.stats(scope)

    async def check(self, scope: str | None = None) -> list[str]:
        return await self.inner.check(scope)
