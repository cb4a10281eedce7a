"""NeuroMemory's memories by time: ranges and their ends, days and weeks, and the times that a question says."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from neuro import Opening

from fabula import InvalidInput
from fabula.testing import FakeClock
from neuromemory import NeuroMemory


async def merged(nm: NeuroMemory, query: str, user: str = "alice", **more: Any) -> list[str]:
    return [one["text"] for one in (await nm.recall(user, query, **more))["merged"]]


async def test_a_range_ends_before_its_end_and_a_naive_time_is_utc(nm: NeuroMemory):
    for hour in (9, 10, 11):
        await nm.add_memory("alice", f"at {hour}", occurred_at=f"2025-03-01T{hour:02}:00")
    start, end = (datetime.fromisoformat(f"2025-03-01T{hour}:00") for hour in ("09", "11"))
    for shift in (None, UTC, timezone(timedelta(hours=8))):
        ends = (start, end) if shift is None else (start.replace(tzinfo=UTC), end.replace(tzinfo=UTC).astimezone(shift))
        total, found = await nm.get_memories_by_time_range("alice", *ends)
        assert (total, [one["content"] for one in found]) == (2, ["at 10", "at 9"])
    total, page = await nm.get_memories_by_time_range("alice", start, limit=1, offset=1)
    assert (total, [one["content"] for one in page]) == (3, ["at 10"])
    with pytest.raises(ValueError, match="before"):
        await nm.get_memories_by_time_range("alice", end, start)


async def test_recent_memories_are_those_told_in_the_last_days_newest_first(nm: NeuroMemory, neuro_clock: FakeClock):
    for days, text in ((8, "Bo has a cat"), (6, "学了木工"), (3, "The tram was late"), (0, "我喝了汤")):
        when = neuro_clock() - timedelta(days=days)
        await nm.conversations.add_message("alice", "user", text, text, created_at=when)
    await nm.flush()
    neuro_clock.advance(timedelta(hours=1))
    await nm.add_memory("alice", "old news", "fact", occurred_at=neuro_clock() - timedelta(days=4000))
    neuro_clock.advance(timedelta(hours=1))
    await nm.add_memory("alice", "a plan", "general", occurred_at=neuro_clock() + timedelta(days=40))
    found = await nm.get_recent_memories("alice")
    assert [one["content"] for one in found] == ["a plan", "old news", "我喝了汤", "The tram was late", "学了木工"]
    some = await nm.get_recent_memories("alice", 5, ["episodic", "fact"], limit=2)
    assert [one["content"] for one in some] == ["old news", "我喝了汤"]


TOLD = {
    "I went to Rome yesterday": "2025-03-04", "I had soup": "2025-03-05", "I turn 40 in March next year": "2026-03",
    "In summer I love swimming": "2025-06", "I moved to Porto in May 2019": "2019-05",
    "昨天去了罗马": "2025-03-04", "喝了汤": "2025-03-05", "我明年三月满四十岁": "2026-03", "我女儿今年三岁": "2025-01",
    "我2019年5月搬到了波尔图": "2019-05",
}  # fmt: skip
"""What is said on 5 March 2025, and when it happened: to the day, or from which month on."""


@pytest.fixture
async def told(nm: NeuroMemory) -> NeuroMemory:
    for number, text in enumerate(TOLD):
        await nm.conversations.add_message("alice", "user", text, f"s{number}")
    await nm.flush()
    return nm


async def test_what_is_told_is_recent_whenever_it_happens(told: NeuroMemory, neuro_clock: FakeClock):
    assert {one["content"] for one in await told.get_recent_memories("alice", 1)} == set(TOLD)
    neuro_clock.advance(timedelta(days=2))
    assert await told.get_recent_memories("alice", 1) == []


async def test_a_range_goes_by_when_it_happened_where_that_is_known_as_exactly(told: NeuroMemory):
    async def found(start: str, end: str) -> set[str]:
        return {one["content"] for one in (await told.get_memories_by_time_range("alice", start, end))[1]}

    exact = {text for text, when in TOLD.items() if len(when) == len("2025-03-05")}
    yesterday = {text for text, when in TOLD.items() if when == "2025-03-04"}
    assert len(yesterday) == 2
    assert await found("2025-03-04", "2025-03-04") == yesterday
    assert await found("2025-03-05", "2025-03-05") == set(TOLD) - yesterday
    assert await found("2026-03-01", "2026-03-01") == set()
    assert await found("2026-03-01", "2026-03-31") == {text for text, when in TOLD.items() if when == "2026-03"}
    assert await found("2019-01-01", "2019-12-31") == {text for text, when in TOLD.items() if when == "2019-05"}
    assert await found("2025-01-01", "2025-12-31") == exact | {"In summer I love swimming", "我女儿今年三岁"}


async def test_a_timeline_goes_by_when_it_happened_where_that_is_known_to_the_period(told: NeuroMemory):
    days = await told.get_daily_memory_stats("alice", "2019-01-01", "2027-01-01", tz="UTC")
    assert [(day["date"], day["count"]) for day in days] == [("2025-03-04", 2), ("2025-03-05", len(TOLD) - 2)]
    months = await told.get_memory_timeline("alice", "2019-01-01", "2027-01-01", "month", tz="UTC")
    assert [(month["period"], month["count"]) for month in months] == [("2019-05", 2), ("2025-03", 6), ("2026-03", 2)]


async def test_an_hour_more_where_the_clock_is_put_back_changes_nothing(nm: NeuroMemory):
    zone = ZoneInfo("Europe/Berlin")
    noon = datetime(2024, 10, 28, 12, tzinfo=zone)
    for text in ("I was in Bonn yesterday", "我十月在科隆"):
        await nm.conversations.add_message("alice", "user", text, text, created_at=noon)
    await nm.flush()
    (day,) = await nm.get_daily_memory_stats("alice", "2024-10-27", "2024-10-27", tz=zone)
    assert day["count"] == 1
    months = await nm.get_memory_timeline("alice", "2024-10-01", "2024-10-31", "month", tz=zone)
    assert [month["count"] for month in months] == [2]
    start = datetime(2024, 9, 30, 22, tzinfo=UTC)
    assert (await nm.get_memories_by_time_range("alice", start, start + timedelta(days=31)))[0] == 2


async def test_an_event_is_when_what_is_told_happened_not_when_it_was_said(told: NeuroMemory):
    async def found(start: str, end: str) -> set[str]:
        asked = "Rome, soup, swimming, Porto, turn 40; 罗马、喝了汤、波尔图、女儿三岁、满四十岁"
        return set(await merged(told, asked, event_after=start, event_before=end))

    assert await found("2025-03-05", "2025-03-05") == {"I had soup", "喝了汤", "我女儿今年三岁"}
    assert await found("2025-03-04", "2025-03-04") == {"I went to Rome yesterday", "昨天去了罗马", "我女儿今年三岁"}
    assert await found("2019-05-10", "2019-05-20") == {"I moved to Porto in May 2019", "我2019年5月搬到了波尔图"}
    assert await found("2026-03-10", "2026-03-20") == {"I turn 40 in March next year", "我明年三月满四十岁"}


async def test_a_message_that_nothing_was_drawn_from_yet_happened_when_it_was_said(opening: Opening):
    nm = await opening(auto_extract=False)
    await nm.conversations.add_message("alice", "user", "I moved to Porto in May 2019")
    assert await merged(nm, "Porto", event_after="2025-03-05")
    await nm.extract_memories("alice")
    assert not await merged(nm, "Porto", event_after="2025-03-05")
    assert await merged(nm, "Porto", event_before="2019-12-31")


async def test_how_often_a_memory_came_back_is_told_wherever_it_is_listed(nm: NeuroMemory, neuro_clock: FakeClock):
    tea = await nm.add_memory("alice", "likes tea", "fact")
    await nm.add_memory("alice", "owns a kayak", "fact")
    await nm.flush()
    await nm.recall("alice", "tea")
    (month,) = await nm.get_memory_timeline("alice", "2025-03-01", granularity="month")
    listed = [
        await nm.get_recent_memories("alice"), (await nm.get_memories_by_time_range("alice", "2025-03-01"))[1],
        month["memories"], await nm.history("alice", tea),
    ]  # fmt: skip
    for found in listed:
        counts = {one["content"]: (one["access_count"], one["last_accessed_at"]) for one in found}
        assert counts.pop("likes tea") == (1, neuro_clock().isoformat())
        assert set(counts.values()) <= {(0, None)}


@pytest.mark.parametrize("tz", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Shanghai"])
@pytest.mark.parametrize("by", ["day", "week", "month"])
async def test_the_first_and_the_last_day_there_are(nm: NeuroMemory, tz: str, by: Any):
    for moment in ("0001-01-01", "9999-12-31T23:00:00Z"):
        await nm.add_memory("alice", f"at {moment}", occurred_at=moment)
    first, last = await nm.get_memory_timeline("alice", "0001-01-01T00:00:00Z", "9999-12-31", by, tz=tz)
    assert (first["start"], first["count"], last["count"]) == ("0001-01-01", 1, 1)
    assert last["start"] <= last["end"] == ("9999-12-31" if by != "day" else last["start"])
    east = timezone(timedelta(hours=14))
    assert len(await nm.get_memory_timeline("alice", "0001-01-01", "9999-12-31", by, tz=east)) == 2


async def test_weeks_begin_on_monday_and_days_are_the_users(nm: NeuroMemory):
    sunday, monday = datetime(2025, 3, 2, 20, tzinfo=UTC), datetime(2025, 3, 3, 9, tzinfo=UTC)
    await nm.add_memory("alice", "sunday evening", occurred_at=sunday)
    await nm.add_memory("alice", "monday", "fact", occurred_at=monday)
    weeks = await nm.get_memory_timeline("alice", "2025-02-01", granularity="week", tz="UTC")
    assert [(week["period"], week["end"], week["count"]) for week in weeks] == [
        ("2025-02-24", "2025-03-02", 1), ("2025-03-03", "2025-03-09", 1),
    ]  # fmt: skip
    (week,) = await nm.get_memory_timeline("alice", "2025-02-01", granularity="week", tz="Asia/Shanghai")
    assert (week["period"], week["count"]) == ("2025-03-03", 2)
    (month,) = await nm.get_memory_timeline("alice", "2025-02-01", granularity="month", tz="UTC")
    assert (month["period"], month["start"], month["end"]) == ("2025-03", "2025-03-01", "2025-03-31")
    assert await nm.get_daily_memory_stats("alice", "2025-03-01", tz="UTC") == [
        {"date": "2025-03-02", "count": 1, "by_type": {"general": 1}},
        {"date": "2025-03-03", "count": 1, "by_type": {"fact": 1}},
    ]
    assert await nm.get_daily_memory_stats("alice", "2025-03-01", tz="Asia/Shanghai") == [
        {"date": "2025-03-03", "count": 2, "by_type": {"fact": 1, "general": 1}}
    ]


async def test_an_end_that_is_a_date_includes_that_day_in_the_users_zone(nm: NeuroMemory):
    await nm.add_memory("alice", "late", occurred_at="2025-03-02T23:30:00+08:00")
    for end in ("2025-03-02", date(2025, 3, 2)):
        days = await nm.get_daily_memory_stats("alice", "2025-03-02", end, tz="Asia/Shanghai")
        assert [day["count"] for day in days] == [1]
        assert (await nm.get_memories_by_time_range("alice", end, end))[0] == 1
    assert await nm.get_daily_memory_stats("alice", "2025-03-01", "2025-03-01", tz="Asia/Shanghai") == []


async def test_cold_memories_are_those_that_nothing_recalls(nm: NeuroMemory, neuro_clock: FakeClock):
    tea = await nm.add_memory("alice", "likes tea", "fact")
    kayak = await nm.add_memory("alice", "owns a kayak", "fact")
    await nm.flush()
    neuro_clock.advance(timedelta(days=91))
    assert {one["id"] for one in await nm.cold_memories("alice")} == {tea, kayak}
    assert [one["id"] for one in (await nm.recall("alice", "tea"))["merged"]] == [tea]
    (cold,) = await nm.cold_memories("alice")
    assert (cold["id"], cold["access_count"]) == (kayak, 0)
    told = await nm.get_memory("alice", tea)
    assert told is not None
    assert told["access_count"] == 1


# --- field reports ---

DAYS = [
    ("昨天", "2025-03-04", "2025-03-05"), ("前天", "2025-03-03", "2025-03-04"), ("大前天", "2025-03-02", "2025-03-03"),
    ("大后天", "2025-03-08", "2025-03-09"), ("上个月", "2025-02-01", "2025-03-01"),
    ("上周三", "2025-02-26", "2025-02-27"), ("三天前", "2025-03-02", "2025-03-03"),
    ("去年上半年", "2024-01-01", "2024-07-01"), ("yesterday", "2025-03-04", "2025-03-05"),
    ("last month", "2025-02-01", "2025-03-01"), ("last week", "2025-02-24", "2025-03-03"),
    ("in 1998", "1998-01-01", "1999-01-01"), ("in week 53 of 2026", "2026-12-28", "2027-01-04"), ("in 44 BC", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("said", "start", "end"), DAYS)
async def test_b083_b093_a_question_means_the_time_it_says(nm: NeuroMemory, said: str, start: str, end: str):
    await nm.add_memory("alice", "went diving 潜水", "fact")
    asked = f"I went diving {said}" if said.isascii() else f"{said}我去潜水了吗"
    windows = (await nm.recall("alice", asked, explain=True))["explain"]["windows"]
    assert [(one["start"][:10], one["end"][:10]) for one in windows] == ([(start, end)] if start else [])


async def test_b086_times_with_and_without_a_zone_stand_together(nm: NeuroMemory):
    for text, when in (
        ("tea naive", datetime.fromisoformat("2025-03-01T12:00")), ("tea tokyo", "2025-03-01T21:00+09:00"),
        ("tea utc", "2025-03-01T12:00Z"),
    ):  # fmt: skip
        await nm.add_memory("alice", text, "fact", occurred_at=when)
    await nm.flush()
    assert len(await merged(nm, "tea")) == 3
    for start, end in (("2025-03-01T12:00", "2025-03-01T12:01"), ("2025-03-01T21:00+09:00", "2025-03-01T13:00Z")):
        total, found = await nm.get_memories_by_time_range("alice", start, end)
        assert total == 3
        assert len({datetime.fromisoformat(one["occurred_at"]) for one in found}) == 1
    assert (await nm.reflect("alice"))["memories_analyzed"] == 3


async def test_b091_a_date_at_the_end_is_a_whole_day(nm: NeuroMemory, neuro_clock: FakeClock):
    neuro_clock.advance(timedelta(days=400))
    for when in ("2026-03-31T15:00Z", "2026-03-31T23:59:59.999999Z", "2026-04-01T00:00Z"):
        await nm.add_memory("alice", f"tea {when}", "fact", occurred_at=when)
    await nm.flush()
    total, found = await nm.get_memories_by_time_range("alice", "2026-03-31", "2026-03-31")
    assert (total, len(found)) == (2, 2)
    assert len(await merged(nm, "tea", event_before="2026-03-31")) == 2
    with pytest.raises(ValueError, match="2026"):
        await nm.get_memories_by_time_range("alice", "2026-04-01", "2026-03-30")
    with pytest.raises(ValueError, match="2026"):
        await nm.recall("alice", "tea", event_after="2026-04-01", event_before="2026-03-30")


async def test_a_start_in_words_has_its_zone(opening: Opening):
    memory = await opening()
    await memory.add_memory("u", "半夜吃夜宵", occurred_at="2026-11-02T00:30:00+08:00")
    told = await memory.get_daily_memory_stats("u", "2026-11-01T00:00:00+08:00", "2026-11-03T00:00:00+08:00")
    assert [day["date"] for day in told if day["count"]] == ["2026-11-02"]
    with pytest.raises(InvalidInput):
        await memory.recall("u", "tea", as_of=cast(Any, object()))


async def test_filters_of_odd_keys_are_read_as_json(opening: Opening):
    memory = await opening()
    await memory.add_memory("u", "tea", metadata={"x": {"1": 2}})
    assert (await memory.recall("u", "tea", filters={"x": {1: 2}}))["merged"]
    assert not (await memory.recall("u", "tea", filters={"x": {1: 1, "2": 2}}))["merged"]
