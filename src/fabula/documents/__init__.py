"""What a file says: its bytes become text that tells where it stands. Knows no memory and no place where files lie.

PDF (extra `pdf`), DOCX, Markdown, HTML, CSV, JSON, YAML, XML, plain text and source code are read; of a picture (PNG,
JPEG, GIF, WebP) only what it is.
"""

# ruff: noqa: SIM905 - as a list of quoted words the table could not be read

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import PurePosixPath
from typing import Final

from fabula.checking import pictured
from fabula.errors import DocumentCorrupt, DocumentTooLarge, DocumentUnsupported, InvalidInput
from fabula.filenames import SPELLINGS
from fabula.types import Document

__all__ = ["LARGEST", "kind_of", "read"]

LARGEST: Final = 50 * 2**20
"""Bytes a file may have."""

_READERS: Final[Mapping[str, str]] = {
    "pdf": "pdf.read",
    "docx": "docx.read",
    "txt": "plain.read_text",
    "log": "plain.read_text",
    "rst": "plain.read_text",
    "yaml": "plain.read_yaml",
    "md": "plain.read_markdown",
    "csv": "plain.read_csv",
    "tsv": "plain.read_csv",
    "json": "plain.read_json",
    "jsonl": "plain.read_text",
    "html": "markup.read_html",
    "xml": "markup.read_xml",
}
"""What reads a type: loaded when the first file of it comes."""
_PICTURES: Final = frozenset({"png", "jpg", "gif", "webp"})
_CODE: Final = frozenset(
    """
    bash bat c cc cfg clj cmake conf cpp cs css cxx dart diff dockerfile el env erl ex exs fish fs go gradle graphql
    groovy h hpp hs ini ipynb java jl js jsx kt kts less lisp lua m makefile mjs ml nim patch php pl properties proto
    ps1 py pyi r rb rs sass scala scm scss sh sol sql svelte swift tcl tex tf toml ts tsx vb vim vue zig zsh
    """.split()
)


def kind_of(name: str) -> str:
    """Return what a file's name ends in, in small letters and one spelling: `Photo.JPEG` is `jpg`, `Makefile` itself.

    Raises `DocumentUnsupported` for an ending that is not read.
    """
    last = PurePosixPath(name.replace("\\", "/")).name.strip().lower()
    ending = last.rpartition(".")[2]
    kind = SPELLINGS.get(ending, ending)
    if kind in _READERS or kind in _PICTURES or kind in _CODE:
        return kind
    raise DocumentUnsupported(f"{name!r} is of a type that is not read: give PDF, DOCX, text, source code or a picture")


def read(name: str, data: bytes) -> Document:
    """Return what a file of this name and these bytes says; a document without `parts` has no text.

    The name says the type. Raises `DocumentUnsupported`, `DocumentTooLarge`, `DocumentEncrypted`, `DocumentCorrupt`,
    and `MissingExtra` where the type's reader is not installed.
    """
    kind = kind_of(name)
    if len(data) > LARGEST:
        raise DocumentTooLarge(f"{name!r} has {len(data) / 2**20:.1f} MiB; a file has at most {LARGEST >> 20}")
    if not data:
        raise DocumentCorrupt(f"{name!r} is empty")
    if kind in _PICTURES:
        try:
            return Document(media=pictured(data[:64]), type=kind)
        except InvalidInput:
            raise DocumentCorrupt(f"{name!r} is not a picture") from None
    module, _, function = _READERS.get(kind, "plain.read_text").partition(".")
    reads: Callable[[bytes], Document] = getattr(import_module(f"fabula.documents.{module}"), function)
    return replace(reads(data), type=kind)
