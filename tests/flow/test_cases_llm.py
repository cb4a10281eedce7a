"""Field reports of language models that answered oddly, each through the whole memory, on both engines.

The id in brackets names the report. How a reply is read, item by item, is tested in unit/test_replies.py.
"""

import json
import logging
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from reports import case

from fabula import AsyncMemory, Fact, Frame, Interval, Message, Note, Passage, ProviderBadReply, Settings
from fabula.abc import Extraction, Reply
from fabula.index import FOREVER
from fabula.prompts import INSTRUCTIONS, JUDGEMENT
from fabula.render import CLOSE, HEADING, OPEN
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM
from fabula.text import hash_term, tokens
from fabula.types import KINDS, Event

IVO = ["Ivo told me everything", Message("And what did he say?", role="assistant"), "He bought a kayak"]
TEA = "Nora brews jasmine tea"
EMPTY = '{"frames": [], "facts": [], "entities": [], "profile": []}'


def opened(db: str, llm: Any, **options: Any) -> AsyncMemory:
    """A memory whose work is done by `flush` and not before."""
    given: dict[str, Any] = {"embedder": HashEmbedder(256), "clock": FakeClock(), "background": False, **options}
    return AsyncMemory(db, llm=llm, **given)


async def facts(memory: AsyncMemory) -> list[Fact]:
    return [record for record in await memory.records("u", "fact") if isinstance(record, Fact)]


async def everything(memory: AsyncMemory) -> str:
    """The words of all that was made of the talk."""
    made = [record for kind in KINDS if kind != "passage" for record in await memory.records("u", kind)]
    words = [[getattr(record, name, "") for name in ("text", "subject", "predicate", "object")] for record in made]
    return "\n".join(word for some in words for word in some)


async def sound(memory: AsyncMemory) -> None:
    flushed = await memory.flush()
    assert (flushed.pending, flushed.failed, flushed.errors) == (0, 0, ())
    assert await memory.check() == []


# --- one reply, one call ------------------------------------------------------------------------------------------

JSON = json.dumps({"facts": [TEA]})
KAYAK = {"subject": "Ivo", "predicate": "owns", "object": "kayak"}
ONE_CALL: list[tuple[str, str, list[str]]] = [
    ("B001", f"```json\n{JSON}\n```\nDone.", [TEA]),
    ("B001", f"~~~\n{JSON}\n~~~", [TEA]),
    ("B001", f"Here you are:\n\n```JSON\n{JSON}```\n\n```\nnotes\n```", [TEA]),
    ("B001", f"```json\n{JSON}", [TEA]),
    ("B002", 'Sure: {"facts":["Ivo rents flat 7"]} See note [1] and {draft}.', ["Ivo rents flat 7"]),
    ("B002", f"如[1]所述，{{草稿}}：{JSON}（完）", [TEA]),
    ("B002", json.dumps({"facts": ["Ivo says } and ] and { in [1]"]}) + " }", ["Ivo says } and ] and { in [1]"]),
    (
        "B005",
        '<think>maybe {"facts":["Ivo has a cat"]}? no</think>{"facts":["Ivo has a dog"]}',
        ["Ivo has a dog"],
    ),
    ("B005", f'maybe {{"facts":["Ivo has a cat, and more"]}}\n</think>\n```json\n{JSON}\n```', [TEA]),
    ("B005", json.dumps({"facts": [f"<think>hm, so</think>{TEA}"]}), [TEA]),
    ("B010", json.dumps([KAYAK]), ["Ivo owns kayak"]),
    ("B010", json.dumps(KAYAK), ["Ivo owns kayak"]),
    ("B010", json.dumps({"result": {"facts": [KAYAK]}}), ["Ivo owns kayak"]),
    ("B010", json.dumps({"facts": KAYAK}), ["Ivo owns kayak"]),
    ("B010", json.dumps([{"facts": [KAYAK]}, {"facts": [TEA]}]), ["Ivo owns kayak", TEA]),
    ("B010", json.dumps(KAYAK) + "\n" + json.dumps({**KAYAK, "object": "boat"}), ["Ivo owns kayak", "Ivo owns boat"]),
    (
        "B011",
        json.dumps({"facts": ["A likes plum", {"content": None}, {"content": "B likes fig"}, 7]}),
        ["A likes plum", "B likes fig"],
    ),
    ("B011", json.dumps({"facts": [TEA], "frames": "none", "entities": {"name": None}, "profile": 7}), [TEA]),
    ("B011", json.dumps({"facts": [{"text": TEA, "importance": "high", "valid_from": {}, "sources": None}]}), [TEA]),
    ("B011", '{"facts": ["Nora brews jasmine tea", NaN, [], true, ""]}', [TEA]),
    ("B013", json.dumps({"facts": [{"text": "never", "sources": ["12"]}, {"text": TEA, "sources": ["1"]}]}), [TEA]),
    ("B077", '{"facts": ["ok \\ud83d", "\\ud83c\\udf78"]}', ["ok \ufffd", "🍸"]),
    ("B076", '{"facts": ["ab\\u0000cd"], "entities": [{"name": "x\\u0000y"}]}', ["abcd"]),
]


