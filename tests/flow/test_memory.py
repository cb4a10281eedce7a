"""The front door: opening, closing and reopening, where a memory is kept, and looking around in it."""

import asyncio
import inspect
import math
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from engines import Nowhere, sql

from fabula import AsyncMemory, InvalidInput, Memory, MemoryClosed, Message, ProviderError, Settings, StoreUnavailable
from fabula.abc import Extraction
from fabula.stores import SQLiteStore
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Fact, Flushed, Frame, Stats

Call = Callable[[AsyncMemory, Any], Coroutine[Any, Any, Any]]


async def _taken(memory: AsyncMemory, scope: Any) -> dict[str, Any]:
    await memory.remember(scope, "tea")
    await memory.flush(scope)  # what the background adds afterwards is not what was exported
    return await memory.export(scope)


async def _brought(memory: AsyncMemory, scope: Any) -> Any:
    return await memory.import_(await _taken(memory, scope), scope=scope)


CALLS: dict[str, Call] = {
    "remember": lambda memory, scope: memory.remember(scope, "tea"),
    "recall": lambda memory, scope: memory.recall(scope, "tea"),
    "forget": lambda memory, scope: memory.forget(scope, everything=True),
    "add": lambda memory, scope: memory.add(scope, Fact(scope="", id="", text="likes tea")),
    "revise": lambda memory, scope: memory.revise(scope, "x", text="likes cocoa"),
    "reflect": lambda memory, scope: memory.reflect(scope),
    "extract": lambda memory, scope: memory.extract(scope),
    "dated": lambda memory, scope: memory.dated(scope),
    "history": lambda memory, scope: memory.history(scope, "x"),
    "accessed": lambda memory, scope: memory.accessed(scope, ["x"]),
    "unused": lambda memory, scope: memory.unused(scope, "2024-01-01"),
    "pending": lambda memory, scope: memory.pending(scope),
    "sessions": lambda memory, scope: memory.sessions(scope),
    "export": lambda memory, scope: _taken(memory, scope),
    "import_": lambda memory, scope: _brought(memory, scope),
    "flush": lambda memory, scope: memory.flush(scope),
    "records": lambda memory, scope: memory.records(scope),
    "get": lambda memory, scope: memory.get(scope, "x"),
    "feelings": lambda memory, scope: memory.feelings(scope),
    "scopes": lambda memory, scope: memory.scopes(),
    "stats": lambda memory, scope: memory.stats(scope),
    "check": lambda memory, scope: memory.check(scope),
    "upkeep": lambda memory, scope: memory.upkeep(scope),
    "reindex": lambda memory, scope: memory.reindex(scope),
    "reembed": lambda memory, scope: memory.reembed(scope),
    "reextract": lambda memory, scope: memory.reextract(scope),
}
OF_ALL = ("flush", "stats", "check", "upkeep", "reindex", "reembed", "reextract")
"""Where no scope means all of them."""
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
# Where nothing that is asked reaches the database, the second engine would tell nothing new.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture
async def memory(db: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock()) as opened:
        yield opened


def there(path: Path) -> bool:
    return path.exists()


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def written(path: Path, data: bytes | None = None) -> bytes:
    """What stands in a file, after `data` was put there."""
    if data is not None:
        path.write_bytes(data)
    return path.read_bytes()


def public() -> set[str]:
    return {name for name, _ in inspect.getmembers(AsyncMemory, inspect.isfunction) if not name.startswith("_")}


def test_every_method_is_called_here():
    assert public() == set(CALLS) | {"open", "close"}


