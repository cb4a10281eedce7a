"""NeuroMemory's surface on fabula: its names and dicts, and nothing of its own beneath them."""

from fabula import __version__
from neuromemory.memory import NeuroMemory
from neuromemory.prompt import build_system_prompt
from neuromemory.providers import (
    EmbeddingProvider,
    LLMProvider,
    LocalEmbedding,
    OpenAIEmbedding,
    OpenAILLM,
    SentenceTransformerEmbedding,
    SiliconFlowEmbedding,
)
from neuromemory.storage import LocalStorage, ObjectStorage, S3Storage
from neuromemory.strategy import ExtractionStrategy
from neuromemory.types import EdgeType, NodeType

__all__ = [
    "EdgeType",
    "EmbeddingProvider",
    "ExtractionStrategy",
    "LLMProvider",
    "LocalEmbedding",
    "LocalStorage",
    "NeuroMemory",
    "NodeType",
    "ObjectStorage",
    "OpenAIEmbedding",
    "OpenAILLM",
    "S3Storage",
    "SentenceTransformerEmbedding",
    "SiliconFlowEmbedding",
    "__version__",
    "build_system_prompt",
]
