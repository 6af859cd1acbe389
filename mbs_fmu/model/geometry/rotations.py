"""Rotation matrices from angles, for `Pose`: frame to body coordinates; their columns are the axes of the frame."""

from __future__ import annotations

import numpy as np

from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression, cos, sin
from ...symbolic.rotations import rotation_array
from .axes import Axis, unit_axis
from .vectors import number, of_parameters


def rpy(roll: Quantity, pitch: Quantity, yaw: Quantity) -> np.ndarray:
    """Return the 3x3 rotation matrix Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF.

    roll, pitch, yaw: angles about the parent's x, y and z axis, in this order; rad, texts such as "30 deg", or
    expressions of parameters, which make the array's entries expressions. Raises ModelError for angles that are not
    finite and for expressions of anything but parameters.
    """
    angles = [_angle(x, f"{name} of rpy") for x, name in ((roll, "roll"), (pitch, "pitch"), (yaw, "yaw"))]
    (sr, sp, sy), (cr, cp, cy) = map(sin, angles), map(cos, angles)
    return rotation_array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ])  # fmt: skip


def axis_angle(axis: Axis, angle: Quantity) -> np.ndarray:
    """Return the 3x3 matrix of a rotation about an axis of the parent, by Rodrigues' formula.

    axis: "x", "-y" or three numbers. angle: rad, a text such as "30 deg", or an expression of parameters, which makes
    the array's entries expressions. Raises ModelError for an axis of length zero, an angle that is not finite, and
    expressions of anything but parameters.
    """
    n, turn = unit_axis(axis), _angle(angle, "angle of axis_angle")
    across = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]]
    s, c = sin(turn), cos(turn)
    return rotation_array(
        [[n[i] * n[j] + c * (float(i == j) - n[i] * n[j]) + s * across[i][j] for j in range(3)] for i in range(3)]
    )


def _angle(value: Quantity, thing: str) -> Expression:
    return of_parameters(number(value, thing, "rad"), thing)
