"""NeuroMemory's graph face on `fabula.knowledge`: its names, words and dicts; holds no graph itself.

The user is the node `(NodeType.USER, user_id)`: what was drawn of "user", 用户 or who is called
as the user id is theirs.
"""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, Literal

from fabula import AsyncMemory, Entity, Fact, InvalidInput
from fabula.checking import several
from fabula.errors import MissingExtra
from fabula.names import PROPERTIES, is_user
from fabula.narrowing import drawn_by_hand
from fabula.relations import relation, worded
from fabula.surroundings import class_of
from fabula.text import identifier
from neuromemory.types import EdgeType, NodeType

_DIRECTIONS: Final[Mapping[str, Literal["both", "out", "in"]]] = {
    "both": "both", "out": "out", "outgoing": "out", "in": "in", "incoming": "in",
}  # fmt: skip
_EDGES: Final[Mapping[str, str]] = {relation(kind): kind.value for kind in EdgeType}
"""Which of the words for edges stands for a relation: WORKS_AT for "is employed by"."""


class Graph:
    """`nm.graph`: nodes and edges, those of a caller and those drawn from talk alike.

    Types are members of `NodeType` and `EdgeType` or words of one's own; `Entity` is any type. A node's id is its
    name; letter case and width do not matter, and an alias does as well.
    """

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory = memory

    async def create_node(
        self, user_id: str, node_type: str, node_id: str, properties: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Make a node, or give one that is there more properties; return it."""
        user_id = identifier(user_id, "user_id")
        made = await self._memory.graph.add_node(user_id, node_id, _typed(node_type), properties=properties)
        return _node(made)

    async def get_node(self, user_id: str, node_type: str, node_id: str) -> dict[str, Any] | None:
        """Return a node: `id, node_type, node_id, aliases, properties`; `None` where there is none."""
        user_id = identifier(user_id, "user_id")
        found = await self._memory.graph.node(user_id, node_id, type=_typed(node_type))
        return None if found is None else _node(found)

    async def update_node(
        self, user_id: str, node_type: str, node_id: str, properties: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        """Give a node properties, in the place of those of the same names; `None` where there is no such node."""
        user_id = identifier(user_id, "user_id")
        found = await self._memory.graph.node(user_id, node_id, type=_typed(node_type))
        changed = found and await self._memory.graph.change_node(user_id, found.id, properties=properties)
        return None if changed is None else _node(changed)

    async def delete_node(self, user_id: str, node_type: str, node_id: str) -> bool:
        """Remove a node with its edges; return whether it was there."""
        user_id = identifier(user_id, "user_id")
        found = await self._memory.graph.node(user_id, node_id, type=_typed(node_type))
        return found is not None and await self._memory.graph.remove_node(user_id, found.id)

    async def create_edge(
        self, user_id: str, source_type: str, source_id: str, edge_type: str, target_type: str, target_id: str,
        properties: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Tie two nodes, which are made where they are not there; return the edge.

        `WORKS_AT`, `LIVES_IN` and others of one value end the edge before; skills, visits and the like stand together.
        """
        user_id = identifier(user_id, "user_id")
        ends = {"source_type": _typed(source_type), "target_type": _typed(target_type)}
        made = await self._memory.graph.add_edge(
            user_id, source_id, _word(edge_type), target_id, properties=properties, **ends
        )
        return await self._edge(user_id, made)

    async def get_edge(
        self, user_id: str, source_type: str, source_id: str, edge_type: str, target_type: str, target_id: str
    ) -> dict[str, Any] | None:
        """Return the edge that holds now (of several the latest): `id, source_type, source_id, edge_type, target_type,
        target_id, properties, valid_from, valid_to`; `None` where there is none."""
        user_id = identifier(user_id, "user_id")
        found = await self._between(user_id, source_type, source_id, edge_type, target_type, target_id)
        return await self._edge(user_id, found) if found else None

    async def update_edge(
        self, user_id: str, source_type: str, source_id: str, edge_type: str, target_type: str, target_id: str,
        properties: Mapping[str, Any],
    ) -> dict[str, Any] | None:  # fmt: skip
        """Give the edge that holds now properties, in the place of those of the same names."""
        user_id = identifier(user_id, "user_id")
        found = await self._between(user_id, source_type, source_id, edge_type, target_type, target_id)
        changed = found and await self._memory.graph.change_edge(user_id, found.id, properties=properties)
        return await self._edge(user_id, changed) if changed else None

    async def delete_edge(
        self, user_id: str, source_type: str, source_id: str, edge_type: str, target_type: str, target_id: str
    ) -> bool:
        """Remove the edge that holds now; what it had ended holds again. Returns whether it was there."""
        user_id = identifier(user_id, "user_id")
        found = await self._between(user_id, source_type, source_id, edge_type, target_type, target_id)
        return found is not None and await self._memory.graph.remove_edge(user_id, found.id)

    async def get_neighbors(
        self, user_id: str, node_type: str, node_id: str, edge_types: Sequence[str] | None = None,
        direction: str = "both", limit: int = 10, include_invalid: bool = False,
    ) -> list[dict[str, Any]]:  # fmt: skip
        """Return what a node is tied to, the latest first.

        Each is `neighbor_type, neighbor_id, rel_type, rel_props, direction`.

        `direction` is `out`, `in` or `both`. `rel_props` also holds `valid_from` and `valid_to` where they are known.
        What no longer holds is left out unless `include_invalid`.
        """
        user_id = identifier(user_id, "user_id")
        if not isinstance(direction, str) or direction not in _DIRECTIONS:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"direction is one of {', '.join(_DIRECTIONS)}, not {reprlib.repr(direction)}")
        wanted = None if edge_types is None else [_word(kind) for kind in several("edge_types", edge_types)]
        found = await self._memory.graph.neighbors(
            user_id, node_id, type=_typed(node_type), relations=wanted, direction=_DIRECTIONS[direction], limit=limit,
            invalid=include_invalid,
        )  # fmt: skip
        return [
            {
                "neighbor_type": _kind(one.node), "neighbor_id": _named(one.node.text, user_id),
                "rel_type": rel_type(one.edge), "rel_props": {**_properties(one.edge), **_valid(one.edge)},
                "direction": one.direction,
            }
            for one in found
        ]  # fmt: skip

    async def find_path(
        self, user_id: str, source_type: str, source_id: str, target_type: str, target_id: str, max_depth: int = 3
    ) -> list[dict[str, Any]]:
        """Return the shortest ways between two nodes: `nodes` (`type, id`) and the `rels` between them.

        A rel has `type, source, target, properties`; it may point either way.
        """
        user_id = identifier(user_id, "user_id")
        found = await self._memory.graph.paths(
            user_id, source_id, target_id, source_type=_typed(source_type), target_type=_typed(target_type),
            depth=max_depth,
        )  # fmt: skip
        return [
            {
                "nodes": [{"type": _kind(node), "id": _named(node.text, user_id)} for node in path.nodes],
                "rels": [
                    {
                        "type": rel_type(edge), "source": _named(edge.subject, user_id),
                        "target": _named(edge.object, user_id), "properties": _properties(edge),
                    }
                    for edge in path.edges
                ],
            }
            for path in found
        ]  # fmt: skip

    async def to_networkx(self, user_id: str) -> Any:
        """Return all that holds now as a `networkx.MultiDiGraph`; nodes are named by their ids.

        Raises `MissingExtra` where networkx is not installed.
        """
        user_id = identifier(user_id, "user_id")
        try:
            networkx: Any = importlib.import_module("networkx")
        except ModuleNotFoundError:
            raise MissingExtra("to_networkx", "graph") from None
        graph = networkx.MultiDiGraph()
        for node in await self._memory.records(user_id, "entity"):
            if isinstance(node, Entity):
                graph.add_node(_named(node.text, user_id), node_type=_kind(node), **_properties(node))
        for source, edge, target in await self._memory.graph.triples(user_id):
            for node in (source, target):
                graph.add_node(_named(node.text, user_id), node_type=_kind(node), **_properties(node))
            ends = (_named(source.text, user_id), _named(target.text, user_id))
            graph.add_edge(*ends, key=edge.id, rel_type=rel_type(edge), **_properties(edge))
        return graph

    async def _between(
        self, user_id: str, source_type: str, source_id: str, edge_type: str, target_type: str, target_id: str
    ) -> Fact | None:
        ends = {"source_type": _typed(source_type), "target_type": _typed(target_type)}
        found = await self._memory.graph.edges(user_id, source_id, target_id, relation=_word(edge_type), **ends)
        return next(iter(found), None)

    async def _edge(self, user_id: str, edge: Fact) -> dict[str, Any]:
        shown: dict[str, Any] = {"id": edge.id, "edge_type": rel_type(edge)}
        links = (edge.links.get("subject", ()), edge.links.get("object", ()))
        for side, ids, name in zip(("source", "target"), links, (edge.subject, edge.object), strict=True):
            node = await self._memory.get(user_id, ids[0]) if ids else None
            kind = _kind(node) if isinstance(node, Entity) else NodeType.ENTITY.value
            own = is_user(name, user_id)
            shown |= {f"{side}_type": NodeType.USER.value if own else kind, f"{side}_id": _named(name, user_id)}
        return {**shown, "properties": _properties(edge), "valid_from": None, "valid_to": None, **_valid(edge)}


