"""Where the bytes of files are kept: a folder, or a bucket of an S3 host, by obstore; knows no file and no scope."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fabula.abc import Store
from fabula.checking import within
from fabula.errors import InvalidInput, StoreUnavailable
from fabula.stores import SQLiteStore

if TYPE_CHECKING:
    from obstore.store import LocalStore, S3Store

T = TypeVar("T")
LONGEST: Final = 200
"""Bytes of one step of a path: file systems take 255."""
PATIENCE: Final = timedelta(seconds=20)
"""How long a host that does not answer is asked again."""
_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-")
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


class FolderBlobs:
    """Bytes in the files of a folder, which is made when the first is put there.

    A key is never a path: what leads out of a folder, differs by letter case only or is no name on some system is
    escaped. What is put is on the disk when `put` returns.
    """

    def __init__(self, path: str | Path) -> None:
        self.path: Final = Path(path).absolute()
        self._held: LocalStore | None = None

    def _store(self) -> LocalStore:
        from obstore.store import LocalStore

        if self._held is None:
            self._held = LocalStore(self.path, mkdir=True, automatic_cleanup=True)
        return self._held

    def _file(self, key: str) -> Path:
        return self.path / escaped(key)

    async def put(self, key: str, data: bytes) -> None:
        path = self._file(key)
        await _done(self._put(escaped(key), data), str(self.path))
        await _done(asyncio.to_thread(_settle, path), str(self.path))

    async def _put(self, place: str, data: bytes) -> None:
        import obstore

        await obstore.put_async(await asyncio.to_thread(self._store), place, data)

    async def get(self, key: str) -> bytes:
        if not await asyncio.to_thread(self._file(key).is_file):
            raise KeyError(key)
        return await _got(await asyncio.to_thread(self._store), key, str(self.path))

    async def delete(self, key: str) -> bool:
        if not await asyncio.to_thread(self._file(key).is_file):
            return False
        return await _deleted(await asyncio.to_thread(self._store), key, str(self.path))

    async def list(self, prefix: str = "") -> tuple[str, ...]:
        if not await asyncio.to_thread(self.path.is_dir):
            return ()
        return await _listed(await asyncio.to_thread(self._store), prefix, str(self.path))

    async def url(self, key: str, seconds: float = 3600) -> str:
        within("seconds", seconds, 1, WEEK, kind=float)
        return self._file(key).as_uri()


WEEK: Final = 7 * 86400
"""Seconds an address with a signature holds at most: S3 allows no more."""


class S3Blobs:
    """Bytes in a bucket of an S3 host (AWS, MinIO, OBS …), which has to be there.

    `endpoint` is the host's address, `https://…` or, without encryption, `http://…`. Only what is given here is
    used: no default credentials, no profile, nothing of the environment.
    """

    def __init__(self, endpoint: str, access_key: str, secret_key: str, bucket: str, region: str = "us-east-1") -> None:
        given = {"access_key": access_key, "secret_key": secret_key, "bucket": bucket, "region": region}
        for name, value in given.items():
            if not isinstance(value, str) or not value.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidInput(f"an S3 store needs its {name}")
        if not isinstance(endpoint, str) or not re.fullmatch(r"https?://[^\s/]+/?", endpoint):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("an S3 store's endpoint is an address such as http://localhost:9000")
        self.endpoint: Final = endpoint.rstrip("/")
        self.bucket: Final = bucket
        self.region: Final = region
        self._keys = access_key, secret_key
        self._held: S3Store | None = None

    def __repr__(self) -> str:
        return f"S3Blobs({self.endpoint!r}, bucket={self.bucket!r})"

    def _store(self) -> S3Store:
        from obstore.store import S3Store

        if self._held is None:
            access, secret = self._keys
            self._held = S3Store(
                self.bucket,
                endpoint=self.endpoint,
                region=self.region,
                # Handed over by a function, since what is not an argument is looked for in the environment: a session
                # token of somebody else's would be added to these keys.
                credential_provider=lambda: {
                    "access_key_id": access, "secret_access_key": secret, "token": None, "expires_at": None,
                },
                skip_signature=False,
                virtual_hosted_style_request=False,
                client_options={"allow_http": True},
                retry_config={"max_retries": 3, "retry_timeout": PATIENCE},
            )  # fmt: skip
        return self._held

    async def put(self, key: str, data: bytes) -> None:
        import obstore

        await _done(obstore.put_async(await asyncio.to_thread(self._store), escaped(key), data), repr(self))

    async def get(self, key: str) -> bytes:
        return await _got(await asyncio.to_thread(self._store), key, repr(self))

    async def delete(self, key: str) -> bool:
        return await _deleted(await asyncio.to_thread(self._store), key, repr(self))

    async def list(self, prefix: str = "") -> tuple[str, ...]:
        return await _listed(await asyncio.to_thread(self._store), prefix, repr(self))

    async def url(self, key: str, seconds: float = 3600) -> str:
        import obstore

        within("seconds", seconds, 1, WEEK, kind=float)
        return obstore.sign(self._store(), "GET", escaped(key), timedelta(seconds=seconds))


def beside(store: Store) -> FolderBlobs | None:
    """Return the folder `<database>.files` beside a SQLite file; `None` for a store that is no file."""
    return FolderBlobs(f"{store.path}.files") if isinstance(store, SQLiteStore) else None


# --- keys --------------------------------------------------------------------------------------------------------


def escaped(key: str) -> str:
    """Return a key as a path of steps that are names everywhere: what else is in it stands as `_` and hexadecimal.

    A step that is not the last ends in `_`, so that `a` and `a/b` can both be: one a file, the other in a folder.
    Raises `InvalidInput` for a blank step and for one that is too long.
    """
    steps = [_step(step) for step in key.split("/")] if isinstance(key, str) else [""]  # pyright: ignore[reportUnnecessaryIsInstance]
    if not all(steps) or max(map(len, steps)) > LONGEST:
        raise InvalidInput(f"a blob's key is of steps of 1 to {LONGEST} bytes with / between them, not {key!r:.80}")
    return "_/".join(steps)


def _step(step: str) -> str:
    data = step.encode("utf-8", "surrogatepass")
    named = _RESERVED.fullmatch(step) is not None
    return "".join(
        chr(byte)
        if (byte in _PLAIN or (byte == ord(".") and 0 < place < len(data) - 1)) and not (named and place == 0)
        else f"_{byte:02x}"
        for place, byte in enumerate(data)
    )


def _unescaped(place: str) -> str:
    key = place.replace("_/", "/").encode()
    data = re.sub(rb"_([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), key)
    return data.decode("utf-8", "surrogatepass")


# --- what both do --------------------------------------------------------------------------------------------------


async def _got(store: Any, key: str, where: str) -> bytes:
    import obstore

    async def read() -> bytes:
        return bytes(await (await obstore.get_async(store, escaped(key))).bytes_async())

    try:
        return await _done(read(), where)
    except FileNotFoundError:
        raise KeyError(key) from None


async def _deleted(store: Any, key: str, where: str) -> bool:
    import obstore

    place = escaped(key)
    try:
        await _done(obstore.head_async(store, place), where)
        await _done(obstore.delete_async(store, place), where)
    except FileNotFoundError:
        return False
    return True


async def _listed(store: Any, prefix: str, where: str) -> tuple[str, ...]:
    """Every key that begins with `prefix`, which ends in / or is empty."""
    import obstore

    async def read() -> list[str]:
        # obstore takes whole steps of a path for a prefix.
        place = f"{escaped(prefix.rstrip('/'))}_" if prefix else None
        pages: Any = obstore.list(store, place)  # pyright: ignore[reportUnknownMemberType]
        return [_unescaped(one["path"]) async for page in pages for one in page]

    return tuple(await _done(read(), where))


async def _done(work: Awaitable[T], where: str) -> T:
    """Wait for what a host does; what it cannot do is a `StoreUnavailable`, what it does not have an error as it is."""
    from obstore.exceptions import BaseError

    try:
        return await work
    except FileNotFoundError as error:
        if "NoSuchBucket" in str(error):
            raise StoreUnavailable(f"{where}: there is no such bucket") from None
        raise
    except (BaseError, OSError) as error:
        said = " ".join(str(error).split("\n", 1)[0].split())
        raise StoreUnavailable(f"{where}: the bytes of files cannot be reached: {said:.200}") from None


def _settle(path: Path) -> None:
    """Bring a file and its name to the disk."""
    for one, flags in ((path, os.O_RDONLY), (path.parent, os.O_RDONLY)):
        if os.name == "nt" and one is not path:  # a folder cannot be opened there
            continue
        handle = os.open(one, flags)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
