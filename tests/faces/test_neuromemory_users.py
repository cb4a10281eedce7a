"""Whose a memory is: NeuroMemory's users, whatever they are called, see their own and nothing else."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fabula import InvalidInput
from neuromemory import NeuroMemory


async def merged(nm: NeuroMemory, query: str, user: str = "alice", **more: Any) -> list[str]:
    return [one["text"] for one in (await nm.recall(user, query, **more))["merged"]]


Call = Callable[[NeuroMemory, Any], Awaitable[Any]]
CALLS: dict[str, Call] = {
    "add_memory": lambda nm, user: nm.add_memory(user, "x"),
    "add_memories": lambda nm, user: nm.add_memories(user, [{"content": "x"}]),
    "recall": lambda nm, user: nm.recall(user, "x"),
    "search": lambda nm, user: nm.search(user, "x"),
    "get_memory": lambda nm, user: nm.get_memory(user, "x"),
    "update_memory": lambda nm, user: nm.update_memory(user, "x", "y"),
    "delete_memory": lambda nm, user: nm.delete_memory(user, "x"),
    "delete_all_memories": lambda nm, user: nm.delete_all_memories(user),
    "history": lambda nm, user: nm.history(user, "x"),
    "extract_memories": lambda nm, user: nm.extract_memories(user),
    "reflect": lambda nm, user: nm.reflect(user, background=True),
    "emotion_profile": lambda nm, user: nm.emotion_profile(user),
    "user_profile": lambda nm, user: nm.user_profile(user),
    "stats": lambda nm, user: nm.stats(user),
    "get_memories_by_time_range": lambda nm, user: nm.get_memories_by_time_range(user, "2020-01-01"),
    "get_recent_memories": lambda nm, user: nm.get_recent_memories(user),
    "get_memory_timeline": lambda nm, user: nm.get_memory_timeline(user, "2020-01-01"),
    "get_daily_memory_stats": lambda nm, user: nm.get_daily_memory_stats(user, "2020-01-01"),
    "cold_memories": lambda nm, user: nm.cold_memories(user),
    "export_user_data": lambda nm, user: nm.export_user_data(user),
    "delete_user_data": lambda nm, user: nm.delete_user_data(user),
    "conversations.add_message": lambda nm, user: nm.conversations.add_message(user, "user", "x"),
    "conversations.add_messages_batch": lambda nm, user: nm.conversations.add_messages_batch(user, SAID),
    "conversations.close_session": lambda nm, user: nm.conversations.close_session(user),
    "conversations.extract": lambda nm, user: nm.conversations.extract(user, SAID),
    "conversations.get_session_messages": lambda nm, user: nm.conversations.get_session_messages(user),
    "conversations.list_sessions": lambda nm, user: nm.conversations.list_sessions(user),
    "conversations.get_unextracted_messages": lambda nm, user: nm.conversations.get_unextracted_messages(user),
    "conversations.search": lambda nm, user: nm.conversations.search(user, "x"),
    "conversations.delete_session": lambda nm, user: nm.conversations.delete_session(user, "x"),
    "conversations.delete_message": lambda nm, user: nm.conversations.delete_message(user, "x"),
    "kv.set": lambda nm, user: nm.kv.set(user, "n", "k", 1),
    "kv.get": lambda nm, user: nm.kv.get(user, "n", "k"),
    "kv.list": lambda nm, user: nm.kv.list(user, "n"),
    "kv.delete": lambda nm, user: nm.kv.delete(user, "n", "k"),
    "kv.merge": lambda nm, user: nm.kv.merge(user, "n", "k", [1]),
    "kv.batch_set": lambda nm, user: nm.kv.batch_set(user, "n", {"k": 1}),
    "graph.create_node": lambda nm, user: nm.graph.create_node(user, "Skill", "x"),
    "graph.get_node": lambda nm, user: nm.graph.get_node(user, "Skill", "x"),
    "graph.update_node": lambda nm, user: nm.graph.update_node(user, "Skill", "x", {}),
    "graph.delete_node": lambda nm, user: nm.graph.delete_node(user, "Skill", "x"),
    "graph.create_edge": lambda nm, user: nm.graph.create_edge(user, *EDGE),
    "graph.get_edge": lambda nm, user: nm.graph.get_edge(user, *EDGE),
    "graph.update_edge": lambda nm, user: nm.graph.update_edge(user, *EDGE, {}),
    "graph.delete_edge": lambda nm, user: nm.graph.delete_edge(user, *EDGE),
    "graph.get_neighbors": lambda nm, user: nm.graph.get_neighbors(user, "User", "x"),
    "graph.find_path": lambda nm, user: nm.graph.find_path(user, "User", "x", "Entity", "y"),
    "graph.to_networkx": lambda nm, user: nm.graph.to_networkx(user),
    "files.upload": lambda nm, user: nm.files.upload(user, "x.txt", b"x"),
    "files.create_from_text": lambda nm, user: nm.files.create_from_text(user, "x.txt", "x"),
    "files.list": lambda nm, user: nm.files.list(user),
    "files.search": lambda nm, user: nm.files.search(user, "x"),
    "files.get": lambda nm, user: nm.files.get(user, "x"),
    "files.download": lambda nm, user: nm.files.download(user, "x"),
    "files.presigned_url": lambda nm, user: nm.files.presigned_url(user, "x"),
    "files.delete": lambda nm, user: nm.files.delete(user, "x"),
}
"""Each method that is told a user."""
SAID = [{"role": "user", "content": "x"}]
EDGE = ("User", "x", "OWNS", "Entity", "y")


def test_every_method_is_called(nm: NeuroMemory):
    parts = {"": nm, **{f"{name}.": getattr(nm, name) for name in ("conversations", "kv", "graph", "files")}}
    takes = {
        part + name
        for part, face in parts.items()
        for name, method in inspect.getmembers(type(face), inspect.isfunction)
        if name[0] != "_" and "user_id" in inspect.signature(method).parameters
    }
    assert takes - {"import_user_data"} == set(CALLS)


async def test_b064_nobody_is_no_user(nm: NeuroMemory):
    for name, call in CALLS.items():
        for odd in (None, "", "  ", "\u3000", 0, "a\nb", ["a"]):
            with pytest.raises(InvalidInput) as refused:
                await call(nm, odd)
            assert str(refused.value).startswith("user_id "), name
            assert "scope" not in str(refused.value), name
    await nm.add_memory("alice", "x")
    for user in ("default", "None", "0"):
        assert (await nm.stats(user))["total_memories"] == 0


async def test_who_is_not_there_or_holds_something_else_is_called_a_user(nm: NeuroMemory):
    with pytest.raises(InvalidInput, match="nothing of 'nobody'"):
        await nm.export_user_data("nobody")
    await nm.add_memory("alice", "x")
    await nm.add_memory("bob", "y")
    with pytest.raises(InvalidInput, match="'bob' is there already") as refused:
        await nm.import_user_data(await nm.export_user_data("alice"), "bob")
    assert "scope" not in str(refused.value)
    for odd in ("", " ", 7):
        with pytest.raises(InvalidInput, match=r"^user_id "):
            await nm.import_user_data(await nm.export_user_data("alice"), odd)  # pyright: ignore[reportArgumentType]


USERS = [
    "u",
    "u1",
    "U",
    "test_user",
    "test_user1",
    "jane-doe",
    "jane_doe",
    "x' OR '1'='1",
    "%",
    "Ａlice",
    "Alice",
    "用户一",
]


async def test_b065_b067_b068_every_user_sees_their_own(nm: NeuroMemory):
    for number, user in enumerate(USERS):
        word = f"canary{number}"
        await nm.add_memory(user, f"likes {word}", "fact", {"tag": "O'Brien"})
        await nm.conversations.add_message(user, "user", f"I said {word}", session_id="s")
        await nm.kv.set(user, "n", "k", word)
        await nm.graph.create_edge(user, "User", user, "OWNS", "Entity", word)
    await nm.flush()
    for number, user in enumerate(USERS):
        told = [
            await nm.recall(user, "likes canary0 canary1 said"), await nm.search(user, "likes", limit=100),
            await nm.search(user, "likes", filters={"tag": "O'Brien"}), await nm.kv.list(user, "n"),
            await nm.conversations.get_session_messages(user, "s"), await nm.graph.get_neighbors(user, "User", user),
            await nm.get_recent_memories(user, 36500), await nm.export_user_data(user),
        ]  # fmt: skip
        words = str(told).replace("canary0 canary1", "")
        assert f"canary{number}" in words
        assert [other for other in range(len(USERS)) if other != number and f"canary{other}'" in words] == []
        assert await nm.search(user, "likes", filters={"tag' = 'a' OR '1'='1' --": "x"}) == []
        assert (await nm.stats(user))["messages"] == 1


async def test_b068_keys_are_never_glued_together(nm: NeuroMemory):
    long = "k" * 63
    for namespace, key in (("a:b", "c"), ("a", "b:c"), ("a", long + "1"), ("a", long + "2")):
        await nm.kv.set("alice", namespace, key, namespace + key)
    found = [await nm.kv.get("alice", *pair) for pair in (("a:b", "c"), ("a", "b:c"), ("a", long + "1"))]
    assert [one and one.value for one in found] == ["a:bc", "ab:c", "a" + long + "1"]


async def test_b069_one_spelling_of_a_user_is_one_user(nm: NeuroMemory):
    made = await nm.add_memory("jos\u00e9", "likes tea", "fact")
    await nm.kv.set("jos\u00e9", "n", "k", 1)
    await nm.flush()
    other = "jose\u0301"
    assert await nm.get_memory(other, made) is not None
    assert await merged(nm, "tea", other) == ["likes tea"]
    assert await nm.kv.get(other, "n", "k") is not None
    assert (await nm.delete_user_data(other))["total"] > 0
    assert (await nm.stats("jos\u00e9"))["total_memories"] == 0