class TestOpening:
    @each_call
    async def test_happens_at_the_first_call(self, file: Path, call: Call):
        memory = AsyncMemory(file, embedder=HashEmbedder(), clock=FakeClock())
        assert not there(file)
        await call(memory, "u")
        assert there(file)
        await memory.close()

    async def test_once_however_many_ask(self, db: str):
        memory = AsyncMemory(db, embedder=None, clock=FakeClock())
        await asyncio.gather(*(memory.remember("u", f"message {n}") for n in range(8)), memory.open(), memory.open())
        assert len(await memory.records("u")) == 8
        await memory.close()

    async def test_twice_is_harmless(self, memory: AsyncMemory):
        assert await memory.open() is memory
        await memory.remember("u", "tea")

    @pytest.mark.parametrize("where", ["missing/memory.db", "."])
    async def test_where_no_file_can_be(self, tmp_path: Path, where: str):
        memory = AsyncMemory(tmp_path / where, embedder=None)
        with pytest.raises(StoreUnavailable, match="cannot open"):
            await memory.open()
        with pytest.raises(StoreUnavailable):
            await memory.remember("u", "tea")
        await memory.close()
        assert names_in(tmp_path) == []

    async def test_works_once_the_cause_is_gone(self, nowhere: Nowhere):
        memory = AsyncMemory(nowhere.url, embedder=None)
        with pytest.raises(StoreUnavailable):
            await memory.open()
        nowhere.make()
        assert (await memory.remember("u", "tea")).added == 1
        await memory.close()

    async def test_beside_another_one_that_is_just_making_the_file(self, file: Path):
        """SQLite does not wait by itself where the way of the journal is to be changed."""
        with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
            other.execute("BEGIN IMMEDIATE")
            timer = threading.Timer(0.2, other.execute, ["ROLLBACK"])
            timer.start()
            try:
                async with AsyncMemory(file, embedder=None) as memory:
                    assert (await memory.remember("u", "tea")).added == 1
            finally:
                timer.join()

    async def test_what_is_no_database(self, file: Path):
        text = written(file, b"hello, I am a text file\n" * 100)
        memory = AsyncMemory(file, embedder=None)
        with pytest.raises(StoreUnavailable, match="not a SQLite database"):
            await memory.open()
        assert written(file) == text

    async def test_an_empty_file_is_a_new_memory(self, file: Path):
        written(file, b"")
        async with AsyncMemory(file, embedder=None) as memory:
            assert (await memory.remember("u", "tea")).added == 1


class TestClosing:
    @each_call
    async def test_nothing_goes_on_after_it(self, db: str, call: Call):
        memory = AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock())
        await memory.remember("u", "tea")
        await memory.close()
        with pytest.raises(MemoryClosed, match="open"):
            await call(memory, "u")

    async def test_twice_is_harmless(self, db: str):
        memory = AsyncMemory(db, embedder=None)
        await memory.close()
        await memory.close()
        await memory.open()
        await asyncio.gather(memory.close(), memory.close())

    async def test_can_be_opened_again(self, db: str):
        memory = AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock())
        for n in range(3):
            async with memory:
                await memory.remember("u", f"message {n}")
                assert (await memory.flush()).pending == 0
                assert len((await memory.recall("u", "message")).passages) == n + 1

    async def test_an_error_inside_still_closes(self, db: str):
        memory = AsyncMemory(db, embedder=None)
        with pytest.raises(KeyError):
            async with memory:
                raise KeyError
        with pytest.raises(MemoryClosed):
            await memory.scopes()

    async def test_leaves_one_file(self, file: Path):
        """The log is folded into the file, which can then be copied."""
        async with AsyncMemory(file, embedder=HashEmbedder()) as memory:
            await memory.remember("u", "tea")
        assert names_in(file.parent) == ["memory.db"]

    @pytest.mark.parametrize("wrong", [10**400, -1, math.nan, True, "soon"], ids=["huge", "-1", "nan", "True", "soon"])
    async def test_a_wait_that_cannot_be_meant_is_refused_and_nothing_closed(self, file: Path, wrong: Any):
        memory = Memory(file, embedder=None, background=False)
        memory.remember("u", "tea")
        for waits in (
            lambda: memory.flush(seconds=wrong), lambda: memory.extract("u", seconds=wrong),
            lambda: memory.close(drain=wrong),
        ):  # fmt: skip
            with pytest.raises(InvalidInput, match=r"\A(seconds|drain) is "):
                waits()
        assert memory.flush(seconds=math.inf).errors == ()
        memory.close(drain=math.inf)
        async with AsyncMemory(file, embedder=None, background=False) as other:
            with pytest.raises(InvalidInput, match=r"\Adrain is "):
                await other.close(drain=wrong)
            assert len(await other.records("u")) > 0

    async def test_what_is_under_way_ends_with_an_answer_or_an_error(self, db: str):
        memory = AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock())
        await memory.remember("u", [f"message {n}" for n in range(20)])
        working = [asyncio.create_task(call(memory, "u")) for call in CALLS.values() for _ in range(3)]
        await asyncio.sleep(0)
        await memory.close(drain=0)
        done, left = await asyncio.wait(working, timeout=20)
        assert not left
        errors = {type(error) for task in done if (error := task.exception()) is not None}
        assert errors <= {MemoryClosed}

    @pytest.mark.parametrize("face", ["AsyncMemory", "Memory"])
    def test_a_program_that_forgets_it_ends_in_peace(self, db: str, face: str):
        code = f"""
import asyncio, gc, sys
from fabula import AsyncMemory, Memory
async def talk():
    memory = AsyncMemory(sys.argv[1], embedder=None)
    await memory.remember("u", "tea")
def chat():
    memory = Memory(sys.argv[1], embedder=None)
    memory.remember("u", "tea")
asyncio.run(talk()) if {face == "AsyncMemory"} else chat()
gc.collect()
print("done")
"""
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, db],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)
        assert sql(db, "SELECT text FROM records") == [("tea",)]


