"""What the records of a scope mean, drawn from those since the last time: by a language model, or else by counting.

A watermark says up to which record everything was reflected on. It moves in the transaction that keeps what was drawn,
and only then; so nothing is reflected on twice, and nothing is passed over. Knows no host, and nothing of recalling.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from fabula.abc import LLM, Changes, Clock, Entry, Filter, Ground, Lease, Store
from fabula.errors import FabulaError, MemoryClosed, ProviderBadReply, ProviderError, StoreUnavailable
from fabula.extract import entry_of
from fabula.patterns import Language, Moment, Pattern, patterns
from fabula.prompts import REFLECTION_SCHEMA, reflection_messages
from fabula.remember import hiding, says_more, searchable, through
from fabula.render import without_memories
from fabula.replies import Drawn, insights, parsed
from fabula.settings import Settings
from fabula.talk import span
from fabula.text import derived_id, note_id, script
from fabula.types import CREATED, Fact, Frame, Insight, Kind, Note, Passage, Record, Reflection

log = logging.getLogger(__name__)

NAMESPACE: Final = "fabula:reflect"
KEY: Final = "watermark"
"""Where the number of the last record is noted that was reflected on."""
BATCH: Final = 50
"""How many records a language model is shown at once."""
STATISTICS: Final = "statistics"
"""What `meta["extractor"]` says of an insight that was counted."""
RECOUNTED: Final = 0.05
"""The part by which a count has to differ from what is known before there is a new version: 20 are told anew one by
one, and all versions of a large memory together cite a few times as much as the last one."""
ANSWER: Final = 4096
"""Tokens of a reply, at most."""
TEMPERATURES: Final = (0.1, 0.4)
"""Asked the same way again, a model says much the same again: of a reply that is no use another one is asked for."""
TRIES: Final = 20
"""How often what was drawn is tried to be kept while others write to the scope."""
PAGE: Final = 1000
PAUSE: Final = 0.05
"""Seconds from the first look whether a scope is free to the second; doubled with each further one."""
LONGEST: Final = 2.0
LATEST: Final = 600.0
"""Seconds after which the background tries again at the latest where it failed."""
Holding: TypeAlias = Callable[[str], AbstractAsyncContextManager[Lease | None]]


async def reflect(ground: Ground, scope: str, batch: int) -> Reflection:
    """Extract what is pending, then draw insights from what is new; see `AsyncMemory.reflect`."""
    await ground.flush(scope)
    found = await _alone(ground, scope, batch)
    failed = [] if found.analyzed else await ground.store.pending(scope, "extract", 1, failed=True)
    if failed:
        raise ProviderError(f"nothing to reflect on, for what was said could not be extracted: {failed[0].error}")
    ground.wake(scope)
    return found


async def _alone(ground: Ground, scope: str, batch: int) -> Reflection:
    """Reflect while the scope's lease is held, waited for where another has it."""
    turn = Reflecting(ground.store, ground.llm, ground.extractor.name, ground.settings, ground.clock)
    pause = PAUSE
    while await ground.store.state(scope) is not None:
        async with ground.holding(scope) as lease:
            if lease is not None:
                return await turn.run(lease, batch)
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST)
    return Reflection()


@dataclass(frozen=True, slots=True)
class _News:
    """Records that were not reflected on yet, in order of arrival."""

    records: list[Record]
    last: int
    """The number up to which these are all."""
    reset: int
    """The scope's last erasure before they were read."""


