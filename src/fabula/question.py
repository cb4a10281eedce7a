"""What a question asks for: its kind, whom it names, which times, and in which order; reads words, knows no memory."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from fabula import when
from fabula.conventions import Conventions
from fabula.errors import InvalidInput
from fabula.text import fold, script
from fabula.types import ROLES, Interval

Asks = Literal["", "when", "how_long", "how_many", "who", "where", "why"]
"""What kind of answer is wanted; empty where the words do not say."""
Order = Literal["", "latest", "first"]

_WORDS: Final[tuple[tuple[Asks, str], ...]] = (
    ("when", r"\bhow (?:long|many \w+) ago\b|多久(?:之|以)?前|多长时间(?:之|以)?前"),
    ("how_long", r"\bhow long\b|\bsince when\b|\bhow many (?:years|months|weeks|days|hours|minutes)\b"
                 r"|从什么时[候间]|多久(?!.{0,4}[一1几]次|去?一回)|多长时间|多少(?:年|个月|天|周|小时|分钟)|几(?:年|个月|天|周)(?![号前后])"),
    ("when", r"^(?:(?!\b(?:who|whom|whose|what|which|where|why|how)\b).)*"
             r"(?:\bwhen(?:['’]s|['’]d|\s+(?:did|do|does|is|are|was|were|will|would|has|have|had|can|could|should|shall|am)\b"
             r"|\s*(?:\?|$))|\b(?:know|tell|say|says|said|ask|remember|recall|and|or|exactly)\b.{0,20}\bwhen\b)"
             r"|\b(?:what|which) (?:date|day|week|weekend|month|year|season|time)\b|\bin what year\b"
                 r"|什么时[候间]|啥时候|何时|几时|哪[一]?(?:天|年|月|个月|周|日)|几[号月点日]|星期几|周几|什么日子"),
    ("how_many", r"\bhow (?:many|much|often)\b|多久.{0,4}[一1几]次|多少|几[个次本部家位只条张]"),
    ("who", r"\bwho(?:m|se)?\b|谁|哪位|哪个人"),
    ("where", r"\bwhere\b|\b(?:what|which) (?:place|city|country|town)\b|哪里|哪儿|在哪|去哪|什么地方|何处"),
    ("why", r"\bwhy\b|\bhow come\b|\bwhat (?:made|caused)\b|为什么|为何|为啥|怎么会|原因"),
)  # fmt: skip
"""The first that fits counts: "how long ago" asks when, "how long" for a length."""
_ASKS: Final[list[tuple[Asks, re.Pattern[str]]]] = [
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WORDS
]
_AHEAD: Final = re.compile(
    r"\b(?:will|going to|plan(?:s|ning|ned)?|next|upcoming)\b|\bwhen (?:is|are|am)\b"
    r"|打算|计划|准备|将[于在要会]|什么时[候间][要会将去]|下[次个周]|明[天年]|后天",
    re.IGNORECASE,
)
_ASKED: Final = re.compile(
    r"\bhow (?:long|many|much|often|soon|old)\b(?: \w+)?(?: ago| before| after| earlier| later)?"
    r"|(?:几|多少)(?:个?[月周年天日号点]|个?(?:星期|礼拜|小时|分钟))(?:钟|之前|以前|前|之后|以后|后)?(?=[^,，。]*[?？]|[^,，。]{0,20}$)",
    re.IGNORECASE,
)
"""The words that ask for a time, which name none."""
_PREPOSITION: Final = re.compile(r"^(?:(?:in|on|at|over|during|the|for)\b|在|于)|(?:的时候|期间|里|内)$", re.IGNORECASE)
_LATEST: Final = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|last time|current(?:ly)?|now(?:adays)?|at present)\b"
    r"|\b(?:these days|still)\b|\bany ?more\b"
    r"|\blast (?:see|saw|seen|meet|met|talk(?:ed)?|sp[eo]ak(?:en)?|spoke|hear[d]?|visit(?:ed)?|call(?:ed)?"
    r"|went|go|ate|eat)\b"
    r"|最近的?一次|最后一次|最新|上一?次|目前|现在|如今|眼下|还在|仍然|至今",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(
    r"\b(?:first(?! (?:week|weekend|half|quarter|days?|months?|prize|place|floor|name|aid|class|grade|of|thing))"
    r"|earliest|originally|initially)\b|第一[次回]|头一[次回]|首次|最早|最初|起初|一开始",
    re.IGNORECASE,
)


_DONE: Final = (
    r"(?:\w+ed|left|went|gone|came|gave|given|took|taken|made|told|said|met|bought|sold|wrote|written|won|lost|began|chose"
    r"|got|gotten|held|kept|knew|known|ran|saw|seen|sent|taught|thought|broke|built|found|felt|driven|quit|eaten|sung"
    r"|read|drunk|flown|ridden|worn|spent)"
)
"""Verbs in the past: regular, and the commonest of the others."""
_PAST: Final = re.compile(
    r"\b(?:did|was|were|had|been|used to|ever|former(?:ly)?|previous(?:ly)?|before|earlier|back then|once)\b"
    r"|\b(?:past|history|maiden|ex)\b|\w['’]d\b"
    r"|\b(?:old|last) (?:employer|job|boss|home|house|address|school|flat|apartment)\b"
    rf"|\b(?:who|what|which \w+)(?:['’]s)? {_DONE}\b|\b(?:has|have)(?: [\w'’]+){{0,3}} {_DONE}\b"
    r"|以前|之前|从前|曾|过去|当时|那时|当年|原来|原先|原本|历史|[^通超经度不]过(?!年|节|生日|程|敏|得|夜|期|分)"
    r"|(?<![从以之目眼向面提])前(?![面天进往台方年])|小时候|旧(?:的|地址|家|公司|工作)|上(?:一?家|一?份)"
    r"|[换住做干去学]了哪|离开了|上的(?:大学|学)",
    re.IGNORECASE,
)
"""Words for what may be over: whoever asks "where does she live" asks for what holds now."""
_MANY: Final = re.compile(
    r"\b(?:what|which)(?: \w+){0,2} (?!(?:is|was|has|does|his|this|its|always)\b)\w+s\b|\bhow (?:many|often)\b"
    r"|\ball (?:the|of|his|her|their)\b|\blist\b|\bwhat (?:all|else)\b"
    r"|都有?[哪什]|哪些|哪几|几[次个种家本部]|多少[次个种]|所有|分别|列出",
    re.IGNORECASE,
)
"""What asks for several things: plurals, how many times, 都有哪些."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the words of a question say about its answer."""

    asks: Asks = ""
    windows: tuple[Interval, ...] = ()
    """The times it names, resolved against the moment it is asked at."""
    past: bool = False
    """Whether it may be about what is over."""
    order: Order = ""
    """Whether it wants the first of several, or the latest: what holds now, the last time."""
    ahead: bool = False
    """Whether it is about what was still to come."""
    people: tuple[str, ...] = ()
    """Whom it names, of those who speak in the scope."""

    @property
    def current(self) -> bool:
        """Whether what still holds is preferred to what is over."""
        return self.order == "latest" or not (self.past or self.windows or self.timed or self.order)

    many: bool = False
    """Whether it asks for several things."""

    @property
    def timed(self) -> bool:
        """Whether the answer is a time."""
        return self.asks in ("when", "how_long")


