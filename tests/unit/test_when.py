import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fabula.types import Interval
from fabula.when import Found, chinese_words, distance, english_words, find, spell

WEDNESDAY = datetime(2025, 3, 5, 10, tzinfo=timezone(timedelta(hours=8)))


def read(text: str, reference: datetime | str = WEDNESDAY) -> list[str]:
    """Each find as `first..last` day, `start/end` where it is not whole days."""
    reference = datetime.fromisoformat(reference) if isinstance(reference, str) else reference
    return [written(interval) for found in find(text, reference) if (interval := found.interval) is not None]


def written(interval: Interval) -> str:
    start, end = interval.start, interval.end
    if start is None or end is None:
        return f"{start.date() if start else ''}..{end.date() if end else ''}"
    if any(edge.time() != datetime.min.time() for edge in (start, end)):
        return f"{start:%Y-%m-%dT%H:%M:%S}/{end:%Y-%m-%dT%H:%M:%S}"
    last = end - timedelta(1)
    return f"{start:%Y-%m-%d}" if last == start else f"{start:%Y-%m-%d}..{last:%Y-%m-%d}"


ENGLISH = {
    "2023-05-08": "2023-05-08",
    "2023/5/8": "2023-05-08",
    "8 May 2023": "2023-05-08",
    "8-May-2023": "2023-05-08",
    "May 8, 2023": "2023-05-08",
    "8th of May, 2023": "2023-05-08",
    "May 8th": "2025-05-08",
    "8th of May": "2025-05-08",
    "March 5": "2025-03-05",
    "Dec. 4, 2022": "2022-12-04",
    "1st of May last year": "2024-05-01",
    "10/05/2023": "2023-10-05",
    "25/12/2023": "2023-12-25",
    "February 29": "2024-02-29",
    "May 2023": "2023-05-01..2023-05-31",
    "May of last year": "2024-05-01..2024-05-31",
    "last May": "2024-05-01..2024-05-31",
    "next March": "2026-03-01..2026-03-31",
    "this June": "2025-06-01..2025-06-30",
    "summer 2022": "2022-06-01..2022-08-31",
    "spring of 2020": "2020-03-01..2020-05-31",
    "winter 2023": "2023-12-01..2024-02-29",
    "last summer": "2024-06-01..2024-08-31",
    "this fall": "2025-09-01..2025-11-30",
    "next spring": "2026-03-01..2026-05-31",
    "2026-W53": "2026-12-28..2027-01-03",
    "today": "2025-03-05",
    "yesterday": "2025-03-04",
    "tomorrow": "2025-03-06",
    "the day before yesterday": "2025-03-03",
    "the day after tomorrow": "2025-03-07",
    "tonight": "2025-03-05T18:00:00/2025-03-06T06:00:00",
    "last night": "2025-03-04T18:00:00/2025-03-05T06:00:00",
    "this morning": "2025-03-05T06:00:00/2025-03-05T12:00:00",
    "yesterday evening": "2025-03-04T18:00:00/2025-03-05T00:00:00",
    "last week": "2025-02-24..2025-03-02",
    "this week": "2025-03-03..2025-03-09",
    "next week": "2025-03-10..2025-03-16",
    "last weekend": "2025-03-01..2025-03-02",
    "this weekend": "2025-03-08..2025-03-09",
    "next weekend": "2025-03-15..2025-03-16",
    "this past weekend": "2025-03-01..2025-03-02",
    "this coming weekend": "2025-03-08..2025-03-09",
    "last month": "2025-02-01..2025-02-28",
    "this month": "2025-03-01..2025-03-31",
    "next month": "2025-04-01..2025-04-30",
    "last year": "2024-01-01..2024-12-31",
    "this year": "2025-01-01..2025-12-31",
    "next year": "2026-01-01..2026-12-31",
    "last Monday": "2025-03-03",
    "last Wednesday": "2025-02-26",
    "this Friday": "2025-03-07",
    "next Friday": "2025-03-14",
    "this coming Saturday": "2025-03-08",
    "last Sat": "2025-03-01",
    "Monday morning": "2025-03-03T06:00:00/2025-03-03T12:00:00",
    "3 days ago": "2025-03-02",
    "twenty-one days ago": "2025-02-12",
    "a few days ago": "2025-03-01..2025-03-03",
    "a couple of days ago": "2025-03-02..2025-03-04",
    "two weeks ago": "2025-02-16..2025-02-22",
    "two weekends ago": "2025-02-22..2025-02-23",
    "a couple of months ago": "2025-01-01..2025-01-31",
    "ten years ago": "2015-01-01..2015-12-31",
    "in 3 days": "2025-03-08",
    "in two weeks": "2025-03-16..2025-03-22",
    "in a year": "2026-01-01..2026-12-31",
    "six months from now": "2025-09-01..2025-09-30",
    "the twenty-first of June, nineteen ninety-six": "1996-06-21",
    "July 4th, 1976": "1976-07-04",
    "April of '87": "1987-04-01..1987-04-30",
    "Friday the 13th": "2024-12-13",
    "Tuesday the 11th": "2025-02-11",
    "Mon, 10 Mar": "2025-03-10",
    "upcoming Friday": "2025-03-07",
    "last Christmas": "2024-12-25",
    "Thanksgiving three years ago": "2022-11-24",
    "Labor Day weekend": "2025-08-30..2025-09-01",
    "the Saturday before last": "2025-02-22",
    "the week after next": "2025-03-17..2025-03-23",
    "a week on Tuesday": "2025-03-18",
    "two weeks from Saturday": "2025-03-22",
    "the week of March 10": "2025-03-10..2025-03-16",
    "week 40 of 2023": "2023-10-02..2023-10-08",
    "the first Monday in April": "2025-04-07",
    "the last Friday of the month": "2025-03-28",
    "the second last week of October 2018": "2018-10-15..2018-10-21",
    "the 20th of last month": "2025-02-20",
    "early last week": "2025-02-24..2025-02-26",
    "mid-2019": "2019-06-01..2019-07-31",
    "the beginning of next month": "2025-04-01..2025-04-10",
    "the rest of the month": "2025-03-05T10:00:00/2025-04-01T00:00:00",
    "Q4 last year": "2024-10-01..2024-12-31",
    "the second half of 2020": "2020-07-01..2020-12-31",
    "the night before last": "2025-03-03T18:00:00/2025-03-04T06:00:00",
    "this morning at quarter past eight": "2025-03-05T08:15:00/2025-03-05T08:16:00",
    "tomorrow at half past five": "2025-03-06T17:30:00/2025-03-06T17:31:00",
    "Monday at noon": "2025-03-03T12:00:00/2025-03-03T13:00:00",
    "tomorrow from 2 to 4pm": "2025-03-06T14:00:00/2025-03-06T16:00:00",
    "Friday between 5 and 7": "2025-02-28T17:00:00/2025-02-28T19:00:00",
    "from Monday to Wednesday": "2025-03-03..2025-03-05",
    "June 10-14": "2025-06-10..2025-06-14",
    "10/1-11/2/2017": "2017-10-01..2017-11-02",
    "from 1999 until 2005": "1999-01-01..2005-12-31",
    "for three days from Monday": "2025-03-03..2025-03-05",
    "two days before Christmas": "2024-12-23",
    "the week before Christmas": "2024-12-16..2024-12-22",
    "an hour and a half ago": "2025-03-05T08:30:00/2025-03-05T08:31:00",
    "three weeks later": "2025-03-23..2025-03-29",
    "the past ten days": "2025-02-23T10:00:00/2025-03-05T10:00:00",
    "the next two hours": "2025-03-05T10:00:00/2025-03-05T12:00:00",
    "since last Friday": "2025-02-28..",
    "before 2015": "..2015-01-01",
    "this time last year": "2024-02-19..2024-03-20",
    "in about forty minutes": "2025-03-05T10:30:00/2025-03-05T10:50:00",
    "4pm CET tomorrow": "2025-03-06T23:00:00/2025-03-07T00:00:00",
    "the third Tuesday after Christmas 2014": "2015-01-13",
}
CHINESE = {
    "2023年5月8日": "2023-05-08",
    "2023 年 5 月 8 日": "2023-05-08",
    "２０２３年５月８日": "2023-05-08",
    "二〇二三年十月三十一日": "2023-10-31",
    "2023年5月": "2023-05-01..2023-05-31",
    "一九九八年": "1998-01-01..1998-12-31",
    "2023年": "2023-01-01..2023-12-31",
    "2019年下半年": "2019-07-01..2019-12-31",
    "去年夏天": "2024-06-01..2024-08-31",
    "去年5月8日": "2024-05-08",
    "明年三月": "2026-03-01..2026-03-31",
    "去年的今天": "2024-03-05",
    "5月8日": "2025-05-08",
    "五月八号": "2025-05-08",
    "3月5日": "2025-03-05",
    "2月29日": "2024-02-29",
    "八月份": "2025-08-01..2025-08-31",
    "今天": "2025-03-05",
    "昨天": "2025-03-04",
    "前天": "2025-03-03",
    "大前天": "2025-03-02",
    "明天": "2025-03-06",
    "后天": "2025-03-07",
    "大后天": "2025-03-08",
    "昨晚": "2025-03-04T18:00:00/2025-03-05T00:00:00",
    "今早": "2025-03-05T06:00:00/2025-03-05T12:00:00",
    "前天下午": "2025-03-03T12:00:00/2025-03-03T18:00:00",
    "上周": "2025-02-24..2025-03-02",
    "本周": "2025-03-03..2025-03-09",
    "下周": "2025-03-10..2025-03-16",
    "上个星期": "2025-02-24..2025-03-02",
    "上周三": "2025-02-26",
    "周三": "2025-02-26",
    "礼拜天": "2025-03-02",
    "这周五": "2025-03-07",
    "下周一": "2025-03-10",
    "上上周三": "2025-02-19",
    "下下周日": "2025-03-23",
    "上周末": "2025-03-01..2025-03-02",
    "周末": "2025-03-01..2025-03-02",
    "上个月": "2025-02-01..2025-02-28",
    "这个月": "2025-03-01..2025-03-31",
    "下个月": "2025-04-01..2025-04-30",
    "上个月18号": "2025-02-18",
    "去年": "2024-01-01..2024-12-31",
    "今年": "2025-01-01..2025-12-31",
    "明年": "2026-01-01..2026-12-31",
    "前年": "2023-01-01..2023-12-31",
    "三天前": "2025-03-02",
    "十二天前": "2025-02-21",
    "几天前": "2025-02-28..2025-03-03",
    "2周前": "2025-02-16..2025-02-22",
    "两个星期以前": "2025-02-16..2025-02-22",
    "半个月前": "2025-02-17..2025-02-23",
    "2个月前": "2025-01-01..2025-01-31",
    "半年前": "2024-09-01..2024-09-30",
    "二十三年前": "2002-01-01..2002-12-31",
    "一百零五年前": "1920-01-01..1920-12-31",
    "五年前的今天": "2020-03-05",
    "三天后": "2025-03-08",
    "两个月之后": "2025-05-01..2025-05-31",
    "上上周五": "2025-02-21",
    "下下个月": "2025-05-01..2025-05-31",
    "上个季度": "2024-10-01..2024-12-31",
    "一季度": "2025-01-01..2025-03-31",
    "今年前三季度": "2025-01-01..2025-09-30",
    "二〇二一年后三月": "2021-10-01..2021-12-31",
    "月底": "2025-03-21..2025-03-31",
    "下个月初": "2025-04-01..2025-04-10",
    "九月中旬": "2024-09-11..2024-09-20",
    "去年年底": "2024-11-01..2024-12-31",
    "前半年": "2025-01-01..2025-06-30",
    "98年夏天": "1998-06-01..1998-08-31",
    "九八年三月": "1998-03-01..1998-03-31",
    "上世纪八十年代": "1980-01-01..1989-12-31",
    "二十世纪末": "1980-01-01..1999-12-31",
    "康熙五十年": "1711-01-01..1711-12-31",
    "民国二十六年七月": "1937-07-01..1937-07-31",
    "农历七月初七": "2025-08-29",
    "大年初三": "2025-01-31",
    "腊月二十三": "2025-01-22",
    "正月十五": "2025-02-12",
    "闰四月三日": "2020-05-25",
    "清明前一天": "2025-04-03",
    "去年国庆": "2024-10-01..2024-10-07",
    "端午假期": "2025-05-31..2025-06-02",
    "国庆那天": "2024-10-01",
    "中秋节": "2024-09-17",
    "今年三月第二个星期天": "2025-03-09",
    "五月的第一周": "2025-04-28..2025-05-04",
    "第三天": "2025-03-07",
    "前两天": "2025-03-01..2025-03-04",
    "最近三天": "2025-03-02T10:00:00/2025-03-05T10:00:00",
    "过几天": "2025-03-07..2025-03-11",
    "三个半月前": "2024-11-13..2024-11-27",
    "十几年前": "2005-01-01..2015-12-31",
    "一年半后": "2026-09-01..2026-09-30",
    "近30天": "2025-02-03T10:00:00/2025-03-05T10:00:00",
    "5月3日到8日": "2025-05-03..2025-05-08",
    "从一月到三月": "2025-01-01..2025-03-31",
    "2020至2025年": "2020-01-01..2025-12-31",
    "1995-1997年": "1995-01-01..1997-12-31",
    "3-8号": "2025-03-03..2025-03-08",
    "1-五月": "2025-01-01..2025-05-31",
    "今早六点半": "2025-03-05T06:30:00/2025-03-05T06:31:00",
    "昨晚十点多": "2025-03-04T22:00:00/2025-03-04T23:00:00",
    "凌晨三点": "2025-03-05T03:00:00/2025-03-05T04:00:00",
    "下午七八点": "2025-03-05T19:00:00/2025-03-05T21:00:00",
    "昨天下午四点到五点": "2025-03-04T16:00:00/2025-03-04T17:00:00",
    "2月14号晚上": "2025-02-14T18:00:00/2025-02-15T00:00:00",
    "尋日": "2025-03-04",
    "今個禮拜五": "2025-03-07",
    "兩個星期後": "2025-03-16..2025-03-22",
    "明後天": "2025-03-06..2025-03-07",
    "周五前": "..2025-03-07",
    "从去年五月起": "2024-05-01..",
    "2019年上半年": "2019-01-01..2019-06-30",
    "前天夜里": "2025-03-03T18:00:00/2025-03-04T06:00:00",
    "两三天前": "2025-03-02..2025-03-03",
    "年初八": "2025-02-05",
    "上个月的今天": "2025-02-05",
    "下周的今天": "2025-03-12",
    "去年七八月份": "2024-07-01..2024-08-31",
    "凌晨一两点": "2025-03-05T01:00:00/2025-03-05T03:00:00",
    "大上周": "2025-02-17..2025-02-23",
    "上个夏天": "2024-06-01..2024-08-31",
    "下个冬天": "2025-12-01..2026-02-28",
    "千禧年": "2000-01-01..2000-12-31",
    "八九十年代": "1980-01-01..1999-12-31",
    "去年这个时候": "2024-02-19..2024-03-20",
    "去年五一期间": "2024-05-01..2024-05-05",
    "五一期间": "2025-05-01..2025-05-05",
    "明天一早": "2025-03-06T05:00:00/2025-03-06T08:00:00",
    "国庆当天": "2024-10-01",
    "中秋次日": "2024-09-18",
    "当晚十时": "2025-03-05T22:00:00/2025-03-05T23:00:00",
    "次日上午": "2025-03-06T06:00:00/2025-03-06T12:00:00",
    "次年三月": "2026-03-01..2026-03-31",
    "当月10号": "2025-03-10",
    "次年年末": "2026-11-01..2026-12-31",
    "上周五晚上": "2025-02-28T18:00:00/2025-03-01T00:00:00",
    "下下周二": "2025-03-18",
    "上上个周末": "2025-02-22..2025-02-23",
    "腊月二十九": "2025-01-28",
    "后天一早": "2025-03-07T05:00:00/2025-03-07T08:00:00",
    "昨天下午三点之后": "2025-03-04..",
    "三两天后": "2025-03-07..2025-03-08",
    "前一天": "2025-03-04",
    "四五月份": "2025-04-01..2025-05-31",
}
CHINESE_TOLD = {
    "我7月9日、12日和14日在家": ["2025-07-09", "2025-07-12", "2025-07-14"],
    "去年5月、8月和11月": ["2024-05-01..2024-05-31", "2024-08-01..2024-08-31", "2024-11-01..2024-11-30"],
    "2023年5月3日和6月8日": ["2023-05-03", "2023-06-08"],
    "上个月3号、8号": ["2025-02-03", "2025-02-08"],
    "下周二和周四有课": ["2025-03-11", "2025-03-13"],
    "明天下午三点和五点": ["2025-03-06T15:00:00/2025-03-06T16:00:00", "2025-03-06T17:00:00/2025-03-06T18:00:00"],
    "昨天上午和下午": ["2025-03-04T06:00:00/2025-03-04T12:00:00", "2025-03-04T12:00:00/2025-03-04T18:00:00"],
    "5月6号和3号楼": ["2025-05-06"],
    "去年2月3号、2月30号": ["2024-02-03"],
    "1月8日出发，当天到昆明，第二天去大理": ["2025-01-08", "2025-01-08", "2025-01-09"],
    "2月9日吃多了，当晚就吐了，次日去医院": ["2025-02-09", "2025-02-09T18:00:00/2025-02-10T00:00:00", "2025-02-10"],
    "2019年他去了北京，次年回来": ["2019-01-01..2019-12-31", "2020-01-01..2020-12-31"],
    "第二天我就后悔了": [],
    "当年我也跑得动": [],
}
ENGLISH_SENTENCES = {
    "We planted the tree on 3 May 2024 and the next day it rained": ["2024-05-03", "2024-05-04"],
    "On 3 May 2024 we met. That evening we danced": ["2024-05-03", "2024-05-03T18:00:00/2024-05-04T00:00:00"],
    "On 3 May 2024 we met; the following morning I left": ["2024-05-03", "2024-05-04T06:00:00/2024-05-04T12:00:00"],
    "He fell last Monday. The day after, he saw a doctor": ["2025-03-03", "2025-03-04"],
    "In 2019 we moved. Two years later we split": ["2019-01-01..2019-12-31", "2021-01-01..2021-12-31"],
    "The exam was on 12 June 2024; the night before, I slept badly": [
        "2024-06-12",
        "2024-06-11T18:00:00/2024-06-12T06:00:00",
    ],
    "The bell rang at 5pm yesterday. Ten minutes later it rang again": [
        "2025-03-04T17:00:00/2025-03-04T18:00:00",
        "2025-03-04T17:10:00/2025-03-04T17:11:00",
    ],
    "We married in May 2020. That month it poured": ["2020-05-01..2020-05-31", "2020-05-01..2020-05-31"],
    "I left on Friday the 14th of February. Three days later I was home": ["2025-02-14", "2025-02-17"],
    "I last saw him the Christmas before last": ["2023-12-25"],
    "I have been up since five this morning": ["2025-03-05.."],
    "Nothing to eat since breakfast": ["2025-03-05.."],
    "I was on shift all through December": ["2024-12-01..2024-12-31"],
    "School starts the Tuesday after Labor Day": ["2025-09-02"],
    "They got engaged the Friday before Christmas": ["2024-12-20"],
    "My cousin stayed for the first half of December": ["2024-12-01..2024-12-15"],
    "We signed in the last days of 2024": ["2024-12-29..2024-12-31"],
    "The bread from two days ago is stale": ["2025-03-03"],
    "The chapel dates from the 14th century": ["1300-01-01..1399-12-31"],
    "I am free Friday after 3": ["2025-03-07.."],
    "My lease is up on September 30": ["2025-09-30"],
    "The fair is the third Saturday in October": ["2025-10-18"],
    "The launch has been moved to the 5th of May": ["2025-05-05"],
    "Mum's party is this Sunday": ["2025-03-09"],
    "The new tram line opens in June": ["2025-06-01..2025-06-30"],
    "I can't do Thursday": ["2025-03-06"],
    "She left for Rome on Thursday": ["2025-02-27"],
    "It is sad that he died on Thursday": ["2025-02-27"],
    "We're booked for the first weekend in November": ["2025-11-01..2025-11-02"],
    "The kids are off from the 9th to the 13th of April": ["2025-04-09..2025-04-13"],
    "My flight leaves at 6.45 on Saturday morning": ["2025-03-08T06:45:00/2025-03-08T06:46:00"],
    "We had it serviced the Thursday before last": ["2025-02-20"],
    "I start a fortnight on Monday": ["2025-03-24"],
    "The roofers came at twenty past seven this morning": ["2025-03-05T07:20:00/2025-03-05T07:21:00"],
    "Back in the mid-nineties this was a cinema": ["1993-01-01..1996-12-31"],
    "The power was out from Sunday night to Tuesday morning": ["2025-03-02T18:00:00/2025-03-04T12:00:00"],
    "Friday is my cat's birthday": ["2025-03-07"],
    "Next Friday is the school play": ["2025-03-14"],
    "See you Monday Morning at the gym": ["2025-03-10T06:00:00/2025-03-10T12:00:00"],
    "I moved here in the Fall": ["2024-09-01..2024-11-30"],
    "I moved to Porto in April": ["2024-04-01..2024-04-30"],
    "On Christmas Eve Tom called": ["2024-12-24"],
}


