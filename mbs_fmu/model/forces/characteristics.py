"""Forces of springs (by stiffness, table or formula) and elastic ends, and the energy that goes with them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...messages.failures import display
from ...symbolic.expressions import ZERO, Expression, area, clip, is_literal, leaf, table, where
from ...symbolic.graph import derivative, leaves, rebuild
from ..geometry.vectors import number, traced
from ..references.leaves import Stretch

EXTENSION, SPEED = Stretch("extension"), Stretch("speed")
STIFFNESS = {"m": "N/m", "rad": "N.m/rad"}  #: units along coordinates of either unit
DAMPING = {"m": "N.s/m", "rad": "N.m.s/rad"}
NODES = 8  #: of the quadrature of a formula: exact for polynomials of degree 15 in the extension


@dataclass(frozen=True, eq=False)
class Elastic:
    """The force of a spring: stiffness x + damping v + law, x the extension beyond `length`, v its rate.

    law: of the placeholders `Stretch`, or None. stored: the energy of the law, of the extension alone, or None.
    """

    stiffness: Expression
    damping: Expression
    length: Expression
    law: Expression | None = None
    stored: Expression | None = None

    def resistance(self, x: Expression, v: Expression) -> Expression:
        """The force of the spring at an extension x beyond `length`, whose rate is v."""
        total = self.stiffness * x + self.damping * v
        return total if self.law is None else total + substituted(self.law, x, v)

    def dissipation(self, x: Expression, v: Expression) -> Expression:
        """The part of `resistance` that vanishes at rest, which is what stores nothing."""
        total = self.damping * v
        if self.law is None:
            return total
        at_rest = ZERO if self.stored is None else substituted(self.law, x, ZERO)
        return total + (substituted(self.law, x, v) - at_rest)

    def energy(self, x: Expression) -> Expression:
        """Stored energy, J: the integral of `resistance` at rest, from zero to x."""
        total = 0.5 * self.stiffness * x * x
        return total if self.stored is None else total + substituted(self.stored, x, ZERO)


@dataclass(frozen=True, eq=False)
class Ends:
    """The force of elastic ends of a number, below `lower` and above `upper`: springs and dampers.

    Beyond an end k x, and a damper whose force is at most that: the sum never pulls, and starts from zero (ElastoGap of
    the Modelica Standard Library).
    """

    lower: Expression | None
    upper: Expression | None
    stiffness: Expression
    damping: Expression

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Along the number, from its rate: the whole force, the dampers' part, and the springs' energy, J."""
        total = [ZERO, ZERO, ZERO]
        for bound, sign in ((self.lower, -1.0), (self.upper, 1.0)):
            if bound is not None:
                x = sign * (number - bound)
                pushed = self._beyond(x, sign * rate, sign)
                total = [done + self._where_touched(x, sign, more) for done, more in zip(total, pushed, strict=True)]
        return total[0], total[1], total[2]

    def _where_touched(self, x: Expression, sign: float, pushed: Expression) -> Expression:
        """Where both ends touch at one place, as teeth without backlash do, slopes are those of the upper one alone."""
        touched = where(x >= 0.0, pushed, ZERO)
        if sign > 0.0 or self.lower is None or self.upper is None:
            return touched
        return where(self.lower < self.upper, touched, where(x > 0.0, pushed, ZERO))

    def _beyond(self, x: Expression, v: Expression, sign: float) -> tuple[Expression, Expression, Expression]:
        """The same where an end is pressed in by x, not negative, whose rate is v."""
        spring = self.stiffness * x
        damper = ZERO if is_literal(self.damping, 0.0) else clip(self.damping * v, -spring, spring)
        return -sign * (spring + damper), -sign * damper, 0.5 * self.stiffness * x * x


