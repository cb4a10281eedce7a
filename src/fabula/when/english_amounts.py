"""English numbers, years, lengths of time and what comes again; knows no dates and no clock.

A `count` is a number that a unit follows. A length is an `amount`, what comes again an `every`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from fabula.when import english_relatives as relatives
from fabula.when import figures, named
from fabula.when.english_clock import clock_within
from fabula.when.grammar import Amount, Anchor, Every, Got, Rule
from fabula.when.series import Time, meet
from fabula.when.spans import LENGTHS, Unit


class Count(NamedTuple):
    """How many units: at least, at most, and whether a vague word said so."""

    low: float
    high: float | None = None
    vague: bool = False


# --- years --------------------------------------------------------------------------------------------------------


def _spoken_year(at: Anchor, got: Got) -> int | None:
    """Nineteen ninety six, twenty oh five."""
    first, *rest = got.all("spoken")
    low = rest[0] if rest else 0
    if not 13 <= first <= 21 or not (low < 10 if "oh" in got else 10 <= low < 100):
        return None
    return first * 100 + low


def _christian_year(at: Anchor, got: Got) -> Time:
    return named.year(got.all("number", "spoken", "four")[0])


def _short_year(at: Anchor, got: Got) -> int | None:
    """The 87 of `April of 87`."""
    short = got["number"]
    return figures.full_year(short) if got.said("number").isdigit() and 10 <= short <= 99 else None


# --- counts -------------------------------------------------------------------------------------------------------


def _between(at: Anchor, got: Got) -> Count | None:
    """Two to three days, 2-3 days, 2.5 days."""
    if "pair" in got:
        low, high = got["pair"]
        if "." in got.said("pair"):
            return Count(float(got.said("pair").replace(" ", "")))
        return Count(low, high) if "-" in got.said("pair") and low < high else None
    low, high = got.all("number", "spoken")
    return Count(low, high) if low < high else None


def _fraction(got: Got) -> float:
    return 0.25 if "quarter" in got else 0.5


def _and_half(at: Anchor, got: Got) -> Count:
    return Count((got["number"] or got["spoken"] or 1) + _fraction(got))


def _quarters(at: Anchor, got: Got) -> Count | None:
    """Three quarters of an hour."""
    return Count(0.25 * got.all("number", "spoken")[0]) if got["unit"] == "quarter" else None


def _few(at: Anchor, got: Got) -> Count:
    return Count(got["few"], vague=True)


# --- lengths ------------------------------------------------------------------------------------------------------


def _parts(count: float, unit: str) -> tuple[tuple[float, Unit], ...]:
    return ((count * 2, "week"),) if unit == "fortnight" else ((count, unit),)  # pyright: ignore[reportReturnType]


def amount(count: Count, unit: str) -> Amount:
    """Return a length of so many units."""
    longest = _parts(count.high, unit) if count.high else ()
    return Amount(_parts(count.low, unit), longest, count.vague)


def _amount(at: Anchor, got: Got) -> Amount | None:
    count = got["count"] or Count(got.all("number", "spoken", "four")[0])
    return amount(count, got["unit"] or "day")


def _ticked(at: Anchor, got: Got) -> Amount:
    """In 1', for 30"."""
    return amount(Count(got["number"]), "minute" if got["tick"] == "'" else "second")


def _hours(at: Anchor, got: Got) -> Amount:
    return amount(Count(got["hclock"]), "hour")


def _amount_and_half(at: Anchor, got: Got) -> Amount | None:
    """An hour and a half."""
    whole: Amount = got["amount"]
    if len(whole.parts) != 1 or whole.longest:
        return None
    count, unit = whole.parts[0]
    return Amount(((count + _fraction(got), unit),))


def _joined(at: Anchor, got: Got) -> Amount | None:
    """Two hours and ten minutes."""
    first, second = got.all("amount")
    finer = LENGTHS[second.parts[0][1]] < LENGTHS[first.unit]
    return (
        Amount(first.parts + second.parts, vague=first.vague or second.vague) if finer and not second.longest else None
    )


def _weekends(at: Anchor, got: Got) -> Amount:
    """Three weekends have six days."""
    return Amount(((2 * got.all("number", "spoken")[0], "day"),))


def several_weekends(at: Anchor, got: Got) -> Amount | None:
    """The course will last three weekends."""
    count, inner = got["several"]
    return Amount(((2 * count, "day"),)) if inner.grain == "weekend" else None


def _nights(at: Anchor, got: Got) -> Amount | None:
    if "part" in got and not (got["part"] == "night" and got.all("number", "spoken") == [1]):
        return None
    return None if got["parts"] not in (None, "night") else Amount(((got.all("number", "spoken")[0], "day"),))


