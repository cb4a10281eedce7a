"""Cuts Chinese text into tokens for the grammar: words of time, numbers, figures; knows no rule that joins them.

Traditional characters are read as simplified ones, one for one, so that places in the text stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_letters
from typing import Any, Final, NamedTuple

from fabula.when import chinese_name_words as names
from fabula.when import chinese_words as words
from fabula.when import figures
from fabula.when.chinese_lists import completed
from fabula.when.grammar import BREAK, Token
from fabula.when.holiday_words import CHINESE, SIMPLIFIED, WEAK
from fabula.when.patterns import Pattern


class Word(NamedTuple):
    """A word, its token, and how many of its characters the token takes."""

    text: str
    name: str
    value: Any
    length: int


_SIMPLIFIED: Final[dict[int, int | str]] = {**SIMPLIFIED, **words.SIMPLIFIED}
_BLANK: Final = frozenset(" \t\u3000\u00a0")
_NUMERALS: Final = frozenset([*words.DIGITS, *words.COUNTS, *words.TENS, *words.MYRIADS, *words.SCORES, "几", "数"])
_SOME: Final = "几数"
_COUNTABLE: Final = frozenset("十百千万天日周星月个年小分")
"""What has to follow 数 where it means some, as in 数十."""
_QUOTED: Final = Pattern(r"《[^《》\n]{0,60}》|[“「『\"'‘][^“”「」『』\"'‘’\n]{1,3}[”」』\"'’]")
"""Titles, and what is called something: no time, whatever it says."""
_JOINED: Final = Pattern(r"(?P<first>\d[\d:./]*[:./]\d+)\s?-\s?(?=\d[\d:./]*[:./]\d|\d{4}(?!\d))")
"""Two dates or times of day with a stroke between them, of which each is read by itself."""
_SLASH: Final = Pattern(r"(?<=\d)/(?=\d{4}-\d\d-\d\d)")
"""From one day to another, as ISO 8601 writes it."""
_ISO_DAY: Final = Pattern(r"(?P<first>\d{4}-\d\d-\d\d)/(?=\d{4}-\d\d-\d\d(?!\d))")
_OTHER: Final = Pattern(r"[A-Za-z]+|[^\S\n]+")
_SOME_YEARS: Final = Pattern(r"(?P<tens>1[5-9]\d|20\d|[7-9](?=0)|[05-9](?=几))0?几(?=年)")
"""A decade by its figures: 90几年, 8几年, 199几年; but 20几年 is a length."""
_ROMAN: Final = Pattern(r"[Qq]([1-4])(?!\d)")


def simplified(text: str) -> str:
    """Return the text with its traditional characters of time made simple."""
    return text.translate(_SIMPLIFIED)


def _plain() -> Iterator[Word]:
    for name, value, spellings in words.TOKENS:
        yield from (Word(text, name, value, len(text)) for text in spellings.split())


def _all_words() -> Iterator[Word]:
    plain = {word.text: word for word in _plain()}
    yield from plain.values()
    for table, name in ((words.ERAS, "era"), (words.VAGUE, "vague")):
        yield from (Word(text, name, value, len(text)) for text, value in table.items() if text not in plain)
    for week in words.WEEK_NAMES:
        for sign, day in words.WEEKDAYS.items():
            yield Word(week + sign, "weekday", day, len(week) + 1)
        yield from (Word(week + wrong, "unit", "week", len(week)) for wrong in words.NO_WEEKDAY)
        for word in words.BEHIND_WEEKDAY:
            yield from (Word(week + sign + word, "weekday", day, len(week) + 1) for sign, day in words.WEEKDAYS.items())
    nothing = [*words.NOTHING.split(), *names.NAMES.split(), *names.CROSSING]
    yield from (Word(text, BREAK, None, len(text)) for text in nothing if text not in plain)
    for text, length in (*words.SPLITS.items(), *names.SPLITS.items()):
        taken = plain.get(text[:length]) or Word(text, BREAK, None, length)
        yield taken._replace(text=text)


def _index() -> dict[str, tuple[Word, ...]]:
    found: dict[str, Word] = {}
    for name, key in CHINESE.items():
        text = simplified(name)
        # What is but the figures of its date, the rules read: 十一 is also eleven.
        if all(sign in _NUMERALS or sign.isdecimal() or sign in "·." for sign in text):
            continue
        found[text] = Word(text, "weak_holiday" if name in WEAK or text in WEAK else "holiday", key, len(text))
    found |= {word.text: word for word in _all_words()}
    index: dict[str, list[Word]] = {}
    for word in sorted(found.values(), key=lambda word: -len(word.text)):
        index.setdefault(word.text[:2], []).append(word)
    return {first: tuple(known) for first, known in index.items()}


_WORDS: Final = _index()
_ANY: Final = (
    frozenset("/0123456789《“「『\"'‘" + ascii_letters) | _BLANK | _NUMERALS | {one for one in _WORDS if len(one) == 1}
)
"""What can be a token by itself, or begins what no table has."""
_CROSSING: Final = {
    first: tuple(word for word in names.CROSSING if word[0] == first) for first in {word[0] for word in names.CROSSING}
}


def lex(text: str) -> list[Token]:
    """Return the tokens of a text; none where nothing in it can be part of a time."""
    plain = simplified(text)
    tokens: list[Token] = []
    at, some = 0, False
    while at < len(plain):
        if plain[at] in _BLANK:
            at += 1
            continue
        # Most of a text begins no word, and is passed over.
        end = at
        while end < len(plain) and plain[end] not in _ANY and plain[end : end + 2] not in _WORDS:
            end += 1
        token = Token(BREAK, None, at, end) if end > at else _token(plain, at)
        if token.name != BREAK:
            some = True
            tokens.append(token)
        elif tokens and tokens[-1].name == BREAK:
            tokens[-1] = Token(BREAK, None, tokens[-1].start, token.end)
        else:
            tokens.append(token)
        at = token.end
    return completed(tokens, plain) if some else []


def _token(text: str, at: int) -> Token:
    sign = text[at]
    if "0" <= sign <= "9":
        return _figures(text, at)
    for word in (*_WORDS.get(text[at : at + 2], ()), *_WORDS.get(sign, ())):
        if text.startswith(word.text, at) and not _crossed(text, word, at + word.length - 1):
            return Token(word.name, word.value, at, at + word.length)
    if sign in _NUMERALS:
        return _numeral(text, at)
    if sign == "/" and _SLASH.match(text, at):
        return Token("to", None, at, at + 1)
    if (sign in "《“「『\"'‘" and (match := _QUOTED.match(text, at))) or (match := _OTHER.match(text, at)):
        quarter = _ROMAN.match(text, at)
        return Token("quarter", int(quarter[1]), at, quarter.end()) if quarter else Token(BREAK, None, at, match.end())
    return Token(BREAK, None, at, at + 1)


def _crossed(text: str, word: Word, last: int) -> bool:
    """Whether the last character of a word of time begins a word that wins over it: 白天鹅."""
    return word.length > 1 and word.name != BREAK and text.startswith(_CROSSING.get(text[last], ("\n\n",)), last)


def _figures(text: str, at: int) -> Token:
    if match := _ISO_DAY.match(text, at) or _JOINED.match(text, at):
        # What stands before can show that the figures are of another kind, so one character of it goes with them.
        start = max(at - 1, 0)
        token = figures.read(text[start : match.end("first")], at - start)
        if token.name != BREAK and token.end + start == match.end("first"):
            return Token(token.name, token.value, at, token.end + start)
    if match := _SOME_YEARS.match(text, at):
        return Token("some_years", int(match["tens"]), at, match.end())
    token = figures.read(text, at)
    if token.name == "number" and token.end - at == 2 and not token.value % 10 and text.startswith("几", token.end):
        return Token("some", (token.value, token.value + 10), at, token.end + 1)
    factor = text[token.end : token.end + 1]
    if token.name in ("number", "four") and factor in ("百", "千", "万", "亿") and factor:
        times = words.TENS.get(factor) or words.MYRIADS[factor]
        return Token("number", token.value * times, at, token.end + 1)
    return token


# --- numbers ----------------------------------------------------------------------------------------------------


def _numeral(text: str, at: int) -> Token:
    """The number that begins at `at`.

    Names: number; count (it only counts: 两); digits (figures without places: 二〇二三, as text); some (a range of two
    whole numbers: 几, 十几); score (廿一, a day of the lunar month); some_years (九几年, the first figures of years).
    """
    end = at
    while end < len(text) and end - at < 24 and text[end] in _NUMERALS:
        end += 1
    run = text[at:end]
    if run[0] == "数" and text[at + 1 : at + 2] not in _COUNTABLE:
        return Token(BREAK, None, at, at + 1)
    if run[-1] == "几" and len(run) in (2, 4) and text.startswith("年", end):
        known = "".join(str(words.DIGITS.get(sign, "")) for sign in run[:-1])
        if len(known) == len(run) - 1:
            return Token("some_years", int(known), at, end)
    name, value = _named(run)
    return Token(name, value, at, end)


def _named(run: str) -> tuple[str, Any]:
    if all(sign in words.DIGITS for sign in run) and len(run) > 1:
        return "digits", "".join(str(words.DIGITS[sign]) for sign in run)
    if run == "三两":
        return "some", (2, 3)
    if run in words.COUNTS:
        return "count", words.COUNTS[run]
    if run[0] in words.SCORES:
        rest = words.DIGITS.get(run[1:], None if run[1:] else 0)
        return (BREAK, None) if rest is None else ("score", words.SCORES[run[0]] + rest)
    if run[0] in _SOME or run[-1] in _SOME:
        found = _some(run)
        return (BREAK, None) if found is None else ("some", found)
    for at in range(1, len(run)):
        low, high = (words.DIGITS.get(sign) or words.COUNTS.get(sign) for sign in run[at - 1 : at + 1])
        if low and high == low + 1:  # 二三十, 十七八, 两三
            ends = _counted(run[:at] + run[at + 1 :]), _counted(run[: at - 1] + run[at:])
            return (BREAK, None) if None in ends else ("some", ends)
    number = _counted(run)
    return (BREAK, None) if number is None else ("number", number)


def _some(run: str) -> tuple[int, int] | None:
    """The least and the most that 几, 几十 and 十几 can be."""
    if len(run) == 1:
        return words.SOME
    if run[0] in _SOME:
        unit = _counted(run[1:])
        return None if unit is None else (words.SOME[0] * unit, 10 * unit)
    low = _counted(run[:-1])
    return None if low is None else (low, low + words.TENS.get(run[-2], 10))


def _counted(run: str) -> int | None:
    """What a numeral with places counts: 一百零五, 两万四千, 一百二 (120); None where it is none."""
    total, below, digit, place = 0, 0, None, 1
    for sign in run:
        if sign in words.MYRIADS:
            total += (below + (digit or 0) or 1) * words.MYRIADS[sign]
            below, digit, place = 0, None, words.MYRIADS[sign]
        elif sign in words.TENS:
            place = words.TENS[sign]
            below += place * (1 if digit is None else digit)
            digit = None
        elif digit:
            return None
        else:
            digit = words.COUNTS[sign] if sign in words.COUNTS else words.DIGITS.get(sign)
            if digit is None:
                return None
            place = place if digit else 1
    return total + below + (digit or 0) * (place // 10 if place >= 100 else 1)
