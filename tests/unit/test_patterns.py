"""What recurs is counted, and a handful of things, roles or what is never inferred gives nothing."""

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula import Emotion
from fabula.inferences import CATEGORIES
from fabula.patterns import DATED, DAYS, LEADING, LEAST, MOODS, Language, Moment, Pattern, patterns

START = datetime(2024, 3, 4, 9, tzinfo=UTC)  # a Monday
EAST = timezone(timedelta(hours=8))


def moments(count: int, text: str = "x", *, days: float = 3, **more: Any) -> list[Moment]:
    return [Moment(id=f"{text} {n}", text=text, time=START + timedelta(days=days * n), **more) for n in range(count)]


def told(found: list[Pattern], subject: str) -> Pattern | None:
    return next((one for one in found if one.subject == subject), None)


@pytest.mark.parametrize(("count", "days", "enough"), [(LEAST, 1, True), (LEAST - 1, 1, False), (20, 0.05, False)])
def test_it_takes_some_times_on_some_days(count: int, days: float, enough: bool):
    found = patterns(moments(count, "I went swimming", days=days), "en")
    assert (told(found, "activity/swimming") is not None) == enough
    assert DAYS > 1


def test_who_has_a_part_in_everything_is_no_pattern():
    found = patterns(moments(8, people=("Nora", "Bob")), "en")
    assert told(found, "person/bob") is None
    talk = [*moments(8, people=("Leonora",)), *moments(6, "y", people=("Leonora", "Leo", "Bob"))]
    found = patterns(talk, "en")
    assert told(found, "person/leonora") is None
    assert told(found, "person/leo") is None
    bob = told(found, "person/bob")
    assert bob is not None
    assert (bob.count, bob.of, bob.category) == (6, 14, "relationship")
    assert bob.text == "Counted: Bob has a part in 6 of 14 things that were remembered, from 2024-03-04 to 2024-03-19."


@pytest.mark.parametrize(
    ("text", "name", "counted"),
    [
        ("和张伟吃饭", "张伟", True), ("谢谢你的帮助", "谢谢", False), ("明白了", "明白", False),
        ("lunch with Bob", "Bob", True), ("Remember to call", "Remember", False),
    ],
)  # fmt: skip
def test_a_name_that_rules_guessed_stands_where_a_name_does(text: str, name: str, counted: bool):
    talk = [*moments(6, text, people=("Nora", name), guessed=True), *moments(6, "y")]
    assert (told(patterns(talk, "en"), f"person/{name.lower()}") is not None) == counted
    spoke = [*moments(6, "x", people=(name,), speakers=(name,), guessed=True), *moments(6, "y")]
    assert told(patterns(spoke, "en"), f"person/{name.lower()}") is not None


@pytest.mark.parametrize(
    ("text", "name", "counted"),
    [("昨天去杭州", "杭州", True), ("买了点东西", "东西", False), ("back in Porto", "Porto", True)],
)
def test_so_does_a_place(text: str, name: str, counted: bool):
    found = patterns(moments(6, text, places=(name,), guessed=True), "en")
    assert (told(found, f"place/{name.lower()}") is not None) == counted


def test_only_those_that_lead_are_told():
    talk = [one for n in range(20) for one in moments(LEAST + n, f"{n}", places=(f"Place {n}x",))]
    found = [one for one in patterns(talk, "en") if one.subject.startswith("place/")]
    assert [one.count for one in found] == list(range(LEAST + 19, LEAST + 19 - LEADING, -1))


def test_one_name_is_one_however_it_is_written():
    talk = [*moments(3, "a", people=("BOB",)), *moments(3, "b", people=("Bob", "bob")), *moments(9)]
    bob = told(patterns(talk, "en"), "person/bob")
    assert bob is not None
    assert (bob.count, len(set(bob.ids))) == (6, 6)


@pytest.mark.parametrize("name", ["user", "assistant", "用户", "she", "他", "my mother", "a Muslim", "抑郁症"])
def test_nobody_and_what_is_never_inferred_is_not_counted(name: str):
    assert patterns([*moments(6, people=(name,)), *moments(6, "y")], "en") == []


@pytest.mark.parametrize("place", ["St. Mary's Church", "General Hospital", "清真寺", "协和医院", "the clinic"])
def test_places_that_tell_of_beliefs_or_health_are_not_counted(place: str):
    assert patterns(moments(6, places=(place,)), "en") == []
    assert patterns(moments(6, places=("Porto",)), "en")


