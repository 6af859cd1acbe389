"""Frames of a finite element model: the average of some nodes, or a frame to which these are rigid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ..shapes import Array
from .structures import MOTIONS, Structure, numbers, rigid_motions, scipy_modules

LINE = 1e-6  #: least width of a frame's nodes, relative to their length


@dataclass(frozen=True)
class Frame:
    """A node of the reduced body and its coupling to nodes of the structure."""

    name: str
    nodes: Array  #: indices
    place: Array  #: (3), m
    average: Any  #: A, from the motion of its nodes to its own, sparse, (6, dofs N)
    follow: Any = None  #: from its motion to that of its nodes if they are rigid to it, sparse, (dofs N, 6)
    axes: Array = field(default_factory=lambda: np.eye(3))  #: of the body's node, as columns in the body's axes


def frame_of(structure: Structure, name: str, value: Any) -> Frame:
    """Return a frame from indices of nodes, or from a pair (indices, place). Raises ModelError."""
    paired = is_placed(value)
    nodes = _indices(name, value[0] if paired else value, len(structure.places))
    at = structure.places[nodes]
    place = numbers(value[1], f"the place of frame {name!r}", "three numbers, m") if paired else at.mean(0)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ModelError(f"the place of frame {name!r} is {display(place)}: give three numbers, m")
    _, lengths, directions = np.linalg.svd(at - at.mean(0), full_matrices=False)
    line = len(nodes) < 3 or lengths[1] <= LINE * lengths[0]
    if line and structure.dofs == 3:
        arrangement = "one node" if len(nodes) == 1 else f"{len(nodes)} nodes on a line"
        raise ModelError(
            f"frame {name!r} has {arrangement}, which determines no rotation: give three or more nodes that are not on "
            "a line"
        )
    spread = float(lengths @ lengths) / len(nodes)
    W = np.zeros((structure.dofs, structure.dofs))
    W[:3, :3] = np.eye(3)
    if line:  # only rotations that displacements do not determine: shells are soft against moments about their normal
        W[3:, 3:] = spread * np.outer(directions[0], directions[0]) if spread > 0.0 else np.eye(3)
    G = rigid_motions(at, place, structure.dofs)
    WG = (W @ G.reshape(len(nodes), -1, 6)).reshape(-1, 6)
    A = np.linalg.solve(G.T @ WG, WG.T)
    dofs = np.repeat(structure.dofs * nodes, structure.dofs) + np.tile(np.arange(structure.dofs), len(nodes))
    where, size = (np.repeat(dofs, 6), np.tile(np.arange(6), len(dofs))), structure.K.shape[0]
    average, follow = (scipy_modules().sparse.csc_array((B.ravel(), where), (size, 6)) for B in (A.T, G))
    return Frame(name, nodes, place, average.T, follow)


def is_placed(value: Any) -> bool:
    """True if a frame is a pair of its nodes and a place."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[1]) == 1


def _indices(name: str, value: Any, N: int) -> Array:
    """Return the indices of a frame's nodes, each once, in ascending order. Raises ModelError."""
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


@dataclass(frozen=True)
class Condensed:
    """The structure in coordinates z that satisfy the constraints of rigid frames."""

    L: Any  #: from z to all displacements, (dofs N, z)
    M: Any  #: (z, z)
    K: Any  #: (z, z)
    G: Array  #: rigid motions about the first frame's place, (z, 6)
    A: Any  #: from z to the motions of frames, (6 frames, z)
    place: Callable[[int], str]  #: description of a coordinate, for messages


def condensed(structure: Structure, frames: list[Frame], couple: str) -> Condensed:
    """Return the structure with the nodes of rigid frames eliminated; with averages all coordinates remain."""
    sparse = scipy_modules().sparse
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

    return Condensed(L, M, K, G, A, place)


def _check_apart(frames: list[Frame]) -> None:
    """Raise ModelError if two rigid frames share a node."""
    owner: dict[int, str] = {}
    for frame in frames:
        for node in frame.nodes.tolist():
            if owner.setdefault(node, frame.name) != frame.name:
                raise ModelError(
                    f"frames {owner[node]!r} and {frame.name!r} share node {node}, which can't be rigid to both: "
                    "give each node to one of them, or couple='average'"
                )
