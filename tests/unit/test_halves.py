"""Vectors of 16-bit floats become unit vectors, exactly as numpy would make them."""

import numpy as np
import pytest

from fabula.halves import BLOCK, unit

EVERY = np.arange(2**16, dtype=np.uint16).view(np.float16)
FINITE = EVERY[np.isfinite(EVERY)]
"""Every half that is a number: both zeros, and those below the least normal one, too."""


@pytest.mark.parametrize("order", ["<f2", ">f2"])
def test_every_half_is_widened_as_numpy_does(order: str):
    halves = np.stack((FINITE, np.full(len(FINITE), np.float16(3))), 1)
    room = np.full((len(halves) + 1, 2), np.float32(7))
    wide = halves.astype(np.float32)
    wide /= np.sqrt(np.vecdot(wide, wide))[:, None]
    got = unit(halves.astype(order), room)
    assert np.array_equal(got.view(np.uint32), wide.view(np.uint32))
    assert room[-1].tolist() == [7, 7]


def test_they_have_length_one_and_what_is_zero_stays_zero():
    halves = np.random.default_rng(3).standard_normal((BLOCK, 5)).astype(np.float16)
    halves[2] = 0
    lengths = np.linalg.norm(unit(halves, np.empty((BLOCK, 5), np.float32)), axis=1)
    assert lengths == pytest.approx(np.where(np.arange(BLOCK) == 2, 0, 1), abs=1e-6)
