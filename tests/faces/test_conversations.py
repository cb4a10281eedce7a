"""NeuroMemory's talk: what is kept of it, by session, and when it is extracted."""

import asyncio
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from opening import memories, until
from pictures import png

from fabula import AsyncMemory, InvalidInput, Message, Passage, ProviderUnavailable, Settings
from fabula.abc import Extraction
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Fact, Frame
from neuromemory.conversations import Conversations
from neuromemory.strategy import ExtractionStrategy, closing, settings

DOWN = ProviderUnavailable("the host is down")
BY_TEN = ExtractionStrategy(message_interval=10)


def drawn(window: Sequence[Passage]) -> Extraction:
    ids = tuple(passage.id for passage in window)
    facts = tuple(
        Fact(
            scope="", id=f"fact-{p.text}", text=p.text, subject="Ann", predicate="said", object=p.text, sources=(p.id,)
        )
        for p in window
    )
    return Extraction(frames=(Frame(scope="", id=f"frame-{ids[0]}", text="talk", sources=ids),), facts=facts)


class Nm:
    """A memory and its conversations."""

    def __init__(self, memory: AsyncMemory, talk: Conversations, extractor: FakeExtractor) -> None:
        self.memory, self.talk, self.extractor = memory, talk, extractor

    @property
    def heard(self) -> list[list[str]]:
        return [[passage.text for passage in window] for window in self.extractor.windows]

    async def left(self) -> int:
        return (await self.memory.stats()).pending.get("extract", 0)


Opening = Callable[..., Awaitable[Nm]]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2025-03-01T12:00:00+08:00")


@pytest.fixture
async def opening(db: str, clock: FakeClock) -> AsyncIterator[Opening]:
    async with memories(db, lambda: {"embedder": HashEmbedder(), "clock": clock}) as memory:

        async def open_(
            extractor: FakeExtractor | None = None, *, url: str = db, auto_extract: bool = True,
            extraction: ExtractionStrategy | None = None, **options: Any,
        ) -> Nm:  # fmt: skip
            extractor = extractor or FakeExtractor(drawn)
            triggers: dict[str, Any] = {"auto_extract": auto_extract, "extraction": extraction}
            given: dict[str, Any] = {"store": url, "extractor": extractor, "settings": settings(**triggers), **options}
            opened = await memory(**given)
            return Nm(opened, Conversations(opened, closing=closing(**triggers)), extractor)

        yield open_


async def done(nm: Nm, left: int = 0) -> None:
    async def there() -> bool:
        return await nm.left() == left

    await until(there)


class Slow(FakeExtractor):
    def __init__(self, seconds: float) -> None:
        super().__init__(drawn)
        self.seconds = seconds

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        await asyncio.sleep(self.seconds)
        return await super().extract(window, context)


