"""Turn text into what is stored, matched and searched: cleaning, folding, tokens and the terms of a text.

Nothing here knows a record, a store or a score; what a secret looks like stands in `fabula.secrets`.
"""

from __future__ import annotations

import re
import reprlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final, Literal

import numpy as np

from fabula.abc import Terms
from fabula.errors import InvalidInput
from fabula.postings import POSTING
from fabula.secrets import Span, mask
from fabula.words import ENGLISH, HAN_CHARACTERS, HAN_WORDS

__all__ = [
    "AHEAD", "ANALYZER", "INSIDE", "TIMED", "Span", "analyse", "clean", "derived_id", "estimate_tokens", "fold",
    "hash_term",    "identifier", "mask", "query_terms", "script", "stop", "tokens",
]  # fmt: skip

ANALYZER: Final = 3
"""The version of the tokeniser: raised with every change of the terms, since stored postings must match a query's."""

TIMED: Final = "\0timed"
"""A mark, kept among the terms of a text that says a time; no word can be spelt like it."""
AHEAD: Final = "\0ahead"
"""The mark of a text that says a time still to come."""

MAX_TF: Final = int(np.iinfo(POSTING["tf"]).max)
MAX_STEM: Final = 40
"""Longer words are no English words and stay as they are."""
INSIDE: Final = 0.5
"""What a Han character of a query weighs where a longer word of the query holds it, which asks for it already.

Read off two people of LifeBench: less finds more by words alone, with all channels .3 to .7 do alike.
"""

# Character classes, written as they stand inside [...].
_HAN: Final = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA: Final = r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HANGUL: Final = r"\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
_THAI_TO_KHMER: Final = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u0f40-\u0fbc"
    r"\u1000-\u103f\u1050-\u108f\u109a-\u109d\u1780-\u17d3"
)
# `\w` leaves out combining marks, without which Hindi, Tamil or pointed Hebrew would fall apart.
_MARKS: Final = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff\u1ab0-\u1aff\u1dc0-\u1dff"
    r"\ufe20-\ufe2f"
)
_WIDE: Final = _HAN + _KANA + _HANGUL + r"\u3001-\u3004\u3006\u3008-\u303f\uff01-\uff60"

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_INVISIBLE: Final = re.compile(
    r"[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]+"
)
_HAN_RUN: Final = re.compile(f"[{_HAN}]+")
_KANA_RUN: Final = re.compile(f"[{_KANA}]+")
_LETTER_RUN: Final = re.compile(r"[^\W\d_]+")
_LATIN_RUN: Final = re.compile(
    r"[a-zA-Z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff\uff21-\uff3a\uff41-\uff5a]+"
)
_WIDE_RUN: Final = re.compile(f"[{_WIDE}]+")
_NARROW_RUN: Final = re.compile(r"[\u0000-\u024f\u1e00-\u1eff]+")
_DOUBLED: Final = re.compile(r"(.)\1")
_ASKS: Final = frozenset("?？؟⁇⁈⁉❓❔")

_WORD_CHARACTER: Final = rf"[^\W_{_HAN}{_KANA}{_HANGUL}{_THAI_TO_KHMER}]"
_RUN: Final = re.compile(
    rf"""
      [0-9]\u20e3                                                        # a keycap emoji: no group, no token
    | (?P<named>  (?<![a-z0-9]) (?: [a-z]\+\+(?![a-z]) | [a-z]\#(?![a-z0-9]) | (?<!\.)\.net(?![a-z0-9]) ) )
    | (?P<number> (?<!\d[.,]) (?: [0-9]++\.[0-9]++(?!\.[0-9])
                                | [0-9]{{1,3}}(?:,[0-9]{{3}})++(?:\.[0-9]++)?+(?![.,]?[0-9]) ) )
    | (?P<word>   (?:{_WORD_CHARACTER}++[{_MARKS}]*+)++ (?:'(?:{_WORD_CHARACTER}++[{_MARKS}]*+)++)*+ )
    | (?P<han>    [{_HAN}]++ )
    | (?P<hangul> [{_HANGUL}]++ )
    | (?P<other>  [{_KANA}]++ | [{_THAI_TO_KHMER}]++ )
    """,
    re.VERBOSE,
)


