"""SEEM's command line and its skill folder: what they say, where, how they end, and that their pages are true."""

import ast
import io
import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from commands import Ran
from host import Answer, Asked, Stub, beside, hashed, said

import fabula
from fabula.testing import HashEmbedder
from seem_skill import RetrieveStrategy, SEEMConfig, SEEMSkill, opening
from seem_skill import config as configuration
from seem_skill.cli import main

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skill"
SCRIPT = "python scripts/cli_memory.py "

COMMANDS = """
python scripts/cli_memory.py store --text "Your message" --speaker user
python scripts/cli_memory.py store --dialogue-id "D1:1" --speaker "Alice" --text "Message"
python scripts/cli_memory.py recall --query "Your query" --mode lite
python scripts/cli_memory.py recall --query "Your query" --mode pro --strategy ppr --top-k 5
python scripts/cli_memory.py recall --query "Your query" --mode max --top-k-facts 10
python scripts/cli_memory.py facts               # Show all fact triples
python scripts/cli_memory.py facts --entity 小米   # Filter by entity
python scripts/cli_memory.py display
python scripts/cli_memory.py display --dialogue-id "D1:1"
python scripts/cli_memory.py view
python scripts/cli_memory.py stats
python scripts/cli_memory.py clear --yes
"""

CUSTOM = """
config = SEEMConfig(
    llm_api_key="your-key",
    llm_model="custom-model",
    retrieve_strategy=RetrieveStrategy.PPR,
    top_k_facts=10,
    ppr_damping=0.6,
)
"""

CENTRAL = """
LLM_CONFIG = {
    "base_url": "https://api.deepseek.com",
    "model": "deepseek-chat",
}

EMBEDDING_CONFIG = {
    "base_url": "https://api.siliconflow.cn/v1",
    "model": "Qwen/Qwen3-Embedding-8B",
}
"""

EXPORTS = """
export LLM_API_KEY="sk-xxx"
export LLM_BASE_URL="https://api.deepseek.com"
export LLM_MODEL="deepseek-chat"

export MM_ENCODER_API_KEY="sk-xxx"
export MM_ENCODER_BASE_URL="https://api.siliconflow.cn/v1"
export MM_ENCODER_MODEL="Qwen/Qwen3-Embedding-8B"
"""

KEYS = """
export LLM_API_KEY="sk-xxx"
export MM_ENCODER_API_KEY="sk-xxx"
"""

Seem = Callable[..., Ran]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SEEM_DATA_DIR", str(tmp_path / "seem"))
    return tmp_path / "seem"


@pytest.fixture
def seem(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Seem:
    """Run the command line in this process, with a model that is quick."""
    monkeypatch.setattr(opening, "bundled", lambda _: HashEmbedder())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]

    def run(*argv: str) -> Ran:
        capsys.readouterr()
        code = main(argv)
        caught = capsys.readouterr()
        return Ran(code, caught.out, caught.err)

    return run


def failed(ran: Ran, code: int) -> str:
    """The one line an error is told in."""
    assert (ran.code, ran.out) == (code, ""), ran
    (line,) = ran.err.splitlines()
    return line.removeprefix("seem: ")


def commands(page: str) -> list[list[str]]:
    return [
        shlex.split(line.removeprefix(SCRIPT), comments=True) for line in page.splitlines() if line.startswith(SCRIPT)
    ]


