"""English times: large numbers, lists, what is counted, names that are none, and a phrase for each rule."""

from datetime import datetime, timedelta, timezone

import pytest

from fabula.types import Interval
from fabula.when import find

WEDNESDAY = datetime(2025, 3, 5, 10, tzinfo=timezone(timedelta(hours=8)))


def written(interval: Interval) -> str:
    """The first and the last day, or both moments where these are not whole days; nothing for an open end."""
    start, end = interval.start, interval.end
    if any(edge is not None and edge.time() != datetime.min.time() for edge in (start, end)):
        return "/".join(f"{edge:%Y-%m-%dT%H:%M}" if edge else "" for edge in (start, end))
    first = f"{start:%Y-%m-%d}" if start else ""
    if end is None or start is None:
        return f"{first}..{end:%Y-%m-%d}" if end else f"{first}.."
    last = end - timedelta(1)
    return first if last == start else f"{first}..{last:%Y-%m-%d}"


def read(text: str) -> list[tuple[str, str]]:
    """Each time with its first reading."""
    return [(found.text, written(found.interval)) for found in find(text, WEDNESDAY) if found.interval is not None]


NOTHING = [
    "65 million years ago", "65m years ago", "3.5bn years ago", "3.5 billion years ago", "a million years ago",
    "half a million years ago", "2-3 million years ago", "2 to 3 million years ago", "300k years ago",
    "millions of years ago", "thousands of years ago", "tens of thousands of years ago", "10^6 years ago",
    "a few hundred years ago", "several thousand years ago", "12,000 years ago", "in 5 billion years",
    "it cost $5 weeks ago", "forty-odd years ago", "30+ years ago", "5 million days ago", "at 24:30", "at 24:15",
    "at 24:00:30",
    "in the 5th century BC", "the 1st century BCE", "the 5th century B.C.", "on 15 March 44 BC",
    "the Ides of March, 44 BC",
    "the 1800s BC", "The Happy Mondays played", "I read it in the Sunday Times", "every Christmas tree",
    "the last Christmas cards", "He came in and sat with us", "He came, sat, and left", "I fall for it",
    "prices fall off", "a new year's resolution", "five years old", "he is two years older", "a man, 40 years of age",
    "on the first and second floor", "It is about time", "Some day we will",
]  # fmt: skip

