"""A language model and an embedding model for NeuroMemory's tests, and how a memory is opened for them."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from neuromemory import EmbeddingProvider, LLMProvider, NeuroMemory

Opening = Callable[..., Awaitable[NeuroMemory]]
SAID = re.compile(r"^=+ \[(\d+)\] [^\n|]* \| ([^\n]*)\n(.*?)(?=^=+ )", re.MULTILINE | re.DOTALL)
RECORD = re.compile(r"^=+ \[(\d+)\] [^\n]*\n(.*?)(?=^=+ )", re.MULTILINE | re.DOTALL)


def fact(subject: str, predicate: str, object_: str, text: str = "", **more: Any) -> dict[str, Any]:
    """What a model tells as a fact; its sources are set by whoever found it."""
    said = text or f"{subject} {predicate} {object_}"
    known = {"valid_from": None, "valid_to": None, "importance": 5, "confidence": 1}
    return {"subject": subject, "predicate": predicate, "object": object_, "text": said, **known, **more}


class Teller(LLMProvider):
    """Draws the facts of a table from every message that has the words under which they stand.

    `heard` holds the messages it was shown, call by call; `fail` is raised and `delay` seconds are slept by each call.
    Of records that are reflected on it tells, for each of `insights`, that all of them say so.
    """

    def __init__(self, facts: Mapping[str, Any] | None = None, insights: Iterable[tuple[str, str]] = ()) -> None:
        self.facts = dict(facts or {})
        self.profile: dict[str, tuple[str, str]] = {}
        self.insights = list(insights)
        self.heard: list[list[str]] = []
        self.reflected: list[list[str]] = []
        self.fail: Exception | None = None
        self.delay = 0.0

    async def chat(
        self, messages: Sequence[Mapping[str, Any]], temperature: float = 0.1, max_tokens: int = 2048
    ) -> str:
        """Answer what fabula asks."""
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.fail is not None:
            raise self.fail
        asked, shown = str(messages[0]["content"]), str(messages[-1]["content"])
        if asked.startswith("You turn a conversation"):
            return self._drawn(shown)
        if asked.startswith("You reflect"):
            return self._reflected(shown)
        return "{}"

    def _drawn(self, shown: str) -> str:
        said = [(label, text.strip()) for label, _, text in SAID.findall(shown.partition(" TO RECORD\n")[2])]
        self.heard.append([text for _, text in said])
        found = [(label, words) for label, text in said for words in self.facts if words in text]
        facts = [{**one, "sources": [label]} for label, words in found for one in listed(self.facts[words])]
        about = [(label, key, value) for label, text in said for words, (key, value) in self.profile.items()
                 if words in text]  # fmt: skip
        profile = [{"sources": [label], "subject": "user", "key": key, "value": value} for label, key, value in about]
        return json.dumps({"frames": [], "facts": facts, "entities": [], "profile": profile})

    def _reflected(self, shown: str) -> str:
        records = RECORD.findall(shown)
        self.reflected.append([text.strip() for _, text in records])
        labels = [label for label, _ in records]
        told = [{"category": category, "text": text, "sources": labels, "importance": 5}
                for category, text in self.insights]  # fmt: skip
        return json.dumps({"insights": told})


def listed(given: Any) -> list[dict[str, Any]]:
    """One or several facts as a list."""
    return list(given) if isinstance(given, list) else [given]


class Placed(EmbeddingProvider):
    """Gives texts the vectors that a table places them at, by words they have; all others get the last one."""

    def __init__(self, table: Mapping[str, Sequence[float]], other: Sequence[float]) -> None:
        self.table, self.other = table, other
        self.dims = len(other)

    async def embed(self, text: str) -> Sequence[float]:
        """Return the vector of the first words of the table that the text has."""
        return next((vector for words, vector in self.table.items() if words in text), self.other)
