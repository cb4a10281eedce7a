"""What keeps a memory in shape over the years: another model, another database, a check; knows only protocols."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from fabula.abc import COUNTED, MOVED, Changes, Embedder, Store
from fabula.errors import InvalidInput, StoreUnavailable
from fabula.remember import new_id, vectors
from fabula.text import ANALYZER

Progress: TypeAlias = Callable[[str, int, int], None]
"""Is told what is being done, how much of it is done, and how much there is."""
PAGES: Final[Mapping[str, int]] = {"pictures": 1}
"""How many rows of a table are held at once, where they may be large."""
TRIES: Final = 3
"""How often a scope that is written to meanwhile is copied again."""


def quiet(doing: str, done: int, total: int) -> None:
    """Tell nobody."""
    del doing, done, total


async def reembed(store: Store, embedder: Embedder, scope: str, batch: int, progress: Progress) -> int:
    """Embed a scope in the space of `embedder`, beside its present vectors, and switch; return how many records.

    Raises a `ProviderError`; what was embedded until then is kept for the next time.
    """
    state = await store.state(scope)
    if state is None or state.space in ("", embedder.space):
        return 0
    done, tried = 0, set[int]()
    while missing := [number for number in await store.unembedded(scope, embedder.space) if number not in tried]:
        tried.update(missing)
        for start in range(0, len(missing), batch):
            records = (await store.fetch(scope, missing[start : start + batch])).values()
            made, _ = await vectors(store, embedder, scope, records)
            if not made:  # forgotten meanwhile, or without anything that it means
                continue
            await store.write(scope, Changes(vectors=made, space=embedder.space, beside=True))
            done += len(made)
            progress("embedding", done, max(done, len(missing)))
    await store.write(scope, Changes(space=embedder.space, switch=True))
    return done


@dataclass(frozen=True, kw_only=True, slots=True)
class Copied:
    """What a copy of one scope did: rows written by table; `present` where it was there already."""

    scope: str
    rows: dict[str, int]
    present: bool = False


async def copy(source: Store, target: Store, scope: str, progress: Progress = quiet) -> Copied:
    """Copy a scope to another database, row by row as it is, and prove that it arrived.

    It is there as a whole or not at all. An interrupted copy goes on where it was; what was copied before is left
    as it is; of two copies at once the later one goes on. Raises `InvalidInput` where the scope does not exist, or
    exists at the target with other contents, and `StoreUnavailable` where it is written to all the while.
    """
    written, copier = dict.fromkeys(MOVED, 0), new_id()
    for turn in range(TRIES):
        state = await source.state(scope)
        if state is None:
            raise InvalidInput(f"there is no scope {scope!r} to copy")
        reached = await target.receive(scope, state.revision, copier, afresh=turn > 0)
        if reached is None:
            return Copied(scope=scope, rows=written, present=True)
        async for table, rows in _pages(source, scope, reached):
            if await source.state(scope) != state:
                break
            await target.restore(scope, copier, table, rows)
            written[table] += len(rows)
            progress(f"copying {scope}", written["records"], max(written["records"], 1))
        same = await digest(source, scope) == await digest(target, scope)
        if same and await source.state(scope) == state:
            await target.publish(scope, copier, state)
            return Copied(scope=scope, rows=written)
    raise StoreUnavailable(f"scope {scope!r} is written to while it is copied: stop its writers and copy again")


async def _pages(
    store: Store, scope: str, reached: Mapping[str, tuple[Any, ...] | None], but: Collection[str] = ()
) -> AsyncIterator[tuple[str, list[tuple[Any, ...]]]]:
    """All rows of a scope behind those reached, a page at a time."""
    for table, key in MOVED.items():
        if table in but:
            continue
        after = reached.get(table)
        while rows := await store.page(scope, table, after, PAGES.get(table, 1000)):
            yield table, rows
            after = rows[-1][:key]


async def digest(store: Store, scope: str) -> str:
    """Return a fingerprint of all rows of a scope but what is `COUNTED`, the same on every engine."""
    sums = hashlib.sha256()
    async for table, rows in _pages(store, scope, {}, COUNTED):
        sums.update(await asyncio.to_thread(_coded, table, rows))
    return sums.hexdigest()


def _coded(table: str, rows: Iterable[tuple[Any, ...]]) -> bytes:
    return b"".join(repr((table, *row)).encode() for row in rows)


async def check(store: Store, scope: str | None) -> list[str]:
    """See `AsyncMemory.check`: what the store finds, and whether the keyword index is of the present version."""
    problems = await store.check(scope)
    for name in await store.scopes() if scope is None else [scope]:
        state = await store.state(name)
        if state is not None and state.analyzer not in (0, ANALYZER):
            problems.append(f"{name}: the keyword index is of version {state.analyzer}, run `fabula reindex`")
    return problems
