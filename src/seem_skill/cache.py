"""An embedder that remembers the last questions, so that asking again costs nothing; knows no model and no store."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula import Embedder, Image
from fabula.abc import Held, Role, Vectors


class CachedEmbedder(Embedder):
    """Another embedder, with the vectors of the `size` questions asked last; passages it embeds as they come."""

    def __init__(self, inner: Embedder, size: int) -> None:
        self._inner, self._size = inner, size
        self.space, self.dimensions = inner.space, inner.dimensions
        self._kept: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, in order; raises what the other embedder raises."""
        if role != "query":
            return await self._inner.embed(texts, role)
        kept = self._kept  # not what `clear` puts in its place meanwhile
        found = {text: kept[text] for text in texts if text in kept}
        unknown = [text for text in dict.fromkeys(texts) if text not in found]
        if unknown:
            found |= zip(unknown, await self._inner.vectors(unknown, role), strict=True)
        for text in texts:
            kept[text] = found[text]
            kept.move_to_end(text)
        while len(kept) > self._size:
            kept.popitem(last=False)
        return np.array([found[text] for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def clear(self) -> None:
        """Forget the questions, those that are being asked too."""
        self._kept = OrderedDict()

    @property
    def sees(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the other embedder takes pictures."""
        return self._inner.sees

    async def embed_shown(self, text: str, images: Sequence[Image], role: Role) -> Vectors:
        """Embed a text with pictures as the other embedder does; nothing of it is kept."""
        return await self._inner.embed_shown(text, images, role)

    def similarity(
        self, cosine: NDArray[np.float32], *, role: Held = "passage", scripts: tuple[str, str] | None = None
    ) -> NDArray[np.float32]:
        """Map cosines to [0, 1] as the other embedder does."""
        return self._inner.similarity(cosine, role=role, scripts=scripts)

    def unrelated(self, *, role: Held = "passage", scripts: tuple[str, str]) -> float:
        """Return what the other embedder does."""
        return self._inner.unrelated(role=role, scripts=scripts)

    async def close(self) -> None:
        """Close the other embedder."""
        await self._inner.close()
