"""What recurs in a memory, by counting alone: who, where, what is done, when, and how the mood moves.

It reads no meaning and draws no conclusion: a pattern says how often, of how many, and from when to when.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from fabula.inferences import protected, telltale
from fabula.names import could_be, names_one, normal
from fabula.replies.values import PRONOUNS
from fabula.text import fold
from fabula.types import Emotion
from fabula.when.english_words import WEEKDAY_NAMES

Language = Literal["en", "zh"]

LEAST: Final = 4
"""How often something has to recur,"""
DAYS: Final = 3
"""on how many days at least,"""
MOST: Final = 0.8
"""and in how large a part of all at most: who takes part in nearly everything is whose talk it is."""
LEADING: Final = 10
"""How many of each sort are told, the most frequent."""
BORNE_OUT: Final = 2
"""How often a guessed name has to stand where a person's, or a place's, does."""
DATED: Final = 8
"""Days there have to be before a weekday or a part of the day says anything."""
HALF: Final = 0.5
"""The part of the days that fall on one weekday before it is told; one in seven would be chance."""
MAINLY: Final = 0.6
"""The same for a part of the day, of which there are four."""
MOODS: Final = 10
"""Emotions there have to be, on as many days as a weekday needs, before their trend is told."""
MOVED: Final = 0.25
"""Valence by which the mean of the later half has to differ from that of the earlier,"""
SURE: Final = 2.0
"""and by how many standard errors (Welch 1947)."""

ACTIVITIES: Final[Mapping[str, tuple[str, str, str]]] = {
    "running": (
        "跑步",
        "jog(?:s|ged|ging)?|went for a run|running(?! (?:late|low|out|on|the|a|into|for|behind))",
        "跑步|慢跑|晨跑|夜跑",
    ),
    "swimming": ("游泳", "swim(?:s|ming)?|swam", "游泳"),
    "hiking": ("徒步", "hik(?:e|es|ed|ing)", "徒步|爬山|登山|远足"),
    "cycling": ("骑行", "cycling|biking|bike rides?", "骑行|骑车|骑自行车"),
    "climbing": ("攀岩", "climbing|bouldering", "攀岩|抱石"),
    "yoga": ("瑜伽", "yoga", "瑜伽"),
    "dancing": ("跳舞", "danc(?:ed|ing)", "跳舞|舞蹈"),
    "skiing": ("滑雪", "skiing|snowboarding", "滑雪"),
    "football": ("足球", "football|soccer", "足球"),
    "basketball": ("篮球", "basketball", "篮球"),
    "tennis": ("网球", "tennis", "网球"),
    "badminton": ("羽毛球", "badminton", "羽毛球"),
    "fitness training": ("健身", "gym|workouts?|working out", "健身"),
    "reading": ("阅读", "reading|book club", "看书|读书|阅读"),
    "writing": ("写作", "writing", "写作"),
    "painting": ("绘画", "painting|drawing class", "画画|绘画"),
    "photography": ("摄影", "photography", "摄影"),
    "pottery": ("陶艺", "pottery|ceramics", "陶艺"),
    "music": ("音乐", "piano|guitar|violin|choir|singing", "弹琴|钢琴|吉他|小提琴|合唱|唱歌"),
    "cooking": ("烹饪", "cook(?:ed|ing)|baking|baked", "做饭|烹饪|下厨|烘焙"),
    "gardening": ("园艺", "gardening", "园艺|种花|种菜"),
    "fishing": ("钓鱼", "fishing", "钓鱼"),
    "camping": ("露营", "camp(?:ed|ing)", "露营"),
    "travelling": ("旅行", "travel(?:s|ed|led|ing|ling)?", "旅行|旅游"),
    "chess": ("下棋", "chess", "下棋|象棋|围棋"),
    "video games": ("电子游戏", "video games?|gaming", "打游戏|电子游戏"),
    "volunteering": ("志愿活动", "volunteer(?:s|ed|ing)?", "志愿者|做义工"),
}  # fmt: skip
"""Pastimes: the name in English and in Chinese, and the words of each by which they are known.

