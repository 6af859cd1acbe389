"""The part of `ode` for models with closed loops, in minimal coordinates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.names import listed
from ..integrate.functions.module import closed_source
from ..integrate.methods.explicit import Tableau
from ..integrate.methods.method import Method
from ..record.layout import Status
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


class ClosedRollout(Rollout):
    """A run of a model with closed loops: steps of the equation in minimal coordinates.

    Each run begins with the loops as they are closed at the start. The adjoint needs the Jacobian of the equation at
    each stage of each step.
    """

    def __init__(self, kernels: Kernels, method: Tableau, h: float, steps: int):
        super().__init__(kernels, method, h, steps)
        s = method.stages
        self._a, self._b, self._c = np.zeros((s, s)), np.array(method.b, dtype=float), np.array(method.c, dtype=float)
        for row, coefficients in zip(self._a, method.a, strict=True):
            row[: len(coefficients)] = [float(number) for number in coefficients]

    def _run(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> Trajectory:
        X, inputs = self._begin(t, x, u, p)
        Y, none = np.zeros(self._kernels.width), np.zeros((self._kernels.width, 0))
        rates = self._kernels.rates(self._kernels.R.copy(), X, Y)

        def values(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            self._check(rates())
            return Y, none

        return self._stepped(X, inputs, values)[0]

    def _differentiated(self, t: float, x: Numbers | None, u: Any, p: Numbers | None) -> tuple[Trajectory, Adjoint]:
        X, inputs = self._begin(t, x, u, p)
        trajectory, J = self._stepped(X, inputs, self._kernels.rates_jacobian(range(1, X.size)))
        return trajectory, lambda W: self._gradient(J, W)

    def _stepped(
        self, X: np.ndarray, inputs: np.ndarray, evaluate: JacobianOfNumbers
    ) -> tuple[Trajectory, np.ndarray]:  # fmt: skip
        """Make the steps; return the trajectory, and the Jacobians of all stages and of the end, in their order.

        X: the arguments at the start, which `evaluate` then takes at each stage.
        """
        nx, h, start = len(self.states), self.h, X[0]
        x, rows, jacobians = X[self._x].copy(), np.zeros((self.steps + 1, self._kernels.width)), []
        for step, given in enumerate(inputs):
            X[self._u] = given
            K = np.zeros((len(self._b), nx))
            for stage, row in enumerate(self._a):
                X[0] = start + (step + self._c[stage]) * h
                X[self._x] = x + h * (row @ K)
                values, J = evaluate(X)
                jacobians.append(J)
                K[stage] = values[:nx]
                if stage == 0:
                    rows[step] = *x, *values[nx:]
            x = x + h * (self._b @ K)
        X[0], X[self._x] = start + self.steps * h, x
        values, J = evaluate(X)
        rows[-1] = *x, *values[nx:]
        return self._trajectory(start, rows), np.array([*jacobians, J])

    def _gradient(self, J: np.ndarray, W: np.ndarray) -> Gradient:
        """Return the gradient of the sum of the rows with weights W, (steps + 1, nx + ny), from `_stepped`."""
        nx, nu, stages, h = len(self.states), len(self.inputs), len(self._b), self.h
        u, p = np.zeros((self.steps, nu)), np.zeros(len(self.parameters))
        weights = W[-1].copy()
        weights[:nx] = 0.0
        shares = weights @ J[-1]  # of outputs at the end
        x = W[-1, :nx] + shares[:nx]
        u[-1] += shares[nx : nx + nu]
        p += shares[nx + nu :]
        for step in range(self.steps - 1, -1, -1):
            of_rates = h * self._b[:, None] * x  # adjoints of the rates of each stage
            x = x + W[step, :nx]
            for stage in range(stages - 1, -1, -1):
                weights = W[step].copy() if stage == 0 else np.zeros(W.shape[1])
                weights[:nx] = of_rates[stage]
                shares = weights @ J[step * stages + stage]
                of_rates += h * self._a[stage][:, None] * shares[:nx]
                x = x + shares[:nx]
                u[step] += shares[nx : nx + nu]
                p += shares[nx + nu :]
        return Gradient(x, u, p)