def read(
    query: str,
    at: datetime,
    speakers: Iterable[str] = (),
    conventions: Conventions = Conventions(),  # noqa: B008 - frozen
) -> Question:
    """Read a question that is asked at `at`; raises nothing on any text."""
    return Question(
        asks=_kind(query),
        windows=tuple(
            i
            for one in when.find(_ASKED.sub(_blank, query), at, conventions)
            if (i := one.interval) is not None and not _about_now(i, at)
        ),
        past=bool(_PAST.search(query)),
        order="latest" if _LATEST.search(query) else "first" if _FIRST.search(query) else "",
        ahead=bool(_AHEAD.search(query)),
        many=bool(_MANY.search(query)),
        people=tuple(named(query, speakers)),
    )


def window(text: str, at: datetime, conventions: Conventions = Conventions()) -> Interval:  # noqa: B008 - frozen
    """Return the one time that `text` is, read at `at`; `InvalidInput` where it is none, several, or says more."""
    found = [(one, interval) for one in when.find(text, at, conventions) if (interval := one.interval) is not None]
    if len(found) != 1:
        raise InvalidInput(f"{'no time' if not found else 'more than one time'} in {text!r}")
    ((one, interval),) = found
    rest = _PREPOSITION.sub("", f"{text[: one.start]} {text[one.end :]}".strip()).strip()
    if re.search(r"\w", rest):
        raise InvalidInput(f"{text!r} is a time and something else: {rest!r}")
    return interval


def _about_now(window: Interval, at: datetime) -> bool:
    """Whether it is "now", "recently" or "soon": in a question they tell of the talk, not of the day it is asked on."""
    if window.precision != "fuzzy":
        return window.precision == "instant"
    day = timedelta(days=1)
    return (window.start is None or window.start <= at + day) and (window.end is None or window.end >= at - day)


def _blank(match: re.Match[str]) -> str:
    return "?" * len(match[0])


def _kind(query: str) -> Asks:
    for kind, words in _ASKS:
        if words.search(query):
            return kind
    return ""


def named(query: str, speakers: Iterable[str]) -> list[str]:
    """Return the speakers that `query` names, as whole words; roles such as "user" are nobody's name."""
    folded = fold(query)
    found: list[str] = []
    for speaker in speakers:
        name = fold(speaker)
        if not name or name in ROLES:
            continue
        # Not a word boundary: between a Latin name and a Han character there is none.
        before, after = ("", "") if script(name) == "han" else ("(?<![0-9a-z_])", "(?![0-9a-z_])")
        if re.search(f"{before}{re.escape(name)}{after}", folded):
            found.append(speaker)
    return found
