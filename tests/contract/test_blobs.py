"""What each blob store has to do: over a real folder, and over a real S3 host in a process of its own."""

import asyncio
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula import FolderBlobs, InvalidInput, S3Blobs, StoreUnavailable
from fabula.abc import BlobStore
from fabula.providers.blobs import escaped

KEYS = [
    "a/b", "../x", "A", "a", "a_b", "a-b", "a_", "con", "x.txt", ".", "..", "汉/字", "c:\\x", "a\0b",
    "k" * 63 + "1", "k" * 63 + "2",
]  # fmt: skip


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address) as reply:
            return reply.status == 200
    except urllib.error.URLError:
        return False


def fetched(address: str) -> bytes:
    with urllib.request.urlopen(address) as reply:
        return reply.read()


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 host with a bucket `blobs`."""
    program = (
        "import sys; from moto.server import ThreadedMotoServer as S; s = S('127.0.0.1', 0, verbose=False); s.start();"
        "print(s.get_host_and_port()[1], flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as host:
        assert host.stdout is not None
        address = f"http://127.0.0.1:{host.stdout.readline().strip()}"
        until = time.monotonic() + 30
        while not answers(f"{address}/moto-api/data.json"):
            assert time.monotonic() < until
            time.sleep(0.05)
        with urllib.request.urlopen(urllib.request.Request(f"{address}/blobs", method="PUT")):
            yield address
        host.terminate()


@pytest.fixture(params=["folder", pytest.param("s3", marks=pytest.mark.slow)])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "folder":
        return FolderBlobs(tmp_path / "blobs")
    return S3Blobs(request.getfixturevalue("s3"), "key", "secret", "blobs")


async def test_what_is_put_is_there(blobs: BlobStore):
    await blobs.put("u/one", b"first")
    await blobs.put("u/one", b"second")
    await blobs.put("u/empty", b"")
    assert (await blobs.get("u/one"), await blobs.get("u/empty")) == (b"second", b"")
    assert await blobs.delete("u/one")
    assert not await blobs.delete("u/one")
    with pytest.raises(KeyError):
        await blobs.get("u/one")
    assert await blobs.delete("u/empty")


async def test_no_two_keys_are_one(blobs: BlobStore):
    for key in KEYS:
        await blobs.put(key, key.encode())
    assert [await blobs.get(key) for key in KEYS] == [key.encode() for key in KEYS]
    assert sorted(await blobs.list()) == sorted(KEYS)
    for key in KEYS:
        assert await blobs.delete(key)
    assert await blobs.list() == ()


async def test_keys_are_listed_by_their_first_steps(blobs: BlobStore):
    for key in ("u/one", "u/two", "u2/one", "u.x/one"):
        await blobs.put(key, b"")
    assert sorted(await blobs.list("u/")) == ["u/one", "u/two"]
    assert await blobs.list("none/") == ()
    for key in await blobs.list():
        await blobs.delete(key)


async def test_large_bytes(blobs: BlobStore):
    data = os.urandom(1 << 20) * 12
    await blobs.put("large", data)
    assert await blobs.get("large") == data
    assert await blobs.delete("large")


async def test_an_address_gives_the_bytes(blobs: BlobStore):
    await blobs.put("u/汉字 1.txt", "汉字".encode())
    assert await asyncio.to_thread(fetched, await blobs.url("u/汉字 1.txt", 60)) == "汉字".encode()
    for seconds in (0, 7 * 86400 + 1, float("nan")):
        with pytest.raises(InvalidInput):
            await blobs.url("u/汉字 1.txt", seconds)
    await blobs.delete("u/汉字 1.txt")


@pytest.mark.parametrize("key", ["", "/", "a//b", "/etc/x", "a/", "x" * 300])
async def test_keys_that_are_none(key: str, tmp_path: Path):
    with pytest.raises(InvalidInput):
        await FolderBlobs(tmp_path).put(key, b"x")


async def test_nothing_is_put_outside_the_folder(tmp_path: Path):
    blobs = FolderBlobs(tmp_path / "deep" / "blobs")
    for key in KEYS:
        await blobs.put(key, b"x")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == len(KEYS)
    assert all(path.is_relative_to(blobs.path) for path in files)
    assert len({str(path).lower() for path in files}) == len(KEYS)
    for key in KEYS:
        await blobs.delete(key)
    assert list(blobs.path.rglob("*")) == []
    assert escaped("con").startswith("_")


async def test_a_folder_that_cannot_be(tmp_path: Path):
    (tmp_path / "blobs").write_text("a file")
    with pytest.raises(StoreUnavailable):
        await FolderBlobs(tmp_path / "blobs").put("a", b"x")


@pytest.mark.slow
async def test_a_bucket_that_is_not_there(s3: str):
    blobs = S3Blobs(s3, "key", "secret", "none")
    for work in (blobs.put("a", b"x"), blobs.get("a"), blobs.list()):
        with pytest.raises(StoreUnavailable, match="bucket"):
            await work


@pytest.mark.slow
async def test_a_host_that_is_not_there():
    blobs = S3Blobs("http://127.0.0.1:9", "key", "topsecret", "none")
    with pytest.raises(StoreUnavailable) as error:
        await blobs.put("a", b"x")
    assert "topsecret" not in f"{error.value} {blobs!r}"
    assert "\n" not in str(error.value)


@pytest.mark.slow
async def test_the_environment_gives_nothing(s3: str, monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_TOKEN"):
        monkeypatch.setenv(name, "LEAK")
    monkeypatch.setenv("AWS_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")
    monkeypatch.setenv("AWS_REGION", "xx-leak-1")
    blobs = S3Blobs(s3, "key", "secret", "blobs")
    address = await blobs.url("a", 60)
    assert address.startswith(s3)
    assert "X-Amz-Signature" in address
    assert "leak" not in address.lower()


@pytest.mark.parametrize(
    "given",
    [
        ("localhost:9000", "k", "s", "b"),
        ("http://h", "", "s", "b"),
        ("http://h", "k", None, "b"),
        ("ftp://h", "k", "s", "b"),
    ],
)
def test_what_is_no_host(given: tuple[str, str, str, str]):
    with pytest.raises(InvalidInput):
        S3Blobs(*given)


async def test_a_folder_is_opened_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[bool] = []
    real = FolderBlobs._store  # pyright: ignore[reportPrivateUsage]

    def opening(blobs: FolderBlobs) -> Any:
        opened.append(threading.current_thread() is threading.main_thread())
        return real(blobs)

    monkeypatch.setattr(FolderBlobs, "_store", opening)
    await FolderBlobs(tmp_path).put("a", b"1")
    assert await FolderBlobs(tmp_path).get("a") == b"1"
    assert await FolderBlobs(tmp_path).list() == ("a",)
    assert await FolderBlobs(tmp_path).delete("a")
    assert opened == [False] * 4
