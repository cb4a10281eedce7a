"""Read conversations that were kept elsewhere into messages: LoCoMo, OpenAI chats and JSON lines.

It knows no memory and writes nothing. A file that cannot be read at all is an error; a single bad item is left
out and accounted for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, TypeGuard

from fabula.checking import aware
from fabula.errors import InvalidInput
from fabula.text import clean, identifier, mask
from fabula.types import Image, Message

Format = Literal["auto", "locomo", "openai", "jsonl"]
Items = Iterable[tuple[str, Any]]
"""What stands in a file, each item with its place for a person: `line 12`."""

_SESSION: Final = re.compile(r"session_[0-9]+")
_LOCOMO_TIME: Final = "%I:%M %p on %d %B, %Y"
_MILLISECONDS: Final = 1e11
"""Seconds since the epoch stay below it until the year 5138; milliseconds are above it since 1973."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Skipped:
    """An item that was left out: where it stands, and why."""

    place: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """Messages in order. `name` is the conversation's own, empty where the file holds only one without a name."""

    name: str = ""
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Export:
    """What a file holds, ready to be remembered."""

    format: Format
    conversations: tuple[Conversation, ...]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    """What came along in another shape than it stood there."""
    undated: int = 0
    """How many messages said no time of their own."""


def read(path: Path) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with a byte order mark; raises `InvalidInput`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from None
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: byte {error.start} does not belong to any") from None
    if not text.strip():
        raise InvalidInput(f"{path} is empty")
    return text


def parse(text: str, format_: Format = "auto", *, session: str = "default") -> Export:
    """Return the conversations of an export.

    `session` is given to messages of formats that know no sessions. A message without a time of its own is taken
    to be said with the one before it in its session; where there is none, `time` stays `None`. A message without
    an id gets one made from all that stands before it and itself, so that the same file, or a longer one, adds
    nothing twice.

    Raises `InvalidInput` for a text that is of no known format, broken, or without any message.
    """
    if format_ == "auto":
        chosen, data = _guessed(text)
    else:
        chosen, data = format_, _lines(text) if format_ == "jsonl" else _whole(text)
    reader = _Reader(session)
    if chosen == "jsonl":
        conversations = [Conversation(messages=tuple(reader.messages(data, _from_line)))]
    elif chosen == "openai":
        conversations = [_openai(data, reader)]
    else:
        conversations = _locomo(data, reader)
    if not any(conversation.messages for conversation in conversations):
        first = f": {reader.skipped[0].place}: {reader.skipped[0].why}" if reader.skipped else ""
        raise InvalidInput(f"no message to import{first}")
    return Export(
        format=chosen,
        conversations=tuple(conversations),
        skipped=tuple(reader.skipped),
        notes=tuple(reader.notes),
        undated=reader.undated,
    )


# --- which format ------------------------------------------------------------------------------------------------


def _guessed(text: str) -> tuple[Format, Any]:
    data: Any = None
    try:
        data = _whole(text)
    except InvalidInput as error:
        lines = _lines(text)
        if any(_is_object(item) for _, item in lines[:20]):
            return "jsonl", lines
        raise InvalidInput(f"no known format: {error}, and not a JSON object a line") from None
    if data in ([], {}):
        raise InvalidInput("no message to import")
    several = _is_list(data)
    first: Any = data[0] if several else data
    if _is_object(first):
        if "conversation" in first:
            return "locomo", data
        chat: Any = data if several else first.get("messages")
        if _is_list(chat) and any(_is_object(item) and "role" in item for item in chat):
            return "openai", data
        if "content" in first or "text" in first:
            return "jsonl", _numbered("item", data) if several else _lines(text)
    raise InvalidInput("no known format: JSON, but neither LoCoMo conversations nor messages with a role and content")


def _whole(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"broken JSON at line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:  # a number of thousands of digits
        raise InvalidInput(f"broken JSON: {error}") from None
    except RecursionError:
        raise InvalidInput("the JSON is nested too deeply") from None


def _lines(text: str) -> list[tuple[str, Any]]:
    """One value a line; a broken line gives the error in its place."""
    found: list[tuple[str, Any]] = []
    # Not splitlines: it also breaks at U+2028 and others, which stand unescaped inside JSON texts.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                item = _whole(line.strip("\ufeff \t\r"))
            except InvalidInput as error:
                item = InvalidInput(re.sub(r" at line 1, column (\d+)", r" at column \1", str(error)))
            found.append((f"line {number}", item))
    return found


def _is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list | tuple)