@pytest.mark.parametrize(("reply", "kept"), [pytest.param(r, k, id=f"{i}-{n}") for n, (i, r, k) in enumerate(ONE_CALL)])
async def test_what_is_in_the_reply_is_kept_and_nothing_else(db: str, reply: str, kept: list[str]):
    llm = ScriptedLLM([reply, EMPTY])
    async with opened(db, llm) as memory:
        await memory.remember("u", IVO)
        await sound(memory)
        assert len(llm.calls) == 1
        assert sorted(fact.text for fact in await facts(memory)) == sorted(kept)
        made = await everything(memory)
        assert not [word for word in ("think>", "```", "never", "cat", "None", "\0") if word in made]
        await memory.remember("u", "a later message")
        await sound(memory)


# --- no answer is no finding ----------------------------------------------------------------------------------------


def bad(reason: str) -> ProviderBadReply:
    return ProviderBadReply(f"a reply that is {reason}", reason=reason)


CUT = '{"facts":["Nora moved to Porto","Ivo bou'
NO_ANSWER: list[tuple[str, str | Exception, int]] = [
    ("B007", bad("empty"), 3),
    ("B007", "", 3),
    ("B007", "I found no facts.", 3),
    ("B007", "null", 3),
    ("B007", "{}", 3),
    ("B007", '{"error": "busy"}', 3),
    ("B009", CUT, 4),
    ("B009", bad("truncated"), 4),
    ("B009", '{"facts":["Nora moved to Porto"],"frames":[{"summary":"Ivo bou', 4),
    ("B011", '{"facts": [null, 7]}', 3),
    ("B013", '{"facts": [{"text": "never", "sources": ["12"]}]}', 3),
]


@pytest.mark.parametrize(
    ("reply", "calls"), [pytest.param(r, c, id=f"{i}-{n}") for n, (i, r, c) in enumerate(NO_ANSWER)]
)
async def test_what_is_no_answer_leaves_the_message_to_be_asked_about_again(
    db: str, reply: str | Exception, calls: int, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    llm = ScriptedLLM([reply] * calls)
    async with opened(db, llm) as memory:
        await memory.remember("u", "I moved to Porto")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed, len(flushed.errors)) == (1, 1, 1)
        assert len(llm.calls) == calls
        assert await facts(memory) == []
        assert "Ivo bou" not in caplog.text + await everything(memory)
        assert (await memory.recall("u", "Porto")).passages[0].text == "I moved to Porto", "found by itself meanwhile"
        llm.replies.append(json.dumps({"facts": ["user moved to Porto"]}))
        await sound(memory)
        assert [fact.text for fact in await facts(memory)] == ["user moved to Porto"]


@case("B007")
async def test_nothing_to_record_is_an_answer(db: str, report: str):
    llm = ScriptedLLM([EMPTY])
    async with opened(db, llm) as memory:
        await memory.remember("u", "hello")
        await sound(memory)
        assert len(llm.calls) == 1


# --- verdicts on frames -------------------------------------------------------------------------------------------

START = datetime(2024, 3, 9, 10, tzinfo=UTC)
TRIP = "Nora sailed from Porto to Faro with her blue boat"
PATCH = "Her boat sailed from Porto"
BRACES = 'Nora wrote {user_id} and {"a": {0}} 100%s $x on her blue boat'


