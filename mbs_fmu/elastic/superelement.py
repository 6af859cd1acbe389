"""An elastic body from a superelement: matrices of interface nodes and modal coordinates, without the model's nodes.

The coordinates are the six dofs of each interface node and those of modes with a fixed interface, so the rigid motions
are G = (G_b, 0). K G = 0 is the check of order, axes and units. It does not show whether the modes leave the interface
nodes at rest, as they must; recovery points at these nodes do. All inertia to first order follows from M:

    Gᵀ M G = [[m E, -mc~], [mc~, J0]],    (S1; C0) = Gᵀ M Φ,    Me = Φᵀ M Φ,    K_r = Φᵀ K Φ               (H15)

with the shapes Φ, all coordinates but six that hold the body, seen from the mean frame. The terms of second order J1,
J2 and C1 contain products of displacements of the body's pieces, which the matrices do not state. They are those of
masses m_p ≥ 0 at the interface nodes and the recovery points, at x_p from the centre of mass, which move by φ_p:

    Σ m_p (1, x_p, Q(x_p, x_p), φ_p, x_p × φ_p) = (m, 0, J_c, 0, 0),   Σ m_p φ_pᵀ φ_p = Me               (H16)

in the sense of least squares, where mode a has the weight ω_1/ω_a. Without recovery points they are zero. The mean
frame makes that a small error: there, no part of these terms comes from the motion of the body as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from .fe.data import ReducedData
from .fe.densities import density_notes
from .fe.nastran_superelements import superelement_data
from .fe.rigid_places import NEGATIVE, free_motions
from .fe.units import DAMPING, MASS, MODAL, STIFFNESS, Units, nodal_kinds, scaled, units_of
from .frames import Node
from .matrices import Reduced
from .reduction.interfaces import Frame, condensed, frame_of
from .reduction.reduction import normalized
from .reduction.structures import (
    MOTIONS,
    Structure,
    check_mass,
    damping_of,
    inertia,
    matrix_of,
    numbers,
    resisted,
    rigid_motions,
    scipy_modules,
    stress_matrix,
)  # fmt: skip
from .shapes import Array, Inertia, bilinear, skew, symmetric

LARGEST = 1e60  #: number whose products do not overflow
MOST = 5000  #: dofs of a superelement, whose matrices are dense
SAME_PLACE = 1e-5  #: distance of a recovery point at an interface node, relative to the distances of the nodes
RECOVERED = 1e-4  #: error of the rigid motion of a recovery point, relative to the body's size: files have few digits
ROUNDED = 1e-6  #: square of a frequency of a rigid motion, relative to that of the first mode, which counts as zero
COUPLED = 1e-4  #: stiffness between interface dofs and modes, relative to their own: files have few digits
PAIRS = 20  #: modes whose masses the masses at points are fitted to


@dataclass(frozen=True)
class Superelement(Structure):
    """Interface nodes of six dofs each, and modal coordinates behind them."""

    def rigid(self, at: Array) -> Array:
        """Rigid motions of all coordinates about a point, (6 k + q, 6)."""
        G = rigid_motions(self.places, at, 6)
        return np.pad(G, ((0, self.K.shape[0] - len(G)), (0, 0)))


@dataclass(frozen=True)
class Arrays:
    """Optional data of a superelement; see `Modes.superelement`."""

    modal: Any = None
    damping: Any = None
    recovery: Any = None
    at: Any = None


def data_of(places: Any, M: Any, K: Any, further: Arrays, units: Any) -> ReducedData:
    """Return a superelement's data in SI units: from arrays, or without K from files of NASTRAN. Raises ModelError."""
    if K is None:
        return _of_files(places, M, further, "m,kg,s" if units is None else units)
    P = _places(places, "places")
    if not len(P):
        raise ModelError("places is empty: give the place of one interface node or more, an array (k, 3)")
    size, modal = _size(K), further.modal
    q = size - 6 * len(P) if modal is None else modal
    if not isinstance(q, (int, np.integer)) or isinstance(q, bool) or q < 0:
        remedy = "give a whole number, 0 or more" if modal is not None else "K has fewer rows than six for each node"
        raise ModelError(f"modal is {display(q)}, the number of modal coordinates: {remedy}")
    needed = f"{len(P)} interface nodes of six dofs and {q} modal coordinates"
    square = {"M": M, "K": K} if further.damping is None else {"M": M, "K": K, "damping": further.damping}
    A = {name: matrix_of(value, name, 6 * len(P) + q, needed).toarray() for name, value in square.items()}
    U = None if further.recovery is None else _recovery(further.recovery, size)
    at = _at(further.at, U)
    for name, value in {"places": P, **A, "recovery": U, "at": at}.items():
        if value is not None and np.abs(value).max(initial=0.0) > LARGEST:
            raise ModelError(f"{name} has the number {np.abs(value).max():.3g}, which no body has: look at the units")
    notes = _coupling_notes(A["K"], 6 * len(P))
    data = ReducedData(P, A["M"], A["K"], np.arange(1, len(P) + 1), A.get("damping"), U, at, notes=notes)
    return data if units is None else _in_si(data, units_of(units))


