"""Plane curves: cams, rims, grooves, flat faces. closures/ has the constraints that use them.

A curve lies in the plane normal to its `axis` and has components along two directions that complete a right-handed
frame: x and y for the axis "z", y and z for "x", z and x for "y" (`axes.normals` for any other). Angles are counted
from the first direction towards the second. The origin is that of the frame to which the curve is fixed.
"""

from __future__ import annotations

import builtins
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression, as_expression, atan2, cos, is_literal, min, sin, sqrt
from ...symbolic.graph import evaluate_all, leaves
from ...symbolic.splines import periodic_coefficients, periodic_spline
from ...symbolic.tables import table
from ..effects import Check
from ..geometry.axes import Axis, normals, unit_axis
from ..geometry.vectors import length_of_parameters, number_array
from ..references.leaves import Signal

TURN = 2.0 * math.pi
SAME = 1e-9  #: part of a turn, or of a curve's size, within which two points coincide
LOOKS = 64  #: number of directions in which a curve is sampled

Point = tuple[Expression, Expression]  #: components in the curve's plane, m


class Curve(ABC):
    """Curve in a plane fixed in a body; closed by default."""

    axis: Axis
    is_closed: ClassVar[bool] = True  #: around the origin, where `level` has no derivative
    unit: ClassVar[str] = "rad"  #: of its parameter
    has_level: ClassVar[bool] = True  #: True if an expression of the position alone is zero on the curve

    def checked(self, thing: str) -> Self:
        """Return the curve with its numbers as expressions. Raises ModelError for invalid numbers."""
        return self

    def parameter_checks(self, thing: str) -> list[Check]:
        """Expressions of parameters that must be positive, with messages."""
        return []

    @property
    def directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Two axes of the plane."""
        return normals(np.array(unit_axis(self.axis)))

    @property
    def width(self) -> Expression | None:
        """Least width, m; None for a curve of infinite extent."""
        return None

    @abstractmethod
    def level(self, x: Expression, y: Expression) -> Expression:
        """Return a smooth expression near the curve, in metres: zero on the curve, positive outside."""

    @abstractmethod
    def point(self, z: Expression) -> Point:
        """Return the point at the parameter z, 2π once round counterclockwise; outside is to its right."""

    @abstractmethod
    def seen(self, x: Expression, y: Expression) -> Expression:
        """Return the approximate parameter of the point in this direction from the origin."""

    @abstractmethod
    def facing(self, x: Expression, y: Expression) -> Expression:
        """Return the approximate parameter of the point whose outward normal has this direction."""


@dataclass(frozen=True)
class Circle(Curve):
    """Circle of `radius` (m), a number or an expression of parameters; the parameter is the angle.

    Raises ModelError for an invalid axis; `Model.close` and `Model.contact` also do for an invalid radius.
    """

    radius: Quantity
    axis: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def checked(self, thing: str) -> Circle:
        return replace(self, radius=_length(self.radius, f"radius of the circle of {thing}"))

    def parameter_checks(self, thing: str) -> list[Check]:
        return _positive(self.radius, f"radius of the circle of {thing}")

    @property
    def width(self) -> Expression:
        return 2.0 * as_expression(self.radius)

    def level(self, x: Expression, y: Expression) -> Expression:
        return sqrt(x * x + y * y) - as_expression(self.radius)

    def point(self, z: Expression) -> Point:
        return self.radius * cos(z), self.radius * sin(z)

    def seen(self, x: Expression, y: Expression) -> Expression:
        return atan2(y, x)

    def facing(self, x: Expression, y: Expression) -> Expression:
        return atan2(y, x)


@dataclass(frozen=True)
class Ellipse(Curve):
    """Ellipse with the half axes `a` and `b` (m) along the axes of its plane; the parameter is the eccentric angle.

    a, b: numbers or expressions of parameters. Raises ModelError for an invalid axis; `Model.close` and `Model.contact`
    also do for half axes that are not positive.
    """

    a: Quantity
    b: Quantity
    axis: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def checked(self, thing: str) -> Ellipse:
        a, b = (_length(getattr(self, what), f"half axis {what} of the ellipse of {thing}") for what in "ab")
        return replace(self, a=a, b=b)

    def parameter_checks(self, thing: str) -> list[Check]:
        return [check for what in "ab" for check in _positive(getattr(self, what), f"half axis {what} of {thing}")]

    @property
    def width(self) -> Expression:
        return 2.0 * min(as_expression(self.a), as_expression(self.b))

    def level(self, x: Expression, y: Expression) -> Expression:
        """Return F / |grad F|, F = x²/a² + y²/b² - 1: near the curve the distance, to first order."""
        u, v = x / as_expression(self.a), y / as_expression(self.b)
        slope = 2.0 * sqrt((u / self.a) ** 2 + (v / self.b) ** 2)
        return (u * u + v * v - 1.0) / slope

    def point(self, z: Expression) -> Point:
        return self.a * cos(z), self.b * sin(z)

    def seen(self, x: Expression, y: Expression) -> Expression:
        return atan2(self.a * y, self.b * x)

    def facing(self, x: Expression, y: Expression) -> Expression:
        return atan2(self.b * y, self.a * x)


@dataclass(frozen=True)
class Polar(Curve):
    """Curve that every ray from the origin meets once: the distance is a periodic cubic spline of the angle.

    angles: rad, increasing, of points all around; radii: their distances from the origin, m. The last point may repeat
    the first, one turn later. Curvatures of the spline are continuous, their derivatives are not. The parameter is the
    angle. Raises ModelError for invalid points, and for fewer than three.
    """

    angles: Sequence[float]
    radii: Sequence[float]
    axis: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.axis)
        angles, radii = (_row(getattr(self, what), f"{what} of a polar curve") for what in ("angles", "radii"))
        if len(angles) != len(radii):
            raise ModelError(f"a polar curve has {len(angles)} angles and {len(radii)} radii: give as many of both")
        if not np.all(np.diff(angles) > 0.0):
            raise ModelError("angles of a polar curve do not increase: give them in order, counterclockwise")
        if len(angles) and not np.all(radii > 0.0):
            raise ModelError(
                f"radii of a polar curve: {float(radii.min()):.6g} m is not positive: the curve is not star-shaped "
                "about its origin; give its points about another one, or mbs.Spline"
            )
        angles, radii = _once_round(angles, radii)
        object.__setattr__(self, "angles", tuple(map(float, angles)))
        object.__setattr__(self, "radii", tuple(map(float, radii)))
        least = float(_polar_samples(np.r_[angles, angles[0] + TURN], radii).min())
        if not least > 0.0:
            raise ModelError(
                f"polar curve: its spline falls to {least:.3g} m between the points, so the curve is not star-shaped: "
                "give more points"
            )

    @property
    def width(self) -> Expression:
        return as_expression(2.0 * builtins.min(self.radii))

    def level(self, x: Expression, y: Expression) -> Expression:
        return sqrt(x * x + y * y) - self._radius(atan2(y, x))

    def point(self, z: Expression) -> Point:
        radius = self._radius(z)
        return radius * cos(z), radius * sin(z)

    def seen(self, x: Expression, y: Expression) -> Expression:
        return atan2(y, x)

    def facing(self, x: Expression, y: Expression) -> Expression:
        return _looked_up(self, x, y, outmost)

    def _radius(self, angle: Expression) -> Expression:
        return periodic_spline(angle, (*self.angles, self.angles[0] + TURN), self.radii)


@dataclass(frozen=True)
class Spline(Curve):
    """Curve through points: both components are periodic cubic splines of the chord length.

    points: pairs (m, axes of the plane), counterclockwise; the last may repeat the first, as the curve is closed
    anyway. The parameter is the fraction of the chord length times 2π.
    Raises ModelError for invalid points, and for fewer than three different ones.
    """

    points: Sequence[Sequence[float]]
    axis: Axis = "z"
    has_level: ClassVar[bool] = False

    def __post_init__(self) -> None:
        unit_axis(self.axis)
        given = number_array(self.points, "points of a spline curve")
        if given.ndim != 2 or given.shape[1] != 2 or not np.all(np.isfinite(given)):
            raise ModelError("points of a spline curve must be pairs of finite numbers such as (0.1, 0.02)")
        size = float(np.ptp(given, axis=0).max()) if len(given) else 0.0
        points = given[:-1] if len(given) > 1 and np.linalg.norm(given[-1] - given[0]) <= SAME * size else given
        if len(points) < 3:
            raise ModelError(f"a spline curve has {len(points)} points: give at least 3 different ones")
        if np.linalg.norm(points - np.roll(points, -1, axis=0), axis=1).min() <= SAME * size:
            raise ModelError("points of a spline curve: two successive points coincide: leave one out")
        area = points[:, 0] @ np.roll(points[:, 1], -1) - points[:, 1] @ np.roll(points[:, 0], -1)
        if not area > 0.0:
            raise ModelError("points of a spline curve run clockwise about its axis: give them the other way round")
        object.__setattr__(self, "points", tuple((float(x), float(y)) for x, y in points))

    @property
    def width(self) -> Expression:
        return as_expression(float(np.ptp(np.array(self.points), axis=0).min()))

    def level(self, x: Expression, y: Expression) -> Expression:
        raise NotImplementedError("a spline curve has no formula of the point alone")

    def point(self, z: Expression) -> Point:
        knots = self._knots()
        x, y = (periodic_spline(z, knots, values) for values in zip(*self.points, strict=True))
        return x, y

    def seen(self, x: Expression, y: Expression) -> Expression:
        return _looked_up(self, x, y, nearest)

    def facing(self, x: Expression, y: Expression) -> Expression:
        return _looked_up(self, x, y, outmost)

    def _knots(self) -> np.ndarray:
        points = np.array(self.points)
        chords = np.linalg.norm(np.roll(points, -1, axis=0) - points, axis=1)
        return np.asarray(np.r_[0.0, np.cumsum(chords)] * (TURN / chords.sum()))


@dataclass(frozen=True)
class Flat(Curve):
    """Infinite straight line through the origin along the plane's first direction: a flat face.

    The solid lies on the side of the second direction; contact is on the other side. The parameter is the distance
    along the line, m.
    """

    axis: Axis = "z"
    is_closed: ClassVar[bool] = False
    unit: ClassVar[str] = "m"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def level(self, x: Expression, y: Expression) -> Expression:
        return -y

    def point(self, z: Expression) -> Point:
        return z, as_expression(0.0)

    def seen(self, x: Expression, y: Expression) -> Expression:
        return x

    def facing(self, x: Expression, y: Expression) -> Expression:
        return x  # a point in that direction is met at its foot


def known_curve(value: Any, thing: str) -> Curve:
    """Return a curve with its numbers as expressions. Raises ModelError if it is not a curve."""
    if not isinstance(value, Curve):
        raise ModelError(f"{thing}: give a curve, mbs.Circle, Ellipse, Polar, Spline or Flat")
    return value.checked(thing)


def _length(value: Any, thing: str) -> Expression:
    length = length_of_parameters(value, thing)
    if is_literal(length) and not length.value > 0.0:
        raise ModelError(f"{thing} is {length.value!r}: it must be positive")
    return length


def _positive(length: Any, thing: str) -> list[Check]:
    """Return the check of a length that depends on parameters."""
    names = ", ".join(repr(r.name) for r in leaves([as_expression(length)]) if isinstance(r, Signal))
    return [(length, f"{thing} must be positive: change parameter {names}")] if names else []


def _row(value: Any, thing: str) -> np.ndarray:
    row = number_array(value, thing)
    if row.ndim != 1 or not np.all(np.isfinite(row)):
        raise ModelError(f"{thing} must be a row of finite numbers")
    return row


def _once_round(angles: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a polar curve without a repeated first point. Raises ModelError unless they go round
    once."""
    span = angles[-1] - angles[0] if len(angles) else 0.0
    if abs(span - TURN) <= SAME * TURN:
        if abs(radii[-1] - radii[0]) > SAME * radii.max():
            raise ModelError(
                f"a polar curve is not closed: it begins at {radii[0]:.6g} m and ends a turn later at {radii[-1]:.6g} m"
            )
        angles, radii = angles[:-1], radii[:-1]
    elif span > TURN:
        raise ModelError(f"angles of a polar curve go {span / TURN:.4g} times round: give one turn, 2 pi")
    if len(angles) < 3:
        raise ModelError(f"a polar curve has {len(angles)} points: give at least 3, all around")
    widest = float(np.diff(np.r_[angles, angles[0] + TURN]).max())
    if widest >= math.pi:
        raise ModelError(
            f"a polar curve is not closed: there is no point within {widest:.3g} rad: give points all around, in rad"
        )
    return angles, radii


