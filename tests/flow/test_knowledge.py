"""The graph of a scope: what a caller writes and what talk tells are one, found by any name, and end each other."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import pytest_asyncio

from fabula import AsyncMemory, Entity, Fact, Interval, InvalidInput, Memory, Plan
from fabula.names import PROPERTIES
from fabula.secrets import MARK
from fabula.testing import FakeClock, ScriptedLLM
from fabula.types import CREATED

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


@pytest_asyncio.fixture
async def memory(db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=None, clock=clock, background=False) as opened:
        yield opened


def telling(db: str, clock: FakeClock, *replies: dict[str, Any]) -> AsyncMemory:
    """A memory whose model tells this of what it reads, a reply a message."""
    return AsyncMemory(db, embedder=None, llm=ScriptedLLM(map(json.dumps, replies)), clock=clock, background=False)


def fact(subject: str, predicate: str, thing: str, **more: Any) -> dict[str, Any]:
    return {"facts": [{"subject": subject, "predicate": predicate, "object": thing, **more}]}


async def around(memory: AsyncMemory, name: str, **wanted: Any) -> list[tuple[str, str, str]]:
    """A node's edges: which way, by which relation, to whom; in no order."""
    found = await memory.graph.neighbors("bob", name, **wanted)
    return sorted((one.direction, one.edge.predicate, one.node.text) for one in found)


async def sound(memory: AsyncMemory) -> None:
    assert await memory.check() == []


async def test_what_marks_the_graph_is_no_key_of_a_caller(memory: AsyncMemory):
    (name,) = await memory.add("bob", Fact(scope="", id="", text="a flat", meta={"properties": {"rooms": 3}}))
    assert (await memory.recall("bob", "flat", Plan(edges=False))).hits
    for key in (PROPERTIES, CREATED):
        with pytest.raises(InvalidInput, match=key):
            await memory.add("bob", Fact(scope="", id="", text="a house", meta={key: {}}))
        with pytest.raises(InvalidInput, match=key):
            await memory.revise("bob", name, meta={key: "other"})
    edge = await memory.graph.add_edge("bob", "Ann", "knows", "Bo", properties={"since": 1})
    revised = await memory.revise("bob", edge.id, meta={"mine": 1})
    assert revised is not None
    assert (revised.meta[PROPERTIES], revised.meta["mine"]) == ({"since": 1}, 1)
    assert await memory.revise("bob", edge.id, meta={**revised.meta, "mine": 2}) is not None


# --- nodes ---


async def test_a_node_is_found_by_its_name_in_any_letters(memory: AsyncMemory):
    made = await memory.graph.add_node("bob", "Acme Corporation Ltd", "Organization", properties={"size": 7})
    assert (made.text, made.type, made.meta[PROPERTIES]) == ("Acme Corporation Ltd", "Organization", {"size": 7})
    for name in (
        "acme corporation ltd",
        "ACME CORPORATION LTD",
        "ＡＣＭＥ Corporation Ltd",
        "the Acme Corporation Ltd",
    ):
        found = await memory.graph.node("bob", name)
        assert found is not None
        assert found.id == made.id
    assert await memory.graph.node("bob", "Acme") is None
    assert await memory.graph.node("ann", "Acme Corporation Ltd") is None
    await sound(memory)


async def test_a_node_is_found_by_its_aliases(memory: AsyncMemory):
    made = await memory.graph.add_node("bob", "小米", "Organization", aliases=["Xiaomi", "小米科技"])
    again = await memory.graph.add_node("bob", "xiaomi", properties={"founded": 2010})
    assert again.id == made.id
    assert (again.aliases, again.text) == (("Xiaomi", "小米科技"), "小米")
    await memory.graph.add_edge("bob", "雷军", "founded", "小米科技")
    assert await around(memory, "XIAOMI") == [("in", "founded", "雷军")]
    assert len(await memory.records("bob", "entity")) == 2


