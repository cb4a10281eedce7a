"""No secret is stored that a model tells of its own accord, or that stands in a name; where secrets are kept, it is."""

import json
from typing import Any

import pytest

from fabula import (
    AsyncMemory,
    Emotion,
    Entity,
    Event,
    Extraction,
    Fact,
    Frame,
    Insight,
    InvalidInput,
    Message,
    Note,
    Passage,
    Settings,
)
from fabula.extract import _hidden
from fabula.providers.blobs import FolderBlobs
from fabula.remember import hiding
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM
from fabula.types import SORT

KEY = "ghp_FAKEabcdefghijklmnopqrstuvwxyz012345"
WORDS = "他的密码是Qwerty9876!"


def telling(window: list[Passage]) -> Extraction:
    """Every kind of record, with secrets wherever there are words."""
    felt = Emotion(valence=0, arousal=0, label=KEY)
    common: dict[str, Any] = {"scope": "", "sources": (window[0].id,), "emotion": felt}
    event = Event(participants=("Bo", KEY), action=KEY, location=KEY, causality=WORDS, manner=KEY)
    return Extraction(
        frames=(Frame(id=f"f-{window[0].ref}", text=f"{KEY} {WORDS}", events=(event,), meta={"a": [KEY]}, **common),),
        facts=(Fact(id="", text=WORDS, subject="Bo", predicate=f"uses {KEY}", object=KEY, meta={KEY: "x"}, **common),),
        entities=(Entity(id="", text=f"the {KEY}", type=KEY, aliases=(f"key {KEY}", "the key"), **common),),
        notes=(Note(id="", text=KEY, namespace="profile", key=f"key {KEY}", value=["tea", {"k": KEY}], **common),),
    )


async def told(db: str, **settings: Any) -> str:
    """All that is stored of what a model has told."""
    extractor = FakeExtractor(telling)  # type: ignore[arg-type]
    options: Any = {"embedder": HashEmbedder(), "extractor": extractor, "settings": Settings(**settings)}
    async with AsyncMemory(db, clock=FakeClock(), background=False, **options) as memory:
        await memory.remember("u", Message("hello Bo", id="m"))
        assert not (await memory.flush("u")).failed
        assert await memory.check("u") == []
        found = await memory.export("u")
        kinds = {row["kind"] for row in found["tables"]["records"]}
        assert kinds == {"passage", "frame", "fact", "entity", "note"}
        return json.dumps(found, ensure_ascii=False)


async def test_what_a_model_draws_is_masked(db: str):
    found = await told(db)
    assert "FAKE" not in found
    assert "Qwerty" not in found
    assert "tea" in found


async def test_where_secrets_are_kept_they_are(db: str):
    found = await told(db, secrets="keep")
    assert KEY in found
    assert WORDS in found


def test_ids_that_are_made_of_words_are_made_of_those_that_are_kept():
    hidden = hiding(Settings())
    found: list[Extraction] = []
    for key in (KEY, KEY.replace("FAKE", "MOCK")):
        frame, entity = Frame(scope="", id=key, text=key, sources=("p",)), Entity(scope="", id=key, text=key)
        found.append(_hidden(Extraction(frames=(frame,), entities=(entity,)), hidden))
    one, other = found
    assert one == other
    kept = Extraction(frames=(Frame(scope="", id="own", text="tea", sources=(KEY,)),))
    assert _hidden(kept, hidden) == kept


async def test_what_a_model_concludes_is_masked(db: str):
    items = [{"category": "behavior_pattern", "text": f"guards {KEY}", "sources": ["1", "2"], "importance": 5}]
    llm = ScriptedLLM([json.dumps({"insights": items})])
    options: Any = {"embedder": None, "extractor": FakeExtractor(lambda window: Extraction()), "llm": llm}
    async with AsyncMemory(db, clock=FakeClock(), background=False, **options) as memory:
        await memory.add("u", [Fact(scope="", id="", text=text) for text in ("one two", "three four")])
        (made,) = (await memory.reflect("u")).insights
        assert made.text == "guards [REDACTED]"
        assert "FAKE" not in json.dumps(await memory.export("u"))


async def test_a_name_that_is_shown_in_lists_is_no_secret(db: str, tmp_path: Any):
    blobs = FolderBlobs(tmp_path / "blobs")
    async with AsyncMemory(db, embedder=None, blobs=blobs, clock=FakeClock(), background=False) as memory:
        tries = [
            memory.kv.set("u", KEY, "k", 1), memory.kv.merge("u", KEY, "k", {"a": 1}), memory.kv.set("u", "n", KEY, 1),
            memory.files.upload("u", "a.txt", b"text", category=KEY),
            memory.files.upload("u", "a.txt", b"text", tags=["x", KEY]),
            memory.add("u", Fact(scope="", id="", text="tea", meta={SORT: KEY})),
        ]  # fmt: skip
        for one in tries:
            with pytest.raises(InvalidInput, match="shown in lists") as error:
                await one
            assert "FAKE" not in str(error.value)
        assert await memory.scopes() == []


async def test_a_name_is_kept_as_it_is_where_secrets_are(db: str):
    async with AsyncMemory(db, embedder=None, settings=Settings(secrets="keep"), background=False) as memory:
        await memory.kv.set("u", KEY, KEY, 1)
        await memory.add("u", Insight(scope="", id="", text=KEY, meta={SORT: KEY}))
        assert [note.key for note in await memory.kv.list("u", KEY)] == [KEY]


@pytest.mark.parametrize("odd", [{"subject": 5}, {"object": None}])
async def test_a_record_has_words_of_text(db: str, odd: Any):
    async with AsyncMemory(db, embedder=None, background=False) as memory:
        with pytest.raises(InvalidInput, match="is a text"):
            await memory.add("u", Fact(scope="", id="x", text="tea", **odd))
