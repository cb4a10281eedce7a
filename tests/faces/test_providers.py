"""NeuroMemory's models: its own against a real HTTP server, and a caller's subclass, which is not believed blindly."""

import json
import logging
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from host import Answer, Asked, Stub, embedded, refused, said

from fabula import (
    AsyncMemory,
    InvalidInput,
    MissingExtra,
    Plan,
    ProviderAuthError,
    ProviderBadReply,
    ProviderRateLimited,
    ProviderUnavailable,
)
from fabula.testing import HashEmbedder, ScriptedLLM
from neuromemory import NeuroMemory, strategy
from neuromemory.providers import (
    EmbeddingProvider,
    LLMProvider,
    LocalEmbedding,
    OpenAIEmbedding,
    OpenAILLM,
    SentenceTransformerEmbedding,
    SiliconFlowEmbedding,
    embedder_of,
    llm_of,
)

KEY = "sk-test-AAAA1111"
ASK = [{"role": "user", "content": "Where does Ivo live?"}]


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with Stub() as server:
        yield server


class Words(EmbeddingProvider):
    """Counts letters; like many hosts it refuses blanks and too many or too long texts."""

    dims = 3

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    async def embed(self, text: str) -> list[float]:
        return [float(len(text)), float(ord(text[0])), 1.0]

    async def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(list(texts))
        if len(texts) > 10 or any(not text.strip() or len(text) > 512 for text in texts):
            raise ValueError("HTTP 400")
        return [await self.embed(text) for text in texts]


class Single(EmbeddingProvider):
    dims = 2

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    async def embed(self, text: str) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Saying(LLMProvider):
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[Any, float, int]] = []

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], temperature: float = 0.1, max_tokens: int = 2048
    ) -> str:
        self.asked.append((messages, temperature, max_tokens))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Refused(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"Incorrect API key provided: {KEY}")
        self.status_code = status


