"""Rotation matrices from angles, as poses take them: child to parent coordinates, their columns the child's axes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import ModelError
from ..symbolic.expressions import is_literal
from .axes import Axis, unit_axis
from .vectors import number


def rpy(roll: Any, pitch: Any, yaw: Any) -> np.ndarray:
    """Turns by roll, pitch and yaw (rad) about the parent's x, y and z axis, in this order: Rz(yaw) Ry(pitch) Rx(roll).

    URDF's convention. Angles may be texts such as "30 deg". Raises ModelError for what is no finite number.
    """
    angles = [_angle(x, f"{name} of rpy") for x, name in ((roll, "roll"), (pitch, "pitch"), (yaw, "yaw"))]
    (sr, sp, sy), (cr, cp, cy) = map(math.sin, angles), map(math.cos, angles)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def axis_angle(axis: Axis, angle: Any) -> np.ndarray:
    """A turn about an axis of the parent, "x", "-y" or three numbers, by an angle (rad, or a text such as "30 deg").

    Raises ModelError for an axis without direction, an angle that is no finite number.
    """
    n, turn = np.array(unit_axis(axis)), _angle(angle, "angle of axis_angle")
    across = np.array([[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]])
    return math.cos(turn) * np.eye(3) + math.sin(turn) * across + (1.0 - math.cos(turn)) * np.outer(n, n)


def _angle(value: Any, thing: str) -> float:
    found = number(value, thing, "rad")
    if not is_literal(found):
        raise ModelError(
            f"{thing} is {found!r}: a rotation can't depend on parameters; hang the body on one without mass "
            "whose hinge a drive holds at that angle"
        )
    return float(found.value)
