"""Measures for outputs and laws: expressions, or vectors of them.

A body is passed as a `Body` or by its name; "world" is accepted wherever a frame at rest makes sense. All functions
raise ModelError for arguments of the wrong type; the model checks names when it uses the measure.
"""

from __future__ import annotations

from ...infrastructure.arguments import is_whole, truth
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Components
from ...symbolic.expressions import Expression, as_expression, leaf, max, sqrt, where
from ..geometry.poses import Placement, Pose, placed
from ..geometry.vectors import Vector, numbers
from ..items import WORLD, Body, BodyOrName, body_label
from ..references.leaves import (
    BodyTotal,
    DriveForce,
    FrameNumber,
    ImpulseNumber,
    JointNumber,
    MechanicalEnergy,
    ModeNumber,
    Multiplier,
    ReactionNumber,
    Residual,
    Signal,
    Total,
    TwistRate,
)

#: Time in s, as an expression.
time = leaf(Signal("time", "time"))


def coordinate(body: BodyOrName, index: int | None = None) -> Expression:
    """Return a joint coordinate of a body (rad or m); index: from 1, required if the joint has several.

    Raises ModelError for the world and for an invalid index; the model that uses it checks names.
    """
    return leaf(_joint_number("coordinate", body, index))


def rate(body: BodyOrName, index: int | None = None) -> Expression:
    """Return a joint velocity of a body (rad/s or m/s); index and errors are those of `coordinate`."""
    return leaf(_joint_number("rate", body, index))


def signal(name: str) -> Expression:
    """Return a signal of the model, in SI units, by its name: a parameter, input, state, sampled signal or output.

    The signal may be defined later, so signals can depend on each other and on outputs of a submodel. One component of
    a vector has a name such as "x[2]". Raises ModelError for anything but a text.
    """
    if not isinstance(name, str):
        raise ModelError(f"{display(name)} is not the name of a signal: give a text")
    return leaf(Signal("signal", name))


def _joint_number(quantity: str, body: BodyOrName, index: int | None) -> JointNumber:
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"{quantity} {display(index)} of {body_label(_name(body))}: give a number from 1 on")
    return JointNumber(quantity, _moving(body, quantity), -1 if index is None else index - 1, body)


def _name(body: BodyOrName) -> str:
    name = body.name if isinstance(body, Body) else body
    if not isinstance(name, str):
        raise ModelError(f"{display(body)} is neither a body nor the name of one")
    return name


def _moving(body: BodyOrName, what: str) -> str:
    if _name(body) == WORLD:
        raise ModelError(f"{WORLD!r} has no {what}, it does not move: give a body")
    return _name(body)


def _frame(body: BodyOrName, quantity: str, count: int, start: int = 0) -> Vector:
    """Return `count` components, from `start` on, of a quantity of a body's frame."""
    if _name(body) == WORLD:
        return Vector((1.0 if quantity == "rotation" and k % 4 == 0 else 0.0) for k in range(start, start + count))
    return Vector(leaf(FrameNumber(quantity, _name(body), start + k, body)) for k in range(count))


def to_world(body: BodyOrName, vector: Vector) -> Vector:
    """Return a vector with components in body axes in world axes."""
    R = rotation(body)
    return Vector(Vector(R[3 * i : 3 * i + 3]).dot(vector) for i in range(3))


def position(body: BodyOrName, point: Components = (0.0, 0.0, 0.0)) -> Vector:
    """Return the world position (m) of a point of a body; point: m, body axes, from the body's origin (its joint).

    Raises ModelError for an argument of the wrong type; the model that uses it checks names.
    """
    p = numbers(point, 3, f"point on {body_label(_name(body))}", "m")
    return _frame(body, "origin", 3) + to_world(body, p)


def velocity(body: BodyOrName, point: Components = (0.0, 0.0, 0.0)) -> Vector:
    """Return the velocity (m/s, world axes) of a point (m, body axes) of a body; errors are those of `position`."""
    p = numbers(point, 3, f"point on {body_label(_name(body))}", "m")
    v, w = _frame(body, "twist", 3), _frame(body, "twist", 3, 3)
    return to_world(body, v + w.cross(p))


