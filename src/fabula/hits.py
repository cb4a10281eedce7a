"""From ranked rows to hits: passages, what was drawn from them, and what reverse provenance expansion adds.

The passages have been ranked, and what was drawn from them; what stands on its own is ranked here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import accumulate, chain
from typing import Final, NamedTuple, cast

import numpy as np

from fabula import weighing
from fabula.abc import Store
from fabula.expansion import expanded
from fabula.index import Bools, Doubles, Floats, Index, Ints
from fabula.narrowing import fits
from fabula.question import Question
from fabula.ranking import KeyRanking, Ranking
from fabula.rating import Rate, felt, scripts
from fabula.relations import HOLDS
from fabula.remember import says_more
from fabula.scoring import Cue
from fabula.standing import STANDING, nearest, standing
from fabula.text import fold, hash_term
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
ALONG: Final = 0.97
"""What these have of the score of the fact that brings them: they stand behind it."""


class _Rows(NamedTuple):
    """Rows of a kind, best first, with what the ranking tells of each."""

    kind: Kind
    rows: Ints
    scores: Floats | Doubles | None
    """`None`: they are scored by how they are rated."""
    cosine: Floats
    covered: Floats | None
    """`None`: they were found by their meaning alone."""
    lifted: Floats
    best: Ints
    """The passages that told them, −1: none is known."""
    features: Mapping[str, Floats | Doubles]
    """What else is among the parts."""

    def at(self, places: Ints | Bools) -> _Rows:
        """Return some of them."""
        features = {name: values[places] for name, values in self.features.items()}
        scores = None if self.scores is None else self.scores[places]
        covered = None if self.covered is None else self.covered[places]
        return _Rows(
            self.kind, self.rows[places], scores, self.cosine[places], covered, self.lifted[places], self.best[places],
            features,
        )  # fmt: skip


def _rows(kind: Kind, own: KeyRanking, scores: Floats | None, **features: Floats | Doubles) -> _Rows:
    return _Rows(kind, own.rows, scores, own.cosine, own.covered, own.lifted, own.best, features)


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
        # Enough to tell whether anything is known, however few are wanted.
        most = max(self._depth, CONFIDENT)
        keyed, own = self._keyed(), self._own(most)
        best, *drawn = await self._fetched([self._said(np.arange(len(self.ranked.rows))[:most]), *keyed, *own])
        alone = sorted(chain.from_iterable(drawn[len(keyed) :]), key=_rank)
        hits = await self.hits(best, {rows.kind: made for rows, made in zip(keyed, drawn, strict=False)}, alone)
        telling = [*best[:CONFIDENT], *alone[:CONFIDENT]]
        return hits, max((hit.relevance for hit in telling), default=0.0)

    # --- which rows ---

    def _said(self, places: Ints) -> _Rows:
        """The passages at these places of the ranking."""
        ranked = self.ranked
        # Where the product of the factors is the score, what the ranking is the sum of is left out.
        wanted = ("echo",) if self.plan.factors is not None else ranked.features.keys() - {"lifted", "covered"}
        features: dict[str, Floats | Doubles] = {name: ranked.features[name][places] for name in wanted}
        cosine, covered, lifted = (ranked.features[name][places] for name in ("cosine", "covered", "lifted"))
        rows = ranked.rows[places]
        return _Rows("passage", rows, ranked.scores[places], cosine, covered, lifted, rows, features)

    def _keyed(self) -> list[_Rows]:
        """What was drawn from the passages of the ranking and answers best itself, kind by kind."""
        made: list[_Rows] = []
        for kind in self.plan.kinds:
            if kind in self.ranked.keys:
                count = self._depth * (MANY if self.asked.many and kind == "fact" else 1)
                own = self.ranked.keys[kind]
                made.append(_rows(kind, own, own.scores).at(np.arange(len(own.rows))[:count]))
        return made

    def _own(self, most: int) -> list[_Rows]:
        """What stands on its own, kind by kind."""
        if self.plan.session is not None or self.plan.speaker is not None or self.plan.during is not None:
            return []
        # Two or three ranked by what they say can stand in each other's place: the ratings decide.
        return [
            _rows(kind, own, None, standing=np.ones(len(own.rows)))
            for kind in STANDING
            if kind in self.plan.kinds and (own := standing(self.index, self.cue, kind, most)) is not None
        ]

    # --- fetching and rating them ---

    async def _fetched(self, groups: Sequence[_Rows]) -> list[list[Hit]]:
        """The hits of each group; without records forgotten since the index was read."""
        groups, records = await self._known(groups)
        if not records:
            return [[] for _ in groups]
        told = scripts(self.index, list(chain.from_iterable(map(self._numbers, groups))), records)
        cosine, lifted = (np.concatenate([getattr(group, name) for group in groups]) for name in ("cosine", "lifted"))
        covered = np.concatenate([np.full(len(g.rows), 0.5) if g.covered is None else g.covered for g in groups])
        relevance, similarity = self.rate.relevance(records, told, cosine, covered), np.full(len(records), np.nan)
        if self.plan.factors is not None:
            similarity = self.rate.similarity(told, cosine, lifted, self._above(groups))
        hits: list[list[Hit]] = []
        for group, end in zip(groups, accumulate(len(group.rows) for group in groups), strict=True):
            mine = slice(end - len(group.rows), end)
            emotions = self._felt(group, records[mine], told[mine])
            if group.scores is None and len(set(told[mine])) > 1:
                scores = self.rate.relevance(records[mine], told[mine], cosine[mine], covered[mine], even=True)
                group = group._replace(scores=scores)
            hits.append(self._hits(group, records[mine], relevance[mine], similarity[mine], emotions))
        return hits

    async def _known(self, groups: Sequence[_Rows]) -> tuple[list[_Rows], list[Record]]:
        numbers = [self._numbers(group) for group in groups]
        found = await self.store.shown(self.scope, self.index, list(dict.fromkeys(chain.from_iterable(numbers))))
        there = [[number in found for number in own] for own in numbers]
        left = [
            group if all(mine) else group.at(np.array(mine, np.bool_))
            for group, mine in zip(groups, there, strict=True)
        ]
        return left, [found[number] for number in chain.from_iterable(numbers) if number in found]

    def _numbers(self, group: _Rows) -> list[int]:
        return self.index.of(group.kind).number[group.rows].tolist()

    def _above(self, groups: Sequence[_Rows]) -> Doubles:
        """By how much the rows of its kind are nearer to the question than unrelated texts are, for each row."""
        kinds: set[Kind] = {group.kind for group in groups}
        above = {kind: self.rate.above(self.index, self.cue, kind) for kind in kinds}
        return np.concatenate([np.full(len(group.rows), above[group.kind]) for group in groups])

    def _felt(self, group: _Rows, records: Sequence[Record], told: Sequence[str]) -> Sequence[Emotion | None]:
        """How records felt; nothing is estimated where nothing is weighed by it."""
        if self.plan.factors is None:
            return [None] * len(records)
        return felt(self.index, group.kind, group.rows, records, told)

    def _hits(
        self, group: _Rows, records: Sequence[Record], relevance: Doubles, similarity: Doubles,
        emotions: Sequence[Emotion | None],
    ) -> list[Hit]:  # fmt: skip
        parts: dict[str, Floats | Doubles] = {"cosine": group.cosine, **group.features}
        if group.covered is not None:
            parts["covered"] = group.covered
            if self.plan.factors is not None:
                parts["similarity"] = similarity
        # What was asked before tells nothing of whether the answer is known.
        parts["relevance"] = relevance * (1 - parts["echo"].astype(np.float64)) if "echo" in parts else relevance
        if self.plan.factors is not None:
            parts["told"] = np.append(self.index.of("passage").valid_from, np.nan)[group.best]
        rows = zip(*(column.tolist() for column in parts.values()), strict=True)
        scores = relevance if group.scores is None else group.scores
        return [
            Hit(record=record, score=score, parts=_parts(parts, values), emotion=emotion)
            for record, score, values, emotion in zip(records, scores.tolist(), rows, emotions, strict=True)
        ]

    async def nearest(self) -> list[Hit]:
        """Return what is nearest to the question by meaning alone, of every kind that is wanted.

        What has no vector of its own, since rules drew it, is as near as the nearest passage it was drawn from.
        """
        others: list[Kind] = [kind for kind in self.plan.kinds if kind != "passage"]
        allowed = self.allowed if self.then is None else self.allowed & self.then
        rows = [self._nearest(kind, np.ones(len(self.index.of(kind)), np.bool_)) for kind in others]
        said, *alone = await self._fetched([self._nearest("passage", allowed), *rows])
        hits = {hit.record.id: hit for hit in said if "passage" in self.plan.kinds}
        ids = [hit.record.id for hit in said]
        cited = await self.store.citing(self.scope, ids, others, self.as_of) if others and said else []
        repeating = [record for record in cited if record.status != "archived" and not says_more(record)]
        hits |= {hit.record.id: hit for hit in _inherited(repeating, said) if fits(hit.record, self.plan)}
        hits |= {hit.record.id: hit for hit in chain.from_iterable(alone)}
        return _best([*hits.values()], self.plan, many=False)

    def _nearest(self, kind: Kind, wanted: Bools) -> _Rows:
        rows, cosine = nearest(self.index, self.cue, kind, wanted, self.plan.limit)
        return _Rows(kind, rows, np.maximum(cosine, 0), cosine, None, cosine, np.full(len(rows), -1), {})

    async def hits(self, best: Sequence[Hit], keyed: Mapping[Kind, list[Hit]], own: Sequence[Hit]) -> list[Hit]:
        """Return what is wanted of the best passages, of what was drawn from them and of what stands on its own,
        best first."""
        asked = self.asked
        places = np.arange(min(len(best), self._depth))
        said = list(best[: self._depth])
        made: dict[str, Hit] = {}
        for kind, drawn in keyed.items():
            along = await self._along(drawn) if asked.many and kind == "fact" else []
            made |= {hit.record.id: hit for hit in (*drawn, *along)}
        for hit in _inherited(await self._cited(said), said):
            if fits(hit.record, self.plan):
                made.setdefault(hit.record.id, hit)
        made |= {hit.record.id: hit for hit in own}
        if self.then is not None:
            places = np.flatnonzero(self.then[self.ranked.rows])[: self._depth]
            (said,) = await self._fetched([self._said(places)])
        more = await self._more(places) if said and self.plan.expand and "passage" in self.plan.kinds else []
        found = [*(hit for hit in said if "passage" in self.plan.kinds), *more]
        at = self.plan.valid_at or self.at
        found += sorted((_fitting(hit, asked, at) for hit in made.values()), key=_rank)
        if self.plan.factors is None:
            return _best(found, self.plan, many=asked.many)
        known = await self._accessed(found) if self.plan.factors.rehearsal else {}
        weights = weighing.weighed(found, self.plan.factors, self.query, at, current=asked.current, accessed=known)
        kept = _limited(found, weights.scores, weights.relevance, self.plan, many=asked.many)
        return [weights.told(found[place], place) for place in kept]

    async def _cited(self, said: Sequence[Hit]) -> list[Record]:
        """What was made from passages; insights are ranked by what they say alone."""
        kinds: list[Kind] = [kind for kind in self.plan.kinds if kind not in ("passage", "insight")]
        ids = [hit.record.id for hit in said]
        found = await self.store.cited(self.scope, self.index, ids, kinds, self.as_of) if kinds and ids else []
        return [record for record in found if record.status != "archived"]

    async def _accessed(self, hits: Sequence[Hit]) -> dict[str, Access]:
        return await self.store.accessed(self.scope, [hit.record.id for hit in hits])

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


def _parts(names: Iterable[str], values: Sequence[float]) -> dict[str, float]:
    """The values that are known, which NaN is not, by their names."""
    return {name: value for name, value in zip(names, values, strict=True) if value == value}


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
            emotion = record.emotion or top.emotion
            found.append(Hit(record=record, score=top.score, parts=top.parts, emotion=emotion))
    return found


def _best(hits: Sequence[Hit], plan: Plan, *, many: bool) -> list[Hit]:
    """As many of each kind as are wanted, best first; what is tied to others has no relevance to be too little."""
    scores, relevance = [hit.score for hit in hits], [hit.parts.get("relevance", 1.0) for hit in hits]
    return [hits[place] for place in _limited(hits, scores, relevance, plan, many=many)]


def _limited(
    hits: Sequence[Hit], scores: Sequence[float], relevance: Sequence[float], plan: Plan, *, many: bool
) -> list[int]:
    """The places of as many of each kind as are wanted, best first, of those that score and matter enough.

    Where they are weighed, what says the same again takes no place: the one that weighs most stands for all.
    """
    lowest, least = (0.0 if bound is None else bound for bound in (plan.min_score, plan.min_relevance))
    counts: dict[str, int] = {}
    kept: list[int] = []
    said: set[tuple[str, str]] = set()
    most = {"passage": plan.limit + plan.expand, "fact": plan.limit * (MANY if many else 1)}
    order: list[int] = np.argsort(-np.round(scores, EVEN), kind="stable").tolist()
    for place in order:
        if scores[place] < lowest or relevance[place] < least:
            continue
        kind = hits[place].record.kind
        if plan.factors is not None:
            words = kind, fold(hits[place].record.text)
            if words in said:
                continue
            said.add(words)
        counts[kind] = counts.get(kind, 0) + 1
        if counts[kind] <= most.get(kind, plan.limit):
            kept.append(place)
    return kept
