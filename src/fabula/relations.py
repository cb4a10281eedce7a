"""What a fact's predicate means for other facts: whether it has one object at a time, ends another, or passes; tables.

Predicates are free words of a language model, in its speakers' language; those that are not in the tables are taken
as they are, and hold side by side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from fabula.text import fold

SINGLE: Final[Mapping[str, str]] = {
    "home": "lives in|live in|lives at|resides in|resides at|is living in|now lives in|moved to|has moved to"
            "|relocated to|moved into|home is in|current city is|住在|居住于|居住在|居住地|现居|定居于|定居在"
            "|搬到|搬到了|搬去|搬至|暂时居住于|暂住",
    "employer": "works at|works for|is employed by|is employed at|is working at|is working for|joined the company"
                "|employer|employer is|started working at|started at"
                "|就职于|任职于|在职于|供职于|工作于|工作单位|入职|入职于|就职",
    "job": "job is|job title|job title is|position is|occupation|occupation is|profession is"
           "|职业|职业是|职位|职位是|担任",
    "spouse": "is married to|married|spouse|wife is|husband is"
              "|配偶|配偶是|结婚对象|妻子是|丈夫是",
    "status": "relationship status|relationship status is|marital status|marital status is|婚姻状况|感情状态",
    "age": "age|age is|is aged|年龄|年龄是",
    "phone": "phone|phone is|phone number|phone number is|电话|手机号|电话是",
    "email": "email|email is|email address|email address is|邮箱|邮箱是",
    "price": "rent is|price is|costs|房租|房租是|租金|价格|价格是",
}  # fmt: skip
"""Relation -> predicates that have one object at a time."""
ENDING: Final[Mapping[str, str]] = {
    "employer": "left|has left|quit|resigned from|was fired from|was laid off from|no longer works at"
                "|stopped working at"
                "|left the company|离职|离职于|离开|辞职于|从…离职|离开了",
    "home": "moved out of|moved away from|no longer lives in|left the city|搬离|搬出|离开了住处",
    "spouse": "divorced|is divorced from|separated from|离婚|与…离婚|离异",
}  # fmt: skip
"""Relation -> predicates that say it no longer holds."""
IDENTIFYING: Final = frozenset(("phone", "email"))
"""Relations whose object belongs to one only."""
HOLDS: Final = "\0holds "
"""Begins the mark that a fact bears for its relation."""
_PASSING: Final = re.compile(
    r"\b(?:temporar(?:y|ily)|for now|for the time being|is staying|stays with|until"
    r"|for (?:a|an|one|two|three|\d+) \w+)\b"
    r"|暂时|暂住|临时|短期|借住|小住|出差"
)
"""Words for what passes, and does not end what lasts."""


def _named(table: Mapping[str, str]) -> dict[str, str]:
    return {fold(word): name for name, words in table.items() for word in words.split("|")}


_SINGLE: Final = _named(SINGLE)
_ENDING: Final = _named(ENDING)


def relation(predicate: str) -> str:
    """Return the relation that a predicate stands for: one of `SINGLE`, or the predicate as it is compared."""
    folded = fold(predicate)
    return _SINGLE.get(folded, folded)


def single(predicate: str) -> bool:
    """Whether it has one object at a time."""
    return fold(predicate) in _SINGLE


def ending(predicate: str) -> str:
    """Return the relation that a predicate says is over; empty where it says of none."""
    return _ENDING.get(fold(predicate), "")


def passing(*words: str) -> bool:
    """Whether words say that it holds for a while only."""
    return any(_PASSING.search(fold(word)) for word in words)


def wording(text: str) -> str:
    """Return a sentence as it is compared: folded, without punctuation that is not inside a number or a word."""
    return re.sub(r"(?<![\w])[^\w\s]+|[^\w\s]+(?![\w])", "", fold(text)).strip()
