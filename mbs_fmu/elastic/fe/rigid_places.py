"""Motions without stiffness of a dense stiffness matrix, and the places of nodes that these motions imply."""

from __future__ import annotations

import numpy as np

from ...infrastructure.errors import ModelError
from ..shapes import Array, skew, vector

LOOSE = 1e-12  #: eigenvalue that counts as zero, relative to the largest, of a matrix with a unit diagonal
NEGATIVE = 1e-8  #: negative eigenvalue that counts as rounding
IMPLIED = 1e-6  #: tolerance of implied places, relative to the body's size


def free_motions(K: Array, source: str, count: int = 6) -> Array:
    """Return the motions without stiffness, (n, count): the six rigid ones, or none if K has no rows of nodes.

    source: what K is of, for messages. Raises ModelError for matrices with other than six: with supports, of separate
    parts, of mechanisms, and for negative stiffness.
    """
    diagonal = K.diagonal()
    if diagonal.min() <= 0.0:
        raise ModelError(
            f"{source} has no stiffness in its row {int(np.argmin(diagonal)) + 1} of {len(K)}: leave it out"
        )
    scale = 1.0 / np.sqrt(diagonal)
    values, vectors = np.linalg.eigh(scale[:, None] * K * scale)
    if values[0] < -NEGATIVE * values[-1]:
        raise ModelError(f"{source} is not positive: some motions have negative strain energy; check the order of rows")
    # of a free body the first six are zeros but for rounding, which tells how large a zero may be
    least = max(3.0 * np.abs(values[:count]).max(initial=0.0), LOOSE * values[-1])
    loose = int(np.sum(values <= least))
    if loose > count:
        raise ModelError(
            f"{source} has {loose + 6 - count} motions without stiffness, a body six: it has separate parts or a "
            "mechanism; hand over each part as a body of its own"
        )
    return np.asarray(scale[:, None] * vectors[:, :count])


def implied_places(K: Array, source: str) -> Array:
    """Return the places of nodes of six dofs relative to the first, (k, 3), implied by K. Raises ModelError."""
    motions = free_motions(K, source)
    if len(K) % 6 or np.linalg.cond(motions[:6]) > 1 / np.finfo(float).eps:
        raise ModelError(f"{source} needs the places of its nodes: give the input file (inp=) with them")
    G = (motions @ np.linalg.inv(motions[:6])).reshape(-1, 6, 6)
    places = -vector(np.moveaxis(G[:, :3, 3:], 0, 2)).T
    expected = np.tile(np.eye(6), (len(G), 1, 1))
    expected[:, :3, 3:] = -np.moveaxis(skew(places.T), 2, 0)
    size = max(float(np.abs(places).max()), np.finfo(float).tiny)
    error = np.abs(G - expected) / np.array([size, size, size, 1, 1, 1])[:, None]
    error[:, 3:, :3] *= size
    error[:, :3, :3] *= size
    if error.max() > IMPLIED:
        raise ModelError(
            f"{source} does not allow rigid motions, or its dofs are not x, y, z, rx, ry, rz of each node: give the "
            "free body's stiffness, and all dofs of each retained node"
        )
    return places
