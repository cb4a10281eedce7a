"""The code that describes NeuroMemory runs as it stands: keys are for a host on the loopback, ellipses are filled."""

import asyncio
import functools
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from host import Answer, Asked, Stub, hashed, said

import neuromemory
from neuromemory import NeuroMemory

QUICK_START = """
import asyncio
from neuromemory import NeuroMemory, SiliconFlowEmbedding, OpenAILLM

async def main():
    async with NeuroMemory(
        database_url="postgresql+asyncpg://neuromemory:neuromemory@localhost:5432/neuromemory",
        embedding=SiliconFlowEmbedding(api_key="your-key"),
        llm=OpenAILLM(api_key="your-openai-key"),  # 用于自动提取记忆
        auto_extract=True,  # 默认启用，像 mem0 那样实时提取记忆
    ) as nm:
        # 1. 存储对话消息 → 自动提取记忆（facts/episodes/relations）
        await nm.conversations.add_message(
            user_id="alice", role="user",
            content="I work at ABC Company as a software engineer"
        )
        # → 后台自动提取：fact: "在 ABC Company 工作", relation: (alice)-[works_at]->(ABC Company)

        # 2. 三因子检索（相关性 × 时效性 × 重要性）
        result = await nm.recall(user_id="alice", query="Where does Alice work?")
        for r in result["merged"]:
            print(f"[{r['score']:.2f}] {r['content']}")

        # 3. 生成洞察和情感画像（可选，定期调用）
        insights = await nm.reflect(user_id="alice")
        print(f"生成了 {insights['insights_generated']} 条洞察")

asyncio.run(main())
"""

WRITE = """
# add_message(): 对话驱动（推荐）— 先存对话，再用 reflect() 提取记忆
await nm.conversations.add_message(user_id="alice", role="user",
    content="我在 Google 工作，做后端开发")
await nm.reflect(user_id="alice")
# → 自动提取: fact: "在 Google 工作" + 情感标注 + 重要性评分 + 洞察

# add_memory(): 直接写入（手动指定一切）
await nm.add_memory(user_id="alice", content="在 Google 工作",
    memory_type="fact", metadata={"importance": 8})
"""

FIND = """
# recall(): 综合考虑，最近的重要记忆优先
result = await nm.recall(user_id="alice", query="工作")
# → "昨天面试 Google"（最近 + 重要）优先于 "去年在微软实习"（久远）

# search(): 只看语义，可能返回很久以前的记忆
results = await nm.search(user_id="alice", query="工作")
# → "去年在微软实习" 和 "昨天面试 Google" 都可能返回，只按相似度排序
"""

REFLECT = """
# reflect(): 推荐 — 一站式处理（提取 + 洞察 + 画像）
await nm.conversations.add_message(user_id="alice", role="user", content="我在 Google 工作")
result = await nm.reflect(user_id="alice")
# → 提取: fact: "在 Google 工作", relation: (alice)-[works_at]->(Google)
# → 洞察: "用户近期求职，面试了 Google 和微软"
# → 画像: 更新情感状态
"""

STRATEGY = """
from neuromemory import ExtractionStrategy

nm = NeuroMemory(
    ...,
    extraction=ExtractionStrategy(
        message_interval=10,      # 每 10 条消息自动提取记忆（0 = 禁用）
        idle_timeout=600,         # 闲置 10 分钟后自动提取（0 = 禁用）
        reflection_interval=50,   # 每 50 次提取后触发 reflect() 整理（0 = 禁用）
        on_session_close=True,    # 会话关闭时提取
        on_shutdown=True,         # 程序关闭时提取
    )
)
"""

