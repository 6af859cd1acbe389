"""Prescribed pulls along the line between two points, with friction and stops along it."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import ZERO, Expression
from ..bodies.shapes import ConnectingLine
from ..data import ModelData
from ..effects import Check, Effect
from ..geometry.vectors import number, numbers
from ..items import BodyOrName
from ..names import new_name
from .characteristics import Ends
from .lines import AlongLine
from .places import add_force, two_bodies


@dataclass(frozen=True, eq=False)
class Pull(AlongLine):
    """Prescribed tension along a line, viscous friction (N.s/m) of its length, and stops of its length.

    kind: word for it in messages. stroke: shortest and longest distance at a start, m, with messages on others.
    """

    law: Expression
    viscous: Expression = ZERO
    ends: Ends | None = None
    kind: str = "pull"
    stroke: tuple[tuple[Expression, str], tuple[Expression, str]] | None = None

    @property
    def thing(self) -> str:
        return f"{self.kind} {self.name!r}"

    @property
    def connecting_lines(self) -> list[ConnectingLine]:
        return [ConnectingLine("rod", self.a, self.at_a, self.b, self.at_b)]

    def effect(self) -> Effect:
        """Return the tension: the law, that of friction, minus the force with which the stops push."""
        span = self.span()
        stopped = (ZERO, ZERO, ZERO) if self.ends is None else self.ends.push(span.distance, span.speed)
        resisted = self.viscous * span.speed
        total, dissipated = self.law + resisted - stopped[0], resisted - stopped[1]
        return Effect(
            self.drawn(span, total),
            total,
            stopped[2],
            dissipates=self.drawn(span, dissipated),
            prescribed=self.drawn(span, self.law),
        )

    def start_checks(self) -> list[Check]:
        apart = self.ends_apart("move an attachment point or a start value")
        if self.stroke is None:
            return [apart]
        (shortest, near), (longest, far) = self.stroke
        distance = self.span().distance
        beyond = ((distance - shortest, near), (longest - distance, far))
        return [apart, *((margin, f"{self.thing}: {message}") for margin, message in beyond)]


def pull(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    *,
    force: Quantity,
    at_a: Components = (0.0, 0.0, 0.0),
    at_b: Components = (0.0, 0.0, 0.0),
) -> None:
    """Add a prescribed tension along the line between two points: of an actuator, or of a rope that is wound up.

    at_a, at_b: the points on bodies a and b, m, body axes; either body may be "world". force: N, positive if it draws
    the points together; it may be an expression of anything. Unlike the force of a spring it stores no energy:
    `mbs.power(name)` is supplied from outside. `mbs.strength(name)` is the tension.

    Raises ModelError for a name in use, unknown or equal bodies, and a force that is not a number; a start at which
    both points coincide raises it too, since the line then has no direction.
    """
    new_name(model, name, "force")
    thing = f"pull {name!r}"
    ends = two_bodies(model, a, b, thing, "two bodies")
    places = numbers(at_a, 3, f"at_a of {thing}", "m"), numbers(at_b, 3, f"at_b of {thing}", "m")
    law = number(force, f"force of {thing}", "N")
    add_force(model, Pull(name, ends[0], places[0], ends[1], places[1], law), thing)
