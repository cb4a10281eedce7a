"""Every error fabula raises on purpose.

FabulaError
├── InvalidInput (ValueError)         an argument that cannot be meant
├── DocumentError (ValueError)        a file cannot be read; nothing of it was stored
│   ├── DocumentUnsupported           of a type that is not read
│   ├── DocumentTooLarge              more bytes, packed or unpacked, than are taken
│   ├── DocumentEncrypted             opens with a password only
│   └── DocumentCorrupt               empty, broken, or not what its name says
├── MissingExtra (ImportError)        an optional dependency is not installed
├── UsageError (RuntimeError)         right arguments, wrong moment
│   ├── MemoryClosed                  used before opening or after closing
│   ├── ForkedMemory                  opened in a parent process, used in its child
│   └── ReentrantCall                 the blocking face called from its own event loop
├── StoreError                        the database cannot do what was asked
│   ├── StoreUnavailable              cannot be opened, read or locked in time
│   │   └── Unfinished                only the half of an import or copy is there
│   ├── SchemaTooNew                  written by a newer fabula
│   ├── EmbeddingMismatch             the scope's vectors come from another model
│   ├── Confined                      asked about all scopes where the role may see one at a time
│   ├── LeaseLost                     another worker took this scope over
│   └── SourcesGone                   what a record was made from has been forgotten
└── ProviderError                     a model's host did not give a usable answer
    ├── ProviderAuthError             the key is missing or refused
    ├── ProviderRateLimited           too many requests, also after the retries
    ├── ProviderUnavailable           no connection, a time-out or a server error
    └── ProviderBadReply              an answer that is empty, cut off, refused or malformed

The message is one line for a person; it never holds a key.
"""

from __future__ import annotations


class FabulaError(Exception):
    """The base of every error fabula raises on purpose."""


class InvalidInput(FabulaError, ValueError):
    """An argument that cannot be meant; nothing was written."""


class DocumentError(FabulaError, ValueError):
    """A file cannot be read; nothing of it was stored."""


class DocumentUnsupported(DocumentError):
    """The file is of a type that is not read."""


class DocumentTooLarge(DocumentError):
    """The file has more bytes, as it is or once unpacked, than are taken."""


class DocumentEncrypted(DocumentError):
    """The file opens with a password only."""


class DocumentCorrupt(DocumentError):
    """The file is empty, broken, or not what its name says."""


class MissingExtra(FabulaError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional dependency: pip install 'fabula[{extra}]'")
        self.extra = extra


class UsageError(FabulaError, RuntimeError):
    """The call is right, the moment is not."""


class MemoryClosed(UsageError):
    """The memory was closed; open() opens it again."""

    def __init__(self) -> None:
        super().__init__("the memory is closed: use it inside `with`, or call open() again")


class ForkedMemory(UsageError):
    """The memory was opened in another process; connections and threads do not survive a fork."""

    def __init__(self) -> None:
        super().__init__("this memory was opened before a fork: open a new one in the child process")


class ReentrantCall(UsageError):
    """The blocking face was called from inside its own event loop, which would wait for itself."""

    def __init__(self, method: str) -> None:
        super().__init__(f"Memory.{method}() was called from its own event loop: await AsyncMemory.{method}() instead")


class StoreError(FabulaError):
    """The database cannot do what was asked."""


class StoreUnavailable(StoreError):
    """The database cannot be opened, read or locked in time."""


class Unfinished(StoreUnavailable):
    """An import or copy of `scope` is under way or was broken off: nothing is read of it, and nothing was written."""

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"an import or copy of {scope!r} is under way or was broken off:"
            " let it end, do it again, or forget what is there of it"
        )
        self.scope = scope


class SchemaTooNew(StoreError):
    """The database was written by a newer fabula; it is left untouched."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(f"the database has schema {found}, this fabula knows up to {known}: upgrade fabula")
        self.found, self.known = found, known


class EmbeddingMismatch(StoreError):
    """The scope's vectors come from another embedding model than the one in use."""

    def __init__(self, scope: str, stored: str, used: str) -> None:
        super().__init__(
            f"scope {scope!r} was embedded with {stored}, this memory uses {used}: open it with that model,"
            " or run `fabula reembed`"
        )
        self.scope, self.stored, self.used = scope, stored, used


class Confined(StoreError):
    """The database's row-level security shows this role one scope at a time, and all were asked for."""

    def __init__(self, database: str) -> None:
        super().__init__(f"{database}: this role sees one scope at a time (row-level security): name the scope")


class LeaseLost(StoreError):
    """Another worker has taken this scope over; nothing was written."""


class SourcesGone(StoreError):
    """A record's sources were forgotten before it could be written; nothing was written."""

    def __init__(self, ids: tuple[str, ...]) -> None:
        super().__init__(f"{len(ids)} source(s) no longer exist: {', '.join(ids[:3])}")
        self.ids = ids


class ProviderError(FabulaError):
    """A model's host did not give a usable answer."""


class ProviderAuthError(ProviderError):
    """The key is missing or was refused; retrying does not help."""


class ProviderRateLimited(ProviderError):
    """Too many requests, also after the retries."""


class ProviderUnavailable(ProviderError):
    """No connection, a time-out or a server error, also after the retries."""


class ProviderBadReply(ProviderError):
    """An answer that is empty, cut off, refused or malformed."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
        """One of `empty`, `truncated`, `refused`, `malformed`."""
