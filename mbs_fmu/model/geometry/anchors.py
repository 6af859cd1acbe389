"""Points and axes that are fixed on a body, for forces: where they are in the world, and how they move.

`measures.position` and its like give the same numbers by way of the body's frame; these are reckoned in the axes of the
link that the body lies in, which saves turning each point into the body's axes first. Points may depend on parameters.
"""

from __future__ import annotations

import numpy as np

from ...symbolic.expressions import leaf
from ...symbolic.vectors import Vector
from ..references.leaves import AxisNumber, PointNumber, SpinNumber


def point_position(body: str, at: Vector) -> Vector:
    """World position (m) of a point given in body axes."""
    return Vector(leaf(PointNumber("position", body, at, k)) for k in range(3))


def point_velocity(body: str, at: Vector) -> Vector:
    """World velocity (m/s) of a point given in body axes, components in world axes."""
    return Vector(leaf(PointNumber("velocity", body, at, k)) for k in range(3))


def spin(body: str) -> Vector:
    """Angular velocity (rad/s) of a body against the world, in world axes."""
    return Vector(leaf(SpinNumber(body, k)) for k in range(3))


def axes(body: str, rotation: np.ndarray) -> list[Vector]:
    """The three axes, in world axes, of a frame on a body; rotation: 3x3, frame to body coordinates."""
    frame = tuple(rotation.ravel().tolist())
    return [Vector(leaf(AxisNumber(body, frame, axis, k)) for k in range(3)) for axis in range(3)]