def _of_files(matrices: Any, bulk: Any, further: Arrays, units: Any) -> ReducedData:
    """Return the data of the files of a superelement. Raises ModelError for arrays without K or beside files."""
    if not isinstance(matrices, str | Path):
        raise ModelError("K is missing: give places, M and K, or the names of two files, such as 'arm.op4', 'arm.asm'")
    for name, value in vars(further).items():
        if value is not None:
            raise ModelError(f"{name} is given beside files, which contain it: leave it out")
    return superelement_data(matrices, bulk, units)


def _size(K: Any) -> int:
    """Return the number of rows of K. Raises ModelError for more than `MOST`, before anything is copied."""
    size = int(np.shape(K)[0]) if np.ndim(K) == 2 or scipy_modules().sparse.issparse(K) else 0
    if size > MOST:
        raise ModelError(
            f"K has {size} rows, a superelement {MOST} at most: pass the matrices of a whole model to "
            "Modes.matrices, or reduce it to fewer interface nodes"
        )
    return size


def _places(value: Any, thing: str) -> Array:
    places = numbers(value, thing, "places of nodes, an array (k, 3)")
    if places.ndim != 2 or places.shape[1] != 3 or not np.isfinite(places).all():
        raise ModelError(f"{thing} has shape {places.shape}: give finite places, an array (k, 3)")
    return places


def _recovery(value: Any, size: int) -> Array:
    dense = value.toarray() if scipy_modules().sparse.issparse(value) else value
    if np.iscomplexobj(dense):
        raise ModelError("recovery has complex numbers: give real displacements")
    U = numbers(dense, "recovery", "a matrix from all coordinates to displacements")
    if U.ndim != 2 or U.shape[1] != size or U.shape[0] % 3 or not np.isfinite(U).all():
        raise ModelError(f"recovery has shape {U.shape}: give finite displacements x, y, z of r points, (3 r, {size})")
    return U


def _at(value: Any, recovery: Array | None) -> Array | None:
    """Return the places of recovery points. Raises ModelError unless there is one for each."""
    if (value is None) != (recovery is None):
        raise ModelError("recovery and at belong together: displacements (3 r, n) of r points, and their places (r, 3)")
    if recovery is None:
        return None
    places = _places(value, "at")
    if 3 * len(places) != len(recovery):
        raise ModelError(f"at has {len(places)} points, recovery {len(recovery)} rows: each point has three, x, y, z")
    return places


def _coupling_notes(K: Array, count: int) -> tuple[str, ...]:
    """Return a note if K couples `count` interface dofs and modes, as it never does after a reduction to both."""
    own = np.sqrt(np.maximum(K.diagonal(), 0.0))
    if count == 6 or not (np.abs(K[:count, count:]) > COUPLED * np.outer(own[:count], own[count:])).any():
        return ()
    return (
        "K couples interface dofs and modal coordinates, which it does not if the modes have a fixed interface (Craig "
        "and Bampton): the body is wrong if a mode moves an interface node; give recovery points at these nodes (at=)",
    )


def _in_si(data: ReducedData, units: Units) -> ReducedData:
    """Return data in SI units; of those of its numbers that are in other units."""
    kinds = np.append(nodal_kinds(len(data.places), 6), np.full(data.modal, MODAL))
    M, K = scaled(data.M, kinds, units, MASS), scaled(data.K, kinds, units, STIFFNESS)
    D = None if data.damping is None else scaled(data.damping, kinds, units, DAMPING)
    U = None if data.recovery is None else units.length * data.recovery / units.rows(kinds)
    at = None if data.at is None else units.length * data.at
    return replace(data, places=units.length * data.places, M=M, K=K, damping=D, recovery=U, at=at)


