"""Places on bodies: a position and a rotation, and the checks of both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...symbolic.expressions import Expression
from ...symbolic.quaternions import rotation_rows
from ...symbolic.rotations import by_parameters, is_always_one, rotation_array
from .vectors import Vector, numbers, of_parameters


@dataclass(frozen=True)
class Pose:
    """A place on a parent: `position` (m, parent axes) and `rotation`, child to parent coordinates.

    `rotation` is a 3x3 matrix (its columns are the child's axes in parent coordinates) or a quaternion,
    w first; its numbers may be expressions of parameters. Raises ModelError for wrong shapes, for what is no rotation,
    for numbers that are not finite.
    """

    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        numbers(self.position, 3, "position of a pose", "m")
        if not isinstance(self.rotation, Vector):  # measured ones are expressions, for outputs
            rotation_matrix(self.rotation, "rotation of a pose")


def placed(at: Any, thing: str, *, checked: bool = False) -> tuple[Vector, np.ndarray]:
    """Position and rotation of a place that is given as a position or a `Pose`; ModelError that names the thing.

    The rotation is an array of symbolic/rotations.py. checked: a matrix of any expressions will do, since it is looked
    at wherever parameters are set; else it must be a rotation whatever they are.
    """
    if not isinstance(at, Pose):
        return numbers(at, 3, thing, "m"), np.eye(3)
    told = f"rotation of {thing}"
    rotation = rotation_matrix(at.rotation, told)
    if by_parameters(rotation) and not checked and not is_always_one(rotation):
        raise ModelError(
            f"{told} is none for some values of its parameters: write it by mbs.rpy, mbs.axis_angle or a quaternion"
        )
    return numbers(at.position, 3, thing, "m"), rotation


def rotation_matrix(value: Any, thing: str) -> np.ndarray:
    """A 3x3 rotation from a matrix or a quaternion (w first), child to parent coordinates."""
    told = _entries(value)
    if any(isinstance(x, Expression) for x in told.flat):
        return _of_expressions(told, thing)
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
    """The entries as they are given."""
    try:
        return np.array(value, dtype=object)
    except ValueError:
        return np.array(None, dtype=object)


def _of_expressions(told: np.ndarray, thing: str) -> np.ndarray:
    """A rotation from expressions of parameters, if it is one."""
    if told.shape not in ((4,), (3, 3)):
        raise ModelError(f"{thing} has shape {told.shape}: give a 3x3 matrix or a quaternion, w first")
    found = Vector(of_parameters(x, thing) for x in numbers(told.ravel().tolist(), told.size, thing))
    rows = rotation_rows(found, found.dot(found)) if len(found) == 4 else [found[i : i + 3] for i in (0, 3, 6)]
    R = rotation_array(rows)
    return R if by_parameters(R) else rotation_matrix(R, thing)


def orthonormal(R: np.ndarray) -> np.ndarray:
    """The rotation next to a matrix that is one to some six digits: its polar factor, by Newton and Schulz.

    Each step squares the error. Unlike the singular value decomposition it keeps zeros where a principal axis stays.
    """
    for _ in range(3):
        R = R + 0.5 * R @ (np.eye(3) - R.T @ R)
    return R
