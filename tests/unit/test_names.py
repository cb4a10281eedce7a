"""When two names are one, what predicates mean for each other, and which wordings say the same."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.names import (
    could_be,
    entity_id,
    head,
    heads,
    is_name,
    normal,
    parted,
    same_type,
    short_for,
    spans_of_names,
)  # fmt: skip
from fabula.relations import contradicts, ending, identifying, lasting, passing, relation, single, wording
from fabula.timeline import (
    OTHERWISE,
    SUPERSEDED_BY,
    Dated,
    Thread,
    ended,
    ends,
    in_order,
    joined,
    reopened,
    says_the_same,
    settled,
    told,
)
from fabula.types import Fact, Interval


class TestNormal:
    @pytest.mark.parametrize(
        "names",
        [
            ("小米", "小米\u200b", "“小米”", "（小米）"),
            ("ＸＩＡＯＭＩ", "Xiaomi", "xiaomi,"),
            ("스코프랩스", "스코프 랩스"),
            ("İstanbul", "istanbul"),
            ("The Beatles", "Beatles", "the Beatles", "the  beatles.", "the “Beatles”", "“the Beatles”"),
            ("Nora", "nora!", "@Nora", "Nora 🎈", "…Nora"),
            ("O’Neil", "O'Neil"),
            ("dog", "a dog", "my dog"),
        ],
        ids=lambda names: names[0],
    )
    def test_one(self, names: tuple[str, ...]):
        assert len({normal(name) for name in names}) == 1
        assert len({entity_id(name) for name in names}) == 1

    @pytest.mark.parametrize(
        "names",
        [
            ("Model X1", "Model X2"),
            ("Flat 12", "Flat 21"),
            ("김민수", "김민석"),
            ("C", "C++", "C#"),
            ("NET", ".NET"),
            ("5", "-5", "5%", "#5", "$5", "€5", "5°"),
            ("Nguyen", "An Nguyen"),
            ("Romance", "My Romance"),
            ("हिन्दी", "हिन्द"),
            ("小米", "小米13"),
        ],
        ids=lambda names: names[0],
    )
    def test_several(self, names: tuple[str, ...]):
        assert len({normal(name) for name in names}) == len(names)

    @given(st.text(min_size=1))
    def test_is_empty_for_no_name(self, name: str):
        assert normal(name)
        assert not is_name(name) or normal(name).strip()

    @pytest.mark.parametrize("word", ["", " ", "\u200b", "I", "她", "mother", "Her mother", "my Mother", "[REDACTED]"])
    def test_what_is_no_name(self, word: str):
        assert not is_name(word)

    @pytest.mark.parametrize("word", ["Nora", "!!!", "妈妈桑", "Mother Teresa", "5"])
    def test_what_is_one(self, word: str):
        assert is_name(word)


class TestShort:
    @pytest.mark.parametrize(
        ("short", "whole", "person"),
        [
            ("Anna", "Anna Miller", True),
            ("miller", "Anna Miller", True),
            ("Kite", "Kite Ltd", False),
            ("Kite", "Kite Holding Inc.", False),
            ("小米", "小米科技", False),
            ("小米", "小米公司", False),
        ],
    )
    def test_is(self, short: str, whole: str, person: bool):
        assert short_for(short, whole, person=person)
        assert not short_for(whole, short, person=person)
        assert head(short) in heads(whole)

    @pytest.mark.parametrize(
        ("short", "whole", "person"),
        [
            ("Anna", "Anna Miller", False),
            ("Ann", "Anna Miller", True),
            ("Kite", "Kite Runner", False),
            ("Model", "Model X1", False),
            ("X1", "Model X1", True),
            ("小", "小米", False),
            ("小米", "小米粥", False),
            ("王建国", "王建军", True),
            ("Nora", "Nora", True),
        ],
    )
    def test_is_not(self, short: str, whole: str, person: bool):
        assert not short_for(short, whole, person=person)

    def test_types(self):
        assert same_type("Person", "人物")
        assert same_type("", "Drug")
        assert same_type("drug", "Drug")
        assert not same_type("Person", "Organization")


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("Nora Vale", "N. V.", True),
        ("Nora Vale", "Vale", True),
        ("Ann", "Annie P.", True),
        ("Mr. Berg", "Karl Berg", True),
        ("Dr. Nora Vale", "Nora R. Vale", True),
        ("Kite Ltd", "Kite Holding Inc.", True),
        ("王总", "王建国", True),
        ("老王", "王经理", True),
        ("欧阳老师", "欧阳修", True),
        ("建国", "王建国", True),
        ("小米科技", "小米", True),
        ("张伟", "Zhang Wei", True),
        ("王芳", "Grace Wang", True),
        ("欧阳修", "Ouyang Xiu", True),
        ("小米科技", "Xiaomi", True),
        ("王芳", "Ван Фан", True),
        ("王芳", "John Smith", False),
        ("王芳", "Fang", False),
        ("Karl Berg", "欧阳修", False),
        ("Nora Vale", "Karl Berg", False),
        ("Nora Berg", "Karl Berg", False),
        ("Mr Berg", "Mrs Berg", False),
        ("Nora", "Karl", False),
        ("Maria", "Mark", False),
        ("Bo", "Bob", False),
        ("Kite Ltd", "Moss Ltd", False),
        ("Kite 1", "Kite 12", False),
        ("王建国", "李芳", False),
        ("王建国", "王建军", False),
        ("王先生", "王女士", False),
        ("老王", "老李", False),
        ("김민수", "김민석", False),
        ("12345", "Nora", False),
    ],
)
def test_names_that_could_be_of_one(one: str, other: str, may: bool):
    assert could_be(one, other, person=True) is could_be(other, one, person=True) is may


@pytest.mark.parametrize(("one", "other"), [("高通", "Qualcomm"), ("万科", "Vanke"), ("马自达", "Mazda")])
def test_a_firm_has_no_surname(one: str, other: str):
    assert could_be(one, other, person=False)
    assert not could_be(one, other, person=True)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("小米 (Xiaomi)", ("小米", "Xiaomi")),
        ("张伟（Zhang Wei）", ("张伟", "Zhang Wei")),
        ("Xiaomi, also called 小米", ("Xiaomi", "小米")),
        ("Nora Vale (aka Canary)", ("Nora Vale", "Canary")),
        ("北京大学，简称北大", ("北京大学", "北大")),
        ("Georgia (country)", ()),
        ("小米（手机）", ()),
        ("Nora (妈妈)", ()),
        ("Kaka Lopez", ()),
        ("英文名", ()),
        ("f(x) (y) z", ()),
        ("", ()),
    ],
)
def test_a_name_that_tells_another(name: str, parts: tuple[str, ...]):
    assert parted(name) == (parts or (name,))


def test_names_in_a_question():
    found = spans_of_names("Does Anna Miller's cat code in C++? 老王呢")
    assert {"anna miller", "anna", "c++", "老王"} <= set(found)
    assert "i" not in spans_of_names("I do")


class TestPredicates:
    @pytest.mark.parametrize(
        ("predicate", "about", "one"),
        [
            ("Lives In", "home", True),
            ("暂时居住于", "home", True),
            ("就职于", "employer", True),
            ("passport number", "passport", False),
            ("身份证号", "id number", False),
            ("likes", "likes", False),
            ("lives_in", "home", True),
            ("LIVES-IN", "home", True),
            ("livesIn", "home", True),
            ("WorksAt", "employer", True),
            ("currentlyWorksFor", "employer", True),
            ("currently lives in", "home", True),
            ("is still living in", "home", True),
            ("has been living in", "home", True),
            ("now works for", "employer", True),
            ("目前住在", "home", True),
            ("现住在", "home", True),
            ("仍_居住于", "home", True),
            ("现在就职于", "employer", True),
            ("passport_number", "passport", False),
            ("still likes", "likes", False),
            ("has been to", "has been to", False),
            ("目前", "目前", False),
            ("now", "now", False),
        ],
    )
    def test_relation(self, predicate: str, about: str, one: bool):
        assert (relation(predicate), single(predicate)) == (about, one)

    @pytest.mark.parametrize(
        "predicate", ["lived in", "used to live in", "曾住在", "wants to live in", "does not live in"]
    )
    def test_what_no_longer_or_not_yet_holds_is_another(self, predicate: str):
        assert relation(predicate) != "home"

    def test_ending(self):
        assert (ending("Left"), ending("离职"), ending("moved out of"), ending("likes")) == (
            "employer",
            "employer",
            "home",
            "",
        )
        for key in ("no_longer_works_at", "stoppedWorkingAt", "已经离职", "已离职"):
            assert ending(key) == "employer"

    @pytest.mark.parametrize(
        "words",
        [
            "暂时居住于",
            "is staying with Bo",
            "Oslo for now",
            "Rome until May",
            "出差",
            "is_staying_with",
            "isStayingWith",
            "目前暂住在",
        ],
    )
    def test_passing(self, words: str):
        assert passing("lives in", words)
        assert not passing("lives in", "Rome")

    @pytest.mark.parametrize(
        "predicate",
        [
            "likes",
            "has",
            "is a fan of",
            "lives in",
            "喜欢",
            "很喜欢",
            "有",
            "是",
            "会",
            "账号是",
            "does not eat",
            "still_likes",
            "livesIn",
            "现在是",
            "currently has",
        ],
    )
    def test_lasting(self, predicate: str):
        assert lasting(predicate)

    @pytest.mark.parametrize(
        "predicate", ["visited", "bought", "is going to", "was visiting", "买了", "去过", "有过", "会见", "想起"]
    )
    def test_what_happens(self, predicate: str):
        assert not lasting(predicate)

    @pytest.mark.parametrize(
        ("predicate", "one", "other"),
        [
            ("phone", "+86 138-0000-1234", "138 0000 1234"),
            ("email is", "A@b.example", "a@B.example"),
            ("passport", "P 12-345", "p12345"),
        ],
    )
    def test_identifying(self, predicate: str, one: str, other: str):
        assert identifying(predicate, one) == identifying(predicate, other) != ""

    @pytest.mark.parametrize(
        ("predicate", "thing"),
        [
            ("phone", "12"),
            ("phone", "unknown"),
            ("email", "none"),
            ("account", "NL 1234 [REDACTED]"),
            ("passport", "unknown"),
            ("email", "nobody knows"),
            ("likes", "12345678"),
        ],
    )
    def test_not_identifying(self, predicate: str, thing: str):
        assert identifying(predicate, thing) == ""


class TestWording:
    @pytest.mark.parametrize(
        ("one", "other"),
        [("Rent is 850 EUR", "rent is  850 EUR."), ("“她爱茶。”", "她爱茶"), ("So, it is (true)!", "so it is true")],
    )
    def test_same(self, one: str, other: str):
        assert wording(one) == wording(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [("it is -5", "it is 5"), ("C++", "C#"), ("5%", "5"), ("3.5 m", "35 m"), ("€5", "$5"), ("eats", "eats not")],
    )
    def test_other(self, one: str, other: str):
        assert wording(one) != wording(other)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("rent is 850", "rent is 950"),
            ("eats nuts", "does not eat nuts"),
            ("eats nuts", "doesn't eat nuts"),
            ("she'll come", "she never comes"),
            ("她吃花生", "她不吃花生"),
            ("他有车", "他没车"),
            ("房租850元", "房租950元"),
            ("他住三楼", "他住四楼"),
        ],
    )
    def test_contradicts(self, one: str, other: str):
        assert contradicts(one, other)
        assert contradicts(other, one)
        assert not contradicts(one, one)

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Nora lives in Lyon since 2021", "Nora has lived in Lyon since May 2020"),
            ("她很不错", "她很好"),
            ("rent is 850", "rent is what it was"),
            ("Nora likes tea", "Nora likes green tea"),
        ],
    )
    def test_does_not(self, one: str, other: str):
        assert not contradicts(one, other)


# --- which ends which -----------------------------------------------------------------------------------------------


def day(number: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)


def fact(predicate: str, thing: str, start: int | None = None, end: int | None = None, **more: str) -> Dated:
    valid = None
    if start is not None or end is not None:
        valid = Interval(
            start=None if start is None else day(start), end=None if end is None else day(end), precision="day"
        )
    made = Fact(scope="u", id=f"{predicate} {thing} {start}", text=f"Nora {predicate} {thing}", subject="Nora",
                predicate=predicate, object=thing, valid=valid, sources=(f"{thing} {start}",))  # fmt: skip
    return Dated(made, None if start is None else day(start))


HOME = ("lives in", "搬到", "暂住", "moved out of", "home")
"""Predicates of one relation: what lasts, what passes, what ends it and what only happens."""


ROWS = st.tuples(
    st.sampled_from(HOME), st.sampled_from(("Rome", "Lyon", "")), st.integers(0, 4) | st.none(), st.integers(1, 3),
    st.integers(0, 2), st.sampled_from(("", " 2", " 3", " not")),
)  # fmt: skip


def plainly_known_as(new: Dated, known: list[Dated]) -> Dated | None:
    """`Thread.known_as` with every fact looked at."""
    same = [one for one in known if says_the_same(one.fact, new.fact)]
    for one in in_order(same):
        if set(new.fact.sources) <= set(one.fact.sources) and told(one.fact) == told(new.fact):
            return one
    if not lasting(new.fact.predicate) or ending(new.fact.predicate):
        days = [one.fact.valid and one.fact.valid.start for one in (new, *same)]
        ordered = in_order([*known, new])
        ended_ = [n for n, one in enumerate(ordered[: ordered.index(new)]) if ends(new.fact, one.fact)]
        found = [one for one, its in zip(same, days[1:], strict=True) if its == days[0]]
        return next((one for one in found if not ended_ or ordered.index(one) > ended_[-1]), None)
    rivals = [one for one in in_order(known) if one in same or ends(one.fact, new.fact)]
    *_, before = [None, *(one for one in rivals if one.order <= new.order)]
    after = next((one for one in rivals if one.order > new.order), None)
    if before in same and (before.order == new.order or new.order < until(before)):
        return before
    return after if after in same and until(new) >= after.order else None


def until(one: Dated) -> float:
    end = one.fact.valid and one.fact.valid.end
    return end.timestamp() if end else float("inf")


class TestTimeline:
    @pytest.mark.parametrize(
        ("later", "earlier", "does"),
        [
            (("lives in", "Rome"), ("lives in", "Lyon"), True),
            (("lives in", "Rome"), ("居住于", "rome"), False),
            (("暂住", "Rome"), ("lives in", "Lyon"), False),
            (("暂住", "Rome"), ("暂住", "Lyon"), True),
            (("lives in", "Rome"), ("暂住", "Lyon"), True),
            (("lives in", "Rome"), ("暂住", "Rome"), True),
            (("left", "Kite"), ("works at", "Kite"), True),
            (("left", "Kite"), ("works at", "Moss"), False),
            (("left", ""), ("works at", "Moss"), True),
            (("works at", ""), ("works at", "Moss"), False),
            (("works at", "Kite"), ("left", "Kite"), False),
            (("lives in", "Rome"), ("works at", "Kite"), False),
            (("likes", "tea"), ("likes", "rain"), False),
        ],
    )
    def test_ends(self, later: tuple[str, str], earlier: tuple[str, str], does: bool):
        assert ends(fact(*later).fact, fact(*earlier).fact) is does

    def test_ended_and_told_again(self):
        home, other = fact("lives in", "Rome", 1, 9), fact("lives in", "Lyon", 5)
        over = ended(home.fact, other)
        assert over.valid == Interval(start=day(1), end=day(5), precision="day")
        assert (over.status, over.meta[SUPERSEDED_BY]) == ("superseded", other.fact.id)
        assert told(over) == home.fact.valid
        assert reopened(over) == home.fact
        undated = Dated(fact("lives in", "Rome").fact, day(1))
        over = ended(undated.fact, other)
        assert over.valid == Interval(end=day(5), precision="day")
        assert over.meta[OTHERWISE] is None
        assert reopened(over) == undated.fact

    def test_settled(self):
        facts = [fact("lives in", "Lyon", 5), fact("lives in", "Rome", 1), fact("lives in", "Oslo", 0, 1)]
        oslo, rome, lyon = settled(facts)
        assert (oslo.status, rome.meta[SUPERSEDED_BY], lyon.status) == ("live", lyon.id, "live")
        again = [Dated(one, one.valid.start if one.valid else None) for one in (lyon, rome, oslo)]
        assert list(settled(again)) == [oslo, rome, lyon]
        assert list(settled(again[1:])) == [oslo, rome], "what is not among them may still be there"
        late = Dated(replace(lyon, valid=Interval(start=day(0))), day(0))
        moved = [late, again[1]]
        assert list(settled(moved))[1] == reopened(rome), "it ended by one that is known to have been before it"

    def test_an_instant_of_a_state_is_when_it_is_known_to_hold(self):
        rome, lyon = (
            Dated(replace(fact("lives in", city).fact, valid=Interval.at(day(n))), day(n))
            for n, city in enumerate(("Rome", "Lyon"))
        )
        first, _ = settled([rome, lyon])
        assert first.valid == Interval(start=day(0), end=day(1))

    @pytest.mark.parametrize(
        ("again", "known", "same"),
        [
            (("likes", "tea", 5), [("likes", "tea", 1)], True),
            (("likes", "tea", 1), [("likes", "tea", 5)], True),
            (("likes", "tea", 5), [("likes", "tea", 1, 3)], False),
            (("likes", "tea", 1, 3), [("likes", "tea", 5)], False),
            (("likes", "rain", 5), [("likes", "tea", 1)], False),
            (("likes", "tea", 5), [("has", "tea", 1)], False),
            (("lives in", "Rome", 5), [("lives in", "Rome", 1), ("lives in", "Lyon", 3)], False),
            (("lives in", "Rome", 2), [("lives in", "Rome", 1), ("lives in", "Lyon", 3)], True),
            (("lives in", "Rome", 5), [("lives in", "Rome", 1), ("暂住", "Lyon", 3)], True),
            (("works at", "Kite", 5), [("works at", "Kite", 1), ("left", "Kite", 3)], False),
            (("works at", "Kite", 5), [("works at", "Kite", 1), ("left", "Moss", 3)], True),
            (("visited", "Rome", 1), [("visited", "Rome", 2)], False),
            (("visited", "Rome", 1), [("visited", "Rome", 1)], True),
            (("left", "Kite", 1), [("left", "Kite", 2)], False),
        ],
    )
    def test_known_as(self, again: tuple[str, str, int], known: list[tuple[str, str, int]], same: bool):
        found = Thread(fact(*one) for one in known).known_as(fact(*again))
        assert (found is not None) is same
        if found is not None:
            assert found.fact.object == again[1]

    @given(rows=st.lists(ROWS, min_size=1, max_size=9), again=st.lists(st.integers(0, 8), max_size=3))
    def test_known_as_if_held_against_all(self, rows: list[Any], again: list[int]):
        """What a thread finds by what facts say and by their order is what looking at all of them finds."""
        facts = [
            Dated(replace(one.fact, id=str(n), text=one.fact.text + more), one.begin or day(2), day(said))
            for n, (predicate, thing, start, lasts, said, more) in enumerate(rows)
            for one in [fact(predicate, thing, start, None if start is None or lasts == 3 else start + lasts)]
        ]
        *known, new = facts
        thread = Thread(known)
        for n in again:  # one that was joined stands elsewhere, and one that is gone nowhere
            if n < len(known) and known[n].fact.valid is None:
                known[n] = known[n]._replace(begin=day(n % 3))
                thread.put(known[n])
        if known and again:
            gone = known.pop(again[0] % len(known))
            assert thread.drop(gone.fact.id) == gone
        assert thread.known_as(new) == plainly_known_as(new, known)
        assert list(thread.settled()) == [
            one for one in settled(known) if one not in [each.fact for each in known]
        ]  # fmt: skip

    def test_joined(self):
        one = joined(fact("likes", "tea", 5), fact("likes", "tea", 1, 9))
        assert one.valid == Interval(start=day(1), end=day(9), precision="day")
        assert one.sources == ("tea 1", "tea 5"), "the first is one that told the start"
        over = Dated(ended(fact("lives in", "Rome", 5).fact, fact("lives in", "Lyon", 7)), day(5))
        one = joined(over, fact("lives in", "Rome", 3))
        assert one.valid == Interval(start=day(3), end=day(7), precision="day")
        assert told(one) == Interval(start=day(3), precision="day")
