"""NeuroMemory's dicts from fabula's records, and fabula's records from its memory types; knows no memory to ask.

Times are ISO 8601 text with their zone, importance is 1 to 10, what is not known is `None`.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any, Final, TypeAlias, cast

from fabula import Access, Emotion, Fact, Frame, Hit, Insight, Interval, InvalidInput, Passage, Record
from fabula.checking import aware
from fabula.narrowing import edge
from fabula.remember import plain
from fabula.render import day, last_before, shown
from fabula.surroundings import over
from fabula.text import identifier, script
from fabula.types import CREATED, FILE_SESSION, INTERNAL, SORT, TAGGED, Kind

Shape: TypeAlias = dict[str, Any]
MEMORIES: Final[tuple[Kind, ...]] = ("fact", "frame", "insight")
GIVEN: Final = TAGGED
"""The key of a record's `meta` under which the metadata that a caller gave is kept, as given."""
FELT: Final = 0.2
"""How far from neutral a valence has to be, for a sentiment to be told."""
UNFELT: Final = 0.5
"""The arousal of what says none."""
_KINDS: Final[Mapping[str, Kind]] = {"fact": "fact", "episodic": "frame", "insight": "insight"}
_KEYS: Final = ("content", "memory_type", "metadata", "occurred_at")
_PLAIN: Final = (str, int, float, type(None))
_SAID: Final = ("conversation", "document")


def kinds_of(memory_type: str | None) -> tuple[tuple[Kind, ...], str | None]:
    """Return the kinds of record that a memory type means, and the sort within them; `None`: every memory.

    Raises `InvalidInput` for a blank one.
    """
    if memory_type is None:
        return MEMORIES, None
    name = identifier(memory_type, "memory_type")
    if name in _KINDS:
        return (_KINDS[name],), "" if name == "fact" else None
    return (("passage",), None) if name in _SAID else (("fact",), name)


def wanted(filters: Mapping[str, Any] | None, kinds: Sequence[Kind]) -> Mapping[str, Any] | None:
    """Return the metadata that memories have to have.

    Raises `InvalidInput` for what is no plain JSON, and where only messages are asked for.
    """
    if filters is None:
        return None
    if not isinstance(filters, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"filters is a dict, not {type(filters).__name__}")
    if odd := [key for key in filters if not isinstance(key, str)]:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a key of filters is text, not {reprlib.repr(odd[0])}")
    filters = plain(filters, str, "filters")
    if filters and tuple(kinds) == ("passage",):
        raise InvalidInput("filters are of the metadata of memories, not of what was said or uploaded")
    return filters


def memory_type(record: Record) -> str:
    """Return the memory type of a record."""
    if isinstance(record, Passage):
        return "document" if record.session.startswith(FILE_SESSION) else "conversation"
    if isinstance(record, Frame):
        return "episodic"
    return "insight" if isinstance(record, Insight) else str(record.meta.get(SORT) or "fact")


def remembered(record: Record) -> bool:
    """Return whether a record is a memory or was said: no setting, no node and no edge that `graph` was given."""
    return isinstance(record, Passage) or (record.kind in MEMORIES and not edge(record))


def changeable(record: Record) -> None:
    """Raise `InvalidInput` for what was said or uploaded: it is kept word for word."""
    if isinstance(record, Passage):
        what = "the text of a file" if memory_type(record) == "document" else "a message"
        raise InvalidInput(f"{record.id!r} is {what}: that is kept word for word and cannot be changed")


def record(
    user_id: str, content: str, kind: str, metadata: Mapping[str, Any] | None, occurred: datetime | str | None
) -> Fact | Frame | Insight:
    """Return the record a caller's memory is kept as.

    `importance` and `emotion` of the metadata count where they can be read; the metadata is kept as it is given.
    """
    if not isinstance(content, str) or not content.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput("a memory has a content, which is not blank")
    (made,), sort = kinds_of(identifier(kind, "memory_type"))
    if made == "passage":
        raise InvalidInput(
            f"what was said is added to a conversation, and files are uploaded: not a memory of {kind!r}"
        )
    common: Shape = {
        "scope": user_id,
        "id": "",
        "text": content,
        "valid": None if occurred is None else Interval.at(aware(occurred)),
        **weights(metadata),
    }
    common["meta"] = ({GIVEN: dict(metadata)} if metadata else {}) | ({SORT: sort} if sort else {})
    if made == "insight":
        category = (metadata or {}).get("category", "")
        return Insight(**common, category=category if isinstance(category, str) else "")
    return Frame(**common) if made == "frame" else Fact(**common)


