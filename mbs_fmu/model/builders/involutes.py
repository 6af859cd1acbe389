"""Wheels with involute teeth whose centres may move: their axes and centres in the zero position of all joints."""

from __future__ import annotations

import numpy as np

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, is_literal
from ...symbolic.vectors import ORIGIN
from ..data import ModelData
from ..forces.characteristics import Ends
from ..forces.involutes import InvoluteMesh, InvoluteWheel
from ..geometry.axes import PARALLEL
from ..geometry.vectors import Vector
from ..items import WORLD, body_label
from .teeth import Teeth, check_radii, pitch_share
from .wheels import FramePose, between, centre_on, hinge_parent, pose_in, require_constant_rotation, value


def involute_mesh(
    model: ModelData, name: str, ends: tuple[str, str], teeth: Teeth, carrier: str | None, law: Ends, error: Expression
) -> InvoluteMesh | None:
    """Return the mesh of two wheels, or None if their axes are not parallel.

    carrier: the body whose axis is that of a wheel without a turn of its own; None: the parent of the other wheel.
    Raises ModelError for a wheel without an axis, a carrier that no wheel needs, and radii that contradict the axes.
    """
    assert teeth.flanks is not None and law.upper is not None
    thing = f"gear {name!r}"
    lines = _lines(model, ends, carrier, thing)
    second = _relative(model, ends[0], ends[1], thing)
    axis = lines[0][1]
    if np.linalg.norm(np.cross(axis, second.rotation @ lines[1][1])) > PARALLEL:
        return None
    apart = second.of(lines[1][0]) - lines[0][0]
    own = [_turn(model, end) is not None for end in ends]
    aside = apart - Vector(axis.tolist()) * apart.dot(axis.tolist())
    share, distance = pitch_share(model, aside, teeth.counts, thing), aside.norm()
    check_radii(teeth.radii, (share * value(model, distance), (1.0 - share) * value(model, distance)), thing)
    middle = 0.5 if all(own) else float(own[1])  # in the plane of the wheel that has an axis of its own
    centre, first = lines[0][0] + (apart - aside) * middle, aside / distance
    columns = first, Vector(axis.tolist()).cross(first), Vector(axis.tolist())
    there = second.inverse
    wheels = (
        InvoluteWheel(ends[0], teeth.counts[0], centre, _array(columns)),
        InvoluteWheel(
            ends[1], teeth.counts[1], there.of(centre + aside), _array([there.of(x) - there.at for x in columns])
        ),
    )
    flanks = teeth.flanks
    slope = flanks.base_slope * float(np.sign(teeth.counts[0]))
    backlash = 2.0 * law.upper * float(np.cos(flanks.pressure_angle))
    return InvoluteMesh(
        name, wheels, distance, flanks.pressure_angle, slope, law.stiffness, law.damping, backlash, error
    )


def _lines(
    model: ModelData, ends: tuple[str, str], carrier: str | None, thing: str
) -> list[tuple[Vector, np.ndarray]]:  # fmt: skip
    """Return a point (m) and the direction of each wheel's axis, in body axes, in the zero position of all joints."""
    owners = [_turn(model, end) for end in ends]
    if carrier is not None and None not in owners:
        raise ModelError(f"{thing}: both wheels turn about axes of their own, carrier= has no effect: leave it out")
    lines = []
    for k, (end, owner) in enumerate(zip(ends, owners, strict=True)):
        if owner is None:
            other = ends[1 - k]
            default = other if other == WORLD else hinge_parent(model, other)
            owner = _turn(model, default if carrier is None else carrier)
        if owner is None:
            raise ModelError(
                f"{thing}: {body_label(end)} does not turn about the axis of the wheel: give a joint with one turn, "
                'such as mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")), or as carrier= a body that turns '
                "about this axis"
            )
        name, axis = owner
        pose = _relative(model, end, name, thing)
        along = pose.rotation @ axis
        own = owners[k] is not None
        lines.append((centre_on(model, pose.at, along, ORIGIN, end, thing) if own else pose.at, along))
    return lines


def _turn(model: ModelData, body: str) -> tuple[str, np.ndarray] | None:
    """Return the body whose joint turns a wheel, and its last axis, in its axes; None without a single turn."""
    while body != WORLD:
        for motion in reversed(model.bodies[body].joint.motions):
            freedoms = motion.degrees_of_freedom or ()
            if len(freedoms) != 1:
                return None
            if freedoms[0].angular:
                return body, np.array(freedoms[0].axis)
        body = model.bodies[body].parent
    return None


def _relative(model: ModelData, frame: str, body: str, thing: str) -> FramePose:
    """Return the pose of a body in the frame of another one, with all joints between them at zero."""
    shared = between(model, frame, body)[1][-1]
    pose = pose_in(model, frame, shared).inverse.then(pose_in(model, body, shared))
    require_constant_rotation(pose, frame, body, thing)
    return pose


def _array(columns: tuple[Vector, ...] | list[Vector]) -> np.ndarray:
    """Return the rotation with these columns: of numbers, or of expressions of parameters."""
    rows = [[x.value if is_literal(x) else x for x in row] for row in zip(*columns, strict=True)]
    return np.array(rows)