class TestASubclass:
    async def test_one_method_is_enough(self):
        vectors = await embedder_of(Single([3.0, 4.0])).vectors(["a", "b"], "passage")
        assert np.allclose(vectors, [[0.6, 0.8], [0.6, 0.8]])

    async def test_b029_is_asked_for_few_texts_at_once_in_order(self):
        words = Words()
        texts = ["x" * n for n in range(1, 26)]
        vectors = await embedder_of(words).vectors(texts, "passage")
        assert [len(call) for call in words.calls] == [10, 10, 5]
        assert np.allclose(vectors[:, 0] / vectors[:, 2], range(1, 26), rtol=1e-3)
        words.calls.clear()
        words.batch_size = 4
        await embedder_of(words).vectors(texts[:9], "passage")
        assert [len(call) for call in words.calls] == [4, 4, 1]

    async def test_b028_is_given_no_text_that_is_too_long(self):
        words = Words()
        await embedder_of(words).vectors(["今天天气很好。" * 4300, "short"], "passage")
        assert max(len(text) for call in words.calls for text in call) <= 512

    async def test_b027_never_sees_a_blank(self, tmp_path: Path):
        class Letters(Words):
            async def embed(self, text: str) -> list[float]:
                return [float(letter in text) + 0.01 for letter in "abc"]

        words = Letters()
        async with AsyncMemory(tmp_path / "memory.db", embedder=embedder_of(words)) as memory:
            await memory.remember("u", ["a", "", "\n\n", "b"])
            flushed = await memory.flush()
            assert flushed.failed == 0
            assert [p.text for p in (await memory.recall("u", "b", Plan(channels=("dense",)))).passages][:1] == ["b"]
        assert {text.strip() for call in words.calls for text in call} == {"a", "b"}

    @pytest.mark.parametrize("answer", [
        None, [], [1.0], [1.0, 2.0, 3.0], [0.0, 0.0], [float("nan"), 1.0], ["a", "b"], "ab", 5,
    ], ids=repr)  # fmt: skip
    async def test_what_is_no_vector_is_refused(self, answer: Any):
        with pytest.raises(ProviderBadReply):
            await embedder_of(Single(answer)).vectors(["a"], "passage")

    @pytest.mark.parametrize("batch", [None, 5, [[1.0, 2.0]], [[1.0, 2.0]] * 3], ids=repr)
    async def test_so_is_another_number_of_them(self, batch: Any):
        class Odd(Single):
            async def embed_batch(self, texts: Sequence[str]) -> Any:
                return batch

        with pytest.raises(ProviderBadReply):
            await embedder_of(Odd(None)).vectors(["a", "b"], "passage")

    @pytest.mark.parametrize(("error", "kind"), [
        (Refused(401), ProviderAuthError), (Refused(429), ProviderRateLimited), (Refused(500), ProviderUnavailable),
        (KeyError("data"), ProviderUnavailable), (ProviderBadReply("x", reason="empty"), ProviderBadReply),
    ], ids=repr)  # fmt: skip
    async def test_b023_its_errors_are_typed_and_hold_no_key(
        self, error: Exception, kind: type[Exception], caplog: pytest.LogCaptureFixture
    ):
        with caplog.at_level(logging.DEBUG):
            embedder, llm = embedder_of(Single(error)), _llm(Saying(error))
            for ask in (lambda: embedder.vectors(["a"], "passage"), lambda: llm.chat(ASK)):
                with pytest.raises(kind) as raised:
                    await ask()
                assert "AAAA1111" not in f"{raised.value} {raised.value.__context__} {raised.value.__cause__}"
        assert "AAAA1111" not in caplog.text

    async def test_b023_a_key_of_any_shape_is_not_told_where_it_is_called_one(self):
        model = Saying(ValueError("GET https://h/?k=plainword failed"))
        model.api_key = "plainword"  # type: ignore[attr-defined]
        with pytest.raises(ProviderUnavailable, match=r"k=\*\*\* failed"):
            await _llm(model).chat(ASK)

    @pytest.mark.parametrize("name", ["embed", "embed_batch"])
    async def test_has_to_be_asynchronous(self, name: str):
        class Blocking(Single):
            pass

        setattr(Blocking, name, lambda self, given: [1.0, 2.0])  # pyright: ignore[reportUnknownLambdaType]
        with pytest.raises(InvalidInput, match=f"^{name} of Blocking has to be `async def`$"):
            await embedder_of(Blocking([1.0, 2.0])).embed(["a"], "passage")

    def test_what_it_has_to_say_of_itself(self):
        class Mute(EmbeddingProvider):
            async def embed(self, text: str) -> list[float]:
                return [1.0]

        class Odd(Mute):
            dims = 0

        for provider in (Mute(), Odd()):
            with pytest.raises(InvalidInput, match="dims"):
                embedder_of(provider)
        named = Single(None)
        named.model = "m-1"  # type: ignore[attr-defined]
        assert (embedder_of(named).space, embedder_of(Single(None)).space) == ("Single/m-1/2", "Single/2")
        with pytest.raises(TypeError):
            EmbeddingProvider()  # type: ignore[abstract]

    async def test_a_model_of_fabula_stays_itself(self):
        embedder, llm = HashEmbedder(), ScriptedLLM()
        assert embedder_of(embedder) is embedder
        assert llm_of(llm) is llm
        assert llm_of(None) is None
        assert embedder_of(None).space == LocalEmbedding().embedder.space
        for wrong in ("default", object()):
            with pytest.raises(InvalidInput):
                embedder_of(wrong)  # type: ignore[arg-type]
            with pytest.raises(InvalidInput):
                llm_of(wrong)  # type: ignore[arg-type]


def _llm(provider: Any) -> Any:
    llm = llm_of(provider)
    assert llm is not None
    return llm


