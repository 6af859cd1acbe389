"""Shapes of a page as triangles, and what stretches between two points."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

AROUND, RINGS, TURNS = 24, 12, 7  #: points around a solid, rings of a ball, turns of a spring
HALF = np.pi / 2

Mesh = tuple[np.ndarray, np.ndarray]  #: vertices (n, 3), m, and faces (m, 3)


def triangles(shape: Mapping[str, Any], meshes: Sequence[Mesh]) -> list[Mesh]:
    """Return the triangles of a shape in the page's form, in the axes of its body."""
    q, position = np.array(shape["quaternion"]), np.array(shape["position"])
    solids = SOLIDS[shape["kind"]](shape["size"], shape, meshes)
    return [(rotated(vertices, q) + position, faces) for vertices, faces in solids]


def rotated(vertices: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return vectors rotated by a quaternion x, y, z, w."""
    return np.asarray(vertices + 2.0 * np.cross(q[:3], np.cross(q[:3], vertices) + q[3] * vertices))


def between(directions: np.ndarray) -> np.ndarray:
    """Return the quaternions (rows, 4) in the order x, y, z, w that turn z to unit vectors (rows, 3)."""
    x, y, z = directions.T
    q = np.column_stack([-y, x, np.zeros_like(x), 1.0 + z])
    q[1.0 + z < 1e-9] = (1.0, 0.0, 0.0, 0.0)  # half a turn
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))


def rod(r: float) -> Mesh:
    """Return a round rod of length 1 along z."""
    return _turned([(0.0, 0.0), (r, 0.0), (r, 1.0), (0.0, 1.0)])


def coil(r: float) -> Mesh:
    """Return a spring of length 1 along z, as the page draws it for this radius."""
    a = np.linspace(0.0, 2.0 * np.pi * TURNS, 14 * TURNS + 1)
    turns = np.column_stack([2.6 * r * np.cos(a), 2.6 * r * np.sin(a), 0.1 + 0.8 * a / a[-1]])
    return _tube(np.vstack([[[0.0, 0.0, 0.0], [0.0, 0.0, 0.08]], turns, [[0.0, 0.0, 0.92], [0.0, 0.0, 1.0]]]), 0.5 * r)


LINKS: dict[str, Callable[[float], Mesh]] = {"rod": rod, "spring": coil}


def _turned(profile: Sequence[tuple[float, float]]) -> Mesh:
    """Return what a line of points (radius, height) makes as it turns about z."""
    angles = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    vertices = [(r * np.cos(a), r * np.sin(a), z) for r, z in profile for a in angles]
    return np.array(vertices), _strip(len(profile), AROUND)


def _tube(points: np.ndarray, r: float, around: int = 6) -> Mesh:
    """Return a round tube along a line of points."""
    tangents = np.gradient(points, axis=0)
    tangents /= np.linalg.norm(tangents, axis=1, keepdims=True)
    angles = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    circle = r * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(around)])
    rings = [rotated(circle, q) + point for q, point in zip(between(tangents), points, strict=True)]
    return np.vstack(rings), _strip(len(points), around)


def _strip(rings: int, around: int) -> np.ndarray:
    """Return the faces between consecutive rings of vertices."""
    i, j = np.divmod(np.arange((rings - 1) * around), around)
    a, b = i * around + j, i * around + (j + 1) % around
    return np.concatenate([np.column_stack([a, b, b + around]), np.column_stack([a, b + around, a + around])])


def _arc(r: float, low: float, high: float, z: float) -> list[tuple[float, float]]:
    return [(r * np.cos(t), z + r * np.sin(t)) for t in np.linspace(low, high, RINGS)]


def _box(size: Sequence[float], *_: Any) -> list[Mesh]:
    vertices = 0.5 * np.array(list(itertools.product((-1, 1), repeat=3))) * size
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return [(vertices, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]))]


def _cylinder(size: Sequence[float], *_: Any) -> list[Mesh]:
    r, h = size[0], 0.5 * size[1]
    return [_turned([(0.0, -h), (r, -h), (r, h), (0.0, h)])]


def _ellipsoid(size: Sequence[float], *_: Any) -> list[Mesh]:
    vertices, faces = _turned(_arc(1.0, -HALF, HALF, 0.0))
    return [(vertices * size, faces)]


def _capsule(size: Sequence[float], *_: Any) -> list[Mesh]:
    r, h = size[0], 0.5 * size[1]
    return [_turned([*_arc(r, -HALF, 0.0, -h), *_arc(r, 0.0, HALF, h)])]


def _ring(size: Sequence[float], *_: Any) -> list[Mesh]:
    radius, r = size
    return [_turned([(radius + r * np.cos(t), r * np.sin(t)) for t in np.linspace(-np.pi, np.pi, RINGS)])]


def _line(size: Sequence[float], shape: Mapping[str, Any], *_: Any) -> list[Mesh]:
    bars = []
    for a, b in itertools.pairwise(np.array(shape["points"])):
        length = float(np.linalg.norm(b - a))
        vertices, faces = rod(size[0])
        (turn,) = between(((b - a) / length)[None])
        bars.append((rotated(vertices * (1.0, 1.0, length), turn) + a, faces))
    return bars


def _mesh(_: Any, shape: Mapping[str, Any], meshes: Sequence[Mesh]) -> list[Mesh]:
    vertices, faces = meshes[shape["mesh"]]
    return [(vertices * shape["scale"], faces)]


SOLIDS: dict[str, Callable[[Any, Mapping[str, Any], Sequence[Mesh]], list[Mesh]]] = {
    "box": _box, "cylinder": _cylinder, "capsule": _capsule, "ring": _ring, "line": _line, "mesh": _mesh,
    "sphere": lambda size, *_: [_turned(_arc(size[0], -HALF, HALF, 0.0))], "ellipsoid": _ellipsoid,
}  # fmt: skip
