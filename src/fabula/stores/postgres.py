"""The server store: PostgreSQL with pgvector, through asyncpg.

It drives the steps of `writing`, `erasing`, `reading` and `copying`, and knows nothing of what they mean. No connection
is held but while statements run; one that breaks is replaced and the work begun again, for as long as `busy` says.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from fabula.abc import Changes, Erasure, Lease, Written
from fabula.errors import Confined, FabulaError, InvalidInput, MemoryClosed, StoreUnavailable
from fabula.index import Block, Floats
from fabula.stores import nearest
from fabula.stores.driven import DrivenStore
from fabula.stores.layouts import Single
from fabula.stores.server import Address, Connection, asyncpg, distributed, in_a_line, literal, migrate
from fabula.stores.statements import POSTGRES, TABLES, Do, Rows, Steps, statements
from fabula.types import Forgotten

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)

TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("ids", "kinds", "tasks", "hashes"), "text[]"),
    "numbers": "bigint[]",
    **dict.fromkeys(
        ("first", "reset", "next_number", "at", "after", "number", "revision", "seq", "valid_from", "valid_to", "start",
         "end", "recorded_from", "recorded_to", "due", "now", "until", "limit", "keep", "place", "count", "last",
         "since"), "bigint"),
    **dict.fromkeys(("analyzer", "length", "question", "embedded", "attempts", "skip"), "integer"),
    **dict.fromkeys(("importance", "weight"), "double precision"),
    **dict.fromkeys(("ended", "failed"), "boolean"),
    **dict.fromkeys(("terms", "links", "vector", "bytes"), "bytea"),
    "halves": "real[]::halfvec",
}  # fmt: skip
"""What a parameter is, by its name, wherever it stands; every other one is text."""
WIDTH: Final = """
    SELECT string_agg(format('COALESCE(pg_column_size(%I), 0)', attname), ' + ' ORDER BY attnum)
    FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped"""
"""What adds up the bytes of a row's values."""
WALLED: Final = "SELECT relrowsecurity FROM pg_class WHERE oid = 'records'::regclass"
"""Whether the database itself keeps scopes apart."""
CONFINED: Final = """
    SELECT row_security_active('records') AND NOT EXISTS (
        SELECT 1 FROM pg_policies, unnest(roles) AS role
        WHERE tablename = 'records' AND schemaname = current_schema() AND policyname = 'fabula_worker'
          AND pg_has_role(current_user, role, 'member'))"""
"""Whether this role sees one scope at a time."""
FEW: Final = 20_000
"""Rows of which an index is made on the spot."""
ASKED: Final = 10_000
"""Scopes of which it is remembered, at most, whether they have one."""
REMEMBERED: Final = 30.0
"""Seconds for which it is not asked again whether a scope has an index of its vectors."""
OPENING: Final = 3.0
"""Seconds for which a server that does not answer is tried when a store is opened."""
LEAST: Final = 1.0
"""Seconds below which nothing can be expected of a connection."""
PAUSE: Final = 0.05
"""Seconds before the first repetition of what failed for want of a connection; doubled up to a second."""


