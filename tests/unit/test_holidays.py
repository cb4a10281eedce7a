from collections.abc import Callable
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fabula.errors import InvalidInput
from fabula.when import holidays, lunar
from fabula.when.holiday_words import CHINESE, ENGLISH, TERMS, WEAK

DAYS = {
    "new_years_day": ["2024-01-01"],
    "thanksgiving": ["2013-11-28", "2014-11-27", "2017-11-23", "2023-11-23"],
    "thanksgiving_ca": ["2023-10-09"],
    "black_friday": ["2013-11-29", "2017-11-24"],
    "cyber_monday": ["2019-12-02"],
    "mlk_day": ["2013-01-21", "2014-01-20"],
    "memorial_day": ["2021-05-31", "2024-05-27"],
    "labor_day_us": ["2021-09-06"],
    "mothers_day": ["2021-05-09"],
    "fathers_day": ["2021-06-20"],
    "boss_day": ["2016-10-17", "2021-10-15", "2019-10-16"],
    "victoria_day": ["2020-05-18", "2021-05-24"],
    "election_day_us": ["2020-11-03", "2022-11-08"],
    "summer_bank_holiday": ["2022-08-29"],
    "administrative_professionals_day": ["2022-04-27"],
    "earth_hour": ["2013-03-23", "2016-03-19", "2019-03-30"],
    "advent_sunday": ["2022-11-27", "2023-12-03"],
    "leap_day": ["2024-02-29", "2000-02-29"],
    "easter": ["1818-03-22", "1943-04-25", "2008-03-23", "2010-04-04", "2012-04-08", "2024-03-31", "2038-04-25"],
    "orthodox_easter": [
        "1850-05-05",
        "2013-05-05",
        "2018-04-08",
        "2021-05-02",
        "2024-05-05",
        "2025-04-20",
        "2100-05-02",
    ],
    "shrove_tuesday": ["2013-02-12"],
    "good_friday": ["2013-03-29"],
    "mothering_sunday": ["2023-03-19"],
    "ascension_day": ["2024-05-09"],
    "whit_monday": ["2013-05-20"],
    "trinity_sunday": ["2013-05-26"],
    "corpus_christi": ["2024-05-30"],
    "orthodox_good_friday": ["2020-04-17"],
    "lazarus_saturday": ["2018-03-31"],
    "spring_festival": ["1985-02-20", "2024-02-10", "2025-01-29", "2033-01-31"],
    "lunar_new_years_eve": ["2024-02-09", "2025-01-28"],
    "lantern_festival": ["2019-02-19"],
    "dragon_boat": ["2006-05-31", "2020-06-25"],
    "mid_autumn": ["2020-10-01", "2025-10-06"],
    "qixi": ["2025-08-29"],
    "double_ninth": ["2023-10-23"],
    "laba": ["2022-01-10", "2024-01-18", "2025-01-07"],
    "qingming": ["2024-04-04", "2025-04-04", "2023-04-05"],
    "cold_food_festival": ["2025-04-03"],
    "dongzhi": ["2024-12-21", "2023-12-22"],
    "dahan": ["2018-01-20"],
    "mangzhong": ["2021-06-05"],
    "yom_kippur": ["2013-09-14", "2018-09-19"],
    "purim": ["2013-02-24", "2024-03-24"],
    "tisha_bav": ["2013-07-16", "2018-07-22"],
    "yom_hashoah": ["2018-04-12", "2024-05-06"],
    "yom_hazikaron": ["2013-04-15", "2024-05-13", "2025-04-30"],
    "yom_haatzmaut": ["2013-04-16", "2018-04-19", "2024-05-14", "2025-05-01"],
    "tu_bishvat": ["2014-01-16", "2018-01-31"],
    "lag_baomer": ["2013-04-28"],
    "eid_al_fitr": ["1975-10-06", "2018-06-15", "2034-12-12"],
    "eid_al_adha": ["2013-10-15", "2018-08-21"],
    "islamic_new_year": ["2018-09-11"],
    "jumuatul_wida": ["2017-06-23", "2018-06-08"],
    "diwali": ["2013-11-03", "2022-10-24", "2023-11-12", "2024-10-31"],
    "holi": ["2013-03-27", "2019-03-21"],
    "holika_dahan": ["2019-03-20"],
    "maha_shivaratri": ["2020-02-21"],
    "raksha_bandhan": ["2013-08-20", "2018-08-26", "2023-08-30"],
    "karva_chauth": ["2018-10-27"],
    "ganesh_chaturthi": ["2019-09-02"],
    "janmashtami": ["2019-08-23"],
    "rama_navami": ["2020-04-02"],
    "onam": ["2013-09-16", "2018-08-25"],
    "pongal": ["2018-01-14"],
    "puthandu": ["2023-04-14"],
    "rabindra_jayanti": ["2018-05-09", "2020-05-08"],
    "parsi_new_year": ["2013-08-18", "2018-08-17", "2020-08-16"],
    "nowruz": ["2020-03-20", "2022-03-21", "2024-03-20"],
}

