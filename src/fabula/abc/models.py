"""What a model, an extractor, a blob store and a clock must do; knows no host."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fabula.errors import ProviderBadReply
from fabula.types import Entity, Fact, Frame, Image, Note, Passage

Vectors: TypeAlias = NDArray[np.float32]
"""Shape (texts, dimensions), rows of length 1."""
Role = Literal["query", "passage"]
Held = Literal["query", "passage", "name"]
"""What is held against a passage; or two names against each other, which look more alike than what is said of them."""


class Embedder(ABC):
    """Turns texts into vectors."""

    space: str
    """Names the vector space: model, dimensions and revision. Vectors of different spaces are never compared."""
    dimensions: int
    sees: bool = False
    """Whether it takes pictures (`embed_shown`)."""

    @abstractmethod
    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, in order. `texts` are not blank; any length is taken.

        Raises a `ProviderError`.
        """

    async def vectors(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return what `embed` does, once it is proved to be that: one finite vector a text, of length 1.

        Raises `ProviderBadReply` where it is not.
        """
        return self._proved(await self.embed(texts, role), len(texts))

    async def embed_shown(self, text: str, images: Sequence[Image], role: Role) -> Vectors:
        """Return one unit vector, of shape (1, dimensions), of a text together with pictures.

        For embedders that see. `text` may be blank; each image has an `address`. A host that turns out not to take
        pictures is asked for the text alone. Raises a `ProviderError`.
        """
        raise NotImplementedError(f"{self.space} sees no pictures")

    async def shown(self, text: str, images: Sequence[Image], role: Role) -> NDArray[np.float32]:
        """Return the vector of `embed_shown`, proved as those of `vectors` are."""
        return self._proved(await self.embed_shown(text, images, role), 1)[0]

    def _proved(self, made: Vectors, count: int) -> Vectors:
        rows = np.asarray(made, np.float32)
        if rows.shape != (count, self.dimensions):
            wanted = (count, self.dimensions)
            raise ProviderBadReply(f"{self.space} gave vectors of shape {rows.shape}, not {wanted}", reason="malformed")
        lengths = np.sqrt(np.vecdot(rows, rows))
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ProviderBadReply(f"{self.space} gave a vector that points nowhere", reason="malformed")
        return rows / lengths[:, None]

    def similarity(
        self, cosine: NDArray[np.float32], *, role: Held = "passage", scripts: tuple[str, str] | None = None
    ) -> NDArray[np.float32]:
        """Map cosines to [0, 1], where .5 is as alike as unrelated texts get; by default negative becomes 0.

        A model's cosines depend on what is held against a passage (`role`: a question, another passage; or a name
        against a name) and on the scripts of the two texts (`scripts`: "han" or "latin", the passage's last), where
        these are known.
        """
        return np.clip(cosine, 0.0, 1.0)

    def unrelated(self, *, role: Held = "passage", scripts: tuple[str, str]) -> float:
        """Return the median cosine of unrelated texts in two scripts (see `similarity`); 0 where it is not known."""
        return 0.0

    async def close(self) -> None:
        """Let go of connections and threads."""
        return


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What a language model answered."""

    text: str
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


@runtime_checkable
class LLM(Protocol):
    """Answers a chat. One that takes pictures says so with an attribute `sees`."""

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        """Answer `messages` (`role`, `content`); with `schema`, as JSON of that shape where the host can.

        A content is a text or, for a model that sees, a list of OpenAI's content parts. Raises a `ProviderError`; an
        empty, cut-off or refused answer is a `ProviderBadReply`, never an empty success.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """What was drawn from a window of passages. Scopes are the flow's to set; `sources` name the passages."""

    frames: tuple[Frame, ...] = ()
    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    notes: tuple[Note, ...] = ()
    rejected: int = 0
    """Items of the reply that were left out because they made no sense."""
    misplaced: int = field(default=0, compare=False)
    """Those of them that made sense, but that somebody else said of whom they are about."""


class Extractor(Protocol):
    """Draws frames, facts and entities from talk. One that takes pictures says so with an attribute `sees`, and then
    finds `data` in the images of the window."""

    name: str

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Return what `window` says; `context` holds the passages before it, for understanding only.

        Raises a `ProviderError` when it could not be done; that is never the same as finding nothing.
        """
        ...


@runtime_checkable
class BlobStore(Protocol):
    """Keeps bytes that do not belong in a database, under keys of steps with `/` between them.

    What cannot be done now is a `StoreUnavailable`.
    """

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, replacing what was there."""
        ...

    async def get(self, key: str) -> bytes:
        """Return the bytes under `key`; raises `KeyError`."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove `key`; return whether it was there."""
        ...

    async def list(self, prefix: str = "") -> tuple[str, ...]:
        """Return every key below `prefix` (it ends in `/`), or all; nothing where the store cannot tell."""
        ...

    async def url(self, key: str, seconds: float = 3600) -> str:
        """Return an address under which who has it may read the bytes for so long (a `file:` one in a folder)."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """Return the current time, aware."""
        ...
