"""What stands around whom in the graph of a scope: nodes by name, their edges, the ways between; writes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias, cast

import numpy as np

from fabula import people
from fabula.abc import Ground
from fabula.index import Field, Index, Ints
from fabula.names import NAMED, PERSON, USER, entity_id, is_user, normal, user_ids
from fabula.narrowing import drawn_by_hand
from fabula.relations import HOLDS, lasting, relation
from fabula.text import derived_id, fold, hash_term
from fabula.timeline import end_of
from fabula.types import Entity, Fact

End: TypeAlias = Literal["subject", "object"]
ENDS: Final[tuple[End, ...]] = ("subject", "object")
PAGE: Final = 200
"""How many edges are read at once."""
_CLASSES: Final = {
    **dict.fromkeys(PERSON, "Person"),
    **dict.fromkeys(("company", "org", "organisation", "organization", "组织", "公司", "机构"), "Organization"),
    **dict.fromkeys(("place", "gpe", "city", "country", "location", "地点", "地方", "城市", "国家"), "Location"),
    **dict.fromkeys(("事件", "event"), "Event"),
    **dict.fromkeys(("概念", "concept"), "Concept"),
}
_HAPPENS: Final = frozenset(("met", "meets", "attended", "visited", "occurred at", "occurred on", "mentions"))
"""Relations of what happened, which is not undone by being over."""


def class_of(kind: str) -> str:
    """Return the type that a word for one stands for: Organization for "company"; others as they are."""
    return _CLASSES.get(fold(kind), kind)


def fits(kind: str, wanted: str) -> bool:
    """Whether what is of a type may be meant by another; where none is told, by any."""
    return not (kind and wanted) or fold(class_of(kind)) == fold(class_of(wanted))


def over(fact: Fact, now: datetime) -> bool:
    """Whether what a fact says holds no longer: another took its place, or it ended as it was told.

    What happened is not over.
    """
    if fact.status == "archived":
        return True
    end = fact.valid.end if fact.valid is not None else None
    if fact.status == "superseded":
        return end is None or end <= now
    state = lasting(fact.predicate) or (drawn_by_hand(fact) and relation(fact.predicate) not in _HAPPENS)
    return state and end is not None and end <= now and fact.valid is not None and end != fact.valid.start


def _oldest_first(field: Field, rows: Ints) -> Ints:
    """Rows by when they began to hold, or else were recorded; of those that began together, those that ended first."""
    start, end = field.valid_from[rows], field.valid_to[rows]
    begun = np.where(np.isnan(start), field.recorded_from[rows], start)
    return rows[np.lexsort((rows, np.where(np.isnan(end), np.inf, end), begun))]


@dataclass(frozen=True, kw_only=True, slots=True)
class Path:
    """A way through the graph: each edge ties the node before it to the one after it, whichever way it points."""

    nodes: tuple[Entity, ...]
    edges: tuple[Fact, ...]


class Surroundings:
    """The graph as it is at one revision of the scope.

    A node is known by a key: the id of its entity, `USER` for the user, or the words for what is no entity.
    """

    def __init__(self, ground: Ground, scope: str, index: Index, called: Sequence[Entity]) -> None:
        self.store, self.scope, self.index = ground.store, scope, index
        self.now = ground.clock()
        self._people = people.Ground(ground.store, scope, index)
        self._called = called
        """Who is called as the scope is."""
        self._users = user_ids(scope) | {one.id for one in called}

    @classmethod
    async def of(cls, ground: Ground, scope: str) -> Surroundings:
        """Return the graph of a scope as it is now."""
        index = await ground.store.load(scope, ground.space)
        alone = cls(ground, scope, index, ())
        return cls(ground, scope, index, await alone._bearers(scope))

    # --- nodes ---

    async def _bearers(self, name: str) -> list[Entity]:
        entities = self.index.of("entity")
        rows = entities.bearing(hash_term(NAMED + normal(name)))
        return cast(list[Entity], await self._people.fetched(entities, rows, len(rows)))

    def is_user(self, name: str, kind: str = "") -> bool:
        """Whether the user is meant by a name, if by this type."""
        return is_user(name, self.scope) and fits("Person", kind)

    async def find(self, name: str, kind: str, *, strict: bool) -> Entity | None:
        """Return who bears a name, best as their own: of this type, or else of another unless it is `strict`."""
        found = self._called if self.is_user(name, kind) else await self._bearers(name)
        fitting = [one for one in found if fits(one.type, kind)] or ([] if strict else found)
        own = [one for one in fitting if normal(one.text) == normal(name)]
        return next(iter(own or fitting), None)

    async def key(self, name: str, kind: str) -> str:
        """Return the key of who is meant by a name, known or not."""
        if self.is_user(name, kind):
            return USER
        found = await self.find(name, kind, strict=False)
        return self.key_of(found.id if found else entity_id(name))

    def key_of(self, node_id: str) -> str:
        """Return the key of the node with an id."""
        return USER if node_id in self._users else node_id

    async def end(self, name: str, kind: str) -> tuple[str, str, Entity | None]:
        """Return the key of who is meant by a name, what they are called, and their entity where it is to be written:
        it is new, or nobody had told its type."""
        if self.is_user(name, kind):
            return USER, USER, None
        found = await self.find(name, kind, strict=False)
        if found is not None:
            return self.key_of(found.id), found.text, None if found.type or not kind else replace(found, type=kind)
        new = await self.made(name, kind)
        return new.id, new.text, new

    async def made(self, name: str, kind: str) -> Entity:
        """Return an entity of a name and type that nobody bears yet; or as it was, where it was archived."""
        if self.is_user(name, kind):
            return await self.user()
        new = Entity(scope=self.scope, id=entity_id(name), text=name, type=kind)
        known = (await self.store.get(self.scope, [new.id])).get(new.id)
        if not isinstance(known, Entity):
            return new
        if fits(known.type, kind) and known.status == "archived":
            return replace(known, status="live")
        # Two of one name and of two types are two.
        return Entity(scope=self.scope, id=derived_id("entity", normal(name), fold(kind)), text=name, type=kind)

    async def user(self) -> Entity:
        """Return the user's entity; made up where there is none."""
        made = Entity(scope=self.scope, id=entity_id(self.scope), text=self.scope, type="User")
        return next(iter(self._called), made)

    async def node(self, node_id: str) -> Entity | None:
        """Return a node by its id."""
        known = (await self.store.get(self.scope, [node_id])).get(node_id)
        if isinstance(known, Entity):
            return known
        return await self.user() if node_id in self._users and await self.told([USER], limit=1) else None

    async def nodes(self, facts: Iterable[Fact]) -> dict[str, Entity]:
        """Return the nodes that facts tie, by key; of what is no entity, what it is called in the facts."""
        names: dict[str, str] = {}
        for fact in facts:
            for key, said in zip(self.ends(fact), (fact.subject, fact.object), strict=True):
                names.setdefault(key, said)
        known = await self.store.get(self.scope, [key for key in names if key != USER])
        nodes = {
            key: found if isinstance(found := known.get(key), Entity) else Entity(scope=self.scope, id=key, text=said)
            for key, said in names.items()
        }
        return {**nodes, USER: await self.user()} if USER in nodes else nodes

    # --- edges ---

    def ends(self, fact: Fact) -> tuple[str, str]:
        """Return the keys of a fact's subject and object."""
        said = ((end_of(fact, "subject"), fact.subject), (end_of(fact, "object"), fact.object))
        subject, thing = (USER if is_user(name, self.scope) else self.key_of(key) for key, name in said)
        return subject, thing

    async def fact(self, edge_id: str) -> Fact | None:
        """Return an edge by its id."""
        found = (await self.store.get(self.scope, [edge_id])).get(edge_id)
        return found if isinstance(found, Fact) and found.status != "archived" else None

    async def told(
        self, keys: Collection[str] | None, *, sides: Sequence[End] = ENDS, relations: Iterable[str] | None = None,
        invalid: bool = True, limit: int | None = None,
    ) -> list[Fact]:  # fmt: skip
        """Return the facts that tie any of these (`None`: anybody), on these sides of an edge, the latest first.

        The latest is what began to hold last, or else was recorded last.
        """
        wanted = None if relations is None else {relation(one) for one in relations}
        field, found = self.index.of("fact"), list[Fact]()
        rows = _oldest_first(field, self._rows(keys, sides, wanted))
        while len(rows) and (limit is None or len(found) < limit):
            page, rows = rows[-PAGE:], rows[:-PAGE]
            for fact in reversed(cast(list[Fact], await self._people.fetched(field, page, PAGE))):
                ends = dict(zip(ENDS, self.ends(fact), strict=True))
                meets = keys is None or any(ends[side] in keys for side in sides)
                tied = fact.subject and fact.predicate and fact.object and meets
                meant = wanted is None or relation(fact.predicate) in wanted
                if tied and meant and fact.status != "archived" and (invalid or not over(fact, self.now)):
                    found.append(fact)
        return found[:limit]

    def _rows(
        self,
        keys: Collection[str] | None,
        sides: Sequence[End],
        relations: Collection[str] | None,
    ) -> Ints:
        """The rows of facts that may tie any of these."""
        field = self.index.of("fact")
        if keys is None:
            return np.flatnonzero(field.live(None))
        ids = {key for key in keys if key != USER} | (self._users if USER in keys else set[str]())
        rows: list[Ints] = [field.tied(side, *map(hash_term, ids)) for side in sides]
        if USER in keys:  # the word for the user is nobody's name, so these are tied to nobody
            here = np.flatnonzero(field.live(None))
            rows += [np.setdiff1d(here, field.ties(side).owner) for side in sides]
        found = np.unique(np.concatenate(rows)).astype(np.int64)
        if relations is None:
            return found
        meant = [field.bearing(hash_term(HOLDS + one)) for one in relations] or [np.empty(0, np.int64)]
        return np.intersect1d(found, np.concatenate(meant))

    async def between(self, source: str, target: str, told: str = "", *, invalid: bool = False) -> list[Fact]:
        """Return the edges from one node to another, of a relation where one is named, the latest first."""
        facts = await self.told([source], sides=ENDS[:1], relations=[told] if told else None, invalid=invalid)
        return [fact for fact in facts if self.ends(fact) == (source, target)]

    async def paths(self, source: str, target: str, depth: int, limit: int, *, invalid: bool) -> list[Path]:
        """Return the shortest ways from one node to another."""
        away, ties = {target: 0}, dict[str, dict[str, tuple[Fact, str]]]()
        facts: dict[str, Fact] = {}
        edge = {target}
        for step in range(1, depth + 1):
            if source in away or not edge:
                break
            found = await self.told(edge, invalid=invalid)
            edge = set[str]()
            for fact in found:
                facts[fact.id] = fact
                one, other = self.ends(fact)
                ties.setdefault(one, {})[fact.id] = (fact, other)
                ties.setdefault(other, {})[fact.id] = (fact, one)
                edge |= {key for key in (one, other) if key not in away}
            away |= dict.fromkeys(edge, step)
        ways: list[tuple[tuple[str, ...], tuple[Fact, ...]]] = [((source,), ())] if source in away else []
        for left in range(away.get(source, 0) - 1, -1, -1):
            ways = [
                ((*keys, key), (*edges, fact))
                for keys, edges in ways
                for fact, key in ties.get(keys[-1], {}).values()
                if away.get(key) == left
            ][:limit]  # each of them leads there
        nodes = await self.nodes(facts.values())
        if source == target:
            nodes.update((await self._alone(source)).items())
        return [Path(nodes=tuple(nodes[key] for key in keys), edges=edges) for keys, edges in ways]

    async def _alone(self, key: str) -> dict[str, Entity]:
        found = await self.user() if key == USER else await self.node(key)
        return {key: found or Entity(scope=self.scope, id=key, text=key)}
