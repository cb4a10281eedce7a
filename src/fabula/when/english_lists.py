"""What the members of an English list leave to another one, put back: June and July 2024, May 3 and 5.

It works on tokens, before any rule, and knows no times. Each member is found as a time of its own.
"""

from __future__ import annotations

from typing import Final

from fabula.when.grammar import Token
from fabula.when.patterns import Pattern

_SIGNS: Final = {
    "each": "e", "other": "E", "part": "P", "weekend": "k", "business": "k",
    "month": "m", "number": "n", "ordinal": "o", "second": "o", "four": "y", "rel": "r", "weekday": "w", "wday": "w",
    "season": "a", "holiday": "h", "wholiday": "h", "qn": "q", "quarter": "Q", "half": "Q", "the": "t", "of": "f",
    "in": "i", "on": "O", "and": "j", "or": "j", "comma": "c", "between": "b", "plain": "p", "stop": "p", "close": "p",
    "at": "p", "from": "p", "for": "p", "until": "p", "by": "p",
}  # fmt: skip
"""Kinds of tokens, each a character."""
_UNITS: Final = {"week": "W", "month": "M", "year": "U", "quarter": "Q", "half": "Q", "day": "D"}
_END: Final = "(?=[piOcj]|$)"
"""What shows that a bare number counts nothing."""
_GAP: Final = "[iOt]*"
_JOINT: Final = Pattern("[cj][cjiOt]*")
_APART: Final = "(?<!b)(?<!bt)"
"""Between May and June is one time."""
_TRAILING: Final = tuple(
    Pattern(rf"{_APART}{before}(?P<list>(?:{one})(?:c{_GAP}(?:{one}))*c?j{_GAP})(?:{one})(?P<shared>{shared})")
    for before, one, shared in (
        ("", "m(?!t?[no])|[ahq]", "[cfi]?(?:y|t?rU)"),  # June and July 2024, spring or summer of last year
        ("", "w", "[fi]?t?rW"),  # Monday and Tuesday next week
        ("", "mt?[no]|t?[no]f?m", "[cfi]?y"),  # 3 May and 5 June 2024
        ("(?<!m)(?<!mt)", "[on]", "f?m(?:[cf]?y)?"),  # the 3rd and 4th of May
        ("(?<!m)(?<!mt)", "o", "[fi]t?rM"),  # the 3rd and 4th of next month
        ("", "[or]", "[wDWMQ][fi]t?(?:my?|rU|rM|[UM]|y|eE?[UM])"),  # the first and last Monday of May, of every month
        ("", "[on]", "[fi]eE?M"),  # the 1st and 15th of every month
    )
)
"""Lists whose last member is followed by what all of them share."""
_LEADING: Final = tuple(
    Pattern(rf"{_APART}(?P<shared>{shared})t?(?P<list>{one}(?:c{gap}{one})*c?j{gap}{one})(?P<year>{year}){end}")
    for shared, one, year, end, gap in (
        ("e", "o", "", "(?=[wkDWM])", "t?"),  # every first and third Friday
        ("e[Eo]?", "[wmahPk]", "", "(?!t?[no])", "t?"),  # every Monday and Friday
        ("m", "[no]", "(?:c?y)?", _END, _GAP),  # May 3 and 5
        ("r", "w", "", "(?!t?[no]|[fi]?t?r)", _GAP),  # next Monday and Tuesday
        ("r", "m", "", "(?!t?[no]|[cfi]?y|[fi]?t?r)", _GAP),  # last June and July
        ("O", "o", "", _END, _GAP),  # on the 3rd and 5th
    )
)
"""Lists before whose first member stands what all of them share."""


def completed(tokens: list[Token]) -> list[Token]:
    """Return the tokens, with those of no width beside each member of a list that another member has for it."""
    if not any(token.name in ("and", "or") for token in tokens):
        return tokens
    line = "".join(map(_sign, tokens))
    added: dict[int, list[Token]] = {}

    def add(at: int, edge: int, shared: tuple[int, int]) -> None:
        if shared[0] < shared[1]:
            added[at] = [token._replace(start=edge, end=edge) for token in tokens[slice(*shared)]]

    for pattern in (*_TRAILING, *_LEADING):
        for match in pattern.finditer(line):
            for joint in _JOINT.finditer(line, *match.span("list")):
                behind, ahead = joint.span()
                if pattern in _TRAILING:
                    add(behind, tokens[behind - 1].end, match.span("shared"))
                else:
                    add(ahead, tokens[ahead].start, match.span("shared"))
                    add(behind, tokens[behind - 1].end, match.span("year"))
    return [one for at, token in enumerate(tokens) for one in (*added.get(at, ()), token)]


def _sign(token: Token) -> str:
    return _UNITS.get(token.value, "u") if token.name == "unit" else _SIGNS.get(token.name, "x")
