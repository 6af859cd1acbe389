"""Axes as arguments of users: "x", "-y" or three numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import as_float
from ...symbolic.vectors import NO_VECTORS

PARALLEL = 1e-9  #: sine of the angle below which two axes count as parallel
SNAP = 1e-14  #: sines below this are rounding errors
Axis = str | Sequence[float]
PRINCIPAL = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def unit_axis(axis: Axis) -> tuple[float, float, float]:
    """Return an axis, "x", "-y" or three numbers, as a unit vector. Raises ModelError for anything else."""
    if isinstance(axis, str):
        name = axis.lstrip("+-")
        if name not in PRINCIPAL:
            similar = f" (did you mean {axis.lower()!r}?)" if name.lower() in PRINCIPAL else ""
            raise ModelError(
                f'unknown axis {display(axis)}{similar}: give "x", "y", "z", "-x", "-y", "-z" or three numbers'
            )
        sign = -1.0 if axis.startswith("-") else 1.0
        x, y, z = (sign * c + 0.0 for c in PRINCIPAL[name])
        return x, y, z
    try:
        x, y, z = (as_float(c) for c in (() if isinstance(axis, NO_VECTORS) else axis))
    except (TypeError, ValueError):
        raise ModelError(f"axis {display(axis)} must be a name or three numbers such as (0, 0, 1)") from None
    norm = math.hypot(x, y, z)
    if not (0.0 < norm < math.inf):
        raise ModelError(f"axis {display(axis)} has no direction: its length must be finite and not zero")
    return x / norm, y / norm, z / norm


def parallel(a: np.ndarray, b: np.ndarray) -> bool:
    """True if two unit vectors have the same or opposite directions."""
    return bool(np.linalg.norm(np.cross(a, b)) < PARALLEL)


def third_axis(axis: tuple[float, float, float]) -> np.ndarray:
    """Return a rotation whose third column is the unit vector; for a coordinate axis the others are such axes too."""
    z = np.array(axis)
    first = np.eye(3)[(int(np.argmax(np.abs(z))) + 1) % 3]
    x = first - z * (z @ first)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def normals(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors that form a right-handed frame with the axis, an array; for a coordinate axis they are
    such axes too."""
    largest = int(np.argmax(np.abs(axis)))
    first = np.eye(3)[(largest + 1) % 3] - axis * axis[(largest + 1) % 3]
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def named(axis: np.ndarray) -> str:
    """Return the name x, y or z of a direction of either sign, or its components."""
    for k, name in enumerate("xyz"):
        if abs(abs(axis[k]) - np.linalg.norm(axis)) < PARALLEL:
            return name
    return "(" + ", ".join(f"{c + 0.0:.3g}" for c in np.round(axis / np.linalg.norm(axis), 6)) + ")"
