"""No test may read the caller's settings or reach the network."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Before anything imports it: a failing assertion of the contract has to show its values.
pytest.register_assert_rewrite("fabula.testing.contract")

PREFIXES = ("LLM_", "OPENAI_", "MM_ENCODER_", "EMBEDDING_", "FABULA_")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


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