ONE = {
    "300 years ago": "1725-01-01..1725-12-31",
    "a hundred years ago": "1925-01-01..1925-12-31",
    "2000 hours from now": "2025-05-27T18:00/2025-05-27T18:01",
    "decades ago": "1925-03-05..2005-03-04",
    "centuries ago": "1025-02-26..1825-03-03",
    "hundreds of years ago": "1025-02-26..1825-03-03",
    "1800s": "1800-01-01..1899-12-31",
    "1700s": "1700-01-01..1799-12-31",
    "1900s": "1900-01-01..1999-12-31",
    "2000s": "2000-01-01..2009-12-31",
    "1810s": "1810-01-01..1819-12-31",
    "late 1800s": "1880-01-01..1899-12-31",
    "nineteen hundreds": "1900-01-01..1999-12-31",
    "from the 1700s to the 1800s": "1700-01-01..1899-12-31",
    "two weekends before Easter": "2025-04-05..2025-04-06",
    "the second weekend before Easter": "2025-04-05..2025-04-06",
    "the weekend before Easter": "2025-04-12..2025-04-13",
    "the weekend after Easter": "2025-04-26..2025-04-27",
    "two weekends before 1 June": "2025-05-17..2025-05-18",
    "the last two weekends": "2025-02-22..2025-03-02",
    "the past three weekends": "2025-02-15..2025-03-02",
    "the next two weekends": "2025-03-08..2025-03-16",
    "three weekends ago": "2025-02-15..2025-02-16",
    "in two weekends": "2025-03-15..2025-03-16",
    "two Fridays ago": "2025-02-21",
    "in two Fridays": "2025-03-14",
    "two Wednesdays ago": "2025-02-19",
    "the last three Mondays": "2025-02-17..2025-03-03",
    "two Mondays before Easter": "2025-04-07",
    "three Sundays after Christmas": "2025-01-12",
    "the last two summers": "2023-06-01..2024-08-31",
    "three Christmases ago": "2022-12-25",
    "the last three Fridays of May": "2025-05-16..2025-05-30",
    "the first two weekends of May": "2025-05-03..2025-05-11",
    "2025-10-01/2025-10-08": "2025-10-01..2025-10-08",
    "2025-10/2025-12": "2025-10-01..2025-12-31",
    "2025-10-01T10:00/2025-10-08T12:00": "2025-10-01T10:00/2025-10-08T12:00",
    "2025-10-01T10:00Z/2025-10-08T12:00Z": "2025-10-01T18:00/2025-10-08T20:00",
    "24:00": "2025-03-05T00:00/2025-03-05T00:01",
    "last may": "2024-05-01..2024-05-31",
    "may/5": "2025-05-05",
    "3 may 2024": "2024-05-03",
    "12-may-2024": "2024-05-12",
    "friday, may 9": "2025-05-09",
    "from April to may": "2025-04-01..2025-05-31",
    "two thousand years ago": "25-01-01..25-12-31",
    "2,000 years ago": "25-01-01..25-12-31",
    "2000 years ago": "25-01-01..25-12-31",
    "2k years ago": "25-01-01..25-12-31",
    "half seven tomorrow": "2025-03-06T07:30/2025-03-06T07:31",
    "3:30 o'clock pm": "2025-03-05T15:30/2025-03-05T15:31",
    "six thirty tonight": "2025-03-05T18:30/2025-03-05T18:31",
    "between May 3rd and 10th": "2025-05-03..2025-05-10",
    "2024 May 3": "2024-05-03",
    "between 5/1 and 5/7": "2025-05-01..2025-05-07",
    "the weekend before last": "2025-02-22..2025-02-23",
    "last year in June": "2024-06-01..2024-06-30",
    "8 May two years ago": "2023-05-08",
    "three weeks tomorrow": "2025-03-27",
    "two hours before 5pm": "2025-03-05T15:00/2025-03-05T16:00",
    "from six fifteen to seven thirty tonight": "2025-03-05T18:15/2025-03-05T19:30",
    "from 3 to 5 PST": "2025-03-05T07:00/2025-03-05T09:00",
    "in the afternoon from 3:00 to 5:00": "2025-03-05T15:00/2025-03-05T17:00",
    "3 pm or later on Monday": "2025-03-03T15:00/",
    "Tomorrow morning before 9:30": "/2025-03-06T09:30",
    "after 5 tomorrow": "2025-03-06T17:00/",
    "from 3 to 5 on Monday": "2025-03-03T15:00/2025-03-03T17:00",
    "between 5pm and tomorrow morning": "2025-03-05T17:00/2025-03-06T12:00",
    "from now until 5pm": "2025-03-05T10:00/2025-03-05T17:00",
    "end of day Friday": "2025-02-28T23:59/2025-03-01T00:00",
    "the night of the 4th": "2025-03-04T18:00/2025-03-05T06:00",
    "the 2nd last week of October": "2024-10-21..2024-10-27",
    "six pm": "2025-03-05T18:00/2025-03-05T19:00",
    "seven thirty p.m.": "2025-03-05T19:30/2025-03-05T19:31",
    "eight o'clock tomorrow": "2025-03-06T08:00/2025-03-06T09:00",
    "1-3 pm tomorrow": "2025-03-06T13:00/2025-03-06T15:00",
    "a quarter to four": "2025-03-05T15:45/2025-03-05T15:46",
    "ten to noon": "2025-03-05T11:50/2025-03-05T11:51",
    "twenty after 3pm": "2025-03-05T15:20/2025-03-05T15:21",
    "20 minutes past eight": "2025-03-05T08:20/2025-03-05T08:21",
    "half three": "2025-03-05T15:30/2025-03-05T15:31",
    "9 tomorrow": "2025-03-06T09:00/2025-03-06T10:00",
    "twelve oh three": "2025-03-05T12:03/2025-03-05T12:04",
    "March eighteenth nine thirty": "2025-03-18T09:30/2025-03-18T09:31",
    "2019-Aug-1": "2019-08-01",
    "2020/23/Sep": "2020-09-23",
    "1-8 September": "2024-09-01..2024-09-08",
    "April 9th to 17th": "2025-04-09..2025-04-17",
    "Wed Oct 26 15:50:06 2016": "2016-10-26T15:50/2016-10-26T15:50",
    "14th April 15": "2015-04-14",
    "2017 April": "2017-04-01..2017-04-30",
    "May 22 (Thu)": "2025-05-22",
    "Friday, July 18, 2014": "2014-07-18",
    "Friday 7/4": "2025-07-04",
    "this Friday 3/7": "2025-03-07",
    "4/25 at 4pm": "2025-04-25T16:00/2025-04-25T17:00",
    "3/15": "2025-03-15",
    "last fiscal year": "2024-01-01..2024-12-31",
    "the year 2008": "2008-01-01..2008-12-31",
    "the two following weeks": "2025-03-05T10:00/2025-03-19T10:00",
    "this working week": "2025-03-03..2025-03-07",
    "Labor Day 2021 weekend": "2021-09-04..2021-09-06",
    "the weekend of Thanksgiving 2023": "2023-11-23..2023-11-26",
    "Thursday week": "2025-03-13",
    "tomorrow week": "2025-03-13",
    "the first quarter of the year": "2025-01-01..2025-03-31",
    "the third quarter": "2025-07-01..2025-09-30",
    "the first ten days of last year": "2024-01-01..2024-01-10",
    "the last day of the month at 5pm": "2025-03-31T17:00/2025-03-31T18:00",
    "the 21st this month": "2025-03-21",
    "Thanksgiving last year": "2024-11-28",
    "next week on Tuesday": "2025-03-11",
    "the week starting February 4": "2025-02-03..2025-02-09",
    "from 18 December for ten days": "2024-12-18..2024-12-27",
    "18 December for ten days": "2024-12-18..2024-12-27",
    "for 3 hours from 10 am": "2025-03-05T10:00/2025-03-05T13:00",
    "from 2pm for two hours": "2025-03-05T14:00/2025-03-05T16:00",
    "from nine for two hours": "2025-03-05T09:00/2025-03-05T11:00",
    "Thanksgiving in three years": "2028-11-23",
    "March in a year": "2026-03-01..2026-03-31",
    "within 5 minutes": "2025-03-05T10:00/2025-03-05T10:05",
    "tonight around 7": "2025-03-05T19:00/2025-03-05T20:00",
    "six tonight": "2025-03-05T18:00/2025-03-05T19:00",
    "one in the morning": "2025-03-05T01:00/2025-03-05T02:00",
    "approximately 1030": "2025-03-05T10:15/2025-03-05T10:45",
    "Friday the 28th around 4": "2025-02-28T15:30/2025-02-28T16:30",
    "between 3 and 5 PST": "2025-03-05T07:00/2025-03-05T09:00",
    "between 3:30pm and 6pm": "2025-03-05T15:30/2025-03-05T18:00",
    "between 10 and 11:30": "2025-03-05T10:00/2025-03-05T11:30",
    "between 6:30 and 9": "2025-03-05T18:30/2025-03-05T21:00",
    "between 0730-0930": "2025-03-05T07:30/2025-03-05T09:30",
    "from 10:30 to 3": "2025-03-05T10:30/2025-03-05T15:00",
    "3-5 in the afternoon": "2025-03-05T15:00/2025-03-05T17:00",
    "the beginning of the month": "2025-03-01..2025-03-10",
    "earlier in the week": "2025-03-03T00:00/2025-03-05T10:00",
    "later today": "2025-03-05T12:00/2025-03-06T00:00",
    "the morning of the 15th of February": "2025-02-15T06:00/2025-02-15T12:00",
    "Wednesday evening next week": "2025-03-12T18:00/2025-03-13T00:00",
    "8:20 in the evening": "2025-03-05T20:20/2025-03-05T20:21",
    "in the morning at 7": "2025-03-05T07:00/2025-03-05T08:00",
    "between five and six in the afternoon": "2025-03-05T17:00/2025-03-05T18:00",
    "3pm or so": "2025-03-05T14:30/2025-03-05T15:30",
    "tonight from 7 to 7:30": "2025-03-05T19:00/2025-03-05T19:30",
    "from 5 to 6pm tomorrow": "2025-03-06T17:00/2025-03-06T18:00",
    "Monday 3-8": "2025-03-03T15:00/2025-03-03T20:00",
    "6-8 next Monday": "2025-03-10T18:00/2025-03-10T20:00",
    "late this morning": "2025-03-05T09:00/2025-03-05T12:00",
    "around March 20": "2025-03-19..2025-03-21",
    "around May 2019": "2019-04-16..2019-06-15",
    "between now and three o'clock": "2025-03-05T10:00/2025-03-05T15:00",
    "between the 21st and 23rd": "2025-02-21..2025-02-23",
    "from the 9th to the 14th": "2025-02-09..2025-02-14",
    "after lunch": "2025-03-05T13:00/2025-03-05T17:00",
    "after school": "2025-03-05T15:00/2025-03-05T21:00",
    "at night": "2025-03-04T18:00/2025-03-05T06:00",
    "in the morning": "2025-03-05T06:00/2025-03-05T12:00",
    "early in the morning": "2025-03-05T06:00/2025-03-05T09:00",
    "evening": "2025-03-05T18:00/2025-03-06T00:00",
    "the 24th": "2025-02-24",
    "Sat.": "2025-03-01",
    "Easter": "2025-04-20",
}
IN_A_SENTENCE = {
    "We flew on 4th march": "2025-03-04",
    "The film opens on 4 march": "2026-03-04",
    "I was born in nineteen oh five": "1905-01-01..1905-12-31",
    "I'll be there in a second, wait": "2025-03-05T10:00/2025-03-05T10:00",
    "It ended 3h ago": "2025-03-05T07:00/2025-03-05T07:01",
    "See you at 5:30 ish": "2025-03-05T17:30/2025-03-05T17:31",
    "Be there at ten to four": "2025-03-05T15:50/2025-03-05T15:51",
    "I woke at roughly 5.": "2025-03-04T16:30/2025-03-04T17:30",
    "We want it by 2030": "..2031-01-01",
    "It was so in 2012 or earlier": "..2013-01-01",
    "Two days earlier it rained": "2025-03-03",
    "Send it by the 15th": "..2025-03-16",
    "I moved in the fall for good": "2024-09-01..2024-11-30",
    "We met in May two years ago": "2023-05-01..2023-05-31",
    "I left years ago": "2015-03-08..2023-03-05",
    "The concert (5/6) was fine": "2024-05-06",
    "may": "2025-05-01..2025-05-31",
    "nineteen ninety six": "1996-01-01..1996-12-31",
    "It began at 3:30 sharp": "2025-03-04T15:30/2025-03-04T15:31",
    "I want 2019 onwards": "2019-01-01..",
    "It is shut for two weeks, two weeks starting today": "2025-03-05..2025-03-18",
    "Ten minutes time": "2025-03-05T10:10/2025-03-05T10:11",
    "Tomorrow, early": "2025-03-06T00:00/2025-03-06T12:00",
    "from 5pm to tomorrow at 6am": "2025-03-05T17:00/2025-03-06T06:00",
    "I left on Sat and slept": "2025-03-01",
    "We met before Easter": "..2024-03-31",
    "We met at Easter": "2024-03-31",
    "We paid for the Christmas before last": "2023-12-25",
    "Back in ten minutes time, wait": "2025-03-05T10:10/2025-03-05T10:11",
    "We left march third": "2025-03-03",
    "It opened march 3 2015": "2015-03-03",
    "We landed on mar4": "2025-03-04",
    "Sales fell last quarter": "2024-10-01..2024-12-31",
    "They married in nineteen ninety six": "1996-01-01..1996-12-31",
    "Rome fell in 410 AD": "410-01-01..410-12-31",
    "She was born in April of 87": "1987-04-01..1987-04-30",
    "She was born June twenty two": "2024-06-22",
    "I'll be back 11ish": "2025-03-05T11:00/2025-03-05T12:00",
    "The train is at 15h": "2025-03-05T15:00/2025-03-05T15:01",
    "We ate around half seven.": "2025-03-05T07:15/2025-03-05T07:45",
    "I'll be there nine tomorrow morning": "2025-03-06T09:00/2025-03-06T10:00",
    "Meet me at 3 15": "2025-03-05T15:15/2025-03-05T15:16",
    "See you at 3": "2025-03-05T15:00/2025-03-05T16:00",
    "We met on Friday 21": "2025-02-21",
    "It dates back to 1865": "1865-01-01..1865-12-31",
    "Send it by EOD": "..2025-03-06",
    "Can you do Monday am?": "2025-03-10T06:00/2025-03-10T12:00",
    "Let's meet around the 21st": "2025-03-20..2025-03-22",
    "We were away the whole summer.": "2024-06-01..2024-08-31",
    "I'm away for the day": "2025-03-05",
}
LISTS = {
    "May and June 2025": ["2025-05-01..2025-05-31", "2025-06-01..2025-06-30"],
    "in June or July 2024": ["2024-06-01..2024-06-30", "2024-07-01..2024-07-31"],
    "May, June and July of last year": [
        "2024-05-01..2024-05-31",
        "2024-06-01..2024-06-30",
        "2024-07-01..2024-07-31",
    ],
    "spring and summer 2024": ["2024-03-01..2024-05-31", "2024-06-01..2024-08-31"],
    "Christmas and Easter 2023": ["2023-12-25", "2023-04-09"],
    "May 3 and 5": ["2025-05-03", "2025-05-05"],
    "May 3, 5 and 9": ["2025-05-03", "2025-05-05", "2025-05-09"],
    "March 3rd and 5th 2024": ["2024-03-03", "2024-03-05"],
    "May 3 and June 5, 2024": ["2024-05-03", "2024-06-05"],
    "3 May and 5 June 2024": ["2024-05-03", "2024-06-05"],
    "the 3rd and 4th of May": ["2025-05-03", "2025-05-04"],
    "on the 3rd, 5th and 7th of May": ["2025-05-03", "2025-05-05", "2025-05-07"],
    "on the 3rd and 4th": ["2025-03-03", "2025-03-04"],
    "the 3rd and 4th of next month": ["2025-04-03", "2025-04-04"],
    "3 and 5 May 2024": ["2024-05-03", "2024-05-05"],
    "Monday and Tuesday next week": ["2025-03-10", "2025-03-11"],
    "Saturday, Sunday and Monday of last week": ["2025-03-01", "2025-03-02", "2025-02-24"],
    "next Monday and Tuesday": ["2025-03-10", "2025-03-11"],
    "last June and July": ["2024-06-01..2024-06-30", "2024-07-01..2024-07-31"],
    "the first and third Monday of May": ["2025-05-05", "2025-05-19"],
    "the first and second quarter of 2024": ["2024-01-01..2024-03-31", "2024-04-01..2024-06-30"],
    "between May and June 2025": ["2025-05-01..2025-06-30"],
    "between the 3rd and 5th of May": ["2025-05-03..2025-05-05"],
    "on Mon, Wed and Sat": ["2025-03-03", "2025-02-26", "2025-03-01"],
    "next Monday and Friday the 13th": ["2025-03-10", "2025-06-13"],
    "May 3 and 5 people": ["2025-05-03"],
    "8 May 2023, Monday and Tuesday next week": ["2023-05-08", "2025-03-11"],
    "on 11/20, 11/22 or 11/25": ["2024-11-20", "2024-11-22", "2024-11-25"],
    "in 2007 and 2009": ["2007-01-01..2007-12-31", "2009-01-01..2009-12-31"],
}
LENGTHS = {
    "It takes two or three weeks": (14, 21),
    "It took a quarter of an hour": (1 / 96, 1 / 96),
    "It took three quarters of an hour": (1 / 32, 1 / 32),
    "They live 65 million years": (65e6 * 365, 65e6 * 365),
    "The course will last three weekends": (6, 6),
    "It took us three weekends": (6, 6),
    "It took 2.5 hours": (2.5 / 24, 2.5 / 24),
    "It took one and a half hours": (1.5 / 24, 1.5 / 24),
    "It took half an hour": (0.5 / 24, 0.5 / 24),
    "It took two hours and ten minutes": (130 / 1440, 130 / 1440),
    "It broke after five days": (5, 5),
    "Give it another week": (7, 7),
    "We stayed two nights": (2, 2),
    "Boil it for 5'": (5 / 1440, 5 / 1440),
    "I waited for 3h": (3 / 24, 3 / 24),
    "I parked there for all day": (1, 1),
}
AGAIN = {
    "each second Monday of the month": "P1M",
    "the first Monday of every month": "P1M",
    "once every three days": "P3D",
    "every business day": "P1D",
    "every two to three days": "P2D",
    "Monday mornings": "P1W",
    "every day in the morning": "P1D",
    "once a year": "P1Y",
    "We hike weekends": "P1W",
    "I run mornings": "P1D",
    "every day at 7pm": "P1D",
    "6am every day": "P1D",
}


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_time_or_beyond_the_calendar(text: str):
    assert find(text, WEDNESDAY) == []


