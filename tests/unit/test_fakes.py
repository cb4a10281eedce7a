import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

import fabula.testing
from fabula.abc import LLM, Extraction, Reply
from fabula.errors import InvalidInput, ProviderBadReply, ProviderUnavailable
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM
from fabula.types import Frame, Passage


def window(*texts: str) -> list[Passage]:
    return [Passage(scope="u", id=str(n), text=text) for n, text in enumerate(texts)]


class TestHashEmbedder:
    @pytest.mark.parametrize("dimensions", [1, 8, 64, 384])
    async def test_gives_one_unit_vector_a_text(self, dimensions: int):
        embedder = HashEmbedder(dimensions)
        vectors = await embedder.embed(["I like tea", "我喜欢茶", "!?", "🎉"], "passage")
        assert vectors.shape == (4, dimensions)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
        assert embedder.space == f"hash/{dimensions}"
        assert embedder.dimensions == dimensions

    async def test_no_texts_are_no_vectors(self):
        assert (await HashEmbedder(8).embed([], "passage")).shape == (0, 8)

    def test_is_the_same_in_every_process(self):
        code = (
            "import asyncio; from fabula.testing import HashEmbedder; "
            "print(asyncio.run(HashEmbedder(4).embed(['tea 茶'], 'query')).tobytes().hex())"
        )
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        here = asyncio.run(HashEmbedder(4).embed(["tea 茶"], "passage"))
        assert other.stdout.strip() == here.tobytes().hex()

    @pytest.mark.parametrize(
        ("text", "near", "far"),
        [
            ("I drink green tea", "Green TEA, please!", "our dog barks loudly"),
            ("我喜欢喝绿茶", "绿茶很好喝", "小狗在院子里叫"),
            ("在Google工作", "我在 google 上班", "weather report"),
        ],
    )
    async def test_shared_words_make_texts_alike(self, text: str, near: str, far: str):
        a, b, c = await HashEmbedder(256).embed([text, near, far], "query")
        assert a @ b > 0.35
        assert abs(a @ c) < 0.25

    async def test_texts_without_words_differ(self):
        a, b = await HashEmbedder().embed(["!!!", "???"], "query")
        assert not np.allclose(a, b)

    @pytest.mark.parametrize("blank", ["", " \n\t", "\u3000"])
    async def test_refuses_blank_text(self, blank: str):
        embedder = HashEmbedder()
        with pytest.raises(ValueError, match="blank"):
            await embedder.embed(["tea", blank], "passage")
        assert embedder.calls == []

    async def test_remembers_its_calls(self):
        embedder = HashEmbedder()
        await embedder.embed(["a", "b"], "passage")
        await embedder.embed(("c",), "query")
        assert embedder.calls == [["a", "b"], ["c"]]

    async def test_fails_until_told_otherwise(self):
        embedder = HashEmbedder(fail=ProviderUnavailable("no host"))
        for _ in range(2):
            with pytest.raises(ProviderUnavailable, match="no host"):
                await embedder.embed(["a"], "query")
        embedder.fail = None
        assert len(await embedder.embed(["a"], "query")) == 1
        assert len(embedder.calls) == 3

    async def test_can_be_slow(self):
        embedder = HashEmbedder(delay=0.02)
        before = datetime.now(UTC)
        await embedder.embed(["a"], "query")
        assert datetime.now(UTC) - before >= timedelta(seconds=0.015)


