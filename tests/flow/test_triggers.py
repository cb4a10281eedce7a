"""When talk is extracted: at once, when a window is full, when a session is quiet, when asked, at closing, or never."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from opening import Opening, memories, until

from fabula import AsyncMemory, InvalidInput, Message, Passage, ProviderUnavailable, Settings
from fabula.abc import NEVER, Extraction
from fabula.stores import open_store
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Fact, Frame

DOWN = ProviderUnavailable("the host is down")
ASKED = Settings(idle=math.inf, full=False)
COUNTED = Settings(idle=math.inf, window=3)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def opening(db: str, clock: FakeClock) -> AsyncIterator[Opening]:
    async with memories(db, lambda: {"embedder": HashEmbedder(), "clock": clock}) as open_:
        yield open_


def drawn(window: Sequence[Passage]) -> Extraction:
    """A frame a window, and a fact a message."""
    ids = tuple(passage.id for passage in window)
    facts = tuple(
        Fact(scope="", id=f"fact-{p.id}", text=p.text, subject="Ann", predicate="said", object=p.text, sources=(p.id,))
        for p in window
    )
    told = "; ".join(p.text for p in window)
    return Extraction(frames=(Frame(scope="", id=f"frame-{ids[0]}", text=told, sources=ids),), facts=facts)


class Gated(FakeExtractor):
    """Waits for a word before it answers."""

    def __init__(self) -> None:
        super().__init__(drawn)
        self.gate = asyncio.Event()

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        found = await super().extract(window, context)
        await self.gate.wait()
        return found


def heard(extractor: FakeExtractor) -> list[list[str]]:
    return [[passage.text for passage in window] for window in extractor.windows]


async def settled(memory: AsyncMemory, left: int) -> None:
    """Wait until nothing is left but so many messages to extract."""

    async def there() -> bool:
        return {task: n for task, n in (await memory.stats()).pending.items() if n} == (
            {"extract": left} if left else {}
        )

    await until(there)


class TestAtOnce:
    async def test_every_message_is_extracted(self, opening: Opening):
        extractor = FakeExtractor(drawn)
        memory = await opening(extractor=extractor, settings=Settings(idle=0))
        for n in range(3):
            await memory.remember("u", str(n))
            await settled(memory, 0)
        assert heard(extractor) == [["0"], ["1"], ["2"]]

    async def test_what_comes_while_the_model_works_shares_a_window(self, opening: Opening):
        extractor = Gated()
        memory = await opening(extractor=extractor, settings=Settings(idle=0))
        await memory.remember("u", "first")

        async def at_work() -> bool:
            return bool(extractor.windows)

        await until(at_work)
        for n in range(3):
            await memory.remember("u", str(n))
        extractor.gate.set()
        await settled(memory, 0)
        assert heard(extractor) == [["first"], ["0", "1", "2"]]


class TestNever:
    async def test_nothing_is_extracted_before_it_is_asked_for(self, opening: Opening, clock: FakeClock):
        extractor = FakeExtractor(drawn)
        memory = await opening(extractor=extractor, settings=ASKED)
        await memory.remember("u", [str(n) for n in range(20)])
        await settled(memory, 20)
        clock.advance(10**8)
        await memory.remember("u", "last")
        await settled(memory, 21)
        assert (await memory.flush(unfinished=False)).pending == 21
        assert extractor.windows == []
        assert {piece.due for piece in await memory.pending("u")} == {NEVER}
        await memory.close()
        again = await opening(extractor=extractor, settings=ASKED)
        await settled(again, 21)
        assert extractor.windows == []
        assert (await again.flush()).pending == 0
        assert [len(window) for window in extractor.windows] == [8, 8, 5]

    async def test_a_session_is_asked_for_among_many_that_wait(self, opening: Opening):
        extractor = FakeExtractor(drawn)
        memory = await opening(extractor=extractor, settings=ASKED)
        await memory.remember("u", [Message(f"a{n}", session="a") for n in range(300)])
        await memory.remember("u", [Message("b0", session="b"), Message("b1", session="b")])
        found = await memory.extract("u", session="b")
        assert heard(extractor) == [["b0", "b1"]]
        assert [fact.text for fact in found.facts] == ["b0", "b1"]
        assert (len(found.passages), found.left, len(found.frames), found.errors) == (2, (), 1, ())
        await settled(memory, 300)

    async def test_what_was_asked_for_is_not_held_up_by_what_is_said_next(self, opening: Opening):
        extractor = Gated()
        memory = await opening(extractor=extractor, settings=ASKED)
        await memory.remember("v", "before")
        await memory.remember("u", ["one", "two"])
        first = asyncio.create_task(memory.extract("v"))
        await asyncio.sleep(0.1)  # the only worker waits for the model
        asked = asyncio.create_task(memory.extract("u"))
        await asyncio.sleep(0.1)
        await memory.remember("u", "three")
        extractor.gate.set()
        await asyncio.gather(first, asked)
        assert heard(extractor) == [["before"], ["one", "two"]]
        await settled(memory, 1)

    async def test_what_was_asked_for_and_cut_short_is_done_at_the_next_opening(self, opening: Opening):
        memory = await opening(extractor=Gated(), settings=ASKED)
        await memory.remember("u", ["one", "two"])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(memory.extract("u"), 0.2)
        await memory.close(drain=0)
        extractor = FakeExtractor(drawn)
        again = await opening(extractor=extractor, settings=ASKED)
        await settled(again, 0)
        assert heard(extractor) == [["one", "two"]]


class TestByCount:
    async def test_only_full_windows_are(self, opening: Opening, clock: FakeClock):
        extractor = FakeExtractor(drawn)
        memory = await opening(extractor=extractor, settings=COUNTED)
        for n in range(7):
            await memory.remember("u", str(n))
            await settled(memory, (n + 1) % 3)
            clock.advance(10**8)
        assert heard(extractor) == [["0", "1", "2"], ["3", "4", "5"]]

    async def test_many_abandoned_sessions_hold_nothing_up(self, opening: Opening):
        extractor = FakeExtractor(drawn)
        memory = await opening(extractor=extractor, settings=COUNTED)
        await memory.remember("u", [Message("x", session=f"a{n:03}") for n in range(150)])
        await memory.remember("u", [Message(str(n), session="b") for n in range(3)])
        await settled(memory, 150)
        assert heard(extractor) == [["0", "1", "2"]]

    async def test_a_full_window_that_nobody_saw_is_found_at_the_opening(self, opening: Opening):
        first = await opening(background=False, settings=COUNTED)
        await first.remember("u", ["one", "two", "three", "four"])
        await first.remember("v", ["one", "two"])
        await first.close()
        extractor = FakeExtractor(drawn)
        # Without a model nothing else in these scopes is due, and would be looked at.
        memory = await opening(extractor=extractor, settings=COUNTED, embedder=None)
        await until(lambda: _heard(extractor))
        await asyncio.sleep(0.1)
        assert heard(extractor) == [["one", "two", "three"]]
        await memory.flush(unfinished=False)
        assert (await memory.stats()).pending["extract"] == 3

    async def test_a_full_window_is_due_before_it_is_extracted(self, opening: Opening):
        """So that it is not forgotten that it was full when the model fails this very process."""
        memory = await opening(extractor=Gated(), settings=COUNTED)
        await memory.remember("u", ["one", "two", "three", "four"])

        async def asked() -> bool:
            return [piece.due == NEVER for piece in await memory.pending("u")] == [False, False, False, True]

        await until(asked)

    async def test_a_window_that_failed_is_tried_again_as_it_was(self, opening: Opening, clock: FakeClock):
        calls = 0

        def answer(window: Sequence[Passage]) -> Extraction:
            nonlocal calls
            calls += 1
            if calls == 1:
                raise DOWN
            return drawn(window)

        extractor = FakeExtractor(answer)
        memory = await opening(extractor=extractor, settings=COUNTED)
        await memory.remember("u", ["one", "two", "three"])
        await memory.remember("u", "four")

        async def failed() -> bool:
            return [p.error for p in await memory.pending("u")] == [str(DOWN)] * 3 + [""]

        await until(failed)
        clock.advance(5)
        await memory.remember("v", "")  # wakes the background
        await settled(memory, 1)
        assert heard(extractor) == [["one", "two", "three"]] * 2


async def _heard(extractor: FakeExtractor) -> bool:
    return bool(extractor.windows)


class TestQuiet:
    async def test_windows_that_need_not_be_full_wait_for_the_whole_session(self, opening: Opening, clock: FakeClock):
        extractor = FakeExtractor(drawn)
        settings = Settings(idle=600, full=False, window=2)
        memory = await opening(extractor=extractor, settings=settings)
        for n in range(5):
            await memory.remember("u", str(n))
            clock.advance(599)
        await memory.remember("v", "")
        await asyncio.sleep(0.2)
        assert extractor.windows == []
        clock.advance(1)
        await memory.remember("v", "")
        await settled(memory, 0)
        assert heard(extractor) == [["0", "1"], ["2", "3"], ["4"]]


class TestClosing:
    async def test_finishes_what_was_written_here(self, opening: Opening, db: str):
        extractor = FakeExtractor(drawn)
        other = await opening(background=False, settings=COUNTED)
        await other.remember("other", "not mine")
        memory = await opening(extractor=extractor, settings=Settings(idle=math.inf, window=3, finish=True))
        await memory.remember("u", ["one", "two", "three", "four"])
        await memory.remember("v", ["one"])
        await settled(memory, 3)
        await memory.close()
        assert sorted(heard(extractor)) == [["four"], ["one"], ["one", "two", "three"]]
        assert [len(await other.pending(scope)) for scope in ("u", "v", "other")] == [0, 0, 1]

    async def test_leaves_it_where_it_is_not_asked_to(self, opening: Opening):
        extractor = FakeExtractor(drawn)
        memory = await opening(extractor=extractor, settings=COUNTED)
        await memory.remember("u", ["one", "two"])
        await memory.close()
        assert extractor.windows == []

    async def test_what_it_has_no_time_for_is_done_at_the_next_opening(self, opening: Opening):
        settings = Settings(idle=math.inf, finish=True)
        memory = await opening(extractor=Gated(), settings=settings)
        await memory.remember("u", "one")
        await settled(memory, 1)
        await memory.close(drain=0.1)
        extractor = FakeExtractor(drawn)
        again = await opening(extractor=extractor, settings=settings)
        await settled(again, 0)
        assert heard(extractor) == [["one"]]


class TestAsking:
    async def test_it_tells_what_failed(self, opening: Opening):
        def answer(window: Sequence[Passage]) -> Extraction:
            if "poison" in window[0].text:
                raise DOWN
            return drawn(window)

        settings = Settings(idle=math.inf, full=False, window=1)
        memory = await opening(extractor=FakeExtractor(answer), settings=settings, background=False)
        ids = (await memory.remember("u", ["good", "poison"])).ids
        found = await memory.extract("u")
        assert (found.passages, found.left, found.errors) == ((ids[0],), (ids[1],), (str(DOWN),))
        assert [fact.text for fact in found.facts] == ["good"]
        (piece,) = [piece for piece in await memory.pending("u") if piece.task == "extract"]
        assert (piece.id, piece.attempts, piece.error) == (ids[1], 1, str(DOWN))

    async def test_it_tells_of_what_another_did_meanwhile(self, opening: Opening):
        slow = Gated()
        memory = await opening(extractor=slow, settings=Settings(idle=0))
        await memory.remember("u", "one")
        await until(lambda: _heard(slow))
        asked = asyncio.create_task(memory.extract("u"))
        await asyncio.sleep(0.1)
        slow.gate.set()
        assert [fact.text for fact in (await asked).facts] == ["one"]
        assert heard(slow) == [["one"]], "and it is not extracted twice"
        assert (await memory.extract("u")).passages == ()

    async def test_forgotten_messages_are_neither_done_nor_left(self, opening: Opening):
        memory = await opening(extractor=FakeExtractor(drawn), settings=ASKED)
        kept, gone = (await memory.remember("u", ["one", "two"])).ids
        assert gone is not None
        await memory.forget("u", ids=[gone])
        found = await memory.extract("u", ids=[str(kept), gone])
        assert (found.passages, found.left) == ((kept,), ())

    async def test_work_on_what_is_gone_is_done(self, opening: Opening, db: str):
        """A worker that has read its list before the message was forgotten."""
        extractor = Gated()
        memory = await opening(extractor=extractor, settings=ASKED, background=False)
        ids = (await memory.remember("u", [Message(str(n), session=str(n)) for n in range(2)])).ids
        asked = asyncio.create_task(memory.extract("u"))
        await until(lambda: _heard(extractor))
        await memory.forget("u", ids=[str(ids[1])])
        extractor.gate.set()
        assert (await asked).passages == (ids[0],)
        assert heard(extractor) == [["0"]]
        assert await memory.pending("u") == []

    async def test_a_window_fails_for_good_and_is_eligible_at_the_next_opening(self, opening: Opening):
        def answer(window: Sequence[Passage]) -> Extraction:
            raise DOWN

        settings = Settings(idle=0, attempts=1)
        memory = await opening(extractor=FakeExtractor(answer), settings=settings)
        await memory.remember("u", "one")

        async def failed() -> bool:
            return [(p.attempts, p.error) for p in await memory.pending("u")] == [(1, str(DOWN))]

        await until(failed)
        await memory.close()
        again = await opening(extractor=FakeExtractor(drawn), settings=settings)
        await settled(again, 0)
        assert [record.text for record in await again.records("u", "fact")] == ["one"]


class TestSettings:
    @pytest.mark.parametrize("wrong", [{"full": 1}, {"finish": None}, {"idle": -math.inf}, {"idle": math.nan}], ids=str)
    def test_are_refused(self, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput):
            Settings(**wrong)


class TestSessions:
    async def test_are_listed(self, opening: Opening, clock: FakeClock):
        memory = await opening(background=False)
        await memory.remember("u", [Message("x", session="a"), Message("y", session="b")])
        clock.advance(60)
        await memory.remember("u", Message("z", session="a"))
        total, (first, second) = await memory.sessions("u")
        assert (total, first.id, first.messages, second.id) == (2, "a", 2, "b")
        assert (first.last - first.first).total_seconds() == 60
        assert await memory.sessions("u", limit=1, offset=1) == (2, [second])
        assert await memory.sessions("u", without="a") == (1, [second])
        for wrong in ({"limit": 0}, {"limit": 1001}, {"offset": -1}):
            with pytest.raises(InvalidInput):
                await memory.sessions("u", **wrong)

    async def test_a_store_of_its_own_is_asked(self, db: str):
        store = open_store(db)
        await store.open()
        assert await store.sessions("u") == (0, [])
        await store.close()
