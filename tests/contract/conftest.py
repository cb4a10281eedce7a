"""The engines the store contract runs over: a new engine is one more line in ENGINES."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from fabula.abc import Store
from fabula.stores.hot import HotStore
from fabula.stores.postgres import PostgresStore
from fabula.stores.sqlite import SQLiteStore

ENGINES: dict[str, Callable[[str], Store]] = {
    "sqlite": SQLiteStore,
    "sqlite-hot": lambda path: HotStore(SQLiteStore(path)),
    "postgres": PostgresStore,
    "postgres-hot": lambda url: HotStore(PostgresStore(url)),
}


@pytest.fixture(params=ENGINES)
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Make store objects, all on one database that is empty at first."""
    engine = request.param
    url = request.getfixturevalue("postgres_url") if engine.startswith("postgres") else str(tmp_path / "memory.db")
    return lambda: ENGINES[engine](url)


@pytest.fixture
async def store(connect: Callable[[], Store]) -> AsyncIterator[Store]:
    made = connect()
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def second(store: Store, connect: Callable[[], Store]) -> AsyncIterator[Store]:
    made = connect()
    await made.open()
    yield made
    await made.close()


@pytest.fixture
async def reopen(store: Store, connect: Callable[[], Store]) -> AsyncIterator[Callable[[], Awaitable[Store]]]:
    opened: list[Store] = []

    async def again() -> Store:
        await (opened[-1] if opened else store).close()
        opened.append(connect())
        await opened[-1].open()
        return opened[-1]

    yield again
    for made in opened:
        await made.close()
