"""Which terms occur in which rows: an inverted index that grows at its end; no text and no scoring."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int32]
Counts: TypeAlias = NDArray[np.uint16]

LATER: Final = 256
"""How many postings may stand unsorted behind the others, at least: each is looked at for every term."""
POSTING: Final = np.dtype([("term", "<u8"), ("tf", "<u2")])
"""One posting of one record: the term's hash and how often it occurs."""


@dataclass(frozen=True, slots=True)
class Postings:
    """Term occurrences of all rows of a field: sorted by term up to `sorted_to`, in order of arrival after it."""

    term: Hashes
    row: Rows
    tf: Counts
    sorted_to: int = 0

    def of(self, term: int) -> tuple[Rows, Counts]:
        """Return the rows in which `term` occurs, and how often."""
        return next(self.each((term,)))

    def each(self, terms: Iterable[int]) -> Iterator[tuple[Rows, Counts]]:
        """Yield for each term the rows in which it occurs, and how often."""
        keys = np.fromiter(terms, np.uint64)
        head, later = self.term[: self.sorted_to], self.term[self.sorted_to :]
        ends = zip(head.searchsorted(keys, "left").tolist(), head.searchsorted(keys, "right").tolist(), strict=True)
        for key, (left, right) in zip(keys, ends, strict=True):
            if not len(later):
                yield self.row[left:right], self.tf[left:right]
                continue
            tail = np.flatnonzero(later == key) + self.sorted_to
            rows = np.concatenate((self.row[left:right], self.row[tail]))
            yield rows, np.concatenate((self.tf[left:right], self.tf[tail]))

    def extended(self, term: Hashes, row: Rows, tf: Counts) -> Postings:
        """Return these postings with more at the end."""
        return Postings(
            np.concatenate((self.term, term)),
            np.concatenate((self.row, row)),
            np.concatenate((self.tf, tf)),
            self.sorted_to,
        )

    def compacted(self) -> Postings:
        """Return the same postings, all sorted by term, when the unsorted tail has become worth it."""
        if len(self.term) - self.sorted_to <= max(LATER, self.sorted_to // 8):
            return self
        order = np.argsort(self.term, kind="stable")
        return Postings(self.term[order], self.row[order], self.tf[order], len(order))


NO_POSTINGS: Final = Postings(np.empty(0, np.uint64), np.empty(0, np.int32), np.empty(0, np.uint16))
