"""The commands that look after databases: what they say, how they end, and what a worker does while it runs."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from commands import Fabula, Ran, python
from engines import sql

from fabula import Memory, Message, ProviderUnavailable, processes
from fabula.abc import Embedder
from fabula.cli import main
from fabula.stores import open_store
from fabula.testing import FakeClock, HashEmbedder

# What is refused before a database is opened is the same whichever it is.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)
postgres_alone = pytest.mark.parametrize("db", ["postgres"], indirect=True)
both_ways = pytest.mark.parametrize(
    ("db", "other"),
    [("sqlite", "sqlite"), ("sqlite", "postgres"), ("postgres", "sqlite"), ("postgres", "postgres")],
    indirect=True,
)
SERVERS = ["distribute", "secure", "hnsw"]
"""The commands that only a PostgreSQL database knows."""


@pytest.fixture
def fabula(capsys: pytest.CaptureFixture[str]) -> Fabula:
    """Run the command line in this process, with a model that is quick."""

    def run(*argv: str, embedder: Embedder | None = None) -> Ran:
        capsys.readouterr()
        code = main(argv, models=lambda name: None if name == "none" else embedder or HashEmbedder())
        caught = capsys.readouterr()
        return Ran(code, caught.out, caught.err)

    return run


@pytest.fixture(params=["sqlite", "postgres"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Another database, of which nothing is there yet."""
    if request.param == "sqlite":
        yield str(tmp_path / "other.db")
        return
    with request.getfixturevalue("postgres_server").database() as url:
        yield url


def failed(ran: Ran, code: int = 1) -> str:
    """The one line an error is told in."""
    assert ran.code == code, ran
    assert ran.out == ""
    (line,) = ran.err.splitlines()
    assert line.startswith("fabula: ")
    return line.removeprefix("fabula: ")


def texts(scope: str, count: int = 2) -> list[str]:
    return [f"{scope} saw a heron at {hour} o'clock; 苍鹭 {hour}" for hour in range(count)]


def left(db: str, *scopes: str, count: int = 2, work: bool = True) -> None:
    """What another process has written; without `work`, all has been done that follows a write."""
    # Long ago: every session has been quiet since.
    options: dict[str, Any] = {"embedder": HashEmbedder(), "background": False, "clock": FakeClock("2024-03-01")}
    with Memory(db, **options) as memory:
        for scope in scopes:
            memory.remember(
                scope, [Message(text, session=f"{at // 16}") for at, text in enumerate(texts(scope, count))]
            )
        if not work:
            assert memory.flush().pending == 0


def hold(db: str, scope: str, name: str) -> None:
    """Let a process of that name hold the work of a scope for the next hour."""

    async def run() -> None:
        store = open_store(db)
        await store.open()
        assert await store.lease(name, ["embed"], datetime.now(UTC), 3600, scope=scope)
        await store.close()

    asyncio.run(run())


def pending(db: str) -> int:
    return sql(db, "SELECT count(*) FROM pending")[0][0]