class PostgresStore(DrivenStore):
    """A memory in a PostgreSQL database, for any number of processes.

    `busy` is how many seconds to wait for a connection, for a server that restarts, and for one statement.
    Raises `MissingExtra` where asyncpg is not installed.
    """

    engine, layout = "postgres", Single()

    def __init__(self, url: str, *, busy: float = 30.0) -> None:
        super().__init__()
        self._driver = driver = asyncpg()
        self.address = Address.parse(url)
        self._busy = max(busy, LEAST)
        self._sql = {name: _numbered(sql) for name, sql in statements(POSTGRES).items()}
        self._pool: Any = None
        self._confined = self._distributed = False
        self._apart: dict[tuple[str, str], tuple[bool, float]] = {}
        self._warned: set[str] = set()
        self._running: set[asyncio.Future[Any]] = set()
        self._passing: tuple[type[BaseException], ...] = (
            OSError, driver.PostgresConnectionError, driver.InterfaceError, driver.InternalClientError,
            driver.CannotConnectNowError, driver.AdminShutdownError, driver.CrashShutdownError,
            driver.TooManyConnectionsError,
            driver.SerializationError, driver.DeadlockDetectedError, driver.ReadOnlySQLTransactionError,
        )  # fmt: skip
        """What may be over at the next attempt."""

    async def open(self) -> None:
        if self._pool is not None:
            return
        self._pool = await self.address.pool(self._busy)
        self._guard = asyncio.create_task(self._until_the_end(self._pool), name="fabula-pool")
        try:
            await self._with_connection(self._begin, patience=min(self._busy, OPENING))
        except self._driver.ClientConfigurationError as error:
            await self.close()
            raise InvalidInput(f"{self.address}: {in_a_line(error)}") from None
        except BaseException:
            await self.close()
            raise

    async def _begin(self, connection: Connection) -> None:
        self.applied = tuple(await migrate(connection))
        self._confined = await connection.fetchval(CONFINED)
        self._distributed = await distributed(connection)

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            self._guard.cancel()
            await self._let_go(pool)

    async def _let_go(self, pool: Any) -> None:
        try:
            async with asyncio.timeout(self._busy):
                await pool.close()
        except TimeoutError:
            log.warning("%s: connections were still in use, and are cut off", self.address)
            pool.terminate()

    async def _until_the_end(self, pool: Any) -> None:
        """Let go of the connections of a store that nobody closes, when its loop ends and cancels what still waits."""
        try:
            await asyncio.Event().wait()
        finally:
            if self._pool is pool:
                self._pool = None
                await self._let_go(pool)

    # --- running ---

    async def _with_connection(self, work: Callable[[Connection], Awaitable[T]], patience: float | None = None) -> T:
        """Run `work` with a connection, and again with another where that one broke."""
        deadline, pause = time.monotonic() + (self._busy if patience is None else patience), PAUSE
        while True:
            pool = self._pool
            if pool is None:
                raise MemoryClosed
            try:
                connection = await pool.acquire(timeout=max(deadline - time.monotonic(), PAUSE))
                try:
                    return await work(connection)
                except self._driver.InternalClientError:
                    connection.terminate()  # it broke in the middle of a message, and does not know where it is
                    raise
                finally:
                    await pool.release(connection)
            except self._driver.IntegrityConstraintViolationError as error:
                raise InvalidInput(f"two live records of one id or key: {error}") from error
            except TimeoutError as error:
                raise self._unavailable(f"{self.address}: no answer within {self._busy:g} s") from error
            except self._passing as error:
                if self._pool is None:
                    raise MemoryClosed from error
                if isinstance(error, ValueError):  # what the driver refuses to send
                    raise
                if time.monotonic() + pause >= deadline:
                    raise self._unavailable(self._explain(error)) from error
                log.info("%s: %s; trying again", self.address, error)
                if isinstance(error, self._driver.ReadOnlySQLTransactionError):
                    await pool.expire_connections()  # to a server that is no longer the one to write to
            except self._driver.PostgresError as error:
                raise self._unavailable(self._explain(error)) from error
            await asyncio.sleep(pause)
            pause = min(2 * pause, 1.0)

    def _unavailable(self, why: str) -> FabulaError:
        """What to raise: that the store was closed, where it was, which broke off what was under way."""
        return MemoryClosed() if self._pool is None else StoreUnavailable(why)

    def _explain(self, error: BaseException) -> str:
        said = in_a_line(error)
        if isinstance(error, self._driver.QueryCanceledError):
            said = f"a statement took longer than {self._busy:g} s"
        return f"{self.address}: {said}"

    async def _execute(self, connection: Connection, wanted: Do) -> Rows:
        (sql, names), params = self._sql[wanted.name], wanted.params
        if isinstance(params, Mapping):
            return await connection.fetch(sql, *map(params.__getitem__, names))
        if params:
            await connection.executemany(sql, [tuple(map(one.__getitem__, names)) for one in params])
        return ()

    async def _walk(self, connection: Connection, steps: Steps[T]) -> T:
        try:
            wanted = next(steps)
            while True:
                wanted = steps.send(await self._execute(connection, wanted))
        except StopIteration as stop:
            return stop.value
        finally:
            steps.close()

    async def _enter(self, connection: Connection, scope: str, *, sets: bool = False) -> None:
        """Tell the database whose rows this transaction may see, where it asks; `sets`: it will set something else."""
        if self._distributed and (sets or self._confined):  # on the scope's own node as well
            await connection.execute("SET LOCAL citus.propagate_set_commands TO 'local'")
        if self._confined:
            await connection.execute(f"SET LOCAL fabula.scope TO {literal(scope)}")

    async def reads(self, scope: str | None, steps: Callable[P, Steps[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        if scope is None and self._confined:
            raise Confined(str(self.address))

        async def work(connection: Connection) -> T:
            if scope is None or not self._confined:
                return await self._walk(connection, steps(*args, **kwargs))
            async with connection.transaction(readonly=True):
                await self._enter(connection, scope)
                return await self._walk(connection, steps(*args, **kwargs))

        return await self._with_connection(work)

    async def sees(self, scope: str, steps: Callable[P, Steps[T]], *args: P.args, **kwargs: P.kwargs) -> T:
        async def work(connection: Connection) -> T:
            # On Citus each statement sees its own moment nevertheless, which `reading.load` bears.
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                await self._enter(connection, scope)
                return await self._walk(connection, steps(*args, **kwargs))

        return await self._with_connection(work)

    async def writes(
        self, steps: Callable[Concatenate[str, P], Steps[T]], scope: str, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        async def work(connection: Connection) -> T:
            # What was committed without our hearing of it is found there by its ids when it is begun again. The server
            # is not asked what became of the transaction: after a crash its number may be another's.
            async with connection.transaction():
                await self._enter(connection, scope)
                return await self._walk(connection, steps(scope, *args, **kwargs))

        # A caller that is cancelled leaves; what was begun goes on to its end.
        running = asyncio.ensure_future(self._with_connection(work))
        self._running.add(running)
        running.add_done_callback(self._done)
        return await asyncio.shield(running)

    def _done(self, running: asyncio.Future[Any]) -> None:
        self._running.discard(running)
        if not running.cancelled() and (error := running.exception()) is not None:
            log.debug("a write failed: %s", error)  # whoever still waits is told

    async def aside(self, function: Callable[[], T], rows: int) -> T:
        # A trip to another thread costs more than it frees where little is to be done.
        return function() if rows <= FEW else await asyncio.to_thread(function)

    async def apart(self, scope: str, space: str) -> bool:
        found, until = self._apart.get((scope, space), (False, 0.0))
        if time.monotonic() >= until:  # somebody else may make an index, or drop it
            name = nearest.index_name(scope, space)
            found = await self._with_connection(lambda connection: nearest.exists(connection, name))
            if len(self._apart) >= ASKED:
                self._apart.clear()
            self._apart[scope, space] = found, time.monotonic() + REMEMBERED
        return found

    async def nearest(self, scope: str, space: str, vector: Floats, limit: int) -> Block:
        if not await self.apart(scope, space):
            return await super().nearest(scope, space, vector, limit)

        async def work(connection: Connection) -> Rows:
            async with connection.transaction(readonly=True):
                await self._enter(connection, scope, sets=True)
                return await nearest.search(connection, scope, space, vector, limit)

        return Single.block(await self._with_connection(work))

    async def write(self, scope: str, changes: Changes, lease: Lease | None = None) -> Written:
        dimensions = max((len(vector) for vector in changes.vectors.values()), default=0)
        if dimensions > nearest.INDEXED and changes.space not in self._warned:
            self._warned.add(changes.space)
            log.warning(nearest.unindexable(changes.space, dimensions))
        written = await super().write(scope, changes, lease)
        if changes.switch:
            await self._unindex(scope, but=changes.space)
        return written

    async def erase(self, scope: str, erasure: Erasure) -> Forgotten:
        forgotten = await super().erase(scope, erasure)
        if erasure.everything:
            await self._unindex(scope)
        return forgotten

    async def _unindex(self, scope: str, but: str = "") -> None:
        """Take away the index of vectors that are gone: its definition names the scope."""
        try:
            if await self._with_connection(lambda connection: nearest.remove(connection, scope, but)):
                self._apart.clear()
        except StoreUnavailable as error:
            log.warning("an index of scope %r is left, drop it with `fabula db hnsw --drop`: %s", scope, error)

    async def damage(self) -> list[str]:
        async def work(connection: Connection) -> list[str]:
            find = "SELECT t FROM unnest($1::text[]) AS t WHERE to_regclass(t) IS NULL"
            return [f"there is no table {row[0]}" for row in await connection.fetch(find, list(TABLES))]

        return await self._with_connection(work)

    async def described(self) -> dict[str, str]:
        async def work(connection: Connection) -> dict[str, str]:
            ask = connection.fetchval
            return {
                "server": f"PostgreSQL {await ask('SHOW server_version')}",
                "pgvector": await ask("SELECT extversion FROM pg_extension WHERE extname = 'vector'"),
                "schema": str(await ask("SELECT max(number) FROM fabula_migrations")),
                "distributed": "over a Citus cluster, by scope" if self._distributed else "no",
                "row-level security": "on" if await ask(WALLED) else "off",
            }

        return await self._with_connection(work)

    async def sizes(self, scope: str | None) -> dict[str, int]:
        async def work(connection: Connection) -> dict[str, int]:
            if scope is None:
                total = "citus_total_relation_size" if self._distributed else "pg_total_relation_size"
                return {table: await connection.fetchval(f"SELECT {total}('{table}')") for table in TABLES}
            async with connection.transaction(readonly=True):
                await self._enter(connection, scope)
                found: dict[str, int] = {}
                for table in TABLES:
                    width = await connection.fetchval(WIDTH, table)
                    sql = f"SELECT COALESCE(SUM({width}), 0) FROM {table} WHERE scope = $1"
                    found[table] = int(await connection.fetchval(sql, scope))
                return found

        return await self._with_connection(work)


def _numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """A statement with numbered parameters, each cast to its type, and their names in order."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}::{TYPES.get(name, 'text')}"

    return re.sub(r"(?<!:):([a-z_]+)", number, sql), tuple(names)
