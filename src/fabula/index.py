"""The searchable part of one scope in memory, as columns; no text, no I/O and no scoring.

A store loads an `Index` at one revision and extends it by what was written since. An `Index` is never changed
after it was handed out: extending makes a new one that shares the large arrays.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fabula.postings import NO_POSTINGS, POSTING, Postings
from fabula.types import Kind, Link

Floats: TypeAlias = NDArray[np.float32]
Doubles: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Block: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float16]]
"""Record numbers, and a matrix with a vector for each."""

FOREVER: Final = np.inf
LINK: Final = np.dtype([("key", "<u8"), ("kind", "u1")])
"""One link of one record: the hash of the other one's id, and the place of its kind in `LINKS`."""
LINKS: Final[tuple[str, ...]] = ("cites", *get_args(Link), "repeats")
"""The kinds of links: what a record was made from, which one of rules only repeats, and what it is tied to."""
_SOURCES: Final = tuple(map(LINKS.index, ("cites", "repeats")))
LEADS: Final[Mapping[str, Kind]] = {"cites": "passage", "repeats": "passage", "causes": "frame", "fused": "frame"}
"""The kind of record at a link's other end, where that is no entity."""


class Columns(NamedTuple):
    """Searchable record versions of one kind as a store hands them over, in order of their numbers.

    They come by column, for a tuple a row is most of what loading costs. Times are microseconds since the epoch.
    """

    number: Sequence[int]
    session: Sequence[str]
    seq: Sequence[int]
    speaker: Sequence[str]
    valid_from: Sequence[int | None]
    valid_to: Sequence[int | None]
    recorded_from: Sequence[int]
    recorded_to: Sequence[int | None]
    importance: Sequence[float]
    key: Sequence[int]
    """The hashes of their ids."""
    length: Sequence[int]
    question: Sequence[int]
    postings: Sequence[bytes]
    links: Sequence[bytes]


