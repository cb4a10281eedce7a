"""Everything that can be done with a memory, as one table from which the command line and other faces are built.

An operation is a function: its docstring is the help, its signature the parameters. It knows no face: nothing here
prints, reads the environment or speaks HTTP.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, TypeVar, cast, get_args, get_origin, get_type_hints

from fabula import imports, question
from fabula.checking import aware
from fabula.errors import InvalidInput
from fabula.memory import DEFAULT_PLAN, AsyncMemory, local_now
from fabula.pruning import Upkept
from fabula.render import Recollection
from fabula.types import (
    NOTHING,
    Fact,
    Flushed,
    Forgotten,
    Frame,
    Kind,
    Message,
    Plan,
    Receipt,
    Record,
    Stats,
)
from fabula.upkeep import Progress, quiet

_T = TypeVar("_T")
BATCH: Final = 200
"""Messages an import writes in one transaction."""
POLL: Final = 0.5
"""Seconds between two looks at how much background work is left."""


# --- the table ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """What an operation has to be told."""

    name: str
    """As the function has it."""
    public: str
    """As people write it: without the underscore that keeps it apart from a word of Python."""
    type: Any
    doc: str
    default: Any
    """`inspect.Parameter.empty` where it has to be given."""
    plain: bool
    """Whether it is the thing itself (a question, a text) rather than an option about it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """One thing that can be done with a memory.

    `run` takes the memory, then its plain parameters, then the others by keyword; `progress`, where it has one, is
    for the face to give.
    """

    run: Callable[..., Awaitable[Any]]
    creates: bool = False
    """Whether it makes sense on a memory that does not exist yet."""
    model: bool = False
    """Whether it needs an embedding model."""
    local: bool = False
    """Whether it reads the caller's own files, so that only a face on the same machine can offer it."""
    confirm: str = ""
    """The parameter that must not be set by mistake."""

    @property
    def name(self) -> str:
        """The operation's name."""
        return self.run.__name__.rstrip("_")

    @property
    def doc(self) -> str:
        """What it does, the first line in one sentence."""
        return inspect.cleandoc(self.run.__doc__ or "")

    @property
    def reports(self) -> bool:
        """Whether it tells how far it is."""
        return "progress" in inspect.signature(self.run).parameters

    def parameters(self) -> tuple[Parameter, ...]:
        """What it has to be told, in order."""
        hints = get_type_hints(self.run, include_extras=True)
        found: list[Parameter] = []
        for given in islice(inspect.signature(self.run).parameters.values(), 1, None):
            if given.name == "progress":
                continue
            hint = hints[given.name]
            type_, doc = get_args(hint)[:2] if get_origin(hint) is Annotated else (hint, "")
            plain = given.kind is given.POSITIONAL_OR_KEYWORD
            public = given.name.rstrip("_").replace("_", "-")
            found.append(
                Parameter(name=given.name, public=public, type=type_, doc=doc, default=given.default, plain=plain)
            )
        return tuple(found)


Scope: TypeAlias = Annotated[str, "Whose memory: a user id."]
AnyScope: TypeAlias = Annotated[str | None, "Whose memory; all of them if not given."]
Limit: TypeAlias = Annotated[int, "How many at most."]


