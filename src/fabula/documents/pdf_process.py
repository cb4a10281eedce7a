"""The process that reads one PDF: its bytes in, a line of JSON a page out. Run as a file; knows nothing of fabula.

A broken or hostile PDF may hang or bring down the library that reads it, and then only this process goes.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from typing import Any

MEMORY = 4 << 30
"""Bytes of address space it may take: some PDFs unpack to more than there is."""


def limit() -> None:
    """Bound the memory of this process, on systems that can."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY if hard < 0 else min(MEMORY, hard), hard))


def say(**told: Any) -> None:
    """Write one line of JSON."""
    sys.stdout.buffer.write(json.dumps(told).encode() + b"\n")
    sys.stdout.buffer.flush()


OBJECT = re.compile(rb"(\d+)\s+\d+\s+obj\b")
HEAD = re.compile(rb"(.{0,8000}?)(?:endobj|\bstream(\r?\n))", re.DOTALL)
DRAWN = re.compile(rb"/([^\s/<>\[\]()%]+)\s+Do\b")
NAMED = re.compile(rb"/([^\s/<>\[\]()%]+)\s+(\d+)\s+\d+\s+R\b")
LOOKED_AT = 1 << 20


def circular(data: bytes) -> bool:
    """Whether a form draws itself, alone or by way of others (ISO 32000-1, 8.10.1 forbids it)."""
    heads: dict[bytes, bytes] = {}
    forms: dict[bytes, int] = {}
    for found in OBJECT.finditer(data):
        if head := HEAD.match(data, found.end()):
            heads[found[1]] = head[1]
            if head[2] and re.search(rb"/Subtype\s*/Form\b", head[1]):
                forms[found[1]] = head.end()
    draws = {form: drawn(data, heads, form, start) for form, start in forms.items()}
    while ended := [form for form, others in draws.items() if not others & draws.keys()]:
        for form in ended:
            del draws[form]
    return bool(draws)


def drawn(data: bytes, heads: dict[bytes, bytes], form: bytes, start: int) -> set[bytes]:
    """The numbers of the objects that a form draws; its resources may stand in objects of their own."""
    named = NAMED.findall(heads[form])
    for _ in range(2):
        named += [
            n
            for name, number in named
            if name in (b"Resources", b"XObject")
            for n in NAMED.findall(heads.get(number, b""))
        ]
    end = max(data.find(b"endstream", start), start)
    content = data[start : min(end, start + LOOKED_AT)]
    if b"/FlateDecode" in heads[form]:
        try:
            content = zlib.decompressobj().decompress(content, LOOKED_AT)
        except zlib.error:
            content = b""
    used = set(DRAWN.findall(content))
    return {number for name, number in named if name in used}


def main() -> None:
    """Read standard input as a PDF."""
    sys.path[:] = json.loads(sys.argv[1])
    import pypdfium2

    limit()
    data = sys.stdin.buffer.read()
    if circular(data):
        say(error="a form in it draws itself")
        return
    try:
        document: Any = pypdfium2.PdfDocument(data)
        count = len(document)
        if not count:
            say(error="there is no page in it")
            return
        say(pages=count, title=document.get_metadata_value("Title"))
        for number in range(count):
            page = document[number]
            say(text=page.get_textpage().get_text_bounded())
            page.close()
    except pypdfium2.PdfiumError as error:
        wrong = getattr(error, "err_code", None) == pypdfium2.raw.FPDF_ERR_PASSWORD
        say(error="password" if wrong else str(error))


if __name__ == "__main__":
    main()
