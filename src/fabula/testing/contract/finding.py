"""That listing and reading in bulk give what was asked for: filters, pages, citations and large requests.

It knows nothing of ranking: a list is in order of arrival.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fabula.abc import Changes, Edge, Erasure, Filter, Store
from fabula.testing.contract.making import NOON, entries, fact, frame, passage
from fabula.types import Entity, Insight, Interval, Kind, Note, Session

MANY = 5000


async def ids(store: Store, kind: Kind = "passage", **wanted: Any) -> list[str]:
    """Return the ids that `find` lists in scope u."""
    return [record.id for _, record in await store.find("u", Filter(kind=kind, **wanted))]


class FindingContract:
    """Listing and bulk reading."""

    async def test_find_pages_by_number(self, store: Store) -> None:
        """Pages that each continue behind the last one's number make up the whole list, oldest first."""
        await store.write(
            "u", Changes(add=entries(*(passage("u", f"p{n}", minute=-n) for n in range(7)), fact("u", "t")))
        )
        seen: list[str] = []
        after = -1
        while page := await store.find("u", Filter(kind="passage", limit=3, after=after)):
            assert len(page) <= 3
            assert [number for number, _ in page] == sorted(number for number, _ in page)
            seen += [record.id for _, record in page]
            after = page[-1][0]
        assert seen == [f"p{n}" for n in range(7)]

    async def test_find_filters_by_session_and_speaker(self, store: Store) -> None:
        """A filter is the exact name, and filters narrow each other."""
        said = [
            passage("u", "a", session="s", speaker="Ann"),
            passage("u", "b", session="s", speaker="Bob"),
            passage("u", "c", session="S", speaker="Ann"),
            passage("u", "d", session="s1", speaker="ann"),
        ]
        await store.write("u", Changes(add=entries(*said, frame("u", "f", "a", session="s"))))
        assert await ids(store, session="s") == ["a", "b"]
        assert await ids(store, speaker="Ann") == ["a", "c"]
        assert await ids(store, session="s", speaker="Ann") == ["a"]
        assert await ids(store, session="%") == []
        assert await ids(store, "frame", session="s") == ["f"]
        assert await ids(store, "frame", session="S") == []

    async def test_sessions_are_counted_and_paged(self, store: Store) -> None:
        """The latest told first, by when it was said; a prefix is literal, letter case counts."""
        talk = {"b": (5, 1), "a": (5,), "A": (9, 2, 3), "file:1": (20,), "f%": (0,), "": ()}
        said = [passage("u", f"{s}{m}", minute=m, session=s) for s, minutes in talk.items() for m in minutes]
        undated = passage("u", "x", session="undated", valid=None)
        at = NOON - timedelta(hours=1)
        await store.write("u", Changes(add=entries(*said, undated, frame("u", "f", "a5", session="none")), at=at))
        await store.write("v", Changes(add=entries(passage("v", "x", session="other"))))
        total, found = await store.sessions("u")
        assert (total, [one.id for one in found]) == (6, ["file:1", "A", "a", "b", "f%", "undated"])
        minute = timedelta(minutes=1)
        assert found[1] == Session(id="A", messages=3, first=NOON + 2 * minute, last=NOON + 9 * minute)
        assert found[-1] == Session(id="undated", messages=1, first=at, last=at)
        total, page = await store.sessions("u", limit=2, offset=1, without="f")
        assert (total, [one.id for one in page]) == (4, ["a", "b"])
        assert [one.id for one in (await store.sessions("u", without="f%"))[1]] == [
            "file:1", "A", "a", "b", "undated",
        ]  # fmt: skip
        assert await store.sessions("u", offset=9) == (6, [])
        assert await store.sessions("nobody") == (0, [])

    async def test_find_filters_by_time(self, store: Store) -> None:
        """`during` takes start <= t < end, in whatever zone; an undated passage is in no stretch of time."""
        said = [passage("u", f"p{n}", minute=n) for n in range(4)]
        await store.write("u", Changes(add=entries(*said, passage("u", "undated", valid=None))))
        first, third = NOON + timedelta(minutes=1), (NOON + timedelta(minutes=3)).astimezone(UTC)
        assert await ids(store, during=Interval(start=first, end=third)) == ["p1", "p2"]
        assert await ids(store, during=Interval(start=first + timedelta(microseconds=1), end=third)) == ["p2"]
        assert await ids(store, during=Interval(start=third)) == ["p3"]
        assert await ids(store, during=Interval(end=first)) == ["p0"]
        assert await ids(store) == ["p0", "p1", "p2", "p3", "undated"]

    @pytest.mark.parametrize(
        ("mentions", "found"),
        [
            ("tea", ["a", "b"]),
            ("GREEN", ["b"]),
            ("喝茶", ["c"]),
            ("100%", ["d"]),
            ("0%", ["d"]),
            ("%", ["d"]),
            ("_", ["e"]),
            ("\\", ["f"]),
            ("'", ["g"]),
            ("🍵", ["c"]),
            ("coffee", []),
        ],
    )
    async def test_find_by_mention(self, store: Store, mentions: str, found: list[str]) -> None:
        """A mention is a literal part of the text, letter case aside."""
        said = ["Tea, please", "green TEA", "我喜欢喝茶🍵", "100% sure", "snake_case", "back\\slash", "it's"]
        records = [passage("u", name, text) for name, text in zip("abcdefg", said, strict=True)]
        await store.write("u", Changes(add=entries(*records)))
        assert await ids(store, mentions=mentions) == found

    async def test_mentions_fold_case_beyond_ascii(self, store: Store) -> None:
        """Letter case is aside in every alphabet."""
        await store.write("u", Changes(add=entries(passage("u", "a", "Café Zürich"), passage("u", "b", "Привет"))))
        assert await ids(store, mentions="CAFÉ ZÜ") == ["a"]
        assert await ids(store, mentions="привет") == ["b"]

    async def test_mentions_count_towards_the_limit_only_when_they_match(self, store: Store) -> None:
        """The limit holds for what is found, not for what is looked at, and paging goes on behind it."""
        said = [passage("u", f"p{n}", "tea" if n % 50 == 49 else "water") for n in range(200)]
        await store.write("u", Changes(add=entries(*said)))
        first = await store.find("u", Filter(kind="passage", mentions="TEA", limit=2))
        assert [record.id for _, record in first] == ["p49", "p99"]
        assert await ids(store, mentions="TEA", limit=2, after=first[-1][0]) == ["p149", "p199"]

    async def test_find_filters_by_status(self, store: Store) -> None:
        """Live records by default; any status, or all, when asked."""
        await store.write(
            "u",
            Changes(
                add=entries(fact("u", "a"), fact("u", "b", status="superseded"), fact("u", "c", status="archived"))
            ),
        )
        assert await ids(store, "fact") == ["a"]
        assert await ids(store, "fact", status="superseded") == ["b"]
        assert await ids(store, "fact", status=None) == ["a", "b", "c"]

    async def test_notes_are_listed_by_their_keys(self, store: Store) -> None:
        """Those of one namespace, in the order of their keys as code points; a prefix stands for itself."""
        keys = ["b", "a_1", "ax1", "a%", "a", "a b", 'a"', "a\\", "茶", "A", "a!"]
        named = [("n", key) for key in keys] + [("nn", "a"), ('n", "a', "a")]
        notes = [
            Note(scope="u", id=f"n{place}", text="", namespace=namespace, key=key)
            for place, (namespace, key) in enumerate(named)
        ]
        await store.write("u", Changes(add=entries(*notes), at=NOON))

        async def listed(prefix: str = "", after: str = "", limit: int = 99) -> list[str]:
            return [one.key for one in await store.notes("u", "n", prefix=prefix, after=after, limit=limit)]

        assert await listed() == sorted(keys)
        assert await listed("a_") == ["a_1"]
        assert await listed("a%") == ["a%"]
        assert await listed('a"') == ['a"']
        assert await listed(after='a"', limit=2) == [key for key in sorted(keys) if key > 'a"'][:2]
        later = NOON + timedelta(hours=1)
        await store.write("u", Changes(close=("n0",), at=later))
        assert "b" not in await listed()
        for moment, there in ((NOON, True), (later, False)):
            then = await store.notes("u", "n", prefix="", after="", limit=99, as_of=moment)
            assert ("b" in [one.key for one in then]) == there
            assert len(then) == len(keys) - (not there)
        assert await store.notes("u", "n", prefix="", after="", limit=99, as_of=NOON - timedelta(seconds=1)) == []
        assert await store.notes("v", "n", prefix="", after="", limit=9) == []

    async def test_citing_gives_what_was_made_from_records(self, store: Store) -> None:
        """Every record of the wanted kinds with one of the ids among its sources, once."""
        added = entries(
            passage("u", "a"),
            passage("u", "b"),
            frame("u", "f", "a", "b"),
            fact("u", "t", "b", "f"),
            Insight(scope="u", id="i", text="x", sources=("t",)),
        )
        await store.write("u", Changes(add=added))

        async def citing(sources: list[str], kinds: list[Kind]) -> list[str]:
            return sorted(record.id for record in await store.citing("u", sources, kinds))

        assert await citing(["a"], ["frame", "fact", "insight"]) == ["f"]
        assert await citing(["a", "b"], ["frame", "fact"]) == ["f", "t"]
        assert await citing(["b"], ["fact"]) == ["t"]
        assert await citing(["t"], ["insight", "fact"]) == ["i"]
        assert await citing(["i", "nothing"], ["frame", "fact", "insight"]) == []
        ((got),) = await store.citing("u", ["a"], ["frame"])
        assert got == (await store.get("u", ["f"]))["f"]

    async def test_citing_gives_who_is_mentioned(self, store: Store) -> None:
        """An entity that a passage mentions is found by the passage, though not made from it."""
        who = [Entity(scope="u", id=name, text=name, sources=("a",)) for name in ("e1", "e2")]
        added = entries(passage("u", "a"), passage("u", "b"), *who)
        edge = Edge(source="e1", target="b", kind="mentions")
        await store.write("u", Changes(add=added, edges=(edge,)))
        await store.write("u", Changes(edges=(edge, Edge(source="e2", target="a", kind="mentions"))))
        assert [record.id for record in await store.citing("u", ["b"], ["entity"])] == ["e1"]
        assert [record.id for record in await store.citing("u", ["a"], ["entity"])] == ["e1", "e2"]
        assert [record.sources for record in await store.citing("u", ["b"], ["entity"])] == [("a", "b")]
        assert await store.citing("v", ["b"], ["entity"]) == []

    async def test_thousands_in_one_call(self, store: Store) -> None:
        """No bulk call has a limit a caller would meet."""
        names = [f"p{n}" for n in range(MANY)]
        said = [passage("u", name, "x", session=f"s{n % 7}") for n, name in enumerate(names)]
        written = await store.write("u", Changes(add=entries(*said, fact("u", "t", *names), tasks=("extract",))))
        assert not written.present
        assert (await store.get("u", names)).keys() == set(names)
        numbered = await store.find("u", Filter(kind="passage", limit=MANY * 2))
        assert [record.id for _, record in numbered] == names
        assert await store.fetch("u", [number for number, _ in numbered]) == dict(numbered)
        assert [record.id for record in await store.citing("u", names, ["fact"])] == ["t"]
        hashes = [name.encode().ljust(16) for name in names]
        assert await store.cached("u", "space", hashes) == {}
        again = await store.write(
            "u", Changes(add=entries(*said), done=tuple(("extract", name) for name in names[: MANY - 1]))
        )
        assert again.present.keys() == set(names)
        assert {work.id for work in await store.pending("u", "extract", limit=MANY)} == {names[-1], "t"}
        assert await store.erase("u", Erasure(ids=tuple(names)))
        assert await store.get("u", [*names, "t"]) == {}

    async def test_nothing_asked_is_nothing_given(self, store: Store) -> None:
        """Empty requests are answered, in scopes that exist and in those that do not."""
        await store.write("u", Changes(add=entries(passage("u", "a"))))
        for scope in ("u", "nobody"):
            assert await store.get(scope, []) == {}
            assert await store.fetch(scope, []) == {}
            assert await store.citing(scope, [], ["fact"]) == []
            assert await store.citing(scope, ["a"], []) == []
            assert await store.cached(scope, "space", []) == {}
            assert not await store.erase(scope, Erasure())
            assert await store.get(scope, ["nothing"]) == {}
            assert await store.get(scope, ["nothing"], as_of=datetime.now(UTC)) == {}
            assert await store.fetch(scope, [-1, 10**9]) == {}
        assert await store.find("nobody", Filter(kind="passage")) == []
        assert await store.lease("w", [], NOON, 60) is None
        await store.write("u", Changes())
        assert list(await store.get("u", ["a", "a"])) == ["a"]

    async def test_reading_makes_no_scope(self, store: Store) -> None:
        """A scope exists when something was written to it."""
        await store.load("nobody", "")
        await store.get("nobody", ["a"])
        await store.erase("nobody", Erasure(everything=True))
        await store.stats("nobody")
        assert await store.scopes() == []

    async def test_an_open_start_reaches_back(self, store: Store) -> None:
        """What held until 2020 held in 2010, and what holds since 2020 holds in 2030."""
        turn = datetime(2020, 1, 1, tzinfo=UTC)
        facts = [
            fact("u", "until", valid=Interval(end=turn)),
            fact("u", "since", valid=Interval(start=turn)),
            fact("u", "always", valid=Interval()),
            fact("u", "undated"),
        ]
        await store.write("u", Changes(add=entries(*facts)))
        found: dict[int, list[str]] = {}
        for start, end in ((2010, 2015), (2019, 2021), (2020, 2021), (2021, 2022)):
            during = Interval(start=datetime(start, 1, 1, tzinfo=UTC), end=datetime(end, 1, 1, tzinfo=UTC))
            listed = await store.find("u", Filter(kind="fact", during=during))
            found[start] = [record.id for _, record in listed if record.id in ("until", "since")]
        assert found == {2010: ["until"], 2019: ["until", "since"], 2020: ["since"], 2021: ["since"]}
