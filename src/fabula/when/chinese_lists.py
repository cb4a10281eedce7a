"""What the later members of a Chinese list leave out, put back: 6月9日、12日和14日 are all in June.

It works on tokens, before any rule, and knows no times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from fabula.when import chinese_words as words
from fabula.when.grammar import Token

_SIGNS: Final = {
    "four": "n", "digits": "n", "number": "n", "nian": "Y", "year_word": "y", "yue": "M", "ri": "D", "hao": "D",
    "rel": "r", "ge": "g", "weekday": "w", "day_word": "d", "of_day": "p", "dian": "o", "ban": "b", "fen": "f",
    "with": "j",
}  # fmt: skip
"""Kinds of tokens, each a character."""
_DAY: Final = "(?:d|rg?w|w|(?:y|nY)?nMnD)"
_LISTS: Final = re.compile(
    "|".join(
        f"(?:{lead})(?={one}j{one})"
        for lead, one in (
            (r"(?:(?:y|nY)?nM|rg?M)", "nD"),
            (r"(?:y|nY)", "nMnD"),
            (r"(?:y|nY)", "nM(?!nD)"),
            (r"rg?", "w"),
            (_DAY, "pno(?:b|nf)?"),
            (f"{_DAY}?p", "no(?:b|nf)?"),
            (_DAY, "no(?:b|nf)?"),
            (_DAY, "p(?!n)"),
        )
    )
)
_MEMBERS: Final = re.compile(r"(?P<first>nMnD|nD|nM|w|pno(?:b|nf)?|no(?:b|nf)?|p)(?:j(?P=first))*")


def completed(tokens: list[Token], text: str) -> list[Token]:
    """Return the tokens, with those of no width before each later member of a list that its first one begins with."""
    if not any(token.name in ("with", "comma") for token in tokens):
        return tokens
    line = "".join(_sign(token, text) for token in tokens)
    found: list[Token] = []
    done = 0
    for match in _LISTS.finditer(line):
        lead = tokens[match.start() : match.end()]
        for at in _later(line, match.end()):
            if at >= done and not _names_a_thing(tokens, at, line, text):
                found += tokens[done:at]
                start = tokens[at].start
                found += (Token(token.name, token.value, start, start) for token in lead)
                done = at
    return found + tokens[done:]


def _later(line: str, at: int) -> Iterator[int]:
    """Where the members after the first one begin."""
    match = _MEMBERS.match(line, at)
    if match is not None:
        size = match.end("first") - match.start("first")
        yield from range(at + size + 1, match.end(), size + 1)


def _names_a_thing(tokens: list[Token], at: int, line: str, text: str) -> bool:
    """Whether the member is the number of something: 5月6号和3号楼."""
    last = tokens[at + 1] if line.startswith("nD", at) else tokens[at]
    return line.startswith("nD", at) and text[last.end : last.end + 1] in words.NO_DAY_AFTER


def _sign(token: Token, text: str) -> str:
    if token.name == "comma":
        return "j" if text[token.start] == "、" else "x"
    return _SIGNS.get(token.name, "x")
