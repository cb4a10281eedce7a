"""From the data of a reply to records: each item looked at alone, with the passages it cites.

Knows no prompt but the labels it gave to passages, and no memory the records will stand in.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

from fabula.abc import Extraction
from fabula.conventions import Conventions
from fabula.errors import ProviderBadReply
from fabula.inferences import protected_key
from fabula.names import ENTITY_TYPES, NAMED_BY, PERSON, USERS, entity_id, is_user, named_by, normal, parted
from fabula.profile import PROFILE, gathered, gathers, worded
from fabula.render import without_memories
from fabula.replies.deciding import joined_by, joint, people
from fabula.replies.enclosed import Json, bad
from fabula.replies.values import (
    EVENTS,
    MANY,
    MOST,
    NAME,
    TEXT,
    confidence_of,
    emotion_of,
    importance_of,
    is_name,
    lasting,
    line_of,
    listed,
    names_of,
    naming,
    sentence,
    text_of,
    time_of,
)
from fabula.talk import event_of, span, stages, told_in
from fabula.text import derived_id, fold, note_id, script
from fabula.timeline import told_by_both, worded_by, worders
from fabula.types import MACHINES, NOTHING, Entity, Event, Fact, Frame, Interval, Note, Passage, Record

_log = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R", bound=Record)

_USER: Final = USERS | {""}
"""What the one whose memory it is goes by where no name is known, or told."""
_TYPES: Final = frozenset(map(fold, ENTITY_TYPES)) | PERSON | frozenset(
    ("place", "topic", "company", "org", "organisation", "gpe", "city", "country", "product", "thing", "pet",
     "组织", "公司", "机构", "地点", "地方", "城市", "国家", "事件", "物品", "产品", "作品", "动物", "概念")
)  # fmt: skip
"""What an entity may be. A type of a model's own would say what a message told, and stay when that is forgotten."""
_LISTS: Final = ("frames", "facts", "entities", "profile")
_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "frames": frozenset(("summary", "events")), "profile": frozenset(("key",)),
    "facts": frozenset(("subject", "predicate", "content", "text")), "entities": frozenset(("name",)),
}  # fmt: skip
"""By which fields an item in a bare list is known; the first kind that has one of them takes it."""


def extraction(
    reply: Json, passages: Mapping[str, Passage], *, conventions: Conventions = Conventions()  # noqa: B008 - frozen
) -> Extraction:  # fmt: skip
    """Return the records of a reply; `passages` are the ones it may cite, by the labels they were shown with.

    An item that makes no sense, cites only what was not shown or has too long a text is left out and counted in
    `rejected`, and so is what comes after the first `MOST` of its kind, and what an assistant or a third person says of
    the user as a fact; one that cites nothing is drawn from all passages.
    Times in words count from when the source that has these words was said, else the first.
    Raises `ProviderBadReply` (`malformed`) where nothing in the reply is what was asked for.
    """
    items, odd = _by_kind(reply)
    reading = _Reading(passages, conventions, items["entities"][:MOST])
    frames = _united(reading.each(items["frames"], reading.frame))
    facts = tuple(reading.each(_united(reading.each(items["facts"], reading.fact)), reading.attributed))
    notes = _united(sorted(reading.each(items["profile"], reading.note), key=reading.told_last))
    made = [(record, fold(_told(record))) for record in (*frames, *facts, *notes)]
    entities = _united(reading.each(items["entities"], lambda item: reading.entity(item, made)))
    if reading.excess:
        _log.warning("%d items were left out: one reply may not tell that many", reading.excess)
    return Extraction(
        frames=frames, facts=facts, entities=entities, notes=notes, rejected=reading.rejected + odd,
        misplaced=reading.misplaced,
    )  # fmt: skip


def united(first: Extraction, second: Extraction) -> Extraction:
    """Return what two replies found, with what both found once."""
    return Extraction(
        frames=_united((*first.frames, *second.frames)),
        facts=_united((*first.facts, *second.facts)),
        entities=_united((*first.entities, *second.entities)),
        notes=_united((*first.notes, *second.notes)),
        rejected=first.rejected + second.rejected,
        misplaced=first.misplaced + second.misplaced,
    )


