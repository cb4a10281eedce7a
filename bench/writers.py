"""`python -m bench writers`: durable messages a second, written by one process and by several at once.

Each process writes to a scope of its own, one message a transaction, no model, no background; only what was
acknowledged within the window counts. The two are measured in turns, so that what else the machine does meets both.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import tempfile
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bench.evidence import write_json
from bench.latency import clear, milliseconds, talk
from fabula import AsyncMemory

LEAD = 0.2
"""Seconds between the word to start and the start, so that it reaches everybody before."""


async def write(url: str, scope: str, seconds: float, parent: Connection) -> None:
    # Without ids of their own, so that the same texts can come again.
    messages = [replace(message, id=None) for message in talk(1000, seed=11)]
    times: list[float] = []
    async with AsyncMemory(url, embedder=None, background=False) as memory:
        await memory.remember(scope, messages[:20])
        parent.send("ready")
        start = parent.recv()
        await asyncio.sleep(max(0.0, start - time.monotonic()))
        before = time.monotonic()
        while True:
            await memory.remember(scope, messages[len(times) % len(messages)])
            after = time.monotonic()
            if after > start + seconds:
                break
            times.append(after - before)
            before = after
    parent.send(times)


def child(url: str, scope: str, seconds: float, parent: Connection) -> None:
    asyncio.run(write(url, scope, seconds, parent))


def together(url: str, scopes: list[str], seconds: float) -> list[list[float]]:
    """The seconds each acknowledged write took, by process."""
    # Spawned, not forked: each is a process as a server starts it, with nothing inherited.
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in scopes]
    processes = [context.Process(target=child, args=(url, scope, seconds, end), daemon=True)
                 for scope, (_, end) in zip(scopes, pipes, strict=True)]  # fmt: skip
    for process, (_, end) in zip(processes, pipes, strict=True):
        process.start()
        end.close()  # so that a process that dies is an end of file here, not a wait for ever
    for pipe, _ in pipes:
        pipe.recv()
    start = time.monotonic() + LEAD
    for pipe, _ in pipes:
        pipe.send(start)
    found = [pipe.recv() for pipe, _ in pipes]
    for process in processes:
        process.join()
    return found


def row(found: list[list[float]], seconds: float) -> dict[str, Any]:
    p50, p95 = milliseconds([taken for one in found for taken in one])
    rates = sorted(len(one) / seconds for one in found)
    return {"processes": len(found), "writes_per_s": round(sum(rates), 1), "slowest": round(rates[0], 1),
            "fastest": round(rates[-1], 1), "p50_ms": round(p50, 2), "p95_ms": round(p95, 2)}  # fmt: skip


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench writers", description=__doc__)
    parser.add_argument("--url", help="a database URL (default: a SQLite file in a temporary folder)")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3, help="how often the two are measured")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    scopes = [f"writers {place}" for place in range(args.processes)]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        url = args.url or str(Path(folder) / "writers.db")
        try:
            for _ in range(args.rounds):
                for count in (1, args.processes):
                    asyncio.run(clear(url, scopes))
                    rows.append(row(together(url, scopes[:count], args.seconds), args.seconds))
        finally:
            asyncio.run(clear(url, scopes))
    print("processes  writes/s  a process      p50 ms  p95 ms")
    for r in rows:
        print(f"{r['processes']:>9} {r['writes_per_s']:>9} {r['slowest']:>6}–{r['fastest']:<6} "
              f"{r['p50_ms']:>8} {r['p95_ms']:>7}")  # fmt: skip
    ratios = sorted(many["writes_per_s"] / one["writes_per_s"] for one, many in zip(rows[::2], rows[1::2], strict=True))
    ratio = round(statistics.median(ratios), 2)
    print(f"{args.processes} processes write {ratio} times what one does, the median; "
          f"between {ratios[0]:.2f} and {ratios[-1]:.2f}")  # fmt: skip
    write_json(args.json, {"rows": rows, "ratio": ratio, "ratios": [round(r, 2) for r in ratios]})
