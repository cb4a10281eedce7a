"""From messages to passages: what is stored at once, and the vectors that follow; extracts nothing."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from typing import Any, Final, cast

import numpy as np

from fabula import narrowing, standing, when
from fabula.abc import SEARCHED, Changes, Clock, Embedder, Entry, Filter, Lease, Pending, Store, Task, Terms
from fabula.aside import aside
from fabula.checking import aware
from fabula.errors import EmbeddingMismatch, InvalidInput
from fabula.index import LINK, LINKS
from fabula.names import NAMED, normal, sort_of
from fabula.relations import HOLDS, ending, relation
from fabula.secrets import MARK, bare
from fabula.settings import Settings
from fabula.synonyms import tied
from fabula.text import AHEAD, ANALYZER, TIMED, analyse, clean, derived_id, fold, hash_term, identifier, mask, script
from fabula.types import (
    DOCUMENT,
    ROLES,
    VAGUE,
    Entity,
    Fact,
    Frame,
    Image,
    Interval,
    Masked,
    Message,
    Passage,
    Receipt,
    Record,
)

DATED: Final = 20_000
"""Characters of a message that are read for whether it says a time: what is longer is found by its words."""
MASKED: Final = "fabula:masked"
"""The key of `meta` under which the spans of masked secrets are kept: kind, start, end."""
UNEXTRACTED: Final = "fabula:unextracted"
"""The key of `meta` that marks what nothing is to be drawn from."""
_IDS: Final = frozenset(("id", "scope", "session", "sources", "links"))
"""The fields of a record that hold ids."""


def new_id() -> str:
    """Return a UUIDv7 in hexadecimal: later ids sort later."""
    stamp = time.time_ns() // 1_000_000
    bits = (stamp & (1 << 48) - 1) << 80 | 7 << 76 | int.from_bytes(os.urandom(10), "big") & (1 << 76) - 1
    return f"{bits & ~(3 << 62) | 2 << 62:032x}"


# --- what is searched -------------------------------------------------------------------------------------------


def spoken_text(record: Record) -> str:
    """Return what the embedder reads of a record: for a passage who speaks, what was said, what pictures show.

    A passage of a document is read with what the file is called, and its heading.
    """
    if isinstance(record, Entity):
        return ", ".join((record.text, *record.aliases))
    if not isinstance(record, Passage):
        return record.text
    pictures = " ".join(image.caption or image.name for image in record.images)
    said = f"{record.text} {pictures}".strip()
    if record.role == DOCUMENT:
        place = (record.meta.get("name", ""), record.meta.get("heading", ""))
        said = " ".join([*(name for name in place if name and name not in said), said])
    # A role's name says nothing, and would make all texts a little more alike.
    return said if fold(record.speaker) in ROLES else f"{record.speaker}: {said}"


def searchable(record: Record) -> bool:
    """Whether a record has anything in it to be found by, and is not archived."""
    if record.status == "archived":
        return False
    return not record.blank if isinstance(record, Passage) else bool(record.text.strip())


def terms_of(record: Record) -> Terms | None:
    """Return what the keyword search reads of a record, with its date in words; `None` where there is nothing."""
    if not searchable(record):
        return None
    if isinstance(record, Passage) and record.time is not None:
        text = f"{when.spell(record.time)} {spoken_text(record)}"
        return analyse(text, marks=_marks(record.text, record.time))
    marks = [*_ties(record), *narrowing.marks(record)]
    if not says_more(record):
        terms = analyse(spoken_text(record), marks=marks)
        return replace(terms, links=links_of(record)) if isinstance(record, Frame) else terms
    terms = analyse(spoken_text(record), marks=[*marks, *standing.marks(record)])
    return replace(terms, links=links_of(record), embedded=True)


def _ties(record: Record) -> list[str]:
    """What a record is looked up by when another of its kind is made."""
    if isinstance(record, Entity):
        names = [NAMED + name for name in dict.fromkeys(map(normal, (record.text, *record.aliases)))]
        return [*names, *([sort_of(record.type, script(record.text))] if says_more(record) else [])]
    if not isinstance(record, Fact) or not record.predicate:
        return []
    ends = ending(record.predicate)
    return [HOLDS + relation(record.predicate), *([HOLDS + ends] if ends else [])]


def says_more(record: Record) -> bool:
    """Whether a record is a key to its passages: what rules made repeats their words, and would count them twice."""
    return not isinstance(record, Passage) and record.meta.get("extractor") != "rules"


def links_of(record: Record) -> bytes:
    """Return a record's provenance and ties, packed as `index.LINK`."""
    ties = [("cites" if says_more(record) else "repeats", source) for source in record.sources]
    ties += [(kind, other) for kind, others in record.links.items() for other in others]
    packed = np.empty(len(ties), LINK)
    packed["key"] = np.fromiter((hash_term(other) for _, other in ties), np.uint64, len(ties))
    packed["kind"] = np.fromiter((LINKS.index(kind) for kind, _ in ties), np.uint8, len(ties))
    return packed.tobytes()


