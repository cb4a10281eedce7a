"""Cut the text of a document into passages that say where they stand; knows no file type and no model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from fabula.types import Part

SIZE: Final = 1200
"""Characters a passage has at most, where it can be cut at all: about what the bundled model reads of a text."""

_BREAKS: Final = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"\n"),
    re.compile(r"(?<=[。！？…])[”’」』）]*|(?<=[.!?])[\"'”’)\]]*\s+"),
    re.compile(r"(?<=[，、；：])|(?<=[,;:])\s+"),
    re.compile(r"\s+"),
)
"""Where a text may be cut, best first: between paragraphs, lines, sentences, clauses, words."""


def chunks(parts: Iterable[Part], size: int = SIZE) -> list[Part]:
    """Return the text of `parts` in pieces of at most `size` characters, in order.

    Neighbours are put together while they stand on one page and under one heading. A piece that begins inside a
    table has the table's first row above it (which may make it longer than `size`). No word is cut unless it alone
    is longer than `size`.
    """
    made: list[Part] = []
    for part in parts:
        for text in _cut(part.text.strip("\n"), size):
            last = made[-1] if made else None
            rows = bool(part.above)
            if last is not None and (last.page, last.heading) == (part.page, part.heading):
                joined = last.text + ("\n" if rows else "\n\n") + text
                if len(joined) <= size:
                    made[-1] = replace(last, text=joined)
                    continue
            made.append(replace(part, text=f"{part.above}\n{text}" if rows else text, above=""))
    return made


def _cut(text: str, size: int) -> Iterator[str]:
    start = 0
    while len(text) - start > size:
        end, after = _place(text, start, size)
        if piece := text[start:end].strip("\n"):
            yield piece
        start = after
    if text[start:].strip():
        yield text[start:].strip("\n")


def _place(text: str, start: int, size: int) -> tuple[int, int]:
    """Where a piece that begins at `start` ends, and where the next one begins."""
    full = start + size
    for least in (start + size // 2, start + 1):  # rather half full than cut at a worse place
        for pattern in _BREAKS:
            last = None
            for last in pattern.finditer(text, least, full):  # noqa: B007
                pass
            if last is not None and last.end() > start:
                end = last.start() if last[0].isspace() else last.end()
                if end > start:
                    return end, last.end()
    while full > start + 1 and unicodedata.combining(text[full]):
        full -= 1
    return full, full
