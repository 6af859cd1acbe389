"""Wrenches of closures that do no work: they load the joints between the bodies on which they act, and nothing else."""

from __future__ import annotations

from ..symbolic.expressions import leaf
from ..symbolic.vectors import ORIGIN, Vector
from .data import ModelData
from .geometry.anchors import point_position
from .items import WORLD
from .references.leaves import Multiplier


def workless_load(model: ModelData, body: str) -> tuple[Vector, Vector]:
    """Return force and torque of all such wrenches on a body and the bodies beyond it, about the body's origin, in
    world axes: the joint bears it in addition to what moves the bodies. Both are literal zeros if there are none."""
    force, torque = ORIGIN, ORIGIN
    for name, loop in model.loops.items():
        for push in loop.workless(lambda k, name=name: leaf(Multiplier(name, k, False))).pushes:  # type: ignore[misc]
            if _is_beyond(model, push.body, body):
                arm = point_position(push.body, push.at) - point_position(body, ORIGIN)
                force, torque = force + push.force, torque + push.torque + arm.cross(push.force)
    return force, torque


def _is_beyond(model: ModelData, body: str, other: str) -> bool:
    """True if a body is the other one, or attached to it."""
    while body not in (other, WORLD):
        body = model.bodies[body].parent
    return body == other
