"""Stretches of the calendar around one moment, in that moment's own zone; knows no words and never asks the clock.

A date the calendar does not have (30 February, the year 0) leaves here as ValueError or OverflowError.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from fabula.types import Interval, Precision

_LEAP_GAP = 8
"""How many years may lie between two 29ths of February (1896 and 1904)."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The calendar as it lies around `now`, an aware datetime. Weeks start on Monday, which is weekday 0."""

    now: datetime

    @property
    def today(self) -> date:
        """The date of `now` in its own zone."""
        return self.now.date()

    def days(self, first: date, count: int = 1, precision: Precision = "day") -> Interval:
        """Return `count` whole days from `first` on."""
        return Interval(start=self._at(first), end=self._at(first + timedelta(count)), precision=precision)

    def from_today(self, offset: int) -> Interval:
        """Return the day `offset` days from today."""
        return self.days(self.today + timedelta(offset))

    def part(self, day: Interval, hours: tuple[int, int] | None) -> Interval:
        """Return a part of a day, the whole day without `hours`; those beyond 24 run into the next one."""
        if hours is None or day.start is None:
            return day
        first = day.start.date()
        start, end = (self._at(first + timedelta(hour // 24), hour % 24) for hour in hours)
        return Interval(start=start, end=end, precision="part")

    def weekday(self, weekday: int, week: int) -> Interval:
        """Return a weekday of the week `week` weeks from this one."""
        return self.from_today(weekday - self.today.weekday() + 7 * week)

    def week(self, offset: int) -> Interval:
        """Return the week `offset` weeks from this one."""
        return self.days(self.today + timedelta(7 * offset - self.today.weekday()), 7, "week")

    def weekend(self, offset: int) -> Interval:
        """Return Saturday and Sunday of the week `offset` weeks from this one."""
        return self.days(self.today + timedelta(7 * offset + 5 - self.today.weekday()), 2, "weekend")

    def month(self, year: int, month: int, count: int = 1, precision: Precision = "month") -> Interval:
        """Return `count` calendar months from that one on."""
        until, beyond = divmod(year * 12 + month - 1 + count, 12)
        return Interval(
            start=self._at(date(year, month, 1)), end=self._at(date(until, beyond + 1, 1)), precision=precision
        )

    def this_month(self, offset: int, day: int | None = None) -> Interval:
        """Return the calendar month `offset` months from this one, or a day of it."""
        year, month = divmod(self.today.year * 12 + self.today.month - 1 + offset, 12)
        return self.month(year, month + 1) if day is None else self.days(date(year, month + 1, day))

    def year(self, year: int) -> Interval:
        """Return a calendar year."""
        return self.month(year, 1, 12, "year")

    def season(self, year: int, first: int) -> Interval:
        """Return the three months from month `first` on: a winter is named after the year it begins in."""
        return self.month(year, first, 3, "season")

    def shifted(self, *, days: int = 0, months: int = 0) -> date:
        """Return today moved by days or by months; where the month is too short, its last day."""
        if not months:
            return self.today + timedelta(days)
        year, month = divmod(self.today.year * 12 + self.today.month - 1 + months, 12)
        return date(year, month + 1, min(self.today.day, monthrange(year, month + 1)[1]))

    def away(self, amount: int, unit: str, *, exact: bool = False) -> Interval:
        """Return what lies `amount` units from now: that day, weekend, calendar month or year, and for weeks the seven
        days around that day. `exact` gives the day for every unit."""
        if unit in ("month", "year"):
            months = amount * (12 if unit == "year" else 1)
            if exact:
                return self.days(self.shifted(months=months))
            return self.this_month(months) if unit == "month" else self.year(self.today.year + amount)
        if unit == "weekend":
            return self.weekend(amount)
        if unit == "week" and not exact:
            return self.days(self.shifted(days=7 * amount - 3), 7, "week")
        return self.from_today(amount * (7 if unit == "week" else 1))

    def nearest_weekday(self, weekday: int, *, ahead: bool) -> Interval:
        """Return the last such weekday before today, or the first after it."""
        gap = (weekday - self.today.weekday()) % 7
        return self.from_today((gap or 7) if ahead else gap - 7)

    def nearest_weekend(self, *, ahead: bool) -> Interval:
        """Return the last weekend that has begun, or the first that is not over."""
        return self.weekend(0 if ahead or self.today.weekday() >= 5 else -1)

    def nearest_date(self, month: int, day: int, *, ahead: bool) -> Interval:
        """Return the last such date up to today, or the first from today on."""
        this = self.today.year
        for year in range(this, this + _LEAP_GAP + 1) if ahead else range(this, this - _LEAP_GAP - 1, -1):
            if day > monthrange(year, month)[1]:
                continue
            found = date(year, month, day)
            if found == self.today or (found > self.today) == ahead:
                return self.days(found)
        raise ValueError(f"no month {month} has a day {day}")

    def nearest_month(self, month: int, *, ahead: bool, other: bool = False) -> Interval:
        """Return the last such month up to this one, or the first from it on; with `other`, never this one."""
        gap = (month - self.today.month) % 12
        if ahead:
            return self.this_month(12 if other and not gap else gap)
        return self.this_month(gap - 12 if gap or other else 0)

    def nearest_season(self, first: int, which: int) -> Interval:
        """Return the last season that is over (−1), the first that has not begun (1), or this year's (0)."""
        # In January and February this year's winter is the one that began last December.
        year = self.today.year - (self.today.month < first - 9)
        elapsed = (self.today.year - year) * 12 + self.today.month - first
        if which < 0:
            return self.season(year if elapsed >= 3 else year - 1, first)
        return self.season(year + 1 if which and elapsed >= 0 else year, first)

    def _at(self, day: date, hour: int = 0) -> datetime:
        return datetime.combine(day, time(hour), self.now.tzinfo)
