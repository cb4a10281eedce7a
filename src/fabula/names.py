"""When two names are one: how they are compared, and what is short for what; knows no record and no store."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from fabula.secrets import MARK
from fabula.surnames import ROMANISED
from fabula.text import derived_id, fold, script
from fabula.types import ROLES

FIRMS: Final = frozenset(
    ("ltd", "limited", "inc", "corp", "corporation", "co", "company", "gmbh", "ag", "llc", "plc", "group", "holding")
)
HAN_FIRMS: Final = ("公司", "有限公司", "股份有限公司", "集团", "集团公司", "科技", "科技公司")
NOBODY: Final = frozenset(
    ("i", "me", "you", "he", "him", "she", "her", "it", "we", "us", "they", "them", "mom", "mum", "mother", "dad",
     "father", "wife", "husband", "son", "daughter", "brother", "sister", "friend", "boss", "partner", "kids", "family",
     "我", "你", "您", "他", "她", "它", "我们", "你们", "他们", "她们", "咱们", "妈妈", "爸爸", "妈", "爸", "老婆",
     "老公", "妻子", "丈夫", "儿子", "女儿", "哥哥", "弟弟", "姐姐", "妹妹", "朋友", "老板", "领导", "同事")
)  # fmt: skip
"""Words that many are called by: no alias of anybody."""
SIR: Final = ("mr", "sir", "uncle", "先生", "哥", "叔")
MADAM: Final = ("mrs", "ms", "miss", "madam", "aunt", "女士", "小姐", "太太", "姐", "姨")
TITLES: Final = frozenset((*SIR, *MADAM, "mx", "dr", "prof", "professor"))
_HAN_TITLED: Final = re.compile(
    r"^[老小阿](?P<before>[\u4e00-\u9fff])$"
    r"|^(?P<after>[\u4e00-\u9fff]{1,2}?)(?:先生|女士|小姐|太太|老师|教授|医生|经理|主任|律师|师傅|同学|总|工|董|哥|姐|叔|姨|老)$"
)
"""A surname with a title: 王总, 老王."""
USER: Final = "user"
"""What the user of a scope is called where facts are held together, and no id of an entity."""
USERS: Final = frozenset((USER, "用户"))
"""What the one whose memory it is goes by where no name is known."""
PROPERTIES: Final = "fabula:properties"
"""The key of `meta` with what a caller says of an entity or a fact; it has none where talk alone told of it."""
ENTITY_TYPES: Final = ("Person", "Organization", "Location", "Event", "Object", "Work", "Animal", "Concept")
PERSON: Final = frozenset(("person", "people", "human", "per", "user", "人", "人物", "人名"))
"""What extractors call the type of people."""
NAMED: Final = "\0name "
"""Begins the mark that an entity bears for each of its names."""
SORT: Final = "\0sort "
"""Begins the mark that an entity bears for the script of its name and its type."""
NAMED_BY: Final = "named_by"
"""The key of `meta` with the passages that told aliases. An entity's have the names, as they are compared, that each
told: a version goes with any of them. A fact's or a frame's told the aliases by which it is tied, and it is tied
otherwise when one of them goes."""
TOOK: Final = "took"
"""The key of `meta` with the ids of the records that one has taken in because of an alias, or of the passages that told
more of it by one; and the passages that told that alias."""
_ARTICLE: Final = re.compile(r"^(?:[Tt]he|THE|an?|my|our|his|her|their)\s+(?=\S)")
"""In capitals most of them begin a name: An Nguyen, A Coruña, My Chemical Romance."""
_BESIDES: Final = re.compile(
    r"(?P<name>[^()（）,，]+?)\s*(?:[,，(（]\s*)?"
    r"(?:(?P<called>\b(?:also (?:called|known as|named)|aka|a\.k\.a\.)"
    r"|又名|又称|又叫|也叫|亦称|别名|简称|[中英]文名|俗称)\s*[:：为是]?"
    r"|(?<=[(（]))\s*(?P<besides>[^()（）,，]+?)\s*[)）]?$",
    re.IGNORECASE,
)
_HANGUL: Final = re.compile(r"(?<=[\uac00-\ud7af]) (?=[\uac00-\ud7af])")
_TELLING: Final = frozenset("+#%°")
"""Signs that are part of what they stand beside: C++ and C# are two."""


