"""Adams-Bashforth-Moulton methods: coefficients, methods, and the functions of their steps.

A step predicts the state, evaluates its rates and corrects it (PEC). The region `history` is a ring buffer of the rates
of the last steps. These are the rates at the predicted states, so that a step needs one evaluation. In models with
closed loops or requested drive forces, the rates are also evaluated at each corrected state, where constraint rows are
chosen and impulses accumulated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction as F

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...kernels.breaks import jumps_within
from ...kernels.closures.names import LENGTH, MEANS, MULTIPLIERS, N_ROWS, RANK, REBASE, REBASED, REBASINGS, SCALES
from ...kernels.declarations import Record
from ...kernels.linked import switches
from ...kernels.names import (
    BASE,
    BODIES,
    BODY_SIZE,
    CLOCK,
    F0,
    FRESH,
    GIMBAL_LOCK,
    HISTORY,
    HISTORY_STEP,
    HISTORY_TIME,
    N_INPUTS,
    N_LINKS,
    NEWEST,
    NON_FINITE,
    NX,
    OK,
    PAST,
    READY_STEPS,
    SIDE,
    STAGES,
    STALE,
    STEPS,
    TIME,
    X0,
)
from ..stepping.clock import nearness
from ..stepping.drivers import check_gimbal_lock, copy, evaluate, fail, fail_from, finite, normalise, prepare_step
from ..stepping.history import history_holds, note_history, other_step
from ..stepping.hooks import METHOD_PAST
from .explicit import Tableau, dopri5
from .method import Function, Method, Parts
from .orders import Row
from .texts import source, sources, written


@dataclass(frozen=True)
class Multistep(Method):
    """Adams-Bashforth prediction, one evaluation, Adams-Moulton correction: PEC.

    `predictor` contains the weights of the rates, newest first; `corrector` the same, beginning with the weight of the
    predicted rates. `starter` is the method of the first steps. Raises ValueError unless the weights have this order.
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

    def parts(self, loops: bool) -> Parts:
        own = dict(sources(METHOD_enter, METHOD_leave, METHOD_one, METHOD_note, METHOD_before_finish))
        own["METHOD_ready"] = replace(source(METHOD_ready_loops if loops else METHOD_ready), name="METHOD_ready")
        formulas = (self.starter.stages_function("METHOD_start"), self._predict(), self._correct())
        common = (moving_inputs, jumps_within)
        shared = sources(*common, impulses_large) if loops else sources(*common)
        return Parts({**own, **{f.name: f for f in formulas}}, shared, {"METHOD_PAST": self.history})

    def _places(self, count: int) -> list[str]:
        """Return the lines that compute the addresses of the newest `count` rates."""
        lines = ["a0 = int(R[NEWEST])"]
        return lines + [f"a{j} = a{j - 1} - 1 if a{j - 1} > 0 else {self.history - 1}" for j in range(1, count)]

    def _sum(self, name: str, doc: str, weights: Row, rates: list[str]) -> Function:
        """Return a function that adds weighted rates to the state at the start of the step."""
        total = " + ".join(f"{float(w)!r} * {f}" for w, f in zip(weights, rates, strict=True))
        past = sum(rate.startswith("R[PAST") for rate in rates)
        lines = [*self._places(past), "for k in range(NX):", f"    R[X0 + k] = R[BASE + k] + h * ({total})"]
        return written(name, "R, h", doc, lines)

    def _predict(self) -> Function:
        rates = [f"R[PAST + a{j} * NX + k]" for j in range(self.history)]
        touched = "Reads: history, x0. Writes: drive_impulses, p, q, z."
        doc = f"Predict the state at the end of the step, into X0. {self.source}. {touched}"
        return self._sum("METHOD_predict", doc, self.predictor, rates)

    def _correct(self) -> Function:
        past = [f"R[PAST + a{j} * NX + k]" for j in range(len(self.corrector) - 1)]
        doc = (
            "Correct the state with the rates at its prediction. Reads: drive_rests, history, p_dot, q_dot, x0, z_dot. "
            "Writes: drive_impulses, p, q, z."
        )
        return self._sum("METHOD_correct", doc, self.corrector, ["R[F0 + k]", *past])


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


def METHOD_start(R: Record, U: Record, time: float, h: float) -> None:
    """Make one of the first steps, from BASE and stage 0 to the state in X0; `Multistep` generates the function."""
    raise NotImplementedError


def METHOD_predict(R: Record, h: float) -> None:
    """Write the predicted state at the end of the step to X0; `Multistep` generates the function."""
    raise NotImplementedError


def METHOD_correct(R: Record, h: float) -> None:
    """Correct the state with the rates of the predicted state; `Multistep` generates the function."""
    raise NotImplementedError


def METHOD_enter(R: Record, U: Record, stop: float, h: float) -> None:
    """Reset the history before the first step of a call, unless it is still valid; `METHOD_one` checks the step size.

    Writes: history.
    """
    if not history_holds(R, U) or moving_inputs(R, U):
        R[HISTORY] = 0.0
    R[HISTORY_TIME] = np.nan  # until the call has succeeded
    switches(R)


