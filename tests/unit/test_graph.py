"""Walks, neighbourhoods, components and chains, beside networkx where it knows the same thing."""

import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.errors import InvalidInput, MissingExtra
from fabula.graph import (
    EMPTY,
    Chain,
    FactEdge,
    Graph,
    chains,
    components,
    lonely,
    neighbourhood,
    pagerank,
    to_networkx,
)

networkx: Any = importlib.import_module("networkx")  # its types are known in part only
Edge = tuple[int, int, float]

KEYS = [(n * 0x9E3779B97F4A7C15) % 2**64 for n in range(1, 13)]
"""Spread over all 64 bits, and in no order."""
weights = st.floats(0.125, 8, width=32) | st.just(0.0)
edge_lists = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(KEYS), weights), max_size=40)
node_lists = st.lists(st.sampled_from(KEYS), max_size=4)


def columns(edges: Sequence[Edge]) -> tuple[list[int], list[int], list[float]]:
    return [e[0] for e in edges], [e[1] for e in edges], [e[2] for e in edges]


def graph_of(edges: Sequence[Edge], nodes: Sequence[int] = ()) -> Graph:
    return Graph.of(*columns(edges), nodes)


def theirs(edges: Iterable[Edge], nodes: Sequence[int] = ()) -> Any:
    """The same graph in networkx."""
    edges = list(edges)
    graph = networkx.MultiGraph()
    graph.add_nodes_from(n for e in edges for n in e[:2])
    graph.add_nodes_from(nodes)
    graph.add_weighted_edges_from(e for e in edges if e[0] != e[1])
    return graph


def their_shares(graph: Any, seeds: Mapping[int, float], restart: float) -> dict[int, float]:
    return networkx.pagerank(graph, alpha=1 - restart, personalization=seeds, tol=1e-13, max_iter=1000)


def by_key(graph: Graph, values: Any) -> dict[int, Any]:
    return dict(zip(graph.nodes.tolist(), values.tolist(), strict=True))


def assert_same(one: Graph, other: Graph) -> None:
    for column in fields(Graph):
        left, right = getattr(one, column.name), getattr(other, column.name)
        assert left.dtype == right.dtype
        assert left.tolist() == right.tolist(), column.name


# --- the arrays --------------------------------------------------------------------------------------------------


def test_rows_hold_each_edge_both_ways_in_order_of_arrival():
    graph = Graph.of([9, 5, 9, 7], [5, 2, 5, 7], [1, 2, 3, 4])
    assert graph.nodes.tolist() == [2, 5, 7, 9]
    assert graph.starts.tolist() == [0, 1, 4, 4, 6]  # 7 has only an edge to itself, which is dropped
    assert graph.neighbours.tolist() == [1, 3, 0, 3, 1, 1]
    assert graph.weights.tolist() == [2, 1, 2, 3, 1, 3]
    assert graph.chances.tolist() == pytest.approx([2 / 6, 1 / 4, 1, 3 / 4, 1 / 6, 3 / 6])


@given(edge_lists, edge_lists, node_lists)
def test_extending_is_the_same_as_building_at_once(first: list[Edge], more: list[Edge], nodes: list[int]):
    assert_same(graph_of(first).extended(*columns(more), nodes), graph_of(first + more, nodes))


def test_extending_leaves_the_graph_as_it_was():
    graph = graph_of([(1, 2, 1.0)])
    assert len(graph.extended([1, 3], [3, 4], [1, 1])) == 4
    assert_same(graph, graph_of([(1, 2, 1.0)]))


@pytest.mark.parametrize(
    ("source", "target", "weight"),
    [([1], [2], []), ([1, 2], [2], [1, 1]), ([1], [2, 3], [1]), *(([1], [2], [w]) for w in (-1, np.nan, np.inf, 1e39))],
)
def test_edges_that_cannot_be_meant(source: list[int], target: list[int], weight: list[float]):
    with pytest.raises(InvalidInput):
        Graph.of(source, target, weight)


def test_rows_of_keys():
    graph = graph_of([(9, 5, 1.0), (5, 2**64 - 1, 1.0)])
    assert graph.rows([5, 9, 2**64 - 1, 1, 7, 10]).tolist() == [0, 1, 2, -1, -1, -1]
    assert EMPTY.rows([5]).tolist() == [-1]
    assert graph.rows([]).tolist() == []


