"""Poses of frames on bodies: a position and a rotation, and the checks of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Components
from ...symbolic.expressions import Expression
from ...symbolic.quaternions import rotation_rows
from ...symbolic.rotations import by_parameters, is_always_one, rotation_array
from .vectors import Vector, numbers, of_parameters


@dataclass(frozen=True)
class Pose:
    """Pose of a frame on a body: `position` (m, axes of the body) and `rotation`, from frame to body coordinates.

    rotation: a 3x3 matrix (its columns are the frame's axes in body coordinates) or a quaternion, w first; its entries
    may be expressions of parameters. Raises ModelError for wrong shapes, for a matrix that is not a rotation, and for
    numbers that are not finite.
    """

    position: Components = (0.0, 0.0, 0.0)
    rotation: Components | Sequence[Components] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        numbers(self.position, 3, "position of a pose", "m")
        if not isinstance(self.rotation, Vector):  # `mbs.pose` passes a Vector of expressions, for outputs
            rotation_matrix(self.rotation, "rotation of a pose")


Placement = Components | Pose  #: position (m), or position and rotation, of a frame on a body


def placed(at: Placement, thing: str, *, checked: bool = False) -> tuple[Vector, np.ndarray]:
    """Return position and rotation of a frame on a body, which users give as a position (m) or a `Pose`.

    The rotation is an array of symbolic/rotations.py. checked: True accepts any matrix of expressions, since it is
    checked whenever parameters are set; otherwise it must be a rotation for all values of the parameters. Raises
    ModelError, with `thing` as its name.
    """
    if not isinstance(at, Pose):
        return numbers(at, 3, thing, "m"), np.eye(3)
    rotation_name = f"rotation of {thing}"
    rotation = rotation_matrix(at.rotation, rotation_name)
    if by_parameters(rotation) and not checked and not is_always_one(rotation):
        raise ModelError(
            f"{rotation_name} is not a rotation for some values of its parameters: write it by mbs.rpy, "
            "mbs.axis_angle or a quaternion"
        )
    return numbers(at.position, 3, thing, "m"), rotation


def rotation_matrix(value: Any, thing: str) -> np.ndarray:
    """Return the 3x3 rotation matrix of a matrix or a quaternion (w first), frame to body coordinates.

    Raises ModelError for wrong shapes, numbers that are not finite, and a matrix that is not a rotation.
    """
    entries = _entries(value)
    if any(isinstance(x, Expression) for x in entries.flat):
        return _of_expressions(entries, thing)
    try:
        R = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{thing} must be numbers: a 3x3 matrix or a quaternion, w first") from None
    if R.shape in ((4,), (3, 3)) and not np.all(np.isfinite(R)):
        place = ", ".join(str(k + 1) for k in np.argwhere(~np.isfinite(R))[0])
        raise ModelError(f"{thing} has an entry that is not finite: number ({place}) is {R[~np.isfinite(R)][0]}")
    if R.shape == (4,):
        norm = float(np.linalg.norm(R))
        if not 1e-6 < norm < math.inf:
            raise ModelError(f"{thing}: the quaternion {display(value)} has no direction")
        return np.array(rotation_rows(R / norm))
    if R.shape != (3, 3):
        raise ModelError(f"{thing} has shape {R.shape}: give a 3x3 matrix or a quaternion, w first")
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0:
        raise ModelError(f"{thing} is not a rotation: its columns must be orthonormal and right-handed")
    return orthonormal(R)


def _entries(value: Any) -> np.ndarray:
    """Return the unconverted entries as an array of objects."""
    try:
        return np.array(value, dtype=object)
    except ValueError:
        return np.array(None, dtype=object)


def _of_expressions(entries: np.ndarray, thing: str) -> np.ndarray:
    """Return the rotation matrix of a matrix or quaternion of expressions of parameters."""
    if entries.shape not in ((4,), (3, 3)):
        raise ModelError(f"{thing} has shape {entries.shape}: give a 3x3 matrix or a quaternion, w first")
    x = Vector(of_parameters(entry, thing) for entry in numbers(entries.ravel().tolist(), entries.size, thing))
    rows = rotation_rows(x, x.dot(x)) if len(x) == 4 else [x[i : i + 3] for i in (0, 3, 6)]
    R = rotation_array(rows)
    return R if by_parameters(R) else rotation_matrix(R, thing)


def orthonormal(R: np.ndarray) -> np.ndarray:
    """Return the rotation nearest to a matrix that is orthonormal to about six digits.

    This is its polar factor, by the iteration of Newton and Schulz, whose steps square the error. Unlike a singular
    value decomposition, the iteration preserves zeros of the matrix if an axis is fixed.
    """
    for _ in range(3):
        R = R + 0.5 * R @ (np.eye(3) - R.T @ R)
    return R
