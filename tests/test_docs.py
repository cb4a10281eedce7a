"""The pages are true: their code runs, their commands work, their links lead somewhere, nothing public is left out.

It knows Markdown as far as these pages use it, and nothing of what the code in them does. Of a page in order:

- a `python` block is run, all of a page in one namespace, with `await` where a notebook allows it;
- in a `sh` block, a line that begins with `fabula ` or `seem ` is run and has to end with 0, or as `# exit N` says, and
  a line that begins with `python -m bench` has to be one the bench takes (nothing is measured);
- a block with a file's name after its language is written to that file;
- lines that begin with `# → ` are what the code or the command above prints, `…` standing for anything;
- a block right under `<!-- no-run: reason -->` is left alone.

The network is blocked; OpenAI's address leads to a host in this process.
"""

import argparse
import ast
import asyncio
import importlib
import inspect
import io
import json
import re
import shlex
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
from host import Answer, Asked, beside, hashed, said

import fabula
from fabula import Plan, Settings
from fabula.cli import main
from fabula.operations import OPERATIONS
from fabula.providers import openai
from seem_skill.cli import main as seem

ROOT = Path(__file__).parents[1]
DOCS = sorted((ROOT / "docs").glob("*.md"))
SKILL = sorted((ROOT / "skill").glob("*.md"))
OTHERS = (ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *SKILL)
PAGES = [page for page in (*OTHERS, *DOCS) if page.exists()]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())

NO_RUN = re.compile(r"<!-- no-run:\s*(.*?)\s*-->")
EXIT = re.compile(r"# exit (\d+)$")
SHOWN = "# → "
SHELLS = ("sh", "bash", "console")
FACES = {"fabula": main, "seem": seem}


# --- reading a page ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A fenced block: the line its code begins on, and why it is not to be run, if it is not."""

    page: Path
    line: int
    language: str
    file: str
    code: str
    left: str | None

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    before, opened, info, code = "", 0, "", list[str]()
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if not opened and line.lstrip().startswith("```"):
            opened, info, code = number, line.strip().removeprefix("```"), []
        elif opened and line.strip() == "```":
            language, _, file = info.partition(" ")
            left = NO_RUN.fullmatch(before.strip())
            yield Block(page, opened + 1, language, file, textwrap.dedent("\n".join(code)), left and left[1])
            opened, before = 0, ""
        elif opened:
            code.append(line)
        else:
            before = line
    assert not opened, f"{page.name}:{opened} is never closed"


