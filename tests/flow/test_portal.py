"""The blocking face: in scripts, threads and running loops, from inside its own loop, after a fork, and at Ctrl-C."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from engines import Nowhere

from fabula import (
    AsyncMemory,
    InvalidInput,
    Memory,
    MemoryClosed,
    Message,
    Passage,
    Plan,
    ReentrantCall,
    StoreUnavailable,
)
from fabula.abc import Extraction
from fabula.testing import FakeClock, HashEmbedder

Call = Callable[[Memory], Any]
CALLS: dict[str, Call] = {
    "remember": lambda memory: memory.remember("u", "tea"),
    "recall": lambda memory: memory.recall("u", "tea"),
    "forget": lambda memory: memory.forget("u", everything=True),
    "flush": lambda memory: memory.flush(),
    "records": lambda memory: memory.records("u"),
    "get": lambda memory: memory.get("u", "x"),
    "scopes": lambda memory: memory.scopes(),
    "stats": lambda memory: memory.stats(),
    "check": lambda memory: memory.check(),
    "reindex": lambda memory: memory.reindex(),
    "reembed": lambda memory: memory.reembed(),
}
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
# The portal is the same whatever lies behind it.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture
def memory(db: str) -> Iterator[Memory]:
    with Memory(db, embedder=HashEmbedder(), clock=FakeClock()) as opened:
        yield opened


def run(code: str, *given: object, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run a program of its own, in which every warning is an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, given)],
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip


def ended(thread: threading.Thread, seconds: float = 20) -> bool:
    thread.join(seconds)
    return not thread.is_alive()


class TestWhereItWorks:
    def test_in_a_script(self, memory: Memory):
        memory.remember("u", [Message("I moved to Porto", speaker="Ann")])
        assert memory.flush().pending == 0
        found = memory.recall("u", "Porto", Plan(limit=1), explain=True)
        assert found.passages[0].speaker == "Ann"
        assert found.trace is not None
        assert memory.forget("u", everything=True)
        assert memory.check() == []

    async def test_in_a_running_loop(self, memory: Memory):
        """As in a notebook: it blocks the loop it is called from, and works."""
        memory.remember("u", "tea")
        assert memory.recall("u", "tea").passages

    async def test_in_a_thread_beside_a_running_loop(self, memory: Memory):
        await asyncio.to_thread(memory.remember, "u", "tea")
        found = await asyncio.gather(*(asyncio.to_thread(memory.recall, "u", "tea") for _ in range(4)))
        assert all(one.passages for one in found)

    def test_in_two_loops_in_turn(self, db: str):
        memory = Memory(db, embedder=HashEmbedder(), clock=FakeClock())

        async def talk(text: str) -> int:
            memory.remember("u", text)
            return len(memory.recall("u", "tea").passages)

        assert [asyncio.run(talk("tea one")), asyncio.run(talk("tea two"))] == [1, 2]
        memory.close()

    def test_in_many_threads(self, memory: Memory):
        def talk(n: int) -> int:
            memory.remember(f"user {n % 3}", Message(f"message {n}", id=str(n)))
            return len(memory.recall(f"user {n % 3}", "message").hits)

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(talk, range(48)))
        assert sum(memory.stats(scope).records["passage"] for scope in memory.scopes()) == 48
        assert memory.flush().pending == 0
        assert memory.check() == []

    @each_call
    def test_opens_itself(self, file: Path, call: Call):
        memory = Memory(file, embedder=HashEmbedder(), clock=FakeClock())
        assert not file.exists()
        call(memory)
        memory.close()
        assert file.exists()

    def test_many_at_once_open_one(self, db: str):
        memory = Memory(db, embedder=None)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(memory.remember, ["u"] * 8, map(str, range(8))))
        portals = [thread for thread in threading.enumerate() if thread.name == "fabula-portal"]
        memory.close()
        assert len(portals) == 1

    def test_errors_come_through(self, memory: Memory):
        with pytest.raises(InvalidInput, match="scope"):
            memory.remember("", "tea")
        with pytest.raises(InvalidInput):
            memory.forget("u")
        memory.remember("u", "tea")


class TestAsyncInTwoLoops:
    def test_works_or_says_so(self, db: str):
        """`asyncio.run` twice with one `AsyncMemory` that was never closed: no hang, no error but fabula's own."""
        code = """
import asyncio, sys
from fabula import AsyncMemory, FabulaError
from fabula.testing import HashEmbedder
memory = AsyncMemory(sys.argv[1], embedder=HashEmbedder())
async def first():
    await memory.remember("u", "tea one")
async def second():
    await memory.remember("u", "tea two")
    pending = (await memory.flush()).pending
    found = len((await memory.recall("u", "tea")).passages)
    await memory.close()
    return f"{pending} {found}"
asyncio.run(first())
try:
    print(asyncio.run(second()))
except FabulaError as error:
    assert "in another event loop" in str(error) and "use fabula.Memory" in str(error)
    print("0 2")
"""
        done = run(code, db, timeout=30)
        assert (done.stderr, done.stdout) == ("", "0 2\n")

    def test_closed_in_between_it_works(self, db: str):
        memory = AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock())

        async def talk(text: str) -> int:
            async with memory:
                await memory.remember("u", text)
                await memory.flush()
                return len((await memory.recall("u", "tea")).passages)

        assert [asyncio.run(talk("tea one")), asyncio.run(talk("tea two"))] == [1, 2]