A word that is no pastime says nothing by recurring, so the list is closed.
"""
_ACTIVE: Final = {
    name: re.compile(rf"\b(?:{english})\b|{chinese}") for name, (_, english, chinese) in ACTIVITIES.items()
}
_NOBODY: Final = PRONOUNS | {"用户", "助手"}
_BEFORE: Final = {
    "person": r"(?:[和跟与同给找约陪见叫]|\b(?:with|and|met|saw|visited|called|from|told|asked|to|by)\s)",
    "place": r"(?:[在去到回往从来]|\b(?:in|at|to|from|near|around|visited|through)\s)",
}
"""What stands before the name of a person or a place."""
_NO_PLACE: Final = frozenset(("城市", "东西", "日志", "地方", "家里", "公司", "学校", "国外", "国内"))
_WEEKDAYS: Final = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")
_PARTS: Final = (
    (5, "at night (23–5 h)", "深夜（23–5点）"), (12, "in the morning (5–12 h)", "早上（5–12点）"),
    (18, "in the afternoon (12–18 h)", "下午（12–18点）"), (23, "in the evening (18–23 h)", "晚上（18–23点）"),
    (24, "at night (23–5 h)", "深夜（23–5点）"),
)  # fmt: skip
"""Parts of the day: the hour before which each ends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """One thing that is remembered, as far as it is counted."""

    id: str
    text: str
    time: datetime
    """When it was told, by the clock of who told it."""
    people: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    """Those of them who spoke."""
    places: tuple[str, ...] = ()
    guessed: bool = False
    """Whether rules took words of the text for the others and for the places: some of these are none."""
    emotion: Emotion | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """Something that recurs: of its `category` there is one a `subject`, however often it is counted."""

    category: str
    subject: str
    text: str
    count: int
    of: int
    """How many it was counted among."""
    since: datetime
    until: datetime
    ids: tuple[str, ...]
    """The moments that were counted."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """Moments that have something in common, in order of time."""

    moments: Sequence[Moment]

    @property
    def since(self) -> datetime:
        return self.moments[0].time

    @property
    def until(self) -> datetime:
        return self.moments[-1].time

    @property
    def days(self) -> int:
        return len({_day(moment) for moment in self.moments})


def patterns(moments: Iterable[Moment], language: Language) -> list[Pattern]:
    """Return what recurs in `moments`, said in `language`, what recurs most first.

    A handful of moments gives nothing: see the thresholds of this module. What names a protected trait is not counted.
    """
    dated = sorted(moments, key=lambda moment: moment.time)
    found = [
        *_recurring(dated, language, "relationship", "person", lambda moment: moment.people),
        *_recurring(dated, language, "behavior_pattern", "place", lambda moment: moment.places),
        *_recurring(dated, language, "behavior_pattern", "activity", _activities),
        *_by_day(dated, language, "weekday", HALF, lambda moment: moment.time.weekday()),
        *_by_day(dated, language, "hours", MAINLY, _part),
        *_trend(dated, language),
    ]
    return sorted(found, key=lambda pattern: -pattern.count)


def _day(moment: Moment) -> date:
    return moment.time.date()


def _activities(moment: Moment) -> tuple[str, ...]:
    text = fold(moment.text)
    return tuple(name for name, words in _ACTIVE.items() if words.search(text))


# --- who, where, what -------------------------------------------------------------------------------------------


def _recurring(
    dated: Sequence[Moment], language: Language, category: str, sort: str, named: Callable[[Moment], Iterable[str]]
) -> Iterator[Pattern]:
    groups: dict[str, list[Moment]] = {}
    spelt: dict[str, Counter[str]] = {}
    sure: Counter[str] = Counter()
    for moment in dated:
        names = {normal(name): name for name in named(moment) if _tells(name, sort)}
        own = {normal(name) for name in moment.speakers}
        for key, name in names.items():
            groups.setdefault(key, []).append(moment)
            spelt.setdefault(key, Counter())[name] += 1
            if sort == "activity" or not moment.guessed or (sort == "person" and key in own):
                sure[key] += BORNE_OUT
            elif sure[key] < BORNE_OUT:
                sure[key] += re.search(_BEFORE[sort] + re.escape(key), fold(moment.text)) is not None
    hosts = [key for key, group in groups.items() if sort == "person" and len(group) > MOST * len(dated)]
    told = 0
    for key, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        counted = _Counted(group)
        host = any(could_be(key, each, person=True) for each in hosts)  # under the name they are called by, too
        enough = len(group) >= LEAST and counted.days >= DAYS and sure[key] >= BORNE_OUT
        if enough and not host and told < LEADING:
            told += 1
            name = spelt[key].most_common(1)[0][0]
            yield Pattern(
                category=category,
                subject=f"{sort}/{key}",
                text=_sentence(language, sort, name, counted, len(dated)),
                count=len(group),
                of=len(dated),
                since=counted.since,
                until=counted.until,
                ids=tuple(moment.id for moment in group),
            )


def _tells(name: str, sort: str) -> bool:
    """Whether it may be counted: no pronoun or role, and nothing that is never inferred of people."""
    if sort == "activity":
        return True
    told = telltale(name) if sort == "place" else protected(name)
    return names_one(name) and fold(name) not in _NOBODY | _NO_PLACE and not told


def _sentence(language: Language, sort: str, name: str, counted: _Counted, total: int) -> str:
    count, since, until = len(counted.moments), counted.since.date(), counted.until.date()
    if language == "zh":
        name = ACTIVITIES[name][0] if sort == "activity" else name
        what = {
            "person": f"有{count}次涉及{name}",
            "place": f"有{count}次提到{name}",
            "activity": f"有{count}次说到{name}",
        }
        return f"据统计，记下的{total}件事中，{what[sort]}（{since}至{until}）。"
    what = {
        "person": f"{name} has a part in {count} of {total} things that were remembered",
        "place": f"{name} is the place in {count} of {total} things that were remembered",
        "activity": f"{count} of {total} things that were remembered speak of {name}",
    }
    return f"Counted: {what[sort]}, from {since} to {until}."


# --- when -------------------------------------------------------------------------------------------------------


def _part(moment: Moment) -> int:
    hour = moment.time.hour
    place = next(place for place, (end, *_) in enumerate(_PARTS) if hour < end)
    return place % (len(_PARTS) - 1)  # the night before midnight is that after it


def _by_day(
    dated: Sequence[Moment], language: Language, sort: str, share: float, when: Callable[[Moment], int]
) -> Iterator[Pattern]:
    """The weekday, or part of the day, on which most days with something to remember are told of."""
    days = {_day(moment) for moment in dated}
    on: dict[int, set[date]] = {}
    for moment in dated:
        on.setdefault(when(moment), set()).add(_day(moment))
    if len(days) < DATED:
        return
    value, mine = max(on.items(), key=lambda item: (len(item[1]), -item[0]))
    if len(mine) < share * len(days):
        return
    group = [moment for moment in dated if when(moment) == value]
    counted = _Counted(group)
    since, until = counted.since.date(), counted.until.date()
    if language == "zh":
        name = _WEEKDAYS[value] if sort == "weekday" else _PARTS[value][2]
        text = f"据统计，有记录的{len(days)}天中，{len(mine)}天的谈话在{name}（{since}至{until}）。"
    else:
        name = f"on a {WEEKDAY_NAMES[value]}" if sort == "weekday" else _PARTS[value][1]
        text = f"Counted: of {len(days)} days with talk, {len(mine)} have it {name}, from {since} to {until}."
    yield Pattern(
        category="behavior_pattern", subject=f"{sort}/{value}", text=text, count=len(mine), of=len(days),
        since=counted.since, until=counted.until, ids=tuple(moment.id for moment in group),
    )  # fmt: skip


# --- how it felt ------------------------------------------------------------------------------------------------


def _trend(dated: Sequence[Moment], language: Language) -> Iterator[Pattern]:
    """Whether the valence of the later half of what has an emotion differs from that of the earlier."""
    felt = [(moment, moment.emotion.valence) for moment in dated if moment.emotion is not None]
    counted = _Counted([moment for moment, _ in felt])
    if len(felt) < MOODS or counted.days < DATED:
        return
    half = len(felt) // 2
    (before, error_before), (after, error_after) = (
        _mean([valence for _, valence in part]) for part in (felt[:half], felt[half:])
    )
    if abs(after - before) < max(MOVED, SURE * math.hypot(error_before, error_after)):
        return
    since, until = counted.since.date(), counted.until.date()
    rose = after > before
    if language == "zh":
        text = (
            f"据统计，{len(felt)}件带有情绪的事中，平均情绪从前半段的{before:+.2f}{'上升' if rose else '下降'}到"
            f"后半段的{after:+.2f}（−1差，+1好；{since}至{until}）。"
        )
    else:
        text = (
            f"Counted: over {len(felt)} things told with feeling, the mean mood {'rose' if rose else 'fell'} from "
            f"{before:+.2f} in the earlier half to {after:+.2f} in the later (-1 bad, +1 good), "
            f"from {since} to {until}."
        )
    yield Pattern(
        category="emotion_trend", subject=f"valence/{'rose' if rose else 'fell'}", text=text, count=len(felt),
        of=len(dated), since=counted.since, until=counted.until, ids=tuple(moment.id for moment in counted.moments),
    )  # fmt: skip


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)
    return mean, math.sqrt(spread / len(values))