class TestScriptedLLM:
    async def test_answers_in_turn(self):
        reply = Reply(text="two", model="m", prompt_tokens=3)
        llm = ScriptedLLM(["one", reply, ProviderBadReply("cut off", reason="truncated")])
        assert isinstance(llm, LLM)
        assert (await llm.chat([{"role": "user", "content": "1"}])).text == "one"
        assert await llm.chat([{"role": "user", "content": "2"}]) is reply
        with pytest.raises(ProviderBadReply, match="cut off"):
            await llm.chat([{"role": "user", "content": "3"}])

    async def test_remembers_its_calls(self):
        llm = ScriptedLLM(["{}"])
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "你好"}]
        await llm.chat(messages, temperature=0, max_tokens=7, schema={"type": "object"})
        (call,) = llm.calls
        assert call.messages == tuple(messages)
        assert (call.temperature, call.max_tokens, call.schema) == (0, 7, {"type": "object"})
        assert call.text == "Be brief.\n你好"

    async def test_says_when_the_script_is_too_short(self):
        with pytest.raises(AssertionError, match=r"has 0 replies and was asked 1 times.*what now"):
            await ScriptedLLM().chat([{"role": "user", "content": "what now"}])


class TestFakeClock:
    def test_stands_still(self):
        clock = FakeClock()
        assert clock() == clock()
        assert clock().tzinfo is not None

    def test_moves_by_timedelta_and_seconds(self):
        clock = FakeClock(datetime(2024, 5, 1, tzinfo=timezone(timedelta(hours=8))))
        assert clock.advance(timedelta(days=1)) == datetime(2024, 5, 1, 16, tzinfo=UTC)
        clock.advance(1.5)
        assert clock() == datetime(2024, 5, 1, 16, 0, 1, 500000, tzinfo=UTC)

    def test_a_naive_start_is_utc(self):
        assert FakeClock("2024-05-01T10:00").now == datetime(2024, 5, 1, 10, tzinfo=UTC)
        with pytest.raises(InvalidInput):
            FakeClock("soon")


class TestFakeExtractor:
    async def test_asks_a_function(self):
        extractor = FakeExtractor(
            lambda passages: Extraction(frames=tuple(Frame(scope="", id=p.id, text=p.text) for p in passages))
        )
        found = await extractor.extract(window("a", "b"), window("before"))
        assert [frame.text for frame in found.frames] == ["a", "b"]
        assert [[p.text for p in seen] for seen in extractor.windows] == [["a", "b"]]
        assert [[p.text for p in seen] for seen in extractor.contexts] == [["before"]]

    async def test_gives_a_list_in_turn(self):
        first = Extraction(rejected=1)
        extractor = FakeExtractor([first, ProviderUnavailable("away")])
        assert await extractor.extract(window("a")) is first
        with pytest.raises(ProviderUnavailable, match="away"):
            await extractor.extract(window("b"))
        with pytest.raises(AssertionError, match="there are 2 extractions, asked for 3 times"):
            await extractor.extract(window("c"))

    async def test_a_function_may_raise(self):
        def refuse(_: object) -> Extraction:
            raise ProviderUnavailable("away")

        with pytest.raises(ProviderUnavailable):
            await FakeExtractor(refuse).extract(window("a"))


def test_the_fakes_need_no_test_tools():
    code = "import sys, fabula.testing; sys.exit(any(m in sys.modules for m in ('pytest', 'hypothesis')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = fabula.testing.Nothing


class TestTheFence:
    """tests/conftest.py keeps every test at home."""

    @pytest.mark.parametrize(
        "reach",
        [
            lambda: socket.getaddrinfo("example.org", 443),
            lambda: socket.create_connection(("192.0.2.1", 443), timeout=1),
            lambda: socket.socket().connect(("192.0.2.1", 443)),
            lambda: socket.socket(socket.AF_INET6).connect_ex(("2001:db8::1", 443, 0, 0)),
        ],
    )
    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_no_other_machine_is_reached(self, reach: Callable[[], object]):
        with pytest.raises(RuntimeError, match="a test called"):
            reach()

    async def test_this_machine_is(self):
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection("localhost", server.sockets[0].getsockname()[1])
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()

    def test_no_setting_of_the_caller_is_seen(self):
        assert not [name for name in os.environ if name.startswith(("OPENAI_", "LLM_", "FABULA_"))]
        assert "HTTPS_PROXY" not in os.environ
