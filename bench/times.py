"""The sets of `bench time`: turns each file's cases into items that know when they are right; knows no finder.

All comparisons are made by the wall clock of the case's reference, to the second. Three rules hold for every set:
a day has to be a day long; a clock time is compared by its start, but what lasts a day or more is no clock time; only
finds of kind "time" stand for times. What a set has beyond that stands with its function.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from functools import partial
from typing import Any, Final

from fabula.conventions import Conventions
from fabula.types import Interval
from fabula.when import Found
from fabula.when import lunar as lunar_calendar

DAY: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
SECOND: Final = timedelta(seconds=1)
CHINA: Final = timezone(timedelta(hours=8))
CUSTOMS: Final[Mapping[str, Conventions]] = {
    "recognizers_en": Conventions(through="none", hours=(
        ("morning", 8, 12), ("breakfast", 8, 12), ("lunch", 11, 13), ("afternoon", 12, 16), ("evening", 16, 20),
        ("dinner", 16, 20), ("night", 20, 24), ("night_time", 0, 8))),
    "recognizers_zh": Conventions(through="none", hours=(
        ("morning", 8, 12), ("afternoon", 12, 16), ("evening", 16, 20), ("night", 16, 20))),
    "jionlp_zh": Conventions(through="all", hours=(
        ("small_hours", 2, 5), ("dawn", 4, 7), ("morning", 7, 12), ("noon", 12, 13), ("midday", 12, 13),
        ("afternoon", 13, 15), ("evening", 18, 24), ("night", 20, 24), ("midnight", 0, 1))),
    "duckling_en": Conventions(through="all", weekend=-6.0, hours=(
        ("morning", 0, 12), ("afternoon", 12, 19), ("evening", 18, 24), ("night", 18, 24), ("after_lunch", 13, 17),
        ("after_school", 15, 21), ("late_tonight", 21, 24))),
    "duckling_zh": Conventions(through="all", weekend=-6.0, hours=(
        ("morning", 4, 12), ("afternoon", 12, 19), ("evening", 18, 24), ("night", 18, 24))),
}  # fmt: skip
"""How the authors of a set count, read off their gold values; those of our own sets are the library's."""


def customs(name: str) -> Conventions:
    """Return how the authors of a set of that name count, whatever else the name says; KeyError if nobody knows."""
    for known, conventions in CUSTOMS.items():
        if set(known.split("_")) <= set(name.split("_")):
            return conventions
    raise KeyError(name)


Judge = Callable[[Sequence[Found]], tuple[bool, bool]]
"""Whether a gold value is among the readings of what was found, and whether it is the first of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wall:
    """A reading as the clocks of some zone show it."""

    start: datetime | None
    end: datetime | None

    @property
    def clock(self) -> bool:
        """Whether it can be a time of day."""
        return self.start is not None and self.end is not None and self.end - self.start < DAY

    def stretch(self, start: datetime | None, end: datetime | None) -> bool:
        return (self.start, self.end) == (start, end)

    def at(self, start: datetime) -> bool:
        return self.clock and self.start == start


Test = Callable[[Wall], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing a finder is asked for: `gold` and `type` are for the reader, `judge` decides."""

    text: str
    type: str
    reference: datetime
    gold: str
    judge: Judge
    conventions: Conventions = Conventions()  # noqa: RUF009 - frozen


def everywhere(found: Found) -> bool:
    return True


def among(test: Test, zone: tzinfo, near: Callable[[Found], bool] = everywhere) -> Judge:
    """A time: some reading of some find passes; chosen, if it is a first reading."""

    def judge(found: Sequence[Found]) -> tuple[bool, bool]:
        passed = [[test(wall(r, zone)) for r in one.readings] for one in found if one.kind == "time" and near(one)]
        return any(any(readings) for readings in passed), any(readings[0] for readings in passed if readings)

    return judge


def lasting(test: Callable[[float, float], bool], near: Callable[[Found], bool] = everywhere) -> Judge:
    """A duration whose shortest and longest seconds pass."""
    return once(lambda one: one.seconds is not None and test(*one.seconds) and near(one))


def recurring(every: str, zone: tzinfo, test: Test | None = None, near: Callable[[Found], bool] = everywhere) -> Judge:
    """Something that comes again after `every`, and whose next time, the first reading, passes."""
    gold = period(every)

    def right(one: Found) -> bool:
        if one.kind != "recurrence" or period(one.every) != gold or not near(one):
            return False
        return test is None or (bool(one.readings) and test(wall(one.readings[0], zone)))

    return once(right)


