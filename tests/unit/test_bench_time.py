"""The rules by which `bench time` scores: what is right counts, what is nearly right does not. No finder is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Literal

import pytest

from fabula.conventions import Conventions
from fabula.types import Interval
from fabula.when import Found

with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(Path(__file__).parents[2]), *sys.path])
    from bench import time as bench
    from bench import times

CHINA = timezone(timedelta(hours=8))
WEST = timezone(timedelta(hours=-2))
Kind = Literal["time", "duration", "recurrence"]
Said = Sequence[tuple[str | None, str | None]]
RIGHT, AMONG, WRONG = (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)


def readings(said: Said, zone: timezone = UTC) -> tuple[Interval, ...]:
    sides = [
        [None if side is None else datetime.fromisoformat(side).replace(tzinfo=zone) for side in pair] for pair in said
    ]
    return tuple(Interval(start=start, end=end) for start, end in sides)


def found(text: str, phrase: str, said: Said = (), zone: timezone = UTC, kind: Kind = "time", **more: Any) -> Found:
    start = text.index(phrase)
    return Found(start=start, end=start + len(phrase), text=phrase, kind=kind, readings=readings(said, zone), **more)


def run(folder: Path, name: str, data: Any, *finds: Found, more: Sequence[str] = ()) -> dict[str, Any]:
    """Write the data as a set of that name and score a finder that finds the same everywhere."""
    (folder / f"{name}.json").write_text(json.dumps(data), "utf-8")

    def finder(text: str, reference: datetime, conventions: Conventions) -> list[Found]:
        return list(finds)

    bench.main(["--data", str(folder), "--set", name, "--json", str(folder / "out.json"), *more], finder)
    return json.loads((folder / "out.json").read_text("utf-8"))["sets"][name]


def verdict(figures: dict[str, Any]) -> tuple[float, float]:
    return figures["score"], figures["choice"]


TEXT = "we met then, later"


def recognized(kind: str, *values: dict[str, str], text: str = "then") -> list[dict[str, Any]]:
    result = {"Text": text, "Start": 7, "End": 10, "TypeName": f"datetimeV2.{kind}", "Resolution": {"values": values}}
    return [{"Input": TEXT, "Context": {"ReferenceDateTime": "2016-11-07T10:00:00"}, "Results": [result]}]


DATE = {"value": "2016-11-08"}
NIGHT = {"start": "20:00:00", "end": "23:59:59"}
TIMES: list[tuple[str, dict[str, str], Said, tuple[float, float]]] = [
    ("date", DATE, [("2016-11-08", "2016-11-09")], RIGHT),
    ("date", DATE, [("2016-11-09", "2016-11-10"), ("2016-11-08", "2016-11-09")], AMONG),
    ("date", DATE, [("2016-11-07", "2016-11-08")], WRONG),
    ("date", DATE, [("2016-11-08", "2016-11-10")], WRONG),
    ("date", DATE, [("2016-11-08", "2016-11-08T12:00")], WRONG),
    ("date", DATE, [("2016-11-08", None)], WRONG),
    ("datetime", {"value": "2016-11-08 09:00:00"}, [("2016-11-08T09:00:00.9", "2016-11-08T10:00")], RIGHT),
    ("datetime", {"value": "2016-11-08 09:00:00"}, [("2016-11-08T09:00:01", "2016-11-08T10:00")], WRONG),
    ("datetime", {"value": "2016-11-08 00:00:00"}, [("2016-11-08", "2016-11-09")], WRONG),
    ("daterange", {"start": "2016-01-01", "end": "2017-01-01"}, [("2016-01-01", "2017-01-01")], RIGHT),
    ("daterange", {"start": "2016-01-01", "end": "2017-01-01"}, [("2016-01-01", "2017-01-02")], WRONG),
    ("daterange", {"start": "2016-01-01", "end": "2017-01-01"}, [("2016-01-01", None)], WRONG),
    ("daterange", {"start": "2016-01-01"}, [("2016-01-01", None)], RIGHT),
    ("daterange", {"start": "2016-01-01"}, [("2016-01-01", "2017-01-01")], WRONG),
    ("daterange", {"end": "2016-01-01"}, [(None, "2016-01-01")], RIGHT),
    ("daterange", {"end": "2016-01-01"}, [("2015-01-01", "2016-01-01")], WRONG),
    ("datetimerange", {"start": "2016-11-06 20:00:00", "end": "2016-11-06 23:59:59"},
     [("2016-11-06T20:00", "2016-11-07")], RIGHT),
    ("datetimerange", {"start": "2016-11-06 20:00:00", "end": "2016-11-06 22:00:00"},
     [("2016-11-06T20:00", "2016-11-06T22:01")], WRONG),
    ("time", {"value": "13:00:00"}, [("2020-02-02T13:00", "2020-02-02T13:01")], RIGHT),
    ("time", {"value": "13:00:00"}, [("2020-02-02T01:00", "2020-02-02T01:01")], WRONG),
    ("time", {"value": "00:00:00"}, [("2020-02-02", "2020-02-03")], WRONG),
    ("time", {"value": "13:00:00", "utcOffsetMins": "-480"}, [("2020-02-02T21:00", "2020-02-02T21:01")], RIGHT),
    ("time", {"value": "13:00:00", "utcOffsetMins": "-480"}, [("2020-02-02T13:00", "2020-02-02T13:01")], WRONG),
    ("timerange", NIGHT, [("2020-02-02T20:00", "2020-02-03")], RIGHT),
    ("timerange", NIGHT, [("2020-02-02T20:00", "2020-02-03T01:00")], WRONG),
    ("timerange", NIGHT, [("2020-02-02T20:00", "2020-02-04")], WRONG),
    ("timerange", {"start": "20:00:00"}, [("2020-02-02T20:00", None)], RIGHT),
    ("timerange", {"start": "20:00:00"}, [("2020-02-02T20:00", "2020-02-02T20:01")], WRONG),
    ("timerange", {"end": "20:00:00"}, [(None, "2020-02-02T20:00")], RIGHT),
    ("timerange", {"end": "20:00:00"}, [(None, "2020-02-02T20:01")], WRONG),
    ("date", {"timex": "XXXX-02-30", "value": "not resolved"}, [("2016-02-28", "2016-02-29")], WRONG),
    ("daterange", {"timex": "FY2018", "value": "not resolved"}, [("2016-02-28", "2016-02-29")], RIGHT),
    ("timezone", {"value": "UTC-08:00", "utcOffsetMins": "-480"}, [("2020-02-02", "2020-02-03")], WRONG),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "said", "gold"), TIMES)
def test_a_time_has_to_be_the_expected_one(
    kind: str, value: dict[str, str], said: Said, gold: tuple[float, float], tmp_path: Path
) -> None:
    figures = run(tmp_path, "recognizers_en", recognized(kind, value), found(TEXT, "then", said))
    assert figures["by_type"] == {kind: {"n": 1, "score": gold[0], "choice": gold[1], "plain": gold[0]}}
    assert verdict(figures) == gold


def test_any_value_that_gold_names_is_chosen_rightly(tmp_path: Path) -> None:
    both = recognized("date", {"value": "2016-11-07"}, {"value": "2016-11-14"})
    for day in ("2016-11-07", "2016-11-14"):
        next_day = str(datetime.fromisoformat(day) + timedelta(days=1))
        assert verdict(run(tmp_path, "recognizers_en", both, found(TEXT, "then", [(day, next_day)]))) == RIGHT


def test_a_find_has_to_be_a_time_where_gold_is(tmp_path: Path) -> None:
    gold, said = recognized("date", DATE), [("2016-11-08", "2016-11-09")]
    beside, again = found(TEXT, "later", said), found(TEXT, "then", said, kind="recurrence", every="P1D")
    overlapping = found(TEXT, "met then", said)
    for one, right in ((beside, WRONG), (again, WRONG), (overlapping, RIGHT)):
        assert verdict(run(tmp_path, "recognizers_en", gold, one)) == right
    unplaced = recognized("date", DATE, text="THEN")
    del unplaced[0]["Results"][0]["Start"]
    assert verdict(run(tmp_path, "recognizers_en", unplaced, beside)) == WRONG
    assert verdict(run(tmp_path, "recognizers_en", unplaced, overlapping)) == RIGHT
    unplaced[0]["Results"][0]["Text"] = "not in the text"
    assert verdict(run(tmp_path, "recognizers_en", unplaced, beside)) == RIGHT


def test_what_is_not_found_or_not_there(tmp_path: Path) -> None:
    season = recognized("daterange", {"timex": "SU", "value": "not resolved"})
    no_day = recognized("date", {"timex": "XXXX-02-30", "value": "not resolved"})
    silent: Any = [{"Input": TEXT, "Results": []}]
    one = found(TEXT, "later", [("2016-02-28", "2016-02-29")])
    assert verdict(run(tmp_path, "recognizers_en", season)) == WRONG
    assert verdict(run(tmp_path, "recognizers_en", no_day, one)) == RIGHT
    assert run(tmp_path, "recognizers_en", silent)["by_type"] == {
        "none": {"n": 1, "score": 1.0, "choice": 1.0, "plain": 1.0}
    }
    assert verdict(run(tmp_path, "recognizers_en", silent, one)) == WRONG


@pytest.mark.parametrize(
    ("seconds", "gold"),
    [((86400, 86400), RIGHT), ((86400, float("inf")), RIGHT), ((0, 86400), RIGHT), ((86399, 86401), WRONG)],
)
def test_a_duration_in_seconds(seconds: tuple[float, float], gold: tuple[float, float], tmp_path: Path) -> None:
    day = recognized("duration", {"value": "86400"})
    assert verdict(run(tmp_path, "recognizers_en", day, found(TEXT, "then", kind="duration", seconds=seconds))) == gold
    time = found(TEXT, "then", [("2016-11-08", "2016-11-09")])
    assert verdict(run(tmp_path, "recognizers_en", day, time)) == WRONG


MONDAY, EVENING = [("2016-11-14", "2016-11-15")], [("2016-11-07T19:13", "2016-11-07T19:14")]
SETS: list[tuple[str, str, str, Said, bool]] = [
    ("P1D", "then", "P1D", [], True),
    ("P1W", "then", "P7D", [], True),
    ("P0.5Y", "then", "P6M", [], True),
    ("P0.5Y", "then", "P1Y", [], False),
    ("P2WE", "then", "P2W", [], True),
    ("P2WE", "then", "P1W", [], False),
    ("P1M", "then", "PT1M", [], False),
    ("XXXX-WXX-1", "then", "P1W", MONDAY, True),
    ("XXXX-WXX-2", "then", "P1W", MONDAY, False),
    ("XXXX-WXX-1", "then", "P1W", [], False),
    ("XXXX-WXX-1", "then", "P2W", MONDAY, False),
    ("XXXX-WXX-1", "every other Monday", "P2W", MONDAY, True),
    ("XXXX-WXX-1", "every other Monday", "P1W", MONDAY, False),
    ("XXXX-WXX-1T19:13", "then", "P1W", MONDAY, False),
    ("XXXX-WXX-1T19:13", "then", "P1W", EVENING, True),
    ("XXXX-WXX-WE", "then", "P1W", [("2016-11-12", "2016-11-14")], True),
    ("XXXX-WXX-WE", "then", "P1W", MONDAY, False),
    ("T19:13", "then", "P1D", EVENING, True),
    ("T19", "then", "P1D", EVENING, False),
    ("T19:13", "then", "P1W", EVENING, False),
    ("TMO", "then", "P1D", [], True),
    ("TMO", "then", "P1W", [], False),
    ("XXXX-05-06", "then", "P1Y", [], False),
]


@pytest.mark.parametrize(("timex", "text", "every", "said", "right"), SETS)
def test_what_comes_again(timex: str, text: str, every: str, said: Said, right: bool, tmp_path: Path) -> None:
    gold = recognized("set", {"timex": timex, "value": "not resolved"}, text=text)
    ours = found(TEXT, "then", said, kind="recurrence", every=every)
    assert verdict(run(tmp_path, "recognizers_en", gold, ours)) == (RIGHT if right else WRONG)
    assert verdict(run(tmp_path, "recognizers_en", gold, found(TEXT, "then", said))) == WRONG


def test_a_period_that_is_none_stops_the_bench(tmp_path: Path) -> None:
    gold = recognized("set", {"timex": "P1D", "value": "not resolved"})
    for every in ("", "P", "weekly"):
        with pytest.raises(ValueError, match="not an ISO 8601 duration"):
            run(tmp_path, "recognizers_en", gold, found(TEXT, "then", kind="recurrence", every=every))


def test_a_lunar_value_is_converted(tmp_path: Path) -> None:
    gold = recognized("date", {"value": "2015-10-01", "isLunar": "True"})
    solar = found(TEXT, "then", [("2015-11-12", "2015-11-13")])
    as_written = found(TEXT, "then", [("2015-10-01", "2015-10-02")])
    assert verdict(run(tmp_path, "recognizers_zh", gold, solar)) == RIGHT
    assert verdict(run(tmp_path, "recognizers_zh", gold, as_written)) == WRONG
    no_day = recognized("date", {"value": "2015-10-30", "isLunar": "True"})
    assert verdict(run(tmp_path, "recognizers_zh", no_day, solar)) == WRONG


def spoken(kind: str, time: Any, *, accurate: bool = True, base: Any = "2021-06-14T01:06:40+08:00") -> Any:
    definition = "accurate" if accurate else "blur"
    return [{"text": "那时候", "base": base, "expected": {"type": kind, "definition": definition, "time": time}}]


NIGHTFALL = ["2021-06-14 20:00:00", "2021-06-14 23:59:59"]
JIONLP: list[tuple[str, list[str], bool, Said, bool]] = [
    ("time_point", ["2021-06-14 00:00:00", "2021-06-14 23:59:59"], True, [("2021-06-14", "2021-06-15")], True),
    ("time_point", ["2021-06-14 00:00:00", "2021-06-14 23:59:59"], True, [("2021-06-14", "2021-06-16")], False),
    ("time_point", ["2021-06-14 00:00:00", "2021-06-14 00:59:59"], True, [("2021-06-14", "2021-06-15")], False),
    ("time_point", ["2021-06-14 08:00:00", "2021-06-14 08:59:59"], False,
     [("2021-06-14T08:00", "2021-06-14T08:01")], True),
    ("time_point", ["2021-06-14 08:00:00", "2021-06-14 08:59:59"], True,
     [("2021-06-14T08:01", "2021-06-14T08:59")], False),
    ("time_point", ["2021-06-14 08:10:40", "2021-06-14 08:10:40"], True,
     [("2021-06-14T08:10:40", "2021-06-14T08:10:41")], True),
    ("time_point", ["2021-06-14 08:10:40", "2021-06-14 08:25:40"], True,
     [("2021-06-14T08:10:40", "2021-06-14T08:10:40")], True),
    ("time_point", ["2021-06-14 08:10:59", "2021-06-14 08:10:59"], False,
     [("2021-06-14T08:10:59", "2021-06-14T08:10:59")], True),
    ("time_point", NIGHTFALL, False, [("2021-06-14T20:00", "2021-06-15")], True),
    ("time_point", NIGHTFALL, False, [("2021-06-14T20:00", "2021-06-14T21:00")], False),
    ("time_span", ["2021-06-14 09:00:00", "2021-06-14 10:00:00"], True,
     [("2021-06-14T09:00", "2021-06-14T10:00")], True),
    ("time_span", ["2021-06-14 09:00:00", "2021-06-14 10:00:00"], True,
     [("2021-06-14T09:00", "2021-06-14T09:01")], False),
    ("time_span", ["2021-06-14 09:00:00", "inf"], True, [("2021-06-14T09:00", None)], True),
    ("time_span", ["2021-06-14 09:00:00", "inf"], True, [("2021-06-14T09:00", "2021-06-15")], False),
    ("time_span", ["-inf", "2021-06-14 23:59:59"], True, [(None, "2021-06-15")], True),
    ("time_span", ["-inf", "2021-06-14 23:59:59"], True, [(None, "2021-06-14T23:59:59")], False),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "time", "accurate", "said", "right"), JIONLP)
def test_jionlp_writes_the_last_second(
    kind: str, time: list[str], accurate: bool, said: Said, right: bool, tmp_path: Path
) -> None:
    gold = spoken(kind, time, accurate=accurate)
    assert verdict(run(tmp_path, "jionlp_zh", gold, found("那时候", "那时", said, CHINA))) == (
        RIGHT if right else WRONG
    )


@pytest.mark.parametrize(
    ("time", "accurate", "seconds", "right"),
    [
        ({"day": 1.0, "hour": 2.0}, True, (93600, 93600), True),
        ({"month": 1.0}, True, (2592000, 2592000), True),
        ({"year": 2.5}, False, (78840000, 78840000), True),
        ({"day": 28.0}, True, (2419200, 3024000), False),
        ({"day": 28.0}, False, (2419200, 3024000), True),
        ({"day": 28.0}, False, (2419199, 3024000), False),
        ({"workday": 5.0}, True, (432000, 432000), False),
        ([{"day": 3.0}, {"day": 8.0}], False, (259200, 691200), True),
        ([{"day": 3.0}, {"day": 8.0}], False, (259200, 259200), False),
        ([{"zero": True}, {"day": 8.0}], False, (0, 691200), True),
        ([{"day": 8.0}, {"infinite": True}], False, (691200, float("inf")), True),
        ([{"day": 8.0}, {"infinite": True}], False, (691200, 691200), False),
    ],
)
def test_jionlp_durations(time: Any, accurate: bool, seconds: tuple[float, float], right: bool, tmp_path: Path) -> None:
    ours = found("那时候", "那时", kind="duration", seconds=seconds)
    gold = spoken("time_delta", time, accurate=accurate, base=None)
    assert verdict(run(tmp_path, "jionlp_zh", gold, ours)) == (RIGHT if right else WRONG)


@pytest.mark.parametrize(
    ("delta", "point", "every", "said", "right"),
    [
        ({"year": 0.5}, None, "P6M", [], True),
        ({"second": 200.0}, None, "PT200S", [], True),
        ({"second": 200.0}, None, "PT20S", [], False),
        ({"day": 7}, "2021-06-16 00:00:00", "P1W", [("2021-06-16", "2021-06-17")], True),
        ({"day": 7}, "2021-06-16 00:00:00", "P1W", [("2021-06-17", "2021-06-18")], False),
        ({"day": 7}, "2021-06-16 00:00:00", "P1W", [], False),
        ({"workday": 1}, None, "P1D", [], False),
    ],
)
def test_jionlp_periods(
    delta: dict[str, float], point: str | None, every: str, said: Said, right: bool, tmp_path: Path
) -> None:
    gold = spoken("time_period", {"delta": delta, "point": {"time": [point, point]} if point else None})
    ours = found("那时候", "那时", said, CHINA, kind="recurrence", every=every)
    assert verdict(run(tmp_path, "jionlp_zh", gold, ours)) == (RIGHT if right else WRONG)


@pytest.mark.parametrize(
    ("base", "reference"),
    [
        ("2021-09-01T15:15:32+08:00", datetime(2021, 9, 1, 15, 15, 32, tzinfo=CHINA)),
        ({"year": 2020}, datetime(2020, 1, 1, tzinfo=CHINA)),
        ({"year": 2021, "month": 5}, datetime(2021, 5, 1, tzinfo=CHINA)),
        ([2019], datetime(2019, 1, 1, tzinfo=CHINA)),
        ([2019, 2, 18, 7, 18], datetime(2019, 2, 18, 7, 18, tzinfo=CHINA)),
        ("time.time()", datetime(2021, 6, 14, 1, 6, 40, tzinfo=CHINA)),
        (None, datetime(2021, 6, 14, 1, 6, 40, tzinfo=CHINA)),
    ],
)
def test_jionlp_bases(base: Any, reference: datetime) -> None:
    (item,) = times.jionlp(spoken("time_point", NIGHTFALL, base=base), "jionlp_zh")
    assert item.reference == reference


def corpus(kind: str, values: list[list[int]], grain: str, *phrases: str, direction: str | None = None) -> Any:
    case = {"corpus": "all", "kind": kind, "values": values, "grain": grain, "direction": direction, "phrases": phrases}
    return {"reference": "2013-02-12T04:30:00-02:00", "reference_of_diffCorpus": "2013-02-15T04:30:00-02:00",
            "cases": [case]}  # fmt: skip


NOON = [2013, 2, 18, 12, 0, 0]
DAY = [2013, 2, 18, 0, 0, 0]
DUCKLING: list[tuple[str, list[list[int]], str, str | None, Said, bool]] = [
    ("datetime", [DAY], "Day", None, [("2013-02-18", "2013-02-19")], True),
    ("datetime", [DAY], "Day", None, [("2013-02-18", "2013-02-25")], False),
    ("datetime", [DAY], "Week", None, [("2013-02-18", "2013-02-25")], True),
    ("datetime", [DAY], "Week", None, [("2013-02-18", "2013-02-19")], False),
    ("datetime", [[2013, 12, 1, 0, 0, 0]], "Month", None, [("2013-12-01", "2014-01-01")], True),
    ("datetime", [[2013, 10, 1, 0, 0, 0]], "Quarter", None, [("2013-10-01", "2014-01-01")], True),
    ("datetime", [[2013, 10, 1, 0, 0, 0]], "Quarter", None, [("2013-10-01", "2013-11-01")], False),
    ("datetime", [[2013, 0, 0, 0, 0, 0]], "Year", None, [("2013-01-01", "2014-01-01")], True),
    ("datetime", [NOON], "Hour", None, [("2013-02-18T12:00", "2013-02-18T12:01")], True),
    ("datetime", [NOON], "Minute", None, [("2013-02-18T12:01", "2013-02-18T12:02")], False),
    ("datetime", [DAY], "Hour", None, [("2013-02-18", "2013-02-19")], False),
    ("datetimeInterval", [DAY, NOON], "Hour", None, [("2013-02-18", "2013-02-18T12:00")], True),
    ("datetimeInterval", [DAY, NOON], "Hour", None, [("2013-02-18", "2013-02-18T11:00")], False),
    ("datetimeOpenInterval", [DAY], "Day", "After", [("2013-02-18", None)], True),
    ("datetimeOpenInterval", [DAY], "Day", "After", [(None, "2013-02-18")], False),
    ("datetimeOpenInterval", [DAY], "Day", "Before", [(None, "2013-02-18")], True),
    ("datetimeOpenInterval", [DAY], "Day", "Before", [("2013-02-12", "2013-02-18")], False),
]


@pytest.mark.parametrize(("kind", "values", "grain", "direction", "said", "right"), DUCKLING)
def test_duckling_grains(
    kind: str, values: list[list[int]], grain: str, direction: str | None, said: Said, right: bool, tmp_path: Path
) -> None:
    gold = corpus(kind, values, grain, "on that day", direction=direction)
    figures = run(tmp_path, "duckling_en", gold, found("on that day", "that day", said, WEST))
    assert verdict(figures) == (RIGHT if right else WRONG)
    assert list(figures["by_type"]) == [kind.removeprefix("datetime") or "datetime"]


def test_duckling_asks_for_the_whole_phrase(tmp_path: Path) -> None:
    day = [("2013-02-18", "2013-02-19")]
    for phrase, said, right in (
        ("in the morning", "morning", RIGHT),
        ("in the morning", "in the", WRONG),
        ("until monday morning", "morning", WRONG),
        ("monday or so", "or so", WRONG),
    ):
        gold = corpus("datetime", [DAY], "Day", phrase)
        assert verdict(run(tmp_path, "duckling_en", gold, found(phrase, said, day, WEST))) == right


def test_duckling_compares_in_the_zone_of_the_reference(tmp_path: Path) -> None:
    gold = corpus("datetime", [[2013, 2, 12, 13, 0, 0]], "Minute", "4pm CET")
    cet = timezone(timedelta(hours=1))
    for hour, right in (("16:00", RIGHT), ("13:00", WRONG)):
        ours = found("4pm CET", "4pm CET", [(f"2013-02-12T{hour}", f"2013-02-12T{hour}:59")], cet)
        assert verdict(run(tmp_path, "duckling_en", gold, ours)) == right


def test_duckling_has_a_reference_of_its_own_for_one_corpus() -> None:
    gold = corpus("datetime", [DAY], "Day", "a", "b")
    gold["cases"].append({**gold["cases"][0], "corpus": "diffCorpus"})
    assert [item.reference.day for item in times.duckling(gold, "duckling_zh")] == [12, 12, 15, 15]


@pytest.mark.parametrize(
    ("gold", "said", "right"),
    [
        (["2025-03-02", "2025-03-04"], [("2025-03-02", "2025-03-03")], True),
        (["2025-03-02", "2025-03-05"], [("2025-03-02", "2025-03-03")], False),
        (["2025-03-02", "2025-03-03"], [("2025-03-01", "2025-03-03")], True),
        (["2025-03-02", "2025-03-03"], [("2025-03-05", "2025-03-06"), ("2025-03-02", "2025-03-03")], False),
        (["2025-03-02", "2025-03-12T09:30:00+08:00"], [("2025-03-02", None)], True),
        (["2025-03-20", "2025-03-21"], [("2025-03-20", None)], False),
        (["2025-03-02", "2025-03-03"], [(None, "2025-03-03")], False),
        (["2025-03-02T08:00:00+08:00", "2025-03-02T08:01:00+08:00"], [("2025-03-02T08:00", "2025-03-02T08:00")], True),
        (["2025-03-02T08:00:00+08:00", "2025-03-02T08:03:00+08:00"], [("2025-03-02T08:00", "2025-03-02T08:00")], False),
    ],
)
def test_our_own_sentences_by_overlap(gold: list[str], said: Said, right: bool, tmp_path: Path) -> None:
    case = {"lang": "zh", "text": "那时候", "reference": "2025-03-12T09:30:00+08:00", "gold": gold, "note": ""}
    far = found("那时候", "候", [("2000-01-01", "2000-01-02")], CHINA)
    figures = run(tmp_path, "time_dev", [case], far, found("那时候", "那时", said, CHINA))
    assert verdict(figures) == (RIGHT if right else WRONG)
    assert list(figures["by_type"]) == ["zh"]


def test_sentences_without_a_time(tmp_path: Path) -> None:
    gold = {"en": ["a", "b"], "zh": ["甲"]}
    assert run(tmp_path, "no_time_dev", gold)["by_type"]["en"] == {"n": 2, "score": 1.0, "choice": 1.0, "plain": 1.0}
    figures = run(tmp_path, "no_time_dev", gold, found("甲", "甲", kind="duration", seconds=(1, 1)))
    assert verdict(figures) == WRONG
    assert figures["n"] == 3


def test_everything_in_a_file_is_counted_and_the_shares_add_up(tmp_path: Path) -> None:
    empty: Any = {"Input": "x", "Results": []}
    odd = [*recognized("timezone", {"value": "UTC"}), *recognized("made up", {"value": "1"}), *recognized("date")]
    cases = [*recognized("date", DATE), *odd, empty]
    figures = run(tmp_path, "recognizers_en", cases, found(TEXT, "then", [("2016-11-08", "2016-11-09")]))
    assert figures == {
        "n": 5, "score": 0.2, "choice": 0.2, "plain": 0.2,
        "by_type": {
            "date": {"n": 2, "score": 0.5, "choice": 0.5, "plain": 0.5},
            "timezone": {"n": 1, "score": 0.0, "choice": 0.0, "plain": 0.0},
            "made up": {"n": 1, "score": 0.0, "choice": 0.0, "plain": 0.0},
            "none": {"n": 1, "score": 0.0, "choice": 0.0, "plain": 0.0},
        },
    }  # fmt: skip


def test_sets_are_looked_for_in_the_folder_and_our_own_beside_it(tmp_path: Path) -> None:
    data, probes = tmp_path / "data" / "time", tmp_path / "probes"
    for folder in (data, probes):
        folder.mkdir(parents=True)
    for path in (
        data / "duckling_en.json",
        probes / "time_a.json",
        probes / "no_time_a.json",
        probes / "jionlp_zh.json",
    ):
        path.write_text("{}", "utf-8")
    assert list(bench.files(data)) == ["duckling_en", "time_a", "no_time_a"]
    (data / "time_b.json").write_text("[]", "utf-8")
    assert list(bench.files(data)) == ["duckling_en", "time_b", "no_time_a"]
    near = tmp_path / "time"
    near.mkdir()
    assert list(bench.files(near)) == ["time_a", "no_time_a"]


def test_no_set_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more in ([], ["--set", "recognizers_xx"]):
        with pytest.raises(SystemExit) as ended:
            bench.main(["--data", str(tmp_path), *more])
        assert ended.value.code == 2
    assert "recognizers_xx" in capsys.readouterr().err


def test_misses_show_gold_and_ours_wrong_ones_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    late = found(TEXT, "then", [("2016-11-15", "2016-11-16"), ("2016-11-08", "2016-11-09")])
    cases = [*recognized("date", DATE), *recognized("date", {"value": "2001-01-01"})]
    run(tmp_path, "recognizers_en", cases, late, more=["--misses", "2"])
    said = capsys.readouterr().out
    assert said.index("wrong date") < said.index("order date")
    for part in (TEXT, "2001-01-01", "2016-11-07 Mon", "2016-11-15 00:00:00", "2 items in recognizers_en.json, all"):
        assert part in said
    run(tmp_path, "recognizers_en", cases, late, more=["--misses", "1"])
    assert "order date" not in capsys.readouterr().out
    run(tmp_path, "recognizers_en", cases, more=["--misses", "1"])
    assert "ours  nothing" in capsys.readouterr().out


def test_an_error_of_the_finder_is_not_a_miss(tmp_path: Path) -> None:
    (tmp_path / "no_time_a.json").write_text('{"en": ["a"]}', "utf-8")

    def broken(text: str, reference: datetime, conventions: Conventions) -> list[Found]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        bench.main(["--data", str(tmp_path)], broken)


def test_the_customs_of_a_set_are_asked_for_and_known(tmp_path: Path) -> None:
    assert times.customs("duckling_zh_held_out") is times.CUSTOMS["duckling_zh"]
    with pytest.raises(KeyError, match="jionlp_en"):
        times.customs("jionlp_en")
    asked: list[Conventions] = []

    def finder(text: str, reference: datetime, conventions: Conventions) -> list[Found]:
        asked.append(conventions)
        return []

    (tmp_path / "recognizers_zh_a.json").write_text(json.dumps(recognized("date", DATE)), "utf-8")
    bench.main(["--data", str(tmp_path)], finder)
    assert asked[:2] == [times.CUSTOMS["recognizers_zh"], Conventions()], (
        "as its authors count, then as the library does"
    )
