"""Method of `Model` that locks joints."""

from __future__ import annotations

from ...symbolic.expressions import leaf
from ..closures import Armed, Equations
from ..closures.modes import armed
from ..data import ModelData
from ..forces.places import joint_velocity
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
