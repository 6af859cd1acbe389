"""Methods of `Model` for joints that are locked, or that turn freely in one direction only."""

from __future__ import annotations

from ...symbolic.expressions import Expression, leaf
from ..closures import Armed, Equations, Overrunning
from ..closures.closure import check_leaves
from ..closures.modes import armed
from ..data import ModelData
from ..forces.places import checked_place, joint_velocity
from ..geometry.vectors import Vector
from ..names import new_name
from ..references.leaves import JointNumber
from .argument_types import BodyOrName, Condition
from .closures import known_mode


def lock(
    model: ModelData,
    name: str,
    on: BodyOrName,
    coordinate: int | None = None,
    *,
    when: Condition | None = None,
    until: Condition | None = None,
) -> None:
    """Hold a joint at its current position: all its coordinates, or one (`coordinate`, from 1).

    when, until: conditions, as for `close`. The lock engages when `when` becomes true, with an impact that stops the
    joint, and releases when `until` does. Without `when` it is engaged from the start. Resets and samples at the same
    instant come first; the lock stops the velocities that they have assigned.

    Raises ModelError for a name that is taken, an unknown body, a weld, and an unknown coordinate.
    """
    new_name(model, name, "loop")
    thing = f"lock {name!r}"
    if coordinate is None:
        body = model.known_body(on, thing)
        joint_velocity(model, on, 1, thing)
        numbers = range(len(model.bodies[body].joint.rates))
    else:
        body, k = joint_velocity(model, on, coordinate, thing)
        numbers = range(k, k + 1)
    quantity = "coordinate" if model.bodies[body].joint.scalar else "rate"
    held = Vector(leaf(JointNumber(quantity, body, k)) for k in numbers)
    mode = known_mode(model, armed(when, until, thing, here=True) or Armed(None, None, here=True), thing)
    model.loops[name] = Equations(name, held, "lock", mode=mode)
    model.version += 1


def freewheel(
    model: ModelData,
    name: str,
    on: BodyOrName | None = None,
    coordinate: int | None = None,
    *,
    against: BodyOrName | None = None,
    along: Expression | None = None,
) -> None:
    """Add a freewheel (overrunning clutch, ratchet): a joint velocity, or a rate, that cannot become negative.

    on: the body whose joint velocity u it is; coordinate: its number, from 1, required if the joint has several.
    against: another body, from whose only joint velocity u is counted: `against` then drives `on`, and `on` may
    overrun. While u is zero the freewheel transmits a torque (N.m) or force (N) that drives u upwards, never one in the
    other direction; otherwise it transmits nothing. It engages at the instant at which u becomes zero, and releases at
    the one at which its torque does; if an impact, or the start, makes u negative, it engages with an impact.
    `mbs.multiplier(name)` is the torque, `mbs.constraint_mode(name)` 0 while engaged and -1 otherwise.

    along: in place of a joint velocity, a rate u that is linear in velocities, or an expression of positions, whose
    rate is u; it may depend on parameters and time, but not on inputs and states.

    Raises ModelError for a name that is taken, unknown bodies, a weld, an unknown coordinate, and if one side turns
    and the other slides.
    """
    new_name(model, name, "loop")
    thing = f"freewheel {name!r}"
    place, _ = checked_place(model, thing, on, coordinate, against, along)
    check_leaves([place.rate], thing, rates=True)
    model.loops[name] = Equations(name, Vector([place.rate]), "slip", mode=Overrunning())
    model.version += 1
