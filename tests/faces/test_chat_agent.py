"""The example of an agent in the terminal: what it answers to talk and to commands, in English and Chinese."""

import importlib.util
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fabula import AsyncMemory, Message, Plan
from fabula.testing import FakeClock, HashEmbedder
from neuromemory import NeuroMemory
from neuromemory.transfer import delete_user_data

PATH = Path(__file__).parents[2] / "examples" / "chat_agent.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec: Any = importlib.util.spec_from_file_location("chat_agent", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Memories:
    """As much of the face as the example asks of it, over a real memory."""

    def __init__(self, memory: AsyncMemory) -> None:
        self.inner = memory
        self.conversations = SimpleNamespace(add_message=self.add_message)

    async def add_message(self, *, user_id: str, role: str, content: str) -> None:
        await self.inner.remember(user_id, Message(content, role=role))

    async def flush(self) -> None:
        await self.inner.flush()

    async def recall(self, *, user_id: str, query: str, limit: int) -> dict[str, Any]:
        hits = (await self.inner.recall(user_id, query, Plan(kinds=("passage",)))).hits[:limit]
        said = [{"id": h.record.id, "content": h.record.text, "source": "conversation"} for h in hits]
        return {"merged": said, "user_profile": {}, "graph_context": []}

    async def search(self, user: str, query: str) -> list[dict[str, Any]]:
        return (await self.recall(user_id=user, query=query, limit=5))["merged"]

    async def get_memories_by_time_range(self, user: str, start: str) -> tuple[int, list[dict[str, Any]]]:
        records = [{"content": record.text} for record in await self.inner.records(user)]
        return len(records), records

    async def user_profile(self, user: str) -> dict[str, Any]:
        return {"location": "Porto", "goals": None}

    async def reflect(self, user: str) -> dict[str, Any]:
        return {"insights": [{"content": "moves often"}]}

    async def delete_user_data(self, user: str) -> dict[str, Any]:
        return await delete_user_data(self.inner, user)


@pytest.fixture
def memory(tmp_path: Path) -> AsyncMemory:
    path = tmp_path / "memory.db"
    return AsyncMemory(path, embedder=HashEmbedder(), clock=FakeClock("2024-06-01"), background=False)


async def test_without_a_model_it_shows_what_it_would_tell_one(example: Any, memory: AsyncMemory):
    async with memory:
        agent = example.Agent(Memories(memory), "ann")
        await agent.hear("I live in Porto")
        answer = await agent.hear("Where do I live?")
        assert answer.startswith("(no model")
        assert "- I live in Porto" in answer
        assert (await agent.hear("我住在哪里?")).startswith("（没有模型")
        assert [record.text for record in await memory.records("ann")][-1] == "我住在哪里?"
        assert await agent.hear("  ") == ""


async def test_with_a_model_it_answers_and_remembers_both(example: Any, memory: AsyncMemory):
    told: list[str] = []

    async def reply(prompt: str, line: str) -> str:
        told.append(prompt)
        return f"You said: {line}"

    async with memory:
        agent = example.Agent(Memories(memory), "ann", reply)
        assert await agent.hear("I live in Porto") == "You said: I live in Porto"
        await agent.hear("Where do I live?")
        passages: Any = await memory.records("ann")
        assert [p.role for p in passages] == ["user", "assistant"] * 2
        assert "- I live in Porto" in told[1]


async def test_every_command_answers(example: Any, memory: AsyncMemory):
    async with memory:
        agent = example.Agent(Memories(memory), "ann")
        assert await agent.hear("/memories") == "nothing yet"
        await agent.hear("I live in Porto")
        assert await agent.hear("/memories") == "- I live in Porto"
        assert await agent.hear("/search Porto") == "- I live in Porto"
        assert await agent.hear("/profile") == "location: Porto"
        assert await agent.hear("/insights") == "- moves often"
        assert "- I live in Porto" in await agent.hear("/prompt Porto?")
        assert "no command" in await agent.hear("/dance")
        helped = await agent.hear("/help")
        assert all(f"\n{name}" in f"\n{helped}" for name in example.HELP)
        assert (await agent.hear("/forget")).endswith("rows erased")
        assert await agent.hear("/memories") == "nothing yet"
        assert await agent.hear("/quit") is None


@pytest.mark.parametrize("said", ["I moved to Porto", "我搬到了成都"])
async def test_what_was_just_said_is_listed(example: Any, tmp_path: Path, said: str):
    """Over the face itself, whose background goes on while the next line is typed."""
    async with NeuroMemory(f"sqlite:///{tmp_path / 'm.db'}", embedding=HashEmbedder()) as nm:
        agent = example.Agent(nm, "ann")
        for command in ("/memories", f"/search {said}", "/search"):
            await agent.hear(said)
            assert f"- {said}" in (await agent.hear(command)).splitlines()
            await nm.delete_user_data("ann")
        await agent.hear(said)
        await agent.hear("/insights")
        assert (await nm.stats("ann"))["pending"] == 0


async def test_it_reads_to_the_end_and_goes_on_after_an_error(
    example: Any, memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    async def failing(prompt: str, line: str) -> str:
        raise ConnectionError(f"no host for {line}")

    async with memory:
        monkeypatch.setattr("sys.stdin", io.StringIO("hi\n/memories\n"))
        await example.chat(example.Agent(Memories(memory), "ann", failing))
        assert capsys.readouterr().out == "ConnectionError: no host for hi\n- hi\n"
        monkeypatch.setattr("sys.stdin", io.StringIO("/quit\n/memories\n"))
        await example.chat(example.Agent(Memories(memory), "ann"))
        assert capsys.readouterr().out == ""
