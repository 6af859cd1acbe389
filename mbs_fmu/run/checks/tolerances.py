"""Tolerances of error control that are too loose for compliant contacts, and their bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ..step_control import StepControl
from .rests import groups
from .starts import Start

#: Bound of the relative tolerance. A step that jumps into a contact throws the body out, and its error is measured
#: against the speed at which it does so. Where one stage of dopri5 alone is inside, it is a hundredth of that speed.
MOST_RTOL = 1e-3
SHARE = 0.1  #: bound of the absolute tolerance, over the depth of the contact at rest


@dataclass(frozen=True)
class Depth:
    """Depth at rest, m, of a contact that carries the weight of a body. thing: the contact."""

    thing: str
    depth: float


def least_depth(start: Start) -> Depth | None:
    """Return the contact with the least depth at rest; None if no weight rests on contacts."""
    found = []
    for places, weight in groups(start):
        contact = start.contact(places[0])
        depth = contact.normal.depth_under(weight / len(places), start.value)
        if np.isfinite(depth) and depth > 0.0:
            found.append(Depth(contact.thing, depth))
    return min(found, key=lambda x: x.depth, default=None)


def bounded(control: StepControl, depths: Sequence[Depth]) -> tuple[StepControl, str]:
    """Return the control with tolerances that see contacts of these depths, and a note if they are others.

    With looser tolerances steps would jump over the contacts: penetration is smaller than the allowed error.
    """
    least = min(depths, key=lambda x: x.depth, default=None)
    if control.fixed or least is None:
        return control, ""
    rtol, atol = min(control.rtol, MOST_RTOL), min(control.atol, SHARE * least.depth)
    if (rtol, atol) == control.tolerances:
        return control, ""
    note = (
        f"rtol = {rtol:.3g} and atol = {atol:.3g} are used instead of {control.rtol:.3g} and {control.atol:.3g}: at "
        f"rest {least.thing} is {least.depth:.3g} m deep, so that steps would jump over it; to avoid this "
        f"note, give at most rtol={MOST_RTOL:g} and atol={_rounded_down(SHARE * least.depth):.1g}"
    )
    return replace(control, rtol=rtol, atol=atol), note


def _rounded_down(value: float) -> float:
    """Return a positive number rounded down to one digit."""
    digit = 10.0 ** np.floor(np.log10(value))
    return float(np.floor(value / digit) * digit)
