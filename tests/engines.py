"""What tests need of a database itself, whichever engine it is: they may look past the memory in it."""

import asyncio
import importlib
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any


@dataclass
class Nowhere:
    """Where no memory can be, until it is made."""

    url: str
    make: Callable[[], object]


def sql(db: str, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement on the database itself, beside the memory in it."""
    if "://" not in db:
        with closing(sqlite3.connect(db)) as connection, connection:
            return connection.execute(statement).fetchall()
    asyncpg: Any = importlib.import_module("asyncpg")  # its types are incomplete

    async def run() -> list[tuple[Any, ...]]:
        connection = await asyncpg.connect(db)
        try:
            return [tuple(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()

    # A thread of its own, because the test may have an event loop already.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, run()).result()
