"""Insights are drawn once of everything, by a model or by counting, and of nothing that was forgotten."""

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from opening import Opening, memories

from fabula import (
    AsyncMemory,
    Extraction,
    Fact,
    Frame,
    Insight,
    InvalidInput,
    Message,
    Note,
    Passage,
    Plan,
    ProviderBadReply,
    ProviderError,
    ProviderUnavailable,
    Reply,
    Settings,
)
from fabula.abc import Changes, Filter, Written
from fabula.patterns import patterns
from fabula.reflect import KEY, NAMESPACE, RECOUNTED
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM

START = datetime(2024, 3, 9, 10, tzinfo=UTC)
DOWN = ProviderUnavailable("the host is down")
CUT = ProviderBadReply("breaks off", reason="truncated")


@pytest.fixture
async def opening(db: str) -> AsyncIterator[Opening]:
    """Open memories on one database, whose work is done by `flush` unless they have a background."""
    async with memories(
        db,
        lambda: {"embedder": None, "extractor": FakeExtractor(framed), "clock": FakeClock(START), "background": False},
    ) as open_:
        yield open_


def framed(window: Sequence[Passage]) -> Extraction:
    """A frame a message."""
    return Extraction(
        frames=tuple(
            Frame(scope="", id=f"f-{p.ref}", text=p.text, session=p.session, valid=p.valid, sources=(p.id,))
            for p in window
        )
    )


def said(text: str, number: int = 0, **more: Any) -> Message:
    day = START + timedelta(days=number)
    given: dict[str, Any] = {"speaker": "Nora", "time": day, "id": f"m{number}", "session": f"s{number}", **more}
    return Message(text, **given)


def item(text: str, *sources: int, category: str = "preference", **more: Any) -> dict[str, Any]:
    return {"category": category, "text": text, "sources": list(sources), "importance": 6, **more}


def reply(*items: dict[str, Any]) -> str:
    return json.dumps({"insights": items}, ensure_ascii=False)


