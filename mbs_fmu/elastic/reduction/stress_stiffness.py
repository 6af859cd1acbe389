"""Second-order displacements of a finite element model from its stress stiffness.

The energy of a structure is ½ uᵀKu + ⅙ V₃(u, u, u) + ... Under slow loads, where membrane forces balance, its points
move by u = Φξ + ½ ξᵀhξ, in the gauge that holds the first frame, A₁Φ = 0 and A₁h = 0:

    K h_ab + V₃(Φ_a, Φ_b, ·) = A₁ᵀλ                                                                       (H1)

V₃ is symmetric, so the work of a load f on h follows without h from one static solution F f with the first frame held:

    fᵀh_ab = -Φ_aᵀ K_g(F f) Φ_b,      K_g(u) = V₃(u, ·, ·) of the stresses of u                            (H2)

The body needs only the work on h of 12 inertia loads, and of a unit force and moment at each frame:

    S2_i  = fᵀh,  f = M G_i,  G_i: the structure moves along axis i                      "ax", "ay", "az"
    C1_i += fᵀh,  f = M G_i,  G_i: it turns about axis i                                 "ex", "ey", "ez"
    J2_ij += (1 + δ_ij) fᵀh,  f: its centrifugal load by ω_i ω_j                         "wxwx", "wxwy", ...
    Y2_i  = fᵀh,  f = A_nᵀ e_i: a unit force or moment at frame n, and (H4)              ("tip", 0) ... ("tip", 5)  (H3)

The rotation of a frame that follows its points best has a second order beside A_n h. For points at x from the frame,
with p = φ - d and the frame's rotations θ, it is A_n applied to

    -(θ~_a p_b + θ~_b p_a) + ½ (θ~_aθ~_b + θ~_bθ~_a) x                                                   (H4)

Points that are rigidly attached to a frame have the second-order displacement p_ab = ½ (θ~_aθ~_b + θ~_bθ~_a) x by its
rotation, so (H2) increases by

    Σ_points (f - K F f)ᵀ p_ab                                                                           (H5)

Sources: Banerjee and Dickens (1990) for the 12 loads, Wallrapp and Schwertassek (1991) for (H2). V₃ also has terms of
initial displacements, smaller by the strains; analyses of buckling omit them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ..frames import Node
from ..shapes import Array, Inertia, skew, symmetric
from .interfaces import Condensed, Frame
from .loads import PAIRS, inertia_loads
from .reduction import Flexibility
from .structures import ASYMMETRY, Structure, scipy_modules

Case = str | tuple[str, int]  #: the name of a load of (H3)

TRANSLATED = 1e-6  #: forces of K_g under a translation, relative to those that cancel
TURNED = 1e-3  #: error of K_g under a rotation, relative to its largest force; data of other programs have few digits


class StressStiffness(Protocol):
    """A source of K_g."""

    def products(self, displacements: Mapping[Case, Array], shapes: Array) -> dict[Case, Array]:
        """Return Φᵀ K_g(u) Φ, (n, n), by load case, for its displacements u (dofs N); shapes: Φ, (dofs N, n)."""


@dataclass(frozen=True)
class Loaded:
    """A structure with its frames, the first of which is held, and its static responses to the loads of (H3)."""

    structure: Structure
    model: Condensed
    frames: Sequence[Frame]
    rigid: bool  #: whether nodes are rigid to their frames
    loads: Mapping[Case, Array]  #: f, (dofs N)
    displacements: Mapping[Case, Array]  #: F f, (dofs N)


def loaded(
    structure: Structure, model: Condensed, flexibility: Flexibility, frames: Sequence[Frame], couple: str
) -> Loaded:
    """Return the structure's static responses to all loads of (H3)."""
    loads = _loads(structure, frames)
    answers = model.L @ flexibility(model.L.T @ np.stack(list(loads.values()), axis=1))
    return Loaded(structure, model, frames, couple == "rigid", loads, dict(zip(loads, answers.T, strict=True)))


