"""`nm.files`: NeuroMemory's names and dicts over the files of a memory; keeps and finds nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from fabula import AsyncMemory, File, FileHit
from fabula.text import identifier

Found: TypeAlias = list[dict[str, Any]]
"""What is listed or found."""


class Files:
    """The files of a user.

    A file is a dict: `id, filename, file_type ("pdf"), media_type, file_size (bytes), title, category, tags, metadata,
    status ("ready", "no_text"), warnings, passages (how many), created_at (ISO 8601)`.
    """

    def __init__(self, memory: AsyncMemory) -> None:
        self._files = memory.files

    async def upload(
        self,
        user_id: str,
        filename: str,
        file_data: bytes,
        category: str = "general",
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        auto_extract: bool = True,
    ) -> dict[str, Any]:
        """Keep a file and make its text, or a picture's `caption` or `alt` in the metadata, part of the memory.

        With `auto_extract` facts and episodes are drawn from it too. The same name and bytes twice are one file.
        Raises a `DocumentError` (a `ValueError`) where it cannot be read; nothing is kept then.
        """
        user_id = identifier(user_id, "user_id")
        given: Mapping[str, Any] = metadata if isinstance(metadata, Mapping) else {}
        words = next((word for name in ("caption", "alt") if isinstance(word := given.get(name), str)), "")
        file = await self._files.upload(
            user_id, filename, file_data, category=category, tags=tags or (), metadata=metadata, caption=words,
            extract=auto_extract,
        )  # fmt: skip
        return _shown(file)

    async def create_from_text(
        self,
        user_id: str,
        title: str,
        content: str,
        category: str = "general",
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        auto_extract: bool = True,
    ) -> dict[str, Any]:
        """Keep a text as a file; `.txt` is added to a title that does not end in `.txt` or `.md`."""
        user_id = identifier(user_id, "user_id")
        file = await self._files.add_text(
            user_id, title, content, category=category, tags=tags or (), metadata=metadata, extract=auto_extract
        )
        return _shown(file)

    async def list(
        self,
        user_id: str,
        category: str | None = None,
        tags: Sequence[str] | None = None,
        file_types: Sequence[str] | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> Found:
        """Return files, the newest first; those with all of `tags`."""
        user_id = identifier(user_id, "user_id")
        found = await self._files.list(
            user_id, types=file_types or (), category=category, tags=tags or (), limit=limit, offset=offset
        )
        return [_shown(file) for file in found]

    async def search(
        self,
        user_id: str,
        query: str,
        limit: int = 5,
        file_types: Sequence[str] | None = None,
        category: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Found:
        """Return the passages of files that matter for `query`, best first.

        Each is a dict: `id, file_id, filename, file_type, category, tags, metadata (the file's), content, page,
        heading, score (0–1), created_at`. Only files that pass the filters are ranked.
        """
        user_id = identifier(user_id, "user_id")
        found = await self._files.search(
            user_id, query, limit=limit, types=file_types or (), category=category, tags=tags or ()
        )
        return [_hit(hit) for hit in found]

    async def get(self, user_id: str, file_id: str) -> dict[str, Any] | None:
        """Return a file; `None` where there is none."""
        user_id = identifier(user_id, "user_id")
        file = await self._files.get(user_id, file_id)
        return None if file is None else _shown(file)

    async def download(self, user_id: str, file_id: str) -> bytes:
        """Return a file's bytes as they were given. Raises a `ValueError` where there is no such file."""
        user_id = identifier(user_id, "user_id")
        return await self._files.download(user_id, file_id)

    async def presigned_url(self, user_id: str, file_id: str, expires_in: int = 3600) -> str:
        """Return an address under which the bytes can be read for so many seconds (of a folder: `file:`, no limit)."""
        user_id = identifier(user_id, "user_id")
        return await self._files.url(user_id, file_id, seconds=expires_in)

    async def delete(self, user_id: str, file_id: str) -> bool:
        """Erase a file with all that was drawn from it, also from the storage; say whether it was there."""
        user_id = identifier(user_id, "user_id")
        return await self._files.delete(user_id, file_id)


def _shown(file: File) -> dict[str, Any]:
    return {
        "id": file.id,
        "filename": file.name,
        "file_type": file.type,
        "media_type": file.media,
        "file_size": file.size,
        "title": file.title,
        "category": file.category,
        "tags": list(file.tags),
        "metadata": dict(file.metadata),
        "status": file.status,
        "warnings": list(file.warnings),
        "passages": file.passages,
        "created_at": file.created.isoformat(),
    }


def _hit(hit: FileHit) -> dict[str, Any]:
    file, images = hit.file, hit.passage.images
    return {
        "id": hit.passage.id,
        "file_id": file.id,
        "filename": file.name,
        "file_type": file.type,
        "category": file.category,
        "tags": list(file.tags),
        "metadata": dict(file.metadata),
        "content": hit.passage.text or next((image.caption or image.name for image in images), ""),
        "page": hit.page,
        "heading": hit.heading,
        "score": hit.score,
        "created_at": file.created.isoformat(),
    }
