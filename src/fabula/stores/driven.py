"""A store that is a driver under the common steps: what each method of the protocol runs, whatever the engine.

It knows what is read and written, not how: an engine gives `reads`, `writes`, `sizes`, `damage` and a layout.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import shuffle
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Changes, Erasure, Filter, Lease, Pending, ScopeState, Store, Task, Written
from fabula.errors import StoreUnavailable
from fabula.index import Block, Floats, Index
from fabula.stores import audit, copying, erasing, leasing, reading, writing
from fabula.stores.layouts import Layout
from fabula.stores.statements import Steps
from fabula.types import Access, Forgotten, Kind, Note, Record, Session, Stats

P = ParamSpec("P")
T = TypeVar("T")


class DrivenStore(Store):
    """Runs steps, given as a function and its arguments so that they can be begun again."""

    layout: Layout

    def __init__(self) -> None:
        self.applied: tuple[str, ...] = ()
        """The changes of the schema that opening it brought."""
        self._candidates: list[str] = []
        """Scopes that had work when it was last looked at all of them."""

    @abstractmethod
    async def reads(self, scope: str | None, steps: Callable[P, Steps[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run steps that only read, of all scopes where `scope` is `None`; each sees what is there in its turn."""

    @abstractmethod
    async def sees(self, scope: str, steps: Callable[P, Steps[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run steps that only read, and see all of the scope as it is at one moment."""

    @abstractmethod
    async def writes(
        self, steps: Callable[Concatenate[str, P], Steps[T]], scope: str, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run steps of one scope as one durable transaction."""

    @abstractmethod
    async def aside(self, function: Callable[[], T], rows: int) -> T:
        """Run what is heavy on the processor if there are many `rows`, away from the event loop."""

    @abstractmethod
    async def sizes(self, scope: str | None) -> dict[str, int]:
        """Return bytes by table."""

    async def apart(self, scope: str, space: str) -> bool:
        """Return whether the vectors of a scope are better searched where they are than held in memory."""
        del scope, space
        return False

    @abstractmethod
    async def described(self) -> dict[str, str]:
        """Return what the database is, in words for a person."""

    async def damage(self) -> list[str]:
        """Return what is broken below the tables, a line each."""
        return []

    async def load(self, scope: str, space: str, base: Index | None = None) -> Index:
        apart = await self.apart(scope, space) if space else False
        if base is not None and base.revision and base.apart == apart:
            state = await self.reads(scope, reading.state, scope)
            if state and state.revision == base.revision and base.space == (space if space == state.space else ""):
                return base
        loaded = await self.sees(scope, reading.load, scope, space, base, apart)
        if loaded.state is None:
            return loaded.base
        return await self.aside(lambda: reading.indexed(loaded, self.layout), len(loaded.fresh))

    async def nearest(self, scope: str, space: str, vector: Floats, limit: int) -> Block:
        index = await self.load(scope, space)  # nothing is apart here: among all of them, exactly
        field = index.of("passage")
        rows = np.flatnonzero(field.embedded)
        near = np.vecdot(field.vectors[rows], vector) if len(rows) else np.zeros(0, np.float32)
        best = rows[np.argsort(-near)[:limit]]
        return field.number[best], field.vectors[best].astype(np.float16)

    async def vectors(self, scope: str, space: str, numbers: Sequence[int]) -> Block:
        return await self.reads(scope, self.layout.of, scope, space, {int(number) for number in numbers})

    async def write(self, scope: str, changes: Changes, lease: Lease | None = None) -> Written:
        return await self.writes(writing.write, scope, changes, lease, self.layout)

    async def erase(self, scope: str, erasure: Erasure) -> Forgotten:
        return await self.writes(erasing.erase, scope, erasure, self.layout)

    async def get(self, scope: str, ids: Sequence[str], as_of: datetime | None = None) -> dict[str, Record]:
        return await self.reads(scope, reading.get, scope, ids, as_of)

    async def fetch(self, scope: str, numbers: Sequence[int]) -> dict[int, Record]:
        return await self.reads(scope, reading.fetch, scope, numbers)

    async def pictures(self, scope: str, record_id: str) -> dict[int, bytes]:
        return await self.reads(scope, reading.pictures, scope, record_id)

    async def find(self, scope: str, wanted: Filter) -> list[tuple[int, Record]]:
        return await self.reads(scope, reading.find, scope, wanted)

    async def sessions(
        self, scope: str, *, limit: int = 50, offset: int = 0, without: str = ""
    ) -> tuple[int, list[Session]]:
        return await self.reads(scope, reading.sessions, scope, limit, offset, without)

    async def notes(
        self, scope: str, namespace: str, *, prefix: str, after: str, limit: int, as_of: datetime | None = None
    ) -> list[Note]:
        return await self.reads(scope, reading.notes, scope, namespace, prefix, after, limit, as_of)

    async def citing(
        self, scope: str, ids: Sequence[str], kinds: Sequence[Kind], as_of: datetime | None = None
    ) -> list[Record]:
        return await self.reads(scope, reading.citing, scope, ids, kinds, as_of)

    async def touch(self, scope: str, counts: Mapping[str, int], at: datetime) -> None:
        await self.writes(writing.touch, scope, counts, at)

    async def accessed(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        return await self.reads(scope, reading.accessed, scope, ids)

    async def versions(self, scope: str, ids: Sequence[str]) -> list[Record]:
        return await self.reads(scope, reading.versions, scope, ids)

    async def unused(self, scope: str, kinds: Sequence[Kind], since: datetime, limit: int) -> list[Record]:
        return await self.reads(scope, reading.unused, scope, kinds, since, limit)

    async def scopes(self) -> list[str]:
        return await self.reads(None, reading.scopes)

    async def lease(
        self, worker: str, tasks: Sequence[Task], now: datetime, seconds: float, *,
        due: datetime | None = None, scope: str | None = None,
    ) -> Lease | None:  # fmt: skip
        if scope is not None:
            return await self._lease(worker, tasks, now, seconds, due, scope)
        # Looking at all scopes is dear, so what was found is used up before it is looked again.
        for look in (False, True):
            if look:
                first, *rest = await self.reads(None, leasing.work, worker, tasks, now, due, None) or [""]
                shuffle(rest)  # who loses the first to another worker must not meet the same one at the second
                self._candidates = [name for name in (first, *rest) if name]
            while tasks and self._candidates:
                if (lease := await self._lease(worker, tasks, now, seconds, due, self._candidates.pop(0))) is not None:
                    return lease
        return None

    async def _lease(
        self, worker: str, tasks: Sequence[Task], now: datetime, seconds: float, due: datetime | None, scope: str
    ) -> Lease | None:
        if tasks and not await self.reads(scope, leasing.work, worker, tasks, now, due, scope):
            return None
        return await self.writes(leasing.lease, scope, worker, now, seconds)

    async def release(self, lease: Lease) -> None:
        await self.writes(leasing.release, lease.scope, lease)

    async def leases(self) -> list[Lease]:
        return await self.reads(None, leasing.leases)

    async def holder(self, scope: str) -> Lease | None:
        return await self.reads(scope, leasing.holder, scope)

    async def pending(
        self, scope: str, task: Task, limit: int = 1000, *, failed: bool | None = None, due: datetime | None = None
    ) -> list[Pending]:
        return await self.reads(scope, leasing.pending, scope, task, limit, failed, due)

    async def postpone(self, lease: Lease, work: Sequence[Pending]) -> None:
        await self.writes(leasing.postpone, lease.scope, lease, work)

    async def retry(self, attempts: int) -> int:
        scopes = await self.reads(None, leasing.failed, attempts)
        return sum([await self.writes(leasing.retry, scope, attempts) for scope in scopes])

    async def hasten(self, scope: str, session: str | None = None) -> int:
        return await self.writes(leasing.hasten, scope, session)

    async def crowded(self, count: int) -> list[str]:
        return await self.reads(None, leasing.crowded, count)

    async def cached(self, scope: str, space: str, hashes: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        return await self.reads(scope, reading.cached, scope, space, hashes)

    async def unembedded(self, scope: str, space: str) -> list[int]:
        return await self.reads(scope, reading.unembedded, scope, space, self.layout)

    async def stats(self, scope: str | None = None) -> Stats:
        counts, sizes = await self.reads(scope, reading.counts, scope), await self.sizes(scope)
        seen = scope is None or counts.scopes
        return replace(counts, bytes=sizes if seen else dict.fromkeys(sizes, 0))

    async def check(self, scope: str | None = None) -> list[str]:
        problems = await self.damage()
        for name in [scope] if scope is not None else await self.reads(None, audit.scopes):
            try:
                problems += await self.sees(name, audit.check, name, self.layout)
            except StoreUnavailable as error:
                if not problems:  # else it is told what is broken
                    raise
                problems.append(str(error))
        return problems

    async def state(self, scope: str) -> ScopeState | None:
        return await self.reads(scope, reading.state, scope)

    async def page(
        self, scope: str, table: str, after: tuple[Any, ...] | None = None, limit: int = 1000
    ) -> list[tuple[Any, ...]]:
        return await self.reads(scope, copying.page, scope, table, after, limit, self.layout)

    async def receive(
        self, scope: str, revision: int, copier: str, *, afresh: bool = False
    ) -> dict[str, tuple[Any, ...] | None] | None:
        return await self.writes(copying.receive, scope, revision, copier, self.layout, afresh=afresh)

    async def restore(self, scope: str, copier: str, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        await self.writes(copying.restore, scope, copier, table, rows, self.layout)

    async def publish(self, scope: str, copier: str, state: ScopeState) -> None:
        await self.writes(copying.publish, scope, copier, state)
