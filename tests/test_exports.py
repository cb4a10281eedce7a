"""What fabula offers by name: added to on purpose, taken from never by accident."""

import inspect
from typing import Any

import pytest

import fabula

NAMES = [
    "LLM", "Access", "AsyncMemory", "BlobStore", "Confined", "Conventions", "DocumentCorrupt", "DocumentEncrypted",
    "DocumentError", "DocumentTooLarge", "DocumentUnsupported", "Embedder", "EmbeddingMismatch", "Emotion",
    "EmotionProfile", "Entity", "Event", "Extraction", "Extractor", "FabulaError", "Fact", "Factors", "File",
    "FileHit", "Flushed", "FolderBlobs", "Forgotten", "ForkedMemory", "Frame", "Hit", "Image", "Insight", "Interval",
    "InvalidInput", "LLMExtractor", "LeaseLost", "Masked", "Memory", "MemoryClosed", "Message", "MissingExtra",
    "Note", "OpenAIEmbedder", "OpenAILLM", "Passage", "Plan", "ProviderAuthError", "ProviderBadReply",
    "ProviderError", "ProviderRateLimited", "ProviderUnavailable", "Receipt", "Recollection", "Record",
    "ReentrantCall", "Reflection", "Reply", "RuleExtractor", "S3Blobs", "SchemaTooNew", "Settings", "SourcesGone",
    "Stats", "Store", "StoreError", "StoreUnavailable", "Trace", "Unfinished", "UsageError", "__version__",
]  # fmt: skip

CLASSES = [name for name in NAMES if name != "__version__"]


def test_the_names_are_pinned():
    assert fabula.__all__ == NAMES


def test_nothing_else_looks_public():
    others = {
        name
        for name, value in vars(fabula).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name not in NAMES
    }
    assert not others


def test_every_error_is_exported():
    from fabula import errors

    raised = {
        name for name, value in vars(errors).items() if isinstance(value, type) and value.__module__ == errors.__name__
    }
    assert raised <= set(NAMES)


@pytest.mark.parametrize("name", CLASSES)
def test_every_name_is_a_class_with_a_docstring_of_its_own(name: str):
    thing = getattr(fabula, name)
    assert inspect.isclass(thing)
    written = vars(thing).get("__doc__") or ""
    assert written.strip()
    assert not written.startswith(f"{name}("), "dataclasses make up a docstring where there is none"


@pytest.mark.parametrize("name", ["AsyncMemory", "Memory", "Recollection"])
def test_every_public_method_has_a_docstring(name: str):
    face: type = getattr(fabula, name)
    said = {n: m for n, m in vars(face).items() if not n.startswith("_")}
    methods = {n: m for n, m in said.items() if inspect.isfunction(m) or isinstance(m, property)}
    assert methods
    assert not [n for n, m in methods.items() if not inspect.getdoc(m)]


def test_a_star_import_gives_exactly_these():
    space: dict[str, Any] = {}
    exec("from fabula import *", space)
    assert set(space) - {"__builtins__"} == set(NAMES)
