"""Time expressions in Chinese; knows nothing of English, nor of the lunar calendar beyond leaving it alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Final

from fabula.types import Interval
from fabula.when import words
from fabula.when.grammar import Grammar, Match, near
from fabula.when.spans import Calendar


def _any(choices: Iterable[str]) -> str:
    return "|".join(sorted(choices, key=len, reverse=True))


# Chinese has no spaces: what stands beside the words tells 下周三 from 一下周三, 后天 from 最后天黑了.
_N: Final = "一二三四五六七八九"
_NOT_LUNAR: Final = r"(?<![农阴旧]历)(?<!闰)"
_UNCOUNTED: Final = rf"(?<![\d.第{_N}两十百千万亿几零半])"
_YEAR: Final = (
    rf"(?:(?<![\d.前第近约])(?P<year>1\d\d\d|20\d\d|[{_N}][{_N}〇零○]{{3}})\s?年(?!的?历史|之久)"
    r"|(?P<which>大前年|(?<![以之目从提])前年|(?<![回过出进失])去年|(?<![如至从现])今年|(?<![光清文])明年|(?<![以之今最然\d])后年)"
    r"(?![轻龄级幼迈]))"
)
_MONTH: Final = rf"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[{_N}])\s?月"
_DAY: Final = rf"\s?(?P<day>[12]\d|3[01]|0?[1-9]|三十一?|二?十[{_N}]?|廿[{_N}]?|[{_N}])\s?[日号]"
_PART: Final = rf"(?P<part>{_any(words.ZH_PARTS)})"
# 上周日本队 and 下周三亚 are a week and a place; 这周一直 and 上周三次 are no weekday.
_WEEKDAY: Final = (
    r"(?P<weekday>[一二五六]|三(?![亚峡])|四(?![川季])|日(?!本(?![来想要])|语)|天(?![津气天猫]))(?![次个遍])"
)
_WEEK: Final = "(?:周|星期|礼拜)"


def _number(text: str) -> int:
    """Read 12, 十二, 二十三, 一百零五 or 几 (a few: 3)."""
    if text.isdecimal():
        return int(text)
    total, digit = 0, 0
    for sign in text:
        if sign in words.ZH_TENS:
            unit = words.ZH_TENS[sign]
            total += unit if sign in "廿卅" else max(digit, 1) * unit
            digit = 0
        else:
            digit = words.ZH_DIGITS[sign]
    return total + digit


def _count(which: str) -> int:
    """上 is −1, 上上 −2, 下 1; 这 and 本 are 0."""
    return which.count("下") - which.count("上")


def _year(match: Match, calendar: Calendar) -> Interval:
    if match["year"]:
        year = int("".join(str(words.ZH_DIGITS.get(sign, sign)) for sign in match["year"]))
    else:
        year = calendar.today.year + words.ZH_YEARS[match["which"]]
    if match["today"]:
        return calendar.away(year - calendar.today.year, "year", exact=True)
    if match["half"]:
        return calendar.month(year, 1 if match["half"] == "上" else 7, 6, "half")
    if match["season"]:
        return calendar.season(year, words.ZH_SEASONS[match["season"]])
    if not match["month"]:
        return calendar.year(year)
    month = _number(match["month"])
    return calendar.days(date(year, month, _number(match["day"]))) if match["day"] else calendar.month(year, month)


def _date(match: Match, calendar: Calendar) -> Interval:
    return calendar.nearest_date(_number(match["month"]), _number(match["day"]), ahead=near(_FUTURE, match))


def _bare_month(match: Match, calendar: Calendar) -> Interval:
    return calendar.nearest_month(_number(match["month"]), ahead=near(_FUTURE, match))


def _relative_month(match: Match, calendar: Calendar) -> Interval:
    return calendar.this_month(_count(match["which"]), day=_number(match["day"]) if match["day"] else None)


def _week(match: Match, calendar: Calendar) -> Interval:
    offset = _count(match["which"])
    if match["end"]:
        return calendar.weekend(offset)
    if not match["weekday"]:
        return calendar.week(offset)
    return calendar.part(
        calendar.weekday(words.ZH_WEEKDAYS[match["weekday"]], offset), words.ZH_PARTS.get(match["part"])
    )


def _weekday(match: Match, calendar: Calendar) -> Interval:
    if match["end"]:
        return calendar.nearest_weekend(ahead=near(_FUTURE, match))
    day = calendar.nearest_weekday(words.ZH_WEEKDAYS[match["weekday"]], ahead=near(_FUTURE, match))
    return calendar.part(day, words.ZH_PARTS.get(match["part"]))


def _day(match: Match, calendar: Calendar) -> Interval:
    return calendar.part(calendar.from_today(words.ZH_DAYS[match["word"]]), words.ZH_PARTS.get(match["part"]))


def _away(match: Match, calendar: Calendar) -> Interval:
    sign = -1 if match["way"] == "前" else 1
    unit = words.ZH_UNITS[match["unit"]]
    return calendar.away(sign * _number(match["number"]), unit, exact=match["today"] is not None)


def _half_away(match: Match, calendar: Calendar) -> Interval:
    sign = -1 if match["way"] == "前" else 1
    if match["unit"] == "年":
        return calendar.this_month(sign * 6)
    return calendar.days(calendar.shifted(days=sign * 15 - 3), 7, "week")


_FUTURE: Final = re.compile(words.ZH_FUTURE)
_WAY: Final = r"(?:之|以)?(?:(?P<way>前)(?![面后方台排任])|(?P<later>后)(?![悔台面续果代]))"

GRAMMAR: Final = Grammar(
    "[年月天周日晚早夜晨前后拜期]",
    [
        (rf"{_YEAR}(?:的?(?:(?P<today>今天)|(?P<half>[上下])半年|(?P<season>[春夏秋冬])[天季]"
         rf"|\s?{_MONTH}份?(?:的?{_DAY})?))?", _year),
        (rf"{_UNCOUNTED}{_NOT_LUNAR}{_MONTH}{_DAY}", _date),
        (r"(?P<which>(?<![晚早天路街马])上{1,3}个?|这个?|(?<![日基成资版])本|(?<![一楼地天乡以底])下{1,3}个?)月"
         rf"(?![球台亮光季饼色嫂薪])(?:的?{_DAY})?", _relative_month),
        (rf"{_UNCOUNTED}{_NOT_LUNAR}(?:(?=\d)|(?=[{_N}十]+月(?:份|[初底末]|[上中下]旬))|(?<=[在于从到自]))"
         rf"{_MONTH}(?![龄天大嫂台])份?", _bare_month),
        (r"(?P<which>(?<![晚早路街马楼])上{1,3}个?|这个?|(?<![日基成资版])本|(?<![一楼地天乡以底])下{1,3}个?)"
         rf"{_WEEK}(?:(?:(?!一[直起定共样些切边旦点]){_WEEKDAY}|(?P<end>末)){_PART}?|(?![围边庄身折密旋杰公]))",
         _week),
        (rf"(?<![每\d{_N}十两几半整]){_WEEK}(?:{_WEEKDAY}|(?P<end>末)){_PART}?", _weekday),
        (r"(?P<word>大前天|(?<![以之目从先提当])前天|(?<![以之目从先提当])昨天|昨日(?!重现)|(?<![如当现至])今天"
         r"|今日(?!头条|说法)|(?<![清黎文聪光透])明天(?![系真])|明日(?!之星|方舟)|大后天|(?<![以之最然今随背日此午雨事先])后天(?!性))"
         rf"(?:的?{_PART})?", _day),
        (r"(?P<word>昨|(?<![如当现至])今|(?<![聪说清证表文透光鲜发])明)(?P<part>晚上|早上|[晚早夜晨])(?!霜|期)", _day),
        (rf"{_UNCOUNTED}半(?P<unit>年|个月){_WAY}", _half_away),
        (rf"{_UNCOUNTED}(?P<number>\d{{1,3}}|[{_N}两十百零]{{1,5}}|几)(?P<unit>{_any(words.ZH_UNITS)}){_WAY}"
         r"(?P<today>的今天)?", _away),
    ],
)  # fmt: skip
