"""The embedded store: SQLite through the standard library, one writer thread and a few readers beside it.

It drives the steps of `writing`, `erasing` and `reading`, and knows nothing of what they mean.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar
from weakref import WeakSet

from fabula.errors import InvalidInput, MemoryClosed, SchemaTooNew, StoreUnavailable
from fabula.stores.driven import DrivenStore
from fabula.stores.layouts import Chunks
from fabula.stores.rows import now
from fabula.stores.statements import SQLITE, TABLES, Do, Rows, Steps, migrations, statements
from fabula.types import Forgotten

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

HAS_PAGES: Final = "SELECT 1 FROM pragma_compile_options WHERE compile_options = 'ENABLE_DBSTAT_VTAB'"
READERS: Final = 4
SCRUBBED_BY_ITSELF: Final = 256 * 2**20
"""Bytes of the largest file that is rewritten without being asked: about two seconds, in which other writers wait."""
OLDEST: Final = (3, 35, 0)
"""The first SQLite with RETURNING."""


_opened: Final[WeakSet[SQLiteStore]] = WeakSet()
_held: Final[list[SQLiteStore]] = []


def _hold_writers() -> None:
    """Wait for writes under way: a fork would copy SQLite's note that the file is locked, for ever, to the child."""
    for store in list(_opened):
        store.writing.acquire()
        _held.append(store)


def _let_writers_go() -> None:
    while _held:
        _held.pop().writing.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_writers, after_in_parent=_let_writers_go, after_in_child=_let_writers_go)