def nothing(near: Callable[[Found], bool] = everywhere) -> Judge:
    def judge(found: Sequence[Found]) -> tuple[bool, bool]:
        none = not any(near(one) for one in found)
        return none, none

    return judge


def never(found: Sequence[Found]) -> tuple[bool, bool]:
    """What no find of ours can say is counted, and wrong."""
    return False, False


def once(right: Callable[[Found], bool]) -> Judge:
    """What is judged without a choice between readings: some find is right."""

    def judge(found: Sequence[Found]) -> tuple[bool, bool]:
        hit = any(right(one) for one in found)
        return hit, hit

    return judge


def wall(reading: Interval, zone: tzinfo) -> Wall:
    start, end = (
        None if side is None else side.astimezone(zone).replace(tzinfo=None, microsecond=0)
        for side in (reading.start, reading.end)
    )
    return Wall(start=start, end=end)


_PERIOD = re.compile(
    r"P(?:([\d.]+)Y)?(?:([\d.]+)M)?(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?"
)


def period(iso: str) -> tuple[float, float]:
    """Return the months and the seconds of an ISO 8601 duration; ValueError if it is none."""
    match = _PERIOD.fullmatch(iso)
    if match is None or not any(match.groups()):
        raise ValueError(f"not an ISO 8601 duration: {iso!r}")
    years, months, weeks, days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return years * 12 + months, (weeks * 7 + days) * 86_400 + hours * 3600 + minutes * 60 + seconds


def recognizers(cases: Sequence[Mapping[str, Any]], name: str) -> Iterator[Item]:
    """Recognizers-Text: an expected result is an item, matched by the finds that overlap it; a case of none is one too.

    Any of a result's values counts. A side that gold leaves out has to be open, in a timerange only not a clock time.
    A set is compared by its timex, a date that does not exist must not be found, a season or fiscal year, which gold
    does not resolve, must be; a value in a named time zone is compared in that zone; a bare time zone counts as wrong.
    """
    for case in cases:
        text = case["Input"]
        said = case.get("Context", {}).get("ReferenceDateTime") or "2016-11-07T00:00:00"
        reference = datetime.fromisoformat(said).replace(tzinfo=UTC)
        item = partial(Item, text=text, reference=reference, conventions=customs(name))
        for result in case["Results"]:
            kind = (result.get("TypeName") or result["Typename"]).rpartition(".")[2]
            values = result.get("Resolution", {}).get("values", [])
            gold = " | ".join(
                v.get("timex", "") if v.get("value") == "not resolved"
                else v.get("value") or f"{v.get('start', '')} … {v.get('end', '')}"
                for v in values
            )  # fmt: skip
            judges = [_resolved(kind, value, result["Text"], _overlaps(text, result)) for value in values]
            yield item(type=kind, gold=f"[{result['Text']}] {gold}", judge=_any(judges))
        if not case["Results"]:
            yield item(type="none", gold="nothing", judge=nothing())


def _overlaps(text: str, result: Mapping[str, Any]) -> Callable[[Found], bool]:
    start, last = result.get("Start"), result.get("End")
    if start is None or last is None:
        start = text.lower().find(result["Text"].lower())
        last = start + len(result["Text"]) - 1
        if start < 0:
            return everywhere
    return lambda one: one.start <= last and one.end > start


def _any(judges: Sequence[Judge]) -> Judge:
    def judge(found: Sequence[Found]) -> tuple[bool, bool]:
        verdicts = [one(found) for one in judges]
        return any(right for right, _ in verdicts), any(first for _, first in verdicts)

    return judge


def _resolved(kind: str, value: Mapping[str, str], text: str, near: Callable[[Found], bool]) -> Judge:
    if kind == "set":
        return _set(value["timex"], text, near)
    if value.get("value") == "not resolved":
        return nothing(near) if kind == "date" else among(lambda w: True, UTC, near)
    if kind == "duration":
        seconds = float(value["value"])
        return lasting(lambda least, most: math.isclose(least, seconds) or math.isclose(most, seconds), near)
    if value.get("isLunar") == "True":
        solar = _solar(value["value"])
        if solar is None:
            return never
        value = {**value, "value": solar}
    offset = value.get("utcOffsetMins")
    test = _passes(kind, value)
    return never if test is None else among(test, timezone(timedelta(minutes=int(offset))) if offset else UTC, near)


