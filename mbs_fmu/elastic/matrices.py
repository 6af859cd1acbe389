"""An elastic body from the nodes, mass and stiffness matrix of a finite element model (Craig and Bampton 1968).

Displacements u of the free structure obey M ü + K u = f, and K lets rigid motions G go. A frame f moves by y = A u:

- average: A = (GᵀWG)⁻¹GᵀW of its nodes, what a rigid body does that follows them best (RBE3). The weights W count
  displacements only; where those don't tell a rotation (one node, nodes on a line), rotations of nodes count as well.
- rigid: its nodes follow y (RBE2). With L from the motion of frames and other nodes to all nodes, M and K become
  LᵀML and LᵀKL, y are coordinates, and all goes on as with averages.

The first frame is held, which is statically determinate: a force f is balanced there, f' = f - A₁ᵀGᵀf, and then any six
dofs that hold the structure carry nothing. So F f = P K⁻¹ f', where K⁻¹ holds six such dofs and P = E - G A₁ brings the
first frame back to rest (G about its place), needs one sparse factorisation and no multipliers. Shapes are

- attachment: S = F Aᵀ of unit wrenches at the other frames, scaled to SᵀKS = E,
- normal: the lowest modes with all frames held, where the flexibility is F - S Sᵀ; scaled to UᵀKU = E too. SᵀKU = 0.

With rigid motions these span what Craig and Bampton's do: compliances between frames are exact, frequencies converge
from above. They are given in the mean frame and in the normal coordinates of the free reduced body, of unit mass.
The mean frame matters, since without second-order displacements shapes are straight lines in their own frame alone: a
body on a soft first frame would grow as it turns about it, and a spinning blade would not stiffen at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.extras import install
from ..messages.failures import display
from ..progress import waiting
from .frames import Node
from .shapes import Array, Inertia, symmetric, vector
from .structures import inertia, rigid_motions

ASYMMETRY = 1e-8  #: of a matrix, in parts of its largest number
HELD = 1e-6  #: forces of a rigid motion, in parts of those that cancel in them
UNEVEN = 1e-6  #: mass along one axis against another
LOOSE = 1e-12  #: what stiffness of a dof is left when others follow, in parts of its own
LINE = 1e-6  #: width of a frame's nodes, in parts of their length
LIKE = 1e-10  #: what is left of unit wrenches that others or the first frame's balance
ENDLESS = 1e-11  #: inverse square of a frequency, in parts of the first: of what moves no mass
MASSLESS = 1e-10  #: mass of a shape of unit strain energy, in parts of the largest: of 1e5 times the first frequency
SECONDS = 1e-8  #: s of a reduction for each square of the number of unknowns: two minutes for 1e5
MOTIONS = ("along x", "along y", "along z", "about x", "about y", "about z")


def reduced(
    nodes: Any,
    M: Any,
    K: Any,
    frames: Mapping[str, Any],
    modes: int = 10,
    couple: str = "average",
    dofs: int = 3,
    stress: Mapping[str, Any] | None = None,
) -> tuple[Inertia, Array, Array, dict[str, Node], dict[str, Array]]:
    """Inertia, stiffness (n, n), damping (n, n) of zeros, nodes and stresses of a finite element model in few shapes.

    nodes: undeformed places, (N, 3), m, in the body's axes. M, K: (dofs N, dofs N), sparse or dense, kg and N/m, both
    triangles, of the free structure. dofs: 3 a node (x, y, z) or 6 (then rotations, rad). frames: by name the indices
    of nodes (from 0), whose centroid is the frame's place, or a pair (indices, place); the first is held. modes: how
    many normal modes besides the six attachment shapes of each frame but the first; shapes that depend on others, or
    move no mass, are left out. couple: "average" or "rigid". stress: matrices (6, dofs N), by name. Raises ModelError.
    """
    structure = _structure(nodes, M, K, dofs)
    unknowns = len(structure.places) * dofs
    with waiting("structure", f"reducing {unknowns} unknowns to modes", SECONDS * unknowns**2):
        return _reduced(structure, frames, modes, couple, stress)


def _reduced(
    structure: _Structure, frames: Any, modes: int, couple: str, stress: Any
) -> tuple[Inertia, Array, Array, dict[str, Node], dict[str, Array]]:
    measured = {name: _measured(structure, name, told) for name, told in _forms_of(stress).items()}
    placed = [_frame(structure, str(name), value) for name, value in _options(frames, modes, couple).items()]
    model = _condensed(structure, placed, couple)
    shapes, K_r = _in_mean_frame(structure, model.L @ _shapes(model, modes))
    n = len(K_r)
    made = {
        frame.name: Node(frame.place, np.eye(3), np.asarray(frame.average @ shapes), np.zeros((6, n, n)))
        for frame in placed
    }
    stresses = {name: np.asarray(B @ shapes) for name, B in measured.items()}
    return inertia(structure.places, structure.M, shapes), K_r, np.zeros((n, n)), made, stresses


# -- what is given -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Structure:
    places: Array
    M: Any
    K: Any
    dofs: int  #: of a node

    def rigid(self, at: Array) -> Array:
        return rigid_motions(self.places, at, self.dofs)

    @property
    def size(self) -> float:
        """A length by which rotations are compared with displacements, m."""
        return float(np.abs(self.places - self.places.mean(0)).max()) or 1.0


def _structure(nodes: Any, M: Any, K: Any, dofs: int) -> _Structure:
    if dofs not in (3, 6):
        raise ModelError(f"dofs is {display(dofs)}: nodes have 3 (solids) or 6 (beams and shells, with rotations)")
    places = _numbers(nodes, "nodes", "places of nodes, an array (N, 3)")
    if places.ndim != 2 or places.shape[1] != 3 or not places.size or not np.isfinite(places).all():
        raise ModelError(f"nodes has shape {places.shape}: give finite places, an array (N, 3)")
    structure = _Structure(places, _matrix(M, "M", len(places), dofs), _matrix(K, "K", len(places), dofs), int(dofs))
    _check_mass(structure)
    _check_free(structure)
    return structure


def _numbers(value: Any, thing: str, wanted: str) -> Array:
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} is {display(value)}: give {wanted}") from None


def _matrix(value: Any, name: str, N: int, dofs: int) -> Any:
    """A sparse matrix, exactly symmetric."""
    sparse = _scipy().sparse
    if not sparse.issparse(value) and np.ndim(value) != 2:
        raise ModelError(
            f"{name} is {display(value)}: give a matrix; of lumped masses, scipy.sparse.diags_array(masses)"
        )
    if np.iscomplexobj(value):
        raise ModelError(f"{name} has complex numbers: give its real part, and damping by with_damping")
    A = sparse.csc_array(value if sparse.issparse(value) else _numbers(value, name, "a matrix"), dtype=float)
    if A.shape != (dofs * N, dofs * N):
        raise ModelError(f"{name} has shape {A.shape}: {N} nodes of {dofs} dofs (dofs={dofs}) need {(dofs * N,) * 2}")
    if not np.isfinite(A.data).all():
        raise ModelError(f"{name} has numbers that are not finite")
    most = float(abs(A - A.T).max())
    if most > ASYMMETRY * abs(A).max():
        raise ModelError(f"{name} is not symmetric: differences reach {most:.3g}; give both triangles")
    return (0.5 * (A + A.T)).tocsc()


def _check_mass(structure: _Structure) -> None:
    G = structure.rigid(np.zeros(3))[:, :3]
    mass = G.T @ (structure.M @ G)
    seen = np.diag(mass)
    if np.abs(mass - seen.mean() * np.eye(3)).max() > UNEVEN * np.abs(seen).max() or not seen.min() > 0.0:
        raise ModelError(
            f"M has {', '.join(f'{m:.9g}' for m in seen)} kg along x, y, z: a body has the same positive mass in each "
            "direction, with nothing left out at supports; look at the order of dofs as well"
        )


def _check_free(structure: _Structure) -> None:
    G = structure.rigid(structure.places.mean(0))
    forces, sizes = np.abs(structure.K @ G).max(0), (abs(structure.K) @ np.abs(G)).max(0)
    worst = int(np.argmax(forces / np.maximum(sizes, np.finfo(float).tiny)))
    if forces[worst] > HELD * sizes[worst]:
        raise ModelError(
            f"the structure is held: moved {MOTIONS[worst]} as a rigid body, it resists with {forces[worst]:.3g} (N/m "
            "and so on) at a node; give the free body's stiffness, without supports"
        )


def _forms_of(stress: Any) -> Mapping[str, Any]:
    if stress is not None and not isinstance(stress, Mapping):
        raise ModelError(f"stress is {display(stress)}: give matrices by name, such as {{'gauge': B}}")
    return stress or {}


def _measured(structure: _Structure, name: str, value: Any) -> Any:
    """A matrix of stresses by displacements, which moving as a whole does not give."""
    sparse, thing = _scipy().sparse, f"stress {name!r}"
    B = sparse.csr_array(value if sparse.issparse(value) else np.atleast_2d(_numbers(value, thing, "a matrix")))
    wanted = 6, structure.K.shape[0]
    if B.shape != wanted:
        raise ModelError(f"{thing} has shape {B.shape}: give six stresses by all displacements, {wanted}")
    G = structure.rigid(structure.places.mean(0))
    given, sizes = np.abs(B @ G).max(0), (abs(B) @ np.abs(G)).max(0)
    for k in np.flatnonzero(given > HELD * sizes)[:1]:
        raise ModelError(
            f"{thing} is {given[k]:.3g} Pa where the structure moves {MOTIONS[k]} by a unit and does not deform: "
            "look at the order of dofs"
        )
    return B


def _options(frames: Any, modes: Any, couple: str) -> Mapping[str, Any]:
    if not isinstance(frames, Mapping) or not frames:
        raise ModelError(f"frames is {display(frames)}: give one or more by name, such as {{'tip': [node, ...]}}")
    if not isinstance(modes, (int, np.integer)) or isinstance(modes, bool) or modes < 0:
        raise ModelError(f"modes is {display(modes)}: give a whole number, 0 or more")
    if couple not in ("average", "rigid"):
        raise ModelError(
            f"couple is {display(couple)}: a frame is the 'average' of its nodes, or they are 'rigid' to it"
        )
    if modes == 0 and len(frames) == 1:
        raise ModelError("modes is 0 with one frame, which leaves no shape: give modes or a second frame")
    return frames


# -- frames ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Frame:
    name: str
    nodes: Array  #: indices
    place: Array  #: (3), m
    average: Any  #: A, its motion by that of its nodes, sparse, (6, dofs N)
    follow: Any  #: the motion of its nodes where they are rigid to it, sparse, (dofs N, 6)


def _frame(structure: _Structure, name: str, value: Any) -> _Frame:
    paired = is_placed(value)
    nodes = _indices(name, value[0] if paired else value, len(structure.places))
    at = structure.places[nodes]
    place = _numbers(value[1], f"the place of frame {name!r}", "three numbers, m") if paired else at.mean(0)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ModelError(f"the place of frame {name!r} is {display(place)}: give three numbers, m")
    lengths = np.linalg.svd(at - at.mean(0), compute_uv=False)
    line = len(nodes) < 3 or lengths[1] <= LINE * lengths[0]
    if line and structure.dofs == 3:
        what = "one node" if len(nodes) == 1 else f"{len(nodes)} nodes on a line"
        raise ModelError(
            f"frame {name!r} has no rotation, with {what}: give three nodes or more that are not on a line"
        )
    spread = float(lengths @ lengths) / len(nodes) or 1.0  # m²: a node's turn counts by what it does to the others
    W = np.tile(np.repeat([1.0, spread if line else 0.0], 3)[: structure.dofs], len(nodes))
    G = rigid_motions(at, place, structure.dofs)
    A = np.linalg.solve(G.T @ (W[:, None] * G), G.T * W)
    dofs = np.repeat(structure.dofs * nodes, structure.dofs) + np.tile(np.arange(structure.dofs), len(nodes))
    where, size = (np.repeat(dofs, 6), np.tile(np.arange(6), len(dofs))), structure.K.shape[0]
    average, follow = (_scipy().sparse.csc_array((B.ravel(), where), (size, 6)) for B in (A.T, G))
    return _Frame(name, nodes, place, average.T, follow)


def is_placed(value: Any) -> bool:
    """Whether a frame is told by a pair of its nodes and a place."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[1]) == 1


