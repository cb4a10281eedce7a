"""What an administrator does to a PostgreSQL database as a whole: spread it over a cluster, wall its scopes off.

It changes the schema only, and knows nothing of what is in it. Everything here may be run again.
"""

from __future__ import annotations

from typing import Final

from fabula.errors import InvalidInput, StoreUnavailable
from fabula.stores.server import CITUS, Connection, connected, spread
from fabula.stores.statements import TABLES

SHARDS: Final = 32
"""Shards of a table where it is not said: as many nodes can share the work."""
OWN_SCOPE: Final = "scope = current_setting('fabula.scope', true)"


async def distribute(url: str, shards: int = SHARDS) -> list[str]:
    """Spread every table over the nodes of a Citus cluster, by scope; return the tables for which that was new.

    A scope's rows of all tables lie on one node, so that its transactions stay there. Raises `StoreUnavailable`
    where the database has no Citus.
    """
    async with connected(url) as connection:
        if not await connection.fetchval(CITUS):
            raise StoreUnavailable(
                "this database has no Citus: install it on every node, then run CREATE EXTENSION citus in the database"
            )
        return await spread(connection, shards)


async def secure(url: str, app: str, worker: str) -> None:
    """Let the database itself keep scopes apart: row-level security, forced on the tables' owner too.

    The role `app` sees one scope in a transaction, that which it names; the role `worker` sees all. Both have to
    exist, and neither may own the tables or be a superuser. On Citus this is experimental.
    """
    async with connected(url) as connection:
        await _refuse(connection, app, worker)
        roles = [await connection.fetchval("SELECT quote_ident($1)", role) for role in (app, worker)]
        async with connection.transaction():
            schema = await connection.fetchval("SELECT quote_ident(current_schema())")
            await connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO {', '.join(roles)}")
            await connection.execute(f"GRANT SELECT ON fabula_migrations TO {', '.join(roles)}")
            for table in TABLES:
                for statement in _walls(table, *roles):
                    await connection.execute(statement)


async def _refuse(connection: Connection, app: str, worker: str) -> None:
    """Refuse roles that do not exist, and an application's role that would not be bound."""
    for role in (app, worker):
        if not await connection.fetchval("SELECT true FROM pg_roles WHERE rolname = $1", role):
            raise InvalidInput(f"there is no role {role!r}: CREATE ROLE {role} LOGIN PASSWORD '…'")
    find = """
        SELECT CASE WHEN rolsuper OR rolbypassrls THEN 'is a superuser or bypasses row-level security'
                    WHEN pg_has_role(oid, $2, 'member') THEN 'is a member of the worker''s role'
                    WHEN pg_has_role(oid, (SELECT relowner FROM pg_class WHERE oid = 'records'::regclass), 'member')
                        THEN 'owns the tables' END
        FROM pg_roles WHERE rolname = $1"""
    if (why := await connection.fetchval(find, app, worker)) is not None:
        raise InvalidInput(f"the role {app!r} would not be bound: it {why}")


def _walls(table: str, app: str, worker: str) -> tuple[str, ...]:
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"DROP POLICY IF EXISTS fabula_scope ON {table}",
        f"DROP POLICY IF EXISTS fabula_worker ON {table}",
        f"CREATE POLICY fabula_scope ON {table} TO {app} USING ({OWN_SCOPE}) WITH CHECK ({OWN_SCOPE})",
        f"CREATE POLICY fabula_worker ON {table} TO {worker} USING (true) WITH CHECK (true)",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table} TO {app}, {worker}",
    )


async def open_up(url: str) -> None:
    """Take row-level security off again; rights that were granted stay."""
    async with connected(url) as connection, connection.transaction():
        for table in TABLES:
            await connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY")
