"""That the index agrees with the records: its columns, its terms, and that extending it is as good as loading it.

It knows nothing of scores and little of vectors.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.abc import Changes, Erasure, Filter, Store
from fabula.index import Index
from fabula.testing.contract.making import (
    CHINA,
    NOON,
    SPACE,
    assert_same,
    columns,
    direction,
    entries,
    entry,
    examples,
    fact,
    frame,
    fresh,
    passage,
    seconds,
    since,
    six,
    term,
    terms,
    vectors_of,
)
from fabula.types import Interval, Passage

IDS = [f"{session}{n}" for session in "st" for n in range(3)]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(IDS)),
        st.tuples(st.just("fact"), st.sampled_from(IDS)),
        st.tuples(st.just("close"), st.sampled_from(IDS)),
        st.tuples(st.just("embed"), st.sampled_from(IDS)),
        st.tuples(st.just("erase"), st.sampled_from([*IDS, *(f"fact-{id}" for id in IDS)])),  # noqa: A001
        st.tuples(st.just("session"), st.sampled_from("st")),
        st.tuples(st.just("reindex"), st.just("")),
        st.tuples(st.just("everything"), st.just("")),
    ),
    min_size=3,
    max_size=12,
)


async def step(store: Store, scope: str, verb: str, name: str, turn: int) -> None:
    """Do one random thing to a scope."""
    match verb:
        case "say":
            said = passage(scope, name, f"{name} says {turn}", session=name[0], speaker=f"speaker {turn % 2}")
            await store.write(scope, Changes(add=entries(said)))
        case "fact":
            sources = tuple(await store.get(scope, [name]))
            made = fact(scope, f"fact-{name}", *sources, text=f"{name} in turn {turn}", importance=turn / 16)
            await store.write(scope, Changes(put=entries(made)))
        case "close":
            await store.write(scope, Changes(close=(f"fact-{name}",)))
        case "embed":
            texts = {id: record.text for id, record in (await store.get(scope, [name, f"fact-{name}"])).items()}  # noqa: A001
            vectors = {id: direction(text) for id, text in texts.items()}  # noqa: A001
            await store.write(scope, Changes(vectors=vectors, space=SPACE))
        case "erase":
            await store.erase(scope, Erasure(ids=(name,)))
        case "session":
            await store.erase(scope, Erasure(session=name))
        case "reindex":
            found = await store.find(scope, Filter(kind="passage"))
            again = {number: terms(f"{record.text} again {turn}") for number, record in found}
            await store.write(scope, Changes(terms=again, analyzer=turn))
        case _:
            await store.erase(scope, Erasure(everything=True))


class IndexingContract:
    """Loading and extending an index."""

    async def test_an_unknown_scope_has_an_empty_index(self, store: Store) -> None:
        """There is nothing in it, of any kind."""
        index = await store.load("nobody", SPACE)
        assert index.stored_space == ""
        assert all(len(held) == 0 for held in index.fields.values())

    async def test_the_columns_are_the_records(self, store: Store) -> None:
        """Every column holds what the record says, in order of arrival."""
        day = Interval(
            start=datetime(2024, 3, 1, tzinfo=CHINA), end=datetime(2024, 3, 2, tzinfo=CHINA), precision="day"
        )
        said = [
            passage("u", "a", "green tea green", session="s", speaker="Ann", importance=0.25),
            passage("u", "b", "绿茶 tea", session="t", speaker="李雷", valid=day),
            passage("u", "c", "coffee", session="s", speaker="Ann", valid=None),
            passage("u", "d", "coffee", session="s", speaker="Bob", valid=Interval(end=NOON)),
        ]
        await store.write("u", Changes(add=entries(*said)))
        index = await store.load("u", "")
        held = columns(index)["passage"]
        numbers = [number for number, _ in await store.find("u", Filter(kind="passage"))]
        stored = await store.get("u", list("abcd"))
        noon, start, end = seconds(NOON), seconds(datetime(2024, 2, 29, 16, tzinfo=UTC)), None
        end = start + 86400
        assert held["number"] == numbers
        assert held["session"] == ["s", "t", "s", "s"]
        assert held["speaker"] == ["Ann", "李雷", "Ann", "Bob"]
        assert held["seq"] == [0, 0, 1, 2]
        assert held["valid_from"] == [noon, start, None, None]
        assert held["valid_to"] == [noon, end, None, noon]
        assert held["recorded_from"] == [seconds(since(stored[name])) for name in "abcd"]
        assert held["importance"] == [0.25, 0.5, 0.5, 0.5]
        assert (held["before"], held["after"]) == ([-1, -1, 0, 2], [2, -1, 3, -1])
        assert held["length"] == [3, 2, 1, 1]
        assert held["words"] == [3, 2, 1, 1]

    async def test_terms_are_found(self, store: Store) -> None:
        """Postings lead from a term to the rows and how often; questions are marked."""
        asked, answered = passage("u", "a", "which tea tea"), passage("u", "b", "green tea")
        question = replace(entry(asked), terms=terms(asked.text, question=True))
        await store.write("u", Changes(add=(question, entry(answered))))
        held = (await store.load("u", "")).of("passage")
        rows, counts = held.postings.of(term("tea"))
        assert dict(zip(rows.tolist(), counts.tolist(), strict=True)) == {0: 2, 1: 1}
        assert held.postings.of(term("green"))[0].tolist() == [1]
        assert held.postings.of(term("coffee"))[0].tolist() == []
        assert held.question.tolist() == [True, False]

    async def test_every_kind_is_in_the_index(self, store: Store) -> None:
        """Whatever has terms is searchable."""
        await store.write("u", Changes(add=entries(*six("u"))))
        index = await store.load("u", "")
        assert {kind: len(index.of(kind)) for kind in index.fields} == dict.fromkeys(
            ("passage", "frame", "fact", "entity", "insight", "note"), 1
        )

    async def test_nothing_new_gives_the_same_object(self, store: Store) -> None:
        """An index that is current is returned as it is."""
        await store.write("u", Changes(add=entries(passage("u", "a")), vectors={"a": direction("a")}, space=SPACE))
        base = await store.load("u", SPACE)
        await store.write("v", Changes(add=entries(passage("v", "a"))))
        await store.get("u", ["a"])
        assert await store.load("u", SPACE, base) is base

    async def test_an_index_is_extended_by_another_process_too(self, store: Store, second: Store) -> None:
        """Writes of any store object on the database are seen by the next load of any other."""
        await store.write("u", Changes(add=entries(passage("u", "a"))))
        base = await store.load("u", SPACE)
        await second.write("u", Changes(add=entries(passage("u", "b")), vectors={"a": direction("a")}, space=SPACE))
        index = await store.load("u", SPACE, base)
        assert len(index.of("passage")) == 2
        assert len(vectors_of(index)) == 1
        assert_same(index, await second.load("u", SPACE))

    async def test_an_index_that_was_handed_out_stays(self, store: Store) -> None:
        """Extending, twice from the same one too, changes nothing in the older indexes."""
        vectors = {name: direction(name) for name in "abcdefgh"}
        handed: list[tuple[Index, Index]] = []
        base: Index | None = None
        for name in vectors:
            change = Changes(
                add=entries(passage("u", name), fact("u", f"t{name}")), vectors={name: vectors[name]}, space=SPACE
            )
            await store.write("u", change)
            older, base = base, await store.load("u", SPACE, base)
            if older is not None:
                assert_same(await store.load("u", SPACE, older), base)
            handed.append((base, copy.deepcopy(base)))
        await store.write("u", Changes(close=("ta",)))
        await store.load("u", SPACE, base)
        await store.erase("u", Erasure(ids=("a",)))
        await store.load("u", SPACE, base)
        for index, then in handed:
            assert_same(index, then)

    async def test_new_terms_replace_the_old(self, store: Store) -> None:
        """Terms made anew are found, the old ones are not, an older index is no basis, and the version is kept."""
        await store.write("u", Changes(add=entries(passage("u", "a", "tea"), passage("u", "b", "tea")), analyzer=1))
        base = await store.load("u", "")
        assert base.analyzer == 1
        ((number, _), _) = await store.find("u", Filter(kind="passage"))
        await store.write("u", Changes(terms={number: terms("茶 茶")}, analyzer=2))
        assert (await store.load("u", "")).analyzer == 1, "other terms are still of the first version"
        await store.write("u", Changes(analyzer=2, reindexed=True))
        index = await store.load("u", "", base)
        assert index.analyzer == 2
        held = index.of("passage")
        assert held.postings.of(term("tea"))[0].tolist() == [1]
        assert held.postings.of(term("茶"))[1].tolist() == [2]
        assert held.length.tolist() == [2, 1]
        assert_same(index, await store.load("u", ""))
        await store.write("u", Changes(add=entries(passage("u", "c"))))
        assert (await store.load("u", "", index)).analyzer == 2

    async def test_a_session_goes_on_over_loads(self, store: Store) -> None:
        """Neighbours are found across the seam of an extension."""
        base: Index | None = None
        for n in range(6):
            said = passage("u", f"p{n}", session="st"[n % 2], minute=n)
            await store.write("u", Changes(add=entries(said, frame("u", f"f{n}", f"p{n}", session="z"))))
            base = await store.load("u", "", base)
        assert base is not None
        held = base.of("passage")
        assert held.before.tolist() == [-1, -1, 0, 1, 2, 3]
        assert held.after.tolist() == [2, 3, 4, 5, -1, -1]
        assert base.of("frame").before.tolist() == [-1] * 6

    @examples
    @given(steps=STEPS, every=st.integers(1, 4))
    async def test_extending_is_as_good_as_loading(
        self, store: Store, second: Store, steps: list[tuple[str, str]], every: int
    ) -> None:
        """After any operations by two processes, an extended index equals a fresh one in every column."""
        scope = fresh()
        base: Index | None = None
        for turn, (verb, name) in enumerate(steps, 1):
            await step((store, second)[turn % 2], scope, verb, name, turn)
            if turn % every == 0:
                base = await store.load(scope, SPACE, base)
                assert_same(base, await second.load(scope, SPACE))
        final = await store.load(scope, SPACE, base)
        assert_same(final, await second.load(scope, SPACE))
        believed = await store.find(scope, Filter(kind="passage"))
        assert final.of("passage").number.tolist() == [number for number, _ in believed]
        assert all(isinstance(record, Passage) for _, record in believed)

    async def test_as_of_is_a_cut_through_the_index(self, store: Store) -> None:
        """`Index.at` with the store's own times gives what was recorded by then."""
        for name in "abc":
            await store.write("u", Changes(add=entries(passage("u", name))))
        index = await store.load("u", "")
        at = since((await store.get("u", ["b"]))["b"])
        assert len(index.at(seconds(at)).of("passage")) == 2
        assert len(index.at(seconds(at - timedelta(microseconds=1))).of("passage")) == 1

    async def test_terms_of_an_erased_record_are_not_kept(self, store: Store) -> None:
        """Whoever makes terms anew may have read the record before it went."""
        await store.write("u", Changes(add=entries(passage("u", "a", "tea"), passage("u", "b", "music"))))
        (gone, _), (kept, _) = await store.find("u", Filter(kind="passage"))
        await store.erase("u", Erasure(ids=("a",)))
        await store.write("u", Changes(terms={gone: terms("secret"), kept: terms("song")}))
        assert await store.check() == []
        index = await store.load("u", "")
        held = index.of("passage")
        assert held.number.tolist() == [kept]
        assert [len(held.postings.of(term(word))[0]) for word in ("secret", "song", "music")] == [0, 1, 0]

    @pytest.mark.parametrize(
        "changes",
        [
            Changes(vectors={"a": direction("a")}, space=SPACE, cache={b"a": direction("a")}),
            Changes(terms={0: terms("tea")}),
            Changes(analyzer=3),
            Changes(analyzer=3, reindexed=True),
            Changes(done=(("embed", "a"),), close=("a",)),
        ],
        ids=["vectors", "terms", "analyzer", "reindexed", "done"],
    )
    async def test_nothing_to_keep_makes_no_scope(self, store: Store, changes: Changes) -> None:
        """What belongs to records needs records: a scope that was erased meanwhile stays so."""
        await store.write("u", changes)
        assert await store.scopes() == []
        assert (await store.stats()).scopes == 0
        assert await store.cached("u", SPACE, [b"a"]) == {}
        assert (await store.load("u", SPACE)).revision == 0

    async def test_the_analyzer_changes_when_all_is_reindexed(self, store: Store) -> None:
        """Until then the scope is of the version that made its first terms, whatever is added."""
        await store.write("u", Changes(add=entries(passage("u", "a", "tea")), analyzer=3))
        ((number, _),) = await store.find("u", Filter(kind="passage"))
        await store.write("u", Changes(add=entries(passage("u", "b", "music")), analyzer=4))
        await store.write("u", Changes(terms={number: terms("tea")}, analyzer=4))
        assert (await store.load("u", "")).analyzer == 3
        await store.write("u", Changes(analyzer=4, reindexed=True))
        assert (await store.load("u", "")).analyzer == 4
        await store.write("u", Changes(reindexed=True))
        assert (await store.load("u", "")).analyzer == 4
