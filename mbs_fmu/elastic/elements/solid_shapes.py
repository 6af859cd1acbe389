"""Shape functions of solid elements of other programs: tetrahedra of 4 and 10 nodes, bricks of 8 and 20 nodes.

Natural coordinates r are barycentric ones of the corners 2 to 4 in tetrahedra, and -1 to 1 along each axis in bricks.
Nodes are in the order of Abaqus: corners, then the middles of edges 12, 23, 31, 14, 24, 34 of a tetrahedron; of a brick
those of the lower face, of the upper face, and between both.
"""

from __future__ import annotations

import numpy as np

from ..shapes import Array

EDGES = np.array([[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]])
CORNERS = np.array([
    [-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]
], dtype=float)  # fmt: skip
BRICK_EDGES = np.array([
    [0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]
])  # fmt: skip
STEPS = 30  #: of Newton's method, which needs five unless an element is strongly distorted
CONVERGED = 1e-12


def shape_functions(nodes: int, r: Array) -> tuple[Array, Array]:
    """Return shape functions, (nodes), and their derivatives by natural coordinates, (nodes, 3), at a point r, (3)."""
    return _tetrahedron(nodes, r) if nodes in (4, 10) else _brick(nodes, r)


def inside(nodes: int, r: Array) -> float:
    """Return how far a point lies inside an element: 0 on its surface, negative outside; relative to its size."""
    return float(min(r.min(), 1.0 - r.sum()) if nodes in (4, 10) else 0.5 * (1.0 - np.abs(r).max()))


def _tetrahedron(nodes: int, r: Array) -> tuple[Array, Array]:
    L = np.array([1.0 - r.sum(), *r])
    g = np.vstack([-np.ones(3), np.eye(3)])
    if nodes == 4:
        return L, g
    a, b = EDGES.T
    N = np.concatenate([L * (2 * L - 1), 4 * L[a] * L[b]])
    edges = 4 * (L[a][:, None] * g[b] + L[b][:, None] * g[a])
    return N, np.concatenate([(4 * L[:, None] - 1) * g, edges])


def _brick(nodes: int, r: Array) -> tuple[Array, Array]:
    f = 1.0 + CORNERS * r
    product = f.prod(1)
    slopes = CORNERS * np.stack([f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]], axis=1)
    if nodes == 8:
        return product / 8, slopes / 8
    rest = (CORNERS * r).sum(1) - 2.0
    middles = 0.5 * CORNERS[BRICK_EDGES].sum(1)  # zero along the edge
    along = np.argmin(np.abs(middles), axis=1)
    k = np.arange(12)
    h = 1.0 + middles * r
    h[k, along] = 1.0 - r[along] ** 2
    dh = middles.copy()
    dh[k, along] = -2.0 * r[along]
    edges = dh * np.stack([h[:, 1] * h[:, 2], h[:, 0] * h[:, 2], h[:, 0] * h[:, 1]], axis=1)
    corners = (slopes * rest[:, None] + product[:, None] * CORNERS) / 8
    return np.concatenate([product * rest / 8, h.prod(1) / 4]), np.concatenate([corners, edges / 4])


def natural(places: Array, point: Array) -> tuple[Array, Array] | None:
    """Return the natural coordinates of a point and the gradients of the shape functions there, (nodes, 3), 1/m.

    places: of the element's nodes, (nodes, 3). None if the point is so far away, or the element so distorted, that
    Newton's method finds no coordinates.
    """
    nodes = len(places)
    r = np.full(3, 0.25) if nodes in (4, 10) else np.zeros(3)
    for _ in range(STEPS):
        N, dN = shape_functions(nodes, r)
        J = places.T @ dN
        if not abs(np.linalg.det(J)) > 0.0:
            return None
        step = np.linalg.solve(J, point - N @ places)
        r = r + step
        if np.abs(r).max() > 10.0:
            return None
        if np.abs(step).max() < CONVERGED:
            _, dN = shape_functions(nodes, r)
            return r, dN @ np.linalg.inv(places.T @ dN)
    return None