def until(what: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for another process to get somewhere; how long that takes is not what is tested."""
    deadline = time.monotonic() + 60
    while not what():
        assert process is None or process.poll() is None, "it has ended"
        assert time.monotonic() < deadline
        time.sleep(0.05)


# --- help and refusals -------------------------------------------------------------------------------------------


class TestHelp:
    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            (["copy"], ["SRC", "DST", "--scope", "--json", "A scope is there as a whole or not at all"]),
            (["worker"], ["--db", "--embedder", "--parallel", "--once", "--verbose", "SIGTERM"]),
            (["reembed"], ["--db", "--embedder", "--scope", "--json"]),
            (["db"], ["upgrade", "check", "distribute", "secure", "hnsw"]),
            (["db", "upgrade"], ["--db", "FABULA_DB", "Bring the schema up to date"]),
            (["db", "check"], ["--db", "--scope"]),
            (["db", "distribute"], ["--db", "--shards", "Citus"]),
            (["db", "secure"], ["--db", "--app", "--worker", "--off"]),
            (["db", "hnsw"], ["--db", "--scope", "--drop", "50,000"]),
        ],
        ids=" ".join,
    )
    def test_it_says_what_there_is(self, fabula: Fabula, argv: list[str], said: list[str]) -> None:
        ran = fabula(*argv, "--help")
        assert (ran.code, ran.err) == (0, "")
        told = " ".join(ran.out.split())
        assert [one for one in said if one not in told] == []

    def test_the_commands_are_listed(self, fabula: Fabula) -> None:
        assert [name for name in ("copy", "worker", "reembed", "db") if f"  {name} " not in fabula().out] == []

    def test_a_group_alone_lists_its_commands(self, fabula: Fabula) -> None:
        ran = fabula("db")
        assert (ran.code, ran.err) == (0, "")
        assert [line.split()[0] for line in ran.lines[-5:]] == ["upgrade", "check", *SERVERS]

    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            (["copy", "a.db"], "DST"),
            (["worker"], "--db"),
            (["worker", "--db", "x.db", "--parallel", "0"], "--parallel"),
            (["db", "nope"], "No such command 'nope'"),
            (["db", "check"], "--db"),
            (["db", "distribute", "--db", "x.db", "--shards", "0"], "--shards"),
            (["db", "hnsw", "--db", "x.db"], "--scope"),
        ],
    )
    def test_a_wrong_call_is_told_in_one_line(
        self, fabula: Fabula, argv: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        line = failed(fabula(*argv), 2)
        assert said in line
        assert "--help)" in line
        assert list(tmp_path.iterdir()) == []


def call(command: str, db: str) -> list[str]:
    """A right call of a command of `fabula db`, as far as it goes without a database."""
    more = {"secure": ["--app", "a", "--worker", "b"], "hnsw": ["--scope", "u"]}.get(command, [])
    return ["db", command, "--db", db, *more]


class TestRefusals:
    @sqlite_alone
    @pytest.mark.parametrize(
        ("command", "more"),
        [*((command, []) for command in SERVERS), ("secure", ["--off"]), ("hnsw", ["--drop"])],
    )
    def test_what_sqlite_does_not_know(self, fabula: Fabula, db: str, command: str, more: list[str]) -> None:
        left(db, "u")
        before = Path(db).read_bytes()
        assert failed(fabula(*call(command, db), *more)) == "this is for a PostgreSQL database: --db postgresql://…"
        assert Path(db).read_bytes() == before

    @pytest.mark.parametrize("command", ["upgrade", "check", *SERVERS])
    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("", "a memory needs a path or a database URL"),
            ("mongodb://ann:s3cret@h/d", "no store for mongodb:// URLs"),
            ("postgresql://ann:s3cret@h:port/d", "the database URL cannot be read"),
            ("postgresql://ann:s3cret@h/d?schema=A-B", "schema in the database URL is a plain name in lower case"),
        ],
    )
    def test_what_is_no_database(self, fabula: Fabula, command: str, url: str, said: str) -> None:
        line = failed(fabula(*call(command, url)))
        assert said in line
        assert "s3cret" not in line

    @pytest.mark.parametrize("command", ["upgrade", "check", *SERVERS])
    def test_a_server_that_is_not_there(self, fabula: Fabula, command: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        line = failed(fabula(*call(command, f"postgresql://ann:s3cret@127.0.0.1:{port}/d")))
        assert line.startswith(f"postgresql://127.0.0.1:{port}/d: [Errno ")

    @postgres_alone
    @pytest.mark.parametrize("command", ["upgrade", "check", *SERVERS])
    def test_a_database_that_is_not_there(self, fabula: Fabula, db: str, command: str) -> None:
        line = failed(fabula(*call(command, f"{db}_not")))
        assert line.endswith('_not" does not exist')
        assert line.startswith("postgresql://")

    def test_what_a_model_is_called(self, fabula: Fabula, tmp_path: Path) -> None:
        assert main(["worker", "--once", "--db", str(tmp_path / "x.db"), "--embedder", "huge"]) == 1
        assert not (tmp_path / "x.db").exists()

    @pytest.mark.parametrize(
        "argv",
        [
            ["copy", "{db}", "postgresql://h/d"],
            ["copy", "postgresql://h/d", "{db}"],
            ["worker", "--once", "--embedder", "none", "--db", "postgresql://h/d"],
            ["reembed", "--embedder", "none", "--db", "postgresql://h/d"],
            *(call(command, "postgresql://h/d") for command in ("upgrade", "check", *SERVERS)),
            ["db", "secure", "--off", "--db", "postgresql://h/d"],
        ],
        ids=" ".join,
    )
    def test_a_machine_without_the_driver(
        self, fabula: Fabula, argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        db = tmp_path / "x.db"
        left(str(db), "u")
        monkeypatch.setitem(sys.modules, "asyncpg", None)
        line = failed(fabula(*(one.format(db=db) for one in argv)))
        assert line == "a memory in PostgreSQL needs an optional dependency: pip install 'fabula[postgres]'"

    def test_without_the_driver_a_file_is_as_good_as_ever(self, tmp_path: Path) -> None:
        code = (
            "import sys; sys.modules['asyncpg'] = None; from fabula.cli import main; db = sys.argv[1]\n"
            "for argv in (['db', 'upgrade', '--db', db], ['db', 'check', '--db', db], ['copy', db, f'{db}.2'],\n"
            "             ['worker', '--once', '--embedder', 'none', '--db', db]): assert main(argv) == 0, argv"
        )
        db = str(tmp_path / "x.db")
        left(db, "u")
        done = subprocess.run([sys.executable, "-c", code, db], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


# --- the worker --------------------------------------------------------------------------------------------------

WORKER = """
import asyncio, sys
import fabula.background, fabula.memory
from fabula import ProviderUnavailable
from fabula.cli import main
from fabula.extractors import RuleExtractor
from fabula.testing import HashEmbedder

class Failing(RuleExtractor):
    async def extract(self, window, context=()):
        raise ProviderUnavailable("the model is down")

class Telling(RuleExtractor):
    async def extract(self, window, context=()):
        print("extracting", *(passage.id for passage in window), flush=True)
        await asyncio.sleep(0.005)
        return await super().extract(window, context)

class Hanging(HashEmbedder):
    async def embed(self, texts, role):
        print("embedding", file=sys.stderr, flush=True)
        await asyncio.sleep(1000)

fabula.background.POLL = 0.2
how = sys.argv.pop(1)
fabula.memory.RuleExtractor = {"failing": Failing, "telling": Telling}.get(how, RuleExtractor)
sys.exit(main(["worker", *sys.argv[1:]], models=lambda _: Hanging() if how == "hanging" else HashEmbedder()))
"""


def worker(db: str, *argv: str, how: str = "") -> AbstractContextManager[subprocess.Popen[str]]:
    return python(WORKER, how, "--db", db, *argv, stderr=subprocess.PIPE)


def ended(process: subprocess.Popen[str]) -> Ran:
    out, err = process.communicate(timeout=60)
    return Ran(process.returncode, out, err)


def at_work(process: subprocess.Popen[str]) -> None:
    assert process.stderr
    assert process.stderr.readline() == "fabula: at work; Ctrl-C ends it\n"


def assert_understood(db: str, *scopes: str, count: int = 2) -> None:
    """Everything was embedded and extracted, each message in one frame."""
    with Memory(db, embedder=HashEmbedder(), background=False) as memory:
        assert memory.stats().pending == {}
        assert memory.scopes() == sorted(scopes)
        for scope in scopes:
            passages = memory.records(scope)
            assert [passage.text for passage in passages] == texts(scope, count)
            frames = memory.records(scope, "frame")
            assert len(frames) == -(-count // 8)
            assert Counter(source for frame in frames for source in frame.sources) == {one.id: 1 for one in passages}
            assert not memory.recall(scope, "heron").degraded
        assert memory.check() == []


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
class TestWorker:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_it_does_what_others_leave_until_it_is_told_to_end(self, db: str, number: signal.Signals) -> None:
        left(db, "u", "用户")
        with worker(db) as process:
            at_work(process)
            until(lambda: pending(db) == 0, process)
            left(db, "later")
            until(lambda: pending(db) == 0, process)
            process.send_signal(number)
            ran = ended(process)
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        assert_understood(db, "later", "u", "用户")

    def test_it_ends_at_once_in_the_middle_of_its_work_and_leaves_it_to_the_next(self, db: str) -> None:
        left(db, "u")
        with worker(db, how="hanging") as process:
            at_work(process)
            assert process.stderr
            assert process.stderr.readline() == "embedding\n"
            process.send_signal(signal.SIGTERM)
            # Not a matter of speed: by itself it would end after a thousand seconds.
            assert ended(process).code == 0
        assert pending(db) == 4
        assert sql(db, "SELECT * FROM leases") == []
        with worker(db, "--once") as process:
            assert ended(process).code == 0
        assert_understood(db, "u")

    @pytest.mark.parametrize("before", ["left", "empty"])
    def test_once_it_ends_when_all_is_done(self, db: str, before: str) -> None:
        scopes = ["u", "用户"] if before == "left" else []
        left(db, *scopes)
        with worker(db, "--once") as process:
            assert ended(process) == Ran(0, "left to do 0, failed 0\n", "")
        assert_understood(db, *scopes)

    @pytest.mark.parametrize("parallel", ["1", pytest.param("3", marks=pytest.mark.slow)])
    def test_two_at_once_do_each_thing_once(self, db: str, parallel: str) -> None:
        scopes = [f"user {n:02}" for n in range(12)]
        left(db, *scopes, count=40)
        more = ("--parallel", parallel)
        with worker(db, *more, how="telling") as one, worker(db, *more, how="telling") as two:
            for process in (one, two):
                at_work(process)
            until(lambda: pending(db) == 0, one)
            for process in (one, two):
                process.send_signal(signal.SIGTERM)
            assert_each_window_once(db, scopes, ended(one), ended(two))

    def test_two_at_once_end_when_all_is_done(self, db: str) -> None:
        scopes = [f"user {n:02}" for n in range(6)]
        left(db, *scopes, count=40)
        with worker(db, "--once", how="telling") as one, worker(db, "--once", how="telling") as two:
            ran = [ended(one), ended(two)]
        assert [each.lines[-1] for each in ran] == ["left to do 0, failed 0"] * 2
        assert_each_window_once(db, scopes, *ran)

    def test_what_fails_is_seen(self, db: str, fabula: Fabula) -> None:
        left(db, "u")
        with worker(db, "--once", how="failing") as process:
            ran = ended(process)
        assert (ran.code, ran.out) == (1, "left to do 2, failed 2\n")
        assert "WARNING extract of scope 'u' failed: the model is down" in ran.err
        assert "Traceback" not in ran.err
        stats = json.loads(fabula("stats", "--json", "--db", db).out)
        assert (stats["pending"], stats["failed"]) == ({"extract": 2}, 2)
        with worker(db, "--once") as process:
            assert ended(process) == Ran(0, "left to do 0, failed 0\n", "")
        assert_understood(db, "u")

    def test_what_fails_while_it_runs_is_seen_and_does_not_end_it(self, db: str) -> None:
        left(db, "u")
        with worker(db, how="failing") as process:
            at_work(process)
            assert process.stderr
            assert process.stderr.readline().endswith("WARNING extract of scope 'u' failed: the model is down\n")
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            assert ended(process).code == 0
        assert pending(db) == 2

    @pytest.mark.skipif(not processes.this(), reason="processes can only be told apart on Linux")
    @pytest.mark.parametrize("verbose", [True, False])
    def test_it_takes_over_from_the_dead_and_says_so_if_it_is_to(self, db: str, verbose: bool) -> None:
        left(db, "u")
        name, _, began = processes.this().rpartition(" ")
        hold(db, "u", f"{'0' * 32} {name} {int(began) - 1}")
        with worker(db, "--once", *(["--verbose"] if verbose else [])) as process:
            ran = ended(process)
        assert (ran.code, ran.out) == (0, "left to do 0, failed 0\n")
        assert ran.err.endswith(" INFO scope 'u': its worker has died\n") if verbose else ran.err == ""
        assert_understood(db, "u")

    @postgres_alone
    def test_a_database_that_is_not_there_ends_it(self, db: str) -> None:
        with worker(f"{db}_not") as process:
            ran = ended(process)
        assert failed(ran).endswith('_not" does not exist')


def assert_each_window_once(db: str, scopes: list[str], *ran: Ran) -> None:
    assert [(each.code, each.err) for each in ran] == [(0, "")] * len(ran)
    told = [line.split()[1:] for each in ran for line in each.lines if line.startswith("extracting ")]
    # 40 messages in sessions of 16, 16 and 8: five windows of eight.
    assert len(told) == 5 * len(scopes)
    assert set(Counter(passage for window in told for passage in window).values()) == {1}
    assert_understood(db, *scopes, count=40)


# --- copying -----------------------------------------------------------------------------------------------------


def moved(db: str, scope: str) -> str:
    """What is said of a scope that was copied."""
    counted = [
        sql(db, f"SELECT count(*) FROM {what} AND scope = '{scope}'")[0][0]
        for what in ("records WHERE TRUE", "records WHERE kind = 'passage'", "pending WHERE task = 'embed'")
    ]
    return f"{scope}: {counted[0]} records, {counted[1] - counted[2]} vectors\n"


class TestCopy:
    @both_ways
    def test_everything(self, fabula: Fabula, db: str, other: str) -> None:
        left(db, "u", "用户", work=False)
        left(db, "w")
        ran = fabula("copy", db, other)
        assert ran == Ran(0, f"{moved(db, 'u')}{moved(db, 'w')}{moved(db, '用户')}", "")
        assert moved(db, "u") == "u: 4 records, 2 vectors\n", "two passages, a frame and who is in it"
        assert moved(db, "w") == "w: 2 records, 0 vectors\n"
        with Memory(other, embedder=HashEmbedder(), background=False) as memory:
            assert memory.scopes() == ["u", "w", "用户"]
            assert memory.stats().pending == {"embed": 2, "extract": 2}
            assert memory.flush().pending == 0
        assert_understood(other, "u", "w", "用户")
        assert pending(db) == 4, "the source stays as it is"

    @both_ways
    def test_what_is_there_already_stays(self, fabula: Fabula, db: str, other: str) -> None:
        left(db, "u", work=False)
        assert fabula("copy", db, other).code == 0
        left(db, "v", work=False)
        assert fabula("copy", db, other) == Ran(0, f"u: there already\n{moved(db, 'v')}", "")
        assert fabula("copy", db, other) == Ran(0, "u: there already\nv: there already\n", "")
        assert_understood(other, "u", "v")

    @both_ways
    def test_one_scope(self, fabula: Fabula, db: str, other: str) -> None:
        left(db, "u", "用户", work=False)
        assert fabula("copy", db, other, "--scope", "用户") == Ran(0, moved(db, "用户"), "")
        assert_understood(other, "用户")

    @both_ways
    def test_as_json(self, fabula: Fabula, db: str, other: str) -> None:
        left(db, "u", work=False)
        tables = ("records", "postings", "edges", "tombstones", "pending", "pictures", "access")
        rows = {table: sql(db, f"SELECT count(*) FROM {table}")[0][0] for table in tables} | {"vectors": 2}
        for present in (False, True):
            ran = fabula("copy", db, other, "--json")
            (copied,) = json.loads(ran.out)
            assert (ran.code, ran.err, copied["scope"], copied["present"]) == (0, "", "u", present)
            assert copied["rows"] == (dict.fromkeys(rows, 0) if present else rows)

    @both_ways
    def test_other_contents_are_not_overwritten(self, fabula: Fabula, db: str, other: str) -> None:
        left(db, "u")
        with Memory(other, embedder=None, background=False) as memory:
            memory.remember("u", "mine")
        line = failed(fabula("copy", db, other))
        assert line == "'u' is there already, with other contents: forget it there first"
        with Memory(other, embedder=None, background=False) as memory:
            assert [record.text for record in memory.records("u")] == ["mine"]

    def test_a_scope_that_is_not_there(self, fabula: Fabula, db: str, other: str) -> None:
        left(db, "u")
        assert failed(fabula("copy", db, other, "--scope", "nobody")) == "there is no scope 'nobody' to copy"

    def test_an_empty_memory_is_nothing_to_copy(self, fabula: Fabula, db: str, other: str) -> None:
        left(db)
        assert fabula("copy", db, other) == Ran(0, "", "")
        assert fabula("copy", db, other, "--json").out == "[]\n"

    @sqlite_alone
    @pytest.mark.parametrize("spelling", ["{path}", "sqlite:///{path}"])
    def test_a_source_that_is_not_there_makes_no_file(
        self, fabula: Fabula, db: str, other: str, tmp_path: Path, spelling: str
    ) -> None:
        source = tmp_path / "none.db"
        assert failed(fabula("copy", spelling.format(path=source), other)) == f"there is no memory at {source}"
        assert list(tmp_path.iterdir()) == []

    @sqlite_alone
    def test_a_destination_that_cannot_be_made(self, fabula: Fabula, db: str, tmp_path: Path) -> None:
        left(db, "u")
        line = failed(fabula("copy", db, str(tmp_path / "no" / "folder.db")))
        assert "folder.db" in line
        assert not (tmp_path / "no").exists()


# --- another model -----------------------------------------------------------------------------------------------


class TestReembed:
    def test_another_model_takes_over(self, fabula: Fabula, db: str) -> None:
        left(db, "u", "用户", work=False)
        wide = HashEmbedder(96)
        assert "reembed" in failed(fabula("remember", "more", "--scope", "u", "--db", db, embedder=wide))
        assert fabula("reembed", "--db", db, embedder=wide) == Ran(0, "embedded 4 records anew\n", "")
        assert sql(db, "SELECT DISTINCT space FROM vectors") == [("hash/96",)]
        assert fabula("recall", "heron", "--scope", "u", "--db", db, embedder=wide).err == ""
        assert fabula("remember", "more", "--scope", "u", "--db", db, embedder=wide).code == 0
        assert fabula("check", "--db", db).lines == ["all is well"]
        assert fabula("reembed", "--db", db, embedder=wide) == Ran(0, "embedded 0 records anew\n", "")

    def test_one_scope_as_json(self, fabula: Fabula, db: str) -> None:
        left(db, "u", "用户", work=False)
        ran = fabula("reembed", "--scope", "用户", "--json", "--db", db, embedder=HashEmbedder(96))
        assert (ran.code, json.loads(ran.out)) == (0, {"done": "embedded", "records": 2})
        assert sorted(sql(db, "SELECT DISTINCT scope, space FROM vectors")) == [("u", "hash/64"), ("用户", "hash/96")]

    def test_a_model_that_fails_leaves_it_as_it_was(self, fabula: Fabula, db: str) -> None:
        left(db, "u", work=False)
        broken = HashEmbedder(96, fail=ProviderUnavailable("the model is down"))
        assert failed(fabula("reembed", "--db", db, embedder=broken)) == "the model is down"
        assert sql(db, "SELECT space FROM scopes") == [("hash/64",)]
        assert fabula("recall", "heron", "--scope", "u", "--db", db).err == ""

    def test_without_a_model(self, fabula: Fabula, db: str) -> None:
        left(db, "u", work=False)
        line = failed(fabula("reembed", "--embedder", "none", "--db", db))
        assert line == "there is no embedding model to embed with"


# --- a database as a whole ---------------------------------------------------------------------------------------


class TestUpgrade:
    def test_it_says_what_was_applied(self, fabula: Fabula, other: str) -> None:
        first = fabula("db", "upgrade", "--db", other)
        assert (first.code, first.err) == (0, "")
        names = [name for (name,) in sql(other, "SELECT name FROM fabula_migrations ORDER BY number")]
        assert first.lines == [f"applied {name}" for name in names]
        assert names
        assert fabula("db", "upgrade", "--db", other) == Ran(0, "up to date\n", "")

    def test_a_newer_schema_is_refused(self, fabula: Fabula, db: str) -> None:
        left(db, "u")
        sql(db, "INSERT INTO fabula_migrations VALUES (999, 'later', 0)")
        for command in ("upgrade", "check"):
            assert "schema 999" in failed(fabula("db", command, "--db", db))


class TestCheck:
    def test_it_says_what_the_database_is(self, fabula: Fabula, db: str) -> None:
        left(db, "u", work=False)
        ran = fabula("db", "check", "--db", db)
        assert (ran.code, ran.err, ran.lines[-1]) == (0, "", "all is well")
        facts = dict(line.split(": ", 1) for line in ran.lines[:-1])
        assert facts["schema"] == str(sql(db, "SELECT max(number) FROM fabula_migrations")[0][0])
        if "://" in db:
            assert facts["server"].startswith("PostgreSQL ")
            assert tuple(map(int, facts["pgvector"].split("."))) >= (0, 8)
            assert (facts["distributed"], facts["row-level security"]) == ("no", "off")
        else:
            assert (facts["file"], facts["SQLite"]) == (db, sqlite3.sqlite_version)

    @pytest.mark.parametrize(
        "damage",
        ["DELETE FROM postings WHERE scope = 'u'", "DELETE FROM vectors WHERE scope = 'u'",
         "DELETE FROM edges WHERE scope = 'u'", "DELETE FROM records WHERE scope = 'u' AND kind = 'passage'"],
    )  # fmt: skip
    def test_a_problem_is_a_failure(self, fabula: Fabula, db: str, damage: str) -> None:
        left(db, "u", "用户", work=False)
        sql(db, damage)
        for argv in ([], ["--scope", "u"]):
            ran = fabula("db", "check", "--db", db, *argv)
            assert ran.code == 1
            assert "all is well" not in ran.lines
            problems = [line for line in ran.lines if line.startswith("u: ")]
            assert problems
            assert not [line for line in ran.lines if line.startswith("用户: ")]
        assert fabula("db", "check", "--db", db, "--scope", "用户").code == 0

    @sqlite_alone
    def test_a_damaged_file_is_a_failure(self, fabula: Fabula, db: str) -> None:
        left(db, "u", work=False)
        (size,), (root,) = sql(db, "PRAGMA page_size") + sql(
            db, "SELECT rootpage FROM sqlite_master WHERE name = 'records_session'"
        )
        with open(db, "r+b") as file:
            file.seek((root - 1) * size)
            page = file.read(size)
            file.seek((root - 1) * size)
            file.write(page.replace(b"u0", b"v0"))  # the scope and session that an entry is found by
        ran = fabula("db", "check", "--db", db)
        assert ran.code == 1
        assert "all is well" not in ran.lines
        assert [line for line in ran.lines if "missing from index records_session" in line], ran

    @sqlite_alone
    def test_a_file_that_cannot_be_read_is_a_failure(self, fabula: Fabula, db: str) -> None:
        left(db, "u", work=False)
        ((size,),) = sql(db, "PRAGMA page_size")
        with open(db, "r+b") as file:
            file.seek(size)
            file.write(b"\xff" * 20 * size)
        assert "malformed" in failed(fabula("db", "check", "--db", db))

    @sqlite_alone
    def test_looking_makes_no_database(self, fabula: Fabula, db: str) -> None:
        assert f"there is no memory at {db}" in failed(fabula("db", "check", "--db", db))
        assert not Path(db).exists()


@postgres_alone
class TestServer:
    def test_without_citus(self, fabula: Fabula, db: str) -> None:
        line = failed(fabula("db", "distribute", "--db", db))
        assert line.startswith("this database has no Citus: install it on every node")

    def test_roles_that_are_not_there_or_not_named(self, fabula: Fabula, db: str) -> None:
        assert failed(fabula("db", "secure", "--db", db, "--app", "nobody_", "--worker", "none_")).startswith(
            "there is no role 'nobody_'"
        )
        for more in ([], ["--app", "nobody_"], ["--worker", "none_"]):
            assert failed(fabula("db", "secure", "--db", db, *more)).startswith("say which roles there are: --app")
        assert sql(db, "SELECT * FROM pg_policies") == []

    def test_what_the_server_says_is_told_as_it_says_it(self, fabula: Fabula, db: str) -> None:
        sql(db, "CREATE FUNCTION create_distributed_table() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        sql(db, "CREATE TABLE pg_dist_partition (logicalrelid regclass)")
        line = failed(fabula("db", "distribute", "--db", db))
        assert line.partition(": ")[2].startswith("function create_distributed_table(")

    def test_walls_are_put_up_and_taken_off(self, fabula: Fabula, db: str) -> None:
        name = f"fabula_{os.getpid()}_{id(self)}"
        sql(db, f"CREATE ROLE {name}_app")
        sql(db, f"CREATE ROLE {name}_worker")
        on = f"row-level security is on: {name}_app sees one scope at a time, {name}_worker all of them\n"
        try:
            for _ in range(2):
                ran = fabula("db", "secure", "--db", db, "--app", f"{name}_app", "--worker", f"{name}_worker")
                assert ran == Ran(0, on, "")
            assert sql(db, "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE relname = 'records'") == [
                (True,)
            ]
            for _ in range(2):
                assert fabula("db", "secure", "--db", db, "--off") == Ran(0, "row-level security is off\n", "")
            assert sql(db, "SELECT relrowsecurity OR relforcerowsecurity FROM pg_class WHERE relname = 'records'") == [
                (False,)
            ]
        finally:
            for role in ("app", "worker"):
                sql(db, f"DROP OWNED BY {name}_{role}")
                sql(db, f"DROP ROLE {name}_{role}")

    def test_an_index_comes_and_goes(self, fabula: Fabula, db: str) -> None:
        left(db, "O'Brien 甲", "u", work=False)
        find = "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%hnsw%'"
        hnsw = ("db", "hnsw", "--db", db, "--scope", "O'Brien 甲")
        ran = fabula(*hnsw)
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("indexed O'Brien 甲: ")
        assert sql(db, find) == [(1,)]
        assert fabula(*hnsw) == Ran(0, "indexed already\n", "")
        hits = fabula("recall", "heron", "--scope", "O'Brien 甲", "--kind", "passage", "--db", db).lines
        assert sorted(line.split("\t")[3] for line in hits) == texts("O'Brien 甲")
        for said in ("its vectors are scanned exactly", "there is no index of it"):
            assert fabula(*hnsw, "--drop") == Ran(0, f"{said}\n", "")
            assert sql(db, find) == [(0,)]

    def test_a_scope_without_vectors_has_no_index(self, fabula: Fabula, db: str) -> None:
        left(db, "emptied", work=False)
        left(db, "early")
        with Memory(db, embedder=HashEmbedder(), background=False) as memory:
            memory.forget("emptied", ids=[record.id for record in memory.records("emptied")])
        for scope in ("nobody", "early", "emptied"):
            line = failed(fabula("db", "hnsw", "--db", db, "--scope", scope))
            assert line.endswith(f" no scope {scope!r} with vectors in it")
