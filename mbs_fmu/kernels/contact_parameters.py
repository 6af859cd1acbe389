"""Kernels that compute contact parameters, which locate the points where curves touch, by Newton's method.

Closures have contact parameters, and compliant contacts of curves, whose points are foot points, also while the curves
are apart. They are states; the laws `contact_steps` and `contact_guesses` are those of all of them.
"""

from __future__ import annotations

from ..record.schema import CONTACT, N_CONTACTS, N_FEET, Record
from .hook_table import Condition, hook
from .library import where
from .linked import contact_guesses, contact_steps
from .tolerances import CONTACT_ROUNDING


def find_feet(R: Record) -> None:
    """Compute the contact parameters from the coordinates, if compliant contacts have some."""
    if N_FEET > 0:
        contact_steps(R)  # computes poses too
        contact_guesses(R)
        solve_contact_parameters(R, 30)


@hook(Condition.LANES, "mbs_fmu.integrate.lanes.projections")
def solve_contact_parameters(R: Record, most: int) -> None:
    """Compute the contact parameters at which curves touch for the present coordinates, by at most `most` Newton steps.

    It ends when a step has changed no parameter by more than rounding.
    """
    for _ in range(most):
        if contact_newton_step(R, True) <= CONTACT_ROUNDING:
            break


def contact_newton_step(R: Record, moving: bool) -> float:
    """Make a Newton step of contact parameters if `moving`, and return the largest component of the full step.

    It changes no parameter by more than 0.3: for an angle (rad), a twentieth of a turn.
    """
    contact_steps(R)
    largest = 0.0
    for k in range(N_CONTACTS):
        largest = max(largest, abs(R.z_dot[CONTACT[k]]))
    factor = 0.3 / largest if largest > 0.3 else 1.0
    for k in range(N_CONTACTS):
        R.z[CONTACT[k]] = where(moving, R.z[CONTACT[k]] + factor * R.z_dot[CONTACT[k]], R.z[CONTACT[k]])
    return largest
