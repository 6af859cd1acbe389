"""The joint of a wheel's knuckle by measured curves of its pose (kinematics and compliance rigs, K&C)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.frozen_arrays import FrozenArray
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.suggestions import did_you_mean
from ..symbolic.expressions import ZERO, Expression, cos, sin
from ..symbolic.surfaces import curve
from ..symbolic.tables import table_data
from .geometry.vectors import is_list
from .joints import CustomJoint, Joint

Numbers = Sequence[float] | np.ndarray
OUTWARD = {"left": 1.0, "right": -1.0}  #: sign of outward along the car's y axis, which points to the left
LENGTHS, ANGLES = ("x", "y"), ("toe", "camber", "caster")
CURVES = (*LENGTHS, *ANGLES)
Pose = dict[str, tuple[FrozenArray, FrozenArray]]  #: points and values of the curves that are not zero


class KnuckleCurves(Joint):
    """Joint of a knuckle whose pose on the car follows curves over the wheel travel, as K&C rigs measure them.

    travel: n wheel travels, m, positive upward (bump), strictly increasing: the height of the wheel centre above that
    of the body's frame at `at=`, and the coordinate of the joint (`s`, or `q[1]` with a rack). Values at these travels,
    n each, or None for zero:

    x: displacement of the wheel centre forward, m. y: displacement outward from the car, m.
    toe: rad, positive toe-in, on both sides. camber: rad, positive if the top of the wheel leans outward.
    caster: rad, change of the caster angle, positive if the top of the knuckle leans rearward.

    The car's axes are those of ISO 8855: x forward, y to the left, z up. side: "left" or "right"; outward and toe-in
    depend on it, so that equal curves make a symmetric car. The axes of the knuckle are turned from those of the car
    by toe about z, then camber about the new x, then caster about the new y axis, which is the spin axis of a wheel
    on `mbs.Revolute("y")`. Curves are natural cubic splines (`mbs.curve`), straight beyond their ends.

    rack: curves over the travel of the steering rack, a mapping with "travel", m, and some of the curves above. The
    travel is positive outward, the second coordinate of the joint; prescribe it with `m.drive(name, on=body,
    coordinate=2, position=...)`, with opposite signs on both sides, or hold it by a spring, as a servo: otherwise the
    wheel steers freely. The rack moves the knuckle in the axes to which the wheel travel has moved it: at zero wheel
    travel the pose is that of the rack's curves, and of both it is one after the other. Subtract values at zero rack
    travel from the rack's curves if the curves over wheel travel contain them.

    The joint does no work: jacking forces and anti-dive follow from the slopes of the curves. Springs and dampers act
    along the wheel travel by `m.motor` or `m.spring`, whose length is the travel without force, negative for a spring
    that carries the car at zero travel; compliance is a bushing in series.

    Raises ModelError without curves, for an unknown side or curve, for numbers that are not finite, travels that do not
    increase, another number of values than of travels, and angles of 90 degrees or more.
    """

    def __init__(
        self,
        travel: Numbers,
        x: Numbers | None = None,
        y: Numbers | None = None,
        toe: Numbers | None = None,
        camber: Numbers | None = None,
        caster: Numbers | None = None,
        rack: Mapping[str, Numbers] | None = None,
        side: str = "left",
    ):
        if not isinstance(side, str) or side.lower() not in OUTWARD:
            raise ModelError(f'side of knuckle curves is {display(side)}: give "left" or "right"')
        given = {"x": x, "y": y, "toe": toe, "camber": camber, "caster": caster}
        pose = _pose(travel, given, "knuckle curves")
        outward = OUTWARD[side.lower()]
        motions = _joint(pose, outward, travels=True).motions
        if rack is not None:
            motions += _joint(_rack_pose(rack), outward, travels=False).motions
        super().__init__(motions)


def _rack_pose(rack: Any) -> Pose:
    """Return the curves over the rack's travel. Raises ModelError."""
    if not isinstance(rack, Mapping) or "travel" not in rack:
        raise ModelError(
            f'rack of knuckle curves is {display(rack)}: give a mapping such as {{"travel": [...], "toe": [...]}}'
        )
    unknown = [name for name in rack if name not in ("travel", *CURVES)]
    if unknown:
        remedy = did_you_mean(str(unknown[0]), CURVES)
        raise ModelError(f"rack of knuckle curves has no curve {display(unknown[0])}{remedy}: use {', '.join(CURVES)}")
    return _pose(rack["travel"], {name: rack.get(name) for name in CURVES}, "rack of knuckle curves")


def _pose(travel: Any, given: Mapping[str, Any], thing: str) -> Pose:
    """Return the curves that are given. Raises ModelError."""
    named = {name: values for name, values in given.items() if values is not None}
    if not named:
        raise ModelError(f"{thing} are without curves: give some of {', '.join(CURVES)}")
    for name, values in {"travel": travel, **named}.items():
        if not is_list(values):
            raise ModelError(f"{name} of {thing} is {display(values)}: give a list of numbers")
    pose = {name: table_data(travel, values, f"curve {name!r} of {thing}") for name, values in named.items()}
    for name in ANGLES:
        largest = max(map(abs, pose[name][1])) if name in pose else 0.0
        if largest >= 0.5 * math.pi:
            raise ModelError(f"{name} of {thing} reaches {largest:g} rad: give less than 90 degrees, in rad")
    return pose


def _joint(pose: Pose, outward: float, travels: bool) -> CustomJoint:
    """Return the joint of one coordinate whose pose these curves describe. travels: it moves upward by itself."""

    def at(name: str, q: Expression) -> Expression:
        return curve(q, *pose[name]) if name in pose else ZERO

    def position(q: Sequence[Expression], t: Expression) -> tuple[Any, ...]:
        return at("x", q[0]), outward * at("y", q[0]), q[0] if travels else ZERO

    def rotation(q: Sequence[Expression], t: Expression) -> list[list[Any]]:
        return _rows(-outward * at("toe", q[0]), -outward * at("camber", q[0]), -at("caster", q[0]))

    turns = any(name in pose for name in ANGLES)
    return CustomJoint(["m"], position, rotation if turns else None)


def _rows(z: Expression, x: Expression, y: Expression) -> list[list[Expression]]:
    """Return the rotation about z, then about the new x, then about the new y axis, rad."""
    (cz, sz), (cx, sx), (cy, sy) = ((cos(angle), sin(angle)) for angle in (z, x, y))
    return [
        [cz * cy - sz * sx * sy, -sz * cx, cz * sy + sz * sx * cy],
        [sz * cy + cz * sx * sy, cz * cx, sz * sy - cz * sx * cy],
        [-cx * sy, sx, cx * cy],
    ]