def angular_velocity(body: BodyOrName) -> Vector:
    """Return the angular velocity (rad/s, world axes) of a body. Raises ModelError as `position` does."""
    return to_world(body, _frame(body, "twist", 3, 3))


def rotation(body: BodyOrName) -> Vector:
    """Return the rotation matrix from body to world axes, row by row."""
    return _frame(body, "rotation", 9)


def orientation(body: BodyOrName) -> Vector:
    """Return the unit quaternion, w first and not negative, that maps body to world coordinates.

    Raises ModelError as `position` does.
    """
    return quaternion_of(rotation(body))


@add_clear_errors
@dataclass(frozen=True)
class Wrench:
    """Force `f` (N) and torque `t` (N.m), both in world axes."""

    f: Vector
    t: Vector


def pose(body: BodyOrName, point: Components = (0.0, 0.0, 0.0)) -> Pose:
    """Return `position` of a point and `orientation` of its body.

    An output of the pose becomes name.position and name.orientation. Raises ModelError as `position` does.
    """
    return Pose(position(body, point), orientation(body))


@dataclass(frozen=True)
class Twist:
    """Velocity `v` (m/s) and angular velocity `w` (rad/s)."""

    v: Vector
    w: Vector


def twist(body: BodyOrName, point: Components = (0.0, 0.0, 0.0)) -> Twist:
    """Return `velocity` of a point and `angular_velocity` of its body, both in world axes.

    An output of the twist becomes name.v and name.w. Raises ModelError as `position` does.
    """
    return Twist(velocity(body, point), angular_velocity(body))


# -- relative measures -----------------------------------------------------------------------------------
def relative_position(
    a: BodyOrName, b: BodyOrName, at_a: Placement = (0.0, 0.0, 0.0), at_b: Placement = (0.0, 0.0, 0.0)
) -> Vector:
    """Return the vector from the frame on a to the frame on b (m, axes of the frame on a).

    at_a, at_b: frames on the bodies, positions (m, body axes) or `Pose`s. Raises ModelError for an argument of the
    wrong type; the model that uses it checks names.
    """
    (axes, origin), (_, there) = _place(a, at_a), _place(b, at_b)
    return _along(axes, position(b, there) - position(a, origin))


def relative_orientation(
    a: BodyOrName, b: BodyOrName, at_a: Placement = (0.0, 0.0, 0.0), at_b: Placement = (0.0, 0.0, 0.0)
) -> Vector:
    """Return the unit quaternion, w first and not negative, that maps coordinates from the frame on b to that on a.

    at_a, at_b, errors: see `relative_position`, which raises the same.
    """
    (A, _), (B, _) = _place(a, at_a), _place(b, at_b)
    return quaternion_of(Vector(x.dot(y) for x in A for y in B))


def relative_velocity(
    a: BodyOrName, b: BodyOrName, at_a: Placement = (0.0, 0.0, 0.0), at_b: Placement = (0.0, 0.0, 0.0)
) -> Vector:
    """Return the time derivative of `relative_position` (m/s): the velocity of b's frame in a's moving frame.

    Raises ModelError as `relative_position` does.
    """
    (axes, origin), (_, there) = _place(a, at_a), _place(b, at_b)
    apart = position(b, there) - position(a, origin)
    return _along(axes, velocity(b, there) - velocity(a, origin) - angular_velocity(a).cross(apart))


def relative_angular_velocity(a: BodyOrName, b: BodyOrName, at_a: Placement = (0.0, 0.0, 0.0)) -> Vector:
    """Return the angular velocity of b relative to a (rad/s, axes of the frame on a).

    Raises ModelError as `relative_position` does.
    """
    return _along(_place(a, at_a)[0], angular_velocity(b) - angular_velocity(a))


def _place(body: BodyOrName, at: Placement) -> tuple[list[Vector], Vector]:
    """Return the axes of a frame on a body, in world axes, and its position in body axes."""
    point, axes = placed(at, f"frame on {body_label(_name(body))}")
    return [to_world(body, Vector(column)) for column in axes.T], point


