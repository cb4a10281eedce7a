"""Time expressions in English, and dates in figures; knows nothing of Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Final

from fabula.types import Interval
from fabula.when import words
from fabula.when.grammar import Grammar, Match, before, near
from fabula.when.spans import Calendar


def _any(choices: Iterable[str]) -> str:
    return "|".join(sorted(choices, key=len, reverse=True)).replace(" ", r"\s{1,2}")


def _after(choices: Iterable[str]) -> str:
    return "(?:" + "|".join(rf"(?<=\b{choice}[\s-])".replace(" ", r"\s") for choice in choices) + ")"


# Han characters stand next to Latin ones without a space, so `\b` would not do.
_L: Final = r"(?<![0-9A-Za-z_\u00c0-\u024f])"
_R: Final = r"(?![0-9A-Za-z_\u00c0-\u024f])"
_FIGURE: Final = _L + r"(?<!\d[-/.,:])(?<![$€£¥.-])"
_S: Final = r"\s{1,3}"
_COUNTED: Final = rf"(?!\s(?:{_any(words.MEASURES)}){_R})"
_MONTH: Final = rf"(?P<month>{_any(words.MONTHS)}){_R}"
_DAY: Final = rf"(?P<day>0?[1-9]|[12]\d|3[01])(?P<nth>st|nd|rd|th)?{_R}"
_FOUR: Final = rf"(?P<year>1\d\d\d|20\d\d){_R}(?!\s?(?-i:BC|B\.C))(?!-\d|[/.,:]\d|%)"
_YEAR: Final = rf"(?:{_FOUR}|(?P<which>last|this|next){_S}year{_R})"
_WEEKDAY: Final = rf"(?P<weekday>{_any(words.WEEKDAYS)}){_R}"
_SEASON: Final = rf"(?P<season>{_any(words.SEASONS)}){_R}"
_UNIT: Final = rf"(?P<unit>{_any(words.UNITS)})s?{_R}"
_NUMBER: Final = (
    rf"(?P<number>\d{{1,4}}|(?:{_any(words.TENS)})[\s-](?:{_any(words.ONES)})|(?:{_any(words.NUMBERS)})(?=\s))"
)
_PART: Final = rf"(?P<part>{_any(words.PARTS)}){_R}"
_OWNED: Final = "".join(rf"(?<!\b{owner}\s)" for owner in ("the", "my", "your", "his", "her", "its", "our", "their"))
_CLOCK: Final = (
    r"(?:[01]\d|2[0-3]):[0-5]\d(?P<seconds>:[0-5]\d(?P<fraction>\.\d{1,9})?)?"
    r"(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?(?![\d:]|\s?[ap]\.?m)"
)


def _iso(match: Match, calendar: Calendar) -> Interval:
    if not match["clock"]:
        return calendar.days(date.fromisoformat(match["date"]))
    moment = datetime.fromisoformat(f"{match['date']}T{match['clock'].upper()}")
    zone = calendar.now.tzinfo
    moment = moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)
    if match["fraction"]:
        return Interval.at(moment)
    if match["seconds"]:
        return Interval(start=moment, end=moment + timedelta(seconds=1), precision="second")
    return Interval(start=moment, end=moment + timedelta(minutes=1), precision="minute")


def _iso_week(match: Match, calendar: Calendar) -> Interval:
    return calendar.days(date.fromisocalendar(int(match["year"]), int(match["week"]), 1), 7, "week")


def _year_first(match: Match, calendar: Calendar) -> Interval:
    return calendar.days(date(int(match["year"]), int(match["month"]), int(match["day"])))


def _slashed(match: Match, calendar: Calendar) -> Interval:
    month, day = int(match["first"]), int(match["second"])
    if month > 12:
        month, day = day, month
    return calendar.days(date(int(match["year"]), month, day))


def _year_of(match: Match, calendar: Calendar) -> int | None:
    if match["year"]:
        return int(match["year"])
    return calendar.today.year + words.WHICH[match["which"].lower()] if match["which"] else None


def _ordinary(match: Match) -> bool:
    """Whether a small `may` or `march` lacks a preposition that would make it a month."""
    return match["month"] in words.ORDINARY and not _PREPOSITION.search(before(match))


def _hours(match: Match) -> tuple[int, int] | None:
    return words.PARTS[match["part"].lower()] if match["part"] else None


def _date(match: Match, calendar: Calendar) -> Interval | None:
    year, month, day = _year_of(match, calendar), words.MONTHS[match["month"].lower()], int(match["day"])
    # In `the 8th may be late` the ordinal proves nothing; in `may 8th` it does.
    proof = year is not None or match["of"] or (match["nth"] and match.start("day") > match.start("month"))
    if not proof and _ordinary(match):
        return None
    if year is None:
        return calendar.nearest_date(month, day, ahead=near(_FUTURE, match))
    return calendar.days(date(year, month, day))


def _day_of_month(match: Match, calendar: Calendar) -> Interval:
    return calendar.this_month(words.WHICH[match["which"].lower()], day=int(match["day"]))


def _month_of_year(match: Match, calendar: Calendar) -> Interval | None:
    year = _year_of(match, calendar)
    if year is None or _ordinary(match):
        return None
    return calendar.month(year, words.MONTHS[match["month"].lower()])


def _season_of_year(match: Match, calendar: Calendar) -> Interval | None:
    year = _year_of(match, calendar)
    return None if year is None else calendar.season(year, words.SEASONS[match["season"].lower()])


def _bare_month(match: Match, calendar: Calendar) -> Interval:
    return calendar.nearest_month(words.MONTHS[match["month"].lower()], ahead=near(_FUTURE, match))


def _bare_year(match: Match, calendar: Calendar) -> Interval:
    return calendar.year(int(match["year"]))


def _named(weekday: str) -> int | None:
    """The weekday's number; its short form counts only with a capital (`sun`, `sat` and `wed` are words)."""
    short = not weekday.lower().endswith("day")
    return None if short and weekday.islower() else words.WEEKDAYS[weekday.lower()]