def test_bytes_are_those_of_every_array():
    graph = graph_of([(1, 2, 1.0), (2, 3, 1.0)])
    assert graph.nbytes == sum(getattr(graph, column.name).nbytes for column in fields(Graph)) > 0


# --- personalised PageRank ---------------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    edge_lists,
    node_lists,
    st.dictionaries(st.sampled_from(KEYS), st.floats(0.125, 8), min_size=1),
    st.sampled_from([0.1, 0.5, 0.6, 0.9]),
)
def test_shares_are_those_of_networkx(edges: list[Edge], nodes: list[int], seeds: dict[int, float], restart: float):
    graph, other = graph_of(edges, nodes), theirs(edges, nodes)
    shares = by_key(graph, pagerank(graph, seeds, restart=restart, steps=200, tolerance=0))
    if any(seed in other for seed in seeds):
        assert shares == pytest.approx(their_shares(other, seeds, restart), abs=2e-6)
    else:
        assert not any(shares.values())


def test_shares_of_a_large_graph_are_those_of_networkx():
    dice = np.random.default_rng(4)
    count, many = 10_000, 60_000
    keys = dice.integers(0, 2**64, count, dtype=np.uint64)
    # A few nodes have most of the edges.
    source, target = keys[(count * dice.random(many) ** 3).astype(int)], keys[dice.integers(0, count, many)]
    weight = dice.random(many, dtype=np.float32)
    graph = Graph.of(source, target, weight)
    seeds = {int(key): 1.0 + place for place, key in enumerate(keys[:10])}
    other = their_shares(theirs(zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)), seeds, 0.5)

    shares = pagerank(graph, seeds)  # with the steps and the tolerance that are the default

    assert shares.tolist() == pytest.approx([other[key] for key in graph.nodes.tolist()], abs=1e-6, rel=1e-3)
    best = sorted(other, key=other.__getitem__, reverse=True)[:50]
    assert graph.nodes[np.argsort(-shares, kind="stable")[:50]].tolist() == best


def test_parallel_edges_add_up():
    many = graph_of([(1, 2, 1.0), (2, 1, 2.0), (1, 3, 1.0)])
    one = graph_of([(1, 2, 3.0), (1, 3, 1.0)])
    assert pagerank(many, {1: 1}).tolist() == pytest.approx(pagerank(one, {1: 1}).tolist())
    assert len(many.neighbours) == len(one.neighbours) + 2


def test_a_walk_on_a_node_without_edges_goes_on_from_the_seeds():
    graph = graph_of([(1, 2, 1.0)], nodes=[0, 9])
    shares = by_key(graph, pagerank(graph, {0: 1.0, 2: 2.0, 9: 1.0}, steps=60))
    # By hand: p₀ = p₉ = (1 + 2p₀)/8 = 1/6; what is left is split as p₂ = (1 + 2p₀)/4 + p₁/2 and p₁ = p₂/2.
    assert shares == pytest.approx({0: 1 / 6, 9: 1 / 6, 2: 4 / 9, 1: 2 / 9}, abs=1e-6)


def test_what_no_seed_is_tied_to_has_no_share():
    graph = graph_of([(1, 2, 1.0), (2, 3, 1.0), (7, 8, 1.0), (8, 9, 1.0)])
    shares = by_key(graph, pagerank(graph, {1: 1.0}))
    assert [key for key, share in shares.items() if share == 0] == [7, 8, 9]
    both = by_key(graph, pagerank(graph, {1: 1.0, 7: 1.0}))
    assert sum(both[key] for key in (7, 8, 9)) == pytest.approx(0.5)


def test_a_graph_or_seeds_without_a_walk():
    """B048: no seed in the graph, weights that are all 0, an empty graph, one node alone."""
    pair, alone, weightless = graph_of([(1, 2, 1.0)]), graph_of([], nodes=[5]), graph_of([(1, 2, 0.0)])
    for seeds in ({}, {77: 1.0}, {1: 0.0, 2: 0.0}, {1: -1.0, 2: float("nan")}, {1: float("inf")}):
        assert pagerank(pair, seeds).tolist() == [0, 0]
    for seeds in ({}, {77: 1.0}):
        assert pagerank(EMPTY, seeds).tolist() == []
        assert pagerank(alone, seeds).tolist() == [0]
    assert pagerank(alone, {5: 0.3, 77: 1.0}).tolist() == [1]
    assert pagerank(weightless, {1: 1.0}).tolist() == [1, 0]
    assert pagerank(pair, ([], [])).tolist() == [0, 0]


