"""Files over a real database and a real folder: kept whole, found by their text, and gone when they are deleted."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import papers
import pytest
from pictures import png
from test_forget import tables_with

from fabula import (
    AsyncMemory,
    DocumentCorrupt,
    DocumentEncrypted,
    DocumentError,
    DocumentTooLarge,
    FolderBlobs,
    Frame,
    InvalidInput,
    Memory,
    Message,
    Note,
    Passage,
    Plan,
    StoreUnavailable,
)
from fabula.abc import Extraction
from fabula.testing import FakeExtractor, HashEmbedder
from fabula.types import FILE_SESSION

sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)
ALL = Plan(kinds=("passage", "frame", "fact", "entity"), limit=50)


def opened(db: str, tmp_path: Path, **options: Any) -> AsyncMemory:
    options = {"embedder": HashEmbedder(), "blobs": FolderBlobs(tmp_path / "blobs"), **options}
    return AsyncMemory(db, **options)


def told(window: Sequence[Passage]) -> Extraction:
    """A frame of each passage."""
    return Extraction(
        frames=tuple(Frame(scope="u", id=f"f-{p.id}", text=p.text, session=p.session, sources=(p.id,)) for p in window)
    )


def on_disk(tmp_path: Path) -> list[Path]:
    return [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()]


async def test_a_file_is_kept_and_found(db: str, tmp_path: Path):
    data = papers.pdf("The warranty ends in June.", "Repairs cost 42 euros.", title="Contract")
    async with opened(db, tmp_path) as memory:
        kept = await memory.files.upload(
            "u", "docs/contract.pdf", data, category="legal", tags=["home"], metadata={"from": "Nora"}
        )
        assert (kept.name, kept.type, kept.media, kept.size) == (
            "docs/contract.pdf", "pdf", "application/pdf", len(data),
        )  # fmt: skip
        assert (kept.title, kept.status, kept.passages, kept.warnings) == ("Contract", "ready", 2, ())
        await memory.flush()
        (best, *_) = await memory.files.search("u", "what do repairs cost?")
        assert best.file == kept
        assert (best.page, best.passage.text, best.passage.role) == (2, "Repairs cost 42 euros.", "document")
        assert best.passage.meta == {"file": kept.id, "name": "contract.pdf", "position": 1, "page": 2}
        (hit, *_) = (await memory.recall("u", "what do repairs cost?", Plan(kinds=("passage",)))).hits
        assert hit.record == best.passage
        assert await memory.files.get("u", kept.id) == kept
        assert await memory.files.list("u") == (kept,)
        assert await memory.files.download("u", kept.id) == data
        assert Path((await memory.files.url("u", kept.id)).removeprefix("file://")).read_bytes() == data
        assert await memory.check() == []
    async with opened(db, tmp_path) as memory:
        assert await memory.files.get("u", kept.id) == kept


async def test_what_a_file_is_called_is_found(db: str, tmp_path: Path):
    async with opened(db, tmp_path, embedder=None) as memory:
        await memory.files.add_text("u", "lease agreement", "It ends in May.")
        await memory.files.add_text("u", "体检报告", "一切正常。")
        assert (await memory.files.search("u", "lease agreement"))[0].file.name == "lease agreement.txt"
        assert (await memory.files.search("u", "体检报告"))[0].file.name == "体检报告.txt"


async def test_a_scan_is_kept_without_passages_and_says_so(db: str, tmp_path: Path):
    embedder = HashEmbedder()
    async with opened(db, tmp_path, embedder=embedder) as memory:
        kept = await memory.files.upload("u", "scan.pdf", papers.pdf(""))
        await memory.flush()
        assert (kept.status, kept.passages, kept.warnings) == ("no_text", 0, ("page 1: no text (scanned?)",))
        assert not embedder.calls
        assert await memory.records("u") == []
        assert await memory.files.delete("u", kept.id)
        assert on_disk(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("a.pdf", b"hello", DocumentCorrupt),
        ("a.pdf", papers.self_drawing(), DocumentCorrupt),
        ("a.pdf", papers.locked(papers.pdf("Alpha"), user="pw1"), DocumentEncrypted),
        ("a.docx", b"", DocumentCorrupt),
        ("a.docx", papers.bomb(), DocumentTooLarge),
    ],
    ids=["no pdf", "self-drawing", "encrypted", "empty", "bomb"],
)
@sqlite_alone
async def test_what_cannot_be_read_leaves_nothing(
    name: str, data: bytes, error: type[DocumentError], db: str, tmp_path: Path
):
    async with opened(db, tmp_path) as memory:
        with pytest.raises(error):
            await memory.files.upload("u", name, data)
        assert await memory.scopes() == []
    assert on_disk(tmp_path) == []


NAMES = [
    "../../x.txt", "/etc/x.txt", "C:\\tmp\\x.txt", "a\x00.txt", "CON.txt", "..\\..\\x.txt", "x" * 300 + ".txt", "-.txt",
]  # fmt: skip
USERS = ["../b", "b", "jane-doe", "jane_doe", "a:b", "a/b", "B", "k" * 63 + "1", "k" * 63 + "2"]


@sqlite_alone
async def test_a_name_is_never_a_path(db: str, tmp_path: Path):
    root = tmp_path / "blobs"
    async with opened(db, tmp_path) as memory:
        for user in USERS:
            for name in NAMES:
                kept = await memory.files.upload(user, name, f"{user} {name}".encode())
                assert kept.name == name.replace("\0", "")
                assert await memory.files.download(user, kept.id) == f"{user} {name}".encode()
        assert len(on_disk(tmp_path)) == len(USERS) * len(NAMES)
    outside = [path for path in tmp_path.rglob("*") if path.is_file() and root not in path.parents]
    assert {path.name.partition(".db")[0] for path in outside} <= {"memory"}
    assert not [path for path in on_disk(tmp_path) if ".." in path.name or not path.resolve().is_relative_to(root)]


@pytest.mark.parametrize("name", ["", "  ", "\0.txt\n" * 200, 5, "a.exe", "none"])
@sqlite_alone
async def test_names_that_are_none(name: Any, db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        with pytest.raises(ValueError, match=r"."):
            await memory.files.upload("u", name, b"text")
        assert await memory.scopes() == []


@sqlite_alone
async def test_a_nul_in_a_title_is_left_out(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        kept = await memory.files.upload("u", "a.pdf", papers.pdf("Alpha", title="ab\\000cd"), metadata={"k": "a\0b"})
        assert (kept.title, kept.metadata) == ("abcd", {"k": "ab"})


async def test_the_same_file_twice_is_one(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        first, *others = await asyncio.gather(
            *(memory.files.upload("u", "a.txt", b"Alpha stands here.", tags=[str(n)]) for n in range(5))
        )
        assert {other.id for other in others} == {first.id}
        (kept,) = await memory.files.list("u")
        assert len(kept.tags) == 1
        assert len(await memory.records("u")) == len(on_disk(tmp_path)) == 1
        again = await memory.files.upload("u", "a.txt", b"Alpha stands here.", category="new", tags=["y"])
        assert (again.id, again.created, again.category, again.tags) == (first.id, first.created, "new", ("y",))
        other = await memory.files.upload("u", "b.txt", b"Alpha stands here.")
        assert other.id != first.id
        for told in (1, True, 1.0):
            again = await memory.files.upload("u", "b.txt", b"Alpha stands here.", metadata={"k": told})
            kept = await memory.files.get("u", other.id)
            assert kept is not None
            assert repr(again.metadata) == repr(kept.metadata) == repr({"k": told})


async def test_whether_a_file_is_there_is_asked_of_no_other_note(
    db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async with opened(db, tmp_path) as memory:
        kept = [await memory.files.upload("u", f"{n}.txt", b"Alpha.") for n in range(3)]
        await memory.kv.set_many("u", "n", {str(n): n for n in range(20)})
        read = list[str]()
        notes, find = memory._store.notes, memory._store.find

        async def listed(*given: Any, **more: Any) -> Any:
            found = await notes(*given, **more)
            read.extend(note.namespace for note in found)
            return found

        async def found(scope: str, wanted: Any) -> Any:
            assert wanted.kind != "note"
            return await find(scope, wanted)

        monkeypatch.setattr(memory._store, "notes", listed)
        monkeypatch.setattr(memory._store, "find", found)
        assert (await memory.files.upload("u", "1.txt", b"Alpha.")).id == kept[1].id
        assert len(read) == 2, "its own, before and in its turn"
        assert len(await memory.files.list("u")) == 3
        assert set(read) == {"fabula:files"}


async def test_one_file_that_two_memories_keep_at_once_is_one(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory, opened(db, tmp_path) as second:
        for name in map(str, range(8)):
            one, two = await asyncio.gather(*(m.files.upload(name, "a.txt", b"Alpha.") for m in (memory, second)))
            assert one.id == two.id, name
            (kept,) = await memory.files.list(name)
            assert await memory.files.download(name, kept.id) == b"Alpha."
            assert len(await memory.records(name)) == 1
        assert len(on_disk(tmp_path)) == 8
        assert (await memory.files.list("v")) == ()
        assert await memory.check() == []


async def test_filters_come_before_the_best_few(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        for n in range(40):
            await memory.files.add_text("u", f"near{n}.md", f"the garden fence is green {n}", category="near")
        far = [
            await memory.files.add_text("u", f"far{n}", f"a fence, once, long ago {n}", tags=["old", "far"])
            for n in range(5)
        ]
        await memory.remember("u", "the garden fence is green")
        await memory.flush()
        query = "the garden fence is green"
        for wanted in ({"tags": ["far"]}, {"types": ["TXT"]}, {"category": "general"}, {"tags": ["old", "far"]}):
            found = await memory.files.search("u", query, limit=5, **wanted)
            assert {hit.file.id for hit in found} == {file.id for file in far}
        assert await memory.files.search("u", query, tags=["old", "new"]) == ()
        assert len(await memory.files.search("u", query, limit=45)) == 45
        assert await memory.files.search("v", query) == ()
        assert [file.id for file in await memory.files.list("u", types=[".txt"], limit=2, offset=1)] == [
            far[3].id, far[2].id,
        ]  # fmt: skip


@pytest.mark.parametrize(
    "row", ["name | phone\nNora Lind | 555 2368", "姓名 | 电话\n王建国 | 5552368"], ids=["en", "zh"]
)
async def test_rules_make_no_frame_of_a_document(db: str, tmp_path: Path, row: str):
    async with opened(db, tmp_path) as memory:
        await memory.files.add_text("u", "people", row)
        await memory.flush()
        assert await memory.records("u", "frame") == []
        assert {"Nora Lind", "王建国"} & {entity.text for entity in await memory.records("u", "entity")}
        assert [hit.passage.text for hit in await memory.files.search("u", "555 2368 5552368")]


async def test_a_deleted_file_is_gone(db: str, tmp_path: Path):
    async with opened(db, tmp_path, extractor=FakeExtractor(told)) as memory:
        await memory.remember("u", Message("Nora lives in Porto.", speaker="Ines"))
        kept = await memory.files.upload("u", "a.docx", papers.word())
        other = await memory.files.add_text("u", "other", "The fence is green.")
        await memory.flush()
        assert await memory.records("u", "frame", session=FILE_SESSION + kept.id)
        assert await memory.files.delete("u", kept.id)
        assert not await memory.files.delete("u", kept.id)
        assert await memory.files.get("u", kept.id) is None
        assert await memory.records("u", session=FILE_SESSION + kept.id) == []
        found = await memory.recall("u", "Omega last rate 42 EUR", ALL)
        assert not [hit for hit in found.hits if "Omega" in hit.record.text or "Rate" in hit.record.text]
        with pytest.raises(InvalidInput):
            await memory.files.download("u", kept.id)
        assert len(on_disk(tmp_path)) == 1
        again = await memory.files.upload("u", "a.docx", papers.word())
        assert again.passages == kept.passages
        assert (await memory.files.search("u", "Omega last"))[0].file == again
        for file in (again, other):
            await memory.files.delete("u", file.id)
        await memory.flush()
        assert [passage.text for passage in await memory.records("u")] == ["Nora lives in Porto."]
        assert await memory.check() == []
        assert on_disk(tmp_path) == []


@pytest.mark.parametrize("how", ["everything", "session", "ids"])
async def test_forgetting_takes_the_bytes_along(how: str, db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        kept = await memory.files.add_text("u", "a", "Alpha stands here.")
        beside = await memory.files.add_text("v", "a", "Alpha stands here.")
        await memory.flush()
        orphan = FolderBlobs(tmp_path / "blobs")
        note = await memory.get("u", kept.id)
        assert isinstance(note, Note)
        key: str = note.value["blob"]
        asked: dict[str, Any] = {"everything": True, "session": FILE_SESSION + kept.id, "ids": [kept.id]}
        if how == "everything":  # what an upload left that did not come to its end
            await orphan.put(key.partition("/")[0] + "/0000", b"left over")
        forgotten = await memory.forget("u", **{how: asked[how]})
        assert forgotten.rows["files"] == (2 if how == "everything" else 1)
        assert await memory.files.list("u") == ()
        assert (await memory.recall("u", "Alpha", ALL)).hits == ()
        assert await memory.files.download("v", beside.id) == b"Alpha stands here."
        assert len(on_disk(tmp_path)) == 1
        assert await memory.check() == []


@sqlite_alone
async def test_a_blob_that_could_not_be_erased_is_erased_by_the_next_try(db: str, tmp_path: Path):
    class Failing(FolderBlobs):
        fails = True

        async def delete(self, key: str) -> bool:
            if self.fails:
                raise StoreUnavailable("the host is away")
            return await super().delete(key)

    blobs = Failing(tmp_path / "blobs")
    async with opened(db, tmp_path, blobs=blobs) as memory:
        kept = await memory.files.add_text("u", "a", "Alpha stands here.")
        with pytest.raises(StoreUnavailable):
            await memory.files.delete("u", kept.id)
        assert await memory.files.search("u", "Alpha") == ()
        blobs.fails = False
        await memory.files.delete("u", kept.id)
    assert on_disk(tmp_path) == []


@sqlite_alone
async def test_what_was_not_written_is_not_reported(db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    class Full(FolderBlobs):
        async def put(self, key: str, data: bytes) -> None:
            raise StoreUnavailable("the disk is full")

    async with opened(db, tmp_path, blobs=Full(tmp_path / "blobs")) as memory:
        with pytest.raises(StoreUnavailable):
            await memory.files.add_text("u", "a", "Alpha stands here.")
        assert await memory.files.list("u") == ()
        assert await memory.records("u") == []
    async with opened(db, tmp_path) as memory:
        write = memory._store.write  # pyright: ignore[reportPrivateUsage]

        async def broken(*_: Any, **__: Any) -> Any:
            raise StoreUnavailable("gone")

        monkeypatch.setattr(memory._store, "write", broken)  # pyright: ignore[reportPrivateUsage]
        with pytest.raises(StoreUnavailable):
            await memory.files.add_text("u", "a", "Alpha stands here.")
        monkeypatch.setattr(memory._store, "write", write)  # pyright: ignore[reportPrivateUsage]
        assert (await memory.files.list("u"), await memory.records("u")) == ((), [])
        await memory.forget("u", everything=True)
    assert on_disk(tmp_path) == []


async def test_without_extraction_nothing_is_drawn(db: str, tmp_path: Path):
    extractor = FakeExtractor()
    async with opened(db, tmp_path, extractor=extractor) as memory:
        await memory.files.add_text("u", "a", "Alpha stands here.", extract=False)
        await memory.remember("u", Message("Beta went there.", extract=False))
        await memory.flush()
        assert await memory.reextract("u") == 0
        await memory.flush()
        assert not extractor.windows
        assert len(await memory.files.search("u", "Alpha")) == 1
        assert (await memory.stats("u")).pending == {}
        await memory.files.add_text("u", "b", "Gamma stays.")
        await memory.flush()
        assert [passage.text for window in extractor.windows for passage in window] == ["Gamma stays."]


@sqlite_alone
async def test_a_file_is_nobody(db: str, tmp_path: Path):
    """No person, and no one's profile, comes of who "speaks" in a file."""
    async with opened(db, tmp_path) as memory:
        await memory.files.add_text("u", "report.txt", "Quarterly figures are fine.")
        await memory.flush()
        assert [entity.text for entity in await memory.records("u", "entity")] == []


