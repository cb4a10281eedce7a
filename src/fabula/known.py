"""What a scope knows already, found by what its index can tell, and what is to be written of an extraction.

No vector is read, and nothing is decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, cast

import numpy as np

from fabula.abc import Store
from fabula.index import FOREVER, LINKS, Field, Index, Ints
from fabula.relations import HOLDS
from fabula.text import hash_term
from fabula.types import Fact, Frame, Link, Record

CANDIDATES: Final = 200
"""How many known records are looked at for one new one, the latest first."""
MOVED: Final = 1000
"""How many records that were tied to one entity are tied to another when the two become one, the latest first."""


@dataclass(slots=True)
class Linked:
    """What is to be written of an extraction: records that are new, new versions of known ones, and what is no more."""

    frames: list[Frame] = field(default_factory=list[Frame])
    new: dict[str, Record] = field(default_factory=dict[str, Record])
    changed: dict[str, Record] = field(default_factory=dict[str, Record])
    closed: list[str] = field(default_factory=list[str])
    """Ids of what became one with another."""
    mentions: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """An entity's id and a passage it occurs in."""

    def keep(self, record: Record) -> None:
        """Put a record, new or known, in the place of the one with its id, after all others."""
        here = self.new if record.id in self.new else self.changed
        here.pop(record.id, None)
        here[record.id] = record

    def close(self, record_id: str) -> None:
        """Let a record be no more."""
        if self.new.pop(record_id, None) is None:
            self.changed.pop(record_id, None)
            self.closed.append(record_id)


class Known:
    """What the scope knows, by what its index can tell."""

    def __init__(self, store: Store, scope: str, index: Index) -> None:
        self.store, self.scope, self.index = store, scope, index

    def marked(self, field_: Field, mark: str) -> Ints:
        """The rows that are believed now and bear a term or mark, in the order they were written."""
        rows = field_.postings.of(hash_term(mark))[0].astype(np.int64)
        return rows[field_.recorded_to[rows] == FOREVER]

    def tied(self, field_: Field, kind: Link, other: str) -> Ints:
        """The rows that are believed now and tied to an id."""
        links = field_.links
        mine = (links.kind == LINKS.index(kind)) & (links.key == np.uint64(hash_term(other)))
        rows = np.unique(links.owner[mine]).astype(np.int64)
        return rows[field_.recorded_to[rows] == FOREVER]

    async def fetched(self, field_: Field, rows: Ints, limit: int = CANDIDATES) -> list[Record]:
        """The records of the last `limit` rows, in their order."""
        numbers = [int(number) for number in field_.number[rows[-limit:]]]
        found = await self.store.fetch(self.scope, numbers)
        return [found[number] for number in numbers if number in found]

    async def facts(self, mark: str, kind: Link, other: str) -> list[Fact]:
        """The facts of a relation, ended ones too, that are tied to an id; or to nobody, where it is empty."""
        field_ = self.index.of("fact")
        rows = self.marked(field_, HOLDS + mark)
        if other:
            rows = rows[np.isin(rows, self.tied(field_, kind, other))]
        else:
            rows = rows[~np.isin(rows, field_.links.owner[field_.links.kind == LINKS.index(kind)])]
        found = cast(list[Fact], await self.fetched(field_, rows))
        return [fact for fact in found if fact.status != "archived"]
