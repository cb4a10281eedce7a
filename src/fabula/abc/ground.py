"""What a memory that is open stands on, as it is handed to a flow; knows no engine and no host."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from fabula.abc.changes import Lease
from fabula.abc.models import LLM, BlobStore, Clock, Embedder, Extractor
from fabula.abc.store import Store
from fabula.settings import Settings
from fabula.types import Access, Flushed


class Accesses(Protocol):
    """Counts which records come back (`access.AccessLog`)."""

    def touch(self, scope: str, ids: Iterable[str]) -> None:
        """Count that these records came back now, without waiting for anything."""
        ...

    def drop(self, scope: str) -> None:
        """Forget what is not written yet of a scope that is erased."""
        ...

    async def write(self, scope: str | None = None) -> None:
        """Write what is counted so far, of one scope or all."""
        ...

    async def of(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        """Return how often these records came back and when, written or not."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """An open memory's store and models, and its ways to the background."""

    store: Store
    embedder: Embedder | None
    llm: LLM | None
    extractor: Extractor
    blobs: BlobStore | None
    access: Accesses
    settings: Settings
    clock: Clock
    wake: Callable[[str], None]
    """Say that there is new work in a scope."""
    holding: Callable[[str], AbstractAsyncContextManager[Lease | None]]
    """Hold a scope's lease while something is done to it; `None` where one outside this memory holds it."""
    flush: Callable[[str], Awaitable[Flushed]]
    """Do a scope's background work now, and wait for it."""

    @property
    def space(self) -> str:
        """The embedding space that is written in; empty where nothing is embedded."""
        return "" if self.embedder is None else self.embedder.space


Ready: TypeAlias = Callable[[], Awaitable[Ground]]
"""Opens the memory where it is not open yet; raises `MemoryClosed` after closing."""
