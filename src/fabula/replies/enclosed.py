"""The JSON in a model's text, with what stands around it; knows nothing of what it means."""

from __future__ import annotations

import importlib
import json
import logging
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias, cast

from fabula.errors import ProviderBadReply

_log = logging.getLogger(__name__)

Json: TypeAlias = list[Any] | dict[str, Any]

_TAG: Final = r"(?:think|thinking|thought|reasoning)"
_THOUGHT_BEGUN: Final = re.compile(rf"<{_TAG}>.*", re.DOTALL | re.IGNORECASE)
_THOUGHT_ENDED: Final = re.compile(rf"\A.*</{_TAG}>", re.DOTALL | re.IGNORECASE)
"""Some hosts leave out the opening tag."""
_THOUGHT_TAG: Final = re.compile(rf"</?{_TAG}>", re.IGNORECASE)
_FENCED: Final = re.compile(r"\s*```\w*\s(.*)```", re.DOTALL)
_OPENER: Final = re.compile(
    r"""\{ (?=\s* (?: ["'“”}/] | \w+\s*: ) ) | \[ (?=\s* (?: ["'“”{\[\]/-] | \d | (?:true|false|null)\b ) )""",
    re.VERBOSE | re.IGNORECASE,
)
"""A bracket that JSON, whole or nearly, may begin with; in prose mostly words follow."""
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)
_BETWEEN: Final = re.compile(r"(?:[\s,;]|```\w*)*")
REPAIRED: Final = 20_000
"""How many characters are repaired at most: at worst it takes time quadratic in them, about 2 s for these."""
_DECODER: Final = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


class _Part(NamedTuple):
    """A stretch of a text that is JSON, or was meant to be: then it is not `whole`."""

    start: int
    end: int
    value: Any
    whole: bool


def parsed(text: str) -> Json:
    """Return the JSON object or array that a reply consists of or contains.

    Code fences, prose and thoughts (`<think>…</think>`) around it are left out, small faults repaired. Of several
    values the longest is taken, unless nothing else stands between them: then all are, as one list.
    Raises `ProviderBadReply`: `truncated` where the JSON does not end, `malformed` where there is none.
    """
    fenced = _FENCED.match(text)
    # First as it is: what looks like a thought or a fence may be a text inside.
    for whole in (text, fenced[1]) if fenced else (text,):
        value = _decoded(whole)
        if isinstance(value, list | dict):
            return cast(Json, value)
    answer = _THOUGHT_BEGUN.sub("", _THOUGHT_ENDED.sub("", _outside_thoughts(text)))
    parts = list(_parts(answer))
    if len(parts) > 1 and all(part.whole for part in parts) and _BETWEEN.fullmatch(_around(answer, parts)):
        return [part.value for part in parts]
    for part in sorted(parts, key=lambda part: part.start - part.end):
        value = part.value if part.whole else _repaired(answer[part.start : part.end])
        if isinstance(value, list | dict):
            return cast(Json, value)
    raise bad("holds no JSON")


def bad(what: str, reason: str = "malformed") -> ProviderBadReply:
    """Return the error that says what is wrong with a reply, without a word of it."""
    return ProviderBadReply(f"the model's reply {what}", reason=reason)


def without_thoughts(text: str) -> str:
    """Return one text of a reply without thoughts and without tags of such."""
    return _THOUGHT_TAG.sub("", _outside_thoughts(text)) if "<" in text else text


def _outside_thoughts(text: str) -> str:
    kept: list[str] = []
    at, begun = 0, -1
    for tag in _THOUGHT_TAG.finditer(text):
        if not tag[0].startswith("</"):
            begun = tag.start() if begun < 0 else begun
        elif begun >= 0:
            kept.append(text[at:begun])
            at, begun = tag.end(), -1
    return "".join((*kept, text[at:]))


def _decoded(text: str) -> Any:
    try:
        return _DECODER.decode(text.strip())
    except (ValueError, RecursionError) as error:
        _log.debug("the reply is not plain JSON: %s", type(error).__name__)
        return None


def _parts(text: str) -> Iterator[_Part]:
    at = 0
    while (opener := _OPENER.search(text, at)) is not None:
        start = opener.start()
        try:
            value, at = _DECODER.raw_decode(text, start)
            yield _Part(start, at, value, whole=True)
        except (ValueError, RecursionError):
            at = _closed(text, start)
            yield _Part(start, at, None, whole=False)


def _around(text: str, parts: list[_Part]) -> str:
    starts, ends = [part.start for part in parts], [part.end for part in parts]
    return "\n".join(text[end:start] for end, start in zip([0, *ends], [*starts, len(text)], strict=True))


def _closed(text: str, start: int) -> int:
    """Where the bracket at `start` is closed again; one that is never closed was cut off."""
    awaited: list[str] = []
    counts = Counter[str]()
    for match in _BRACKETS.finditer(text, start):
        bracket = match[0]
        if bracket in ("[", "{"):
            awaited.append("]" if bracket == "[" else "}")
            counts[awaited[-1]] += 1
        while counts[bracket]:  # a bracket inside that was left open ends here too
            closed = awaited.pop()
            counts[closed] -= 1
            if closed == bracket:
                break
        if not awaited:
            return match.end()
    raise bad("breaks off", "truncated")


def _repaired(text: str) -> Any:
    if len(text) > REPAIRED:
        return None
    package: Any = importlib.import_module("json_repair")
    try:
        return package.repair_json(text, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        _log.debug("the reply cannot be repaired: %s", type(error).__name__)
        return None
