"""Vectors as they are kept, of 16-bit floats, made into the unit vectors of 32 bits that are scanned.

It does not know whose vectors they are, nor where they stand.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 512
"""Vectors that are widened at once: few enough to stay in the processor's cache."""
UNSHIFTED: Final = np.int32(~0x7000_1FFF)
"""The bits of a half that was spread over 32 with its sign copied, without the copies."""


def unit(halves: NDArray[np.float16], room: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return finite vectors, at most as many as `room` has rows, at length one; they are written into `room`.

    The room is the caller's, since fresh memory for each block costs as much as the arithmetic. The bits are shifted,
    which numpy does to many numbers at once, while it converts them one after the other: the sign comes to its place,
    and the exponent, which counts from 15 in a half and from 127 here, is 112 too small. This is exact.
    """
    wide = room[: len(halves)]
    bits = wide.view(np.int32)
    bits[:] = halves.view(halves.dtype.str.replace("f", "i"))
    bits <<= 13
    bits &= UNSHIFTED
    wide *= np.float32(2.0**112)
    wide /= np.sqrt(np.maximum(np.vecdot(wide, wide), 1e-12))[:, None]
    return wide