def _by_kind(reply: Json) -> tuple[dict[str, list[Any]], int]:
    """The items of a reply, and how many are of no kind. A bare list of items or of replies is taken as well."""
    if isinstance(reply, dict) and len(reply) == 1 and reply.keys().isdisjoint(_LISTS):
        (inner,) = reply.values()
        reply = cast(Json, inner) if isinstance(inner, dict) else reply
    pieces = reply if isinstance(reply, list) else [reply]
    items: dict[str, list[Any]] = {kind: [] for kind in _LISTS}
    odd = unknown = 0
    for piece in pieces:
        given = cast(dict[str, Any], piece) if isinstance(piece, dict) else {}
        headings = [kind for kind in _LISTS if kind in given]
        for kind in headings:
            if isinstance(given[kind], list | dict):
                items[kind] += listed(given[kind] or None)
            else:
                odd += given[kind] not in (None, "")
        if not headings:
            kind = _kind(piece, alone=isinstance(reply, dict))
            unknown += kind is None
            if kind is not None:
                items[kind].append(piece)
    if pieces and unknown == len(pieces):
        raise bad("holds nothing that was asked for")
    return items, odd + unknown


def _kind(item: Any, *, alone: bool) -> str | None:
    """What an item without a heading is. One that is the whole reply has to be a triple: it might be an excuse."""
    if isinstance(item, str):
        return "facts"
    given = cast(dict[str, Any], item) if isinstance(item, dict) else {}
    if alone:
        return "facts" if {"subject", "predicate"} <= given.keys() else None
    return next((kind for kind, fields in _FIELDS.items() if not fields.isdisjoint(given)), None)


