"""Taking a scope out as plain data and putting it in again: nothing is lost, and what is damaged writes nothing."""

import base64
import copy
import json
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from engines import sql
from pictures import png
from shelf import Shelf

from fabula import AsyncMemory, Image, InvalidInput, Memory, Message, Note, Passage, StoreUnavailable, transfer, upkeep
from fabula.abc import MOVED, Changes, Entry, Extraction
from fabula.exported import TABLES, VERSION, Digest, Export, blob_key
from fabula.stores.statements import COLUMNS
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.types import Entity, Event, Fact, Frame, Kind
from fabula.upkeep import digest

KINDS: tuple[Kind, ...] = ("passage", "frame", "fact", "entity", "insight", "note")
TALK = [
    Message("Alice lives in Porto", speaker="Alice", id="1", session="one", images=(Image(data=png(0, 9, 0)),)),
    Message("我喜欢喝茶,尤其是绿茶 \u2028 𝄞", speaker="小王", id="2", session="one", meta={"深": [1, None, 0.5, "é"]}),
    Message("", speaker="Alice", id="3", session="one"),
    Message("Bob lives in Faro 😀", speaker="Bob", id="4", session="two", time="2024-02-29T12:00:00+08:00"),
    Message("Alice lives in Lisbon", speaker="Alice", id="5", session="two"),
]
QUESTIONS = ("Where does Alice live?", "喝什么茶?", "Faro")


def drawn(window: Sequence[Passage]) -> Extraction:
    """A frame a message, and for "X lives in Y" a fact, who it is about and a line of a profile."""
    frames, facts, entities, notes = [], [], [], []
    for p in window:
        given: dict[str, Any] = {"scope": "", "text": p.text, "sources": (p.id,)}
        event = Event(participants=(p.speaker,), action=p.text, time=p.valid)
        frames.append(Frame(id=f"f-{p.ref}", session=p.session, events=(event,), valid=p.valid, **given))
        who, _, where = p.text.partition(" lives in ")
        if where:
            facts.append(Fact(id="", subject=who, predicate="lives in", object=where, **given))
            entities.append(Entity(id="", **{**given, "text": who}, type="person"))
            notes.append(Note(id="n", namespace="profile", key="home", value={"at": [where, 1, None]}, **given))
    return Extraction(frames=tuple(frames), facts=tuple(facts), entities=tuple(entities), notes=tuple(notes))


def memory(db: str, **options: Any) -> AsyncMemory:
    return AsyncMemory(
        db, embedder=HashEmbedder(), extractor=FakeExtractor(drawn), clock=FakeClock("2024-06-01"), background=False,
        **options,
    )  # fmt: skip


def store(opened: AsyncMemory) -> Any:
    return opened._store  # pyright: ignore[reportPrivateUsage]


async def filled(opened: AsyncMemory, scope: str = "u") -> None:
    """Everything a scope can hold: versions that are over, ties, a tombstone, a picture, counts, work to be done."""
    await opened.remember(scope, TALK)
    await opened.flush()
    await opened.forget(scope, refs=["4"])
    await opened.flush()
    assert (await opened.recall(scope, QUESTIONS[0])).hits  # it is counted
    await opened.remember(scope, "said last, and not embedded yet")


async def contents(opened: AsyncMemory, scope: str = "u") -> dict[str, Any]:
    found: dict[str, Any] = {kind: await opened.records(scope, kind, status=None) for kind in KINDS}
    found["ids"] = {kind: [record.id for record in found.pop(kind)] for kind in KINDS}
    for question in QUESTIONS:
        hits = (await opened.recall(scope, question)).hits
        found[question] = [(hit.record.text, hit.score, dict(hit.parts)) for hit in hits]
    stats = await opened.stats(scope)
    return {**found, "counts": (stats.records, stats.sessions, stats.pending, stats.failed)}


async def exported(db: str) -> dict[str, Any]:
    async with memory(db) as opened:
        await filled(opened)
        return await opened.export("u")


# --- there and back ----------------------------------------------------------------------------------------------


def test_every_column_of_every_table_is_exported():
    assert list(TABLES) == list(MOVED), "the tables, in the order in which they are written"
    for table, (keys, others) in COLUMNS.items():
        assert tuple(TABLES[table]) == (*keys, *others)
        assert MOVED[table] == len(keys)


