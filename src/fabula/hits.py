"""From ranked rows to hits: passages, what was drawn from them, and what reverse provenance expansion adds.

It knows no question; ranking has been done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, cast

import numpy as np

from fabula import weighing
from fabula.abc import Embedder, Store
from fabula.expansion import expanded
from fabula.feelings import felt
from fabula.index import Bools, Index, Ints
from fabula.narrowing import fits
from fabula.question import Question
from fabula.ranking import KeyRanking, Ranking
from fabula.relations import HOLDS
from fabula.remember import says_more
from fabula.scoring import Cue
from fabula.scripts import foreign
from fabula.standing import STANDING, nearest, standing
from fabula.text import hash_term, script
from fabula.timeline import about
from fabula.types import Access, Emotion, Fact, Hit, Insight, Interval, Kind, Passage, Plan, Record

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
SEEN: Final = 2000
"""How many of the latest rows tell how near to a question a scope is as a whole."""
SOME: Final = 10
"""How many rows weigh as much, in that, as what is known of unrelated texts."""
ALONG: Final = 0.97
"""What these have of the score of the fact that brings them: they stand behind it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How a record is rated by its cosine with the question and its share of the question's words."""

    asked: str
    """The script of the question."""
    embedder: Embedder | None

    @classmethod
    def of(cls, query: str, embedder: Embedder | None) -> Rate:
        """Rate by a question; without an embedder by its words alone."""
        return cls(script(query), embedder)

    def relevance(self, record: Record, cosine: float, covered: float) -> float:
        """Return how surely the record has to do with the question, 0–1.

        A logistic curve; its slopes were read off questions of LoCoMo asked of their own and of other conversations
        (`python -m bench confidence`). Words cannot be expected across scripts; a passage without any has no script.
        """
        if self.embedder is None:
            return min(covered, 1.0)
        told = script(record.text)
        wordless = isinstance(record, Passage) and record.wordless
        words = 5 * (covered - 0.5) if told == self.asked or (wordless and not cosine) else 0.0
        return float(1 / (1 + np.exp(-(4 * self._alike(cosine, told) - 3.4 + words))))

    def similarity(self, record: Record, cosine: float, lifted: float, above: float) -> dict[str, float]:
        """Return the calibrated similarity as a part of a hit; nothing where the record has no vector.

        A cosine that was lifted, for the other script's texts are further from every question, counts as one within
        the question's script. All are lowered by what this question's are `above` those of unrelated texts.
        """
        if self.embedder is None or not cosine:
            return {}
        return {"similarity": self._alike(lifted - above, self.asked if lifted > cosine else script(record.text))}

    def above(self, index: Index, cue: Cue, kind: Kind) -> float:
        """Return by how much half of the rows of a kind are nearer to the question than unrelated texts are; 0 where
        they are not, or what unrelated ones are is not known.

        Most of what somebody tells has nothing to do with a question: where all of it is near, it is not near.
        """
        field = index.of(kind)
        rows = np.flatnonzero(field.embedded[-SEEN:]) + max(len(field) - SEEN, 0)
        if self.embedder is None or not len(rows):
            return 0.0
        strange = foreign(index, kind, han=self.asked == "han")[rows]
        own = rows[strange == 0] if (strange == 0).any() else rows
        told = self.asked if (strange == 0).any() else "latin" if self.asked == "han" else "han"
        unrelated = self.embedder.unrelated(role="query", scripts=(self.asked, told))
        if not unrelated or cue.vector is None or field.vectors.shape[1] != len(cue.vector):
            return 0.0
        median = float(np.median(np.vecdot(field.vectors[own], cue.vector)))
        return max(median - unrelated, 0.0) * len(own) / (len(own) + SOME)

    def _alike(self, cosine: float, told: str) -> float:
        if self.embedder is None:
            return 0.0
        value = np.array([cosine], np.float32)
        return float(self.embedder.similarity(value, role="query", scripts=(self.asked, told))[0])


