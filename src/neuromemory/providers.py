"""The models NeuroMemory is given: its own for well-known hosts, a caller's subclass, and fabula's seams for either.

It knows no memory, reads no environment and opens no connection before the first request.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Literal

from fabula import (
    LLM,
    Embedder,
    FabulaError,
    InvalidInput,
    MissingExtra,
    OpenAIEmbedder,
    ProviderAuthError,
    ProviderBadReply,
    ProviderError,
    ProviderRateLimited,
    ProviderUnavailable,
    Reply,
)
from fabula import OpenAILLM as HostedLLM
from fabula.abc import Role, Vectors
from fabula.checking import within
from fabula.providers.bundled import bundled
from fabula.providers.openai import CHAT_MODEL, EMBEDDING_MODEL, OPENAI
from fabula.providers.pooling import cut, unit_rows
from fabula.text import mask

_KEY: Final = re.compile(r"\bsk-[\w-]+|(?<=Bearer )\S+")
"""How hosts' keys look that are too short, or too odd, to be masked in talk."""
_SECRET: Final = re.compile(r"key|token|secret|password", re.IGNORECASE)
"""What an attribute is called that is not to be shown."""
SILICONFLOW: Final = "https://api.siliconflow.cn/v1"
BATCHES: Final[Mapping[str, int]] = {SILICONFLOW: 32, OPENAI: 64}
"""How many texts a host takes at once."""
FEW: Final = 10
"""How many texts any host takes at once."""
DIMENSIONS: Final[Mapping[str, int]] = {
    "all-MiniLM-L6-v2": 384, "all-MiniLM-L12-v2": 384, "all-mpnet-base-v2": 768, "multi-qa-mpnet-base-dot-v1": 768,
    "paraphrase-multilingual-MiniLM-L12-v2": 384, "paraphrase-multilingual-mpnet-base-v2": 768,
    "BAAI/bge-small-zh-v1.5": 512, "BAAI/bge-large-zh-v1.5": 1024, "BAAI/bge-m3": 1024,
}  # fmt: skip
"""How long the vectors of some models of sentence-transformers are; of others it is known once they are loaded."""


