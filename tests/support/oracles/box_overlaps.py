"""Depth of the overlap of two boxes from the polyhedron that scipy finds for it, an oracle of (G14) in contact.md."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial import HalfspaceIntersection

Array = np.ndarray
ON_EDGE = 1e-9  #: m, distance from an edge at which a vertex of the overlap counts as on it


def depth(half_a: Array, half_b: Array, center: Array, axes: Array, inside: Array) -> float:
    """Depth (m) of box b in box a, from the vertices of their overlap.

    center: of b, m, and axes, columns, in the frame of a. inside: a point of the overlap, m.
    """
    eye = np.eye(3)
    faces_a = np.vstack([np.column_stack([s * eye, -half_a]) for s in (1, -1)])
    faces_b = np.vstack([np.column_stack([s * axes.T, -half_b - s * axes.T @ center]) for s in (1, -1)])
    vertices = HalfspaceIntersection(np.vstack([faces_a, faces_b]), inside).intersections
    wire = [
        *_chords(vertices, half_a, np.zeros(3), eye),
        *_chords(vertices, half_b, center, axes),
    ]  # fmt: skip
    length = sum(np.linalg.norm(q - p) for p, q in wire)
    least = [min(_squares(wire, face) for face in faces) for faces in (faces_a, faces_b)]
    return float(np.sqrt(sum(least) / length))


def _chords(vertices: Array, half: Array, center: Array, axes: Array) -> list[tuple[Array, Array]]:
    """Ends of the parts of the edges of a box that are edges of the polyhedron with these vertices."""
    own = (vertices - center) @ axes
    chords = []
    for k, signs in itertools.product(range(3), itertools.product((-1, 1), repeat=2)):
        others = [(k + 1) % 3, (k + 2) % 3]
        on = np.abs(own[:, others] - np.array(signs) * half[others]).max(axis=1) < ON_EDGE
        if on.any():
            along = own[on, k]
            chords.append((vertices[on][along.argmin()], vertices[on][along.argmax()]))
    return chords


def _squares(wire: list[tuple[Array, Array]], face: Array) -> float:
    """Integral of the squares of the depths under a face along a wire, m³; face: normal and minus its distance."""
    total = 0.0
    for p, q in wire:
        d, middle, e = (-(face[:3] @ x + face[3]) for x in (p, 0.5 * (p + q), q))
        total += np.linalg.norm(q - p) * (d * d + 4 * middle * middle + e * e) / 6  # Simpson, exact
    return float(total)
