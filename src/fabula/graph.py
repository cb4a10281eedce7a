"""What is tied to what: walks, neighbourhoods, components and chains on a weighted graph held in arrays.

It knows no text and no store: a node is a 64-bit key, and what a key or an edge stands for is the caller's to know.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fabula.errors import InvalidInput, MissingExtra
from fabula.index import Floats, Ints

Keys: TypeAlias = NDArray[np.uint64]

NO_KEYS: Final[Keys] = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Graph:
    """An undirected multigraph in compressed rows; never changed after it was made.

    Row i holds what the edges of `nodes[i]` lead to: the entries `starts[i]` to `starts[i + 1]` of `neighbours`,
    `weights` and `chances`, in the order the edges came in. Each edge has an entry in both of its rows, parallel
    edges have entries of their own, and a self-loop has none.
    """

    nodes: Keys
    """Sorted, each once."""
    starts: Ints
    """One more than there are nodes."""
    neighbours: Ints
    """Positions in `nodes`; 64 bits wide, as numpy gathers by nothing narrower without a copy."""
    weights: Floats
    chances: Floats
    """How likely a walk that stands on the neighbour takes this edge to the row's node, 0–1."""

    @classmethod
    def of(
        cls,
        source: Sequence[int] | Keys,
        target: Sequence[int] | Keys,
        weight: Sequence[float] | NDArray[Any],
        nodes: Sequence[int] | Keys = NO_KEYS,
    ) -> Graph:
        """Return the graph of edges given as parallel columns, with `nodes` as further nodes, edges or none.

        Raises `InvalidInput` where the columns differ in length, or a weight is negative or not finite.
        """
        return EMPTY.extended(source, target, weight, nodes)

    def extended(
        self,
        source: Sequence[int] | Keys,
        target: Sequence[int] | Keys,
        weight: Sequence[float] | NDArray[Any],
        nodes: Sequence[int] | Keys = NO_KEYS,
    ) -> Graph:
        """Return this graph with more edges and nodes: the same arrays as `of` would make of all of them."""
        ends, values = _columns(source, target, weight)
        known = len(self.nodes)
        keys = np.concatenate((self.nodes, np.asarray(nodes, np.uint64), ends))
        keys, position = np.unique(keys, return_inverse=True)
        moved, pairs = position[:known], position[len(position) - len(ends) :].reshape(-1, 2)
        proper = pairs[:, 0] != pairs[:, 1]
        ends, values = pairs.compress(proper, 0).ravel(), values[proper]
        # By row and then by arrival: as one number, which sorts many times faster than by a stable argsort.
        entries = np.sort((ends << 32) | np.arange(len(ends)))
        rows, arrival = entries >> 32, entries & 0xFFFFFFFF
        degrees = np.zeros(len(keys), np.int64)
        degrees[moved] = np.diff(self.starts)
        starts = np.concatenate(([0], np.cumsum(degrees)))
        at = starts[rows + 1]
        neighbours = np.insert(moved[self.neighbours], at, ends[arrival ^ 1])  # the other end stands beside it
        weights = np.insert(self.weights, at, values[arrival >> 1])
        starts[1:] += np.cumsum(np.bincount(rows, minlength=len(keys)))
        return Graph(keys, starts, neighbours, weights, _chances(starts, neighbours, weights))

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def nbytes(self) -> int:
        """The bytes held by the arrays."""
        columns = (self.nodes, self.starts, self.neighbours, self.weights, self.chances)
        return sum(column.nbytes for column in columns)

    def rows(self, keys: Sequence[int] | Keys) -> Ints:
        """Return the position of each key in `nodes`, −1 where it is none of them."""
        keys = np.asarray(keys, np.uint64)
        if not len(self):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.nodes, keys), len(self) - 1)
        return np.where(self.nodes[at] == keys, at, -1)


EMPTY: Final = Graph(
    NO_KEYS, np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.float32)
)


def _columns(
    source: Sequence[int] | Keys, target: Sequence[int] | Keys, weight: Sequence[float] | NDArray[Any]
) -> tuple[Keys, Floats]:
    """The edges' ends one after the other, source then target of each, and their weights."""
    values = np.asarray(weight, np.float64)
    if not len(source) == len(target) == len(values):
        raise InvalidInput("edges come as three columns of one length: sources, targets and weights")
    if not ((values >= 0) & (values <= np.finfo(np.float32).max)).all():
        raise InvalidInput("the weight of an edge is a finite number, 0 or more")
    ends = np.stack((np.asarray(source, np.uint64), np.asarray(target, np.uint64)), 1).ravel()
    return ends, values.astype(np.float32)


