"""Files of a scope: kept, cut into passages, found, and erased with all that was made of them.

It knows no file type, which the reader that is handed to it does, and no place where bytes lie.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Any, Final, cast

from fabula import recall as recalling
from fabula.abc import BlobStore, Changes, Entry, Erasure, Filter, Ground, Ready
from fabula.aside import aside
from fabula.attempts import Attempts
from fabula.checking import FARTHEST, within
from fabula.checking import LARGEST as LARGEST_PICTURE
from fabula.chunks import chunks
from fabula.errors import InvalidInput, StoreUnavailable
from fabula.exported import BLOB, FILES, blob_key
from fabula.filenames import SPELLINGS, in_words
from fabula.remember import entry, hiding, new_id, openly, spelling, tagged
from fabula.settings import Settings
from fabula.text import ANALYZER, clean, derived_id, identifier
from fabula.types import (
    DOCUMENT,
    FILE_SESSION,
    MAX_LIMIT,
    Document,
    File,
    FileHit,
    Forgotten,
    Image,
    Message,
    Note,
    Passage,
    Plan,
)

PAGE: Final = 1000

Reader = Callable[[str, bytes], Document]
_WRITTEN: Final = ("name", "media", "size", "digest", "type", "title", "category", "metadata", "status", "passages")


class Files:
    """The files of a memory: `AsyncMemory.files`.

    The text of a file is passages of the session `file:<id>` with the role `document`; their `meta` says `file`,
    `name`, `position` (from 0) and, where there are such, `page` (from 1) and `heading`. `recall` finds them among
    all others. The bytes are kept as they are, in the memory's blob store; secrets are masked in the text only.
    """

    def __init__(self, ready: Ready, read: Reader) -> None:
        self._ready = ready
        self._read = read

    async def upload(
        self,
        scope: str,
        filename: str,
        data: bytes,
        *,
        category: str = "general",
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        caption: str = "",
        extract: bool = True,
    ) -> File:
        """Keep a file and make passages of its text; when this returns, both are durable.

        The name says the type, and is never part of a path. A picture is found by its `caption`, or a name that has
        words. `extract=False` draws no frames and facts from it. The same name and bytes again are the same file: its
        category, tags and metadata become the new ones. A file without any text has the `status` `no_text`.

        Raises a `DocumentError` where it cannot be read (nothing is kept then), `InvalidInput`, `MissingExtra`,
        `StoreUnavailable`, and `EmbeddingMismatch`.
        """
        ground, blobs = await self._open()
        scope = identifier(scope, "scope")
        name = _name(filename, ground.settings)
        told = _told(ground.settings, category, tags, metadata)
        if not isinstance(data, bytes | bytearray | memoryview):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a file's data are bytes, not {type(data).__name__}")
        if not isinstance(caption, str) or not isinstance(extract, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("caption is a text, and extract True or False")
        data = bytes(data)
        document = await asyncio.to_thread(self._read, filename, data)
        file = File(
            id=new_id(), name=name, media=document.media, size=len(data), created=ground.clock(), type=document.type,
            digest=blake2b(data, digest_size=16).hexdigest(), title=hiding(ground.settings)(document.title), **told,
        )  # fmt: skip
        if document.media.startswith("image/"):
            messages, warnings = _picture(file, data, caption)
        else:
            messages = await asyncio.to_thread(_messages, file, document)
            warnings = document.warnings
        file = replace(file, warnings=warnings, passages=len(messages), status="ready" if messages else "no_text")
        return await self._keep(ground, blobs, scope, file, data, [replace(m, extract=extract) for m in messages])

    async def add_text(
        self,
        scope: str,
        filename: str,
        text: str,
        *,
        category: str = "general",
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        extract: bool = True,
    ) -> File:
        """Keep a text as a file; `.txt` is added to a name that does not end in `.txt` or `.md`. See `upload`."""
        if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput("a file's text is not blank")
        if not isinstance(filename, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a file's name is a text, not {type(filename).__name__}")
        name = filename if filename.lower().endswith((".txt", ".md")) or not filename.strip() else f"{filename}.txt"
        return await self.upload(
            scope, name, clean(text).encode(), category=category, tags=tags, metadata=metadata, extract=extract
        )

    async def list(
        self,
        scope: str,
        *,
        types: Sequence[str] = (),
        category: str | None = None,
        tags: Sequence[str] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[File, ...]:
        """Return files, the newest first: those of one of `types` (`pdf`, `md`), in `category`, with all of `tags`."""
        ground = await self._ready()
        if limit is not None:
            within("limit", limit, 1, MAX_LIMIT)
        within("offset", offset, 0, FARTHEST)
        wanted = _wanted(types, category, tags)
        found = [file for file in await _files(ground, identifier(scope, "scope")) if wanted(file)][::-1]
        return tuple(found[offset:] if limit is None else found[offset : offset + limit])

    async def search(
        self,
        scope: str,
        query: str,
        *,
        limit: int = 5,
        types: Sequence[str] = (),
        category: str | None = None,
        tags: Sequence[str] = (),
    ) -> tuple[FileHit, ...]:
        """Return the passages of files that matter for `query`, best first; the filters are those of `list`.

        Only the passages of files that pass the filters are ranked, so `limit` of them come back where there are as
        many. A blank query brings back nothing.
        """
        ground = await self._ready()
        scope = identifier(scope, "scope")
        if not isinstance(query, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a query is text, not {type(query).__name__}")
        wanted = _wanted(types, category, tags)
        within("limit", limit, 1, MAX_LIMIT)
        files = {FILE_SESSION + file.id: file for file in await _files(ground, scope) if wanted(file)}
        plan = Plan(kinds=("passage",), limit=limit, session=tuple(files))
        if not files:
            return ()
        found = await recalling.recall(
            ground.store, ground.embedder, scope, query, plan, ground.clock(), None,
            conventions=ground.settings.conventions,
        )  # fmt: skip
        if ground.settings.track:
            ground.access.touch(scope, (hit.record.id for hit in found.hits))
        return tuple(
            FileHit(file=files[hit.record.session], passage=hit.record, score=hit.score, relevance=hit.relevance)
            for hit in found.hits
            if isinstance(hit.record, Passage)
        )

    async def get(self, scope: str, file_id: str) -> File | None:
        """Return a file by id; `None` where there is none."""
        ground = await self._ready()
        note = await _noted(ground, identifier(scope, "scope"), identifier(file_id, "file id"))
        return None if note is None else _as_file(note)

    async def download(self, scope: str, file_id: str) -> bytes:
        """Return a file's bytes as they were given. Raises `InvalidInput` where there is no such file."""
        blobs, key = await self._held(scope, file_id)
        try:
            return await blobs.get(key)
        except KeyError:
            raise StoreUnavailable(f"the bytes of the file {file_id!r} are not in the blob store") from None

    async def url(self, scope: str, file_id: str, *, seconds: float = 3600) -> str:
        """Return an address under which a file's bytes can be read for so long; of a folder, a `file:` address.

        Raises `InvalidInput` where there is no such file.
        """
        blobs, key = await self._held(scope, file_id)
        return await blobs.url(key, seconds)

    async def delete(self, scope: str, file_id: str) -> bool:
        """Erase a file: its passages, what was drawn from them, its bytes. Return whether it was there."""
        ground, _ = await self._open()
        scope, name = identifier(scope, "scope"), identifier(file_id, "file id")
        return bool(await erase(ground, scope, Erasure(session=FILE_SESSION + name)))

    # --- keeping -------------------------------------------------------------------------------------------------

    async def _open(self) -> tuple[Ground, BlobStore]:
        ground = await self._ready()
        return ground, blobs_of(ground)

    async def _held(self, scope: str, file_id: str) -> tuple[BlobStore, str]:
        ground, blobs = await self._open()
        name = identifier(file_id, "file id")
        note = await _noted(ground, identifier(scope, "scope"), name)
        if note is None:
            raise InvalidInput(f"there is no file {name!r}")
        return blobs, note.value[BLOB]

    async def _keep(
        self, ground: Ground, blobs: BlobStore, scope: str, file: File, data: bytes, messages: Sequence[Message]
    ) -> File:
        """Write a file, unless it is there: the bytes first, then all else in one transaction. `StoreUnavailable` where
        the scope was erased meanwhile.

        So whatever is reported is whole. What is interrupted between leaves bytes that nothing tells of; they go with
        the scope.
        """
        key = blob_key(scope, file.id)
        made = await aside(
            (message.content for message in messages),
            lambda: [entry(scope, message, file.created, ground.settings) for message in messages],
        )
        before = await ground.store.state(scope)
        put = await _same(ground, scope, file) is None
        if put:  # before it is its turn among the changes of the scope, since it may take long
            await blobs.put(key, data)
        async with Attempts(ground.store, scope) as attempts:
            async for _ in attempts:
                state = await ground.store.state(scope)
                if before is not None and (state is None or state.revision < before.revision):
                    await blobs.delete(key)  # what was put too late to be erased
                    raise StoreUnavailable(f"{scope!r} was erased meanwhile, and the bytes of the file with it")
                same = await _same(ground, scope, file)
                known = None if same is None else _as_file(same)
                if known is None and not put:
                    await blobs.put(key, data)
                    put = True
                kept = file if known is None else _renewed(known, file)
                note = _note(scope, kept, key if same is None else same.value[BLOB])
                changes = Changes(
                    add=tuple(made) if known is None else (), put=(Entry(record=note),),
                    space=ground.space, analyzer=ANALYZER, at=ground.clock(), quiet=ground.settings.idle,
                    revision=0 if state is None else state.revision,
                )  # fmt: skip
                as_it_was = same is not None and spelling(note.value) == spelling(same.value)
                if as_it_was or (await ground.store.write(scope, changes)).revision:
                    if known is not None and put:
                        await blobs.delete(key)
                    ground.wake(scope)
                    return kept
        raise AssertionError


