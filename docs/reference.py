"""Writes `api.md` from signatures and docstrings: `python docs/reference.py`.

It knows which things stand on the page and in which order, and nothing of what they do.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from itertools import pairwise
from pathlib import Path
from types import FunctionType
from typing import Any

import fabula
import fabula.abc
import fabula.files
import fabula.knowledge
import fabula.kv
import fabula.pruning
import fabula.surroundings
import fabula.transfer
import fabula.types
import neuromemory
import neuromemory.conversations
import neuromemory.files
import neuromemory.graph
import neuromemory.kv
import seem_skill

PAGE = Path(__file__).with_name("api.md")
WIDTH = 100
"""How long a signature is that stands on one line."""
ERRORS = "Errors"
ABOUT = """\
# API

Everything public, by its signature and its docstring. This page is made of the code by `python docs/reference.py`, and
a test holds it to that: write there, not here. How it all goes together is told in the [guide](guide.md) and, for
`neuromemory`, in its [own](neuromemory.md).

`await` what is `async`. What is exported is imported from the package (`from fabula import Memory`); what is not says
which module it is in. Times are aware datetimes or ISO 8601 text; one without a zone is UTC.\
"""
_PROJECT = ("fabula", "neuromemory", "seem_skill")
MIRRORED = "Its methods, and those of its `kv`, `graph` and `files`, are those of `AsyncMemory`, without `await`."

FABULA: dict[str, Sequence[Any]] = {
    "A memory": (fabula.AsyncMemory, fabula.Memory),
    "Values, graph, files": (
        fabula.kv.KeyValues, fabula.knowledge.Knowledge, fabula.knowledge.Neighbor, fabula.surroundings.Path,
        fabula.files.Files, fabula.File, fabula.FileHit,
    ),
    "Messages and records": (
        fabula.Message, fabula.Image, fabula.Record, fabula.Passage, fabula.Frame, fabula.Event, fabula.Fact,
        fabula.Entity, fabula.Insight, fabula.Note, fabula.Interval, fabula.Emotion,
    ),
    "Questions": (fabula.Plan, fabula.Factors),
    "Answers": (
        fabula.Recollection, fabula.Hit, fabula.Trace, fabula.Receipt, fabula.Masked, fabula.Flushed,
        fabula.types.Extracted, fabula.Reflection, fabula.Forgotten, fabula.EmotionProfile, fabula.Access,
        fabula.types.Session, fabula.abc.Pending, fabula.Stats, fabula.pruning.Upkept, fabula.transfer.Imported,
    ),
    "Settings": (fabula.Settings, fabula.Conventions),
    "Models and stores": (
        fabula.Embedder, fabula.OpenAIEmbedder, fabula.LLM, fabula.Reply, fabula.OpenAILLM, fabula.Extractor,
        fabula.Extraction, fabula.RuleExtractor, fabula.LLMExtractor, fabula.BlobStore, fabula.FolderBlobs,
        fabula.S3Blobs, fabula.Store,
    ),
    ERRORS: tuple(
        error for name in fabula.__all__ if isinstance(error := getattr(fabula, name), type)
        and issubclass(error, Exception)
    ),
}  # fmt: skip
NEUROMEMORY: dict[str, Sequence[Any]] = {
    "The memory": (neuromemory.NeuroMemory, neuromemory.ExtractionStrategy, neuromemory.build_system_prompt),
    "Facades": (
        neuromemory.conversations.Conversations, neuromemory.kv.KV, neuromemory.kv.KeyValue, neuromemory.graph.Graph,
        neuromemory.NodeType, neuromemory.EdgeType, neuromemory.files.Files,
    ),
    "Providers": (
        neuromemory.EmbeddingProvider, neuromemory.LocalEmbedding, neuromemory.OpenAIEmbedding,
        neuromemory.SiliconFlowEmbedding, neuromemory.SentenceTransformerEmbedding, neuromemory.LLMProvider,
        neuromemory.OpenAILLM, neuromemory.ObjectStorage, neuromemory.LocalStorage, neuromemory.S3Storage,
    ),
}  # fmt: skip
SEEM: dict[str, Sequence[Any]] = {
    "SEEM": (seem_skill.SEEMSkill, seem_skill.SEEMConfig, seem_skill.RecallMode, seem_skill.RetrieveStrategy)
}
PACKAGES = (("fabula", FABULA), ("neuromemory", NEUROMEMORY), ("seem_skill", SEEM))
FACADES = (
    fabula.kv.KeyValues, fabula.knowledge.Knowledge, fabula.files.Files, neuromemory.conversations.Conversations,
    neuromemory.kv.KV, neuromemory.graph.Graph, neuromemory.files.Files, fabula.Recollection,
)  # fmt: skip
"""What a memory makes and nobody else."""
SEAMS = (fabula.BlobStore, fabula.LLM, fabula.Extractor)


def page() -> str:
    """Return the whole page."""
    listed = [f"- [{package}](#{package})" + "".join(map(_linked, sections)) for package, sections in PACKAGES]
    parts = [ABOUT, "\n".join(listed)]
    for package, sections in PACKAGES:
        parts.append(f"## {package}")
        for title, things in sections.items():
            parts.append(f"### {title}")
            parts += map(_error, things) if title == ERRORS else [_told(thing, package) for thing in things]
    return "\n\n".join(parts) + "\n"


def documented() -> list[Any]:
    """Return all that the page tells of, in order."""
    return [thing for _, sections in PACKAGES for things in sections.values() for thing in things]


def _linked(title: str) -> str:
    return f" · [{title}](#{title.lower().replace(' ', '-').replace(',', '')})"


# --- one thing ---------------------------------------------------------------------------------------------------


def _error(kind: type) -> str:
    bases = " and ".join(f"`{base.__name__}`" for base in kind.__bases__ if base is not object)
    return f"**`{kind.__name__}`** ({bases}): {_doc(kind)}"


def _told(thing: Any, package: str) -> str:
    parts = [f"#### `{thing.__name__}`"]
    if getattr(sys.modules[package], thing.__name__, None) is not thing:
        parts.append(f"In `{thing.__module__}`.")
    if not inspect.isclass(thing):
        return "\n\n".join([*parts, _signed(thing, thing.__name__), _doc(thing)])
    given = is_dataclass(thing) or issubclass(thing, Enum) or thing in FACADES
    if inspect.isfunction(thing.__init__) and not given:
        parts.append(_signed(thing.__init__, thing.__name__))
    parts.append(_doc(thing))
    if bases := [f"`{base.__name__}`" for base in thing.__bases__ if base in documented()]:
        parts.append(f"Has also what a {', '.join(bases)} has.")
    if shown := _fields(thing):
        parts.append("\n".join(shown))
    if thing is fabula.Memory:
        return "\n\n".join([*parts, MIRRORED])
    return "\n\n".join([*parts, *(_method(thing, name, raw) for name, raw in _members(thing))])


def _doc(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def _own(kind: type) -> list[type]:
    """The class, and those of its bases that the page tells nothing of."""
    told = documented()
    return [
        base
        for base in kind.__mro__
        if base is kind or (base.__module__.partition(".")[0] in _PROJECT and base not in told)
    ]


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties, in the order of the source, but for those told of a base."""
    told = [base for base in kind.__mro__ if base in documented() and base is not kind]
    seen: set[str] = set()
    for base in _own(kind):
        for name, raw in vars(base).items():
            if name.startswith("_") or name in seen or not isinstance(raw, FunctionType | property | classmethod):
                continue
            if base is kind or not any(hasattr(one, name) for one in told):
                seen.add(name)
                yield name, raw


