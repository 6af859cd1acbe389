"""Plane curves: cams, rims, grooves, flat faces. What leads a point along one, or holds two in touch, is in closures/.

A curve lies in the plane across its `axis`, written in two directions of that plane that make a right-handed frame with
it: x and y for the axis "z", y and z for "x", z and x for "y" (`axes.normals` has them for any other). Angles count
from the first towards the second, about the axis. The origin is that of the place where the curve is fixed.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression, atan2, cos, is_literal, sin, sqrt, table
from ...symbolic.graph import evaluate_all, leaves
from ...symbolic.splines import periodic_coefficients, periodic_spline
from ..effects import Check
from ..geometry.axes import Axis, normals, unit_axis
from ..geometry.vectors import length_of_parameters, number_array
from ..references.leaves import Signal

TURN = 2.0 * math.pi
SAME = 1e-9  #: of a turn, or of a curve's size: two points no further apart are one
LOOKS = 64  #: directions of a turn in which a curve is looked at

Point = tuple[Expression, Expression]  #: components in the curve's plane, m


class Curve(ABC):
    """A curve in a plane that is fixed in a body; closed by default."""

    axis: Axis
    is_closed: ClassVar[bool] = True  #: around the origin, where `level` has no slope
    unit: ClassVar[str] = "rad"  #: of its parameter
    has_level: ClassVar[bool] = True  #: whether there is a formula of the place alone that is zero on the curve

    def checked(self, thing: str) -> Self:
        """The curve with its numbers as expressions. Raises ModelError for what is none."""
        return self

    def parameter_checks(self, thing: str) -> list[Check]:
        """Expressions of parameters that must be positive, with messages."""
        return []

    @property
    def directions(self) -> tuple[np.ndarray, np.ndarray]:
        """The axes of the plane."""
        return normals(np.array(unit_axis(self.axis)))

    @abstractmethod
    def level(self, x: Expression, y: Expression) -> Expression:
        """Zero on the curve, positive outside; metres, and smooth near the curve."""

    @abstractmethod
    def point(self, z: Expression) -> Point:
        """The point of the curve at the parameter z, 2π once round counterclockwise; outside is on the right of it."""

    @abstractmethod
    def seen(self, x: Expression, y: Expression) -> Expression:
        """About the parameter where it lies in this direction from the origin."""

    @abstractmethod
    def facing(self, x: Expression, y: Expression) -> Expression:
        """About the parameter where its outward normal has this direction."""


@dataclass(frozen=True)
class Circle(Curve):
    """A circle of `radius` (m), a number or an expression of parameters; the parameter is the angle."""

    radius: Any
    axis: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def checked(self, thing: str) -> Circle:
        return replace(self, radius=_length(self.radius, f"radius of the circle of {thing}"))

    def parameter_checks(self, thing: str) -> list[Check]:
        return _positive(self.radius, f"radius of the circle of {thing}")

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
    """An ellipse with the half axes `a` and `b` (m) along the axes of its plane; the parameter is the eccentric angle.

    a, b: numbers or expressions of parameters.
    """

    a: Any
    b: Any
    axis: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def checked(self, thing: str) -> Ellipse:
        a, b = (_length(getattr(self, what), f"half axis {what} of the ellipse of {thing}") for what in "ab")
        return replace(self, a=a, b=b)

    def parameter_checks(self, thing: str) -> list[Check]:
        return [check for what in "ab" for check in _positive(getattr(self, what), f"half axis {what} of {thing}")]

    def level(self, x: Expression, y: Expression) -> Expression:
        """F over its gradient's length, F = x²/a² + y²/b² - 1: near the curve the distance, to first order."""
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
    """A curve that every ray from the origin meets once: the distance as a periodic cubic spline of the angle.

    angles: of points all around, rad, rising; radii: their distances from the origin, m. The first point may stand
    again at the end, a turn later. Spline: curvatures are continuous, their rates are not. The parameter is the angle.
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
            raise ModelError("angles of a polar curve do not rise: give them in order, counterclockwise")
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
    """A curve through points: both components as periodic cubic splines of the chord length.

    points: pairs (m, axes of the plane), counterclockwise; the first may stand again at the end, the curve is closed by
    itself. The parameter is the share of the chord length, 2π for all of it.
    """

    points: Sequence[Sequence[float]]
    axis: Axis = "z"
    has_level: ClassVar[bool] = False

    def __post_init__(self) -> None:
        unit_axis(self.axis)
        told = number_array(self.points, "points of a spline curve")
        if told.ndim != 2 or told.shape[1] != 2 or not np.all(np.isfinite(told)):
            raise ModelError("points of a spline curve must be pairs of finite numbers such as (0.1, 0.02)")
        size = float(np.ptp(told, axis=0).max()) if len(told) else 0.0
        points = told[:-1] if len(told) > 1 and np.linalg.norm(told[-1] - told[0]) <= SAME * size else told
        if len(points) < 3:
            raise ModelError(f"a spline curve has {len(points)} points: give at least 3 different ones")
        if np.linalg.norm(points - np.roll(points, -1, axis=0), axis=1).min() <= SAME * size:
            raise ModelError("points of a spline curve: one stands twice in a row: leave it out")
        turned = points[:, 0] @ np.roll(points[:, 1], -1) - points[:, 1] @ np.roll(points[:, 0], -1)
        if not turned > 0.0:
            raise ModelError("points of a spline curve run clockwise about its axis: give them the other way round")
        object.__setattr__(self, "points", tuple((float(x), float(y)) for x, y in points))

    def level(self, x: Expression, y: Expression) -> Expression:
        raise NotImplementedError("a spline curve has no formula of the place alone")

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
    """A straight line without ends through the origin, along the plane's first direction: a flat face.

    What it bounds lies on the side of the second direction; it is touched from the other. The parameter is the way
    along it, m.
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
        return x  # what comes from there is met at its foot


