"""The command line `fabula`: its commands are made from the table of operations.

The environment is read by the faces only; this one reads FABULA_DB and FABULA_EMBEDDER. It knows nothing of how a
memory works, nor how a result looks. Exit codes: 0 done, 1 failed, 2 called wrongly, 130 interrupted.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import aclosing, contextmanager
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Optional, TypeAlias, Union, cast, get_args, get_origin

import typer

from fabula import administration, operations, printing
from fabula.abc import Embedder
from fabula.errors import FabulaError, InvalidInput, StoreUnavailable
from fabula.memory import AsyncMemory
from fabula.operations import OPERATIONS, Operation, Parameter, Progress
from fabula.providers.bundled import bundled
from fabula.stores import SQLiteStore, open_store
from fabula.types import Flushed, Forgotten

Model: TypeAlias = Literal["default", "fast", "none"]
Models: TypeAlias = Callable[[Model], Embedder | None]


def _bundled(name: Model) -> Embedder | None:
    return None if name == "none" else bundled(name)


def main(argv: Sequence[str] | None = None, *, models: Models = _bundled) -> int:
    """Run the command line and return its exit code; `models` gives the embedder of a name."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # What a console cannot show is no reason to fail after the work is done.
            cast(Any, stream).reconfigure(errors="replace")
    if not logging.getLogger().handlers:
        # Whatever matters is said in the result; without a handler, warnings would be printed as they come.
        logging.getLogger().addHandler(logging.NullHandler())
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        return _guarded(sys.argv[1:] if argv is None else argv, models)


# What Click raises for a wrong call; recent versions of Typer carry their own Click, older ones import it.
_CallError: Final = cast(type[Exception], typer.BadParameter.__mro__[2])


def _guarded(argv: Sequence[str], models: Models) -> int:
    try:
        code: int | None = _app(models)(list(argv), prog_name="fabula", standalone_mode=False)
        print(end="", flush=True)  # noqa: T201 - a full disk or a closed pipe has to show here
    except FabulaError as error:
        printing.complain(str(error))
    except _CallError as error:
        wrong = cast(Any, error)
        context = getattr(wrong, "ctx", None)
        printing.complain(f"{wrong.format_message()} (see {context.command_path if context else 'fabula'} --help)")
        return 2
    except (BrokenPipeError, SystemExit):  # the second is what Typer and Rich make of the first
        # The reader has enough, as `head` does: that is no failure.
        _let_go()
        return 0
    except OSError as error:
        _let_go()
        printing.complain(f"cannot write the result: {error.strerror or error}")
    except (KeyboardInterrupt, typer.Abort):
        printing.complain("interrupted")
        return 130
    else:
        return code or 0
    return 1


def _let_go() -> None:
    """Nobody takes the output: what is left of it must not fail again when Python ends."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)


# --- commands from operations ------------------------------------------------------------------------------------

_DB: Final = Annotated[
    Optional[str],  # noqa: UP045 - as in the signatures made below
    typer.Option("--db", envvar="FABULA_DB", metavar="PATH|URL", help="The database; yours if not given."),
]
_EMBEDDER: Final = Annotated[
    Enum("Embedder", {name: name for name in get_args(Model)}, type=str),
    typer.Option("--embedder", envvar="FABULA_EMBEDDER", help="The embedding model; none searches by keyword alone."),
]
_YES: Final = Annotated[bool, typer.Option("--yes", help="Yes, I mean it.")]


def _app(models: Models) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.callback(invoke_without_command=True)
    def _fabula(  # pyright: ignore[reportUnusedFunction]
        context: typer.Context,
        version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    ) -> None:
        """A long-term memory for AI agents: remember what was said, recall what matters."""
        if version:
            from fabula import __version__

            printing.say(f"fabula {__version__}")
            raise typer.Exit
        if context.invoked_subcommand is None:
            printing.say(context.get_help())

    app.command("demo")(_demo(models))
    for operation in OPERATIONS:
        app.command(operation.name, help=operation.doc)(_command(operation, models))
    administration.add(app, models, _waited, _progress)
    return app


def _command(operation: Operation, models: Models) -> Callable[..., int]:
    parameters = operation.parameters()

    def command(db: str | None, embedder: Any, as_json: bool, yes: bool = False, **given: Any) -> int:
        arguments = {one.name: _given(one, given[one.name]) for one in parameters}
        if operation.confirm and arguments[operation.confirm] and not yes:
            raise typer.BadParameter(f"--{operation.confirm} cannot be undone: say --yes too")
        memory = _memory(operation, db, models, embedder.value)
        result = _waited(_done(memory, operation, arguments))
        if as_json:
            printing.as_json(result)
        else:
            printing.show(result, arguments)
        return int(_failed(result))

    shown = [_option(one) for one in parameters]
    common = {"db": (_DB, None), "embedder": (_EMBEDDER, "default"), "as_json": (administration.Json, False)}
    if operation.confirm:
        common["yes"] = (_YES, False)
    shown += [_keyword(name, hint, default) for name, (hint, default) in common.items()]
    return _signed(command, shown)


def _signed(command: Callable[..., int], shown: Sequence[inspect.Parameter]) -> Callable[..., int]:
    """Give a function the signature that Typer reads."""
    cast(Any, command).__signature__ = inspect.Signature(shown)
    command.__annotations__ = {one.name: one.annotation for one in shown}
    return command


def _keyword(name: str, hint: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _option(one: Parameter) -> inspect.Parameter:
    made: Any = typer.Argument(help=one.doc) if one.plain else typer.Option(f"--{one.public}", help=one.doc)
    default = list(cast(tuple[Any, ...], one.default)) if isinstance(one.default, tuple) else one.default
    return _keyword(one.name, Annotated[_shown_type(one.type), made], default)


def _shown_type(hint: Any) -> Any:
    """The type as Typer knows it: a list for any sequence, an enumeration for a choice of words."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return Enum("Choice", {word: word for word in inner}, type=str)
    if origin is Sequence:
        return list[_shown_type(inner[0])]
    if origin in (Union, UnionType):
        return Optional[next(_shown_type(one) for one in inner if one is not NoneType)]  # noqa: UP045
    return hint


