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


TELLING = [
    "password", "PassWord", "passwd", "pwd", "passphrase", "secret", "api_key", "apiKey", "API-KEY", "api key",
    "access_token", "authToken", "refresh_token", "client_secret", "private_key", "secret_access_key", "密码", "密碼",
    "口令", "密钥", "私钥",
]  # fmt: skip
OTHERS = ["passwords_changed", "password_hint", "token", "key", "public_key_of", "secretary", "pass", "note", "密码学"]
"""Keys that say other things, or more."""


def nested(word: str) -> dict[str, Any]:
    telling = dict.fromkeys(TELLING, word)
    return {"a": {"b": [telling, {"password": [word, 7]}]}, **telling}


async def everywhere(memory: AsyncMemory, given: dict[str, Any]) -> str:
    """All that is stored where metadata or properties are given."""
    await memory.remember("u", Message("hello", meta=given))
    (fact,) = await memory.add("u", Fact(scope="", id="", text="tea", meta={"metadata": given}))
    await memory.revise("u", fact, meta={"metadata": given, "more": given})
    await memory.graph.add_node("u", "Bo", "Person", properties=given)
    edge = await memory.graph.add_edge("u", "Bo", "knows", "Cy", properties=given)
    await memory.graph.change_edge("u", edge.id, properties=given)
    await memory.files.upload("u", "a.txt", b"text", metadata=given)
    return json.dumps([await memory.export("u"), repr(await memory.graph.edge("u", edge.id))], ensure_ascii=False)


async def test_what_stands_under_a_key_for_a_secret_is_masked_in_metadata_and_properties(db: str, tmp_path: Any):
    options: Any = {"embedder": None, "blobs": FolderBlobs(tmp_path / "blobs"), "background": False}
    async with AsyncMemory(db, **options) as memory:
        found = await everywhere(memory, nested("hunter2"))
        assert "hunter2" not in found
        (said, *_) = await memory.records("u")
        assert said.meta["a"]["b"][1] == {"password": ["[REDACTED]", 7]}
        assert set(TELLING) <= said.meta.keys()


async def test_other_keys_and_values_that_say_nothing_are_kept(db: str, tmp_path: Any):
    plain = dict.fromkeys(OTHERS, "hunter2")
    empty = {"password": "", "secret": "required", "api_key": None, "pwd": 5, "密码": {"note": "hunter2"}}
    async with AsyncMemory(db, embedder=None, background=False) as memory:
        await memory.remember("u", Message("hello", meta=plain | empty))
        (said,) = await memory.records("u")
        assert said.meta == plain | empty
        note = await memory.kv.set("u", "settings", "wifi", {"password": "hunter2"})
        assert note.value == {"password": "hunter2"}
    options: Any = {"embedder": None, "blobs": FolderBlobs(tmp_path / "blobs"), "background": False}
    async with AsyncMemory(db, settings=Settings(secrets="keep"), **options) as memory:
        assert "[REDACTED]" not in await everywhere(memory, nested("hunter3"))
