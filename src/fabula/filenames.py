"""What the name of a file says of it: its type, and whether a picture's says anything at all; opens no file."""

# ruff: noqa: SIM905 - as a list of quoted words the table could not be read

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

SPELLINGS: Final[Mapping[str, str]] = {
    "jpeg": "jpg", "htm": "html", "xhtml": "html", "yml": "yaml", "markdown": "md", "text": "txt",
}  # fmt: skip
"""Other endings of a type, each with the usual one."""
_USUAL: Final = frozenset(
    """
    img image images photo photos pic pics picture pictures camera scan file attachment upload download unnamed untitled
    screenshot screen shot capture dsc dscf dscn pxl mvimg gopr pano whatsapp wechat telegram signal received mmexport
    图 图片 图像 照片 相片 截图 截屏 屏幕截图 屏幕快照 微信图片 微信截图 qq图片 qq截图 未命名
    """.split()
)
"""What cameras, programs and everybody call the file of a picture, whatever it shows."""
_SUFFIX: Final = re.compile(r"\.\w{1,5}\Z")
_CODE: Final = re.compile(r"[0-9a-fA-F-]{16,}")
_WORD: Final = re.compile(r"(?<![^\W_])((?:[A-Za-z](?=[^\W\d_]{2})|[^\W\d_a-zA-Z])[^\W\d_]*)\d*(?![^\W_])")
"""Letters, with at most a number behind them: three where the first is a Latin one, else one."""


def in_words(name: str) -> bool:
    """Return whether a file's name has words in it that tell something, as `red-bicycle.jpg` and not `IMG_1.jpg`."""
    stem = _SUFFIX.sub("", name)
    return not _CODE.fullmatch(stem) and any(word.lower() not in _USUAL for word in _WORD.findall(stem))
