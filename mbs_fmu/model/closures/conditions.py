"""Conditions of closures: g = 0 on points and directions of bodies, or conditions on their rates.

A `Conditions` object holds the conditions and their variables: world vectors, each the position of a point or the
direction of an axis of one body, with symbols for its three components and their rates. Every other formula about a
loop (its rows K, their rates, its wrenches) is derived from these conditions in compile/closures/closures.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf
from ..effects import Check
from ..geometry.axes import Axis, unit_axis
from ..geometry.vectors import Vector

UNITS = ("m", "rad", "")


@dataclass(frozen=True)
class Symbol:
    """Component k of world vector number `vector`, or of its rate of change if `rate`."""

    vector: int
    k: int
    rate: bool = False


@dataclass(frozen=True)
class ContactParameter:
    """Contact parameter k (from 0), which locates the point of contact of two curves; a state of the model (see
    `add_contact`)."""

    k: int


@dataclass(frozen=True)
class Attached:
    """World vector attached to side 0 (a) or 1 (b): the side's point if `local` is None, else a direction in its axes.

    spin: the angular velocity of the side's body; only the rate of this vector exists.
    """

    side: int
    local: tuple[float, float, float] | None
    spin: bool = False


@dataclass(frozen=True)
class Turn:
    """What replaces a condition on directions where bodies are far from closing: part of a rotation vector.

    angle: component (rad) along `about` (unit vector, world axes) of the least rotation that the joint does not allow,
    from the frame on a to that on b. Its rate, with all components together, is that of the relative rotation.
    """

    angle: Expression
    about: Vector


@dataclass(frozen=True)
class Row:
    """One condition: an expression that stays zero, its label in messages, and its unit.

    in_rates: the expression is linear in rates, with coefficients that depend on all other variables, and need not be
    the rate of anything. residual: if the expression is a rate along the motions that the other conditions allow, the
    quantity of which it is the rate; stabilization lets it decay. turned: directions of side 0 in the expression are
    those of the frame on a after alignment at engagement, see `Conditions.aligned`. turn: of a condition that also
    holds half a turn away from where the joint allows; None for all others.
    """

    condition: Expression
    label: str
    unit: str
    in_rates: bool = False
    residual: Expression = ZERO
    turned: bool = False
    turn: Turn | None = None

    def rebuilt(self, change: Callable[[list[Expression]], list[Expression]]) -> Row:
        """Return the row after a change of its condition and its turn."""
        turn = [] if self.turn is None else [self.turn.angle, *self.turn.about]
        condition, *changed = change([self.condition, *turn])
        return replace(self, condition=condition, turn=Turn(changed[0], Vector(changed[1:])) if turn else None)

    @property
    def binds(self) -> bool:
        """True if the condition constrains positions, not only rates."""
        return not self.in_rates or not is_literal(self.residual, 0.0)


@dataclass
class Conditions:
    """Conditions of one closure and the vectors that appear in them."""

    vectors: list[Attached] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    facing: list[Expression] = field(
        default_factory=list
    )  #: positive unless the joint is assembled the other way round
    checks: list[Check] = field(default_factory=list)  #: expressions that must be positive at the start, with messages
    contacts: list[tuple[Expression, Expression]] = field(default_factory=list)  #: see `add_contact`
    aligned: list[Vector] = field(default_factory=list)
    """Axes of the frame on a after the smallest rotation that makes the `turned` rows zero; empty if there are none."""

    def vector(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """Return the symbols of a point (local None) or a direction (axis name or three numbers)."""
        return self.symbols(self._number(_attached(side, local)))

    def symbols(self, number: int) -> Vector:
        """Return the three symbols of a vector."""
        return Vector(leaf(Symbol(number, k)) for k in range(3))

    def rates(self, side: int, local: Axis | np.ndarray | None) -> Vector:
        """Return the symbols of the rates of `vector`, in world axes, for conditions in rates."""
        return self._rates(_attached(side, local))

    def spin(self, side: int) -> Vector:
        """Return the angular velocity of the side's body, in world axes."""
        return self._rates(Attached(side, None, spin=True))

    def velocity(self, side: int, point: Vector) -> Vector:
        """Return the velocity of the side's body at a point (world axes) that need not be fixed in it."""
        return self.rates(side, None) + self.spin(side).cross(point - self.vector(side, None))

    def _rates(self, at: Attached) -> Vector:
        number = self._number(at)
        return Vector(leaf(Symbol(number, k, rate=True)) for k in range(3))

    def _number(self, at: Attached) -> int:
        if at not in self.vectors:
            self.vectors.append(at)
        return self.vectors.index(at)

    def gap(self) -> Vector:
        """Return the vector from a's point to b's."""
        return self.vector(1, None) - self.vector(0, None)

    def add(self, row: Expression, label: str, unit: str) -> None:
        """Add a condition. Raises ModelError for an unsupported unit."""
        self._add(Row(as_expression(row), label, unit))

    def add_turned(self, row: Expression, label: str, turn: Turn | None = None) -> None:
        """Add a condition on directions only; the rotation to `aligned` makes it zero."""
        self._add(Row(as_expression(row), label, "rad", turned=True, turn=turn))

    def add_in_rates(self, row: Expression, label: str, unit: str, residual: Expression = ZERO) -> None:
        """Add a condition that is linear in `rates`; unit: that of its integral. For the residual see `Row`."""
        self._add(Row(as_expression(row), label, unit, True, as_expression(residual)))

    def contact(self, k: int) -> Expression:
        """Return contact parameter k, a curve's parameter at the point of contact."""
        return leaf(ContactParameter(k))

    def add_contact(self, tangency: Expression, guess: Expression) -> None:
        """Add a contact parameter near the start value `guess`, and a condition that keeps `tangency` zero.

        Conditions must not change with contact parameters while the tangencies are zero. `Pair.contacts` is the number
        of contact parameters.
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
