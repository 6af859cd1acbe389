"""Shapes of contacts, and the surfaces that stand for a shape on side a or side b of a contact."""

from __future__ import annotations

import functools
import itertools
import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import ZERO, Expression, as_expression
from ...symbolic.polyhedra import Polyhedron
from ..bodies.hulls import hull, is_flat
from ..bodies.mesh_files import hull_vertices, read
from ..bodies.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Ring, Shape, Sphere
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.poses import placed
from ..geometry.vectors import Vector, entry, is_list, numbers
from ..roads import Cams, Cartesian, HeightField, Profile, Relief
from .contact_surfaces import Ball, Block, Drum, Egg, FarEnd, Ground, HalfSpace, Hull, Rim, Rod, Surface

log = logging.getLogger("mbs_fmu")

Place = tuple[str, Vector, np.ndarray]  #: frame on a body: the body's name, origin (m, body axes), rotation
Pair = tuple[Surface, Surface]  #: a surface on a and one on b, which can touch at one point
CAN_MEET = (
    "a plane on a meets points, mbs.Sphere, Ellipsoid, Capsule, Ring, Box, Cylinder and Mesh; mbs.Profile and "
    "mbs.HeightField on a meet points, mbs.Sphere, Capsule, Box, Cylinder and Mesh; mbs.Sphere, Capsule, Box, Cylinder "
    "and Mesh meet each other and points, in either order"
)
MOST_VERTICES = 64  #: of a mesh


