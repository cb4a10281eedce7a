"""What the members of a Chinese list leave out, put back: 6月9日、12日和14日 are all in June, 3、5、8号 all days.

It works on tokens, before any rule, and knows no times.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from fabula.when import chinese_words as words
from fabula.when.grammar import Token
from fabula.when.patterns import Pattern

_SIGNS: Final = {
    "four": "n", "digits": "n", "number": "n", "nian": "Y", "year_word": "y", "yue": "M", "ri": "D", "hao": "D",
    "rel": "r", "ge": "g", "weekday": "w", "day_word": "d", "of_day": "p", "dian": "o", "ban": "b", "fen": "f",
    "with": "j", "mei": "e", "unit": "u",
}  # fmt: skip
"""Kinds of tokens, each a character."""
_DAY: Final = "(?:d|rg?w|(?:eg?)?w|eg?u|(?:y|nY)?nMnD)"
_LISTS: Final = Pattern(
    "|".join(
        f"(?:{lead})(?={one}{joint}{one})"
        for lead, one, joint in (
            (r"(?:(?:y|nY)?nM|[re]g?M)", "nD", "j?"),
            (r"(?:y|nY|eY)", "nMnD", "j?"),
            (r"(?:y|nY|eY)", "nM(?!nD)", "j?"),
            (r"[re]g?", "w", "j?"),
            (_DAY, "pno(?:b|nf)?", "j"),
            (f"{_DAY}?p", "no(?:b|nf)?", "j"),
            (_DAY, "no(?:b|nf)?", "j"),
            (_DAY, "p(?!n)", "j"),
        )
    )
)
_MEMBERS: Final = Pattern(r"(?P<first>nMnD|nD|nM|w|pno(?:b|nf)?|no(?:b|nf)?|p)(?:j?(?P=first))*")
_SHARED: Final = Pattern("n(?:jn){1,11}(?P<unit>[DM])")
"""3、5、8号, 三、四月: the last of them has what they all are."""
_WEEKDAYS: Final = Pattern("w(?:(?:jn){1,5}|n)")
"""周一、三、五, 周二四六: the first of them has it."""
_COUNTED: Final = words.COUNTED | frozenset("点时号日月周天分刻年")
_ENDS: Final = (*"。！？；\n ", "")
_LISTED: Final = frozenset(("with", "comma", "hao", "ri", "yue", "of_day", "weekday"))
"""What a list has two of at least; but 周二四六 has only a weekday and figures."""
_HIGHEST: Final = {"D": 31, "M": 12}


def completed(tokens: list[Token], text: str) -> list[Token]:
    """Return the tokens, with what each member of a list leaves out as tokens of no width."""
    listed = [token.name for token in tokens if token.name in _LISTED]
    if len(listed) < 2 and "weekday" not in listed and "with" not in listed and "comma" not in listed:
        return tokens
    line = _line(tokens, text)
    for pattern, complete in ((_SHARED, _ended), (_WEEKDAYS, _weekdays), (_LISTS, _led)):
        if pattern.search(line):
            tokens = complete(tokens, line, text)
            line = _line(tokens, text)
    return tokens


def _ended(tokens: list[Token], line: str, text: str) -> list[Token]:
    """The tokens, with the unit that the last member of a list has behind each of the earlier ones."""
    found: list[Token] = []
    done = 0
    for match in _SHARED.finditer(line):
        first, last = match.start(), match.end() - 1
        numbers = [tokens[at].value for at in range(first, last, 2)]
        if not _ascend(numbers, _HIGHEST[match["unit"]]) or _names_a_thing(tokens, last - 1, line, text):
            continue
        # 一、五月份的账 is the first point of several.
        begins = text[max(0, tokens[first].start - 1) : tokens[first].start] in _ENDS if match["unit"] == "M" else False
        if begins and numbers[1] > numbers[0] + 1:
            continue
        for at in range(first, last - 1, 2):
            end = tokens[at].end
            found += (*tokens[done : at + 1], tokens[last]._replace(start=end, end=end))
            done = at + 1
    return found + tokens[done:]


def _weekdays(tokens: list[Token], line: str, text: str) -> list[Token]:
    """The tokens, with figures behind a weekday as the weekdays that they are."""
    found: list[Token] = []
    done = 0
    for match in _WEEKDAYS.finditer(line):
        first, *members = (token for token in tokens[match.start() : match.end()] if token.name != "comma")
        days = [one for token in members for one in _figures(token)]
        after = text[members[-1].end : members[-1].end + 1]
        if not _ascend([first.value + 1, *(number for number, _, _ in days)], 6) or (after and after in _COUNTED):
            continue
        found += tokens[done : match.start() + 1]
        found += (Token("weekday", number - 1, start, end) for number, start, end in days)
        done = match.end()
    return found + tokens[done:]


def _figures(token: Token) -> Iterator[tuple[Any, int, int]]:
    if token.name == "digits":
        yield from ((int(one), token.start + at, token.start + at + 1) for at, one in enumerate(token.value))
    else:
        yield token.value, token.start, token.end


def _ascend(numbers: list[Any], highest: int) -> bool:
    whole = all(isinstance(one, int) and 1 <= one <= highest for one in numbers)
    return whole and all(low < high for low, high in pairwise(numbers))


def _led(tokens: list[Token], line: str, text: str) -> list[Token]:
    """The tokens, with what a list begins with before each of its later members."""
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
        next_ = at + size
        while next_ < match.end():
            next_ += line[next_] == "j"
            yield next_
            next_ += size


def _names_a_thing(tokens: list[Token], at: int, line: str, text: str) -> bool:
    """Whether the member is the number of something: 5月6号和3号楼."""
    last = tokens[at + 1] if line.startswith("nD", at) else tokens[at]
    return line.startswith("nD", at) and text[last.end : last.end + 1] in words.NO_DAY_AFTER


def _line(tokens: list[Token], text: str) -> str:
    return "".join(_sign(token, text) for token in tokens)


def _sign(token: Token, text: str) -> str:
    if token.name == "comma":
        return "j" if text[token.start] == "、" else "x"
    return _SIGNS.get(token.name, "x")