def _bare_weekday(match: Match, calendar: Calendar) -> Interval | None:
    weekday = _named(match["weekday"])
    if weekday is None:
        return None
    day = calendar.nearest_weekday(weekday, ahead=near(_FUTURE, match))
    return calendar.part(day, _hours(match))


def _bare_weekend(match: Match, calendar: Calendar) -> Interval:
    return calendar.nearest_weekend(ahead=near(_FUTURE, match))


def _relative(match: Match, calendar: Calendar) -> Interval | None:
    how = match["which"].lower().split()[-1]
    offset = words.WHICH[how]
    if match["weekday"]:
        weekday = _named(match["weekday"])
        if weekday is None:
            return None
        if how in ("this", "next"):
            day = calendar.weekday(weekday, offset)
        else:
            day = calendar.nearest_weekday(weekday, ahead=how == "coming")
        return calendar.part(day, _hours(match))
    if match["season"]:
        return calendar.nearest_season(words.SEASONS[match["season"].lower()], offset)
    if match["month"]:
        month = words.MONTHS[match["month"].lower()]
        if how == "this":
            return None if match["month"] in words.ORDINARY else calendar.month(calendar.today.year, month)
        return calendar.nearest_month(month, ahead=offset > 0, other=True)
    unit = match["unit"].lower()
    if unit == "weekend":
        return calendar.weekend(0 if how == "coming" else offset)
    return calendar.week(offset) if unit == "week" else calendar.away(offset, unit)


def _part_of_today(match: Match, calendar: Calendar) -> Interval:
    day = calendar.from_today(words.WHICH[match["which"].lower()])
    return calendar.part(day, _hours(match))


def _day_word(match: Match, calendar: Calendar) -> Interval:
    word = " ".join(match["word"].lower().split())
    day = calendar.from_today(words.DAYS[word])
    return calendar.part(day, words.PARTS["night"] if word == "tonight" else _hours(match))


def _number(match: Match) -> int:
    text = " ".join(match["number"].lower().split())
    if text.isdigit():
        return int(text)
    if text in words.NUMBERS:
        return words.NUMBERS[text]
    tens, ones = re.split(r"[\s-]", text)
    return words.TENS[tens] + words.ONES[ones]


def _ago(match: Match, calendar: Calendar) -> Interval:
    amount = _number(match) * (-1 if match["way"].lower() == "ago" else 1)
    return calendar.away(amount, match["unit"].lower(), exact=match["today"] is not None)


def _within(match: Match, calendar: Calendar) -> Interval | None:
    single = match["number"].lower() in ("a", "an", "one") and match["unit"].lower() == "day"
    if single or _LOOKING_BACK.search(before(match)):
        return None  # a duration: `I read it in a day`, `not in two years`
    return calendar.away(_number(match), match["unit"].lower())


