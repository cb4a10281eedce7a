"""What a test of fabula, or of a part written for it, needs: fakes of the models and a contract every store must pass.

It knows no engine, no host and no file. The contract needs pytest, pytest-asyncio and hypothesis; the fakes do not.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fabula.testing.fakes import Chat, FakeClock, FakeExtractor, HashEmbedder, ScriptedLLM
from fabula.testing.replay import ReplayExtractor

if TYPE_CHECKING:
    from fabula.testing.contract import StoreContract

__all__ = ["Chat", "FakeClock", "FakeExtractor", "HashEmbedder", "ReplayExtractor", "ScriptedLLM", "StoreContract"]


def __getattr__(name: str) -> Any:
    if name != "StoreContract":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pytest  # the fakes are of use without it

    # Without this a failing assertion of the contract would not show its values in another project.
    if "fabula.testing.contract" not in sys.modules:
        pytest.register_assert_rewrite("fabula.testing.contract")
    from fabula.testing.contract import StoreContract

    return StoreContract
