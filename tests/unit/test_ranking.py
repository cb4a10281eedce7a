"""Ranking: every channel held against the formula it comes from, and what the fused order promises."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula import ranking, scoring
from fabula.index import LINK, LINKS, Columns, Floats, Index
from fabula.postings import POSTING
from fabula.scoring import Cue
from fabula.scripts import LATIN_TOLD, foreign, lift
from fabula.text import hash_term
from fabula.types import Plan

DAY = 86400.0
HAN_TOLD = "的了我是不在"
FEATURES = {
    "echo",
    "bm25",
    "bm25_window",
    "dense",
    "dense_window",
    "coverage",
    "prev",
    "prev2",
    "next",
    "answer",
    "session",
    "speaker",
    "date",
    "when",
    "question",
    "length",
    "first",
    "curt",
}
KEYS = {"bm25_told", "fact_meaning", "frame_meaning", "graph"}
"""Features that there are where facts and frames are, and what weighs them."""
PROFILES = {"keys", "han_keys", "passages", "keyword", "meaning", "han", "han_keyword", "han_meaning"}
Talk = list[tuple[str, list[int]]]
"""Session and terms of each row."""

Score = Callable[..., Floats]

talks = st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.integers(0, 6), max_size=8)), max_size=16)
queries = st.dictionaries(st.integers(0, 7), st.sampled_from([1.0, 2.0, 0.5]), max_size=4)


def index_of(
    talk: Sequence[tuple[str, Sequence[int]]],
    *,
    vectors: Mapping[int, Sequence[float]] | None = None,
    times: Sequence[float | None] = (),
    speakers: Sequence[str] = (),
    questions: Sequence[int] = (),
) -> Index:
    numbers = list(range(len(talk)))
    moments = [times[n] if n < len(times) else 0.0 for n in numbers]
    micros = [None if moment is None else int(moment * 1e6) for moment in moments]
    columns = Columns(
        number=numbers,
        session=[session for session, _ in talk],
        seq=numbers,
        speaker=[speakers[n] if n < len(speakers) else "user" for n in numbers],
        valid_from=micros,
        valid_to=micros,
        recorded_from=numbers,
        recorded_to=[None] * len(talk),
        importance=[0.5] * len(talk),
        key=numbers,
        length=[len(terms) for _, terms in talk],
        question=[int(n in questions) for n in numbers],
        postings=[np.array(sorted(Counter(terms).items()), POSTING).tobytes() for _, terms in talk],
        links=[b""] * len(talk),
    )
    chunks = [(np.array(list(vectors)), np.array(list(vectors.values()), np.float16))] if vectors else []
    return Index().extended({"passage": columns} if talk else {}, chunks)


VECTORS = {0: [1, 0], 1: [0.8, 0.6], 2: [0.6, 0.8], 3: [0.28, 0.96]}


def with_facts(index: Index) -> Index:
    """The index with a fact drawn from each of its passages."""
    passages = index.of("passage").key.tolist()
    size = len(passages)
    facts = Columns(
        number=[100 + passage for passage in passages],
        session=[""] * size,
        seq=[-1] * size,
        speaker=[""] * size,
        valid_from=[None] * size,
        valid_to=[None] * size,
        recorded_from=[0] * size,
        recorded_to=[None] * size,
        importance=[0.5] * size,
        key=[100 + passage for passage in passages],
        length=[0] * size,
        question=[0] * size,
        postings=[b""] * size,
        links=[np.array([(passage, LINKS.index("cites"))], LINK).tobytes() for passage in passages],
    )
    return index.extended({"fact": facts}, [])


def textbook(documents: Sequence[Sequence[int]], query: Mapping[int, float], k1: float, b: float) -> list[float]:
    """BM25 a document at a time, as the literature writes it."""
    average = sum(map(len, documents)) / len(documents) if documents else 0
    scores: list[float] = []
    for document in documents:
        score = 0.0
        for term, weight in query.items():
            n, tf = sum(term in d for d in documents), document.count(term)
            if tf:
                idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
                score += weight * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / max(average, 1e-9)))
        scores.append(score)
    return scores


def scored(score: Any, passages: Any, terms: dict[int, float]) -> Any:
    return score(passages, scoring.matches(passages, Cue(terms=terms)))


class TestBM25:
    @given(talk=talks, query=queries)
    @settings(deadline=None)
    def test_is_the_textbook_formula(self, talk: Talk, query: dict[int, float]):
        got = scored(scoring.bm25, index_of(talk).of("passage"), query)
        assert got == pytest.approx(textbook([terms for _, terms in talk], query, 0.9, 0.4), abs=1e-4)

    @given(talk=talks, query=queries)
    @settings(deadline=None)
    def test_of_windows_is_that_of_the_joined_texts(self, talk: Talk, query: dict[int, float]):
        joined: list[list[int]] = []
        for number, (session, terms) in enumerate(talk):
            mates = [n for n, (name, _) in enumerate(talk) if name == session]
            place = mates.index(number)
            around = [*mates[max(place - 1, 0) : place], number, *mates[place + 1 : place + 2]]
            assert terms in [talk[n][1] for n in around]
            joined.append([term for n in around for term in talk[n][1]])
        got = scored(scoring.bm25_windows, index_of(talk).of("passage"), query)
        assert got == pytest.approx(textbook(joined, query, 1.2, 0.75), abs=1e-4)

    @pytest.mark.parametrize("score", [scoring.bm25, scoring.bm25_windows])
    def test_a_term_of_a_small_corpus_still_counts(self, score: Score):
        assert scored(score, index_of([("a", [1]), ("b", [2])]).of("passage"), {1: 1.0})[0] > 0
        assert scored(score, index_of([("a", [1])]).of("passage"), {1: 1.0})[0] > 0

    @pytest.mark.parametrize("score", [scoring.bm25, scoring.bm25_windows])
    def test_of_nothing_is_nothing(self, score: Score):
        assert scored(score, Index().of("passage"), {1: 1.0}).tolist() == []
        assert scored(score, index_of([("a", [1])]).of("passage"), {}).tolist() == [0]
        assert scored(score, index_of([("a", [])]).of("passage"), {1: 1.0}).tolist() == [0]

    def test_a_row_matches_by_its_neighbours_words(self):
        passages = index_of([("a", [1]), ("a", [2]), ("a", [3]), ("b", [1])]).of("passage")
        assert (scored(scoring.bm25_windows, passages, {1: 1.0}) > 0).tolist() == [True, True, False, True]
        assert (scored(scoring.bm25, passages, {1: 1.0}) > 0).tolist() == [True, False, False, True]


class TestScripts:
    def test_a_row_is_told_in_the_script_it_has_most_of_or_else_as_its_session_is(self):
        said = [
            ("a", "the of"),
            ("a", ""),
            ("b", "我吃面"),
            ("b", ""),
            ("b", "the 我爱吃面"),
            ("a", "the of 小明"),
            ("c", ""),
        ]
        talk = [(name, [hash_term(term) for term in text.split() if term.isascii()]
                 + [hash_term(char) for char in text if ord(char) > 255]) for name, text in said]  # fmt: skip
        talk += [("c", [hash_term(char) for char in "年月日"]), ("b", [hash_term("面")])]
        # Few terms are looked up among the characters of Han; and the characters among more terms than they are.
        few, many = (index_of([*talk, ("d", range(count))]).compacted() for count in (300, 25_000))
        field = many.of("passage")
        later = replace(field, postings=replace(field.postings, sorted_to=24_000))  # as if the last came afterwards
        for index in (index_of(talk), few, many, replace(many, fields={"passage": later})):
            assert foreign(index, "passage", han=True).tolist()[:9] == [1, 1, 0, 0, 0, 1, 0, 0, 0]
            assert foreign(index, "passage", han=False).tolist()[:9] == [0, 0, 1, 1, 1, 0, 1, 1, 1]
        assert foreign(index_of([("c", [1])]), "passage", han=True).tolist() == [0]

    def test_the_rows_of_the_other_script_are_raised_by_how_far_they_fall_short(self):
        cosine = np.array([0.9, 0.8, 0.9, 0.5, 0.6, 0.4, 0], np.float32)
        strange, embedded = np.array([0, 0, 0, 1, 1, 1, 1], np.float32), np.array([True] * 6 + [False])
        raised = lift(cosine, strange, embedded, 0.1)
        assert raised[[0, 1, 2, 6]].tolist() == [0] * 4
        assert raised[3:6].tolist() == pytest.approx([(3 * 0.4 + 4 * 0.1) / 7] * 3), "three rows, and four of the model"
        for one in (np.zeros(7, np.float32), np.ones(7, np.float32)):
            assert lift(cosine, one, embedded, 0.1).tolist() == [0] * 7, "told in one script"


class TestChannels:
    def test_cosines(self):
        talk: Talk = [("a", [])] * 3
        passages = index_of(talk, vectors={0: [1, 0], 2: [0.6, 0.8]}).of("passage")
        got = scoring.cosines(passages, np.array([1, 0], np.float32))
        assert got == pytest.approx([1, 0, 0.6], abs=1e-3)
        assert scoring.cosines(passages, None).tolist() == [0, 0, 0]
        assert scoring.cosines(passages, np.ones(3, np.float32)).tolist() == [0, 0, 0]

    def test_coverage_is_a_share_of_the_terms(self):
        passages = index_of([("a", [1, 2]), ("a", [1]), ("a", []), ("a", [9])]).of("passage")
        got = scoring.coverage(passages, scoring.matches(passages, Cue(terms={1: 1.0, 2: 1.0})), np.arange(4))
        assert got[0] == pytest.approx(1)
        assert 0 < got[1] < 0.5, "the common term is worth less than the rare one"
        assert got[2:].tolist() == [0, 0]
        assert scoring.coverage(
            passages, scoring.matches(passages, Cue(terms={1: 1.0})), np.array([1, 3])
        ).tolist() == [1, 0]
        assert scoring.coverage(passages, scoring.matches(passages, Cue(terms={})), np.arange(4)).tolist() == [
            0,
            0,
            0,
            0,
        ]
        assert scoring.coverage(passages, scoring.matches(passages, Cue(terms={77: 1.0})), np.arange(2)).tolist() == [
            0,
            0,
        ]

    @pytest.mark.parametrize(
        ("moment", "near"),
        [
            (10.0, 1.0),
            (10.5, 1.0),
            (11.0, 1.0),
            (14.0, math.exp(-1)),
            (9.0, math.exp(-1)),
            (20.0, math.exp(-3)),
            (1000.0, 0.0),
            (math.nan, 0.0),
        ],
    )
    def test_nearness_to_a_day(self, moment: float, near: float):
        got = scoring.nearness(np.array([moment * DAY]), [(10 * DAY, 11 * DAY)])
        assert got == pytest.approx([near], abs=1e-6)

    def test_nearness_to_several_and_open_windows(self):
        moments = np.array([0.0, 5.0, 100.0]) * DAY
        assert scoring.nearness(moments, [(0, 0), (100 * DAY, 101 * DAY)])[[0, 2]].tolist() == [1, 1]
        assert scoring.nearness(moments, [(-np.inf, 5 * DAY)])[:2].tolist() == [1, 1]
        assert scoring.nearness(moments, [(5 * DAY, np.inf)])[1:].tolist() == [1, 1]
        assert scoring.nearness(moments, []).tolist() == [0, 0, 0]


class TestMarks:
    MARKS = (8, 9)

    def test_count_by_how_rare_the_first_is(self):
        passages = index_of([("a", [8, 9]), ("a", [8]), ("a", [9])] + [("a", [1])] * 9).of("passage")
        rare = math.log(scoring.COMMON / (2 / 12))
        assert scoring.marked(passages, self.MARKS, np.arange(4)) == pytest.approx([2 * rare, rare, rare, 0])
        assert scoring.marked(passages, self.MARKS[:1], np.array([1, 2])) == pytest.approx([rare, 0])

    @pytest.mark.parametrize("bearing", [0, 4, 12])
    def test_that_are_nowhere_or_common_tell_nothing(self, bearing: int):
        passages = index_of([("a", [8])] * bearing + [("a", [1])] * (12 - bearing)).of("passage")
        assert not scoring.marked(passages, self.MARKS, np.arange(12)).any()

    def test_are_asked_for_by_the_cue_and_are_of_the_time_channel(self):
        index = index_of([("a", [1, 8] if n == 5 else [1]) for n in range(12)])
        cue = Cue(terms={1: 1.0}, marks=self.MARKS)
        ranked = ranking.rank(index, cue, Plan())
        assert ranked is not None
        assert ranked.rows[0] == 5
        for other, plan in ((Cue(terms={1: 1.0}), Plan()), (cue, Plan(channels=("sparse",)))):
            ranked = ranking.rank(index, other, plan)
            assert ranked is not None
            assert not ranked.features["when"].any()


class TestZ:
    @given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=2, max_size=30))
    def test_standardises(self, values: list[float]):
        got = scoring.z(np.array(values, np.float32))
        if np.std(np.array(values, np.float32)) > 1e-3:
            assert got.mean() == pytest.approx(0, abs=1e-2)
            assert got.std() == pytest.approx(1, abs=1e-2)
            assert values[int(np.argmax(got))] == pytest.approx(max(values), abs=1e-3)

    @pytest.mark.parametrize("values", [[], [3.0], [2.0, 2.0, 2.0]])
    def test_of_equal_values_is_zero(self, values: list[float]):
        assert scoring.z(np.array(values, np.float32)).tolist() == [0] * len(values)

    def test_unknown_values_are_the_mean(self):
        got = scoring.z(np.array([1.0, 3.0, 99.0], np.float32), np.array([True, True, False]))
        assert got.tolist() == [-1, 1, 0]
        assert scoring.z(np.array([1.0, 2.0]), np.array([False, False])).tolist() == [0, 0]


class TestWeights:
    def test_the_profiles(self):
        assert set(ranking.weights()) == PROFILES

    @pytest.mark.parametrize("profile", sorted(PROFILES))
    def test_hold_known_features_only(self, profile: str):
        table = ranking.weights()[profile]
        assert set(table) <= (FEATURES | KEYS if "keys" in profile else FEATURES)
        assert all(isinstance(weight, float) and math.isfinite(weight) for weight in table.values())

    def test_the_features_are_those_that_are_made(self):
        ranked = ranking.rank(index_of([("a", [1])], vectors={0: [1, 0]}), Cue(terms={1: 1.0}), Plan())
        assert ranked is not None
        assert set(ranked.features) == FEATURES | {"cosine", "lifted", "covered"}

    @pytest.mark.parametrize("prefix", ["", "han_"])
    def test_a_profile_uses_only_what_is_known(self, prefix: str):
        assert not {"dense", "dense_window"} & set(ranking.weights()[f"{prefix}keyword"])
        assert not {"bm25", "bm25_window"} & set(ranking.weights()[f"{prefix}meaning"])

    @pytest.mark.parametrize(("han", "profile"), [(False, "passages"), (True, "han")])
    def test_words_that_are_found_are_trusted(self, han: bool, profile: str):
        index = index_of([("a", [1]), ("b", [2])], vectors={0: [1, 0], 1: [0, 1]})
        cue = Cue(terms={1: 1.0}, vector=np.array([1, 0], np.float32), han=han)
        ranked = ranking.rank(index, cue, Plan())
        assert ranked is not None
        assert (ranked.profile, ranked.weights) == (profile, {**ranking.weights()[profile], "echo": ranking.ECHOED})

    def test_without_a_word_meaning_decides(self):
        index = index_of([("a", [1]), ("b", [2])], vectors={0: [1, 0], 1: [0, 1]})
        ranked = ranking.rank(index, Cue(terms={9: 1.0}, vector=np.array([0, 1], np.float32)), Plan())
        assert ranked is not None
        assert ranked.profile == "meaning"
        assert ranked.rows[0] == 1

    def test_words_that_are_chance_weigh_in_part(self):
        """One of three words is found: the profile lies between words and meaning."""
        index = index_of([("a", [1]), ("b", [2])], vectors={0: [1, 0], 1: [0, 1]})
        cue = Cue(terms={1: 1.0, 9: 1.0}, vector=np.array([1, 0], np.float32))
        ranked = ranking.rank(index, cue, Plan())
        assert ranked is not None
        assert 0.2 < ranked.features["coverage"].max() < 0.4
        words, meaning = ranking.weights()["passages"]["dense"], ranking.weights()["meaning"]["dense"]
        assert min(words, meaning) < ranked.weights["dense"] < max(words, meaning)

    @pytest.mark.parametrize(
        ("han", "told", "profile"),
        [(False, LATIN_TOLD, "keys"), (True, HAN_TOLD, "han_keys"),
         (False, HAN_TOLD, "keys 0.50, meaning 0.50"), (True, LATIN_TOLD, "han_keys 0.50, han_meaning 0.50")],
        ids=["English of English", "中文问中文", "English of Chinese", "中文问英文"],
    )  # fmt: skip
    def test_what_was_drawn_is_weighed_by_meaning_as_far_as_its_passages_are_foreign(
        self, han: bool, told: Sequence[str], profile: str
    ):
        """No word of the question is found, and two of four passages are in the language `told`, two in the asked."""
        own = HAN_TOLD if han else LATIN_TOLD
        words = [[hash_term(word) for word in language[:3]] for language in (told, told, own, own)]
        index = with_facts(index_of([(str(n), terms) for n, terms in enumerate(words)], vectors=VECTORS))
        ranked = ranking.rank(index, Cue(terms={9: 1.0}, vector=np.array([1, 0], np.float32), han=han), Plan())
        assert ranked is not None
        assert ranked.profile == profile
        first, _, second = profile.replace(" 0.50", "").partition(", ")
        table, meaning = ranking.weights()[first], ranking.weights()[second or first]
        drawn = ("fact_meaning", "frame_meaning", "graph")
        for feature in ("coverage", "dense", "bm25_told", *drawn):
            kept = table if feature in drawn else meaning
            assert ranked.weights[feature] == pytest.approx((table[feature] + kept.get(feature, 0)) / 2), feature

    @pytest.mark.parametrize(("han", "profile"), [(False, "keyword"), (True, "han_keyword")])
    def test_without_vectors_words_decide(self, han: bool, profile: str):
        ranked = ranking.rank(index_of([("a", [1])]), Cue(terms={1: 1.0}, han=han), Plan())
        assert ranked is not None
        assert (ranked.profile, ranked.weights) == (profile, {**ranking.weights()[profile], "echo": ranking.ECHOED})

    def test_a_question_in_han_weighs_length_more(self):
        """The long text says the word twice, the short one once: English prefers the first, Chinese the second."""
        index = index_of([("a", [1, 1, *range(2, 12)]), ("b", [1, 2, 3]), ("c", [4, 5])])

        def best(*, han: bool) -> int:
            ranked = ranking.rank(index, Cue(terms={1: 1.0}, han=han), Plan(channels=("sparse",), fusion="rrf"))
            assert ranked is not None
            return int(ranked.rows[0])

        assert (best(han=False), best(han=True)) == (0, 1)


class TestPool:
    def test_the_best_and_their_neighbours(self):
        """Of many rows only the best come into the pool, each with the rows beside it."""
        talk: Talk = [(str(n // 10), [1] if n == 55 else [2]) for n in range(200)]
        ranked = ranking.rank(index_of(talk), Cue(terms={1: 1.0}), Plan(channels=("sparse",)))
        assert ranked is not None
        assert sorted(ranked.rows.tolist()) == [54, 55, 56]
        assert (ranked.pool, int(ranked.rows[0])) == (3, 55)

    def test_is_bounded(self):
        talk: Talk = [("a", [1] * (n % 9 + 1)) for n in range(400)]
        ranked = ranking.rank(index_of(talk), Cue(terms={1: 1.0}), Plan(channels=("sparse",)))
        assert ranked is not None
        assert ranking.DEPTH <= ranked.pool <= 3 * ranking.DEPTH

    def test_what_is_not_allowed_stays_out(self):
        talk: Talk = [("a", [1]) for _ in range(10)]
        allowed = np.arange(10) % 2 == 0
        ranked = ranking.rank(index_of(talk), Cue(terms={1: 1.0}), Plan(), allowed)
        assert ranked is not None
        assert sorted(ranked.rows.tolist()) == [0, 2, 4, 6, 8]

    def test_a_narrow_filter_finds_all_it_can(self):
        """The filter works before the best are chosen, not after."""
        talk: Talk = [("a", [1, 1, 1]) for _ in range(500)] + [("b", [1, 2, 3, 4, 5]) for _ in range(5)]
        allowed = np.arange(505) >= 500
        ranked = ranking.rank(index_of(talk), Cue(terms={1: 1.0}), Plan(), allowed)
        assert ranked is not None
        assert sorted(ranked.rows.tolist()) == [500, 501, 502, 503, 504]

    @pytest.mark.parametrize("cue", [Cue(), Cue(terms={2: 1.0}), Cue(vector=np.ones(2, np.float32))])
    def test_nothing_is_found(self, cue: Cue):
        assert ranking.rank(index_of([("a", [1])]), cue, Plan()) is None
        assert ranking.rank(Index(), Cue(terms={1: 1.0}), Plan()) is None


class TestRank:
    def test_the_scores_are_the_weighted_features(self):
        talk: Talk = [("ab"[n % 2], [n % 3, n % 5, 7]) for n in range(12)]
        vectors = {n: [math.cos(n), math.sin(n)] for n in range(12)}
        cue = Cue(terms={1: 1.0, 7: 1.0}, vector=np.array([1, 0], np.float32))
        ranked = ranking.rank(index_of(talk, vectors=vectors), cue, Plan())
        assert ranked is not None
        total = sum(weight * ranked.features[name] for name, weight in ranked.weights.items())
        assert ranked.scores == pytest.approx(1 / (1 + np.exp(-total / 2)), abs=1e-4)
        assert (np.diff(ranked.scores) <= 0).all()
        assert len(set(ranked.rows.tolist())) == ranked.pool == 12

    def test_equal_scores_keep_the_order_of_arrival(self):
        ranked = ranking.rank(index_of([(str(n), [1]) for n in range(8)]), Cue(terms={1: 1.0}), Plan())
        assert ranked is not None
        assert ranked.rows.tolist() == list(range(8))

    def test_one_named_speaker_counts_two_do_not(self):
        index = index_of([(str(n), [1]) for n in range(3)], speakers=["Ann", "Bob", "Ann"])

        def features(*speakers: str) -> list[float]:
            ranked = ranking.rank(index, Cue(terms={1: 1.0}, speakers=speakers), Plan())
            assert ranked is not None
            return ranked.features["speaker"][np.argsort(ranked.rows)].tolist()

        assert features("Bob") == [0, 1, 0]
        assert features("Ann", "Bob") == features() == [0, 0, 0]

    def test_a_question_is_no_answer(self):
        ranked = ranking.rank(index_of([("a", [1]), ("b", [1])], questions=[0]), Cue(terms={1: 1.0}), Plan())
        assert ranked is not None
        assert ranked.rows.tolist() == [1, 0]

    def test_a_date_brings_what_was_said_then(self):
        index = index_of([(str(n), [1]) for n in range(3)], times=[0, 50 * DAY, None])
        cue = Cue(terms={1: 1.0}, windows=((50 * DAY, 51 * DAY),))
        ranked = ranking.rank(index, cue, Plan())
        assert ranked is not None
        assert ranked.rows[0] == 1
        untimed = ranking.rank(index, cue, Plan(channels=("sparse", "context", "dense")))
        assert untimed is not None
        assert not untimed.features["date"].any()

    def test_a_date_alone_is_enough(self):
        index = index_of([("a", [1]), ("b", [2])], times=[0, 900 * DAY])
        ranked = ranking.rank(index, Cue(terms={9: 1.0}, windows=((900 * DAY, 901 * DAY),)), Plan())
        assert ranked is not None
        assert ranked.rows[0] == 1

    @pytest.mark.parametrize("channel", ["dense", "sparse", "context"])
    def test_one_channel_alone(self, channel: str):
        index = index_of([("a", [1]), ("b", [2])], vectors={0: [1, 0], 1: [0, 1]})
        cue = Cue(terms={1: 1.0}, vector=np.array([1, 0], np.float32))
        ranked = ranking.rank(index, cue, Plan(channels=(channel,)))  # pyright: ignore[reportArgumentType]
        assert ranked is not None
        assert ranked.rows[0] == 0
        assert ranked.features["cosine"].any() == (channel == "dense")


class TestReciprocalRankFusion:
    @pytest.mark.parametrize("k", [1, 60])
    def test_is_the_sum_of_the_reciprocal_ranks(self, k: int):
        """Scaled so that 1 is the first of every channel. Here the second row is first of one channel in three."""
        index = index_of([("a", [1, 1]), ("b", [1])], vectors={0: [0.6, 0.8], 1: [1, 0]})
        cue = Cue(terms={1: 1.0}, vector=np.array([1, 0], np.float32))
        ranked = ranking.rank(index, cue, Plan(fusion="rrf", rrf_k=k))
        assert ranked is not None
        assert ranked.profile == "rrf"
        first, second = 1 / (k + 1), 1 / (k + 2)
        assert dict(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)) == pytest.approx(
            {0: (2 * first + second) * (k + 1) / 3, 1: (2 * second + first) * (k + 1) / 3}
        )

    def test_a_channel_that_does_not_find_a_row_says_nothing_about_it(self):
        index = index_of([("a", [1]), ("a", [2])])
        ranked = ranking.rank(index, Cue(terms={1: 1.0}), Plan(fusion="rrf", channels=("sparse",)))
        assert ranked is not None
        assert ranked.rows.tolist() == [0, 1]
        assert ranked.scores.tolist() == pytest.approx([1, 0])