def script(*argv: str, at: Path = SKILL, **environ: str) -> subprocess.CompletedProcess[bytes]:
    """Run the skill's script in its folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "scripts/cli_memory.py", *argv],
        cwd=at, env={**os.environ, **environ}, capture_output=True, check=False,
    )  # fmt: skip


# --- the page it was specified on -------------------------------------------------------------------------------


@pytest.mark.parametrize("printed", [False, True], ids=["own", "seed"])
def test_the_commands_run_as_printed(seem: Seem, printed: bool, request: pytest.FixtureRequest) -> None:
    page = COMMANDS
    if printed:
        (file,) = request.getfixturevalue("shared").glob("seeds/000_*.txt")
        page = file.read_text("utf-8")
        assert commands(page) == commands(COMMANDS)
    for argv in commands(page):
        ran = seem(*argv)
        assert (ran.code, ran.err) == (0, ""), argv
        assert ran.out.strip()
    assert json.loads(seem("stats", "--json").out)["chunks"] == 0


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[bytes]]:
    """Runs lines in a copy of the skill's folder, with the console command as an installer writes it."""
    at = shutil.copytree(SKILL, tmp_path / "agent" / "skills" / "seem")
    module, name = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]["seem"].split(":")
    programs = {
        "python": f'#!/bin/sh\nexec "{sys.executable}" -W error "$@"\n',
        "seem": f"#!{sys.executable}\nimport sys\nfrom {module} import {name}\nsys.exit({name}())\n",
    }
    (tmp_path / "bin").mkdir()
    for program, text in programs.items():
        (tmp_path / "bin" / program).write_text(text, "utf-8")
        (tmp_path / "bin" / program).chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHONUTF8": "1"}

    def run(lines: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["sh", "-euc", lines], cwd=at, env=environ, capture_output=True, check=False)

    return run


@pytest.mark.parametrize("command", [SCRIPT, "seem "], ids=["script", "command"])
def test_the_commands_run_as_printed_in_a_shell(
    command: str, shell: Callable[[str], subprocess.CompletedProcess[bytes]]
) -> None:
    ran = shell(COMMANDS.replace(SCRIPT, command))
    assert (ran.returncode, ran.stderr) == (0, b"")
    said = ran.stdout.decode()
    assert [line.split()[0] for line in said.splitlines()[:2]] == ["stored", "stored"]
    assert said.count("[Structured Memory]\n") >= 3
    assert "[Original Observation]\nuser: Your message\nAlice: Message\n" in said
    assert "\nchunks: 2\n" in said
    assert said.endswith("\nall memories are erased\n")


@pytest.mark.parametrize("exports", [EXPORTS, KEYS], ids=["all", "keys"])
def test_the_exports_name_the_models(exports: str, shell: Callable[[str], subprocess.CompletedProcess[bytes]]) -> None:
    ran = shell(f"{exports}\n{SCRIPT}stats")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.decode().splitlines()[-1] == "extraction: deepseek-chat"
    environ = dict(re.findall(r'^export (\w+)="(.*)"$', exports, re.MULTILINE))
    assert opening.embedder(SEEMConfig(), environ).space == "api.siliconflow.cn/Qwen/Qwen3-Embedding-8B/4096"


