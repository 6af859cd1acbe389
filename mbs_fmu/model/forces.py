"""Forces as told: what acts where, with laws as expressions."""

from __future__ import annotations

from dataclasses import dataclass

from ..expressions import Expression
from .vectors import Vector


@dataclass(frozen=True, eq=False)
class CoordinateSpring:
    """-stiffness (q_k - length) - damping u_k along joint velocity k of a body."""

    name: str
    body: str
    k: int
    stiffness: Expression
    damping: Expression
    length: Expression


@dataclass(frozen=True, eq=False)
class Motor:
    """A given force or torque along joint velocity k of a body."""

    name: str
    body: str
    k: int
    law: Expression


@dataclass(frozen=True, eq=False)
class PointSpring:
    """A pull stiffness (l - length) + damping dl/dt between two points, l their distance."""

    name: str
    a: str
    at_a: Vector
    b: str
    at_b: Vector
    stiffness: Expression
    damping: Expression
    length: Expression


@dataclass(frozen=True, eq=False)
class BodyForce:
    """A force at a point and a torque, in world or body axes."""

    name: str
    body: str
    at: Vector
    force: Vector
    torque: Vector
    in_world: bool


Force = CoordinateSpring | Motor | PointSpring | BodyForce
