"""An elastic body from the nodes, mass and stiffness matrix of a finite element model (Craig and Bampton 1968).

Displacements u of the free structure obey M ü + K u = f, and rigid motions G cause no elastic forces, K G = 0. A frame
moves by y = A u:

- average: A = (GᵀWG)⁻¹GᵀW of its nodes, the motion of the rigid body that follows them best (RBE3). The weights W
  contain displacements only; where these do not determine a rotation (one node, nodes on a line), rotations of nodes
  have weights too.
- rigid: its nodes follow y (RBE2). With L from the motion of frames and other nodes to all nodes, M and K become LᵀML
  and LᵀKL, and y are coordinates. All other steps are those for averages.

The first frame is fixed, a statically determinate support: its reaction balances a force f, f' = f - A₁ᵀGᵀf, so that
any six dofs that support the structure carry no force. Therefore F f = P K⁻¹ f', where K⁻¹ fixes six such dofs and
P = E - G A₁ (G about the first frame's place) brings the first frame back to rest, needs one sparse factorisation and
no multipliers. The shapes are

- attachment shapes: S = F Aᵀ for unit wrenches at the other frames, scaled to SᵀKS = E,
- normal modes: the lowest modes with all frames fixed, where the flexibility is F - S Sᵀ; scaled to UᵀKU = E. SᵀKU = 0.

Together with rigid motions they span the same space as the modes of Craig and Bampton: compliances between frames are
exact, frequencies converge from above. The results are in the mean frame and in the normal coordinates of the free
reduced body, of unit mass. The mean frame matters: without second-order displacements, points move along straight lines
only in the frame of the shapes; in the frame of a soft first node, the body would grow as it rotates about that node,
and a rotating blade would not stiffen at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.extras import install
from ..messages.failures import display
from ..progress import progress_notice
from .frames import Node
from .shapes import Array, Inertia, symmetric, vector
from .structures import inertia, rigid_motions

ASYMMETRY = 1e-8  #: tolerance of symmetry, relative to the largest number of a matrix
SUPPORTED = 1e-6  #: largest force of a rigid motion in a free structure, relative to the forces that cancel in it
UNEVEN = 1e-6  #: tolerance of the masses along the three axes, relative to the largest
LOOSE = 1e-12  #: least stiffness of a dof after elimination of others, relative to its own
LINE = 1e-6  #: least width of a frame's nodes, relative to their length
DEPENDENT = 1e-10  #: singular values of unit wrenches below this count as zero
ENDLESS = 1e-11  #: inverse square of a frequency, relative to the first mode's, below which a shape moves no mass
MASSLESS = 1e-10  #: mass of a shape of unit strain energy, relative to the largest (1e5 first frequencies)
SECONDS = 1e-8  #: s, time of a reduction per square of the number of unknowns: two minutes for 1e5
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
    """Reduce a finite element model to a few shapes (Craig and Bampton 1968).

    nodes: undeformed places, (N, 3), m, in the body's axes. M, K: (dofs N, dofs N), sparse or dense, kg and N/m, both
    triangles, of the free structure. dofs: per node, 3 (x, y, z) or 6 (then rotations, rad). frames: for each name the
    indices of nodes (from 0), whose centroid is the frame's place, or a pair (indices, place); the first frame is
    fixed. modes: number of normal modes in addition to the six attachment shapes of each frame but the first; shapes
    that depend on others, or move no mass, are omitted. couple: "average" or "rigid". stress: matrices (6, dofs N) from
    displacements to stresses, by name.

    Returns inertia, stiffness (n, n), damping (n, n) of zeros, nodes by name, and stresses (6, n) by name. Raises
    ModelError.
    """
    structure = _structure(nodes, M, K, dofs)
    unknowns = len(structure.places) * dofs
    with progress_notice("structure", f"reducing {unknowns} unknowns to modes", SECONDS * unknowns**2):
        return _reduced(structure, frames, modes, couple, stress)


def _reduced(
    structure: _Structure, frames: Any, modes: int, couple: str, stress: Any
) -> tuple[Inertia, Array, Array, dict[str, Node], dict[str, Array]]:
    stress_matrices = {name: _stress_matrix(structure, name, value) for name, value in _by_name(stress).items()}
    placed = [_frame(structure, str(name), value) for name, value in _checked_frames(frames, modes, couple).items()]
    model = _condensed(structure, placed, couple)
    shapes, K_r = _in_mean_frame(structure, model.L @ _shapes(model, modes))
    n = len(K_r)
    frame_nodes = {
        frame.name: Node(frame.place, np.eye(3), np.asarray(frame.average @ shapes), np.zeros((6, n, n)))
        for frame in placed
    }
    stresses = {name: np.asarray(B @ shapes) for name, B in stress_matrices.items()}
    return inertia(structure.places, structure.M, shapes), K_r, np.zeros((n, n)), frame_nodes, stresses


# -- arguments ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Structure:
    """A free finite element model."""

    places: Array  #: (N, 3), m
    M: Any  #: sparse (dofs N, dofs N), kg
    K: Any  #: sparse (dofs N, dofs N), N/m
    dofs: int  #: per node, 3 or 6

    def rigid(self, at: Array) -> Array:
        """Rigid motions of the nodes about a point, (dofs N, 6)."""
        return rigid_motions(self.places, at, self.dofs)

    @property
    def size(self) -> float:
        """Characteristic length that makes rotations comparable with displacements, m."""
        return float(np.abs(self.places - self.places.mean(0)).max()) or 1.0


def _structure(nodes: Any, M: Any, K: Any, dofs: int) -> _Structure:
    """Return the checked finite element model. Raises ModelError."""
    if dofs not in (3, 6):
        raise ModelError(f"dofs is {display(dofs)}: nodes have 3 (solids) or 6 (beams and shells, with rotations)")
    places = _numbers(nodes, "nodes", "places of nodes, an array (N, 3)")
    if places.ndim != 2 or places.shape[1] != 3 or not places.size or not np.isfinite(places).all():
        raise ModelError(f"nodes has shape {places.shape}: give finite places, an array (N, 3)")
    structure = _Structure(places, _matrix(M, "M", len(places), dofs), _matrix(K, "K", len(places), dofs), int(dofs))
    _check_mass(structure)
    _check_free(structure)
    return structure


def _numbers(value: Any, thing: str, remedy: str) -> Array:
    """Return an array of numbers. Raises ModelError: "`thing` is ...: give `remedy`"."""
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} is {display(value)}: give {remedy}") from None


def _matrix(value: Any, name: str, N: int, dofs: int) -> Any:
    """Return a sparse matrix, made exactly symmetric. Raises ModelError."""
    sparse = _scipy().sparse
    if not sparse.issparse(value) and np.ndim(value) != 2:
        raise ModelError(
            f"{name} is {display(value)}: give a matrix; for lumped masses, scipy.sparse.diags_array(masses)"
        )
    if np.iscomplexobj(value):
        raise ModelError(f"{name} has complex numbers: give its real part, and set damping with with_damping")
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
    """Raise ModelError unless the mass is positive and the same along x, y and z."""
    G = structure.rigid(np.zeros(3))[:, :3]
    mass = G.T @ (structure.M @ G)
    masses = np.diag(mass)
    if np.abs(mass - masses.mean() * np.eye(3)).max() > UNEVEN * np.abs(masses).max() or not masses.min() > 0.0:
        raise ModelError(
            f"M has {', '.join(f'{m:.9g}' for m in masses)} kg along x, y, z: a body has the same positive mass in "
            "each direction; keep the dofs at supports, and check the order of dofs"
        )


def _check_free(structure: _Structure) -> None:
    """Raise ModelError if rigid motions of the structure cause elastic forces."""
    G = structure.rigid(structure.places.mean(0))
    forces, sizes = np.abs(structure.K @ G).max(0), (abs(structure.K) @ np.abs(G)).max(0)
    worst = int(np.argmax(forces / np.maximum(sizes, np.finfo(float).tiny)))
    if forces[worst] > SUPPORTED * sizes[worst]:
        raise ModelError(
            f"the structure is not free: a rigid motion {MOTIONS[worst]} causes a force of {forces[worst]:.3g} (N/m, "
            "N/rad, N m/m or N m/rad) at a node; give the free body's stiffness, without supports"
        )


def _by_name(stress: Any) -> Mapping[str, Any]:
    """Return the stress matrices by name. Raises ModelError."""
    if stress is not None and not isinstance(stress, Mapping):
        raise ModelError(f"stress is {display(stress)}: give matrices by name, such as {{'gauge': B}}")
    return stress or {}


def _stress_matrix(structure: _Structure, name: str, value: Any) -> Any:
    """Return the matrix from displacements to stresses. Raises ModelError if rigid motions cause stress."""
    sparse, thing = _scipy().sparse, f"stress {name!r}"
    B = sparse.csr_array(value if sparse.issparse(value) else np.atleast_2d(_numbers(value, thing, "a matrix")))
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


def _checked_frames(frames: Any, modes: Any, couple: str) -> Mapping[str, Any]:
    """Return the frames by name. Raises ModelError for invalid frames, modes or couple."""
    if not isinstance(frames, Mapping) or not frames:
        raise ModelError(f"frames is {display(frames)}: give one or more by name, such as {{'tip': [node, ...]}}")
    if not isinstance(modes, (int, np.integer)) or isinstance(modes, bool) or modes < 0:
        raise ModelError(f"modes is {display(modes)}: give a whole number, 0 or more")
    if couple not in ("average", "rigid"):
        raise ModelError(
            f"couple is {display(couple)}: a frame is the 'average' of its nodes, or they are 'rigid' to it"
        )
    if modes == 0 and len(frames) == 1:
        raise ModelError("modes is 0 with one frame, so that there are no shapes: give modes or a second frame")
    return frames


# -- frames ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Frame:
    """A node of the reduced body and its coupling to nodes of the structure."""

    name: str
    nodes: Array  #: indices
    place: Array  #: (3), m
    average: Any  #: A, from the motion of its nodes to its own, sparse, (6, dofs N)
    follow: Any  #: from its motion to that of its nodes if they are rigid to it, sparse, (dofs N, 6)


def _frame(structure: _Structure, name: str, value: Any) -> _Frame:
    """Return a frame from indices of nodes, or from a pair (indices, place). Raises ModelError."""
    paired = is_placed(value)
    nodes = _indices(name, value[0] if paired else value, len(structure.places))
    at = structure.places[nodes]
    place = _numbers(value[1], f"the place of frame {name!r}", "three numbers, m") if paired else at.mean(0)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ModelError(f"the place of frame {name!r} is {display(place)}: give three numbers, m")
    lengths = np.linalg.svd(at - at.mean(0), compute_uv=False)
    line = len(nodes) < 3 or lengths[1] <= LINE * lengths[0]
    if line and structure.dofs == 3:
        arrangement = "one node" if len(nodes) == 1 else f"{len(nodes)} nodes on a line"
        raise ModelError(
            f"frame {name!r} has {arrangement}, which determines no rotation: give three or more nodes that are not on "
            "a line"
        )
    spread = float(lengths @ lengths) / len(nodes) or 1.0  # m², weight of rotations against displacements
    W = np.tile(np.repeat([1.0, spread if line else 0.0], 3)[: structure.dofs], len(nodes))
    G = rigid_motions(at, place, structure.dofs)
    A = np.linalg.solve(G.T @ (W[:, None] * G), G.T * W)
    dofs = np.repeat(structure.dofs * nodes, structure.dofs) + np.tile(np.arange(structure.dofs), len(nodes))
    where, size = (np.repeat(dofs, 6), np.tile(np.arange(6), len(dofs))), structure.K.shape[0]
    average, follow = (_scipy().sparse.csc_array((B.ravel(), where), (size, 6)) for B in (A.T, G))
    return _Frame(name, nodes, place, average.T, follow)


def is_placed(value: Any) -> bool:
    """True if a frame is a pair of its nodes and a place."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[1]) == 1