# -- the body ----------------------------------------------------------------------------------------------------
def reduced(
    data: ReducedData, names: Any = None, couple: Any = "average", stress: Mapping[str, Any] | None = None
) -> Reduced:
    """Return a superelement in the mean frame; see `Modes.superelement` for the arguments. Raises ModelError."""
    sparse = scipy_modules().sparse
    structure = Superelement(data.places, sparse.csc_array(data.M), sparse.csc_array(_stiffness(data)), 6)
    _check_rigid_motions(structure, data)
    _check_inertia(structure)
    frames = [frame_of(structure, name, nodes) for name, nodes in _named(data, names).items()]
    if couple not in ("average", "rigid"):
        raise ModelError(
            f"couple is {display(couple)}: nodes of one name move on 'average' as it, or are 'rigid' to it"
        )
    model = condensed(structure, frames, couple)
    shapes, K_r = normalized(structure, model.L @ _shapes(model.K.toarray(), model.G))
    n = shapes.shape[1]
    D = np.zeros((n, n))
    if data.damping is not None:
        D = symmetric(shapes.T @ (damping_of(structure, data.damping) @ shapes))
    stresses = {name: np.asarray(stress_matrix(structure, name, B) @ shapes) for name, B in (stress or {}).items()}
    nodes = {frame.name: _node(frame, shapes) for frame in frames}
    points, displacements = _points(structure, data, shapes)
    exact = _inertia(structure, shapes)
    body, notes = _second_order(exact, K_r, points, displacements, data)
    notes = (*data.notes, *density_notes(exact.mass, exact.central, points), *notes)
    places, moving = points, displacements.reshape(len(points), 3, n)
    return Reduced(body, K_r, D, nodes, stresses, False, {}, places, moving, notes)


def _stiffness(data: ReducedData) -> Array:
    """Return K. The rows of a single interface node, which are zero but for rounding, become zero."""
    if len(data.places) > 1 or not data.modal:
        return data.K
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.abs(data.K.diagonal() / data.M.diagonal())  # of angular frequencies
    if not squares[:6].max() <= ROUNDED * squares[6:].min():
        return data.K
    K = np.zeros_like(data.K)
    K[6:, 6:] = data.K[6:, 6:]
    return K


def _check_rigid_motions(structure: Superelement, data: ReducedData) -> None:
    """Raise ModelError if K resists a rigid motion, or does not resist another one."""
    worst = resisted(structure, structure.K)
    size = structure.K.shape[0]
    if worst is not None:
        forces = np.abs(structure.K @ structure.rigid(structure.places.mean(0))[:, worst])
        row = int(np.argmax(forces))
        where = f"node {data.numbers[row // 6]}" if row < 6 * len(data.places) else "a modal coordinate"
        raise ModelError(
            f"K resists a rigid motion {MOTIONS[worst]}, by {forces[row]:.3g} (SI units) at {where}: the coordinates "
            "are x, y, z, rx, ry, rz of each interface node in the axes of the places, then those of modes with a "
            "fixed interface (not of free-interface modes, which take part in rigid motions); leave out supports"
        )
    if size == 6:
        raise ModelError("the superelement has one interface node and no modes, so that it is rigid: give modes")
    one = len(data.places) == 1  # then K has no stiffness at its node
    free_motions(structure.K.toarray()[6 * one :, 6 * one :], "K", 6 - 6 * one)


def _check_inertia(structure: Superelement) -> None:
    """Raise ModelError if M is not the mass matrix of a body."""
    check_mass(structure)
    M = structure.M.toarray()
    diagonal = M.diagonal()
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    values = np.linalg.eigvalsh(scale[:, None] * M * scale)
    if diagonal.min() < 0.0 or values[0] < -NEGATIVE * values[-1]:
        raise ModelError("M is not positive: some motions have negative kinetic energy; check the order of rows")
    G = structure.rigid(structure.center)
    rigid = G.T @ (M @ G)
    mixed, lever = rigid[:3, 3:], float(np.sqrt(rigid[0, 0] * np.abs(rigid[3:, 3:]).max()))
    if np.abs(mixed + mixed.T).max() > 1e-6 * lever:
        raise ModelError(
            "M gives rigid rotations a momentum that no body has: rows of M and K have the same order, axes and units"
        )


