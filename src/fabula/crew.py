"""The life of an open memory: its store, models and workers, from opening to closing; does none of their work."""

from __future__ import annotations

import asyncio
import logging
import math
import os
from dataclasses import replace
from typing import Final

from fabula.abc import LLM, BlobStore, Clock, Embedder, Extractor, Ground, Store
from fabula.access import AccessLog
from fabula.background import Worker
from fabula.errors import Confined, ForkedMemory, MemoryClosed, UsageError
from fabula.leases import Holds, Leases
from fabula.reflect import Cadence
from fabula.settings import Settings
from fabula.types import Flushed

log = logging.getLogger(__name__)


class Crew:
    """The workers of one memory, and the ground they work on; open or closed as one."""

    def __init__(
        self, *, store: Store, embedder: Embedder | None, llm: LLM | None, extractor: Extractor,
        blobs: BlobStore | None, settings: Settings, clock: Clock, background: bool,
    ) -> None:  # fmt: skip
        self._store, self._embedder, self._llm, self._blobs = store, embedder, llm, blobs
        self._extractor, self._settings, self._clock = extractor, settings, clock
        self._background: Final = background
        self._workers: list[Worker] = []
        self._ground: Ground | None = None
        self._process = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._guard = asyncio.Lock()

    async def open(self) -> None:
        """Open the store and go on with the work that was left; harmless when open."""
        async with self._guard:
            if self._ground is not None:
                return
            await self._store.open()
            self._process, self._loop = os.getpid(), asyncio.get_running_loop()
            access = AccessLog(self._store, self._clock)
            shared = (self._store, self._settings, self._clock)
            leases = [Leases(*shared) for _ in range(self._settings.workers)]
            holds = Holds(*shared, workers={each.name for each in leases})
            cadence = Cadence(self._llm, self._extractor.name, *shared, holds.holding)
            self._workers = [
                Worker(
                    self._store, self._embedder, self._extractor, self._llm, self._settings, self._clock, access, each,
                    cadence,
                )
                for each in leases
            ]  # fmt: skip
            first = self._workers[0]
            self._ground = Ground(
                store=self._store, embedder=self._embedder, llm=self._llm, extractor=self._extractor,
                blobs=self._blobs, access=access, settings=self._settings, clock=self._clock,
                wake=first.wake, holding=holds.holding, flush=self.flush,
            )  # fmt: skip
            if self._background:
                await self._start()
            self._closed = False

    async def _start(self) -> None:
        settings = self._settings
        try:
            await self._store.retry(settings.attempts)
            if settings.full and settings.idle == math.inf:  # else they are due one day by themselves
                self._workers[0].look(await self._store.crowded(settings.window))
        except Confined as error:
            log.info("work that failed before is left to others: %s", error)
        for worker in self._workers:
            worker.start()

    async def close(self, drain: float | None) -> None:
        """Finish due work within `drain` seconds (default: the setting), then let go of everything."""
        async with self._guard:
            ground, self._ground = self._ground, None
            self._closed = True
            if ground is None:
                return
            if self._process != os.getpid():
                raise ForkedMemory
            try:
                patience = self._settings.drain if drain is None else drain
                try:
                    await asyncio.gather(*(each.stop(patience) for each in self._workers))
                finally:
                    await ground.access.write()
            finally:
                await self._store.close()
                if self._embedder is not None:
                    await self._embedder.close()
                if (close := getattr(self._llm, "close", None)) is not None:
                    await close()

    async def ready(self) -> Ground:
        """Return what the memory stands on, opened where it is not.

        Raises `MemoryClosed`, `ForkedMemory`, and `UsageError` in another event loop.
        """
        if self._ground is None:
            if self._closed:
                raise MemoryClosed
            await self.open()
        if self._ground is None or self._process != os.getpid():
            raise ForkedMemory
        if self._loop is not asyncio.get_running_loop():
            raise UsageError(
                "the memory was opened in another event loop: open, use and close it within one asyncio.run, or use"
                " fabula.Memory, which blocks"
            )
        return self._ground

    async def flush(
        self, scope: str | None = None, seconds: float | None = None, *, unfinished: bool = True
    ) -> Flushed:
        """Do all work now and wait for it; see `AsyncMemory.flush`."""
        await (await self.ready()).access.write(scope)
        done = await asyncio.gather(*(each.flush(scope, seconds, unfinished=unfinished) for each in self._workers))
        errors = dict.fromkeys(error for flushed in done for error in flushed.errors)
        return replace(min(done, key=lambda flushed: flushed.pending), errors=tuple(errors))
