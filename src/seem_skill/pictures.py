"""The picture that an observation or a question comes with, as bytes, a file or an address; knows no memory."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from fabula import Image, InvalidInput
from fabula.checking import LARGEST

log = logging.getLogger(__name__)


def image(told: Mapping[str, str], data: Any = None) -> Image | None:
    """Return the image that is told of, with the picture itself where it is given or lies at `image_path`.

    Raises `InvalidInput` for what is no picture, is too large, cannot be read, or comes from two places.
    """
    path, url = told.get("image_path", ""), told.get("image_url", "")
    if len([given for given in (path, url, data) if given not in ("", None)]) > 1:
        raise InvalidInput("an image has an image_path or an image_url or is given itself, not both")
    if data is not None and not (isinstance(data, bytes) and data):
        raise InvalidInput(f"image is the picture itself, as bytes, not {type(data).__name__ if data else 'nothing'}")
    if url.startswith("data:"):
        raise InvalidInput("image_url is an address, not the picture itself")
    name = told.get("image_id") or PurePath(path or urlsplit(url).path).name or path or url
    caption = told.get("image_caption", "")
    if path:
        data = read(path)
        if not data:
            log.warning("there is no file %s: its name and caption are kept", path)
    return Image(caption=caption, url=path or url, name=name, data=data or b"") if name or caption or data else None


def read(path: str) -> bytes:
    """Return what is in a file, nothing where there is none; raises `InvalidInput` where it cannot be read."""
    file = Path(path)
    try:
        if not file.is_file():
            return b""
        if file.stat().st_size > LARGEST:
            raise InvalidInput(f"a picture has at most {LARGEST // 10**6} MB: {path} has more")
        return file.read_bytes()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