def _named(data: ReducedData, names: Any) -> dict[str, list[int]]:
    """Return indices of interface nodes by the name of a frame; without a name "node12". Raises ModelError."""
    known = {int(number): k for k, number in enumerate(data.numbers)}
    if names is None:
        names = {}
    elif not isinstance(names, Mapping):
        if isinstance(names, str) or len(names) != len(known):
            raise ModelError(f"names is {display(names)}: give one for each of {len(known)} interface nodes")
        names = dict(zip(known, names, strict=True))
    frames: dict[str, list[int]] = {}
    for number, name in names.items():
        if number not in known:
            raise ModelError(f"names has node {display(number)}: the interface nodes are {', '.join(map(str, known))}")
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"node {number} is named {display(name)}: give letters, digits and underscores")
        frames.setdefault(name, []).append(known[number])
    for number, k in known.items():
        if number not in names:
            frames.setdefault(f"node{number}", []).append(k)
    return frames


def _shapes(K: Array, G: Array) -> Array:
    """Return all motions but rigid ones, of unit strain energy and orthogonal in that, (z, z - 6)."""
    linalg = scipy_modules().linalg
    _, order = linalg.qr(G.T / np.linalg.norm(G, axis=0)[:, None], mode="r", pivoting=True)
    free = np.sort(order[6:])
    scale = 1.0 / np.sqrt(K.diagonal()[free])
    L = np.linalg.cholesky(scale[:, None] * K[np.ix_(free, free)] * scale)
    Z = np.zeros((len(K), len(free)))
    Z[free] = scale[:, None] * linalg.solve_triangular(L, np.eye(len(free)), lower=True).T
    return Z


def _node(frame: Frame, shapes: Array) -> Node:
    n = shapes.shape[1]
    return Node(frame.place, frame.axes, np.asarray(frame.average @ shapes), np.zeros((6, n, n)))


def _inertia(structure: Superelement, shapes: Array) -> Inertia:
    """Return the invariants that M determines, in the frame of the shapes; those of second order are zero (H15)."""
    n = shapes.shape[1]
    G = structure.rigid(np.zeros(3))
    MPhi = structure.M @ shapes
    rigid, coupling = G.T @ (structure.M @ G), G.T @ MPhi
    mass = float(np.trace(rigid[:3, :3])) / 3.0
    mixed = 0.5 * (rigid[:3, 3:] - rigid[3:, :3])
    S0 = np.array([mixed[1, 2], mixed[2, 0], mixed[0, 1]])
    zero, Me = np.zeros((3, n, n)), symmetric(shapes.T @ MPhi)
    J1, J2 = np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
    return Inertia(mass, S0, coupling[:3], zero, symmetric(rigid[3:, 3:]), J1, J2, coupling[3:], zero, Me)


# -- terms of second order ---------------------------------------------------------------------------------------
def _points(structure: Superelement, data: ReducedData, shapes: Array) -> tuple[Array, Array]:
    """Return places (p, 3) and displacements (3 p, n) of interface nodes and recovery points. Raises ModelError."""
    k, n = len(data.places), shapes.shape[1]
    at_nodes = shapes[: 6 * k].reshape(k, 6, n)[:, :3].reshape(3 * k, n)
    if data.recovery is None or data.at is None:
        return data.places, at_nodes
    center = data.places.mean(0)
    moved, expected = data.recovery @ structure.rigid(center), rigid_motions(data.at, center, 3)
    error = np.abs(moved - expected) / [1, 1, 1, *[max(structure.size, np.abs(expected).max())] * 3]
    row, motion = np.unravel_index(int(np.argmax(error)), error.shape)
    if error[row, motion] > RECOVERED:
        raise ModelError(
            f"recovery moves point {row // 3} by {moved[row, motion]:.6g} along {'xyz'[row % 3]} in a unit rigid "
            f"motion {MOTIONS[motion]}, its place needs {expected[row, motion]:.6g}: check the order of rows and at"
        )
    if data.recovered is None:  # those of files are other grids, whose interface `nastran_superelements.py` checks
        _check_interface(data, data.recovery, data.at, structure.size)
    return np.concatenate([data.places, data.at]), np.concatenate([at_nodes, data.recovery @ shapes])


