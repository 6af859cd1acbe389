"""Pin-jointed bars, from the stiffness matrix alone, and their stress stiffness.

In a structure of bars each block of K that couples two nodes is -k e eᵀ, where e is the direction between them. K
therefore determines all bars, and their forces N = k eᵀ(u_b - u_a) give

    K_g(u) = Σ (N/L) (E - e eᵀ) between both ends                                                        (H6)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ..reduction.stress_stiffness import Case
from ..reduction.structures import Structure
from ..shapes import Array

ZERO = 1e-12  #: a block of K without a bar, relative to its largest entry
MISFIT = 1e-9  #: of a block against k e eᵀ, relative to the largest entry of K


@dataclass(frozen=True)
class Bars:
    """Bars between nodes."""

    first: Array  #: (B)
    second: Array  #: (B)
    along: Array  #: e, unit vectors from the first node to the second, (B, 3)
    length: Array  #: L, (B), m
    stiffness: Array  #: k, (B), N/m

    def products(self, displacements: Mapping[Case, Array], shapes: Array) -> dict[Case, Array]:
        """Return Φᵀ K_g(u) Φ, (n, n), by load case."""
        strained = self._stretched(shapes)
        across = strained - np.einsum("bi,bj,bjn->bin", self.along, self.along, strained, optimize=True)
        products = {}
        for case, u in displacements.items():
            elongation = np.einsum("bi,bi->b", self.along, self._stretched(u[:, None])[:, :, 0])
            weights = self.stiffness * elongation / self.length
            products[case] = np.einsum("b,bia,bic->ac", weights, across, across, optimize=True)
        return products

    def _stretched(self, shapes: Array) -> Array:
        """Return u_b - u_a of each bar, (B, 3, n)."""
        u = shapes.reshape(-1, 3, shapes.shape[1])
        return np.asarray(u[self.second] - u[self.first])


def bars_of(structure: Structure) -> Bars:
    """Return the bars of a structure.

    Raises ModelError, with the two worst nodes, for stiffness that is not that of pin-jointed bars alone.
    """
    if structure.dofs != 3:
        raise ModelError("geometric='bars' needs nodes of three dofs: pin-jointed bars have no rotations")
    blocks = structure.K.tobsr(blocksize=(3, 3))
    rows = np.repeat(np.arange(len(structure.places)), np.diff(blocks.indptr))
    most = float(np.abs(blocks.data).max())
    coupled = (rows < blocks.indices) & (np.abs(blocks.data).max(axis=(1, 2)) > ZERO * most)
    first, second, K_ab = rows[coupled], blocks.indices[coupled], -blocks.data[coupled]
    between = structure.places[second] - structure.places[first]
    length = np.linalg.norm(between, axis=1)
    along = between / np.maximum(length, np.finfo(float).tiny)[:, None]
    k = np.einsum("bi,bij,bj->b", along, K_ab, along)
    misfit = np.abs(K_ab - k[:, None, None] * along[:, :, None] * along[:, None, :]).max(axis=(1, 2))
    if misfit.max(initial=0.0) > MISFIT * most:
        worst = int(np.argmax(misfit))
        raise ModelError(
            f"geometric='bars': K is not that of pin-jointed bars; between nodes {first[worst]} and {second[worst]} it "
            f"differs by {misfit[worst]:.3g} N/m from a spring along their line. Pass a function or load cases"
        )
    return Bars(first, second, along, length, k)
