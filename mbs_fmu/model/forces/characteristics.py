"""Characteristics of springs (stiffness, table or formula) and elastic stops, with their energy."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, clip, is_literal, leaf, where
from ...symbolic.graph import derivative, leaves, only, rebuild
from ...symbolic.tables import area, table
from ..geometry.vectors import number, traced
from ..references.leaves import Stretch

EXTENSION, SPEED = Stretch("extension"), Stretch("speed")
STIFFNESS = {"m": "N/m", "rad": "N.m/rad"}  #: units along coordinates of either unit
DAMPING = {"m": "N.s/m", "rad": "N.m.s/rad"}
FORCE = {"m": "N", "rad": "N.m"}
SpringTable = Sequence[Sequence[float] | np.ndarray] | np.ndarray  #: extensions and forces
SpringForce = Callable[..., Any] | SpringTable  #: force by the extension, or by extension and speed
SpringEnergy = Callable[[Expression], Any]  #: energy by the extension, J

NODES = 8  #: nodes of the quadrature of a formula: exact for polynomials of degree 15 in the extension


@dataclass(frozen=True, eq=False)
class SpringLaw:
    """Force of a spring: stiffness x + damping v + law, x the extension beyond `length`, v its rate.

    law: expression of the placeholders `Stretch`, or None. stored: energy of the law, a function of the extension only,
    or None.
    """

    stiffness: Expression
    damping: Expression
    length: Expression
    law: Expression | None = None
    stored: Expression | None = None

    def resistance(self, x: Expression, v: Expression) -> Expression:
        """Return the force of the spring at an extension x beyond `length`, whose rate is v."""
        total = self.stiffness * x + self.damping * v
        return total if self.law is None else total + substituted(self.law, x, v)

    def dissipation(self, x: Expression, v: Expression) -> Expression:
        """Return the part of `resistance` that vanishes at rest and stores no energy."""
        total = self.damping * v
        if self.law is None:
            return total
        at_rest = ZERO if self.stored is None else substituted(self.law, x, ZERO)
        return total + (substituted(self.law, x, v) - at_rest)

    def energy(self, x: Expression) -> Expression:
        """Return the stored energy, J: the integral of `resistance` at rest, from zero to x."""
        total = 0.5 * self.stiffness * x * x
        return total if self.stored is None else total + substituted(self.stored, x, ZERO)

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Return, along the number, the total force, its part that dissipates, and the stored energy, J."""
        x = number - self.length
        return -self.resistance(x, rate), -self.dissipation(x, rate), self.energy(x)


class AlongNumber(Protocol):
    """Law of a force along a number, such as a coordinate or a length."""

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Return, along the number, the total force, its part that dissipates, and the stored energy, J."""
        ...


@dataclass(frozen=True, eq=False)
class Ends:
    """Force of elastic stops of a number, below `lower` and above `upper`: springs and dampers.

    Beyond a stop k x, and a damper whose force is at most that: the sum never pulls, and starts from zero (ElastoGap of
    the Modelica Standard Library).
    """

    lower: Expression | None
    upper: Expression | None
    stiffness: Expression
    damping: Expression

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Return, along the number, the total force, the part of the dampers, and the energy of the springs, J."""
        total = [ZERO, ZERO, ZERO]
        for bound, sign in ((self.lower, -1.0), (self.upper, 1.0)):
            if bound is not None:
                x = sign * (number - bound)
                pushed = self._beyond(x, sign * rate, sign)
                total = [done + self._where_touched(x, sign, more) for done, more in zip(total, pushed, strict=True)]
        return total[0], total[1], total[2]

    def _where_touched(self, x: Expression, sign: float, pushed: Expression) -> Expression:
        """Return the force if touched. If both stops coincide (teeth without backlash), the upper defines slopes."""
        touched = where(x >= 0.0, pushed, ZERO)
        if sign > 0.0 or self.lower is None or self.upper is None:
            return touched
        return where(self.lower < self.upper, touched, where(x > 0.0, pushed, ZERO))

    def _beyond(self, x: Expression, v: Expression, sign: float) -> tuple[Expression, Expression, Expression]:
        """Return force, damper's part and energy at a stop with the penetration x, not negative, whose rate is v."""
        spring = self.stiffness * x
        damper = ZERO if is_literal(self.damping, 0.0) else clip(self.damping * v, -spring, spring)
        return -sign * (spring + damper), -sign * damper, 0.5 * self.stiffness * x * x


@dataclass(frozen=True, eq=False)
class Shaft:
    """Torque of a shaft or belt in proportion to a number that is zero at rest: a spring and a damper in both
    directions."""

    stiffness: Expression
    damping: Expression

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Return, along the number, the total force, the part of the damper, and the energy of the spring, J."""
        dissipated = -self.damping * rate
        return dissipated - self.stiffness * number, dissipated, 0.5 * self.stiffness * number * number


@dataclass(frozen=True, eq=False)
class Band:
    """Force of a tendon: a spring below `lower` and above `upper`, in between none, and a damper everywhere."""

    lower: Expression
    upper: Expression
    stiffness: Expression
    damping: Expression

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Return, along the number, the total force, the part of the damper, and the energy of the spring, J."""
        x, dissipated = number - clip(number, self.lower, self.upper), -self.damping * rate
        return dissipated - self.stiffness * x, dissipated, 0.5 * self.stiffness * x * x


