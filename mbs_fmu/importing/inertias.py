"""Inertias of links: tests for physical consistency, their repair, and a search for joints that move no inertia."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.checks import ROUNDING, is_unphysical


@dataclass(frozen=True)
class Inertia:
    """Inertia of a link: mass (kg), centre of mass com (m) and inertia tensor about it (kg m²), both in link axes.

    `physical` is that of `Model.body`.
    """

    mass: float = 0.0
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    tensor: tuple[tuple[float, ...], ...] = ((0.0,) * 3,) * 3
    physical: bool = True

    @property
    def matrix(self) -> np.ndarray:
        """Spatial inertia about the link's origin, for twists (v; w), (6, 6)."""
        c = skew(np.array(self.com))
        m = self.mass
        return np.block([[m * np.eye(3), -m * c], [m * c, np.array(self.tensor) - m * c @ c]])


def skew(x: np.ndarray) -> np.ndarray:
    """Cross product matrix x~, with x~ y = x cross y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def why_unphysical(inertia: Inertia) -> str:
    """Return a text with the principal moments of inertia if no rigid body can have them; otherwise an empty text."""
    moments = np.linalg.eigvalsh(np.array(inertia.tensor))
    return f"principal moments {', '.join(f'{x:.6g}' for x in moments)}" if is_unphysical(moments) else ""


def mended(inertia: Inertia) -> Inertia:
    """Return the inertia with negative principal moments set to zero, and the largest reduced to the others' sum."""
    moments, axes = np.linalg.eigh(np.array(inertia.tensor))
    moments = np.maximum(moments, 0.0)
    moments[2] = min(moments[2], moments[0] + moments[1])
    tensor = (axes * moments) @ axes.T
    return replace(inertia, tensor=rows(0.5 * (tensor + tensor.T)))


def rows(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Rows of a matrix as tuples."""
    return tuple(map(tuple, matrix.tolist()))


@dataclass(frozen=True)
class Mounting:
    """Joint of a link.

    parent: name of the parent link. position: m, (3,), and rotation, joint to parent axes, (3, 3): pose of the joint on
    the parent. twists: a row (v; w) for each degree of freedom, (n, 6), in joint axes.
    """

    parent: str
    position: np.ndarray
    rotation: np.ndarray
    twists: np.ndarray


def massless_branches(
    mountings: Mapping[str, Mounting], inertias: Mapping[str, Inertia], led: Mapping[str, tuple[str, float]]
) -> list[str]:
    """Return the names of the links whose joints move no inertia (along at least one direction), at zero coordinates.

    Joints that follow each other move together. mountings: by link, parents first. led: for the link of a joint that
    follows another one, the link of the leader of all, and the ratio to its coordinate.
    """
    branches = {link: inertias[link].matrix for link in inertias}  # each as one rigid body
    for link, mounting in reversed(list(mountings.items())):
        to_child = _to_child(mounting)
        branches[mounting.parent] = branches[mounting.parent] + to_child.T @ branches[link] @ to_child
    leaders = {leader for leader, _ in led.values()}
    massless = []
    for link, mounting in mountings.items():
        if link in led:
            continue
        if link in leaders:
            effective_inertia = _effective_inertia(mountings, inertias, led, link)
        else:
            effective_inertia = mounting.twists @ branches[link] @ mounting.twists.T
        if effective_inertia.size and np.min(np.abs(np.linalg.eigvalsh(effective_inertia))) <= ROUNDING:
            massless.append(link)
    return [*massless, *(link for link, (leader, _) in led.items() if leader in massless)]


def _to_child(mounting: Mounting) -> np.ndarray:
    """Return the matrix, (6, 6), that transforms twists (v; w) of the parent to the joint frame."""
    R, r = mounting.rotation, skew(mounting.position)
    return np.block([[R.T, -R.T @ r], [np.zeros((3, 3)), R.T]])


def _effective_inertia(
    mountings: Mapping[str, Mounting],
    inertias: Mapping[str, Inertia],
    led: Mapping[str, tuple[str, float]],
    leader: str,
) -> np.ndarray:
    """Return the inertia, (1, 1), that a joint and its followers move together."""
    twists: dict[str, np.ndarray] = {}
    total = np.zeros((1, 1))
    for link, mounting in mountings.items():
        own, ratio = (leader, 1.0) if link == leader else led.get(link, ("", 0.0))
        twist = np.zeros((6, 1))
        if mounting.parent in twists:
            twist = _to_child(mounting) @ twists[mounting.parent]
        if own == leader:
            twist = twist + ratio * mounting.twists.T
        if twist.any():
            twists[link] = twist
            total = total + twist.T @ inertias[link].matrix @ twist
    return total
