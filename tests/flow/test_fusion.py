"""Frames that tell of the same become one, with nothing lost: at once, gathered, judged, and where a fact ended.

The numbers in names are those of field reports of memories that went wrong.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from opening import Opening, memories, until

from fabula import AsyncMemory, Event, Fact, Frame, Interval, Message, Passage, Plan, ProviderUnavailable, Settings
from fabula.abc import LLM, Extraction, Filter, Reply, Role, Task, Vectors
from fabula.background import POLL
from fabula.errors import InvalidInput
from fabula.frames import CONTESTED, LONGEST
from fabula.fusion import GATHER, QUEUE
from fabula.prompts import JUDGEMENT
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM

START = datetime(2024, 3, 9, 10, tzinfo=UTC)
DOWN = ProviderUnavailable("the host is down")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START)


@pytest.fixture
async def opening(db: str, clock: FakeClock) -> AsyncIterator[Opening]:
    """Open memories on one database, whose work is done by `flush` unless they have a background."""
    async with memories(
        db,
        lambda: {
            "embedder": HashEmbedder(256),
            "extractor": FakeExtractor(framed),
            "clock": clock,
            "background": False,
        },
    ) as open_:
        yield open_


def framed(window: Sequence[Passage]) -> Extraction:
    """A frame a message, in which its speaker does what it says; with a fact for "X lives in Y"."""
    homes = [(p, found) for p in window if (found := re.search(r"(\w+) lives in (\w+)", p.text))]
    frames = tuple(
        Frame(
            scope="", id=f"f-{p.ref or p.text}", text=p.text, session=p.session, valid=p.valid, sources=(p.id,),
            events=(Event(participants=(p.speaker,), action=p.text),),
        )
        for p in window
    )  # fmt: skip
    facts = tuple(
        Fact(
            scope="", id="", text=home[0], subject=home[1], predicate="lives in", object=home[2], sources=(p.id,),
        )
        for p, home in homes
    )  # fmt: skip
    return Extraction(frames=frames, facts=facts)


def said(text: str, number: int = 0, speaker: str = "Nora", **more: Any) -> Message:
    given: dict[str, Any] = {"time": START + timedelta(hours=number), "id": f"m{number}", **more}
    return Message(text, speaker=speaker, **given)


async def frames(memory: AsyncMemory) -> list[Frame]:
    return [record for record in await memory.records("u", "frame") if isinstance(record, Frame)]


async def texts(memory: AsyncMemory) -> list[str]:
    return [frame.text for frame in await frames(memory)]


async def versions(memory: AsyncMemory) -> list[Frame]:
    """Every version of every frame, those that are believed no more too."""
    found = await memory._store.find("u", Filter(kind="frame", status=None, ended=True))
    return [record for _, record in found if isinstance(record, Frame)]


async def waiting(memory: AsyncMemory) -> dict[str, int]:
    return dict((await memory.stats("u")).pending)


async def told(memory: AsyncMemory, *messages: Message) -> None:
    """Remember, and do all the work that follows; the memory is sound then."""
    await memory.remember("u", messages)
    flushed = await memory.flush("u")
    assert (flushed.pending, flushed.errors) == (0, ())
    assert await memory.check("u") == []


WORDS = ["boat", "kite", "drum", "lamp", "snow", "goat", "ring", "fork", "mint", "wool", "rope", "sand"]
TRIP = "Nora sailed from Porto to Faro with her blue boat"
AGAIN = "Nora sailed from Porto to Faro with her blue boat and Ivo"
TEA = "Green tea is what she likes best"


# --- at once ----------------------------------------------------------------------------------------------------


class TestAtOnce:
    async def test_a_frame_joins_the_one_before_it(self, opening: Opening, clock: FakeClock):
        memory = await opening()
        await told(memory, said(TRIP, 1))
        before = clock.now
        clock.advance(3600)
        await told(memory, said(AGAIN, 2), said(TEA, 3))
        other, one = await frames(memory)
        assert other.text == TEA
        assert (one.id, one.text, one.links["fused"]) == ("f-m1", f"{AGAIN}; {TRIP}", ("f-m1", "f-m2"))
        assert one.sources == tuple(p.id for p in (await memory.records("u"))[:2])
        assert [event.action for event in one.events] == [TRIP, AGAIN]
        assert one.valid is not None
        assert (one.valid.start, one.valid.end) == (START + timedelta(hours=1), START + timedelta(hours=2))
        old = await memory.get("u", "f-m1", as_of=before)
        assert old is not None
        assert (old.text, len(old.sources)) == (TRIP, 1)
        assert await memory.get("u", "f-m2") is None

    async def test_one_that_is_forgotten_is_in_no_other(self, opening: Opening):
        memory = await opening()
        await told(memory, said(TRIP, 1))
        await told(memory, said(AGAIN, 2))
        assert await memory.forget("u", ids=["f-m2"])
        (one,) = await frames(memory)
        assert one.links["fused"] == ("f-m1",)
        assert await memory.check() == []

    async def test_every_source_is_found_still(self, opening: Opening):
        memory = await opening()
        await told(
            memory, said(TRIP, 1), said(AGAIN, 2), *(said(f"a {word}", n, "Bo") for n, word in enumerate(WORDS, 3))
        )
        for query in (TRIP, AGAIN):
            found = await memory.recall("u", query, Plan(limit=2, kinds=("passage", "frame")))
            assert {hit.record.text for hit in found.hits if isinstance(hit.record, Passage)} == {TRIP, AGAIN}
        (frame,) = [f for f in await frames(memory) if "fused" in f.links]
        assert frame in [hit.record for hit in (await memory.recall("u", TRIP)).hits]

    async def test_one_after_the_other_in_one_window(self, opening: Opening):
        memory = await opening()
        await told(memory, *(said(f"{TRIP} {n}", n) for n in range(4)))
        (frame,) = await frames(memory)
        assert (frame.id, frame.links["fused"]) == ("f-m0", ("f-m0", "f-m1", "f-m2", "f-m3"))
        assert len(frame.sources) == 4
        assert all(f"{TRIP} {n}" in frame.text for n in range(4))

    @pytest.mark.parametrize(
        "second",
        [
            said("The blue kettle whistles", 2),
            said(AGAIN, 2, "Bo"),
            said(AGAIN, 200, session="other"),
            said(AGAIN, 200),
            said("Nora sailed from Porto", 2),
        ],
        ids=["unlike", "of others", "elsewhere", "of another time", "a little alike"],
    )
    async def test_but_not_any(self, opening: Opening, second: Message):
        memory = await opening()
        await told(memory, said(TRIP, 1), second)
        assert sorted(await texts(memory)) == sorted([TRIP, second.content])
        assert await waiting(memory) == {}

    async def test_only_the_one_before(self, opening: Opening):
        memory = await opening()
        await told(memory, said(TRIP, 1), said(TEA, 2), said(AGAIN, 80))
        assert await texts(memory) == [TRIP, TEA, AGAIN]

    async def test_what_came_before_is_the_last_that_arrived_however_often_it_was_renewed(self, opening: Opening):
        memory = await opening(llm=ScriptedLLM())
        await told(memory, said(TRIP, 1), said(AGAIN, 2), said(TEA, 3))
        await told(memory, said(f"{TEA}, Nora says so", 4))
        assert sorted(frame.id for frame in await frames(memory)) == ["f-m1", "f-m3"]

    async def test_chinese(self, opening: Opening):
        memory = await opening()
        await told(memory, said("小雨周末开船去了法鲁", 1, "小雨"), said("小雨周末开船去了法鲁和波尔图", 2, "小雨"))
        assert await texts(memory) == ["小雨周末开船去了法鲁和波尔图；小雨周末开船去了法鲁"]

    async def test_a_full_frame_takes_no_more(self, opening: Opening):
        memory = await opening()
        await told(memory, *(said(f"{TRIP} {'again ' * 80}{n}", n) for n in range(3)))
        assert sorted(len(frame.sources) for frame in await frames(memory)) == [1, 2]
        assert max(map(len, await texts(memory))) <= LONGEST

    async def test_what_rules_made_is_left_alone(self, opening: Opening):
        memory = await opening(extractor=None)
        await told(memory, said(TRIP, 1), said(AGAIN, 100))
        assert len(await frames(memory)) == 2
        assert not [frame for frame in await frames(memory) if "fused" in frame.links]

    async def test_not_where_it_is_turned_off(self, opening: Opening):
        memory = await opening(settings=Settings(fuse=False), llm=ScriptedLLM())
        await told(memory, said(TRIP, 1), said(AGAIN, 2))
        assert await texts(memory) == [TRIP, AGAIN]

    async def test_not_without_an_embedder(self, opening: Opening):
        memory = await opening(embedder=None)
        await memory.remember("u", [said(TRIP, 1), said(AGAIN, 2)])
        await memory.flush()
        assert await texts(memory) == [TRIP, AGAIN]
        assert "fuse" not in await waiting(memory)

    @pytest.mark.parametrize("wrong", [{"fuse": 1}, {"judged": 0}, {"candidates": 0}])
    def test_the_settings_are_checked(self, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput):
            Settings(**wrong)


# --- forgetting -------------------------------------------------------------------------------------------------


class TestForgetting:
    @pytest.mark.parametrize(("gone", "left"), [("m1", AGAIN), ("m2", TRIP)])
    async def test_the_rest_of_a_fused_frame_is_drawn_anew(self, opening: Opening, gone: str, left: str):
        memory = await opening()
        await told(memory, said(TRIP, 1), said(AGAIN, 2))
        assert len(await frames(memory)) == 1
        assert await memory.forget("u", refs=[gone])
        assert await texts(memory) in ([], [left])
        await told(memory)
        assert await texts(memory) == [left]
        assert all(hit.record.text == left for hit in (await memory.recall("u", "Nora sailed")).hits)

    async def test_what_was_fused_is_no_candidate(self, opening: Opening):
        async def judge(_: str) -> str:
            return "{}"

        llm = Judge(judge)
        memory = await opening(llm=llm)
        await told(memory, said(TRIP, 1), said(AGAIN, 2))
        await told(memory, said(PATCH, 3, session="b"))
        (shown,) = llm.asked
        assert re.findall(r"CANDIDATE .*\n(.*)", shown) == [f"{AGAIN}; {TRIP}"]

    async def test_what_is_forgotten_while_the_model_thinks_does_not_come_back(self, opening: Opening):
        memory: AsyncMemory

        async def judge(_: str) -> str:
            await memory.forget("u", ids=["f-m1"])
            return answer(0)

        memory = await opening(llm=Judge(judge))
        await told(memory, said(TRIP, 1, session="a"))
        await told(memory, said(AGAIN, 2, session="b"))
        assert await texts(memory) == [AGAIN]

    async def test_what_the_model_was_shown_of_it_is_in_no_summary(self, opening: Opening):
        """Neither of the frame that told of it nor of another one; the others are fused all the same."""
        memory: AsyncMemory

        async def judge(shown: str) -> str:
            assert AGAIN in shown
            await memory.forget("u", refs=["m2"])
            return answer(0, 1, summary="It was with Ivo")

        memory = await opening(llm=Judge(judge))
        await told(memory, said(TRIP, 1), said(AGAIN, 2), said(TEA, 3, session="c"))
        await told(memory, said(PATCH, 4, session="b"), said(f"{TEA}, says Bo", 5, "Bo", session="d"))
        assert sorted(await texts(memory)) == sorted([TRIP, PATCH, f"{TEA}, says Bo; {TEA}"])
        assert "Ivo" not in repr(await versions(memory))


# --- gathered ---------------------------------------------------------------------------------------------------


class TestGathered:
    async def test_frames_of_any_session_are_clustered(self, opening: Opening):
        memory = await opening()
        await told(memory, said(TRIP, 1, session="a"), said(TEA, 2, session="a"), said(AGAIN, 3, session="b"))
        assert await texts(memory) == [TEA, f"{AGAIN}; {TRIP}"]

    async def test_also_with_what_is_long_known(self, opening: Opening):
        memory = await opening()
        await told(memory, said(TRIP, 1, session="a"))
        await told(memory, said(AGAIN, 3, session="b"))
        (frame,) = await frames(memory)
        assert (frame.id, frame.session) == ("f-m1", "a")

    @pytest.mark.parametrize(
        "other", [said(AGAIN, 3, "Bo", session="b"), said(AGAIN, 90, session="b")], ids=["of others", "later"]
    )
    async def test_but_not_any(self, opening: Opening, other: Message):
        memory = await opening()
        await told(memory, said(TRIP, 1, session="a"), other)
        assert await texts(memory) == [TRIP, AGAIN]

    async def test_they_wait_for_ten_while_there_is_more_to_extract(self, opening: Opening):
        memory = await opening(background=True, settings=Settings(window=3))
        await memory.remember("u", said("not yet", 99, session="open"))
        talk = [said(word, n) for n, word in enumerate(WORDS)]
        await memory.remember("u", talk[: GATHER - 1])
        await until(lambda: same(memory, {"extract": 1, "fuse": GATHER - 1}))
        await memory.remember("u", talk[GATHER - 1 :])
        await until(lambda: same(memory, {"extract": 1}))

    async def test_or_until_the_talk_has_paused(self, opening: Opening, clock: FakeClock):
        memory = await opening(background=True, settings=Settings(window=2))
        await memory.remember("u", [said(TRIP, 1), said(TEA, 2), said("not yet", 3)])
        await until(lambda: same(memory, {"extract": 1, "fuse": 2}))
        clock.advance(60)
        await memory.remember("other", "")
        await until(lambda: same(memory, {}))

    async def test_what_waits_is_not_looked_at_until_then(self, opening: Opening, clock: FakeClock):
        memory = await opening(background=True, settings=Settings(window=2))
        await memory.remember("u", [said(TRIP, 1), said(TEA, 2), said("not yet", 3)])
        await until(lambda: same(memory, {"extract": 1, "fuse": 2}))
        await until(lambda: at_rest(memory, clock))


async def at_rest(memory: AsyncMemory, clock: FakeClock) -> bool:
    """Whether no work is due."""
    tasks: tuple[Task, ...] = ("embed", "extract", "fuse")
    return not any([await memory._store.pending("u", task, 1, due=clock()) for task in tasks])


async def same(memory: AsyncMemory, pending: dict[str, int]) -> bool:
    return await waiting(memory) == pending


# --- what a caller wrote ----------------------------------------------------------------------------------------


class TestAuthored:
    """What a caller wrote is nobody's to rewrite: it joins nothing, and nothing joins it."""

    OWN = Frame(
        scope="", id="", text=TRIP, valid=Interval.at(START), links={"names": ("e",)},
        events=(Event(participants=("Nora",), action=TRIP),),
    )  # fmt: skip

    @pytest.mark.parametrize("session", ["default", "other"])
    async def test_a_frame_of_a_callers_own_stays_alone(self, opening: Opening, session: str):
        memory = await opening()
        (own,) = await memory.add("u", self.OWN)
        await memory.flush("u")
        await told(memory, said(AGAIN, 2, session=session))
        assert await texts(memory) == [TRIP, AGAIN]
        kept = await memory.get("u", own)
        assert kept is not None
        assert (kept.text, kept.sources) == (TRIP, ())
        assert len(await memory.history("u", own)) == 1

    async def test_it_stands_in_no_others_way(self, opening: Opening):
        memory = await opening()
        await told(memory, said(TRIP, 1))
        await memory.add("u", [replace(self.OWN, text=f"{TRIP} {word}") for word in (*WORDS, *"abcdefgh")])
        await memory.flush("u")
        await told(memory, said(AGAIN, 2, session="b"))
        (frame,) = [frame for frame in await frames(memory) if frame.sources]
        assert frame.links["fused"] == ("f-m1", "f-m2")

    async def test_no_model_is_asked_about_it(self, opening: Opening):
        llm = ScriptedLLM([answer(0)])
        memory = await opening(llm=llm)
        await memory.add("u", self.OWN)
        await memory.flush("u")
        await told(memory, said(AGAIN, 2, session="b"))
        assert llm.calls == []
        assert await texts(memory) == [TRIP, AGAIN]

    @pytest.mark.parametrize("session", ["default", "other"])
    async def test_nor_one_that_a_caller_reworded(self, opening: Opening, session: str):
        memory = await opening()
        await told(memory, said(TEA, 1))
        await memory.revise("u", "f-m1", text=TRIP)
        await memory.flush("u")
        await told(memory, said(AGAIN, 2, session=session))
        assert sorted(await texts(memory)) == [TRIP, AGAIN]

    async def test_what_it_says_of_a_fact_that_ended_is_not_judged(self, opening: Opening):
        memory = await opening()
        await told(memory, TestOverturned.HOME)
        (home,) = await memory.records("u", "fact")
        (own,) = await memory.add("u", replace(self.OWN, text="Porto is where she lives", links={
            "names": home.links["subject"],
        }))  # fmt: skip
        await told(memory, TestOverturned.MOVE)
        kept = await memory.get("u", own)
        assert kept is not None
        assert CONTESTED not in kept.meta


