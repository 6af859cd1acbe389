"""Points guided along plane curves and curves in contact: cams with followers, pins in grooves."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression, as_expression, is_literal
from ..effects import Check
from ..geometry.axes import unit_axis
from ..geometry.vectors import Vector, length_of_parameters
from .closure import Pair
from .conditions import Conditions, ContactParameter
from .plane_curves import Curve, known_curve
from .tangency import slope

MOST_TILT = 1e-6  #: sin² of the largest angle between the axes of curves whose planes count as parallel


@dataclass(frozen=True)
class Feet:
    """A curve of a and a point, roller or curve of b, at the foot points: the points that are nearest to each other.

    Everything is in the symbols of `conditions`, which have a contact parameter for each curve, and the gap (m) as
    their only row. normal: unit vector from a to b, world axes. point: foot point on b, m, world axes.
    """

    conditions: Conditions
    normal: Vector
    point: Vector


class CurvePair(Pair):
    """Pair with a curve of a, which can also be that of a compliant contact."""

    @property
    @abstractmethod
    def foot_units(self) -> Sequence[str]:
        """Units of the contact parameters of all curves."""

    @property
    @abstractmethod
    def widths(self) -> tuple[Expression | None, Expression | None]:
        """Least widths of the curve of a and of what meets it, m; None for a point and for a flat face."""

    @abstractmethod
    def feet(self, thing: str) -> Feet:
        """Return the geometry at the foot points; thing: name of the contact in messages."""


@dataclass(frozen=True)
class OnCurve(CurvePair):
    """The point of b stays on a curve fixed in a, placed at a's point (docs/equations_loops.md, L17).

    curve: `mbs.Circle`, `mbs.Ellipse`, `mbs.Polar`, `mbs.Spline` or `mbs.Flat`. radius: radius (m) of a roller about
    b's point that touches the curve from outside; where the curve is concave, its curvature must be smaller than the
    roller's. inside: the roller touches from inside, as in a ring. The point is free along the curve's axis: it stays
    on a cylinder with the curve as its cross-section.

    A spline curve or a roller requires a contact parameter for the point of contact, which is a state of the model.
    """

    curve: Curve
    radius: Quantity = 0.0
    inside: bool = False

    @property
    def contacts(self) -> int:
        return int(not is_literal(self.radius, 0.0) or not self.curve.has_level)

    @property
    def contact_units(self) -> tuple[str, ...]:
        return self.foot_units if self.contacts else ()

    @property
    def foot_units(self) -> tuple[str, ...]:
        return (self.curve.unit,)

    @property
    def widths(self) -> tuple[Expression | None, Expression | None]:
        radius = as_expression(self.radius)
        return self.curve.width, None if is_literal(radius, 0.0) else 2.0 * radius

    def checked(self, thing: str) -> OnCurve:
        truth(self.inside, f"inside of {thing}", ModelError)
        radius = length_of_parameters(self.radius, f"radius of the roller of {thing}")
        if is_literal(radius) and radius.value < 0.0:
            raise ModelError(f"radius of the roller of {thing} is {radius.value!r}: it must not be negative")
        return replace(self, curve=known_curve(self.curve, thing), radius=radius)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        if self.contacts:
            return self.feet(thing).conditions
        out = Conditions()
        x, y = self._place(out)
        out.add(self._side * self.curve.level(x, y), "distance from the curve", "m")
        if self.curve.is_closed:
            central = f"{thing}: the point lies at the origin of its curve, where g has no gradient: start elsewhere"
            out.checks.append((x * x + y * y, central))
        return out

    def feet(self, thing: str) -> Feet:
        out = Conditions()
        place = self._place(out)
        one = _Contact(out, 0, self.curve, 0)
        offset = out.vector(1, None) - one.point
        tangency = one.tangent.dot(offset)
        out.add_contact(tangency, self.curve.seen(*place))
        out.add(self._side * one.normal.dot(offset) - self.radius, "distance from the curve", "m")
        too_concave = f"{thing}: the curve is too concave at the contact: give a smaller roller, or start elsewhere"
        out.checks.append((-_derivative(tangency, 0), too_concave))
        normal = one.normal * self._side
        return Feet(out, normal, out.vector(1, None) - normal * self.radius)

    @property
    def _side(self) -> float:
        return -1.0 if self.inside else 1.0

    def _place(self, out: Conditions) -> list[Expression]:
        """Return the coordinates of the point of b in the plane of the curve, m."""
        return [out.gap().dot(out.vector(0, direction)) for direction in self.curve.directions]

    def parameter_checks(self, thing: str) -> list[Check]:
        return list(self.curve.parameter_checks(thing))


@dataclass(frozen=True)
class CurveOnCurve(CurvePair):
    """Two curves, fixed in a and b, touch from outside and slide on each other (docs/equations_loops.md, L18).

    one, two: `mbs.Circle`, `mbs.Ellipse`, `mbs.Polar`, `mbs.Spline` or `mbs.Flat`, placed at the points of a and b.
    Other joints must keep the planes parallel. At the contact both curves are convex, or one is concave and the other
    has the larger curvature. inside: the second curve lies inside the first, as a disc in a ring, and has the larger
    curvature at the contact. The contact parameters of both curves are states of the model. The contact is
    frictionless: the curves slide on each other.
    """

    one: Curve
    two: Curve
    inside: bool = False
    contacts = 2  # type: ignore[assignment]

    @property
    def contact_units(self) -> tuple[str, ...]:
        return self.foot_units

    @property
    def foot_units(self) -> tuple[str, ...]:
        return self.one.unit, self.two.unit

    @property
    def widths(self) -> tuple[Expression | None, Expression | None]:
        return self.one.width, self.two.width

    def checked(self, thing: str) -> CurveOnCurve:
        truth(self.inside, f"inside of {thing}", ModelError)
        one, two = known_curve(self.one, thing), known_curve(self.two, thing)
        if not (one.is_closed or two.is_closed):
            raise ModelError(f"{thing}: two flat faces do not touch at one point: use mbs.OnPlane, or another curve")
        return replace(self, one=one, two=two)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        return self.feet(thing).conditions

    def feet(self, thing: str) -> Feet:
        out = Conditions()
        one, two = _Contact(out, 0, self.one, 0), _Contact(out, 1, self.two, 1)
        offset = two.point - one.point
        tangencies = one.tangent.dot(offset), one.normal.dot(two.tangent)
        out.add_contact(tangencies[0], one.curve.facing(*one.in_plane(out.gap())))
        side = -1.0 if self.inside else 1.0
        out.add_contact(tangencies[1], two.curve.facing(*two.in_plane(-side * out.gap())))
        out.add(side * one.normal.dot(offset), "distance between the curves", "m")
        (a, b), (c, d) = ([_derivative(tangency, k) for k in range(2)] for tangency in tangencies)
        reason = "the inner curve is not more curved than the outer one" if self.inside else "one curve is too concave"
        misfit = f"{thing}: {reason} where they touch: start elsewhere, or give other curves"
        out.checks.append((side * (b * c - a * d), misfit))  # (L18): the sign of κ_1 + κ_2
        cross = one.axis.cross(two.axis)
        tilted = f"{thing}: the planes of the two curves are not parallel: turn them by axis=, or by at_a and at_b"
        out.checks.append((MOST_TILT - cross.dot(cross), tilted))
        return Feet(out, one.normal * side, two.point)

    def parameter_checks(self, thing: str) -> list[Check]:
        return [*self.one.parameter_checks(thing), *self.two.parameter_checks(thing)]


class _Contact:
    """Point of contact on one side's curve, in world axes: position, tangent (derivative with respect to the contact
    parameter), outward unit normal."""

    def __init__(self, out: Conditions, side: int, curve: Curve, k: int):
        self.curve, z = curve, out.contact(k)
        self.axes = [out.vector(side, direction) for direction in curve.directions]
        self.axis = out.vector(side, np.array(unit_axis(curve.axis)))
        x, y = curve.point(z)
        dx, dy = _derivative(x, k), _derivative(y, k)
        self.point = out.vector(side, None) + self._in_world(x, y)
        self.tangent = self._in_world(dx, dy)
        length = (dx * dx + dy * dy) ** 0.5
        self.normal = self._in_world(dy / length, -dx / length)

    def _in_world(self, x: Expression, y: Expression) -> Vector:
        return self.axes[0] * x + self.axes[1] * y

    def in_plane(self, vector: Vector) -> tuple[Expression, Expression]:
        """Return a vector's components in the plane of the curve."""
        return vector.dot(self.axes[0]), vector.dot(self.axes[1])


def _derivative(expression: Expression, k: int) -> Expression:
    """Return the derivative of an expression with respect to contact parameter k."""
    return slope(expression, ContactParameter(k))
