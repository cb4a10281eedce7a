"""Puts together the answer of a host that streams though it was asked for a whole one; knows no host and no request."""

from __future__ import annotations

import json
import re
from typing import Any, Final, cast

_DATA: Final = "data:"
_LINE: Final = re.compile(r"\r\n|\n|\r")
"""What ends a line of a stream; other line breaks are of its texts."""
_DONE: Final = "[DONE]"


def whole(stream: str) -> dict[str, Any] | None:
    """Return the chat completion that the events of a stream are pieces of; `None` where the text is no stream.

    The events are those of OpenAI's API (`text/event-stream`); of the first choice only, and without what a model
    thought on the way. An event that tells of an error is returned as it is. Raises `ValueError` where the stream ends
    before the answer does.
    """
    lines = _LINE.split(stream)
    events = [line[len(_DATA) :].strip() for line in lines if line.startswith(_DATA)]
    if not events:
        return None
    told: dict[str, Any] = {}
    said: dict[str, str] = {"content": "", "refusal": ""}
    end: Any = None
    done = False
    for event in events:
        if done := done or event == _DONE:
            break
        piece = _dict(json.loads(event))  # half an event is a ValueError too
        if piece.get("error"):
            return piece
        told |= {name: piece[name] for name in ("model", "usage") if piece.get(name)}
        for choice in cast(list[Any], piece.get("choices") or []):
            if _dict(choice).get("index", 0) == 0:
                delta = _dict(choice.get("delta"))
                said = {name: text + _text(delta.get(name)) for name, text in said.items()}
                end = choice.get("finish_reason") or end
    if not done and end is None:
        raise ValueError("a stream that breaks off")
    return {**told, "choices": [{"message": said, "finish_reason": end}]}


def _dict(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
