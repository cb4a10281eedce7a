"""What facts and frames tell of the passages they were made from: they are keys to them; reads no text, asks no store.

A passage has the score of the best fact, and of the best frame, that cites it. For a frame that was fused speak those
it was made of, each for its own passages: a long summary is like many questions a little, and like none much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from fabula.index import FOREVER, LINKS, Bools, Doubles, Field, Floats, Index, Ints
from fabula.scoring import Cue, Match, by_words, coverage, greatest, idf, matches, nearness, z
from fabula.scripts import by_meaning
from fabula.types import Kind

KEYS: Final[tuple[Kind, ...]] = ("fact", "frame")
NONE: Final = np.float32(-1)
"""What a passage gets that nothing was drawn from, in standard deviations of the keys."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What the records of one kind say of every passage; `told` says which passages have been read at all."""

    found: Sequence[Match]
    """Where the cue's terms stand in the records, a match a term."""
    rows: Ints
    """The live records that cite passages, and what they were fused of."""
    whole: Ints
    """The live record that each of `rows` is, or is now part of."""
    scores: Floats
    """How well each of them answers the cue: by words and by meaning, in standard deviations."""
    cosine: Floats
    lifted: Floats
    covered: Floats
    """Each one's cosine with the cue, as it is and made comparable across scripts, and its share of the cue's words."""
    owner: Ints
    target: Ints
    """Which of `rows` (by place) cites which passage (by row)."""
    answers: Floats
    """How well the best record that cites it answers, a passage each; `meaning`: by meaning alone."""
    meaning: Floats
    near: Floats
    """0–1, a passage each: how near what happened is to a time of the cue."""
    told: Bools


def keys(index: Index, cue: Cue, kind: Kind) -> Keys | None:
    """Hold the records of `kind` against the cue, and give the best of them to each passage; `None`: there are none."""
    field, passages = index.of(kind), index.of("passage")
    whole = _wholes(field)
    owner, target = field.links.of("cites")
    speaking = whole[owner] >= 0
    owner, target = owner[speaking], target[speaking]
    if not len(owner):
        return None
    speaks = np.zeros(len(field), np.bool_)
    speaks[owner] = True
    rows = np.flatnonzero(speaks)
    found = matches(field, cue)
    words = z(by_words(field, cue, found)[rows])
    session = np.zeros(len(field), np.int64)
    session[owner] = passages.session[target]  # a fact has few words to know its language by: that of those beside it
    cosine, lifted = by_meaning(index, cue, kind, session)
    meaning = z(lifted[rows], field.embedded[rows])
    place = (np.cumsum(speaks) - 1)[owner]
    told = _told(passages, target)
    scores = words + meaning
    return Keys(
        found=found,
        rows=rows,
        whole=whole[rows],
        scores=scores,
        cosine=cosine[rows],
        lifted=lifted[rows],
        covered=coverage(field, found, rows),
        owner=place,
        target=target.astype(np.int64),
        answers=_best(scores[place], target, told),
        meaning=_best(meaning[place], target, told),
        near=greatest(nearness(_middle(field, rows), cue.windows)[place], target, len(passages)),
        told=told,
    )


def bm25_told(
    index: Index, found: Sequence[Match], held: Mapping[Kind, Keys], *, k1: float = 1.2, b: float = 0.75
) -> Floats:
    """Return the BM25 score of every passage joined with all facts and frames that were drawn from it.

    `found` is where the terms stand in the passages, in the order in which the keys were searched for them.
    They say what it means in whole sentences, with names for pronouns: document expansion, as "Document Expansion by
    Query Prediction" (Nogueira, Yang, Lin and Cho 2019) does it with questions.
    """
    passages = index.of("passage")
    size = len(passages)
    drawn = [(index.of(kind), own, own.rows[own.owner]) for kind, own in held.items()]
    length = passages.length + sum(np.bincount(own.target, field.length[rows], size) for field, own, rows in drawn)
    norm = k1 * (1 - b + b / max(float(length.mean()), 1e-9) * length)
    scores = np.zeros(size, np.float32)
    for place, match in enumerate(found):
        counts = _counts(match, size)
        for field, own, rows in drawn:
            counts += np.bincount(own.target, _counts(own.found[place], len(field))[rows], size)
        told = np.flatnonzero(counts)
        scores[told] += match.weight * idf(told.size, size) * (k1 + 1) * counts[told] / (counts[told] + norm[told])
    return scores


def _counts(match: Match, size: int) -> Doubles:
    """How often a term stands in each row."""
    counts = np.zeros(size)
    counts[match.rows] = match.tf
    return counts


def _wholes(field: Field) -> Ints:
    """For each row that speaks the live one that it is, or that it was fused into; −1 for the others."""
    live = field.recorded_to == FOREVER
    whole = np.where(live, np.arange(len(field)), -1)
    fused = field.links.kind == LINKS.index("fused")
    into, part = field.links.owner[fused], field.links.target[fused]
    there = (part >= 0) & ~live[part]
    into, part, lacking = into[there & live[into]], part[there & live[into]], into[~there & live[into]]
    whole[into] = -1
    whole[lacking] = lacking  # of what lacks a part the whole speaks
    whole[part] = into
    return whole


def _best(values: Floats, target: NDArray[np.int32], told: Bools) -> Floats:
    """The greatest value for each passage; for those that nobody has read yet the mean, which is 0."""
    floor = np.where(told, NONE, np.float32(0))
    cited = np.zeros(len(told), np.bool_)
    cited[target] = True
    return greatest(values, target, len(told), np.where(cited, np.float32(-np.inf), floor))


def _told(passages: Field, target: NDArray[np.int32]) -> Bools:
    """Which passages have been read by whoever draws facts: up to the last that anything in their session cites."""
    last = np.full(int(passages.session.max()) + 1, -1)
    np.maximum.at(last, passages.session[target], passages.seq[target])
    return passages.seq <= last[passages.session]


def _middle(field: Field, rows: Ints) -> Doubles:
    """When it happened: the start, or the end of what has none."""
    start, end = field.valid_from[rows], field.valid_to[rows]
    return np.where(np.isfinite(start), start, end)
