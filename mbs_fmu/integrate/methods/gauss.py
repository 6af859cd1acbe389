"""Gauss-Legendre methods: coefficients, methods, and the functions of their steps.

Fixed-point iteration solves the stage equations. It starts with rates extrapolated from the last steps, and each stage
uses the newest rates of the others. It ends when an iteration changes no digit, or when two iterations bring no
progress. The sum x + h sum b_i k_i is compensated for rounding (E. Hairer, R. McLachlan, A. Razakarivony, BIT 48 (2008)
231-243).

`stages` contains the rates at the start of the step, then those of the stages. Row 0 of `past` is the rounding error of
the last sum; the rates of the stages of the last METHOD_PAST steps follow, oldest first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction as F

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...kernels.constants import GIMBAL_LOCK, MOST_SWEEPS, NON_FINITE, NOT_CONVERGED, OK, READY_STEPS, STALE
from ...kernels.tolerances import CONVERGED_CHANGE
from ...record.fields import Vector
from ...record.schema import FIRST_P, N_DRIVES, NV, NX, Inputs, Record
from ..stepping.clock import near_step
from ..stepping.drivers import check_gimbal_lock, copy, evaluate, fail_from, finite, normalise, prepare_step
from ..stepping.history import history_holds, note_history, other_step
from ..stepping.hooks import METHOD_PAST, METHOD_STAGES
from .method import Function, Method, Parts
from .orders import Conditions, Row, check_order, check_rows
from .texts import sources, stage, weighted, written

_GAUSS = "E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed. (2006), II.1.3 and VIII.6"


@dataclass(frozen=True)
class Gauss(Method):
    """Collocation at Gauss-Legendre points: symmetric and symplectic, of order twice the number of stages.

    `a`, `b` and `c` are matrix, weights and nodes. `past` is the number of steps whose stages are extrapolated to start
    the iteration of the next step. Raises ValueError for a wrong order, or for weights that are not symplectic.
    """

    name: str
    order: int
    a: tuple[Row, ...]
    b: Row
    c: Row
    past: int
    source: str

    def __post_init__(self) -> None:
        if self.order != 2 * self.stages:
            raise ValueError(f"method {self.name}: {self.stages} stages have order {2 * self.stages}")
        check_rows(self.name, self.a, self.c)
        check_order(self.name, self.order, self.b, Conditions(self.a))
        for i in range(self.stages):
            for j in range(self.stages):
                defect = self.b[i] * self.a[i][j] + self.b[j] * self.a[j][i] - self.b[i] * self.b[j]
                if not abs(float(defect)) <= 1e-16:
                    raise ValueError(f"method {self.name}: the weights and rows {i}, {j} are not symplectic")

    @property
    def stages(self) -> int:
        """Number of stages, whose rates are solved for together."""
        return len(self.b)

    @property
    def slots(self) -> int:
        """Number of vectors that a step stores: the rates at the start of the step and the rates of the stages."""
        return 1 + self.stages

    @property
    def history(self) -> int:
        """Number of vectors kept from step to step: the rounding error of the last sum, and rates of past stages."""
        return 1 + self.past * self.stages

    @property
    def predictor(self) -> list[list[float]]:
        """For each stage, the weights of past stages, oldest first, that extrapolate to it (Lagrange)."""
        nodes = [float(c) - self.past + step for step in range(self.past) for c in self.c]
        return [
            [math.prod((float(c) - m) / (n - m) for m in nodes if m != n) for n in nodes]
            for c in self.c
        ]  # fmt: skip

    @property
    def landings(self) -> int:
        """Number of landings: the dense output is a cubic, whose local error is of fourth order."""
        return 3 if self.order > 4 else 1

    def parts(self, loops: bool) -> Parts:
        own = sources(METHOD_enter, METHOD_leave, METHOD_step_to, METHOD_solve, METHOD_sum)
        formulas = (self._stage(), self._predict(), self._increment())
        return Parts(
            {**own, **{f.name: f for f in formulas}},
            sources(change, most_changed),
            {"METHOD_STAGES": self.stages, "METHOD_PAST": self.past},
        )

    def _stage(self) -> Function:
        """Return METHOD_stage."""
        lines: list[str] = []
        for i, row in enumerate(self.a):
            lines += [
                f"if i == {i}:",
                f"    R.time = time + {float(self.c[i])!r} * h",
                "    for k in range(NX):",
                f"        R.x[k] = R.step_start[k] + (h * ({weighted(row, first=1)}) + R.past[0, k])",
            ]
        return written(METHOD_stage, f"Write the state at stage i to `x`. {self.source}.", lines)

    def _predict(self) -> Function:
        """Return METHOD_predict."""
        lines = ["for k in range(NX):"]
        for i, weights in enumerate(self.predictor):
            terms = " + ".join(f"{w!r} * R.past[{1 + j}, k]" for j, w in enumerate(weights))
            lines.append(f"    {stage(i + 1, 'k')} = {terms}")
        return written(METHOD_predict, "Extrapolate the rates of the stages from past stages.", lines)

    def _increment(self) -> Function:
        """Return METHOD_increment."""
        doc = "Return the increment of state component k over the step."
        return written(METHOD_increment, doc, [f"return h * ({weighted(self.b, first=1)})"])


def _gauss4() -> Gauss:
    """Return the method of order four.

    Rounding s to 52 binary places makes the off-diagonal entries 1/4 -+ s add up to 1/2 exactly.
    """
    s = round(math.sqrt(3.0) / 6.0 * 2.0**52) / 2.0**52
    a: tuple[Row, ...] = ((F(1, 4), 0.25 - s), (0.25 + s, F(1, 4)))
    return Gauss("gauss4", 4, a, (F(1, 2), F(1, 2)), (0.5 - s, 0.5 + s), 2, _GAUSS)


def _gauss6() -> Gauss:
    r = math.sqrt(15.0)
    a = (
        (F(5, 36), 2 / 9 - r / 15, 5 / 36 - r / 30),
        (5 / 36 + r / 24, F(2, 9), 5 / 36 - r / 24),
        (5 / 36 + r / 30, 2 / 9 + r / 15, F(5, 36)),
    )
    return Gauss("gauss6", 6, a, (F(5, 18), F(4, 9), F(5, 18)), (0.5 - r / 10, F(1, 2), 0.5 + r / 10), 2, _GAUSS)


def _gauss2() -> Gauss:
    return Gauss("gauss2", 2, ((F(1, 2),),), (F(1),), (F(1, 2),), 6, _GAUSS)


#: Constructors by name, called at the first use.
GAUSS: Mapping[str, Callable[[], Gauss]] = {"gauss2": _gauss2, "gauss4": _gauss4, "gauss6": _gauss6}


# -- steps, as text ------------------------------------------------------------------------------------------


def METHOD_stage(R: Record, i: int, time: float, h: float) -> None:
    """Write the state at stage i of a step of size h from `time` to `x`; `Gauss` generates the function."""
    raise NotImplementedError


def METHOD_predict(R: Record) -> None:
    """Extrapolate the rates of the stages from past stages; `Gauss` generates the function."""
    raise NotImplementedError


def METHOD_increment(R: Record, k: int, h: float) -> float:
    """Return the increment of state component k over the step; `Gauss` generates the function."""
    raise NotImplementedError


def METHOD_enter(R: Record, U: Inputs, stop: float, h: float) -> None:
    """Discard the history before the first step of a call, or its stages only, unless they are still valid."""
    if not history_holds(R, U):
        R.history.count = 0.0
        for k in range(NX):
            R.past[0, k] = 0.0
    elif other_step(R, stop, h):
        R.history.count = 0.0
    R.history.time = np.nan  # until the call has succeeded


def METHOD_leave(R: Record, U: Inputs, h: float) -> None:
    """Store the history after the last step of a call."""
    note_history(R, h)


def METHOD_step_to(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h; return a status. A failure leaves the state invalid."""
    R.side = near_step(R, U, time, h)  # at jumps right limits, since all stages are inside the step
    if READY_STEPS > 0 or R.history.count == 0.0:
        status = prepare_step(R, U, h, False)
        if status != OK:
            return status
        fault = finite(R, R.x_dot, NX)  # index of the first rate that is not finite, or -1
        if fault >= 0:
            return fail_from(R, U, fault, h, h, NON_FINITE)
    elif check_gimbal_lock(R, h) != OK:
        return GIMBAL_LOCK
    R.step_start[:] = R.x
    R.stages[0] = R.x_dot
    if R.history.count < METHOD_PAST:
        latest = R.x_dot
        # Without preparation, the present rates may have been evaluated after the last step, for a row or an event.
        if READY_STEPS == 0 and R.history.count > 0.0:
            latest = R.past[METHOD_PAST * METHOD_STAGES]
        for i in range(METHOD_STAGES):
            R.stages[i + 1] = latest[:NX]
    else:
        METHOD_predict(R)
    status = METHOD_solve(R, U, time, h)
    if status != OK:
        fault = int(R.fault)
        R.time = time
        R.x[:] = R.step_start
        return fail_from(R, U, fault, h, 0.1 * h, status)
    METHOD_sum(R, h)
    for i in range(1, METHOD_PAST):
        older = R.past[1 + (i - 1) * METHOD_STAGES :].flat
        copy(R, R.past[1 + i * METHOD_STAGES :].flat, older, METHOD_STAGES * NX)
    newest = R.past[1 + (METHOD_PAST - 1) * METHOD_STAGES :].flat
    copy(R, R.stages[1:].flat, newest, METHOD_STAGES * NX)
    R.history.count += 1.0
    normalise(R)
    R.time = end
    R.steps += 1.0
    R.fresh = STALE
    return OK


