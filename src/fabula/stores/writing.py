"""What writing and erasing do, as steps of named statements; knows no driver and runs none of them.

The steps of one function are one transaction. See `statements.Do` for the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Changes, Entry, Erasure, Lease, Terms, Written
from fabula.errors import EmbeddingMismatch, LeaseLost, SourcesGone
from fabula.stores.rows import from_row, micros, now, repack, to_row, unpack_chunk
from fabula.stores.statements import TABLES, Do, Steps
from fabula.types import Forgotten, Kind, Passage, Record

CHUNK: Final = 256
"""Vectors a chunk: numbers 0…255 stand in chunk 0, and so on."""
KEPT_EMBEDDINGS: Final = 1000
"""How many embeddings a scope's cache keeps."""
OWN_SOURCES: Final[frozenset[Kind]] = frozenset({"fact", "entity", "note"})
"""Kinds that outlive one of several sources: their text says nothing that only one source said."""


class _Scope:
    """The scope's own row during a write."""

    def __init__(self, scope: str, row: Sequence[Any]) -> None:
        self.scope = scope
        self.revision, self.reset, self.next_number, self.analyzer, self.space = row

    def number(self) -> int:
        self.next_number += 1
        return self.next_number - 1

    def left(self) -> Do:
        return Do("leave_scope", {name: getattr(self, name) for name in
                                  ("scope", "reset", "next_number", "analyzer", "space")})  # fmt: skip


def _take(scope: str) -> Steps[_Scope]:
    # A scope's first revision is the time, so that one erased and made again never repeats a revision.
    rows = yield Do("take_scope", {"scope": scope, "first": now()})
    return _Scope(scope, rows[0])


def write(scope: str, changes: Changes, lease: Lease | None) -> Steps[Written]:
    """See `Store.write`."""
    at = micros(changes.at) or now()
    state = yield from _take(scope)
    if lease is not None:
        rows = yield Do("holder", {"scope": scope})
        if not rows or rows[0][0] != lease.worker:
            raise LeaseLost(f"the work of scope {scope!r} was taken over by another worker")
    if changes.space and state.space not in ("", changes.space):
        raise EmbeddingMismatch(scope, state.space, changes.space)
    present, erased = yield from _known(scope, changes.add)
    seen = set(present) | erased
    fresh: list[Entry] = []
    for entry in changes.add:
        if entry.record.id not in seen:
            seen.add(entry.record.id)
            fresh.append(entry)
    yield from _require_sources(scope, [*fresh, *changes.put])
    ended = [entry.record.id for entry in changes.put] + list(changes.close)
    if ended:
        yield Do("close_records", {"scope": scope, "ids": ended, "at": at, "revision": state.revision})
        yield Do("delete_edges_from", {"scope": scope, "ids": ended})
    yield from _insert(state, [*fresh, *changes.put], at, round(changes.quiet * 1e6))
    if changes.edges:
        yield Do("put_edge", [_edge(state, edge.source, edge.target, edge.kind) | {"ref": edge.ref,
                 "weight": edge.weight} for edge in changes.edges])  # fmt: skip
    if changes.terms:
        yield _terms(scope, changes.terms)
        state.reset = state.revision
    if changes.analyzer is not None:
        state.analyzer = changes.analyzer
    if changes.vectors:
        state.space = changes.space
        yield from _put_vectors(state, changes.vectors)
    if changes.cache:
        yield from _cache(state, changes.space, changes.cache)
    for task in {task for task, _ in changes.done}:
        ids = [record_id for kind, record_id in changes.done if kind == task]
        yield Do("strike_pending", {"scope": scope, "task": task, "ids": ids})
    yield state.left()
    return Written(revision=state.revision, present=present, erased=frozenset(erased))


def _known(scope: str, entries: Sequence[Entry]) -> Steps[tuple[dict[str, Record], set[str]]]:
    """Which of the entries are there already, and which were forgotten."""
    if not entries:
        return {}, set()
    ids = [entry.record.id for entry in entries]
    rows = yield Do("live_records", {"scope": scope, "ids": ids})
    present = {row[1]: from_row(scope, row) for row in rows}
    rows = yield Do("tombstones", {"scope": scope, "ids": ids})
    return present, {row[0] for row in rows}


def _require_sources(scope: str, entries: Sequence[Entry]) -> Steps[None]:
    own = {entry.record.id for entry in entries}
    needed = {source for entry in entries for source in entry.record.sources} - own
    if not needed:
        return
    rows = yield Do("live_numbers", {"scope": scope, "ids": sorted(needed)})
    gone = needed - {row[0] for row in rows}
    if gone:
        raise SourcesGone(tuple(sorted(gone)))


