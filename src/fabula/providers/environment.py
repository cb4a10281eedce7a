"""Which models the environment names; it is read by the faces only, which hand it in as a mapping.

Knows no host; an explicit argument comes before a variable, and a variable that is empty counts as unset.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabula.errors import InvalidInput
from fabula.providers.openai import CHAT_MODEL, EMBEDDING_MODEL, OpenAIEmbedder, OpenAILLM


def llm_from(
    environ: Mapping[str, str], *, api_key: str | None = None, base_url: str | None = None, model: str | None = None,
    sees: bool = False,
) -> OpenAILLM | None:  # fmt: skip
    """Return the language model that is named, or `None` where none is; `sees` is whether to show it pictures.

    Reads `LLM_API_KEY`, `LLM_BASE_URL`, `LLM_MODEL`, then `OPENAI_API_KEY`, `OPENAI_BASE_URL`. Raises `InvalidInput`
    if a model or a host is named without a key.
    """
    named = model or _first(environ, "LLM_MODEL")
    asked = named or base_url or _first(environ, "LLM_BASE_URL")
    key = api_key or _first(environ, "LLM_API_KEY", "OPENAI_API_KEY")
    if key is None:
        if asked:
            raise InvalidInput(f"missing LLM_API_KEY: {asked} cannot be used without a key")
        return None
    host = base_url or _first(environ, "LLM_BASE_URL", "OPENAI_BASE_URL")
    return OpenAILLM(api_key=key, base_url=host, model=named or CHAT_MODEL, sees=sees)


def embedder_from(
    environ: Mapping[str, str], *, api_key: str | None = None, base_url: str | None = None, model: str | None = None,
    dimensions: int | None = None, sees: bool = False,
) -> OpenAIEmbedder | None:  # fmt: skip
    """Return the embedding model that is named, or `None` where none is: then a bundled one serves.

    Reads `EMBEDDING_API_KEY`, `EMBEDDING_BASE_URL`, `EMBEDDING_MODEL`, `EMBEDDING_DIMENSIONS`, then the first three
    as `MM_ENCODER_…`. An `OPENAI_API_KEY` alone names no embedding model; where one is named, key and host fall back
    to OpenAI's. Raises `InvalidInput` if a model or a host is named without a key.
    """
    named = model or _first(environ, "EMBEDDING_MODEL", "MM_ENCODER_MODEL")
    own_host = base_url or _first(environ, "EMBEDDING_BASE_URL", "MM_ENCODER_BASE_URL")
    own_key = api_key or _first(environ, "EMBEDDING_API_KEY", "MM_ENCODER_API_KEY")
    asked = named or own_host or own_key
    if not asked:
        return None
    key = own_key or _first(environ, "OPENAI_API_KEY")
    if key is None:
        raise InvalidInput(f"missing EMBEDDING_API_KEY: {asked} cannot be used without a key")
    size = _first(environ, "EMBEDDING_DIMENSIONS")
    if dimensions is None and size is not None:
        if not size.isdecimal():
            raise InvalidInput(f"EMBEDDING_DIMENSIONS is a whole number, not {size!r}")
        dimensions = int(size)
    host = own_host or _first(environ, "OPENAI_BASE_URL")
    return OpenAIEmbedder(api_key=key, base_url=host, dimensions=dimensions, model=named or EMBEDDING_MODEL, sees=sees)


def _first(environ: Mapping[str, str], *names: str) -> str | None:
    return next((value for name in names if (value := environ.get(name, "").strip())), None)
