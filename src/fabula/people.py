"""Who is who: the names of what was drawn anew and the entities they mean, by name, by alias and by what identifies.

Knows no rule of what a fact ends. An embedding alone makes no two one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar, cast

import numpy as np

from fabula.abc import Extraction, Store
from fabula.index import LINKS, Field, Index, Ints
from fabula.names import (
    NAMED,
    NAMED_BY,
    TOOK,
    could_be,
    entity_id,
    head,
    heads,
    is_person,
    named_by,
    names_one,
    normal,
    own_name,
    parted,
    same_type,
    short_for,
    tied_by,
)
from fabula.relations import HOLDS, SHARED, identifying, naming, relation
from fabula.text import hash_term, tokens
from fabula.timeline import end_of, spoken_of
from fabula.types import Entity, Fact, Frame, Link, Record

CANDIDATES: Final = 200
"""How many known records are looked at for one new one, the latest first."""
MOVED: Final = 1000
"""How many records that were tied to one entity are tied to another when the two become one, the latest first."""

R = TypeVar("R", Fact, Frame)


@dataclass(slots=True)
class Linked:
    """What is to be written of an extraction: records that are new, new versions of known ones, and what is no more."""

    frames: list[Frame] = field(default_factory=list[Frame])
    new: dict[str, Record] = field(default_factory=dict[str, Record])
    changed: dict[str, Record] = field(default_factory=dict[str, Record])
    closed: dict[str, None] = field(default_factory=dict[str, None])
    """Ids of what became one with another."""
    mentions: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """An entity's id, a passage it occurs in, and what told that it is meant there, if not its own name does."""

    def keep(self, record: Record) -> None:
        """Put a record, new or known, in the place of the one with its id: what is told first is written first."""
        (self.new if record.id in self.new else self.changed)[record.id] = record

    def close(self, record_id: str) -> None:
        """Let a record be no more."""
        if self.new.pop(record_id, None) is None:
            self.changed.pop(record_id, None)
            self.closed[record_id] = None


class Ground:
    """What the scope knows, by what its index can tell."""

    def __init__(self, store: Store, scope: str, index: Index) -> None:
        self.store, self.scope, self.index = store, scope, index

    async def fetched(self, field_: Field, rows: Ints, limit: int = CANDIDATES) -> list[Record]:
        """The records of the last `limit` rows, in their order."""
        numbers = [int(number) for number in field_.number[rows[-limit:]]]
        found = await self.store.fetch(self.scope, numbers) if numbers else {}
        return [found[number] for number in numbers if number in found]

    async def facts(self, mark: str, kind: Link, other: str) -> list[Fact]:
        """The facts of a relation, ended ones too, that are tied to an id; or to nobody, where it is empty."""
        field_ = self.index.of("fact")
        rows = field_.bearing(hash_term(HOLDS + mark))
        if other:
            rows = rows[np.isin(rows, field_.tied(kind, hash_term(other)))]
        else:
            rows = rows[~np.isin(rows, field_.links.owner[field_.links.kind == LINKS.index(kind)])]
        found = cast(list[Fact], await self.fetched(field_, rows, len(rows)))  # one that is missed is told twice
        return [fact for fact in found if fact.status != "archived"]


