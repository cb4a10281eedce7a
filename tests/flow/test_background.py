"""The work that follows a write: it outlives the process, it is done once, and what fails is seen and tried again."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from opening import Opening, memories, until

from fabula import AsyncMemory, MemoryClosed, Message, Passage, Plan, ProviderUnavailable, Settings
from fabula.abc import Extraction, Role, Vectors
from fabula.stores import open_store
from fabula.stores.hot import HotStore
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Frame

DOWN = ProviderUnavailable("the host is down")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def opening(db: str, clock: FakeClock) -> AsyncIterator[Opening]:
    """Open memories on one database; they are closed in the end, whatever is left to do."""
    async with memories(
        db, lambda: {"embedder": HashEmbedder(), "extractor": FakeExtractor(framed), "clock": clock}
    ) as open_:
        yield open_


def framed(window: Sequence[Passage]) -> Extraction:
    sources = tuple(passage.id for passage in window)
    return Extraction(
        frames=(Frame(scope="", id=f"frame-{sources[0]}", text="; ".join(p.text for p in window), sources=sources),)
    )


def said(extractor: FakeExtractor) -> list[str]:
    return [passage.text for window in extractor.windows for passage in window]


def sizes(extractor: FakeExtractor) -> list[int]:
    return [len(window) for window in extractor.windows]


async def pending(memory: AsyncMemory) -> dict[str, int]:
    return dict((await memory.stats()).pending)


class TestOutlivesTheProcess:
    async def test_what_was_left_is_done_at_the_next_opening(self, opening: Opening, clock: FakeClock):
        first = await opening(background=False)
        await first.remember("u", ["tea", "music"])
        await first.close()
        clock.advance(60)
        second = await opening()
        await until(lambda: idle(second))
        assert {hit.record.kind for hit in (await second.recall("u", "tea")).hits} == {"passage", "frame"}
        assert await second.check() == []

    async def test_closing_finishes_what_is_due(self, opening: Opening):
        embedder = HashEmbedder(delay=0.05)
        memory = await opening(embedder=embedder, settings=Settings(idle=0))
        await memory.remember("u", ["tea", "music"])
        await memory.close()
        again = await opening(background=False)
        assert await pending(again) == {}

    @pytest.mark.parametrize("drain", [0, 0.05])
    async def test_closing_does_not_wait_longer_than_told(self, opening: Opening, drain: float):
        """Also when the background was just woken and has not begun."""
        memory = await opening(embedder=HashEmbedder(delay=3600))
        await memory.remember("u", "tea")
        closing = asyncio.create_task(memory.close(drain=drain))
        assert await asyncio.wait([closing], timeout=5) == ({closing}, set())
        again = await opening(background=False)
        assert await pending(again) == {"embed": 1, "extract": 1}
        assert (await again.flush()).pending == 0

    async def test_an_unfinished_window_is_left_and_not_lost(self, opening: Opening):
        extractor = FakeExtractor(framed)
        memory = await opening(extractor=extractor)
        await memory.remember("u", "tea")
        await memory.close()
        assert extractor.windows == []
        assert await pending(await opening(background=False)) == {"extract": 1}

    async def test_without_the_background_it_waits_for_a_flush(self, opening: Opening, clock: FakeClock):
        memory = await opening(background=False)
        await memory.remember("u", "tea")
        clock.advance(600)
        await asyncio.sleep(0.05)
        assert await pending(memory) == {"embed": 1, "extract": 1}
        assert (await memory.flush()).pending == 0


async def idle(memory: AsyncMemory) -> bool:
    return not await pending(memory)


class TestWindows:
    @pytest.mark.parametrize("steps", [[25], [10, 10, 5], [1] * 25, [9, 1, 12, 3]], ids=str)
    async def test_each_message_is_extracted_exactly_once(self, opening: Opening, steps: list[int]):
        """B105: 25 messages in windows of 10, the last one when the session is over."""
        extractor = FakeExtractor(framed)
        memory = await opening(extractor=extractor, settings=Settings(window=10))
        texts = iter(f"message {n}" for n in range(25))
        for size in steps:
            await memory.remember("u", [next(texts) for _ in range(size)])
            await asyncio.sleep(0)

        async def done_twice() -> bool:
            return len(extractor.windows) == 2

        await until(done_twice)
        await memory.flush()
        assert sizes(extractor) == [10, 10, 5]
        assert said(extractor) == [f"message {n}" for n in range(25)]

    async def test_of_one_session_in_its_order(self, opening: Opening):
        extractor = FakeExtractor(framed)
        memory = await opening(extractor=extractor, background=False, settings=Settings(window=3))
        await memory.remember("u", [Message(str(n), session="ab"[n % 2]) for n in range(10)])
        await memory.flush()
        assert [[p.text for p in window] for window in extractor.windows] == [
            list("024"),
            list("68"),
            list("135"),
            list("79"),
        ]

    async def test_an_incomplete_one_waits_until_it_is_quiet(self, opening: Opening, clock: FakeClock, db: str):
        extractor, store = FakeExtractor(framed), Counting(db)
        memory = await opening(extractor=extractor, store=store, embedder=None, settings=Settings(idle=30))
        await memory.remember("u", "one")
        clock.advance(29)
        await memory.remember("u", "two")
        clock.advance(29)
        await memory.remember("v", "elsewhere")  # wakes the background
        await asyncio.sleep(0.3)
        assert extractor.windows == [], "the session went on 29 seconds ago"
        assert 0 < store.leased < 15, "it waits, and does not look again and again"
        clock.advance(1)
        await memory.remember("w", "elsewhere")

        async def heard() -> bool:
            return said(extractor) == ["one", "two"]

        await until(heard)

    @pytest.mark.parametrize("embedder", [None, HashEmbedder()], ids=["keywords only", "with a model"])
    async def test_a_full_one_does_not_wait(self, opening: Opening, embedder: HashEmbedder | None):
        extractor = FakeExtractor(framed)
        memory = await opening(extractor=extractor, embedder=embedder, settings=Settings(window=2))
        await memory.remember("u", ["one", "two", "three"])

        async def heard() -> bool:
            return said(extractor) == ["one", "two"]

        await until(heard, 3)

    async def test_blank_and_recalled_text_is_not_given(self, opening: Opening):
        extractor = FakeExtractor(framed)
        memory = await opening(extractor=extractor, background=False)
        await memory.remember("u", ["tea", "", "music"])
        await memory.flush()
        block = (await memory.recall("u", "tea")).render()
        await memory.remember("u", [block, f"and now: {block}"])
        await memory.flush()
        assert said(extractor) == ["tea", "music", "and now: "]
        assert await pending(memory) == {}

    async def test_two_memories_on_one_database_share_the_work(self, opening: Opening):
        extractors = [FakeExtractor(framed) for _ in range(3)]
        memories = [await opening(extractor=extractor, settings=Settings(window=4)) for extractor in extractors]
        for n in range(12):
            await memories[n % 3].remember("u", [f"message {n} {i}" for i in range(3)])
        await asyncio.gather(*(memory.flush() for memory in memories))
        heard = Counter(text for extractor in extractors for text in said(extractor))
        assert heard == Counter(f"message {n} {i}" for n in range(12) for i in range(3))
        assert len(await memories[0].records("u", "frame")) == sum(len(e.windows) for e in extractors)
        assert await memories[1].check() == []


class TestFailing:
    async def test_a_flush_may_fail_any_number_of_times(self, opening: Opening):
        """The pause before the next attempt, which each doubles, ends before the dates do."""
        embedder = HashEmbedder(fail=DOWN)
        memory = await opening(embedder=embedder, background=False, settings=Settings(attempts=1000))
        await memory.remember("u", "tea")
        for _ in range(60):
            assert (await memory.flush()).errors == (str(DOWN),)
        embedder.fail = None
        assert (await memory.flush()).pending == 0

    async def test_is_seen(self, opening: Opening):
        memory = await opening(embedder=HashEmbedder(fail=DOWN), extractor=nothing(), background=False)
        await memory.remember("u", ["tea", "music"])
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed, flushed.errors) == (2, 2, ("the host is down",))
        assert (await memory.stats()).failed == 2
        assert (await memory.recall("u", "tea", Plan(channels=("sparse",)))).passages

    async def test_an_unexpected_error_is_named(self, opening: Opening):
        def answer(window: Sequence[Passage]) -> Extraction:
            raise KeyError("subject")

        memory = await opening(extractor=FakeExtractor(answer), background=False)
        await memory.remember("u", "tea")
        flushed = await memory.flush()
        assert flushed.errors == ("KeyError: 'subject'",)
        assert await pending(memory) == {"extract": 1}

    async def test_the_other_task_goes_on(self, opening: Opening):
        extractor = FakeExtractor(framed)
        memory = await opening(embedder=HashEmbedder(fail=DOWN), extractor=extractor, background=False)
        await memory.remember("u", "tea")
        await memory.flush()
        assert said(extractor) == ["tea"]
        # The passage and its frame have no vectors yet, and the frame waits for one to be held against others.
        assert await pending(memory) == {"embed": 2, "fuse": 1}

    async def test_is_tried_again_later_and_later_and_then_no_more(self, opening: Opening, clock: FakeClock):
        embedder = HashEmbedder(fail=DOWN)
        settings = Settings(attempts=4, backoff=10)
        memory = await opening(embedder=embedder, extractor=nothing(), settings=settings)
        await memory.remember("u", "tea")

        async def tried(times: int) -> None:
            async def reached() -> bool:
                return len(embedder.calls) == times

            await until(reached)

        async def wake() -> None:
            """Another message in another scope, whose work the clock makes due."""
            await memory.remember("idle", "")

        await tried(1)
        for times, pause in ((2, 10), (3, 20), (4, 40)):
            clock.advance(pause - 1)
            await wake()
            await asyncio.sleep(0.1)
            assert len(embedder.calls) == times - 1, f"not before {pause} seconds"
            clock.advance(1)
            await wake()
            await tried(times)
        clock.advance(timedelta(days=365))
        await wake()
        await asyncio.sleep(0.1)
        assert len(embedder.calls) == 4
        flushed = await memory.stats()
        assert flushed.failed == 1
        await memory.close()

        healed = HashEmbedder()
        again = await opening(embedder=healed, settings=settings)
        await until(lambda: embedded(again))
        assert healed.calls == [["tea"]]
        assert (await again.stats()).failed == 0

    async def test_a_flush_tries_also_what_is_not_due(self, opening: Opening):
        embedder = HashEmbedder(fail=DOWN)
        memory = await opening(embedder=embedder, background=False)
        await memory.remember("u", "tea")
        await memory.flush()
        embedder.fail = None
        assert (await memory.flush()).failed == 0
        assert await pending(memory) == {}

    async def test_a_host_that_is_down_is_not_asked_for_everything(self, opening: Opening):
        embedder = HashEmbedder(fail=DOWN)
        memory = await opening(embedder=embedder, settings=Settings(batch=2))
        await memory.remember("u", [f"message {n}" for n in range(40)])

        async def asked() -> bool:
            return len(embedder.calls) >= 3

        await until(asked)
        await asyncio.sleep(0.3)
        assert len(embedder.calls) == 3

    async def test_a_flush_asks_for_each_piece_once_at_most(self, opening: Opening):
        extractor = FakeExtractor(lambda window: failing())
        memory = await opening(extractor=extractor, background=False, settings=Settings(window=2))
        await memory.remember("u", [str(n) for n in range(20)])
        flushed = await memory.flush()
        assert max(Counter(said(extractor)).values()) == 1
        assert len(extractor.windows) <= 3
        assert flushed.pending == 20

    async def test_one_bad_window_holds_nothing_up(self, opening: Opening):
        def answer(window: Sequence[Passage]) -> Extraction:
            return failing() if "poison" in window[0].text else framed(window)

        extractor = FakeExtractor(answer)
        memory = await opening(extractor=extractor, background=False, settings=Settings(window=1))
        await memory.remember("u", ["one", "poison", "two"])
        flushed = await memory.flush()
        assert said(extractor) == ["one", "poison", "two"]
        assert (flushed.pending, flushed.errors) == (1, (str(DOWN),))
        assert len(await memory.records("u", "frame")) == 2


def failing() -> Extraction:
    raise DOWN


def nothing() -> FakeExtractor:
    """What finds nothing in what is said, and so leaves the passages the only work."""
    return FakeExtractor(lambda window: Extraction())


async def embedded(memory: AsyncMemory) -> bool:
    return "embed" not in await pending(memory)


class Poisoned(HashEmbedder):
    """Refuses every call that has a certain word in it."""

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        vectors = await super().embed(texts, role)
        if any("poison" in text for text in texts):
            raise DOWN
        return vectors


class Counting(HotStore):
    """Counts how often somebody wants work, in front of any engine."""

    leased = 0

    def __init__(self, db: str) -> None:
        super().__init__(open_store(db))

    async def lease(self, *given: Any, **options: Any) -> Any:
        self.leased += 1
        return await super().lease(*given, **options)


class TestWorkThatIsGivenUp:
    """What failed too often, or is not due yet, must not stand in the way of what comes after it."""

    async def test_new_texts_are_embedded_behind_it(self, opening: Opening, db: str):
        embedder = Poisoned()
        store = Counting(db)
        memory = await opening(embedder=embedder, store=store, settings=Settings(batch=2))
        await memory.remember("u", ["poison one", "poison two"])

        async def failed() -> bool:
            return (await memory.stats()).failed == 2

        await until(failed)
        await memory.remember("u", ["three", "four", "five"])
        await until(lambda: only_poison_is_left(memory), 3)

    async def test_nobody_spins_over_it(self, opening: Opening, db: str):
        store = Counting(db)
        memory = await opening(embedder=Poisoned(), store=store, settings=Settings(batch=2))
        await memory.remember("u", ["poison one", "poison two"])

        async def failed() -> bool:
            return (await memory.stats()).failed == 2

        await until(failed)
        await memory.remember("u", ["three"])
        await asyncio.sleep(0.5)
        assert 0 < store.leased < 15

    async def test_new_messages_are_extracted_behind_it(self, opening: Opening, db: str, clock: FakeClock):
        store = Counting(db)
        extractor = FakeExtractor(lambda window: failing() if "poison" in window[0].text else framed(window))
        settings = Settings(window=1, attempts=1)
        memory = await opening(extractor=extractor, store=store, settings=settings)
        await memory.remember("u", [Message(f"poison {n}", session="a") for n in range(40)])
        for _ in range(20):
            if (await memory.flush()).failed == 40:
                break
        await memory.remember("u", [Message("good", session="b")])
        clock.advance(60)
        await memory.remember("idle", "")

        async def heard() -> bool:
            return "good" in said(extractor)

        await until(heard, 3)
        leased = store.leased
        await asyncio.sleep(0.5)
        assert store.leased - leased < 15

    async def test_a_new_message_beside_it_is_extracted_at_the_next_opening(self, opening: Opening, clock: FakeClock):
        """The same window: three that failed too often, and one that was never tried."""
        broken = FakeExtractor(lambda window: failing())
        settings = Settings(attempts=1, idle=30)
        memory = await opening(extractor=broken, settings=settings)
        await memory.remember("u", ["one", "two", "three"])
        await memory.flush()
        await memory.remember("u", "four")
        clock.advance(60)
        await memory.remember("idle", "")
        await asyncio.sleep(0.3)
        await memory.close()
        clock.advance(60)
        healed = FakeExtractor(framed)
        again = await opening(extractor=healed, settings=settings)
        await until(lambda: idle(again), 3)
        assert sorted(said(healed)) == ["four", "one", "three", "two"]


async def only_poison_is_left(memory: AsyncMemory) -> bool:
    return (await pending(memory)).get("embed") == 2


class TestLeases:
    async def test_who_was_overtaken_writes_nothing(self, opening: Opening, clock: FakeClock):
        """A worker that fell silent for longer than its lease comes back after another has done its work."""
        second = await opening(background=False)

        class Slow(FakeExtractor):
            async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
                clock.advance(600)
                await second.flush()
                found = await super().extract(window, context)
                return replace(found, frames=tuple(replace(f, id="late", text="late") for f in found.frames))

        slow = Slow(framed)
        first = await opening(extractor=slow, background=False)
        await first.remember("u", ["tea", "music"])
        flushed = await first.flush()
        assert (len(slow.windows), flushed.pending, flushed.errors) == (1, 0, ())
        assert [frame.text for frame in await first.records("u", "frame")] == ["tea; music"]
        assert await first.check() == []

    async def test_a_lease_that_ran_out_is_taken_over(self, db: str, opening: Opening, clock: FakeClock):
        """The work of a process that was killed is not lost."""
        memory = await opening(background=False)
        await memory.remember("u", "tea")
        dead = open_store(db)
        await dead.open()
        assert await dead.lease("dead", ("embed", "extract"), clock(), 60, scope="u") is not None
        await dead.close()
        assert (await memory.flush(seconds=0)).pending == 2
        clock.advance(61)
        assert (await memory.flush()).pending == 0

    async def test_a_flush_waits_for_another_ones_work(self, opening: Opening):
        first = await opening(embedder=HashEmbedder(delay=0.3), background=False)
        second = await opening(background=False)
        await first.remember("u", "tea")
        working = asyncio.create_task(first.flush())
        await asyncio.sleep(0.1)
        assert (await second.flush()).pending == 0
        assert (await working).pending == 0


class TestCancelled:
    @pytest.mark.parametrize("after", [0, 1, 2, 3, 5, 8])
    async def test_a_remember_is_stored_or_not_and_works_again(self, opening: Opening, after: int):
        memory = await opening(background=False)
        task = asyncio.create_task(memory.remember("u", [Message("tea", id="1"), Message("music", id="2")]))
        for _ in range(after):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        again = await memory.remember("u", [Message("tea", id="1"), Message("music", id="2")])
        assert len(again.duplicates) in (0, 2)
        assert [p.text for p in await memory.records("u")] == ["tea", "music"]
        assert (await memory.flush()).pending == 0
        assert await memory.check() == []

    async def test_a_flush_leaves_the_rest(self, opening: Opening):
        memory = await opening(embedder=HashEmbedder(delay=3600), background=False)
        await memory.remember("u", "tea")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(memory.flush(), 0.1)
        assert await pending(memory) == {"embed": 1, "extract": 1}
        other = await opening(background=False)
        assert (await other.flush(seconds=5)).pending == 0, "the lease was given back"


class Broken(HotStore):
    """A database whose reading of pending work fails while it is told to."""

    fault: Exception | None = None

    def __init__(self, db: str) -> None:
        super().__init__(open_store(db))

    async def pending(self, *given: Any, **options: Any) -> Any:
        if self.fault is not None:
            raise self.fault
        return await super().pending(*given, **options)


class TestTheWorkerItself:
    async def test_it_stops_when_told_to_also_with_work_it_cannot_do(self, opening: Opening):
        memory = await opening(embedder=Poisoned(), settings=Settings(batch=2))
        await memory.remember("u", ["poison one", "poison two"])

        async def failed() -> bool:
            return (await memory.stats()).failed == 2

        await until(failed)
        await memory.remember("u", ["three", "four"])
        closing = asyncio.create_task(memory.close(drain=0))
        assert await asyncio.wait([closing], timeout=5) == ({closing}, set())

    async def test_a_fault_does_not_end_it(self, opening: Opening, db: str):
        """Whatever goes wrong once, the next message is worked on; and closing closes."""
        store = Broken(db)
        memory = await opening(store=store)
        store.fault = ValueError("an odd row")
        await memory.remember("u", "tea")
        await asyncio.sleep(0.2)
        store.fault = None
        await memory.remember("u", "music")
        await until(lambda: embedded(memory), 3)
        await memory.close()

    async def test_the_memory_is_closed_even_after_a_fault(self, opening: Opening, db: str):
        store = Broken(db)
        memory = await opening(store=store)
        store.fault = ValueError("an odd row")
        await memory.remember("u", "tea")
        await asyncio.sleep(0.2)
        await memory.close()
        with pytest.raises(MemoryClosed):
            await store.scopes()
