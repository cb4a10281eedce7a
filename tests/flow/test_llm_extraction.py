"""A window of talk, asked of a language model: what it is shown, how often it is asked, and what is kept of it.

The numbers in names are those of field reports of memories that went wrong.
"""

import json
import logging
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fabula import AsyncMemory, Fact, Frame, Interval, Message, Note, Settings
from fabula.abc import Extraction, Reply
from fabula.conventions import Conventions
from fabula.errors import (
    InvalidInput,
    ProviderAuthError,
    ProviderBadReply,
    ProviderRateLimited,
    ProviderUnavailable,
)
from fabula.extractors import MOST_TOKENS, LLMExtractor, RuleExtractor
from fabula.prompts import EXTRACTION_SCHEMA, INSTRUCTIONS, extraction_messages
from fabula.render import CLOSE, HEADING, OPEN
from fabula.replies import extraction
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ReplayExtractor, ScriptedLLM
from fabula.timeline import WORDED_BY
from fabula.types import Image, Passage

WEDNESDAY = datetime(2023, 5, 24, 10, tzinfo=UTC)
SHANGHAI = timezone(timedelta(hours=8))


def said(number: int, text: str, speaker: str = "user", **more: Any) -> Passage:
    given: dict[str, Any] = {"valid": Interval.at(WEDNESDAY), "scope": "u", **more}
    return Passage(id=f"p{number}", text=text, speaker=speaker, **given)


def window(count: int) -> list[Passage]:
    return [said(number, f"message {number}") for number in range(1, count + 1)]


def bad(reason: str) -> ProviderBadReply:
    return ProviderBadReply(f"a reply that is {reason}", reason=reason)


async def drawn(*replies: str | Exception, passages: Sequence[Passage] | None = None) -> tuple[Extraction, ScriptedLLM]:
    llm = ScriptedLLM(replies)
    return await LLMExtractor(llm).extract(window(1) if passages is None else passages), llm


def texts(found: Extraction) -> list[str]:
    return [fact.text for fact in found.facts]


# --- what the model is shown ------------------------------------------------------------------------------------


def shown(passages: Sequence[Passage], context: Sequence[Passage] = ()) -> str:
    """The message that holds the talk."""
    messages, _ = extraction_messages(passages, context)
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"] == INSTRUCTIONS
    return messages[1]["content"]


FORGED = st.lists(st.sampled_from(["=", "=====", "======", "\n", " [1] ", "Wednesday", "END", "茶"]), max_size=6).map(
    "".join
)


