"""From messages to a receipt: what is kept as it was said, what is kept once, and what is never kept."""

import importlib
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabula import AsyncMemory, Image, InvalidInput, Message, Passage, Plan, Receipt, Settings
from fabula.testing import FakeClock, HashEmbedder
from fabula.text import clean, mask

BLANK = ["", " ", "\n\n", "\t", "\u3000", "\u00a0 \r\n"]
KEY = "sk-proj-Zq3vT8mN2xK7pL4wR9yB"
CARD = "4111 1111 1111 1111"


# What is refused before the database is asked is refused alike whichever it is.
sqlite_alone = pytest.mark.parametrize("db", ["sqlite"], indirect=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock("2024-05-01T12:00:00Z")


@pytest.fixture
async def memory(db: str, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as opened:
        yield opened


async def passages(memory: AsyncMemory, scope: str = "u") -> list[Passage]:
    return [record for record in await memory.records(scope) if isinstance(record, Passage)]


async def bytes_of(db: str) -> bytes:
    """Everything that was written: on SQLite the files, the log included, on PostgreSQL every row of every table."""
    if "://" not in db:
        return b"".join(path.read_bytes() for path in sorted(Path(db).parent.glob(f"{Path(db).name}*")))
    written = BytesIO()
    connection: Any = await importlib.import_module("asyncpg").connect(db)  # its types are incomplete
    try:
        for (table,) in await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"):
            await connection.copy_from_table(table, output=written, format="binary")
    finally:
        await connection.close()
    return written.getvalue()


class TestWhatIsKept:
    async def test_word_for_word_with_all_that_came_along(self, memory: AsyncMemory):
        message = Message(
            "  I  moved\nto Porto ",
            speaker="Ann",
            role="assistant",
            time="2024-04-01T08:00:00+09:00",
            id="m:1",
            session="spring",
            images=(Image(caption="a tram", url="https://x.org/a.png", name="a.png"),),
            meta={"list": (1, 2.5, None, True), "deep": {"名": "值", 5: "five"}},
        )
        receipt = await memory.remember("u", message)
        (kept,) = await passages(memory)
        assert receipt.ids == (kept.id,)
        assert (kept.text, kept.speaker, kept.role) == ("  I  moved\nto Porto ", "Ann", "assistant")
        assert (kept.ref, kept.session, kept.seq, kept.images) == ("m:1", "spring", 0, message.images)
        assert dict(kept.meta) == {"list": [1, 2.5, None, True], "deep": {"名": "值", "5": "five"}}
        assert kept == await memory.get("u", kept.id)

    async def test_when_it_was_recorded(self, memory: AsyncMemory, clock: FakeClock):
        await memory.remember("u", "first")
        clock.advance(60)
        await memory.remember("u", "second")
        recorded = [kept.recorded for kept in await passages(memory)]
        assert [span and span.start for span in recorded] == [clock.now - timedelta(minutes=1), clock.now]
        assert all(span is not None and span.end is None for span in recorded)

    async def test_in_order_session_by_session(self, memory: AsyncMemory):
        await memory.remember("u", [Message("1", session="a"), Message("2", session="b"), Message("3", session="a")])
        await memory.remember("u", Message("4", session="a"))
        kept = await passages(memory)
        assert [(p.text, p.session, p.seq) for p in kept] == [
            ("1", "a", 0), ("2", "b", 0), ("3", "a", 1), ("4", "a", 2)
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "given",
        [
            lambda: "one",
            lambda: Message("one"),
            lambda: ["one"],
            lambda: (Message("one"),),
            lambda: iter(["one"]),
        ],
        ids=["a text", "a message", "a list", "a tuple", "an iterator"],
    )
    async def test_takes_one_or_many(self, memory: AsyncMemory, given: Callable[[], Any]):
        assert (await memory.remember("u", given())).added == 1
        assert [p.text for p in await passages(memory)] == ["one"]

    async def test_of_nothing_is_nothing(self, memory: AsyncMemory):
        assert await memory.remember("u", []) == Receipt()
        assert await memory.scopes() == []

    async def test_who_speaks_is_the_role_if_nobody_is_named(self, memory: AsyncMemory):
        await memory.remember("u", [Message("a"), Message("b", role="tool"), Message("c", speaker=" "), "d"])
        assert [p.speaker for p in await passages(memory)] == ["user", "tool", "user", "user"]

    async def test_is_there_after_reopening(self, db: str, clock: FakeClock):
        async with AsyncMemory(db, embedder=None, clock=clock) as first:
            receipt = await first.remember("u", ["我喜欢喝茶", "emoji 👩‍👩‍👧 ok"])
        async with AsyncMemory(db, embedder=None, clock=clock) as second:
            assert [p.text for p in await passages(second)] == ["我喜欢喝茶", "emoji 👩‍👩‍👧 ok"]
            assert [p.id for p in await passages(second)] == list(receipt.ids)
            assert await second.check() == []


class TestOnce:
    async def test_the_same_id_again_is_a_duplicate(self, memory: AsyncMemory):
        first = await memory.remember("u", Message("hello", id="m1"))
        again = await memory.remember("u", [Message("hello", id="m1"), Message("new", id="m2")])
        assert again.ids[0] == first.ids[0]
        assert (again.duplicates, again.conflicts, again.added) == (first.ids, (), 1)
        assert [p.text for p in await passages(memory)] == ["hello", "new"]

    async def test_the_first_text_stays(self, memory: AsyncMemory):
        first = await memory.remember("u", Message("hello", id="m1"))
        again = await memory.remember("u", Message("goodbye", id="m1"))
        assert (again.ids, again.conflicts, again.duplicates, again.added) == (first.ids, first.ids, (), 0)
        assert [p.text for p in await passages(memory)] == ["hello"]

    async def test_twice_in_one_call(self, memory: AsyncMemory):
        given = [Message("a", id="1"), Message("a", id="1"), Message("b", id="1"), Message("c", id="2")]
        receipt = await memory.remember("u", given)
        one, two = receipt.ids[0], receipt.ids[3]
        assert receipt.ids == (one, one, one, two)
        assert (receipt.duplicates, receipt.conflicts, receipt.added) == ((one,), (one,), 2)
        assert [p.text for p in await passages(memory)] == ["a", "c"]

    async def test_equal_texts_are_two_messages(self, memory: AsyncMemory):
        receipt = await memory.remember("u", ["same", "same", Message("same", id="x"), Message("same", id="y")])
        assert len(set(receipt.ids)) == receipt.added == 4

    async def test_an_id_means_its_message_in_its_scope_only(self, memory: AsyncMemory):
        await memory.remember("u", Message("mine", id="1"))
        other = await memory.remember("v", Message("yours", id="1"))
        assert (other.added, other.conflicts) == (1, ())
        assert [p.text for p in await passages(memory)] == ["mine"]

    async def test_a_masked_secret_does_not_make_a_conflict(self, memory: AsyncMemory):
        await memory.remember("u", Message(f"my key is {KEY}", id="1"))
        again = await memory.remember("u", Message(f"my key is {KEY}", id="1"))
        assert (len(again.duplicates), again.conflicts, again.masked) == (1, (), ())

    async def test_the_forgotten_stay_forgotten(self, memory: AsyncMemory):
        first = await memory.remember("u", [Message("a", id="1"), Message("b", id="2")])
        await memory.forget("u", refs=["1"])
        again = await memory.remember("u", [Message("a", id="1"), Message("b", id="2"), Message("c", id="3")])
        assert again.ids[:2] == (None, first.ids[1])
        assert (again.erased, again.duplicates, again.added) == (("1",), (first.ids[1],), 1)
        assert [p.text for p in await passages(memory)] == ["b", "c"]


class TestBlank:
    @pytest.mark.parametrize("text", BLANK)
    async def test_is_kept_and_makes_no_memory(self, memory: AsyncMemory, text: str):
        receipt = await memory.remember("u", [text, "tea"])
        assert receipt.added == 2
        assert [p.text for p in await passages(memory)] == [clean(text), "tea"]
        assert (await memory.stats("u")).pending == {"embed": 1, "extract": 1}
        await memory.flush()
        assert await memory.check() == []
        assert [p.text for p in (await memory.recall("u", "tea")).passages[:1]] == ["tea"]

    async def test_alone(self, memory: AsyncMemory):
        await memory.remember("u", BLANK)
        assert not sum((await memory.stats("u")).pending.values())
        assert not await memory.recall("u", "tea")

    async def test_a_picture_is_something(self, memory: AsyncMemory):
        await memory.remember("u", Message("", images=(Image(caption="a red tram in Lisbon"),)))
        await memory.flush()
        assert (await memory.recall("u", "tram")).passages[0].images[0].caption == "a red tram in Lisbon"
        assert await memory.check() == []


class TestSecrets:
    SAID = Message(
        f"my card is {CARD}, and the key {KEY} too",
        speaker="Ann",
        id="m1",
        images=(Image(caption=f"a note with {KEY}", url=f"https://ann:{KEY}@x.org/", name=f"{KEY}.png"),),
        meta={"plain": KEY, "list": [f"card {CARD}", {"deep": f"key: {KEY}"}], "n": 5},
    )

    async def test_leave_no_trace(self, db: str, clock: FakeClock):
        async with AsyncMemory(db, embedder=HashEmbedder(), clock=clock) as memory:
            receipt = await memory.remember("u", self.SAID)
            written = await bytes_of(db)
            await memory.flush()
            (kept,) = await passages(memory)
            written += await bytes_of(db)
        written += await bytes_of(db)
        for secret in (KEY, CARD, CARD.replace(" ", "")):
            assert secret.encode() not in written
            assert secret not in repr(kept)
        assert b"a note with" in written
        assert kept.text == "my card is [REDACTED], and the key [REDACTED] too"
        assert [(m.id, m.kind, kept.text[m.start : m.end]) for m in receipt.masked] == [
            (kept.id, "card", "[REDACTED]"),
            (kept.id, "api_key", "[REDACTED]"),
        ]
        assert kept.meta["fabula:masked"] == [[m.kind, m.start, m.end] for m in receipt.masked]
        assert kept.images[0].name == "[REDACTED].png"

    async def test_not_even_as_a_key_of_meta(self, db: str, memory: AsyncMemory):
        await memory.remember("u", Message("hello", meta={KEY: {KEY: 1}}))
        assert KEY.encode() not in await bytes_of(db)

    async def test_the_callers_own_meta_is_not_overwritten(self, memory: AsyncMemory):
        await memory.remember("u", Message(f"my key is {KEY}", meta={"masked": "by me"}))
        (kept,) = await passages(memory)
        assert "by me" in repr(dict(kept.meta))

    async def test_may_be_kept(self, db: str, clock: FakeClock):
        async with AsyncMemory(db, embedder=None, clock=clock, settings=Settings(secrets="keep")) as memory:
            receipt = await memory.remember("u", self.SAID)
            (kept,) = await passages(memory)
        assert receipt.masked == ()
        assert (kept.text, kept.images) == (self.SAID.content, self.SAID.images)
        assert dict(kept.meta) == dict(self.SAID.meta)

    async def test_are_found_by_what_stands_around_them(self, memory: AsyncMemory):
        await memory.remember("u", self.SAID)
        assert (await memory.recall("u", "which card?")).passages
        assert not (await memory.recall("u", KEY, Plan(channels=("sparse",)))).passages


class TestTimes:
    async def test_naive_is_utc_and_text_is_read(self, memory: AsyncMemory):
        times = [datetime(2024, 4, 1, 8), "2024-04-01T08:00:00", "2024-04-01T08:00:00Z"]  # noqa: DTZ001
        await memory.remember("u", [Message("x", time=time) for time in times])
        assert {p.time for p in await passages(memory)} == {datetime(2024, 4, 1, 8, tzinfo=UTC)}

    @pytest.mark.parametrize("offset", ["+09:00", "-03:30", "+05:45", "+08:05:43", "-12:00", "+14:00"])
    async def test_the_offset_is_kept(self, memory: AsyncMemory, offset: str):
        said = datetime.fromisoformat(f"2024-04-01T23:30:00.123456{offset}")
        await memory.remember("u", Message("x", time=said))
        (kept,) = await passages(memory)
        assert kept.time is not None
        assert (kept.time, kept.time.utcoffset()) == (said, said.utcoffset())

    async def test_without_one_it_is_now(self, memory: AsyncMemory, clock: FakeClock):
        await memory.remember("u", "x")
        assert (await passages(memory))[0].time == clock.now

    @pytest.mark.parametrize(
        "time",
        [
            "0001-01-01T00:00:00",
            "9999-12-31T23:59:59.999999",
            "0001-01-01T00:00:00+09:00",
            "9999-12-31T23:59:59-09:00",
            "1969-12-31T23:59:59.999999",
        ],
    )
    async def test_the_ends_of_the_calendar_are_read_back_or_refused(self, db: str, clock: FakeClock, time: str):
        """A message that could be written but never read again would poison its scope."""
        store = AsyncMemory(db, embedder=HashEmbedder(), clock=clock)
        try:
            try:
                await store.remember("u", ["before", Message("tea", time=time)])
            except InvalidInput:
                assert await store.scopes() == []
                return
            assert (await passages(store))[1].time == Message("", time=time).time
            assert [hit.record.text for hit in (await store.recall("u", "tea")).hits][:1] == ["tea"]
            assert (await store.flush()).errors == ()
        finally:
            await store.close()


def looped() -> dict[str, Any]:
    meta: dict[str, Any] = {}
    meta["me"] = meta
    return meta


def bottomless() -> dict[str, Any]:
    meta: dict[str, Any] = {}
    for _ in range(20_000):
        meta = {"in": meta}
    return meta


BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a number": lambda: 5,
    "bytes": lambda: b"abc",
    "a dict": lambda: {"role": "user", "content": "x"},
    "a list of dicts": lambda: [{"role": "user", "content": "x"}],
    "a None inside": lambda: ["good", None],
    "no text": lambda: [Message(None)],  # pyright: ignore[reportArgumentType]
    "a numeric speaker": lambda: [Message("x", speaker=5)],  # pyright: ignore[reportArgumentType]
    "a blank role": lambda: [Message("x", role=" ")],
    "no role": lambda: [Message("x", role=None)],  # pyright: ignore[reportArgumentType]
    "a blank id": lambda: [Message("x", id="")],
    "a numeric id": lambda: [Message("x", id=5)],  # pyright: ignore[reportArgumentType]
    "a control character in an id": lambda: [Message("x", id="a\nb")],
    "a surrogate in an id": lambda: [Message("x", id="a\ud800")],
    "a blank session": lambda: [Message("x", session="")],
    "no session": lambda: [Message("x", session=None)],  # pyright: ignore[reportArgumentType]
    "a NUL in a session": lambda: [Message("x", session="a\0")],
    "a time in words": lambda: [Message("x", time="yesterday")],
    "a numeric time": lambda: [Message("x", time=5)],  # pyright: ignore[reportArgumentType]
    "a date for a time": lambda: [Message("x", time=datetime(2024, 1, 1, tzinfo=UTC).date())],  # pyright: ignore[reportArgumentType]
    "a dict for an image": lambda: [Message("x", images=({"url": "u"},))],  # pyright: ignore[reportArgumentType]
    "a text for images": lambda: [Message("x", images="abc")],  # pyright: ignore[reportArgumentType]
    "an image without a caption": lambda: [Message("x", images=(Image(caption=None),))],  # pyright: ignore[reportArgumentType]
    "a text for meta": lambda: [Message("x", meta="abc")],  # pyright: ignore[reportArgumentType]
    "a list for meta": lambda: [Message("x", meta=[1])],  # pyright: ignore[reportArgumentType]
    "an object in meta": lambda: [Message("x", meta={"a": object()})],
    "bytes in meta": lambda: [Message("x", meta={"a": [b"x"]})],
    "a NaN in meta": lambda: [Message("x", meta={"a": float("nan")})],
    "an endless meta": lambda: [Message("x", meta=looped())],
    "a bottomless meta": lambda: [Message("x", meta=bottomless())],
}


@sqlite_alone
class TestBadInput:
    @pytest.mark.parametrize("what", BAD)
    async def test_writes_nothing_and_says_why(self, memory: AsyncMemory, what: str):
        with pytest.raises(InvalidInput) as caught:
            await memory.remember("u", BAD[what]())
        assert "\n" not in str(caught.value)
        assert await memory.scopes() == []

    @pytest.mark.parametrize("scope", [None, "", "  ", 0, "a\0b", "a\nb", "\u200b", b"u", "\ud800"])
    async def test_a_scope_is_a_name(self, memory: AsyncMemory, scope: Any):
        with pytest.raises(InvalidInput, match="scope"):
            await memory.remember(scope, "x")
        assert await memory.scopes() == []

    async def test_one_bad_message_keeps_the_good_ones_out(self, memory: AsyncMemory):
        def messages() -> Iterator[Message]:
            yield Message("good")
            yield Message("bad", session="")

        with pytest.raises(InvalidInput):
            await memory.remember("u", messages())
        assert await memory.scopes() == []

    async def test_an_error_of_the_callers_own_passes_through(self, memory: AsyncMemory):
        def messages() -> Iterator[str]:
            yield "good"
            raise KeyError("mine")

        with pytest.raises(KeyError):
            await memory.remember("u", messages())
        assert await memory.scopes() == []


odd = st.text(alphabet=st.characters(exclude_categories=()), max_size=60) | st.sampled_from(
    [
        "\ud83d",
        "ok \ud83d",
        "\ud83c\udf78",
        "ab\0cd",
        "\0",
        "é",
        "e\u0301",
        "👩‍👩‍👧",
        "\u202e\u200f",
        "﷽",
        "\x0b\x1b[31m",
        "𠮷",
        "\ufdfa",
    ]
)


# The examples share a database, each with a scope of its own.
@given(texts=st.lists(odd, min_size=1, max_size=6))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_odd_text_is_kept_clean_and_harms_nothing(texts: list[str], db: str):
    scope = uuid.uuid4().hex
    async with AsyncMemory(db, embedder=HashEmbedder(8), clock=FakeClock()) as memory:
        given_ = [Message(text, speaker=text, meta={text: [text]}, images=(Image(caption=text),)) for text in texts]
        receipt = await memory.remember(scope, given_)
        kept = await passages(memory, scope)
        assert [p.text for p in kept] == [mask(clean(text))[0] for text in texts]
        assert [p.id for p in kept] == list(receipt.ids)
        assert not any("\0" in p.text for p in kept)
        for text in texts:
            await memory.recall(scope, text)
        assert (await memory.flush(scope)).errors == ()
        assert await memory.check(scope) == []


async def test_a_long_text_is_kept_whole(memory: AsyncMemory):
    english, chinese = "tea and scones, " * 6400, "今天天气很好。" * 5000 + "暗语在最后"
    await memory.remember("u", [Message(english, session="en"), Message(chinese, session="zh")])
    assert [p.text for p in await passages(memory)] == [english, chinese]
    found = await memory.recall("u", "暗语", Plan(channels=("sparse",)))
    assert [p.session for p in found.passages] == ["zh"]
    assert (await memory.flush()).pending == 0
    assert await memory.check() == []


async def test_embedded_once_however_often_said(db: str, clock: FakeClock):
    embedder = HashEmbedder()
    async with AsyncMemory(db, embedder=embedder, clock=clock) as memory:
        await memory.remember("u", ["same", "same", "other"])
        await memory.flush()
        await memory.remember("u", "same")
        await memory.flush()
    assert sorted(text for call in embedder.calls for text in call) == ["other", "same"]