@dataclass(frozen=True, slots=True)
class Answer:
    """What a ranking found, and how to fetch it."""

    store: Store
    scope: str
    query: str
    index: Index
    cue: Cue
    asked: Question
    """What the question says of its answer: several things, a time, what holds now."""
    ranked: Ranking
    plan: Plan
    rate: Rate
    allowed: Bools
    """Which passages the plan's filters let through."""
    at: datetime
    """The asker's present."""
    as_of: datetime | None = None
    then: Bools | None = None
    """Which passages may come back where the plan asks about a time; the others tell only what was drawn from them."""

    @property
    def _depth(self) -> int:
        """How many of each kind are looked at: more than are wanted where age and importance choose among them."""
        return weighing.depth(self.plan.limit) if self.plan.factors is not None else self.plan.limit

    def _above(self, kind: Kind) -> float:
        return self.rate.above(self.index, self.cue, kind) if self.plan.factors is not None else 0.0

    async def found(self) -> tuple[list[Hit], float]:
        """Return what is wanted, best first, and how surely anything is known."""
        if self.plan.fusion == "similarity":
            hits = await self.nearest()
            return hits, max((hit.relevance for hit in hits), default=0.0)
        best, own = await self.passages(), await self.standing()
        telling = [*best[:CONFIDENT], *own[:CONFIDENT]]
        return await self.hits(best, own), max((hit.relevance for hit in telling), default=0.0)

    async def passages(self) -> list[Hit]:
        """Return the best passages: as many as are wanted, and enough to tell whether anything is known."""
        return await self._said(np.arange(len(self.ranked.rows))[: max(self._depth, CONFIDENT)])

    async def _said(self, places: Ints) -> list[Hit]:
        """The passages at these places of the ranking."""
        numbers = self.index.of("passage").number[self.ranked.rows[places]].tolist()
        found = await self.store.fetch(self.scope, numbers)
        hits: list[Hit] = []
        above = self._above("passage")
        rows = self.ranked.rows[places].tolist()
        for place, row, number in zip(places.tolist(), rows, numbers, strict=True):
            record = found.get(number)
            if record is not None:  # forgotten since the index was read
                parts = {name: float(values[place]) for name, values in self.ranked.features.items()}
                # What was asked before tells nothing of whether the answer is known.
                relevance = self.rate.relevance(record, parts["cosine"], parts["covered"])
                parts["relevance"] = relevance * (1 - parts["echo"])
                parts |= self.rate.similarity(record, parts["cosine"], parts.pop("lifted"), above)
                if self.plan.factors is not None and record.valid is not None and record.valid.start is not None:
                    parts["told"] = record.valid.start.timestamp()
                emotion = self._felt("passage", row, record)
                hits.append(Hit(record=record, score=float(self.ranked.scores[place]), parts=parts, emotion=emotion))
        return hits

    def _felt(self, kind: Kind, row: int, record: Record) -> Emotion | None:
        """How a record felt; nothing is estimated where nothing is weighed by it."""
        if self.plan.factors is None:
            return None
        field = self.index.of(kind)
        return felt(record, field.vectors[row] if field.embedded[row] else None, self.index.space)

    async def standing(self) -> list[Hit]:
        """Return what is wanted of what stands on its own, each with how surely it has to do with the question."""
        if self.plan.session is not None or self.plan.speaker is not None or self.plan.during is not None:
            return []
        hits: list[Hit] = []
        for kind in STANDING:
            if kind in self.plan.kinds and (own := standing(self.index, self.cue, kind)) is not None:
                # Two or three ranked by what they say can stand in each other's place: the ratings decide.
                some = await self._fetched(kind, own, max(self._depth, CONFIDENT))
                hits += [replace(h, score=h.relevance, parts={**h.parts, "standing": 1.0}) for h in some]
        return sorted(hits, key=_rank)

    async def nearest(self) -> list[Hit]:
        """Return what is nearest to the question by meaning alone, of every kind that is wanted.

        What has no vector of its own, since rules drew it, is as near as the nearest passage it was drawn from.
        """
        said = await self._nearest("passage", self.allowed if self.then is None else self.allowed & self.then)
        hits = {hit.record.id: hit for hit in said if "passage" in self.plan.kinds}
        others: list[Kind] = [kind for kind in self.plan.kinds if kind != "passage"]
        ids = [hit.record.id for hit in said]
        cited = await self.store.citing(self.scope, ids, others, self.as_of) if others and said else []
        repeating = [record for record in cited if record.status != "archived" and not says_more(record)]
        hits |= {hit.record.id: hit for hit in _inherited(repeating, said) if fits(hit.record, self.plan)}
        for kind in others:
            wanted = np.ones(len(self.index.of(kind)), np.bool_)
            hits |= {hit.record.id: hit for hit in await self._nearest(kind, wanted)}
        return _limited([hit for hit in hits.values() if self._good(hit)], self.plan, many=False)

    async def _nearest(self, kind: Kind, wanted: Bools) -> list[Hit]:
        rows, cosine = nearest(self.index, self.cue, kind, wanted, self.plan.limit)
        numbers = self.index.of(kind).number[rows].tolist()
        found = await self.store.fetch(self.scope, numbers)
        hits: list[Hit] = []
        for number, near in zip(numbers, cosine.tolist(), strict=True):
            if (record := found.get(number)) is not None:
                parts = {"cosine": near, "relevance": self.rate.relevance(record, near, 0.5)}
                hits.append(Hit(record=record, score=max(near, 0.0), parts=parts))
        return hits

    async def hits(self, best: Sequence[Hit], own: Sequence[Hit]) -> list[Hit]:
        """Return what is wanted of the best passages, of what was drawn from them and of what stands on its own,
        best first."""
        asked = self.asked
        places = np.arange(min(len(best), self._depth))
        said = [hit for hit in best[: self._depth] if self._good(hit)]
        made: dict[str, Hit] = {}
        for kind in self.plan.kinds:
            if kind in self.ranked.keys:
                count = self._depth * (MANY if asked.many and kind == "fact" else 1)
                keyed = await self._fetched(kind, self.ranked.keys[kind], count)
                keyed = [*keyed, *await self._along(keyed)] if asked.many and kind == "fact" else keyed
                made |= {hit.record.id: hit for hit in keyed if self._good(hit)}
        others: list[Kind] = [kind for kind in self.plan.kinds if kind != "passage"]
        ids = [hit.record.id for hit in said]
        cited = await self.store.citing(self.scope, ids, others, self.as_of) if others and said else []
        for hit in _inherited([record for record in cited if record.status != "archived"], said):
            if not isinstance(hit.record, Insight) and fits(hit.record, self.plan):
                made.setdefault(hit.record.id, hit)
        made |= {hit.record.id: hit for hit in own if self._good(hit)}
        if self.then is not None:
            places = np.flatnonzero(self.then[self.ranked.rows])[: self._depth]
            said = [hit for hit in await self._said(places) if self._good(hit)]
        more = await self._more(places) if said and self.plan.expand and "passage" in self.plan.kinds else []
        found = [*(hit for hit in said if "passage" in self.plan.kinds), *more]
        then = self.plan.valid_at or self.at
        drawn = [_fitting(hit, asked, then) for hit in made.values()]
        found = [*found, *sorted(drawn, key=_rank)]
        if self.plan.factors is not None:
            known = await self._accessed(found) if self.plan.factors.rehearsal else {}
            found = weighing.weighed(found, self.plan.factors, self.query, then, known)
        return _limited(found, self.plan, many=asked.many)

    async def _accessed(self, hits: Sequence[Hit]) -> dict[str, Access]:
        return await self.store.accessed(self.scope, [hit.record.id for hit in hits])

    async def _fetched(self, kind: Kind, own: KeyRanking, count: int) -> list[Hit]:
        """The records of a kind that answer best."""
        passages = self.index.of("passage")
        numbers = self.index.of(kind).number[own.rows[:count]].tolist()
        found = await self.store.fetch(self.scope, numbers)
        hits: list[Hit] = []
        above = self._above(kind)
        for place, number in enumerate(numbers):
            if (record := found.get(number)) is not None:
                cosine, covered = float(own.cosine[place]), float(own.covered[place])
                relevance = self.rate.relevance(record, cosine, covered)
                parts = {"cosine": cosine, "covered": covered, "relevance": relevance}
                parts |= self.rate.similarity(record, cosine, float(own.lifted[place]), above)
                if self.plan.factors is not None and own.best[place] >= 0:
                    parts["told"] = float(passages.valid_from[own.best[place]])
                emotion = self._felt(kind, int(own.rows[place]), record)
                hits.append(Hit(record=record, score=float(own.scores[place]), parts=parts, emotion=emotion))
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
                found.append(replace(own or first, record=record, score=score))
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
    return replace(hit, score=hit.score * share) if share < 1 else hit


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
            found.append(replace(top, record=record, emotion=record.emotion or top.emotion))
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
