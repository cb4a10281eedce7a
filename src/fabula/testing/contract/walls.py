"""That a scope sees itself only: no name, no filter and no order of operations leads over the wall.

It knows nothing that a scope does with its own records.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fabula.abc import MOVED, Changes, Erasure, Filter, Store
from fabula.errors import Unfinished
from fabula.testing.contract.making import (
    NOON,
    SPACE,
    direction,
    entries,
    examples,
    fact,
    fresh,
    passage,
    six,
    vectors_of,
)
from fabula.types import KINDS, Kind

NEIGHBOURS = ["u", "U", "u1", "u ", " u", "u%", "u_", "_", "%", "ü", "u\u0308", "用户", "用户1", "u'--", "u/a", "u\n"]
NAMES = "abc"
STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["say", "fact", "erase", "embed", "all"]), st.sampled_from(NAMES)),
    min_size=4,
    max_size=14,
)


class WallsContract:
    """The tenant wall."""

    async def test_near_names_are_other_scopes(self, store: Store) -> None:
        """Prefixes, other letter case, wildcards, padding and look-alike characters all keep to themselves."""
        for scope in NEIGHBOURS:
            said = entries(passage(scope, "a", f"said in {scope!r}", session="s"), tasks=("extract",))
            await store.write(scope, Changes(add=said, vectors={"a": direction(scope)}, space=SPACE))
        assert sorted(await store.scopes()) == sorted(NEIGHBOURS)
        for scope in NEIGHBOURS:
            assert (await store.get(scope, ["a"]))["a"].text == f"said in {scope!r}"
            ((_, found),) = await store.find(scope, Filter(kind="passage"))
            assert found.scope == scope
            (vector,) = vectors_of(await store.load(scope, SPACE)).values()
            assert float(vector @ direction(scope)) > 1 - 1e-3
            assert (await store.stats(scope)).records.get("passage") == 1
            assert len(await store.pending(scope, "extract")) == 1
        assert await store.erase("u", Erasure(everything=True))
        assert sorted(await store.scopes()) == sorted(NEIGHBOURS[1:])
        for scope in NEIGHBOURS[1:]:
            assert len(await store.get(scope, ["a"])) == 1

    async def test_numbers_of_another_scope_lead_nowhere(self, store: Store) -> None:
        """A record number is good in its own scope."""
        await store.write("u", Changes(add=entries(*(passage("u", f"p{n}") for n in range(3)))))
        await store.write("v", Changes(add=entries(passage("v", "q"))))
        numbers = [number for number, _ in await store.find("u", Filter(kind="passage"))]
        own = [number for number, _ in await store.find("v", Filter(kind="passage"))]
        found = await store.fetch("v", [*numbers, *own])
        assert {record.scope for record in found.values()} == {"v"}
        assert "q" in {record.id for record in found.values()}

    async def test_the_half_of_a_copy_is_not_there(self, store: Store) -> None:
        """Whoever reads is answered as of a scope that never was, who writes is refused, and the check says it."""
        records = six("u")
        ids = [record.id for record in records]
        await store.write("u", Changes(add=entries(*records, tasks=("embed", "extract"))))
        await store.write(
            "u", Changes(vectors={one: direction(one) for one in ids}, space=SPACE, done=(("embed", "p"),))
        )
        await store.touch("u", dict.fromkeys(ids, 2), NOON)
        found = [await store.find("u", Filter(kind=kind, status=None)) for kind in KINDS]
        numbers = [number for page in found for number, _ in page]
        state, whole = await store.state("u"), await _seen(store, "u", ids, numbers)
        assert state is not None
        assert all(whole.values()), "what is empty anyway proves nothing"
        nothing = await _seen(store, "nobody", ids, numbers)
        await store.receive("v", state.revision, "copier", afresh=True)
        for table in MOVED:  # several times, since a store may keep what it has read
            if rows := await store.page("u", table):
                await store.restore("v", "copier", table, rows)
            assert await _seen(store, "v", ids, numbers) == nothing, table
        assert (await store.stats()).records == (await store.stats("u")).records
        assert await store.scopes() == ["u"]
        refused = await asyncio.gather(
            store.write("v", Changes(add=entries(passage("v", "x")))), return_exceptions=True
        )
        assert [type(error) for error in refused] == [Unfinished]
        assert [line for line in await store.check() if "'v'" in line] == await store.check("v") != []
        await store.publish("v", "copier", state)
        assert await _seen(store, "v", ids, numbers) == whole
        assert await store.check() == await store.check("u") == []

    async def test_a_record_must_be_of_the_scope_it_is_written_to(self, store: Store) -> None:
        """What is read from a scope says that scope, whatever the record said."""
        try:
            await store.write("u", Changes(add=entries(passage("v", "a"))))
        except ValueError:
            assert await store.scopes() == []
        else:
            assert (await store.get("u", ["a"]))["a"].scope == "u"
        assert await store.get("v", ["a"]) == {}

    async def test_a_lease_opens_one_scope(self, store: Store) -> None:
        """Work in one scope does not give the right to another's."""
        for scope in ("u", "v"):
            await store.write(scope, Changes(add=entries(passage(scope, "a"), tasks=("extract",)), at=NOON))
        first = await store.lease("w", ["extract"], NOON, 60)
        assert first is not None
        other = ({"u", "v"} - {first.scope}).pop()
        await store.write(first.scope, Changes(done=(("extract", "a"),)), first)
        assert len(await store.pending(other, "extract")) == 1
        second = await store.lease("x", ["extract"], NOON + timedelta(seconds=1), 60)
        assert second is not None
        assert second.scope == other

    @examples
    @given(steps=STEPS)
    async def test_three_scopes_under_random_operations(self, store: Store, steps: list[tuple[int, str, str]]) -> None:
        """Each scope always holds what was done to it, under the same ids and sessions as its neighbours."""
        base = f"{fresh()}/u"
        scopes = [base, f"{base}1", base.upper()]
        model: dict[str, dict[str, str]] = {scope: {} for scope in scopes}
        dead: dict[str, set[str]] = {scope: set() for scope in scopes}
        untold: dict[str, dict[str, str]] = {scope: {} for scope in scopes}  # what a fact said before a message told it
        for turn, (which, verb, name) in enumerate(steps):
            scope = scopes[which]
            held = model[scope]
            match verb:
                case "say":
                    said = passage(scope, name, f"{scope} {turn}", session="s")
                    await store.write(scope, Changes(add=entries(said, tasks=("extract",))))
                    if name not in dead[scope]:
                        held.setdefault(name, said.text)
                case "fact":
                    sources = (name,) if name in held else ()
                    made = fact(scope, f"t{name}", *sources, text=f"{scope} {turn}")
                    await store.write(scope, Changes(put=entries(made)))
                    held[made.id] = made.text
                    untold[scope] |= {} if sources else {made.id: made.text}
                case "embed":
                    vectors = {id: direction(text) for id, text in held.items()}  # noqa: A001
                    await store.write(scope, Changes(vectors=vectors, space=SPACE))
                case "erase":
                    cited = {record.id for record in await store.citing(scope, [name], ["fact"])}
                    await store.erase(scope, Erasure(ids=(name,)))
                    if held.pop(name, None):
                        dead[scope].add(name)
                    for gone in cited:
                        del held[gone]
                        if gone in untold[scope]:
                            held[gone] = untold[scope][gone]
                case _:
                    await store.erase(scope, Erasure(everything=True))
                    held.clear()
                    dead[scope].clear()
                    untold[scope].clear()
            for each in scopes:
                await self._agrees(store, each, model[each])

    async def _agrees(self, store: Store, scope: str, held: dict[str, str]) -> None:
        ids = [*NAMES, *(f"t{name}" for name in NAMES)]
        got = await store.get(scope, ids)
        assert {id: record.text for id, record in got.items()} == held  # noqa: A001
        found: dict[str, Any] = {}
        for kind in ("passage", "fact"):
            found |= {record.id: record.text for _, record in await store.find(scope, Filter(kind=kind))}
        assert found == held
        index = await store.load(scope, SPACE)
        believed = [n for f in index.fields.values() for n in f.number[f.live(None)].tolist()]
        assert {r.id: r.text for r in (await store.fetch(scope, believed)).values()} == held
        said = {name for name in held if name in NAMES}
        assert {piece.id for piece in await store.pending(scope, "extract")} == said
        assert sum((await store.stats(scope)).records.values()) == len(held)
        for record in await store.citing(scope, list(NAMES), ["fact"]):
            assert record.scope == scope
            assert record.id in held