class Reflecting:
    """Reflects on a scope while its lease is held."""

    def __init__(self, store: Store, llm: LLM | None, extractor: str, settings: Settings, clock: Clock) -> None:
        self._store, self._llm, self._clock = store, llm, clock
        self._hidden = hiding(settings)
        # A model that made nothing of a message found nothing in it; others may not have understood it.
        self._kinds: tuple[Kind, ...] = ("frame", "fact") if extractor == "llm" else ("frame", "fact", "passage")

    async def run(self, lease: Lease, batch: int = BATCH) -> Reflection:
        """Reflect on all that is new, `batch` records at a time; what was kept before an error stays.

        Raises a `ProviderError`, `LeaseLost`, and `StoreUnavailable` where the scope is written to all the while.
        """
        made: dict[str, Insight] = {}
        analyzed = refused = 0
        size = batch
        while (news := await self._news(lease.scope, size)) is not None:
            try:
                drawn = await self._drawn(lease.scope, news)
            except ProviderBadReply as error:
                if error.reason != "truncated" or len(news.records) == 1:
                    raise
                size = len(news.records) // 2
                continue
            kept = await self._keep(lease, news, drawn.insights)
            if kept is not None:
                made |= {insight.id: insight for insight in kept}
                analyzed += len(news.records)
                refused += drawn.refused
        return Reflection(analyzed=analyzed, insights=tuple(made.values()), refused=refused)

    async def _drawn(self, scope: str, news: _News) -> Drawn:
        if self._llm is None:
            return await self._count(scope)
        said = await self._store.get(scope, sorted({source for record in news.records for source in record.sources}))
        return await _ask(self._llm, [_dated(record, said) for record in news.records], self._hidden)

    # --- what is new ---

    async def _news(self, scope: str, size: int) -> _News | None:
        state = await self._store.state(scope)
        if state is None:
            return None
        note = (await self._store.get(scope, [_NOTE])).get(_NOTE)
        after = note.value if isinstance(note, Note) else -1
        records: list[Record] = []
        # A model is shown so many at once; counting reads everything anyway.
        while self._llm is None or len(records) < size:
            most = PAGE if self._llm is None else size - len(records)
            pages = [
                await self._store.find(scope, Filter(kind=kind, status=None, limit=most, after=after))
                for kind in self._kinds
            ]
            found = sorted((numbered for page in pages for numbered in page), key=lambda one: one[0])[:most]
            if not found:
                break
            after = found[-1][0]
            records += await self._telling(scope, [record for _, record in found])
        # What was counted among others, and then forgotten, took along what was counted of all.
        lost = self._llm is None and isinstance(note, Note) and note.meta.get("reset") != state.reset
        return _News(records, after, state.reset) if records or lost else None

    async def _telling(self, scope: str, found: Iterable[Record]) -> list[Record]:
        """Those that tell something: not archived, not only recalled, and of passages those that nothing was made of.

        What waits to be extracted will be read as what is made of it.
        """
        shown = (replace(record, text=without_memories(record.text)) for record in found)
        told = [record for record in shown if searchable(record)]
        passages = [record.id for record in told if isinstance(record, Passage)]
        if not passages:
            return told
        over = {s for one in await self._store.citing(scope, passages, ["frame", "fact"]) for s in one.sources}
        if not over.issuperset(passages):
            over |= {piece.id for piece in await self._store.pending(scope, "extract", 100 * PAGE)}
        return [record for record in told if not (isinstance(record, Passage) and record.id in over)]

    # --- what was drawn ---

    async def _keep(self, lease: Lease, news: _News, drawn: Sequence[Insight]) -> tuple[Insight, ...] | None:
        """Keep insights, and move the watermark, in one transaction; return those that are new or changed.

        `None` where something was forgotten since the news were read: it may be what was drawn from.
        """
        scope = lease.scope
        mark = Note(
            scope=scope, id=_NOTE, text="", namespace=NAMESPACE, key=KEY, value=news.last, meta={"reset": news.reset}
        )  # fmt: skip
        for _ in range(TRIES):
            state = await self._store.state(scope)
            if state is None or state.reset != news.reset:
                return None
            known = await self._store.get(scope, [insight.id for insight in drawn])
            now = {insight.id: _united(known.get(insight.id), insight) for insight in drawn}
            changed = {name: insight for name, insight in now.items() if insight is not None}
            cited = {source for insight in changed.values() for source in insight.sources}
            there = await self._store.get(scope, sorted(cited))
            entries = {
                name: entry_of(replace(insight, sources=tuple(s for s in insight.sources if s in there)))
                for name, insight in changed.items()
            }
            changes = Changes(
                # Added, not put: an insight that was forgotten by name is not brought back.
                add=tuple(entry for name, entry in entries.items() if name not in known),
                put=(*(entry for name, entry in entries.items() if name in known), Entry(record=mark)),
                at=self._clock(),
                revision=state.revision,
            )
            written = await self._store.write(scope, changes, lease)
            if written.revision:
                fresh = await self._store.get(scope, [name for name in entries if name not in written.erased])
                return tuple(one for name in entries if isinstance(one := fresh.get(name), Insight))
        raise StoreUnavailable(f"scope {scope!r} is written to all the while: try again later")

    # --- counting ---

    async def _count(self, scope: str) -> Drawn:
        """Count all that is remembered, not only what is new: twice before and twice now is four times."""
        said = {one.id: one for one in await self._all(scope, "passage") if isinstance(one, Passage)}
        records = [*await self._all(scope, "frame"), *await self._all(scope, "fact")]
        counted, told = list[Record](), set[str]()
        # What one and the same passage tells counts once: as its frame, or else its fact, or else as it is.
        for record in (*records, *(said.values() if "passage" in self._kinds else ())):
            own = {record.id} if isinstance(record, Passage) else set(record.sources)
            if isinstance(record, Frame) or told.isdisjoint(own):
                counted.append(record)
                told |= own
        moments = [moment for record in counted if (moment := _moment(record, said)) is not None]
        scripts = Counter(script(moment.text) for moment in moments)
        language: Language = "zh" if scripts["han"] > scripts["latin"] else "en"
        sources = {record.id: record.sources for record in counted}
        found = await asyncio.to_thread(patterns, moments, language)
        return Drawn(tuple(_insight(scope, pattern, sources) for pattern in found))

    async def _all(self, scope: str, kind: Kind) -> list[Record]:
        found: list[Record] = []
        async for page in self._store.pages(scope, Filter(kind=kind, status=None, limit=PAGE)):
            shown = (replace(record, text=without_memories(record.text)) for _, record in page)
            found += filter(searchable, shown)
        return found


