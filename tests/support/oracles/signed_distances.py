"""Signed distances of shapes, an oracle of contact geometry: negative inside, zero on the surface, with unit gradient.

The formulas are those of solid modelling with distance functions (I. Quilez, "Distance functions"), in axes of the
shape whose third is its own axis. They share no code with contacts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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


DISTANCES: dict[type, Callable[..., float]] = {
    mbs.Plane: lambda p: p[2],
    mbs.HeightField: lambda p: p[2],  # for even ones
    mbs.Sphere: lambda p, r: float(np.linalg.norm(p)) - r,
    mbs.Capsule: _capsule,
    mbs.Ellipsoid: _ellipsoid,
    mbs.Ring: lambda p, radius, r: float(np.hypot(np.hypot(p[0], p[1]) - radius, p[2])) - r,
    mbs.Box: lambda p, x, y, z: _beyond(np.abs(p) - 0.5 * np.array([x, y, z])),
    mbs.Cylinder: lambda p, r, length: _beyond(np.array([np.hypot(p[0], p[1]) - r, abs(p[2]) - 0.5 * length])),
}


def signed_distance(shape: Any, p: Array) -> float:
    """Distance (m) of a point from the surface of a shape, negative inside; p: m, in the frame of the shape's `at`.

    shape: a shape of DISTANCES, or three numbers, a point.
    """
    if type(shape) not in DISTANCES:
        return float(np.linalg.norm(p - np.asarray(shape)))
    position, rotation = shape.place()
    sizes = [length.value for length in getattr(shape, "size", [])]
    own = np.asarray(rotation).T @ (p - np.array([x.value for x in position]))
    return DISTANCES[type(shape)](own, *sizes)


def normal(shape: Any, p: Array) -> Array:
    """Outward unit normal of the surface of constant distance through a point, to 1e-9."""
    ahead, back = (np.array([signed_distance(shape, p + side * STEP * e) for e in np.eye(3)]) for side in (1.0, -1.0))
    return (ahead - back) / (2.0 * STEP)