def _indices(name: str, value: Any, N: int) -> Array:
    """Return the indices of a frame's nodes, each once, in rising order. Raises ModelError."""
    try:
        values = np.asarray(value)
    except ValueError:  # lists of different lengths
        values = np.array("?")
    if values.size == 0:
        raise ModelError(f"frame {name!r} has no nodes: give the index of at least one")
    indices = np.unique(values) if values.ndim == 1 else np.array("?")
    if indices.dtype.kind not in "iu":
        raise ModelError(f"frame {name!r} is {display(value)}: give indices of nodes, or a pair (indices, place)")
    for unknown in indices[(indices < 0) | (indices >= N)][:1]:
        raise ModelError(f"frame {name!r} has node {unknown}: the structure has nodes 0 to {N - 1}")
    return indices


# -- shapes ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Model:
    """The structure in coordinates z that satisfy the constraints of rigid frames."""

    L: Any  #: from z to all displacements, (dofs N, z)
    M: Any  #: (z, z)
    K: Any  #: (z, z)
    G: Array  #: rigid motions about the first frame's place, (z, 6)
    A: Any  #: from z to the motions of frames, (6 frames, z)
    place: Callable[[int], str]  #: description of a coordinate, for messages


def _condensed(structure: _Structure, frames: list[_Frame], couple: str) -> _Model:
    """Return the structure with the nodes of rigid frames eliminated; with averages all coordinates remain."""
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
    """Raise ModelError if two rigid frames share a node."""
    owner: dict[int, str] = {}
    for frame in frames:
        for node in frame.nodes.tolist():
            if owner.setdefault(node, frame.name) != frame.name:
                raise ModelError(
                    f"frames {owner[node]!r} and {frame.name!r} share node {node}, which can't be rigid to both: "
                    "give each node to one of them, or couple='average'"
                )