_NOTE: Final = note_id(NAMESPACE, KEY)


def _dated(record: Record, said: Mapping[str, Record]) -> Record:
    """A record with a time: of what nobody dated, when it was told."""
    if record.valid is not None:
        return record
    return replace(record, valid=span(p for name in record.sources if isinstance(p := said.get(name), Passage)))


async def _ask(llm: LLM, records: Sequence[Record], hidden: Callable[[str], str]) -> Drawn:
    """What a language model draws from records; raises a `ProviderError`."""
    messages = reflection_messages(records)
    for temperature in TEMPERATURES:
        try:
            reply = await llm.chat(messages, temperature=temperature, max_tokens=ANSWER, schema=REFLECTION_SCHEMA)
            return insights(through(parsed(reply.text), hidden), records)
        except ProviderBadReply as error:
            if error.reason not in ("empty", "malformed") or temperature == TEMPERATURES[-1]:
                raise
            log.debug("another reply is asked for: %s", error)
    raise AssertionError("the last temperature returns or raises")


def _united(before: Record | None, now: Insight) -> Insight | None:
    """An insight as it is to be kept beside what is known under its id; `None` where nothing is new in it."""
    if not isinstance(before, Insight):
        return now
    if now.meta.get("extractor") == STATISTICS:
        if CREATED in before.meta:  # a caller has put it in words of their own
            return None
        last, count = before.meta.get("count", 0), now.meta["count"]
        return now if abs(count - last) >= max(1, RECOUNTED * last) or before.status == "archived" else None
    if before.status != "archived" and set(now.sources) <= set(before.sources):
        return None
    sources = tuple(dict.fromkeys((*before.sources, *now.sources)))
    return replace(before, status="live", sources=sources, importance=max(before.importance, now.importance))


