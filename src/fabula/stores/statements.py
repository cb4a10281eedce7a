"""The stores' SQL by name, and a transaction as a sequence of named statements; knows no driver.

A transaction is a generator that yields `Do` and is sent the rows. So the same steps run over a blocking driver
and over an asynchronous one, and there is one text of what a write means.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

RECORD: Final = (
    "number, id, kind, key, session, seq, speaker, status, text, data, importance, "
    "valid_from, valid_to, precision, recorded_from, recorded_to"
)
TABLES: Final = (
    "records", "postings", "vectors", "edges", "pending", "leases", "tombstones", "embeddings", "pictures", "access",
    "scopes",
)  # fmt: skip
"""Every table that holds a scope's data, in the order in which they are emptied."""
COLUMNS: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "records": (("number",), (*RECORD.replace(" ", "").split(",")[1:], "revision")),
    "postings": (("number",), ("length", "question", "terms", "links", "embedded")),
    "edges": (("target", "kind", "source", "ref"), ("weight", "revision")),
    "pending": (("task", "number"), ("id", "session", "attempts", "error", "due")),
    "tombstones": (("id",), ()),
    "pictures": (("id", "place"), ("bytes",)),
    "access": (("id",), ("count", "first", "last")),
}
"""The tables that are alike on every engine and no cache: the key beside the scope, and the other columns."""
LONGS: Final = frozenset({"number", "place"})
"""The key columns that are numbers; the others are texts."""
THERE: Final = "EXISTS (SELECT 1 FROM scopes WHERE scope = :scope)"
"""What holds once a scope has its own row, which it gets last where it is copied to."""
COPYING: Final = "copy of revision "
"""How the lease of a scope begins that is being copied here."""


class Do(NamedTuple):
    """One statement by name: one mapping of parameters, or a sequence of them to run it many times."""

    name: str
    params: Mapping[str, Any] | list[dict[str, Any]]


Rows: TypeAlias = Sequence[Sequence[Any]]
Steps: TypeAlias = Generator[Do, Rows, T]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine spells what the shared SQL leaves open; `name` is also that of its own SQL files."""

    name: str
    words: tuple[tuple[str, str], ...]
    """What stands for each `$word`."""
    membership: str
    """What stands for `IN :list`; holds `{name}` where the parameter's name goes."""

    def spelled(self, sql: str) -> str:
        """Return `sql` as the engine wants it."""
        words = {"record": RECORD, "there": THERE, **dict(self.words)}
        sql = re.sub(r"\$(\w+)", lambda match: words[match[1]], sql)
        return re.sub(r"IN :(\w+)", lambda match: self.membership.format(name=match[1]), sql)


SQLITE: Final = Dialect(
    "sqlite",
    (("text", "TEXT"), ("blob", "BLOB"), ("long", "INTEGER"), ("real", "REAL"), ("clustered", "WITHOUT ROWID"),
     ("lock", ""), ("share", "")),
    "IN (SELECT value FROM json_each(:{name}))",
)  # fmt: skip
POSTGRES: Final = Dialect(
    "postgres",
    # Bytes in order, as SQLite sorts, whatever the database's collation: an index is smaller and quicker so, too.
    (("text", 'TEXT COLLATE "C"'), ("blob", "BYTEA"), ("long", "BIGINT"), ("real", "DOUBLE PRECISION"),
     ("clustered", ""), ("lock", "FOR UPDATE"), ("share", "FOR KEY SHARE")),
    "= ANY(:{name})",
)  # fmt: skip


class Migration(NamedTuple):
    """A numbered change of the schema."""

    number: int
    name: str
    sql: str


@cache
def statements(dialect: Dialect) -> dict[str, str]:
    """Return every statement by name, the shared ones and the engine's own."""
    folder = resources.files("fabula.stores").joinpath("sql")
    text = "".join(folder.joinpath(f"{name}.sql").read_text("utf-8") for name in ("shared", dialect.name))
    found: dict[str, str] = {}
    for block in text.split("-- name: ")[1:]:
        name, _, body = block.partition("\n")
        sql = "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip().rstrip(";")
        found[name] = dialect.spelled(sql)
    for table in TABLES:
        found[f"empty_{table}"] = f"DELETE FROM {table} WHERE scope = :scope RETURNING scope"
    for table, (keys, others) in COLUMNS.items():
        found |= _copying(table, keys, (*keys, *others))
    return found


def _copying(table: str, keys: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """How a table's rows are read and written when a scope is moved."""
    key, start, every = (", ".join(names) for names in (keys, [f":{k}" for k in keys], columns))
    values = ", ".join(f":{column}" for column in columns)
    backwards = ", ".join(f"{k} DESC" for k in keys)
    return {
        f"page_{table}": f"SELECT {every} FROM {table} WHERE scope = :scope AND ({key}) > ({start})"
        f" ORDER BY {key} LIMIT :limit",
        f"last_{table}": f"SELECT {key} FROM {table} WHERE scope = :scope ORDER BY {backwards} LIMIT 1",
        f"restore_{table}": f"INSERT INTO {table} (scope, {every}) VALUES (:scope, {values})"
        f" ON CONFLICT (scope, {key}) DO NOTHING",
    }


@cache
def migrations(dialect: Dialect) -> tuple[Migration, ...]:
    """Return the schema's history: one for all engines, with a part for this one where there is `….ENGINE.sql`."""
    folder = resources.files("fabula.stores").joinpath("sql").joinpath("schema")
    texts = {file.name: file.read_text("utf-8") for file in folder.iterdir()}
    found: list[Migration] = []
    for file in sorted(name for name in texts if name.count(".") == 1):
        stem = file.removesuffix(".sql")
        number, _, name = stem.partition("_")
        parts = (texts[file], texts.get(f"{stem}.{dialect.name}.sql", ""))
        found.append(Migration(int(number), name, dialect.spelled("\n".join(p.partition("\n\n")[2] for p in parts))))
    return tuple(found)
