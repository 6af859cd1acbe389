"""What closes loops, as told: joints that the tree leaves out, rods, lines, planes, equations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..record.messages import shown
from ..symbolic.expressions import is_literal
from ..symbolic.graph import leaves
from .joints import Axis, Joint, unit_axis
from .motions.check import check
from .references import FrameNumber, JointNumber, Signal
from .vectors import Vector, number

MOST_EQUATIONS = 60  #: that are eliminated together: one bit of an integer each


@dataclass(frozen=True)
class Distance:
    """A massless rod between two points: their distance is `length` (m), which may depend on time and parameters."""

    length: Any


@dataclass(frozen=True)
class OnLine:
    """The point of b moves along a line fixed in a, through a's point and along `axis` of the frame there."""

    axis: Axis = "x"

    def __post_init__(self) -> None:
        unit_axis(self.axis)


@dataclass(frozen=True)
class OnPlane:
    """The point of b moves in a plane fixed in a, through a's point and normal to `normal` of the frame there."""

    normal: Axis = "z"

    def __post_init__(self) -> None:
        unit_axis(self.normal)


LoopJoint = Joint | Distance | OnLine | OnPlane


@dataclass(frozen=True, eq=False)
class JointClosure:
    """A joint from a to b that the tree does not have. Rotations map the joint's frame to the body's axes."""

    name: str
    a: str
    b: str
    joint: LoopJoint
    at_a: Vector
    rotation_a: np.ndarray
    at_b: Vector
    rotation_b: np.ndarray


@dataclass(frozen=True, eq=False)
class Equations:
    """Expressions of coordinates, positions, orientations, parameters and time that stay zero."""

    name: str
    expressions: Vector


Closure = JointClosure | Equations


@dataclass(frozen=True)
class Stabilization:
    """How a closed loop is kept closed.

    alpha: rate at which an open residual decays, 1/s; None: 1/s, but at most 0.1 over the step size (in model
    exchange 10/s). projection: project after steps that leave a residual above a hundredth of the absolute
    tolerance. rebasing: begin each step with the momenta themselves and no accumulated impulse. bound: a step fails
    when the largest residual (m, rad) passes it; None: a hundredth of the mechanism's size.
    """

    alpha: float | None = None
    projection: bool = True
    rebasing: bool = True
    bound: float | None = None


def checked_loop_joint(joint: Any, thing: str) -> LoopJoint:
    """The joint of a loop, or ModelError."""
    if isinstance(joint, Distance):
        length = number(joint.length, f"length of {thing}", "m")
        for reference in leaves([length]):
            _check_condition(reference, thing)
        if is_literal(length) and length.value <= 0.0:
            raise ModelError(
                f"length of {thing} is {length.value!r}: it must be positive (for none, close with a ball)"
            )
        return Distance(length)
    if isinstance(joint, (OnLine, OnPlane)):
        return joint
    if not isinstance(joint, Joint):
        raise ModelError(
            f"{thing}: joint must be a joint such as mbs.Revolute('z'), or mbs.Distance, OnLine, OnPlane, not "
            f"{shown(joint)}"
        )
    for motion in joint.motions:
        if motion.freedoms is None:
            raise ModelError(f"{thing}: a {motion.name} joint can't close a loop: hang a body on it, cut another joint")
        if len(motion.freedoms) == 6:
            raise ModelError(f"{thing}: a {motion.name} joint closes nothing: leave it out")
        check(motion)
    return joint


def checked_equations(value: Any, thing: str) -> Vector:
    """One expression or several, none of them a number."""
    items = Vector([number(x, thing) for x in (value if isinstance(value, (list, tuple)) else [value])])
    if not items:
        raise ModelError(f"{thing} has no equation: give an expression that stays zero, or a list of them")
    if len(items) > MOST_EQUATIONS:
        raise ModelError(f"{thing} has {len(items)} equations: give at most {MOST_EQUATIONS} to each m.constrain")
    for expression in items:
        if is_literal(expression):
            raise ModelError(
                f"{thing}: {expression!r} is a number: give an expression that stays zero (for a = b, a - b)"
            )
    for reference in leaves(items):
        _check_condition(reference, thing)
    return items


def _check_condition(reference: object, thing: str) -> None:
    """ModelError for what the conditions of a loop can't depend on."""
    if isinstance(reference, FrameNumber) and reference.quantity == "twist":
        raise ModelError(f"{thing} depends on a velocity of body {reference.body!r}: give positions only")
    coordinate = isinstance(reference, JointNumber) and reference.quantity == "coordinate"
    place = isinstance(reference, FrameNumber) or coordinate
    if not place and not (isinstance(reference, Signal) and reference.role in ("parameter", "time")):
        raise ModelError(
            f"{thing} depends on {reference}: its conditions may depend on coordinates, positions, orientations, "
            "parameters and time only"
        )