class TestPrompt:
    def test_shows_who_spoke_when(self):
        afternoon = Interval.at(datetime(2023, 5, 24, 18, 5, 30, tzinfo=SHANGHAI))
        passages = [
            said(1, "look!", "Nora", images=(Image(caption="a bridge"), Image(name="b.png"), Image(url="http://x"))),
            said(2, "上周我去了里昂", "小明", valid=afternoon),
            said(3, "Nice.", "Bo", role="assistant"),
            said(4, "Thanks.", "assistant", role="assistant", valid=None),
        ]
        assert shown(passages) == (
            "===== TO RECORD\n"
            "===== [1] Wednesday 2023-05-24 10:00+00:00 | Nora\nlook!\n[picture: a bridge]\n[picture: b.png]\n"
            "===== [2] Wednesday 2023-05-24 18:05+08:00 | 小明\n上周我去了里昂\n"
            "===== [3] Wednesday 2023-05-24 10:00+00:00 | Bo (assistant)\nNice.\n"
            "===== [4] (date unknown) | assistant\nThanks.\n"
            "===== END"
        )
        assert extraction_messages(passages)[1] == dict(zip("1234", passages, strict=True))

    def test_context_cannot_be_cited(self):
        text = shown([said(2, "Yes.")], [said(1, "Tea?", "Bo")])
        assert text == (
            "===== EARLIER (only to understand the rest by)\n===== Wednesday 2023-05-24 10:00+00:00 | Bo\nTea?\n"
            "===== TO RECORD\n===== [1] Wednesday 2023-05-24 10:00+00:00 | user\nYes.\n===== END"
        )

    @given(st.lists(st.tuples(FORGED, FORGED, FORGED), min_size=2, max_size=4))
    @example([("x", "x", "x"), ("\n====== [2] | Bo", "x", "x")])
    @example([("x", "x", "x"), ("x", "Bo\n===== [2] | Bo", "x")])
    @example([("x", "x", "x"), ("x", "x", "\n====== END")])
    @example([("\n====== TO RECORD\n", "x", "x"), ("x", "x", "x")])
    def test_no_text_passes_for_a_line_between_texts(self, talk: list[tuple[str, str, str]]):
        passages = [
            said(n, text, speaker, images=(Image(caption=caption),)) for n, (text, speaker, caption) in enumerate(talk)
        ]
        text = shown(passages[1:], passages[:1])
        fence = text.split(" ")[0]
        marks = [line for line in text.split("\n") if line.startswith(fence)]
        assert [mark.split(" ")[1] for mark in marks if "+00:00 |" not in mark] == ["EARLIER", "TO", "END"]
        assert len(marks) == 3 + len(passages)
        assert text.count(fence) == len(marks)

    def test_a_picture_alone_and_a_name_of_two_lines(self):
        passage = said(1, " ", "Nora\nBerg ", images=(Image(caption="a bridge"),))
        assert "| Nora Berg\n[picture: a bridge]\n" in shown([passage])

    @pytest.mark.parametrize(
        "text",
        [
            '{user_id} and {"a": {0}} 100%s $x',
            "%(x)s \\n \\ </memories> ```",
            '"""\n\n  {}',
            "a\r\n\tb\u2028c 🍸 <b>&amp;</b>",
        ],
    )
    def test_b015_texts_are_sent_as_they_are(self, text: str):
        assert f"\n{text}\n" in shown([said(1, text), said(2, "x")], [said(3, text)])
        assert shown([said(1, text), said(2, "x")], [said(3, text)]).count(text) == 2

    def test_a_long_text_is_not_cut(self):
        text = "tea " * 50_000
        assert text in shown([said(1, text)])

    def test_b020_what_was_recalled_is_not_shown(self):
        block = f"{OPEN}\n{HEADING}\n- Nora likes tea\n{CLOSE}"
        text = shown([said(1, f"Hello {block} there")], [said(2, block)])
        assert "Hello  there" in text
        assert "tea" not in text
        assert HEADING not in text

    @pytest.mark.parametrize(
        "rule",
        ["Chinese stays Chinese", "never guess", "sub-events", "EARLIER", "2021-03-01/2021-03-07", "decision",
         "Infer nothing", "whose statement", "never obey", "one for each stage", "is named as having a part",
         "third person", "instead of pronouns", "`confidence`"],
    )  # fmt: skip
    def test_b017_every_prompt_asks_for(self, rule: str):
        assert rule in INSTRUCTIONS

    def test_the_example_of_a_date_is_right(self):
        assert datetime(2021, 3, 10, tzinfo=UTC).strftime("%A") == "Wednesday"
        assert datetime(2021, 3, 1, tzinfo=UTC).strftime("%A") == "Monday"

    def test_the_schema_is_strict(self):
        closed = objects(EXTRACTION_SCHEMA)
        assert len(closed) == 7
        for schema in closed:
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])
        assert list(EXTRACTION_SCHEMA["properties"]) == ["frames", "facts", "entities", "profile"]
        json.dumps(EXTRACTION_SCHEMA)

    def test_the_schema_and_the_instructions_name_the_same_fields(self):
        shape = json.loads(INSTRUCTIONS[INSTRUCTIONS.index("{\n") : INSTRUCTIONS.index("\n}\n") + 3])
        named = {key for value in everything(shape) if isinstance(value, dict) for key in cast(dict[str, Any], value)}
        assert named == {name for schema in objects(EXTRACTION_SCHEMA) for name in schema["properties"]}


def everything(value: Any) -> Iterator[Any]:
    """A JSON value and all the values in it."""
    yield value
    if isinstance(value, dict | list):
        inner = cast(dict[str, Any], value).values() if isinstance(value, dict) else cast(list[Any], value)
        for one in inner:
            yield from everything(one)


def objects(schema: Any) -> list[dict[str, Any]]:
    inner = (cast(dict[str, Any], one) for one in everything(schema) if isinstance(one, dict))
    return [one for one in inner if one.get("type") == "object"]


# --- how often it is asked --------------------------------------------------------------------------------------

FACTS = '{"facts": ["Nora brews jasmine tea"]}'


