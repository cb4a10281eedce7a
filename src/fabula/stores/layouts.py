"""How an engine lays out vectors, as steps of named statements; knows no driver and no other table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fabula.index import Block
from fabula.stores.statements import Do, Rows, Steps

CHUNK: Final = 256
"""Vectors a chunk: numbers 0…255 stand in chunk 0, and so on."""

Halves: TypeAlias = NDArray[np.float16]
"""Vectors as they are kept: 16-bit floats."""
NO_VECTORS: Final[Block] = (np.empty(0, np.int64), np.empty((0, 0), np.float16))


class Layout(ABC):
    """Where vectors are put. They belong to a scope, a space and a record's number."""

    @abstractmethod
    def put(self, scope: str, space: str, revision: int, vectors: Mapping[int, Halves]) -> Steps[bool]:
        """Write vectors; return whether one of them was there before."""

    @abstractmethod
    def erase(self, scope: str, numbers: Collection[int]) -> Steps[int]:
        """Remove the vectors of these records in every space; return how many there were."""

    @abstractmethod
    def empty(self, scope: str) -> Steps[int]:
        """Remove all of a scope's vectors; return how many there were."""

    def keep(self, scope: str, space: str) -> Steps[None]:
        """Remove the vectors of every other space."""
        yield Do("drop_spaces", {"scope": scope, "space": space})

    @abstractmethod
    def numbers(self, scope: str, space: str) -> Steps[set[int]]:
        """Return which records have a vector in `space`."""

    @abstractmethod
    def page(self, scope: str, space: str, number: int, limit: int) -> Steps[list[tuple[Any, ...]]]:
        """Return about `limit` vectors after one as (space, number, bytes), in that order."""

    @abstractmethod
    def last(self, scope: str) -> Steps[tuple[Any, ...] | None]:
        """Return the space and number of the last vector there is."""

    def restore(self, scope: str, revision: int, rows: Sequence[tuple[Any, ...]]) -> Steps[None]:
        """Write what `page` gave."""
        for space in dict.fromkeys(row[0] for row in rows):
            vectors = {row[1]: np.frombuffer(row[2], "<f2") for row in rows if row[0] == space}
            yield from self.put(scope, space, revision, vectors)

    @abstractmethod
    def of(self, scope: str, space: str, numbers: Collection[int]) -> Steps[Block]:
        """Return the vectors of these records, those that have one."""

    @abstractmethod
    def blocks(self, rows: Rows) -> list[Block]:
        """Return what `load_vectors` gave as pairs of record numbers and a matrix with a row for each."""


