"""How something felt: an estimate from its embedding, the word for it, and what many moments come to over time.

Knows no store and asks no model. Of a person it tells what they said felt like and when, never what they are like.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fabula.text import fold, script, stop, tokens
from fabula.types import FILE_SESSION, MACHINES, Emotion, EmotionProfile, Entity, Note, Passage, Record
from fabula.words import FEELINGS, HAN_FEELINGS

Language: TypeAlias = Literal["en", "zh"]
Floats: TypeAlias = NDArray[np.float32]

RECENT: Final = timedelta(days=14)
"""How far back the latest state reaches."""
STRONG: Final = 0.2
"""The valence from which on something is felt: below it, unless it excites, it is neutral."""
DOMINANT: Final = 5
"""How many emotions a profile names."""
TRIGGERS: Final = 5
"""How many topics of either side a profile names."""
OFTEN: Final = 2
"""In how many moments a topic has to be."""
UNSURE: Final = 2.0
"""Moments that feel as all do, with which each topic's are taken together: two bad days say little of a topic."""


# --- the estimate -----------------------------------------------------------------------------------------------


class _Weights(NamedTuple):
    matrix: Floats
    """Two rows, valence and arousal; a column a dimension."""
    offset: Floats


@cache
def _weights() -> Mapping[str, _Weights]:
    """The fitted weights by embedding space; `python -m bench emotion --fit` makes them."""
    table = json.loads(resources.files("fabula.data").joinpath("feelings.json").read_text("utf-8"))
    return {
        space: _Weights(
            np.array([given["weights"]["valence"], given["weights"]["arousal"]], np.float32),
            np.array(given["offset"], np.float32),
        )
        for space, given in table["spaces"].items()
    }


def readable(space: str) -> bool:
    """Return whether feelings can be read off the vectors of an embedding space: those of the bundled models."""
    return space in _weights()


def estimated(vectors: Floats, space: str) -> tuple[Floats, Floats] | None:
    """Return the valence (-1 to 1) and arousal (0 to 1) of each row of unit vectors, shape (texts, dimensions).

    They are those of passages (not of questions) in `space`; `None` for a space that no weights were fitted for. By
    ridge regression (Hoerl and Kennard 1970), which is careful: what it is not sure of comes out nearer to the middle.
    """
    weights = _weights().get(space)
    if weights is None:
        return None
    # Not a product of matrices: what it makes of a row depends, in its last digits, on the rows beside it.
    made = np.vecdot(np.asarray(vectors, np.float32)[:, None], weights.matrix) + weights.offset
    return np.clip(made[:, 0], -1, 1), np.clip(made[:, 1], 0, 1)


def own(record: Record) -> bool:
    """Return whether a record may tell how a user feels: not what a machine said or a document says, nor a name."""
    if isinstance(record, Passage):
        return fold(record.role) not in MACHINES and not record.session.startswith(FILE_SESSION)
    return not isinstance(record, Entity | Note)


def felt(record: Record, vector: Floats | None, space: str) -> Emotion | None:
    """Return how a record felt: what is told of it, or else an estimate from its unit vector in `space`.

    `None` where nothing is told and nothing can be estimated: without a vector, in another space than those of the
    bundled models, and of what a machine said.
    """
    row = np.zeros((1, 0), np.float32) if vector is None else vector[None]
    (emotion,) = all_felt([record], [script(record.text)], row, [vector is not None], space)
    return emotion


def all_felt(
    records: Sequence[Record], told: Sequence[str], vectors: Floats, embedded: Sequence[bool], space: str
) -> list[Emotion | None]:  # fmt: skip
    """Return how each record felt, as `felt` does; `told` are their scripts, by which the word for it is chosen.

    `vectors` has a row for each, which counts where it is `embedded`.
    """
    emotions = [record.emotion for record in records]
    unknown = [place for place, emotion in enumerate(emotions) if emotion is None]
    rows = [place for place in unknown if embedded[place] and own(records[place])] if readable(space) else []
    if rows and (made := estimated(vectors[rows], space)) is not None:
        for place, valence, arousal in zip(rows, made[0].tolist(), made[1].tolist(), strict=True):
            word = label(valence, arousal, "zh" if told[place] == "han" else "en")
            emotions[place] = Emotion(valence=valence, arousal=arousal, label=word, estimated=True)
    return emotions


# --- the word for it --------------------------------------------------------------------------------------------

_CALM, _EXCITED = 0.35, 0.6
_LABELS: Final[Mapping[Language, Mapping[int, tuple[str, str, str]]]] = {
    "en": {
        1: ("content", "happy", "excited"),
        0: ("neutral", "neutral", "surprised"),
        -1: ("sad", "upset", "distressed"),
    },
    "zh": {1: ("满足", "开心", "兴奋"), 0: ("平静", "平静", "惊讶"), -1: ("难过", "烦恼", "焦虑")},
}
"""By side: good, neither, bad; calm, moved, excited."""
NEUTRAL: Final = frozenset(words[0][0] for words in _LABELS.values())
_ALARM: Final = 0.7
"""The arousal from which on what is neither good nor bad surprises."""


