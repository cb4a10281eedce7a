"""What dates leave to custom, as data: when a morning ends, whether 5/6 is in May; reads no text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from fabula.checking import within
from fabula.errors import InvalidInput

HOURS: Final[Mapping[str, tuple[float, float]]] = MappingProxyType({
    "small_hours": (0, 6), "dawn": (5, 8), "morning": (6, 12), "breakfast": (6, 10), "noon": (11, 13),
    "lunch": (11, 13), "after_lunch": (13, 17), "midday": (11, 14), "afternoon": (12, 18), "after_school": (15, 21),
    "dusk": (17, 19), "dinner": (17, 20), "evening": (18, 24), "night": (18, 30), "late_night": (22, 28),
    "midnight": (24, 24), "daytime": (6, 18), "night_time": (18, 30), "late_tonight": (21, 24),
})  # fmt: skip
"""Parts of the day in hours from its midnight; beyond 24 they run into the next day."""
_LATEST: Final = 36
"""The hour, from a day's midnight, at which its longest night is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conventions:
    """How the people count whose texts are read: `Conventions(month_first=False, hours=(("evening", 17, 23),))`."""

    month_first: bool = True
    """Whether 5/6/2023 is the 6th of May."""
    weekend: float = 0.0
    """The hour of Saturday at which a weekend begins; −6 is Friday at six in the evening."""
    through: Literal["none", "dates", "all"] = "dates"
    """Which ranges reach to the end of what they name last: `the 9th to the 14th` with "dates", clock times with "all"
    too."""
    hours: tuple[tuple[str, float, float], ...] = ()
    """Parts of the day that are other than in `HOURS`: name, first and last hour from the day's midnight."""

    def __post_init__(self) -> None:
        if self.through not in ("none", "dates", "all"):
            raise InvalidInput(f"through is 'none', 'dates' or 'all', not {self.through!r}")
        if not isinstance(self.month_first, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidInput(f"month_first is True or False, not {self.month_first!r}")
        within("weekend", self.weekend, -24, 24, kind=float)
        hours: tuple[Any, ...] = tuple(self.hours)
        for part in hours:
            if not isinstance(part, tuple) or len(cast(tuple[Any, ...], part)) != 3:
                raise InvalidInput(f"hours holds triples of a name, the first and the last hour, not {part!r}")
        for name, begin, end in self.hours:
            if name not in HOURS:
                raise InvalidInput(f"no part of the day is called {name!r}; there are {', '.join(HOURS)}")
            within(f"the start of {name}", begin, 0, _LATEST, kind=float)
            within(f"the end of {name}", end, begin, _LATEST, kind=float)
            if begin == end and name != "midnight":
                raise InvalidInput(f"{name} has no length: it begins and ends at {begin}")
        object.__setattr__(self, "hours", hours)

    def part(self, name: str) -> tuple[float, float]:
        """Return the hours of a part of the day."""
        return next(((begin, end) for own, begin, end in self.hours if own == name), HOURS[name])
