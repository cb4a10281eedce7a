"""Long work, done beside the event loop; knows nothing of what is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LONG: Final = 2000
"""Characters of text from which on reading it is left to a thread: so many are read in about five milliseconds."""


async def aside(texts: Iterable[str], work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` returns, done on a thread where the texts it reads are so long that others would wait."""
    short = sum(map(len, texts)) < LONG
    return work(*args, **kwargs) if short else await asyncio.to_thread(work, *args, **kwargs)