def _loads(structure: Structure, frames: Sequence[Frame]) -> dict[Case, Array]:
    """Return the loads f of (H3), (dofs N), not yet in equilibrium."""
    loads: dict[Case, Array] = dict(inertia_loads(structure, np.zeros(3)).items())
    for frame in frames[1:]:
        loads |= {(frame.name, i): row for i, row in enumerate(frame.average.toarray()) if row.any()}
    return loads


def load_cases(this: Loaded) -> dict[Case, Array]:
    """Return nodal forces in equilibrium that give the displacements of each load case, (dofs N)."""
    return {case: np.asarray(this.structure.K @ u) for case, u in this.displacements.items()}


def with_second_order(
    this: Loaded, stiffness: StressStiffness, shapes: Array, body: Inertia, nodes: Mapping[str, Node]
) -> tuple[Inertia, dict[str, Node]]:
    """Add the terms of (H3) to inertia and nodes, which are seen from the first frame; shapes: Φ, (dofs N, n)."""
    products = stiffness.products(this.displacements, shapes)
    work = {case: _rigid_ends(this, case, shapes) - symmetric(products[case]) for case in this.loads}
    J2 = np.empty_like(body.J2)
    for i, j in PAIRS:
        J2[i, j] = J2[j, i] = (2.0 if i == j else 1.0) * work[f"w{'xyz'[i]}w{'xyz'[j]}"]
    S2, C1 = (np.stack([work[f"{kind}{axis}"] for axis in "xyz"]) for kind in "ae")
    seen = dict(nodes)
    for frame in this.frames[1:]:
        Y2 = _fitted(this.structure, frame, shapes)
        for i in range(6):
            Y2[i] += work.get((frame.name, i), 0.0)
        seen[frame.name] = replace(nodes[frame.name], Y2=Y2)
    return replace(body, S2=body.S2 + S2, C1=body.C1 + C1, J2=body.J2 + J2), seen


def _rigid_ends(this: Loaded, case: Case, shapes: Array) -> Array:
    """Return (H5), (n, n)."""
    n = shapes.shape[1]
    work = np.zeros((n, n))
    if this.rigid:
        left = this.loads[case] - this.structure.K @ this.displacements[case]
        forces = left.reshape(len(this.structure.places), -1)[:, :3]
        for frame in (frame for frame in this.frames[1:] if frame.follow is not None):
            x = this.structure.places[frame.nodes] - frame.place
            W = skew(np.asarray(frame.average @ shapes)[3:])
            work += np.einsum("ki,ija,jlb,kl->ab", forces[frame.nodes], W, W, x, optimize=True)
    return symmetric(work)


def _fitted(structure: Structure, frame: Frame, shapes: Array) -> Array:
    """Return (H4), (6, n, n)."""
    N, n = len(structure.places), shapes.shape[1]
    x = structure.places[frame.nodes] - frame.place
    motion = np.asarray(frame.average @ shapes)
    p = shapes.reshape(N, -1, n)[frame.nodes][:, :3] - motion[:3]
    W = skew(motion[3:])
    lever = np.einsum("ija,kjb->kiab", W, p)
    second = symmetric(np.einsum("ija,jlb,kl->kiab", W, W, x, optimize=True) - 2.0 * lever)
    moved = np.zeros((N, structure.dofs, n, n))
    moved[frame.nodes, :3] = second
    return np.asarray(frame.average @ moved.reshape(-1, n * n)).reshape(6, n, n)


# -- from users --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class GivenStiffness:
    """K_g from a function of displacements, or from matrices by load case, checked against what any K_g obeys."""

    this: Loaded
    source: Callable[[Array], Any] | Mapping[Case, Any]

    def products(self, displacements: Mapping[Case, Array], shapes: Array) -> dict[Case, Array]:
        """Return Φᵀ K_g(u) Φ by load case. Raises ModelError for a matrix that no structure has."""
        products = {}
        for case, u in displacements.items():
            matrix = self.source(u.copy()) if callable(self.source) else self.source[case]
            K_g = _checked(self.this, case, matrix)
            products[case] = np.asarray(shapes.T @ (K_g @ shapes))
        return products


