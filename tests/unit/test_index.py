"""The columns of a scope in memory: extending them is the same as loading them at once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fabula.index import FOREVER, Columns, Field, Index
from fabula.postings import NO_POSTINGS, POSTING
from fabula.types import KINDS, Kind

Chunk = tuple[NDArray[np.int64], NDArray[np.float16]]
Made = tuple[Kind, tuple[Any, ...]]
"""A row: its kind, and the values that go into `Columns`."""


def packed(terms: Sequence[int]) -> bytes:
    counts = sorted(Counter(terms).items())
    return np.array(counts, POSTING).tobytes()


def row(
    number: int, *, session: str = "s", speaker: str = "Ann", terms: Sequence[int] = (), kind: Kind = "passage",
    until: int | None = None, since: int | None = None, valid: int | None = 0,
) -> Made:  # fmt: skip
    recorded = number * 1_000_000 if since is None else since
    values = (number, session, number, speaker, valid, valid, recorded, until, 0.5, number, len(terms), 0)
    return kind, (*values, packed(terms), b"")


def columns(rows: Sequence[Made]) -> dict[Kind, Columns]:
    kinds = dict.fromkeys(kind for kind, _ in rows)
    return {kind: Columns._make(zip(*(values for k, values in rows if k == kind), strict=True)) for kind in kinds}


def vectors(numbers: Sequence[int], dimensions: int = 4) -> Chunk:
    matrix = np.stack([np.random.default_rng(n).standard_normal(dimensions) for n in numbers])
    return np.array(numbers, np.int64), (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float16)


def decoded(names: Mapping[str, int], codes: NDArray[np.int64]) -> list[str]:
    return [list(names)[code] for code in codes]


def assert_same(one: Index, other: Index) -> None:
    """Equal, whatever numbers stand for the sessions and speakers."""
    assert set(one.fields) == set(other.fields)
    for kind in one.fields:
        a, b = one.of(kind), other.of(kind)
        assert decoded(one.sessions, a.session) == decoded(other.sessions, b.session)
        assert decoded(one.speakers, a.speaker) == decoded(other.speakers, b.speaker)
        for column in fields(Field):
            left, right = getattr(a, column.name), getattr(b, column.name)
            if column.name in ("session", "speaker"):
                continue
            if column.name == "vectors":
                left, right = left[: len(a)], right[: len(b)]
            if column.name == "postings":
                for term in np.unique(np.concatenate((a.postings.term, b.postings.term))):
                    for mine, theirs in zip(a.postings.of(int(term)), b.postings.of(int(term)), strict=True):
                        assert mine.tolist() == theirs.tolist()
            elif column.name == "links":
                for mine, theirs in zip(left, right, strict=True):
                    assert mine.dtype == theirs.dtype
                    assert np.array_equal(mine, theirs)
            else:
                assert left.dtype == right.dtype, column.name
                assert left.shape == right.shape, column.name
                assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f"), column.name


rows = st.lists(
    st.tuples(
        st.sampled_from(["s", "t", "会话"]),
        st.sampled_from(["Ann", "Bob", "小明"]),
        st.lists(st.integers(0, 5), max_size=6),
        st.sampled_from(KINDS[:3]),
        st.none() | st.integers(0, 10**12),
    ),
    max_size=24,
)


@given(made=rows, cuts=st.lists(st.integers(0, 24), max_size=3), embedded=st.sets(st.integers(0, 23)))
@settings(deadline=None, max_examples=40)
def test_extended_equals_fresh(
    made: list[tuple[str, str, list[int], Kind, int | None]], cuts: list[int], embedded: set[int]
):
    every = [
        row(n, session=session, speaker=speaker, terms=terms, kind=kind, valid=valid)
        for n, (session, speaker, terms, kind, valid) in enumerate(made)
    ]
    have = sorted(n for n in embedded if n < len(every))
    chunks = [vectors(have)] if have else []
    fresh = Index().extended(columns(every), chunks, revision=7, space="x").compacted()
    grown = Index()
    places = sorted(min(cut, len(every)) for cut in cuts)
    for start, end in zip([0, *places], [*places, len(every)], strict=True):
        new = [n for n in have if start <= n < end]
        grown = grown.extended(columns(every[start:end]), [vectors(new)] if new else [], revision=end).compacted()
    grown = grown.extended({}, chunks, revision=7, space="x")
    assert_same(grown, fresh)
    assert (grown.revision, grown.space) == (7, "x")


class TestField:
    def test_neighbours_stay_in_their_session(self):
        index = Index().extended(columns([row(0), row(1, session="t"), row(2), row(3, session="t"), row(4)]), [])
        passages = index.of("passage")
        assert passages.before.tolist() == [-1, -1, 0, 1, 2]
        assert passages.after.tolist() == [2, 3, 4, -1, -1]

    def test_a_window_is_as_long_as_its_rows(self):
        passages = Index().extended(columns([row(n, terms=[1] * (n + 1)) for n in range(3)]), []).of("passage")
        assert passages.window.tolist() == [3, 6, 5]

    def test_frames_have_no_neighbours(self):
        frames = Index().extended(columns([row(0, kind="frame"), row(1, kind="frame")]), []).of("frame")
        assert frames.before.tolist() == frames.after.tolist() == [-1, -1]

    def test_rows_of(self):
        field = Index().extended(columns([row(2), row(5), row(9)]), []).of("passage")
        assert field.rows_of(np.array([5, 2, 3, 9, 100, -1])).tolist() == [1, 0, -1, 2, -1, -1]
        assert Index().of("passage").rows_of(np.array([0, 7])).tolist() == [-1, -1]

    def test_what_is_live(self):
        field = Index().extended(columns([row(0, until=5_000_000), row(3), row(8)]), []).of("passage")
        assert field.live(None).tolist() == [False, True, True]
        assert field.live(4.0).tolist() == [True, True, False]
        assert field.live(5.0).tolist() == [False, True, False]
        assert field.recorded_to.tolist() == [5.0, FOREVER, FOREVER]

    def test_an_unknown_time_is_not_a_number(self):
        field = Index().extended(columns([row(0, valid=None), row(1, valid=1_500_000)]), []).of("passage")
        assert np.isnan(field.valid_from[0])
        assert field.valid_from[1] == 1.5

    def test_it_knows_its_size(self):
        small = Index().extended(columns([row(0, terms=[1])]), [])
        large = small.extended(columns([row(n, terms=range(50)) for n in range(1, 50)]), [vectors(range(50))])
        assert 0 < small.nbytes < large.nbytes
        assert Index().nbytes == 0


class TestExtending:
    def test_leaves_the_older_index_as_it_was(self):
        old = Index().extended(columns([row(0, terms=[1, 1]), row(1, terms=[2])]), [vectors([0])])
        before = old.of("passage").vectors[:2].copy()
        new = old.extended(columns([row(2, terms=[1]), row(3)]), [vectors([1, 2, 3])])
        new.extended(columns([row(4)]), [vectors([4])])
        old.extended(columns([row(2, terms=[9])]), [])  # another continuation of the same index
        assert len(old.of("passage")) == 2
        assert old.of("passage").postings.of(1)[0].tolist() == [0]
        assert old.of("passage").after.tolist() == [1, -1]
        assert old.of("passage").embedded.tolist() == [True, False]
        assert (old.of("passage").vectors[0] == before[0]).all()
        assert new.of("passage").postings.of(1)[0].tolist() == [0, 2]

    def test_an_ended_version_is_marked_only(self):
        old = Index().extended(columns([row(0, kind="fact", terms=[1]), row(1, kind="fact")]), [])
        new = old.extended(columns([row(0, kind="fact", terms=[1], until=9_000_000)]), [], revision=3)
        assert new.of("fact").recorded_to.tolist() == [9.0, FOREVER]
        assert old.of("fact").recorded_to.tolist() == [FOREVER, FOREVER]
        assert new.of("fact").postings.of(1)[0].tolist() == [0]

    def test_vectors_are_brought_to_length_one_and_not_replaced(self):
        who, matrix = vectors([0])
        index = Index().extended(columns([row(0), row(1)]), [(who, matrix)])
        again = index.extended({}, [(np.array([0, 1, 77]), np.ones((3, 4), np.float16))])
        held = again.of("passage").vectors[:2]
        assert np.allclose(np.linalg.norm(held, axis=1), 1, atol=1e-6)
        assert (held[0] == index.of("passage").vectors[0]).all()
        assert np.allclose(held[1], 0.5)

    def test_another_kind_is_another_field(self):
        index = Index().extended(columns([row(0), row(1, kind="frame")]), [vectors([1])])
        assert index.of("passage").embedded.tolist() == [False]
        assert index.of("frame").embedded.tolist() == [True]
        assert len(index.of("note")) == 0


class TestAt:
    def test_leaves_out_what_came_later(self):
        index = Index().extended(
            columns([row(n, session="st"[n % 2], terms=[n, 7]) for n in range(6)]), [vectors(range(6))]
        )
        past = index.at(3.0).of("passage")
        assert past.number.tolist() == [0, 1, 2, 3]
        assert past.after.tolist() == [2, 3, -1, -1]
        assert past.postings.of(7)[0].tolist() == [0, 1, 2, 3]
        assert past.postings.of(5)[0].size == 0
        assert past.window.tolist() == [4, 4, 4, 4]
        assert len(past.vectors) == 4

    def test_is_the_index_of_that_time(self):
        every = [row(n, session="st"[n % 3 == 0], terms=[n % 4, 9]) for n in range(12)]
        now = Index().extended(columns(every), [vectors(range(12))]).compacted()
        then = Index().extended(columns(every[:6]), [vectors(range(6))])
        assert_same(now.at(5.0), then)

    def test_works_also_in_the_middle_of_the_rows(self):
        """A clock that went back makes an earlier row the later one."""
        index = Index().extended(columns([row(0, since=10), row(1, since=10**9), row(2, since=20, terms=[3])]), [])
        past = index.at(1.0).of("passage")
        assert past.number.tolist() == [0, 2]
        assert past.postings.of(3)[0].tolist() == [1]

    def test_of_now_is_all_of_it(self):
        index = Index().extended(columns([row(0), row(1)]), [])
        assert index.at(10.0**12).of("passage") is index.of("passage")


class TestCompacted:
    @pytest.mark.parametrize("size", [10, 600])
    def test_finds_the_same(self, size: int):
        """A short tail is left unsorted, a long one is worth sorting."""
        index = Index().extended(columns([row(n, terms=[n % 7, *range(100, 110)]) for n in range(size)]), [])
        compact = index.compacted()
        assert compact.compacted() is compact
        assert compact.of("passage").postings.sorted_to == (0 if size == 10 else len(index.of("passage").postings.term))
        for term in [*range(8), 105]:
            for mine, theirs in zip(
                index.of("passage").postings.of(term), compact.of("passage").postings.of(term), strict=True
            ):
                assert mine.tolist() == theirs.tolist()

    def test_a_tail_is_found_behind_a_sorted_head(self):
        index = Index().extended(columns([row(n, terms=[1, *range(20, 30)]) for n in range(500)]), []).compacted()
        longer = index.extended(columns([row(500, terms=[1, 1])]), [])
        found, tf = longer.of("passage").postings.of(1)
        assert found.tolist() == list(range(501))
        assert tf[-1] == 2

    def test_no_postings(self):
        found, tf = NO_POSTINGS.of(1)
        assert (found.size, tf.size) == (0, 0)
