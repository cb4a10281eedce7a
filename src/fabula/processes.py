"""Which process does the work: a name for this one, and whether the one with a name is gone; knows no work.

Only told where it is sure, which is on Linux: elsewhere nobody is ever said to be gone, and a lease runs out.
"""

from __future__ import annotations

import os
from pathlib import Path

PROC = Path("/proc")


def _machine() -> str:
    """The machine since it was booted, and the space in which its process numbers count."""
    boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
    return f"{boot} {os.readlink(PROC / 'self/ns/pid')}"


def _began(process: int) -> str:
    """When a process began, as the system counts; raises `OSError` where there is none."""
    # The second field is the program's name in brackets, and may itself hold anything.
    return (PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()[19]


def this() -> str:
    """Return a name that no other process has, now or later."""
    try:
        return f"{_machine()} {os.getpid()} {_began(os.getpid())}"
    except (OSError, IndexError):
        return ""


def gone(name: str) -> bool:
    """Whether the process that `this` gave this name has certainly ended."""
    machine, _, process = name.rpartition(" ")[0].rpartition(" ")
    began = name.rpartition(" ")[2]
    try:
        if not process.isdecimal() or machine != _machine():
            return False
    except OSError:
        return False
    try:
        return _began(int(process)) != began
    except (FileNotFoundError, ProcessLookupError):
        return True
    except (OSError, IndexError):
        return False
