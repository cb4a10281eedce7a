"""NeuroMemory: its names, signatures and shapes, its memories by meaning, metadata and time."""

import asyncio
import gc
import inspect
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import attrgetter
from typing import Any

import pytest
from neuro import Opening, Placed, Teller, fact

import neuromemory
from fabula import AsyncMemory, Fact, InvalidInput, MemoryClosed, ProviderError, ProviderUnavailable, StoreUnavailable
from fabula.abc import Changes
from fabula.extract import entry_of
from fabula.names import PROPERTIES
from fabula.testing import FakeClock, HashEmbedder
from fabula.types import MAX_LIMIT
from neuromemory import NeuroMemory, recalling
from neuromemory.providers import embedder_of

NAMES = {
    "NeuroMemory", "ExtractionStrategy", "EmbeddingProvider", "LLMProvider", "ObjectStorage", "SiliconFlowEmbedding",
    "OpenAIEmbedding", "SentenceTransformerEmbedding", "LocalEmbedding", "OpenAILLM", "S3Storage", "LocalStorage",
    "NodeType", "EdgeType", "build_system_prompt", "__version__",
}  # fmt: skip
FOUND = {"id", "content", "memory_type", "metadata", "created_at", "score"}
MEMORY = {
    "id", "user_id", "content", "memory_type", "metadata", "created_at", "updated_at", "occurred_at", "valid_from",
    "valid_to", "status", "source_ids", "access_count", "last_accessed_at",
}  # fmt: skip
MERGED = {
    "id", "content", "text", "source", "memory_type", "score", "metadata", "created_at", "occurred_at", "parts",
}  # fmt: skip
DOWN = ProviderUnavailable("the host is down")

# --- names and signatures -------------------------------------------------------------------------------------------

SIGNATURES = {
    "add_memory": "user_id content memory_type='general' metadata=None * occurred_at=None",
    "add_memories": "user_id memories",
    "get_memory": "user_id memory_id",
    "update_memory": "user_id memory_id content=None metadata=None",
    "delete_memory": "user_id memory_id",
    "delete_all_memories": "user_id memory_type=None",
    "history": "user_id memory_id",
    "search": "user_id query limit=5 memory_type=None created_after=None created_before=None * filters=None",
    "recall": "user_id query limit=20 decay_rate=None * memory_type=None created_after=None created_before=None "
    "event_after=None event_before=None as_of=None mode=None explain=False filters=None",
    "extract_memories": "user_id messages=None session_id=None",
    "reflect": "user_id batch_size=50 background=False",
    "emotion_profile": "user_id",
    "user_profile": "user_id",
    "get_memories_by_time_range": "user_id start_time end_time=None memory_type=None limit=100 offset=0",
    "get_recent_memories": "user_id days=7 memory_types=None limit=50",
    "get_memory_timeline": "user_id start_date end_date=None granularity='day' memory_type=None * tz=None",
    "get_daily_memory_stats": "user_id start_date end_date=None * tz=None",
    "stats": "user_id",
    "cold_memories": "user_id threshold_days=90 limit=50",
    "export_user_data": "user_id",
    "import_user_data": "data user_id=None",
    "delete_user_data": "user_id",
    "init": "",
    "close": "",
    "flush": "",
}
FACADES = {
    "conversations.add_message": "user_id role content session_id=None metadata=None * message_id=None created_at=None",
    "conversations.add_messages_batch": "user_id messages session_id=None",
    "conversations.close_session": "user_id session_id=None",
    "conversations.get_session_messages": "user_id session_id=None limit=100 offset=0",
    "conversations.list_sessions": "user_id limit=50 offset=0",
    "conversations.get_unextracted_messages": "user_id session_id=None limit=100",
    "conversations.search": "user_id query limit=10 session_id=None",
    "conversations.delete_session": "user_id session_id",
    "conversations.delete_message": "user_id message_id",
    "kv.set": "user_id namespace key value",
    "kv.get": "user_id namespace key",
    "kv.list": "user_id namespace prefix=None limit=100 * after=None",
    "kv.delete": "user_id namespace key",
    "kv.batch_set": "user_id namespace items",
    "kv.merge": "user_id namespace key values",
    "graph.create_node": "user_id node_type node_id properties=None",
    "graph.get_node": "user_id node_type node_id",
    "graph.update_node": "user_id node_type node_id properties",
    "graph.delete_node": "user_id node_type node_id",
    "graph.create_edge": "user_id source_type source_id edge_type target_type target_id properties=None",
    "graph.get_edge": "user_id source_type source_id edge_type target_type target_id",
    "graph.update_edge": "user_id source_type source_id edge_type target_type target_id properties",
    "graph.delete_edge": "user_id source_type source_id edge_type target_type target_id",
    "graph.get_neighbors": "user_id node_type node_id edge_types=None direction='both' limit=10 include_invalid=False",
    "graph.find_path": "user_id source_type source_id target_type target_id max_depth=3",
    "graph.to_networkx": "user_id",
    "files.upload": "user_id filename file_data category='general' tags=None metadata=None auto_extract=True",
    "files.create_from_text": "user_id title content category='general' tags=None metadata=None auto_extract=True",
    "files.list": "user_id category=None tags=None file_types=None limit=50 offset=0",
    "files.search": "user_id query limit=5 file_types=None category=None tags=None",
    "files.get": "user_id file_id",
    "files.download": "user_id file_id",
    "files.presigned_url": "user_id file_id expires_in=3600",
    "files.delete": "user_id file_id",
}


