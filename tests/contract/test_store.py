"""Every engine of conftest.ENGINES keeps the published contract."""

from fabula.testing import StoreContract


class TestStore(StoreContract):
    pass
