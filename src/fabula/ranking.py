"""Which rows of an index answer a cue best: BM25, cosines, one pool, one weighted sum; reads no text, asks no store.

Every channel scores every candidate of one pool, scores are made comparable by standardising them over the pool
(`z`), and the sum is weighted by a small fitted table (`weights`). Reciprocal rank fusion is the alternative.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Final

import numpy as np

from fabula.index import Bools, Field, Floats, Index, Ints
from fabula.keys import KEYS, Keys, bm25_told, keys
from fabula.scoring import (
    Cue,
    Match,
    bm25_windows,
    by_words,
    cosines,
    coverage,
    marked,
    matches,
    nearness,
    z,
)
from fabula.scripts import foreign, lift
from fabula.text import fold, tokens
from fabula.ties import walked
from fabula.types import ROLES, Kind, Plan

DEPTH: Final = 50
"""How many rows each channel brings into the pool; 99 % of the evidence of LoCoMo is inside."""
CHANCE: Final = (0.2, 0.4)
"""Word matches that cover less of a question than the first are chance; from the second on they are trusted."""

DATED: Final = 10
"""How many words the date of a passage is, which is among its terms."""
CURT: Final = 8
"""Words from which on a passage is not too short for its meaning to be held against that of another language."""
ANSWERS: Final = 0.4
"""What a fact that answers the question a standard deviation better than others gains over its passage."""
DRAWN: Final = ("fact_meaning", "frame_meaning", "graph")
"""The features that what was drawn from passages has also in another language."""
SAID: Final = ("sparse", "context", "dense", "time")
"""The channels that look at passages themselves, not at what was drawn from them."""
ECHOED: Final = -6.0
"""The weight of a question that only repeats the one asked: what was asked before is no answer."""
FAINT: Final = np.float32(1e-9)
"""What a passage that the walk never comes by counts as, before the logarithm."""


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
    keys: Mapping[Kind, KeyRanking] = field(default_factory=dict[Kind, "KeyRanking"])
    """The facts and frames that are keys to the pool."""


@dataclass(frozen=True, slots=True)
class KeyRanking:
    """Rows of a field of keys, best first, each with its score, cosine, share of the words and best passage, and its
    cosine made comparable across scripts."""

    rows: Ints
    scores: Floats
    cosine: Floats
    covered: Floats
    best: Ints
    lifted: Floats


_NONE: Final = np.empty(0, np.float32)
UNRANKED: Final = Ranking(
    np.empty(0, np.int64), _NONE, dict.fromkeys(("cosine", "covered", "lifted", "echo"), _NONE), "", {}, 0
)
"""What no channel finds anything for."""


# --- the pool and its features ---------------------------------------------------------------------------------------


def _candidates(channels: Iterable[Floats], allowed: Bools, index: Field, then: Bools | None = None) -> Ints:
    """The rows to score: each channel's best and their neighbours, in order of arrival.

    Those of the rows in `then` are among them too, however good others are.
    """
    if then is not None:
        channels = list(channels)
        both = (_candidates(channels, rows, index) for rows in (allowed, allowed & then))
        return np.unique(np.concatenate(list(both)))
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


def _joined_cosines(index: Field, rows: Ints, vector: Floats | None) -> Floats:
    """The cosine with the mean of a row's vector (twice) and its neighbours' vectors."""
    if vector is None or index.vectors.shape[1] != len(vector):
        return np.zeros(len(rows), np.float32)
    mean = 2 * index.vectors[rows]
    for side in (index.before[rows], index.after[rows]):
        mean[side >= 0] += index.vectors[side[side >= 0]]
    return np.vecdot(mean, vector) / np.maximum(np.sqrt(np.vecdot(mean, mean)), 1e-9)


def _features(index: Index, rows: Ints, cue: Cue, heard: Heard) -> tuple[dict[str, Floats], float]:
    """Each candidate's features, named as in the weight table, and how far the words found are to be trusted."""
    passages = index.of("passage")
    bm, ctx, dense = (heard.channels[name] for name in ("sparse", "context", "dense"))
    before, after = passages.before[rows], passages.after[rows]
    known = passages.embedded[rows]
    vector = cue.vector if dense.any() else None
    features = {"bm25": z(bm[rows]), "bm25_window": z(ctx[rows]), "dense": z(dense[rows], known)}
    features["dense_window"] = z(_joined_cosines(passages, rows, vector) + heard.raised[rows], known)
    features["covered"] = coverage(passages, heard.found, rows)
    features["coverage"] = features["covered"] if bm.any() else np.zeros(len(rows), np.float32)
    low, high = CHANCE
    trust = float(np.clip((features["coverage"].max() - low) / (high - low), 0, 1)) if bm.any() else 0.0
    base = np.float32(trust) * (features["bm25"] + np.float32(0.7) * features["bm25_window"]) + features["dense"]
    features["date"] = nearness(passages.valid_from[rows], cue.windows)
    for kind, own in heard.keys.items():
        features[f"{kind}_meaning"] = z(own.meaning[rows])
        base = base + z(own.answers[rows])
        features["date"] = np.maximum(features["date"], own.near[rows])
    base = z(base)
    if heard.told is not None:
        features["bm25_told"] = z(heard.told[rows])
    if "graph" in heard.channels:
        features["graph"] = z(np.log(heard.channels["graph"][rows] + FAINT))
    features["prev"] = _beside(rows, before, base)
    features["prev2"] = _beside(rows, np.where(before >= 0, passages.before[before], -1), base)
    features["next"] = _beside(rows, after, base)
    # An answer stands behind a question that resembles this one.
    features["answer"] = np.where((before >= 0) & passages.question[before], features["prev"], np.float32(0))
    features["session"] = z(_session_strength(passages.session[rows], base))
    features["when"] = marked(passages, cue.marks, rows)
    named = index.speakers.get(cue.speakers[0], -1) if len(cue.speakers) == 1 else -1
    features["speaker"] = (passages.speaker[rows] == named).astype(np.float32)
    features["question"] = passages.question[rows].astype(np.float32)
    features["length"] = z(np.log1p(passages.words[rows]))
    # An interjection is near to every question of another language.
    short = np.clip(1 - (passages.words[rows] - DATED) / CURT, 0, 1).astype(np.float32)
    features["echo"] = _echo(index, rows, cue)
    strange = heard.strange[rows]
    features["curt"] = short * strange
    features["first"] = (before < 0).astype(np.float32)
    # What was drawn from passages lends them its words, in their own language.
    return features, max(trust, 1 - float(strange.mean())) if heard.keys else trust


