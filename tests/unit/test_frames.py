"""Two frames as one: nothing that either says is lost, and nothing that differs is made the same."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula import Emotion, Event, Frame, Interval
from fabula.frames import CONTESTED, LONGEST, MOST, added, groups, hull, kindred, people, soon, united

DAY = datetime(2024, 3, 9, tzinfo=UTC)


def frame(record_id: str, text: str = "Nora sails", *events: Event, **more: Any) -> Frame:
    given: dict[str, Any] = {"scope": "u", "sources": (f"p{record_id}",), **more}
    return Frame(id=record_id, text=text, events=events, **given)


def day(number: int, length: int = 1) -> Interval:
    start = DAY + timedelta(days=number)
    return Interval(start=start, end=start + timedelta(days=length), precision="day")


def whole(first: Frame, second: Frame, summary: str = "") -> Frame:
    made = united(first, second, summary)
    assert made is not None
    return made


class TestWords:
    @pytest.mark.parametrize(
        ("one", "other", "both"),
        [
            ("Nora sails.", "Nora sails.", "Nora sails."),
            ("Nora sails", "nora sails.", "nora sails."),
            ("Nora sails on Sundays. It rains.", "It rains! Ivo rows.", "Nora sails on Sundays. It rains. Ivo rows."),
            ("It is 3.5 euros at Bo's.", "Ivo pays 2.50 euros.", "It is 3.5 euros at Bo's. Ivo pays 2.50 euros."),
            ("小雨买了船。她付了三千元。", "小雨买了船。朋友来了", "小雨买了船。她付了三千元。朋友来了"),
            ("小雨买了船", "她付了钱。朋友来了；", "她付了钱。朋友来了；小雨买了船"),
            ("It rains; Ivo rows.", "Ivo rows;", "It rains; Ivo rows."),
            ('Ivo said: "no."', "He left.", 'Ivo said: "no." He left.'),
            ("Nora does not sail any more", "Nora sails", "Nora does not sail any more; Nora sails"),
        ],
    )  # fmt: skip
    def test_the_longer_text_and_what_the_other_adds(self, one: str, other: str, both: str):
        assert added(one, other) == both
        assert whole(frame("a", one), frame("b", other)).text == both

    @given(
        st.lists(st.sampled_from(["Ann came.", "Bo left!", "他走了。", "It is 3.5 m", "No."]), max_size=5),
        st.lists(st.sampled_from(["Ann came.", "Bo left!", "她来了。", "Not."]), min_size=1, max_size=5),
    )
    def test_no_sentence_is_lost(self, one: list[str], other: list[str]):
        text = added(" ".join(one), " ".join(other))
        assert all(sentence in text for sentence in (*one, *other))

    def test_a_given_summary_stands_for_both(self):
        assert whole(frame("a", "Nora sails"), frame("b", "Ivo rows"), "Both are at sea").text == "Both are at sea"
        assert (
            whole(frame("a", "Nora sails"), frame("b", "Ivo rows"), "x" * (LONGEST + 1)).text == "Nora sails; Ivo rows"
        )

    def test_what_would_be_too_much_stays_two(self):
        assert united(frame("a", "x" * LONGEST), frame("b", "y")) is None
        assert united(frame("a", "x" * (LONGEST - 3)), frame("b", "y")) is not None
        many = tuple(f"p{n}" for n in range(MOST))
        assert united(frame("a", sources=many), frame("b")) is None
        assert united(frame("a", sources=many[1:]), frame("b")) is not None


class TestRecord:
    def test_is_the_earlier_one_with_what_both_have(self):
        first = frame(
            "a", "Nora sails", importance=0.3, emotion=Emotion(valence=1, arousal=0.2), session="s",
            links={"names": ("nora",), "fused": ("a", "z")}, valid=day(0), meta={"x": 1}, sources=("p1", "p2"),
        )  # fmt: skip
        second = frame(
            "b", "Nora sails", importance=0.8, emotion=Emotion(valence=-1, arousal=0.9), session="t",
            links={"names": ("ivo", "nora"), "causes": ("c",), "fused": ("b", "y")}, valid=day(2),
            meta={CONTESTED: ["f"]}, sources=("p2", "p3"),
        )  # fmt: skip
        made = whole(first, second)
        assert (made.id, made.session, made.scope) == ("a", "s", "u")
        assert made.sources == ("p1", "p2", "p3")
        assert made.links == {"names": ("nora", "ivo"), "causes": ("c",), "fused": ("a", "z", "b", "y")}
        assert (made.importance, made.emotion) == (0.8, second.emotion)
        assert made.meta == {"x": 1, CONTESTED: ["f"]}
        assert made.valid == Interval(start=DAY, end=DAY + timedelta(days=3), precision="range")

    @pytest.mark.parametrize(
        ("one", "other", "both"),
        [
            (None, day(0), day(0)),
            (day(0), None, day(0)),
            (None, None, None),
            (day(0), day(0), day(0)),
            (day(0, 9), day(3), day(0, 9)),
            (day(3), day(0, 9), day(0, 9)),
            (Interval(start=DAY, precision="day"), day(1), Interval(start=DAY, precision="day")),
            (Interval(start=DAY), day(-1), Interval(start=DAY - timedelta(days=1), precision="range")),
            (Interval(end=DAY), day(-1), Interval(end=DAY)),
        ],
    )
    def test_the_hull(self, one: Interval | None, other: Interval | None, both: Interval | None):
        assert hull(one, other) == both


class TestEvents:
    def test_the_emptier_roles_are_filled(self):
        first = Event(participants=("Nora",), action="bought a boat", location="Porto")
        second = Event(participants=("nora", "Ivo"), action="Bought a boat.", time=day(0), manner="in cash")
        made = whole(frame("a", "x", first), frame("b", "x", second))
        assert made.events == (
            Event(
                participants=("Nora", "Ivo"), action="bought a boat", location="Porto", time=day(0), manner="in cash"
            ),
        )

    @pytest.mark.parametrize(
        "other",
        [
            Event(participants=("Nora",), action="sold a boat"),
            Event(participants=("Nora",), action="did not buy a boat"),
            Event(participants=("Ivo",), action="bought a boat"),
            Event(participants=("Nora",), action="bought a boat", location="Faro"),
            Event(participants=("Nora",), action="bought a boat", time=day(1)),
            Event(participants=("Nora",)),
        ],
    )
    def test_what_differs_stays_apart(self, other: Event):
        one = Event(participants=("Nora",), action="bought a boat", location="Porto", time=day(0))
        assert whole(frame("a", "x", one), frame("b", "x", other)).events == (one, other)
        assert whole(frame("a", "x", other), frame("b", "x", one)).events == (other, one)


class TestKin:
    @pytest.mark.parametrize(
        ("one", "other", "kin"),
        [
            (Event(participants=("Nora",)), Event(participants=("nora", "Ivo")), True),
            (Event(participants=("Nora",)), Event(participants=("Ivo",)), False),
            (Event(participants=("user", "assistant")), Event(participants=("user",)), True),
            (Event(participants=("Nora", "assistant")), Event(participants=("Ivo", "assistant")), False),
            (Event(participants=("小雨", "助手")), Event(participants=("李雷", "助手")), False),
            (Event(participants=("Nora",), time=day(0)), Event(participants=("Ivo",), time=day(0)), True),
            (Event(participants=("Nora",), time=day(0)), Event(participants=("Ivo",), time=day(1)), False),
            (Event(time=Interval.at(DAY)), Event(time=Interval.at(DAY)), False),
            (Event(), Event(), False),
        ],
    )
    def test_who_and_when(self, one: Event, other: Event, kin: bool):
        assert kindred(frame("a", "x", one), frame("b", "x", other)) is kin
        assert kindred(frame("b", "x", other), frame("a", "x", one)) is kin

    def test_by_entity(self):
        assert people(frame("a", links={"names": ("e1",)})) == {"e1"}
        assert kindred(frame("a", links={"names": ("e1",)}), frame("b", links={"names": ("e2", "e1")}))

    @pytest.mark.parametrize(
        ("one", "other", "near"),
        [
            (day(0), day(0), True),
            (day(0), day(2), True),
            (day(0), day(3), False),
            (day(0, 9), day(3), False),
            (day(0, 9), day(0, 9), True),
            (None, day(0), False),
            (None, None, False),
            (Interval(start=DAY), day(0), False),
            (Interval(start=DAY), Interval(start=DAY), True),
            (Interval.at(DAY), Interval.at(DAY + timedelta(days=3)), True),
            (Interval.at(DAY), Interval.at(DAY + timedelta(days=3, seconds=1)), False),
        ],
    )
    def test_soon(self, one: Interval | None, other: Interval | None, near: bool):
        assert soon(frame("a", valid=one), frame("b", valid=other)) is near
        assert soon(frame("b", valid=other), frame("a", valid=one)) is near


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef"))))
def test_groups_hang_together_by_their_pairs(pairs: list[tuple[str, str]]):
    found = groups(pairs)
    assert sorted(name for group in found for name in group) == sorted({name for pair in pairs for name in pair})
    assert all(any({one, other} <= group for group in found) for one, other in pairs)
    for group in found:  # none falls into two that no pair ties
        reached = {min(group)}
        for _ in group:
            reached |= {name for pair in pairs if reached & set(pair) for name in pair}
        assert reached == group
