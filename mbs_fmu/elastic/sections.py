"""Cross sections of beams along x. For tapered beams, each number can be a function of x (m)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..infrastructure.arguments import positive
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass

Along = float | Callable[[float], float]  #: a number, or a function of the position x along the beam, m


@dataclass(frozen=True)
class SectionProperties:
    """Numerical properties of a section at one position along the beam; for symbols and units see `Section`."""

    A: float
    Iy: float
    Iz: float
    It: float
    ky: float | None
    kz: float | None


@dataclass(frozen=True)
class Section:
    """A section of any shape.

    A: area, m². Iy, Iz: second moments of area about y and z, m⁴; the bending stiffness along y is E Iz. It: torsion
    constant, m⁴. ky, kz: shear coefficients, the ratios of the shear areas along y and z to A; needed for `shear=True`
    only.
    """

    A: Along
    Iy: Along
    Iz: Along
    It: Along
    ky: Along | None = None
    kz: Along | None = None

    def at(self, x: float) -> SectionProperties:
        """Return the section's properties at x (m).

        Raises ModelError for a number that is not positive, a shear coefficient above 1, and a function of x that
        fails.
        """
        A, Iy, Iz, It = (_number(getattr(self, name), name, x) for name in ("A", "Iy", "Iz", "It"))
        ky, kz = (
            None if k is None else _shear_coefficient(k, name, x) for name, k in (("ky", self.ky), ("kz", self.kz))
        )
        return SectionProperties(A, Iy, Iz, It, ky, kz)


@dataclass(frozen=True)
class Rectangle:
    """A solid rectangle with sides along y and z, m."""

    y: Along
    z: Along

    def at(self, x: float) -> SectionProperties:
        """See `Section.at`. The torsion constant is accurate to 0.5 %; the shear coefficients are 5/6."""
        y, z = (_number(value, name, x) for value, name in ((self.y, "y"), (self.z, "z")))
        a, b = max(y, z), min(y, z)
        torsion = a * b**3 * (1 / 3 - 0.21 * b / a * (1 - b**4 / (12 * a**4)))
        return SectionProperties(y * z, y * z**3 / 12, z * y**3 / 12, torsion, 5 / 6, 5 / 6)


@dataclass(frozen=True)
class Tube:
    """A round tube with an outer diameter and a wall thickness, m; without a thickness, a solid bar."""

    diameter: Along
    thickness: Along | None = None

    def at(self, x: float) -> SectionProperties:
        """See `Section.at`. The shear coefficients are those of Cowper (1966) for Poisson's ratio 0.3."""
        outer = 0.5 * _number(self.diameter, "diameter", x)
        wall = outer if self.thickness is None else _number(self.thickness, "thickness", x)
        inner = outer - wall
        if inner < 0.0:
            raise ModelError(
                f"a tube of diameter {2 * outer:g} m can't have a wall of {wall:g} m: give at most half the diameter"
            )
        ratio = (1 + (inner / outer) ** 2) ** 2
        shear = 7.8 * ratio / (8.8 * ratio + 23.6 * (inner / outer) ** 2)
        second = 0.25 * math.pi * (outer**4 - inner**4)
        return SectionProperties(math.pi * (outer**2 - inner**2), second, second, 2 * second, shear, shear)


def _number(value: Any, name: str, x: float) -> float:
    """Return a number of a section at x (m). Raises ModelError if it is not positive, or if its function fails."""
    thing = f"{name} of a section at x = {x:g} m"
    if callable(value):
        try:
            value = value(x)
        except Exception as error:
            raise ModelError(f"{thing}: its function of x raises {type(error).__name__} ({error})") from error
    return positive(value, thing)


def _shear_coefficient(value: Any, name: str, x: float) -> float:
    """Return a shear coefficient at x (m). Raises ModelError unless it is above 0 and at most 1."""
    coefficient = _number(value, name, x)
    if coefficient > 1.0:
        raise ModelError(f"{name} of a section at x = {x:g} m is {coefficient:g}: give a shear coefficient, at most 1")
    return coefficient
