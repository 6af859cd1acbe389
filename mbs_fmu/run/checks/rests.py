"""Shapes that rest on each other: the fastest motion of springs, dampers and friction of all their contact points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.items import WORLD
from ...symbolic.expressions import as_expression
from .starts import Start

ALIKE = 0.5  #: cosine between normals of points that can touch at once
CAUSES = ("stiffness", "dissipation", "friction", "pad")
REMEDIES = {
    "stiffness": "a lower stiffness=",
    "dissipation": "a lower dissipation=",
    "grip": "a lower grip= or a shorter settling=",
    "creep": "a larger creep=",
    "pad": "a smaller pad= or a lower grip=",
}


@dataclass(frozen=True)
class Rest:
    """A body at rest on contacts. thing: one of the contacts. rate: magnitude of the largest eigenvalue, 1/s. remedy:
    the argument that lowers it."""

    thing: str
    rate: float
    remedy: str


@dataclass(frozen=True)
class _Point:
    """A contact point at rest: stiffness (N/m) and damping (N.s/m) along the normal, of tangential motion, and of spin
    about the normal (N.m/rad, N.m.s/rad)."""

    normal: tuple[float, float]
    tangential: tuple[float, float]
    spin: tuple[float, float]


def rests(start: Start) -> list[Rest]:
    """Return for each group of points that can touch at once how fast they move about rest."""
    groups = _groups(start)
    shared = _shared(start, groups)
    found = []
    for group in groups:
        points = [_at_rest(start, place, shared[place] / len(group)) for place in group]
        mobility = _mobility(start, group)
        rate = _largest(mobility, points, CAUSES)
        if rate > 0.0:
            found.append(Rest(start.contact(group[0]).thing, rate, _remedy(start, group, mobility, points)))
    return found


def _groups(start: Start) -> list[list[int]]:
    """Return the points that can touch at once: those of a moving body that do at the start, and for each contact that
    does not, as many of its deepest points as touch if its shape lies flat."""
    groups: dict[object, list[int]] = {}
    own: dict[str, list[int]] = {}
    for place in range(len(start.points)):
        own.setdefault(start.contact(place).name, []).append(place)
    for name, places in own.items():
        touching = [place for place in places if start.depth[place] > 0.0]
        if touching:
            point = start.points[touching[0]]
            groups.setdefault(point.b.body if point.b.body != WORLD else point.a.body, []).extend(touching)
            continue
        deepest = sorted(places, key=lambda place: -start.depth[place])
        most = len(places) if len(places) <= 4 else min(4, (len(places) + 1) // 2)
        first = start.normal[deepest[0]]
        groups[name, 0] = [place for place in deepest[:most] if start.normal[place] @ first > ALIKE]
    return [group for group in groups.values() if group]


def _shared(start: Start, groups: Sequence[Sequence[int]]) -> dict[int, float]:
    """Return for each point the weight on its group, N: that of the lighter tree, over its groups that touch."""
    lighter = [min(start.weights[p] for p in _bodies(start, group[0])) for group in groups]
    touch = [bool(start.depth[group[0]] > 0.0) for group in groups]
    bearing = sum(touch) or 1
    loads: dict[int, float] = {}
    for group, weight, touches in zip(groups, lighter, touch, strict=True):
        share = weight / bearing if touches else weight
        loads |= dict.fromkeys(group, share if np.isfinite(share) else 0.0)
    return loads


def _bodies(start: Start, place: int) -> tuple[str, str]:
    return start.points[place].a.body, start.points[place].b.body


def _at_rest(start: Start, place: int, weight: float) -> _Point:
    """Return the springs and dampers of a point under its load: its weight (N), or that of its depth at the start."""
    contact = start.contact(place)
    normal = contact.normal
    depth = max(float(start.depth[place]), 0.0)
    unit = start.value(normal.elastic(as_expression(1.0)))
    if unit <= 0.0:
        return _Point((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    depth = max(depth, (weight / unit) ** (1.0 / normal.exponent))
    load = unit * depth**normal.exponent
    held = contact.friction.held(as_expression(load))
    stiffness, damping, pad = (start.value(x) for x in (held.stiffness, held.damping, held.pad))
    slope = start.value(normal.slope(as_expression(depth)))
    return _Point(
        (slope, start.value(normal.damping(as_expression(load)))),
        (stiffness, damping),
        (stiffness * pad * pad, damping * pad * pad),
    )


def _mobility(start: Start, group: Sequence[int]) -> np.ndarray:
    """Return the changes of the velocities of points along the normal, two tangents and of the spin about the normal by
    unit impulses along each, (4 points, 4 points), point by point."""
    n = start.normal[list(group)]
    least = np.eye(3)[np.argmin(np.abs(n), axis=1)]
    t = np.cross(n, least)
    t /= np.maximum(np.linalg.norm(t, axis=1, keepdims=True), 1e-300)
    spin = np.concatenate([np.zeros_like(n), n], axis=1)
    rows = [start.wrenches(list(group), direction) for direction in (n, t, np.cross(n, t))]
    rows.append(np.stack([-spin, spin], axis=1))
    J = np.stack(rows, axis=1)  # (points, 4, 2, 6)
    ends = start.ends[list(group)]
    blocks = start.responses[ends[:, :, None, None], :, ends[None, None, :, :], :]  # (points, 2, points, 2, 6, 6)
    G = np.einsum("pdsi,psqtij,qetj->pdqe", J, blocks, J)
    return np.asarray(G.reshape(4 * len(group), 4 * len(group)))


def _largest(G: np.ndarray, points: Sequence[_Point], causes: Sequence[str]) -> float:
    """Return the magnitude of the largest eigenvalue of x'' = -G (K x + C x'), 1/s, with some of the causes."""
    K, C = (
        np.array(
            [
                (
                    p.normal[part] if CAUSES[part] in causes else 0.0,
                    *[p.tangential[part] if "friction" in causes else 0.0] * 2,
                    p.spin[part] if "pad" in causes else 0.0,
                )
                for p in points
            ]
        ).ravel()
        for part in (0, 1)
    )
    size = len(G)
    A = np.zeros((2 * size, 2 * size))
    A[:size, size:] = np.eye(size)
    A[size:, :size], A[size:, size:] = -G * K, -G * C
    return float(np.abs(np.linalg.eigvals(A)).max()) if np.isfinite(A).all() else 0.0


def _remedy(start: Start, group: Sequence[int], G: np.ndarray, points: Sequence[_Point]) -> str:
    """Return the argument without which the motion would be slowest."""
    without = {cause: _largest(G, points, [c for c in CAUSES if c != cause]) for cause in CAUSES}
    cause = min(without, key=lambda cause: without[cause])
    if cause == "friction":
        cause = "grip" if points[0].tangential[0] > 0.0 else "creep"
    return REMEDIES[cause]
