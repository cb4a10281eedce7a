"""Every rule of the grammars is used by some sentence of the tests, and every name in a pattern by something."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fabula.conventions import Conventions
from fabula.when import chinese, english
from fabula.when.grammar import BREAK, Anchor, Got, Grammar

HERE = Path(__file__).parent
PHRASES = sorted({
    node.value
    for path in HERE.glob("test_when*.py")
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
} | {
    phrase for path in HERE.glob("test_when*.py") for line in path.read_text("utf-8").splitlines()
    for phrase in line.strip().split("|")
})  # fmt: skip
"""Every text of the tests of times, also those that stand beside each other in one."""
AT = (datetime(2025, 3, 5, 10), datetime(2025, 12, 31, 23, 30))  # noqa: DTZ001 - by the wall clock


@pytest.mark.parametrize("grammar", [english.GRAMMAR, chinese.GRAMMAR], ids=["english", "chinese"])
def test_no_rule_is_dead(grammar: Grammar):
    made: set[int] = set()

    def counted(place: int, build: Any) -> Any:
        def built(at: Anchor, got: Got) -> Any:
            value = build(at, got)
            if value is not None:
                made.add(place)
            return value

        return built

    table = [(name, pattern, counted(place, build)) for place, (name, pattern, build) in enumerate(grammar.table)]
    watched = Grammar(grammar.lex, table, grammar.said, grammar.no_time)
    for phrase in PHRASES:
        for now in AT:
            list(watched.read(phrase, Anchor(now, UTC, Conventions())))
    dead = [grammar.table[place][:2] for place in range(len(table)) if place not in made]
    assert not dead, f"{len(dead)} rules that nothing in the tests needs: {dead}"


@pytest.mark.parametrize(("grammar", "language"), [(english.GRAMMAR, "english"), (chinese.GRAMMAR, "chinese")])
def test_every_name_in_a_pattern_is_made_by_something(grammar: Grammar, language: str):
    made = {BREAK, *(name for name, _, _ in grammar.table)}
    folder = Path(english.__file__).parent
    sources = "\n".join(path.read_text("utf-8") for path in [*folder.glob(f"{language}*.py"), folder / "figures.py"])
    used = {name for _, pattern, _ in grammar.table for name in re.findall(r"[a-z_]+", pattern)}
    assert not {name for name in used - made if f'"{name}"' not in sources}
