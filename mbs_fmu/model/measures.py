"""What outputs and laws may measure. All of these are expressions (or vectors of them)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import ModelError
from ..expressions import Expression, as_expression, leaf, max, sqrt, where
from .parts import Body
from .references import (
    DriveForce,
    FrameNumber,
    JointNumber,
    MechanicalEnergy,
    Multiplier,
    ReactionNumber,
    Residual,
    Signal,
    TwistRate,
)
from .vectors import Vector, numbers

#: Time in s, as an expression.
time = leaf(Signal("time", "time"))


def coordinate(body: str | Body, index: int | None = None) -> Expression:
    """The body's joint coordinate (rad or m); `index` from 1, required where the joint has several."""
    return leaf(_joint_number("coordinate", body, index))


def rate(body: str | Body, index: int | None = None) -> Expression:
    """The body's joint velocity (rad/s or m/s); `index` from 1, required where the joint has several."""
    return leaf(_joint_number("rate", body, index))


def _joint_number(kind: str, body: str | Body, index: int | None) -> JointNumber:
    if index is not None and (not isinstance(index, int) or index < 1):
        raise ModelError(f"{kind} {index!r} of body {_name(body)!r}: give a number from 1 on")
    return JointNumber(kind, _name(body), -1 if index is None else index - 1)


def _name(body: str | Body) -> str:
    name = body.name if isinstance(body, Body) else body
    if not isinstance(name, str):
        raise ModelError(f"{body!r} is neither a body nor the name of one")
    return name


def _frame(body: str | Body, kind: str, count: int, start: int = 0) -> Vector:
    return Vector(leaf(FrameNumber(kind, _name(body), start + k)) for k in range(count))


def _to_world(body: str | Body, vector: Vector) -> Vector:
    R = _frame(body, "rotation", 9)
    return Vector(Vector(R[3 * i : 3 * i + 3]).dot(vector) for i in range(3))


def position(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Vector:
    """World position (m) of a point given in body axes from the body's origin (its joint)."""
    p = numbers(point, 3, f"point on body {_name(body)!r}")
    return _frame(body, "origin", 3) + _to_world(body, p)


def velocity(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Vector:
    """World velocity (m/s) of a point given in body axes, components in world axes."""
    p = numbers(point, 3, f"point on body {_name(body)!r}")
    v, w = _frame(body, "twist", 3), _frame(body, "twist", 3, 3)
    return _to_world(body, v + w.cross(p))


def angular_velocity(body: str | Body) -> Vector:
    """Angular velocity (rad/s) against the world, in world axes."""
    return _to_world(body, _frame(body, "twist", 3, 3))


def orientation(body: str | Body) -> Vector:
    """Unit quaternion, w first and not negative, that maps body to world coordinates."""
    return quaternion_of(_frame(body, "rotation", 9))


def energy() -> Expression:
    """Mechanical energy (J): kinetic, in gravity (zero at the world origin) and in springs.

    A spring stores ½ stiffness (extension)²; energy in a spring whose stiffness varies is not a potential.
    """
    return leaf(MechanicalEnergy())


def residual() -> Expression:
    """The largest residual of all closed loops (m or rad): how far they stand open."""
    return leaf(Residual())


@dataclass(frozen=True)
class Wrench:
    """A force `f` (N) and a torque `t` (N.m), both in world axes."""

    f: Vector
    t: Vector


def reaction(of: str | Body, mean: bool = False) -> Wrench:
    """What a joint transmits, as an output.

    Of a body: the wrench of the parent on the body through its joint, about the body's origin, with the forces of
    motors and springs along the joint. Of a loop: the wrench of a on b through the loop's joint, about b's point.
    World axes. `mean` (loops only): the mean over the last step, which costs nothing.
    """
    owner = _name(of)
    f, t = (Vector(leaf(ReactionNumber(owner, 3 * part + k, mean)) for k in range(3)) for part in range(2))
    return Wrench(f, t)


def multiplier(loop: str, index: int | None = None, mean: bool = False) -> Expression:
    """The multiplier of a loop's condition (`index` from 1, required where there are several).

    A condition g = 0 with the multiplier lambda pulls with lambda dg/dx: of a `Distance`, lambda is the force that
    pushes the ends apart, N.
    """
    if index is not None and (not isinstance(index, int) or index < 1):
        raise ModelError(f"multiplier {index!r} of loop {loop!r}: give a number from 1 on")
    return leaf(Multiplier(_name(loop), -1 if index is None else index - 1, mean))


def drive_force(drive: str, index: int | None = None, mean: bool = False) -> Expression:
    """What a drive takes along its coordinate, N or N.m (`index` from 1, required where it gives several rates).

    Of a drive whose motion is a function of time it is known at every instant; of one that follows inputs only its
    `mean` over the last step is, from the balance of impulses.
    """
    if index is not None and (not isinstance(index, int) or index < 1):
        raise ModelError(f"drive force {index!r} of {drive!r}: give a number from 1 on")
    return leaf(DriveForce(_name(drive), -1 if index is None else index - 1, mean))


def acceleration(body: str | Body, point: Any = (0.0, 0.0, 0.0)) -> Vector:
    """World acceleration (m/s²) of a point given in body axes, components in world axes."""
    p = numbers(point, 3, f"point on body {_name(body)!r}")
    v, w = _frame(body, "twist", 3), _frame(body, "twist", 3, 3)
    v_rate, w_rate = _twist_rate(body)
    return _to_world(body, v_rate + w.cross(v) + w_rate.cross(p) + w.cross(w.cross(p)))


def angular_acceleration(body: str | Body) -> Vector:
    """Angular acceleration (rad/s²) against the world, in world axes."""
    return _to_world(body, _twist_rate(body)[1])


def _twist_rate(body: str | Body) -> tuple[Vector, Vector]:
    v, w = (Vector(leaf(TwistRate(_name(body), 3 * part + k)) for k in range(3)) for part in range(2))
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
    "acceleration", "angular_acceleration", "angular_velocity", "coordinate", "drive_force", "energy", "multiplier",
    "orientation", "position", "rate", "reaction", "residual", "time", "velocity",
]  # fmt: skip