def spelt(call: Any) -> str:
    """A signature in words: names in order, their defaults, and where only keywords begin."""
    words: list[str] = []
    for one in inspect.signature(call).parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        words.append(one.name if one.default is one.empty else f"{one.name}={one.default!r}")
    return " ".join(words)


DEEP: Any = reduce(lambda inner, _: [inner], range(3000), 0)
"""So deep that its whole repr is an error."""


def test_the_names_are_pinned():
    assert set(neuromemory.__all__) == NAMES
    assert all(hasattr(neuromemory, name) for name in NAMES)


def test_how_it_is_made_is_pinned():
    assert spelt(NeuroMemory).rpartition(" clock=")[0] == (
        "database_url='sqlite+aiosqlite:///neuromemory.db' embedding=None llm=None storage=None extraction=None "
        "auto_extract=True graph_enabled=True pool_size=10 echo=False reflection_interval=0 *"
    )
    strategy = "message_interval=10 idle_timeout=600.0 on_session_close=True on_shutdown=True reflection_interval=0"
    assert spelt(neuromemory.ExtractionStrategy) == strategy
    assert spelt(neuromemory.build_system_prompt) == "recall_result user_input budget=500"


def test_every_method_is_pinned():
    public = {name for name, value in vars(NeuroMemory).items() if inspect.isfunction(value) and name[0] != "_"}
    assert public == set(SIGNATURES)
    assert {name: spelt(getattr(NeuroMemory, name)) for name in SIGNATURES} == SIGNATURES


async def test_every_method_of_the_facades_is_pinned(nm: NeuroMemory):
    parts = ("conversations", "kv", "graph", "files")
    public = {f"{part}.{name}" for part in parts for name, value in vars(type(getattr(nm, part))).items()
              if inspect.isfunction(value) and name[0] != "_"}  # fmt: skip
    assert public - {"conversations.extract"} == set(FACADES)
    told = {name: spelt(getattr(getattr(nm, name.split(".")[0]), name.split(".")[1])) for name in FACADES}
    assert told == FACADES


# --- shapes ---------------------------------------------------------------------------------------------------------


