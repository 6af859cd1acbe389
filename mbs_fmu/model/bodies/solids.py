"""Homogeneous solids: mass, centre of mass, inertia and shape of a body, as arguments of `Model.body`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from ...infrastructure.errors import MissingError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...record.layout import INERTIA
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import Expression, is_literal
from ..geometry.axes import Axis
from ..geometry.poses import Placement
from ..geometry.vectors import Vector, length_of_parameters, no_less_than_zero, numbers
from .colors import ColorValue
from .shapes import Box, Cylinder, Line, Shape, Sphere

ORIGIN = (0.0, 0.0, 0.0)
SLENDER = 0.015  #: radius at which pictures draw a rod without a radius, relative to its length


@dataclass(frozen=True, eq=False)
class Solid(Mapping[str, Any]):
    """Inertial data and shape of a rigid body, as arguments: `m.body("arm", joint=..., **solid)`.

    Solids are added by `+`: the sum has the mass, centre of mass, inertia and shapes of both together.

    mass: kg. com: centre of mass, m, body axes. inertia: about the centre of mass, kg m², body axes, xx, xy, xz, yy,
    yz, zz. shape: shapes for pictures.
    """

    mass: Expression
    com: Vector
    inertia: Vector
    shape: tuple[Shape, ...]

    def __getitem__(self, argument: str) -> Any:
        if argument not in set(self):
            raise MissingError(f"a solid has no {display(argument)}: it has {listed(self)}")
        return getattr(self, argument)

    def __iter__(self) -> Iterator[str]:
        return (entry.name for entry in fields(self))

    def __len__(self) -> int:
        return len(fields(self))

    def __add__(self, other: Solid) -> Solid:
        if not isinstance(other, Solid):
            return NotImplemented
        mass = self.mass + other.mass
        com = (self.com * self.mass + other.com * other.mass) / mass
        moved = [part.inertia + _point_inertia(part.mass, part.com - com) for part in (self, other)]
        return Solid(mass, com, moved[0] + moved[1], self.shape + other.shape)


@with_clear_errors
def box(
    x: Quantity,
    y: Quantity,
    z: Quantity,
    *,
    mass: Quantity | None = None,
    density: Quantity | None = None,
    at: Placement = ORIGIN,
    color: ColorValue | None = None,
) -> Solid:
    """Return a box centred at `at`, with edges x, y, z (m) along the axes there.

    Either mass (kg) or density (kg/m³) is required. at: frame at its centre in body axes, a position (m) or a `Pose`.
    color: see `mbs.Box`. All numbers may be expressions of parameters. Raises ModelError for a length, mass or density
    that is not positive, and for both or neither of mass and density.
    """
    shape = Box(x, y, z, at=at, color=color)
    a, b, c = shape.size
    m = _mass(a * b * c, mass, density, "box")
    return _solid(shape, m, [m * (b * b + c * c) / 12.0, m * (a * a + c * c) / 12.0, m * (a * a + b * b) / 12.0])


@with_clear_errors
def sphere(
    r: Quantity,
    *,
    mass: Quantity | None = None,
    density: Quantity | None = None,
    at: Placement = ORIGIN,
    color: ColorValue | None = None,
) -> Solid:
    """Return a solid sphere of radius r (m) centred at `at`. For all other arguments see `box`."""
    shape = Sphere(r, at=at, color=color)
    (radius,) = shape.size
    m = _mass(radius * radius * radius * (4.0 / 3.0 * math.pi), mass, density, "sphere")
    return _solid(shape, m, [m * radius * radius * 0.4] * 3)


@with_clear_errors
def cylinder(
    r: Quantity,
    length: Quantity,
    axis: Axis = "z",
    *,
    mass: Quantity | None = None,
    density: Quantity | None = None,
    at: Placement = ORIGIN,
    color: ColorValue | None = None,
) -> Solid:
    """Return a solid cylinder of radius r and `length` (m) centred at `at`, along `axis`: "x", "-y" or three
    numbers.

    For all other arguments see `box`.
    """
    shape = Cylinder(r, length, axis, at=at, color=color)
    radius, along = shape.size
    m = _mass(radius * radius * along * math.pi, mass, density, "cylinder")
    return _solid(shape, m, _cylinder_moments(m, radius, along))


@with_clear_errors
def rod(
    end: Components,
    r: Quantity = 0.0,
    *,
    begin: Components = ORIGIN,
    mass: Quantity | None = None,
    density: Quantity | None = None,
    color: ColorValue | None = None,
) -> Solid:
    """Return a straight round rod of radius r (m) from `begin` to `end` (m, body axes).

    With r = 0 the rod is slender: it has no moment of inertia about its own axis, and requires a mass. For all other
    arguments see `box`. Raises ModelError also if begin and end coincide.
    """
    first, last = numbers(begin, 3, "begin of the rod", "m"), numbers(end, 3, "end of the rod", "m")
    radius = length_of_parameters(no_less_than_zero(r, "r of the rod", "m"), "r of the rod")
    slender = is_literal(radius, 0.0)
    length = length_of_parameters((last - first).norm(), "length of the rod")
    if is_literal(length) and not length.value > 0.0:
        raise ModelError(f"the rod has no length: its begin and its end are {list(last)}")
    if slender and mass is None:
        raise ModelError("a slender rod (r = 0) has no volume: give mass=, or a radius r")
    shape = Line([first, last], SLENDER * length if slender else radius, color=color)
    m = _mass(radius * radius * length * math.pi, mass, density, "rod")
    across, _, along = _cylinder_moments(m, radius, length)
    n = (last - first) / length
    inertia = Vector(across * float(i == j) + (along - across) * n[i] * n[j] for i, j in INERTIA)
    return Solid(m, (first + last) * 0.5, inertia, (shape,))


def _mass(volume: Expression, mass: Quantity | None, density: Quantity | None, what: str) -> Expression:
    """Return the mass, kg; volume: m³. Raises ModelError unless exactly one of mass and density is given."""
    if (mass is None) == (density is None):
        raise ModelError(f"{what}: give either mass= (kg) or density= (kg/m³)")
    if density is None:
        return no_less_than_zero(mass, f"mass of the {what}", "kg", positive=True)
    return no_less_than_zero(density, f"density of the {what}", "kg/m3", positive=True) * volume


def _cylinder_moments(m: Expression, radius: Expression, length: Expression) -> list[Expression]:
    """Return the principal moments of inertia of a solid cylinder along z, about its centre, kg m²."""
    square = radius * radius
    across = m * (3.0 * square + length * length) / 12.0
    return [across, across, m * square * 0.5]


def _solid(shape: Shape, m: Expression, moments: Sequence[Expression]) -> Solid:
    """Return a solid with principal moments of inertia (kg m²) about the axes of the shape's frame."""
    position, R = shape.place()
    inertia = Vector(
        sum((x * (a * b) for x, a, b in zip(moments, R[i], R[j], strict=True)), start=0.0) for i, j in INERTIA
    )
    return Solid(m, Vector(position), inertia, (shape,))


def _point_inertia(m: Expression, d: Vector) -> Vector:
    """Return the inertia of a point mass m (kg) at d (m) about the origin, kg m²: xx, xy, xz, yy, yz, zz."""
    return Vector(m * (d.dot(d) * float(i == j) - d[i] * d[j]) for i, j in INERTIA)
