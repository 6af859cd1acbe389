"""Compliant contacts of plane curves: gaps at foot points, whose contact parameters are states (C16)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from functools import reduce

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, leaf, min, where
from ...symbolic.graph import derivative, rebuild
from ...symbolic.vectors import ORIGIN, Vector
from ..closures import Conditions, ContactParameter, Symbol
from ..closures.closure import contact_names
from ..closures.conditions import Attached
from ..closures.curves import CurvePair
from ..closures.tangency import contact_changes
from ..effects import Check, Foot
from ..geometry.anchors import point_velocity, spin
from ..references.leaves import FailedStep, Signal
from ..references.naming import A_NAME
from .contact_surfaces import Gap, Surface

RETURN = 100.0  #: 1/s, rate at which errors of contact parameters decay
#: Largest Newton's step of a contact parameter, by its unit, with which it counts as that of a foot point.
OFF = {"rad": 0.01, "m": 1e-3}
AHEAD = 20.0  #: where checks look after a failed step, in units of what is looked at: a tenth of a fixed step
LOST = 2.0  #: the same, in units of this step, beyond which the rate of the parameter is infinite, so that steps fail


@dataclass(frozen=True, eq=False)
class Curved(Surface):
    """The curve of a of a pair, which also says what meets it. states: names of the contact parameters."""

    pair: CurvePair
    states: tuple[str, ...] = field(metadata=A_NAME)

    @property
    def size(self) -> Expression | None:
        return self.pair.widths[0]

    @property
    def parameters(self) -> list[Expression]:
        """The contact parameters of all curves."""
        return [leaf(Signal("state", name)) for name in self.states]


@dataclass(frozen=True, eq=False)
class Follower(Surface):
    """The counterpart of the curve of a: a point, a roller or a curve. width: m, None for a point and a flat face."""

    width: Expression | None

    @property
    def size(self) -> Expression | None:
        return self.width


def surfaces(name: str, pair: CurvePair, a: Surface, b: Surface) -> tuple[Curved, Follower]:
    """Return the surfaces of a contact of this name; a, b: the frames on both bodies."""
    states = tuple(contact_names(name, len(pair.foot_units)))
    on_a = Curved(a.body, a.origin, a.rotation, pair, states)
    return on_a, Follower(b.body, b.origin, b.rotation, pair.widths[1])


def follower_on_curve(a: Curved, b: Follower) -> Gap:
    """Return the gap at the foot points; it does not change with the contact parameters (L18)."""
    feet = a.pair.feet("")
    (row,) = feet.conditions.rows
    gap, *vectors = _in_world(a, b, feet.conditions, [row.condition, *feet.normal, *feet.point])
    return Gap(-gap, Vector(vectors[:3]), Vector(vectors[3:]) - b.center)


def foot_rates(a: Curved, b: Follower) -> list[Expression]:
    """Return the rates of the contact parameters (C16).

    They are not finite if the parameters are far from the foot points or these do not exist: the checks fail there.
    """
    conditions = a.pair.feet("").conditions
    tangencies = [tangency for tangency, _ in conditions.contacts]
    steps = _solved(tangencies, tangencies)
    near = [_excess(step, unit, LOST) for step, unit in zip(steps, a.pair.foot_units, strict=True)]
    least = reduce(min, [*near, *(value for value, _ in conditions.checks)])
    valid = where(least > 0.0, 1.0, 0.0)
    return _in_world(a, b, conditions, [rate / valid for rate in _changes(conditions)])


def feet_of(a: Curved, b: Follower) -> list[Foot]:
    """Return the contact parameters with Newton's steps."""
    conditions = a.pair.feet("").conditions
    tangencies = [tangency for tangency, _ in conditions.contacts]
    guesses = _in_world(a, b, conditions, [guess for _, guess in conditions.contacts])
    steps = _in_world(a, b, conditions, _solved(tangencies, tangencies))
    return [Foot(*x) for x in zip(a.states, guesses, steps, strict=True)]


def foot_checks(a: Curved, b: Follower, thing: str) -> list[Check]:
    """Return numbers that are positive if the curves can touch, and if the parameters are those of foot points."""
    conditions = a.pair.feet(thing).conditions
    given = [value for value, _ in conditions.checks]
    moving = derivative(given, lambda symbol: _rate(symbol, _changes(conditions)))
    values = [value + rate * (AHEAD * leaf(FailedStep())) for value, rate in zip(given, moving, strict=True)]
    values = _in_world(a, b, conditions, values)
    checks = list(zip(values, [text for _, text in conditions.checks], strict=True))
    lost = (
        f"{thing} has left its foot point: its contact parameter does not follow the motion: give shorter steps or a "
        "smaller tolerance, and do not reset it"
    )
    feet = zip(feet_of(a, b), a.pair.foot_units, strict=True)
    return [*a.pair.parameter_checks(thing), *checks, *((_excess(foot.step, unit, 1.0), lost) for foot, unit in feet)]


def _excess(step: Expression, unit: str, share: float) -> Expression:
    """Return a number that is positive while Newton's step is less than a share of the largest one."""
    most = share * OFF[unit]
    return most * most - step * step


def _solved(tangencies: Sequence[Expression], values: Sequence[Expression]) -> list[Expression]:
    return contact_changes([ContactParameter(k) for k in range(len(tangencies))], tangencies, values)


def _changes(conditions: Conditions) -> list[Expression]:
    """Return the rates of the contact parameters, in symbols."""
    tangencies = [tangency for tangency, _ in conditions.contacts]
    moving = derivative(tangencies, _rate)
    return _solved(tangencies, [rate + RETURN * x for rate, x in zip(moving, tangencies, strict=True)])


def _rate(reference: object, changes: Sequence[Expression] = ()) -> Expression:
    """Return the rate of a symbol; changes: the rates of the contact parameters, by default zero."""
    if isinstance(reference, ContactParameter) and changes:
        return changes[reference.k]
    return leaf(Symbol(reference.vector, reference.k, rate=True)) if isinstance(reference, Symbol) else ZERO


def _in_world(a: Curved, b: Follower, conditions: Conditions, expressions: Sequence[Expression]) -> list[Expression]:
    """Return expressions of the symbols of conditions as expressions of the bodies and the contact parameters."""
    sides = (a, b)
    vectors = [_vector(sides[at.side], at) for at in conditions.vectors]
    parameters = a.parameters

    def replaced(node: Expression) -> Expression | None:
        symbol = node.value
        if isinstance(symbol, ContactParameter):
            return parameters[symbol.k]
        if not isinstance(symbol, Symbol):
            return None
        if not symbol.rate:
            return vectors[symbol.vector][symbol.k]
        at = conditions.vectors[symbol.vector]
        return _velocity(sides[at.side], at, vectors[symbol.vector])[symbol.k]

    return rebuild(expressions, lambda node: replaced(node) if node.op == "leaf" else None)


def _vector(surface: Surface, at: Attached) -> Vector:
    """Return a vector that is attached to a side, in world axes."""
    if at.local is None:
        return surface.center
    return sum((axis * x for axis, x in zip(surface.axes, at.local, strict=True)), start=ORIGIN)


def _velocity(surface: Surface, at: Attached, vector: Vector) -> Vector:
    """Return the rate of such a vector."""
    return point_velocity(surface.body, surface.origin) if at.local is None else spin(surface.body).cross(vector)
