"""Which entities may be the same by what their names mean: a link between two, never one made of them.

It is what leads from 小米 to Xiaomi where nobody told the alias. Knows no fact, no passage and no question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from fabula.abc import Embedder, Store
from fabula.index import FOREVER, Field, Floats
from fabula.names import is_person, sort_of
from fabula.settings import Settings
from fabula.text import fold, hash_term, script
from fabula.types import Entity, Record

SCRIPTS: Final = ("han", "latin", "other")
_TELLING: Final = re.compile(r"\d+|\b[a-z]\b")
_HAN_TELLING: Final = re.compile(r"[零〇一二两三四五六七八九十百千万甲乙丙丁]+")


async def tied(
    store: Store, embedder: Embedder, scope: str, met: Mapping[int, Floats], settings: Settings
) -> list[Entity]:
    """Return those of the entities `met`, record numbers with new vectors, that are like another one, tied to it.

    Two are tied where each is the nearest of its type to the other, among names in the other's script, and they are
    as alike as `Settings.synonymy`. Within one script nobody is like a person, or like what is of no told type; and
    two names that differ in a figure are two.
    """
    if not met or not settings.synonyms:
        return []
    index = await store.load(scope, embedder.space)
    entities = index.of("entity")
    numbers = entities.number[entities.recorded_to == FOREVER]
    blocks = [(np.array(list(met), np.int64), np.array(list(met.values()), np.float16))]
    if index.apart:
        blocks.append(await store.vectors(scope, embedder.space, numbers.tolist()))
    near = _Near(index.extended({}, blocks).of("entity"), embedder, settings.synonymy)
    live = await store.fetch(scope, [number for number in met if number in numbers])
    pairs = [(number, other) for number, entity in live.items() for other in near.to(number, entity)]
    live |= await store.fetch(scope, [other for _, other in pairs if other not in live])
    made: dict[str, Entity] = {}
    for pair in pairs:
        one, other = (_now(live.get(number), made) for number in pair)
        if one is None or other is None or differ(one.text, other.text):
            continue
        links = one.links.get("synonym", ())
        known = other.id in links or one.id in other.links.get("synonym", ())
        if not known and len(links) < settings.synonyms:
            made[one.id] = replace(one, links={**one.links, "synonym": (*links, other.id)})
    return list(made.values())


def _now(record: Record | None, made: Mapping[str, Entity]) -> Entity | None:
    """An entity that is still believed, with the ties that it has got."""
    if not isinstance(record, Entity) or record.recorded is None or record.recorded.end is not None:
        return None
    return made.get(record.id, record)


def differ(one: str, other: str) -> bool:
    """Whether two names differ in a figure or a single letter, which tells a thing from the next of its kind."""
    signs = [_TELLING] if script(one) != script(other) else [_TELLING, _HAN_TELLING]
    return any(sorted(each.findall(fold(one))) != sorted(each.findall(fold(other))) for each in signs)


@dataclass(frozen=True, slots=True)
class _Near:
    """The entities of a scope by how near their names are."""

    field: Field
    embedder: Embedder
    least: float

    def to(self, number: int, entity: Record) -> list[int]:
        """The numbers of those that are nearest to an entity, and it to them: one of each script, at most."""
        if not isinstance(entity, Entity):
            return []
        own, found = script(entity.text), list[int]()
        for other in SCRIPTS:
            if other == own and (not entity.type or is_person(entity.type)):
                continue
            best, cosine = self._best(number, sort_of(entity.type, other))
            if best < 0 or self._best(best, sort_of(entity.type, own))[0] != number:
                continue
            alike = self.embedder.similarity(np.array([cosine], np.float32), role="name", scripts=(own, other))
            if alike[0] >= self.least:
                found.append(best)
        return found

    def _best(self, number: int, sort: str) -> tuple[int, float]:
        """The number of the nearest of a sort, and its cosine; −1 where there is none."""
        field = self.field
        (own,) = field.rows_of(np.array([number], np.int64))
        rows = field.bearing(hash_term(sort))
        rows = rows[field.embedded[rows] & (rows != own)]
        if not len(rows):
            return -1, 0.0
        cosines = np.vecdot(field.vectors[rows], field.vectors[own])
        best = int(cosines.argmax())
        return int(field.number[rows[best]]), float(cosines[best])
