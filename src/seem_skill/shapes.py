"""SEEM's dicts from fabula's records, and a fabula message from SEEM's observation; knows no memory to ask.

Times are ISO 8601 text with their zone. What was not said is an empty text, what is not known is `None`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias, cast

from fabula import Event, Fact, Frame, Interval, InvalidInput, Message, Passage
from fabula.render import shown, spoken
from fabula.types import ROLES
from seem_skill import pictures

Shape: TypeAlias = dict[str, Any]
TEXTS: Final = ("text", "speaker", "dialogue_id", "image_path", "image_url", "image_id", "image_caption")


def texts(given: Any, names: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """Return those of `names` in a dict that are not blank; raises `InvalidInput`, naming unknown keys."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"expected a dict with {', '.join((*names, *others))}, not {type(given).__name__}")
    found = cast(Mapping[str, Any], given)
    unknown = [str(key) for key in found if key not in (*names, *others)]
    if unknown:
        raise InvalidInput(f"unknown: {', '.join(unknown)}; known are {', '.join((*names, *others))}")
    odd = [name for name in names if not isinstance(found.get(name), str | None)]
    if odd:
        raise InvalidInput(f"{odd[0]} is text, not {type(found[odd[0]]).__name__}")
    return {name: found[name] for name in names if (found.get(name) or "").strip()}


def message(observation: Mapping[str, Any]) -> Message:
    """Return the message an observation stands for; raises `InvalidInput` for one that cannot be meant."""
    told = texts(observation, TEXTS, ("image", "timestamp", "metadata"))
    image = pictures.image(told, observation.get("image"))
    if "text" not in told and image is None:
        raise InvalidInput("an observation needs a text that is not blank, or an image")
    time, metadata = observation.get("timestamp"), observation.get("metadata")
    if not isinstance(time, str | datetime | None):
        raise InvalidInput(f"timestamp is ISO 8601 text or a datetime, not {type(time).__name__}")
    if not isinstance(metadata, Mapping | None):
        raise InvalidInput(f"metadata is a dict, not {type(metadata).__name__}")
    speaker = told.get("speaker", "user")
    return Message(
        told.get("text", ""),
        speaker=speaker,
        role=speaker if speaker in ROLES else "user",
        time=time,
        id=observation.get("dialogue_id"),  # not from `told`: a blank id is refused, not taken for none
        images=() if image is None else (image,),
        meta=cast(Mapping[str, Any], metadata or {}),
    )


def dialogue_id(turn: Passage) -> str:
    """Return the id a turn goes by: the caller's, or its memory id where none was given."""
    return turn.ref or turn.id


def memory(record: Frame | Passage, turns: Sequence[Passage], score: float | None) -> Shape:
    """Return a frame, or a turn that stands in no frame, as a memory; `turns` are what it was made from."""
    events = [event(one) for one in record.events] if isinstance(record, Frame) else []
    summary = record.text if isinstance(record, Frame) else _line(record)
    shown = [image for turn in turns for image in turn.images]
    return {
        "memory_id": record.id,
        "text": "\n".join(["[Structured Memory]", summary, *map(_told, events)]),
        "summary": summary,
        "events": events,
        "dialogue_id": dialogue_id(turns[0]) if turns else "",
        "dialogue_ids": [dialogue_id(turn) for turn in turns],
        "timestamp": _moment(turns[0].time) if turns else None,
        "score": score,
        "image": next((image.url or image.name or None for image in shown), None),
        "has_multimodal": bool(shown),
    }


def observed(told: Shape, chosen: Sequence[tuple[Passage, float | None, bool]]) -> Shape:
    """Return a memory with its chunks: turns, each with its score and whether it is backfilled."""
    observation = "\n".join(_line(turn) for turn, _, _ in chosen)
    chunks = [{**chunk(turn), "score": score, "backfilled": backfilled} for turn, score, backfilled in chosen]
    raw = f"\n\n[Original Observation]\n{observation}" if chosen else ""
    return {**told, "text": told["text"] + raw, "chunks": chunks}


def period(told: Shape) -> str | None:
    """Return when a memory with chunks was told: the first turn's time, with the last one's if that is another day."""
    first, last = told["timestamp"], told["chunks"][-1]["timestamp"]
    return f"{first}/{last}" if first and last and first[:10] != last[:10] else first


def chunk(turn: Passage) -> Shape:
    """Return a turn as a chunk."""
    return {
        "chunk_id": turn.id,
        "dialogue_id": dialogue_id(turn),
        "speaker": turn.speaker,
        "timestamp": _moment(turn.time),
        "text": shown(turn),
    }


def fact(record: Fact, score: float | None) -> Shape:
    """Return a fact; one without a triple is told whole by its `object`."""
    valid = record.valid or Interval()
    return {
        "subject": record.subject,
        "predicate": record.predicate,
        "object": record.object or record.text,
        "time": spoken(record.valid),
        "valid_from": _moment(valid.start),
        "valid_to": _moment(valid.end),
        "chunk_id": record.sources[0] if record.sources else "",
        "confidence": record.meta.get("confidence"),
        "score": score,
    }


def event(record: Event) -> Shape:
    """Return an event; its time is as exact as it was said (`2024-05`, `2024-05-07`)."""
    return {
        "participants": list(record.participants),
        "action": record.action,
        "time": spoken(record.time),
        "location": record.location,
        "reason": record.causality,
        "method": record.manner,
    }


def _told(one: Shape) -> str:
    parts = one | {"participants": ", ".join(one["participants"])}
    return "- " + "; ".join(f"{name}: {value}" for name, value in parts.items() if value)


def _line(turn: Passage) -> str:
    return f"{turn.speaker}: {shown(turn)}"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
