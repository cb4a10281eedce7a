"""What a memory answers: receipts of what it did, hits and why, counts; no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from fabula.types.records import NOTHING, Emotion, Fact, Frame, Insight, Interval, Record


@dataclass(frozen=True, kw_only=True, slots=True)
class Masked:
    """A secret that was replaced before anything was stored: where the replacement stands, and what kind it hid."""

    id: str
    """The passage."""
    kind: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What `remember` did; everything it names is durable.

    `ids` holds one passage id a message, in order (`None` for a message that was forgotten before and stays so).
    """

    ids: tuple[str | None, ...] = ()
    duplicates: tuple[str, ...] = ()
    """Ids that were already there with the same text."""
    conflicts: tuple[str, ...] = ()
    """Ids that were already there with another text: the first text stays."""
    erased: tuple[str, ...] = ()
    """Message ids that were forgotten: they are not brought back."""
    masked: tuple[Masked, ...] = ()

    @property
    def added(self) -> int:
        """How many messages are new."""
        return len(self.ids) - len(self.duplicates) - len(self.conflicts) - len(self.erased)


@dataclass(frozen=True, kw_only=True, slots=True)
class Forgotten:
    """What `forget` removed: rows by table (vectors one by one). Empty, and false, where nothing matched."""

    rows: Mapping[str, int] = field(default_factory=lambda: NOTHING)

    def __bool__(self) -> bool:
        return any(self.rows.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Flushed:
    """Where background work stands after `flush`."""

    pending: int = 0
    """Work that is left: it failed, nobody here can do it (no model), or another process is at it."""
    failed: int = 0
    """Work whose last attempt failed. It is tried again later, a few times; then at the next opening."""
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracted:
    """What became of passages that were to be extracted."""

    passages: tuple[str, ...] = ()
    """The ids of those that are extracted."""
    left: tuple[str, ...] = ()
    """The ids of those that still wait: it failed, or there was no time."""
    facts: tuple[Fact, ...] = ()
    """What they tell, also where others told it before."""
    frames: tuple[Frame, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A conversation, by its id: how many messages it has, and when the first and the last were said (UTC)."""

    id: str
    messages: int
    first: datetime
    last: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Reflection:
    """What `reflect` did. Without anything new since the last time it is empty."""

    analyzed: int = 0
    """How many records were new: frames, facts, and passages that nothing was made of."""
    insights: tuple[Insight, ...] = ()
    """Those that are new or have changed, as they are kept."""
    refused: int = 0
    """Items of a model's replies that were left out: of no known category, about what is never inferred of people
    (personality, values, politics, religion, health, sexual life), or without a source."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A record that came back and why.

    `score` (0–1) orders the hits of one recall and is not comparable between recalls. `parts` holds the features it
    is the weighted sum of, or the factors it is the product of (`Plan.factors`). Facts and frames that a model drew are
    ranked themselves, and so are insights and what a caller wrote; those of rules, and entities, have the score and
    parts of the best passage they were made from.
    """

    record: Record
    score: float
    parts: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    emotion: Emotion | None = None
    """How it felt, where that was weighed (`Plan.factors`): as it was told, or else estimated from its vector."""

    @property
    def relevance(self) -> float:
        """How surely the record has to do with the query, 0–1; comparable between recalls."""
        return self.parts.get("relevance", 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Trace:
    """How a recall came about, given with `explain=True`."""

    terms: tuple[str, ...]
    """The query's terms after stemming and cutting."""
    speakers: tuple[str, ...]
    """Speakers of the scope whom the query names."""
    windows: tuple[Interval, ...]
    """Dates found in the query."""
    asks: str
    """What kind of answer it wants, and whether the latest or the first of several (see `question.Question`)."""
    order: str
    profile: str
    """The weight profile that was used."""
    weights: Mapping[str, float]
    pool: int
    """How many candidates were scored."""


@dataclass(frozen=True, slots=True)
class Access:
    """How often a record came back from `recall`, and when for the first and the last time."""

    count: int
    first: datetime
    last: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Stats:
    """Counts and sizes, of one scope or of all."""

    scopes: int
    records: Mapping[str, int]
    """Live records by kind."""
    sessions: int
    pending: Mapping[str, int]
    """Work waiting, by task."""
    failed: int
    """Pieces of work whose last attempt failed."""
    bytes: Mapping[str, int]
    """Bytes by table, as far as the engine can tell."""

    @property
    def bytes_per_message(self) -> float:
        """All bytes over all passages."""
        passages = self.records.get("passage", 0)
        return sum(self.bytes.values()) / passages if passages else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EmotionProfile:
    """How what a scope tells felt: lately, and over all. It says nothing of what anybody is like.

    Valence is -1 (bad) to 1 (good), arousal 0 (calm) to 1 (excited). `None` and empty where there is nothing to tell.
    """

    latest_state: str = ""
    """A word for the mean of the last 14 days."""
    latest_state_valence: float | None = None
    valence_avg: float | None = None
    """The mean of all moments, and so is `arousal_avg`."""
    arousal_avg: float | None = None
    dominant_emotions: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    """The emotions that are met most often, and how often; what is neutral is none."""
    emotion_triggers: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """The topics that go with what feels better or worse than the rest, the strongest first, and their mean valence."""
    count: int = 0
    """How many moments there are."""
    estimated: float = 0.0
    """The share of them, 0-1, whose emotion was estimated, not told."""
