"""Memories that a test opens on one database, one or several, and the wait for what they do behind its back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from fabula import AsyncMemory

Opening: TypeAlias = Callable[..., Awaitable[AsyncMemory]]


@asynccontextmanager
async def memories(db: str, usual: Callable[[], dict[str, Any]]) -> AsyncIterator[Opening]:
    """Open memories, as usual but for what is given; they are closed in the end, whatever is left to do."""
    opened: list[AsyncMemory] = []

    async def open_(**options: Any) -> AsyncMemory:
        given = {**usual(), **options}
        memory = AsyncMemory(given.pop("store", db), **given)
        opened.append(memory)
        return await memory.open()

    try:
        yield open_
    finally:
        for memory in opened:
            async with asyncio.timeout(20):
                await memory.close(drain=0)


async def until(what: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    """Wait for the background to get somewhere; how long that takes is not what is tested."""
    for _ in range(round(seconds / 0.02)):
        if await what():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the background did not get there")