# --- what is stored --------------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """Return the text as it is stored: NFC, without NUL, surrogate pairs joined, lone surrogates as U+FFFD."""
    if text.isascii():
        return text.replace("\0", "")
    text = text.replace("\0", "")
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return unicodedata.normalize("NFC", text)


LONGEST: Final = 512
"""Bytes of an id: several stand together in one entry of an index, which a database limits."""


def identifier(value: object, what: str, *, longest: int | None = LONGEST) -> str:
    """Return an id in NFC, otherwise exactly as given (white space, letter case and width are kept).

    Raises `InvalidInput`, naming `what`, for anything but a string, for a blank one, for control characters, and
    for one of more than `longest` bytes in UTF-8.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{what} is a string, not {type(value).__name__}")
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise InvalidInput(f"{what} holds a control character: {reprlib.repr(value)}")
    if not fold(value):
        raise InvalidInput(f"{what} is blank")
    value = unicodedata.normalize("NFC", value)
    if longest is not None and len(value.encode()) > longest:
        raise InvalidInput(f"{what} is longer than {longest} bytes: {value[:20]}…")
    return value


# --- what is matched -------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Return the text as it is compared: NFKC, case folded, without invisible characters, white space as one space.

    Typographic apostrophes become plain ones, and the dot that case folding leaves over `İ` goes. Never shown.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    text = text.replace("i\u0307", "i").replace("\u2019", "'").replace("\u02bc", "'")
    return " ".join(unicodedata.normalize("NFKC", text).split())


def script(text: str) -> Literal["han", "latin", "other"]:
    """Return the script of most letters; `other` where there are none.

    One Han character says as much as several letters, so a fifth of them makes a text Han, unless kana outnumber
    them: that is Japanese.
    """
    if text.isascii():
        return "latin" if any(map(str.isalpha, text)) else "other"
    letters, latin = _count(_LETTER_RUN, text), _count(_LATIN_RUN, text)
    han, kana = _count(_HAN_RUN, text), _count(_KANA_RUN, text)
    if han and han * 5 >= letters and han >= kana:
        return "han"
    return "latin" if latin * 2 >= letters > 0 else "other"


def _count(runs: re.Pattern[str], text: str) -> int:
    return sum(map(len, runs.findall(text)))


# --- what is searched ------------------------------------------------------------------------------------------


def tokens(text: str) -> list[str]:
    """Return the terms of a text for keyword search, in order, stop words and repetitions included.

    Words in ASCII are stemmed (Snowball English). Han text gives the dictionary's words of two or more characters,
    every single character (so that no word is lost to the segmentation) and pairs of neighbours the dictionary has
    no word for (names). Hangul, kana, Thai, Lao, Khmer, Burmese and Tibetan give character bigrams.
    """
    found: list[str] = []
    for match in _RUN.finditer(fold(text)):
        run = match[0]
        kind = match.lastgroup
        if kind == "word":
            _add_word(found, run)
        elif kind == "han":
            _add_han(found, run)
        elif kind == "number":
            found.append(run.replace(",", ""))
        elif kind == "named":
            found.append(run)
        elif kind == "hangul":
            if len(run) > 2:
                found.append(run)
            found.extend(_bigrams(run))
        elif kind == "other":
            found.extend(_bigrams(run))
    return found


def _add_word(found: list[str], word: str) -> None:
    if word.isascii():
        found.append(_stem(word))
    else:
        word = word.removesuffix("'s")
        found.append(word)
        # People type `jose` for `josé`; both find each other through the bare letters.
        bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        if bare.isascii():
            found.append(_stem(bare))
    head, _, rest = word.partition("'")
    if len(head) <= 2 and len(rest) > 2:  # o'neil, d'accord: the name is also said alone
        found.append(_stem(rest) if rest.isascii() else rest)


def _add_han(found: list[str], run: str) -> None:
    words: list[str] = []
    before = ""
    for word in _cut_han(run):
        if len(word) > 1:
            words.append(word)
            before = ""
            continue
        if before and before not in HAN_CHARACTERS and word not in HAN_CHARACTERS:
            words.append(before + word)
        before = word
    known = set(words)
    found += words
    # Doubled characters are pet names more often than not (`多多`), also where each half is a function word.
    found += [match[0] for match in _DOUBLED.finditer(run) if match[0] not in known]
    found += run


def _bigrams(run: str) -> Iterator[str]:
    if len(run) == 1:
        return iter((run,))
    return (run[i : i + 2] for i in range(len(run) - 1))


def _cut_han(run: str) -> list[str]:
    import rjieba  # loads its dictionary

    # Without the hidden Markov model: the words it guesses (`他养`) depend on what stands around them.
    return rjieba.cut_for_search(run, False)


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    if len(word) > MAX_STEM:
        return word
    # A stemmer holds the word it works on, so that one shared by threads would mix words up.
    return _english_stemmer()().stemWord(word)


@lru_cache(maxsize=1)
def _english_stemmer() -> Callable[[], Any]:
    # The package's own front door takes a C version where one is installed, whose rules may be older or newer.
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return ENGLISH | HAN_WORDS | HAN_CHARACTERS | frozenset(map(_stem, ENGLISH))


def stop(token: str) -> bool:
    """Return whether a token is a function word of English or Chinese, question words included."""
    if token in _stop_words():
        return True
    return len(set(token)) > 1 and HAN_CHARACTERS.issuperset(token)


@lru_cache(maxsize=1 << 16)
def hash_term(term: str) -> int:
    """Return the number a term is stored as: 64 bits of BLAKE2b, little-endian."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def derived_id(*parts: str) -> str:
    """Return the id that the same parts always have, whoever asks."""
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


