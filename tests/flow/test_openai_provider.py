"""The OpenAI-compatible models against a real HTTP server on the loopback."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host import Answer, Asked, Stub, embedded, refused, said

from fabula import AsyncMemory
from fabula.abc import LLM
from fabula.errors import (
    InvalidInput,
    ProviderAuthError,
    ProviderBadReply,
    ProviderRateLimited,
    ProviderUnavailable,
)
from fabula.providers.environment import embedder_from, llm_from
from fabula.providers.openai import OpenAIEmbedder, OpenAILLM, normalised

KEY = "sk-test-AAAA1111"
ASK = [{"role": "user", "content": "Where does Ivo live?"}]


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with Stub() as server:
        yield server


def rows(*vectors: Any, first: int = 0) -> Answer:
    data = [{"object": "embedding", "index": first + at, "embedding": row} for at, row in enumerate(vectors)]
    return Answer({"object": "list", "model": "m", "data": data})


async def chat(stub: Stub, *, llm: OpenAILLM | None = None, **options: Any) -> str:
    model = llm or OpenAILLM(api_key=KEY, base_url=f"{stub.url}/v1", retries=1, timeout=5)
    try:
        return (await model.chat(ASK, **options)).text
    finally:
        await model.close()


async def embed(stub: Stub, texts: Sequence[str], **options: Any) -> np.ndarray[Any, Any]:
    settings: dict[str, Any] = {
        "model": "m",
        "dimensions": 3,
        "base_url": f"{stub.url}/v1",
        "retries": 1,
        "timeout": 5,
    } | options
    embedder = OpenAIEmbedder(api_key=KEY, **settings)
    try:
        return await embedder.embed(texts, "passage")
    finally:
        await embedder.close()


# --- addresses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "path"), [
    ("/v1", "/v1"), ("/v1/", "/v1"), ("/v1/embeddings", "/v1"), ("/v1/chat/completions/", "/v1"),
    ("/api/paas/v4/", "/api/paas/v4"), ("//v1//", "/v1"), ("", ""), ("/", ""),
])  # fmt: skip
async def test_b032_paths_are_joined_as_they_are_meant(stub: Stub, base: str, path: str):
    stub.answers = lambda asked: embedded(asked) if "input" in asked.body else said("ok")
    await embed(stub, ["a"], base_url=stub.url + base)
    await chat(stub, llm=OpenAILLM(api_key=KEY, base_url=f" {stub.url}{base} "))
    assert stub.paths == [f"{path}/embeddings", f"{path}/chat/completions"]


@pytest.mark.parametrize("base", ["", "api.openai.com/v1", "ftp://h/v1", "http://", "http://h/v1?a=b", "http://h:x/v1"])
def test_what_is_no_address_is_refused(base: str):
    with pytest.raises(InvalidInput, match="base_url"):
        OpenAILLM(api_key=KEY, base_url=base)


async def test_b033_the_environment_does_not_override_an_argument(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-private")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-private")
    assert normalised(None) == "https://api.openai.com/v1"
    assert OpenAILLM(api_key=KEY)._host.base_url == "https://api.openai.com/v1"  # pyright: ignore[reportPrivateUsage]
    stub.answers = [said("ok")]
    assert await chat(stub) == "ok"
    assert not [name for name in stub.asked[0].headers if name.startswith("openai-")]
    assert stub.asked[0].headers["authorization"] == f"Bearer {KEY}"


# --- chat -----------------------------------------------------------------------------------------------------------


async def test_a_chat_gives_the_text_and_what_it_cost(stub: Stub):
    stub.answers = [said(" 伊沃住在7号。 ")]
    llm = OpenAILLM(api_key=KEY, base_url=stub.url)
    assert isinstance(llm, LLM)
    reply = await llm.chat(ASK, temperature=0.3, max_tokens=99)
    await llm.close()
    assert (reply.text, reply.model, reply.prompt_tokens, reply.completion_tokens) == (" 伊沃住在7号。 ", "m-2", 7, 3)
    assert stub.asked[0].body == {"model": "gpt-4o-mini", "messages": ASK, "temperature": 0.3, "max_tokens": 99}


async def test_half_a_character_does_not_break_the_request(stub: Stub):
    stub.answers = [said("ok")]
    llm = OpenAILLM(api_key=KEY, base_url=stub.url)
    await llm.chat([{"role": "user", "content": "broken \ud83d here"}])
    await llm.close()
    assert stub.asked[0].body["messages"][0]["content"] == "broken ? here"


@pytest.mark.parametrize(("answer", "reason"), [
    (said(None, reasoning_content="Ivo lives in flat 7"), "empty"),
    (said(""), "empty"),
    (said(" \n"), "empty"),
    (Answer({"choices": []}), "empty"),
    (Answer({"choices": None}), "empty"),
    (Answer({"choices": [{"message": None}]}), "empty"),
    (said('{"facts": ["Iv', "length"), "truncated"),
    (said(None, "length", reasoning_content="hm"), "truncated"),
    (said("no", "content_filter"), "refused"),
    (said(None, refusal="I cannot help"), "refused"),
    (said(["parts"]), "malformed"),
    (Answer({"choices": [{"message": "text"}]}), "empty"),
    (Answer({"error": {"message": "upstream is down"}}), "refused"),
    (Answer([1, 2]), "malformed"),
    (Answer(b"{half"), "malformed"),
    (Answer(b"<html>login</html>", headers={"content-type": "text/html"}), "malformed"),
    (refused(404, "no such model"), "refused"),
    (refused(400, "context too long"), "refused"),
])  # fmt: skip
async def test_b007_what_is_no_answer_is_never_an_empty_success(stub: Stub, answer: Answer, reason: str):
    stub.answers = [answer]
    with pytest.raises(ProviderBadReply) as caught:
        await chat(stub)
    assert caught.value.reason == reason
    assert len(stub.asked) == 1
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("status", [401, 403])
async def test_b023_a_refused_key_is_one_call_and_never_shown(
    stub: Stub, status: int, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    stub.answers = [refused(status, f"Incorrect API key provided: {KEY}, see also AAAA1111")]
    llm = OpenAILLM(api_key=KEY, base_url=stub.url, retries=3)
    with pytest.raises(ProviderAuthError) as caught:
        await chat(stub, llm=llm)
    assert len(stub.asked) == 1
    error = caught.value
    shown = (str(error), repr(error), repr(llm), caplog.text, str(error.__cause__), str(error.__context__))
    assert not [text for text in shown if "AAAA1111" in text]
    assert "127.0.0.1" in repr(llm)


async def test_b023_a_key_in_another_message_is_blotted_out(stub: Stub):
    stub.answers = [refused(400, f"odd request\nby {KEY} " + "x" * 999)]
    with pytest.raises(ProviderBadReply, match=r"odd request by \*\*\* xxx") as caught:
        await chat(stub)
    assert len(str(caught.value)) < 300


async def test_b022_too_many_requests_are_retried_up_to_the_cap(stub: Stub):
    stub.answers = [refused(429, "slow down"), refused(429, "slow down"), said("ok")]
    assert await chat(stub, llm=OpenAILLM(api_key=KEY, base_url=stub.url, retries=2)) == "ok"
    stub.asked.clear()
    stub.answers = [refused(429, "slow down")]
    with pytest.raises(ProviderRateLimited):
        await chat(stub, llm=OpenAILLM(api_key=KEY, base_url=stub.url, retries=2))
    assert len(stub.asked) == 3


async def test_retry_after_is_honoured(stub: Stub):
    stub.answers = [refused(429, "slow down", **{"retry-after-ms": "300"}), said("ok")]
    started = asyncio.get_running_loop().time()
    assert await chat(stub) == "ok"
    assert asyncio.get_running_loop().time() - started >= 0.3


@pytest.mark.parametrize("answer", [
    refused(500, "oh"), refused(503, "busy"), refused(408, "slow"), Answer({"a": "b" * 99}, drop=True),
])  # fmt: skip
async def test_a_failing_host_is_unavailable_after_the_retries(stub: Stub, answer: Answer):
    stub.answers = [answer]
    with pytest.raises(ProviderUnavailable, match=r"127\.0\.0\.1"):
        await chat(stub)
    assert len(stub.asked) == 2


async def test_silence_is_unavailable_and_says_how_long(stub: Stub):
    stub.answers = [Answer(after=1.0)]
    with pytest.raises(ProviderUnavailable, match=r"within 0\.2 s"):
        await chat(stub, llm=OpenAILLM(api_key=KEY, base_url=stub.url, retries=0, timeout=0.2))


async def test_no_host_at_all_is_unavailable():
    llm = OpenAILLM(api_key=KEY, base_url="http://127.0.0.1:9", retries=0)
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        await llm.chat(ASK)
    await llm.close()


async def test_a_schema_is_sent_as_the_response_format(stub: Stub):
    stub.answers = [said("{}")]
    await chat(stub, schema={"type": "object"})
    sent = stub.asked[0].body["response_format"]
    assert sent == {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}


async def test_b034_a_refused_response_format_is_not_sent_again(stub: Stub, caplog: pytest.LogCaptureFixture):
    stub.answers = [refused(400, "response_format is not supported"), said("{}")]
    llm = OpenAILLM(api_key=KEY, base_url=stub.url)
    await llm.chat(ASK, schema={"type": "object"})
    await llm.chat(ASK, schema={"type": "object"})
    await llm.close()
    assert [("response_format" in asked.body) for asked in stub.asked] == [True, False, False]
    assert len([record for record in caplog.records if record.name.startswith("fabula")]) == 1


async def test_what_reasoning_models_refuse_is_left_out(stub: Stub):
    stub.answers = [
        refused(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        refused(400, "'temperature' does not support 0.1 with this model."),
        said("ok"),
    ]
    await chat(stub)
    assert set(stub.asked[2].body) == {"model", "messages", "max_completion_tokens"}
    assert stub.asked[2].body["max_completion_tokens"] == 2048


async def test_a_field_is_not_given_up_when_the_request_fails_without_it_too(stub: Stub):
    stub.answers = [refused(400, "bad response_format"), refused(400, "bad anyway"), said("{}")]
    llm = OpenAILLM(api_key=KEY, base_url=stub.url)
    with pytest.raises(ProviderBadReply, match="bad anyway"):
        await llm.chat(ASK, schema={})
    await llm.chat(ASK, schema={})
    await llm.close()
    assert "response_format" in stub.asked[2].body


@pytest.mark.parametrize("options", [
    {"api_key": ""}, {"api_key": " "}, {"api_key": "ключ-AAAA1111"}, {"api_key": "sk AAAA1111"}, {"model": " "},
    {"timeout": 0}, {"timeout": 10**400}, {"timeout": "soon"}, {"retries": -1}, {"retries": True}, {"api_key": None},
], ids=" ".join)  # fmt: skip
def test_arguments_that_cannot_be_meant_are_refused_at_once(options: dict[str, Any]):
    settings: dict[str, Any] = {"api_key": KEY, **options}
    with pytest.raises(InvalidInput) as caught:
        OpenAILLM(**settings)
    assert str(caught.value).startswith(next(iter(options)))
    assert "AAAA1111" not in str(caught.value)


@pytest.mark.parametrize("key", ["", " "])
def test_of_a_key_that_is_empty_it_is_said(key: str):
    with pytest.raises(InvalidInput, match="api_key is empty"):
        OpenAILLM(api_key=key)


async def test_a_memory_lets_go_of_its_models(stub: Stub, tmp_path: Path):
    stub.answers = [said('{"frames": [], "facts": [], "entities": [], "profile": []}')]
    llm = OpenAILLM(api_key=KEY, base_url=stub.url)
    async with AsyncMemory(tmp_path / "memory.db", embedder=None, llm=llm, background=False) as memory:
        await memory.remember("u", "Ivo lives in flat 7")
        await memory.flush()
        assert llm._host._client is not None  # pyright: ignore[reportPrivateUsage]
    assert llm._host._client is None  # pyright: ignore[reportPrivateUsage]


# --- embeddings -----------------------------------------------------------------------------------------------------


async def test_b029_batches_keep_to_the_limit_and_order(stub: Stub):
    stub.answers = embedded
    texts = [chr(97 + number) * (number + 1) for number in range(25)]
    vectors = await embed(stub, texts, batch=10)
    assert [len(asked.body["input"]) for asked in stub.asked] == [10, 10, 5]
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 2], range(1, 26), rtol=1e-4)


async def test_b027_a_blank_never_reaches_the_host(stub: Stub):
    with pytest.raises(InvalidInput, match="text 1 is blank"):
        await embed(stub, ["a", "", "\n\n", "b"])
    assert (await embed(stub, [])).shape == (0, 3)
    assert not stub.asked


async def test_b028_a_long_text_is_sent_in_pieces_and_pooled(stub: Stub):
    def strict(asked: Asked) -> Answer:
        too_long = any(len(text.encode()) > 512 for text in asked.body["input"])
        return refused(500, "too long") if too_long else embedded(asked)

    stub.answers = strict
    vectors = await embed(stub, ["今天去公园散步，看见很多花。" * 200 + "暗号是蓝鲸42", "short"], max_tokens=512)
    assert vectors.shape == (2, 3)
    sent = [text for asked in stub.asked for text in asked.body["input"]]
    assert "".join(sent[:-1]).endswith("暗号是蓝鲸42")
    assert all(len(asked.body["input"]) <= 64 for asked in stub.asked)


@pytest.mark.parametrize("answer", [
    rows([1, 0, 0]), rows([1, 0, 0], [1, 0, 0], [1, 0, 0]), rows([1, 0, 0], [1, 0, 0], first=1),
    rows([1, 0], [1, 0]), rows([1, 0, 0], [1, 0]), rows([1, 0, 0], [0, 0, 0]), rows([1, 0, 0], [float("nan"), 0, 0]),
    rows([1, 0, 0], None), rows([1, 0, 0], "AAAA"), Answer({"data": None}), Answer({"data": [None, None]}),
    Answer({"data": [{"index": 0, "embedding": [1, 0, 0]}] * 2}), Answer({}), Answer(b"soon"),
])  # fmt: skip
async def test_embeddings_that_do_not_fit_are_malformed(stub: Stub, answer: Answer):
    stub.answers = [answer]
    with pytest.raises(ProviderBadReply) as caught:
        await embed(stub, ["a", "b"])
    assert caught.value.reason == "malformed"


async def test_a_wrong_dimension_names_both(stub: Stub):
    stub.answers = [rows([1, 0, 0, 0])]
    with pytest.raises(ProviderBadReply, match=r"1 rows of 4 dimensions instead of 1 of 3"):
        await embed(stub, ["a"])


async def test_embeddings_without_an_index_are_in_order(stub: Stub):
    stub.answers = [Answer({"data": [{"embedding": [1, 0, 0]}, {"embedding": [0, 1, 0]}]})]
    np.testing.assert_array_equal(await embed(stub, ["a", "b"]), np.eye(3)[:2])


async def test_dimensions_are_asked_for_and_given_up_where_refused(stub: Stub):
    stub.answers = [refused(400, "This model does not support specifying dimensions."), rows([1, 0, 0])]
    await embed(stub, ["a"])
    assert [asked.body.get("dimensions") for asked in stub.asked] == [3, None]


async def test_native_dimensions_are_not_asked_for(stub: Stub):
    stub.answers = [rows([1.0] * 1536)]
    assert (await embed(stub, ["a"], model="text-embedding-3-small", dimensions=1536)).shape == (1, 1536)
    assert "dimensions" not in stub.asked[0].body


def test_the_space_names_host_model_and_dimensions():
    made = OpenAIEmbedder(api_key=KEY, model="BAAI/bge-m3", base_url="https://api.siliconflow.cn/v1")
    assert made.space == "api.siliconflow.cn/BAAI/bge-m3/1024"
    assert OpenAIEmbedder(api_key=KEY, dimensions=256).space == "api.openai.com/text-embedding-3-small/256"
    assert repr(made) == "OpenAIEmbedder(model='BAAI/bge-m3', host='api.siliconflow.cn')"


@pytest.mark.parametrize(
    "options", [{"model": "my-own"}, {"dimensions": 0}, {"batch": 0}, {"batch": "x"}, {"max_tokens": 0}]
)
def test_embedder_arguments_that_cannot_be_meant_are_refused(options: dict[str, Any]):
    with pytest.raises(InvalidInput, match=r"dimensions|batch|max_tokens"):
        OpenAIEmbedder(api_key=KEY, **options)


# --- the environment ------------------------------------------------------------------------------------------------


def _base(model: Any) -> str:
    return model._host.base_url


def test_b033_arguments_then_own_variables_then_openais_then_the_default():
    environ = {"LLM_API_KEY": KEY, "LLM_BASE_URL": "http://127.0.0.1:2", "OPENAI_BASE_URL": "http://127.0.0.1:1"}
    assert _base(llm_from(environ, base_url="http://127.0.0.1:3")) == "http://127.0.0.1:3"
    assert _base(llm_from(environ)) == "http://127.0.0.1:2"
    assert _base(llm_from(environ | {"LLM_BASE_URL": ""})) == "http://127.0.0.1:1"
    assert _base(llm_from({"OPENAI_API_KEY": KEY})) == "https://api.openai.com/v1"
    assert repr(llm_from(environ | {"LLM_MODEL": "m"})) == "OpenAILLM(model='m', host='127.0.0.1')"


@pytest.mark.parametrize("environ", [
    {"LLM_API_KEY": "", "LLM_MODEL": "m"}, {"LLM_API_KEY": " ", "LLM_BASE_URL": "http://h"}, {"LLM_MODEL": "m"},
])  # fmt: skip
def test_b033_a_model_without_a_key_is_a_clear_error(environ: dict[str, str]):
    with pytest.raises(InvalidInput, match="missing LLM_API_KEY"):
        llm_from(environ)
    with pytest.raises(InvalidInput, match="missing LLM_API_KEY"):
        llm_from({}, model="m")


def test_the_embedding_variables_and_their_older_names():
    older = {"MM_ENCODER_API_KEY": KEY, "MM_ENCODER_BASE_URL": "http://h/v1/", "MM_ENCODER_MODEL": "BAAI/bge-m3"}
    made = embedder_from(older)
    assert made is not None
    assert made.space == "h/BAAI/bge-m3/1024"
    own = embedder_from(older | {"EMBEDDING_MODEL": "mine", "EMBEDDING_DIMENSIONS": "7"})
    assert own is not None
    assert own.space == "h/mine/7"
    with pytest.raises(InvalidInput, match="missing EMBEDDING_API_KEY"):
        embedder_from({"EMBEDDING_MODEL": "BAAI/bge-m3", "MM_ENCODER_API_KEY": ""})
    with pytest.raises(InvalidInput, match="EMBEDDING_DIMENSIONS"):
        embedder_from(older | {"EMBEDDING_DIMENSIONS": "many"})


def test_nothing_named_is_nothing():
    assert llm_from({}) is None
    assert llm_from({"OPENAI_BASE_URL": "http://h", "LLM_API_KEY": ""}) is None
    assert embedder_from({"OPENAI_API_KEY": KEY}) is None
