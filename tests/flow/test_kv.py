"""Values under a namespace and a key: what a caller keeps, lists, merges and lets go of."""

import asyncio
import sys
import unicodedata
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabula import AsyncMemory, Fact, InvalidInput, Memory, Message, Settings, StoreUnavailable, attempts
from fabula.abc import Changes, Lease, Written
from fabula.secrets import MARK
from fabula.stores import SQLiteStore
from fabula.testing import FakeClock


@pytest_asyncio.fixture
async def memory(db: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=None, background=False) as opened:
        yield opened


async def listed(memory: AsyncMemory, namespace: str, **wanted: Any) -> dict[str, Any]:
    return {note.key: note.value for note in await memory.kv.list("u", namespace, **wanted)}


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "", "喝咖啡", [], ["喜欢喝咖啡", 1], {"a": {"b": [None]}}])
async def test_a_value_comes_back_as_it_was(memory: AsyncMemory, value: Any):
    note = await memory.kv.set("u", "settings", "k", value)
    kept = await memory.kv.get("u", "settings", "k")
    assert kept is not None
    assert (kept.value, kept.id, kept.namespace, kept.key) == (value, note.id, "settings", "k")
    assert type(kept.value) is type(value)


class Outpaced(SQLiteStore):
    """A store in which somebody else writes before each change that is meant for what was read."""

    tried = 0

    async def write(self, scope: str, changes: Changes, lease: Lease | None = None) -> Written:
        if changes.revision is not None:
            self.tried += 1
            changes = replace(changes, revision=changes.revision + 1)
        return await super().write(scope, changes, lease)


async def test_a_change_is_given_up_that_others_always_write_before(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(attempts, "TRIES", 3)
    store = Outpaced(file)
    async with AsyncMemory(store, embedder=None, background=False) as memory:
        await memory.remember("u", "tea")
        (fact,) = await memory.add("u", Fact(scope="", id="", text="likes tea"))
        for change in (
            lambda: memory.kv.merge("u", "n", "k", {"a": 1}),
            lambda: memory.graph.add_edge("u", "Ann", "likes", "tea"),
            lambda: memory.revise("u", fact, text="likes coffee"),
        ):
            store.tried = 0
            with pytest.raises(StoreUnavailable, match="is written to all the while"):
                await change()
            assert store.tried == 3
        assert await memory.kv.get("u", "n", "k") is None
        assert [record.text for record in await memory.records("u", "fact")] == ["likes tea"]


async def test_what_is_not_there(memory: AsyncMemory):
    assert await memory.kv.get("u", "profile", "language") is None
    assert await memory.kv.list("u", "profile") == []
    assert await memory.kv.delete("u", "profile", "language") is False
    assert await memory.kv.history("u", "profile", "language") == []
    assert await memory.scopes() == []


async def test_scopes_namespaces_and_keys_are_apart(memory: AsyncMemory):
    await memory.kv.set("u", "a:b", "c", 1)
    await memory.kv.set("u", "a", "b:c", 2)
    await memory.kv.set("v", "a", "b:c", 3)
    await memory.kv.set("u", 'a", "b', "c", 4)
    await memory.kv.set("u", "a", 'b", "c', 5)
    assert await listed(memory, "a:b") == {"c": 1}
    assert await listed(memory, "a") == {'b", "c': 5, "b:c": 2}
    assert await listed(memory, 'a", "b') == {"c": 4}
    assert [note.value for note in await memory.kv.list("v", "a")] == [3]


async def test_a_prefix_is_literal(memory: AsyncMemory):
    keys = ["a_b", "axb", "a%b", "a*b", "a\\b", 'a"b', "[ab]", "ab", "A_b", "茶_1", "茶x1"]
    await memory.kv.set_many("u", "n", dict.fromkeys(keys, 1))
    for prefix in ("a_", "a%", "a*", "a\\", 'a"', "[", "茶_", "A", "a", "x", None, ""):
        assert list(await listed(memory, "n", prefix=prefix)) == sorted(k for k in keys if k.startswith(prefix or ""))


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=8).filter(
    lambda text: bool(text.strip())
)


@given(
    keys=st.lists(KEYS | st.text('a" \\_%茶', min_size=1, max_size=3).filter(str.strip), max_size=12),
    size=st.integers(1, 4),
)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_pages_in_the_order_of_the_keys_are_all_of_them(memory: AsyncMemory, keys: list[str], size: int):
    given_keys: list[str] = []
    for key in keys:
        try:
            await memory.kv.set("u", "n", key, 1)
            given_keys.append(unicodedata.normalize("NFC", key))
        except InvalidInput:
            continue
    seen: list[str] = []
    while page := await memory.kv.list("u", "n", limit=size, after=seen[-1] if seen else None):
        seen += [note.key for note in page]
    assert seen == sorted(set(given_keys))
    if seen:
        await memory.forget("u", everything=True)