def prose(page: Path) -> str:
    """The page without its blocks."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """The lines of a shell block, joined where they are continued, each with what it is said to print."""
    command, shown = "", list[str]()
    for line in block.code.replace("\\\n", " ").splitlines():
        if line.startswith(SHOWN):
            shown.append(line.removeprefix(SHOWN))
            continue
        if command:
            yield command, shown
        command, shown = line.removeprefix("$ ").strip(), []
    if command:
        yield command, shown


def agree(shown: list[str], printed: str, where: str) -> None:
    """Hold what a page shows against what was printed; a page that shows nothing agrees."""
    if shown:
        pattern = r"\n".join(re.escape(line.rstrip()).replace("…", ".*") for line in shown)
        said = "\n".join(line.rstrip() for line in printed.splitlines())
        assert re.fullmatch(pattern, said), f"{where} prints\n{printed}"


# --- running it --------------------------------------------------------------------------------------------------


def run_python(block: Block, space: dict[str, Any], runner: asyncio.Runner, capsys: pytest.CaptureFixture[str]) -> None:
    # The empty lines make a traceback point into the page.
    source = "\n" * (block.line - 1) + block.code
    code = compile(source, str(block.page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    capsys.readouterr()
    given = eval(code, space)
    if code.co_flags & inspect.CO_COROUTINE:
        runner.run(given)
    shown = [line.strip().removeprefix(SHOWN) for line in block.code.splitlines() if line.strip().startswith(SHOWN)]
    agree(shown, capsys.readouterr().out, str(block))


def run_shell(block: Block, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for command, shown in commands(block):
        words = shlex.split(command, comments=True)
        if words and words[0] in FACES:
            if "<" in words:
                stdin = Path(words.pop(words.index("<") + 1))
                words.remove("<")
                monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.read_bytes()), "utf-8"))
            ended = EXIT.search(command)
            capsys.readouterr()
            code = FACES[words[0]](words[1:])
            printed = capsys.readouterr()
            assert code == int(ended[1] if ended else 0), f"{block}: {command}\n{printed.out}{printed.err}"
            agree(shown, printed.out, f"{block}: {command}")
        elif words[:3] == ["python", "-m", "bench"]:
            assert measures(words[3:]), f"{block}: {command}"


class Accepted(Exception):
    """The arguments were taken; nothing more is wanted."""


def measures(argv: list[str]) -> bool:
    """Whether the bench takes these arguments; none at all list what there is."""
    if not argv:
        return True
    taken = argparse.ArgumentParser.parse_args

    def take(*given: Any, **named: Any) -> None:
        taken(*given, **named)
        raise Accepted

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT), *sys.path])
        patch.setattr(argparse.ArgumentParser, "parse_args", take)
        if argv[0] not in importlib.import_module("bench.__main__").NAMES:
            return False
        try:
            importlib.import_module(f"bench.{argv[0]}").main(argv[1:])
        except Accepted:
            return True
        except SystemExit:
            return False
    raise AssertionError("the bench began to measure")


async def answered(asked: Asked) -> Answer:
    """As a host that speaks OpenAI's API: embeddings of words, and one fact about the first message of any chat."""
    if asked.path.endswith("/embeddings"):
        return await hashed(asked, 1536)
    source = asked.body["messages"][-1]["content"].split()[0]
    facts = [{"subject": "Mara", "predicate": "works_at", "object": "the harbour office", "source": source}]
    return said(json.dumps({"facts": facts}))


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of one's own, a memory of one's own, and a model host that is this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FABULA_DB", str(tmp_path / "yours.db"))
    monkeypatch.setenv("SEEM_DATA_DIR", str(tmp_path / "seem"))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    with beside(answered) as host:
        monkeypatch.setattr(openai, "OPENAI", f"{host.url}/v1")
        yield