def _marks(text: str, told: datetime) -> list[str]:
    """Whether a text says a time (a date, a length, "every Monday"), and whether one that began after it was told.

    "Now" and "recently" are times that most talk is full of, and no answer to a question that asks when.
    """
    read = when.find(text[:DATED], told)
    found = [one for one in read if one.interval is None or one.interval.precision not in VAGUE]
    starts = [one.interval.start for one in found if one.interval is not None]
    ahead = any(start is not None and start > told for start in starts)
    return [TIMED, AHEAD] if ahead else [TIMED] if found else []


# --- remembering ------------------------------------------------------------------------------------------------


async def remember(
    store: Store, scope: str, messages: Sequence[Message], settings: Settings, clock: Clock, space: str = ""
) -> Receipt:
    """Store `messages` in one transaction; see `AsyncMemory.remember`. `space` is what they will be embedded in."""
    at = clock()
    texts = (message.content for message in messages)
    made = await aside(texts, lambda: [_made(scope, message, at, settings) for message in messages])
    if not made:
        return Receipt()
    passages = [passage for passage, _, _ in made]
    masked = [span for _, spans, _ in made for span in spans]
    first = {passage.id: passage for passage in reversed(passages)}
    entries = tuple(entry for passage, _, entry in made if first[passage.id] is passage)
    changes = Changes(add=entries, space=space, analyzer=ANALYZER, at=at, quiet=settings.idle)
    written = await store.write(scope, changes)
    duplicates: list[str] = []
    conflicts: list[str] = []
    seen: set[str] = set()
    for passage in passages:
        known = written.present.get(passage.id) or (first[passage.id] if passage.id in seen else None)
        seen.add(passage.id)
        if known is not None and passage.id not in written.erased:
            (duplicates if known.text == passage.text else conflicts).append(passage.id)
    return Receipt(
        ids=tuple(None if p.id in written.erased else p.id for p in passages),
        duplicates=tuple(duplicates),
        conflicts=tuple(conflicts),
        erased=tuple(p.ref or p.id for p in passages if p.id in written.erased),
        masked=tuple(m for m in masked if m.id not in written.present and m.id not in written.erased),
    )


def entry(scope: str, message: Message, at: datetime, settings: Settings) -> Entry:
    """Return what a message is written as, its secrets masked."""
    return _made(scope, message, at, settings)[2]


def _made(scope: str, message: Message, at: datetime, settings: Settings) -> tuple[Passage, list[Masked], Entry]:
    passage, spans = _passage(scope, message, at, settings)
    tasks: tuple[Task, ...] = ("embed", "extract") if message.extract else ("embed",)
    pictures = {place: image.data for place, image in enumerate(message.images) if image.data}
    tasks = tasks if searchable(passage) else ()
    return passage, spans, Entry(record=passage, terms=terms_of(passage), tasks=tasks, pictures=pictures)


