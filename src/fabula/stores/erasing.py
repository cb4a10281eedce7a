"""What erasing does, as steps of named statements: what goes with what, and where; knows no driver.

A derived version goes when a source of it goes, and what is left of its sources is read again. Only an entity stays
while another source is left, and a fact or a note while those are whose words it has. A fact that was ended by one that
goes holds again. What was tied by an alias that one told that goes is tied by what it names, and what became one by it
is two again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from fabula.abc import Erasure
from fabula.frames import CONTESTED
from fabula.index import LINK, LINKS
from fabula.names import NAMED_BY, TOOK, entity_id, normal
from fabula.stores.layouts import Layout
from fabula.stores.rows import from_row, pack, repack, to_row
from fabula.stores.statements import TABLES, Do, Rows, Steps
from fabula.stores.writing import OwnRow, copying, edge_of, take, work_on
from fabula.text import hash_term
from fabula.timeline import COMPRESSED, SUPERSEDED_BY, dated, reopened, settled, spoken_of, thread, worders
from fabula.types import Entity, Fact, Forgotten, Frame, Kind, Link, Record

PAGE: Final = 1000
TIES: Final[tuple[Link, ...]] = ("subject", "object", "names")
"""The links to those who are spoken of by name."""


@dataclass(slots=True)
class _Doom:
    """What an erasure reaches."""

    gone: set[str] = field(default_factory=set[str])
    """Ids of which nothing is left."""
    versions: dict[int, Sequence[Any]] = field(default_factory=dict[int, Sequence[Any]])
    """The rows to delete, by number."""
    left: dict[str, dict[int, tuple[str, list[str]]]] = field(
        default_factory=dict[str, dict[int, tuple[str, list[str]]]]
    )
    """Of the ids that stay in part: data and remaining sources by number."""
    unnamed: bool = False
    """Whether an alias goes."""
    tied: dict[int, Fact | Frame] = field(default_factory=dict[int, "Fact | Frame"])
    """The versions, by number, that are tied by an alias that goes."""
    freed: set[str] = field(default_factory=set[str])
    """What became one with another by what goes, and the passages that told more of it since."""
    tellers: set[str] = field(default_factory=set[str])
    """All passages that told that these were one."""
    mentioned: dict[str, str] = field(default_factory=dict[str, str])
    """Entities whose versions tell names that go, each with a passage in which it occurs still."""


def erase(scope: str, erasure: Erasure, layout: Layout) -> Steps[Forgotten]:
    """See `Store.erase`."""
    rows = yield Do("lock_scope", {"scope": scope})
    if erasure.everything and (rows or (yield from copying(scope))):
        return Forgotten(rows=(yield from empty(scope, layout)))
    if not rows:
        return Forgotten()
    ids = set(erasure.ids)
    if erasure.session is not None:
        rows = yield Do("session_ids", {"scope": scope, "session": erasure.session})
        ids |= {row[0] for row in rows}
    ids |= yield from _parts(scope, ids)
    doom = yield from _reach(scope, ids)
    yield from _restore(scope, doom)
    if not doom.versions:
        return Forgotten()
    state = yield from take(scope)
    counts = {"vectors": (yield from layout.erase(scope, doom.versions))}
    counts |= yield from _erase_rows(scope, doom, ids)
    yield from _narrow(state, doom)
    yield from _untie(scope, doom)
    kept = yield from _reopen(state, doom)
    if doom.unnamed:
        yield from _tie_anew(state, doom)
    yield from _part(state, doom)  # last, since what is tied anew is written as it was read
    yield from _let_hold(state, doom)
    yield from _read_again(scope, doom, ids, kept)
    state.reset = state.revision
    yield state.left()
    return Forgotten(rows=counts)


def empty(scope: str, layout: Layout) -> Steps[dict[str, int]]:
    """Remove everything there is of a scope; return the rows by table."""
    yield Do("hold_lease", {"scope": scope})  # before its work, as everywhere
    counts = {"vectors": (yield from layout.empty(scope))}
    for table in TABLES:
        if table not in counts:
            counts[table] = len((yield Do(f"empty_{table}", {"scope": scope})))
    return counts


def _reach(scope: str, ids: Iterable[str]) -> Steps[_Doom]:
    doom = _Doom()
    wave = sorted(ids)
    while wave:
        rows = yield Do("all_versions", {"scope": scope, "ids": wave})
        doom.versions |= {row[0]: row for row in rows}
        doom.gone |= {row[1] for row in rows}
        rows = yield Do("citing_ids", {"scope": scope, "ids": wave})
        derived = [row[0] for row in rows if row[0] not in doom.gone]
        rows = yield Do("all_versions", {"scope": scope, "ids": derived})
        for record_id in derived:
            doom.left[record_id] = {}
        for row in rows:
            doom.tellers.update(*_freed(from_row(scope, row), doom).values())
        for row in rows:
            yield from _judge(scope, row, doom)
        if doom.unnamed and not doom.tied:
            derived += yield from _judge_tied(scope, doom)
        wave = sorted(record_id for record_id in derived if not doom.left[record_id])
        for record_id in wave:
            del doom.left[record_id]
    return doom


def _judge(scope: str, row: Sequence[Any], doom: _Doom) -> Steps[None]:
    """Whether a version that may cite what goes, goes too."""
    number, record_id, kind = row[:3]
    if number in doom.versions:
        return
    record = from_row(scope, row)
    sources = record.sources
    left = [source for source in sources if source not in doom.gone]
    # What stands for several facts says no more who was meant in each.
    named = (kind != "entity" and COMPRESSED not in record.meta) or doom.gone.isdisjoint(record.meta.get(NAMED_BY, ()))
    doom.unnamed = doom.unnamed or not named
    if freed := _freed(record, doom):
        doom.freed |= freed.keys()
        rows: Rows = yield Do("all_versions", {"scope": scope, "ids": sorted(freed)})
        theirs = freed.keys() | {source for other in rows for source in from_row(scope, other).sources}
        left = left if kind == "entity" else [source for source in left if source not in theirs]
    if kind == "entity" and not (left and named):
        mentions: Rows = yield Do("mentions", {"scope": scope, "id": record_id})
        away = doom.gone | doom.tellers
        left = sorted(target for target, told in mentions if target not in doom.gone and told not in away)[:1]
        if left and not named:
            doom.mentioned[record_id] = left[0]
    stays = bool(left) or not sources if kind == "entity" else set(worders(record)) <= set(left)
    if named and stays:
        doom.left[record_id][number] = (row[9], left)
    else:
        doom.versions[number] = row


def _freed(record: Record, doom: _Doom) -> dict[str, list[str]]:
    """What a version has taken in because of what goes, and the passages that told so."""
    return {other: told for other, told in record.meta.get(TOOK, {}).items() if not doom.gone.isdisjoint(told)}


def _judge_tied(scope: str, doom: _Doom) -> Steps[list[str]]:
    """Judge also what is tied by an alias that goes, and return the ids of what was not judged before."""
    more: list[str] = []
    for kind in ("fact", "frame"):
        versions = yield from _versions(scope, kind)
        told = {n: record for n, record in versions.items() if not doom.gone.isdisjoint(record.meta.get(NAMED_BY, ()))}
        doom.tied |= {n: record for n, record in told.items() if isinstance(record, Fact | Frame)}
        more += {record.id for record in told.values()} - doom.left.keys() - doom.gone
    rows = yield Do("all_versions", {"scope": scope, "ids": sorted(more)})
    doom.left |= {record_id: {} for record_id in more}
    for row in rows:
        yield from _judge(scope, row, doom)
    return more


def _parts(scope: str, ids: set[str]) -> Steps[set[str]]:
    """The archived facts that some of these stand for: who forgets one by name means all that it says."""
    rows = yield Do("live_records", {"scope": scope, "ids": sorted(ids)})
    return {part for row in rows for part in from_row(scope, row).meta.get(COMPRESSED, ())}


def _restore(scope: str, doom: _Doom) -> Steps[None]:
    """Let what a fact stood for that goes be what it was: without the version that was archived."""
    goes = [from_row(scope, row) for row in doom.versions.values() if row[2] == "fact" and row[15] is None]
    parts = {part for fact in goes for part in fact.meta.get(COMPRESSED, ())} - doom.gone
    for row in (yield Do("all_versions", {"scope": scope, "ids": sorted(parts)})):
        number, record_id = row[:2]
        if number in doom.versions:
            continue
        left = doom.left.setdefault(record_id, {})
        record = from_row(scope, row)
        if record.status == "archived":
            doom.versions[number] = row
            left.pop(number, None)
        else:
            left.setdefault(number, (row[9], [one for one in record.sources if one not in doom.gone]))


def _erase_rows(scope: str, doom: _Doom, named: set[str]) -> Steps[dict[str, int]]:
    numbers, touched = sorted(doom.versions), sorted({row[1] for row in doom.versions.values()})
    records = yield Do("delete_records", {"scope": scope, "numbers": numbers})
    postings = yield Do("delete_terms", {"scope": scope, "numbers": numbers})
    # An entity that is read of again, under the name that is left, occurs where it did.
    edges = yield Do("delete_edges", {"scope": scope, "ids": sorted(doom.gone - doom.mentioned.keys())})
    yield Do("delete_edges_from", {"scope": scope, "ids": sorted(doom.gone & doom.mentioned.keys())})
    pending = yield Do("delete_pending", {"scope": scope, "ids": touched})
    pictures = yield Do("delete_pictures", {"scope": scope, "ids": touched})
    access = yield Do("delete_access", {"scope": scope, "ids": sorted(doom.gone)})
    embeddings = yield Do("clear_embeddings", {"scope": scope})
    # What was forgotten by name is not made again, neither by an import nor by an extraction.
    stay_away = sorted({row[1] for row in doom.versions.values() if row[2] == "passage" or row[1] in named})
    yield Do("put_tombstone", [{"scope": scope, "id": record_id} for record_id in stay_away])
    return {
        "records": len(records), "postings": len(postings), "edges": len(edges), "pending": len(pending),
        "embeddings": len(embeddings), "pictures": len(pictures), "access": len(access),
    }  # fmt: skip


def _narrow(state: OwnRow, doom: _Doom) -> Steps[None]:
    for record_id, versions in doom.left.items():
        for number, (data, left) in versions.items():
            yield Do("rewrite_data", {"scope": state.scope, "number": number, "data": repack(data, left),
                                      "revision": state.revision})  # fmt: skip
        yield Do("delete_edges_from", {"scope": state.scope, "ids": [record_id]})
        sources = sorted({source for _, left in versions.values() for source in left})
        if sources:
            yield Do("put_edge", [edge_of(state, record_id, source) for source in sources])


def _untie(scope: str, doom: _Doom) -> Steps[None]:
    """Let what is left in part cite in the index what it still cites."""
    sources = {number: left for versions in doom.left.values() for number, (_, left) in versions.items()}
    cites = LINKS.index("cites")
    rows = yield Do("record_links", {"scope": scope, "numbers": sorted(sources)})
    for number, packed in rows:
        links = np.frombuffer(packed, LINK)
        if (links["kind"] == cites).any():
            kept = np.array([(hash_term(source), cites) for source in sources[number]], LINK)
            links = np.concatenate((kept, links[links["kind"] != cites]))
            yield Do("rewrite_links", {"scope": scope, "number": number, "links": links.tobytes()})


def _part(state: OwnRow, doom: _Doom) -> Steps[None]:
    """Take from what stays what it knows of those that are gone: their ids, which are made of names, and the ties to
    those who were named by what goes; who is alike still is tied when it is embedded anew."""
    kinds = {row[1]: row[2] for row in doom.versions.values()}
    away = {kind: {one for one in doom.gone if kinds.get(one) == kind} for kind in ("fact", "frame")}
    entities = [from_row(state.scope, row) for row in doom.versions.values() if row[2] == "entity"]
    named = {one.id for one in entities if not doom.gone.isdisjoint(one.meta.get(NAMED_BY, ()))}
    synonyms = named | {one.id for one in entities if one.id in doom.gone}
    if synonyms:
        for number, entity in (yield from _versions(state.scope, "entity")).items():
            yield from _rewrite(state, number, entity, _parted(entity, "synonym", synonyms))
    if away["fact"] or away["frame"]:
        for number, frame in (yield from _versions(state.scope, "frame")).items():
            parted = _parted(frame, "fused", away["frame"])
            told = [one for one in frame.meta.get(CONTESTED, ()) if one not in away["fact"]]
            meta = {name: value for name, value in frame.meta.items() if name != CONTESTED}
            yield from _rewrite(state, number, frame, replace(parted, meta={**meta, CONTESTED: told} if told else meta))


def _parted(record: Record, kind: Link, away: set[str]) -> Record:
    """A record without its ties of a kind to some."""
    links = {**record.links, kind: tuple(one for one in record.links.get(kind, ()) if one not in away)}
    return replace(record, links={name: ids for name, ids in links.items() if ids})


def _rewrite(state: OwnRow, number: int, record: Record, parted: Record) -> Steps[None]:
    """Write a version without some of what it was tied to, if it was."""
    if pack(parted) == pack(record):
        return
    yield Do("rewrite_data", {"scope": state.scope, "number": number, "data": pack(parted),
                              "revision": state.revision})  # fmt: skip
    cut = {
        (hash_term(one), LINKS.index(kind))
        for kind, ids in record.links.items()
        for one in set(ids).difference(parted.links.get(kind, ()))
    }
    for _, packed in (yield Do("record_links", {"scope": state.scope, "numbers": [number]})):
        kept = [
            one for link in np.frombuffer(packed, LINK) if (one := (int(link["key"]), int(link["kind"]))) not in cut
        ]
        yield Do("rewrite_links", {"scope": state.scope, "number": number, "links": np.array(kept, LINK).tobytes()})


def _reopen(state: OwnRow, doom: _Doom) -> Steps[set[str]]:
    """Believe the last version that is left of a record again, where the one believed now goes; return its sources."""
    ended = {row[1] for row in doom.versions.values() if row[15] is None} - doom.gone
    last = [(max(doom.left[record_id]), record_id) for record_id in sorted(ended)]
    rows = yield Do("all_versions", {"scope": state.scope, "ids": sorted(doom.freed)})
    there = {row[1] for row in rows if row[15] is None}
    freed: dict[str, int] = {}
    for row in rows:
        if row[1] not in there:
            freed[row[1]] = max(row[0], freed.get(row[1], row[0]))
    last += [(number, record_id) for record_id, number in freed.items()]
    if last:
        numbers = [number for number, _ in last]
        yield Do("reopen_records", {"scope": state.scope, "numbers": numbers, "revision": state.revision})
        # It may have been ended before it was embedded.
        yield Do("put_pending", [
            {"scope": state.scope, "task": "embed", "number": number, "id": record_id, "session": "", "due": 0}
            for number, record_id in last
        ])  # fmt: skip
    left = (doom.left[record_id][number][1] for number, record_id in last if record_id in doom.left)
    return {source for sources in left for source in sources}


def _tie_anew(state: OwnRow, doom: _Doom) -> Steps[None]:
    """Tie by what is left of the names what was tied by an alias that goes."""
    yield Do("delete_mentions_told", {"scope": state.scope, "ids": sorted(doom.gone | doom.tellers)})
    people = yield from _versions(state.scope, "entity", ended=False)
    bearers: dict[str, list[Entity]] = {}
    for entity in people.values():
        if isinstance(entity, Entity) and entity.status != "archived":
            for name in dict.fromkeys(map(normal, (entity.text, *entity.aliases))):
                bearers.setdefault(name, []).append(entity)

    def who(name: str) -> str:
        known = bearers.get(normal(name), [])
        own = [one.id for one in known if len(known) == 1 or normal(one.text) == normal(name)]
        return own[0] if len(own) == 1 else entity_id(name)

    for number, record in doom.tied.items():
        if number in doom.versions:
            continue
        sources = doom.left.get(record.id, {}).get(number, ("", list(record.sources)))[1]
        told = [one for one in record.meta[NAMED_BY] if one not in doom.gone]
        took = {other: by for other, by in record.meta.get(TOOK, {}).items() if other not in doom.freed}
        meta = {**record.meta, NAMED_BY: told, TOOK: took}
        meta = {name: value for name, value in meta.items() if value or name not in (NAMED_BY, TOOK)}
        ties = {kind: tuple(dict.fromkeys(map(who, names))) for kind, names in spoken_of(record).items()}
        now = replace(record, sources=tuple(sources), meta=meta, links={**record.links, **ties})
        yield Do("rewrite_fact", _columns(to_row(now, number, state.revision, 0)))
        rows = yield Do("record_links", {"scope": state.scope, "numbers": [number]})
        for _, packed in rows:
            kept = [tuple(link) for link in np.frombuffer(packed, LINK) if LINKS[link["kind"]] not in TIES]
            fresh = [(hash_term(one), LINKS.index(kind)) for kind in TIES for one in now.links.get(kind, ())]
            links = np.array([*kept, *fresh], LINK).tobytes()
            yield Do("rewrite_links", {"scope": state.scope, "number": number, "links": links})


def _let_hold(state: OwnRow, doom: _Doom) -> Steps[None]:
    """Let facts hold again that were ended by one that is gone, or told less, until the next that ends them."""
    lost = [from_row(state.scope, row) for row in doom.versions.values() if row[2] == "fact"]
    threads = {thread(fact) for fact in (*lost, *doom.tied.values()) if isinstance(fact, Fact)} - {None}
    if not threads:
        return
    loose = doom.gone | {fact.id for fact in (*lost, *doom.tied.values())}
    less = {fact.id for fact in lost} - doom.gone
    # The version that is believed again may be from before it was ended.
    ended_since = {fact.id for fact in filter(_believed, lost) if SUPERSEDED_BY in fact.meta}
    versions = {n: fact for n, fact in (yield from _versions(state.scope, "fact")).items() if isinstance(fact, Fact)}
    threads |= {thread(fact) for n, fact in versions.items() if n in doom.tied} - {None}
    related = {n: fact for n, fact in versions.items() if thread(fact) in threads and fact.status != "archived"}
    by = {n: fact.meta.get(SUPERSEDED_BY) for n, fact in related.items()}
    held = {n: reopened(fact) for n, fact in related.items() if by[n] in loose or (by[n] and n in doom.tied)}
    held |= {n: reopened(fact) for n, fact in related.items() if fact.id in ended_since and _believed(fact)}
    sources = {source for fact in related.values() for source in fact.sources} if held else set[str]()
    rows = yield Do("live_records", {"scope": state.scope, "ids": sorted(sources)})
    said: dict[str, Record] = {row[1]: from_row(state.scope, row) for row in rows}
    now = {n: held.get(n, fact) for n, fact in related.items() if _believed(fact)}
    for one in {thread(fact) for fact in held.values()}:
        told = [dated(fact, said) for fact in now.values() if thread(fact) == one]
        ended = {fact.id: fact for fact in settled(told)}
        held |= {n: ended[fact.id] for n, fact in held.items() if n in now and thread(fact) == one}
    current = {fact.id: fact for fact in now.values()}
    for n in held.keys() - now.keys():
        # What ended it in the past ends it still, but as it is told by what is left.
        if (by_ := current.get(by[n] or "")) is not None and by_.id in less:
            both = [dated(held[n], said), dated(by_, said)]
            held[n] = next(fact for fact in settled(both) if fact.id == held[n].id)
    for number, fact in held.items():
        yield Do("rewrite_fact", _columns(to_row(fact, number, state.revision, 0)))


def _believed(record: Record) -> bool:
    return record.recorded is None or record.recorded.end is None


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    names = ("scope", "number", "status", "data", "valid_from", "valid_to", "precision", "revision")
    return {name: row[name] for name in names}


def _versions(scope: str, kind: Kind, *, ended: bool = True) -> Steps[dict[int, Record]]:
    """Every version of every record of a kind, by number, or only those that are believed."""
    found: dict[int, Record] = {}
    params: dict[str, Any] = dict.fromkeys(("session", "speaker", "status", "start", "end"))
    params |= {"scope": scope, "kind": kind, "ended": ended, "after": -1, "limit": PAGE}
    while rows := (yield Do("list_records", params)):
        found |= {row[0]: from_row(scope, row) for row in rows}
        params = {**params, "after": rows[-1][0]}
    return found


def _read_again(scope: str, doom: _Doom, named: set[str], kept: set[str]) -> Steps[None]:
    """What told something that goes, and stays, is extracted again, so that nothing but the erased is lost.

    So is where an entity occurs still, and what told a name of it after the one that goes was told; not what is `kept`
    in an earlier version.
    """
    lost = [from_row(scope, row) for row in doom.versions.values() if row[1] not in named]
    sources = {source for record in lost if record.kind != "entity" for source in record.sources}
    sources |= {source for record in lost if record.id not in doom.gone for source in record.meta.get(NAMED_BY, ())}
    sources |= doom.freed
    sources |= {source for record_id, source in doom.mentioned.items() if record_id in doom.gone - named}
    sources -= doom.gone | kept
    rows = yield Do("live_records", {"scope": scope, "ids": sorted(sources)})
    work = work_on(scope, "extract", [row for row in rows if row[2] == "passage"])
    if work:
        yield Do("put_pending", work)
