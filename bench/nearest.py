"""`python -m bench nearest --url postgresql://…`: an HNSW index of a scope's own beside one for all scopes.

Vectors in clusters, as those of texts are: one large and one small scope among others. How much of the exact nearest
is found, by each kind of index, with pgvector's default and with iterative scans. Takes some minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

import numpy as np

from bench.evidence import write_json
from fabula.index import Floats
from fabula.stores import nearest
from fabula.stores.server import connected

SPACE, WIDTH, BEST, QUESTIONS = "bench/384", 384, 50, 50
COMMON = f"CREATE INDEX vectors_common ON vectors USING hnsw ((vector::halfvec({WIDTH})) halfvec_ip_ops)"
INSERT = "INSERT INTO vectors VALUES ($1, $2, $3, 1, $4::real[]::halfvec)"


def clusters(count: int, seed: int) -> Floats:
    dice = np.random.default_rng(seed)
    centres = np.random.default_rng(1).standard_normal((400, WIDTH))
    vectors = centres[dice.integers(0, 400, count)] + dice.standard_normal((count, WIDTH))
    return (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype(np.float32)


async def found(connection: Any, scope: str, vectors: Floats, scan: str) -> tuple[float, float]:
    """The share of the exact nearest that is found, and the median time in milliseconds."""
    shares, times = [], []
    async with connection.transaction():
        await connection.execute(f"SET LOCAL hnsw.iterative_scan = {scan}")
        for switch in ("seqscan", "bitmapscan", "sort"):  # what is asked is what the index finds
            await connection.execute(f"SET LOCAL enable_{switch} = off")
        for question in clusters(QUESTIONS, 99):
            start = time.perf_counter()
            rows = await connection.fetch(
                f"SELECT number FROM vectors WHERE scope = '{scope}' AND space = '{SPACE}'"
                f" ORDER BY (vector::halfvec({WIDTH})) <#> $1::real[]::halfvec({WIDTH}) LIMIT {BEST}",
                question.tolist(),
            )
            times.append(time.perf_counter() - start)
            exact = np.argsort(-(vectors @ question))[:BEST]
            shares.append(len(set(exact.tolist()) & {row[0] for row in rows}) / BEST)
    return float(np.mean(shares)), 1e3 * sorted(times)[len(times) // 2]


async def measure(url: str, large: int, small: int, others: int) -> list[dict[str, Any]]:
    scopes = {"bench large": clusters(large, 2), "bench small": clusters(small, 3)}
    crowd = {f"bench {n}": clusters(large, 10 + n) for n in range(others)}
    table: list[dict[str, Any]] = []
    async with connected(url) as connection:
        try:
            for scope, vectors in (scopes | crowd).items():
                await connection.execute("INSERT INTO scopes VALUES ($1, 1, 1, $2, 1, $3)", scope, len(vectors), SPACE)
                rows = [(scope, SPACE, number, vector.tolist()) for number, vector in enumerate(vectors)]
                await connection.executemany(INSERT, rows)
            for kind in ("own", "common"):
                if kind == "own":
                    for scope in scopes:
                        await nearest.create(url, scope)
                else:
                    for scope in scopes:
                        await nearest.drop(url, scope)
                    await connection.execute(f"{COMMON} WHERE space = '{SPACE}'")
                for scope, vectors in scopes.items():
                    for scan in ("off", "relaxed_order"):
                        share, milliseconds = await found(connection, scope, vectors, scan)
                        row = {
                            "index": kind,
                            "scope": len(vectors),
                            "iterative_scan": scan,
                            "ms": round(milliseconds, 2),
                        }
                        table.append(row | {f"recall@{BEST}": round(share, 3)})
                        print(table[-1])
        finally:
            await connection.execute("DROP INDEX IF EXISTS vectors_common")
            for statement in ("DELETE FROM vectors WHERE scope = $1", "DELETE FROM scopes WHERE scope = $1"):
                await connection.executemany(statement, [(scope,) for scope in (scopes | crowd)])
    return table


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench nearest", description=__doc__)
    parser.add_argument("--url", required=True, help="a PostgreSQL database")
    parser.add_argument("--large", type=int, default=50_000)
    parser.add_argument("--small", type=int, default=1000)
    parser.add_argument("--others", type=int, default=3, help="other scopes as large as the large one")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    write_json(args.json, asyncio.run(measure(args.url, args.large, args.small, args.others)))
