"""Stress stiffness of a solid of tetrahedra, from the gradients of its shapes.

    K_g(u) = ∫ σ_ij(u) ∂_iδv_k ∂_jv_k dV                                                                (H7)

The gradients of Φ at the points of quadrature are weighted by the stresses of each load case. That takes P n (27 + 9 n)
operations a case for P points and n shapes, where K_g itself would have to be assembled for each case.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ..reduction.stress_stiffness import Case
from ..shapes import Array

ON = 1e-6  #: a point belongs to an element that it lies outside of by ON, relative to the element's size
OUTSIDE = 0.1  #: a stress point may lie outside the faceted surface, with barycentric coordinates down to -OUTSIDE
ELEMENTS = 1000  #: tetrahedra whose gradients are held in memory at a time


@dataclass(frozen=True)
class SolidStress:
    """The stress stiffness of a basis of scikit-fem, with Lamé's constants, Pa."""

    basis: Any
    lam: float
    mu: float

    def products(self, displacements: Mapping[Case, Array], shapes: Array) -> dict[Case, Array]:
        """Return Φᵀ K_g(u) Φ, (n, n), by load case."""
        n = shapes.shape[1]
        products = {case: np.zeros((n, n)) for case in displacements}
        fields = np.concatenate([shapes, np.stack(list(displacements.values()), axis=1)], axis=1)
        for gradients, weights in self._gradients(fields):
            ours = gradients[:, :, :, :n]
            for case, slope in zip(displacements, np.moveaxis(gradients[:, :, :, n:], 3, 0), strict=True):
                stressed = np.einsum("p,pij,pjkn->pikn", weights, self._stress(slope), ours, optimize=True)
                products[case] += ours.reshape(-1, n).T @ stressed.reshape(-1, n)
        return products

    def _stress(self, slope: Array) -> Array:
        """Return Hooke's stress by displacement gradients ∂_i u_k, (points, 3, 3)."""
        trace = np.einsum("pii->p", slope)[:, None, None] * np.eye(3)
        return np.asarray(self.lam * trace + self.mu * (slope + slope.swapaxes(1, 2)))

    def _gradients(self, fields: Array) -> Iterator[tuple[Array, Array]]:
        """Yield gradients ∂_i u_k of all fields, (points, 3, 3, fields), and volumes of the points."""
        import skfem

        basis = self.basis
        u = fields.reshape(basis.N, 3, -1)
        for start in range(0, basis.nelems, ELEMENTS):
            elements = np.arange(start, min(start + ELEMENTS, basis.nelems))
            part = skfem.Basis(basis.mesh, basis.elem, intorder=4, elements=elements)
            slopes = np.stack([np.asarray(shape[0].grad) for shape in part.basis])  # (local, 3, elements, points)
            own = u[basis.element_dofs[:, elements]]  # (local, elements, 3, fields)
            gradients = np.einsum("aiep,aekn->epikn", slopes, own, optimize=True)
            yield gradients.reshape(-1, *gradients.shape[2:]), np.asarray(part.dx).ravel()


def hooke(slope: Array, lam: float, mu: float) -> Array:
    """Stresses per displacement of a node whose shape function has this gradient, (6, 3)."""
    x, y, z = slope
    shear = [[2 * x, 0, 0], [0, 2 * y, 0], [0, 0, 2 * z], [y, x, 0], [0, z, y], [z, 0, x]]
    return np.asarray(mu * np.array(shear) + lam * np.outer([1, 1, 1, 0, 0, 0], slope))
