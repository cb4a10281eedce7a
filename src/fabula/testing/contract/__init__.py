"""What every store must do, as one pytest class to subclass; it reads `fabula.abc` as its specification.

It knows no engine: nothing here names a database, a file or a statement. Use it so, in a test module::

    from fabula.testing import StoreContract

    class TestMyStore(StoreContract):
        @pytest_asyncio.fixture
        async def store(self): ...

The fixtures to give:

- `store`: an open `Store` on an empty database of its own, closed afterwards.
- `second`: another open `Store` on the same database, independent of `store` as if in another process.
- `reopen`: a callable without arguments that closes `store`, opens the same database again and returns
  (awaitable) the new `Store`; it is closed afterwards too.

After every test `second.check()` must find nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from fabula.abc import Store
from fabula.testing.contract.accessing import AccessingContract
from fabula.testing.contract.derived import DerivedContract
from fabula.testing.contract.erasing import ErasingContract
from fabula.testing.contract.finding import FindingContract
from fabula.testing.contract.indexing import IndexingContract
from fabula.testing.contract.lasting import LastingContract
from fabula.testing.contract.records import RecordsContract
from fabula.testing.contract.vectors import VectorsContract
from fabula.testing.contract.versions import VersionsContract
from fabula.testing.contract.walls import WallsContract
from fabula.testing.contract.work import WorkContract

__all__ = ["StoreContract"]


class StoreContract(
    RecordsContract,
    FindingContract,
    VersionsContract,
    IndexingContract,
    VectorsContract,
    ErasingContract,
    DerivedContract,
    WorkContract,
    AccessingContract,
    WallsContract,
    LastingContract,
):
    """The whole contract; subclass it and give `store`, `second` and `reopen`."""

    pytestmark = pytest.mark.asyncio

    @pytest_asyncio.fixture(autouse=True)
    async def agrees_afterwards(self, second: Store) -> AsyncIterator[None]:
        """Whatever a test did, the database agrees with itself."""
        yield
        assert await second.check() == []
