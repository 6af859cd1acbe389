"""Compliant contacts of shapes on two bodies, with friction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, max
from ...symbolic.vectors import ORIGIN, Vector
from ..effects import Action, Effect, Part, Push
from ..geometry.anchors import point_position, point_velocity, spin
from ..items import OnBodies
from ..references.naming import A_NAME, equal_key
from .contact_gaps import GAPS, Gap, Surface
from .contact_laws import Friction, Meeting, Normal

NO_LOAD = 1e-12  #: N, weight of each point in the centre of pressure, so that it exists without load
STEPS = 2.5  #: longest explicit step over the settling time; rk4 is stable up to 2.8


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """Contact of one surface on a and one on b; states: names of the states of its friction."""

    a: Surface
    b: Surface
    states: tuple[str, ...] = field(metadata=A_NAME)


@dataclass(frozen=True, eq=False)
class Touch:
    """Forces at one contact point, as expressions; vectors in world axes.

    depth: m, zero while apart. load: normal force, N. arm and back: vectors to the contact point from the origins of
    surfaces b and a, m. slip: tangential velocity of b relative to a, m/s. force and torque: on b, at the point.
    """

    depth: Expression
    load: Expression
    arm: Vector
    back: Vector
    slip: Vector
    force: Vector
    torque: Vector
    rates: tuple[Expression, ...]
    stored: Expression
    lost: Expression


@dataclass(frozen=True, eq=False)
class Contact(OnBodies):
    """Compliant contact of shapes at places of two bodies, at one or several contact points.

    at_a, at_b: origins of both places, m, body axes; with several points, forces are reduced to them.
    """

    a: str = field(metadata=A_NAME)
    b: str = field(metadata=A_NAME)
    at_a: Vector
    at_b: Vector
    points: tuple[ContactPoint, ...]
    normal: Normal
    friction: Friction

    @property
    def thing(self) -> str:
        return f"contact {self.name!r}"

    @property
    def longest_step(self) -> float:
        return STEPS * self.friction.settling_time

    def parts(self) -> Sequence[Part]:
        """Return the contact points."""
        law = equal_key((self.normal, self.friction))
        return [
            Part(
                partial(self._part, point), None if law is None else equal_key((point.a, point.b), law),
                (self.a, self.b), point.states,
            )
            for point in self.points
        ]  # fmt: skip

    def _part(self, point: ContactPoint) -> Effect:
        return self._effect([point], [self._touch(point)])

    def effect(self) -> Effect:
        touches = [self._touch(point) for point in self.points]
        effect = self._effect(self.points, touches)
        return replace(effect, measures=_measures(self.points, touches, effect.action.pushes[1].force))

    def _touch(self, point: ContactPoint) -> Touch:
        a, b = point.a, point.b
        gap: Gap = GAPS[type(a), type(b)](a, b)
        n, depth = gap.normal, max(gap.depth, 0.0)
        arm = gap.arm + n * (0.5 * depth)  # the point lies in the middle of the overlap (C2)
        back = b.center - a.center + arm
        velocity = point_velocity(b.body, b.origin) + spin(b.body).cross(arm)
        velocity = velocity - point_velocity(a.body, a.origin) - spin(a.body).cross(back)
        rate = velocity.dot(n)
        load = self.normal.force(depth, rate)
        turning = (spin(b.body) - spin(a.body)).dot(n)
        met = Meeting(n, a.turns, a.axes, velocity - n * rate, turning, load)
        friction = self.friction.resistance(met, point.states)
        damped = self.normal.elastic(depth) - load
        return Touch(
            depth, load, arm, back, met.slip, n * load - friction.force, n * -friction.torque,
            friction.rates, self.normal.stored(depth) + friction.stored, damped * rate + friction.lost,
        )  # fmt: skip

    def _effect(self, points: Sequence[ContactPoint], touches: Sequence[Touch]) -> Effect:
        """Return the effect of contact points: of one at the origins of its surfaces, of several at the places."""
        one = len(points) == 1
        at_a, at_b = (points[0].a.origin, points[0].b.origin) if one else (self.at_a, self.at_b)
        force, on_a, on_b = ORIGIN, ORIGIN, ORIGIN
        for point, touch in zip(points, touches, strict=True):
            arm, back = touch.arm, touch.back
            if not one:
                arm = point.b.center - point_position(self.b, at_b) + arm
                back = point.a.center - point_position(self.a, at_a) + back
            force = force + touch.force
            on_a, on_b = on_a - back.cross(touch.force) - touch.torque, on_b + arm.cross(touch.force) + touch.torque
        action = Action((Push(self.a, at_a, -force, on_a), Push(self.b, at_b, force, on_b)))
        pairs = [pair for point, touch in zip(points, touches, strict=True) for pair in zip(point.states, touch.rates)]
        load, stored, lost = (
            sum((getattr(touch, name) for touch in touches), start=ZERO) for name in ("load", "stored", "lost")
        )
        return Effect(action, load, stored, rates=tuple(pairs), lost=lost)


def _measures(
    points: Sequence[ContactPoint], touches: Sequence[Touch], force: Vector
) -> dict[str, tuple[Vector | None, ...]]:
    """Return the measures of contacts, the total first and then those of each point; force: N, on b."""
    places = [point.b.center + touch.arm for point, touch in zip(points, touches, strict=True)]
    deepest, weight, moment = ZERO, ZERO, ORIGIN
    for place, touch in zip(places, touches, strict=True):
        deepest = max(touch.depth, deepest)
        weight, moment = weight + touch.load + NO_LOAD, moment + place * (touch.load + NO_LOAD)
    one = len(touches) == 1
    return {
        "penetration": (Vector([deepest]), *(Vector([touch.depth]) for touch in touches)),
        "slip": (touches[0].slip if one else None, *(touch.slip for touch in touches)),
        "contact_point": (places[0] if one else moment / weight, *places),
        "contact_force": (force, *(touch.force for touch in touches)),
    }
