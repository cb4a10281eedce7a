"""The reference is what the code says: up to date, and without a gap. It knows no page but this one."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fabula
import neuromemory
import seem_skill

PATH = Path(__file__).parents[1] / "docs" / "reference.py"


@pytest.fixture(scope="module")
def reference() -> Any:
    spec: Any = importlib.util.spec_from_file_location("reference", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(reference: Any):
    assert reference.PAGE.read_text("utf-8") == reference.page(), "write it anew: python docs/reference.py"


@pytest.mark.parametrize("package", [fabula, neuromemory, seem_skill], ids=lambda package: package.__name__)
def test_all_that_is_exported_is_told_of(package: ModuleType, reference: Any):
    told = {id(thing) for thing in reference.documented()}
    assert [name for name in package.__all__ if name != "__version__" and id(getattr(package, name)) not in told] == []


def test_nothing_is_told_without_a_word_of_what_it_is_for(reference: Any):
    page = reference.page()
    assert re.findall(r"#### `\w+`\n\n(?:####|```text\n[^`]*```\n\n(?:####|-))", page) == []
    assert re.findall(r"^- \*\*`[^`]+`\*\*(?: \(read only\): )?\n\n(?! )", page, re.MULTILINE) == []


class Shown:
    """One for the page."""

    size: int = 1
    """How large."""
    unsaid: int = 2

    def __init__(self, name: str) -> None:
        self.name = name

    async def ask(self, question: str, *, at: str | None = None) -> int:
        """Ask."""
        return 0


def test_a_class_is_told_by_its_signature_its_attributes_and_its_methods(reference: Any):
    assert reference._told(Shown, "fabula") == (
        "#### `Shown`\n\nIn `test_reference`.\n\n```text\nShown(name: str)\n```\n\nOne for the page.\n\n"
        "- `size`: How large.\n\n- **`async ask(question: str, *, at: str | None = None) -> int`**\n\n  Ask."
    )
