"""How a blocking facade waits for its asynchronous one; knows neither."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Call(Protocol):
    """`Memory._call`: run what a method awaits in the memory's loop, and wait for it."""

    def __call__(self, method: str, coroutine: Coroutine[Any, Any, T], /) -> T:
        """Return what `coroutine` does; `method` is named in errors."""
        ...
