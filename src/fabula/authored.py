"""Records that a caller writes, rather than an extractor: facts, frames, insights and entities; links none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from fabula.abc import Changes, Ground
from fabula.checking import within
from fabula.errors import InvalidInput
from fabula.extract import entry_of
from fabula.names import PROPERTIES
from fabula.remember import hiding, plain
from fabula.settings import Settings
from fabula.text import ANALYZER, derived_id, identifier
from fabula.types import CREATED, INTERNAL, NOTHING, SORT, Emotion, Entity, Fact, Frame, Insight, Interval, Record

AUTHORED: Final = (Fact, Frame, Insight, Entity)
AGAIN: Final = 100
"""How often one text may have been written and forgotten: each time it gets an id of its own."""
_WORDS: Final = ("subject", "predicate", "object", "type", "category")
_R = TypeVar("_R", bound=Record)


async def add(ground: Ground, scope: str, records: Iterable[Record]) -> tuple[str, ...]:
    """Write records; see `AsyncMemory.add`."""
    given = [_checked(record, scope, ground.settings) for record in records]
    ids: dict[int, str] = {}
    left = list(range(len(given)))
    for again in range(AGAIN):
        made = {place: _named(given[place], again) for place in left}
        entries = {record.id: entry_of(record) for record in made.values()}
        if not entries:
            break
        changes = Changes(add=tuple(entries.values()), space=ground.space, analyzer=ANALYZER, at=ground.clock())
        written = await ground.store.write(scope, changes)
        ids |= {place: record.id for place, record in made.items() if record.id not in written.erased}
        left = [place for place, record in made.items() if record.id in written.erased]
        for place in left:
            if given[place].id:
                raise InvalidInput(f"record {given[place].id!r} was forgotten and is not brought back")
    if left:
        raise InvalidInput(f"a text that was forgotten {AGAIN} times is not written again")
    ground.wake(scope)
    return tuple(ids[place] for place in range(len(given)))


async def revise(
    ground: Ground, scope: str, record_id: str, *, text: str | None, importance: float | None,
    emotion: Emotion | None, valid: Interval | None, meta: Mapping[str, Any] | None,
) -> Record | None:  # fmt: skip
    """Write the next version of a record; see `AsyncMemory.revise`."""
    while True:
        state = await ground.store.state(scope)
        if state is None:
            return None
        old = (await ground.store.get(scope, [record_id])).get(record_id)
        if old is None:
            return None
        if not isinstance(old, AUTHORED):
            raise InvalidInput(f"{record_id} is a {old.kind}, which is never revised")
        born = old.meta.get(CREATED) or (old.recorded.start.isoformat() if old.recorded and old.recorded.start else "")
        new = replace(
            old,
            text=old.text if text is None else text,
            importance=old.importance if importance is None else importance,
            emotion=old.emotion if emotion is None else emotion,
            valid=old.valid if valid is None else valid,
            meta=old.meta if meta is None else meta,
        )
        new = _checked(
            new, scope, ground.settings, {key: old.meta[key] for key in old.meta if key.startswith(INTERNAL)}
        )
        new = replace(new, meta={**new.meta, CREATED: born})
        if new.text != old.text:  # it says something else now, in words of its own
            new = replace(new, meta={key: value for key, value in new.meta.items() if key != "extractor"})
            if isinstance(new, Fact):
                new = replace(new, subject="", predicate="", object="", links={})
        changes = Changes(
            put=(entry_of(new),), space=ground.space, analyzer=ANALYZER, at=ground.clock(), revision=state.revision
        )
        if (await ground.store.write(scope, changes)).revision:
            ground.wake(scope)
            return (await ground.store.get(scope, [record_id])).get(record_id)


def _checked(record: _R, scope: str, settings: Settings, internal: Mapping[str, Any] = NOTHING) -> _R:
    """The record as it is stored; of the keys of `meta` that are no caller's it has these, and may tell no others."""
    if not isinstance(record, AUTHORED):
        raise InvalidInput(
            f"what a caller writes are facts, frames, insights and entities, not {type(record).__name__}"
        )

    hidden = hiding(settings)
    given: Any = record.text
    if not isinstance(given, str) or not (text := hidden(given)).strip():
        raise InvalidInput("a memory has a text, which is not blank")
    within("importance", record.importance, 0, 1, kind=float)
    if record.emotion is not None:
        within("valence", record.emotion.valence, -1, 1, kind=float)
        within("arousal", record.emotion.arousal, 0, 1, kind=float)
    meta = plain(record.meta, hidden, "meta")
    for key in meta:
        if key.startswith(INTERNAL) and (key not in internal or internal[key] != meta[key]):
            raise InvalidInput(f"keys of meta that begin with {INTERNAL!r} are not for callers: {key!r}")
    meta |= internal
    sort = meta.get(SORT)
    if sort is not None and not (isinstance(sort, str) and sort):
        raise InvalidInput(f"a sort of memory is a word, not {sort!r}")
    record_id = identifier(record.id, "id") if record.id else ""
    if isinstance(record, Entity):
        meta.setdefault(PROPERTIES, {})  # as one of the graph that a caller knows: it is not pruned
    common = {"scope": scope, "id": record_id, "text": text, "meta": meta, "recorded": None}
    return replace(record, **common, **_words(record, hidden))


def _words(record: Record, hidden: Callable[[str], str]) -> dict[str, Any]:
    """What a record says beside its text, as it is stored."""
    said: dict[str, Any] = {name: hidden(getattr(record, name)) for name in _WORDS if hasattr(record, name)}
    if record.emotion is not None:
        said["emotion"] = replace(record.emotion, label=hidden(record.emotion.label))
    if isinstance(record, Entity):
        said["aliases"] = tuple(map(hidden, record.aliases))
    if isinstance(record, Frame):
        said["events"] = tuple(
            replace(
                event,
                participants=tuple(map(hidden, event.participants)),
                **{name: hidden(getattr(event, name)) for name in ("action", "location", "causality", "manner")},
            )
            for event in record.events
        )
    return said


def _named(record: Record, again: int) -> Record:
    """The record under its id, or under one that is the same whenever the same is written: by whoever, at once."""
    if record.id:
        return record
    valid = record.valid
    when = "" if valid is None else "/".join(end.isoformat() if end else "" for end in (valid.start, valid.end))
    said = (record.kind, record.text, str(record.meta.get(SORT, "")), when, str(again))
    own = (record.subject, record.predicate, record.object) if isinstance(record, Fact) else ()
    return replace(record, id=derived_id("authored", *said, *own))
