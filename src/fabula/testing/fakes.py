"""Models that answer at once, the same every time, and remember what they were asked.

They know no network, no weights and no randomness.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Embedder, Extraction, Reply, Role, Vectors
from fabula.checking import aware
from fabula.types import Passage

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+")


@lru_cache(maxsize=16384)
def _direction(word: str, dimensions: int) -> NDArray[np.float32]:
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest())
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)


class HashEmbedder(Embedder):
    """An embedder without a model: a text is the sum of one fixed direction a word, or a Han character.

    Texts that share words are alike, texts that share none are nearly at right angles. `calls` holds the texts of
    each call; `fail` is raised, and `delay` seconds are slept, by every call until it is set otherwise. The role
    is ignored.
    """

    def __init__(self, dimensions: int = 64, *, fail: Exception | None = None, delay: float = 0.0) -> None:
        self.space = f"hash/{dimensions}"
        self.dimensions = dimensions
        self.fail = fail
        self.delay = delay
        self.calls: list[list[str]] = []

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, shape (texts, dimensions); raises `ValueError` if one is blank."""
        for text in texts:
            if not text.strip():
                raise ValueError("a blank text has no embedding")
        self.calls.append(list(texts))
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.fail is not None:
            raise self.fail
        return np.array([self._vector(text) for text in texts], np.float32).reshape(len(texts), self.dimensions)

    def _vector(self, text: str) -> NDArray[np.float32]:
        words = _WORD.findall(text.casefold()) or [text.strip()]
        total = np.array([_direction(word, self.dimensions) for word in words]).sum(axis=0)
        return total / np.linalg.norm(total)


@dataclass(frozen=True, kw_only=True, slots=True)
class Chat:
    """One call of `ScriptedLLM.chat`, as it came in."""

    messages: tuple[Mapping[str, Any], ...]
    temperature: float
    max_tokens: int
    schema: Mapping[str, Any] | None

    @property
    def text(self) -> str:
        """The contents of all messages, a line break between them; of content parts the texts."""
        return "\n".join(
            content if isinstance(content, str) else "\n".join(part["text"] for part in content if "text" in part)
            for content in (message["content"] for message in self.messages)
        )


class ScriptedLLM:
    """A language model that gives `replies` in turn: text and `Reply` are answered, an exception is raised.

    `calls` holds what it was asked. Being asked more often than there are replies is an `AssertionError`.
    """

    def __init__(self, replies: Iterable[str | Reply | Exception] = ()) -> None:
        self.replies = list(replies)
        self.calls: list[Chat] = []

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        """Give the next reply."""
        call = Chat(messages=tuple(messages), temperature=temperature, max_tokens=max_tokens, schema=schema)
        self.calls.append(call)
        if len(self.calls) > len(self.replies):
            raise AssertionError(
                f"the script has {len(self.replies)} replies and was asked {len(self.calls)} times, last: "
                f"{call.text[-200:]!r}"
            )
        reply = self.replies[len(self.calls) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else Reply(text=reply, model="scripted")


class FakeClock:
    """A clock that stands still until it is moved. `start` is taken as by `aware`."""

    def __init__(self, start: datetime | str = datetime(2024, 1, 1, tzinfo=UTC)) -> None:
        self.now = aware(start)

    def __call__(self) -> datetime:
        """Return the time it stands at, aware."""
        return self.now

    def advance(self, by: timedelta | float) -> datetime:
        """Move on by a stretch of time, or by that many seconds; return the new time."""
        self.now += by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self.now


class FakeExtractor:
    """An extractor that answers with `answers`: a function of the window, or extractions given in turn.

    An exception in the list is raised, as is what the function raises. `windows` and `contexts` hold what it was
    given. Being asked more often than there are answers is an `AssertionError`.
    """

    name = "fake"

    def __init__(
        self, answers: Callable[[Sequence[Passage]], Extraction] | Iterable[Extraction | Exception] = ()
    ) -> None:
        self._answer = answers if callable(answers) else self._next
        self._answers = [] if callable(answers) else list(answers)
        self.windows: list[tuple[Passage, ...]] = []
        self.contexts: list[tuple[Passage, ...]] = []

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Give the next answer."""
        self.windows.append(tuple(window))
        self.contexts.append(tuple(context))
        return self._answer(window)

    def _next(self, _: Sequence[Passage]) -> Extraction:
        if len(self.windows) > len(self._answers):
            raise AssertionError(f"there are {len(self._answers)} extractions, asked for {len(self.windows)} times")
        answer = self._answers[len(self.windows) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer
