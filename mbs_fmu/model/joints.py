"""Joints: ordered elementary motions of a body against its parent.

A joint lists `Element`s from the parent outward. A turn or slide has its axis in the intermediate
frame it stands in, which coincides with the body frame when all coordinates are zero. A ball or free
joint has unit quaternions (w first) as coordinates and velocities in body axes as rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import ModelError

Axis = str | Sequence[float]
PRINCIPAL = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def unit_axis(axis: Axis) -> tuple[float, float, float]:
    """ "x", "-y" or three numbers as a unit vector."""
    if isinstance(axis, str):
        name = axis.lstrip("+-")
        if name not in PRINCIPAL:
            raise ModelError(f'unknown axis {axis!r}: give "x", "y", "z" (with a "-" if need be) or three numbers')
        sign = -1.0 if axis.startswith("-") else 1.0
        x, y, z = (sign * c + 0.0 for c in PRINCIPAL[name])
        return x, y, z
    try:
        x, y, z = (float(c) for c in axis)
    except (TypeError, ValueError):
        raise ModelError(f"axis {axis!r} must be a name or three numbers") from None
    norm = math.sqrt(x * x + y * y + z * z)
    if not (0.0 < norm < math.inf):
        raise ModelError(f"axis {axis!r} has no direction: its length must be finite and not zero")
    return x / norm, y / norm, z / norm


def third_axis(axis: tuple[float, float, float]) -> np.ndarray:
    """A rotation whose third column is the unit vector; the others are principal axes where it is one."""
    z = np.array(axis)
    first = np.eye(3)[(int(np.argmax(np.abs(z))) + 1) % 3]
    x = first - z * (z @ first)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


@dataclass(frozen=True)
class Element:
    """One elementary motion: kind "turn", "slide", "ball" or "free", about or along `axis`."""

    kind: str
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)


def turn(axis: Axis) -> Element:
    """A rotation about an axis of the intermediate frame, in rad: a part of a `Compound`."""
    return Element("turn", unit_axis(axis))


def slide(axis: Axis) -> Element:
    """A translation along an axis of the intermediate frame, in m: a part of a `Compound`."""
    return Element("slide", unit_axis(axis))


@dataclass(frozen=True)
class Joint:
    """A list of elementary motions, with names and units for its coordinates and rates."""

    elements: tuple[Element, ...]

    @cached_property
    def coordinates(self) -> list[tuple[str, str]]:
        """(suffix of the name, unit) of each coordinate: phi, s or q[1], q[2], ..."""
        units: list[str] = []
        for e in self.elements:
            units += {"turn": ["rad"], "slide": ["m"], "ball": ["1"] * 4, "free": ["m"] * 3 + ["1"] * 4}[e.kind]
        return self._names(units, {"rad": "phi", "m": "s"}, "q")

    @cached_property
    def rates(self) -> list[tuple[str, str]]:
        """(suffix, unit) of each joint velocity: w, v or u[1], u[2], ..."""
        units: list[str] = []
        for e in self.elements:
            units += {
                "turn": ["rad/s"], "slide": ["m/s"], "ball": ["rad/s"] * 3, "free": ["m/s"] * 3 + ["rad/s"] * 3,
            }[e.kind]  # fmt: skip
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
        out: list[float] = []
        for e in self.elements:
            out += {"ball": [1.0, 0.0, 0.0, 0.0], "free": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}.get(e.kind, [0.0])
        return out

    @property
    def quaternions(self) -> list[int]:
        """Where among the coordinates the unit quaternions start."""
        found, position = [], 0
        for e in self.elements:
            if e.kind in ("ball", "free"):
                found.append(position + (3 if e.kind == "free" else 0))
            position += {"ball": 4, "free": 7}.get(e.kind, 1)
        return found

    @property
    def scalar(self) -> bool:
        """Whether every coordinate is an angle or a length of its own (no quaternions)."""
        return all(e.kind in ("turn", "slide") for e in self.elements)

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


class Universal(Joint):
    """Turns about `first`, then about the new `second`: q[1], q[2] (rad)."""

    def __init__(self, first: Axis = "x", second: Axis = "y"):
        super().__init__((turn(first), turn(second)))


class Compound(Joint):
    """Any ordered list of `turn`s and `slide`s: q[1], q[2], ... in that order."""

    def __init__(self, *elements: Element):
        if not elements:
            raise ModelError("a compound joint needs at least one mbs.turn or mbs.slide; use mbs.Weld() for none")
        for e in elements:
            if not isinstance(e, Element) or e.kind not in ("turn", "slide"):
                raise ModelError(f"a compound joint is made of mbs.turn(axis) and mbs.slide(axis), not {e!r}")
        super().__init__(tuple(elements))


class Spherical(Joint):
    """A ball: q a unit quaternion (w first, body to parent), u the relative angular velocity in body axes."""

    def __init__(self) -> None:
        super().__init__((Element("ball"),))


class Free(Joint):
    """Six freedoms: q = (position in the axes of the joint's place, quaternion w first), u = (v, w) in body axes."""

    def __init__(self) -> None:
        super().__init__((Element("free"),))


class Weld(Joint):
    """No freedom: the body is a part of its parent."""

    def __init__(self) -> None:
        super().__init__(())
