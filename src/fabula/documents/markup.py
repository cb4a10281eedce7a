"""HTML and XML as parts; knows tags, and no style sheet, script or schema."""

# ruff: noqa: SIM905 - as a list of quoted words the table could not be read

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final
from xml.etree import ElementTree

from fabula.documents.plain import Headings, decoded, paragraphs, table
from fabula.types import Document, Part

_CHARSET: Final = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([\w-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w-]+)""", re.I)
_UNREAD: Final = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object"})
_BLOCKS: Final = frozenset(
    """
    address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form head
    header hr html legend li main nav ol option p pre section summary title ul
    """.split()
)
_LEVELS: Final = {f"h{n}": n for n in range(1, 7)}


def _said(data: bytes) -> str:
    """The encoding that a file says it is in."""
    found = _CHARSET.search(data[:2048])
    return (found[1] or found[2]).decode() if found else ""


class _Page(HTMLParser):
    """Collects the text of a page; a table in a table is part of a cell."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[Part] = []
        self.title = ""
        self._headings = Headings()
        self._text: list[str] = []
        self._rows: list[list[str]] = []
        self._unread = ""
        self._deep = 0
        self._tables = 0
        self._pre = 0
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unread:
            self._deep += tag == self._unread
            return
        if tag in _UNREAD:
            self._unread, self._deep = tag, 1
        elif tag == "img":
            self._text.append(f" {dict(attrs).get('alt') or ''} ")
        elif tag == "table":
            if not self._tables:
                self._end()
            self._tables += 1
        elif self._tables:
            if tag == "tr" and self._tables == 1:
                self._end_cell()
                self._rows.append([])
            elif tag in ("td", "th") and self._tables == 1:
                self._end_cell()
                self._text.clear()
                self._cell = True
            else:
                self._text.append(" ")
        elif tag in _BLOCKS or tag in _LEVELS:
            self._break(tag)
            self._pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if self._unread:
            self._deep -= tag == self._unread
            if not self._deep:
                self._unread = ""
        elif self._tables:
            if tag in ("td", "th") and self._tables == 1:
                self._end_cell()
            elif tag == "table":
                self._tables -= 1
                if not self._tables:
                    self._end_table()
        elif tag == "title":
            self.title = self.title or self._taken()
            self._text.clear()
        elif tag in _LEVELS:
            name = self._taken()
            if name:
                self.parts.append(Part(text=name, heading=self._headings.enter(_LEVELS[tag], name)))
        elif tag in _BLOCKS:
            self._break(tag)
            self._pre -= tag == "pre" and self._pre > 0

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self._text.append(data)

    def _break(self, tag: str) -> None:
        if tag == "br":
            self._text.append("\n" if self._pre else "\x1f")
        else:
            self._end()

    def _taken(self) -> str:
        text = "".join(self._text)
        self._text.clear()
        if self._pre:
            return text.replace("\x1f", "\n").strip("\n")
        return "\n".join(line for piece in text.split("\x1f") if (line := " ".join(piece.split())))

    def _end(self) -> None:
        if text := self._taken():
            self.parts.append(Part(text=text, heading=self._headings.path))

    def _end_cell(self) -> None:
        if self._cell:
            if not self._rows:
                self._rows.append([])
            self._rows[-1].append(self._taken())
            self._cell = False

    def _end_table(self) -> None:
        self._end_cell()
        self.parts += table(self._rows, self._headings.path)
        self._rows = []

    def close(self) -> None:
        super().close()
        self._end_table()
        self._end()


def read_html(data: bytes) -> Document:
    """Read what a page shows: headings, paragraphs, tables by row, and what stands for its pictures (`alt`)."""
    text, warnings = decoded(data, _said(data))
    page = _Page()
    page.feed(text.replace("\0", "").replace("\x1f", ""))
    page.close()
    return Document(media="text/html", title=page.title, parts=tuple(page.parts), warnings=warnings)


def read_xml(data: bytes) -> Document:
    """Read XML, a line for each element with its attributes and text; what does not parse is read as text."""
    try:
        # Expat loads nothing from outside and stops where entities multiply.
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        text, warnings = decoded(data, _said(data))
        unread = f"the file is not valid XML ({error}) and was read as text"
        return Document(media="application/xml", parts=tuple(paragraphs(text)), warnings=(*warnings, unread))
    lines: list[str] = []
    for element in root.iter():
        told = [element.text or "", *(child.tail or "" for child in element)]
        values = [f"{_bare(name)}={value}" for name, value in element.attrib.items()]
        text = " ".join(" ".join([*values, *told]).split())
        if text:
            lines.append(f"{_bare(element.tag)}: {text}")
    parts = (Part(text="\n".join(lines)),) if lines else ()
    return Document(media="application/xml", parts=parts)


def _bare(name: object) -> str:
    return str(name).rpartition("}")[2]
