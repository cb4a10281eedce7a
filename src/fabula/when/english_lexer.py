"""Cuts English text into the tokens of the grammar: words by their tables, figures by `figures`.

It knows what a word can be, not what it means where it stands; that is for the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from fabula.when import english_words as words
from fabula.when import figures, holidays
from fabula.when.english_lists import completed
from fabula.when.grammar import BREAK, Token
from fabula.when.patterns import Pattern

_ATOM: Final = Pattern(r"[A-Za-z\u00c0-\u024f]+(?:'[A-Za-z]+)*|[0-9]+|\n|[^\s]")
_ADDRESS: Final = Pattern(r"(?:https?://|www\.)[^\s<>\"]+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]+")
"""An address of the web or of mail, whose letters and figures mean nothing."""
_INTERVAL: Final = Pattern(r"(?:(?<=\d{4}-\d\d-\d\d)|(?<=\d{4}-\d\d))/(?=\d{4}-\d\d)")
"""The stroke of an ISO 8601 interval: 2025-10-01/2025-10-08."""
_HUNDREDS: Final = Pattern(r"\d\d00\s?'?s")
_MARKS: Final = {
    ",": "comma", "-": "dash", "–": "dash", "—": "dash", "~": "dash", "/": "slash", ".": "stop", "!": "stop",
    "?": "stop", ";": "stop", ":": "stop", "(": "open", ")": "close", "@": "at", "&": "and", "'": "tick", '"': "tick",
}  # fmt: skip
_SOFT: Final = frozenset({
    "the", "a", "of", "in", "on", "at", "to", "from", "for", "by", "and", "or", "before", "after", "until", "through",
    "between", "during", "within", "around", "starting", "onward", "each", "other", "another", "more", "once", "all",
    "time", "past", "oh", "ad", "few", "section", "edge", "rest", "rel", "plain", "counted", "comma", "dash", "slash",
    "stop", "open", "close", "tick", "since", "nth", "til", "per", "percent", "break", "latest", "earliest", "backward",
    "ago", "ish", "zone",
})  # fmt: skip
"""Names of tokens that say no time by themselves."""
_SHORT: Final = frozenset(["month", "weekday", "wday", "unit"])
"""Names of tokens that are abbreviated with a stop."""
_FULL: Final = frozenset(name.lower() for name in (*words.MONTH_NAMES, *words.WEEKDAY_NAMES)) | frozenset(
    [
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "year",
        "decade",
        "seconds",
        "minutes",
        "hours",
        "days",
        "weeks",
        "months",
        "years",
    ]
)
_GLUED: Final = frozenset(["month", "unit", "ampm", "season"])
"""What may stand right behind a figure: 14april, 3hrs."""
_FIGURE_BEHIND: Final = frozenset(["month", "wmonth", "weekday", "fiscal"])
"""Behind what a figure may stand: Feb13, FY18."""
_NUMBERS: Final = frozenset(["number", "spoken", "four", "pair"])
_SMALL_VERBS: Final = frozenset({"may", "march", "mar"})


class _Atom(NamedTuple):
    text: str
    start: int
    end: int


class _Phrase(NamedTuple):
    atoms: tuple[str, ...]
    name: str
    value: Any


@cache
def _phrases() -> dict[str, list[_Phrase]]:
    """Every phrase of the tables by its first word, the longest first."""
    listed: list[tuple[str, str, Any]] = [
        *((text, key if text not in holidays.weak() else "wholiday", value)
          for text, value in holidays.names().items() if text[0].isascii() for key in ("holiday",)),
        *((text + ("es" if text.endswith("s") else "s"), "holidays", value)
          for text, value in holidays.names().items() if text.isascii() and text.isalpha()),
        *((text, name, value) for name, table in words.WORDS.items() for text, value in table.items()),
        *((text, name, None) for name, texts in words.NAMES.items() for text in texts.split("|")),
        *((text, BREAK, None) for text in words.NOTHING),
    ]  # fmt: skip
    phrases = {tuple(_ATOM.findall(text)): (name, value) for text, name, value in listed}
    table: dict[str, list[_Phrase]] = {}
    for atoms, (name, value) in sorted(phrases.items(), key=lambda one: -len(one[0])):
        table.setdefault(atoms[0], []).append(_Phrase(atoms, name, value))
    return table


def lex(text: str) -> list[Token]:
    """Return the tokens of `text`, or none where no word of it is about time."""
    plain = text.replace("’", "'")
    if "://" in plain or "www." in plain or "@" in plain:
        plain = _ADDRESS.sub(lambda found: "\\" * len(found[0]), plain)
    if "/" in plain:
        plain = _INTERVAL.sub("~", plain)
    atoms = [_Atom(match[0].lower(), match.start(), match.end()) for match in _ATOM.finditer(plain)]
    tokens: list[Token] = []
    for token in _Lexer(plain, atoms).tokens():
        if token.name == BREAK and tokens and tokens[-1].name == BREAK:
            tokens[-1] = Token(BREAK, None, tokens[-1].start, token.end)
        else:
            tokens.append(token)
    return completed(tokens) if any(token.name not in _SOFT for token in tokens) else []


class _Lexer:
    """One walk over the atoms of a text."""

    def __init__(self, text: str, atoms: list[_Atom]) -> None:
        self.text, self.atoms = text, atoms
        self.at = 0
        self.last: Token | None = None
        self.phrases = _phrases()

    def tokens(self) -> Iterator[Token]:
        while self.at < len(self.atoms):
            atom = self.atoms[self.at]
            first = atom.text[0]
            if "0" <= first <= "9":
                token = self._figure(atom)
            elif first.isalpha() and first < "\u0250":
                token = self._word(atom)
            else:
                token = self._mark(atom)
            if token is not None:
                self.last = token
                yield token

    # --- figures --------------------------------------------------------------------------------------------------

    def _figure(self, atom: _Atom) -> Token:
        before = self.text[atom.start - 1 : atom.start]
        glued = before.isalnum() and before < "\u0250"
        if before == "^" or (
            glued and not (self.last and self.last.name in _FIGURE_BEHIND and self.last.end == atom.start)
        ):
            return self._broken()
        token = figures.read(self.text, atom.start)
        if token.name == "span" and _HUNDREDS.fullmatch(self.text, atom.start, token.end):
            token = token._replace(name="hundreds", value=int(self.text[atom.start : atom.start + 2]))
        # A four-figure number behind an apostrophe is none; two figures are a year.
        if before == "'" and token.name == "number" and token.end - token.start == 2:
            token = token._replace(name="four", value=figures.full_year(token.value))
        while self.at < len(self.atoms) and self.atoms[self.at].start < token.end:
            self.at += 1
        return self._scaled(token)

    def _scaled(self, token: Token) -> Token:
        """A number with what stands behind it where that counts a unit too: 65 million years, 3.5bn years."""
        scale = words.SCALES.get(self._at(self.at))
        if scale is None or token.name not in _NUMBERS or self._at(self.at + 1) not in words.WORDS["unit"]:
            return token
        last, value = self.last, token.value
        end = self.atoms[self.at].end
        self.at += 1
        if token.name == "pair" or (last and last.name in ("to", "or", "and", "dash")):
            figures_only = self.text[token.start : token.end].replace(" ", "")
            if token.name != "pair" or "." not in figures_only:  # 2 to 3 million: the first is meant in millions too
                return Token(BREAK, None, token.start, end)
            value = float(figures_only)
        return Token("number", int(value * scale), token.start, end)

    def _broken(self) -> Token:
        """What is left of letters and figures that stand together without a meaning, as one break."""
        first = self.atoms[self.at]
        end = first.end
        self.at += 1
        while self.at < len(self.atoms) and self.atoms[self.at].start == end and self._goes_on(self.atoms[self.at]):
            end = self.atoms[self.at].end
            self.at += 1
        return Token(BREAK, None, first.start, end)

    def _goes_on(self, atom: _Atom) -> bool:
        """Whether a letter or figure, or a mark with one behind it."""
        return (atom.text[0].isalnum() and atom.text[0] < "\u0250") or (
            atom.text in ("-", "_", "/", ".", ":", "\\")
            and self.text[atom.end : atom.end + 1].isascii()
            and self.text[atom.end : atom.end + 1].isalnum()
        )

    # --- marks ----------------------------------------------------------------------------------------------------

    def _mark(self, atom: _Atom) -> Token | None:
        self.at += 1
        name = _MARKS.get(atom.text, BREAK)
        last = self.last
        if name == "tick" and last and last.end == atom.start and last.name == "unit":
            return None  # two weeks' time
        if name == "tick" and self._next_is_short_year(atom):
            return None
        if atom.text == "." and last and last.name in _SHORT and last.end == atom.start and self._abbreviates(last):
            return None
        return Token(name, atom.text, atom.start, atom.end)

    def _next_is_short_year(self, tick: _Atom) -> bool:
        following = self.atoms[self.at] if self.at < len(self.atoms) else None
        return (
            following is not None
            and following.start == tick.end
            and following.text.isdigit()
            and len(following.text) == 2
        )

    def _abbreviates(self, token: Token) -> bool:
        """Whether a stop behind the token belongs to it: `Dec. 4`, but not `in December. We`."""
        if self.text[token.start : token.end].lower() in _FULL or self.at >= len(self.atoms):
            return False
        following = self.atoms[self.at]
        letter = self.text[following.start]
        return not letter.isupper() or any(
            one.name in ("month", "weekday") for one in self.phrases.get(following.text, ())
        )

    # --- words ----------------------------------------------------------------------------------------------------

    def _word(self, atom: _Atom) -> Token:
        before, after = self.text[atom.start - 1 : atom.start], self.text[atom.end : atom.end + 1]
        if before == "_" or after == "_" or (after in "@\\" and after):
            return self._broken()
        if before.isdigit() and atom.start:
            return self._behind_figure(atom)
        if atom.text in ("q", "h") and after.isdigit():
            return self._quarter(atom)
        number = self._number(atom)
        token = self._scaled(number) if number else self._phrase(atom)
        if after.isdigit() and token.end == atom.end and token.name not in _FIGURE_BEHIND:
            self.at -= 1
            return self._broken()
        return token

    def _behind_figure(self, atom: _Atom) -> Token:
        last = self.last
        if not (last and last.end == atom.start and last.name in ("number", "four", "ordinal", "pair", "day")):
            return self._broken()
        raw = self.text[atom.start : atom.end]
        if raw in words.BARE_UNITS:
            self.at += 1
            return Token("unit", words.BARE_UNITS[raw], atom.start, atom.end)
        token = self._phrase(atom)
        return token if token.name in _GLUED or token.name == "ish" else token._replace(name=BREAK)

    def _quarter(self, atom: _Atom) -> Token:
        token = figures.read(self.text, atom.start)
        if token.name != BREAK:
            while self.at < len(self.atoms) and self.atoms[self.at].start < token.end:
                self.at += 1
            return token
        number = self.atoms[self.at + 1]
        if len(number.text) > 1 or not "1" <= number.text <= ("4" if atom.text == "q" else "2"):
            return self._broken()
        if self.text[number.end : number.end + 1].isalnum():
            return self._broken()
        self.at += 2
        return Token("qn", ("quarter" if atom.text == "q" else "half", int(number.text)), atom.start, number.end)

    def _phrase(self, atom: _Atom) -> Token:
        for phrase in self.phrases.get(atom.text, ()):
            end = self._matched(phrase.atoms)
            if end:
                name = phrase.name
                raw = self.text[atom.start : self.atoms[end - 1].end]
                if name == "month" and raw in _SMALL_VERBS:
                    name = "wmonth"
                self.at = end
                return Token(name, phrase.value, atom.start, self.atoms[end - 1].end)
        self.at += 1
        if atom.text.endswith("'s") and atom.text not in words.PLAIN:
            for phrase in self.phrases.get(atom.text[:-2], ()):
                if len(phrase.atoms) == 1 and phrase.name in (
                    "offset",
                    "tonight",
                    "weekday",
                    "unit",
                    "part",
                    "weekend",
                    "holiday",
                ):
                    return Token(phrase.name, phrase.value, atom.start, atom.end - 2)
        name = "plain" if atom.text in words.PLAIN else "counted" if atom.text in words.COUNTED else BREAK
        return Token(name, None, atom.start, atom.end)

    def _matched(self, wanted: tuple[str, ...]) -> int:
        """Where the atoms of a phrase end that begins here, or 0; a hyphen may stand for a space."""
        at = self.at
        for number, word in enumerate(wanted):
            if number and word != "-" and at < len(self.atoms) and self.atoms[at].text == "-" and self._tight(at):
                at += 1
            if at >= len(self.atoms) or self.atoms[at].text != word:
                return 0
            at += 1
        return at

    def _tight(self, at: int) -> bool:
        """Whether the atom touches both of its neighbours."""
        return (
            0 < at < len(self.atoms) - 1
            and self.atoms[at - 1].end == self.atoms[at].start
            and self.atoms[at].end == self.atoms[at + 1].start
        )

    # --- numbers in words -----------------------------------------------------------------------------------------

    def _number(self, atom: _Atom) -> Token | None:
        """A number in words: `spoken`, `four` where it can be a year, `ordinal`, or `second`, which is two things."""
        if (
            atom.text in words.ORDINALS
            or atom.text in words.TENS
            or atom.text in words.TEENS
            or atom.text in words.ONES
        ):
            if any(len(one.atoms) > 1 and self._matched(one.atoms) for one in self.phrases.get(atom.text, ())):
                return None  # second last, first aid
            if atom.text == "second":
                self.at += 1
                return Token("second", 2, atom.start, atom.end)
            if atom.text in words.ORDINALS:
                self.at += 1
                return Token("ordinal", words.ORDINALS[atom.text], atom.start, atom.end)
        elif atom.text != "a":
            return None
        elif self._at(self.at + 1) not in words.BIG:
            if self._at(self.at + 1) not in ("million", "billion", "trillion"):
                return None
            self.at += 1
            return Token("spoken", 1, atom.start, atom.end)
        value, end, last = self._counted(self.at)
        name = "ordinal" if last else "four" if 1000 <= value < 2200 else "spoken"
        self.at = end
        return Token(name, value, atom.start, self.atoms[end - 1].end)

    def _at(self, at: int) -> str:
        return self.atoms[at].text if at < len(self.atoms) else ""

    def _counted(self, at: int) -> tuple[int, int, bool]:
        """A number's value, where it ends, and whether its last word is an ordinal."""
        value, at, nth = (1, at + 1, False) if self._at(at) == "a" else self._below_hundred(at)
        for word in ("hundred", "thousand"):
            if not nth and self._at(at) == word:
                value, at = value * words.BIG[word], at + 1
                rest = at + (self._at(at) == "and")
                if self._at(rest) in words.TENS or self._at(rest) in words.TEENS or self._at(rest) in words.ONES:
                    more, after, nth = self._below_hundred(rest)
                    if self._at(after) == "hundred":
                        more, after = more * 100, after + 1
                    value, at = value + more, after
        return value, at, nth

    def _below_hundred(self, at: int) -> tuple[int, int, bool]:
        word = self._at(at)
        if word not in words.TENS:
            return words.ONES.get(word) or words.TEENS[word], at + 1, False
        value, at = words.TENS[word], at + 1
        ones = at + (self._at(at) == "-" and self._tight(at))
        if self._at(ones) in words.ONES:
            return value + words.ONES[self._at(ones)], ones + 1, False
        if words.ORDINALS.get(self._at(ones), 10) < 10:
            return value + words.ORDINALS[self._at(ones)], ones + 1, True
        return value, at, False