def _indices(name: str, value: Any, N: int) -> Array:
    try:
        given = np.asarray(value)
    except ValueError:  # lists of unlike lengths
        given = np.array("?")
    if given.size == 0:
        raise ModelError(f"frame {name!r} has no nodes: give the indices of some")
    found = np.unique(given) if given.ndim == 1 else np.array("?")
    if found.dtype.kind not in "iu":
        raise ModelError(f"frame {name!r} is {display(value)}: give indices of nodes, or a pair (indices, place)")
    for unknown in found[(found < 0) | (found >= N)][:1]:
        raise ModelError(f"frame {name!r} has node {unknown}: the structure has nodes 0 to {N - 1}")
    return found


# -- shapes ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Model:
    """The structure in the coordinates z that rigid frames leave it."""

    L: Any  #: all displacements by z, (dofs N, z)
    M: Any
    K: Any
    G: Array  #: rigid motions about the first frame's place, (z, 6)
    A: Any  #: motions of frames, (6 frames, z)
    place: Callable[[int], str]  #: what a coordinate moves, in words


def _condensed(structure: _Structure, frames: list[_Frame], couple: str) -> _Model:
    sparse = _scipy().sparse
    G, A = structure.rigid(frames[0].place), sparse.vstack([frame.average for frame in frames]).tocsr()
    L = sparse.eye_array(len(G), format="csc")
    if couple == "rigid":
        _check_apart(frames)
        follow = sparse.hstack([frame.follow for frame in frames]).tocsr()
        others = np.flatnonzero(np.diff(follow.indptr) == 0)
        L, G = sparse.hstack([L[:, others], follow]).tocsc(), np.concatenate([G[others], A @ G])
        A = sparse.eye_array(A.shape[0], len(G), k=len(others), format="csr")
    M, K = ((L.T @ B @ L).tocsc() for B in (structure.M, structure.K))

    def place(coordinate: int) -> str:
        dof = int(np.argmax(np.abs(L[:, [coordinate]].toarray())))
        return f"node {dof // structure.dofs} {MOTIONS[dof % structure.dofs]}"

    return _Model(L, M, K, G, A, place)