def _numbered(word: str, items: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(f"{word} {number}", item) for number, item in enumerate(items, 1)]


# --- items to messages -------------------------------------------------------------------------------------------


class _Reader:
    """What is the same for every format: bad items left out, ids made up, missing times filled in."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.skipped: list[Skipped] = []
        self.notes: list[str] = []
        self.undated = 0

    def messages(
        self, items: Items, make: Callable[[Mapping[str, Any]], dict[str, Any]], start: datetime | None = None
    ) -> Iterator[Message]:
        """Turn items into messages; `make` names the fields of one, `start` is the time before the first."""
        last: dict[str, datetime] = {}
        before = ""
        for place, item in items:
            try:
                message = _message({"session": self.session, **make(_object(item))})
            except InvalidInput as error:
                self.skipped.append(Skipped(place=place, why=str(error)))
                continue
            time = None if message.time is None else aware(message.time)
            if time is None:
                self.undated += 1
                time = last.get(message.session, start)
            if time is not None:
                last[message.session] = time
            before = _chained(before, message)
            yield replace(message, time=time, id=message.id or f"import-{before}")


def _chained(before: str, message: Message) -> str:
    # Masked first: no trace of a secret may stay in an id, from which it could be guessed.
    said = [mask(clean(message.content))[0], message.speaker, message.role, message.session]
    return blake2b(json.dumps([before, *said]).encode(), digest_size=16).hexdigest()


def _object(item: Any) -> Mapping[str, Any]:
    if isinstance(item, InvalidInput):
        raise item
    if not _is_object(item):
        raise InvalidInput(f"a message is a JSON object, not {_named(item)}")
    return item


def _named(value: Any) -> str:
    names = {"dict": "an object", "list": "a list", "str": "text", "bool": "true or false", "NoneType": "null"}
    return names.get(type(value).__name__, "a number")


def _message(fields: Mapping[str, Any]) -> Message:
    """Return a message whose every field is what `remember` takes, so that no batch fails for one item."""
    message = Message(
        _text(fields.get("content"), "content"),
        speaker=None if fields.get("speaker") is None else _text(fields["speaker"], "speaker"),
        role="user" if fields.get("role") is None else identifier(fields["role"], "role"),
        time=_time(fields.get("time")),
        id=_id(fields.get("id")),
        session="default" if fields.get("session") is None else identifier(fields["session"], "session"),
        images=_images(fields.get("images")),
        meta=fields.get("meta") or {},
    )
    try:
        if not _is_object(message.meta):
            raise InvalidInput(f"meta is an object, not {_named(message.meta)}")
        json.dumps(message.meta, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(str(error)) from None
    return message


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{what} is {'missing' if value is None else f'text, not {_named(value)}'}")
    return value


def _id(value: Any) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None if value is None else identifier(value, "id", longest=None)


def _time(value: Any) -> datetime | None:
    """ISO 8601 text, or seconds or milliseconds since the epoch."""
    if value is None or value == "":
        return None
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        return aware(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"a time is ISO 8601 text or a number of seconds, not {_named(value)}")
    try:
        return datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        raise InvalidInput(f"no time: {value}") from None


def _images(value: Any) -> tuple[Image, ...]:
    if value is None:
        return ()
    if not _is_list(value):
        raise InvalidInput(f"images is a list, not {_named(value)}")
    return tuple(_image(item) for item in value)


def _image(item: Any) -> Image:
    if isinstance(item, Image):
        return item
    if isinstance(item, str):
        return Image(url=_link(item))
    if not _is_object(item):
        raise InvalidInput(f"an image is a URL or an object, not {_named(item)}")
    caption, url, name = (_text(item.get(key) or "", f"image {key}") for key in ("caption", "url", "name"))
    return Image(caption=caption, url=_link(url), name=name)


def _link(url: str) -> str:
    """A picture that stands inside its own URL would be kept as megabytes of text: its type is enough."""
    return url.partition(",")[0].partition(";")[0] if url.startswith("data:") else url


# --- the formats -------------------------------------------------------------------------------------------------


def _from_line(item: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "content": item.get("content") if "content" in item else item.get("text"),
        "speaker": item.get("speaker"),
        "role": item.get("role"),
        "time": item.get("time") if item.get("time") is not None else item.get("timestamp"),
        "id": item.get("id"),
        "images": item.get("images"),
        "meta": item.get("meta"),
        **({"session": item["session"]} if item.get("session") is not None else {}),
    }


def _openai(data: Any, reader: _Reader) -> Conversation:
    """Messages of a chat: a list, or an object that holds it under `messages`."""
    items = data.get("messages") if _is_object(data) else data
    if not _is_list(items):
        raise InvalidInput('an OpenAI chat is a list of messages or {"messages": […]}')
    left: Counter[str] = Counter()
    messages = reader.messages(_numbered("message", items), lambda item: _from_openai(item, left))
    conversation = Conversation(messages=tuple(messages))
    reader.notes += [f"{count} part(s) of type {kind} could not be kept" for kind, count in sorted(left.items())]
    return conversation


def _from_openai(item: Mapping[str, Any], left: Counter[str]) -> dict[str, Any]:
    if item.get("role") is None:
        raise InvalidInput("role is missing")
    content, images = item.get("content"), ()
    if _is_list(content):
        content, images = _parts(content, left)
    if content is None and ("content" in item or item.get("tool_calls")):  # a reply that calls tools, or refuses
        content = item.get("refusal") or ""
    kept = ("tool_calls", "tool_call_id")
    return {
        "content": content,
        "speaker": item.get("name"),
        "role": item["role"],
        "images": images,
        "meta": {key: item[key] for key in kept if item.get(key)},
    }


def _parts(parts: list[Any], left: Counter[str]) -> tuple[str, tuple[Image, ...]]:
    text, images = "", list[Image]()
    for part in parts:
        part = {"type": "text", "text": part} if isinstance(part, str) else _object(part)
        kind = str(part.get("type", ""))
        if kind in ("text", "input_text", "output_text", "refusal"):
            piece = _text(part.get("refusal" if kind == "refusal" else "text"), "the text of a part")
            text += ("\n" if text and not text[-1].isspace() else "") + piece
        elif kind in ("image_url", "input_image"):
            link: Any = part.get("image_url")
            url = link.get("url") if _is_object(link) else link
            images.append(Image(url=_link(_text(url, "image_url"))))
        else:
            left[kind or "unknown"] += 1
    return text, tuple(images)


def _locomo(data: Any, reader: _Reader) -> list[Conversation]:
    """Conversations between two people, in dated sessions (Maharana et al. 2024)."""
    samples = data if _is_list(data) else [data]
    found: list[Conversation] = []
    for number, sample in enumerate(samples, 1):
        talk: Any = sample.get("conversation") if _is_object(sample) else None
        if not _is_object(talk):
            reader.skipped.append(Skipped(place=f"conversation {number}", why="it has no object `conversation`"))
            continue
        name = str(sample.get("sample_id") or number)
        found.append(Conversation(name=name, messages=tuple(_sessions(name, talk, reader))))
    return found


def _sessions(name: str, talk: Mapping[str, Any], reader: _Reader) -> Iterator[Message]:
    for session in sorted(filter(_SESSION.fullmatch, talk), key=lambda key: int(key.removeprefix("session_"))):
        turns = talk[session]
        if not _is_list(turns):
            reader.skipped.append(Skipped(place=f"{name}, {session}", why=f"turns are a list, not {_named(turns)}"))
            continue
        start: datetime | None = None
        try:
            start = _locomo_time(talk.get(f"{session}_date_time"))
        except ValueError:
            reader.notes.append(f"{name}, {session}: no date that can be read")
        items = [(f"{name}, {session}, turn {i}", turn) for i, turn in enumerate(turns, 1)]
        yield from reader.messages(items, _Turns(session, start))


class _Turns:
    """Names the fields of the turns of one session, a second apart."""

    def __init__(self, session: str, start: datetime | None) -> None:
        self._session, self._next = session, start

    def __call__(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        time = self._next
        if time is not None:
            self._next = time + timedelta(seconds=1)
        links: Any = turn.get("img_url") or []
        caption: Any = turn.get("blip_caption") or ""
        pictures: list[Any] = links if _is_list(links) else [links]
        if caption and not pictures:
            pictures = [""]
        images = [{"url": url, "caption": caption if i == 0 else ""} for i, url in enumerate(pictures)]
        return {
            "content": turn.get("text") if turn.get("text") is not None or not images else "",
            "speaker": turn.get("speaker"),
            "time": time,
            "id": turn.get("dia_id"),
            "session": self._session,
            "images": images,
        }


def _locomo_time(said: Any) -> datetime:
    """`1:56 pm on 8 May, 2023`, taken as UTC; raises `ValueError`."""
    return datetime.strptime(" ".join(str(said).split()), _LOCOMO_TIME).replace(tzinfo=UTC)
