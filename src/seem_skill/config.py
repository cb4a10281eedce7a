"""What may be set in SEEM, with its defaults, checked; it knows no memory and no model.

The environment is read by the faces only; here it is `SEEM_DATA_DIR`, the models' names and keys in `opening`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeVar

from platformdirs import user_data_path

from fabula import InvalidInput
from fabula.checking import within
from fabula.text import identifier
from fabula.types import MAX_LIMIT

LLM_CONFIG: Final = {"base_url": "https://api.deepseek.com", "model": "deepseek-chat"}
"""The host and the model that a language model's key is for, where nothing else is said."""
EMBEDDING_CONFIG: Final = {"base_url": "https://api.siliconflow.cn/v1", "model": "Qwen/Qwen3-Embedding-8B"}
"""The same for an embedding model's key."""


class RecallMode(StrEnum):
    """How much a recall gives: structured memory; raw chunks too; and backfilled ones."""

    LITE = "lite"
    PRO = "pro"
    MAX = "max"


class RetrieveStrategy(StrEnum):
    """How chunks are found: by meaning; by keywords and meaning; over the graph."""

    DPR = "dpr"
    HYBRID_RRF = "hybrid_rrf"
    PPR = "ppr"

    @classmethod
    def _missing_(cls, value: object) -> RetrieveStrategy | None:
        return cls.HYBRID_RRF if value == "hybrid" else None


_Choice = TypeVar("_Choice", bound=StrEnum)


def choice(kind: type[_Choice], value: object, name: str) -> _Choice:
    """Return `value`, a member or its text, as a member of `kind`; raises `InvalidInput` for anything else."""
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(f"{name} is one of {', '.join(kind)}, not {value!r}") from None


_LEAST: Final = {
    "top_k_chunks": 1, "top_k_facts": 0, "top_k_candidates": 1, "rrf_rank_constant": 1, "backfill_chunks": 0,
    "synonymy_top_k": 0, "integration_window": 1,
}  # fmt: skip
_SHARES: Final = {
    "ppr_damping": 0.01, "entity_similarity_threshold": 0, "fact_similarity_threshold": 0, "synonymy_threshold": 0,
}  # fmt: skip
_TEXTS: Final = (
    "llm_api_key", "llm_base_url", "llm_model", "mm_encoder_api_key", "mm_encoder_base_url", "mm_encoder_model",
    "database",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SEEMConfig:
    """The settings of a `SEEMSkill`; a value that cannot be meant is a `ValueError`.

    `llm_…` and `mm_encoder_…` come before the variables `LLM_API_KEY`, `LLM_BASE_URL`, `LLM_MODEL` and
    `MM_ENCODER_…`; a key alone is for `LLM_CONFIG` or `EMBEDDING_CONFIG`. Without a key memories are made by rules,
    and found with the bundled model. A model or a host without a key is a `ValueError` when the skill is made.

    Without effect are `entity_similarity_threshold` and `fact_similarity_threshold`: entities are joined by their
    names, facts by what they say, and never by a vector, which takes two people or two sums of money for one (王建国
    and 王建军 have a cosine of .98). They are taken, and checked, for the sake of code that sets them.
    """

    llm_api_key: str | None = field(default=None, repr=False)
    llm_base_url: str | None = None
    llm_model: str | None = None
    mm_encoder_api_key: str | None = field(default=None, repr=False)
    mm_encoder_base_url: str | None = None
    mm_encoder_model: str | None = None
    retrieve_strategy: RetrieveStrategy = RetrieveStrategy.HYBRID_RRF
    top_k_chunks: int = 3
    top_k_facts: int = 5
    top_k_candidates: int = 3
    """How many known memories a language model holds a new one against."""
    rrf_rank_constant: int = 30
    ppr_damping: float = 0.5
    """The restart probability of personalised PageRank, .01 to 1."""
    backfill_chunks: int = 5
    """How many chunks MAX adds at most, and never more than `top_k`."""
    enable_fact_graph: bool = True
    """Whether there are facts; without them PPR is DPR."""
    entity_similarity_threshold: float = 0.9
    """Without effect: an entity is whose name or alias it is."""
    fact_similarity_threshold: float = 0.93
    """Without effect: a fact is another's where subject, relation and object are the same, or the words."""
    synonymy_threshold: float = 0.8
    """How alike two names are whose entities get a `synonymy` edge; they stay two. See `fabula.Settings.synonymy`."""
    synonymy_top_k: int = 5
    """How many such edges an entity gets by its own name, at most; 0: none."""
    enable_integration: bool = True
    """Whether memories that tell of the same become one."""
    integration_window: int = 3
    """How many new memories a language model judges in one call."""
    enable_cache: bool = True
    """Whether the embeddings of the last `cache_max_size` questions are kept, in this process."""
    cache_max_size: int = 1000
    user_id: str = "default"
    data_dir: str | Path | None = None
    database: str | None = field(default=None, repr=False)
    """A database URL (`postgresql://…`) to keep the memory at, instead of a file in the data folder."""

    def __post_init__(self) -> None:
        strategy = choice(RetrieveStrategy, self.retrieve_strategy, "retrieve_strategy")
        object.__setattr__(self, "retrieve_strategy", strategy)
        object.__setattr__(self, "user_id", identifier(self.user_id, "user_id"))
        for name, least in _LEAST.items():
            within(name, getattr(self, name), least, MAX_LIMIT)
        for name, low in _SHARES.items():
            within(name, getattr(self, name), low, 1, kind=float)
        for name in _TEXTS:
            if not isinstance(getattr(self, name), str | None):
                raise InvalidInput(f"{name} is text, not {type(getattr(self, name)).__name__}")
        if not isinstance(self.data_dir, str | Path | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"data_dir is a path, not {type(self.data_dir).__name__}")
        within("cache_max_size", self.cache_max_size, 0, 10**9)
        for name in ("enable_fact_graph", "enable_integration", "enable_cache"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInput(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.database is not None and self.data_dir is not None:
            raise InvalidInput("a memory is kept in a data_dir or at a database, not both")

    @property
    def folder(self) -> Path:
        """The data folder: `data_dir`, else `SEEM_DATA_DIR`, else one among the user's data on this platform."""
        named = self.data_dir or os.environ.get("SEEM_DATA_DIR", "").strip()
        return Path(named) if named else user_data_path("seem", appauthor=False)
