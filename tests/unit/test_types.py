"""The records and the question: what they refuse, and what they make of what they are given."""

import dataclasses
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula import types
from fabula.checking import aware
from fabula.errors import InvalidInput
from fabula.settings import Settings
from fabula.types import (
    CHANNELS,
    KINDS,
    MAX_LIMIT,
    Entity,
    Fact,
    Forgotten,
    Frame,
    Insight,
    Interval,
    Message,
    Note,
    Passage,
    Plan,
    Receipt,
    Record,
    Stats,
)

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))
RECORDS: list[type[Record]] = [Passage, Frame, Fact, Entity, Insight, Note]


class TestAware:
    @pytest.mark.parametrize(
        ("given", "wanted"),
        [
            (datetime(2024, 5, 1, 12), NOON),  # noqa: DTZ001 - this is about naive ones
            (NOON, NOON),
            ("2024-05-01T12:00:00Z", NOON),
            ("2024-05-01T12:00:00", NOON),
            (" 2024-05-01 12:00 ", NOON),
            ("2024-05-01T21:00:00+09:00", NOON),
            ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
            ("20240501T120000Z", NOON),
        ],
    )
    def test_reads(self, given: datetime | str, wanted: datetime):
        assert aware(given) == wanted
        assert aware(given).tzinfo is not None

    def test_keeps_the_zone(self):
        assert aware("2024-05-01T21:00:00+09:00").utcoffset() == timedelta(hours=9)
        assert aware(NOON.astimezone(TOKYO)).tzinfo is TOKYO

    @pytest.mark.parametrize("text", ["", " ", "yesterday", "2024-02-30", "12:00", "1714560000", "昨天"])
    def test_refuses(self, text: str):
        with pytest.raises(InvalidInput, match="ISO 8601"):
            aware(text)

    @given(st.datetimes(timezones=st.none() | st.just(TOKYO)))
    def test_iso_text_and_datetime_agree(self, moment: datetime):
        assert aware(moment.isoformat()) == aware(moment)


class TestInterval:
    def test_refuses_to_end_before_it_starts(self):
        with pytest.raises(InvalidInput, match="cannot end before"):
            Interval(start=NOON, end=NOON - timedelta(seconds=1))

    def test_takes_naive_ends_as_utc(self):
        naive = Interval(start=datetime(2024, 5, 1, 12), end=datetime(2024, 5, 2))  # noqa: DTZ001
        assert (naive.start, naive.end) == (NOON, datetime(2024, 5, 2, tzinfo=UTC))

    def test_open_ends_and_instants(self):
        assert Interval() == Interval(start=None, end=None, precision="instant")
        assert Interval.at(NOON) == Interval(start=NOON, end=NOON)
        assert Interval(start=NOON).end is None

    def test_zones_do_not_matter_for_order(self):
        with pytest.raises(InvalidInput):
            Interval(start=NOON, end=(NOON - timedelta(hours=1)).astimezone(TOKYO))


class TestRecords:
    def test_there_is_a_class_a_kind(self):
        assert [record.kind for record in RECORDS] == list(KINDS)

    @pytest.mark.parametrize("record", RECORDS)
    def test_are_frozen_and_keyword_only(self, record: type[Record]):
        made = record(scope="u", id="1", text="x")
        with pytest.raises(dataclasses.FrozenInstanceError):
            made.text = "y"  # pyright: ignore[reportAttributeAccessIssue]
        with pytest.raises(TypeError):
            record("u", "1", "x")  # pyright: ignore[reportCallIssue]
        with pytest.raises((AttributeError, TypeError)):
            made.other = 1  # pyright: ignore[reportAttributeAccessIssue]

    @pytest.mark.parametrize("record", RECORDS)
    def test_start_live_and_unread_only_meta(self, record: type[Record]):
        made = record(scope="u", id="1", text="x")
        assert (made.status, made.importance, made.sources, dict(made.meta)) == ("live", 0.5, (), {})
        with pytest.raises(TypeError):
            made.meta["a"] = 1  # pyright: ignore[reportIndexIssue]

    def test_a_passage_knows_when_it_was_said(self):
        said = Passage(scope="u", id="1", text="x", valid=Interval.at(NOON.astimezone(TOKYO)))
        assert said.time is not None
        assert (said.time, said.time.utcoffset()) == (NOON, timedelta(hours=9))
        assert Passage(scope="u", id="1", text="x").time is None


class TestMessage:
    def test_a_time_may_be_text(self):
        assert Message("x", time="2024-05-01T12:00:00").time == NOON
        assert Message("x").time is None

    @pytest.mark.parametrize("content", [None, 5, b"x", ["x"]])
    def test_content_is_text(self, content: Any):
        with pytest.raises(InvalidInput, match="content is text"):
            Message(content)

    @pytest.mark.parametrize("time", ["noon", "", 5, 1.5, object(), NOON.date()])
    def test_a_time_is_a_time(self, time: Any):
        with pytest.raises(InvalidInput):
            Message("x", time=time)

    def test_only_content_is_positional(self):
        with pytest.raises(TypeError):
            Message("x", "Ann")  # pyright: ignore[reportCallIssue]

    def test_images_become_a_tuple(self):
        assert Message("x", images=[types.Image(caption="a cat")]).images == (types.Image(caption="a cat"),)  # pyright: ignore[reportArgumentType]


