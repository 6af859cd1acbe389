"""Surfaces of contacts, each fixed in a body, and what a gap between two of them consists of."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression, is_literal, max, min
from ...symbolic.polyhedra import Polyhedron
from ...symbolic.vectors import Vector
from ..geometry.anchors import axes, point_position
from ..references.kinds import A_NUMBER
from ..references.naming import A_NAME
from ..roads import Road

TINY = 1e-24  #: m², keeps the derivative of a length finite where it vanishes


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface that is fixed in a body.

    origin: m, body axes. rotation: 3x3, axes of the surface to body axes. turns: False if all its normals are equal, so
    that the normal of a contact is constant in the axes of the surface.
    """

    turns: ClassVar[bool] = True
    body: str = field(metadata=A_NAME)
    origin: Vector
    rotation: np.ndarray = field(metadata=A_NUMBER)

    @property
    def size(self) -> Expression | None:
        """Least width, m; None for a point, and for a surface of infinite extent."""
        return None

    @property
    def reach(self) -> Expression | None:
        """Radius, m, of a ball about the origin that contains the surface; None if the surface has no such bound."""
        return None

    @property
    def center(self) -> Vector:
        """Position of the origin, m, world axes."""
        return point_position(self.body, self.origin)

    @property
    def axes(self) -> list[Vector]:
        """The three axes of the surface, in world axes."""
        return axes(self.body, self.rotation)


@dataclass(frozen=True, eq=False)
class HalfSpace(Surface):
    """Half-space z <= 0, bounded by the plane z = 0."""

    turns: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class Ball(Surface):
    """Solid ball about the origin. radius: m, zero for a point."""

    radius: Expression

    @property
    def size(self) -> Expression | None:
        return None if is_literal(self.radius, 0.0) else 2.0 * self.radius

    @property
    def reach(self) -> Expression:
        return self.radius


@dataclass(frozen=True, eq=False)
class Rim(Surface):
    """One place of a round bar that is bent to a circle about the z axis.

    radius: of the circle, m. bar: radius of the bar, m, zero for a sharp edge. cosine, sine: of the angle on the circle
    from its lowest point to the place. shared: 1 for one of several places at equal angles, so that the rim may lie
    flat; 0 for a single place.
    """

    radius: Expression
    bar: Expression
    cosine: float = 1.0
    sine: float = 0.0
    shared: float = 0.0

    @property
    def size(self) -> Expression:
        """Outer diameter, m, not the diameter of the bar, which may be thin."""
        return 2.0 * (self.radius + self.bar)

    @property
    def reach(self) -> Expression:
        return self.radius + self.bar


@dataclass(frozen=True, eq=False)
class Rod(Surface):
    """Solid capsule: all points within `radius` (m) of the segment from z = -half to z = half (m)."""

    radius: Expression
    half: Expression

    @property
    def size(self) -> Expression:
        return 2.0 * self.radius

    @property
    def reach(self) -> Expression:
        return self.radius + self.half


@dataclass(frozen=True, eq=False)
class FarEnd(Rod):
    """The end ball of a capsule that is farther from the place of its axis that is nearest to the other surface."""


@dataclass(frozen=True, eq=False)
class Block(Surface):
    """Solid box about the origin. half: half the lengths of its edges along the axes, m."""

    half: tuple[Expression, ...]

    @property
    def size(self) -> Expression:
        x, y, z = self.half
        return 2.0 * min(min(x, y), z)

    @property
    def reach(self) -> Expression:
        return Vector(self.half).norm()


@dataclass(frozen=True, eq=False)
class Drum(Surface):
    """Solid cylinder of a radius (m) about the z axis, from z = -half to z = half (m)."""

    radius: Expression
    half: Expression

    @property
    def size(self) -> Expression:
        return 2.0 * min(self.radius, self.half)

    @property
    def reach(self) -> Expression:
        return Vector([self.radius, self.half]).norm()


@dataclass(frozen=True, eq=False)
class Hull(Surface):
    """Solid convex polyhedron. width: its least width, m."""

    polyhedron: Polyhedron
    width: Expression

    @property
    def size(self) -> Expression:
        return self.width

    @property
    def reach(self) -> Expression:
        return as_expression(self.polyhedron.reach)


@dataclass(frozen=True, eq=False)
class Egg(Surface):
    """Solid ellipsoid about the origin. half: semi-axes along the axes, m."""

    half: tuple[Expression, ...]

    @property
    def size(self) -> Expression:
        x, y, z = self.half
        return 2.0 * min(min(x, y), z)

    @property
    def reach(self) -> Expression:
        return max(max(*self.half[:2]), self.half[2])


@dataclass(frozen=True, eq=False)
class Ground(Surface):
    """Solid below an uneven road z = height(x, y)."""

    road: Road


@dataclass(frozen=True, eq=False)
class Gradient:
    """Gradient of a depth that changes in another way than by the motion of the contact point along the normal.

    steepness: change of the depth per displacement of b against the normal, at the contact point. twist: minus the
    change of the depth per rotation of b about the contact point, m, world axes.
    """

    steepness: Expression
    twist: Vector


@dataclass(frozen=True, eq=False)
class Patch:
    """How two surfaces touch on an area instead of at a point; vectors in world axes.

    facing: unit normal, from a to b, of the face that separates them most, which is their normal while they are apart.
    separation: m, not positive while they are apart; it is cheaper to compute than the depth. spread: mean of the
    products of the coordinates in the area, from its centre, m², along the axes of a. radius: of the area, m, root mean
    square of the distances from its centre. scale: a constant length of this order, m.
    """

    facing: Vector
    separation: Expression
    spread: list[Vector]
    radius: Expression
    scale: Expression


@dataclass(frozen=True, eq=False)
class Gap:
    """Distance between surface a and surface b.

    depth: overlap, m, or minus the distance while they are apart. normal: unit vector from a to b, world axes. arm:
    vector from the origin of b to the point of b that is nearest to a or deepest in it, m, world axes. gradient: None
    if the depth changes by minus the velocity of the contact point along the normal. patch: None if the surfaces touch
    at a point; if they touch on an area, the arm leads to its centre of pressure, and the normal vanishes while they
    are apart.
    """

    depth: Expression
    normal: Vector
    arm: Vector
    gradient: Gradient | None = None
    patch: Patch | None = None
