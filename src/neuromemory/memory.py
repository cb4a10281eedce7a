"""NeuroMemory's surface on a fabula memory: its calls are translated, everything else is fabula's.

It knows no store, no model and no ranking.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

from fabula import Plan
from fabula.abc import Clock
from fabula.checking import aware, several, within
from fabula.memory import local_now
from fabula.text import identifier
from fabula.types import MAX_LIMIT
from neuromemory import listing, opening, periods, shapes, transfer
from neuromemory.conversations import Conversations, counted
from neuromemory.files import Files
from neuromemory.graph import Graph
from neuromemory.kv import KV
from neuromemory.periods import Granularity, When
from neuromemory.providers import EmbeddingProvider, LLMProvider
from neuromemory.recalling import profiled, recalled
from neuromemory.reflecting import Reflections
from neuromemory.shapes import MEMORIES, Shape, kinds_of
from neuromemory.storage import ObjectStorage
from neuromemory.strategy import ExtractionStrategy, closing

DATABASE: Final = "sqlite+aiosqlite:///neuromemory.db"


class NeuroMemory:
    """A long-term memory of any number of users; needs no key, no server and no network.

    `database_url` is a SQLite file or a PostgreSQL database (`postgresql+asyncpg://…`). `embedding` is a provider of
    vectors (default: the bundled model), `llm` one of answers; without, rules draw the memories. `storage` keeps
    uploaded files (default: a folder beside the SQLite file). With `auto_extract` memories are drawn from every message
    at once, in the background; an `extraction` strategy says when instead. `reflection_interval` is after how many
    extractions the background reflects; 0: never. `graph_enabled=False` leaves the graph out of recall. `pool_size` is
    how many connections to PostgreSQL there are at most. `echo` is taken for the sake of code that sets it.

    Use it inside `async with`, or call `init` and `close`. What cannot be meant is a `ValueError`, and nothing is
    written then.

        async with NeuroMemory("sqlite+aiosqlite:///memory.db") as nm:
            await nm.conversations.add_message("alice", "user", "I work at ABC Company")
            found = await nm.recall("alice", "Where does Alice work?")
    """

    def __init__(
        self,
        database_url: str = DATABASE,
        embedding: EmbeddingProvider | None = None,
        llm: LLMProvider | None = None,
        storage: ObjectStorage | None = None,
        extraction: ExtractionStrategy | None = None,
        auto_extract: bool = True,
        graph_enabled: bool = True,
        pool_size: int = 10,
        echo: bool = False,
        reflection_interval: int = 0,
        *,
        clock: Clock = local_now,
    ) -> None:
        self._memory = opening.memory(
            database_url, embedding, llm, storage, extraction=extraction, auto_extract=auto_extract,
            reflection_interval=reflection_interval, pool_size=pool_size, clock=clock,
        )  # fmt: skip
        self._clock = clock
        self._graphed = graph_enabled
        self._reflections = Reflections(self._memory)
        self.conversations = Conversations(
            self._memory, closing=closing(auto_extract=auto_extract, extraction=extraction)
        )
        self.kv = KV(self._memory)
        self.graph = Graph(self._memory)
        self.files = Files(self._memory)

    async def init(self) -> Self:
        """Open the database, bring its schema up to date and go on with the work that was left."""
        await self._memory.open()
        return self

    async def close(self) -> None:
        """Finish background work within a limit and close; what is left stays pending in the database."""
        await self._reflections.end()
        await self._memory.close()

    async def __aenter__(self) -> Self:
        return await self.init()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def flush(self) -> Shape:
        """Wait for all background work that is due; return `{pending, failed, errors}`.

        Messages whose time has not come by the strategy, or that nobody asked to extract, go on waiting.
        """
        await self._reflections.wait()
        done = await self._memory.flush(unfinished=False)
        return {"pending": done.pending, "failed": done.failed, "errors": list(done.errors)}

    # --- memories -----------------------------------------------------------------------------------------------

    async def add_memory(
        self,
        user_id: str,
        content: str,
        memory_type: str = "general",
        metadata: Mapping[str, Any] | None = None,
        *,
        occurred_at: datetime | str | None = None,
    ) -> str:
        """Write a memory and return its id; the same content of the same type and time twice is one memory.

        `memory_type` is `fact`, `episodic`, `insight`, `general`, or a word of your own. Of the `metadata` (plain
        JSON) `importance` (1–10) and `emotion` (`{label, valence, arousal}`) count in `recall`. When this returns, it
        is durable and found by its words; by meaning as soon as it is embedded (`flush`).
        """
        user_id = identifier(user_id, "user_id")
        made = shapes.record(user_id, content, memory_type, metadata, occurred_at)
        (memory_id,) = await self._memory.add(user_id, made)
        return memory_id

    async def add_memories(self, user_id: str, memories: Iterable[Mapping[str, Any]]) -> list[str]:
        """Write many memories at once, all or none, and return their ids, in order.

        Each is `{content, memory_type?, metadata?, occurred_at?}`, with the meaning these have in `add_memory`.
        """
        user_id = identifier(user_id, "user_id")
        return list(await self._memory.add(user_id, shapes.records(user_id, memories)))

    async def get_memory(self, user_id: str, memory_id: str) -> Shape | None:
        """Return a memory, `None` where there is none: `{id, content, memory_type, metadata, created_at, updated_at,
        occurred_at, valid_from, valid_to, status, source_ids, access_count, last_accessed_at}`."""
        user_id = identifier(user_id, "user_id")
        found = await self._memory.get(user_id, memory_id)
        if found is None or not shapes.remembered(found):
            return None
        return (await listing.shown(self._memory, user_id, [found]))[0]

    async def update_memory(
        self, user_id: str, memory_id: str, content: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> Shape | None:
        """Write a new version of a memory and return it; `None` where there is none.

        What is not given stays. `metadata` is merged with what there is, key by key; `{"emotion": None}` takes away the
        emotion that was told. What was said is never changed: a message is a `ValueError`.
        """
        user_id = identifier(user_id, "user_id")
        old = await self._memory.get(user_id, memory_id)
        if old is None or not shapes.remembered(old):
            return None
        if content is None and metadata is None:
            return await self.get_memory(user_id, memory_id)
        shapes.changeable(old)
        changed: Shape = {}
        if metadata is not None:
            told = shapes.weights(metadata)
            changed = {
                "meta": partial(shapes.merge, given=metadata),
                "importance": told["importance"] if "importance" in metadata else None,
                "emotion": told["emotion"] if "emotion" in metadata else ...,
            }
        if await self._memory.revise(user_id, memory_id, text=content, **changed) is None:
            return None
        return await self.get_memory(user_id, memory_id)

    async def delete_memory(self, user_id: str, memory_id: str) -> bool:
        """Erase a memory with all its versions and what was drawn from it; return whether there was one.

        The id of a message, which `recall` brings back beside memories, erases the message.
        """
        user_id = identifier(user_id, "user_id")
        found = await self._memory.get(user_id, memory_id)
        if found is None or not shapes.remembered(found):
            return False
        return bool(await self._memory.forget(user_id, ids=[found.id]))

    async def delete_all_memories(self, user_id: str, memory_type: str | None = None) -> int:
        """Erase the memories of a type, or all; return how many.

        Conversations, files, settings and the edges that `graph` was given stay.
        """
        _, found = await listing.dated(self._memory, user_id, memory_type)
        if found:
            await self._memory.forget(user_id, ids=[record.id for _, record in found])
        return len(found)

    async def history(self, user_id: str, memory_id: str) -> list[Shape]:
        """Return every version of a memory, the oldest first, each with `recorded_from` and `recorded_to`."""
        user_id = identifier(user_id, "user_id")
        versions = await self._memory.history(user_id, memory_id)
        told = await listing.shown(self._memory, user_id, versions)
        return [one | shapes.believed(version) for one, version in zip(told, versions, strict=True)]

    # --- finding ------------------------------------------------------------------------------------------------

    async def search(
        self,
        user_id: str,
        query: str,
        limit: int = 5,
        memory_type: str | None = None,
        created_after: When | None = None,
        created_before: When | None = None,
        *,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Shape]:
        """Return the memories nearest in meaning, best first, neither time nor importance counting.

        `[{id, content, memory_type, metadata, created_at, score}]`; `score` is the cosine. `filters` are values that
        top-level keys of the metadata that was given have to equal. Raises a `ProviderError` where the embedding model
        fails.
        """
        within("limit", limit, 1, MAX_LIMIT)
        kinds, sort = kinds_of(memory_type)
        plan = Plan(
            kinds=kinds, sort=sort, metadata=shapes.wanted(filters, kinds), limit=limit, channels=("dense",),
            fusion="similarity", edges=False, **opening.said(memory_type),
        )  # fmt: skip
        if created_after is not None or created_before is not None:
            plan = replace(plan, created=periods.interval(created_after, created_before))
        found = await self._memory.recall(identifier(user_id, "user_id"), query, plan)
        if found.degraded:
            raise opening.failed(found.degraded)
        return [shapes.found(hit) for hit in found.hits[:limit]]

    async def recall(
        self,
        user_id: str,
        query: str,
        limit: int = 20,
        decay_rate: float | None = None,
        *,
        memory_type: str | None = None,
        created_after: When | None = None,
        created_before: When | None = None,
        event_after: When | None = None,
        event_before: When | None = None,
        as_of: datetime | str | None = None,
        mode: opening.Mode | None = None,
        explain: bool = False,
        filters: Mapping[str, Any] | None = None,
    ) -> Shape:
        """Return what matters for `query`: relevance × recency × importance.

        `{merged, user_profile, graph_context, vector_results, conversation_results, graph_results, degraded}`. `merged`
        is what to use: memories and messages without repetition, the best first, at most `limit`, each
        `{id, content ("[2025-03-01 | sentiment: positive] …"), text, source, memory_type, score, metadata, created_at,
        occurred_at, parts}`; the content of what holds no longer ends with "(until 2025-03-01)", and only what holds
        is in `graph_context`. `degraded` names what could not take part and why; the rest has answered.

        `decay_rate` is after how many seconds what freshness adds has fallen to 1/e (30 days). `created_…` narrow by
        when a message was said or a memory written, `event_…` by when it happened: a message that names no time itself
        by when it was said. An end that is a date includes that day. `filters` are as in `search`: no message passes
        them. `as_of` answers from what was known then. `mode` is `lite` (memories alone), `pro` (and what was said: the
        default) or `max` (and more of what the memories were made from). `explain` adds the key `explain`: `confidence`
        (0–1: whether anything is known of the question), and how the recall came about.
        """
        within("limit", limit, 1, MAX_LIMIT)
        plan = opening.plan(limit, decay_rate, memory_type, mode, graphed=self._graphed)
        plan = replace(plan, metadata=shapes.wanted(filters, plan.kinds))
        if created_after is not None or created_before is not None:
            plan = replace(plan, created=periods.interval(created_after, created_before))
        if event_after is not None or event_before is not None:
            plan = replace(plan, valid_during=periods.interval(event_after, event_before))
        user_id, now = identifier(user_id, "user_id"), self._clock() if as_of is None else aware(as_of)
        return await recalled(
            self._memory,
            self._memory.recall(user_id, query, plan, as_of=as_of, explain=explain),
            user_id,
            limit,
            memory_type,
            now,
            as_of=as_of,
            graphed=self._graphed,
            explain=explain,
        )

    # --- drawing memories and insights --------------------------------------------------------------------------

    async def extract_memories(
        self, user_id: str, messages: Sequence[Mapping[str, Any]] | None = None, session_id: str | None = None
    ) -> Shape:
        """Draw memories from what waits for it, in all sessions or one; `messages` are added first.

        Return `{facts_extracted, episodes_extracted, triples_extracted, messages_processed, failed}`.
        """
        return await self.conversations.extract(user_id, messages, session_id)

    async def reflect(self, user_id: str, batch_size: int = 50, background: bool = False) -> Shape:
        """Draw what waits to be extracted, then insights from what is new since the last time; update how it felt.

        Return `{memories_analyzed, insights_generated, insights: [{content, category, source_ids}], emotion_profile}`.
        With `background` it returns at once, with nothing generated yet. Twice without news makes nothing twice.
        """
        return await self._reflections.reflect(user_id, batch_size, background=background)

    async def emotion_profile(self, user_id: str) -> Shape:
        """Return `{latest_state, latest_state_valence, valence_avg, arousal_avg, dominant_emotions, emotion_triggers}`.

        The latest state is that of the last 14 days, averages are over everything.
        """
        return await self._reflections.emotions(identifier(user_id, "user_id"))

    async def user_profile(self, user_id: str) -> Shape:
        """Return what is known of the user: identity, occupation, interests, preferences, relationships, location,
        skills, goals, language. Personality and values are never inferred."""
        return await profiled(self._memory, identifier(user_id, "user_id"))

    # --- by time ------------------------------------------------------------------------------------------------

    async def get_memories_by_time_range(
        self,
        user_id: str,
        start_time: When,
        end_time: When | None = None,
        memory_type: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[int, list[Shape]]:
        """Return how many memories there are from `start_time` to `end_time` (default: now), and a page of them.

        The newest come first. A memory counts by when it happened, where that is known to the day or as exactly as the
        stretch is long ("in May 2024" in a stretch of a month), and else by when it was told, or written. An end that
        is a date includes that day.
        """
        within("limit", limit, 1, MAX_LIMIT)
        during = periods.interval(start_time, self._until(end_time))
        exact = periods.exact(during)
        total, found = await listing.dated(
            self._memory, user_id, memory_type, during, exact=exact, limit=limit, offset=offset
        )
        return total, await listing.shown(self._memory, user_id, [record for _, record in found])

    async def get_recent_memories(
        self, user_id: str, days: int = 7, memory_types: Sequence[str] | None = None, limit: int = 50
    ) -> list[Shape]:
        """Return the memories that were told, or else written, in the last `days`, the newest first.

        Whether what they tell happened long ago or is still to come does not matter: that is what
        `get_memories_by_time_range` is for.
        """
        within("days", days, 1, 36_500)
        within("limit", limit, 1, MAX_LIMIT)
        during = periods.interval(self._clock() - timedelta(days=days), None)
        types = [None] if memory_types is None else several("memory_types", memory_types)
        found = await listing.told(self._memory, user_id, types, during, limit)
        return await listing.shown(self._memory, user_id, found)

    async def get_memory_timeline(
        self,
        user_id: str,
        start_date: When,
        end_date: When | None = None,
        granularity: Granularity = "day",
        memory_type: str | None = None,
        *,
        tz: str | tzinfo | None = None,
    ) -> list[Shape]:
        """Return the days, weeks or months anything fell into: `[{period, start, end, count, by_type, memories}]`.

        A memory counts by when it happened, where that is known as exactly as a period is long, and else by when it was
        told, or written. Days are those of `tz` (a zone or its name), or else of `start_date` where it has one, or else
        of this machine.
        """
        zone = periods.zone_of(tz, self._local(start_date))
        by = periods.granularity(granularity)
        during = periods.interval(start_date, self._until(end_date), zone)
        _, found = await listing.dated(self._memory, user_id, memory_type, during, exact=periods.LENGTHS[by])
        told = await listing.shown(self._memory, user_id, [record for _, record in found])
        moments = (moment for moment, _ in found)
        return periods.timeline(reversed([*zip(moments, told, strict=True)]), by, zone)

    async def get_daily_memory_stats(
        self, user_id: str, start_date: When, end_date: When | None = None, *, tz: str | tzinfo | None = None
    ) -> list[Shape]:
        """Return how many memories each day has: `[{date, count, by_type}]`; days are as in `get_memory_timeline`."""
        days = await self.get_memory_timeline(user_id, start_date, end_date, "day", tz=tz)
        return [{"date": day["period"], "count": day["count"], "by_type": day["by_type"]} for day in days]

    # --- the whole of it ----------------------------------------------------------------------------------------

    async def stats(self, user_id: str) -> Shape:
        """Return `{total_memories, by_type, messages, sessions, entities, notes, pending, failed, bytes}`.

        `messages` and `sessions` are those of conversations: files are none.
        """
        user_id = identifier(user_id, "user_id")
        counts = await self._memory.stats(user_id)
        sessions, messages = await counted(self._memory, user_id)
        _, found = await listing.dated(self._memory, user_id, None)
        return {
            "total_memories": len(found),
            "by_type": dict(Counter(shapes.memory_type(record) for _, record in found)),
            "messages": messages,
            "sessions": sessions,
            "entities": counts.records.get("entity", 0),
            "notes": counts.records.get("note", 0),
            "pending": sum(counts.pending.values()),
            "failed": counts.failed,
            "bytes": sum(counts.bytes.values()),
        }

    async def cold_memories(self, user_id: str, threshold_days: int = 90, limit: int = 50) -> list[Shape]:
        """Return the memories that nothing has recalled for so many days, the longest unused first."""
        user_id = identifier(user_id, "user_id")
        within("threshold_days", threshold_days, 0, 36_500)
        within("limit", limit, 1, MAX_LIMIT)
        since = self._clock() - timedelta(days=threshold_days)
        found = await self._memory.unused(user_id, since, kinds=MEMORIES, edges=False, limit=limit)
        return await listing.shown(self._memory, user_id, found)

    async def export_user_data(self, user_id: str) -> Shape:
        """Return all there is of a user as plain JSON (`import_user_data`); who is not there is a `ValueError`."""
        return await transfer.export_user_data(self._memory, user_id)

    async def import_user_data(self, data: Mapping[str, Any], user_id: str | None = None) -> Shape:
        """Bring in what `export_user_data` gave, for the same user or another; nothing of it may be there yet."""
        return await transfer.import_user_data(self._memory, data, user_id)

    async def delete_user_data(self, user_id: str) -> Shape:
        """Erase all there is of a user; return how many rows of each table, and files, are gone (of nobody: 0)."""
        return await transfer.delete_user_data(self._memory, user_id)

    def _until(self, end: When | None) -> When:
        """The end that is meant; where none is given, the present moment is within."""
        return self._clock() + timedelta.resolution if end is None else end

    def _local(self, start: When) -> datetime:
        given = periods.read(start) if isinstance(start, str) else start
        return given if isinstance(given, datetime) and given.tzinfo else self._clock()
