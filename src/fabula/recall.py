"""From a question to a recollection: read the question, rank the passages, bring what was made from them.

It writes nothing and calls no language model; a channel that cannot take part is named, the others answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TypeAlias

import numpy as np

from fabula import question, ranking, scoring
from fabula.abc import Embedder, Store
from fabula.conventions import Conventions
from fabula.errors import ProviderError
from fabula.index import FOREVER, Bools, Floats, Index
from fabula.names import NAMED, spans_of_names
from fabula.question import Question
from fabula.ranking import Ranking
from fabula.render import Recollection
from fabula.scoring import Cue
from fabula.text import AHEAD, ANALYZER, TIMED, clean, hash_term, query_terms, script
from fabula.types import Fact, Hit, Interval, Kind, Plan, Record, Trace

log = logging.getLogger(__name__)

Rate: TypeAlias = Callable[[Record, float, float], float]
"""Rates a passage by its cosine with the question and its share of the question's words."""
CONFIDENT = 10
"""How many of the best passages may speak for something being known."""
NEAREST = 200
"""How many of the nearest vectors are fetched where they are left in the database."""
FETCHED = 2000
"""Rows of which all vectors are fetched rather than the nearest."""
BEFORE = 60 * scoring.DAY
"""How far back "before May" looks, in seconds."""
OVER = 0.5
"""What is left of the score of a fact that no longer holds, where the question is about the present."""
SMALL = 20_000
"""Rows up to which ranking is quicker than a trip to another thread."""


async def recall(
    store: Store,
    embedder: Embedder | None,
    scope: str,
    query: str,
    plan: Plan,
    at: datetime,
    as_of: datetime | None,
    *,
    conventions: Conventions,
    explain: bool = False,
) -> Recollection:
    """Answer `query` from the memories of `scope`; see `AsyncMemory.recall`."""
    query = clean(query).strip()
    if not query:
        return Recollection(scope=scope, query=query)
    space = embedder.space if embedder is not None and "dense" in plan.channels else ""
    index = await store.load(scope, space)
    degraded: list[str] = []
    if index.analyzer not in (0, ANALYZER):
        degraded.append(f"sparse: the keyword index is of version {index.analyzer}, run `fabula reindex`")
    vector = None
    if embedder is not None and space and index.stored_space:
        if index.stored_space != space:
            degraded.append(f"dense: the vectors are of {index.stored_space}, the model in use is {space}")
        else:
            vector, failure = await _vector(embedder, query)
            degraded += failure
    if as_of is not None:
        index = index.at(as_of.timestamp())
    cue, asked = read(query, index, at, vector, conventions)
    allowed = _allowed(index, plan, as_of)
    if index.apart and vector is not None:
        index = await _fetched(store, scope, index, cue, vector, plan, allowed)
    if len(index.of("passage")) > SMALL:
        ranked = await asyncio.to_thread(ranking.rank, index, cue, plan, allowed)
    else:
        ranked = ranking.rank(index, cue, plan, allowed)
    if ranked is None:
        return Recollection(scope=scope, query=query, degraded=tuple(degraded))
    rate = _rated(query, embedder if vector is not None else None)
    best = await _rated_hits(store, scope, index, ranked, rate, plan)
    return Recollection(
        scope=scope,
        query=query,
        hits=tuple(await _with_derived(store, scope, _wanted(best, plan), plan, as_of, at if asked.current else None)),
        confidence=max((hit.relevance for hit in best[:CONFIDENT]), default=0.0),
        degraded=tuple(degraded),
        trace=_trace(query, cue, asked, ranked) if explain else None,
    )


async def _fetched(
    store: Store, scope: str, index: Index, cue: Cue, vector: Floats, plan: Plan, allowed: Bools
) -> Index:
    """The index with the vectors that matter for a question: the nearest, and those of what its words find.

    What a filter leaves, where that is little, is fetched as a whole: the nearest of all may not be among it.
    """
    passages = index.of("passage")
    if allowed.sum() <= FETCHED:
        wanted = await store.vectors(scope, index.space, passages.number[allowed].tolist())
    else:
        wanted = await store.nearest(scope, index.space, vector, NEAREST)
    index = index.extended((), [wanted])
    rows = await asyncio.to_thread(ranking.candidates, index, cue, plan, allowed)
    rows = rows[~index.of("passage").embedded[rows]]
    return index.extended((), [await store.vectors(scope, index.space, passages.number[rows].tolist())])


# --- reading the question ---------------------------------------------------------------------------------------


def read(
    query: str,
    index: Index,
    at: datetime,
    vector: np.ndarray | None,
    conventions: Conventions = Conventions(),  # noqa: B008 - frozen
) -> tuple[Cue, Question]:
    """Return the cue for a question that is asked at `at`, and what its words ask for."""
    asked = question.read(query, at, index.speakers, conventions)
    cue = Cue(
        terms={hash_term(term): float(count) for term, count in query_terms(query).items()},
        vector=vector,
        windows=tuple(_bounds(window, at) for window in asked.windows),
        speakers=asked.people,
        entities=tuple(_named(query, index)),
        marks=tuple(hash_term(mark) for mark in ((TIMED, AHEAD) if asked.ahead else (TIMED,)) if asked.timed),
        han=script(query) == "han",
    )
    return cue, asked


def _named(query: str, index: Index) -> Iterator[int]:
    """The keys of the entities whose names or aliases stand in the question."""
    entities = index.of("entity")
    if not len(entities):
        return
    for name in spans_of_names(query):
        for row in entities.postings.of(hash_term(NAMED + name))[0].tolist():
            if entities.recorded_to[row] == FOREVER:
                yield int(entities.key[row])


