"""That what is written comes back: every field of every kind, and what the store itself assigns.

It knows one version of a record only.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.abc import Changes, Edge, Entry, Erasure, Filter, Store
from fabula.errors import SourcesGone
from fabula.names import NAMED_BY
from fabula.testing.contract.making import (
    CHINA,
    NEWFOUNDLAND,
    NOON,
    entries,
    examples,
    fact,
    frame,
    fresh,
    offsets,
    passage,
    since,
    six,
    told,
)
from fabula.types import KINDS, Entity, Event, Fact, Frame, Image, Insight, Interval, Note, Passage, Record

AWKWARD = [
    "'; DROP TABLE records; --",
    '"quoted" and `ticked`',
    "100%_\\",
    "línea\nnueva\ttab",
    "$1 :name ? {} %s",
    "用户/甲",
    "👩‍👩‍👧 🎉",
    "null",
    " padded ",
    "e\u0301 is not \u00e9",
]
# No NUL and no lone surrogates: text in a database has neither, and the front door lets neither in.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXT = st.text(CHARACTERS, max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


class RecordsContract:
    """Writing and reading back."""

    async def test_pictures_stay_with_their_passage(self, store: Store) -> None:
        """They come back byte for byte, are those first written, and go with the passage; the check misses none."""
        images = (Image(caption="a"), Image(name="b", media="image/png"), Image(name="c", media="image/gif"))
        kept = {1: bytes(range(256)), 2: b"\0\xff"}
        for scope, held in (("u", kept), ("v", {1: b"v"})):
            told = passage(scope, "p", images=images[: len(held) + 1])
            await store.write(scope, Changes(add=(Entry(record=told, pictures=held),)))
        again = Entry(record=passage("u", "p", images=images), pictures={1: b"another", 2: b"another"})
        await store.write("u", Changes(add=(again,)))
        assert await store.pictures("u", "p") == kept
        assert await store.pictures("v", "p") == {1: b"v"}
        assert await store.pictures("u", "q") == {}
        assert getattr((await store.get("u", ["p"]))["p"], "images", None) == images
        assert not [line for line in await store.check() if "picture" in line]
        await store.erase("u", Erasure(ids=("p",)))
        assert await store.pictures("u", "p") == {}
        await store.erase("v", Erasure(everything=True))
        assert await store.pictures("v", "p") == {}

    async def test_a_picture_that_is_gone_is_told(self, store: Store) -> None:
        """A passage that tells of a picture which is not there, and a picture that no passage tells of."""
        gone = passage("u", "p", images=(Image(name="b", media="image/png"),))
        await store.write("u", Changes(add=(Entry(record=gone), Entry(record=passage("u", "q"), pictures={0: b"x"}))))
        told = [line for line in await store.check() if "picture" in line]
        assert [line.partition(": ")[2] for line in told] == [
            "1 pictures that no passage tells of: q",
            "1 passages whose picture is gone: p",
        ]
        await store.erase("u", Erasure(everything=True))

    @pytest.mark.parametrize("kind", KINDS)
    async def test_every_field_comes_back(self, store: Store, kind: str) -> None:
        """`get`, `find` and `fetch` give the record as it was written, zone offsets included."""
        records = six("u")
        await store.write("u", Changes(add=entries(*records)))
        (wanted,) = (record for record in records if record.kind == kind)
        got = (await store.get("u", [wanted.id]))[wanted.id]
        assert type(got) is type(wanted)
        assert told(got) == wanted
        assert list(offsets(got)) == list(offsets(wanted))
        ((number, found),) = await store.find("u", Filter(kind=wanted.kind, status=None))
        assert found == got
        assert await store.fetch("u", [number]) == {number: got}

    async def test_a_bare_record_of_each_kind_comes_back(self, store: Store) -> None:
        """What was left out stays left out."""
        bare = [
            made(scope="u", id=made.kind, text="x") for made in (Passage, Frame, Fact, Entity, Insight)
        ]  # fmt: skip
        records: list[Record] = [*bare, Note(scope="u", id="note", text="")]
        await store.write("u", Changes(add=entries(*records)))
        got = await store.get("u", [record.id for record in records])
        assert [told(got[record.id]) for record in records] == records

    @pytest.mark.parametrize(
        "valid",
        [
            Interval.at(datetime(2024, 3, 15, 23, 59, 59, 123456, tzinfo=CHINA)),
            Interval(start=datetime(2024, 1, 1, tzinfo=NEWFOUNDLAND), end=NOON, precision="range"),
            Interval(start=datetime(2024, 1, 1, tzinfo=UTC), precision="day"),
            Interval(end=NOON, precision="fuzzy"),
            Interval(precision="century"),
            Interval(start=datetime(476, 9, 4, tzinfo=UTC), end=datetime(477, 1, 1, tzinfo=UTC), precision="year"),
            Interval.at(datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
            Interval.at(datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
        ],
        ids=lambda valid: valid.precision,
    )
    async def test_valid_times_are_exact(self, store: Store, valid: Interval) -> None:
        """Every interval keeps its ends to the microsecond, its openness, its zones and its precision."""
        written = frame("u", "f", valid=valid, events=(Event(action="x", time=valid),))
        await store.write("u", Changes(add=entries(written)))
        got = (await store.get("u", ["f"]))["f"]
        assert told(got) == written
        assert list(offsets(got)) == list(offsets(written))

    @pytest.mark.parametrize("text", AWKWARD)
    async def test_awkward_text_is_only_text(self, store: Store, text: str) -> None:
        """Ids, scopes, sessions, names, keys and values may read like anything."""
        said = passage(
            text, text, text, session=text, speaker=text, role=text, ref=text, meta={text: text},
            images=(Image(caption=text),),
        )  # fmt: skip
        records: list[Record] = [
            said,
            Note(scope=text, id="n", text=text, namespace=text, key=text, value=text),
            fact(text, "t", text, subject=text, predicate=text, object=text),
        ]
        await store.write(text, Changes(add=entries(*records)))
        got = await store.get(text, [text, "n", "t"])
        assert [told(got[record.id]) for record in records] == records
        listed = await store.find(text, Filter(kind="passage", session=text, speaker=text, mentions=text))
        assert [record.id for _, record in listed] == [text]
        assert await store.citing(text, [text], ["fact"]) == [got["t"]]
        assert [work.id for work in await store.pending(text, "embed")] == [text]
        assert await store.scopes() == [text]

    @examples
    @given(
        text=TEXT,
        importance=st.floats(0, 1),
        meta=st.dictionaries(TEXT, JSON, max_size=3),
        value=JSON,
        at=st.datetimes(
            min_value=datetime(1000, 1, 1),  # noqa: DTZ001 - hypothesis takes naive bounds and adds the zone
            max_value=datetime(9000, 1, 1),  # noqa: DTZ001
            timezones=st.sampled_from([UTC, CHINA, NEWFOUNDLAND]),
        ),
    )
    async def test_anything_comes_back(
        self, store: Store, text: str, importance: float, meta: dict[str, object], value: object, at: datetime
    ) -> None:
        """No text, number, JSON value or moment is changed on its way."""
        scope = fresh()
        note = Note(
            scope=scope, id="n", text=text, importance=importance, meta=meta, key=text, value=value,
            valid=Interval.at(at),
        )  # fmt: skip
        await store.write(scope, Changes(add=entries(note)))
        got = (await store.get(scope, ["n"]))["n"]
        assert told(got) == note
        assert list(offsets(got)) == list(offsets(note))

    async def test_the_store_says_when_it_recorded(self, store: Store) -> None:
        """`recorded` is an aware, open interval from about now, whatever the record came with."""
        before = datetime.now(UTC)
        await store.write("u", Changes(add=entries(passage("u", "a", recorded=Interval(start=NOON, end=NOON)))))
        got = (await store.get("u", ["a"]))["a"]
        assert before - timedelta(seconds=5) <= since(got) <= datetime.now(UTC) + timedelta(seconds=5)
        assert got.recorded == Interval(start=since(got))

    async def test_seq_counts_in_each_session(self, store: Store) -> None:
        """The store numbers the passages of each session from 0, over all writes."""
        await store.write("u", Changes(add=entries(passage("u", "a0", session="a"), passage("u", "b0", session="b"))))
        await store.write("u", Changes(add=entries(passage("u", "a1", session="a", seq=7), frame("u", "f"))))
        await store.write("u", Changes(add=entries(*(passage("u", f"b{n}", session="b") for n in (1, 2)))))
        await store.write("v", Changes(add=entries(passage("v", "a0", session="a"))))
        got = [record for _, record in await store.find("u", Filter(kind="passage"))]
        places = [(record.id, record.seq) for record in got if isinstance(record, Passage)]
        assert places == [("a0", 0), ("b0", 0), ("a1", 1), ("b1", 1), ("b2", 2)]
        assert [getattr(record, "seq", None) for _, record in await store.find("v", Filter(kind="passage"))] == [0]

    async def test_numbers_ascend_in_order_of_arrival(self, store: Store) -> None:
        """Record numbers of a scope ascend over all kinds and writes."""
        for n in range(3):
            await store.write("u", Changes(add=entries(passage("u", f"p{n}"), fact("u", f"t{n}"))))
        passages = [number for number, _ in await store.find("u", Filter(kind="passage"))]
        facts = [number for number, _ in await store.find("u", Filter(kind="fact"))]
        arrival = [number for pair in zip(passages, facts, strict=True) for number in pair]
        assert arrival == sorted(set(arrival))
        assert len(arrival) == 6

    async def test_adding_twice_keeps_the_first(self, store: Store) -> None:
        """An id that is there is reported with the stored record and left as it is; the rest is written."""
        first = passage("u", "a", "first", session="s")
        await store.write("u", Changes(add=entries(first)))
        stored = (await store.get("u", ["a"]))["a"]
        written = await store.write(
            "u", Changes(add=entries(passage("u", "a", "second", session="s"), passage("u", "b", session="s")))
        )
        assert written.present == {"a": stored}
        assert written.erased == frozenset()
        assert told(stored) == first
        assert await store.get("u", ["a"]) == {"a": stored}
        listed = [record for _, record in await store.find("u", Filter(kind="passage"))]
        assert [(record.id, getattr(record, "seq", None)) for record in listed] == [("a", 0), ("b", 1)]
        assert [work.id for work in await store.pending("u", "embed")] == ["a", "b"]

    async def test_nothing_new_is_nothing_present(self, store: Store) -> None:
        """A write of new ids reports none."""
        written = await store.write("u", Changes(add=entries(passage("u", "a"))))
        assert (written.present, written.erased) == ({}, frozenset())

    async def test_the_same_id_twice_in_one_write(self, store: Store) -> None:
        """Duplicates inside one `Changes` are one record, the first, and take one place."""
        same = [
            passage("u", "a", "one"),
            passage("u", "a", "two"),
            passage("u", "b", "three"),
            passage("u", "a", "one"),
        ]
        await store.write("u", Changes(add=entries(*same, tasks=("embed",))))
        listed = [record for _, record in await store.find("u", Filter(kind="passage"))]
        assert [(record.text, getattr(record, "seq", None)) for record in listed] == [("one", 0), ("three", 1)]
        assert [work.id for work in await store.pending("u", "embed")] == ["a", "b"]

    async def test_sources_may_come_in_the_same_write(self, store: Store) -> None:
        """A record may cite one that is written before it in the same transaction."""
        await store.write(
            "u", Changes(add=entries(passage("u", "a"), frame("u", "f", "a")), put=entries(fact("u", "t", "f")))
        )
        assert [record.id for record in await store.citing("u", ["a"], ["frame"])] == ["f"]
        assert [record.id for record in await store.citing("u", ["f"], ["fact"])] == ["t"]

    @pytest.mark.parametrize("verb", ["add", "put"])
    async def test_missing_sources_undo_everything(self, store: Store, verb: str) -> None:
        """`SourcesGone` names what is missing, and nothing of the write is left."""
        await store.write("u", Changes(add=entries(passage("u", "a", session="s"), fact("u", "t", "a"))))
        before = await store.load("u", "")
        records = entries(frame("u", "f1", "a"), frame("u", "f2", "a", "missing"), frame("u", "f3", "a"))
        added = entries(passage("u", "b", session="s"), tasks=("extract",))
        if verb == "add":
            changes = Changes(add=added + records, close=("t",))
        else:
            changes = Changes(add=added, put=records, close=("t",))
        with pytest.raises(SourcesGone) as gone:
            await store.write("u", changes)
        assert gone.value.ids == ("missing",)
        assert list(await store.get("u", ["a", "b", "t", "f1", "f2", "f3"])) == ["a", "t"]
        assert await store.citing("u", ["a"], ["frame"]) == []
        assert await store.pending("u", "extract") == []
        assert await store.load("u", "", before) is before
        await store.write("u", Changes(add=entries(passage("u", "c", session="s"))))
        assert getattr((await store.get("u", ["c"]))["c"], "seq", None) == 1

    async def test_a_source_in_another_scope_is_no_source(self, store: Store) -> None:
        """The wall stands between sources too."""
        await store.write("u", Changes(add=entries(passage("u", "a"))))
        with pytest.raises(SourcesGone):
            await store.write("v", Changes(add=entries(fact("v", "t", "a"))))
        assert await store.get("v", ["t"]) == {}

    async def test_later_changes_of_the_callers_data_do_not_reach_it(self, store: Store) -> None:
        """What was written is what the record held then."""
        meta = {"list": [1]}
        await store.write("u", Changes(add=entries(passage("u", "a", meta=meta))))
        meta["list"].append(2)
        assert (await store.get("u", ["a"]))["a"].meta == {"list": [1]}

    async def test_what_told_an_alias_has_to_be_there(self, store: Store) -> None:
        """Else what is tied by it could not be tied anew when that is forgotten."""
        await store.write("u", Changes(add=entries(passage("u", "a"), passage("u", "b"))))
        await store.erase("u", Erasure(ids=("b",)))
        fact = Fact(scope="u", id="f", text="Nono likes tea", subject="Nono", sources=("a",), meta={NAMED_BY: ["b"]})
        with pytest.raises(SourcesGone) as caught:
            await store.write("u", Changes(add=entries(fact)))
        assert caught.value.ids == ("b",)
        assert await store.get("u", ["f"]) == {}

    async def test_an_edge_needs_its_target(self, store: Store) -> None:
        """`SourcesGone` names what is missing, and nothing of the write is left."""
        await store.write("u", Changes(add=entries(passage("u", "a"), passage("u", "b"))))
        await store.erase("u", Erasure(ids=("b",)))
        entity = Entity(scope="u", id="e", text="Ann", sources=("a",))
        for missing in ("b", "never"):
            edges = tuple(Edge(source="e", target=target, kind="mentions") for target in ("a", missing))
            with pytest.raises(SourcesGone) as caught:
                await store.write("u", Changes(add=entries(entity), edges=edges))
            assert caught.value.ids == (missing,)
            assert await store.get("u", ["e"]) == {}
            assert await store.citing("u", ["a", missing], ["entity"]) == []
