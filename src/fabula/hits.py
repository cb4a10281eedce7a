"""From ranked rows to hits: passages, what was drawn from them, and what reverse provenance expansion adds.

It knows no question; ranking has been done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple, cast

import numpy as np

from fabula import weighing
from fabula.abc import Store
from fabula.expansion import expanded
from fabula.feelings import all_felt, put_in_a_word
from fabula.index import Bools, Doubles, Floats, Index, Ints
from fabula.narrowing import fits
from fabula.question import Question
from fabula.ranking import KeyRanking, Ranking
from fabula.rating import Rate, scripts
from fabula.relations import HOLDS
from fabula.remember import says_more
from fabula.scoring import Cue
from fabula.standing import STANDING, nearest, standing
from fabula.text import hash_term
from fabula.timeline import about
from fabula.types import Access, Emotion, Fact, Hit, Interval, Kind, Plan, Record

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
EVEN: Final = 9
"""Decimals of a score beyond which the order of the ranking decides: how old things are tells them apart no more."""
RATED: Final = ("cosine", "covered", "echo")
"""The features of a passage that tell what it has to do with the question, whatever the others are."""
ALONG: Final = 0.97
"""What these have of the score of the fact that brings them: they stand behind it."""


class _Known(NamedTuple):
    """Records of a kind, with their rows and the scripts they are told in."""

    kind: Kind
    rows: Ints
    records: list[Record]
    told: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
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
        ranked = self.ranked
        if not len(places):
            return []
        known, places = await self._known("passage", ranked.rows[places], places)
        # Where the product of the factors is the score, what the ranking is the sum of is left out.
        wanted = RATED if self.plan.factors is not None else ranked.features.keys() - {"lifted"}
        features: dict[str, Floats | Doubles] = {name: ranked.features[name][places] for name in wanted}
        cosine, covered, lifted = (ranked.features[name][places] for name in ("cosine", "covered", "lifted"))
        relevance, similarity = self._rated(known, cosine, covered, lifted)
        # What was asked before tells nothing of whether the answer is known.
        features["relevance"] = relevance * (1 - features["echo"].astype(np.float64))
        features |= self._told(ranked.rows[places])
        return self._hits(known, ranked.scores[places], features, similarity)

    async def _known(self, kind: Kind, rows: Ints, places: Ints) -> tuple[_Known, Ints]:
        """The records in these rows, and what stands beside each; without those forgotten since the index was read."""
        numbers = self.index.of(kind).number[rows].tolist()
        found = await self.store.shown(self.scope, self.index, numbers)
        if len(found) < len(numbers):
            there = np.array([number in found for number in numbers], np.bool_)
            numbers, rows, places = [n for n in numbers if n in found], rows[there], places[there]
        records = [found[number] for number in numbers]
        return _Known(kind, rows, records, scripts(self.index, numbers, records)), places

    def _told(self, passages: Ints) -> dict[str, Doubles]:
        """When these rows of passages were told, where times are weighed; NaN for none (−1)."""
        if self.plan.factors is None:
            return {}
        times = np.append(self.index.of("passage").valid_from, np.nan)
        return {"told": times[passages]}

    def _rated(self, known: _Known, cosine: Floats, covered: Floats, lifted: Floats) -> tuple[Doubles, Doubles]:
        above = self.rate.above(self.index, self.cue, known.kind) if self.plan.factors is not None else 0.0
        relevance = self.rate.relevance(known.records, known.told, cosine, covered)
        return relevance, self.rate.similarity(known.told, cosine, lifted, above)

    def _hits(
        self, known: _Known, scores: Floats | Doubles, parts: Mapping[str, Floats | Doubles], similarity: Doubles
    ) -> list[Hit]:
        told = zip(*(values.tolist() for values in parts.values()), strict=True)
        alike = [{} if near != near else {"similarity": near} for near in similarity.tolist()]  # NaN: not known
        return [
            Hit(record=record, score=score, parts=dict(zip(parts, values, strict=True)) | near, emotion=emotion)
            for record, score, values, near, emotion in zip(
                known.records, scores.tolist(), told, alike, self._felt(known), strict=True
            )
        ]

    def _felt(self, known: _Known) -> Sequence[Emotion | None]:
        """How records felt; nothing is estimated where nothing is weighed by it."""
        if self.plan.factors is None:
            return [None] * len(known.rows)
        field = self.index.of(known.kind)
        return all_felt(known.records, field.vectors[known.rows], field.embedded[known.rows].tolist(), self.index.space)

    async def standing(self) -> list[Hit]:
        """Return what is wanted of what stands on its own, each with how surely it has to do with the question."""
        if self.plan.session is not None or self.plan.speaker is not None or self.plan.during is not None:
            return []
        hits: list[Hit] = []
        most = max(self._depth, CONFIDENT)
        for kind in STANDING:
            if kind in self.plan.kinds and (own := standing(self.index, self.cue, kind, most)) is not None:
                # Two or three ranked by what they say can stand in each other's place: the ratings decide.
                hits += await self._fetched(kind, own, most, standing=True)
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
        good = [hit for hit in hits.values() if self._good(hit)]
        return [good[place] for place in _limited(good, [hit.score for hit in good], self.plan, many=False)]

    async def _nearest(self, kind: Kind, wanted: Bools) -> list[Hit]:
        rows, cosine = nearest(self.index, self.cue, kind, wanted, self.plan.limit)
        known, places = await self._known(kind, rows, np.arange(len(rows)))
        cosine = cosine[places]
        relevance = self.rate.relevance(known.records, known.told, cosine, np.full(len(places), 0.5, np.float32))
        return self._hits(
            known, np.maximum(cosine, 0), {"cosine": cosine, "relevance": relevance}, np.full(len(places), np.nan)
        )

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
        for hit in _inherited(await self._cited(said), said):
            if fits(hit.record, self.plan):
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
        if self.plan.factors is None:
            kept = _limited(found, [hit.score for hit in found], self.plan, many=asked.many)
            return [found[place] for place in kept]
        known = await self._accessed(found) if self.plan.factors.rehearsal else {}
        weights = weighing.weighed(found, self.plan.factors, self.query, then, known)
        kept = _limited(found, weights.scores, self.plan, many=asked.many)
        return [weights.told(found[place], place) for place in kept]

    async def _cited(self, said: Sequence[Hit]) -> list[Record]:
        """What was made from passages; insights are ranked by what they say alone."""
        kinds: list[Kind] = [kind for kind in self.plan.kinds if kind not in ("passage", "insight")]
        ids = [hit.record.id for hit in said]
        found = await self.store.cited(self.scope, self.index, ids, kinds, self.as_of) if kinds and ids else []
        return [record for record in found if record.status != "archived"]

    async def _accessed(self, hits: Sequence[Hit]) -> dict[str, Access]:
        return await self.store.accessed(self.scope, [hit.record.id for hit in hits])

    async def _fetched(self, kind: Kind, own: KeyRanking, count: int, *, standing: bool = False) -> list[Hit]:
        """The records of a kind that answer best; those that stand on their own scored by how they are rated."""
        known, places = await self._known(kind, own.rows[:count], np.arange(min(count, len(own.rows))))
        cosine, covered = own.cosine[places], own.covered[places]
        relevance, similarity = self._rated(known, cosine, covered, own.lifted[places])
        parts: dict[str, Floats | Doubles] = {"cosine": cosine, "covered": covered, "relevance": relevance}
        parts |= self._told(own.best[places])
        if standing:
            parts["standing"] = np.ones(len(places))
        return self._hits(known, relevance if standing else own.scores[places], parts, similarity)

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
        for number, record in (await self.store.shown(self.scope, self.index, list(numbers))).items():
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
        found = await self.store.shown(self.scope, self.index, numbers)
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
    if held is not None and "standing" in hit.parts and held.start == held.end:
        held = None  # when it was told, or happened: not how long it held
    if held is not None and (_over(held, at) if asked.current else asked.windows and not _within(held, asked.windows)):
        share = OVER
    if asked.timed and record.valid is None:
        share *= UNDATED
    return replace(hit, score=hit.score * share, parts={**hit.parts, "fitting": share}) if share < 1 else hit


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
            emotion = record.emotion or (top.emotion and put_in_a_word(top.emotion, top.record.text))
            found.append(Hit(record=record, score=top.score, parts=top.parts, emotion=emotion))
    return found


def _limited(hits: Sequence[Hit], scores: Sequence[float], plan: Plan, *, many: bool) -> list[int]:
    """The places of as many of each kind as are wanted, best first."""
    counts: dict[str, int] = {}
    kept: list[int] = []
    most = {"passage": plan.limit + plan.expand, "fact": plan.limit * (MANY if many else 1)}
    for place in sorted(range(len(hits)), key=lambda place: -round(scores[place], EVEN)):
        kind = hits[place].record.kind
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= most.get(kind, plan.limit):
            kept.append(place)
    return kept
