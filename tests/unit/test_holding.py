"""What happened or held at a time: by the minute what lasts, by the day what happens, of rows as of records."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from fabula.holding import held_at, rows_at
from fabula.index import Index
from fabula.types import Entity, Fact, Frame, Insight, Interval, Kind, Note, Passage, Record

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
SHANGHAI = timezone(timedelta(hours=8))
KINDS: dict[Kind, type[Record]] = {
    "passage": Passage, "frame": Frame, "fact": Fact, "entity": Entity, "insight": Insight, "note": Note,
}  # fmt: skip
HAPPENS: list[Kind] = ["passage", "frame"]
HOLDS: list[Kind] = ["fact", "entity", "insight", "note"]


def held(kind: Kind, start: float | None, end: float | None, at: datetime = NOON) -> bool:
    """Whether a record that is valid between these hours before and after noon happened or held at a time."""
    first, last = (None if hours is None else NOON + timedelta(hours=hours) for hours in (start, end))
    record = KINDS[kind](scope="u", id="x", text="x", valid=Interval(start=first, end=last))
    ends = (np.array([np.nan if one is None else one.timestamp()]) for one in (first, last))
    field = replace(Index().of(kind), **dict(zip(("valid_from", "valid_to"), ends, strict=True)))
    (row,) = rows_at(field, kind, at).tolist()
    assert row == held_at(record, at)
    return row


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("start", "end", "there"),
    [
        (None, None, True), (-100, None, True), (None, 100, True), (100, None, False), (None, -100, False),
        (-100, 100, True), (-100, -50, False), (50, 100, False),
    ],
)  # fmt: skip
def test_what_lasts_is_there_from_its_beginning_to_its_end(
    kind: Kind, start: float | None, end: float | None, there: bool
):
    assert held(kind, start, end) is there


@pytest.mark.parametrize("kind", HOLDS)
def test_what_holds_holds_by_the_minute(kind: Kind):
    assert [held(kind, start, start + 2) for start in (-3, -2, -1, 0, 1)] == [False, False, True, True, False]


@pytest.mark.parametrize("kind", HAPPENS)
def test_what_happened_within_a_day_counts_for_that_day(kind: Kind):
    """From 0:00 to 24:00 of the day that is asked about."""
    starts = (-15, -14, -13, -12, 0, 11, 12)
    assert [held(kind, start, start + 2) for start in starts] == [False, False, True, True, True, True, False]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_known_of_a_moment_counts_for_that_day(kind: Kind):
    moments = (-12.1, -12, -1, 0, 11.9, 12)
    assert [held(kind, moment, moment) for moment in moments] == [False, True, True, True, True, False]


def test_the_day_is_that_of_who_asks():
    """Noon in London is 20:00 in Shanghai, where the day ends four hours later."""
    asked = NOON.astimezone(SHANGHAI)
    assert [held("passage", hours, hours, asked) for hours in (-20.1, -20, 3.9, 4)] == [False, True, True, False]


def test_what_has_no_time_is_not_known_not_to_hold():
    assert held_at(Fact(scope="u", id="x", text="x"), NOON)
