"""A user's data taken out, put in again and erased, in the seed's words; how it is done is `fabula`'s to know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from fabula import AsyncMemory, InvalidInput
from fabula.text import identifier

_SCOPE: Final = re.compile(r"\Ascope (?=')")
_NOBODY: Final = re.compile(r"\Athere is no scope (?=')")
"""How errors begin about whose memory it is, and that there is none."""


async def export_user_data(memory: AsyncMemory, user_id: str) -> dict[str, Any]:
    """Return all there is of a user as one JSON object, files included; its form is that of `fabula.exported`.

    Raises `InvalidInput` where there is no such user.
    """
    user_id = identifier(user_id, "user_id")
    try:
        return await memory.export(user_id)
    except InvalidInput as error:
        raise InvalidInput(_NOBODY.sub("there is no user ", str(error))) from None


async def import_user_data(memory: AsyncMemory, data: Mapping[str, Any], user_id: str | None = None) -> dict[str, Any]:
    """Put in what `export_user_data` gave, for the same user or as another one, whole or not at all.

    Returns `{"user_id", "imported": {table: rows}, "files": n, "already_present": bool}`. Raises `InvalidInput`, before
    anything is written, for what is no whole export and where the user has other data.
    """
    scope = None if user_id is None else identifier(user_id, "user_id")
    try:
        done = await memory.import_(data, scope=scope)
    except InvalidInput as error:
        raise InvalidInput(_SCOPE.sub("user_id ", str(error))) from None
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