def _passes(kind: str, value: Mapping[str, str]) -> Test | None:
    if "value" in value and kind in ("date", "datetime", "time"):
        at = _moment(value["value"])
        if kind == "date":
            return lambda w: w.stretch(at, at + DAY)
        if kind == "datetime":
            return lambda w: w.at(at)
        return lambda w: w.clock and w.start is not None and w.start.time() == at.time()
    start = _moment(value["start"]) if "start" in value else None
    end = _ending(value["end"]) if "end" in value else None
    if kind in ("daterange", "datetimerange") and (start or end):
        return lambda w: w.stretch(start, end)
    if kind == "timerange" and (start or end):
        return lambda w: _of_day(w, start, end)
    return None


def _of_day(w: Wall, start: datetime | None, end: datetime | None) -> bool:
    right = all(
        gold is None or (ours is not None and ours.time() == gold.time())
        for gold, ours in ((start, w.start), (end, w.end))
    )
    if start is not None and end is not None:
        return right and w.clock
    return right and (w.start is None or w.end is None or w.end - w.start > HOUR)


def _set(timex: str, text: str, near: Callable[[Found], bool]) -> Judge:
    if timex.startswith("P"):
        return recurring(timex.replace("WE", "W"), UTC, None, near)
    if part := re.fullmatch(r"T(?:[A-Z]+|(\d[\d:]*))", timex):
        return recurring("P1D", UTC, _next(None, part[1]), near)
    if day := re.fullmatch(r"XXXX-WXX-(\d|WE)(?:T(\d[\d:]*))?", timex):
        # The timex is the same for every Friday and for every other one.
        two = "other" in text.lower() or "隔" in text
        return recurring("P2W" if two else "P1W", UTC, _next(day[1], day[2]), near)
    return never


def _next(day: str | None, clock: str | None) -> Test | None:
    days = (6, 7) if day == "WE" else (int(day),) if day else range(8)
    hour = time.fromisoformat(clock) if clock else None
    if day is None and hour is None:
        return None
    return lambda w: w.start is not None and w.start.isoweekday() in days and hour in (None, w.start.time())


def _moment(text: str) -> datetime:
    return datetime.fromisoformat((text if "-" in text else f"2000-01-01 {text}")[:19])


def _ending(text: str) -> datetime:
    """Return the exclusive end: sets write the end of a day, hour or minute as its last second."""
    end = _moment(text)
    return end + SECOND if end.time() == time(23, 59, 59) else end


def _solar(lunar: str) -> str | None:
    """Return the date that a lunar year, month and day, written like a date, fall on; None where there is none."""
    year, month, day = map(int, lunar[:10].split("-"))
    found = lunar_calendar.day(year, month, day)
    return None if found is None else found.isoformat() + lunar[10:]


_NOW = datetime(2021, 6, 14, 1, 6, 40, tzinfo=CHINA)
_LENGTHS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000,
                   "year": 31_536_000}  # fmt: skip


def jionlp(cases: Sequence[Mapping[str, Any]], name: str) -> Iterator[Item]:
    """JioNLP: start and end are equal, gold's last second being ours inclusive; an hour, a minute and an accurate
    point of less than a day by the start; "inf" is an open side. An accurate duration is right at both ends, a
    blurred one at either, a range at both; a period by its length and, where gold has a point, by the start of
    the next time. A find of a time has to have 60 % of the text's characters. Working days are no unit of ours
    and count as wrong; a base that is code, or none, is 14 June 2021, 01:06:40.
    """
    for case in cases:
        expected = case["expected"]
        kind, values, accurate = expected["type"], expected["time"], expected["definition"] == "accurate"
        if kind == "time_delta":
            judge = _delta(values, accurate)
        elif kind == "time_period":
            judge = _repeated(values)
        else:
            near = _covers(case["text"])
            judge = among(_between(*values, point=kind == "time_point", accurate=accurate), CHINA, near)
        yield Item(text=case["text"], type=kind, reference=_based(case["base"]), judge=judge,
                   gold=str(values), conventions=customs(name))  # fmt: skip


def _based(base: dict[str, int] | list[int] | str | None) -> datetime:
    if isinstance(base, list):
        base = dict(zip(("year", "month", "day", "hour", "minute", "second"), base, strict=False))
    if isinstance(base, dict):
        parts = {"month": 1, "day": 1, **base}
        return datetime(**parts, tzinfo=CHINA)  # pyright: ignore[reportArgumentType]
    return datetime.fromisoformat(base) if base and re.match(r"\d{4}-", base) else _NOW


