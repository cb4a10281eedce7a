"""Moving a scope to another database and embedding it anew: all or nothing, interrupted or not, on both engines."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pictures import png

from fabula import (
    AsyncMemory,
    Embedder,
    EmbeddingMismatch,
    Image,
    InvalidInput,
    Message,
    Settings,
    StoreUnavailable,
    Unfinished,
)
from fabula.abc import MOVED, Changes
from fabula.stores import open_store
from fabula.stores.driven import DrivenStore
from fabula.testing import FakeClock, HashEmbedder
from fabula.upkeep import Copied, copy, digest

CANARY = "the canary sings in Porto"
TALK = [
    Message(
        "I moved to Porto in May, near the river",
        speaker="Alice",
        id="1",
        session="one",
        images=tuple(Image(data=png(0, shade, 0)) for shade in (100, 200)),
    ),
    Message("我喜欢喝茶,尤其是绿茶", speaker="小王", id="2", session="one"),
    Message("", speaker="Alice", id="3", session="one"),
    Message("Bob works at the harbour 😀", speaker="Bob", id="4", session="two", time="2024-02-29T12:00:00+08:00"),
]


def memory(db: str, embedder: Embedder | None = None, **options: Any) -> AsyncMemory:
    return AsyncMemory(
        db, embedder=embedder or HashEmbedder(), clock=FakeClock("2024-06-01"), background=False, **options
    )


@asynccontextmanager
async def store(db: str) -> AsyncIterator[DrivenStore]:
    made = open_store(db)
    await made.open()
    yield made
    await made.close()


async def filled(db: str, scope: str = "u") -> None:
    async with memory(db) as first:
        await first.remember(scope, TALK)
        await first.flush()
        await first.forget(scope, refs=["4"])
        await first.remember(scope, ["said last, and not embedded yet"])


async def contents(db: str, scope: str = "u") -> dict[str, Any]:
    async with memory(db) as opened:
        found: dict[str, Any] = {kind: await opened.records(scope, kind) for kind in ("passage", "frame", "entity")}
        for question in ("Where does Alice live?", "喝什么?", "harbour"):
            hits = (await opened.recall(scope, question)).hits
            found[question] = [(hit.record.id, round(hit.score, 6)) for hit in hits]
        stats = await opened.stats(scope)
        return {**found, "counts": (stats.records, stats.sessions, stats.pending, stats.failed)}


# --- copying -----------------------------------------------------------------------------------------------------


async def test_a_copy_answers_as_the_original(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target:
        copied = await copy(source, target, "u")
        assert not copied.present
        assert copied.rows["records"] > 4
        assert copied.rows["pictures"] == 2
        assert await digest(source, "u") == await digest(target, "u")
        assert await target.check() == []
        assert await target.state("u") == await source.state("u")
    assert await contents(other) == await contents(db)


async def test_a_copy_goes_on_living(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target:
        await copy(source, target, "u")
    async with memory(other) as opened:
        assert (await opened.flush()).pending == 0
        assert (await opened.remember("u", Message("said again", id="4"))).erased == ("4",), "tombstones came along"
        assert (await opened.remember("u", TALK[0])).duplicates
        await opened.remember("u", Message("a new one", id="5", session="one"))
        passages: Any = await opened.records("u", session="one")
        assert [p.seq for p in passages] == [0, 1, 2, 3]
        assert await opened.check() == []


async def test_what_is_there_already_is_left_alone(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target:
        await copy(source, target, "u")
        again = await copy(source, target, "u")
        assert again.present
        assert not any(again.rows.values())


async def test_a_scope_with_other_contents_is_not_overwritten(db: str, other: str):
    await filled(db)
    async with memory(other) as opened:
        await opened.remember("u", CANARY)
    before = await contents(other)
    async with store(db) as source, store(other) as target:
        with pytest.raises(InvalidInput, match="other contents"):
            await copy(source, target, "u")
    assert await contents(other) == before


async def test_there_is_nothing_to_copy(db: str, other: str):
    async with store(db) as source, store(other) as target:
        with pytest.raises(InvalidInput, match="no scope"):
            await copy(source, target, "nobody")
        assert await target.scopes() == []


class Interrupted(Exception):
    pass


def failing(target: DrivenStore, after: int) -> None:
    """Break the copy after it wrote rows so often."""
    restore, calls = target.restore, 0

    async def restored(scope: str, copier: str, table: str, rows: Any) -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise Interrupted
        await restore(scope, copier, table, rows)

    target.restore = restored


@pytest.mark.parametrize("after", range(6))
async def test_an_interrupted_copy_shows_nothing_and_goes_on(db: str, other: str, after: int):
    await filled(db)
    async with store(db) as source:
        async with store(other) as target:
            failing(target, after)
            with pytest.raises(Interrupted):
                await copy(source, target, "u")
        async with memory(other) as opened:
            assert await opened.scopes() == []
            assert not await opened.recall("u", "Porto")
            assert (await opened.flush()).pending == 0, "its work is nobody's yet"
        async with store(other) as target:
            copied = await copy(source, target, "u")
            assert sum(copied.rows.values()) < sum([len(await source.page("u", table)) for table in MOVED]) or not after
    assert await contents(other) == await contents(db)


async def test_a_half_copied_scope_cannot_be_written_to(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target:
        failing(target, 2)
        with pytest.raises(Interrupted):
            await copy(source, target, "u")
    async with memory(other) as opened:
        with pytest.raises(Unfinished, match="copy of 'u'"):
            await opened.remember("u", "too early")
        await opened.forget("u", everything=True)
        await opened.remember("u", "afresh")
        assert await opened.check() == []


async def test_a_source_that_changed_meanwhile_is_copied_again(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target, memory(db) as writer:
        failing(target, 2)
        with pytest.raises(Interrupted):
            await copy(source, target, "u")
        del target.restore
        await writer.forget("u", refs=["1"])
        await writer.remember("u", "and something new")
        await copy(source, target, "u")
        assert await digest(source, "u") == await digest(target, "u")
        assert await target.check() == []


async def test_a_source_that_is_written_to_all_the_while_is_not_copied(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target, memory(db) as writer:
        restore = target.restore

        async def meanwhile(scope: str, copier: str, table: str, rows: Any) -> None:
            await restore(scope, copier, table, rows)
            await writer.remember("u", "one more")

        target.restore = meanwhile
        with pytest.raises(StoreUnavailable, match="written to"):
            await copy(source, target, "u")
        assert await target.scopes() == []


async def test_other_scopes_do_not_come_along(db: str, other: str):
    await filled(db)
    await filled(db, "v")
    async with store(db) as source, store(other) as target:
        await copy(source, target, "u")
        assert await target.scopes() == ["u"]
        assert not any([await target.page("v", table) for table in MOVED])


async def test_large_scopes_are_copied_page_by_page(db: str, other: str):
    async with memory(db, HashEmbedder(dimensions=16)) as opened:
        await opened.remember("u", [Message(f"message {n}", id=str(n), session=str(n // 700)) for n in range(2500)])
        found = await opened.records("u")
        vectors = dict(
            zip((r.id for r in found), await HashEmbedder(dimensions=16).embed(["x"] * 2500, "passage"), strict=True)
        )
        async with store(db) as source, store(other) as target:
            done = tuple(("embed", record.id) for record in found)
            await source.write("u", Changes(vectors=vectors, space=HashEmbedder(dimensions=16).space, done=done))
            copied = await copy(source, target, "u")
            assert copied.rows["vectors"] == copied.rows["postings"] == copied.rows["records"] == 2500
            assert await target.check() == []


# --- embedding anew ----------------------------------------------------------------------------------------------


def small() -> HashEmbedder:
    return HashEmbedder(dimensions=8)


async def test_another_model_is_refused_and_reembedding_mends_it(db: str):
    """Case B025."""
    async with memory(db, small()) as opened:
        await opened.remember("u", TALK)
        await opened.flush()
        before = await opened.records("u")
    async with memory(db, HashEmbedder(dimensions=16)) as opened:
        with pytest.raises(EmbeddingMismatch, match="reembed") as mismatch:
            await opened.remember("u", CANARY)
        assert all(size in str(mismatch.value) for size in ("8", "16"))
        assert await opened.records("u") == before, "nothing was written"
        found = await opened.recall("u", "Porto river")
        assert "Porto" in found.hits[0].record.text, "by keyword"
        assert any("dense" in reason for reason in found.degraded)
        assert await opened.reembed("u") == 3
        assert (await opened.recall("u", "Porto river")).degraded == ()
        await opened.remember("u", CANARY)
        assert (await opened.flush()).pending == 0
        assert await opened.check() == []
        assert await opened.reembed() == 0, "all is of this model"


async def test_the_old_vectors_answer_until_the_switch(db: str):
    async with memory(db, small()) as old:
        await old.remember("u", TALK)
        await old.flush()
        before = [(h.record.id, h.score) for h in (await old.recall("u", "green tea")).hits]

        class Looking(HashEmbedder):
            async def embed(self, texts: Any, role: Any) -> Any:
                found = await old.recall("u", "green tea")
                assert found.degraded == ()
                assert [(h.record.id, h.score) for h in found.hits] == before
                return await super().embed(texts, role)

        async with memory(db, Looking(dimensions=16)) as new:
            assert await new.reembed("u") == 3
        assert any("dense" in reason for reason in (await old.recall("u", "green tea")).degraded)


async def test_an_interrupted_reembedding_goes_on(db: str):
    async with memory(db, small()) as opened:
        await opened.remember("u", [f"message {n} about Porto" for n in range(10)])
        await opened.flush()

    class Breaking(HashEmbedder):
        left = 2

        async def embed(self, texts: Any, role: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise Interrupted
            return await super().embed(texts, role)

    breaking = Breaking(dimensions=16)
    async with memory(db, breaking, settings=Settings(batch=3)) as opened:
        with pytest.raises(Interrupted):
            await opened.reembed()
        assert await opened.check() == []
        breaking.left = 100
        assert await opened.reembed() == 4, "the six that were done are not done again"
        assert await opened.check() == []
        assert (await opened.recall("u", "Porto")).degraded == ()


async def test_what_is_written_while_it_is_embedded_anew_is_not_lost(db: str):
    async with memory(db, small()) as old:
        await old.remember("u", TALK)
        await old.flush()

        class Overtaken(HashEmbedder):
            times = 0

            async def embed(self, texts: Any, role: Any) -> Any:
                self.times += 1
                if self.times == 1:
                    await old.remember("u", CANARY)
                    await old.flush()
                    await old.remember("u", "and this is only pending")
                    await old.forget("u", refs=["1"])
                return await super().embed(texts, role)

        async with memory(db, Overtaken(dimensions=16)) as new:
            await new.reembed("u")
            assert (await new.flush()).pending == 0
            assert await new.check() == []
            assert (await new.recall("u", CANARY)).hits[0].record.text == CANARY
            assert not any(h.record.text == TALK[0].content for h in (await new.recall("u", "Porto river")).hits)


async def test_reembedding_needs_a_model(db: str):
    async with AsyncMemory(db, embedder=None, background=False) as opened:
        with pytest.raises(InvalidInput, match="no embedding model"):
            await opened.reembed()


# --- wide vectors ------------------------------------------------------------------------------------------------


async def test_vectors_of_any_width(db: str, caplog: pytest.LogCaptureFixture):
    """Case B026: 4,096 dimensions are searched exactly; PostgreSQL says once that they can have no index."""
    wide = HashEmbedder(dimensions=4096)
    with caplog.at_level(logging.WARNING, "fabula"):
        async with memory(db, wide) as opened:
            await opened.remember("u", TALK)
            await opened.flush()
            await opened.remember("u", CANARY)
            await opened.flush()
            assert (await opened.recall("u", CANARY)).hits[0].record.text == CANARY
            assert await opened.check() == []
        async with memory(db, wide) as opened:
            assert (await opened.recall("u", CANARY)).hits[0].record.text == CANARY
    said = [record.getMessage() for record in caplog.records if "4096" in record.getMessage()]
    assert len(said) == db.startswith("postgresql")


async def test_of_two_copies_at_once_one_arrives(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target:
        copied = await asyncio.gather(*(copy(source, target, "u") for _ in range(2)), return_exceptions=True)
        assert any(isinstance(one, Copied) for one in copied)
        assert all(isinstance(one, Copied | StoreUnavailable) for one in copied), copied
        assert await digest(source, "u") == await digest(target, "u")
        assert await target.check() == []


async def test_a_copy_that_was_overtaken_writes_nothing_more(db: str, other: str):
    await filled(db)
    async with store(db) as source, store(other) as target:
        state = await source.state("u")
        assert state is not None
        for copier in ("first", "second"):
            assert await target.receive("u", state.revision, copier, afresh=True) is not None
        rows = await source.page("u", "records")
        with pytest.raises(StoreUnavailable, match="another import or copy"):
            await target.restore("u", "first", "records", rows)
        with pytest.raises(StoreUnavailable, match="another import or copy"):
            await target.publish("u", "first", state)
        assert await target.scopes() == []
        assert await target.page("u", "records") == []


async def test_a_first_message_and_a_copy_do_not_both_win(db: str, other: str):
    """A scope that is written to at its destination while it is copied there is either refused or kept as it is."""
    await filled(db)
    for _ in range(5):
        async with store(db) as source, store(other) as target, memory(other) as writer:
            done = await asyncio.gather(copy(source, target, "u"), writer.remember("u", CANARY), return_exceptions=True)
            texts = {record.text for record in await writer.records("u")}
            assert not (CANARY in texts and TALK[0].content in texts) or isinstance(done[0], Copied)
            if isinstance(done[0], InvalidInput):
                assert texts == {CANARY}
            elif isinstance(done[1], StoreUnavailable):
                assert CANARY not in texts
            assert await target.check() == []
            await writer.forget("u", everything=True)
