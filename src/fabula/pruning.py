"""Keeps the graph of a scope small: archives whom nothing speaks of, makes one fact of a chain of attributes.

Nothing is deleted: what was archived stands again when it is spoken of. Knows no question and no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, TypeVar

from fabula.abc import Changes, Filter, Lease, Store
from fabula.errors import StoreUnavailable
from fabula.extract import entry_of
from fabula.graph import Chain, FactEdge, chains, lonely
from fabula.index import Index
from fabula.names import NAMED_BY, is_person, tied_by
from fabula.narrowing import drawn_by_hand
from fabula.relations import attribute
from fabula.settings import Settings
from fabula.text import derived_id, hash_term, script
from fabula.ties import woven
from fabula.timeline import COMPRESSED, COMPRESSED_INTO, restored
from fabula.types import CREATED, Entity, Fact, Kind, Link, Record

ALONE: Final = "alone_for"
"""The key of an entity's `meta` with the rounds it has been alone for; of an archived one, why it is."""
TRIES: Final = 3
"""How often a round is begun again where the scope is written to meanwhile."""
PAGE: Final = 1000
_R = TypeVar("_R", bound=Record)


@dataclass(frozen=True, kw_only=True, slots=True)
class Upkept:
    """What a round of upkeep did, as ids."""

    archived: tuple[str, ...] = ()
    """Entities that nothing has been tied to for `Settings.prune` rounds."""
    alone: tuple[str, ...] = ()
    """Entities that nothing is tied to, which are not archived yet."""
    compressed: tuple[str, ...] = ()
    """Facts that stand for a chain of others from now on; these are archived."""
    restored: tuple[str, ...] = ()
    """What was archived and stands again, because something else is tied to it."""
    skipped: tuple[str, ...] = ()
    """Scopes in which nothing was done, since another process was at work on them."""


async def prune(store: Store, lease: Lease, space: str, settings: Settings, at: datetime) -> Upkept:
    """Do one round of upkeep of a leased scope in one transaction.

    Raises `LeaseLost`, and `StoreUnavailable` where the scope is written to all the while.
    """
    scope = lease.scope
    for _ in range(TRIES):
        index = await store.load(scope, space)
        turn = _Round(index, settings)
        entities = await _all(store, scope, Entity)
        mentioned = await _mentioned(store, scope) if any(not one.sources for one in entities) else set[str]()
        turn.facts(await _all(store, scope, Fact), entities)
        turn.entities(entities, mentioned)
        put = tuple(entry_of(record) for record in turn.put.values())
        if not (put or turn.close):
            return turn.done
        changes = Changes(put=put, close=tuple(turn.close), at=at, revision=index.revision)
        if (await store.write(scope, changes, lease)).revision:
            return turn.done
    raise StoreUnavailable(f"scope {scope!r} is written to all the while: try again later")


async def _all(store: Store, scope: str, kind: type[_R]) -> list[_R]:
    """The records of a kind that are believed, archived ones too."""
    pages = store.pages(scope, Filter(kind=kind.kind, status=None, limit=PAGE))
    return [record async for page in pages for _, record in page if isinstance(record, kind)]


async def _mentioned(store: Store, scope: str) -> set[str]:
    """The ids of all that is mentioned in a passage."""
    found, after = set[str](), None
    while rows := await store.page(scope, "edges", after):
        found |= {source for _, kind, source, *_ in rows if kind == "mentions"}
        after = rows[-1][:4]
    return found