def _edge(state: _Scope, source: str, target: str, kind: str = "cites") -> dict[str, Any]:
    return {"scope": state.scope, "target": target, "kind": kind, "source": source, "ref": "", "weight": 1.0,
            "revision": state.revision}  # fmt: skip


def _insert(state: _Scope, entries: Sequence[Entry], at: int, quiet: int) -> Steps[None]:
    if not entries:
        return
    sequences: dict[str, int] = {}
    records: list[dict[str, Any]] = []
    terms: dict[int, Terms] = {}
    edges: list[dict[str, Any]] = []
    tasks: list[dict[str, Any]] = []
    for entry in entries:
        record, number = entry.record, state.number()
        row = to_row(record, number, state.revision, at)
        if isinstance(record, Passage):
            if record.session not in sequences:
                found = yield Do("next_seq", {"scope": state.scope, "session": record.session})
                sequences[record.session] = found[0][0]
            row["seq"] = sequences[record.session]
            sequences[record.session] += 1
        records.append(row)
        if entry.terms is not None:
            terms[number] = entry.terms
        edges += [_edge(state, record.id, source) for source in record.sources]
        tasks += [
            {"scope": state.scope, "task": task, "number": number, "id": record.id, "session": row["session"] or "",
             "due": at + quiet if task == "extract" else 0}
            for task in entry.tasks
        ]  # fmt: skip
    yield Do("insert_record", records)
    if terms:
        yield _terms(state.scope, terms)
    if edges:
        yield Do("put_edge", edges)
    if tasks:
        yield Do("put_pending", tasks)


def _terms(scope: str, terms: Mapping[int, Terms]) -> Do:
    return Do(
        "put_terms",
        [
            {"scope": scope, "number": number, "length": t.length, "question": int(t.question), "terms": t.postings}
            for number, t in terms.items()
        ],
    )


