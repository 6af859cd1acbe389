"""Looks of bodies in pictures: solids, meshes and lines in body axes. They have no part in the dynamics."""

from __future__ import annotations

import os
from abc import ABC
from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...symbolic.expressions import Expression, is_literal
from ...symbolic.rotations import entries_of
from ..geometry.axes import Axis, third_axis, unit_axis
from ..geometry.poses import Pose, placed
from ..geometry.vectors import Vector, entry, is_list, length_of_parameters, number_array, numbers
from .colors import Color, color

Number = Callable[[Expression], float]  #: gives the number of an expression of parameters


@dataclass(frozen=True)
class Shape(ABC):
    """A part of what a body looks like.

    at: its place in body axes, a position (m) or a `Pose`. color: a name such as "steelblue", "#4682b4", "#4682b480",
    or three to four numbers from 0 to 1, the fourth the opacity; left out: the body's own. Lengths may be expressions
    of parameters. Raises ModelError for lengths that are not positive, for what is no colour or no place.
    """

    at: Any = field(default=(0.0, 0.0, 0.0), kw_only=True)
    color: Any = field(default=None, kw_only=True)
    kind: ClassVar[str]  #: as pages call it
    lengths: ClassVar[tuple[str, ...]] = ()  #: its fields that are lengths, m

    def __post_init__(self) -> None:
        self.place()
        self.rgba()
        for name, length in zip(self.lengths, self.size, strict=True):
            if is_literal(length) and not length.value > 0.0:
                raise ModelError(f"{name} of a {self.kind} is {length.value!r}: it must be positive")

    @property
    def size(self) -> list[Expression]:
        """Its lengths, m."""
        return [length_of_parameters(getattr(self, name), f"{name} of a {self.kind}") for name in self.lengths]

    def place(self) -> tuple[list[Expression], np.ndarray]:
        """Position (m) in body axes, and rotation from the axes along which it is built, z for a cylinder."""
        position, rotation = placed(self.at, f"at of a {self.kind}")
        return list(position), rotation @ third_axis(unit_axis(getattr(self, "axis", "z")))

    def rgba(self) -> Color | None:
        """Its colour: red, green, blue and opacity, from 0 to 1."""
        return None if self.color is None else color(self.color, f"color of a {self.kind}")

    def within(self, at: Vector, rotation: np.ndarray) -> Self:
        """The shape in outer axes, in which its own frame has this position (m) and rotation."""
        position, turned = placed(self.at, "at")
        moved = at + Vector(Vector(row).dot(position) for row in rotation)
        return replace(self, at=Pose(moved, rotation @ turned))

    @property
    def expressions(self) -> list[Expression]:
        """All of its numbers that may depend on parameters."""
        position, rotation = self.place()
        return [*position, *entries_of(rotation), *self.size]


@dataclass(frozen=True)
class Box(Shape):
    """A box about its place, with edges x, y, z (m) along the axes there."""

    x: Any
    y: Any
    z: Any
    kind = "box"
    lengths = ("x", "y", "z")


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball of radius r (m) about its place."""

    r: Any
    kind = "sphere"
    lengths = ("r",)


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder of radius r and a length (m) about its place, along `axis`: "x", "-y" or three numbers."""

    r: Any
    length: Any
    axis: Axis = "z"
    kind = "cylinder"
    lengths = ("r", "length")


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder with a half ball on each end: `length` (m) is that of the cylinder alone."""

    r: Any
    length: Any
    axis: Axis = "z"
    kind = "capsule"
    lengths = ("r", "length")


@dataclass(frozen=True)
class Ring(Shape):
    """A round bar of radius r (m) bent to a circle of `radius` (m) about its place, around `axis`."""

    radius: Any
    r: Any
    axis: Axis = "z"
    kind = "ring"
    lengths = ("radius", "r")


@dataclass(frozen=True)
class Line(Shape):
    """A round bar of radius r (m) through points (m, in the axes of its place)."""

    points: Any
    r: Any
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
        """Its points."""
        told = [entry("points of a line", k, len(self.points)) for k in range(1, len(self.points) + 1)]
        return [
            [length_of_parameters(x, thing) for x in numbers(point, 3, thing, "m")]
            for point, thing in zip(self.points, told, strict=True)
        ]

    @property
    def expressions(self) -> list[Expression]:
        return [*super().expressions, *(x for point in self.corners() for x in point)]


@dataclass(frozen=True)
class Mesh(Shape):
    """Triangles from a file: STL or OBJ, or with the extra `view` whatever trimesh reads (Collada, PLY, glTF).

    scale: metres in a unit of the file, one number or one for each axis. The file is read when a page is written.
    """

    path: Any
    scale: Any = 1.0
    kind = "mesh"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.path, (str, os.PathLike)):
            raise ModelError(f"path of a mesh is {display(self.path)}: give the name of a file")
        self.factors()

    @property
    def file(self) -> Path:
        return Path(self.path)

    def factors(self) -> np.ndarray:
        """Metres in a unit of the file, along each axis."""
        found = number_array(self.scale, "scale of a mesh")
        if found.shape not in ((), (3,)) or not np.isfinite(found).all() or not found.all():
            raise ModelError(f"scale of a mesh is {display(self.scale)}: give one number or three, none of them zero")
        return np.broadcast_to(found, (3,))


@dataclass(frozen=True, eq=False)
class ConnectingLine:
    """A straight "rod" or "spring" between points of two bodies (m, body axes): how forces and closures are drawn."""

    kind: str
    a: str
    at_a: Vector
    b: str
    at_b: Vector


def wheel_shapes(radius: Expression, width: Expression, at: Pose, inside: bool = False) -> tuple[Shape, ...]:
    """A wheel about the z axis of its place, with a mark that shows its turning; or, `inside`, a ring."""
    if inside:
        return (Ring(radius, 0.3 * width, at=at),)
    mark = Line([(0.0, 0.0, 0.0), (0.94 * radius, 0.0, 0.0)], 0.52 * width, at=at, color="#3a4048")
    return Cylinder(radius, width, at=at), mark


def checked_shapes(value: Any, thing: str) -> tuple[Shape, ...]:
    """One shape or a list of them; ModelError for anything else."""
    found = tuple(value) if is_list(value) else (value,)
    for shape in found:
        if not isinstance(shape, Shape):
            raise ModelError(
                f"shape of {thing} is {display(shape)}: give mbs.Box(...), mbs.Sphere(...) or a list of such"
            )
    return found
