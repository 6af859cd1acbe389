"""An elastic body from the nodes, mass and stiffness matrix of a finite element model (Craig and Bampton 1968).

Displacements u of the free structure obey M ü + K u = f, and rigid motions G cause no elastic forces, K G = 0. A frame
moves by y = A u:

- average: A = (GᵀWG)⁻¹GᵀW of its nodes, the motion of the rigid body that follows them best (RBE3). The weights W
  contain displacements only; where these do not determine a rotation, the nodes' own have weights too: all of one node,
  and those about the line of nodes on a line.
- rigid: its nodes follow y (RBE2). With L from the motion of frames and other nodes to all nodes, M and K become LᵀML
  and LᵀKL, and y are coordinates. All other steps are those for averages.

The first frame is fixed, a statically determinate support: its reaction balances a force f, f' = f - A₁ᵀGᵀf, so that
any six dofs that support the structure carry no force. Therefore F f = P K⁻¹ f', where K⁻¹ fixes six such dofs and
P = E - G A₁ (G about the first frame's place) brings the first frame back to rest, needs one sparse factorisation and
no multipliers. The shapes are

- attachment shapes: S = F Aᵀ for unit wrenches at the other frames, scaled to SᵀKS = E,
- normal modes: the lowest modes with all frames fixed, where the flexibility is F - S Sᵀ; scaled to UᵀKU = E. SᵀKU = 0.

Together with rigid motions they span the same space as the modes of Craig and Bampton: compliances between frames are
exact, frequencies converge from above. The coordinates are the normal ones of the free reduced body, of unit mass.
Without stress stiffness the shapes are seen from the mean frame, which matters: points move along straight lines only
in the frame of the shapes; in the frame of a soft first node, the body would grow as it rotates about that node, and a
rotating blade would not stiffen at all. With stress stiffness they are seen from the first frame, as (H1) requires.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.arguments import finite
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import progress_notice
from .argument_types import FrameNodes, LoadData, Matrix, Rows, Stiffening
from .elements.bars import bars_of
from .frames import Node
from .reduction.interfaces import Condensed, Frame, condensed, frame_of
from .reduction.loads import Loads, left_out, load_shapes, loads_of, scaled_loads
from .reduction.reduction import Flexibility, attachments, normal_modes, normalized
from .reduction.stress_stiffness import Case, Loaded, StressStiffness, given, load_cases, loaded, with_second_order
from .reduction.structures import Structure, damping_of, inertia, stress_matrix, structure_of
from .shapes import Array, Inertia, symmetric

SECONDS = 1e-8  #: s of a reduction for each square of the number of unknowns: two minutes for 1e5


@dataclass(frozen=True)
class Options:
    """Options of a reduction; see `Modes.matrices`."""

    frames: Mapping[str, FrameNodes]
    modes: int = 10
    couple: str = "average"
    stress: Mapping[str, Matrix] | None = None
    geometric: Stiffening | None = None
    loads: LoadData | None = None
    damping_matrix: Matrix | None = None
    rayleigh: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Reduced:
    """A finite element model in few shapes."""

    inertia: Inertia
    stiffness: Array  #: (n, n)
    damping: Array  #: (n, n)
    nodes: dict[str, Node]
    stress: dict[str, Array]  #: (6, n), by name
    foreshortening: bool
    left_out: dict[str, float]  #: the share of the strain energy of inertia loads that the shapes leave out
    places: Array  #: of the model's nodes, (N, 3), m
    displacements: Array  #: of the model's nodes, to first order, (N, 3, n)
    notes: tuple[str, ...] = ()


def reduced(nodes: Rows, M: Matrix, K: Matrix, dofs: int | None, options: Options) -> Reduced:
    """Reduce a finite element model to few shapes; see `Modes.matrices` for the arguments.

    Shapes that depend on others, or move no mass, are left out. Raises ModelError.
    """
    structure = structure_of(nodes, M, K, dofs)
    unknowns = len(structure.places) * structure.dofs
    with progress_notice("structure", f"reducing {unknowns} unknowns to modes", SECONDS * unknowns**2):
        return _reduced(structure, options)


def cases_of(nodes: Rows, M: Matrix, K: Matrix, dofs: int | None, options: Options) -> dict[Case, Array]:
    """Return the nodal forces, (dofs N), of the load cases that stress stiffness is needed for. Raises ModelError."""
    structure = structure_of(nodes, M, K, dofs)
    frames, model = _interface(structure, options)
    frames += loads_of(structure, options.loads, options.frames).frames
    return load_cases(loaded(structure, model, Flexibility(model), frames, options.couple))


def _interface(structure: Structure, options: Options) -> tuple[list[Frame], Condensed]:
    placed = [frame_of(structure, str(name), value) for name, value in _checked_frames(options).items()]
    return placed, condensed(structure, placed, options.couple)


def _reduced(structure: Structure, options: Options) -> Reduced:
    matrices = {name: stress_matrix(structure, name, matrix) for name, matrix in _by_name(options.stress).items()}
    frames, model = _interface(structure, options)
    loads = loads_of(structure, options.loads, options.frames)
    flexibility = Flexibility(model)
    Z = _shapes(structure, model, flexibility, loads, options.modes)
    lacking = left_out(flexibility, Z, scaled_loads(structure, model))
    shapes, K_r = normalized(structure, model.L @ Z)
    D = _damping(structure, options, shapes, K_r)
    stresses = {name: np.asarray(B @ shapes) for name, B in matrices.items()}
    frames += loads.frames
    if options.geometric is None:
        body, nodes = _straight(structure, frames, shapes)
        return Reduced(body, K_r, D, nodes, stresses, False, lacking, *_moving(structure, shapes))
    this = loaded(structure, model, flexibility, frames, options.couple)
    shapes = shapes - structure.rigid(frames[0].place) @ (frames[0].average @ shapes)
    body, nodes = _straight(structure, frames, shapes)
    body, nodes = with_second_order(this, _stress_stiffness(this, options.geometric), shapes, body, nodes)
    return Reduced(body, K_r, D, nodes, stresses, True, lacking, *_moving(structure, shapes))


def _moving(structure: Structure, shapes: Array) -> tuple[Array, Array]:
    """Return the places of a structure's nodes, (N, 3), m, and their displacements, (N, 3, n)."""
    return structure.places, shapes.reshape(len(structure.places), -1, shapes.shape[1])[:, :3]


