"""The grammar of time in English: the order in which words, dates, clocks and ranges are put together; not how.

It knows nothing of Chinese, and not what day it is.
"""

from __future__ import annotations

from typing import Final

from fabula.when import english_amounts as amounts
from fabula.when import english_clock as clocks
from fabula.when.english_lexer import lex
from fabula.when.english_names import no_time
from fabula.when.english_rules import AWAY, DATES, NTH, OPEN, PARTS, PROMOTED, RANGES, RELATIVES, WEAK, YEARS
from fabula.when.english_tense import ahead
from fabula.when.grammar import Grammar, Rule

__all__ = ["GRAMMAR", "ahead"]

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
GRAMMAR: Final = Grammar(lex, RULES, SAID, no_time)