async def test_a_picture_is_kept_with_its_passage(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        kept = await memory.files.upload("u", "IMG_1.png", png(1, 2, 3), caption="a red bicycle")
        bare = await memory.files.upload("u", "IMG_2.png", png(3, 2, 1))
        await memory.flush()
        assert (kept.media, kept.status, kept.passages) == ("image/png", "ready", 1)
        (hit, *_) = await memory.files.search("u", "bicycle")
        assert hit.file == kept
        assert await memory._store.pictures("u", hit.passage.id) == {0: png(1, 2, 3)}  # pyright: ignore[reportPrivateUsage]
        assert await memory.files.download("u", bare.id) == png(3, 2, 1)
        assert await memory.check() == []


@sqlite_alone
async def test_secrets_in_the_text_are_masked(db: str, tmp_path: Path):
    secret = "sk-abcdefghijklmnopqrstuvwxyz0123456789abcd"
    async with opened(db, tmp_path) as memory:
        kept = await memory.files.add_text("u", "keys", f"the key is {secret}", metadata={"key": secret})
        (passage,) = await memory.records("u")
        assert isinstance(passage, Passage)
        assert secret not in passage.text + str(kept.metadata)
        assert secret.encode() in await memory.files.download("u", kept.id)


@sqlite_alone
async def test_the_default_place_is_beside_the_database(db: str, tmp_path: Path):
    async with AsyncMemory(db, embedder=None) as memory:
        await memory.remember("u", "hello")
        assert not Path(f"{db}.files").exists()
        kept = await memory.files.add_text("u", "a", "Alpha")
        assert len([path for path in Path(f"{db}.files").rglob("*") if path.is_file()]) == 1
        assert await memory.files.download("u", kept.id) == b"Alpha"


@pytest.mark.parametrize("db", ["postgres"], indirect=True)
async def test_a_server_has_no_place_beside_it(db: str, tmp_path: Path):
    async with AsyncMemory(db, embedder=None) as memory:
        with pytest.raises(InvalidInput, match="blobs="):
            await memory.files.add_text("u", "a", "Alpha")
        await memory.remember("u", "hello")
        assert await memory.forget("u", everything=True)
    async with opened(db, tmp_path) as memory:
        await memory.files.add_text("u", "a", "Alpha")
    async with AsyncMemory(db, embedder=None) as memory:
        with pytest.raises(InvalidInput, match="blobs="):
            await memory.forget("u", everything=True)
        assert len(await memory.files.list("u")) == 1


@sqlite_alone
async def test_what_cannot_be_meant(db: str, tmp_path: Path):
    wrong: list[dict[str, Any]] = [
        {"data": "text"}, {"tags": "one"}, {"tags": [1]}, {"category": ""}, {"metadata": 5}, {"metadata": {"a": {1}}},
        {"extract": 1}, {"caption": None}, {"scope": " "}, {"scope": None},
    ]  # fmt: skip
    async with opened(db, tmp_path) as memory:
        for one in wrong:
            given = {"scope": "u", "filename": "a.txt", "data": b"Alpha", **one}
            with pytest.raises(InvalidInput):
                await memory.files.upload(**given)
        for limit in (0, 1001, "5"):
            with pytest.raises(InvalidInput):
                await memory.files.search("u", "x", limit=limit)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InvalidInput):
            await memory.files.add_text("u", "a", " ")
        assert await memory.files.search("u", " ") == ()
    assert on_disk(tmp_path) == []


