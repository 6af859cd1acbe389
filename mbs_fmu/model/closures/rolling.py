"""Wheels and balls that roll without slipping, and knife edges: conditions on the velocity of a contact point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import Expression, as_expression, is_literal
from ...symbolic.graph import leaves
from ..bodies.shapes import Shape, Sphere, wheel_shapes
from ..effects import Check
from ..geometry.axes import Axis, named, normals, third_axis, unit_axis
from ..geometry.poses import Pose
from ..geometry.vectors import Vector, length_of_parameters
from .closure import Pair
from .conditions import Conditions

FLAT = 1e-6  #: sine of the angle between a wheel's axis and its plane's normal below which the wheel lies flat


@dataclass(frozen=True)
class Rolling(Pair):
    """Wheel or ball of b that rolls on a plane of a without slipping (docs/equations_loops.md, L11).

    The plane contains a's point; `normal` points to the wheel's side. The wheel's centre is b's point, `axis` its axis
    there, `radius` (m) that of the rim, `crown` (m) that of a rounding centred on the rim: the centre of an upright
    wheel is at the height radius + crown. axis=None defines a ball.

    Three constraint rows: the contact point stays in the plane and has no velocity along two directions of it; the
    latter two constrain no position. `Model.close` raises ModelError for an invalid radius, crown or axis.
    """

    radius: Quantity
    axis: Axis | None = "y"
    normal: Axis = "z"
    crown: Quantity = 0.0

    def checked(self, thing: str) -> Rolling:
        radius = length_of_parameters(self.radius, f"radius of {thing}")
        crown = length_of_parameters(self.crown, f"crown of {thing}")
        if is_literal(radius) and not radius.value > 0.0:
            raise ModelError(f"radius of {thing} is {radius.value!r}: it must be positive")
        if is_literal(crown) and crown.value < 0.0:
            raise ModelError(f"crown of {thing} is {crown.value!r}: it must not be negative")
        if self.axis is None and not is_literal(crown, 0.0):
            raise ModelError(f"{thing}: a ball has no crown: give the radius alone, or the wheel's axis")
        unit_axis(self.normal)
        if self.axis is not None:
            unit_axis(self.axis)
        return replace(self, radius=radius, crown=crown)

    @property
    def shapes(self) -> Sequence[Shape]:
        radius = as_expression(self.radius)
        if self.axis is None:
            return (Sphere(radius),)
        return wheel_shapes(radius, 0.12 * radius, Pose(rotation=third_axis(unit_axis(self.axis))))

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        return self._conditions(thing, touching=False)

    def touching(self, frame: int | None, thing: str) -> Conditions:
        """Return the contact condition: the plane supports the wheel, which may slip."""
        return self._conditions(thing, touching=True)

    def _conditions(self, thing: str, touching: bool) -> Conditions:
        conditions = Conditions()
        normal = np.array(unit_axis(self.normal))
        k, centre, radius = conditions.vector(0, normal), conditions.vector(1, None), as_expression(self.radius)
        if self.axis is None:
            height, contact = radius, centre - k * radius
        else:
            down, size = _down(conditions, k, self.axis)
            crown = as_expression(self.crown)
            height, contact = radius * size + crown, centre - down * (radius / size) - k * crown
            lies = f"{thing}: the wheel lies flat on its plane, where no point of its rim touches: start it upright"
            conditions.checks.append((size - FLAT, lies))
        conditions.add(conditions.gap().dot(k) - height, f"translation along {named(normal)}", "m")
        if touching:
            return conditions
        slip = conditions.velocity(1, contact) - conditions.velocity(0, contact)
        for along in normals(normal):
            conditions.add_in_rates(slip.dot(conditions.vector(0, along)), f"slip along {named(along)}", "m")
        return conditions

    def parameter_checks(self, thing: str) -> list[Check]:
        """Return the check of a radius that depends on parameters."""
        radius = as_expression(self.radius)
        names = ", ".join(repr(r.name) for r in leaves([radius]))
        return [(radius, f"radius of {thing} must be positive: change parameter {names}")] if names else []


@dataclass(frozen=True)
class KnifeEdge(Pair):
    """Knife edge: b's point does not move along `axis` of the frame on b relative to a; other motions are free.

    Raises ModelError for an invalid axis.
    """

    axis: Axis = "y"

    def __post_init__(self) -> None:
        unit_axis(self.axis)

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        conditions = Conditions()
        across = np.array(unit_axis(self.axis))
        slip = conditions.rates(1, None) - conditions.velocity(0, conditions.vector(1, None))
        conditions.add_in_rates(slip.dot(conditions.vector(1, across)), f"slip along {named(across)}", "m")
        return conditions


def _down(conditions: Conditions, normal: Vector, axis: Axis) -> tuple[Vector, Expression]:
    """Return the component of the plane's normal in the plane of the wheel, and its length."""
    n = conditions.vector(1, np.array(unit_axis(axis)))
    down = normal - n * normal.dot(n)
    return down, down.norm()
