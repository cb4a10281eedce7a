"""The question a memory is asked, as data: what to recall and how; no behaviour beyond validation."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, get_args

from fabula.checking import aware, chosen, named, within
from fabula.errors import InvalidInput
from fabula.types.records import KINDS, Interval, Kind

Channel = Literal["dense", "sparse", "context", "time", "facts", "frames", "graph"]
Fusion = Literal["linear", "rrf", "similarity"]
CHANNELS: tuple[Channel, ...] = get_args(Channel)
MAX_LIMIT: Final = 1000
"""The most hits one recall may ask for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Factors:
    """How relevance is weighed with age and importance (Park et al. 2023, Generative Agents): as their product."""

    decay: float = 30 * 86400.0
    """Seconds after which what an unmoved memory gains from being fresh has fallen to 1/e (Ebbinghaus 1885)."""
    floor: float = 0.8
    """0–1: what recency never falls below. What is old and relevant still stands before what is fresh and beside it."""
    rehearsal: bool = False
    """Whether what is recalled often stays fresh: by the base level of ACT-R (Anderson and Lebiere 1998)."""

    def __post_init__(self) -> None:
        within("decay", self.decay, 1, kind=float)
        within("floor", self.floor, 0, 1, kind=float)
        if not isinstance(self.rehearsal, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"rehearsal is True or False, not {reprlib.repr(self.rehearsal)}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """How to recall, as data.

    `kinds` says what may come back, `limit` how many hits. `channels` are scored for every candidate and fused:
    `linear` (a fitted weight table) or `rrf` (reciprocal rank fusion with constant `rrf_k`); `similarity` is another
    way: everything by its own cosine alone. `factors` weigh what was found by age and importance too. The filters
    `session`, `speaker` and `during` narrow the passages; what stands on its own has no session and no speaker. Hits
    that score below `min_score`, or have less to do with the query than `min_relevance`, are left out.
    """

    kinds: tuple[Kind, ...] = ("passage", "frame", "fact")
    limit: int = 10
    channels: tuple[Channel, ...] = CHANNELS
    fusion: Fusion = "linear"
    rrf_k: int = 60
    session: str | tuple[str, ...] | None = None
    """One session, or any of several."""
    without: str = ""
    """No passage of a session whose id begins with this, unless it is blank."""
    speaker: str | None = None
    during: Interval | None = None
    created: Interval | None = None
    """Only what came to be in it: passages by when they were said, all else by when it was recorded."""
    valid_during: Interval | None = None
    """Only what happened or held in it, at least in part; what has no time of its own by when it was recorded. A
    passage that names a time itself goes by the frames, or else the facts, drawn from it; others by when they were
    said."""
    sort: str | None = None
    """Only what its author calls a memory of this sort (`meta["sort"]`); empty: only what nobody calls anything."""
    metadata: Mapping[str, Any] | None = None
    """Only what its author gave these values (`meta["metadata"]`; of insights also the `category`), which are JSON:
    equality, key by key. Messages have none."""
    edges: bool = True
    """Whether what is nothing but an edge that somebody drew between two nodes (`graph.add_edge`) counts as a fact."""
    factors: Factors | None = None
    valid_at: datetime | None = None
    """Only what happened or held at this time comes back, of every kind; see `fabula.holding`."""
    restart: float = 0.5
    """How often the walk over the graph begins anew, 0–1; SEEM calls it `ppr_damping`."""
    expand: int = 0
    """How many further passages reverse provenance expansion may bring."""
    min_score: float | None = None
    """0–1, by `Hit.score`, weighed where there are `factors`: how a hit stands among the others."""
    min_relevance: float | None = None
    """0–1, by `Hit.relevance`, the factor where there are `factors`: whether a hit has to do with the query at all.
    What only ties brought (`expand`) has none without them, and stays."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", chosen("kinds", self.kinds, KINDS))
        object.__setattr__(self, "channels", chosen("channels", self.channels, CHANNELS))
        if self.fusion not in get_args(Fusion):
            raise InvalidInput(f"fusion is 'linear', 'rrf' or 'similarity', not {reprlib.repr(self.fusion)}")
        within("limit", self.limit, 1, MAX_LIMIT)
        within("rrf_k", self.rrf_k, 1)
        within("expand", self.expand, 0, MAX_LIMIT)
        within("restart", self.restart, 0.01, 1, kind=float)
        if self.valid_at is not None:
            object.__setattr__(self, "valid_at", aware(self.valid_at))
        for name in ("min_score", "min_relevance"):
            if getattr(self, name) is not None:
                within(name, getattr(self, name), 0, 1, kind=float)
        for name, kind in _TYPES.items():
            if not isinstance(value := getattr(self, name), kind | None):
                raise InvalidInput(f"{name} is of the type {kind.__name__}, or None, not {reprlib.repr(value)}")
        if self.metadata is not None:
            object.__setattr__(self, "metadata", _values(self.metadata))
        if self.speaker is not None:
            object.__setattr__(self, "speaker", named("speaker", self.speaker))
        if isinstance(self.session, tuple | list):
            object.__setattr__(self, "session", tuple(named("session", one) for one in self.session))
        elif self.session is not None:
            object.__setattr__(self, "session", named("session", self.session))


_TYPES: Final[Mapping[str, type]] = {
    "during": Interval, "created": Interval, "valid_during": Interval, "factors": Factors, "sort": str,
    "metadata": Mapping, "without": str, "edges": bool,
}  # fmt: skip


def _values(given: Mapping[str, Any]) -> dict[str, Any]:
    if odd := [key for key in given if not isinstance(key, str)]:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a key of metadata is text, not {reprlib.repr(odd[0])}")
    try:
        json.dumps(dict(given), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"metadata has to be plain JSON: {error}") from None
    return dict(given)