# --- what they return, beyond what the memory does ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled(Recollection):
    """A recollection with the block for a prompt, where a budget for it was given."""

    context: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    """What an import did. `masked` counts the secrets that were masked, by kind."""

    format: imports.Format
    scopes: Mapping[str, int]
    """Messages read, by scope."""
    added: int = 0
    duplicates: int = 0
    conflicts: tuple[str, ...] = ()
    """Passages whose message id was there with another text, which stays."""
    erased: tuple[str, ...] = ()
    """Message ids that were forgotten before and stay so."""
    masked: Mapping[str, int] = field(default_factory=lambda: NOTHING)
    undated: int = 0
    skipped: tuple[imports.Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    flushed: Flushed = field(default_factory=Flushed)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured(Stats):
    """Counts and sizes, and the bytes a message takes by table."""

    per_message: Mapping[str, float] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What a check found; no problem is good news."""

    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewed:
    """What was made anew, `indexed` or `embedded`, and of how many records."""

    done: str
    records: int


# --- the operations ----------------------------------------------------------------------------------------------


async def remember(
    memory: AsyncMemory,
    text: Annotated[Sequence[str], "What was said; each text is a message of its own."],
    *,
    scope: Scope,
    speaker: Annotated[str | None, "Who said it; the role if not given."] = None,
    role: Annotated[str, "The speaker's part in the talk: user, assistant, system, tool."] = "user",
    session: Annotated[str, "The talk it belongs to."] = "default",
    time: Annotated[str | None, "When it was said, in ISO 8601; now if not given."] = None,
    id_: Annotated[str | None, "Your own id of the message: the same id twice is one message."] = None,
) -> Receipt:
    """Remember what was said, word for word.

    Secrets such as API keys, passwords and card numbers are masked before anything is stored.
    """
    said = [part for part in text if part.strip()]
    if not said:
        raise InvalidInput("nothing to remember: the text is blank")
    if id_ is not None and len(said) > 1:
        raise InvalidInput(f"one id cannot name {len(said)} messages")
    messages = [Message(part, speaker=speaker, role=role, session=session, time=time, id=id_) for part in said]
    return await memory.remember(scope, messages)


async def import_(
    memory: AsyncMemory,
    file: Annotated[Path, "A file of conversations."],
    *,
    scope: Scope,
    format_: Annotated[imports.Format, "What kind of file it is; auto looks into it."] = "auto",
    conversation: Annotated[str | None, "Only this conversation (sample_id) of a LoCoMo file."] = None,
    time: Annotated[str | None, "When messages without any time were said, in ISO 8601; now if not given."] = None,
    progress: Progress = quiet,
) -> Imported:
    """Remember conversations from a file: LoCoMo JSON, OpenAI messages, or a JSON object a line.

    Several conversations go to a scope each, SCOPE/ID. A line of JSONL has content, and may have speaker, role,
    time (or timestamp), id, session, images and meta. A message without a time counts as said with the one before
    it in its session. What is there already is not added again.
    """
    moment = None if time is None else aware(time)
    text = await asyncio.to_thread(imports.read, file)
    try:
        export = await asyncio.to_thread(imports.parse, text, format_, session=file.stem)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from None
    talks = _placed(export, scope, conversation)
    total = sum(map(len, talks.values()))
    receipts: list[Receipt] = []
    done = 0
    for name, messages in talks.items():
        for start in range(0, len(messages), BATCH):
            batch = messages[start : start + BATCH]
            given = [_dated(message, moment) for message in batch]
            receipts.append(await memory.remember(name, given))
            done += len(batch)
            progress("remembering", done, total)
    flushed = [await flush(memory, scope=name, progress=progress) for name in talks]
    return _summed(export, talks, receipts, flushed)


async def recall(
    memory: AsyncMemory,
    query: Annotated[str, "The question, or what it is about."],
    *,
    scope: Scope,
    limit: Limit = DEFAULT_PLAN.limit,
    at: Annotated[str | None, "The asker's present, against which 'last week' is read, in ISO 8601."] = None,
    as_of: Annotated[str | None, "Answer from what was known then, in ISO 8601."] = None,
    session: Annotated[str | None, "Only what was said in this session."] = None,
    speaker: Annotated[str | None, "Only what this speaker said."] = None,
    during: Annotated[str | None, "Only what was said then: 2026-03, 'last week', 'from 1 to 5 May', 上个月."] = None,
    kind: Annotated[Sequence[Kind], "What may come back; may be given several times."] = DEFAULT_PLAN.kinds,
    explain: Annotated[bool, "Also say how the answer came about."] = False,
    budget: Annotated[int | None, "Give one block for a prompt, within so many tokens."] = None,
) -> Recalled:
    """Bring back what matters for a question, best first."""
    if not query.strip():
        raise InvalidInput("the question is blank")
    now = local_now() if at is None else aware(at)
    then = None if during is None else question.window(during, now, memory.settings.conventions)
    plan = Plan(kinds=tuple(kind), limit=limit, session=session, speaker=speaker, during=then)
    found = await memory.recall(scope, query, plan, at=at, as_of=as_of, explain=explain)
    context = "" if budget is None else found.render(budget)
    return _widened(Recalled, found, context=context)


async def frames(
    memory: AsyncMemory,
    *,
    scope: Scope,
    session: Annotated[str | None, "Only of this session."] = None,
    mentions: Annotated[str | None, "Only those whose text contains this."] = None,
    limit: Limit = 100,
) -> list[Frame]:
    """List what happened: the episodic frames drawn from the talk."""
    found = await memory.records(scope, "frame", session=session, mentions=mentions, limit=limit)
    return cast(list[Frame], found)


async def facts(
    memory: AsyncMemory,
    *,
    scope: Scope,
    mentions: Annotated[str | None, "Only those whose text contains this."] = None,
    limit: Limit = 100,
) -> list[Fact]:
    """List what holds: the facts drawn from the talk."""
    return cast(list[Fact], await memory.records(scope, "fact", mentions=mentions, limit=limit))


async def forget(
    memory: AsyncMemory,
    *,
    scope: Scope,
    id_: Annotated[Sequence[str], "A record's id; may be given several times."] = (),
    ref: Annotated[Sequence[str], "Your own id of a message; may be given several times."] = (),
    session: Annotated[str | None, "A whole session."] = None,
    everything: Annotated[bool, "The whole scope."] = False,
) -> Forgotten:
    """Erase memories with everything made from them, from every table.

    Forgotten messages do not come back when they are imported again, unless the whole scope was forgotten.
    """
    return await memory.forget(scope, ids=id_, refs=ref, session=session, everything=everything)


async def stats(memory: AsyncMemory, *, scope: AnyScope = None) -> Measured:
    """Count records and pending work, and measure the bytes a message takes."""
    counted = await memory.stats(scope)
    messages = counted.records.get("passage", 0)
    per_message = {table: size / messages for table, size in counted.bytes.items()} if messages else {}
    return _widened(Measured, counted, per_message=per_message)


async def check(memory: AsyncMemory, *, scope: AnyScope = None) -> Checked:
    """Prove that records, keyword index, vectors and sources agree; a problem is a failure."""
    return Checked(problems=tuple(await memory.check(scope)))


async def upkeep(memory: AsyncMemory, *, scope: AnyScope = None) -> Upkept:
    """Keep the graph small: archive entities that nothing is tied to, make one fact of a chain of attributes."""
    return await memory.upkeep(scope)


async def reindex(memory: AsyncMemory, *, scope: AnyScope = None) -> Renewed:
    """Make the keyword index anew, as is needed after its rules have changed."""
    return Renewed(done="indexed", records=await memory.reindex(scope))


async def reembed(memory: AsyncMemory, *, scope: AnyScope = None, progress: Progress = quiet) -> Renewed:
    """Embed anew, with the model in use, what another one has embedded.

    It is answered from the old vectors until all is done. It may be interrupted and goes on where it was.
    """
    return Renewed(done="embedded", records=await memory.reembed(scope, progress=progress))


async def flush(memory: AsyncMemory, *, scope: AnyScope = None, progress: Progress = quiet) -> Flushed:
    """Do the background work that is left, embedding and extraction, and wait for it."""
    work = asyncio.create_task(memory.flush(scope))
    try:
        total = 0
        # Counting reads the database, so it is left alone where nobody wants to know.
        while progress is not quiet and not (await asyncio.wait([work], timeout=POLL))[0]:
            left = sum((await memory.stats(scope)).pending.values())
            total = max(total, left)
            progress("understanding", total - left, total)
        return await work
    finally:
        work.cancel()


OPERATIONS: Final = (
    Operation(run=remember, creates=True, model=True),
    Operation(run=import_, creates=True, model=True, local=True),
    Operation(run=recall, model=True),
    Operation(run=frames),
    Operation(run=facts),
    Operation(run=forget, confirm="everything"),
    Operation(run=stats),
    Operation(run=check),
    Operation(run=upkeep),
    Operation(run=reindex),
    Operation(run=reembed, model=True),
    Operation(run=flush, model=True),
)
"""Every operation, in the order in which help lists them."""


# --- importing ---------------------------------------------------------------------------------------------------


def _placed(export: imports.Export, scope: str, wanted: str | None) -> dict[str, list[Message]]:
    """The messages by the scope they go to."""
    chosen = [talk for talk in export.conversations if wanted is None or talk.name == wanted]
    if not chosen:
        known = ", ".join(talk.name for talk in export.conversations if talk.name) or "none with a name"
        raise InvalidInput(f"no conversation {wanted!r} in the file; there are: {known}")
    if len(chosen) == 1:
        return {scope: list(chosen[0].messages)}
    found: dict[str, list[Message]] = {}
    for talk in chosen:
        found.setdefault(f"{scope}/{talk.name}", []).extend(talk.messages)
    return found


def _dated(message: Message, moment: datetime | None) -> Message:
    return replace(message, time=moment) if message.time is None else message


def _summed(
    export: imports.Export, talks: Mapping[str, list[Message]], receipts: list[Receipt], flushed: list[Flushed]
) -> Imported:
    masked: dict[str, int] = {}
    for secret in (secret for receipt in receipts for secret in receipt.masked):
        masked[secret.kind] = masked.get(secret.kind, 0) + 1
    return Imported(
        format=export.format,
        scopes={name: len(messages) for name, messages in talks.items()},
        added=sum(receipt.added for receipt in receipts),
        duplicates=sum(len(receipt.duplicates) for receipt in receipts),
        conflicts=tuple(one for receipt in receipts for one in receipt.conflicts),
        erased=tuple(one for receipt in receipts for one in receipt.erased),
        masked=masked,
        undated=export.undated,
        skipped=export.skipped,
        notes=export.notes,
        flushed=Flushed(
            pending=sum(one.pending for one in flushed),
            failed=sum(one.failed for one in flushed),
            errors=tuple(dict.fromkeys(error for one in flushed for error in one.errors)),
        ),
    )


# --- results as data ---------------------------------------------------------------------------------------------


def _widened(wider: type[_T], narrow: Any, **more: Any) -> _T:
    return wider(**{one.name: getattr(narrow, one.name) for one in fields(narrow)}, **more)


def data(value: Any) -> Any:
    """Return a result as plain JSON values: records with their `kind`, times in ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        made = {one.name: data(getattr(value, one.name)) for one in fields(value)}
        return {"kind": value.kind, **made} if isinstance(value, Record) else made
    if isinstance(value, Mapping):
        return {str(key): data(inner) for key, inner in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, list | tuple):
        return [data(inner) for inner in cast(list[Any], value)]
    return value.isoformat() if isinstance(value, datetime) else value
