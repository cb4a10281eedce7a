"""The exported form of a scope: its rows as plain JSON and back, each proved; knows no store and writes nothing.

An export is one JSON object:

    format, version     "fabula", 1
    scope               whose memory it was
    exported            when, ISO 8601
    space               the embedding space of its vectors; "" where nothing is embedded
    state               revision, reset, next_number, analyzer: what the scope's own row holds
    tables              rows by table, in the order of their keys; the columns are those of `TABLES`
    blobs               uploaded files by id, base64
    digest              SHA-256 of all of the above: what was cut off or changed is refused

A row is an object of its columns. Bytes are base64 (vectors: 16-bit floats, little-endian), times are microseconds
since the epoch in UTC, `records.data` is the JSON object of what has no column of its own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta, timezone
from typing import Any, Final, TypeAlias, get_args

from fabula.abc import COUNTED, MOVED, ScopeState
from fabula.checking import EPOCH, aware
from fabula.errors import InvalidInput
from fabula.index import LINK
from fabula.postings import POSTING
from fabula.text import derived_id, identifier
from fabula.types import KINDS, Interval, Kind, Link, Precision, Status

FORMAT: Final = "fabula"
VERSION: Final = 1
"""Raised with every change of the form; a newer one is refused."""
FILES: Final = "fabula:files"
"""The namespace of the notes that tell of uploaded files; a note's key is the file's id."""
BLOB: Final = "blob"
"""The key of such a note's value under which the key of the file's bytes stands."""
Row: TypeAlias = tuple[Any, ...]
_Read: TypeAlias = Callable[[Any], Any]
"""From a value in the export to the one that is stored; raises `ValueError` for what it is not."""


def _is(meant: str, fits: Callable[[Any], bool], made: _Read = lambda value: value) -> _Read:
    def read(value: Any) -> Any:
        if not fits(value):
            raise ValueError(f"is {meant}, not {reprlib.repr(value)}")
        return made(value)

    return read


_OBJECT: Final = _is("an object", lambda v: isinstance(v, dict))
_LIST: Final = _is("a list", lambda v: isinstance(v, list))


def _whole(bits: int, low: int = 0) -> _Read:
    high = 2 ** (bits - 1) - 1
    return _is(f"a whole number from {low}", lambda v: type(v) is int and low <= v <= high)


def _or_none(read: _Read) -> _Read:
    return lambda value: None if value is None else read(value)


def _one_of(known: Sequence[str]) -> _Read:
    return _is(f"one of {', '.join(known)}", lambda v: isinstance(v, str) and v in known)


def _list_of(read: _Read) -> _Read:
    return lambda value: [read(one) for one in _LIST(value)]


def _row_of(*reads: _Read, least: int | None = None) -> _Read:
    """Read a list of so many values, each its own way; from `least` on they may be missing."""
    few = len(reads) if least is None else least
    fits = _is("a list of the right length", lambda v: few <= len(_LIST(v)) <= len(reads))
    return lambda value: [read(one) for read, one in zip(reads, fits(value), strict=False)]


def _object_of(reads: Mapping[str, _Read], *, every: bool = False) -> _Read:
    """Read an object of these keys and no others, `every` one of them or any."""

    def read(value: Any) -> dict[str, Any]:
        given: dict[str, Any] = _OBJECT(value)
        odd = given.keys() ^ reads.keys() if every else given.keys() - reads.keys()
        if odd:
            raise ValueError(f"has {', '.join(reads)}, and not {reprlib.repr(sorted(map(str, odd)))}")
        return {key: reads[key](one) for key, one in given.items()}

    return read


def _bytes(size: int = 1) -> _Read:
    """Read base64 of items of `size` bytes."""

    def read(value: Any) -> bytes:
        try:
            data = base64.b64decode(value if isinstance(value, str) else "?", validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"is base64, not {reprlib.repr(value)}") from None
        if len(data) % size:
            raise ValueError(f"is {size} bytes an item, not {len(data)} in all")
        return data

    return read


def _within_time(micros: int) -> int:
    if abs(micros) >= 10**18 or not 1 <= (EPOCH + timedelta(microseconds=micros)).year <= 9999:
        raise ValueError("lies outside the years 1 to 9999")
    return micros


def _moment(value: Any) -> Any:
    return None if value is None else aware(_SAID(value))


def _interval(value: Any) -> Interval:
    start, end, precision = _row_of(_moment, _moment, _one_of(get_args(Precision)))(value)
    return Interval(start=start, end=end, precision=precision)


_PLAIN: Final[_Read] = lambda value: value  # noqa: E731
_TEXT: Final = _is("text", lambda v: isinstance(v, str) and "\0" not in v and bool(v.encode() or True))
_SAID: Final = _is("text", lambda v: isinstance(v, str))
_FLAG: Final = _is("0 or 1", lambda v: type(v) is int and v in (0, 1))
_REAL: Final = _is("a number", lambda v: isinstance(v, int | float) and not isinstance(v, bool), float)
_MOMENT: Final = _is("microseconds since the epoch", lambda v: type(v) is int, _within_time)
_EVENT: Final = _object_of({
    "participants": _list_of(_SAID), "action": _SAID, "location": _SAID, "causality": _SAID, "manner": _SAID,
    "time": _interval,
})  # fmt: skip
_ANY: Final[Mapping[str, _Read]] = {
    "sources": _list_of(_SAID), "links": _object_of(dict.fromkeys(get_args(Link), _list_of(_SAID))),
    "meta": _OBJECT, "emotion": _row_of(_REAL, _REAL, _SAID), "zones": _row_of(_REAL, _REAL),
}  # fmt: skip
_OWN: Final[Mapping[Kind, Mapping[str, _Read]]] = {
    "passage": {"ref": _SAID, "role": _SAID, "images": _list_of(_row_of(_SAID, _SAID, _SAID, _SAID, least=3))},
    "frame": {"events": _list_of(_EVENT)},
    "fact": {"subject": _SAID, "predicate": _SAID, "object": _SAID},
    "entity": {"type": _SAID, "aliases": _list_of(_SAID)},
    "insight": {"category": _SAID},
    "note": {"namespace": _SAID, "key": _SAID, "value": _PLAIN},
}
"""What `records.data` may hold, by kind."""
_DATA: Final = {kind: _object_of({**_ANY, **own}) for kind, own in _OWN.items()}

TABLES: Final[Mapping[str, Mapping[str, _Read]]] = {
    "records": {
        "number": _whole(64), "id": _TEXT, "kind": _one_of(KINDS), "key": _or_none(_TEXT), "session": _or_none(_TEXT),
        "seq": _or_none(_whole(64)), "speaker": _or_none(_TEXT), "status": _one_of(get_args(Status)), "text": _TEXT,
        "data": _OBJECT, "importance": _REAL, "valid_from": _or_none(_MOMENT), "valid_to": _or_none(_MOMENT),
        "precision": _or_none(_one_of(get_args(Precision))), "recorded_from": _MOMENT, "recorded_to": _or_none(_MOMENT),
        "revision": _whole(64),
    },
    "postings": {
        "number": _whole(64), "length": _whole(32), "question": _FLAG, "terms": _bytes(POSTING.itemsize),
        "links": _bytes(LINK.itemsize), "embedded": _FLAG,
    },
    "vectors": {"space": _TEXT, "number": _whole(64), "vector": _bytes(2)},
    "edges": {"target": _TEXT, "kind": _TEXT, "source": _TEXT, "ref": _TEXT, "weight": _REAL, "revision": _whole(64)},
    "tombstones": {"id": _TEXT},
    "pending": {
        "task": _TEXT, "number": _whole(64), "id": _TEXT, "session": _TEXT, "attempts": _whole(32), "error": _TEXT,
        "due": _whole(64),
    },
    "pictures": {"id": _TEXT, "place": _whole(64), "bytes": _bytes()},
    "access": {"id": _TEXT, "count": _whole(64), "first": _whole(64), "last": _whole(64)},
}  # fmt: skip
"""The columns of every table, in the order of `Store.page`, and how each is read."""
STATE: Final = ("revision", "reset", "next_number", "analyzer")
HEAD: Final = ("format", "version", "scope", "exported", "space", "state")
_HEAD: Final = _object_of({
    "format": _PLAIN, "version": _PLAIN, "scope": _PLAIN, "exported": _moment, "space": _TEXT,
    "state": _object_of(dict.fromkeys(STATE, _whole(64)), every=True),
    "tables": _object_of(dict.fromkeys(TABLES, _is("a list of rows", lambda v: isinstance(v, list))), every=True),
    "blobs": _OBJECT, "digest": _TEXT,
}, every=True)  # fmt: skip


def blob_key(scope: str, file_id: str | None = None) -> str:
    """Return the key of a file's bytes, or what those of all of a scope begin with.

    They are hashes, so that no name is ever a path, and no two are one.
    """
    return f"{derived_id('scope', scope)}/{'' if file_id is None else derived_id('file', file_id)}"


def shown(table: str, rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yield a table's rows as they stand in an export."""
    columns = tuple(TABLES[table])
    for row in rows:
        made = dict(zip(columns, row, strict=True))
        if table == "records":
            made["data"] = json.loads(made["data"])
        yield dict(coded(made))


