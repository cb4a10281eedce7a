"""NeuroMemory's key-value face on `fabula.kv`: its method names and its objects; keeps nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fabula import AsyncMemory, Note
from fabula.kv import Items
from fabula.text import identifier


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyValue:
    """What is kept under a key."""

    user_id: str
    namespace: str
    key: str
    value: Any
    updated_at: str | None
    """When it was set, ISO 8601 with its zone."""


KeyValueList: TypeAlias = list[KeyValue]


class KV:
    """`nm.kv`: values under a namespace and a key; `profile` also holds what was drawn from talk about the user."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    async def set(self, user_id: str, namespace: str, key: str, value: Any) -> KeyValue:
        """Keep a value, which is plain JSON, in the place of the one before."""
        return _shown(await self._memory.kv.set(identifier(user_id, "user_id"), namespace, key, value))

    async def get(self, user_id: str, namespace: str, key: str) -> KeyValue | None:
        """Return what is kept under a key; `None` where nothing is."""
        note = await self._memory.kv.get(identifier(user_id, "user_id"), namespace, key)
        return None if note is None else _shown(note)

    async def list(
        self, user_id: str, namespace: str, prefix: str | None = None, limit: int = 100, *, after: str | None = None
    ) -> KeyValueList:
        """List a namespace in the order of its keys, up to 1000 at a time; `after` is the key behind which it goes on.

        A prefix is literal: `_` and `%` are ordinary characters.
        """
        return [
            *map(
                _shown,
                await self._memory.kv.list(
                    identifier(user_id, "user_id"), namespace, prefix=prefix, limit=limit, after=after
                ),
            )
        ]

    async def delete(self, user_id: str, namespace: str, key: str) -> bool:
        """Let a key hold nothing; return whether it held something."""
        return await self._memory.kv.delete(identifier(user_id, "user_id"), namespace, key)

    async def merge(self, user_id: str, namespace: str, key: str, values: Items) -> KeyValue:
        """Put keys into an object, or into a list the items it lacks; nothing is lost that others merge at once."""
        return _shown(await self._memory.kv.merge(identifier(user_id, "user_id"), namespace, key, values))

    async def batch_set(self, user_id: str, namespace: str, items: Mapping[str, Any]) -> KeyValueList:
        """Keep a value under each key, all or none."""
        return [*map(_shown, await self._memory.kv.set_many(identifier(user_id, "user_id"), namespace, items))]


def _shown(note: Note) -> KeyValue:
    since = note.recorded.start if note.recorded else None
    return KeyValue(
        user_id=note.scope, namespace=note.namespace, key=note.key, value=note.value,
        updated_at=since.isoformat() if since else None,
    )  # fmt: skip
