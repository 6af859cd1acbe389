"""Eigenmodes of an elastic body, and what they move at its nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from .frames import Node
from .shapes import Array, symmetric


def eigen(K: Array, M: Array) -> tuple[Array, Array]:
    """Return squares of the angular frequencies in ascending order, and the modes as columns, of unit mass.

    Uncoupled groups of coordinates are solved separately: bending modes stay in their plane even if the frequencies in
    two planes are equal.
    """
    squares, V = np.zeros(len(K)), np.zeros(K.shape)
    for block in _uncoupled(K, M):
        own = np.ix_(block, block)
        L = np.linalg.cholesky(K[own])  # of the stiffness, not of the mass, for the best accuracy of the low modes
        inverse, U = np.linalg.eigh(symmetric(np.linalg.solve(L, np.linalg.solve(L, M[own]).T)))
        squares[block] = 1.0 / inverse[::-1]
        V[own] = np.linalg.solve(L.T, U[:, ::-1]) * np.sqrt(squares[block])
    rising = np.argsort(squares, kind="stable")
    return squares[rising], V[:, rising]


def _uncoupled(*matrices: Array) -> list[Array]:
    """Return the groups of coordinates that no matrix couples, apart from rounding. The matrices are positive."""
    coupled = np.eye(len(matrices[0]), dtype=bool)
    for A in matrices:
        scale = np.sqrt(np.diag(A))
        coupled |= np.abs(A) > 1e-12 * np.outer(scale, scale)
    while True:
        further = coupled @ coupled
        if np.array_equal(further, coupled):
            break
        coupled = further
    return [np.flatnonzero(row) for k, row in enumerate(coupled) if not row[:k].any()]


def eigenfrequencies(K: Array, M: Array) -> Array:
    """Return the frequencies in ascending order, (n), Hz."""
    squares, _ = eigen(K, M)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)) / (2 * math.pi))


def node_shapes(nodes: Iterable[Node], V: Array) -> list[list[Array]]:
    """Displacements and rotations of the nodes for each column of V."""
    nodes = list(nodes)
    return [[node.Y1 @ column for node in nodes] for column in V.T]


def largest(shapes: list[Array], size: float, mass: float) -> float:
    """Return the largest displacement of a mode of unit mass, m, with the sign of its largest number.

    shapes: displacement and rotation of each node. For a mode that moves no node, returns the displacement of a rigid
    body of unit modal mass.
    """
    moves = np.array(shapes).reshape(-1, 6) * np.repeat([1.0, size], 3)
    most = float(np.linalg.norm(moves.reshape(-1, 3), axis=1).max(initial=0.0))
    if most < 1e-6 / math.sqrt(mass):
        return 1.0 / math.sqrt(mass)
    return math.copysign(most, moves.flat[np.argmax(np.abs(moves))])