class TestReads:
    @pytest.mark.parametrize("text", ENGLISH)
    def test_english(self, text: str):
        assert read(f"So {text}, I think") == [ENGLISH[text]]

    @pytest.mark.parametrize("text", ENGLISH_SENTENCES)
    def test_english_sentences(self, text: str):
        assert read(text) == ENGLISH_SENTENCES[text]

    @pytest.mark.parametrize("text", CHINESE)
    def test_chinese(self, text: str):
        assert read(f"我，{text}，你") == [CHINESE[text]]

    @pytest.mark.parametrize("text", CHINESE_TOLD)
    def test_chinese_that_leans_on_what_was_told_before(self, text: str):
        assert read(text) == CHINESE_TOLD[text]

    @pytest.mark.parametrize("text", [*ENGLISH, *CHINESE])
    def test_a_find_is_exactly_the_words(self, text: str):
        (found,) = find(f"({text})", WEDNESDAY)
        assert (found.text, found.start, found.end) == (text, 1, len(text) + 1)

    @pytest.mark.parametrize("text", ENGLISH)
    def test_beside_chinese_without_a_space(self, text: str):
        assert read(f"我{text}去") == [ENGLISH[text]]

    @pytest.mark.parametrize(
        ("text", "days"),
        [
            ("in 2023 we moved", ["2023-01-01..2023-12-31"]),
            ("in 2020 bc of the flood", ["2020-01-01..2020-12-31"]),
            ("here since 2021.", ["2021-01-01.."]),
            ("early 2020", ["2020-01-01..2020-02-29"]),
            ("from 2019 to 2021", ["2019-01-01..2021-12-31"]),
            ("in May", ["2025-05-01..2025-05-31"]),
            ("in march", ["2025-03-01..2025-03-31"]),
            ("mid-June", ["2025-06-11..2025-06-20"]),
            ("on Monday", ["2025-03-03"]),
            ("on Wednesday", ["2025-02-26"]),
            ("met on Friday night", ["2025-02-28T18:00:00/2025-03-01T06:00:00"]),
            ("over the weekend", ["2025-03-01..2025-03-02"]),
            ("yesterday or last week", ["2025-03-04", "2025-02-24..2025-03-02"]),
            ("在五月", ["2025-05-01..2025-05-31"]),
            ("从周一到周五", ["2025-03-03..2025-03-07"]),
            ("昨天 on 8 May 2023，去年", ["2025-03-04", "2023-05-08", "2024-01-01..2024-12-31"]),
        ],
    )
    def test_in_their_context(self, text: str, days: list[str]):
        assert read(text) == days

    @pytest.mark.parametrize(
        ("text", "want"),
        [
            ("2023-05-08T10:00Z", "2023-05-08T18:00:00/2023-05-08T18:01:00"),
            ("2023-05-08 10:00:30", "2023-05-08T10:00:30/2023-05-08T10:00:31"),
            ("2023-05-08T10:00:30.5-04:00", "2023-05-08T22:00:30/2023-05-08T22:00:30"),
            ("2023-05-08 25:00", "2023-05-08"),
            ("2023-05-08 10:30 pm", "2023-05-08T22:30:00/2023-05-08T22:31:00"),
        ],
    )
    def test_iso_datetimes_lie_in_the_zone_of_the_reference(self, text: str, want: str):
        assert read(text) == [want]

    @pytest.mark.parametrize(
        ("text", "want"),
        [
            ("I'll see you on Monday", "2025-03-10"),
            ("On Wednesday we are going to move", "2025-03-12"),
            ("We will marry on May 8", "2025-05-08"),
            ("Today. We will leave in June", "2025-06-01..2025-06-30"),
            ("下个星期的事，周三去", "2025-03-12"),
            ("5月8日我要去北京", "2025-05-08"),
            ("将在五月八号举行", "2025-05-08"),
            ("2月29日打算求婚", "2028-02-29"),
        ],
    )
    def test_words_of_future_turn_a_bare_date_ahead(self, text: str, want: str):
        assert read(text)[-1] == want

    @pytest.mark.parametrize(
        ("text", "want"),
        [
            ("I saw her on Monday and she said she will come", "2025-03-03"),
            ("He left Monday, so I want to see you again", "2025-03-03"),
            ("I asked and she is free on Monday", "2025-03-10"),
            ("She told me that she'll leave on Monday", "2025-03-10"),
            ("我周一去了，还会再去", "2025-03-03"),
            ("他说周五要走", "2025-03-07"),
            ("周五见", "2025-03-07"),
            ("咱们周五吧", "2025-03-07"),
        ],
    )
    def test_a_time_has_the_tense_of_its_own_clause(self, text: str, want: str):
        assert read(text) == [want]

    @pytest.mark.parametrize(
        ("text", "want"),
        [("flight on March 10", "2025-03-10"), ("婚礼在五月五号", "2025-05-05"), ("photos of January 3", "2025-01-03")],
    )
    def test_a_date_said_without_a_tense_is_the_nearer_one(self, text: str, want: str):
        assert read(text) == [want]

    def test_a_date_that_was_is_the_last_one(self):
        assert read("we met on May 8") == read("五月八号我们见过") == ["2024-05-08"]

    @pytest.mark.parametrize(
        "text",
        [
            "We will talk. I left on Monday",
            "I left on Monday. We will talk",
            "重要的是周一的会。",
            "She sat next to me on Monday",
        ],
    )
    def test_other_sentences_and_lookalikes_do_not(self, text: str):
        assert read(text) == ["2025-03-03"]

    @pytest.mark.parametrize(
        ("text", "precision"),
        [
            ("2023-05-08", "day"),
            ("in 2023", "year"),
            ("2023年5月", "month"),
            ("去年上半年", "half"),
            ("summer 2022", "season"),
            ("last weekend", "weekend"),
            ("上周", "week"),
            ("昨晚", "part"),
            ("2023-05-08T10:00", "minute"),
            ("2023-05-08T10:00:01", "second"),
            ("2023-05-08T10:00:01.25", "instant"),
        ],
    )
    def test_the_precision_is_the_one_said(self, text: str, precision: str):
        assert [found.interval.precision for found in find(text, WEDNESDAY)] == [precision]

    @pytest.mark.parametrize(
        ("case", "reference", "text", "want"),
        [
            ("B080", "2023-05-24T10:00+00:00", "I went to Lyon last week", "2023-05-15..2023-05-21"),
            ("B081", "2031-03-31T10:00+00:00", "last month", "2031-02-01..2031-02-28"),
            ("B081", "2025-04-05T10:00+00:00", "the 1st of last month", "2025-03-01"),
            ("B081", "2031-03-31T10:00+00:00", "上个月", "2031-02-01..2031-02-28"),
            ("B082", "2028-02-29T10:00+00:00", "a year ago today", "2027-02-28"),
            ("B082", "2028-02-29T10:00+00:00", "last year", "2027-01-01..2027-12-31"),
            ("B082", "2028-02-29T10:00+00:00", "去年今天", "2027-02-28"),
            ("B083", "2025-03-05T10:00+08:00", "昨天", "2025-03-04"),
            ("B083", "2025-03-05T10:00+08:00", "前天", "2025-03-03"),
            ("B083", "2025-03-05T10:00+08:00", "大前天", "2025-03-02"),
            ("B083", "2025-03-05T10:00+08:00", "大后天", "2025-03-08"),
            ("B083", "2025-03-05T10:00+08:00", "上个月", "2025-02-01..2025-02-28"),
            ("B083", "2025-03-05T10:00+08:00", "上周三", "2025-02-26"),
            ("B083", "2025-03-05T10:00+08:00", "三天前", "2025-03-02"),
            ("B083", "2025-03-05T10:00+08:00", "去年上半年", "2024-01-01..2024-06-30"),
            ("B093", "2031-03-31T10:00+00:00", "in 1998", "1998-01-01..1998-12-31"),
            ("B093", "2031-03-31T10:00+00:00", "week 53 of 2026", "2026-12-28..2027-01-03"),
        ],
    )
    def test_known_bugs(self, case: str, reference: str, text: str, want: str):
        assert read(text, reference) == [want], case

    def test_b093_a_year_before_christ_has_no_date(self):
        assert read("Caesar died in 44 BC, long after 1200 BCE; 公元前1046年") == []

    @pytest.mark.parametrize(
        ("text", "reference", "want"),
        [
            ("last winter", "2025-02-10T10:00+00:00", "2023-12-01..2024-02-29"),
            ("this winter", "2025-02-10T10:00+00:00", "2024-12-01..2025-02-28"),
            ("next winter", "2025-02-10T10:00+00:00", "2025-12-01..2026-02-28"),
            ("last winter", "2025-03-01T10:00+00:00", "2024-12-01..2025-02-28"),
            ("last weekend", "2025-03-09T10:00+00:00", "2025-03-01..2025-03-02"),
            ("over the weekend", "2025-03-09T10:00+00:00", "2025-03-08..2025-03-09"),
            ("last month", "2025-01-31T10:00+00:00", "2024-12-01..2024-12-31"),
            ("next month", "2025-12-31T10:00+00:00", "2026-01-01..2026-01-31"),
            ("February 29", "1903-01-01T00:00+00:00", "1904-02-29"),
        ],
    )
    def test_the_edges_of_the_calendar(self, text: str, reference: str, want: str):
        assert read(text, reference) == [want]

    def test_today_is_the_day_of_the_reference_in_its_own_zone(self):
        assert read("today", "2025-03-05T23:30-08:00") == ["2025-03-05"]
        assert read("今天", "2025-03-06T00:30+14:00") == ["2025-03-06"]
        (found,) = find("today", datetime(2025, 3, 5))  # noqa: DTZ001 - a naive moment is UTC
        assert found.interval.start == datetime(2025, 3, 5, tzinfo=UTC)

    def test_a_day_of_23_hours_is_one_day(self):
        paris = ZoneInfo("Europe/Paris")
        (found,) = find("today", datetime(2025, 3, 30, 12, tzinfo=paris))
        assert found.interval.start == datetime(2025, 3, 29, 23, tzinfo=UTC)
        assert found.interval.end == datetime(2025, 3, 30, 22, tzinfo=UTC)


