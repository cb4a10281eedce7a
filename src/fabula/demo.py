"""A short tour of the main job: a conversation in two languages is remembered, then asked about.

It knows no terminal; the talk and the questions stand in `data/demo.json`.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from fabula.abc import Embedder
from fabula.memory import AsyncMemory
from fabula.render import Recollection
from fabula.types import Message, Plan

SCOPE = "demo"
PLAN = Plan(kinds=("passage",), limit=2)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """Something to ask the talk. `answers` are the ids of messages that tell it; none if nobody ever said it."""

    text: str
    shows: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """The talk, the questions, and the day they are asked on."""

    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
    asked: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """A question, what came back, and how many seconds that took."""

    question: Question
    found: Recollection
    seconds: float


def script() -> Script:
    """Return the shipped talk and its questions."""
    told: Any = json.loads(resources.files("fabula.data").joinpath("demo.json").read_text("utf-8"))
    messages = [
        Message(line["text"], speaker=line["speaker"], time=line["time"], id=line["id"], session=line["session"])
        for line in told["messages"]
    ]
    questions = [Question(text=q["text"], shows=q["shows"], answers=tuple(q["answers"])) for q in told["questions"]]
    return Script(messages=tuple(messages), questions=tuple(questions), asked=told["asked"])


async def answers(embedder: Embedder | None) -> AsyncGenerator[Answered]:
    """Remember the talk in a folder that is gone afterwards, and yield the answer to each question."""
    told = script()
    with tempfile.TemporaryDirectory(prefix="fabula-", ignore_cleanup_errors=True) as folder:
        async with AsyncMemory(Path(folder) / "demo.db", embedder=embedder) as memory:
            await memory.remember(SCOPE, told.messages)
            await memory.flush(SCOPE)
            for question in told.questions:
                start = time.perf_counter()
                found = await memory.recall(SCOPE, question.text, PLAN, at=told.asked, explain=True)
                yield Answered(question=question, found=found, seconds=time.perf_counter() - start)
