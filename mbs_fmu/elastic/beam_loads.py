"""Shapes of beams for loads: exact static responses, in addition to unit motions and vibrations; (H9) to (H12).

Each shape is stored with the distributed load that holds it, so section forces are exact at every node. See `loads`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from .frames import Node
from .reduction.loads import axes_along, left_out, residuals, resultant, sized_loads
from .reduction.structures import Structure
from .shapes import Array, Pieces, symmetric


class Mesh(Protocol):
    """The attributes of a mesh of beam elements with 6 coordinates at each end that this module uses."""

    @property
    def places(self) -> Array: ...
    @property
    def stiffness(self) -> Array: ...
    @property
    def mass(self) -> Array: ...
    @property
    def element_masses(self) -> Array: ...
    def line_load(self, force: Callable[[float], Array]) -> tuple[Array, Array]: ...


@dataclass(frozen=True)
class Loaded:
    """Shapes of a beam, and the distributed loads that hold them."""

    shapes: Array  #: (6 ends, n)
    loads: Array  #: on the coordinates of each element, (elements, 12, n)


@dataclass(frozen=True)
class LineLoads:
    """The loads whose static responses are shapes of a beam."""

    inertia: bool
    forces: Mapping[str, Array]  #: by name, on each piece, (k, 3), N
    elements: Mapping[str, Array]  #: by name, on the coordinates of each element, (elements, 12)


class Held:
    """The flexibility of a beam, some coordinates of which are fixed, among them those of its root."""

    def __init__(self, stiffness: Array, fixed: list[int]):
        self.free = np.setdiff1d(np.arange(len(stiffness)), fixed)
        self.stiffness = stiffness[np.ix_(self.free, self.free)]

    def balanced(self, f: Array) -> Array:
        """Return forces; those on fixed coordinates do no work."""
        return f

    def __call__(self, f: Array) -> Array:
        u = np.zeros_like(f)
        u[self.free] = np.linalg.solve(self.stiffness, f[self.free])
        return u


def line_loads(mesh: Mesh, given: Any, nodes: Iterable[str]) -> LineLoads:
    """Return loads as users pass them: "inertia", or a mapping {"inertia": True, name: force per length}.

    Raises ModelError.
    """
    if given is None or (isinstance(given, str) and given == "inertia"):
        return LineLoads(given is not None, {}, {})
    if not isinstance(given, Mapping):
        raise ModelError(
            f"loads is {display(given)}: pass 'inertia', or forces per length (N/m) by name, such as "
            "{'wind': lambda x: (0, 5 * x, 0)}"
        )
    taken = [name for name in given if name in nodes]
    if taken:
        raise ModelError(f"load {taken[0]!r} has the name of a node: a node stands for each; choose another name")
    found = {str(name): mesh.line_load(_force(str(name), q)) for name, q in given.items() if name != "inertia"}
    forces, elements = ({name: pair[k] for name, pair in found.items()} for k in (0, 1))
    return LineLoads(bool(given.get("inertia", False)), forces, elements)


def _force(name: str, value: Any) -> Callable[[float], Array]:
    """Return the checked force per length at x. Raises ModelError where it is evaluated."""

    def force(x: float) -> Array:
        try:
            q = np.array(value(x) if callable(value) else value, dtype=float)
        except (TypeError, ValueError):
            q = np.array(np.nan)
        if q.shape != (3,) or not np.isfinite(q).all():
            raise ModelError(
                f"load {name!r} is {display(value(x) if callable(value) else value)} at x = {x:g} m: pass three finite "
                "numbers, the force per length along x, y and z in N/m, or a function of x that returns them"
            )
        return q

    return force


def with_loads(mesh: Mesh, fixed: list[int], base: Loaded, loads: LineLoads) -> tuple[Loaded, dict[str, float]]:
    """Return the shapes with those by loads after them, and the shares (H11) that all of them leave out.

    fixed: coordinates that are zero in all shapes.
    """
    held, inertia = Held(mesh.stiffness, fixed), _inertia_loads(mesh)
    groups = [inertia] if loads.inertia else []
    groups += [{name: f} for name, f in loads.elements.items()]
    all_shapes, last = base, _orthonormal(mesh, base)
    for group in groups:
        f = np.stack(list(group.values()), axis=2)
        nodal = assembled(f)
        X, C = residuals(held, last.shapes, nodal)
        own = Loaded(X @ C, (f - last.loads @ (last.shapes.T @ nodal)) @ C)
        all_shapes, last = _joined(all_shapes, own), _joined(last, own)
    nodal_loads = {name: assembled(f[:, :, None])[:, 0] for name, f in inertia.items()}
    return all_shapes, left_out(held, last.shapes, nodal_loads)


def _orthonormal(mesh: Mesh, base: Loaded) -> Loaded:
    """Return shapes of unit strain energy, orthogonal in that."""
    L = np.linalg.cholesky(symmetric(base.shapes.T @ mesh.stiffness @ base.shapes))
    inverse = np.linalg.inv(L).T
    return Loaded(base.shapes @ inverse, base.loads @ inverse)


def _joined(one: Loaded, other: Loaded) -> Loaded:
    return Loaded(np.concatenate([one.shapes, other.shapes], 1), np.concatenate([one.loads, other.loads], 2))


def _inertia_loads(mesh: Mesh) -> dict[str, Array]:
    """Return the loads by acceleration of the beam on its elements, (elements, 12), by name; see `inertia_loads`."""
    whole = Structure(mesh.places, mesh.mass, mesh.stiffness, 6)
    center, size = whole.center, whole.size
    parts = [
        sized_loads(Structure(mesh.places[k : k + 2], M, M, 6), center, size) for k, M in enumerate(mesh.element_masses)
    ]
    return {name: np.stack([part[name] for part in parts]) for name in parts[0]}


def assembled(f: Array) -> Array:
    """Return forces on all coordinates, (6 ends, n), from those on elements, (elements, 12, n)."""
    count = len(f)
    total = np.zeros((count + 1, 6, f.shape[2]))
    total[:-1] += f[:, :6]
    total[1:] += f[:, 6:]
    return total.reshape(6 * (count + 1), -1)


def load_node(name: str, forces: Array, pieces: Pieces) -> Node:
    """Return the node that stands for a load of parallel forces on the pieces, (k, 3), N, as (H12). Raises ModelError.

    It lies on the line of action, and its motion is that of the pieces, weighted by their forces.
    """
    R, weights = resultant(name, forces, np.zeros_like(forces))
    n = pieces.shapes.shape[2]
    Y1, Y2 = np.zeros((6, n)), np.zeros((6, n, n))
    Y1[:3] = np.einsum("k,kia->ia", weights, pieces.shapes)
    Y2[:3] = np.einsum("k,kiab->iab", weights, pieces.second)
    return Node(weights @ pieces.place, axes_along(R / np.linalg.norm(R)), Y1, Y2)
