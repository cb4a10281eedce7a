"""Text, Markdown, source code, CSV, JSON and YAML as parts; knows people's encodings, and no other file type."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from fabula.errors import DocumentCorrupt
from fabula.types import Document, Part

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PAIRS: Final = re.compile(rb"[\x80-\xff]{2,}")
_HIGH: Final = re.compile(rb"[\x80-\xff]")
_HEADING: Final = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_RULE: Final = re.compile(r"^[ \t|:+-]*-[ \t|:+-]*$")
_GAP: Final = re.compile(r"\n[^\S\n]*\n\s*?(?=\S|[^\S\n]+\S|\Z)")
SAMPLE: Final = 1 << 16
"""Bytes by which an encoding is guessed and a CSV's delimiter found."""


def decoded(data: bytes, said: str = "") -> tuple[str, tuple[str, ...]]:
    """Return the text of `data` with `\\n` at line ends, and a warning where its encoding was guessed.

    A byte order mark counts first, then the NULs of UTF-16 without one, UTF-8 if it fits, what the file has `said`,
    GB 18030 where the bytes come in pairs, as those of Chinese do, and last Windows-1252. Raises `DocumentCorrupt`
    for what is no text.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), "") or _wide(data)
    for encoding in filter(None, (marked, "" if marked else "utf-8", _known(said), *_guesses(data))):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:  # then it is another one
            text = None
        if text is not None and not _CONTROL.search(text.replace("\0", "", 16)):
            sure = encoding in (marked, "utf-8", _known(said))
            warnings = () if sure else (f"the text has no mark of its encoding and was read as {encoding}",)
            return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n"), warnings
    raise DocumentCorrupt("the file is not text in an encoding that is known")


def _known(said: str) -> str:
    try:
        return codecs.lookup(said).name if said else ""
    except LookupError:
        return ""


def _wide(data: bytes) -> str:
    """UTF-16 by its NULs: half of every Latin letter, space and line end is one, always the same half."""
    low, high = (data[place:SAMPLE:2].count(0) for place in (0, 1))
    if len(data) % 2 or min(low, high) or max(low, high) * 10 < min(len(data), SAMPLE) // 2 or low + high < 3:
        return ""
    return "utf-16-be" if low else "utf-16-le"


def _guesses(data: bytes) -> Iterator[str]:
    sample = data[:SAMPLE]
    high = len(_HIGH.findall(sample))
    if high and sum(map(len, _PAIRS.findall(sample))) * 2 > high:
        yield "gb18030"
    yield "cp1252"


def paragraphs(text: str) -> list[Part]:
    """Return what stands between blank lines."""
    return [Part(text=piece.strip("\n")) for piece in _GAP.split(text) if piece.strip()]


def read_text(data: bytes) -> Document:
    """Read plain text and source code: as it is."""
    text, warnings = decoded(data)
    return Document(media="text/plain", parts=tuple(paragraphs(text)), warnings=warnings)


def read_yaml(data: bytes) -> Document:
    """Read YAML as the text that it is."""
    return replace(read_text(data), media="application/yaml")


def read_json(data: bytes) -> Document:
    """Read JSON, a line for each value and letters for escapes; what does not parse is read as text, with a warning."""
    text, warnings = decoded(data)
    try:
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        warnings = (*warnings, "the file is not valid JSON and was read as text")
    parts = tuple(paragraphs(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")))
    return Document(media="application/json", parts=parts, warnings=warnings)


def read_csv(data: bytes) -> Document:
    """Read a table, its cells with ` | ` between them; the first row is taken for its head."""
    text, warnings = decoded(data)
    try:
        dialect = csv.Sniffer().sniff(text[:SAMPLE], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), dialect) if any(cell.strip() for cell in row)]
    except csv.Error:
        parts = tuple(paragraphs(text))
        return Document(media="text/csv", parts=parts, warnings=(*warnings, "the file is not valid CSV: read as text"))
    return Document(media="text/csv", parts=tuple(table(rows)), warnings=warnings)


def table(rows: list[list[str]], heading: str = "") -> Iterator[Part]:
    """The rows of a table as parts; rows without anything in them are left out."""
    lines = [" | ".join(" ".join(cell.split()) for cell in row) for row in rows if any(cell.strip() for cell in row)]
    for place, line in enumerate(lines):
        yield Part(text=line, heading=heading, above=lines[0] if place else "")


class Headings:
    """The headings that are open at a place of a document."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, name: str) -> str:
        """Open a heading, which ends those of its level and below; return the path."""
        self._open = [one for one in self._open if one[0] < level]
        self._open.append((level, " ".join(name.split())))
        return self.path

    @property
    def path(self) -> str:
        """The open headings, the outermost first."""
        return " / ".join(name for _, name in self._open if name)


def read_markdown(data: bytes) -> Document:
    """Read Markdown: as it is written, by headings, paragraphs, code blocks and the rows of tables."""
    text, warnings = decoded(data)
    headings, parts, block = Headings(), list[Part](), list[str]()
    fence, title = "", ""

    def end() -> None:
        if any(line.strip() for line in block):
            parts.extend(_block(block, headings.path))
        block.clear()

    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence or mark:
            block.append(line)
            if mark and not fence:
                fence = mark[1]
            elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
        elif found := _HEADING.match(line):
            end()
            path = headings.enter(len(found[1]), found[2])
            title = title or (found[2] if len(found[1]) == 1 else "")
            parts.append(Part(text=line.strip(), heading=path))
        elif not line.strip():
            end()
        else:
            block.append(line)
    end()
    return Document(media="text/markdown", title=title, parts=tuple(parts), warnings=warnings)


def _block(lines: list[str], heading: str) -> Iterator[Part]:
    if len(lines) > 2 and "|" in lines[0] and _RULE.match(lines[1]):
        head = f"{lines[0]}\n{lines[1]}"
        yield Part(text=head, heading=heading)
        yield from (Part(text=line, heading=heading, above=head) for line in lines[2:])
    else:
        yield Part(text="\n".join(lines), heading=heading)
