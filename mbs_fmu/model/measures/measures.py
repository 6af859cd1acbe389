"""Measures for outputs and laws: expressions, or vectors of them."""

from __future__ import annotations

from typing import Any

from ...arguments import is_whole
from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...symbolic.expressions import Expression, as_expression, leaf, max, sqrt, where
from ..geometry.poses import Pose, placed
from ..geometry.vectors import Vector, numbers
from ..items import WORLD, Body, body_label
from ..references.leaves import (
    BodyTotal,
    DriveForce,
    ForceNumber,
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


def coordinate(body: str | Body, index: int | None = None) -> Expression:
    """The body's joint coordinate (rad or m); `index` from 1, required where the joint has several."""
    return leaf(_joint_number("coordinate", body, index))


def rate(body: str | Body, index: int | None = None) -> Expression:
    """The body's joint velocity (rad/s or m/s); `index` from 1, required where the joint has several."""
    return leaf(_joint_number("rate", body, index))


def signal(name: str) -> Expression:
    """A signal of the model by its name, in SI units: a parameter, input, state, sampled signal or output, which may
    also be defined later.

    Signals that depend on each other need it, and what is wired to the output of a model in the model; of a vector one
    number, such as "x[2]".
    """
    if not isinstance(name, str):
        raise ModelError(f"{display(name)} is not the name of a signal: give a text")
    return leaf(Signal("signal", name))


def _joint_number(quantity: str, body: str | Body, index: int | None) -> JointNumber:
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"{quantity} {display(index)} of {body_label(_name(body))}: give a number from 1 on")
    return JointNumber(quantity, _moving(body, quantity), -1 if index is None else index - 1, body)


def _name(body: str | Body) -> str:
    name = body.name if isinstance(body, Body) else body
    if not isinstance(name, str):
        raise ModelError(f"{display(body)} is neither a body nor the name of one")
    return name


def _moving(body: str | Body, what: str) -> str:
    if _name(body) == WORLD:
        raise ModelError(f"{WORLD!r} has no {what}, it does not move: give a body")
    return _name(body)


def _frame(body: str | Body, quantity: str, count: int, start: int = 0) -> Vector:
    if _name(body) == WORLD:
        return Vector((1.0 if quantity == "rotation" and k % 4 == 0 else 0.0) for k in range(start, start + count))
    return Vector(leaf(FrameNumber(quantity, _name(body), start + k, body)) for k in range(count))


def to_world(body: str | Body, vector: Vector) -> Vector:
    R = _frame(body, "rotation", 9)
    return Vector(Vector(R[3 * i : 3 * i + 3]).dot(vector) for i in range(3))


