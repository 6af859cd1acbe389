"""Conditions of closures: g = 0 on points and directions of bodies, or conditions on their rates.

A `Conditions` has what the conditions are written in: world vectors, each the place of a point or the direction of
an axis of one body, with symbols for its three components and their rates. Every other formula about a loop (its rows
K, their rates, its wrenches) is derived from these conditions in compile/closures/closures.py.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf
from ..effects import Check
from ..geometry.axes import Axis, unit_axis
from ..geometry.vectors import Vector

UNITS = ("m", "rad", "")


@dataclass(frozen=True)
class Symbol:
    """Component k of world vector number `vector`; `rate`: of its rate of change."""

    vector: int
    k: int
    rate: bool = False


@dataclass(frozen=True)
class ContactParameter:
    """Parameter k, from 0, of the place where two curves touch; a state of the model (see `add_contact`)."""

    k: int


@dataclass(frozen=True)
class Attached:
    """Where a world vector is attached: `local` is a direction in the axes of side 0 (a) or 1 (b), None its point.

    spin: a vector of which there is only the rate, the angular velocity of the side's body.
    """

    side: int
    local: tuple[float, float, float] | None
    spin: bool = False


@dataclass(frozen=True)
class Row:
    """One condition: an expression that stays zero, how messages call it, its unit.

    in_rates: the expression is linear in rates, with coefficients of all else, and need be the rate of nothing. Where
    it is one all the same, along the motions that other conditions allow, `residual` is what it is the rate of: decays.
    turned: directions of side 0 in it are those of a's place as it is turned where the closure takes hold, see
    `Conditions.aligned`.
    """

    condition: Expression
    label: str
    unit: str
    in_rates: bool = False
    residual: Expression = ZERO
    turned: bool = False

    @property
    def binds(self) -> bool:
        """True if it binds positions, not their rates alone."""
        return not self.in_rates or not is_literal(self.residual, 0.0)


@dataclass
class Conditions:
    """Conditions of one closure and the vectors they are written in."""

    vectors: list[Attached] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    facing: list[Expression] = field(default_factory=list)  #: positive unless the joint closes the other way round
    checks: list[Check] = field(default_factory=list)  #: positive at any start, with what is said otherwise
    contacts: list[tuple[Expression, Expression]] = field(default_factory=list)  #: see `add_contact`
    aligned: list[Vector] = field(default_factory=list)
    """Where the axes of a's place come by the least turn that makes the rows `turned` zero; empty: there are none."""

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """The symbols of a point (local None) or direction: an axis by its name, or three numbers."""
        return self.symbols(self._number(_attached(side, local)))

    def symbols(self, number: int) -> Vector:
        """The three symbols of a vector."""
        return Vector(leaf(Symbol(number, k)) for k in range(3))

    def rates(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """The rates of `vector`, in world axes: for conditions in rates."""
        return self._rates(_attached(side, local))

    def spin(self, side: int) -> Vector:
        """Angular velocity of the side's body, world axes."""
        return self._rates(Attached(side, None, spin=True))

    def velocity(self, side: int, point: Vector) -> Vector:
        """Of the side's body, where a point (world axes) is that need not be fixed in it."""
        return self.rates(side, None) + self.spin(side).cross(point - self.vector(side, None))

    def _rates(self, at: Attached) -> Vector:
        number = self._number(at)
        return Vector(leaf(Symbol(number, k, rate=True)) for k in range(3))

    def _number(self, at: Attached) -> int:
        if at not in self.vectors:
            self.vectors.append(at)
        return self.vectors.index(at)

    def gap(self) -> Vector:
        """From a's point to b's."""
        return self.vector(1, None) - self.vector(0, None)

    def add(self, row: Expression, label: str, unit: str) -> None:
        """One more; ModelError for a unit that none of them can have."""
        self._add(Row(as_expression(row), label, unit))

    def add_turned(self, row: Expression, label: str) -> None:
        """One on directions alone, which the turn to `aligned` makes zero."""
        self._add(Row(as_expression(row), label, "rad", turned=True))

    def add_in_rates(self, row: Expression, label: str, unit: str, residual: Expression = ZERO) -> None:
        """One that is linear in `rates`; unit: that of its integral. See `Row` for the residual."""
        self._add(Row(as_expression(row), label, unit, True, as_expression(residual)))

    def contact(self, k: int) -> Expression:
        """Contact parameter k: a curve's parameter at the place of contact."""
        return leaf(ContactParameter(k))

    def add_contact(self, tangency: Expression, guess: Expression) -> None:
        """One more contact parameter, from which on `tangency` is kept at zero, started near `guess`.

        Conditions must not change with contact parameters as long as the tangencies are zero. `Pair.contacts` is how
        many there are.
        """
        self.contacts.append((tangency, guess))

    def _add(self, row: Row) -> None:
        if row.unit not in UNITS:
            raise ModelError(
                f"{row.label}: a condition can't have the unit {row.unit!r}: give 'm' or 'rad', or '' for neither"
            )
        self.rows.append(row)


def _attached(side: int, local: Axis | np.ndarray | None) -> Attached:
    local = unit_axis(local) if isinstance(local, str) else local
    return Attached(side, None if local is None else (float(local[0]), float(local[1]), float(local[2])))
