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


def _told(process: int) -> list[str]:
    """What the system tells of a process, from its state on; raises `OSError` where it tells nothing."""
    # The second field is the program's name in brackets, and may itself hold anything.
    return (PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()


def _began(process: int) -> str:
    """When a process began, as the system counts; "" of one that has ended and was not noticed yet."""
    told = _told(process)
    return "" if told[0] == "Z" else told[19]


def this() -> str:
    """Return a name that no other process has, now or later."""
    try:
        return f"{_machine()} {os.getpid()} {_began(os.getpid())}"
    except (OSError, IndexError):
        return ""


def gone(name: str) -> bool:
    """Whether the process that `this` gave this name has certainly ended."""
    parts = name.rsplit(" ", 2)
    if len(parts) < 3 or not parts[1].isdecimal():
        return False
    machine, process, began = parts[0], int(parts[1]), parts[2]
    try:
        if machine != _machine():
            return False
    except OSError:
        return False
    try:
        return _began(process) != began
    except (OSError, IndexError):
        return _absent(process)


def _absent(process: int) -> bool:
    """Whether there is no such process; one that is only hidden from us is not told of, but is there."""
    try:
        os.kill(process, 0)
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False