@pytest.mark.parametrize("text", ONE)
def test_one_time(text: str):
    assert read(text) == [(text, ONE[text])]


@pytest.mark.parametrize("text", IN_A_SENTENCE)
def test_one_time_in_a_sentence(text: str):
    assert [time for _, time in read(text)] == [IN_A_SENTENCE[text]]


@pytest.mark.parametrize("text", LISTS)
def test_each_member_of_a_list_has_what_they_share(text: str):
    assert [time for _, time in read(text)] == LISTS[text]


@pytest.mark.parametrize("text", LENGTHS)
def test_a_length(text: str):
    (found,) = find(text, WEDNESDAY)
    assert found.seconds is not None
    assert [seconds / 86_400 for seconds in found.seconds] == pytest.approx(LENGTHS[text])


@pytest.mark.parametrize("text", AGAIN)
def test_what_comes_again(text: str):
    assert [(found.kind, found.every) for found in find(text, WEDNESDAY)] == [("recurrence", AGAIN[text])]


@pytest.mark.parametrize(
    ("text", "second"),
    [("the 1800s", "1800-01-01..1809-12-31"), ("the 2000s", "2000-01-01..2099-12-31")],
)
def test_a_century_and_its_first_decade_are_both_readings(text: str, second: str):
    (found,) = find(text, WEDNESDAY)
    assert written(found.readings[1]) == second
