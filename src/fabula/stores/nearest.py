"""Approximate indexes of vectors (HNSW) in PostgreSQL, one for each large scope that is given one.

A scope's own index, and not one for all: a search over a common index meets mostly other people's vectors, and
finds the less the smaller the scope's part of them is. It knows vectors, and no record.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from typing import Final

from fabula.errors import InvalidInput
from fabula.index import Floats
from fabula.stores.server import Connection, connected, literal

log = logging.getLogger(__name__)

INDEXED: Final = 4000
"""The most dimensions of which pgvector makes an index (of halfvec)."""
SEEN: Final = 400
"""How many candidates a search keeps in sight (`hnsw.ef_search`)."""


def index_name(scope: str, space: str) -> str:
    """Return the name of the index of one scope and space."""
    return f"{_prefix(scope)}{_hash(space, 6)}"


def _prefix(scope: str) -> str:
    return f"vectors_near_{_hash(scope, 12)}_"


def _hash(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


def unindexable(space: str, dimensions: int) -> str:
    """Return in one line why there can be no index for vectors of so many dimensions."""
    return (
        f"vectors of {dimensions} dimensions ({space}) can have no approximate index, whose limit is {INDEXED}:"
        " every scope is scanned exactly"
    )


async def create(url: str, scope: str) -> str:
    """Give the vectors of a scope an index; return what was done, in one line. Writers need not wait for it."""
    async with connected(url) as connection:
        space = await connection.fetchval("SELECT space FROM scopes WHERE scope = $1", scope)
        if not space:
            raise InvalidInput(f"this role sees no scope {scope!r} with vectors in it")
        find = "SELECT vector_dims(vector) FROM vectors WHERE scope = $1 AND space = $2 LIMIT 1"
        dimensions = await connection.fetchval(find, scope, space)
        if dimensions is None:
            raise InvalidInput(f"this role sees no scope {scope!r} with vectors in it")
        if dimensions > INDEXED:
            log.warning(unindexable(space, dimensions))
            return unindexable(space, dimensions)
        name = index_name(scope, space)
        if await exists(connection, name):
            return "indexed already"
        await connection.execute(f"DROP INDEX IF EXISTS {name}")  # what an interrupted one left
        await connection.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON vectors USING hnsw ((vector::halfvec({dimensions})) halfvec_ip_ops)"
            f" WHERE scope = {literal(scope)} AND space = {literal(space)}"
        )
        return f"indexed {scope}: its vectors are searched in the database, and no longer held in memory"


async def drop(url: str, scope: str) -> str:
    """Take a scope's index away; return what was done, in one line."""
    async with connected(url) as connection:
        gone = await remove(connection, scope)
    return "its vectors are scanned exactly" if gone else "there is no index of it"


async def remove(connection: Connection, scope: str, but: str = "") -> int:
    """Drop the indexes of a scope, but that of the space `but`; return how many. The tables have to be one's own."""
    find = "SELECT relname FROM pg_class WHERE relkind IN ('i', 'I') AND starts_with(relname, $1)"
    kept = index_name(scope, but) if but else ""
    names = [row[0] for row in await connection.fetch(find, _prefix(scope)) if row[0] != kept]
    for name in names:
        await connection.execute(f"DROP INDEX IF EXISTS {name}")
    return len(names)


async def search(
    connection: Connection, scope: str, space: str, vector: Floats, limit: int
) -> Sequence[tuple[int, bytes]]:
    """Return the numbers and vectors nearest to a unit vector, by the scope's index; within a transaction."""
    # The index covers the scope alone; iterative scans find on behind versions that were erased meanwhile.
    await connection.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
    await connection.execute(f"SET LOCAL hnsw.ef_search = {min(max(SEEN, limit), 1000)}")
    kind = f"halfvec({len(vector)})"
    return await connection.fetch(
        f"SELECT number, halfvec_send(vector) FROM vectors WHERE scope = {literal(scope)} AND space = {literal(space)}"
        f" ORDER BY (vector::{kind}) <#> $1::real[]::{kind} LIMIT {limit:d}",
        vector.tolist(),
    )


async def exists(connection: Connection, name: str) -> bool:
    """Whether there is an index of that name that can be used."""
    find = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"
    return bool(await connection.fetchval(find, name))