class TestTriggers:
    async def test_b105_each_message_is_new_once(self, opening: Opening):
        nm = await opening(extraction=BY_TEN)
        for n in range(25):
            await nm.talk.add_message("alice", "user", f"message {n}", "s")
        await nm.talk.close_session("alice", "s")
        await nm.memory.flush(unfinished=False)
        assert [len(window) for window in nm.heard] == [10, 10, 5]
        assert [text for window in nm.heard for text in window] == [f"message {n}" for n in range(25)]

    async def test_every_message_by_itself(self, opening: Opening):
        nm = await opening()
        await nm.talk.add_message("alice", "user", "我在 Google 工作")
        await done(nm)
        assert nm.heard == [["我在 Google 工作"]]

    async def test_a_strategy_alone_triggers(self, opening: Opening):
        """Also where `auto_extract` stays true: no message is extracted by itself, and then again with nine others."""
        nm = await opening(auto_extract=True, extraction=ExtractionStrategy(message_interval=3))
        for n in range(4):
            await nm.talk.add_message("alice", "user", str(n))
        await done(nm, 1)
        await nm.memory.flush(unfinished=False)
        assert nm.heard == [["0", "1", "2"]]

    async def test_silence(self, opening: Opening, clock: FakeClock):
        nm = await opening(extraction=ExtractionStrategy(message_interval=0, idle_timeout=600))
        for n in range(12):
            await nm.talk.add_message("alice", "user", str(n))
        clock.advance(599)
        await nm.memory.flush(unfinished=False)
        assert nm.heard == []
        clock.advance(1)
        await nm.memory.flush(unfinished=False)
        assert [len(window) for window in nm.heard] == [8, 4]

    async def test_no_trigger_at_all(self, opening: Opening, clock: FakeClock):
        nothing = ExtractionStrategy(message_interval=0, idle_timeout=0, on_session_close=False, on_shutdown=False)
        for given in ({"auto_extract": False}, {"extraction": nothing}):
            nm = await opening(**given)
            user = str(given)
            for n in range(20):
                await nm.talk.add_message(user, "user", str(n))
            clock.advance(10**7)
            assert set((await nm.talk.close_session(user)).values()) == {0}
            await nm.memory.flush(user, unfinished=False)
            assert {one["status"] for one in await nm.talk.get_session_messages(user)} == {"pending"}
            assert nm.heard == []
            found = await nm.talk.extract(user)
            assert (found["messages_processed"], found["facts_extracted"], found["failed"]) == (20, 20, 0)

    async def test_closing_a_session_is_of_that_session(self, opening: Opening):
        nm = await opening(extraction=BY_TEN)
        await nm.talk.add_message("alice", "user", "one", "a")
        await nm.talk.add_message("alice", "user", "two", "b")
        found = await nm.talk.close_session("alice", "a")
        assert found == {
            "facts_extracted": 1, "episodes_extracted": 1, "triples_extracted": 1, "messages_processed": 1, "failed": 0,
        }  # fmt: skip
        assert nm.heard == [["one"]]
        await nm.talk.add_message("alice", "user", "three", "a")
        await nm.talk.close_session("alice", "a")
        assert nm.heard == [["one"], ["three"]]

    async def test_shutdown(self, opening: Opening):
        nm = await opening(extraction=BY_TEN)
        await nm.talk.add_message("alice", "user", "one")
        await nm.memory.close()
        assert nm.heard == [["one"]]
        quiet = await opening(extraction=ExtractionStrategy(on_shutdown=False))
        await quiet.talk.add_message("alice", "user", "two")
        await quiet.memory.close()
        assert quiet.heard == []

    def test_the_settings_of_each(self):
        assert settings(auto_extract=True, reflection_interval=7).reflect_every == 7
        assert (
            settings(extraction=ExtractionStrategy(reflection_interval=50), reflection_interval=7).reflect_every == 50
        )
        base = Settings(secrets="keep", window=5)
        assert settings(extraction=ExtractionStrategy(message_interval=0), base=base).window == 5
        assert settings(auto_extract=False, base=base).secrets == "keep"
        assert ExtractionStrategy() == ExtractionStrategy(10, 600.0, True, True, 0)

    @pytest.mark.parametrize("wrong", [
        {"message_interval": -1}, {"message_interval": 1.5}, {"message_interval": True}, {"idle_timeout": -1},
        {"idle_timeout": float("nan")}, {"on_session_close": 1}, {"on_shutdown": None}, {"reflection_interval": "5"},
    ], ids=str)  # fmt: skip
    def test_a_strategy_that_cannot_be_meant_is_refused(self, wrong: dict[str, Any]):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ExtractionStrategy(**wrong)
        for given in ({"auto_extract": 1}, {"extraction": {}}, {"reflection_interval": -1}):
            with pytest.raises(InvalidInput):
                settings(**given)  # type: ignore[arg-type]