class _Flexibility:
    """The flexibility F: from forces to displacements of a structure whose first frame is fixed."""

    def __init__(self, model: _Model):
        scipy = _scipy()
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


def _loose(model: _Model, coordinate: Any) -> ModelError:
    """Error for a structure that has no stiffness at a coordinate."""
    return ModelError(
        "a part of the structure moves without stiffness, apart from rigid motions of the whole: see "
        f"{model.place(int(coordinate))}; leave out parts and nodes that are not connected to the rest"
    )


def _factored(K: Any) -> Any:
    """LU factors of a positive matrix with pivots on the diagonal; a singular matrix is shifted by a rounding error."""
    scipy = _scipy()
    options = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    try:
        return scipy.sparse.linalg.splu(K, **options)
    except RuntimeError:
        shifted = K + scipy.sparse.diags_array(0.01 * LOOSE * K.diagonal())
        return scipy.sparse.linalg.splu(shifted.tocsc(), **options)


def _shapes(model: _Model, modes: int) -> Array:
    """Attachment shapes and normal modes, orthonormal with respect to the strain energy (K), (z, n)."""
    first_fixed = _Flexibility(model)
    S = _attachments(first_fixed, model.A[6:].T.toarray())

    def all_fixed(f: Array) -> Array:
        return np.asarray(first_fixed(f) - S @ (S.T @ f))

    return np.concatenate([S, _normal_modes(model, all_fixed, modes)], 1)


