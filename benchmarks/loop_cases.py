"""Planar mechanisms with closed loops, as plain data, with states in which all loops are closed.

All move in the x-z plane on hinges about y. Links of a family stay parallel, so that a few angles define the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .models import AXES, Axis, Closure, Link, Mechanism, States

LEVEL, FIRST, SECOND = -1, 0, 1  #: families: links that stay level, and links that turn


@dataclass(frozen=True)
class LoopCase:
    """A mechanism with its states, built on demand.

    dense, sparse: mu and the number of iterations of Pinocchio's `constraintDynamics` and `lcaba`.
    """

    title: str
    build: Callable[[int], tuple[Mechanism, States]]
    count: int
    dense: tuple[float, int]
    sparse: tuple[float, int]


def four_bars(count: int) -> tuple[Mechanism, States]:
    """Upright rods in a row with their tops joined by level rods, as in problem A02 of IFToMM."""
    links = [_rod(-1, (0.0, 0.0, 0.0), "z")]
    families = [FIRST]
    closures = []
    for k in range(1, count + 1):
        level, upright = len(links), len(links) + 1
        links += [_rod(level - 1, (0.0, 0.0, 1.0), "x"), _rod(-1, (float(k), 0.0, 0.0), "z")]
        families += [LEVEL, FIRST]
        closures.append(Closure(level, upright, (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    mechanism = Mechanism(f"four-bars-{count}", tuple(links), tuple(closures))
    return mechanism, _states(mechanism, families, [(-1.2, 1.2)])


def scissor(count: int) -> tuple[Mechanism, States]:
    """Stages of two crossed, hinged bars; the lowest one stands on one end of a bar.

    The tree contains both bars of each stage, so that only one loop per pair of stages remains.
    """
    middle, end, left, right = ((x, 0.0, 0.0) for x in (0.5, 1.0, -0.5, 0.5))  # the last two from a bar's middle
    links = [_rod(-1, (0.0, 0.0, 0.0), "x"), _rod(0, middle, "x", centred=True)]
    families = [FIRST, SECOND]
    closures = []
    below, below_end, other, other_end = 0, end, 1, right  # the stage below: the bar of the tree, and the other one
    for _ in range(1, count):
        rising, crossing = len(links), len(links) + 1
        links += [_rod(below, below_end, "x"), _rod(rising, middle, "x", centred=True)]
        families += [SECOND, FIRST]
        closures.append(Closure(other, crossing, other_end, left))
        below, below_end, other, other_end = crossing, right, rising, end
    mechanism = Mechanism(f"scissor-{count}", tuple(links), tuple(closures))
    return mechanism, _states(mechanism, families, [(-1.0, -0.2), (-2.9, -2.1)])


CASES = {
    **{
        f"four-bars-{n}": LoopCase(f"four-bars {n}", four_bars, n, (1e-12, 1), (1e-6, 2))
        for n in (1, 2, 5, 10, 20, 40, 100)
    },
    **{f"scissor-{n}": LoopCase(f"scissor, {n} stages", scissor, n, (1e-12, 2), (1e-8, 3)) for n in (5, 20, 80)},
}


def _rod(parent: int, position: Axis, along: str, centred: bool = False) -> Link:
    """A uniform rod of 1 kg and 1 m along its x or z axis, hinged about y at its start or middle."""
    com = np.zeros(3) if centred else 0.5 * np.array(AXES[along])
    inertia = np.diag([1e-3 if axis == along else 1 / 12 for axis in "xyz"])
    return Link(parent, "revolute", 1.0, com, inertia, AXES["y"], position)


def _states(
    mechanism: Mechanism, families: Sequence[int], ranges: Sequence[tuple[float, float]], count: int = 16
) -> States:
    """Random angles and speeds of the families, as coordinates and velocities of the hinges."""
    rng = np.random.default_rng(1)
    low, high = np.array(ranges).T
    angles = rng.uniform(low, high, (count, len(ranges)))
    speeds = rng.normal(size=(count, len(ranges)))
    parents = [link.parent for link in mechanism.links]
    q, u = (_relative(values, families, parents) for values in (angles, speeds))
    return States(q, u, rng.normal(size=u.shape))


def _relative(values: np.ndarray, families: Sequence[int], parents: Sequence[int]) -> np.ndarray:
    """Values of the families, zero for LEVEL, as differences between each link and its parent."""
    zero = np.zeros((len(values), 1))
    absolute = np.hstack([values, zero])[:, families]  # LEVEL is the last column
    return np.ascontiguousarray(absolute - np.hstack([absolute, zero])[:, parents])
