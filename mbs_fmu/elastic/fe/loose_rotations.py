"""Rotations of nodes without stiffness, beside others that have some: solids beside shells and beams.

Such a rotation is tied to the rotation ω of three distant nodes by a spring k (d·(θ - ω))², where d is its direction.
Nothing else acts on it, so that it follows ω without a force and leaves the rest of the model unchanged, while the
stiffness becomes regular.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ..reduction.structures import rigid_motions, scipy_modules
from ..shapes import Array

LINE = 1e-6  #: distance of a third node from the line of two, relative to their own, that defines a rotation
SOFT = 1e-3  #: stiffness of the springs, relative to the average of the structure


def springs(places: Array, loose: list[tuple[int, Array]], K: Any) -> tuple[Any, list[int]]:
    """Return the stiffness of springs, (6 N, 6 N), sparse, and the three nodes that loose rotations follow.

    places: (N, 3). loose: node and direction, (3), of each loose rotation. K: (6 N, 6 N). Raises ModelError if all
    nodes are on a line.
    """
    three = _distant(places)
    size = float(np.abs(places - places.mean(0)).max())
    G = rigid_motions(places[three], places[three].mean(0), 3)
    G[:, 3:] /= size
    rotation = np.linalg.pinv(G)[3:] / size
    directions = np.array([direction for _, direction in loose])
    own = np.array([6 * node + 3 + np.arange(3) for node, _ in loose])
    others = (6 * np.array(three)[:, None] + np.arange(3)).ravel()
    values = np.concatenate([directions, -directions @ rotation], axis=1)
    columns = np.concatenate([own, np.tile(others, (len(loose), 1))], axis=1)
    rows = np.repeat(np.arange(len(loose)), columns.shape[1])
    B = scipy_modules().sparse.coo_array((values.ravel(), (rows, columns.ravel())), shape=(len(loose), K.shape[0]))
    return SOFT * float(K.diagonal().reshape(-1, 6)[:, :3].mean()) * size**2 * (B.T @ B), three


def _distant(places: Array) -> list[int]:
    """Return three nodes far from each other. Raises ModelError if all are on a line."""
    a = int(np.argmax(np.linalg.norm(places - places.mean(0), axis=1)))
    b = int(np.argmax(np.linalg.norm(places - places[a], axis=1)))
    length = float(np.linalg.norm(places[b] - places[a])) or 1.0
    across = np.linalg.norm(np.cross(places - places[a], (places[b] - places[a]) / length), axis=1)
    c = int(np.argmax(across))
    if not across[c] > LINE * length:
        raise ModelError(
            "some rotations of nodes have no stiffness, and all nodes are on a line: give beams torsional stiffness"
        )
    return [a, b, c]