ENGLISH_TRAPS = (
    """
I may 8 times|This may hurt, and that may too|The 8th may be late|Of ten, 8 may stay|may 2023 be kind
March on, soldiers|They march 10 miles|We march daily|A second opinion|The sun is out|I sat down|on sun loungers
on sat nav|I fall asleep|A spring broke|springboard|Marseille|Augustus|Sundays are fine|Mayor Marchand|Decimal
2023 people came|It cost 2023 dollars|one in 2000 people|in 1500 words|rent rose by 2000|room 2023|in 2023-24
June 3 times|in June's house|item 8\nMay I|call 555-2023|$2023-05-08|v2023-05-08|1.2023-05-08-1
my last week of work|the last year of school|his last month|the last night|last name|next of kin|next to me
Saturday Night Live|the Sunday roast|every Monday|Friday is my parrot
16:9|120/80|7-Eleven|a 10/10 movie|3/4 cup of sugar|pages 10-12|at 5 restaurants|at 10 percent|at 221 Baker Street
He may march to work|April called|a 5-year-old boy|light years away|once in a while|Flight 815 to Sydney|1984 by Orwell
at 415-555-2671|Monday.com is a tool|the fall was steep|on the 5th floor|a second opinion|up to date|in 2019 rooms
on FRıDAY|last ſaturday|5 Auguſt
""".strip()
    .replace("\n", "|")
    .split("|")
)
ENGLISH_NAMES_AND_IDIOMS = (
    """
Friday Night Lights is on
John 3:16 is on the poster|Read Romans 8:28 aloud|I read the Daily Mail|The Weekly Standard folded
Noon is a surname|Midnight is my black cat|Wednesday was the creepy sister|Tue is not a word|a film called Friday
The band is called The Saturdays|We named her Sunday|Vampire Weekend is a band|Midnight Cowboy is sad
Yesterday by the Beatles|Little Women is about the March sisters
Black Friday is a metal song|The Ides of March is a film
Groundhog Day is my favourite film|the Good Friday Agreement|500 Days of Summer is long|28 Days Later scared me
Before Sunrise made us cry|Wait a second!|Just a minute!|Give me a minute, please|One second, please
A minute amount of salt|I made a minute adjustment|It costs 1450 a month|She earns 15 pounds an hour
I drink 2 litres a day|An hour's drive is nothing|a week's worth of laundry|Christmas cake is rich
Halloween costumes are pricey|A Valentine's card fell out|The ratio is 16:10|a 16:10 screen
He ran a mile in 4:30|The song is 3:45 long
Her marathon time was 3:58:20|We called it a day|One of these days I'll scream|The first half was dull
That day was lovely|The next day was better|that evening it rained
""".strip()
    .replace("\n", "|")
    .split("|")
)
CHINESE_TRAPS = (
    """
今日头条|今日说法|春卷真香|明天系|天天向上|五月天|八月长安|月台|上月球|日本月饼|基本月薪
去上周庄|日本周边|这周围没人|楼下周围|周杰伦|周到|周年|一周三次|每周一|每周末|四周五个人|星期八|礼拜堂
以前天天|之前天黑|最后天黑了|以后天天跑步|后天性|聪明天才|文明天下|清明天气|过去年轻|之后年轻人
回去年终|光明年代|三天后悔|两天前面|2000年历史|4000年前|公元前221年
三点建议|三号线|8号楼|二十四桥|说法|后台|前台|3光年前
公园里的白天鹅|他十分钟爱爵士|公司年底薪一般|经理列举两点|我补充两点|她强调了三点。|我就说两点，你们听|总的来说就四点|以下三点
几点开会|这个月票丢了|儿童节目组|同年级的朋友|今年轻人都熬夜|先天不足，后天补|后天培养的习惯|三分钟热度|三天两头迟到|两年制大专
十月怀胎|百年老店|百日咳疫苗|六月雪开花|二月兰谢了|复活节岛|端午粽子券|圣诞树倒了|午夜凶铃太吓人|明天会更好是首老歌|四月是你的谎言
我家狗叫礼拜天|她给女儿取名立春。|夏至是我同桌的名字|春天是她的网名|六点半咖啡馆关了|惊蛰乐队解散了|立春堂的药|冬至哥下厨|李元旦欠我钱
王春天请客|豆瓣八点三分|屏幕六点七英寸|六点档的剧|十点钟方向|三年二班|男一号很帅|6号窗口|一时冲动
""".strip()
    .replace("\n", "|")
    .split("|")
)
IMPOSSIBLE = (
    """
30 February 2023|February 30|31st of April|2023-02-29|2023-13-01|0000-01-01|13/13/2023|2023/13/1|week 53 of 2025
2025-W53|9999-12-31|9999 years ago|in 9000 years|2月30日|四月三十一号|2023年2月29日|上个月31号|今年2月29日
31st of last month
""".strip()
    .replace("\n", "|")
    .split("|")
)


