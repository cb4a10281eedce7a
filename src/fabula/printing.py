"""What results look like: to a person on a terminal, in a pipe, and as JSON; knows no command and no memory.

On a terminal a table has a head and wraps; in a pipe it is lines with tabs between the cells. Remarks that are no
part of a result go to standard error.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from fabula import operations
from fabula.pruning import Upkept
from fabula.render import shown, spoken
from fabula.types import Flushed, Forgotten, Frame, Hit, Passage, Receipt, Record

if TYPE_CHECKING:
    from rich.console import Console

    from fabula.demo import Answered, Script

SHOWN: Final = 20
"""How many of the items that an import left out are listed."""
PIPED: Final = 100
"""Columns of running text where there is no terminal."""

# Stored text is other people's: it must not move the cursor, set a title or turn the writing round.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")

_REASONS: Final = {
    "bm25": "shares words",
    "bm25_window": "neighbours share words",
    "dense": "close in meaning",
    "dense_window": "close in meaning with its neighbours",
    "coverage": "has the question's words",
    "answer": "answers a like question",
    "prev2": "follows a match",
    "prev": "comes after a match",
    "next": "comes before a match",
    "session": "the talk is about it",
    "speaker": "said by the one named",
    "date": "said at that time",
    "when": "says when",
    "length": "detailed",
    "first": "opens the talk",
    "question": "not a question",
    "rank": "ranks high",
}
"""What each feature of the ranking says for a record, in plain words."""


def line(text: str) -> str:
    """Return `text` on one line, without characters that steer a terminal."""
    return _CONTROL.sub("", " ".join(text.split()))


def say(text: str) -> None:
    """Print a line of a result."""
    # Not Click's echo, which takes a console that asks for ASCII to mean UTF-8.
    print(text)  # noqa: T201


def complain(remark: str) -> None:
    """Say something that is no part of a result."""
    print(end="", flush=True)  # noqa: T201 - so that what came first stands first
    print(f"fabula: {line(remark)}", file=sys.stderr)  # noqa: T201


def as_json(result: Any) -> None:
    """Print a whole result; in plain ASCII where the console could not show all of it."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    say(json.dumps(operations.data(result), ensure_ascii=not encoding.startswith("utf"), indent=2))


def show(result: Any, arguments: dict[str, Any]) -> None:
    """Print a result of an operation that was called with `arguments`."""
    if isinstance(result, operations.Recalled):
        _recalled(result, arguments["budget"])
    elif isinstance(result, operations.Measured):
        _measured(result)
    elif isinstance(result, list):
        _records(cast(list[Record], result), arguments["limit"])
    else:
        say("\n".join(line(one) for one in _LINES[type(result)](result)))


def _watched() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # it is None where a program was started without one


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, width=None if _watched() else PIPED)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [[line(cell) for cell in row] for row in rows]
    if not lines:
        return
    if not _watched():
        say("\n".join("\t".join(one) for one in lines))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads[: len(lines[0])]:
        table.add_column(head, no_wrap=head in ("score", "when"), justify="right" if "bytes" in head else "left")
    for one in lines:
        table.add_row(*map(Text, one))
    _console().print(table)


# --- what was written --------------------------------------------------------------------------------------------


def _receipt(receipt: Receipt) -> Iterator[str]:
    known = {*receipt.duplicates, *receipt.conflicts}
    fresh = [one for one in receipt.ids if one is not None and one not in known]
    yield f"remembered {receipt.added}" + (f": {', '.join(fresh)}" if fresh else "")
    if receipt.duplicates:
        yield f"known already: {', '.join(receipt.duplicates)}"
    yield from _refused(receipt.conflicts, receipt.erased)
    for secret in receipt.masked:
        yield f"masked in {secret.id}: {secret.kind}"


def _refused(conflicts: Sequence[str], erased: Sequence[str]) -> Iterator[str]:
    for one in conflicts:
        yield f"conflict: {one} is there with another text, which stays"
    for one in erased:
        yield f"forgotten before, and stays so: {one}"


def _imported(done: operations.Imported) -> Iterator[str]:
    where = ", ".join(f"{count} for {scope}" for scope, count in done.scopes.items())
    yield f"read {sum(done.scopes.values())} messages ({done.format}): {where}"
    yield f"added {done.added}, known already {done.duplicates}"
    yield from _refused(done.conflicts, done.erased)
    for kind, count in done.masked.items():
        yield f"masked {count} of kind {kind}"
    if done.undated:
        yield f"{done.undated} without a time: taken as said with the one before in the session, or else --time, or now"
    yield from done.notes
    if done.skipped:
        yield f"left out {len(done.skipped)}:"
    for one in done.skipped[:SHOWN]:
        yield f"- {one.place}: {one.why}"
    if len(done.skipped) > SHOWN:
        yield f"- and {len(done.skipped) - SHOWN} more, which --json lists"
    if done.flushed.pending:
        yield from _flushed(done.flushed)


def _flushed(flushed: Flushed) -> Iterator[str]:
    yield f"left to do {flushed.pending}, failed {flushed.failed}" if flushed.pending else "nothing left to do"
    yield from flushed.errors


