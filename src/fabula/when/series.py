"""Times as language names them, before anybody says which one is meant: Mondays, Mays, the third Tuesday after Easter.

A `Time` yields its spans of local time in order; `resolve` picks those around a moment. It knows no words and no zone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice, product
from typing import Final

from fabula.types import Precision
from fabula.when.spans import FIRST, LAST, Span, Unit, floor, step

LONGEST: Final[dict[str, timedelta]] = {
    "instant": timedelta(0), "second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1),
    "part": timedelta(hours=12), "day": timedelta(1), "weekend": timedelta(4), "week": timedelta(7),
    "fuzzy": timedelta(31), "month": timedelta(31), "season": timedelta(92), "quarter": timedelta(92),
    "half": timedelta(184), "range": timedelta(366), "year": timedelta(366), "decade": timedelta(3653),
    "century": timedelta(36525),
}  # fmt: skip
"""The longest a span of a precision can be; also their order, finest first."""
FRAMES: Final = (timedelta(9), timedelta(430), timedelta(366 * 9), timedelta(366 * 42))
"""How far to look for a time that comes again: weekdays, dates, 29 February, and what is rarer."""
_ANY_DAY: Final = Span(datetime(2001, 2, 3), datetime(2001, 2, 4), "day")
MOST: Final = 6
"""How many readings a time may have."""


class Time(ABC):
    """Spans of local time that share a name."""

    grain: Precision
    fixed: bool
    """Whether it is one stretch of the calendar, and does not come again."""
    now_counts: bool = True
    """Whether the one that is going on may be meant: in May, "May"; but not "Monday" on a Monday."""

    @property
    def options(self) -> tuple[Time, ...]:
        """What it can mean, likeliest first, where the words leave that open."""
        return (self,)

    @abstractmethod
    def within(self, frame: Span) -> Iterator[Span]:
        """Yield the spans that begin inside `frame`, in order; a fixed time yields its own, whatever the frame."""


@dataclass(frozen=True, slots=True)
class Fixed(Time):
    """One stretch of the calendar."""

    span: Span
    fixed = True

    @property
    def grain(self) -> Precision:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.span.grain

    def within(self, frame: Span) -> Iterator[Span]:
        yield self.span


@dataclass(frozen=True, slots=True)
class Periodic(Time):
    """What comes once in every `unit`: `rule` says where, from the unit's first moment, or that it does not."""

    unit: Unit
    grain: Precision
    rule: Callable[[datetime], Span | None]
    now_counts: bool = True
    fixed = False

    def within(self, frame: Span) -> Iterator[Span]:
        # One unit earlier: a lunar year's last month begins in the next year of the calendar.
        begin = step(floor(max(frame.start, datetime(2, 1, 1)), self.unit), -1, self.unit)
        while begin < frame.end:
            span = self.rule(begin)
            if span is not None and frame.start <= span.start < frame.end:
                yield span
            begin = step(begin, 1, self.unit)