class TestIsQuiet:
    @pytest.mark.parametrize("text", [*ENGLISH_TRAPS, *CHINESE_TRAPS])
    def test_where_no_time_is_meant(self, text: str):
        assert read(text) == []

    @pytest.mark.parametrize("text", ENGLISH_NAMES_AND_IDIOMS)
    def test_where_names_and_idioms_hold_words_of_time(self, text: str):
        assert find(text, WEDNESDAY) == []

    @pytest.mark.parametrize("text", IMPOSSIBLE)
    def test_where_the_calendar_has_no_such_date(self, text: str):
        assert read(text) == []

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("我上周三次去医院", "上周"),
            ("这周一直下雨", "这周"),
            ("上周日本队赢了", "上周"),
            ("下周三亚见", "下周"),
            ("马上周末了", "周末"),
            ("等一下周三再说", "周三"),
            ("今天天气好", "今天"),
            ("上周一整周都下雨", "上周"),
            ("四天前提交的申请", "四天前"),
            ("一刻钟前门口有人", "一刻钟前"),
            ("这个月票房很低", "这个月"),
            ("去年底薪水涨了", "去年底"),
            ("两周后来到北京", "两周后"),
            ("十天后续费", "十天后"),
            ("last May 5th", "last May 5th"),
            ("in 2010年", "2010年"),
        ],
    )
    def test_about_the_half_that_is_not_meant(self, text: str, found: str):
        assert [one.text for one in find(text, WEDNESDAY)] == [found]