def _between(first: str, last: str, *, point: bool, accurate: bool) -> Test:
    start = None if first == "-inf" else _moment(first)
    end = None if last == "inf" else _moment(last)
    if end is not None and end.second == 59 and first != last:
        end += SECOND
    if start is not None and end is not None and point:
        width = end - start
        if width in (timedelta(0), SECOND * 60, HOUR) or (accurate and width < DAY):
            return lambda w: w.at(start)
    return lambda w: w.stretch(start, end)


def _delta(gold: Mapping[str, Any] | list[Mapping[str, Any]], accurate: bool) -> Judge:
    exact = accurate or isinstance(gold, list)
    least, most = map(_seconds, gold if isinstance(gold, list) else (gold, gold))
    if least is None or most is None:
        return never
    return lasting(lambda ours, longest: (ours, longest) == (least, most) or (not exact and least in (ours, longest)))


def _seconds(delta: Mapping[str, Any]) -> float | None:
    if "infinite" in delta:
        return math.inf
    if "zero" in delta:
        return 0.0
    return math.fsum(_LENGTHS[unit] * n for unit, n in delta.items()) if delta.keys() <= _LENGTHS.keys() else None


def _repeated(gold: Mapping[str, Any]) -> Judge:
    delta: Mapping[str, float] = gold["delta"]
    if not delta.keys() <= _LENGTHS.keys():
        return never
    date, clock = (
        "".join(f"{delta[unit]}{unit[0].upper()}" for unit in units if unit in delta)
        for units in (("year", "month", "week", "day"), ("hour", "minute", "second"))
    )
    every = f"P{date}" + (f"T{clock}" if clock else "")
    if not gold["point"]:
        return recurring(every, CHINA)
    start = _moment(gold["point"]["time"][0])
    return recurring(every, CHINA, lambda w: w.start == start)


_GRAINS: Final = {"Day": DAY, "Week": 7 * DAY}
_MONTHS: Final = {"Month": 1, "Quarter": 3, "Year": 12}
_LEADING = re.compile(r"(?:(?:in|on|at|by|for|from|during|around|about|the)\s+|@\s*)*", re.I)


def duckling(corpus: Mapping[str, Any], name: str) -> Iterator[Item]:
    """Duckling: a phrase is an item; only a find with 60 % of its characters, leading prepositions apart, counts.

    A point starts where gold does and is as long as its grain, from an hour on downwards a clock time. An interval
    has both ends, an open one only its own.
    """
    for case in corpus["cases"]:
        said = corpus["reference_of_diffCorpus" if case["corpus"] == "diffCorpus" else "reference"]
        reference = datetime.fromisoformat(said)
        values = [_padded(value) for value in case["values"]]
        for phrase in case["phrases"]:
            test = _grained(case, values)
            yield Item(
                text=phrase, type=case["kind"].removeprefix("datetime") or "datetime", reference=reference,
                gold=f"{' … '.join(str(v) for v in values)} {case['grain']} {case['direction'] or ''}".rstrip(),
                judge=among(test, reference.tzinfo or UTC, _covers(phrase)), conventions=customs(name),
            )  # fmt: skip


def _padded(value: Sequence[int]) -> datetime:
    year, month, day, hour, minute, second = value
    return datetime(year, month or 1, day or 1, hour, minute, second)  # noqa: DTZ001 - what the clocks show


def _grained(case: Mapping[str, Any], values: Sequence[datetime]) -> Test:
    start, grain = values[0], case["grain"]
    if case["direction"]:
        return lambda w: w.stretch(start, None) if case["direction"] == "After" else w.stretch(None, start)
    if len(values) == 2:
        return lambda w: w.stretch(start, values[1])
    if grain in _GRAINS:
        return lambda w: w.stretch(start, start + _GRAINS[grain])
    if grain in _MONTHS:
        months = start.month - 1 + _MONTHS[grain]
        return lambda w: w.stretch(start, start.replace(year=start.year + months // 12, month=months % 12 + 1))
    return lambda w: w.at(start)


def _covers(phrase: str) -> Callable[[Found], bool]:
    match = _LEADING.match(phrase)
    core = match.end() if match else 0

    def size(text: str) -> int:
        return len("".join(text.split()))

    return lambda one: size(phrase[max(core, one.start) : one.end]) >= 0.6 * size(phrase[core:])
