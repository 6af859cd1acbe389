"""Drives: prescribed motion of joint coordinates, by position and rate; accelerations are never needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ..infrastructure.arguments import is_whole
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..symbolic.expressions import Expression, is_literal, sqrt
from ..symbolic.graph import derivative, evaluate, leaves, only
from .geometry.vectors import Vector, is_list, numbers
from .items import Body, Parameter, Start
from .joints import Joint
from .on_bodies import OnBodies
from .references.leaves import Signal
from .references.naming import A_NAME

TRIALS = 7  #: instants at which a stated rate is compared with the derivative of the position
ROLES = ("time", "parameter", "input", "state")  #: roles of signals on which a drive may depend


@dataclass(frozen=True, eq=False)
class Drive:
    """Prescribed motion of some coordinates of a body's joint.

    coordinates, rates: indices of coordinates and velocities in the joint, from 0. position, rate: one expression for
    each.
    """

    name: str = field(metadata=A_NAME)
    body: str = field(metadata=A_NAME)
    coordinates: range
    rates: range
    position: Vector
    rate: Vector

    def check_laws(self, bodies: Mapping[str, Body], parameters: Mapping[str, Parameter]) -> None:
        """Raise ModelError if the drive depends on quantities that it must not depend on, or if its rate, as a function
        of time, is not the derivative of its position."""
        thing = f"drive {self.name!r}"
        for reference in leaves([*self.position, *self.rate]):
            if isinstance(reference, Signal) and reference.role == "parameter" and reference.name not in parameters:
                raise ModelError(f"{thing} depends on {reference}, which this model does not have: define it first")
        position_in_time = _is_function_of_time(self.position, thing)
        if _is_function_of_time(self.rate, thing) and position_in_time:
            _check_rate(parameters, self.rate, _rate_of(bodies[self.body], self.coordinates, self.position), thing)


@dataclass(frozen=True, eq=False)
class CarriedDrive(Drive):
    """Drive of a follower of a driven joint, whose force the drive of the leader applies too, through the ratio."""

    leader: str = field(metadata=A_NAME)
    ratio: Expression


def driven_coordinates(drives: OnBodies[Drive], body: str) -> set[int]:
    """Return the indices, from 0, of the coordinates of a body's joint that drives prescribe."""
    return {k for drive in drives.on(body) for k in drive.coordinates}


def check_start(drive: Drive, joint: Joint, start: Start) -> None:
    """Raise ModelError for a start value that the drive would override.

    If the drive prescribes only some coordinates of the joint, the start values of these may be their rest values.
    """
    for values, what, driven, rest in (
        (start.q, "q", drive.coordinates, joint.rest),
        (start.u, "u", drive.rates, [0.0] * len(joint.rates)),
    ):
        if values is None:
            continue
        if len(driven) == len(rest):
            raise ModelError(
                f"start {what} of body {drive.body!r} would be ignored, since drive {drive.name!r} prescribes its "
                "motion: leave it out"
            )
        for k in driven:
            if values[k] != rest[k]:
                raise ModelError(
                    f"start {what} of body {drive.body!r}: number {k + 1} would be ignored, since drive {drive.name!r} "
                    f"prescribes it: give {rest[k]:g} there"
                )


def checked_drive(
    name: str,
    body: Body,
    coordinate: int | None,
    position: Any,
    rate: Any,
    drives: OnBodies[Drive],
    parameters: Mapping[str, Parameter],
) -> Drive:
    """Return the checked drive of `Model.drive`; drives and parameters are those that the model has already.

    `check_start` checks the start values of the body. Raises ModelError for coordinates that do not exist or have a
    drive, for wrong dimensions, and for a position or rate that is not allowed.
    """
    thing = f"drive {name!r}"
    coordinates, rates = _driven_range(body, coordinate, thing)
    taken = driven_coordinates(drives, body.name) & set(coordinates)
    if taken:
        raise ModelError(f"{thing}: coordinate {min(taken) + 1} of body {body.name!r} has a drive already: keep one")
    if position is None:
        integral = "" if rate is None else ', the integral of its rate: position=m.state("angle", rate=...)'
        raise ModelError(f"{thing} has no position: give position=, an expression of time or other signals{integral}")
    units = [body.joint.coordinates[k][1] for k in coordinates]
    path = _unit_quaternions(body, _vector(position, units, f"position of {thing}"), thing)
    in_time = _is_function_of_time(path, thing)
    if rate is None:
        if not in_time:
            raise ModelError(f"{thing}: its position depends on inputs or states, so it needs a rate too: pass rate=")
        return Drive(name, body.name, coordinates, rates, path, _rate_of(body, coordinates, path))
    speed = _vector(rate, [body.joint.rates[k][1] for k in rates], f"rate of {thing}")
    drive = Drive(name, body.name, coordinates, rates, path, speed)
    drive.check_laws({body.name: body}, parameters)
    return drive