class TestALanguageModel:
    async def test_is_asked_as_it_wants_to_be(self):
        model = Saying("Porto")
        reply = await _llm(model).chat(
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]}],
            max_tokens=9, schema={},
        )  # fmt: skip
        assert (reply.text, reply.model) == ("Porto", "Saying")
        assert model.asked == [([{"role": "user", "content": "a"}], 0.1, 9)]

    async def test_has_to_be_asynchronous(self, tmp_path: Path):
        class Blocking(LLMProvider):
            def chat(self, messages: Any, temperature: float = 0.1, max_tokens: int = 2048) -> Any:
                return "Porto"

        told = "chat of Blocking has to be `async def`"
        with pytest.raises(InvalidInput, match=f"^{told}$"):
            await _llm(Blocking()).chat(ASK)
        async with NeuroMemory(f"sqlite:///{tmp_path / 'm.db'}", HashEmbedder(), Blocking()) as nm:
            await nm.conversations.add_message("alice", "user", "Nora moved to Porto")
            (error,) = (await nm.flush())["errors"]
            assert told in error

    @pytest.mark.parametrize(("answer", "reason"), [
        (None, "empty"), ("", "empty"), (" \n", "empty"), (b"{}", "malformed"), ({"facts": []}, "malformed"),
    ], ids=repr)  # fmt: skip
    async def test_has_to_answer(self, answer: Any, reason: str):
        with pytest.raises(ProviderBadReply) as raised:
            await _llm(Saying(answer)).chat(ASK)
        assert raised.value.reason == reason

    @pytest.mark.parametrize("answer", [None, "", "I could not find any facts.", '{"facts": ["Nora moved to'], ids=repr)
    async def test_b007_no_answer_is_not_no_facts(self, answer: Any, tmp_path: Path):
        async with AsyncMemory(
            tmp_path / "memory.db", embedder=HashEmbedder(), llm=llm_of(Saying(answer)), background=False,
            settings=strategy.settings(),
        ) as memory:  # fmt: skip
            await memory.remember("u", "Nora moved to Porto")
            found = await memory.extract("u")
            assert (found.passages, len(found.left), len(found.errors)) == ((), 1, 1)
            assert await memory.records("u", "fact") == []


