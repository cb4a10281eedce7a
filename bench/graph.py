"""`python -m bench graph`: personalised PageRank on random graphs, beside networkx on the same graph and seeds.

As in a memory, a few nodes have most of the edges. Both stop at the same change of the shares in sum, and their fifty
best are compared. What networkx takes includes turning its graph into a matrix, which it does at every call.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import networkx
import numpy as np

from bench.evidence import write_json
from fabula.graph import Graph, components, neighbourhood, pagerank

SIZES = (1_000, 10_000, 100_000)
EDGES = 6
"""Edges for every node."""
RUNS = 7
RESTART, TOLERANCE, STEPS = 0.5, 1e-6, 20
TOP = 50


def milliseconds(work: Callable[[], Any]) -> float:
    """The median time of `RUNS` runs, after one that does not count."""
    work()
    times: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return round(1e3 * sorted(times)[RUNS // 2], 3)


def edges(count: int) -> tuple[Any, Any, Any]:
    """Sources, targets and weights of a graph whose nodes are the numbers below `count`."""
    dice = np.random.default_rng(1)
    source = (count * dice.random(EDGES * count) ** 3).astype(np.uint64)
    target = dice.integers(0, count, EDGES * count, dtype=np.uint64)
    return source, target, dice.random(EDGES * count, dtype=np.float32) + np.float32(0.1)


def row(count: int, *, beside: bool) -> dict[str, Any]:
    source, target, weight = edges(count)
    graph = Graph.of(source, target, weight)
    seeds = {int(key): 1.0 + place for place, key in enumerate(graph.nodes[:: len(graph) // 10][:10])}

    def ours() -> Any:
        return pagerank(graph, seeds, restart=RESTART, steps=STEPS, tolerance=TOLERANCE)

    found: dict[str, Any] = {
        "nodes": count,
        "edges": len(source),
        "mb": round(graph.nbytes / 1e6, 1),
        "build_ms": milliseconds(lambda: Graph.of(source, target, weight)),
        "extend_ms": milliseconds(lambda: graph.extended(source[:20], target[:20], weight[:20])),
        "components_ms": milliseconds(lambda: components(graph)),
        "neighbourhood_ms": milliseconds(lambda: neighbourhood(graph, list(seeds))),
        "pagerank_ms": milliseconds(ours),
    }
    if beside:
        other: networkx.MultiGraph[int] = networkx.MultiGraph()
        proper = source != target  # a self-loop is no edge of ours
        columns = (column[proper].tolist() for column in (source, target, weight))
        other.add_weighted_edges_from(zip(*columns, strict=True))
        tolerance = TOLERANCE / len(other)  # networkx multiplies it by the number of nodes

        def theirs() -> dict[int, float]:
            return networkx.pagerank(other, alpha=1 - RESTART, personalization=seeds, tol=tolerance)

        best = sorted((shares := theirs()), key=shares.__getitem__, reverse=True)[:TOP]
        found["networkx_ms"] = milliseconds(theirs)
        found["ratio"] = round(found["networkx_ms"] / found["pagerank_ms"], 1)
        found["same_top"] = set(best) == set(graph.nodes[np.argsort(-ours(), kind="stable")[:TOP]].tolist())
    return found


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench graph", description=__doc__)
    parser.add_argument("--all", action="store_true", help="networkx at the largest size too")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    rows = [row(count, beside=args.all or count < SIZES[-1]) for count in SIZES]
    for found in rows:
        print(f"{found['nodes']:>7} nodes, {found['edges']} edges, {found['mb']} MB: "
              f"pagerank {found['pagerank_ms']} ms; build {found['build_ms']} ms, with 20 edges more "
              f"{found['extend_ms']} ms; components {found['components_ms']} ms; two hops "
              f"{found['neighbourhood_ms']} ms")  # fmt: skip
        if "networkx_ms" in found:
            print(f"        networkx {found['networkx_ms']} ms, {found['ratio']} times ours; "
                  f"the same {TOP} best: {found['same_top']}")  # fmt: skip
    write_json(args.json, {"rows": rows})


if __name__ == "__main__":
    main()