def graph_context(facts: Iterable[Fact], user_id: str) -> list[str]:
    """Return facts as lines, each once: `alice → WORKS_AT → google`. The user stands under the user id."""
    return list(
        dict.fromkeys(
            f"{_named(fact.subject, user_id)} → {rel_type(fact)} → {_named(fact.object, user_id)}"
            for fact in facts
            if fact.subject and fact.object
        )
    )


def graph_results(facts: Iterable[Fact], user_id: str) -> list[dict[str, Any]]:
    """Return facts as triples: `id, text (its line of the context), subject, relation, object, content, properties`,
    and since and until when."""
    return [
        {
            "id": fact.id, "text": line, "subject": _named(fact.subject, user_id), "relation": rel_type(fact),
            "object": _named(fact.object, user_id), "content": fact.text, "properties": _properties(fact),
            "valid_from": None, "valid_to": None, **_valid(fact),
        }
        for fact in facts
        for line in graph_context([fact], user_id)
    ]  # fmt: skip


def rel_type(fact: Fact) -> str:
    """Return the type of an edge: as its writer called it, or the word for what talk told."""
    if drawn_by_hand(fact) and fact.predicate:
        return fact.predicate
    return _EDGES.get(relation(fact.predicate)) or worded(fact.predicate).upper().replace(" ", "_")


def _word(given: Any) -> Any:
    """A type as a word; what is none is refused further down."""
    return given.value if isinstance(given, NodeType | EdgeType) else given


def _typed(node_type: Any) -> Any:
    return None if _word(node_type) == NodeType.ENTITY else _word(node_type)


def _kind(node: Entity) -> str:
    if is_user(node.text, node.scope):
        return NodeType.USER.value
    own = node.type if drawn_by_hand(node) else class_of(node.type)
    return own or NodeType.ENTITY.value


def _named(name: str, user_id: str) -> str:
    return user_id if is_user(name, user_id) else name


def _node(node: Entity) -> dict[str, Any]:
    return {
        "id": node.id, "node_type": _kind(node), "node_id": _named(node.text, node.scope),
        "aliases": list(node.aliases), "properties": _properties(node),
    }  # fmt: skip


def _properties(record: Entity | Fact) -> dict[str, Any]:
    return deepcopy(dict(record.meta.get(PROPERTIES, {})))


def _valid(fact: Fact) -> dict[str, str]:
    ends = {"valid_from": fact.valid and fact.valid.start, "valid_to": fact.valid and fact.valid.end}
    return {name: end.isoformat() for name, end in ends.items() if end is not None}
