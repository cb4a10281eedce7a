"""What of facts about one thing holds when: which ends which, and which say the same; asks no store.

A fact is ended by the first later one that takes its place. How it was told stays with it: when that other one is
unsaid, it holds again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import inf
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from fabula.names import NAMED_BY, USER, is_user, normal, own_name, tied_by
from fabula.relations import contradicts, ending, identifying, lasting, passing, relation, single, wording
from fabula.text import derived_id
from fabula.types import Fact, Frame, Interval, Link, Record

SUPERSEDED_BY: Final = "superseded_by"
"""The key of `meta` that names the fact that ended this one."""
OTHERWISE: Final = "valid_otherwise"
"""The key of `meta` with the interval that was told before another fact ended it: start, end, precision; or nothing."""

CONFIDENCE: Final = "confidence"
"""The key of `meta` with how surely the model that drew a fact says it was told, 0–1."""
SPEAKER: Final = "speaker"
"""The key of `meta` with who told a fact, where it was one alone."""
WORDED_BY: Final = "worded_by"
"""The key of `meta` with those of a fact's or a note's sources whose words and times it has, where others told it too:
it goes with any of these, and outlives the others."""
COMPRESSED: Final = "compressed"
"""The key of `meta` with the facts, archived now, that a fact stands for; it says what each of them says."""
COMPRESSED_INTO: Final = "compressed_into"
"""The key of `meta` that names the fact that stands for an archived one."""


class Dated(NamedTuple):
    """A fact and when it began: as it says, or when it was first told."""

    fact: Fact
    begin: datetime | None
    said: datetime | None = None
    """When it was told that it began then, where that was asked for: the first of its sources did."""

    @property
    def order(self) -> float:
        """The beginning in seconds since the epoch; what nobody knows was always."""
        return self.begin.timestamp() if self.begin is not None else -inf

    @property
    def place(self) -> tuple[float, float]:
        """Where it stands among others: by its beginning, and of those of one beginning by when it was told."""
        return self.order, self.said.timestamp() if self.said else -inf


def dated(fact: Fact, passages: Mapping[str, Record]) -> Dated:
    """Return a fact with its beginning; `passages` are its sources by id, as far as they are needed and known."""
    heard = [one.valid.start for source in fact.sources if (one := passages.get(source)) and one.valid]
    times = [time for time in heard if time]
    first = min(times, key=datetime.timestamp, default=None)
    return Dated(fact, start_of(fact) or first, times[0] if times else None)


def start_of(fact: Fact) -> datetime | None:
    """Return when a fact began, where it says so."""
    return fact.valid.start if fact.valid is not None else None


# --- what a fact is about ---------------------------------------------------------------------------------------


def about(fact: Fact) -> str:
    """Return the relation that a fact speaks of, also to say that it is over; empty without a triple."""
    return (ending(fact.predicate) or relation(fact.predicate)) if fact.subject and fact.predicate else ""


def thread(fact: Fact) -> tuple[str, str] | None:
    """Return whom and what relation a fact is about, where such facts end each other."""
    rival = single(fact.predicate) or ending(fact.predicate)
    return (whom(fact), about(fact)) if fact.subject and rival else None


def whom(fact: Fact) -> str:
    """Return the id of whom a fact is about; the user of a scope is one, under whatever name (`names.is_user`)."""
    return USER if is_user(fact.subject, fact.scope) else end_of(fact, "subject")


def end_of(fact: Fact, kind: Literal["subject", "object"]) -> str:
    """Return the id of a fact's subject or object, or what is said of one that is nobody."""
    return fact.links.get(kind, ("",))[0] or normal(fact.subject if kind == "subject" else fact.object)


def spoken_of(record: Fact | Frame) -> dict[Link, list[str]]:
    """Return the names of those a record is to be tied to, by how; what identifies somebody stands for a name."""
    named: dict[Link, list[str]]
    if isinstance(record, Fact):
        thing = identifying(record.predicate, record.object) or own_name(record.object)
        named = {"subject": [own_name(record.subject)], "object": [thing]}
    else:
        named = {"names": [own_name(name) for event in record.events for name in event.participants]}
    return {kind: told for kind, names in named.items() if (told := list(filter(None, names)))}


