"""NeuroMemory's talk on a fabula memory: messages by session, and what has been drawn from them.

It knows no store, no model and no window: when talk is extracted is the memory's settings to say.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from fabula import AsyncMemory, Forgotten, InvalidInput, Message, Passage, Plan
from fabula.abc import Pending
from fabula.checking import FARTHEST, within
from fabula.text import derived_id, identifier
from fabula.types import FILE_SESSION, MAX_LIMIT, Extracted
from neuromemory.messages import batched, message, session, shape
from neuromemory.shapes import Shape

log = logging.getLogger(__name__)


class Conversations:
    """What users said, by session (`nm.conversations`).

    Session ids are per user. A message without one is of the session `default`, which goes on until it is deleted;
    closing a session extracts what is left of it (if `closing`), and it may be spoken in again. Every method raises
    `InvalidInput` (a `ValueError`) for what cannot be meant, and nothing is written then.
    """

    def __init__(self, memory: AsyncMemory, *, closing: bool = True) -> None:
        self._memory = memory
        self._closing = closing

    async def add_message(
        self, user_id: str, role: str, content: Any, session_id: str | None = None,
        metadata: Mapping[str, Any] | None = None, *, message_id: str | None = None,
        created_at: datetime | str | None = None,
    ) -> str:  # fmt: skip
        """Keep what was said, durably, and return its id.

        `role` is `user`, `assistant`, `system`, `tool` or `developer`; any other word is the name of who speaks.
        `content` is text, `None` or a list of OpenAI's content parts. A `message_id` of your own makes it safe to try
        again: the same id is one message, whose first text stays; one that was deleted stays deleted. `created_at` is
        when it was said (default: now; naive is UTC).
        """
        talk = message(role, content, session(session_id), metadata, message_id, created_at)
        return (await self._remember(user_id, [talk]))[0]

    async def add_messages_batch(
        self, user_id: str, messages: Sequence[Mapping[str, Any]], session_id: str | None = None
    ) -> tuple[str, list[str]]:
        """Keep several messages of one session in their order, all or none; return its id and theirs.

        A message is a dict with `role` and `content`, and perhaps `metadata`, `message_id`, `created_at` and what
        OpenAI's API gives beside them (`tool_calls`, …).
        """
        name = session(session_id)
        return name, await self._remember(user_id, [batched(one, name) for one in _listed(messages)])

    async def close_session(self, user_id: str, session_id: str | None = None) -> dict[str, int]:
        """End a session: what is left of it is extracted, where closing does that; return counts as `extract` does."""
        user, name = identifier(user_id, "user_id"), session(session_id)
        return counts(await self._memory.extract(user, session=name) if self._closing else Extracted())

    async def extract(
        self, user_id: str, messages: Sequence[Mapping[str, Any]] | None = None, session_id: str | None = None
    ) -> dict[str, int]:
        """Extract now what waits for it, of a session or all (`nm.extract_memories`); return what came of it.

        `messages` are kept first, but for those that were read from here; then it is told of them. None is extracted
        twice. What failed stays, and is tried again.
        """
        user = identifier(user_id, "user_id")
        if messages is None:
            name = None if session_id is None else session(session_id)
            return counts(await self._memory.extract(user, session=name))
        given = _listed(messages)
        ids = [name for one in given if isinstance(name := one.get("id"), str)]
        known = {name for name in ids if isinstance(await self._memory.get(user, name), Passage)}
        fresh = [one for one in given if not (isinstance(name := one.get("id"), str) and name in known)]
        _, added = await self.add_messages_batch(user, fresh, session_id)
        wanted = list(dict.fromkeys([*known, *added]))
        return counts(await self._memory.extract(user, ids=wanted) if wanted else Extracted())

    async def get_session_messages(
        self, user_id: str, session_id: str | None = None, limit: int = 100, offset: int = 0
    ) -> list[Shape]:
        """Return up to `limit` messages of a session behind the first `offset`, in order.

        The `status` of each is `pending`, `extracted`, `failed` (with `attempts` and `error`; it is tried again) or
        `empty`, which is nothing to extract.
        """
        user, name = identifier(user_id, "user_id"), session(session_id)
        _page(limit, offset)
        found = (await self._memory.records(user, session=name, limit=offset + limit))[offset:]
        waiting = await self._waiting(user)
        return [shape(passage, waiting.get(passage.id)) for passage in found if isinstance(passage, Passage)]

    async def list_sessions(self, user_id: str, limit: int = 50, offset: int = 0) -> tuple[int, list[Shape]]:
        """Return how many sessions there are, and up to `limit` of them behind `offset`, the latest told first."""
        user = identifier(user_id, "user_id")
        _page(limit, offset)
        total, found = await self._memory.sessions(user, limit=limit, offset=offset, without=FILE_SESSION)
        return total, [
            {
                "session_id": one.id,
                "message_count": one.messages,
                "created_at": one.first.isoformat(),
                "last_message_at": one.last.isoformat(),
            }
            for one in found
        ]

    async def get_unextracted_messages(
        self, user_id: str, session_id: str | None = None, limit: int = 100
    ) -> list[Shape]:
        """Return up to `limit` messages that nothing was drawn from yet, of a session or all, with their `status`."""
        user = identifier(user_id, "user_id")
        name = None if session_id is None else session(session_id)
        _page(limit, 0)
        waiting = await self._waiting(user)
        wanted = [piece for piece in waiting.values() if name in (None, piece.session)][:limit]
        found = [await self._memory.get(user, piece.id) for piece in wanted]
        return [shape(one, waiting[one.id]) for one in found if isinstance(one, Passage)]

    async def search(self, user_id: str, query: str, limit: int = 10, session_id: str | None = None) -> list[Shape]:
        """Return up to `limit` messages that have to do with a query, the best first, each with its `score` (0–1)."""
        user = identifier(user_id, "user_id")
        within("limit", limit, 1, MAX_LIMIT)
        name = None if session_id is None else session(session_id)
        plan = Plan(kinds=("passage",), limit=limit, session=name, without=FILE_SESSION)
        hits = (await self._memory.recall(user, query, plan)).hits
        talk = [(p, hit.score) for hit in hits if isinstance(p := hit.record, Passage)]
        waiting = await self._waiting(user)
        return [{**shape(passage, waiting.get(passage.id)), "score": score} for passage, score in talk[:limit]]

    async def delete_session(self, user_id: str, session_id: str) -> int:
        """Erase a session with everything made from it; return how many messages it had."""
        user, name = identifier(user_id, "user_id"), session(session_id)
        if session_id is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise InvalidInput("say which session to delete")
        count = len(await self._memory.records(user, session=name))
        await self._memory.forget(user, session=name)
        return count

    async def delete_message(self, user_id: str, message_id: str) -> bool:
        """Erase a message, by the id it was given here or by yours, with what was made from it alone.

        Returns whether there was one.
        """
        user, name = identifier(user_id, "user_id"), identifier(message_id, "message_id", longest=None)
        for wanted in (name, derived_id("message", name)):
            if isinstance(found := await self._memory.get(user, wanted), Passage) and not found.session.startswith(
                FILE_SESSION
            ):
                gone: Forgotten = await self._memory.forget(user, ids=[found.id])
                return bool(gone)
        return False

    async def _remember(self, user_id: str, talk: Sequence[Message]) -> list[str]:
        user = identifier(user_id, "user_id")
        receipt = await self._memory.remember(user, talk)
        for what, ids in (("has another text: the first stays", receipt.conflicts), ("stays deleted", receipt.erased)):
            if ids:
                log.warning("%d message(s) of known ids: %s %s", len(ids), ids[0], what)
        refs = (one.id for one in talk)
        return [
            name if name is not None else derived_id("message", identifier(ref, "message id", longest=None))
            for name, ref in zip(receipt.ids, refs, strict=True)
        ]

    async def _waiting(self, user: str) -> dict[str, Pending]:
        """What is left to extract of the talk, by id, session by session."""
        work = await self._memory.pending(user)
        return {one.id: one for one in work if one.task == "extract" and not one.session.startswith(FILE_SESSION)}


async def counted(memory: AsyncMemory, user: str) -> tuple[int, int]:
    """Return how many sessions and messages a user has; files are none."""
    sessions = messages = 0
    while True:
        total, page = await memory.sessions(user, limit=MAX_LIMIT, offset=sessions, without=FILE_SESSION)
        sessions += len(page)
        messages += sum(one.messages for one in page)
        if not page or sessions >= total:
            return sessions, messages


def counts(found: Extracted) -> dict[str, int]:
    """Return what came of an extraction in numbers; `failed` counts all messages that still wait."""
    return {
        "facts_extracted": len(found.facts),
        "episodes_extracted": len(found.frames),
        "triples_extracted": sum(bool(fact.predicate and fact.object) for fact in found.facts),
        "messages_processed": len(found.passages),
        "failed": len(found.left),
    }


def _page(limit: int, offset: int) -> None:
    within("limit", limit, 1, MAX_LIMIT)
    within("offset", offset, 0, FARTHEST)


def _listed(messages: Any) -> list[Mapping[str, Any]]:
    if not isinstance(messages, list | tuple):
        raise InvalidInput(f"messages is a list of dicts, not {type(messages).__name__}")
    given = list(cast(Sequence[Any], messages))
    odd = next((one for one in given if not isinstance(one, Mapping)), None)
    if odd is not None or None in given:
        raise InvalidInput(f"a message is a dict with role and content, not {type(odd).__name__}")
    return given
