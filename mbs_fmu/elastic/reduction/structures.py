"""The free structure of a finite element model: its nodes and matrices, and its inertia to second order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.extras import install
from ...infrastructure.messages.failures import display
from ..checks import check_moments
from ..shapes import LEVI_CIVITA, Array, Inertia, bilinear, skew, symmetric, vector

ASYMMETRY = 1e-8  #: tolerance of symmetry, relative to the largest number of a matrix
SUPPORTED = 1e-6  #: largest force of a rigid motion in a free structure, relative to the forces that cancel in it
UNEVEN = 1e-6  #: tolerance of the masses along the three axes, relative to the largest
MOTIONS = ("along x", "along y", "along z", "about x", "about y", "about z")


@dataclass(frozen=True)
class Structure:
    """A free finite element model."""

    places: Array  #: (N, 3), m
    M: Any  #: sparse (dofs N, dofs N), kg
    K: Any  #: sparse (dofs N, dofs N), N/m
    dofs: int  #: per node, 3 or 6

    def rigid(self, at: Array) -> Array:
        """Rigid motions of all dofs about a point, (dofs N, 6)."""
        return rigid_motions(self.places, at, self.dofs)

    @property
    def center(self) -> Array:
        """Centre of mass, (3), m."""
        G = self.rigid(np.zeros(3))
        momenta = G.T @ (self.M @ G)
        return np.asarray(-vector(momenta[:3, 3:]) / momenta[0, 0])

    @property
    def size(self) -> float:
        """Characteristic length that makes rotations comparable with displacements, m."""
        return float(np.abs(self.places - self.places.mean(0)).max()) or 1.0


def structure_of(nodes: Any, M: Any, K: Any, dofs: int | None) -> Structure:
    """Return the checked finite element model; dofs: by default as many per node as M has. Raises ModelError."""
    if dofs not in (None, 3, 6):
        raise ModelError(f"dofs is {display(dofs)}: nodes have 3 (solids) or 6 (beams and shells, with rotations)")
    places = numbers(nodes, "nodes", "places of nodes, an array (N, 3)")
    if places.ndim != 2 or places.shape[1] != 3 or not places.size or not np.isfinite(places).all():
        raise ModelError(f"nodes has shape {places.shape}: give finite places, an array (N, 3)")
    if dofs is None:
        dofs = 6 if np.shape(M)[:1] == (6 * len(places),) else 3
    needed = f"{len(places)} nodes of {dofs} dofs (dofs={dofs})"
    M, K = (matrix_of(A, name, dofs * len(places), needed) for A, name in ((M, "M"), (K, "K")))
    structure = Structure(places, M, K, int(dofs))
    check_mass(structure)
    _check_free(structure)
    return structure


def numbers(value: Any, thing: str, remedy: str) -> Array:
    """Return an array of numbers. Raises ModelError: "`thing` is ...: give `remedy`"."""
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} is {display(value)}: give {remedy}") from None


def matrix_of(value: Any, name: str, size: int, needed: str) -> Any:
    """Return a sparse matrix (size, size), made exactly symmetric; needed: what has this size. Raises ModelError."""
    sparse = scipy_modules().sparse
    if not sparse.issparse(value) and np.ndim(value) != 2:
        raise ModelError(
            f"{name} is {display(value)}: give a matrix; for lumped masses, scipy.sparse.diags_array(masses)"
        )
    if np.iscomplexobj(value):
        raise ModelError(f"{name} has complex numbers: give its real part, and set damping with with_damping")
    A = sparse.csc_array(value if sparse.issparse(value) else numbers(value, name, "a matrix"), dtype=float)
    if A.shape != (size, size):
        raise ModelError(f"{name} has shape {A.shape}: {needed} need {(size, size)}")
    if not np.isfinite(A.data).all():
        raise ModelError(f"{name} has numbers that are not finite")
    most = float(abs(A - A.T).max())
    if most > ASYMMETRY * abs(A).max():
        raise ModelError(f"{name} is not symmetric: differences reach {most:.3g}; give both triangles")
    return (0.5 * (A + A.T)).tocsc()


def check_mass(structure: Structure) -> None:
    """Raise ModelError unless the mass is positive and the same along x, y and z, and its moments those of a body."""
    G = structure.rigid(structure.places.mean(0))
    rigid = G.T @ (structure.M @ G)
    mass = rigid[:3, :3]
    masses = np.diag(mass)
    if np.abs(mass - masses.mean() * np.eye(3)).max() > UNEVEN * np.abs(masses).max() or not masses.min() > 0.0:
        raise ModelError(
            f"M has {', '.join(f'{m:.9g}' for m in masses)} kg along x, y, z: a body has the same positive mass in "
            f"each direction; {_cause(structure.M.diagonal())}"
        )
    lever = -vector(rigid[:3, 3:]) / masses.mean()
    cause = f"M has them in rigid rotations; {_cause(structure.M.diagonal())}"
    check_moments(symmetric(rigid[3:, 3:]) - masses.mean() * bilinear(lever, lever), cause)


def _cause(diagonal: Array) -> str:
    """Return why a mass matrix is that of no body, for a message; diagonal: of the mass matrix."""
    if diagonal.min() < 0.0:
        row = int(np.argmin(diagonal))
        return f"M is not positive, its row {row + 1} has the number {diagonal[row]:.3g} on its diagonal: write M again"
    empty = np.flatnonzero(diagonal == 0.0)
    if len(empty):
        return (
            f"{len(empty)} of {len(diagonal)} rows of M, as row {empty[0] + 1}, have no mass on their diagonal: its "
            "file is cut, or rows are missing, as those of supported dofs, whose mass moves with the free body"
        )
    return "check that M is whole, with rows of supported dofs too, and that its dofs are in the order of the nodes"


def _check_free(structure: Structure) -> None:
    """Raise ModelError if rigid motions of the structure cause elastic forces."""
    worst = resisted(structure, structure.K)
    if worst is not None:
        force = np.abs(structure.K @ structure.rigid(structure.places.mean(0))[:, worst]).max()
        raise ModelError(
            f"the structure is not free: a rigid motion {MOTIONS[worst]} causes a force of {force:.3g} (N/m, N/rad, "
            "N m/m or N m/rad) at a node; give the free body's stiffness, without supports"
        )


def resisted(structure: Structure, matrix: Any) -> int | None:
    """Return the rigid motion, of six, that a matrix resists most; None if all are free but for rounding."""
    return resisted_motion(matrix, structure.rigid(structure.places.mean(0)))


def resisted_motion(matrix: Any, G: Array) -> int | None:
    """Return the rigid motion, a column of G, that a matrix resists most; None if all are free but for rounding."""
    forces, sizes = np.abs(matrix @ G).max(0), (abs(matrix) @ np.abs(G)).max(0)
    worst = int(np.argmax(forces / np.maximum(sizes, np.finfo(float).tiny)))
    return worst if forces[worst] > SUPPORTED * sizes[worst] else None


def damping_of(structure: Structure, value: Any) -> Any:
    """Return a damping matrix, sparse. Raises ModelError, also if it damps rigid motions."""
    C = matrix_of(value, "damping_matrix", structure.K.shape[0], "the dofs of K")
    worst = resisted(structure, C)
    if worst is not None:
        raise ModelError(
            f"damping_matrix damps the rigid motion {MOTIONS[worst]}: a body's damping acts on its deformations only; "
            "model the resistance to its motion in space as forces"
        )
    return C


def stress_matrix(structure: Structure, name: str, value: Any) -> Any:
    """Return the matrix from displacements to stresses. Raises ModelError if rigid motions cause stress."""
    sparse, thing = scipy_modules().sparse, f"stress {name!r}"
    B = sparse.csr_array(value if sparse.issparse(value) else np.atleast_2d(numbers(value, thing, "a matrix")))
    shape = 6, structure.K.shape[0]
    if B.shape != shape:
        raise ModelError(f"{thing} has shape {B.shape}: give a matrix from all displacements to six stresses, {shape}")
    G = structure.rigid(structure.places.mean(0))
    stresses, sizes = np.abs(B @ G).max(0), (abs(B) @ np.abs(G)).max(0)
    for k in np.flatnonzero(stresses > SUPPORTED * sizes)[:1]:
        raise ModelError(
            f"{thing} is {stresses[k]:.3g} Pa for a unit rigid motion {MOTIONS[k]}, which causes no stress: check the "
            "order of dofs"
        )
    return B


# -- inertia -----------------------------------------------------------------------------------------------------
def inertia(places: Array, M: Any, shapes: Array) -> Inertia:
    """Return the invariants (F2) of a structure whose nodes move along shapes.

    places: (N, 3), m. M: (dofs N, dofs N), dofs 3 or 6. shapes: (dofs N, n). The energy is ½ wᵀMw with the velocities
    v + omega x (s + phi xi) + phi xi_dot of the nodes and their angular velocities in their own axes, R^T omega +
    T^T psi xi_dot with the Cayley vector psi xi (see `frames.moved`), to second order in (xi, xi_dot). The result is
    exact for the matrices of solids and of lumped masses with rotary inertia. Where elements couple displacements and
    rotations, terms of first order and above are those of straight elements; the error is proportional to the square of
    the element size. Foreshortening is not included.
    """
    N, n = len(places), shapes.shape[1]
    G = rigid_motions(places, np.zeros(3), len(shapes) // N)
    MG, MPhi = M @ G, M @ shapes
    rigid, coupling = G.T @ MG, G.T @ MPhi
    G1 = -skew(np.moveaxis(shapes.reshape(-1, 3, n), 1, 0))  # omega x phi, and -psi~ omega: both (3, 3, blocks, n)
    G1 = np.moveaxis(G1, 2, 0).reshape(len(shapes), 3 * n)
    first = (MG[:, 3:].T @ G1).reshape(3, 3, n)
    second = (G1.T @ (M @ G1)).reshape(3, n, 3, n).transpose(0, 2, 1, 3)
    C1 = (G1.T @ MPhi).reshape(3, n, n).swapaxes(1, 2)
    J2_rotary, C1_rotary = _rotary_terms(MG[:, 3:].reshape(N, -1, 3)[:, 3:], shapes.reshape(N, -1, n)[:, 3:])
    J2 = second + J2_rotary
    return Inertia(
        mass=float(np.trace(rigid[:3, :3])) / 3.0,
        S0=-vector(rigid[:3, 3:]),
        S1=coupling[:3],
        S2=np.zeros((3, n, n)),
        J0=rigid[3:, 3:],
        J1=first + first.swapaxes(0, 1),
        J2=symmetric(J2 + J2.swapaxes(0, 1)),
        C0=coupling[3:],
        C1=C1 + C1_rotary,
        Me=shapes.T @ MPhi,
    )


def _rotary_terms(L: Array, psi: Array) -> tuple[Array, Array]:
    """Terms of J2 and C1 due to the nodes' angular velocities of second order.

    L: angular momenta of the nodes per unit angular velocity of the body, (N, 3, 3). psi: (N, 3, n), or without rows if
    nodes have no rotations.
    """
    if psi.shape[1] == 0:
        return np.zeros(()), np.zeros(())
    products = np.einsum("kiw,kia,kjb->wjab", L, psi, psi, optimize=True)
    lengths = np.einsum("kjw,kia,kib->wjab", L, psi, psi, optimize=True)
    C1 = -0.5 * np.einsum("kiw,ijl,kjb,kla->wab", L, LEVI_CIVITA, psi, psi, optimize=True)
    return symmetric(products - lengths), C1


def rigid_motions(places: Array, at: Array, dofs: int) -> Array:
    """Rigid motions of nodes, (dofs N, 6): by displacement and rotation of the point `at` of the rigid body."""
    G = np.zeros((len(places), dofs, 6))
    G[:, :3, :3] = np.eye(3)
    G[:, :3, 3:] = -np.moveaxis(skew((places - at).T), 2, 0)
    G[:, 3:, 3:] = np.eye(3)[: dofs - 3]
    return G.reshape(-1, 6)


def scipy_modules() -> Any:
    """Return scipy with its linear algebra. Raises ModelError if it is not installed."""
    try:
        import scipy.linalg
        import scipy.sparse.linalg
    except ImportError:
        raise ModelError(f"finite element matrices need scipy: {install('elastic')}") from None
    return scipy
