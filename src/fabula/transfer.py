"""Taking a scope out as plain data and putting it in again, which nobody sees the half of; knows only protocols.

What an export looks like is said in `fabula.exported`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from fabula.abc import MOVED, Filter, Ground, ScopeState
from fabula.errors import InvalidInput, StoreUnavailable
from fabula.exported import BLOB, FILES, FORMAT, STATE, VERSION, Digest, Export, Row, blob_key, coded, shown
from fabula.files import blobs_of
from fabula.remember import new_id
from fabula.types import Note
from fabula.upkeep import PAGES, digest

log = logging.getLogger(__name__)
PAGE: Final = 1000
TRIES: Final = 12
"""How often a scope that is written to meanwhile is read again for an export."""
PAUSE, LONGEST = 0.05, 2.0
"""Seconds after the first time, each time twice as many, and at most: 13 in all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an import did: rows written by table and files; `present` where the same was there already."""

    scope: str
    rows: Mapping[str, int]
    blobs: int = 0
    present: bool = False


async def export(ground: Ground, scope: str) -> dict[str, Any]:
    """See `AsyncMemory.export`."""
    await ground.access.write(scope)
    for turn in range(TRIES):
        state = await ground.store.state(scope)
        if state is None:
            raise InvalidInput(f"there is nothing of {scope!r} to export")
        made = await _read(ground, scope, state)
        if await ground.store.state(scope) == state:
            return made
        # What was written just now is embedded and extracted in the background, which writes in bursts.
        await asyncio.sleep(min(LONGEST, PAUSE * 2**turn))
    raise StoreUnavailable(
        f"{scope!r} is written to while it is exported: flush its background work, stop its writers and try again"
    )


async def _read(ground: Ground, scope: str, state: ScopeState) -> dict[str, Any]:
    head = {
        "format": FORMAT,
        "version": VERSION,
        "scope": scope,
        "exported": ground.clock().isoformat(),
        "space": state.space,
        "state": {name: getattr(state, name) for name in STATE},
    }
    sums, tables = Digest(), {table: list[dict[str, Any]]() for table in MOVED}
    sums.head(head)
    for table, key in MOVED.items():
        after = None
        while rows := await ground.store.page(scope, table, after, PAGES.get(table, PAGE)):
            tables[table] += await asyncio.to_thread(_shown, sums, table, rows)
            after = rows[-1][:key]
    files = await _contents(ground, scope)
    await asyncio.to_thread(sums.add, "blobs", files.items())
    blobs = await asyncio.to_thread(lambda: dict(coded(files)))
    return {**head, "tables": tables, "blobs": blobs, "digest": sums.hex()}


def _shown(sums: Digest, table: str, rows: Sequence[Row]) -> list[dict[str, Any]]:
    sums.add(table, rows)
    return list(shown(table, rows))


async def import_(ground: Ground, data: Mapping[str, Any], scope: str | None) -> Imported:
    """See `AsyncMemory.import_`."""
    proved = await asyncio.to_thread(Export, data, scope)
    scope = proved.scope
    if proved.blobs and ground.blobs is None:
        raise InvalidInput("the export has uploaded files: open the memory with a blob store to import them")
    store, copier, written = ground.store, new_id(), dict.fromkeys(MOVED, 0)
    if await store.receive(scope, proved.state.revision, copier, afresh=True) is None:
        if await digest(store, scope) != proved.rows:
            raise InvalidInput(f"{scope!r} is there already, with other contents: forget it there first")
        return Imported(scope=scope, rows=written, present=True)
    pages = proved.pages(PAGES, PAGE)
    while (page := await asyncio.to_thread(next, pages, None)) is not None:
        table, rows = page
        await store.restore(scope, copier, table, rows)
        written[table] += len(rows)
    if await digest(store, scope) != proved.rows:
        raise StoreUnavailable(f"{scope!r} did not arrive as it was exported: import it again, or forget it")
    for file_id, held in proved.blobs.items():
        await blobs_of(ground).put(blob_key(scope, file_id), held)
    await store.publish(scope, copier, proved.state)
    ground.wake(scope)
    return Imported(scope=scope, rows=written, blobs=len(proved.blobs))


async def _contents(ground: Ground, scope: str) -> dict[str, bytes]:
    """Every uploaded file by its id. One that the blob store has lost is left out, and said to be."""
    found: dict[str, bytes] = {}
    for file_id, key in (await _files(ground, scope)).items():
        try:
            found[file_id] = await blobs_of(ground).get(key)
        except KeyError:
            log.warning("file %s of %r is not in the blob store: it is left out", file_id, scope)
    return found


async def _files(ground: Ground, scope: str) -> dict[str, str]:
    """Where the bytes are of all uploaded files that any version of a note tells of, by the files' ids, in order."""
    found: dict[str, str] = {}
    async for page in ground.store.pages(scope, Filter(kind="note", status=None, ended=True, limit=PAGE)):
        notes = [record for _, record in page if isinstance(record, Note) and record.namespace == FILES]
        found |= {note.id: note.value[BLOB] for note in notes}
    return dict(sorted(found.items()))
