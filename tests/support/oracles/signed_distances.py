"""Signed distances of shapes, an oracle of contact geometry: negative inside, zero on the surface, with unit gradient.

The formulas are those of solid modelling with distance functions (I. Quilez, "Distance functions"), in axes of the
shape whose third is its own axis. They share no code with contacts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

import mbs_fmu as mbs

Array = np.ndarray
STEP = 1e-6  #: m, of central differences


def _beyond(excess: Array) -> float:
    """Distance from a box-like region, from the amounts by which a point exceeds it along each axis."""
    return float(np.linalg.norm(np.maximum(excess, 0.0)) + min(excess.max(), 0.0))


def _capsule(p: Array, r: float, length: float) -> float:
    return float(np.linalg.norm(p - [0.0, 0.0, np.clip(p[2], -0.5 * length, 0.5 * length)])) - r


def _ellipsoid(p: Array, *axes: float) -> float:
    """Exact on the surface and in its gradient there, to first order beside it."""
    scaled, steep = np.linalg.norm(p / axes), np.linalg.norm(p / np.square(axes))
    return float(scaled * (scaled - 1.0) / steep)


def _triangles(p: Array, corners: Array) -> float:
    """Distance from triangles, (n, 3, 3): of the foot on the plane of each if it lies inside, else of its sides."""
    sides, lines = np.roll(corners, -1, axis=1) - corners, p - corners
    n = np.cross(sides[:, 0], sides[:, 1])
    n /= np.linalg.norm(n, axis=1)[:, None]
    inside = (np.einsum("nki,ni->nk", np.cross(sides, lines), n) >= 0.0).all(axis=1)
    shares = np.clip((lines * sides).sum(axis=2) / (sides * sides).sum(axis=2), 0.0, 1.0)
    to_sides = np.linalg.norm(lines - shares[:, :, None] * sides, axis=2).min(axis=1)
    return float(np.where(inside, np.abs((lines[:, 0] * n).sum(axis=1)), to_sides).min())


@cache
def _convex_hull(file: Path) -> ConvexHull:
    corners = [line.split()[1:] for line in file.read_text().splitlines() if line.startswith("v ")]
    return ConvexHull(np.array(corners, dtype=float))


def _hull(p: Array, mesh: mbs.Mesh) -> float:
    """Distance from the convex hull of a mesh in a file, with one scale, by scipy's planes and triangles."""
    found, scale = _convex_hull(mesh.file), mesh.factors()[0]
    return float(scale * _hull_distance(p / scale, found))


def _hull_distance(p: Array, found: ConvexHull) -> float:
    above = (found.equations[:, :3] @ p + found.equations[:, 3]).max()
    if above <= 0.0:
        return float(above)
    return _triangles(p, found.points[found.simplices])


DISTANCES: dict[type, Callable[..., float]] = {
    mbs.Plane: lambda p: p[2],
    mbs.HeightField: lambda p: p[2],  # for even ones
    mbs.Sphere: lambda p, r: float(np.linalg.norm(p)) - r,
    mbs.Capsule: _capsule,
    mbs.Ellipsoid: _ellipsoid,
    mbs.Ring: lambda p, radius, r: float(np.hypot(np.hypot(p[0], p[1]) - radius, p[2])) - r,
    mbs.Box: lambda p, x, y, z: _beyond(np.abs(p) - 0.5 * np.array([x, y, z])),
    mbs.Mesh: _hull,
    mbs.Cylinder: lambda p, r, length: _beyond(np.array([np.hypot(p[0], p[1]) - r, abs(p[2]) - 0.5 * length])),
}


def signed_distance(shape: Any, p: Array) -> float:
    """Distance (m) of a point from the surface of a shape, negative inside; p: m, in the frame of the shape's `at`.

    shape: a shape of DISTANCES, or three numbers, a point.
    """
    if type(shape) not in DISTANCES:
        return float(np.linalg.norm(p - np.asarray(shape)))
    position, rotation = shape.place()
    sizes = [shape] if isinstance(shape, mbs.Mesh) else [length.value for length in getattr(shape, "size", [])]
    own = np.asarray(rotation).T @ (p - np.array([x.value for x in position]))
    return DISTANCES[type(shape)](own, *sizes)


def normal(shape: Any, p: Array) -> Array:
    """Outward unit normal of the surface of constant distance through a point, to 1e-9."""
    ahead, back = (np.array([signed_distance(shape, p + side * STEP * e) for e in np.eye(3)]) for side in (1.0, -1.0))
    return (ahead - back) / (2.0 * STEP)
