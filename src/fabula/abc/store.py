"""What a store must do. `fabula.testing` holds a contract suite for it; knows no engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.abc.changes import Changes, Erasure, Filter, Lease, Pending, ScopeState, Task, Written
from fabula.index import Block, Floats, Index
from fabula.types import Access, Forgotten, Kind, Note, Record, Session, Stats


class Store(ABC):
    """Where memories are kept: durable, transactional, walled by scope.

    Every method but `open`, `close` and those that say so touches one scope only. All raise `StoreUnavailable`
    when the database cannot be reached, and none leaves a half-written transaction.
    """

    engine: str
    """The engine's name: `sqlite`, `postgres`."""

    @abstractmethod
    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises `SchemaTooNew` and `StoreUnavailable`."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of every connection; harmless when closed already."""

    @abstractmethod
    async def load(self, scope: str, space: str, base: Index | None = None) -> Index:
        """Return the scope's index at its current revision, with the vectors of `space`.

        An older index of the same scope and space given as `base` is extended, or returned as it is when nothing
        was written since; past an erasure it is ignored. One index is extended by one caller at a time. An index
        that is `apart` holds no vectors.
        """

    @abstractmethod
    async def nearest(self, scope: str, space: str, vector: Floats, limit: int) -> Block:
        """Return about the `limit` nearest vectors to a unit vector, in no order: record numbers and a matrix.

        How an index that is `apart` is searched; some of the nearest may be missed there.
        """

    @abstractmethod
    async def vectors(self, scope: str, space: str, numbers: Sequence[int]) -> Block:
        """Return the vectors of these records, those that have one: record numbers and a matrix."""

    @abstractmethod
    async def write(self, scope: str, changes: Changes, lease: Lease | None = None) -> Written:
        """Apply `changes` in one durable transaction.

        Raises `LeaseLost` if `lease` is no longer held, `SourcesGone` if a source of a record to write does not
        exist, `EmbeddingMismatch` if the scope is kept in another space than `changes.space`.
        """

    @abstractmethod
    async def erase(self, scope: str, erasure: Erasure) -> Forgotten:
        """Remove records with everything made from them, from every table, and leave tombstones for message ids.

        Facts, entities and notes stay while another source (or mention) of theirs does; an entity then is called by
        none of the names that only the others told. What is left of a record whose latest version goes is the one
        before. A fact that was ended by one that goes (`timeline.SUPERSEDED_BY`) holds again, until the next that ends
        it. The passages that stay of a frame that goes are extracted again, unless an earlier version of it has them.
        What is tied by an alias that goes (`names.NAMED_BY`) is tied by the names that are left; what has become one
        by it (`names.TOOK`) is two again.
        A fact that stands for a chain of others (`timeline.COMPRESSED`) goes with any of its sources, and what is left
        of the others holds again; forgotten by id, it takes all of them along.

        Erasing everything leaves nothing of the scope, tombstones included.
        """

    async def scrub(self, *, now: bool = False) -> None:
        """Overwrite what erasures left in unused parts of the database, where this engine can (all scopes).

        Unless it is to be done `now`, it is put off where it takes seconds or somebody else reads or writes.
        """
        del now

    @abstractmethod
    async def get(self, scope: str, ids: Sequence[str], as_of: datetime | None = None) -> dict[str, Record]:
        """Return the records with these ids that are believed now, or were at `as_of`; unknown ids are left out."""

    @abstractmethod
    async def fetch(self, scope: str, numbers: Sequence[int]) -> dict[int, Record]:
        """Return record versions by number; unknown numbers are left out."""

    async def shown(self, scope: str, index: Index, numbers: Sequence[int]) -> dict[int, Record]:
        """Return record versions by number as `fetch` does: as they are now, or were when `index` was read.

        Others may be handed the same records.
        """
        del index
        return await self.fetch(scope, numbers)

    @abstractmethod
    async def pictures(self, scope: str, record_id: str) -> dict[int, bytes]:
        """Return the pictures kept with a passage, by their place among its images."""

    @abstractmethod
    async def find(self, scope: str, wanted: Filter) -> list[tuple[int, Record]]:
        """List records with their numbers, in order of arrival."""

    async def pages(self, scope: str, wanted: Filter) -> AsyncGenerator[list[tuple[int, Record]], None]:
        """Yield what `find` lists from `wanted.after` on, `wanted.limit` at a time, until there is no more."""
        while page := await self.find(scope, wanted):
            yield page
            wanted = replace(wanted, after=page[-1][0])

    @abstractmethod
    async def sessions(
        self, scope: str, *, limit: int = 50, offset: int = 0, without: str = ""
    ) -> tuple[int, list[Session]]:
        """Return how many sessions there are, and up to `limit` of them behind `offset`, the latest told first.

        Those whose id begins with `without` are left out, unless that is blank.
        """

    @abstractmethod
    async def notes(
        self, scope: str, namespace: str, *, prefix: str, after: str, limit: int, as_of: datetime | None = None
    ) -> list[Note]:
        """List the notes of a namespace whose keys begin with `prefix` and come behind `after`, in order of their keys.

        Those that are kept now, or were at `as_of`. Keys are ordered by their code points; every character of `prefix`
        stands for itself.
        """

    @abstractmethod
    async def citing(
        self, scope: str, ids: Sequence[str], kinds: Sequence[Kind], as_of: datetime | None = None
    ) -> list[Record]:
        """Return the records of these kinds that were made from, or are mentioned in, one of `ids`.

        They are those that are believed now, or were at `as_of`. An entity's `sources` then name all of `ids` that
        mention it.
        """

    async def cited(
        self, scope: str, index: Index, ids: Sequence[str], kinds: Sequence[Kind], as_of: datetime | None = None
    ) -> list[Record]:
        """Return what `citing` does, as it is now or was when `index` was read; others may be handed the same."""
        del index
        return await self.citing(scope, ids, kinds, as_of)

    @abstractmethod
    async def touch(self, scope: str, counts: Mapping[str, int], at: datetime) -> None:
        """Count that records came back, each so many times, the last of them at `at`.

        Ids of what is not there are left out, and no scope is made. The scope's revision stays: an index in memory is
        as good as before, and who writes to the scope does not wait. If the connection breaks while it is done, it may
        be done twice.
        """

    @abstractmethod
    async def accessed(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        """Return how often these records came back and when, of those that ever did."""

    @abstractmethod
    async def versions(self, scope: str, ids: Sequence[str]) -> list[Record]:
        """Return every version of these records, oldest first."""

    @abstractmethod
    async def unused(self, scope: str, kinds: Sequence[Kind], since: datetime, limit: int) -> list[Record]:
        """Return the live records of these kinds that last came back before `since`, the longest unused first.

        What never came back counts from when its first version was recorded.
        """

    @abstractmethod
    async def scopes(self) -> list[str]:
        """Return every scope with anything in it (all scopes)."""

    @abstractmethod
    async def lease(
        self, worker: str, tasks: Sequence[Task], now: datetime, seconds: float, *,
        due: datetime | None = None, scope: str | None = None,
    ) -> Lease | None:  # fmt: skip
        """Lease a scope (any, or this one) with work of one of `tasks` that nobody else holds.

        The work is due by `due` (default: `now`); without `tasks`, this scope is leased for other work. A worker may
        lease again what it holds, to hold it longer.
        """

    @abstractmethod
    async def release(self, lease: Lease) -> None:
        """Give a lease back; harmless when it was lost."""

    @abstractmethod
    async def leases(self) -> list[Lease]:
        """Return every lease, also those that have run out (all scopes)."""

    @abstractmethod
    async def holder(self, scope: str) -> Lease | None:
        """Return the scope's lease, which may have run out; `None` where there is none."""

    @abstractmethod
    async def pending(
        self, scope: str, task: Task, limit: int = 1000, *, failed: bool | None = None, due: datetime | None = None
    ) -> list[Pending]:
        """Return the scope's work of one kind, in the order of sessions and messages.

        `failed` narrows it to work that did or did not fail before, `due` to what is due by then.
        """

    @abstractmethod
    async def postpone(self, lease: Lease, work: Sequence[Pending]) -> None:
        """Record a failed attempt: the new `attempts`, `error` and `due` of each piece of work.

        Raises `LeaseLost` if `lease` is no longer held.
        """

    @abstractmethod
    async def retry(self, attempts: int) -> int:
        """Give work that failed `attempts` times or more a fresh start; return how much (all scopes)."""

    @abstractmethod
    async def hasten(self, scope: str, session: str | None = None) -> int:
        """Make what waits to be extracted, of a scope or one session, due at once; return how much that is.

        What has failed keeps its own time.
        """

    @abstractmethod
    async def crowded(self, count: int) -> list[str]:
        """Return the scopes with a session of which `count` messages or more wait to be extracted (all scopes)."""

    @abstractmethod
    async def unembedded(self, scope: str, space: str) -> list[int]:
        """Return the numbers of the records without a vector in `space` that ought to have one in some space.

        What waits to be embedded is left out.
        """

    @abstractmethod
    async def cached(self, scope: str, space: str, hashes: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return remembered embeddings by content hash."""

    # --- moving a scope to another database ---

    @abstractmethod
    async def state(self, scope: str) -> ScopeState | None:
        """Return where a scope stands; `None` where there is none."""

    @abstractmethod
    async def page(
        self, scope: str, table: str, after: tuple[Any, ...] | None = None, limit: int = 1000
    ) -> list[tuple[Any, ...]]:
        """Return about `limit` rows of a table after a key, in the order of the keys, each with its key first.

        `table` is one of `MOVED`, which tells how long a key is. The rows are the same on every engine.
        """

    @abstractmethod
    async def receive(
        self, scope: str, revision: int, copier: str, *, afresh: bool = False
    ) -> dict[str, tuple[Any, ...] | None] | None:
        """Make ready for a copy of the scope as it is at `revision`; return the last key there is by table.

        `copier` is a name that no other copy has; an earlier one can write no more. What an unfinished copy of that
        revision left is gone on with, unless it is to begin `afresh`. `None`: the copy is complete. Raises
        `InvalidInput` where the scope holds something else.
        """

    @abstractmethod
    async def restore(self, scope: str, copier: str, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Write rows that `page` gave; those that are there already stay. Until `publish`, nobody sees them but `page`.

        A write to the scope is an `Unfinished`, `check` names it, and its `state` is `None`.

        Raises `StoreUnavailable` where another copy has begun, or the scope was forgotten.
        """

    @abstractmethod
    async def publish(self, scope: str, copier: str, state: ScopeState) -> None:
        """End a copy: from now on the scope is there. Raises as `restore` does."""

    # --- looking after it ---

    @abstractmethod
    async def stats(self, scope: str | None = None) -> Stats:
        """Count and measure one scope, or all."""

    @abstractmethod
    async def check(self, scope: str | None = None) -> list[str]:
        """Return one line for each thing in the database that does not agree with the rest; empty when all is well.

        Every passage that is not blank has terms; one that is not `wordless` has a vector or `embed` work; every image
        with a media type has its picture. What came back is there.
        """
