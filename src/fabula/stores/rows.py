"""Records as database rows and back; knows no SQL and no engine."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, Final

from fabula.checking import EPOCH
from fabula.errors import StoreUnavailable
from fabula.types import (
    Emotion,
    Entity,
    Event,
    Fact,
    Frame,
    Image,
    Insight,
    Interval,
    Kind,
    Note,
    Passage,
    Record,
)

MICROSECOND: Final = timedelta(microseconds=1)

KINDS: Final[Mapping[Kind, type[Record]]] = {
    record.kind: record for record in (Passage, Frame, Fact, Entity, Insight, Note)
}
_DEFAULTS: Final[dict[str, Any]] = {"ref": None, "role": "user", "category": "", "type": ""}


def now() -> int:
    """Return the current time in microseconds since the epoch."""
    return time.time_ns() // 1000


def micros(moment: datetime | None) -> int | None:
    """Return microseconds since the epoch."""
    return None if moment is None else (moment - EPOCH) // MICROSECOND


def moment(value: int | None, offset: float = 0) -> datetime | None:
    """Return the moment `value` microseconds after the epoch, `offset` seconds east of Greenwich."""
    if value is None:
        return None
    utc = EPOCH + value * MICROSECOND
    return utc.astimezone(timezone(timedelta(seconds=offset))) if offset else utc


def _offset(value: datetime | None) -> float:
    offset = value.utcoffset() if value is not None else None
    return offset.total_seconds() if offset else 0


def _pack_interval(interval: Interval | None) -> list[Any] | None:
    if interval is None:
        return None
    ends = [end and end.isoformat() for end in (interval.start, interval.end)]
    return [*ends, interval.precision]


def _unpack_interval(packed: Sequence[Any] | None) -> Interval | None:
    if packed is None:
        return None
    start, end, precision = packed
    return Interval(
        start=start and datetime.fromisoformat(start), end=end and datetime.fromisoformat(end), precision=precision
    )


def _pack_event(event: Event) -> dict[str, Any]:
    packed = {name: getattr(event, name) for name in ("participants", "action", "location", "causality", "manner")}
    return {**{k: v for k, v in packed.items() if v}, **({"time": _pack_interval(event.time)} if event.time else {})}


def _unpack_event(packed: Mapping[str, Any]) -> Event:
    roles: dict[str, Any] = {**packed, "participants": tuple(packed.get("participants", ()))}
    roles["time"] = _unpack_interval(packed.get("time"))
    return Event(**roles)


def key_of(record: Record) -> str | None:
    """Return what makes a record unique besides its id: a note's namespace and key."""
    return spelt(record.namespace, record.key) if isinstance(record, Note) else None


def spelt(namespace: str, key: str) -> str:
    """Return a namespace and a key as one text, which no other two have."""
    return json.dumps([namespace, key], ensure_ascii=False)


def pack(record: Record) -> str:
    """Return as JSON what has no column of its own."""
    data: dict[str, Any] = {}
    for name in ("ref", "role", "category", "type", "subject", "predicate", "object", "aliases"):
        value = getattr(record, name, None)
        if value and value != _DEFAULTS.get(name):
            data[name] = value
    if isinstance(record, Passage) and record.images:
        data["images"] = [
            [image.caption, image.url, image.name, *([image.media] if image.media else [])] for image in record.images
        ]
    if isinstance(record, Frame) and record.events:
        data["events"] = [_pack_event(event) for event in record.events]
    if isinstance(record, Note):
        data |= {"namespace": record.namespace, "key": record.key, "value": record.value}
    if record.emotion and not record.emotion.estimated:
        data["emotion"] = [record.emotion.valence, record.emotion.arousal, record.emotion.label]
    if record.sources:
        data["sources"] = record.sources
    if record.links:
        data["links"] = {kind: list(ids) for kind, ids in record.links.items()}
    if record.meta:
        data["meta"] = dict(record.meta)
    if record.valid and (zones := [_offset(record.valid.start), _offset(record.valid.end)]) != [0, 0]:
        data["zones"] = zones
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def repack(data: str, sources: Sequence[str]) -> str:
    """Return packed data with other sources."""
    return json.dumps({**json.loads(data), "sources": list(sources)}, ensure_ascii=False, separators=(",", ":"))


def to_row(record: Record, number: int, revision: int, at: int) -> dict[str, Any]:
    """Return the parameters of `insert_record`."""
    valid = record.valid or Interval(start=None, end=None)
    return {
        "scope": record.scope,
        "number": number,
        "id": record.id,
        "kind": record.kind,
        "key": key_of(record),
        "session": getattr(record, "session", None),
        "seq": record.seq if isinstance(record, Passage) else None,
        "speaker": getattr(record, "speaker", None),
        "status": record.status,
        "text": record.text,
        "data": pack(record),
        "importance": record.importance,
        "valid_from": micros(valid.start),
        "valid_to": micros(valid.end),
        "precision": record.valid and record.valid.precision,
        "recorded_from": at,
        "revision": revision,
    }


def from_row(scope: str, row: Sequence[Any]) -> Record:
    """Return the record in a row of the columns `statements.RECORD`."""
    (_, record_id, kind, _, session, seq, speaker, status, text, packed, importance,
     valid_from, valid_to, precision, recorded_from, recorded_to) = row  # fmt: skip
    if kind not in KINDS:
        raise StoreUnavailable(f"record {record_id} is of the unknown kind {kind!r}")
    data: dict[str, Any] = json.loads(packed)
    zones = data.pop("zones", (0, 0))
    valid = None
    if precision is not None:
        valid = Interval(start=moment(valid_from, zones[0]), end=moment(valid_to, zones[1]), precision=precision)
    emotion = data.pop("emotion", None)
    for name in ("aliases", "sources"):
        if name in data:
            data[name] = tuple(data[name])
    if "links" in data:
        data["links"] = {kind: tuple(ids) for kind, ids in data["links"].items()}
    if kind == "passage":
        data |= {"session": session, "seq": seq, "speaker": speaker}
        data["images"] = tuple(
            Image(caption=caption, url=url, name=name, media=media[0] if media else "")
            for caption, url, name, *media in data.get("images", ())
        )
    elif kind == "frame":
        data["session"] = session
        data["events"] = tuple(_unpack_event(event) for event in data.get("events", ()))
    return KINDS[kind](
        scope=scope,
        id=record_id,
        text=text,
        status=status,
        importance=importance,
        emotion=emotion and Emotion(valence=emotion[0], arousal=emotion[1], label=emotion[2]),
        valid=valid,
        recorded=Interval(start=moment(recorded_from), end=moment(recorded_to)),
        **data,
    )