@dataclass(frozen=True, eq=False)
class Shaft:
    """The torque of a shaft or belt where a number is not zero: a spring and a damper, to both sides."""

    stiffness: Expression
    damping: Expression

    def push(self, number: Expression, rate: Expression) -> tuple[Expression, Expression, Expression]:
        """Along the number, from its rate: the whole force, the damper's part, and the spring's energy, J."""
        dissipated = -self.damping * rate
        return dissipated - self.stiffness * number, dissipated, 0.5 * self.stiffness * number * number


def elastic(
    stiffness: Any, damping: Any, length: Any, force: Any, energy: Any, unit: str, thing: str, what: str = "length"
) -> Elastic:
    """The checked law of a spring. `what` is the name that users know the free length by, "m" or "rad" its unit.

    force: (extensions, forces) as a table, or a function of the extension, or of extension and speed. energy: a
    function of the extension whose derivative is the force.
    """
    if force is not None and energy is not None:
        raise ModelError(f"{thing}: give force= or energy=, not both (the force is the derivative of the energy)")
    law, stored = None, None
    if energy is not None:
        stored = _traced(energy, 1, f"energy of {thing}")
        law = derivative([stored], lambda r: Expression("const", value=1.0) if r == EXTENSION else ZERO)[0]
        stored = stored - _at_zero(stored)
    elif callable(force):
        law = _traced(force, 2, f"force of {thing}")
        stored = _integral(law, thing)
    elif force is not None:
        law, stored = _table(force, thing)
    return Elastic(
        number(stiffness, f"stiffness of {thing}", STIFFNESS[unit]),
        number(damping, f"damping of {thing}", DAMPING[unit]),
        number(length, f"{what} of {thing}", unit),
        law,
        None if stored is None or is_literal(stored, 0.0) else stored,
    )


def require_law(law: Elastic, thing: str) -> None:
    """ModelError for a spring that never resists."""
    if law.law is None and is_literal(law.stiffness, 0.0) and is_literal(law.damping, 0.0):
        raise ModelError(f"{thing} does nothing: give stiffness=, damping=, force= or energy=")


def substituted(expression: Expression, extension: Expression, speed: Expression) -> Expression:
    """A law with its placeholders replaced."""
    values = {EXTENSION: extension, SPEED: speed}
    return rebuild([expression], lambda n: values.get(n.value) if n.op == "leaf" else None)[0]


def _traced(function: Callable[..., Any], most: int, thing: str) -> Expression:
    """The function's formula, of the placeholders; called once."""
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
    """True if a law has a value at extension zero, as far as literals show."""
    try:
        found = substituted(law, ZERO, leaf(SPEED))
    except (ArithmeticError, ModelError, ValueError):
        return False
    return not is_literal(found) or math.isfinite(found.value)


def _at_zero(stored: Expression) -> Expression:
    """Energy at extension zero, from where energies count; zero where that is nothing finite."""
    return substituted(stored, ZERO, ZERO) if _is_regular(stored) else ZERO


def _table(force: Any, thing: str) -> tuple[Expression, Expression]:
    """Linear interpolation, constant beyond the ends, and its exact integral from extension zero."""
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
    """The integral of the law at rest from extension zero: of a table exactly, else by Gauss and Legendre."""
    if EXTENSION not in leaves([law]):
        return ZERO
    if not _is_regular(law):
        raise ModelError(
            f"force of {thing} has no value at extension zero, from where its energy would count: give length=, a "
            "distance at which it has one, or energy= instead, whose derivative it is"
        )
    if law.op == "table" and law.args[0].value == EXTENSION:
        return area(law.args[0], *law.value) - area(ZERO, *law.value)
    x, total = leaf(EXTENSION), ZERO
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    for node, weight in zip(nodes, weights, strict=True):
        try:
            total = total + 0.5 * weight * substituted(law, 0.5 * (1.0 + node) * x, ZERO)
        except ZeroDivisionError:
            raise ModelError(f"force of {thing} divides by the speed, which may be zero: write it without") from None
    return total * x
