"""What keeps a memory in order: models and tokenisers change, graphs grow, users move; finds nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from fabula import extract as extracting
from fabula import remember as remembering
from fabula import transfer
from fabula.crew import Crew
from fabula.errors import InvalidInput
from fabula.pruning import Upkept, prune
from fabula.text import identifier
from fabula.transfer import Imported
from fabula.upkeep import Progress, quiet, reembed


class Keeping:
    """The calls of an `AsyncMemory` that look after a database."""

    _crew: Crew

    async def reembed(self, scope: str | None = None, *, progress: Progress = quiet) -> int:
        """Embed anew what another model has embedded; return how many records there were.

        Until all of a scope is done it is answered from the old vectors; then the new ones take over in one step.
        It may be interrupted and goes on where it was. What is written meanwhile is embedded too. Raises
        `InvalidInput` where the memory has no model, and a `ProviderError`.
        """
        ground = await self._crew.ready()
        if ground.embedder is None:
            raise InvalidInput("there is no embedding model to embed with")
        names = await ground.store.scopes() if scope is None else [identifier(scope, "scope")]
        batch = ground.settings.batch
        return sum([await reembed(ground.store, ground.embedder, name, batch, progress) for name in names])

    async def upkeep(self, scope: str | None = None) -> Upkept:
        """Keep the graph small: one round for a scope, or for each; return what was done.

        An entity that no message names and nothing has been tied to for `Settings.prune` rounds in a row is archived
        (see there); a chain of attributes becomes one fact, and the facts it stands for are archived. Nothing is
        deleted, and what is archived stands again when it is spoken of. A scope that another process is at work on is
        `skipped`. First a SQLite file is rewritten in which something was forgotten since it last was, however
        large it is. Raises `StoreUnavailable` where a scope is written to, or such a file read, all the while, and
        `LeaseLost` where another process took the scope over.
        """
        ground = await self._crew.ready()
        await ground.store.scrub(now=True)  # first, so that what fails leaves nothing done and untold
        names = await ground.store.scopes() if scope is None else [identifier(scope, "scope")]
        done: list[Upkept] = []
        for name in names:
            if await ground.store.state(name) is None:
                continue
            async with ground.holding(name) as lease:
                if lease is None:
                    done.append(Upkept(skipped=(name,)))
                    continue
                done.append(await prune(ground.store, lease, ground.space, ground.settings, ground.clock()))
            ground.wake(name)
        return Upkept(
            **{each.name: tuple(i for one in done for i in getattr(one, each.name)) for each in fields(Upkept)}
        )

    async def reextract(self, scope: str | None = None) -> int:
        """Have extracted again what no model has made a frame of, in a scope or all; return how many passages that are.

        For a language model that comes later: its frames take the place of those that rules have made. `flush` waits.
        """
        ground = await self._crew.ready()
        queued = 0
        for name in await ground.store.scopes() if scope is None else [identifier(scope, "scope")]:
            queued += await extracting.again(ground.store, name)
            ground.wake(name)
        return queued

    async def reindex(self, scope: str | None = None) -> int:
        """Make the keyword index anew with the present tokeniser; return how many records were read."""
        ground = await self._crew.ready()
        names = await ground.store.scopes() if scope is None else [identifier(scope, "scope")]
        return sum([await remembering.reindex(ground.store, name) for name in names])

    async def export(self, scope: str) -> dict[str, Any]:
        """Return all there is of a scope as one JSON object: every version, vector and tie, pictures and files.

        Its form is that of `fabula.exported`. Raises `InvalidInput` where there is no such scope, and
        `StoreUnavailable` where it is written to all the while.
        """
        return await transfer.export(await self._crew.ready(), identifier(scope, "scope"))

    async def import_(self, data: Mapping[str, Any], *, scope: str | None = None) -> Imported:
        """Put in what `export` gave, under its own name or as another `scope`; nothing is embedded or read anew.

        Until all of it is there, nothing of it is seen; one that was broken off is done again, or forgotten, and till
        then who writes to the scope is refused (`Unfinished`). The same again is no error and does nothing. Raises
        `InvalidInput`, before anything is written, for what is no export, is cut off, changed or of a newer version,
        and where the scope holds something else; `StoreUnavailable` where another import of it began meanwhile.
        """
        return await transfer.import_(await self._crew.ready(), data, scope)
