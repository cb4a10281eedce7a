"""One pass of a worker over pending work: what it may touch, and how it went; knows no work and no worker."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from fabula.abc import Task

PATIENCE: Final = 3
"""Failures in a row after which a model is left alone for a while."""


@dataclass(slots=True)
class Sweep:
    """What one pass is for, and what came of it so far."""

    everything: bool = False
    """Whether work that is not due yet is done too."""
    unfinished: bool = False
    """Whether this goes for windows of talk that wait to become full or quiet, too."""
    tried: set[tuple[str, Task, str]] = field(default_factory=set[tuple[str, Task, str]])
    errors: list[str] = field(default_factory=list[str])
    failures: int = 0
    refused: set[Task] = field(default_factory=set[Task])
    """What a model refused the key for: it would only do so again."""
    moves: int = 0
    """How often anything was attempted or put off."""
    deadline: float | None = None
    """When to stop, by the monotonic clock; work that has begun is finished."""

    @property
    def over(self) -> bool:
        """Whether to leave what is left: time is up, or a model fails again and again."""
        late = self.deadline is not None and time.monotonic() >= self.deadline
        return late or self.failures >= PATIENCE
