"""What once went wrong and must not again: work that spins, memories that come back, indexes that drift."""

import asyncio
import random
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula import AsyncMemory, MemoryClosed, Message, Passage, Plan, ProviderUnavailable, Settings
from fabula.abc import Changes, Erasure, Extraction, Filter, Lease, Role, Task, Vectors
from fabula.index import Index
from fabula.stores import SQLiteStore, open_store
from fabula.stores.hot import HotStore
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.testing.contract.making import SPACE, assert_same, direction, entries, passage, vectors_of
from fabula.types import Entity, Frame, Note

CANARY = "Quetzalcoatlus"


class Counting(HotStore):
    """Counts how often it is asked for work, in front of any engine."""

    looked = 0

    def __init__(self, db: str) -> None:
        super().__init__(open_store(db))

    async def lease(
        self, worker: str, tasks: Sequence[Task], now: datetime, seconds: float, *,
        due: datetime | None = None, scope: str | None = None,
    ) -> Lease | None:  # fmt: skip
        self.looked += 1
        return await super().lease(worker, tasks, now, seconds, due=due, scope=scope)


def quiet(extraction: Callable[[Sequence[Passage]], Extraction] | None = None) -> FakeExtractor:
    return FakeExtractor(extraction or (lambda _: Extraction()))


# --- work that fails ---


@pytest.mark.parametrize("moving", [False, True], ids=["clock stands", "clock moves"])
async def test_a_worker_does_not_spin_on_what_fails_at_once(db: str, moving: bool):
    store, embedder = Counting(db), HashEmbedder(fail=ProviderUnavailable("down"))
    more: dict[str, Any] = {} if moving else {"clock": FakeClock()}
    settings = Settings(backoff=0, idle=0, batch=2, drain=0.2)
    async with AsyncMemory(store, embedder=embedder, extractor=quiet(), settings=settings, **more) as memory:
        await memory.remember("u", ["tea", "music", "a walk"])
        await memory.remember("v", "tea")
        await asyncio.sleep(0.5)
        assert embedder.calls
        assert 0 < store.looked < 60
        assert len(embedder.calls) < 20


async def test_an_extractor_that_cites_what_does_not_exist_fails_by_name(db: str):
    def invented(window: Sequence[Passage]) -> Extraction:
        return Extraction(frames=(Frame(scope="", id="f", text="x", sources=(window[0].id, "no-such-id")),))

    store, extractor = Counting(db), quiet(invented)
    async with AsyncMemory(store, embedder=HashEmbedder(), extractor=extractor, background=False) as memory:
        await memory.remember("u", ["tea", "music"])
        async with asyncio.timeout(5):
            flushed = await memory.flush()
        assert (flushed.pending, flushed.failed) == (2, 2)
        assert "no-such-id" in flushed.errors[0]
        assert all("no-such-id" in piece.error for piece in await store.pending("u", "extract"))
        assert len(extractor.windows) < 5
        assert 0 < store.looked < 20
        assert await memory.records("u", "frame") == []


class Broken(HashEmbedder):
    """A model whose every answer is spoilt in the same way."""

    def __init__(self, spoilt: Callable[[Vectors], Vectors]) -> None:
        super().__init__()
        self._spoilt = spoilt

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        return self._spoilt(await super().embed(texts, role))


SPOILT: dict[str, Callable[[Vectors], Vectors]] = {
    "nan": lambda rows: rows * np.float32(np.nan),
    "infinite": lambda rows: rows * np.float32(np.inf),
    "zeros": lambda rows: rows * 0,
    "one row short": lambda rows: rows[:-1],
    "narrow": lambda rows: rows[:, :-1],
    "flat": lambda rows: rows.ravel(),
}


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("how", SPOILT)
async def test_a_model_that_answers_nonsense_is_named_and_nothing_of_it_is_kept(db: str, how: str):
    store, clock = open_store(db), FakeClock()
    given: dict[str, Any] = {"extractor": quiet(), "clock": clock, "background": False}
    async with AsyncMemory(store, embedder=Broken(SPOILT[how]), **given) as memory:
        await memory.remember("u", ["tea", "music"])
        flushed = await memory.flush()
        assert (flushed.pending, flushed.failed) == (2, 2)
        assert "gave" in flushed.errors[0]
        assert "hash/64" in flushed.errors[0]
        assert {piece.error for piece in await store.pending("u", "embed")} == set(flushed.errors)
        index = await store.load("u", "hash/64")
        assert (index.stored_space, vectors_of(index)) == ("", {})
        assert await memory.check() == []
    async with AsyncMemory(open_store(db), embedder=HashEmbedder(), **given) as memory:
        assert (await memory.flush()).pending == 0
    async with AsyncMemory(open_store(db), embedder=Broken(SPOILT[how]), **given) as memory:
        found = await memory.recall("u", "tea")
        assert found.hits[0].record.text == "tea"
        assert [reason for reason in found.degraded if reason.startswith("dense: hash/64 gave")] == list(found.degraded)
        assert found.degraded


