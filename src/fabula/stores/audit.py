"""Whether everything in a scope agrees with everything else; finds faults, mends none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from fabula.abc import SEARCHED
from fabula.errors import Unfinished
from fabula.stores.layouts import Layout
from fabula.stores.rows import from_row
from fabula.stores.statements import COPYING, Do, Steps
from fabula.types import Passage, Record


def scopes() -> Steps[list[str]]:
    """Every scope there is, and those that are there by half."""
    whole = yield Do("all_scopes", {})
    leases = yield Do("all_leases", {})
    return sorted({row[0] for row in whole} | {scope for scope, worker, _ in leases if worker.startswith(COPYING)})


def check(scope: str, layout: Layout) -> Steps[list[str]]:
    """See `Store.check`, for one scope."""
    rows = yield Do("scope_state", {"scope": scope})
    if not rows:
        held = yield Do("lease_of", {"scope": scope})
        return [str(Unfinished(scope))] if any(worker.startswith(COPYING) for worker, _ in held) else []
    revision, _, next_number, _, space = rows[0]
    records = yield Do("audit_records", {"scope": scope})
    problems: list[str] = []

    def report(what: str, who: Iterable[object]) -> None:
        found = sorted(map(str, who))
        if found:
            problems.append(f"{scope}: {len(found)} {what}: {', '.join(found[:3])}{' …' if len(found) > 3 else ''}")

    ids = {row[1] for row in records}
    numbers = {row[0]: row[1] for row in records}
    live = {row[1]: row for row in records if row[5]}
    report("live twice", (k for k, n in Counter(r[1] for r in records if r[5]).items() if n > 1))
    report("newer than their scope", (row[1] for row in records if row[4] > revision or row[0] >= next_number))

    terms = {row[0] for row in (yield Do("audit_terms", {"scope": scope}))}
    bare = {r[0] for r in records if r[2] in SEARCHED and r[0] not in terms}
    blank = yield from _blank(scope, bare)
    report("without keyword terms", (numbers[number] for number in bare - blank))
    report("terms without a record", terms - set(numbers))

    chunks = yield Do("audit_vectors", {"scope": scope})
    embedded: Counter[int] = Counter()
    try:
        for who, _ in layout.blocks([row[1:] for row in chunks if row[0] == space]):
            embedded.update(who.tolist())
    except ValueError:  # numbers and vectors do not fit together
        report("space with damaged vectors", [space])
    report("vectors without a record", set(embedded) - set(numbers))
    report("vectors twice", (numbers[n] for n, count in embedded.items() if count > 1 and n in numbers))
    waiting = yield Do("audit_pending", {"scope": scope})
    report("work without a record", (f"{row[0]} {row[1]}" for row in waiting if row[1] not in ids))
    embedding = {row[1] for row in waiting if row[0] == "embed"}
    missing = {r[0] for r in live.values() if r[2] == "passage" and r[0] not in embedded and r[1] not in embedding}
    wordless = yield from _wordless(scope, missing)
    report("passages neither embedded nor waiting for it", (numbers[number] for number in missing - wordless))

    edges = {(row[0], row[1]) for row in (yield Do("audit_edges", {"scope": scope}))}
    cited = {(r[1], source) for r in records for source in json.loads(r[3]).get("sources", ())}
    report("provenance edges without a source", (edge[0] for edge in edges - cited))
    report("sources without a provenance edge", (edge[0] for edge in cited - edges))
    report("sources that do not exist", (edge[1] for edge in cited if edge[1] not in ids))

    kept = {(row[0], row[1]) for row in (yield Do("audit_pictures", {"scope": scope}))}
    told = {(r[1], place) for r in records if r[2] == "passage" for place in _pictured(r[3])}
    report("pictures that no passage tells of", (picture[0] for picture in kept - told))
    report("passages whose picture is gone", (picture[0] for picture in told - kept))
    used = {row[0] for row in (yield Do("audit_access", {"scope": scope}))}
    report("counts of what is not there", used - ids)
    return problems


def _pictured(data: str) -> list[int]:
    """The places of the images of which the picture is kept."""
    return [place for place, image in enumerate(json.loads(data).get("images", ())) if image[3:]]


def _blank(scope: str, numbers: set[int]) -> Steps[set[int]]:
    """Those that have no terms, on purpose."""
    found = yield from _numbered(scope, numbers)
    return {n for n, r in found.items() if r.status == "archived" or (isinstance(r, Passage) and r.blank)}


def _wordless(scope: str, numbers: set[int]) -> Steps[set[int]]:
    """Those that have no vector, on purpose, where no model sees their pictures."""
    found = yield from _numbered(scope, numbers)
    return {n for n, r in found.items() if r.status == "archived" or (isinstance(r, Passage) and r.wordless)}


def _numbered(scope: str, numbers: set[int]) -> Steps[dict[int, Record]]:
    rows = yield Do("numbered_records", {"scope": scope, "numbers": sorted(numbers)})
    return {row[0]: from_row(scope, row) for row in rows}