def METHOD_solve(R: Record, U: Inputs, time: float, h: float) -> int:
    """Solve for the rates of the stages, up to rounding; return a status, with the failed component in R.fault.

    The impulses of drives need not converge, because nothing depends on them.
    """
    before = np.inf
    earlier = np.inf
    for iteration in range(MOST_SWEEPS):
        largest = 0.0
        for i in range(METHOD_STAGES):
            METHOD_stage(R, i, time, h)
            evaluate(R, U)
            R.fault = finite(R, R.x_dot, NX)
            if R.fault >= 0.0:
                return NON_FINITE if iteration == 0 else NOT_CONVERGED
            largest = max(
                largest,
                change(R, R.stages[i + 1], 0, FIRST_P, h),
                change(R, R.stages[i + 1], FIRST_P, FIRST_P + NV, h),
                change(R, R.stages[i + 1], FIRST_P + NV, NX - N_DRIVES, h),
            )
            R.stages[i + 1] = R.x_dot
        if largest <= 1.1e-16 or (earlier <= largest < CONVERGED_CHANGE):
            return OK
        earlier = before
        before = largest
    METHOD_stage(R, METHOD_STAGES - 1, time, h)
    evaluate(R, U)
    R.fault = most_changed(R, R.stages[METHOD_STAGES])
    return NOT_CONVERGED


