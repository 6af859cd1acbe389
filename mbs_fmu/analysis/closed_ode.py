"""The part of `ode` for models with closed loops, in minimal coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ModelError
from ..infrastructure.messages.names import listed
from ..integrate.functions.module import closed_module
from ..integrate.methods.method import Method
from ..record.codes import Status
from .array_functions import JacobianOfNumbers, Kernels, Names, Numbers
from .mechanism import Mechanism
from .point import Point
from .rollout import Adjoint, Gradient, Rollout, Trajectory


def closed_point(mechanism: Mechanism, R: np.ndarray, independent: Sequence[str] | None, names: Names) -> Point:
    """Start a record and return its point, whose independent positions are coordinates.

    Raises ModelError for models that have no such minimal coordinates, and if the start fails.
    """
    name, program = mechanism.program.name, mechanism.program
    if not names.by_velocities:
        raise ModelError(f"loops of model {name!r} make its momenta depend on each other: leave out states=")
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
        head = len(self.given), R.size, positions, velocities, len(point.states), float(self.varies)
        self.G = np.array([*head, *self.given, *point.own_positions], dtype=float)
        self.changes = (velocities + 1) * (mechanism.nv + mechanism.nq)  #: size of the array W

    def rates(self, R: np.ndarray, X: np.ndarray, Y: np.ndarray) -> Callable[[], int]:
        entry, D = self.values.entry("closed_rates"), np.zeros_like(R)
        return lambda: self.closed(R, entry(R, self.R, D, self.G, X, Y, 0, True))

    def rates_jacobian(self, directions: range) -> JacobianOfNumbers:
        count = len(directions)
        arrays, Y = self.arrays(), np.zeros((1 + count) * self.width)
        entry = self.jacobians.entry("closed_jacobian")

        def call(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            self.closed(arrays[0], entry(*arrays, X, Y, 0, count, True))
            rows = Y.reshape(1 + count, self.width)
            return rows[0].copy(), rows[1:].T.copy()

        return call

    def arrays(self) -> list[np.ndarray]:
        """Return the arrays of `closed_jacobian` before X: R, Z, S, D, E, F, W and G."""
        return [self.R.copy(), self.R, *(np.zeros_like(self.R) for _ in range(4)), np.zeros(self.changes), self.G]

    def closed(self, R: np.ndarray, status: int) -> int:
        """Return the status OK of a kernel that closes loops in R. Raises ModelError for another one."""
        if status == Status.ok:
            return int(Status.ok)
        reason = self.mechanism.runtime.start_fault(R, status)
        R[:] = self.R
        raise ModelError(reason)

    @cached_property
    def values(self) -> Any:
        """Kernels without second tangents, compiled at the first use."""
        return self.loaded(closed_module(self.mechanism.runtime.kernels.source_with()))

    @cached_property
    def jacobians(self) -> Any:
        """Kernels with second tangents, compiled at the first use. Raises ModelError if the model has changed."""
        return self.loaded(closed_module(self._differentiable))


class ClosedRollout(Rollout):
    """A run of a model with closed loops: steps of the equation in minimal coordinates.

    Each run begins with the loops as they are closed at the start. The adjoint needs the Jacobian of the equation at
    each stage of each step.
    """

    _kernels: ClosedKernels

    def _run(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> Trajectory:
        X, inputs = self._begin(t, x, u, p)
        kernels, start = self._kernels, X[0]
        R, D, (B, Y) = kernels.R.copy(), np.zeros_like(kernels.R), self._results(0)
        entry = kernels.values.entry("closed_rollout")
        kernels.closed(
            R, entry(R, kernels.R, D, kernels.G, self._K, X, inputs.ravel(), B, Y.ravel(), self.step, self.steps)
        )
        return self._trajectory(start, Y)

    def _differentiated(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> tuple[Trajectory, Adjoint]:
        X, inputs = self._begin(t, x, u, p)
        kernels, start, count = self._kernels, X[0], X.size - 1
        arrays, (B, Y) = kernels.arrays(), self._results(count)
        entry = kernels.jacobians.entry("closed_rollout_jacobians")
        status = entry(*arrays, self._K, X, inputs.ravel(), B, Y.ravel(), self.step, self.steps, count)
        kernels.closed(arrays[0], status)
        return self._trajectory(start, Y), lambda W: self._gradient(B, W, inputs.shape)

    def _results(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the arrays B and Y of the kernels, with tangents along `count` numbers."""
        width, evaluations = self._kernels.width, self._tableau.stages * self.steps + 1
        return np.zeros(evaluations * (1 + count) * width), np.zeros((self.steps + 1, width))

    def _gradient(self, B: np.ndarray, W: np.ndarray, shape: tuple[int, ...]) -> Gradient:
        """Return the gradient of the sum of the rows with weights W, (steps + 1, nx + ny); `shape`: of the inputs."""
        nx, nu = len(self.states), self.steps * len(self.inputs)
        V, Q = np.zeros(nx + nu + len(self.parameters)), np.zeros(self._tableau.stages * nx)
        count = self._X.size - 1
        entry = self._kernels.jacobians.entry("closed_gradient")
        entry(self._kernels.G, self._K, B, W.ravel(), Q, V, self.step, self.steps, count)
        return Gradient(V[:nx], V[nx : nx + nu].reshape(shape), V[nx + nu :])