SPANS = {
    "national_week_cn": "2024-10-01..2024-10-07",
    "songkran": "2023-04-13..2023-04-15",
    "kwanzaa": "2023-12-26..2024-01-01",
    "lent": "2018-02-14..2018-03-31",
    "great_lent": "2018-02-19..2018-03-30",
    "holy_week": "2024-03-24..2024-03-30",
    "advent": "2023-12-03..2023-12-24",
    "rosh_hashanah": "2018-09-09..2018-09-11",
    "sukkot": "2018-09-23..2018-10-01",
    "hanukkah": "2018-12-02..2018-12-09",
    "passover": "2018-03-30..2018-04-07",
    "shavuot": "2018-05-19..2018-05-21",
    "ramadan": "2018-05-16..2018-06-14",
    "navaratri": "2018-10-10..2018-10-18",
}


def first(key: str, year: int) -> date | None:
    found = holidays.on(key, year)
    return None if found is None else found[0]


@pytest.mark.parametrize(("key", "day"), [(key, day) for key, days in DAYS.items() for day in days])
def test_known_days(key: str, day: str):
    start = date.fromisoformat(day)
    assert holidays.on(key, start.year) == (start, start + timedelta(1))


@pytest.mark.parametrize(("key", "span"), SPANS.items())
def test_known_spans(key: str, span: str):
    start, last = map(date.fromisoformat, span.split(".."))
    assert holidays.on(key, start.year) == (start, last + timedelta(1))


def test_a_full_hebrew_year_moves_hanukkah():
    # Of the Hebrew years 5782, 5783 and 5785 the second and third are full.
    assert [first("hanukkah", year) for year in (2021, 2022, 2024)] == [
        date(2021, 11, 28), date(2022, 12, 18), date(2024, 12, 25),
    ]  # fmt: skip


def test_hebrew_years_have_lawful_lengths():
    starts = [first("rosh_hashanah", year) for year in range(1500, 2500)]
    days = [start for start in starts if start is not None]
    assert {(after - day).days for day, after in pairwise(days)} == {353, 354, 355, 383, 384, 385}
    # The evening before: 1 Tishri is never a Sunday, Wednesday or Friday.
    assert {day.weekday() for day in days} == {6, 0, 2, 4}


def test_hindu_leap_months_hold_no_holiday():
    # 2020 had an Ashvina twice, 2023 a Shravana.
    assert holidays.occurrences("navaratri", 2020) == ((date(2020, 10, 17), date(2020, 10, 26)),)
    assert len(holidays.occurrences("raksha_bandhan", 2023)) == 1


def test_what_comes_twice_in_a_year_or_not_at_all():
    assert [start for start, _ in holidays.occurrences("eid_al_fitr", 2000)] == [date(2000, 1, 8), date(2000, 12, 27)]
    assert [start for start, _ in holidays.occurrences("ramadan", 2030)] == [date(2030, 1, 5), date(2030, 12, 26)]
    assert [len(holidays.occurrences("gobind_singh_jayanti", year)) for year in (2013, 2014, 2015)] == [1, 2, 0]
    assert [start for start, _ in holidays.occurrences("laba", 2022)] == [date(2022, 1, 10), date(2022, 12, 30)]
    assert first("laba", 2023) is None
    assert first("leap_day", 2023) is None


def test_what_is_not_known_is_none():
    assert holidays.on("festivus", 2024) is None
    assert first("ramadan", 1900) is None
    assert first("ramadan", 2100) is None
    assert first("christmas", 9999) is None
    assert first("christmas", 0) is None


KEYS = sorted({*ENGLISH.values(), *CHINESE.values()})


@given(st.sampled_from(KEYS), st.integers(1, 9999))
@example("kwanzaa", 9998)
@example("lent", 2)
@example("hanukkah", 9998)
@example("lunar_new_years_eve", 2)
@example("onam", 9998)
def test_every_year_has_an_answer(key: str, year: int):
    spans = holidays.occurrences(key, year)
    assert holidays.on(key, year) == (spans[0] if spans else None)
    for start, end in spans:
        assert start < end
        # In eight thousand years the Hebrew calendar drifts by a month.
        assert start.year == year or year > 6000
    assert list(spans) == sorted(spans)


@pytest.mark.parametrize("key", KEYS)
def test_every_name_has_a_day_in_our_time(key: str):
    assert any(holidays.on(key, year) for year in range(2020, 2025))


@pytest.mark.parametrize(
    ("name", "key"),
    {
        "valentine's day": "valentines_day",
        "valentine day": "valentines_day",
        "valentines day": "valentines_day",
        "new year's eve": "new_years_eve",
        "new years eve": "new_years_eve",
        "mlk jr. day": "mlk_day",
        "martin luther kings day": "mlk_day",
        "saint patrick's day": "st_patricks_day",
        "st. patricks day": "st_patricks_day",
        "presidents day": "presidents_day",
        "president's day": "presidents_day",
        "boss's day": "boss_day",
        "boss' day": "boss_day",
        "eid al-fitr": "eid_al_fitr",
        "eid al fitr": "eid_al_fitr",
        "orthodox great friday": "orthodox_good_friday",
        "labor day": "labor_day_us",
        "may day": "labour_day",
        "国庆节": "national_day_cn",
        "國慶節": "national_day_cn",
        "十一黄金周": "national_week_cn",
        "中秋": "mid_autumn",
        "東正教復活節": "orthodox_easter",
        "双11": "singles_day",
        "平安夜": "christmas_eve",
    }.items(),
)
def test_names(name: str, key: str):
    assert holidays.names()[name] == key


