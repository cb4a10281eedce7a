"""The name of a process: whose end it tells, whose it does not, and how its work is taken over at once.

It knows nothing of the work, beyond that a scope's is held by one process at a time.
"""

import asyncio
import os
import subprocess
from collections import Counter
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path

import pytest
from commands import python
from hypothesis import given
from hypothesis import strategies as st

from fabula import AsyncMemory, Message, processes
from fabula.stores import open_store
from fabula.testing import FakeClock, HashEmbedder

pytestmark = pytest.mark.skipif(not processes.this(), reason="processes can only be told apart on Linux")

TELL = "from fabula import processes; print(processes.this(), flush=True); input()"


def parts() -> tuple[str, str, str, str]:
    """This process's name: boot, space of process numbers, number, beginning."""
    boot, space, number, began = processes.this().split(" ")
    return boot, space, number, began


def another(code: str, *given: str) -> AbstractContextManager[subprocess.Popen[str]]:
    return python(code, *given, stdin=subprocess.PIPE)


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().removesuffix("\n")


# --- names -------------------------------------------------------------------------------------------------------


def test_this_process_has_one_name_and_is_not_gone():
    assert processes.this() == processes.this()
    assert parts()[2] == str(os.getpid())
    assert not processes.gone(processes.this())


def test_another_process_is_gone_when_it_has_ended_and_not_before():
    with another(TELL) as process:
        name = told(process)
        assert name != processes.this()
        assert name.split(" ")[2] == str(process.pid)
        assert not processes.gone(name)
        process.communicate("\n", timeout=60)
        assert processes.gone(name)


def test_a_program_may_be_called_what_it_likes():
    # The system tells a program's name, as it stands, before the time at which it began.
    code = f"open('/proc/self/comm', 'w').write(') S 1 2) x'); {TELL}"
    with another(code) as process:
        name = told(process)
        assert not processes.gone(name)
        process.communicate("\n", timeout=60)
        assert processes.gone(name)


def test_a_number_that_was_given_to_another_process_since_is_no_sign_of_life():
    boot, space, number, began = parts()
    assert processes.gone(f"{boot} {space} {number} {int(began) - 1}")


def test_of_other_machines_nothing_is_known():
    boot, space, number, began = parts()
    other = "0" * len(boot)
    for elsewhere in (f"{other} {space}", f"{boot} pid:[1]", f"{space} {boot}", boot, space, f"x{boot} {space}"):
        assert not processes.gone(f"{elsewhere} {number} {int(began) - 1}")
    assert processes.gone(f"{boot} {space} {number} {int(began) - 1}"), "here it is"


@pytest.mark.parametrize(
    "name", ["", " ", "   ", "x", "1", "1 2", "a b c d", "worker", "工人 甲", "copy of revision 7"]
)
def test_a_name_that_is_none_is_of_nobody_who_is_gone(name: str):
    assert not processes.gone(name)


@pytest.mark.parametrize("number", ["", "x", "-1", "1.5", "²", "..", "1/../1", "self", "\0", "1\n"])
def test_a_number_that_is_none_is_of_nobody_who_is_gone(number: str):
    boot, space, _, began = parts()
    assert not processes.gone(f"{boot} {space} {number} {began}")


@given(st.text() | st.lists(st.text(max_size=5), max_size=6).map(" ".join))
def test_nothing_that_was_made_up_is_gone(name: str):
    assert not processes.gone(name)


def test_where_the_system_does_not_tell_nobody_has_a_name_or_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    boot, space, number, began = parts()
    monkeypatch.setattr(processes, "PROC", tmp_path)
    assert processes.this() == ""
    for name in ("", f"{boot} {space} {number} {began}", f"{boot} {space} {number} 1"):
        assert not processes.gone(name)


def test_one_who_is_only_hidden_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # As /proc looks to other users where it is mounted with hidepid=invisible (systemd: ProtectProc=invisible).
    (tmp_path / "sys").symlink_to("/proc/sys")
    (tmp_path / "self").symlink_to("/proc/self")
    with another(TELL) as process:
        name = told(process)
        monkeypatch.setattr(processes, "PROC", tmp_path)
        assert not processes.gone(name)
        process.communicate("\n", timeout=60)
        assert processes.gone(name)


