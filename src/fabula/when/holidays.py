"""The days of holidays: Gregorian, Easter-bound, Chinese, Hebrew, Islamic and Hindu, by the rules of their calendars.

It knows no text beyond the names' spellings, no days off and no "holiday weekend": `on` answers for the day that the
bare name means. Where a name belongs to several countries, the United States' day answers for the English name and the
People's Republic's for the Chinese one. Rules of today are applied to all years.

A Hebrew festival of one day is given by its daylight, one of several days from the evening on which it begins.
Islamic dates follow the Umm al-Qura calendar (Saudi Arabia), known from 1924 to 2077. Hindu lunar ones follow
the tithi (a thirtieth of the moon's month) that prevails in India at the hour of the rite; regions differ by a day,
and so may a list that a region publishes.
"""

from __future__ import annotations

import math
from calendar import isleap
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from functools import cache, lru_cache
from itertools import product
from types import MappingProxyType

from fabula.when import lunar
from fabula.when.holiday_words import (
    CHINESE,
    EASTER,
    ENGLISH,
    FIXED,
    FRI,
    LUNAR,
    MON,
    ORTHODOX,
    SAT,
    SIMPLIFIED,
    SUN,
    TERMS,
    THU,
    WEAK,
    WEEKDAYS,
)

Span = tuple[date, date]
"""The first day, and the first day after."""
Rule = Callable[[int], Iterable[Span]]
"""All that begin in a year."""

_DAY = timedelta(1)


def at_dusk(key: str) -> bool:
    """Whether it is a festival of one day that begins on the evening before."""
    return key in _HEBREW and all(end - start == _DAY for start, end in occurrences(key, 2024))


def on(key: str, year: int) -> Span | None:
    """Return the first day of the holiday `key` in the Gregorian `year`, and the first day after it.

    None where the key is unknown, the year has no such day (a leap day, 腊八 in 2023, an Islamic date outside 1924 to
    2077) or is not 2 to 9998.
    """
    return next(iter(occurrences(key, year)), None)


@lru_cache(maxsize=4096)
def occurrences(key: str, year: int) -> tuple[Span, ...]:
    """Return all that begin in the year, in order: by the moon a holiday can come twice in a year, or not at all."""
    rule = _RULES.get(key)
    # One year of room at both ends: a rule counts days from the new year before or to the one after.
    return tuple(rule(year)) if rule is not None and 1 < year < 9999 else ()


def simplified(text: str) -> str:
    """Return `text` with the traditional characters of the holidays' names made simple, one for one: places stay."""
    return text.translate(SIMPLIFIED)


@cache
def names() -> Mapping[str, str]:
    """Return every name and its key: English in lower case with a straight apostrophe, Chinese in both scripts."""
    english = {spelling: key for name, key in ENGLISH.items() for spelling in spellings(name)}
    return MappingProxyType(english | dict(CHINESE))


@cache
def weak() -> frozenset[str]:
    """Return those of `names` that more often mean something else, and need a context to be a date."""
    return frozenset(spelling for name in WEAK for spelling in spellings(name))


def spellings(name: str) -> frozenset[str]:
    """Return the ways a lower-case name is written: apostrophe, genitive and hyphen or not; `st`, `st.`, `saint`."""
    return frozenset(
        " ".join(words) for text in (name, name.replace("-", " ")) for words in product(*map(_word, text.split(" ")))
    )


def _word(word: str) -> tuple[str, ...]:
    if word == "st":
        return "st", "st.", "saint"
    if word == "jr":
        return "jr", "jr.", "junior"
    if word.endswith("s's"):
        return word, word[:-1], word[:-2]
    if word.endswith("'s"):
        return word, word[:-2] + "s'", word[:-2] + "s", word[:-2]
    if word.endswith("s'"):
        return word, word[:-2] + "'s", word[:-1]
    return (word,)


# --- Rules --------------------------------------------------------------------------------------------------------


