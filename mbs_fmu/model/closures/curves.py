"""Points guided along plane curves and curves in contact: cams with followers, pins in grooves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression, is_literal
from ...symbolic.graph import derivative
from ..effects import Check
from ..geometry.axes import unit_axis
from ..geometry.vectors import Vector, length_of_parameters
from .closure import Pair
from .conditions import Conditions, ContactParameter
from .plane_curves import Curve, known_curve

TILT = 1e-6  #: square of the sine of the angle between the curves' axes; above it their planes count as not parallel


@dataclass(frozen=True)
class OnCurve(Pair):
    """The point of b stays on a curve fixed in a, placed at a's point (docs/equations_loops.md, L17).

    curve: `mbs.Circle`, `mbs.Ellipse`, `mbs.Polar`, `mbs.Spline` or `mbs.Flat`. radius: radius (m) of a roller about
    b's point that touches the curve from outside; the curve may be concave at the contact if it is less curved than the
    roller. inside: the roller touches from inside, as in a ring. The point is free along the curve's axis, as on a
    cylinder with the curve as its section.

    A spline curve or a roller requires a contact parameter for the point of contact, which is a state of the model.
    """

    curve: Any
    radius: Any = 0.0
    inside: bool = False

    @property
    def contacts(self) -> int:
        return int(not is_literal(self.radius, 0.0) or not self.curve.has_level)

    @property
    def contact_units(self) -> tuple[str, ...]:
        return (self.curve.unit,) * self.contacts

    def checked(self, thing: str) -> OnCurve:
        radius = length_of_parameters(self.radius, f"radius of the roller of {thing}")
        if is_literal(radius) and radius.value < 0.0:
            raise ModelError(f"radius of the roller of {thing} is {radius.value!r}: it must not be negative")
        return replace(self, curve=known_curve(self.curve, thing), radius=radius)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        out = Conditions()
        side = -1.0 if self.inside else 1.0
        x, y = (out.gap().dot(out.vector(0, direction)) for direction in self.curve.directions)
        if not self.contacts:
            out.add(side * self.curve.level(x, y), "distance from the curve", "m")
            if not self.curve.is_closed:
                return out
            middle = f"{thing}: the point lies at the origin of its curve, which no direction leads to: start elsewhere"
            out.checks.append((x * x + y * y, middle))
            return out
        one = _Contact(out, 0, self.curve, 0)
        apart = out.vector(1, None) - one.point
        tangency = one.tangent.dot(apart)
        out.add_contact(tangency, self.curve.seen(x, y))
        out.add(side * one.normal.dot(apart) - self.radius, "distance from the curve", "m")
        hollow = f"{thing}: the curve is too concave at the contact: give a smaller roller, or start elsewhere"
        out.checks.append((-_slope(tangency, 0), hollow))
        return out

    def parameter_checks(self, thing: str) -> list[Check]:
        return list(self.curve.parameter_checks(thing))


@dataclass(frozen=True)
class CurveOnCurve(Pair):
    """Two curves, fixed in a and b, touch from outside and slide on each other (docs/equations_loops.md, L18).

    one, two: `mbs.Circle`, `mbs.Ellipse`, `mbs.Polar`, `mbs.Spline` or `mbs.Flat`, placed at the points of a and b. The
    planes must stay parallel, which other joints must ensure. At the contact both curves are convex, or one is concave
    and the other has the larger curvature. inside: two lies inside one, as a disc in a ring, and has the larger
    curvature at the contact. The points of contact are two states of the model, the curves' parameters. There is no
    friction and no rolling.
    """

    one: Any
    two: Any
    inside: bool = False
    contacts = 2  # type: ignore[assignment]

    @property
    def contact_units(self) -> tuple[str, ...]:
        return self.one.unit, self.two.unit

    def checked(self, thing: str) -> CurveOnCurve:
        one, two = known_curve(self.one, thing), known_curve(self.two, thing)
        if not (one.is_closed or two.is_closed):
            raise ModelError(f"{thing}: two flat faces touch in no single point: use mbs.OnPlane, or another curve")
        return replace(self, one=one, two=two)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        out = Conditions()
        one, two = _Contact(out, 0, self.one, 0), _Contact(out, 1, self.two, 1)
        apart = two.point - one.point
        tangencies = one.tangent.dot(apart), one.normal.dot(two.tangent)
        out.add_contact(tangencies[0], one.curve.facing(*one.seen(out.gap())))
        side = -1.0 if self.inside else 1.0
        out.add_contact(tangencies[1], two.curve.facing(*two.seen(-side * out.gap())))
        out.add(side * one.normal.dot(apart), "distance of the curves", "m")
        (a, b), (c, d) = ([_slope(tangency, k) for k in range(2)] for tangency in tangencies)
        shape = "inner curve is not curved more than the outer one" if self.inside else "curves are not convex"
        convex = f"{thing}: the {shape} where they touch: start elsewhere, or give other curves"
        out.checks.append((side * (b * c - a * d), convex))
        across = one.axis.cross(two.axis)
        tilted = f"{thing}: the planes of the two curves are not parallel: turn them by axis=, or by at_a and at_b"
        out.checks.append((TILT - across.dot(across), tilted))
        return out

    def parameter_checks(self, thing: str) -> list[Check]:
        return [*self.one.parameter_checks(thing), *self.two.parameter_checks(thing)]


class _Contact:
    """A curve of one side at its contact parameter: point, tangent (derivative by the parameter), outward unit
    normal."""

    def __init__(self, out: Conditions, side: int, curve: Curve, k: int):
        self.curve, z = curve, out.contact(k)
        self.axes = [out.vector(side, direction) for direction in curve.directions]
        self.axis = out.vector(side, np.array(unit_axis(curve.axis)))
        x, y = curve.point(z)
        along, across = _slope(x, k), _slope(y, k)
        self.point = out.vector(side, None) + self._in_world(x, y)
        self.tangent = self._in_world(along, across)
        length = (along * along + across * across) ** 0.5
        self.normal = self._in_world(across / length, -along / length)

    def _in_world(self, x: Expression, y: Expression) -> Vector:
        return self.axes[0] * x + self.axes[1] * y

    def seen(self, vector: Vector) -> tuple[Expression, Expression]:
        """Return a vector's components in the plane of the curve."""
        return vector.dot(self.axes[0]), vector.dot(self.axes[1])


def _slope(expression: Expression, k: int) -> Expression:
    """Return the derivative of an expression by contact parameter k."""
    return derivative([expression], lambda reference: as_expression(float(reference == ContactParameter(k))))[0]
