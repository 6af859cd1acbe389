"""Shapes of bodies in pictures and contacts: solids, meshes and lines. They do not determine masses or inertias."""

from __future__ import annotations

import os
from abc import ABC
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import Expression, is_literal
from ...symbolic.rotations import entries_of
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.poses import Placement, Pose, placed
from ..geometry.vectors import Vector, entry, is_list, length_of_parameters, number_array, numbers
from .colors import Color, ColorValue, color


@dataclass(frozen=True)
class Shape(ABC):
    """Base class of the shapes of a body.

    at: frame of the shape, a position (m, body axes) or a `Pose` in the body frame. color: a name such as "steelblue",
    a code such as "#4682b4" or "#4682b480", or three to four numbers from 0 to 1, of which the fourth is the opacity;
    by default the colour of the body. Lengths, in m, may be expressions of parameters.

    Raises ModelError for lengths that are not positive and for an invalid colour or frame.
    """

    at: Placement = field(default=(0.0, 0.0, 0.0), kw_only=True)
    color: ColorValue | None = field(default=None, kw_only=True)
    kind: ClassVar[str]  #: name in messages and in pages of view/
    lengths: ClassVar[tuple[str, ...]] = ()  #: names of the fields that are lengths, m

    def __post_init__(self) -> None:
        self.place()
        self.rgba()
        for name, length in zip(self.lengths, self.size, strict=True):
            if is_literal(length) and not length.value > 0.0:
                raise ModelError(f"{name} of {self.title} is {length.value!r}: it must be positive")

    @property
    def title(self) -> str:
        """Name of the kind in messages, with its article."""
        return f"{'an' if self.kind[0] in 'aeiou' else 'a'} {self.kind}"

    @property
    def size(self) -> list[Expression]:
        """Lengths of the shape, m, in the order of `lengths`."""
        return [length_of_parameters(getattr(self, name), f"{name} of {self.title}") for name in self.lengths]

    def place(self) -> tuple[list[Expression], np.ndarray]:
        """Return the position of the shape, m, body axes, and the rotation from its own axes to body axes.

        The own axis z is that of rotational symmetry, for shapes that have one.
        """
        position, rotation = placed(self.at, f"at of {self.title}")
        return list(position), rotation @ third_axis(unit_axis(getattr(self, "axis", "z")))

    def rgba(self) -> Color | None:
        """Return red, green, blue and opacity, from 0 to 1; None for the colour of the body."""
        return None if self.color is None else color(self.color, f"color of {self.title}")

    def within(self, at: Vector, rotation: np.ndarray) -> Self:
        """Return the shape placed in an outer frame, where its body frame has the position `at` (m) and `rotation`."""
        position, turned = placed(self.at, "at")
        moved = at + Vector(Vector(row).dot(position) for row in rotation)
        return replace(self, at=Pose(moved, rotation @ turned))

    @property
    def expressions(self) -> list[Expression]:
        """All expressions of the shape that may depend on parameters."""
        position, rotation = self.place()
        return [*position, *entries_of(rotation), *self.size]


@dataclass(frozen=True)
class Box(Shape):
    """Box centred at `at`, with edges of lengths x, y and z (m) along the axes of its frame."""

    x: Quantity
    y: Quantity
    z: Quantity
    kind = "box"
    lengths = ("x", "y", "z")


@dataclass(frozen=True)
class Sphere(Shape):
    """Sphere of radius r (m) centred at `at`."""

    r: Quantity
    kind = "sphere"
    lengths = ("r",)


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """Ellipsoid with the semi-axes a, b and c (m) along the axes of its frame, centred at `at`."""

    a: Quantity
    b: Quantity
    c: Quantity
    kind = "ellipsoid"
    lengths = ("a", "b", "c")


@dataclass(frozen=True)
class Cylinder(Shape):
    """Cylinder of radius r and `length` (m), centred at `at`.

    axis: direction of its axis in its frame, such as "x" or "-y", or three numbers.
    """

    r: Quantity
    length: Quantity
    axis: Axis = "z"
    kind = "cylinder"
    lengths = ("r", "length")