@lru_cache(maxsize=1 << 14)  # asked anew wherever two names are held against each other
def normal(name: str) -> str:
    """Return the name as it is compared: folded, without an article and outer punctuation; never empty for a name."""
    short = _bare(fold(_ARTICLE.sub("", _bare(name.strip()))))
    return _HANGUL.sub("", short) or fold(name) or name


def _bare(name: str) -> str:
    start, end = 0, len(name)
    while start < end and _outer(name[start]) and not (name[start] in "-." and name[start + 1 : start + 2].isalnum()):
        start += 1
    while end > start and _outer(name[end - 1]):
        end -= 1
    return name[start:end]


def _outer(character: str) -> bool:
    """Whether it is no part of a name it stands beside: punctuation, white space, what is not seen, a pictogram."""
    category = unicodedata.category(character)
    return (category[0] in "PZC" or category in ("So", "Sk")) and character not in _TELLING


def parted(name: str) -> tuple[str, ...]:
    """Return a name and what it says that it is called besides: "小米 (Xiaomi)", "Xiaomi, also called 小米".

    What stands in brackets is another name only in another script: "Georgia (country)" is one name.
    """
    found = _BESIDES.match(name.strip())
    if found is None:
        return (name,)
    one, other = found["name"], found["besides"]
    told = found["called"] or {script(one), script(other)} == {"han", "latin"}
    return (one, other) if told and is_name(one) and is_name(other) else (name,)


def entity_id(name: str) -> str:
    """Return the id of whoever is called that, unless it is an alias."""
    return derived_id("entity", normal(name))


def named_by(meta: Mapping[str, Any], passages: Iterable[str], names: Iterable[str]) -> Mapping[str, Any]:
    """Return the `meta` of an entity that these passages have told these names of, as they are compared."""
    known, names = meta.get(NAMED_BY, {}), list(names)
    told = {**known, **{one: list(dict.fromkeys((*known.get(one, ()), *names))) for one in passages}}
    return {**meta, NAMED_BY: told} if told else meta


def tied_by(meta: Mapping[str, Any], passages: Iterable[str]) -> Mapping[str, Any]:
    """Return the `meta` of a fact or a frame that is tied by aliases which these passages told."""
    told = list(dict.fromkeys((*meta.get(NAMED_BY, ()), *passages)))
    return {**meta, NAMED_BY: told} if told else meta


def is_name(name: str) -> bool:
    """Whether it can tell one from others: a pronoun, "her mother" and what was masked cannot."""
    folded = fold(name)
    return bool(folded) and MARK not in name and not {normal(name), normal(folded)} & NOBODY


def names_one(name: str) -> bool:
    """Whether it is somebody's or something's own: no role of a talk either."""
    return is_name(name) and fold(name) not in ROLES


def is_user(name: str, scope: str) -> bool:
    """Whether a name is that of the one whose memory it is: the word for the user, or the name of the scope."""
    return (told := normal(name)) in USERS or (bool(told) and told == normal(scope))


def user_ids(scope: str) -> set[str]:
    """Return the ids of the entities that a name of the user makes."""
    return {entity_id(name) for name in (scope, *USERS)}


def own_name(name: str) -> str:
    """Return the first of the names that one says which is somebody's or something's own; empty where none is."""
    return next(filter(names_one, parted(name)), "")


def same_type(one: str, other: str) -> bool:
    """Whether two types of entities may be one: where both are told, they are the same."""
    a, b = fold(one), fold(other)
    return not (a and b) or a == b or {a, b} <= PERSON


def is_person(kind: str) -> bool:
    """Whether a type is that of people."""
    return fold(kind) in PERSON


def sort_of(kind: str, written: str) -> str:
    """Return the mark of entities of a type whose names are in a script."""
    return f"{SORT}{written} {'person' if is_person(kind) else fold(kind)}"