class TestFailure:
    async def test_is_seen_and_the_message_stays(self, opening: Opening):
        """B007, B009, B022: whatever the model did, it is not that nothing was said."""

        def answer(window: Sequence[Passage]) -> Extraction:
            raise DOWN

        nm = await opening(FakeExtractor(answer))
        key = await nm.talk.add_message("alice", "user", "I moved to Porto", "s")
        found = await nm.talk.extract("alice")
        assert (found["messages_processed"], found["failed"], found["facts_extracted"]) == (0, 1, 0)
        (told,) = await nm.talk.get_unextracted_messages("alice")
        assert (told["id"], told["status"], told["error"]) == (key, "failed", str(DOWN))
        assert told["attempts"] >= 1
        assert (await nm.talk.get_session_messages("alice", "s"))[0]["status"] == "failed"
        await nm.memory.close(drain=0)
        healed = await opening()
        found = await healed.talk.extract("alice", session_id="s")
        assert found["failed"] == 0
        assert healed.heard == [["I moved to Porto"]]
        assert await healed.talk.get_unextracted_messages("alice") == []

    async def test_b096_leaving_at_once_loses_nothing(self, opening: Opening):
        nm = await opening(Slow(1))
        await nm.talk.add_message("alice", "user", "I moved to Porto")
        await nm.memory.close(drain=0.2)
        again = await opening()
        await done(again)
        assert [record.text for record in await again.memory.records("alice", "fact")] == ["I moved to Porto"]
        assert again.heard == [["I moved to Porto"]]

    async def test_b099_no_connection_is_held_while_the_model_thinks(self, opening: Opening, db: str):
        url = f"{db}?pool=2" if "://" in db else db
        nm = await opening(Slow(1.5), url=url)
        await asyncio.gather(*(nm.talk.add_message("alice", "user", f"message {n}") for n in range(10)))
        await asyncio.sleep(0.1)
        began = time.monotonic()
        assert await nm.memory.get("alice", "nothing") is None
        assert time.monotonic() - began < 0.5
        assert (await nm.talk.list_sessions("alice"))[1][0]["message_count"] == 10
        assert nm.heard == [], "the model was at work all the while"


class TestOnce:
    async def test_b024_the_same_id_is_one_message(self, opening: Opening):
        nm = await opening()
        first = await nm.talk.add_message("alice", "user", "tea", message_id="m1")
        assert await nm.talk.add_message("alice", "user", "tea", message_id="m1") == first
        other = await nm.talk.add_message("alice", "user", "tea", message_id="m2")
        assert other != first
        assert len(await nm.talk.get_session_messages("alice")) == 2

    @pytest.mark.parametrize("after", [0, 0.001, 0.05])
    async def test_b024_after_a_cancel_too(self, opening: Opening, after: float):
        nm = await opening()
        adding = asyncio.create_task(nm.talk.add_message("alice", "user", "tea", message_id="m1"))
        await asyncio.sleep(after)
        adding.cancel()
        await asyncio.gather(adding, return_exceptions=True)
        key = await nm.talk.add_message("alice", "user", "tea", message_id="m1")
        await done(nm)
        assert [one["id"] for one in await nm.talk.get_session_messages("alice")] == [key]
        assert nm.heard == [["tea"]]

    async def test_the_first_text_stays_and_the_deleted_stays_deleted(
        self, opening: Opening, caplog: pytest.LogCaptureFixture
    ):
        nm = await opening(auto_extract=False)
        first = await nm.talk.add_message("alice", "user", "tea", message_id="m1")
        assert await nm.talk.add_message("alice", "user", "coffee", message_id="m1") == first
        assert "the first stays" in caplog.text
        assert [one["content"] for one in await nm.talk.get_session_messages("alice")] == ["tea"]
        assert await nm.talk.delete_message("alice", "m1")
        assert await nm.talk.add_message("alice", "user", "tea", message_id="m1") == first
        assert "stays deleted" in caplog.text
        assert await nm.talk.get_session_messages("alice") == []

    async def test_given_messages_are_kept_and_extracted_once(self, opening: Opening):
        nm = await opening(auto_extract=False)
        given = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
        assert (await nm.talk.extract("alice", given, "s"))["messages_processed"] == 2
        await nm.talk.add_message("alice", "user", "elsewhere", "t")
        read = await nm.talk.get_session_messages("alice", "s")
        assert (await nm.talk.extract("alice", read))["messages_processed"] == 2
        assert nm.heard == [["one", "two"]]
        waiting = await nm.talk.get_unextracted_messages("alice")
        assert [one["content"] for one in waiting] == ["elsewhere"]
        assert (await nm.talk.extract("alice", waiting))["messages_processed"] == 1
        assert nm.heard == [["one", "two"], ["elsewhere"]]


