"""The graph of a scope: its entities, and the facts between them, whoever told them; knows no engine and no text.

What a caller writes and what was drawn from talk is one graph. An edge is a fact, so what ends what is `link`'s to say.
"""

# ruff: noqa: A002 - a node has a type, as an `Entity` has
from __future__ import annotations

import reprlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

from fabula.abc import Changes, Ready
from fabula.attempts import Attempts
from fabula.checking import within
from fabula.errors import InvalidInput
from fabula.extract import entry_of
from fabula.link import relate
from fabula.names import PROPERTIES, USER, normal
from fabula.remember import hiding, spelling, tagged
from fabula.replies.values import sentence
from fabula.surroundings import ENDS, Path, Surroundings
from fabula.text import ANALYZER, identifier
from fabula.timeline import OTHERWISE, SUPERSEDED_BY
from fabula.types import MAX_LIMIT, Entity, Fact, Interval, Record

T = TypeVar("T")
R = TypeVar("R", Entity, Fact)
Direction = Literal["both", "out", "in"]
Properties: TypeAlias = Mapping[str, Any]
DEEPEST: Final = 10
"""How many edges a path may have."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Neighbor:
    """What an edge leads to; `out` where the edge is told of the node that was asked for, `in` where of the other."""

    node: Entity
    edge: Fact
    direction: Literal["out", "in"]


@dataclass(slots=True)
class _Work:
    """What a change writes and ends."""

    put: dict[str, Record] = field(default_factory=dict[str, Record])
    close: dict[str, None] = field(default_factory=dict[str, None])


class Knowledge:
    """The graph of a scope: `AsyncMemory.graph`.

    A node is an entity and is found by its name or an alias, letter case and width aside; an edge is a fact. Who is
    called "user", 用户 or as the scope is the user: one node, to which belongs what was told of the user by either
    name. A relation that has one object at a time (`relations.SINGLE`: works at, lives in) ends the edge before it;
    others stand side by side. What has ended is shown only with `invalid`. Words are masked and cleaned as messages
    are; properties are plain JSON. What talk told goes with its messages, and what a caller wrote when it is removed.

    Every method raises `InvalidInput` for what cannot be meant, and `StoreUnavailable`.
    """

    def __init__(self, ready: Ready) -> None:
        self._ready = ready

    # --- nodes ---

    async def add_node(
        self, scope: str, name: str, type: str | None = None, *, aliases: Sequence[str] = (),
        properties: Properties | None = None,
    ) -> Entity:  # fmt: skip
        """Add a node; where one of that name and type is known, it gets the aliases and properties, and is returned."""
        given = await self._given(name=name, type=type, aliases=aliases, properties=properties)

        async def made(around: Surroundings, work: _Work) -> Entity:
            known = await around.find(given.name, given.type, strict=True)
            return _kept(work, known, given.put_in(known or await around.made(given.name, given.type)))

        return await self._written(scope, made)

    async def node(self, scope: str, name: str, *, type: str | None = None) -> Entity | None:
        """Return the node of a name, and of a type where one is given; `None` where there is none."""
        given = await self._given(name=name, type=type)
        around = await self._around(scope)
        found = await around.find(given.name, given.type, strict=True)
        if found is None and around.is_user(given.name, given.type) and await around.told([USER], limit=1):
            return await around.user()
        return found

    async def change_node(
        self, scope: str, node_id: str, *, type: str | None = None, aliases: Sequence[str] = (),
        properties: Properties | None = None,
    ) -> Entity | None:  # fmt: skip
        """Give a node another type, more aliases, or properties in the place of those of the same names."""
        wanted = identifier(node_id, "id")
        given = await self._given(type=type, aliases=aliases, properties=properties)

        async def made(around: Surroundings, work: _Work) -> Entity | None:
            known = await around.node(wanted)
            return None if known is None else _kept(work, known, given.put_in(known))

        return await self._written(scope, made)

    async def remove_node(self, scope: str, node_id: str) -> bool:
        """Remove a node with its edges, also those that have ended; return whether it was there.

        Versions stay, as of whatever changes; what is to leave no trace is forgotten (`AsyncMemory.forget`). The node
        of the user takes along all that is told of the user.
        """
        wanted = identifier(node_id, "id")

        async def made(around: Surroundings, work: _Work) -> bool:
            known = await around.node(wanted)
            key = around.key_of(wanted)
            edges = await around.told([key])
            if known is not None:
                work.close[wanted] = None
            await _related(around, work, unsaid=edges)
            return known is not None or bool(edges)

        return await self._written(scope, made)

    # --- edges ---

    async def add_edge(
        self, scope: str, source: str, relation: str, target: str, *, source_type: str | None = None,
        target_type: str | None = None, properties: Properties | None = None, valid: Interval | None = None,
    ) -> Fact:  # fmt: skip
        """Tie two nodes, which are made where they are not known; return the edge.

        It holds from now on, or as `valid` says. The same edge again, while it holds, is one, and gets the properties;
        told of another time (`valid`), what happens is two: two visits.
        """
        given = await self._given(name=source, type=source_type, properties=properties)
        other = await self._given(name=target, type=target_type)
        told = (await self._given(relation=relation)).relation
        _interval(valid)

        async def made(around: Surroundings, work: _Work) -> Fact:
            ends = [await around.end(one.name, one.type) for one in (given, other)]
            keys = [key for key, _, _ in ends]
            work.put |= {entity.id: entity for _, _, entity in ends if entity is not None}
            known = [] if valid else await around.between(keys[0], keys[1], told)
            if known:
                return _kept(work, known[0], given.put_in(known[0]))
            said = [name for _, name, _ in ends]
            fact = given.put_in(
                Fact(
                    scope=around.scope, id="", text=sentence(said[0], told, said[1]), subject=said[0], predicate=told,
                    object=said[1], valid=valid or Interval(start=around.now),
                    links={kind: (key,) for kind, key in zip(ENDS, keys, strict=True) if key != USER},
                )
            )  # fmt: skip
            (placed,) = await _related(around, work, told=[fact])
            now = placed if isinstance(placed, Fact) else fact
            return _kept(work, None, given.put_in(now))

        return await self._written(scope, made)

    async def edge(self, scope: str, edge_id: str) -> Fact | None:
        """Return an edge by its id, also one that has ended; `None` where there is none."""
        return await (await self._around(scope)).fact(identifier(edge_id, "id"))

    async def edges(
        self, scope: str, source: str, target: str, *, relation: str | None = None, source_type: str | None = None,
        target_type: str | None = None, invalid: bool = False,
    ) -> list[Fact]:  # fmt: skip
        """Return the edges from one node to another, the latest first."""
        given = await self._given(name=source, type=source_type, relation=... if relation is None else relation)
        other = await self._given(name=target, type=target_type)
        around = await self._around(scope)
        keys = [await around.key(one.name, one.type) for one in (given, other)]
        return await around.between(keys[0], keys[1], given.relation, invalid=invalid)

    async def change_edge(
        self, scope: str, edge_id: str, *, properties: Properties | None = None, valid: Interval | None = None
    ) -> Fact | None:
        """Give an edge properties in the place of those of the same names, or say anew when it holds."""
        wanted = identifier(edge_id, "id")
        given = await self._given(properties=properties)
        _interval(valid)

        async def made(around: Surroundings, work: _Work) -> Fact | None:
            known = await around.fact(wanted)
            if known is None:
                return None
            changed = given.put_in(known)
            if valid is None:
                return _kept(work, known, changed)
            meta = {name: value for name, value in changed.meta.items() if name not in (SUPERSEDED_BY, OTHERWISE)}
            await _related(around, work, changed=[replace(changed, valid=valid, status="live", meta=meta)])
            return work.put[wanted]  # pyright: ignore[reportReturnType]

        return await self._written(scope, made)

    async def remove_edge(self, scope: str, edge_id: str) -> bool:
        """Remove an edge; what it had ended holds again. Returns whether it was there; versions stay."""
        wanted = identifier(edge_id, "id")

        async def made(around: Surroundings, work: _Work) -> bool:
            known = await around.fact(wanted)
            if known is not None:
                await _related(around, work, unsaid=[known])
            return known is not None

        return await self._written(scope, made)

    # --- looking around ---

    async def neighbors(
        self, scope: str, name: str, *, type: str | None = None, relations: Iterable[str] | None = None,
        direction: Direction = "both", limit: int = 10, invalid: bool = False,
    ) -> list[Neighbor]:  # fmt: skip
        """Return up to `limit` (1 to 1000) of a node's edges and what they lead to, the latest first.

        `relations` are those that count, in any words for them: `works_at` is "is employed by", too.
        """
        given = await self._given(name=name, type=type)
        if direction not in ("both", "out", "in"):
            raise InvalidInput(f"direction is 'both', 'out' or 'in', not {reprlib.repr(direction)}")
        within("limit", limit, 1, MAX_LIMIT)
        wanted = None if relations is None else [(await self._given(relation=one)).relation for one in relations]
        around = await self._around(scope)
        key = await around.key(given.name, given.type)
        sides = {"out": ENDS[:1], "in": ENDS[1:], "both": ENDS}[direction]
        facts = await around.told([key], sides=sides, relations=wanted, invalid=invalid, limit=limit)
        found: list[tuple[Fact, str, Literal["out", "in"]]] = []
        for fact in facts:
            subject, thing = around.ends(fact)
            out = subject == key and "subject" in sides
            found.append((fact, thing if out else subject, "out" if out else "in"))
        nodes = await around.nodes(facts)
        return [Neighbor(node=nodes[other], edge=fact, direction=way) for fact, other, way in found]

    async def paths(
        self, scope: str, source: str, target: str, *, source_type: str | None = None, target_type: str | None = None,
        depth: int = 3, limit: int = 10, invalid: bool = False,
    ) -> list[Path]:  # fmt: skip
        """Return the shortest paths between two nodes, of up to `depth` edges (1 to 10) whichever way these point.

        At most `limit` of them; none where there is no way.
        """
        given = await self._given(name=source, type=source_type)
        other = await self._given(name=target, type=target_type)
        within("depth", depth, 1, DEEPEST)
        within("limit", limit, 1, MAX_LIMIT)
        around = await self._around(scope)
        keys = [await around.key(one.name, one.type) for one in (given, other)]
        return await around.paths(keys[0], keys[1], depth, limit, invalid=invalid)

    async def triples(self, scope: str, *, invalid: bool = False) -> list[tuple[Entity, Fact, Entity]]:
        """Return every edge with the nodes it ties, the latest first; nodes without one are in `records`."""
        around = await self._around(scope)
        facts = await around.told(None, invalid=invalid)
        nodes = await around.nodes(facts)
        ends = ((around.ends(fact), fact) for fact in facts)
        return [(nodes[subject], fact, nodes[thing]) for (subject, thing), fact in ends]

    # --- how it is done ---

    async def _around(self, scope: str) -> Surroundings:
        return await Surroundings.of(await self._ready(), identifier(scope, "scope"))

    async def _given(
        self, *, name: Any = ..., type: Any = None, relation: Any = ..., aliases: Any = (), properties: Any = None
    ) -> _Given:
        """What a caller gave, checked, and as it is stored."""
        settings = (await self._ready()).settings
        hidden = hiding(settings)
        texts = {"name": name, "type": ... if type is None else type, "relation": relation}
        words = {what: "" if told is ... else hidden(identifier(told, what)) for what, told in texts.items()}
        if not isinstance(aliases, Sequence) or isinstance(aliases, str | bytes):
            raise InvalidInput(f"aliases are a list of names, not {reprlib.repr(aliases)}")
        if properties is not None and not isinstance(properties, Mapping):
            raise InvalidInput(f"properties are a mapping, not {reprlib.repr(properties)}")
        return _Given(
            **words,
            aliases=tuple(hidden(identifier(alias, "alias")) for alias in cast(Sequence[Any], aliases)),
            properties=None if properties is None else tagged(properties, settings, "properties"),
        )

    async def _written(self, scope: str, made: Callable[[Surroundings, _Work], Awaitable[T]]) -> T:
        """Write what is made of what is known, once nobody else wrote to the scope in between."""
        ground = await self._ready()
        async with Attempts(ground.store, identifier(scope, "scope")) as attempts:
            async for _ in attempts:
                around, work = await self._around(scope), _Work()
                result = await made(around, work)
                if not (work.put or work.close):
                    return result
                changes = Changes(
                    # Put, not added: what was forgotten before may be told again by who forgot it.
                    put=tuple(map(entry_of, work.put.values())), close=tuple(work.close), analyzer=ANALYZER,
                    at=around.now, revision=around.index.revision,
                )  # fmt: skip
                if (await ground.store.write(around.scope, changes)).revision:
                    ground.wake(around.scope)
                    return result
        raise AssertionError


@dataclass(frozen=True, kw_only=True, slots=True)
class _Given:
    """What a caller says of a node or an edge."""

    name: str
    type: str
    relation: str
    aliases: tuple[str, ...]
    properties: Properties | None

    def put_in(self, record: R) -> R:
        """Return a record with what is said of it. It has properties from now on, if only none: a caller knows it."""
        meta = {**record.meta, PROPERTIES: {**record.meta.get(PROPERTIES, {}), **(self.properties or {})}}
        if not isinstance(record, Entity):
            return replace(record, meta=meta)
        held = {normal(name) for name in (record.text, *record.aliases)}
        more = {normal(alias): alias for alias in self.aliases if normal(alias) not in held}
        return replace(record, meta=meta, type=self.type or record.type, aliases=(*record.aliases, *more.values()))


def _interval(valid: Any) -> None:
    if not isinstance(valid, Interval | None):
        raise InvalidInput(f"valid is an Interval or None, not {reprlib.repr(valid)}")


def _kept(work: _Work, known: R | None, now: R) -> R:
    """Write a record, unless it is known as it is."""
    if known is None or now != known or spelling(dict(now.meta)) != spelling(dict(known.meta)):
        work.put[now.id] = now
    return now


async def _related(around: Surroundings, work: _Work, **facts: Sequence[Fact]) -> list[Record | None]:
    """Write what facts make of those that are known; return those that were `told`, as they are now."""
    linked, placed = await relate(around.store, around.scope, around.index, **facts)
    work.put |= {**linked.new, **linked.changed}
    work.close |= linked.closed
    there = {**await around.store.get(around.scope, placed), **work.put} if placed else {}
    return [there.get(one) for one in placed]
