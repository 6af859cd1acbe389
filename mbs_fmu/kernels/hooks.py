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

# -- of modules with a method that has history --------------------------------------------------------


@hook(Condition.HISTORY, "mbs_fmu.integrate.stepping.history")
def move_history(R: Record, before: float) -> None:
    """Move the time of the history to the present: without history, do nothing."""


# -- of models with elastic bodies that start in static equilibrium ---------------------------------------------------


@hook(Condition.STATIC_STARTS, "mbs_fmu.kernels.elastic.starts")
def start_elastic(R: Record) -> int:
    """Initialise vibration modes: none start in static equilibrium."""
    return OK


# -- of models with constraint modes ----------------------------------------------------------------------


@hook(Condition.MODES, "mbs_fmu.kernels.closures.modes")
def next_modes(R: Record, U: Record, rest: float) -> int:
    """Change constraint modes that have ended: there are none."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def free_modes(R: Record) -> None:
    """Set constraint modes before the assembly: all closures hold."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def armed_at_start(R: Record) -> bool:
    """True if closures engage at the start that did not hold before: none does."""
    return False


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def first_modes(R: Record) -> int:
    """Choose constraint modes at the start: there are none."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def forget_zeros(R: Record) -> None:
    """Reset the zeros of separated contacts: there are none."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def mode_values(R: Record) -> None:
    """Compute distances of constraint modes from their ends: there are none."""


@hook(Condition.MODES, "mbs_fmu.integrate.stepping.mode_reports")
def start_log(R: Record) -> None:
    """Clear the log of mode changes at the beginning of a call: there is none."""


@hook(Condition.MODES, "mbs_fmu.integrate.stepping.mode_reports")
def has_switched(R: Record) -> bool:
    """True if constraint modes have changed in this call: there are none."""
    return False


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def choose_rows(R: Record, U: Record, controlled: bool) -> None:
    """Evaluate with the rows that are independent now: without closed loops, evaluate."""
    evaluate(R, U)


# -- of models with sampled signals and resets ------------------------------------------------------------------------


@hook(Condition.SWITCHING, "mbs_fmu.integrate.stepping.switching")
def look_at_ends(R: Record) -> None:
    """Compute distances from what ends steps: nothing does."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def reset_values(R: Record) -> None:
    """Compute distances of events with resets from their crossings: there are none."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def reach_end(R: Record, U: Record) -> None:
    """Update distances of events with resets where a step was made to end: there are none."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def watch_resets(R: Record, U: Record, h: float) -> None:
    """Update distances of events with resets where a step begins: there are none."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def forget_met(R: Record) -> float:
    """Clear the resets at the beginning of a step: there are none. The last step's size is not needed."""
    return 0.0


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def resets_by(i: int) -> bool:
    """True if event i has resets: none has."""
    return False


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def note_resets(R: Record, h: float) -> int:
    """Record when events with resets were met: there are none."""
    return -1


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def start_samples(R: Record) -> None:
    """Set the first sample times at the start: there are no samples."""


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def jump(R: Record, U: Record, h: float, controlled: bool) -> int:
    """Make samples and resets that are due where a step begins: there are none."""
    return OK


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def some_tick(R: Record) -> bool:
    """True if a sample is due: there are none."""
    return False


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def next_stop(R: Record, end: float) -> float:
    """Latest end of a step: there is no sample before `end`."""
    return end


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def is_folded(R: Record) -> bool:
    """True if the rows of a loop are dependent or nearly so: there are no loops."""
    return False


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def evaluate_folded(R: Record, U: Record) -> None:
    """Evaluate all rates in a folded position: there are no loops."""


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def start_drives(R: Record) -> None:
    """Restart the impulses of drives: no drive force is requested."""


# -- of models with events and modes --------------------------------------------------------------------------


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def apply_ties(R: Record) -> None:
    """Correct the indicators of tied events: none is tied."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def is_tied(R: Record, i: int) -> bool:
    """True if event i is tied to a contact: none is."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def untie(R: Record, i: int, value: float) -> None:
    """Untie an event that has left the surface of its contact: none is tied."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def find_ties(R: Record, U: Record, holds: bool) -> bool:
    """Find events whose surface is that of an impacting contact: there are none."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def tie_resets(R: Record, first: int, h: float) -> None:
    """Tie events with resets to impacting contacts: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def tie_watched(R: Record, after: int) -> None:
    """Tie events without resets to impacting contacts: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def untie_watched(R: Record) -> None:
    """Untie events without resets that have left the surface of their contact: none is tied."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def strike_ties(R: Record, U: Record) -> None:
    """Tie events to contacts that impact where an importer has ended a step: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def find_ties_at_start(R: Record, U: Record) -> bool:
    """Find events on the surfaces of contacts that hold at the start: there are none."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def start_ties(R: Record, U: Record) -> None:
    """Tie events with resets to contacts that hold at the start: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def forget_ties(R: Record) -> None:
    """Untie all events: none is tied."""


# -- of models with events -----------------------------------------------------------------------------------


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def look_at_events(R: Record) -> None:
    """Compute the indicators of events: there are none."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def start_watch(R: Record, U: Record) -> None:
    """Compute the indicators at the start of a run: there are no events."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def note_break(R: Record) -> None:
    """Note that modes or values change at this instant: there are no events that this could trigger."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def stopped_at(R: Record) -> float:
    """Time at which an event ends the run: none does."""
    return np.inf


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def has_crossed(R: Record) -> bool:
    """True if the last step contained events: there are none."""
    return False


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def keep_fresh(R: Record) -> None:
    """Mark the outputs as stale after result rows inside a step, when state and rates have been restored.

    Reads: head. Writes: head.
    """
    R[FRESH] = min(R[FRESH], DERIVATIVES_FRESH)