async def test_a_memory_is_told_in_full(nm: NeuroMemory, neuro_clock: FakeClock):
    felt = {"label": "joy", "valence": 0.8, "arousal": 0.4}
    given = {"importance": 8, "emotion": felt, "tag": "x"}
    made = await nm.add_memory("alice", "在 Google 工作", "fact", given, occurred_at="2025-03-01")
    told = await nm.get_memory("alice", made)
    assert told is not None
    assert set(told) == MEMORY
    now = neuro_clock().isoformat()
    assert told | {"valid_from": 0, "valid_to": 0} == {
        "id": made, "user_id": "alice", "content": "在 Google 工作", "memory_type": "fact", "metadata": given,
        "created_at": now, "updated_at": now, "occurred_at": "2025-03-01T00:00:00+00:00", "valid_from": 0,
        "valid_to": 0, "status": "live", "source_ids": [], "access_count": 0, "last_accessed_at": None,
    }  # fmt: skip
    assert await nm.get_memory("alice", "nothing") is None
    assert await nm.get_memory("bob", made) is None


async def test_recall_has_the_shape_of_the_original(nm: NeuroMemory):
    emotion = {"label": "joy", "valence": 0.8, "arousal": 0.4}
    await nm.add_memory(
        "alice", "在 Google 工作", "fact", {"importance": 8, "emotion": emotion}, occurred_at="2025-03-01"
    )
    await nm.graph.create_edge("alice", "User", "alice", "WORKS_AT", "Organization", "google")
    await nm.conversations.add_message("alice", "assistant", "Google 的工作怎么样？")
    await nm.flush()
    found = await nm.recall("alice", "在 Google 工作吗", explain=True)
    assert set(found) == {
        "merged", "user_profile", "graph_context", "vector_results", "conversation_results", "graph_results",
        "degraded", "explain",
    }  # fmt: skip
    assert found["degraded"] == []
    entry = found["merged"][0]
    assert set(entry) == MERGED
    assert entry["content"] == "[2025-03-01 | sentiment: positive] 在 Google 工作"
    assert entry["text"] == "在 Google 工作"
    assert (entry["source"], entry["memory_type"]) == ("vector", "fact")
    assert entry["metadata"] == {"importance": 8, "emotion": emotion}
    assert set(entry["parts"]) == {"relevance", "recency", "importance"}
    product = entry["parts"]["relevance"] * entry["parts"]["recency"] * 0.8
    assert entry["score"] == pytest.approx(product)
    assert found["graph_context"] == ["alice → WORKS_AT → google"]
    (said,) = found["conversation_results"]
    assert set(said) == MERGED | {"speaker", "session_id"}
    assert said["content"].endswith("] assistant: Google 的工作怎么样？")
    scores = [one["score"] for one in found["merged"]]
    assert scores == sorted(scores, reverse=True)


async def test_every_other_answer_has_the_shape_of_the_original(nm: NeuroMemory):
    await nm.add_memory("alice", "likes jasmine tea", "fact", occurred_at="2025-03-01")
    await nm.conversations.add_message("alice", "user", "I drank tea", session_id="s")
    await nm.flush()
    (found,) = await nm.search("alice", "jasmine tea", memory_type="fact")
    assert set(found) == FOUND
    stats = await nm.stats("alice")
    assert set(stats) == {
        "total_memories", "by_type", "messages", "sessions", "entities", "notes", "pending", "failed", "bytes",
    }  # fmt: skip
    assert (stats["by_type"]["fact"], stats["messages"], stats["sessions"], stats["pending"]) == (1, 1, 1, 0)
    assert stats["total_memories"] == sum(stats["by_type"].values())
    assert set(await nm.extract_memories("alice")) == {
        "facts_extracted", "episodes_extracted", "triples_extracted", "messages_processed", "failed",
    }  # fmt: skip
    told = await nm.reflect("alice")
    assert set(told) == {"memories_analyzed", "insights_generated", "insights", "emotion_profile"}
    assert {
        "latest_state", "latest_state_valence", "valence_avg", "arousal_avg", "dominant_emotions", "emotion_triggers",
    } <= set(told["emotion_profile"])  # fmt: skip
    assert told["emotion_profile"] == await nm.emotion_profile("alice")
    (day, *_) = await nm.get_memory_timeline("alice", "2025-03-01")
    assert set(day) == {"period", "start", "end", "count", "by_type", "memories"}
    assert set(day["memories"][0]) == MEMORY
    assert (await nm.get_daily_memory_stats("alice", "2025-03-01"))[0] == {
        "date": "2025-03-01", "count": 1, "by_type": {"fact": 1},
    }  # fmt: skip
    assert set(await nm.flush()) == {"pending", "failed", "errors"}
    gone = await nm.delete_user_data("alice")
    assert set(gone) == {"user_id", "deleted", "files", "total"}
    assert gone["total"] == sum(gone["deleted"].values()) + gone["files"] > 0


