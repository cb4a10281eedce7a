"""A user leaves: nothing of them is found anywhere, and nothing of anybody else has changed."""

import logging
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import sql
from pictures import png
from shelf import Shelf

from fabula import AsyncMemory, Image, InvalidInput, Message, Note, Passage, ProviderUnavailable
from fabula.abc import MOVED, Changes, Entry, Extraction
from fabula.exported import blob_key
from fabula.remember import terms_of
from fabula.stores.statements import TABLES
from fabula.testing import FakeClock, HashEmbedder
from fabula.types import Entity, Event, Fact, Frame, Insight
from neuromemory.transfer import delete_user_data, export_user_data, import_user_data

CANARY = "Zanzibarcanary"
"""Planted wherever one user can leave a word."""
HAN = "朱鹮金丝雀"


class Drawing:
    """An extractor that draws of each message one record of every kind, each with the message's own words."""

    name = "drawing"

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        if any("fails" in p.text for p in window):
            raise ProviderUnavailable("the host does not answer")
        found: dict[str, list[Any]] = {"frames": [], "facts": [], "entities": [], "notes": []}
        for p in window:
            given: dict[str, Any] = {"scope": "", "text": p.text, "sources": (p.id,), "meta": {"of": p.text}}
            event = Event(participants=(p.speaker,), action=p.text, location=p.text, causality=p.text, manner=p.text)
            found["frames"].append(Frame(id=f"f-{p.ref}", session=p.session, events=(event,), **given))
            found["facts"].append(Fact(id="", subject=p.speaker, predicate="likes", object=p.text, **given))
            found["entities"].append(Entity(id="", aliases=(f"the {p.text}",), type="bird", **given))
            found["notes"].append(Note(id=f"n-{p.ref}", namespace="profile", key=p.text, value=[p.text], **given))
        return Extraction(**{name: tuple(records) for name, records in found.items()})


def memory(db: str, shelf: Shelf) -> AsyncMemory:
    return AsyncMemory(
        db, embedder=HashEmbedder(), extractor=Drawing(), clock=FakeClock("2024-06-01"), blobs=shelf,
        background=False,
    )  # fmt: skip


async def lived(opened: AsyncMemory, shelf: Shelf, user: str, word: str) -> None:
    """Fill everything that can hold a user's words with `word`."""
    store: Any = opened._store  # pyright: ignore[reportPrivateUsage]
    picture = png(7, 7, 7) + word.encode()
    image = Image(data=picture, caption=word, name=f"{word}.png", url=f"https://example.org/{word}")
    talk = [
        Message(f"{word} sings", speaker=word, id=f"{word}-1", session=word, images=(image,), meta={"tag": word}),
        Message(f"{word} flies", speaker="Ann", id=f"{word}-2", session=word),
    ]
    await opened.remember(user, talk)
    await opened.flush(user)
    await opened.forget(user, refs=[f"{word}-2"])  # a tombstone
    (first,), spelled, user = await opened.records(user), user, unicodedata.normalize("NFC", user)
    made: dict[str, Any] = {"scope": user, "sources": (first.id,)}
    file = {"name": f"{word}.pdf", "blob": blob_key(user, word)}
    records = [
        Insight(id=f"i-{word}", text=f"loves {word}", category=word, **made),
        Note(id=f"k-{word}", text=word, namespace="kv", key=word, value={word: [word]}, scope=user),
        Note(id=word, text=word, namespace="fabula:files", key=f"k2-{word}", value=file, scope=user),
    ]
    entries = [Entry(record=record, terms=terms_of(record)) for record in records]
    await store.write(user, Changes(put=tuple(entries)))
    await store.write(user, Changes(put=tuple(entries[:1])))  # a version that is over
    await shelf.put(blob_key(user, word), f"%PDF {word}".encode())
    await opened.remember(spelled, Message(f"{word} fails", speaker="Ann", session=word))
    assert (await opened.flush(user)).failed
    lease = await store.lease("w", (), datetime.now(UTC), 60, scope=user)
    work = [replace(piece, error=f"{word} failed") for piece in await store.pending(user, "extract")]
    await store.postpone(lease, work)
    await store.release(lease)
    assert (await opened.recall(user, f"What does {word} do?")).hits, "it is in memory now"
    await opened.unused(user, datetime.now(UTC))  # what came back is counted, and the counts are written


def rows_of(db: str, *, but: str = "") -> dict[str, list[Any]]:
    """Every row of every table, but those of a user."""
    engine_table = "sqlite_master" if "://" not in db else "pg_tables"
    name, where = ("name", "type = 'table'") if "://" not in db else ("tablename", "schemaname = current_schema()")
    tables = [row[0] for row in sql(db, f"SELECT {name} FROM {engine_table} WHERE {where}")]
    assert set(TABLES) <= set(tables)
    found: dict[str, list[Any]] = {}
    for table in tables:
        rows = sql(db, f"SELECT * FROM {table}")
        found[table] = sorted(repr(row) for row in rows if row[0] != but)
    return found


