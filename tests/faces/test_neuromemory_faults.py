"""What memories of this kind are known to get wrong, asked of NeuroMemory as a user meets it, in both languages."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from neuro import Opening, Placed, Teller, fact

from fabula import ProviderUnavailable
from fabula.testing import FakeClock, HashEmbedder
from neuromemory import EdgeType, ExtractionStrategy, LocalStorage, NeuroMemory, NodeType

DOWN = ProviderUnavailable("the host is down")
MANUAL = ExtractionStrategy(message_interval=0, idle_timeout=0, on_session_close=True, on_shutdown=False)
MOVED = {
    "moved to Lyon": fact("user", "lives in", "Lyon"),
    "搬到杭州": fact("用户", "居住于", "杭州", "用户居住于杭州"),
}
both = pytest.mark.parametrize(
    ("said", "city"), [("I moved to Lyon", "Lyon"), ("我搬到杭州了", "杭州")], ids=["en", "zh"]
)


async def merged(nm: NeuroMemory, query: str, user: str = "alice", **more: Any) -> list[str]:
    return [one["text"] for one in (await nm.recall(user, query, **more))["merged"]]


# --- finding --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("The spare key is with Zbigniew", "Zbigniew"),
        ("我在杭州学潜水", "潜水"),
        ("我在杭州学潜水", "杭州"),
        ("Our neighbour Piotr plays the cello in the evening", "What kind of instrument does Piotr like to practise?"),
        ("邻居彼得晚上拉大提琴", "彼得喜欢练习哪一种乐器？"),
    ],
)
async def test_what_only_words_find_comes_back(opening: Opening, told: str, asked: str):
    nm = await opening(
        embedding=Placed(
            {told: [0.3, 0.0, 0.95], "unrelated": [0.3, 0.95, 0.0], "无关": [0.3, 0.95, 0.0]}, [1.0, 0.0, 0.0]
        )
    )
    for number in range(40):
        await nm.add_memory("alice", f"无关 {number}" if asked[0] > "z" else f"unrelated {number}", "fact")
    await nm.add_memory("alice", told, "fact")
    await nm.conversations.add_message("alice", "user", f"{told}!")
    await nm.flush()
    found = await merged(nm, asked)
    assert set(found[:2]) == {told, f"{told}!"}


@pytest.mark.parametrize(
    ("told", "asked", "other"),
    [
        ("my daughter is called Emma", "What is my daughter called?", "I had soup number {} for lunch"),
        ("我的女儿叫艾玛", "我的女儿叫什么名字？", "今天中午喝了第{}碗汤"),
    ],
)
async def test_a_year_old_only_answer_comes_first(
    opening: Opening, neuro_clock: FakeClock, told: str, asked: str, other: str
):
    nm = await opening()
    await nm.add_memory("alice", told, "fact", occurred_at=neuro_clock() - timedelta(days=365))
    for number in range(60):
        await nm.add_memory("alice", other.format(number), "fact", {"importance": 6}, occurred_at=neuro_clock())
    await nm.flush()
    assert (await merged(nm, asked))[0] == told


@pytest.mark.parametrize(
    ("query", "windows"),
    [
        ("Why do I fall asleep so late?", []),
        ("Who sat on the springboard?", []),
        ("Who lives in Marseille?", []),
        ("2023年5月我去了哪里？", [("2023-05-01", "2023-06-01")]),
        ("Where was I in May 2023?", [("2023-05-01", "2023-06-01")]),
        ("大前天我吃了什么？", [("2025-03-02", "2025-03-03")]),
        ("前天我吃了什么？", [("2025-03-03", "2025-03-04")]),
        ("What did I eat three days ago?", [("2025-03-02", "2025-03-03")]),
    ],
)
async def test_what_is_no_date_is_not_read_as_one(nm: NeuroMemory, query: str, windows: list[tuple[str, str]]):
    await nm.conversations.add_message("alice", "user", "hello 你好 asleep springboard Marseille")
    found = (await nm.recall("alice", query, explain=True))["explain"]["windows"]
    assert [(one["start"][:10], one["end"][:10]) for one in found] == windows


# --- extraction -----------------------------------------------------------------------------------------------------


@both
async def test_closing_loses_nothing_of_the_background(opening: Opening, said: str, city: str):
    llm = Teller(MOVED)
    llm.delay = 0.05
    nm = await opening(llm=llm)
    await nm.conversations.add_message("alice", "user", said)
    await nm.close()
    nm = await opening(llm=llm)
    await nm.flush()
    assert (await nm.recall("alice", city))["graph_context"] == [f"alice → LIVES_IN → {city}"]
    assert [text for window in llm.heard for text in window] == [said]


@both
async def test_an_outage_leaves_messages_to_be_extracted(opening: Opening, said: str, city: str):
    llm = Teller(MOVED)
    llm.fail = DOWN
    nm = await opening(llm=llm, extraction=MANUAL)
    await nm.conversations.add_message("alice", "user", said)
    done = await nm.extract_memories("alice")
    assert (done["messages_processed"], done["failed"]) == (0, 1)
    (left,) = await nm.conversations.get_unextracted_messages("alice")
    assert (left["content"], left["status"]) == (said, "failed")
    llm.fail = None
    done = await nm.extract_memories("alice")
    assert (done["messages_processed"], done["facts_extracted"], done["failed"]) == (1, 1, 0)
    assert await nm.conversations.get_unextracted_messages("alice") == []
    assert city in (await merged(nm, city))[0]


@both
async def test_what_was_extracted_is_not_extracted_again(opening: Opening, said: str, city: str):
    llm = Teller(MOVED)
    nm = await opening(llm=llm)
    await nm.conversations.add_message("alice", "user", said)
    await nm.flush()
    await nm.conversations.close_session("alice")
    await nm.extract_memories("alice")
    await nm.close()
    strategy = ExtractionStrategy(message_interval=2)
    nm = await opening(llm=llm, extraction=strategy)
    await nm.conversations.add_messages_batch("alice", [{"role": "user", "content": "one"}])
    await nm.conversations.close_session("alice")
    assert llm.heard == [[said], ["one"]]
    facts = await nm.search("alice", city, memory_type="fact")
    assert len(facts) == 1


@pytest.mark.parametrize(
    "talk",
    [["first one", "second one", "third one"], ["第一句话", "第二句话", "第三句话"]],
    ids=["en", "zh"],
)
async def test_a_batch_keeps_its_order_and_is_found_by_meaning(opening: Opening, talk: Sequence[str]):
    nm = await opening()
    _, ids = await nm.conversations.add_messages_batch("alice", [{"role": "user", "content": one} for one in talk])
    await nm.flush()
    kept = await nm.conversations.get_session_messages("alice")
    assert [(one["id"], one["content"]) for one in kept] == list(zip(ids, talk, strict=True))
    found = await nm.search("alice", talk[1], memory_type="conversation", limit=1)
    assert [(one["id"], round(one["score"], 5)) for one in found] == [(ids[1], 1.0)]


async def test_two_users_may_have_a_session_of_one_name(nm: NeuroMemory):
    for user, said in (("alice", "I like tea"), ("鲍勃", "我喜欢茶")):
        await nm.conversations.add_message(user, "user", said, session_id="会话 1")
    for user, said in (("alice", "I like tea"), ("鲍勃", "我喜欢茶")):
        assert [one["content"] for one in await nm.conversations.get_session_messages(user, "会话 1")] == [said]
        assert (await nm.conversations.list_sessions(user))[0] == 1


# --- reflection -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("insight", ["The user likes the sea", "用户喜欢大海"], ids=["en", "zh"])
async def test_reflecting_twice_or_at_once_makes_no_insight_twice(opening: Opening, insight: str):
    llm = Teller(insights=[("preference", insight)])
    nm = await opening(llm=llm)
    await nm.add_memory("alice", "likes diving 喜欢潜水", "fact")
    at_once = await asyncio.gather(*(nm.reflect("alice") for _ in range(3)))
    assert sorted(one["insights_generated"] for one in at_once) == [0, 0, 1]
    again = await nm.reflect("alice")
    assert (again["memories_analyzed"], again["insights_generated"]) == (0, 0)
    assert len(llm.reflected) == 1
    await nm.flush()
    assert [one["content"] for one in await nm.search("alice", insight, memory_type="insight")] == [insight]


@pytest.mark.parametrize("told", ["likes diving", "喜欢潜水"], ids=["en", "zh"])
async def test_what_failed_to_be_reflected_on_stays_new(opening: Opening, told: str):
    llm = Teller(insights=[("preference", "The user likes the sea 用户喜欢大海")])
    nm = await opening(llm=llm)
    made = await nm.add_memory("alice", told, "fact")
    llm.fail = DOWN
    with pytest.raises(ProviderUnavailable):
        await nm.reflect("alice")
    llm.fail = None
    done = await nm.reflect("alice")
    assert (done["memories_analyzed"], done["insights_generated"]) == (1, 1)
    assert done["insights"][0]["source_ids"] == [made]


@pytest.mark.parametrize(
    ("trait", "harmless"),
    [("The user is an introvert", "The user likes tea"), ("用户性格内向", "用户喜欢喝茶")],
    ids=["en", "zh"],
)
async def test_personality_and_values_are_not_kept(opening: Opening, trait: str, harmless: str):
    llm = Teller(insights=[("personality", trait), ("values", trait), ("preference", trait), ("preference", harmless)])
    llm.profile = {"tea": ("personality", trait), "茶": ("values", trait)}
    llm.facts = {"tea": fact("user", "likes", "tea")}
    nm = await opening(llm=llm)
    await nm.conversations.add_message("alice", "user", "tea 茶")
    done = await nm.reflect("alice")
    assert [one["content"] for one in done["insights"]] == [harmless]
    found = await nm.recall("alice", trait)
    assert trait not in str(found)
    assert {"personality", "values"}.isdisjoint(await nm.user_profile("alice"))


@pytest.mark.parametrize(("good", "bad"), [("a lovely day", "an awful day"), ("美好的一天", "糟糕的一天")])
async def test_long_term_emotion_is_of_all_not_of_the_last_batch(
    opening: Opening, neuro_clock: FakeClock, good: str, bad: str
):
    nm = await opening()
    joy, grief = ({"label": "", "valence": value, "arousal": 0.5} for value in (0.8, -0.8))
    for number in range(3):
        when = neuro_clock() - timedelta(days=100 + number)
        await nm.add_memory("alice", f"{good} {number}", "episodic", {"emotion": joy}, occurred_at=when)
    before = await nm.reflect("alice", batch_size=2)
    assert before["emotion_profile"]["valence_avg"] == pytest.approx(0.8)
    await nm.add_memory("alice", bad, "episodic", {"emotion": grief}, occurred_at=neuro_clock() - timedelta(days=1))
    after = (await nm.reflect("alice", batch_size=2))["emotion_profile"]
    assert after["valence_avg"] == pytest.approx((3 * 0.8 - 0.8) / 4)
    assert after["latest_state_valence"] == pytest.approx(-0.8)


# --- the graph ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skills", [("python", "drawing"), ("潜水", "画画")], ids=["en", "zh"])
async def test_a_new_skill_stands_beside_the_old_ones(nm: NeuroMemory, skills: Sequence[str]):
    for skill in skills:
        await nm.graph.create_edge("alice", NodeType.USER, "alice", EdgeType.HAS_SKILL, NodeType.SKILL, skill)
    found = await nm.graph.get_neighbors("alice", "User", "alice", edge_types=["HAS_SKILL"])
    assert {one["neighbor_id"] for one in found} == set(skills)


@pytest.mark.parametrize("user", ["Bob", "bob", "鲍勃", "José"])
async def test_a_user_of_any_name_keeps_their_graph(opening: Opening, user: str):
    nm = await opening(llm=Teller(MOVED))
    await nm.conversations.add_message(user, "user", "I moved to Lyon")
    await nm.graph.create_edge(user, "User", user, "WORKS_AT", "Organization", "Acme")
    await nm.flush()
    found = await nm.graph.get_neighbors(user, "User", user)
    assert {(one["rel_type"], one["neighbor_id"]) for one in found} == {("LIVES_IN", "Lyon"), ("WORKS_AT", "Acme")}
    assert f"{user} → LIVES_IN → Lyon" in (await nm.recall(user, "Lyon"))["graph_context"]


@pytest.mark.parametrize("name", ["Kite Ltd", "The New York Times", "浙江 大学"])
async def test_a_name_of_several_words_is_reached(nm: NeuroMemory, name: str):
    await nm.graph.create_edge("alice", "User", "alice", "WORKS_AT", "Organization", name)
    await nm.graph.create_edge("alice", "Organization", name, "LOCATED_IN", "Location", "Palo Alto")
    node = await nm.graph.get_node("alice", "Organization", name)
    assert node is not None
    assert node["node_id"] == name
    (path,) = await nm.graph.find_path("alice", "User", "alice", "Location", "Palo Alto")
    assert [one["id"] for one in path["nodes"]] == ["alice", name, "Palo Alto"]
    assert f"alice → WORKS_AT → {name}" in (await nm.recall("alice", f"Tell me of {name}"))["graph_context"]


@pytest.mark.parametrize(("old", "new"), [("Kite Ltd", "Acme"), ("谷歌", "百度")], ids=["en", "zh"])
async def test_an_edge_that_is_over_is_not_told_as_if_it_held(nm: NeuroMemory, old: str, new: str):
    for firm in (old, new):
        await nm.graph.create_edge("alice", "User", "alice", "WORKS_AT", "Organization", firm)
    neighbours = await nm.graph.get_neighbors("alice", "User", "alice")
    assert [one["neighbor_id"] for one in neighbours] == [new]
    assert len(await nm.graph.get_neighbors("alice", "User", "alice", include_invalid=True)) == 2
    found = await nm.recall("alice", f"{old} {new}")
    assert found["graph_context"] == [f"alice → WORKS_AT → {new}"]
    day = nm._clock().date()  # pyright: ignore[reportPrivateUsage]
    told = {one["text"]: one["content"] for one in found["merged"]}
    assert told == {
        f"user works at {old}": f"[{day}] user works at {old} (until {day})",
        f"user works at {new}": f"[{day}] user works at {new}",
    }


@pytest.mark.parametrize(
    ("said", "predicate", "text", "ended"),
    [
        ("I used to live in Lyon", "lives in", "The user lives in Lyon", "The user lives in Lyon (until 2019-06)"),
        ("我以前住在里昂", "居住于", "用户居住于里昂", "用户居住于里昂（至 2019-06）"),
    ],
    ids=["en", "zh"],
)
async def test_a_fact_that_ended_as_it_was_told_says_so(
    opening: Opening, said: str, predicate: str, text: str, ended: str
):
    told = fact("user", predicate, "Lyon", text, valid_from="2018-01", valid_to="2019-06")
    nm = await opening(llm=Teller({said: told}))
    await nm.conversations.add_message("alice", "user", said)
    await nm.flush()
    found = await nm.recall("alice", said)
    assert found["graph_context"] == found["graph_results"] == []
    assert [one["content"] for one in found["vector_results"]] == [f"[2018-01] {ended}"]
    then = await nm.recall("alice", said, as_of="2018-06-01")
    assert then["merged"] == []


async def test_an_edge_of_the_graph_is_no_memory(nm: NeuroMemory, neuro_clock: FakeClock):
    await nm.graph.create_edge("alice", "User", "alice", "WORKS_AT", "Organization", "谷歌 Google")
    made = await nm.add_memory("alice", "likes tea", "fact")
    await nm.flush()
    edge = (await nm.graph.get_edge("alice", "User", "alice", "WORKS_AT", "Organization", "谷歌 Google") or {})["id"]
    assert (await nm.recall("alice", "Google"))["merged"][0]["source"] == "graph"
    assert (await nm.stats("alice"))["by_type"] == {"fact": 1}
    assert (await nm.get_memories_by_time_range("alice", "2020-01-01"))[0] == 1
    assert await merged(nm, "Google", memory_type="fact") in ([], ["likes tea"])
    assert [one["id"] for one in await nm.search("alice", "Google")] == [made]
    neuro_clock.advance(timedelta(days=100))
    assert [one["id"] for one in await nm.cold_memories("alice")] == [made]
    assert (await nm.get_memory("alice", edge), await nm.delete_memory("alice", edge)) == (None, False)
    assert await nm.update_memory("alice", edge, "works at Acme") is None
    assert await nm.delete_all_memories("alice") == 1
    assert len(await nm.graph.get_neighbors("alice", "User", "alice")) == 1


# --- files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["The invoice of Kite Ltd is overdue", "风筝公司的发票逾期了"], ids=["en", "zh"])
async def test_a_deleted_file_is_not_recalled_and_its_user_can_be_deleted(opening: Opening, tmp_path: Any, text: str):
    nm = await opening(storage=LocalStorage(tmp_path / "files"))
    first, second = [await nm.files.create_from_text("alice", f"{n}.txt", f"{text} {n}") for n in (1, 2)]
    await nm.flush()
    assert len(await nm.search("alice", text, memory_type="document")) == 2
    assert await nm.files.delete("alice", first["id"])
    for found in (await merged(nm, text), [one["content"] for one in await nm.search("alice", text, limit=50)]):
        assert f"{text} 1" not in "\n".join(found)
    gone = await nm.delete_user_data("alice")
    assert (gone["files"], gone["user_id"]) == (1, "alice")
    assert await nm.files.list("alice") == []
    assert await merged(nm, text) == []
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []
    assert second["id"] != first["id"]


async def test_what_rules_draw_of_a_table_is_no_memory_and_its_rows_are_no_messages(opening: Opening, tmp_path: Any):
    nm = await opening(storage=LocalStorage(tmp_path / "files"))
    await nm.files.upload("alice", "people.csv", "name,phone\nNora Lind,5552368\n王建国,5552369\n".encode())
    await nm.conversations.add_message("alice", "user", "I live in Porto", session_id="s")
    await nm.conversations.add_message("alice", "user", "我有一个女儿", session_id="t")
    await nm.flush()
    stats = await nm.stats("alice")
    assert (stats["messages"], stats["sessions"], stats["by_type"]) == (2, 2, {"episodic": 2})
    found = await nm.search("alice", "Porto 女儿 Nora Lind", limit=9)
    assert {one["content"] for one in found} == {"I live in Porto", "我有一个女儿"}
    assert {one["memory_type"] for one in (await nm.recall("alice", "Nora Lind phone"))["merged"]} >= {"document"}


async def test_talk_and_files_are_told_apart_however_many_of_the_other_are_nearer(opening: Opening, tmp_path: Any):
    nm = await opening(storage=LocalStorage(tmp_path / "files"), auto_extract=False)
    talk = [{"role": "user", "content": f"the invoice number {n}"} for n in range(20)]
    await nm.conversations.add_messages_batch("alice", talk)
    await nm.files.create_from_text("alice", "a.txt", "An old invoice lies among many other things here")
    await nm.flush()
    for asked, kind, count in (("the invoice number", "document", 1), ("old invoice among things", "conversation", 5)):
        found = await nm.search("alice", asked, memory_type=kind)
        assert {one["memory_type"] for one in found} == {kind}
        assert len(found) == count
        recalled = (await nm.recall("alice", asked, 5, memory_type=kind))["merged"]
        assert {one["memory_type"] for one in recalled} == {kind}
        assert len(recalled) == count
    found = await nm.conversations.search("alice", "old invoice among things", limit=20)
    assert len(found) == 20


# --- at once --------------------------------------------------------------------------------------------------------


async def test_150_recalls_at_once_count_every_access(opening: Opening):
    nm = await opening(pool_size=2)
    made = await nm.add_memory("alice", "likes tea 喜欢茶", "fact")
    await nm.flush()
    async with asyncio.timeout(20):
        found = await asyncio.gather(*(nm.recall("alice", "tea" if n % 2 else "茶") for n in range(150)))
    assert all([one["id"] for one in each["merged"]] == [made] for each in found)
    told = await nm.get_memory("alice", made)
    assert told is not None
    assert told["access_count"] == 150


async def test_200_mixed_calls_at_once_lose_nothing(opening: Opening, neuro_clock: FakeClock):
    nm = await opening(pool_size=3, embedding=HashEmbedder(), clock=neuro_clock)
    made = await nm.add_memory("alice", "likes tea", "fact")
    await nm.flush()

    def call(number: int) -> Any:
        match number % 8:
            case 0 | 1:
                return nm.recall("alice", "tea")
            case 2:
                return nm.add_memory("alice", f"memory number {number}", "episodic")
            case 3:
                return nm.conversations.add_message("alice", "user", f"message {number}", session_id=f"s{number % 3}")
            case 4:
                return nm.kv.set("alice", "counts", f"key {number}", number)
            case 5:
                return nm.search("alice", "tea", memory_type="fact")
            case 6:
                return nm.graph.create_edge("alice", "User", "alice", "HAS_SKILL", "Skill", f"skill {number}")
            case _:
                return nm.reflect("alice")

    async with asyncio.timeout(60):
        await asyncio.gather(*(call(number) for number in range(200)))
        assert (await nm.flush())["failed"] == 0
    told = await nm.get_memory("alice", made)
    assert told is not None
    assert told["access_count"] == 75
    stats = await nm.stats("alice")
    assert stats["messages"] == 25
    episodes = await nm.get_memories_by_time_range("alice", "2020-01-01", memory_type="episodic", limit=1000)
    assert sum(one["content"].startswith("memory number") for one in episodes[1]) == 25
    assert len(await nm.kv.list("alice", "counts")) == 25
    edges = await nm.graph.get_neighbors("alice", "User", "alice", limit=100)
    assert len(edges) == 25


async def test_what_was_said_again_and_again_takes_no_place_of_another(opening: Opening):
    memory = await opening()
    for day in range(12):
        await memory.conversations.add_message("u", "user", "I went swimming", f"day {day}")
    await memory.conversations.add_message("u", "user", "My swimming coach is called Rosa", "other")
    await memory.flush()
    for limit in (2, 5, 10):
        found = await memory.recall("u", "swimming", limit=limit)
        assert [one["text"] for one in found["merged"]] == ["I went swimming", "My swimming coach is called Rosa"]
