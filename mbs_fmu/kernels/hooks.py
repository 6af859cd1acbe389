"""Hooks with a default: functions that kernels and drivers call and that other modules may replace.

Each decorator names the module that provides the function and the condition under which it replaces the default. A
docstring states what the provided function does and, after the colon, what holds without a provider, so that the
default has little or nothing to do. Generated modules contain the defaults in the order of this file. Hooks of methods
are in integrate/stepping/hooks.py, hooks without a default in linked.py.
"""

from __future__ import annotations

import numpy as np

from ..record.fields import Vector
from ..record.schema import Inputs, Record
from .constants import DERIVATIVES_FRESH, OK
from .hook_table import Condition, hook
from .linked import evaluate

# -- of modules with a method that has history --------------------------------------------------------


@hook(Condition.HISTORY, "mbs_fmu.integrate.stepping.history")
def move_history(R: Record, before: float) -> None:
    """Set the time of the history to the present one, if it is `before`: there is no history."""


# -- of models with elastic bodies that start in static equilibrium ---------------------------------------------------


@hook(Condition.STATIC_STARTS, "mbs_fmu.kernels.elastic.starts")
def start_elastic(R: Record) -> int:
    """Initialise vibration modes: none start in static equilibrium."""
    return OK


# -- of models with elastic bodies and a method that is implicit in their modes ----------------------------------------


@hook(Condition.IMPLICIT_MODES, "mbs_fmu.kernels.elastic.implicit")
def momentum_derivatives(R: Record) -> None:
    """Compute derivatives of modal momenta: there are no modes."""


@hook(Condition.IMPLICIT_MODES, "mbs_fmu.kernels.elastic.implicit")
def effective_modal_masses(R: Record, s: float) -> None:
    """Add stiffness and damping of a step to the modal masses of the second record: there are no modes."""


@hook(Condition.IMPLICIT_MODES, "mbs_fmu.kernels.elastic.implicit")
def solve_modes(R: Record, x: Vector, s: float) -> None:
    """Solve (E - s W) y = x: W is zero."""


@hook(Condition.IMPLICIT_MODES, "mbs_fmu.kernels.elastic.implicit")
def subtract_coupling(R: Record, x: Vector) -> None:
    """Remove the part of momenta errors that follows from those of modal coordinates: there are no modes."""


# -- of models with constraint modes ----------------------------------------------------------------------


@hook(Condition.MODES, "mbs_fmu.kernels.closures.modes")
def next_modes(R: Record, U: Inputs, rest_time: float) -> int:
    """Change constraint modes that have ended: there are none."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def modes_for_assembly(R: Record) -> None:
    """Set constraint modes before the assembly: all closures are permanent."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def engage_latches_at_start(R: Record) -> bool:
    """Engage latches whose conditions hold at the start; True if there are any: there are none."""
    return False


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_starts")
def first_modes(R: Record) -> int:
    """Choose constraint modes at the start: there are none."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def clear_residual_offsets(R: Record) -> None:
    """Clear the residual offsets of separated contacts: there are no contacts."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def mode_values(R: Record) -> None:
    """Compute the distances of constraint modes from their ends: there are no modes."""


@hook(Condition.MODES, "mbs_fmu.integrate.stepping.mode_reports")
def start_log(R: Record) -> None:
    """Clear the log of mode changes at the beginning of a call: there is no log."""


@hook(Condition.MODES, "mbs_fmu.integrate.stepping.mode_reports")
def has_switched(R: Record) -> bool:
    """True if constraint modes have changed in this call: there are no modes."""
    return False


# -- of models with closed loops ------------------------------------------------------------------------------------


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def choose_rows(R: Record, U: Inputs, controlled: bool) -> None:
    """Choose the rows that are independent now and compute all rates: without closed loops, only compute the rates."""
    evaluate(R, U)


# -- of models with sampled signals and resets ------------------------------------------------------------------------