async def test_nothing_heavy_is_done_on_the_event_loop(db: str, other: str, monkeypatch: pytest.MonkeyPatch):
    on: dict[str, set[bool]] = {}

    def watched(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def call(*args: Any, **given: Any) -> Any:
            if "head" not in args:  # six short values, whatever the scope holds
                on.setdefault(name, set()).add(threading.current_thread() is threading.main_thread())
            return real(*args, **given)

        monkeypatch.setattr(owner, name, call)

    watched(Digest, "add")
    watched(Export, "_placed")
    for name in ("_shown", "coded"):
        watched(transfer, name)
    watched(upkeep, "_coded")
    async with AsyncMemory(db, embedder=None, blobs=Shelf()) as memory:
        await memory.remember("u", TALK)
        await memory.files.upload("u", "a.txt", b"Alpha")
        made = await memory.export("u")
    async with AsyncMemory(other, embedder=None, blobs=Shelf()) as memory:
        await memory.import_(made)
    assert on == {key: {False} for key in ("add", "_placed", "_shown", "coded", "_coded")}


async def test_there_and_back_loses_nothing(db: str, other: str):
    async with memory(db) as opened:
        await filled(opened)
        data = await opened.export("u")
        counts = await opened.accessed("u", [row["id"] for row in data["tables"]["records"]])
        before, rows = await contents(opened), await digest(store(opened), "u")
        assert all(data["tables"].values()), "a table that is empty here proves nothing"
        assert any(row["recorded_to"] for row in data["tables"]["records"]), "a version that is over"
    async with memory(other) as opened:
        done = await opened.import_(json.loads(json.dumps(data)))
        assert (done.scope, done.present) == ("u", False)
        assert done.rows == {table: len(rows) for table, rows in data["tables"].items()}
        assert await opened.check() == []
        again = await opened.export("u")
        assert {**again, "exported": ""} == {**data, "exported": ""}
        assert await opened.accessed("u", [*counts]) == counts != {}
        assert await contents(opened) == before
        assert await digest(store(opened), "u") == rows


async def test_it_goes_on_living(db: str, other: str):
    data = await exported(db)
    async with memory(other) as opened:
        await opened.import_(data)
        assert (await opened.flush()).pending == 0
        assert (await opened.remember("u", Message("said again", id="4"))).erased == ("4",), "tombstones came along"
        assert (await opened.remember("u", TALK[0])).duplicates
        assert await opened.check() == []


async def test_under_another_name_beside_the_first(db: str):
    data = await exported(db)
    async with memory(db) as opened:
        before = await contents(opened)
        assert (await opened.import_(data, scope="小红")).scope == "小红"
        there = await contents(opened, "小红")
        assert there == before
        assert {record.scope for record in await opened.records("小红")} == {"小红"}
        assert await opened.check() == []
        await opened.forget("小红", everything=True)
        assert await contents(opened) == before, "they have nothing in common"


async def test_the_export_can_be_read(db: str):
    data = await exported(db)
    assert (data["format"], data["version"], data["scope"]) == ("fabula", VERSION, "u")
    assert data["exported"].startswith("2024-06-01T")
    assert data["space"] == HashEmbedder().space
    said = [row for row in data["tables"]["records"] if row["kind"] == "passage"]
    assert said[1]["text"] == TALK[1].content
    assert said[1]["data"]["meta"] == {"深": [1, None, 0.5, "é"]}


async def test_the_same_twice_is_once_and_something_else_is_refused(db: str, other: str):
    data = await exported(db)
    async with memory(other) as opened:
        await opened.import_(data)
        before = await contents(opened)
        again = await opened.import_(data)
        assert again.present
        assert not any(again.rows.values())
        await opened.remember("v", "somebody else's")
        with pytest.raises(InvalidInput, match="'v' is there already"):
            await opened.import_(data, scope="v")
        data["tables"]["tombstones"].append({"id": "z" * 40})  # another history that ends at the same revision
        with pytest.raises(InvalidInput, match="other contents"):
            await opened.import_(signed(data))
        assert await contents(opened) == before
        assert [record.text for record in await opened.records("v")] == ["somebody else's"]


async def test_there_is_nothing_to_export(db: str):
    async with memory(db) as opened:
        with pytest.raises(InvalidInput, match="nothing of 'nobody'"):
            await opened.export("nobody")


async def test_what_is_written_meanwhile_is_not_exported_by_half(db: str, monkeypatch: pytest.MonkeyPatch):
    async with memory(db) as opened:
        await filled(opened)
        page, left = store(opened).page, [6]
        monkeypatch.setattr(transfer, "PAUSE", 0.001)

        async def busy(scope: str, table: str, *args: Any) -> Any:
            if table == "edges" and left[0]:
                left[0] -= 1
                await opened.remember("u", "meanwhile")
            return await page(scope, table, *args)

        monkeypatch.setattr(store(opened), "page", busy)
        data = await opened.export("u")
        assert [row["text"] for row in data["tables"]["records"]].count("meanwhile") == 6
        left[0] = 10**6
        with pytest.raises(StoreUnavailable, match="written to while it is exported"):
            await opened.export("u")


async def test_many_pages(db: str, other: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("fabula.transfer.PAGE", 3)
    data = await exported(db)
    async with memory(other) as opened:
        await opened.import_(data)
        assert await opened.check() == []
        assert (await opened.export("u"))["digest"] == data["digest"]


def test_the_blocking_face_does_it_too(db: str, other: str):
    with Memory(db, embedder=HashEmbedder(), background=False) as opened:
        opened.remember("u", TALK)
        data = opened.export("u")
    with Memory(other, embedder=HashEmbedder(), background=False) as opened:
        assert opened.import_(data, scope="v").rows["records"] == len(TALK)
        assert opened.check() == []


# --- files -------------------------------------------------------------------------------------------------------


async def uploaded(opened: AsyncMemory, shelf: Shelf, scope: str, name: str, data: bytes) -> None:
    value = {"name": name, "blob": blob_key(scope, name)}
    note = Note(scope=scope, id=name, text=name, namespace="fabula:files", key=f"key of {name}", value=value)
    await shelf.put(blob_key(scope, name), data)
    await store(opened).write(scope, Changes(put=(Entry(record=note),)))


async def test_uploaded_files_come_along_and_go_with_their_scope(db: str, other: str):
    here, there = Shelf(), Shelf()
    async with memory(db, blobs=here) as opened:
        await uploaded(opened, here, "u", "one", b"\x00\xffone")
        await uploaded(opened, here, "v", "one", b"theirs")
        data = json.loads(json.dumps(await opened.export("u")))
        assert list(data["blobs"]) == ["one"]
        assert (await opened.import_(data, scope="w")).blobs == 1
        forgotten = await opened.forget("u", everything=True)
        assert forgotten.rows["files"] == 1
        assert (await opened.export("w"))["blobs"] == data["blobs"], "it has a file of its own"
        assert here.held == {blob_key("v", "one"): b"theirs", blob_key("w", "one"): b"\x00\xffone"}
    async with memory(other) as opened:
        if "://" in other:
            with pytest.raises(InvalidInput, match="blob store"):
                await opened.import_(data)
            assert await opened.scopes() == []
        else:  # beside a file there is a folder for them
            assert (await opened.import_(data, scope="x")).blobs == 1
            assert (await opened.export("x"))["blobs"] == data["blobs"]
            await opened.forget("x", everything=True)
            assert not [file for file in Path(f"{other}.files").rglob("*") if file.is_file()]
    async with memory(other, blobs=there) as opened:
        assert (await opened.import_(data)).blobs == 1
        assert there.held == {blob_key("u", "one"): b"\x00\xffone"}
        data["blobs"]["two"] = ""
        with pytest.raises(InvalidInput, match="files that none of its records"):
            await opened.import_(signed(data), scope="x")


async def test_a_file_that_was_lost_is_said_to_be(db: str, caplog: pytest.LogCaptureFixture):
    shelf = Shelf()
    async with memory(db, blobs=shelf) as opened:
        await uploaded(opened, shelf, "u", "one", b"one")
        shelf.held.clear()
        assert (await opened.export("u"))["blobs"] == {}
        assert "left out" in caplog.text


# --- what is no export -------------------------------------------------------------------------------------------


def signed(data: dict[str, Any]) -> dict[str, Any]:
    """The same with a digest that is right for it, as somebody makes who knows how."""
    made = copy.deepcopy(data)
    sums = Digest()
    sums.head(made)
    packing: Callable[[Any], str] = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # noqa: E731
    for table in MOVED:
        for row in made["tables"][table]:
            stored = {**row, "data": packing(row["data"])} if table == "records" else dict(row)
            for name in ("terms", "links", "vector", "bytes"):
                if name in stored and table != "records":
                    stored[name] = base64.b64decode(stored[name])
            sums.add(table, [tuple(stored.values())])
    sums.add("blobs", [(key, base64.b64decode(text)) for key, text in made["blobs"].items()])
    return {**made, "digest": sums.hex()}


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def changed(data: dict[str, Any]) -> None:
        *way, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
        place: Any = data
        for step in way:
            place = place[step]
        if value is GONE:
            del place[last]
        else:
            place[last] = value

    return changed


GONE: Any = object()
DAMAGED: dict[str, Any] = {
    "another program's": change("format", "pickle"),
    "a newer form": change("version", VERSION + 1),
    "a version that is none": change("version", True),
    "no version": change("version", GONE),
    "no tables": change("tables", GONE),
    "a table missing": change("tables.edges", GONE),
    "a table too many": change("tables.thoughts", []),
    "a table that is none": change("tables.edges", {}),
    "cut off": change("tables.records.-1", GONE),
    "a column missing": change("tables.records.0.text", GONE),
    "a row that is none": change("tables.records.0", None),
    "a number as text": change("tables.records.0.number", "0"),
    "a truth value as a number": change("tables.records.0.number", True),
    "too large a number": change("tables.records.0.revision", 2**63),
    "an unknown kind": change("tables.records.0.kind", "dream"),
    "a time out of reach": change("tables.records.0.recorded_from", 10**18),
    "text with NUL": change("tables.records.0.text", "a\0b"),
    "half a surrogate pair": change("tables.records.0.text", "\ud800"),
    "no JSON": change("tables.records.0.data.meta", {"x": float("nan")}),
    "another kind's data": change("tables.records.0.data.aliases", []),
    "a place that no passage has": change("tables.records.0.session", None),
    "an event that is none": change("tables.records.0.data.images", [["caption"]]),
    "a vector that is no base64": change("tables.vectors.0.vector", "%%%%"),
    "half a number in a vector": change("tables.vectors.0.vector", "AAAA"),
    "terms by half": change("tables.postings.0.terms", "AAAA"),
    "a vector of nothing": change("tables.vectors.-1.number", 10**6),
    "a picture of nothing": change("tables.pictures.0.id", "nobody"),
    "the same twice": lambda data: data["tables"]["edges"].append(data["tables"]["edges"][-1]),
    "two that are live": lambda data: data["tables"]["records"].append({
        **data["tables"]["records"][-1], "number": data["state"]["next_number"]
    }),
    "a state that is none": change("state.revision", None),
    "a state before its records": change("state.next_number", 0),
    "a scope that is none": change("scope", " "),
}  # fmt: skip


@pytest.mark.parametrize("how", ["", "signed"])
@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
async def test_what_is_damaged_writes_nothing(tmp_path: Any, damage: Callable[[Any], None], how: str):
    data = await exported(str(tmp_path / "memory.db"))
    damage(data)
    if how:
        with suppress(KeyError, TypeError, ValueError, AttributeError):  # what has no rows has no digest
            data = signed(data)
    other = str(tmp_path / "other.db")
    async with memory(other) as opened:
        with pytest.raises(InvalidInput) as raised:
            await opened.import_(data, scope="u" if damage is not DAMAGED["a scope that is none"] else None)
        assert "\n" not in str(raised.value)
    for table in ("scopes", "leases", *MOVED):
        assert sql(other, f"SELECT * FROM {table}") == [], table


@pytest.mark.parametrize("path", ["scope", "exported", "space", "state.reset", "state.next_number", "state.analyzer"])
async def test_what_stands_before_the_rows_was_not_changed_either(tmp_path: Any, path: str):
    data = await exported(str(tmp_path / "memory.db"))
    changed = copy.deepcopy(data)
    value = data["state"][path.partition(".")[2]] + 1 if "." in path else {"exported": "2020-01-01"}.get(path, "other")
    change(path, value)(changed)
    async with memory(str(tmp_path / "other.db")) as opened:
        with pytest.raises(InvalidInput, match="digest"):
            await opened.import_(changed)
        assert await opened.scopes() == []
        assert (await opened.import_(data)).scope == "u"


@pytest.mark.parametrize("data", [None, [], "{}", 1, {}, {"format": "fabula"}])
async def test_what_is_no_export_at_all(tmp_path: Any, data: Any):
    async with memory(str(tmp_path / "memory.db")) as opened:
        with pytest.raises(InvalidInput):
            await opened.import_(data)
