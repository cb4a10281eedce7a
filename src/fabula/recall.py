"""From a question to a recollection: read the question, rank the passages, bring what was made from them.

It writes nothing and calls no language model; a channel that cannot take part is named, the others answer.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fabula import narrowing, question, ranking, scoring
from fabula.abc import Embedder, Store
from fabula.aside import aside
from fabula.conventions import Conventions
from fabula.errors import ProviderError
from fabula.hits import Answer
from fabula.index import Bools, Floats, Index
from fabula.names import NAMED, spans_of_names
from fabula.postings import Postings
from fabula.question import Question
from fabula.ranking import UNRANKED, Ranking
from fabula.rating import Rate
from fabula.render import Recollection
from fabula.scoring import Cue
from fabula.text import AHEAD, ANALYZER, TIMED, clean, hash_term, query_terms, script, tokens
from fabula.types import Entity, Image, Interval, Plan, Trace

log = logging.getLogger(__name__)

ASKED: Final = 500
"""Characters of a question in which names are looked for: what is longer is a text, and names many."""
NAMES: Final = 20
"""How many entities that the question names are looked at for their other names."""
END: Final = 2000
"""Characters that are read at the beginning and at the end of a question that has more than both."""
NEAREST: Final = 200
"""How many of the nearest vectors are fetched where they are left in the database."""
FETCHED: Final = 2000
"""Rows of which all vectors are fetched rather than the nearest."""
BEFORE: Final = 60 * scoring.DAY
"""How far back "before May" looks, in seconds."""
SMALL: Final = 20_000
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
    images: Sequence[Image] = (),
) -> Recollection:
    """Answer `query` from the memories of `scope`; see `AsyncMemory.recall`."""
    told = _words(query, images, names=True)
    if not told:
        return Recollection(scope=scope, query=told)
    alone, query = _ends(_words(query, images, names=False)), _ends(told)
    embedder = embedder if "dense" in plan.channels else None
    index = await store.load(scope, embedder.space if embedder is not None else "")
    degraded: list[str] = []
    if index.analyzer not in (0, ANALYZER):
        degraded.append(f"sparse: the keyword index is of version {index.analyzer}, run `fabula reindex`")
    vector = None
    if embedder is not None and (index.stored_space or index.fields):
        vector = await _shown(embedder, index, alone, images)
        if vector is not None:
            query = alone  # what a picture is called says less than what it shows
        else:
            vector, failure = await _vector(embedder, index, query)
            degraded += failure
            vector = vector if index.stored_space else None  # nothing is embedded yet: words alone tell
    if as_of is not None:
        index = index.at(as_of.timestamp())
    named = list(_named(query, index))
    cue, asked = await aside((query,), read, query, index, at, vector, conventions, named)
    apart = _apart(embedder, cue) if embedder is not None and vector is not None else 0.0
    cue = replace(cue, names=await _other_names(store, scope, index, named), apart=apart)
    allowed, then = narrowing.passages(index, plan, as_of), narrowing.said_then(index, plan)
    index = index.only(narrowing.drawn(index, plan))
    if index.apart and vector is not None:
        index = await _fetched(store, scope, index, cue, vector, plan, allowed, then)
    ranked = await _ranked(index, cue, plan, allowed, then)
    rate = Rate.of(query, embedder if vector is not None else None)
    answer = Answer(
        store=store, scope=scope, query=query, index=index, cue=cue, asked=asked, ranked=ranked or UNRANKED, plan=plan,
        rate=rate, allowed=allowed, at=at, as_of=as_of, then=then,
    )  # fmt: skip
    hits, confidence = await answer.found()
    return Recollection(
        scope=scope,
        query=told,
        hits=tuple(hits),
        confidence=confidence,
        degraded=tuple(degraded),
        trace=_trace(query, cue, asked, ranked or UNRANKED) if explain else None,
    )


async def _ranked(index: Index, cue: Cue, plan: Plan, allowed: Bools, then: Bools | None) -> Ranking | None:
    if plan.fusion == "similarity":
        return None
    if len(index.of("passage")) > SMALL:
        return await asyncio.to_thread(ranking.rank, index, cue, plan, allowed, then)
    return ranking.rank(index, cue, plan, allowed, then)


async def _fetched(
    store: Store, scope: str, index: Index, cue: Cue, vector: Floats, plan: Plan, allowed: Bools, then: Bools | None
) -> Index:
    """The index with the vectors that matter for a question: the nearest, and those of what its words find.

    What a filter leaves, where that is little, is fetched as a whole: the nearest of all may not be among it.
    """
    passages = index.of("passage")
    if allowed.sum() <= FETCHED:
        wanted = await store.vectors(scope, index.space, passages.number[allowed].tolist())
    else:
        wanted = await store.nearest(scope, index.space, vector, NEAREST)
    index = index.extended({}, [wanted])
    rows = await asyncio.to_thread(ranking.candidates, index, cue, plan, allowed, then)
    rows = rows[~index.of("passage").embedded[rows]]
    return index.extended({}, [await store.vectors(scope, index.space, passages.number[rows].tolist())])


# --- reading the question ---------------------------------------------------------------------------------------


def read(
    query: str,
    index: Index,
    at: datetime,
    vector: np.ndarray | None,
    conventions: Conventions,
    named: Sequence[tuple[str, int]],
) -> tuple[Cue, Question]:
    """Return the cue for a question that is asked at `at`, and what its words ask for."""
    asked = question.read(query, at, index.speakers, conventions)
    cue = Cue(
        terms={hash_term(term): float(count) for term, count in query_terms(query).items()},
        vector=vector,
        windows=tuple(_bounds(window, at) for window in asked.windows),
        speakers=asked.people,
        entities=tuple(int(index.of("entity").key[row]) for _, row in named),
        marks=tuple(hash_term(mark) for mark in ((TIMED, AHEAD) if asked.ahead else (TIMED,)) if asked.timed),
        han=script(query) == "han",
        said=Counter(map(hash_term, tokens(query))),
    )
    return cue, asked


def _named(query: str, index: Index) -> Iterator[tuple[str, int]]:
    """The names and aliases in the question, each with the row of an entity that bears it."""
    entities = index.of("entity")
    if not len(entities):
        return
    names = spans_of_names(query[:ASKED])
    terms = [hash_term(NAMED + name) for name in names]
    for place in np.flatnonzero(_there(entities.postings, np.array(terms, np.uint64))).tolist():
        for row in entities.bearing(terms[place]).tolist():
            yield names[place], row


def _there(postings: Postings, terms: NDArray[np.uint64]) -> Bools:
    """Which of the terms occur anywhere: most spans of a question are nobody's name."""
    head = postings.term[: postings.sorted_to]
    later = postings.term[postings.sorted_to :]
    found = np.isin(terms, later) if len(later) else np.zeros(len(terms), np.bool_)
    if len(head):
        found |= head[np.minimum(head.searchsorted(terms), len(head) - 1)] == terms
    return found


