"""The files of a blocking memory; knows only the facade it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.blocking.calls import Call
from fabula.files import Files
from fabula.types import File, FileHit


class BlockingFiles:
    """The files of a memory, without `await`: `Memory.files`; see `fabula.files.Files` for every argument."""

    def __init__(self, facade: Files, call: Call) -> None:
        self._files = facade
        self._call = call

    def upload(
        self,
        scope: str,
        filename: str,
        data: bytes,
        *,
        category: str = "general",
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        caption: str = "",
        extract: bool = True,
    ) -> File:
        """Keep a file and make passages of its text."""
        work = self._files.upload(
            scope, filename, data, category=category, tags=tags, metadata=metadata, caption=caption, extract=extract
        )
        return self._call("files.upload", work)

    def add_text(
        self,
        scope: str,
        filename: str,
        text: str,
        *,
        category: str = "general",
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        extract: bool = True,
    ) -> File:
        """Keep a text as a file."""
        work = self._files.add_text(
            scope, filename, text, category=category, tags=tags, metadata=metadata, extract=extract
        )
        return self._call("files.add_text", work)

    def list(
        self,
        scope: str,
        *,
        types: Sequence[str] = (),
        category: str | None = None,
        tags: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[File, ...]:
        """Return files, the newest first."""
        work = self._files.list(scope, types=types, category=category, tags=tags, limit=limit, offset=offset)
        return self._call("files.list", work)

    def search(
        self,
        scope: str,
        query: str,
        *,
        limit: int = 5,
        types: Sequence[str] = (),
        category: str | None = None,
        tags: Sequence[str] = (),
    ) -> tuple[FileHit, ...]:
        """Return the passages of files that matter for `query`, best first."""
        work = self._files.search(scope, query, limit=limit, types=types, category=category, tags=tags)
        return self._call("files.search", work)

    def get(self, scope: str, file_id: str) -> File | None:
        """Return a file by id."""
        return self._call("files.get", self._files.get(scope, file_id))

    def download(self, scope: str, file_id: str) -> bytes:
        """Return a file's bytes."""
        return self._call("files.download", self._files.download(scope, file_id))

    def url(self, scope: str, file_id: str, *, seconds: float = 3600) -> str:
        """Return an address of a file's bytes."""
        return self._call("files.url", self._files.url(scope, file_id, seconds=seconds))

    def delete(self, scope: str, file_id: str) -> bool:
        """Erase a file."""
        return self._call("files.delete", self._files.delete(scope, file_id))
