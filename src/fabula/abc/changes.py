"""What a store takes and gives: a transaction's changes, pending work, leases; knows no store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from fabula.types import NOTHING, Interval, Kind, Record, Status

Task = Literal["embed", "extract", "fuse"]
NEVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""When work is due that waits to be asked for, or was tried as often as allowed: the next opening asks for that."""
SEARCHED: tuple[Kind, ...] = ("passage", "frame", "fact", "entity", "insight")
"""Kinds that are found by keyword: they have terms, unless they are blank."""
MOVED: Mapping[str, int] = {
    "records": 1,
    "postings": 1,
    "vectors": 2,
    "edges": 4,
    "tombstones": 1,
    "pending": 2,
    "pictures": 2,
    "access": 1,
}
"""What a scope consists of when it is moved to another database, and how many columns are a row's key there. Caches
are made anew."""
COUNTED: frozenset[str] = frozenset({"access"})
"""What reading alone changes: a copy has it as it was when its turn came, and does not begin again for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """A record as an index in memory sees it: `postings` packed as `postings.POSTING`, `length` without stop words, and
    `links` packed as `index.LINK`."""

    postings: bytes
    length: int
    question: bool = False
    links: bytes = b""
    embedded: bool = False
    """Whether it ought to have a vector, if it is no passage: passages all ought to."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A record to write, with its terms where it is to be found by keyword and the tasks it leaves behind."""

    record: Record
    terms: Terms | None = None
    tasks: tuple[Task, ...] = ()
    pictures: Mapping[int, bytes] = field(default_factory=lambda: NOTHING)
    """What is kept of a passage's images, by their place among them. They go with the passage."""


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
    again: tuple[tuple[Task, str], ...] = ()
    """Work to be done once more: (task, record id); of what is not there, none."""
    analyzer: int | None = None
    """The tokeniser version that made the terms; a scope keeps its first one until all is `reindexed`."""
    reindexed: bool = False
    """All terms of the scope are of `analyzer` now."""
    revision: int | None = None
    """The revision that the scope has to be at, 0 where it is not to be there yet: at another one nothing is written,
    and `Written.revision` is 0."""
    at: datetime | None = None
    """When it is recorded; default: now."""
    quiet: float = 0.0
    """Seconds after `at` from which `extract` work of this write is due; infinite: `NEVER`."""


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
    """Not to be tried before; `None`: at once, whatever is said after it."""


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