@each_page
@pytest.mark.usefixtures("at_home")
def test_what_a_page_shows_is_so(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    space: dict[str, Any] = {"__name__": "page"}
    with asyncio.Runner() as runner:
        for block in blocks(page):
            if block.left is not None:
                continue
            if block.file:
                Path(block.file).write_text(block.code + "\n", "utf-8")
            elif block.language == "python":
                run_python(block, space, runner, capsys)
            elif block.language in SHELLS:
                run_shell(block, capsys, monkeypatch)


@pytest.mark.parametrize(
    "block", [block for page in PAGES for block in blocks(page) if block.left is not None], ids=str
)
def test_a_block_that_is_not_run_says_why(block: Block) -> None:
    assert block.left
    if block.language == "python":
        compile(block.code, str(block), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


# --- nothing is left out -----------------------------------------------------------------------------------------


def said_as_code() -> str:
    """All code in `docs`, in blocks and in running text, but for what is made of the code itself."""
    written = [page for page in DOCS if page.name != "api.md"]
    inline = [code for page in written for code in re.findall(r"`([^`\n]+)`", prose(page))]
    return "\n".join([*inline, *(block.code for page in written for block in blocks(page))])


@pytest.mark.parametrize("name", fabula.__all__)
def test_every_public_name_is_mentioned(name: str) -> None:
    assert re.search(rf"(?<!\w){name}(?!\w)", said_as_code())


@pytest.mark.parametrize("kind", [Settings, Plan])
def test_every_option_is_mentioned(kind: Any) -> None:
    text = said_as_code()
    assert [one.name for one in fields(kind) if not re.search(rf"(?<!\w){one.name}(?!\w)", text)] == []


@pytest.mark.parametrize("command", ["demo", *(operation.name for operation in OPERATIONS)])
def test_every_command_has_an_example_that_is_run(command: str) -> None:
    (page,) = (page for page in DOCS if page.name == "cli.md")
    examples = [line for block in blocks(page) if block.left is None and block.language in SHELLS
                for line, _ in commands(block)]  # fmt: skip
    assert any(line.split()[:2] == ["fabula", command] for line in examples)


def test_every_option_of_a_command_is_explained() -> None:
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    names = {one.public for operation in OPERATIONS for one in operation.parameters() if not one.plain}
    names |= {"db", "embedder", "json", "yes", "version"}
    assert [name for name in sorted(names) if not re.search(rf"--{name}(?![\w-])", text)] == []


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert versions[0] == fabula.__version__


# --- links -------------------------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """What a heading can be linked by, as GitHub makes it."""
    found: dict[str, int] = {}
    made: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", prose(page), re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        made.add(f"{slug}-{found[slug]}" if slug in found else slug)
        found[slug] = found.get(slug, 0) + 1
    return made


def links(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]+`", "", prose(page))
    return re.findall(r"\]\(([^)\s]+)[^)]*\)", text) + re.findall(r"^\[[^\]]+\]: *(\S+)", text, re.MULTILINE)


@each_page
def test_links_inside_the_project_lead_somewhere(page: Path) -> None:
    broken: list[str] = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@each_page
def test_files_that_are_named_are_there(page: Path) -> None:
    named = re.findall(r"(?<![\w/.])(?:tests|bench|examples|src)/[\w/]+\.\w+", page.read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


# --- the reader itself -------------------------------------------------------------------------------------------


def page_of(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, "utf-8")
    return page


def test_blocks_are_found_with_their_lines_and_reasons(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        "# A\n\n```python\nx = 1\n```\n<!-- no-run: a key -->\n```sh\nfabula\n```\n- b\n  ```json f.txt\n  {}\n  ```\n",
    )
    assert [(b.line, b.language, b.file, b.code, b.left) for b in blocks(page)] == [
        (4, "python", "", "x = 1", None),
        (8, "sh", "", "fabula", "a key"),
        (12, "json", "f.txt", "{}", None),
    ]


def test_what_is_shown_has_to_be_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "```python\nawait __import__('asyncio').sleep(0)\nprint(2 + 2)\n# → {}\n```\n"
    with asyncio.Runner() as runner:
        (right,) = blocks(page_of(tmp_path, text.format("…")))
        run_python(right, {}, runner, capsys)
        (wrong,) = blocks(page_of(tmp_path, text.format("5")))
        with pytest.raises(AssertionError, match=r"page\.md:2 prints"):
            run_python(wrong, {}, runner, capsys)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("fabula --version\n# → fabula …", True),
        ("fabula --version\n# → something else", False),
        ("fabula --version # exit 1", False),
        ("fabula stats # exit 1", True),
        ("fabula no-such-command", False),
        ("seem facts\n# → there are no …", True),
        ("seem clear # exit 2", True),
        ("seem no-such-command", False),
        ("fabula remember - \\\n  --scope me --embedder none < page.md\n# → remembered 7: …", True),
        ("python -m bench locomo --embedder none", True),
        ("python -m bench locomo --no-such-flag", False),
        ("python -m bench no-such-name", False),
        ("pip install fabula", True),
    ],
)
def test_commands_are_held_to_their_word(
    tmp_path: Path, line: str, right: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = blocks(page_of(tmp_path, f"one\ntwo\n\n```sh\n{line}\n```\n"))
    if right:
        run_shell(block, capsys, monkeypatch)
    else:
        with pytest.raises(AssertionError):
            run_shell(block, capsys, monkeypatch)


def test_links_are_read_as_they_are_followed(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        '# One, two: `three`\n## 你好 a\n## 你好 a\n[a](b.md#c "t") `[no](x)`\n\n[d]: e.md\n```\n# f\n[g](h)\n```\n',
    )
    assert anchors(page) == {"one-two-three", "你好-a", "你好-a-1"}
    assert links(page) == ["b.md#c", "e.md"]
