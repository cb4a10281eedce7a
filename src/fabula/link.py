"""How what was drawn anew joins what is known: facts by what they say, and what ends what.

What is superseded stays, with the time at which it ended. Who is meant by a name is known to `people`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fabula.abc import Extraction, Store
from fabula.index import Index
from fabula.names import NAMED_BY, TOOK, USER, user_ids
from fabula.people import Ground, Linked, People
from fabula.relations import wording
from fabula.text import derived_id
from fabula.timeline import SUPERSEDED_BY, Thread, about, dated, fact_id, joined, reopened, restored, whom
from fabula.types import Fact, Record


async def link(store: Store, scope: str, space: str, found: Extraction, *, resolve: bool = True) -> Linked:
    """Join an extraction with what the scope knows; `resolve` is whether a fact may end another.

    `space` is the embedding space whose index is in use anyway; no vector is read.
    """
    ground = Ground(store, scope, await store.load(scope, space))
    linked = Linked()
    people = People(ground, linked)
    await people.meet(found)
    linked.frames += map(people.tied, found.frames)
    facts = _Facts(ground, linked)
    await facts.place(await people.moved(), [people.tied(replace(fact, scope=scope)) for fact in found.facts])
    if resolve:
        facts.settle()
    return linked


async def relate(
    store: Store, scope: str, index: Index, *, told: Sequence[Fact] = (), changed: Sequence[Fact] = (),
    unsaid: Sequence[Fact] = (),
) -> tuple[Linked, list[str]]:  # fmt: skip
    """Join facts that are tied to their ends already with what the scope knows; known ones are changed, or no more.

    Also returns the ids under which those `told` are known now.
    """
    linked = Linked()
    facts = _Facts(Ground(store, scope, index), linked)
    for fact in unsaid:
        await facts.unsay(fact)
    for fact in changed:
        await facts.change(fact)
    placed = await facts.place((), told)
    facts.settle()
    return linked, placed


class _Facts:
    """What holds: the facts of this extraction among those that are known."""

    def __init__(self, ground: Ground, linked: Linked) -> None:
        self._ground, self._linked = ground, linked
        self._threads: dict[tuple[str, str], Thread] = {}
        """By subject and relation: what is known of each that a fact was told of."""
        self._apart: dict[tuple[str, str], list[str]] = {}
        """The ids of the facts that are changed, where their thread was not asked for yet."""
        self._read: dict[str, Record] = {}
        """What was read by its id: passages, and facts that could be meant."""

    async def place(self, moved: Sequence[Fact], told: Sequence[Fact]) -> list[str]:
        """Join each fact with the one that says the same, or add it; those that are `moved` are known, and newly tied.

        Returns the ids of those `told`, as they are known now. All is read that could be needed before, since a reply
        may hold thousands.
        """
        await self._look_up(map(_named, told))
        meant = [record for record in self._read.values() if isinstance(record, Fact)]
        await self._look_up(source for fact in (*moved, *told, *meant) for source in fact.sources)
        for fact in moved:
            self._keep(fact)
        for fact in moved:
            await self._move(fact)
        return [await self._place(fact) for fact in told]

    async def change(self, fact: Fact) -> None:
        """Let a known fact stand as it is given."""
        await self._thread(fact)
        self._keep(fact)

    async def unsay(self, fact: Fact) -> None:
        """Let a known fact be no more, and what it ended hold again."""
        thread = await self._thread(fact)
        self._linked.close(fact.id)
        if thread is not None:
            thread.drop(fact.id)
            for one in thread:
                if one.fact.meta.get(SUPERSEDED_BY) == fact.id:
                    self._keep(reopened(one.fact))

    def settle(self) -> None:
        """End what another takes the place of, and let hold again what none does."""
        for thread in self._threads.values():
            for fact in thread.settled():
                self._linked.keep(fact)

    async def _move(self, fact: Fact) -> None:
        now = self._linked.changed[fact.id]
        thread = await self._thread(now) if isinstance(now, Fact) else None
        one = thread.drop(fact.id) if thread else None
        if thread is None or one is None:
            return
        same = thread.known_as(one)
        if same is None:
            thread.put(one)
        else:
            self._linked.close(fact.id)
            self._keep(_taking(joined(same, one), one.fact, [fact.id]))

    async def _place(self, fact: Fact) -> str:
        thread, fresh = await self._thread(fact), dated(fact, self._read)
        own = thread.drop(fact.id) if thread else None
        same = thread.known_as(fresh) if thread else None
        if thread and own:
            thread.put(own)
        known = same.fact if same else self._meant(fact)
        if known is None:
            placed = replace(fact, id=fact.id or self._id(fact))
            self._linked.new[placed.id] = placed
            self._put(placed)
            return placed.id
        was = restored(known) if known.status == "archived" else known
        placed = _taking(joined(dated(was, self._read), fresh), fact, fact.sources)
        if placed != known:
            self._keep(placed)
        return placed.id

    def _meant(self, fact: Fact) -> Fact | None:
        """The fact with the id that the extractor gave; where there is no triple, that says it in the same words.

        Else the one that says the same, where another one stands for it.
        """
        found = self._at(_named(fact))
        by_name = fact.id or not about(fact)
        return found if found and (by_name or found.status == "archived") else None

    def _id(self, fact: Fact) -> str:
        made = _named(fact)
        return made if self._at(made) is None else fact_id(fact, again=True)

    def _at(self, record_id: str) -> Fact | None:
        """The fact of an id, as it is now."""
        linked = self._linked
        if record_id in linked.closed:
            return None
        found = linked.new.get(record_id) or linked.changed.get(record_id) or self._read.get(record_id)
        return found if isinstance(found, Fact) else None

    def _keep(self, fact: Fact) -> None:
        self._linked.keep(fact)
        self._put(fact)

    def _put(self, fact: Fact) -> None:
        """Let a fact stand among those of its subject and relation."""
        thread = self._threads.get(_about(fact))
        if thread is not None:
            thread.put(dated(fact, self._read))
        else:
            self._apart.setdefault(_about(fact), []).append(fact.id)

    async def _thread(self, fact: Fact) -> Thread | None:
        """The facts of the same subject and relation as they are now, ended ones too; `None` without a triple."""
        who, relation_ = key = _about(fact)
        if not relation_:
            return None
        if key not in self._threads:
            ids = {fact.links.get("subject", ("",))[0]}
            if who == USER:  # who is not always named
                ids |= {"", *user_ids(fact.scope)}
            known = [one for id_ in sorted(ids) for one in await self._ground.facts(relation_, "subject", id_)]
            await self._look_up(source for one in known for source in one.sources)
            self._read |= {one.id: one for one in known}
            now = map(self._at, dict.fromkeys((*(one.id for one in known), *self._apart.pop(key, ()))))
            self._threads[key] = Thread(dated(one, self._read) for one in now if one and _about(one) == key)
        return self._threads[key]

    async def _look_up(self, ids: Iterable[str]) -> None:
        wanted = set(ids) - self._read.keys()
        if wanted:
            self._read |= await self._ground.store.get(self._ground.scope, sorted(wanted))


def _about(fact: Fact) -> tuple[str, str]:
    return whom(fact), about(fact)


def _named(fact: Fact) -> str:
    """The id that the extractor gave, or else that a fact which says the same is known by."""
    return fact.id or (fact_id(fact) if about(fact) else derived_id("fact", wording(fact.text)))


def _taking(known: Fact, again: Fact, what: Iterable[str]) -> Fact:
    """Return a known fact that takes in another: by what it was known to be of the same one, if by an alias."""
    told = again.meta.get(NAMED_BY)
    took = {**known.meta.get(TOOK, {}), **dict.fromkeys(what, told)}
    return replace(known, meta={**known.meta, TOOK: took}) if told else known
