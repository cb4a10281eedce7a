"""`nm.files` by its own names and dicts, over a real database, and over storages of a user's own."""

from pathlib import Path

import papers
import pytest

from fabula import AsyncMemory, InvalidInput, Plan
from neuromemory.files import Files
from neuromemory.storage import LocalStorage, ObjectStorage, S3Storage, blobs_of


class Shelf(ObjectStorage):
    """A storage of a user's own."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    async def upload(self, key: str, data: bytes, content_type: str = "") -> None:
        self.kept[key] = data

    async def download(self, key: str) -> bytes:
        if key not in self.kept:
            raise FileNotFoundError(key)
        return self.kept[key]

    async def delete(self, key: str) -> None:
        self.kept.pop(key, None)

    async def get_presigned_url(self, key: str, expires_in: int = 3600) -> str:
        return f"https://shelf/{key}?for={expires_in}"


async def test_the_shapes(tmp_path: Path):
    data = papers.pdf("The warranty ends in June.", "Repairs cost 42 euros.")
    async with AsyncMemory(tmp_path / "memory.db", embedder=None) as memory:
        files = Files(memory)
        made = await files.upload("u", "contract.pdf", data, "legal", ["home"], {"from": "Nora"})
        assert made == {
            "id": made["id"], "filename": "contract.pdf", "file_type": "pdf", "media_type": "application/pdf",
            "file_size": len(data), "title": "", "category": "legal", "tags": ["home"], "metadata": {"from": "Nora"},
            "status": "ready", "warnings": [], "passages": 2, "created_at": made["created_at"],
        }  # fmt: skip
        text = await files.create_from_text("u", "笔记", "修理花了四十二欧元。")
        assert (text["filename"], text["category"]) == ("笔记.txt", "general")
        assert await files.get("u", made["id"]) == made
        assert await files.list("u") == [text, made]
        assert await files.list("u", file_types=["pdf"]) == await files.list("u", category="legal") == [made]
        (hit, *_) = await files.search("u", "what do repairs cost?", file_types=["pdf"])
        assert hit == {
            "id": hit["id"], "file_id": made["id"], "filename": "contract.pdf", "file_type": "pdf", "category": "legal",
            "tags": ["home"], "metadata": {"from": "Nora"}, "content": "Repairs cost 42 euros.", "page": 2,
            "heading": "", "score": hit["score"], "created_at": made["created_at"],
        }  # fmt: skip
        assert (await files.search("u", "修理花了多少"))[0]["file_id"] == text["id"]
        assert await files.download("u", made["id"]) == data
        assert (await files.presigned_url("u", made["id"])).startswith("file:")
        assert await files.delete("u", made["id"]) is True
        assert await files.delete("u", made["id"]) is False
        assert await files.get("u", made["id"]) is None
        assert not [
            one
            for one in (await memory.recall("u", "warranty repairs", Plan(limit=50))).hits
            if "42" in one.record.text
        ]


async def test_a_picture_is_found_by_what_its_metadata_say(tmp_path: Path):
    from pictures import png

    async with AsyncMemory(tmp_path / "memory.db", embedder=None) as memory:
        files = Files(memory)
        await files.upload("u", "IMG_1.png", png(1, 2, 3), metadata={"alt": "a red bicycle"})
        (hit,) = await files.search("u", "bicycle", file_types=["png"])
        assert hit["content"] == "a red bicycle"


async def test_a_user_with_a_document_is_forgotten_whole(tmp_path: Path):
    shelf = Shelf()
    async with AsyncMemory(tmp_path / "memory.db", embedder=None, blobs=blobs_of(shelf)) as memory:
        files = Files(memory)
        made = await files.create_from_text("u", "a", "Alpha stands here.")
        kept = await files.create_from_text("v", "a", "Alpha stands here.")
        assert len(shelf.kept) == 2
        assert "for=60" in await files.presigned_url("u", made["id"], 60)
        assert await memory.forget("u", everything=True)
        assert list(shelf.kept.values()) == [b"Alpha stands here."]
        assert await files.delete("v", kept["id"])
        assert not await files.delete("v", kept["id"])
        assert not shelf.kept


async def test_a_local_storage(tmp_path: Path):
    storage = LocalStorage(tmp_path / "store")
    assert await storage.upload("u/../../x", b"bytes", "text/plain") == "u/../../x"
    assert await storage.download("u/../../x") == b"bytes"
    assert (await storage.get_presigned_url("u/../../x")).startswith((tmp_path / "store").as_uri())
    assert await storage.delete("u/../../x")
    with pytest.raises(KeyError):
        await storage.download("u/../../x")


def test_what_is_no_storage():
    with pytest.raises(InvalidInput):
        blobs_of("folder")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidInput):
        S3Storage("localhost", "", "", "")
