"""What writing and erasing do, as steps of named statements; knows no driver and runs none of them.

The steps of one function are one transaction. See `statements.Do` for the form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fabula.abc import NEVER, Changes, Entry, Lease, Task, Terms, Written
from fabula.errors import EmbeddingMismatch, InvalidInput, SourcesGone, Unfinished
from fabula.names import NAMED_BY
from fabula.stores.layouts import Layout
from fabula.stores.leasing import held
from fabula.stores.reading import unembedded
from fabula.stores.rows import from_row, micros, now, to_row
from fabula.stores.statements import COPYING, Do, Rows, Steps
from fabula.timeline import SUPERSEDED_BY
from fabula.types import Passage, Record

KEPT_EMBEDDINGS: Final = 1000
"""How many embeddings a scope's cache keeps."""


class OwnRow:
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


def take(scope: str) -> Steps[OwnRow]:
    """Start a write: grow the scope's revision and return its row."""
    # A scope's first revision and number are the time, so that one erased and made again never repeats either.
    first = now()
    rows = yield Do("take_scope", {"scope": scope, "first": first})
    if rows[0][0] == first:
        yield from _uncopied(scope)
    return OwnRow(scope, rows[0])


def make(scope: str) -> Steps[OwnRow | None]:
    """Start the first write of a scope, and return its row; `None` where it is there, if only since now."""
    rows = yield Do("make_scope", {"scope": scope, "first": now()})
    if not rows:
        return None
    yield from _uncopied(scope)
    return OwnRow(scope, rows[0])


def _uncopied(scope: str) -> Steps[None]:
    if (yield from copying(scope)):
        raise Unfinished(scope)


def copying(scope: str) -> Steps[bool]:
    """Whether a copy of the scope was begun here and not finished."""
    rows = yield Do("hold_lease", {"scope": scope})
    return bool(rows) and rows[0][0].startswith(COPYING)


def write(scope: str, changes: Changes, lease: Lease | None, layout: Layout) -> Steps[Written]:
    """See `Store.write`."""
    _refuse(scope, changes)
    at = micros(changes.at) or now()
    # A scope's own row is always held first, then its lease: so two writers never wait for each other.
    if changes.revision:
        rows = yield Do("lock_scope", {"scope": scope})
        if [row[0] for row in rows] != [changes.revision]:
            return Written(revision=0)
    there = changes.add or changes.put or (yield Do("lock_scope", {"scope": scope}))
    starting = make if changes.revision == 0 else take
    state = (yield from starting(scope)) if there else None
    if lease is not None:
        yield from held(lease)
    if state is None:  # erased meanwhile, or made: nothing is made of what is left of it, nor of what was not known
        return Written(revision=0)
    if changes.space and state.space not in ("", changes.space) and not (changes.beside or changes.switch):
        raise EmbeddingMismatch(scope, state.space, changes.space)
    present, erased = yield from _known(scope, changes.add)
    seen = set(present) | erased
    fresh: list[Entry] = []
    for entry in changes.add:
        if entry.record.id not in seen:
            seen.add(entry.record.id)
            fresh.append(entry)
    # What was forgotten by name is not made again, so it ends nothing either.
    put = [entry for entry in changes.put if entry.record.meta.get(SUPERSEDED_BY) not in erased]
    yield from _require_sources(scope, [*fresh, *put], {edge.target for edge in changes.edges})
    ended = [entry.record.id for entry in put] + list(changes.close)
    if ended:
        yield Do("close_records", {"scope": scope, "ids": ended, "at": at, "revision": state.revision})
        yield Do("delete_pending", {"scope": scope, "ids": ended})
    due = int(min(at + changes.quiet * 1e6, micros(NEVER) or 0))
    yield from _insert(state, [*fresh, *put], at, due)
    if changes.edges:
        yield Do("put_edge", [edge_of(state, edge.source, edge.target, edge.kind) | {"ref": edge.ref,
                 "weight": edge.weight} for edge in changes.edges])  # fmt: skip
    if changes.terms:
        yield from _renew_terms(state, changes.terms)
    if changes.analyzer is not None and (changes.reindexed or not state.analyzer):
        state.analyzer = changes.analyzer
    complete = True
    if changes.vectors:
        complete = yield from _put_vectors(state, changes, layout)
    if changes.switch:
        yield from _switch(state, changes.space, layout)
    if changes.cache and complete:  # of what was erased meanwhile, not even the embedding is kept
        yield from _cache(state, changes.space, changes.cache)
    for task, ids in _by_task(changes.done).items():
        yield Do("strike_pending", {"scope": scope, "task": task, "ids": ids})
    for task, ids in _by_task(changes.again).items():
        rows = yield Do("live_records", {"scope": scope, "ids": ids})
        yield Do("strike_pending", {"scope": scope, "task": task, "ids": ids})  # a fresh start
        yield Do("put_pending", work_on(scope, task, rows))
    yield state.left()
    return Written(revision=state.revision, present=present, erased=frozenset(erased))


def touch(scope: str, counts: Mapping[str, int], at: datetime) -> Steps[None]:
    """See `Store.touch`."""
    if not (yield Do("share_scope", {"scope": scope})):
        return
    rows = yield Do("known_ids", {"scope": scope, "ids": sorted(counts)})
    # In the order of ids, so that two that count the same records never wait for each other.
    yield Do("put_access", [
        {"scope": scope, "id": record_id, "count": counts[record_id], "at": micros(at)}
        for record_id in sorted(row[0] for row in rows)
    ])  # fmt: skip


