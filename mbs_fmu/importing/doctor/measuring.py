"""Extents and inertias of the shapes of a link."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.bodies import mesh_files
from ...model.bodies.solids import Solid, box, cylinder, sphere
from ..imported import ImportedShape

MOST_BYTES, ALL_BYTES = 30_000_000, 300_000_000  #: of a mesh file that is measured, and of all of a robot
LARGEST = 1e9  #: length of a shape that is measured, m; the least is its inverse
SIDES = 48  #: of the prism about a cylinder


@dataclass(frozen=True)
class Matter:
    """Homogeneous solids of density one: mass (kg), centre of mass com (m), (3,), tensor about it (kg m2), (3, 3)."""

    mass: float
    com: np.ndarray
    tensor: np.ndarray

    @classmethod
    def of(cls, solid: Solid) -> Matter:
        """Return the numbers of a solid."""
        xx, xy, xz, yy, yz, zz = (float(x.value) for x in solid.inertia)
        com = np.array([float(x.value) for x in solid.com])
        return cls(float(solid.mass.value), com, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))

    def placed(self, position: np.ndarray, R: np.ndarray) -> Matter:
        """Return the matter in the axes of the body. R: rotation from its own axes."""
        return Matter(self.mass, position + R @ self.com, R @ self.tensor @ R.T)

    @property
    def radius(self) -> float:
        """Radius of gyration, m: the root of the mean square of the distance from the centre of mass."""
        return math.sqrt(float(np.trace(self.tensor)) / (2.0 * self.mass))


def together(parts: Sequence[Matter]) -> Matter:
    """Return the sum of several parts."""
    mass = sum(part.mass for part in parts)
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    tensor = np.zeros((3, 3))
    for part in parts:
        r = part.com - com
        tensor = tensor + part.tensor + part.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Matter(mass, com, tensor)


@dataclass(frozen=True)
class Measure:
    """A shape: all points within `radius` (m) of the convex hull of `points`, (n, 3), in axes of the body.

    box: edges along its own axes, m, (3,). matter: the solid; None for one without volume.
    """

    points: np.ndarray
    radius: float
    box: np.ndarray
    matter: Matter | None


@dataclass(frozen=True)
class Extent:
    """The shapes of a link together, in its axes. `is_partial`: some shape could not be measured."""

    measures: tuple[Measure, ...]
    is_partial: bool = False

    @property
    def bounds(self) -> np.ndarray:
        """Smallest and largest coordinates, m, (2, 3)."""
        low = np.min([x.points.min(axis=0) - x.radius for x in self.measures], axis=0)
        return np.array([low, np.max([x.points.max(axis=0) + x.radius for x in self.measures], axis=0)])

    @property
    def size(self) -> float:
        """Diagonal of the box of the shapes, m."""
        return float(np.linalg.norm(np.diff(self.bounds, axis=0)))

    @property
    def volume(self) -> float:
        """Volume of the box of all shapes or of the boxes of each, whichever is less, m3; 0 for a flat one."""
        return float(min(np.prod(np.diff(self.bounds, axis=0)), sum(np.prod(x.box) for x in self.measures)))

    def farthest(self, point: np.ndarray) -> float:
        """Return the largest distance of the shapes from a point, m."""
        return float(max(np.linalg.norm(x.points - point, axis=1).max() + x.radius for x in self.measures))

    def matter(self) -> Matter | None:
        """Return the shapes as homogeneous solids; None if they have no volume."""
        solid = [x.matter for x in self.measures if x.matter is not None]
        return together(solid) if solid else None


class Ruler:
    """Measures shapes; `unread` are messages on meshes that it can't read, by file."""

    def __init__(self) -> None:
        self.unread: dict[Path, str] = {}
        self._left = ALL_BYTES
        self._meshes: dict[Path, tuple[np.ndarray, np.ndarray] | None] = {}
        self._forms: dict[tuple[Path, tuple[float, ...]], Measure] = {}

    def extent(self, shapes: Iterable[ImportedShape]) -> Extent | None:
        """Return the extent of shapes; None if none of them can be measured."""
        chosen = [shape for shape in shapes if shape.kind in (*FORMS, "mesh")]
        found = [self._measure(shape) for shape in chosen]
        measures = tuple(x for x in found if x is not None)
        return Extent(measures, len(measures) < len(chosen)) if measures else None

    def matters(self, shapes: Sequence[ImportedShape]) -> list[Matter]:
        """Return the collision shapes, and the visual ones, as homogeneous solids, of those that have a volume.

        A link is described twice: files often have a mesh for pictures, and a simple form for collisions.
        """
        extents = [self.extent([x for x in shapes if x.role == role]) for role in ("collision", "visual")]
        known = sorted((x for x in extents if x is not None), key=lambda x: x.is_partial)
        return [matter for x in known if (matter := x.matter()) is not None]

    def _measure(self, shape: ImportedShape) -> Measure | None:
        position, R = np.array(shape.at.position, dtype=float), np.array(shape.at.rotation, dtype=float)
        if shape.kind == "mesh":
            form = self._mesh_form(shape)
        else:
            form = FORMS[shape.kind](*shape.size) if all(1.0 / LARGEST < x < LARGEST for x in shape.size) else None
        if form is None or not max(np.abs(position).max(), np.abs(form.points).max()) < LARGEST:
            return None
        matter = None if form.matter is None else form.matter.placed(position, R)
        return replace(form, points=position + form.points @ R.T, matter=matter)

    def _mesh_form(self, shape: ImportedShape) -> Measure | None:
        if shape.file is None:
            return None
        if shape.file not in self._meshes:
            self._meshes[shape.file] = self._read(shape.file)
        mesh = self._meshes[shape.file]
        if mesh is None:
            return None
        key = shape.file, shape.scale
        if key not in self._forms:
            scale = np.array(shape.scale)
            self._forms[key] = _mesh(mesh[0] * scale, mesh[1] if np.prod(scale) > 0.0 else mesh[1][:, ::-1])
        return self._forms[key]

    def _read(self, file: Path) -> tuple[np.ndarray, np.ndarray] | None:
        """Return vertices and triangles of a file; None, and a message, if it can't be read."""
        try:
            size, most = file.stat().st_size, min(MOST_BYTES, self._left)
            if size > most:
                raise ModelError(f"mesh {file.name!r} is larger than {most / 1e6:.3g} MB, of those that are measured")
            self._left -= size
            parts = mesh_files.read(file)
        except (ModelError, OSError) as error:
            self.unread[file] = str(error)
            return None
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        faces = [part.faces + start for part, start in zip(parts, starts, strict=False)]
        return np.concatenate([part.vertices for part in parts]), np.concatenate(faces)


