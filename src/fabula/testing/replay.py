"""Recorded replies of a language model instead of the model; knows no host, and nothing that was not recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, cast

from fabula.abc import Extraction
from fabula.conventions import Conventions
from fabula.replies import extraction, naming
from fabula.text import fold
from fabula.types import Passage

_BEFORE_ALL: Final = (-1,)
_CITING: Final = ("frames", "facts", "profile")


class ReplayExtractor:
    """Answers windows of a session with what a model once replied to the whole session.

    `replies` are JSON lines, or the path of a file of such: one object a session, `{"session": 3, "frames": …}`, for
    the passages whose session is `session_3`. Sources are the passages' refs (their ids where they have none), which
    sort by the numbers in them (`D3:9` before `D3:10`).

    A window is given the items whose last source is in it, or was left out just before it; an item without sources
    belongs to the first window. An item's earlier sources may be in windows before: the passages of each session are
    remembered for that, so a session's windows have to come in order, to one extractor. An entity is given with each
    window in which it is named. A session that was not recorded is an `AssertionError`.
    """

    name = "replay"

    def __init__(
        self, replies: str | Path | Iterable[str], *, conventions: Conventions = Conventions()  # noqa: B008 - frozen
    ) -> None:  # fmt: skip
        lines = Path(replies).read_text("utf-8").splitlines() if isinstance(replies, str | Path) else replies
        recorded: list[dict[str, Any]] = [json.loads(line) for line in lines if line.strip()]
        self._replies = {f"session_{reply['session']}": reply for reply in recorded}
        self._conventions = conventions
        self._seen: dict[tuple[str, str], dict[str, Passage]] = {}

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Return the recorded items that are due with `window`; `context` is not needed."""
        del context
        if not window:
            return Extraction()
        session = window[0].session
        if session not in self._replies:
            raise AssertionError(f"no reply to {session!r} was recorded, only to {', '.join(self._replies)}")
        reply = self._replies[session]
        seen = self._seen.setdefault((window[0].scope, session), {})
        seen |= {passage.ref or passage.id: passage for passage in window}
        numbers = {_numbers(passage.ref or passage.id) for passage in window}
        before = max((n for n in map(_numbers, seen) if n < min(numbers)), default=_BEFORE_ALL)
        due: dict[str, list[Any]] = {
            kind: [item for item in reply.get(kind) or () if before < _last(item) <= max(numbers)] for kind in _CITING
        }
        said = fold("\n".join((*(f"{p.speaker}\n{p.text}" for p in window), json.dumps(due, ensure_ascii=False))))
        due["entities"] = [item for item in reply.get("entities") or () if _naming(item)(said)]
        known = {ref: passage for ref, passage in seen.items() if _numbers(ref) <= max(numbers)}
        return extraction(due, known, conventions=self._conventions)


def _numbers(ref: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", ref)))


def _last(item: Any) -> tuple[int, ...]:
    """The place of an item's last source; without any, before all others."""
    return max(map(_numbers, cast(list[str], item.get("sources") or ())), default=(0,))


def _naming(item: Any) -> Callable[[str], bool]:
    return naming((item["name"], *(item.get("aliases") or ())))