# --- judged by a language model ---------------------------------------------------------------------------------


class Judge:
    """A language model that is a function of what it is shown; `asked` holds what that was."""

    def __init__(self, reply: Callable[[str], Awaitable[str]]) -> None:
        self._reply = reply
        self.asked: list[str] = []

    async def chat(self, messages: Sequence[Mapping[str, str]], **_: Any) -> Reply:
        assert messages[0]["content"] == JUDGEMENT
        self.asked.append(messages[1]["content"])
        return Reply(text=await self._reply(self.asked[-1]))


def answer(*targets: int | None, **more: Any) -> str:
    given = {"coherence": "STRONG", "summary": None, **more}
    return json.dumps({"verdicts": [{"frame": n, "target_id": target, **given} for n, target in enumerate(targets)]})


PATCH = "Her boat sailed from Porto"
"""Like the trip, but not so that a rule would make them one."""


class TestJudged:
    async def pair(self, opening: Opening, *replies: str | Exception) -> tuple[AsyncMemory, ScriptedLLM]:
        """A known frame and a new one that is judged."""
        llm = ScriptedLLM(replies)
        memory = await opening(llm=llm)
        await told(memory, said(TRIP, 1, session="a"))
        assert llm.calls == []
        await memory.remember("u", said(PATCH, 2, session="b"))
        await memory.flush()
        assert await memory.check() == []
        return memory, llm

    async def test_strong_and_moderate_become_one(self, opening: Opening):
        memory, llm = await self.pair(opening, answer(0, coherence="MODERATE", summary="Nora went sailing"))
        (frame,) = await frames(memory)
        assert (frame.id, frame.text, len(frame.sources)) == ("f-m1", "Nora went sailing", 2)
        (call,) = llm.calls
        assert TRIP in call.text
        assert PATCH in call.text

    async def test_a_secret_in_a_summary_is_masked(self, opening: Opening):
        memory, _ = await self.pair(opening, answer(0, summary="Nora said 密码是Qwerty9876!"))
        assert await texts(memory) == ["Nora said 密码是[REDACTED]"]

    async def test_without_a_summary_nothing_is_lost(self, opening: Opening):
        memory, _ = await self.pair(opening, answer(0))
        assert await texts(memory) == [f"{TRIP}; {PATCH}"]

    @pytest.mark.parametrize(
        "reply",
        ["{}", '{"coherence":"VERY STRONG"}', '{"coherence":null}', '{"verdicts": []}', answer(0, coherence="WEAK")],
    )
    async def test_b012_what_is_no_verdict_leaves_both(self, opening: Opening, reply: str):
        memory, _ = await self.pair(opening, reply)
        known, new = await frames(memory)
        assert (known.text, known.meta, known.recorded) == (TRIP, {}, new.recorded)
        assert new.text == PATCH
        assert await waiting(memory) == {}

    async def test_b013_an_invented_id_changes_nothing_and_the_rest_applies(
        self, opening: Opening, caplog: pytest.LogCaptureFixture
    ):
        reply = {"verdicts": [{"frame": 0, "coherence": "STRONG", "target_id": "12"},
                              {"frame": 1, "coherence": "STRONG", "target_id": "1", "summary": None}]}  # fmt: skip
        llm = ScriptedLLM([json.dumps(reply)])
        memory = await opening(llm=llm)
        await told(memory, said(TRIP, 1, session="a"))
        tea = "She likes tea best of all"
        await told(memory, said(PATCH, 2, session="b"), said(TEA, 3, session="c"), said(tea, 4, session="d"))
        assert "'12'" in caplog.text
        assert len(llm.calls) == 1
        shown = llm.calls[0].text
        place = re.search(r"CANDIDATE 1 \| .*\n(.*)", shown)
        frame = re.search(r"FRAME 1 \| .*\n(.*)", shown)
        assert place is not None
        assert frame is not None
        assert {place[1], frame[1]} == {TEA, tea}
        assert [len(f.sources) for f in await frames(memory)] == [1, 1, 2]

    async def test_three_are_judged_in_one_call_against_three(self, opening: Opening):
        async def judge(shown: str) -> str:
            return answer(*[None] * 3)

        llm = Judge(judge)
        memory = await opening(llm=llm)
        await told(memory, *(said(f"{PATCH} {n}", n, session=str(n)) for n in range(7)))
        assert len(llm.asked) == 3
        assert [len(re.findall("= FRAME", shown)) for shown in llm.asked] == [3, 3, 1]
        offered = [line.split(", ") for shown in llm.asked for line in re.findall("candidates: (.*)", shown)]
        assert [len(numbers) for numbers in offered] == [3] * 7

    async def test_how_many_is_a_setting(self, opening: Opening):
        async def judge(shown: str) -> str:
            return "{}"

        llm = Judge(judge)
        memory = await opening(llm=llm, settings=Settings(judged=7, candidates=1))
        await told(memory, *(said(f"{PATCH} {n}", n, session=str(n)) for n in range(7)))
        assert len(llm.asked) == 1
        assert len(re.findall(r"candidates: \d+\n", llm.asked[0])) == 7

    async def test_two_new_ones_may_name_each_other(self, opening: Opening):
        llm = ScriptedLLM([answer(0, 1)])
        memory = await opening(llm=llm)
        await told(memory, said(TRIP, 1, session="a"), said(PATCH, 2, session="b"))
        (frame,) = await frames(memory)
        assert (frame.id, len(frame.sources)) == ("f-m1", 2)

    async def test_of_three_nothing_is_lost_whatever_the_summaries_leave_out(self, opening: Opening):
        async def judge(shown: str) -> str:
            return answer(0, 0, 0, summary="A trip.") if len(llm.asked) == 1 else "{}"

        llm = Judge(judge)
        memory = await opening(llm=llm)
        await told(memory, *(said(f"{PATCH} {n}", n, session=str(n)) for n in range(3)))
        (frame,) = await frames(memory)
        assert f"{PATCH} 0" in frame.text
        assert "A trip." in frame.text
        assert len(frame.sources) == 3

    async def test_one_that_is_like_no_other_is_not_asked_about(self, opening: Opening):
        memory = await opening(llm=ScriptedLLM())
        await told(memory, said(TRIP, 1), said(TEA, 2))
        assert await texts(memory) == [TRIP, TEA]

    @pytest.mark.parametrize("failure", [DOWN, "no JSON", '{"verdicts": [{"fra'], ids=["down", "prose", "cut off"])
    async def test_a_failing_call_loses_nothing(self, opening: Opening, failure: str | Exception, clock: FakeClock):
        memory, llm = await self.pair(opening, failure, answer(0))
        assert await texts(memory) == [TRIP, PATCH]
        assert await waiting(memory) == {"fuse": 1}
        assert (await memory.stats()).failed == 1
        clock.advance(60)
        assert (await memory.flush()).pending == 0
        assert await texts(memory) == [f"{TRIP}; {PATCH}"]
        assert len(llm.calls) == 2

    async def test_it_is_tried_as_often_as_allowed_and_then_at_the_next_opening(
        self, opening: Opening, clock: FakeClock
    ):
        llm = ScriptedLLM([DOWN] * 9)
        memory = await opening(llm=llm, background=True, settings=Settings(attempts=2, idle=0))
        await memory.remember("u", said(TRIP, 1, session="a"))
        await until(lambda: same(memory, {}))
        await memory.remember("u", said(PATCH, 2, session="b"))
        await until(lambda: same(memory, {"fuse": 1}))

        async def asked_again() -> bool:
            clock.advance(600)
            await memory.remember("u", "")
            return len(llm.calls) > 1

        await until(asked_again)
        for _ in range(5):
            await asked_again()
            await asyncio.sleep(0.1)
        assert len(llm.calls) == 2
        await memory.close()
        again = await opening(llm=ScriptedLLM([answer(0)]), background=True, settings=Settings(attempts=2))
        await until(lambda: same(again, {}))
        assert await texts(again) == [f"{TRIP}; {PATCH}"]

    async def test_what_a_dead_worker_left_is_done_by_the_next(self, opening: Opening):
        asked = asyncio.Event()

        async def hang(_: str) -> str:
            asked.set()
            await asyncio.sleep(3600)
            return "{}"

        first = await opening(llm=Judge(hang))
        await told(first, said(TRIP, 1, session="a"))
        await first.remember("u", said(PATCH, 2, session="b"))
        flushing = asyncio.create_task(first.flush())
        await asyncio.wait_for(asked.wait(), 20)
        flushing.cancel()
        await asyncio.gather(flushing, return_exceptions=True)
        await first.close(drain=0)
        second = await opening(llm=ScriptedLLM([answer(0)]))
        assert await waiting(second) == {"fuse": 1}
        assert (await second.flush()).pending == 0
        assert await texts(second) == [f"{TRIP}; {PATCH}"]
        assert await second.check() == []

    async def test_a_language_model_alone_also_extracts(self, opening: Opening):
        llm = ScriptedLLM(['{"facts": ["Nora sails"]}'])
        memory = await opening(extractor=None, llm=llm)
        await told(memory, said(TRIP, 1))
        assert [fact.text for fact in await memory.records("u", "fact")] == ["Nora sails"]

    def test_a_language_model_is_one(self):
        with pytest.raises(InvalidInput):
            AsyncMemory("x.db", llm="gpt")  # pyright: ignore[reportArgumentType]


