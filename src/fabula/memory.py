"""The front door: one object to remember with, recall from and forget in; wires ground and flows together."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import EllipsisType, TracebackType
from typing import Any, Final, Literal, Self, cast

from fabula import authored
from fabula import extract as extracting
from fabula import recall as recalling
from fabula import reflect as reflecting
from fabula import remember as remembering
from fabula.abc import LLM, BlobStore, Clock, Embedder, Erasure, Extractor, Store
from fabula.authored import Meta
from fabula.checking import an, aware, patience, several, within
from fabula.conventions import Conventions
from fabula.crew import Crew
from fabula.documents import read
from fabula.errors import InvalidInput
from fabula.extractors import LLMExtractor, RuleExtractor
from fabula.files import Files, erase
from fabula.keeping import Keeping
from fabula.knowledge import Knowledge
from fabula.kv import KeyValues
from fabula.looking import Looking
from fabula.providers.blobs import beside
from fabula.providers.bundled import bundled
from fabula.render import Recollection
from fabula.settings import Settings
from fabula.stores import open_store
from fabula.stores.hot import HotStore
from fabula.text import derived_id, identifier
from fabula.types import (
    MAX_LIMIT,
    Emotion,
    Extracted,
    Flushed,
    Forgotten,
    Image,
    Interval,
    Message,
    Passage,
    Plan,
    Receipt,
    Record,
    Reflection,
)

EmbedderName = Literal["default", "fast"]
DEFAULT_PLAN: Final = Plan()


def local_now() -> datetime:
    """Return the present in the zone of this machine: the default clock. "Yesterday" is yesterday here."""
    return datetime.now().astimezone()


def _extractor(llm: LLM | None, conventions: Conventions) -> Extractor:
    return RuleExtractor(conventions) if llm is None else LLMExtractor(llm, conventions=conventions)


class AsyncMemory(Looking, Keeping):
    """A long-term memory in a database.

    `database` is a path, a database URL (`sqlite:///memory.db`) or a store of your own. `embedder` is `"default"` (the
    bundled model), `"fast"` (a smaller, quicker one), your own, or `None` for keyword search alone. `llm` is a language
    model that draws frames, facts and entities from talk, and judges which frames are one; without, rules do. An
    `extractor` of your own draws instead. `blobs` keeps the bytes of `files`; default: the folder `<database>.files`
    beside a SQLite file. With `background=False` it leaves the work
    that follows a write to others (or to `flush`). Use it inside `async with`, or close it when done.

        async with AsyncMemory("memory.db") as memory:
            await memory.remember("alice", [Message("I moved to Porto in May", speaker="Alice")])
            found = await memory.recall("alice", "Where does Alice live?")
    """

    def __init__(
        self,
        database: str | Path | Store,
        *,
        embedder: Embedder | EmbedderName | None = "default",
        extractor: Extractor | None = None,
        llm: LLM | None = None,
        settings: Settings | None = None,
        clock: Clock = local_now,
        blobs: BlobStore | None = None,
        background: bool = True,
    ) -> None:
        self.settings = settings or Settings()
        inner = database if isinstance(database, Store) else open_store(database, busy=self.settings.busy)
        self._store = HotStore(inner, self.settings.hot_bytes) if self.settings.hot_bytes else inner
        self._embedder = bundled(embedder) if isinstance(embedder, str) else an(Embedder, embedder, "embedder")
        self._clock = clock
        self._crew = Crew(
            store=self._store,
            embedder=self._embedder,
            llm=an(LLM, llm, "llm"),
            extractor=extractor or _extractor(llm, self.settings.conventions),
            blobs=an(BlobStore, blobs, "blobs") or beside(inner),
            settings=self.settings,
            clock=clock,
            background=background,
        )
        self.files = Files(self._crew.ready, read)
        self.kv = KeyValues(self._crew.ready)
        self.graph = Knowledge(self._crew.ready)

    async def open(self) -> Self:
        """Open the database, bring its schema up to date and go on with the work that was left.

        The first call of any other method does this too. Raises `StoreUnavailable` or `SchemaTooNew`.
        """
        await self._crew.open()
        return self

    async def close(self, *, drain: float | None = None) -> None:
        """Finish due background work within `drain` seconds (default: the setting) and close.

        What is left stays pending in the database. Raises `InvalidInput` for what is no time, and does not close then.
        """
        await self._crew.close(patience("drain", drain))

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # --- the verbs ---

    async def remember(self, scope: str, messages: Iterable[Message | str] | Message | str) -> Receipt:
        """Store what was said, word for word, all or nothing.

        When this returns, the messages are durable and found by keyword; they are found by meaning as soon as the
        background has embedded them (`flush` waits for that). A message with an `id` is stored once.

        Raises `InvalidInput`, `StoreUnavailable`, and `EmbeddingMismatch` where the scope was embedded with another
        model; nothing is written then.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        given: Any = [messages] if isinstance(messages, Message | str) else messages
        if not isinstance(given, Iterable) or isinstance(given, Mapping | bytes):
            raise InvalidInput("messages are Message objects or text, one or many")
        talk = [Message(message) if isinstance(message, str) else message for message in cast(Iterable[Any], given)]
        for message in talk:
            if not isinstance(message, Message):
                raise InvalidInput(f"messages are Message objects or text, not {type(message).__name__}")
        receipt = await remembering.remember(self._store, scope, talk, self.settings, self._clock, ground.space)
        ground.wake(scope)
        return receipt

    async def add(self, scope: str, records: Record | Iterable[Record]) -> tuple[str, ...]:
        """Write records of your own: facts, frames, insights or entities; return their ids, in order.

        A record whose `id` is empty gets one by what it says, so that the same written twice is one (what was revised
        since says something else); one with an id that is there already stays as it is. Its `scope` and `recorded` are
        set here. What it was made from (`sources`) may be nothing: then it stands on its own, and is found by what it
        says. A word in `meta["sort"]`
        says what sort of memory it is (`Plan.sort`). When this returns, the records are durable and found by keyword.

        Raises `InvalidInput`, also where an id was forgotten, `SourcesGone` and `StoreUnavailable`; nothing is written
        then.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        given = [records] if isinstance(records, Record) else list(records)
        return await authored.add(ground, scope, given)

    async def revise(
        self,
        scope: str,
        record_id: str,
        *,
        text: str | None = None,
        importance: float | None = None,
        emotion: Emotion | EllipsisType | None = ...,
        valid: Interval | None = None,
        meta: Meta | None = None,
    ) -> Record | None:
        """Write a new version of a fact, frame, insight or entity, with what is given changed; return it.

        The version before stays (`history`, `as_of`). `emotion=None` takes away what was told. `meta` takes the place
        of what was there; a function makes it of that, and is called again where somebody else wrote in between:
        nothing is lost. `None` where there is no such record. Raises `InvalidInput` for a passage, which is never
        changed, and a note, which `kv` changes; and `StoreUnavailable`, also where somebody else writes in between all
        the while.
        """
        ground = await self._crew.ready()
        scope, record_id = identifier(scope, "scope"), identifier(record_id, "id")
        return await authored.revise(
            ground, scope, record_id, text=text, importance=importance, emotion=emotion, valid=valid, meta=meta
        )

    async def recall(
        self,
        scope: str,
        query: str,
        plan: Plan = DEFAULT_PLAN,
        *,
        at: datetime | str | None = None,
        as_of: datetime | str | None = None,
        explain: bool = False,
        images: Sequence[Image] = (),
    ) -> Recollection:
        """Bring back what matters for `query`, best first.

        `at` is the asker's present, against which "last week" is read (default: now). `as_of` answers from what was
        known then. `explain` adds how the answer came about. A blank query brings back nothing; of one with more than
        4,000 characters the beginning and the end are read. `images` are part of the question: an embedder that sees is
        shown them, and their captions or names are words of the query.

        Raises `InvalidInput` and `StoreUnavailable`. A model that fails is named in `degraded`.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        if not isinstance(query, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a query is text, not {type(query).__name__}")
        an(Plan, plan, "plan")
        if plan is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise InvalidInput("plan is a Plan; leave it out for the default")
        pictures: Any = images
        if isinstance(pictures, Image) or not all(isinstance(one, Image) for one in pictures):
            raise InvalidInput(f"images are Image objects, one or many in a list, not {reprlib.repr(pictures)}")
        now = self._clock() if at is None else aware(at)
        known = None if as_of is None else aware(as_of)
        ways = self.settings.conventions
        found = await recalling.recall(
            self._store,
            self._embedder,
            scope,
            query,
            plan,
            now,
            known,
            conventions=ways,
            explain=explain,
            images=images,
        )
        if self.settings.track:
            ground.access.touch(scope, (hit.record.id for hit in found.hits))
        return found

    async def reflect(self, scope: str, *, batch: int = reflecting.BATCH) -> Reflection:
        """Extract what is pending, then draw insights from what is new since the last time; return what was made.

        A language model is shown `batch` records at a time; without one, what recurs is counted. Nothing is inferred of
        personality, values, politics, religion, health or sexual life. What has been reflected on is not again, however
        many call at once; an insight that was forgotten does not come back.

        Raises `InvalidInput`, a `ProviderError` where a model gave no answer (the next call goes on where this one
        was), `StoreUnavailable`, and `LeaseLost` where another process took the scope over.
        """
        ground = await self._crew.ready()
        within("batch", batch, 1, MAX_LIMIT)
        return await reflecting.reflect(ground, identifier(scope, "scope"), batch)

    async def forget(
        self,
        scope: str,
        *,
        ids: Sequence[str] = (),
        refs: Sequence[str] = (),
        session: str | None = None,
        everything: bool = False,
    ) -> Forgotten:
        """Erase records by id, passages by your own message ids (`refs`), a session, or the whole scope.

        What was made from them goes too, from every table and cache. A SQLite file's rows are overwritten; copies that
        SQLite left in unused parts of pages go later, when the background, `close` or `upkeep` rewrites the file.
        Forgotten messages do not come back when they are imported again, unless the whole scope was forgotten, which
        leaves nothing at all.

        Raises `InvalidInput` when it is not said what to forget.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        given: tuple[Any, ...] = (ids, refs)
        if not all(isinstance(some, Sequence) and not isinstance(some, str | bytes) for some in given):
            raise InvalidInput("ids and refs are lists of ids")
        wanted = [identifier(i, "id") for i in ids]
        wanted += [derived_id("message", identifier(ref, "message id", longest=None)) for ref in refs]
        name = None if session is None else identifier(session, "session")
        if not isinstance(everything, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"everything is True or False, not {reprlib.repr(everything)}")
        if everything == bool(wanted or name):
            raise InvalidInput("say what to forget: ids, refs, a session, or everything=True")
        forgotten = await erase(ground, scope, Erasure(ids=tuple(wanted), session=name, everything=everything))
        if everything:
            ground.access.drop(scope)
        return forgotten

    async def flush(
        self, scope: str | None = None, *, seconds: float | None = None, unfinished: bool = True
    ) -> Flushed:
        """Do all background work now and wait for it, at most `seconds`; return what is left and why.

        Without `unfinished`, windows of talk that wait to become full or quiet (`Settings.idle`) go on waiting.
        """
        await self._crew.ready()
        name = None if scope is None else identifier(scope, "scope")
        return await self._crew.flush(name, patience("seconds", seconds), unfinished=unfinished)

    async def extract(
        self, scope: str, *, session: str | None = None, ids: Sequence[str] = (), seconds: float | None = None
    ) -> Extracted:
        """Extract what waits for it, in a scope, one `session` or those of some passages, now; return what came of it.

        It is told of the passages with these `ids` (default: of those that wait), whoever has extracted them. It waits
        for at most `seconds`; what is not done then is due, and the background goes on with it.
        """
        await self._crew.ready()
        scope = identifier(scope, "scope")
        session = None if session is None else identifier(session, "session")
        longest = patience("seconds", seconds)
        work = await self._store.pending(scope, "extract", extracting.EVERYTHING)
        asked = [identifier(i, "id") for i in several("ids", ids)] or [
            w.id for w in work if session in (None, w.session)
        ]
        names = {session}
        if ids and session is None:
            told = (await self._store.get(scope, asked)).values()
            names = {passage.session for passage in told if isinstance(passage, Passage)}
        for name in names:
            await self._store.hasten(scope, name)
        flushed = await self._crew.flush(scope, longest, unfinished=False)
        return await extracting.outcome(self._store, scope, asked, flushed.errors)
