"""Embeddings and chat of any host that speaks OpenAI's API.

Knows no flow and reads no environment (`environment` does); the `openai` package is imported at the first request.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from fabula.abc import Embedder, Reply, Role, Vectors
from fabula.checking import within
from fabula.errors import (
    InvalidInput,
    ProviderAuthError,
    ProviderBadReply,
    ProviderError,
    ProviderRateLimited,
    ProviderUnavailable,
)
from fabula.providers.pooling import cut, unit_rows, writable
from fabula.providers.streams import whole
from fabula.types import Image

_log = logging.getLogger(__name__)

OPENAI: Final = "https://api.openai.com/v1"
CHAT_MODEL: Final = "gpt-4o-mini"
EMBEDDING_MODEL: Final = "text-embedding-3-small"
DIMENSIONS: Final[Mapping[str, int]] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "text-embedding-v3": 1024,
    "text-embedding-v4": 1024,
    "embedding-2": 1024,
    "embedding-3": 2048,
    "BAAI/bge-m3": 1024,
    "BAAI/bge-large-en-v1.5": 1024,
    "BAAI/bge-large-zh-v1.5": 1024,
    "Qwen/Qwen3-Embedding-0.6B": 1024,
    "Qwen/Qwen3-Embedding-4B": 2560,
    "Qwen/Qwen3-Embedding-8B": 4096,
}
"""How long the vectors of well-known models are when nothing else is asked for."""
_ENDPOINT: Final = re.compile(r"(/embeddings|/chat/completions)?/*$")
_QUOTED: Final = re.compile(r"data:[\w/.+-]*;base64,[\w/+-]*=*|(?=[A-Za-z]{0,63}[\d/+])[A-Za-z\d/+]{64,}=*", re.ASCII)
"""What a host repeats of a picture in its errors."""
_CALLED: Final[Mapping[str, tuple[str, ...]]] = {
    "max_tokens": ("max_completion_tokens",),
    "response_format": ("response_format", "json_schema", "json schema", "structured output"),
}
"""What hosts call a field that they refuse, where that is not its name. `max_tokens` is only ever refused in favour of
its new name."""
_SAID: Final = 200
"""How many characters of a host's own error message are passed on."""


