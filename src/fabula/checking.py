"""What a value from outside has to be: numbers within bounds, aware times, names, choices; knows no record."""

from __future__ import annotations

import math
import reprlib
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

from fabula.errors import InvalidInput


def within(name: str, value: Any, low: float, high: float = math.inf, *, kind: type[int | float] = int) -> None:
    """Raise `InvalidInput`, naming `name`, unless `value` is a number of that kind and `low <= value <= high`.

    A whole number is a `float` as well; a truth value is neither, nor is NaN or an infinity. Where `high` is not said,
    it is the largest that a database, or a `float`, holds.
    """
    number = isinstance(value, int | kind) and not isinstance(value, bool)
    if not number or value != value or abs(value) == math.inf:
        what = "a whole number" if kind is int else "a finite number"
        raise InvalidInput(f"{name} is {what}, not {reprlib.repr(value)}")
    most = min(high, FARTHEST if kind is int else sys.float_info.max)
    if not low <= value <= most:
        bounds = f"{low} or more" if high == math.inf and value < low else f"{low} to {most}"
        raise InvalidInput(f"{name} is {bounds}, not {_brief(value)}")


def _brief(number: float) -> str:
    try:
        return reprlib.repr(number)
    except ValueError:
        return "a number of thousands of digits, which Python does not write"


def patience(name: str, seconds: Any) -> float | None:
    """Return how long to wait: seconds, which may be infinite, or `None`; raises `InvalidInput`, naming `name`."""
    if seconds is not None and seconds != math.inf:
        within(name, seconds, 0, kind=float)
    return seconds


def aware(moment: datetime | str) -> datetime:
    """Return an aware datetime: ISO 8601 text is parsed, a naive value is taken as UTC.

    Raises `InvalidInput` for anything else, and for moments outside the years 1 to 9999 of UTC.
    """
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment.strip())
        except ValueError:
            raise InvalidInput(f"not an ISO 8601 date or time: {reprlib.repr(moment)}") from None
    if not isinstance(moment, datetime):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"a time is a datetime or ISO 8601 text, not {type(moment).__name__}")
    zoned = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    try:
        zoned.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(f"a time outside the years 1 to 9999: {moment.isoformat()}") from None
    return zoned


def named(name: str, value: Any) -> str:
    """Return a session or speaker as `remember` stores it: in NFC, a speaker without NUL and outer white space.

    Raises `InvalidInput`, naming `name`, for anything but text that names something.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is text or None, not {reprlib.repr(value)}")
    stored = unicodedata.normalize("NFC", value.replace("\0", "").strip() if name == "speaker" else value)
    if not stored:
        raise InvalidInput(f"{name} is None or a name; an empty one matches nothing")
    return stored


def pictured(data: bytes) -> str:
    """Return the media type of a picture, read off its first bytes (PNG, JPEG, GIF or WebP).

    Raises `InvalidInput` for anything else and for more than `LARGEST` bytes.
    """
    if len(data) > LARGEST:
        raise InvalidInput(f"a picture has at most {LARGEST // 10**6} MB, not {len(data) / 10**6:.1f}")
    found = next((media for first, media in _PICTURES.items() if data.startswith(first)), "")
    if not found and data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        found = "image/webp"
    if not found:
        raise InvalidInput("a picture is a PNG, JPEG, GIF or WebP, and these bytes are none")
    return found


LARGEST: Final = 20_000_000
"""The most bytes a picture may have."""
_PICTURES: Final = {
    b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif", b"GIF89a": "image/gif",
}  # fmt: skip


def chosen(name: str, values: Iterable[Any], known: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return one or more of `known` as a tuple; raises `InvalidInput`, naming `name`, for none and for others."""
    if not isinstance(values, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidInput(f"{name} takes one or more of {', '.join(known)}; got {reprlib.repr(values)}")
    chosen = (values,) if isinstance(values, str) else tuple(values)
    unknown = [value for value in chosen if value not in known]
    if unknown or not chosen:
        raise InvalidInput(f"{name} takes one or more of {', '.join(known)}; got {reprlib.repr(chosen)}")
    return chosen


def several(name: str, values: Any) -> list[Any]:
    """Return values as a list; raises `InvalidInput`, naming `name`, for one text, which is a list of letters else."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidInput(f"{name} is a list, not {reprlib.repr(values)}")  # pyright: ignore[reportUnknownArgumentType]
    return list(cast(Iterable[Any], values))


EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
FARTHEST: Final = 2**63 - 1
"""The greatest whole number: databases count no farther."""
LONGEST: Final = 100 * 365 * 86400
"""Seconds of the longest finite time that is waited: in a hundred years there still are dates to say when it is up."""


def an(kind: type[Any], value: Any, name: str) -> Any:
    """Return a value of that type, or `None`; raises `InvalidInput`, naming `name`, for another."""
    if value is not None and not isinstance(value, kind):
        raise InvalidInput(f"{name} is of the type {kind.__name__}, not {reprlib.repr(value)}")
    return value
