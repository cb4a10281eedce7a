"""How people count: refused where it makes no sense, and heeded by whatever reads a date."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fabula import AsyncMemory, Conventions, InvalidInput, Message, Settings
from fabula.conventions import HOURS

ENGLAND = Settings(conventions=Conventions(month_first=False, hours=(("evening", 17, 23),)))
AT = datetime(2025, 3, 5, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"through": "some"}, "through is 'none', 'dates' or 'all', not 'some'"),
        ({"weekend": 30}, "weekend is -24 to 24, not 30"),
        ({"hours": (("brunch", 9, 12),)}, "no part of the day is called 'brunch'"),
        ({"hours": (("evening", 20, 19),)}, "the end of evening is 20 to 36, not 19"),
        (
            {"hours": (("evening", 17),)},
            "hours holds triples of a name, the first and the last hour, not ('evening', 17)",
        ),
        ({"hours": (("evening", 17, 17),)}, "evening has no length: it begins and ends at 17"),
        ({"month_first": "no"}, "month_first is True or False, not 'no'"),
        ({"hours": (("evening", -1, 19),)}, "the start of evening is 0 to 36, not -1"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], message: str):
    with pytest.raises(InvalidInput) as refusal:
        Conventions(**given)
    assert message in str(refusal.value)
    with pytest.raises(InvalidInput, match="conventions is of the type Conventions"):
        Settings(conventions=given)  # pyright: ignore[reportArgumentType]


def test_what_is_left_out_stays_as_it_is():
    assert ENGLAND.conventions.part("evening") == (17, 23)
    assert ENGLAND.conventions.part("morning") == HOURS["morning"]
    assert hash(ENGLAND.conventions) == hash(Conventions(month_first=False, hours=(("evening", 17, 23),)))


async def test_a_memory_reads_dates_as_its_people_write_them(tmp_path: Path):
    talk = [
        Message("The deal was signed on 5/6/2023 in Leeds", speaker="Ann", time=AT),
        Message("The deal was undone on 6/5/2023 in York", speaker="Ann", time=AT),
    ]
    async with AsyncMemory(tmp_path / "m.db", embedder=None, settings=ENGLAND) as memory:
        await memory.remember("s", talk)
        await memory.flush("s")
        (frame,) = await memory.records("s", "frame")
        assert [event.time.start.month for event in frame.events] == [6, 5]
        trace = (await memory.recall("s", "What about the deal on 5/6/2023?", at=AT, explain=True)).trace
        assert [window.start.month for window in trace.windows] == [6]