def _echo(index: Index, rows: Ints, cue: Cue) -> Floats:
    """Return 1 for each of `rows` that asks something, has no word but those of the question, and half of these."""
    passages = index.of("passage")
    same = np.zeros(len(passages), np.int64)
    for times, (at, often) in zip(cue.said.values(), passages.postings.each(cue.said), strict=True):
        same[at] += np.minimum(often, times)
    names = [0 if fold(name) in ROLES else len(tokens(name)) for name in index.speakers]
    beside = np.array([*names, 0])[passages.speaker[rows]]
    dated = np.where(np.isfinite(passages.valid_from[rows]), DATED, 0)
    more = passages.words[rows] - dated - beside - same[rows]
    echo = passages.question[rows] & (more <= 0) & (2 * same[rows] > sum(cue.said.values()))
    return echo.astype(np.float32)


# --- fusion -----------------------------------------------------------------------------------------------------


@cache
def weights() -> Mapping[str, Mapping[str, float]]:
    """Return the fitted weight table by profile; see docs/benchmarks.md for how it was fitted."""
    return json.loads(resources.files("fabula.data").joinpath("weights.json").read_text("utf-8"))["profiles"]


def _weighed(cue: Cue, heard: Heard, trust: float) -> tuple[str, Mapping[str, float]]:
    """The weight profile for what is known, moved towards meaning alone as far as the words found are chance."""
    if not heard.channels["dense"].any():
        name = "han_keyword" if cue.han else "keyword"
        return name, weights()[name]
    name, other = ("han", "han_meaning") if cue.han else ("passages", "meaning")
    meaning = weights()[other]
    if heard.keys:
        name = "han_keys" if cue.han else "keys"
        meaning = {**{f: weights()[name][f] for f in DRAWN}, **meaning}
    words = weights()[name]
    if trust >= 1:
        return name, words
    mixed = {f: trust * words.get(f, 0) + (1 - trust) * meaning.get(f, 0) for f in {**words, **meaning}}
    return f"{name} {trust:.2f}, {other} {1 - trust:.2f}" if trust else other, mixed


def candidates(index: Index, cue: Cue, plan: Plan, allowed: Bools, then: Bools | None = None) -> Ints:
    """Return the rows that `rank` would weigh, with their neighbours in the session: those whose vectors it needs."""
    passages = index.of("passage")
    pool = _candidates(_hear(index, cue, plan).channels.values(), allowed, passages, then)
    around = np.concatenate((pool, passages.before[pool], passages.after[pool]))
    return np.unique(around[around >= 0])


@dataclass(frozen=True, slots=True)
class Heard:
    """What each channel says of every passage."""

    found: Sequence[Match]
    """Where the cue's words are."""
    channels: Mapping[str, Floats]
    """Scores by channel; all zeros where it has nothing to say."""
    keys: Mapping[Kind, Keys]
    """What facts and frames say, where there are any."""
    told: Floats | None
    """Scores of what was said together with what was drawn from it; it brings no candidates of its own."""
    cosine: Floats
    """The cosines as they are."""
    raised: Floats
    """What those of the channel were raised by, to be comparable across scripts."""
    strange: Floats
    """1 for what is told in another script than the cue."""


