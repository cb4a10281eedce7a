"""From ranked rows to hits: passages, what was drawn from them, and what reverse provenance expansion adds.

It knows no question; ranking has been done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias, cast

import numpy as np

from fabula.abc import Embedder, Store
from fabula.expansion import expanded
from fabula.holding import held_at
from fabula.index import Bools, Index, Ints
from fabula.question import Question
from fabula.ranking import Ranking
from fabula.relations import HOLDS
from fabula.text import hash_term, script
from fabula.timeline import about
from fabula.types import Fact, Hit, Interval, Kind, Passage, Plan, Record

Rate: TypeAlias = Callable[[Record, float, float], float]
"""Rates a record by its cosine with the question and its share of the question's words."""
CONFIDENT: Final = 10
"""How many of the best passages tell whether anything is known."""
OVER: Final = 0.5
"""What is left of the score of a fact that no longer holds, where the question is about the present; or that held at
none of the times that it names."""
NEAR: Final = timedelta(days=3)
"""How far from a time that is asked about a fact may lie: "last weekend" is seldom exact."""
UNDATED: Final = 0.9
"""What is left of the score of a fact or frame without a time, where the question asks when, or how long: a length
is told by two dates."""
MANY: Final = 3
"""How many times as many facts come back where the question asks for several things."""
LEADING: Final = 5
"""How many of the best facts bring the others of their subject and relation with them, where several are asked for."""
ALONG: Final = 0.97
"""What these have of the score of the fact that brings them: they stand behind it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a ranking found, and how to fetch it."""

    store: Store
    scope: str
    index: Index
    ranked: Ranking
    plan: Plan
    rate: Rate
    allowed: Bools
    """Which passages the plan's filters let through."""
    as_of: datetime | None = None
    then: Bools | None = None
    """Which passages may come back where the plan asks about a time; the others tell only what was drawn from them."""

    async def passages(self) -> list[Hit]:
        """Return the best passages: as many as are wanted, and enough to tell whether anything is known."""
        return await self._said(np.arange(len(self.ranked.rows))[: max(self.plan.limit, CONFIDENT)])

    async def _said(self, places: Ints) -> list[Hit]:
        """The passages at these places of the ranking."""
        numbers = self.index.of("passage").number[self.ranked.rows[places]].tolist()
        found = await self.store.fetch(self.scope, numbers)
        hits: list[Hit] = []
        for place, number in zip(places.tolist(), numbers, strict=True):
            record = found.get(number)
            if record is not None:  # forgotten since the index was read
                parts = {name: float(values[place]) for name, values in self.ranked.features.items()}
                # What was asked before tells nothing of whether the answer is known.
                parts["relevance"] = self.rate(record, parts["cosine"], parts["covered"]) * (1 - parts["echo"])
                hits.append(Hit(record=record, score=float(self.ranked.scores[place]), parts=parts))
        return hits

    async def hits(self, best: Sequence[Hit], asked: Question, at: datetime) -> list[Hit]:
        """Return what is wanted of the best passages and of what was drawn from them, best first.

        `asked` is what the question, asked at `at`, says of its answer: several things, a time, what holds now.
        """
        places = np.arange(min(len(best), self.plan.limit))
        said = [hit for hit in best[: self.plan.limit] if self._good(hit)]
        made: dict[str, Hit] = {}
        for kind in self.plan.kinds:
            if kind in self.ranked.keys:
                own = await self._keys(kind, many=asked.many)
                own = [*own, *await self._along(own)] if asked.many and kind == "fact" else own
                made |= {hit.record.id: hit for hit in own if self._good(hit)}
        others: list[Kind] = [kind for kind in self.plan.kinds if kind != "passage"]
        ids = [hit.record.id for hit in said]
        cited = await self.store.citing(self.scope, ids, others, self.as_of) if others and said else []
        for hit in _inherited([record for record in cited if record.status != "archived"], said):
            made.setdefault(hit.record.id, hit)
        if self.then is not None:
            places = np.flatnonzero(self.then[self.ranked.rows])[: self.plan.limit]
            said = [hit for hit in await self._said(places) if self._good(hit)]
        more = await self._more(places) if said and self.plan.expand and "passage" in self.plan.kinds else []
        found = [*(hit for hit in said if "passage" in self.plan.kinds), *more]
        then = self.plan.valid_at
        fitting = (hit for hit in made.values() if then is None or held_at(hit.record, then))
        drawn = [_fitting(hit, asked, then or at) for hit in fitting]
        return _limited([*found, *sorted(drawn, key=_rank)], self.plan, many=asked.many)

    async def _keys(self, kind: Kind, *, many: bool) -> list[Hit]:
        """The facts or frames that answer best, whichever passages they are of."""
        own = self.ranked.keys[kind]
        count = self.plan.limit * (MANY if many and kind == "fact" else 1)
        numbers = self.index.of(kind).number[own.rows[:count]].tolist()
        found = await self.store.fetch(self.scope, numbers)
        hits: list[Hit] = []
        for place, number in enumerate(numbers):
            if (record := found.get(number)) is not None:
                cosine, covered = float(own.cosine[place]), float(own.covered[place])
                parts = {"cosine": cosine, "covered": covered, "relevance": self.rate(record, cosine, covered)}
                hits.append(Hit(record=record, score=float(own.scores[place]), parts=parts))
        return hits

    async def _along(self, hits: Sequence[Hit]) -> list[Hit]:
        """All facts of the subjects and relations that the best facts are of, each behind the first of its kind."""
        field = self.index.of("fact")
        by_row: dict[int, Hit] = {}
        for hit in hits[:LEADING]:
            fact = cast(Fact, hit.record)
            for who in fact.links.get("subject", ()) if about(fact) else ():
                mine = field.tied("subject", hash_term(who))
                mine = np.intersect1d(mine, field.bearing(hash_term(HOLDS + about(fact))))
                for row in mine[-self.plan.limit * MANY :].tolist():  # the latest
                    by_row.setdefault(row, hit)
        numbers = dict(zip(field.number[list(by_row)].tolist(), by_row.values(), strict=True))
        known = {hit.record.id: hit for hit in hits}
        found: list[Hit] = []
        for number, record in (await self.store.fetch(self.scope, list(numbers))).items():
            first, own = numbers[number], known.get(record.id)
            score = first.score * ALONG
            if record.id != first.record.id and (own is None or own.score < score):
                found.append(Hit(record=record, score=score, parts=own.parts if own else first.parts))
        return found

    async def _more(self, places: Ints) -> list[Hit]:
        """Further passages, by reverse provenance expansion from those at these places of the ranking."""
        allowed = self.allowed if self.then is None else self.allowed & self.then
        rows, scores, ways = expanded(self.index, self.ranked, places, self.plan.expand, allowed)
        numbers = self.index.of("passage").number[rows].tolist()
        found = await self.store.fetch(self.scope, numbers)
        there = zip(numbers, scores.tolist(), ways, strict=True)
        return [
            Hit(record=found[number], score=score, parts={f"expanded_{way}": score})
            for number, score, way in there
            if number in found
        ]

    def _good(self, hit: Hit) -> bool:
        score, relevance = self.plan.min_score, self.plan.min_relevance
        return (score is None or hit.score >= score) and (relevance is None or hit.relevance >= relevance)


