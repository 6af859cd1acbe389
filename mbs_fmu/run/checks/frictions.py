"""Smooth friction: how fast its damping is under the load that it holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.forces.characteristics import SPEED
from ...model.forces.frictions import Friction
from ...model.model import Model
from ...model.places import Place
from ...model.references.leaves import JointNumber, Signal
from ...record.blocks import HeadNumbers
from ...record.codes import Fresh
from ...symbolic.arrays import values_along
from ...symbolic.expressions import is_literal, leaf
from ...symbolic.graph import derivative, only
from ..runtime import Runtime
from .starts import pushed

SPEEDS = np.linspace(0.0, 1.0, 401)  #: over that of the static friction, at which the law is evaluated


@dataclass(frozen=True)
class Slip:
    """Friction while it creeps. thing: the force. rate: its damping over the effective inertia, 1/s."""

    thing: str
    rate: float


def slips(model: Model, runtime: Runtime, R: np.ndarray) -> list[Slip]:
    """Return the smooth friction along free joint velocities; R: a record at the start, with the rates."""
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
        along = _along_joints(model, force.place)
        places = np.array([slots[name] - u.start for name in along], dtype=int)
        if not len(places) or not np.all((places >= 0) & (places < u.stop - u.start)):
            continue  # joint velocities are prescribed, or its coefficients change in a run
        shares, at = np.array(list(along.values())), u.start + places
        mobility = float(shares @ (pushed(runtime, R, p.start + places, shares)[at] - R[at]))
        load = abs(float(shares @ resting[rates.start + places])) / float(shares @ shares)
        damping = _damping(force, slots, R, load, abs(float(shares @ R[at])))
        if np.isfinite(damping * mobility):
            found.append(Slip(f"friction {force.name!r}", damping * mobility))
    return found


def _along_joints(model: Model, place: Place) -> dict[str, float]:
    """Return the coefficients of joint velocities, by their names, in the rate of a place; empty if others occur."""
    shares = {}
    for velocity, coefficient in place.coefficients.items():
        if not isinstance(velocity, JointNumber) or not is_literal(coefficient):
            return {}
        suffix, _ = model.bodies[velocity.body].joint.rates[max(velocity.k, 0)]
        shares[f"{velocity.body}.{suffix}"] = float(coefficient.value)
    return shares


def _damping(force: Friction, slots: dict[str, int], R: np.ndarray, load: float, speed: float) -> float:
    """Return the slope of friction over the joint velocity where it holds a load, or at zero if it does not hold.

    load: force along its place at rest, N or N.m. speed: of the place at the start, m/s or rad/s.
    """
    resistance = force.resistance(leaf(SPEED))
    law = [resistance, *derivative([resistance], only(SPEED)), force.speed]

    def number(reference: Any) -> Any:
        if reference == SPEED:
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