def test_ppr_needs_no_other_package(seem: Seem, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page has one install for: scipy and networkx."""
    for name in ("scipy", "networkx"):
        monkeypatch.setitem(sys.modules, name, None)
    seem("store", "--text", "Ann keeps bees")
    assert "Ann keeps bees" in seem("recall", "--query", "bees", "--strategy", "ppr").out


def test_the_central_configuration_is_as_printed() -> None:
    names: dict[str, Any] = {}
    exec(CENTRAL, names)
    assert (names["LLM_CONFIG"], names["EMBEDDING_CONFIG"]) == (
        configuration.LLM_CONFIG, configuration.EMBEDDING_CONFIG,
    )  # fmt: skip


def test_the_custom_configuration_runs_as_printed() -> None:
    names: dict[str, Any] = {"SEEMConfig": SEEMConfig, "RetrieveStrategy": RetrieveStrategy}
    exec(CUSTOM, names)
    assert opening.extraction(names["config"], {}) == "custom-model"
    assert (names["config"].top_k_facts, names["config"].ppr_damping) == (10, 0.6)


def test_the_configuration_is_as_printed(shared: Path) -> None:
    (file,) = shared.glob("seeds/000_*.txt")
    page = file.read_text("utf-8")
    for name in ("LLM_CONFIG", "EMBEDDING_CONFIG"):
        (told,) = re.findall(rf"^{name} = (\{{.*?^\}})", page, re.DOTALL | re.MULTILINE)
        assert ast.literal_eval(told) == getattr(configuration, name)
    assert all(block.strip() in page for block in (CUSTOM, EXPORTS, KEYS, *CENTRAL.strip().split("\n\n")))
    exports = dict(re.findall(r'^export (\w+)="(.*)"$', page, re.MULTILINE))
    assert len(exports) == 6
    assert opening.extraction(SEEMConfig(), exports) == exports["LLM_MODEL"]
    assert opening.embedder(SEEMConfig(), exports).space.endswith(f"/{exports['MM_ENCODER_MODEL']}/4096")
    rows = re.findall(r"^(\w+)\t(\S+)\t", page.split("Key Parameters", 1)[1].split("Operations", 1)[0], re.MULTILINE)
    values = [(name, value) for name, value in rows if name != "Parameter"]
    assert len(values) == 11
    assert [(name, str(getattr(SEEMConfig(), name))) for name, _ in values] == values


# --- what is said -----------------------------------------------------------------------------------------------

LONG = "We talked about the harbour. " * 40


def test_a_memory_is_shown_whole(seem: Seem) -> None:
    stored = seem("store", "--text", LONG, "--speaker", "Ann", "--dialogue-id", "D1:1", "--timestamp", "2021-03-10")
    memory_id = stored.out.removeprefix("stored ").strip()
    for argv in (["recall", "--query", "the harbour", "--mode", "pro"], ["display"]):
        ran = seem(*argv)
        assert f"Ann: {LONG.strip()}" in ran.out
        head, title, *_ = ran.lines
        assert " | D1:1 | 2021-03-10T00:00:00+00:00" in head
        assert ("score" in head) == (argv[0] == "recall")
        assert title == "[Structured Memory]"
    assert "[Original Observation]" not in seem("recall", "--query", "the harbour").out
    (memory,) = json.loads(seem("display", "--dialogue-id", "D1:1", "--json").out)
    assert memory["chunks"][0]["chunk_id"] == memory_id


def test_what_happened_is_a_line(seem: Seem) -> None:
    seem("store", "--text", "I met Bob yesterday.", "--speaker", "Ann", "--timestamp", "2021-03-10T12:00")
    assert seem("view").out == "2021-03-09 | Ann, Bob | I met Bob yesterday.\n"


@pytest.mark.parametrize(
    "argv", [["recall", "--query", "bees"], ["facts"], ["display"], ["view"], ["stats"], ["clear", "--yes"]], ids=str
)
def test_every_command_prints_json_and_says_when_there_is_nothing(seem: Seem, argv: list[str]) -> None:
    assert json.loads(seem(*argv, "--json").out) or argv[0] in ("facts", "display", "view")
    assert seem(*argv).out.strip()


def test_a_repeated_id_is_remarked_on(seem: Seem) -> None:
    first = seem("store", "--text", "one", "--dialogue-id", "D1:1")
    again = seem("store", "--text", "another", "--dialogue-id", "D1:1")
    assert (again.code, again.out) == (0, first.out)
    assert again.err == "seem: dialogue_id 'D1:1' is known with another text, which stays\n"
    assert logging.getLogger("seem_skill").handlers == []


def test_a_picture_is_stored_and_asked_for(seem: Seem) -> None:
    seem("store", "--image-path", "a/harbour.jpg", "--image-caption", "boats", "--dialogue-id", "D1:1")
    (found,) = json.loads(seem("recall", "--image-path", "a/harbour.jpg", "--json").out)["memories"]
    assert (found["image"], found["has_multimodal"]) == ("a/harbour.jpg", True)


@pytest.mark.parametrize("strategy", [*RetrieveStrategy, "hybrid"])
def test_every_strategy_that_is_offered_works(seem: Seem, strategy: str) -> None:
    assert strategy in seem_help("recall")
    seem("store", "--text", "Ann keeps bees")
    assert "Ann keeps bees" in seem("recall", "--query", "bees", "--strategy", strategy).out


def test_no_facts_and_the_help_say_what_a_newcomer_asks(seem: Seem, folder: Path) -> None:
    assert "LLM_API_KEY" in seem("facts").out
    told = " ".join(seem_help().split())
    assert "LLM_API_KEY" in told
    assert str(folder) in told.replace(" ", "")


def seem_help(*argv: str) -> str:
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit) as ended:
        main([*argv, "--help"])
    assert ended.value.code == 0
    return out.getvalue()


def test_stored_text_does_not_steer_the_terminal(seem: Seem) -> None:
    seem("store", "--text", "red \x1b[31m herring\nnext", "--speaker", "A\x1b]0;title\x07nn")
    for argv in (["display"], ["view"], ["recall", "--query", "herring"]):
        assert "\x1b" not in seem(*argv).out
    assert "\x1b" in json.loads(seem("display", "--json").out)[0]["chunks"][0]["text"]


# --- what is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "COMMAND (see seem --help)"),
        (["nope"], "invalid choice: 'nope'"),
        (["clear"], "--yes (see seem clear --help)"),
        (["clear", "--y"], "--yes"),
        (["recall", "--query", "x", "--mode", "full"], "invalid choice: 'full'"),
        (["recall", "--query", "x", "--strategy", "bm25"], "invalid choice: 'bm25'"),
        (["recall", "--query", "x", "--top-k", "many"], "invalid int value: 'many'"),
        (["recall", "--query", "x", "--top-k", "0"], "top_k is 1 to 1000, not 0"),
        (["recall", "--query", " "], "recall needs a --query that is not blank"),
        (["recall"], "recall needs a --query that is not blank"),
        (["store"], "an observation needs a text that is not blank, or an image"),
        (["store", "--text", " "], "an observation needs a text that is not blank, or an image"),
        (["store", "--text", "x", "--timestamp", "yesterday"], "not an ISO 8601 date or time"),
        (["store", "--text", "caf\udce9"], "text is not text in utf-8"),
        (["facts", "--entity", ""], "a blank one is neither"),
        (["display", "--dialogue-id", ""], "dialogue_id is blank"),
    ],
)
def test_a_wrong_call_ends_with_2_in_one_line(seem: Seem, argv: list[str], said: str) -> None:
    told = failed(seem(*argv), 2)
    assert said in told
    assert "RecallMode" not in told, "choices are what can be typed"
    assert "RetrieveStrategy" not in told


def test_what_fails_ends_with_1_in_one_line(seem: Seem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SEEM_DATA_DIR", str(tmp_path / "file" / "seem"))
    assert failed(seem("stats"), 1).startswith("cannot make the folder")


def test_all_works_without_keys_and_a_model_without_one_is_named(seem: Seem, monkeypatch: pytest.MonkeyPatch) -> None:
    """B123."""
    every = [argv for argv in commands(COMMANDS) if argv[0] != "store"]
    assert [seem(*argv).code for argv in [["store", "--text", "x"], *every]] == [0] * (1 + len(every))
    monkeypatch.setenv("LLM_MODEL", "gpt-4o-mini")
    for argv in every:
        assert failed(seem(*argv), 2) == "missing LLM_API_KEY: gpt-4o-mini cannot be used without a key"


def test_an_interruption_ends_with_130(seem: Seem, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: SEEMSkill) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SEEMSkill, "stats", interrupted)
    assert failed(seem("stats"), 130) == "interrupted"


# --- a language model -------------------------------------------------------------------------------------------


async def answered(asked: Asked) -> Answer:
    """As a model host that writes "A verb B" down as a fact, and embeds by words."""
    if asked.path.endswith("/embeddings"):
        return await hashed(asked, 8)
    facts = [
        {"subject": subject, "predicate": predicate, "object": thing, "sources": [label]}
        for label, subject, predicate, thing in re.findall(
            r"\[(\d+)\][^\n]*\n(\w+) (\w+) ([^\n]+)", asked.body["messages"][-1]["content"]
        )
    ]
    return said(json.dumps({"facts": facts}))


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A language model that the environment names."""
    with beside(answered) as stub:
        monkeypatch.setenv("LLM_API_KEY", "a-key")
        monkeypatch.setenv("LLM_BASE_URL", f"{stub.url}/v1")
        yield stub


def test_a_model_that_comes_later_reads_what_was_stored(
    seem: Seem, host: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.delenv("LLM_API_KEY")
    monkeypatch.delenv("LLM_BASE_URL")
    seem("store", "--text", "小芳 keeps bees")
    assert "reextract" in seem("facts").out
    monkeypatch.setenv("LLM_API_KEY", "a-key")
    monkeypatch.setenv("LLM_BASE_URL", f"{host.url}/v1")
    assert seem("reextract").lines == ["left to do 0, failed 0"]
    assert seem("facts").lines == ["- 小芳 | keeps | bees"]


def test_a_window_fills_across_runs_and_is_extracted_in_one_call(seem: Seem, host: Stub) -> None:
    for n, text in enumerate(("小芳 keeps bees", "小米 makes phones", "Noor founded Kite")):
        assert seem("store", "--text", text, "--dialogue-id", f"D1:{n}").code == 0
    assert host.asked == []
    assert seem("facts").lines == ["- 小芳 | keeps | bees", "- 小米 | makes | phones", "- Noor | founded | Kite"]
    assert seem("facts", "--entity", "小米").lines == ["- 小米 | makes | phones"]
    assert "Facts\n- Noor | founded | Kite\n" in seem("recall", "--query", "Who founded Kite?").out
    assert "extraction: deepseek-chat" in seem("stats").lines
    assert host.paths == ["/v1/chat/completions"]


@pytest.mark.parametrize("said_in", ["config", "environment"])
def test_both_models_are_asked_by_name_with_their_own_keys(
    said_in: str, host: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = os.environ["LLM_BASE_URL"]
    names = {
        "LLM_API_KEY": "one", "LLM_MODEL": "reader", "LLM_BASE_URL": address, "MM_ENCODER_API_KEY": "two",
        "MM_ENCODER_MODEL": "encoder", "MM_ENCODER_BASE_URL": address,
    }  # fmt: skip
    for name, value in names.items():
        monkeypatch.setenv(name, value if said_in == "environment" else f"overruled {value}")
    monkeypatch.setenv("EMBEDDING_DIMENSIONS", "8")
    given = {name.lower(): value for name, value in names.items()} if said_in == "config" else {}
    with SEEMSkill(SEEMConfig(**given)) as skill:  # pyright: ignore[reportArgumentType]
        skill.store({"text": "小芳 keeps bees", "dialogue_id": "D1:1"})
        found = skill.recall("Who keeps bees?", strategy=RetrieveStrategy.DPR)
        assert skill.stats()["extraction"] == "reader"
    assert [fact["subject"] for fact in found["facts"]] == ["小芳"]
    assert [memory["dialogue_id"] for memory in found["memories"]] == ["D1:1"]
    named = {(asked.path, asked.body["model"], asked.headers["authorization"]) for asked in host.asked}
    assert named == {
        ("/v1/chat/completions", "reader", "Bearer one"), ("/v1/embeddings", "encoder", "Bearer two"),
    }  # fmt: skip


def test_what_a_model_cannot_do_now_is_remarked_on_and_left(seem: Seem, host: Stub) -> None:
    host.answers = [Answer(status=401)]
    seem("store", "--text", "Noor founded Kite")
    ran = seem("recall", "--query", "Kite")
    assert ran.code == 0
    assert "Noor founded Kite" in ran.out
    assert ran.err.startswith("seem: some memories are still to be made: ")
    assert "pending: 1" in seem("stats").lines


# --- the skill's folder -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("copied", [False, True], ids=["here", "copied"])
def test_the_script_runs_from_its_folder_and_from_a_copy(copied: bool, tmp_path: Path) -> None:
    at = shutil.copytree(SKILL, tmp_path / "agent" / "skills" / "seem") if copied else SKILL
    stored = script("store", "--text", "我的爱人是外科医生", "--speaker", "小芳", at=at)
    assert (stored.returncode, stored.stderr) == (0, b"")
    found = script("recall", "--query", "Whose spouse works in surgery?", "--mode", "pro", at=at, PYTHONUTF8="1")
    assert "小芳: 我的爱人是外科医生" in found.stdout.decode()
    wrong = script("clear", at=at)
    assert (wrong.returncode, wrong.stderr.decode().splitlines()) == (
        2, ["cli_memory.py: the following arguments are required: --yes (see cli_memory.py clear --help)"],
    )  # fmt: skip


def test_the_script_says_what_it_needs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-E", "scripts/cli_memory.py", "stats"], cwd=SKILL, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "cli_memory.py: seem_skill is not installed: see requirements.txt of this skill"
    ]


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "cp1252", "utf-8"])
def test_a_console_that_cannot_show_it_is_no_failure(encoding: str, seem: Seem) -> None:
    """B121."""
    seem("store", "--text", "✅ 完成", "--speaker", "小芳", "--dialogue-id", "D1:1")
    shown = script("view", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert shown.stdout.decode(encoding).endswith(
        "✅ 完成\n".encode(encoding, "replace").decode(encoding).replace("\n", os.linesep)
    )
    whole = script("display", "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    (memory,) = json.loads(whole.stdout.decode(encoding))
    assert memory["chunks"][0]["text"] == "✅ 完成"


def test_a_reader_that_has_enough_is_no_failure(seem: Seem) -> None:
    seem("store", "--text", "x")
    with subprocess.Popen(
        [sys.executable, "scripts/cli_memory.py", "display"], cwd=SKILL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_the_skills_page_is_true(seem: Seem) -> None:
    page = (SKILL / "SKILL.md").read_text("utf-8")
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", page, re.DOTALL).groups()  # pyright: ignore[reportOptionalMemberAccess]
    told = dict(line.split(": ", 1) for line in head.splitlines())
    assert set(told) == {"name", "description"}
    assert re.fullmatch(r"[a-z0-9-]{1,64}", told["name"])
    assert len(told["description"]) <= 1024
    run = commands(body)
    assert {argv[0] for argv in run} == {"store", "recall", "facts", "display", "view", "stats", "clear"}
    for argv in run:
        assert seem(*argv).code == 0, argv


def test_the_skills_readme_is_true(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page = (SKILL / "README.md").read_text("utf-8")
    monkeypatch.setattr(opening, "bundled", lambda _: HashEmbedder())  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(code, {})
    assert "Alice: I moved to Porto in May" in capsys.readouterr().out
    for usual in (configuration.LLM_CONFIG, configuration.EMBEDDING_CONFIG):
        assert all(f"`{value}`" in page for value in usual.values())
    (required,) = (SKILL / "requirements.txt").read_text("utf-8").splitlines()
    this, following = (f"0.{int(fabula.__version__.split('.')[1]) + more}" for more in (0, 1))
    assert required == f"fabula[graph]>={this},<{following}"


def test_the_command_is_installed_with_the_package() -> None:
    toml = (ROOT / "pyproject.toml").read_text("utf-8")
    assert 'seem = "seem_skill.cli:main"' in toml
    for point in entry_points(group="console_scripts", name="seem"):
        assert point.load() is main
