"""What a memory holds, listed and counted; asks no question and changes nothing."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any, Final, get_args

from fabula import extract as extracting
from fabula import moments as feeling
from fabula.abc import Filter, Pending, Task
from fabula.checking import FARTHEST, an, aware, several, within
from fabula.crew import Crew
from fabula.dated import dated
from fabula.errors import InvalidInput
from fabula.narrowing import edge
from fabula.text import clean, identifier
from fabula.types import KINDS, MAX_LIMIT, Access, EmotionProfile, Interval, Kind, Plan, Record, Session, Stats, Status
from fabula.upkeep import check

DRAWN: Final[tuple[Kind, ...]] = ("frame", "fact", "insight")
"""What is drawn from talk, and may come back or not."""
PAGE: Final = 1000


class Looking:
    """The calls of an `AsyncMemory` that look at what is there."""

    _crew: Crew

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
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        if kind not in KINDS:
            raise InvalidInput(f"kind is one of {', '.join(KINDS)}, not {reprlib.repr(kind)}")
        if status not in (None, *get_args(Status)):
            raise InvalidInput(f"status is None or one of {', '.join(get_args(Status))}, not {reprlib.repr(status)}")
        if limit is not None:
            within("limit", limit, 1)
        an(Interval, during, "during")
        for name, value in (("session", session), ("speaker", speaker), ("mentions", mentions)):
            if value is not None and (not isinstance(value, str) or not value):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InvalidInput(f"{name} is None or a text, not {reprlib.repr(value)}")
        session = None if session is None else identifier(session, "session")
        speaker = None if speaker is None else clean(speaker).strip()
        wanted = Filter(
            kind=kind, session=session, speaker=speaker, during=during, mentions=mentions, status=status,
            limit=PAGE if limit is None else min(PAGE, limit),
        )  # fmt: skip
        found: list[Record] = []
        async with aclosing(ground.store.pages(scope, wanted)) as pages:
            async for page in pages:
                found += [record for _, record in page]
                if len(page) < wanted.limit or (limit is not None and len(found) >= limit):
                    break
        return found[:limit]

    async def dated(
        self,
        scope: str,
        kinds: Sequence[Kind] = DRAWN,
        *,
        during: Interval | None = None,
        sort: str | None = None,
        edges: bool = True,
        exact: timedelta | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[int, list[tuple[datetime, Record]]]:
        """List records by their moments, newest first; archived ones not.

        The moment of a record is when it happened or began to hold, or else when it was told: when the last message it
        was made from was said, or else when it was recorded. What happened at a time that is not known to less than
        `exact` counts by when it was told, too; where that is no time at all (`timedelta(0)`), everything does.

        Return how many there are `during` an interval, and `limit` of them after the first `offset`, each behind its
        moment (UTC). `sort` and `edges` are those of `Plan`. Notes and entities have no place in time.
        """
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        plan = Plan(kinds=tuple(several("kinds", kinds)), sort=sort, edges=edges, during=during)
        if limit is not None:
            within("limit", limit, 1)
        within("offset", offset, 0, FARTHEST)
        return await dated(ground, scope, plan, limit, offset, an(timedelta, exact, "exact"))

    async def get(self, scope: str, record_id: str, *, as_of: datetime | str | None = None) -> Record | None:
        """Return a record by id as it is believed now, or was at `as_of`; `None` where there is none."""
        ground = await self._crew.ready()
        moment = None if as_of is None else aware(as_of)
        wanted = identifier(record_id, "id")
        return (await ground.store.get(identifier(scope, "scope"), [wanted], moment)).get(wanted)

    async def history(self, scope: str, record_id: str) -> list[Record]:
        """Return every version of a record there is, oldest first, with the time in which each was believed."""
        ground = await self._crew.ready()
        return await ground.store.versions(identifier(scope, "scope"), [identifier(record_id, "id")])

    async def accessed(self, scope: str, ids: Sequence[str]) -> dict[str, Access]:
        """Return how often these records came back from `recall` and when, of those that ever did."""
        ground = await self._crew.ready()
        given: Any = ids
        if not isinstance(given, Sequence) or isinstance(given, str | bytes):
            raise InvalidInput("ids is a list of ids")
        return await ground.access.of(identifier(scope, "scope"), [identifier(i, "id") for i in ids])

    async def unused(
        self,
        scope: str,
        since: datetime | str,
        *,
        kinds: Sequence[Kind] = DRAWN,
        edges: bool = True,
        limit: int = 50,
    ) -> list[Record]:
        """Return the live records that have not come back from `recall` since a moment, the longest unused first.

        What never came back counts from when it was first recorded. `edges` is that of `Plan`.
        """
        ground = await self._crew.ready()
        scope, moment = identifier(scope, "scope"), aware(since)
        given: Any = kinds
        if not isinstance(given, Sequence) or isinstance(given, str | bytes) or not {*kinds} <= {*KINDS}:
            raise InvalidInput(f"kinds is a list of {', '.join(KINDS)}, not {reprlib.repr(kinds)}")
        within("limit", limit, 1, MAX_LIMIT)
        await ground.access.write(scope)
        if not isinstance(edges, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"edges is True or False, not {reprlib.repr(edges)}")
        size = limit
        while True:
            page = await ground.store.unused(scope, kinds, moment, size)
            found = [record for record in page if edges or not edge(record)]
            if len(found) >= limit or len(page) < size:
                return found[:limit]
            size *= 4

    async def pending(self, scope: str) -> list[Pending]:
        """Return the work that is left to do in a scope, by task, each with its `attempts` and the last `error`."""
        ground = await self._crew.ready()
        scope = identifier(scope, "scope")
        tasks = [await ground.store.pending(scope, task, extracting.EVERYTHING) for task in get_args(Task)]
        return [piece for work in tasks for piece in work]

    async def sessions(
        self, scope: str, *, limit: int = 50, offset: int = 0, without: str = ""
    ) -> tuple[int, list[Session]]:
        """Return how many sessions a scope has, and up to `limit` of them behind `offset`, the latest told first.

        Those whose id begins with `without` are left out, unless that is blank.
        """
        ground = await self._crew.ready()
        within("limit", limit, 1, MAX_LIMIT)
        within("offset", offset, 0, FARTHEST)
        return await ground.store.sessions(identifier(scope, "scope"), limit=limit, offset=offset, without=without)

    async def feelings(self, scope: str, *, at: datetime | str | None = None) -> EmotionProfile:
        """Return how what a scope tells felt up to `at` (default: now): in the last 14 days, and over all.

        Where a language model said how a frame or fact felt, that counts; of the other messages of users (not of
        assistants or documents) it is estimated from their vectors, which is possible for those of the bundled models,
        in English and Chinese. Nothing is written and no model called. It says nothing of anybody's personality.
        """
        ground = await self._crew.ready()
        now = ground.clock() if at is None else aware(at)
        return await feeling.feelings(ground.store, identifier(scope, "scope"), now)

    async def scopes(self) -> list[str]:
        """Return every scope that holds anything."""
        ground = await self._crew.ready()
        return await ground.store.scopes()

    async def stats(self, scope: str | None = None) -> Stats:
        """Count and measure one scope, or all."""
        ground = await self._crew.ready()
        return await ground.store.stats(None if scope is None else identifier(scope, "scope"))

    async def check(self, scope: str | None = None) -> list[str]:
        """Prove that records, terms, vectors, provenance and pending work agree; return one line a fault."""
        ground = await self._crew.ready()
        name = None if scope is None else identifier(scope, "scope")
        return await check(ground.store, name)
