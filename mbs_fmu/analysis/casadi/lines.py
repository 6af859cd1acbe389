"""Nearest places on polylines in CasADi: `nearest_on_line` of kernels/library.py, without its shortcut."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...symbolic.lines import HEAD


def nearest_on_line(ca: Any, numbers: np.ndarray, place: Any) -> Any:
    """Return the parameter of the place on a polyline that is nearest to a place, (2, 1).

    numbers: as in `kernels/library.py`. ca: the package casadi.
    """
    first, step = numbers[:2]
    vertices = numbers[HEAD:].reshape(-1, 2)
    pieces = np.diff(vertices, axis=0)
    found: Any = None
    for k, (vertex, piece) in enumerate(zip(vertices, pieces, strict=False)):
        beyond = place - ca.DM(vertex)
        share = ca.dot(beyond, ca.DM(piece)) / float(piece @ piece)
        inside = ca.fmin(ca.fmax(share, 0.0), 1.0)
        share = share if k == 0 else ca.fmax(share, 0.0)
        share = share if k == len(pieces) - 1 else ca.fmin(share, 1.0)
        square, parameter = ca.sumsqr(beyond - inside * ca.DM(piece)), first + step * (k + share)
        if found is None:
            least, found = square, parameter
        else:
            least, found = ca.fmin(square, least), ca.if_else(square < least, parameter, found)
    return found
