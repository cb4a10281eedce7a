"""Three factors: how relevant a hit is, how fresh and how important, and their product; asks no store and no model.

As in "Generative Agents" (Park et al. 2023), with the forgetting curve of Ebbinghaus (1885), slower for what moved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np

from fabula.feelings import put_in_a_word
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
    if (told := hit.parts.get("told", math.nan)) == told:
        return told
    return recorded.start.timestamp() if recorded is not None and recorded.start is not None else None


def recency(hit: Hit, factors: Factors, at: datetime, access: Access | None = None) -> float:
    """Return how fresh a hit is, `factors.floor` to 1: `floor + (1 − floor)·exp(−age / (τ·(1 + .5·arousal)))`.

    What is still to come is as fresh as can be. With `access`, what was recalled often stays fresh by the base level
    of ACT-R in its closed form, B = ln(n / (1 − d)) − d·ln(L) with L in days, as the odds of still being known.
    """
    moment = moment_of(hit)
    age = max(at.timestamp() - moment, 0.0) if moment is not None else 0.0
    moved = hit.emotion.arousal if hit.emotion is not None else 0.0
    fresh = math.exp(-age / (factors.decay * (1 + MOVED * moved)))
    if access is not None and access.count:
        lived = max((at - access.first).total_seconds() / DAY, 1.0)
        odds = access.count / (1 - FADING) * lived**-FADING
        fresh = max(fresh, odds / (1 + odds))
    return factors.floor + (1 - factors.floor) * fresh


class Weights(NamedTuple):
    """The factors of hits, one each."""

    relevance: list[float]
    recency: list[float]
    scores: list[float]
    """Their products with the importance."""

    def told(self, hit: Hit, place: int) -> Hit:
        """Return the hit at a place with its score, with the factors among its parts, and with a word for an estimate
        of how it felt."""
        factors = {"relevance": self.relevance[place], "recency": self.recency[place]}
        parts = {**hit.parts, **factors, "importance": hit.record.importance}
        emotion = hit.emotion and put_in_a_word(hit.emotion, hit.record.text)
        return Hit(record=hit.record, score=self.scores[place], parts=parts, emotion=emotion)


def weighed(
    hits: Sequence[Hit], factors: Factors, query: str, at: datetime, accessed: Mapping[str, Access] = NOTHING
) -> Weights:
    """Return the three factors of each hit, and their products: the scores.

    Relevance is the calibrated similarity; where words and context rank hits of a kind otherwise than meaning alone,
    the first of them has the greatest of their similarities, the second the next: so it is in the order of the
    ranking and on the scale of similarity. A hit without a vector has what stands at its place. What only words
    found, since by meaning it is no nearer than unrelated texts are, has the share of hits ranked behind it, times
    that of the question's words that it has. How far the ranking sets passages, and what was drawn from them, behind
    the first of their kind counts too, as a factor: age decides among what is about equally relevant.
    """
    relevance = _relevance(hits)
    fresh = [recency(hit, factors, at, accessed.get(hit.record.id)) for hit in hits]
    ahead = FRESHER * (1 - factors.floor)
    for newer, lifted in _newer(hits, relevance, fresh, ahead, query).items():
        relevance[newer] = max(relevance[newer], lifted)
    scores = [
        relevant * recent * hit.record.importance for hit, relevant, recent in zip(hits, relevance, fresh, strict=True)
    ]
    return Weights(relevance, fresh, scores)


def _relevance(hits: Sequence[Hit]) -> list[float]:
    groups: dict[tuple[str, bool], list[int]] = {}
    for place, hit in enumerate(hits):
        groups.setdefault((hit.record.kind, "standing" in hit.parts), []).append(place)
    relevance = [0.0] * len(hits)
    for places in groups.values():
        places.sort(key=lambda place: -hits[place].score)
        count = len(places)
        behind = 1 - np.arange(count) / count
        alike = sorted((hits[p].parts["similarity"] for p in places if "similarity" in hits[p].parts), reverse=True)
        near = np.interp(np.linspace(0, len(alike) - 1, count), np.arange(len(alike)), alike) if alike else behind
        words = behind * [hits[place].parts.get("covered", 0.0) for place in places]
        found = np.where(near < UNRELATED, np.maximum(near, words), near)
        found = np.maximum.accumulate(found[::-1])[::-1]  # what is ranked before is as relevant at least
        found = found * _shares([hits[place] for place in places])
        for place, value in zip(places, found.tolist(), strict=True):
            relevance[place] = value
    return relevance


def _shares(ranked: Sequence[Hit]) -> Doubles:
    """How much less than the first of its kind the ranking finds in each; of what stands on its own, ranked by the
    same as it is rated by, only what it lost because it is over or says no time."""
    best = ranked[0]
    if "standing" in best.parts:
        return np.array([hit.parts.get("fitting", 1.0) for hit in ranked])
    return np.array([hit.score / best.score if best.score > 0 else 1.0 for hit in ranked])


def _newer(
    hits: Sequence[Hit], relevance: Sequence[float], fresh: Sequence[float], ahead: float, query: str
) -> dict[int, float]:
    """The hits that are a newer word on what a leading one tells, and how relevant they are by that.

    It is one that is more recent by `ahead`, and has half of the words by weight, the rare ones weighing more, that
    the older one adds to the question.
    """
    order = sorted(range(len(hits)), key=lambda place: -relevance[place])[:FOLLOWING]
    old = [
        lead
        for lead in order[:LEADING]
        if any(fresh[place] - fresh[lead] > ahead and relevance[place] < NEWER * relevance[lead] for place in order)
    ]
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
                lifted[place] = max(lifted.get(place, 0.0), NEWER * relevance[lead])
    return lifted


def _same(has: set[str], weight: Mapping[str, float]) -> bool:
    return bool(has) and 2 * sum(weight[word] for word in has) >= sum(weight.values())
