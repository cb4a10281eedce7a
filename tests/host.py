"""An HTTP server on the loopback that stands for a host of models, and what it may answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import isawaitable
from threading import Thread
from typing import Any, TypeAlias

from fabula.testing import HashEmbedder

SOON = {"retry-after-ms": "5"}


@dataclass
class Answer:
    """What the stub sends: a status and a body, as JSON unless it is bytes."""

    body: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    after: float = 0.0
    drop: bool = False
    """Hang up in the middle of the body."""


@dataclass
class Asked:
    """What the stub was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Answering: TypeAlias = Sequence[Answer] | Callable[[Asked], Answer | Awaitable[Answer]]


class Stub:
    """An HTTP server that answers from a list, its last entry for ever, or as a function of the request."""

    def __init__(self, answers: Answering | None = None) -> None:
        self.answers: Answering = [Answer()] if answers is None else answers
        self.asked: list[Asked] = []
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    async def __aenter__(self) -> Stub:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._answer(reader, writer)
        except ConnectionError:
            pass  # a client that has lost its patience is part of the tests
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        raw = await reader.readexactly(int(headers["content-length"]))
        self.asked.append(asked := Asked(first.split()[1], headers, json.loads(raw)))
        answers = self.answers
        answer = answers(asked) if callable(answers) else answers[min(len(self.asked), len(answers)) - 1]
        answer = await answer if isawaitable(answer) else answer
        await asyncio.sleep(answer.after)
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        head = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        head |= answer.headers
        lines = [f"HTTP/1.1 {answer.status} -", *(f"{name}: {value}" for name, value in head.items()), "", ""]
        writer.write("\r\n".join(lines).encode() + (body[: len(body) // 2] if answer.drop else body))
        await writer.drain()


@contextmanager
def beside(answers: Answering) -> Iterator[Stub]:
    """A stub in a thread of its own, for tests that block while they wait for it."""
    loop, stub = asyncio.new_event_loop(), Stub(answers)
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(stub.__aenter__(), loop).result()
        yield stub
        asyncio.run_coroutine_threadsafe(stub.__aexit__(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def hashed(asked: Asked, dimensions: int) -> Answer:
    """Vectors of the words of each text."""
    rows = await HashEmbedder(dimensions).embed(asked.body["input"], "passage")
    return Answer({"data": [{"index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]})


def said(content: Any, finish: str = "stop", **message: Any) -> Answer:
    """A chat completion."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content, **message}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return Answer({"id": "1", "object": "chat.completion", "model": "m-2", "choices": [choice], "usage": usage})


def refused(status: int, message: str, **headers: str) -> Answer:
    return Answer({"error": {"message": message, "type": "x", "param": None}}, status, {**SOON, **headers})


def embedded(asked: Asked) -> Answer:
    """Vectors of three numbers that tell the texts apart, in reverse order to make the index count."""
    texts = asked.body["input"]
    data = [
        {"object": "embedding", "index": at, "embedding": [float(len(text)), float(ord(text[0])), 1.0]}
        for at, text in enumerate(texts)
    ]
    return Answer({"object": "list", "model": "m", "data": data[::-1]})