# --- what was forgotten ---


async def test_a_forgotten_frame_does_not_come_back(db: str):
    async with AsyncMemory(db, embedder=None, background=False) as memory:
        await memory.remember("u", [Message("I moved to Porto in May", speaker="Ann"), Message("Nice!", speaker="Bo")])
        await memory.flush()
        (made,) = await memory.records("u", "frame")
        assert await memory.forget("u", ids=[made.id])
        assert (await memory.flush()).errors == ()
        assert await memory.records("u", "frame") == []
        assert len(await memory.records("u")) == 2
        assert await memory.check() == []


def named(window: Sequence[Passage]) -> Extraction:
    """One frame, one entity and one note, the latter two under the same id whatever was said."""
    cited = tuple(said.id for said in window)
    return Extraction(
        frames=(Frame(scope="", id=f"f-{cited[0]}", text="Ann came", sources=cited),),
        entities=(Entity(scope="", id="ann", text="Ann", sources=cited),),
        notes=(Note(scope="", id="", text="Ann", namespace="n", key="friend", value="Ann", sources=cited),),
    )


async def test_a_forgotten_entity_does_not_come_back_with_more_talk(db: str):
    async with AsyncMemory(db, embedder=None, extractor=quiet(named), background=False) as memory:
        await memory.remember("u", "Ann was here")
        await memory.flush()
        assert await memory.forget("u", ids=["ann"])
        await memory.remember("u", ["Ann was here again", "and Ann left"])
        assert (await memory.flush()).errors == ()
        assert await memory.records("u", "entity") == []
        assert len(await memory.records("u", "frame")) == 2
        assert await memory.check() == []


@pytest.mark.parametrize("kind", ["entity", "note"])
async def test_what_was_forgotten_does_not_come_back_when_its_passage_is_read_again(db: str, kind: Any):
    """Forgetting one passage of a frame has the others read again."""
    extractor = quiet(named)
    async with AsyncMemory(db, embedder=None, extractor=extractor, background=False) as memory:
        await memory.remember("u", [Message("Ann was here", id="1"), Message("and Ann left", id="2")])
        await memory.flush()
        (made,) = await memory.records("u", kind)
        assert await memory.forget("u", ids=[made.id])
        await memory.forget("u", refs=["2"])
        assert (await memory.flush()).errors == ()
        assert [len(window) for window in extractor.windows] == [2, 1]
        assert await memory.records("u", kind) == []
        assert await memory.check() == []


