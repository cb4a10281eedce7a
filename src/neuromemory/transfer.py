"""A user's data taken out, put in again and erased, in the seed's words; how it is done is `fabula`'s to know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabula import AsyncMemory
from fabula.text import identifier


async def export_user_data(memory: AsyncMemory, user_id: str) -> dict[str, Any]:
    """Return all there is of a user as one JSON object, files included; its form is that of `fabula.exported`.

    Raises `InvalidInput` where there is no such user.
    """
    return await memory.export(identifier(user_id, "user_id"))


async def import_user_data(memory: AsyncMemory, data: Mapping[str, Any], user_id: str | None = None) -> dict[str, Any]:
    """Put in what `export_user_data` gave, for the same user or as another one; nobody sees the half of it.

    Returns `{"user_id", "imported": {table: rows}, "files": n, "already_present": bool}`. Raises `InvalidInput`, before
    anything is written, for what is no whole export and where the user has other data. One that was broken off is done
    again, or deleted; till then who writes to the user is refused (`Unfinished`).
    """
    done = await memory.import_(data, scope=None if user_id is None else identifier(user_id, "user_id"))
    return {
        "user_id": done.scope,
        "imported": dict(done.rows),
        "files": done.blobs,
        "already_present": done.present,
    }


async def delete_user_data(memory: AsyncMemory, user_id: str) -> dict[str, Any]:
    """Erase everything there is of a user, from every table, cache and the file store, and leave nothing that tells.

    Returns the receipt `{"user_id", "deleted": {table: rows}, "files": n, "total": n}`, all zero for who was not there.
    The name is compared in NFC. What SQLite left in unused parts of its file goes by the time the memory is closed.
    """
    user_id = identifier(user_id, "user_id")
    rows = dict((await memory.forget(user_id, everything=True)).rows)
    files = rows.pop("files", 0)
    return {"user_id": user_id, "deleted": rows, "files": files, "total": sum(rows.values()) + files}
