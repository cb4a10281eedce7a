"""SEEM's graph from fabula's records: entities, the chunks that tell of them, facts between them; asks no memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from fabula import Entity, Fact, Passage
from fabula.names import normal, spans_of_names
from fabula.render import shown
from fabula.timeline import end_of
from seem_skill import shapes

Node: TypeAlias = tuple[str, Mapping[str, Any]]
Edge: TypeAlias = tuple[str, str, str, Mapping[str, Any]]


def ends(fact: Fact) -> tuple[str, str]:
    """Return what stands for a fact's subject and object: the entity's id, or what is said of one that is nobody."""
    return end_of(fact, "subject"), end_of(fact, "object")


def names(entity: Entity) -> set[str]:
    """Return what an entity is called, as names are compared."""
    return {normal(name) for name in (entity.text, *entity.aliases)}


def nodes(turns: Sequence[Passage], entities: Sequence[Entity], facts: Sequence[Fact]) -> Iterator[Node]:
    """Give each chunk, each entity, and what facts speak of that is no entity of its own."""
    for turn in turns:
        yield turn.id, {"type": "chunk", **shapes.chunk(turn)}
    for fact in facts:
        said = zip(ends(fact), (fact.subject, fact.object), strict=True)
        yield from ((end, {"type": "entity", "name": name, "aliases": [], "kind": ""}) for end, name in said if name)
    for entity in entities:
        named = {"name": entity.text, "aliases": list(entity.aliases), "kind": entity.type}
        yield entity.id, {"type": "entity", **named}


def edges(turns: Sequence[Passage], entities: Sequence[Entity], facts: Sequence[Fact]) -> Iterator[Edge]:
    """Give `entity_chunk`, `fact` (each fact its own edge, keyed by its id) and `synonymy` edges."""
    told = _told(turns, entities)
    for fact in facts:
        subject, thing = ends(fact)
        if fact.subject and fact.object:
            told_of = shapes.fact(fact, None)
            del told_of["score"]
            yield subject, thing, fact.id, {"type": "fact", **told_of}
        for end, name in ((subject, fact.subject), (thing, fact.object)):
            told |= {(end, source): None for source in fact.sources if name}
    yield from ((end, chunk, "entity_chunk", {"type": "entity_chunk"}) for end, chunk in told)
    here = {entity.id for entity in entities}
    for entity in entities:
        for other in here.intersection(entity.links.get("synonym", ())):
            yield entity.id, other, "synonymy", {"type": "synonymy"}


def _told(turns: Sequence[Passage], entities: Sequence[Entity]) -> dict[tuple[str, str], None]:
    """Each entity with each chunk that names it, is said by it, or made it known."""
    bearers: dict[str, list[str]] = defaultdict(list)
    here = {turn.id for turn in turns}
    told: dict[tuple[str, str], None] = {}
    for entity in entities:
        told |= {(entity.id, source): None for source in entity.sources if source in here}
        for name in names(entity):
            bearers[name].append(entity.id)
    for turn in turns:
        for name in (normal(turn.speaker), *spans_of_names(shown(turn))):
            told |= {(who, turn.id): None for who in bearers.get(name, ())}
    return told