def framed(window: Sequence[Passage]) -> Extraction:
    """A frame a message, marked with a tag of its own."""
    return Extraction(
        frames=tuple(
            Frame(
                scope="", id=f"f-{p.ref}", text=p.text, session=p.session, valid=p.valid, sources=(p.id,),
                events=(Event(participants=("Nora",), action=p.text),), meta={"tag": p.ref}, importance=0.8,
            )
            for p in window
        )
    )  # fmt: skip


def said(text: str, number: int) -> Message:
    return Message(text, speaker="Nora", session=str(number), id=f"m{number}", time=Interval.at(START).start)


def verdict(**given: Any) -> dict[str, Any]:
    return {"frame": 0, "target_id": 0, "coherence": "STRONG", "summary": "Something else", **given}


NO_VERDICT: list[tuple[str, Any]] = [
    ("B012", {}),
    ("B012", []),
    ("B012", {"coherence": "VERY STRONG"}),
    ("B012", {"coherence": None}),
    ("B012", {"coherence": "STRONG"}),
    ("B012", {"verdicts": None}),
    ("B012", {"verdicts": [None, 7, "STRONG", [], {}]}),
    ("B012", {"verdicts": [{"frame": 0, "target_id": 0}]}),
    ("B012", {"verdicts": [{"frame": 0, "coherence": "STRONG", "summary": "Something else"}]}),
    ("B012", verdict(coherence=["STRONG"])),
    ("B012", verdict(coherence={"value": "STRONG"})),
    ("B012", verdict(coherence=True)),
    ("B012", verdict(target_id=None)),
    ("B012", verdict(target_id="")),
    ("B013", verdict(target_id="12")),
    ("B013", verdict(target_id=1)),
    ("B013", verdict(target_id=-1)),
    ("B013", verdict(target_id=0.5)),
    ("B013", verdict(target_id=[0])),
    ("B013", verdict(target_id="f-m1")),
    ("B013", verdict(frame=1)),
    ("B013", verdict(frame="f-m2")),
]


@pytest.mark.parametrize("reply", [pytest.param(r, id=f"{i}-{n}") for n, (i, r) in enumerate(NO_VERDICT)])
async def test_what_is_no_verdict_integrates_nothing(db: str, reply: Any, caplog: pytest.LogCaptureFixture):
    llm = ScriptedLLM([json.dumps(reply)])
    async with opened(db, llm, extractor=FakeExtractor(framed)) as memory:
        await memory.remember("u", said(TRIP, 1))
        await sound(memory)
        (before,) = await memory.records("u", "frame")
        await memory.remember("u", said(PATCH, 2))
        await sound(memory)
        old, new = await memory.records("u", "frame")
        assert old == before
        assert new.text == PATCH
        assert len(llm.calls) == 1
        warned = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
        if isinstance(reply, dict) and reply.get("target_id") == "12":
            assert "'12'" in warned[0]


@case("B013")
async def test_an_invented_id_leaves_the_other_verdicts(db: str, report: str):
    reply = [verdict(target_id=99, summary=None), verdict(frame=1, target_id=1, summary=None), verdict(frame=7)]
    llm = ScriptedLLM([json.dumps({"verdicts": reply})])
    async with opened(db, llm, extractor=FakeExtractor(framed)) as memory:
        await memory.remember("u", said(TRIP, 1))
        await sound(memory)
        tea = ["She likes green tea best of all", "Green tea is what she likes best"]
        await memory.remember("u", [said(PATCH, 2), said(tea[0], 3), said(tea[1], 4)])
        await sound(memory)
        shown = llm.calls[0].text
        judged, known = (re.search(rf"{what} 1 \| .*\n(.*)", shown) for what in ("FRAME", "CANDIDATE"))
        assert judged is not None
        assert known is not None
        pair = {judged[1], known[1]}
        fused = {frame.text for frame in await memory.records("u", "frame") if len(frame.sources) == 2}
        assert len(fused) == 1
        assert all(text in fused.copy().pop() for text in pair)


