"""How something felt: estimates from vectors, the words for them, and what moments come to over time."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import resources
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.feelings import (
    NEUTRAL,
    RECENT,
    STRONG,
    TRIGGERS,
    Language,
    Moment,
    estimated,
    felt,
    label,
    language_of,
    own,
    profile,
    readable,
    topics,
    triggers,
)
from fabula.providers.bundled import BundledEmbedder, FastEmbedder
from fabula.stores.rows import pack
from fabula.types import Emotion, EmotionProfile, Entity, Fact, Frame, Note, Passage, Record

NOW = datetime(2024, 6, 30, 12, tzinfo=UTC)
E5 = BundledEmbedder.space


def moment(days: float, valence: float, arousal: float = 0.4, text: str = "", **more: Any) -> Moment:
    """Something felt so many days ago; an estimate, unless it has a label."""
    name = more.pop("label", "")
    emotion = Emotion(valence=valence, arousal=arousal, label=name, estimated=not name)
    return Moment(time=NOW - timedelta(days=days), emotion=emotion, text=text, **more)


def vector(seed: int, space: str = E5) -> Any:
    size = {E5: 384, FastEmbedder.space: 512}[space]
    made = np.random.default_rng(seed).standard_normal(size).astype(np.float32)
    return made / np.linalg.norm(made)


class TestEstimates:
    @given(st.integers(0, 2**32), st.sampled_from([E5, FastEmbedder.space]), st.integers(0, 5))
    def test_are_within_their_bounds_one_a_row(self, seed: int, space: str, rows: int):
        made = estimated(50 * np.array([vector(seed + row, space) for row in range(rows)]).reshape(rows, -1), space) \
            if rows else estimated(np.empty((0, len(vector(0, space))), np.float32), space)  # fmt: skip
        assert made is not None
        valence, arousal = made
        assert valence.shape == arousal.shape == (rows,)
        assert (abs(valence) <= 1).all()
        assert ((arousal >= 0) & (arousal <= 1)).all()

    def test_reach_their_bounds(self):
        valence, arousal = estimated(100 * np.array([vector(n) for n in range(50)]), E5) or ((), ())
        assert (min(valence), max(valence), min(arousal), max(arousal)) == (-1, 1, 0, 1)

    def test_are_none_for_vectors_of_another_model(self):
        assert not readable("hash/384")
        assert estimated(np.array([vector(1)]), "hash/384") is None
        assert estimated(np.array([vector(1)]), "") is None

    def test_tell_what_they_were_fitted_on(self):
        table = json.loads(resources.files("fabula.data").joinpath("feelings.json").read_text("utf-8"))
        assert set(table["spaces"]) == {E5, FastEmbedder.space}
        assert "feelings.txt" in table["fitted_on"]
        for given_ in table["spaces"].values():
            assert min(given_["left_out"].values()) > 0.75

    # None of these is among what the weights were fitted on.
    @pytest.mark.parametrize(
        ("texts", "side"),
        [
            (("今天升职了，太开心了", "终于考过了！", "夕阳很美，心里很平静", "和朋友去爬山，玩得很开心"), 1),
            (("I got promoted today, I'm so happy!", "The sunset was calm and lovely", "Nora: what a great party"), 1),
            (("最近工作压力很大", "我的猫死了", "小芳: 我讨厌我的工作", "我妈妈住院了，我很担心"), -1),
            (("Work has been so stressful lately", "My cat died", "Ben: I hate my job", "I'm worried about mum"), -1),
            (("我妹妹养蜜蜂。", "我在 Google 工作", "下周三要交报告", "嗯"), 0),
            (("I moved to Porto in May", "The meeting was moved to Tuesday", "My sister keeps bees", "ok"), 0),
        ],
    )
    async def test_know_good_from_bad_in_both_languages(self, texts: tuple[str, ...], side: int, e5: BundledEmbedder):
        valence, _ = estimated(await e5.embed(texts, "passage"), e5.space) or ((), ())
        sides = [0 if abs(value) < STRONG else np.sign(value) for value in valence]
        assert sides == [side] * len(texts)

    @pytest.mark.parametrize(
        ("calm", "excited"),
        [("我坐在窗边慢慢喝茶", "他大喊着冲了出去！"), ("I sat by the window with my tea", "He ran out, yelling!")],
    )
    async def test_know_calm_from_excited(self, calm: str, excited: str, e5: BundledEmbedder):
        _, arousal = estimated(await e5.embed([calm, excited], "passage"), e5.space) or ((), ())
        assert arousal[0] < 0.35 < 0.5 < arousal[1]

    @pytest.fixture
    def e5(self) -> Iterator[BundledEmbedder]:
        return BundledEmbedder()


class TestARecord:
    def test_felt_as_it_is_told(self):
        told = Emotion(valence=0.5, arousal=0.5, label="proud")
        for kind in (Frame, Passage, Fact):
            record = kind(scope="s", id="1", text="x", emotion=told)
            assert felt(record, vector(1), E5) is told
            assert felt(record, None, "") is told

    @pytest.mark.parametrize("text", ["我讨厌星期一", "I hate Mondays"])
    def test_is_estimated_in_its_own_language(self, text: str):
        bad = min((vector(n) for n in range(500)), key=lambda v: (estimated(v[None], E5) or ([0], 0))[0][0])
        made = felt(Passage(scope="s", id="1", text=text), bad, E5)
        assert made is not None
        assert made.estimated
        assert made.valence < -0.2
        assert made.label == label(made.valence, made.arousal, language_of([text]))
        assert made.label.isascii() == text.isascii()

    @pytest.mark.parametrize(
        "record",
        [
            *(Passage(scope="s", id="1", text="x", role=role) for role in ("assistant", "System", "tool", "document")),
            Passage(scope="s", id="1", text="x", session="file:1"),
            Entity(scope="s", id="1", text="Nora"),
            Note(scope="s", id="1", text="x", key="k"),
        ],
    )
    def test_tells_nothing_where_nobody_feels(self, record: Record):
        assert not own(record)
        assert felt(record, vector(1), E5) is None

    @pytest.mark.parametrize(
        "record",
        [
            Passage(scope="s", id="1", text="x"),
            Passage(scope="s", id="1", text="x", speaker="Nora"),
            Frame(scope="s", id="1", text="x"),
            Fact(scope="s", id="1", text="x"),
        ],
    )
    def test_is_not_estimated_without_a_vector_that_can_be_read(self, record: Record):
        assert felt(record, vector(1), E5) is not None
        assert felt(record, None, E5) is None
        assert felt(record, vector(1), "hash/384") is None

    def test_is_stored_as_told_only(self):
        emotions = [Emotion(valence=0.1, arousal=0.2, estimated=guess) for guess in (False, True)]
        packed = [json.loads(pack(Fact(scope="s", id="1", text="x", emotion=emotion))) for emotion in emotions]
        assert packed == [{"emotion": [0.1, 0.2, ""]}, {}]


class TestLabels:
    @pytest.mark.parametrize(
        ("valence", "arousal", "en", "zh"),
        [
            (0, 0, "neutral", "平静"),
            (0.19, 0.69, "neutral", "平静"),
            (-0.1, 0.8, "surprised", "惊讶"),
            (0.5, 0.2, "content", "满足"),
            (0.2, 0.4, "happy", "开心"),
            (1, 1, "excited", "兴奋"),
            (-0.5, 0.2, "sad", "难过"),
            (-0.2, 0.4, "upset", "烦恼"),
            (-1, 1, "distressed", "焦虑"),
        ],
    )
    def test_name_a_point_in_both_languages(self, valence: float, arousal: float, en: str, zh: str):
        assert (label(valence, arousal), label(valence, arousal, "zh")) == (en, zh)

    @given(st.floats(-1, 1), st.floats(0, 1))
    def test_name_every_point(self, valence: float, arousal: float):
        assert label(valence, arousal, "en").isascii()
        assert not label(valence, arousal, "zh").isascii()

    @pytest.mark.parametrize(
        ("texts", "language"),
        [([], "en"), (["好"], "zh"), (["fine"], "en"), (["好", "a", "在吗"], "zh"), (["!?", "123"], "en")],
    )
    def test_are_in_the_language_of_most(self, texts: list[str], language: Language):
        assert language_of(texts) == language


class TestProfiles:
    def test_of_nothing_are_empty(self):
        assert profile([], NOW) == EmotionProfile()
        assert profile([moment(-1, 1)], NOW) == EmotionProfile()

    def test_have_the_last_days_and_all_of_them(self):
        made = profile([moment(1, -0.6, 0.2), moment(3, -0.2, 0.2), moment(100, 0.8, 0.8), moment(-1, 1, 1)], NOW)
        assert made.latest_state == "sad"
        assert made.latest_state_valence == pytest.approx(-0.4)
        assert made.valence_avg == pytest.approx(0)
        assert made.arousal_avg == pytest.approx(0.4)
        assert (made.count, made.estimated) == (3, 1)

    def test_look_back_for_two_weeks(self):
        inside, outside = moment(13.99, -1), moment(14, 1)
        assert RECENT.days == 14
        assert profile([inside, outside], NOW).latest_state_valence == -1
        made = profile([outside], NOW)
        assert (made.latest_state, made.latest_state_valence, made.valence_avg) == ("", None, 1)

    @given(st.lists(st.tuples(st.floats(0, 400), st.floats(-1, 1), st.floats(0, 1)), min_size=1), st.randoms())
    def test_of_all_time_are_the_mean_over_all_in_any_order(
        self, given_: list[tuple[float, float, float]], chance: Any
    ):
        moments = [moment(*each) for each in given_]
        made = profile(moments, NOW)
        chance.shuffle(moments)
        assert profile(moments, NOW).valence_avg == pytest.approx(made.valence_avg)
        assert made.valence_avg == pytest.approx(sum(valence for _, valence, _ in given_) / len(given_))
        assert made.arousal_avg == pytest.approx(sum(arousal for *_, arousal in given_) / len(given_))

    def test_of_all_time_are_not_those_of_the_last_batch(self):
        before = [moment(60 + n, 0.5) for n in range(90)]
        after = [moment(n / 10, -0.5) for n in range(10)]
        assert profile(before + after, NOW).valence_avg == pytest.approx(0.4)

    def test_name_emotions_as_they_were_told_and_how_often(self):
        moments = [moment(1, 0.9, label="Proud"), moment(2, 0.9, label="proud "), moment(3, -0.5), moment(4, 0.05)]
        made = profile(moments, NOW)
        assert dict(made.dominant_emotions) == {"proud": 2, "upset": 1}
        assert made.estimated == 0.5

    @pytest.mark.parametrize(
        ("text", "language", "word"),
        [("工作", None, "烦恼"), ("work", None, "upset"), ("工作", "en", "upset"), ("work", "zh", "烦恼")],
    )
    def test_speak_one_language(self, text: str, language: Language | None, word: str):
        made = profile([moment(1, -0.5, text=text)], NOW, language)
        assert (made.latest_state, list(made.dominant_emotions)) == (word, [word])

    def test_name_no_emotion_where_nothing_was_felt(self):
        made = profile([moment(1, 0), moment(2, 0.1, label="neutral"), moment(3, 0, label="平静")], NOW)
        assert made.dominant_emotions == {}
        assert made.latest_state in NEUTRAL

    def test_say_nothing_of_what_anybody_is_like(self):
        assert set(EmotionProfile.__slots__) == {
            "latest_state", "latest_state_valence", "valence_avg", "arousal_avg", "dominant_emotions",
            "emotion_triggers", "count", "estimated",
        }  # fmt: skip


class TestTriggers:
    @pytest.mark.parametrize(
        ("bad", "good", "wanted"),
        [
            ("The exam was awful, I cried", "Hiking with Emma was fun", {"exam": -0.6, "Emma": 0.6, "Hiking": 0.6}),
            ("考试好难，我很难过", "今天和同学去爬山，真开心", {"考试": -0.6, "同学": 0.6, "爬山": 0.6}),
        ],
    )  # fmt: skip
    def test_are_what_strong_moments_are_about(self, bad: str, good: str, wanted: dict[str, float]):
        said = [
            moment(1, -0.6, text=bad),
            moment(2, -0.6, text=bad),
            moment(3, 0.6, text=good),
            moment(4, 0.6, text=good),
        ]
        assert triggers(said) == pytest.approx(wanted)

    def test_are_not_what_everything_is_about(self):
        said = [moment(n, valence, text="Ben and his boat") for n, valence in enumerate((0.6, -0.6, 0.5, -0.5))]
        assert triggers(said) == {}

    def test_are_not_what_was_met_once_or_left_cold(self):
        said = [
            moment(1, -0.9, text="the dentist"),
            moment(2, 0.1, text="the garden"),
            moment(3, 0.1, text="the garden"),
        ]
        assert triggers(said) == {}

    def test_are_not_what_is_good_but_less_so_than_all(self):
        said = [moment(n, 0.9) for n in range(9)] + [moment(n, 0.3, text="the garden") for n in range(3)]
        assert triggers(said) == {}

    def test_are_the_strongest(self):
        said = [moment(n, n / 40, text=f"planet{chr(97 + n)}x") for n in range(26) for _ in range(2)]
        found = triggers(said)
        assert len(found) == TRIGGERS
        assert next(iter(found)) == "planetzx"

    def test_are_names_as_they_are_spelt(self):
        said = [moment(n, 0.7, text="x", names=("New York", "user")) for n in range(2)]
        assert "New York" in triggers([*said, moment(3, -0.7), moment(4, -0.7)])

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("", set[str]()),
            ("I feel so happy today, really!", set[str]()),
            ("今天真的很开心，太高兴了", set[str]()),
            ("The interviews at Siemens", {"interviews", "Siemens"}),
            ("公司又要加班", {"公司", "加班"}),
            ("和 Emma 去杭州", {"Emma", "杭州"}),
        ],
    )
    def test_are_looked_for_among_what_is_spoken_of(self, text: str, found: set[str]):
        assert set(topics(text).values()) == found