def position(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Vector:
    """World position (m) of a point given in body axes from the body's origin (its joint)."""
    p = numbers(point, 3, f"point on {body_label(_name(body))}", "m")
    return _frame(body, "origin", 3) + to_world(body, p)


def velocity(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Vector:
    """World velocity (m/s) of a point given in body axes, components in world axes."""
    p = numbers(point, 3, f"point on {body_label(_name(body))}", "m")
    v, w = _frame(body, "twist", 3), _frame(body, "twist", 3, 3)
    return to_world(body, v + w.cross(p))


def angular_velocity(body: str | Body) -> Vector:
    """Angular velocity (rad/s) against the world, in world axes."""
    return to_world(body, _frame(body, "twist", 3, 3))


def orientation(body: str | Body) -> Vector:
    """Unit quaternion, w first and not negative, that maps body to world coordinates."""
    return quaternion_of(_frame(body, "rotation", 9))


@dataclass(frozen=True)
class Wrench:
    """A force `f` (N) and a torque `t` (N.m), both in world axes."""

    f: Vector
    t: Vector


def pose(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Pose:
    """`position` of a point and `orientation` of its body; as an output it becomes name.position, name.orientation."""
    return Pose(position(body, point), orientation(body))


@dataclass(frozen=True)
class Twist:
    """A velocity `v` (m/s) and an angular velocity `w` (rad/s)."""

    v: Vector
    w: Vector


def twist(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Twist:
    """`velocity` of a point and `angular_velocity` of its body, both in world axes; as an output name.v and name.w."""
    return Twist(velocity(body, point), angular_velocity(body))


# -- of one frame against another ------------------------------------------------------------------------
def relative_position(a: str | Body, b: str | Body, at_a: Any = (0.0, 0.0, 0.0), at_b: Any = (0.0, 0.0, 0.0)) -> Vector:
    """Where b's place is, seen from a's (m, axes of a's place). at_a, at_b: positions in body axes, or `Pose`s."""
    (axes, origin), (_, there) = _place(a, at_a), _place(b, at_b)
    return _along(axes, position(b, there) - position(a, origin))


def relative_orientation(
    a: str | Body, b: str | Body, at_a: Any = (0.0, 0.0, 0.0), at_b: Any = (0.0, 0.0, 0.0)
) -> Vector:
    """Unit quaternion, w first and not negative, that maps coordinates in b's place to those in a's."""
    (A, _), (B, _) = _place(a, at_a), _place(b, at_b)
    return quaternion_of(Vector(x.dot(y) for x in A for y in B))


def relative_velocity(a: str | Body, b: str | Body, at_a: Any = (0.0, 0.0, 0.0), at_b: Any = (0.0, 0.0, 0.0)) -> Vector:
    """The rate of `relative_position` (m/s): the velocity of b's place for one who moves and turns with a."""
    (axes, origin), (_, there) = _place(a, at_a), _place(b, at_b)
    apart = position(b, there) - position(a, origin)
    return _along(axes, velocity(b, there) - velocity(a, origin) - angular_velocity(a).cross(apart))


def relative_angular_velocity(a: str | Body, b: str | Body, at_a: Any = (0.0, 0.0, 0.0)) -> Vector:
    """Angular velocity of b against a (rad/s, axes of a's place)."""
    return _along(_place(a, at_a)[0], angular_velocity(b) - angular_velocity(a))


def _place(body: str | Body, at: Any) -> tuple[list[Vector], Vector]:
    """The axes of a place on a body, in world axes, and its position in body axes."""
    point, axes = placed(at, f"place on {body_label(_name(body))}")
    return [to_world(body, Vector(column)) for column in axes.T], point


def _along(axes: list[Vector], vector: Vector) -> Vector:
    return Vector(axis.dot(vector) for axis in axes)


# -- of all bodies, or of one ----------------------------------------------------------------------------
def momentum(body: str | Body | None = None) -> Vector:
    """Linear momentum (N.s, world axes) of a body, or of all bodies that can move."""
    return _total("momentum", body)


def angular_momentum(body: str | Body | None = None, about: Any = (0.0, 0.0, 0.0)) -> Vector:
    """Angular momentum (N.m.s, world axes) of a body, or of all bodies that can move.

    about: a point in world axes, m, such as `center_of_mass()`; velocities are those against the world all the same.
    """
    return _total("angular", body) - numbers(about, 3, "about of the angular momentum", "m").cross(momentum(body))


def center_of_mass(body: str | Body | None = None) -> Vector:
    """World position (m) of the centre of mass of a body, or of all bodies that can move."""
    if body is not None:
        return _total("center", body)
    return _total("moment", None) / leaf(Total("mass"))


def _total(quantity: str, body: str | Body | None) -> Vector:
    if body is None:
        return Vector(leaf(Total(quantity, k)) for k in range(3))
    name = _moving(body, "centre of mass" if quantity == "center" else "momentum")
    return Vector(leaf(BodyTotal(quantity, name, k, body)) for k in range(3))


def momenta_of(body: Body) -> tuple[Vector, Vector]:
    """Momentum of a body and angular momentum about the world's origin: what `BodyTotal` stands for."""
    p = velocity(body, body.com) * body.mass
    w = _frame(body, "twist", 3, 3)
    spin = Vector(Vector(row).dot(w) for row in body.inertia)
    return p, position(body, body.com).cross(p) + to_world(body, spin)


# -- of forces -------------------------------------------------------------------------------------------
def power(force: str) -> Expression:
    """Power of a force of the model on the mechanism (W), by the force's name; negative where it takes energy."""
    return leaf(ForceNumber("power", _force(force)))


def strength(force: str) -> Expression:
    """The one number that a force of the model is, by the force's name.

    Of a spring between points its pull (N), of a rotational spring its torque (N.m), both positive where they
    resist an extension; of a motor, friction, limit or spring on a joint its force or torque along the coordinate; of
    a gear or rack that gives the tooth force (N; N.m without teeth), with the sign of a rigid one's multiplier.
    """
    return leaf(ForceNumber("strength", _force(force)))


def applied(force: str) -> Wrench:
    """The wrench that a force of the model puts on its body, or on b of two, by the force's name.

    About the force's point there, in world axes; a bears the opposite force along the same line, and torque.
    """
    f, t = (Vector(leaf(ForceNumber(quantity, _force(force), k)) for k in range(3)) for quantity in ("force", "torque"))
    return Wrench(f, t)


def _force(name: str) -> str:
    if not isinstance(name, str):
        raise ModelError(f"{display(name)} is not the name of a force")
    return name


def energy() -> Expression:
    """Mechanical energy (J): kinetic, in gravity and in all that stores energy: springs, bushings, limits, gears.

    Gravity's part is zero at the world's origin, that of point gravity at infinity. A spring stores the integral of
    its force over the extension, at rest and at the present values of all else; with laws that depend on more than
    the extension, energy is not a potential.
    """
    return leaf(MechanicalEnergy())


def residual() -> Expression:
    """The largest residual of all closed loops (m or rad): how far they stand open."""
    return leaf(Residual())


def reaction(of: str | Body, mean: bool = False) -> Wrench:
    """The wrench that a joint transmits, for outputs.

    Of a body: the wrench of the parent on the body through its joint, about the body's origin, with the forces of
    motors and springs along the joint. Of a loop: the wrench of a on b through the loop's joint, about b's point.
    World axes. `mean` (loops only): the mean over the last step, which costs nothing.
    """
    owner = _moving(of, "joint")
    f, t = (Vector(leaf(ReactionNumber(owner, 3 * part + k, mean, of)) for k in range(3)) for part in range(2))
    return Wrench(f, t)


def multiplier(loop: str, index: int | None = None, mean: bool = False) -> Expression:
    """The multiplier of a loop's condition (`index` from 1, required where there are several).

    A condition g = 0 with the multiplier lambda pulls with lambda dg/dx: of a `Distance`, lambda is the force that
    pushes the ends apart, N.
    """
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"multiplier {display(index)} of loop {display(loop)}: give a number from 1 on")
    return leaf(Multiplier(_name(loop), -1 if index is None else index - 1, mean))


def mode(name: str) -> Expression:
    """The mode of a closure with conditions of its own, a contact, a lock or a friction that sticks.

    0 while it holds. Else -1 where it is free; of a friction -1 or 1, the sign of its force.
    """
    return leaf(ModeNumber(_name(name)))


def impulse(name: str, index: int | None = None) -> Expression:
    """The impulse (N.s or N.m.s) that a closure with modes took when modes last changed; `index` from 1 of a condition.

    Of a contact the blow of its last impact.
    """
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"impulse {display(index)} of {display(name)}: give a number from 1 on")
    return leaf(ImpulseNumber(_name(name), -1 if index is None else index - 1))


def drive_force(drive: str, index: int | None = None, mean: bool = False) -> Expression:
    """Force of a drive along its coordinate, N or N.m (`index` from 1, required where it gives several rates).

    Of a drive whose motion is a function of time it is known at every instant; of one that follows inputs only its
    `mean` over the last step is, from the balance of impulses.
    """
    if index is not None and (not is_whole(index) or index < 1):
        raise ModelError(f"drive force {display(index)} of {display(drive)}: give a number from 1 on")
    return leaf(DriveForce(_name(drive), -1 if index is None else index - 1, mean))


def acceleration(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Vector:
    """World acceleration (m/s²) of a point given in body axes, components in world axes."""
    p = numbers(point, 3, f"point on {body_label(_name(body))}", "m")
    v, w = _frame(body, "twist", 3), _frame(body, "twist", 3, 3)
    v_rate, w_rate = _twist_rate(body)
    return to_world(body, v_rate + w.cross(v) + w_rate.cross(p) + w.cross(w.cross(p)))


def angular_acceleration(body: str | Body) -> Vector:
    """Angular acceleration (rad/s²) against the world, in world axes."""
    return to_world(body, _twist_rate(body)[1])


def _twist_rate(body: str | Body) -> tuple[Vector, Vector]:
    if _name(body) == WORLD:
        return Vector((0.0, 0.0, 0.0)), Vector((0.0, 0.0, 0.0))
    v, w = (Vector(leaf(TwistRate(_name(body), 3 * part + k, body)) for k in range(3)) for part in range(2))
    return v, w


def quaternion_of(R: Vector) -> Vector:
    """Quaternion (w first, w >= 0) of a rotation matrix given row by row: the largest component first."""
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
    "acceleration", "angular_acceleration", "angular_momentum", "angular_velocity", "applied", "center_of_mass",
    "coordinate", "drive_force", "energy", "impulse", "mode", "momentum", "multiplier", "orientation", "pose",
    "position", "power", "rate", "reaction", "relative_angular_velocity", "relative_orientation", "relative_position",
    "relative_velocity", "residual", "signal", "strength", "time", "twist", "velocity",
]  # fmt: skip
