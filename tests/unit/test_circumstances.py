"""What is asked about somebody's circumstances, and what tells that they have changed; by words alone."""

import pytest

from fabula import circumstances


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where do I work?", ("job",)),
        ("What do I do for a living these days?", ("job",)),
        ("Which city do I live in?", ("home",)),
        ("What is my address?", ("home",)),
        ("Which university do I go to?", ("school",)),
        ("Who is my girlfriend?", ("partner",)),
        ("我在哪里上班？", ("job",)),
        ("我是做什么工作的？", ("job",)),
        ("我家在哪？", ("home",)),
        ("我在哪所大学读书？", ("school",)),
        ("我女朋友叫什么名字？", ("partner",)),
        ("What was my first job?", ()),
        ("我第一份工作是什么？", ()),
        ("What did we have for lunch?", ()),
        ("How was the film?", ()),
        ("What do I love?", ()),
        ("我中午吃了什么？", ()),
        ("我的狗叫什么？", ()),
        ("", ()),
    ],
)
def test_what_is_asked(question: str, names: tuple[str, ...]):
    assert circumstances.asked(question).names == names


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I work?", "I quit Siemens last week. I start at Spotify on Monday"),
        ("Where do I work?", "Handed in my notice, on Monday I join a bank"),
        ("Where do I live?", "We moved to Stockholm"),
        ("Where do I live?", "Finally unpacked the last box in the new flat"),
        ("Where do I study?", "I got into the polytechnic in Vienna"),
        ("Who is my partner?", "Anna and I broke up, I'm seeing Julia now"),
        ("我在哪工作？", "跳槽去了腾讯"),
        ("我住在哪里？", "上周刚搬到上海"),
        ("我在哪上学？", "我转学到了浙江大学"),
        ("我女朋友是谁？", "我和小丽分手了，现在和小雯在一起"),
    ],
)
def test_what_tells_of_it(question: str, text: str):
    assert circumstances.asked(question).told(text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Where do I work?", "The heating does not work"),
        ("Where do I work?", "I am working on a puzzle"),
        ("Where do I work?", "I left the office late yesterday"),
        ("Where do I work?", "She joined a bank in May"),
        ("Where do I work?", "My brother started at Spotify last week"),
        ("Where do I work?", "Tom quit his job, I heard"),
        ("Where do I work?", "I hired a new cleaner"),
        ("Where do I work?", "今天开会开了三个小时"),
        ("Where does Anna work?", "I start at Spotify on Monday"),
        ("我在哪工作？", "我朋友小李跳槽去了腾讯"),
        ("我住在哪里？", "我姐姐搬到上海了"),
        ("Where do I live?", "I moved the sofa closer"),
        ("Where do I live?", "Paul moved to Ghent"),
        ("Who is my girlfriend?", "They broke up in spring"),
        ("我在哪工作？", "暖气坏了"),
        ("我在哪工作？", "姐姐跳槽去了银行"),
        ("我住在哪里？", "他搬到了苏州"),
        ("我女朋友是谁？", "弟弟分手了"),
    ],
)
def test_what_tells_of_something_or_somebody_else(question: str, text: str):
    assert not circumstances.asked(question).told(text)


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("What phone do I have?", "I switched to a Pixel", True),
        ("What car do I drive?", "Sold the Volvo, bought a Tesla", True),
        ("我用什么手机？", "上周五换成了小米", True),
        ("我们老师是谁？", "张老师退休了，陈老师接替了他", True),
        ("What phone do I have?", "My phone fell into the sea", False),
        ("What car do I drive?", "He sold the Volvo", False),
        ("我用什么手机？", "我的手机没电", False),
        ("我用什么手机？", "妹妹换成了小米", False),
        ("Who runs the shop in Porto?", "Ann took over in Porto", True),
        ("Who runs the shop in Porto?", "Ann took over from Ben", False),
    ],
)
def test_what_takes_the_place_of_another(question: str, text: str, told: bool):
    assert circumstances.asked(question).turned(text) is told


def test_only_the_beginning_of_a_long_text_is_read():
    asked = circumstances.asked("Where do I work?")
    text = "I joined a bank. " + "x" * circumstances.READ
    assert asked.told(text)
    assert not asked.told("x" * circumstances.READ + text)