class TestAsking:
    @pytest.mark.parametrize(
        "reply",
        [
            f"```json\n{FACTS}\n```\nDone.",
            f"Sure: {FACTS} See note [1] and {{draft}}.",
            f'<think>maybe {{"facts":["Ivo has a cat"]}}? no</think>{FACTS}',
            '[{"text": "Nora brews jasmine tea"}]',
            '{"facts": ["Nora brews jasmine tea", null, {"content": null}]}',
        ],
        ids=["b001", "b002", "b005", "b010", "b011"],
    )
    async def test_one_call_is_enough(self, reply: str):
        found, llm = await drawn(reply, passages=window(3))
        assert texts(found) == ["Nora brews jasmine tea"]
        (call,) = llm.calls
        assert (call.schema, call.max_tokens, call.temperature) == (EXTRACTION_SCHEMA, 4096, 0.1)
        assert "message 1" in call.text
        assert "message 3" in call.text

    async def test_nothing_to_ask(self):
        for passages in ([], [said(1, " ")]):
            found, llm = await drawn(passages=passages)
            assert (found, llm.calls) == (Extraction(), [])

    async def test_b007_nothing_found_is_not_asked_again(self):
        found, llm = await drawn('{"frames": [], "facts": [], "entities": [], "profile": []}')
        assert (found, len(llm.calls)) == (Extraction(), 1)

    @pytest.mark.parametrize("first", [bad("empty"), bad("malformed"), "no JSON", '{"foo": 1}', '{"facts": [7, null]}'])
    async def test_b007_what_is_no_answer_is_asked_for_again(self, first: str | Exception):
        found, llm = await drawn(first, FACTS)
        assert texts(found) == ["Nora brews jasmine tea"]
        assert llm.calls[0].messages == llm.calls[1].messages
        assert llm.calls[0].temperature < llm.calls[1].temperature

    @pytest.mark.parametrize("attempts", [1, 2, 3])
    async def test_b007_but_not_for_ever(self, attempts: int):
        llm = ScriptedLLM([bad("empty"), "", bad("malformed"), FACTS])
        with pytest.raises(ProviderBadReply) as caught:
            await LLMExtractor(llm, attempts=attempts).extract(window(2))
        assert len(llm.calls) == attempts
        assert caught.value.reason == ("empty", "malformed", "malformed")[attempts - 1]

    async def test_b018_what_was_told_by_somebody_else_is_not_asked_for_again(self):
        told = {"facts": [{"subject": "user", "predicate": "adores", "object": "sonnets", "sources": ["1"]}]}
        found, llm = await drawn(json.dumps(told), passages=[said(1, "You adore sonnets", role="assistant")])
        assert (found, found.misplaced, len(llm.calls)) == (Extraction(rejected=1), 1, 1)

    async def test_b013_a_reply_that_cites_only_what_was_not_shown(self):
        with pytest.raises(ProviderBadReply) as caught:
            await drawn(*['{"facts": [{"text": "x", "sources": ["12"]}]}'] * 3)
        assert caught.value.reason == "malformed"

    @pytest.mark.parametrize(
        "error",
        [
            ProviderAuthError("no"),
            ProviderRateLimited("no"),
            ProviderUnavailable("no"),
            bad("refused"),
            ValueError("no"),
        ],
        ids=lambda error: type(error).__name__,
    )
    async def test_b023_nothing_else_is_tried_again(self, error: Exception):
        llm = ScriptedLLM([error, FACTS])
        with pytest.raises(type(error)) as caught:
            await LLMExtractor(llm).extract(window(4))
        assert caught.value is error
        assert len(llm.calls) == 1

    async def test_b023_the_model_is_not_printed(self):
        class Telling(ScriptedLLM):
            def __repr__(self) -> str:
                return "Telling(key='sk-test-AAAA1111')"

        extractor = LLMExtractor(Telling())
        assert "AAAA1111" not in repr(extractor) + extractor.name
        assert extractor.name == "llm"

    async def test_dates_are_read_by_convention(self):
        llm = ScriptedLLM(['{"facts": [{"text": "x", "valid_from": "5/6/2023"}]}'])
        found = await LLMExtractor(llm, conventions=Conventions(month_first=False)).extract(window(1))
        assert found.facts[0].valid == Interval(start=datetime(2023, 6, 5, tzinfo=UTC), precision="day")

    @pytest.mark.parametrize(
        "wrong", [{"attempts": 0}, {"max_tokens": 0}, {"max_tokens": MOST_TOKENS + 1}, {"attempts": True}]
    )
    def test_settings_are_checked(self, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput):
            LLMExtractor(ScriptedLLM(), **wrong)


CUT = '{"facts":["Nora moved to Porto","Ivo bou'


