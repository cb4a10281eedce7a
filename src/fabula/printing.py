"""What results look like to a person on a terminal, in a pipe, and as JSON; knows no command and no memory.

On a terminal a table has a head and wraps; in a pipe it is lines with tabs between the cells. Remarks that are no
part of the result go to standard error.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, cast

import typer

from fabula import operations
from fabula.render import spoken
from fabula.types import Fact, Flushed, Forgotten, Frame, Passage, Receipt, Record


# Stored text is other people's: it must not move the cursor, set a title or turn the writing round.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def _line(text: str) -> str:
    return _CONTROL.sub("", " ".join(text.split()))


def _print_json(result: Any) -> None:
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    typer.echo(json.dumps(operations.data(result), ensure_ascii=not encoding.startswith("utf"), indent=2))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table for a person; in a pipe, lines with tabs between the cells and no head."""
    lines = [[_line(cell) for cell in row] for row in rows]
    if not lines:
        return
    if not sys.stdout.isatty():
        typer.echo("\n".join("\t".join(line) for line in lines))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, no_wrap=head in ("score", "when", "id"), justify="right" if "bytes" in head else "left")
    for line in lines:
        table.add_row(*map(Text, line))
    Console(highlight=False).print(table)


def _print(result: Any, arguments: dict[str, Any]) -> None:
    if isinstance(result, operations.Recalled):
        _print_recalled(result, arguments)
    elif isinstance(result, operations.Measured):
        _print_measured(result)
    elif isinstance(result, list):
        _print_records(cast(list[Record], result), arguments["limit"])
    else:
        typer.echo("\n".join(_line(line) for line in _LINES[type(result)](result)))


def _receipt(receipt: Receipt) -> Iterator[str]:
    known = {*receipt.duplicates, *receipt.conflicts, None}
    yield f"remembered {receipt.added}: {', '.join(one for one in receipt.ids if one not in known)}".rstrip(": ")
    yield from _not_added(receipt.duplicates, receipt.conflicts, receipt.erased)
    for secret in receipt.masked:
        yield f"masked in {secret.id}: {secret.kind}"


def _not_added(duplicates: Sequence[str], conflicts: Sequence[str], erased: Sequence[str]) -> Iterator[str]:
    if duplicates:
        yield f"known already: {len(duplicates)}"
    for one in conflicts:
        yield f"conflict: {one} is there with another text, which stays"
    for one in erased:
        yield f"forgotten before, and stays so: {one}"


def _imported(done: operations.Imported) -> Iterator[str]:
    where = ", ".join(f"{count} in {scope}" for scope, count in done.scopes.items())
    yield f"read {sum(done.scopes.values())} messages ({done.format}): {where}"
    yield f"added {done.added}, known already {done.duplicates}"
    yield from _not_added((), done.conflicts, done.erased)
    for kind, count in done.masked.items():
        yield f"masked {count} of kind {kind}"
    if done.undated:
        yield f"{done.undated} without a time of their own: taken as said with the message before, or else --time, now"
    yield from done.notes
    if done.skipped:
        yield f"left out {len(done.skipped)}:"
    for one in done.skipped[:SHOWN]:
        yield f"- {one.place}: {one.why}"
    if len(done.skipped) > SHOWN:
        yield f"- and {len(done.skipped) - SHOWN} more (--json lists them all)"
    if done.flushed.pending:
        yield from _flushed(done.flushed)


SHOWN: Final = 20
"""How many of the left-out items an import lists."""


def _flushed(flushed: Flushed) -> Iterator[str]:
    yield f"left to do {flushed.pending}, failed {flushed.failed}" if flushed.pending else "nothing left to do"
    yield from flushed.errors


def _forgotten(forgotten: Forgotten) -> Iterator[str]:
    rows = ", ".join(f"{table} {count}" for table, count in forgotten.rows.items() if count)
    yield f"forgotten: {rows}" if forgotten else "nothing there to forget"


