"""The feelings of a scope: as a model told them, else estimated from what is in store; over a real database."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from fabula import AsyncMemory, EmotionProfile, InvalidInput, Memory, Message, Passage, moments
from fabula.abc import Extraction, Role, Vectors
from fabula.feelings import _weights  # pyright: ignore[reportPrivateUsage]
from fabula.providers.bundled import BundledEmbedder
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Emotion, Fact, Frame, Interval, Record

START = "2024-06-01T12:00:00Z"


class MoodEmbedder(HashEmbedder):
    """Texts with a plus are embedded where everything is good, those with a minus where everything is bad."""

    def __init__(self) -> None:
        super().__init__(BundledEmbedder.dimensions)
        self.space = BundledEmbedder.space

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        good = _weights()[self.space].matrix[0]
        rows = await super().embed(texts, role)
        for row, text in zip(rows, texts, strict=True):
            if (side := ("+" in text) - ("-" in text)) != 0:
                row[:] = side * good / (good @ good) ** 0.5
        return rows


class Felt:
    """A memory in which what is told of a message is what is given with it."""

    def __init__(self, db: str) -> None:
        self.clock = FakeClock(START)
        self.told: dict[str, tuple[Record, ...]] = {}
        self.memory = AsyncMemory(
            db, embedder=MoodEmbedder(), extractor=FakeExtractor(self._drawn), clock=self.clock, background=False
        )

    def _drawn(self, window: Sequence[Passage]) -> Extraction:
        made = [replace(r, sources=(p.id,), id=f"{p.id}{r.kind}") for p in window for r in self.told.get(p.text, ())]
        return Extraction(
            frames=tuple(r for r in made if isinstance(r, Frame)), facts=tuple(r for r in made if isinstance(r, Fact))
        )

    async def say(self, text: str, *told: Record, days: float = 0, **more: Any) -> str:
        self.told[text] = told
        moment = self.clock.now - timedelta(days=days)
        receipt = await self.memory.remember("alice", [Message(text, time=moment, **more)])
        await self.memory.flush()
        return str(receipt.ids[0])

    async def feelings(self, **more: Any) -> EmotionProfile:
        return await self.memory.feelings("alice", **more)


@pytest.fixture
async def felt(db: str) -> AsyncIterator[Felt]:
    made = Felt(db)
    async with made.memory:
        yield made


def frame(valence: float, label: str, **more: Any) -> Frame:
    return Frame(
        scope="", id="", text="what happened", emotion=Emotion(valence=valence, arousal=0.5, label=label), **more
    )


async def test_messages_are_estimated_where_nothing_is_told(felt: Felt):
    await felt.say("the exam -", days=1)
    await felt.say("the exam again -", days=2, speaker="Nora")
    await felt.say("a boat +", days=30)
    made = await felt.feelings()
    assert (made.count, made.estimated) == (3, 1)
    assert made.latest_state_valence == -1
    assert made.latest_state in ("sad", "upset", "distressed")
    assert made.valence_avg == pytest.approx(-1 / 3)
    assert dict(made.emotion_triggers) == {"exam": -1}


async def test_what_machines_and_documents_say_is_nobodys_feeling(felt: Felt):
    for role in ("assistant", "system", "tool", "document"):
        await felt.say(f"{role} -", role=role, speaker="Nora" if role == "assistant" else None)
    await felt.say("a file -", session="file:1")
    assert await felt.feelings() == EmotionProfile()
    assert await felt.memory.feelings("nobody") == EmotionProfile()


async def test_what_a_model_told_stands_for_its_messages(felt: Felt):
    await felt.say("the exam -", frame(0.8, "relieved"))
    made = await felt.feelings()
    assert (made.count, made.estimated, made.latest_state_valence) == (1, 0, 0.8)
    assert dict(made.dominant_emotions) == {"relieved": 1}


async def test_a_fact_counts_where_no_frame_tells_how_it_felt(felt: Felt):
    glad = Fact(scope="", id="", text="She sails", emotion=Emotion(valence=0.4, arousal=0.2, label="glad"))
    await felt.say("one -", frame(0.8, "relieved"), glad)
    await felt.say("two -", Frame(scope="", id="", text="She sailed"), replace(glad, text="She sails well"))
    made = await felt.feelings()
    assert (made.count, made.estimated) == (2, 0)
    assert made.valence_avg == pytest.approx(0.6)


async def test_what_is_over_was_felt_then(felt: Felt):
    """She was glad of the first home then, though she has another now."""
    for place, valence, days in (("Porto", 0.9, 40), ("Lyon", -0.5, 1)):
        lives = Fact(
            scope="", id="", text=f"Nora lives in {place}", subject="Nora", predicate="lives_in", object=place,
            emotion=Emotion(valence=valence, arousal=0.5, label="so"),
        )  # fmt: skip
        await felt.say(f"to {place}", lives, days=days)
    statuses = {record.status for record in await felt.memory.records("alice", "fact", status=None)}
    assert statuses == {"superseded", "live"}
    assert (await felt.feelings()).valence_avg == pytest.approx(0.2)


async def test_what_a_fact_names_may_be_a_trigger(felt: Felt):
    for n in range(2):
        knows = Fact(
            scope="", id="", text=f"Nora met her {n}", subject="Nora", predicate=f"met_{n}", object="Ann Lee",
            emotion=Emotion(valence=0.9, arousal=0.5, label="so"),
        )  # fmt: skip
        await felt.say(f"hello {n}", knows)
    await felt.say("the exam -")
    assert "Ann Lee" in (await felt.feelings()).emotion_triggers


async def test_many_are_read_page_by_page(felt: Felt, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(moments, "PAGE", 2)
    for n in range(5):
        await felt.say(f"{n} {'+-'[n % 2]}")
    made = await felt.feelings()
    assert (made.count, made.valence_avg) == (5, pytest.approx(0.2))


async def test_a_moment_is_when_it_was_told(felt: Felt):
    """A wedding that is told of today is today's feeling, whenever it was."""
    long_ago = Interval.at(felt.clock.now - timedelta(days=3000))
    await felt.say("the wedding", frame(0.8, "moved", valid=long_ago))
    assert (await felt.feelings()).latest_state_valence == 0.8
    assert (await felt.feelings(at=felt.clock.now - timedelta(days=1))) == EmotionProfile()


