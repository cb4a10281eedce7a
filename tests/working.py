"""Processes that work on a memory until they are killed.

They are forked from one that has imported the library: importing it is most of what so short a life would take.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import warnings
from collections.abc import Callable, Sequence
from tempfile import NamedTemporaryFile
from typing import Any, TypeAlias

from fabula import AsyncMemory, FolderBlobs, Memory, Message, Passage, Settings, transfer
from fabula.abc import Extraction
from fabula.testing import FakeExtractor, HashEmbedder
from fabula.types import Entity, Event, Fact, Frame

Tell: TypeAlias = Callable[[str], None]

_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(["fabula", "fabula.testing", "fabula.stores.postgres", "asyncpg"])


class Working:
    """A process that does some work, which tells something now and then, until it is killed."""

    def __init__(self, work: Callable[..., None], *given: str) -> None:
        self._heard, tell = _forking.Pipe(duplex=False)
        self._errors = NamedTemporaryFile(mode="r")  # noqa: SIM115 - for as long as the process lives
        self._process = _forking.Process(target=_work, args=(self._errors.name, work, tell, *given), daemon=True)
        self._process.start()
        tell.close()

    def told(self) -> str:
        """Wait for what it tells next."""
        try:
            return self._heard.recv()
        except EOFError:
            raise AssertionError(f"it ended by itself: {self._errors.read()}") from None

    def kill(self) -> list[str]:
        """Kill it, and return what else it has told. Fails where it had ended by itself, or has complained."""
        self._process.kill()
        told: list[str] = []
        try:
            while True:
                told.append(self._heard.recv())
        except (EOFError, OSError):  # the end; or the kill has cut what it was telling
            self._heard.close()
        self._process.join(60)
        with self._errors:
            assert (self._process.exitcode, self._errors.read()) == (-9, "")
        self._process.close()
        return told


def _work(errors: str, work: Callable[..., None], tell: Any, *given: str) -> None:
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND), 2)
    warnings.simplefilter("error")
    work(tell.send, *given)


# --- the work ---------------------------------------------------------------------------------------------------


def imports(tell: Tell, database: str, name: str) -> None:
    """Remember three messages at a time, and tell the `ref` and the id of each."""
    with Memory(database, embedder=HashEmbedder(), settings=Settings(lease=1)) as memory:
        for start in range(0, 100_000, 3):
            refs = [f"{name}-{n}" for n in range(start, start + 3)]
            batch = [Message(f"{ref} was said in Porto", id=ref, session=name) for ref in refs]
            for ref, message in zip(refs, memory.remember("u", batch).ids, strict=True):
                tell(f"{ref} {message}")


def draws(tell: Tell, database: str, scope: str) -> None:
    """Remember messages with the facts and frames that are drawn from them, and tell how many they are."""
    with Memory(database, embedder=HashEmbedder(), extractor=FakeExtractor(drawn)) as memory:
        for n in range(100_000):
            memory.remember(scope, [Message(f"Nora{n % 7} owns boat{n}", id=str(n), session=str(n // 8))])
            if n % 8 == 7:
                memory.flush()
                tell(str(n))


def receives(tell: Tell, database: str, folder: str, pages: str) -> None:
    """Begin to import what "ann" has as "ben", and tell once so many pages of it are written; then wait."""

    async def work() -> None:
        async with AsyncMemory(
            database, embedder=HashEmbedder(), blobs=FolderBlobs(folder), background=False
        ) as memory:
            data = await memory.export("ann")
            store: Any = memory._store  # pyright: ignore[reportPrivateUsage]
            restore, left = store.restore, int(pages)

            async def restored(*args: Any) -> None:
                nonlocal left
                await restore(*args)
                left -= 1
                if not left:
                    tell("half of it is there")
                    await asyncio.Event().wait()

            store.restore = restored
            transfer.__dict__["PAGE"] = 4
            await memory.import_(data, scope="ben")

    asyncio.run(work())


def drawn(window: Sequence[Passage]) -> Extraction:
    """Return a frame and a fact a message; a fact with a triple where it has three words."""
    found: dict[str, list[Any]] = {"frames": [], "facts": [], "entities": []}
    for p in window:
        more: dict[str, Any] = {"scope": "", "sources": (p.id,)}
        who, predicate, thing = (p.text.split() * 3)[:3] if len(p.text.split()) == 3 else ("", "", "")
        found["facts"].append(Fact(id="", text=p.text, subject=who, predicate=predicate, object=thing, **more))
        found["entities"] += [Entity(id="", text=name, **more) for name in (who, thing) if name]
        found["frames"].append(
            Frame(
                id=f"f-{p.id}", text=f"It happened: {p.text}", session=p.session, valid=p.valid,
                events=(Event(participants=(who,) if who else (), action=p.text),), **more,
            )
        )  # fmt: skip
    return Extraction(**{name: tuple(records) for name, records in found.items()})