def _passage(scope: str, message: Message, at: datetime, settings: Settings) -> tuple[Passage, list[Masked]]:
    ref = None if message.id is None else identifier(message.id, "message id", longest=None)
    record_id = new_id() if ref is None else derived_id("message", ref)
    role = identifier(message.role, "role")
    spans: list[Masked] = []

    hidden = hiding(settings)
    content = clean(message.content)
    if settings.secrets == "mask":
        content, found = mask(content)
        spans = [Masked(id=record_id, kind=s.kind, start=s.start, end=s.end) for s in found]
    meta: dict[str, Any] = tagged(message.meta, settings, "meta")
    if not message.extract:
        meta[UNEXTRACTED] = True
    if spans:
        meta[MASKED] = [[s.kind, s.start, s.end] for s in spans]
    passage = Passage(
        scope=scope,
        id=record_id,
        text=content,
        ref=ref,
        session=identifier(message.session, "session"),
        speaker=clean(message.speaker or "").strip() or role,
        role=role,
        images=tuple(_kept(image, hidden) for image in message.images),
        valid=Interval.at(at if message.time is None else aware(message.time)),
        meta=meta,
    )
    return passage, spans


def _kept(image: Image, hidden: Callable[[str], str]) -> Image:
    """An image as its record tells of it: the picture itself is kept apart."""
    if image.url[:5].lower() == "data:" and "," in image.url:
        raise InvalidInput("an image's url is an address: give the picture itself as data")
    media = image.media if image.data else ""
    return Image(caption=hidden(image.caption), url=hidden(image.url), name=hidden(image.name), media=media)


def hiding(settings: Settings) -> Callable[[str], str]:
    """Return what a text is put through before it is stored: cleaned, and its secrets masked unless they are kept."""
    return lambda text: clean(text) if settings.secrets == "keep" else mask(clean(text))[0]


def through(value: Any, hidden: Callable[[str], str]) -> Any:
    """Return a value with every text in it put through `hidden`; the ids in a record are only cleaned."""
    if isinstance(value, str):
        return hidden(value)
    if isinstance(value, tuple | list):
        whole = [through(inner, hidden) for inner in cast(Sequence[Any], value)]
        return whole if isinstance(value, list) else tuple(whole)
    if isinstance(value, Mapping):
        given = cast(Mapping[Any, Any], value)
        return {through(key, hidden): through(inner, hidden) for key, inner in given.items()}
    if is_dataclass(value) and not isinstance(value, type):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
        own = {name: through(part, clean if name in _IDS else hidden) for name, part in parts.items()}
        return replace(value, **own)
    return value


def openly(what: str, name: str, hidden: Callable[[str], str]) -> str:
    """Return a name that is shown in lists; raises `InvalidInput`, saying `what` it is, where it holds a secret."""
    if hidden(name) != clean(name):
        raise InvalidInput(f"{what} is shown in lists, and this one holds a secret: keep it in a text or a value")
    return name


def tagged(value: Any, settings: Settings, what: str) -> Any:
    """Return metadata or properties as they are stored: plain JSON, its secrets masked unless they are kept.

    A text under a key that is a word for a secret is one. Raises `InvalidInput`, naming `what`, for what is no JSON.
    """
    return plain(value, hiding(settings), what, keyed=settings.secrets == "mask")


