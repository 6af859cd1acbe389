"""Adams-Bashforth-Moulton methods: coefficients, methods, and the functions of their steps.

A step predicts the state, evaluates its rates and corrects it (PEC). `past` is a ring buffer of the rates of the last
steps: those at the predicted states, so that a step needs one evaluation, and at the new states of the starter. In
models with closed loops or requested drive forces (READY_STEPS > 0), the rates are also evaluated at each corrected
state, where constraint rows are chosen and impulses accumulated; `past` then contains these rates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction as F

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...kernels.breaks import jumps_within, next_beat
from ...kernels.constants import GIMBAL_LOCK, NON_FINITE, OK, READY_STEPS, STALE
from ...kernels.linked import switches
from ...kernels.sources import Kernel
from ...record.schema import N_INPUTS, N_LINKS, N_ROWS, NX, Inputs, Record
from ..stepping.clock import near_step
from ..stepping.drivers import check_gimbal_lock, evaluate, fail_from, finite, normalise, prepare_step
from ..stepping.history import history_holds, note_history, other_step
from ..stepping.hooks import METHOD_PAST
from .explicit import Tableau, dopri5
from .method import Function, Method, Parts
from .orders import Row
from .texts import source, sources, written


@dataclass(frozen=True)
class Multistep(Method):
    """Adams-Bashforth prediction, one evaluation, Adams-Moulton correction: PEC.

    `predictor` contains the weights of past rates, newest first. `corrector` contains the weight of the rates at the
    predicted state, then those of past rates. `starter` is the method of the first steps. Raises ValueError unless the
    weights have this order.
    """

    name: str
    order: int
    predictor: Row
    corrector: Row
    starter: Tableau
    source: str

    def __post_init__(self) -> None:
        for weights, newest in ((self.predictor, 0), (self.corrector, 1)):
            for k in range(1, self.order + 1):
                if sum(w * F(newest - j) ** (k - 1) for j, w in enumerate(weights)) != F(1, k):
                    raise ValueError(f"method {self.name}: the weights do not integrate t^{k - 1} exactly")
        if self.starter.order < self.order - 1:
            raise ValueError(f"method {self.name}: {self.starter.name} is not good enough for the first steps")

    @property
    def slots(self) -> int:
        return self.starter.slots

    @property
    def history(self) -> int:
        """Number of state vectors kept from step to step."""
        return len(self.predictor)

    @property
    def landings(self) -> int:
        """Number of landings: the dense output is a cubic, whose local error is of fourth order."""
        return 3 if self.order > 4 else 1

    def parts(self, loops: bool) -> Parts:
        own = dict(sources(METHOD_enter, METHOD_leave, METHOD_step_to, METHOD_note, METHOD_before_finish))
        own["METHOD_ready"] = replace(source(METHOD_ready_loops if loops else METHOD_ready), name="METHOD_ready")
        formulas = (self.starter.stages_function(METHOD_start), self._predict(), self._correct())
        common = (moving_inputs, jumps_within, next_beat)
        shared = sources(*common, impulses_large) if loops else sources(*common)
        return Parts({**own, **{f.name: f for f in formulas}}, shared, {"METHOD_PAST": self.history})

    def _places(self, count: int) -> list[str]:
        """Return the lines that compute the indices of the newest `count` rates."""
        lines = ["a0 = int(R.history.newest)"]
        return lines + [f"a{j} = a{j - 1} - 1 if a{j - 1} > 0 else {self.history - 1}" for j in range(1, count)]

    def _sum(self, stub: Kernel, doc: str, weights: Row, rates: list[str]) -> Function:
        """Return a function, in the place of `stub`, that adds weighted rates to the state at the start of the step."""
        total = " + ".join(f"{float(w)!r} * {f}" for w, f in zip(weights, rates, strict=True))
        past = sum(rate.startswith("R.past") for rate in rates)
        lines = [*self._places(past), "for k in range(NX):", f"    R.x[k] = R.step_start[k] + h * ({total})"]
        return written(stub, doc, lines)

    def _predict(self) -> Function:
        """Return METHOD_predict."""
        rates = [f"R.past[a{j}, k]" for j in range(self.history)]
        doc = f"Write the predicted state at the end of the step to `x`. {self.source}."
        return self._sum(METHOD_predict, doc, self.predictor, rates)

    def _correct(self) -> Function:
        """Return METHOD_correct."""
        past = [f"R.past[a{j}, k]" for j in range(len(self.corrector) - 1)]
        doc = "Correct the state with the rates of the predicted state."
        return self._sum(METHOD_correct, doc, self.corrector, ["R.x_dot[k]", *past])


def _abm6() -> Multistep:
    return Multistep(
        name="abm6",
        order=6,
        predictor=tuple(F(k, 1440) for k in (4277, -7923, 9982, -7298, 2877, -475)),
        corrector=tuple(F(k, 1440) for k in (475, 1427, -798, 482, -173, 27)),
        starter=dopri5(),
        source="E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, 2nd ed. (1993), III.1",
    )


#: Constructors by name, called at the first use.
MULTISTEP: Mapping[str, Callable[[], Multistep]] = {"abm6": _abm6}


# -- steps, as text ------------------------------------------------------------------------------------------


def METHOD_start(R: Record, U: Inputs, time: float, h: float) -> None:
    """Make a first step from `step_start` and stage 0 to the new state in `x`; `Multistep` generates the function."""
    raise NotImplementedError


def METHOD_predict(R: Record, h: float) -> None:
    """Write the predicted state at the end of the step to `x`; `Multistep` generates the function."""
    raise NotImplementedError


def METHOD_correct(R: Record, h: float) -> None:
    """Correct the state with the rates of the predicted state; `Multistep` generates the function."""
    raise NotImplementedError


def METHOD_enter(R: Record, U: Inputs, stop: float, h: float) -> None:
    """Discard the history before the first step of a call unless it is still valid.

    `METHOD_step_to` checks the step size.
    """
    if not history_holds(R, U) or moving_inputs(R, U):
        R.history.count = 0.0
    R.history.time = np.nan  # until the call has succeeded
    switches(R)


def METHOD_leave(R: Record, U: Inputs, h: float) -> None:
    """Store the history after the last step of a call; that step may have been shorter than h."""
    note_history(R, R.history.step)


def moving_inputs(R: Record, U: Inputs) -> bool:
    """True if an importer interpolates inputs linearly, so that they have corners at the communication points."""
    is_moving = False
    for k in range(N_INPUTS):
        is_moving = is_moving or (U.tables[k].points == 2.0 and U.rows == 0.0)
    return is_moving


def METHOD_step_to(R: Record, U: Inputs, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h; return a status. A failure leaves the state invalid.

    The rates of past steps are valid only for a step of the same size; the history is discarded when the size changes.
    If a sample or event ends a step early, the part before it and the rest of the step have other sizes.
    """
    R.side = near_step(R, U, time, h)
    if R.history.count > 0.0 and jumps_within(R, U, time, R.side):
        R.history.count = 0.0
        R.fresh = STALE
    if R.history.count > 0.0 and other_step(R, end, h):
        R.history.count = 0.0
    R.history.step = h
    if READY_STEPS > 0 or R.history.count == 0.0:
        status = METHOD_ready(R, U, h)
        if status != OK:
            return status
        METHOD_note(R, R.history.count == 0.0)
    elif check_gimbal_lock(R, h) != OK:
        return GIMBAL_LOCK
    fault = finite(R, R.past[int(R.history.newest)], NX)  # index of the first rate that is not finite, or -1
    if fault >= 0:
        return fail_from(R, U, fault, h, h, NON_FINITE)
    R.step_start[:] = R.x
    R.stages[0] = R.x_dot
    R.side = -R.side  # at jumps left limits, since the step ends there
    if R.history.count < METHOD_PAST:
        METHOD_start(R, U, time, h)
    else:
        METHOD_predict(R, h)
        R.time = end
        evaluate(R, U)
        METHOD_correct(R, h)
    fault = finite(R, R.x, NX)
    if fault >= 0:
        R.time = time
        R.x[:] = R.step_start
        return fail_from(R, U, fault, h, 0.1 * h, NON_FINITE)
    normalise(R)
    R.time = end
    if R.history.count < METHOD_PAST:
        evaluate(R, U)
    R.side = -R.side
    METHOD_note(R, True)
    R.steps += 1.0
    R.fresh = STALE
    return OK


