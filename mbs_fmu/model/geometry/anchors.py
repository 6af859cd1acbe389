"""Positions and velocities, in the world, of points and axes that are fixed on a body, for forces.

`measures.position` and its like give the same values through the body's frame. These are computed in the axes of the
link to which the body belongs, which saves a rotation of each point into body axes. Points may depend on parameters.
"""

from __future__ import annotations

import numpy as np

from ...symbolic.expressions import leaf
from ...symbolic.vectors import Vector
from ..references.leaves import AxisNumber, PointNumber, SpinNumber


def point_position(body: str, at: Vector) -> Vector:
    """Return the world position (m) of a point (m, body axes)."""
    return Vector(leaf(PointNumber("position", body, at, k)) for k in range(3))


def point_velocity(body: str, at: Vector) -> Vector:
    """Return the velocity (m/s, world axes) of a point (m, body axes)."""
    return Vector(leaf(PointNumber("velocity", body, at, k)) for k in range(3))


def spin(body: str) -> Vector:
    """Return the angular velocity (rad/s, world axes) of a body."""
    return Vector(leaf(SpinNumber(body, k)) for k in range(3))


def axes(body: str, rotation: np.ndarray) -> list[Vector]:
    """Return the three axes, in world axes, of a frame on a body; rotation: 3x3, frame to body coordinates."""
    frame = tuple(rotation.ravel().tolist())
    return [Vector(leaf(AxisNumber(body, frame, axis, k)) for k in range(3)) for axis in range(3)]
