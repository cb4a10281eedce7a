"""The ids of field reports of memories that went wrong, for the tests that are named after them."""

import pytest


def case(*ids: str) -> pytest.MarkDecorator:
    """Put the report's id into the test's own, also where other parameters do."""
    return pytest.mark.parametrize("report", [pytest.param(name, id=name) for name in ids])
