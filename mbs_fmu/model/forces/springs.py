"""Springs between two points or on a joint coordinate: linear, tables or formulas, each with a damper."""

from __future__ import annotations

from typing import Literal

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import Expression, as_expression, is_literal, sqrt, where
from ..bodies.shapes import ConnectingLine
from ..data import ModelData
from ..effects import Action, Check, Effect
from ..geometry.vectors import numbers
from ..items import AlongPlace, Body
from ..names import new_name
from .characteristics import AlongNumber, SpringEnergy, SpringForce, SpringLaw, require_law, spring_law
from .lines import AlongLine
from .places import add_force, checked_place, known_unit, two_bodies


@dataclass(frozen=True, eq=False)
class PointSpring(AlongLine):
    """Tension along the line between two points, x their distance beyond the free length."""

    elastic: SpringLaw

    @property
    def thing(self) -> str:
        return f"spring {self.name!r}"

    @property
    def connecting_lines(self) -> list[ConnectingLine]:
        return [ConnectingLine("spring", self.a, self.at_a, self.b, self.at_b)]

    def effect(self) -> Effect:
        """Return the tension along the line, on a from a to b."""
        elastic, span = self.elastic, self.span()
        x, speed = span.distance - elastic.length, span.speed
        if elastic.law is None and is_literal(elastic.length, 0.0):  # avoids a division by the length in its first part
            per_metre = elastic.stiffness + elastic.damping * speed / span.safe
            strength = per_metre * span.distance
        else:
            strength = elastic.resistance(x, speed)
            per_metre = strength / span.safe
        return Effect(
            Action(span.pull(per_metre)),
            strength,
            elastic.energy(x),
            dissipates=self.drawn(span, elastic.dissipation(x, speed)),
        )

    def start_checks(self) -> list[Check]:
        """Return the check that the points differ: with a free length, the tension needs a direction."""
        length = self.elastic.length
        if is_literal(length, 0.0):
            return []
        distance, message = self.ends_apart("move an attachment point or a start value, or give it length=0")
        apart = distance - 1e-12 * sqrt(length * length)
        return [(where(length * length <= 0.0, as_expression(1.0), apart), message)]


@dataclass(frozen=True, eq=False)
class Spring(AlongPlace):
    """Spring, elastic stop or elastic coupling along a place. word: its kind in messages."""

    law: AlongNumber
    word: str = "spring"

    @property
    def thing(self) -> str:
        return f"{self.word} {self.name!r}"

    def effect(self) -> Effect:
        """Return the effect; the strength is the force along the place, the multiplier of a rigid coupling."""
        strength, dissipated, stored = self.law.push(self.place.number, self.place.rate)
        return Effect(self.place.along(strength), strength, stored, dissipates=self.place.along(dissipated))


def spring(
    model: ModelData,
    name: str,
    a: str | Body | None = None,
    b: str | Body | None = None,
    *,
    on: str | Body | None = None,
    coordinate: int | None = None,
    at_a: Components = (0.0, 0.0, 0.0),
    at_b: Components = (0.0, 0.0, 0.0),
    stiffness: Quantity = 0.0,
    damping: Quantity = 0.0,
    length: Quantity = 0.0,
    force: SpringForce | None = None,
    energy: SpringEnergy | None = None,
    against: str | Body | None = None,
    along: Expression | None = None,
    unit: Literal["m", "rad"] = "m",
) -> None:
    """Add a spring and damper, between two points, on a joint coordinate or along an equation.

    Between points `at_a` of body `a` and `at_b` of body `b` (m, body axes): a tension of stiffness x + damping dx/dt
    along the line, with the extension x = distance - length. On a joint coordinate (`on`, and `coordinate` from 1 if
    the joint has several): a force or torque of -stiffness x - damping u, with x = q - length. against: another body; q
    is then the coordinate minus the only coordinate of that body, on whose joint the opposite acts (an elastic shaft).
    stiffness: N/m or N.m/rad; damping: N.s/m or N.m.s/rad; length: m or rad. All may be expressions.

    along: an expression g of coordinates, positions, orientations and modal coordinates, parameters, inputs, states and
    time. The spring is then a force f = -stiffness x - damping dx/dt, x = g - length, along it: the generalized forces
    f dg/du, so that the power is f dg/dt; inputs and states are constant in dg/dt. unit: of g, "m" or "rad".

    force: an additional table (extensions, forces), interpolated linearly and constant beyond its ends, or a function
    of x, or of x and dx/dt, that returns an expression. energy, instead of force: a function of x, whose derivative is
    the force.

    Raises ModelError for a name in use, an unknown body, more or less than one of bodies, `on` and `along`, an invalid
    number or table, force together with energy, a spring without any force, and an equation in which nothing moves or
    that contains rates.
    """
    new_name(model, name, "force")
    thing = f"spring {name!r}"
    if on is None and along is None:
        if against is not None:
            raise ModelError(f"{thing}: against= is for springs on joint coordinates: give on= too")
        law = spring_law(stiffness, damping, length, force, energy, "m", thing)
        ends = two_bodies(model, a, b, thing, "two bodies, or on= with a joint coordinate")
        places = numbers(at_a, 3, f"at_a of {thing}", "m"), numbers(at_b, 3, f"at_b of {thing}", "m")
        require_law(law, thing)
        add_force(model, PointSpring(name, ends[0], places[0], ends[1], places[1], law), thing)
        return
    if a is not None or b is not None:
        raise ModelError(f"{thing}: give either two bodies or {'on=' if along is None else 'along='}, not both")
    place, own = checked_place(model, thing, on, coordinate, against, along, "spring")
    law = spring_law(stiffness, damping, length, force, energy, own or known_unit(unit, thing), thing)
    require_law(law, thing)
    add_force(model, Spring(name, place, law), thing)
