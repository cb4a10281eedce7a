"""NeuroMemory's key-value and graph faces: its names, its dicts, and what the original got wrong."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from fabula import AsyncMemory, Fact, InvalidInput, Message, Note
from fabula.inferences import protected_key
from fabula.profile import GATHERED, KEYS, profile
from fabula.testing import FakeClock, ScriptedLLM
from neuromemory.graph import Graph, graph_context, graph_results
from neuromemory.kv import KV
from neuromemory.types import EdgeType, NodeType

USER = "Bob"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2024-05-01T12:00:00Z")


@pytest_asyncio.fixture
async def memory(db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=None, clock=clock, background=False) as opened:
        yield opened


async def heard(db: str, clock: FakeClock, *replies: dict[str, Any]) -> AsyncMemory:
    """A memory that has read a message for each reply of its model."""
    memory = AsyncMemory(db, embedder=None, llm=ScriptedLLM(map(json.dumps, replies)), clock=clock, background=False)
    for n, _ in enumerate(replies):
        await memory.remember(USER, Message(f"message {n}", id=f"m{n}"))
        assert (await memory.flush(USER)).errors == ()
        clock.advance(60)
    return memory


def told(*entries: tuple[str, str, str]) -> dict[str, Any]:
    return {"profile": [{"subject": who, "key": key, "value": value} for who, key, value in entries]}


def fact(subject: str, predicate: str, thing: str) -> dict[str, Any]:
    return {"facts": [{"subject": subject, "predicate": predicate, "object": thing}]}


def test_the_words_are_pinned():
    nodes = "User Memory Concept Entity Person Organization Location Event Skill"
    edges = (
        "HAS_MEMORY MENTIONS RELATED_TO KNOWS ABOUT WORKS_AT LIVES_IN HAS_SKILL STUDIED_AT BELONGS_TO USES MET ATTENDED"
        " VISITED OCCURRED_AT OCCURRED_ON HOBBY OWNS LOCATED_IN BORN_IN SPEAKS COLLEAGUE CUSTOM"
    )
    assert (" ".join(NodeType), " ".join(EdgeType)) == (nodes, edges)
    assert f"{NodeType.USER}" == "User"


# --- key-value ---


async def test_key_values(memory: AsyncMemory):
    kv = KV(memory)
    assert await kv.get(USER, "profile", "language") is None
    made = await kv.set(USER, "profile", "language", "zh-CN")
    found = await kv.get(USER, "profile", "language")
    assert found is not None
    assert (made.value, found.value, found.key, found.namespace, found.user_id) == (
        "zh-CN", "zh-CN", "language", "profile", USER,
    )  # fmt: skip
    assert found.updated_at == "2024-05-01T12:00:00+00:00"
    await kv.batch_set(USER, "n", {"a_1": 1, "ax1": 2, "b": 3})
    assert [one.key for one in await kv.list(USER, "n", prefix="a_")] == ["a_1"]
    assert [one.key for one in await kv.list(USER, "n", limit=1, after="a_1")] == ["ax1"]
    assert await kv.delete(USER, "n", "b") is True
    assert await kv.delete(USER, "n", "b") is False
    with pytest.raises(ValueError, match="user_id"):
        await kv.get("", "n", "b")


async def test_preferences_are_a_list_that_grows(db: str, clock: FakeClock):
    memory = await heard(
        db, clock, told(("user", "preferences", "喜欢喝咖啡")), told(("用户", "preferences", "偏好深色模式")),
        told((USER, "preferences", "喜欢喝咖啡。"), ("user", "location", "杭州"), ("Ann", "location", "Oslo")),
        told(("user", "location", "上海"), ("user", "skills", "Go"), ("user", "skills", "Python")),
    )  # fmt: skip
    async with memory:
        kv = KV(memory)
        found = await kv.get(USER, "profile", "preferences")
        assert found is not None
        assert found.value == ["喜欢喝咖啡", "偏好深色模式"]
        notes = await memory.kv.list(USER, "profile", limit=1000)
        assert profile(notes) == {
            "preferences": ["喜欢喝咖啡", "偏好深色模式"], "location": "上海", "skills": ["Go", "Python"],
        }  # fmt: skip
        assert "偏好：喜欢喝咖啡、偏好深色模式" in [note.text for note in notes]
        await memory.forget(USER, refs=["m1", "m3"])
        assert profile(await memory.kv.list(USER, "profile")) == {"preferences": ["喜欢喝咖啡"], "location": "杭州"}
        assert await memory.check() == []


async def test_what_is_set_is_told_as_it_is_read(db: str, clock: FakeClock):
    async with AsyncMemory(db, embedder=None, clock=clock) as memory:
        kv = KV(memory)
        then = clock()
        one = await kv.set(USER, "settings", "theme", "dark")
        assert (one.updated_at, one) == (then.isoformat(), await kv.get(USER, "settings", "theme"))
        clock.advance(timedelta(hours=1))
        two = await kv.batch_set(USER, "settings", {"theme": "light", "font": 12})
        assert {each.updated_at for each in two} == {clock().isoformat()} != {then.isoformat()}
        assert sorted(two, key=lambda each: each.key) == await kv.list(USER, "settings")
        clock.advance(timedelta(hours=1))
        three = await kv.merge(USER, "settings", "tags", ["a"])
        four = await kv.merge(USER, "settings", "tags", ["b"])
        assert (three.value, four.value, four.updated_at) == (["a"], ["a", "b"], clock().isoformat())
        clock.advance(timedelta(hours=1))
        assert await kv.merge(USER, "settings", "tags", ["b"]) == four == await kv.get(USER, "settings", "tags")


async def test_what_a_caller_set_outlives_what_talk_added(db: str, clock: FakeClock):
    async with await heard(db, clock, told(("user", "goals", "run a marathon"))) as memory:
        await KV(memory).set(USER, "profile", "goals", ["learn Go"])
        await memory.forget(USER, refs=["m0"])
        found = await KV(memory).get(USER, "profile", "goals")
        assert found is not None
        assert found.value == ["learn Go"]


@pytest.mark.parametrize(
    "key",
    ["personality", "Personality type", "values", "core_values", "big five", "MBTI", "character", "character traits",
     "性格", "性格特点", "价值观", "人格类型", "beliefs", "temperament", "三观", "religion", "political_views",
     "politicalParty", "sexual_orientation", "Big-Five", "病史", "宗教信仰", "MBTI类型", "health"],
)  # fmt: skip
async def test_what_is_never_inferred_is_no_key_of_a_profile(db: str, clock: FakeClock, key: str):
    async with await heard(db, clock, told(("user", key, "introvert"), ("user", "occupation", "nurse"))) as memory:
        notes = await memory.kv.list(USER, "profile")
        assert [(note.key, note.value) for note in notes] == [("occupation", "nurse")]


@pytest.mark.parametrize(
    "key",
    [
        *KEYS,
        *KEYS.values(),
        "favourite character in games",
        "value of the house",
        "valuables",
        "party games",
        "race bike",
        "喜欢的派对",
        "nationality",
    ],
)
def test_other_keys_are_kept(key: str):
    assert not protected_key(key)


def note(key: str, value: Any, subject: str = "user") -> Note:
    meta = {"subject": subject, "name": key}
    return Note(scope="u", id=key, text="", namespace="profile", key=key, value=value, meta=meta)


def test_a_profile_has_the_nine_keys_and_no_others():
    notes = [
        note("职业", "教师"), note("hobbies", ["chess"]), note("interests", ["chess", "tea"]), note("home", "Porto"),
        note("favourite tea", "jasmine"), note("最喜欢的茶", "龙井"), note("name of the dog", "Rex"),
        note("name", "Nora"), note("age", "31"), note("nora/skills", ["Go"], "Nora"), note("personality", "shy"),
    ]  # fmt: skip
    assert profile(notes) == {
        "identity": "Nora, 31", "occupation": "教师", "interests": ["chess", "tea"], "location": "Porto",
        "preferences": ["favourite tea: jasmine", "最喜欢的茶: 龙井"],
    }  # fmt: skip
    assert profile([]) == {}
    assert set(KEYS) >= GATHERED
    assert "personality" not in KEYS


# --- graph ---


async def test_nodes(memory: AsyncMemory):
    graph = Graph(memory)
    made = await graph.create_node(USER, NodeType.PERSON, "Ann Lee", {"age": 31})
    assert (made["node_type"], made["node_id"], made["properties"]) == ("Person", "Ann Lee", {"age": 31})
    assert await graph.get_node(USER, "Person", "ann lee") == made
    assert await graph.get_node(USER, NodeType.ENTITY, "ann lee") == made
    assert await graph.get_node(USER, NodeType.LOCATION, "Ann Lee") is None
    changed = await graph.update_node(USER, NodeType.PERSON, "Ann Lee", {"city": "Oslo"})
    assert changed is not None
    assert changed["properties"] == {"age": 31, "city": "Oslo"}
    assert await graph.update_node(USER, NodeType.PERSON, "Ivo", {}) is None
    assert await graph.delete_node(USER, NodeType.PERSON, "Ann Lee") is True
    assert await graph.delete_node(USER, NodeType.PERSON, "Ann Lee") is False
    own = await graph.create_node(USER, "Spaceship", "Rocinante")
    assert own["node_type"] == "Spaceship"
    user = await graph.create_node(USER, NodeType.USER, USER)
    assert (user["node_type"], user["node_id"]) == ("User", USER)
    with pytest.raises(InvalidInput):
        await graph.create_node(" ", NodeType.USER, USER)


async def test_edges(memory: AsyncMemory, clock: FakeClock):
    graph = Graph(memory)
    triple = (NodeType.USER, USER, EdgeType.WORKS_AT, NodeType.ORGANIZATION, "Google")
    made = await graph.create_edge(USER, *triple, {"role": "engineer"})
    assert made == {
        "id": made["id"], "source_type": "User", "source_id": USER, "edge_type": "WORKS_AT",
        "target_type": "Organization", "target_id": "Google", "properties": {"role": "engineer"},
        "valid_from": "2024-05-01T12:00:00+00:00", "valid_to": None,
    }  # fmt: skip
    assert await graph.get_edge(USER, *triple) == made
    changed = await graph.update_edge(USER, *triple, {"team": "infra"})
    assert changed is not None
    assert changed["properties"] == {"role": "engineer", "team": "infra"}
    clock.advance(60)
    other = (NodeType.USER, USER, "WORKS_AT", "Organization", "Meta")
    await graph.create_edge(USER, *other)
    clock.advance(60)
    assert await graph.get_edge(USER, *triple) is None
    assert await graph.delete_edge(USER, *other) is True
    assert await graph.delete_edge(USER, *other) is False
    assert await graph.get_edge(USER, *triple) is not None
    own = await graph.create_edge(USER, "Person", "Ann", "mentorOf", "Person", "Ivo")
    assert own["edge_type"] == "mentorOf"


async def test_neighbours_of_a_user_id_in_capitals(db: str, clock: FakeClock):
    replies = [
        fact("user", "works at", "Google"),
        fact("user", "is employed by", "Meta"),
        fact("user", "has visited", "杭州"),
    ]
    async with await heard(db, clock, *replies) as memory:
        graph = Graph(memory)
        found = await graph.get_neighbors(USER, NodeType.USER, USER)
        assert [(one["rel_type"], one["neighbor_id"], one["direction"]) for one in found] == [
            ("HAS_VISITED", "杭州", "out"), ("WORKS_AT", "Meta", "out"),
        ]  # fmt: skip
        assert set(found[0]) == {"neighbor_type", "neighbor_id", "rel_type", "rel_props", "direction"}
        works = [EdgeType.WORKS_AT]
        every = await graph.get_neighbors(USER, "User", "bob", edge_types=works, include_invalid=True)
        assert sorted(one["neighbor_id"] for one in every) == ["Google", "Meta"]
        ended = next(one for one in every if one["neighbor_id"] == "Google")
        assert "valid_to" in ended["rel_props"]
        (back,) = await graph.get_neighbors(USER, NodeType.ORGANIZATION, "meta", direction="incoming")
        assert (back["neighbor_type"], back["neighbor_id"], back["direction"]) == ("User", USER, "in")
        with pytest.raises(InvalidInput):
            await graph.get_neighbors(USER, "User", USER, direction="sideways")


async def test_skills_visits_and_meetings_stand_together(memory: AsyncMemory, clock: FakeClock):
    graph = Graph(memory)
    for kind in (EdgeType.HAS_SKILL, EdgeType.VISITED, EdgeType.MET):
        for name in ("machine learning", "Python", "编程"):
            await graph.create_edge(USER, NodeType.USER, USER, kind, NodeType.SKILL, name)
            clock.advance(86400)
        found = await graph.get_neighbors(USER, NodeType.USER, USER, edge_types=[kind])
        assert {one["neighbor_id"] for one in found} == {"machine learning", "Python", "编程"}
    assert len(await graph.get_neighbors(USER, NodeType.SKILL, "Machine Learning")) == 3


async def test_paths(memory: AsyncMemory):
    graph = Graph(memory)
    await graph.create_edge(USER, NodeType.USER, USER, EdgeType.WORKS_AT, NodeType.ORGANIZATION, "Acme")
    await graph.create_edge(USER, NodeType.PERSON, "Ann", EdgeType.WORKS_AT, NodeType.ORGANIZATION, "Acme")
    assert await graph.find_path(USER, NodeType.USER, USER, NodeType.PERSON, "Ann") == [
        {
            "nodes": [
                {"type": "User", "id": USER}, {"type": "Organization", "id": "Acme"}, {"type": "Person", "id": "Ann"},
            ],
            "rels": [
                {"type": "WORKS_AT", "source": USER, "target": "Acme", "properties": {}},
                {"type": "WORKS_AT", "source": "Ann", "target": "Acme", "properties": {}},
            ],
        }
    ]  # fmt: skip
    assert await graph.find_path(USER, "User", USER, "Person", "Ann", max_depth=1) == []


async def test_as_a_networkx_graph(memory: AsyncMemory):
    pytest.importorskip("networkx")
    graph = Graph(memory)
    await graph.create_node(USER, NodeType.CONCEPT, "alone")
    for kind in (EdgeType.WORKS_AT, EdgeType.OWNS):
        await graph.create_edge(USER, NodeType.USER, USER, kind, NodeType.ORGANIZATION, "Acme")
    made = await graph.to_networkx(USER)
    assert set(made.nodes) == {"alone", "Acme", USER}
    assert made.nodes[USER]["node_type"] == "User"
    assert sorted(kind for *_, kind in made.edges(data="rel_type")) == ["OWNS", "WORKS_AT"]


async def test_whose_type_talk_did_not_tell_has_the_type_of_an_edge(db: str, clock: FakeClock):
    reply = json.dumps({"entities": [{"name": "Google"}]})
    async with AsyncMemory(db, embedder=None, llm=ScriptedLLM([reply]), clock=clock, background=False) as memory:
        await memory.remember(USER, "Google is hiring")
        await memory.flush(USER)
        graph = Graph(memory)
        assert (await graph.get_node(USER, "Entity", "google") or {})["node_type"] == "Entity"
        made = await graph.create_edge(USER, "User", USER, "WORKS_AT", "Organization", "google")
        assert (made["target_type"], made["target_id"]) == ("Organization", "Google")
        (one,) = await graph.get_neighbors(USER, "User", USER)
        assert (one["neighbor_type"], one["neighbor_id"]) == ("Organization", "Google")


def test_the_context_of_an_answer():
    facts = [
        Fact(scope="alice", id="1", text="user works at Google", subject="user", predicate="works at", object="google"),
        Fact(scope="alice", id="2", text="again", subject="Alice", predicate="is employed by", object="google"),
        Fact(scope="alice", id="3", text="用户喜欢咖啡", subject="用户", predicate="喜欢", object="咖啡"),
        Fact(scope="alice", id="4", text="no triple"),
    ]
    assert graph_context(facts, "alice") == ["alice → WORKS_AT → google", "alice → 喜欢 → 咖啡"]
    first, *_ = results = graph_results(facts, "alice")
    assert len(results) == 3
    assert first == {
        "id": "1", "text": "alice → WORKS_AT → google", "subject": "alice", "relation": "WORKS_AT", "object": "google",
        "content": "user works at Google", "properties": {}, "valid_from": None, "valid_to": None,
    }  # fmt: skip
