"""Texts and questions of any length: nobody else waits while they are read, and a question is read at both ends."""

import threading
from pathlib import Path
from typing import Any

import pytest

from fabula import AsyncMemory, Fact, FolderBlobs, Message, Plan, extract, when
from fabula.aside import LONG
from fabula.recall import END
from fabula.remember import DATED, terms_of
from fabula.testing import HashEmbedder

DAYS = "On 3 May 2021 Ann met Bob, 2021年5月4日小王来了。 "


@pytest.fixture
def read_in(monkeypatch: pytest.MonkeyPatch) -> set[threading.Thread]:
    """The threads in which times were read."""
    threads: set[threading.Thread] = set()
    find = when.find

    def watched(*given: Any, **named: Any) -> Any:
        threads.add(threading.current_thread())
        return find(*given, **named)

    monkeypatch.setattr(when, "find", watched)
    return threads


def long(text: str) -> str:
    return text * (LONG // len(text) + 1)


@pytest.mark.parametrize("messages", [[long(DAYS)], [DAYS] * (LONG // len(DAYS) + 1)], ids=["one", "many"])
async def test_what_is_long_is_read_beside_the_loop(db: str, read_in: set[threading.Thread], messages: list[str]):
    async with AsyncMemory(db, embedder=HashEmbedder(), background=False) as memory:
        await memory.remember("u", messages)
        assert read_in
        assert threading.current_thread() not in read_in
        await memory.flush("u")
        if len(messages) == 1:
            assert threading.current_thread() not in read_in, "what rules draw from it as well"
        read_in.clear()
        assert len((await memory.recall("u", long(DAYS), Plan(kinds=("passage",), limit=100))).hits) == len(messages)
        assert threading.current_thread() not in read_in
        await memory.recall("u", "Whom did Ann meet?")
        assert threading.current_thread() in read_in, "a short one is not worth the way"


async def test_a_file_too(db: str, tmp_path: Path, read_in: set[threading.Thread]):
    blobs = FolderBlobs(tmp_path / "files")
    async with AsyncMemory(db, embedder=HashEmbedder(), blobs=blobs, background=False) as memory:
        await memory.files.add_text("u", "days.txt", long(DAYS))
        assert read_in
        assert threading.current_thread() not in read_in


async def test_a_long_question_is_read_at_its_ends(db: str):
    rows = "".join(f"row {n} of a table " for n in range(END))
    async with AsyncMemory(db, embedder=HashEmbedder(), background=False) as memory:
        await memory.remember("u", ["Nora keeps bees", "Otto paints boats", "Paul grows plums"])
        for question in (f"Who keeps bees? {rows}", f"{rows} Who keeps bees?"):
            found = await memory.recall("u", question, Plan(kinds=("passage",)), explain=True)
            assert found.passages[0].text == "Nora keeps bees"
            assert found.query == question.strip()
            assert found.trace is not None
            assert len(found.trace.terms) < 2 * END
        whole = f"{'x' * (END - 6)} plums {'y' * END}"
        assert len(whole) == 2 * END + 1
        assert (await memory.recall("u", whole[1:], Plan(kinds=("passage",)))).passages[0].text == "Paul grows plums"


async def test_of_a_very_long_text_every_word_is_found(db: str):
    """Whether it says a time is told by its beginning; its words are all there."""
    async with AsyncMemory(db, embedder=HashEmbedder(), background=False) as memory:
        await memory.remember("u", Message("so it goes " * DATED + "quokka"))
        await memory.remember("u", [f"talk of {n}" for n in range(20)])
        assert (await memory.recall("u", "quokka", Plan(kinds=("passage",)))).passages[0].text.endswith("quokka")


async def test_a_record_of_a_caller_too(db: str, monkeypatch: pytest.MonkeyPatch):
    threads: set[threading.Thread] = set()

    def watched(record: Any) -> Any:
        threads.add(threading.current_thread())
        return terms_of(record)

    monkeypatch.setattr(extract, "terms_of", watched)
    async with AsyncMemory(db, embedder=HashEmbedder(), background=False) as memory:
        await memory.add("u", Fact(scope="", id="", text=long(DAYS)))
        assert threads
        assert threading.current_thread() not in threads
