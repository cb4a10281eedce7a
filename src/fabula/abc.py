"""The seams of fabula: what a store, a model and an extractor must do, and what is passed through them.

Nothing here knows an engine, a host or a flow. `fabula.testing` holds a contract suite for stores and the fakes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fabula.errors import ProviderBadReply
from fabula.index import Index
from fabula.types import NOTHING, Entity, Fact, Forgotten, Frame, Interval, Kind, Note, Passage, Record, Stats, Status

Vectors: TypeAlias = NDArray[np.float32]
"""Shape (texts, dimensions), rows of length 1."""
Task = Literal["embed", "extract"]
Role = Literal["query", "passage"]
SEARCHED: tuple[Kind, ...] = ("passage", "frame", "fact", "insight")
"""Kinds that are found by keyword: they have terms, unless they are blank."""
MOVED = ("records", "postings", "vectors", "edges", "tombstones", "pending")
"""What a scope consists of when it is moved to another database; caches are made anew."""


# --- what a store takes and gives ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """A text as the keyword search sees it: `postings` packed as `index.POSTING`, `length` without stop words."""

    postings: bytes
    length: int
    question: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A record to write, with its terms where it is to be found by keyword and the tasks it leaves behind."""

    record: Record
    terms: Terms | None = None
    tasks: tuple[Task, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """A link between two records: `kind` `mentions` (an entity and a passage it occurs in). Provenance edges are
    made by the store from the records' `sources`."""

    source: str
    target: str
    kind: Literal["mentions"]
    ref: str = ""
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """One transaction of one scope.

    `add` inserts records whose id is not there yet; one that is there or was erased is reported and left as it is.
    `put` closes the live version with the same id, if any, and inserts the new one; passages are never put, they do
    not change. `close` ends live versions. The work left on an ended version goes with it.
    `done` strikes (task, record id) from the pending work. All or nothing is written.
    """

    add: tuple[Entry, ...] = ()
    put: tuple[Entry, ...] = ()
    close: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    terms: Mapping[int, Terms] = field(default_factory=dict[int, Terms])
    """Terms made anew, by record number."""
    vectors: Mapping[str, NDArray[np.float32]] = field(default_factory=dict[str, NDArray[np.float32]])
    """Unit vectors by record id, in `space`."""
    space: str = ""
    beside: bool = False
    """The vectors stand beside those of the space the scope is kept in, until a `switch`."""
    switch: bool = False
    """The scope is kept in `space` from now on; vectors of other spaces go, and what has none is to be embedded."""
    cache: Mapping[bytes, NDArray[np.float32]] = field(default_factory=dict[bytes, NDArray[np.float32]])
    """Embeddings to remember by content hash, in `space`."""
    done: tuple[tuple[Task, str], ...] = ()
    analyzer: int | None = None
    """The tokeniser version that made the terms; a scope keeps its first one until all is `reindexed`."""
    reindexed: bool = False
    """All terms of the scope are of `analyzer` now."""
    at: datetime | None = None
    """When it is recorded; default: now."""
    quiet: float = 0.0
    """Seconds after `at` from which `extract` work of this write is due."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """What a write did. `present` maps the ids of `add` that were there before to the stored record."""

    revision: int
    present: Mapping[str, Record] = field(default_factory=lambda: NOTHING)
    erased: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True, slots=True)
class Erasure:
    """What to erase in a scope: passages or other records by id, a whole session, or everything."""

    ids: tuple[str, ...] = ()
    session: str | None = None
    everything: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """The right to do one scope's pending work until it runs out."""

    scope: str
    worker: str
    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Pending:
    """One piece of work left to do."""

    task: Task
    id: str
    """The record it is about."""
    number: int
    session: str
    attempts: int = 0
    error: str = ""
    due: datetime | None = None
    """Not to be tried before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """Which records to list: newest last. `after` continues behind a record number."""

    kind: Kind
    session: str | None = None
    speaker: str | None = None
    during: Interval | None = None
    mentions: str | None = None
    """Only records whose text contains this, letter case aside."""
    status: Status | None = "live"
    ended: bool = False
    """Also versions that are no longer believed."""
    limit: int = 100
    after: int = -1


@dataclass(frozen=True, slots=True)
class ScopeState:
    """Where a scope stands: what its own row holds."""

    revision: int
    """Grows with every write."""
    reset: int
    """The revision of the last erasure."""
    next_number: int
    """The number of the next record version."""
    analyzer: int
    space: str


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
        was written since; past an erasure it is ignored. One index is extended by one caller at a time.
        """

    @abstractmethod
    async def write(self, scope: str, changes: Changes, lease: Lease | None = None) -> Written:
        """Apply `changes` in one durable transaction.

        Raises `LeaseLost` if `lease` is no longer held, `SourcesGone` if a source of a record to write does not
        exist, `EmbeddingMismatch` if the scope is kept in another space than `changes.space`.
        """

    @abstractmethod
    async def erase(self, scope: str, erasure: Erasure) -> Forgotten:
        """Remove records with everything made from them, from every table, and leave tombstones for message ids.

        Facts, entities and notes stay while another source (or mention) of theirs does. The passages that stay of a
        frame that goes are extracted again.

        Erasing everything leaves nothing of the scope, tombstones included.
        """

    @abstractmethod
    async def get(self, scope: str, ids: Sequence[str], as_of: datetime | None = None) -> dict[str, Record]:
        """Return the records with these ids that are believed now, or were at `as_of`; unknown ids are left out."""

    @abstractmethod
    async def fetch(self, scope: str, numbers: Sequence[int]) -> dict[int, Record]:
        """Return record versions by number; unknown numbers are left out."""

    @abstractmethod
    async def find(self, scope: str, wanted: Filter) -> list[tuple[int, Record]]:
        """List records with their numbers, in order of arrival."""

    @abstractmethod
    async def citing(self, scope: str, ids: Sequence[str], kinds: Sequence[Kind]) -> list[Record]:
        """Return the live records of these kinds that were made from, or are mentioned in, one of `ids`.

        An entity's `sources` then name all of `ids` that mention it.
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

        The work is due by `due` (default: `now`). A worker may lease again what it holds, to hold it longer.
        """

    @abstractmethod
    async def release(self, lease: Lease) -> None:
        """Give a lease back; harmless when it was lost."""

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

        `table` is one of `MOVED`. The rows are the same on every engine.
        """

    @abstractmethod
    async def receive(self, scope: str, revision: int) -> dict[str, tuple[Any, ...] | None] | None:
        """Make ready for a copy of the scope as it is at `revision`; return the last key there is by table.

        `None`: the copy is complete. Raises `InvalidInput` where the scope holds something else.
        """

    @abstractmethod
    async def restore(self, scope: str, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Write rows that `page` gave; those that are there already stay."""

    @abstractmethod
    async def publish(self, scope: str, state: ScopeState) -> None:
        """End a copy: from now on the scope is there."""

    # --- looking after it ---

    @abstractmethod
    async def stats(self, scope: str | None = None) -> Stats:
        """Count and measure one scope, or all."""

    @abstractmethod
    async def check(self, scope: str | None = None) -> list[str]:
        """Return one line for each thing in the database that does not agree with the rest; empty when all is well.

        Every passage that is not blank has terms, and a vector or `embed` work.
        """


# --- models -----------------------------------------------------------------------------------------------------


class Embedder(ABC):
    """Turns texts into vectors."""

    space: str
    """Names the vector space: model, dimensions and revision. Vectors of different spaces are never compared."""
    dimensions: int

    @abstractmethod
    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, in order. `texts` are not blank; any length is taken.

        Raises a `ProviderError`.
        """

    async def vectors(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return what `embed` does, once it is proved to be that: one finite vector a text, of length 1.

        Raises `ProviderBadReply` where it is not.
        """
        rows = np.asarray(await self.embed(texts, role), np.float32)
        if rows.shape != (len(texts), self.dimensions):
            wanted = (len(texts), self.dimensions)
            raise ProviderBadReply(f"{self.space} gave vectors of shape {rows.shape}, not {wanted}", reason="malformed")
        lengths = np.sqrt(np.vecdot(rows, rows))
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ProviderBadReply(f"{self.space} gave a vector that points nowhere", reason="malformed")
        return rows / lengths[:, None]

    def similarity(
        self, cosine: NDArray[np.float32], *, role: Role = "passage", scripts: tuple[str, str] | None = None
    ) -> NDArray[np.float32]:
        """Map cosines to [0, 1], where .5 is as alike as unrelated texts get; by default negative becomes 0.

        A model's cosines depend on what is held against a passage (`role`: a question, or another passage) and on
        the scripts of the two texts (`scripts`: "han" or "latin", the passage's last), where these are known.
        """
        return np.clip(cosine, 0.0, 1.0)

    async def close(self) -> None:
        """Let go of connections and threads."""
        return


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a language model answered."""

    text: str
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


@runtime_checkable
class LLM(Protocol):
    """Answers a chat."""

    async def chat(
        self, messages: Sequence[Mapping[str, str]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        """Answer `messages` (`role`, `content`); with `schema`, as JSON of that shape where the host can.

        Raises a `ProviderError`; an empty, cut-off or refused answer is a `ProviderBadReply`, never an empty success.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """What was drawn from a window of passages. Scopes are the flow's to set; `sources` name the passages."""

    frames: tuple[Frame, ...] = ()
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    notes: tuple[Note, ...] = ()
    rejected: int = 0
    """Items of the reply that were left out because they made no sense."""


class Extractor(Protocol):
    """Draws frames, facts and entities from talk."""

    name: str

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Return what `window` says; `context` holds the passages before it, for understanding only.

        Raises a `ProviderError` when it could not be done; that is never the same as finding nothing.
        """
        ...


class BlobStore(Protocol):
    """Keeps bytes that do not belong in a database."""

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, replacing what was there."""
        ...

    async def get(self, key: str) -> bytes:
        """Return the bytes under `key`; raises `KeyError`."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove `key`; return whether it was there."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """Return the current time, aware."""
        ...
