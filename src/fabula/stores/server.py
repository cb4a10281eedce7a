"""A PostgreSQL server as a place to connect to, and its schema; knows no record and no statement of a memory."""

from __future__ import annotations

import importlib
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode

from fabula.errors import InvalidInput, MissingExtra, SchemaTooNew, StoreUnavailable
from fabula.stores.rows import now
from fabula.stores.statements import POSTGRES, TABLES, Migration, migrations

Connection: TypeAlias = Any
"""An asyncpg connection: the package has no types, and is only imported when it is needed."""

POOL: Final = 10
"""Connections a store opens at most."""
CACHE: Final = 256
"""Prepared statements a connection keeps: all there are."""
HOST: Final = r"(?:\[[0-9a-fA-F:.%]+\]|[^\s@:/?#\[\],]+)?(?::\d+)?"
PATIENCE: Final = 10.0
"""Seconds to wait for a connection."""
URL: Final = (
    r"(?:postgresql|postgres)(?:\+\w+)?://"
    r"(?:(?P<user>[^\s@:/?#\[\]]*)(?::(?P<password>[^\s@:/?#\[\]]*))?@)?"
    rf"(?P<hosts>{HOST}(?:,{HOST})*)(?:/(?P<database>[^\s@?#/]*))?(?:\?(?P<query>[^\s#@]*))?"
)
"""A database URL. Stricter than it might be: what is not percent-encoded could be read as the part of another."""
SSL: Final = {
    **{mode: mode for mode in ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")},
    "true": "require",
    "false": "disable",
}
IGNORED: Final = ("channel_binding", "connect_timeout", "gssencmode", "keepalives", "keepalives_idle")
"""What hosts put into their URLs and this driver does not know."""
NAME: Final = r"[a-z_][a-z0-9_]{0,62}"
MIGRATING: Final = 24 * 3600.0
"""Seconds that a change of the schema, or another process's, may take."""
LOCK: Final = 0x66616275
"""The advisory lock under which the schema is changed."""
CITUS: Final = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
"""Whether the database has Citus."""
PGVECTOR: Final = (0, 8)
"""The first pgvector whose index can be searched on until enough is found."""


def asyncpg() -> Any:
    """Return the driver. Raises `MissingExtra`."""
    try:
        return importlib.import_module("asyncpg")
    except ModuleNotFoundError:
        raise MissingExtra("a memory in PostgreSQL", "postgres") from None


@dataclass(frozen=True, slots=True)
class Address:
    """Where a database is, as a URL says it; never shows the password.

    `postgresql://`, `postgres://` and SQLAlchemy's `postgresql+asyncpg://` are one. Beside what the server and libpq
    know (`host=/var/run/postgresql`, `sslmode=…`), the query may say `schema` (the tables' schema, made if missing),
    `pool` (connections at most) and `statement_cache_size` (0 behind a pooler that shares connections, as PgBouncer).
    """

    dsn: str = field(repr=False)
    shown: str
    schema: str = ""
    size: int = POOL
    cache: int = CACHE

    @classmethod
    def parse(cls, url: str) -> Address:
        """Read a URL. Raises `InvalidInput`, which shows nothing of it."""
        found = re.fullmatch(URL, url)
        if found is None:
            raise InvalidInput(
                "the database URL cannot be read: it begins with postgresql://, as in"
                " postgresql://user:password@host:port/database, with @ : / ? # and the like percent-encoded"
            )
        user, password, hosts, database, rest = (part or "" for part in found.groups())
        query = dict(parse_qsl(rest, keep_blank_values=True))
        for theirs, ours in (("ssl", "sslmode"), ("prepared_statement_cache_size", "statement_cache_size")):
            if theirs in query:
                query.setdefault(ours, query.pop(theirs))
        if re.fullmatch(NAME, query.get("search_path", "")):
            query.setdefault("schema", query.pop("search_path"))
        for name in IGNORED:
            query.pop(name, None)
        schema, size, cache = (query.pop(name, "") for name in ("schema", "pool", "statement_cache_size"))
        if schema and not re.fullmatch(NAME, schema):
            raise InvalidInput("schema in the database URL is a plain name in lower case")
        if not all(re.fullmatch(r"\d{0,6}", number, re.ASCII) for number in (size, cache)):
            raise InvalidInput("pool and statement_cache_size in the database URL are numbers")
        if "sslmode" in query:
            query["sslmode"] = SSL.get(query["sslmode"], "")
            if not query["sslmode"]:
                raise InvalidInput(f"sslmode in the database URL is one of {', '.join(dict.fromkeys(SSL.values()))}")
        ports = re.findall(r":(\d+)(?:,|$)", hosts) + query.get("port", "0").split(",")
        if not all(re.fullmatch(r"\d{1,5}", port, re.ASCII) and int(port) < 65536 for port in ports):
            raise InvalidInput("the database URL cannot be read: a port is a number below 65536")
        if not all(one.startswith("/") or re.fullmatch(HOST, one) for one in query.get("host", "").split(",")):
            raise InvalidInput("the database URL cannot be read: host is a name, an address or the folder of a socket")
        place = hosts or query.get("host", "localhost")
        account = ":".join(quote(unquote(part), safe="") for part in (user, password) if part)
        return cls(
            dsn=f"postgresql://{account and account + '@'}{hosts}/{database}?{urlencode(query, quote_via=quote)}",
            shown=_shown(f"postgresql://{'' if '/' in place else place}/{unquote(database)}"),
            schema=schema,
            size=max(int(size or POOL), 1),
            cache=int(cache or CACHE),
        )

    def __str__(self) -> str:
        return self.shown

    def _options(self, statement: float) -> dict[str, Any]:
        settings = {"application_name": "fabula"}
        if statement and self.cache:  # a pooler that shares connections refuses to pass it on
            settings["statement_timeout"] = str(round(statement * 1000))
        if self.schema:
            settings["search_path"] = f"{self.schema}, public, extensions"  # where hosts put pgvector
        return {"dsn": self.dsn, "server_settings": settings, "statement_cache_size": self.cache}

    async def connect(self, patience: float) -> Connection:
        """Return a connection of its own, within `patience` seconds; its statements may take their time."""
        return await asyncpg().connect(timeout=patience, **self._options(0))

    async def pool(self, patience: float) -> Any:
        """Return a pool of connections whose statements may take `patience` seconds; it connects when it is used."""
        # The server ends a statement that takes too long; the driver's own limit is for a server that is silent.
        return await asyncpg().create_pool(
            min_size=0, max_size=self.size, timeout=patience, command_timeout=patience + 5, reset=_left_as_it_is,
            **self._options(patience),
        )  # fmt: skip


async def _left_as_it_is(connection: Connection) -> None:
    """Nothing is ever set on a connection for longer than a transaction, so that there is nothing to take back.

    The driver's own way asks the server for four things, which costs as much as a short statement.
    """
    del connection


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Connection]:
    """A connection of its own, to a database with the schema. Raises `StoreUnavailable`."""
    address = Address.parse(url)
    driver = asyncpg()
    try:
        connection = await address.connect(PATIENCE)
        try:
            await migrate(connection)
            yield connection
        finally:
            await connection.close()
    except (OSError, TimeoutError, driver.PostgresError, driver.InterfaceError) as error:
        raise StoreUnavailable(f"{address}: {in_a_line(error)}") from error