def note_id(namespace: str, key: str) -> str:
    """Return the id of the note that is kept under a key, whoever writes it."""
    return derived_id("note", namespace, key)


def analyse(text: str, *, question: bool | None = None, marks: Sequence[str] = ()) -> Terms:
    """Return the postings of a text, sorted by term, and its length in tokens without stop words.

    `question` says whether the text asks something; left out, it is one if it ends with a question mark.
    `marks` are put among the terms, to be looked up like them; the length does not count them.
    """
    counts = Counter(tokens(text))
    length = sum(count for term, count in counts.items() if not stop(term))
    counts.update(marks)
    terms = np.fromiter(map(hash_term, counts), np.uint64, len(counts))
    order = np.argsort(terms)
    postings = np.empty(len(counts), POSTING)
    postings["term"] = terms[order]
    postings["tf"] = np.minimum(np.fromiter(counts.values(), np.int64, len(counts)), MAX_TF)[order]
    return Terms(
        postings=postings.tobytes(),
        length=length,
        question=_asks(text) if question is None else question,
    )


def _asks(text: str) -> bool:
    """Whether the last sentence is a question: quotes, brackets, emoji and further marks may follow its `?`."""
    for character in reversed(text):
        if character in _ASKS:
            return True
        if character.isalnum():
            return False
    return False


def query_terms(text: str) -> dict[str, float]:
    """Return the terms of a query with their weights, without stop words unless there is nothing else.

    The weight is the count, and `INSIDE` times the count for a single Han character inside one of the longer words.
    """
    counts = Counter(tokens(text))
    terms = {term: count for term, count in counts.items() if not stop(term)} or dict(counts)
    longer = "".join(term for term in terms if len(term) > 1 and _HAN_RUN.fullmatch(term))
    return {term: count * INSIDE if len(term) == 1 and term in longer else count for term, count in terms.items()}


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model reads: one per four Latin characters, one per Han, kana or Hangul one.

    Every other character counts as half a token. Never shrinks when text is added.
    """
    if text.isascii():
        return -(-len(text) // 4)
    quarters = 2 * len(text) + 2 * _count(_WIDE_RUN, text) - _count(_NARROW_RUN, text)
    return -(-quarters // 4)