def _check_apart(frames: list[_Frame]) -> None:
    owner: dict[int, str] = {}
    for frame in frames:
        for node in frame.nodes.tolist():
            if owner.setdefault(node, frame.name) != frame.name:
                raise ModelError(
                    f"frames {owner[node]!r} and {frame.name!r} share node {node}, which can't be rigid to both: "
                    "give each node to one of them, or couple='average'"
                )


class _Held:
    """F: displacements by forces on a free structure whose first frame is held."""

    def __init__(self, model: _Model):
        scipy = _scipy()
        self.G, self.A1 = model.G, model.A[:6]
        if model.K.diagonal().min() <= 0.0:
            raise _loose(model, np.argmin(model.K.diagonal()))
        # six dofs that hold it: those whose rigid motions are the most independent
        _, order = scipy.linalg.qr(self.G.T / np.linalg.norm(self.G, axis=0)[:, None], mode="r", pivoting=True)
        self.free = np.sort(order[6:])
        K = model.K[self.free][:, self.free].tocsc()
        self.lu = _factored(K)
        left = self.lu.U.diagonal()[self.lu.perm_c] / K.diagonal()
        if left.min() < LOOSE:
            raise _loose(model, self.free[np.argmin(left)])

    def balanced(self, f: Array) -> Array:
        return np.asarray(f - self.A1.T @ (self.G.T @ f))

    def __call__(self, f: Array) -> Array:
        u = np.zeros_like(f)
        u[self.free] = self.lu.solve(self.balanced(f)[self.free])
        return np.asarray(u - self.G @ (self.A1 @ u))


