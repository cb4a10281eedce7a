"""`python -m bench latency`: time and space, each figure beside a bare measure of the same work in the same run.

Recall is timed without embedding (a random vector stands in) beside a numpy matrix-vector product with top-k over
the same matrix; durable remember beside the same rows written by the bare driver in one transaction, on SQLite and, if
that is what `--url` names, on PostgreSQL. What it wrote in a given database it removes again.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.evidence import write_json
from fabula import AsyncMemory, Entity, Fact, Frame, Message, Plan, Record, Settings
from fabula.abc import Changes, Embedder, Role, Task, Vectors
from fabula.extract import entry_of
from fabula.names import entity_id
from fabula.stores.server import Address

DIMENSIONS = 384
WORDS = [f"{a}{b}" for a in ("ka", "lo", "mi", "ne", "pu", "ra", "so", "tu") for b in
         ("bar", "den", "fil", "gon", "hal", "jim", "kor", "lam", "mon", "nor", "pil", "quo", "rin", "sel", "tam",
          "vor", "wen", "xil", "yor", "zan")]  # fmt: skip
ROUNDS = 60
WRITES = 200
WRITTEN = ("records", "postings", "pending")
"""The tables that one remembered message goes to."""


class RandomEmbedder(Embedder):
    """A vector out of thin air, at no cost: what is timed is everything else."""

    space, dimensions = f"random/{DIMENSIONS}", DIMENSIONS

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        vectors = self._random.standard_normal((len(texts), DIMENSIONS), dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def talk(count: int, seed: int = 1) -> list[Message]:
    """Return messages of about fifteen words, common words more often, in sessions of forty."""
    dice = random.Random(seed)
    weights = [1 / (1 + i) for i in range(len(WORDS))]
    found: list[Message] = []
    for i in range(count):
        words = dice.choices(WORDS, weights, k=dice.randint(6, 24))
        text = " ".join(w + str(dice.randint(0, 30)) if dice.random() < 0.5 else w for w in words)
        found.append(Message(text, speaker=f"speaker {i % 2}", id=str(i), session=str(i // 40)))
    return found


def milliseconds(times: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(times)
    return 1e3 * ordered[len(ordered) // 2], 1e3 * ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


async def fill(memory: AsyncMemory, scope: str, messages: Sequence[Message], batch: int = 2000) -> None:
    """Remember `messages` with random vectors; extraction is left out, it is not what is timed."""
    embedder = RandomEmbedder()
    for start in range(0, len(messages), batch):
        receipt = await memory.remember(scope, messages[start : start + batch])
        ids = [i for i in receipt.ids if i]
        vectors = dict(zip(ids, await embedder.embed(ids, "passage"), strict=True))
        done: list[tuple[Task, str]] = [*(("embed", i) for i in ids), *(("extract", i) for i in ids)]
        await memory._store.write(scope, Changes(vectors=vectors, space=embedder.space, done=tuple(done)))


async def draw(memory: AsyncMemory, scope: str, batch: int = 500) -> None:
    """Add what a language model draws from talk: of every four messages a frame, and two facts about three entities."""
    passages = [passage.id for passage in await memory.records(scope, "passage", limit=10**6)]
    dice, embedder = random.Random(11), RandomEmbedder(8)
    people = [Entity(scope=scope, id=entity_id(name), text=name, sources=(passages[0],)) for name in WORDS]
    await memory._store.write(scope, Changes(add=tuple(map(entry_of, people))))
    made: list[Record] = []
    for place in range(0, len(passages) - 3, 4):
        sources = tuple(passages[place : place + 4])
        who = [dice.choice(people) for _ in range(3)]
        text = " ".join(dice.choices(WORDS, k=12))
        made.append(Frame(scope=scope, id=f"frame {place}", text=text, sources=sources, links={"names": (who[0].id,)}))
        for one, other in ((0, 1), (0, 2)):
            ties: Any = {"subject": (who[one].id,), "object": (who[other].id,)}
            text = f"{who[one].text} {dice.choice(WORDS)} {who[other].text}"
            made.append(Fact(scope=scope, id=f"fact {place} {other}", text=text, sources=sources[:2], links=ties))
    for start in range(0, len(made), batch):
        part = made[start : start + batch]
        ids = [record.id for record in part]
        vectors = dict(zip(ids, await embedder.embed(ids, "passage"), strict=True))
        done: list[tuple[Task, str]] = [("embed", i) for i in ids]
        await memory._store.write(scope, Changes(add=tuple(map(entry_of, part))))
        await memory._store.write(scope, Changes(vectors=vectors, space=embedder.space, done=tuple(done)))


async def crowd(url: str, scopes: Sequence[str], total: int) -> None:
    """Fill the database with the memories of others, in turns, as they come in life, unless a run left them there."""
    messages = talk(total // len(scopes), seed=2)
    async with AsyncMemory(url, embedder=None, background=False) as memory:
        if (await memory.stats(scopes[-1])).records.get("passage") == len(messages):
            return
        for scope in scopes:
            await memory.forget(scope, everything=True)
        for start in range(0, len(messages), 400):
            for scope in scopes:
                await fill(memory, scope, messages[start : start + 400])


async def clear(url: str, scopes: Sequence[str]) -> None:
    async with AsyncMemory(url, embedder=None, background=False) as memory:
        for scope in scopes:
            await memory.forget(scope, everything=True)


async def throughput(memory: AsyncMemory, scope: str, plan: Plan, clients: int, seconds: float = 5.0) -> float:
    """Recalls a second that `clients` get who ask one question after the other, all at once."""
    until = time.perf_counter() + seconds

    async def client() -> int:
        done = 0
        while time.perf_counter() < until:
            await recalls(memory, scope, 5, plan)
            done += 5
        return done

    return sum(await asyncio.gather(*(client() for _ in range(clients)))) / seconds


async def recalls(memory: AsyncMemory, scope: str, rounds: int, plan: Plan) -> list[float]:
    dice = random.Random(3)
    times: list[float] = []
    for _ in range(rounds):
        query = " ".join(dice.choices(WORDS, k=6)) + " " + dice.choice(WORDS) + "7"
        start = time.perf_counter()
        await memory.recall(scope, query, plan)
        times.append(time.perf_counter() - start)
    return times


def bare_product(count: int) -> float:
    """The median time of one matrix-vector product with the ten best, in milliseconds."""
    random_ = np.random.default_rng(5)
    matrix = random_.standard_normal((count, DIMENSIONS), dtype=np.float32)
    times: list[float] = []
    for _ in range(ROUNDS):
        query = random_.standard_normal(DIMENSIONS, dtype=np.float32)
        start = time.perf_counter()
        scores = matrix @ query
        top = np.argpartition(-scores, 10)[:10]
        top[np.argsort(-scores[top])]
        times.append(time.perf_counter() - start)
    return milliseconds(times)[0]


async def size(url: str, count: int, clients: int, drawn: bool) -> dict[str, Any]:
    # Of seven memories, drawn ones among them, four are passages.
    messages, scope = talk(4 * count // 7 if drawn else count), f"latency {count}"
    plan = Plan() if drawn else Plan(kinds=("passage",))
    async with AsyncMemory(url, embedder=None, background=False) as memory:
        await memory.forget(scope, everything=True)
        await fill(memory, scope, messages)
        if drawn:
            await draw(memory, scope)
        stats = await memory.stats(scope)
    row: dict[str, Any] = {"n": count, "numpy_ms": round(bare_product(count), 3)}
    hot = Settings(hot_bytes=2**31)
    # Without a background: in a given database it would go on with other people's work, by this embedder.
    async with AsyncMemory(url, embedder=RandomEmbedder(), settings=hot, background=False) as memory:
        await recalls(memory, scope, 3, plan)
        p50, p95 = milliseconds(await recalls(memory, scope, ROUNDS, plan))
        row |= {"hot_p50_ms": round(p50, 3), "hot_p95_ms": round(p95, 3)}
        if clients:
            row["recalls_per_s"] = round(await throughput(memory, scope, plan, clients), 1)
    cold = Settings(hot_bytes=0)
    async with AsyncMemory(url, embedder=RandomEmbedder(), settings=cold, background=False) as memory:
        rounds = ROUNDS if count <= 10_000 else 10
        await recalls(memory, scope, 2, plan)
        row["cold_p50_ms"] = round(milliseconds(await recalls(memory, scope, rounds, plan))[0], 3)
    row["bytes_per_message"] = {name: round(b / count) for name, b in sorted(stats.bytes.items()) if b}
    return row


async def remember(url: str) -> float:
    """The median time of a durable remember of one message, in milliseconds."""
    async with AsyncMemory(url, embedder=None, background=False) as memory:
        times: list[float] = []
        for message in talk(WRITES, seed=9):
            start = time.perf_counter()
            await memory.remember("latency remember", message)
            times.append(time.perf_counter() - start)
    return milliseconds(times)[0]


def compared(ours: float, bare: float) -> dict[str, float]:
    return {"remember_p50_ms": round(ours, 3), "bare_p50_ms": round(bare, 3), "ratio": round(ours / bare, 2)}


async def on_sqlite(folder: Path) -> dict[str, float]:
    """Durable remember of one message, and the rows it wrote, written bare in one transaction."""
    path = folder / "remember.db"
    ours = await remember(str(path))
    source = sqlite3.connect(path)
    rows = {t: source.execute(f"SELECT * FROM {t} ORDER BY number").fetchall() for t in WRITTEN}
    schema = [r[0] for r in source.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%'")]
    source.close()
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = FULL"):
        bare.execute(f"PRAGMA {pragma}")
    for sql in schema:
        bare.execute(sql)
    times: list[float] = []
    for group in by_message(rows):
        start = time.perf_counter()
        bare.execute("BEGIN IMMEDIATE")
        for table, found in group.items():
            bare.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(found[0]))})", found)
        bare.execute("COMMIT")
        times.append(time.perf_counter() - start)
    bare.close()
    return compared(ours, milliseconds(times)[0])


async def on_postgres(url: str) -> dict[str, float]:
    """The same, on the server: the bare driver writes to the same tables, as another scope."""
    ours = await remember(url)
    connection = await Address.parse(url).connect(30)
    try:
        find = "SELECT * FROM {} WHERE scope = 'latency remember' ORDER BY number"
        rows = {t: [tuple(r) for r in await connection.fetch(find.format(t))] for t in WRITTEN}
        times: list[float] = []
        # Without a row of its own, a scope is none, and `forget` would pass it over.
        await connection.execute("INSERT INTO scopes (scope, revision, reset) VALUES ('latency bare', 1, 1)")
        for group in by_message(rows):
            start = time.perf_counter()
            async with connection.transaction():
                for table, found in group.items():
                    places = ",".join(f"${i + 1}" for i in range(len(found[0])))
                    renamed = [("latency bare", *row[1:]) for row in found]
                    await connection.executemany(f"INSERT INTO {table} VALUES ({places})", renamed)
            times.append(time.perf_counter() - start)
    finally:
        await connection.close()
    return compared(ours, milliseconds(times)[0])


def by_message(rows: dict[str, list[tuple[Any, ...]]]) -> list[dict[str, list[tuple[Any, ...]]]]:
    """The rows of each message, by table."""
    found: dict[int, dict[str, list[tuple[Any, ...]]]] = {}
    for table, all_of_it in rows.items():
        place = 2 if table == "pending" else 1
        for row in all_of_it:
            found.setdefault(row[place], {}).setdefault(table, []).append(row)
    return list(found.values())


def opening(url: str) -> float:
    """Seconds to import fabula and open an existing memory in a new process, the median of five."""
    code = (
        "import time; url = input(); t = time.perf_counter()\n"
        "from fabula import Memory\n"
        "m = Memory(url, background=False).open()\n"
        "print(time.perf_counter() - t); m.close()"
    )
    # Not as an argument, which every user of the machine can read: a URL may hold a password.
    command = [sys.executable, "-c", code]
    runs = [float(subprocess.run(command, input=url, capture_output=True, check=True, text=True).stdout)
            for _ in range(5)]  # fmt: skip
    return sorted(runs)[2]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench latency", description=__doc__)
    parser.add_argument("--url", help="a database URL (default: a SQLite file in a temporary folder)")
    parser.add_argument("--sizes", help="memories of the scope (default: 1000,10000,100000; of a face: 2000)")
    parser.add_argument("--face", choices=["neuromemory"], help="what a face takes, in a SQLite file: see bench.face")
    parser.add_argument("--others", type=int, default=0, help="memories of other scopes in the same database")
    parser.add_argument("--scopes", type=int, default=50, help="how many other scopes")
    parser.add_argument("--keep", action="store_true", help="leave the other scopes there for the next run")
    parser.add_argument("--clients", type=int, default=0, help="also measure what so many at once get")
    parser.add_argument(
        "--drawn", action="store_true", help="of every seven memories one is a frame and two are facts, over the graph"
    )
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    sizes = args.sizes or ("2000" if args.face else "1000,10000,100000")
    counts = [int(count) for count in sizes.split(",")]
    if args.face:
        of_a_face(counts, args.clients or 8, args.json)
        return
    others = [f"latency other {place}" for place in range(args.scopes)] if args.others else []
    own = [*(f"latency {count}" for count in counts), "latency remember", "latency bare"]
    with tempfile.TemporaryDirectory() as folder:
        url = args.url or str(Path(folder) / "latency.db")
        try:
            result = measure(url, counts, args, others, Path(folder))
        finally:
            if args.url:
                asyncio.run(clear(url, [*own, *(() if args.keep else others)]))
    report(result)
    write_json(args.json, result)


def of_a_face(counts: Sequence[int], clients: int, path: str | None) -> None:
    from bench import face

    with tempfile.TemporaryDirectory() as folder:
        result = face.measure(Path(folder), counts, clients)
    face.report(result)
    write_json(path, result)


def measure(url: str, counts: list[int], args: argparse.Namespace, others: list[str], folder: Path) -> dict[str, Any]:
    if others:
        asyncio.run(crowd(url, others, args.others))
    sizes = [asyncio.run(size(url, count, args.clients, args.drawn)) for count in counts]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result: dict[str, Any] = {"sizes": sizes, **asyncio.run(on_sqlite(folder))}
    if url.startswith("postgres"):
        result["postgres"] = asyncio.run(on_postgres(url))
    return result | {
        "open_s": round(opening(url), 3),
        "rss_mb": round(peak),
        "bytes_per_message": sum(sizes[-1]["bytes_per_message"].values()),
    }


def report(result: dict[str, Any]) -> None:
    for row in result["sizes"]:
        hot, cold, numpy = row["hot_p50_ms"], row["cold_p50_ms"], row["numpy_ms"]
        print(f"{row['n']:>7} memories: hot p50 {hot} ms, p95 {row['hot_p95_ms']} ms; not hot p50 {cold} ms; "
              f"numpy {numpy} ms (hot is {hot / numpy:.1f} of it, not hot {cold / hot:.1f} of hot); "
              f"bytes {row['bytes_per_message']}")  # fmt: skip
        if "recalls_per_s" in row:
            print(f"        all clients: {row['recalls_per_s']} recalls/s")
    for engine, found in (("sqlite", result), ("postgres", result.get("postgres"))):
        if found:
            print(f"durable remember on {engine}: p50 {found['remember_p50_ms']} ms, bare rows "
                  f"{found['bare_p50_ms']} ms, ratio {found['ratio']}")  # fmt: skip
    print(f"import and open {result['open_s']} s; peak memory {result['rss_mb']} MB")