@pytest.mark.parametrize(("held", "more"), [(1, True), (False, 0), (1, 1.0), ([{"a": 1}], [{"a": True}])])
async def test_properties_are_compared_as_json(memory: AsyncMemory, held: Any, more: Any):
    node = await memory.graph.add_node("bob", "Ann", properties={"a": held})
    edge = await memory.graph.add_edge("bob", "Ann", "knows", "Bo", properties={"a": held})
    other = await memory.graph.add_edge("bob", "Ann", "knows", "Cy", properties={"a": held})
    await memory.graph.change_node("bob", node.id, properties={"a": more})
    await memory.graph.change_edge("bob", edge.id, properties={"a": more})
    await memory.graph.add_edge("bob", "Ann", "knows", "Cy", properties={"a": more})
    kept = [await memory.get("bob", one.id) for one in (node, edge, other)]
    assert [repr(one and one.meta[PROPERTIES]) for one in kept] == [repr({"a": more})] * 3
    await memory.graph.change_node("bob", node.id, properties={"a": more})
    assert len(await memory.history("bob", node.id)) == 2


async def test_two_of_one_name_and_two_types_are_two(memory: AsyncMemory):
    place = await memory.graph.add_node("bob", "Paris", "Location")
    person = await memory.graph.add_node("bob", "Paris", "Person")
    assert place.id != person.id
    await memory.graph.add_edge("bob", "Ann", "visited", "Paris", target_type="Location")
    await memory.graph.add_edge("bob", "Ann", "met", "Paris", target_type="Person")
    assert await around(memory, "Paris", type="Location") == [("in", "visited", "Ann")]
    assert await around(memory, "Paris", type="Person") == [("in", "met", "Ann")]
    assert await memory.graph.node("bob", "Paris", type="Skill") is None


@pytest.mark.parametrize("told", [True, False])
async def test_whose_type_nobody_told_is_of_the_type_that_a_caller_gives(db: str, clock: FakeClock, told: bool):
    """Also where the edge itself was told in talk."""
    entity = {"entities": [{"name": "Google"}]}
    reply = {**entity, **fact("Bob", "works at", "Google")} if told else entity
    async with telling(db, clock, reply) as memory:
        await memory.remember("bob", "Bob works at Google")
        await memory.flush("bob")
        before = await memory.graph.node("bob", "Google")
        assert before is not None
        assert before.type == ""
        for _ in range(2):
            await memory.graph.add_edge(
                "bob", "bob", "WORKS_AT", "google", source_type="User", target_type="Organization"
            )
        (one,) = await memory.graph.neighbors("bob", "bob", type="User")
        assert (one.node.id, one.node.text, one.node.type) == (before.id, "Google", "Organization")
        assert len(await memory.history("bob", before.id)) == 2
        await memory.graph.add_edge("bob", "bob", "likes", "Google", target_type="Person")
        (node,) = await memory.records("bob", "entity", mentions="Google")
        assert isinstance(node, Entity)
        assert node.type == "Organization"
        await sound(memory)


async def test_a_node_is_changed_and_removed_with_its_edges(memory: AsyncMemory):
    node = await memory.graph.add_node("bob", "Ann", "Person", properties={"a": 1, "b": 1})
    changed = await memory.graph.change_node("bob", node.id, aliases=["Annie"], properties={"b": 2})
    assert changed is not None
    assert (changed.meta[PROPERTIES], changed.aliases) == ({"a": 1, "b": 2}, ("Annie",))
    await memory.graph.add_edge("bob", "Ann", "works_at", "Acme")
    await memory.graph.add_edge("bob", "Ann", "works_at", "Basel AG")
    await memory.graph.add_edge("bob", "Ivo", "knows", "Annie")
    assert await memory.graph.remove_node("bob", node.id) is True
    assert await memory.graph.remove_node("bob", node.id) is False
    assert await memory.graph.node("bob", "Ann") is None
    assert await memory.graph.change_node("bob", node.id, properties={}) is None
    for name in ("Acme", "Basel AG", "Ivo", "Ann"):
        assert await around(memory, name, invalid=True) == []
    await memory.graph.add_edge("bob", "Ann", "works_at", "Acme")
    assert await around(memory, "Ann") == [("out", "works_at", "Acme")]
    await sound(memory)


