"""The tenant wall in the SQL itself: every key begins with the scope, and every statement keeps to one.

It reads the text of the SQL and the catalogues of real databases, and knows no store and no record.
"""

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fabula.abc import MOVED
from fabula.stores import open_store
from fabula.stores.server import asyncpg
from fabula.stores.statements import (
    COLUMNS,
    LONGS,
    POSTGRES,
    RECORD,
    SQLITE,
    TABLES,
    THERE,
    Dialect,
    migrations,
    statements,
)

MIGRATIONS = "fabula_migrations"
"""The one table without a scope: it says what was done to the schema."""
EXEMPT = {"pending_due": "workers look for the work that is due in any scope"}
"""Indexes that do not begin with the scope, and why. None of them is unique: those are walls."""
UNFILTERED = {
    "all_scopes": "lists the scopes",
    "all_work": "looks for due work in any scope",
    "all_failed": "looks for work that was given up in any scope",
    "all_crowded": "looks for full windows in any scope",
    "all_leases": "tells which worker is at which scope",
    **dict.fromkeys(("all_count_records", "all_count_sessions", "all_count_pending"), "counts for an administrator"),
}
"""Statements of all scopes, and why. Each says so."""
VERSIONS = {"all_versions"}
"""Begins with all_, and means all versions of a record."""

BY_HALF = {
    **{f"{moved}_{table}": "moves" for moved in ("page", "last") for table in MOVED},
    **dict.fromkeys(("vector_chunks", "known_vectors"), "writes vectors, also while they are moved"),
    **dict.fromkeys(("live_numbers", "session_ids", "next_seq", "citing_ids", "mentions", "record_links", "tombstones",
                     "known_ids"), "is asked by who holds the scope's own row"),
    **dict.fromkeys(("load_rows", "load_terms", "load_closed", "load_vectors", "audit_records", "audit_terms",
                     "audit_pending", "audit_edges", "audit_pictures", "audit_access", "audit_vectors"),
                    "is asked after the scope's own row"),
    **dict.fromkeys(("all_work", "all_failed", "all_crowded"), "looks for work, which a copy's lease keeps from all"),
    "embedded_numbers": "is asked beside `embedded_kinds`",
}  # fmt: skip
"""Statements that find what is there of a scope by half, while it is copied, and why nobody sees it."""

DIALECTS = {"sqlite": SQLITE, "postgres": POSTGRES}
each_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)


def schema(dialect: Dialect) -> str:
    """The whole history of the schema, without comments and with single spaces."""
    text = "\n".join(migration.sql for migration in migrations(dialect))
    return re.sub(r"\s+", " ", re.sub(r"--[^\n]*", "", text))


def plain(sql: str) -> str:
    """A statement with single spaces, without its literals, and with lists as they stand in the files."""
    sql = re.sub(r"\s+", " ", re.sub(r"'[^']*'", "''", sql))
    return re.sub(r"IN \(SELECT value FROM json_each\((:\w+)\)\)", r"IN \1", sql)