class Links(NamedTuple):
    """What the rows of a field are tied to, in order of arrival.

    `target` is a row of the field where the kind leads to, the first that the id has; −1 where there is none.
    """

    owner: NDArray[np.int32]
    kind: NDArray[np.uint8]
    key: NDArray[np.uint64]
    target: NDArray[np.int32]

    def of(self, kind: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the owners and targets of all links of a kind that lead somewhere."""
        found = (self.kind == LINKS.index(kind)) & (self.target >= 0)
        return self.owner[found], self.target[found]

    def extended(self, owner: NDArray[np.int32], links: NDArray[Any]) -> Links:
        """Return these links with more at the end, which lead nowhere yet."""
        return Links(
            np.concatenate((self.owner, owner)),
            np.concatenate((self.kind, links["kind"])),
            np.concatenate((self.key, links["key"])),
            np.concatenate((self.target, np.full(len(links), -1, np.int32))),
        )

    def kept(self, held: Bools, place: Ints) -> Links:
        """Return the links that are `held`, their owners at their new places."""
        return Links(place[self.owner[held]].astype(np.int32), self.kind[held], self.key[held], self.target[held])


NO_LINKS: Final = Links(np.empty(0, np.int32), np.empty(0, np.uint8), np.empty(0, np.uint64), np.empty(0, np.int32))


@dataclass(frozen=True, slots=True)
class Field:
    """All rows of one kind, as parallel columns in order of arrival. `before` and `after` are the neighbours' rows
    in the session, −1 at its ends."""

    number: Ints
    key: NDArray[np.uint64]
    session: Ints
    seq: Ints
    speaker: Ints
    valid_from: Doubles
    valid_to: Doubles
    recorded_from: Doubles
    recorded_to: Doubles
    importance: Floats
    length: Floats
    window: Floats
    """The length of the row together with its neighbours."""
    words: Floats
    question: Bools
    before: Ints
    after: Ints
    postings: Postings
    links: Links
    vectors: Floats
    """Unit vectors, one a row; zeros where `embedded` is false. May have spare rows at the end."""
    embedded: Bools

    def __len__(self) -> int:
        return len(self.number)

    @property
    def nbytes(self) -> int:
        """The bytes held by the columns."""
        columns = [getattr(self, name) for name in _COLUMNS]
        links = sum(column.nbytes for column in self.links)
        return sum(c.nbytes for c in columns) + self.vectors.nbytes + self.postings.term.nbytes * 2 + links

    def rows_of(self, numbers: Ints) -> Ints:
        """Return the row of each number, −1 where this field has none."""
        at = np.searchsorted(self.number, numbers)
        at = np.minimum(at, max(len(self.number) - 1, 0))
        return np.where(self.number[at] == numbers, at, -1) if len(self.number) else np.full(len(numbers), -1)

    def made_from(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return rows and the passages they were made from, whether they only repeat them or not, pair by pair."""
        found = np.isin(self.links.kind, _SOURCES) & (self.links.target >= 0)
        return self.links.owner[found], self.links.target[found]

    def bearing(self, term: int) -> Ints:
        """Return the rows that are believed now and have a term or mark, in the order they were written."""
        rows = self.postings.of(term)[0].astype(np.int64)
        return rows[self.recorded_to[rows] == FOREVER]

    def ties(self, kind: str) -> Links:
        """Return the links of a kind of the rows that are believed now."""
        links = self.links
        mine = (links.kind == LINKS.index(kind)) & (self.recorded_to == FOREVER)[links.owner]
        return Links(links.owner[mine], links.kind[mine], links.key[mine], links.target[mine])

    def tied(self, kind: str, *keys: int) -> Ints:
        """Return the rows that are believed now and tied to a hash of an id, in the order they were written."""
        ties = self.ties(kind)
        return np.unique(ties.owner[np.isin(ties.key, np.array(keys, np.uint64))]).astype(np.int64)

    def live(self, at: float | None) -> Bools:
        """Which rows were believed at `at` (seconds since the epoch); `None`: are believed now."""
        if at is None:
            return self.recorded_to == FOREVER
        return (self.recorded_from <= at) & (at < self.recorded_to)


_COLUMNS: Final = (
    "number", "key", "session", "seq", "speaker", "valid_from", "valid_to", "recorded_from", "recorded_to",
    "importance", "length", "window", "words", "question", "before", "after", "embedded",
)  # fmt: skip


def _empty_field(dimensions: int) -> Field:
    ints, doubles, floats = np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.float32)
    bools = np.empty(0, np.bool_)
    return Field(
        ints, np.empty(0, np.uint64), ints, ints, ints, doubles, doubles, doubles, doubles, floats, floats, floats,
        floats, bools, ints, ints,
        NO_POSTINGS, NO_LINKS, np.empty((0, dimensions), np.float32), bools,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Index:
    """One scope's searchable rows at one revision. `sessions` and `speakers` turn names into the columns' codes."""

    revision: int = 0
    reset: int = 0
    """The revision of the last erasure: an older index than this cannot be extended."""
    analyzer: int = 0
    """The version of the tokeniser that made the postings."""
    space: str = ""
    """The embedding space of the vectors; empty when none are held."""
    stored_space: str = ""
    """The embedding space the scope is kept in."""
    apart: bool = False
    """Whether the vectors were left in the database, where `Store.nearest` looks among them."""
    fields: Mapping[Kind, Field] = field(default_factory=dict[Kind, Field])
    sessions: Mapping[str, int] = field(default_factory=dict[str, int])
    speakers: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def nbytes(self) -> int:
        """The bytes held by all fields."""
        return sum(f.nbytes for f in self.fields.values())

    def of(self, kind: Kind) -> Field:
        """Return the field of one kind, empty where the scope has no such record."""
        return self.fields.get(kind) or _empty_field(0)

    def extended(self, new: Mapping[Kind, Columns], vectors: Sequence[Block], **state: Any) -> Index:
        """Return this index with more rows, closed versions marked and vectors filled in.

        A row of `new` that is known already only carries a new `recorded_to`. `vectors` are pairs of numbers and a
        matrix. `state` replaces `revision`, `reset`, `analyzer` and the spaces.
        """
        sessions, speakers, fields = dict(self.sessions), dict(self.speakers), dict(self.fields)
        for kind, columns in new.items():
            fields[kind] = _extend(kind, fields.get(kind) or _empty_field(0), columns, sessions, speakers)
        if any(any(columns.links) for columns in new.values()):
            fields = _led(fields)
        if vectors := [block for block in vectors if len(block[0])]:
            fields = {kind: _fill(f, vectors) for kind, f in fields.items()}
        return replace(self, fields=fields, sessions=sessions, speakers=speakers, **state)

    def compacted(self) -> Index:
        """Return the same index with its postings sorted, for repeated use."""
        sorted_: dict[Kind, Postings] = {kind: f.postings.compacted() for kind, f in self.fields.items()}
        if all(postings is self.fields[kind].postings for kind, postings in sorted_.items()):
            return self
        return replace(self, fields={kind: replace(f, postings=sorted_[kind]) for kind, f in self.fields.items()})

    def only(self, rows: Mapping[Kind, Bools]) -> Index:
        """Return the index with these rows of the kinds named, and all of the others."""
        fields: dict[Kind, Field] = {
            kind: _keep(f, rows[kind]) if kind in rows else f for kind, f in self.fields.items()
        }
        if all(f is self.fields[kind] for kind, f in fields.items()):
            return self  # what is known of an index is known of itself
        return replace(self, fields=_led(fields))

    def at(self, moment: float) -> Index:
        """Return what was believed at `moment` (seconds since the epoch), and nothing that was recorded later."""
        then = self.only({kind: f.live(moment) for kind, f in self.fields.items()})
        fields: dict[Kind, Field] = {kind: _reopened(f) for kind, f in then.fields.items()}
        heard = {int(code) for f in fields.values() for code in np.unique(f.speaker)}
        speakers = {name: code for name, code in self.speakers.items() if code in heard}
        return replace(self, fields=fields, speakers=speakers)


def _codes(names: Sequence[str], known: dict[str, int]) -> Ints:
    for name in dict.fromkeys(names):
        known.setdefault(name, len(known))
    return np.fromiter(map(known.__getitem__, names), np.int64, len(names))


def _seconds(micros: Sequence[int | None]) -> Doubles:
    return np.array(micros, np.float64) / 1e6  # None becomes NaN


def _ends(micros: Sequence[int | None]) -> Doubles:
    return np.where(np.isnan(ends := _seconds(micros)), FOREVER, ends)


def _extend(kind: Kind, old: Field, new: Columns, sessions: dict[str, int], speakers: dict[str, int]) -> Field:
    last = int(old.number[-1]) if len(old) else -1
    recorded_to = old.recorded_to
    if known := bisect_right(new.number, last):
        recorded_to = recorded_to.copy()
        recorded_to[old.rows_of(np.array(new.number[:known]))] = _ends(new.recorded_to[:known])
        new = Columns._make(column[known:] for column in new)
    if not (more := len(new.number)):
        return replace(old, recorded_to=recorded_to)
    places = np.arange(len(old), len(old) + more, dtype=np.int32)
    flat, counts = _unpacked(new.postings, POSTING)
    term, tf, owner = flat["term"].copy(), flat["tf"].copy(), np.repeat(places, counts)
    links, ties = _unpacked(new.links, LINK)

    def joined(column: NDArray[Any], values: Any) -> NDArray[Any]:
        return np.concatenate((column, np.asarray(values, column.dtype)))

    codes = joined(old.session, _codes(new.session, sessions))
    before, after = _neighbours(codes) if kind == "passage" else (np.full(len(codes), -1),) * 2
    lengths = joined(old.length, new.length)
    return Field(
        number=joined(old.number, new.number),
        key=joined(old.key, np.array(new.key, np.uint64)),
        session=codes,
        seq=joined(old.seq, new.seq),
        speaker=joined(old.speaker, _codes(new.speaker, speakers)),
        valid_from=joined(old.valid_from, _seconds(new.valid_from)),
        valid_to=joined(old.valid_to, _seconds(new.valid_to)),
        recorded_from=joined(old.recorded_from, _seconds(new.recorded_from)),
        recorded_to=joined(recorded_to, _ends(new.recorded_to)),
        importance=joined(old.importance, new.importance),
        length=lengths,
        window=_window(lengths, before, after),
        words=joined(old.words, np.bincount(owner - len(old), tf, more)),
        question=joined(old.question, new.question),
        before=before,
        after=after,
        postings=old.postings.extended(term, owner, tf),
        links=old.links.extended(np.repeat(places, ties), links) if len(links) else old.links,
        vectors=_grown(old, more),
        embedded=joined(old.embedded, np.zeros(more)),
    )


def _unpacked(blobs: Sequence[bytes], dtype: np.dtype[Any]) -> tuple[NDArray[Any], Ints]:
    """What rows have packed in a blob each, one row's after the other's, and how much is of each row."""
    counts = np.fromiter(map(len, blobs), np.int64, len(blobs)) // dtype.itemsize
    return np.frombuffer(b"".join(blobs), dtype), counts


def _led(fields: Mapping[Kind, Field]) -> dict[Kind, Field]:
    """The fields with every link led to the row it means."""
    orders: dict[Kind, Ints] = {kind: np.argsort(f.key, kind="stable") for kind, f in fields.items()}
    keys: dict[Kind, NDArray[np.uint64]] = {kind: f.key[orders[kind]] for kind, f in fields.items()}
    led = dict(fields)
    for kind, f in fields.items():
        target = np.full(len(f.links.key), -1, np.int32)
        for code, name in enumerate(LINKS):
            other: Kind = LEADS.get(name, "entity")
            if other in fields:
                mine = f.links.kind == code
                target[mine] = _places(keys[other], orders[other], f.links.key[mine])
        led[kind] = replace(f, links=f.links._replace(target=target))
    return led


def _places(keys: NDArray[np.uint64], order: Ints, wanted: NDArray[np.uint64]) -> Ints:
    """The first place of each wanted key before `order` sorted the `keys`; −1 where it is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, order[at], -1)


def _neighbours(session: Ints) -> tuple[Ints, Ints]:
    """The row before and after each row in its session; rows arrive in the order of the session's `seq`."""
    order = np.argsort(session, kind="stable")
    before, after = np.full(len(session), -1), np.full(len(session), -1)
    same = session[order[1:]] == session[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    after[order[:-1][same]] = order[1:][same]
    return before, after


def _window(length: Floats, before: Ints, after: Ints) -> Floats:
    # Row −1, "no neighbour", is the padding behind the last one.
    padded = np.append(length, np.float32(0))
    return length + padded[before] + padded[after]


def _grown(old: Field, more: int) -> Floats:
    """The vector matrix with room for `more` rows.

    Spare rows at the end are shared with older indexes, which never look past their own length; doubling keeps
    appending cheap.
    """
    need = len(old) + more
    if need <= len(old.vectors):
        old.vectors[len(old) : need] = 0
        return old.vectors
    grown = np.zeros((max(need, len(old) * 2 if len(old) else 0), old.vectors.shape[1]), np.float32)
    grown[: len(old)] = old.vectors[: len(old)]
    return grown


def _fill(old: Field, blocks: Sequence[Block]) -> Field:
    places = old.rows_of(np.concatenate([numbers for numbers, _ in blocks]))
    if not (places >= 0).any():
        return old
    dimensions = blocks[0][1].shape[1]
    vectors, embedded, start = old.vectors, old.embedded.copy(), 0
    if vectors.shape[1] != dimensions:
        vectors = np.zeros((len(vectors), dimensions), np.float32)
    for _, matrix in blocks:
        rows = places[start : start + len(matrix)]
        start += len(matrix)
        mine = (rows >= 0) & ~embedded[rows]
        if not mine.any():
            continue
        rows, values = rows[mine], (matrix if mine.all() else matrix[mine]).astype(np.float32)
        embedded[rows] = True
        values /= np.sqrt(np.maximum(np.vecdot(values, values), 1e-12))[:, None]
        vectors[rows] = values
    return replace(old, vectors=vectors, embedded=embedded)


def _reopened(old: Field) -> Field:
    """The field as it was before anything in it ended."""
    if (old.recorded_to == FOREVER).all():
        return old
    return replace(old, recorded_to=np.full(len(old), FOREVER))


def _keep(old: Field, mask: Bools) -> Field:
    if mask.all():
        return old
    place = np.cumsum(mask) - 1
    columns = {name: getattr(old, name)[mask] for name in _COLUMNS}
    before, after = (
        np.where(side >= 0, np.where(mask[side], place[side], -1), -1)[mask] for side in (old.before, old.after)
    )
    columns |= {"before": before, "after": after, "window": _window(columns["length"], before, after)}
    kept = mask[old.postings.row]
    postings = Postings(
        old.postings.term[kept],
        place[old.postings.row[kept]].astype(np.int32),
        old.postings.tf[kept],
        int(kept[: old.postings.sorted_to].sum()),
    )
    links = old.links.kept(mask[old.links.owner], place)
    return Field(**columns, postings=postings, links=links, vectors=old.vectors[: len(mask)][mask])
