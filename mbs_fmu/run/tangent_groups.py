"""Records with tangents along groups of directions, and the steps that carry them along."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from .single import FIRST_BUDGET, next_budget


@dataclass(frozen=True)
class Carried:
    """Result columns at some times, (times, columns), and their tangents, (directions, times, columns)."""

    data: np.ndarray
    tangents: np.ndarray


@dataclass(frozen=True)
class Group:
    """A record and its tangents along as many directions as the kernels have lanes.

    `record` and `tangents` have a column for each lane, or are vectors if there is one. `rows` are the result rows: the
    columns, then their tangents by direction, (times, 1 + lanes, columns).
    """

    record: np.ndarray
    tangents: np.ndarray
    rows: np.ndarray


class Carrier:
    """Groups of directions, and the kernel that makes steps with tangents on a mesh (integrate/tangents/drivers.py)."""

    def __init__(self, along: Callable[..., Any], groups: Sequence[Group], U: np.ndarray, times: np.ndarray):
        """`along` is METHOD_on_mesh, U its tables in the form of the records; `times` are those of the rows, s."""
        self.along, self.groups, self.U, self.times = along, groups, U, times

    def carry(self, mesh: np.ndarray, report: Callable[[int], object]) -> None:
        """Make the steps of a mesh: for each its beginning, size, end and the number of the row there, or -1, (n, 4).

        An entry of size -h makes no step but prepares for steps of size h. `report` is called with the number of new
        steps every few steps.
        """
        rows = np.flatnonzero(mesh[:, 3] >= 0.0)
        _, *shape = self.groups[0].rows.shape
        size = int(np.prod(shape))
        for group in self.groups:
            Y = np.zeros(mesh.size + size * len(rows))
            Y[: mesh.size] = mesh.reshape(-1)
            Y[3 : mesh.size : 4] = 0.0
            Y[4 * rows + 3] = mesh.size + size * np.arange(len(rows))
            done, budget = 0, FIRST_BUDGET
            while done < len(mesh):
                began = clock.perf_counter()
                last = min(len(mesh), done + budget)
                self.along(group.record, group.tangents, self.U, Y, done, last)
                report(last - done)
                done = last
                budget = next_budget(budget, clock.perf_counter() - began)
            group.rows[mesh[rows, 3].astype(int)] = Y[mesh.size :].reshape(len(rows), *shape)

    def carried(self, count: int) -> Carried:
        """Return the result rows, with the tangents along the first `count` directions."""
        data = self.groups[0].rows[:, 0].copy()
        data[:, 0] = self.times
        tangents = np.concatenate([group.rows[:, 1:] for group in self.groups], axis=1)[:, :count]
        return Carried(data, np.ascontiguousarray(tangents.transpose(1, 0, 2)))