class TestHosted:
    @pytest.mark.parametrize(("base", "path"), [
        ("/v1", "/v1"), ("/v1/", "/v1"), ("/v1/embeddings", "/v1"), ("/api/paas/v4/", "/api/paas/v4"), ("", ""),
    ])  # fmt: skip
    async def test_b032_paths_are_joined_as_they_are_meant(self, stub: Stub, base: str, path: str):
        stub.answers = lambda asked: embedded(asked) if "input" in asked.body else said("Porto")
        model, llm = (
            OpenAIEmbedding(KEY, base_url=stub.url + base, dimensions=3),
            OpenAILLM(KEY, base_url=stub.url + base),
        )
        assert len(await model.embed("abc")) == model.dims == 3
        assert await llm.chat(ASK, max_tokens=5) == "Porto"
        assert stub.paths == [f"{path}/embeddings", f"{path}/chat/completions"]
        assert stub.asked[0].headers["authorization"] == f"Bearer {KEY}"
        await model.embedder.close()
        await llm.llm.close()

    async def test_b029_batches(self, stub: Stub):
        stub.answers = lambda asked: embedded(asked)
        model = SiliconFlowEmbedding(KEY, base_url=stub.url, dimensions=3)
        texts = [chr(97 + n) for n in range(25)]
        vectors = np.array(await model.embed_batch(texts))
        assert [len(asked.body["input"]) for asked in stub.asked] == [10, 10, 5]
        assert np.allclose(vectors[:, 1] / vectors[:, 0], range(97, 122), rtol=1e-3)
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
        assert (SiliconFlowEmbedding(KEY).batch_size, OpenAIEmbedding(KEY, batch_size=3).batch_size) == (32, 3)
        await model.embedder.close()

    async def test_b023_a_bad_key_is_tried_once_and_told_nowhere(self, stub: Stub, caplog: pytest.LogCaptureFixture):
        stub.answers = [refused(401, f"Incorrect API key provided: {KEY}")]
        llm = OpenAILLM(KEY, base_url=stub.url)
        with caplog.at_level(logging.DEBUG, "fabula"), pytest.raises(ProviderAuthError) as raised:
            await llm.chat(ASK)
        assert len(stub.asked) == 1
        models = (llm, OpenAIEmbedding(KEY), SiliconFlowEmbedding(KEY), embedder_of(OpenAIEmbedding(KEY)))
        assert "AAAA1111" not in f"{raised.value} {caplog.text} {models!r} {[vars(model) for model in models[:3]]}"
        await llm.llm.close()

    async def test_a_memory_is_made_with_them(self, stub: Stub, tmp_path: Path):
        fact = {"text": "Nora lives in Porto", "subject": "Nora", "predicate": "lives_in", "object": "Porto"}
        reply = json.dumps({"facts": [fact | {"source": "M1"}]})

        def answer(asked: Asked) -> Answer:
            return embedded(asked) if "input" in asked.body else said(reply)

        stub.answers = answer
        async with AsyncMemory(
            tmp_path / "memory.db", embedder=embedder_of(OpenAIEmbedding(KEY, base_url=stub.url, dimensions=3)),
            llm=llm_of(OpenAILLM(KEY, model="deepseek-chat", base_url=stub.url)), settings=strategy.settings(),
            background=False,
        ) as memory:  # fmt: skip
            await memory.remember("u", "Nora lives in Porto")
            found = await memory.extract("u")
            assert found.left == ()
            assert {asked.body["model"] for asked in stub.asked} == {"deepseek-chat", "text-embedding-3-small"}

    @pytest.mark.parametrize("wrong", [
        {"api_key": ""}, {"api_key": None}, {"api_key": "a b"}, {"base_url": "h/v1"}, {"dimensions": 0}, {"model": " "},
        {"batch_size": 0},
    ], ids=str)  # fmt: skip
    def test_what_cannot_be_meant_is_refused(self, wrong: dict[str, Any]):
        for kind in (OpenAIEmbedding, SiliconFlowEmbedding):
            with pytest.raises(InvalidInput):
                kind(**{"api_key": KEY, **wrong})
        if not wrong.keys() & {"dimensions", "batch_size"}:
            with pytest.raises(InvalidInput):
                OpenAILLM(**{"api_key": KEY, **wrong})

    def test_the_usual_ones(self):
        assert (OpenAIEmbedding(KEY).dims, SiliconFlowEmbedding(KEY).dims) == (1536, 1024)
        assert "BAAI/bge-m3" in SiliconFlowEmbedding(KEY).embedder.space
        assert "api.siliconflow.cn" in repr(SiliconFlowEmbedding(KEY))
        assert "gpt-4o-mini" in repr(OpenAILLM(KEY))


class TestSentenceTransformers:
    async def test_without_the_package_the_extra_is_named_at_the_first_text(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setitem(sys.modules, "sentence_transformers", None)
        model = SentenceTransformerEmbedding()
        assert model.dims == 384
        for asking in (model.embed("a"), embedder_of(model).embed(["a"], "query")):
            with pytest.raises(MissingExtra, match=r"fabula\[local\]"):
                await asking

    async def test_it_is_loaded_once_and_asked(self, monkeypatch: pytest.MonkeyPatch):
        loaded: list[str] = []

        class Fake:
            def __init__(self, name: str) -> None:
                loaded.append(name)

            def get_sentence_embedding_dimension(self) -> int:
                return 2

            def encode(self, texts: list[str], **options: Any) -> Any:
                if "bad" in texts:
                    raise RuntimeError("out of memory")
                return np.array([[len(text), 1.0] for text in texts])

        monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Fake))
        model = SentenceTransformerEmbedding("my-folder")
        assert loaded == []
        assert np.allclose(await model.embed("abc"), np.array([3, 1]) / 10**0.5)
        assert (model.dims, loaded) == (2, ["my-folder"])
        with pytest.raises(ProviderUnavailable, match="out of memory"):
            await model.embed("bad")
        with pytest.raises(InvalidInput):
            await model.embed(" ")
        await model.embedder.close()
        with pytest.raises(InvalidInput):
            SentenceTransformerEmbedding("")


@pytest.mark.slow
async def test_the_bundled_model():
    model = LocalEmbedding()
    first, second = await model.embed_batch(["小猫", "a kitten"])
    assert len(first) == len(second) == model.dims
    assert np.dot(first, second) > 0.8
    await model.embedder.close()
