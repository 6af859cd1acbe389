"""Closures between prescribed motions: dry friction there is a known force, everything else is refused."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ...infrastructure.errors import ModelError
from ...model.closures import Closure
from ...model.drives import Drive
from ...model.forces.frictions import DryFriction, PrescribedFriction
from ...model.model import Model
from ...model.places import Place
from ...model.references.leaves import ImpulseNumber, JointNumber, ModeNumber, Multiplier
from ...symbolic.expressions import ZERO, Expression
from ...symbolic.graph import leaves
from ..laws.resolve import Handler, Resolver


def with_known_frictions(model: Model) -> Model:
    """Return the model with a known force in place of dry friction whose joint velocities are all driven.

    Whether it sticks is then known from the motion, and no multiplier could hold it.
    """
    known = [x for x in model.forces.values() if isinstance(x, DryFriction) and _is_driven(model, x.place)]
    if not known:
        return model
    result = copy.copy(model)
    for force in known:
        result.forces[force.name] = PrescribedFriction.of(force)
        del result.loops[force.name]
    return result


def measures_of_known_frictions(resolve: Resolver) -> dict[type, Handler]:
    """Return handlers for the mode, multiplier and impulse of dry friction between driven joint velocities.

    The mode is the sign of the friction, 0 while the joint stands; multiplier and impulse are zero. Other references
    go to the handlers that `resolve` has so far.
    """
    known = {x.name: x for x in resolve.model.forces.values() if isinstance(x, PrescribedFriction)}
    if not known:
        return {}

    def measured(other: Handler | None, reference: Any, resolver: Resolver, thing: str) -> Expression:
        if (force := known.get(reference.loop)) is not None:
            return resolver.one(force.mode, thing) if isinstance(reference, ModeNumber) else ZERO
        if other is None:
            raise ModelError(f"{thing} refers to {reference}, which this model does not have")
        return other(reference, resolver, thing)

    return {kind: partial(measured, resolve.handlers.get(kind)) for kind in (ModeNumber, Multiplier, ImpulseNumber)}


def refuse_prescribed(model: Model, closure: Closure, label: str, condition: Expression) -> None:
    """Raise ModelError for a condition that depends on prescribed motions only."""
    drives = ", ".join(dict.fromkeys(f"drive {drive.name!r}" for drive in _drives(model, [condition])))
    remedy = "leave it or a drive out" if closure.mode is None else closure.mode.if_prescribed
    raise ModelError(f"{closure.thing}, {label}: it constrains prescribed motions only, those of {drives}: {remedy}")


def _is_driven(model: Model, place: Place) -> bool:
    """True if drives prescribe all velocities along which a force acts."""
    return all(isinstance(x, JointNumber) and _drive_of(model, x) is not None for x in place.coefficients)


def _drives(model: Model, expressions: Iterable[Expression]) -> Iterator[Drive]:
    for reference in leaves(list(expressions)):
        drive = _drive_of(model, reference) if isinstance(reference, JointNumber) else None
        if drive is not None:
            yield drive


def _drive_of(model: Model, number: JointNumber) -> Drive | None:
    """Return the drive that prescribes a joint coordinate or velocity, or None."""
    for drive in model.drives.on(number.body):
        if max(number.k, 0) in (drive.coordinates if number.quantity == "coordinate" else drive.rates):
            return drive
    return None