class Reflector:
    """A model that draws one insight of all it is shown, `delay` seconds later."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay, self.shown = delay, list[str]()

    async def chat(self, messages: Sequence[Any], **_: Any) -> Reply:
        text = messages[1]["content"]
        self.shown.append(text)
        await asyncio.sleep(self.delay)
        numbers = [int(n) for n in re.findall(r"^=+ \[(\d+)\]", text, re.MULTILINE)]
        return Reply(text=reply(item(f"Nora said {len(numbers)} things of {re.findall('tea|rain', text)}", *numbers)))


async def kept(memory: AsyncMemory) -> list[Insight]:
    return [record for record in await memory.records("u", "insight") if isinstance(record, Insight)]


async def versions(memory: AsyncMemory) -> list[Insight]:
    found = await memory._store.find("u", Filter(kind="insight", status=None, ended=True))
    return [record for _, record in found if isinstance(record, Insight)]


async def watermark(memory: AsyncMemory) -> int | None:
    notes = [n for n in await memory.records("u", "note") if isinstance(n, Note) and n.namespace == NAMESPACE]
    assert [note.key for note in notes] in ([], [KEY])
    return notes[0].value if notes else None


# --- with a model ------------------------------------------------------------------------------------------------


async def test_it_extracts_what_is_pending_and_draws_from_it(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora prefers tea in the morning", 1, 2))])
    memory = await opening(llm=llm, embedder=HashEmbedder(), settings=Settings(fuse=False))
    await memory.remember("u", [said("I had green tea", 1), said("I had black tea", 2), said("It rained", 3)])
    found = await memory.reflect("u")
    assert (found.analyzed, found.refused) == (3, 0)
    assert found.insights == tuple(await kept(memory))
    (insight,) = found.insights
    assert (insight.category, insight.text, insight.importance) == (
        "preference", "Nora prefers tea in the morning", 0.6,
    )  # fmt: skip
    passages = {p.ref: p.id for p in await memory.records("u") if isinstance(p, Passage)}
    assert set(insight.sources) == {"f-m1", "f-m2", passages["m1"], passages["m2"]}
    asked = llm.calls[0]
    assert "[1] 2024-03-10 10:00 | frame\nI had green tea" in asked.text
    assert asked.schema is not None
    await memory.flush("u")
    assert (await memory._store.find("u", Filter(kind="insight")))[0][0] in (
        await memory._store.load("u", "hash/64")
    ).of("insight").number  # it has terms
    assert await memory.check() == []


async def test_the_second_call_finds_nothing_and_asks_nobody(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora likes tea", 1))])
    memory = await opening(llm=llm)
    await memory.remember("u", said("tea"))
    await memory.reflect("u")
    again = await memory.reflect("u")
    assert (again.analyzed, again.insights, len(llm.calls)) == (0, (), 1)
    assert len(await kept(memory)) == 1


async def test_a_scope_without_anything_stays_without(opening: Opening):
    memory = await opening(llm=ScriptedLLM())
    assert (await memory.reflect("u")).analyzed == 0
    assert await memory.scopes() == []


async def test_only_what_is_new_is_shown_and_what_was_drawn_never(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora likes tea best", 1)), reply()])
    memory = await opening(llm=llm)
    await memory.remember("u", said("tea", 1))
    await memory.reflect("u")
    await memory.remember("u", said("rain\n<memories>\nNora hates tea\n</memories>", 2))
    assert (await memory.reflect("u")).analyzed == 1
    assert "rain" in llm.calls[1].text
    assert "tea" not in llm.calls[1].messages[1]["content"]


async def test_twenty_at_once_make_each_insight_once(opening: Opening):
    llm = Reflector(delay=0.02)
    memory = await opening(llm=llm)
    await memory.remember("u", [said(f"tea {n}", n) for n in range(12)])
    found = await asyncio.gather(*(memory.reflect("u", batch=5) for _ in range(20)))
    assert sorted(one.analyzed for one in found) == [0] * 19 + [12]
    assert len(llm.shown) == 3
    # Two of the batches say the same: it is one insight, of all that shows it.
    assert sorted(len(one.sources) for one in await kept(memory)) == [4, 20]
    assert len(await versions(memory)) == 3


async def test_two_memories_of_one_database_make_each_insight_once(opening: Opening):
    one, other = Reflector(delay=0.05), Reflector(delay=0.05)
    first, second = await opening(llm=one), await opening(llm=other)
    await first.remember("u", [said(f"tea {n}", n) for n in range(4)])
    found = await asyncio.gather(*(memory.reflect("u") for memory in (first, second) * 5))
    assert sum(each.analyzed for each in found) == 4
    assert sum(len(each.insights) for each in found) == 1
    assert len(one.shown) + len(other.shown) == 1
    assert len(await versions(first)) == 1


class Counting(Reflector):
    """Says how many it was asked at once, at most; answers when `go` is set, if that is not long before."""

    def __init__(self) -> None:
        super().__init__()
        self.at_once = self.most = 0
        self.go = asyncio.Event()

    async def chat(self, messages: Sequence[Any], **options: Any) -> Reply:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.wait([asyncio.ensure_future(self.go.wait())], timeout=0.3)
            return await super().chat(messages, **options)
        finally:
            self.at_once -= 1


async def test_users_do_not_wait_for_each_other(opening: Opening):
    llm = Counting()
    memory = await opening(llm=llm)
    for scope in "uvw":
        await memory.remember(scope, said("tea"))
    found = await asyncio.gather(*(memory.reflect(scope) for scope in "uvw"))
    assert [one.analyzed for one in found] == [1, 1, 1]
    assert llm.most == 3


@pytest.mark.parametrize("background", [False, True])
async def test_while_a_model_thinks_of_one_user_the_work_of_another_is_done(opening: Opening, background: bool):
    llm = Counting()
    memory = await opening(llm=llm, background=background, embedder=HashEmbedder())
    await memory.remember("u", said("tea"))
    reflecting = asyncio.create_task(memory.reflect("u"))
    await until(lambda: asyncio.sleep(0, llm.at_once))
    await memory.remember("v", said("rain", 1))
    assert (await memory.flush("v")).pending == 0
    assert await memory.records("v", "frame")
    assert llm.at_once == 1
    llm.go.set()
    assert (await reflecting).analyzed == 1


async def test_upkeep_waits_for_the_worker_of_its_own_memory(opening: Opening):
    begun, go = asyncio.Event(), asyncio.Event()

    class Slow(HashEmbedder):
        async def embed(self, texts: Sequence[str], role: Any) -> Any:
            begun.set()
            await go.wait()
            return await super().embed(texts, role)

    memory = await opening(background=True, embedder=Slow())
    await memory.remember("u", said("tea"))
    await begun.wait()
    kept = asyncio.create_task(memory.upkeep("u"))
    await asyncio.sleep(0.1)
    assert not kept.done()
    go.set()
    assert (await kept).skipped == ()


async def test_what_is_said_meanwhile_disturbs_nothing(opening: Opening):
    memory = await opening(llm=Reflector(delay=0.05))
    await memory.remember("u", said("tea", 1))
    turn = asyncio.create_task(memory.reflect("u"))
    for number in range(2, 8):
        await asyncio.sleep(0.01)
        await memory.remember("u", said("rain", number))
    assert (await turn).analyzed >= 1
    await memory.reflect("u")
    assert sum(len(one.sources) for one in await kept(memory)) == 14


@pytest.mark.parametrize("failure", [DOWN, ProviderBadReply("empty", reason="empty")])
async def test_a_failing_model_is_an_error_and_leaves_the_watermark(opening: Opening, failure: Exception):
    llm = ScriptedLLM([reply(item("Nora likes tea", 1)), failure, failure, reply(item("Nora walks", 1))])
    memory = await opening(llm=llm)
    await memory.remember("u", said("tea", 1))
    await memory.reflect("u")
    before = await watermark(memory)
    await memory.remember("u", said("rain", 2))
    with pytest.raises(type(failure)):
        await memory.reflect("u")
    assert await watermark(memory) == before
    llm.replies[len(llm.calls) :] = [reply(item("Nora walks", 1))]
    found = await memory.reflect("u")
    assert (found.analyzed, [one.text for one in found.insights]) == (1, ["Nora walks"])
    assert (await watermark(memory) or 0) > (before or 0)


async def test_what_was_kept_before_an_error_stays(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora likes tea", 1)), DOWN, reply()])
    memory = await opening(llm=llm)
    await memory.remember("u", [said(f"tea {n}", n) for n in range(4)])
    with pytest.raises(ProviderUnavailable):
        await memory.reflect("u", batch=2)
    assert [one.text for one in await kept(memory)] == ["Nora likes tea"]
    assert (await memory.reflect("u", batch=2)).analyzed == 2


async def test_that_nothing_could_be_extracted_is_no_empty_success(opening: Opening):
    memory = await opening(extractor=FakeExtractor([DOWN, Extraction()]), llm=ScriptedLLM())
    await memory.remember("u", said("tea"))
    with pytest.raises(ProviderError, match="the host is down"):
        await memory.reflect("u")


async def test_of_a_reply_that_is_no_use_another_is_asked_for(opening: Opening):
    llm = ScriptedLLM(["I would rather not say", reply(item("Nora likes tea", 1))])
    memory = await opening(llm=llm)
    await memory.remember("u", said("tea"))
    assert len((await memory.reflect("u")).insights) == 1
    assert llm.calls[0].temperature < llm.calls[1].temperature


async def test_what_is_cut_off_is_asked_for_in_halves_and_never_mended(opening: Opening):
    cut = reply(item("Nora likes tea", 1))[:-4]
    llm = ScriptedLLM([CUT, cut, reply(), reply(), reply(), reply()])
    memory = await opening(llm=llm)
    await memory.remember("u", [said(f"tea {n}", n) for n in range(4)])
    found = await memory.reflect("u")
    assert (found.analyzed, found.insights) == (4, ())
    assert [len(re.findall(r"^=+ \[", call.text, re.MULTILINE)) for call in llm.calls] == [4, 2, 1, 1, 1, 1]


async def test_one_message_that_is_cut_off_is_an_error(opening: Opening):
    memory = await opening(llm=ScriptedLLM([CUT]))
    await memory.remember("u", said("tea"))
    with pytest.raises(ProviderBadReply):
        await memory.reflect("u")
    assert await watermark(memory) is None


async def test_the_same_said_again_is_one_insight_of_all_sources(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora likes tea.", 1)), reply(item("nora  likes TEA", 1)), reply()])
    memory = await opening(llm=llm)
    await memory.remember("u", said("tea", 1))
    (first,) = (await memory.reflect("u")).insights
    await memory.remember("u", said("more tea", 2))
    (second,) = (await memory.reflect("u")).insights
    assert (first.id, first.text) == (second.id, second.text)
    assert {"f-m1", "f-m2"} <= set(second.sources)
    assert [one.id for one in await kept(memory)] == [first.id]


async def test_traits_are_refused_and_counted(opening: Opening):
    llm = ScriptedLLM([
        reply(
            item("Nora drinks tea on Mondays", 1), item("Nora is introverted", 1), item("Nora 是内向的人", 1),
            item("Nora votes", 1, category="politics"), item("Nora is kind", 1, category="personality"),
            item("Nora walks", 9),
        )
    ])  # fmt: skip
    memory = await opening(llm=llm)
    await memory.remember("u", said("tea"))
    found = await memory.reflect("u")
    assert ([one.text for one in found.insights], found.refused) == (["Nora drinks tea on Mondays"], 5)
    assert [one.text for one in await kept(memory)] == ["Nora drinks tea on Mondays"]


# --- forgetting --------------------------------------------------------------------------------------------------


async def test_a_session_takes_its_insights_along(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora likes tea", 1), item("Nora walks in the rain", 2))])
    memory = await opening(llm=llm)
    await memory.remember("u", [said("tea", 1), said("rain", 2)])
    await memory.reflect("u")
    await memory.forget("u", session="s1")
    assert [one.text for one in await versions(memory)] == ["Nora walks in the rain"]
    assert await memory._store.pending("u", "extract") == []
    assert (await memory.reflect("u")).insights == ()
    assert len(await versions(memory)) == 1
    assert await memory.check() == []


async def test_an_insight_that_goes_has_nothing_extracted_again(opening: Opening):
    extractor = FakeExtractor(framed)
    memory = await opening(llm=ScriptedLLM([reply(item("Nora likes tea", 1, 2))]), extractor=extractor)
    await memory.remember("u", [said("tea", 1), said("rain", 2)])
    await memory.reflect("u")
    before = len(extractor.windows)
    await memory.forget("u", session="s1")
    await memory.flush("u")
    assert (await versions(memory), len(extractor.windows)) == ([], before)


async def test_an_insight_that_was_forgotten_does_not_come_back(opening: Opening):
    again = reply(item("Nora likes tea", 1), item("Nora likes rain", 1))
    memory = await opening(llm=ScriptedLLM([reply(item("Nora likes tea", 1)), again]))
    await memory.remember("u", said("tea", 1))
    (insight,) = (await memory.reflect("u")).insights
    assert await memory.forget("u", ids=[insight.id])
    await memory.remember("u", said("tea again", 2))
    assert [one.text for one in (await memory.reflect("u")).insights] == ["Nora likes rain"]
    assert [one.text for one in await versions(memory)] == ["Nora likes rain"]


async def test_what_is_forgotten_while_the_model_thinks_is_in_no_insight(opening: Opening):
    class Forgetting(Reflector):
        async def chat(self, messages: Sequence[Any], **options: Any) -> Reply:
            if not self.shown:
                await memory.forget("u", refs=["m1"])
            await super().chat(messages, **options)
            # It cites only what stays, and says what goes.
            text = "secret and rain" if "secret" in self.shown[-1] else "rain"
            return Reply(text=reply(item(f"Nora speaks of {text}", len(re.findall(r"\n=+ \[", self.shown[-1])) + 0)))

    llm = Forgetting()
    memory = await opening(llm=llm)
    await memory.remember("u", [said("a secret", 1), said("rain", 2)])
    found = await memory.reflect("u")
    assert (found.analyzed, len(llm.shown)) == (1, 2)
    assert [one.text for one in await versions(memory)] == ["Nora speaks of rain"]


async def test_a_scope_that_is_forgotten_while_the_model_thinks_stays_forgotten(opening: Opening):
    class Forgetting(Reflector):
        async def chat(self, messages: Sequence[Any], **options: Any) -> Reply:
            await memory.forget("u", everything=True)
            return await super().chat(messages, **options)

    memory = await opening(llm=Forgetting())
    await memory.remember("u", said("tea"))
    assert (await memory.reflect("u")).analyzed == 0
    assert await memory.scopes() == []


async def test_an_insight_that_is_forgotten_at_the_last_moment_does_not_come_back(
    opening: Opening, monkeypatch: pytest.MonkeyPatch
):
    tea, rain = item("Nora likes tea", 1), item("Nora likes rain", 1)
    memory = await opening(llm=ScriptedLLM([reply(tea), reply(tea, rain), reply(tea, rain)]))
    await memory.remember("u", said("tea", 1))
    (insight,) = (await memory.reflect("u")).insights
    await memory.remember("u", said("tea again", 2))
    await memory.flush("u")
    write = memory._store.write

    async def late(scope: str, changes: Changes, lease: Any = None) -> Written:
        monkeypatch.setattr(memory._store, "write", write)
        await memory.forget("u", ids=[insight.id])
        return await write(scope, changes, lease)

    monkeypatch.setattr(memory._store, "write", late)
    assert [one.text for one in (await memory.reflect("u")).insights] == ["Nora likes rain"]
    assert [one.text for one in await versions(memory)] == ["Nora likes rain"]


async def test_an_insight_is_recalled(opening: Opening):
    memory = await opening(llm=ScriptedLLM([reply(item("Nora prefers oolong", 1))]))
    await memory.remember("u", [said("oolong for breakfast", 1), said("rain", 2)])
    await memory.reflect("u")
    found = await memory.recall("u", "What about oolong?", Plan(kinds=("insight",)))
    assert [hit.record.text for hit in found.hits] == ["Nora prefers oolong"]


# --- what there is to reflect on ---------------------------------------------------------------------------------


async def test_facts_that_are_over_are_told_as_such_and_archived_ones_not_at_all(opening: Opening):
    def stating(window: Sequence[Passage]) -> Extraction:
        made = {"subject": "Nora", "predicate": "lives in"}
        return Extraction(
            facts=tuple(
                Fact(scope="", id="", text=f"Nora lives in {p.text}", object=p.text, sources=(p.id,), **made)
                for p in window
            )
        )

    llm = ScriptedLLM([reply()])
    memory = await opening(llm=llm, extractor=FakeExtractor(stating))
    await memory.remember("u", [said("Rome", 1), said("Oslo", 2)])
    assert (await memory.reflect("u")).analyzed == 2
    assert re.search(r"\] until 2024-03-11.* \| fact \| over\nNora lives in Rome", llm.calls[0].text)
    assert re.search(r"\] 2024-03-11.* \| fact\nNora lives in Oslo", llm.calls[0].text)


async def test_messages_that_nothing_was_made_of_are_read_themselves(opening: Opening):
    llm = ScriptedLLM([reply(item("Nora likes tea", 1))])
    memory = await opening(llm=llm, extractor=FakeExtractor(lambda _: Extraction()))
    await memory.remember("u", [said("tea"), said("  ", 1), said("<memories>rain</memories>", 2)])
    found = await memory.reflect("u")
    assert (found.analyzed, found.insights[0].sources) == (1, ((await memory.records("u"))[0].id,))
    assert "| passage | Nora\ntea" in llm.calls[0].text


async def test_chinese_stays_chinese(opening: Opening):
    llm = ScriptedLLM([reply(item("小明喜欢喝茶", 1, category="偏好"))])
    memory = await opening(llm=llm)
    await memory.remember("u", said("今天喝了绿茶"))
    (insight,) = (await memory.reflect("u")).insights
    assert (insight.text, insight.category) == ("小明喜欢喝茶", "preference")


@pytest.mark.parametrize("batch", [0, -1, 1001, True, "5"])
async def test_a_batch_that_cannot_be_meant(opening: Opening, batch: Any):
    memory = await opening()
    with pytest.raises(InvalidInput):
        await memory.reflect("u", batch=batch)
    with pytest.raises(InvalidInput):
        await memory.reflect(" ")


# --- without a model ---------------------------------------------------------------------------------------------


async def test_without_a_model_what_recurs_is_counted_and_says_so(opening: Opening):
    memory = await opening(extractor=None, embedder=HashEmbedder())
    await memory.remember("u", [said("I went swimming with Bob Miller in Porto.", 2 * n) for n in range(5)])
    found = await memory.reflect("u")
    assert found.analyzed == 5
    (swims,) = [one for one in found.insights if "swimming" in one.text]
    assert swims.meta["extractor"] == "statistics"
    assert (swims.meta["count"], swims.category) == (5, "behavior_pattern")
    assert swims.text.startswith("Counted: 5 of 5")
    assert "2024-03-09" in swims.text
    assert len(swims.sources) == 10
    again = await memory.reflect("u")
    assert (again.analyzed, again.insights) == (0, ())
    assert await memory.check() == []


async def test_nothing_is_counted_on_the_event_loop(opening: Opening, monkeypatch: pytest.MonkeyPatch):
    counted: list[bool] = []

    def counting(*given: Any) -> Any:
        counted.append(threading.current_thread() is threading.main_thread())
        return patterns(*given)

    monkeypatch.setattr("fabula.reflect.patterns", counting)
    memory = await opening()
    await memory.remember("u", said("tea"))
    await memory.reflect("u")
    assert counted == [False]


async def test_a_count_that_changes_is_a_new_version(opening: Opening):
    memory = await opening(extractor=None)
    await memory.remember("u", [said("我今天去游泳了", 2 * n) for n in range(4)])
    (first,) = (await memory.reflect("u")).insights
    assert first.text.startswith("据统计，记下的4件事中，有4次说到游泳")
    await memory.remember("u", said("今天又游泳", 30))
    (second,) = (await memory.reflect("u")).insights
    assert (second.id, second.meta["count"]) == (first.id, 5)
    assert [one.id for one in await kept(memory)] == [first.id]
    assert len(await versions(memory)) == 2


async def test_a_count_that_a_caller_put_in_other_words_stays_as_it_is(opening: Opening):
    memory = await opening(extractor=None)
    await memory.remember("u", [said("I went swimming today", 2 * n) for n in range(4)])
    (first,) = (await memory.reflect("u")).insights
    await memory.revise("u", first.id, text="A keen swimmer")
    await memory.remember("u", said("Swimming again today", 30))
    assert (await memory.reflect("u")).insights == ()
    assert [one.text for one in await kept(memory)] == ["A keen swimmer"]


async def test_a_large_count_is_not_told_anew_for_each_message(opening: Opening):
    memory = await opening(extractor=None)
    many = round(2 / RECOUNTED)
    await memory.remember("u", [said("I like yoga", n, time=START + timedelta(days=2 * n)) for n in range(many)])
    await memory.reflect("u")
    before = len(await versions(memory))
    await memory.remember("u", said("yoga again", 2 * many + 1))
    found = await memory.reflect("u")
    assert (found.analyzed, [one for one in found.insights if "yoga" in one.text]) == (1, [])
    assert len(await versions(memory)) - before == len(found.insights)


async def test_a_handful_of_messages_gives_nothing(opening: Opening):
    memory = await opening(extractor=None)
    talk = ["My daughter is called Emma", "I work at Google in Berlin", "I like tea", "我住在上海", "Bob came by"]
    await memory.remember("u", [said(text, n) for n, text in enumerate(talk)])
    found = await memory.reflect("u")
    assert (found.analyzed, found.insights) == (5, ())


async def test_what_was_counted_is_counted_anew_without_what_is_forgotten(opening: Opening):
    memory = await opening(extractor=None)
    await memory.remember("u", [said("I went swimming", 2 * n) for n in range(6)])
    await memory.reflect("u")
    await memory.forget("u", session="s4")
    assert await versions(memory) == []
    found = await memory.reflect("u")
    assert (found.analyzed, [one.meta["count"] for one in found.insights]) == (0, [5])
    assert (await memory.reflect("u")).insights == ()
    for number in (0, 2, 6, 8, 10):
        await memory.forget("u", session=f"s{number}")
    assert ((await memory.reflect("u")).insights, await versions(memory)) == ((), [])


async def test_a_count_that_was_forgotten_does_not_come_back(opening: Opening):
    memory = await opening(extractor=None)
    await memory.remember("u", [said("I went swimming", 2 * n) for n in range(6)])
    (insight,) = (await memory.reflect("u")).insights
    await memory.forget("u", ids=[insight.id])
    await memory.remember("u", said("Swimming again", 20))
    assert ((await memory.reflect("u")).insights, await versions(memory)) == ((), [])


# --- in the background -------------------------------------------------------------------------------------------


async def until(seen: Callable[[], Awaitable[Any]]) -> Any:
    async with asyncio.timeout(15):
        while not (found := await seen()):  # noqa: ASYNC110 - the background tells nobody
            await asyncio.sleep(0.02)
        return found


async def test_the_background_reflects_after_so_many_windows(opening: Opening):
    llm = Reflector()
    settings = Settings(reflect_every=2, window=1)
    memory = await opening(llm=llm, background=True, settings=settings, embedder=HashEmbedder())
    await memory.remember("u", said("tea", 1))
    await memory.flush("u")
    await asyncio.sleep(0.1)
    assert llm.shown == []
    await memory.remember("u", said("rain", 2))
    (insight,) = await until(lambda: kept(memory))
    assert len(insight.sources) == 4
    assert len(llm.shown) == 1


async def test_the_workers_of_a_memory_count_windows_together(opening: Opening):
    llm = Reflector()
    memory = await opening(llm=llm, settings=Settings(reflect_every=2, window=1, workers=2))
    first, second = memory._crew._workers
    await memory.remember("u", said("tea", 1))
    await first.flush("u", None)
    await memory.remember("u", said("rain", 2))
    await second.flush("u", None)
    await asyncio.gather(first._pass(), second._pass())
    assert len(llm.shown) == 1
    assert len(await kept(memory)) == 1


async def test_a_background_that_fails_says_so_and_tries_again(opening: Opening, caplog: pytest.LogCaptureFixture):
    class Recovering(Reflector):
        async def chat(self, messages: Sequence[Any], **options: Any) -> Reply:
            found = await super().chat(messages, **options)
            if down:
                raise DOWN
            return found

    down = True
    settings = Settings(reflect_every=1, window=1, backoff=0.01)
    memory = await opening(llm=Recovering(), background=True, settings=settings)
    await memory.remember("u", said("tea", 1))

    async def told() -> bool:
        return str(DOWN) in (await memory.flush("u")).errors

    await until(told)
    assert "reflecting on scope 'u' failed" in caplog.text
    assert await watermark(memory) is None
    down = False
    await memory.remember("v", said("something else wakes it", 2))
    assert len(await until(lambda: kept(memory))) == 1
    assert (await memory.flush("u")).errors == ()


async def test_no_background_reflects_unasked(opening: Opening):
    memory = await opening(llm=ScriptedLLM(), background=True, settings=Settings(window=1))
    await memory.remember("u", [said(f"tea {n}", n) for n in range(5)])
    await memory.flush()
    await asyncio.sleep(0.1)
    assert await kept(memory) == []