@dataclass(frozen=True)
class Plane(Cartesian):
    """Plane that bounds a half-space, for contacts and as a road: the other body stays on the side of the normal.

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

    def relief(self, a: Expression, b: Expression) -> Relief:
        """Return height and slopes of the plane in its own axes, all zero."""
        return Relief(ZERO, ZERO, ZERO)

    def enveloped(self, cams: Cams) -> Plane:
        """Return the plane itself, on which the lowest point of a cam moves. Raises ModelError for no cams."""
        Cams.require(cams)
        return self


@dataclass(frozen=True)
class Points:
    """Points of a body that touch others, for contacts.

    points: list of positions, three numbers or expressions of parameters each, m, in the frame `at`. at: a position (m,
    body axes) or a `Pose`. Raises ModelError for anything else.
    """

    points: Any
    at: Any = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not is_list(self.points) or not len(self.points):
            raise ModelError(f"points are {display(self.points)}: give a list such as [(0, 0, 0), (1, 0, 0)]")
        self.corners()
        placed(self.at, "at of points")

    def corners(self) -> list[Vector]:
        """Return the points, m, in the frame `at`."""
        names = [entry("points", k, len(self.points)) for k in range(1, len(self.points) + 1)]
        return [numbers(point, 3, name, "m") for point, name in zip(self.points, names, strict=True)]

    def place(self) -> tuple[Vector, np.ndarray]:
        """Return the position of the frame, m, body axes, and the rotation from its axes to body axes."""
        return placed(self.at, "at of points")


BaseShape = Plane | Profile | HeightField | Sphere | Capsule | Box | Cylinder | Mesh | Points  #: shapes for side a


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
    return [Rim(*end, r, ZERO, *angle, 1.0) for end in ends for angle in angles]


def _ground(shape: Profile | HeightField, place: Place) -> list[Surface]:
    return [Ground(*place, shape)]


def _block(shape: Box, place: Place) -> list[Surface]:
    return [Block(*place, tuple(0.5 * edge for edge in shape.size))]


def _drum(shape: Cylinder, place: Place) -> list[Surface]:
    r, length = shape.size
    return [Drum(*place, r, 0.5 * length)]


def _egg(shape: Ellipsoid, place: Place) -> list[Surface]:
    return [Egg(*place, tuple(shape.size))]


def _dots(shape: Points, place: Place) -> list[Surface]:
    return [Ball(*within(place, point), ZERO) for point in shape.corners()]


def _vertices(shape: Mesh, place: Place) -> list[Surface]:
    """Return the vertices of the convex hull of a mesh (G4)."""
    vertices, _, _ = _outline(shape)
    return [Ball(*within(place, [as_expression(float(x)) for x in vertex]), ZERO) for vertex in vertices]


def _hull(shape: Mesh, place: Place) -> list[Surface]:
    """Return the convex hull of these vertices, about its centre. Raises ModelError if it is flat."""
    vertices, _, _ = _outline(shape)
    if is_flat(vertices):
        raise ModelError(
            f"mesh {shape.file.name} is flat, so that nothing can be inside of it: give it a thickness, or mbs.Box(...)"
        )
    center = 0.5 * (vertices.max(axis=0) + vertices.min(axis=0))
    polyhedron, width = _polyhedron((vertices - center).tobytes())
    return [Hull(*within(place, [as_expression(float(x)) for x in center]), polyhedron, as_expression(width))]


@functools.lru_cache(maxsize=256)
def _polyhedron(vertices: bytes) -> tuple[Polyhedron, float]:
    """Return the convex hull of vertices and its least width, m: one object for all contacts, which is traced once."""
    return hull(np.frombuffer(vertices).reshape(-1, 3))


def _outline(shape: Mesh) -> tuple[np.ndarray, int, float]:
    """Return vertices of the convex hull of a mesh, m, the farthest ones if they are many, and what `hull_vertices`
    returns beside them."""
    file = shape.file.resolve()
    changed = file.stat().st_mtime_ns if file.is_file() else 0
    return _outline_of(file, changed, tuple(shape.factors().tolist()))


@functools.lru_cache(maxsize=256)
def _outline_of(file: Path, changed: int, factors: tuple[float, ...]) -> tuple[np.ndarray, int, float]:
    points = np.concatenate([part.vertices for part in read(file)]) * factors
    return hull_vertices(points, MOST_VERTICES)


def _note_of_vertices(shape: Any) -> None:
    """Write a note in the log if contacts use only some vertices of the convex hull of a mesh."""
    if isinstance(shape, Mesh):
        vertices, count, lost = _outline(shape)
        if count > len(vertices):
            log.info(
                "mesh %s: contacts use %d of %d vertices of its convex hull, which lie up to %.2g m outside of the "
                "others", shape.file.name, len(vertices), count, lost,
            )  # fmt: skip


Surfaces = Callable[[Any, Place], list[Surface]]
Pairs = Callable[[Any, Place, Any, Place], list[Pair]]


def _each(on_a: Surfaces, on_b: Surfaces) -> Pairs:
    """Return the function that pairs the only surface of the shape on a with each surface of the shape on b."""

    def pairs(a: Any, place_a: Place, b: Any, place_b: Place) -> list[Pair]:
        (surface,) = on_a(a, place_a)
        return [(surface, other) for other in on_b(b, place_b)]

    return pairs


def _all(on_a: Surfaces, on_b: dict[type, Surfaces]) -> dict[type, Pairs]:
    return {shape: _each(on_a, surfaces) for shape, surfaces in on_b.items()}


def _rod_and_end(shape: Capsule, place: Place) -> list[Surface]:
    """Return a capsule, and its far end, on which it lies too if its axis is parallel to a face (G15) or axis (G9)."""
    r, length = shape.size
    return [*_rod(shape, place), FarEnd(*place, r, 0.5 * length)]


def _both(solid_a: Surfaces, vertices_a: Surfaces, solid_b: Surfaces, vertices_b: Surfaces) -> Pairs:
    """Return the function that pairs two solids with the vertices of each other (G18)."""

    def pairs(a: Any, place_a: Place, b: Any, place_b: Place) -> list[Pair]:
        (on_a,), (on_b,) = solid_a(a, place_a), solid_b(b, place_b)
        return [*((on_a, x) for x in vertices_b(b, place_b)), *((x, on_b) for x in vertices_a(a, place_a))]

    return pairs


def _exchanged(pairs: Pairs) -> Pairs:
    """Return the function of the same pairs of surfaces with a and b exchanged."""

    def other(a: Any, place_a: Place, b: Any, place_b: Place) -> list[Pair]:
        return [(y, x) for x, y in pairs(b, place_b, a, place_a)]

    return other


def _in_both_orders(meetings: dict[type, dict[type, Pairs]]) -> dict[type, dict[type, Pairs]]:
    """Return the table with entries for the other order too, unless the shape on a is a ground."""
    both = {a: dict(on_b) for a, on_b in meetings.items()}
    for a, on_b in meetings.items():
        for b, pairs in on_b.items():
            if a not in GROUNDS:
                both.setdefault(b, {}).setdefault(a, _exchanged(pairs))
    return both


GROUNDS = (Plane, Profile, HeightField)  #: shapes that are on side a only
VERTICES: dict[type, Surfaces] = {Points: _dots, Mesh: _vertices}  #: shapes of which only vertices touch a ground
#: Solids with flat faces, and their vertices, which touch the others.
SOLIDS: dict[type, tuple[Surfaces, Surfaces]] = {
    Box: (_block, _corners), Cylinder: (_drum, _rims), Mesh: (_hull, _vertices),
}  # fmt: skip
#: For each shape on a the shapes on b that it can meet, with the functions that return pairs of surfaces.
MEETINGS: dict[type, dict[type, Pairs]] = _in_both_orders({
    Plane: _all(
        lambda shape, place: [HalfSpace(*place)],
        {
            Sphere: _ball, Ellipsoid: _egg, Capsule: _ends, Box: _corners, Ring: _ring, Cylinder: _rims, **VERTICES,
        },
    ),
    **dict.fromkeys(
        (Profile, HeightField),
        _all(_ground, {Sphere: _ball, Capsule: _ends, Box: _corners, Cylinder: _rims, **VERTICES}),
    ),
    Sphere: _all(_ball, {Sphere: _ball, Capsule: _rod, Points: _dots}),
    Capsule: _all(_rod, {Points: _dots, Capsule: _rod_and_end}),
    **{
        a: _all(on_a[0], {Sphere: _ball, Capsule: _rod_and_end, Points: _dots})
        | {b: _each(_block, _block) if a is b is Box else _both(*on_a, *on_b) for b, on_b in SOLIDS.items()}
        for a, on_a in SOLIDS.items()
    },
})  # fmt: skip


def misses_crossed_edges(a: Any, b: Any) -> bool:
    """True if two shapes touch with vertices only, so that crossed edges pass through each other (G18)."""
    kinds = type(a), type(b)
    return set(kinds) <= set(SOLIDS) and kinds != (Box, Box)


def meeting(shape_a: Any, place_a: Place, shapes_b: Any, place_b: Place, thing: str) -> list[Pair]:
    """Return the surfaces on a and b that can touch, one pair for each contact point.

    shapes_b: a shape, a point (m, in `place_b`), a list of them, or None for the point at the origin of `place_b`.
    Raises ModelError for anything else, and for shapes that cannot meet.
    """
    if type(shape_a) not in MEETINGS:
        raise ModelError(
            f"{thing}: shape_a is {display(shape_a)}: give mbs.Plane, Profile, HeightField, Sphere, Capsule, Box, "
            f"Cylinder, Mesh or Points; {CAN_MEET}"
        )
    points: list[Pair] = []
    _note_of_vertices(shape_a)
    for shape in listed_shapes(shapes_b, thing):
        if type(shape) not in MEETINGS[type(shape_a)]:
            raise ModelError(f"{thing}: {display(shape)} can't meet {_remedy(shape_a, shape)}")
        pairs = MEETINGS[type(shape_a)][type(shape)]
        _note_of_vertices(shape)
        points += pairs(shape_a, within(place_a, *shape_a.place()), shape, within(place_b, *shape.place()))
    return points


def drawn(shape_a: Any, place_a: Place, shapes_b: Any, place_b: Place, thing: str) -> list[tuple[Place, Shape]]:
    """Return the shapes that pictures show, each with its frame on a body; arguments as of `meeting`."""
    placed_shapes = [(place_a, shape_a), *((place_b, shape) for shape in listed_shapes(shapes_b, thing))]
    return [(place, shape) for place, shape in placed_shapes if isinstance(shape, Shape)]


def listed_shapes(shapes: Any, thing: str) -> list[Any]:
    """Return the shapes on b as a list, in which points have become `Points`. Raises ModelError for an empty list."""
    if shapes is None:
        return [Points([(0.0, 0.0, 0.0)])]
    is_point = is_list(shapes) and len(shapes) == 3 and not any(hasattr(x, "place") or is_list(x) for x in shapes)
    items = list(shapes) if is_list(shapes) and not is_point else [shapes]
    if not items:
        raise ModelError(f"{thing} has no shape on b: give mbs.Sphere(...), a point or a list of such")
    names = [entry(f"point of {thing}", k, len(items)) for k in range(1, len(items) + 1)]
    return [
        Points([numbers(item, 3, name, "m")]) if is_list(item) else item
        for item, name in zip(items, names, strict=True)
    ]


def _remedy(shape_a: Any, item: Any) -> str:
    """Return the end of a message: the shape on a, which `item` cannot meet from b, and the remedy."""
    on_a = f"the {type(shape_a).__name__} on a"
    if type(shape_a) in MEETINGS.get(type(item), {}):
        return f"{on_a}: exchange a and b, with their shapes"
    return f"{on_a}: {CAN_MEET}"
