"""Field reports of hosts that refuse, limit, cut off or stream, each through the whole memory, on both engines.

The id in brackets names the report. Requests and replies alone are tested in test_openai_provider.py.
"""

import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from host import Answer, Asked, Stub, embedded, refused, said
from reports import case

from fabula import AsyncMemory, Fact, Frame, Message, Passage, Plan, Settings
from fabula.abc import Extraction
from fabula.background import RELENT
from fabula.providers.openai import OpenAIEmbedder, OpenAILLM
from fabula.providers.streams import whole
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder

KEY = "sk-test-AAAA1111"
FOUND = json.dumps({"facts": ["Nora brews jasmine tea"]})


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with Stub() as server:
        yield server


def asking(stub: Stub, db: str, *, retries: int = 2, **options: Any) -> AsyncMemory:
    """A memory whose talk is read by the host's model; by hand, unless it has a background."""
    llm = OpenAILLM(api_key=KEY, base_url=stub.url, retries=retries, timeout=5)
    given: dict[str, Any] = {"embedder": HashEmbedder(), "clock": FakeClock(), "background": False, **options}
    return AsyncMemory(db, llm=llm, **given)


async def facts(memory: AsyncMemory) -> list[str]:
    return [fact.text for fact in await memory.records("u", "fact")]


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited between attempts; nobody really waits."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("openai._base_client.anyio.sleep", sleep)
    return waited


# --- limits and keys ------------------------------------------------------------------------------------------------


def limited(seconds: str) -> Answer:
    answer = refused(429, "slow down", **{"retry-after": seconds})
    del answer.headers["retry-after-ms"]  # pyright: ignore[reportIndexIssue]
    return answer


@case("B022")
async def test_too_many_requests_are_waited_out_as_long_as_the_host_says(
    stub: Stub, db: str, naps: list[float], report: str
):
    stub.answers = [limited("2"), limited("2"), said(FOUND)]
    async with asking(stub, db) as memory:
        await memory.remember("u", "I brew jasmine tea")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed, flushed.errors) == (0, 0, ())
        assert await facts(memory) == ["Nora brews jasmine tea"]
        assert len(stub.asked) == 3
        assert len(naps) == 2
        assert min(naps) >= 2


@case("B022")
async def test_too_many_requests_for_ever_are_seen(stub: Stub, db: str, naps: list[float], report: str):
    stub.answers = [limited("2")]
    async with asking(stub, db) as memory:
        await memory.remember("u", "I brew jasmine tea")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed) == (1, 1)
        assert "no more requests" in flushed.errors[0]
        assert (await memory.stats("u")).failed == 1
        assert len(stub.asked) == 3, "once, and as many retries as are allowed"
        stub.answers = [said(FOUND)]
        assert (await memory.flush()).pending == 0
        assert await facts(memory) == ["Nora brews jasmine tea"]


@case("B023")
@pytest.mark.parametrize("embeds", [False, True], ids=["language model", "embedder"])
async def test_a_refused_key_is_one_call_and_never_shown(
    stub: Stub, db: str, caplog: pytest.LogCaptureFixture, embeds: bool, report: str
):
    """However much there is to do, and whoever asks for it in the background."""
    caplog.set_level(logging.DEBUG)
    stub.answers = [refused(401, f"Incorrect API key provided: {KEY}, see AAAA1111")]
    host = {"embedder": OpenAIEmbedder(api_key=KEY, base_url=stub.url, dimensions=3, retries=3)} if embeds else {}
    options: dict[str, Any] = {**host, "settings": Settings(window=1, batch=1, idle=0, backoff=0)}
    async with asking(stub, db, background=True, **options) as memory:
        if embeds:
            memory._crew._workers[0]._extractor = FakeExtractor(lambda window: Extraction())  # pyright: ignore
        for scope in ("u", "v"):
            await memory.remember(scope, [f"message {n}" for n in range(5)])
        flushed = await memory.flush()
        calls = len(stub.asked)
        assert calls in (1, 2), "of the background before, or of the flush, which is an order"
        assert flushed.pending >= 10
        assert "refused the key" in flushed.errors[0]
        await memory.remember("u", "one more")
        assert (await memory.stats()).failed >= 1
        shown = caplog.text + repr(flushed) + repr(memory._crew._llm) + repr(memory._embedder)
        shown += repr(await memory._store.pending("u", "extract")) + repr(await memory._store.pending("u", "embed"))
        assert "AAAA1111" not in shown
    assert len(stub.asked) == calls, "nor by closing"