def _shapes(structure: Structure, model: Condensed, flexibility: Flexibility, loads: Loads, modes: int) -> Array:
    """Return all shapes, of unit strain energy and orthogonal in that: (z, n)."""
    S = attachments(flexibility, model.A[6:].T.toarray())
    if loads.inertia:
        S = np.concatenate([S, load_shapes(flexibility, S, scaled_loads(structure, model))], axis=1)
    for name, f in loads.named.items():
        S = np.concatenate([S, load_shapes(flexibility, S, {name: model.L.T @ f})], axis=1)
    return np.concatenate([S, normal_modes(model, flexibility, S, modes)], axis=1)


def _damping(structure: Structure, options: Options, shapes: Array, stiffness: Array) -> Array:
    """Return the damping of shapes in the mean frame, of unit mass, (n, n)."""
    try:
        alpha, beta = options.rayleigh
    except (TypeError, ValueError):
        raise ModelError(f"rayleigh is {display(options.rayleigh)}: pass two numbers, (alpha, beta)") from None
    alpha, beta = (finite(x, f"{name} of rayleigh") for x, name in ((alpha, "alpha"), (beta, "beta")))
    if min(alpha, beta) < 0.0:
        raise ModelError(f"rayleigh is {display(options.rayleigh)}: damping is 0 or more")
    D = alpha * np.eye(len(stiffness)) + beta * stiffness
    if options.damping_matrix is not None:
        D = D + symmetric(shapes.T @ (damping_of(structure, options.damping_matrix) @ shapes))
    return np.asarray(D)


def _straight(structure: Structure, frames: Sequence[Frame], shapes: Array) -> tuple[Inertia, dict[str, Node]]:
    """Return inertia and nodes of a structure whose points move along straight lines; shapes: (dofs N, n)."""
    n = shapes.shape[1]
    nodes = {
        frame.name: Node(frame.place, frame.axes, np.asarray(frame.average @ shapes), np.zeros((6, n, n)))
        for frame in frames
    }
    return inertia(structure.places, structure.M, shapes), nodes


def _stress_stiffness(this: Loaded, geometric: Stiffening) -> StressStiffness:
    if isinstance(geometric, str) and geometric == "bars":
        return bars_of(this.structure)
    source: StressStiffness = geometric if hasattr(geometric, "products") else given(this, geometric)
    return source


def _by_name(stress: Any) -> Mapping[str, Any]:
    """Return the stress matrices by name. Raises ModelError."""
    if stress is not None and not isinstance(stress, Mapping):
        raise ModelError(f"stress is {display(stress)}: give matrices by name, such as {{'gauge': B}}")
    return stress or {}


def _checked_frames(options: Options) -> Mapping[str, Any]:
    """Return the frames by name. Raises ModelError for invalid frames, modes or couple."""
    frames, modes, couple = options.frames, options.modes, options.couple
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
