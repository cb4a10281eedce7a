from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InvalidInput
from fabula.question import Question, named, read, window

AT = datetime(2025, 3, 5, 10, tzinfo=UTC)

ASKS = {
    "When did Mara move to Porto?": "when",
    "What date is the wedding?": "when",
    "How long ago did they meet?": "when",
    "How long has Mara lived in Porto?": "how_long",
    "How many years has she worked there?": "how_long",
    "How many dogs does Jun have?": "how_many",
    "How often do they meet?": "how_many",
    "Who moved to Porto?": "who",
    "Where does Jun work?": "where",
    "Which city did they visit?": "where",
    "Why did Jun leave?": "why",
    "What does Mara grow?": "",
    "Mara's whenever": "",
    "Do you know when she moved?": "when",
    "Who helped Jun when he was ill?": "who",
    "What did Jun say when they met?": "",
    "小李什么时候搬家的？": "when",
    "她哪天生日？": "when",
    "他多久前辞的职？": "when",
    "她在那里工作多久了？": "how_long",
    "他有几只猫？": "how_many",
    "她在里斯本待了几天？": "how_long",
    "他们在波尔图住了几年？": "how_long",
    "离高考还有几天？": "how_long",
    "她几时来的？": "when",
    "他多久去一次健身房？": "how_many",
    "她几号搬的家？": "when",
    "谁对花生过敏？": "who",
    "他们在哪里见面？": "where",
    "她为什么离开？": "why",
    "她喜欢喝什么？": "",
}
ORDER = {
    "What is Mara's latest job?": "latest",
    "Where does Jun live now?": "latest",
    "Does she still play the cello?": "latest",
    "When did I last see Tom?": "latest",
    "What did she do first thing this morning?": "",
    "她最后一次去上海是哪天？": "latest",
    "最近的一次体检是什么时候？": "latest",
    "头一回见面是在哪里？": "first",
    "What was their first trip?": "first",
    "What does Mara grow?": "",
    "她目前在哪家公司？": "latest",
    "他们最近一次见面在哪儿？": "latest",
    "她第一次去北京是哪年？": "first",
    "Mara knows nobody there": "",
}


@pytest.mark.parametrize(("text", "asks"), ASKS.items())
def test_what_it_asks_for(text: str, asks: str):
    assert read(text, AT).asks == asks


@pytest.mark.parametrize(("text", "want"), ORDER.items())
def test_which_of_several(text: str, want: str):
    found = read(text, AT)
    assert found.order == want


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("Where does Mara live?", True), ("Where is Jun living now?", True), ("Mara's home", True),
        ("她住在哪里？", True), ("她在哪家公司上班？", True), ("小明搬到哪里了？", True),
        ("Where did Mara live?", False), ("Where has she worked?", False), ("What was her old job?", False),
        ("Where did she live in 2021?", False), ("How long has she lived there?", False), ("Her first job?", False),
        ("她以前住在哪里？", False), ("她住过哪些城市？", False), ("她曾在哪里上班？", False),
        ("2021年她住哪儿？", False), ("Who worked at Acme?", False), ("Which company hired Ann?", False),
        ("Where has Ann's brother lived?", False), ("What has she taught?", False), ("Who is her ex-husband?", False),
        ("Where'd she live?", False), ("Her last employer?", False), ("搬家前她住哪里？", False),
        ("她的前公司？", False), ("她小时候住哪？", False), ("她住了哪些城市？", False), ("Who owns the kayak?", True),
        ("Who's her boss?", True),
        ("她家门前面有什么？", True), ("目前住哪？", True),
        ("Where does she still work, as before?", True),
    ],
)  # fmt: skip
def test_what_holds_is_preferred_unless_the_past_is_asked_for(text: str, current: bool):
    assert read(text, AT).current is current


@pytest.mark.parametrize(
    ("text", "ahead"),
    [
        ("When will Mara move?", True),
        ("When is Jun going to Porto?", True),
        ("When did Mara plan to leave?", True),
        ("When did Mara move?", False),
        ("她打算哪天搬家？", True),
        ("他什么时候会来？", True),
        ("她是什么时候搬家的？", False),
    ],
)
def test_whether_it_is_about_what_is_to_come(text: str, ahead: bool):
    assert read(text, AT).ahead is ahead


@pytest.mark.parametrize("text", ["What did Mara paint recently?", "Will they meet soon?", "她最近画了什么？"])
def test_what_was_recently_names_no_time(text: str):
    assert read(text, AT).windows == ()


def test_the_times_it_names():
    (window,) = read("What did Mara do last week?", AT).windows
    assert (window.start, window.end) == (datetime(2025, 2, 24, tzinfo=UTC), datetime(2025, 3, 3, tzinfo=UTC))


def test_an_open_window():
    (window,) = read("2018年之前他住在哪儿？", AT).windows
    assert (window.start, window.end) == (None, datetime(2018, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    "text", ["Where does Jun live now?", "How long are three weeks?", "What happens every Monday?"]
)
def test_the_present_a_length_and_what_comes_again_are_no_windows(text: str):
    assert read(text, AT).windows == ()


def test_whom_it_names():
    speakers = ["Jun", "Mara", "user", "李雷"]
    assert named("What did Mara tell the user?", speakers) == ["Mara"]
    assert named("June is warm", speakers) == []
    assert named("李雷和韩梅梅", speakers) == ["李雷"]


@given(st.text())
def test_any_text_can_be_asked(text: str):
    assert isinstance(read(text, AT, ["a", "b"]), Question)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-03", "2026-03-01", "2026-04-01"),
        ("last month", "2025-02-01", "2025-03-01"),
        ("from 1 to 5 May 2024", "2024-05-01", "2024-05-06"),
        ("2026-03-01 to 2026-03-31", "2026-03-01", "2026-04-01"),
        ("上个月", "2025-02-01", "2025-03-01"),
    ],
)
def test_a_window_in_words_has_its_last_day(text: str, start: str, end: str):
    found = window(text, AT)
    assert (found.start, found.end) == (
        datetime.fromisoformat(f"{start}T00:00Z"),
        datetime.fromisoformat(f"{end}T00:00Z"),
    )


@pytest.mark.parametrize("text", ["", "tea", "three days", "2025-05-02 2024-01-01", "2025-02-30"])
def test_a_window_is_one_time(text: str):
    with pytest.raises(InvalidInput):
        window(text, AT)
