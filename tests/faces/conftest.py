"""NeuroMemory, opened on each engine with fake models and a clock that stands still."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from neuro import Opening

from fabula.testing import FakeClock, HashEmbedder
from neuromemory import NeuroMemory


@pytest.fixture
def neuro_clock() -> FakeClock:
    return FakeClock("2025-03-05T04:00:00Z")


@pytest.fixture
async def opening(db: str, neuro_clock: FakeClock) -> AsyncIterator[Opening]:
    """Open memories on one database; what a test leaves open is closed without waiting for its work."""
    opened: list[NeuroMemory] = []

    async def open_(database: str = db, **options: Any) -> NeuroMemory:
        given: dict[str, Any] = {"embedding": HashEmbedder(), "clock": neuro_clock, **options}
        opened.append(NeuroMemory(database, **given))
        return await opened[-1].init()

    yield open_
    for nm in opened:
        async with asyncio.timeout(20):
            await nm.close()


@pytest.fixture
async def nm(opening: Opening) -> NeuroMemory:
    return await opening()