async def _other_names(
    store: Store, scope: str, index: Index, named: Sequence[tuple[str, int]]
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """What the entities that the question names are called in another script: see `Cue.names`."""
    named = named[:NAMES]
    numbers = {row: int(index.of("entity").number[row]) for _, row in named}
    known = await store.fetch(scope, list(numbers.values())) if named else {}
    return tuple(
        (_hashes(name), _hashes(other))
        for name, row in named
        if isinstance(who := known.get(numbers[row]), Entity)
        for other in (who.text, *who.aliases)
        if {script(name), script(other)} == {"han", "latin"}
    )


def _apart(embedder: Embedder, cue: Cue) -> float:
    own, other = ("han", "latin") if cue.han else ("latin", "han")
    same, across = (embedder.unrelated(role="query", scripts=(own, told)) for told in (own, other))
    return same - across


def _hashes(name: str) -> tuple[int, ...]:
    return tuple(map(hash_term, query_terms(name)))


def _bounds(window: Interval, at: datetime) -> tuple[float, float]:
    """A window's ends in seconds. "Since June" reaches to the present, "before May" back over `BEFORE`: to be anywhere
    before it marks nothing out."""
    start = window.start.timestamp() if window.start else -np.inf
    end = window.end.timestamp() if window.end else np.inf
    if end == np.inf and start > -np.inf:
        return start, max(start + scoring.DAY, at.timestamp())
    return (end - BEFORE if start == -np.inf else start), end


def _words(query: str, images: Sequence[Image], *, names: bool) -> str:
    """What is asked for in words: the question, and what its pictures are captioned or, with `names`, called."""
    return clean(" ".join([query, *(image.caption or (image.name if names else "") for image in images)])).strip()


def _ends(query: str) -> str:
    """A question as it is read: of a long one its beginning and its end, where it is likeliest to say what it asks."""
    return query if len(query) <= 2 * END else f"{query[:END]} {query[-END:]}"


async def _shown(embedder: Embedder, index: Index, words: str, images: Sequence[Image]) -> np.ndarray | None:
    shown = [image for image in images if image.data or image.address]
    if not shown or not embedder.sees or index.stored_space != embedder.space:
        return None
    try:
        return await embedder.shown(words, shown, "query")
    except ProviderError as error:
        log.warning("a picture is asked for by its words: %s", error)
        return None


async def _vector(embedder: Embedder, index: Index, query: str) -> tuple[np.ndarray | None, list[str]]:
    if index.stored_space not in ("", embedder.space):
        return None, [f"dense: the vectors are of {index.stored_space}, the model in use is {embedder.space}"]
    try:
        return (await embedder.vectors([query], "query"))[0], []
    except ProviderError as error:
        log.warning("recall goes on without meaning: %s", error)
        return None, [f"dense: {error}"]


# --- saying how it came about ----------------------------------------------------------------------------------


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
