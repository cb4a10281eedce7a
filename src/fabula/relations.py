"""What a fact's predicate means for other facts: whether it has one object at a time, ends another, or passes; tables.

Predicates are free words of a language model, in its speakers' language; those that are not in the tables are taken
as they are, and hold side by side. No fact and no entity is known here, only words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from fabula import when
from fabula.secrets import MARK
from fabula.text import fold

SINGLE: Final[Mapping[str, str]] = {
    "home": "lives in|live in|lives at|resides in|resides at|is living in|living in|residing in|moved to|has moved to"
            "|relocated to|moved into|home is in|current city is|住在|居住于|居住在|居住地|现居|定居于|定居在"
            "|搬到|搬到了|搬去|搬至|暂时居住于|暂住",
    "employer": "works at|works for|is employed by|is employed at|is working at|is working for|working at|working for"
                "|joined the company"
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
    "rate": "rate|rate is|interest rate|interest rate is|tax rate|tax rate is|利率|利率是|税率|税率是|费率|费率是",
    "cap": "cap|cap is|rate cap|rate cap is|upper limit|upper limit is|上限|上限是|上限为|利率上限|利率上限是",
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
NUMBERED: Final[Mapping[str, str]] = {
    "account": "account|account is|account number|account number is|bank account|bank account is|has account"
               "|账号|账号是|账户|账户是|银行账号|银行账号是|银行卡号|银行卡号是",
    "passport": "passport|passport is|passport number|passport number is|护照|护照号|护照号是|护照号码|护照号码是",
    "id number": "id number|id number is|id card|id card number|id card number is|national id|national id is"
                 "|social security number|social security number is|ssn|ssn is"
                 "|身份证|身份证是|身份证号|身份证号是|身份证号码|身份证号码是",
}  # fmt: skip
"""Relation -> predicates that have several objects, each of them one person's or firm's alone."""
NAMING: Final[Mapping[str, str]] = {
    "alias": "alias|alias is|aka|also called|is also called|also known as|is also known as|is known as|is called"
             "|nickname|nickname is|goes by|english name|english name is|chinese name|chinese name is"
             "|别名|别名是|又名|又称|又叫|也叫|被叫做|被称为|简称|俗称|昵称|昵称是|外号|外号是|绰号|英文名|英文名是|中文名|中文名是",
}  # fmt: skip
"""Predicates that say what somebody is called besides."""
SHARED: Final = frozenset(("phone", "email"))
"""Relations whose object a household or a firm may share: it tells that two are one only where their names may be."""
IDENTIFYING: Final = frozenset((*SHARED, *NUMBERED))
"""Relations whose object belongs to one only, or to few."""
SHORTEST: Final = 5
"""Letters and figures that what identifies somebody has at least: a street has many numbers 12."""
LASTING: Final = frozenset(
    ("is", "are", "am", "isn't", "has", "have", "had", "owns", "own", "likes", "like", "loves", "love", "hates", "hate",
     "dislikes", "dislike", "enjoys", "enjoy", "prefers", "prefer", "knows", "know", "speaks", "speak", "wants", "want",
     "believes", "believe", "needs", "need", "uses", "use", "plays", "play", "does", "doesn't", "supports", "follows",
     "was", "were", "collects", "practices", "practises", "studies", "teaches", "drives", "wears", "fears", "owes")
)  # fmt: skip
"""First words of predicates that tell of a state: told again with another start, it is the same state."""
_HAN_LASTING: Final = re.compile(
    r"(?:不|很|最|特别|非常|一直|正在)*(?:喜欢|喜爱|热爱|爱|讨厌|害怕|怕|偏好|拥有|有|是|会(?![见面议])|懂|认识|了解|属于|擅长|想(?![起到])|希望|需要|相信|支持"
    r"|使用|养|收藏|患有|对)(?!.*[了过]$)"
)
ATTRIBUTES: Final = frozenset(
    ("has", "have", "is", "are", "owns", "own", "is a", "is an", "is the", "has a", "has an", "is called", "is named",
     "有", "是", "拥有", "叫", "叫做", "为", "名叫", "属于")
)  # fmt: skip
"""Predicates that tell no more than what their subject has or is."""
HOLDS: Final = "\0holds "
"""Begins the mark that a fact bears for its relation."""
_PASSING: Final = re.compile(
    r"\b(?:temporar(?:y|ily)|for now|for the time being|is staying|stays with|until"
    r"|for (?:a|an|one|two|three|\d+) \w+)\b"
    r"|暂时|暂住|临时|短期|借住|小住|出差"
)
"""Words for what passes, and does not end what lasts."""


_NEGATED: Final = re.compile(
    r"\b(?:not|no|never|nobody|nothing|none|neither|nor|without|cannot|hardly|\w+n't|\w+nt(?<=dont|cant|wont))\b"
    r"|[不没未无非勿莫甭别](?![错过断同久少管仅但如])"
)
"""Words that turn a sentence into its opposite; 不错, 不过 and the like are none."""
_FIGURES: Final = re.compile(
    r"\d+(?:[.,:/-]\d+)*|[零〇一二两三四五六七八九十百千万亿]+(?=[元块岁个名位人天次号楼层室])"
)
_OUTER: Final = re.compile(r"(?<!\w)(?:(?!-\d)[^\w\s+#%°$€£¥])+|[^\w\s+#%°$€£¥]+(?!\w)")
_LIGHT: Final = re.compile(
    r"(?<!for )(?<!until )\b(?:currently|presently|now|nowadays|still|already|at present|at the moment)\b"
    r"|^(?:(?:目前|现在|如今|现时|当前|眼下|仍然|仍旧|依然|还是|已经|一直|[仍已]|现(?=[住任就供在])|正(?=[在就])) ?)+"
    r"(?=.)"
)
"""Words of a predicate that do not change what it says; in Chinese they come first."""
_PERFECT: Final = re.compile(r"^(?:has|have|had|'s|'ve) been (?=\w+ing\b)")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HAN_GAP: Final = re.compile(r"(?<=[\u4e00-\u9fff]) +(?=[\u4e00-\u9fff])")
_SOME_DAY: Final = datetime(2000, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=4096)  # asked anew for every fact that a new one is held against
def worded(predicate: str) -> str:
    """Return a predicate as it is compared: folded, as words where it is written as a key (`lives_in`, `worksAt`).

    What does not change what it says is left out: currently, still, 目前.
    """
    folded = _HAN_GAP.sub("", fold(_spaced(predicate)))
    return " ".join(_LIGHT.sub("", folded).split()) or folded


def _spaced(key: str) -> str:
    """The words of what is written as one."""
    key = key.replace("_", " ").strip()
    return key if " " in key else _HUMP.sub(" ", key.replace("-", " "))


def _named(*tables: Mapping[str, str]) -> dict[str, str]:
    return {fold(word): name for table in tables for name, words in table.items() for word in words.split("|")}


_SINGLE: Final = _named(SINGLE)
_ENDING: Final = _named(ENDING)
_RELATIONS: Final = _named(SINGLE, NUMBERED, NAMING)


def _listed(predicate: str, table: Mapping[str, str]) -> str:
    """What a table says of a predicate, or of what it has been; empty where it says nothing."""
    said = worded(predicate)
    return table.get(said) or table.get(_PERFECT.sub("", said), "")


def relation(predicate: str) -> str:
    """Return the relation that a predicate stands for: one of the tables', or the predicate as it is compared."""
    return _listed(predicate, _RELATIONS) or worded(predicate)