class _Misplaced(ProviderBadReply):
    """An item that makes sense, but not as what it is given as: somebody else said so of whom it is about."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the model's reply {what}", reason="malformed")


class _Reading:
    """One reply beside the passages it is about."""

    def __init__(self, passages: Mapping[str, Passage], conventions: Conventions, entities: Iterable[Any]) -> None:
        self._passages = passages
        self._all = tuple({passage.id: passage for passage in passages.values()}.values())
        self._said = {passage.id: fold(_said(passage)) for passage in self._all}
        self._conventions = conventions
        self._people = [(names, self._naming(names)) for names in people(entities)]
        self.rejected = self.misplaced = self.excess = 0

    def each(self, items: Sequence[Any], read: Callable[[Any], T], most: int = MOST) -> Iterator[T]:
        over = max(len(items) - most, 0)
        self.rejected += over
        self.excess += over
        for item in items[:most]:
            try:
                yield read(item)
            except ProviderBadReply as error:
                self.rejected += 1
                self.misplaced += isinstance(error, _Misplaced)
                _log.debug("left out: %s", error)

    def _naming(self, names: Sequence[str]) -> list[str]:
        """The ids of the passages that have any of these names."""
        found = naming(names)
        return [passage for passage, said in self._said.items() if found(said)]

    def frame(self, item: Any) -> Frame:
        given = _fields(item, "summary")
        cited = self._sources(given)
        told = list(self.each(listed(given.get("events")), lambda event: self._event(event, cited), EVENTS))
        summary = _text(given.get("summary")) or _text(given.get("text"))
        if not fold(summary):
            raise bad("has a frame without a summary")
        every = {passage.id for passage in (*cited, *(own for _, sources in told for own in sources))}
        sources = tuple(passage for passage in self._all if passage.id in every)
        events = self._decided(summary, [event for event, _ in told], sources)
        dated = next((event.time for event in events if event.time is not None), None)
        parts = stages(sources)
        if len(parts) > 1:
            events = [replace(e, time=e.time or span(own)) for e, (_, own) in zip(events, told, strict=True)]
            # A model that tells of it as one event leaves open what was said when.
            events += map(event_of, told_in(parts)) if len(events) < 2 else ()
        ids = tuple(passage.id for passage in sources)
        return Frame(
            scope=sources[0].scope,
            id=derived_id("frame", *ids, fold(summary)),
            text=summary,
            session=sources[0].session,
            events=tuple(events),
            importance=importance_of(given.get("importance")),
            emotion=emotion_of(given.get("emotion")),
            valid=dated or span(sources),
            sources=ids,
        )

    def _decided(self, summary: str, events: Sequence[Event], sources: Sequence[Passage]) -> list[Event]:
        """The events; what several decide has everybody take part who speaks or is named in the sources."""
        deciding = [joint(event.action, event) for event in events]
        if not any(deciding):  # then it is the summary that tells of a decision, if anything does
            deciding = [joint(summary, event) for event in events]
        ids = {passage.id for passage in sources}
        named = [names for names, where in self._people if not ids.isdisjoint(where)]
        user = "用户" if script(summary) == "han" else "user"
        speakers = (passage.speaker for passage in sources if passage.role not in MACHINES)
        named += [(user, *_USER) if fold(speaker) in _USER else (speaker,) for speaker in speakers]
        return [joined_by(event, named) if here else event for event, here in zip(events, deciding, strict=True)]

    def fact(self, item: Any) -> Fact:
        given = _fields(item, "text")
        sources = self._sources(given)
        triple = [_line(given.get(name)) for name in ("subject", "predicate", "object")]
        subject, predicate, thing = triple if all(map(fold, triple[:2])) else ("", "", "")
        text = _text(given.get("text")) or _text(given.get("content")) or sentence(subject, predicate, thing)
        if not fold(text):
            raise bad("has a fact that says nothing")
        since, until = (self._time(given.get(name), sources) for name in ("valid_from", "valid_to"))
        return Fact(
            scope=sources[0].scope,
            id="",  # who is meant is known when it is linked
            text=text,
            subject=subject,
            predicate=predicate,
            object=thing,
            importance=importance_of(given.get("importance")),
            emotion=emotion_of(given.get("emotion")),
            valid=lasting(since, until),
            sources=tuple(passage.id for passage in sources),
            meta=_speaker(sources) | confidence_of(given.get("confidence")),
        )

    def attributed(self, fact: Fact) -> Fact:
        """The fact, once all that tell it are known: one of them has to be able to."""
        if fact.subject and not self._may_tell(fact.subject, [p for p in self._all if p.id in fact.sources]):
            raise _Misplaced("takes what somebody else said for a fact about who speaks")
        return fact

    def note(self, item: Any) -> Note:
        given = _fields(item, "value")
        sources = self._sources(given)
        subject, name = _line(given.get("subject")), _line(given.get("key"))
        values = [value for value in (_text(value, NAME) for value in listed(given.get("value"))[:MANY]) if value]
        if not (fold(name) and values):
            raise bad("has a profile entry without a key or a value")
        if protected_key(name):
            raise bad("tells of what is never inferred about people, which no profile holds")
        speakers = {fold(passage.speaker) for passage in sources}
        by_machines = all(passage.role in MACHINES for passage in sources) and fold(subject) not in speakers
        if by_machines or not self._may_tell(subject, sources):
            raise _Misplaced("takes what somebody else said for somebody's profile")
        # Several people may speak, and each has an occupation.
        own = fold(subject) in _USER or is_user(subject, sources[0].scope)
        key = fold(name) if own else f"{fold(subject)}/{fold(name)}"
        return worded(
            Note(
                scope=sources[0].scope,
                id=note_id(PROFILE, key),
                text="",
                namespace=PROFILE,
                key=key,
                value=values[0] if len(values) == 1 and not gathers(key) else values,
                sources=tuple(passage.id for passage in sources),
                meta={"subject": subject, "name": name, **_speaker(sources)},
            )
        )

    def told_last(self, record: Record) -> int:
        """The place of the last passage that a record is drawn from."""
        return max(n for n, passage in enumerate(self._all) if passage.id in record.sources)

    def entity(self, item: Any, made: Sequence[tuple[Frame | Fact | Note, str]]) -> Entity:
        """Who is named in the passages, or else in what was `made` of the reply: records with what they say, folded."""
        given = _fields(item, "name")
        name, *others = parted(_line(given.get("name")))
        if not is_name(name):
            raise bad("has an entity without a name")
        others += [part for alias in names_of(given.get("aliases")) for part in parted(alias)]
        aliases = tuple(dict.fromkeys(alias for alias in others if fold(alias) != fold(name)))
        found = naming((name, *aliases))
        sources = [passage for passage, said in self._said.items() if found(said)] or [
            source for record, told in made if found(told) for source in record.sources
        ]
        if not sources:
            raise bad("has an entity that nobody named")
        told: dict[str, list[str]] = {}  # each name by the first message that has it
        for alias in aliases:
            teller = next(iter(self._naming((alias,))), sources[0])
            told.setdefault(teller, []).append(normal(alias))
        return Entity(
            scope=self._all[0].scope,
            meta={NAMED_BY: told} if told else NOTHING,
            id=entity_id(name),
            text=name,
            type=kind if fold(kind := line_of(given.get("type"))) in _TYPES else "",
            aliases=aliases,
            sources=tuple(dict.fromkeys(sources)),
        )

    def _event(self, item: Any, cited: Sequence[Passage]) -> tuple[Event, tuple[Passage, ...]]:
        """An event and the passages that it cites itself, if any."""
        given = _fields(item, "action")
        own = self._sources(given) if listed(given.get("sources")) else ()
        event = Event(
            participants=names_of(given.get("participants")),
            action=_text(given.get("action")),
            time=self._time(given.get("time"), own or cited),
            location=_text(given.get("location")),
            causality=_text(given.get("causality")),
            manner=_text(given.get("manner")),
        )
        if not (event.action or event.participants):
            raise bad("has an event in which nothing happens")
        return event, own

    def _may_tell(self, subject: str, sources: Sequence[Passage]) -> bool:
        """Whether the sources may tell of the subject: of the user only the user, of others who speak no machine."""
        who = fold(subject)
        people = [passage for passage in self._all if passage.role not in MACHINES]
        own = [passage for passage in self._all if fold(passage.speaker) == who]
        if who in _USER:
            own = [passage for passage in people if fold(passage.speaker) in _USER] or people
        elif not own or any(passage.role not in MACHINES for passage in sources):
            return True
        return not {passage.id for passage in own}.isdisjoint(passage.id for passage in sources)

    def _sources(self, given: Mapping[str, Any]) -> tuple[Passage, ...]:
        """The passages an item cites, in their own order."""
        cited = listed(given.get("sources"))
        if cited:
            labels = {label for value in cited for label in self._labels(line_of(value))}
            found = {passage.id for label, passage in self._passages.items() if label in labels}
        else:
            speaker = fold(line_of(given.get("speaker")))
            found = {p.id for p in self._all if fold(p.speaker) == speaker} or {p.id for p in self._all}
        if not found:
            raise bad("cites nothing that was shown")
        return tuple(passage for passage in self._all if passage.id in found)

    def _labels(self, cited: str) -> list[str]:
        return [cited] if cited in self._passages else re.split(r"[\s,;，、；\[\]()]+", cited)

    def _time(self, value: Any, sources: Sequence[Passage]) -> Interval | None:
        words = fold(line_of(value))
        source = next((p for p in sources if words and words in self._said[p.id]), sources[0])
        return time_of(value, source.time, self._conventions)


def _text(value: Any, most: int = TEXT) -> str:
    text = text_of(value)
    if len(text) > most:
        raise bad("has a text that is too long")
    return text


def _line(value: Any) -> str:
    return " ".join(_text(value, NAME).split())


def _fields(item: Any, plain: str) -> dict[str, Any]:
    """An item's fields; a bare text is the field `plain`."""
    if isinstance(item, dict):
        return cast(dict[str, Any], item)
    if isinstance(item, str):
        return {plain: item}
    raise bad(f"has an item that is neither an object nor a text but {type(item).__name__}")