async def erase(ground: Ground, scope: str, erasure: Erasure) -> Forgotten:
    """Erase what is asked for, and with files that are among it all that is theirs; see `AsyncMemory.forget`.

    A file is named by its id or by its session. The bytes go last: what fails before leaves them to the next try.
    """
    session = erasure.session or ""
    named = [session.removeprefix(FILE_SESSION)] if session.startswith(FILE_SESSION) else []
    if erasure.everything:
        notes = {note.id: note for note in await _notes(ground, scope)}
    else:
        found = await ground.store.get(scope, [*named, *erasure.ids])
        notes = {i: n for i, n in found.items() if isinstance(n, Note) and n.namespace == FILES}
        inner = [await _passages(ground, scope, name) for name in notes if name not in named]
        ids = dict.fromkeys([*erasure.ids, *notes, *(i for some in inner for i in some)])
        erasure = replace(erasure, ids=tuple(ids))
    blobs = blobs_of(ground) if notes else ground.blobs
    # Listed before: what comes after it is of whoever begins anew.
    left = await blobs.list(blob_key(scope)) if blobs is not None and erasure.everything else ()
    forgotten = await ground.store.erase(scope, erasure)
    if blobs is None:
        return forgotten
    for name in named:
        if name not in notes:  # left over by an erasure that failed half-way
            await blobs.delete(blob_key(scope, name))
    keys = [*(note.value[BLOB] for note in notes.values()), *left]
    gone = [await blobs.delete(key) for key in dict.fromkeys(keys)]
    return replace(forgotten, rows={**forgotten.rows, "files": sum(gone)}) if any(gone) else forgotten


