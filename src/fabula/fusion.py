"""Frames that tell of the same happening become one: at once, when ten have gathered, and where a fact was overturned.

Nothing is rewritten in place: the earlier frame gets a new version with what both say, the other one ends. What a
caller wrote, and nobody said, stays as it is. Asks a language model where there is one. Knows no passage, and nothing
of how frames are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from fabula.abc import LLM, Changes, Clock, Embedder, Lease, Pending, Store, Task
from fabula.extract import entry_of
from fabula.frames import CONTESTED, added, groups, kindred, listed, people, soon, united
from fabula.index import FOREVER, Field, Floats, Index
from fabula.names import normal
from fabula.prompts import JUDGEMENT_SCHEMA, judgement_messages
from fabula.remember import hiding, through
from fabula.replies import parsed, verdicts
from fabula.settings import Settings
from fabula.standing import alone
from fabula.text import fold, hash_term, script
from fabula.timeline import SUPERSEDED_BY
from fabula.types import CREATED, NOTHING, Fact, Frame

AT_ONCE: Final = 0.7
"""Calibrated similarity above which a frame joins the one before it in its session."""
GATHERED: Final = 0.85
"""The same for frames of any session, when they are clustered."""
UNRELATED: Final = 0.5
"""As alike as unrelated texts get: below it, a language model is not asked."""
GATHER: Final = 10
"""How many unfused frames are clustered together, while there is more to extract."""
QUEUE: Final = 50
"""How many unfused frames a scope may have: what would bring more is not extracted before."""
REACH: Final = 50
"""How many frames an overturned fact may touch, the latest first."""
NEAREST: Final = 16
"""How many of the nearest frames are fetched for one."""
ANSWER: Final = 4096
"""Tokens of a judgement, at most."""
ALL: Final = 1000
"""More work than a queue can hold."""


@dataclass(frozen=True, slots=True)
class _Met:
    """A frame with its vector."""

    frame: Frame
    vector: Floats


class Fusion:
    """Fuses the frames of one scope while its lease is held.

    What is left to do is pending work: a frame that was not held against others yet, a fact that ended and was not
    held against the frames it is told in. Each step is one transaction, and strikes the work that it did.
    """

    def __init__(
        self, store: Store, embedder: Embedder, llm: LLM | None, settings: Settings, lease: Lease, clock: Clock
    ) -> None:
        self._store, self._embedder, self._llm = store, embedder, llm
        self._settings, self._lease, self._clock = settings, lease, clock
        self._scope = lease.scope

    async def join(self, work: Sequence[Pending]) -> None:
        """Let each new frame join the one before it in its session, where they tell of the same; the others stay."""
        index, met = await self._meet(work)
        last = await self._before(index, met)
        made: dict[str, Frame] = {}
        took: list[str] = []
        for each in met:
            before = last.get(each.frame.session)
            last[each.frame.session] = each
            if before is None or not _joins(before.frame, each.frame) or self._alike(before, each) <= AT_ONCE:
                continue
            whole = united(before.frame, each.frame)
            if whole is not None:
                made[whole.id] = whole
                took.append(each.frame.id)
                # The next is held against what came last, and joins all of it.
                last[each.frame.session] = replace(each, frame=whole)
        if took:
            await self._write(made, close=took, done=[*took, *made])

    async def parts(self, work: Sequence[Pending], *, more: bool) -> tuple[list[list[Pending]], list[Pending]]:
        """Return the parts of `work` to be fused together, and what waits: for a vector or, if `more`, for company."""
        _, met = await self._meet(work)
        ready = {each.frame.id for each in met}
        records = await self._store.get(self._scope, [piece.id for piece in work])
        frames = [piece for piece in work if piece.id in ready]
        overturned = [piece for piece in work if not isinstance(records.get(piece.id), Frame)]
        waiting = [piece for piece in work if piece not in frames and piece not in overturned]
        size, step = (GATHER, len(frames) or 1) if self._llm is None else (self._settings.judged,) * 2
        parts = [frames[start : start + step] for start in range(0, len(frames), step)]
        if more and parts and len(parts[-1]) < size:
            waiting += parts.pop()
        return [*parts, *([overturned] if overturned else [])], waiting

    async def fuse(self, part: Sequence[Pending]) -> None:
        """Fuse one of the `parts`. Raises a `ProviderError` where a language model was asked and gave no answer."""
        index, met = await self._meet(part)
        records = await self._store.get(self._scope, [piece.id for piece in part])
        facts = [fact for fact in records.values() if isinstance(fact, Fact) and fact.status == "superseded"]
        done = [piece.id for piece in part]
        if facts:
            met = await self._contest(index, facts)
        if self._llm is not None:
            near = _among(met, self._embedder) if facts else await self._near(index, met)
            await self._judge(self._llm, index, near, facts, done)
        elif facts:
            await self._write({}, done=done)
        else:
            await self._cluster(index, await self._near(index, met), done)

    async def _cluster(self, index: Index, found: Nearest, done: Sequence[str]) -> None:
        known = {each.frame.id: each.frame for each, _ in found}
        pairs: list[tuple[str, str]] = []
        for each, near in found:
            for other, alike in near:
                if alike > GATHERED and soon(each.frame, other) and people(each.frame) & people(other):
                    pairs.append((each.frame.id, other.id))
                    known[other.id] = other
        await self._merge(index, known, groups(pairs), {}, done)

    async def _judge(
        self, llm: LLM, index: Index, found: Nearest, facts: Sequence[Fact], done: Sequence[str]
    ) -> None:  # fmt: skip
        """Ask in one call which frames belong to which of those like them."""
        most = self._settings.candidates
        likely = [(each.frame, [other for other, alike in near if alike > UNRELATED][:most]) for each, near in found]
        judged = [(frame, others) for frame, others in likely if others]
        candidates = list({other.id: other for _, others in judged for other in others}.values())
        places = {candidate.id: place for place, candidate in enumerate(candidates)}
        offered = [[places[other.id] for other in others] for _, others in judged]
        pairs: list[tuple[str, str]] = []
        summaries: dict[str, str] = {}
        if judged:
            shown = [(frame, numbers) for (frame, _), numbers in zip(judged, offered, strict=True)]
            messages = judgement_messages(shown, candidates, [fact.text for fact in facts])
            reply = await llm.chat(messages, max_tokens=ANSWER, schema=JUDGEMENT_SCHEMA)
            for verdict in verdicts(through(parsed(reply.text), hiding(self._settings)), offered):
                frame, target = judged[verdict.frame][0], candidates[verdict.target]
                pairs.append((frame.id, target.id))
                summaries[frame.id] = verdict.summary
        # The model has thought for a while: what was forgotten meanwhile must not come back, neither as a frame nor in
        # a summary, whichever frame it is of.
        seen = {record.id: record for record in (*facts, *candidates, *(frame for frame, _ in judged))}
        now = await self._store.get(self._scope, sorted(seen))
        same = [one for one in now.values() if (one.text, one.sources) == (seen[one.id].text, seen[one.id].sources)]
        if len(same) < len(seen):
            summaries = {}
        known = {frame.id: frame for frame in same if isinstance(frame, Frame)}
        pairs = [pair for pair in pairs if known.keys() >= set(pair)]
        await self._merge(index, known, groups(pairs), summaries, done)

    # --- what was overturned ---

    async def _contest(self, index: Index, facts: Sequence[Fact]) -> list[_Met]:
        """Mark the frames that tell of what no longer holds, the latest of them; return them."""
        told: dict[str, tuple[int, Frame]] = {}
        fresh: set[str] = set()  # those that were marked by an attempt before keep their version
        for fact in facts:
            for number, frame in (await self._telling(index.of("frame"), fact)).items():
                _, frame = told.get(frame.id, (number, frame))
                contested = dict.fromkeys((*listed(frame, CONTESTED), fact.id))
                fresh |= {frame.id} if len(contested) > len(listed(frame, CONTESTED)) else set()
                told[frame.id] = number, replace(frame, meta={**frame.meta, CONTESTED: [*contested]})
        latest = sorted(told.values(), key=lambda pair: pair[0])[-REACH:]
        vectors = await self._vectors(index, [number for number, _ in latest])
        marked = {frame.id: frame for number, frame in latest if number in vectors and frame.id in fresh}
        if marked:
            await self._write(marked, vectors={frame.id: vectors[n] for n, frame in latest if frame.id in marked})
        return [_Met(frame, vectors[number]) for number, frame in latest if number in vectors]

    async def _telling(self, field: Field, fact: Fact) -> dict[int, Frame]:
        """The live frames that name a fact's subject and its object, or come from where it does, by number."""
        by = (await self._store.get(self._scope, [fact.meta.get(SUPERSEDED_BY, "")])).values()
        change = {source for record in by for source in record.sources}
        about = field.tied("names", *map(hash_term, fact.links.get("subject", ())))
        rows = np.union1d(about, field.tied("cites", *map(hash_term, fact.sources)))
        found = await self._store.fetch(self._scope, field.number[rows[-4 * REACH :]].tolist())
        thing = normal(fact.object) if fact.object else ""
        return {
            number: frame
            for number, frame in found.items()
            if isinstance(frame, Frame)
            and _fusible(frame)
            and (thing in fold(frame.text) or not set(fact.sources).isdisjoint(frame.sources))
            and change.isdisjoint(frame.sources)  # it tells of the change itself
        }

    # --- looking ---

    async def _meet(self, work: Sequence[Pending]) -> tuple[Index, list[_Met]]:
        """The frames of `work` that have a vector, in the order of sessions and arrival."""
        index = await self._store.load(self._scope, self._embedder.space)
        records = await self._store.get(self._scope, [piece.id for piece in work])
        vectors = await self._vectors(index, [piece.number for piece in work])
        return index, [
            _Met(frame, vectors[piece.number])
            for piece in work
            if isinstance(frame := records.get(piece.id), Frame) and piece.number in vectors
        ]

    async def _vectors(self, index: Index, numbers: Sequence[int]) -> dict[int, Floats]:
        if index.apart:
            index = index.extended({}, [await self._store.vectors(self._scope, index.space, numbers)])
        field = index.of("frame")
        rows = field.rows_of(np.array(numbers, np.int64)).tolist()
        return {n: field.vectors[row] for n, row in zip(numbers, rows, strict=True) if row >= 0 and field.embedded[row]}

    async def _before(self, index: Index, met: Sequence[_Met]) -> dict[str, _Met]:
        """By session, the live frame that came last before the first of `met`."""
        field = index.of("frame")
        found: dict[str, _Met] = {}
        for session in dict.fromkeys(each.frame.session for each in met):
            first = min(_born(field, each.frame.id) for each in met if each.frame.session == session)
            rows = np.flatnonzero((field.session == index.sessions.get(session, -1)) & ~alone(field, "frame"))
            _, born, again = np.unique(field.key[rows], return_index=True, return_inverse=True)
            since = rows[born[again]]
            earlier = (field.recorded_to[rows] == FOREVER) & (since < first)
            if not earlier.any():
                continue
            number = int(field.number[rows[earlier][since[earlier].argmax()]])
            frame = (await self._store.fetch(self._scope, [number])).get(number)
            vector = (await self._vectors(index, [number])).get(number)
            if isinstance(frame, Frame) and _fusible(frame) and vector is not None:
                found[session] = _Met(frame, vector)
        return found

    def _alike(self, one: _Met, other: _Met) -> float:
        return _similar(self._embedder, one.frame, other.frame, float(one.vector @ other.vector))

    async def _near(self, index: Index, met: Sequence[_Met]) -> Nearest:
        """The live frames nearest to each of `met`, with their calibrated similarity, the most alike first."""
        best = [await self._best(index, each) for each in met]
        fetched = await self._store.fetch(self._scope, sorted({number for near in best for number in near}))
        frames = {n: f for n, f in fetched.items() if isinstance(f, Frame) and _fusible(f)}
        return [
            (each, _ranked(self._embedder, each.frame, [(frames[n], cos) for n, cos in near.items() if n in frames]))
            for each, near in zip(met, best, strict=True)
        ]

    async def _best(self, index: Index, each: _Met) -> dict[int, float]:
        """The numbers and cosines of the live frames nearest to one, itself among them."""
        if index.apart:
            nearest = await self._store.nearest(self._scope, index.space, each.vector, 8 * NEAREST)
            index = index.extended({}, [nearest])
        field = index.of("frame")
        cosines = field.vectors[: len(field)] @ each.vector
        cosines[(field.recorded_to < FOREVER) | ~field.embedded | alone(field, "frame")] = -np.inf
        top = np.argsort(-cosines, kind="stable")[:NEAREST]
        return dict(zip(field.number[top].tolist(), cosines[top].tolist(), strict=True))

    # --- keeping ---

    async def _merge(
        self, index: Index, known: Mapping[str, Frame], found: Sequence[set[str]], summaries: Mapping[str, str],
        done: Sequence[str],
    ) -> None:  # fmt: skip
        """Make each of the groups `found` one frame, the earliest, as far as it can take the others in."""
        field = index.of("frame")
        made: dict[str, Frame] = {}
        took: list[str] = []
        for group in found:
            first, *others = sorted(group, key=lambda record_id: _born(field, record_id))
            whole = known[first]
            for other in others:
                given = summaries.get(other) or summaries.get(first, "")
                if len(others) > 1:  # it is of two of them
                    given = added(whole.text, summaries.get(other) or known[other].text)
                joined = united(whole, known[other], given)
                if joined is not None:
                    whole = made[first] = joined
                    took.append(other)
        await self._write(made, close=took, done=done)

    async def _write(
        self, made: Mapping[str, Frame], *, close: Sequence[str] = (), done: Sequence[str] = (),
        vectors: Mapping[str, Floats] = NOTHING,
    ) -> None:  # fmt: skip
        """Write new versions, in one transaction. What keeps its text keeps its vector, and its place in the queue."""
        queued: set[str] = set()
        if vectors:
            queued = {piece.id for piece in await self._store.pending(self._scope, "fuse", ALL)}
        struck: list[tuple[Task, str]] = [("fuse", record_id) for record_id in done]
        put = [
            replace(entry_of(frame, fuse=frame.id in queued), tasks=("fuse",) * (frame.id in queued))
            if frame.id in vectors
            else entry_of(frame)
            for frame in made.values()
        ]
        space = self._embedder.space if vectors else ""
        await self._store.write(
            self._scope,
            Changes(put=tuple(put), close=tuple(close), vectors=vectors, space=space, done=tuple(struck),
                    at=self._clock()),
            self._lease,
        )  # fmt: skip


