"""Three factors: how relevant a hit is, how fresh and how important, and their product; asks no store and no model.

As in "Generative Agents" (Park et al. 2023), with the forgetting curve of Ebbinghaus (1885), slower for what moved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, cast

import numpy as np

from fabula import circumstances
from fabula.index import Doubles
from fabula.text import stop, tokens
from fabula.types import NOTHING, Access, Factors, Hit

DAY: Final = 86_400.0
MOVED: Final = 0.5
"""How much longer what moved to the utmost (arousal 1) stays fresh."""
UNRELATED: Final = 0.5
"""What `Embedder.similarity` says of texts that are as alike as unrelated ones get."""
DEPTH: Final = 20
"""How many of the most relevant hits of each kind are weighed, at least: age and importance choose among them."""
NEWER: Final = 0.88
"""What a newer word on the same has of the relevance of the older one: "quit Google" answers "where do I work"."""
FRESHER: Final = 0.5
"""How much more recent it has to be, as a share of what there is between the floor and 1."""
CLOSE: Final = 0.5
"""What share of the relevance of an older word what has taken its place has, at least, where no other word tells so."""
LEADING, FOLLOWING = 3, 20
"""How many of the most relevant hits are looked for newer words on, and among how many."""
FADING: Final = 0.5
"""The decay d of ACT-R's base level."""