@hook(Condition.SWITCHING, "mbs_fmu.integrate.stepping.switching")
def evaluate_ends(R: Record) -> None:
    """Compute the distances from the ends of steps: no modes and no events with resets end them."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def reset_values(R: Record) -> None:
    """Compute the distances of events with resets from their zero crossings: there are no such events."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def reach_end(R: Record, U: Inputs) -> None:
    """Update the distances of events with resets where one has ended a step: there are no such events."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def watch_resets(R: Record, U: Inputs, h: float) -> None:
    """Update the distances of events with resets at the beginning of a step: there are no such events."""


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def forget_met(R: Record) -> float:
    """Clear the met events at the beginning of a step and return the size of the last step: none has resets."""
    return 0.0


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def resets_by(i: int) -> bool:
    """True if event i has resets: none has."""
    return False


@hook(Condition.RESETS, "mbs_fmu.integrate.stepping.resets")
def note_resets(R: Record, h: float) -> int:
    """Record the times at which events with resets crossed zero: there are no such events."""
    return -1


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def start_samples(R: Record) -> None:
    """Set the first sample times at the start: there are no samples."""


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def jump(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Assign the samples and resets that are due at the beginning of a step: there are none."""
    return OK


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def some_tick(R: Record) -> bool:
    """True if a sample is due: there are none."""
    return False


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def next_stop(R: Record, end: float) -> float:
    """Return the latest time at which a step must end: there is no sample before `end`."""
    return end


# -- of models with closed loops ------------------------------------------------------------------------------------


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def is_singular(R: Record) -> bool:
    """True if the rows of a loop are dependent or nearly so: there are no loops."""
    return False


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def evaluate_singular(R: Record, U: Inputs) -> None:
    """Compute all rates in a singular position: there are no loops."""


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def start_drives(R: Record) -> None:
    """Start to accumulate the impulses of drives: no drive force is requested."""


# -- of models with events and modes --------------------------------------------------------------------------


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def correct_bound_indicators(R: Record) -> None:
    """Correct the indicators of bound events: none is bound."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def is_bound(R: Record, i: int) -> bool:
    """True if event i is bound to a contact: none is."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def unbind(R: Record, i: int, value: float) -> None:
    """Release an event that has left the surface of its contact: none is bound."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def find_coincident_events(R: Record, U: Inputs, is_engaged: bool) -> bool:
    """Find the events whose indicators vanish on the surface of a contact: there are none."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def bind_resets(R: Record, occurring: Vector, h: float) -> None:
    """Bind events with resets to contacts with an impact: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def bind_watched(R: Record, after: Vector) -> None:
    """Bind events without resets to contacts with an impact: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def unbind_watched(R: Record) -> None:
    """Release events without resets that have left the surface of their contact: none is bound."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def bind_at_impact(R: Record, U: Inputs) -> None:
    """Bind events with resets to contacts with an impact at the end of an importer's step: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def find_coincident_at_start(R: Record, U: Inputs) -> bool:
    """Find events on the surfaces of contacts that are engaged at the start: there are none."""
    return False


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def bind_at_start(R: Record, U: Inputs) -> None:
    """Bind events with resets to contacts that are engaged at the start: there are none."""


@hook(Condition.TIES, "mbs_fmu.integrate.stepping.ties")
def unbind_all(R: Record) -> None:
    """Release all events from contacts: none is bound."""


# -- of models with events -----------------------------------------------------------------------------------


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def evaluate_indicators(R: Record) -> None:
    """Compute the indicators of events: there are none."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def start_watch(R: Record, U: Inputs) -> None:
    """Compute the indicators at the start of a run: there are no events."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def note_break(R: Record) -> None:
    """Note that modes or values change at this instant: there are no events that the change could trigger."""


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def stopped_at(R: Record) -> float:
    """Return the time at which an event ends the run: none does."""
    return np.inf


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def has_crossed(R: Record) -> bool:
    """True if the last step contained events: there are none."""
    return False


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def mark_overwritten(R: Record) -> None:
    """Mark the outputs as stale, after result rows inside a step, once state and rates are restored."""
    R.fresh = min(R.fresh, DERIVATIVES_FRESH)