@pytest.mark.parametrize("kind", ["general", "fact", "episodic", "insight", "偏好"])
async def test_a_memory_keeps_the_type_it_was_given(nm: NeuroMemory, kind: str):
    made = await nm.add_memory("alice", "likes tea 喜欢喝茶", kind)
    await nm.add_memory("alice", "likes tea 喜欢喝茶", "another")
    await nm.flush()
    assert [m["id"] for m in await nm.search("alice", "喝茶", memory_type=kind)] == [made]
    assert [m["id"] for m in (await nm.recall("alice", "喝茶", memory_type=kind))["merged"]] == [made]
    assert (await nm.stats("alice"))["by_type"] == {kind: 1, "another": 1}
    assert await nm.delete_all_memories("alice", kind) == 1
    assert (await nm.stats("alice"))["by_type"] == {"another": 1}


@pytest.mark.parametrize("odd", ["", "  ", "\u3000", None, 7])
async def test_a_memory_without_a_content_is_refused(nm: NeuroMemory, odd: Any):
    with pytest.raises(ValueError, match="content"):
        await nm.add_memory("alice", odd)
    assert (await nm.stats("alice"))["total_memories"] == 0


@pytest.mark.parametrize(
    ("call", "options"),
    [
        ("search", {"query": "x", "limit": 0}), ("search", {"query": "x", "limit": 1001}),
        ("recall", {"query": "x", "limit": -1}), ("recall", {"query": "x", "decay_rate": 0}),
        ("recall", {"query": "x", "mode": "all"}), ("recall", {"query": 7}), ("reflect", {"batch_size": 0}),
        ("get_recent_memories", {"days": 0}), ("cold_memories", {"limit": 0}),
        ("get_memory_timeline", {"start_date": "2025-03-01", "granularity": "year"}),
        ("get_memory_timeline", {"start_date": "2025-03-01", "tz": "Mars/Olympus"}),
        ("get_memories_by_time_range", {"start_time": "tomorrow"}), ("add_memory", {"content": "x", "metadata": "y"}),
        ("add_memory", {"content": "x", "metadata": {"when": object()}}),
        ("add_memory", {"content": "x", "memory_type": "conversation"}),
        ("add_memory", {"content": "x", "memory_type": None}), ("get_recent_memories", {"memory_types": "fact"}),
        ("get_recent_memories", {"memory_types": 5}), ("recall", {"query": "x", "mode": DEEP}),
        ("get_memory_timeline", {"start_date": DEEP}),
        ("get_memory_timeline", {"start_date": "2025-03-01", "tz": DEEP}),
        ("get_memory_timeline", {"start_date": "2025-03-01", "tz": (1, 2)}),
        ("get_memory_timeline", {"start_date": "2025-03-01", "granularity": DEEP}),
        ("get_memories_by_time_range", {"start_time": "2025-03-01", "offset": 2**63}),
        ("conversations.list_sessions", {"offset": 2**63}), ("conversations.get_session_messages", {"offset": 2**63}),
        ("kv.set", {"namespace": "n", "key": ["k"], "value": 1}), ("kv.set", {"namespace": "n", "key": 5, "value": 1}),
        ("files.upload", {"filename": "a.txt", "file_data": b"a", "metadata": "cap"}),
        ("files.list", {"offset": 2**63}),
        ("graph.get_neighbors", {"node_type": "User", "node_id": "alice", "edge_types": "KNOWS"}),
        ("graph.get_neighbors", {"node_type": "User", "node_id": "alice", "edge_types": 5}),
        ("graph.get_neighbors", {"node_type": "User", "node_id": "alice", "direction": DEEP}),
        ("_memory.extract", {"ids": "m1"}), ("_memory.dated", {"kinds": 5}), ("_memory.records", {"kind": DEEP}),
    ],
)  # fmt: skip
async def test_what_cannot_be_meant_is_a_value_error(nm: NeuroMemory, call: str, options: dict[str, Any]):
    with pytest.raises(ValueError) as told:  # noqa: PT011 - which one is said by the case
        await attrgetter(call)(nm)("alice", **options)
    assert isinstance(told.value, InvalidInput)
    assert len(str(told.value)) < 300
    assert (await nm.stats("alice"))["total_memories"] == 0