def _put_vectors(state: _Scope, vectors: Mapping[str, NDArray[np.float32]]) -> Steps[None]:
    rows = yield Do("live_numbers", {"scope": state.scope, "ids": list(vectors)})
    new = {int(number): vectors[record_id] for record_id, number in rows}
    chunks = sorted({number // CHUNK for number in new})
    rows = yield Do("vector_chunks", {"scope": state.scope, "space": state.space, "chunks": chunks})
    held = {row[1]: dict(zip(*unpack_chunk(row[2], row[3]), strict=True)) for row in rows}
    for chunk in chunks:
        merged = held.get(chunk, {}) | {n: v for n, v in new.items() if n // CHUNK == chunk}
        yield _chunk(state, state.space, chunk, merged)


def _chunk(state: _Scope, space: str, chunk: int, vectors: Mapping[int, NDArray[Any]]) -> Do:
    where = {"scope": state.scope, "space": space, "chunk": chunk}
    if not vectors:
        return Do("delete_vectors", where)
    numbers = np.array(sorted(vectors), "<i8")
    matrix = np.stack([vectors[int(number)] for number in numbers]).astype("<f2")
    return Do(
        "put_vectors",
        {**where, "revision": state.revision, "numbers": numbers.tobytes(), "vectors": matrix.tobytes()},
    )


def _cache(state: _Scope, space: str, cache: Mapping[bytes, NDArray[np.float32]]) -> Steps[None]:
    common = {"scope": state.scope, "space": space}
    yield Do(
        "cache_embedding",
        [
            {**common, "hash": key.hex(), "revision": state.revision, "vector": vector.astype("<f2").tobytes()}
            for key, vector in cache.items()
        ],
    )
    yield Do("trim_embeddings", {**common, "keep": KEPT_EMBEDDINGS})


# --- erasing ----------------------------------------------------------------------------------------------------


def erase(scope: str, erasure: Erasure) -> Steps[Forgotten]:
    """See `Store.erase`."""
    rows = yield Do("scope_state", {"scope": scope})
    if not rows:
        return Forgotten()
    if erasure.everything:
        return (yield from _empty(scope))
    state = yield from _take(scope)
    ids = set(erasure.ids)
    if erasure.session is not None:
        rows = yield Do("session_ids", {"scope": scope, "session": erasure.session})
        ids |= {row[0] for row in rows}
    doomed, narrowed = yield from _closure(scope, ids)
    if not doomed:
        return Forgotten()
    counts = yield from _erase_versions(state, doomed)
    for record_id, rows in narrowed.items():
        for number, data, sources in rows:
            yield Do("rewrite_data", {"scope": scope, "number": number, "data": repack(data, sources),
                                      "revision": state.revision})  # fmt: skip
        counts["narrowed"] = counts.get("narrowed", 0) + 1
        yield Do("delete_edges_from", {"scope": scope, "ids": [record_id]})
        yield Do("put_edge", [_edge(state, record_id, source) for source in rows[-1][2]])
    yield Do("clear_embeddings", {"scope": scope})
    state.reset = state.revision
    yield state.left()
    return Forgotten(rows=counts)


def _closure(
    scope: str, ids: Iterable[str]
) -> Steps[tuple[dict[str, list[Sequence[Any]]], dict[str, list[tuple[int, str, list[str]]]]]]:
    """What has to go with `ids`, as rows by id; and what only loses a source, as (number, data, sources) by id."""
    doomed: dict[str, list[Sequence[Any]]] = {}
    narrowed: dict[str, list[tuple[int, str, list[str]]]] = {}
    wave = list(ids)
    while wave:
        rows = yield Do("all_versions", {"scope": scope, "ids": wave})
        for row in rows:
            doomed.setdefault(row[1], []).append(row)
            narrowed.pop(row[1], None)
        rows = yield Do("citing_ids", {"scope": scope, "ids": wave})
        rows = yield Do("all_versions", {"scope": scope, "ids": [row[0] for row in rows if row[0] not in doomed]})
        versions: dict[str, list[tuple[int, str, list[str]]]] = {}
        lost: set[str] = set()
        for row in sorted(rows, key=lambda row: row[0]):
            sources = from_row(scope, row).sources
            left = [source for source in sources if source not in doomed]
            if row[2] == "entity" and not left:
                mentions = yield Do("mentions", {"scope": scope, "id": row[1]})
                left = sorted(target for (target,) in mentions if target not in doomed)[:1]
            if row[2] not in OWN_SOURCES or not left:
                lost.add(row[1])
            elif len(left) < len(sources) or left[0] not in sources:
                versions.setdefault(row[1], []).append((row[0], row[9], left))
        narrowed |= {record_id: found for record_id, found in versions.items() if record_id not in lost}
        wave = sorted(lost - set(doomed))
    return doomed, narrowed


def _erase_versions(state: _Scope, doomed: Mapping[str, Sequence[Sequence[Any]]]) -> Steps[dict[str, int]]:
    scope, ids = state.scope, list(doomed)
    versions = [row for rows in doomed.values() for row in rows]
    numbers = [row[0] for row in versions]
    rows = yield Do("vector_chunks", {"scope": scope, "space": None, "chunks": sorted({n // CHUNK for n in numbers})})
    gone, vectors = set(numbers), 0
    for space, chunk, who, what in rows:
        held = dict(zip(*unpack_chunk(who, what), strict=True))
        kept = {number: vector for number, vector in held.items() if int(number) not in gone}
        if len(kept) < len(held):
            vectors += len(held) - len(kept)
            yield _chunk(state, space, chunk, kept)
    yield Do("delete_records", {"scope": scope, "numbers": numbers})
    yield Do("delete_terms", {"scope": scope, "numbers": numbers})
    yield Do("delete_edges", {"scope": scope, "ids": ids})
    yield Do("delete_pending", {"scope": scope, "ids": ids})
    passages = [record_id for record_id, rows in doomed.items() if rows[0][2] == "passage"]
    if passages:
        yield Do("put_tombstone", [{"scope": scope, "id": record_id} for record_id in passages])
    # What a frame was made of and stays is read again, so that nothing but the erased is lost.
    again = {s for row in versions if row[2] == "frame" for s in from_row(scope, row).sources if s not in doomed}
    rows = yield Do("live_records", {"scope": scope, "ids": sorted(again)})
    if rows:
        yield Do("put_pending", [
            {"scope": scope, "task": "extract", "number": row[0], "id": row[1], "session": row[5] or "", "due": 0}
            for row in rows if row[2] == "passage"
        ])  # fmt: skip
    counts: dict[str, int] = {"vectors": vectors}
    for row in versions:
        counts[row[2]] = counts.get(row[2], 0) + 1
    return counts


def _empty(scope: str) -> Steps[Forgotten]:
    counts: dict[str, int] = {}
    for table in TABLES:
        rows = yield Do(f"count_{table}_rows", {"scope": scope})
        counts[table] = rows[0][0]
        yield Do(f"empty_{table}", {"scope": scope})
    return Forgotten(rows=counts)