def _hear(index: Index, cue: Cue, plan: Plan) -> Heard:
    passages = index.of("passage")
    nothing = np.zeros(len(passages), np.float32)
    found = matches(passages, cue)
    cosine = cosines(passages, cue.vector) if "dense" in plan.channels else nothing
    strange = foreign(index, "passage", han=cue.han)
    raised = lift(cosine, strange, passages.embedded, cue.apart) if cosine.any() else nothing
    channels = {
        "sparse": by_words(passages, cue, found) if "sparse" in plan.channels else nothing,
        "context": bm25_windows(passages, found) if "context" in plan.channels else nothing,
        "dense": cosine + raised,
        "time": nearness(passages.valid_from, cue.windows) if "time" in plan.channels and cue.windows else nothing,
    }
    held: dict[Kind, Keys] = {
        kind: own for kind in KEYS if f"{kind}s" in plan.channels and (own := keys(index, cue, kind)) is not None
    }
    channels |= {kind: own.answers for kind, own in held.items()}
    facts = held.get("fact") or (keys(index, cue, "fact") if "graph" in plan.channels else None)
    if "graph" in plan.channels and (held or facts is not None):
        channels["graph"] = walked(index, cue, facts, channels["dense"], plan.restart)
    told = bm25_told(index, found, held) if held and "sparse" in plan.channels else None
    return Heard(found, channels, held, told, cosine, raised, strange)


def rank(index: Index, cue: Cue, plan: Plan, allowed: Bools | None = None, then: Bools | None = None) -> Ranking | None:
    """Rank the passages of `index`; `None` where no channel finds anything.

    `allowed` narrows the rows that may come back; what the corpus looks like is still told by all of them. The best
    of the rows in `then` are ranked with the best of all.
    """
    passages = index.of("passage")
    if not len(passages):
        return None
    allowed = np.ones(len(passages), np.bool_) if allowed is None else allowed
    cue = cue if "time" in plan.channels else replace(cue, windows=(), marks=())
    heard = _hear(index, cue, plan)
    pool = _candidates(heard.channels.values(), allowed, passages, then)
    if not len(pool):
        return None
    if not any(heard.channels[name].any() for name in SAID):
        plan = replace(plan, fusion="rrf")  # the weights were fitted to what was drawn beside these, not to it alone
    features, trust = _features(index, pool, cue, heard)
    if plan.fusion == "rrf":
        name, table = "rrf", {"rank": 1.0}
        features = {"rank": _reciprocal_ranks(heard.channels.values(), pool, allowed, plan.rrf_k)} | features
    else:
        name, table = _weighed(cue, heard, trust)
        table = {**table, "echo": ECHOED}
    scores = np.zeros(len(pool), np.float32)
    for feature, weight in table.items():
        if feature in features:  # there may be facts and no frames
            scores += np.float32(weight) * features[feature]
    order = np.lexsort((pool, -scores))
    ranked: dict[Kind, KeyRanking] = {kind: _ranked_keys(own, pool, scores, plan) for kind, own in heard.keys.items()}
    if plan.fusion == "linear":
        scores = _share(scores)
    features["cosine"] = heard.cosine[pool]
    features["lifted"] = (heard.cosine + heard.raised)[pool]
    return Ranking(
        rows=pool[order],
        scores=scores[order],
        features={feature: values[order] for feature, values in features.items()},
        profile=name,
        weights=table,
        pool=len(pool),
        keys=ranked,
    )


def _share(sums: Floats) -> Floats:
    """A weighted sum as a score: .5 for an average candidate."""
    return (1 / (1 + np.exp(-sums / 2))).astype(np.float32)


def _ranked_keys(own: Keys, pool: Ints, sums: Floats, plan: Plan) -> KeyRanking:
    """Rank facts or frames by the best passage they were made from, and by how well they answer themselves."""
    place = np.minimum(np.searchsorted(pool, own.target), len(pool) - 1)
    inside = pool[place] == own.target
    owner, place = own.owner[inside], place[inside]
    order = np.lexsort((sums[place], owner))  # the best passage of each comes last
    last = np.r_[owner[order][1:] != owner[order][:-1], True] if len(order) else np.empty(0, np.bool_)
    who, best = owner[order][last], place[order][last]
    linear = plan.fusion == "linear"
    total = (sums[best] + np.float32(ANSWERS if linear else FAINT) * own.scores[who]).astype(np.float32)
    by = np.lexsort((own.rows[who], -total))
    _, first = np.unique(own.whole[who][by], return_index=True)  # of each record what answers best of it
    by = by[np.sort(first)]
    who, best = who[by], best[by]
    scores = _share(total[by]) if linear else np.clip(total[by], 0, 1).astype(np.float32)
    return KeyRanking(own.whole[who], scores, own.cosine[who], own.covered[who], pool[best], own.lifted[who])


def _reciprocal_ranks(channels: Iterable[Floats], pool: Ints, allowed: Bools, k: int) -> Floats:
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