class TestWhere:
    @pytest.mark.parametrize(
        "url", ["sqlite:////{}", "sqlite+aiosqlite:////{}", "/{}"], ids=["a URL", "an old URL", "a path"]
    )
    async def test_is_a_path_or_a_url(self, file: Path, url: str):
        async with AsyncMemory(url.format(str(file).removeprefix("/")), embedder=None) as memory:
            await memory.remember("u", "tea")
        assert there(file)

    async def test_a_relative_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.chdir(tmp_path)
        async with AsyncMemory("sqlite:///my%20memory.db", embedder=None) as memory:
            await memory.remember("u", "茶")
        assert there(tmp_path / "my memory.db")

    @pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg"])
    async def test_is_a_url_of_a_database_on_a_server(self, postgres_url: str, scheme: str):
        async with AsyncMemory(f"{scheme}{postgres_url.removeprefix('postgresql')}", embedder=None) as memory:
            await memory.remember("u", "tea")
        assert sql(postgres_url, "SELECT text FROM records") == [("tea",)]

    @pytest.mark.parametrize(
        "url", ["", " ", "a\0b", ":memory:", "sqlite://", "sqlite:///", "mysql://host/db", "redis://x"]
    )
    def test_what_is_refused(self, url: str):
        with pytest.raises(InvalidInput):
            AsyncMemory(url, embedder=None)

    @pytest.mark.parametrize("embedder", ["best", ""])
    def test_an_unknown_model_is_refused(self, file: Path, embedder: Any):
        with pytest.raises((InvalidInput, ProviderError)):
            AsyncMemory(file, embedder=embedder)

    async def test_a_store_of_ones_own(self, file: Path):
        async with AsyncMemory(SQLiteStore(file), embedder=None) as memory:
            await memory.remember("u", "tea")
        assert there(file)