async def test_the_long_run_is_not_the_last_batch(felt: Felt):
    for n in range(9):
        await felt.say(f"{n} +", days=60 + n)
    first = await felt.feelings()
    assert (first.valence_avg, first.latest_state, first.latest_state_valence) == (1, "", None)
    felt.clock.advance(timedelta(days=1))
    await felt.say("now -")
    made = await felt.feelings()
    assert (made.valence_avg, made.latest_state_valence) == (pytest.approx(0.8), -1)
    assert await felt.feelings(at=START) == first


async def test_what_was_forgotten_is_felt_no_more(felt: Felt):
    bad = await felt.say("the exam -", frame(-0.8, "crushed"))
    await felt.say("a boat +")
    await felt.memory.forget("alice", ids=[bad])
    made = await felt.feelings()
    assert (made.count, made.valence_avg) == (1, 1)
    assert "crushed" not in made.dominant_emotions


async def test_an_estimate_is_never_stored(felt: Felt):
    said = await felt.say("the exam -")
    before = await felt.memory.stats("alice")
    await felt.feelings()
    record = await felt.memory.get("alice", said)
    assert record is not None
    assert record.emotion is None
    assert (await felt.memory.stats("alice")).bytes == before.bytes


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
async def test_other_vectors_give_no_estimate(db: str):
    """What is told counts; a vector of another model is not read."""
    emotion = Emotion(valence=0.5, arousal=0.5, label="glad")
    extractor = FakeExtractor(
        lambda window: Extraction(
            frames=tuple(
                Frame(scope="", id=p.id + "f", text="She sailed", sources=(p.id,), emotion=emotion)
                for p in window if "boat" in p.text
            )
        )
    )  # fmt: skip
    async with AsyncMemory(db, embedder=HashEmbedder(), extractor=extractor) as memory:
        await memory.remember("alice", ["a boat", "a terrible exam"])
        await memory.flush()
        made = await memory.feelings("alice")
        assert (made.count, made.estimated, made.valence_avg) == (1, 0, 0.5)


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
async def test_no_model_is_needed_to_read_them(db: str):
    made = Felt(db)
    async with made.memory:
        await made.say("the exam -")
    async with AsyncMemory(db, embedder=None, clock=made.clock) as memory:
        assert (await memory.feelings("alice")).valence_avg == -1


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_the_blocking_face_has_them(db: str):
    with Memory(db, embedder=MoodEmbedder()) as memory:
        memory.remember("alice", "the exam -")
        memory.flush()
        assert memory.feelings("alice").valence_avg == -1
        with pytest.raises(InvalidInput):
            memory.feelings("alice", at="soon")
        with pytest.raises(InvalidInput):
            memory.feelings(" ")


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("bad", "good", "words"),
    [
        ("最近工作压力很大", "今天升职了，太开心了", ({"难过", "烦恼", "焦虑"}, {"满足", "开心", "兴奋"})),
        (
            "Work has been so stressful lately", "I got promoted today, I'm so happy!",
            ({"sad", "upset", "distressed"}, {"content", "happy", "excited"}),
        ),
    ],
)  # fmt: skip
async def test_the_bundled_model_knows_good_from_bad(db: str, bad: str, good: str, words: tuple[set[str], set[str]]):
    async with AsyncMemory(db, clock=FakeClock(START)) as memory:
        for scope, text in (("bad", bad), ("good", good)):
            await memory.remember(scope, text)
        await memory.flush()
        states = [(await memory.feelings(scope)).latest_state for scope in ("bad", "good")]
        assert states[0] in words[0]
        assert states[1] in words[1]
