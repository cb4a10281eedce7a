"""How well the rows of an index answer a cue, channel by channel: BM25, cosines, times; reads no text, weighs nothing.

Scores are made comparable by standardising them (`z`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.index import Bools, Field, Floats, Ints

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
    entities: tuple[int, ...] = ()
    """The keys of the entities it names."""
    names: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()
    """Terms of a name in it, and those of another name in another script that the same entity has."""
    marks: tuple[int, ...] = ()
    """Hashes of the marks that passages of the kind it asks for bear: that they say a time, that it is to come."""
    han: bool = False
    """Whether it is written in Chinese characters."""
    said: Mapping[int, int] = field(default_factory=dict[int, int])
    """How often it has each term, stop words included."""
    apart: float = 0.0
    """How much less its cosine is with an unrelated text in another script than with one in its own; 0: not known."""


# --- channels ---------------------------------------------------------------------------------------------------


def idf(rows_with: int, rows: int) -> float:
    """Return the Robertson–Spärck Jones weight, with 1 inside the logarithm as in Lucene: never negative."""
    return float(np.log1p((rows - rows_with + 0.5) / (rows_with + 0.5)))


class Match(NamedTuple):
    """Where a term of the cue occurs: its weight, its rows in order and how often it stands in each."""

    weight: float
    rows: NDArray[np.int32]
    tf: NDArray[np.uint16]


def matches(index: Field, cue: Cue) -> list[Match]:
    """Look each term of the cue up; where an entity's other name stands, the name that was asked for stands too."""
    held = zip(cue.terms.items(), index.postings.each(cue.terms), strict=True)
    found = {term: Match(weight, *rows) for (term, weight), rows in held}
    for asked, other in cue.names:
        rows = index.postings.of(other[0])[0]
        for term in other[1:]:
            rows = np.intersect1d(rows, index.postings.of(term)[0])
        for term in asked:
            if term in found:
                found[term] = _also(found[term], rows)
    return list(found.values())


def _also(match: Match, rows: NDArray[np.int32]) -> Match:
    """The match with more rows, in each of which the term stands once."""
    more = np.setdiff1d(rows, match.rows)
    together = np.concatenate((match.rows, more))
    order = np.argsort(together, kind="stable")
    return Match(match.weight, together[order], np.concatenate((match.tf, np.ones(len(more), np.uint16)))[order])


def bm25(index: Field, found: Sequence[Match], *, k1: float = 0.9, b: float = 0.4) -> Floats:
    """Return the BM25 score of every row (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework")."""
    scores = np.zeros(len(index), np.float32)
    if not len(index):
        return scores
    mean = max(float(index.length.mean()), 1e-9)
    for weight, rows, tf in found:
        norm = k1 * (1 - b + b / mean * index.length[rows])
        scores[rows] += weight * idf(rows.size, len(index)) * (k1 + 1) * tf / (tf + norm)
    return scores


def by_words(index: Field, cue: Cue, found: Sequence[Match]) -> Floats:
    """Return the BM25 score of every row, with the constants for the cue's script."""
    k1, b = HAN_K1_B if cue.han else (0.9, 0.4)
    return bm25(index, found, k1=k1, b=b)


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
        scores[around] += weight * idf(around.size, len(index)) * (k1 + 1) * tf_around / (tf_around + norm)
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
        rarity = weight * idf(having.size, len(index))
        total += rarity
        covered[_among(having, rows)] += rarity
    return covered / total if total else covered


def _among(having: NDArray[np.int32], rows: Ints) -> Bools:
    """Which of `rows` are in `having`, which is sorted."""
    if not having.size:
        return np.zeros(len(rows), np.bool_)
    return having[np.minimum(having.searchsorted(rows), having.size - 1)] == rows


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


# --- making scores comparable ---------------------------------------------------------------------------------------


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


def median(values: Floats) -> float:
    """Return the median of values, of which there is one at least; NumPy's own takes several times as long for few."""
    half = len(values) // 2
    ordered = np.partition(values, half)
    return float(ordered[half] if len(values) % 2 else (ordered[:half].max() + ordered[half]) / 2)


def greatest(values: Floats, target: NDArray[np.int32], size: int, start: Floats | float = 0.0) -> Floats:
    """Return the greatest of the values that go to each of `size` rows, and at least what it has at the `start`."""
    best = np.full(size, start, np.float32)
    np.maximum.at(best, target, values)
    return best


def nearness(moments: NDArray[np.float64], windows: Sequence[tuple[float, float]]) -> Floats:
    """Return 1 within a window, less before and after it, 0 far away or where the moment is unknown.

    People tell of a day after it, so nearness ends soon before a window and thins out over days after it.
    """
    near = np.zeros(len(moments), np.float32)
    for start, end in windows:
        late, early = np.maximum(moments - end, 0) / DAY, np.maximum(start - moments, 0) / DAY
        near = np.maximum(near, np.nan_to_num(np.exp(-late / NEAR - early)).astype(np.float32))
    return near