PIECES = [
    *(word for table in english_words.WORDS.values() for word in table),
    *(word for words in english_words.NAMES.values() for word in words.split("|")),
    *english_words.ONES, *english_words.TEENS, *english_words.TENS, *english_words.ORDINALS, *english_words.NOTHING,
    *chinese_words.DIGITS, *chinese_words.TENS, *chinese_words.SCORES, *chinese_words.WEEK_NAMES,
    *(word for _, _, words in chinese_words.TOKENS for word in words.split()),
    "ago", "the ", "of", "'s", "th", "May", "ſat", "FRıDAY", "上", "下", "周", "月", "日", "号", "年", "前", "后", "半",
    "29", "31", "9999", "0", "2024", "٣", "-", "/", ":", ".", ",", "T", "W53", "BC", "will", "要", " ", " ", " ", "\n",
]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
    st.dates().flatmap(lambda day: st.sampled_from([day.isoformat(), f"{day.day} {day:%B} {day.year}"])),
)
MOMENTS = st.datetimes(
    timezones=st.sampled_from(
        [
            UTC,
            timezone(timedelta(hours=14)),
            timezone(-timedelta(hours=12)),
            ZoneInfo("Asia/Shanghai"),
            ZoneInfo("Europe/Paris"),
        ]
    )
)