class TestSessions:
    async def test_a_batch_keeps_its_order_and_is_embedded(self, opening: Opening, clock: FakeClock):
        nm = await opening(auto_extract=False)
        given = [
            {"role": "user", "content": f"message {n}", "created_at": datetime(2024, 1, 9 - n, tzinfo=UTC)}
            for n in range(5)
        ]
        name, ids = await nm.talk.add_messages_batch("alice", given)
        assert name == "default"
        found = await nm.talk.get_session_messages("alice", name)
        assert [one["id"] for one in found] == ids
        assert [one["created_at"] for one in found] == [f"2024-01-0{9 - n}T00:00:00+00:00" for n in range(5)]
        await nm.memory.flush(unfinished=False)
        assert (await nm.memory.stats()).pending == {"extract": 5}
        assert [one["content"] for one in await nm.talk.get_session_messages("alice", name, limit=2, offset=3)] == [
            "message 3",
            "message 4",
        ]

    async def test_one_bad_message_and_none_is_kept(self, opening: Opening):
        nm = await opening(auto_extract=False)
        for bad in (
            {"role": "user"},
            {"role": "", "content": "x"},
            {"role": "user", "content": "x", "contnet": "y"},
            "x",
        ):
            with pytest.raises(InvalidInput):
                await nm.talk.add_messages_batch("alice", [{"role": "user", "content": "fine"}, bad])  # type: ignore[list-item]
        with pytest.raises(InvalidInput):
            await nm.talk.add_messages_batch("alice", "not a list")  # type: ignore[arg-type]
        assert await nm.memory.scopes() == []

    async def test_are_listed_the_latest_first(self, opening: Opening, clock: FakeClock):
        nm = await opening(auto_extract=False)
        await nm.talk.add_message("alice", "user", "one", "a")
        clock.advance(60)
        await nm.talk.add_message("alice", "user", "two", "b")
        clock.advance(60)
        await nm.talk.add_message("alice", "user", "three", "a")
        total, (first, second) = await nm.talk.list_sessions("alice")
        assert total == 2
        assert first == {
            "session_id": "a", "message_count": 2,
            "created_at": "2025-03-01T04:00:00+00:00", "last_message_at": "2025-03-01T04:02:00+00:00",
        }  # fmt: skip
        assert await nm.talk.list_sessions("alice", limit=1, offset=1) == (2, [second])
        assert await nm.talk.list_sessions("bob") == (0, [])

    async def test_b060_and_b069_ids_are_each_users_own(self, opening: Opening):
        nm = await opening(auto_extract=False)
        for user in ("jane-doe", "jane_doe", "jos\u00e9", "Alice", "\uff21lice", "x' OR '1'='1"):
            await nm.talk.add_message(user, "user", f"I am {user}", "same", message_id="m1")
            assert [one["content"] for one in await nm.talk.get_session_messages(user, "same")] == [f"I am {user}"]
        assert len(await nm.talk.get_session_messages("jose\u0301", "same")) == 1
        assert await nm.talk.delete_session("Alice", "same") == 1
        assert await nm.talk.list_sessions("Alice") == (0, [])
        assert (await nm.talk.list_sessions("\uff21lice"))[0] == 1

    @pytest.mark.parametrize("user", [None, "", "  ", 0, "a\x00b"])
    async def test_b064_nobody_is_nobody(self, opening: Opening, user: Any):
        nm = await opening(auto_extract=False)
        talk = nm.talk
        for asking in (
            talk.add_message(user, "user", "x"), talk.add_messages_batch(user, [{"role": "user", "content": "x"}]),
            talk.close_session(user, "s"), talk.extract(user), talk.get_session_messages(user, "s"),
            talk.list_sessions(user), talk.get_unextracted_messages(user), talk.search(user, "x"),
            talk.delete_session(user, "s"), talk.delete_message(user, "m"),
        ):  # fmt: skip
            with pytest.raises(ValueError, match="user_id"):
                await asking
        assert await nm.memory.scopes() == []

    async def test_sessions_of_files_are_no_talk(self, opening: Opening):
        nm = await opening(auto_extract=False)
        await nm.memory.remember("alice", [Message("a heron in a file", session="file:1"), "a heron in talk"])
        assert [one["content"] for one in await nm.talk.search("alice", "heron")] == ["a heron in talk"]
        assert (await nm.talk.list_sessions("alice"))[0] == 1
        assert len(await nm.talk.get_unextracted_messages("alice")) == 1
        with pytest.raises(InvalidInput):
            await nm.talk.add_message("alice", "user", "x", "file:1")

    async def test_search_and_deletion(self, opening: Opening):
        nm = await opening()
        key = await nm.talk.add_message("alice", "user", "I adopted a heron", "a", {"mood": "proud"})
        await nm.talk.add_message("alice", "user", "苍鹭很漂亮", "b")
        await nm.memory.flush()
        found = await nm.talk.search("alice", "heron", limit=1)
        assert (found[0]["id"], found[0]["metadata"], found[0]["status"]) == (key, {"mood": "proud"}, "extracted")
        assert 0 < found[0]["score"] <= 1
        assert [one["session_id"] for one in await nm.talk.search("alice", "苍鹭", session_id="b")] == ["b"]
        assert await nm.talk.delete_message("alice", key)
        assert not await nm.talk.delete_message("alice", key)
        assert not await nm.talk.delete_message("alice", "unknown")
        assert all(hit["id"] != key for hit in await nm.talk.search("alice", "heron"))
        assert await nm.talk.delete_session("alice", "b") == 1
        assert await nm.talk.delete_session("alice", "b") == 0
        assert await nm.memory.check() == []

    async def test_limits(self, opening: Opening):
        nm = await opening(auto_extract=False)
        for asking in (
            nm.talk.search("alice", "x", limit=0), nm.talk.get_session_messages("alice", "s", limit=1001),
            nm.talk.list_sessions("alice", offset=-1), nm.talk.get_unextracted_messages("alice", limit=True),
        ):  # fmt: skip
            with pytest.raises(InvalidInput):
                await asking