# --- legs that fail -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("told", "asked"), [("Nora plays the cello", "cello"), ("诺拉在学拉大提琴", "大提琴")])
async def test_a_leg_that_failed_is_named_and_the_others_answer(opening: Opening, told: str, asked: str):
    embedder = HashEmbedder()
    nm = await opening(embedding=embedder)
    made = await nm.add_memory("alice", told, "fact")
    await nm.flush()
    embedder.fail = DOWN
    found = await nm.recall("alice", asked)
    assert [one["id"] for one in found["merged"]] == [made]
    assert len(found["degraded"]) == 1
    assert "the host is down" in found["degraded"][0]
    with pytest.raises(ProviderError, match="the host is down"):
        await nm.search("alice", asked)


async def test_a_profile_that_cannot_be_read_is_named(nm: NeuroMemory, monkeypatch: pytest.MonkeyPatch):
    await nm.add_memory("alice", "Nora plays the cello")

    async def locked(*_: Any) -> dict[str, Any]:
        raise StoreUnavailable("the file is locked")

    monkeypatch.setattr(recalling, "profiled", locked)
    found = await nm.recall("alice", "cello")
    assert (len(found["merged"]), found["user_profile"]) == (1, {})
    assert found["degraded"] == ["profile: the file is locked"]


async def test_a_recall_that_fails_says_so_alone(nm: NeuroMemory, caplog: pytest.LogCaptureFixture):
    with pytest.raises(InvalidInput):
        await nm.recall("alice", 5)  # type: ignore[arg-type]
    await nm.close()
    with pytest.raises(MemoryClosed):
        await nm.recall("alice", "cello")
    await asyncio.sleep(0)
    assert not [task for task in asyncio.all_tasks() if "profile" in repr(task.get_coro())]
    assert caplog.messages == []


async def test_a_recall_that_is_given_up_at_once_leaves_nothing_behind(nm: NeuroMemory):
    """Every warning is an error here: that of something begun that nobody waits for would fail the test."""
    for steps in range(6):
        asking = asyncio.ensure_future(nm.recall("alice", "cello"))
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    gc.collect()


async def test_what_was_written_while_the_model_was_down_is_found_by_meaning_later(opening: Opening):
    embedder = HashEmbedder(fail=DOWN)
    nm = await opening(embedding=embedder)
    made = await nm.add_memory("alice", "Nora plays the cello", "fact")
    assert (await nm.flush())["failed"] == 1
    embedder.fail = None
    assert await nm.flush() == {"pending": 0, "failed": 0, "errors": []}
    assert [one["id"] for one in await nm.search("alice", "cello")] == [made]