AGENT = '''
from neuromemory import NeuroMemory, SiliconFlowEmbedding, OpenAILLM, ExtractionStrategy
from openai import AsyncOpenAI

class MemoryAgent:
    def __init__(self, nm: NeuroMemory, openai_client: AsyncOpenAI):
        self.nm = nm
        self.llm = openai_client

    async def chat(self, user_id: str, user_input: str) -> str:
        """处理用户输入，返回 agent 回复"""

        # === 步骤 1：存储用户消息（自动提取记忆）===
        await self.nm.conversations.add_message(
            user_id=user_id,
            role="user",
            content=user_input
        )
        # → 如果启用 auto_extract，记忆已自动提取

        # === 步骤 2：召回相关记忆 ===
        recall_result = await self.nm.recall(user_id=user_id, query=user_input, limit=5)
        memories = recall_result["merged"]

        # 获取用户偏好（从 profile 中）
        lang_kv = await self.nm.kv.get(user_id, "profile", "language")
        language = lang_kv.value if lang_kv else "zh-CN"

        # 获取近期洞察
        insights = await self.nm.search(user_id, user_input, memory_type="insight", limit=3)

        # === 步骤 3：构建包含记忆的 prompt ===
        memory_context = "\\n".join([
            f"- {m['content']} (重要性: {m.get('metadata', {}).get('importance', 5)})"
            for m in memories[:3]
        ]) if memories else "暂无相关记忆"

        insight_context = "\\n".join([
            f"- {i['content']}" for i in insights
        ]) if insights else "暂无深度理解"

        system_prompt = f"""你是一个有记忆的 AI 助手。请用 {language} 语言回复。

        **关于用户的具体记忆**：
        {memory_context}

        **对用户的深度理解（洞察）**：
        {insight_context}

        请根据这些记忆和理解，以朋友的口吻自然地回应用户。"""

        # === 步骤 4：调用 LLM 生成回复 ===
        response = await self.llm.chat.completions.create(
            model="gpt-4",
            messages=[
                {"role": "system", "content": system_prompt},
                {"role": "user", "content": user_input}
            ]
        )
        assistant_reply = response.choices[0].message.content

        # === 步骤 5：存储 assistant 回复 ===
        await self.nm.conversations.add_message(
            user_id=user_id,
            role="assistant",
            content=assistant_reply
        )

        return assistant_reply


# 使用示例
async def main():
    async with NeuroMemory(
        database_url="postgresql+asyncpg://...",
        embedding=SiliconFlowEmbedding(api_key="..."),
        llm=OpenAILLM(api_key="..."),
        auto_extract=True,  # 默认启用，每次 add_message 都提取记忆（推荐）
    ) as nm:
        agent = MemoryAgent(nm, AsyncOpenAI(api_key="..."))

        # 第一轮对话
        reply1 = await agent.chat("alice", "我在 Google 工作，做后端开发，最近压力有点大")
        print(f"Agent: {reply1}")

        # → add_message 自动提取记忆：
        #   fact: "在 Google 工作", episodic: "最近压力有点大"
        #   relation: (alice)-[works_at]->(Google)

        # 第二轮对话（几天后）— agent 能"记住"之前的对话
        reply2 = await agent.chat("alice", "有什么减压的建议吗？")
        print(f"Agent: {reply2}")

        # 定期生成洞察（可选，如每天晚上或每 100 条消息）
        result = await nm.reflect(user_id="alice")
        print(f"生成了 {result['insights_generated']} 条洞察")
'''

FIELDS = """
result = await nm.recall(user_id="alice", query=user_input, limit=10)

# result 包含以下字段：
result["merged"]               # ⭐ 主要使用：vector + conversation 去重合并，已按评分排序
result["user_profile"]         # ⭐ 用户画像：occupation, interests, identity 等
result["graph_context"]        # ⭐ 图谱三元组文本：["alice → WORKS_AT → google", ...]
result["vector_results"]       # 提取的记忆（fact/episodic/insight），含评分
result["conversation_results"] # 原始对话片段，保留了日期细节
result["graph_results"]        # 图谱原始三元组
"""

PROMPT = '''
def build_system_prompt(recall_result: dict, user_input: str) -> str:
    """将 recall() 结果组装为 LLM system prompt。"""

    # 1. 用户画像 → 稳定背景信息，始终放在 system prompt 中
    profile = recall_result.get("user_profile", {})
    profile_lines = []
    if profile.get("identity"):
        profile_lines.append(f"身份：{profile['identity']}")
    if profile.get("occupation"):
        profile_lines.append(f"职业：{profile['occupation']}")
    if profile.get("interests"):
        profile_lines.append(f"兴趣：{profile['interests']}")
    profile_text = "\\n".join(profile_lines) if profile_lines else "暂无"

    # 2. merged 按类型分层，提取最相关的记忆
    merged = recall_result.get("merged", [])
    facts     = [m for m in merged if m.get("memory_type") == "fact"][:3]
    episodes  = [m for m in merged if m.get("memory_type") == "episodic"][:2]
    insights  = [m for m in merged if m.get("memory_type") == "insight"][:2]
    # 其余高分记忆（对话片段等）
    others    = [m for m in merged
                 if m.get("memory_type") not in ("fact", "episodic", "insight")][:2]

    def fmt(items):
        return "\\n".join(f"- {m['content']}" for m in items) or "暂无"

    # 3. 图谱关系 → 结构化事实，补充向量检索的盲区
    graph_lines = recall_result.get("graph_context", [])[:5]
    graph_text = "\\n".join(f"- {g}" for g in graph_lines) or "暂无"

    return f"""你是一个有长期记忆的 AI 助手，能根据对用户的了解提供个性化回复。

## 用户画像
{profile_text}

## 关于当前话题，你记得的事实
{fmt(facts)}

## 相关经历和情景
{fmt(episodes)}

## 对用户的深层理解（洞察）
{fmt(insights)}

## 结构化关系
{graph_text}

## 其他相关记忆
{fmt(others)}

---
请根据以上记忆自然地回应用户，不要逐条引用记忆，而是像一个真正了解他的朋友那样对话。
如果记忆与当前问题不相关，忽略它们即可。"""
'''

