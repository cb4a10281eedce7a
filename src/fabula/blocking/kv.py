"""The blocking mirror of `KeyValues`: each call waits for its own in the memory's loop; repeats no logic."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from fabula.blocking.calls import Call
from fabula.kv import Items, KeyValues, Notes
from fabula.types import Note


class BlockingKeyValues:
    """The notes of a scope, by namespace and key: `Memory.kv`; see `KeyValues` for every argument."""

    def __init__(self, facade: KeyValues, call: Call) -> None:
        self._facade, self._call = facade, call

    def set(self, scope: str, namespace: str, key: str, value: Any) -> Note:
        """Keep a value under a key; see `KeyValues.set`."""
        return self._call("kv.set", self._facade.set(scope, namespace, key, value))

    def set_many(self, scope: str, namespace: str, values: Mapping[str, Any]) -> Notes:
        """Keep a value under each key; see `KeyValues.set_many`."""
        return self._call("kv.set_many", self._facade.set_many(scope, namespace, values))

    def get(self, scope: str, namespace: str, key: str) -> Note | None:
        """Return what is kept under a key; see `KeyValues.get`."""
        return self._call("kv.get", self._facade.get(scope, namespace, key))

    def list(
        self, scope: str, namespace: str, *, prefix: str | None = None, limit: int = 100, after: str | None = None,
        as_of: datetime | str | None = None,
    ) -> Notes:  # fmt: skip
        """List what is kept in a namespace; see `KeyValues.list`."""
        listing = self._facade.list(scope, namespace, prefix=prefix, limit=limit, after=after, as_of=as_of)
        return self._call("kv.list", listing)

    def delete(self, scope: str, namespace: str, key: str) -> bool:
        """Let a key hold nothing; see `KeyValues.delete`."""
        return self._call("kv.delete", self._facade.delete(scope, namespace, key))

    def merge(self, scope: str, namespace: str, key: str, values: Items) -> Note:
        """Put keys into an object, or items into a list; see `KeyValues.merge`."""
        return self._call("kv.merge", self._facade.merge(scope, namespace, key, values))

    def history(self, scope: str, namespace: str, key: str) -> Notes:
        """Return every version of a key's value; see `KeyValues.history`."""
        return self._call("kv.history", self._facade.history(scope, namespace, key))