def ends(later: Fact, earlier: Fact) -> bool:
    """Whether a fact takes the place of an earlier one of the same subject, or says that it is over."""
    if not single(earlier.predicate) or about(later) != about(earlier):
        return False
    same = end_of(later, "object") == end_of(earlier, "object")
    if ending(later.predicate):
        return same or not later.object
    if not later.object:
        return False
    return not same and _passing(earlier) if _passing(later) else not same or _passing(earlier)


def _passing(fact: Fact) -> bool:
    return passing(fact.predicate, fact.object)


def says_the_same(one: Fact, other: Fact) -> bool:
    """Whether two facts of one subject are one, if they hold at the same time; never with another number or a "not"."""
    return (
        about(one) == about(other)
        and bool(ending(one.predicate)) == bool(ending(other.predicate))
        and end_of(one, "object") == end_of(other, "object")
        and (bool(one.object) or wording(one.text) == wording(other.text))
        and _passing(one) == _passing(other)
        and not contradicts(one.text, other.text)
    )


# --- when it holds ----------------------------------------------------------------------------------------------


def told(fact: Fact) -> Interval | None:
    """Return when a fact holds as it was told, before another one ended it."""
    if OTHERWISE not in fact.meta:
        return fact.valid
    packed: Any = fact.meta[OTHERWISE]
    if packed is None:
        return None
    start, end, precision = packed
    return Interval(
        start=start and datetime.fromisoformat(start), end=end and datetime.fromisoformat(end), precision=precision
    )


def ended(fact: Fact, by: Dated) -> Fact:
    """Return the fact as it holds until another begins, which is while it holds."""
    valid = told(fact)
    end = by.begin or _over(valid)
    precision = valid.precision if valid else by.fact.valid.precision if by.fact.valid else "instant"
    start = valid.start if valid else None
    return replace(
        fact,
        status="superseded",
        valid=Interval(start=start, end=end, precision=precision) if end else valid,
        meta={**fact.meta, SUPERSEDED_BY: by.fact.id, OTHERWISE: _packed(valid)},
    )


def reopened(fact: Fact) -> Fact:
    """Return the fact as it was told."""
    meta = {name: value for name, value in fact.meta.items() if name not in (SUPERSEDED_BY, OTHERWISE)}
    return replace(fact, status="live", valid=told(fact), meta=meta)


def restored(fact: Fact) -> Fact:
    """Return an archived fact as it was before another one stood for it."""
    meta = {name: value for name, value in fact.meta.items() if name != COMPRESSED_INTO}
    return replace(fact, status="live", meta=meta)


def _packed(valid: Interval | None) -> list[str | None] | None:
    if valid is None:
        return None
    return [*(end and end.isoformat() for end in (valid.start, valid.end)), valid.precision]


def settled(facts: Sequence[Dated]) -> Iterator[Fact]:
    """Give all facts of one subject and relation in their order, each ended by the first that takes its place in time.

    What is over before stays as it is, and so does what was ended by a fact that is not among them.
    """
    ordered = in_order(facts)
    here = {dated.fact.id for dated in facts}
    for place, dated in enumerate(ordered):
        by = _ender(ordered, place)
        if by is not None:
            yield ended(dated.fact, by)
        elif dated.fact.meta.get(SUPERSEDED_BY) in here:
            yield reopened(dated.fact)
        else:
            yield dated.fact


def _ender(ordered: Sequence[Dated], place: int) -> Dated | None:
    """The first that takes the place of the one at `place`, while that holds."""
    one = ordered[place]
    if not single(one.fact.predicate):
        return None
    until = _until(one)
    for later in range(place + 1, len(ordered)):
        if ordered[later].order >= until:
            return None
        if ends(ordered[later].fact, one.fact):
            return ordered[later]
    return None


def in_order(facts: Sequence[Dated]) -> list[Dated]:
    """Return the facts by their beginning; those of one beginning as they were told, or else as they come."""
    return sorted(facts, key=lambda one: one.place)


# --- the same again ---------------------------------------------------------------------------------------------


_Key: TypeAlias = tuple[float, float, int, str]
"""Where a fact stands in a thread, and its id: its place, then how many had come before it."""


