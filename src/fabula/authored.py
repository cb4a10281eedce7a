"""Records that a caller writes, rather than an extractor: facts, frames, insights and entities; links none of them."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from types import EllipsisType
from typing import Any, Final, TypeAlias, TypeVar, cast

from fabula.abc import Changes, Entry, Ground, Written
from fabula.aside import aside
from fabula.attempts import Attempts
from fabula.checking import within
from fabula.errors import InvalidInput
from fabula.extract import entry_of
from fabula.names import PROPERTIES
from fabula.remember import hiding, openly, tagged, through
from fabula.settings import Settings
from fabula.text import ANALYZER, derived_id, identifier
from fabula.timeline import told
from fabula.types import CREATED, INTERNAL, NOTHING, SORT, Emotion, Entity, Fact, Frame, Insight, Interval, Record

Meta: TypeAlias = Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A record's `meta`, or what makes it of the one it has."""
AUTHORED: Final = (Fact, Frame, Insight, Entity)
AGAIN: Final = 100
"""How often one text may have been written and forgotten, or revised: each time it gets an id of its own."""
_WORDS: Final = ("subject", "predicate", "object", "type", "category")
_R = TypeVar("_R", bound=Record)


async def add(ground: Ground, scope: str, records: Sequence[Record]) -> tuple[str, ...]:
    """Write records; see `AsyncMemory.add`."""
    texts = [str(record.text) for record in records if isinstance(record, AUTHORED)]
    given = await aside(texts, lambda: [_checked(record, scope, ground.settings) for record in records])
    ids: dict[int, str] = {}
    left = list(range(len(given)))
    for again in range(AGAIN):
        made = {place: _named(given[place], again) for place in left}
        entries = await aside(texts, _entries, tuple(made.values()))
        if not entries:
            break
        changes = Changes(add=tuple(entries.values()), space=ground.space, analyzer=ANALYZER, at=ground.clock())
        written = await ground.store.write(scope, changes)
        left = [place for place, record in made.items() if not _stands(given[place], record, written)]
        ids |= {place: record.id for place, record in made.items() if place not in left}
        for place in left:
            if given[place].id:
                raise InvalidInput(f"record {given[place].id!r} was forgotten and is not brought back")
    if left:
        raise InvalidInput(f"a text that was forgotten or revised {AGAIN} times is not written again")
    ground.wake(scope)
    return tuple(ids[place] for place in range(len(given)))


def _entries(records: Iterable[Record]) -> dict[str, Entry]:
    return {record.id: entry_of(record) for record in records}


async def revise(
    ground: Ground, scope: str, record_id: str, *, text: str | None, importance: float | None,
    emotion: Emotion | EllipsisType | None, valid: Interval | None, meta: Meta | None,
) -> Record | None:  # fmt: skip
    """Write the next version of a record; see `AsyncMemory.revise`."""
    async with Attempts(ground.store, scope) as attempts:
        async for _ in attempts:
            state = await ground.store.state(scope)
            if state is None:
                return None
            old = (await ground.store.get(scope, [record_id])).get(record_id)
            if old is None:
                return None
            if not isinstance(old, AUTHORED):
                raise InvalidInput(f"{record_id} is a {old.kind}, which is never revised")
            born = old.meta.get(CREATED) or (
                old.recorded.start.isoformat() if old.recorded and old.recorded.start else ""
            )
            new = replace(
                old,
                text=old.text if text is None else text,
                importance=old.importance if importance is None else importance,
                emotion=old.emotion if isinstance(emotion, EllipsisType) else emotion,
                valid=old.valid if valid is None else valid,
                meta=_told(meta, old.meta),
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
    raise AssertionError


def _told(meta: Meta | None, held: Mapping[str, Any]) -> Mapping[str, Any]:
    given: Any = held if meta is None else meta(held) if callable(meta) else meta
    if not isinstance(given, Mapping):
        raise InvalidInput(f"meta is a mapping, or a function that makes one of a mapping, not {reprlib.repr(given)}")
    return cast(Mapping[str, Any], given)


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
    meta = tagged(record.meta, settings, "meta")
    for key in meta:
        if key.startswith(INTERNAL) and (key not in internal or internal[key] != meta[key]):
            raise InvalidInput(f"keys of meta that begin with {INTERNAL!r} are not for callers: {key!r}")
    meta |= internal
    sort = meta.get(SORT)
    if sort is not None and not (isinstance(sort, str) and sort):
        raise InvalidInput(f"a sort of memory is a word, not {reprlib.repr(sort)}")
    if sort is not None:
        openly("a sort of memory", record.meta.get(SORT, sort), hidden)
    said = [(name, getattr(record, name)) for name in _WORDS if hasattr(record, name)]
    for name, words in said:
        if not isinstance(words, str):
            raise InvalidInput(f"{name} is a text, not {reprlib.repr(words)}")
    record_id = identifier(record.id, "id") if record.id else ""
    if isinstance(record, Entity):
        meta.setdefault(PROPERTIES, {})  # as one of the graph that a caller knows: it is not pruned
    return through(replace(record, scope=scope, id=record_id, text=text, meta=meta, recorded=None), hidden)


def _named(record: Record, again: int) -> Record:
    """The record under its id, or under one that is the same whenever the same is written: by whoever, at once."""
    if record.id:
        return record
    valid = record.valid
    when = "" if valid is None else "/".join(end.isoformat() if end else "" for end in (valid.start, valid.end))
    said = (record.kind, record.text, str(record.meta.get(SORT, "")), when, str(again))
    return replace(record, id=derived_id("authored", *said, *_triple(record)))


def _triple(record: Record) -> tuple[str, ...]:
    return (record.subject, record.predicate, record.object) if isinstance(record, Fact) else ()


def _stands(given: Record, made: Record, written: Written) -> bool:
    """Whether what was given stands under the id it was made for: a record that was revised says something else."""
    known = written.present.get(made.id)
    return made.id not in written.erased and (known is None or bool(given.id) or _said(known) == _said(made))


def _said(record: Record) -> tuple[Any, ...]:
    """What has to be the same for two records to be one."""
    valid = told(record) if isinstance(record, Fact) else record.valid
    ends = (valid.start, valid.end) if valid is not None else ()
    # As moments of UTC: times of different zones are never equal in the hour that a clock is put back.
    when = tuple(end and end.astimezone(UTC) for end in ends)
    return record.kind, record.text, record.meta.get(SORT, ""), when, _triple(record)