def _chances(starts: Ints, neighbours: Ints, weights: Floats) -> Floats:
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    strength = np.bincount(rows, weights, len(starts) - 1)[neighbours]
    # A node whose edges all weigh nothing is left by no walk.
    return np.divide(weights, strength, out=np.zeros(len(weights)), where=strength > 0).astype(np.float32)


def _entries(graph: Graph, rows: Ints) -> tuple[Ints, Ints]:
    """The entries of several rows, and for each the place in `rows` of the row it is of."""
    degrees = graph.starts[rows + 1] - graph.starts[rows]
    owners = np.repeat(np.arange(len(rows)), degrees)
    skipped = graph.starts[rows] - (np.cumsum(degrees) - degrees)
    return np.arange(len(owners)) + skipped[owners], owners


# --- walks --------------------------------------------------------------------------------------------------------


def pagerank(
    graph: Graph,
    seeds: Mapping[int, float] | tuple[Sequence[int] | Keys, Sequence[float] | NDArray[Any]],
    *,
    restart: float = 0.5,
    steps: int = 20,
    tolerance: float = 1e-6,
) -> Floats:
    """Return how often a walk that keeps coming back to the seeds is on each node: shares that sum to 1.

    Personalised PageRank (Haveliwala 2002, "Topic-sensitive PageRank") by power iteration of
    p = restart · s + (1 − restart) · Wᵀp, where s are the seeds' weights and each row of W the weights of a node's
    edges, both scaled to sum to 1; a walk on a node without edges goes on from the seeds. `restart` is what SEEM
    (arXiv 2601.06411) calls the damping, and 1 − the damping factor of most other texts.

    Ends after `steps`, or when the shares changed by less than `tolerance` in sum. Seeds that are not in the graph,
    or whose weight is not a positive number, are passed over; where none are left, all shares are 0.
    Raises `InvalidInput` where `restart` is not above 0 and at most 1.
    """
    if not 0 < restart <= 1:
        raise InvalidInput(f"the restart probability is above 0 and at most 1, not {restart}")
    shares = _seeded(graph, seeds)
    if not shares.any():
        return shares
    alone = np.flatnonzero(np.diff(graph.starts) == 0)
    home, following = shares * np.float32(restart), np.empty_like(shares)
    # `reduceat` gives a row without entries the entry it would start at: one more, for such rows at the end.
    carried = np.zeros(len(graph.neighbours) + 1, np.float32)
    for _ in range(steps):
        np.take(shares, graph.neighbours, out=carried[:-1], mode="clip")  # the default mode makes a copy
        carried[:-1] *= graph.chances
        np.add.reduceat(carried, graph.starts[:-1], out=following)
        following[alone] = 0
        following *= np.float32(1 - restart)
        following += home
        change = np.abs(following - shares).sum()
        shares, following = following, shares
        if change < tolerance:
            break
    # What was lost on nodes without edges belongs to the seeds; as p is linear in s, that is to all alike.
    return (shares / shares.sum(dtype=np.float64)).astype(np.float32)


def _seeded(
    graph: Graph, seeds: Mapping[int, float] | tuple[Sequence[int] | Keys, Sequence[float] | NDArray[Any]]
) -> Floats:
    """Each node's part of the seeds' weight, in sum 1, or all 0."""
    keys, weights = (list(seeds), list(seeds.values())) if isinstance(seeds, Mapping) else seeds
    rows, values = graph.rows(keys), np.asarray(weights, np.float64)
    usable = (rows >= 0) & (values > 0) & np.isfinite(values)
    if not usable.any():
        return np.zeros(len(graph), np.float32)
    rows, values = rows[usable], values[usable]
    parts = np.bincount(rows, values / values.max(), len(graph))
    return (parts / parts.sum()).astype(np.float32)


def neighbourhood(graph: Graph, keys: Sequence[int] | Keys, hops: int = 2, limit: int = 10_000) -> Graph:
    """Return the nodes at most `hops` edges away from `keys`, with every edge between them.

    No more than `limit` nodes are gathered, the nearest first, and of those equally near the ones most heavily tied
    to what was gathered before; `keys` that are in the graph are always in it.
    """
    found = graph.rows(keys)
    edge = np.unique(found[found >= 0])
    inside = np.zeros(len(graph), np.bool_)
    inside[edge] = True
    room = limit - len(edge)
    for _ in range(hops):
        entries, _owners = _entries(graph, edge)
        reached = np.zeros(len(graph), np.bool_)
        reached[graph.neighbours[entries]] = True
        edge = np.flatnonzero(reached & ~inside)
        if len(edge) > room:
            ties = np.bincount(graph.neighbours[entries], graph.weights[entries], len(graph))
            edge = np.sort(edge[np.argsort(-ties[edge], kind="stable")[: max(room, 0)]])
        if not len(edge):
            break
        inside[edge] = True
        room -= len(edge)
    return _within(graph, np.flatnonzero(inside))


