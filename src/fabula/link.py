"""How what was drawn anew joins what is known: entities by name and alias, facts by what they say, and what ends what.

An embedding alone makes nothing one. What is superseded stays, with the time at which it ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, cast

import numpy as np

from fabula.abc import Extraction, Store
from fabula.index import FOREVER, LINKS, Field, Index, Ints
from fabula.names import NAMED, entity_id, is_name, normal, short_for
from fabula.relations import HOLDS, ending, passing, relation, single, wording
from fabula.text import derived_id, fold, hash_term, tokens
from fabula.types import ROLES, Entity, Fact, Frame, Interval, Record

CANDIDATES: Final = 200
"""How many known records are looked at for one new one, the latest first."""


@dataclass(slots=True)
class Linked:
    """What is to be written of an extraction: records that are new, and new versions of known ones."""

    frames: list[Frame] = field(default_factory=list[Frame])
    new: dict[str, Record] = field(default_factory=dict[str, Record])
    changed: dict[str, Record] = field(default_factory=dict[str, Record])
    mentions: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """An entity's id and a passage it occurs in."""


async def link(store: Store, scope: str, space: str, found: Extraction, *, resolve: bool = True) -> Linked:
    """Join an extraction with what the scope knows; `resolve` is whether a fact may end another.

    `space` is the embedding space whose index is in use anyway; no vector is read.
    """
    index = await store.load(scope, space)
    linked = Linked()
    people = _People(store, scope, index, linked)
    await people.meet(found)
    for frame in found.frames:
        named = dict.fromkeys(people.id_of(name) for event in frame.events for name in event.participants)
        ids = tuple(i for i in named if i)
        linked.frames.append(replace(frame, links={**frame.links, "names": ids} if ids else frame.links))
    for fact in found.facts:
        await _place(store, scope, index, linked, people.tied(fact), resolve=resolve)
    return linked


# --- entities ---------------------------------------------------------------------------------------------------


class _People:
    """Who is who: the names of this extraction and the entities they mean."""

    def __init__(self, store: Store, scope: str, index: Index, linked: Linked) -> None:
        self._store, self._scope, self._index, self._linked = store, scope, index, linked
        self._known: dict[str, Entity] = {}
        """By normal name."""

    def id_of(self, name: str) -> str:
        """Return the id of who is called that, known or not; empty for nobody."""
        if not is_name(name) or fold(name) in ROLES:
            return ""
        entity = self._known.get(normal(name))
        return entity.id if entity else entity_id(name)

    def tied(self, fact: Fact) -> Fact:
        """Return the fact with the links to its subject and object."""
        ties = {
            kind: (i,) for kind, name in (("subject", fact.subject), ("object", fact.object)) if (i := self.id_of(name))
        }
        return replace(fact, scope=self._scope, links={**fact.links, **ties})

    async def meet(self, found: Extraction) -> None:
        """Find out who the names are, and keep who is new."""
        names = {name for entity in found.entities for name in (entity.text, *entity.aliases)}
        names |= {name for fact in found.facts for name in (fact.subject, fact.object) if name}
        names |= {name for frame in found.frames for event in frame.events for name in event.participants}
        await self._look_up(names)
        for entity in found.entities:
            await self._join(entity)
        for fact in found.facts:
            if is_name(fact.subject) and fold(fact.subject) not in ROLES and normal(fact.subject) not in self._known:
                await self._join(Entity(scope=self._scope, id="", text=fact.subject, sources=fact.sources))

    async def _look_up(self, names: Iterable[str]) -> None:
        rows = {row for name in names for row in _live(self._index.of("entity"), NAMED + normal(name))}
        for entity in await self._fetched(sorted(rows)):
            for name in (entity.text, *entity.aliases):
                self._known.setdefault(normal(name), entity)

    async def _fetched(self, rows: Sequence[int]) -> list[Entity]:
        numbers = self._index.of("entity").number
        found = await self._store.fetch(self._scope, [int(numbers[row]) for row in rows])
        return [cast(Entity, record) for record in found.values()]

    async def _join(self, entity: Entity) -> None:
        """Find the entity among the known ones, with its new aliases, or make it known."""
        own = self._known.get(normal(entity.text))
        aliases = [alias for alias in entity.aliases if is_name(alias)]
        if own is None:
            own = next((known for alias in aliases if (known := self._known.get(normal(alias)))), None)
        if own is None:
            own = await self._longer(entity)
        own_id = own.id if own else entity.id or entity_id(entity.text)
        self._linked.mentions += [(own_id, source) for source in entity.sources]
        if own is None:
            fresh = replace(entity, scope=self._scope, id=entity.id or entity_id(entity.text), aliases=tuple(aliases))
            self._keep(replace(fresh, sources=entity.sources[:1]), new=True)
            return
        # A name that another bears stays with them: the same name can be of two.
        said = [name for name in (entity.text, *aliases) if self._known.get(normal(name), own).id == own.id]
        held = {normal(name) for name in (own.text, *own.aliases)}
        more = tuple(dict.fromkeys(name for name in said if normal(name) not in held))
        if more or (entity.type and not own.type):
            self._keep(replace(own, aliases=(*own.aliases, *more), type=own.type or entity.type), new=False)

    async def _longer(self, entity: Entity) -> Entity | None:
        """The one known entity that the name is short for, or that is short for it."""
        field_ = self._index.of("entity")
        rows = sorted({row for term in tokens(entity.text) for row in _live(field_, term)}, reverse=True)[:CANDIDATES]
        near = [
            other
            for other in {e.id: e for e in (*await self._fetched(rows), *self._known.values())}.values()
            if not (entity.type and other.type and fold(entity.type) != fold(other.type))
            and any(
                short_for(a, b, person=fold(entity.type or other.type) in ("person", "人", "人物"))
                for name in (other.text, *other.aliases)
                for a, b in ((entity.text, name), (name, entity.text))
            )
        ]
        return near[0] if len(near) == 1 else None

    def _keep(self, entity: Entity, *, new: bool) -> None:
        here = self._linked.new if new or entity.id in self._linked.new else self._linked.changed
        here[entity.id] = entity
        for name in (entity.text, *entity.aliases):
            held = self._known.get(normal(name))
            if held is None or held.id == entity.id:
                self._known[normal(name)] = entity


