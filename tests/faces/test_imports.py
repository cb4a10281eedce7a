"""What is read from files of conversations, and what is left out."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula import AsyncMemory, Image, InvalidInput, Message
from fabula.imports import Export, parse, read
from fabula.operations import Imported, import_

MOMENT = datetime(2024, 3, 1, 9, tzinfo=UTC)


def one(export: Export) -> tuple[Message, ...]:
    (conversation,) = export.conversations
    return conversation.messages


def lines(*items: Any) -> str:
    return "\n".join(item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items)


def sample(name: str = "conv-1", **sessions: Any) -> dict[str, Any]:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "We adopted a heron."},
        {
            "speaker": "李雷", "dia_id": "D1:2", "text": "看这张照片！", "blip_caption": "a heron on a roof",
            "img_url": ["https://example.org/1.jpg", "https://example.org/2.jpg"], "query": "heron",
        },
    ]  # fmt: skip
    talk = {
        "speaker_a": "Ann",
        "speaker_b": "李雷",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
    }
    return {"sample_id": name, "qa": [], "conversation": talk | sessions}


class TestLocomo:
    def test_turns_become_messages_a_second_apart(self) -> None:
        export = parse(json.dumps([sample()]))
        first, second = one(export)
        assert export.format == "locomo"
        assert export.conversations[0].name == "conv-1"
        assert first == Message(
            "We adopted a heron.", speaker="Ann", time=datetime(2023, 5, 8, 13, 56, tzinfo=UTC), id="D1:1",
            session="session_1", meta={},
        )  # fmt: skip
        assert second.time == datetime(2023, 5, 8, 13, 56, 1, tzinfo=UTC)
        assert second.images == (
            Image(caption="a heron on a roof", url="https://example.org/1.jpg"),
            Image(url="https://example.org/2.jpg"),
        )

    @pytest.mark.parametrize(
        ("said", "hour"), [("12:05 am on 1 January, 2024", 0), ("12:05 pm on 1 January, 2024", 12)]
    )
    def test_midnight_and_noon(self, said: str, hour: int) -> None:
        export = parse(json.dumps([sample(session_1_date_time=said)]))
        assert one(export)[0].time == datetime(2024, 1, 1, hour, 5, tzinfo=UTC)

    def test_sessions_come_in_the_order_of_their_numbers(self) -> None:
        turn = {"speaker": "Ann", "text": "later", "dia_id": "D10:1"}
        export = parse(json.dumps([sample(session_10=[turn], session_2=[{**turn, "dia_id": "D2:1"}])]))
        assert [message.id for message in one(export)] == ["D1:1", "D1:2", "D2:1", "D10:1"]

    def test_a_date_without_its_session_is_no_session(self) -> None:
        export = parse(json.dumps([sample(session_20_date_time="9:00 am on 1 June, 2023")]))
        assert len(one(export)) == 2
        assert export.skipped == ()

    def test_an_unreadable_date_loses_no_turn(self) -> None:
        export = parse(json.dumps([sample(session_1_date_time="some day in May")]))
        assert [message.time for message in one(export)] == [None, None]
        assert export.undated == 2
        assert export.notes == ("conv-1, session_1: no date that can be read",)

    def test_bad_turns_are_left_out_and_named(self) -> None:
        bad = [{"speaker": "Ann", "dia_id": "D2:1"}, 7, {"speaker": "Ann", "text": "fine", "dia_id": "D2:3"}]
        export = parse(json.dumps([sample(session_2=bad, session_3={}), {"sample_id": "conv-2"}]))
        assert [(skipped.place, skipped.why) for skipped in export.skipped] == [
            ("conv-1, session_2, turn 1", "content is missing"),
            ("conv-1, session_2, turn 2", "a message is a JSON object, not a number"),
            ("conv-1, session_3", "turns are a list, not an object"),
            ("conversation 2", "it has no object `conversation`"),
        ]
        assert [message.id for message in one(export)] == ["D1:1", "D1:2", "D2:3"]

    def test_a_picture_without_words_is_kept(self) -> None:
        export = parse(json.dumps([sample(session_1=[{"speaker": "Ann", "blip_caption": "a boat"}])]))
        (message,) = one(export)
        assert (message.content, message.images) == ("", (Image(caption="a boat"),))


class TestOpenAI:
    def test_a_list_and_an_object_are_the_same(self) -> None:
        talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
        assert parse(json.dumps(talk)) == parse(json.dumps({"messages": talk}))
        assert parse(json.dumps(talk)).format == "openai"

    def test_b115_every_shape_of_content(self) -> None:
        call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
        parts = [
            {"type": "text", "text": "I adopted a heron"},
            {"type": "image_url", "image_url": {"url": "https://example.org/heron.jpg"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 1000}},
            {"type": "text", "text": "它叫小灰"},
            {"type": "input_audio", "input_audio": {"data": "AAAA"}},
        ]
        talk = [
            {"role": "system", "content": [{"type": "text", "text": "Be kind."}]},
            {"role": "user", "name": "ana", "content": parts},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"ok":true}'},
            {"role": "assistant", "content": None, "refusal": "I cannot."},
            {"role": "user", "content": ""},
        ]
        export = parse(json.dumps(talk))
        system, user, calling, tool, refusing, empty = one(export)
        assert (system.role, system.speaker, system.content) == ("system", None, "Be kind.")
        assert (user.speaker, user.content) == ("ana", "I adopted a heron\n它叫小灰")
        assert user.images == (Image(url="https://example.org/heron.jpg"), Image(url="data:image/png"))
        assert (calling.content, calling.meta) == ("", {"tool_calls": [call]})
        assert (tool.content, tool.meta) == ('{"ok":true}', {"tool_call_id": "c1"})
        assert refusing.content == "I cannot."
        assert empty.content == ""
        assert export.notes == ("1 part(s) of type input_audio could not be kept",)
        assert (export.undated, export.skipped) == (6, ())

    def test_bad_messages_are_left_out_and_named(self) -> None:
        talk = [
            {"role": "user", "content": "fine"},
            {"content": "whose?"},
            {"role": "user", "content": 5},
            {"role": "user", "content": [{"type": "text"}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {}}]},
            "hi",
        ]
        export = parse(json.dumps(talk))
        assert len(one(export)) == 1
        assert [(skipped.place, skipped.why) for skipped in export.skipped] == [
            ("message 2", "role is missing"),
            ("message 3", "content is text, not a number"),
            ("message 4", "the text of a part is missing"),
            ("message 5", "image_url is missing"),
            ("message 6", "a message is a JSON object, not text"),
        ]

    def test_ids_stay_when_the_chat_goes_on(self) -> None:
        talk = [
            {"role": "user", "content": "ok"},
            {"role": "assistant", "content": "ok"},
            {"role": "user", "content": "ok"},
        ]
        first, longer = one(parse(json.dumps(talk[:2]))), one(parse(json.dumps(talk)))
        assert [message.id for message in longer[:2]] == [message.id for message in first]
        assert len({message.id for message in longer}) == 3

    def test_the_same_words_in_another_talk_are_another_message(self) -> None:
        here = one(parse('[{"role": "user", "content": "a"}, {"role": "user", "content": "ok"}]'))
        there = one(parse('[{"role": "user", "content": "b"}, {"role": "user", "content": "ok"}]'))
        assert here[1].id != there[1].id

    def test_an_id_tells_nothing_of_a_secret(self) -> None:
        keys = ("sk-proj-" + letter * 40 for letter in "ab")
        ids = [one(parse(json.dumps([{"role": "user", "content": f"my key is {key}"}])))[0].id for key in keys]
        assert ids[0] == ids[1]


class TestLines:
    def test_every_field(self) -> None:
        item = {
            "content": "晚上好", "speaker": "Ann", "role": "assistant", "time": "2024-03-01T09:00:00Z", "id": 7,
            "session": "s", "images": ["https://example.org/a.png", {"caption": "a cat", "name": "cat.png"}],
            "meta": {"k": [1, None]},
        }  # fmt: skip
        assert one(parse(lines(item))) == (
            Message(
                "晚上好", speaker="Ann", role="assistant", time=MOMENT, id="7", session="s", meta={"k": [1, None]},
                images=(Image(url="https://example.org/a.png"), Image(caption="a cat", name="cat.png")),
            ),
        )  # fmt: skip

    @pytest.mark.parametrize("stamp", ["2024-03-01T10:00+01:00", 1709283600, 1709283600.0, 1709283600000])
    def test_times(self, stamp: Any) -> None:
        assert one(parse(lines({"content": "a", "timestamp": stamp})))[0].time == MOMENT

    def test_an_undated_message_was_said_with_the_one_before_in_its_session(self) -> None:
        export = parse(
            lines(
                {"content": "a", "session": "s"},
                {"content": "b", "session": "s", "time": MOMENT.isoformat()},
                {"content": "c", "session": "t", "time": (MOMENT + timedelta(days=1)).isoformat()},
                {"content": "d", "session": "s"},
            )
        )
        assert [message.time for message in one(export)] == [None, MOMENT, MOMENT + timedelta(days=1), MOMENT]
        assert export.undated == 2

    def test_sessions_are_named_after_the_file_where_they_have_no_name(self) -> None:
        export = parse(lines({"content": "a"}, {"content": "b", "session": "own"}), session="chat")
        assert [message.session for message in one(export)] == ["chat", "own"]

    def test_bad_lines_are_left_out_with_number_and_reason(self) -> None:
        export = parse(
            lines(
                {"content": "fine"},
                "",
                '{"content": "cut o',
                "[1]",
                {"speaker": "Ann"},
                {"content": "x", "time": "yesterday"},
                {"content": "x", "time": True},
                {"content": "x", "time": 1e300},
                {"content": "x", "id": " "},
                {"content": "x", "id": 1.5},
                {"content": "x", "session": "a\tb"},
                {"content": "x", "role": ""},
                {"content": "x", "speaker": ["Ann"]},
                {"content": "x", "images": "a.png"},
                {"content": "x", "images": [5]},
                {"content": "x", "meta": "m"},
                '{"content": "x", "meta": {"n": NaN}}',
            )
        )
        assert [message.content for message in one(export)] == ["fine"]
        assert [int(skipped.place.removeprefix("line ")) for skipped in export.skipped] == list(range(3, 18))
        reasons = {skipped.place: skipped.why for skipped in export.skipped}
        assert reasons["line 3"].startswith("broken JSON at column 13")
        assert reasons["line 5"] == "content is missing"
        assert reasons["line 6"] == "not an ISO 8601 date or time: 'yesterday'"
        assert reasons["line 9"] == "id is blank"

    def test_line_separators_inside_a_text_end_no_line(self) -> None:
        text = "one\u2028two\u0085three"
        assert one(parse(f'{{"content": "{text}"}}\r\n{{"content": "four"}}\r\n'))[0].content == text

    def test_a_list_of_such_objects_is_read_too(self) -> None:
        export = parse(json.dumps([{"content": "a", "speaker": "Ann"}, 5]))
        assert export.format == "jsonl"
        assert one(export)[0].speaker == "Ann"
        assert export.skipped[0].place == "item 2"


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("hello there", "no known format: broken JSON"),
            ("[1/2/24, 9:00] Ann: hi", "broken JSON at line 1, column 3"),
            ('[{"role": "user", "content": "a"},\n {"role": ]', "broken JSON at line 2, column 11"),
            ("[]", "no message"),
            ("{}", "no message"),
            ("5", "no known format"),
            ('[{"mapping": {}}]', "no known format"),
            ('{"messages": [{"from": "Ann"}]}', "no known format"),
            ('[{"conversation": {}}]', "no message to import"),
            ('[{"role": "user"}]', "no message to import: message 1: content is missing"),
            ("[" * 100_000, "nested too deeply"),
            ('{"content": ' + "9" * 5000 + "}", "no known format: broken JSON"),
        ],
    )
    def test_a_file_of_no_use_is_an_error(self, text: str, why: str) -> None:
        with pytest.raises(InvalidInput, match=why) as raised:
            parse(text)
        assert "\n" not in str(raised.value)

    @pytest.mark.parametrize("format_", ["locomo", "openai"])
    def test_a_format_that_is_named_and_wrong(self, format_: Any) -> None:
        with pytest.raises(InvalidInput):
            parse('{"content": "a"}', format_)

    def test_a_file_that_is_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "x.json"
        for data, why in ((b"\x7fELF\xff\xfe", "not UTF-8"), (b" \n", "is empty"), (b"", "is empty")):
            path.write_bytes(data)
            with pytest.raises(InvalidInput, match=why):
                read(path)
        for missing in (tmp_path, tmp_path / "none.json"):
            with pytest.raises(InvalidInput, match="cannot read"):
                read(missing)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_encodings(self, tmp_path: Path, encoding: str) -> None:
        path = tmp_path / "x.jsonl"
        path.write_text('[{"role": "user", "content": "你好 ✅"}]', encoding)
        assert one(parse(read(path)))[0].content == "你好 ✅"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    "content",
    "speaker",
    "role",
    "time",
    "timestamp",
    "id",
    "session",
    "images",
    "meta",
    "name",
    "text",
    "refusal",
)
ITEMS = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5)


@settings(max_examples=150, deadline=None)
@given(st.lists(ITEMS | JSON, max_size=4), st.sampled_from(("locomo", "openai", "jsonl", "auto")))
def test_whatever_stands_in_a_file_only_invalid_input_is_raised(items: list[Any], format_: Any) -> None:
    talk = {"conversation": {"session_1": items}} if format_ == "locomo" else items
    text = "\n".join(map(json.dumps, items)) if format_ == "jsonl" else json.dumps(talk)
    try:
        export = parse(text, format_)
    except InvalidInput:
        return
    assert sum(len(talk.messages) for talk in export.conversations) + len(export.skipped) >= 1


class TestImport:
    async def brought(self, memory: AsyncMemory, path: Path, text: str, **more: Any) -> Imported:
        await asyncio.to_thread(path.write_text, text, "utf-8")
        return await import_(memory, path, scope="me", **more)

    async def test_what_parse_lets_through_remember_takes(self, tmp_path: Path) -> None:
        items = [
            {"content": "\ud83d lone", "speaker": "a\u0000b", "meta": {"\ud83d": "\u0000"}},
            {"content": "", "speaker": "", "images": [{}]},
            {"content": "first year", "time": "0001-01-01T00:00:00+00:00"},
            {"content": "last year", "time": "9999-12-31T23:59:59+00:00"},
            {"content": "x" * 100_000, "id": "é" * 500},
        ]
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            done = await self.brought(memory, tmp_path / "x.jsonl", "\n".join(map(json.dumps, items)))
            assert (done.added, done.skipped) == (5, ())
            assert await memory.check() == []

    async def test_a_second_import_adds_nothing(self, tmp_path: Path) -> None:
        talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hi"}]
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            for added in (2, 0):
                done = await self.brought(memory, tmp_path / "chat.json", json.dumps(talk))
                assert (done.added, done.duplicates) == (added, 2 - added)
            done = await self.brought(memory, tmp_path / "chat.json", json.dumps([*talk, talk[0]]))
            assert (done.added, done.duplicates) == (1, 2)
            assert [getattr(record, "session", "") for record in await memory.records("me")] == ["chat"] * 3

    async def test_conversations_go_to_scopes_of_their_own(self, tmp_path: Path) -> None:
        text = json.dumps([sample("c1"), sample("c2")])
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            done = await self.brought(memory, tmp_path / "l.json", text)
            assert done.scopes == {"me/c1": 2, "me/c2": 2}
            assert await memory.scopes() == ["me/c1", "me/c2"]
            done = await self.brought(memory, tmp_path / "l.json", text, conversation="c2")
            assert done.scopes == {"me": 2}
            with pytest.raises(InvalidInput, match="there are: c1, c2"):
                await self.brought(memory, tmp_path / "l.json", text, conversation="c3")

    async def test_the_summary_tells_what_was_not_added(self, tmp_path: Path) -> None:
        key = "sk-proj-" + "a1" * 20
        items = [{"content": "old", "id": "1"}, {"content": "gone", "id": "2"}]
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            await self.brought(memory, tmp_path / "x.jsonl", lines(*items))
            await memory.forget("me", refs=["2"])
            text = lines({"content": "new", "id": "1"}, items[1], {"content": f"my key is {key}"}, "broken")
            done = await self.brought(memory, tmp_path / "x.jsonl", text)
            assert (done.added, len(done.conflicts), done.erased, len(done.skipped)) == (1, 1, ("2",), 1)
            assert done.masked == {"api_key": 1}
            assert [record.text for record in await memory.records("me")] == ["old", "my key is [REDACTED]"]

    async def test_the_time_of_undated_messages_can_be_given(self, tmp_path: Path) -> None:
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            text = lines({"content": "a"}, {"content": "b", "time": "2020-01-01"})
            done = await self.brought(memory, tmp_path / "x.jsonl", text, time="2024-03-01T09:00Z")
            found = await memory.records("me")
            assert [record.valid and record.valid.start for record in found] == [
                MOMENT,
                datetime(2020, 1, 1, tzinfo=UTC),
            ]
            assert done.undated == 1

    async def test_many_messages_are_written_in_batches_and_progress_is_told(self, tmp_path: Path) -> None:
        told: list[tuple[str, int, int]] = []
        text = lines(*({"content": f"message {number}"} for number in range(450)))
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            report = lambda *step: told.append(step)  # noqa: E731
            done = await self.brought(memory, tmp_path / "x.jsonl", text, progress=report)
        assert done.added == 450
        assert [step for step in told if step[0] == "remembering"] == [
            ("remembering", 200, 450), ("remembering", 400, 450), ("remembering", 450, 450),
        ]  # fmt: skip

    async def test_a_file_that_cannot_be_read_writes_nothing(self, tmp_path: Path) -> None:
        async with AsyncMemory(tmp_path / "m.db", embedder=None) as memory:
            with pytest.raises(InvalidInput, match=r"x\.json: "):
                await self.brought(memory, tmp_path / "x.json", '[{"role": "user", "content": "a"}, ')
            assert await memory.scopes() == []


def test_real_locomo_files_are_read_whole(shared: Path) -> None:
    path = shared / "data" / "locomo" / "locomo_dev.json"
    samples = json.loads(path.read_text("utf-8"))
    export = parse(read(path))
    turns = sum(len(v) for s in samples for v in s["conversation"].values() if isinstance(v, list))
    assert sum(len(talk.messages) for talk in export.conversations) == turns == 3435
    assert (export.skipped, export.notes, export.undated) == ((), (), 0)