def given(this: Loaded, source: Any) -> GivenStiffness:
    """Return K_g as users pass it. Raises ModelError where it is neither a function nor a matrix for each load case."""
    if callable(source):
        return GivenStiffness(this, source)
    if not isinstance(source, Mapping):
        raise ModelError(
            f"geometric is {display(source)}: pass 'bars', a function of displacements that returns the stress "
            "stiffness, or matrices by load case (Modes.load_cases)"
        )
    missing, unknown = ([key for key in a if key not in b] for a, b in ((this.loads, source), (source, this.loads)))
    if missing or unknown:
        wrong = f"lacks {_listed(missing)}" if missing else f"has the unknown case {display(unknown[0])}"
        raise ModelError(
            f"geometric {wrong}: pass a matrix for each case of Modes.load_cases, {len(this.loads)} in all"
        )
    return GivenStiffness(this, source)


def _listed(cases: Sequence[Case]) -> str:
    shown = ", ".join(map(repr, cases[:10]))
    return f"{shown}, ... ({len(cases)} in all)" if len(cases) > 10 else shown


def _checked(this: Loaded, case: Case, matrix: Any) -> Any:
    """Return K_g as a sparse matrix.

    A translation gives no forces, and a rotation turns the forces that stress the structure: with nodes of three dofs
    K_g Gθ = θ x (K u), node by node. These checks detect wrong signs, units and orders of dofs.
    """
    structure, name = this.structure, f"the stress stiffness of load case {case!r}"
    sparse = scipy_modules().sparse
    K_g = sparse.csr_array(matrix)
    size = structure.K.shape[0]
    if K_g.shape != (size, size):
        raise ModelError(f"{name} has shape {K_g.shape}: pass {(size, size)}, as K has")
    if not np.isfinite(K_g.data).all():
        raise ModelError(f"{name} has numbers that are not finite")
    if abs(K_g - K_g.T).max() > ASYMMETRY * abs(K_g).max():
        raise ModelError(f"{name} is not symmetric: pass both triangles")
    G = structure.rigid(structure.places.mean(0))
    forces = np.abs(K_g @ G[:, :3]).max(initial=0.0)
    if forces > TRANSLATED * (abs(K_g) @ np.abs(G[:, :3])).max(initial=0.0):
        raise ModelError(f"{name} resists a translation of the whole: look at the order of dofs, and omit supports")
    if structure.dofs == 3:
        _check_rotations(this, case, K_g @ G[:, 3:], name)
    return K_g


def _check_rotations(this: Loaded, case: Case, turned: Array, name: str) -> None:
    forces = np.asarray(this.structure.K @ this.displacements[case]).reshape(-1, 3)
    expected = np.stack([np.cross(axis, forces).ravel() for axis in np.eye(3)], axis=1)
    error, most = np.abs(turned - expected), np.abs(expected).max()
    if error.max() > TURNED * most:
        factor = float(np.sum(turned * expected) / np.sum(expected * expected))
        node = int(np.argmax(error.max(axis=1))) // 3
        raise ModelError(
            f"{name} does not belong to the load: if the structure turns by 1 rad as a rigid body, it should give "
            f"{_force(expected, node)} N at node {node} and gives {_force(turned, node)} N; over all nodes it is "
            f"{factor:.3g} times as large. Apply the nodal forces of Modes.load_cases alone, and look at sign, units "
            "and the order of dofs"
        )


def _force(forces: Array, node: int) -> str:
    """The largest force on a node."""
    return f"{np.abs(forces[3 * node : 3 * node + 3]).max():.3g}"
