"""Shapes of a finite element model: for loads on its frames, and vibrations with the frames fixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ..shapes import Array, symmetric
from .interfaces import Condensed
from .structures import ASYMMETRY, Structure, scipy_modules

LOOSE = 1e-12  #: least stiffness of a dof after elimination of others, relative to its own
DEPENDENT = 1e-10  #: singular values of unit wrenches below this count as zero
ENDLESS = 1e-11  #: inverse square of a frequency, relative to the first mode's, below which a shape moves no mass
MASSLESS = 1e-10  #: mass of a shape of unit strain energy, relative to the largest (1e5 first frequencies)


class Flexibility:
    """The flexibility F: from forces to displacements of a structure whose first frame is fixed."""

    def __init__(self, model: Condensed):
        scipy = scipy_modules()
        self.G, self.A1 = model.G, model.A[:6]
        if model.K.diagonal().min() <= 0.0:
            raise _loose(model, np.argmin(model.K.diagonal()))
        # support the structure at the six dofs whose rigid motions are the most independent
        _, order = scipy.linalg.qr(self.G.T / np.linalg.norm(self.G, axis=0)[:, None], mode="r", pivoting=True)
        self.free = np.sort(order[6:])
        K = model.K[self.free][:, self.free].tocsc()
        self.lu = _factored(K)
        left = self.lu.U.diagonal()[self.lu.perm_c] / K.diagonal()
        if left.min() < LOOSE:
            raise _loose(model, self.free[np.argmin(left)])

    def balanced(self, f: Array) -> Array:
        """Return forces with the reaction of the first frame added, f'."""
        return np.asarray(f - self.A1.T @ (self.G.T @ f))

    def __call__(self, f: Array) -> Array:
        u = np.zeros_like(f)
        u[self.free] = self.lu.solve(self.balanced(f)[self.free])
        return np.asarray(u - self.G @ (self.A1 @ u))


def _loose(model: Condensed, coordinate: Any) -> ModelError:
    """Error for a structure that has no stiffness at a coordinate."""
    return ModelError(
        "a part of the structure moves without stiffness, apart from rigid motions of the whole: see "
        f"{model.place(int(coordinate))}; leave out parts and nodes that are not connected to the rest"
    )


def _factored(K: Any) -> Any:
    """LU factors of a positive matrix with pivots on the diagonal; a singular matrix is shifted by a rounding error."""
    scipy = scipy_modules()
    options = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    try:
        return scipy.sparse.linalg.splu(K, **options)
    except RuntimeError:
        shifted = K + scipy.sparse.diags_array(0.01 * LOOSE * K.diagonal())
        return scipy.sparse.linalg.splu(shifted.tocsc(), **options)


def normal_modes(model: Condensed, first_fixed: Flexibility, S: Array, count: int) -> Array:
    """Return the lowest vibrations with all frames fixed, orthonormal in the strain energy to each other and to S.

    S: shapes for loads, (z, m), orthonormal with respect to the strain energy. Returns (z, count).
    """

    def all_fixed(f: Array) -> Array:
        return np.asarray(first_fixed(f) - S @ (S.T @ f))

    return _normal_modes(model, all_fixed, count)


def attachments(flexibility: Flexibility, wrenches: Array) -> Array:
    """Shapes of unit wrenches, without those that depend on others, as for a second frame on the same nodes."""
    loads = flexibility.balanced(wrenches / np.linalg.norm(wrenches, axis=0))
    U, singular_values, _ = np.linalg.svd(loads, full_matrices=False)
    U = U[:, singular_values > DEPENDENT * max(1.0, singular_values.max(initial=0.0))]
    u = flexibility(U)
    L = np.linalg.cholesky(symmetric(U.T @ u))
    return np.linalg.solve(L, u.T).T


def _normal_modes(model: Condensed, flexibility: Callable[[Array], Array], modes: int) -> Array:
    """The lowest modes with all frames fixed, of unit strain energy, (z, modes). Raises ModelError for too many."""
    if modes == 0:
        return np.zeros((model.K.shape[0], 0))
    moving = np.flatnonzero(model.M.diagonal() > 0.0)
    # Lanczos needs many more dofs than modes; for fewer dofs, the dense method is fast
    few = len(moving) - model.A.shape[0] > 4 * modes + 100
    inverse, U = _few_modes(model, flexibility, modes) if few else _all_modes(model, flexibility, moving)
    most = min(model.K.shape[0] - model.A.shape[0], int(np.sum(inverse > ENDLESS * inverse.max())))
    if modes > most:
        raise ModelError(f"modes is {modes}: with its frames fixed the structure has {most} modes; give fewer")
    return U[:, -modes:]


def _few_modes(model: Condensed, flexibility: Callable[[Array], Array], modes: int) -> tuple[Array, Array]:
    """Inverse squares of the lowest angular frequencies, and modes of unit strain energy, by a Lanczos method."""
    linalg = scipy_modules().sparse.linalg
    start = flexibility(model.M @ np.random.default_rng(1).standard_normal(model.K.shape[0]))
    inverse = linalg.LinearOperator(model.K.shape, matvec=flexibility, dtype=float)
    squares, U = linalg.eigsh(model.K, modes, model.M, sigma=0.0, OPinv=inverse, v0=start)
    return 1.0 / squares, U / np.sqrt(np.abs(squares))


def _all_modes(model: Condensed, flexibility: Callable[[Array], Array], moving: Array) -> tuple[Array, Array]:
    """Inverse squares of all angular frequencies, in ascending order, and modes, by a dense method.

    moving: indices of the coordinates that have mass.
    """
    masses, V = np.linalg.eigh(model.M[moving][:, moving].toarray())
    if masses[0] < -ASYMMETRY * masses[-1]:
        raise ModelError("M is not positive: some motions have negative kinetic energy; check the order of dofs")
    half = np.zeros((model.K.shape[0], len(moving)))
    half[moving] = V * np.sqrt(np.maximum(masses, 0.0))
    deflections = flexibility(half)
    inverse, Y = np.linalg.eigh(symmetric(half.T @ deflections))  # nearly all rounding errors are antisymmetric
    return inverse, deflections @ (Y / np.sqrt(np.maximum(inverse, np.finfo(float).tiny)))


def normalized(structure: Structure, shapes: Array) -> tuple[Array, Array]:
    """Return shapes in the mean frame, in normal coordinates of unit mass by ascending frequency, and their stiffness.

    shapes: orthonormal with respect to the strain energy.
    """
    M = structure.M
    G = structure.rigid(structure.center) / np.repeat([1.0, structure.size], 3)
    mobility = np.linalg.pinv(G.T @ (M @ G), rcond=1e-13, hermitian=True)
    deformed = shapes - G @ (mobility @ (G.T @ (M @ shapes)))
    masses, Y = np.linalg.eigh(deformed.T @ (M @ deformed))
    heavy = np.flatnonzero(masses > MASSLESS * masses[-1])[::-1]
    return deformed @ (Y[:, heavy] / np.sqrt(masses[heavy])), np.diag(1.0 / masses[heavy])
