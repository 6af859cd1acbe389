"""Surfaces of contacts and the gaps between them, in closed form: (G1) to (G8) of docs/contact.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, clip, max, sqrt, where
from ...symbolic.vectors import ORIGIN, Vector
from ..geometry.anchors import axes, point_position
from ..references.naming import A_NAME

TINY = 1e-24  #: m², keeps the derivative of a length finite where it vanishes


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface on a body. origin: m, body axes. rotation: 3x3, axes of the surface to body axes.

    turns: True if its normals differ from place to place, so that the normal of a contact turns in its axes.
    """

    turns: ClassVar[bool] = True
    body: str = field(metadata=A_NAME)
    origin: Vector
    rotation: np.ndarray

    @property
    def center(self) -> Vector:
        """World position of the origin, m."""
        return point_position(self.body, self.origin)

    @property
    def axes(self) -> list[Vector]:
        """The three axes of the surface, in world axes."""
        return axes(self.body, self.rotation)


@dataclass(frozen=True, eq=False)
class HalfSpace(Surface):
    """All points below the plane z = 0."""

    turns: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class Ball(Surface):
    """Ball around the origin; radius: m, zero for a point."""

    radius: Expression


@dataclass(frozen=True, eq=False)
class Rim(Surface):
    """Round bar of radius `bar` along a circle of `radius` about the z axis, m, at an angle from its lowest point.

    cosine, sine: of this angle.
    """

    radius: Expression
    bar: Expression
    cosine: float = 1.0
    sine: float = 0.0


@dataclass(frozen=True, eq=False)
class Rod(Surface):
    """All points within `radius` of a segment along the z axis, from -half to half; m."""

    radius: Expression
    half: Expression


@dataclass(frozen=True, eq=False)
class Block(Surface):
    """Box around the origin; half: half of its edges along the axes, m."""

    half: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Gap:
    """Nearest points of surface a and surface b.

    depth: overlap, m, negative while they are apart. normal: unit vector from a to b, world axes. arm: vector from the
    origin of b to its nearest point, m, world axes.
    """

    depth: Expression
    normal: Vector
    arm: Vector


def ball_on_plane(a: HalfSpace, b: Ball) -> Gap:
    """(G1), for points too."""
    n = a.axes[2]
    return Gap(b.radius - (b.center - a.center).dot(n), n, n * -b.radius)


def rim_on_plane(a: HalfSpace, b: Rim) -> Gap:
    """(G3), and for other points than the lowest (G5)."""
    n, s = a.axes[2], b.axes[2]
    across = n - s * s.dot(n)
    size = sqrt(across.dot(across) + TINY)
    up = across / size
    arm = up * (b.radius * -b.cosine) + s.cross(up) * (b.radius * b.sine) - n * b.bar
    return Gap(-(b.center + arm - a.center).dot(n), n, arm)


def ball_on_ball(a: Ball, b: Ball) -> Gap:
    """(G6)."""
    line = b.center - a.center
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, n * -b.radius)


def ball_on_rod(a: Rod, b: Ball) -> Gap:
    """(G7): as (G6), from the nearest point of the segment."""
    axis, line = a.axes[2], b.center - a.center
    line = line - axis * clip(line.dot(axis), -a.half, a.half)
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, n * -b.radius)


def rod_on_ball(a: Ball, b: Rod) -> Gap:
    """(G7), with the roles exchanged."""
    axis, line = b.axes[2], b.center - a.center
    along = axis * clip(-line.dot(axis), -b.half, b.half)
    line = line + along
    length = sqrt(line.dot(line) + TINY)
    n = line / length
    return Gap(a.radius + b.radius - length, n, along - n * b.radius)


def ball_on_block(a: Block, b: Ball) -> Gap:
    """(G8): the nearest point of the box if the centre is outside, the nearest face if it is inside."""
    u, line = a.axes, b.center - a.center
    x = [line.dot(axis) for axis in u]
    over = [c - clip(c, -h, h) for c, h in zip(x, a.half, strict=True)]
    square = sum((c * c for c in over), start=ZERO)
    length = sqrt(max(square, TINY * TINY))
    below = [h - abs(c) for c, h in zip(x, a.half, strict=True)]
    nearest, face = below[0], [_sign(x[0]), ZERO, ZERO]
    for k in (1, 2):
        closer = below[k] < nearest
        own = [_sign(x[k]) if j == k else ZERO for j in range(3)]
        nearest, face = where(closer, below[k], nearest), [where(closer, own[j], face[j]) for j in range(3)]
    outside = square > 0.0
    along = [where(outside, c / length, f) for c, f in zip(over, face, strict=True)]
    n = sum((axis * c for axis, c in zip(u, along, strict=True)), start=ORIGIN)
    return Gap(b.radius + where(outside, -length, nearest), n, n * -b.radius)


def _sign(x: Expression) -> Expression:
    return where(x < 0.0, -1.0, 1.0)


#: Functions that return the gap, by the kinds of both surfaces.
GAPS: dict[tuple[type[Surface], type[Surface]], Callable[[Any, Any], Gap]] = {
    (HalfSpace, Ball): ball_on_plane,
    (HalfSpace, Rim): rim_on_plane,
    (Ball, Ball): ball_on_ball,
    (Ball, Rod): rod_on_ball,
    (Rod, Ball): ball_on_rod,
    (Block, Ball): ball_on_block,
}