# --- where a fact is overturned ---------------------------------------------------------------------------------


class TestOverturned:
    HOME = said("Nora lives in Porto", 1)
    MOVE = said("Now at last Nora lives in Faro, she says, and Porto is behind her", 2)

    async def test_what_tells_of_it_is_marked_and_not_rewritten(self, opening: Opening):
        embedder = HashEmbedder(256)
        memory = await opening(embedder=embedder)
        window = said("From the window she sees Porto", 80)
        await told(memory, self.HOME, window, said(TEA, 81), said("Bo flew to Porto", 82, "Bo"))
        before = {frame.id: frame for frame in await frames(memory)}
        embedder.calls.clear()
        await told(memory, self.MOVE)
        facts = await memory.records("u", "fact")
        assert [f.text for f in facts] == ["Nora lives in Faro"]
        after = {frame.id: frame for frame in await frames(memory)}
        assert {i: frame.text for i, frame in after.items()} == {
            **{i: frame.text for i, frame in before.items()}, "f-m2": self.MOVE.content,
        }  # fmt: skip
        marked = {frame.id for frame in after.values() if CONTESTED in frame.meta}
        assert marked == {"f-m1", "f-m80"}
        assert not {window.content, self.HOME.content} & {text for call in embedder.calls for text in call}
        await told(
            memory, said(window.content, 83, session="x")
        )  # it has its vector still, and is found to be like this
        assert len(await frames(memory)) == len(after)

    async def test_the_mark_goes_with_a_fact_that_is_forgotten(self, opening: Opening):
        memory = await opening()
        await told(memory, self.HOME, said("From the window she sees Porto", 80))
        (home,) = await memory.records("u", "fact")
        await told(memory, self.MOVE)
        assert home.id in next(f for f in await frames(memory) if f.id == "f-m80").meta[CONTESTED]
        await memory.forget("u", refs=["m1"])
        assert not [frame.id for frame in await frames(memory) if CONTESTED in frame.meta]

    async def test_a_language_model_judges_them_anew_and_knows_why(self, opening: Opening):
        async def judge(shown: str) -> str:
            return answer(0, summary="Nora lived in Porto, by a window") if "KNOWN" in shown else "{}"

        llm = Judge(judge)
        memory = await opening(llm=llm)
        await told(memory, self.HOME, said(TEA, 80), said("In Porto Nora looks from a window", 81))
        await told(memory, self.MOVE)
        (shown,) = [shown for shown in llm.asked if "KNOWN" in shown]
        assert "\nNora lives in Porto\n" in shown[: shown.index("CANDIDATE")]
        home, *others = sorted(await frames(memory), key=lambda frame: frame.id)
        assert (home.id, home.text, len(home.sources)) == ("f-m1", "Nora lived in Porto, by a window", 2)
        assert home.meta[CONTESTED]
        assert [frame.id for frame in others] == ["f-m2", "f-m80"]

    async def test_they_are_marked_once_however_often_the_model_is_asked(self, opening: Opening, clock: FakeClock):
        async def judge(shown: str) -> str:
            if "KNOWN" in shown and failing:
                raise failing.pop()
            return "{}"

        failing = [DOWN]
        memory = await opening(llm=Judge(judge))
        await told(memory, self.HOME, said(TEA, 80), said("In Porto Nora looks from a window", 81))
        await memory.remember("u", self.MOVE)
        assert (await memory.flush()).errors == ("the host is down",)
        marked = await versions(memory)
        assert [f.id for f in marked if CONTESTED in f.meta] == ["f-m1", "f-m81"]
        clock.advance(60)
        assert (await memory.flush()).pending == 0
        assert failing == []
        assert await versions(memory) == marked

    async def test_not_where_a_person_decides(self, opening: Opening):
        memory = await opening(settings=Settings(resolve=False))
        await told(memory, self.HOME, self.MOVE)
        assert not [frame for frame in await frames(memory) if CONTESTED in frame.meta]

    async def test_a_mark_leaves_a_frame_in_the_queue(self, opening: Opening):
        memory = await opening(background=True, settings=Settings(window=2))
        await memory.remember("u", [self.HOME, self.MOVE, said("not yet", 3)])
        await until(lambda: same(memory, {"extract": 1, "fuse": 2}))
        (home,) = [frame for frame in await frames(memory) if frame.id == "f-m1"]
        assert home.meta.get(CONTESTED)


