"""Adams-Bashforth-Moulton methods: what one is, those that there are, and their steps: predict, evaluate, correct.

The rates of the last steps stand in region `history`, written in turn. They are those at the predicted states: one
evaluation a step. In models with closed loops (or whose drives' forces are asked for) rates are made anew at each
corrected state, where rows are chosen and impulses counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction as F

import numpy as np

from ...kernels.closures.names import LENGTH, MEANS, MULTIPLIERS, N_ROWS, RANK, REBASE, REBASED, REBASINGS, SCALES
from ...kernels.declarations import Record
from ...kernels.names import (
    BASE,
    BODIES,
    BODY_SIZE,
    CLOCK,
    F0,
    FRESH,
    GIMBAL_LOCK,
    HISTORY,
    HISTORY_TIME,
    N_INPUTS,
    N_LINKS,
    NEWEST,
    NON_FINITE,
    NX,
    OK,
    PAST,
    READY_STEPS,
    STAGES,
    STALE,
    STEPS,
    TIME,
    X0,
)
from ...lazy_dataclasses import dataclass
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

    predictor: weights of the rates at the present time and before. corrector: the first one of the predicted rates.
    starter: makes the first steps.
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
        """State vectors kept from step to step."""
        return len(self.predictor)

    def parts(self, loops: bool) -> Parts:
        own = dict(sources(METHOD_enter, METHOD_leave, METHOD_one, METHOD_note, METHOD_before_finish))
        own["METHOD_ready"] = replace(source(METHOD_ready_loops if loops else METHOD_ready), name="METHOD_ready")
        formulas = (self.starter.stages_function("METHOD_start"), self._predict(), self._correct())
        shared = sources(moving_inputs, impulses_large) if loops else sources(moving_inputs)
        return Parts({**own, **{f.name: f for f in formulas}}, shared, {"METHOD_PAST": self.history})

    def _places(self, count: int) -> list[str]:
        """Lines that find the vectors of the newest `count` rates."""
        lines = ["a0 = int(R[NEWEST])"]
        return lines + [f"a{j} = a{j - 1} - 1 if a{j - 1} > 0 else {self.history - 1}" for j in range(1, count)]

    def _sum(self, name: str, doc: str, weights: Row, rates: list[str]) -> Function:
        """A function that adds weighted rates to the state at the step's start."""
        total = " + ".join(f"{float(w)!r} * {f}" for w, f in zip(weights, rates, strict=True))
        past = sum(rate.startswith("R[PAST") for rate in rates)
        lines = [*self._places(past), "for k in range(NX):", f"    R[X0 + k] = R[BASE + k] + h * ({total})"]
        return written(name, "R, h", doc, lines)

    def _predict(self) -> Function:
        rates = [f"R[PAST + a{j} * NX + k]" for j in range(self.history)]
        touched = "Reads: history, x0. Writes: drive_impulses, p, q, z."
        doc = f"The state at the end of the step, into X0. {self.source}. {touched}"
        return self._sum("METHOD_predict", doc, self.predictor, rates)

    def _correct(self) -> Function:
        past = [f"R[PAST + a{j} * NX + k]" for j in range(len(self.corrector) - 1)]
        doc = (
            "The same with the rates there. Reads: drive_rests, history, p_dot, q_dot, x0, z_dot. "
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


#: By name: what makes them, when they are first asked for.
MULTISTEP: Mapping[str, Callable[[], Multistep]] = {"abm6": _abm6}


# -- steps, as text ------------------------------------------------------------------------------------------


def METHOD_start(R: Record, U: Record, time: float, h: float) -> None:
    """One of the first steps: from BASE and stage 0 to the new state in X0; written by `Multistep`."""
    raise NotImplementedError


def METHOD_predict(R: Record, h: float) -> None:
    """The state at the end of the step, into X0; written by `Multistep`."""
    raise NotImplementedError


def METHOD_correct(R: Record, h: float) -> None:
    """The same with the rates there; written by `Multistep`."""
    raise NotImplementedError


def METHOD_enter(R: Record, U: Record, stop: float, h: float) -> None:
    """Before the first step of a call: what is remembered, where it still holds.

    Writes: history.
    """
    if not history_holds(R, U) or other_step(R, stop, h) or moving_inputs(R, U):
        R[HISTORY] = 0.0
    R[HISTORY_TIME] = np.nan  # until the call has ended well


def METHOD_leave(R: Record, U: Record, h: float) -> None:
    """After the last step of a call."""
    note_history(R, h)


def moving_inputs(R: Record, U: Record) -> bool:
    """Whether an importer gives inputs along a line, which has a corner at each of its points.

    Reads: U.
    """
    is_moving = False
    for k in range(N_INPUTS):
        is_moving = is_moving or (U[2 * k + 1] == 2.0 and U[CLOCK + 2] == 0.0)
    return is_moving


def METHOD_one(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """One step of METHOD from `time` to `end`, of size h; a status. After a failure the state is spoiled.

    Reads: drive_impulses, drive_rests, head, history, p, p_dot, q, q_dot, x0, z, z_dot. Writes: drive_impulses, head,
    p, q, stages, x0, z.
    """
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
    METHOD_note(R, True)
    R[STEPS] += 1.0
    R[FRESH] = STALE
    return OK


def METHOD_note(R: Record, is_new: bool) -> None:
    """The present rates as the newest ones; those of another time, or better ones of the same.

    Reads: drive_rests, history, p_dot, q_dot, z_dot. Writes: history.
    """
    if is_new:
        R[NEWEST] = R[NEWEST] + 1.0 if R[NEWEST] < METHOD_PAST - 1 else 0.0
        R[HISTORY] += 1.0
    copy(R, F0, PAST + int(R[NEWEST]) * NX, NX)


def METHOD_before_finish(R: Record, U: Record, h: float) -> None:
    """The state at the end of a call made ready for the next step."""
    METHOD_ready(R, U, h)


def METHOD_ready(R: Record, U: Record, h: float) -> int:
    """An accepted state made ready for the next step."""
    return prepare_step(R, U, h, False)


def METHOD_ready_loops(R: Record, U: Record, h: float) -> int:
    """An accepted state made ready for the next step: momenta are re-based where the impulses have grown large.

    Then, and where other rows are independent, the rates of past steps belong to another state: the method begins
    anew. Means are those since then. Without loops re-basing changes no momenta.

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
    """Whether an impulse would give its ends more than ten of the mechanism's lengths in a second.

    Reads: bodies, loop_state, multipliers, scales.
    """
    largest = 0.0
    for k in range(N_ROWS):
        largest = max(largest, abs(R[MULTIPLIERS + k]) * np.sqrt(R[SCALES + k]))
    mass = 0.0
    for i in range(N_LINKS):
        mass += R[BODIES + BODY_SIZE * i]
    return largest > 10.0 * np.sqrt(mass) * R[LENGTH]  # type: ignore[no-any-return]
