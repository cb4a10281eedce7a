"""How surely records have to do with a question, by their cosines with it and their shares of its words; and how they
felt. Asks no store and ranks nothing.

All are rated at once; what a record's script is, and how it felt, is found out once for an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from fabula.abc import Embedder
from fabula.feelings import all_felt
from fabula.index import Doubles, Floats, Index, Ints
from fabula.scoring import Cue, median
from fabula.scripts import foreign
from fabula.text import script
from fabula.types import Emotion, Kind, Passage, Record

SEEN: Final = 500
"""How many of the latest rows tell how near to a question a scope is as a whole."""
SOME: Final = 10
"""How many rows weigh as much, in that, as what is known of unrelated texts."""
_scripts: WeakKeyDictionary[Index, dict[int, str]] = WeakKeyDictionary()
_felt: WeakKeyDictionary[Index, dict[int, Emotion | None]] = WeakKeyDictionary()


def scripts(index: Index, numbers: Sequence[int], records: Sequence[Record]) -> list[str]:
    """Return the script of each record's text; `numbers` are theirs in the index."""
    known = _scripts.setdefault(index, {})
    for number, record in zip(numbers, records, strict=True):
        if number not in known:
            known[number] = script(record.text)
    return [known[number] for number in numbers]


def felt(
    index: Index, kind: Kind, rows: Ints, records: Sequence[Record], told: Sequence[str]
) -> list[Emotion | None]:  # fmt: skip
    """Return how the records in these rows felt (`feelings.felt`); `told` are their scripts."""
    field, known = index.of(kind), _felt.setdefault(index, {})
    numbers = field.number[rows].tolist()
    if new := [place for place, number in enumerate(numbers) if number not in known]:
        some = rows[new]
        emotions = all_felt(
            [records[place] for place in new], [told[place] for place in new], field.vectors[some],
            field.embedded[some].tolist(), index.space,
        )  # fmt: skip
        known |= zip([numbers[place] for place in new], emotions, strict=True)
    return [known[number] for number in numbers]


@dataclass(frozen=True, slots=True)
class Rate:
    """How records are rated by their cosines with the question and their shares of the question's words."""

    asked: str
    """The script of the question."""
    embedder: Embedder | None

    @classmethod
    def of(cls, query: str, embedder: Embedder | None) -> Rate:
        """Rate by a question; without an embedder by its words alone."""
        return cls(script(query), embedder)

    def relevance(
        self, records: Sequence[Record], told: Sequence[str], cosine: Floats, covered: Floats, *, even: bool = False
    ) -> Doubles:
        """Return how surely each record has to do with the question, 0–1; `told` are their scripts.

        A logistic curve; its slopes were read off questions of LoCoMo asked of their own and of other conversations
        (`python -m bench confidence`). Words cannot be expected across scripts; a passage without any has no script.
        `even`: to put them in an order, what they cannot be expected of has at most those of the best of the others.
        """
        if self.embedder is None:
            return np.minimum(covered.astype(np.float64), 1.0)
        counted = [
            script == self.asked or (not near and isinstance(record, Passage) and record.wordless)
            for record, script, near in zip(records, told, cosine.tolist(), strict=True)
        ]
        words = np.where(counted, 5 * (covered.astype(np.float64) - 0.5), 0.0)
        if even and any(counted):
            words = np.where(counted, words, min(words[counted].max(), 0.0))
        return 1 / (1 + np.exp(-(4 * self._alike(cosine, told) - 3.4 + words)))

    def similarity(self, told: Sequence[str], cosine: Floats, lifted: Floats, above: Doubles) -> Doubles:
        """Return each record's calibrated similarity; NaN where it has no vector.

        A cosine that was lifted, for the other script's texts are further from every question, counts as one within
        the question's script. Each is lowered by what this question's are `above` those of unrelated texts.
        """
        if self.embedder is None:
            return np.full(len(cosine), np.nan)
        near = [
            self.asked if raised else script for raised, script in zip((lifted > cosine).tolist(), told, strict=True)
        ]
        return np.where(cosine != 0, self._alike(lifted.astype(np.float64) - above, near), np.nan)

    def above(self, index: Index, cue: Cue, kind: Kind) -> float:
        """Return by how much half of the rows of a kind are nearer to the question than unrelated texts are; 0 where
        they are not, or what unrelated ones are is not known.

        Most of what somebody tells has nothing to do with a question: where all of it is near, it is not near.
        """
        field = index.of(kind)
        latest = slice(max(len(field) - SEEN, 0), len(field))
        known = field.embedded[latest]
        if self.embedder is None or not known.any():
            return 0.0
        same = known & (foreign(index, kind, han=self.asked == "han")[latest] == 0)
        own = same if same.any() else known
        told = self.asked if own is same else "latin" if self.asked == "han" else "han"
        unrelated = self.embedder.unrelated(role="query", scripts=(self.asked, told))
        if not unrelated or cue.vector is None or field.vectors.shape[1] != len(cue.vector):
            return 0.0
        near = np.vecdot(field.vectors[latest], cue.vector)[own]
        return max(median(near) - unrelated, 0.0) * len(near) / (len(near) + SOME)

    def _alike(self, cosine: Floats | Doubles, told: Sequence[str]) -> Doubles:
        alike = np.zeros(len(cosine))
        if self.embedder is not None:
            values, names = cosine.astype(np.float32), np.array(told, np.str_)
            for name in dict.fromkeys(told):
                rows: Ints = np.flatnonzero(names == name)
                alike[rows] = self.embedder.similarity(values[rows], role="query", scripts=(self.asked, name))
        return alike
