"""From pending passages to frames, facts and entities: windows of talk, and how what was drawn from them is kept.

It knows no model and no database, nor how anything is drawn; who is who is `link`'s to say.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Final

from fabula.abc import NEVER, Changes, Edge, Entry, Extraction, Extractor, Filter, Lease, Pending, Store, Task
from fabula.errors import ProviderBadReply, SourcesGone
from fabula.link import link
from fabula.names import entity_id
from fabula.people import Linked
from fabula.profile import PROFILE, gathered, gathers, worded
from fabula.remember import UNEXTRACTED, says_more, searchable, spelling, terms_of, through, with_pictures
from fabula.render import without_memories
from fabula.text import clean, derived_id, fold, note_id
from fabula.timeline import SUPERSEDED_BY, told_by_both, worded_by, worders
from fabula.types import Extracted, Fact, Frame, Note, Passage, Record

_log = logging.getLogger(__name__)
EVERYTHING: Final = 1_000_000
"""More pieces of work than are read at once."""


@dataclass(frozen=True, slots=True)
class Window:
    """Work on passages of one session that are extracted together."""

    work: tuple[Pending, ...]
    due: datetime | None
    """When its session will have been quiet; `None`: it need not be."""

    def ready(self, size: int | None, now: datetime) -> bool:
        """Whether it can go: its session is quiet, or it is full, which is at `size` (`None`: it never is)."""
        return self.due is None or self.due <= now or (size is not None and len(self.work) >= size)


def windows(work: Sequence[Pending], size: int) -> Iterator[Window]:
    """Group a scope's pending extraction by session into windows of up to `size` messages, in order.

    What is due at once does not wait for what was said after it, and what may wait for ever keeps nothing else waiting.
    """
    for _, group in groupby(work, key=lambda piece: (piece.session, piece.due is None, piece.due == NEVER)):
        pieces = list(group)
        due = max((piece.due for piece in pieces if piece.due is not None), default=None)
        for start in range(0, len(pieces), size):
            yield Window(tuple(pieces[start : start + size]), due)


async def outcome(store: Store, scope: str, ids: Sequence[str], errors: Sequence[str] = ()) -> Extracted:
    """Return what has become of passages that were to be extracted, whoever has done it."""
    waiting = {piece.id for piece in await store.pending(scope, "extract", EVERYTHING)}
    there = await store.get(scope, ids)
    read = {p.id for p in there.values() if isinstance(p, Passage) and not p.blank} - waiting
    done = [name for name in dict.fromkeys(ids) if name in read]
    drawn = await store.citing(scope, done, ["fact", "frame"]) if done else []
    return Extracted(
        passages=tuple(done),
        left=tuple(name for name in dict.fromkeys(ids) if name in waiting),
        facts=tuple(record for record in drawn if isinstance(record, Fact)),
        frames=tuple(record for record in drawn if isinstance(record, Frame)),
        errors=tuple(errors),
    )


async def extract(
    store: Store,
    extractor: Extractor,
    lease: Lease,
    window: Window,
    at: datetime,
    *,
    hidden: Callable[[str], str],
    space: str = "",
    resolve: bool = True,
    fuse: bool = False,
) -> Extraction:
    """Extract one window, join the result with what is known and keep it, in one transaction.

    A frame or a fact without a text is left out: nothing could find it. `hidden` is what every text is put through
    first (`remember.hiding`): a model that is told no secret may still know one, or make one up. `space` and `resolve`
    are as `link` takes them; `fuse` is whether work is left to `fusion`. Raises a `ProviderError` (the work stays),
    `LeaseLost` or `SourcesGone` (somebody else changed the ground).
    """
    said = await store.get(lease.scope, [piece.id for piece in window.work])
    passages = [p for piece in window.work if isinstance(p := said.get(piece.id), Passage)]
    heard = _heard(passages)
    found, gone, alone = Extraction(), set[str](), set[str]()
    if heard:
        seen = [await with_pictures(store, p) for p in heard] if getattr(extractor, "sees", False) else heard
        found = _telling(_hidden(await extractor.extract(seen), hidden))
        found, gone, alone = await _instead(store, lease.scope, heard, found)
    drawn = any(map(says_more, (*found.frames, *found.facts, *found.entities)))
    linked = await link(store, lease.scope, space, found, resolve=resolve) if drawn else _plain(found)
    to_fuse = await _to_fuse(store, lease.scope, linked) if fuse else set[str]()
    new = [replace(record, scope=lease.scope) for record in (*linked.frames, *linked.new.values())]
    add = [entry_of(record, fuse=record.id in to_fuse) for record in new]
    put = [entry_of(record, fuse=record.id in to_fuse) for record in linked.changed.values()]
    mentions = dict.fromkeys(linked.mentions)
    edges = [Edge(source=who, target=where, kind="mentions", ref=told) for who, where, told in mentions]
    done: tuple[tuple[Task, str], ...] = tuple((piece.task, piece.id) for piece in window.work)
    fresh, changed = await _noted(store, lease.scope, found.notes)
    try:
        await store.write(
            lease.scope,
            Changes(
                add=(*add, *fresh),
                put=(*put, *changed),
                close=(*linked.closed, *gone),
                edges=tuple(edges),
                done=done,
                again=tuple(("extract", passage) for passage in sorted(alone)),
                at=at,
            ),
            lease,
        )
    except SourcesGone as error:
        # What was known and is changed cites older passages, which may be forgotten at any time.
        cited = {source for r in (*found.frames, *found.facts, *found.entities, *found.notes) for source in r.sources}
        if {passage.id for passage in passages}.isdisjoint(error.ids) and not cited.isdisjoint(error.ids):
            raise ProviderBadReply(f"the extractor cites what does not exist: {error}", reason="malformed") from None
        raise
    return found


async def _instead(
    store: Store, scope: str, heard: Sequence[Passage], found: Extraction
) -> tuple[Extraction, set[str], set[str]]:  # fmt: skip
    """What was found, the frames whose place it takes, and the passages that these alone told.

    Passages that are read again have frames. Those of rules, which only repeat words, give way to a model's.
    """
    ids = {passage.id for passage in heard}
    before = await store.citing(scope, sorted(ids), ["frame"])
    told = {source for frame in (*before, *found.frames) if says_more(frame) for source in frame.sources}
    kept = (frame for frame in found.frames if says_more(frame) or not told.issuperset(frame.sources))
    over = [frame for frame in before if not says_more(frame) and not told.isdisjoint(frame.sources)]
    left = {source for frame in over for source in frame.sources} - told - ids
    return replace(found, frames=tuple(kept)), {frame.id for frame in over}, left


async def again(store: Store, scope: str, batch: int = 500) -> int:
    """Leave what no model has made a frame of to be extracted once more; return how many passages that are."""
    queued = 0
    async for found in store.pages(scope, Filter(kind="passage", status=None, limit=batch)):
        ids = [passage.id for _, passage in found if UNEXTRACTED not in passage.meta]
        frames = await store.citing(scope, ids, ["frame"])
        told = {source for frame in frames if says_more(frame) for source in frame.sources}
        work: tuple[tuple[Task, str], ...] = tuple(("extract", name) for name in ids if name not in told)
        await store.write(scope, Changes(again=work))
        queued += len(work)
    return queued


def _heard(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """What an extractor is shown of passages: no blank ones, and nothing that was only recalled."""
    shown = (replace(passage, text=without_memories(passage.text)) for passage in passages)
    return tuple(passage for passage in shown if searchable(passage))


def _hidden(found: Extraction, hidden: Callable[[str], str]) -> Extraction:
    """What was found with its secrets hidden, also from the ids that are made of words."""
    told: Extraction = through(found, hidden)
    frames, entities = list(told.frames), list(told.entities)
    for place, (was, frame) in enumerate(zip(found.frames, frames, strict=True)):
        if frame.text != clean(was.text):
            frames[place] = replace(frame, id=derived_id("frame", *frame.sources, fold(frame.text)))
    for place, (was, entity) in enumerate(zip(found.entities, entities, strict=True)):
        if entity.text != clean(was.text):
            entities[place] = replace(entity, id=entity_id(entity.text))
    return replace(told, frames=tuple(frames), entities=tuple(entities))


def _telling(found: Extraction) -> Extraction:
    frames, facts = (tuple(filter(searchable, some)) for some in (found.frames, found.facts))
    blank = len(found.frames) - len(frames) + len(found.facts) - len(facts)
    if blank:
        _log.warning("%d frames and facts without a text were left out", blank)
    return replace(found, frames=frames, facts=facts, rejected=found.rejected + blank)


def _plain(found: Extraction) -> Linked:
    """What rules have drawn, as it is: they make the same of the same, and no facts."""
    entities: dict[str, Record] = {e.id: replace(e, sources=e.sources[:1]) for e in found.entities}
    mentions = [(entity.id, source, "") for entity in found.entities for source in entity.sources]
    return Linked(frames=list(found.frames), new=entities, mentions=mentions)


async def _to_fuse(store: Store, scope: str, linked: Linked) -> set[str]:
    """The ids of what is left to `fusion`: new frames, frames that waited before, facts that what is new has ended."""
    drawn = (*linked.new.values(), *linked.changed.values())
    ids = {frame.id for frame in linked.frames}
    ids |= {
        fact.id
        for fact in drawn
        if isinstance(fact, Fact)
        and fact.status == "superseded"
        and not linked.new.keys().isdisjoint((fact.id, fact.meta.get(SUPERSEDED_BY)))
    }
    if any(isinstance(record, Frame) for record in drawn):
        ids |= {piece.id for piece in await store.pending(scope, "fuse")}
    return ids


def entry_of(record: Record, *, fuse: bool = False) -> Entry:
    """Return a derived record as it is written: with its terms, and to be embedded where it is a key to passages.

    With `fuse` it is also left to `fusion`.
    """
    terms = terms_of(record)
    if terms is None or not says_more(record):
        return Entry(record=record, terms=terms)
    return Entry(record=record, terms=terms, tasks=("embed", "fuse") if fuse else ("embed",))


async def _noted(store: Store, scope: str, notes: Sequence[Note]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The notes of new keys, and those that change a key's value: a key has one value, that of the latest message.

    Whichever window is read first. The value before stays in the versions that are over; one that is told again has
    one source more. What a profile gathers is added to what its key holds.
    """
    own = [replace(note, scope=scope, id=note_id(note.namespace, note.key)) for note in notes]
    known = await store.get(scope, [note.id for note in own]) if own else {}
    cited = {source for note in (*own, *known.values()) for source in note.sources}
    said = await store.get(scope, sorted(cited)) if cited else {}
    told: dict[str, Note] = {}
    for note in own:
        before = told.get(note.id, known.get(note.id))
        if not isinstance(before, Note):
            told[note.id] = note
        elif note.namespace == PROFILE and gathers(note.key):
            told[note.id] = _gathered(before, note)
        elif spelling(before.value) == spelling(note.value):
            again = _told_by(before, note)
            told |= {note.id: again} if again.sources != before.sources else {}
        elif note.id in told:  # one that was not kept yet has no version that comes back: its message is read again
            told[note.id] = _told_by(before, note) if _older(note, before, said) else _told_by(note, before)
        elif not _older(note, before, said):
            told[note.id] = note
    entries = {note_id: Entry(record=note, terms=terms_of(note)) for note_id, note in told.items()}
    # Added, not put: a note that was forgotten by name is not brought back.
    fresh = tuple(entry for note_id, entry in entries.items() if note_id not in known)
    return fresh, tuple(entry for note_id, entry in entries.items() if note_id in known)


def _gathered(note: Note, other: Note) -> Note:
    """The note with the items that only the other has, whichever was told first."""
    value = gathered(note.value, other.value)
    if spelling(value) == spelling(note.value):
        return _told_by(note, other)
    sources = tuple(dict.fromkeys((*note.sources, *other.sources)))
    meta = worded_by(told_by_both(other.meta, note.meta), (*worders(note), *worders(other)), sources)
    return worded(replace(note, value=value, sources=sources, meta=meta))


def _told_by(note: Note, other: Note) -> Note:
    """The note, as it stands, told by the other's messages too."""
    sources = tuple(dict.fromkeys((*note.sources, *other.sources)))
    meta = worded_by(told_by_both(note.meta, other.meta), worders(note), sources)
    return replace(note, sources=sources, meta=meta)


def _older(note: Note, other: Note, said: Mapping[str, Record]) -> bool:
    """Whether a note was told before another was told last; not where nobody knows when."""
    times = [
        [at.timestamp() for source in one.sources if isinstance(p := said.get(source), Passage) and (at := p.time)]
        for one in (note, other)
    ]
    return all(times) and max(times[0]) < max(times[1])