@case("B023")
async def test_a_refused_key_is_tried_again_after_a_while(
    stub: Stub, db: str, monkeypatch: pytest.MonkeyPatch, report: str
):
    now = 1000.0
    monkeypatch.setattr("fabula.background.time.monotonic", lambda: now)
    stub.answers = [refused(401, "no")]
    async with asking(stub, db, embedder=None) as memory:
        await memory.remember("u", "I brew jasmine tea")
        (worker,) = memory._crew._workers  # pyright: ignore[reportPrivateUsage]
        await memory.flush()
        assert len(stub.asked) == 1
        stub.answers = [said(FOUND)]
        clock: Any = memory._clock  # pyright: ignore[reportPrivateUsage]
        for later, calls in ((1, 1), (RELENT - 2, 1), (RELENT + 1, 2)):
            now = 1000.0 + later
            clock.advance(60)
            await worker._pass()  # pyright: ignore[reportPrivateUsage]
            assert len(stub.asked) == calls
        assert await facts(memory) == ["Nora brews jasmine tea"]


# --- embeddings -----------------------------------------------------------------------------------------------------


def embedding(stub: Stub, db: str, **options: Any) -> AsyncMemory:
    given: dict[str, Any] = {"model": "m", "dimensions": 3, "retries": 0, "timeout": 5, **options}
    embedder = OpenAIEmbedder(api_key=KEY, base_url=f"{stub.url}/v1", **given)
    return AsyncMemory(db, embedder=embedder, clock=FakeClock(), background=False)


def strict(refuses: Callable[[list[str]], bool], status: int) -> Callable[[Asked], Answer]:
    return lambda asked: refused(status, "no") if refuses(asked.body["input"]) else embedded(asked)


@case("B027")
@pytest.mark.parametrize("blank", ["", "\n\n", " \t", "\u3000"])
async def test_a_blank_text_is_stored_and_never_sent(stub: Stub, db: str, blank: str, report: str):
    stub.answers = strict(lambda texts: any(not text.strip() for text in texts), 400)
    async with embedding(stub, db) as memory:
        receipt = await memory.remember("u", ["a", blank, blank, "b" * 60])
        assert receipt.added == 4
        flushed = await memory.flush()
        assert (flushed.pending, flushed.errors) == (0, ())
        assert [passage.text for passage in await memory.records("u")] == ["a", blank, blank, "b" * 60]
        assert {text for asked in stub.asked for text in asked.body["input"]} >= {"a", "b" * 60}
        for kind in ("frame", "fact", "entity"):
            assert all(record.text.strip() for record in await memory.records("u", kind))
        for word in ("a", "b" * 60):
            found = await memory.recall("u", word, Plan(channels=("dense",), kinds=("passage",), limit=1))
            assert [passage.text for passage in found.passages] == [word]
        assert await memory.check() == []


@case("B027")
async def test_a_record_without_a_text_makes_no_memory(db: str, report: str, caplog: pytest.LogCaptureFixture):
    """It could never be embedded, and would wait for that for ever."""

    def blank(window: Sequence[Passage]) -> Extraction:
        sources = (window[0].id,)
        return Extraction(
            frames=tuple(
                Frame(scope="", id=f"f{n}", text=text, sources=sources) for n, text in enumerate((" ", "", "x"))
            ),
            facts=tuple(Fact(scope="", id="", text=text, sources=sources) for text in ("\n", "y")),
        )

    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=FakeExtractor(blank), background=False) as memory:
        await memory.remember("u", "hello")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.errors) == (0, ())
        assert [r.text for kind in ("frame", "fact") for r in await memory.records("u", kind)] == ["x", "y"]
        assert await memory.check() == []
        assert "3 frames and facts without a text" in caplog.text


