"""Values kept under a namespace and a key, each change a new version; knows no engine and no talk."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from fabula.abc import Changes, Entry, Ground, Ready
from fabula.attempts import Attempts
from fabula.checking import aware, within
from fabula.errors import InvalidInput
from fabula.remember import hiding, openly, plain, spelling
from fabula.text import clean, identifier, note_id
from fabula.types import INTERNAL, MAX_LIMIT, Interval, Note

Notes: TypeAlias = list[Note]
Items: TypeAlias = Mapping[str, Any] | list[Any]


class KeyValues:
    """The notes of a scope, by namespace and key: `AsyncMemory.kv`.

    A namespace and a key are texts without control characters, of up to 512 bytes each; namespaces that begin with
    `fabula:` are refused. A value is plain JSON, and secrets in it are masked as in messages. What a caller writes
    stands until it is changed or deleted; a value that was drawn from talk (in the namespace `profile`) goes with the
    messages that told it, and takes along what was merged into it.

    Every method raises `InvalidInput` for what cannot be meant, and `StoreUnavailable`.
    """

    def __init__(self, ready: Ready) -> None:
        self._ready = ready

    async def set(self, scope: str, namespace: str, key: str, value: Any) -> Note:
        """Keep a value under a key, in the place of the one before."""
        return (await self.set_many(scope, namespace, {identifier(key, "key"): value}))[0]

    async def set_many(self, scope: str, namespace: str, values: Mapping[str, Any]) -> Notes:
        """Keep a value under each key, all or none; return the notes in the order given."""
        given: Any = values
        if not isinstance(given, Mapping):
            raise InvalidInput(f"values are a mapping of keys to values, not {reprlib.repr(given)}")
        space = _Space(await self._ready(), scope, namespace)
        notes = {note.id: note for note in (space.note(key, value) for key, value in values.items())}
        return await space.write(notes.values()) if notes else []

    async def get(self, scope: str, namespace: str, key: str) -> Note | None:
        """Return what is kept under a key; `None` where nothing is."""
        space = _Space(await self._ready(), scope, namespace)
        return await space.read(space.id(key))

    async def list(
        self, scope: str, namespace: str, *, prefix: str | None = None, limit: int = 100, after: str | None = None,
        as_of: datetime | str | None = None,
    ) -> Notes:  # fmt: skip
        """List what is kept in a namespace, or was at `as_of`, in the order of the keys, `limit` (1 to 1000) at a time.

        `prefix` is what the keys begin with, every character for itself; `after` the key behind which the list goes on.
        """
        space = _Space(await self._ready(), scope, namespace)
        within("limit", limit, 1, MAX_LIMIT)
        given: Any = {"prefix": prefix or "", "after": after or ""}
        for name, value in given.items():
            if not isinstance(value, str):
                raise InvalidInput(f"{name} is text or None, not {reprlib.repr(value)}")
        bounds = {name: clean(value) for name, value in given.items()}
        moment = None if as_of is None else aware(as_of)
        return await space.store.notes(space.scope, space.namespace, limit=limit, as_of=moment, **bounds)

    async def delete(self, scope: str, namespace: str, key: str) -> bool:
        """Let a key hold nothing; return whether it held something. It may be set again, and keeps its history.

        What is to leave no trace is forgotten: `AsyncMemory.forget(scope, ids=[note.id])`.
        """
        space = _Space(await self._ready(), scope, namespace)
        return (await space.change(space.id(key), lambda note: None))[0] is not None

    async def merge(self, scope: str, namespace: str, key: str, values: Items) -> Note:
        """Put keys into an object, or into a list the items it lacks; nothing is lost that others merge at once.

        Where nothing is kept, it is what was given. Raises `InvalidInput` where something of another kind is kept.
        """
        space = _Space(await self._ready(), scope, namespace)
        given: Any = values
        if not isinstance(given, Mapping | list):
            raise InvalidInput(f"what is merged is an object or a list, not {reprlib.repr(given)}")
        new = space.note(key, cast(Items, given))

        def merged(note: Note | None) -> Note:
            if note is None:
                return new
            value = _joined(note.value, new.value)
            return note if spelling(value) == spelling(note.value) else replace(note, value=value, text="")

        return cast(Note, (await space.change(new.id, merged))[1])

    async def history(self, scope: str, namespace: str, key: str) -> Notes:
        """Return every version of what was kept under a key, the oldest first; `recorded` tells from when to when."""
        space = _Space(await self._ready(), scope, namespace)
        return cast(Notes, await space.store.versions(space.scope, [space.id(key)]))


class _Space:
    """One namespace of a scope, as far as a caller may reach it."""

    def __init__(self, ground: Ground, scope: str, namespace: str) -> None:
        self.scope, self.namespace = identifier(scope, "scope"), identifier(namespace, "namespace")
        if self.namespace.startswith(INTERNAL):
            raise InvalidInput(f"namespaces that begin with {INTERNAL!r} are not for callers: {self.namespace!r}")
        self.store, self._clock, self._settings = ground.store, ground.clock, ground.settings

    def id(self, key: str) -> str:
        return note_id(self.namespace, identifier(key, "key"))

    def note(self, key: str, value: Any) -> Note:
        """Return what a caller keeps under a key, which was told by nobody."""
        hidden = hiding(self._settings)
        named = identifier(key, "key")
        openly("a namespace", self.namespace, hidden)
        openly("a key", named, hidden)
        kept = plain(value, hidden, "a value")
        return Note(scope=self.scope, id=self.id(key), text="", namespace=self.namespace, key=named, value=kept)

    async def read(self, note_id: str) -> Note | None:
        return cast(Note | None, (await self.store.get(self.scope, [note_id])).get(note_id))

    async def write(self, notes: Iterable[Note]) -> Notes:
        """Keep notes in the place of those before; return them as they are read from now on."""
        # Put, not added: what was forgotten before may be set again by who forgot it.
        at = self._clock()
        kept = [_since(note, at) for note in notes]
        await self.store.write(self.scope, Changes(put=tuple(Entry(record=note) for note in kept), at=at))
        return kept

    async def change(
        self, note_id: str, made: Callable[[Note | None], Note | None]
    ) -> tuple[Note | None, Note | None]:  # fmt: skip
        """Write what is made of a note, once nobody else wrote in between; return it before and after.

        What is made is the note itself where it stays as it is.
        """
        async with Attempts(self.store, self.scope) as attempts:
            async for _ in attempts:
                state = await self.store.state(self.scope)
                before = await self.read(note_id)
                after = made(before)
                if after is before:
                    return before, after
                at = self._clock()
                after = after and _since(after, at)
                put, close = ((), (note_id,)) if after is None else ((Entry(record=after),), ())
                changes = Changes(put=put, close=close, at=at, revision=state.revision if state else 0)
                if (await self.store.write(self.scope, changes)).revision:
                    return before, after
        raise AssertionError


def _since(note: Note, at: datetime) -> Note:
    """A note as it is read once it was written at a moment."""
    return replace(note, recorded=Interval(start=at.astimezone(UTC)))


def _joined(held: Any, more: Any) -> Any:
    """An object or a list with what another has that it lacks."""
    if isinstance(held, list) and isinstance(more, list):
        lacking = {spelling(item): item for item in cast(list[Any], more)}
        for item in cast(list[Any], held):
            lacking.pop(spelling(item), None)
        return [*cast(list[Any], held), *lacking.values()]
    if isinstance(held, dict) and isinstance(more, dict):
        return {**cast(dict[str, Any], held), **cast(dict[str, Any], more)}
    raise InvalidInput(
        f"an object is merged with an object and a list with a list, not {_kind(more)} with {_kind(held)}"
    )


def _kind(value: Any) -> str:
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else reprlib.repr(value)
