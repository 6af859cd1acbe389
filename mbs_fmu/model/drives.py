"""Drives: joint coordinates whose motion is given, by position and rate, never by acceleration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ..arguments import is_whole
from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from ..symbolic.expressions import ZERO, Expression, as_expression, is_literal, sqrt
from ..symbolic.graph import derivative, evaluate, leaves
from .geometry.vectors import Vector, is_list, numbers
from .items import Body, Parameter, Start
from .joints import Joint
from .references.leaves import Signal
from .references.naming import A_NAME

TRIED = 7  #: instants at which a given rate is compared with its position's
ROLES = ("time", "parameter", "input", "state")  #: of the signals that a drive may depend on


@dataclass(frozen=True, eq=False)
class Drive:
    """The given motion of some coordinates of a body's joint.

    coordinates, rates: their numbers in the joint, from 0. position, rate: an expression for each.
    """

    name: str = field(metadata=A_NAME)
    body: str = field(metadata=A_NAME)
    coordinates: range
    rates: range
    position: Vector
    rate: Vector

    def check_laws(self, bodies: Mapping[str, Body], parameters: Mapping[str, Parameter]) -> None:
        """ModelError for what a drive can't depend on, and for rates in time that are not those of the position."""
        thing = f"drive {self.name!r}"
        timed = _timed(self.position, thing)
        if _timed(self.rate, thing) and timed:
            _compare(parameters, self.rate, _rate_of(bodies[self.body], self.coordinates, self.position), thing)


def driven_coordinates(drives: Mapping[str, Drive], body: str) -> set[int]:
    """Which coordinates of a body's joint, from 0, some of the drives gives."""
    return {k for drive in drives.values() if drive.body == body for k in drive.coordinates}


def check_start(drive: Drive, joint: Joint, start: Start) -> None:
    """ModelError where a start value is given, other than the rest of a joint driven in part, that would be ignored."""
    for told, what, places, rest in (
        (start.q, "q", drive.coordinates, joint.rest),
        (start.u, "u", drive.rates, [0.0] * len(joint.rates)),
    ):
        if told is None:
            continue
        if len(places) == len(rest):
            raise ModelError(
                f"start {what} of body {drive.body!r} would be ignored, drive {drive.name!r} gives its motion: "
                "leave it out"
            )
        for k in places:
            if told[k] != rest[k]:
                raise ModelError(
                    f"start {what} of body {drive.body!r}: number {k + 1} would be ignored, drive {drive.name!r} gives "
                    f"it: say {rest[k]:g} there"
                )


def checked_drive(
    name: str,
    body: Body,
    coordinate: int | None,
    position: Any,
    rate: Any,
    drives: Mapping[str, Drive],
    parameters: Mapping[str, Parameter],
) -> Drive:
    """The drive of `Model.drive`, checked beside the drives and parameters there are; ModelError for what can't be.

    Start values of the body are left to `check_start`.
    """
    thing = f"drive {name!r}"
    coordinates, rates = _driven_range(body, coordinate, thing)
    taken = driven_coordinates(drives, body.name) & set(coordinates)
    if taken:
        raise ModelError(f"{thing}: coordinate {min(taken) + 1} of body {body.name!r} has a drive already: keep one")
    units = [body.joint.coordinates[k][1] for k in coordinates]
    where = _unit_quaternions(body, _vector(position, units, f"position of {thing}"), thing)
    timed = _timed(where, thing)
    if rate is None:
        if not timed:
            raise ModelError(
                f"{thing}: its position depends on inputs or states, so its rate must be given too: pass rate="
            )
        return Drive(name, body.name, coordinates, rates, where, _rate_of(body, coordinates, where))
    speed = _vector(rate, [body.joint.rates[k][1] for k in rates], f"rate of {thing}")
    drive = Drive(name, body.name, coordinates, rates, where, speed)
    drive.check_laws({body.name: body}, parameters)
    return drive


