"""Reading dates in English and Chinese text, and writing them in words; knows no clock, no locale and no storage.

`find` resolves what is said against a reference moment in that moment's own zone. Where language leaves it open which
time is meant, a find has several readings, the likeliest first; see docs/time.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Literal

from fabula.checking import aware
from fabula.conventions import Conventions
from fabula.types import Interval
from fabula.when import chinese, english
from fabula.when.english_words import MONTH_NAMES, WEEKDAY_NAMES
from fabula.when.grammar import Amount, Anchor, Every, Token
from fabula.when.patterns import Pattern
from fabula.when.series import Time, resolve
from fabula.when.spans import FIRST, LAST, Span

__all__ = ["Found", "distance", "find", "spell"]

_DAY_SECONDS = 86_400.0
_NARROW: Final = {0xFF10 + digit: str(digit) for digit in range(10)} | {ord("："): ":", ord("／"): "/", ord("－"): "-"}
"""Full-width figures, as Chinese keyboards write them."""
_SENTENCE_END: Final = Pattern(r"[.!?]\s|[。！？；\n]")
_LANGUAGES: Final = ((english.GRAMMAR, english.ahead), (chinese.GRAMMAR, chinese.ahead))
_LATIN, _HAN = Pattern("[A-Za-z]"), Pattern("[\u2e80-\u9fff]")
"""A text that has the first and not the second is not read as Chinese: what is no time in English is none."""
_EARLIEST, _LATEST = FIRST + timedelta(2), LAST - timedelta(2)
_NEAR: Final = 60
"""How many characters before and after a time are read for what tense it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A time expression: `text[start:end]`, and what it can mean."""

    start: int
    end: int
    text: str
    kind: Literal["time", "duration", "recurrence"] = "time"
    readings: tuple[Interval, ...] = ()
    """What it can mean, likeliest first; the next time for something that comes again, nothing for a duration."""
    seconds: tuple[float, float] | None = None
    """The shortest and longest that a duration can be; a month counts 30 days, a year 365."""
    every: str = ""
    """The period of something that comes again, as ISO 8601 writes durations: `P1W`."""

    @property
    def interval(self) -> Interval | None:
        """The likeliest reading of a time; None for a duration and for what comes again."""
        return self.readings[0] if self.kind == "time" else None


def find(text: str, reference: datetime, conventions: Conventions = Conventions()) -> list[Found]:  # noqa: B008 - frozen
    """Return the time expressions of `text` in order, none overlapping another; raises nothing on any text.

    Relative ones count from `reference` (naive is UTC) and lie in its zone. A date the calendar does not have
    (30 February) is not found.
    """
    zoned = aware(reference)
    zoned = zoned.astimezone(UTC).astimezone(zoned.tzinfo)  # a fold that its clock does not have is none
    anchor = Anchor(zoned.replace(tzinfo=None), zoned.tzinfo or UTC, conventions)
    narrow = text.translate(_NARROW)
    languages = _LANGUAGES[: 1 if _LATIN.search(narrow) and not _HAN.search(narrow) else 2]
    tokens = [
        (token, ahead)
        for grammar, ahead in languages
        for token in grammar.read(narrow, anchor)
        # What the other language calls a code or a name is no time in this one either.
        if not any(other.no_time(narrow, token) for other, _ in languages if other is not grammar)
    ]
    tokens.sort(key=lambda one: (one[0].start, -one[0].end))
    kept: list[Found] = []
    for token, ahead in tokens:
        one = _found(text, token, replace(anchor, ahead=ahead(*_around(narrow, token))))
        if one is None:
            continue
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif one.end - one.start > kept[-1].end - kept[-1].start:
            kept[-1] = one
        else:
            continue
        anchor.told.extend(_told(one))
    return kept


def _told(found: Found) -> Iterator[Span]:
    """The time that later words of the text may count from: "the next day"."""
    meant = found.interval
    if meant is not None and meant.start is not None and meant.end is not None:
        yield Span(meant.start.replace(tzinfo=None), meant.end.replace(tzinfo=None), meant.precision)


def _found(text: str, token: Token, anchor: Anchor) -> Found | None:
    value = token.value
    found = Found(start=token.start, end=token.end, text=text[token.start : token.end])
    if isinstance(value, Amount):
        return replace(found, kind="duration", seconds=value.seconds)
    if isinstance(value, Every):
        coming = tuple(_readings(value.time, replace(anchor, ahead=True)))
        return replace(found, kind="recurrence", readings=coming, every=value.period)
    readings = tuple(_readings(value, anchor))
    return replace(found, readings=readings) if readings else None


def _readings(time: Time | None, anchor: Anchor) -> Iterator[Interval]:
    try:
        spans = [] if time is None else resolve(time, anchor.now, ahead=anchor.ahead)
    except (ValueError, OverflowError):  # beyond the calendar
        spans = []
    # One day of room at both ends, which a zone can take away.
    inside = (
        span
        for span in spans
        if (span.start == FIRST or _EARLIEST < span.start < _LATEST)
        and (span.end == LAST or _EARLIEST < span.end < _LATEST)
    )
    yield from (_interval(span, anchor.zone) for span in inside)


def _interval(span: Span, zone: tzinfo) -> Interval:
    start = None if span.start == FIRST else _real(span.start, zone)
    end = None if span.end == LAST else _real(span.end, zone)
    if start is not None and end is not None and span.start < span.end and end.timestamp() <= start.timestamp():
        # In an hour that clocks skip it began before; in one that they repeat it ends the second time.
        start = min(start, _real(span.start.replace(fold=1), zone), key=datetime.timestamp)
        end = max(end, _real(span.end.replace(fold=1), zone), key=datetime.timestamp)
    return Interval(start=start, end=end, precision=span.grain)


def _real(moment: datetime, zone: tzinfo) -> datetime:
    """The moment in its zone; in an hour that the clocks skip, what they show instead."""
    return moment.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def _around(text: str, token: Token) -> tuple[str, str]:
    """The 60 characters before and after the token, as far as its sentence goes."""
    before = _SENTENCE_END.split(text[max(0, token.start - _NEAR) : token.start])[-1]
    return before, _SENTENCE_END.split(text[token.end : token.end + _NEAR], maxsplit=1)[0]


def spell(moment: datetime) -> str:
    """Return the date in English and Chinese words, for keyword search: `8 May 2023 Monday 2023年5月8日`."""
    month, weekday = MONTH_NAMES[moment.month - 1], WEEKDAY_NAMES[moment.weekday()]
    return f"{moment.day} {month} {moment.year} {weekday} {moment.year}年{moment.month}月{moment.day}日"


def distance(a: Interval, b: Interval) -> float:
    """Return the days between two intervals: 0 where they touch or overlap. An open end reaches for ever."""
    return max(_gap(a, b), _gap(b, a), 0.0)


def _gap(earlier: Interval, later: Interval) -> float:
    if earlier.end is None or later.start is None:
        return 0.0
    # Timestamps, because Python subtracts two times of one zone by the wall clock.
    return (later.start.timestamp() - earlier.end.timestamp()) / _DAY_SECONDS
