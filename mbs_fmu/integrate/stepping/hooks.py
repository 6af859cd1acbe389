"""What drivers call and methods or models may have: each here as it is without.

A method's own functions stand in the place of those of the same name, as do those of history.py where a method
remembers its steps and those of events.py where a model has events. METHOD_stages and METHOD_error have no
substitute: a method writes the first unless it has a METHOD_one of its own, the second where it controls its error.
"""

from __future__ import annotations

import numpy as np

from ...kernels.declarations import Record, given, given_number
from ...kernels.linked import evaluate
from ...kernels.names import BASE, DERIVATIVES_FRESH, FRESH, NX, OK, STAGES, WORK, X0

METHOD_ORDER = given_number()  #: the exponent of h in the error estimate
METHOD_SAFETY = given_number()  #: by which proposed steps are shorter than the last errors allow
METHOD_STAGES = given()
METHOD_LAST = given()  #: the stage at the end of the step
METHOD_PAST = given()  #: steps that are remembered


def METHOD_stages(R: Record, U: Record, time: float, h: float) -> None:
    """From the state in BASE and the rates in stage 0 to the new state, in X0."""
    raise NotImplementedError


def METHOD_error(R: Record, k: int, h: float) -> float:
    """Estimated error of component k over the step."""
    raise NotImplementedError


REQUIRED = (METHOD_stages, METHOD_error)  #: what no method does without


# -- of methods ----------------------------------------------------------------------------------------------


def METHOD_enter(R: Record, U: Record, stop: float, h: float) -> None:
    """Before the first step of a call: METHOD remembers nothing."""


def METHOD_leave(R: Record, U: Record, h: float) -> None:
    """After the last step of a call that has ended well: METHOD remembers nothing."""


def METHOD_before_finish(R: Record, U: Record, h: float) -> None:
    """Before a call is ended: METHOD has nothing to do there."""


def METHOD_jacobian(R: Record, U: Record) -> None:
    """Derivatives of the rates at the step's start: METHOD needs none."""


def METHOD_arrive(R: Record, U: Record) -> None:
    """At the new state, before errors are estimated: the last stage of METHOD is there already."""


def METHOD_damping(R: Record, h: float) -> float:
    """By what the scaled error is multiplied."""
    return 1.0


def METHOD_extra(R: Record, U: Record, time: float, h: float) -> bool:
    """Stages that only dense output needs, of which METHOD has none; whether they have spoiled state and rates."""
    return False


def METHOD_dense(R: Record, theta: float, h: float) -> None:
    """The state a fraction theta into the step, into X0, by the cubic through states and rates at its ends.

    Expects the end's in WORK.

    Reads: stages, work, x0. Writes: drive_impulses, p, q, z.
    """
    x = 1.0 - theta
    old = x * x * (1.0 + 2.0 * theta)
    new = theta * theta * (3.0 - 2.0 * theta)
    leave = h * theta * x * x
    arrive = h * theta * theta * x
    for k in range(NX):
        states = old * R[BASE + k] + new * R[WORK + k]
        R[X0 + k] = states + leave * R[STAGES + k] - arrive * R[WORK + NX + k]


# -- of modules with a method that remembers its steps --------------------------------------------------------


def move_history(R: Record, before: float) -> None:
    """What is remembered of the time before belongs to the present one."""


# -- of models with elastic bodies that start in equilibrium ---------------------------------------------------


def start_elastic(R: Record) -> int:
    """At the start: no modes are to be found."""
    return OK


# -- of models whose closures have modes ----------------------------------------------------------------------


def next_modes(R: Record, U: Record, rest: float) -> int:
    """At the beginning of a step: no closure has modes that could end."""
    return OK


def free_modes(R: Record) -> None:
    """Before loops are assembled: all closures hold."""


def armed_at_start(R: Record) -> bool:
    """Whether closures hold from the start on that did not before: all do."""
    return False


def first_modes(R: Record) -> int:
    """Modes at the start: there are none."""
    return OK


