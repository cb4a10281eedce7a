"""Words for files: what is read of one, what is kept, what is found in it; no behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from fabula.types.records import NOTHING, Passage

FileStatus = Literal["ready", "no_text"]
FILE_SESSION: Final = "file:"
"""What the session of a file's passages begins with; the file's id follows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A piece of a document's text and where it stands."""

    text: str
    page: int | None = None
    """Counted from 1, where the document has pages."""
    heading: str = ""
    """The headings it stands under, the outermost first, with ` / ` between them."""
    above: str = ""
    """The first row of the table that this is another row of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """What was read of a file's bytes."""

    media: str
    """Its media type, such as `application/pdf`."""
    type: str = ""
    """What the name ends in: see `File.type`."""
    title: str = ""
    """What it calls itself; empty where it does not."""
    parts: tuple[Part, ...] = ()
    warnings: tuple[str, ...] = ()
    """One line for each thing that could not be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A file that is kept; its bytes are in the blob store, its text in passages of the session `file:<id>`."""

    id: str
    name: str
    """As it was given; never part of a path."""
    media: str
    size: int
    """Bytes."""
    digest: str
    """BLAKE2b of the bytes (16 bytes, hexadecimal)."""
    created: datetime
    type: str = ""
    """What its name ends in, without a dot, in small letters: `pdf`, `md`; of two spellings always one (`jpg`)."""
    title: str = ""
    category: str = "general"
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    status: FileStatus = "ready"
    """`no_text`: there is nothing in it that could be found."""
    warnings: tuple[str, ...] = ()
    passages: int = 0
    """How many passages were made of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileHit:
    """A passage of a file that came back; `score` orders the hits of one search, see `Hit`."""

    file: File
    passage: Passage
    score: float
    relevance: float
    """How surely it has to do with the query, 0–1; comparable between searches."""

    @property
    def page(self) -> int | None:
        """The page it stands on, counted from 1; `None` where there are no pages."""
        return self.passage.meta.get("page")

    @property
    def heading(self) -> str:
        """The headings it stands under."""
        return self.passage.meta.get("heading", "")
