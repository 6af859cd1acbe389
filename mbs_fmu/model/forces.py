"""Forces as told: what acts where, with laws as expressions.

A force acts along a joint velocity (`OnJoint`) or puts wrenches on bodies (`OnBodies`). How each acts, stores energy
and is measured is in compile/forces.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..expressions import Expression
from .vectors import Vector, number, numbers


@dataclass(frozen=True, eq=False)
class Elastic:
    """What a spring resists with: stiffness x + damping v + law, x the extension beyond `length`, v its rate.

    law: of the placeholders `Stretch`, or None. stored: the energy of the law, of the extension alone, or None.
    """

    stiffness: Expression
    damping: Expression
    length: Expression
    law: Expression | None = None
    stored: Expression | None = None


@dataclass(frozen=True, eq=False)
class OnJoint:
    """Acts along joint velocity k of a body; the parent takes the reaction."""

    name: str
    body: str
    k: int


@dataclass(frozen=True, eq=False)
class CoordinateSpring(OnJoint):
    """A spring on coordinate k."""

    elastic: Elastic


@dataclass(frozen=True, eq=False)
class Motor(OnJoint):
    """A given force or torque."""

    law: Expression


@dataclass(frozen=True, eq=False)
class Friction(OnJoint):
    """Coulomb friction with Stribeck's peak `static` at the velocity `speed`, and viscous friction."""

    coulomb: Expression
    static: Expression
    viscous: Expression
    speed: Expression


@dataclass(frozen=True, eq=False)
class Limit(OnJoint):
    """One-sided springs and dampers below `lower` and above `upper` of coordinate k."""

    lower: Expression | None
    upper: Expression | None
    stiffness: Expression
    damping: Expression


@dataclass(frozen=True, eq=False)
class OnBodies:
    """Puts wrenches on bodies."""

    name: str


@dataclass(frozen=True, eq=False)
class BodyForce(OnBodies):
    """A force at a point and a torque, in world or body axes."""

    body: str
    at: Vector
    force: Vector
    torque: Vector
    in_world: bool


@dataclass(frozen=True, eq=False)
class Drag(OnBodies):
    """-(linear + quadratic |v|) v at a point, v its velocity against a fluid (world axes)."""

    body: str
    at: Vector
    linear: Expression
    quadratic: Expression
    fluid: Vector


@dataclass(frozen=True, eq=False)
class PointSpring(OnBodies):
    """A pull along the line between two points, x their distance beyond the free length."""

    a: str
    at_a: Vector
    b: str
    at_b: Vector
    elastic: Elastic


@dataclass(frozen=True, eq=False)
class RotationalSpring(OnBodies):
    """A torque between two bodies, x the angle of b about the third axis of frame a beyond the rest angle.

    rotation_a, rotation_b: 3x3, the frames' axes in body axes.
    """

    a: str
    rotation_a: np.ndarray
    b: str
    rotation_b: np.ndarray
    elastic: Elastic


@dataclass(frozen=True, eq=False)
class Bushing(OnBodies):
    """Three springs and dampers along the axes of frame a, three about them, between two frames."""

    a: str
    at_a: Vector
    rotation_a: np.ndarray
    b: str
    at_b: Vector
    rotation_b: np.ndarray
    stiffness: Vector
    damping: Vector
    rotational_stiffness: Vector
    rotational_damping: Vector


Force = OnJoint | OnBodies


def expressions(told: Force | Elastic) -> list[Expression]:
    """All that a force's laws and places are made of."""
    out: list[Expression] = []
    for value in vars(told).values():
        if isinstance(value, Elastic):
            out += expressions(value)
        elif isinstance(value, Expression):
            out.append(value)
        elif isinstance(value, Vector):
            out.extend(value)
    return out


class PointGravity(Vector):
    """Gravity towards a point: mu/r² at every body's centre of mass, r its distance from `center`.

    mu: m³/s², `center`: world axes, m; both may depend on parameters. As a vector it is the uniform gravity beside
    it: none. As in the Modelica Standard Library, a body's extent is not seen: there is no gravity-gradient torque.
    """

    mu: Expression
    center: Vector

    def __new__(cls, mu: object, center: object = (0.0, 0.0, 0.0)) -> PointGravity:
        self: PointGravity = super().__new__(cls, (0.0, 0.0, 0.0))  # type: ignore[assignment]
        self.mu = number(mu, "mu of the point gravity", "m3/s2")
        self.center = numbers(center, 3, "center of the point gravity", "m")
        return self
