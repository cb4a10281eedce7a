"""Changes of a scope that are made of what it holds: one at a time in a process, tried again where another one wrote.

It knows nothing of the change.
"""

from __future__ import annotations

import asyncio
import random
from types import TracebackType
from typing import Final, Self, TypeAlias
from weakref import WeakValueDictionary

from fabula.abc import Store
from fabula.errors import StoreUnavailable

TRIES: Final = 500
"""How often a change is tried; each time one of the others has got on."""
_Turns: TypeAlias = WeakValueDictionary[tuple[asyncio.AbstractEventLoop, Store, str], asyncio.Lock]
_turns: Final[_Turns] = WeakValueDictionary()
"""The locks that somebody holds or waits for, by whose they are: a lock is of one loop, a scope of one store."""


class Attempts:
    """Each time that a change of a scope is tried, with a little pause between; leave the loop once it is written.

        async with Attempts(store, scope) as attempts:
            async for _ in attempts:
                ...

    Whoever has entered it has the scope to themselves among those of this process that do; nothing slow belongs in it,
    and no second one of the scope. Raises `StoreUnavailable` after `TRIES`. Not an async generator: one that is left
    early has to be closed.
    """

    def __init__(self, store: Store, scope: str) -> None:
        self._store, self._scope = store, scope
        self._tried = 0

    async def __aenter__(self) -> Self:
        key = asyncio.get_running_loop(), self._store, self._scope
        # Held here and by nobody else: the last one to go takes it along.
        self._turn = _turns.setdefault(key, asyncio.Lock())
        await self._turn.acquire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._turn.release()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> None:
        if self._tried >= TRIES:
            raise StoreUnavailable(f"{self._scope!r} is written to all the while")
        if self._tried:
            await asyncio.sleep(random.random() * min(0.05, 0.002 * self._tried))
        self._tried += 1