class EmbeddingProvider(ABC):
    """An embedding model. A subclass has `dims` and `embed`; `embed_batch` is better done by one request.

        class MyEmbedding(EmbeddingProvider):
            dims = 768
            async def embed(self, text):
                return await my_model(text)

    It is never given a blank text. A vector has `dims` numbers, of any length but 0.
    """

    dims: int
    """How many numbers a vector has."""
    batch_size: int = FEW
    """How many texts `embed_batch` takes at once."""
    max_characters: int = 512
    """The longest text it takes; longer ones are cut at the ends of sentences, and the mean of the parts counts."""

    @abstractmethod
    async def embed(self, text: str) -> Sequence[float]:
        """Return the vector of a text."""

    async def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector for each text, in order."""
        return [await _awaited(self, "embed", self.embed(text)) for text in texts]


class LLMProvider(ABC):
    """A language model. A subclass has `chat`."""

    @abstractmethod
    async def chat(
        self, messages: Sequence[Mapping[str, Any]], temperature: float = 0.1, max_tokens: int = 2048
    ) -> str:
        """Answer `messages` (`role`, `content`). Nothing to say is no answer: it is asked again later."""


# --- what comes with it -----------------------------------------------------------------------------------------


class _Ready(EmbeddingProvider):
    """A model that fabula knows how to ask."""

    embedder: Embedder

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.embedder!r})"

    @property
    def dims(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How many numbers a vector has."""
        return self.embedder.dimensions

    async def embed(self, text: str) -> list[float]:
        """Return the vector of a text, of length 1. Raises `InvalidInput` for a blank one, and a `ProviderError`."""
        return (await self.embed_batch([text]))[0]

    async def embed_batch(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text, in order. Raises as `embed` does."""
        return (await self.embedder.vectors(list(texts), "passage")).tolist()


class LocalEmbedding(_Ready):
    """The model that comes with fabula, `"default"` or `"fast"`: no key, no network, no download."""

    def __init__(self, model: Literal["default", "fast"] = "default") -> None:
        self.embedder = bundled(model)


class OpenAIEmbedding(_Ready):
    """A model of OpenAI, or of any host that speaks its API. Raises `InvalidInput` for what cannot be meant.

    `batch_size` is how many texts are sent at once: by default as many as the host is known to take, else 10.
    """

    def __init__(
        self, api_key: str, model: str = EMBEDDING_MODEL, base_url: str = OPENAI, dimensions: int = 1536, *,
        batch_size: int | None = None,
    ) -> None:  # fmt: skip
        self.batch_size = BATCHES.get(base_url.rstrip("/"), FEW) if batch_size is None else batch_size
        within("dimensions", dimensions, 1)
        within("batch_size", self.batch_size, 1)
        self.embedder = OpenAIEmbedder(
            api_key=api_key, model=model, base_url=base_url, dimensions=dimensions, batch=self.batch_size
        )


class SiliconFlowEmbedding(OpenAIEmbedding):
    """A model of SiliconFlow; see `OpenAIEmbedding`."""

    def __init__(
        self, api_key: str, model: str = "BAAI/bge-m3", base_url: str = SILICONFLOW, dimensions: int = 1024, *,
        batch_size: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(api_key, model, base_url, dimensions, batch_size=batch_size)


class SentenceTransformerEmbedding(_Ready):
    """A model of the sentence-transformers package, in this process (extra `local`).

    `model` is a folder or a name. The package is loaded at the first text and fetches a model that is named and not on
    this machine itself, from its hub. Raises `MissingExtra` at the first text where the package is not installed.
    """

    def __init__(self, model: str = "all-MiniLM-L6-v2") -> None:
        self.embedder = _SentenceTransformer(model)


class OpenAILLM(LLMProvider):
    """A language model of OpenAI, or of any host that speaks its API, as DeepSeek does.

    Raises `InvalidInput` for what cannot be meant.
    """

    def __init__(self, api_key: str, model: str = CHAT_MODEL, base_url: str = OPENAI) -> None:
        self.llm = HostedLLM(api_key=api_key, model=model, base_url=base_url)

    def __repr__(self) -> str:
        return repr(self.llm)

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], temperature: float = 0.1, max_tokens: int = 2048
    ) -> str:
        """Answer `messages`. Raises a `ProviderError`, also for an empty, cut-off or refused answer."""
        return (await self.llm.chat(messages, temperature=temperature, max_tokens=max_tokens)).text


class _SentenceTransformer(Embedder):
    """A model of sentence-transformers behind one thread, which alone ever enters it."""

    def __init__(self, model: str) -> None:
        if not isinstance(model, str) or not model.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("model is the name of a model or its folder")
        self._name = model
        self.space = f"sentence-transformers/{model}"
        self._model: Any = None
        self._worker: ThreadPoolExecutor | None = None

    def __repr__(self) -> str:
        return repr(self._name)

    @property
    def dimensions(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How long a vector is; a model that is not known is loaded to be asked."""
        known = DIMENSIONS.get(self._name.removeprefix("sentence-transformers/"))
        return known or int(self._loaded().get_sentence_embedding_dimension())

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text. Raises `MissingExtra`, and `ProviderUnavailable` if the model fails."""
        if any(not text.strip() for text in texts):
            raise InvalidInput("a blank text cannot be embedded")
        self._worker = self._worker or ThreadPoolExecutor(1, "sentence-transformers")
        try:
            rows = await asyncio.get_running_loop().run_in_executor(self._worker, self._encoded, list(texts))
            return unit_rows(rows, len(texts), self.dimensions)
        except FabulaError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a foreign package raises
            raise ProviderUnavailable(f"{self.space} cannot be used: {_told(error, self)}") from None

    async def close(self) -> None:
        """Let go of the model and its thread; a later text loads it anew."""
        worker, self._worker, self._model = self._worker, None, None
        if worker is not None:
            await asyncio.to_thread(worker.shutdown)

    def _encoded(self, texts: list[str]) -> Any:
        return self._loaded().encode(texts, normalize_embeddings=True, show_progress_bar=False)

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                package: Any = importlib.import_module("sentence_transformers")
            except ModuleNotFoundError:
                raise MissingExtra("SentenceTransformerEmbedding", "local") from None
            self._model = package.SentenceTransformer(self._name)
        return self._model


# --- as fabula takes them ---------------------------------------------------------------------------------------


def embedder_of(given: EmbeddingProvider | Embedder | None) -> Embedder:
    """Return a provider as fabula's seam; `None` is the bundled model. Raises `InvalidInput`."""
    match given:
        case None:
            return bundled("default")
        case Embedder():
            return given
        case _Ready():
            return given.embedder
        case EmbeddingProvider():
            return _Provided(given)
    raise InvalidInput(f"embedding is an EmbeddingProvider, not {type(given).__name__}")


def llm_of(given: LLMProvider | LLM | None) -> LLM | None:
    """Return a provider as fabula's seam; `None` stays, and rules extract then. Raises `InvalidInput`."""
    match given:
        case None:
            return None
        case OpenAILLM():
            return given.llm
        case LLMProvider():
            return _Answering(given)
        case LLM():
            return given
    raise InvalidInput(f"llm is an LLMProvider, not {type(given).__name__}")


class _Provided(Embedder):
    """A caller's embedding model: asked for no blank, for few texts at once and for none too long, and not believed."""

    def __init__(self, provider: EmbeddingProvider) -> None:
        kind = type(provider)
        self.dimensions = getattr(provider, "dims", 0)
        for name, value in (("dims", self.dimensions), ("batch_size", provider.batch_size)):
            within(f"{name} of {kind.__name__}", value, 1)
        within(f"max_characters of {kind.__name__}", provider.max_characters, 1)
        model = getattr(provider, "model", "")
        self._provider, self._name = provider, kind.__name__
        self.space = "/".join(
            [kind.__name__, *([model] if isinstance(model, str) and model else []), str(self.dimensions)]
        )

    def __repr__(self) -> str:
        return self.space

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, in order. Raises `InvalidInput` for a blank text, and a `ProviderError`."""
        pieces = cut(texts, len, self._provider.max_characters)
        rows: list[Any] = []
        for start in range(0, len(pieces.texts), self._provider.batch_size):
            batch = list(pieces.texts[start : start + self._provider.batch_size])
            made: Any = await _asked(self._provider, "embed_batch", batch)
            try:
                rows += list(made)
            except TypeError:
                raise ProviderBadReply(f"{self._name} gave no list of vectors", reason="malformed") from None
            if len(rows) != start + len(batch):
                told = f"{self._name} gave {len(rows) - start} vectors for {len(batch)} texts"
                raise ProviderBadReply(told, reason="malformed")
        try:
            return pieces.pool(unit_rows(rows, len(pieces.texts), self.dimensions))
        except ValueError as error:
            raise ProviderBadReply(f"{self._name} gave {error}", reason="malformed") from None


class _Answering:
    """A caller's language model, whose answer has to be one."""

    def __init__(self, provider: LLMProvider) -> None:
        self._provider, self._name = provider, type(provider).__name__

    def __repr__(self) -> str:
        return self._name

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        """Answer `messages`; the schema is told in them too. Raises a `ProviderError`."""
        del schema
        plain = [{**message, "content": _words(message.get("content"))} for message in messages]
        answer: Any = await _asked(self._provider, "chat", plain, temperature=temperature, max_tokens=max_tokens)
        if not isinstance(answer, str | None):
            told = f"{self._name} gave an answer that is not text but {type(answer).__name__}"
            raise ProviderBadReply(told, reason="malformed")
        if not (answer or "").strip():
            raise ProviderBadReply(f"{self._name} gave an empty answer", reason="empty")
        return Reply(text=answer or "", model=str(getattr(self._provider, "model", "") or self._name))


def _words(content: Any) -> str:
    """The text of a message, or the texts among its parts."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if "text" in part)


async def _awaited(provider: object, name: str, given: Any) -> Any:
    if not inspect.isawaitable(given):
        raise InvalidInput(f"{name} of {type(provider).__name__} has to be `async def`")
    return await given


async def _asked(provider: object, name: str, *given: Any, **more: Any) -> Any:
    """What a method of a caller's model gives, or what went wrong with it in fabula's words."""
    try:
        return await _awaited(provider, name, getattr(provider, name)(*given, **more))
    except FabulaError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a foreign class raises
        # Its own error is not even the cause: it may quote a key.
        failure = _failure(provider, error)
    raise failure


def _failure(provider: object, error: Exception) -> ProviderError:
    name = type(provider).__name__
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    match status:
        case 401 | 403:
            return ProviderAuthError(f"{name} was refused the key (HTTP {status})")
        case 429:
            return ProviderRateLimited(f"{name} may ask no more now (HTTP 429)")
        case _:
            return ProviderUnavailable(f"{name} failed: {_told(error, provider)}")


def _told(error: Exception, provider: object) -> str:
    """An error in one line without secrets: neither those of known shapes, nor what the provider calls one."""
    said = _KEY.sub("***", mask(str(error))[0])
    for name, value in getattr(provider, "__dict__", {}).items():
        if _SECRET.search(name) and isinstance(value, str) and value:
            said = said.replace(value, "***")
    return f"{type(error).__name__}: {' '.join(said.split())}"[:200]
