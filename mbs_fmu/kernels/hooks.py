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
from .constants import OK
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


# -- of models with contacts that have a list of near pairs ------------------------------------------------


@hook(Condition.NEAR, "mbs_fmu.kernels.near_pairs")
def failure_status(R: Record, status: int) -> int:
    """Return the status of a failure, or that of its cause: there is no list of near pairs, which may be full."""
    return status


# -- of models with compliant contacts of curves -----------------------------------------------------------


@hook(Condition.CONTACTS, "mbs_fmu.kernels.contact_parameters")
def find_feet(R: Record) -> None:
    """Compute the contact parameters of compliant contacts from the coordinates: there are none."""


# -- of models with closed loops ---------------------------------------------------------------------------


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.rows")
def singular_loop(R: Record, least: float) -> int:
    """Return a loop whose rows nearly depend on each other, by a ratio of pivots below `least`: -1, there is none."""
    return -1


# -- of models with constraint modes ----------------------------------------------------------------------


@hook(Condition.MODES, "mbs_fmu.kernels.closures.modes")
def change_ended_modes(R: Record, U: Inputs, h: float, controlled: bool) -> int:
    """Change constraint modes that have ended: there are none."""
    return OK


@hook(Condition.MODES, "mbs_fmu.kernels.closures.modes")
def is_load_mode(w: int) -> bool:
    """True if function w is that of a contact or friction, whose new modes begin before their end: there are none."""
    return False


@hook(Condition.MODES, "mbs_fmu.kernels.closures.modes")
def side_when_engaged(R: Record, w: int, side: float) -> float:
    """Return the side of the function of a latch that has just engaged: there are none."""
    return side


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
def clear_residual_offsets(R: Record) -> bool:
    """Clear the residual offsets of modes that have left their ends; True if any: there are no modes."""
    return False


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def keep_residual_offsets(R: Record) -> None:
    """Store the residual offsets of modes at the beginning of a part of a step: there are no modes."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def restore_residual_offsets(R: Record) -> None:
    """Restore the residual offsets of modes, because a part of a step is repeated: there are no modes."""


@hook(Condition.MODES, "mbs_fmu.kernels.closures.mode_ends")
def mode_values(R: Record) -> None:
    """Compute the distances of constraint modes from their ends: there are no modes."""


# -- of models with closed loops ------------------------------------------------------------------------------------


@hook(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def choose_rows(R: Record, U: Inputs, controlled: bool) -> None:
    """Choose the rows that are independent now and compute all rates: without closed loops, only compute the rates."""
    evaluate(R, U)


# -- of models with crossings ---------------------------------------------------------------------------------------


@hook(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.instants")
def start_instants(R: Record) -> None:
    """Initialise the numbers of instants at the start: nothing crosses zero."""


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def start_samples(R: Record) -> None:
    """Set the first sample times at the start: there are no samples."""


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def some_sample(R: Record, near: float) -> bool:
    """True if a sample is due at the present instant: there are none."""
    return False


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def sample_time(R: Record, k: int) -> float:
    """Return the time of the next sample of clock k: there is no clock."""
    return np.inf


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def sample_window(R: Record, k: int, time: float, near: float) -> float:
    """Return the time (s) by which a sample of clock k may differ from `time` and still coincide: there is no clock."""
    return near


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def lost_clock(R: Record, U: Inputs) -> int:
    """Return the index of a clock whose period is too short for the time, or -1: there is no clock."""
    return -1


@hook(Condition.SAMPLES, "mbs_fmu.integrate.stepping.samples")
def assign(R: Record, U: Inputs, near: float) -> int:
    """Assign the values of due samples and resets; return 1 if there are any: there are none."""
    return 0


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


@hook(Condition.HELD, "mbs_fmu.integrate.stepping.held")
def hold_values(R: Record) -> None:
    """Correct the expressions of events on the surfaces of contacts: there are none."""


@hook(Condition.HELD, "mbs_fmu.integrate.stepping.held")
def release_values(R: Record) -> None:
    """Release the events whose expressions have left the surface of their contact: there are none."""


@hook(Condition.HELD, "mbs_fmu.integrate.stepping.held")
def find_held(R: Record, U: Inputs) -> None:
    """Find events on the surfaces of closed contacts: there are none."""