async def test_a_deleted_key_may_be_set_again(memory: AsyncMemory):
    await memory.kv.set("u", "n", "k", 1)
    assert await memory.kv.delete("u", "n", "k") is True
    assert await memory.kv.get("u", "n", "k") is None
    assert await memory.kv.delete("u", "n", "k") is False
    note = await memory.kv.set("u", "n", "k", 2)
    assert await listed(memory, "n") == {"k": 2}
    assert [note.value for note in await memory.kv.history("u", "n", "k")] == [1, 2]
    await memory.forget("u", ids=[note.id])
    assert await memory.kv.history("u", "n", "k") == []
    await memory.kv.set("u", "n", "k", 3)
    assert await listed(memory, "n") == {"k": 3}
    assert await memory.check("u") == []


async def test_history_tells_when_a_value_stood(db: str):
    clock = FakeClock("2024-01-01T00:00:00Z")
    async with AsyncMemory(db, embedder=None, clock=clock, background=False) as memory:
        for value in (1, 2):
            await memory.kv.set("u", "n", "k", value)
            clock.advance(60)
        first, second = await memory.kv.history("u", "n", "k")
        assert first.recorded is not None
        assert second.recorded is not None
        assert first.recorded.end == second.recorded.start
        assert second.recorded.end is None


async def test_many_are_set_or_none(memory: AsyncMemory):
    with pytest.raises(InvalidInput):
        await memory.kv.set_many("u", "n", {"a": 1, "b": float("nan")})
    assert await listed(memory, "n") == {}
    notes = await memory.kv.set_many("u", "n", {"b": 1, "a": [2]})
    assert [note.key for note in notes] == ["b", "a"]
    assert await listed(memory, "n") == {"a": [2], "b": 1}
    assert await memory.kv.set_many("u", "n", {}) == []


async def test_secrets_are_masked_and_half_characters_mended(db: str):
    key = "sk-proj-" + "aB3dE5gH" * 6
    async with AsyncMemory(db, embedder=None, background=False) as memory:
        note = await memory.kv.set("u", "n", "k", {"token": [f"my key {key}"], "text": "a\0b\ud83d"})
        assert note.value == {"token": [f"my key {MARK}"], "text": "ab\ufffd"}
        with pytest.raises(InvalidInput, match="secret"):
            await memory.kv.set("u", "n", key, 1)
    async with AsyncMemory(db, embedder=None, settings=Settings(secrets="keep"), background=False) as memory:
        assert (await memory.kv.set("u", "n", "k", key)).value == key


@pytest.mark.parametrize("value", [float("inf"), {1, 2}, b"x", object(), {"a": object()}, {"a": {(1, 2): 1}}])
async def test_what_is_no_json_is_refused(memory: AsyncMemory, value: Any):
    with pytest.raises(InvalidInput, match="JSON"):
        await memory.kv.set("u", "n", "k", value)


@pytest.mark.parametrize(
    "given",
    [("", "n", "k"), ("u", "", "k"), ("u", "n", " "), ("u", "n", "a\nb"), ("u", None, "k"), ("u", "n", 7),
     ("u", "n", "k" * 513), ("u", "fabula:reflect", "k")],
)  # fmt: skip
async def test_what_cannot_be_meant_is_refused_by_every_method(memory: AsyncMemory, given: Any):
    for method in (memory.kv.get, memory.kv.delete, memory.kv.history):
        with pytest.raises(InvalidInput):
            await method(*given)
    with pytest.raises(InvalidInput):
        await memory.kv.set(*given, value=[1])
    with pytest.raises(InvalidInput):
        await memory.kv.merge(*given, values=[1])
    if given[2] == "k":
        with pytest.raises(InvalidInput):
            await memory.kv.list(*given[:2])


@pytest.mark.parametrize("wanted", [{"limit": 0}, {"limit": 1001}, {"limit": True}, {"prefix": 7}, {"after": 7}])
async def test_a_list_has_bounds(memory: AsyncMemory, wanted: Any):
    with pytest.raises(InvalidInput):
        await memory.kv.list("u", "n", **wanted)