def plain(value: Any, hidden: Callable[[str], str], what: str, *, keyed: bool = False) -> Any:
    """Return a value as plain JSON, with every string in it put through `hidden`; if `keyed`, masked by its key too.

    Raises `InvalidInput`, naming `what`, for what is none.
    """

    def walk(value: Any, under: str = "") -> Any:
        if isinstance(value, str):
            return MARK if keyed and bare(under, value) else hidden(value)
        if isinstance(value, Mapping):
            return {hidden(str(key)): walk(inner, str(key)) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if isinstance(value, list | tuple):
            return [walk(inner, under) for inner in value]  # pyright: ignore[reportUnknownVariableType]
        return value

    try:
        json.dumps(dict(value) if isinstance(value, Mapping) else value, allow_nan=False)  # pyright: ignore[reportUnknownArgumentType]
        return walk(value)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{what} has to be plain JSON, times as ISO 8601 text: {error}") from None
    except RecursionError:
        raise InvalidInput(f"{what} is nested too deep") from None


def spelling(value: Any) -> str:
    """Return plain JSON in one spelling: two values are the same where this is, as 1, 1.0 and true are not."""
    return json.dumps(value, sort_keys=True)


# --- embedding --------------------------------------------------------------------------------------------------


async def embed(
    store: Store, embedder: Embedder, lease: Lease, work: Sequence[Pending], settings: Settings, at: datetime
) -> None:
    """Give the records of `work` their vectors, in one transaction after the model is done.

    Entities are tied to those that are like them by name. Raises a `ProviderError` or `EmbeddingMismatch`; the work
    then stays.
    """
    scope = lease.scope
    state = await store.state(scope)
    if state is not None and state.space not in ("", embedder.space):  # said before the model has worked for nothing
        raise EmbeddingMismatch(scope, state.space, embedder.space)
    records = await store.get(scope, [piece.id for piece in work])
    made, cache = await vectors(store, embedder, scope, records.values())
    met = {p.number: made[p.id] for p in work if p.id in made and isinstance(records[p.id], Entity)}
    alike = await tied(store, embedder, scope, met, settings)
    await store.write(
        scope,
        Changes(
            put=tuple(Entry(record=entity, terms=terms_of(entity)) for entity in alike),
            vectors=made,
            space=embedder.space,
            cache=cache,
            done=tuple((piece.task, piece.id) for piece in work),
            at=at,
        ),
        lease,
    )


async def vectors(
    store: Store, embedder: Embedder, scope: str, records: Iterable[Record]
) -> tuple[dict[str, Any], dict[bytes, Any]]:
    """Return the vectors of the records that mean something, by id, and those of new texts by hash.

    What the store remembers is not embedded again. An embedder that sees is shown the pictures too; without it, a
    passage whose pictures have no words has no vector: `IMG_1.jpg` would be a little like everything. Raises a
    `ProviderError`.
    """
    given = [record for record in records if searchable(record)]
    seen = [
        r for r in given if embedder.sees and isinstance(r, Passage) and any(i.media or i.address for i in r.images)
    ]
    unread = {passage.id for passage in seen} | {r.id for r in given if isinstance(r, Passage) and r.wordless}
    texts = {record.id: spoken_text(record) for record in given if record.id not in unread}
    keys = {record_id: text_hash(text) for record_id, text in texts.items()}
    known = await store.cached(scope, embedder.space, sorted(set(keys.values())))
    missing = {keys[record_id]: text for record_id, text in texts.items() if keys[record_id] not in known}
    fresh: dict[bytes, Any] = {}
    if missing:
        fresh = dict(zip(missing, await embedder.vectors(list(missing.values()), "passage"), strict=True))
    by_hash: dict[bytes, Any] = {**known, **fresh}
    made = {record_id: np.asarray(by_hash[key], np.float32) for record_id, key in keys.items()}
    for passage in seen:  # one at a time: pictures are large
        images = [i for i in (await with_pictures(store, passage)).images if i.data or i.address]
        vector = await embedder.shown(spoken_text(passage), images, "passage")
        if embedder.sees or not passage.wordless:  # it may have turned out blind
            made[passage.id] = vector
    return made, fresh


async def with_pictures(store: Store, passage: Passage) -> Passage:
    """Return a passage with the pictures that are kept with it in its images."""
    if not any(image.media for image in passage.images):
        return passage
    kept = await store.pictures(passage.scope, passage.id)
    images = (replace(image, data=kept.get(place, b"")) for place, image in enumerate(passage.images))
    return replace(passage, images=tuple(images))


def text_hash(text: str) -> bytes:
    """Return the content hash under which an embedding is kept."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


# --- the keyword index ------------------------------------------------------------------------------------------


async def reindex(store: Store, scope: str, batch: int = 500) -> int:
    """Make the terms of every record anew with the present tokeniser; return how many."""
    done = 0
    for kind in SEARCHED:
        async for found in store.pages(scope, Filter(kind=kind, status=None, ended=True, limit=batch)):
            terms = {number: made for number, record in found if (made := terms_of(record)) is not None}
            await store.write(scope, Changes(terms=terms))
            done += len(terms)
    await store.write(scope, Changes(analyzer=ANALYZER, reindexed=True))
    return done
