"""Which rows of an index answer a cue best: BM25, cosines, one pool, one weighted sum; reads no text, asks no store.

Every channel scores every candidate of one pool, scores are made comparable by standardising them over the pool
(`z`), and the sum is weighted by a small fitted table (`weights`). Reciprocal rank fusion is the alternative.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.index import Bools, Field, Floats, Index, Ints
from fabula.types import Plan

DEPTH: Final = 50
"""How many rows each channel brings into the pool; 99 % of the evidence of LoCoMo is inside."""
CHANCE: Final = (0.2, 0.4)
"""Word matches that cover less of a question than the first are chance; from the second on they are trusted."""
HAN_K1_B: Final = (1.5, 0.8)
"""k1 and b of `bm25` for a question in Han characters; read off two people of LifeBench.

Where long texts stand among short ones, they hold most characters by chance; among texts alike it matters little.
"""
COMMON: Final = 1 / 3
"""A mark that as many of the passages bear, or more, tells nothing; read off talk (.1 to .2 say a time) and records."""
NEAR: Final = 3.0
"""Days after a date over which the talk about it thins out (by e)."""
DAY: Final = 86400.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Cue:
    """A question, ready to be held against an index."""

    terms: Mapping[int, float] = field(default_factory=dict[int, float])
    """Weight by term hash."""
    vector: Floats | None = None
    windows: tuple[tuple[float, float], ...] = ()
    """The times it names, in seconds since the epoch."""
    speakers: tuple[str, ...] = ()
    """The speakers it names."""
    marks: tuple[int, ...] = ()
    """Hashes of the marks that passages of the kind it asks for bear: that they say a time, that it is to come."""
    han: bool = False
    """Whether it is written in Chinese characters."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Rows of a field, best first, with their features and their scores, 0–1.

    A linear score of .5 is that of an average candidate; one of reciprocal ranks is 1 for the first of every channel.
    """

    rows: Ints
    scores: Floats
    features: Mapping[str, Floats]
    profile: str
    weights: Mapping[str, float]
    pool: int


# --- channels ---------------------------------------------------------------------------------------------------


def _idf(rows_with: int, rows: int) -> float:
    """Robertson–Spärck Jones weight with 1 inside the logarithm, as in Lucene: never negative, also for n ≤ 2."""
    return float(np.log1p((rows - rows_with + 0.5) / (rows_with + 0.5)))


class Match(NamedTuple):
    """Where a term of the cue occurs: its weight, its rows in order and how often it stands in each."""

    weight: float
    rows: NDArray[np.int32]
    tf: NDArray[np.uint16]


def matches(index: Field, terms: Mapping[int, float]) -> list[Match]:
    """Look each term up."""
    return [Match(weight, *index.postings.of(term)) for term, weight in terms.items()]


def bm25(index: Field, found: Sequence[Match], *, k1: float = 0.9, b: float = 0.4) -> Floats:
    """Return the BM25 score of every row (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework")."""
    scores = np.zeros(len(index), np.float32)
    if not len(index):
        return scores
    mean = max(float(index.length.mean()), 1e-9)
    for weight, rows, tf in found:
        norm = k1 * (1 - b + b / mean * index.length[rows])
        scores[rows] += weight * _idf(rows.size, len(index)) * (k1 + 1) * tf / (tf + norm)
    return scores


def bm25_windows(index: Field, found: Sequence[Match], *, k1: float = 1.2, b: float = 0.75) -> Floats:
    """Return the BM25 score of every row joined with its neighbours in the session.

    Equal to indexing the joined texts: counts and lengths add up, and a window has a term if one of its rows does.
    """
    scores = np.zeros(len(index), np.float32)
    if not len(index):
        return scores
    mean = max(float(index.window.mean()), 1e-9)
    counts = np.zeros(len(index) + 1, np.float32)  # one more, where "no neighbour" (−1) counts into
    for weight, rows, tf in found:
        # A row is the neighbour of at most one row on each side, so no index repeats within one addition.
        for touched in (rows, index.before[rows], index.after[rows]):
            counts[touched] += tf
        counts[-1] = 0
        around = np.flatnonzero(counts)
        tf_around = counts[around]
        norm = k1 * (1 - b + b / mean * index.window[around])
        scores[around] += weight * _idf(around.size, len(index)) * (k1 + 1) * tf_around / (tf_around + norm)
        counts[around] = 0
    return scores


def cosines(index: Field, vector: Floats | None) -> Floats:
    """Return the cosine of every row with `vector`; 0 where the row has no vector yet."""
    if vector is None or index.vectors.shape[1] != len(vector):
        return np.zeros(len(index), np.float32)
    # Not `@`: a matrix product wakes the threads of BLAS, and waits long for them where another process is busy.
    rows = np.flatnonzero(index.embedded)
    if 2 * len(rows) > len(index):
        return np.vecdot(index.vectors[: len(index)], vector)
    scores = np.zeros(len(index), np.float32)
    scores[rows] = np.vecdot(index.vectors[rows], vector)
    return scores


def coverage(index: Field, found: Sequence[Match], rows: Ints) -> Floats:
    """Return how much of the terms' weight each of `rows` (sorted) contains, 0–1, rare terms counting more."""
    covered, total = np.zeros(len(rows), np.float32), 0.0
    for weight, having, _ in found:
        idf = weight * _idf(having.size, len(index))
        total += idf
        covered[_among(having, rows)] += idf
    return covered / total if total else covered


def _among(having: NDArray[np.int32], rows: Ints) -> Bools:
    """Which of `rows` are in `having`, which is sorted."""
    if not having.size:
        return np.zeros(len(rows), np.bool_)
    return having[np.minimum(np.searchsorted(having, rows), having.size - 1)] == rows


def marked(index: Field, marks: Sequence[int], rows: Ints) -> Floats:
    """Return how many of `marks` each of `rows` bears, times how rare the first of them is (`COMMON`), in logarithms.

    That a passage says a time tells much where people talk, nothing among records that say one everywhere.
    """
    bearing = [index.postings.of(mark)[0] for mark in marks]
    share = bearing[0].size / len(index) if bearing else 0.0
    told = np.zeros(len(rows), np.float32)
    if 0 < share < COMMON:
        for having in bearing:
            told[_among(having, rows)] += np.log(COMMON / share)
    return told


# --- features ---------------------------------------------------------------------------------------------------


def z(values: NDArray[Any], known: Bools | None = None) -> Floats:
    """Standardise over the pool; all zeros where the values do not differ. Unknown values become 0, the mean."""
    if known is not None and not known.all():
        scaled = np.zeros(len(values), np.float32)
        scaled[known] = z(values[known])
        return scaled
    if not len(values):
        return np.zeros(0, np.float32)
    around = values - values.sum(dtype=np.float64) / len(values)
    deviation = float(np.sqrt(np.vecdot(around, around) / len(values)))
    return (around / deviation).astype(np.float32) if deviation >= 1e-9 else np.zeros(len(values), np.float32)


def _candidates(channels: Sequence[Floats], allowed: Bools, index: Field) -> Ints:
    """The rows to score: each channel's best and their neighbours, in order of arrival."""
    best: list[Ints] = []
    for scores in channels:
        found = np.flatnonzero((scores > 0) & allowed)
        if len(found) > DEPTH:
            found = found[np.argpartition(-scores[found], DEPTH)[:DEPTH]]
        best.append(found)
    rows = np.unique(np.concatenate(best))
    around = np.concatenate((rows, index.before[rows], index.after[rows]))
    rows = np.unique(around[around >= 0])
    return rows[allowed[rows]]


def _beside(rows: Ints, neighbour: Ints, values: Floats) -> Floats:
    """The neighbour's value where it is in the pool too, else 0; never negative."""
    at = np.minimum(np.searchsorted(rows, neighbour), len(rows) - 1)
    return np.where(rows[at] == neighbour, np.maximum(values[at], 0), np.float32(0)).astype(np.float32)


def _session_strength(session: Ints, values: Floats) -> Floats:
    """The mean of each row's session's three best values in the pool."""
    order = np.lexsort((-values, session))
    ordered = session[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    group = np.cumsum(np.r_[False, ordered[1:] != ordered[:-1]])
    place = np.arange(len(order)) - starts[group]
    top = np.where(place < 3, values[order], 0)
    means = np.add.reduceat(top, starts) / np.minimum(np.diff(np.r_[starts, len(order)]), 3)
    strength = np.empty(len(values), np.float32)
    strength[order] = means[group]
    return strength


def nearness(moments: NDArray[np.float64], windows: Sequence[tuple[float, float]]) -> Floats:
    """Return 1 within a window, less before and after it, 0 far away or where the moment is unknown.

    People tell of a day after it, so nearness ends soon before a window and thins out over days after it.
    """
    near = np.zeros(len(moments), np.float32)
    for start, end in windows:
        late, early = np.maximum(moments - end, 0) / DAY, np.maximum(start - moments, 0) / DAY
        near = np.maximum(near, np.nan_to_num(np.exp(-late / NEAR - early)).astype(np.float32))
    return near


def _joined_cosines(index: Field, rows: Ints, vector: Floats | None) -> Floats:
    """The cosine with the mean of a row's vector (twice) and its neighbours' vectors."""
    if vector is None or index.vectors.shape[1] != len(vector):
        return np.zeros(len(rows), np.float32)
    mean = 2 * index.vectors[rows]
    for side in (index.before[rows], index.after[rows]):
        mean[side >= 0] += index.vectors[side[side >= 0]]
    return np.vecdot(mean, vector) / np.maximum(np.sqrt(np.vecdot(mean, mean)), 1e-9)


def _features(
    index: Index, rows: Ints, cue: Cue, found: Sequence[Match], bm: Floats, ctx: Floats, dense: Floats
) -> tuple[dict[str, Floats], float]:
    """Each candidate's features, named as in the weight table, and how far the words found are to be trusted."""
    passages = index.of("passage")
    before, after = passages.before[rows], passages.after[rows]
    known = passages.embedded[rows]
    vector = cue.vector if dense.any() else None
    features = {"bm25": z(bm[rows]), "bm25_window": z(ctx[rows]), "dense": z(dense[rows], known)}
    features["dense_window"] = z(_joined_cosines(passages, rows, vector), known)
    features["covered"] = coverage(passages, found, rows)
    features["coverage"] = features["covered"] if bm.any() else np.zeros(len(rows), np.float32)
    low, high = CHANCE
    trust = float(np.clip((features["coverage"].max() - low) / (high - low), 0, 1)) if bm.any() else 0.0
    base = z(np.float32(trust) * (features["bm25"] + np.float32(0.7) * features["bm25_window"]) + features["dense"])
    features["prev"] = _beside(rows, before, base)
    features["prev2"] = _beside(rows, np.where(before >= 0, passages.before[before], -1), base)
    features["next"] = _beside(rows, after, base)
    # An answer stands behind a question that resembles this one.
    features["answer"] = np.where((before >= 0) & passages.question[before], features["prev"], np.float32(0))
    features["session"] = z(_session_strength(passages.session[rows], base))
    features["date"] = nearness(passages.valid_from[rows], cue.windows)
    features["when"] = marked(passages, cue.marks, rows)
    named = index.speakers.get(cue.speakers[0], -1) if len(cue.speakers) == 1 else -1
    features["speaker"] = (passages.speaker[rows] == named).astype(np.float32)
    features["question"] = passages.question[rows].astype(np.float32)
    features["length"] = z(np.log1p(passages.words[rows]))
    features["first"] = (before < 0).astype(np.float32)
    return features, trust


# --- fusion -----------------------------------------------------------------------------------------------------


@cache
def weights() -> Mapping[str, Mapping[str, float]]:
    """Return the fitted weight table by profile; see docs/benchmarks.md for how it was fitted."""
    return json.loads(resources.files("fabula.data").joinpath("weights.json").read_text("utf-8"))["profiles"]


def _weighed(cue: Cue, trust: float, *, dense: bool) -> tuple[str, Mapping[str, float]]:
    """The weight profile for what is known, moved towards meaning alone as far as the words found are chance."""
    if not dense:
        name = "han_keyword" if cue.han else "keyword"
        return name, weights()[name]
    name, other = ("han", "han_meaning") if cue.han else ("passages", "meaning")
    words, meaning = weights()[name], weights()[other]
    if trust >= 1:
        return name, words
    mixed = {f: trust * words.get(f, 0) + (1 - trust) * meaning.get(f, 0) for f in {**words, **meaning}}
    return f"{name} {trust:.2f}, {other} {1 - trust:.2f}" if trust else other, mixed


def candidates(index: Index, cue: Cue, plan: Plan, allowed: Bools) -> Ints:
    """Return the rows that `rank` would weigh, with their neighbours in the session: those whose vectors it needs."""
    passages = index.of("passage")
    channels = [scores for scores in _channels(index, cue, plan)[1] if len(scores)]
    pool = _candidates(channels, allowed, passages)
    around = np.concatenate((pool, passages.before[pool], passages.after[pool]))
    return np.unique(around[around >= 0])


def _channels(index: Index, cue: Cue, plan: Plan) -> tuple[list[Match], tuple[Floats, Floats, Floats, Floats]]:
    """What was found of the words, and each channel's score of every row: words, words around, meaning, time."""
    passages = index.of("passage")
    nothing = np.zeros(len(passages), np.float32)
    found = matches(passages, cue.terms)
    k1, b = HAN_K1_B if cue.han else (0.9, 0.4)
    return found, (
        bm25(passages, found, k1=k1, b=b) if "sparse" in plan.channels else nothing,
        bm25_windows(passages, found) if "context" in plan.channels else nothing,
        cosines(passages, cue.vector) if "dense" in plan.channels else nothing,
        nearness(passages.valid_from, cue.windows) if "time" in plan.channels and cue.windows else nothing,
    )


def rank(index: Index, cue: Cue, plan: Plan, allowed: Bools | None = None) -> Ranking | None:
    """Rank the passages of `index`; `None` where no channel finds anything.

    `allowed` narrows the rows that may come back; what the corpus looks like is still told by all of them.
    """
    passages = index.of("passage")
    if not len(passages):
        return None
    allowed = np.ones(len(passages), np.bool_) if allowed is None else allowed
    found, (bm, ctx, dense, near) = _channels(index, cue, plan)
    pool = _candidates((bm, ctx, dense, near), allowed, passages)
    if not len(pool):
        return None
    cue = (
        cue if "time" in plan.channels else Cue(terms=cue.terms, vector=cue.vector, speakers=cue.speakers, han=cue.han)
    )
    features, trust = _features(index, pool, cue, found, bm, ctx, dense)
    if plan.fusion == "rrf":
        name, table = "rrf", {"rank": 1.0}
        features = {"rank": _reciprocal_ranks((bm, ctx, dense, near), pool, allowed, plan.rrf_k)} | features
    else:
        name, table = _weighed(cue, trust, dense=bool(dense.any()))
    scores = np.zeros(len(pool), np.float32)
    for feature, weight in table.items():
        scores += np.float32(weight) * features[feature]
    order = np.lexsort((pool, -scores))
    if plan.fusion == "linear":
        scores = (1 / (1 + np.exp(-scores / 2))).astype(np.float32)
    features["cosine"] = dense[pool]
    return Ranking(
        rows=pool[order],
        scores=scores[order],
        features={feature: values[order] for feature, values in features.items()},
        profile=name,
        weights=table,
        pool=len(pool),
    )


def _reciprocal_ranks(channels: Sequence[Floats], pool: Ints, allowed: Bools, k: int) -> Floats:
    """Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of the channels' positive scores, scaled to 0–1."""
    total = np.zeros(len(pool), np.float32)
    heard = [scores for scores in channels if scores.any()]
    for scores in heard:
        usable = np.where(allowed, scores, 0)[pool]
        order = np.lexsort((pool, -usable))
        ranks = np.empty(len(pool), np.float32)
        ranks[order] = np.arange(1, len(pool) + 1)
        total += np.where(usable > 0, 1 / (k + ranks), 0)
    return total * np.float32((k + 1) / max(len(heard), 1))