def _attachments(flexibility: _Flexibility, wrenches: Array) -> Array:
    """Shapes of unit wrenches, without those that depend on others, as for a second frame on the same nodes."""
    loads = flexibility.balanced(wrenches / np.linalg.norm(wrenches, axis=0))
    U, singular_values, _ = np.linalg.svd(loads, full_matrices=False)
    U = U[:, singular_values > DEPENDENT * max(1.0, singular_values.max(initial=0.0))]
    u = flexibility(U)
    L = np.linalg.cholesky(symmetric(U.T @ u))
    return np.linalg.solve(L, u.T).T


def _normal_modes(model: _Model, flexibility: Callable[[Array], Array], modes: int) -> Array:
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


def _few_modes(model: _Model, flexibility: Callable[[Array], Array], modes: int) -> tuple[Array, Array]:
    """Inverse squares of the lowest angular frequencies, and modes of unit strain energy, by a Lanczos method."""
    linalg = _scipy().sparse.linalg
    start = flexibility(model.M @ np.random.default_rng(1).standard_normal(model.K.shape[0]))
    inverse = linalg.LinearOperator(model.K.shape, matvec=flexibility, dtype=float)
    squares, U = linalg.eigsh(model.K, modes, model.M, sigma=0.0, OPinv=inverse, v0=start)
    return 1.0 / squares, U / np.sqrt(np.abs(squares))


def _all_modes(model: _Model, flexibility: Callable[[Array], Array], moving: Array) -> tuple[Array, Array]:
    """Inverse squares of all angular frequencies, in rising order, and modes, by a dense method.

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


def _in_mean_frame(structure: _Structure, shapes: Array) -> tuple[Array, Array]:
    """Return shapes in the mean frame, in normal coordinates of unit mass by rising frequency, and their stiffness.

    shapes: orthonormal with respect to the strain energy.
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
        raise ModelError(f"finite element matrices need scipy: {install('elastic')}") from None
    return scipy