def _speaker(sources: Sequence[Passage]) -> dict[str, str]:
    speakers = {passage.speaker for passage in sources}
    return {"speaker": speakers.pop()} if len(speakers) == 1 else {}


def _said(passage: Passage) -> str:
    return "\n".join((passage.speaker, without_memories(passage.text), *(image.caption for image in passage.images)))


def _told(record: Frame | Fact | Note) -> str:
    words = [record.text]
    if isinstance(record, Fact):
        words += (record.subject, record.object)
    elif isinstance(record, Frame):
        words += (word for event in record.events for word in (*event.participants, event.action, event.location))
    return "\n".join(words)


def _united(records: Iterable[R]) -> tuple[R, ...]:
    """The records with those that say the same made one."""
    made: dict[tuple[str, ...], R] = {}
    for record in records:
        said = (record.id,)
        if isinstance(record, Fact):
            triple = tuple(map(fold, (record.subject, record.predicate, record.object)))
            said = triple if all(triple) else (fold(record.text),)
        made[said] = _one(made[said], record) if said in made else record
    return tuple(made.values())


def _one(first: R, second: R) -> R:
    """Two records of one id as one, with what both have: sources and aliases.

    Of a profile's key it has the value that was told last; what one message told of it is a list.
    """
    changed: dict[str, Any] = {"sources": tuple(dict.fromkeys(first.sources + second.sources))}
    if isinstance(first, Entity) and isinstance(second, Entity):
        aliases = {fold(alias): alias for alias in (*second.aliases, *first.aliases)}
        changed |= {"aliases": tuple(aliases.values())[:MANY], "type": first.type or second.type}
        told = first.meta
        for passage, names in second.meta.get(NAMED_BY, {}).items():
            told = named_by(told, [passage], names)
        changed["meta"] = told
    if isinstance(first, Fact):
        changed["meta"] = worded_by(told_by_both(first.meta, second.meta), worders(first), changed["sources"])
    if isinstance(first, Note) and isinstance(second, Note):
        return cast(R, _latest(first, second, changed["sources"]))
    return replace(first, **changed)


def _latest(first: Note, second: Note, sources: tuple[str, ...]) -> Note:
    """The second of two notes of one key, together with the first where both were told last by the same message."""
    values, told = listed(second.value), worders(second)
    if gathers(second.key) or worders(first)[-1] == told[-1]:
        values, told = [*listed(first.value), *values], (*worders(first), *told)
    elif listed(first.value) == values:
        told = worders(first)
    values = gathered([], values) if gathers(second.key) else list(dict.fromkeys(values))[:MANY]
    meta = worded_by(told_by_both(first.meta, second.meta), told, sources)
    value = values[0] if len(values) == 1 and not gathers(second.key) else values
    return worded(replace(second, sources=sources, value=value, meta=meta))
