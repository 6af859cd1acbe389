"""Convex hulls of few points: their faces, edges and vertices."""

from __future__ import annotations

import itertools

import numpy as np

from ...symbolic.polyhedra import ROW, Polyhedron

FLUSH = 1e-6  #: distance from a plane, over the extent of the points, up to which they lie in it; files have 7 digits


def extent(points: np.ndarray) -> float:
    """Return the largest extent of points, (n, 3), along the axes, m."""
    return float(np.ptp(points, axis=0).max())


def is_flat(points: np.ndarray) -> bool:
    """True if points, (n, 3), lie in a plane, so that their hull has no volume."""
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return len(points) < 4 or bool(sizes[-1] <= FLUSH * sizes[0])


def hull(points: np.ndarray) -> tuple[Polyhedron, float]:
    """Return the convex hull of up to some 64 points that are not flat, (n, 3), m, and its least width, m.

    Points within FLUSH of a plane lie in one face. All planes through three points are tried, and those with all points
    on one side are faces. The edges are what two faces have in common.
    """
    normals, on_plane = _faces(points)
    faces = [_row(points[on].mean(axis=0), normal=n) for n, on in zip(normals, on_plane, strict=True)]
    edges, ends = [], set()
    for one, other in itertools.combinations(on_plane, 2):
        common = np.flatnonzero(one & other)
        if len(common) > 1:
            i, j = _farthest(points, common)
            line = points[j] - points[i]
            length = float(np.linalg.norm(line))
            edges.append(_row(points[i], direction=line / length, length=length))
            ends |= {i, j}
    vertices = [_row(points[k]) for k in sorted(ends)]
    width = np.ptp(points @ normals.T, axis=0).min()
    return Polyhedron(np.array(faces + edges + vertices), (len(faces), len(edges), len(vertices))), float(width)


def _row(
    point: np.ndarray, direction: np.ndarray | None = None, normal: np.ndarray | None = None, length: float = 0.0
) -> np.ndarray:
    """Return the row of a feature of a `Polyhedron`."""
    row = np.zeros(ROW)
    row[:3], row[9] = point, length
    row[3:6] = 0.0 if direction is None else direction
    row[6:9] = 0.0 if normal is None else normal
    return row


def _faces(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the outward normals of all faces, (faces, 3), and the points in each face, (faces, points)."""
    three = np.array(list(itertools.combinations(range(len(points)), 3)))
    a, b, c = (points[k] for k in three.T)
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    flush = FLUSH * extent(points)
    wide = areas > flush * flush
    normals, areas, a = normals[wide] / areas[wide, None], areas[wide], a[wide]
    heights = normals @ points.T - np.einsum("ij,ij->i", normals, a)[:, None]
    outward = np.where(heights.max(axis=1) <= flush, 1.0, np.where(heights.min(axis=1) >= -flush, -1.0, 0.0))
    bounding = np.flatnonzero(outward)
    bounding = bounding[np.argsort(-areas[bounding], kind="stable")]
    on = np.abs(heights[bounding]) <= flush
    chosen: list[int] = []
    for k in np.argsort(-on.sum(axis=1), kind="stable"):  # faces with many points first, by wide triangles
        if not any((on[k] <= on[known]).all() for known in chosen):
            chosen.append(int(k))
    return normals[bounding[chosen]] * outward[bounding[chosen], None], on[chosen]


def _farthest(points: np.ndarray, among: np.ndarray) -> tuple[int, int]:
    """Return the two of some points with the largest distance."""
    lines = points[among][:, None] - points[among]
    i, j = np.unravel_index(np.square(lines).sum(axis=2).argmax(), (len(among), len(among)))
    return int(among[i]), int(among[j])
