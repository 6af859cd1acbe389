"""Compliant contacts of shapes on two bodies, with friction."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import partial, reduce
from typing import Any

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, max, min, sqrt, where
from ...symbolic.vectors import ORIGIN, Vector
from ..bodies.shapes import Shape
from ..effects import CENTER, NOTHING, STRENGTH, Action, Balls, Check, Effect, Foot, Part, Push
from ..geometry.anchors import point_position, point_velocity, spin
from ..geometry.poses import Pose
from ..items import OnBodies
from ..references.kinds import Kind, common_key, kind_of, numbers_of, with_all_numbers
from ..references.naming import A_NAME
from .contact_bounds import bounds_of
from .contact_curves import RETURN, Curved, Follower, feet_of, foot_checks
from .contact_gaps import gap_between
from .contact_laws import Friction, Sliding
from .contact_shapes import Place
from .contact_surfaces import Ball, Gap, Ground, Patch, Surface
from .normal_laws import Normal

NO_LOAD = 1e-12  #: N, added to the load of each point, so that the centre of pressure exists without load
SAME = 1e-9  #: m, extent of points that counts as zero
STEPS = 2.5  #: longest explicit step, in settling times; rk4 is stable up to 2.8


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """One surface on a and one on b, which can touch at one point.

    states: names of the states of its friction. lever: half the width of the narrower shape, m, or None if friction
    does not resist rolling.
    """

    a: Surface
    b: Surface
    states: tuple[str, ...] = field(metadata=A_NAME)
    lever: Expression | None = None


@dataclass(frozen=True, eq=False)
class Touch:
    """Geometry, velocity, forces and energy of one contact point; vectors in world axes.

    gap: depth, m, negative while apart, or another number, cheaper to compute, that is negative while apart. depth: m,
    zero while apart. sliding: arguments of the law of friction. load: normal force, N. arm_b, arm_a: vectors to the
    contact point from the origins of surfaces b and a, m. slip: tangential velocity of b relative to a, m/s. force,
    torque: on b at the point, N and N.m. rates: those of the states of friction. stored: energy, J. lost: power that is
    dissipated, W. slides: 1 if friction is at its limit, else 0.
    """

    gap: Expression
    depth: Expression
    sliding: Sliding
    load: Expression
    arm_b: Vector
    arm_a: Vector
    slip: Vector
    force: Vector
    torque: Vector
    rates: tuple[Expression, ...]
    stored: Expression
    lost: Expression
    slides: Expression


@dataclass(frozen=True, eq=False)
class Pressed:
    """Normal force at a contact point. load: N. torque: on b, N.m, world axes. lost: power that is dissipated, W."""

    load: Expression
    torque: Vector
    lost: Expression


@dataclass(frozen=True, eq=False)
class Contact(OnBodies):
    """Compliant contact between shapes on two bodies, with one or several contact points.

    at_a, at_b: the places of the shapes on both bodies, m, body axes; with several contact points, the reference points
    of the total wrenches. solids: shapes in pictures, each with its frame on a body.
    """

    a: str = field(metadata=A_NAME)
    b: str = field(metadata=A_NAME)
    at_a: Vector
    at_b: Vector
    points: tuple[ContactPoint, ...]
    normal: Normal
    friction: Friction
    solids: tuple[tuple[Place, Shape], ...] = field(metadata=A_NAME)

    @cached_property
    def shapes(self) -> Sequence[tuple[str, Shape]]:  # type: ignore[override]
        return [(body, shape.within(origin, turned)) for (body, origin, turned), shape in self.solids]

    @property
    def grounds(self) -> Sequence[tuple[str, Pose, Any]]:
        surfaces = {id(p.a): p.a for p in self.points if isinstance(p.a, Ground)}
        return [(a.body, Pose(a.origin, a.rotation), a.road) for a in surfaces.values()]

    @property
    def thing(self) -> str:
        return f"contact {self.name!r}"

    @property
    def contact_points(self) -> int:
        return len(self.points)

    @property
    def longest_step(self) -> float:
        """Longest step of explicit methods with fixed steps, s."""
        settling = self.friction.settling_time
        return STEPS * (builtins.min(settling, 1.0 / RETURN) if self._curves else settling)

    @property
    def _curves(self) -> list[tuple[Curved, Follower]]:
        """The points at which curves touch."""
        pairs = [(point.a, point.b) for point in self.points]
        return [(a, b) for a, b in pairs if isinstance(a, Curved) and isinstance(b, Follower)]

    def feet(self) -> Sequence[Foot]:
        return [foot for pair in self._curves for foot in feet_of(*pair)]

    def start_checks(self) -> Sequence[Check]:
        return [check for pair in self._curves for check in foot_checks(*pair, self.thing)]

    def sizes(self) -> list[Expression]:
        """Return the width, m, of the narrower of the two shapes at each point; infinite if neither has a width."""
        return widths([(point.a, point.b) for point in self.points])

    def parts(self) -> Sequence[Part]:
        """Return the effects of the contact points; those with laws and surfaces of the same kinds are traced once."""
        surfaces = {id(surface): surface for point in self.points for surface in (point.a, point.b)}
        kinds = {key: kind_of(surface) for key, surface in surfaces.items()}
        laws = kind_of((self.normal, self.friction))
        pairs = bounds_of([(point.a, point.b) for point in self.points])
        bounds = {id(pair): None if pair is None else self._bound(*pair) for pair in pairs}
        return [
            self._part(point, bounds[id(pair)], laws, kinds[id(point.a)], kinds[id(point.b)], kind_of(point.lever))
            for point, pair in zip(self.points, pairs, strict=True)
        ]

    def _part(self, point: ContactPoint, bound: Part | Balls | None, *kinds: Kind) -> Part:
        """Return the effect of one contact point; kinds: of the laws, the surfaces on a and b, and the lever."""

        def with_numbers(numbers: Sequence[Expression]) -> Effect:
            (normal, friction), a, b, lever = with_all_numbers(kinds, numbers)
            one = ContactPoint(a, b, point.states, lever)
            return replace(self, points=(one,), normal=normal, friction=friction)._at_point(one)

        own = point.a.states if isinstance(point.a, Curved) else ()
        return Part(
            partial(self._at_point, point), common_key(Contact, kinds), (self.a, self.b), (*own, *point.states),
            numbers_of(kinds), with_numbers, bound,
        )  # fmt: skip

    def _bound(self, a: Surface, b: Surface) -> Part | Balls:
        """Return the bound of two shapes: two balls that contain them, or the overlap of other surfaces, as a part."""
        if isinstance(a, Ball) and isinstance(b, Ball):
            return Balls((_centered(a), _centered(b)), float(a.radius.value + b.radius.value))
        kinds = kind_of(a), kind_of(b)

        def with_numbers(numbers: Sequence[Expression]) -> Effect:
            return _overlap(*with_all_numbers(kinds, numbers))

        return Part(
            partial(_overlap, a, b), common_key(_overlap, kinds), (self.a, self.b), (), numbers_of(kinds), with_numbers
        )

    def _at_point(self, point: ContactPoint) -> Effect:
        """Return the effect of one contact point, which is cheaper while it does not touch."""
        touch = self.touch(point)
        measures: dict[str, tuple[Vector | None, ...]] = {x: (y,) for x, y in _of_point(point, touch).items()}
        return replace(self._effect([point], [touch]), depth=touch.gap, measures=measures)

    def effect(self) -> Effect:
        touches = [self.touch(point) for point in self.points]
        points = [_of_point(*pair) for pair in zip(self.points, touches, strict=True)]
        measures = {x: (total, *(point[x] for point in points)) for x, total in _totals(points).items()}
        return replace(self._effect(self.points, touches), measures=measures)

    def totals(self, points: Sequence[Mapping[str, Vector]]) -> Mapping[str, Vector | None]:
        return _totals(points)

    def touch(self, point: ContactPoint) -> Touch:
        """Return the geometry and forces of one contact point (C1)-(C14)."""
        a, b = point.a, point.b
        gap = gap_between(a, b)
        n, depth = gap.normal, max(gap.depth, 0.0)
        arm_b = gap.arm + n * (0.5 * depth)  # the contact point lies in the middle of the overlap (C2)
        arm_a = b.center - a.center + arm_b
        velocity = point_velocity(b.body, b.origin) + spin(b.body).cross(arm_b)
        velocity = velocity - point_velocity(a.body, a.origin) - spin(a.body).cross(arm_a)
        rate, rotation = velocity.dot(n), spin(b.body) - spin(a.body)
        pressed = self._pressed(gap, depth, n, rate, rotation, a.axes)
        spins = rotation.dot(n)
        size = () if gap.patch is None else (gap.patch.radius, gap.patch.scale)
        slip, rolling = velocity - n * rate, rotation - n * spins
        sliding = Sliding(n, a.turns, a.axes, slip, spins, rolling, pressed.load, self._lever(point), *size)
        friction = self.friction.resistance(sliding, point.states)
        apart = gap.depth if gap.patch is None else gap.patch.separation
        free = self.friction.free_rates(point.states)
        rates = tuple(where(apart <= 0.0, x, y) for x, y in zip(free, friction.rates, strict=True))
        if gap.patch is not None:  # the normal vanishes while the surfaces are apart
            facing = Vector(where(apart > 0.0, x, y) for x, y in zip(n, gap.patch.facing, strict=True))
            slip = velocity - facing * velocity.dot(facing)
        return Touch(
            apart, depth, sliding, pressed.load, arm_b, arm_a, slip,
            n * pressed.load - friction.force, pressed.torque - friction.torque, rates,
            self.normal.stored(depth) + friction.stored, pressed.lost + friction.lost, friction.slides,
        )  # fmt: skip

    def _lever(self, point: ContactPoint) -> Expression | None:
        """Return the lever of a point; in a list of near pairs, where only sizes of surfaces are known, from these."""
        if point.lever is not None or not self.friction.rolls:
            return point.lever
        return 0.5 * widths([(point.a, point.b)])[0]

    def _pressed(
        self, gap: Gap, depth: Expression, n: Vector, rate: Expression, rotation: Vector, axes: list[Vector]
    ) -> Pressed:
        """Return the normal force at a contact point.

        depth: m, zero while apart. rate: normal velocity of b relative to a, m/s. rotation: angular velocity of b
        relative to a, rad/s. axes: of the surface of a.
        """
        elastic = self.normal.elastic(depth)
        if gap.gradient is None:
            load = self.normal.force(depth, rate)
            return Pressed(load, ORIGIN, (elastic - load) * rate)
        steepness, twist = gap.gradient.steepness, gap.gradient.twist
        opening = steepness * rate + twist.dot(rotation)  # minus the rate of the depth
        along = self.normal.force(depth, opening)
        lost, torque = (elastic - along) * opening, twist * along
        if gap.patch is not None:
            damping = self._rocking(gap.patch, elastic * steepness, n, rotation, axes)
            lost, torque = lost + damping.dot(rotation), torque - damping
        return Pressed(along * steepness, torque, lost)

    def _rocking(self, patch: Patch, load: Expression, n: Vector, rotation: Vector, axes: list[Vector]) -> Vector:
        """Return the torque, N.m, on a, that damps the rotation of an area about axes in it (C12).

        The load (N) is distributed over the places of the area, and each place has the damping of a contact point. If
        the mean square speed of the places exceeds 1/dissipation, the torque saturates, since no place can pull.
        """
        tilting = n.cross(rotation)
        own = Vector(tilting.dot(axis) for axis in axes)
        moved = Vector(row.dot(own) for row in patch.spread)
        d = self.normal.dissipation
        share = d * load / sqrt(1.0 + d * d * own.dot(moved))
        return sum((axis * x for axis, x in zip(axes, moved, strict=True)), start=ORIGIN).cross(n) * share

    def _effect(self, points: Sequence[ContactPoint], touches: Sequence[Touch]) -> Effect:
        """Return the total effect of contact points, with wrenches about one point of each body.

        For a single contact point these are the origins of its surfaces, for several at_a and at_b.
        """
        one = len(points) == 1
        at_a, at_b = (points[0].a.origin, points[0].b.origin) if one else (self.at_a, self.at_b)
        force, on_a, on_b = ORIGIN, ORIGIN, ORIGIN
        for point, touch in zip(points, touches, strict=True):
            arm_b, arm_a = touch.arm_b, touch.arm_a
            if not one:
                arm_b = point.b.center - point_position(self.b, at_b) + arm_b
                arm_a = point.a.center - point_position(self.a, at_a) + arm_a
            force = force + touch.force
            on_a, on_b = on_a - arm_a.cross(touch.force) - touch.torque, on_b + arm_b.cross(touch.force) + touch.torque
        action = Action((Push(self.a, at_a, -force, on_a), Push(self.b, at_b, force, on_b)))
        pairs = [pair for point, touch in zip(points, touches, strict=True) for pair in zip(point.states, touch.rates)]
        load, stored, lost = (
            sum((getattr(touch, name) for touch in touches), start=ZERO) for name in ("load", "stored", "lost")
        )
        return Effect(action, load, stored, rates=tuple(pairs), lost=lost)


def _centered(ball: Ball) -> Part:
    """Return a part whose effect has the position of the centre of a ball as its only measure."""
    kind = kind_of(ball)

    def with_numbers(numbers: Sequence[Expression]) -> Effect:
        return _position(*with_all_numbers([kind], numbers))

    return Part(
        partial(_position, ball), common_key(_position, [kind]), (ball.body,), (), numbers_of([kind]), with_numbers
    )


def _position(ball: Ball) -> Effect:
    return Effect(NOTHING, measures={CENTER: (ball.center,)})


def _overlap(a: Surface, b: Surface) -> Effect:
    """Return the depth of two surfaces, m, negative while they are apart, as the strength of an effect."""
    return Effect(NOTHING, gap_between(a, b).depth)


def widths(pairs: Sequence[tuple[Surface, Surface]]) -> list[Expression]:
    """Return the width, m, of the narrower of both surfaces of each contact point; infinite if neither has a width.

    A point counts with the least extent of all points of the contact.
    """
    extent = _extent([b.origin for _, b in pairs])
    own = [extent if b.size is None else b.size for _, b in pairs]
    return [x if a.size is None else min(a.size, x) for (a, _), x in zip(pairs, own, strict=True)]


def _extent(points: Sequence[Vector]) -> Expression:
    """Return the least extent of points along the axes, m, among those that are not zero; infinite if all are."""
    extents = [reduce(max, x) - reduce(min, x) for x in zip(*points, strict=True)]
    return reduce(min, [where(x > SAME, x, math.inf) for x in extents])


def _of_point(point: ContactPoint, touch: Touch) -> dict[str, Vector]:
    """Return the measures of one contact point."""
    return {
        "gap": Vector([-touch.gap]),
        "penetration": Vector([touch.depth]),
        "slip": touch.slip,
        "contact_point": point.b.center + touch.arm_b,
        "contact_force": touch.force,
        STRENGTH: Vector([touch.load]),
    }


def _totals(points: Sequence[Mapping[str, Vector]]) -> dict[str, Vector | None]:
    """Return the measures of a contact, None without a meaning, from those of its points."""
    deepest, weight, moment = ZERO, ZERO, ORIGIN
    for point in points:
        (depth,), (load,) = point["penetration"], point[STRENGTH]
        deepest = max(depth, deepest)
        weight, moment = weight + load + NO_LOAD, moment + point["contact_point"] * (load + NO_LOAD)
    one = len(points) == 1
    return {
        "gap": Vector([reduce(min, (point["gap"][0] for point in points))]),
        "penetration": Vector([deepest]),
        "slip": points[0]["slip"] if one else None,
        "contact_point": points[0]["contact_point"] if one else moment / weight,
        "contact_force": sum((point["contact_force"] for point in points), start=ORIGIN),
        STRENGTH: Vector([sum((point[STRENGTH][0] for point in points), start=ZERO)]),
    }
