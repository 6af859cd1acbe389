"""Shapes that rest on each other: the fastest motion of springs, dampers and friction of all their contact points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.forces.contact_laws import Friction
from ...model.forces.normal_laws import Normal
from ...model.items import WORLD
from ...symbolic.expressions import as_expression
from .starts import Start

ALIKE = 0.5  #: cosine between normals of points that can touch at once
CAUSES = ("stiffness", "dissipation", "friction", "pad", "roll")
REMEDIES = {
    "stiffness": "a lower stiffness=",
    "dissipation": "a lower dissipation=",
    "grip": "a lower grip= or a shorter settling=",
    "creep": "a larger creep=",
    "pad": "a smaller pad= or a lower grip=",
    "roll": "a lower grip= or a shorter settling=",
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
    """A contact point at rest: stiffness (N/m) and damping (N.s/m) along the normal, of tangential motion, of spin
    about the normal and of rolling (N.m/rad, N.m.s/rad)."""

    normal: tuple[float, float]
    tangential: tuple[float, float]
    spin: tuple[float, float]
    rolling: tuple[float, float]


@dataclass(frozen=True)
class _Group:
    """Points that can touch at once: their places in `Start.points`, the points, and the root of their mobility."""

    places: list[int]
    points: list[_Point]
    root: np.ndarray


def fastest_rest(start: Start) -> Rest | None:
    """Return the group of points that can touch at once which moves fastest about rest, or None."""
    rates, laws = [], _Laws(start)
    for places, weight in groups(start):
        group = _Group(places, [laws.at_rest(x, weight / len(places)) for x in places], _root(start, places))
        rates.append((_largest(group, CAUSES), group))
    rate, group = max(rates, key=lambda x: x[0], default=(0.0, _Group([], [], np.empty((0, 0)))))
    if rate == 0.0:
        return None
    cause = min(CAUSES, key=lambda cause: _largest(group, [x for x in CAUSES if x != cause]))
    if cause in ("friction", "roll") and group.points[0].tangential[0] == 0.0:
        cause = "creep"
    elif cause == "friction":
        cause = "grip"
    return Rest(start.contact(group.places[0]).thing, rate, REMEDIES[cause])


def groups(start: Start) -> list[tuple[list[int], float]]:
    """Return the points that can touch at once, with the weight on them, N.

    These are those of a tree that touch at the start, since its bodies couple them, and for each contact that does not
    touch, as many of its deepest points as touch if its shape lies flat. What would press two bodies of one tree
    against each other is not known: their contacts count only if they touch.
    """
    trees: dict[str, list[int]] = {}
    apart: list[list[int]] = []
    own: dict[str, list[int]] = {}
    for place in range(len(start.points)):
        own.setdefault(start.contact(place).name, []).append(place)
    for places in own.values():
        touching = [place for place in places if start.depth[place] > 0.0]
        bases = [start.bases[body] for body in _bodies(start, places[0]) if body != WORLD]
        if touching:
            for base in set(bases):
                trees.setdefault(base, []).extend(touching)
            continue
        if len(bases) == 2 and bases[0] == bases[1]:
            continue
        deepest = sorted(places, key=lambda place: -start.depth[place])
        most = len(places) if len(places) <= 4 else min(4, (len(places) + 1) // 2)
        first = start.normal[deepest[0]]
        apart.append([place for place in deepest[:most] if start.normal[place] @ first > ALIKE])
    groups = [(places, start.weights[base]) for base, places in trees.items()]
    groups += [(places, min(start.weights[x] for x in _bodies(start, places[0]))) for places in apart if places]
    return [(places, weight if np.isfinite(weight) else 0.0) for places, weight in groups]


def _bodies(start: Start, place: int) -> tuple[str, str]:
    return start.points[place].a.body, start.points[place].b.body


class _Laws:
    """Evaluates the laws of contact points; equal laws under equal loads once."""

    def __init__(self, start: Start):
        self.start = start
        self.known: dict[object, _Point] = {}

    def at_rest(self, place: int, weight: float) -> _Point:
        """Return the springs and dampers of a point under its load: its weight (N), or that of its depth."""
        contact, depth = self.start.contact(place), max(float(self.start.depth[place]), 0.0)
        lever = self.start.points[place].lever
        rim = 0.0 if lever is None else self.start.value(lever)
        key = (contact.normal, contact.friction, depth, weight, rim)
        if key not in self.known:
            self.known[key] = self._at_rest(*key)
        return self.known[key]

    def _at_rest(self, normal: Normal, friction: Friction, depth: float, weight: float, rim: float) -> _Point:
        value = self.start.value
        depth = max(depth, normal.depth_under(weight, value))
        load = value(normal.elastic(as_expression(depth)))
        held = friction.held(as_expression(load), as_expression(rim))
        stiffness, damping, pad = (value(x) for x in (held.stiffness, held.damping, held.pad))
        slope = value(normal.slope(as_expression(depth)))
        return _Point(
            (slope, value(normal.damping(as_expression(load)))),
            (stiffness, damping),
            (stiffness * pad * pad, damping * pad * pad),
            (value(held.rolling[0]), value(held.rolling[1])),
        )


def _root(start: Start, places: Sequence[int]) -> np.ndarray:
    """Return a root X of the mobility X Xᵀ: the velocities of points along the normal and two tangents, and the angular
    velocities about them, by unit impulses along each, (6 points, columns), point by point."""
    n = start.normal[list(places)]
    least = np.eye(3)[np.argmin(np.abs(n), axis=1)]
    t = np.cross(n, least)
    t /= np.maximum(np.linalg.norm(t, axis=1, keepdims=True), 1e-300)
    axes = n, t, np.cross(n, t)
    turns = [np.concatenate([np.zeros_like(n), axis], axis=1) for axis in axes]
    rows = [start.wrenches(list(places), axis) for axis in axes] + [np.stack([-x, x], axis=1) for x in turns]
    X = np.stack([start.mobility_roots(list(places), row) for row in rows], axis=1).reshape(6 * len(places), -1)
    return X if X.shape[1] <= X.shape[0] else np.asarray(np.linalg.qr(X.T).R.T)


def _largest(group: _Group, causes: Sequence[str]) -> float:
    """Return the magnitude of the largest eigenvalue of x'' = -X Xᵀ (K x + C x'), 1/s, with some of the causes.

    Its eigenvalues other than zero are those of y'' = -Xᵀ (K X y + C X y'), which has no more rows than the tree has
    joint velocities.
    """
    K, C = (
        np.array(
            [
                (
                    p.normal[part] if CAUSES[part] in causes else 0.0,
                    *[p.tangential[part] if "friction" in causes else 0.0] * 2,
                    p.spin[part] if "pad" in causes else 0.0,
                    *[p.rolling[part] if "roll" in causes else 0.0] * 2,
                )
                for p in group.points
            ]
        ).ravel()
        for part in (0, 1)
    )
    X = group.root
    size = X.shape[1]
    A = np.zeros((2 * size, 2 * size))
    A[:size, size:] = np.eye(size)
    A[size:, :size], A[size:, size:] = -X.T @ (K[:, None] * X), -X.T @ (C[:, None] * X)
    return float(np.abs(np.linalg.eigvals(A)).max(initial=0.0)) if np.isfinite(A).all() else 0.0
