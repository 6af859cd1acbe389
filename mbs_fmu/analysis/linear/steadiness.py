"""Tests whether a linear model stays valid while its point moves: its matrices must not change along the motion."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ...compile.requests import laws_read_time
from ...infrastructure.errors import ModelError
from ..point import Point

WAYS = 0.7, 1.9  #: ways of a coordinate to the other points, rad or m; no two of a period of up to 20 per turn
CONSTANT = 1e-3  #: a rate is constant if it changes by less than this share within a radian or metre
MOVES = 1e-9  #: rates below this share of one plus the largest are rounding
CHANGED = 1e-7  #: least change of an entry, relative to the largest ones of its row and column
ROUNDING = 1e-11  #: rounding of entries, relative to one plus the largest of the matrices
MATRICES = "ABCD"

Tables = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  #: A, B, C, D


def unsteady(point: Point, tables: Tables, tables_at: Callable[[Point], Tables]) -> tuple[list[str], list[str]]:
    """Return the matrices that the motion changes, and the coordinates that move at a constant rate and change them.

    Time is among the latter. Both lists are empty if the matrices are constant.

    tables: A, B, C, D at the point. tables_at: computes them at another point. The matrices are compared with those at
    later points of the motion. If they differ, the coordinates that change them one by one are named.
    """
    check = _Check(point, tables, tables_at)
    changed = check.along_motion()
    return [x for x in MATRICES if x in changed], check.one_by_one() if changed else []


class _Check:
    """Matrices at a point and at others, which differ by the motion of some coordinates or by time."""

    def __init__(self, point: Point, tables: Tables, tables_at: Callable[[Point], Tables]):
        self.point, self.tables, self.tables_at = point, tables, tables_at
        self.rates = np.zeros(len(point.states))
        positions = len(point.own_positions)
        rates, accelerations = point.rates[:positions], point.accelerations[point.own_positions]
        moves = np.abs(rates) > MOVES * (1.0 + np.max(np.abs(rates), initial=0.0))
        self.rates[:positions][moves] = rates[moves]
        self.moving = [int(k) for k in np.flatnonzero(moves & (np.abs(accelerations) <= CONSTANT * rates**2))]
        self.reads_time = laws_read_time(point.mechanism.model)

    def along_motion(self) -> set[str]:
        """Return the names of the matrices that change along the motion of all coordinates."""
        spans = {way / speed for speed in self._speeds() for way in WAYS}
        return self._changed((self.rates * span, span) for span in sorted(spans))

    def one_by_one(self) -> list[str]:
        """Return names of the coordinates, and "time", each of which alone changes matrices; all if none does."""
        matrices: dict[str, set[str]] = {}
        unit = np.eye(len(self.rates))
        for k in self.moving:
            matrices[self.point.states[k]] = self._changed((way * unit[k], 0.0) for way in WAYS)
        if self.reads_time:
            spans = [way / speed for speed in self._speeds() for way in WAYS]
            matrices["time"] = self._changed((0.0 * self.rates, span) for span in spans)
        return [name for name, changed in matrices.items() if changed] or list(matrices)

    def _speeds(self) -> list[float]:
        """Return speeds, each once, which give the times until the other points: rad/s, m/s, 1/s for laws of time."""
        speeds = [abs(float(self.rates[k])) for k in self.moving]
        if self.reads_time:
            u = np.abs(self.point.R[self.point.mechanism.program.region("driven_u")])
            speeds += [1.0, *u[u > MOVES * (1.0 + np.max(u, initial=0.0))].tolist()]
        return list({f"{speed:.9g}": speed for speed in speeds}.values())

    def _changed(self, steps: Iterable[tuple[np.ndarray, float]]) -> set[str]:
        """Return the names of the matrices that differ after one of the steps of states and of time (s).

        All of them differ at points that the mechanism cannot reach.
        """
        changed: set[str] = set()
        for step, span in steps:
            try:
                tables = self.tables_at(self.point.moved(step, span=span))
            except ModelError:
                return set(MATRICES)
            changed |= _different(self.tables, tables)
        return changed


def _different(before: Tables, after: Tables) -> set[str]:
    """Return the names of the matrices that differ by more than rounding."""
    A, B, C, D = range(4)
    different = set()
    for left, right in ((A, B), (C, D)):
        old, new = (np.hstack([tables[left], tables[right]]) for tables in (before, after))
        if not old.size:
            continue
        sizes = np.nan_to_num(np.maximum(np.abs(old), np.abs(new)), posinf=0.0)
        scales = np.sqrt(sizes.max(axis=1, keepdims=True) * sizes.max(axis=0, keepdims=True))
        changes = np.abs(np.nan_to_num(new) - np.nan_to_num(old))
        wrong = changes > CHANGED * scales + ROUNDING * (1.0 + sizes.max())
        states = before[left].shape[1]
        different |= {MATRICES[k] for k, part in ((left, wrong[:, :states]), (right, wrong[:, states:])) if part.any()}
    return different