@dataclass(frozen=True, slots=True)
class Either(Time):
    """One of several times: half past three in the afternoon or at night."""

    times: tuple[Time, ...]

    @property
    def grain(self) -> Precision:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.times[0].grain

    @property
    def fixed(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.times[0].fixed

    @property
    def options(self) -> tuple[Time, ...]:
        return self.times

    def within(self, frame: Span) -> Iterator[Span]:
        yield from self.times[0].within(frame)


@dataclass(frozen=True, slots=True)
class Meet(Time):
    """The spans of `inner` that begin inside one of `outer`: Tuesday mornings, Fridays that are the 13th."""

    outer: Time
    inner: Time

    @property
    def grain(self) -> Precision:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.inner.grain

    @property
    def fixed(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.outer.fixed

    @property
    def now_counts(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.outer.now_counts

    def within(self, frame: Span) -> Iterator[Span]:
        for span in self.outer.within(_wider(frame, LONGEST[self.outer.grain])):
            for inner in self.inner.within(span):
                if self.fixed or frame.start <= inner.start < frame.end:
                    yield inner


@dataclass(frozen=True, slots=True)
class Nth(Time):
    """The `n`th span of `inner` inside each of `outer`, from the end where `n` is negative.

    `lead` is how long before `outer` begins an inner span may begin and still count as the first: a week belongs to
    the month that has its Thursday (ISO 8601).
    """

    n: int
    inner: Time
    outer: Time
    lead: timedelta = timedelta(0)

    @property
    def grain(self) -> Precision:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.inner.grain

    @property
    def fixed(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.outer.fixed

    def within(self, frame: Span) -> Iterator[Span]:
        for span in self.outer.within(_wider(frame, LONGEST[self.outer.grain])):
            found = list(self.inner.within(Span(span.start - self.lead, span.end - self.lead, span.grain)))
            at = self.n - 1 if self.n > 0 else len(found) + self.n
            if 0 <= at < len(found):
                yield found[at]


@dataclass(frozen=True, slots=True)
class Beyond(Time):
    """The `n`th span of `inner` after each span of `base` has ended; before it begins where `n` is negative."""

    n: int
    inner: Time
    base: Time

    @property
    def grain(self) -> Precision:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.inner.grain

    @property
    def fixed(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.base.fixed

    def within(self, frame: Span) -> Iterator[Span]:
        for span in self.base.within(frame):
            reach = FRAMES[1] * abs(self.n)
            if self.n > 0:
                yield from islice(self.inner.within(Span(span.end, span.end + reach, "range")), self.n - 1, self.n)
            else:
                found = list(self.inner.within(Span(span.start - reach, span.start, "range")))
                yield from found[self.n : len(found) + self.n + 1]


@dataclass(frozen=True, slots=True)
class Mapped(Time):
    """Every span of `base` as `rule` changes it (its early part, the week around it), without those it makes None."""

    base: Time
    rule: Callable[[Span], Span | None]
    grain: Precision

    @property
    def fixed(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.base.fixed

    def within(self, frame: Span) -> Iterator[Span]:
        yield from (span for base in self.base.within(frame) if (span := self.rule(base)) is not None)


@dataclass(frozen=True, slots=True)
class Then(Time):
    """What `rule` makes of the time that was told last and lasts a `grain` at most: the next day, that evening.

    `told` grows as a text is read. Where it has no such time, there is no span. Ten minutes count from an hour too.
    """

    told: Sequence[Span]
    grain: Precision
    rule: Callable[[Span], Span]
    fixed = True

    def within(self, frame: Span) -> Iterator[Span]:
        longest = max(LONGEST[self.grain], LONGEST["hour"])
        fitting = (span for span in reversed(self.told) if span.end - span.start <= longest)
        yield from map(self.rule, islice(fitting, 1))


@dataclass(frozen=True, slots=True)
class Through(Time):
    """From each span of `first` to the next one of `last`, to its end where it is `closed`, else to its start."""

    first: Time
    last: Time
    closed: bool
    grain: Precision = "range"

    @property
    def fixed(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.first.fixed or self.last.fixed

    def within(self, frame: Span) -> Iterator[Span]:
        if self.last.fixed and not self.first.fixed:
            for end in self.last.within(frame):
                before = list(self.first.within(Span(end.start - FRAMES[1], end.start, "range")))
                yield from (self._joined(start, end) for start in before[-1:])
            return
        for start in self.first.within(frame):
            for end in self.last.within(Span(start.start, start.start + FRAMES[1], "range")):
                if end.start > start.start or (self.closed and end == start):
                    yield self._joined(start, end)
                    break

    def _joined(self, start: Span, end: Span) -> Span:
        return Span(start.start, end.end if self.closed else end.start, self.grain)


def _wider(frame: Span, by: timedelta) -> Span:
    return Span(frame.start - by, frame.end, frame.grain)


# --- putting times together -------------------------------------------------------------------------------------


def each(build: Callable[..., Time], *times: Time) -> Time:
    """Return what `build` makes of `times`, of each combination of their options."""
    built = tuple(build(*chosen) for chosen in product(*(time.options for time in times)))
    return built[0] if len(built) == 1 else Either(built[:MOST])


def meet(first: Time, second: Time) -> Time:
    """Return the spans of the finer of two times that begin inside the coarser one's."""
    return each(_met, first, second)


def _met(first: Time, second: Time) -> Time:
    order = list(LONGEST)
    coarse = order.index(first.grain) - order.index(second.grain)
    if coarse < 0 or (not coarse and second.fixed and not first.fixed):
        first, second = second, first
    if isinstance(first, Periodic) and isinstance(second, Periodic) and first.unit == second.unit == "day":
        # The same every day, so that one day shows whether they ever meet: no noon is in the evening.
        span = next(first.within(_ANY_DAY), None)
        if span is None or next(second.within(span), None) is None:
            raise ValueError("these hours of the day do not meet")
    return Meet(first, second)


def mapped(base: Time, rule: Callable[[Span], Span | None], grain: Precision) -> Time:
    """Return the spans of `base` as `rule` changes them, without those it makes None."""
    return each(partial(Mapped, rule=rule, grain=grain), base)


def before(base: Time, *, through: bool = False) -> Time:
    """Return all that comes before `base`, and it too with `through`."""
    return mapped(base, lambda span: Span(FIRST, span.end if through else span.start, "range"), "range")


def since(base: Time, *, after: bool = False) -> Time:
    """Return all from the start of `base` on, from its end on with `after`."""
    return mapped(base, lambda span: Span(span.end if after else span.start, LAST, "range"), "range")


def moved(base: Time, count: float, unit: Unit) -> Time:
    """Return `base` moved by `count` units: three weeks after Christmas."""

    def rule(span: Span) -> Span:
        start = step(span.start, count, unit)
        # The length of what is made of months changes with the month; that of a day does not.
        short = LONGEST[span.grain] <= LONGEST["week"]
        end = start + (span.end - span.start) if short else step(span.end, count, unit)
        return Span(start, end, span.grain)

    return mapped(base, rule, base.grain)


# --- choosing ---------------------------------------------------------------------------------------------------


_YEARLY: Final = timedelta(60)
"""What comes more seldom than this is, said without a tense, the nearer one; a weekday the one that is gone."""


def resolve(time: Time, now: datetime, *, ahead: bool | None) -> list[Span]:
    """Return what `time` can mean said at `now`, likeliest first.

    `ahead` is whether the talk is of the future, so that the next one is meant; None where nothing says so.
    """
    found = [spans for option in time.options if (spans := _resolved(option, now, ahead))]
    firsts = [spans[0] for spans in found]
    if ahead and all(
        isinstance(option, Periodic) and LONGEST[option.grain] <= LONGEST["hour"] for option in time.options
    ):
        # At ten, "see you at seven" is this evening; at eight in the evening it is tomorrow, and the likelier half.
        firsts.sort(key=lambda span: span.start.date() != now.date())
    ordered = firsts + [span for spans in found for span in spans[1:]]
    return list(dict.fromkeys(ordered))[:MOST]


def _resolved(time: Time, now: datetime, ahead: bool | None) -> list[Span]:
    if time.fixed:
        return list(islice(time.within(Span(now, now, "range")), 1))
    past = _nearest(partial(_past, time, now))
    going_on = [span for span in past[-1:] if span.start != FIRST and span.end > now and span.end != LAST]
    if going_on and len(past) == 1:  # the one before may begin before the frame
        before = Span(past[0].start - FRAMES[1], past[0].start, "range")
        past = [*list(time.within(before))[-1:], *past]
    gone = past[: len(past) - len(going_on)][-1:]
    coming = _nearest(partial(_coming, time, now))
    ahead = ahead or (ahead is None and any(_sooner(span, gone, now) for span in coming))
    if not time.now_counts:
        return coming + going_on + gone if ahead else gone + coming + going_on
    return going_on + (coming + gone if ahead else gone + coming)


def _sooner(coming: Span, gone: list[Span], now: datetime) -> bool:
    """Whether it is nearer than the one before it, and a time of this very day: at ten, "3 pm" is this afternoon.

    Or a time of the year: in March, "the flight on April 2". What is open towards the past is always the coming one:
    until Friday, by the end of September.
    """
    if coming.start == FIRST:
        return True
    today = coming.start.date() == now.date() and coming.end - coming.start < timedelta(1)
    yearly = all(coming.start - span.start > _YEARLY for span in gone)
    return (today or yearly) and all(coming.start - now < now - span.end for span in gone)


def _nearest(look: Callable[[timedelta], list[Span]]) -> list[Span]:
    for reach in FRAMES:
        if found := look(reach):
            return found
    return []


def _past(time: Time, now: datetime, reach: timedelta) -> list[Span]:
    return list(time.within(Span(now - reach, now, "range")))[-2:]


def _coming(time: Time, now: datetime, reach: timedelta) -> list[Span]:
    return list(islice(time.within(Span(now, now + reach, "range")), 1))
