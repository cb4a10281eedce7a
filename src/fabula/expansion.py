"""Reverse provenance expansion: from what was found to the events it belongs to, and to what else was said of them.

SEEM's RPE (arXiv 2601.06411): the frames and facts that cite a hit lead to the other passages they were made from, to
what was said within half an hour, to causes and effects, and to frames with the same people. It reads no text.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from fabula.index import Bools, Field, Floats, Index, Ints
from fabula.ranking import Ranking
from fabula.scoring import greatest

WAYS: Final = {"provenance": 0.9, "cause": 0.8, "time": 0.6, "people": 0.5}
"""What is left of a hit's score along each way."""
TIE: Final = 0.2
"""How much more a passage counts that is tied to the best of the hits: on LoCoMo what is tied more closely answers
hardly more often, but the ranking may not tell two apart (.5 and 1 found less of the evidence)."""
FAR: Final = 0.01
"""What is left of the tie of a passage that no channel found: it comes after all that were."""
NEAR: Final = 1800.0
"""Seconds before and after a hit."""


def expanded(index: Index, ranked: Ranking, found: Ints, count: int, allowed: Bools) -> tuple[Ints, Floats, list[str]]:
    """Return up to `count` further passages behind those `found`, best first, with scores and ways.

    `found` are places of the ranking; `allowed` narrows the rows that may come back.
    """
    passages, frames = index.of("passage"), index.of("frame")
    base = np.zeros(len(passages), np.float32)
    base[ranked.rows[found]] = ranked.scores[found]
    best: dict[str, Floats] = {"time": _beside(passages, ranked.rows[found], base)}
    owner, target = frames.ties("cites").of("cites")
    if len(owner):
        told = greatest(base[target], owner, len(frames))
        best["provenance"] = greatest(told[owner], target, len(passages))
        cause, effect = frames.ties("causes").of("causes")
        tied = np.maximum(greatest(told[cause], effect, len(frames)), greatest(told[effect], cause, len(frames)))
        best["cause"] = greatest(tied[owner], target, len(passages))
        who, named = frames.ties("names").of("names")
        people = greatest(told[who], named, len(index.of("entity")) + 1)
        shared = greatest(people[named], who, len(frames))
        best["people"] = greatest(shared[owner], target, len(passages))
    facts = index.of("fact")
    owner, target = facts.ties("cites").of("cites")
    if len(owner):
        told = greatest(base[target], owner, len(facts))
        more = greatest(told[owner], target, len(passages))
        best["provenance"] = np.maximum(best.get("provenance", more), more)
    names = list(best)
    scores = np.stack([best[name] * np.float32(WAYS[name]) for name in names])
    total = scores.max(axis=0)
    total[ranked.rows[found]] = 0
    total[~allowed] = 0
    preferred = np.zeros(len(passages), np.float32)
    preferred[ranked.rows] = ranked.scores
    total = np.where(total > 0, preferred * (1 + TIE * total) / (1 + TIE) + FAR * total, 0)
    rows = np.lexsort((np.arange(len(total)), -total))[:count]
    rows = rows[total[rows] > 0]
    return rows, total[rows].astype(np.float32), [names[way] for way in scores[:, rows].argmax(axis=0).tolist()]


def _beside(passages: Field, hits: Ints, base: Floats) -> Floats:
    """What was said in the same session within half an hour of a hit."""
    near = np.zeros(len(passages), np.float32)
    for row in hits.tolist():
        same = passages.session == passages.session[row]
        close = np.abs(passages.valid_from - passages.valid_from[row]) <= NEAR
        near[same & close] = np.maximum(near[same & close], base[row])
    return near
