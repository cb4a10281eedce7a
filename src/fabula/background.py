"""The work that is left after a write: embedding, extraction and fusion, done beside the caller and never lost.

All work stands in the database until it is done. It is leased a scope at a time, so that two workers never read
one memory from stale ground. What fails is tried again later, and is visible meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from fabula import extract, remember
from fabula.abc import LLM, NEVER, Accesses, Clock, Embedder, Extractor, Lease, Pending, Store, Task
from fabula.checking import LONGEST
from fabula.errors import Confined, FabulaError, LeaseLost, MemoryClosed, ProviderAuthError, SourcesGone
from fabula.fusion import ALL, QUEUE, Fusion
from fabula.leases import Leases
from fabula.reflect import Cadence
from fabula.settings import Settings
from fabula.sweep import Sweep
from fabula.types import Flushed

log = logging.getLogger(__name__)

EVER: Final = NEVER - timedelta(days=1)
"""What is due by then does not wait to be asked for, nor for the next opening."""
POLL: Final = 5.0
"""Seconds after which a worker that nobody woke looks for quiet sessions and work of other processes."""
SCRUB: Final = 60.0
"""Seconds from one look whether there is something to overwrite in the database to the next."""
RELENT: Final = 600.0
"""Seconds after which a model that refused the key is asked again; a flush asks it at once, and so does an opening."""

DOUBLED: Final = 60
"""How often the pause before the next attempt is doubled, at most: then it is long enough for ever."""


class Worker:
    """Does the pending work of all scopes whenever it is woken, and when quiet sessions fall due."""

    def __init__(
        self, store: Store, embedder: Embedder | None, extractor: Extractor, llm: LLM | None, settings: Settings,
        clock: Clock, access: Accesses, leases: Leases, cadence: Cadence,
    ) -> None:  # fmt: skip
        self._store, self._embedder, self._extractor, self._llm = store, embedder, extractor, llm
        self._settings, self._clock, self._access = settings, clock, access
        self._leases, self._cadence = leases, cadence
        self._awake = asyncio.Event()
        self._fresh: set[str] = set()
        self._mine: set[str] = set()
        """Scopes written to here whose work may be unfinished: all that a role knows of that sees one at a time."""
        self._unfinished: set[str] = set()
        """Scopes in which windows were left to become full or quiet."""
        self._turn = asyncio.Lock()
        self._refused: dict[Task, float] = {}
        """What a model refused the key for, and until when it is not asked, by the monotonic clock."""
        self._scrubbing = 0.0
        """When it is looked again what there is to overwrite, by the monotonic clock."""
        self._task: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()

    @property
    def tasks(self) -> tuple[Task, ...]:
        """What can be done here: nothing is embedded where there is no model, and nothing fused."""
        if self._embedder is None:
            return ("extract",)
        return ("embed", "extract", "fuse") if self._settings.fuse else ("embed", "extract")

    def start(self) -> None:
        """Begin to work in the running event loop."""
        self._task = asyncio.create_task(self._run(), name="fabula-worker")

    def wake(self, scope: str) -> None:
        """Say that there is new work in a scope."""
        self._fresh.add(scope)
        self._mine.add(scope)
        self._awake.set()

    async def stop(self, drain: float) -> None:
        """Finish what is due within `drain` seconds, then stop; what is left stays in the database."""
        task, self._task = self._task, None
        if task is None:
            return
        if self._settings.finish:
            await self._finish()
        self._ending.set()
        self._awake.set()
        await asyncio.wait([task], timeout=drain)
        if not task.done():
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _finish(self) -> None:
        """Have extracted what was left of the talk that was written here: before this ends, or at the next opening."""
        try:
            for scope in sorted(self._mine):
                if await self._store.hasten(scope):
                    self.wake(scope)
        except FabulaError as error:
            log.warning("unfinished windows wait for more: %s", error)

    def look(self, scopes: Iterable[str]) -> None:
        """Have these scopes looked at, although nothing was written to them here."""
        self._fresh.update(scopes)

    async def flush(self, scope: str | None, seconds: float | None, *, unfinished: bool = True) -> Flushed:
        """Do all work now, due or not, each piece once; wait for what another process is at."""
        deadline = None if seconds is None else time.monotonic() + seconds
        sweep = Sweep(everything=True, unfinished=unfinished, deadline=deadline)
        while True:
            scopes = await self._store.scopes() if scope is None else [scope]
            held = [name for name in scopes if not await self._scope(name, sweep)]
            if not held or sweep.over:
                break
            await asyncio.sleep(0.05)
        stats = await self._store.stats(scope)
        errors = dict.fromkeys([*sweep.errors, *self._cadence.errors(scope)])
        return Flushed(pending=sum(stats.pending.values()), failed=stats.failed, errors=tuple(errors))

    async def _run(self) -> None:
        while True:
            self._awake.clear()
            await self._access.write()
            try:
                await self._leases.bury_all()
                if (await self._pass()).over:
                    await _within(self._settings.backoff, self._ending)
            except MemoryClosed:
                log.debug("the memory was closed; the work that is left stays in it")
                return
            except Exception as error:
                # The database may be out of reach for a while; the work is still in it.
                expected = isinstance(error, FabulaError)
                log.warning("background work waits: %s", error, exc_info=not expected)
            if self._ending.is_set():  # nothing is awaited since the last look at what is fresh
                return
            await self._scrub()
            await _within(POLL, self._awake)

    async def _scrub(self) -> None:
        """Have overwritten what erasures left, once in a while and not after each of them."""
        if time.monotonic() < self._scrubbing:
            return
        self._scrubbing = time.monotonic() + SCRUB
        try:
            await self._store.scrub()
        except Exception as error:
            expected = isinstance(error, FabulaError)
            log.warning("what was forgotten is not overwritten everywhere yet: %s", error, exc_info=not expected)

    async def _pass(self) -> Sweep:
        """Look after the scopes that were written to, then after whatever else is due."""
        now = time.monotonic()
        sweep = Sweep(refused={task for task, until in self._refused.items() if now < until})
        try:
            more = True
            while more or self._fresh:
                while self._fresh:
                    await self._scope(self._fresh.pop(), sweep)
                # Whoever is about to close does its own work, and leaves that of others to others.
                more = not sweep.over and not self._ending.is_set() and await self._next(sweep)
            if not sweep.over:  # nothing else is left that was written here
                self._mine &= self._unfinished
                self._unfinished &= self._mine
        except Confined:
            for scope in sorted(self._mine):
                await self._scope(scope, sweep)
                if not any([await self._store.pending(scope, task, 1) for task in self.tasks]):
                    self._mine.discard(scope)
        for scope in await self._cadence.reflect():
            self.wake(scope)  # what was drawn is to be embedded
        return sweep

    # --- scopes ---

    async def _next(self, sweep: Sweep) -> bool:
        """Do the due work of one scope; return whether anything came of it."""
        async with self._turn:
            lease = await self._leases.take(self._able(sweep))
            if lease is None:
                return False
            before = sweep.moves
            await self._leased(lease, sweep)
            # What failed may be due again already, but not in this sweep: without a move there is nothing to do.
            return sweep.moves > before

    async def _scope(self, scope: str, sweep: Sweep) -> bool:
        """Do the work of this scope; return whether nothing is left that this sweep could still do."""
        async with self._turn:
            if (lease := await self._leases.take(self._able(sweep), scope)) is not None:
                return await self._leased(lease, sweep)
        left = any([await self._store.pending(scope, task, 1) for task in self._able(sweep)])
        if left:
            self._unfinished.add(scope)
        return not left

    def _able(self, sweep: Sweep) -> tuple[Task, ...]:
        return tuple(task for task in self.tasks if task not in sweep.refused)

    async def _leased(self, lease: Lease, sweep: Sweep) -> bool:
        """Do a leased scope's work; return whether all of it was at least tried."""
        try:
            async with self._leases.renewed(lease):
                await self._embed(lease, sweep)
                waits = True
                while waits:
                    waits = await self._extract(lease, sweep)
                    await self._embed(lease, sweep)  # what was drawn
                    await self._fuse(lease, sweep)
                    waits = waits and not await self._held_up(lease, sweep)
                await self._embed(lease, sweep)  # what was fused
        except (LeaseLost, SourcesGone) as error:
            # Somebody else changed the ground; what is left is found again in the next pass.
            log.info("scope %r: %s", lease.scope, error)
            return False
        else:
            return True

    # --- tasks ---

    async def _embed(self, lease: Lease, sweep: Sweep) -> None:
        if (embedder := self._embedder) is None:
            return
        for failed in (False, True):
            while not self._over(lease, sweep, "embed"):
                due = None if sweep.everything else self._clock()
                batch = await self._listed(lease, "embed", sweep, self._settings.batch, failed=failed, due=due)
                if not batch:
                    break
                work = remember.embed(self._store, embedder, lease, batch, self._settings, self._clock())
                await self._attempt(lease, batch, sweep, work)

    def _over(self, lease: Lease, sweep: Sweep, task: Task) -> bool:
        """Whether to leave what is left of a scope: see `Sweep.over`; who closes does only what it has written."""
        return sweep.over or task in sweep.refused or (self._ending.is_set() and lease.scope not in self._mine)

    async def _extract(self, lease: Lease, sweep: Sweep) -> bool:
        """Extract what can be; return whether what is left waits for fusion."""
        for failed in (False, True):
            while not self._over(lease, sweep, "extract"):
                if await self._full(lease):
                    return True
                if not await self._extract_some(lease, sweep, failed=failed):
                    break
        return False

    async def _extract_some(self, lease: Lease, sweep: Sweep, *, failed: bool) -> bool:
        """Extract the windows that can be seen at once; return whether there were any.

        What failed before is kept out of the windows of what is new, so that neither waits for the other.
        """
        now, full = self._clock(), self._settings.window if self._settings.full else None
        due = now if failed and not sweep.everything else None
        work = await self._listed(lease, "extract", sweep, extract.EVERYTHING, failed=failed, due=due)
        found = list(extract.windows(work, self._settings.window))
        ready = [window for window in found if failed or sweep.unfinished or window.ready(full, now)]
        waiting = [window for window in found if not (failed or sweep.unfinished or window.ready(full, now))]
        if not failed:
            (self._unfinished.add if found else self._unfinished.discard)(lease.scope)
        # A session that was spoken in again is quiet only after its last message.
        await self._put_off(lease, sweep, [(window.work, window.due or now) for window in waiting])
        # A window that has become full is due, whatever happens before it is extracted.
        asked = [replace(piece, due=now) for window in ready for piece in window.work if piece.due == NEVER]
        if asked and not failed:
            await self._store.postpone(lease, asked)
        for window in ready:
            if self._over(lease, sweep, "extract") or await self._full(lease):
                return True
            space = self._embedder.space if self._embedder is not None else ""
            work = extract.extract(
                self._store, self._extractor, lease, window, self._clock(), space=space,
                resolve=self._settings.resolve, fuse="fuse" in self.tasks, hidden=remember.hiding(self._settings),
            )  # fmt: skip
            await self._attempt(lease, window.work, sweep, work)
            if not sweep.failures:
                self._cadence.extracted(lease.scope)
        return bool(ready)

    async def _full(self, lease: Lease) -> bool:
        """Whether the frames of another window might be more than may wait to be fused."""
        if "fuse" not in self.tasks:
            return False
        # What was tried as often as allowed waits for the next opening, and nothing waits for it.
        waiting = await self._store.pending(lease.scope, "fuse", QUEUE, due=EVER)
        return bool(waiting) and len(waiting) + self._settings.window > QUEUE

    async def _held_up(self, lease: Lease, sweep: Sweep) -> bool:
        """Whether the queue is full still: then what waits to be extracted is put off, and other scopes go on."""
        if not await self._full(lease):
            return False
        work = await self._store.pending(lease.scope, "extract", ALL, failed=False)
        await self._put_off(lease, sweep, [(work, self._clock() + timedelta(seconds=POLL))])
        return True

    async def _fuse(self, lease: Lease, sweep: Sweep) -> None:
        if self._embedder is None or "fuse" not in self.tasks:
            return
        fusion = Fusion(self._store, self._embedder, self._llm, self._settings, lease, self._clock)
        for failed in (False, True):
            now = self._clock()
            due = now if failed and not sweep.everything else None
            work = await self._listed(lease, "fuse", sweep, ALL, failed=failed, due=due)
            if not work or self._over(lease, sweep, "fuse"):
                continue
            await self._attempt(lease, work, sweep, fusion.join(work))
            work = await self._listed(lease, "fuse", sweep, ALL, failed=failed, due=due)
            coming = [] if failed or sweep.everything else await self._store.pending(
                lease.scope, "extract", ALL, failed=False, due=EVER
            )  # fmt: skip
            parts, waiting = await fusion.parts(work, more=bool(coming))
            for part in parts:
                if not self._over(lease, sweep, "fuse"):
                    await self._attempt(lease, part, sweep, fusion.fuse(part))
            later = max((piece.due or now for piece in coming), default=now)
            await self._put_off(lease, sweep, [(waiting, max(later, now + timedelta(seconds=POLL)))])

    async def _put_off(self, lease: Lease, sweep: Sweep, waiting: Sequence[tuple[Sequence[Pending], datetime]]) -> None:
        """Let work that is due wait, each part until its moment."""
        now = self._clock()
        parts = ((piece, until) for work, until in waiting for piece in work)
        later = [replace(piece, due=until) for piece, until in parts if piece.due is None or piece.due <= now]
        if later:
            sweep.moves += 1
            await self._store.postpone(lease, later)

    async def _listed(
        self, lease: Lease, task: Task, sweep: Sweep, limit: int, *, failed: bool, due: datetime | None
    ) -> list[Pending]:
        """Work that this sweep has not tried yet."""
        found = await self._store.pending(lease.scope, task, limit + len(sweep.tried), failed=failed, due=due)
        return [piece for piece in found if (lease.scope, piece.task, piece.id) not in sweep.tried][:limit]

    async def _attempt(self, lease: Lease, work: Sequence[Pending], sweep: Sweep, doing: Awaitable[Any]) -> None:
        """Await `doing`; where it fails, leave its work for later, with the reason."""
        sweep.moves += 1
        try:
            await doing
        except (LeaseLost, SourcesGone):
            raise
        except Exception as error:
            expected = isinstance(error, FabulaError)
            log.warning("%s of scope %r failed: %s", work[0].task, lease.scope, error, exc_info=not expected)
            reason = str(error) if expected else f"{type(error).__name__}: {error}"
            sweep.failures += 1
            if isinstance(error, ProviderAuthError):
                sweep.refused.add(work[0].task)
                self._refused[work[0].task] = time.monotonic() + RELENT
            sweep.errors.append(reason)
            sweep.tried |= {(lease.scope, piece.task, piece.id) for piece in work}
            await self._store.postpone(lease, [self._postponed(piece, reason) for piece in work])
        else:
            sweep.failures = 0

    def _postponed(self, piece: Pending, reason: str) -> Pending:
        attempts = piece.attempts + 1
        # A flush goes on trying beyond the limit.
        pause = timedelta(seconds=min(self._settings.backoff * 2.0 ** min(attempts - 1, DOUBLED), LONGEST))
        due = NEVER if attempts >= self._settings.attempts else self._clock() + pause
        return replace(piece, attempts=attempts, error=reason[:500], due=due)


async def _within(seconds: float, event: asyncio.Event) -> None:
    """Wait for `event`, no longer than `seconds`."""
    # Not asyncio.wait_for: before Python 3.12 it loses a cancellation that arrives together with the event.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
