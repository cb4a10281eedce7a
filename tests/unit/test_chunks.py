"""Documents cut into passages: nothing lost, no word cut, and every piece knows where it stands."""

import re

from hypothesis import given
from hypothesis import strategies as st

from fabula.chunks import SIZE, chunks
from fabula.types import Part

WORDS = st.lists(
    st.text("abcXYZ", min_size=1, max_size=12) | st.text("今天下雨了。，", min_size=1, max_size=6), max_size=80
)


def bare(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(WORDS, st.sampled_from([" ", "\n", ". ", "\n\n"]), st.integers(20, 60))
def test_nothing_is_lost_and_nothing_too_long(words: list[str], between: str, size: int):
    text = between.join(words)
    made = chunks([Part(text=text)], size)
    assert bare("".join(piece.text for piece in made)) == bare(text)
    assert all(len(piece.text) <= size for piece in made)


@given(st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=60))
def test_no_word_is_cut(words: list[str]):
    made = chunks([Part(text=" ".join(words))], 20)
    assert [word for piece in made for word in piece.text.split()] == words


def test_sentences_stay_whole_in_both_languages():
    for sentence in ("The river rose again in March. ", "三月里河水又涨了起来，桥也被冲走了。"):
        made = chunks([Part(text=sentence * 100)])
        assert len(made) > 1
        assert all(piece.text.rstrip().endswith((".", "。")) for piece in made)


def test_neighbours_are_one_piece_on_one_page_under_one_heading():
    made = chunks(
        [
            Part(text="a", page=1), Part(text="b", page=1), Part(text="c", page=2),
            Part(text="d", page=2, heading="H"), Part(text="e" * SIZE, page=2, heading="H"),
        ]
    )  # fmt: skip
    assert made == [
        Part(text="a\n\nb", page=1), Part(text="c", page=2), Part(text="d", page=2, heading="H"),
        Part(text="e" * SIZE, page=2, heading="H"),
    ]  # fmt: skip


def test_every_piece_of_a_table_has_its_head():
    rows = [Part(text=f"row {n} | {n}", above="name | price") for n in range(300)]
    made = chunks([Part(text="name | price"), *rows])
    assert len(made) > 2
    assert all(piece.text.startswith("name | price\nrow") for piece in made)


def test_what_has_no_gap_is_cut_all_the_same():
    made = chunks([Part(text="x" * 3000)])
    assert [len(piece.text) for piece in made] == [SIZE, SIZE, 600]