@dataclass(slots=True)
class _Round:
    """What is to be written in one round."""

    index: Index
    settings: Settings
    put: dict[str, Record] = field(default_factory=dict[str, Record])
    close: list[str] = field(default_factory=list[str])
    done: Upkept = Upkept()

    # --- whom nothing is tied to ---

    def entities(self, known: Sequence[Entity], mentioned: set[str]) -> None:
        """Count the rounds of those that are alone, and archive those that were for long enough."""
        keys = {entity.id: hash_term(entity.id) for entity in known}
        untied = set(lonely(woven(self.index), list(keys.values())).tolist())
        for entity in known:
            alone = (
                not entity.sources
                and not drawn_by_hand(entity)
                and entity.id not in mentioned
                and keys[entity.id] in untied
            )
            rounds = entity.meta.get(ALONE, 0)
            if not alone and rounds:
                meta = {name: value for name, value in entity.meta.items() if name != ALONE}
                self._restore(replace(entity, status="live", meta=meta), archived=entity.status == "archived")
            elif alone and entity.status == "live" and self.settings.prune:
                self._count(replace(entity, meta={**entity.meta, ALONE: rounds + 1}))

    def _count(self, entity: Entity) -> None:
        long = entity.meta[ALONE] >= self.settings.prune
        self.put[entity.id] = replace(entity, status="archived") if long else entity
        if long:
            self.done = replace(self.done, archived=(*self.done.archived, entity.id))
        else:
            self.done = replace(self.done, alone=(*self.done.alone, entity.id))

    def _restore(self, record: Record, *, archived: bool) -> None:
        self.put[record.id] = record
        if archived:
            self.done = replace(self.done, restored=(*self.done.restored, record.id))

    # --- chains of attributes ---

    def facts(self, known: Sequence[Fact], entities: Sequence[Entity]) -> None:
        """Take apart what stands for a chain that is none any more, and compress those that are."""
        facts = {fact.id: fact for fact in known}
        others = [fact for fact in known if fact.status != "archived"]
        tied = {key for fact in others for key in _ends(fact)} | self._met()
        for whole in [fact for fact in others if COMPRESSED in fact.meta]:
            parts = [facts[part] for part in whole.meta[COMPRESSED] if part in facts]
            archived = [part for part in parts if part.meta.get(COMPRESSED_INTO) == whole.id]
            inner = {_ends(part)[1] for part in archived[:-1]}
            if len(archived) < len(whole.meta[COMPRESSED]) or inner & tied:
                self.close.append(whole.id)
                for part in archived:
                    self._restore(restored(part), archived=True)
        if self.settings.compress and not self.close:
            named = {hash_term(one.id) for one in entities if is_person(one.type)}
            named |= {_ends(fact)[1] for fact in others if _proper(fact.object)}
            for chain in chains(self._edges(others, named | self._met())):
                self._compress([facts[ref] for ref in chain.refs], chain)

    def _edges(self, facts: Sequence[Fact], own: set[int]) -> Iterator[FactEdge]:
        """The facts as edges, and one more at each of those that have something of their `own` to tell."""
        for fact in facts:
            subject, thing = _ends(fact)
            told = bool(fact.sources) and CREATED not in fact.meta  # what a caller wrote stays as it is
            pure = told and fact.status == "live" and fact.valid is None and COMPRESSED not in fact.meta
            yield FactEdge(subject, fact.predicate, thing, fact.id, pure and attribute(fact.predicate))
        for key in own:
            yield FactEdge(key, "", hash_term(f"\0{key}"), "", False)

    def _met(self) -> set[int]:
        """Who is named in a frame, or tied to another entity."""
        met: set[int] = set()
        kinds: tuple[tuple[Kind, str], ...] = (("frame", "names"), ("entity", "synonym"))
        for kind, link in kinds:
            rows, ties = self.index.of(kind), self.index.of(kind).ties(link)
            met |= {*ties.key.tolist(), *(rows.key[ties.owner].tolist() if kind == "entity" else ())}
        return met

    def _compress(self, parts: Sequence[Fact], chain: Chain) -> None:
        first, last = parts[0], parts[-1]
        ends: tuple[tuple[Link, Fact], ...] = (("subject", first), ("object", last))
        whole = replace(
            first,
            id=derived_id("fact", COMPRESSED, *chain.refs),
            text=("；" if script(first.text) == "han" else "; ").join(part.text.rstrip("。.；;") for part in parts),
            object=last.object,
            importance=max(part.importance for part in parts),
            sources=tuple(dict.fromkeys(source for part in parts for source in part.sources)),
            links={kind: one.links[kind] for kind, one in ends if kind in one.links},
            meta=tied_by(
                {COMPRESSED: list(chain.refs)}, (one for part in parts for one in part.meta.get(NAMED_BY, ()))
            ),
        )
        self.put[whole.id] = whole
        for part in parts:
            self.put[part.id] = replace(part, status="archived", meta={**part.meta, COMPRESSED_INTO: whole.id})
        self.done = replace(self.done, compressed=(*self.done.compressed, whole.id))


def _proper(name: str) -> bool:
    """Whether it is a name rather than a word for what one has: of who has a name, one asks by it."""
    return script(name) == "latin" and any(word[0].isupper() for word in name.split())


def _ends(fact: Fact) -> tuple[int, int]:
    """The keys of a fact's subject and object; one that is nobody is no other fact's."""
    subject, thing = (fact.links.get(kind, (f"\0{kind} {fact.id}",))[0] for kind in ("subject", "object"))
    return hash_term(subject), hash_term(thing)