# --- the graph --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [None, "lite", "max"])
async def test_without_the_graph_no_edge_comes_back(opening: Opening, mode: Any):
    nm = await opening(llm=Teller({"cello": fact("user", "plays", "the cello")}), graph_enabled=False)
    await nm.conversations.add_message("alice", "user", "I play the cello")
    await nm.flush()
    await nm.graph.create_edge("alice", "User", "alice", "PLAYS", "Entity", "the cello", {"since": 2020})
    await nm.graph.create_edge("alice", "User", "alice", "OWNS", "Entity", "an old cello")
    await nm.flush()
    found = await nm.recall("alice", "cello", mode=mode)
    texts = {one["text"] for one in found["vector_results"]}
    assert "user plays the cello" in texts, "what talk tells is a memory, whatever `graph` was told of it besides"
    assert {one["source"] for one in found["merged"]} <= {"vector", "conversation"}
    assert (found["graph_context"], found["graph_results"]) == ([], [])
    assert len(await nm.graph.get_neighbors("alice", "User", "alice")) == 2
    other = await opening()
    assert "graph" in {one["source"] for one in (await other.recall("alice", "cello", mode=mode))["merged"]}


async def test_edges_take_no_place_among_what_is_cold(opening: Opening, db: str, neuro_clock: FakeClock):
    async with AsyncMemory(db, embedder=None, clock=neuro_clock) as memory:
        edges = [Fact(scope="alice", id=f"e{n}", text=f"owns {n}", meta={PROPERTIES: {}}) for n in range(MAX_LIMIT + 1)]
        await memory._store.write("alice", Changes(add=tuple(map(entry_of, edges)), at=neuro_clock()))
    nm = await opening()
    neuro_clock.advance(timedelta(hours=1))
    made = [await nm.add_memory("alice", f"likes tea {number}", "fact") for number in range(2)]
    neuro_clock.advance(timedelta(days=100))
    for limit, cold in ((1, made[:1]), (2, made), (4, made)):
        assert [one["id"] for one in await nm.cold_memories("alice", limit=limit)] == cold


# --- metadata -------------------------------------------------------------------------------------------------------


async def test_a_filter_is_exact_however_many_are_nearer(opening: Opening, db: str):
    placed = Placed({"far": [0.6, 0.8]}, [1.0, 0.0])
    async with AsyncMemory(db, embedder=embedder_of(placed)) as memory:
        near = await memory.add("alice", [Fact(scope="", id="", text=f"near {n}") for n in range(MAX_LIMIT + 1)])
        await memory.flush()
    nm = await opening(embedding=placed)
    far = [await nm.add_memory("alice", f"far {number}", metadata={"tag": "far", "n": number}) for number in range(3)]
    await nm.flush()
    nearest = await nm.search("alice", "near", limit=3)
    assert {one["id"] for one in nearest} <= set(near)
    assert {one["id"] for one in await nm.search("alice", "near", filters={"tag": "far"}, limit=3)} == set(far)
    assert [one["id"] for one in await nm.search("alice", "near", filters={"tag": "far", "n": 2})] == [far[2]]
    assert {one["id"] for one in (await nm.recall("alice", "near", filters={"tag": "far"}))["merged"]} == set(far)


@pytest.mark.parametrize(
    ("kept", "asked", "fits"),
    [
        ("O'Brien", "O'Brien", True), ("茶", "茶", True), ("jos\u00e9", "jose\u0301", True), (8, 8.0, True),
        (1, True, False), (1, "1", False), (None, None, True), (None, "null", False), (["a", "b"], ["a", "b"], True),
        (["a", "b"], ["a"], False), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ("x", "X", False),
        ("a", "a' OR '1'='1", False), ("", "", True),
    ],
)  # fmt: skip
async def test_a_filter_is_equality(nm: NeuroMemory, kept: Any, asked: Any, *, fits: bool):
    made = await nm.add_memory("alice", "likes tea", metadata={"tag": kept})
    await nm.flush()
    found = await nm.search("alice", "tea", filters={"tag": asked})
    assert [one["id"] for one in found] == ([made] if fits else [])


