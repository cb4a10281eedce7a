"""The blocking face: every call goes through a portal to `AsyncMemory` in a thread of its own.

It repeats no logic. It works in scripts, threads, notebooks and inside a running event loop (which it blocks).
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, wait
from datetime import datetime, timedelta
from pathlib import Path
from types import EllipsisType, TracebackType
from typing import Any, Final, Self, TypeVar

from fabula.abc import LLM, BlobStore, Clock, Embedder, Extractor, Pending, Store
from fabula.authored import Meta
from fabula.blocking.files import BlockingFiles
from fabula.blocking.graph import BlockingKnowledge
from fabula.blocking.kv import BlockingKeyValues
from fabula.checking import patience
from fabula.errors import ForkedMemory, MemoryClosed, ReentrantCall
from fabula.looking import DRAWN
from fabula.memory import DEFAULT_PLAN, AsyncMemory, EmbedderName, local_now
from fabula.pruning import Upkept
from fabula.reflect import BATCH
from fabula.render import Recollection
from fabula.settings import Settings
from fabula.transfer import Imported
from fabula.types import (
    Access,
    Emotion,
    EmotionProfile,
    Extracted,
    Flushed,
    Forgotten,
    Image,
    Interval,
    Kind,
    Message,
    Plan,
    Receipt,
    Record,
    Reflection,
    Session,
    Stats,
    Status,
)
from fabula.upkeep import Progress, quiet

T = TypeVar("T")
ALERT: Final = 0.5
"""Seconds a blocked call is deaf to signals, at most."""


class _Portal:
    """An event loop in a thread, and the way into it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = os.getpid()
        # A daemon: a program that forgets to close its memory can still end. What was acknowledged is on disk.
        self._thread = threading.Thread(target=self._loop.run_forever, name="fabula-portal", daemon=True)
        self._thread.start()

    def enter(self, method: str) -> None:
        """Raise where waiting for the loop could never end."""
        if os.getpid() != self._process:
            raise ForkedMemory
        if threading.current_thread() is self._thread:
            raise ReentrantCall(method)

    def call(self, method: str, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            self.enter(method)
        except BaseException:
            coroutine.close()
            raise
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            while not future.done():
                # Not for ever at once: a signal may arrive in another thread, and is only seen between two waits.
                wait([future], ALERT)
            return future.result()
        except CancelledError:
            raise MemoryClosed from None
        except BaseException:
            # Ctrl-C lands here, in the waiting thread: the call in the loop must not go on unheard.
            future.cancel()
            raise

    def close(self) -> None:
        if os.getpid() != self._process:
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        """Let go of whoever still waits for an answer, and of the loop's threads."""
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await self._loop.shutdown_default_executor()


class Memory:
    """A long-term memory in a database, without `await`; see `AsyncMemory` for every argument.

        with Memory("memory.db") as memory:
            memory.remember("alice", [Message("I moved to Porto in May", speaker="Alice")])
            found = memory.recall("alice", "Where does Alice live?")

    A memory that is used without `with` opens itself at the first call; close it when done.
    """

    def __init__(
        self,
        database: str | Path | Store,
        *,
        embedder: Embedder | EmbedderName | None = "default",
        extractor: Extractor | None = None,
        llm: LLM | None = None,
        settings: Settings | None = None,
        clock: Clock = local_now,
        blobs: BlobStore | None = None,
        background: bool = True,
    ) -> None:
        self._memory = AsyncMemory(
            database, embedder=embedder, extractor=extractor, llm=llm, settings=settings, clock=clock,
            blobs=blobs, background=background,
        )  # fmt: skip
        self.files = BlockingFiles(self._memory.files, self._call)
        self.kv = BlockingKeyValues(self._memory.kv, self._call)
        self.graph = BlockingKnowledge(self._memory.graph, self._call)
        self._portal: _Portal | None = None
        self._closed = False
        self._guard = threading.Lock()

    @property
    def settings(self) -> Settings:
        """The settings in use."""
        return self._memory.settings

    def _call(self, method: str, coroutine: Coroutine[Any, Any, T]) -> T:
        try:
            portal = self._entered()
        except BaseException:
            coroutine.close()
            raise
        return portal.call(method, coroutine)

    def _entered(self) -> _Portal:
        if self._portal is None and not self._closed:
            self.open()
        if self._portal is None:
            raise MemoryClosed
        return self._portal

    def open(self) -> Self:
        """Open the database; see `AsyncMemory.open`."""
        with self._guard:
            if self._portal is None:
                portal = _Portal()
                try:
                    portal.call("open", self._memory.open())
                except BaseException:
                    portal.close()
                    raise
                self._portal, self._closed = portal, False
        return self

    def close(self, *, drain: float | None = None) -> None:
        """Finish due background work and close; see `AsyncMemory.close`."""
        patience("drain", drain)  # while it can still be closed
        if self._portal is not None:
            self._portal.enter("close")
        with self._guard:
            portal, self._portal, self._closed = self._portal, None, True
            if portal is not None:
                try:
                    portal.call("close", self._memory.close(drain=drain))
                finally:
                    portal.close()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def remember(self, scope: str, messages: Iterable[Message | str] | Message | str) -> Receipt:
        """Store what was said; see `AsyncMemory.remember`."""
        return self._call("remember", self._memory.remember(scope, messages))

    def add(self, scope: str, records: Record | Iterable[Record]) -> tuple[str, ...]:
        """Write records of your own; see `AsyncMemory.add`."""
        return self._call("add", self._memory.add(scope, records))

    def revise(
        self,
        scope: str,
        record_id: str,
        *,
        text: str | None = None,
        importance: float | None = None,
        emotion: Emotion | EllipsisType | None = ...,
        valid: Interval | None = None,
        meta: Meta | None = None,
    ) -> Record | None:
        """Write a new version of a record; see `AsyncMemory.revise`."""
        revising = self._memory.revise(
            scope, record_id, text=text, importance=importance, emotion=emotion, valid=valid, meta=meta
        )
        return self._call("revise", revising)

    def recall(
        self,
        scope: str,
        query: str,
        plan: Plan = DEFAULT_PLAN,
        *,
        at: datetime | str | None = None,
        as_of: datetime | str | None = None,
        explain: bool = False,
        images: Sequence[Image] = (),
    ) -> Recollection:
        """Bring back what matters for `query`; see `AsyncMemory.recall`."""
        return self._call(
            "recall", self._memory.recall(scope, query, plan, at=at, as_of=as_of, explain=explain, images=images)
        )

    def reflect(self, scope: str, *, batch: int = BATCH) -> Reflection:
        """Draw insights from what is new; see `AsyncMemory.reflect`."""
        return self._call("reflect", self._memory.reflect(scope, batch=batch))

    def forget(
        self,
        scope: str,
        *,
        ids: Sequence[str] = (),
        refs: Sequence[str] = (),
        session: str | None = None,
        everything: bool = False,
    ) -> Forgotten:
        """Erase records, a session or the whole scope; see `AsyncMemory.forget`."""
        return self._call(
            "forget", self._memory.forget(scope, ids=ids, refs=refs, session=session, everything=everything)
        )

    def flush(self, scope: str | None = None, *, seconds: float | None = None, unfinished: bool = True) -> Flushed:
        """Do all background work now; see `AsyncMemory.flush`."""
        return self._call("flush", self._memory.flush(scope, seconds=seconds, unfinished=unfinished))

    def extract(
        self, scope: str, *, session: str | None = None, ids: Sequence[str] = (), seconds: float | None = None
    ) -> Extracted:
        """Extract now what waits for it; see `AsyncMemory.extract`."""
        return self._call("extract", self._memory.extract(scope, session=session, ids=ids, seconds=seconds))

    def records(
        self,
        scope: str,
        kind: Kind = "passage",
        *,
        session: str | None = None,
        speaker: str | None = None,
        during: Interval | None = None,
        mentions: str | None = None,
        status: Status | None = "live",
        limit: int | None = None,
    ) -> list[Record]:
        """List the records of one kind; see `AsyncMemory.records`."""
        listing = self._memory.records(
            scope, kind, session=session, speaker=speaker, during=during, mentions=mentions, status=status, limit=limit
        )
        return self._call("records", listing)

    def dated(
        self,
        scope: str,
        kinds: Sequence[Kind] = DRAWN,
        *,
        during: Interval | None = None,
        sort: str | None = None,
        edges: bool = True,
        exact: timedelta | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[int, list[tuple[datetime, Record]]]:
        """List records by time, newest first; see `AsyncMemory.dated`."""
        listing = self._memory.dated(
            scope, kinds, during=during, sort=sort, edges=edges, exact=exact, limit=limit, offset=offset
        )
        return self._call("dated", listing)

    def get(self, scope: str, record_id: str, *, as_of: datetime | str | None = None) -> Record | None:
        """Return a record by id; see `AsyncMemory.get`."""
        return self._call("get", self._memory.get(scope, record_id, as_of=as_of))

    def history(self, scope: str, record_id: str) -> list[Record]:
        """Return every version of a record; see `AsyncMemory.history`."""
        return self._call("history", self._memory.history(scope, record_id))

    def accessed(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        """Return how often records came back; see `AsyncMemory.accessed`."""
        return self._call("accessed", self._memory.accessed(scope, ids))

    def unused(
        self,
        scope: str,
        since: datetime | str,
        *,
        kinds: Sequence[Kind] = DRAWN,
        edges: bool = True,
        limit: int = 50,
    ) -> list[Record]:
        """Return what has not come back since a moment; see `AsyncMemory.unused`."""
        return self._call("unused", self._memory.unused(scope, since, kinds=kinds, edges=edges, limit=limit))

    def pending(self, scope: str) -> list[Pending]:
        """Return the work that is left to do in a scope; see `AsyncMemory.pending`."""
        return self._call("pending", self._memory.pending(scope))

    def sessions(self, scope: str, *, limit: int = 50, offset: int = 0, without: str = "") -> tuple[int, list[Session]]:
        """List the sessions of a scope; see `AsyncMemory.sessions`."""
        return self._call("sessions", self._memory.sessions(scope, limit=limit, offset=offset, without=without))

    def feelings(self, scope: str, *, at: datetime | str | None = None) -> EmotionProfile:
        """Return how what a scope tells felt; see `AsyncMemory.feelings`."""
        return self._call("feelings", self._memory.feelings(scope, at=at))

    def scopes(self) -> list[str]:
        """Return every scope that holds anything."""
        return self._call("scopes", self._memory.scopes())

    def stats(self, scope: str | None = None) -> Stats:
        """Count and measure one scope, or all."""
        return self._call("stats", self._memory.stats(scope))

    def check(self, scope: str | None = None) -> list[str]:
        """Prove that everything agrees; see `AsyncMemory.check`."""
        return self._call("check", self._memory.check(scope))

    def reembed(self, scope: str | None = None, *, progress: Progress = quiet) -> int:
        """Embed anew what another model has embedded; see `AsyncMemory.reembed`."""
        return self._call("reembed", self._memory.reembed(scope, progress=progress))

    def upkeep(self, scope: str | None = None) -> Upkept:
        """Keep the graph small; see `AsyncMemory.upkeep`."""
        return self._call("upkeep", self._memory.upkeep(scope))

    def reextract(self, scope: str | None = None) -> int:
        """Have what only rules have read extracted again; see `AsyncMemory.reextract`."""
        return self._call("reextract", self._memory.reextract(scope))

    def reindex(self, scope: str | None = None) -> int:
        """Make the keyword index anew; see `AsyncMemory.reindex`."""
        return self._call("reindex", self._memory.reindex(scope))

    def export(self, scope: str) -> dict[str, Any]:
        """Return all there is of a scope as one JSON object; see `AsyncMemory.export`."""
        return self._call("export", self._memory.export(scope))

    def import_(self, data: Mapping[str, Any], *, scope: str | None = None) -> Imported:
        """Put in what `export` gave; see `AsyncMemory.import_`."""
        return self._call("import_", self._memory.import_(data, scope=scope))
