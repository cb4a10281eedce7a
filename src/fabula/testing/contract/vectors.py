"""That vectors and embeddings come back, in the space they were made in and in no other.

It knows nothing of similarity beyond the length of a vector.
"""

from __future__ import annotations

import numpy as np
import pytest

from fabula.abc import Changes, Erasure, Filter, Store
from fabula.errors import EmbeddingMismatch
from fabula.testing.contract.making import (
    OTHER_SPACE,
    SPACE,
    assert_same,
    direction,
    entries,
    fact,
    passage,
    vectors_of,
)

MANY = 2100


class VectorsContract:
    """Vectors, spaces and the embedding cache."""

    async def test_vectors_come_back_as_unit_vectors(self, store: Store) -> None:
        """Storing costs less than a thousandth of length and direction, whatever the kind of record."""
        records = [passage("u", "a"), fact("u", "t"), passage("u", "bare")]
        vectors = {"a": direction("a"), "t": np.eye(1, 32, 5, dtype=np.float32)[0]}
        await store.write("u", Changes(add=entries(*records), vectors=vectors, space=SPACE))
        index = await store.load("u", SPACE)
        assert index.space == index.stored_space == SPACE
        assert index.of("passage").embedded.tolist() == [True, False]
        assert not index.of("passage").vectors[1].any()
        for held, name in ((index.of("passage"), "a"), (index.of("fact"), "t")):
            stored = held.vectors[0]
            assert stored.dtype == np.float32
            assert abs(float(np.linalg.norm(stored)) - 1) < 1e-3
            assert float(stored @ vectors[name]) > 1 - 1e-3

    async def test_vectors_fill_in_later(self, store: Store) -> None:
        """A record is searchable first and embedded afterwards; an extended index learns of it."""
        names = [f"p{n}" for n in range(5)]
        await store.write("u", Changes(add=entries(*(passage("u", name) for name in names), tasks=("embed",))))
        index = await store.load("u", SPACE)
        assert vectors_of(index) == {}
        for name in reversed(names):
            await store.write("u", Changes(vectors={name: direction(name)}, space=SPACE, done=(("embed", name),)))
            index = await store.load("u", SPACE, index)
        assert index.of("passage").embedded.all()
        for row, name in enumerate(names):
            assert float(index.of("passage").vectors[row] @ direction(name)) > 1 - 1e-3
        assert_same(index, await store.load("u", SPACE))
        assert await store.pending("u", "embed") == []

    async def test_thousands_of_vectors(self, store: Store) -> None:
        """Each of many vectors, from writes of all sizes, stays with its own record."""
        names = [f"p{n}" for n in range(MANY)]
        await store.write("u", Changes(add=entries(*(passage("u", name, "x") for name in names))))
        index = await store.load("u", SPACE)
        vectors = {name: direction(name) for name in names}
        todo, size = names[::-1], 1
        while todo:
            part, todo = todo[:size], todo[size:]
            await store.write("u", Changes(vectors={name: vectors[name] for name in part}, space=SPACE))
            size = size * 3 % 1000
        index = await store.load("u", SPACE, index)
        assert_same(index, await store.load("u", SPACE))
        matrix = index.of("passage").vectors[:MANY]
        likeness = np.einsum("rd,rd->r", matrix, np.array([vectors[name] for name in names]))
        assert likeness.min() > 1 - 1e-3
        await store.erase("u", Erasure(ids=tuple(names[::2])))
        left = await store.load("u", SPACE, index)
        matrix = left.of("passage").vectors[: MANY // 2]
        assert left.of("passage").embedded.all()
        assert np.einsum("rd,rd->r", matrix, np.array([vectors[name] for name in names[1::2]])).min() > 1 - 1e-3

    async def test_a_vector_may_be_written_again(self, store: Store) -> None:
        """The last vector of a record is its only one, in an extended index too; an older index keeps the old one."""
        await store.write("u", Changes(add=entries(passage("u", "a")), vectors={"a": direction("x")}, space=SPACE))
        base = await store.load("u", SPACE)
        await store.write("u", Changes(vectors={"a": direction("y")}, space=SPACE))
        for index, text in (
            (await store.load("u", SPACE, base), "y"),
            (await store.load("u", SPACE), "y"),
            (base, "x"),
        ):
            (vector,) = vectors_of(index).values()
            assert float(vector @ direction(text)) > 1 - 1e-3

    async def test_a_new_version_has_its_own_vector(self, store: Store) -> None:
        """A vector belongs to the version that was live when it was written."""
        await store.write("u", Changes(put=entries(fact("u", "t")), vectors={"t": direction("old")}, space=SPACE))
        base = await store.load("u", SPACE)
        await store.write("u", Changes(put=entries(fact("u", "t", text="new"))))
        index = await store.load("u", SPACE, base)
        assert index.of("fact").embedded.tolist() == [True, False]
        await store.write("u", Changes(vectors={"t": direction("new")}, space=SPACE))
        index = await store.load("u", SPACE, index)
        old, new = index.of("fact").vectors[:2]
        assert float(old @ direction("old")) > 1 - 1e-3
        assert float(new @ direction("new")) > 1 - 1e-3
        assert_same(index, await store.load("u", SPACE))

    async def test_another_model_cannot_write(self, store: Store) -> None:
        """`EmbeddingMismatch` names both spaces, and nothing of the write is left."""
        await store.write("u", Changes(add=entries(passage("u", "a")), vectors={"a": direction("a")}, space=SPACE))
        before = await store.load("u", SPACE)
        with pytest.raises(EmbeddingMismatch) as mismatch:
            await store.write(
                "u",
                Changes(add=entries(passage("u", "b")), vectors={"b": direction("b", 16)}, space=OTHER_SPACE),
            )
        assert (mismatch.value.scope, mismatch.value.stored, mismatch.value.used) == ("u", SPACE, OTHER_SPACE)
        assert await store.get("u", ["b"]) == {}
        assert await store.load("u", SPACE, before) is before
        await store.write(
            "v", Changes(add=entries(passage("v", "a")), vectors={"a": direction("a", 16)}, space=OTHER_SPACE)
        )
        assert (await store.load("v", OTHER_SPACE)).stored_space == OTHER_SPACE

    async def test_another_models_vectors_are_not_loaded(self, store: Store) -> None:
        """An index asked for in another space holds no vectors, says which are kept, and is no basis for the other."""
        await store.write("u", Changes(add=entries(passage("u", "a")), vectors={"a": direction("a")}, space=SPACE))
        base = await store.load("u", SPACE)
        for space in (OTHER_SPACE, ""):
            other = await store.load("u", space, base)
            assert other.stored_space == SPACE
            assert vectors_of(other) == {}
            assert_same(other, await store.load("u", space))
            assert await store.load("u", space, other) is other
            assert len(vectors_of(await store.load("u", SPACE, other))) == 1

    async def test_vectors_of_nothing_are_not_kept(self, store: Store) -> None:
        """A vector for a record that is not there, erased perhaps while it was made, leaves no trace."""
        await store.write("u", Changes(add=entries(passage("u", "a"), passage("u", "b"))))
        await store.erase("u", Erasure(ids=("a",)))
        await store.write("u", Changes(vectors={"a": direction("a"), "b": direction("b")}, space=SPACE))
        index = await store.load("u", SPACE)
        ((number, _),) = await store.find("u", Filter(kind="passage"))
        assert list(vectors_of(index)) == [number]

    async def test_embeddings_are_remembered(self, store: Store) -> None:
        """By content hash, scope and space; the hash may be any bytes."""
        hashes = [bytes(range(n, n + 16)) for n in (0, 128, 240)]
        kept = {key: direction(str(key)) for key in hashes}
        await store.write("u", Changes(add=entries(passage("u", "p")), cache=kept, space=SPACE))
        found = await store.cached("u", SPACE, [*hashes, b"unknown"])
        assert found.keys() == kept.keys()
        for key, vector in found.items():
            assert vector.shape == (32,)
            assert float(vector @ kept[key]) > 1 - 1e-3
        assert await store.cached("v", SPACE, hashes) == {}
        assert await store.cached("u", OTHER_SPACE, hashes) == {}
        await store.write("u", Changes(cache=kept, space=SPACE))
        assert (await store.cached("u", SPACE, hashes[:1])).keys() == {hashes[0]}

    @pytest.mark.parametrize("erasure", [Erasure(ids=("a",)), Erasure(session="s"), Erasure(everything=True)])
    async def test_any_erasure_forgets_the_embeddings(self, store: Store, second: Store, erasure: Erasure) -> None:
        """A hash does not say whose text it was: all of the scope's go, no other scope's."""
        for scope in ("u", "v"):
            change = Changes(add=entries(passage(scope, "a", session="s")), cache={b"h": direction("h")}, space=SPACE)
            await store.write(scope, change)
        assert await second.cached("u", SPACE, [b"h"])
        await store.erase("u", erasure)
        assert await store.cached("u", SPACE, [b"h"]) == {}
        assert await second.cached("u", SPACE, [b"h"]) == {}
        assert list(await store.cached("v", SPACE, [b"h"])) == [b"h"]

    async def test_an_erased_record_leaves_no_embedding_behind(self, store: Store) -> None:
        """A vector that comes too late is not kept, neither as a vector nor by its content."""
        said = [passage("u", name) for name in "ab"]
        await store.write("u", Changes(add=entries(*said)))
        await store.erase("u", Erasure(ids=("a",)))
        late = {b"a": direction("a"), b"b": direction("b")}
        await store.write("u", Changes(vectors={"a": late[b"a"]}, space=SPACE, cache={b"a": late[b"a"]}))
        await store.write("u", Changes(vectors={name: direction(name) for name in "ab"}, space=SPACE, cache=late))
        assert b"a" not in await store.cached("u", SPACE, [b"a", b"b"])
        assert len(vectors_of(await store.load("u", SPACE))) == 1
        await store.write("u", Changes(vectors={"b": late[b"b"]}, space=SPACE, cache={b"b": late[b"b"]}))
        assert list(await store.cached("u", SPACE, [b"a", b"b"])) == [b"b"]