@contextmanager
def process_zone(name: str) -> Generator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = name
    time.tzset()
    try:
        yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        time.tzset()


class TestAnyText:
    @given(TEXTS, MOMENTS)
    @example("a year ago today, in a month, last month", datetime(2028, 2, 29, tzinfo=UTC))
    @example("yesterday, last year, 100 years ago, 昨天，上周，上个月", datetime.min.replace(tzinfo=UTC))
    @example("tomorrow, next week, this year, in 3 days, 明年，下周", datetime.max.replace(tzinfo=UTC))
    def test_gives_ordered_finds_and_never_raises(self, text: str, reference: datetime):
        end = 0
        for found in find(text, reference):
            assert end <= found.start < found.end <= len(text)
            assert found.text == text[found.start : found.end]
            for reading in found.readings:
                if reading.start is not None and reading.end is not None:
                    assert reading.start.timestamp() <= reading.end.timestamp()
                    assert reading.start.timestamp() < reading.end.timestamp() or reading.precision == "instant"
            assert found.readings or found.seconds or found.every
            end = found.end

    @given(TEXTS, MOMENTS)
    @example("2023-05-08T10:00, yesterday, 昨晚", datetime(2025, 3, 5, 1, tzinfo=UTC))
    def test_reads_the_same_wherever_the_process_is(self, text: str, reference: datetime):
        answers: list[list[Found]] = []
        for zone in ("America/Los_Angeles", "Asia/Shanghai"):
            with process_zone(zone):
                answers.append(find(text, reference))
        assert answers[0] == answers[1]

    @given(st.dates(date(1000, 1, 1), date(9999, 12, 30)))
    def test_a_date_is_read_in_every_spelling(self, day: date):
        name = english_words.MONTH_NAMES[day.month - 1]
        if day.year < 2100:
            spellings = f"{day.day} {name} {day.year}|{name} {day.day}, {day.year}|{day.year}年{day.month}月{day.day}日"
        else:
            spellings = day.isoformat()
        for text in spellings.split("|"):
            assert [found.interval.start.date() for found in find(text, WEDNESDAY) if found.interval.start] == [day]

    @pytest.mark.parametrize(
        "text", ["1" * 50_000, " " * 50_000, "May " * 12_000, "2023-" * 10_000, "上" * 50_000, "三十" * 25_000]
    )
    def test_takes_time_in_proportion_to_its_length(self, text: str):
        began = time.process_time()
        find(text, WEDNESDAY)
        assert time.process_time() - began < 2


