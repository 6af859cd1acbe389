"""The words of a model for what holds at times: locks of joints, bodies that may touch."""

from __future__ import annotations

from typing import Any

from ...symbolic.expressions import leaf
from ..closures import Armed, Equations, OneSided, PairClosure
from ..closures.modes import armed, checked_restitution
from ..data import ModelData
from ..forces.places import joint_velocity
from ..geometry.vectors import Vector
from ..items import Body
from ..names import new_name
from ..references.leaves import JointNumber
from .closures import add_closure, checked_pair, known_mode, sides


def lock(
    model: ModelData, name: str, on: str | Body, coordinate: int | None = None, *, when: Any = None, until: Any = None
) -> None:
    """Hold a joint where it is: all of it, or one coordinate (from 1).

    when, until: conditions, as for `close`: it takes hold wherever the joint is when `when` becomes true, with a blow
    that stops it there, and lets go when `until` does. Without `when` it holds from the start.

    Raises ModelError for a name that is taken, an unknown body, a weld, a coordinate that is not there.
    """
    new_name(model, name, "loop")
    thing = f"lock {name!r}"
    if coordinate is None:
        body = model.known_body(on, thing)
        joint_velocity(model, on, 1, thing)
        chosen = range(len(model.bodies[body].joint.rates))
    else:
        body, k = joint_velocity(model, on, coordinate, thing)
        chosen = range(k, k + 1)
    quantity = "coordinate" if model.bodies[body].joint.scalar else "rate"
    held = Vector(leaf(JointNumber(quantity, body, k)) for k in chosen)
    mode = known_mode(model, armed(when, until, thing, here=True) or Armed(None, None, here=True), thing)
    model.loops[name] = Equations(name, held, "lock", mode=mode)
    model.version += 1


def contact(
    model: ModelData,
    name: str,
    a: str | Body,
    b: str | Body,
    pair: Any,
    *,
    at_a: Any = (0.0, 0.0, 0.0),
    at_b: Any = (0.0, 0.0, 0.0),
    restitution: Any = 0.0,
) -> None:
    """Two bodies that may touch, without friction: a rigid contact that pushes and never pulls.

    pair: what its condition is while they touch, and what is positive while they don't: `mbs.OnPlane` (b's point on
    the side of a's plane to which the normal points), `mbs.Distance` (b's point no nearer to a's than that),
    `mbs.Rolling` (a wheel or ball on a plane), `mbs.OnCurve` and `mbs.CurveOnCurve` (outside of the curve).
    restitution: 0 to 1, what is left of their speed after an impact; where several contacts strike at one instant the
    least of theirs counts.

    Raises ModelError for a name that is taken, an unknown body, a pair that is no single condition on positions.
    """
    new_name(model, name, "loop")
    thing = f"contact {name!r}"
    a_side, b_side = sides(model, a, b, at_a, at_b, thing)
    found = checked_pair(pair, thing)
    found.touching(0, thing)
    mode = known_mode(model, OneSided(checked_restitution(restitution, thing)), thing)
    add_closure(model, PairClosure(name, a_side, b_side, found, mode=mode))