# --- how much it takes ------------------------------------------------------------------------------------------


class Metered(HashEmbedder):
    """Counts the calls; those for questions apart."""

    def __init__(self, inner: HashEmbedder) -> None:
        super().__init__(inner.dimensions)
        self.inner, self.batches = inner, 0

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        self.batches += role == "passage"
        return await self.inner.embed(texts, role)


class MeteredLLM:
    """Counts the calls for extraction and for judgement."""

    def __init__(self, inner: LLM) -> None:
        self.inner, self.extractions, self.judgements = inner, 0, 0

    async def chat(self, messages: Sequence[Mapping[str, str]], **options: Any) -> Reply:
        judged = messages[0]["content"] == JUDGEMENT
        self.judgements += judged
        self.extractions += not judged
        return await self.inner.chat(messages, **options)


class Model:
    """Makes three frames of a window of eight, of one subject each, and integrates every second frame it judges."""

    async def chat(self, messages: Sequence[Mapping[str, str]], **_: Any) -> Reply:
        shown = messages[1]["content"]
        if messages[0]["content"] == JUDGEMENT:
            first = [int(numbers.split(", ")[0]) for numbers in re.findall("candidates: (.*)", shown)]
            return Reply(text=answer(*(number if n % 2 else None for n, number in enumerate(first))))
        said = re.findall(r"\[(\d+)\] .*\n(.*)", shown)
        step = max(len(said) * 3 // 8, 1)
        drawn = [said[start::step] for start in range(step)]
        reply = [
            {"sources": [label for label, _ in part], "summary": part[0][1],
             "events": [{"participants": ["Nora"], "action": part[0][1]}]}
            for part in drawn
        ]  # fmt: skip
        return Reply(text=json.dumps({"frames": reply}))


def talk(count: int) -> list[Message]:
    """Messages of which each has some words of the others."""
    return [
        said(" ".join(WORDS[(n * step) % len(WORDS)] for step in (1, 3, 5, 7)) + f" {n}", n, session=str(n // 40))
        for n in range(count)
    ]  # fmt: skip


class TestHowMuchItTakes:
    @pytest.mark.parametrize("bulk", [True, False], ids=["at once", "message by message"])
    async def test_calls(self, opening: Opening, bulk: bool):
        embedder, llm = Metered(HashEmbedder(256)), MeteredLLM(Model())
        memory = await opening(embedder=embedder, extractor=None, llm=llm, background=not bulk)
        messages = talk(200)
        if bulk:
            await memory.remember("u", messages)
        else:
            for start in range(0, 200, 8):
                await memory.remember("u", messages[start : start + 8])
                await until(lambda: quiet(memory))
        assert (await memory.flush()).errors == ()
        assert await waiting(memory) == {}
        assert await memory.check() == []
        windows = 200 / 8
        assert windows <= llm.extractions <= 0.15 * 200
        assert 0 < llm.judgements <= 0.15 * 200
        assert 0 < embedder.batches <= 3 * (windows + 1)
        fused = [frame for frame in await frames(memory) if "fused" in frame.links]
        assert fused
        kept = {source for frame in await frames(memory) for source in frame.sources}
        assert kept == {passage.id for passage in await memory.records("u")}


async def quiet(memory: AsyncMemory) -> bool:
    """Whether nothing is left but what waits for more talk."""
    pending = await waiting(memory)
    return "embed" not in pending and pending.get("extract", 0) < 8


class Watching:
    """An extractor that looks at the queue before it adds to it: as many frames as messages."""

    name = "watching"

    def __init__(self) -> None:
        self.memory: AsyncMemory | None = None
        self.seen: list[int] = []

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        assert self.memory is not None
        self.seen.append((await waiting(self.memory)).get("fuse", 0) + len(window))
        return framed(window)


class TestBackPressure:
    async def test_no_more_wait_than_the_queue_holds(self, opening: Opening):
        extractor = Watching()
        memory = extractor.memory = await opening(extractor=extractor)
        await told(memory, *(said(f"{WORDS[n % 12]} {n} {n + 1} {n + 2}", n) for n in range(150)))
        assert 40 < max(extractor.seen) <= QUEUE
        assert len(extractor.seen) == 19

    async def test_extraction_waits_for_a_judge_that_fails_and_goes_on_when_it_is_back(
        self, opening: Opening, clock: FakeClock
    ):
        async def judge(_: str) -> str:
            if down:
                raise DOWN
            return "{}"

        down = True
        memory = await opening(llm=Judge(judge), settings=Settings(window=10))
        await memory.remember("u", [said(f"{PATCH} {n}", n, session=str(n)) for n in range(100)])
        flushed = await memory.flush()
        assert flushed.errors == ("the host is down",)
        pending = await waiting(memory)
        assert 40 <= pending["fuse"] <= QUEUE
        assert pending["extract"] >= 50
        assert len(await frames(memory)) == pending["fuse"]
        down = False
        clock.advance(600)
        for _ in range(5):
            await memory.flush()
        assert await waiting(memory) == {}
        sources = {source for frame in await frames(memory) for source in frame.sources}
        assert len(sources) == 100
        assert await memory.check() == []

    async def test_nor_does_it_wait_for_what_was_tried_as_often_as_allowed(self, opening: Opening):
        async def judge(_: str) -> str:
            raise DOWN

        memory = await opening(llm=Judge(judge), settings=Settings(window=10, attempts=1))
        await memory.remember("u", [said(f"{PATCH} {n}", n, session=str(n)) for n in range(100)])
        for _ in range(30):
            await memory.flush()
        assert await waiting(memory) == {"fuse": 100}

    async def test_what_is_held_up_is_not_looked_at_all_the_time(self, opening: Opening, clock: FakeClock):
        async def judge(_: str) -> str:
            raise DOWN

        memory = await opening(llm=Judge(judge), background=True, settings=Settings(window=10, attempts=99))
        await memory.remember("u", [said(f"{WORDS[n % 12]} {PATCH}", n, session=str(n)) for n in range(60)])
        clock.advance(60)
        await memory.remember("other", "")
        await until(lambda: full(memory))
        for _ in range(20):
            clock.advance(POLL / 100)
            await memory.remember("other", "")
        await until(lambda: at_rest(memory, clock))


async def full(memory: AsyncMemory) -> bool:
    return (await waiting(memory)).get("fuse", 0) > QUEUE - 10
