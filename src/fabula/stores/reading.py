"""What reading does, as steps of named statements; knows no driver.

The steps of one function are one transaction. See `statements.Do` for the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Filter, ScopeState
from fabula.checking import EPOCH
from fabula.index import Columns, Index
from fabula.stores.layouts import Layout
from fabula.stores.rows import MICROSECOND, from_row, micros, spelt
from fabula.stores.statements import Do, Rows, Steps
from fabula.text import hash_term
from fabula.types import Access, Kind, Note, Record, Session, Stats


def state(scope: str) -> Steps[ScopeState | None]:
    """See `Store.state`."""
    rows = yield Do("scope_state", {"scope": scope})
    return ScopeState(*rows[0]) if rows else None


class Loaded(NamedTuple):
    """What was read of a scope: an index, and how to extend it."""

    base: Index
    fresh: Rows = ()
    terms: Rows = ()
    """Of the fresh rows that have any."""
    ended: Rows = ()
    vectors: Rows = ()
    state: dict[str, Any] | None = None
    """What else the index is told; `None` where it is up to date."""


def load(scope: str, space: str, base: Index | None, apart: bool) -> Steps[Loaded]:
    """See `Store.load`; the vectors are left where they are if they stay `apart`."""
    # The state is read first. Where the statements see no common moment (on Citus), what is written while the rest is
    # read may be in it or not, and is read again when the index is extended from this revision.
    rows = yield Do("scope_state", {"scope": scope})
    if not rows:
        return Loaded(Index())
    revision, reset, _, analyzer, stored = rows[0]
    if base is None or not base.revision or base.revision < reset or base.revision > revision:
        base = Index()
    held = space if space == stored else ""
    if (base.space, base.apart) != (held, apart) or base.analyzer not in (0, analyzer):
        base = Index()
    if base.revision == revision:
        return Loaded(base)
    last = max((int(f.number[-1]) for f in base.fields.values() if len(f)), default=-1)
    rows = yield Do("load_rows", {"scope": scope, "after": last})
    terms = yield Do("load_terms", {"scope": scope, "after": last})
    ended: Rows = ()
    if base.revision:
        ended = yield Do("load_closed", {"scope": scope, "after": last, "revision": base.revision})
    chunks: Rows = ()
    if held and not apart:
        chunks = yield Do("load_vectors", {"scope": scope, "space": space, "revision": base.revision})
    state = {
        "revision": revision,
        "reset": reset,
        "analyzer": analyzer,
        "space": held,
        "stored_space": stored,
        "apart": apart,
    }
    return Loaded(base, rows, terms, ended, chunks, state)


def indexed(loaded: Loaded, layout: Layout) -> Index:
    """Return the index that `load` found; heavy on the processor, so not part of the transaction."""
    if loaded.state is None:
        return loaded.base
    terms = {row[0]: row for row in (*loaded.terms, *(row[11:] for row in loaded.ended))}
    by_kind: dict[Kind, list[Sequence[Any]]] = {}
    for row in (*(row[:11] for row in loaded.ended), *loaded.fresh):
        if row[0] in terms:
            by_kind.setdefault(row[1], []).append(row)
    new: dict[Kind, Columns] = {kind: _columns(rows, [terms[row[0]] for row in rows]) for kind, rows in by_kind.items()}
    return loaded.base.extended(new, layout.blocks(loaded.vectors), **loaded.state)


def _columns(records: Rows, terms: Rows) -> Columns:
    """The columns of versions of one kind, of each its record and its terms."""
    number, _, *others, ids = _transposed(records)
    _, *told, links = _transposed(terms)
    return Columns._make((number, *others, list(map(hash_term, ids)), *told, [link or b"" for link in links]))


def _transposed(rows: Rows) -> list[list[Any]]:
    # `zip` would make an iterator a row, which are so many that the garbage collector comes by for them.
    return [list(map(itemgetter(place), rows)) for place in range(len(rows[0]))]


def get(scope: str, ids: Sequence[str], as_of: datetime | None) -> Steps[dict[str, Record]]:
    """See `Store.get`."""
    if as_of is None:
        rows = yield Do("live_records", {"scope": scope, "ids": list(ids)})
    else:
        rows = yield Do("past_records", {"scope": scope, "ids": list(ids), "at": micros(as_of)})
    return {row[1]: from_row(scope, row) for row in rows}


def fetch(scope: str, numbers: Sequence[int]) -> Steps[dict[int, Record]]:
    """See `Store.fetch`."""
    rows = yield Do("numbered_records", {"scope": scope, "numbers": [int(number) for number in numbers]})
    return {row[0]: from_row(scope, row) for row in rows}


def notes(
    scope: str, namespace: str, prefix: str, after: str, limit: int, as_of: datetime | None
) -> Steps[list[Note]]:  # fmt: skip
    """See `Store.notes`."""
    start, begin = (spelt(namespace, key).removesuffix('"]') for key in ("", prefix))
    params = {
        "scope": scope, "begin": begin, "beyond": start[: -len(', "')] + "-", "skip": len(start) + 1, "behind": after,
        "limit": limit, "quoted": '\\"', "quote": '"', "escaped": "\\\\", "escape": "\\",
    }  # fmt: skip
    if as_of is None:
        rows = yield Do("list_notes", params)
    else:
        rows = yield Do("past_notes", {**params, "at": micros(as_of)})
    return cast(list[Note], [from_row(scope, row) for row in rows])


def find(scope: str, wanted: Filter) -> Steps[list[tuple[int, Record]]]:
    """See `Store.find`."""
    found: list[tuple[int, Record]] = []
    params = {
        "scope": scope, "kind": wanted.kind, "session": wanted.session, "speaker": wanted.speaker,
        "status": wanted.status, "after": wanted.after, "limit": wanted.limit, "ended": wanted.ended,
        "start": wanted.during and micros(wanted.during.start), "end": wanted.during and micros(wanted.during.end),
    }  # fmt: skip
    needle = (wanted.mentions or "").casefold()
    while len(found) < wanted.limit:
        rows = yield Do("list_records", params)
        records = [(row[0], from_row(scope, row)) for row in rows]
        found += [(n, record) for n, record in records if not needle or needle in record.text.casefold()]
        if len(rows) < wanted.limit:
            break
        params["after"] = rows[-1][0]
    return found[: wanted.limit]


def sessions(scope: str, limit: int, offset: int, without: str) -> Steps[tuple[int, list[Session]]]:
    """See `Store.sessions`."""
    wanted: dict[str, Any] = {"scope": scope, "without": without}
    count = yield Do("count_listed_sessions", wanted)
    rows = yield Do("list_sessions", {**wanted, "limit": limit, "after": offset})
    found = [
        Session(id=name, messages=messages, first=EPOCH + first * MICROSECOND, last=EPOCH + last * MICROSECOND)
        for name, messages, first, last in rows
    ]
    return count[0][0], found


def pictures(scope: str, record_id: str) -> Steps[dict[int, bytes]]:
    """See `Store.pictures`."""
    rows = yield Do("pictures", {"scope": scope, "id": record_id})
    return {place: bytes(data) for place, data in rows}


def accessed(scope: str, ids: Sequence[str]) -> Steps[dict[str, Access]]:
    """See `Store.accessed`."""
    rows = yield Do("accessed", {"scope": scope, "ids": list(ids)})
    return {row[0]: Access(row[1], *(EPOCH + moment * MICROSECOND for moment in row[2:])) for row in rows}


def versions(scope: str, ids: Sequence[str]) -> Steps[list[Record]]:
    """See `Store.versions`."""
    rows = yield Do("all_versions", {"scope": scope, "ids": list(ids)})
    return [from_row(scope, row) for row in sorted(rows, key=itemgetter(0))]


def unused(scope: str, kinds: Sequence[Kind], since: datetime, limit: int) -> Steps[list[Record]]:
    """See `Store.unused`."""
    params = {"scope": scope, "kinds": list(kinds), "since": micros(since), "limit": limit}
    rows = yield Do("unused_records", params)
    return [from_row(scope, row) for row in rows]


def citing(scope: str, ids: Sequence[str], kinds: Sequence[Kind], as_of: datetime | None) -> Steps[list[Record]]:
    """See `Store.citing`."""
    params = {"scope": scope, "ids": list(ids), "kinds": list(kinds)}
    if as_of is None:
        rows = yield Do("citing_records", params)
    else:
        rows = yield Do("past_citing_records", {**params, "at": micros(as_of)})
    mentions: dict[str, list[str]] = {}
    if "entity" in kinds:
        for entity, passage in (yield Do("mentioned_in", {"scope": scope, "ids": list(ids)})):
            mentions.setdefault(entity, []).append(passage)
    wanted = set(ids)
    found: list[Record] = []
    for record in (from_row(scope, row) for row in rows):
        sources = tuple(dict.fromkeys((*record.sources, *sorted(mentions.get(record.id, ())))))
        if wanted.intersection(sources):  # the edges are of all versions, not only of the live one
            found.append(replace(record, sources=sources))
    return found


def cached(scope: str, space: str, hashes: Sequence[bytes]) -> Steps[dict[bytes, NDArray[np.float32]]]:
    """See `Store.cached`."""
    rows = yield Do("cached_embeddings", {"scope": scope, "space": space, "hashes": [h.hex() for h in hashes]})
    found: dict[bytes, NDArray[np.float32]] = {}
    for key, packed in rows:
        vector = np.frombuffer(packed, "<f2").astype(np.float32)
        found[bytes.fromhex(key)] = vector / np.float32(np.linalg.norm(vector))
    return found


def counts(scope: str | None) -> Steps[Stats]:
    """See `Store.stats`, without sizes."""
    own: dict[str, Any] = {} if scope is None else {"scope": scope}
    every = "all_" if scope is None else ""
    rows = yield Do(f"{every}count_records", own)
    records = {row[0]: row[1] for row in rows}
    sessions = yield Do(f"{every}count_sessions", own)
    waiting = yield Do(f"{every}count_pending", own)
    known = yield Do("all_scopes", {}) if scope is None else Do("scope_state", own)
    return Stats(
        scopes=len(known), records=records, sessions=sessions[0][0],
        pending={row[0]: row[1] for row in waiting}, failed=sum(row[2] or 0 for row in waiting), bytes={},
    )  # fmt: skip


def scopes() -> Steps[list[str]]:
    """See `Store.scopes`."""
    rows = yield Do("all_scopes", {})
    return [row[0] for row in rows]


def unembedded(scope: str, space: str, layout: Layout) -> Steps[list[int]]:
    """See `Store.unembedded`."""
    there = yield from layout.numbers(scope, space)
    rows = yield Do("embedded_kinds", {"scope": scope})
    return [row[0] for row in rows if row[0] not in there]