_LINES: Final[dict[type, Callable[[Any], Iterable[str]]]] = {
    Receipt: _receipt,
    Forgotten: _forgotten,
    Flushed: _flushed,
    operations.Imported: _imported,
    operations.Checked: lambda checked: checked.problems or ["all is well"],
    operations.Reindexed: lambda done: [f"indexed {done.records} records anew"],
}


def _print_recalled(found: operations.Recalled, arguments: dict[str, Any]) -> None:
    for reason in found.degraded:
        _complain(reason)
    if not found:
        _complain(f"nothing is known about it in scope {found.scope!r}")
    elif arguments["budget"] is not None:
        if not found.context:
            _complain(f"nothing fits into {arguments['budget']} tokens")
        typer.echo(found.context)
        return
    rows: list[list[str]] = []
    for hit in found.hits:
        record = hit.record
        who = record.speaker if isinstance(record, Passage) else record.kind
        row = [f"{hit.score:.2f}", spoken(record.valid), who, _told(record)]
        if found.trace is not None:
            why = ", ".join(words for words, _ in operations.reasons(hit, found.trace.weights))
            row += [why, record.id]
        rows.append(row)
    _table(("score", "when", "who", "text", "why", "id")[: len(rows[0]) if rows else 0], rows)
    if found and sys.stdout.isatty():
        typer.echo(f"confidence {found.confidence:.2f}")
    if found.trace is not None:
        trace = found.trace
        dates = ", ".join(map(spoken, trace.windows)) or "none"
        _complain(
            f"searched for: {' '.join(trace.terms)}; dates: {dates}; people: {', '.join(trace.speakers) or 'none'}; "
            f"{trace.pool} candidates weighed by profile {trace.profile}"
        )


def _told(record: Record) -> str:
    captions = [image.caption for image in record.images] if isinstance(record, Passage) else []
    return " ".join([record.text, *(f"[image: {caption}]" for caption in captions if caption)])


def _print_records(records: Sequence[Record], limit: int) -> None:
    if not records:
        _complain("there are none")
    kind = "fact" if any(isinstance(record, Fact) for record in records) else "what happened"
    rows = [
        [spoken(record.valid), *([record.session] if isinstance(record, Frame) else []), record.text]
        for record in records
    ]
    _table(("when", "session", kind) if records and isinstance(records[0], Frame) else ("when", kind), rows)
    if len(records) == limit:
        _complain(f"these are the first {limit}: --limit gives more")


def _print_measured(stats: operations.Measured) -> None:
    counts = {"scopes": stats.scopes, "sessions": stats.sessions}
    counts |= {f"{kind} records": count for kind, count in sorted(stats.records.items())}
    counts |= {f"waiting: {task}": count for task, count in stats.pending.items()} | {"failed": stats.failed}
    _table(("what", "how many"), [[name, str(count)] for name, count in counts.items()])
    sizes = sorted(stats.bytes.items(), key=lambda pair: -pair[1])
    rows = [[table, str(size), f"{stats.per_message.get(table, 0):.0f}"] for table, size in sizes]
    rows.append(["total", str(sum(stats.bytes.values())), f"{stats.bytes_per_message:.0f}"])
    _table(("table", "bytes", "bytes a message"), rows)


# --- the tour ---


def _print_answered(one: Any) -> None:
    found = one.found
    _tell(f"\n? {one.question.text}", style="bold", after=f"   ({one.question.shows})")
    for hit in found.hits:
        record = hit.record
        why = ", ".join(words for words, _ in operations.reasons(hit, found.trace.weights))
        _tell(f"  {hit.score:.2f}  {spoken(record.valid)[:10]}  {record.speaker}: {record.text}")
        _tell(f"        because: {why}", style="dim")
    _tell(f"  confidence {found.confidence:.2f}, {one.seconds * 1000:.0f} ms", style="dim")


def _tell(text: str, *, style: str = "", after: str = "") -> None:
    """One line for a person, with a style where the terminal has any."""
    from rich.console import Console
    from rich.text import Text

    width = None if sys.stdout.isatty() else 100
    line = Text(text, style=style) + Text(after, style="dim")
    Console(highlight=False, width=width).print(line)