def short_for(short: str, whole: str, *, person: bool) -> bool:
    """Whether `short` is what `whole` is called for short: a firm without its legal form, a person by one name."""
    a, b = normal(short), normal(whole)
    if script(a) == "han":
        return b.startswith(a) and len(a) > 1 and b[len(a) :] in HAN_FIRMS
    one, all_ = a.split(), b.replace(".", "").split()
    if len(one) < len(all_) and all_[: len(one)] == one and FIRMS.issuperset(all_[len(one) :]):
        return True
    return person and len(one) == 1 < len(all_) and one[0] in (all_[0], all_[-1]) and one[0].isalpha()


def head(name: str) -> str:
    """Return what finds a name among the `heads` of all that it may be short for."""
    folded = normal(name)
    return folded if script(folded) == "han" else folded.split(" ")[0]


def heads(name: str) -> set[str]:
    """Return the `head` of every name that `short_for` could take for short for this one."""
    folded = normal(name)
    words = folded.replace(".", "").split() or [folded]
    return {words[0], words[-1], *(folded.removesuffix(firm) for firm in HAN_FIRMS)}


def could_be(one: str, other: str, *, person: bool) -> bool:
    """Whether two names may be of one person or firm: short forms, initials, a title for the first name, other scripts.

    A Chinese person has the same surname in Latin letters. Two that are entirely different are not: a couple has one
    telephone.
    """
    a, b = normal(one), normal(other)
    if not all(any(map(str.isalpha, name)) for name in (a, b)):
        return False
    if a == b or script(a) != script(b):
        return not person or (_romanised(a, b) and _romanised(b, a))
    if {_address(a), _address(b)} == {SIR, MADAM}:
        return False
    if script(a) == "latin":
        short, long_ = sorted((_called(a), _called(b)), key=len)
        at = iter(long_)
        return all(any(_fits(word, whole) for whole in at) for word in short)
    short, long_ = sorted((a, b), key=len)
    if len(short) > 1 and (long_.startswith(short) or long_.endswith(short)):
        return True
    titled = ((found["before"] or found["after"], other) for one, other in ((a, b), (b, a))
              if (found := _HAN_TITLED.match(one)))  # fmt: skip
    return any(other.startswith(surname) for surname, other in titled)


def _romanised(name: str, other: str) -> bool:
    """Whether another name may be one in Han, which has a surname and up to two characters more, in Latin letters."""
    surname = next((name[:size] for size in (2, 1) if 0 < len(name) - size < 3 and name[:size] in ROMANISED), None)
    return surname is None or script(other) != "latin" or not ROMANISED[surname].isdisjoint(_called(other))


def _address(name: str) -> tuple[str, ...]:
    """Which of `SIR` and `MADAM` a name is said with, if either."""
    first, last = name.split()[0].strip("."), name
    return next((kind for kind in (SIR, MADAM) if first in kind or (len(name) > 1 and last.endswith(kind[3:]))), ())


def _called(name: str) -> list[str]:
    """The words of a name without titles and legal forms; all of them where nothing else is left."""
    words = re.findall(r"[^\W_]+", name)
    return [word for word in words if word not in TITLES and word not in FIRMS] or words


def _fits(one: str, other: str) -> bool:
    """Whether a word of a name is another, its initial, or what it is called for short."""
    short, long_ = sorted((one, other), key=len)
    return short == long_ or (len(short) != 2 and long_.startswith(short) and not short.isdigit())


def spans_of_names(text: str) -> list[str]:
    """Return what could be names in a text, as they are compared: up to four words, or two to eight Han characters."""
    words: list[str] = re.findall(r"[^\W\u4e00-\u9fff]+(?:['’.&-]\w+)*[+#]*", text)
    found = [" ".join(words[at : at + size]) for size in range(1, 5) for at in range(len(words) - size + 1)]
    for run in re.findall(r"[\u4e00-\u9fff]{2,}", text):
        found += [run[at : at + size] for size in range(2, 9) for at in range(len(run) - size + 1)]
    return list(dict.fromkeys(normal(name.removesuffix("'s").removesuffix("’s")) for name in found if is_name(name)))
