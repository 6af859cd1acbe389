"""Memory for the rows of results, with a clear error if there is not enough."""

from __future__ import annotations

import functools
import math
import os

import numpy as np

from ..infrastructure.errors import ModelError

LINE = 8  #: doubles in a cache line; rows of lanes begin at the start of one


def result_array(*shape: int, members: int | None = None) -> np.ndarray:
    """Return zeros for results: the shape is (rows, columns), for a batch (members, rows, columns).

    Raises ModelError if they need more than the machine's memory: systems that overcommit memory would otherwise kill
    the process when it uses the array.
    """
    size = 8 * math.prod(shape)
    try:
        if size <= _memory():
            return np.zeros(shape)
    except (MemoryError, ValueError):  # too many numbers for an array
        pass
    rows, many = shape[-2], "" if members is None else f"{members} members with "
    remedy = "" if members is None else ", or fewer members"
    raise ModelError(
        f"the result of {many}{rows} rows takes {size / 1e9:.0f} GB: give a larger output_interval{remedy}"
    )


@functools.cache
def _memory() -> float:
    """Return the machine's memory in bytes; infinity if the system does not report it."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return math.inf


def aligned(rows: int, lanes: int) -> np.ndarray:
    """Return zeros of shape (rows, lanes); each row lies in as few cache lines as possible."""
    flat = np.zeros(rows * lanes + LINE)
    first = (-flat.ctypes.data // flat.itemsize) % LINE
    return flat[first : first + rows * lanes].reshape(rows, lanes)