class TestParts:
    async def test_b115_texts_are_read_and_pictures_noted(self, opening: Opening):
        nm = await opening(auto_extract=False)
        picture = f"data:image/png;base64,{b64encode(png(9, 9, 9)).decode()}"
        content = [
            {"type": "text", "text": "I adopted a heron"},
            {"type": "image_url", "image_url": {"url": "https://x.test/heron.png"}},
            {"type": "image_url", "image_url": {"url": picture}},
            {"type": "image_url", "image_url": {"url": "data:image/svg+xml;base64,PHN2Zz4="}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,图"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        ]
        await nm.talk.add_message("alice", "user", content)
        (told,) = await nm.talk.get_session_messages("alice")
        assert told["content"] == "I adopted a heron"
        assert [(one["url"], one["media"]) for one in told["images"]] == [
            ("https://x.test/heron.png", ""),
            ("", "image/png"),
        ]
        assert told["metadata"]["attachments"] == [{"type": "image_url"}] * 2 + [{"type": "input_audio"}]
        await nm.talk.extract("alice")
        assert nm.heard == [["I adopted a heron"]]

    async def test_b115_nothing_is_kept_as_nothing(self, opening: Opening):
        nm = await opening()
        calls = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
        await nm.talk.add_message("alice", "assistant", None, metadata={"tool_calls": calls})
        await nm.talk.add_messages_batch("alice", [{"role": "assistant", "tool_calls": calls, "name": "bot"}])
        first, second = await nm.talk.get_session_messages("alice")
        assert (first["content"], first["status"]) == ("", "empty")
        assert (second["metadata"], second["status"]) == ({"tool_calls": calls, "name": "bot"}, "empty")
        await nm.memory.flush()
        assert nm.heard == []

    @pytest.mark.parametrize("wrong", [
        {"content": 5}, {"content": [5]}, {"content": {"type": "text"}}, {"metadata": "x"}, {"created_at": 5},
        {"created_at": "soon"}, {"role": None}, {"message_id": ""}, {"metadata": {"fabula:x": 1}}, {"session_id": ""},
        {"metadata": {"x": b"bytes"}}, {"message_id": []},
        {"content": [{"type": "input_audio"}], "metadata": {"attachments": 5}},
        {"content": [{"type": "input_audio"}], "metadata": {"attachments": "ab"}},
    ], ids=str)  # fmt: skip
    async def test_what_cannot_be_meant_is_refused(self, opening: Opening, wrong: dict[str, Any]):
        nm = await opening(auto_extract=False)
        given: dict[str, Any] = {"role": "user", "content": "x", **wrong}
        with pytest.raises(InvalidInput):
            await nm.talk.add_message("alice", **given)
        assert await nm.memory.scopes() == []

    @pytest.mark.parametrize("odd", [[], {}, 5, ""])
    async def test_an_id_that_is_none_is_refused_by_extract_too(self, opening: Opening, odd: Any):
        nm = await opening(auto_extract=False)
        with pytest.raises(InvalidInput):
            await nm.talk.extract("alice", [{"role": "user", "content": "x", "id": odd}])
        assert await nm.memory.scopes() == []