def single(predicate: str) -> bool:
    """Whether it has one object at a time."""
    return bool(_listed(predicate, _SINGLE))


def lasting(predicate: str) -> bool:
    """Whether it tells of a state, which goes on until it ends; what is no state happens, and may happen again."""
    said = worded(predicate)
    first, _, rest = said.partition(" ")
    going_on = rest.partition(" ")[0].endswith("ing") and first in ("is", "are", "am", "was", "were")
    return bool(_listed(said, _RELATIONS)) or (first in LASTING and not going_on) or bool(_HAN_LASTING.match(said))


def attribute(predicate: str) -> bool:
    """Whether it tells no more than what its subject has or is."""
    return worded(predicate) in ATTRIBUTES


def ending(predicate: str) -> str:
    """Return the relation that a predicate says is over; empty where it says of none."""
    return _listed(predicate, _ENDING)


@lru_cache(maxsize=4096)
def passing(*words: str) -> bool:
    """Whether words say that it holds for a while only."""
    return any(_PASSING.search(fold(_spaced(word))) for word in words)


def naming(predicate: str) -> bool:
    """Whether it says what its subject is called besides."""
    return relation(predicate) in NAMING


def identifying(predicate: str, thing: str) -> str:
    """Return what tells its owner from all others, as it is compared; empty where it could be of several."""
    about = relation(predicate)
    if about not in IDENTIFYING or MARK in thing:
        return ""
    folded = fold(thing)
    key = folded if about == "email" else re.sub(r"[\W_]+", "", folded)
    if about == "phone":
        key = re.sub(r"\D+", "", key)[-10:]  # with or without the country's code
    told = "@" in key if about == "email" else any(map(str.isdigit, key))
    return f"{about} {key}" if told and len(key) >= SHORTEST else ""


def wording(text: str) -> str:
    """Return a sentence as it is compared: folded, without punctuation that is not inside a number or a word.

    Signs that are part of what they stand beside stay: −5 is not 5, and C++ is not C#.
    """
    return " ".join(_OUTER.sub("", fold(text)).split())


def contradicts(one: str, other: str) -> bool:
    """Whether two wordings of what looks the same differ in a number or a negation; when it was is no such number."""
    (negated, figures), (other_negated, others) = _claims(one), _claims(other)
    return negated != other_negated or bool(figures and others and figures != others)


def _claims(text: str) -> tuple[bool, frozenset[str]]:
    """Whether a wording is negated, and its figures."""
    negated = bool(_NEGATED.search(fold(text)))
    for found in reversed(when.find(text, _SOME_DAY)):
        text = f"{text[: found.start]} {text[found.end :]}"
    return negated, frozenset(_FIGURES.findall(fold(text)))
