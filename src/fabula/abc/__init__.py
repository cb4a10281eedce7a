"""The seams of fabula: what a store, a model and an extractor must do, and what is passed through them."""

from fabula.abc.changes import (
    COUNTED,
    MOVED,
    NEVER,
    SEARCHED,
    Changes,
    Edge,
    Entry,
    Erasure,
    Filter,
    Lease,
    Pending,
    ScopeState,
    Task,
    Terms,
    Written,
)
from fabula.abc.ground import Accesses, Ground, Ready
from fabula.abc.models import LLM, BlobStore, Clock, Embedder, Extraction, Extractor, Held, Reply, Role, Vectors
from fabula.abc.store import Store

__all__ = [
    "COUNTED",
    "LLM",
    "MOVED",
    "NEVER",
    "SEARCHED",
    "Accesses",
    "BlobStore",
    "Changes",
    "Clock",
    "Edge",
    "Embedder",
    "Entry",
    "Erasure",
    "Extraction",
    "Extractor",
    "Filter",
    "Ground",
    "Held",
    "Lease",
    "Pending",
    "Ready",
    "Reply",
    "Role",
    "ScopeState",
    "Store",
    "Task",
    "Terms",
    "Vectors",
    "Written",
]
