"""Units of finite element files, which state none: names of length, mass and time such as "mm,t,s".

Energy has the unit m l²/t². The unit of a coordinate depends on the kind of its row: a displacement has the unit of
length, a rotation is in rad, and a modal coordinate of unit modal mass has the unit of length times the root of that of
mass, so that its modal mass stays 1. An entry of a matrix has the unit of energy times timeᵖ, divided by the units of
both of its coordinates; p is 0 for stiffness, 1 for damping, 2 for mass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..reduction.structures import scipy_modules
from ..shapes import Array

LENGTHS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
POUND = 0.45359237  #: kg, exact
G_STANDARD = 9.80665  #: m/s², exact
POUND_FORCE = POUND * G_STANDARD  #: N
MASSES = {
    "kg": 1.0, "g": 1e-3, "t": 1e3, "tonne": 1e3, "lb": POUND, "slug": POUND_FORCE / 0.3048,
    "slinch": POUND_FORCE / 0.0254, "lbf s2/in": POUND_FORCE / 0.0254, "lbf s2/ft": POUND_FORCE / 0.3048,
}  # fmt: skip
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
TRANSLATION, ROTATION, MODAL = range(3)  #: kinds of rows
STIFFNESS, DAMPING, MASS = range(3)  #: powers of time


class Units(NamedTuple):
    """SI values of the units of a file: length (m), mass (kg), time (s)."""

    length: float
    mass: float
    time: float

    @property
    def energy(self) -> float:
        """SI value of the unit of energy, J."""
        return self.mass * self.length**2 / self.time**2

    def rows(self, kinds: Array) -> Array:
        """Return the SI values of the units of coordinates, (n); kinds: TRANSLATION, ROTATION or MODAL of each, (n)."""
        return np.asarray(np.array([self.length, 1.0, self.length * self.mass**0.5])[kinds])


def units_of(text: str) -> Units:
    """Return the units that a text such as "mm,t,s" names. Raises ModelError."""
    names = [name.strip() for name in text.split(",")] if isinstance(text, str) else []
    tables = (LENGTHS, MASSES, TIMES)
    if len(names) != 3 or not all(name in table for name, table in zip(names, tables, strict=True)):
        known = "; ".join(", ".join(table) for table in tables)
        raise ModelError(f'units is {display(text)}: name length, mass and time, such as "mm,t,s" ({known})')
    return Units(*(table[name] for name, table in zip(names, tables, strict=True)))


def scaled(A: Any, kinds: Array, units: Units, power: int) -> Any:
    """Return a square matrix of a file in SI units, dense or sparse as it is.

    A: (n, n). kinds: TRANSLATION, ROTATION or MODAL of each row, (n). power: STIFFNESS, DAMPING or MASS.
    """
    r = 1.0 / units.rows(kinds)
    factor = units.energy * units.time**power
    sparse = scipy_modules().sparse
    if not sparse.issparse(A):
        return factor * r[:, None] * np.asarray(A) * r
    D = sparse.diags_array(r)
    return (factor * (D @ A @ D)).tocsc()


def nodal_kinds(count: int, dofs: int) -> Array:
    """Return the kinds of the rows of nodes with 3 or 6 dofs each, (dofs count)."""
    return np.tile(np.repeat([TRANSLATION, ROTATION], 3)[:dofs], count)
