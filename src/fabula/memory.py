"""The front door: one object to remember with, recall from and forget in; wires ground and flows together."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, cast, get_args

from fabula import authored, transfer
from fabula import extract as extracting
from fabula import moments as feeling
from fabula import recall as recalling
from fabula import reflect as reflecting
from fabula import remember as remembering
from fabula.abc import LLM, BlobStore, Clock, Embedder, Erasure, Extractor, Filter, Pending, Store, Task
from fabula.checking import aware, within
from fabula.conventions import Conventions
from fabula.crew import Crew
from fabula.dated import dated
from fabula.documents import read
from fabula.errors import InvalidInput
from fabula.extractors import LLMExtractor, RuleExtractor
from fabula.files import Files, erase
from fabula.knowledge import Knowledge
from fabula.kv import KeyValues
from fabula.providers.blobs import beside
from fabula.providers.bundled import bundled
from fabula.pruning import Upkept, prune
from fabula.render import Recollection
from fabula.settings import Settings
from fabula.stores import open_store
from fabula.stores.hot import HotStore
from fabula.text import clean, derived_id, identifier
from fabula.transfer import Imported
from fabula.types import (
    KINDS,
    MAX_LIMIT,
    Access,
    Emotion,
    EmotionProfile,
    Extracted,
    Flushed,
    Forgotten,
    Image,
    Interval,
    Kind,
    Message,
    Passage,
    Plan,
    Receipt,
    Record,
    Reflection,
    Session,
    Stats,
    Status,
)
from fabula.upkeep import Progress, check, quiet, reembed

EmbedderName = Literal["default", "fast"]
DEFAULT_PLAN: Final = Plan()
PAGE: Final = 1000
DRAWN: Final[tuple[Kind, ...]] = ("frame", "fact", "insight")
"""What is drawn from talk, and may come back or not."""


def local_now() -> datetime:
    """Return the present in the zone of this machine: the default clock. "Yesterday" is yesterday here."""
    return datetime.now().astimezone()


def _an(kind: type[Any], value: Any, name: str) -> Any:
    if value is not None and not isinstance(value, kind):
        raise InvalidInput(f"{name} is of the type {kind.__name__}, not {reprlib.repr(value)}")
    return value


def _patience(seconds: Any) -> float | None:
    if seconds is not None and not (isinstance(seconds, int | float) and seconds >= 0):
        raise InvalidInput(f"seconds is 0 or more, or None, not {reprlib.repr(seconds)}")
    return seconds


def _extractor(llm: LLM | None, conventions: Conventions) -> Extractor:
    return RuleExtractor(conventions) if llm is None else LLMExtractor(llm, conventions=conventions)


class AsyncMemory:
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
        self._embedder = bundled(embedder) if isinstance(embedder, str) else _an(Embedder, embedder, "embedder")
        self._clock = clock
        self._crew = Crew(
            store=self._store,
            embedder=self._embedder,
            llm=_an(LLM, llm, "llm"),
            extractor=extractor or _extractor(llm, self.settings.conventions),
            blobs=_an(BlobStore, blobs, "blobs") or beside(inner),
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

        What is left stays pending in the database.
        """
        await self._crew.close(drain)

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

        A record whose `id` is empty gets one by what it says, so that the same written twice is one; one with an id
        that is there already stays as it is. Its `scope` and `recorded` are set here. What it was made from
        (`sources`) may be nothing: then it stands on its own, and is found by what it says. A word in `meta["sort"]`
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
        emotion: Emotion | None = None,
        valid: Interval | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> Record | None:
        """Write a new version of a fact, frame, insight or entity, with what is given changed; return it.

        The version before stays (`history`, `as_of`). `None` where there is no such record. Raises `InvalidInput` for
        a passage, which is never changed, and a note, which `kv` changes.
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
        known then. `explain` adds how the answer came about. A blank query brings back nothing.
        `images` are part of the question: an embedder that sees is shown them, and their captions or names are words
        of the query.

        Raises `InvalidInput` and `StoreUnavailable`. A model that fails is named in `degraded`.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        if not isinstance(query, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"a query is text, not {type(query).__name__}")
        _an(Plan, plan, "plan")
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
            raise InvalidInput(f"everything is True or False, not {everything!r}")
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
        return await self._crew.flush(name, _patience(seconds), unfinished=unfinished)

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
        patience = _patience(seconds)
        work = await self._store.pending(scope, "extract", extracting.EVERYTHING)
        asked = [identifier(i, "id") for i in ids] or [w.id for w in work if session in (None, w.session)]
        names = {session}
        if ids and session is None:
            told = (await self._store.get(scope, asked)).values()
            names = {passage.session for passage in told if isinstance(passage, Passage)}
        for name in names:
            await self._store.hasten(scope, name)
        flushed = await self._crew.flush(scope, patience, unfinished=False)
        return await extracting.outcome(self._store, scope, asked, flushed.errors)

    # --- looking around ---

    async def records(
        self,
        scope: str,
        kind: Kind = "passage",
        *,
        session: str | None = None,
        speaker: str | None = None,
        during: Interval | None = None,
        mentions: str | None = None,
        status: Status | None = "live",
        limit: int | None = None,
    ) -> list[Record]:
        """List the records of one kind in the order of their arrival, all of them or the first `limit`.

        `status` is which: live, superseded or archived; `None` for all that are believed, facts that are over too.
        `mentions` keeps records whose text contains it, letter case aside.
        """
        await self._crew.ready()
        scope = identifier(scope, "scope")
        if kind not in KINDS:
            raise InvalidInput(f"kind is one of {', '.join(KINDS)}, not {kind!r}")
        if status not in (None, *get_args(Status)):
            raise InvalidInput(f"status is None or one of {', '.join(get_args(Status))}, not {status!r}")
        if limit is not None:
            within("limit", limit, 1)
        _an(Interval, during, "during")
        for name, value in (("session", session), ("speaker", speaker), ("mentions", mentions)):
            if value is not None and (not isinstance(value, str) or not value):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidInput(f"{name} is None or a text, not {reprlib.repr(value)}")
        session = None if session is None else identifier(session, "session")
        speaker = None if speaker is None else clean(speaker).strip()
        found: list[Record] = []
        after = -1
        while limit is None or len(found) < limit:
            size = PAGE if limit is None else min(PAGE, limit - len(found))
            wanted = Filter(
                kind=kind, session=session, speaker=speaker, during=during, mentions=mentions, status=status,
                limit=size, after=after,
            )  # fmt: skip
            page = await self._store.find(scope, wanted)
            found += [record for _, record in page]
            if len(page) < size:
                break
            after = page[-1][0]
        return found

    async def dated(
        self,
        scope: str,
        kinds: Sequence[Kind] = ("frame", "fact", "insight"),
        *,
        during: Interval | None = None,
        sort: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[int, list[Record]]:
        """List records by when they happened or began to hold, or else were recorded, newest first; archived ones not.

        Return how many there are `during` an interval, and `limit` of them after the first `offset`. `sort` is that
        of `Plan`. Notes and entities have no place in time.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        plan = Plan(kinds=tuple(kinds), sort=sort, during=during)
        if limit is not None:
            within("limit", limit, 1)
        within("offset", offset, 0)
        return await dated(ground, scope, plan, limit, offset)

    async def get(self, scope: str, record_id: str, *, as_of: datetime | str | None = None) -> Record | None:
        """Return a record by id as it is believed now, or was at `as_of`; `None` where there is none."""
        await self._crew.ready()
        moment = None if as_of is None else aware(as_of)
        wanted = identifier(record_id, "id")
        return (await self._store.get(identifier(scope, "scope"), [wanted], moment)).get(wanted)

    async def history(self, scope: str, record_id: str) -> list[Record]:
        """Return every version of a record there is, oldest first, with the time in which each was believed."""
        await self._crew.ready()
        return await self._store.versions(identifier(scope, "scope"), [identifier(record_id, "id")])

    async def accessed(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        """Return how often these records came back from `recall` and when, of those that ever did."""
        ground = await self._crew.ready()
        given: Any = ids
        if not isinstance(given, Sequence) or isinstance(given, str | bytes):
            raise InvalidInput("ids is a list of ids")
        return await ground.access.of(identifier(scope, "scope"), [identifier(i, "id") for i in ids])

    async def unused(
        self, scope: str, since: datetime | str, *, kinds: Sequence[Kind] = DRAWN, limit: int = 50
    ) -> list[Record]:
        """Return the live records that have not come back from `recall` since a moment, the longest unused first.

        What never came back counts from when it was first recorded.
        """
        ground = await self._crew.ready()
        scope, moment = identifier(scope, "scope"), aware(since)
        given: Any = kinds
        if not isinstance(given, Sequence) or isinstance(given, str | bytes) or not {*kinds} <= {*KINDS}:
            raise InvalidInput(f"kinds is a list of {', '.join(KINDS)}, not {reprlib.repr(kinds)}")
        within("limit", limit, 1, MAX_LIMIT)
        await ground.access.write(scope)
        return await self._store.unused(scope, kinds, moment, limit)

    async def pending(self, scope: str) -> list[Pending]:
        """Return the work that is left to do in a scope, by task, each with its `attempts` and the last `error`."""
        await self._crew.ready()
        scope = identifier(scope, "scope")
        tasks = [await self._store.pending(scope, task, extracting.EVERYTHING) for task in get_args(Task)]
        return [piece for work in tasks for piece in work]

    async def sessions(
        self, scope: str, *, limit: int = 50, offset: int = 0, without: str = ""
    ) -> tuple[int, list[Session]]:
        """Return how many sessions a scope has, and up to `limit` of them behind `offset`, the latest told first.

        Those whose id begins with `without` are left out, unless that is blank.
        """
        await self._crew.ready()
        within("limit", limit, 1, MAX_LIMIT)
        within("offset", offset, 0)
        return await self._store.sessions(identifier(scope, "scope"), limit=limit, offset=offset, without=without)

    async def feelings(self, scope: str, *, at: datetime | str | None = None) -> EmotionProfile:
        """Return how what a scope tells felt up to `at` (default: now): in the last 14 days, and over all.

        Where a language model said how a frame or fact felt, that counts; of the other messages of users (not of
        assistants or documents) it is estimated from their vectors, which is possible for those of the bundled models,
        in English and Chinese. Nothing is written and no model called. It says nothing of anybody's personality.
        """
        ground = await self._crew.ready()
        now = ground.clock() if at is None else aware(at)
        return await feeling.feelings(self._store, identifier(scope, "scope"), now)

    async def scopes(self) -> list[str]:
        """Return every scope that holds anything."""
        await self._crew.ready()
        return await self._store.scopes()

    async def stats(self, scope: str | None = None) -> Stats:
        """Count and measure one scope, or all."""
        await self._crew.ready()
        return await self._store.stats(None if scope is None else identifier(scope, "scope"))

    async def check(self, scope: str | None = None) -> list[str]:
        """Prove that records, terms, vectors, provenance and pending work agree; return one line a fault."""
        await self._crew.ready()
        name = None if scope is None else identifier(scope, "scope")
        return await check(self._store, name)

    async def reembed(self, scope: str | None = None, *, progress: Progress = quiet) -> int:
        """Embed anew what another model has embedded; return how many records there were.

        Until all of a scope is done it is answered from the old vectors; then the new ones take over in one step.
        It may be interrupted and goes on where it was. What is written meanwhile is embedded too. Raises
        `InvalidInput` where the memory has no model, and a `ProviderError`.
        """
        await self._crew.ready()
        if self._embedder is None:
            raise InvalidInput("there is no embedding model to embed with")
        names = await self._store.scopes() if scope is None else [identifier(scope, "scope")]
        batch = self.settings.batch
        return sum([await reembed(self._store, self._embedder, name, batch, progress) for name in names])

    async def upkeep(self, scope: str | None = None) -> Upkept:
        """Keep the graph small: one round for a scope, or for each; return what was done.

        An entity that no message names and nothing has been tied to for `Settings.prune` rounds in a row is archived
        (see there); a chain of attributes becomes one fact, and the facts it stands for are archived. Nothing is
        deleted, and what is archived stands again when it is spoken of. A scope that another process is at work on is
        `skipped`. First a SQLite file is rewritten in which something was forgotten since it last was, however
        large it is. Raises `StoreUnavailable` where a scope is written to, or such a file read, all the while, and
        `LeaseLost` where another process took the scope over.
        """
        ground = await self._crew.ready()
        await self._store.scrub(now=True)  # first, so that what fails leaves nothing done and untold
        names = await self._store.scopes() if scope is None else [identifier(scope, "scope")]
        done: list[Upkept] = []
        for name in names:
            if await self._store.state(name) is None:
                continue
            async with ground.holding(name) as lease:
                if lease is None:
                    done.append(Upkept(skipped=(name,)))
                    continue
                done.append(await prune(self._store, lease, ground.space, self.settings, self._clock()))
            ground.wake(name)
        return Upkept(
            **{each.name: tuple(i for one in done for i in getattr(one, each.name)) for each in fields(Upkept)}
        )

    async def reextract(self, scope: str | None = None) -> int:
        """Have extracted again what no model has made a frame of, in a scope or all; return how many passages that are.

        For a language model that comes later: its frames take the place of those that rules have made. `flush` waits.
        """
        ground = await self._crew.ready()
        queued = 0
        for name in await self._store.scopes() if scope is None else [identifier(scope, "scope")]:
            queued += await extracting.again(self._store, name)
            ground.wake(name)
        return queued

    async def reindex(self, scope: str | None = None) -> int:
        """Make the keyword index anew with the present tokeniser; return how many records were read."""
        await self._crew.ready()
        names = await self._store.scopes() if scope is None else [identifier(scope, "scope")]
        return sum([await remembering.reindex(self._store, name) for name in names])

    # --- taking it along ---

    async def export(self, scope: str) -> dict[str, Any]:
        """Return all there is of a scope as one JSON object: every version, vector and tie, pictures and files.

        Its form is that of `fabula.exported`. Raises `InvalidInput` where there is no such scope, and
        `StoreUnavailable` where it is written to all the while.
        """
        return await transfer.export(await self._crew.ready(), identifier(scope, "scope"))

    async def import_(self, data: Mapping[str, Any], *, scope: str | None = None) -> Imported:
        """Put in what `export` gave, under its own name or as another `scope`; nothing is embedded or read anew.

        All of it is there in the end or nothing; the same again is no error and does nothing. Raises `InvalidInput`,
        before anything is written, for what is no export, is cut off, changed or of a newer version, and where the
        scope holds something else.
        """
        return await transfer.import_(await self._crew.ready(), data, scope)