@case("B055", "B056")
async def test_an_integrated_frame_is_found_by_its_new_words_and_keeps_the_rest(db: str, report: str):
    """A new version has the words and the meaning of the new text only; id, tag and importance stay."""
    llm = ScriptedLLM([json.dumps(verdict(summary="Nora prefers cocoa"))])
    embedder = HashEmbedder(256)
    async with opened(db, llm, extractor=FakeExtractor(framed), embedder=embedder) as memory:
        await memory.remember("u", said("Nora likes tea, she says", 1))
        await sound(memory)
        (before,) = await memory.records("u", "frame")
        await memory.remember("u", said("Nora likes something else, she says", 2))
        await sound(memory)
        (after,) = await memory.records("u", "frame")
        assert (after.id, after.text, len(after.sources)) == (before.id, "Nora prefers cocoa", 2)
        assert (after.meta["tag"], after.importance) == (before.meta["tag"], 0.8)
        index = await memory._store.load("u", embedder.space)
        field = index.of("frame")
        (live,) = np.flatnonzero(field.recorded_to == FOREVER)
        for word, there in (("tea", False), ("cocoa", True)):
            (term,) = tokens(word)
            assert (live in field.postings.of(hash_term(term))[0]) is there
        (vector,) = await embedder.embed([after.text], "passage")
        assert float(field.vectors[live] @ vector) > 0.99


# --- what the model is told -----------------------------------------------------------------------------------------


