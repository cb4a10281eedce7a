"""The two axes of time, for every kind of record: what was believed at a moment, and what happened or held at one.

Random histories are told to a memory and to a plain model of lists, and both are asked about every moment.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabula import AsyncMemory, Interval, Message, Plan, Recollection, Settings
from fabula.abc import Extraction
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.text import derived_id
from fabula.types import KINDS, Entity, Event, Fact, Frame, Note, Passage, Record

DAYS = 12
FIRST = datetime(2020, 3, 1, tzinfo=UTC)
EVERYTHING = Plan(kinds=KINDS, limit=100)


def day(number: int, hour: int = 0) -> datetime:
    return FIRST + timedelta(days=number, hours=hour)


# --- the memory -------------------------------------------------------------------------------------------------


def drawn(window: Sequence[Passage]) -> Extraction:
    """Of "Ann moved to City7 on 5" a frame of that day, the fact that she lives there since, both names, and a note."""
    frames: list[Frame] = []
    facts: list[Fact] = []
    entities: list[Entity] = []
    notes: list[Note] = []
    for said in window:
        city, number = said.text.split(" ")[3], int(said.text.split(" ")[5])
        cited = (said.id,)
        that = Interval(start=day(number), end=day(number + 1), precision="day")
        since = Interval(start=day(number), precision="day")
        frames.append(
            Frame(scope="", id=f"frame {city}", text=f"Ann moved to {city}", session=said.session, sources=cited,
                  valid=that, events=(Event(action="moved", participants=("Ann",)),))
        )  # fmt: skip
        facts.append(
            Fact(scope="", id=f"fact {city}", text=f"Ann lives in {city}", subject="Ann", predicate="lives in",
                 object=city, sources=cited, valid=since)
        )  # fmt: skip
        entities.append(Entity(scope="", id=f"entity {city}", text=city, type="Location", sources=cited))
        notes.append(
            Note(scope="", id="", text=f"Ann home {city}", namespace="profile", key="home", value=city, sources=cited)
        )
    return Extraction(frames=tuple(frames), facts=tuple(facts), entities=tuple(entities), notes=tuple(notes))


NOTE = derived_id("note", "profile", "home")


# --- the model --------------------------------------------------------------------------------------------------


@dataclass
class Told:
    """One message: where to, since which day, on which day it was said, when it was kept and when it was read."""

    city: str
    since: int
    said: int
    kept: datetime
    read: datetime | None = None


@dataclass
class Version:
    city: str
    start: datetime
    end: datetime | None = None


@dataclass
class Model:
    told: dict[str, Told] = field(default_factory=dict[str, Told])
    note: list[Version] = field(default_factory=list[Version])
    forgot: datetime | None = None

    def remember(self, one: Told) -> None:
        self.told[one.city] = one

    def read(self, now: datetime) -> None:
        """What waits is read in the order it was kept, in one window a message."""
        for one in self.told.values():
            if one.read is None:
                one.read = now
                last = self.note[-1] if self.note else None
                if last is None or one.said >= self.told[last.city].said:
                    if last is not None:
                        last.end = now
                    self.note.append(Version(one.city, now))

    def forget(self, city: str, now: datetime) -> None:
        del self.told[city]
        self.forgot = now
        self.note = [version for version in self.note if version.city != city]
        if self.note:  # what was believed last is believed again
            self.note[-1].end = None

    def as_of(self, at: datetime) -> set[str]:
        """The ids of what was believed, by kind."""
        read = [one for one in self.told.values() if one.read is not None and one.read <= at]
        derived = {f"{kind} {one.city}" for one in read for kind in ("frame", "fact", "entity")}
        return {f"passage {one.city}" for one in self.told.values() if one.kept <= at} | derived | self.noted(at)

    def noted(self, at: datetime) -> set[str]:
        return {f"note {v.city}" for v in self.note if v.start <= at and (v.end is None or at < v.end)}

    def valid_at(self, at: datetime, number: int) -> set[str]:
        """What of that happened on a day, or held at its noon; what has no time always does."""
        known = self.as_of(at)
        cities = {city for city in self.told if f"fact {city}" in known}
        home = max((c for c in cities if self.told[c].since <= number), key=lambda c: self.told[c].since, default=None)
        times = {
            "passage": lambda city: self.told[city].said == number,
            "frame": lambda city: self.told[city].since == number,
            "fact": lambda city: city == home,
        }
        return {one for one in known if one.split(" ")[0] not in times or times[one.split(" ")[0]](one.split(" ")[1])}


def named(record: Record) -> str:
    """A record as the model knows it."""
    match record:
        case Passage():
            return f"passage {record.ref}"
        case Note():
            return f"note {record.value}"
        case _:
            return record.id


def seen(found: Recollection) -> set[str]:
    # Ann herself is in all of it: the model knows the cities.
    names = [named(hit.record) for hit in found.hits if hit.record.text != "Ann"]
    assert len(set(names)) == len(names)
    return set(names)


# --- both -------------------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.just("remember"), st.integers(0, DAYS - 1)) | st.tuples(st.sampled_from(["read", "forget"]),
                                                                         st.integers(0, 9)),
    min_size=2, max_size=10,
)  # fmt: skip
PLACES = st.permutations(range(DAYS))


async def lived(db: str, steps: Sequence[tuple[str, int]], since: Sequence[int]) -> None:
    scope, clock, model = uuid.uuid4().hex, FakeClock(day(100)), Model()
    plain = Settings(window=1, fuse=False)
    async with AsyncMemory(
        db, embedder=HashEmbedder(16), extractor=FakeExtractor(drawn), clock=clock, background=False, settings=plain
    ) as memory:
        moments = [clock.now]
        for number, (what, value) in enumerate(steps):
            now = clock.advance(3600)
            moments.append(now)
            if what == "remember" and number < len(since):
                one = Told(f"City{number}", since[number], value, now)
                model.remember(one)
                text = f"Ann moved to {one.city} on {one.since}"
                await memory.remember(scope, Message(text, id=one.city, time=day(one.said, 9)))
            elif what == "read":
                model.read(now)
                assert (await memory.flush(scope)).errors == ()
            elif what == "forget" and model.told:
                city = list(model.told)[value % len(model.told)]
                model.forget(city, now)
                assert await memory.forget(scope, refs=[city])
        for at in moments:
            found = await memory.recall(scope, "Where did Ann move?", EVERYTHING, as_of=at)
            assert seen(found) == model.as_of(at), at
            for city in (f"City{number}" for number in range(len(steps))):
                for record_id in (f"frame {city}", f"fact {city}", f"entity {city}"):
                    there = await memory.get(scope, record_id, as_of=at)
                    assert (there is not None) == (record_id in model.as_of(at)), (record_id, at)
            note = await memory.get(scope, NOTE, as_of=at)
            assert {named(note) for note in [note] if note is not None} == model.noted(at)
            if model.forgot is None or at >= model.forgot:  # what ends a fact anew ends it in the past as well
                for number in range(-1, DAYS + 1):
                    plan = Plan(kinds=KINDS, limit=100, valid_at=day(number, 12))
                    found = await memory.recall(scope, "Where did Ann move?", plan, as_of=at)
                    assert seen(found) == model.valid_at(at, number), (at, number)
        assert await memory.check(scope) == []


@given(steps=STEPS, since=PLACES)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
async def test_every_kind_is_as_it_was_believed_and_as_it_held(
    db: str, steps: list[tuple[str, int]], since: list[int]
):  # fmt: skip
    await lived(db, steps, since)


@given(steps=STEPS, since=PLACES)
@settings(deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("db", ["postgres"], indirect=True)
async def test_and_on_the_server(db: str, steps: list[tuple[str, int]], since: list[int]):
    await lived(db, steps, since)


async def test_what_was_there_at_a_time_is_found_among_much_that_was_not(db: str):
    """However much answers better: the limit is of what was there, and so is what belongs to it."""
    talk = [
        Message(f"Ann moved to City{number} on {number}", id=f"City{number}", time=day(200, hour=number % 9))
        for number in range(150)
    ]
    talk += [
        Message("Somebody moved to City150 on 150", id="City150", time=day(7)),
        Message("Somebody moved to City151 on 151", id="City151", time=day(7) - timedelta(minutes=9)),
    ]
    async with AsyncMemory(
        db, embedder=HashEmbedder(16), extractor=FakeExtractor(drawn), background=False, settings=Settings(fuse=False)
    ) as memory:
        await memory.remember("u", talk)
        await memory.flush()
        plan = Plan(kinds=("passage", "frame", "fact"), limit=1, valid_at=day(7, 12), expand=5)
        found = await memory.recall("u", "Where did Ann move?", plan)
        assert seen(found) == {"passage City150", "frame City7", "fact City7"}


@pytest.mark.parametrize("query", ["Where does Ann live now?", "Ann 现在住在哪里？"])
async def test_now_is_the_time_that_is_asked_about(db: str, query: str):
    """What is over today stands back where today is asked about, and not where the day is on which it held."""
    async with AsyncMemory(db, embedder=HashEmbedder(16), extractor=FakeExtractor(drawn), background=False) as memory:
        moves = [Message(f"Ann moved to City{n} on {n}", id=f"City{n}", time=day(n, 9)) for n in (1, 5)]
        await memory.remember("u", moves)
        assert (await memory.flush()).errors == ()
        for number, city in ((3, "City1"), (7, "City5")):
            plan = Plan(kinds=("fact",), valid_at=day(number))
            then, today = [await memory.recall("u", query, plan, at=at) for at in (day(number), day(100))]
            assert seen(today) == {f"fact {city}"}
            assert today.hits == then.hits
        today = await memory.recall("u", query, Plan(kinds=("fact",)), at=day(100))
        assert [named(hit.record) for hit in today.hits] == ["fact City5", "fact City1"]
