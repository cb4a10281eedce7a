"""The blocking mirror of `Knowledge`: each call waits for its own in the memory's loop; repeats no logic."""

# ruff: noqa: A002 - a node has a type, as an `Entity` has
from __future__ import annotations

from collections.abc import Iterable, Sequence

from fabula.blocking.calls import Call
from fabula.knowledge import Direction, Knowledge, Neighbor, Properties
from fabula.surroundings import Path
from fabula.types import Entity, Fact, Interval


class BlockingKnowledge:
    """The graph of a scope: `Memory.graph`; see `Knowledge` for every argument."""

    def __init__(self, facade: Knowledge, call: Call) -> None:
        self._facade, self._call = facade, call

    def add_node(
        self, scope: str, name: str, type: str | None = None, *, aliases: Sequence[str] = (),
        properties: Properties | None = None,
    ) -> Entity:  # fmt: skip
        """Add a node; see `Knowledge.add_node`."""
        adding = self._facade.add_node(scope, name, type, aliases=aliases, properties=properties)
        return self._call("graph.add_node", adding)

    def node(self, scope: str, name: str, *, type: str | None = None) -> Entity | None:
        """Return the node of a name; see `Knowledge.node`."""
        return self._call("graph.node", self._facade.node(scope, name, type=type))

    def change_node(
        self, scope: str, node_id: str, *, type: str | None = None, aliases: Sequence[str] = (),
        properties: Properties | None = None,
    ) -> Entity | None:  # fmt: skip
        """Say more of a node; see `Knowledge.change_node`."""
        changing = self._facade.change_node(scope, node_id, type=type, aliases=aliases, properties=properties)
        return self._call("graph.change_node", changing)

    def remove_node(self, scope: str, node_id: str) -> bool:
        """Remove a node with its edges; see `Knowledge.remove_node`."""
        return self._call("graph.remove_node", self._facade.remove_node(scope, node_id))

    def add_edge(
        self, scope: str, source: str, relation: str, target: str, *, source_type: str | None = None,
        target_type: str | None = None, properties: Properties | None = None, valid: Interval | None = None,
    ) -> Fact:  # fmt: skip
        """Tie two nodes; see `Knowledge.add_edge`."""
        adding = self._facade.add_edge(
            scope, source, relation, target, source_type=source_type, target_type=target_type, properties=properties,
            valid=valid,
        )  # fmt: skip
        return self._call("graph.add_edge", adding)

    def edge(self, scope: str, edge_id: str) -> Fact | None:
        """Return an edge by its id; see `Knowledge.edge`."""
        return self._call("graph.edge", self._facade.edge(scope, edge_id))

    def edges(
        self, scope: str, source: str, target: str, *, relation: str | None = None, source_type: str | None = None,
        target_type: str | None = None, invalid: bool = False,
    ) -> list[Fact]:  # fmt: skip
        """Return the edges between two nodes; see `Knowledge.edges`."""
        finding = self._facade.edges(
            scope, source, target, relation=relation, source_type=source_type, target_type=target_type, invalid=invalid
        )
        return self._call("graph.edges", finding)

    def change_edge(
        self, scope: str, edge_id: str, *, properties: Properties | None = None, valid: Interval | None = None
    ) -> Fact | None:
        """Say more of an edge, or when it holds; see `Knowledge.change_edge`."""
        return self._call(
            "graph.change_edge", self._facade.change_edge(scope, edge_id, properties=properties, valid=valid)
        )

    def remove_edge(self, scope: str, edge_id: str) -> bool:
        """Remove an edge; see `Knowledge.remove_edge`."""
        return self._call("graph.remove_edge", self._facade.remove_edge(scope, edge_id))

    def neighbors(
        self, scope: str, name: str, *, type: str | None = None, relations: Iterable[str] | None = None,
        direction: Direction = "both", limit: int = 10, invalid: bool = False,
    ) -> list[Neighbor]:  # fmt: skip
        """Return a node's edges and what they lead to; see `Knowledge.neighbors`."""
        finding = self._facade.neighbors(
            scope, name, type=type, relations=relations, direction=direction, limit=limit, invalid=invalid
        )
        return self._call("graph.neighbors", finding)

    def triples(self, scope: str, *, invalid: bool = False) -> list[tuple[Entity, Fact, Entity]]:
        """Return every edge with the nodes it ties; see `Knowledge.triples`."""
        return self._call("graph.triples", self._facade.triples(scope, invalid=invalid))

    def paths(
        self, scope: str, source: str, target: str, *, source_type: str | None = None, target_type: str | None = None,
        depth: int = 3, limit: int = 10, invalid: bool = False,
    ) -> list[Path]:  # fmt: skip
        """Return the shortest paths between two nodes; see `Knowledge.paths`."""
        finding = self._facade.paths(
            scope, source, target, source_type=source_type, target_type=target_type, depth=depth, limit=limit,
            invalid=invalid,
        )  # fmt: skip
        return self._call("graph.paths", finding)