class OpenAIEmbedder(Embedder):
    """An embedding model behind an OpenAI-compatible `/embeddings`.

    `dimensions` is needed for a model that is not in `DIMENSIONS`; the host is asked to cut its vectors to it where
    it can. `max_tokens` is the longest text the model takes; longer ones are cut and pooled. Tokens are counted as
    bytes, which no tokeniser exceeds. `sees` is whether it takes pictures too, as `{"image": address}` in
    `input` (as SiliconFlow and Jina do), and puts them into one space with texts.
    """

    def __init__(
        self, *, api_key: str, model: str = EMBEDDING_MODEL, base_url: str | None = None,
        dimensions: int | None = None, batch: int = 64, max_tokens: int = 8000, timeout: float = 60.0,
        retries: int = 3, sees: bool = False,
    ) -> None:  # fmt: skip
        self._host = _Host(api_key, model, base_url, timeout, retries, sees)
        native = DIMENSIONS.get(model)
        if dimensions is None and native is None:
            raise InvalidInput(f"dimensions is needed: how long the vectors of {model!r} are is not known here")
        self.dimensions = cast(int, native if dimensions is None else dimensions)
        for name, number in (("dimensions", self.dimensions), ("batch", batch), ("max_tokens", max_tokens)):
            within(name, number, 1)
        self.space = f"{self._host.name}/{model}/{self.dimensions}"
        self._asked = {} if self.dimensions == native else {"dimensions": self.dimensions}
        self._batch = batch
        self._max_tokens = max_tokens

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self._host.model!r}, host={self._host.name!r})"

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, float32 of shape (texts, dimensions), in order.

        Raises `InvalidInput` for a blank text, before anything is sent, and a `ProviderError`.
        """
        pieces = cut(texts, lambda text: len(text.encode()), self._max_tokens)
        rows: list[Any] = []
        for start in range(0, len(pieces.texts), self._batch):
            rows += await self._rows(pieces.texts[start : start + self._batch])
        try:
            return pieces.pool(unit_rows(rows, len(pieces.texts), self.dimensions))
        except ValueError as error:
            raise ProviderBadReply(f"{self._host.name} sent {error}", reason="malformed") from None

    @property
    def sees(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether it takes pictures: it was said to, and the host has not refused them."""
        return self._host.sees

    async def embed_shown(self, text: str, images: Sequence[Image], role: Role) -> Vectors:
        """Return the mean of the text's and the pictures' unit vectors, made unit length, of shape (1, dimensions)."""
        words = await self.embed([text], role) if text.strip() else np.zeros((0, self.dimensions), np.float32)
        if len(words) and not (self.sees and images):
            return words
        try:
            rows = await self._rows([{"image": image.address} for image in images])
            self._host.seen = True
            pictures = unit_rows(rows, len(images), self.dimensions)
            return unit_rows([np.concatenate([words, pictures]).mean(axis=0)], 1, self.dimensions)
        except ValueError as error:
            raise ProviderBadReply(f"{self._host.name} sent {error}", reason="malformed") from None
        except ProviderBadReply as error:
            if error.reason != "refused" or not len(words):
                raise
            self._host.refused(error)
            return words

    async def close(self) -> None:
        """Let go of the connections; a later request opens new ones."""
        await self._host.close()

    async def _rows(self, given: Sequence[Any]) -> list[Any]:
        body = {"model": self._host.model, "input": list(given), "encoding_format": "float", **self._asked}
        reply = await self._host.ask("/embeddings", body, optional=("dimensions", "encoding_format"))
        items = _dicts(reply.get("data"))
        places = [item.get("index", at) for at, item in enumerate(items)]
        rows = {place: item.get("embedding") for place, item in zip(places, items, strict=True) if type(place) is int}
        if len(items) != len(given) or rows.keys() != set(range(len(given))):
            raise ProviderBadReply(
                f"{self._host.name} sent {len(items)} embeddings for {len(given)} texts, or numbered them wrongly",
                reason="malformed",
            )
        return [rows[at] for at in range(len(given))]


class OpenAILLM:
    """A language model behind an OpenAI-compatible `/chat/completions`; `sees` is whether it takes pictures."""

    def __init__(
        self, *, api_key: str, model: str = CHAT_MODEL, base_url: str | None = None, timeout: float = 60.0,
        retries: int = 3, sees: bool = False,
    ) -> None:  # fmt: skip
        self._host = _Host(api_key, model, base_url, timeout, retries, sees)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self._host.model!r}, host={self._host.name!r})"

    @property
    def sees(self) -> bool:
        """Whether it takes pictures: it was said to, and the host has not refused them."""
        return self._host.sees

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        """Answer `messages`; with `schema`, as JSON of that shape unless the host has refused to.

        Where it does not see, or the host refuses the pictures, the texts among the content parts are asked alone.
        Raises a `ProviderError`; an empty, cut-off or refused answer is a `ProviderBadReply`.
        """
        body: dict[str, Any] = {
            "model": self._host.model,
            "messages": [_worded(message) for message in messages],
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        if schema is not None:
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}
        shown = [{**_worded(message), **_parts(message)} for message in messages]
        if not self.sees or not any(map(_parts, messages)):
            return self._reply(await self._ask(body))
        try:
            reply = await self._ask({**body, "messages": shown})
            self._host.seen = True
        except ProviderBadReply as error:
            if error.reason != "refused":
                raise
            reply = await self._ask(body)  # raises its own error if pictures were not what was wrong
            self._host.refused(error)
        return self._reply(reply)

    async def _ask(self, body: Mapping[str, Any]) -> dict[str, Any]:
        return await self._host.ask("/chat/completions", body, ("response_format", "temperature", "max_tokens"))

    async def close(self) -> None:
        """Let go of the connections; a later request opens new ones."""
        await self._host.close()

    def _reply(self, reply: Mapping[str, Any]) -> Reply:
        """The first choice, if it is an answer. What a model thought on the way (`reasoning_content`) is none."""
        choices = _dicts(reply.get("choices"))
        choice = choices[0] if choices else {}
        message, usage = _dict(choice.get("message")), _dict(reply.get("usage"))
        text, end = message.get("content") or "", choice.get("finish_reason")
        if end == "content_filter" or message.get("refusal"):
            raise self._bad("refused to answer", "refused")
        if end == "length":
            raise self._bad("was cut off: the answer is longer than max_tokens", "truncated")
        if not isinstance(text, str):
            raise self._bad("sent an answer that is not text", "malformed")
        if not text.strip():
            raise self._bad("sent an empty answer", "empty")
        return Reply(
            text=text,
            model=str(reply.get("model") or self._host.model),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
        )

    def _bad(self, what: str, reason: str) -> ProviderBadReply:
        return ProviderBadReply(f"{self._host.model} at {self._host.name} {what}", reason=reason)


