"""Many memories written at once, all or none."""

from typing import Any

import pytest

from fabula.testing import FakeClock, HashEmbedder
from neuromemory import NeuroMemory

GIVEN: list[dict[str, Any]] = [
    {"content": "I work at Acme", "memory_type": "fact", "metadata": {"importance": 9}},
    {"content": "去年在杭州住过", "memory_type": "episodic", "occurred_at": "2029-05-01"},
    {"content": "plum jam", "metadata": {"colour": "red"}},
]


def opened(db: str) -> NeuroMemory:
    return NeuroMemory(db, embedding=HashEmbedder(), clock=FakeClock("2030-06-01"))  # type: ignore[arg-type]


async def test_each_is_what_it_would_be_alone(db: str):
    async with opened(db) as nm:
        ids = await nm.add_memories("many", iter(GIVEN))
        one_by_one = [await nm.add_memory("single", **one) for one in GIVEN]
        many = [await nm.get_memory("many", one) for one in ids]
        assert [one and one["content"] for one in many] == [one["content"] for one in GIVEN]
        assert [one and one["memory_type"] for one in many] == ["fact", "episodic", "general"]
        single = [await nm.get_memory("single", one) for one in one_by_one]
        assert [one and one | {"user_id": ""} for one in many] == [one and one | {"user_id": ""} for one in single]
        await nm.flush()
        assert (await nm.recall("many", "在杭州住过吗？"))["merged"][0]["id"] == ids[1]


async def test_the_same_twice_is_one(db: str):
    async with opened(db) as nm:
        ids = await nm.add_memories("u", [*GIVEN, GIVEN[0]])
        assert ids[0] == ids[3]
        assert (await nm.stats("u"))["total_memories"] == 3
        assert await nm.add_memories("u", GIVEN) == ids[:3]


async def test_none_is_none(db: str):
    async with opened(db) as nm:
        assert await nm.add_memories("u", []) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([*GIVEN, {"content": " "}], "memory 3: a memory has a content"),
        ([*GIVEN, {"text": "plum"}], "memory 3: .*not 'text'"),
        ([*GIVEN, "plum"], "memory 3: a memory is a dict, not str"),
        ([*GIVEN, {"content": "plum", "occurred_at": "soon"}], "memory 3: "),
        ([*GIVEN, {"content": "plum", "memory_type": "conversation"}], "memory 3: .*conversation"),
        ([*GIVEN, {"content": "plum", "metadata": {"at": object()}}], "JSON"),
        (GIVEN[0], "a list of dicts, not dict"),
        (None, "a list of dicts, not NoneType"),
    ],
)
async def test_one_that_cannot_be_meant_and_nothing_is_written(db: str, given: Any, said: str):
    async with opened(db) as nm:
        with pytest.raises(ValueError, match=said):
            await nm.add_memories("u", given)
        assert (await nm.stats("u"))["total_memories"] == 0
