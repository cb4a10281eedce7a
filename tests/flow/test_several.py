"""Questions that ask for several things, or for a length: all facts of one relation, and those that say a time."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from fabula import AsyncMemory, Fact, Interval, Message, Passage, Plan
from fabula.abc import Extraction
from fabula.testing import FakeExtractor, HashEmbedder

FACTS = Plan(kinds=("fact",), limit=3)
READ = {"en": ("Nora", "read"), "zh": ("李梅", "读过")}
BOOKS = {"en": ["Emma", "Dracula", "Walden", "Ulysses", "Middlemarch"], "zh": ["红楼梦", "围城", "边城", "家", "茶馆"]}
OTHERS = {
    "en": [("Nora", "likes", f"talk about books of the {age}") for age in ("past", "war", "sea", "moon")],
    "zh": [("李梅", "喜欢", f"谈论{what}的书") for what in ("过去", "战争", "大海", "月亮")],
}
ASKED = {"en": "Which books has Nora read besides {}?", "zh": "除了{}，李梅还读过哪些书？"}


def triple(line: str, source: str, valid: Interval | None = None) -> Fact:
    who, what, whom = line.split("|")
    gap = "" if who == "李梅" else " "
    return Fact(scope="", id="", text=gap.join((who, what, whom)), subject=who, predicate=what, object=whom,
                sources=(source,), valid=valid)  # fmt: skip


def drawn(window: Sequence[Passage]) -> Extraction:
    return Extraction(facts=tuple(triple(passage.text, passage.id) for passage in window))


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_several_things_are_all_facts_of_one_subject_and_relation(db: str, language: str):
    who, verb = READ[language]
    told = [f"{who}|{verb}|{book}" for book in BOOKS[language]] + ["|".join(other) for other in OTHERS[language]]
    told += [f"Ivo|{verb}|{book}" for book in BOOKS[language][:2]]
    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=FakeExtractor(drawn)) as memory:
        await memory.remember("u", [Message(text, session=str(n)) for n, text in enumerate(told)])
        await memory.flush()
        found = await memory.recall("u", ASKED[language].format(BOOKS[language][0]), FACTS)
        first = [(fact.subject, fact.predicate) for fact in found.facts[: len(BOOKS[language])]]
        assert first == [(who, verb)] * len(BOOKS[language]), "one behind the other, and before what is like them"
        assert {fact.object for fact in found.facts} >= set(BOOKS[language])
        assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
        one = await memory.recall("u", ASKED[language].format(BOOKS[language][0]), Plan(kinds=("fact",), limit=1))
        assert len(one.facts) <= 3, "never more than three times what is wanted"


@pytest.mark.parametrize(
    ("facts", "question"),
    [
        (["Nora|loves|the tea shop", "Nora|opened|the tea shop", "Nora|closed|the tea shop"],
         "How long did Nora have the tea shop?"),
        (["李梅|很爱|茶馆", "李梅|开了|茶馆", "李梅|关了|茶馆"], "李梅的茶馆开了多久？"),
    ],
)  # fmt: skip
async def test_a_length_is_told_by_two_facts_with_a_date(db: str, facts: list[str], question: str):
    opened, closed = (Interval.at(datetime(year, 5, 1, tzinfo=UTC)) for year in (2015, 2021))

    def dated(window: Sequence[Passage]) -> Extraction:
        times = [None, opened, closed]
        told = zip(facts, times, strict=True)
        return Extraction(facts=tuple(triple(line, window[0].id, time) for line, time in told))

    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=FakeExtractor(dated)) as memory:
        await memory.remember("u", Message("·", speaker="Nora", time="2024-01-01T00:00:00Z"))
        await memory.remember("u", Message("x y z", speaker="Nora", time="2024-01-01T00:01:00Z"))
        await memory.flush()
        found = await memory.recall("u", question, FACTS)
        assert {fact.valid for fact in found.facts[:2]} == {opened, closed}
        assert found.facts[2].valid is None
        block = (await memory.recall("u", question, FACTS)).render(budget=400)
        assert "2015-05-01" in block
        assert "2021-05-01" in block