class Calling:
    """An extractor that uses the blocking face from inside its loop."""

    name = "calling"

    def __init__(self, call: Call) -> None:
        self.call = call
        self.memory: Memory | None = None
        self.error: BaseException | None = None

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        assert self.memory is not None
        try:
            self.call(self.memory)
        except BaseException as error:
            self.error = error
            raise
        return Extraction()


@sqlite_alone
class TestFromItsOwnLoop:
    @pytest.mark.parametrize("name", [*CALLS, "close"])
    def test_is_an_error_and_no_deadlock(self, db: str, name: str):
        extractor = Calling(CALLS.get(name, lambda memory: memory.close()))
        memory = extractor.memory = Memory(db, embedder=None, extractor=extractor, clock=FakeClock(), background=False)
        memory.remember("u", "tea")
        flushed: list[Any] = []
        caller = threading.Thread(target=lambda: flushed.append(memory.flush()), daemon=True)
        caller.start()
        assert ended(caller)
        assert isinstance(extractor.error, ReentrantCall)
        assert flushed[0].errors == (
            f"Memory.{name}() was called from its own event loop: await AsyncMemory.{name}() instead",
        )
        assert memory.scopes() == ["u"], "it goes on working"
        memory.close()

    def test_opening_an_open_one_is_harmless(self, db: str):
        extractor = Calling(lambda memory: memory.open())
        extractor.memory = Memory(db, embedder=None, extractor=extractor, clock=FakeClock(), background=False)
        with extractor.memory as memory:
            memory.remember("u", "tea")
            assert memory.flush().errors == ()


class TestFork:
    FORKED = """
import os, sys
from fabula import ForkedMemory, Memory
way, path = sys.argv[1:]
memory = Memory(path, embedder=None)
memory.remember("u", "before")
never_opened = Memory(path, embedder=None)
child = os.fork()
if child == 0:
    for call in (lambda: memory.recall("u", "before"), lambda: memory.remember("u", "x"), memory.close):
        try:
            call()
        except ForkedMemory:
            continue
        os._exit(1)
    never_opened.remember("u", "in the child")
    never_opened.close()
    os._exit(0) if way == "at once" else sys.exit(0)
_, status = os.waitpid(child, 0)
memory.remember("u", "after")
print(os.waitstatus_to_exitcode(status), sorted(record.text for record in memory.records("u")))
memory.close()
"""

    @pytest.mark.parametrize("way", ["at once", "as usual"])
    def test_the_child_is_told_and_opens_its_own(self, db: str, way: str):
        done = run(self.FORKED, way, db)
        assert (done.stderr, done.stdout) == ("", "0 ['after', 'before', 'in the child']\n")

    def test_the_asynchronous_one_too(self, db: str):
        code = """
import asyncio, os, sys
from fabula import AsyncMemory, ForkedMemory
async def main():
    memory = AsyncMemory(sys.argv[1], embedder=None)
    await memory.remember("u", "before")
    child = os.fork()
    if child == 0:
        caught = 0
        for call in (memory.scopes, memory.flush, memory.close):
            try:
                await call()
            except ForkedMemory:
                caught += 1
        os._exit(0 if caught == 3 else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    await memory.close()
asyncio.run(main())
"""
        done = run(code, db)
        assert (done.stderr, done.stdout) == ("", "0\n")