def _unit_quaternions(body: Body, position: Vector, thing: str) -> Vector:
    """The position with its quaternions, if it has any, made of length one."""
    out = list(position)
    for k in body.joint.quaternions if len(position) == len(body.joint.coordinates) else ():
        quaternion = Vector(out[k : k + 4])
        square = quaternion.dot(quaternion)
        if is_literal(square) and not square.value > 1e-12:
            raise ModelError(f"{thing}: its quaternion has no direction: give (1, 0, 0, 0) for none")
        out[k : k + 4] = quaternion if is_literal(square, 1.0) else quaternion / sqrt(square)
    return Vector(out)


def _vector(value: Any, units: list[str], thing: str) -> Vector:
    return numbers(value if is_list(value) else [value], len(units), thing, units)


def _driven_range(body: Body, coordinate: int | None, thing: str) -> tuple[range, range]:
    """The coordinates and rates that a drive gives: all of the joint, or one of a joint of turns and slides."""
    joint = body.joint
    count = len(joint.coordinates)
    if count == 0:
        raise ModelError(f"{thing}: body {body.name!r} is welded, nothing moves in its joint")
    if coordinate is None:
        return range(count), range(len(joint.rates))
    if not is_whole(coordinate) or not 1 <= coordinate <= count:
        raise ModelError(
            f"{thing}: coordinate {display(coordinate)} of body {body.name!r} does not exist: use 1 to {count}"
        )
    if any(len(motion.units) > 1 for motion in joint.motions):
        raise ModelError(
            f"{thing}: single coordinates of a ball, free or custom joint can't be driven: leave out coordinate= and "
            "give all of them, or use a joint of turns and slides"
        )
    return range(coordinate - 1, coordinate), range(coordinate - 1, coordinate)


def _timed(expressions: Vector, thing: str) -> bool:
    """True if they depend on time and parameters only; ModelError for what a drive can't depend on."""
    roles = set()
    for reference in leaves(expressions):
        if not isinstance(reference, Signal) or reference.role not in ROLES:
            raise ModelError(
                f"{thing} depends on {reference}: a given motion may depend on time, parameters, inputs and states only"
            )
        roles.add(reference.role)
    return roles <= {"time", "parameter"}


def _in_time(expressions: Sequence[Expression]) -> Vector:
    """Derivatives with respect to time."""
    return Vector(derivative(expressions, lambda r: as_expression(1.0) if r == Signal("time", "time") else ZERO))


def _rate_of(body: Body, coordinates: range, position: Vector) -> Vector:
    """The joint velocities that belong to a motion in time; of quaternions the angular velocity in body axes."""
    speed = _in_time(position)
    if len(coordinates) == 1 or body.joint.scalar:
        return speed
    out: list[Expression] = []
    first = 0
    for motion in body.joint.motions:
        last = first + len(motion.units)
        out.extend(motion.velocities(Vector(position[first:last]), Vector(speed[first:last])))
        first = last
    return Vector(out)


def _compare(parameters: Mapping[str, Parameter], given: Vector, derived: Vector, thing: str) -> None:
    """ModelError where a given rate is not that of its position."""
    for trial in range(TRIED):

        def value(reference: Any, trial: int = trial) -> float:
            return 0.37 * trial if reference.role == "time" else parameters[reference.name].value

        for k, (a, b) in enumerate(zip(given, derived, strict=True)):
            try:
                one, two = evaluate(a, value), evaluate(b, value)
            except (ValueError, ZeroDivisionError, OverflowError):
                continue  # outside the formulas' domain
            if not math.isclose(one, two, rel_tol=1e-6, abs_tol=1e-9):
                raise ModelError(
                    f"{thing}: rate {k + 1} is {one:.9g} at t = {0.37 * trial:g} s, but the position changes with "
                    f"{two:.9g}: leave rate= out, it follows from a position in time"
                )
