"""Pictures: kept with their messages, shown to models that see, told by their words to those that do not.

The hosts are stubs that speak real HTTP; the pictures are real.
"""

import asyncio
import logging
import re
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engines import sql
from host import Answer, Asked, Stub, refused, said
from pictures import png
from test_forget import on_disk, tables

from fabula import AsyncMemory, Extraction, Image, InvalidInput, Message, Passage, Plan
from fabula.extractors import LLMExtractor
from fabula.providers.openai import OpenAIEmbedder, OpenAILLM
from fabula.testing import FakeExtractor, HashEmbedder
from seem_skill import RecallMode, SEEMConfig, SEEMSkill

RED, BLUE, PINK = png(250, 0, 0), png(0, 0, 250), png(250, 40, 60)
COLOURS = {"red": [1.0, 0.0, 0.0], "blue": [0.0, 0.0, 1.0]}
REPLY = """{"frames": [{"sources": ["1"], "summary": "Nora showed a red square", "events": []}], "facts": [],
            "entities": [], "profile": []}"""
ONE = Plan(kinds=("passage",), limit=1)

sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


def colour(data: bytes) -> list[float]:
    """What a model sees in one of our pictures."""
    for picture, shade in ((RED, [1.0, 0.1, 0.0]), (BLUE, [0.0, 0.1, 1.0]), (PINK, [0.9, 0.2, 0.2])):
        if data == picture:
            return shade
    raise AssertionError("another picture")


def seen(asked: Asked) -> Answer:
    """One space for words and pictures: colours along two axes, everything else along the third."""
    rows: list[list[float]] = []
    for given in asked.body["input"]:
        if isinstance(given, str):
            rows.append(next((at for word, at in COLOURS.items() if word in given), [0.0, 1.0, 0.0]))
        elif given["image"].startswith("data:"):
            head, _, packed = given["image"].partition(",")
            assert head == "data:image/png;base64"
            rows.append(colour(b64decode(packed, validate=True)))
        else:
            assert given == {"image": "https://example.org/red.png"}
            rows.append(COLOURS["red"])
    return Answer({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]})


def blind(asked: Asked) -> Answer:
    """A host that takes no pictures, and repeats in its error what it was sent."""
    if all(isinstance(given, str) for given in asked.body["input"]):
        return seen(asked)
    return refused(400, f"input should be a valid string, input_value={asked.body['input']}")


def pictures_in(asked: Asked) -> list[str]:
    """The addresses of the pictures in a request of either kind."""
    return re.findall(r"'(data:[^']*|https?:[^']*)'", str(asked.body))


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with Stub() as server:
        yield server


def embedder(stub: Stub, **options: Any) -> OpenAIEmbedder:
    settings: dict[str, Any] = {"model": "vl", "dimensions": 3, "retries": 0, "sees": True, **options}
    return OpenAIEmbedder(api_key="k", base_url=stub.url, **settings)


def llm(stub: Stub, *, sees: bool = True) -> OpenAILLM:
    return OpenAILLM(api_key="k", base_url=stub.url, model="chat", retries=0, sees=sees)


def memory(db: str, stub: Stub, **options: Any) -> AsyncMemory:
    return AsyncMemory(
        db,
        **{"embedder": embedder(stub), "extractor": FakeExtractor(lambda _: Extraction()), "background": False}
        | options,
    )


def shown(data: bytes, text: str = "look", **image: Any) -> Message:
    return Message(text, speaker="Nora", id=image.pop("id", None), images=(Image(data=data, **image),))


def traces(data: bytes) -> list[bytes]:
    """What gives a picture away that was written out as text."""
    packed = b64encode(data)
    return [packed[at : at + 24] for at in range(0, len(packed) - 24, 4)] + [data.hex().encode()]


async def assert_nowhere_as_text(db: str, data: bytes, *said: str) -> None:
    kept = {name: rows for name, rows in (await tables(db)).items() if name != "pictures"}
    places = [*kept.values(), *(text.encode() for text in said)]
    if "://" not in db:
        places.append(on_disk(db))
    assert not [trace for place in places for trace in traces(data) if trace in place]
    assert not [rows for rows in kept.values() if data in rows or b"base64" in rows]


# --- an embedder that sees --------------------------------------------------------------------------------------


