"""PDF as parts, page by page, read by a process of its own that is ended when it hangs; knows no PDF library."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Final

from fabula.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge, MissingExtra
from fabula.types import Document, Part

PATIENCE: Final = 8.0
"""Seconds the reader may take for its start or for one page."""
PAGES: Final = 20_000
"""Pages a file may have."""
LETTERS: Final = 50_000_000
"""Characters its text may have."""
NAMED: Final = 20
"""How many pages without text a warning names."""
_FULL: Final = 0.6
"""How much of the longest line's length a line has that goes on in the next."""
_ENDS: Final = tuple(".!?:;。！？：；…")
_HAN: Final = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")


def read(data: bytes) -> Document:
    """Read a PDF. A file with an owner's password only is read. Raises a `DocumentError` and `MissingExtra`."""
    if importlib.util.find_spec("pypdfium2") is None:
        raise MissingExtra("reading PDF files", "pdf")
    if b"%PDF-" not in data[:1024]:
        raise DocumentCorrupt("the file is not a PDF")
    title, pages, letters = "", list[str](), 0
    with closing(_lines(data)) as lines:
        for line in lines:
            told: dict[str, Any] = json.loads(line)
            if told.get("error") == "password":
                raise DocumentEncrypted("the PDF opens with a password only")
            if "error" in told:
                raise DocumentCorrupt(f"the PDF is broken: {told['error']}")
            if "pages" in told:
                title = told["title"].replace("\0", "").strip()
                if told["pages"] > PAGES:
                    raise DocumentTooLarge(f"the PDF has {told['pages']} pages; {PAGES} are read")
            else:
                pages.append(_unwrapped(told["text"]))
                letters += len(pages[-1])
                if letters > LETTERS:
                    raise DocumentTooLarge(f"the PDF has more than {LETTERS} characters")
    empty = [str(n) for n, text in enumerate(pages, 1) if not text]
    more = f" and {len(empty) - NAMED} more" if len(empty) > NAMED else ""
    named = f"page{'s' if len(empty) > 1 else ''} {', '.join(empty[:NAMED])}{more}"
    warnings = (f"{named}: no text (scanned?)",) if empty else ()
    parts = tuple(Part(text=text, page=n) for n, text in enumerate(pages, 1) if text)
    return Document(media="application/pdf", title=title, parts=parts, warnings=warnings)


def _lines(data: bytes) -> Generator[str, None, None]:
    """What the reading process says, line by line; it is ended when it says nothing for `PATIENCE`."""
    program = Path(__file__).with_name("pdf_process.py")
    command = [sys.executable, "-I", str(program), json.dumps(sys.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        hung = threading.Event()

        def end() -> None:
            hung.set()
            process.kill()

        timer = threading.Timer(PATIENCE, end)
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            _give(process.stdin, data)
            for line in process.stdout:
                timer.cancel()
                timer = threading.Timer(PATIENCE, end)
                timer.start()
                yield line.decode()
        finally:
            timer.cancel()
            if process.poll() is None and sys.exc_info()[0] is not None:
                process.kill()
        code = process.wait()
    if hung.is_set():
        raise DocumentCorrupt(f"the PDF is broken: reading a page of it took more than {PATIENCE:g} s")
    if code:
        raise DocumentCorrupt("the PDF is broken: its reader gave up")


def _give(pipe: IO[bytes], data: bytes) -> None:
    try:
        with pipe:
            pipe.write(data)
    except BrokenPipeError:
        raise DocumentCorrupt("the PDF is broken: its reader gave up") from None


def _unwrapped(page: str) -> str:
    """A page's text with the lines of a paragraph as one: a word or a name may stand in two of them."""
    text = re.sub("[\ufffe\u0002\u00ad]\r?\n?", "", page).replace("\0", "")  # hyphens at the end of lines
    lines = [line.rstrip() for line in re.split(r"\r?\n", text)]
    full = max(map(len, lines), default=0) * _FULL
    made: list[str] = []
    goes_on = False
    for line in lines:
        if goes_on and line.strip():
            han = _HAN.match(made[-1][-1]) and _HAN.match(line.lstrip()[0])
            made[-1] += ("" if han else " ") + line.lstrip()
        else:
            made.append(line)
        goes_on = bool(line.strip()) and len(line) >= full and not line.endswith(_ENDS)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(made)).strip()
