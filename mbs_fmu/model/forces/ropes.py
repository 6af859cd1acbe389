"""Ropes through eyes of bodies: one tension in all spans, or with friction one in each (A5), (A6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from itertools import pairwise
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, as_expression, atan2, exp, is_literal, max, min, sqrt
from ...symbolic.vectors import Vector
from ..bodies.shapes import ConnectingLine
from ..data import ModelData
from ..effects import Action, Check, Effect
from ..geometry.vectors import is_list, no_less_than_zero, number, numbers
from ..items import OnBodies
from ..names import new_name, place
from ..references.naming import A_NAME
from .lines import Span, span
from .places import add_force

ENTRY = 1e-3  #: m, extension up to which the damper of a rope grows
CREEP = 1e-3  #: m/s, default of `creep`
TINY = 1e-24  #: keeps the derivative of a root finite where its argument vanishes


@dataclass(frozen=True, eq=False)
class Eye:
    """A point of a body (m, body axes) through which a rope runs, or at which it is fixed."""

    body: str = field(metadata=A_NAME)
    at: Vector


@dataclass(frozen=True, eq=False)
class Capstan:
    """Friction of a rope on the eyes between its ends: Euler-Eytelwein's law, regularized in the sliding speed (A6).

    coefficients: of friction, one for each eye. turns: angles about the eyes beyond those between the spans, rad.
    creep: m/s, at which the logarithm of the ratio of tensions is 1/√2 of its limit.
    """

    coefficients: tuple[Expression, ...]
    turns: tuple[Expression, ...]
    creep: Expression

    def shares(self, spans: Sequence[Span], rate: Expression, length_rate: Expression) -> list[Expression]:
        """Return the tension of each span over the mean tension; rate: of the extension, m/s.

        All material is stretched alike, so that the speed at an eye is what the spans before it and their part of the
        extension leave. The mean of the shares, weighted by the lengths of the spans, is 1. The power of the tensions
        is then that of the mean tension along the extension, minus the friction, which is never negative.
        """
        whole = sum((s.distance for s in spans), start=as_expression(TINY))
        parts = [s.distance / whole for s in spans]
        ratios, sliding = [as_expression(1.0)], length_rate
        for k, (before, after) in enumerate(pairwise(spans)):
            sliding = sliding + parts[k] * rate - before.speed
            angle = _angle_between(before, after) + self.turns[k]
            slipping = sliding / sqrt(sliding * sliding + self.creep * self.creep)
            ratios.append(ratios[-1] * exp(self.coefficients[k] * angle * slipping))
        mean = sum((part * ratio for part, ratio in zip(parts, ratios, strict=True)), start=ZERO)
        return [ratio / mean for ratio in ratios]


def _angle_between(before: Span, after: Span) -> Expression:
    """Return the angle by which a rope turns between two spans, rad."""
    normal = before.line.cross(after.line)
    return atan2(sqrt(normal.dot(normal) + TINY), before.line.dot(after.line))


@dataclass(frozen=True, eq=False)
class Rope(OnBodies):
    """Elastic rope through eyes, which can only pull: T = max(0, k x + c x' min(x / 1 mm, 1)) for x > 0.

    x: sum of all spans minus `length`; x' includes `length_rate`. Spans on one body have a constant length and do no
    work. capstan: friction at the eyes, or None; T is then the mean tension. radius: m, in pictures.
    """

    eyes: tuple[Eye, ...]
    length: Expression
    length_rate: Expression
    stiffness: Expression
    damping: Expression
    capstan: Capstan | None = None
    radius: Expression | None = None

    @property
    def thing(self) -> str:
        return f"rope {self.name!r}"

    @property
    def connecting_lines(self) -> list[ConnectingLine]:
        return [ConnectingLine("rod", a.body, a.at, b.body, b.at, self.radius, thin=True) for a, b in self._pairs()]

    def effect(self) -> Effect:
        """Return the tensions of the spans, their mean, the energy of the extension, and the share of losses."""
        spans = self._spans()
        spring, total, _, stored = self._mean_tension(spans)
        tensions = [t for t, (a, b) in zip(self.tensions(), pairwise(self.eyes), strict=True) if a.body != b.body]
        return Effect(
            self._drawn(spans, tensions),
            total,
            stored,
            dissipates=self._drawn(spans, [t - spring for t in tensions]),
        )

    def tensions(self) -> tuple[Expression, ...]:
        """Return the tension of each span, N."""
        _, total, rate, _ = self._mean_tension(self._spans())
        if self.capstan is None:
            return (total,) * (len(self.eyes) - 1)
        return tuple(share * total for share in self.capstan.shares(self._all_spans(), rate, self.length_rate))

    def _mean_tension(self, spans: Sequence[Span]) -> tuple[Expression, Expression, Expression, Expression]:
        """Return the elastic and the whole mean tension, the rate of the extension, and its energy (A5)."""
        x = max(sum((s.distance for s in spans), start=self._fixed_length()) - self.length, ZERO)
        rate = sum((s.speed for s in spans), start=ZERO) - self.length_rate
        spring = self.stiffness * x
        total = max(spring + self.damping * rate * min(x / ENTRY, 1.0), ZERO)
        return spring, total, rate, 0.5 * spring * x

    def start_checks(self) -> list[Check]:
        """Return the checks that no span has length zero, at which it has no direction."""
        remedy = "move an eye or a start value"
        return [
            (
                s.distance,
                f"{self.thing}: its eyes on {s.a!r} and {s.b!r} coincide, so the span has no direction; {remedy}",
            )
            for s in self._spans()
        ]

    def _spans(self) -> list[Span]:
        """Return the spans between different bodies."""
        return [span(a.body, a.at, b.body, b.at) for a, b in self._pairs()]

    def _all_spans(self) -> list[Span]:
        """Return all spans, in their order; those on one body have no speed."""
        spans = [span(a.body, a.at, b.body, b.at) for a, b in pairwise(self.eyes)]
        return [s if s.a != s.b else replace(s, speed=ZERO) for s in spans]

    def _pairs(self) -> list[tuple[Eye, Eye]]:
        """Return the ends of each span between different bodies."""
        return [(a, b) for a, b in pairwise(self.eyes) if a.body != b.body]

    def _fixed_length(self) -> Expression:
        """Return the length of all spans on one body, m."""
        return sum(((b.at - a.at).norm() for a, b in pairwise(self.eyes) if a.body == b.body), start=ZERO)

    @staticmethod
    def _drawn(spans: Sequence[Span], tensions: Sequence[Expression]) -> Action:
        return Action(tuple(push for s, t in zip(spans, tensions, strict=True) for push in s.pull(t / s.safe)))


def rope(
    model: ModelData,
    name: str,
    through: Sequence[Any],
    *,
    length: Quantity,
    stiffness: Quantity,
    damping: Quantity = 0.0,
    length_rate: Quantity = 0.0,
    friction: Quantity | Sequence[Quantity] = 0.0,
    turns: Quantity | Sequence[Quantity] = 0.0,
    creep: Quantity = CREEP,
    radius: Quantity | None = None,
) -> tuple[Expression, ...]:
    """Add an elastic rope without mass that runs through eyes of bodies; return the tension of each span, N.

    through: two or more pairs (body, point), in their order along the rope; the points in m, body axes; a body may be
    "world", and may occur several times. The rope is fixed at the first and the last point and slides through the
    others, so without friction the tension is the same everywhere; `mbs.strength(name)` is that tension, N, or the
    mean tension.

    length: without tension, m. stiffness: N/m, of the whole rope; damping: N.s/m. With the extension x, the sum of all
    spans minus the length, the tension is stiffness x + damping dx/dt while x > 0, and zero otherwise: it never
    pushes. The damper grows over the first millimetre, so that the tension is continuous. A winch changes the length:
    an expression, with its rate in `length_rate` (m/s); the winch, at the first point, then supplies the power
    -length_rate times tension.

    friction: coefficient of friction, of all eyes between the ends or one for each. A rope that slides over an eye by
    the angle theta has tensions in the ratio exp(friction theta). theta is the angle between both spans plus `turns`
    (rad, of all eyes or one for each), such as 4 pi for two turns about a drum that does not rotate. The law is smooth:
    below the limit the rope creeps over the eye, at the limit times 1/√2 with the speed `creep`, m/s. All may be
    expressions.

    radius: m, of the rope in pictures; by default it is a thin line.

    Raises ModelError for a name in use, fewer than two points, unknown bodies, a rope all of whose points lie on one
    body, and numbers out of range.
    """
    new_name(model, name, "force")
    thing = f"rope {name!r}"
    if not is_list(through) or len(through) < 2:
        raise ModelError(f'{thing}: through is {display(through)}: give two or more pairs such as ("world", (0, 0, 1))')
    eyes = tuple(_eye(model, point, k, thing) for k, point in enumerate(through, start=1))
    if all(a.body == b.body for a, b in pairwise(eyes)):
        raise ModelError(f"{thing}: all its points lie on {eyes[0].body!r}, so it pulls nothing: give two bodies")
    law = Rope(
        name,
        eyes,
        number(length, f"length of {thing}", "m"),
        number(length_rate, f"length_rate of {thing}", "m/s"),
        no_less_than_zero(stiffness, f"stiffness of {thing}", "N/m", positive=True),
        no_less_than_zero(damping, f"damping of {thing}", "N.s/m"),
        _capstan(friction, turns, creep, len(eyes) - 2, thing),
        None if radius is None else no_less_than_zero(radius, f"radius of {thing}", "m", positive=True),
    )
    add_force(model, law, thing)
    return law.tensions()


def _capstan(friction: Any, turns: Any, creep: Any, count: int, thing: str) -> Capstan | None:
    """Return the checked friction on the eyes between the ends, or None without any; count: of these eyes."""
    coefficients = _for_each(friction, count, f"friction of {thing}", None)
    angles = _for_each(turns, count, f"turns of {thing}", "rad")
    speed = no_less_than_zero(creep, f"creep of {thing}", "m/s", positive=True)
    if all(is_literal(x, 0.0) for x in coefficients):
        if not all(is_literal(x, 0.0) for x in angles):
            raise ModelError(f"{thing}: turns= has no effect without friction: give friction= too")
        return None
    return Capstan(coefficients, angles, speed)


def _for_each(given: Any, count: int, what: str, unit: str | None) -> tuple[Expression, ...]:
    """Return numbers, one for each eye between the ends, from one or a list of them. Raises ModelError for others."""
    values = list(given) if is_list(given) else [given] * count
    if len(values) != count:
        raise ModelError(f"{what} is {display(given)}: give one number, or {count}, one for each eye between the ends")
    return tuple(no_less_than_zero(value, what, unit) for value in values)


def _eye(model: ModelData, point: Any, k: int, thing: str) -> Eye:
    """Return a checked point of a rope; k counts from 1."""
    if not isinstance(point, (tuple, list)) or len(point) != 2:
        raise ModelError(f"{thing}: point {k} is {display(point)}: give a pair (body, point in m, body axes)")
    return Eye(place(model, point[0], thing), numbers(point[1], 3, f"point {k} of {thing}", "m"))