def _shown(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def in_a_line(error: BaseException) -> str:
    """Return what an error says, in one line for a person."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def literal(text: str) -> str:
    """Return a text as it stands in a statement, where no parameter can; the same whatever the server's settings."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


async def migrate(connection: Connection) -> list[str]:
    """Bring the schema up to date in one transaction; return what was applied.

    Raises `SchemaTooNew`, and `StoreUnavailable` where pgvector is missing or too old. Needs no right to change
    anything where nothing is to be changed.
    """
    if not await unapplied(connection):
        return []
    async with connection.transaction():
        await connection.execute("SET LOCAL statement_timeout TO 0")
        await connection.execute(f"SELECT pg_advisory_xact_lock({LOCK})", timeout=MIGRATING)
        if await connection.fetchval(CITUS):
            # Changes of the schema and of a table on every node do not go together in parallel.
            await connection.execute("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'")
        home = await _home(connection)
        if home != await connection.fetchval("SELECT current_schema()"):
            await connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{home}"')
        await _vectors(connection)
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS fabula_migrations"
            " (number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied BIGINT NOT NULL)"
        )
        left = await unapplied(connection)
        for number, name, sql in left:
            await connection.execute(sql, timeout=MIGRATING)
            await connection.execute("INSERT INTO fabula_migrations VALUES ($1, $2, $3)", number, name, now())
        if left and await distributed(connection):
            await spread(connection)
    return [name for _, name, _ in left]