def _fusible(frame: Frame) -> bool:
    """Whether a frame may become another's: it is live, and says what was drawn from talk, not what a caller wrote."""
    return frame.status == "live" and bool(frame.sources) and CREATED not in frame.meta


def _joins(before: Frame, frame: Frame) -> bool:
    """Whether a frame may join the one before it: they share somebody or a time, and are not of different times."""
    timed = before.valid is not None and frame.valid is not None
    return kindred(before, frame) and (soon(before, frame) or not timed)


Nearest: TypeAlias = list[tuple[_Met, list[tuple[Frame, float]]]]
"""Frames, each with those like it and how alike they are."""


def _among(met: Sequence[_Met], embedder: Embedder) -> Nearest:
    """Each of `met` with the others."""
    return [
        (each, _ranked(embedder, each.frame, [(other.frame, float(each.vector @ other.vector)) for other in met]))
        for each in met
    ]


def _ranked(embedder: Embedder, frame: Frame, others: Iterable[tuple[Frame, float]]) -> list[tuple[Frame, float]]:
    alike = [(other, _similar(embedder, frame, other, cosine)) for other, cosine in others if other.id != frame.id]
    return sorted(alike, key=lambda pair: -pair[1])


def _similar(embedder: Embedder, one: Frame, other: Frame, cosine: float) -> float:
    scripts = (script(one.text), script(other.text))
    return float(embedder.similarity(np.array([cosine], np.float32), scripts=scripts)[0])


def _born(field: Field, record_id: str) -> int:
    """The row of a record's first version."""
    return int(np.flatnonzero(field.key == np.uint64(hash_term(record_id)))[0])