class SQLiteStore(DrivenStore):
    """A memory in one SQLite file, safe for many threads and processes.

    `busy` is how many seconds to wait for another process's write. The folder has to exist, the file need not.
    """

    engine, layout = "sqlite", Chunks()

    def __init__(self, path: Path | str, *, busy: float = 30.0) -> None:
        super().__init__()
        self.path = Path(path)
        self._busy = busy
        self._sql = statements(SQLITE)
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        self.writing = threading.Lock()
        """Held while a transaction writes."""
        self._uncut = self._tried_to_cut = False
        self._writer: ThreadPoolExecutor | None = None
        self._readers: ThreadPoolExecutor | None = None

    async def open(self) -> None:
        if self._writer is not None:
            return
        _opened.add(self)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="fabula-write")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="fabula-read")
        try:
            await self._in(self._writer, self._migrate)
        except BaseException:
            await self._shut()
            raise

    async def close(self) -> None:
        try:
            if self._writer is not None:
                await self.scrub()
        except StoreUnavailable as error:
            log.warning("what was forgotten is not overwritten everywhere yet: %s", error)
        finally:
            await self._shut()

    async def _shut(self) -> None:
        _opened.discard(self)
        writer, readers, self._writer, self._readers = self._writer, self._readers, None, None
        for pool in (readers, writer):
            if pool is not None:
                await asyncio.to_thread(pool.shutdown)
        with self._guard:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()

    # --- running ---

    async def _in(self, pool: ThreadPoolExecutor | None, function: Callable[[], T]) -> T:
        if pool is None:
            raise MemoryClosed
        try:
            running = asyncio.get_running_loop().run_in_executor(pool, self._translated, function)
        except RuntimeError:  # closed meanwhile, or the program is ending
            raise MemoryClosed from None
        # A cancelled caller must not leave a transaction half told: the thread always finishes what it began.
        return await asyncio.shield(running)

    def _translated(self, function: Callable[[], T]) -> T:
        try:
            return function()
        except sqlite3.IntegrityError as error:
            raise InvalidInput(f"two live records of one id or key: {error}") from error
        except sqlite3.Error as error:
            raise StoreUnavailable(self._explain(error)) from error

    def _explain(self, error: sqlite3.Error) -> str:
        said = str(error)
        if "locked" in said or "busy" in said:
            return f"{self.path} is locked by another process; gave up after {self._busy:g} s"
        if "not a database" in said:
            return f"{self.path} is not a SQLite database"
        if "unable to open" in said:
            return (
                f"cannot open {self.path}: {'it is a folder' if self.path.is_dir() else 'no such folder, or no rights'}"
            )
        return f"{self.path}: {said}"

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(self.path, timeout=self._busy, isolation_level=None, check_same_thread=False)
            with self._guard:
                self._connections.append(connection)
            # Erased text must not stay behind in free pages; an acknowledged write must survive a power cut.
            self._keep_log(connection)
            for pragma in ("synchronous = FULL", "secure_delete = ON", "cache_size = -16000"):
                connection.execute(f"PRAGMA {pragma}")
            self._local.connection = connection
        return connection

    def _keep_log(self, connection: sqlite3.Connection) -> None:
        deadline = time.monotonic() + self._busy
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                # The one statement for which SQLite does not wait by itself.
                if "locked" not in str(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(0.01)
            else:
                return

    def _run(self, steps: Steps[T], begin: str) -> T:
        connection = self._connection()
        connection.execute(begin)
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(self._execute(connection, wanted))
        except StopIteration as stop:
            value: T = stop.value
            if isinstance(value, Forgotten) and value:
                # Any number but the last one, so that who scrubs sees an erasure that came meanwhile.
                connection.execute(f"PRAGMA user_version = {1 + int.from_bytes(os.urandom(4), 'big') % (2**31 - 1)}")
            connection.execute("COMMIT")
            return value
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            steps.close()

    def _execute(self, connection: sqlite3.Connection, wanted: Do) -> Rows:
        sql, params = self._sql[wanted.name], wanted.params
        if not isinstance(params, Mapping):
            connection.executemany(sql, params)
            return ()
        bound = {name: json.dumps(v) if isinstance(v, list) else v for name, v in params.items()}
        return connection.execute(sql, bound).fetchall()

    # --- schema ---

    def _migrate(self) -> None:
        if sqlite3.sqlite_version_info < OLDEST:
            raise StoreUnavailable(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed")
        if self.path.is_dir():
            raise StoreUnavailable(f"cannot open {self.path}: it is a folder")
        history = migrations(SQLITE)
        if self.path.exists() and self.path.stat().st_size:
            self._refuse_foreign(history[-1].number)
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS fabula_migrations"
                " (number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL)"
            )
            done = {row[0] for row in connection.execute("SELECT number FROM fabula_migrations")}
            new = [one for one in history if one.number not in done]
            self.applied = tuple(name for _, name, _ in new)
            for number, name, sql in new:
                for statement in _split(sql):
                    connection.execute(statement)
                connection.execute("INSERT INTO fabula_migrations VALUES (?, ?, ?)", (number, name, now()))
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _refuse_foreign(self, known: int) -> None:
        """Refuse a newer schema or another program's database, before anything is written to the file."""
        # Not mode=ro: that leaves the log's files lying about.
        uri = f"{self.path.resolve().as_uri()}?mode=rw"
        look = sqlite3.connect(uri, uri=True, timeout=self._busy)
        try:
            tables = {row[0] for row in look.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if tables and "fabula_migrations" not in tables:
                raise StoreUnavailable(f"{self.path} is another program's database: it has no fabula tables")
            if tables:
                found = look.execute("SELECT MAX(number) FROM fabula_migrations").fetchone()[0] or 0
                if found > known:
                    raise SchemaTooNew(found, known)
        finally:
            look.close()

    # --- the protocol ---

    async def reads(self, scope: str | None, steps: Callable[P, Steps[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        del scope
        return await self._in(self._readers, lambda: self._run(steps(*args, **kwargs), "BEGIN"))

    async def sees(self, scope: str, steps: Callable[P, Steps[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.reads(scope, steps, *args, **kwargs)

    async def aside(self, function: Callable[[], T], rows: int) -> T:
        del rows
        return await self._in(self._readers, function)

    async def writes(
        self, steps: Callable[Concatenate[str, P], Steps[T]], scope: str, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        def run() -> T:
            with self.writing:
                value = self._run(steps(scope, *args, **kwargs), "BEGIN IMMEDIATE")
            if isinstance(value, Forgotten):  # only now: a write that came before has nothing to cut
                self._uncut, self._tried_to_cut = True, False
            if self._uncut:
                with self._patience(0.0 if self._tried_to_cut else min(self._busy, 1.0)) as connection:
                    self._cut_log(connection)
            return value

        return await self._in(self._writer, run)

    @contextmanager
    def _patience(self, seconds: float) -> Generator[sqlite3.Connection]:
        """The connection, with another patience for a while."""
        connection = self._connection()
        connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")
        try:
            yield connection
        finally:
            connection.execute(f"PRAGMA busy_timeout = {round(self._busy * 1000)}")

    def _cut_log(self, connection: sqlite3.Connection) -> None:
        """Fold the log into the file, for it still holds the erased pages.

        While somebody reads an older state it cannot be cut; then it is tried again after the next write, and SQLite
        does it when the last connection closes.
        """
        self._tried_to_cut = self._uncut = True
        try:
            self._uncut = bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        except sqlite3.OperationalError as error:  # what was written before is written
            log.warning("the log of %s is not cut yet: %s", self.path, error)

    async def scrub(self, *, now: bool = False) -> None:
        await self._in(self._writer, lambda: self._scrub(now=now))

    def _scrub(self, *, now: bool) -> None:
        """Rewrite the file if something was erased since that was last done, by whichever process.

        SQLite overwrites a row that is deleted, but not the copies in the unused part of pages that it was moved from
        before. `user_version` is not 0 while there may be some: it outlives the process.
        """
        connection = self._connection()
        marked, pages, size = (_value(connection, name) for name in ("user_version", "page_count", "page_size"))
        if not marked or (pages * size > SCRUBBED_BY_ITSELF and not now):
            return
        with self.writing, self._patience(self._busy if now else min(self._busy, 1.0)):
            try:
                done = self._rewritten(connection)
            except sqlite3.OperationalError as error:
                if now or "locked" not in str(error):
                    raise
                done = False
        if now and not done:
            raise StoreUnavailable(f"{self.path} is in use all the while: what was forgotten is not overwritten yet")

    def _rewritten(self, connection: sqlite3.Connection) -> bool:
        """Rewrite the file, unless somebody reads an older state: the log would grow by all of it, each time anew."""
        self._cut_log(connection)
        mark = _value(connection, "user_version")
        if mark and not self._uncut:  # no other process has done it while this one waited
            connection.execute("VACUUM")
            self._cut_log(connection)
        if self._uncut:
            return False
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            if _value(connection, "user_version") == mark:  # nothing was erased meanwhile
                connection.execute("PRAGMA user_version = 0")
        return True

    async def sizes(self, scope: str | None) -> dict[str, int]:
        return await self._in(self._readers, lambda: self._sizes(scope))

    def _sizes(self, scope: str | None) -> dict[str, int]:
        """Bytes by table: pages of the file where all scopes are asked for, the values' own bytes for one scope."""
        connection = self._connection()
        if scope is None and connection.execute(HAS_PAGES).fetchone():
            pages = connection.execute(
                "SELECT m.tbl_name, SUM(d.pgsize) FROM dbstat d JOIN sqlite_master m ON m.name = d.name GROUP BY 1"
            )
            return {name: size for name, size in pages if name in TABLES}
        sizes: dict[str, int] = {}
        for table in TABLES:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            width = " + ".join(f"COALESCE(LENGTH(CAST({column} AS BLOB)), 0)" for column in columns)
            sql = f"SELECT COALESCE(SUM({width}), 0) FROM {table} WHERE :scope IS NULL OR scope = :scope"
            sizes[table] = connection.execute(sql, {"scope": scope}).fetchone()[0]
        return sizes

    async def described(self) -> dict[str, str]:
        return {"file": str(self.path), "SQLite": sqlite3.sqlite_version, "schema": str(migrations(SQLITE)[-1].number)}

    async def damage(self) -> list[str]:
        def look() -> list[str]:
            found = self._connection().execute("PRAGMA integrity_check").fetchall()
            return [f"file: {row[0]}" for row in found if row[0] != "ok"]

        return await self._in(self._readers, look)


def _value(connection: sqlite3.Connection, pragma: str) -> int:
    return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


def _split(sql: str) -> list[str]:
    """The statements of a script: `executescript` would end the transaction they must share."""
    found: list[str] = []
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found