def known_curve(value: Any, thing: str) -> Curve:
    """A curve with its numbers as expressions, or ModelError."""
    if not isinstance(value, Curve):
        raise ModelError(f"{thing}: give a curve, mbs.Circle, Ellipse, Polar, Spline or Flat")
    return value.checked(thing)


def _length(value: Any, thing: str) -> Expression:
    length = length_of_parameters(value, thing)
    if is_literal(length) and not length.value > 0.0:
        raise ModelError(f"{thing} is {length.value!r}: it must be positive")
    return length


def _positive(length: Any, thing: str) -> list[Check]:
    """Lengths that parameters decide."""
    names = ", ".join(repr(r.name) for r in leaves([as_expression(length)]) if isinstance(r, Signal))
    return [(length, f"{thing} must be positive: change parameter {names}")] if names else []


def _row(value: Any, thing: str) -> np.ndarray:
    found = number_array(value, thing)
    if found.ndim != 1 or not np.all(np.isfinite(found)):
        raise ModelError(f"{thing} must be a row of finite numbers")
    return found


def _once_round(angles: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a polar curve, none of them twice."""
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
    """The distance at many places of each piece."""
    way = np.linspace(0.0, 1.0, 17)[:, None] * np.diff(knots)
    a, b, c, d = periodic_coefficients(knots, radii).T
    return np.asarray(a + way * (b + way * (c + way * d)))


def _looked_up(curve: Curve, x: Expression, y: Expression, best: Callable[[np.ndarray], np.ndarray]) -> Expression:
    """By a table of the parameters that are best in many directions."""
    z = np.linspace(0.0, TURN, 4 * LOOKS, endpoint=False)
    places = np.array([evaluate_all(list(curve.point(as_expression(value))), {}.__getitem__) for value in z])
    angles = np.linspace(-math.pi, math.pi, LOOKS + 1)
    chosen = best(places @ np.array([np.cos(angles), np.sin(angles)]))
    return table(atan2(y, x), angles.tolist(), np.unwrap(z[chosen]).tolist())


def outmost(along: np.ndarray) -> np.ndarray:
    """For each direction (column) the point that lies farthest along it."""
    return np.asarray(np.argmax(along, axis=0))


def nearest(along: np.ndarray) -> np.ndarray:
    """For each direction the point that is seen there: the least angle, by its cosine."""
    return outmost(along / np.linalg.norm(along, axis=1, keepdims=True))
