"""The fabula memory that a `SEEMConfig` asks for: its models, its settings and its place; knows no call of SEEM's."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fabula import Embedder, InvalidInput, Memory, Settings, StoreUnavailable
from fabula.providers.bundled import bundled
from fabula.providers.environment import embedder_from, llm_from
from fabula.providers.openai import DIMENSIONS
from seem_skill.cache import CachedEmbedder
from seem_skill.config import EMBEDDING_CONFIG, LLM_CONFIG, SEEMConfig

RULES = "rules"
"""What makes the memories where no language model is named."""


def memory(config: SEEMConfig, environ: Mapping[str, str], model: Embedder | None) -> Memory:
    """Return the memory with this embedding model, which opens itself when first used; its folder is made.

    Raises `InvalidInput` where a model is named without a key, and `StoreUnavailable`.
    """
    chat = _chat(config, environ)
    llm = None if chat is None else llm_from({}, **chat, sees=True)
    place = _made(config.folder) / "memory.db" if config.database is None else config.database
    return Memory(place, embedder=model, llm=llm, settings=settings(config))


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"cannot make the folder {folder}: {error.strerror}") from None
    return folder


def settings(config: SEEMConfig) -> Settings:
    """Return fabula's settings for SEEM's of integration and synonymy. It asks nobody how often a memory came back."""
    return Settings(
        track=False,
        fuse=config.enable_integration, candidates=config.top_k_candidates, judged=config.integration_window,
        synonymy=config.synonymy_threshold, synonyms=config.synonymy_top_k,
    )  # fmt: skip


def embedder(config: SEEMConfig, environ: Mapping[str, str]) -> Embedder:
    """Return the embedding model that is named, or the bundled one."""
    given = _given(
        "MM_ENCODER", environ, config.mm_encoder_api_key, config.mm_encoder_base_url, config.mm_encoder_model,
        EMBEDDING_CONFIG,
    )  # fmt: skip
    size = {"EMBEDDING_DIMENSIONS": environ.get("EMBEDDING_DIMENSIONS", "").strip()}
    model: Embedder | None = None
    if given is not None:
        if not any(size.values()) and given["model"] not in DIMENSIONS:
            raise InvalidInput(f"missing EMBEDDING_DIMENSIONS: how long are the vectors of {given['model']}?")
        model = embedder_from(
            size, api_key=given["api_key"], base_url=given["base_url"], model=given["model"], sees=True
        )
    model = model or bundled("default")
    return CachedEmbedder(model, config.cache_max_size) if config.enable_cache else model


def extraction(config: SEEMConfig, environ: Mapping[str, str]) -> str:
    """Return the name of the language model that makes the memories, or `RULES`."""
    chat = _chat(config, environ)
    return RULES if chat is None else chat["model"]


def _chat(config: SEEMConfig, environ: Mapping[str, str]) -> dict[str, str] | None:
    return _given("LLM", environ, config.llm_api_key, config.llm_base_url, config.llm_model, LLM_CONFIG)


def _given(
    what: str, environ: Mapping[str, str], key: str | None, host: str | None, model: str | None,
    usual: Mapping[str, str],
) -> dict[str, str] | None:  # fmt: skip
    """A model's key, host and name: as said, else from the environment, else the usual ones; `None` without a key.

    Only SEEM's own variables count: a key that lies there for another program sends nobody's memories away.
    """

    def said(given: str | None, name: str) -> str:
        return (given or "").strip() or environ.get(f"{what}_{name}", "").strip()

    key, host, model = said(key, "API_KEY"), said(host, "BASE_URL"), said(model, "MODEL")
    if not key and (model or host):
        raise InvalidInput(f"missing {what}_API_KEY: {model or host} cannot be used without a key")
    if not key:
        return None
    return {"api_key": key, "base_url": host or usual["base_url"], "model": model or usual["model"]}