def METHOD_note(R: Record, is_new: bool) -> None:
    """Store the present rates in `past`: as the newest entry if `is_new`, otherwise in place of the newest entry."""
    if is_new:
        R.history.newest = R.history.newest + 1.0 if R.history.newest < METHOD_PAST - 1 else 0.0
        R.history.count += 1.0
    R.past[int(R.history.newest)] = R.x_dot


def METHOD_before_finish(R: Record, U: Inputs, h: float) -> None:
    """Prepare the state at the end of a call for the next step."""
    METHOD_ready(R, U, h)


def METHOD_ready(R: Record, U: Inputs, h: float) -> int:
    """Prepare an accepted state for the next step; return a status."""
    return prepare_step(R, U, h, False)


def METHOD_ready_loops(R: Record, U: Inputs, h: float) -> int:
    """Prepare an accepted state for the next step, and re-base the momenta only if impulses are large; return a status.

    After a re-basing, or a change of the number of active rows, the rates of past steps are invalid and the method
    restarts.
    Mean multipliers are those since the last re-basing. In models with requested drive forces but without constraint
    rows, re-basing changes no momenta.
    """
    if N_ROWS == 0:
        return prepare_step(R, U, h, False)
    wanted = R.transfer_each_step
    count = R.rebasings
    rank = R.rank
    R.transfer_each_step = 1.0 if wanted > 0.0 and impulses_large(R) else 0.0
    status = prepare_step(R, U, h, False)
    R.transfer_each_step = wanted
    if R.rebasings != count or R.rank != rank:
        R.history.count = 0.0
    span = R.time - R.transfer_time
    if span > 0.0:
        for k in range(N_ROWS):
            R.means[k] = R.multipliers[k] / span
    return status


def impulses_large(R: Record) -> bool:
    """True if some constraint impulse alone has more kinetic energy than all masses at 10 characteristic lengths/s."""
    largest = 0.0
    for k in range(N_ROWS):
        largest = max(largest, abs(R.multipliers[k]) * np.sqrt(R.reference_pivots[k]))
    mass = 0.0
    for i in range(N_LINKS):
        mass += R.bodies[i].mass
    return largest > 10.0 * np.sqrt(mass) * R.characteristic_length  # type: ignore[no-any-return]