class _Host:
    """One model at one address: requests, and what went wrong with them in fabula's words."""

    def __init__(
        self, api_key: str, model: str, base_url: str | None, timeout: float, retries: int, sees: bool
    ) -> None:
        if not model.strip():
            raise InvalidInput("model is the name of a model, not blank")
        if not isinstance(api_key, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"api_key is text, not {type(api_key).__name__}")
        if not api_key.strip():
            raise InvalidInput("api_key is empty: give the host's key, or any word where it wants none")
        if not re.fullmatch(r"[!-~]+", api_key):
            raise InvalidInput("api_key is visible ASCII without spaces, and this one is not")
        within("timeout", timeout, 0.001, kind=float)
        within("retries", retries, 0)
        self.model = model
        self.base_url = normalised(base_url)
        self.name = urlsplit(self.base_url).hostname or ""
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._package: Any = None
        self._client: Any = None
        self._refused: frozenset[str] = frozenset()
        self.sees, self.seen = sees, False
        """Whether pictures may be sent, and whether one was ever taken."""

    async def ask(self, path: str, body: Mapping[str, Any], optional: Sequence[str]) -> dict[str, Any]:
        """Post `body` to `path` and return the JSON object that comes back.

        Of the `optional` fields, one that the host refuses is left out, in this request and in all later ones.
        """
        refused = self._refused
        while True:
            reply, failure, said = await self._post(path, _without(body, refused))
            if failure is None:
                if refused - self._refused:
                    _log.warning("%s does not take %s: left out", self.name, ", ".join(sorted(refused - self._refused)))
                    self._refused |= refused
                return reply
            named = {field for field in optional if field in body and _is_refused(field, said)} - refused
            if not named:
                # Raised here and not where it was caught: the package's own error, which may quote the key,
                # is then not even its context.
                raise failure
            refused |= named

    def refused(self, error: ProviderBadReply) -> None:
        """Remember that pictures were refused where the words alone were taken.

        A host that has taken some before finds fault with these, and not with pictures.
        """
        self.sees = self.seen
        what = "does not take these pictures" if self.seen else "does not take pictures: it gets none from now on"
        _log.warning("%s %s (%s)", self.name, what, error)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _post(self, path: str, body: dict[str, Any]) -> tuple[dict[str, Any], ProviderError | None, str]:
        """The reply, or what went wrong; with what the host said if the request itself was at fault."""
        package = self._package or await asyncio.to_thread(importlib.import_module, "openai")  # half a second
        if self._client is None:
            self._package = package
            self._client = package.AsyncOpenAI(
                api_key=self._api_key, base_url=self.base_url, timeout=self._timeout, max_retries=self._retries
            )
            # The package takes these from the environment: not for this host to know.
            self._client.organization = self._client.project = None
        try:
            reply = await self._client.post(path, cast_to=object, body=body)
        except package.APIStatusError as error:
            said = self._clean(str(_dict(error.body).get("message") or error.body or error.message))
            fault = error.status_code in (400, 422)
            return {}, self._failure(error.status_code, said), said if fault else ""
        except package.APIConnectionError as error:
            slow = isinstance(error, package.APITimeoutError)
            what = f"did not answer within {self._timeout:g} s" if slow else "cannot be reached"
            return {}, ProviderUnavailable(f"{self.name} {what}"), ""
        except (package.OpenAIError, ValueError):
            reply = None
        if isinstance(reply, str):
            try:
                reply = whole(reply)
            except ValueError:
                return {}, ProviderUnavailable(f"{self.name} broke off in the middle of its answer"), ""
        if not isinstance(reply, dict):
            return {}, ProviderBadReply(f"{self.name} sent something that is not JSON", reason="malformed"), ""
        answer = cast(dict[str, Any], reply)
        if answer.get("error"):
            said = self._clean(str(answer["error"]))
            return {}, ProviderBadReply(f"{self.name} sent an error: {said}", reason="refused"), ""
        return answer, None, ""

    def _failure(self, status: int, said: str) -> ProviderError:
        match status:
            case 401 | 403:  # such a message often quotes the key, in part and masked
                return ProviderAuthError(f"{self.name} refused the key for {self.model} (HTTP {status})")
            case 429:
                return ProviderRateLimited(f"{self.name} takes no more requests for {self.model} now (HTTP 429)")
            case 408 | 409:
                return ProviderUnavailable(f"{self.name} gave up on the request (HTTP {status})")
            # llama.cpp says so of pictures that its model cannot see.
            case _ if status >= 500 and not ("image" in said and "not supported" in said):
                return ProviderUnavailable(f"{self.name} failed (HTTP {status})")
            case _:
                return ProviderBadReply(f"{self.name} refused (HTTP {status}): {said[:_SAID]}", reason="refused")

    def _clean(self, said: str) -> str:
        return " ".join(_QUOTED.sub("…", said).replace(self._api_key, "***").split())