class People:
    """Who is who: the names of this extraction and the entities they mean."""

    def __init__(self, ground: Ground, linked: Linked) -> None:
        self._ground, self._linked = ground, linked
        self._entities = ground.index.of("entity")
        self._known: dict[str, Entity] = {}
        self._bearers: dict[str, list[str]] = {}
        """The ids of those who bear a normal name, the first one first."""
        self._heads: dict[str, set[str]] = {}
        """The ids of those of whom a name has that `head`."""
        self._whole: dict[str, set[str]] = {}
        """The ids of those of whom a name has that among its `heads`."""
        self._met: set[str] = set()
        """Whom this extraction speaks of by a name that is theirs alone."""
        self._became: dict[str, str] = {}
        """Whose ids are no more, and whose stand for them."""

    def id_of(self, name: str) -> str:
        """Return the id of who is called that, known or not."""
        entity = self._who(name)
        return entity.id if entity else entity_id(name)

    def tied(self, record: R) -> R:
        """Return a fact or a frame with the links to those it speaks of."""
        named = spoken_of(record)
        links = {kind: tuple(dict.fromkeys(map(self.id_of, names))) for kind, names in named.items()}
        told = (passage for names in named.values() for name in names for passage in self._tellers(name))
        return replace(record, links={**record.links, **links}, meta=tied_by(record.meta, told))

    def _tellers(self, name: str) -> Sequence[str]:
        """The passages that told whose alias a name is."""
        who = self._who(name)
        return [one for one, names in who.meta.get(NAMED_BY, {}).items() if normal(name) in names] if who else ()

    def _who(self, name: str) -> Entity | None:
        """Who is meant by a name; of several that bear it, whom the extraction speaks of, or whose own name it is."""
        ids = self._bearers.get(normal(name), [])
        if len(ids) > 1:
            met = [who for who in ids if who in self._met]
            ids = met if len(met) == 1 else [who for who in ids if normal(self._known[who].text) == normal(name)]
        return self._known[ids[0]] if len(ids) == 1 else None

    async def meet(self, found: Extraction) -> None:
        """Find out who the names are, and keep who is new."""
        drawn = [*found.entities, *_told(found)]
        names = {name for entity in drawn for name in _names(entity)}
        names |= {name for fact in found.facts for name in (fact.subject, fact.object) if name}
        names |= {name for frame in found.frames for event in frame.events for name in event.participants}
        names = {part for name in names for part in parted(name)}
        rows = {int(row) for name in names for row in self._entities.bearing(hash_term(NAMED + normal(name)))}
        self._learn(await self._ground.fetched(self._entities, np.array(sorted(rows), np.int64), len(rows)))
        self._met = {ids[0] for name in names if len(ids := self._bearers.get(normal(name), [])) == 1}
        for entity in drawn:
            own, *others = [part for name in _names(entity) for part in parted(name) if names_one(part)] or [""]
            if own:
                kept = entity.id if own == entity.text else ""
                await self._join(replace(entity, id=kept, text=own, aliases=tuple(others)))
        for fact in found.facts:
            own = own_name(fact.subject)
            if own and not self._bearers.get(normal(own)):
                await self._join(Entity(scope="", id="", text=own, sources=fact.sources))
            elif (who := self._who(own)) is not None:
                self._mention(who, own, fact.sources)
        await self._identify(found.facts)

    def _learn(self, records: Iterable[Record]) -> None:
        for entity in cast(Iterable[Entity], records):
            self._known[entity.id] = entity
            for name in _names(entity):
                bearers = self._bearers.setdefault(normal(name), [])
                if entity.id not in bearers:
                    bearers.append(entity.id)
                self._heads.setdefault(head(name), set()).add(entity.id)
                for start in heads(name):
                    self._whole.setdefault(start, set()).add(entity.id)

    async def _join(self, entity: Entity) -> None:
        """Find the entity among the known ones, with its new names, or make it known."""
        own = self._who(entity.text)
        if own is None and not self._bearers.get(normal(entity.text)):
            own = next((who for alias in entity.aliases if (who := self._only(alias, entity))), None)
            own = own or await self._longer(entity)
        if own is None:
            own = await self._made(entity)
            self._learn([own])
        self._met.add(own.id)
        for name in _names(entity):
            other = self._only(name, entity)
            if other is not None and other.id != own.id and same_type(other.type, self._known[own.id].type):
                told = _credited(entity, normal(name)) or entity.sources[:1]
                await self._unite(self._known[own.id], other, told)
        self._call(own.id, entity, entity.sources[:1])
        self._mention(self._known[own.id], entity.text, entity.sources)

    def _mention(self, who: Entity, name: str, sources: Iterable[str]) -> None:
        told = ("", *self._tellers(name))[-1]
        self._linked.mentions += [(who.id, source, told) for source in sources]

    async def _made(self, entity: Entity) -> Entity:
        """The entity as a new one; or as it was, where it was archived."""
        made = replace(entity, scope=self._ground.scope, id=entity.id or entity_id(entity.text), aliases=())
        known = (await self._ground.store.get(self._ground.scope, [made.id])).get(made.id)
        if isinstance(known, Entity) and known.status == "archived":
            self._linked.keep(own := replace(known, status="live"))
        else:
            self._linked.new[made.id] = own = replace(made, sources=entity.sources[:1])
        return own

    def _only(self, name: str, entity: Entity) -> Entity | None:
        """Whom a name that an entity has means for sure: the only one who bears it, as their own name."""
        ids = self._bearers.get(normal(name), [])
        one = self._known[ids[0]] if len(ids) == 1 else None
        return one if one and normal(one.text) == normal(name) and same_type(one.type, entity.type) else None

    def _call(self, who: str, entity: Entity, sources: Sequence[str]) -> None:
        """Give a known entity the names that another told it has, and its type; `sources` told so."""
        own = self._known[who]
        held = {normal(name) for name in _names(own)}
        more = {normal(name): name for name in _names(entity) if normal(name) not in held}
        for name in more.values():
            if not self._bearers.get(normal(name)):  # facts may be tied to whoever was called that
                self._became[entity_id(name)] = who
        if more or (entity.type and not own.type):
            meta = own.meta
            for name in more:
                meta = named_by(meta, _credited(entity, name) or sources, [name])
            aliases = (*own.aliases, *more.values())
            own = replace(own, aliases=aliases, type=own.type or entity.type, meta=meta)
            self._learn([own])
            self._linked.keep(own)

    async def _longer(self, entity: Entity) -> Entity | None:
        """The one known entity that the name is short for, or that is short for it."""
        ground = self._ground
        rows = sorted({int(row) for term in tokens(entity.text) for row in self._entities.bearing(hash_term(term))})
        known = cast(list[Entity], await ground.fetched(self._entities, np.array(rows, np.int64)))
        alike = self._whole.get(head(entity.text), set()).union(
            *(self._heads.get(start, ()) for start in heads(entity.text))
        )
        everybody = {e.id: e for e in known} | {who: self._known[who] for who in alike if who in self._known}
        near = [e for e in everybody.values() if e.id not in self._became and _short(entity, e)]
        self._learn(near if len(near) == 1 and near[0].id not in self._known else ())
        return near[0] if len(near) == 1 else None

    # --- two that are one ---

    async def _unite(self, own: Entity, other: Entity, sources: Sequence[str]) -> None:
        """Make another entity one with this one: it is no more, and what it was called and tied to is this one's.

        `sources` told so.
        """
        meta = named_by(own.meta, sources, map(normal, _names(other)))
        for one, names in other.meta.get(NAMED_BY, {}).items():
            meta = named_by(meta, [one], names)
        took = {**own.meta.get(TOOK, {}), other.id: list(sources)}
        self._known[own.id] = own = replace(own, meta={**meta, TOOK: took})
        self._linked.keep(own)
        told = sources[0]
        if other.id not in self._linked.new:
            self._linked.mentions += [(own.id, passage, told) for passage in await self._mentions(other)]
        self._linked.mentions = [
            (own.id, where, told) if who == other.id else (who, where, by) for who, where, by in self._linked.mentions
        ]
        self._linked.close(other.id)
        self._became = {who: own.id if now == other.id else now for who, now in self._became.items()}
        self._became[other.id] = own.id
        del self._known[other.id]
        self._met = {own.id if who == other.id else who for who in self._met}
        for name in _names(other):
            bearers = [who for who in self._bearers.get(normal(name), ()) if who != other.id]
            self._bearers[normal(name)] = bearers if own.id in bearers else [*bearers, own.id]
        self._call(own.id, other, sources)

    async def _mentions(self, entity: Entity) -> list[str]:
        """The passages an entity occurs in: what its records were made from, and what holds its names."""
        ground, passages = self._ground, self._ground.index.of("passage")
        ids = {source for record in await self._about(entity.id) for source in record.sources}
        for name in _names(entity):
            rows = np.arange(len(passages))
            for term in tokens(name):
                rows = np.intersect1d(rows, passages.bearing(hash_term(term)))
            ids |= {record.id for record in await ground.fetched(passages, rows, MOVED)}
        found = await ground.store.citing(ground.scope, sorted(ids | set(entity.sources)), ["entity"])
        return [source for record in found if record.id == entity.id for source in record.sources]

    async def _about(self, who: str) -> list[Record]:
        """The facts and frames that are tied to an id."""
        ground, found = self._ground, list[Record]()
        facts, frames = ground.index.of("fact"), ground.index.of("frame")
        either = np.union1d(facts.tied("subject", hash_term(who)), facts.tied("object", hash_term(who)))
        found += await ground.fetched(facts, either, MOVED)
        return found + await ground.fetched(frames, frames.tied("names", hash_term(who)), MOVED)

    async def moved(self) -> list[Fact]:
        """Tie the frames of those who became one with others to these, and return their facts, tied so."""
        records = {record.id: record for who in self._became for record in await self._about(who)}
        facts: list[Fact] = []
        for record in records.values():
            ties = {
                kind: tuple(dict.fromkeys(self._became.get(who, who) for who in ids))
                for kind, ids in record.links.items()
            }
            became = {self._became[who] for ids in record.links.values() for who in ids if who in self._became}
            told = (one for who in sorted(became) for one in self._known[who].meta.get(NAMED_BY, ()))
            tied = replace(record, links=ties, meta=tied_by(record.meta, told))
            if isinstance(tied, Fact):
                facts.append(tied)
            else:
                self._linked.keep(tied)
        return facts

    async def _identify(self, facts: Sequence[Fact]) -> None:
        """Make those one who are told apart from all others by the same: a number, an address."""
        told: dict[str, dict[str, Sequence[str]]] = {}
        marks: dict[tuple[str, str], list[Fact]] = {}
        for fact in facts:
            marks.setdefault((relation(fact.predicate), normal(own_name(fact.subject))), []).append(fact)
        for fact in facts:
            what, me = identifying(fact.predicate, fact.object), self._who(own_name(fact.subject))
            if not what or me is None:
                continue
            key, mark = entity_id(what), relation(fact.predicate)
            known = await self._ground.facts(mark, "object", key)
            others = {who: one.sources[:1] for one in known for who in one.links.get("subject", ())}
            others |= told.setdefault(key, {})
            told[key][me.id] = fact.sources[:1]
            for who, had in others.items():
                me = self._known[self._became.get(me.id, me.id)]
                other = await self._entity(self._became.get(who, who))
                if other is None or other.id == me.id or not same_type(other.type, me.type):
                    continue
                person = not (me.type and other.type) or is_person(me.type) or is_person(other.type)
                names = ((a, b) for a in _names(me) for b in _names(other))
                if mark in SHARED and not any(could_be(a, b, person=person) for a, b in names):
                    continue
                mine, theirs = [await self._held(mark, entity, marks) for entity in (me, other)]
                if not (mine - theirs and theirs - mine):
                    await self._unite(other, me, tuple(dict.fromkeys((*fact.sources[:1], *had))))
                    self._linked.mentions += [(other.id, source, fact.sources[0]) for source in fact.sources]

    async def _entity(self, who: str) -> Entity | None:
        if who not in self._known:
            self._learn((await self._ground.store.get(self._ground.scope, [who])).values())
        return self._known.get(who)

    async def _held(self, mark: str, entity: Entity, told: Mapping[tuple[str, str], Sequence[Fact]]) -> set[str]:
        """What identifies an entity by one relation, now or before, as far as is known and told.

        The facts `told` are those of a relation and a name.
        """
        ids = [entity.id, *(who for who, now in self._became.items() if now == entity.id)]
        known = {end_of(fact, "object") for who in ids for fact in await self._ground.facts(mark, "subject", who)}
        fresh = [fact for name in map(normal, _names(entity)) for fact in told.get((mark, name), ())]
        fresh = [fact for fact in fresh if self.id_of(own_name(fact.subject)) == entity.id]
        return known | {entity_id(what) for fact in fresh if (what := identifying(fact.predicate, fact.object))}


