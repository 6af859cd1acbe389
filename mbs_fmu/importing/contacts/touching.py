"""Collision shapes of a robot file: as shapes of contacts, and as rounded hulls, with which overlaps are found."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.bodies.mesh_files import hull_vertices, read
from ...model.bodies.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from ...model.forces.contact_shapes import Plane
from ...model.geometry.poses import Pose, rotation_matrix
from ..imported import ImportedShape

SIDES = 24  #: of the prism that stands for a cylinder where overlaps are looked for
FEW = 16  #: vertices of a mesh that its extent is computed from
ROUND = 12  #: the same for an ellipsoid, along each circle


@dataclass(frozen=True)
class Rounded:
    """All places within `radius` (m) of the convex hull of points (m, body axes, shape (points, 3))."""

    points: np.ndarray
    radius: float


@dataclass(frozen=True)
class Touching:
    """A collision shape. name: unique in the file. body: that of the model."""

    name: str
    body: str
    shape: ImportedShape

    @property
    def kind(self) -> str:
        """Kind of the shape, as the file names it."""
        return self.shape.kind

    @property
    def frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Position (m) and rotation of the shape in body axes."""
        place = np.array(self.shape.at.position, dtype=float)
        return place, np.asarray(rotation_matrix(self.shape.at.rotation, "rotation"), dtype=float)

    @cached_property
    def reach(self) -> float:
        """Distance of the farthest place of the shape from the origin of the body, m; zero of a plane."""
        hull = self.rounded(FEW)
        return 0.0 if hull is None else float(np.linalg.norm(hull.points, axis=1).max()) + hull.radius

    def solid(self, margin: float) -> Shape | Plane | None:
        """Return the shape of a contact, larger by a margin (m) on each side; None without one, as for height fields.

        A mesh does not become larger. Raises ModelError for sizes that no solid has.
        """
        place, R = self.frame
        if self.kind == "plane":
            return Plane("z", at=Pose((place + margin * R[:, 2]).tolist(), R))
        solid = self.shape.solid()
        return None if solid is None else _larger(solid, margin)

    def rounded(self, most: int) -> Rounded | None:
        """Return the rounded hull, a mesh with at most `most` vertices; None for a plane and for an unknown shape."""
        solid = None if self.kind == "plane" else self.shape.solid()
        core = None if solid is None else _core(solid, most)
        if core is None:
            return None
        place, R = self.frame
        return Rounded(place + core.points @ R.T, core.radius)


def _numbers(shape: Shape) -> list[float]:
    return [float(x.value) for x in shape.size]


def _larger(shape: Shape, margin: float) -> Shape:
    if margin == 0.0:
        return shape
    sizes = dict(zip(shape.lengths, _numbers(shape), strict=True))
    grown = {name: sizes[name] + factor * margin for name, factor in GROWTH.get(type(shape), {}).items()}
    return replace(shape, **grown)  # type: ignore[arg-type]


def _core(shape: Shape, most: int) -> Rounded | None:
    """Return the rounded hull of a shape in its own frame."""
    if isinstance(shape, Mesh):
        points = np.concatenate([part.vertices for part in read(shape.file)]) * shape.factors()
        return Rounded(hull_vertices(points, most)[0], 0.0)
    core = CORES.get(type(shape))
    return None if core is None else core(*_numbers(shape))


def _prism(radius: float, length: float) -> Rounded:
    return Rounded(np.concatenate([_circle(radius, z * length) for z in (-0.5, 0.5)]), 0.0)


def _ball_points(a: float, b: float, c: float) -> Rounded:
    heights = np.cos(math.pi * np.arange(ROUND + 1) / ROUND)
    circles = [_circle(math.sqrt(max(1.0 - z * z, 0.0)), z) for z in heights]
    return Rounded(np.concatenate(circles) * (a, b, c), 0.0)


def _circle(radius: float, z: float) -> np.ndarray:
    angles = 2.0 * math.pi * np.arange(SIDES) / SIDES
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(SIDES, z)])


ENDS = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])
CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
#: Rounded hulls by kind of shape, functions of its sizes.
CORES: dict[type[Shape], Callable[..., Rounded]] = {
    Sphere: lambda r: Rounded(np.zeros((1, 3)), r),
    Capsule: lambda r, length: Rounded(ENDS * length, r),
    Box: lambda *edges: Rounded(CORNERS * edges, 0.0),
    Cylinder: _prism,
    Ellipsoid: _ball_points,
}
#: Sizes that grow with a margin, and by how many of it.
GROWTH: dict[type[Shape], dict[str, float]] = {
    Sphere: {"r": 1.0}, Capsule: {"r": 1.0}, Cylinder: {"r": 1.0, "length": 2.0},
    Box: {"x": 2.0, "y": 2.0, "z": 2.0}, Ellipsoid: {"a": 1.0, "b": 1.0, "c": 1.0},
}  # fmt: skip


def readable_shapes(shapes: Sequence[Touching], note: Callable[[str], None]) -> list[Touching]:
    """Return the shapes whose sizes and meshes can be read; add a note for each of the others."""
    found = []
    for shape in shapes:
        try:
            if shape.shape.kind == "mesh" and shape.shape.file is None:
                raise ModelError("its file is not found")
            shape.reach  # noqa: B018 - reads the file of a mesh
        except ModelError as error:
            note(f"shape {shape.name!r} touches nothing: {error}")
            continue
        found.append(shape)
    return found