def _along(axes: list[Vector], vector: Vector) -> Vector:
    return Vector(axis.dot(vector) for axis in axes)


# -- momenta and centre of mass --------------------------------------------------------------------------
def momentum(body: BodyOrName | None = None) -> Vector:
    """Return the linear momentum (N.s, world axes) of a body; default: of all bodies that can move.

    Raises ModelError for the world and for an argument of the wrong type; the model that uses it checks names.
    """
    return _total("momentum", body)


def angular_momentum(body: BodyOrName | None = None, about: Components = (0.0, 0.0, 0.0)) -> Vector:
    """Return the angular momentum (N.m.s, world axes) of a body; default: of all bodies that can move.

    about: reference point (m, world axes), such as `center_of_mass()`; velocities are absolute in any case.
    Raises ModelError as `momentum` does.
    """
    return _total("angular", body) - numbers(about, 3, "about of the angular momentum", "m").cross(momentum(body))


def center_of_mass(body: BodyOrName | None = None) -> Vector:
    """Return the world position (m) of the centre of mass of a body, or of all that can move; errors: `momentum`."""
    if body is not None:
        return _total("center", body)
    return _total("moment", None) / leaf(Total("mass"))


def _total(quantity: str, body: BodyOrName | None) -> Vector:
    if body is None:
        return Vector(leaf(Total(quantity, k)) for k in range(3))
    name = _moving(body, "centre of mass" if quantity == "center" else "momentum")
    return Vector(leaf(BodyTotal(quantity, name, k, body)) for k in range(3))


def momenta_of(body: Body) -> tuple[Vector, Vector]:
    """Return momentum of a body and angular momentum about the world's origin; they define `BodyTotal`."""
    p = velocity(body, body.com) * body.mass
    w = _frame(body, "twist", 3, 3)
    spin = Vector(Vector(row).dot(w) for row in body.inertia)
    return p, position(body, body.com).cross(p) + to_world(body, spin)


# -- forces and energy -----------------------------------------------------------------------------------
def energy() -> Expression:
    """Return the mechanical energy (J): kinetic energy, potential of gravity, and energy stored in springs, bushings,
    limits, gears, ropes and compliant contacts, and in states with `energy=`, such as the oil of cylinders.

    The potential of uniform gravity is zero at the world's origin, that of point gravity at infinity. A spring stores
    the integral of its static force over the extension, at the current values of all other quantities. Forces are minus
    the gradient of this energy over all coordinates, positions and orientations in its law.
    """
    return leaf(MechanicalEnergy())


def residual() -> Expression:
    """Return the largest position residual (m or rad) of all closed loops."""
    return leaf(Residual())


def reaction(of: str | Body, mean: bool = False) -> Wrench:
    """Return the wrench that a joint transmits, in world axes, for outputs.

    of: a body, or the name of a loop. For a body, the wrench of the parent on the body through its joint, about the
    body's origin, including the forces of motors and springs along the joint. For a loop, the wrench of a on b through
    the closure, about b's point. mean: True for the mean over the last step (loops only), which costs nothing.

    Raises ModelError for the world and for an argument of the wrong type; the model that uses it checks the name.
    """
    owner = _moving(of, "joint")
    truth(mean, f"mean of the reaction of {display(of)}", ModelError)
    f, t = (Vector(leaf(ReactionNumber(owner, 3 * part + k, mean, of)) for k in range(3)) for part in range(2))
    return Wrench(f, t)


def multiplier(loop: str, index: int | None = None, mean: bool = False) -> Expression:
    """Return the multiplier of a constraint row of a loop (N or N.m); index: from 1, required if there are several.

    A condition g = 0 with the multiplier lambda exerts the generalized force lambda dg/dx: for a `Distance`, lambda is
    the force that pushes the ends apart, N. mean: True for the mean over the last step. Raises ModelError for an
    invalid index; the model that uses it checks the name.
    """
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"multiplier {display(index)} of loop {display(loop)}: give a number from 1 on")
    in_step = truth(mean, f"mean of the multiplier of loop {display(loop)}", ModelError)
    return leaf(Multiplier(_name(loop), -1 if index is None else index - 1, in_step))