async def test_filters_follow_what_metadata_became(nm: NeuroMemory):
    made = await nm.add_memory("alice", "likes tea", metadata={"tag": "old", "kept": 1})
    await nm.update_memory("alice", made, metadata={"tag": "new"})
    await nm.flush()
    assert [one["id"] for one in await nm.search("alice", "tea", filters={"tag": "new", "kept": 1})] == [made]
    assert await nm.search("alice", "tea", filters={"tag": "old"}) == []
    with pytest.raises(ValueError, match="filters"):
        await nm.search("alice", "tea", memory_type="conversation", filters={"tag": "new"})
    for odd in ({"tag": object()}, {5: 1}, 5, [("tag", "new")]):
        with pytest.raises(ValueError, match="filters") as caught:
            await nm.search("alice", "tea", filters=odd)  # pyright: ignore[reportArgumentType]
        assert "metadata" not in str(caught.value)


@pytest.mark.parametrize("odd", ["high", "高", None, [], {}, True, "8", float("inf")])
async def test_an_importance_that_is_no_number_harms_nothing(nm: NeuroMemory, odd: Any):
    if odd == float("inf"):
        with pytest.raises(ValueError, match="JSON"):
            await nm.add_memory("alice", "Alice 喜欢茶 tea", "fact", {"importance": odd})
        return
    made = await nm.add_memory("alice", "Alice 喜欢茶 tea", "fact", {"importance": odd, "emotion": odd})
    other = await nm.add_memory("alice", "Alice 喜欢咖啡 coffee", "fact", {"importance": 9})
    await nm.flush()
    for query in ("tea or coffee", "喜欢喝什么"):
        found = await nm.recall("alice", query)
        assert {one["id"] for one in found["merged"]} == {made, other}
        assert found["degraded"] == []
        assert {one["id"] for one in await nm.search("alice", query)} == {made, other}
    told = await nm.get_memory("alice", made)
    assert told is not None
    assert told["metadata"]["importance"] == 5


async def test_an_importance_out_of_range_is_brought_into_it(nm: NeuroMemory):
    ids = [await nm.add_memory("alice", f"tea {n}", "fact", {"importance": n}) for n in (-3, 0, 10, 10**400)]
    told = [await nm.get_memory("alice", made) for made in ids]
    assert [one and one["metadata"]["importance"] for one in told] == [1, 1, 10, 10]
    felt = {"valence": -(10**400), "arousal": 10**400}
    made = await nm.get_memory("alice", await nm.add_memory("alice", "cocoa", "fact", {"emotion": felt}))
    assert made is not None
    assert made["metadata"]["emotion"] == {"label": "", "valence": -1, "arousal": 1}


@pytest.mark.parametrize("rate", [0, 10**400, "x", True], ids=["0", "huge", "x", "True"])
async def test_a_decay_rate_that_cannot_be_meant_is_called_as_it_was_given(nm: NeuroMemory, rate: Any):
    with pytest.raises(ValueError, match=r"\Adecay_rate is "):
        await nm.recall("alice", "tea", decay_rate=rate)


# --- versions -------------------------------------------------------------------------------------------------------


async def test_history_shows_both_versions(nm: NeuroMemory, neuro_clock: FakeClock):
    made = await nm.add_memory("alice", "likes tea", "fact", {"tag": "x", "importance": 8})
    first = neuro_clock()
    then = neuro_clock.advance(timedelta(hours=1))
    told = await nm.update_memory("alice", made, "likes cocoa", {"importance": 3})
    assert told is not None
    assert (told["content"], told["metadata"]) == ("likes cocoa", {"tag": "x", "importance": 3})
    assert (told["created_at"], told["updated_at"]) == (first.isoformat(), then.isoformat())
    old, new = await nm.history("alice", made)
    assert (old["content"], old["metadata"]) == ("likes tea", {"tag": "x", "importance": 8})
    assert (old["recorded_from"], old["recorded_to"]) == (first.isoformat(), then.isoformat())
    assert (new["content"], new["recorded_to"]) == ("likes cocoa", None)
    assert [one["text"] for one in (await nm.recall("alice", "likes", as_of=first))["merged"]] == ["likes tea"]
    assert await nm.update_memory("alice", "nothing", "x") is None
    with pytest.raises(ValueError, match="blank"):
        await nm.update_memory("alice", made, " ")


