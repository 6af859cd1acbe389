"""Hooks with a default, which kernels and drivers call: each declaration names the module that provides the function.

The order is that of the defaults in generated modules. Hooks of methods are in integrate/stepping/hooks.py, functions
without a default in linked.py.
"""

from __future__ import annotations

import numpy as np

from .declarations import Record
from .hook_table import Condition, hook
from .linked import evaluate
from .names import DERIVATIVES_FRESH, FRESH, OK

# -- of modules with a method that remembers its steps --------------------------------------------------------


@hook(Condition.HISTORY, "mbs_fmu.integrate.stepping.history")
def move_history(R: Record, before: float) -> None:
    """What is remembered of the time before belongs to the present one."""


# -- of models with elastic bodies that start in equilibrium ---------------------------------------------------


@hook(Condition.STATIC_STARTS, "mbs_fmu.kernels.elastic.starts")
def start_elastic(R: Record) -> int:
    """At the start: no modes are to be found."""
    return OK


# -- of models whose closures have modes ----------------------------------------------------------------------


@hook(Condition.MODES, "mbs_fmu.kernels.closures.modes")
def next_modes(R: Record, U: Record, rest: float) -> int:
    """At the beginning of a step: no closure has modes that could end."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def free_modes(R: Record) -> None:
    """Before loops are assembled: all closures hold."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def armed_at_start(R: Record) -> bool:
    """Whether closures hold from the start on that did not before: all do."""
    return False


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def first_modes(R: Record) -> int:
    """Modes at the start: there are none."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def forget_zeros(R: Record) -> None:
    """Where contacts are outside of what they may touch: there are none."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def mode_values(R: Record) -> None:
    """How far modes are from their ends: there are none."""


@hook(Condition.MODES, "mbs_fmu.integrate.stepping.mode_reports")
def start_log(R: Record) -> None:
    """At the beginning of a call: no modes can change in it."""


@hook(Condition.MODES, "mbs_fmu.integrate.stepping.mode_reports")
def has_switched(R: Record) -> bool:
    """Whether modes have changed: there are none."""
    return False


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def choose_rows(R: Record, U: Record, controlled: bool) -> None:
    """Evaluate with the rows that are independent now: there are none."""
    evaluate(R, U)


# -- of models with samples and resets ------------------------------------------------------------------------


@hook(Condition.SWITCHING, "mbs_fmu.integrate.stepping.switching")
def look_at_ends(R: Record) -> None:
    """How far it is to what ends steps: nothing does."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def reset_values(R: Record) -> None:
    """How far events with resets are from their crossings: there are none."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def reach_end(R: Record, U: Record) -> None:
    """How far events with resets are from their crossings where a step was made to end: there are none."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def watch_resets(R: Record, U: Record, h: float) -> None:
    """How far events with resets are from their crossings where a step begins: there are none."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def forget_met(R: Record) -> float:
    """A step begins: there are no events with resets that are met there."""
    return 0.0


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def resets_by(i: int) -> bool:
    """True if an event resets something: none does."""
    return False


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def note_resets(R: Record, h: float) -> int:
    """Note when events with resets were met: there are none."""
    return -1


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def start_samples(R: Record) -> None:
    """At the start: nothing jumps."""


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def jump(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Where a step begins: nothing jumps."""
    return OK


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def some_tick(R: Record) -> bool:
    """Whether a clock ticks: there is none."""
    return False


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def next_stop(R: Record, end: float) -> float:
    """Where a step ends at the latest: nothing is sampled before."""
    return end


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def is_folded(R: Record) -> bool:
    """Whether a loop stands where its rows depend on each other, or nearly so: there are no loops."""
    return False


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def evaluate_folded(R: Record, U: Record) -> None:
    """All rates in a position where a loop is folded: there is none."""


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def start_drives(R: Record) -> None:
    """Count what drives give anew: no forces of drives are asked for."""


# -- of models with events and modes --------------------------------------------------------------------------


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def apply_ties(R: Record) -> None:
    """Expressions of events as they count: no event has the surface of a contact."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def is_tied(R: Record, i: int) -> bool:
    """True if an event has the surface of a contact: none has."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def untie(R: Record, i: int, value: float) -> None:
    """Where an event leaves the surface of a contact: it has none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def find_ties(R: Record, U: Record, holds: bool) -> bool:
    """Where contacts strike: no event has the surface of one."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def tie_resets(R: Record, first: int, h: float) -> None:
    """Where contacts strike: no event with resets has the surface of one."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def tie_watched(R: Record, after: int) -> None:
    """Where contacts strike: no event without resets has the surface of one."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def untie_watched(R: Record) -> None:
    """Where events leave the surface of a contact: they have none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def strike_ties(R: Record, U: Record) -> None:
    """Where an importer has ended a step: no event has the surface of a contact."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def find_ties_at_start(R: Record, U: Record) -> bool:
    """At the start: no event has the surface of a contact."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def start_ties(R: Record, U: Record) -> None:
    """At the start: no event has the surface of a contact."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def forget_ties(R: Record) -> None:
    """At the start: no event has the surface of a contact."""


# -- of models with events -----------------------------------------------------------------------------------


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def look_at_events(R: Record) -> None:
    """Indicators of events: there are none."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def start_watch(R: Record, U: Record) -> None:
    """At the start of a run: there are no events."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def note_break(R: Record) -> None:
    """Modes or values change at this instant: there are no events that this could make."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def stopped_at(R: Record) -> float:
    """The time at which an event ends the run: none does."""
    return np.inf


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def has_crossed(R: Record) -> bool:
    """Whether there were events in the last step."""
    return False


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def keep_fresh(R: Record) -> None:
    """Behind result rows inside a step, with state and rates put back: outputs are no longer those of the state.

    Reads: head. Writes: head.
    """
    R[FRESH] = min(R[FRESH], DERIVATIVES_FRESH)