async def test_a_picture_is_found_by_what_it_shows(db: str, stub: Stub, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    stub.answers = seen
    async with memory(db, stub) as opened:
        await opened.remember("u", [shown(BLUE, id="1", name="IMG_1.png"), shown(RED, id="2", name="IMG_2.png")])
        url = Message("there", images=(Image(url="https://example.org/red.png", caption="a tile"),))
        await opened.remember("v", url)
        flushed = await opened.flush()
        assert flushed.pending == 0
        sent = [address for asked in stub.asked for address in pictures_in(asked)]
        assert len(sent) == 3
        assert "https://example.org/red.png" in sent
        for question, images, found in (
            ("red", (), "2"),
            ("blue", (), "1"),
            ("", (Image(data=PINK, name="IMG_1.png"),), "2"),
        ):
            (passage,) = (await opened.recall("u", question, ONE, images=images)).passages
            assert passage.ref == found
            (image,) = passage.images
            assert (image.data, image.media, image.name) == (b"", "image/png", f"IMG_{found}.png")
        assert await opened.check() == []
        stats = await opened.stats()
        assert stats.bytes["pictures"] > 0
        await assert_nowhere_as_text(db, RED, caplog.text, str(flushed), repr(url), repr(shown(RED)))


@sqlite_alone
async def test_words_and_pictures_count_alike(db: str, stub: Stub):
    stub.answers = seen
    made = embedder(stub)
    both = await made.shown("blue", [Image(data=RED)], "passage")
    assert both.tolist() == pytest.approx([0.7, 0.07, 0.7], abs=0.02)
    assert (await made.shown("", [Image(data=RED)], "query")).tolist() == pytest.approx([0.995, 0.0995, 0], abs=1e-3)
    assert [asked.body["input"] for asked in stub.asked[:1]] == [["blue"]]
    with pytest.raises(NotImplementedError, match="hash/64 sees no pictures"):
        await HashEmbedder().shown("x", [Image(data=RED)], "passage")
    await made.close()


async def test_the_other_space_sees_them_too(db: str, stub: Stub):
    stub.answers = seen
    async with memory(db, stub, embedder=HashEmbedder()) as opened:
        await opened.remember("u", [shown(RED, id="1"), shown(BLUE, id="2")])
        await opened.flush()
        assert not stub.asked
    async with memory(db, stub) as opened:
        assert await opened.reembed("u") == 2
        (passage,) = (await opened.recall("u", "blue", ONE)).passages
        assert passage.ref == "2"
        assert await opened.check() == []


async def test_a_host_that_is_blind_is_told_the_words(db: str, stub: Stub, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    stub.answers = blind
    async with memory(db, stub) as opened:
        await opened.remember("u", [shown(RED, id="1", caption="a red tile"), shown(BLUE, id="2", name="blue.png")])
        flushed = await opened.flush()
        assert flushed.pending == 0
        assert len([asked for asked in stub.asked if pictures_in(asked)]) == 1, "refused once, never asked again"
        warnings = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
        assert len(warnings) == 1
        assert "does not take pictures: it gets none from now on" in warnings[0]
        for question, images in (("the red one", ()), ("", (Image(caption="red", data=PINK),))):
            (passage,) = (await opened.recall("u", question, ONE, images=images)).passages
            assert passage.ref == "1"
        assert len([asked for asked in stub.asked if pictures_in(asked)]) == 1
        await assert_nowhere_as_text(db, RED, caplog.text, str(flushed))


@sqlite_alone
async def test_a_question_may_be_what_is_refused_first(db: str, stub: Stub):
    stub.answers = blind
    async with memory(db, stub) as opened:
        await opened.remember("u", [Message("a red tile", id="1"), Message("a blue tile", id="2")])
        await opened.flush()
        found = await opened.recall("u", "", ONE, images=[Image(caption="red", data=PINK)])
        assert [passage.ref for passage in found.passages] == ["1"]
        assert found.degraded == ()


@sqlite_alone
async def test_one_bad_picture_does_not_blind_a_host_that_sees(db: str, stub: Stub):
    bad = b"\xff\xd8\xff broken"
    stub.answers = lambda asked: (
        refused(400, "cannot decode the image") if any("jpeg" in a for a in pictures_in(asked)) else seen(asked)
    )
    async with memory(db, stub) as opened:
        for number, data in enumerate((RED, bad, BLUE), 1):
            await opened.remember("u", shown(data, id=str(number)))
            assert (await opened.flush()).pending == 0
        (passage,) = (await opened.recall("u", "blue", ONE)).passages
        assert passage.ref == "3"


@sqlite_alone
@pytest.mark.parametrize("answer", [*(refused(status, "no") for status in (401, 429, 503)), Answer(b"{half")])
async def test_what_is_not_about_pictures_blinds_nobody(db: str, stub: Stub, answer: Answer):
    stub.answers = lambda asked: answer if pictures_in(asked) else seen(asked)
    async with memory(db, stub) as opened:
        await opened.remember("u", shown(RED, id="1"))
        flushed = await opened.flush()
        assert (flushed.failed, len(flushed.errors)) == (1, 1)
        stub.answers = seen
        assert (await opened.flush()).pending == 0
        assert any(map(pictures_in, stub.asked[-3:]))


async def test_without_sight_no_picture_leaves(db: str, stub: Stub):
    stub.answers = lambda asked: said(REPLY) if "messages" in asked.body else seen(asked)
    model = llm(stub, sees=False)
    options: Mapping[str, Any] = {"embedder": embedder(stub, sees=False), "extractor": LLMExtractor(model)}
    async with memory(db, stub, **options) as opened:
        away = Image(url="https://example.org/red.png")
        message = shown(RED, id="1", caption="a tile of clay")
        await opened.remember("u", replace(message, images=(*message.images, away)))
        assert (await opened.flush()).pending == 0
        assert stub.asked
        assert not [asked for asked in stub.asked if pictures_in(asked)]
        (chat,) = [asked.body["messages"] for asked in stub.asked if "messages" in asked.body]
        assert "[picture: a tile of clay]" in chat[1]["content"]
        found = await opened.recall("u", "clay", ONE, images=[Image(data=PINK)])
        assert [passage.ref for passage in found.passages] == ["1"]
    await model.close()


# --- a picture without words --------------------------------------------------------------------------------------


BARE = [
    Message("I grew up in Ghent.", id="1", speaker="Bob"),
    Message("My brother flies planes.", id="2", speaker="Bob"),
    Message("", id="3", speaker="Bob", images=(Image(data=RED, name="IMG_7.png"),)),
]


async def vectors_of(opened: AsyncMemory) -> list[str]:
    """The passages that are there by meaning, whatever the question."""
    found = await opened.recall("u", "zzz", Plan(kinds=("passage",), channels=("dense",)))
    assert found.degraded == ()
    return sorted(hit.record.ref or "" for hit in found.hits if isinstance(hit.record, Passage) and hit.parts["cosine"])


def close(asked: Asked) -> Answer:
    """A model of words to which all texts are a little alike, and a file's name more than they."""
    rows = [[1.0, 1.0 if "IMG" in given else 0.5, 0.0] for given in asked.body["input"] if isinstance(given, str)]
    return Answer({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]})


async def test_a_file_name_means_nothing(db: str, stub: Stub):
    stub.answers = close
    async with memory(db, stub, embedder=embedder(stub, sees=False)) as opened:
        await opened.remember("u", BARE)
        assert (await opened.flush()).pending == 0
        assert "IMG" not in str([asked.body for asked in stub.asked])
        assert await vectors_of(opened) == ["1", "2"]
        assert await opened.check() == []
        (hit,) = (await opened.recall("u", "IMG_7.png", ONE)).hits
        assert isinstance(hit.record, Passage)
        assert hit.record.ref == "3"
        found = await opened.recall("u", "What is the capital of Mongolia?", Plan(kinds=("passage",)))
        nothing = [hit.relevance for hit in found.hits if not hit.record.text]
        assert all(relevance < min(h.relevance for h in found.hits if h.record.text) + 1e-9 for relevance in nothing)


async def test_it_means_what_it_shows_once_a_model_sees(db: str, stub: Stub):
    stub.answers = seen
    async with memory(db, stub, embedder=HashEmbedder()) as opened:
        await opened.remember("u", BARE)
        await opened.flush()
    async with memory(db, stub) as opened:
        assert await opened.reembed("u") == 3
        (passage,) = (await opened.recall("u", "red", ONE)).passages
        assert passage.ref == "3"
        assert await opened.check() == []
    async with memory(db, stub, embedder=HashEmbedder(32)) as opened:
        assert await opened.reembed("u") == 2
        await opened.flush()
        assert (await opened.stats()).pending == {}
        assert await opened.check() == []
        assert await vectors_of(opened) == ["1", "2"]


async def test_a_host_that_turns_out_blind_has_no_vector_of_it(db: str, stub: Stub):
    stub.answers = blind
    async with memory(db, stub) as opened:
        await opened.remember("u", BARE)
        assert (await opened.flush()).pending == 0
        assert await vectors_of(opened) == ["1", "2"]
        assert await opened.check() == []


@pytest.mark.parametrize("name", [
    "IMG_2041.JPG", "picture.png", "DSC00012.jpg", "PXL_20240501_123456789.jpg", "1.png", "a.png", "微信图片_2024.jpg",
    "3f2a9c1e-12ab-4abc-dead-beefdeadbeef.png", "IMG-20240501-WA0001.jpg", "Screenshot 2024-05-01 at 12.30.png", "",
])  # fmt: skip
def test_a_name_that_says_nothing(name: str):
    assert Image(name=name).words == ""
    assert Passage(scope="u", id="1", text=" ", images=(Image(name=name),)).wordless


@pytest.mark.parametrize("name", ["red-bicycle.jpg", "红色自行车.png", "bicycle2.jpg", "IMG_1 lemon.jpg", "猫.png"])
def test_a_name_with_words(name: str):
    assert Image(name=name).words == name
    assert not Passage(scope="u", id="1", text="", images=(Image(name=name),)).wordless
    assert Image(name=name, caption="a tile").words == "a tile"


# --- a language model that sees ---------------------------------------------------------------------------------


async def test_a_model_that_sees_tells_what_is_shown(db: str, stub: Stub, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    stub.answers = [said(REPLY)]
    model = llm(stub)
    async with memory(db, stub, embedder=HashEmbedder(), extractor=LLMExtractor(model)) as opened:
        message = Message("look!", speaker="Nora", images=(Image(caption="no picture"), Image(data=RED, name="a.png")))
        await opened.remember("u", message)
        assert (await opened.flush()).pending == 0
        (asked,) = stub.asked
        system, user = asked.body["messages"]
        assert isinstance(system["content"], str)
        text, picture = user["content"]
        assert "look!\n[picture: no picture]\n[picture 1: a.png]\n" in text["text"]
        assert "PICTURES (" in text["text"]
        address = f"data:image/png;base64,{b64encode(RED).decode()}"
        assert picture == {"type": "image_url", "image_url": {"url": address}}
        (frame,) = await opened.records("u", "frame")
        assert frame.text == "Nora showed a red square"
        (passage,) = await opened.records("u")
        assert isinstance(passage, Passage)
        assert (passage.text, [image.caption for image in passage.images]) == ("look!", ["no picture", ""])
        assert frame in (await opened.recall("u", "square")).frames
        await assert_nowhere_as_text(db, RED, caplog.text)
    await model.close()


@pytest.mark.parametrize("refusal", [
    refused(400, "unknown variant `image_url`, expected `text`"),
    refused(500, "image input is not supported - hint: you may need to provide the mmproj"),
    refused(404, "no endpoint for image input"),
    Answer({"error": {"message": "pictures? no"}}),
])  # fmt: skip
@sqlite_alone
async def test_a_blind_model_is_told_the_words(db: str, stub: Stub, refusal: Answer, caplog: pytest.LogCaptureFixture):
    stub.answers = lambda asked: refusal if pictures_in(asked) else said(REPLY)
    model = llm(stub)
    async with memory(db, stub, embedder=HashEmbedder(), extractor=LLMExtractor(model)) as opened:
        for number in "12":
            await opened.remember("u", shown(RED, id=number, name="a.png"))
            assert (await opened.flush()).pending == 0
        assert [bool(pictures_in(asked)) for asked in stub.asked] == [True, False, False]
        assert not model.sees
        assert "[picture 1: a.png]" in stub.asked[1].body["messages"][1]["content"]
        assert "[picture: a.png]" in stub.asked[2].body["messages"][1]["content"]
        assert caplog.text.count("does not take pictures") == 1
    await model.close()


@sqlite_alone
async def test_a_model_that_fails_anyway_is_not_taken_for_blind(db: str, stub: Stub):
    stub.answers = [refused(400, "context too long")]
    model = llm(stub)
    async with memory(db, stub, embedder=HashEmbedder(), extractor=LLMExtractor(model)) as opened:
        await opened.remember("u", shown(RED, id="1"))
        assert (await opened.flush()).failed == 1
        assert model.sees
    await model.close()


@sqlite_alone
async def test_a_request_shows_so_many_bytes_and_no_more(db: str, stub: Stub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fabula.prompts.SHOWN", len(RED) + len(BLUE) - 1)
    stub.answers = [said(REPLY)]
    model = llm(stub)
    async with memory(db, stub, embedder=HashEmbedder(), extractor=LLMExtractor(model)) as opened:
        await opened.remember("u", [shown(RED, name="1.png"), shown(BLUE, name="2.png")])
        assert (await opened.flush()).pending == 0
        (address,) = pictures_in(stub.asked[0])
        assert b64decode(address.partition(",")[2]) == RED
        assert "[picture: 2.png]" in stub.asked[0].body["messages"][1]["content"][0]["text"]
    await model.close()


# --- kept and forgotten -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [{"refs": ["1"]}, {"session": "default"}, {"everything": True}])
async def test_a_picture_goes_with_its_message(db: str, stub: Stub, way: Mapping[str, Any]):
    stub.answers = seen
    async with memory(db, stub) as opened:
        await opened.remember("u", shown(RED, id="1"))
        await opened.remember("v", shown(RED, id="1"))
        await opened.flush()
        assert await opened.forget("u", **way)
        assert sql(db, "SELECT scope FROM pictures") == [("v",)]
        await opened.forget("v", refs=["1"])
        assert (await opened.remember("v", shown(RED, id="1"))).erased == ("1",)
        assert sql(db, "SELECT scope FROM pictures") == []
        assert await opened.check() == []
        if "://" not in db:
            assert RED not in on_disk(db)
        assert all(RED not in rows for rows in (await tables(db)).values())


async def test_the_first_picture_of_an_id_stays(db: str, stub: Stub):
    stub.answers = seen
    async with memory(db, stub) as opened:
        for data in (RED, BLUE):
            await opened.remember("u", shown(data, id="1"))
        await opened.remember("u", [shown(BLUE, id="2"), shown(RED, id="2")])
        kept = sorted(bytes(data) for (data,) in sql(db, "SELECT bytes FROM pictures"))
        assert kept == sorted([RED, BLUE])
        assert await opened.check() == []


@sqlite_alone
@pytest.mark.parametrize(("image", "message"), [
    (lambda: Image(data=b"%PDF-1.7"), "a picture is a PNG, JPEG, GIF or WebP, and these bytes are none"),
    (lambda: Image(data=b"RIFF1234WAVE"), "these bytes are none"),
    (lambda: Image(data=b"\xff\xd8\xff" + bytes(20_000_000)), r"at most 20 MB, not 20\.0"),
    (lambda: Image(data="x"), "an image's data are bytes, not str"),
    (lambda: Image(url="data:image/png;base64,AAAA"), "give the picture itself as data"),
    (lambda: Image(url="DATA:image/png;base64,AAAA"), "give the picture itself as data"),
])  # fmt: skip
async def test_what_is_no_picture_is_refused_and_nothing_is_kept(db: str, stub: Stub, image: Any, message: str):
    async with memory(db, stub) as opened:
        with pytest.raises(InvalidInput, match=message):
            await opened.remember("u", Message("x", images=(image(),)))
        assert await opened.scopes() == []
        with pytest.raises(InvalidInput, match="images are Image objects"):
            await opened.recall("u", "x", images=["a.png"])  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("data", "media"), [
    (RED, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF87a", "image/gif"), (b"GIF89a", "image/gif"),
    (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
])  # fmt: skip
def test_a_picture_is_known_by_its_first_bytes(data: bytes, media: str):
    image = Image(data=data)
    assert (image.media, image.name) == (media, f"picture.{media[6:]}")
    assert image.address == f"data:{media};base64,{b64encode(data).decode()}"
    assert Image(url="photos/a.png").address == ""
    assert Image(data=data, caption="a tile").name == ""


# --- SEEM -------------------------------------------------------------------------------------------------------


@sqlite_alone
def test_a_file_that_is_too_large_is_not_read(db: str, tmp_path: Path):
    path = tmp_path / "large.png"
    with path.open("wb") as file:
        file.truncate(20_000_001)
    with SEEMSkill(SEEMConfig(data_dir=tmp_path)) as skill:
        for call in (skill.store, skill.recall):
            with pytest.raises(InvalidInput, match=r"at most 20 MB: .*large\.png has more"):
                call({"image_path": str(path)})
        assert skill.stats()["chunks"] == 0


class TestSEEM:
    @pytest.fixture(autouse=True)
    async def environment(self, stub: Stub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("SEEM_DATA_DIR", str(tmp_path / "seem"))
        for name in ("LLM", "MM_ENCODER"):
            for key, value in {"API_KEY": "k", "BASE_URL": stub.url, "MODEL": "m"}.items():
                monkeypatch.setenv(f"{name}_{key}", value)
        monkeypatch.setenv("EMBEDDING_DIMENSIONS", "3")

    async def test_pictures_take_part_in_everything(self, stub: Stub, tmp_path: Path):
        stub.answers = lambda asked: said(REPLY) if "messages" in asked.body else seen(asked)
        for name, data in (("red.png", RED), ("pink.png", PINK), ("b.png", BLUE)):
            (tmp_path / name).write_bytes(data)

        def work() -> Any:
            with SEEMSkill(SEEMConfig()) as skill:
                skill.store({"image": BLUE, "dialogue_id": "D1:1"})
                skill.store({"text": "hi", "image_path": str(tmp_path / "red.png"), "dialogue_id": "D1:2"})
                skill.store({"image_url": "https://example.org/red.png", "text": "web", "dialogue_id": "D1:3"})
                assert skill.flush()["errors"] == ()
                asked = [
                    skill.recall(query, top_k=1, mode=RecallMode.PRO)["memories"][0]["chunks"][0]["dialogue_id"]
                    for query in ({"image_path": str(tmp_path / "b.png")}, {"image_path": str(tmp_path / "pink.png")})
                ]
                skill.clear(confirm=True)
                assert skill.stats()["chunks"] == 0
                return asked

        assert await asyncio.to_thread(work) == ["D1:1", "D1:2"]
        pictures = [a for asked in stub.asked for a in pictures_in(asked)]
        assert {a for a in pictures if a.startswith("http")} == {"https://example.org/red.png"}
        assert {b64decode(a.partition(",")[2]) for a in pictures if a.startswith("data:")} == {RED, BLUE, PINK}

    async def test_blind_hosts_go_by_captions_and_names(
        self, stub: Stub, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ):
        stub.answers = lambda asked: (
            refused(400, str(asked.body))
            if pictures_in(asked)
            else said(REPLY)
            if "messages" in asked.body
            else seen(asked)
        )
        (tmp_path / "a.png").write_bytes(RED)
        path = str(tmp_path / "a.png")

        def work() -> Any:
            with SEEMSkill(SEEMConfig()) as skill:
                skill.store({"image_path": path, "image_caption": "a red tile", "dialogue_id": "D1:1"})
                skill.store({"text": "the harbour", "image_path": str(tmp_path / "gone.png"), "dialogue_id": "D1:2"})
                assert skill.flush() == {"pending": 0, "failed": 0, "errors": ()}
                found = skill.recall({"image_path": path}, top_k=1, mode=RecallMode.PRO)
                (chunk,) = found["memories"][0]["chunks"]
                assert (chunk["dialogue_id"], chunk["text"]) == ("D1:1", "[image: a red tile]")
                assert (found["memories"][0]["image"], found["memories"][0]["has_multimodal"]) == (path, True)

        await asyncio.to_thread(work)
        assert caplog.text.count("does not take pictures") == 2, "once the encoder, once the language model"
        assert f"there is no file {tmp_path / 'gone.png'}" in caplog.text
        await assert_nowhere_as_text(str(tmp_path / "seem" / "memory.db"), RED, caplog.text)
