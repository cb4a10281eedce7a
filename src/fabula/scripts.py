"""Which rows of an index are told in another script than the question, and how much closer its own brings the others.

It reads no text (the terms tell the script) and knows no model, only what one says of unrelated texts.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fabula.index import Bools, Field, Floats, Index, Ints
from fabula.scoring import Cue, cosines, median
from fabula.text import hash_term
from fabula.types import Kind

LATIN_TOLD: Final = (
    "the", "a", "i", "to", "and", "of", "is", "it", "my", "in", "you", "was", "for", "that",
    "we", "he", "she", "on", "at", "by", "with", "from", "has", "had", "have", "be", "are", "this",
)  # fmt: skip
"""Function words that hardly a text of some length in English is without."""
DATES: Final = "年月日"
"""What the date of a passage is written with, whatever its language: it is among its terms."""
LETTERS: Final = 3
"""Han characters that weigh as much as a function word, which stands for a dozen letters or so: see `text.script`."""
FEW: Final = 4
"""Rows of a script by which a scope and the model's calibration weigh alike in telling how far apart scripts are."""
_known: WeakKeyDictionary[Index, dict[Kind, Ints]] = WeakKeyDictionary()


def foreign(index: Index, kind: Kind, *, han: bool, group: Ints | None = None) -> Floats:
    """Return 1 for each row that is told in another script than a question in Han, or in Latin letters.

    It is known by its Han characters and its English function words. What has neither is told as most of its `group`
    (its session) are, or else as most of all, if that is known.
    """
    held = index.of(kind)
    known = _known.setdefault(index, {})
    if kind not in known:
        known[kind] = np.sign(_characters(held) - LETTERS * _different(held, LATIN_TOLD))
    says = known[kind]
    if not says.any():
        return np.zeros(len(held), np.float32)
    if not says.all():
        group = held.session if group is None else group
        leaning = np.bincount(group - group.min(), says)[group - group.min()]
        says = np.where(says, says, np.where(leaning, leaning, says.sum()))
    return ((says > 0) != han).astype(np.float32)


def by_meaning(index: Index, cue: Cue, kind: Kind, group: Ints | None = None) -> tuple[Floats, Floats]:
    """Return every row's cosine with the cue, as it is and made comparable across scripts; see `foreign` and `lift`."""
    field = index.of(kind)
    cosine = cosines(field, cue.vector)
    if not cosine.any():
        return cosine, cosine
    return cosine, cosine + lift(cosine, foreign(index, kind, han=cue.han, group=group), field.embedded, cue.apart)


def lift(cosine: Floats, strange: Floats, embedded: Bools, unrelated: float) -> Floats:
    """Return what is to be added to each row's cosine so that those of both scripts can be compared.

    Rows in the question's script get 0, and all where there is but one. The others are raised by as much as half of
    the rows in their script fall short of half of the others; where these are few, they are taken together with
    `FEW` that fall short by `unrelated`, which the model says of texts that have nothing to do with each other.
    """
    other = embedded & (strange > 0)
    own = embedded & (strange == 0)
    count = min(int(own.sum()), int(other.sum()))
    if not count:
        return np.zeros(len(cosine), np.float32)
    short = median(cosine[own]) - median(cosine[other])
    return np.where(other, np.float32((count * short + FEW * unrelated) / (count + FEW)), np.float32(0))


def _different(held: Field, words: Iterable[str]) -> Ints:
    """How many of the words each row has."""
    count = np.zeros(len(held), np.int64)
    for rows, _ in held.postings.each(map(hash_term, words)):
        count[rows] += 1
    return count


def _characters(held: Field) -> Ints:
    """How many Han characters each row has, dates apart."""
    han, terms = _han(), held.postings.term
    # Whichever is fewer is looked up in the other: the characters in many sorted terms, few terms in the characters.
    head = terms[: held.postings.sorted_to] if held.postings.sorted_to > len(han) else terms[:0]
    later, found = terms[len(head) :], np.zeros(len(terms), np.bool_)
    found[len(head) :] = han[np.minimum(han.searchsorted(later), len(han) - 1)] == later
    if len(head):
        there = han[head[np.minimum(head.searchsorted(han), len(head) - 1)] == han]
        for start, end in zip(head.searchsorted(there), head.searchsorted(there, "right"), strict=True):
            found[start:end] = True
    return np.bincount(held.postings.row[found], minlength=len(held))


@cache
def _han() -> NDArray[np.uint64]:
    """The hashes of all characters of the block of Han, sorted."""
    return np.sort(np.array([hash_term(chr(c)) for c in range(0x4E00, 0xA000) if chr(c) not in DATES], np.uint64))