@pytest.mark.parametrize(
    "text", ["I'm running late", "we ran out of milk", "the gymnasium", "he is running the team", "campus"]
)
def test_words_that_only_look_like_a_pastime(text: str):
    assert patterns(moments(6, text), "en") == []


@pytest.mark.parametrize(("text", "said"), [("昨天去爬山了", "徒步"), ("晚上去跑步", "跑步"), ("和朋友打篮球", "篮球")])
def test_pastimes_in_chinese(text: str, said: str):
    (found,) = patterns(moments(5, text), "zh")
    assert found.text == f"据统计，记下的5件事中，有5次说到{said}（2024-03-04至2024-03-16）。"


def test_a_weekday_and_an_hour_by_the_clock_of_who_speaks():
    found = patterns(moments(DATED, days=7), "en")
    assert [one.subject for one in found] == ["weekday/0", "hours/1"]
    assert "on a Monday" in found[0].text
    late = [Moment(id=str(n), text="x", time=datetime(2024, 3, n + 1, 20, tzinfo=EAST)) for n in range(DATED)]
    (found,) = patterns(late, "zh")
    assert "晚上" in found.text
    assert patterns(moments(DATED - 1, days=7), "en") == []


def test_night_is_one_on_both_sides_of_midnight():
    late = [Moment(id=str(n), text="x", time=datetime(2024, 3, n + 1, (23, 2)[n % 2], tzinfo=UTC)) for n in range(10)]
    (found,) = patterns(late, "en")
    assert (found.subject, found.count) == ("hours/0", 10)
    assert "at night" in found.text


def felt(*valences: float) -> list[Moment]:
    at = [START + timedelta(days=n, hours=(n * 7) % 14) for n in range(len(valences))]
    return [
        Moment(id=str(n), text="x", time=at[n], emotion=Emotion(valence=v, arousal=0.5)) for n, v in enumerate(valences)
    ]


def test_a_mood_that_rises_or_falls():
    (found,) = [one for one in patterns(felt(*[-0.6] * 6, *[0.4] * 6), "en") if one.category == "emotion_trend"]
    assert "rose from -0.60 in the earlier half to +0.40" in found.text
    (found,) = [one for one in patterns(felt(*[0.6] * 6, *[-0.4] * 6), "zh") if one.category == "emotion_trend"]
    assert "从前半段的+0.60下降到后半段的-0.40" in found.text


@pytest.mark.parametrize("valences", [[-0.6] * 4 + [0.4] * 5, [0.1] * 6 + [0.2] * 6, [-1, 1] * 5 + [1, 1]])
def test_a_mood_that_says_nothing(valences: list[float]):
    assert not [one for one in patterns(felt(*valences), "en") if one.category == "emotion_trend"]
    assert MOODS == 10


NAMES = st.sampled_from(["Bob", "Ann", "user", "小王", "Porto", ""])
MOMENT = st.builds(
    Moment,
    id=st.uuids().map(str),
    text=st.sampled_from(["swimming", "x", "跑步", "", "I had tea with Ann"]),
    time=st.datetimes(datetime(2024, 1, 1), datetime(2024, 3, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    people=st.lists(NAMES, max_size=3).map(tuple),
    places=st.lists(NAMES, max_size=1).map(tuple),
    emotion=st.none() | st.builds(Emotion, valence=st.floats(-1, 1), arousal=st.floats(0, 1)),
)


@given(st.lists(MOMENT, max_size=40), st.sampled_from(["en", "zh"]), st.randoms())
def test_what_is_said_is_so_whatever_the_order(talk: list[Moment], language: Language, random: Any):
    found = patterns(talk, language)
    assert len({(one.category, one.subject) for one in found}) == len(found)
    for one in found:
        assert one.category in CATEGORIES
        assert len(set(one.ids)) == len(one.ids)
        assert set(one.ids) <= {moment.id for moment in talk}
        assert LEAST <= one.count <= min(one.of, len(one.ids))
        assert {str(one.count), str(one.of)} <= set(re.findall(r"\d+", one.text)) or one.category == "emotion_trend"
        assert all(str(when.date()) in one.text for when in (one.since, one.until))
    again = list(talk)
    random.shuffle(again)
    counts = {one.subject: (one.count, one.of, frozenset(one.ids)) for one in found if one.category != "emotion_trend"}
    assert counts == {
        one.subject: (one.count, one.of, frozenset(one.ids))
        for one in patterns(again, language)
        if one.category != "emotion_trend"
    }