async def test_merging(memory: AsyncMemory):
    assert (await memory.kv.merge("u", "n", "list", ["a", "b"])).value == ["a", "b"]
    assert (await memory.kv.merge("u", "n", "list", ["b", 1, True, "c"])).value == ["a", "b", 1, True, "c"]
    assert (await memory.kv.merge("u", "n", "object", {"a": 1})).value == {"a": 1}
    assert (await memory.kv.merge("u", "n", "object", {"a": 2, "b": 3})).value == {"a": 2, "b": 3}
    for key, values in (("list", {"a": 1}), ("object", ["a"]), ("new", "text"), ("new", 7)):
        with pytest.raises(InvalidInput):
            await memory.kv.merge("u", "n", key, values)  # pyright: ignore[reportArgumentType]
    again = await memory.kv.merge("u", "n", "list", ["a"])
    assert again.value == ["a", "b", 1, True, "c"]
    assert len(await memory.kv.history("u", "n", "list")) == 2


@pytest.mark.parametrize(("held", "more"), [(1, True), (0, False), (False, 0), (1, 1.0), (1.0, 1), ([[0]], [[False]])])
async def test_what_python_takes_for_equal_is_merged_as_it_is_in_json(memory: AsyncMemory, held: Any, more: Any):
    for before, told, after in (
        ({"a": held, "b": 2}, {"a": more}, {"a": more, "b": 2}),
        ({"a": {"b": [held]}}, {"a": {"b": [more]}}, {"a": {"b": [more]}}),
        ([held], [more], [held, more]),
        ([{"a": held}], [{"a": more}], [{"a": held}, {"a": more}]),
    ):
        await memory.kv.set("u", "n", "k", before)
        merged = await memory.kv.merge("u", "n", "k", told)
        kept = await memory.kv.get("u", "n", "k")
        assert kept is not None
        assert repr(merged.value) == repr(kept.value) == repr(after)


async def test_an_item_is_there_whatever_the_order_of_its_keys(memory: AsyncMemory):
    await memory.kv.set("u", "n", "k", [{"a": 1, "b": 2}])
    await memory.kv.merge("u", "n", "k", [{"b": 2, "a": 1}])
    assert len(await memory.kv.history("u", "n", "k")) == 1


async def test_fifty_at_once_lose_nothing(memory: AsyncMemory):
    await asyncio.gather(
        *(memory.kv.merge("u", "n", "list", [n]) for n in range(50)),
        *(memory.kv.merge("u", "n", "object", {str(n): n}) for n in range(50)),
        *(memory.remember("u", f"message {n}") for n in range(10)),
    )
    found = await listed(memory, "n")
    assert sorted(found["list"]) == list(range(50))
    assert found["object"] == {str(n): n for n in range(50)}


MERGING = """
import sys
from fabula import Memory
with Memory(sys.argv[1], embedder=None, background=False) as memory:
    for n in range(25):
        memory.kv.merge("u", "n", "list", [f"{sys.argv[2]} {n}"])
"""


async def test_two_processes_lose_nothing(db: str, memory: AsyncMemory):
    started = [await asyncio.create_subprocess_exec(sys.executable, "-c", MERGING, db, name) for name in ("a", "b")]
    assert [await process.wait() for process in started] == [0, 0]
    assert sorted((await listed(memory, "n"))["list"]) == sorted(f"{name} {n}" for name in "ab" for n in range(25))


async def test_of_two_who_delete_one_did(memory: AsyncMemory):
    await memory.kv.set("u", "n", "k", 1)
    assert sorted(await asyncio.gather(*(memory.kv.delete("u", "n", "k") for _ in range(4)))) == [False] * 3 + [True]


async def test_it_is_moved_erased_and_not_recalled(memory: AsyncMemory):
    await memory.remember("u", Message("I like tea"))
    await memory.kv.set("u", "n", "tea", "tea tea tea")
    assert [hit.record.kind for hit in (await memory.recall("u", "tea")).hits] == ["passage"]
    await memory.forget("u", everything=True)
    assert await memory.kv.list("u", "n") == []


def test_without_await(tmp_path: Path):
    with Memory(tmp_path / "memory.db", embedder=None) as memory:
        memory.kv.set_many("u", "n", {"a": 1, "b": [1]})
        assert memory.kv.merge("u", "n", "b", [2]).value == [1, 2]
        assert [note.key for note in memory.kv.list("u", "n", prefix="a")] == ["a"]
        assert memory.kv.delete("u", "n", "a")
        assert memory.kv.get("u", "n", "a") is None
        assert len(memory.kv.history("u", "n", "b")) == 2
