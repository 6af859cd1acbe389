"""Cross sections of beams. The beam lies along x; each number may be a function of x (m), for a taper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..arguments import positive
from ..errors import ModelError

Along = float | Callable[[float], float]  #: a number, or a function of the place x along the beam, m


@dataclass(frozen=True)
class Cut:
    """A section at one place, as numbers; the letters are those of `Section`."""

    A: float
    Iy: float
    Iz: float
    It: float
    ky: float | None
    kz: float | None


@dataclass(frozen=True)
class Section:
    """A section of any form.

    A: area, m². Iy, Iz: second moments of area about y and z, m⁴: a beam that bends along y has E Iz. It: torsion
    constant, m⁴. ky, kz: the parts of the area that take shear along y and z; needed for `shear=True` alone.
    """

    A: Along
    Iy: Along
    Iz: Along
    It: Along
    ky: Along | None = None
    kz: Along | None = None

    def at(self, x: float) -> Cut:
        """The section at a place. Raises ModelError for numbers that are not positive."""
        A, Iy, Iz, It = (_number(getattr(self, name), name, x) for name in ("A", "Iy", "Iz", "It"))
        ky, kz = (None if k is None else _part(k, name, x) for name, k in (("ky", self.ky), ("kz", self.kz)))
        return Cut(A, Iy, Iz, It, ky, kz)


@dataclass(frozen=True)
class Rectangle:
    """A solid rectangle with sides along y and z, m."""

    y: Along
    z: Along

    def at(self, x: float) -> Cut:
        """See `Section.at`. The torsion constant is right within 0.5 %; 5/6 of the area take shear."""
        y, z = (_number(value, name, x) for value, name in ((self.y, "y"), (self.z, "z")))
        a, b = max(y, z), min(y, z)
        torsion = a * b**3 * (1 / 3 - 0.21 * b / a * (1 - b**4 / (12 * a**4)))
        return Cut(y * z, y * z**3 / 12, z * y**3 / 12, torsion, 5 / 6, 5 / 6)


@dataclass(frozen=True)
class Tube:
    """A round tube of an outer diameter and a wall, m; without a wall's thickness a solid bar."""

    diameter: Along
    thickness: Along | None = None

    def at(self, x: float) -> Cut:
        """See `Section.at`. The parts of the area that take shear are those of Cowper (1966), Poisson's ratio 0.3."""
        outer = 0.5 * _number(self.diameter, "diameter", x)
        wall = outer if self.thickness is None else _number(self.thickness, "thickness", x)
        inner = outer - wall
        if inner < 0.0:
            raise ModelError(f"a tube of diameter {2 * outer:g} m has no wall of {wall:g} m: give half of it at most")
        ratio = (1 + (inner / outer) ** 2) ** 2
        shear = 7.8 * ratio / (8.8 * ratio + 23.6 * (inner / outer) ** 2)
        second = 0.25 * math.pi * (outer**4 - inner**4)
        return Cut(math.pi * (outer**2 - inner**2), second, second, 2 * second, shear, shear)


def _number(value: Any, name: str, x: float) -> float:
    """A positive number at a place."""
    thing = f"{name} of a section at x = {x:g} m"
    if callable(value):
        try:
            value = value(x)
        except Exception as error:
            raise ModelError(f"{thing}: its function of x ends with {type(error).__name__} ({error})") from error
    return positive(value, thing)


def _part(value: Any, name: str, x: float) -> float:
    """A part of the area at a place."""
    found = _number(value, name, x)
    if found > 1.0:
        raise ModelError(f"{name} of a section at x = {x:g} m is {found:g}: give the part of the area, 1 at most")
    return found