# --- what comes again ---------------------------------------------------------------------------------------------

_LETTERS: Final = {
    "second": "PT{}S", "minute": "PT{}M", "hour": "PT{}H", "day": "P{}D", "week": "P{}W", "fortnight": "P{}W",
    "month": "P{}M", "quarter": "P{}M", "half": "P{}M", "year": "P{}Y", "decade": "P{}Y", "century": "P{}Y",
}  # fmt: skip
_TIMES: Final = {"fortnight": 2, "quarter": 3, "half": 6, "decade": 10, "century": 100}


def _period(count: float, unit: str) -> str:
    return _LETTERS[unit].format(f"{count * _TIMES.get(unit, 1):g}")


def _count(got: Got) -> float:
    """Every other, every third, every two: 2, 3, 2."""
    if "other" in got:
        return 2
    found = got.all("number", "spoken", "ordinal", "second", "few")
    return found[0] if found else 1


def _every_unit(at: Anchor, got: Got) -> Every | None:
    return Every(_period(_count(got), got["unit"]))


def _every_named(at: Anchor, got: Got) -> Every:
    """Every Friday, every other May, every second weekend, every Christmas, every morning."""
    count = _count(got)
    if "weekend" in got or "weekends" in got:
        return Every(_period(count, "week"), named.weekend(at.conventions))
    if "month" in got:
        return Every(_period(count, "year"), named.month(got["month"]))
    if "season" in got:
        return Every(_period(count, "year"), named.season(got["season"]))
    if "holiday" in got or "wholiday" in got:
        return Every(_period(count, "year"), named.holiday(got.all("holiday", "wholiday")[0]))
    weekdays, part = got.all("weekday", "weekdays", "wday"), got["part"] or got["parts"]
    if not weekdays:
        return Every(_period(count, "day"), named.part(part, at.conventions))
    day = named.weekday(weekdays[0])
    return Every(_period(count, "week"), meet(day, named.part(part, at.conventions)) if part else day)


def _nth_of_every(at: Anchor, got: Got) -> Every | None:
    """The first Monday of every month, the last day of every year."""
    number, units = got.all("ordinal", "rel", "nth")[0], got.all("unit")
    if units[-1] not in ("month", "year") or not (number == "last" or isinstance(number, int)):
        return None
    if "weekend" in got:
        inner = named.weekend(at.conventions)
    elif len(units) > 1:
        inner = named.unit(units[0])
    else:
        inner = named.weekday(got.all("weekday", "wday")[0])
    outer = named.unit(units[-1])
    return Every(_period(_other(got), units[-1]), named.nth(-1 if number == "last" else number, inner, outer))


def _day_of_every(at: Anchor, got: Got) -> Every | None:
    """The first of every month, every 15th of the month."""
    number = got.all("ordinal", "number")[0]
    return Every(_period(_other(got), "month"), named.day_of_month(number)) if got["unit"] == "month" else None


def _other(got: Got) -> int:
    return 2 if "other" in got else 1


def _business(at: Anchor, got: Got) -> Every:
    return Every("P1D")


def _freq(at: Anchor, got: Got) -> Every | None:
    return Every(got["freq"]) if got["freq"] else None


def _per(at: Anchor, got: Got) -> Every | None:
    """Once a year, three times per week: the period is the unit."""
    return Every(_period(_count(got) if "each" in got else 1, got["unit"]))


def every_at(at: Anchor, got: Got) -> Every | None:
    """Every day at seven."""
    every: Every = got["every"]
    when: Time | None = every.time
    if when is None:
        return Every(every.period, got["clock"])
    if when.grain == "part":
        return Every(every.period, clock_within(when, got["clock"]))
    return Every(every.period, meet(when, got["clock"])) if when.grain in ("day", "weekend") else None


def every_part(at: Anchor, got: Got) -> Every | None:
    every: Every = got["every"]
    part = named.part(got["part"], at.conventions)
    if every.time is None:
        return Every(every.period, part)
    return Every(every.period, meet(every.time, part)) if every.time.grain == "day" else None


_NUMBER: Final = "(number|spoken)"
_NAMED: Final = "(weekend|weekends|weekday|weekdays|seasons|holiday|holidays)"
_IN_WORDS: Final = "(?<=(in|since|until|by|from|before|after|of|during|to|month|ordinal|number|spoken|and|through|between|holiday|wholiday))"  # noqa: E501