WHOLE = """
import asyncio
from neuromemory import NeuroMemory, SiliconFlowEmbedding, OpenAILLM
from openai import AsyncOpenAI

class MemoryAgent:
    def __init__(self, nm: NeuroMemory, openai_client: AsyncOpenAI):
        self.nm = nm
        self.llm = openai_client

    async def chat(self, user_id: str, user_input: str) -> str:
        # 1. 存储用户消息（后台自动提取记忆，不阻塞）
        await self.nm.conversations.add_message(
            user_id=user_id, role="user", content=user_input
        )

        # 2. 召回相关记忆（一次 recall 获取所有上下文）
        recall_result = await self.nm.recall(user_id=user_id, query=user_input, limit=10)

        # 3. 组装 system prompt
        system_prompt = build_system_prompt(recall_result, user_input)

        # 4. 调用 LLM
        response = await self.llm.chat.completions.create(
            model="gpt-4o-mini",
            messages=[
                {"role": "system", "content": system_prompt},
                {"role": "user", "content": user_input},
            ]
        )
        reply = response.choices[0].message.content

        # 5. 存储 assistant 回复
        await self.nm.conversations.add_message(
            user_id=user_id, role="assistant", content=reply
        )
        return reply


async def main():
    async with NeuroMemory(
        database_url="postgresql+asyncpg://neuromemory:neuromemory@localhost:5432/neuromemory",
        embedding=SiliconFlowEmbedding(api_key="..."),
        llm=OpenAILLM(api_key="..."),
        auto_extract=True,        # 每条消息自动提取记忆
        reflection_interval=10,   # 每 10 次提取后后台自动 reflect，生成洞察
    ) as nm:
        agent = MemoryAgent(nm, AsyncOpenAI(api_key="..."))

        reply = await agent.chat("alice", "我在 Google 工作，做后端开发，最近压力很大")
        print(f"Agent: {reply}")
        # → 自动提取：fact "在 Google 工作"，episodic "最近压力很大"
        # → 图谱关系：(alice)-[WORKS_AT]->(google)

        reply = await agent.chat("alice", "有什么减压的建议吗？")
        print(f"Agent: {reply}")
        # → recall 返回"最近压力很大"的情景记忆和画像，agent 给出个性化建议
"""

SEED = Path(__file__).parents[3] / "shared" / "seeds" / "003_f592ced9d636a78a.txt"
BLOCKS = [QUICK_START, WRITE, FIND, REFLECT, STRATEGY, AGENT, FIELDS, PROMPT, WHOLE]


@pytest.mark.skipif(not SEED.exists(), reason="the description is not there")
def test_the_code_is_the_description_s():
    told = "".join(SEED.read_text("utf-8").split())
    for block in BLOCKS:
        assert "".join(block.split()) in told


def drawn(asked: Asked) -> dict[str, Any]:
    """What the model on the loopback draws from a window, or from what it is shown to reflect on."""
    text = json.dumps(asked.body["messages"], ensure_ascii=False)
    if "insight" in json.dumps(asked.body.get("response_format", {})):
        return {"insights": [{"sources": ["1"], "content": "用户近期工作压力大", "category": "stage_summary"}]}
    found: dict[str, Any] = {"frames": [], "facts": [], "entities": [], "profile": []}
    if "Google 工作" in text or "ABC Company" in text:
        employer = "ABC Company" if "ABC Company" in text else "Google"
        found["facts"] = [
            {"sources": ["1"], "subject": "user", "predicate": "works_at", "object": employer,
             "text": f"在 {employer} 工作", "importance": 8}
        ]  # fmt: skip
        found["profile"] = [{"sources": ["1"], "subject": "user", "key": "occupation", "value": "后端开发"}]
    if "压力" in text:
        found["frames"] = [
            {"sources": ["1"], "summary": "最近压力很大", "importance": 7,
             "emotion": {"label": "焦虑", "valence": -0.6, "arousal": 0.7}, "events": []}
        ]  # fmt: skip
    return found