def constraint_mode(name: str) -> Expression:
    """Return the constraint mode of a contact, a lock, a sticking friction or another closure with modes.

    0: engaged. -1: released. A slipping friction has -1 or 1, the sign of its force. Raises ModelError for anything but
    a text; the model that uses it checks the name.
    """
    return leaf(ModeNumber(_name(name)))


def impulse(name: str, index: int | None = None) -> Expression:
    """Return the impulse (N.s or N.m.s) of a closure with modes at the last change of modes.

    For a contact this is the impulse of its last impact. index: constraint row of the closure, from 1, required if
    there are several. Raises ModelError for an invalid index; the model that uses it checks the name.
    """
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"impulse {display(index)} of {display(name)}: give a number from 1 on")
    return leaf(ImpulseNumber(_name(name), -1 if index is None else index - 1))


def drive_force(drive: str, index: int | None = None, mean: bool = False) -> Expression:
    """Return the force of a drive along its coordinate, N or N.m; index: from 1, required if it has several rates.

    If the motion is a function of time, the force is available at every instant. If it follows inputs, only the mean
    over the last step (mean=True) is available, from the balance of impulses. Raises ModelError for an invalid index;
    the model that uses it checks the name.
    """
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"drive force {display(index)} of {display(drive)}: give a number from 1 on")
    in_step = truth(mean, f"mean of the force of drive {display(drive)}", ModelError)
    return leaf(DriveForce(_name(drive), -1 if index is None else index - 1, in_step))


def acceleration(body: BodyOrName, point: Components = (0.0, 0.0, 0.0)) -> Vector:
    """Return the acceleration (m/s², world axes) of a point (m, body axes) of a body, for outputs.

    Raises ModelError as `position` does.
    """
    p = numbers(point, 3, f"point on {body_label(_name(body))}", "m")
    v, w = _frame(body, "twist", 3), _frame(body, "twist", 3, 3)
    v_rate, w_rate = _twist_rate(body)
    return to_world(body, v_rate + w.cross(v) + w_rate.cross(p) + w.cross(w.cross(p)))


def angular_acceleration(body: BodyOrName) -> Vector:
    """Return the angular acceleration (rad/s², world axes) of a body. Raises ModelError as `position` does."""
    return to_world(body, _twist_rate(body)[1])


def _twist_rate(body: BodyOrName) -> tuple[Vector, Vector]:
    if _name(body) == WORLD:
        return Vector((0.0, 0.0, 0.0)), Vector((0.0, 0.0, 0.0))
    v, w = (Vector(leaf(TwistRate(_name(body), 3 * part + k, body)) for k in range(3)) for part in range(2))
    return v, w


def quaternion_of(R: Vector) -> Vector:
    """Return the quaternion (w first, w >= 0) of a rotation matrix, passed row by row; computed from its largest
    component."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R
    squares = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    products = (  # four times q_i q_j, by rows i
        (squares[0], zy - yz, xz - zx, yx - xy),
        (zy - yz, squares[1], yx + xy, xz + zx),
        (xz - zx, yx + xy, squares[2], zy + yz),
        (yx - xy, xz + zx, zy + yz, squares[3]),
    )
    row, best = list(products[0]), squares[0]
    for i in (1, 2, 3):
        larger = best < squares[i]
        row = [where(larger, products[i][k], row[k]) for k in range(4)]
        best = max(best, squares[i])
    scale = where(row[0] < 0.0, as_expression(-0.5), as_expression(0.5)) / sqrt(best)
    return Vector(x * scale for x in row)


__all__ = [
    "acceleration", "angular_acceleration", "angular_momentum", "angular_velocity", "center_of_mass",
    "constraint_mode", "coordinate", "drive_force", "energy", "impulse", "momentum",
    "multiplier", "orientation", "pose", "position", "rate", "reaction",
    "relative_angular_velocity", "relative_orientation", "relative_position", "relative_velocity", "residual",
    "signal", "time", "twist", "velocity",
]  # fmt: skip