def _unit_quaternions(body: Body, position: Vector, thing: str) -> Vector:
    """Return the position with its quaternions, if any, normalised."""
    components = list(position)
    for k in body.joint.quaternions if len(position) == len(body.joint.coordinates) else ():
        quaternion = Vector(components[k : k + 4])
        square = quaternion.dot(quaternion)
        if is_literal(square) and not square.value > 1e-12:
            raise ModelError(f"{thing}: its quaternion is zero: give (1, 0, 0, 0) for no rotation")
        components[k : k + 4] = quaternion if is_literal(square, 1.0) else quaternion / sqrt(square)
    return Vector(components)


def _vector(value: Any, units: list[str], thing: str) -> Vector:
    return numbers(value if is_list(value) else [value], len(units), thing, units)


def _driven_range(body: Body, coordinate: int | None, thing: str) -> tuple[range, range]:
    """Return the indices of the coordinates and velocities that a drive prescribes.

    These are all of the joint, or a single one of a joint that consists of rotations and translations.
    """
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
            f"{thing}: single coordinates of a ball, free, constant-velocity or custom joint can't be driven: leave "
            "out coordinate= and prescribe all of them, or use a joint of rotations and translations"
        )
    return range(coordinate - 1, coordinate), range(coordinate - 1, coordinate)


def _is_function_of_time(expressions: Vector, thing: str) -> bool:
    """True if expressions depend on time and parameters only. Raises ModelError for other roles than `ROLES`."""
    roles = set()
    for reference in leaves(expressions):
        if not isinstance(reference, Signal) or reference.role not in ROLES:
            raise ModelError(
                f"{thing} depends on {reference}: a prescribed motion may depend on time, parameters, inputs and "
                "states only"
            )
        roles.add(reference.role)
    return roles <= {"time", "parameter"}


def _time_derivative(expressions: Sequence[Expression]) -> Vector:
    """Return derivatives with respect to time."""
    return Vector(derivative(expressions, only(Signal("time", "time"))))


def _rate_of(body: Body, coordinates: range, position: Vector) -> Vector:
    """Return the joint velocities of a motion in time; for a quaternion, the angular velocity in body axes."""
    speed = _time_derivative(position)
    if len(coordinates) == 1 or body.joint.scalar:
        return speed
    velocities: list[Expression] = []
    first = 0
    for motion in body.joint.motions:
        last = first + len(motion.units)
        velocities.extend(motion.velocities(Vector(position[first:last]), Vector(speed[first:last])))
        first = last
    return Vector(velocities)


def _check_rate(parameters: Mapping[str, Parameter], stated: Vector, derived: Vector, thing: str) -> None:
    """Raise ModelError if a stated rate differs from the derivative of the position."""
    for trial in range(TRIALS):

        def value(reference: Any, trial: int = trial) -> float:
            return 0.37 * trial if reference.role == "time" else parameters[reference.name].value

        for k, (a, b) in enumerate(zip(stated, derived, strict=True)):
            try:
                rate, expected = evaluate(a, value), evaluate(b, value)
            except (ValueError, ZeroDivisionError, OverflowError):
                continue  # outside the formulas' domain
            if not math.isclose(rate, expected, rel_tol=1e-6, abs_tol=1e-9):
                raise ModelError(
                    f"{thing}: rate {k + 1} is {rate:.9g} at t = {0.37 * trial:g} s, but the position changes with "
                    f"{expected:.9g}: leave rate= out, it follows from a position in time"
                )