def change(R: Record, old: Vector, first: int, last: int, h: float) -> float:
    """Return the largest relative change of components first to last - 1 of the new state by the last iteration.

    `old` contains the rates before that iteration. A change is divided by the component's size, but at least by a
    thousandth of the largest component of its kind and by 1e-9, because the rates of components that stay zero are
    rounding errors.
    """
    size = 0.0
    for k in range(first, last):
        size = max(size, abs(R.step_start[k]), h * abs(R.x_dot[k]))
    largest = 0.0
    for k in range(first, last):
        difference = abs(R.x_dot[k] - old[k])
        if difference > 0.0:
            own = max(abs(R.step_start[k]), h * abs(R.x_dot[k]))
            largest = max(largest, h * difference / max(own, 1.0e-3 * size, 1.0e-9))
    return largest


def most_changed(R: Record, old: Vector) -> int:
    """Return the index of the component whose rate has the largest relative difference from that in `old`."""
    index = 0
    largest = -1.0
    for k in range(NX - N_DRIVES):
        share = abs(R.x_dot[k] - old[k]) / (abs(R.x_dot[k]) + abs(old[k]) + 1.0e-300)
        if share > largest:
            index = k
            largest = share
    return index


def METHOD_sum(R: Record, h: float) -> None:
    """Compute the new state after a step of size h, and the rounding error of the sum, in row 0 of `past`."""
    for k in range(NX):
        increment = METHOD_increment(R, k, h) + R.past[0, k]
        R.x[k] = R.step_start[k] + increment
        R.past[0, k] = (R.step_start[k] - R.x[k]) + increment