class Thread:
    """The facts of one subject and relation, in the order of `in_order`, and by what they say.

    A fact is held against those that could matter to it, and not against all: one reply may tell thousands.
    """

    def __init__(self, facts: Iterable[Dated] = ()) -> None:
        self._facts: dict[str, Dated] = {}
        self._keys: dict[str, _Key] = {}
        self._came = 0
        self._lines: dict[Hashable, list[_Key]] = {}
        """The keys in their order, of all facts and of each part of them; see `_parts`."""
        for one in facts:
            self.put(one)
        self._read = set(self._facts)
        """Those that were here before, and were not told again yet."""

    def put(self, one: Dated) -> None:
        """Add a fact, after those that stand at the same place, or put it in the place of the one with its id."""
        came = self._came
        if one.fact.id in self._facts:
            came = self._keys[one.fact.id][2]
            self.drop(one.fact.id)
        self._came += 1
        self._facts[one.fact.id] = one
        self._keys[one.fact.id] = key = (*one.place, came, one.fact.id)
        for part in _parts(one):
            insort(self._lines.setdefault(part, []), key)

    def __iter__(self) -> Iterator[Dated]:
        return iter([*self._facts.values()])

    def drop(self, fact_id: str) -> Dated | None:
        """Take a fact out, if it is here, and return it."""
        one = self._facts.pop(fact_id, None)
        if one is not None:
            key = self._keys.pop(fact_id)
            for part in _parts(one):
                line = self._lines[part]
                del line[bisect_left(line, key)]
        return one

    def settled(self) -> Iterator[Fact]:
        """Give those facts that hold otherwise than they stand here; see `settled`."""
        facts = [self._facts[key[-1]] for key in self._lines.get((), ())]
        return (one for one in settled(facts) if one != self._facts[one.id].fact)

    def known_as(self, fact: Dated) -> Dated | None:
        """Return the one that a fact of this subject and relation only says again; `None`: it is new.

        A state is the same while it goes on: nothing else held in between. What happens is the same on the same day,
        unless what it ends was told to begin again in between.
        """
        _, alike, today = _parts(fact)
        if (same := self._told_by_itself(fact, alike)) is not None:
            self._read.discard(same.fact.id)
            return same
        if not lasting(fact.fact.predicate) or ending(fact.fact.predicate):
            return self._happened(fact, alike, today)
        # Where several hold side by side, only what says the same is a rival.
        part = () if single(fact.fact.predicate) else alike
        before = next((one for one in self._before(part, (fact.order, inf)) if _rivals(one, fact)), None)
        if (
            before
            and says_the_same(before.fact, fact.fact)
            and (before.order == fact.order or fact.order < _until(before))
        ):
            return before
        after = next((one for one in self._after(part, fact.order) if _rivals(one, fact)), None)
        return after if after and says_the_same(after.fact, fact.fact) and _until(fact) >= after.order else None

    def _told_by_itself(self, fact: Dated, alike: Hashable) -> Dated | None:
        """The one that the same passages told of the same time: they are read again."""
        for key in self._lines.get(alike, ()):
            one = self._facts[key[-1]]
            alone = one.fact.id in self._read and set(fact.fact.sources) <= set(one.fact.sources)
            if alone and told(one.fact) == told(fact.fact) and says_the_same(one.fact, fact.fact):
                return one
        return None

    def _happened(self, fact: Dated, alike: Hashable, today: Hashable) -> Dated | None:
        same = [key for key in self._lines.get(today, ()) if says_the_same(self._facts[key[-1]].fact, fact.fact)]
        if not same:
            return None
        # To say what is over ends that alone.
        part = alike if ending(fact.fact.predicate) and fact.fact.object else ()
        begun = next((one for one in self._before(part, fact.place) if ends(fact.fact, one.fact)), None)
        again = [key for key in same if begun is None or key > self._keys[begun.fact.id]]
        first = min(again, key=lambda key: key[2], default=None)
        return self._facts[first[-1]] if first else None

    def _before(self, part: Hashable, place: tuple[float, float]) -> Iterator[Dated]:
        """Those of a part up to a place, the last first."""
        line = self._lines.get(part, [])
        at = bisect_right(line, (*place, self._came, ""))
        return (self._facts[line[n][-1]] for n in range(at - 1, -1, -1))

    def _after(self, part: Hashable, order: float) -> Iterator[Dated]:
        """Those of a part that begin later."""
        line = self._lines.get(part, [])
        at = bisect_right(line, (order, inf, self._came, ""))
        return (self._facts[line[n][-1]] for n in range(at, len(line)))


