"""From the data of a reply to verdicts: which of the judged frames belong to which known ones; knows only numbers.

A verdict that cannot be read, or names what was not shown, changes nothing; the others are taken.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, cast

from fabula.replies.enclosed import Json
from fabula.replies.values import TEXT, line_of, listed, text_of

_log = logging.getLogger(__name__)

INTEGRATED: Final = frozenset(("STRONG", "MODERATE"))
"""The coherences at which two frames become one."""


class Verdict(NamedTuple):
    """That a judged frame belongs to a known one, both by number, and the summary of both, if one was given."""

    frame: int
    target: int
    summary: str = ""


def verdicts(reply: Json, offered: Sequence[Sequence[int]]) -> list[Verdict]:
    """Return the verdicts that integrate, at most one a frame.

    `offered` holds, for each frame in order, the numbers of the candidates it may belong to. A number that was not
    offered is named in a warning. A single verdict needs no list around it, and no number for a single frame.
    """
    found: dict[int, Verdict] = {}
    for given in _items(reply):
        if line_of(given.get("coherence")).upper() not in INTEGRATED:
            continue
        frame = 0 if len(offered) == 1 and "frame" not in given else _number(given.get("frame"))
        target = _number(given.get("target_id"))
        if given.get("target_id") is None:
            continue
        if frame is None or not 0 <= frame < len(offered):
            _log.warning("a judgement is of frame %r, which was not shown", given.get("frame"))
        elif target is None or target not in offered[frame]:
            _log.warning("a judgement names memory %r, which was not offered", given.get("target_id"))
        else:
            summary = text_of(given.get("summary"))
            found.setdefault(frame, Verdict(frame, target, summary if len(summary) <= TEXT else ""))
    return list(found.values())


def _items(reply: Json) -> Iterator[dict[str, Any]]:
    inner: Any = reply.get("verdicts", reply) if isinstance(reply, dict) else reply
    for item in [cast(Any, inner)] if isinstance(inner, dict) else listed(inner):
        if isinstance(item, dict):
            yield cast(dict[str, Any], item)


def _number(value: Any) -> int | None:
    text = line_of(value)
    return int(text) if re.fullmatch(r"\d{1,9}", text) else None