NEW_YORK = ZoneInfo("America/New_York")
PHRASES = (
    *ENGLISH, *CHINESE, "last 30 minutes", "in 30 minutes", "in an hour", "an hour ago", "two hours ago",
    "the past 3 hours", "at 2:15", "from 2:15 to 2:45", "2:45 to 3:15", "1:15 to 1:45", "最近半小时", "一小时前",
    "凌晨两点半",
)  # fmt: skip


@pytest.mark.parametrize(
    "moment",
    [
        "2025-03-09T01:59:30-05:00", "2025-03-09T03:00:30-04:00",  # two to three is skipped
        "2025-11-02T01:15:00-04:00", "2025-11-02T01:15:00-05:00",  # one to two comes twice
        "2025-11-02T01:59:59-04:00", "2025-11-02T01:00:00-05:00",
        "2025-03-09T00:00:00-05:00", "2024-02-29T00:00:00-05:00", "2024-12-31T23:59:59-05:00",
    ],
)  # fmt: skip
def test_where_clocks_are_changed_every_time_has_a_length(moment: str):
    at = datetime.fromisoformat(moment).astimezone(NEW_YORK)
    for phrase in PHRASES:
        for found in find(phrase, at):
            for reading in found.readings:
                if reading.start is not None and reading.end is not None and reading.precision != "instant":
                    assert reading.start.timestamp() < reading.end.timestamp(), phrase