class Chunks(Layout):
    """Chunks of up to 256 vectors, one blob each."""

    def put(self, scope: str, space: str, revision: int, vectors: Mapping[int, Halves]) -> Steps[bool]:
        chunks = sorted({number // CHUNK for number in vectors})
        rows = yield Do("vector_chunks", {"scope": scope, "space": space, "chunks": chunks})
        held = {row[1]: self._held(row[2], row[3]) for row in rows}
        replaced = any(number in held.get(number // CHUNK, {}) for number in vectors)
        for chunk in chunks:
            merged = held.get(chunk, {}) | {n: v for n, v in vectors.items() if n // CHUNK == chunk}
            yield self._chunk(scope, space, chunk, revision, merged)
        return replaced

    def erase(self, scope: str, numbers: Collection[int]) -> Steps[int]:
        chunks, erased = sorted({number // CHUNK for number in numbers}), 0
        rows = yield Do("vector_chunks", {"scope": scope, "space": None, "chunks": chunks})
        for space, chunk, who, what, revision in rows:
            held = self._held(who, what)
            kept = {number: vector for number, vector in held.items() if number not in numbers}
            if len(kept) < len(held):
                erased += len(held) - len(kept)
                yield self._chunk(scope, space, chunk, revision, kept)
        return erased

    def empty(self, scope: str) -> Steps[int]:
        rows = yield Do("audit_vectors", {"scope": scope})
        yield Do("empty_vectors", {"scope": scope})
        return sum(len(np.frombuffer(who, "<i8")) for _, who, _ in rows)

    def numbers(self, scope: str, space: str) -> Steps[set[int]]:
        rows = yield Do("embedded_numbers", {"scope": scope, "space": space})
        return {number for row in rows for number in np.frombuffer(row[0], "<i8").tolist()}

    def page(self, scope: str, space: str, number: int, limit: int) -> Steps[list[tuple[Any, ...]]]:
        where = {"scope": scope, "space": space, "chunk": number // CHUNK, "limit": limit // CHUNK + 2}
        rows = yield Do("page_vectors", where)
        found = [(row[0], n, v.tobytes()) for row in rows for n, v in self._held(row[1], row[2]).items()]
        return [row for row in found if row[:2] > (space, number)]

    def last(self, scope: str) -> Steps[tuple[Any, ...] | None]:
        rows = yield Do("last_vectors", {"scope": scope})
        return (rows[0][0], int(np.frombuffer(rows[0][1], "<i8").max())) if rows else None

    def of(self, scope: str, space: str, numbers: Collection[int]) -> Steps[Block]:
        chunks = sorted({number // CHUNK for number in numbers})
        rows = yield Do("vectors_of", {"scope": scope, "space": space, "chunks": chunks})
        held = {n: vector for row in rows for n, vector in self._held(*row).items() if n in numbers}
        return _block(held)

    def blocks(self, rows: Rows) -> list[Block]:
        found: list[Block] = []
        for numbers, vectors in rows:
            who = np.frombuffer(numbers, "<i8")
            found.append((who, np.frombuffer(vectors, "<f2").reshape(len(who), -1)))
        return found

    def _held(self, numbers: bytes, vectors: bytes) -> dict[int, Halves]:
        ((who, matrix),) = self.blocks([(numbers, vectors)])
        return dict(zip(who.tolist(), matrix, strict=True))

    def _chunk(self, scope: str, space: str, chunk: int, revision: int, vectors: Mapping[int, Halves]) -> Do:
        """The statement that writes a chunk, or takes it away where nothing is left in it."""
        where: dict[str, Any] = {"scope": scope, "space": space, "chunk": chunk}
        if not vectors:
            return Do("delete_vectors", where)
        who = sorted(vectors)
        matrix = np.stack([vectors[number] for number in who])
        blobs = {"numbers": np.array(who, "<i8").tobytes(), "vectors": matrix.astype("<f2").tobytes()}
        return Do("put_vectors", {**where, "revision": revision, **blobs})


class Single(Layout):
    """A row a vector, of pgvector's type halfvec."""

    def put(self, scope: str, space: str, revision: int, vectors: Mapping[int, Halves]) -> Steps[bool]:
        rows = yield Do("known_vectors", {"scope": scope, "space": space, "numbers": list(vectors)})
        where = {"scope": scope, "space": space, "revision": revision}
        yield Do("put_vectors", [{**where, "number": n, "halves": vector.tolist()} for n, vector in vectors.items()])
        return bool(rows)

    def erase(self, scope: str, numbers: Collection[int]) -> Steps[int]:
        return len((yield Do("delete_vectors", {"scope": scope, "numbers": list(numbers)})))

    def empty(self, scope: str) -> Steps[int]:
        return len((yield Do("empty_vectors", {"scope": scope})))

    def numbers(self, scope: str, space: str) -> Steps[set[int]]:
        rows = yield Do("embedded_numbers", {"scope": scope, "space": space})
        return {row[0] for row in rows}

    def page(self, scope: str, space: str, number: int, limit: int) -> Steps[list[tuple[Any, ...]]]:
        rows = yield Do("page_vectors", {"scope": scope, "space": space, "number": number, "limit": limit})
        return [(row[0], row[1], self.unpacked(row[2]).tobytes()) for row in rows]

    def last(self, scope: str) -> Steps[tuple[Any, ...] | None]:
        rows = yield Do("last_vectors", {"scope": scope})
        return (rows[0][0], rows[0][1]) if rows else None

    def of(self, scope: str, space: str, numbers: Collection[int]) -> Steps[Block]:
        rows = yield Do("vectors_of", {"scope": scope, "space": space, "numbers": list(numbers)})
        return self.block(rows)

    def blocks(self, rows: Rows) -> list[Block]:
        return [self.block(rows)] if rows else []

    @staticmethod
    def block(rows: Rows) -> Block:
        """Return rows of a number and a vector's binary form as one block."""
        if not rows:
            return NO_VECTORS
        who = np.fromiter((row[0] for row in rows), np.int64, len(rows))
        # Before its numbers, a halfvec tells its dimensions and two bytes of nothing.
        matrix = np.frombuffer(b"".join(row[1] for row in rows), ">f2").reshape(len(who), -1)[:, 2:]
        return who, matrix

    @staticmethod
    def unpacked(vector: bytes) -> Halves:
        """Return the vector in the binary form of halfvec."""
        return np.frombuffer(vector, ">f2")[2:].astype("<f2")


def _block(vectors: Mapping[int, Halves]) -> Block:
    if not vectors:
        return NO_VECTORS
    return np.array(list(vectors), np.int64), np.stack(list(vectors.values()))
