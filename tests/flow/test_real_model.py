"""A real language model behind a real OpenAI-compatible server: whatever it answers, nothing that was said is lost.

The model is tiny and mostly wrong. What is asked here is not whether it is right, but that each window either gave
records that hold together or waits, with the reason; and that everything said is found all the while.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from llama import require, serving
from pictures import png

from fabula import AsyncMemory, Image, Message, Passage, Plan, ProviderError, Settings
from fabula.abc import Extraction
from fabula.extractors import MOST_TOKENS, LLMExtractor, RuleExtractor
from fabula.prompts import INSTRUCTIONS
from fabula.providers.openai import OpenAILLM
from seem_skill import RecallMode, SEEMConfig, SEEMSkill

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CONTEXT = round(len(INSTRUCTIONS) / 3.2)
"""Tokens for question and answer: what the instructions take, and a hundred. Where tokens are scarce, time is not."""
TALK = [
    Message("I moved to Porto in May 2023.", speaker="Nora", id="1", time="2024-01-05T10:00", session="a",
            images=(Image(caption="the harbour", data=png(0, 0, 200)),)),
    Message("我妹妹养蜜蜂。", speaker="小芳", id="2", time="2024-01-06", session="b"),
    Message("My sister Emma keeps goats. " * (CONTEXT // 6), speaker="Ben", id="3", time="2024-01-07", session="c"),
]  # fmt: skip
"""The last is longer than the model's context."""
ASKED = {"1": "Who moved to Porto?", "2": "谁养蜜蜂？", "3": "Who keeps goats?"}


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    require()
    with serving(CONTEXT) as address:
        yield address


class Watched(LLMExtractor):
    """Remembers how each window went."""

    def __init__(self, llm: OpenAILLM) -> None:
        super().__init__(llm, attempts=1, max_tokens=MOST_TOKENS)
        self.went: list[tuple[tuple[Passage, ...], Extraction | ProviderError]] = []

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        try:
            found = await super().extract(window, context)
        except ProviderError as error:
            self.went.append((tuple(window), error))
            raise
        self.went.append((tuple(window), found))
        return found


async def test_whatever_the_model_answers_nothing_is_lost(host: str, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    llm = OpenAILLM(api_key="none", base_url=host, model="smollm2", timeout=300, retries=0, sees=True)
    watched = Watched(llm)
    path = tmp_path / "memory.db"
    async with AsyncMemory(path, extractor=watched, llm=llm, background=False) as memory:
        await memory.remember("u", TALK)
        left = await memory.flush("u")
        kept = {p.id: p for p in await memory.records("u") if isinstance(p, Passage)}
        assert [p.ref for p in kept.values()] == ["1", "2", "3"]
        assert sorted(p.id for window, _ in watched.went for p in window) == sorted(kept), "each was asked about once"
        waiting = {p.id: p for p in await memory._store.pending("u", "extract")}  # pyright: ignore[reportPrivateUsage]
        for window, outcome in watched.went:
            ids = {passage.id for passage in window}
            if isinstance(outcome, ProviderError):
                assert [(waiting[i].attempts, waiting[i].error) for i in ids] == [(1, str(outcome))] * len(ids)
                assert str(outcome) in left.errors
            else:
                assert ids.isdisjoint(waiting)
                drawn = [*outcome.frames, *outcome.facts, *outcome.entities]
                assert all(record.text.strip() and ids.issuperset(record.sources) for record in drawn)
        assert left.pending >= left.failed >= len(waiting)
        refused = next(str(outcome) for window, outcome in watched.went if window[-1].ref == "3")
        assert "context size" in refused
        told = {source for frame in await memory.records("u", "frame") for source in frame.sources}
        assert told.isdisjoint(waiting)
        await _found(memory)
        assert await memory.check() == []
    assert not llm.sees, "this model is blind, and its host says so"
    assert caplog.text.count("does not take pictures") == 1
    await llm.close()
    # What waited is in the file, for whoever opens it next.
    async with AsyncMemory(path, extractor=RuleExtractor(), settings=Settings(fuse=False), background=False) as memory:
        assert (await memory.flush("u")).failed == 0
        told = {source for frame in await memory.records("u", "frame") for source in frame.sources}
        assert set(waiting) <= told
        await _found(memory)
        assert await memory.check() == []


async def _found(memory: AsyncMemory) -> None:
    for ref, question in ASKED.items():
        found = await memory.recall("u", question, Plan(kinds=("passage",), limit=1))
        assert [passage.ref for passage in found.passages] == [ref]


def test_seem_goes_on_where_the_model_does_not(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in {"API_KEY": "none", "BASE_URL": host, "MODEL": "smollm2"}.items():
        monkeypatch.setenv(f"LLM_{name}", value)
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        # More than the model can read: a shorter one it would answer at length, and again, and again.
        stored = skill.store({"text": TALK[2].content, "speaker": "Ben", "timestamp": "2024-01-07"})
        left = skill.flush()
        assert (left["pending"], left["failed"]) == (1, 1)
        assert "context size" in left["errors"][0]
        stats = skill.stats()
        assert (stats["chunks"], stats["memories"], stats["extraction"], stats["failed"]) == (1, 0, "smollm2", 1)
        (memory,) = skill.recall("Who keeps goats?", mode=RecallMode.PRO)["memories"]
        assert [chunk["chunk_id"] for chunk in memory["chunks"]] == [stored]
    for name in ("API_KEY", "BASE_URL", "MODEL"):
        monkeypatch.delenv(f"LLM_{name}")
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as again:  # rules go on where the model did not
        assert again.flush() == {"pending": 0, "failed": 0, "errors": ()}
        assert {chunk["chunk_id"] for memory in again.display() for chunk in memory["chunks"]} == {stored}
        assert again.stats()["memories"] == 1