@pytest.mark.parametrize(
    ("text", "moment", "start", "minutes"),
    [
        ("the last 30 minutes", "2025-11-02T01:15:00-05:00", "2025-11-02T01:45:00-04:00", 30),
        ("the last 30 minutes", "2025-11-02T01:45:00-05:00", "2025-11-02T01:15:00-05:00", 30),
        ("the next 30 minutes", "2025-11-02T01:45:00-04:00", "2025-11-02T01:45:00-04:00", 30),
        ("the last two hours", "2025-03-09T03:30:00-04:00", "2025-03-09T00:30:00-05:00", 120),
        ("an hour ago", "2025-11-02T01:15:00-05:00", "2025-11-02T01:15:00-04:00", 1),
        ("in an hour", "2025-03-09T01:30:00-05:00", "2025-03-09T03:30:00-04:00", 1),
        ("最近三十分钟", "2025-11-02T01:15:00-05:00", "2025-11-02T01:45:00-04:00", 30),
    ],
)
def test_hours_pass_by_the_clock_of_the_world(text: str, moment: str, start: str, minutes: int):
    (found,) = find(text, datetime.fromisoformat(moment).astimezone(NEW_YORK))
    meant = found.interval
    assert meant.start.timestamp() == datetime.fromisoformat(start).timestamp()
    assert meant.end.timestamp() - meant.start.timestamp() == 60 * minutes


class TestSpell:
    def test_names_the_day_in_both_languages(self):
        assert spell(datetime(2023, 5, 8, 10, tzinfo=UTC)) == "8 May 2023 Monday 2023年5月8日"

    def test_is_the_day_in_the_zone_of_the_moment(self):
        assert spell(datetime(2023, 12, 31, 23, tzinfo=WEDNESDAY.tzinfo)).startswith("31 December 2023 Sunday")

    @given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(2099, 12, 31), timezones=st.just(UTC)))  # noqa: DTZ001
    def test_is_read_back(self, moment: datetime):
        days = {found.interval.start.date() for found in find(spell(moment), moment) if found.interval.start}
        assert days == {moment.date()}


def between(start: int | None, end: int | None) -> Interval:
    first = datetime(2025, 3, 1, tzinfo=UTC)
    return Interval(
        start=None if start is None else first + timedelta(start), end=None if end is None else first + timedelta(end)
    )


class TestDistance:
    @pytest.mark.parametrize(
        ("a", "b", "days"),
        [
            (between(0, 1), between(3, 4), 2),
            (between(0, 1), between(1, 2), 0),
            (between(0, 5), between(1, 2), 0),
            (between(0, 0), between(2, 2), 2),
            (between(0, None), between(9, 10), 0),
            (between(5, None), between(1, 2), 3),
            (between(None, 1), between(4, 5), 3),
            (between(None, None), between(4, 5), 0),
            (between(None, 1), between(3, None), 2),
        ],
    )
    def test_is_the_gap_in_days_either_way_round(self, a: Interval, b: Interval, days: float):
        assert distance(a, b) == distance(b, a) == days

    def test_does_not_count_by_the_wall_clock(self):
        paris = ZoneInfo("Europe/Paris")
        before = Interval.at(datetime(2025, 3, 30, 0, tzinfo=paris))
        after = Interval.at(datetime(2025, 3, 31, 0, tzinfo=paris))
        assert distance(before, after) == 23 / 24