@sqlite_alone
async def test_only_a_file_is_deleted(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        (other,) = (await memory.remember("u", "hello")).ids
        assert other
        assert not await memory.files.delete("u", other)
        assert await memory.files.get("u", other) is None
        assert len(await memory.records("u")) == 1


def test_the_blocking_face(tmp_path: Path):
    with Memory(tmp_path / "memory.db", embedder=None) as memory:
        kept = memory.files.upload("u", "a.md", b"# Alpha\n\nstands here")
        assert memory.files.list("u") == (kept,)
        assert memory.files.get("u", kept.id) == kept
        assert memory.files.search("u", "alpha")[0].heading == "Alpha"
        assert memory.files.download("u", kept.id) == b"# Alpha\n\nstands here"
        assert memory.files.url("u", kept.id).startswith("file:")
        assert memory.files.add_text("u", "b", "Beta").name == "b.txt"
        assert memory.files.delete("u", kept.id)


async def test_nothing_of_a_deleted_file_is_in_any_table(db: str, tmp_path: Path):
    async with opened(db, tmp_path) as memory:
        kept = await memory.files.add_text("u", "quixotic", "The zephyr canary sang.", tags=["magpie"])
        await memory.files.add_text("u", "quixotic", "The zephyr canary sang.", tags=["magpie", "twice"])
        await memory.flush()
        assert [bool(await tables_with(db, word)) for word in ("zephyr", "quixotic", "magpie")] == [True] * 3
        await memory.files.delete("u", kept.id)
        assert [await tables_with(db, word) for word in ("zephyr", "quixotic", "magpie")] == [set()] * 3


class Held(FolderBlobs):
    """Keeps bytes when it is let to, and says that it is about to."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.begun, self.let = asyncio.Event(), asyncio.Event()

    async def put(self, key: str, data: bytes) -> None:
        if data.endswith(b"held"):
            self.begun.set()
            await self.let.wait()
        await super().put(key, data)


@pytest.mark.parametrize("late", [True, False])
async def test_a_file_of_who_is_erased_meanwhile_is_not_said_to_be_kept(db: str, tmp_path: Path, late: bool):
    """Whichever comes first, its bytes or the erasure, nothing of it is left; and nobody else waits for it."""
    blobs = Held(tmp_path / "files")
    async with AsyncMemory(db, embedder=HashEmbedder(), blobs=blobs, background=False) as memory:
        await memory.remember("u", "hello")
        upload = asyncio.create_task(memory.files.upload("u", "a.md", b"the quokka, held"))
        await blobs.begun.wait()
        await asyncio.wait_for(memory.files.upload("v", "b.md", b"of somebody else"), 30)
        if late:
            await memory.forget("u", everything=True)
            blobs.let.set()
        else:
            blobs.let.set()
            await asyncio.sleep(0)
            await memory.forget("u", everything=True)
        told = await asyncio.gather(upload, return_exceptions=True)
        kept = await memory.files.list("u")
        if isinstance(told[0], StoreUnavailable):
            assert len(await blobs.list("")) == 1, "the other one's alone"
        else:
            assert [(await memory.files.download("u", file.id))[:3] for file in kept] in ([], [b"the"])
        assert late <= isinstance(told[0], StoreUnavailable)
        assert await memory.check() == []