@case("B028")
async def test_a_long_message_is_kept_read_and_embedded_whole(stub: Stub, db: str, report: str):
    text = "今天我们继续聊旅行的计划，" * 2300 + "暗号是蓝鲸42"
    long = strict(lambda texts: any(len(text.encode()) > 512 for text in texts), 500)

    def answer(asked: Asked) -> Answer:
        if "input" in asked.body:
            return long(asked)
        heard = "蓝鲸42" in asked.body["messages"][1]["content"]
        return said('{"facts": ["暗号是蓝鲸42"]}' if heard else '{"facts": []}')

    stub.answers = answer
    embedder = OpenAIEmbedder(api_key=KEY, base_url=stub.url, model="m", dimensions=3, max_tokens=512, retries=0)
    async with asking(stub, db, embedder=embedder) as memory:
        await memory.remember("u", [Message(text, id="long"), Message("别的话", session="b")])
        flushed = await memory.flush()
        assert (flushed.pending, flushed.errors) == (0, ())
        assert [passage.text for passage in await memory.records("u")] == [text, "别的话"]
        shown = [asked.body["messages"][1]["content"] for asked in stub.asked if "messages" in asked.body]
        assert any(text in one for one in shown)
        assert (await memory.recall("u", "蓝鲸42")).passages[0].ref == "long"
        found = await memory.recall("u", "暗号是什么？", Plan(kinds=("fact", "passage")))
        assert "暗号是蓝鲸42" in [fact.text for fact in found.facts]


@case("B029")
@pytest.mark.parametrize("limit", [1, 10, 25])
async def test_batches_keep_to_the_limit_of_the_host(stub: Stub, db: str, limit: int, report: str):
    stub.answers = strict(lambda texts: len(texts) > limit, 400)
    async with embedding(stub, db, batch=limit) as memory:
        await memory.remember("u", [chr(97 + n) * (n + 1) for n in range(25)])
        flushed = await memory.flush()
        assert (flushed.pending, flushed.errors) == (0, ())
        sizes = [len(asked.body["input"]) for asked in stub.asked]
        assert sizes == [limit] * (25 // limit) + [25 % limit] * bool(25 % limit)
        for n in (0, 9, 24):
            text = chr(97 + n) * (n + 1)
            found = await memory.recall("u", text, Plan(channels=("dense",), kinds=("passage",), limit=1))
            assert [passage.text for passage in found.passages] == [text]


@case("B025")
async def test_facts_and_frames_are_embedded_anew_as_well(db: str, report: str):
    def drawn(window: Sequence[Passage]) -> Extraction:
        return Extraction(
            frames=tuple(Frame(scope="", id=f"f{p.ref}", text=f"{p.text} happened", sources=(p.id,)) for p in window),
            facts=tuple(Fact(scope="", id="", text=f"{p.text} holds", sources=(p.id,)) for p in window),
        )

    talk = [Message("Porto has a river", id="1"), Message("tea grows on hills", id="2")]
    given: dict[str, Any] = {"extractor": FakeExtractor(drawn), "clock": FakeClock(), "background": False}
    async with AsyncMemory(db, embedder=HashEmbedder(8), **given) as memory:
        await memory.remember("u", talk)
        await memory.flush()
    async with AsyncMemory(db, embedder=HashEmbedder(16), **given) as memory:
        assert await memory.reembed() == 6
        assert await memory.check() == []
        index = await memory._store.load("u", "hash/16")  # pyright: ignore[reportPrivateUsage]
        for kind in ("passage", "fact", "frame"):
            assert index.of(kind).embedded.tolist() == [True, True]
        assert (await memory.recall("u", "Porto river")).degraded == ()


# --- what a host does not take ----------------------------------------------------------------------------------------


@case("B034")
@pytest.mark.parametrize(
    "answer",
    [
        refused(400, "response_format is not supported"),
        refused(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        refused(400, "This model does not support structured outputs."),
        refused(422, "json_schema mode is unavailable"),
        Answer({"detail": [{"loc": ["body", "response_format"], "msg": "extra fields not permitted"}]}, 422),
        Answer({"error": "unknown field response_format"}, 400),
    ],
    ids=range(6),
)
async def test_a_field_that_is_refused_is_left_out_from_then_on(stub: Stub, db: str, answer: Answer, report: str):
    stub.answers = [answer, said(FOUND)]
    async with asking(stub, db) as memory:
        await memory.remember("u", "I brew jasmine tea")
        assert (await memory.flush()).errors == ()
        await memory.remember("u", "Really, I do")
        assert (await memory.flush()).errors == ()
        assert await facts(memory) == ["Nora brews jasmine tea"]
        assert ["response_format" in asked.body for asked in stub.asked] == [True, False, False]


@case("B007", "B009")
async def test_what_is_no_answer_is_seen_and_asked_for_again(stub: Stub, db: str, report: str):
    if report == "B007":
        stub.answers = [said(None, reasoning_content="Nora likes tea")]
    else:
        stub.answers = [said('{"facts":["Nora moved to Porto","Ivo bou', "length")]
    async with asking(stub, db) as memory:
        await memory.remember("u", "I brew jasmine tea")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed, len(flushed.errors)) == (1, 1, 1)
        assert len(stub.asked) in (3, 4)
        assert await facts(memory) == []
        stub.answers = [said(FOUND)]
        assert (await memory.flush()).pending == 0
        assert await facts(memory) == ["Nora brews jasmine tea"]


# --- streams ----------------------------------------------------------------------------------------------------------


def piece(content: Any, finish: Any = None, **more: Any) -> dict[str, Any]:
    return {"model": "m-2", "choices": [{"index": 0, "delta": {"content": content, **more}, "finish_reason": finish}]}


USAGE: dict[str, Any] = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


def streamed(*pieces: Any, done: bool = True, end: str = "\n\n") -> str:
    events = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in pieces]
    return ": hello" + end + "".join(f"data: {event}{end}" for event in [*events, *(["[DONE]"] * done)])