def _insight(scope: str, pattern: Pattern, sources: Mapping[str, Sequence[str]]) -> Insight:
    cited = dict.fromkeys(source for name in pattern.ids for source in (name, *sources[name]))
    return Insight(
        scope=scope,
        id=derived_id("insight", STATISTICS, pattern.category, pattern.subject),
        text=pattern.text,
        category=pattern.category,
        sources=tuple(cited),
        meta={
            "extractor": STATISTICS, "subject": pattern.subject, "count": pattern.count, "of": pattern.of,
            "since": pattern.since.isoformat(), "until": pattern.until.isoformat(),
        },
    )  # fmt: skip


def _moment(record: Record, said: Mapping[str, Passage]) -> Moment | None:
    """A record as it is counted; `None` where nobody knows when it was told."""
    passages = [record] if isinstance(record, Passage) else [said[name] for name in record.sources if name in said]
    times = [passage.time for passage in passages if passage.time is not None]
    if not times:
        return None
    events = record.events if isinstance(record, Frame) else ()
    speakers = () if isinstance(record, Fact) else tuple(dict.fromkeys(passage.speaker for passage in passages))
    people = (*(who for event in events for who in event.participants), *speakers)
    return Moment(
        id=record.id,
        text=" ".join((record.text, *(event.action for event in events))),
        time=min(times),
        people=tuple(dict.fromkeys(people)),
        speakers=speakers,
        guessed=not says_more(record),
        places=tuple(dict.fromkeys(event.location for event in events if event.location)),
        emotion=record.emotion,
    )


class Cadence:
    """When the background reflects: after so many windows of a scope were extracted here, counted from the opening.

    Its workers share it. What failed is tried again later, longer and longer apart, and is told by `errors` meanwhile.
    """

    def __init__(
        self, llm: LLM | None, extractor: str, store: Store, settings: Settings, clock: Clock, holding: Holding
    ) -> None:
        self._turn, self._holding = Reflecting(store, llm, extractor, settings, clock), holding
        self._every, self._backoff = settings.reflect_every, settings.backoff
        self._windows: Counter[str] = Counter()
        self._at: set[str] = set()
        """What a worker is reflecting on."""
        self._failed: dict[str, tuple[int, float, str]] = {}
        """How often in a row, until when it rests by the monotonic clock, and why."""

    def extracted(self, scope: str) -> None:
        """Say that a window of a scope was extracted."""
        if self._every:
            self._windows[scope] += 1

    def errors(self, scope: str | None) -> list[str]:
        """Return why reflecting on a scope, or any, failed the last time."""
        return [reason for name, (_, _, reason) in self._failed.items() if scope in (None, name)]

    async def reflect(self) -> list[str]:
        """Reflect on each scope for which it is time, unless another worker is at it; return them."""
        done: list[str] = []
        for scope in list(self._windows):
            if not self._due(scope):
                continue
            self._at.add(scope)
            try:
                async with self._holding(scope) as lease:
                    if lease is not None:
                        await self._reflect(lease)
                        done.append(scope)
            finally:
                self._at.discard(scope)
        return done

    def _due(self, scope: str) -> bool:
        """Whether to reflect on a scope now."""
        rested = scope not in self._failed or self._failed[scope][1] <= time.monotonic()
        return rested and scope not in self._at and self._windows[scope] >= self._every

    async def _reflect(self, lease: Lease) -> None:
        """Reflect on a leased scope; where that fails, rest."""
        scope = lease.scope
        try:
            await self._turn.run(lease)
        except MemoryClosed:
            raise
        except Exception as error:
            expected = isinstance(error, FabulaError)
            log.warning("reflecting on scope %r failed: %s", scope, error, exc_info=not expected)
            times = self._failed[scope][0] + 1 if scope in self._failed else 1
            rest = min(self._backoff * 2 ** min(times - 1, 30), LATEST)
            reason = str(error) if expected else f"{type(error).__name__}: {error}"
            self._failed[scope] = (times, time.monotonic() + rest, reason)
        else:
            self._failed.pop(scope, None)
            del self._windows[scope]