async def test_what_was_forgotten_by_name_may_be_written_again(memory: AsyncMemory):
    node = await memory.graph.add_node("bob", "Ann")
    edge = await memory.graph.add_edge("bob", "Ann", "likes", "tea")
    await memory.forget("bob", ids=[node.id, edge.id])
    assert await around(memory, "tea") == []
    await memory.graph.add_edge("bob", "Ann", "likes", "tea")
    assert await around(memory, "tea") == [("in", "likes", "Ann")]


async def test_what_a_caller_made_is_not_pruned(memory: AsyncMemory):
    await memory.graph.add_node("bob", "Ann")
    for _ in range(4):
        await memory.upkeep("bob")
    assert await memory.graph.node("bob", "Ann") is not None


# --- edges ---


@pytest.mark.parametrize(
    ("relation", "first", "second", "kept"),
    [
        ("works_at", "Google", "Meta", ["Meta"]), ("WORKS_AT", "Google", "Meta", ["Meta"]),
        ("LIVES_IN", "Porto", "Lagos", ["Lagos"]), ("住在", "杭州", "上海", ["上海"]),
        ("HAS_SKILL", "Python", "Go", ["Go", "Python"]), ("visited", "Rome", "Oslo", ["Oslo", "Rome"]),
        ("MET", "Ann", "Ivo", ["Ann", "Ivo"]), ("去过", "杭州", "上海", ["上海", "杭州"]),
        ("my_own", "a1", "b1", ["a1", "b1"]),
    ],
)  # fmt: skip
async def test_one_value_ends_the_other_or_stands_beside_it(
    memory: AsyncMemory, clock: FakeClock, relation: str, first: str, second: str, kept: list[str]
):
    before = await memory.graph.add_edge("bob", "bob", relation, first)
    clock.advance(60)
    await memory.graph.add_edge("bob", "Bob", relation, second)
    clock.advance(60)
    assert [name for *_, name in await around(memory, "bob")] == sorted(kept)
    assert [name for *_, name in await around(memory, "bob", invalid=True)] == sorted((first, second))
    now = await memory.graph.edge("bob", before.id)
    assert now is not None
    assert (now.status == "superseded") is (first not in kept)
    await sound(memory)


async def test_to_remove_what_ended_another_lets_it_hold_again(memory: AsyncMemory, clock: FakeClock):
    names = ("Acme", "Basel AG", "Citrix")
    edges: list[Fact] = []
    for name in names:
        edges.append(await memory.graph.add_edge("bob", "Ann", "works_at", name))
        clock.advance(60)
    assert await memory.graph.remove_edge("bob", edges[1].id) is True
    assert await around(memory, "Ann", invalid=True) == [("out", "works_at", "Acme"), ("out", "works_at", "Citrix")]
    assert await memory.graph.remove_edge("bob", edges[2].id) is True
    assert await around(memory, "Ann") == [("out", "works_at", "Acme")]
    assert await memory.graph.remove_edge("bob", edges[2].id) is False
    assert await memory.graph.edge("bob", edges[2].id) is None
    await sound(memory)


async def test_two_edges_between_two_nodes_are_two(memory: AsyncMemory):
    for relation in ("works_at", "owns"):
        await memory.graph.add_edge("bob", "Ann", relation, "Acme", properties={"by": relation})
    assert await around(memory, "Ann") == [("out", "owns", "Acme"), ("out", "works_at", "Acme")]
    (edge,) = await memory.graph.edges("bob", "Ann", "Acme", relation="is employed by")
    assert edge.meta[PROPERTIES] == {"by": "works_at"}
    assert await memory.graph.edges("bob", "Acme", "Ann") == []