def _given(one: Parameter, value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    for text in cast(list[Any], value if isinstance(value, list) else [value]):
        if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InvalidInput(
                f"{one.name} is not text in {sys.getfilesystemencoding()}: rather refused than kept wrong"
            )
    if isinstance(value, list):
        values = [item.value if isinstance(item, Enum) else item for item in cast(list[Any], value)]
        return [line for item in values for line in (_stdin() if item == "-" else [item])] if one.plain else values
    return value


def _stdin() -> list[str]:
    """The lines of standard input, each a message."""
    stream: Any = sys.stdin
    try:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="strict")  # rather refuse than keep what was not meant
        return stream.read().removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError:
        raise InvalidInput(f"standard input is not text in {stream.encoding} (set PYTHONIOENCODING)") from None


# --- running -----------------------------------------------------------------------------------------------------


def _memory(operation: Operation, db: str | None, models: Models, model: Model) -> AsyncMemory:
    url: str | Path = _own_database() if db is None else db
    store = open_store(url)
    if isinstance(store, SQLiteStore) and not store.path.exists():
        if not operation.creates:
            raise StoreUnavailable(
                f"there is no memory at {store.path}: `fabula remember` or `fabula import` makes one"
            )
        if db is None:
            _make(store.path.parent)
    embedder = models(model) if operation.model else None
    # A command that only looks leaves background work to those that write.
    return AsyncMemory(store, embedder=embedder, background=operation.creates)


def _own_database() -> Path:
    from platformdirs import user_data_path

    return user_data_path("fabula", appauthor=False) / "memory.db"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot make the folder {folder}: {error.strerror}") from None


async def _done(memory: AsyncMemory, operation: Operation, arguments: dict[str, Any]) -> Any:
    # Not `async with`: the memory opens itself when first used, so that what is refused before makes no database.
    drain = None
    try:
        if not operation.reports:
            return await operation.run(memory, **arguments)
        with _progress() as progress:
            return await operation.run(memory, **arguments, progress=progress)
    except asyncio.CancelledError:
        # Ctrl-C means now; what is left stays pending in the database.
        drain = 0.0
        raise
    finally:
        await memory.close(drain=drain)


def _waited(work: Any) -> Any:
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        raise typer.Abort from None


@contextmanager
def _progress() -> Generator[Progress]:
    """A bar where somebody is watching."""
    if not sys.stderr.isatty():
        yield operations.quiet
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(doing: str, done: int, total: int) -> None:
            if doing not in tasks:
                tasks[doing] = bars.add_task(doing, total=total)
            bars.update(tasks[doing], completed=done, total=total)

        yield report


def _failed(result: Any) -> bool:
    if isinstance(result, operations.Checked):
        return bool(result.problems)
    if isinstance(result, operations.Imported):
        result = result.flushed
    if isinstance(result, Flushed):
        return bool(result.failed or result.errors)
    return isinstance(result, Forgotten) and not result


# --- the tour ----------------------------------------------------------------------------------------------------


def _demo(models: Models) -> Callable[..., int]:
    def command(embedder: Any, as_json: bool) -> int:
        """Show what this is: remember a conversation in two languages, then ask about it."""
        from fabula import demo

        told = demo.script()
        if not as_json:
            printing.introduced(told)

        async def ask() -> list[demo.Answered]:
            answered: list[demo.Answered] = []
            async with aclosing(demo.answers(models(embedder.value))) as given:
                async for one in given:
                    answered.append(one)
                    if not as_json:
                        printing.answered(one)
            return answered

        answered = _waited(ask())
        if as_json:
            printing.as_json(answered)
        else:
            printing.tell("\nNow your own: fabula remember 'I moved to Porto in May' --scope me")
        return 0

    shown = [_keyword("embedder", _EMBEDDER, "default"), _keyword("as_json", administration.Json, False)]
    return _signed(command, shown)


if __name__ == "__main__":
    sys.exit(main())
