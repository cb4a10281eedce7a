"""NeuroMemory's messages from fabula's passages, and a fabula message from what a caller says; knows no memory to ask.

Times are ISO 8601 text with their zone.
"""

from __future__ import annotations

import reprlib
from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast

from fabula import Image, InvalidInput, Message, Passage
from fabula.abc import Pending
from fabula.remember import plain
from fabula.text import identifier
from fabula.types import FILE_SESSION, INTERNAL

DEFAULT: Final = "default"
"""The session of messages without one."""
EXTRAS: Final = ("name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations")
"""What a message of OpenAI's API has beside role and content; it is kept in the metadata."""
KNOWN: Final = ("role", "content", "metadata", "message_id", "id", "created_at", *EXTRAS)
"""What a message in a batch may have."""
TOLD: Final = ("user_id", "session_id", "images", "status", "attempts", "error", "score")
"""What `shape` adds to it: a message that was read may be given back."""


def session(given: Any) -> str:
    """Return the session that is meant, `DEFAULT` for `None`. Raises `InvalidInput`."""
    name = DEFAULT if given is None else identifier(given, "session_id")
    if name.startswith(FILE_SESSION):
        raise InvalidInput(f"session ids that begin with {FILE_SESSION!r} are those of files: {name!r}")
    return name


def message(
    role: Any, content: Any, session_id: str, metadata: Any = None, message_id: Any = None, created_at: Any = None,
) -> Message:  # fmt: skip
    """Return a message; its content is text, `None` (as beside tool calls) or a list of OpenAI's content parts.

    Pictures among the parts become images, whatever else is no text is noted in the metadata as `attachments`.
    Raises `InvalidInput`.
    """
    if not isinstance(metadata, Mapping | None):
        raise InvalidInput(f"metadata is a dict, not {type(metadata).__name__}")
    if not isinstance(created_at, datetime | str | None):
        raise InvalidInput(f"created_at is a datetime or ISO 8601 text, not {type(created_at).__name__}")
    meta = plain(metadata or {}, str, "metadata")
    reserved = [key for key in meta if str(key).startswith(INTERNAL)]
    if reserved:
        raise InvalidInput(f"keys of metadata that begin with {INTERNAL!r} are reserved: {reserved[0]!r}")
    text, images, others = _parts(content)
    if others:
        noted = meta.get("attachments", [])
        if not isinstance(noted, list):
            raise InvalidInput(f"attachments in metadata are a list, not {reprlib.repr(noted)}")
        meta["attachments"] = [*cast(list[Any], noted), *others]
    return Message(
        text, role=identifier(role, "role"), session=session_id, id=message_id, time=created_at, images=images,
        meta=meta,
    )  # fmt: skip


def batched(given: Any, session_id: str) -> Message:
    """Return the message that a dict of a batch stands for. Raises `InvalidInput`, naming what is odd."""
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a message is a dict with role and content, not {type(given).__name__}")
    found = cast(Mapping[str, Any], given)
    unknown = [str(key) for key in found if key not in (*KNOWN, *TOLD)]
    missing = [
        key for key in ("role", "content") if key not in found and not (key == "content" and "tool_calls" in found)
    ]
    if unknown or missing:
        what = f"has no {missing[0]}" if missing else f"has an unknown {unknown[0]!r}"
        raise InvalidInput(f"a message {what}: known are {', '.join(KNOWN)}")
    metadata = found.get("metadata")
    extras = {key: found[key] for key in EXTRAS if found.get(key) is not None}
    if extras and isinstance(metadata, Mapping | None):
        metadata = {**cast(Mapping[str, Any], metadata or {}), **extras}
    own = found.get("message_id", found.get("id"))
    return message(found["role"], found.get("content"), session_id, metadata, own, found.get("created_at"))


def shape(passage: Passage, work: Pending | None = None) -> dict[str, Any]:
    """Return a passage as NeuroMemory tells of a message; `work` is its extraction where that is left to do."""
    done = "empty" if passage.blank else "extracted"
    status = done if work is None else "failed" if work.error else "pending"
    told = {
        "id": passage.id,
        "message_id": passage.ref,
        "user_id": passage.scope,
        "session_id": passage.session,
        "role": passage.role,
        "content": passage.text,
        "metadata": {key: value for key, value in passage.meta.items() if not key.startswith(INTERNAL)},
        "created_at": None if passage.time is None else passage.time.isoformat(),
        "status": status,
        "attempts": work.attempts if work is not None else 0,
        "error": work.error if work is not None else "",
    }
    images = [{"caption": i.caption, "url": i.url, "name": i.name, "media": i.media} for i in passage.images]
    return {**told, "images": images} if images else told


def _parts(content: Any) -> tuple[str, tuple[Image, ...], list[dict[str, Any]]]:
    """The text of a content, its pictures, and what else is in it."""
    if content is None:
        return "", (), []
    if isinstance(content, str):
        return content, (), []
    if not isinstance(content, list | tuple):
        raise InvalidInput(f"content is text, None or a list of parts, not {reprlib.repr(content)}")
    texts: list[str] = []
    images: list[Image] = []
    others: list[dict[str, Any]] = []
    for part in cast(list[Any], content):
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, Mapping):
            raise InvalidInput(f"a part of a content is a dict with a type, not {reprlib.repr(part)}")
        piece = cast(Mapping[str, Any], part)
        kind = str(piece.get("type", ""))
        if isinstance(words := piece.get("text"), str):
            texts.append(words)
        elif kind in ("image_url", "input_image", "image") and (image := _image(piece)) is not None:
            images.append(image)
        else:
            others.append({"type": kind or "unknown"})
    return "\n".join(texts), tuple(images), others


def _image(part: Mapping[str, Any]) -> Image | None:
    """The picture of a part: its address, or itself where a data URL holds one that can be kept."""
    given = part.get("image_url", part.get("url"))
    address = cast(Mapping[str, Any], given).get("url") if isinstance(given, Mapping) else given
    if not isinstance(address, str) or not address.strip():
        return None
    head, comma, data = address.partition(",")
    if head[:5].lower() != "data:":
        return Image(url=address)
    try:
        return Image(data=b64decode(data, validate=True)) if comma and head.endswith(";base64") and data else None
    except ValueError:  # no base64, not even ASCII, or no picture
        return None
