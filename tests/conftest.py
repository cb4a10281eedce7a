"""No test may read the caller's settings or reach the network."""

import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from engines import Nowhere
from server import Databases, Server, require

from fabula import Memory

# Before anything imports it: a failing assertion of the contract has to show its values.
pytest.register_assert_rewrite("fabula.testing.contract")

PREFIXES = ("LLM_", "OPENAI_", "MM_ENCODER_", "EMBEDDING_", "FABULA_", "SEEM_")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let each of several workers begin with its part of what is slow: nobody waits for it when all else is done."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    slow = [item for item in items if item.get_closest_marker("slow")]
    others = [item for item in items if not item.get_closest_marker("slow")]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        ordered += slow[worker::workers]
        rest = max(len(items) * (worker + 1) // workers - len(ordered), 0)
        ordered += others[:rest]
        del others[:rest]
    items[:] = ordered


class NetworkForbidden(RuntimeError):
    """A test tried to reach another machine. Not an OSError: nothing must take it for a host that is down."""


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().startswith(PREFIXES) or name.upper() in PROXIES:
            monkeypatch.delenv(name)


def _at_home(host: Any) -> bool:
    if isinstance(host, bytes):
        host = host.decode()
    return host in (None, "", "localhost", "::1", "0.0.0.0") or str(host).startswith("127.")


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    def guarded(call: Any, name: str) -> Any:
        def connect(self: socket.socket, address: Any) -> Any:
            if self.family != getattr(socket, "AF_UNIX", None) and not _at_home(address[0]):
                raise NetworkForbidden(f"a test called {name} for {address!r}")
            return call(self, address)

        return connect

    def guarded_lookup(call: Any, name: str) -> Any:
        def look_up(host: Any, *args: Any, **options: Any) -> Any:
            if not _at_home(host[0] if isinstance(host, tuple) else host):
                raise NetworkForbidden(f"a test called {name} for {host!r}")
            return call(host, *args, **options)

        return look_up

    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex"):
            patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name), name))
        for name in ("create_connection", "getaddrinfo"):
            patch.setattr(socket, name, guarded_lookup(getattr(socket, name), name))
        yield


@pytest.fixture
def shared() -> Path:
    """The folder of reference material beside the repository; a test that needs it is skipped without it."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the reference material is not here")
    return folder


# Read here, because no test finds it in its environment: the URL of somebody who may create databases on a server.
POSTGRES = os.environ.get("FABULA_TEST_PG_URL")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Databases]:
    """The PostgreSQL of this test run: that of FABULA_TEST_PG_URL, or one of its own, started when first asked for."""
    require(POSTGRES)
    with nullcontext(Databases(POSTGRES)) if POSTGRES else Server() as server:
        yield server


@pytest.fixture
def empty_postgres_url(postgres_server: Databases) -> Iterator[str]:
    """The URL of a new, empty database, which is dropped after the test."""
    with postgres_server.database() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template(postgres_server: Databases) -> Iterator[str]:
    """The name of a database with the schema and nothing else, to be copied: that is quicker than making it again."""
    name = postgres_server.create()
    Memory(postgres_server.url(name), embedder=None, background=False).open().close()
    yield name
    postgres_server.drop(name)


@pytest.fixture(scope="session")
def _spare(postgres_server: Databases) -> Iterator[list[str]]:
    """Databases that a test left as good as new: emptying one is far quicker than making it."""
    names: list[str] = []
    yield names
    for name in names:
        postgres_server.drop(name)


@pytest.fixture(scope="session")
def _shape(postgres_server: Databases, postgres_template: str) -> Any:
    return postgres_server.shape(postgres_template)


@pytest.fixture
def postgres_url(postgres_server: Databases, postgres_template: str, _shape: Any, _spare: list[str]) -> Iterator[str]:
    """The URL of a memory without anything in it, for this test alone."""
    name = _spare.pop() if _spare else postgres_server.create(template=postgres_template)
    yield postgres_server.url(name)
    if postgres_server.emptied(name, shape=_shape):
        _spare.append(name)
    else:
        postgres_server.drop(name)


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a test's memory is kept: each test that asks for it runs on both engines."""
    return str(tmp_path / "memory.db") if request.param == "sqlite" else request.getfixturevalue("postgres_url")


@pytest.fixture(params=["sqlite", "postgres"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Another database, to copy to."""
    if request.param == "sqlite":
        yield str(tmp_path / "other.db")
        return
    server, template = (request.getfixturevalue(name) for name in ("postgres_server", "postgres_template"))
    name = server.create(template=template)
    yield server.url(name)
    server.drop(name)


@pytest.fixture(params=["sqlite"])
def file(tmp_path: Path) -> Path:
    """For what is about the file itself."""
    return tmp_path / "memory.db"


@pytest.fixture(params=["sqlite", "postgres"])
def nowhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Nowhere]:
    """Where no memory can be, until the test makes it possible."""
    if request.param == "sqlite":
        folder = tmp_path / "later"
        yield Nowhere(str(folder / "memory.db"), folder.mkdir)
        return
    server: Databases = request.getfixturevalue("postgres_server")
    made: list[str] = []
    name = f"later_{uuid.uuid4().hex}"
    yield Nowhere(server.url(name), lambda: made.append(server.create(name)))
    for database in made:
        server.drop(database)