def blobs_of(ground: Ground) -> BlobStore:
    """Return where a memory keeps the bytes of files; raises `InvalidInput` where it has no place for them."""
    if ground.blobs is None:
        raise InvalidInput("this memory has no place for files: give blobs=FolderBlobs(…) or S3Blobs(…)")
    return ground.blobs


# --- notes -------------------------------------------------------------------------------------------------------


def _note(scope: str, file: File, blob: str) -> Note:
    value = {name: getattr(file, name) for name in _WRITTEN}
    value |= {"metadata": dict(file.metadata), "created": file.created.isoformat()}
    value |= {"tags": list(file.tags), "warnings": list(file.warnings), BLOB: blob}
    return Note(scope=scope, id=file.id, text="", namespace=FILES, key=_key(file), value=value)


def _key(file: File) -> str:
    """What a file's note is kept under: the same name and bytes are the same file."""
    return derived_id("file", file.name, file.digest)


def _as_file(note: Note) -> File:
    told: dict[str, Any] = {name: note.value[name] for name in _WRITTEN}
    told |= {name: tuple(note.value[name]) for name in ("tags", "warnings")}
    return File(id=note.id, created=datetime.fromisoformat(note.value["created"]), **told)


async def _noted(ground: Ground, scope: str, name: str) -> Note | None:
    record = (await ground.store.get(scope, [name])).get(name)
    return record if isinstance(record, Note) and record.namespace == FILES else None