class TestClosing:
    @sqlite_alone
    @each_call
    def test_nothing_goes_on_after_it(self, db: str, call: Call):
        memory = Memory(db, embedder=HashEmbedder(), clock=FakeClock())
        memory.remember("u", "tea")
        memory.close()
        with pytest.raises(MemoryClosed):
            call(memory)

    def test_twice_is_harmless_and_it_opens_again(self, db: str):
        memory = Memory(db, embedder=None)
        memory.close()
        memory.close()
        with memory, memory:
            memory.remember("u", "tea")
        memory.close()
        with memory:
            assert memory.scopes() == ["u"]

    def test_leaves_no_thread(self, db: str):
        before = set(threading.enumerate())
        with Memory(db, embedder=HashEmbedder()) as memory:
            memory.remember("u", "tea")
            assert set(threading.enumerate()) > before
        assert set(threading.enumerate()) == before

    def test_who_waits_in_another_thread_is_let_go(self, db: str):
        embedder = HashEmbedder()
        memory = Memory(db, embedder=embedder, clock=FakeClock())
        memory.remember("u", "tea")
        memory.flush()
        embedder.delay = 3600
        caught: list[BaseException] = []

        def wait() -> None:
            try:
                memory.recall("u", "music")
            except MemoryClosed as error:
                caught.append(error)

        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        while len(embedder.calls) < 2:
            pass
        memory.close(drain=0)
        assert ended(waiting, 5)
        assert len(caught) == 1

    def test_a_failed_opening_leaves_nothing_behind(self, nowhere: Nowhere):
        """Neither a thread nor a coroutine that nobody awaits."""
        before = set(threading.enumerate())
        memory = Memory(nowhere.url, embedder=None)
        for call in CALLS.values():
            with pytest.raises(StoreUnavailable):
                call(memory)
        assert set(threading.enumerate()) == before
        memory.close()

    def test_a_second_try_to_open(self, nowhere: Nowhere):
        memory = Memory(nowhere.url, embedder=None)
        with pytest.raises(StoreUnavailable):
            memory.open()
        nowhere.make()
        with memory:
            assert memory.remember("u", "tea").added == 1


class Cancelled(HashEmbedder):
    """Says whether its answer was no longer wanted."""

    unwanted = False

    async def embed(self, *given: Any, **more: Any) -> Any:
        try:
            return await super().embed(*given, **more)
        except asyncio.CancelledError:
            self.unwanted = True
            raise


class TestControlC:
    def test_ends_the_call_and_not_the_memory(self, db: str):
        embedder = Cancelled()
        with Memory(db, embedder=embedder, clock=FakeClock()) as memory:
            memory.remember("u", "tea")
            memory.flush()
            embedder.delay = 3600
            main = threading.main_thread().ident
            assert main is not None

            def interrupt() -> None:
                while len(embedder.calls) < 2:
                    pass
                signal.pthread_kill(main, signal.SIGINT)

            threading.Thread(target=interrupt).start()
            with pytest.raises(KeyboardInterrupt):
                memory.recall("u", "music")
            embedder.delay = 0
            assert memory.recall("u", "tea").passages
            assert embedder.unwanted

    def test_a_program_ends(self, db: str):
        """Ctrl-C in the middle of a slow call: the program closes its memory and goes."""
        code = """
import os, signal, sys, threading
from fabula import Memory
from fabula.testing import HashEmbedder
embedder = HashEmbedder()
with Memory(sys.argv[1], embedder=embedder) as memory:
    memory.remember("u", "tea")
    memory.flush("u")
    embedder.delay = 3600
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
    memory.recall("u", "music")
"""
        done = run(code, db, timeout=30)
        assert done.stderr.rstrip().endswith("KeyboardInterrupt")
        with Memory(db, embedder=None, background=False) as memory:
            assert [record.text for record in memory.records("u")] == ["tea"]