async def test_the_same_edge_again_is_one_and_another_visit_another(memory: AsyncMemory):
    first = await memory.graph.add_edge("bob", "Ann", "likes", "tea", properties={"a": 1, "b": 1})
    again = await memory.graph.add_edge("bob", "ann", "LIKES", "Tea", properties={"b": 2})
    assert again.id == first.id
    assert again.meta[PROPERTIES] == {"a": 1, "b": 2}
    for year in (2021, 2022):
        when = Interval(start=datetime(year, 5, 1, tzinfo=UTC), end=datetime(year, 5, 2, tzinfo=UTC), precision="day")
        await memory.graph.add_edge("bob", "Ann", "visited", "Rome", valid=when)
    assert sorted(name for *_, name in await around(memory, "Ann")) == ["Rome", "Rome", "tea"]


async def test_an_edge_is_changed(memory: AsyncMemory, clock: FakeClock):
    edge = await memory.graph.add_edge("bob", "Ann", "owns", "a boat", properties={"a": 1})
    changed = await memory.graph.change_edge("bob", edge.id, properties={"b": 2})
    assert changed is not None
    assert changed.meta[PROPERTIES] == {"a": 1, "b": 2}
    ended = Interval(start=NOW - timedelta(days=9), end=NOW - timedelta(days=1))
    assert await memory.graph.change_edge("bob", edge.id, valid=ended) is not None
    assert await around(memory, "Ann") == []
    assert await around(memory, "Ann", invalid=True) == [("out", "owns", "a boat")]
    assert await memory.graph.change_edge("bob", "nothing", properties={}) is None
    await sound(memory)


async def test_secrets_are_masked(memory: AsyncMemory):
    key = "sk-proj-" + "aB3dE5gH" * 6
    edge = await memory.graph.add_edge("bob", "Ann", "uses", key, properties={"note": [f"key {key}"]})
    assert MARK in edge.object
    assert key not in repr(await memory.records("bob", "fact")) + repr(await memory.records("bob", "entity"))


# --- one graph ---


async def test_what_talk_tells_of_the_user_is_the_users(db: str, clock: FakeClock):
    """Whoever the model says it is: the word for the user, in either language, or the name of the scope."""
    replies = [
        fact("user", "works at", "Google"), fact("用户", "喜欢", "咖啡"), fact("Bob", "has skill", "machine learning"),
        fact("Ann", "knows", "user"),
    ]  # fmt: skip
    async with telling(db, clock, *replies) as memory:
        for reply in replies:
            await memory.remember("bob", json.dumps(reply))
            assert (await memory.flush("bob")).errors == ()
        told = [
            ("in", "knows", "Ann"), ("out", "has skill", "machine learning"), ("out", "works at", "Google"),
            ("out", "喜欢", "咖啡"),
        ]  # fmt: skip
        for name in ("bob", "Bob", "BOB", "user", "用户"):
            assert await around(memory, name) == sorted(told)
        assert await around(memory, "Machine Learning") == [("in", "has skill", "Bob")]
        assert await around(memory, "Google", type="Organization") == [("in", "works at", "Bob")]
        node = await memory.graph.node("bob", "bob", type="User")
        assert node is not None


@pytest.mark.parametrize("who", ["user", "用户", "Bob"])
async def test_what_talk_tells_ends_what_a_caller_wrote_and_the_other_way(db: str, clock: FakeClock, who: str):
    async with telling(db, clock, fact(who, "就职于", "Meta")) as memory:
        first = await memory.graph.add_edge("bob", "bob", "WORKS_AT", "Google")
        clock.advance(60)
        receipt = await memory.remember("bob", "我去 Meta 上班了")
        await memory.flush("bob")
        clock.advance(60)
        assert await around(memory, "bob") == [("out", "就职于", "Meta")]
        await memory.graph.add_edge("bob", "bob", "works_at", "Acme")
        clock.advance(60)
        assert await around(memory, "bob") == [("out", "works_at", "Acme")]
        assert receipt.ids[0] is not None
        await memory.forget("bob", ids=[receipt.ids[0]])
        assert [name for *_, name in await around(memory, "bob", invalid=True)] == ["Google", "Acme"]
        now = await memory.graph.edge("bob", first.id)
        assert now is not None
        assert now.status == "superseded"
        await sound(memory)


