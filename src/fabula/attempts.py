"""How often a change is tried that others write in between, and how long is waited; knows nothing of the change."""

from __future__ import annotations

import asyncio
import random
from typing import Final

from fabula.errors import StoreUnavailable

TRIES: Final = 500
"""How often a change is tried; each time one of the others has got on."""


class Attempts:
    """Each time that a change of a scope is tried, with a little pause between; leave the loop once it is written.

    Raises `StoreUnavailable` after `TRIES`. Not an async generator: one that is left early has to be closed.
    """

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._tried = 0

    def __aiter__(self) -> Attempts:
        return self

    async def __anext__(self) -> None:
        if self._tried >= TRIES:
            raise StoreUnavailable(f"scope {self._scope!r} is written to all the while")
        if self._tried:
            await asyncio.sleep(random.random() * min(0.05, 0.002 * self._tried))
        self._tried += 1
