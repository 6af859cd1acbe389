"""Smooth friction along joint velocities: how fast its damping is under the load that it holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.forces.frictions import Friction
from ...model.model import Model
from ...model.references.leaves import JointNumber, Signal
from ...record.blocks import HeadNumbers
from ...record.codes import Fresh
from ...symbolic.arrays import values_along
from ...symbolic.expressions import as_expression
from ...symbolic.graph import derivative
from ..runtime import Runtime
from .starts import pushed

SPEEDS = np.linspace(0.0, 1.0, 401)  #: over that of the static friction, at which the law is evaluated


@dataclass(frozen=True)
class Slip:
    """Friction of a joint while it creeps. thing: the force. rate: its damping over the effective inertia, 1/s."""

    thing: str
    rate: float


def slips(model: Model, runtime: Runtime, R: np.ndarray) -> list[Slip]:
    """Return the smooth friction of all free joints; R: a record at the start, with the rates."""
    forces = [force for force in model.forces.values() if isinstance(force, Friction)]
    if not forces:
        return []
    slots = {v.name: v.slot for v in runtime.program.variables}
    p, u, rates = (runtime.program.region(name) for name in ("p", "u", "p_dot"))
    resting = R.copy()
    resting[p] = 0.0
    resting[HeadNumbers.fresh] = Fresh.stale
    runtime.refresh(resting)
    found = []
    for force in forces:
        name = f"{force.body}.{model.bodies[force.body].joint.rates[force.k][0]}"
        place = slots[name] - u.start
        if not 0 <= place < u.stop - u.start:
            continue  # the joint velocity is prescribed
        mobility = float(pushed(runtime, R, p.start + place)[u.start + place] - R[u.start + place])
        damping = _damping(force, slots, R, abs(float(resting[rates.start + place])), abs(float(R[slots[name]])))
        if np.isfinite(damping * mobility):
            found.append(Slip(f"friction {force.name!r}", damping * mobility))
    return found


def _damping(force: Friction, slots: dict[str, int], R: np.ndarray, load: float, speed: float) -> float:
    """Return the slope of friction over the joint velocity where it holds a load, or at zero if it does not hold.

    load: generalized force on the joint at rest, N or N.m. speed: of the joint at the start, m/s or rad/s.
    """
    strength = force.effect().strength
    assert strength is not None
    own = JointNumber("rate", force.body, force.k)
    law = [-strength, *derivative([-strength], lambda r: as_expression(1.0 if r == own else 0.0)), force.speed]

    def number(reference: Any) -> Any:
        if reference == own:
            return SPEEDS * limit
        if not isinstance(reference, Signal):
            raise KeyError(reference)
        return float(R[HeadNumbers.time if reference.role == "time" else slots[reference.name]])

    limit = 1.0
    try:
        limit = float(values_along([force.speed], 1, number)[0, 0])
        friction, slopes, _ = values_along(law, len(SPEEDS), number).T
    except KeyError:
        return 0.0
    held = np.flatnonzero(friction >= load)
    if speed > limit or not len(held):
        return float(slopes[0])
    return float(slopes[held[0]])