def label(valence: float, arousal: float, language: Language = "en") -> str:
    """Return the word for a point of the circumplex (Russell 1980): by side, and by how much it excites."""
    if abs(valence) < STRONG:
        return _LABELS[language][0][2 * (arousal >= _ALARM)]
    return _LABELS[language][1 if valence > 0 else -1][(arousal >= _CALM) + (arousal >= _EXCITED)]


def language_of(texts: Iterable[str]) -> Language:
    """Return the language that most of the texts are in."""
    scripts = Counter(map(script, texts))
    return "zh" if scripts["han"] > scripts["latin"] else "en"


# --- over time --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """Something that felt some way at some time."""

    time: datetime
    emotion: Emotion
    text: str = ""
    """What was said, in which topics are looked for."""
    names: tuple[str, ...] = field(default=())
    """Who and what it is known to be about."""


def profile(moments: Iterable[Moment], at: datetime, language: Language | None = None) -> EmotionProfile:
    """Return what moments up to `at` come to: the mean of the last `RECENT`, and of all there are.

    `language` is that of the labels; left out, the one that most of the moments are told in. What an emotion is
    called by who told it stays as it is.
    """
    met = [moment for moment in moments if moment.time <= at]
    if not met:
        return EmotionProfile()
    language = language or language_of(moment.text for moment in met)
    valence, arousal = _mean(met)
    lately = [moment for moment in met if moment.time > at - RECENT]
    state = _mean(lately) if lately else None
    words = Counter(word for moment in met if (word := _word(moment.emotion, language)) not in NEUTRAL)
    return EmotionProfile(
        latest_state=label(*state, language) if state else "",
        latest_state_valence=state[0] if state else None,
        valence_avg=valence,
        arousal_avg=arousal,
        dominant_emotions=MappingProxyType(dict(words.most_common(DOMINANT))),
        emotion_triggers=MappingProxyType(triggers(met)),
        count=len(met),
        estimated=sum(moment.emotion.estimated for moment in met) / len(met),
    )


def _mean(moments: Sequence[Moment]) -> tuple[float, float]:
    emotions = [moment.emotion for moment in moments]
    return (
        sum(emotion.valence for emotion in emotions) / len(emotions),
        sum(emotion.arousal for emotion in emotions) / len(emotions),
    )


def _word(emotion: Emotion, language: Language) -> str:
    """What an emotion is called; an estimate in the language of all."""
    if emotion.label and not emotion.estimated:
        return fold(emotion.label)
    return label(emotion.valence, emotion.arousal, language)


def triggers(moments: Sequence[Moment]) -> dict[str, float]:
    """Return the topics that go with strong feelings, the strongest first, and the mean valence of their moments.

    There are at most `TRIGGERS` of either side. A topic is in `OFTEN` moments or more, which on the whole feel strongly
    (`STRONG`), and to that side of what all do. It is the stronger the further from it, and the oftener: n moments by
    the root of n, as a mean is the surer, after they were taken together with `UNSURE` that are like all.
    """
    usual, _ = _mean(moments)
    values: defaultdict[str, list[float]] = defaultdict(list)
    spelt: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for moment in moments:
        for key, surface in topics(moment.text, moment.names).items():
            values[key].append(moment.emotion.valence)
            spelt[key][surface] += 1
    means = {key: sum(felt) / len(felt) for key, felt in values.items() if len(felt) >= OFTEN}

    def apart(key: str) -> float:
        return (means[key] - usual) * len(values[key]) / (len(values[key]) + UNSURE) ** 0.5

    sides = (
        [key for key, mean in means.items() if side * mean >= STRONG and side * apart(key) > 0] for side in (1, -1)
    )
    strong = [key for side in sides for key in sorted(side, key=lambda key: (-abs(apart(key)), key))[:TRIGGERS]]
    strong.sort(key=lambda key: (-abs(apart(key)), key))
    return {spelt[key].most_common(1)[0][0]: means[key] for key in strong}


_RUN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W\d_\u3400-\u4dbf\u4e00-\u9fff][^\W\d_\u3400-\u9fff'’]{2,}")
_THINGS: Final = frozenset(("n", "nr", "nrt", "ns", "nt", "nz", "vn", "v", "l", "eng"))
"""The dictionary's tags of nouns, names, and verbs."""


def topics(text: str, names: Iterable[str] = ()) -> dict[str, str]:
    """Return what a text is about, a word each as it is compared and as it is spelt, and `names` as they are.

    Nouns, names and verbs in Chinese, words of three letters and more in English; without those that only say how it
    felt or when it was.
    """
    found = {fold(name): name for name in names if fold(name) and not stop(fold(name))}
    for run in _RUN.findall(text):
        if script(run) == "han":
            found |= {word: word for word in _things(run) if HAN_FEELINGS.isdisjoint((word, word[1:]))}
        else:
            key = tokens(run)[0] if run.isascii() else fold(run)
            if not stop(key) and key not in _felt_stems():
                found.setdefault(key, run)
    return found


def _things(run: str) -> list[str]:
    import rjieba  # pyright: ignore[reportMissingTypeStubs]  # loads its dictionary

    tagged: list[tuple[str, str]] = rjieba.tag(run, False)
    return [word for word, tag in tagged if len(word) > 1 and tag in _THINGS and not stop(word)]


@cache
def _felt_stems() -> frozenset[str]:
    return frozenset(token for word in FEELINGS for token in tokens(word))
