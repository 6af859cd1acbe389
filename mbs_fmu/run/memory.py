"""Memory for the rows of results, or one sentence where there is not enough."""

from __future__ import annotations

import math
import os

import numpy as np

from ..errors import ModelError


def room(*shape: int, members: int | None = None) -> np.ndarray:
    """Zeros for results of `shape` (rows and columns, of a batch with members before them).

    Raises ModelError where they take more than the machine's memory. Systems that promise more memory than there is
    would end the process when it is used.
    """
    size = 8 * math.prod(shape)
    try:
        if size <= _memory():
            return np.zeros(shape)
    except (MemoryError, ValueError):  # of more numbers than an array may have
        pass
    rows, many = shape[-2], "" if members is None else f"{members} members with "
    remedy = "" if members is None else ", or fewer members"
    raise ModelError(
        f"the result of {many}{rows} rows takes {size / 1e9:.0f} GB: give a larger output_interval{remedy}"
    )


def _memory() -> float:
    """Bytes of the machine, infinite where the system doesn't give them."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return math.inf
