"""Records, terms and vectors for the contract, and what it means for two of them to be the same.

It knows no store and none of the product's own tokenisers and models, so that the contract does not move with them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import blake2b
from itertools import count
from typing import Any, Final, TypeVar, cast

import numpy as np
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from fabula.abc import Entry, Task, Terms
from fabula.index import Field, Index
from fabula.postings import POSTING
from fabula.types import Emotion, Entity, Event, Fact, Frame, Image, Insight, Interval, Note, Passage, Record

CHINA: Final = timezone(timedelta(hours=8))
NEWFOUNDLAND: Final = timezone(-timedelta(hours=3, minutes=30))
NOON: Final = datetime(2024, 3, 15, 12, 0, tzinfo=CHINA)
SPACE: Final = "contract/32"
OTHER_SPACE: Final = "contract-other/16"

R = TypeVar("R", bound=Record)
_fresh = count()

examples = settings(
    deadline=None,
    max_examples=20,
    # The store lives as long as the test: examples are kept apart by the scopes they use.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)
"""How the property tests run: few examples, as each writes to a disk."""


def fresh(prefix: str = "u") -> str:
    """Return a scope that was not used before."""
    return f"{prefix}-{next(_fresh)}"


def passage(scope: str, id: str, text: str = "", *, minute: float = 0, **more: Any) -> Passage:  # noqa: A002
    """Return a passage said `minute` minutes after noon; its text defaults to its id."""
    at = Interval.at(NOON + timedelta(minutes=minute))
    given: dict[str, Any] = {"scope": scope, "id": id, "text": text or f"text of {id}", "valid": at}
    return Passage(**given | more)


def frame(scope: str, id: str, *sources: str, **more: Any) -> Frame:  # noqa: A002
    """Return a frame made from `sources`."""
    given: dict[str, Any] = {"scope": scope, "id": id, "text": f"what happened in {id}", "sources": sources}
    return Frame(**given | more)


def fact(scope: str, id: str, *sources: str, **more: Any) -> Fact:  # noqa: A002
    """Return a fact made from `sources`."""
    given: dict[str, Any] = {"scope": scope, "id": id, "text": f"what holds in {id}", "sources": sources}
    return Fact(**given | more)


def six(scope: str) -> list[Record]:
    """Return one record of each kind with every field filled in; the later ones cite the passage."""
    base: dict[str, Any] = {
        "scope": scope,
        "importance": 0.7,
        "emotion": Emotion(valence=-0.3, arousal=0.9, label="焦急"),
        "meta": {"n": 1, "x": [1.5, None, True, {"深": "层"}], "quote": "'\"\\", "": ""},
    }
    month = Interval(
        start=datetime(2024, 2, 1, tzinfo=CHINA), end=datetime(2024, 3, 1, tzinfo=CHINA), precision="month"
    )
    derived: dict[str, Any] = base | {"sources": ("p",), "valid": month}
    event = Event(
        participants=("李雷", "Ann O'Hara"),
        action="搬家",
        time=Interval(start=datetime(2024, 2, 3, tzinfo=NEWFOUNDLAND), precision="fuzzy"),
        location="上海",
        causality="because of \"work\"",
        manner="quickly",
    )  # fmt: skip
    return [
        Passage(
            **base, id="p", text="我要搬家了 🚚", valid=Interval.at(NOON), ref="m-1", session="chat/1", speaker="李雷",
            role="assistant", images=(Image(caption="boxes", url="https://x.test/a.png", name="a.png"), Image()),
        ),
        Frame(**derived, id="f", text="李雷搬家", session="chat/1", events=(event, Event(action="unpack"), Event())),
        Fact(**derived, id="t", text="李雷 lives in 上海", subject="李雷", predicate="lives_in", object="上海"),
        Entity(**derived, id="e", text="李雷", type="person", aliases=("小李", "Lei Li")),
        Insight(**derived, id="i", text="likes change", category="habit", status="archived"),
        Note(**derived, id="n", text="tea", namespace="prefs", key="drink", value={"hot": ["茶", 1, None, 0.5]}),
    ]  # fmt: skip


def terms(text: str, *, question: bool = False) -> Terms:
    """Return the words of `text` as postings, sorted by term."""
    words = Counter(text.casefold().split())
    packed = np.array(sorted((term(word), n) for word, n in words.items()), POSTING)
    return Terms(postings=packed.tobytes(), length=sum(words.values()), question=question)


def term(word: str) -> int:
    """Return the hash of a word."""
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest())


def entry(record: Record, *tasks: Task) -> Entry:
    """Return the record with its terms, ready to write; a passage always waits to be embedded."""
    if isinstance(record, Passage) and "embed" not in tasks:
        tasks = ("embed", *tasks)
    return Entry(record=record, terms=terms(record.text), tasks=tasks)


def entries(*records: Record, tasks: tuple[Task, ...] = ()) -> tuple[Entry, ...]:
    """Return several records with their terms, each leaving `tasks` behind."""
    return tuple(entry(record, *tasks) for record in records)


def direction(text: str, dimensions: int = 32) -> NDArray[np.float32]:
    """Return a unit vector that depends on `text` only."""
    vector = np.random.default_rng(term(text)).standard_normal(dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def told(record: R) -> R:
    """Return the record without what the store sets."""
    bare = replace(record, recorded=None)
    return cast("R", replace(bare, seq=-1)) if isinstance(bare, Passage) else bare


def offsets(value: Any) -> Iterator[timedelta | None]:
    """Yield the zone offset of every moment in a record but its `recorded`, which equality does not look at."""
    if isinstance(value, datetime):
        yield value.utcoffset()
    elif isinstance(value, tuple):
        for part in cast("tuple[Any, ...]", value):
            yield from offsets(part)
    elif is_dataclass(value):
        for column in fields(value):
            if column.name != "recorded":
                yield from offsets(getattr(value, column.name))


def since(record: Record) -> datetime:
    """Return when the store began to believe this version."""
    assert record.recorded is not None
    assert record.recorded.start is not None
    return record.recorded.start


def until(record: Record) -> datetime:
    """Return when the store ceased to believe this version."""
    assert record.recorded is not None
    assert record.recorded.end is not None
    return record.recorded.end


def seconds(moment: datetime) -> float:
    """Return seconds since the epoch."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


