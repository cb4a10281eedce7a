"""What the hot tier keeps of what it has shown: never what is no more, whoever ended it."""

from collections.abc import AsyncIterator

import pytest

from fabula import AsyncMemory, Fact, Message, Settings
from fabula.stores import open_store
from fabula.stores.hot import HotStore
from fabula.testing import FakeClock, HashEmbedder
from fabula.types import SORT
from neuromemory import NeuroMemory


@pytest.fixture
async def two(db: str) -> AsyncIterator[tuple[AsyncMemory, AsyncMemory]]:
    """One memory in two processes, as it were."""
    async with (
        AsyncMemory(db, embedder=HashEmbedder(), background=False) as one,
        AsyncMemory(db, embedder=HashEmbedder(), background=False) as other,
    ):
        yield one, other


async def told(memory: AsyncMemory) -> list[str]:
    return [hit.record.text for hit in (await memory.recall("u", "plum jam")).hits]


def fact(text: str) -> Fact:
    return Fact(scope="", id="", text=text, meta={SORT: "general"})


async def test_what_another_revised_is_shown_as_it_is_now(two: tuple[AsyncMemory, AsyncMemory]):
    one, other = two
    (jam, tea) = await one.add("u", [fact("plum jam"), fact("plum tea")])
    assert set(await told(one)) == {"plum jam", "plum tea"}
    await other.revise("u", jam, text="plum jam with rum")
    assert set(await told(one)) == {"plum jam with rum", "plum tea"}
    earlier = (await one.history("u", jam))[0].recorded
    assert earlier is not None
    assert earlier.start is not None
    found = await one.recall("u", "plum jam", as_of=earlier.start)
    ended = {hit.record.text: hit.record.recorded for hit in found.hits}
    assert set(ended) == {"plum jam", "plum tea"}
    assert (one_ended := ended["plum jam"]) is not None
    assert one_ended.end is not None
    assert tea in [hit.record.id for hit in (await one.recall("u", "plum tea")).hits]


async def test_what_another_forgot_is_gone(two: tuple[AsyncMemory, AsyncMemory]):
    one, other = two
    (jam, _) = await one.add("u", [fact("plum jam"), fact("plum tea")])
    await told(one)
    await other.forget("u", ids=[jam])
    assert await told(one) == ["plum tea"]
    await other.forget("u", everything=True)
    assert await told(one) == []


async def test_what_was_made_of_a_passage_later_comes_with_it(two: tuple[AsyncMemory, AsyncMemory]):
    one, other = two
    said = "Yesterday I cooked plum jam with Nora in the kitchen and burned my hand"
    await one.remember("u", Message(said, speaker="Ann", session="s", id="m"))
    assert [hit.record.kind for hit in (await one.recall("u", "plum jam")).hits] == ["passage"]
    await other.flush("u")
    assert {hit.record.kind for hit in (await one.recall("u", "plum jam")).hits} >= {"passage", "frame"}
    for _ in range(2):
        warm = await one.recall("u", "plum jam")
    async with AsyncMemory(
        one._store.inner,  # type: ignore[attr-defined]
        embedder=HashEmbedder(), background=False, settings=Settings(hot_bytes=0),
    ) as cold:  # fmt: skip
        assert [hit.record for hit in warm.hits] == [hit.record for hit in (await cold.recall("u", "plum jam")).hits]


async def test_records_count_as_bytes_and_go_first(db: str):
    async with AsyncMemory(db, embedder=HashEmbedder(), background=False) as memory:
        await memory.add("u", [fact(f"plum {'jam ' * 500}{place}") for place in range(40)])
    hot = HotStore(open_store(db), limit=60_000)
    await hot.open()
    index = await hot.load("u", "")
    numbers = index.of("fact").number.tolist()
    assert len(await hot.shown("u", index, numbers)) == 40
    ((held),) = hot._indexes.values()
    assert held.index is index
    assert not held.records
    assert held.nbytes == index.nbytes <= 60_000
    assert len(await hot.shown("u", index, numbers[:5])) == 5
    assert len(held.records) == 5
    assert held.nbytes > index.nbytes
    await hot.close()


async def test_what_a_caller_does_to_a_memory_stays_with_them(db: str):
    async with NeuroMemory(db, embedding=HashEmbedder(), clock=FakeClock("2030-06-01")) as nm:  # type: ignore[arg-type]
        await nm.add_memory("u", "plum jam", metadata={"tags": ["red"], "of": {"colour": "red"}})
        for _ in range(2):
            (entry,) = (await nm.recall("u", "plum jam"))["merged"]
            assert entry["metadata"]["tags"] == ["red"]
            assert entry["metadata"]["of"] == {"colour": "red"}
            entry["metadata"]["tags"].append("blue")
            entry["metadata"]["of"]["colour"] = "blue"
