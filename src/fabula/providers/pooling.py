"""Cuts texts a model cannot take whole into pieces, and makes one unit vector a text of the pieces' vectors.

Knows no model and no host: how large a text is, in the model's own measure, is asked of a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Vectors
from fabula.errors import InvalidInput

_BORDERS: Final = tuple(
    re.compile(border)
    for border in (r"\n+", r"""[。！？…]["”’』」）]*|[.!?]+["')\]]*\s""", r"[；，：、;:,]\s*", r"\s+")
)  # paragraphs, sentences, clauses, words
_ZERO: Final = 1e-6
MOST: Final = 16
"""Pieces a text is embedded by, at most."""
SAMPLED: Final = 64_000
"""Characters of a text that are looked at for them."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """Texts as a model can take them: the pieces of all texts in order, and the text each one belongs to."""

    texts: tuple[str, ...]
    owners: NDArray[np.int64]
    """Shape (pieces,): the index of the text each piece was cut from; ascending."""

    def pool(self, vectors: Vectors) -> Vectors:
        """Return one unit vector a text: the mean of its pieces' vectors weighted by their length in characters.

        Raises `ValueError` if the pieces of a text cancel each other out.
        """
        count = int(self.owners[-1]) + 1 if len(self.owners) else 0
        if count == len(self.texts):
            return vectors
        weights = np.fromiter(map(len, self.texts), np.float32, len(self.texts))
        sums = np.zeros((count, vectors.shape[1]), np.float32)
        np.add.at(sums, self.owners, vectors * weights[:, None])
        return unit_rows(sums, count, vectors.shape[1])


def cut(texts: Sequence[str], size: Callable[[str], int], limit: int) -> Pieces:
    """Cut the texts that are larger than `limit`, and no others, at the best borders near their middles.

    Raises `InvalidInput` for a blank text, naming its index: a blank has no meaning to embed.
    """
    if isinstance(texts, str):
        raise InvalidInput("texts is a sequence of texts, not one text")
    pieces: list[str] = []
    owners: list[int] = []
    for index, text in enumerate(texts):
        whole = writable(text)
        if not whole.strip():
            raise InvalidInput(f"text {index} is blank: a blank text cannot be embedded")
        parts = _spread(_halves(_sampled(whole), size, limit))
        pieces += parts
        owners += [index] * len(parts)
    return Pieces(tuple(pieces), np.array(owners, np.int64))


def _sampled(text: str) -> str:
    """Of a text of `SAMPLED` characters or more as many, evenly from the first to the last: to measure takes long."""
    if len(text) <= SAMPLED:
        return text
    length = SAMPLED // MOST
    starts = np.linspace(0, len(text) - length, MOST).astype(int).tolist()
    return "\n".join(text[start : start + length] for start in starts)


def _spread(parts: list[str]) -> list[str]:
    """Up to `MOST` parts, evenly from the first to the last: the mean of hundreds says no more than that of some."""
    if len(parts) <= MOST:
        return parts
    return [parts[round(place)] for place in np.linspace(0, len(parts) - 1, MOST)]


def writable(text: str) -> str:
    """Return the text as every engine and host can read it: no NUL (it would end the text) and no half a character."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def unit_rows(rows: Any, count: int, dimensions: int) -> Vectors:
    """Return `rows` as float32 of shape (count, dimensions), each of length 1.

    Raises `ValueError` for another shape and for a row that is not finite or zero.
    """
    try:
        vectors = np.asarray(rows, np.float64)
    except (TypeError, ValueError):
        raise ValueError("rows that are not numbers, or not of one length") from None
    if not count and not vectors.size:
        return np.empty((0, dimensions), np.float32)
    if vectors.ndim != 2:
        raise ValueError("numbers that are not rows")
    if vectors.shape != (count, dimensions):
        raise ValueError(f"{len(vectors)} rows of {vectors.shape[1]} dimensions instead of {count} of {dimensions}")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not (np.isfinite(lengths) & (lengths > _ZERO)).all():
        raise ValueError("a row that is zero or not finite")
    return (vectors / lengths).astype(np.float32)


def _halves(text: str, size: Callable[[str], int], limit: int) -> list[str]:
    """Halve until every part fits: parts of about equal length, so that no short tail gets a say of its own."""
    if len(text) < 2 or size(text) <= limit:
        return [text]
    at = _middle(text)
    return [part for half in (text[:at], text[at:]) if half.strip() for part in _halves(half, size, limit)]


def _middle(text: str) -> int:
    """The end of the strongest border in the middle half of the text, nearest to the middle; the middle if none."""
    middle = len(text) // 2
    low, high = len(text) // 4, len(text) - len(text) // 4
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(text, low, high)]
        inside = [end for end in ends if 0 < end < len(text)]
        if inside:
            return min(inside, key=lambda end: abs(end - middle))
    return middle