def records(user_id: str, memories: Iterable[Mapping[str, Any]]) -> list[Fact | Frame | Insight]:
    """Return the records of many memories, each `{content, memory_type?, metadata?, occurred_at?}`.

    Raises `InvalidInput`, which says the place of the one that cannot be meant.
    """
    given: Any = memories
    if not isinstance(given, Iterable) or isinstance(given, Mapping | str | bytes):
        raise InvalidInput(f"memories are a list of dicts, not {type(memories).__name__}")
    made: list[Fact | Frame | Insight] = []
    for place, one in enumerate(cast(Iterable[Any], given)):
        try:
            made.append(_given(user_id, one))
        except InvalidInput as error:
            raise InvalidInput(f"memory {place}: {error}") from None
    return made


def _given(user_id: str, one: Any) -> Fact | Frame | Insight:
    if not isinstance(one, Mapping):
        raise InvalidInput(f"a memory is a dict, not {type(one).__name__}")
    told = cast(Mapping[str, Any], one)
    if unknown := told.keys() - _KEYS:
        raise InvalidInput(f"a memory has {', '.join(_KEYS)}, not {', '.join(sorted(map(repr, unknown)))}")
    kind, occurred = told.get("memory_type", "general"), told.get("occurred_at")
    return record(user_id, told.get("content", ""), kind, told.get("metadata"), occurred)


def weights(metadata: Mapping[str, Any] | None) -> Shape:
    """Return the importance (0–1) and emotion that metadata tells; what is no number tells neither."""
    if not isinstance(metadata, Mapping | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"metadata is a dict, not {type(metadata).__name__}")
    given = plain(metadata or {}, str, "metadata")
    importance = _number(given.get("importance"), 1, 10)
    told: Any = given.get("emotion")
    felt = cast(Mapping[str, Any], told if isinstance(told, Mapping) else {})
    valence = _number(felt.get("valence"), -1, 1)
    arousal = _number(felt.get("arousal"), 0, 1)
    label = felt.get("label")
    emotion = None
    if valence is not None or arousal is not None:
        calm = UNFELT if arousal is None else arousal
        emotion = Emotion(valence=valence or 0.0, arousal=calm, label=label if isinstance(label, str) else "")
    return {"importance": 0.5 if importance is None else importance / 10, "emotion": emotion}


def merge(meta: Mapping[str, Any], given: Mapping[str, Any]) -> Shape:
    """Return a record's `meta` with further metadata of a caller's in it, key by key."""
    return {**meta, GIVEN: {**meta.get(GIVEN, {}), **given}}


