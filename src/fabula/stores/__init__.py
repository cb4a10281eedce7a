"""Where memories are kept, by URL; knows what engines there are."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from fabula.errors import InvalidInput
from fabula.stores.driven import DrivenStore
from fabula.stores.sqlite import SQLiteStore

__all__ = ["SQLiteStore", "open_store"]


def open_store(url: str | Path, *, busy: float = 30.0) -> DrivenStore:
    """Return the store for a path or a URL, not yet opened.

    `memory.db`, `/data/memory.db`, `sqlite:///relative.db`, `sqlite:////absolute.db` and `sqlite+aiosqlite:///…`
    are SQLite files; `postgresql://user:password@host/database` and `postgresql+asyncpg://…` a PostgreSQL database.
    Raises `InvalidInput`, and `MissingExtra` where the engine's driver is not installed.
    """
    if isinstance(url, Path):
        return SQLiteStore(url, busy=busy)
    if not isinstance(url, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a memory needs a path or a database URL, not {type(url).__name__}")
    scheme, separator, rest = url.strip().partition("://")
    scheme = scheme.lower()
    if not url.strip() or "\0" in url:
        raise InvalidInput("a memory needs a path or a database URL")
    if ":memory:" in url:
        raise InvalidInput("a memory is kept in a file; for a passing one, give a path in a temporary folder")
    if re.match(r"\W*(?:postgres|sqlite)\w*(?:\+\w+)?(?::|//)", url, re.IGNORECASE) and not re.fullmatch(
        r"\w+(?:\+\w+)?", scheme if separator else ""
    ):
        raise InvalidInput("that looks like a database URL, and is none: it begins with sqlite:/// or postgresql://")
    if not separator:
        return SQLiteStore(Path(url), busy=busy)
    if scheme in ("sqlite", "sqlite+aiosqlite"):
        path = unquote(rest.removeprefix("/"))
        if not path:
            raise InvalidInput(f"{url!r} names no file: a memory is kept in one, e.g. sqlite:///memory.db")
        return SQLiteStore(Path(path), busy=busy)
    if scheme.partition("+")[0] in ("postgresql", "postgres"):
        from fabula.stores.postgres import PostgresStore

        return PostgresStore(f"{scheme}://{rest}", busy=busy)
    raise InvalidInput(
        f"no store for {urlsplit(url).scheme}:// URLs; use a path, sqlite:///memory.db or postgresql://…"
    )