def streaming(text: str, **more: Any) -> Answer:
    return Answer(text.encode(), headers={"content-type": "text/event-stream"}, **more)


@case("B125")
@pytest.mark.parametrize(
    "stream",
    [
        streamed(USAGE, piece(None), piece('{"fac'), piece('ts":["A"]}'), piece(None, "stop")),
        streamed(piece('{"facts":'), piece('["A"]}'), piece("", "stop"), USAGE, done=False),
        streamed(piece('{"facts":'), piece('["A"]}'), end="\r\n\r\n"),
        streamed(piece(None, reasoning_content='{"facts": ["B"]}'), piece('{"facts":["A"]}', "stop")),
        streamed(piece('{"facts":["A'), {"choices": [{"index": 1, "delta": {"content": "B"}}]}, piece('"]}', "stop")),
        streamed(piece('{"facts": [],\u2028"facts": ["A"]}', "stop")),
    ],
    ids=range(6),
)
async def test_a_host_that_streams_unasked_is_understood(stub: Stub, db: str, stream: str, report: str):
    stub.answers = [streaming(stream)]
    async with asking(stub, db) as memory:
        await memory.remember("u", "I brew jasmine tea")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.errors) == (0, ())
        assert await facts(memory) == ["A"]
        assert len(stub.asked) == 1


@case("B125")
@pytest.mark.parametrize(
    "answer",
    [
        streaming(streamed(piece('{"facts": ["A"]}'), done=False)),
        streaming(streamed(piece('{"facts": ["A"]}'), piece("\n"), done=False)[:-20]),
        streaming(streamed(piece('{"facts": ["A"]}'), piece(" " * 200)), drop=True),
        streaming(streamed(USAGE, done=False)),
        streaming(streamed(piece('{"facts": ["A'), {"error": {"message": "overloaded"}})),
        streaming(streamed(piece('{"facts": ["A', "length"))),
        streaming(streamed(piece(None), piece(None, "stop"))),
    ],
    ids=["no end", "half an event", "dropped", "nothing said", "an error", "cut off", "empty"],
)
async def test_a_stream_that_breaks_off_is_no_answer(stub: Stub, db: str, answer: Answer, report: str):
    stub.answers = [answer]
    async with asking(stub, db, retries=0) as memory:
        await memory.remember("u", "I brew jasmine tea")
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed, len(flushed.errors)) == (1, 1, 1)
        assert await facts(memory) == []
        stub.answers = [said(FOUND)]
        assert (await memory.flush()).pending == 0
        assert await facts(memory) == ["Nora brews jasmine tea"]


def test_what_is_no_stream():
    for text in ("", "{}", "<html>data: x</html>", " data: {}"):
        assert whole(text) is None
    with pytest.raises(ValueError, match="breaks off"):
        whole("data: {}\n\n")
    assert whole("data: [DONE]") == {"choices": [{"message": {"content": "", "refusal": ""}, "finish_reason": None}]}
