"""Joints: ordered lists of elementary motions (motions/) of a body relative to its parent.

A joint lists its motions from the parent outward. The axis of a rotation or translation is constant in the frame
between the motions before and after it; all these frames coincide with the body frame at zero coordinates. A ball or
free joint has a unit quaternion (w first) among its coordinates, and velocities in body axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..symbolic.expressions import ZERO, Expression, leaf
from ..symbolic.expressions import abs as magnitude
from ..symbolic.graph import derivative, leaves, only
from . import motions as elementary
from .closures import Conditions, Pair
from .closures.joint_conditions import joint_conditions
from .effects import Check
from .geometry.axes import Axis, unit_axis
from .geometry.vectors import Vector, number
from .motions.formulas import traced_joint
from .references.leaves import JointNumber


def _transposed(motion: elementary.Motion, q: Vector, slopes: Sequence[Expression]) -> Sequence[Expression]:
    """Return E(q)ᵀ slopes of a motion."""
    if type(motion).coordinate_rates is elementary.Motion.coordinate_rates:
        return slopes
    velocities = [JointNumber("rate", "", k) for k in range(len(motion.rate_units))]
    rates = motion.coordinate_rates(q, Vector(map(leaf, velocities)))
    columns = [derivative(rates, only(velocity)) for velocity in velocities]
    return [sum((x * y for x, y in zip(column, slopes, strict=True)), start=ZERO) for column in columns]


def turn(axis: Axis) -> elementary.Turn:
    """Rotation about an axis of the intermediate frame, in rad, for `Compound`.

    axis: "x", "-y", ... or three numbers. Raises ModelError for any other axis.
    """
    return elementary.Turn(unit_axis(axis))


def slide(axis: Axis) -> elementary.Slide:
    """Translation along an axis of the intermediate frame, in m, for `Compound`.

    axis: "x", "-y", ... or three numbers. Raises ModelError for any other axis.
    """
    return elementary.Slide(unit_axis(axis))


@dataclass(frozen=True)
class Joint(Pair):
    """List of elementary motions, from the parent outward, with names and units of coordinates and velocities."""

    motions: tuple[elementary.Motion, ...]

    def checked(self, thing: str) -> Joint:
        """Return the joint. Raises ModelError if it cannot close a loop: for motions that do not consist of rotations,
        translations and screws, and for six degrees of freedom."""
        from .motions.check import check

        for motion in self.motions:
            if motion.degrees_of_freedom is None:
                raise ModelError(
                    f"{thing}: a {motion.name} joint can't close a loop: hang a body on it, cut another joint"
                )
            if len(motion.degrees_of_freedom) == 6:
                raise ModelError(f"{thing}: a {motion.name} joint closes nothing: leave it out")
            check(motion)
        return self

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        return joint_conditions(self._degrees_of_freedom, frame, thing)

    def parameter_checks(self, thing: str) -> list[Check]:
        """Pitches that depend on parameters: they must not be zero, since a screw without a pitch is a hinge."""
        checks: list[Check] = []
        for pitch in (freedom.pitch for freedom in self._degrees_of_freedom if freedom.pitch is not None):
            names = ", ".join(repr(r.name) for r in leaves([pitch]))
            message = f"pitch of {thing} must not be zero: change parameter {names}, or close with mbs.Revolute"
            checks += [(magnitude(pitch), message)] if names else []
        return checks

    @property
    def _degrees_of_freedom(self) -> list[elementary.DegreeOfFreedom]:
        return [freedom for motion in self.motions for freedom in motion.degrees_of_freedom or ()]

    @cached_property
    def coordinates(self) -> list[tuple[str, str]]:
        """(suffix of the name, unit) of each coordinate: phi, s or q[1], q[2], ..."""
        units = [unit for m in self.motions for unit in m.units]
        return self._names(units, {"rad": "phi", "m": "s"}, "q")

    @cached_property
    def rates(self) -> list[tuple[str, str]]:
        """(suffix, unit) of each joint velocity: w, v or u[1], u[2], ..."""
        units = [unit for m in self.motions for unit in m.rate_units]
        return self._names(units, {"rad/s": "w", "m/s": "v"}, "u")

    @cached_property
    def forces(self) -> list[tuple[str, str]]:
        """(suffix, unit) of the generalized force along each joint velocity: tau, f or tau[1], ..."""
        units = ["N.m" if unit == "rad/s" else "N" for _, unit in self.rates]
        return self._names(units, {"N.m": "tau", "N": "f"}, "tau")

    @cached_property
    def momenta(self) -> list[tuple[str, str]]:
        """(suffix, unit) of the momentum conjugate to each joint velocity: p or p[1], ..."""
        units = ["N.m.s" if unit == "rad/s" else "N.s" for _, unit in self.rates]
        return self._names(units, {"N.m.s": "p", "N.s": "p"}, "p")

    @property
    def rest(self) -> list[float]:
        """Coordinates at which the body frame coincides with the joint frame."""
        coordinates = [0.0] * len(self.coordinates)
        for k in self.quaternions:
            coordinates[k] = 1.0
        return coordinates

    @property
    def quaternions(self) -> list[int]:
        """Indices among the coordinates at which unit quaternions start."""
        indices, position = [], 0
        for m in self.motions:
            if m.quaternion is not None:
                indices.append(position + m.quaternion)
            position += len(m.units)
        return indices

    @property
    def scalar(self) -> bool:
        """True if every coordinate is an angle or a length, and none belongs to a quaternion."""
        return not self.quaternions

    def velocity_slopes(self, q: Sequence[Expression], slopes: Sequence[Expression]) -> list[Expression]:
        """Return E(q)ᵀ slopes, with q_dot = E(q) u: slopes by the integrals of joint velocities, from those by q."""
        result: list[Expression] = []
        first = 0
        for motion in self.motions:
            own = slice(first, first + len(motion.units))
            result += _transposed(motion, Vector(q[own]), slopes[own])
            first = own.stop
        return result

    def _names(self, units: list[str], single: dict[str, str], several: str) -> list[tuple[str, str]]:
        if len(units) == 1:
            return [(single[units[0]], units[0])]
        return [(f"{several}[{k + 1}]", unit) for k, unit in enumerate(units)]


class Revolute(Joint):
    """Hinge about `axis`: angle `phi` (rad), rate `w` (rad/s). Raises ModelError for an invalid axis."""

    def __init__(self, axis: Axis = "z"):
        super().__init__((turn(axis),))


class Prismatic(Joint):
    """Slider along `axis`: displacement `s` (m), rate `v` (m/s). Raises ModelError for an invalid axis."""

    def __init__(self, axis: Axis = "x"):
        super().__init__((slide(axis),))


class Screw(Joint):
    """Rotation about `axis` with an advance of `pitch` (m/rad) along it: angle `phi` (rad), rate `w` (rad/s).

    pitch: a number or an expression of parameters. The lead of a thread, its advance in one turn, is 2 pi times the
    pitch. Raises ModelError for an invalid axis or pitch.
    """

    def __init__(self, axis: Axis = "z", pitch: Expression | float = 0.0):
        super().__init__((elementary.Screw(unit_axis(axis), number(pitch, "pitch of a screw joint", "m/rad")),))


class Cylindrical(Joint):
    """Translation along `axis`, q[1] (m), then rotation about it, q[2] (rad). Raises ModelError for an invalid axis."""

    def __init__(self, axis: Axis = "z"):
        super().__init__((slide(axis), turn(axis)))


class Planar(Joint):
    """Motion in a plane: two translations q[1], q[2] (m), then a rotation q[3] (rad) about `normal`.

    Both directions and the normal form a right-handed frame. For "x", q[1] and q[2] run along y and z; for "y", along z
    and x; for "z", along x and y. With "-x", "-y" or "-z", q[1] keeps its direction and q[2] is reversed.

    For a normal of three numbers, its largest component (the first of several) selects the next axis: y after x, z
    after y, x after z. q[1] runs along the component of that axis normal to `normal`, q[2] along the cross product of
    `normal` and that direction.
    """

    def __init__(self, normal: Axis = "z"):
        first, second = _plane(unit_axis(normal))
        super().__init__((slide(first), slide(second), turn(normal)))


def _plane(normal: tuple[float, float, float]) -> tuple[list[float], list[float]]:
    """Return two unit vectors that form a right-handed frame with the normal."""
    largest = max(range(3), key=lambda k: abs(normal[k]))
    a, b = (largest + 1) % 3, (largest + 2) % 3
    along = [float(k == a) - normal[a] * normal[k] for k in range(3)]
    norm = math.sqrt(sum(x * x for x in along))
    first = [x / norm for x in along]
    second = [normal[(k + 1) % 3] * first[(k + 2) % 3] - normal[(k + 2) % 3] * first[(k + 1) % 3] for k in range(3)]
    assert abs(second[b]) > 0.0
    return first, second


class Universal(Joint):
    """Rotation about the first of two axes, q[1] (rad), then about the second, turned one, q[2] (rad).

    axes: two letters such as "xy", or a pair of axes. Raises ModelError for invalid or parallel axes.
    """

    def __init__(self, axes: str | Sequence[Axis] = "xy"):
        if not isinstance(axes, str | Sequence) or len(axes) != 2:
            raise ModelError(f'a universal joint has two axes, such as "xy" or ("x", (0, 1, 1)), not {display(axes)}')
        first, second = (unit_axis(axis) for axis in axes)
        if abs(sum(a * b for a, b in zip(first, second, strict=True))) > 1.0 - 1e-12:
            raise ModelError(f"axes {display(axes)} of a universal joint are parallel: give two different ones")
        super().__init__((turn(first), turn(second)))


class ConstantVelocity(Joint):
    """Constant-velocity joint of two shafts along `axis`: both turn with the same speed, whatever their angle.

    q[1], q[2] (rad): components of the body's rotation about two directions normal to the axis, those of the
    translations of `Planar`. The rotation is about the direction (q[1], q[2]), by the angle of articulation, whose
    tangent of the half is half the length of (q[1], q[2]); u are their rates. The joint has no singular position up to
    an articulation of 180 degrees. It is a homokinetic joint fixed in place; for a plunging one see docs/joints.md.
    Raises ModelError for an invalid axis.
    """

    def __init__(self, axis: Axis = "x"):
        first, second = ((x + 0.0, y + 0.0, z + 0.0) for x, y, z in _plane(unit_axis(axis)))
        super().__init__((elementary.ConstantVelocity(first, second),))


class Compound(Joint):
    """Ordered list of `turn` and `slide` (or other elementary motions), with coordinates q[1], q[2], ... in that order.

    Raises ModelError without any motion, and for anything that is not a motion.
    """

    def __init__(self, *parts: elementary.Motion):
        if not parts:
            raise ModelError("a compound joint needs at least one mbs.turn or mbs.slide; use mbs.Weld() for none")
        for part in parts:
            if not isinstance(part, elementary.Motion):
                raise ModelError(f"a compound joint is made of mbs.turn(axis) and mbs.slide(axis), not {display(part)}")
        super().__init__(tuple(parts))


#: Names of three angles, or the axes of the three rotations, outward from the parent.
Angles = Literal[
    "euler", "ship", "aircraft", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"
]
#: Axes of the named angles (K85).
ANGLES: dict[str, str] = {"euler": "zxz", "ship": "zyx", "aircraft": "yzx"}


def _three_turns(angles: str) -> tuple[elementary.Motion, ...]:
    known = get_args(Angles)
    if not isinstance(angles, str) or angles not in known:
        raise ModelError(
            f"unknown angles {display(angles)}: use {', '.join(map(repr, ANGLES))}, three axes in the order of the "
            "rotations, such as 'xyz', of which neighbours differ, or None for a quaternion"
        )
    return tuple(turn(axis) for axis in ANGLES.get(angles, angles))


class Spherical(Joint):
    """Ball joint: q is a unit quaternion (w first, body to parent), u the relative angular velocity in body axes.

    angles: three angles q[1..3] (rad) and their rates as coordinates and velocities instead. They are rotations about
    moving axes, in their order outward from the parent, such as "xyz" or "zxz"; "euler" is z-x-z, "ship" z-y-x,
    "aircraft" y-z-x. A run ends with an error at gimbal lock: with the second angle at 0 or 180 degrees if the first
    and third axis are the same ("euler"), at 90 degrees otherwise. The quaternion has no gimbal lock.

    Raises ModelError for unknown angles.
    """

    def __init__(self, angles: Angles | None = None) -> None:
        super().__init__((elementary.Ball(),) if angles is None else _three_turns(angles))


class Free(Joint):
    """Joint with six degrees of freedom.

    q = (position in the axes of the joint frame, m; quaternion, w first, body to joint frame); u = (velocity, m/s;
    angular velocity, rad/s), both in body axes. With `angles` (see `Spherical`): q = (position, three
    angles), u their rates. Raises ModelError for unknown angles.
    """

    def __init__(self, angles: Angles | None = None) -> None:
        if angles is None:
            super().__init__((elementary.Free(),))
        else:
            super().__init__((*(slide(axis) for axis in "xyz"), *_three_turns(angles)))


class CustomJoint(Joint):
    """Joint defined by formulas: the position and rotation of the body's frame as functions of the coordinates.

    coordinates: their number, or their units ("rad" or "m"; "rad" by default). position: a function of (q, t) that
    returns the origin of the body's frame in the axes of the joint frame, m; default: zero. rotation: a function of
    (q, t) that returns the 3x3 matrix or the quaternion (w first) that maps body to joint-frame coordinates; default:
    none. Both are called once, with a list of expressions q and the time t, and may use parameters.

    Twist columns and prescribed velocities (from an explicit dependence on time) follow by exact differentiation (J1).
    Raises ModelError without coordinates, if the rotation is not orthonormal, if a formula depends on anything but q, t
    and parameters, and if a coordinate moves nothing.
    """

    def __init__(self, coordinates: int | Sequence[str], position: object = None, rotation: object = None) -> None:
        super().__init__((elementary.Custom(traced_joint(coordinates, position, rotation)),))


class Weld(Joint):
    """Rigid connection without degrees of freedom: the body is a part of its parent."""

    def __init__(self) -> None:
        super().__init__(())
