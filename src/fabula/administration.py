"""The commands that look after databases rather than memories: `worker`, `copy` and the group `db`.

It knows what a database can be told, and how that is said on a command line; nothing of how a memory is kept.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from functools import wraps
from typing import Annotated, Any, Optional, TypeAlias

import typer

from fabula import printing
from fabula.abc import Embedder
from fabula.errors import InvalidInput, StoreUnavailable
from fabula.memory import AsyncMemory
from fabula.settings import Settings
from fabula.stores import SQLiteStore, open_store
from fabula.stores.driven import DrivenStore
from fabula.types import Flushed
from fabula.upkeep import Progress, copy

Wait: TypeAlias = Callable[[Coroutine[Any, Any, Any]], Any]
"""Runs a coroutine to its end; makes of Ctrl-C what every command makes of it."""

Database: TypeAlias = Annotated[str, typer.Option("--db", envvar="FABULA_DB", metavar="PATH|URL", help="The database.")]
Scope: TypeAlias = Annotated[Optional[str], typer.Option("--scope", help="Only this one; all if not given.")]  # noqa: UP045
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print the whole result as JSON.")]
Model: TypeAlias = Annotated[
    str, typer.Option("--embedder", envvar="FABULA_EMBEDDER", help="The embedding model: default, fast or none.")
]


def add(
    app: typer.Typer,
    models: Callable[[Any], Embedder | None],
    wait: Wait,
    watched: Callable[[], AbstractContextManager[Progress]],
) -> None:
    """Add the commands to `app`; `models` gives the embedder of a name, `watched` shows progress."""

    def copy_(
        source: Annotated[str, typer.Argument(metavar="SRC", help="The database to copy from.")],
        target: Annotated[str, typer.Argument(metavar="DST", help="The database to copy to.")],
        scope: Scope = None,
        as_json: Json = False,
    ) -> None:
        """Copy memories to another database, of whichever kind, and prove that they arrived.

        A scope is there as a whole or not at all; the source stays as it is. What was interrupted goes on where it
        was, and what is there already is left alone.
        """
        with watched() as progress:
            copied = wait(_copied(source, target, scope, progress))
        if as_json:
            printing.as_json(copied)
        for one in () if as_json else copied:
            what = "there already" if one.present else f"{one.rows['records']} records, {one.rows['vectors']} vectors"
            printing.say(printing.line(f"{one.scope}: {what}"))

    def worker(
        db: Database,
        embedder: Model = "default",
        parallel: Annotated[int, typer.Option("--parallel", min=1, help="Scopes looked after at once.")] = 1,
        once: Annotated[bool, typer.Option("--once", help="Stop when nothing is left to do.")] = False,
        verbose: Annotated[bool, typer.Option("--verbose", help="Say more of what goes on.")] = False,
    ) -> int:
        """Do the background work of a database, embedding and extraction, for all who write to it.

        It ends at Ctrl-C or SIGTERM; work that was begun then is left to the next one. Run as many as are needed.
        """
        store, settings = _existing(db), Settings(workers=parallel)
        memory = AsyncMemory(store, embedder=models(embedder), background=not once, settings=settings)
        with _told(verbose):
            flushed: Flushed | None = wait(_worked(memory, store, once=once))
        if flushed is None:
            return 0
        printing.say(f"left to do {flushed.pending}, failed {flushed.failed}")
        return int(bool(flushed.failed or flushed.errors))

    app.command("copy")(copy_)
    app.command("worker")(worker)
    app.add_typer(_databases(wait), name="db", help="Look after a database: its schema, its cluster, its walls.")


# --- databases ---------------------------------------------------------------------------------------------------


async def upgrade(db: Database) -> list[str]:
    """Bring the schema up to date. Opening a memory does that too, where the role may."""
    async with _opened(open_store(db)) as store:
        return [f"applied {name}" for name in store.applied] or ["up to date"]


async def check(db: Database, scope: Scope = None) -> list[str]:
    """Say what the database is, and prove that everything in it agrees; a problem is a failure."""
    async with _opened(_existing(db)) as store:
        facts = [f"{name}: {value}" for name, value in (await store.described()).items()]
        if problems := await store.check(scope):
            _listed([*facts, *problems])
            raise typer.Exit(1)
        return [*facts, "all is well"]


async def distribute(
    db: Database, shards: Annotated[int, typer.Option("--shards", min=1, help="Parts of each table.")] = 32
) -> list[str]:
    """Spread the tables of a PostgreSQL database over the nodes of a Citus cluster, by scope.

    It may be run again: what is distributed already stays as it is.
    """
    from fabula.stores import cluster

    return [f"distributed {name} by scope" for name in await cluster.distribute(_server(db), shards)] or [
        "distributed already"
    ]


async def secure(
    db: Database,
    app: Annotated[str, typer.Option("--app", help="The role that may see one scope at a time.")] = "",
    worker: Annotated[str, typer.Option("--worker", help="The role that may see all of them.")] = "",
    off: Annotated[bool, typer.Option("--off", help="Take it off again.")] = False,
) -> list[str]:
    """Let PostgreSQL itself keep scopes apart, by row-level security."""
    from fabula.stores import cluster

    if off:
        await cluster.open_up(_server(db))
        return ["row-level security is off"]
    if not (app and worker):
        raise InvalidInput("say which roles there are: --app for the application, --worker for `fabula worker`")
    await cluster.secure(_server(db), app, worker)
    return [f"row-level security is on: {app} sees one scope at a time, {worker} all of them"]


async def hnsw(
    db: Database,
    scope: Annotated[str, typer.Option("--scope", help="A large scope.")],
    drop: Annotated[bool, typer.Option("--drop", help="Take it away again.")] = False,
) -> list[str]:
    """Give a large scope an approximate index of its vectors (HNSW), so that they need not be held in memory.

    Without it a scope is scanned exactly, which is better up to about 50,000 messages.
    """
    from fabula.stores import nearest

    return [await (nearest.drop if drop else nearest.create)(_server(db), scope)]


def _databases(wait: Wait) -> typer.Typer:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.callback(invoke_without_command=True)
    def _db(context: typer.Context) -> None:  # pyright: ignore[reportUnusedFunction]
        if context.invoked_subcommand is None:
            printing.say(context.get_help())

    for function in (upgrade, check, distribute, secure, hnsw):
        app.command(function.__name__)(_waited(function, wait))
    return app


def _waited(function: Callable[..., Coroutine[Any, Any, list[str]]], wait: Wait) -> Callable[..., None]:
    @wraps(function)
    def command(*args: Any, **given: Any) -> None:
        _listed(wait(function(*args, **given)))

    return command


def _listed(lines: list[str]) -> None:
    for one in lines:
        printing.say(printing.line(one))


def _server(url: str) -> str:
    if isinstance(open_store(url), SQLiteStore):
        raise InvalidInput("this is for a PostgreSQL database: --db postgresql://…")
    return url


def _existing(url: str) -> DrivenStore:
    """A store that need not be made first. Raises `StoreUnavailable`."""
    store = open_store(url)
    if isinstance(store, SQLiteStore) and not store.path.exists():
        raise StoreUnavailable(f"there is no memory at {store.path}")
    return store


@asynccontextmanager
async def _opened(store: DrivenStore) -> AsyncGenerator[DrivenStore]:
    try:
        await store.open()
        yield store
    finally:
        await store.close()


async def _copied(source: str, target: str, scope: str | None, progress: Progress) -> list[Any]:
    async with _opened(_existing(source)) as there:
        if scope is not None and await there.state(scope) is None:
            raise InvalidInput(f"there is no scope {scope!r} to copy")
        names = await there.scopes() if scope is None else [scope]
        async with _opened(open_store(target)) as here:
            return [await copy(there, here, name, progress) for name in names]


async def _worked(memory: AsyncMemory, store: DrivenStore, *, once: bool) -> Flushed | None:
    try:
        await memory.open()
        await store.leases()  # a role that sees one scope at a time cannot look for work
        if once:
            return await memory.flush()
        ended = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        printing.complain("at work; Ctrl-C ends it")
        await ended.wait()
        return None
    finally:
        await memory.close(drain=0.0)


@contextmanager
def _told(verbose: bool) -> Generator[None]:
    """A worker runs for weeks and nobody reads a result: what matters is logged to standard error meanwhile."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    everybody, ours = logging.getLogger(), logging.getLogger("fabula")
    before = ours.level
    everybody.addHandler(handler)
    ours.setLevel(logging.INFO if verbose else logging.WARNING)
    try:
        yield
    finally:
        everybody.removeHandler(handler)
        ours.setLevel(before)
