"""The grammar of time in English: the order in which words, dates, clocks and ranges are put together; not how.

It knows nothing of Chinese, and not what day it is.
"""

from __future__ import annotations

import re
from typing import Final

from fabula.when import english_amounts as amounts
from fabula.when import english_clock as clocks
from fabula.when import english_words as words
from fabula.when.english_lexer import lex
from fabula.when.english_names import no_time
from fabula.when.english_rules import AWAY, DATES, NTH, OPEN, PARTS, PROMOTED, RANGES, RELATIVES, WEAK, YEARS
from fabula.when.grammar import Grammar, Rule
from fabula.when.patterns import Pattern

SAID: Final = ("day", "span", "clock", "moment", "portion", "range", "amount", "every")
"""Names of tokens that are what was found."""
RULES: Final[list[Rule]] = [
    *PROMOTED,
    *amounts.UNITS,
    *amounts.EVERY,
    *amounts.NUMBERS,
    *clocks.CLOCKS,
    (
        "rel",
        "past (?=(number|spoken|few|a|unit|weekday|weekend|month|season|quarter|amount|count|several))",
        lambda at, got: "past",
    ),
    *amounts.AGAIN,
    *DATES,
    *YEARS,
    *RELATIVES,
    *NTH,
    *AWAY,
    *clocks.BARE_CLOCKS,
    *clocks.HOURS,
    *PARTS,
    *RANGES,
    *OPEN,
    *WEAK,
]
_TENSES: Final = tuple(
    (Pattern(pattern.replace("'", "['’]"), re.IGNORECASE), ahead)
    for pattern, ahead in ((words.FUTURE, True), (words.PAST, False), (words.PRESENT, True))
)
_CLAUSE: Final = Pattern(words.CLAUSE, re.IGNORECASE)
GRAMMAR: Final = Grammar(lex, RULES, SAID, no_time)


def ahead(before: str, after: str) -> bool | None:
    """Whether a sentence speaks of the future, by what stands before and after a time in it; None is not known.

    The clause of the time has the word; where it says nothing of tense, the whole sentence has.
    """
    clause = f"{_CLAUSE.split(before)[-1]}\n{_CLAUSE.split(after, maxsplit=1)[0]}"
    return next((ahead for said in (clause, f"{before}\n{after}") if (ahead := _tense(said)) is not None), None)


def _tense(said: str) -> bool | None:
    """Whether it is of the future: a word of that beats one of the past, and both one of the present; or not known."""
    return next((ahead for pattern, ahead in _TENSES if pattern.search(said)), None)
