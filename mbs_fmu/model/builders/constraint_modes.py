"""Methods of `Model` for closures with constraint modes: locks of joints and rigid contacts."""

from __future__ import annotations

from ...symbolic.expressions import leaf
from ..closures import Armed, Equations, OneSided, Pair, PairClosure
from ..closures.modes import armed, checked_restitution
from ..data import ModelData
from ..forces.places import joint_velocity
from ..geometry.vectors import Vector
from ..names import new_name
from ..references.leaves import JointNumber
from .argument_types import BodyOrName, Condition, Number, Placement
from .closures import add_closure, checked_pair, known_mode, sides


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
    joint, and releases when `until` does. Without `when` it is engaged from the start.

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


def contact(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    pair: Pair,
    *,
    at_a: Placement = (0.0, 0.0, 0.0),
    at_b: Placement = (0.0, 0.0, 0.0),
    restitution: Number = 0.0,
) -> None:
    """Add a rigid contact without friction between two bodies: it pushes and never pulls.

    pair: the condition, zero while the bodies touch and positive while they are apart: `mbs.OnPlane` (b's point on the
    side of a's plane to which the normal points), `mbs.Distance` (b's point at least that far from a's), `mbs.Rolling`
    (a wheel or ball on a plane), `mbs.OnCurve` and `mbs.CurveOnCurve` (outside the curve). at_a, at_b: frames on both
    bodies, positions (m, body axes) or `Pose`s. restitution: ratio of the normal velocities after and before an impact,
    0 to 1, a number or an expression of parameters; the smallest one applies to simultaneous impacts of several
    contacts.

    Raises ModelError for a name that is taken, an unknown body, and a pair that is not a single condition on positions.
    """
    new_name(model, name, "loop")
    thing = f"contact {name!r}"
    a_side, b_side = sides(model, a, b, at_a, at_b, thing)
    pair = checked_pair(pair, thing)
    pair.touching(0, thing)
    mode = known_mode(model, OneSided(checked_restitution(restitution, thing)), thing)
    add_closure(model, PairClosure(name, a_side, b_side, pair, mode=mode))