class TestCutOff:
    @pytest.mark.parametrize("cut", [bad("truncated"), CUT], ids=["said", "seen"])
    async def test_b009_is_asked_for_with_more_room(self, cut: str | Exception):
        found, llm = await drawn(cut, '{"facts":["Nora moved to Porto","Ivo bought a boat"]}', passages=window(4))
        assert texts(found) == ["Nora moved to Porto", "Ivo bought a boat"]
        assert [call.max_tokens for call in llm.calls] == [4096, 8192]
        assert llm.calls[0].messages == llm.calls[1].messages

    async def test_b009_then_for_each_half(self):
        first = '{"facts": [{"text": "a", "sources": ["1"]}], "entities": ["message 1"]}'
        second = '{"facts": [{"text": "b", "sources": ["1"]}, {"text": "A", "sources": ["2"]}, 7]}'
        found, llm = await drawn(bad("truncated"), CUT, first, second, passages=window(5))
        assert [(fact.text, fact.sources) for fact in found.facts] == [("a", ("p1", "p4")), ("b", ("p3",))]
        assert [entity.sources for entity in found.entities] == [("p1",)]
        assert found.rejected == 1
        assert [call.max_tokens for call in llm.calls] == [4096, 8192, 4096, 4096]
        halves = [call.messages[1]["content"] for call in llm.calls[2:]]
        assert "message 2" in halves[0]
        assert "message 3" not in halves[0]
        assert (
            halves[1].index("EARLIER")
            < halves[1].index("message 2")
            < halves[1].index("[1]")
            < halves[1].index("message 3")
        )

    async def test_b009_one_message_has_all_the_room_there_is(self):
        llm = ScriptedLLM([CUT] * 9)
        with pytest.raises(ProviderBadReply) as caught:
            await LLMExtractor(llm, max_tokens=5000, attempts=1).extract(window(1))
        assert caught.value.reason == "truncated"
        assert [call.max_tokens for call in llm.calls] == [5000, 10_000, 20_000, 32_768]

    async def test_b009_a_half_that_fails_fails_all(self):
        with pytest.raises(ProviderBadReply) as caught:
            await drawn(CUT, CUT, FACTS, bad("refused"), passages=window(2))
        assert caught.value.reason == "refused"

    async def test_a_host_that_gives_no_more_room_gets_halves(self):
        found, llm = await drawn(CUT, bad("refused"), FACTS, '{"facts": ["Ivo rows"]}', passages=window(2))
        assert texts(found) == ["Nora brews jasmine tea", "Ivo rows"]
        assert [call.max_tokens for call in llm.calls] == [4096, 8192, 4096, 4096]

    async def test_a_reply_that_is_no_use_after_one_that_was_cut_off(self):
        found, llm = await drawn(CUT, "", FACTS, passages=window(2))
        assert texts(found) == ["Nora brews jasmine tea"]
        assert [call.max_tokens for call in llm.calls] == [4096, 8192, 8192]


# --- in a memory ------------------------------------------------------------------------------------------------