def _check_interface(data: ReducedData, recovery: Array, at: Array, size: float) -> None:
    """Raise ModelError unless recovery points at interface nodes move as these, if the interface of modes is fixed.

    Displacements by modes count relative to √(M_jj/m), that by a mode with this modal mass of the body of mass m.
    """
    k, M = 6 * len(data.places), data.M
    modal = np.sqrt(np.maximum(M.diagonal()[k:], np.finfo(float).tiny) / np.sum(M[:k:6, :k:6]))
    scale = np.concatenate([np.tile([1.0] * 3 + [size] * 3, len(data.places)), modal])
    distances = np.linalg.norm(at[:, None] - data.places, axis=2)
    for point, node in np.argwhere(distances <= SAME_PLACE * size).tolist():
        more = recovery[3 * point : 3 * point + 3].copy()
        more[:, 6 * node : 6 * node + 3] -= np.eye(3)
        row, j = np.unravel_index(int(np.argmax(np.abs(more) / scale)), more.shape)
        if not abs(more[row, j]) > RECOVERED * scale[j]:
            continue
        if j >= k:
            by = f"of modal coordinate {j - k + 1}"
            cause = "the modes have a free interface, it must be fixed (Craig-Bampton): subtract their boundary part"
        else:
            by, cause = f"{MOTIONS[j % 6]} of node {data.numbers[j // 6]}", "check the order of rows"
        raise ModelError(
            f"recovery moves point {point} along {'xyz'[row]} by {more[row, j]:.4g} more than interface node "
            f"{data.numbers[node]}, at the same place, in a unit motion {by}: {cause}; leave the point out if it is "
            "another node at this place"
        )


def _second_order(
    exact: Inertia, stiffness: Array, points: Array, displacements: Array, data: ReducedData
) -> tuple[Inertia, tuple[str, ...]]:
    """Return the invariants with J1, J2 and C1 of masses at points (H16), and notes on them."""
    if data.recovery is None:
        return exact, (
            "J1, J2 and C1, terms of second order in the speed of rotation, are unknown and zero: give the "
            "displacements of further points (recovery=, at=)",
        )
    masses, error = _masses(exact, stiffness, points, displacements)
    M = scipy_modules().sparse.diags_array(np.repeat(masses, 3)).tocsc()
    points_only = inertia(points, M, displacements)
    note = f"J1, J2 and C1 are those of {np.sum(masses > 0)} masses at points, fitted with an error of {error:.1%}"
    return replace(exact, J1=points_only.J1, J2=points_only.J2, C1=points_only.C1), (note,)


def _masses(exact: Inertia, stiffness: Array, points: Array, displacements: Array) -> tuple[Array, float]:
    """Return masses of points that fit the invariants best, (p), kg, and the relative error (H16)."""
    n, x = displacements.shape[1], points - exact.center
    phi = displacements.reshape(len(x), 3, n)
    soft = np.sqrt(stiffness[0, 0] / stiffness.diagonal())  # high modes have short waves, which few points miss
    phi, Me = phi * soft, exact.Me * np.outer(soft, soft)
    size = np.sqrt(np.trace(exact.central) / exact.mass)
    upper, modes = np.triu_indices(3), np.arange(min(n, PAIRS))
    quadratic = np.array([bilinear(r, r)[upper] for r in x])
    levers = np.einsum("kij,kja->kia", np.moveaxis(skew(x.T), 2, 0), phi)
    pairs = np.triu_indices(len(modes))
    products = np.einsum("kia,kib->kab", phi[:, :, modes], phi[:, :, modes])[:, pairs[0], pairs[1]]
    unit = np.sqrt(exact.mass)
    rows = [
        (np.ones((len(x), 1)), [exact.mass], exact.mass),
        (x, np.zeros(3), exact.mass * size),
        (quadratic, exact.central[upper], exact.mass * size**2),
        (phi.reshape(len(x), -1), np.zeros(3 * n), unit),
        (levers.reshape(len(x), -1), np.zeros(3 * n), unit * size),
        (products, Me[pairs], 1.0),
    ]  # of unit modal mass
    A = np.concatenate([part.T / scale for part, _, scale in rows])
    b = np.concatenate([np.asarray(value) / scale for _, value, scale in rows])
    from scipy.optimize import nnls

    masses, residual = nnls(A, b)
    return masses, float(residual / np.linalg.norm(b))
