"""Chains of equal elastic bodies, each held at the end of the one before: the first frequency of the chain."""

from __future__ import annotations

import numpy as np

from .eigenmodes import eigenfrequencies
from .frames import Node, moved
from .modes import Modes
from .shapes import Array, skew


def first_frequency(piece: Modes, root: str, end: str, count: int) -> float:
    """Return the lowest frequency of a chain of `count` pieces without damping, undeformed, held at the first root, Hz.

    root, end: nodes of a piece; the root of each but the first is fixed to the end of the one before. The masses of
    all coordinates follow from those of one piece, seen from its root, and from the motion of its frame by the
    coordinates of the pieces before. Raises ModelError for unknown nodes.
    """
    own, node = piece.node(root), piece.node(end).seen_from(piece.node(root))
    n, M = piece.count, moved(piece.inertia, own).matrix(np.zeros(piece.count))
    step = _next_frame(own, node)
    masses, motion = np.zeros((n * count, n * count)), np.zeros((6, n * count))
    for k in range(count):
        coordinates = np.eye(n, n * count, k=n * k)
        rates = np.concatenate([motion, coordinates])
        masses += rates.T @ M @ rates
        motion = step @ np.concatenate([motion, coordinates])
    return float(eigenfrequencies(np.kron(np.eye(count), piece.stiffness), masses)[0])


def _next_frame(root: Node, end: Node) -> Array:
    """Matrix from the twist of a piece's frame and the rates of its coordinates to the twist of the next, (6, 6 + n).

    Each twist (v; omega) is that of the data's origin, in the axes of its piece. end: as seen from the root.
    """
    at_end = np.block([[np.eye(3), -skew(end.position)], [np.zeros((3, 3)), np.eye(3)]])
    turn = np.kron(np.eye(2), root.axes @ end.axes.T)
    to_origin = np.block([[np.eye(3), skew(root.position)], [np.zeros((3, 3)), np.eye(3)]])
    return np.asarray(to_origin @ turn @ np.concatenate([at_end, end.Y1], axis=1))
