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
from fabula.types import Entity, Fact, Frame, Note, Passage

Vectors: TypeAlias = NDArray[np.float32]
"""Shape (texts, dimensions), rows of length 1."""
Role = Literal["query", "passage"]


class Embedder(ABC):
    """Turns texts into vectors."""

    space: str
    """Names the vector space: model, dimensions and revision. Vectors of different spaces are never compared."""
    dimensions: int

    @abstractmethod
    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, in order. `texts` are not blank; any length is taken.

        Raises a `ProviderError`.
        """

    async def vectors(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return what `embed` does, once it is proved to be that: one finite vector a text, of length 1.

        Raises `ProviderBadReply` where it is not.
        """
        rows = np.asarray(await self.embed(texts, role), np.float32)
        if rows.shape != (len(texts), self.dimensions):
            wanted = (len(texts), self.dimensions)
            raise ProviderBadReply(f"{self.space} gave vectors of shape {rows.shape}, not {wanted}", reason="malformed")
        lengths = np.sqrt(np.vecdot(rows, rows))
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise ProviderBadReply(f"{self.space} gave a vector that points nowhere", reason="malformed")
        return rows / lengths[:, None]

    def similarity(
        self, cosine: NDArray[np.float32], *, role: Role = "passage", scripts: tuple[str, str] | None = None
    ) -> NDArray[np.float32]:
        """Map cosines to [0, 1], where .5 is as alike as unrelated texts get; by default negative becomes 0.

        A model's cosines depend on what is held against a passage (`role`: a question, or another passage) and on
        the scripts of the two texts (`scripts`: "han" or "latin", the passage's last), where these are known.
        """
        return np.clip(cosine, 0.0, 1.0)

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
    """Answers a chat."""

    async def chat(
        self, messages: Sequence[Mapping[str, str]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        """Answer `messages` (`role`, `content`); with `schema`, as JSON of that shape where the host can.

        Raises a `ProviderError`; an empty, cut-off or refused answer is a `ProviderBadReply`, never an empty success.
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
    """Those among them that do make sense, but were told of somebody by an assistant alone."""


class Extractor(Protocol):
    """Draws frames, facts and entities from talk."""

    name: str

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Return what `window` says; `context` holds the passages before it, for understanding only.

        Raises a `ProviderError` when it could not be done; that is never the same as finding nothing.
        """
        ...


class BlobStore(Protocol):
    """Keeps bytes that do not belong in a database."""

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, replacing what was there."""
        ...

    async def get(self, key: str) -> bytes:
        """Return the bytes under `key`; raises `KeyError`."""
        ...

    async def delete(self, key: str) -> bool:
        """Remove `key`; return whether it was there."""
        ...


class Clock(Protocol):
    """Tells the time."""

    def __call__(self) -> datetime:
        """Return the current time, aware."""
        ...
