"""The engine under `when`: recurring times, what they are joined to, and which one is meant."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.conventions import Conventions
from fabula.when.named import (
    WEEK,
    day_of_month,
    month,
    month_day,
    nth,
    part,
    season,
    section,
    unit,
    week_of,
    weekday,
    weekend,
    weekend_around,
    year,
)
from fabula.when.series import Beyond, Either, Fixed, Then, Through, Time, before, each, meet, moved, resolve, since
from fabula.when.spans import FIRST, LAST, Span, day_of, floor, step, whole

WEDNESDAY = datetime(2025, 3, 5, 10)
MOMENTS = st.datetimes(datetime(1200, 1, 1), datetime(9000, 1, 1))
UNITS = st.sampled_from(["second", "minute", "hour", "day", "week", "month", "quarter", "half", "year", "decade"])


def meant(time: Time, *, ahead: bool = False, now: datetime = WEDNESDAY) -> list[str]:
    """Each reading as `first..last` day, with the hours where it is not whole days."""
    return [written(span) for span in resolve(time, now, ahead=ahead)]


def written(span: Span) -> str:
    start, end = span.start, span.end
    if start == FIRST or end == LAST:
        return f"{'' if start == FIRST else start.date()}..{'' if end == LAST else end.date()}"
    if any(edge != floor(edge, "day") for edge in (start, end)):
        return f"{start:%Y-%m-%dT%H:%M}/{end:%Y-%m-%dT%H:%M}"
    last = end - timedelta(1)
    return f"{start:%Y-%m-%d}" if last <= start else f"{start:%Y-%m-%d}..{last:%Y-%m-%d}"


class TestWhichOneIsMeant:
    def test_a_weekday_is_the_last_one_and_never_today_first(self):
        assert meant(weekday(0)) == ["2025-03-03", "2025-03-10"]
        assert meant(weekday(2)) == ["2025-02-26", "2025-03-12", "2025-03-05"]

    def test_where_the_talk_looks_ahead_it_is_the_next_one(self):
        assert meant(weekday(2), ahead=True) == ["2025-03-12", "2025-03-05", "2025-02-26"]

    def test_a_month_that_is_going_on_is_this_one(self):
        assert meant(month(3))[0] == meant(month(3), ahead=True)[0] == "2025-03-01..2025-03-31"
        assert meant(month(5)) == ["2024-05-01..2024-05-31", "2025-05-01..2025-05-31"]

    def test_what_is_rare_is_looked_for_far_away(self):
        assert meant(month_day(2, 29)) == ["2024-02-29", "2028-02-29"]
        assert meant(month_day(2, 29), now=datetime(1900, 5, 1)) == ["1896-02-29", "1904-02-29"]

    def test_what_is_fixed_does_not_come_again(self):
        assert meant(year(1998)) == ["1998-01-01..1998-12-31"]

    def test_of_several_options_each_gives_its_likeliest_first(self):
        assert meant(Either((weekday(0), weekday(1)))) == ["2025-03-03", "2025-03-04", "2025-03-10", "2025-03-11"]


class TestPutTogether:
    def test_a_day_that_is_two_things(self):
        assert meant(meet(weekday(4), day_of_month(13))) == ["2024-12-13", "2025-06-13"]

    def test_the_order_does_not_matter(self):
        morning = part("morning", Conventions())
        assert meant(meet(morning, weekday(0))) == meant(meet(weekday(0), morning))
        assert meant(meet(morning, weekday(0)))[0] == "2025-03-03T06:00/2025-03-03T12:00"

    def test_counted_inside_and_from_the_end(self):
        assert meant(nth(-1, weekday(6), month(9)))[0] == "2024-09-29"
        assert meant(nth(3, weekday(1), meet(month(9), year(2014)))) == ["2014-09-16"]
        assert meant(nth(6, weekday(1), meet(month(9), year(2014)))) == []

    def test_a_week_belongs_to_the_month_and_year_of_its_thursday(self):
        assert meant(nth(1, WEEK, year(2015))) == ["2014-12-29..2015-01-04"]
        assert meant(nth(53, WEEK, year(2026))) == ["2026-12-28..2027-01-03"]

    def test_counted_after_and_before(self):
        christmas = meet(month_day(12, 25), year(2014))
        assert meant(Beyond(3, weekday(1), christmas)) == ["2015-01-13"]
        assert meant(Beyond(-2, weekday(6), christmas)) == ["2014-12-14"]

    def test_a_range_takes_the_next_end(self):
        assert meant(Through(month(5), month(3), closed=False))[0] == "2024-05-01..2025-02-28"
        assert meant(Through(month_day(8, 8), month_day(8, 12), closed=True))[0] == "2024-08-08..2024-08-12"

    def test_a_fixed_end_says_which_beginning(self):
        assert meant(Through(month(5), meet(month(10), year(2020)), closed=True)) == ["2020-05-01..2020-10-31"]

    def test_before_since_and_after(self):
        assert meant(before(year(2018))) == ["..2018-01-01"]
        assert meant(before(year(2018), through=True)) == ["..2019-01-01"]
        assert meant(since(year(2018))) == ["2018-01-01.."]
        assert meant(since(year(2018), after=True)) == ["2019-01-01.."]

    def test_moved(self):
        assert meant(moved(month_day(12, 25), -2, "week"))[0] == "2024-12-11"

    def test_each_combination_of_options(self):
        two = each(lambda one: meet(one, year(2020)), Either((month(1), month(2))))
        assert meant(two) == ["2020-01-01..2020-01-31", "2020-02-01..2020-02-29"]


class TestParts:
    @pytest.mark.parametrize(
        ("time", "which", "want"),
        [
            (month(6), "early", "2024-06-01..2024-06-10"),
            (month(6), "mid", "2024-06-11..2024-06-20"),
            (month(6), "late", "2024-06-21..2024-06-30"),
            (Fixed(whole(WEDNESDAY, "week")), "early", "2025-03-03..2025-03-05"),
            (Fixed(whole(WEDNESDAY, "week")), "late", "2025-03-07..2025-03-09"),
            (year(2019), "late", "2019-11-01..2019-12-31"),
            (Fixed(whole(datetime(1995, 1, 1), "decade")), "late", "1997-01-01..1999-12-31"),
        ],
    )
    def test_early_middle_and_late(self, time: Time, which: str, want: str):
        assert meant(section(time, which))[0] == want

    def test_the_weekend_and_where_it_begins_is_a_convention(self):
        assert meant(weekend(Conventions()))[0] == "2025-03-01..2025-03-02"
        assert meant(weekend(Conventions(weekend=-6)))[0] == "2025-02-28T18:00/2025-03-03T00:00"

    def test_the_week_of_a_day(self):
        assert meant(week_of(Fixed(day_of(2025, 1, 15)))) == ["2025-01-13..2025-01-19"]

    @pytest.mark.parametrize(("day", "want"), [(17, "2025-02-15..2025-02-17"), (14, "2025-02-14..2025-02-16")])
    def test_a_long_weekend_has_its_holiday(self, day: int, want: str):
        assert meant(weekend_around(Fixed(day_of(2025, 2, day)))) == [want]

    def test_a_winter_begins_in_the_year_that_names_it(self):
        assert meant(meet(season(12), year(2023))) == ["2023-12-01..2024-02-29"]


@given(MOMENTS, UNITS, st.integers(-50, 50))
def test_units_follow_each_other_without_a_gap(moment: datetime, name, count: int):
    one, other = whole(moment, name, count), whole(moment, name, count + 1)
    assert one.start < one.end == other.start


@given(MOMENTS, st.sampled_from(["month", "quarter", "half", "year"]), st.integers(-50, 50))
def test_a_step_of_months_stays_in_the_month_it_leads_to(moment: datetime, name, count: int):
    assert floor(step(moment, count, name), "month") == step(floor(moment, "month"), count, name)


@given(MOMENTS, UNITS)
def test_a_moment_lies_in_its_unit(moment: datetime, name):
    span = whole(moment, name)
    assert span.start <= moment < span.end
    assert next(unit(name).within(Span(span.start, span.end, "range"))) == span


@given(MOMENTS, st.integers(0, 6), st.booleans())
def test_readings_are_on_their_own_side_of_now(now: datetime, day: int, ahead: bool):
    first, *_ = resolve(weekday(day), now, ahead=ahead)
    assert first.start.weekday() == day
    assert (first.start >= now) if ahead else (first.end <= now)


class TestWhatWasTold:
    def test_is_the_last_time_that_is_no_longer_than_what_counts_from_it(self):
        told: list[Span] = []
        next_day = Then(told, "day", lambda span: whole(span.start, "day", 1))
        assert meant(next_day) == []
        told += [day_of(2024, 5, 3), whole(datetime(2024, 1, 1), "year")]
        assert meant(next_day) == ["2024-05-04"]
        assert meant(meet(next_day, part("morning", Conventions()))) == ["2024-05-04T06:00/2024-05-04T12:00"]