def _bounds(window: Interval, at: datetime) -> tuple[float, float]:
    """A window's ends in seconds. "Since June" reaches to the present, "before May" back over `BEFORE`: to be anywhere
    before it marks nothing out."""
    start = window.start.timestamp() if window.start else -np.inf
    end = window.end.timestamp() if window.end else np.inf
    if end == np.inf and start > -np.inf:
        return start, max(start + scoring.DAY, at.timestamp())
    return (end - BEFORE if start == -np.inf else start), end


async def _vector(embedder: Embedder, query: str) -> tuple[np.ndarray | None, list[str]]:
    try:
        return (await embedder.vectors([query], "query"))[0], []
    except ProviderError as error:
        log.warning("recall goes on without meaning: %s", error)
        return None, [f"dense: {error}"]


def _allowed(index: Index, plan: Plan, as_of: datetime | None) -> Bools:
    passages = index.of("passage")
    allowed = passages.live(None if as_of is None else as_of.timestamp())
    for column, names, wanted in (
        (passages.session, index.sessions, plan.session),
        (passages.speaker, index.speakers, plan.speaker),
    ):
        if wanted is not None:
            allowed = allowed & (column == names.get(wanted, -1))
    if plan.during is not None:
        start, end = plan.during.start, plan.during.end
        allowed = allowed & (passages.valid_from >= (start.timestamp() if start else -np.inf))
        allowed = allowed & (passages.valid_from < (end.timestamp() if end else np.inf))
    return allowed


# --- the answer -------------------------------------------------------------------------------------------------


async def _rated_hits(store: Store, scope: str, index: Index, ranked: Ranking, rate: Rate, plan: Plan) -> list[Hit]:
    """The best passages as hits: as many as are wanted, and enough to tell whether anything is known."""
    rows = range(min(max(plan.limit, CONFIDENT), len(ranked.rows)))
    numbers = index.of("passage").number[ranked.rows]
    found = await store.fetch(scope, [int(numbers[row]) for row in rows])
    hits: list[Hit] = []
    for row in rows:
        record = found.get(int(numbers[row]))
        if record is not None:  # forgotten since the index was read
            parts = {name: float(values[row]) for name, values in ranked.features.items()}
            parts["relevance"] = rate(record, parts["cosine"], parts["covered"])
            hits.append(Hit(record=record, score=float(ranked.scores[row]), parts=parts))
    return hits


def _wanted(hits: Sequence[Hit], plan: Plan) -> list[Hit]:
    return [
        hit
        for hit in hits[: plan.limit]
        if (plan.min_score is None or hit.score >= plan.min_score)
        and (plan.min_relevance is None or hit.relevance >= plan.min_relevance)
    ]


def _rated(query: str, embedder: Embedder | None) -> Rate:
    """How surely a passage has to do with the question, 0–1: by meaning, and by how many of its words it has.

    A logistic curve; its slopes were read off questions of LoCoMo asked of their own and of other conversations
    (`python -m bench confidence`). Words cannot be expected across scripts.
    """
    asked = script(query)

    def rate(record: Record, cosine: float, covered: float) -> float:
        if embedder is None:
            return covered
        told = script(record.text)
        alike = float(embedder.similarity(np.array([cosine], np.float32), role="query", scripts=(asked, told))[0])
        words = 5 * (covered - 0.5) if told == asked else 0.0
        return float(1 / (1 + np.exp(-(4 * alike - 3.4 + words))))

    return rate


async def _with_derived(
    store: Store, scope: str, hits: list[Hit], plan: Plan, as_of: datetime | None, holding: datetime | None
) -> list[Hit]:
    """The hits together with what was made from them, narrowed to the kinds that are wanted."""
    others: list[Kind] = [kind for kind in plan.kinds if kind != "passage"]
    derived = await store.citing(scope, [hit.record.id for hit in hits], others) if others and hits else []
    known = [r for r in derived if as_of is None or not (r.recorded and r.recorded.start and r.recorded.start > as_of)]
    found = [*hits, *_inherited(known, hits, plan.limit, holding)]
    return sorted((hit for hit in found if hit.record.kind in plan.kinds), key=lambda hit: -hit.score)


def _inherited(derived: Sequence[Record], hits: Sequence[Hit], limit: int, holding: datetime | None) -> list[Hit]:
    """What was made from the hits, each with the score of the best passage it was made from.

    A fact that is over at `holding`, where the present is asked for, keeps half of it.
    """
    best = {hit.record.id: hit for hit in reversed(hits)}
    found: list[Hit] = []
    for record in derived:
        cited = [best[source] for source in record.sources if source in best]
        if cited:
            top = max(cited, key=lambda hit: hit.score)
            found.append(Hit(record=record, score=top.score * (OVER if _over(record, holding) else 1), parts=top.parts))
    by_kind: dict[str, int] = {}
    kept: list[Hit] = []
    for hit in sorted(found, key=lambda hit: -hit.score):
        by_kind[hit.record.kind] = by_kind.get(hit.record.kind, 0) + 1
        if by_kind[hit.record.kind] <= limit:
            kept.append(hit)
    return kept


def _over(record: Record, at: datetime | None) -> bool:
    """Whether a fact's time of holding has ended at `at`."""
    end = record.valid.end if isinstance(record, Fact) and record.valid is not None else None
    return at is not None and end is not None and end <= at


def _trace(query: str, cue: Cue, asked: Question, ranked: Ranking) -> Trace:
    return Trace(
        terms=tuple(query_terms(query)),
        speakers=cue.speakers,
        windows=asked.windows,
        asks=asked.asks,
        order=asked.order,
        profile=ranked.profile,
        weights=ranked.weights,
        pool=ranked.pool,
    )
