"""Depth of the overlap of two boxes from polyhedra that scipy finds, an oracle of (G14) in docs/contact.md."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.spatial import HalfspaceIntersection

Array = np.ndarray
ON_EDGE = 1e-9  #: m, distance from an edge at which a vertex of a polyhedron counts as on it
MARGIN = 0.05  #: over the least half width: height above a face up to which edges count


@dataclass
class Solid:
    """A box: half the lengths of its edges, m, its center, m, and axes, columns."""

    half: Array
    center: Array
    axes: Array

    @property
    def faces(self) -> Array:
        """(6, 4): outward normals, and minus their distances from the origin, m."""
        rows = [np.column_stack([s * self.axes.T, -self.half - s * self.axes.T @ self.center]) for s in (1, -1)]
        return np.vstack(rows)


def depth(a: Solid, b: Solid, inside: Array) -> float:
    """Depth (m) of two boxes; inside: a point of both, m."""
    margin = MARGIN * min(a.half.min(), b.half.min())
    both = _vertices(np.vstack([a.faces, b.faces]), inside)
    wires = _chords(both, a) + _chords(both, b)
    ways: list[list[tuple[float, float]]] = []
    for own, other in ((a, b), (b, a)):
        ways.append([])
        sums = [sum(_squares(p, q, face) for p, q in wires) for face in own.faces]
        for k in (min(axis, axis + 3, key=sums.__getitem__) for axis in range(3)):  # the nearer face of each axis
            raised = own.faces.copy()
            raised[k, 3] -= margin
            chords = _chords(_vertices(np.vstack([raised, other.faces]), inside), other)
            ways[-1].append((sums[k], sum(_weighted(p, q, raised[k], margin) for p, q in chords)))
    return float(np.sqrt(min((s + t) / (v + w) for (s, v), (t, w) in itertools.product(*ways))))


def _vertices(faces: Array, inside: Array) -> Array:
    return np.asarray(HalfspaceIntersection(faces, inside).intersections)


def _chords(vertices: Array, box: Solid) -> list[tuple[Array, Array]]:
    """Ends of the parts of the edges of a box that are edges of the polyhedron with these vertices."""
    own = (vertices - box.center) @ box.axes
    chords = []
    for k, signs in itertools.product(range(3), itertools.product((-1, 1), repeat=2)):
        others = [(k + 1) % 3, (k + 2) % 3]
        on = np.abs(own[:, others] - np.array(signs) * box.half[others]).max(axis=1) < ON_EDGE
        if on.any():
            along = own[on, k]
            chords.append((vertices[on][along.argmin()], vertices[on][along.argmax()]))
    return chords


def _below(place: Array, face: Array) -> float:
    return -float(face[:3] @ place + face[3])


def _squares(p: Array, q: Array, face: Array) -> float:
    """Integral of the squares of the depths under a face along a chord, m³, by Simpson's rule, which is exact."""
    d, middle, e = (_below(x, face) for x in (p, 0.5 * (p + q), q))
    return float(np.linalg.norm(q - p)) * (d * d + 4 * middle * middle + e * e) / 6


def _weighted(p: Array, q: Array, raised: Array, margin: float) -> float:
    """Length of a chord under a raised face, m, with the weight min(1, depth/margin), by its linear pieces."""
    d, e = _below(p, raised), _below(q, raised)
    cuts = sorted({0.0, 1.0, *([(margin - d) / (e - d)] if (margin - d) * (margin - e) < 0.0 else [])})
    weight = [min(1.0, (d + t * (e - d)) / margin) for t in cuts]
    pieces = zip(cuts, cuts[1:], weight, weight[1:], strict=False)
    return float(np.linalg.norm(q - p)) * sum((t - s) * 0.5 * (v + w) for s, t, v, w in pieces)