async def test_a_forgotten_message_takes_what_it_alone_told(db: str, clock: FakeClock):
    async with telling(db, clock, fact("Ann", "likes", "tea"), fact("Ann", "owns", "a boat")) as memory:
        await memory.graph.add_edge("bob", "Ann", "owns", "a boat", properties={"by": "hand"})
        receipts = [await memory.remember("bob", text) for text in ("Ann likes tea", "Ann owns a boat")]
        await memory.flush("bob")
        assert await around(memory, "Ann") == [("out", "likes", "tea"), ("out", "owns", "a boat")]
        await memory.forget("bob", ids=[i for receipt in receipts for i in receipt.ids if i])
        assert await around(memory, "Ann") == [("out", "owns", "a boat")]
        await sound(memory)


async def test_who_has_nothing_is_no_node(memory: AsyncMemory):
    assert await memory.graph.node("bob", "bob") is None
    assert await memory.graph.neighbors("bob", "bob") == []
    made = await memory.graph.add_node("bob", "bob", "User", properties={"plan": "free"})
    found = await memory.graph.node("bob", "用户")
    assert isinstance(found, Entity)
    assert found.id == made.id


# --- neighbours and paths ---


async def test_neighbours_are_counted_directed_and_chosen(memory: AsyncMemory):
    for n in range(7):
        await memory.graph.add_edge("bob", "Ann", "knows", f"friend{n}")
    await memory.graph.add_edge("bob", "Ivo", "likes", "Ann")
    assert len(await memory.graph.neighbors("bob", "Ann", limit=5)) == 5
    assert (await memory.graph.neighbors("bob", "Ann", limit=1))[0].node.text == "Ivo"
    assert len(await around(memory, "Ann", direction="out")) == 7
    assert await around(memory, "Ann", direction="in") == [("in", "likes", "Ivo")]
    assert await around(memory, "Ann", relations=["LIKES"]) == [("in", "likes", "Ivo")]
    assert await around(memory, "Ann", relations=[]) == []


async def test_the_latest_comes_first_also_of_what_has_ended(memory: AsyncMemory, clock: FakeClock):
    first = await memory.graph.add_edge("bob", "bob", "works_at", "Acme")
    await memory.graph.add_edge("bob", "bob", "owns", "a kite")
    for firm in ("Brix", "Corp"):
        clock.advance(timedelta(days=1))
        await memory.graph.add_edge("bob", "bob", "works_at", firm)
    ends = {"relations": ["works_at"], "invalid": True}

    async def firms(**more: Any) -> list[str]:
        return [one.node.text for one in await memory.graph.neighbors("bob", "bob", **{**ends, **more})]

    assert await firms() == ["Corp", "Brix", "Acme"]
    assert await firms(limit=2) == ["Corp", "Brix"]
    await memory.graph.change_edge("bob", first.id, properties={"as": "baker"})
    assert await firms() == ["Corp", "Brix", "Acme"]
    assert (await firms(relations=None))[2:] == ["a kite", "Acme"]


async def test_what_ended_at_once_stands_behind_what_took_its_place(memory: AsyncMemory):
    for firm in ("Acme", "Brix"):
        await memory.graph.add_edge("bob", "bob", "works_at", firm)
    found = await memory.graph.neighbors("bob", "bob", invalid=True)
    assert [one.node.text for one in found] == ["Brix", "Acme"]