def _loose(model: _Model, coordinate: Any) -> ModelError:
    return ModelError(
        "a part of the structure moves without stiffness, apart from rigid motions of the whole: see "
        f"{model.place(int(coordinate))}; leave out parts and nodes that nothing joins to the rest"
    )


def _factored(K: Any) -> Any:
    """L U of a positive matrix, pivots on the diagonal; of a singular one, of another that is so but for rounding."""
    scipy = _scipy()
    options = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    try:
        return scipy.sparse.linalg.splu(K, **options)
    except RuntimeError:
        shifted = K + scipy.sparse.diags_array(0.01 * LOOSE * K.diagonal())
        return scipy.sparse.linalg.splu(shifted.tocsc(), **options)


def _shapes(model: _Model, modes: int) -> Array:
    """Attachment shapes and normal modes, of unit strain energy and orthogonal in that: (z, n)."""
    held = _Held(model)
    S = _attachments(held, model.A[6:].T.toarray())

    def flexibility(f: Array) -> Array:
        return np.asarray(held(f) - S @ (S.T @ f))

    return np.concatenate([S, _normal_modes(model, flexibility, modes)], 1)


def _attachments(held: _Held, wrenches: Array) -> Array:
    """Shapes of unit wrenches, less those that are nothing new, as of a second frame on the same nodes."""
    loads = held.balanced(wrenches / np.linalg.norm(wrenches, axis=0))
    U, left, _ = np.linalg.svd(loads, full_matrices=False)
    U = U[:, left > LIKE * max(1.0, left.max(initial=0.0))]
    u = held(U)
    L = np.linalg.cholesky(symmetric(U.T @ u))
    return np.linalg.solve(L, u.T).T