def depth(limit: int) -> int:
    """Return how many hits of each kind are to be weighed where `limit` are wanted."""
    return max(3 * limit // 2, DEPTH)


def moment_of(hit: Hit) -> float | None:
    """Return when a record happened or began to hold, or else was told, or else was recorded; in seconds.

    "Recently" says nothing of when.
    """
    valid, recorded = hit.record.valid, hit.record.recorded
    if valid is not None and valid.precision != "fuzzy" and (begun := hit.record.begun) is not None:
        return begun.timestamp()
    if (told := hit.parts.get("told")) is not None:
        return told
    return recorded.start.timestamp() if recorded is not None and recorded.start is not None else None


def recency(
    hits: Sequence[Hit], factors: Factors, at: datetime, accessed: Mapping[str, Access] = NOTHING
) -> Doubles:  # fmt: skip
    """Return how fresh each hit is, `factors.floor` to 1: `floor + (1 − floor)·exp(−age / (τ·(1 + .5·arousal)))`.

    What is still to come, or says no time, is as fresh as can be. What was recalled often, as `accessed` tells, stays
    fresh by the base level of ACT-R in its closed form, B = ln(n / (1 − d)) − d·ln(L) with L in days, as the odds of
    still being known.
    """
    now = at.timestamp()
    moments = np.array([now if (moment := moment_of(hit)) is None else moment for hit in hits], np.float64)
    moved = np.array([0.0 if hit.emotion is None else hit.emotion.arousal for hit in hits], np.float64)
    fresh = np.exp(-np.maximum(now - moments, 0.0) / (factors.decay * (1 + MOVED * moved)))
    for place, hit in enumerate(hits) if accessed else ():
        access = accessed.get(hit.record.id)
        if access is not None and access.count:
            lived = max((at - access.first).total_seconds() / DAY, 1.0)
            odds = access.count / (1 - FADING) * lived**-FADING
            fresh[place] = max(fresh[place], odds / (1 + odds))
    return factors.floor + (1 - factors.floor) * fresh


class Weights(NamedTuple):
    """The factors of hits, one each."""

    relevance: list[float]
    recency: list[float]
    scores: list[float]
    """Their products with the importance."""

    def told(self, hit: Hit, place: int) -> Hit:
        """Return the hit at a place with its score, and with the factors among its parts."""
        relevance, recency, importance = self.relevance[place], self.recency[place], hit.record.importance
        parts = {**hit.parts, "relevance": relevance, "recency": recency, "importance": importance}
        return Hit(record=hit.record, score=self.scores[place], parts=parts, emotion=hit.emotion)


def weighed(
    hits: Sequence[Hit], factors: Factors, query: str, at: datetime, *, current: bool = True,
    accessed: Mapping[str, Access] = NOTHING,
) -> Weights:  # fmt: skip
    """Return the three factors of each hit, and their products: the scores.

    `current`: the question is about what holds now.

    Relevance is the calibrated similarity; where words and context rank hits of a kind otherwise than meaning alone,
    the first of them has the greatest of their similarities, the second the next: so it is in the order of the
    ranking and on the scale of similarity. A hit without a vector has what stands at its place. What only words
    found, since by meaning it is no nearer than unrelated texts are, has the share of hits ranked behind it, times
    that of the question's words that it has. How far the ranking sets passages, and what was drawn from them, behind
    the first of their kind counts too, as a factor: age decides among what is about equally relevant.
    """
    relevance = _relevance(hits)
    fresh = recency(hits, factors, at, accessed)
    if current and hits:
        _renewed(hits, relevance, fresh, query)
    ahead = FRESHER * (1 - factors.floor)
    for newer, lifted in _newer(hits, relevance, fresh, ahead, query).items():
        relevance[newer] = max(relevance[newer], lifted)
    scores = relevance * fresh * np.array([hit.record.importance for hit in hits], np.float64)
    return Weights(relevance.tolist(), fresh.tolist(), scores.tolist())


def _relevance(hits: Sequence[Hit]) -> Doubles:
    groups: dict[tuple[str, bool], list[int]] = {}
    for place, hit in enumerate(hits):
        groups.setdefault((hit.record.kind, "standing" in hit.parts), []).append(place)
    scores = np.array([hit.score for hit in hits], np.float64)
    similarity, covered, fitting = (
        np.array([hit.parts.get(name, usual) for hit in hits], np.float64)
        for name, usual in (("similarity", math.nan), ("covered", 0.0), ("fitting", 1.0))
    )
    relevance = np.zeros(len(hits))
    for (_, standing), group in groups.items():
        places = np.array(group)
        places = places[np.argsort(-scores[places], kind="stable")]
        count, alike = len(places), np.sort(similarity[places])
        alike = alike[~np.isnan(alike)][::-1]
        near = behind = 1 - np.arange(count) / count
        if len(alike) == count:
            near = alike
        elif len(alike):
            near = np.interp(np.linspace(0, len(alike) - 1, count), np.arange(len(alike)), alike)
        found = np.where(near < UNRELATED, np.maximum(near, behind * covered[places]), near)
        found = np.maximum.accumulate(found[::-1])[::-1]  # what is ranked before is as relevant at least
        # How much less than the first of its kind the ranking finds in each; of what stands on its own, ranked by the
        # same as it is rated by, only what it lost because it is over or says no time.
        best = scores[places[0]]
        ranked = scores[places] / best if best > 0 else 1.0
        share = fitting[places] if standing else ranked
        relevance[places] = found * share
    return relevance


def _newer(
    hits: Sequence[Hit], relevance: Doubles, fresh: Doubles, ahead: float, query: str
) -> dict[int, float]:  # fmt: skip
    """The hits that are a newer word on what a leading one tells, and how relevant they are by that.

    It is one that is more recent by `ahead`, and has half of the words by weight, the rare ones weighing more, that
    the older one adds to the question.
    """
    best = np.argsort(-relevance, kind="stable")[:FOLLOWING]
    near, late, order = relevance[best], fresh[best], cast(list[int], best.tolist())
    old = [lead for lead in order[:LEADING] if ((late - fresh[lead] > ahead) & (near < NEWER * relevance[lead])).any()]
    if not old:
        return {}
    asked = set(tokens(query))
    words = {place: {word for word in tokens(hits[place].record.text) if not stop(word)} - asked for place in order}
    spread = Counter(word for own in words.values() for word in own)
    lifted: dict[int, float] = {}
    for lead in old:
        weight = {word: 1 / spread[word] for word in words[lead]}
        shared = {word for word in weight if spread[word] > 1}
        if not shared:
            continue
        for place in order:
            has = words[place] & shared
            if place != lead and fresh[place] - fresh[lead] > ahead and _same(has, weight):
                lifted[place] = max(lifted.get(place, 0.0), NEWER * float(relevance[lead]))
    return lifted


def _renewed(hits: Sequence[Hit], relevance: Doubles, fresh: Doubles, query: str) -> None:
    """Make what tells that something has changed as relevant as the older word that it stands behind: age decides then.

    What tells of the job, the home, the school or the partner that is asked for is as relevant as the most relevant
    hit is; what tells that something has taken another's place, as the leading hits that it comes near to.
    """
    best = np.argsort(-relevance, kind="stable")[:FOLLOWING]
    near, late = relevance[best], fresh[best]
    scores = near * late
    asked = circumstances.asked(query)
    if asked.names:
        others: list[int] = best[scores < scores.max()].tolist()
        told = [place for place in others if asked.told(hits[place].record.text)]
        relevance[told] = near[0]
        return
    for place in range(min(LEADING, len(best))):
        later = (scores < scores[place]) & (near >= CLOSE * near[place]) & (late > late[place])
        behind: list[int] = best[later].tolist()
        told = [after for after in behind if asked.turned(hits[after].record.text)]
        relevance[told] = np.maximum(relevance[told], near[place])


def _same(has: set[str], weight: Mapping[str, float]) -> bool:
    return bool(has) and 2 * sum(weight[word] for word in has) >= sum(weight.values())