@dataclass(frozen=True)
class Capsule(Shape):
    """Cylinder of radius r (m) with a hemisphere at each end, centred at `at`.

    length: that of the cylindrical part, m. axis: as of `Cylinder`.
    """

    r: Quantity
    length: Quantity
    axis: Axis = "z"
    kind = "capsule"
    lengths = ("r", "length")


@dataclass(frozen=True)
class Ring(Shape):
    """Torus: a round bar of radius r (m) along a circle of `radius` (m), centred at `at`.

    axis: normal of the circle; as of `Cylinder`.
    """

    radius: Quantity
    r: Quantity
    axis: Axis = "z"
    kind = "ring"
    lengths = ("radius", "r")


@dataclass(frozen=True)
class Line(Shape):
    """Round bar of radius r (m) through two or more points (m, in its frame)."""

    points: Sequence[Components] | np.ndarray
    r: Quantity
    kind = "line"
    lengths = ("r",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_list(self.points) or len(self.points) < 2:
            raise ModelError(
                f"points of a line are {display(self.points)}: give two or more, such as [(0, 0, 0), (1, 0, 0)]"
            )
        self.corners()

    def corners(self) -> list[list[Expression]]:
        """Return the points, m, in the frame of the line."""
        names = [entry("points of a line", k, len(self.points)) for k in range(1, len(self.points) + 1)]
        return [
            [length_of_parameters(x, name) for x in numbers(point, 3, name, "m")]
            for point, name in zip(self.points, names, strict=True)
        ]

    @property
    def expressions(self) -> list[Expression]:
        return [*super().expressions, *(x for point in self.corners() for x in point)]


@dataclass(frozen=True)
class Mesh(Shape):
    """Triangle mesh from a file: STL, OBJ, MSH of MuJoCo; with the extra `view`, those of trimesh (Collada, PLY, glTF).

    path: the file, which is read when a picture is made. scale: metres per unit of the file, one number or one for each
    axis. Raises ModelError for anything else, and for a scale that is zero or not finite.
    """

    path: str | os.PathLike[str]
    scale: float | Sequence[float] | np.ndarray = 1.0
    kind = "mesh"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.path, (str, os.PathLike)):
            raise ModelError(f"path of a mesh is {display(self.path)}: give the name of a file")
        self.factors()

    @property
    def file(self) -> Path:
        """Path of the file."""
        return Path(self.path)

    def factors(self) -> np.ndarray:
        """Return metres per unit of the file along each axis, (3,). Raises ModelError for an invalid scale."""
        scale = number_array(self.scale, "scale of a mesh")
        if scale.shape not in ((), (3,)) or not np.isfinite(scale).all() or not scale.all():
            raise ModelError(f"scale of a mesh is {display(self.scale)}: give one number or three, none of them zero")
        return np.broadcast_to(scale, (3,))


@dataclass(frozen=True, eq=False)
class ConnectingLine:
    """Straight line in pictures that stands for a force or a closure between two bodies.

    kind: "rod" or "spring". a, b: names of the bodies. at_a, at_b: the points that it connects, m, body axes. radius:
    m, of the line; by default it suits the bodies, or it is thin, as that of a rope.
    """

    kind: str
    a: str
    at_a: Vector
    b: str
    at_b: Vector
    radius: Expression | None = None
    thin: bool = False


def wheel_shapes(radius: Expression, width: Expression, at: Pose, inside: bool = False) -> tuple[Shape, ...]:
    """Return a disk about the z axis of the frame `at`, with a mark that shows its rotation; a ring if `inside`.

    radius, width: m. inside: the teeth are on the inner side, as on the ring gear of a planetary gear.
    """
    if inside:
        return (Ring(radius, 0.3 * width, at=at),)
    mark = Line([(0.0, 0.0, 0.0), (0.94 * radius, 0.0, 0.0)], 0.52 * width, at=at, color="#3a4048")
    return Cylinder(radius, width, at=at), mark


def checked_shapes(value: Any, thing: str) -> tuple[Shape, ...]:
    """Return one shape or a list of shapes as a tuple. Raises ModelError for anything else."""
    shapes = tuple(value) if is_list(value) else (value,)
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise ModelError(
                f"shape of {thing} is {display(shape)}: give mbs.Box(...), mbs.Sphere(...) or a list of such"
            )
    return shapes