class TestReceipt:
    def test_counts_what_is_new(self):
        receipt = Receipt(ids=("1", "2", "2", None), duplicates=("2",), erased=("r",))
        assert receipt.added == 2
        assert Receipt().added == 0

    def test_forgotten_is_true_where_rows_went(self):
        assert Forgotten(rows={"passage": 1})
        assert not Forgotten(rows={"passage": 0})
        assert not Forgotten()


class TestPlan:
    def test_the_default(self):
        plan = Plan()
        assert (plan.kinds, plan.limit, plan.channels) == (("passage", "frame", "fact"), 10, CHANNELS)
        assert (plan.fusion, plan.min_score) == ("linear", None)

    def test_one_name_is_a_list_of_one(self):
        plan = Plan(kinds="frame", channels="sparse")  # pyright: ignore[reportArgumentType]
        assert (plan.kinds, plan.channels) == (("frame",), ("sparse",))
        assert Plan(kinds=["fact"]).kinds == ("fact",)  # pyright: ignore[reportArgumentType]

    @pytest.mark.parametrize(
        "wrong",
        [
            {"limit": 0}, {"limit": -1}, {"limit": MAX_LIMIT + 1}, {"rrf_k": 0}, {"fusion": "magic"},
            {"kinds": ()}, {"kinds": ""}, {"kinds": ("passages",)}, {"channels": ()}, {"channels": ("smell",)},
            {"session": ""}, {"speaker": ""}, {"speaker": " \0"}, {"session": 5}, {"speaker": b"Ann"},
            {"limit": 2.5}, {"limit": True}, {"limit": "5"}, {"limit": None}, {"limit": math.inf},
            {"rrf_k": True}, {"rrf_k": math.nan}, {"rrf_k": 60.0},
            {"min_score": math.nan}, {"min_score": "x"}, {"min_score": True}, {"min_score": 1.5},
            {"min_relevance": "x"}, {"min_relevance": math.inf}, {"min_relevance": -0.1}, {"min_relevance": math.nan},
            {"during": "2024"}, {"during": NOON}, {"kinds": 5}, {"kinds": None}, {"channels": 5},
        ],
        ids=str,
    )  # fmt: skip
    def test_refuses(self, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput, match=rf"\A{next(iter(wrong))} .+\Z"):
            Plan(**wrong)

    def test_says_what_a_number_has_to_be(self):
        with pytest.raises(InvalidInput, match=r"\Alimit is a whole number, not 2\.5\Z"):
            Plan(limit=2.5)  # pyright: ignore[reportArgumentType]
        with pytest.raises(InvalidInput, match=r"\Alimit is 1 to 1000, not 0\Z"):
            Plan(limit=0)
        with pytest.raises(InvalidInput, match=r"\Amin_score is a finite number, not nan\Z"):
            Plan(min_score=math.nan)

    def test_bounds_may_be_whole_numbers(self):
        plan = Plan(min_score=0, min_relevance=1, during=Interval.at(NOON))
        assert (plan.min_score, plan.min_relevance) == (0, 1)

    @pytest.mark.parametrize("speaker", ["José", " Jose\u0301\n", "Jose\0\u0301"])
    def test_a_speaker_is_asked_for_as_it_is_stored(self, speaker: str):
        assert Plan(speaker=speaker).speaker == "José"

    def test_a_session_keeps_its_white_space(self):
        assert Plan(session=" Jose\u0301 ").session == " José "

    def test_takes_the_largest_limit(self):
        assert Plan(limit=MAX_LIMIT).limit == MAX_LIMIT


class TestSettings:
    @pytest.mark.parametrize(
        "wrong",
        [{"secrets": "hide"}, {"window": 0}, {"batch": 0}, {"attempts": 0}, {"hot_bytes": -1}, {"idle": -1},
         {"backoff": -0.1}, {"lease": -1}, {"drain": -1}, {"busy": -1},
         {"window": True}, {"batch": 2.5}, {"attempts": "5"}, {"attempts": math.inf}, {"hot_bytes": math.inf},
         {"hot_bytes": 0.5}, {"idle": math.nan}, {"idle": -math.inf}, {"backoff": math.inf}, {"lease": True},
         {"lease": math.inf}, {"busy": math.inf}, {"busy": None}, {"drain": math.nan}, {"drain": -math.inf},
         {"window": 10**400}, {"hot_bytes": 2**63}, {"hot_bytes": 10**5000}, {"idle": 10**400}, {"backoff": 1e10},
         {"lease": 1e300}, {"drain": 10**5000}, {"busy": 1e9}],
        ids=" ".join,
    )  # fmt: skip
    def test_refuses(self, wrong: dict[str, Any]):
        with pytest.raises(InvalidInput, match=next(iter(wrong))):
            Settings(**wrong)

    def test_zero_turns_off(self):
        assert Settings(hot_bytes=0, idle=0, backoff=0, drain=0, busy=0).hot_bytes == 0

    def test_closing_may_wait_for_all_work(self):
        assert Settings(drain=math.inf).drain == math.inf

    def test_a_quiet_session_may_wait_to_be_asked_for(self):
        assert Settings(idle=math.inf).idle == math.inf


def test_bytes_per_message():
    stats = Stats(
        scopes=1, records={"passage": 4}, sessions=1, pending={}, failed=0, bytes={"records": 30, "edges": 10}
    )
    assert stats.bytes_per_message == 10
    assert dataclasses.replace(stats, records={}).bytes_per_message == 0