# --- whose work is taken over ------------------------------------------------------------------------------------

STOOD = "2024-03-01T09:00Z"
"""When it is for everybody, and stays: no lease runs out."""

HOLDER = """
import asyncio, sys
from fabula import AsyncMemory
from fabula.extractors import RuleExtractor
from fabula.testing import FakeClock, HashEmbedder

class Waiting(RuleExtractor):
    async def extract(self, window, context=()):
        print("holding", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        return await super().extract(window, context)

async def main():
    memory = AsyncMemory(
        sys.argv[1], embedder=HashEmbedder(), extractor=Waiting(), clock=FakeClock(sys.argv[2]), background=False
    )
    async with memory:
        await memory.flush()

asyncio.run(main())
"""


def opened(db: str, clock: FakeClock) -> AsyncMemory:
    return AsyncMemory(db, embedder=HashEmbedder(), clock=clock, background=False)


async def remembered(db: str) -> None:
    async with opened(db, FakeClock(STOOD)) as memory:
        await memory.remember("u", [Message(f"message {n} from Porto") for n in range(3)])


async def assert_each_in_one_frame(memory: AsyncMemory) -> None:
    passages = await memory.records("u")
    cited = Counter(source for frame in await memory.records("u", "frame") for source in frame.sources)
    assert cited == {passage.id: 1 for passage in passages}
    assert len(passages) == 3
    assert await memory.check() == []


def test_the_work_of_one_who_was_killed_is_taken_over_before_its_lease_runs_out(db: str):
    async def finish() -> None:
        async with opened(db, FakeClock(STOOD)) as memory:
            held = await held_until(db)
            assert held is not None
            assert (held - FakeClock(STOOD)()).total_seconds() == 60
            flushed = await memory.flush(seconds=60)
            assert (flushed.pending, flushed.errors) == (0, ())
            await assert_each_in_one_frame(memory)
        assert await held_until(db) is None, "the lease was given back"

    asyncio.run(remembered(db))
    with another(HOLDER, db, STOOD) as process:
        assert told(process) == "holding"
        process.kill()
        process.wait(60)
        asyncio.run(finish())


async def held_until(db: str) -> datetime | None:
    """Until when the scope is held, by whomever."""
    store = open_store(db)
    await store.open()
    lease = await store.holder("u")
    await store.close()
    return None if lease is None else lease.until


@pytest.mark.parametrize("scope", ["u", None])
def test_the_work_of_one_who_lives_is_left_to_it(db: str, scope: str | None):
    async def meddle() -> None:
        async with opened(db, FakeClock(STOOD)) as memory:
            assert (await memory.flush(scope, seconds=0.3)).pending == 3

    async def look() -> None:
        async with opened(db, FakeClock(STOOD)) as memory:
            assert (await memory.stats()).pending == {}
            await assert_each_in_one_frame(memory)

    asyncio.run(remembered(db))
    with another(HOLDER, db, STOOD) as process:
        assert told(process) == "holding"
        asyncio.run(meddle())
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.close()
        assert process.wait(60) == 0
        asyncio.run(look())


@pytest.mark.parametrize("name", ["", "elsewhere pid:[1] 1 1"], ids=["nameless", "elsewhere"])
async def test_a_holder_of_whom_nothing_is_known_has_until_its_lease_runs_out(db: str, name: str):
    clock = FakeClock(STOOD)
    await remembered(db)
    store = open_store(db)
    await store.open()
    assert await store.lease(f"{'0' * 32} {name}".strip(), ["embed", "extract"], clock(), 60, due=clock(), scope="u")
    await store.close()
    async with opened(db, clock) as memory:
        assert (await memory.flush(seconds=0.3)).pending == 6
        clock.advance(61)
        assert (await memory.flush(seconds=60)).pending == 0
        await assert_each_in_one_frame(memory)