def _parts(one: Dated) -> tuple[Hashable, Hashable, Hashable]:
    """The parts of its thread that a fact is in: all, what may say the same, and what may say so of the same day."""
    said = end_of(one.fact, "object") or wording(one.fact.text)
    return (), (said,), (said, _day(one))


def _rivals(one: Dated, fact: Dated) -> bool:
    return says_the_same(one.fact, fact.fact) or ends(one.fact, fact.fact)


def _day(dated: Dated) -> str:
    start = start_of(dated.fact)
    return start.date().isoformat() if start else ""


def _until(dated: Dated) -> float:
    """The end as it was told, in seconds since the epoch."""
    end = _over(told(dated.fact))
    return end.timestamp() if end is not None else inf


def _over(valid: Interval | None) -> datetime | None:
    """When a state ended, as far as it was told: of an instant it is only known that it held then."""
    return valid.end if valid is not None and valid.end != valid.start else None


def joined(known: Dated, again: Dated) -> Fact:
    """Return the known fact with what was said again: all sources, the earliest start, an end that was told later.

    The first source is one that told the start. The words stay those of the known one.
    """
    first, second = sorted((known, again), key=lambda one: one.order)
    one, other = told(known.fact), told(again.fact)
    valid = one or other
    if valid is not None and one != other and lasting(known.fact.predicate):
        start = first.begin if start_of(known.fact) or start_of(again.fact) else None
        valid = replace(valid, start=start, end=_over(other) or _over(one))
    sources = tuple(dict.fromkeys((*first.fact.sources, *second.fact.sources)))
    importance = max(known.fact.importance, again.fact.importance)
    meta = tied_by(told_by_both(known.fact.meta, again.fact.meta), again.fact.meta.get(NAMED_BY, ()))
    anew = valid != one or again.order < known.order
    meta = worded_by(meta, (*worders(known.fact), *(worders(again.fact) if anew else ())), sources)
    merged = replace(known.fact, sources=sources, importance=importance, meta=meta)
    if OTHERWISE not in merged.meta:
        return replace(merged, valid=valid)
    held = merged.valid
    until = [end for end in (_over(valid), held and held.end) if end is not None]
    now = replace(valid, end=min(until, key=datetime.timestamp)) if valid and until else held
    return replace(merged, valid=now, meta={**merged.meta, OTHERWISE: _packed(valid)})


def worders(record: Record) -> Sequence[str]:
    """Return the sources whose words and times a fact or a note has."""
    return record.meta.get(WORDED_BY, record.sources)


def worded_by(meta: Mapping[str, Any], worders: Iterable[str], sources: Sequence[str]) -> dict[str, Any]:
    """Return the `meta` of a fact or a note of `sources` that has the words and times of some of them."""
    others = {name: value for name, value in meta.items() if name != WORDED_BY}
    some = list(dict.fromkeys(worders))
    return {**others, WORDED_BY: some} if len(some) < len(sources) else others


def told_by_both(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `meta` of a fact told twice: as sure as the surer, of one speaker if both are of that one."""
    meta = dict(first)
    if meta.get(SPEAKER) != second.get(SPEAKER):
        meta.pop(SPEAKER, None)
    sure = [one[CONFIDENCE] for one in (first, second) if CONFIDENCE in one]
    return meta | ({CONFIDENCE: max(sure)} if sure else {})


def fact_id(fact: Fact, *, again: bool = False) -> str:
    """Return the id that facts saying the same have: who, what, whom; the day too, unless it is a state.

    With `again`, the one of a further fact that says the same of another time, by where it was told.
    """
    who, whom = end_of(fact, "subject"), end_of(fact, "object") or wording(fact.text)
    day = _day(Dated(fact, None))
    made = derived_id("fact", who, relation(fact.predicate), whom, "" if lasting(fact.predicate) else day)
    return derived_id(made, day, wording(fact.text), *fact.sources) if again else made