_FLAGS: Final = re.IGNORECASE | re.ASCII
_FUTURE: Final = re.compile(words.FUTURE, _FLAGS)
_LOOKING_BACK: Final = re.compile(words.LOOKING_BACK, _FLAGS)
_PREPOSITION: Final = re.compile(rf"{_L}(?:{_any((*words.BEFORE_DATE, *words.BEFORE_MONTH))})[\s-]$", _FLAGS)
_HINT: Final = (
    rf"\d|day|{_any(name for name in words.UNITS if name != 'day')}|{_any(words.WEEKDAYS)}"
    rf"|{_any(words.MONTHS)}|{_any(words.SEASONS)}|tonight|tomorrow|{_any(words.PARTS)}"
)

GRAMMAR: Final = Grammar(
    _HINT,
    [
        (rf"{_FIGURE}(?P<date>\d{{4}}-\d\d-\d\d)(?!\d|-\d)(?:[T ](?P<clock>{_CLOCK}))?", _iso),
        (rf"{_FIGURE}(?P<year>\d{{4}})-W(?P<week>\d\d){_R}", _iso_week),
        (rf"{_L}week{_S}(?P<week>\d\d?),?{_S}(?:of{_S})?{_FOUR}", _iso_week),
        (rf"{_FIGURE}(?P<year>1\d\d\d|20\d\d)[-/](?P<month>\d\d?)[-/](?P<day>\d\d?){_R}(?![-/]\d)", _year_first),
        (rf"{_FIGURE}(?P<first>\d\d?)[-/](?P<second>\d\d?)[-/](?P<year>1\d\d\d|20\d\d){_R}(?![-/]\d)", _slashed),
        (rf"{_FIGURE}{_DAY}{_S}of{_S}(?P<which>last|this|next){_S}month{_R}", _day_of_month),
        (rf"{_FIGURE}{_DAY}[ -](?P<of>of\s)?{_MONTH}(?:\.?[,\s-]{{1,2}}(?:of\s)?{_YEAR})?", _date),
        (rf"{_L}(?P<of>){_MONTH}\.?{_S}(?:the{_S})?{_DAY}(?![:.]\d|%)(?:[,\s]{{1,2}}(?:of\s)?{_YEAR}|{_COUNTED})",
         _date),
        (rf"{_L}{_MONTH}\.?[,\s]{{1,2}}(?:of\s)?{_YEAR}", _month_of_year),
        (rf"{_L}{_SEASON}[,\s]{{1,2}}(?:of\s)?{_YEAR}", _season_of_year),
        (rf"{_L}(?<!half\s)(?<![.,-]){_NUMBER}{_S}{_UNIT}{_S}(?P<way>ago|from{_S}now){_R}(?P<today>{_S}today{_R})?",
         _ago),
        (rf"{_L}in{_S}{_NUMBER}{_S}{_UNIT}(?:['’]?{_S}time{_R})?", _within),
        (rf"{_L}(?P<which>last)(?<!\bthe\slast){_S}(?P<part>night|evening){_R}", _part_of_today),
        (rf"{_L}(?P<which>this){_S}(?P<part>morning|afternoon|evening){_R}", _part_of_today),
        (rf"{_L}(?P<which>{_OWNED}last|{_OWNED}next|this(?:{_S}(?:past|coming))?|coming){_S}"
         rf"(?:(?P<unit>weekend|week|month|year){_R}|{_WEEKDAY}(?:{_S}{_PART})?|{_SEASON}|{_MONTH}(?!\s\d))",
         _relative),
        (rf"{_L}(?P<word>{_any(words.DAYS)}){_R}(?:{_S}{_PART})?", _day_word),
        (rf"{_L}(?:{_after(words.BEFORE_WEEKDAY)}(?<!week\sfrom\s)(?<!weeks\sfrom\s)"
         rf"|(?=[a-z]{{3,9}}{_S}(?-i:{_any(words.PARTS)}){_R}))"
         rf"{_WEEKDAY}(?:{_S}{_PART})?", _bare_weekday),
        (rf"{_after(words.BEFORE_WEEKEND)}the{_S}weekend{_R}", _bare_weekend),
        (rf"{_after(words.BEFORE_MONTH)}{_MONTH}(?!['’]s|\s\d)", _bare_month),
        (rf"{_after(words.BEFORE_YEAR)}{_FOUR}{_COUNTED}", _bare_year),
    ],
    _FLAGS,
)  # fmt: skip
