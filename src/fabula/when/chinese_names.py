"""What looks like a Chinese time and is a name, a score or a count of points, by what stands around it.

It does not know how times are built; it only looks at one that was found, and at the words beside it.
"""

from __future__ import annotations

from typing import Final

from fabula.when import chinese_name_words as names
from fabula.when.chinese_lexer import simplified
from fabula.when.grammar import Token
from fabula.when.holiday_words import CHINESE
from fabula.when.patterns import Pattern

_NEAR: Final = 16
"""How many characters before and after are looked at."""
_NAME_AFTER: Final = Pattern(names.NAME_AFTER)
_HOUSE: Final = Pattern(f"(?:{names.HOUSES})(?!.{{0,3}}[{names.MEETING}])")
_BEARER: Final = Pattern(f"{names.BEARER}|(?:{names.HOUSES})")
_SURNAME: Final = Pattern(f"(?:^|[，。！？；、,.!?;\\n])[{names.SURNAMES}]$")
_TITLE: Final = Pattern(names.TITLES)
_STREET: Final = Pattern(names.STREETS)
_CODE: Final = Pattern(rf"{names.CODE}\s*[A-Za-z]?$")
_FIGURES: Final = Pattern(r"[\d./:-]+")
_HOLIDAYS: Final = frozenset(map(simplified, CHINESE))
_COUNTED: Final = frozenset("日号月天年期晚上午早晨夜末旬初底一二三四五六七八九十0123456789")
"""What the name of a person does not end in."""
_TENTHS: Final = Pattern(r"[一二三四五六七八九\d]+点[一二三四五六七八九\d]分?")


def no_time(text: str, token: Token) -> bool:
    """Whether what was found at the token is a name or a number of something and no time."""
    if token.start == token.end:  # left over from a list
        return True
    said = simplified(text[token.start : token.end])
    before = simplified(text[max(0, token.start - _NEAR) : token.start])
    after = simplified(text[token.end : token.end + _NEAR])
    if before.endswith(names.CALLED) and (not after or after.startswith((*names.CLAUSE_END, "的"))):
        return True
    if _NAME_AFTER.match(after) or (_FIGURES.fullmatch(said) and _CODE.search(before)):
        return True
    if said in _HOLIDAYS and _STREET.match(after):
        return True
    if token.name == "season_time" and _TITLE.match(after):
        return True
    if token.name == "clock":
        if _HOUSE.match(after) and not before.endswith(("早", "晚", "午", "天")):
            return True
        return _TENTHS.fullmatch(said) is not None and before.endswith(names.SCORED)
    if said == "后天":
        return "先天" in before or "先天" in after
    if token.name not in ("day", "month", "season_time", "part") or (
        said[-1] in _COUNTED and token.name != "season_time"
    ):
        return False
    return bool(_BEARER.match(after) or (_SURNAME.search(before) and not after.startswith(names.CLAUSE)))