@pytest.mark.parametrize(("before", "after", "query"), [("baker", "pilot", "my job"), ("面包师", "飞行员", "我的工作")])
async def test_a_recall_as_of_then_has_the_profile_of_then(
    nm: NeuroMemory, neuro_clock: FakeClock, before: str, after: str, query: str
):
    await nm.kv.set("alice", "profile", "occupation", before)
    await nm.kv.set("alice", "profile", "location", "Porto")
    then = neuro_clock()
    neuro_clock.advance(timedelta(days=3))
    await nm.kv.set("alice", "profile", "occupation", after)
    await nm.kv.delete("alice", "profile", "location")
    assert (await nm.recall("alice", query))["user_profile"] == {"occupation": after}
    for as_of in (then, then.isoformat()):
        told = (await nm.recall("alice", query, as_of=as_of))["user_profile"]
        assert told == {"occupation": before, "location": "Porto"}
    assert (await nm.recall("alice", query, as_of=then - timedelta(days=1)))["user_profile"] == {}


async def test_an_emotion_that_was_told_can_be_taken_away(nm: NeuroMemory):
    made = await nm.add_memory("alice", "哭了 wept", "fact", {"emotion": {"valence": -0.9}, "importance": 8})
    told = await nm.update_memory("alice", made, metadata={"tag": "x"})
    assert told is not None
    assert told["metadata"]["emotion"]["valence"] == -0.9
    told = await nm.update_memory("alice", made, metadata={"emotion": None})
    assert told is not None
    assert told["metadata"] == {"emotion": None, "importance": 8, "tag": "x"}


async def test_an_update_of_nothing_is_no_version(nm: NeuroMemory):
    made = await nm.add_memory("alice", "likes tea", "fact")
    told = await nm.update_memory("alice", made)
    assert told is not None
    assert told["content"] == "likes tea"
    assert len(await nm.history("alice", made)) == 1


@pytest.mark.parametrize("odd", [datetime(2025, 3, 1, tzinfo=UTC), {1}, float("nan"), b"x", object()])
async def test_metadata_that_is_no_json_is_named_as_it_was_given(nm: NeuroMemory, odd: Any):
    made = await nm.add_memory("alice", "likes tea")
    given = {"tag": {"since": odd}}
    for refused in (
        lambda: nm.add_memory("alice", "x", metadata=given),
        lambda: nm.add_memories("alice", [{"content": "x", "metadata": given}]),
        lambda: nm.update_memory("alice", made, metadata=given),
        lambda: nm.conversations.add_message("alice", "user", "x", metadata=given),
        lambda: nm.conversations.add_messages_batch("alice", [{"role": "user", "content": "x", "metadata": given}]),
    ):
        with pytest.raises(InvalidInput, match="metadata has to be plain JSON, times as ISO 8601 text: "):
            await refused()
    assert (await nm.stats("alice"))["total_memories"] == 1


async def test_what_many_update_at_once_is_all_there(nm: NeuroMemory):
    made = await nm.add_memory("alice", "likes tea", "fact", {"tag": "x"})
    await asyncio.gather(*(nm.update_memory("alice", made, metadata={f"k{n}": n}) for n in range(50)))
    told = await nm.get_memory("alice", made)
    assert told is not None
    assert told["metadata"] == {"tag": "x", "importance": 5} | {f"k{n}": n for n in range(50)}


async def test_a_message_is_never_updated(nm: NeuroMemory):
    said = await nm.conversations.add_message("alice", "user", "I like tea")
    with pytest.raises(ValueError, match="is a message: that is kept word for word"):
        await nm.update_memory("alice", said, "I like cocoa")
    with pytest.raises(ValueError, match="is a message"):
        await nm.update_memory("alice", said, metadata={"tag": "x"})
    assert await nm.delete_memory("alice", said)
    assert await nm.conversations.get_session_messages("alice") == []
