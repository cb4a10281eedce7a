"""What every embedder must do, whatever model stands behind it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from fabula.abc import Embedder
from fabula.errors import InvalidInput
from fabula.providers.bundled import BundledEmbedder, FastEmbedder

# A new embedder is held to this contract by its factory's name here.
EMBEDDERS: dict[str, Callable[[], Embedder]] = {"bundled": BundledEmbedder, "fast": FastEmbedder}

ZH = "昨天我和小王去西湖边喝了龙井茶。"
EN = "Yesterday I drank green tea by the lake with Wang."
FAR = "The invoice for the car repair is overdue."
FAR_ZH = "这台打印机的驱动程序需要重新安装。"


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    made = EMBEDDERS[request.param]()
    yield made
    asyncio.run(made.close())


async def test_rows_are_unit_float32_one_a_text_in_order(embedder: Embedder):
    texts = [FAR, "好", ZH * 3, EN, "ok"]
    rows = await embedder.embed(texts, "passage")
    assert rows.dtype == np.float32
    assert rows.shape == (5, embedder.dimensions)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        alone = await embedder.embed([text], "passage")
        np.testing.assert_allclose(alone[0], row, atol=1e-4)


async def test_no_texts_give_no_rows(embedder: Embedder):
    rows = await embedder.embed([], "query")
    assert rows.shape == (0, embedder.dimensions)
    assert rows.dtype == np.float32


@pytest.mark.parametrize(
    "text", ["😀", "👩‍👩‍👧‍👦", "!!!", "。。。", "…", "\ufeff", "𠮷", "ﷺ" * 3, "\ud800 half", "é", "0"]
)
@pytest.mark.parametrize("role", ["query", "passage"])
async def test_odd_texts_get_a_usable_row(embedder: Embedder, text: str, role: str):
    rows = await embedder.embed([text], role)  # pyright: ignore[reportArgumentType]
    assert np.isfinite(rows).all()
    assert np.linalg.norm(rows[0]) == pytest.approx(1, abs=1e-5)


async def test_a_nul_does_not_end_the_text(embedder: Embedder):
    cut, whole, start = await embedder.embed([f"tea\0{FAR}", f"tea {FAR}", "tea"], "passage")
    assert cut @ whole > 0.999 > cut @ start


@pytest.mark.parametrize("blank", ["", " \n\t", "\0", "\u3000"])
async def test_a_blank_is_refused_by_its_index(embedder: Embedder, blank: str):
    with pytest.raises(InvalidInput, match="text 1 is blank"):
        await embedder.embed(["tea", blank, "cake"], "passage")


async def test_one_text_is_not_a_sequence_of_letters(embedder: Embedder):
    with pytest.raises(InvalidInput, match="not one text"):
        await embedder.embed("tea", "passage")


@pytest.mark.parametrize(("begin", "end"), [(ZH, FAR_ZH), (EN, FAR)])
async def test_the_end_of_a_long_text_counts(embedder: Embedder, begin: str, end: str):
    long, start, tail = await embedder.embed([(begin + " ") * 24 + (end + " ") * 24, begin, end], "passage")
    assert np.linalg.norm(long) == pytest.approx(1, abs=1e-5)
    apart = start @ tail
    assert long @ tail > apart + 0.02
    assert long @ start > apart + 0.02


@pytest.mark.parametrize(("question", "answer", "other"), [
    ("我在哪里喝了茶？", ZH, FAR_ZH),
    ("Where did I drink tea?", EN, FAR),
    ("Where did I drink tea?", ZH, FAR_ZH),
    ("我在哪里喝了茶？", EN, FAR),
])  # fmt: skip
async def test_an_answer_is_nearer_than_another_text(embedder: Embedder, question: str, answer: str, other: str):
    asked = await embedder.embed([question], "query")
    told = await embedder.embed([answer, other], "passage")
    near, far = (asked @ told.T)[0]
    assert near > far


async def test_calls_at_once_do_not_mix(embedder: Embedder):
    texts = [f"{EN} {number}" for number in range(6)]
    alone = await embedder.embed(texts, "passage")
    together = await asyncio.gather(*(embedder.embed([text], "passage") for text in texts))
    np.testing.assert_allclose(np.concatenate(together), alone, atol=1e-4)


async def test_the_event_loop_is_not_held_up(embedder: Embedder):
    longest, done = 0.0, asyncio.Event()

    async def watch() -> None:
        nonlocal longest
        while not done.is_set():
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - before)

    watching = asyncio.create_task(watch())
    started = time.perf_counter()
    await embedder.embed([EN * 2] * 16, "passage")
    took = time.perf_counter() - started
    done.set()
    await watching
    assert longest < max(took / 2, 0.1)


async def test_similarity_grows_within_0_and_1(embedder: Embedder):
    cosine = np.linspace(-1, 1.0001, 400, dtype=np.float32)
    for role in ("query", "passage"):
        for scripts in (None, ("han", "han"), ("han", "latin"), ("latin", "han"), ("latin", "cyrillic")):
            alike = embedder.similarity(cosine, role=role, scripts=scripts)
            assert alike.dtype == np.float32
            assert alike.min() == 0
            assert alike.max() == 1
            assert (np.diff(alike)[alike[:-1] > 0][:-1] > 0).all()


async def test_closing_twice_is_harmless(embedder: Embedder):
    await embedder.close()
    await embedder.close()


def test_spaces_differ():
    assert len({make().space for make in EMBEDDERS.values()}) == len(EMBEDDERS)
