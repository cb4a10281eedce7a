"""Every number a caller may tune, with its default; nothing here reads the environment (the faces do)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fabula.errors import InvalidInput


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How a memory behaves; the defaults suit one process on one machine."""

    secrets: Literal["mask", "keep"] = "mask"
    """Whether API keys, passwords and card numbers are masked before anything is stored."""
    hot_bytes: int = 512 * 2**20
    """How much memory the hot tier may hold, in bytes; 0 turns it off."""
    window: int = 8
    """How many messages of a session are extracted together, at most."""
    idle: float = 30.0
    """How many seconds a session has to be quiet before its last, incomplete window is extracted."""
    batch: int = 64
    """How many texts the embedder is given at once."""
    attempts: int = 5
    """How often failing background work is tried before it waits for the next opening."""
    backoff: float = 1.0
    """Seconds before the second attempt; doubled with each further one."""
    lease: float = 60.0
    """Seconds until another worker may take over the work of one that fell silent."""
    drain: float = 30.0
    """How many seconds closing waits for background work; what is left stays pending in the database."""
    busy: float = 30.0
    """How many seconds SQLite waits for another process's write."""

    def __post_init__(self) -> None:
        if self.secrets not in ("mask", "keep"):
            raise InvalidInput(f"secrets is 'mask' or 'keep', not {self.secrets!r}")
        for name in ("window", "batch", "attempts"):
            if getattr(self, name) < 1:
                raise InvalidInput(f"{name} is 1 or more, not {getattr(self, name)}")
        for name in ("hot_bytes", "idle", "backoff", "lease", "drain", "busy"):
            if getattr(self, name) < 0:
                raise InvalidInput(f"{name} is 0 or more, not {getattr(self, name)}")
