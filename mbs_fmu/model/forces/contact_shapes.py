"""Shapes of contacts: which surfaces a shape has on either side of a contact."""

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

Place = tuple[str, Vector, np.ndarray]  #: body, origin (m, body axes) and rotation (to body axes) of a frame
CAN_MEET = (
    "a plane meets points, mbs.Sphere, Capsule, Ring, Box and Cylinder; mbs.Sphere meets points, mbs.Sphere and "
    "Capsule; mbs.Box and mbs.Capsule meet points and mbs.Sphere"
)


@dataclass(frozen=True)
class Plane:
    """Plane for contacts: the body occupies the side to which the normal does not point.

    normal: "z", "-x" or three numbers, in the axes of the place `at`, a position (m, body axes) or a `Pose`, through
    which the plane passes. Raises ModelError for an invalid normal or place.
    """

    normal: Axis = "z"
    at: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        unit_axis(self.normal)
        placed(self.at, "at of a plane")

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return position (m) and rotation of the plane's own axes, z along the normal, to the axes of its body."""
        position, rotation = placed(self.at, "at of a plane")
        return position, rotation @ third_axis(unit_axis(self.normal))


BaseShape = Plane | Sphere | Capsule | Box  #: shapes on a


def within(place: Place, position: Sequence[Expression], rotation: np.ndarray | None = None) -> Place:
    """Return a frame given in a place's axes."""
    body, origin, turned = place
    moved = origin + Vector(Vector(row).dot(position) for row in turned)
    return body, moved, turned if rotation is None else turned @ rotation


def _ball(shape: Sphere, place: Place) -> list[Surface]:
    return [Ball(*place, shape.size[0])]


def _ends(shape: Capsule, place: Place) -> list[Surface]:
    """Return the balls at both ends, which a plane meets first (G2)."""
    r, length = shape.size
    return [Ball(*within(place, (ZERO, ZERO, side * length)), r) for side in (-0.5, 0.5)]


def _rod(shape: Capsule, place: Place) -> list[Surface]:
    r, length = shape.size
    return [Rod(*place, r, 0.5 * length)]


def _corners(shape: Box, place: Place) -> list[Surface]:
    """Return the eight vertices (G4)."""
    signs = itertools.product((-0.5, 0.5), repeat=3)
    return [Ball(*within(place, [s * edge for s, edge in zip(sign, shape.size, strict=True)]), ZERO) for sign in signs]


def _ring(shape: Ring, place: Place) -> list[Surface]:
    radius, bar = shape.size
    return [Rim(*place, radius, bar)]


def _rims(shape: Cylinder, place: Place) -> list[Surface]:
    """Return three points of each rim, the lowest and two at 120° from it (G5)."""
    r, length = shape.size
    angles = ((1.0, 0.0), (-0.5, math.sqrt(0.75)), (-0.5, -math.sqrt(0.75)))
    ends = [within(place, (ZERO, ZERO, side * length)) for side in (-0.5, 0.5)]
    return [Rim(*end, r, ZERO, *angle) for end in ends for angle in angles]


def _block(shape: Box, place: Place) -> list[Surface]:
    return [Block(*place, tuple(0.5 * edge for edge in shape.size))]


Surfaces = Callable[[Any, Place], list[Surface]]

ON_PLANES: dict[type[Shape], Surfaces] = {
    Sphere: _ball, Capsule: _ends, Box: _corners, Ring: _ring, Cylinder: _rims,
}  # fmt: skip
ON_SPHERES: dict[type[Shape], Surfaces] = {Sphere: _ball, Capsule: _rod}
ON_OTHERS: dict[type[Shape], Surfaces] = {Sphere: _ball}
BASES: dict[type, tuple[Surfaces, dict[type[Shape], Surfaces]]] = {
    Plane: (lambda shape, place: [HalfSpace(*place)], ON_PLANES),
    Sphere: (_ball, ON_SPHERES),
    Capsule: (_rod, ON_OTHERS),
    Box: (_block, ON_OTHERS),
}  #: by the shape on a: its surface, and those of the shapes on b that it can meet


def base(shape: Any, place: Place, thing: str) -> Surface:
    """Return the surface of the shape on a. Raises ModelError for a shape that has no surface on this side."""
    if type(shape) not in BASES:
        raise ModelError(f"{thing}: shape_a is {display(shape)}: give mbs.Plane, Sphere, Capsule or Box; {CAN_MEET}")
    surfaces, _ = BASES[type(shape)]
    return surfaces(shape, within(place, *shape.place()))[0]


def counterparts(shapes: Any, place: Place, shape_a: Any, thing: str) -> list[Surface]:
    """Return the surfaces of the shapes on b: None for a point, one shape or point, or a list of them.

    Raises ModelError for anything else and for shapes that cannot meet the shape on a, one of BASES.
    """
    if shapes is None:
        return [Ball(*place, ZERO)]
    is_point = is_list(shapes) and len(shapes) == 3 and not any(isinstance(x, Shape) or is_list(x) for x in shapes)
    items = list(shapes) if is_list(shapes) and not is_point else [shapes]
    if not items:
        raise ModelError(f"{thing} has no shape on b: give mbs.Sphere(...), a point or a list of such")
    _, meets = BASES[type(shape_a)]
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
    """Return the shape on a with a way to let another shape, which cannot be on b, meet it."""
    on_a = f"the {type(shape_a).__name__} on a"
    if type(shape_a) in BASES.get(type(item), (None, {}))[1]:
        return f"{on_a}: exchange a and b, with their shapes"
    if type(shape_a) is type(item) is Box:
        return f"{on_a}: give the vertices of one box as points, shape_b=[(x, y, z), ...]; {CAN_MEET}"
    return f"{on_a}: {CAN_MEET}"