def _normal_modes(model: _Model, flexibility: Callable[[Array], Array], modes: int) -> Array:
    """The lowest ones of unit strain energy."""
    if modes == 0:
        return np.zeros((model.K.shape[0], 0))
    moving = np.flatnonzero(model.M.diagonal() > 0.0)
    few = len(moving) - model.A.shape[0] > 4 * modes + 100  # Lanczos needs room; dense ways are quick below
    inverse, U = _few_modes(model, flexibility, modes) if few else _all_modes(model, flexibility, moving)
    most = min(model.K.shape[0] - model.A.shape[0], int(np.sum(inverse > ENDLESS * inverse.max())))
    if modes > most:
        raise ModelError(f"modes is {modes}: with its frames held the structure has {most} modes; ask for fewer")
    return U[:, -modes:]


def _few_modes(model: _Model, flexibility: Callable[[Array], Array], modes: int) -> tuple[Array, Array]:
    """Inverse squares of the lowest angular frequencies, and modes of unit strain energy."""
    linalg = _scipy().sparse.linalg
    start = flexibility(model.M @ np.random.default_rng(1).standard_normal(model.K.shape[0]))
    inverse = linalg.LinearOperator(model.K.shape, matvec=flexibility, dtype=float)
    squares, U = linalg.eigsh(model.K, modes, model.M, sigma=0.0, OPinv=inverse, v0=start)
    return 1.0 / squares, U / np.sqrt(np.abs(squares))


def _all_modes(model: _Model, flexibility: Callable[[Array], Array], moving: Array) -> tuple[Array, Array]:
    """The same of all frequencies, falling; moving: the coordinates that have mass."""
    masses, V = np.linalg.eigh(model.M[moving][:, moving].toarray())
    if masses[0] < -ASYMMETRY * masses[-1]:
        raise ModelError("M is not positive: there are motions of negative energy; look at the order of dofs")
    half = np.zeros((model.K.shape[0], len(moving)))
    half[moving] = V * np.sqrt(np.maximum(masses, 0.0))
    bent = flexibility(half)
    inverse, Y = np.linalg.eigh(symmetric(half.T @ bent))  # its rounding is nearly all in what is not symmetric
    return inverse, bent @ (Y / np.sqrt(np.maximum(inverse, np.finfo(float).tiny)))


def _in_mean_frame(structure: _Structure, shapes: Array) -> tuple[Array, Array]:
    """Shapes without rigid motion, in normal coordinates of unit mass by rising frequency, and their stiffness.

    shapes: of unit strain energy and orthogonal in that.
    """
    M = structure.M
    G = structure.rigid(np.zeros(3))
    momenta = G.T @ (M @ G)
    G = structure.rigid(-vector(momenta[:3, 3:]) / momenta[0, 0]) / np.repeat([1.0, structure.size], 3)
    mobility = np.linalg.pinv(G.T @ (M @ G), rcond=1e-13, hermitian=True)
    deformed = shapes - G @ (mobility @ (G.T @ (M @ shapes)))
    masses, Y = np.linalg.eigh(deformed.T @ (M @ deformed))
    heavy = np.flatnonzero(masses > MASSLESS * masses[-1])[::-1]
    return deformed @ (Y[:, heavy] / np.sqrt(masses[heavy])), np.diag(1.0 / masses[heavy])


def _scipy() -> Any:
    try:
        import scipy.linalg
        import scipy.sparse.linalg
    except ImportError:
        raise ModelError(f"matrices of finite elements need scipy: {install('elastic')}") from None
    return scipy