async def _seen(store: Store, scope: str, ids: Sequence[str], numbers: Sequence[int]) -> dict[str, Any]:
    """What each way of reading tells of a scope; what is empty, or nothing, of one that is not there."""
    every: tuple[Kind, ...] = ("fact", "entity", "frame")
    later = NOON + timedelta(days=36500)
    index, stats = await store.load(scope, SPACE), await store.stats(scope)
    records = {
        "get": (await store.get(scope, ids)).values(),
        "get as of": (await store.get(scope, ids, later)).values(),
        "fetch": (await store.fetch(scope, numbers)).values(),
        "shown": (await store.shown(scope, index, numbers)).values(),
        "find": [record for kind in KINDS for _, record in await store.find(scope, Filter(kind=kind, status=None))],
        "notes": await store.notes(scope, "prefs", prefix="", after="", limit=9),
        "citing": await store.citing(scope, ids, every),
        "citing as of": await store.citing(scope, ids, every, later),
        "cited": await store.cited(scope, index, ids, every),
        "versions": await store.versions(scope, ids),
        "unused": await store.unused(scope, every, later, 9),
    }
    return {
        **{name: sorted(record.id for record in found) for name, found in records.items()},
        "sessions": await store.sessions(scope) if (await store.sessions(scope))[0] else None,
        "accessed": await store.accessed(scope, ids),
        "pending": len(await store.pending(scope, "extract")),
        "unembedded": await store.unembedded(scope, "another space"),
        "vectors": (await store.vectors(scope, SPACE, numbers))[0].tolist(),
        "nearest": (await store.nearest(scope, SPACE, direction("p"), 3))[0].tolist(),
        "index": index.revision,
        "counts": (stats.scopes, stats.records, stats.sessions, stats.pending) if stats.records else None,
        "bytes": sum(size for table, size in stats.bytes.items() if table not in ("scopes", "leases", "embeddings")),
        "state": await store.state(scope),
    }