UNITS: Final[list[Rule]] = [
    ("unit", "(?<=(number|spoken|few|other|more|another)) second", lambda at, got: "second"),
    ("unit", "(?<=a) second (?=(ago|hence|stop|$))", lambda at, got: "second"),
    ("unit", "(?<=in a) second (?!break)", lambda at, got: "second"),
    ("unit", "(?<=(number|spoken|few|other|rel|past)) quarter (?!(past|to|til|of))", lambda at, got: "quarter"),
    ("ordinal", "second", lambda at, got: 2),
    (
        "nth",
        "ordinal rel (?=(unit|weekday|weekend|wday))",
        lambda at, got: -got["ordinal"] if got["rel"] == "last" else None,
    ),
]
EVERY: Final[list[Rule]] = [
    ("every", "(number|spoken)? once (a|per) unit", _per),
    ("every", "each ordinal (weekday|wday) (of|in) (the|each|a) unit", _nth_of_every),
    ("every", "the? (ordinal|rel|nth) (weekday|wday|weekend|unit) (of|in) each other? unit", _nth_of_every),
    ("every", "the? (ordinal|number) (of|in) each other? unit", _day_of_every),
    ("every", "each ordinal (of|in) (the|each|a) unit", _day_of_every),
    ("every", "once each (number|spoken|other|ordinal|few)? unit", _per),
    ("every", "each (other|ordinal|number|spoken|few)? unit", _every_unit),
    ("every", "each business", _business),
    ("every", "each (other|ordinal|number|spoken)? (weekday|wday) part?", _every_named),
    (
        "every",
        "each (other|ordinal|number|spoken)? (weekend|weekends|month|season|holiday|wholiday|part|weekdays)",
        _every_named,
    ),
]
NUMBERS: Final[list[Rule]] = [
    ("four", f"{_IN_WORDS} spoken spoken (?!(unit|ampm|oclock))", _spoken_year),
    ("four", f"{_IN_WORDS} spoken oh spoken (?!(unit|ampm|oclock))", _spoken_year),
    ("four", "(?<=(month|ordinal|number|spoken) comma) spoken spoken (?!(unit|ampm|oclock))", _spoken_year),
    ("four", "^ spoken spoken $", _spoken_year),
    ("year", "(number|spoken|four) ad", _christian_year),
    ("four", "(?<=month (of|in)) number (?!(unit|counted))", _short_year),
    ("count", f"{_NUMBER} (dash|to|or) {_NUMBER} (?=(unit|more))", _between),
    ("count", "four (?=unit (ago|hence|section))", lambda at, got: Count(got["four"])),
    ("count", "pair (?=(unit|more))", _between),
    ("count", f"({_NUMBER}|a) and? a? (half|quarter) (?=unit)", _and_half),
    ("count", "(a? half (of? a)?) (?=unit)", lambda at, got: Count(0.5)),
    ("count", "quarter of? a (?=unit)", lambda at, got: Count(0.25)),
    ("count", f"{_NUMBER} unit of a (?=unit)", _quarters),
    ("count", "few more? (?=unit)", _few),
    ("count", f"{_NUMBER} more? (?=unit)", lambda at, got: Count(got.all("number", "spoken")[0])),
    ("count", "another (?=unit)", lambda at, got: Count(1)),
    ("count", "a more? (?=unit)", lambda at, got: Count(1)),
    ("several", f"({_NUMBER}|few) {_NAMED} (?=(ago|hence))", relatives.several),
    ("several", f"({_NUMBER}|few) (weekends|weekdays|seasons|holidays) (?=(before|after))", relatives.several),
    ("several", f"(?<=(rel|past|ordinal)) ({_NUMBER}|few) {_NAMED}", relatives.several),
    ("several", f"(?<=in) ({_NUMBER}|few) (weekends|weekdays)", relatives.several),
    ("amount", "count unit", _amount),
    ("amount", f"{_NUMBER} (weekend|weekends)", _weekends),
    ("amount", f"{_NUMBER} (parts|part)", _nights),
    ("amount", "(?<=(in|for|within)) number tick", _ticked),
    ("amount", "(?<=(in|for|within|amount)) hclock", _hours),
    ("amount", "hclock (?=(ago|hence))", _hours),
    ("amount", "amount and? a? (half|quarter)", _amount_and_half),
    ("amount", "amount comma? and? amount", _joined),
]
AGAIN: Final[list[Rule]] = [
    ("every", "each amount", lambda at, got: Every(_period(*got["amount"].parts[0]))),
    ("every", "(weekday|wday) parts", _every_named),
    ("every", "weekdays part?", _every_named),
    ("every", "weekends", _every_named),
    ("every", "parts", _every_named),
    ("every", "freq", _freq),
]