# --- facts ------------------------------------------------------------------------------------------------------


def fact_id(fact: Fact) -> str:
    """Return the id that facts saying the same have: who, what, whom; when too, unless it is a state that lasts."""
    if not (fact.subject and fact.predicate):
        return derived_id("fact", wording(fact.text))
    who, whom = _end(fact, "subject"), _end(fact, "object") or wording(fact.text)
    begin = fact.valid.start if fact.valid is not None and not single(fact.predicate) else None
    return derived_id("fact", who, relation(fact.predicate), whom, begin.date().isoformat() if begin else "")


def _end(fact: Fact, kind: Literal["subject", "object"]) -> str:
    """The id of a fact's subject or object, or what is said of one that is nobody."""
    return fact.links.get(kind, ("",))[0] or normal(fact.subject if kind == "subject" else fact.object)


async def _place(store: Store, scope: str, index: Index, linked: Linked, fact: Fact, *, resolve: bool) -> None:
    """Join one fact with the one that says the same, or add it, ending what it ends."""
    fact = replace(fact, id=fact.id or fact_id(fact))
    same = linked.new.get(fact.id) or linked.changed.get(fact.id) or (await store.get(scope, [fact.id])).get(fact.id)
    if isinstance(same, Fact) and same.status == "live":
        joined = _joined(same, fact)
        if joined != same:
            (linked.new if fact.id in linked.new else linked.changed)[fact.id] = joined
        return
    if isinstance(same, Fact):  # it holds again
        fact = replace(fact, id=derived_id(fact.id, *fact.sources))
    if resolve:
        for other in await _rivals(store, scope, index, linked, fact):
            ended = _ended(other, fact)
            (linked.new if other.id in linked.new else linked.changed)[other.id] = ended
    linked.new[fact.id] = fact


def _joined(known: Fact, again: Fact) -> Fact:
    sources = tuple(dict.fromkeys((*known.sources, *again.sources)))
    valid = known.valid or again.valid
    if (
        known.valid
        and again.valid
        and again.valid.start
        and known.valid.start
        and again.valid.start < known.valid.start
    ):
        valid = replace(known.valid, start=again.valid.start)
    return replace(known, sources=sources, valid=valid, importance=max(known.importance, again.importance))


async def _rivals(store: Store, scope: str, index: Index, linked: Linked, fact: Fact) -> list[Fact]:
    """The live facts that this one ends: others of a relation with one object at a time, or what it says is over."""
    over = ending(fact.predicate)
    about = relation(fact.predicate) if single(fact.predicate) else over
    subject = fact.links.get("subject", ("",))[0]
    if not about or not subject or (not over and passing(fact.predicate, fact.object)):
        return []
    rows = _live(index.of("fact"), HOLDS + about)
    rows = rows[np.isin(rows, _about(index.of("fact"), subject))][-CANDIDATES:]
    numbers = index.of("fact").number
    found = await store.fetch(scope, [int(numbers[row]) for row in rows])
    known = {record.id: record for record in found.values()} | linked.new | linked.changed
    begin = fact.valid.start if fact.valid else None
    return [
        other
        for other in known.values()
        if isinstance(other, Fact)
        and other.status == "live"
        and other.links.get("subject", ("",))[0] == subject
        and relation(other.predicate) == about
        and _clash(other, fact, over=bool(over))
        and not _later(other, begin)
    ]


def _clash(known: Fact, fresh: Fact, *, over: bool) -> bool:
    """Whether the fresh fact is of the same object, where it says that is over; of another, where it replaces it."""
    return not fresh.object or (_end(known, "object") == _end(fresh, "object")) == over


def _later(other: Fact, begin: datetime | None) -> bool:
    start = other.valid.start if other.valid else None
    return start is not None and begin is not None and start.timestamp() > begin.timestamp()


def _ended(fact: Fact, by: Fact) -> Fact:
    """The fact as it holds until the other begins."""
    end = by.valid.start if by.valid else None
    valid = fact.valid or Interval(start=None, end=None, precision=by.valid.precision if by.valid else "instant")
    if end is not None and (valid.start is None or valid.start.timestamp() <= end.timestamp()):
        valid = replace(valid, end=end)
    return replace(fact, status="superseded", valid=valid, meta={**fact.meta, "superseded_by": by.id})


# --- the index as a table ---------------------------------------------------------------------------------------


def _live(field_: Field, mark: str) -> Ints:
    rows = field_.postings.of(hash_term(mark))[0].astype(np.int64)
    return rows[field_.recorded_to[rows] == FOREVER]


def _about(field_: Field, entity: str) -> Ints:
    """The rows whose subject is an entity."""
    links = field_.links
    mine = (links.kind == LINKS.index("subject")) & (links.key == np.uint64(hash_term(entity)))
    return links.owner[mine].astype(np.int64)
