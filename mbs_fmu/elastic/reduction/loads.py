"""Shapes by loads: of the inertia loads of the body itself, and of loads that users name.

A few shapes give the exact static responses to a set of loads, to which vibration modes converge slowly:

    f = M (a + A s), 12 unit loads about the centre of mass;     X = F f - S Sᵀf                           (H9)
    W = fᵀX = V diag(w) Vᵀ;   shapes X V_k / √w_k of unit strain energy                                    (H10)

a are accelerations, weight included, and A angular accelerations and centrifugal loads. S are the attachment shapes.
A shape counts if its share w_k V_ik² / f_iᵀFf_i of the strain energy of any load i exceeds 1e-6. The criterion is
relative to each load by itself: a plate strains 1e6 times less by loads in its plane than by loads across it, and it
needs the shapes of both.
This is inertia relief (Craig 1995) with residual vectors (Rose 1991). The share of the strain energy of each load that
shapes z of unit strain energy leave out is

    1 - Σ (fᵀz)² / fᵀFf                                                                                   (H11)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ..shapes import Array, skew, symmetric
from .interfaces import Condensed, Frame
from .structures import Structure, numbers, scipy_modules

PARALLEL = 1e-9  #: forces of a load across its resultant, and the least resultant, relative to all its forces
TINY = float(np.finfo(float).tiny)
KEPT = 1e-6  #: least share of a shape in the strain energy of a load
STRAINED = 1e-14  #: least strain energy of a load, relative to the largest: below, f consists of rounding errors
PAIRS = [(i, j) for i in range(3) for j in range(i, 3)]


class Flexibility(Protocol):
    """The flexibility F of a structure that is held at its first frame."""

    def balanced(self, f: Array) -> Array:
        """Return forces with the reaction of the first frame added."""

    def __call__(self, f: Array) -> Array:
        """Return displacements by forces."""


def inertia_loads(structure: Structure, at: Array) -> dict[str, Array]:
    """Return the loads by acceleration of the body, (dofs N): not in equilibrium.

    "ax", ...: of 1 m/s² along an axis. "ex", ...: of 1 rad/s² about an axis through `at`. "wxwx", "wxwy", ...:
    centrifugal, of a product of angular velocities of 1 (rad/s)² about axes through `at`.
    """
    MG = np.asarray(structure.M @ structure.rigid(at))
    loads = {f"{kind}{axis}": MG[:, 3 * k + i] for k, kind in enumerate("ae") for i, axis in enumerate("xyz")}
    turned = [MG[:, 3 + i].reshape(-1, 3) for i in range(3)]
    for i, j in PAIRS:
        twice = np.cross(turned[i], np.eye(3)[j]) + np.cross(turned[j], np.eye(3)[i])
        loads[f"w{'xyz'[i]}w{'xyz'[j]}"] = (0.5 if i == j else 1.0) * twice.ravel()
    return loads


def scaled_loads(structure: Structure, model: Condensed) -> dict[str, Array]:
    """Return the inertia loads about the centre of mass by coordinates z, all as forces of one size, (z)."""
    loads = sized_loads(structure, structure.center, structure.size)
    return {name: model.L.T @ f for name, f in loads.items()}


def sized_loads(structure: Structure, at: Array, size: float) -> dict[str, Array]:
    """Return the inertia loads about `at`, (dofs N); those by rotations are divided by a length, `size`."""
    return {name: f / (1.0 if name[0] == "a" else size) for name, f in inertia_loads(structure, at).items()}


def load_shapes(flexibility: Flexibility, S: Array, loads: Mapping[str, Array]) -> Array:
    """Return shapes (z, m) by loads (z), of unit strain energy, orthogonal in that to each other and to S."""
    X, C = residuals(flexibility, S, np.stack(list(loads.values()), axis=1))
    return np.asarray(X @ C)


def residuals(flexibility: Flexibility, S: Array, loads: Array) -> tuple[Array, Array]:
    """Return X of (H9), (z, k), by loads (z, k), and the combinations C, (k, m), with which X C are shapes (H10)."""
    f = flexibility.balanced(loads)
    answers = flexibility(f)
    X = answers - S @ (S.T @ f)
    w, V = np.linalg.eigh(symmetric(f.T @ X))
    shares = w * V**2 * _inverse_energies(f, answers)[:, None]  # of each load in each shape
    kept = np.flatnonzero(shares.max(axis=0) > KEPT)[::-1]
    return X, V[:, kept] / np.sqrt(w[kept])


def left_out(flexibility: Flexibility, shapes: Array, loads: Mapping[str, Array]) -> dict[str, float]:
    """Return (H11) by load; zero for loads without strain energy. shapes: (z, n), of unit strain energy."""
    f = flexibility.balanced(np.stack(list(loads.values()), axis=1))
    inverse = _inverse_energies(f, flexibility(f))
    shares = np.where(inverse > 0.0, 1.0 - ((shapes.T @ f) ** 2).sum(axis=0) * inverse, 0.0)
    return dict(zip(loads, np.maximum(shares, 0.0).tolist(), strict=True))


def _inverse_energies(f: Array, answers: Array) -> Array:
    """Return 1 / fᵀFf of each load, (k), and zero for loads whose strain energy is rounding error."""
    energies = np.einsum("zk,zk->k", f, answers)
    strained = energies > max(STRAINED * energies.max(), TINY)
    return np.where(strained, 1.0 / np.where(strained, energies, 1.0), 0.0)


# -- loads by name -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Loads:
    """The loads whose static responses are shapes."""

    inertia: bool
    named: Mapping[str, Array]  #: (dofs N)
    frames: Sequence[Frame]  #: the nodes that stand for named loads


def loads_of(structure: Structure, given: Any, frames: Iterable[str]) -> Loads:
    """Return loads as users pass them: "inertia", or a mapping {"inertia": True, name: nodal forces (dofs N)}.

    Raises ModelError.
    """
    if given is None or (isinstance(given, str) and given == "inertia"):
        return Loads(given is not None, {}, ())
    if not isinstance(given, Mapping):
        raise ModelError(f"loads is {display(given)}: pass 'inertia', or nodal forces by name, such as {{'wind': f}}")
    forces = {str(name): _forces(structure, str(name), f) for name, f in given.items() if name != "inertia"}
    for name in set(forces) & set(frames):
        raise ModelError(f"load {name!r} has the name of a frame: a node stands for each; choose another name")
    nodes = [load_frame(structure, name, f) for name, f in forces.items()]
    return Loads(bool(given.get("inertia", False)), forces, nodes)


def _forces(structure: Structure, name: str, value: Any) -> Array:
    f = numbers(value, f"load {name!r}", "nodal forces, an array").ravel()
    size = structure.K.shape[0]
    if f.shape != (size,) or not np.isfinite(f).all():
        raise ModelError(f"load {name!r} has {f.size} numbers: pass {size} finite ones, {structure.dofs} for each node")
    return f


def load_frame(structure: Structure, name: str, f: Array) -> Frame:
    """Return the node that stands for a load of parallel forces: a force on it does the work of the whole load.

    It lies on the line of action, where its motion is that of the nodes, weighted by their forces w_k R:

        d = Σ w_k u_k + θ_k × l_k,   R = Σ f_k,   place = Σ w_k s_k + l_k,   l_k = R × m_k / |R|²          (H12)

    with the moments m_k = l_k × R of nodes with rotations. A unit of load is the force |R| on it, and its x lies along
    R. Raises ModelError for loads without a resultant, and for forces in several directions.
    """
    blocks = f.reshape(len(structure.places), -1)
    forces = blocks[:, :3]
    moments = blocks[:, 3:] if structure.dofs == 6 else np.zeros_like(forces)
    R, weights = resultant(name, forces, moments)
    length = float(np.linalg.norm(R))
    levers = np.cross(R, moments) / length**2
    A = np.zeros((6, len(forces), structure.dofs))
    A[:3, :, :3] = weights[:, None] * np.eye(3)[:, None, :]
    A[:3, :, 3:] = -np.moveaxis(skew(levers.T), 2, 1)[:, :, : structure.dofs - 3]
    place = weights @ structure.places + levers.sum(axis=0)
    average = scipy_modules().sparse.csc_array(A.reshape(6, -1))
    return Frame(name, np.flatnonzero(blocks.any(axis=1)), place, average, None, axes_along(R / length))


def resultant(name: str, forces: Array, moments: Array) -> tuple[Array, Array]:
    """Return the resultant R of parallel forces (k, 3), and the weights w_k of (H12), with forces w_k R.

    moments: (k, 3), across R. Raises ModelError for forces in several directions, and without a resultant.
    """
    R, most = forces.sum(axis=0), float(np.linalg.norm(forces, axis=1).sum())
    length = float(np.linalg.norm(R))
    if length <= PARALLEL * most:
        raise ModelError(f"load {name!r} has no resultant: its forces cancel, and no node can stand for it")
    weights = forces @ R / length**2
    across = np.abs(forces - np.outer(weights, R)).sum() / most
    twist = np.abs(moments @ R).sum() / (length * max(float(np.abs(moments).sum()), TINY))
    if max(across, twist) > PARALLEL:
        raise ModelError(
            f"load {name!r} has forces in several directions, or moments about them, and a node stands for parallel "
            "forces: pass its parts along x, y and z as loads of their own"
        )
    return R, weights


def axes_along(x: Array) -> Array:
    """Return axes, as columns, of which the first is x."""
    y = np.cross(np.eye(3)[int(np.argmin(np.abs(x)))], x)
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)
