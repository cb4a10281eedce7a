"""The blocking face says what the asynchronous one says, `await` aside."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from fabula import AsyncMemory, Memory
from fabula.blocking.files import BlockingFiles
from fabula.blocking.graph import BlockingKnowledge
from fabula.blocking.kv import BlockingKeyValues
from fabula.files import Files
from fabula.knowledge import Knowledge
from fabula.kv import KeyValues


def methods(face: type) -> dict[str, Callable[..., Any]]:
    found = inspect.getmembers(face, inspect.isfunction)
    return {name: value for name, value in found if not name.startswith("_")}


FACADES = {
    "kv": (KeyValues, BlockingKeyValues),
    "graph": (Knowledge, BlockingKnowledge),
    "files": (Files, BlockingFiles),
}
ASYNC, SYNC = methods(AsyncMemory), methods(Memory)


def test_the_same_methods():
    assert set(ASYNC) == set(SYNC)
    assert {"remember", "recall", "forget", "flush", "open", "close"} <= set(SYNC)


@pytest.mark.parametrize("name", sorted(ASYNC))
def test_the_same_signature(name: str):
    assert inspect.signature(ASYNC[name]) == inspect.signature(SYNC[name])


@pytest.mark.parametrize("name", sorted(ASYNC))
def test_one_waits_and_the_other_does_not(name: str):
    assert inspect.iscoroutinefunction(ASYNC[name])
    assert not inspect.iscoroutinefunction(SYNC[name])


def test_they_are_made_alike():
    def options(face: type) -> list[tuple[str, Any, Any, Any]]:
        given = inspect.signature(face).parameters.values()
        # Two clocks are two functions, which never compare equal.
        return [(p.name, p.kind, p.annotation, "" if callable(p.default) else p.default) for p in given]

    assert options(AsyncMemory) == options(Memory)


def test_both_are_context_managers():
    assert {"__aenter__", "__aexit__"} <= set(vars(AsyncMemory))
    assert {"__enter__", "__exit__"} <= set(vars(Memory))


def test_both_tell_their_settings(tmp_path: Any):
    blocking = Memory(tmp_path / "memory.db", embedder=None)
    assert blocking.settings == AsyncMemory(tmp_path / "memory.db", embedder=None).settings


@pytest.mark.parametrize("name", FACADES)
def test_the_facades_say_the_same(name: str, tmp_path: Any):
    face, blocking = FACADES[name]
    waiting, calling = methods(face), methods(blocking)
    assert {n: inspect.signature(m) for n, m in waiting.items()} == {
        n: inspect.signature(m) for n, m in calling.items()
    }
    assert all(inspect.iscoroutinefunction(method) for method in waiting.values())
    assert not any(inspect.iscoroutinefunction(method) for method in calling.values())
    assert isinstance(getattr(AsyncMemory(tmp_path / "a.db", embedder=None), name), face)
    assert isinstance(getattr(Memory(tmp_path / "a.db", embedder=None), name), blocking)