async def _notes(ground: Ground, scope: str) -> list[Note]:
    found: list[Note] = []
    after = ""
    while page := await ground.store.notes(scope, FILES, prefix="", after=after, limit=PAGE):
        after = page[-1].key
        found += page
    return found


async def _files(ground: Ground, scope: str) -> list[File]:
    """Every file of a scope, the oldest first."""
    return sorted(map(_as_file, await _notes(ground, scope)), key=lambda file: (file.created, file.id))


async def _passages(ground: Ground, scope: str, name: str) -> list[str]:
    wanted = Filter(kind="passage", session=FILE_SESSION + name, status=None, limit=PAGE)
    return [record.id async for page in ground.store.pages(scope, wanted) for _, record in page]


async def _same(ground: Ground, scope: str, file: File) -> Note | None:
    """The note of the file of the same name and bytes."""
    return next(iter(await ground.store.notes(scope, FILES, prefix=_key(file), after="", limit=1)), None)


def _renewed(known: File, file: File) -> File:
    return replace(known, category=file.category, tags=file.tags, metadata=file.metadata)


# --- what is given -----------------------------------------------------------------------------------------------


def _name(filename: Any, settings: Settings) -> str:
    """A file's name as it is kept: without control characters, in NFC."""
    if not isinstance(filename, str):
        raise InvalidInput(f"a file's name is a text, not {type(filename).__name__}")
    bare = "".join(c for c in clean(filename) if c >= " " and not "\x7f" <= c <= "\x9f")
    return identifier(hiding(settings)(bare.strip()), "a file's name")


def _strings(what: str, values: Any) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(f"{what} is a list of texts")
    given: list[Any] = list(values)  # pyright: ignore[reportUnknownArgumentType]
    return tuple(dict.fromkeys(identifier(value, f"one of {what}") for value in given))


def _told(settings: Settings, category: Any, tags: Any, metadata: Any) -> dict[str, Any]:
    given: Any = {} if metadata is None else metadata
    if not isinstance(given, Mapping):
        raise InvalidInput("metadata is a mapping")
    hidden = hiding(settings)
    return {
        "category": openly("a category", identifier(category, "category"), hidden),
        "tags": tuple(openly("a tag", tag, hidden) for tag in _strings("tags", tags)),
        "metadata": tagged(cast(Mapping[str, Any], given), settings, "metadata"),
    }


def _wanted(types: Any, category: Any, tags: Any) -> Callable[[File], bool]:
    """What passes the filters of `list` and `search`."""
    kinds = {SPELLINGS.get(one, one) for given in _strings("types", types) for one in [given.lower().lstrip(".")]}
    needed = set(_strings("tags", tags))
    named = None if category is None else identifier(category, "category")

    def passes(file: File) -> bool:
        return (
            (not kinds or file.type in kinds) and (named is None or file.category == named) and needed <= set(file.tags)
        )

    return passes


def _messages(file: File, document: Document) -> list[Message]:
    """A document's text as messages of its session."""
    made: list[Message] = []
    for position, part in enumerate(chunks(document.parts)):
        meta: dict[str, Any] = {"file": file.id, "name": _base(file.name), "position": position}
        meta |= {"page": part.page} if part.page is not None else {}
        meta |= {"heading": part.heading} if part.heading else {}
        made.append(_message(file, part.text, meta))
    return made


def _picture(file: File, data: bytes, caption: str) -> tuple[list[Message], tuple[str, ...]]:
    """A picture as a message, with it where it is not too large to be shown to a model."""
    fits = len(data) <= LARGEST_PICTURE
    image = Image(caption=caption.strip(), name=_base(file.name), data=data if fits else b"")
    large = f"the picture has more than {LARGEST_PICTURE // 10**6} MB: no model is shown it"
    message = _message(file, "", {"file": file.id, "position": 0})
    return [replace(message, images=(image,))], () if fits else (large,)


def _message(file: File, text: str, meta: Mapping[str, Any]) -> Message:
    return Message(text, role=DOCUMENT, time=file.created, session=FILE_SESSION + file.id, meta=meta)


def _base(name: str) -> str:
    """What a file is called, without its folders; without its ending too, where that leaves words."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return last if in_words(last) else ""