def _span(first: date | int, days: int = 1) -> Span:
    start = date.fromordinal(first) if isinstance(first, int) else first
    return start, start + days * _DAY


def _fixed(month: int, day: int, days: int = 1) -> Rule:
    def rule(year: int) -> list[Span]:
        return [] if (month, day) == (2, 29) and not isleap(year) else [_span(date(year, month, day), days)]

    return rule


def _weekday(which: int, weekday: int, month: int, shift: int = 0, days: int = 1) -> Rule:
    """The `which`th such weekday of the month (−1: the last), and `shift` days on."""

    def rule(year: int) -> list[Span]:
        if which > 0:
            first = date(year, month, 1)
            day = first + timedelta((weekday - first.weekday()) % 7 + 7 * (which - 1))
        else:
            last = date(year + month // 12, month % 12 + 1, 1) - _DAY
            day = last - timedelta((last.weekday() - weekday) % 7 + 7 * (-1 - which))
        return [_span(day + timedelta(shift), days)]

    return rule


def _until(weekday: int, month: int, day: int, weeks: int = 0, days: int = 1) -> Rule:
    """The last such weekday on or before that day of the year, and as many weeks earlier."""

    def rule(year: int) -> list[Span]:
        limit = date(year, month, day)
        return [_span(limit - timedelta((limit.weekday() - weekday) % 7 + 7 * weeks), days)]

    return rule


def easter(year: int) -> date:
    """Return Easter Sunday of the Western churches (Meeus, *Astronomical Algorithms*, ch. 8, after Butcher 1876)."""
    century, rest = divmod(year, 100)
    epact = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (year % 19 + 11 * epact + 22 * sunday) // 451
    month, day = divmod(epact + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def orthodox_easter(year: int) -> date:
    """Return Easter Sunday of the Orthodox churches, by the Julian calendar (Meeus, ch. 8), as a Gregorian date."""
    moon = (19 * (year % 19) + 15) % 30
    sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + sunday + 114, 31)
    return date(year, month, day + 1) + timedelta(year // 100 - year // 400 - 2)


def _easter(shift: int, days: int = 1) -> Rule:
    return lambda year: [_span(easter(year) + timedelta(shift), days)]


def _orthodox(shift: int, days: int = 1) -> Rule:
    return lambda year: [_span(orthodox_easter(year) + timedelta(shift), days)]


def _lent(year: int) -> list[Span]:
    return [_span(easter(year) - timedelta(46), 46)]


def _boss(year: int) -> list[Span]:
    """16 October, on a weekend the nearest weekday."""
    day = date(year, 10, 16)
    return [_span(day + timedelta({SAT: -1, SUN: 1}.get(day.weekday(), 0)))]


def _advent(year: int) -> list[Span]:
    """From the fourth Sunday before Christmas to its eve."""
    [(first, _)] = _until(SUN, 12, 24, weeks=3)(year)
    return [(first, date(year, 12, 25))]


def _earth_hour(year: int) -> list[Span]:
    """The last Saturday of March, a week earlier where that is Holy Saturday."""
    [(saturday, after)] = _weekday(-1, SAT, 3)(year)
    return [_span(saturday - timedelta(7 * (after == easter(year))))]


# --- Chinese -------------------------------------------------------------------------------------------------------


def _lunar(month: int, day: int, days: int = 1) -> Rule:
    def rule(year: int) -> list[Span]:
        # The last month of a lunar year lies in this calendar year or the next.
        found = [lunar.day(year - ago, month, day) for ago in (1, 0)]
        return [_span(first, days) for first in found if first is not None and first.year == year]

    return rule


def _eve(year: int) -> list[Span]:
    return [_span(lunar.new_year(year) - _DAY)]


def _term(name: str, shift: int = 0) -> Rule:
    return lambda year: [_span(lunar.term(name, year) + timedelta(shift))]


# --- Hebrew --------------------------------------------------------------------------------------------------------


def _tishri(year: int) -> int:
    """The ordinal of 1 Tishri of a Hebrew year (Reingold and Dershowitz, *Calendrical Calculations*, ch. 8)."""

    def elapsed(year: int) -> int:
        months = (235 * year - 234) // 19
        days = 29 * months + (12_084 + 13_753 * months) // 25_920
        return days + (3 * (days + 1) % 7 < 3)

    before, this, after = elapsed(year - 1), elapsed(year), elapsed(year + 1)
    return this - 1_373_427 + (2 if after - this == 356 else this - before == 382)


def _hebrew(shift: int, days: int = 1, moved: Mapping[int, int] = MappingProxyType({})) -> Rule:
    """The day `shift` days after 1 Tishri, `moved` off a weekday by so many days; several from the evening before.

    From Adar on, the months before 1 Tishri have fixed lengths, so one that lies in spring counts back from it.
    """

    def rule(year: int) -> list[Span]:
        day = date.fromordinal(_tishri(year + 3761) + shift)
        return [_span(day + timedelta(moved.get(day.weekday(), 0) - (days > 1)), days)]

    return rule


def _hanukkah(year: int) -> list[Span]:
    """25 Kislev and seven days more; the month before has 29 days or, in a full year, 30."""
    first = _tishri(year + 3761)
    full = (_tishri(year + 3762) - first) % 10 == 5
    return [_span(first + 82 + full, 8)]


def _tu_bishvat(year: int) -> list[Span]:
    """15 Shevat; in a leap year one more month lies between it and the next 1 Tishri."""
    leap = (7 * (year + 3760) + 1) % 19 < 7
    return [_span(_tishri(year + 3761) - 222 - 30 * leap)]


# --- Islamic -------------------------------------------------------------------------------------------------------


def _hijri(year: int, month: int, day: int) -> date | None:
    from hijridate import Hijri

    # The library's table covers these years.
    if not 1343 <= year <= 1500:
        return None
    found = Hijri(year, month, day).to_gregorian()
    return date(found.year, found.month, found.day)


def _islamic(month: int, day: int, weekday: int | None = None, until: tuple[int, int] | None = None) -> Rule:
    """That date, or the last such weekday before it; with `until`, up to that date."""

    def rule(year: int) -> list[Span]:
        near = (year - 622) * 33 // 32
        spans: list[Span] = []
        for hijri in range(near - 1, near + 3):
            first = _hijri(hijri, month, day)
            after = None if until is None else _hijri(hijri, *until)
            if first is not None and weekday is not None:
                first -= timedelta((first.weekday() - weekday - 1) % 7 + 1)
            if first is not None and first.year == year:
                spans.append((first, after or first + _DAY))
        return spans

    return rule


# --- Hindu ---------------------------------------------------------------------------------------------------------

_INDIA = 5.5 / 24
"""Days by which Indian clocks are ahead of UTC."""


def _precession(year: float) -> float:
    """Degrees from the March equinox to the first point of the sidereal zodiac (Lahiri, as India's almanac counts)."""
    return 23.853 + 0.013972 * (year - 2000)


@lru_cache(maxsize=64)
def _months(year: int) -> tuple[tuple[int, int], ...]:
    """The new moons about the year: the turns of `lunar.moon_leads`, and the number (1 Chaitra) of the month begun.

    A month is named for the sign the sun enters in it; one in which it enters none is a leap month and left out.
    """
    first = round((date(year, 1, 1) - date(2000, 1, 6)).days / 29.530588) - 2
    moons = range(first, first + 16)
    signs = [int((lunar.sun(lunar.moon_leads(moon)) - _precession(year)) % 360 // 30) for moon in moons]
    return tuple(
        (moon, (sign + 1) % 12 + 1) for moon, sign, after in zip(moons, signs, signs[1:], strict=False) if sign != after
    )


def _hindu(month: int, tithi: int, hour: float, shift: int = 0, days: int = 1, last: bool = False) -> Rule:
    """The day on which the tithi (1–15 waxing, 16–30 waning, months ending at new moon) prevails at the hour.

    Where it does at none, the day on which it begins and ends; at two, the first, or with `last` the second.
    """

    def rule(year: int) -> list[Span]:
        spans: list[Span] = []
        for moon, number in _months(year):
            if number != month:
                continue
            starts, ends = (lunar.moon_leads(moon + part / 30) + _INDIA - hour / 24 for part in (tithi - 1, tithi))
            day = math.floor(ends) if last or math.ceil(starts) > ends else math.ceil(starts)
            span = _span(day + shift, days)
            if span[0].year == year:
                spans.append(span)
        return spans

    return rule


def _sign(degrees: float, hour: float, shift: int = 0) -> Rule:
    """The day on which the sun reaches `degrees` of the sidereal zodiac, the next where that is after the hour."""

    def rule(year: int) -> list[Span]:
        moment = lunar.sun_reaches(degrees + _precession(year), year)
        return [_span(math.floor(moment + _INDIA + 1 - hour / 24) + shift)]

    return rule


def _onam(year: int) -> list[Span]:
    """The last day of the solar month of Leo on whose morning the moon stands in Shravana, the 22nd of 27 mansions."""
    precession = _precession(year)
    first, after = (math.floor(lunar.sun_reaches(sign + precession, year) + _INDIA + 0.5) for sign in (120, 150))
    for day in range(after - 1, first - 1, -1):
        if (lunar.moon(day + 8.5 / 24 - _INDIA) - precession) % 360 // (360 / 27) == 21:
            return [_span(day)]
    return []


def _parsi_new_year(year: int) -> list[Span]:
    """The Shahenshahi calendar has 365 days and no leap year."""
    day = date(2018, 8, 17) + timedelta(365 * (year - 2018))
    return [_span(day)] if day.year == year else []


def _nowruz(year: int) -> list[Span]:
    """The day of the March equinox in Tehran (3½ hours ahead of UTC), the next where that is after noon."""
    return [_span(math.floor(lunar.sun_reaches(0, year) + 3.5 / 24 + 0.5))]


# --- Tables --------------------------------------------------------------------------------------------------------

_HEBREW: Mapping[str, Rule] = {
    "rosh_hashanah": _hebrew(0, 3), "fast_of_gedaliah": _hebrew(2, moved={SAT: 1}), "yom_kippur": _hebrew(9),
    "sukkot": _hebrew(14, 9), "hoshana_rabbah": _hebrew(20), "shemini_atzeret": _hebrew(21),
    "simchat_torah": _hebrew(22), "hanukkah": _hanukkah, "tu_bishvat": _tu_bishvat, "purim": _hebrew(-193),
    "shushan_purim": _hebrew(-192), "passover": _hebrew(-163, 9),
    "yom_hashoah": _hebrew(-151, moved={FRI: -1, SUN: 1}),
    "yom_hazikaron": _hebrew(-144, moved={THU: -1, FRI: -2, SUN: 1}),
    "yom_haatzmaut": _hebrew(-143, moved={FRI: -1, SAT: -2, MON: 1}), "lag_baomer": _hebrew(-130),
    "yom_yerushalayim": _hebrew(-120), "shavuot": _hebrew(-113, 3), "tammuz_fast": _hebrew(-72, moved={SAT: 1}),
    "tisha_bav": _hebrew(-51, moved={SAT: 1}), "tu_bav": _hebrew(-45),
}  # fmt: skip

_ISLAMIC: Mapping[str, Rule] = {
    "islamic_new_year": _islamic(1, 1), "ashura": _islamic(1, 10), "mawlid": _islamic(3, 12),
    "isra_miraj": _islamic(7, 27), "mid_shaban": _islamic(8, 15), "ramadan": _islamic(9, 1, until=(10, 1)),
    "laylat_al_qadr": _islamic(9, 27), "jumuatul_wida": _islamic(10, 1, weekday=FRI), "eid_al_fitr": _islamic(10, 1),
    "arafah": _islamic(12, 9), "eid_al_adha": _islamic(12, 10),
}  # fmt: skip

_HINDU: Mapping[str, Rule] = {
    "basant_panchami": _hindu(11, 5, 11.5), "maha_shivaratri": _hindu(11, 29, 23.5),
    "dayananda_jayanti": _hindu(11, 25, 6.25), "ravidas_jayanti": _hindu(11, 15, 7),
    "holika_dahan": _hindu(12, 15, 17, last=True), "holi": _hindu(12, 15, 17, shift=1, last=True),
    "ugadi": _hindu(1, 1, 6.25), "chaitra_navaratri": _hindu(1, 1, 2, days=9),
    "rama_navami": _hindu(1, 9, 12, last=True),
    "mahavir_jayanti": _hindu(1, 13, 5.5, last=True), "hanuman_jayanti": _hindu(1, 15, 6),
    "akshaya_tritiya": _hindu(2, 3, 11), "buddha_purnima": _hindu(2, 15, 5.5, last=True),
    "rath_yatra": _hindu(4, 2, 5.75), "guru_purnima": _hindu(4, 15, 5.75), "naag_panchami": _hindu(5, 5, 7.5),
    "raksha_bandhan": _hindu(5, 15, 8.25), "janmashtami": _hindu(5, 23, 24), "ganesh_chaturthi": _hindu(6, 4, 11.5),
    "navaratri": _hindu(7, 1, 7, days=9), "maha_saptami": _hindu(7, 7, 6.5), "maha_ashtami": _hindu(7, 8, 6.5),
    "maha_navami": _hindu(7, 9, 13.75), "dussehra": _hindu(7, 10, 12), "valmiki_jayanti": _hindu(7, 15, 7),
    "karva_chauth": _hindu(7, 19, 18.5), "dhanteras": _hindu(7, 28, 18), "naraka_chaturdashi": _hindu(7, 29, 18),
    "diwali": _hindu(7, 30, 17.25), "govardhan_puja": _hindu(8, 1, 15.5), "bhai_dooj": _hindu(8, 2, 14),
    "chhath_puja": _hindu(8, 6, 6), "guru_nanak_jayanti": _hindu(8, 15, 6.75),
    "gobind_singh_jayanti": _hindu(10, 7, 6.25),
    "lohri": _sign(270, 17, -1), "bhogi": _sign(270, 17, -1), "makar_sankranti": _sign(270, 17),
    "pongal": _sign(270, 17), "mattu_pongal": _sign(270, 17, 1), "kaanum_pongal": _sign(270, 17, 2),
    "vaisakhi": _sign(0, 24), "puthandu": _sign(0, 18.75), "vishu": _sign(0, 7), "pohela_boishakh": _sign(0, 24, 1),
    "rabindra_jayanti": _sign(0, 24, 25), "onam": _onam, "parsi_new_year": _parsi_new_year,
}  # fmt: skip

_RULES: Mapping[str, Rule] = {
    **{key: _fixed(*date) for key, date in FIXED.items()},
    **{key: _weekday(*which) for key, which in WEEKDAYS.items()},
    **{key: _easter(*shift) for key, shift in EASTER.items()},
    **{key: _orthodox(*shift) for key, shift in ORTHODOX.items()},
    **{key: _lunar(*day) for key, day in LUNAR.items()},
    **{key: _term(term) for key, term in TERMS.items()},
    **_HEBREW, **_ISLAMIC, **_HINDU,
    "advent": _advent, "advent_sunday": _until(SUN, 12, 24, weeks=3), "lent": _lent, "boss_day": _boss,
    "earth_hour": _earth_hour, "nowruz": _nowruz, "victoria_day": _until(MON, 5, 24),
    "administrative_professionals_day": _weekday(-1, SAT, 4, -3),
    "lunar_new_years_eve": _eve, "cold_food_festival": _term("清明", -1),
}  # fmt: skip
