"""Word's DOCX as parts: paragraphs, headings and tables in their order; knows no layout and no other format.

The format is ECMA-376 (Office Open XML), part 1, section 17.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from copy import copy
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from fabula.documents.plain import Headings, table
from fabula.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge
from fabula.types import Document, Part

INFLATED: Final = 25 * 2**20
"""Bytes that what is read of a file may have once it is unpacked."""
_MEDIA: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIDES: Final = re.compile(r"word/(header|footer|footnotes|endnotes)\d*\.xml")
_LEVEL: Final = re.compile(r"heading ([1-9])")


class _Parcel:
    """The members of a DOCX, of which at most `INFLATED` bytes are unpacked in all."""

    def __init__(self, data: bytes) -> None:
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        self._left = INFLATED
        self.names = self._zip.namelist()

    def tree(self, name: str) -> Element:
        info = copy(self._zip.getinfo(name))
        if info.flag_bits & 1:
            raise DocumentEncrypted("the file opens with a password only")
        # What the file says of its sizes is not believed: reading ends where the packed bytes do.
        info.file_size = 1 << 62
        with self._zip.open(info) as member:
            data = member.read(self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise DocumentTooLarge(f"the file unpacks to more than {INFLATED >> 20} MiB of text")
        return ElementTree.fromstring(data)


def read(data: bytes) -> Document:
    """Read a DOCX; headers, footers and notes once each. Raises a `DocumentError`."""
    if data.startswith(_OLE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise DocumentEncrypted("the file opens with a password only")
        raise DocumentCorrupt("the file is not a DOCX: an old Word file has to be saved as one")
    try:
        parcel = _Parcel(data)
        if "word/document.xml" not in parcel.names:
            raise DocumentCorrupt("the file is not a DOCX: there is no document in it")
        return _document(parcel)
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, NotImplementedError, EOFError, ValueError) as error:
        if isinstance(error, DocumentCorrupt | DocumentEncrypted | DocumentTooLarge):
            raise
        raise DocumentCorrupt(f"the file is not a DOCX: {error}") from None


def _document(parcel: _Parcel) -> Document:
    levels = _levels(parcel.tree("word/styles.xml")) if "word/styles.xml" in parcel.names else {}
    body = parcel.tree("word/document.xml").find(f"{_W}body")
    within = list(_blocks(body, levels, Headings())) if body is not None else []
    sides: dict[str, dict[str, Part]] = {}
    for name in sorted(parcel.names):
        if found := _SIDES.fullmatch(name):
            for part in _blocks(parcel.tree(name), {}, Headings()):
                if not part.text.strip(" -–—/|").isdecimal():  # the number of a page
                    sides.setdefault(found[1], {}).setdefault(part.text, part)
    first = sides.pop("header", {}).values()
    last = (part for side in ("footnotes", "endnotes", "footer") for part in sides.get(side, {}).values())
    title = ""
    if "docProps/core.xml" in parcel.names:
        title = (parcel.tree("docProps/core.xml").findtext(_TITLE) or "").strip()
    return Document(media=_MEDIA, title=title, parts=(*first, *within, *last))


def _levels(styles: Element) -> dict[str, int]:
    """How deep the headings of each style are; Word calls its own `heading 1` in every language."""
    found: dict[str, int] = {}
    for style in styles.iter(f"{_W}style"):
        name = style.find(f"{_W}name")
        called = "" if name is None else name.get(f"{_W}val", "").lower()
        level = style.find(f"{_W}pPr/{_W}outlineLvl")
        if match := _LEVEL.fullmatch(called):
            found[style.get(f"{_W}styleId", "")] = int(match[1])
        elif called == "title":
            found[style.get(f"{_W}styleId", "")] = 0
        elif level is not None and level.get(f"{_W}val", "9") < "9":
            found[style.get(f"{_W}styleId", "")] = int(level.get(f"{_W}val", "0")) + 1
    return found


def _blocks(container: Element, levels: dict[str, int], headings: Headings) -> Iterator[Part]:
    for block in container:
        if block.tag == f"{_W}p":
            text = _text(block)
            level = _level(block, levels)
            if text and level is not None:
                headings.enter(level, text)
            if text:
                yield Part(text=text, heading=headings.path)
        elif block.tag == f"{_W}tbl":
            yield from table([[_text(cell) for cell in _cells(row)] for row in _rows(block)], headings.path)
        elif block.tag not in (f"{_W}sectPr", f"{_W}del", f"{_W}sdtPr"):
            yield from _blocks(block, levels, headings)  # a content control, a footnote, a revision


def _rows(container: Element) -> Iterator[Element]:
    for child in container:
        if child.tag == f"{_W}tr":
            yield child
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"):
            yield from _rows(child)


def _cells(row: Element) -> Iterator[Element]:
    for child in row:
        if child.tag == f"{_W}tc":
            yield child
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins"):
            yield from _cells(child)


def _level(paragraph: Element, levels: dict[str, int]) -> int | None:
    own = paragraph.find(f"{_W}pPr/{_W}outlineLvl")
    if own is not None and own.get(f"{_W}val", "9") < "9":
        return int(own.get(f"{_W}val", "0")) + 1
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    return None if style is None else levels.get(style.get(f"{_W}val", ""))


def _text(element: Element) -> str:
    return re.sub(r"[^\S\n]*\n[^\S\n]*", "\n", "".join(_said(element))).strip()


def _said(element: Element) -> Iterator[str]:
    """The words of an element, those of text boxes and what stands for a picture among them; deleted ones are not."""
    for child in element:
        name = child.tag.rpartition("}")[2] if isinstance(child.tag, str) else ""  # pyright: ignore[reportUnnecessaryIsInstance]
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif name == "tab":
            yield "\t"
        elif name in ("br", "cr"):
            yield "\n"
        elif name == "noBreakHyphen":
            yield "-"
        elif name == "docPr":
            yield f" {child.get('descr', '')} "
        elif name not in ("Fallback", "del", "moveFrom", "pPr", "rPr", "instrText"):
            yield from _said(child)
            if name in ("p", "tc"):
                yield "\n"
