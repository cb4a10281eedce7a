"""Where uploaded files lie, as NeuroMemory names it, and the way from there to a blob store; keeps nothing itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from fabula import FolderBlobs, InvalidInput, S3Blobs
from fabula.abc import BlobStore

BYTES = "application/octet-stream"


class ObjectStorage(ABC):
    """Keeps the bytes of files under keys. Subclass it for a place of your own."""

    @abstractmethod
    async def upload(self, key: str, data: bytes, content_type: str = BYTES) -> str | None:
        """Store `data` under `key`, replacing what was there; what is returned is not looked at."""

    @abstractmethod
    async def download(self, key: str) -> bytes:
        """Return the bytes under `key`; raises `KeyError` or `FileNotFoundError`."""

    @abstractmethod
    async def delete(self, key: str) -> bool | None:
        """Remove `key`; `False` where it was not there."""

    @abstractmethod
    async def get_presigned_url(self, key: str, expires_in: int = 3600) -> str:
        """Return an address under which the bytes can be read for so many seconds."""


class _Kept(ObjectStorage):
    """A storage over a blob store of fabula's."""

    def __init__(self, blobs: BlobStore) -> None:
        self.blobs = blobs

    async def upload(self, key: str, data: bytes, content_type: str = BYTES) -> str:
        """Store `data` under `key` and return the key."""
        del content_type  # the type of a file is in its record
        await self.blobs.put(key, data)
        return key

    async def download(self, key: str) -> bytes:
        """Return the bytes under `key`; raises `KeyError`."""
        return await self.blobs.get(key)

    async def delete(self, key: str) -> bool:
        """Remove `key`; return whether it was there."""
        return await self.blobs.delete(key)

    async def get_presigned_url(self, key: str, expires_in: int = 3600) -> str:
        """Return an address under which the bytes can be read for so many seconds."""
        return await self.blobs.url(key, expires_in)


class LocalStorage(_Kept):
    """Files in a folder, which is made with the first. Addresses are `file:` ones and do not expire."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(FolderBlobs(path))


class S3Storage(_Kept):
    """Files in a bucket of an S3 host (AWS, MinIO, OBS); the bucket has to be there, and no default keys are used."""

    def __init__(self, endpoint: str, access_key: str, secret_key: str, bucket: str, region: str = "us-east-1") -> None:
        super().__init__(S3Blobs(endpoint, access_key, secret_key, bucket, region))


def blobs_of(storage: ObjectStorage) -> BlobStore:
    """Return the blob store of a storage: what `AsyncMemory(blobs=…)` takes."""
    if isinstance(storage, _Kept):
        return storage.blobs
    if not isinstance(storage, ObjectStorage):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"storage is an ObjectStorage, not {type(storage).__name__}")
    return _Blobs(storage)


class _Blobs:
    """A user's storage as a blob store. It cannot say what it holds."""

    def __init__(self, storage: ObjectStorage) -> None:
        self._storage = storage

    async def put(self, key: str, data: bytes) -> None:
        await self._storage.upload(key, data)

    async def get(self, key: str) -> bytes:
        try:
            return await self._storage.download(key)
        except FileNotFoundError:
            raise KeyError(key) from None

    async def delete(self, key: str) -> bool:
        return await self._storage.delete(key) is not False

    async def list(self, prefix: str = "") -> tuple[str, ...]:
        del prefix
        return ()

    async def url(self, key: str, seconds: float = 3600) -> str:
        return await self._storage.get_presigned_url(key, int(seconds))