def _polar_samples(knots: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Return the distance at many points of each spline segment."""
    way = np.linspace(0.0, 1.0, 17)[:, None] * np.diff(knots)
    a, b, c, d = periodic_coefficients(knots, radii).T
    return np.asarray(a + way * (b + way * (c + way * d)))


def _looked_up(curve: Curve, x: Expression, y: Expression, best: Callable[[np.ndarray], np.ndarray]) -> Expression:
    """Return a table that interpolates the best parameters for many directions."""
    z = np.linspace(0.0, TURN, 4 * LOOKS, endpoint=False)
    places = np.array([evaluate_all(list(curve.point(as_expression(value))), {}.__getitem__) for value in z])
    angles = np.linspace(-math.pi, math.pi, LOOKS + 1)
    chosen = best(places @ np.array([np.cos(angles), np.sin(angles)]))
    return table(atan2(y, x), angles.tolist(), np.unwrap(z[chosen]).tolist())


def outmost(along: np.ndarray) -> np.ndarray:
    """Return for each direction (column) the index of the point that lies farthest along it."""
    return np.asarray(np.argmax(along, axis=0))


def nearest(along: np.ndarray) -> np.ndarray:
    """Return for each direction the index of the point seen at the smallest angle from it."""
    return outmost(along / np.linalg.norm(along, axis=1, keepdims=True))
