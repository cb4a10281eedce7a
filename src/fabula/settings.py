"""Every number a caller may tune, with its default; nothing here reads the environment (the faces do)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from fabula.checking import LONGEST, within
from fabula.conventions import Conventions
from fabula.errors import InvalidInput

BUSIEST: Final = 2_000_000
"""The most seconds to wait for the database: SQLite takes milliseconds, of 31 bits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How a memory behaves; the defaults suit one process on one machine.

    Seconds are finite and at most a hundred years (`busy`: 2,000,000) where nothing else is said.
    """

    secrets: Literal["mask", "keep"] = "mask"
    """Whether API keys, passwords and card numbers are masked before anything is stored."""
    hot_bytes: int = 512 * 2**20
    """How much memory the hot tier may hold, in bytes; 0 turns it off."""
    window: int = 8
    """How many messages of a session are extracted together, at most."""
    resolve: bool = True
    """Whether a new fact may end an older one that it contradicts; without, both stand until a person decides, and
    no frame is judged anew for it."""
    fuse: bool = True
    """Whether frames that tell of the same are made one: a new version of the earlier one. Versions, passages and
    sources stay. Needs an embedder. Without, frames are never merged, and none waits for it."""
    candidates: int = 3
    """How many known frames a language model holds a new one against."""
    judged: int = 3
    """How many new frames it judges in one call, and waits for while there is more to extract."""
    synonymy: float = 0.8
    """How alike two names are, 0–1, whose entities are tied as synonyms: 小米 and Xiaomi. They stay two.

    Measured on 25 names each of people, firms, places and things in Chinese and English, held against all of their
    type: .8 ties 34 of 100 to their own name with the bundled model and 3 to another, with the fast one 83 and none;
    of names whose other one is not there, 9 and 8 are tied to what is near. The scale is `Embedder.similarity` of
    names; of a model without one of its own it is the cosine.
    """
    synonyms: int = 5
    """How many others an entity is tied to by its own name, at most; 0: none."""
    prune: int = 3
    """After how many rounds of upkeep in a row an entity is archived that no message names, and that no fact, frame or
    synonym is tied to; 0: never. Extractors that come with fabula cite a message for each entity, so none is archived
    of theirs: it goes with its last message. It is for those of extractors that cite none, as from a catalogue."""
    compress: bool = True
    """Whether upkeep makes one fact of a chain of attributes: Nora has a cat, the cat is a tabby."""
    track: bool = True
    """Whether it is counted which records come back from `recall`, and when: in a table apart, and not on its time."""
    idle: float = 30.0
    """How many seconds a session has to be quiet before its last, incomplete window is extracted. 0: every message is
    at once, alone or with those that come while a model is at work; infinite: a quiet session is not."""
    full: bool = True
    """Whether a window is extracted as soon as it is full. Without, and with an infinite `idle`, nothing is extracted
    before it is asked for."""
    finish: bool = False
    """Whether closing also extracts the unfinished windows of what was written here, as far as `drain` allows; the rest
    is due at the next opening."""
    reflect_every: int = 0
    """After how many extracted windows of a scope the background reflects on it; 0: only `reflect` does."""
    batch: int = 64
    """How many texts the embedder is given at once."""
    attempts: int = 5
    """How often failing background work is tried before it waits for the next opening."""
    backoff: float = 1.0
    """Seconds before the second attempt; doubled with each further one."""
    workers: int = 1
    """How many scopes this process looks after at once in the background: more where a distant model is waited for."""
    lease: float = 60.0
    """Seconds until another worker may take over the work of one that fell silent."""
    drain: float = 30.0
    """How many seconds closing waits for background work; what is left stays pending in the database.

    Infinite: it waits for all of it.
    """
    busy: float = 30.0
    """How many seconds to wait for the database: another process's write, a free connection, a restarting server."""

    conventions: Conventions = Conventions()  # noqa: RUF009 - frozen
    """How the people count whose dates are read: whether 5/6 is in May, when an evening begins."""

    def __post_init__(self) -> None:
        if self.secrets not in ("mask", "keep"):
            raise InvalidInput(f"secrets is 'mask' or 'keep', not {self.secrets!r}")
        if not isinstance(self.conventions, Conventions):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"conventions is of the type Conventions, not {self.conventions!r}")
        for name in ("resolve", "fuse", "compress", "track", "full", "finish"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidInput(f"{name} is True or False, not {getattr(self, name)!r}")
        for name in ("window", "batch", "attempts", "workers", "candidates", "judged"):
            within(name, getattr(self, name), 1)
        within("hot_bytes", self.hot_bytes, 0)
        within("synonyms", self.synonyms, 0)
        within("prune", self.prune, 0)
        within("reflect_every", self.reflect_every, 0)
        within("synonymy", self.synonymy, 0, 1, kind=float)
        for name in ("idle", "backoff", "lease", "drain", "busy"):
            if getattr(self, name) != math.inf or name not in ("idle", "drain"):
                within(name, getattr(self, name), 0, BUSIEST if name == "busy" else LONGEST, kind=float)