# -- forms in their own axes ---------------------------------------------------------------------------------
def _box(x: float, y: float, z: float) -> Measure:
    half = 0.5 * np.array([x, y, z])
    return Measure(_corners(-half, half), 0.0, 2.0 * half, Matter.of(box(x, y, z, density=1.0)))


def _sphere(r: float) -> Measure:
    return Measure(np.zeros((1, 3)), r, np.full(3, 2.0 * r), Matter.of(sphere(r, density=1.0)))


def _cylinder(r: float, length: float) -> Measure:
    """A cylinder along z; its points are those of a prism about it."""
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    rim = r / math.cos(np.pi / SIDES) * np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.concatenate([np.column_stack([rim, np.full(SIDES, z)]) for z in (-0.5 * length, 0.5 * length)])
    return Measure(points, 0.0, np.array([2.0 * r, 2.0 * r, length]), Matter.of(cylinder(r, length, density=1.0)))


def _capsule(r: float, length: float) -> Measure:
    """A capsule along z. Its half balls together are a ball whose halves are moved apart by half the length each.

    The mean of z in a half ball is 3 r / 8, which the shift multiplies.
    """
    tube, ball = (Matter.of(x) for x in (cylinder(r, length, density=1.0), sphere(r, density=1.0)))
    spread = ball.mass * (0.25 * length**2 + 0.375 * r * length)
    matter = Matter(tube.mass + ball.mass, np.zeros(3), tube.tensor + ball.tensor + spread * np.diag([1.0, 1.0, 0.0]))
    ends = np.array([[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]])
    return Measure(ends, r, np.array([2.0 * r, 2.0 * r, length + 2.0 * r]), matter)


def _ellipsoid(a: float, b: float, c: float) -> Measure:
    """An ellipsoid with half axes a, b, c: a unit ball stretched along each axis; its points are those of a box."""
    half, ball = np.array([a, b, c]), Matter.of(sphere(1.0, density=1.0))
    mass = ball.mass * a * b * c
    squares = mass * half**2 * ball.tensor[0, 0] / (2.0 * ball.mass)
    return Measure(_corners(-half, half), 0.0, 2.0 * half, Matter(mass, np.zeros(3), np.diag(squares.sum() - squares)))


FORMS: dict[str, Callable[..., Measure]] = {
    "box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _capsule, "ellipsoid": _ellipsoid,
}  # fmt: skip


def _corners(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    ends = np.array([low, high])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _mesh(vertices: np.ndarray, faces: np.ndarray) -> Measure:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    edges = high - low
    inside = _enclosed(vertices, faces, float(np.prod(edges)))
    if inside is None and edges.min() > 0.0:
        inside = Matter.of(box(*edges.tolist(), density=1.0)).placed(0.5 * (low + high), np.eye(3))
    return Measure(vertices, 0.0, edges, inside)


def _enclosed(vertices: np.ndarray, faces: np.ndarray, most: float) -> Matter | None:
    """Return what triangles enclose, as the sum of tetrahedra from a point within their box; None for open meshes.

    most: volume of the box of the mesh, m3. The mean of x xT in a tetrahedron with the corners 0, a, b, c is
    (a aT + b bT + c cT + s sT) / 20, with s = a + b + c.
    """
    center = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    corners = (vertices - center)[faces]
    a, b, c = corners.transpose(1, 0, 2)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    if _is_open(vertices, faces) or not 1e-3 * most < volumes.sum() <= most:
        return None
    sums = corners.sum(axis=1)
    mass = float(volumes.sum())
    com = volumes @ sums / 4.0 / mass
    squares = np.einsum("n,nki,nkj->ij", volumes, corners, corners) + np.einsum("n,ni,nj->ij", volumes, sums, sums)
    squares = squares / 20.0 - mass * np.outer(com, com)
    if np.linalg.eigvalsh(squares)[0] <= 0.0:
        return None
    return Matter(mass, center + com, np.trace(squares) * np.eye(3) - squares)


def _is_open(vertices: np.ndarray, faces: np.ndarray) -> bool:
    """Return whether some edge of the triangles, with equal corners merged, is not in as many in either direction."""
    _, merged = np.unique(vertices, axis=0, return_inverse=True)
    corners = merged.reshape(-1)[faces].astype(np.int64)
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    keys, back = edges @ [len(vertices), 1], edges @ [1, len(vertices)]
    return not np.array_equal(np.sort(keys), np.sort(back))