def test_seeds_as_columns_add_up():
    graph = graph_of([(1, 2, 1.0), (2, 3, 1.0), (3, 4, 2.0)])
    seeds = np.array([1, 4, 1, 77], np.uint64), np.array([1.0, 2.0, 3.0, 9.0])
    assert pagerank(graph, seeds).tolist() == pagerank(graph, {1: 4.0, 4: 2.0}).tolist()
    assert pagerank(graph, {1: 1e308, 4: 1e308}).tolist() == pagerank(graph, {1: 1.0, 4: 1.0}).tolist()
    assert pagerank(graph, {1: 1.0, 4: -5.0}).tolist() == pagerank(graph, {1: 1.0}).tolist()


@pytest.mark.parametrize("scale", [1e-44, 1e-30, 1e30, 3e38])
def test_only_the_proportions_of_the_weights_count(scale: float):
    plain, scaled = ([(1, 2, s), (2, 3, s), (3, 1, s), (3, 4, s)] for s in (1.0, scale))
    assert pagerank(graph_of(scaled), {1: 1.0}).tolist() == pagerank(graph_of(plain), {1: 1.0}).tolist()


@pytest.mark.parametrize("restart", [0, -0.1, 1.1, float("nan")])
def test_a_restart_that_cannot_be_meant(restart: float):
    with pytest.raises(InvalidInput, match="restart"):
        pagerank(graph_of([(1, 2, 1.0)]), {1: 1.0}, restart=restart)


def test_the_more_often_it_restarts_the_nearer_it_stays():
    graph = graph_of([(1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)])
    assert pagerank(graph, {1: 1.0, 3: 3.0}, restart=1).tolist() == [0.25, 0, 0.75, 0]
    assert pagerank(graph, {1: 1.0}, restart=0.6)[0] > pagerank(graph, {1: 1.0}, restart=0.4)[0]


def test_it_ends_at_the_steps_or_at_the_tolerance():
    graph = graph_of([(1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0)])
    one = pagerank(graph, {1: 1.0}, steps=1).tolist()
    assert one == [0.5, 0.5, 0, 0]
    assert pagerank(graph, {1: 1.0}, tolerance=1.1).tolist() == one
    assert pagerank(graph, {1: 1.0}, tolerance=0.9).tolist() != one
    assert pagerank(graph, {1: 1.0}, steps=0).tolist() == [1, 0, 0, 0]


# --- neighbourhoods ----------------------------------------------------------------------------------------------


@given(edge_lists, st.lists(st.sampled_from([*KEYS, 77]), max_size=3), st.integers(0, 4))
def test_a_neighbourhood_is_the_graph_within_so_many_edges(edges: list[Edge], keys: list[int], hops: int):
    graph, other = graph_of(edges), theirs(edges)
    near = {n for key in keys if key in other for n in networkx.ego_graph(other, key, radius=hops)}
    expected = graph_of([e for e in edges if e[0] in near and e[1] in near], nodes=sorted(near))
    assert_same(neighbourhood(graph, keys, hops), expected)


def test_a_neighbourhood_takes_the_near_and_the_heavily_tied_first():
    ring = [(1, 2, 1.0), (1, 3, 5.0), (1, 4, 2.0), (4, 1, 2.0), (3, 9, 100.0)]
    graph = graph_of(ring)

    def kept(limit: int, *keys: int) -> list[int]:
        return neighbourhood(graph, keys, limit=limit).nodes.tolist()

    assert kept(2, 1) == [1, 3]
    assert kept(3, 1) == [1, 3, 4]  # two edges of 2 are more than one of 1
    assert kept(4, 1) == [1, 2, 3, 4]
    assert kept(5, 1) == [1, 2, 3, 4, 9]
    assert kept(5, 3) == [1, 2, 3, 4, 9]  # what is there already takes no place again
    assert kept(1, 2, 9) == kept(2, 9, 2) == [2, 9]  # what was asked for stays


# --- shape -------------------------------------------------------------------------------------------------------


