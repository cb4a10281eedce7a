"""The right to work on a scope: taken, held for as long as the work goes on, and given back; knows no work."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Collection, Sequence
from typing import Final
from weakref import WeakValueDictionary

from fabula import processes
from fabula.abc import NEVER, Clock, Lease, Store, Task
from fabula.errors import Confined, FabulaError
from fabula.remember import new_id
from fabula.settings import Settings

log = logging.getLogger(__name__)

PAUSE: Final = 0.02
"""Seconds from the first look whether a worker has let go of a scope to the second; doubled with each further one."""
LONGEST: Final = 0.5


class Leases:
    """Takes leases under a name of its own, by which it may take again what it holds."""

    def __init__(self, store: Store, settings: Settings, clock: Clock) -> None:
        self.name: Final = f"{new_id()} {processes.this()}".strip()
        self._store, self._seconds, self._clock = store, settings.lease, clock

    async def take(self, tasks: Sequence[Task], scope: str | None = None) -> Lease | None:
        """Lease any scope with due work of `tasks`; or this one, due or not, from a worker that has died too."""
        lease = await self._take(tasks, scope)
        if scope is None or lease is not None:
            return lease
        held = await self._store.holder(scope)
        return await self._take(tasks, scope) if held is not None and await self._bury(held) else None

    async def _take(self, tasks: Sequence[Task], scope: str | None) -> Lease | None:
        due = None if scope is None else NEVER
        taking = asyncio.ensure_future(
            self._store.lease(self.name, tasks, self._clock(), self._seconds, due=due, scope=scope)
        )
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The database may have granted it meanwhile; nobody else could work until it ran out.
            if (lease := await taking) is not None:
                await self._store.release(lease)
            raise

    @contextlib.asynccontextmanager
    async def renewed(self, lease: Lease) -> AsyncGenerator[None]:
        """Hold a lease for as long as its work goes on, then give it back."""
        renewing = asyncio.create_task(self._renew(lease))
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            await self._store.release(lease)

    async def _renew(self, lease: Lease) -> None:
        """Hold a lease longer while its work goes on: a model may think for minutes."""
        while True:
            await asyncio.sleep(self._seconds / 3)
            try:
                await self._take((), lease.scope)
            except Exception as error:
                # Whether it is still held is asked by each write; the next round may succeed.
                expected = isinstance(error, FabulaError)
                log.warning("the lease of scope %r was not renewed: %s", lease.scope, error, exc_info=not expected)

    async def bury_all(self) -> None:
        """Free what is leased to workers that have died, as far as that is known."""
        try:
            for lease in await self._store.leases():
                await self._bury(lease)
        except Confined as error:
            log.debug("the work of others is left to others: %s", error)

    async def _bury(self, held: Lease) -> bool:
        """Take a lease from a worker that has died, which is known of this machine's; return whether it had."""
        dead = processes.gone(held.worker.partition(" ")[2])
        if dead:
            log.info("scope %r: its worker has died", held.scope)
            await self._store.release(held)
        return dead


class Holds(Leases):
    """The leases of what is done to a scope beside its pending work: by one at a time, and many scopes at once."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, workers: Collection[str]) -> None:
        super().__init__(store, settings, clock)
        self._workers = workers
        """The names of those who do the pending work here, and are waited for."""
        self._locks = WeakValueDictionary[str, asyncio.Lock]()

    @contextlib.asynccontextmanager
    async def holding(self, scope: str) -> AsyncGenerator[Lease | None]:
        """Hold a scope's lease while something is done to it; `None` where one outside this memory holds it."""
        async with self._locks.setdefault(scope, asyncio.Lock()):
            pause = PAUSE
            while (lease := await self.take((), scope)) is None:
                held = await self._store.holder(scope)
                if held is not None and held.worker not in self._workers:
                    break
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST)
            if lease is None:
                yield None
                return
            async with self.renewed(lease):
                yield lease