class TestLookingAround:
    async def test_an_empty_memory(self, memory: AsyncMemory):
        assert await memory.scopes() == []
        assert await memory.records("u") == []
        assert await memory.get("u", "x") is None
        assert await memory.check() == []
        assert await memory.flush() == Flushed()
        stats = await memory.stats()
        assert (stats.scopes, dict(stats.records), stats.sessions, dict(stats.pending), stats.failed) == (
            0,
            {},
            0,
            {},
            0,
        )
        assert stats.bytes_per_message == 0

    async def test_counts(self, memory: AsyncMemory):
        await memory.remember("u", [Message("tea", session="a"), Message("music", session="b"), ""])
        await memory.remember("v", "tea")
        await memory.flush()
        mine, everyone = await memory.stats("u"), await memory.stats()
        assert (mine.scopes, mine.records["passage"], mine.records["frame"], mine.sessions) == (1, 3, 2, 3)
        assert (everyone.scopes, everyone.records["passage"], everyone.sessions) == (2, 4, 4)
        assert (await memory.stats("nobody")).scopes == 0
        assert set(mine.bytes) >= {"records", "postings", "vectors"}
        assert 0 < mine.bytes_per_message < 20_000

    async def test_a_record_by_its_id(self, memory: AsyncMemory):
        receipt = await memory.remember("u", "tea")
        found = await memory.get("u", str(receipt.ids[0]))
        assert found is not None
        assert found.text == "tea"
        assert await memory.get("v", str(receipt.ids[0])) is None
        assert await memory.get("u", str(receipt.ids[0]), as_of="2023-12-31T23:59:59Z") is None
        assert await memory.get("u", str(receipt.ids[0]), as_of="2024-01-01") == found

    async def test_an_id_is_one_however_it_is_composed(self, db: str):
        extractor = FakeExtractor(
            lambda window: Extraction(facts=(Fact(scope="", id="caf\u00e9", text="tea", sources=(window[0].id,)),))
        )
        async with AsyncMemory(db, embedder=None, extractor=extractor) as memory:
            await memory.remember("u", "tea")
            await memory.flush()
            assert await memory.get("u", "caf\u00e9") == await memory.get("u", "cafe\u0301") is not None

    @sqlite_alone
    @pytest.mark.parametrize("scope", [None, "", "  ", 0, "a\nb"])
    @pytest.mark.parametrize("name", [name for name in CALLS if name != "scopes"])
    async def test_no_name_no_scope(self, memory: AsyncMemory, scope: Any, name: str):
        await memory.remember("u", "tea")
        if scope is None and name in OF_ALL:
            await CALLS[name](memory, scope)
        else:
            with pytest.raises(InvalidInput, match="scope"):
                await CALLS[name](memory, scope)
        assert await memory.scopes() == ["u"]


class TestReindexing:
    async def test_an_old_index_is_named_and_made_anew(self, db: str, memory: AsyncMemory):
        await memory.remember("u", ["tea in the morning", "music", ""])
        await memory.flush()
        await memory.close()
        sql(db, "UPDATE scopes SET analyzer = analyzer + 90")
        sql(db, "UPDATE postings SET terms = substr(terms, 1, 0)")
        await memory.open()
        (why,) = (await memory.recall("u", "tea")).degraded
        assert "reindex" in why
        assert any("version" in problem and "reindex" in problem for problem in await memory.check())
        assert await memory.reindex("u") == 2 + len(await memory.records("u", "frame"))
        found = await memory.recall("u", "tea")
        assert found.degraded == ()
        assert found.passages[0].text == "tea in the morning"
        assert await memory.check() == []

    async def test_all_or_one(self, memory: AsyncMemory):
        await memory.remember("u", ["tea", "music"])
        await memory.remember("v", "tea")
        assert (await memory.reindex(), await memory.reindex("v"), await memory.reindex("nobody")) == (3, 1, 0)
        assert await memory.scopes() == ["u", "v"]


class TestChecking:
    @pytest.mark.parametrize(
        "harm",
        [
            "DELETE FROM postings",
            "DELETE FROM vectors",
            "DELETE FROM edges",
            "DELETE FROM records WHERE kind = 'passage'",
            "UPDATE records SET revision = revision + 1000",
            "INSERT INTO pending (scope, task, number, id) VALUES ('u', 'embed', 99, 'nobody')",
        ],
    )
    async def test_harm_is_seen(self, db: str, memory: AsyncMemory, harm: str):
        await memory.remember("u", ["tea in Porto", "music"])
        await memory.flush()
        assert await memory.check() == []
        sql(db, harm)
        problems = await memory.check()
        assert problems
        assert all(problem.startswith("u: ") for problem in problems)
        assert await memory.check("v") == []


async def test_the_settings_are_kept(file: Path):
    assert AsyncMemory(file, embedder=None, settings=Settings(window=3)).settings.window == 3
    assert AsyncMemory(file, embedder=None).settings == Settings()


async def test_the_clock_is_used_for_all_that_is_recorded(db: str):
    clock = FakeClock("2001-02-03T04:05:06Z")
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as memory:
        await memory.remember("u", "tea in Porto")
        await memory.flush()
        for kind in ("passage", "frame", "entity"):
            for record in await memory.records("u", kind):
                assert record.recorded is not None
                assert record.recorded.start == clock.now, kind
        assert isinstance((await memory.records("u", "frame"))[0], Frame)
        assert isinstance(await memory.stats(), Stats)
