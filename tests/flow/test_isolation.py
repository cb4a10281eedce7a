"""Three users of one database who talk of the same things under the same names: none ever sees or counts another.

What each must see is kept by a simple model; how the wall is built is not known here.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fabula import AsyncMemory, Message, Passage, Plan, Settings
from fabula.abc import MOVED, Changes, Entry, Extraction, Store
from fabula.remember import terms_of
from fabula.stores import open_store
from fabula.testing import FakeClock, FakeExtractor, HashEmbedder
from fabula.text import derived_id
from fabula.types import KINDS, Entity, Fact, Frame, Insight, Note

USERS = {"ann": ("Quokka", "鸭嘴兽"), "ann1": ("Narwhal", "独角鲸"), "Ann": ("Axolotl", "娃娃鱼")}
"""Names that are easily taken for one another, and two words that each says and nobody else does."""
REFS, SESSIONS, SPEAKERS = ("m1", "m2", "m3", "m4"), ("morning", "晚上"), ("Mary", "李雷")
SAID = (
    "Yesterday {0} drank green tea in Porto",
    "昨天{1}在西湖边喝了龙井茶",
    "{0} 和 {1} went for a walk",
    # Word for word the same, whoever says it.
    "We drank green tea by the lake",
    "我们在湖边喝茶",
)
QUESTIONS = (
    " ".join(word for words in USERS.values() for word in words),
    "Who drank tea?",
    "谁喝了茶？",
    "Mary in Porto",
)
EVERYTHING = Plan(kinds=KINDS, limit=50)
BEGINNING = "2024-05-01T08:00:00Z"

IDS = (*(derived_id("message", ref) for ref in REFS), "frame m1", "frame of m1", "fact", "entity Mary", "insight")
"""Of records that every user may have."""
KEYS = {
    "records": 1,
    "postings": 1,
    "vectors": 2,
    "edges": 4,
    "tombstones": 1,
    "pending": 2,
    "pictures": 2,
    "access": 1,
}
"""How many columns the key of a table has, beside the scope."""

numbers = count()

OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(list(USERS)),
        st.sampled_from(
            ["say"] * 6
            + ["flush", "flush all", "reindex", "reindex all", "insight"]
            + ["forget id", "forget ref", "forget session", "forget everything"]
        ),
        st.integers(0, 39),
    ),
    min_size=5,
    max_size=10,
)

SETTLED = (
    ("ann", "say", 0), ("ann", "say", 21), ("ann", "say", 2), ("ann1", "say", 4), ("ann1", "say", 11),
    ("Ann", "say", 20), ("Ann", "say", 3), ("ann", "insight", 0), ("Ann", "insight", 0),
    ("ann", "forget id", 2), ("ann", "flush all", 0),
)  # fmt: skip
"""What happened before: everybody has said something, and somebody has forgotten what the others have not said yet."""


def run(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        # A step is dear: a few operations are read sooner than they are made fewer.
        phases=[Phase.explicit, Phase.generate],
        # The database lives as long as the test: examples are kept apart by the scopes they use.
        suppress_health_check=[
            HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow,
        ],
    )  # fmt: skip


def found_in(window: Sequence[Passage]) -> Extraction:
    """One record of each kind for each message and some for all, under ids that are the same for every user."""
    ids = tuple(p.id for p in window)
    return Extraction(
        frames=(
            Frame(scope="", id=f"frame {window[0].ref}", text="; ".join(p.text for p in window), sources=ids),
            *(Frame(scope="", id=f"frame of {p.ref}", text=p.text, sources=(p.id,)) for p in window),
        ),
        facts=(Fact(scope="", id="fact", text=window[0].text, subject=window[0].speaker, sources=ids),),
        entities=tuple(Entity(scope="", id=f"entity {p.speaker}", text=p.text, sources=(p.id,)) for p in window),
        notes=(Note(scope="", id="", text=window[0].text, namespace="n", key="k", value=window[-1].text, sources=ids),),
    )


@dataclass
class User:
    """What one user said and did not forget."""

    name: str
    scope: str
    words: tuple[str, str]
    said: dict[str, tuple[str, int, str, str]] = field(default_factory=dict[str, tuple[str, int, str, str]])
    """Session, place in it, speaker and text by message id, in order."""
    forgotten: set[str] = field(default_factory=set[str])
    exists: bool = False

    def forget(self, refs: Sequence[str]) -> None:
        for ref in refs:
            if self.said.pop(ref, None):
                self.forgotten.add(ref)


class World:
    """A memory, its users, and what each of them saw last."""

    def __init__(self, memory: AsyncMemory, store: Store, clock: FakeClock) -> None:
        self.memory, self.store, self.clock = memory, store, clock
        self.prefix = f"{next(numbers)}/"
        self.users = {name: User(name, self.prefix + name, words) for name, words in USERS.items()}
        self.seen: dict[str, dict[str, Any]] = {}
        self.sizes: dict[str, dict[str, int]] = {}

    async def settle(self) -> None:
        """Let happen what happened before."""
        for name, verb, number in SETTLED:
            self.clock.advance(60)
            await self._act(self.users[name], verb, number)
        await self._look()

    async def do(self, name: str, verb: str, number: int) -> None:
        """Carry out one operation, and see that it changed only what it may."""
        self.clock.advance(60)
        before, sizes = self.seen, self.sizes
        await self._act(self.users[name], verb, number)
        await self._look()
        for each, seen in self.seen.items():
            if (each != name and not verb.endswith("all")) or verb.startswith("reindex"):
                assert repr(seen) == repr(before[each]), f"{verb} of {name} changes what {each} sees"
                # How many bytes a row takes as it is read is for the engine to choose; a row takes more than that.
                assert self.sizes[each] == pytest.approx(sizes[each], abs=64)

    async def _look(self) -> None:
        sights = await asyncio.gather(*map(self.sight, self.users.values()))
        self.seen = dict(zip(self.users, sights, strict=True))
        self.sizes = {each: seen.pop("bytes") for each, seen in self.seen.items()}
        for each, user in self.users.items():
            self.agrees(user, self.seen[each])
        there = {user.scope for user in self.users.values() if user.exists}
        assert {scope for scope in await self.memory.scopes() if scope.startswith(self.prefix)} == there

    async def _act(self, user: User, verb: str, number: int) -> None:
        ref, session, speaker = REFS[number % 4], SESSIONS[number // 4 % 2], SPEAKERS[number // 8 % 2]
        message_id = derived_id("message", ref)
        match verb.split():
            case ["say"]:
                text = SAID[number % 5].format(*user.words)
                await self.memory.remember(user.scope, Message(text, id=ref, session=session, speaker=speaker))
                if ref not in user.forgotten:
                    places = [place for where, place, *_ in user.said.values() if where == session]
                    user.said.setdefault(ref, (session, max(places, default=-1) + 1, speaker, text))
                user.exists = True
            case ["flush", *every]:
                assert not (await self.memory.flush(None if every else user.scope)).errors
            case ["reindex", *every]:
                await self.memory.reindex(None if every else user.scope)
            case ["insight"] if user.said:
                source = derived_id("message", next(iter(user.said)))
                text = f"{user.words[0]} matters"
                insight = Insight(scope=user.scope, id="insight", text=text, sources=(source,))
                await self.store.write(
                    user.scope, Changes(add=(Entry(record=insight, terms=terms_of(insight)),), at=self.clock())
                )
            case ["forget", "id"]:
                assert bool(await self.memory.forget(user.scope, ids=[message_id])) == (ref in user.said)
                user.forget([ref])
            case ["forget", "ref"]:
                assert bool(await self.memory.forget(user.scope, refs=[ref])) == (ref in user.said)
                user.forget([ref])
            case ["forget", "session"]:
                await self.memory.forget(user.scope, session=session)
                user.forget([ref for ref, said in user.said.items() if said[0] == session])
            case ["forget", "everything"]:
                assert bool(await self.memory.forget(user.scope, everything=True)) == user.exists
                user.said.clear()
                user.forgotten.clear()
                user.exists = False
            case _:
                pass

    async def sight(self, user: User) -> dict[str, Any]:
        """All that a user can come to see, in every way there is."""
        memory, scope = self.memory, user.scope
        recalled = [await memory.recall(scope, question, EVERYTHING, explain=True) for question in QUESTIONS]
        known = await memory.recall(scope, QUESTIONS[0], EVERYTHING, as_of=self.clock())
        stats = await memory.stats(scope)
        return {
            "records": {kind: await memory.records(scope, kind) for kind in KINDS},
            "of a session": [await memory.records(scope, session=session) for session in SESSIONS],
            "of a speaker": [await memory.records(scope, speaker=speaker) for speaker in SPEAKERS],
            "mentioning": [await memory.records(scope, mentions=word) for words in USERS.values() for word in words],
            "hits": [found.hits for found in recalled],
            "known": known.hits,
            "early": (await memory.recall(scope, QUESTIONS[0], EVERYTHING, as_of=BEGINNING)).hits,
            "got": [await memory.get(scope, record_id) for record_id in IDS],
            "got now": [await memory.get(scope, record_id, as_of=self.clock()) for record_id in IDS],
            "got early": [await memory.get(scope, record_id, as_of=BEGINNING) for record_id in IDS],
            # In which order kinds and tasks are counted is for the engine to choose.
            "stats": (stats.scopes, stats.sessions, sorted(stats.records.items()), sorted(stats.pending.items())),
            "bytes": dict(stats.bytes),
            "check": await memory.check(scope),
            "pages": {table: await self._pages(scope, table) for table in MOVED},
            "how": [(found.confidence, found.degraded, found.trace) for found in recalled],
        }

    async def _pages(self, scope: str, table: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        while page := await self.store.page(scope, table, rows[-1][: KEYS[table]] if rows else None, 5):
            rows += page
        return rows

    def agrees(self, user: User, sight: dict[str, Any]) -> None:
        """See that a user sees what the model says, all of it and nothing else."""
        records = [record for kind in KINDS for record in sight["records"][kind]]
        passages = sight["records"]["passage"]
        assert [(p.ref, (p.session, p.seq, p.speaker, p.text)) for p in passages] == list(user.said.items())
        assert sight["of a session"] == [[p for p in passages if p.session == session] for session in SESSIONS]
        assert sight["of a speaker"] == [[p for p in passages if p.speaker == speaker] for speaker in SPEAKERS]
        self._own(user, sight)
        hits = [hit.record for hits in (*sight["hits"], sight["known"]) for hit in hits]
        assert all(record in records or record.kind == "entity" for record in hits)
        own_words = [p for p in passages if any(word in p.text for word in user.words)]
        assert {source for record in hits for source in record.sources} <= {p.id for p in passages}
        assert {p.id for p in own_words} <= {hit.record.id for hit in sight["hits"][0]}
        assert [hit.record.id for hit in sight["known"]] == [hit.record.id for hit in sight["hits"][0]]
        assert not sight["early"]
        assert [record and record.id for record in sight["got"]] == [
            name if name in {record.id for record in records} else None for name in IDS
        ]
        assert sight["got now"] == sight["got"]
        assert not any(sight["got early"])
        assert sight["check"] == []
        scopes, sessions, counts, _ = sight["stats"]
        assert scopes == user.exists
        assert sessions == len({session for session, *_ in user.said.values()})
        assert counts == sorted((kind, len(found)) for kind, found in sight["records"].items() if found)
        assert user.exists == any(self.sizes[user.name].values())
        self._pages_agree(user, sight["pages"], records)

    def _own(self, user: User, sight: dict[str, Any]) -> None:
        """Nothing names another scope or says another's word; only a trace repeats the question."""
        seen = repr({what: found for what, found in sight.items() if what != "how"})
        for other in self.users.values():
            if other is not user:
                assert f"'{other.scope}'" not in seen
                for word in other.words:
                    assert word not in seen
        for _, degraded, trace in sight["how"]:
            assert not degraded
            assert trace is None or set(trace.speakers) <= {speaker for _, _, speaker, _ in user.said.values()}
            assert trace is None or trace.pool <= len(user.said)

    def _pages_agree(self, user: User, pages: dict[str, Any], records: Sequence[Any]) -> None:
        owned = {derived_id("message", ref) for ref in user.said}
        rows = {row[0]: row for row in pages["records"]}
        # Of a note only an earlier value may be left, where what the later one was made from is forgotten.
        own = {row[1] for row in rows.values()}
        assert {record.id for record in records} <= own
        assert {row[1] for row in rows.values() if row[2] == "passage"} == owned
        assert {number for number, *_ in pages["postings"]} <= rows.keys()
        assert {number for _, number, *_ in pages["vectors"]} <= rows.keys()
        assert {(number, record_id) for _, number, record_id, *_ in pages["pending"]} <= {
            (number, row[1]) for number, row in rows.items()
        }
        assert {target for target, *_ in pages["edges"]} <= owned
        assert {source for _, _, source, *_ in pages["edges"]} <= own
        assert pages["tombstones"] == sorted((derived_id("message", ref),) for ref in user.forgotten)


async def live(db: str, operations: Sequence[tuple[str, str, int]], hot: int) -> None:
    clock = FakeClock(BEGINNING)
    store = open_store(db)
    memory = AsyncMemory(
        store,
        embedder=HashEmbedder(),
        extractor=FakeExtractor(found_in),
        settings=Settings(window=3, hot_bytes=hot),
        clock=clock,
        background=False,
    )
    async with memory:
        world = World(memory, store, clock)
        await world.settle()
        for operation in operations:
            await world.do(*operation)
        for name in USERS:
            await world.do(name, "flush", 0)
        for name in USERS:
            await world.do(name, "forget everything", 0)


@run(3)
@given(operations=OPERATIONS, hot=st.sampled_from([0, 2**20]))
async def test_nobody_sees_another(db: str, operations: list[tuple[str, str, int]], hot: int):
    await live(db, operations, hot)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@run(12)
@given(operations=OPERATIONS, hot=st.sampled_from([0, 2**20]))
async def test_nobody_sees_another_12_times(db: str, operations: list[tuple[str, str, int]], hot: int):
    await live(db, operations, hot)