def _rank(hit: Hit) -> float:
    return -hit.score


def _fitting(hit: Hit, asked: Question, at: datetime) -> Hit:
    """The hit, with less of its score where it says no time and one is asked for, or where what it says is over."""
    record, share = hit.record, 1.0
    held = record.valid if isinstance(record, Fact) else None
    if held is not None and (_over(held, at) if asked.current else asked.windows and not _within(held, asked.windows)):
        share = OVER
    if asked.timed and record.valid is None:
        share *= UNDATED
    return Hit(record=record, score=hit.score * share, parts=hit.parts) if share < 1 else hit


def _over(held: Interval, at: datetime) -> bool:
    return held.end is not None and held.end <= at


def _within(held: Interval, windows: Sequence[Interval]) -> bool:
    """Whether a fact held within `NEAR` of one of the times that are asked about."""
    return any(
        (held.start is None or window.end is None or held.start <= window.end + NEAR)
        and (held.end is None or window.start is None or window.start - NEAR <= held.end)
        for window in windows
    )


def _inherited(derived: Sequence[Record], hits: Sequence[Hit]) -> list[Hit]:
    """What was made from the hits, each with the score of the best passage it was made from."""
    best = {hit.record.id: hit for hit in reversed(hits)}
    found: list[Hit] = []
    for record in derived:
        if cited := [best[source] for source in record.sources if source in best]:
            top = max(cited, key=lambda hit: hit.score)
            found.append(Hit(record=record, score=top.score, parts=top.parts))
    return found


def _limited(hits: Sequence[Hit], plan: Plan, *, many: bool) -> list[Hit]:
    """As many of each kind as are wanted, best first."""
    counts: dict[str, int] = {}
    kept: list[Hit] = []
    most = {"passage": plan.limit + plan.expand, "fact": plan.limit * (MANY if many else 1)}
    for hit in sorted(hits, key=_rank):
        kind = hit.record.kind
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= most.get(kind, plan.limit):
            kept.append(hit)
    return kept


def rated(query: str, embedder: Embedder | None) -> Rate:
    """How surely a record has to do with the question, 0–1: by meaning, and by how many of its words it has.

    A logistic curve; its slopes were read off questions of LoCoMo asked of their own and of other conversations
    (`python -m bench confidence`). Words cannot be expected across scripts; a passage without any has no script.
    """
    asked = script(query)

    def rate(record: Record, cosine: float, covered: float) -> float:
        if embedder is None:
            return min(covered, 1.0)
        told = script(record.text)
        alike = float(embedder.similarity(np.array([cosine], np.float32), role="query", scripts=(asked, told))[0])
        wordless = isinstance(record, Passage) and record.wordless
        words = 5 * (covered - 0.5) if told == asked or (wordless and not cosine) else 0.0
        return float(1 / (1 + np.exp(-(4 * alike - 3.4 + words))))

    return rate