def work_on(scope: str, task: Task, rows: Rows) -> list[dict[str, Any]]:
    """Return the parameters of `put_pending` for records that are there: work that is due at once."""
    return [
        {"scope": scope, "task": task, "number": row[0], "id": row[1], "session": row[4] or "", "due": 0}
        for row in rows
    ]  # fmt: skip


def _by_task(work: Iterable[tuple[Task, str]]) -> dict[Task, list[str]]:
    found: dict[Task, list[str]] = {}
    for task, record_id in work:
        found.setdefault(task, []).append(record_id)
    return found


def _refuse(scope: str, changes: Changes) -> None:
    for entry in (*changes.add, *changes.put):
        if entry.record.scope != scope:
            raise InvalidInput(f"record {entry.record.id} belongs to another scope than the one written to")
    if any(isinstance(entry.record, Passage) for entry in changes.put):
        raise InvalidInput("a passage is never changed: what was said stays as it was said")


def _known(scope: str, entries: Sequence[Entry]) -> Steps[tuple[dict[str, Record], set[str]]]:
    """Which of the entries are there already, and which were forgotten."""
    if not entries:
        return {}, set()
    ids = [entry.record.id for entry in entries]
    rows = yield Do("live_records", {"scope": scope, "ids": ids})
    present = {row[1]: from_row(scope, row) for row in rows}
    rows = yield Do("tombstones", {"scope": scope, "ids": ids})
    return present, {row[0] for row in rows}


def _require_sources(scope: str, entries: Sequence[Entry], targets: set[str]) -> Steps[None]:
    own = {entry.record.id for entry in entries}
    records = [entry.record for entry in entries]
    told = {passage for record in records for passage in record.meta.get(NAMED_BY, ())}
    needed = (targets | told | {source for record in records for source in record.sources}) - own
    if not needed:
        return
    rows = yield Do("live_numbers", {"scope": scope, "ids": sorted(needed)})
    gone = needed - {row[0] for row in rows}
    if gone:
        raise SourcesGone(tuple(sorted(gone)))


def edge_of(state: OwnRow, source: str, target: str, kind: str = "cites") -> dict[str, Any]:
    """Return the parameters of `put_edge`."""
    return {"scope": state.scope, "target": target, "kind": kind, "source": source, "ref": "", "weight": 1.0,
            "revision": state.revision}  # fmt: skip


def _insert(state: OwnRow, entries: Sequence[Entry], at: int, due: int) -> Steps[None]:
    if not entries:
        return
    sequences: dict[str, int] = {}
    records: list[dict[str, Any]] = []
    terms: dict[int, Terms] = {}
    edges: list[dict[str, Any]] = []
    pictures: list[dict[str, Any]] = []
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
        pictures += [
            {"scope": state.scope, "id": record.id, "place": place, "bytes": data}
            for place, data in entry.pictures.items()
        ]
        edges += [edge_of(state, record.id, source) for source in record.sources]
        tasks += [
            {"scope": state.scope, "task": task, "number": number, "id": record.id, "session": row["session"] or "",
             "due": due if task == "extract" else 0}
            for task in entry.tasks
        ]  # fmt: skip
    yield Do("insert_record", records)
    if terms:
        yield _terms(state.scope, terms)
    if pictures:
        yield Do("put_picture", pictures)
    if edges:
        yield Do("put_edge", edges)
    if tasks:
        yield Do("put_pending", tasks)


def _terms(scope: str, terms: Mapping[int, Terms]) -> Do:
    return Do(
        "put_terms",
        [
            {
                "scope": scope,
                "number": number,
                "length": t.length,
                "question": int(t.question),
                "terms": t.postings,
                "links": t.links,
                "embedded": int(t.embedded),
            }
            for number, t in terms.items()
        ],
    )


def _renew_terms(state: OwnRow, terms: Mapping[int, Terms]) -> Steps[None]:
    rows = yield Do("numbered_records", {"scope": state.scope, "numbers": sorted(terms)})
    there = {row[0] for row in rows}
    yield _terms(state.scope, {number: made for number, made in terms.items() if number in there})
    state.reset = state.revision


def _put_vectors(state: OwnRow, changes: Changes, layout: Layout) -> Steps[bool]:
    """Write the vectors of the records that are there; return whether all of them are."""
    rows = yield Do("live_numbers", {"scope": state.scope, "ids": list(changes.vectors)})
    new = {int(number): changes.vectors[record_id].astype(np.float16) for record_id, number in rows}
    replaced = yield from layout.put(state.scope, changes.space, state.revision, new)
    if not (changes.beside or changes.switch):
        state.space = changes.space
        if replaced:
            # An index in memory fills in what it lacks; what it has and what has changed, it must read anew.
            state.reset = state.revision
    return len(new) == len(changes.vectors)


def _switch(state: OwnRow, space: str, layout: Layout) -> Steps[None]:
    """Keep the scope in another space from now on; what has no vector there yet is left to be embedded."""
    missing = yield from unembedded(state.scope, space, layout)
    rows = yield Do("numbered_records", {"scope": state.scope, "numbers": missing})
    yield Do("put_pending", work_on(state.scope, "embed", rows))
    yield from layout.keep(state.scope, space)
    yield Do("clear_embeddings", {"scope": state.scope})
    state.space, state.reset = space, state.revision


def _cache(state: OwnRow, space: str, cache: Mapping[bytes, NDArray[np.float32]]) -> Steps[None]:
    common = {"scope": state.scope, "space": space}
    yield Do(
        "cache_embedding",
        [
            {**common, "hash": key.hex(), "revision": state.revision, "vector": vector.astype("<f2").tobytes()}
            for key, vector in cache.items()
        ],
    )
    yield Do("trim_embeddings", {**common, "keep": KEPT_EMBEDDINGS})