_PLAIN: Final = (
    "number", "seq", "valid_from", "valid_to", "recorded_from", "recorded_to", "importance", "length", "window",
    "words", "question", "before", "after", "embedded",
)  # fmt: skip


def columns(index: Index) -> dict[str, Any]:
    """Return all that an index holds but the vectors, in plain values and with names in place of codes."""
    return {kind: _column(index, held) for kind, held in index.fields.items() if len(held)} | {
        "revision": index.revision,
        "reset": index.reset,
        "analyzer": index.analyzer,
        "stored_space": index.stored_space,
    }


def _column(index: Index, held: Field) -> dict[str, Any]:
    plain: dict[str, Any] = {
        name: [None if value != value else value for value in getattr(held, name).tolist()] for name in _PLAIN
    }
    sessions, speakers = list(index.sessions), list(index.speakers)
    assert [index.sessions[name] for name in sessions] == list(range(len(sessions)))
    return plain | {
        "session": [sessions[code] for code in held.session],
        "speaker": [speakers[code] for code in held.speaker],
        "postings": sorted(
            zip(*(getattr(held.postings, name).tolist() for name in ("term", "row", "tf")), strict=True)
        ),
    }


def vectors_of(index: Index) -> dict[int, NDArray[np.float32]]:
    """Return the vectors an index holds, by record number; what is not embedded must be zero."""
    found: dict[int, NDArray[np.float32]] = {}
    for held in index.fields.values():
        for row, number in enumerate(held.number.tolist()):
            if held.embedded[row]:
                found[number] = held.vectors[row]
    return found


def assert_same(one: Index, other: Index) -> None:
    """Assert that two indexes answer every question alike."""
    assert columns(one) == columns(other)
    left, right = vectors_of(one), vectors_of(other)
    assert left.keys() == right.keys()
    for number, vector in left.items():
        assert math.isclose(float(vector @ right[number]), 1, abs_tol=1e-5)
