"""Several processes on one database, and processes that are killed: nothing that was acknowledged is ever lost."""

import asyncio
import random
import subprocess
import sys
from collections import Counter

import pytest
from working import Working, imports

from fabula import AsyncMemory, Memory, Passage, Plan
from fabula.testing import FakeClock, HashEmbedder

WRITER = """
import sys
from fabula import Memory, Message
database, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Memory(database, embedder=None) as memory:
    for n in range(count):
        receipt = memory.remember("u", Message(f"message {n} of {name}", id=f"{name}-{n}", session=f"session {n % 3}"))
        assert receipt.added == 1
print("done")
"""

READER = """
import sys
from fabula import Memory
seen = 0
with Memory(sys.argv[1], embedder=None, background=False) as memory:
    while seen < int(sys.argv[2]):
        found = len(memory.records("u"))
        assert found >= seen, "what was read once is read again"
        seen = found
        memory.recall("u", "message")
print("done")
"""


def start(code: str, *given: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *map(str, given)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def write_together(db: str, processes: int, messages: int) -> None:
    Memory(db, embedder=None).open().close()
    writers = [start(WRITER, db, f"writer{n}", messages) for n in range(processes)]
    running = [*writers, start(READER, db, processes * messages)]
    said = [process.communicate(timeout=600) for process in running]
    assert said == [("done\n", "")] * len(running)
    with Memory(db, embedder=None) as memory:
        kept = [record for record in memory.records("u") if isinstance(record, Passage)]
        assert Counter(p.ref for p in kept) == Counter(
            f"writer{w}-{n}" for w in range(processes) for n in range(messages)
        )
        places = sorted((p.session, p.seq) for p in kept)
        assert places == [
            (f"session {s}", n)
            for s in range(3)
            for n in range(sum(1 for m in range(messages) if m % 3 == s) * processes)
        ]
        assert memory.check() == []


def test_two_processes_write_at_once(db: str):
    write_together(db, 2, 15)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_four_processes_write_200_messages_each(db: str):
    write_together(db, 4, 200)


def kill_while_importing(db: str, moments: int) -> None:
    """Kill an importer again and again on the same database, each time somewhere else."""
    chance = random.Random(7)
    acknowledged: list[str] = []
    for moment in range(moments):
        process = Working(imports, db, str(moment))
        acknowledged += [process.told() for _ in range(chance.randrange(1, 40))]
        # What was told was told after it was stored.
        acknowledged += process.kill()
        asyncio.run(nothing_is_missing(db, acknowledged))


async def nothing_is_missing(db: str, acknowledged: list[str]) -> None:
    # Far in the future, so that the lease of the killed process has run out.
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock("2100-01-01"), background=False) as memory:
        kept = [record for record in await memory.records("u") if isinstance(record, Passage)]
        assert set(acknowledged) <= {f"{passage.ref} {passage.id}" for passage in kept}
        assert len(kept) % 3 == 0, "a batch is there as a whole or not at all"
        assert await memory.check() == []
        assert (await memory.recall("u", "Porto", Plan(limit=1))).passages
        await memory.flush(seconds=0)


def test_a_killed_import_loses_nothing_it_acknowledged(db: str):
    kill_while_importing(db, 5)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_killed_import_loses_nothing_many_times(db: str):
    kill_while_importing(db, 20 if "://" in db else 50)


def test_the_work_of_the_killed_is_done_by_the_next(db: str):
    process = Working(imports, db, "one")
    for _ in range(30):
        process.told()
    process.kill()

    async def finish() -> None:
        async with AsyncMemory(db, embedder=HashEmbedder(), clock=FakeClock("2100-01-01"), background=False) as memory:
            assert (await memory.flush()).pending == 0
            passages = {record.id for record in await memory.records("u")}
            cited = [source for frame in await memory.records("u", "frame") for source in frame.sources]
            assert set(cited) == passages
            assert len(cited) == len(passages), "each in one frame"
            assert await memory.check() == []

    asyncio.run(finish())