def sentences(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Every statement of the engine's files with the sentence above it."""
    folder = Path(__file__).parents[2] / "src" / "fabula" / "stores" / "sql"
    for file in ("shared.sql", f"{dialect.name}.sql"):
        for block in folder.joinpath(file).read_text("utf-8").split("-- name: ")[1:]:
            name, _, body = block.partition("\n")
            yield name, " ".join(line[3:] for line in body.splitlines() if line.startswith("-- "))


each_statement = pytest.mark.parametrize(
    ("engine", "name"), [(engine, name) for engine, dialect in DIALECTS.items() for name in statements(dialect)]
)


OWN_ROWS = re.compile(
    r"INSERT INTO \w+ \(scope, [^)]*\) VALUES \(:scope, [^)]*\)"
    # What may be in the way is another row of the same scope.
    r"(?! ON CONFLICT \((?!scope\b))"
)


def is_of_one_scope(sql: str) -> bool:
    """Whether a statement can only touch rows of `:scope`, as its text tells.

    What this does not understand it denies.
    """
    sql = plain(sql).replace(" FOR UPDATE", "")
    if sql.startswith("INSERT"):
        return OWN_ROWS.match(sql) is not None
    conditions = sql
    while (shorter := re.sub(r"\((?!SELECT)[^()]*\)", "", conditions)) != conditions:
        conditions = shorter
    bound = set(re.findall(r"(?:WHERE|AND) (\w)\.scope = :scope\b", sql))
    bound |= {one for one, other in re.findall(r"(?:WHERE|ON) (\w)\.scope = (\w)\.scope\b", sql) if other in bound}
    queries = [(query, tables_of(query)) for query in re.split(r"(?=\bSELECT |\bDELETE |\bUPDATE )", sql)]
    return (
        " OR " not in conditions
        and any(tables for _, tables in queries)
        and all(
            tables <= bound or (len(tables) == 1 and re.search(r"(?:WHERE|AND) scope = :scope\b", query))
            for query, tables in queries
        )
    )


def tables_of(query: str) -> set[str]:
    """The tables that a query without its inner ones names, by alias where they have one."""
    found = re.findall(r"(?:FROM|JOIN|UPDATE) (\w+)(?: ([a-z])\b)?", query)
    return {alias or table for table, alias in found}


# --- the schema as it is written ---------------------------------------------------------------------------------


@each_dialect
def test_every_table_and_index_is_written_with_the_scope_first(dialect: Dialect):
    text = schema(dialect)
    tables = dict(re.findall(r"CREATE TABLE (\w+) \((.*?)\)(?: WITH(?:OUT)?[^;]*)? ?;", text))
    assert sorted(tables) == sorted(TABLES)
    for table, body in tables.items():
        assert re.match(r" ?scope TEXT(?: COLLATE \"C\")? NOT NULL\b", body), table
        assert re.match(r" ?scope [^,]* PRIMARY KEY\b", body) or "PRIMARY KEY (scope, " in body, table
        assert not re.search(r"\bUNIQUE\b(?! \(scope\b)", body), table
    indexes = re.findall(r"CREATE (UNIQUE )?INDEX (\w+) ON (\w+)(?: USING \w+)? ?\(\s*(\w+)", text)
    assert len(indexes) == text.count(" INDEX ")
    assert {name: unique for unique, name, _, first in indexes if first != "scope"} == dict.fromkeys(EXEMPT, "")


@each_dialect
def test_nothing_in_the_schema_acts_by_itself(dialect: Dialect):
    found = re.findall(
        r"\b(?:TRIGGER|SERIAL|BIGSERIAL|AUTOINCREMENT|GENERATED|IDENTITY|SEQUENCE|NEXTVAL|REFERENCES|FOREIGN|CASCADE"
        r"|RULE|FUNCTION)\b",
        schema(dialect),
        re.IGNORECASE,
    )
    assert found == []


# --- the statements ----------------------------------------------------------------------------------------------


@each_statement
def test_a_statement_is_of_one_scope_or_says_that_it_is_not(engine: str, name: str):
    said = dict(sentences(DIALECTS[engine]))
    sql = statements(DIALECTS[engine])[name]
    if name in UNFILTERED:
        assert said[name].endswith("(all scopes).")
        assert ":scope" not in sql
    else:
        assert is_of_one_scope(sql), sql
        assert "(all scopes)" not in said.get(name, "")
        assert not name.startswith("all_") or name in VERSIONS


@each_dialect
def test_the_half_of_a_copy_is_found_only_by_what_says_why(dialect: Dialect):
    found: set[str] = set()
    for name, sql in statements(dialect).items():
        reads = re.search(rf"(?:FROM|JOIN) (?:{'|'.join(MOVED)})\b", sql)
        if reads and THERE not in sql and "IN (SELECT scope FROM scopes)" not in sql and "DELETE" not in sql:
            found.add(name)
    assert found <= BY_HALF.keys(), "what reads of one that is not there whole?"


@each_dialect
def test_nothing_that_writes_is_of_all_scopes(dialect: Dialect):
    of_all = {name for name, sql in statements(dialect).items() if not is_of_one_scope(sql)}
    assert of_all == UNFILTERED.keys()
    for name in of_all:
        assert plain(statements(dialect)[name]).startswith("SELECT "), name


@each_dialect
def test_a_scope_is_never_renamed(dialect: Dialect):
    for name, sql in statements(dialect).items():
        for assigned in re.findall(r"\bSET (.*?)(?: WHERE | RETURNING |$)", plain(sql)):
            assert not re.search(r"(?:^|, )scope =", assigned), name


@each_dialect
def test_every_statement_has_a_sentence_and_a_name_of_its_own(dialect: Dialect):
    found = list(sentences(dialect))
    names = [name for name, _ in found]
    assert len(set(names)) == len(names)
    for name, sentence in found:
        assert re.fullmatch(r"[A-Z].*[.)]", sentence), name


@pytest.mark.parametrize("sql", [
    "SELECT id FROM records WHERE id IN :ids",
    "DELETE FROM records WHERE number = :number",
    "UPDATE records SET data = :data WHERE number = :number",
    "SELECT id FROM records WHERE scope <> :scope",
    "SELECT id FROM records WHERE 'scope = :scope' = 'scope = :scope'",
    "SELECT id FROM records WHERE scope = :scope AND id IN (SELECT source FROM edges WHERE target = :id)",
    "SELECT r.id FROM records r JOIN postings p ON p.number = r.number WHERE r.id = :id",
    "INSERT INTO records (id, text) VALUES (:id, :text)",
    "INSERT INTO records (scope, id) VALUES (:other, :id)",
    "INSERT INTO records (scope, id) VALUES (:scope, :id) ON CONFLICT (id) DO NOTHING",
    "SELECT id FROM records WHERE scope = :scope OR id = :id",
    "DELETE FROM edges WHERE scope = :scope AND source = :id OR target = :id",
    "SELECT 1",
])  # fmt: skip
def test_the_reading_of_a_statement_sees_what_is_wrong(sql: str):
    assert not is_of_one_scope(sql)


# --- the databases as they are -----------------------------------------------------------------------------------


@pytest.fixture
async def catalogue(postgres_url: str) -> AsyncIterator[Any]:
    """A connection to a database with the schema in it."""
    connection = await asyncpg().connect(postgres_url)
    yield connection
    await connection.close()


OURS = (
    "n.nspname = current_schema() AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')"
)
"""Relations that no extension brought along."""


async def test_there_are_no_other_tables(catalogue: Any):
    rows = await catalogue.fetch(
        "SELECT c.relname, c.relkind::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        f" WHERE c.relkind NOT IN ('i', 't') AND {OURS}"
    )
    assert {tuple(row) for row in rows} == {(table, "r") for table in (*TABLES, MIGRATIONS)}


async def test_every_index_begins_with_the_scope(catalogue: Any):
    rows = await catalogue.fetch(
        "SELECT t.relname, c.relname, x.indisunique, x.indisprimary,"
        " (SELECT attname FROM pg_attribute WHERE attrelid = t.oid AND attnum = x.indkey[0]), x.indnkeyatts"
        " FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid"
        f" JOIN pg_namespace n ON n.oid = t.relnamespace WHERE {OURS}"
    )
    indexes = [tuple(row) for row in rows if row[0] != MIGRATIONS]
    assert {table for table, _, _, primary, _, _ in indexes if primary} == set(TABLES)
    assert {name: unique for _, name, unique, _, first, _ in indexes if first != "scope"} == dict.fromkeys(
        EXEMPT, False
    )
    alone = {table for table, _, unique, _, _, keys in indexes if unique and keys == 1}
    assert alone == {"scopes", "leases"}, "one row a scope"


async def test_every_constraint_begins_with_the_scope(catalogue: Any):
    rows = await catalogue.fetch(
        "SELECT t.relname, k.contype::text,"
        " (SELECT attname FROM pg_attribute WHERE attrelid = t.oid AND attnum = k.conkey[1])"
        " FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_namespace n ON n.oid = t.relnamespace"
        " WHERE n.nspname = current_schema()"
    )
    kinds = {kind for _, kind, _ in rows}
    assert kinds <= {"p", "u", "n"}, "neither a foreign key, nor a check, nor an exclusion"
    for table, kind, first in rows:
        assert table == MIGRATIONS or kind == "n" or first == "scope", table


async def test_nothing_in_the_database_acts_by_itself(catalogue: Any):
    assert await catalogue.fetch("SELECT tgrelid::regclass::text FROM pg_trigger") == []
    own = f"IN (SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OURS})"
    assert await catalogue.fetch(f"SELECT rulename FROM pg_rewrite WHERE ev_class {own}") == []
    identity = f"SELECT attname FROM pg_attribute WHERE attrelid {own} AND (attidentity <> '' OR attgenerated <> '')"
    assert await catalogue.fetch(identity) == []
    defaults = await catalogue.fetch(
        "SELECT a.attname, pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d"
        f" JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum WHERE d.adrelid {own}"
    )
    assert defaults
    for column, default in defaults:
        assert column != "scope"
        assert re.fullmatch(r"''::text|\d+(?:::\w+)?|'\d+'::\w+", default), f"{column}: {default}"


def written(table: str) -> tuple[list[str], list[str]]:
    """The key columns and all columns, as the moving of scopes knows them."""
    keys, others = COLUMNS[table]
    return ["scope", *keys], sorted(["scope", *keys, *others])


@pytest.mark.parametrize("table", COLUMNS)
async def test_every_column_is_moved_in_postgres(catalogue: Any, table: str):
    rows = await catalogue.fetch(
        "SELECT attname, atttypid::regtype::text FROM pg_attribute"
        " WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped",
        table,
    )
    types = dict(map(tuple, rows))
    key = await catalogue.fetch(
        "SELECT a.attname FROM pg_constraint k, unnest(k.conkey) WITH ORDINALITY u(number, place)"
        " JOIN pg_attribute a ON a.attnum = u.number AND a.attrelid = $1::regclass"
        " WHERE k.conrelid = $1::regclass AND k.contype = 'p' ORDER BY u.place",
        table,
    )
    assert ([row[0] for row in key], sorted(types)) == written(table)
    for name in COLUMNS[table][0]:
        assert types[name] == ("bigint" if name in LONGS else "text")


@pytest.mark.parametrize("table", COLUMNS)
async def test_every_column_is_moved_in_sqlite(tmp_path: Path, table: str):
    store = open_store(tmp_path / "memory.db")
    await store.open()
    await store.close()
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        rows = connection.execute(f"SELECT name, type, pk FROM pragma_table_info('{table}')").fetchall()
    key = [name for name, _, place in sorted(rows, key=lambda row: row[2]) if place]
    assert (key, sorted(row[0] for row in rows)) == written(table)
    for name, kind, _ in rows:
        if name in COLUMNS[table][0]:
            assert kind == ("INTEGER" if name in LONGS else "TEXT")


@pytest.mark.parametrize(
    "name",
    ["live_records", "past_records", "live_numbers", "numbered_records", "close_records", "session_ids",
     "citing_records", "past_citing_records", "citing_ids", "mentioned_in", "all_versions"],
)  # fmt: skip
async def test_sqlite_reads_no_more_of_a_scope_than_it_is_asked_for(tmp_path: Path, name: str):
    store = open_store(tmp_path / "m.db")
    await store.open()
    await store.close()
    sql = statements(SQLITE)[name]
    params = dict.fromkeys(re.findall(r":(\w+)", sql), "[]")
    with closing(sqlite3.connect(tmp_path / "m.db")) as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", params)]
    assert any("(scope=? AND" in step for step in plan)
    assert not [step for step in plan if "(scope=?)" in step and not step.startswith("SEARCH scopes ")]


async def test_a_record_is_read_with_all_its_columns(catalogue: Any):
    rows = await catalogue.fetch(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'records'::regclass AND attnum > 0 ORDER BY attnum"
    )
    assert [row[0] for row in rows] == ["scope", *RECORD.split(", "), "revision"]


def test_what_is_moved_is_every_table_that_is_no_cache():
    assert set(MOVED) == set(COLUMNS) | {"vectors"}
    assert set(TABLES) - set(MOVED) == {"scopes", "leases", "embeddings"}


def test_a_key_is_as_long_for_whoever_moves_a_scope():
    assert {table: len(keys) for table, (keys, _) in COLUMNS.items()} | {"vectors": 2} == dict(MOVED)