def METHOD_smooth(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """METHOD_one, as it is without modes."""
    raise NotImplementedError


def METHOD_smooth_step(R: Record, U: Record, stop: float, tolerance: float) -> int:
    """METHOD_step, as it is without modes."""
    raise NotImplementedError


def forget_zeros(R: Record) -> None:
    """Where contacts are outside of what they may touch: there are none."""


def mode_values(R: Record) -> None:
    """How far modes are from their ends: there are none."""


def start_log(R: Record) -> None:
    """At the beginning of a call: no modes can change in it."""


def has_switched(R: Record) -> bool:
    """Whether modes have changed: there are none."""
    return False


def choose_rows(R: Record, U: Record, controlled: bool) -> None:
    """Evaluate with the rows that are independent now: there are none."""
    evaluate(R, U)


# -- of models with samples and resets ------------------------------------------------------------------------


def look_at_ends(R: Record) -> None:
    """How far it is to what ends steps: nothing does."""


def reset_values(R: Record) -> None:
    """How far events with resets are from their crossings: there are none."""


def reach_end(R: Record, U: Record) -> None:
    """How far events with resets are from their crossings where a step was made to end: there are none."""


def watch_resets(R: Record, U: Record, h: float) -> None:
    """How far events with resets are from their crossings where a step begins: there are none."""


def forget_met(R: Record) -> float:
    """A step begins: there are no events with resets that are met there."""
    return 0.0


def resets_by(i: int) -> bool:
    """True if an event resets something: none does."""
    return False


def note_resets(R: Record, h: float) -> int:
    """Note when events with resets were met: there are none."""
    return -1


def start_samples(R: Record) -> None:
    """At the start: nothing jumps."""


def jump(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Where a step begins: nothing jumps."""
    return OK


def some_tick(R: Record) -> bool:
    """Whether a clock ticks: there is none."""
    return False


def next_stop(R: Record, end: float) -> float:
    """Where a step ends at the latest: nothing is sampled before."""
    return end


def is_folded(R: Record) -> bool:
    """Whether a loop stands where its rows depend on each other, or nearly so: there are no loops."""
    return False


def evaluate_folded(R: Record, U: Record) -> None:
    """All rates in a position where a loop is folded: there is none."""


def start_drives(R: Record) -> None:
    """Count what drives give anew: no forces of drives are asked for."""


# -- of models with events and modes --------------------------------------------------------------------------


def apply_ties(R: Record) -> None:
    """Expressions of events as they count: no event has the surface of a contact."""


def is_tied(R: Record, i: int) -> bool:
    """True if an event has the surface of a contact: none has."""
    return False


def untie(R: Record, i: int, value: float) -> None:
    """Where an event leaves the surface of a contact: it has none."""


def find_ties(R: Record, U: Record, holds: bool) -> bool:
    """Where contacts strike: no event has the surface of one."""
    return False


def tie_resets(R: Record, first: int, h: float) -> None:
    """Where contacts strike: no event with resets has the surface of one."""


def tie_watched(R: Record, after: int) -> None:
    """Where contacts strike: no event without resets has the surface of one."""


def untie_watched(R: Record) -> None:
    """Where events leave the surface of a contact: they have none."""


def strike_ties(R: Record, U: Record) -> None:
    """Where an importer has ended a step: no event has the surface of a contact."""


def find_ties_at_start(R: Record, U: Record) -> bool:
    """At the start: no event has the surface of a contact."""
    return False


def start_ties(R: Record, U: Record) -> None:
    """At the start: no event has the surface of a contact."""


def forget_ties(R: Record) -> None:
    """At the start: no event has the surface of a contact."""


# -- of models with events -----------------------------------------------------------------------------------


def look_at_events(R: Record) -> None:
    """Indicators of events: there are none."""


def start_watch(R: Record, U: Record) -> None:
    """At the start of a run: there are no events."""


def note_break(R: Record) -> None:
    """Modes or values change at this instant: there are no events that this could make."""


def METHOD_look(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> None:
    """After a step: there are no events in it."""


def stopped_at(R: Record) -> float:
    """The time at which an event ends the run: none does."""
    return np.inf


def has_crossed(R: Record) -> bool:
    """Whether there were events in the last step."""
    return False


def keep_fresh(R: Record) -> None:
    """Behind result rows inside a step, with state and rates put back: outputs are no longer those of the state.

    Reads: head. Writes: head.
    """
    R[FRESH] = min(R[FRESH], DERIVATIVES_FRESH)
