"""Data of finite element programs, in SI units: full models with nodes, and reduced ones with an interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ..reduction.structures import rigid_motions
from ..shapes import Array, vector


@add_clear_errors
@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """The full matrices of a finite element model, in SI units: `mbs.Modes.matrices(*data, frames=...)` reduces it.

    The functions of `mbs.fe` return it. nodes: places, (N, 3), m. M, K: mass and stiffness matrix, sparse, (dofs N,
    dofs N), kg and N/m, in the order of `nodes` and in the axes of the places. numbers: of the nodes in the program,
    (N). sets: indices (from 0) of nodes by the name of a set. dofs: per node, 3 (x, y, z) or 6 (then rotations).
    damping: like M, N s/m, or None. elements: for each type of elements the indices of their nodes, (n, k). notes: what
    the reader changed or left out.
    """

    nodes: Array
    M: Any
    K: Any
    numbers: Array
    sets: Mapping[str, Array] = field(default_factory=dict)
    dofs: int = 3
    damping: Any = None
    elements: Mapping[str, Array] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.nodes, self.M, self.K))

    def indices(self, *numbers: int) -> Array:
        """Return the indices (from 0) of nodes by their numbers in the program. Raises ModelError for unknown ones."""
        unknown = [number for number in numbers if number not in self.numbers]
        if unknown:
            raise ModelError(f"the model has no node {display(unknown[0])}: its nodes are {listed(self.numbers)}")
        return np.array([int(np.flatnonzero(self.numbers == number)[0]) for number in numbers], dtype=int)

    def __str__(self) -> str:
        sets = [f"  sets {listed(f'{name} ({len(nodes)})' for name, nodes in self.sets.items())}"] if self.sets else []
        return "\n".join([
            f"finite element model: {len(self.nodes)} nodes, {self.K.shape[0]} dofs",
            *_masses(self.M, self.nodes, rigid_motions(self.nodes, np.zeros(3), self.dofs)),
            *sets,
            *_noted(self.notes),
        ])  # fmt: skip

    def __repr__(self) -> str:
        return f"<finite element model: {len(self.nodes)} nodes, {self.K.shape[0]} dofs>"


@dataclass(frozen=True, eq=False, repr=False)
class ReducedData:
    """The matrices of a superelement, in SI units: six dofs of each interface node first, then modal coordinates.

    places: of the interface nodes, (k, 3), m. M, K: (6 k + q, 6 k + q), dense. numbers: of the interface nodes in the
    program, (k). damping: like M, or None. recovery: displacements of further nodes, (3 r, 6 k + q), or None; at: their
    places, (r, 3), m; recovered: their numbers, (r). notes: what the reader changed or left out.
    """

    places: Array
    M: Array
    K: Array
    numbers: Array
    damping: Array | None = None
    recovery: Array | None = None
    at: Array | None = None
    recovered: Array | None = None
    notes: tuple[str, ...] = ()

    @property
    def modal(self) -> int:
        """Number q of modal coordinates."""
        return len(self.K) - 6 * len(self.places)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.places, self.M, self.K))

    def __str__(self) -> str:
        G = np.concatenate([rigid_motions(self.places, np.zeros(3), 6), np.zeros((self.modal, 6))])
        return "\n".join([
            f"superelement: {len(self.places)} interface nodes {listed(self.numbers)}, {self.modal} modal coordinates",
            *_masses(self.M, self.places, G),
            *_noted(self.notes),
        ])  # fmt: skip


def _masses(M: Any, places: Array, G: Array) -> list[str]:
    """Return lines on mass, centre and extent; G: rigid motions about the origin, (n, 6)."""
    momenta = G.T @ (M @ G)
    mass = float(np.trace(momenta[:3, :3])) / 3.0
    center = -vector(momenta[:3, 3:]) / mass if mass else np.full(3, np.nan)
    return [
        f"  mass {mass:.6g} kg, centre of mass ({_numbers(center)}) m",
        f"  extent from ({_numbers(places.min(0))}) to ({_numbers(places.max(0))}) m",
    ]


def _noted(notes: tuple[str, ...]) -> list[str]:
    return [f"  note: {note}" for note in notes]


def _numbers(values: Array) -> str:
    return ", ".join(f"{x:.5g}" for x in values)