async def test_a_reader_elsewhere_does_not_keep_what_was_forgotten_for_long(file: Path):
    async with AsyncMemory(file, embedder=HashEmbedder(), extractor=quiet(), background=False) as memory:
        await memory.remember("u", [Message(f"{CANARY} over the sea", id="1"), Message("tea", id="2")])
        await memory.flush()
        with closing(sqlite3.connect(file, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            tables = reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            assert tables[0]
            assert await memory.forget("u", refs=["1"])
            reader.execute("COMMIT")
        await memory.remember("u", "music")
        files = sorted(file.parent.glob(f"{file.name}*"))
        assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []


async def test_a_write_under_way_does_not_leave_what_is_forgotten_in_the_log(file: Path):
    store = SQLiteStore(file)
    await store.open()
    for n in range(5):
        await store.write("u", Changes(add=entries(passage("u", f"m{n}", f"{CANARY} over the sea"))))
        other = asyncio.create_task(store.write("v", Changes(add=entries(passage("v", f"m{n}", "tea")))))
        await asyncio.sleep(0)
        assert await store.erase("u", Erasure(ids=(f"m{n}",)))
        files = sorted(file.parent.glob(f"{file.name}*"))
        assert [path.name for path in files if CANARY.encode() in path.read_bytes()] == []
        await other
    await store.close()


# --- values under a key ---


@pytest.mark.parametrize(
    ("old", "new"),
    [("tea", "coffee"), (["tea"], ["tea", "milk"]), ({"hot": ["tea"]}, {"hot": []}), (1, None)],
    ids=str,
)
async def test_a_key_has_one_value_and_its_past(db: str, old: Any, new: Any):
    values = iter([old, old, new])

    def noted(window: Sequence[Passage]) -> Extraction:
        value, cited = next(values), (window[0].id,)
        note = Note(
            scope="", id=f"n-{cited[0]}", text=str(value), namespace="likes", key="drink", value=value, sources=cited
        )
        return Extraction(notes=(note,))

    store = open_store(db)
    async with AsyncMemory(store, embedder=None, extractor=quiet(noted), background=False) as memory:
        versions: list[list[tuple[Any, bool]]] = []
        for text in ("one", "two", "three"):
            await memory.remember("u", text)
            assert (await memory.flush()).errors == ()
            found = await store.find("u", Filter(kind="note", status=None, ended=True))
            versions.append([(n.value, bool(n.recorded and n.recorded.end)) for _, n in found if isinstance(n, Note)])
        again = [(old, True), (old, False)]  # told by one message more
        assert versions == [[(old, False)], again, [(old, True), (old, True), (new, False)]]
        assert [getattr(note, "value", "?") for note in await memory.records("u", "note")] == [new]
        assert await memory.check() == []


async def test_half_a_character_deep_in_a_value_is_no_reason_to_fail(db: str):
    def noted(window: Sequence[Passage]) -> Extraction:
        value, cited = {"a": ["tea \ud83d"]}, (window[0].id,)
        return Extraction(notes=(Note(scope="", id="", text="tea", key="drink", value=value, sources=cited),))

    async with AsyncMemory(db, embedder=None, extractor=quiet(noted), background=False) as memory:
        await memory.remember("u", "one")
        assert (await memory.flush()).errors == ()
        (note,) = await memory.records("u", "note")
        assert isinstance(note, Note)
        assert str(note.value["a"][0]).startswith("tea")
        note.value["a"][0].encode()


# --- the hot tier, opening and closing ---


async def test_loads_that_are_cancelled_leave_the_hot_index_whole(db: str, monkeypatch: pytest.MonkeyPatch):
    chance, extended = random.Random(7), Index.extended

    def slowly(*args: Any, **state: Any) -> Index:
        # In another thread, where an abandoned load would go on beside the next one.
        time.sleep(chance.random() * 0.01)
        return extended(*args, **state)

    hot = HotStore(open_store(db))
    await hot.open()
    loading: list[asyncio.Task[Any]] = []
    with monkeypatch.context() as patch:
        patch.setattr(Index, "extended", slowly)
        for n in range(100):
            name = f"m{n}"
            await hot.write("u", Changes(add=entries(passage("u", name, f"word{n % 9} said {n}", session=f"s{n % 3}"))))
            # A load that is left here saw the row and not yet its vector.
            for changes in (Changes(), Changes(vectors={name: direction(name)}, space=SPACE, done=(("embed", name),))):
                await hot.write("u", changes)
                task = asyncio.create_task(hot.load("u", SPACE))
                loading.append(task)
                await asyncio.sleep(chance.random() * 0.008)
                if chance.random() < 0.7:
                    task.cancel()
        ended = await asyncio.gather(*loading, return_exceptions=True)
        await asyncio.sleep(0.05)
    assert any(isinstance(end, asyncio.CancelledError) for end in ended)
    assert not [end for end in ended if isinstance(end, Exception)]
    held, plain = await hot.load("u", SPACE), await hot.inner.load("u", SPACE)
    rows = held.of("passage")
    assert len(rows) == 100
    assert rows.embedded.all()
    np.testing.assert_allclose(np.linalg.norm(rows.vectors[: len(rows)], axis=1), 1, atol=1e-4)
    assert_same(held, plain)
    await hot.close()


@pytest.mark.parametrize("pause", [0, 0.02, 0.1, 0.4])
async def test_opening_while_it_closes_is_never_half(db: str, pause: float):
    memory = AsyncMemory(db, embedder=HashEmbedder(delay=0.2), extractor=quiet())
    await memory.open()
    await memory.remember("u", "tea")
    close = asyncio.create_task(memory.close())
    await asyncio.sleep(pause)
    try:
        await memory.open()
    except MemoryClosed:
        await close
        await memory.open()
    await memory.remember("u", "music")
    await close
    try:
        await memory.remember("u", "a walk")
        assert (await memory.flush()).pending == 0
    except MemoryClosed:  # the closing came last
        assert pause == 0
        await memory.open()
    assert "music" in [record.text for record in await memory.records("u")]
    assert await memory.check() == []
    await memory.close()
    with pytest.raises(MemoryClosed):
        await memory.records("u")


# --- recall ---


@pytest.fixture
async def talk(db: str):
    async with AsyncMemory(db, embedder=None, extractor=quiet(), background=False) as memory:
        told = ["Mochi knocked over the green vase", "we had soup", "the train was late", "it rained in Porto"]
        said = [Message(text, time=f"2024-05-0{n}T12:00:00Z") for n, text in enumerate(told, 1)]
        await memory.remember("u", said)
        yield memory


@pytest.mark.parametrize("channels", [("context",), ("time",), ("sparse",)], ids=str)
async def test_a_hit_that_has_all_words_is_relevant_by_any_channel(talk: AsyncMemory, channels: Any):
    found = await talk.recall("u", "Mochi knocked over the green vase", Plan(channels=channels))
    relevance = {hit.record.text: hit.relevance for hit in found.hits}
    assert relevance.get("Mochi knocked over the green vase", 1) > 0.5
    if channels != ("time",):
        assert found.hits[0].relevance > 0.5
        assert found.confidence > 0.5


async def test_ranks_of_a_question_with_a_date_are_scores(talk: AsyncMemory):
    found = await talk.recall("u", "what happened on 3 May 2024?", Plan(fusion="rrf"), at="2024-06-01")
    assert found.hits
    assert all(hit.score > 0 for hit in found.hits)
    assert found.hits[0].record.text == "the train was late"