async def answered(asked: Asked) -> Answer:
    if asked.path.endswith("/embeddings"):
        return await hashed(asked, 1024)
    if "response_format" in asked.body:
        return said(json.dumps(drawn(asked), ensure_ascii=False))
    return said("我记得你在 Google 工作。")


@pytest.fixture
async def host() -> AsyncIterator[Stub]:
    async with Stub(answered) as stub:
        yield stub


@pytest.fixture
def filled(host: Stub, db: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., NeuroMemory]:
    """NeuroMemory as the description calls it, with a database that is there and keys for the loopback."""
    made = NeuroMemory

    def filled(*ellipsis: Any, database_url: str = "", **given: Any) -> NeuroMemory:
        assert ellipsis in ((), (...,))
        return made(db, **given)

    at = {"base_url": f"{host.url}/v1"}
    monkeypatch.setattr(neuromemory, "NeuroMemory", filled)
    for name in ("SiliconFlowEmbedding", "OpenAILLM"):
        monkeypatch.setattr(neuromemory, name, functools.partial(getattr(neuromemory, name), **at))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{host.url}/v1")
    return filled


async def run(block: str, **given: Any) -> dict[str, Any]:
    """Run a block as if it stood in an async function; what it names at its top is returned."""
    known: dict[str, Any] = {"__name__": "block", **given}
    if "await" in block and "async def" not in block:
        body = "".join(f"    {line}\n" for line in block.splitlines())
        exec(f"async def _block():\n{body}    return locals()", known)
        return known | await known["_block"]()
    exec(block.replace("asyncio.run(main())", ""), known)
    if "main" in known:
        await known["main"]()
    return known


@pytest.mark.usefixtures("filled")
async def test_the_quick_start(capsys: pytest.CaptureFixture[str]):
    await run(QUICK_START)
    *lines, last = capsys.readouterr().out.splitlines()
    assert any("ABC Company" in line and line.startswith("[0.") for line in lines)
    assert last == "生成了 1 条洞察"


async def test_writing_finding_and_reflecting(filled: Callable[..., NeuroMemory]):
    async with filled(
        ..., embedding=neuromemory.SiliconFlowEmbedding(api_key="k"), llm=neuromemory.OpenAILLM(api_key="k")
    ) as nm:
        await run(WRITE, nm=nm)
        await nm.flush()
        found = await run(FIND, nm=nm)
        assert "在 Google 工作" in [m["text"] for m in found["result"]["merged"]]
        assert "在 Google 工作" in [m["content"] for m in found["results"]]
        assert (await run(REFLECT, nm=nm))["result"]["insights_generated"] >= 0
        assert {"neighbor_id": "Google", "rel_type": "WORKS_AT"}.items() <= (
            await nm.graph.get_neighbors("alice", "User", "alice")
        )[0].items()
        result = (await run(FIELDS, nm=nm, user_input="我在哪工作？"))["result"]
        assert result["graph_context"] == ["alice → WORKS_AT → Google"]
        assert result["user_profile"] == {"occupation": "后端开发"}
        known = await run(PROMPT)
        prompt = known["build_system_prompt"](result, "我在哪工作？")
        assert "职业：后端开发" in prompt
        assert "- alice → WORKS_AT → Google" in prompt
        assert "在 Google 工作" in prompt


async def test_the_strategy(filled: Callable[..., NeuroMemory]):
    nm = (await run(STRATEGY, NeuroMemory=filled))["nm"]
    async with nm:
        assert await nm.conversations.add_message("alice", "user", "我在 Google 工作")


@pytest.mark.usefixtures("filled")
async def test_the_agent(capsys: pytest.CaptureFixture[str]):
    await run(AGENT)
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["Agent: 我记得你在 Google 工作。"] * 2
    assert told[2].startswith("生成了 ")


@pytest.mark.usefixtures("filled")
async def test_the_whole_agent_with_its_prompt(host: Stub, capsys: pytest.CaptureFixture[str]):
    await run(PROMPT + WHOLE)
    assert capsys.readouterr().out.splitlines() == ["Agent: 我记得你在 Google 工作。"] * 2
    prompts = [asked.body["messages"][0]["content"] for asked in host.asked if asked.body.get("model") == "gpt-4o-mini"]
    assert any("最近压力很大" in prompt and "## 用户画像" in prompt for prompt in prompts)


def test_it_runs_from_a_script(db: str, monkeypatch: pytest.MonkeyPatch):
    del monkeypatch
    nm = NeuroMemory(db, auto_extract=False)

    async def main() -> int:
        async with nm:
            await nm.add_memory("alice", "likes tea")
            return (await nm.stats("alice"))["total_memories"]

    assert asyncio.run(main()) == 1