def normalised(base_url: str | None) -> str:
    """Return the address that paths are joined to: no slash at the end, no endpoint, no `/v1` that was not there.

    `None` is OpenAI's own. Raises `InvalidInput` for what is not an http address.
    """
    problem = InvalidInput("base_url is an http(s) address without a query, such as https://host/v1")
    try:
        parts = urlsplit((OPENAI if base_url is None else base_url).strip())
        _ = parts.port  # looked at to be refused here if it is none
        usable = parts.scheme in ("http", "https") and parts.hostname and not parts.query
    except ValueError:
        raise problem from None
    if not usable:
        raise problem
    path = _ENDPOINT.sub("", re.sub(r"/{2,}", "/", parts.path))
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _without(body: Mapping[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    kept = {name: value for name, value in body.items() if name not in refused}
    if "max_tokens" in refused and "max_tokens" in body:
        kept["max_completion_tokens"] = body["max_tokens"]
    return kept


def _is_refused(field: str, said: str) -> bool:
    """Whether the host's words are about the field."""
    return any(name in said.lower() for name in _CALLED.get(field, (field,)))


def _parts(message: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a message that comes in parts; nothing where it is one text."""
    content = message.get("content")
    if not isinstance(content, list):
        return {}
    parts = _dicts(cast(Any, content))
    return {"content": [{**part, "text": writable(part["text"])} if "text" in part else part for part in parts]}


def _worded(message: Mapping[str, Any]) -> dict[str, str]:
    """A message with the texts of its content alone."""
    texts = [part["text"] for part in _parts(message).get("content", ()) if "text" in part]
    plain = {**message, "content": "\n".join(texts)} if texts else message
    return {name: writable(value) for name, value in plain.items()}


def _dict(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [_dict(item) for item in cast(list[Any], value)] if isinstance(value, list) else []


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