def _method(kind: type, name: str, raw: Any) -> str:
    if isinstance(raw, property):
        return f"- **`{name}`** (read only): {_inlined(inspect.getdoc(getattr(kind, name)) or '')}"
    made = raw.__func__ if isinstance(raw, classmethod) else raw
    signed, doc = _signature(made, name), _doc(getattr(kind, name)) or _as_in(name)
    if len(signed) <= WIDTH:
        return f"- **`{signed}`**\n\n{textwrap.indent(doc, '  ')}"
    words = textwrap.indent(f"{_signed(made, name)}\n\n{doc}", "  ")
    return f"- **`{name}`**\n\n{words}"


def _as_in(name: str) -> str:
    """What a class does as its protocol says is said there."""
    return next((f"See `{seam.__name__}.{name}`." for seam in SEAMS if hasattr(seam, name)), "")


def _inlined(doc: str) -> str:
    return textwrap.indent(doc, "  ").strip()


def _fields(kind: type) -> list[str]:
    """The fields of a dataclass, the members of an enumeration: with their defaults, and what is said of them."""
    said = {name: doc for base in reversed(_own(kind)) for name, doc in _attributes(base).items() if name[0] != "_"}
    if issubclass(kind, Enum):
        return [_field(f"{one.name} = {one.value!r}", said.get(one.name, "")) for one in kind]
    if not is_dataclass(kind):
        return [_field(name, doc) for name, doc in said.items()]
    own = {name for base in _own(kind) for name in inspect.get_annotations(base)}
    return [
        _field(
            f"{one.name}: {one.type}" + ("" if one.default is MISSING else f" = {_value(one.default)}"),
            said.get(one.name, ""),
        )
        for one in fields(kind)
        if one.name in own and one.name[0] != "_"
    ]