def within(thing: Any, seen: dict[int, Any]) -> Iterator[str | bytes]:
    """Yield every text that is held by an object, however deep."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing  # held, or the next one may get its place in memory
    if isinstance(thing, str | bytes | bytearray):
        yield thing if isinstance(thing, str) else bytes(thing)
    elif isinstance(thing, np.ndarray):
        yield thing.tobytes()
    elif isinstance(thing, Mapping):
        yield from within([*thing.keys(), *thing.values()], seen)
    elif isinstance(thing, list | tuple | set | frozenset):
        for one in list(thing):
            yield from within(one, seen)
    elif is_dataclass(thing) or type(thing).__module__.startswith("fabula."):
        for kind in type(thing).__mro__:
            for name in getattr(kind, "__slots__", ()):
                yield from within(getattr(thing, name, None), seen)
        yield from within(getattr(thing, "__dict__", {}), seen)


def traces(words: Sequence[str], where: Any) -> list[str]:
    """The words that are found in an object, letter case aside."""
    texts = [t if isinstance(t, str) else t.decode("latin-1") for t in within(where, {})]
    coded = [word.lower() for word in words] + [word.encode().decode("latin-1").lower() for word in words]
    return [word for word in coded for text in texts if word in text.lower()]


@pytest.mark.parametrize("word", [CANARY, HAN], ids=["en", "zh"])
async def test_nothing_of_who_leaves_is_found_anywhere(db: str, word: str, caplog: pytest.LogCaptureFixture):
    user, shelf = "leaving", Shelf()
    with caplog.at_level(logging.DEBUG):
        async with memory(db, shelf) as opened:
            await lived(opened, shelf, "ann", "Robin")
            before = rows_of(db)
            await lived(opened, shelf, user, word)
            embedder: Any = opened._embedder  # pyright: ignore[reportPrivateUsage]
            embedder.calls.clear()  # the fake remembers what it was asked; the memory is looked through, not the fake
            assert traces([word], opened), "it is in memory, or nothing is proved"
            assert traces([word], shelf.held)
            there = rows_of(db)
            assert all(len(there[table]) > len(before[table]) for table in TABLES if table != "leases")
            assert all(traces([word], there[table]) for table in ("records", "pending"))
            receipt = await delete_user_data(opened, user)
            assert rows_of(db) == before, "what is Ann's is as it was"
            assert not traces([word], [opened, shelf.held])
            assert not (await opened.recall(user, f"What does {word} do?")).hits
            assert (await opened.recall("ann", "What does Robin do?")).hits
            assert await opened.check() == []
        assert shelf.held == {blob_key("ann", "Robin"): b"%PDF Robin"}
    assert not traces([word], caplog.text)
    assert receipt["user_id"] == user
    assert receipt["files"] == 1
    assert set(receipt["deleted"]) == set(TABLES)
    assert all(receipt["deleted"][table] for table in MOVED)
    assert receipt["total"] == sum(receipt["deleted"].values()) + 1
    for file in Path(db).parent.iterdir() if "://" not in db else ():
        assert not traces([word], file.read_bytes()), file.name


async def test_what_a_log_may_hold_is_looked_for(caplog: pytest.LogCaptureFixture):
    """A canary that is in the log is found there: the test above can fail."""
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("fabula").debug("about %s", CANARY.lower())
    assert traces([CANARY], caplog.text)


async def test_who_was_never_there(db: str):
    async with memory(db, Shelf()) as opened:
        receipt = await delete_user_data(opened, "nobody")
        assert (receipt["total"], receipt["files"]) == (0, 0)
        with pytest.raises(InvalidInput, match="nobody"):
            await export_user_data(opened, "nobody")


@pytest.mark.parametrize("name", ["José", "ガーデン"])
async def test_a_name_is_one_however_it_is_spelled(db: str, name: str):
    composed, apart = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    assert composed != apart
    shelf = Shelf()
    async with memory(db, shelf) as opened:
        await lived(opened, shelf, apart, CANARY)
        assert (await export_user_data(opened, composed))["scope"] == composed
        receipt = await delete_user_data(opened, apart)
        assert receipt["user_id"] == composed
        assert receipt["total"] > 0
        assert await opened.scopes() == []
        assert shelf.held == {}


@pytest.mark.parametrize("user", [None, "", " ", "\u200b", 7, "a\0b"])
async def test_who_cannot_be_meant(tmp_path: Path, user: Any):
    async with memory(str(tmp_path / "memory.db"), Shelf()) as opened:
        await opened.remember("ann", "hello")
        with pytest.raises(ValueError, match="user_id"):
            await delete_user_data(opened, user)
        with pytest.raises(ValueError, match="user_id"):
            await export_user_data(opened, user)
        assert await opened.scopes() == ["ann"]


async def test_a_user_moves_to_another_database(db: str, other: str):
    here, there = Shelf(), Shelf()
    async with memory(db, here) as opened:
        await lived(opened, here, "alice", CANARY)
        data = await export_user_data(opened, "alice")
        said = [hit.record.text for hit in (await opened.recall("alice", CANARY)).hits]
    async with memory(other, there) as opened:
        done = await import_user_data(opened, data)
        assert (done["user_id"], done["files"], done["already_present"]) == ("alice", 1, False)
        assert done["imported"] == {table: len(rows) for table, rows in data["tables"].items()}
        assert [hit.record.text for hit in (await opened.recall("alice", CANARY)).hits] == said
        assert (await import_user_data(opened, data))["already_present"]
        assert (await import_user_data(opened, data, "阿丽"))["user_id"] == "阿丽"
        assert sorted(there.held) == sorted(blob_key(user, CANARY) for user in ("alice", "阿丽"))
        await delete_user_data(opened, "alice")
        assert await opened.scopes() == ["阿丽"]


async def test_what_an_export_lacks_is_not_called_a_missing_user(postgres_url: str):
    async with AsyncMemory(postgres_url, embedder=None, blobs=Shelf()) as memory:
        await memory.files.add_text("ann", "note.txt", "likes tea")
    async with AsyncMemory(postgres_url, embedder=None) as memory:  # which has no folder beside it
        with pytest.raises(InvalidInput, match="place for files"):
            await export_user_data(memory, "ann")
        with pytest.raises(InvalidInput, match=r"\Athere is nothing of 'bob' to export"):
            await export_user_data(memory, "bob")