def _number(value: Any, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return float(min(max(value, low), high))


def emotion(felt: Emotion) -> Shape:
    """Return how something felt; `estimated` where no model and no caller said so."""
    told: Shape = {"label": felt.label, "valence": round(felt.valence, 3), "arousal": round(felt.arousal, 3)}
    return told | ({"estimated": True} if felt.estimated else {})


def metadata(record: Record, felt: Emotion | None = None) -> Shape:
    """Return a record's metadata: what the caller gave, with the importance that counts and how it felt."""
    given = record.meta.get(GIVEN, {}) if not isinstance(record, Passage) else dict(record.meta)
    importance = round(record.importance * 10, 2)
    felt = record.emotion or felt
    ours = {"importance", "emotion"} if felt is not None else {"importance"}
    # A copy to the last list: others are handed the same record.
    told: Shape = {
        key: value if key in ours or isinstance(value, _PLAIN) else deepcopy(value)
        for key, value in given.items()
        if not key.startswith(INTERNAL)
    }
    told["importance"] = int(importance) if importance == int(importance) else importance
    if felt is not None:
        told["emotion"] = emotion(felt)
    if isinstance(record, Insight) and record.category:
        told.setdefault("category", record.category)
    return told


def created_at(record: Record) -> str | None:
    """Return when a memory was first written, or a message said."""
    if isinstance(record, Passage):
        return moment(record.time)
    return record.meta.get(CREATED) or moment(record.recorded.start if record.recorded else None)


def memory(record: Record, access: Access | None = None) -> Shape:
    """Return a memory in full."""
    return {
        "id": record.id,
        "user_id": record.scope,
        "content": text(record),
        "memory_type": memory_type(record),
        "metadata": metadata(record),
        "created_at": created_at(record),
        "updated_at": moment(record.recorded.start if record.recorded else None),
        "occurred_at": moment(record.begun),
        "valid_from": moment(record.valid.start if record.valid else None),
        "valid_to": moment(record.valid.end if record.valid else None),
        "status": record.status,
        "source_ids": list(record.sources),
        "access_count": access.count if access else 0,
        "last_accessed_at": moment(access.last if access else None),
    }


def believed(record: Record) -> Shape:
    """Return when a version of a memory was believed; `recorded_to` is `None` while it still is."""
    start, end = (record.recorded.start, record.recorded.end) if record.recorded else (None, None)
    return {"recorded_from": moment(start), "recorded_to": moment(end)}


def found(hit: Hit) -> Shape:
    """Return what `search` found: its `score` is the cosine."""
    record = hit.record
    return {
        "id": record.id,
        "content": text(record),
        "memory_type": memory_type(record),
        "metadata": metadata(record),
        "created_at": created_at(record),
        "score": hit.score,
    }


def source(record: Record) -> str:
    """Return where `recall` has a record from: `conversation`, `graph` or `vector`."""
    if memory_type(record) == "conversation":
        return "conversation"
    return "graph" if edge(record) else "vector"


def merged(hit: Hit, now: datetime) -> Shape:
    """Return what `recall` brought back, and until when it held if it holds no longer `now`.

    Its `score` is the product of the factors in `parts`.
    """
    record = hit.record
    return {
        "id": record.id,
        "content": _prefixed(record, record.emotion or hit.emotion) + _ended(record, now),
        "text": text(record),
        "source": source(record),
        "memory_type": memory_type(record),
        "score": hit.score,
        "metadata": metadata(record, hit.emotion),
        "created_at": created_at(record),
        "occurred_at": moment(record.begun),
        **({"speaker": record.speaker, "session_id": record.session} if isinstance(record, Passage) else {}),
        "parts": {name: hit.parts[name] for name in ("relevance", "recency", "importance") if name in hit.parts},
    }


def text(record: Record) -> str:
    """Return what a record says; of a message also what its pictures are called."""
    return shown(record) if isinstance(record, Passage) else record.text


def _prefixed(record: Record, felt: Emotion | None) -> str:
    """The text behind its date, as exact as it is known, and its sentiment where it has one."""
    mood = "" if felt is None or abs(felt.valence) < FELT else "positive" if felt.valence > 0 else "negative"
    told = " | ".join(part for part in (_date(record), mood and f"sentiment: {mood}") if part)
    said = text(record)
    if isinstance(record, Passage) and record.speaker != "user":
        said = f"{record.speaker}: {said}"
    return f"[{told}] {said}" if told else said


def _ended(record: Record, now: datetime) -> str:
    """Until when a fact held that holds no longer, said in the language of its text."""
    if not isinstance(record, Fact) or not over(record, now):
        return ""
    chinese = script(record.text) == "han"
    if record.valid is None or record.valid.end is None:
        return "（已不再如此）" if chinese else " (no longer so)"
    last = day(last_before(record.valid.end), record.valid.precision)
    return f"（至 {last}）" if chinese else f" (until {last})"


def _date(record: Record) -> str:
    """When a record happened or began to hold, or else was recorded: 2025, 2025-03 or 2025-03-01."""
    valid = record.valid or record.recorded
    begun = None if valid is None else valid.start or valid.end
    if begun is None or valid is None:
        return ""
    return day(begun, valid.precision)


def moment(when: datetime | None) -> str | None:
    """Return a time as ISO 8601 text."""
    return None if when is None else when.isoformat()