def _field(head: str, doc: str) -> str:
    return f"- `{head}`" + (f": {_inlined(doc)}" if doc else "")


def _attributes(kind: type) -> dict[str, str]:
    """What stands as a text below an attribute of a class."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    body: list[ast.stmt] = getattr(tree, "body", [])
    found: dict[str, str] = {}
    for one, below in pairwise(body):
        target = (
            one.target if isinstance(one, ast.AnnAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
        )
        if isinstance(target, ast.Name) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            found[target.id] = inspect.cleandoc(str(below.value.value))
    return found


def _signed(function: Any, name: str) -> str:
    """The signature as a block of text."""
    return f"```text\n{_signature(function, name)}\n```"


def _signature(function: Any, name: str) -> str:
    signature = inspect.signature(function)
    given = [one for one in signature.parameters.values() if one.name not in ("self", "cls")]
    told: list[str] = []
    for place, one in enumerate(given):
        if one.kind is one.KEYWORD_ONLY and (place == 0 or given[place - 1].kind is not one.KEYWORD_ONLY):
            told.append("*")
        note = "" if one.annotation is one.empty else f": {_annotated(one.annotation)}"
        default = "" if one.default is one.empty else f" = {_value(one.default)}"
        told.append(f"{one.name}{note}{default}")
    back = signature.return_annotation
    arrow = "" if back in (signature.empty, None, "None") or name[0].isupper() else f" -> {_annotated(back)}"
    head = f"{'async ' if inspect.iscoroutinefunction(function) else ''}{name}"
    line = f"{head}({', '.join(told)}){arrow}"
    return line if len(line) <= WIDTH else f"{head}(\n" + textwrap.indent(",\n".join(told), "    ") + f",\n){arrow}"


def _annotated(given: Any) -> str:
    return given if isinstance(given, str) else getattr(given, "__name__", str(given))


def _value(given: Any) -> str:
    """A default as one would write it."""
    if isinstance(given, Enum):
        return f"{type(given).__name__}.{given.name}"
    if is_dataclass(given):
        return f"{type(given).__name__}()" if given == type(given)() else repr(given)
    return given.__name__ if callable(given) else repr(given)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
