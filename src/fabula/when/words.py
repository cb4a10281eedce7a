"""The words of time in English and Chinese, as tables; no logic.

Offsets count from the reference (−1 is the one before); hours run past 24 into the next day.
"""

from __future__ import annotations

from typing import Final

# --- English -----------------------------------------------------------------------------------------------------

MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAY_NAMES: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

MONTHS: Final = {name.lower(): n for n, name in enumerate(MONTH_NAMES, 1)} | {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
    "aug": 8, "sept": 9, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
WEEKDAYS: Final = {name.lower(): n for n, name in enumerate(WEEKDAY_NAMES)} | {
    "mon": 0, "tues": 1, "tue": 1, "wed": 2, "thurs": 3, "thur": 3, "thu": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The first month of each."""
PARTS: Final = {"morning": (6, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}

ORDINARY: Final = frozenset({"may", "march", "mar"})
"""Months that are everyday words when written small."""
DAYS: Final = {
    "today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1,
    "the day before yesterday": -2, "the day after tomorrow": 2,
}  # fmt: skip
WHICH: Final = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
UNITS: Final = ("day", "weekend", "week", "month", "year")

ONES: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
}  # fmt: skip
TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
NUMBERS: Final = ONES | TENS | {
    "a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip

BEFORE_DATE: Final = ("on", "by", "in", "since", "until", "till", "before", "after", "from")
BEFORE_MONTH: Final = (
    "in", "since", "until", "till", "during", "early", "late", "mid", "end of", "start of", "beginning of", "middle of",
)  # fmt: skip
BEFORE_YEAR: Final = (
    *BEFORE_MONTH, "before", "after", "from", "year", "of early", "of late", r"from \d\d\d\d to",
)  # fmt: skip
BEFORE_WEEKDAY: Final = (*BEFORE_DATE, "this coming", "over")
BEFORE_WEEKEND: Final = ("over", "at", "on", "during", "for")

MEASURES: Final = (
    "people", "persons?", "men", "women", "users", "members", "times", "days?", "weeks?", "months?", "years?",
    "hours?", "minutes?", "seconds?", "miles?", "km", "kilomet(?:er|re)s?", "met(?:er|re)s?", "feet", "foot", "steps",
    "pounds?", "dollars?", "euros?", "yuan", "usd", "percent", "cases", "words", "pages", "pieces", "copies",
    "calories", "points", "grams?", "kg", "kilos?", "degrees", "cups?", "books?", "friends", "others",
)  # fmt: skip
"""What follows a count, never a date."""

FUTURE: Final = (
    r"\b(?:will|shall|gonna|won['’]t|going to|plan(?:s|ning)? (?:to|on)|next(?! to)|upcoming|looking forward)\b"
    r"|['’]ll\b"
)
LOOKING_BACK: Final = r"n['’]t\b|\bnever\b|\bfirst\b|\bonly\b"
"""Before `in two weeks`, these turn it from a date ahead into a duration."""

# --- Chinese -----------------------------------------------------------------------------------------------------

ZH_DIGITS: Final = {
    "〇": 0, "零": 0, "○": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4,
    "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "几": 3,
}  # fmt: skip
ZH_TENS: Final = {"十": 10, "廿": 20, "卅": 30, "百": 100}
ZH_WEEKDAYS: Final = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
ZH_DAYS: Final = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0,
    "明天": 1, "明日": 1, "后天": 2, "大后天": 3, "昨": -1, "今": 0, "明": 1,
}  # fmt: skip
ZH_YEARS: Final = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
ZH_SEASONS: Final = {"春": 3, "夏": 6, "秋": 9, "冬": 12}
ZH_PARTS: Final = {
    "凌晨": (0, 6), "清晨": (5, 8), "早上": (6, 12), "早晨": (6, 12), "上午": (6, 12), "中午": (11, 13),
    "下午": (12, 18), "傍晚": (17, 19), "晚上": (18, 24), "夜里": (18, 30), "半夜": (22, 30),
    "早": (6, 12), "晨": (6, 12), "晚": (18, 24), "夜": (18, 30),
}  # fmt: skip
ZH_UNITS: Final = {
    "天": "day", "周": "week", "星期": "week", "礼拜": "week", "个星期": "week", "个礼拜": "week",
    "个月": "month", "年": "year",
}  # fmt: skip
ZH_FUTURE: Final = (
    r"(?<!麻)将(?![军近])|(?<![重主需必紧首只])要(?![求是不点素])|打算|准备|计划|下(?:个|周|月|次|星期|礼拜)|明[天年]"
    r"|(?<=[就才再还都也])会"
)