async def unapplied(connection: Connection) -> list[Migration]:
    """Return the migrations that are still to be applied. Raises `SchemaTooNew`."""
    history, home = migrations(POSTGRES), await _home(connection)
    find = "SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename = ANY($2)"
    tables = {row[0] for row in await connection.fetch(find, home, ["fabula_migrations", *TABLES])}
    done: set[int] = set()
    if "fabula_migrations" in tables:
        done = {row[0] for row in await connection.fetch("SELECT number FROM fabula_migrations")}
    elif tables:
        raise StoreUnavailable(
            f"the database has a table {min(tables)!r} that is another program's: add ?schema=fabula to the URL"
        )
    if done and max(done) > history[-1].number:
        raise SchemaTooNew(max(done), history[-1].number)
    return [one for one in history if one.number not in done]


async def _home(connection: Connection) -> str:
    """The schema of the tables, which need not exist yet: the first of the search path that is a plain name."""
    find = "SELECT split_part(current_setting('search_path'), ',', 1), current_schema()"
    first, current = await connection.fetchrow(find)
    return first if current is None or re.fullmatch(NAME, first) else current


async def distributed(connection: Connection) -> bool:
    """Whether the tables are spread over a Citus cluster."""
    if not await connection.fetchval(CITUS):
        return False
    return await connection.fetchval("SELECT 'scopes'::regclass IN (SELECT logicalrelid FROM pg_dist_partition)")


async def spread(connection: Connection, shards: int = 0) -> list[str]:
    """Distribute the tables by scope that are not distributed yet, beside those that are; return their names."""
    find = """
        SELECT c.relname FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()"""
    done = {row[0] for row in await connection.fetch(find)}
    tables = ("scopes", *TABLES[:-1])  # the others are laid beside the first
    for table in tables:
        if table not in done:
            beside, options = ("none", f", shard_count => {shards:d}") if table == "scopes" else ("scopes", "")
            await connection.execute(
                f"SELECT create_distributed_table('{table}', 'scope', colocate_with => '{beside}'{options})"
            )
        # Its rows were copied to the nodes; what is erased there must not stay behind here.
        await connection.execute(f"SELECT truncate_local_data_after_distributing_table('{table}')")
    if "fabula_migrations" not in done:  # so that every node can be asked
        await connection.execute("SELECT create_reference_table('fabula_migrations')")
    return [table for table in tables if table not in done]


async def _vectors(connection: Connection) -> None:
    driver = asyncpg()
    find = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
    version = await connection.fetchval(find)
    if version is None:
        try:
            await connection.execute("CREATE EXTENSION vector SCHEMA public")
        except driver.InsufficientPrivilegeError:
            raise StoreUnavailable(
                "pgvector is not set up: have an administrator run CREATE EXTENSION vector"
            ) from None
        except (driver.UndefinedFileError, driver.FeatureNotSupportedError):
            raise StoreUnavailable("the server has no pgvector: install 0.8 or newer there") from None
        version = await connection.fetchval(find)
    if tuple(map(int, version.split(".")[:2])) < PGVECTOR:
        raise StoreUnavailable(f"pgvector {version} is too old: 0.8 or newer is needed (ALTER EXTENSION vector UPDATE)")
