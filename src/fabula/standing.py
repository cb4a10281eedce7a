"""Records that stand on their own: what a caller wrote, and insights; no passage tells of them, so they are ranked
by what they say alone; reads no text, asks no store."""

from __future__ import annotations

from typing import Final

import numpy as np

from fabula.index import FOREVER, Bools, Field, Floats, Index, Ints
from fabula.ranking import KeyRanking
from fabula.scoring import Cue, by_words, cosines, coverage, matches, z
from fabula.scripts import by_meaning
from fabula.text import hash_term
from fabula.types import CREATED, Kind, Record

STANDING: Final[tuple[Kind, ...]] = ("fact", "frame", "insight")
"""The kinds of which some may stand on their own; all insights do."""
ALONE: Final = "\0alone"
"""The mark of what was made from nothing, or drawn from passages and put in other words by a caller."""


def marks(record: Record) -> list[str]:
    """Return what a record is known by as one that stands on its own."""
    reworded = CREATED in record.meta and "extractor" not in record.meta
    return [ALONE] if record.kind in STANDING and (reworded or not record.sources) else []


def alone(field: Field, kind: Kind) -> Bools:
    """Return which rows are believed and no passage tells of."""
    if kind == "insight":
        return field.recorded_to == FOREVER
    found = np.zeros(len(field), np.bool_)
    found[field.bearing(hash_term(ALONE))] = True
    return found


def standing(index: Index, cue: Cue, kind: Kind, most: int) -> KeyRanking | None:
    """Rank the rows that stand on their own and may have to do with the cue, the best `most`; `None`: there are none.

    Scores are standardised words and meaning, and comparable with nothing else.
    """
    field = index.of(kind)
    rows = np.flatnonzero(alone(field, kind))
    if not len(rows):
        return None
    found = matches(field, cue)
    words = by_words(field, cue, found)[rows]
    cosine, lifted = by_meaning(index, cue, kind)
    heard = (words > 0) | (cosine[rows] > 0)
    rows, words = rows[heard], words[heard]
    if not len(rows):
        return None
    scores = z(words) + z(lifted[rows], field.embedded[rows])
    order = np.lexsort((rows, -scores))[:most]
    rows = rows[order]
    covered = coverage(field, found, np.sort(rows))[np.argsort(np.argsort(rows))]
    return KeyRanking(rows, scores[order], cosine[rows], covered, np.full(len(rows), -1), lifted[rows])


def nearest(index: Index, cue: Cue, kind: Kind, wanted: Bools, limit: int) -> tuple[Ints, Floats]:
    """Return the `limit` believed rows nearest in meaning, best first, with their cosines."""
    field = index.of(kind)
    cosine = cosines(field, cue.vector)
    rows = np.flatnonzero(wanted & field.embedded & (field.recorded_to == FOREVER))
    best = rows[np.lexsort((rows, -cosine[rows]))[:limit]]
    return best, cosine[best]
