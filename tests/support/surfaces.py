"""Meshes of triangles for tests of shells: flat grids, also irregular and turned in space, and square tubes."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

Array = np.ndarray


def grid(counts: tuple[int, int], sides: tuple[float, float], shift: float = 0.0, seed: int = 0) -> tuple[Array, Array]:
    """Return points and triangles of a rectangle, x from 0, y about 0, with diagonals in turns.

    shift: random displacement of the points inside, relative to the sides of a cell.
    """
    nx, ny = counts
    x, y = np.meshgrid(np.linspace(0.0, sides[0], nx + 1), np.linspace(-0.5, 0.5, ny + 1) * sides[1], indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    index = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    even = (np.add.outer(np.arange(nx), np.arange(ny)) % 2 == 0).ravel()[:, None]
    first = np.where(even, np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    second = np.where(even, np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    inside = index[1:-1, 1:-1].ravel()
    cell = np.array(sides) / counts
    points[inside, :2] += shift * cell * np.random.default_rng(seed).uniform(-1.0, 1.0, (len(inside), 2))
    return points, np.concatenate([first, second])


def turned(points: Array, seed: int) -> tuple[Array, Array]:
    """Return points turned and moved at random, and the rotation matrix."""
    rng = np.random.default_rng(seed)
    R = Rotation.random(random_state=seed).as_matrix()
    return points @ R.T + rng.standard_normal(3), R


def square_tube(length: float, side: float, counts: tuple[int, int]) -> tuple[Array, Array]:
    """Return points and triangles of a tube along x, with counts of cells along it and across each wall."""
    nx, ny = counts
    flat, cells = grid((nx, 4 * ny), (length, 4 * side))
    around = np.round((flat[:, 1] + 2 * side) / side * ny).astype(int) % (4 * ny)
    wall, along = around // ny, (around % ny) / ny * side - 0.5 * side
    corner = np.full(len(along), 0.5 * side)
    y = np.choose(wall, [along, corner, -along, -corner])
    z = np.choose(wall, [-corner, along, corner, -along])
    row = np.arange(len(flat)) // (4 * ny + 1)
    return _merged(np.stack([flat[:, 0], y, z], axis=1), row * 4 * ny + around, cells)


def _merged(points: Array, number: Array, cells: Array) -> tuple[Array, Array]:
    """Return points by their new numbers, of which several may be equal, and cells."""
    _, first = np.unique(number, return_index=True)
    return points[first], number[cells]