def _within(graph: Graph, rows: Ints) -> Graph:
    """The part of the graph between some of its nodes, whose positions come in order."""
    place = np.full(len(graph), -1)
    place[rows] = np.arange(len(rows))
    entries, owners = _entries(graph, rows)
    others = place[graph.neighbours[entries]]
    kept = others >= 0
    starts = np.concatenate(([0], np.cumsum(np.bincount(owners[kept], minlength=len(rows)))))
    neighbours, weights = others[kept], graph.weights[entries[kept]]
    return Graph(graph.nodes[rows], starts, neighbours, weights, _chances(starts, neighbours, weights))


# --- shape --------------------------------------------------------------------------------------------------------


def components(graph: Graph) -> Ints:
    """Return the number of each node's connected component, from 0 in the order of their first nodes.

    Every node points to one before it until all of a component point to its first: FastSV (Zhang, Azad and Hu 2020),
    which takes about log n rounds.
    """
    parents = np.arange(len(graph))
    alone = np.flatnonzero(np.diff(graph.starts) == 0)
    seen = np.full(len(graph.neighbours) + 1, len(graph))
    grand = parents
    while True:
        seen[:-1] = grand[graph.neighbours]
        lowest = np.minimum.reduceat(seen, graph.starts[:-1])
        lowest[alone] = grand[alone]
        hooked = np.minimum(np.minimum(parents, grand), lowest)
        np.minimum.at(hooked, parents, lowest)
        parents, before = hooked, grand
        grand = parents[parents]
        if (grand == before).all():
            break
    return np.unique(parents, return_inverse=True)[1]


def lonely(graph: Graph, keys: Sequence[int] | Keys) -> Keys:
    """Return those of `keys` that no edge touches, in their order; a key the graph does not know is one of them."""
    keys = np.asarray(keys, np.uint64)
    degrees = np.append(np.diff(graph.starts), 0)  # row −1, "unknown", is the one behind the last
    return keys[degrees[graph.rows(keys)] == 0]


class FactEdge(NamedTuple):
    """A fact as an edge from its subject to its object."""

    subject: int
    predicate: str
    object: int
    ref: str
    """What the fact is known by, for instance its id."""
    attribute: bool
    """Whether it tells no more than what its subject has or is."""


class Chain(NamedTuple):
    """Attributes that follow one another from `first` to `last`: the facts' `refs` in that order, two or more."""

    first: int
    last: int
    refs: tuple[str, ...]


def chains(edges: Iterable[FactEdge]) -> list[Chain]:
    """Return the longest paths a–has–b–is–c that one edge from a to c can stand for, in the order of their first edges.

    Each node inside a path has exactly one edge in and one out, both of attributes. A path that ends where it began
    is left out: an edge from a node to itself would say nothing.
    """
    edges = tuple(edges)
    leaving: dict[int, list[FactEdge]] = defaultdict(list)
    arriving: dict[int, list[FactEdge]] = defaultdict(list)
    for edge in edges:
        leaving[edge.subject].append(edge)
        arriving[edge.object].append(edge)
    inner = {
        node
        for node, out in leaving.items()
        if len(out) == 1 == len(arriving.get(node, ())) and out[0].attribute and arriving[node][0].attribute
    }
    found: list[Chain] = []
    for edge in edges:
        if edge.subject in inner or edge.object not in inner:
            continue
        refs, last = [edge.ref], edge.object
        while last in inner:
            (following,) = leaving[last]
            refs.append(following.ref)
            last = following.object
        if last != edge.subject:
            found.append(Chain(edge.subject, last, tuple(refs)))
    return found


# --- elsewhere ----------------------------------------------------------------------------------------------------


def to_networkx(
    nodes: Iterable[tuple[Hashable, Mapping[str, Any]]],
    edges: Iterable[tuple[Hashable, Hashable, Hashable, Mapping[str, Any]]],
) -> Any:
    """Return a `networkx.MultiDiGraph` of nodes (key, attributes) and edges (source, target, key, attributes).

    Raises `MissingExtra` where networkx is not installed.
    """
    try:
        networkx = importlib.import_module("networkx")
    except ModuleNotFoundError:
        raise MissingExtra("a networkx graph", "graph") from None
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    return graph