@given(edge_lists, node_lists)
def test_components_are_those_of_networkx(edges: list[Edge], nodes: list[int]):
    graph = graph_of(edges, nodes)
    numbers = by_key(graph, components(graph))
    expected = sorted((sorted(part) for part in networkx.connected_components(theirs(edges, nodes))), key=min)
    assert numbers == {key: number for number, part in enumerate(expected) for key in part}


def test_components_of_long_paths():
    """So long that rounds as many as there are nodes, not as their logarithm, would not end."""
    order = np.random.default_rng(5).permutation(200_000)
    halves = order[:100_000], order[100_000:]
    source, target = (np.concatenate([half[part] for half in halves]) for part in (slice(-1), slice(1, None)))
    numbers = components(Graph.of(source.astype(np.uint64), target.astype(np.uint64), np.ones(len(source))))
    assert sorted(sorted(set(numbers[half].tolist())) for half in halves) == [[0], [1]]


def test_components_of_nothing():
    assert components(EMPTY).tolist() == []


def test_lonely_keys():
    graph = graph_of([(1, 2, 1.0), (5, 5, 1.0), (3, 4, 0.0)], nodes=[9])
    assert lonely(graph, [77, 1, 9, 3, 5, 2]).tolist() == [77, 9, 5]
    assert lonely(EMPTY, [1]).tolist() == [1]


# --- chains ------------------------------------------------------------------------------------------------------


def facts(*paths: str, other: Sequence[str] = ()) -> list[FactEdge]:
    """`"abc"`: an edge from a to b, known as `ab`, and one from b to c; those in `other` are no attributes."""
    names = [one + two for path in paths for one, two in pairwise(path)]
    return [FactEdge(ord(name[0]), "has", ord(name[1]), name, name not in other) for name in names]


def found(edges: Iterable[FactEdge]) -> list[str]:
    return [f"{chr(c.first)}{chr(c.last)}: {' '.join(c.refs)}" for c in chains(edges)]


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        (facts("abc"), ["ac: ab bc"]),
        (facts("abcde"), ["ae: ab bc cd de"]),
        (list(reversed(facts("abcd"))), ["ad: ab bc cd"]),
        (facts("abc", "axy"), ["ac: ab bc", "ay: ax xy"]),
        (facts("abc", "dc"), ["ac: ab bc"]),  # the end may have other edges, as may the beginning
        (facts("abcde", "xc"), ["ac: ab bc", "ce: cd de"]),
        (facts("abc", "bd"), []),  # two out of the middle
        (facts("abc", "db"), []),  # two into it
        (facts("ab", "ab", "bc"), []),  # twice the same is two
        (facts("abc", "bd", other=["bd"]), []),  # also of another sort
        (facts("abc", other=["ab"]), []),
        (facts("abc", other=["bc"]), []),
        (facts("abcde", other=["cd"]), ["ac: ab bc"]),
        (facts("ab"), []),
        (facts("abca"), []),  # a ring has no ends
        (facts("abca", "xa"), []),  # nor has one that hangs on an edge
        (facts("aab"), []),
        ([], []),
    ],
    ids=lambda value: " ".join(e.ref for e in value) if value and isinstance(value[0], FactEdge) else "",
)
def test_chains(edges: list[FactEdge], expected: list[str]):
    assert found(edges) == expected


def test_a_chain_is_a_record():
    assert chains(iter(facts("abc"))) == [Chain(first=ord("a"), last=ord("c"), refs=("ab", "bc"))]


# --- networkx ----------------------------------------------------------------------------------------------------


def test_to_networkx():
    nodes: list[tuple[Any, dict[str, Any]]] = [
        ("小美", {"kind": "entity", "key": 1}),
        ("tea", {}),
        (("a", "pair"), {"text": "x"}),
    ]
    edges: list[tuple[Any, Any, Any, dict[str, Any]]] = [
        ("小美", "tea", "f1", {"predicate": "likes", "key": 2}),
        ("小美", "tea", "f2", {"predicate": "sells"}),
    ]
    graph = to_networkx(nodes, edges)
    assert isinstance(graph, networkx.MultiDiGraph)
    assert dict(graph.nodes(data=True)) == dict(nodes)
    assert list(graph.edges(keys=True, data=True)) == edges
    graph.nodes["tea"]["seen"] = True
    assert nodes[1] == ("tea", {})  # its attributes are its own


def test_without_networkx(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtra, match=r"fabula\[graph\]"):
        to_networkx([], [])
