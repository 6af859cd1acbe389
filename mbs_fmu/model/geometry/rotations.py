"""Rotation matrices from angles, as poses take them: child to parent coordinates, their columns the child's axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...symbolic.expressions import Expression, cos, sin
from ...symbolic.rotations import rotation_array
from .axes import Axis, unit_axis
from .vectors import number, of_parameters


def rpy(roll: Any, pitch: Any, yaw: Any) -> np.ndarray:
    """Turns by roll, pitch and yaw (rad) about the parent's x, y and z axis, in this order: Rz(yaw) Ry(pitch) Rx(roll).

    URDF's convention. Angles may be texts such as "30 deg", or expressions of parameters: then the array's entries are
    expressions too. Raises ModelError for what is no finite number, and what depends on anything but parameters.
    """
    angles = [_angle(x, f"{name} of rpy") for x, name in ((roll, "roll"), (pitch, "pitch"), (yaw, "yaw"))]
    (sr, sp, sy), (cr, cp, cy) = map(sin, angles), map(cos, angles)
    return rotation_array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def axis_angle(axis: Axis, angle: Any) -> np.ndarray:
    """A turn about an axis of the parent, "x", "-y" or three numbers, by an angle (rad, or a text such as "30 deg").

    The angle may be an expression of parameters: then the array's entries are expressions too. Raises ModelError for an
    axis without direction, an angle that is no finite number or depends on anything but parameters.
    """
    n, turn = unit_axis(axis), _angle(angle, "angle of axis_angle")
    across = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]]
    s, c = sin(turn), cos(turn)
    return rotation_array(
        [[n[i] * n[j] + c * (float(i == j) - n[i] * n[j]) + s * across[i][j] for j in range(3)] for i in range(3)]
    )


def _angle(value: Any, thing: str) -> Expression:
    return of_parameters(number(value, thing, "rad"), thing)