async def test_paths(memory: AsyncMemory):
    for source, relation, target in (
        ("bob", "works_at", "Acme"), ("Ann", "works_at", "Acme"), ("Ann", "knows", "Ivo"), ("Ivo", "lives_in", "Oslo"),
        ("Ann", "likes", "Ivo"),
    ):  # fmt: skip
        await memory.graph.add_edge("bob", source, relation, target)

    async def ways(source: str, target: str, **wanted: Any) -> list[list[str]]:
        return [
            [node.text for node in path.nodes] for path in await memory.graph.paths("bob", source, target, **wanted)
        ]

    assert await ways("bob", "ann") == [["bob", "Acme", "Ann"]]
    assert await ways("bob", "Ivo") == [["bob", "Acme", "Ann", "Ivo"]] * 2
    assert await ways("bob", "Ivo", limit=1) == [["bob", "Acme", "Ann", "Ivo"]]
    assert await ways("bob", "Oslo") == []
    assert len(await ways("Oslo", "user", depth=4)) == 2
    assert await ways("bob", "bob") == [["bob"]]
    assert await ways("bob", "nobody here") == []
    (path,) = await memory.graph.paths("bob", "bob", "Ann")
    assert [edge.object for edge in path.edges] == ["Acme", "Acme"]
    assert len(await memory.graph.triples("bob")) == 5


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("neighbors", {"name": ""}), ("neighbors", {"name": "Ann", "direction": "up"}),
        ("neighbors", {"name": "Ann", "limit": 0}), ("neighbors", {"name": "Ann", "limit": 1001}),
        ("paths", {"source": "a", "target": "b", "depth": 0}), ("paths", {"source": "a", "target": "b", "depth": 11}),
        ("add_node", {"name": " "}), ("add_node", {"name": "a", "properties": {"x": {1}}}),
        ("add_node", {"name": "a", "properties": [1]}), ("add_node", {"name": "a", "aliases": "b"}),
        ("add_edge", {"source": "a", "relation": "", "target": "b"}),
        ("add_edge", {"source": "a", "relation": "r", "target": None, "properties": {}}),
        ("add_edge", {"source": "a", "relation": "r", "target": "b", "valid": "2020"}), ("edge", {"edge_id": ""}),
    ],
)  # fmt: skip
async def test_what_cannot_be_meant_is_refused(memory: AsyncMemory, method: str, given: dict[str, Any]):
    with pytest.raises(InvalidInput):
        await getattr(memory.graph, method)("bob", **given)
    assert await memory.scopes() == []


async def test_many_at_once_lose_nothing(memory: AsyncMemory):
    await asyncio.gather(
        *(memory.graph.add_edge("bob", "Ann", "knows", f"friend{n}") for n in range(20)),
        *(memory.graph.add_edge("bob", "Ann", "works_at", f"Firm{n}") for n in range(10)),
        *(memory.remember("bob", f"message {n}") for n in range(5)),
    )
    assert len(await around(memory, "Ann", relations=["knows"], limit=100)) == 20
    assert len(await around(memory, "Ann", relations=["works_at"], limit=100)) == 1
    await sound(memory)


async def test_those_who_make_a_scope_at_once_lose_nothing(memory: AsyncMemory):
    for name in map(str, range(8)):
        await asyncio.gather(*(memory.graph.add_node(name, "Acme", aliases=[alias]) for alias in ("A", "B", "C")))
        node = await memory.graph.node(name, "Acme")
        assert node is not None
        assert sorted(node.aliases) == ["A", "B", "C"], name


def test_without_await(tmp_path: Any):
    with Memory(tmp_path / "memory.db", embedder=None) as memory:
        edge = memory.graph.add_edge("bob", "Ann", "works_at", "Acme")
        assert [one.node.text for one in memory.graph.neighbors("bob", "Ann")] == ["Acme"]
        assert memory.graph.edge("bob", edge.id) is not None
        assert memory.graph.edges("bob", "Ann", "Acme")
        assert len(memory.graph.paths("bob", "Ann", "Acme")) == 1
        assert memory.graph.change_edge("bob", edge.id, properties={"a": 1}) is not None
        node = memory.graph.node("bob", "Acme")
        assert node is not None
        assert memory.graph.remove_edge("bob", edge.id)
        assert memory.graph.remove_node("bob", node.id)
