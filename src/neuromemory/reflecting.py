"""What `reflect` and `emotion_profile` give, from fabula's insights and its profile of emotions."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from fabula import AsyncMemory, FabulaError
from fabula.checking import within
from fabula.text import identifier
from fabula.types import MAX_LIMIT
from neuromemory.shapes import Shape

log = logging.getLogger(__name__)


class Reflections:
    """Reflects, also behind the caller's back; whoever closes waits for what goes on."""

    def __init__(self, memory: AsyncMemory) -> None:
        self._memory: Final = memory
        self._going: set[asyncio.Task[None]] = set()

    async def reflect(self, user_id: str, batch: int, *, background: bool) -> Shape:
        """Return what `NeuroMemory.reflect` does."""
        user_id = identifier(user_id, "user_id")
        within("batch_size", batch, 1, MAX_LIMIT)
        if background:
            task = asyncio.create_task(self._unheard(user_id, batch), name="neuromemory-reflect")
            self._going.add(task)
            task.add_done_callback(self._going.discard)
            return _told(0, [], await self.emotions(user_id))
        done = await self._memory.reflect(user_id, batch=batch)
        insights = [
            {"content": one.text, "category": one.category, "source_ids": list(one.sources)} for one in done.insights
        ]
        return _told(done.analyzed, insights, await self.emotions(user_id))

    async def _unheard(self, user_id: str, batch: int) -> None:
        try:
            await self._memory.reflect(user_id, batch=batch)
        except FabulaError as error:  # what is new stays new: the next one goes on there
            log.warning("a reflection failed: %s", error)

    async def emotions(self, user_id: str) -> Shape:
        """Return what `NeuroMemory.emotion_profile` does."""
        felt = await self._memory.feelings(user_id)
        return {
            "latest_state": felt.latest_state,
            "latest_state_valence": felt.latest_state_valence,
            "valence_avg": felt.valence_avg,
            "arousal_avg": felt.arousal_avg,
            "dominant_emotions": dict(felt.dominant_emotions),
            "emotion_triggers": dict(felt.emotion_triggers),
            "count": felt.count,
            "estimated": felt.estimated,
        }

    async def wait(self) -> None:
        """Wait for the reflections that go on in the background."""
        await asyncio.gather(*self._going)

    async def end(self) -> None:
        """Break off what goes on in the background: what it has not reflected on stays new."""
        for task in self._going:
            task.cancel()
        await asyncio.gather(*self._going, return_exceptions=True)


def _told(analyzed: int, insights: list[Shape], felt: Shape) -> Shape:
    return {
        "memories_analyzed": analyzed,
        "insights_generated": len(insights),
        "insights": insights,
        "emotion_profile": felt,
    }