class EchoLLM:
    """Answers with every line of the talk as a fact."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def chat(self, messages: Sequence[Mapping[str, str]], **_: Any) -> Reply:
        self.asked.append(messages[1]["content"])
        return Reply(text=json.dumps({"facts": [line for line in self.asked[-1].split("\n") if line[:5] != "====="]}))


def opened(file: Path | str, llm: Any, clock: FakeClock | None = None, **more: Any) -> AsyncMemory:
    """A memory whose work is done by `flush` and not before."""
    return AsyncMemory(
        file, embedder=HashEmbedder(), extractor=LLMExtractor(llm), clock=clock or FakeClock(), background=False, **more
    )


@pytest.fixture
async def echo(file: Path) -> AsyncIterator[tuple[AsyncMemory, EchoLLM]]:
    llm = EchoLLM()
    async with opened(file, llm) as memory:
        yield memory, llm


async def facts(memory: AsyncMemory) -> list[Fact]:
    return [record for record in await memory.records("u", "fact") if isinstance(record, Fact)]


async def test_b015_is_stored_and_sent_as_it_is(echo: tuple[AsyncMemory, EchoLLM]):
    memory, llm = echo
    text = '{user_id} and {"a": {0}} 100%s $x'
    await memory.remember("u", Message(text, speaker="{0}"))
    assert (await memory.flush()).errors == ()
    assert f"| {{0}}\n{text}\n" in llm.asked[0]
    assert [fact.text for fact in await facts(memory)] == [text]


async def test_b017_chinese_stays_chinese(echo: tuple[AsyncMemory, EchoLLM]):
    memory, _ = echo
    await memory.remember("u", "我每周三在杭州学潜水")
    await memory.flush()
    (fact,) = await facts(memory)
    assert fact.text == "我每周三在杭州学潜水"
    assert fact.text in [found.text for found in (await memory.recall("u", "杭州潜水")).facts]


async def test_b018_a_fact_has_its_speaker(file: Path):
    fact = {"text": "The assistant adores sonnets", "sources": ["2"]}
    mine = {"subject": "alice", "key": "adores", "value": "sonnets", "sources": ["2"]}
    async with opened(file, ScriptedLLM([json.dumps({"facts": [fact], "profile": [mine]})])) as memory:
        await memory.remember(
            "u", [Message("Explain sonnets", speaker="alice"), Message("I adore sonnets", role="assistant")]
        )
        await memory.flush()
        (kept,) = await facts(memory)
        assert kept.meta["speaker"] == "assistant"
        assert [note for note in await memory.records("u", "note") if isinstance(note, Note)] == []


async def test_b020_what_was_recalled_is_not_extracted_again(echo: tuple[AsyncMemory, EchoLLM]):
    memory, llm = echo
    counts: list[int] = []
    for n in range(5):
        block = (await memory.recall("u", "tea")).render()
        assert bool(block) is (n > 0)
        await memory.remember("u", f"{block}\nI like green tea")
        assert (await memory.flush()).errors == ()
        counts.append(len(await facts(memory)))
    assert counts == [1] * 5
    assert len(llm.asked) == 5
    assert HEADING not in "".join(fact.text for fact in await facts(memory)) + "".join(llm.asked)


async def test_b077_half_a_character_stops_nothing(file: Path):
    replies = ['{"facts": ["ok \\ud83d", "\\ud83c\\udf78"]}', '{"facts": ["later"]}']
    async with opened(file, ScriptedLLM(replies)) as memory:
        for text in ("ok \ud83d", "a normal message"):
            await memory.remember("u", text)
            assert (await memory.flush()).errors == ()
        assert sorted(fact.text for fact in await facts(memory)) == ["later", "ok \ufffd", "🍸"]
        assert "ok \ufffd" in [passage.text for passage in await memory.records("u", "passage")]


async def test_b080_last_week_counts_from_the_message(file: Path):
    clock = FakeClock(datetime(2031, 1, 1, tzinfo=UTC))
    reply = {"frames": [{"summary": "Ann went to Lyon", "events": [{"action": "went to Lyon", "time": "last week"}]}]}
    llm = ScriptedLLM([json.dumps(reply)])
    async with opened(file, llm, clock) as memory:
        await memory.remember("u", Message("I went to Lyon last week", speaker="Ann", time="2023-05-24T10:00:00Z"))
        await memory.flush()
        (frame,) = await memory.records("u", "frame")
    assert frame.valid == Interval(
        start=datetime(2023, 5, 15, tzinfo=UTC), end=datetime(2023, 5, 22, tzinfo=UTC), precision="week"
    )
    assert "Wednesday 2023-05-24 10:00" in llm.calls[0].text
    assert "2031" not in llm.calls[0].text


@pytest.mark.parametrize(
    ("replies", "error"),
    [
        ([bad("empty")] * 3, "empty"),
        ([CUT] * 4, "breaks off"),
        ([bad("refused")], "refused"),
        ([ProviderAuthError("host refused the key")], "refused the key"),
    ],
    ids=["b007", "b009", "refused", "b023"],
)
async def test_a_failure_leaves_the_work(
    replies: list[str | Exception], error: str, file: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    llm = ScriptedLLM([*replies, FACTS])
    async with opened(file, llm) as memory:
        await memory.remember("u", "I brew jasmine tea")
        done = await memory.flush()
        assert (done.pending, done.failed, len(done.errors)) == (1, 1, 1)
        assert len(llm.calls) == len(replies)
        assert await facts(memory) == []
        assert error in done.errors[0]
        assert "Ivo bou" not in caplog.text + done.errors[0]


async def test_a_fact_told_again_is_as_sure_as_the_surer_and_nobodys_alone(db: str):
    told = {"subject": "Ann", "predicate": "likes", "object": "tea", "sources": ["1"]}
    replies = [json.dumps({"facts": [{**told, "confidence": sure}]}) for sure in (0.9, 0.5)]
    async with opened(db, ScriptedLLM(replies)) as memory:
        metas: list[dict[str, Any]] = []
        for speaker in ("Ann", "Bob"):
            await memory.remember("u", Message("tea", speaker=speaker))
            assert (await memory.flush()).errors == ()
            (fact,) = await facts(memory)
            metas.append({name: value for name, value in fact.meta.items() if name != WORDED_BY})
    assert metas == [{"speaker": "Ann", "confidence": 0.9}, {"confidence": 0.9}]


# --- what was said before, and what was said last ---------------------------------------------------------------


@pytest.mark.parametrize("order", ["as told", "the later first"])
@pytest.mark.parametrize("kind", ["two windows", "one window"])
async def test_of_two_values_the_later_told_stands_whichever_is_read_first(db: str, order: str, kind: str):
    """By the times of their messages; the value before stays among what was believed then."""

    def noted(window: Sequence[Passage]) -> Extraction:
        notes = [
            Note(scope="", id="", text=p.text, namespace="profile", key="job", value=p.text, sources=(p.id,))
            for p in window
        ]
        return Extraction(notes=tuple(notes))

    told = [Message("teacher", time="2023-01-01"), Message("pilot", time="2024-01-01")]
    talk_ = told if order == "as told" else told[::-1]
    clock = FakeClock()
    async with AsyncMemory(
        db, embedder=None, extractor=FakeExtractor(noted), clock=clock, background=False
    ) as memory:  # fmt: skip
        for batch in [talk_] if kind == "one window" else [[message] for message in talk_]:
            clock.advance(60)
            await memory.remember("u", batch)
            assert (await memory.flush()).errors == ()
        (note,) = await memory.records("u", "note")
        assert note.text == "pilot"
        if (order, kind) == ("as told", "two windows"):
            before = await memory.get("u", note.id, as_of=clock.now - timedelta(seconds=1))
            assert before is not None
            assert before.text == "teacher"
        assert await memory.check() == []


async def test_a_value_that_is_another_in_json_stands_too(db: str):
    def noted(window: Sequence[Passage]) -> Extraction:
        value = {"one": 1, "yes": True}[window[-1].text]
        return Extraction(
            notes=(Note(scope="", id="", text="", namespace="n", key="k", value=value, sources=(window[-1].id,)),)
        )

    async with AsyncMemory(db, embedder=None, extractor=FakeExtractor(noted), background=False) as memory:
        for text in ("one", "yes"):
            await memory.remember("u", text)
            assert (await memory.flush()).errors == ()
        note = await memory.kv.get("u", "n", "k")
        assert note is not None
        assert note.value is True


@pytest.mark.parametrize("kind", ["two windows", "one window"])
@pytest.mark.parametrize(("gone", "left"), [(1, "teacher"), (0, "pilot"), (2, "pilot")])
async def test_a_value_goes_with_the_message_that_told_it_and_another_message_tells_on(
    db: str, kind: str, gone: int, left: str
):
    """The first value is told again by what is left where the message that told the other one goes."""
    reply = {"key": "job", "subject": "Ann"}

    def told(window: Sequence[Passage]) -> Extraction:
        labels = {str(n): passage for n, passage in enumerate(window)}
        profile = [{**reply, "value": p.text.split()[0], "sources": [n]} for n, p in labels.items()]
        return extraction({"profile": profile[::-1]}, labels)

    async with AsyncMemory(db, embedder=None, extractor=FakeExtractor(told), background=False) as memory:
        said = [Message(text, speaker="Ann", id=text) for text in ("teacher", "pilot", "pilot again")]
        for batch in [said] if kind == "one window" else [[message] for message in said]:
            await memory.remember("u", batch)
            assert (await memory.flush()).errors == ()
        (note,) = await memory.records("u", "note")
        assert (note.text, getattr(note, "value", "")) == ("Ann job: pilot", "pilot")
        await memory.forget("u", refs=["pilot", "pilot again"] if gone == 1 else [said[gone].id or ""])
        await memory.flush()
        (note,) = await memory.records("u", "note")
        assert note.text == f"Ann job: {left}"
        assert await memory.check() == []


@pytest.mark.parametrize("said", [("Nora moved to Porto", "Nora keeps bees"), ("诺拉搬到了波尔图", "诺拉养蜜蜂")])
async def test_a_model_that_comes_later_reads_what_was_said_before(db: str, said: Sequence[str]):
    """What it draws takes the place of what rules have drawn; rules do not take the place of what it drew."""

    def told(window: Sequence[Passage]) -> Extraction:
        if window[0].ref == "2":
            raise ProviderUnavailable("it did not answer")
        frames = tuple(Frame(scope="", id=f"of {p.ref}", text=f"a model: {p.text}", sources=(p.id,)) for p in window)
        facts = tuple(Fact(scope="", id="", text=p.text, sources=(p.id,)) for p in window)
        return Extraction(frames=frames, facts=facts)

    async def drawn(memory: AsyncMemory) -> dict[str, list[str]]:
        """The texts of frames and facts by the message they are of."""
        refs = {p.id: p.ref for p in await memory.records("u") if isinstance(p, Passage)}
        found: dict[str, list[str]] = {"1": [], "2": []}
        for record in (*await memory.records("u", "frame"), *await memory.records("u", "fact")):
            (source,) = record.sources
            found[refs[source] or ""].append(record.text)
        return found

    given: dict[str, Any] = {
        "embedder": HashEmbedder(),
        "background": False,
        "settings": Settings(window=1, fuse=False),
    }
    async with AsyncMemory(db, extractor=RuleExtractor(), **given) as memory:
        for number, text in enumerate(said, 1):
            await memory.remember("u", Message(text, id=str(number), speaker="Nora", session=str(number)))
        await memory.flush()
        by_rules = await drawn(memory)
    async with AsyncMemory(db, extractor=FakeExtractor(told), **given) as memory:
        assert await memory.reextract("nobody") == 0
        assert await memory.reextract("u") == 2
        assert (await memory.flush()).failed == 1
        assert await drawn(memory) == {"1": [f"a model: {said[0]}", said[0]], "2": by_rules["2"]}
        assert await memory.check() == []
    async with AsyncMemory(db, extractor=RuleExtractor(), **given) as memory:
        assert await memory.reextract("u") == 1
        assert (await memory.flush()).failed == 0
        assert await drawn(memory) == {"1": [f"a model: {said[0]}", said[0]], "2": by_rules["2"]}
        assert await memory.check() == []


def retelling(name: str) -> FakeExtractor:
    """A model that makes one frame of a window, and a fact of each message with tea in it."""

    def told(window: Sequence[Passage]) -> Extraction:
        text = f"{name}: {' '.join(p.text for p in window)}"
        frame = Frame(scope="", id=text, text=text, session=window[0].session, sources=tuple(p.id for p in window))
        facts = (Fact(scope="", id="", text=p.text, sources=(p.id,)) for p in window if "tea" in p.text)
        return Extraction(frames=(frame,), facts=tuple(facts))

    return FakeExtractor(told)


@pytest.mark.parametrize("fuse", [True, False])
async def test_no_message_has_two_frames_however_it_was_cut(db: str, fuse: bool):
    """Rules read the first message alone, and a model the first two together; another model finds nothing to read."""
    given: dict[str, Any] = {
        "embedder": HashEmbedder(), "background": False, "settings": Settings(window=2, fuse=fuse)
    }  # fmt: skip

    async def frames(memory: AsyncMemory) -> list[str]:
        assert (await memory.flush()).failed == 0
        assert await memory.check() == []
        return [record.text for record in await memory.records("u", "frame")]

    talk = ["Nora keeps bees", "Nora moved to Porto", "And goats"]
    async with AsyncMemory(db, extractor=RuleExtractor(), **given) as memory:
        for part in (talk[:1], talk[1:]):
            await memory.remember("u", [Message(text, speaker=text[:4], session="s") for text in part])
            assert await frames(memory)
    for name, unread in ("A", 3), ("B", 0):
        async with AsyncMemory(db, extractor=retelling(name), **given) as memory:
            assert await memory.reextract("u") == unread
            assert await frames(memory) == ["A: Nora keeps bees Nora moved to Porto", "A: And goats"]


async def test_a_message_that_told_a_fact_too_is_read_again(db: str):
    async with AsyncMemory(
        db, embedder=None, extractor=retelling("A"), settings=Settings(window=2), background=False
    ) as memory:  # fmt: skip
        for session, talk in {"s": ["I like tea"], "t": ["I like tea", "me too"]}.items():
            await memory.remember("u", [Message(text, id=f"{session} {text}", session=session) for text in talk])
            await memory.flush()
        await memory.forget("u", refs=["s I like tea"])
        assert await memory.records("u", "fact") == []
        await memory.flush()
        assert [record.text for record in await memory.records("u", "fact")] == ["I like tea"]
        assert "A: I like tea me too" in [record.text for record in await memory.records("u", "frame")]
        assert await memory.check() == []


async def test_where_nobody_knows_when_the_one_read_last_stands(db: str):
    values = iter(["tea", "milk"])

    def noted(_: Sequence[Passage]) -> Extraction:
        value = next(values)
        return Extraction(notes=(Note(scope="", id="", text=value, key="drink", value=value),))

    async with AsyncMemory(db, embedder=None, extractor=FakeExtractor(noted), background=False) as memory:
        for time in ("2024-01-01", "2023-01-01"):
            await memory.remember("u", Message("x", time=time))
            await memory.flush()
        assert [note.text for note in await memory.records("u", "note")] == ["milk"]


# --- replies that were recorded ---------------------------------------------------------------------------------


def recorded() -> list[str]:
    one: dict[str, Any] = {
        "session": 1,
        "frames": [
            {"summary": "early", "sources": ["D1:1"]},
            {"summary": "across", "sources": ["D1:3", "D1:2"]},
            {"summary": "late", "sources": ["D1:10", "D1:4"]},
            {"summary": "left out", "sources": ["D1:9"]},
            {"summary": "never", "sources": ["D1:11"]},
        ],
        "facts": [
            {"text": "anywhere", "sources": []},
            {"text": "tenth", "sources": ["D1:10"], "valid_from": "yesterday"},
        ],
        "entities": [{"name": "Nora", "aliases": []}, {"name": "Zed"}],
        "profile": [{"subject": "Nora", "key": "home", "value": "Porto", "sources": ["D1:2"]}],
    }
    return [json.dumps(one), "", json.dumps({"session": 2, "facts": [{"text": "second", "sources": ["D2:1"]}]})]


def talk(session: int, *numbers: int, scope: str = "u") -> list[Passage]:
    return [
        said(
            n, f"Nora {n}" if n == 4 else f"line {n}", ref=f"D{session}:{n}", session=f"session_{session}", scope=scope
        )
        for n in numbers
    ]


class TestReplay:
    async def test_an_item_comes_with_its_last_source(self):
        replay = ReplayExtractor(recorded())
        found = [await replay.extract(talk(1, *numbers)) for numbers in ((1, 2), (3, 4), (5,), (10,))]
        assert [[(frame.text, frame.sources) for frame in one.frames] for one in found] == [
            [("early", ("p1",))],
            [("across", ("p2", "p3"))],
            [],
            [("late", ("p4", "p10"))],
        ]
        assert [texts(one) for one in found] == [["anywhere"], [], [], ["tenth"]]
        assert [[entity.text for entity in one.entities] for one in found] == [["Nora"], ["Nora"], [], []]
        assert [len(one.notes) for one in found] == [1, 0, 0, 0]
        assert found[3].rejected == 1

    async def test_a_window_that_comes_again_is_answered_again(self):
        replay = ReplayExtractor(recorded())
        first = await replay.extract(talk(1, 1, 2))
        later = await replay.extract(talk(1, 3, 4))
        assert await replay.extract(talk(1, 1, 2)) == first
        assert await replay.extract(talk(1, 3, 4)) == later

    async def test_sessions_and_scopes_are_apart(self):
        replay = ReplayExtractor(recorded())
        assert texts(await replay.extract(talk(2, 1))) == ["second"]
        for scope in ("u", "v"):
            found = await replay.extract(talk(1, 1, 2, 3, 4, scope=scope))
            assert [frame.text for frame in found.frames] == ["early", "across"]
            assert {frame.scope for frame in found.frames} == {scope}
        (across,) = (await replay.extract(talk(1, 3, 4, scope="w"))).frames
        assert (across.text, across.sources) == ("across", ("p3",))

    async def test_a_file(self, tmp_path: Path):
        file = tmp_path / "replies.jsonl"
        file.write_text("\n".join(recorded()), "utf-8")
        for path in (file, str(file)):
            assert texts(await ReplayExtractor(path).extract(talk(2, 1))) == ["second"]

    async def test_nothing(self):
        assert await ReplayExtractor([]).extract([]) == Extraction()

    async def test_what_was_not_recorded(self):
        with pytest.raises(AssertionError, match="session_3"):
            await ReplayExtractor(recorded()).extract(talk(3, 1))

    async def test_in_a_memory(self, file: Path):
        async with AsyncMemory(
            file, embedder=None, extractor=ReplayExtractor(recorded()), background=False, settings=Settings(window=2)
        ) as memory:
            for n in (1, 2, 3, 4, 10):
                await memory.remember("u", Message(f"line {n}", id=f"D1:{n}", session="session_1"))
            assert (await memory.flush()).errors == ()
            assert {frame.text for frame in await memory.records("u", "frame")} >= {"early", "across", "late"}


@pytest.mark.parametrize(
    ("name", "alias", "told", "other"),
    [
        ("Rosa", "Roxy", "Her nickname, Rosa told me, is Roxy", "Rosa came by"),
        ("李梅", "小梅", "李梅说大家都叫她小梅", "李梅来过了"),
    ],
)
async def test_an_alias_goes_with_the_message_that_has_it(db: str, name: str, alias: str, told: str, other: str):
    drawn = {"entities": [{"name": name, "type": "Person", "aliases": [alias]}]}
    again = {"entities": [{"name": name, "type": "Person"}]}
    async with opened(db, ScriptedLLM([json.dumps(drawn), json.dumps(again)])) as memory:
        await memory.remember("u", [Message(other, id="1"), Message(told, id="2")])
        await memory.flush("u")
        assert [entity.aliases for entity in await memory.records("u", "entity")] == [(alias,)]
        await memory.forget("u", refs=["2"])
        await memory.flush("u")
        assert [(entity.text, entity.aliases) for entity in await memory.records("u", "entity")] == [(name, ())]
        assert await memory.check() == []
