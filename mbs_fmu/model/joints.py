"""Joints: ordered elementary motions of a body against its parent.

A joint lists motions (motions/) from the parent outward. A turn or slide has its axis in the intermediate
frame it stands in, which coincides with the body frame when all coordinates are zero. A ball or free
joint has unit quaternions (w first) as coordinates and velocities in body axes as rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, get_args

from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from ..symbolic.expressions import Expression
from ..symbolic.expressions import abs as magnitude
from ..symbolic.graph import leaves
from . import motions as elementary
from .closures import Conditions, Pair
from .closures.joint_conditions import joint_conditions
from .effects import Check
from .geometry.axes import Axis, unit_axis
from .geometry.vectors import number
from .motions.formulas import traced_joint


def turn(axis: Axis) -> elementary.Turn:
    """A rotation about an axis of the intermediate frame, in rad: a part of a `Compound`."""
    return elementary.Turn(unit_axis(axis))


def slide(axis: Axis) -> elementary.Slide:
    """A translation along an axis of the intermediate frame, in m: a part of a `Compound`."""
    return elementary.Slide(unit_axis(axis))


@dataclass(frozen=True)
class Joint(Pair):
    """A list of elementary motions, with names and units for its coordinates and rates."""

    motions: tuple[elementary.Motion, ...]

    def checked(self, thing: str) -> Joint:
        """Raises ModelError for motions that are no turns, slides and screws, or that leave everything free."""
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
        return joint_conditions(self._freedoms, frame, thing)

    def parameter_checks(self, thing: str) -> list[Check]:
        """Pitches that parameters decide: a thread without one would be no screw's."""
        found: list[Check] = []
        for pitch in (freedom.pitch for freedom in self._freedoms if freedom.pitch is not None):
            names = ", ".join(repr(r.name) for r in leaves([pitch]))
            said = f"pitch of {thing} must not be zero: change parameter {names}, or close with mbs.Revolute"
            found += [(magnitude(pitch), said)] if names else []
        return found

    @property
    def _freedoms(self) -> list[elementary.DegreeOfFreedom]:
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
        """(suffix, unit) of the force or torque along each joint velocity: tau, f or tau[1], ..."""
        units = ["N.m" if unit == "rad/s" else "N" for _, unit in self.rates]
        return self._names(units, {"N.m": "tau", "N": "f"}, "tau")

    @cached_property
    def momenta(self) -> list[tuple[str, str]]:
        """(suffix, unit) of the momentum that goes with each joint velocity: p or p[1], ..."""
        units = ["N.m.s" if unit == "rad/s" else "N.s" for _, unit in self.rates]
        return self._names(units, {"N.m.s": "p", "N.s": "p"}, "p")

    @property
    def rest(self) -> list[float]:
        """Coordinates at which the body frame coincides with the joint's place."""
        out = [0.0] * len(self.coordinates)
        for k in self.quaternions:
            out[k] = 1.0
        return out

    @property
    def quaternions(self) -> list[int]:
        """Where among the coordinates the unit quaternions start."""
        found, position = [], 0
        for m in self.motions:
            if m.quaternion is not None:
                found.append(position + m.quaternion)
            position += len(m.units)
        return found

    @property
    def scalar(self) -> bool:
        """True if every coordinate is an angle or a length of its own (no quaternions)."""
        return not self.quaternions

    def _names(self, units: list[str], single: dict[str, str], several: str) -> list[tuple[str, str]]:
        if len(units) == 1:
            return [(single[units[0]], units[0])]
        return [(f"{several}[{k + 1}]", unit) for k, unit in enumerate(units)]


class Revolute(Joint):
    """A hinge about `axis`: angle `phi` (rad), rate `w` (rad/s)."""

    def __init__(self, axis: Axis = "z"):
        super().__init__((turn(axis),))


class Prismatic(Joint):
    """A slide along `axis`: length `s` (m), rate `v` (m/s)."""

    def __init__(self, axis: Axis = "x"):
        super().__init__((slide(axis),))


class Screw(Joint):
    """A turn about `axis` with an advance of `pitch` (m/rad) along it: angle `phi`, rate `w`.

    A thread's lead, the advance in one turn, is 2 pi times the pitch. pitch: a number or an expression of parameters.
    """

    def __init__(self, axis: Axis = "z", pitch: Expression | float = 0.0):
        super().__init__((elementary.Screw(unit_axis(axis), number(pitch, "pitch of a screw joint", "m/rad")),))


class Cylindrical(Joint):
    """A slide along `axis` and a turn about it: q[1] (m), q[2] (rad)."""

    def __init__(self, axis: Axis = "z"):
        super().__init__((slide(axis), turn(axis)))