def _forgotten(forgotten: Forgotten) -> Iterator[str]:
    rows = ", ".join(f"{count} from {table}" for table, count in forgotten.rows.items() if count)
    yield f"forgotten: {rows}" if forgotten else "nothing there to forget"


_LINES: Final[dict[type, Callable[[Any], Iterable[str]]]] = {
    Receipt: _receipt,
    Forgotten: _forgotten,
    Flushed: _flushed,
    operations.Imported: _imported,
    Upkept: lambda done: [", ".join(f"{name} {len(ids)}" for name, ids in asdict(done).items())],
    operations.Checked: lambda checked: checked.problems or ["all is well"],
    operations.Renewed: lambda made: [f"{made.done} {made.records} records anew"],
}


# --- what was found ----------------------------------------------------------------------------------------------


def _recalled(found: operations.Recalled, budget: int | None) -> None:
    for reason in found.degraded:
        complain(reason)
    if not found:
        complain(f"nothing is known about it in scope {found.scope!r}")
    elif budget is None:
        _table(("score", "when", "who", "text", "why", "id"), [_row(found, at) for at in range(len(found.hits))])
        if _watched():
            say(f"confidence {found.confidence:.2f}")
    elif found.context:
        say(found.context)
    else:
        complain(f"nothing fits into {budget} tokens")
    if found.trace is not None:
        dates = ", ".join(map(spoken, found.trace.windows)) or "none"
        complain(
            f"looked for {' '.join(found.trace.terms)}; people named: {', '.join(found.trace.speakers) or 'none'}; "
            f"dates: {dates}; {found.trace.pool} candidates weighed by profile {found.trace.profile}"
        )


def _row(found: operations.Recalled, at: int) -> list[str]:
    hit = found.hits[at]
    row = [f"{hit.score:.2f}", spoken(hit.record.valid), _who(hit.record), shown(hit.record)]
    if found.trace is not None:
        row += [_why(found, at), hit.record.id]
    return row


def _who(record: Record) -> str:
    return record.speaker if isinstance(record, Passage) else record.kind


def _why(found: Any, at: int) -> str:
    return ", ".join(words for words, _ in _reasons(found.hits[at], found.trace.weights))


def _records(records: Sequence[Record], limit: int) -> None:
    if not records:
        complain("there are none")
    rows = [[spoken(one.valid), one.session if isinstance(one, Frame) else one.kind, one.text] for one in records]
    _table(("when", "session" if records and isinstance(records[0], Frame) else "kind", "text"), rows)
    if len(records) == limit:
        complain(f"these are the first {limit}; --limit gives more")


def _measured(stats: operations.Measured) -> None:
    counts = {"scopes": stats.scopes, "sessions": stats.sessions}
    counts |= {f"records: {kind}": count for kind, count in sorted(stats.records.items())}
    counts |= {f"waiting: {task}": count for task, count in stats.pending.items()} | {"failed": stats.failed}
    _table(("what", "how many"), [[name, str(count)] for name, count in counts.items()])
    sizes = sorted(stats.bytes.items(), key=lambda pair: -pair[1])
    rows = [[f"table: {table}", str(size), f"{stats.per_message.get(table, 0):.0f}"] for table, size in sizes]
    rows.append(["all tables", str(sum(stats.bytes.values())), f"{stats.bytes_per_message:.0f}"])
    _table(("where", "bytes", "bytes a message"), rows)


# --- the tour ----------------------------------------------------------------------------------------------------


def tell(text: str) -> None:
    """Say one line of the tour."""
    from rich.text import Text

    _console().print(Text(text))


def introduced(told: Script) -> None:
    """Say whose talk is about to be remembered."""
    names = ", ".join(dict.fromkeys(message.speaker or "" for message in told.messages))
    sessions = len({message.session for message in told.messages})
    tell(f"Remembering {len(told.messages)} messages of {sessions} evenings: {names}, in English and Chinese …")


def answered(one: Answered) -> None:
    """Show a question of the tour, what came back and why."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    found = one.found
    grid = Table.grid(padding=(0, 2, 0, 0))
    for at, hit in enumerate(found.hits):
        said = Text.assemble((f"{_who(hit.record)}: ", "bold"), line(hit.record.text))
        why = Text(f"({_why(found, at)})", style="dim")
        grid.add_row("", f"{hit.score:.2f}", spoken(hit.record.valid)[:10], Group(said, why))
    question = Text.assemble((f"\n? {one.question.text}", "bold"), (f"   {one.question.shows}", "dim"))
    took = Text(f"  confidence {found.confidence:.2f}, {one.seconds * 1000:.0f} ms", style="dim")
    _console().print(Group(question, grid, took))


def _reasons(hit: Hit, weights: Mapping[str, float], most: int = 3) -> list[tuple[str, float]]:
    """Return what lifted a hit above the others of its recall: words and amount (weight × feature), most first."""
    amounts = {name: weight * hit.parts.get(name, 0.0) for name, weight in weights.items()}
    lifted = sorted(((amount, name) for name, amount in amounts.items() if amount > 0), reverse=True)
    return [(_REASONS.get(name, name), amount) for amount, name in lifted[:most]]
