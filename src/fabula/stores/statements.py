"""The stores' SQL by name, and a transaction as a sequence of named statements; knows no engine and no driver.

A transaction is a generator that yields `Do` and is sent the rows. So the same steps run over a blocking driver
and over an asynchronous one, and there is one text of what a write means.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")

RECORD = (
    "number, id, kind, key, session, seq, speaker, status, text, data, importance, "
    "valid_from, valid_to, precision, recorded_from, recorded_to"
)
TABLES = ("records", "postings", "vectors", "edges", "pending", "leases", "tombstones", "embeddings", "scopes")
"""Every table that holds a scope's data, in the order in which they are emptied."""


class Do(NamedTuple):
    """One statement by name: one mapping of parameters, or a sequence of them to run it many times."""

    name: str
    params: Mapping[str, Any] | list[dict[str, Any]]


Rows: TypeAlias = Sequence[Sequence[Any]]
Steps: TypeAlias = Generator[Do, Rows, T]


class Migration(NamedTuple):
    """A numbered change of the schema."""

    number: int
    name: str
    sql: str


@cache
def statements() -> dict[str, str]:
    """Return every statement by name, with `$record` filled in."""
    text = resources.files("fabula.stores").joinpath("statements.sql").read_text("utf-8")
    found: dict[str, str] = {}
    for block in text.split("-- name: ")[1:]:
        name, _, body = block.partition("\n")
        lines = [line for line in body.splitlines() if not line.startswith("--")]
        found[name.strip()] = "\n".join(lines).strip().rstrip(";").replace("$record", RECORD)
    for table in TABLES:
        found[f"empty_{table}"] = f"DELETE FROM {table} WHERE scope = :scope RETURNING scope"
    return found


def expand(sql: str, membership: str) -> str:
    """Spell `IN :list` the engine's way; `membership` holds `{name}` where the parameter's name goes."""
    return re.sub(r"IN :(\w+)", lambda match: membership.format(name=match[1]), sql)


def migrations(words: Mapping[str, str]) -> list[Migration]:
    """Return the schema's history, with the engine's spelling of the types."""
    files = sorted(
        (f for f in resources.files("fabula.stores").joinpath("schema").iterdir() if f.name.endswith(".sql")),
        key=lambda f: f.name,
    )
    found: list[Migration] = []
    for file in files:
        number, _, name = file.name.removesuffix(".sql").partition("_")
        sql = re.sub(r"\$(\w+)", lambda match: words[match[1]], file.read_text("utf-8").partition("\n\n")[2])
        found.append(Migration(int(number), name, sql))
    return found