def coded(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield values with their names, bytes as base64."""
    for name, value in values.items():
        yield name, base64.b64encode(value).decode() if isinstance(value, bytes) else value


class Digest:
    """The fingerprint of a scope's head, rows and files, in the order in which they are given."""

    def __init__(self) -> None:
        self._sums: Final = hashlib.sha256()

    def head(self, data: Mapping[str, Any]) -> None:
        """Take in what an export says before its tables."""
        self.add("head", [(name, json.dumps(data[name], sort_keys=True)) for name in HEAD])

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Take in rows of a table, or `(id, bytes)` of `blobs`."""
        for row in rows:
            self._sums.update(repr((table, *row)).encode())

    def hex(self) -> str:
        """Return what it is by now."""
        return self._sums.hexdigest()


class Export:
    """An export that was proved to be one: whole, of this form, and agreeing with itself.

    It is read as what is to stand in `scope` (default: its own). Raises `InvalidInput`, one line that says where.
    """

    def __init__(self, data: Mapping[str, Any], scope: str | None = None) -> None:
        given: Any = data
        if not isinstance(given, Mapping) or data.get("format") != FORMAT:
            raise InvalidInput("this is no export of fabula")
        version = data.get("version")
        if type(version) is not int or not 1 <= version <= VERSION:
            raise InvalidInput(f"the export is of version {reprlib.repr(version)}, this fabula reads up to {VERSION}")
        try:
            head = _HEAD(dict(data))
        except ValueError as error:
            raise InvalidInput(f"the export cannot be read: {error}") from None
        own = identifier(head["scope"], "scope")
        self.scope: Final = own if scope is None else identifier(scope, "scope")
        self.state: Final = ScopeState(space=head["space"], **head["state"])
        self._tables: Final[dict[str, list[Any]]] = head["tables"]
        self.blobs: Final = {name: _at(f"blobs.{name}", _bytes(), text) for name, text in head["blobs"].items()}
        self._tables.update({table: self._tables.pop(table) for table in MOVED})  # in the order they are written in
        self.rows: Final = self._prove(data)
        """The fingerprint of the rows as they are to stand."""

    def pages(self, sizes: Mapping[str, int], usual: int = 1000) -> Iterator[tuple[str, list[Row]]]:
        """Yield all rows as they are to stand, so many of a table at once."""
        for table, rows in self._pages(sizes, usual):
            yield table, self._placed(rows) if table == "records" else rows

    def _pages(self, sizes: Mapping[str, int], usual: int = 1000) -> Iterator[tuple[str, list[Row]]]:
        """All rows as they were exported."""
        for table, rows in self._tables.items():
            step = sizes.get(table, usual)
            for start in range(0, len(rows), step):
                yield table, [_stored(table, start + n, row) for n, row in enumerate(rows[start : start + step])]

    def _placed(self, rows: Iterable[Row]) -> list[Row]:
        """Records among which those of files tell where the bytes are to be."""
        name, data = map(list(TABLES["records"]).index, ("id", "data"))
        placed: list[Row] = []
        for row in rows:
            told = _file(row)
            if told is not None:
                told["value"][BLOB] = blob_key(self.scope, row[name])
                row = (*row[:data], _json(told), *row[data + 1 :])
            placed.append(row)
        return placed

    def _prove(self, data: Mapping[str, Any]) -> str:
        sums, there, proof = Digest(), Digest(), _Proof()
        sums.head(data)
        for table, rows in self._pages({}):
            sums.add(table, rows)
            if table not in COUNTED:
                there.add(table, self._placed(rows) if table == "records" else rows)
            for row in rows:
                proof.take(table, row)
        sums.add("blobs", self.blobs.items())
        if sums.hex() != data["digest"]:
            raise InvalidInput("the export is cut off or was changed: its digest is another")
        if self.blobs.keys() - proof.files:
            raise InvalidInput("the export has files that none of its records tells of")
        if proof.last >= self.state.next_number:
            raise InvalidInput("the export's state is older than its records")
        return there.hex()


class _Proof:
    """What rows have to agree in, one after the other."""

    def __init__(self) -> None:
        self.last = -1
        self.files: set[str] = set()
        self._ids: set[str] = set()
        self._numbers: set[int] = set()
        self._single: set[tuple[Any, ...]] = set()
        self._keys: dict[str, Row] = {}

    def take(self, table: str, row: Row) -> None:
        """Prove one row."""
        key = row[: MOVED[table]]
        if key <= self._keys.get(table, ()):
            raise InvalidInput(f"the export's {table} are not in order, or are there twice: {reprlib.repr(key)}")
        self._keys[table] = key
        named = dict(zip(TABLES[table], row, strict=True))
        if table == "records":
            self._record(named)
        elif "number" in named and named["number"] not in self._numbers:
            raise InvalidInput(f"the export's {table} tell of a record {named['number']} that is not in it")
        elif table == "pictures" and named["id"] not in self._ids:
            raise InvalidInput(f"the export has a picture of a message {named['id']!r} that is not in it")

    def _record(self, row: Mapping[str, Any]) -> None:
        self.last = row["number"]
        self._numbers.add(self.last)
        self._ids.add(row["id"])
        if _file(tuple(row.values())) is not None:
            self.files.add(row["id"])
        singles = [("session", row["session"], row["seq"])] if row["seq"] is not None else []
        if row["recorded_to"] is None:
            singles += [("id", row["id"])] + ([("key", row["kind"], row["key"])] if row["key"] is not None else [])
        if not self._single.isdisjoint(singles):
            raise InvalidInput(f"the export has record {row['id']!r} twice")
        self._single.update(singles)


def _file(row: Row) -> dict[str, Any] | None:
    """The data of a record that tells of an uploaded file; `None` of any other."""
    named = dict(zip(TABLES["records"], row, strict=True))
    if named["kind"] != "note":
        return None
    data: dict[str, Any] = json.loads(named["data"])
    value = data.get("value")
    return data if data["namespace"] == FILES and isinstance(value, dict) and value.get(BLOB) else None  # pyright: ignore[reportUnknownMemberType]


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _stored(table: str, place: int, row: Any) -> Row:
    where = f"{table}[{place}]"
    if not isinstance(row, dict) or row.keys() != TABLES[table].keys():  # pyright: ignore[reportUnknownMemberType]
        raise InvalidInput(f"the export cannot be read: {where} has the columns {', '.join(TABLES[table])}")
    made = {name: _at(f"{where}.{name}", read, row[name]) for name, read in TABLES[table].items()}
    if table == "records":
        made["data"] = _at(f"{where}.data", lambda data: _packed(made, data), made["data"])
    return tuple(made.values())


def _packed(row: Mapping[str, Any], data: dict[str, Any]) -> str:
    """Return `records.data` as it is stored, once it is proved to make a record together with its row."""
    kind: Kind = row["kind"]
    _DATA[kind](data)
    needed = {"passage": ("session", "seq", "speaker"), "frame": ("session",), "note": ("key",)}.get(kind, ())
    if any(row[name] is None for name in needed):
        raise ValueError(f"belongs to a {kind}, which has {', '.join(needed)}")
    if kind == "note" and not {"namespace", "key"} <= data.keys():
        raise ValueError("belongs to a note, which has a namespace and a key")
    zones = data.get("zones", (0, 0))
    if row["precision"] is not None:
        ends = [row[name] for name in ("valid_from", "valid_to")]
        for end, zone in zip(ends, zones, strict=True):
            if end is not None:
                (EPOCH + timedelta(microseconds=end)).astimezone(timezone(timedelta(seconds=zone)))
        if None not in ends and ends[0] > ends[1]:
            raise ValueError("ends before it starts")
    packed = _json(data)
    packed.encode()  # half a surrogate pair is no text
    return packed


def _at(where: str, read: _Read, value: Any) -> Any:
    try:
        return read(value)
    except RecursionError:
        raise InvalidInput(f"the export cannot be read: {where} is nested too deep") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"the export cannot be read: {where} {error}") from None
