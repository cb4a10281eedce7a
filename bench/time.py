"""`python -m bench time`: reading times in English and Chinese, on public test suites and on our own sentences.

Score: the share of items for which a gold value is among the readings (there are 1.7 of them on average, six at
most); choice: the share for which it is the first. Both by the conventions of the set's authors (`times.CUSTOMS`: when
a morning ends, whether a range has its last day); plain: the score by the library's own. What is found beside the gold
is not held against us, except where nothing is to be found. These are development sets: the grammars were written
while looking at their misses.
Every item of a file counts, also what the library does not mean to read. The rule of each set stands in bench/times.py.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from bench import times
from bench.evidence import write_json
from bench.times import Item
from fabula.conventions import Conventions
from fabula.when import Found, find

DEFAULT = Path(__file__).parent.parent.parent / "shared" / "data" / "time"


def probes(cases: Sequence[Mapping[str, Any]], name: str) -> Iterator[Item]:
    """Our own sentences: of the finds' first readings the best has to share half of its union with gold.

    An instant lasts a minute, what is open from the past on ends at the reference; other open readings count as wrong.
    """
    for case in cases:
        reference = datetime.fromisoformat(case["reference"])
        gold = tuple(_zoned(side, reference.tzinfo or UTC) for side in case["gold"])
        yield Item(text=case["text"], type=case["lang"], reference=reference, gold=" … ".join(case["gold"]),
                   judge=_overlapping(gold[0], gold[1], reference))  # fmt: skip


def _zoned(text: str, zone: tzinfo) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _overlapping(start: datetime, end: datetime, reference: datetime) -> times.Judge:
    def right(one: Found) -> bool:
        first = one.interval
        if first is None or first.start is None:
            return False
        ours, until = first.start, first.end or reference
        if until == ours:
            until += timedelta(minutes=1)
        common = (min(end, until) - max(start, ours)).total_seconds()
        union = (max(end, until) - min(start, ours)).total_seconds()
        return until > ours and common >= union / 2

    return times.once(right)


def silent(cases: Mapping[str, Sequence[str]], name: str) -> Iterator[Item]:
    """Sentences without a time: nothing may be found."""
    reference = datetime(2025, 6, 18, 12, tzinfo=UTC)
    for language, sentences in cases.items():
        for sentence in sentences:
            yield Item(text=sentence, type=language, reference=reference, gold="nothing", judge=times.nothing())


Finder = Callable[[str, datetime, Conventions], list[Found]]
Adapter = Callable[[Any, str], Iterator[Item]]
ADAPTERS: Mapping[str, Adapter] = {
    "recognizers": times.recognizers,
    "jionlp": times.jionlp,
    "duckling": times.duckling,
    "time": probes,
    "no_time": silent,
}
PROBES = ("time", "no_time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    item: Item
    found: list[Found]
    right: bool
    first: bool
    plain: bool
    """Right also by the library's own conventions, not those of the set's authors."""


def files(folder: Path) -> dict[str, tuple[Adapter, Path]]:
    """Return the sets by name, with what reads them; our own may also lie in `probes`, beside the folder or one up."""
    sets: dict[str, tuple[Adapter, Path]] = {}
    for prefix, adapter in ADAPTERS.items():
        places = [folder, folder / "../../probes", folder / "../probes"] if prefix in PROBES else [folder]
        for place in places:
            if paths := sorted(place.glob(f"{prefix}_*.json")):
                sets |= {path.stem: (adapter, path) for path in paths}
                break
    return sets


def judged(items: Iterable[Item], finder: Finder = find) -> Iterator[Outcome]:
    for item in items:
        found = finder(item.text, item.reference, item.conventions)
        right, first = item.judge(found)
        plain, _ = item.judge(finder(item.text, item.reference, Conventions()))
        yield Outcome(item=item, found=found, right=right, first=first, plain=plain)


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    kinds = dict.fromkeys(one.item.type for one in outcomes)
    parts = {kind: _shares([one for one in outcomes if one.item.type == kind]) for kind in kinds}
    return {**_shares(outcomes), "by_type": parts}


def _shares(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    n = len(outcomes)
    counts = {
        "score": sum(one.right for one in outcomes),
        "choice": sum(one.first for one in outcomes),
        "plain": sum(one.plain for one in outcomes),
    }
    return {"n": n} | {name: round(count / n, 4) if n else 0.0 for name, count in counts.items()}


def lines(name: str, figures: Mapping[str, Any]) -> Iterator[str]:
    for label, row in ((name, figures), *((f"  {kind}", row) for kind, row in figures["by_type"].items())):
        shares = "  ".join(f"{share} {row[share]:.3f}" for share in ("score", "choice", "plain"))
        yield f"{label:<24} n {row['n']:>4}  {shares}"


def missed(outcomes: Sequence[Outcome], limit: int) -> Iterator[str]:
    """Yield the first misses, wrong ones before those that only chose another reading first."""
    wrong = [one for one in outcomes if not one.right]
    unchosen = [one for one in outcomes if one.right and not one.first]
    for mark, one in [*(("wrong", o) for o in wrong), *(("order", o) for o in unchosen)][:limit]:
        item = one.item
        yield f"{mark} {item.type}: {item.text}   (at {item.reference:%Y-%m-%d %a %H:%M:%S%z})"
        yield f"    gold  {item.gold}"
        for number, said in enumerate(one.found or [None]):
            yield f"    {'ours' if not number else '    '}  {_shown(said) if said else 'nothing'}"


def _shown(one: Found) -> str:
    if one.kind == "duration":
        return f"[{one.text}] {one.seconds} s"
    readings = " | ".join(f"{_side(r.start)} … {_side(r.end)} {r.precision}" for r in one.readings)
    return f"[{one.text}] {f'every {one.every} ' if one.every else ''}{readings}"


def _side(moment: datetime | None) -> str:
    return "open" if moment is None else moment.isoformat(" ", "seconds").removesuffix("+00:00")


def speed(items: Sequence[Item], finder: Finder) -> float:
    """Return how many texts a second of processor time are read, all read once before: what is said comes again."""
    began = time.process_time()
    for item in items:
        finder(item.text, item.reference, Conventions())
    return len(items) / (time.process_time() - began)


def main(argv: list[str] | None = None, finder: Finder = find) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench time", description=__doc__)
    parser.add_argument("--data", default=str(DEFAULT), help="the folder of the sets")
    parser.add_argument("--set", help="only this one, by its file's name without .json")
    parser.add_argument("--misses", type=int, default=0, help="print so many misses of each set")
    parser.add_argument("--json", help="write the figures there")
    args = parser.parse_args(argv)
    sets = files(Path(args.data))
    if not sets or (args.set and args.set not in sets):
        wanted = args.set or "no set"
        parser.error(f"{wanted}: in {args.data} there is {', '.join(sets) or 'none'}")
    result: dict[str, Any] = {}
    read: list[Item] = []
    for name in [args.set] if args.set else sets:
        adapter, path = sets[name]
        outcomes = list(judged(adapter(json.loads(path.read_text("utf-8")), name), finder))
        result[name] = report(outcomes)
        read += [one.item for one in outcomes]
        print("\n".join(lines(name, result[name])))
        print(f"  {len(outcomes)} items in {path.name}, all counted")
        print("".join(f"{line}\n" for line in missed(outcomes, args.misses)))
    rate = round(speed(read, finder))
    print(f"{rate} texts a second of one core")
    write_json(args.json, {"sets": result, "texts_a_second": rate})