def _told(found: Extraction) -> Iterator[Entity]:
    """Whose other names the names and facts of an extraction tell: "小米 (Xiaomi)", Xiaomi "is also called" 小米."""
    for fact in found.facts:
        if naming(fact.predicate) and names_one(fact.subject) and names_one(fact.object):
            yield Entity(scope="", id="", text=fact.subject, aliases=(fact.object,), sources=fact.sources)
        for name in (fact.subject, fact.object):
            if len(parted(name)) > 1:
                yield Entity(scope="", id="", text=name, sources=fact.sources)
    for frame in found.frames:
        for name in dict.fromkeys(name for event in frame.events for name in event.participants):
            if len(parted(name)) > 1:
                yield Entity(scope="", id="", text=name, sources=frame.sources)


def _credited(entity: Entity, name: str) -> tuple[str, ...]:
    """The passages that are known to have told a name of an entity, as it is compared."""
    return tuple(passage for passage, names in entity.meta.get(NAMED_BY, {}).items() if name in names)


def _names(entity: Entity) -> tuple[str, ...]:
    return (entity.text, *entity.aliases)


def _short(one: Entity, other: Entity) -> bool:
    """Whether one of two is called by what the other is called for short, and by nothing that tells them apart."""
    if not same_type(one.type, other.type):
        return False
    person = is_person(one.type or other.type)
    names = _names(other)
    if any(short_for(one.text, name, person=person) for name in names):
        return True
    shorter = [name for name in names if short_for(name, one.text, person=person)]
    return bool(shorter) and all(name in shorter or " " not in normal(name) for name in names)