class EchoLLM:
    """Answers with every line of the talk that is to be recorded, as a fact and as a frame."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def chat(self, messages: Sequence[Mapping[str, str]], **_: Any) -> Reply:
        if messages[0]["content"] == JUDGEMENT:
            return Reply(text="{}")
        self.asked.append(messages[1]["content"])
        lines = [line for line in self.asked[-1].partition(" TO RECORD\n")[2].split("\n") if line[:5] != "====="]
        return Reply(text=json.dumps({"facts": lines, "frames": [{"summary": line} for line in lines]}))


@case("B015")
@pytest.mark.parametrize("text", ['{user_id} and {"a": {0}} 100%s $x', "%(x)s {{}} \\1 ${y} `{z!r:>{w}}`"])
async def test_a_text_full_of_templates_is_stored_and_sent_as_it_is(db: str, report: str, text: str):
    llm = EchoLLM()
    async with opened(db, llm) as memory:
        await memory.remember("u", Message(text, speaker="{0}"))
        await sound(memory)
        assert f"| {{0}}\n{text}\n" in llm.asked[0]
        assert [fact.text for fact in await facts(memory)] == [text]


@case("B015")
async def test_a_frame_full_of_templates_is_judged_as_it_is(db: str, report: str):
    llm = ScriptedLLM(["{}"])
    async with opened(db, llm, extractor=FakeExtractor(framed)) as memory:
        await memory.remember("u", said(BRACES, 1))
        await sound(memory)
        await memory.remember("u", said("On her blue boat Nora wrote {} %s", 2))
        await sound(memory)
        assert f"\n{BRACES}\n" in llm.calls[0].text
        assert "\nOn her blue boat Nora wrote {} %s\n" in llm.calls[0].text


@case("B017")
async def test_chinese_stays_chinese(db: str, report: str):
    assert "language of the messages" in INSTRUCTIONS
    assert "in the language of the memories" in " ".join(JUDGEMENT.split())
    text = "我每周三在杭州学潜水"
    triple = {"subject": "用户", "predicate": "在学", "object": "潜水"}
    profile = [{"subject": "用户", "key": "爱好", "value": "潜水"}]
    reply = {"facts": [text, triple], "frames": [{"summary": text}], "profile": profile}
    async with opened(db, ScriptedLLM([json.dumps(reply, ensure_ascii=False)])) as memory:
        await memory.remember("u", text)
        await sound(memory)
        assert [fact.text for fact in await facts(memory)] == [text, "用户在学潜水"]
        assert [note.text for note in await memory.records("u", "note")] == ["爱好：潜水"]
        for kind in ("fact", "frame", "note"):
            assert not re.search("[a-zA-Z]", "".join(record.text for record in await memory.records("u", kind)))
        found = await memory.recall("u", "在哪里学潜水？")
        assert text in [fact.text for fact in found.facts]


ADORES = {"predicate": "adores", "object": "sonnets"}
MINE = {"key": "adores", "value": "sonnets"}


@case("B018")
@pytest.mark.parametrize(
    "reply",
    [
        {"facts": [{**ADORES, "subject": "assistant", "speaker": "assistant"}]},
        {"facts": [{**ADORES, "subject": "alice", "speaker": "assistant"}]},
        {"facts": [{**ADORES, "subject": "user", "sources": ["2"]}]},
        {"facts": [{"text": "The assistant adores sonnets", "sources": ["2"]}]},
        {"profile": [{**MINE, "subject": "alice", "sources": ["2"]}]},
        {"profile": [{**MINE, "subject": "user", "speaker": "assistant"}]},
        {"profile": [{**MINE, "speaker": "assistant"}], "facts": [{**ADORES, "subject": "Alice", "sources": ["2"]}]},
    ],
    ids=lambda reply: "-".join(f"{kind}-{items[0].get('subject')}" for kind, items in reply.items()),
)
async def test_what_an_assistant_says_is_not_the_users(db: str, report: str, reply: Any):
    """And it is no reason to ask again, or to leave the talk unread, where nothing else was said."""
    llm = ScriptedLLM([json.dumps(reply)])
    async with opened(db, llm) as memory:
        talk = [Message("Explain sonnets", speaker="alice"), Message("I adore sonnets", role="assistant")]
        await memory.remember("u", talk)
        await sound(memory)
        kept = await facts(memory)
        assert all(fact.meta["speaker"] == "assistant" for fact in kept)
        assert not [fact for fact in kept if fact.subject.lower() in ("alice", "user")]
        assert [note for note in await memory.records("u", "note") if isinstance(note, Note)] == []


@case("B018")
async def test_a_third_persons_words_keep_their_speaker(db: str, report: str):
    reply = {"facts": [{"subject": "Bob", "predicate": "adores", "object": "sonnets", "sources": ["2"]}]}
    async with opened(db, ScriptedLLM([json.dumps(reply)])) as memory:
        await memory.remember("u", [Message("Well?", speaker="alice"), Message("I adore sonnets", speaker="Bob")])
        await sound(memory)
        (fact,) = await facts(memory)
        assert (fact.subject, fact.meta["speaker"]) == ("Bob", "Bob")


@case("B020")
@pytest.mark.parametrize("rules", [False, True], ids=["a model", "rules"])
async def test_what_was_recalled_is_not_news(db: str, report: str, rules: bool):
    async with opened(db, None if rules else EchoLLM()) as memory:
        kept: list[list[str]] = []
        for n in range(5):
            block = (await memory.recall("u", "tea")).render()
            assert bool(block) is (n > 0)
            told = (f"{block}\nI like green tea", f"\n{block}", f"> {OPEN}\n> {HEADING}\n> - Ivo is a spy\n> {CLOSE}")
            await memory.remember("u", [Message(text, id=f"{n}-{place}") for place, text in enumerate(told)])
            await sound(memory)
            made = await everything(memory)
            assert not [word for word in (HEADING, OPEN, CLOSE, "spy") if word in made]
            kept.append([fact.text for fact in await facts(memory)])
        assert kept == [kept[0]] * 5
        assert ("I like green tea" in kept[0]) is not rules


# --- each message is new once ---------------------------------------------------------------------------------------


class FlakyLLM(EchoLLM):
    """Fails every other time it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: list[str] = []
        self.count = 0

    async def chat(self, messages: Sequence[Mapping[str, str]], **options: Any) -> Reply:
        self.count += messages[0]["content"] == INSTRUCTIONS
        if self.count % 2 and messages[0]["content"] == INSTRUCTIONS:
            raise bad("refused")
        reply = await super().chat(messages, **options)
        if messages[0]["content"] == INSTRUCTIONS:
            self.answered.append(messages[1]["content"])
        return reply


@case("B105")
async def test_each_message_is_new_once_though_calls_fail(db: str, report: str):
    llm = FlakyLLM()
    async with opened(db, llm, settings=Settings(window=10, fuse=False)) as memory:
        for n in range(25):
            await memory.remember("u", Message(f"message {n}", session="s"))
        for _ in range(9):
            await memory.flush()
        await sound(memory)
        new = [re.findall(r"= \[\d+\] .*\n(message \d+)", shown) for shown in llm.answered]
        assert sorted(map(len, new)) == [5, 10, 10]
        assert sorted(text for texts in new for text in texts) == sorted(f"message {n}" for n in range(25))
        assert len(await facts(memory)) == 25
