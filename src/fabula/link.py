"""How what was drawn anew joins what is known: facts by what they say, and what ends what.

What is superseded stays, with the time at which it ended. Who is meant by a name is known to `people`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fabula.abc import Extraction, Store
from fabula.people import Ground, Linked, People
from fabula.relations import wording
from fabula.text import derived_id
from fabula.timeline import Dated, about, dated, end_of, fact_id, joined, known_as, restored, settled, start_of
from fabula.types import Fact, Record


async def link(store: Store, scope: str, space: str, found: Extraction, *, resolve: bool = True) -> Linked:
    """Join an extraction with what the scope knows; `resolve` is whether a fact may end another.

    `space` is the embedding space whose index is in use anyway; no vector is read.
    """
    ground = Ground(store, scope, await store.load(scope, space))
    linked = Linked()
    people = People(ground, linked)
    await people.meet(found)
    for frame in found.frames:
        names = (people.id_of(name) for event in frame.events for name in event.participants)
        ids = tuple(dict.fromkeys(who for who in names if who))
        linked.frames.append(replace(frame, links={**frame.links, "names": ids} if ids else frame.links))
    facts = _Facts(ground, linked, resolve=resolve)
    moved = await people.moved()
    for fact in moved:
        linked.keep(fact)
    for fact in moved:
        now = linked.changed[fact.id]
        await facts.place(now if isinstance(now, Fact) else fact, moved=True)
    for fact in found.facts:
        await facts.place(people.tied(fact))
    return linked


class _Facts:
    """What holds: the facts of this extraction among those that are known."""

    def __init__(self, ground: Ground, linked: Linked, *, resolve: bool) -> None:
        self._ground, self._linked, self._resolve = ground, linked, resolve
        self._said: dict[str, Record] = {}
        """Passages by id."""

    async def place(self, fact: Fact, *, moved: bool = False) -> None:
        """Join a fact with the one that says the same, or add it; end what it ends, and it, where a later one does.

        One that is `moved` is known, and newly tied.
        """
        relation_ = about(fact)
        known = await self._known(fact, relation_) if relation_ else []
        known = [one for one in known if one.id != fact.id]
        fresh, *others = await self._dated([fact, *known])
        same = known_as(fresh, others) if relation_ else None
        if not moved:
            same = same or await self._named(fresh)
        if same is not None:
            placed = joined(same, fresh)
            if placed != same.fact:
                self._linked.keep(placed)
            if moved:
                self._linked.close(fact.id)
            known = [placed if one.id == placed.id else one for one in known]
        elif moved:
            known.append(fact)
        elif archived := await self._archived(fact):
            placed = joined((await self._dated([restored(archived)]))[0], fresh)
            self._linked.keep(placed)
            known.append(placed)
        else:
            placed = replace(fact, id=fact.id or await self._id(fact))
            self._linked.new[placed.id] = placed
            known.append(placed)
        if self._resolve and relation_:
            held = {one.id: one for one in known}
            for one in settled(await self._dated(known)):
                if one != held[one.id]:
                    self._linked.keep(one)

    async def _named(self, fact: Dated) -> Dated | None:
        """The fact with the id that the extractor gave; where there is no triple, that says it in the same words."""
        if about(fact.fact) and not fact.fact.id:
            return None
        named = fact.fact.id or derived_id("fact", wording(fact.fact.text))
        same = await self._at(named)
        return (await self._dated([same]))[0] if same is not None else None

    async def _id(self, fact: Fact) -> str:
        if not about(fact):
            return derived_id("fact", wording(fact.text))
        made = fact_id(fact)
        return made if await self._at(made) is None else fact_id(fact, again=True)

    async def _archived(self, fact: Fact) -> Fact | None:
        """The fact that says the same, where another one stands for it."""
        found = await self._at(fact_id(fact)) if about(fact) and not fact.id else None
        return found if found is not None and found.status == "archived" else None

    async def _at(self, record_id: str) -> Fact | None:
        """The fact of an id, as it is now."""
        linked = self._linked
        if record_id in linked.closed:
            return None
        found = linked.new.get(record_id) or linked.changed.get(record_id)
        found = found or (await self._ground.store.get(self._ground.scope, [record_id])).get(record_id)
        return found if isinstance(found, Fact) else None

    async def _known(self, fact: Fact, relation_: str) -> list[Fact]:
        """The facts of the same subject and relation as they are now, ended ones too, in the order they were told."""
        subject = end_of(fact, "subject")
        tie = subject if "subject" in fact.links else ""
        known: dict[str, Record] = {one.id: one for one in await self._ground.facts(relation_, "subject", tie)}
        known |= self._linked.changed | self._linked.new
        return [
            one
            for one in known.values()
            if isinstance(one, Fact)
            and one.id not in self._linked.closed
            and end_of(one, "subject") == subject
            and about(one) == relation_
        ]

    async def _dated(self, facts: Sequence[Fact]) -> list[Dated]:
        """The facts with their beginnings: their own, or when the first of their passages was said.

        So are those told apart that began at once.
        """
        starts = Counter(start_of(fact) for fact in facts)
        unclear = [fact for fact in facts if (start := start_of(fact)) is None or starts[start] > 1]
        wanted = {source for fact in unclear for source in fact.sources} - self._said.keys()
        if wanted:
            self._said |= await self._ground.store.get(self._ground.scope, sorted(wanted))
        return [dated(fact, self._said) for fact in facts]