def METHOD_leave(R: Record, U: Record, h: float) -> None:
    """Store the history after the last step of a call; that step may have been shorter than h.

    Reads: history.
    """
    note_history(R, R[HISTORY_STEP])


def moving_inputs(R: Record, U: Record) -> bool:
    """True if an importer interpolates inputs linearly, so that they have corners at the communication points.

    Reads: U.
    """
    is_moving = False
    for k in range(N_INPUTS):
        is_moving = is_moving or (U[2 * k + 1] == 2.0 and U[CLOCK + 2] == 0.0)
    return is_moving


def METHOD_one(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """Make one step of METHOD from `time` to `end`, of size h; return a status. A failure leaves the state invalid.

    The rates of past steps are of use for a step of their size only: not behind the part of a step that a sample or
    event has ended early, nor behind the rest of such a step.

    Reads: drive_impulses, drive_rests, head, history, p, p_dot, q, q_dot, x0, z, z_dot. Writes: drive_impulses, head,
    history, p, q, stages, x0, z.
    """
    R[SIDE] = nearness(time, h)
    if R[HISTORY] > 0.0 and jumps_within(R, U, time, R[SIDE]):
        R[HISTORY] = 0.0
        R[FRESH] = STALE
    if R[HISTORY] > 0.0 and other_step(R, end, h):
        R[HISTORY] = 0.0
    R[HISTORY_STEP] = h
    if READY_STEPS > 0 or R[HISTORY] == 0.0:
        status = METHOD_ready(R, U, h)
        if status != OK:
            return status
        METHOD_note(R, R[HISTORY] == 0.0)
    elif check_gimbal_lock(R, h) != OK:
        return GIMBAL_LOCK
    fault = finite(R, PAST + int(R[NEWEST]) * NX, NX)
    if fault >= 0:
        return fail(R, fault, h, NON_FINITE)
    copy(R, X0, BASE, NX)
    copy(R, F0, STAGES, NX)
    R[SIDE] = -R[SIDE]
    if R[HISTORY] < METHOD_PAST:
        METHOD_start(R, U, time, h)
    else:
        METHOD_predict(R, h)
        R[TIME] = end
        evaluate(R, U)
        METHOD_correct(R, h)
    fault = finite(R, X0, NX)
    if fault >= 0:
        R[TIME] = time
        copy(R, BASE, X0, NX)
        return fail_from(R, U, fault, h, 0.1 * h, NON_FINITE)
    normalise(R)
    R[TIME] = end
    if R[HISTORY] < METHOD_PAST:
        evaluate(R, U)
    R[SIDE] = -R[SIDE]
    METHOD_note(R, True)
    R[STEPS] += 1.0
    R[FRESH] = STALE
    return OK


def METHOD_note(R: Record, is_new: bool) -> None:
    """Store the present rates as the newest: of a new time if `is_new`, otherwise in place of the newest so far.

    Reads: drive_rests, history, p_dot, q_dot, z_dot. Writes: history.
    """
    if is_new:
        R[NEWEST] = R[NEWEST] + 1.0 if R[NEWEST] < METHOD_PAST - 1 else 0.0
        R[HISTORY] += 1.0
    copy(R, F0, PAST + int(R[NEWEST]) * NX, NX)


def METHOD_before_finish(R: Record, U: Record, h: float) -> None:
    """Prepare the state at the end of a call for the next step."""
    METHOD_ready(R, U, h)


def METHOD_ready(R: Record, U: Record, h: float) -> int:
    """Prepare an accepted state for the next step; return a status."""
    return prepare_step(R, U, h, False)


def METHOD_ready_loops(R: Record, U: Record, h: float) -> int:
    """Prepare an accepted state for the next step, with re-basing only if the impulses are large; return a status.

    Re-basing, or a change of the independent rows, invalidates the rates of past steps, so that the method restarts.
    Means are taken since the last re-basing. Without loops, re-basing changes no momenta.

    Reads: head, loop_state, multipliers. Writes: history, loop_state, means.
    """
    if N_ROWS == 0:
        return prepare_step(R, U, h, False)
    wanted = R[REBASE]
    count = R[REBASINGS]
    rank = R[RANK]
    R[REBASE] = 1.0 if wanted > 0.0 and impulses_large(R) else 0.0
    status = prepare_step(R, U, h, False)
    R[REBASE] = wanted
    if R[REBASINGS] != count or R[RANK] != rank:
        R[HISTORY] = 0.0
    span = R[TIME] - R[REBASED]
    if span > 0.0:
        for k in range(N_ROWS):
            R[MEANS + k] = R[MULTIPLIERS + k] / span
    return status


def impulses_large(R: Record) -> bool:
    """True if some constraint impulse alone would move its ends by over ten lengths of the mechanism per second.

    Reads: bodies, loop_state, multipliers, scales.
    """
    largest = 0.0
    for k in range(N_ROWS):
        largest = max(largest, abs(R[MULTIPLIERS + k]) * np.sqrt(R[SCALES + k]))
    mass = 0.0
    for i in range(N_LINKS):
        mass += R[BODIES + BODY_SIZE * i]
    return largest > 10.0 * np.sqrt(mass) * R[LENGTH]  # type: ignore[no-any-return]
