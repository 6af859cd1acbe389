"""The part of `ode` for models with closed loops, in minimal coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.names import listed
from ..integrate.functions.module import closed_source
from ..integrate.methods.method import Method
from ..record.layout import Status
from .array_functions import JacobianOfNumbers, Kernels, Names
from .mechanism import Mechanism
from .point import Point


def closed_point(mechanism: Mechanism, R: np.ndarray, independent: Sequence[str] | None, names: Names) -> Point:
    """Start a record and return its point, whose independent positions are coordinates.

    Raises ModelError for models that have no such minimal coordinates, and if the start fails.
    """
    name, program = mechanism.program.name, mechanism.program
    if not names.by_velocities:
        raise ModelError(f"loops of model {name!r} make its momenta depend on each other: leave out states=")
    if fixed := [p for p in names.parameters if program.by_name[p].fixed]:
        raise ModelError(
            f"model {name!r} has closed loops, whose Jacobians by parameters of mass and geometry do not exist: "
            f"leave out {listed(fixed)}, or give them by values="
        )
    mechanism.begin(R)
    point = Point(mechanism, R, independent)
    if point.contacts:
        raise ModelError(f"model {name!r} has loops with curves that touch, whose contact points are no states: "
                         "use linearize or simulate")  # fmt: skip
    positions = point.states[: point.counts[0]]
    if small := [x for x in positions if x not in program.by_name]:
        raise ModelError(
            f"{listed(small)} of model {name!r} would be a state, which is a small rotation or translation of a ball "
            "or free joint and no coordinate: name joint velocities of other joints by independent="
        )
    return point


class ClosedKernels(Kernels):
    """Kernels of integrate/functions/closed.py, with the arrays that they need, about the position of a point."""

    def __init__(self, mechanism: Mechanism, method: Method, names: Names, point: Point):
        R = point.R.copy()
        program = mechanism.program
        for region, own in (("free", point.own_positions), ("free_rates", point.own_rates)):
            R[program.region(region)] = 1.0
            R[program.region(region).start + np.array(own, dtype=int)] = 0.0
        super().__init__(mechanism, method, Names(point.states, names.inputs, names.parameters, names.outputs, True), R)
        positions, velocities, _ = point.counts
        head = len(self.given), R.size, positions, velocities, len(point.states)
        self.G = np.array([*head, *self.given, *point.own_positions], dtype=float)
        self.changes = (velocities + 1) * mechanism.nv + mechanism.nq  #: size of the array W

    def rates(self, R: np.ndarray, X: np.ndarray, Y: np.ndarray) -> Callable[[], int]:
        return partial(self._closed, R, partial(self.values.entry("closed_rates"), R, np.zeros_like(R), self.G, X, Y))

    def rates_jacobian(self, directions: range) -> JacobianOfNumbers:
        count = len(directions)
        R, Y = self.R.copy(), np.zeros((1 + count) * self.width)
        arrays = [R, *(np.zeros_like(R) for _ in range(4)), np.zeros(self.changes), self.G]
        entry = self.jacobians.entry("closed_jacobian")

        def call(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            self._closed(R, lambda: entry(*arrays, X, Y, count))
            rows = Y.reshape(1 + count, self.width)
            return rows[0].copy(), rows[1:].T.copy()

        return call

    def _closed(self, R: np.ndarray, call: Callable[[], int]) -> int:
        """Call a kernel that closes the loops, from the last position or else from the start; return OK.

        Raises ModelError if both fail.
        """
        if call() == Status.ok:
            return int(Status.ok)
        R[:] = self.R
        status = call()
        if status != Status.ok:
            reason = self.mechanism.runtime.start_fault(R, status)
            R[:] = self.R
            raise ModelError(reason)
        return int(Status.ok)

    @cached_property
    def values(self) -> Any:
        """Kernels without second tangents, compiled at the first use."""
        return self.loaded(closed_source(self.mechanism.runtime.kernels.text_with()))

    @cached_property
    def jacobians(self) -> Any:
        """Kernels with second tangents, compiled at the first use. Raises ModelError if the model has changed."""
        return self.loaded(closed_source(self._differentiable))
