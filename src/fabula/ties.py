"""The graph of a scope: passages, frames and entities, tied by facts, mentions and names; reads no text, asks no store.

A fact ties its subject to its object, and both to the passages it was made from; a frame its passages to whom it names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fabula.graph import EMPTY, Graph, pagerank
from fabula.index import FOREVER, Field, Floats, Index, Ints
from fabula.keys import Keys
from fabula.scoring import Cue

SEEDS: Final = 20
"""How many of the best facts a walk starts from."""
PASSAGES: Final = 0.3
"""The share of the walk that starts at the passages nearest in meaning."""
NAMED: Final = 1.0
"""What an entity that the question names weighs, as one that a fact one standard deviation above the mean is about."""
SHARP: Final = 0.02
"""How much more cosine makes a passage e times as likely to be started from."""
_woven: WeakKeyDictionary[Index, Graph] = WeakKeyDictionary()

Ends = tuple[NDArray[np.int32], NDArray[np.uint64]]
"""Owners of links, and the keys of what they are tied to."""


def woven(index: Index) -> Graph:
    """Return the graph of an index; made once for each."""
    graph = _woven.get(index)
    if graph is None:
        graph = _woven[index] = _graph(index)
    return graph


def _graph(index: Index) -> Graph:
    facts, frames, entities = index.of("fact"), index.of("frame"), index.of("entity")
    subjects, objects, cites = _ends(facts, "subject"), _ends(facts, "object"), _ends(facts, "cites")
    told, names = _ends(frames, "cites"), _ends(frames, "names")
    owner, key = _ends(entities, "synonym")
    here = np.isin(key, entities.key[entities.recorded_to == FOREVER])  # the other may have become one with a third
    alike = owner[here], key[here]
    pairs = [
        _crossed(subjects, objects),
        _crossed(subjects, cites),
        _crossed(objects, cites),
        (frames.key[told[0]], told[1]),
        (frames.key[names[0]], names[1]),
        (entities.key[alike[0]], alike[1]),
        *((frames.key[owner], key) for owner, key in (_ends(frames, "causes"),)),
    ]
    source, target = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return Graph.of(source, target, np.ones(len(source), np.float32)) if len(source) else EMPTY


def _ends(field: Field, kind: str) -> Ends:
    """The links of a kind of what is believed now."""
    ties = field.ties(kind)
    return ties.owner, ties.key


def _crossed(one: Ends, other: Ends) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Each key of the one with each of the other that the same owner is tied to."""
    order = np.argsort(other[0], kind="stable")
    owner, key = other[0][order], other[1][order]
    first, last = np.searchsorted(owner, one[0], "left"), np.searchsorted(owner, one[0], "right")
    counts = last - first
    within: Ints = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(one[1], counts), key[np.repeat(first, counts) + within]


def walked(index: Index, cue: Cue, facts: Keys | None, near: Floats, restart: float) -> Floats:
    """Return how often a walk that starts at the best facts comes by each passage; zeros where there is no graph.

    `near` is each passage's cosine with the cue, all zeros where nothing is known of its meaning.
    """
    passages = index.of("passage")
    graph = woven(index)
    if facts is None or not len(graph):
        return np.zeros(len(passages), np.float32)
    seeds = list(_entities(index, graph, facts, cue))
    if near.any():
        best = np.argsort(-near)[:SEEDS]
        likely = np.exp((near[best] - near[best[0]]) / SHARP)
        seeds += zip(passages.key[best].tolist(), (PASSAGES * likely / likely.sum()).tolist(), strict=True)
    keys = np.array([key for key, _ in seeds], np.uint64)
    ranks = pagerank(graph, (keys, np.array([weight for _, weight in seeds], np.float32)), restart=restart)
    at = graph.rows(passages.key)
    return np.where(at >= 0, ranks[at], 0).astype(np.float32)


def _entities(index: Index, graph: Graph, facts: Keys, cue: Cue) -> Iterable[tuple[int, float]]:
    """Whom the best facts are about, each with its share of the walk: less the more there is about them."""
    field = index.of("fact")
    best = np.argsort(-facts.scores)[:SEEDS]
    weight = dict(zip(facts.rows[best].tolist(), np.maximum(facts.scores[best], 0).tolist(), strict=True))
    found: dict[int, float] = dict.fromkeys(cue.entities, NAMED)
    for kind in ("subject", "object"):
        owner, key = _ends(field, kind)
        mine = np.isin(owner, list(weight))
        for row, who in zip(owner[mine].tolist(), key[mine].tolist(), strict=True):
            found[who] = found.get(who, 0.0) + weight[row]
    at = graph.rows(np.array(list(found), np.uint64))
    degree = np.diff(graph.starts)
    shares = {
        who: mass / max(int(degree[row]), 1) for (who, mass), row in zip(found.items(), at, strict=True) if row >= 0
    }
    total = sum(shares.values()) or 1.0
    return ((who, share / total) for who, share in shares.items())
