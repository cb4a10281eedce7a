"""When NeuroMemory extracts memories from talk, as fabula's settings; knows no memory and no message."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass, replace

from fabula import InvalidInput, Settings
from fabula.checking import LONGEST, within


@dataclass(frozen=True, slots=True)
class ExtractionStrategy:
    """What has memories extracted, instead of every message by itself. Raises `InvalidInput` (a `ValueError`).

    What no trigger has met yet stays in the database, unextracted, until one does or `extract_memories` asks.
    """

    message_interval: int = 10
    """So many messages of a session are extracted together, each once; 0: their number is no trigger."""
    idle_timeout: float = 600.0
    """Seconds after the last message of a session; 0: silence is no trigger."""
    on_session_close: bool = True
    """Whether `conversations.close_session` extracts what is left of the session."""
    on_shutdown: bool = True
    """Whether `close` extracts what is left of what was written by this process, within its time limit."""
    reflection_interval: int = 0
    """After so many extractions for a user the background reflects; 0: only `reflect` does."""

    def __post_init__(self) -> None:
        within("message_interval", self.message_interval, 0)
        within("idle_timeout", self.idle_timeout, 0, LONGEST, kind=float)
        within("reflection_interval", self.reflection_interval, 0)
        for name in ("on_session_close", "on_shutdown"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInput(f"{name} is True or False, not {reprlib.repr(getattr(self, name))}")


def settings(
    *, auto_extract: bool = True, extraction: ExtractionStrategy | None = None, reflection_interval: int = 0,
    base: Settings = Settings(),  # noqa: B008 - frozen
) -> Settings:  # fmt: skip
    """Return `base` with the triggers that NeuroMemory's arguments ask for.

    A strategy alone triggers, whatever `auto_extract` is. Without one, every message is extracted at once, or nothing
    is before it is asked for. The strategy's `reflection_interval` goes before the other, unless it is 0.
    """
    for value, kind, name in (
        (auto_extract, bool, "auto_extract"),
        (extraction, ExtractionStrategy | None, "extraction"),
    ):
        if not isinstance(value, kind):
            raise InvalidInput(
                f"{name} is not {reprlib.repr(value)}: True or False, or an ExtractionStrategy as `extraction`"
            )
    within("reflection_interval", reflection_interval, 0)
    if extraction is None:
        idle = 0.0 if auto_extract else math.inf
        return replace(base, idle=idle, full=auto_extract, finish=False, reflect_every=reflection_interval)
    return replace(
        base,
        window=extraction.message_interval or base.window,
        full=extraction.message_interval > 0,
        idle=extraction.idle_timeout or math.inf,
        finish=extraction.on_shutdown,
        reflect_every=extraction.reflection_interval or reflection_interval,
    )


def closing(*, auto_extract: bool = True, extraction: ExtractionStrategy | None = None) -> bool:
    """Return whether closing a session extracts what is left of it."""
    return auto_extract if extraction is None else extraction.on_session_close
