"""Finite elements of thin plates: their stiffness, mass and stress stiffness, assembled for six dofs per node.

An element has, for each of its quadrature points, matrices from its dofs to the membrane forces N and to the
derivatives of its displacements along its two axes. The stress stiffness is that of membrane forces,

    K_g(u) = ∫ N_ij(u) (∂_iδw ∂_jw + ∂_iδu_k ∂_ju_k) dA                                                      (H8)

with u_k in the plane of the element and w across it. Bending stresses are left out: they vanish in the mean over the
thickness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ..reduction.stress_stiffness import Case
from ..reduction.structures import scipy_modules
from ..shapes import Array

CHUNK = 1000  #: elements whose derivatives are held in memory at a time
DOFS = 6  #: of a node: displacement (m), rotation (rad)


@dataclass(frozen=True)
class PlateElements:
    """n elements of c nodes in axes of their own; arrays by element have the length 1 where all elements are equal."""

    nodes: Array  #: (n, c), indices
    axes: Array  #: (n or 1, 3, 3): in-plane axes and normal, as columns
    K: Array  #: (n or 1, 6 c, 6 c)
    M: Array  #: (n or 1, 6 c, 6 c)
    areas: Array  #: (n or 1, p): weights of quadrature, m²
    forces: Array  #: (n or 1, p, 3, 6 c): membrane forces N_xx, N_yy, N_xy by dofs, N/m
    slopes: Array  #: (n or 1, p, 2, 3, 6 c): derivatives of the displacements (last axis but one) per dof

    def assembled(self, N: int) -> tuple[Any, Any]:
        """Return mass and stiffness matrix of N nodes in the body's axes, sparse, (6 N, 6 N), kg and N/m."""
        dofs = self._dofs()
        rows, columns = dofs[:, :, None], dofs[:, None, :]
        shape = len(dofs), dofs.shape[1], dofs.shape[1]
        where = tuple(np.broadcast_to(index, shape).ravel() for index in (rows, columns))
        coo = scipy_modules().sparse.coo_array
        parts = (np.broadcast_to(self._turned(part), shape).ravel() for part in (self.M, self.K))
        M, K = (coo((part, where), (DOFS * N, DOFS * N)).tocsc() for part in parts)
        return M, K

    def _dofs(self) -> Array:
        """Indices of dofs, (n, 6 c)."""
        return np.asarray((DOFS * self.nodes[:, :, None] + np.arange(DOFS)).reshape(len(self.nodes), -1))

    def _turned(self, matrices: Array) -> Array:
        """Return matrices of elements in the body's axes."""
        vectors = matrices.shape[1] // 3
        blocks = matrices.reshape(-1, vectors, 3, vectors, 3)
        turned = np.einsum("nij,najbk,nlk->naibl", self.axes, blocks, self.axes, optimize=True)
        return np.asarray(turned.reshape(-1, 3 * vectors, 3 * vectors))

    # -- stress stiffness ------------------------------------------------------------------------------------------
    def products(self, displacements: Mapping[Case, Array], shapes: Array) -> dict[Case, Array]:
        """Return Φᵀ K_g(u) Φ, (n, n), by load case; see `StressStiffness`."""
        n = shapes.shape[1]
        products = {case: np.zeros((n, n)) for case in displacements}
        loads = np.stack(list(displacements.values()), axis=1)
        for areas, forces, slopes in self._fields(shapes, loads):
            flat = slopes.reshape(-1, n)
            for k, case in enumerate(displacements):
                xx, yy, xy = (areas * forces[:, :, i, k] for i in range(3))
                N = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
                stressed = np.einsum("epij,epjkf->epikf", N, slopes, optimize=True)
                products[case] += flat.T @ stressed.reshape(-1, n)
        return products

    def _fields(self, shapes: Array, loads: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield areas of points, membrane forces of loads (.., 3, loads) and derivatives of shapes (.., 2, 3, n)."""
        dofs = self._dofs()
        for start in range(0, len(dofs), CHUNK):
            own = slice(start, start + CHUNK)
            areas, forces, slopes, axes = (
                part if len(part) == 1 else part[own] for part in (self.areas, self.forces, self.slopes, self.axes)
            )
            motions, loaded = (self._own(fields[dofs[own]], axes) for fields in (shapes, loads))
            derivatives, membrane = (
                (parts.reshape(len(parts), -1, parts.shape[-1]) @ fields).reshape(len(fields), *parts.shape[1:-1], -1)
                for parts, fields in ((slopes, motions), (forces, loaded))
            )
            yield np.broadcast_to(areas, membrane.shape[:2]), membrane, derivatives

    @staticmethod
    def _own(fields: Array, axes: Array) -> Array:
        """Return nodal displacements of elements, (n, 6 c, fields), in the elements' axes."""
        vectors = fields.reshape(len(fields), -1, 3, fields.shape[2])
        return np.asarray(np.einsum("nji,najf->naif", axes, vectors, optimize=True).reshape(fields.shape))


def plane_stress(E: float, nu: float) -> Array:
    """Return the matrix from strains xx, yy, xy (twice the tensor's) to stresses in a plane, (3, 3), Pa."""
    return np.asarray(E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, 0.5 * (1 - nu)]]))
