"""What looks like an English time and is none: titles, names, scores, verses, rates and idioms, by what stands around.

It does not know how times are built; it only looks at one that was found, and at the words beside it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from fabula.when import english_words as words
from fabula.when import holidays
from fabula.when.grammar import Token
from fabula.when.patterns import Pattern

_NEAR: Final = 60
"""How many characters before and after are looked at."""
_BEARER: Final = f"(?:{words.NAMED})"
_IS_NAME: Final = Pattern(
    rf"\s+(?:is|was|isn't|are|were)\s+(?:not\s+)?(?:an?|the|my|our|your|his|her|their)\s+(?:[\w-]+\s+){{0,3}}?{_BEARER}"
    r"\b(?!'|\s+\w+'s)(?=\s*(?:[.,;!?)]|$|(?:in|of|on|who|that|which|about|from|by|with|at|and|but|i)\b))",
    re.I,
)
"""Midnight is my cat; not `Friday is my cat's birthday`, nor `Monday is the film festival`."""
_CALLED: Final = Pattern(
    rf"\b(?:(?:named|nicknamed|titled|entitled|surnamed|dubbed|name is|name's|name was)"
    rf"|(?:is|are|was|were|'s|be|been|{_BEARER}) called"
    rf"|named (?:him|her|it|them|(?:our|the|my|their) \w+))\s+(?:the\s+)?[\"'“‘]?$",
    re.I,
)
_CAPITAL_AFTER: Final = Pattern(r"[ \t]+[A-Z][a-z]+")
_CAPITAL_BEFORE: Final = Pattern(r"[A-Z][\w'.-]*[ \t]+$")
_PREPOSITION: Final = Pattern(
    r"\b(?:on|by|since|until|till|before|after|from|for|at|in|over|during|this|last)\s+$", re.I
)
_RELATIVE: Final = Pattern(r"(?:next|last|this|every)\b|yesterday|today|tomorrow", re.I)
_BY_SOMEBODY: Final = Pattern(r"\s+by\s+(?:the\s+)?[A-Z]")
_QUOTE_OPENS: Final = Pattern(r"""(?:^|[\s(])["'“‘](?=[A-Z]|$)[^"“”‘]*$""")
_QUOTE_CLOSES: Final = Pattern(r"""[^"“”]*?["”'],?\s+by\s+(?:the\s+)?[A-Z]""")
"""Behind it, who made what has the quoted title."""
_PLACE: Final = Pattern(rf"\s+in\s+(?:the\s+)?(?!(?:{'|'.join(words.MONTH_NAMES)})\b)[A-Z][a-z]+")
_BEGINS: Final = Pattern(r"""(?:^|[.!?:]\s+|\n)\s*["'“‘]?$""")
"""Before it, a sentence begins, whose first word is written large anyhow."""
_SMALL_LEAD: Final = Pattern(r"(?:Before|After|Until|Since|During|The|A|Every|All)\s")
_NAMESAKE: Final = Pattern(rf"(?:(from|to)\s+)?(?:({words.NAMESAKES})|{words.NAMESAKES_IN_FULL})", re.I)
_GIVING: Final = Pattern(rf"\b(?:{words.GIVING})\s+$", re.I)
_TALKING: Final = Pattern(rf"\b(?:{words.TALKING})\s+$", re.I)
_FAMILY: Final = Pattern(rf"\s+(?:{words.FAMILY})\b")
_THINGS: Final = Pattern(rf"(?:'s)?[ -](?:{words.HOLIDAY_THINGS})\b", re.I)
_VERSE: Final = Pattern(
    rf"(?:\b(?:{words.BOOKS})\.?|\b(?:ratio|score|odds|result|verses?|format|scale|record|(?:time|best) (?:was|is|of))"
    r"\b[^.,;]{0,20}?|\bin)\s+$",
    re.I,
)
_SCORE: Final = Pattern(rf"[ -](?:{words.SCORES})\b", re.I)
_WAIT: Final = Pattern(
    r"\b(?:wait|just|hang on|hold on|give (?:me|us|him|her|it)|got|spare|wait up)(?: for)?\s+$|^\s*$", re.I
)
_AGE: Final = Pattern(r"[\s-]+(?:old|older|younger|of age)\b", re.I)
_LEAD: Final = Pattern(r"(?:the|this|last|next|every|each)\s+")
_PART_OF_NAME: Final = Pattern(r"\b(?i:the|an?|my|our|his|her|their)\s+(?:[A-Z][\w'-]+\s+)+$")
"""The Happy Mondays."""
_BEFORE_CHRIST: Final = Pattern(r"[\s,]*(?:\d{1,4}\s?)?(?:BCE?\b|B\.\s?C\.)")
_WEEKDAYS: Final = frozenset((*words.WORDS["weekday"], *words.WORDS["weekdays"]))
_RATE: Final = Pattern(
    r"(?:[\d%¢$€£]|\d [a-z]+"
    r"|\b(?:dollars?|euros?|pounds?|bucks|quid|cents?|grand|hundred|thousand|miles|calories|each))\s+$",
    re.I,
)
_ADJECTIVE: Final = Pattern(rf"[ \t]+(?!(?:{words.BEHIND_LENGTH})\b)[a-z]{{3,}}")


def no_time(text: str, token: Token) -> bool:
    """Whether what was found at the token is a name or a figure of speech and no time."""
    said = text[token.start : token.end].replace("’", "'")
    before = text[max(0, token.start - _NEAR) : token.start].replace("’", "'")
    after = text[token.end : token.end + _NEAR].replace("’", "'")
    if token.start == token.end or _BEFORE_CHRIST.match(after) or _written_large(said, before, after):
        return True
    if _quoted(said, before, after):
        return True
    if token.name == "amount":
        return after.startswith("'s") or _AGE.match(after) is not None or _idiom(said.lower(), before, after)
    if token.name == "clock" and re.fullmatch(r"\d+:\d\d(?::\d\d)?", said):
        return _VERSE.search(before) is not None or _SCORE.match(after) is not None
    if _namesake(said, before):
        return True
    if said[:1].isupper():
        return _title(said, before, after)
    return _thing(said.lower(), after)


def _title(said: str, before: str, after: str) -> bool:
    """Friday Night Lights, Midnight in Paris, Before Sunset, Yesterday by the Beatles, the March sisters."""
    if _CALLED.search(before) or _thing(said.lower(), after):
        return True
    *_, last = said.split()
    alone = last == said
    begins = _BEGINS.search(before) is not None
    if _PLACE.match(after) and alone and said.lower() in (words.SCENES if begins else words.SMALL):
        return True
    small = last.lower() in words.SMALL | words.UNWONTED or _CAPITAL_BEFORE.search(before)
    if not begins and _SMALL_LEAD.match(said) and last[0].isupper() and small:
        return True
    beside = _CAPITAL_AFTER.match(after) is not None
    named = alone and _CAPITAL_BEFORE.search(before) and not _PREPOSITION.search(before)
    if last[0].isupper() and last.lower() in words.SMALL and (beside or named):
        return True
    if said.replace(" of ", " ").istitle() and not _RELATIVE.match(said) and _IS_NAME.match(after):
        return True
    if beside and said.lower() in _holidays() and not _PREPOSITION.search(before):
        return True
    if not alone:
        return said.istitle() and _BY_SOMEBODY.match(after) is not None
    if said.lower() in _WEEKDAYS and _PART_OF_NAME.search(before):
        return True
    if _BY_SOMEBODY.match(after):
        return True
    return _FAMILY.match(after) is not None and re.search(r"\bthe\s+$", before, re.I) is not None


def _quoted(said: str, before: str, after: str) -> bool:
    """A title in quotation marks: of somebody's, or with all its words written large."""
    opening = _QUOTE_OPENS.search(before)
    if opening is None:
        return False
    if _QUOTE_CLOSES.match(after):
        return True
    end = re.search(r'["”]', after)
    title = f"{opening[0]}{said}{after[: end.start()]}".strip(' ("“') if end else ""
    return title != said and len(title.split()) > 1 and all(map(_large, title.split()))


def _large(word: str) -> bool:
    return word[0].isupper() or not word[0].isalpha() or len(word) < 4


def _namesake(said: str, before: str) -> bool:
    """A message from Dec, talk to April: a first name."""
    match = _NAMESAKE.fullmatch(said)
    if match is None or not said.split()[-1].istitle():
        return False
    front = f"{before}{match[1]} " if match[1] else before
    if match[2] and not before.strip():
        return match[1] is not None
    return (_GIVING if match[2] else _TALKING).search(front) is not None


def _written_large(said: str, before: str, after: str) -> bool:
    """500 Days of Summer, till Dawn: small words of time with a capital, in a text that has its other words small."""
    _, *later = said.split()
    large = any(word.istitle() and word.lower() in words.UNWONTED for word in later)
    return large and re.search(r"\b[a-z]{4,}", before + after) is not None


def _thing(said: str, after: str) -> bool:
    """Christmas cake, Halloween costumes."""
    return _LEAD.sub("", said) in _holidays() and _THINGS.match(after) is not None


@cache
def _holidays() -> frozenset[str]:
    return frozenset(name for name in holidays.names() if name[0].isascii())


def _idiom(said: str, before: str, after: str) -> bool:
    """Wait a second, a minute amount, 30 dollars an hour: lengths that are none."""
    article, _, unit = said.partition(" ")
    if article not in ("a", "an", "one") or " " in unit:
        return False
    if (
        unit in ("second", "sec", "minute", "min")
        and _WAIT.search(before)
        and re.match(r"\s*(?:[.,!?;]|$|please)", after)
    ):
        return True
    if unit == "minute" and article == "a" and _ADJECTIVE.match(after):
        return True
    return article != "one" and _RATE.search(before) is not None
