"""Shapes of contacts, and the surfaces that stand for a shape on side a or side b of a contact."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import ZERO, Expression
from ..bodies.shapes import Box, Capsule, Cylinder, Ring, Shape, Sphere
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.poses import placed
from ..geometry.vectors import Vector, entry, is_list, numbers
from .contact_gaps import Ball, Block, HalfSpace, Rim, Rod, Surface

Place = tuple[str, Vector, np.ndarray]  #: frame on a body: the body's name, origin (m, body axes), rotation
CAN_MEET = (
    "a plane meets points, mbs.Sphere, Capsule, Ring, Box and Cylinder; mbs.Sphere meets points, mbs.Sphere and "
    "Capsule; mbs.Box and mbs.Capsule meet points and mbs.Sphere"
)


@dataclass(frozen=True)
class Plane:
    """Plane that bounds a half-space, for contacts: the other body stays on the side to which the normal points.

    normal: direction in the frame `at`, such as "z" or "-x", or three numbers. at: a frame through whose origin the
    plane passes, a position (m, body axes) or a `Pose`. Raises ModelError for an invalid normal or frame.
    """

    normal: Axis = "z"
    at: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        unit_axis(self.normal)
        placed(self.at, "at of a plane")

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the plane, m, body axes, and the rotation from its own axes to body axes.

        The own axis z is the normal.
        """
        position, rotation = placed(self.at, "at of a plane")
        return position, rotation @ third_axis(unit_axis(self.normal))


BaseShape = Plane | Sphere | Capsule | Box  #: shapes for side a


def within(place: Place, position: Sequence[Expression], rotation: np.ndarray | None = None) -> Place:
    """Return the place of a frame whose position (m) and rotation are given in another place.

    Without a rotation, its axes are those of the other place.
    """
    body, origin, turned = place
    moved = origin + Vector(Vector(row).dot(position) for row in turned)
    return body, moved, turned if rotation is None else turned @ rotation


# Functions that return the surfaces of a shape; place: the frame of the shape.


def _ball(shape: Sphere, place: Place) -> list[Surface]:
    return [Ball(*place, shape.size[0])]


def _ends(shape: Capsule, place: Place) -> list[Surface]:
    """Return the end balls of a capsule, which a plane meets before the cylinder (G2)."""
    r, length = shape.size
    return [Ball(*within(place, (ZERO, ZERO, side * length)), r) for side in (-0.5, 0.5)]


def _rod(shape: Capsule, place: Place) -> list[Surface]:
    r, length = shape.size
    return [Rod(*place, r, 0.5 * length)]


def _corners(shape: Box, place: Place) -> list[Surface]:
    """Return the vertices of a box as balls of radius zero (G4)."""
    signs = itertools.product((-0.5, 0.5), repeat=3)
    return [Ball(*within(place, [s * edge for s, edge in zip(sign, shape.size, strict=True)]), ZERO) for sign in signs]


def _ring(shape: Ring, place: Place) -> list[Surface]:
    radius, bar = shape.size
    return [Rim(*place, radius, bar)]


def _rims(shape: Cylinder, place: Place) -> list[Surface]:
    """Return three places of each rim of a cylinder, the lowest and two at 120° from it (G5)."""
    r, length = shape.size
    angles = ((1.0, 0.0), (-0.5, math.sqrt(0.75)), (-0.5, -math.sqrt(0.75)))
    ends = [within(place, (ZERO, ZERO, side * length)) for side in (-0.5, 0.5)]
    return [Rim(*end, r, ZERO, *angle) for end in ends for angle in angles]


def _block(shape: Box, place: Place) -> list[Surface]:
    return [Block(*place, tuple(0.5 * edge for edge in shape.size))]


Surfaces = Callable[[Any, Place], list[Surface]]

#: Shapes on b that a plane, a sphere, and other shapes on a can meet, with the functions that return their surfaces.
ON_PLANES: dict[type[Shape], Surfaces] = {
    Sphere: _ball, Capsule: _ends, Box: _corners, Ring: _ring, Cylinder: _rims,
}  # fmt: skip
ON_SPHERES: dict[type[Shape], Surfaces] = {Sphere: _ball, Capsule: _rod}
ON_OTHERS: dict[type[Shape], Surfaces] = {Sphere: _ball}
SHAPES_ON_A: dict[type, tuple[Surfaces, dict[type[Shape], Surfaces]]] = {
    Plane: (lambda shape, place: [HalfSpace(*place)], ON_PLANES),
    Sphere: (_ball, ON_SPHERES),
    Capsule: (_rod, ON_OTHERS),
    Box: (_block, ON_OTHERS),
}  #: for each shape on a the function that returns its surface, and the shapes on b that it can meet


def surface_on_a(shape: Any, place: Place, thing: str) -> Surface:
    """Return the surface of the shape on a, whose frame is given in `place`. Raises ModelError for other shapes."""
    if type(shape) not in SHAPES_ON_A:
        raise ModelError(f"{thing}: shape_a is {display(shape)}: give mbs.Plane, Sphere, Capsule or Box; {CAN_MEET}")
    surfaces, _ = SHAPES_ON_A[type(shape)]
    return surfaces(shape, within(place, *shape.place()))[0]


def surfaces_on_b(shapes: Any, place: Place, shape_a: Any, thing: str) -> list[Surface]:
    """Return the surfaces of the shapes on b, one for each contact point.

    shapes: a shape, a point (m, in `place`), a list of them, or None for the point at the origin of `place`. shape_a:
    the shape on a, of one of SHAPES_ON_A. Raises ModelError for anything else and for shapes that cannot meet it.
    """
    if shapes is None:
        return [Ball(*place, ZERO)]
    is_point = is_list(shapes) and len(shapes) == 3 and not any(isinstance(x, Shape) or is_list(x) for x in shapes)
    items = list(shapes) if is_list(shapes) and not is_point else [shapes]
    if not items:
        raise ModelError(f"{thing} has no shape on b: give mbs.Sphere(...), a point or a list of such")
    _, meets = SHAPES_ON_A[type(shape_a)]
    found: list[Surface] = []
    for k, item in enumerate(items, start=1):
        if is_list(item):
            at = numbers(item, 3, entry(f"point of {thing}", k, len(items)), "m")
            found.append(Ball(*within(place, at), ZERO))
        elif type(item) in meets:
            found += meets[type(item)](item, within(place, *item.place()))
        else:
            raise ModelError(f"{thing}: {display(item)} can't meet {_remedy(shape_a, item)}")
    return found


def _remedy(shape_a: Any, item: Any) -> str:
    """Return the end of a message: the shape on a, which `item` cannot meet from b, and the remedy."""
    on_a = f"the {type(shape_a).__name__} on a"
    if type(shape_a) in SHAPES_ON_A.get(type(item), (None, {}))[1]:
        return f"{on_a}: exchange a and b, with their shapes"
    if type(shape_a) is type(item) is Box:
        return f"{on_a}: give the vertices of one box as points, shape_b=[(x, y, z), ...]; {CAN_MEET}"
    return f"{on_a}: {CAN_MEET}"
