"""A blob store in memory, for tests that look at what is left in it."""

from __future__ import annotations


class Shelf:
    """Keeps bytes in `held`, by their keys."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    async def put(self, key: str, data: bytes) -> None:
        self.held[key] = data

    async def get(self, key: str) -> bytes:
        return self.held[key]

    async def delete(self, key: str) -> bool:
        return self.held.pop(key, None) is not None

    async def list(self, prefix: str) -> list[str]:
        return [key for key in self.held if key.startswith(prefix)]

    async def url(self, key: str, seconds: float) -> str:
        raise NotImplementedError