def spring_law(
    stiffness: Quantity,
    damping: Quantity,
    length: Quantity,
    force: SpringForce | None,
    energy: SpringEnergy | None,
    unit: str,
    thing: str,
    what: str = "length",
) -> SpringLaw:
    """Return the checked law of a spring. `what`: public name of the free length, "m" or "rad" its unit.

    force: a table (extensions, forces), or a function of the extension, or of extension and speed. energy: a function
    of the extension whose derivative is the force. Raises ModelError for force together with energy, an invalid table
    or function, and invalid numbers.
    """
    if force is not None and energy is not None:
        raise ModelError(f"{thing}: give force= or energy=, not both (the force is the derivative of the energy)")
    law, stored = None, None
    if energy is not None:
        stored = _traced(energy, 1, f"energy of {thing}")
        law = derivative([stored], only(EXTENSION))[0]
        stored = stored - _at_zero(stored)
    elif callable(force):
        law = _traced(force, 2, f"force of {thing}")
        stored = _integral(law, thing)
    elif force is not None:
        law, stored = _table(force, thing)
    return SpringLaw(
        number(stiffness, f"stiffness of {thing}", STIFFNESS[unit]),
        number(damping, f"damping of {thing}", DAMPING[unit]),
        number(length, f"{what} of {thing}", unit),
        law,
        None if stored is None or is_literal(stored, 0.0) else stored,
    )


def require_law(law: SpringLaw, thing: str) -> None:
    """Raise ModelError for a spring without any force."""
    if law.law is None and is_literal(law.stiffness, 0.0) and is_literal(law.damping, 0.0):
        raise ModelError(f"{thing} does nothing: give stiffness=, damping=, force= or energy=")


def substituted(expression: Expression, extension: Expression, speed: Expression) -> Expression:
    """Return a law with its placeholders replaced."""
    values = {EXTENSION: extension, SPEED: speed}
    return rebuild([expression], lambda n: values.get(n.value) if n.op == "leaf" else None)[0]


def _traced(function: Callable[..., Any], most: int, thing: str) -> Expression:
    """Return the function's expression of the placeholders; the function is called once."""
    if not callable(function):
        raise ModelError(f"{thing} must be a function of the extension, not {display(function)}")
    try:
        count = len([p for p in inspect.signature(function).parameters.values() if p.default is p.empty])
    except (TypeError, ValueError):
        count = 1
    if not 1 <= count <= most:
        many = "the extension" if most == 1 else "the extension, or of extension and speed"
        raise ModelError(f"{thing} must be a function of {many}: this one takes {count} arguments")
    return number(traced(function, thing, *(leaf(r) for r in (EXTENSION, SPEED)[:count])), thing)


def _is_regular(law: Expression) -> bool:
    """True if a law is finite at zero extension, as far as literals show."""
    try:
        value = substituted(law, ZERO, leaf(SPEED))
    except (ArithmeticError, ModelError, ValueError):
        return False
    return not is_literal(value) or math.isfinite(value.value)


def _at_zero(stored: Expression) -> Expression:
    """Return the energy at zero extension, the zero of energy; zero if it is not finite."""
    return substituted(stored, ZERO, ZERO) if _is_regular(stored) else ZERO


def _table(force: SpringTable, thing: str) -> tuple[Expression, Expression]:
    """Return linear interpolation, constant beyond the ends, and its exact integral from zero extension."""
    try:
        points, values = ([float(x) for x in column] for column in force)
        x = leaf(EXTENSION)
        return table(x, points, values), area(x, points, values) - area(ZERO, points, values)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"force of {thing} must be a function or a table (extensions, forces) of equal lengths, extensions "
            f"strictly increasing: {error}"
        ) from None


def _integral(law: Expression, thing: str) -> Expression:
    """Return the integral of the law at rest from zero extension: exact for a table, else by Gauss-Legendre
    quadrature."""
    if EXTENSION not in leaves([law]):
        return ZERO
    if not _is_regular(law):
        raise ModelError(
            f"force of {thing} has no value at extension zero, from where its energy would count: give length=, a "
            "distance at which it has one, or energy= instead, whose derivative it is"
        )
    if law.op == "mul" and is_literal(law.args[0]):
        return law.args[0] * _integral(law.args[1], thing)
    if law.op == "table" and law.args[0].value == EXTENSION:
        x, *entries = law.args
        return Expression("area", (x, *entries), law.value) - Expression("area", (ZERO, *entries), law.value)
    x, total = leaf(EXTENSION), ZERO
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    for node, weight in zip(nodes, weights, strict=True):
        try:
            total = total + 0.5 * weight * substituted(law, 0.5 * (1.0 + node) * x, ZERO)
        except ZeroDivisionError:
            raise ModelError(f"force of {thing} divides by the speed, which may be zero: write it without") from None
    return total * x
