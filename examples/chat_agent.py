"""A chat in the terminal with an agent that remembers / 终端里的、有记忆的聊天助手.

    python examples/chat_agent.py [USER] [--database URL]
    printf 'I live in Porto\n/memories\n/quit\n' | python examples/chat_agent.py

With LLM_API_KEY set (and LLM_BASE_URL and LLM_MODEL, as any host that speaks OpenAI's API wants them) it answers, and a
model draws the memories; without, it works offline and shows what it would have told a model. It speaks the language it
is spoken to.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from neuromemory.prompt import build_system_prompt

Reply = Callable[[str, str], Awaitable[str]]
"""Answers what was said, given a system prompt."""

HELP = {
    "/memories": ("what is remembered of you", "记住了什么"),
    "/search WORDS": ("memories that have to do with some words", "查找记忆"),
    "/profile": ("what is known of you", "用户画像"),
    "/insights": ("think over what was said, and tell", "回顾并说出洞察"),
    "/prompt WORDS": ("what a model would be told", "模型会看到的提示词"),
    "/forget": ("erase everything there is of you", "删除关于你的一切"),
    "/help": ("this", "本帮助"),
    "/quit": ("end", "退出"),
}

DRAWN = ("/memories", "/search", "/insights")
"""What tells of memories, which are drawn from talk in the background."""


def chinese(text: str) -> bool:
    """Tell whether a line is in Chinese: by its characters."""
    return any("一" <= letter <= "鿿" for letter in text)


class Agent:
    """One user's conversation over a `NeuroMemory`."""

    def __init__(self, memory: Any, user: str, reply: Reply | None = None) -> None:
        self.memory = memory
        self.user = user
        self.reply = reply
        self.spoken_chinese = False

    def words(self, english: str, chinese_words: str) -> str:
        """Return a phrase in the language that is spoken."""
        return chinese_words if self.spoken_chinese else english

    async def hear(self, line: str) -> str | None:
        """Answer a line of the terminal, a command or talk; `None` ends the conversation."""
        line = line.strip()
        if not line.startswith("/"):
            return await self.talk(line) if line else ""
        command, _, rest = line.partition(" ")
        if command.lower() in DRAWN:
            await self.memory.flush()  # what was just said is there
        match command.lower():
            case "/quit" | "/exit":
                return None
            case "/help":
                width = max(map(len, HELP))
                return "\n".join(f"{name:{width}}  {self.words(*said)}" for name, said in HELP.items())
            case "/memories":
                _, found = await self.memory.get_memories_by_time_range(self.user, "0001-01-02")
                return self.listed(found)
            case "/search":
                return self.listed(await self.memory.search(self.user, rest)) if rest else await self.hear("/memories")
            case "/profile":
                profile = await self.memory.user_profile(self.user)
                return "\n".join(f"{key}: {value}" for key, value in profile.items() if value) or self.nothing
            case "/insights":
                done = await self.memory.reflect(self.user)
                return self.listed(done["insights"])
            case "/prompt":
                return await self.prompt(rest)
            case "/forget":
                receipt = await self.memory.delete_user_data(self.user)
                return self.words(f"{receipt['total']} rows erased", f"已删除 {receipt['total']} 条记录")
            case _:
                return self.words(f"{command} is no command: /help", f"没有 {command} 这个命令：/help")

    async def talk(self, line: str) -> str:
        """Recall what has to do with a line, answer, and remember both."""
        self.spoken_chinese = chinese(line)
        prompt = await self.prompt(line)
        # Remembered before it is answered: a host that fails loses no word.
        await self.memory.conversations.add_message(user_id=self.user, role="user", content=line)
        if self.reply is None:
            return self.words("(no model: it would be told)\n", "（没有模型，提示词如下）\n") + prompt
        answer = await self.reply(prompt, line)
        await self.memory.conversations.add_message(user_id=self.user, role="assistant", content=answer)
        return answer

    async def prompt(self, line: str) -> str:
        """Return the system prompt for a line."""
        return build_system_prompt(await self.memory.recall(user_id=self.user, query=line, limit=10), line)

    def listed(self, memories: list[dict[str, Any]]) -> str:
        """Return memories as lines."""
        return "\n".join(f"- {memory['content']}" for memory in memories) or self.nothing

    @property
    def nothing(self) -> str:
        """What is said of nothing."""
        return self.words("nothing yet", "暂无")


async def chat(agent: Agent) -> None:
    """Read lines until the end of the input, and print the answers."""
    asking = "> " if sys.stdin.isatty() else ""
    while True:
        try:
            answer = await agent.hear(await asyncio.to_thread(input, asking))
        except EOFError:
            return
        except Exception as error:  # noqa: BLE001 - the talk goes on, and whoever talks is told
            answer = f"{type(error).__name__}: {error}"
        if answer is None:
            return
        print(answer, flush=True)


def replying(key: str, url: str | None, model: str) -> Reply:
    """Return a host's model as one that replies."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key=key, base_url=url)

    async def reply(prompt: str, line: str) -> str:
        told: Any = [{"role": "system", "content": prompt}, {"role": "user", "content": line}]
        made = await client.chat.completions.create(model=model, messages=told)
        return made.choices[0].message.content or "…"

    return reply


async def main() -> None:
    """Open the memory and talk."""
    from neuromemory import NeuroMemory, OpenAILLM

    parser = argparse.ArgumentParser(description="A chat with an agent that remembers / 有记忆的聊天助手")
    parser.add_argument("user", nargs="?", default="me", help="whose memory it is")
    parser.add_argument("--database", default="sqlite+aiosqlite:///chat.db", help="a database URL")
    given = parser.parse_args()
    key, url = os.environ.get("LLM_API_KEY"), os.environ.get("LLM_BASE_URL")
    model = os.environ.get("LLM_MODEL", "gpt-4o-mini")
    llm = OpenAILLM(api_key=key, model=model, **({"base_url": url} if url else {})) if key else None
    async with NeuroMemory(database_url=given.database, llm=llm) as memory:
        await chat(Agent(memory, given.user, replying(key, url, model) if key else None))


if __name__ == "__main__":
    asyncio.run(main())