class Planar(Joint):
    """Motion in the plane normal to `normal`: two slides q[1], q[2] (m), then a turn q[3] (rad) about the normal.

    The slides and the normal make a right-handed frame: q[1], q[2] run along y, z for "x", z, x for "y", x, y for "z";
    with "-x", "-y", "-z" q[1] runs along the same axis and q[2] against. With a normal given by numbers, the largest of
    them (the first of several) along x, y or z, q[1] runs along the part of y, z or x across the normal, q[2] along the
    cross product of the normal and that.
    """

    def __init__(self, normal: Axis = "z"):
        first, second = _plane(unit_axis(normal))
        super().__init__((slide(first), slide(second), turn(normal)))


def _plane(normal: tuple[float, float, float]) -> tuple[list[float], list[float]]:
    """Two unit vectors that make a right-handed frame with the normal."""
    largest = max(range(3), key=lambda k: abs(normal[k]))
    a, b = (largest + 1) % 3, (largest + 2) % 3
    along = [float(k == a) - normal[a] * normal[k] for k in range(3)]
    norm = math.sqrt(sum(x * x for x in along))
    first = [x / norm for x in along]
    second = [normal[(k + 1) % 3] * first[(k + 2) % 3] - normal[(k + 2) % 3] * first[(k + 1) % 3] for k in range(3)]
    assert abs(second[b]) > 0.0
    return first, second


class Universal(Joint):
    """Turns about `first`, then about the new `second`: q[1], q[2] (rad)."""

    def __init__(self, first: Axis = "x", second: Axis = "y"):
        super().__init__((turn(first), turn(second)))


class Compound(Joint):
    """Any ordered list of `turn`s and `slide`s (or other motions): q[1], q[2], ... in that order."""

    def __init__(self, *parts: elementary.Motion):
        if not parts:
            raise ModelError("a compound joint needs at least one mbs.turn or mbs.slide; use mbs.Weld() for none")
        for part in parts:
            if not isinstance(part, elementary.Motion):
                raise ModelError(f"a compound joint is made of mbs.turn(axis) and mbs.slide(axis), not {display(part)}")
        super().__init__(tuple(parts))


#: Names of three angles, or the axes of the three turns themselves, outward from the parent.
Angles = Literal[
    "euler", "ship", "aircraft", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"
]
#: The axes of those that have a name (K85).
ANGLES: dict[str, str] = {"euler": "zxz", "ship": "zyx", "aircraft": "yzx"}


def _three_turns(angles: str) -> tuple[elementary.Motion, ...]:
    known = get_args(Angles)
    if not isinstance(angles, str) or angles not in known:
        raise ModelError(
            f"unknown angles {display(angles)}: use {', '.join(map(repr, ANGLES))}, three axes in the order of the "
            "turns, as 'xyz', of which neighbours differ, or none for a quaternion"
        )
    return tuple(turn(axis) for axis in ANGLES.get(angles, angles))


class Spherical(Joint):
    """A ball: q a unit quaternion (w first, body to parent), u the relative angular velocity in body axes.

    With `angles` instead three angles q[1..3] (rad) about axes that turn along, and their rates: the axes in the order
    of the turns, outward from the parent, as "xyz" or "zxz", or by a name: "euler" is z-x-z, "ship" z-y-x, "aircraft"
    y-z-x. A run ends with an error where such angles lock: the second one at 0 or 180 degrees where the first and the
    third axis are the same ("euler"), at 90 degrees otherwise. The quaternion never does.

    Raises ModelError for other angles.
    """

    def __init__(self, angles: Angles | None = None) -> None:
        super().__init__((elementary.Ball(),) if angles is None else _three_turns(angles))


class Free(Joint):
    """Six freedoms: q = (position in the axes of the joint's place, quaternion w first), u = (v, w) in body axes.

    With `angles` (see `Spherical`): q = (position, three angles) and u their rates.
    """

    def __init__(self, angles: Angles | None = None) -> None:
        if angles is None:
            super().__init__((elementary.Free(),))
        else:
            super().__init__((*(slide(axis) for axis in "xyz"), *_three_turns(angles)))


class CustomJoint(Joint):
    """A joint from its own formulas: where its body's frame stands at given coordinates.

    coordinates: their number, or their units ("rad" or "m"; "rad" by default). position: a function of
    (q, t) that returns the origin in the axes of the joint's place, m. rotation: a function of (q, t) that returns the
    3x3 matrix or the quaternion (w first) that maps body to place coordinates. Both are called once with expressions
    (q a list of them, t the time) and may use parameters; what is left out stays where it is.

    The joint's twist columns and what its explicit dependence on time gives follow by exact differentiation.
    Raises ModelError where the rotation is none, something else than q, t and parameters is in the formulas, or a
    coordinate moves nothing.
    """

    def __init__(self, coordinates: int | Sequence[str], position: object = None, rotation: object = None) -> None:
        super().__init__((elementary.Custom(traced_joint(coordinates, position, rotation)),))


class Weld(Joint):
    """No freedom: the body is a part of its parent."""

    def __init__(self) -> None:
        super().__init__(())
