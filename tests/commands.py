"""What tests need of programs they run: how a command ended, and a Python of its own that does not outlive them."""

import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Ran:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Fabula = Callable[..., Ran]
"""Runs the command line."""


@contextmanager
def python(
    code: str, *given: str, stdin: int | None = None, stderr: int | None = None
) -> Generator[subprocess.Popen[str]]:
    """A program that ends with the block, at the latest."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *given],
        stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, text=True,
    )  # fmt: skip
    with process:
        try:
            yield process
        finally:
            process.kill()