@pytest.mark.parametrize("mixed", ["国际消費者權益日", "東正教耶穌受难日", "聖会節", "復活節星期一"])
def test_mixed_scripts_are_made_one_without_moving_a_character(mixed: str):
    folded = holidays.simplified(mixed)
    assert folded in CHINESE
    assert len(folded) == len(mixed)


def test_no_spelling_means_two_days():
    seen: dict[str, str] = {}
    for name, key in ENGLISH.items():
        for spelling in holidays.spellings(name):
            assert seen.setdefault(spelling, key) == key, spelling


def test_weak_names_are_names():
    assert holidays.weak() <= set(holidays.names())
    assert {"easter", "lent", "国庆", "國慶", "十一", "大雪", "valentines"} <= holidays.weak()
    assert not {"christmas", "国庆节", "大雪节气", "easter sunday"} & holidays.weak()
    assert all(name == name.lower() for name in WEAK)


@pytest.mark.parametrize(
    ("args", "leap", "day"),
    [
        ((2025, 1, 1), False, "2025-01-29"),
        ((2025, 8, 15), False, "2025-10-06"),
        ((2020, 4, 1), False, "2020-04-23"),
        ((2020, 4, 1), True, "2020-05-23"),
        ((2023, 2, 1), True, "2023-03-22"),
        ((2033, 11, 1), True, "2033-12-22"),
        ((2033, 12, 30), False, "2034-02-18"),
        ((1726, 12, 30), False, "1727-01-21"),
        ((2024, 12, 30), False, None),
        ((2025, 4, 1), True, None),
        ((2020, 4, 30), True, None),
        ((2024, 13, 1), False, None),
        ((2024, 1, 0), False, None),
        ((2024, -4, 1), False, None),
        ((0, 1, 1), False, None),
        ((10000, 1, 1), False, None),
        ((9999, 12, 29), False, None),
    ],
)
def test_lunar_days(args: tuple[int, int, int], leap: bool, day: str | None):
    assert lunar.day(*args, leap=leap) == (None if day is None else date.fromisoformat(day))


def test_lunar_months():
    assert lunar.month(2020, 4, leap=True) == (date(2020, 5, 23), date(2020, 6, 21))
    assert lunar.month(2024, 12) == (date(2024, 12, 31), date(2025, 1, 29))
    assert lunar.month(2024, 5, leap=True) is None
    assert [lunar.leap_month(year) for year in (2020, 2023, 2024, 2025, 2033)] == [4, 2, 0, 6, 11]


def test_the_eve_is_the_last_day_of_the_lunar_year():
    assert [lunar.eve(year) for year in (1726, 2021, 2023)] == [date(1727, 1, 21), date(2022, 1, 31), date(2024, 2, 9)]
    assert lunar.eve(10000) is None


@given(st.integers(1645, 2199))
@example(1984)
def test_a_lunar_year_ends_where_the_next_begins(year: int):
    eve = lunar.eve(year)
    assert eve is not None
    assert eve + timedelta(1) == lunar.new_year(year + 1)


@given(st.sampled_from(lunar.TERMS), st.integers(1645, 2199))
def test_a_term_lies_in_its_year(name: str, year: int):
    assert lunar.term(name, year).year == year


def test_terms_follow_each_other_by_half_a_month():
    days = [lunar.term(name, year) for year in (2023, 2024) for name in lunar.TERMS]
    assert {(after - day).days for day, after in pairwise(days)} <= {14, 15, 16}
    assert set(TERMS.values()) == set(lunar.TERMS)


@pytest.mark.parametrize(
    "call", [lambda: lunar.term("清明", 0), lambda: lunar.new_year(10000), lambda: lunar.leap_month(0)]
)
def test_years_without_a_date_are_refused(call: Callable[[], object]):
    with pytest.raises(InvalidInput, match="a year is 1 to 9999"):
        call()


def test_an_unknown_term_is_refused():
    with pytest.raises(InvalidInput, match="24 solar terms"):
        lunar.term("清明节", 2024)


def test_the_sky():
    # The total eclipse of 8 April 2024, greatest at 18:17 UTC; the equinox of 20 March 2024, 03:06 UTC.
    day = date(2024, 4, 8).toordinal()
    turns = round((day - date(2000, 1, 6).toordinal()) / 29.530588)
    assert lunar.moon_leads(turns) == pytest.approx(day + 18.35 / 24, abs=0.01)
    assert lunar.moon(day + 18.35 / 24) == pytest.approx(lunar.sun(day + 18.35 / 24), abs=0.05)
    assert lunar.sun_reaches(0, 2024) == pytest.approx(date(2024, 3, 20).toordinal() + 3.11 / 24, abs=0.005)
