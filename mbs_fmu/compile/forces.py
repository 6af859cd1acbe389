"""What each force does: where it pushes, the energy it stores, its power.

Forces are written once, as wrenches that act on links or as numbers along joint velocities. The laws of motion, the
energy and all measures of forces follow from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ModelError
from ..expressions import ZERO, Expression, as_expression, atan2, clip, cos, exp, is_literal, max, sin, sqrt, tanh
from ..graph import leaves, rebuild
from ..model.characteristics import EXTENSION, SPEED
from ..model.forces import (
    BodyForce,
    Bushing,
    CoordinateSpring,
    Drag,
    Elastic,
    Force,
    Friction,
    Limit,
    Motor,
    OnBodies,
    OnJoint,
    PointGravity,
    PointSpring,
    RotationalSpring,
)
from ..model.references import ForceNumber
from ..model.vectors import Vector
from .resolve import Resolver
from .tree import rotate

NONE = Vector((0.0, 0.0, 0.0))
TINY = 1e-300  #: keeps a division by a vanishing length finite
PEAK = float(np.sqrt(2.0 * np.e))  #: makes the largest value of PEAK x exp(-x²) equal sqrt(2) x at x = sqrt(1/2)


@dataclass
class Push:
    """A force at a point of a link (link axes) and a torque; both in world axes, or in those of the link."""

    link: int
    point: Vector
    force: Vector
    torque: Vector
    in_world: bool = True


@dataclass
class Effect:
    """What a force does: wrenches (the last one on b, or on the only body), or a number along a joint velocity.

    strength: the number that the force is, where it is one. stored: energy, J.
    """

    pushes: list[Push] = field(default_factory=list)
    strength: Expression | None = None
    stored: Expression | None = None


def thing_of(force: Force) -> str:
    kind = "spring" if isinstance(force, (CoordinateSpring, PointSpring, RotationalSpring)) else "force"
    return f"{kind} {force.name!r}"


# -- springs ---------------------------------------------------------------------------------------------


def _resists(elastic: Elastic, x: Expression, v: Callable[[], Expression], resolve: Resolver, thing: str) -> Expression:
    """What a spring resists with; the rate is asked for only where the law needs it."""
    stiffness, damping = resolve([elastic.stiffness, elastic.damping], thing)
    total = stiffness * x
    if not is_literal(damping, 0.0):
        total = total + damping * v()
    if elastic.law is not None:
        speed = v() if SPEED in leaves([elastic.law]) else ZERO
        total = total + _of_stretch(elastic.law, x, speed, resolve, thing)
    return total


def _of_stretch(law: Expression, x: Expression, v: Expression, resolve: Resolver, thing: str) -> Expression:
    """A law with the numbers of its placeholders."""
    known = {EXTENSION: x, SPEED: v}

    def replace(node: Expression) -> Expression | None:
        if node.op != "leaf":
            return None
        return known[node.value] if node.value in known else resolve.reference(node.value, thing)

    return rebuild([law], replace)[0]


def _stored(elastic: Elastic, x: Expression, resolve: Resolver, thing: str) -> Expression:
    total = 0.5 * resolve.one(elastic.stiffness, thing) * x * x
    return total if elastic.stored is None else total + _of_stretch(elastic.stored, x, ZERO, resolve, thing)


def _coordinate_spring(force: CoordinateSpring, resolve: Resolver) -> Effect:
    thing, elastic = thing_of(force), force.elastic
    x = resolve.coordinate(force.body, force.k) - resolve.one(elastic.length, thing)
    resisting = _resists(elastic, x, lambda: resolve.rate(force.body, force.k), resolve, thing)
    return Effect(strength=-resisting, stored=_stored(elastic, x, resolve, thing))


def _point_spring(spring: PointSpring, resolve: Resolver) -> Effect:
    thing, elastic = thing_of(spring), spring.elastic
    delta, ends = line(spring, resolve)
    distance = delta.norm()
    safe = max(distance, as_expression(TINY))
    length = resolve.one(elastic.length, thing)

    def speed() -> Expression:
        va, vb = (resolve.world_velocity(*end) for end in ends)
        return delta.dot(vb - va) / safe

    linear = elastic.law is None and is_literal(length, 0.0)
    if linear:  # without a division by the length in its first part
        stiffness, damping = resolve([elastic.stiffness, elastic.damping], thing)
        per_metre = stiffness if is_literal(damping, 0.0) else stiffness + damping * speed() / safe
        strength = per_metre * distance
    else:
        strength = _resists(elastic, distance - length, speed, resolve, thing)
        per_metre = strength / safe
    pull = delta * per_metre  # on a, towards b
    (a, at_a), (b, at_b) = ends
    pushes = [Push(a, at_a, pull, NONE), Push(b, at_b, -pull, NONE)]
    return Effect(pushes, strength, _stored(elastic, distance - length, resolve, thing))


def line(spring: PointSpring, resolve: Resolver) -> tuple[Vector, list[tuple[int, Vector]]]:
    """Vector from a to b in world axes, and both points in link axes."""
    thing = thing_of(spring)
    ends = [point_of(body, at, resolve, thing) for body, at in ((spring.a, spring.at_a), (spring.b, spring.at_b))]
    a, b = (resolve.world_point(*end) for end in ends)
    return b - a, ends


def _rotational_spring(spring: RotationalSpring, resolve: Resolver) -> Effect:
    """The angle is atan2(S, C) with S = R_21 - R_12, C = R_11 + R_22 of R = AᵀB, the axis third in both frames.

    This is the twist of R about the axis, whatever its swing. The torque is along the angle's gradient over rotations
    of b, in b's axes (-(C R_13 + S R_23) / (C² + S²), (S R_13 - C R_23) / (C² + S²), 1).
    """
    thing, elastic = thing_of(spring), spring.elastic
    link_a, A = _axes(spring.a, spring.rotation_a, resolve)
    link_b, B = _axes(spring.b, spring.rotation_b, resolve)
    S, C = A[1].dot(B[0]) - A[0].dot(B[1]), A[0].dot(B[0]) + A[1].dot(B[1])
    swing = A[0].dot(B[2]), A[1].dot(B[2])
    square = max(S * S + C * C, as_expression(TINY))
    gradient = B[0] * (-(C * swing[0] + S * swing[1]) / square) + B[1] * ((S * swing[0] - C * swing[1]) / square) + B[2]
    rest = resolve.one(elastic.length, thing)
    x = atan2(S, C)
    if not is_literal(rest, 0.0):
        x = atan2(S * cos(rest) - C * sin(rest), C * cos(rest) + S * sin(rest))

    def speed() -> Expression:
        return gradient.dot(resolve.world_spin(link_b) - resolve.world_spin(link_a))

    strength = _resists(elastic, x, speed, resolve, thing)
    torque = gradient * strength
    pushes = [Push(link_a, NONE, NONE, torque), Push(link_b, NONE, NONE, -torque)]
    return Effect(pushes, strength, _stored(elastic, x, resolve, thing))


def _bushing(bushing: Bushing, resolve: Resolver) -> Effect:
    """Springs along the axes A of frame a, and E = ½ sum kappa_i (1 + R_ii - R_jj - R_kk) of R = AᵀB.

    For a turn by phi about one axis that is kappa (1 - cos phi): smooth for all rotations. The torque is
    -dE/dphi = -sum ½ (kappa_i - kappa_j - kappa_k) b_i x a_i.
    """
    thing = thing_of(bushing)
    stiffness, damping, kappa, gamma = (
        Vector(resolve(v, thing))
        for v in (bushing.stiffness, bushing.damping, bushing.rotational_stiffness, bushing.rotational_damping)
    )
    link_a, A = _axes(bushing.a, bushing.rotation_a, resolve)
    link_b, B = _axes(bushing.b, bushing.rotation_b, resolve)
    ends = ((bushing.a, bushing.at_a), (bushing.b, bushing.at_b))
    a, b = (point_of(body, at, resolve, thing)[1] for body, at in ends)
    apart = resolve.world_point(link_b, b) - resolve.world_point(link_a, a)
    moving = turning = NONE
    if not _vanishes(damping):
        drift = resolve.world_spin(link_a).cross(apart)
        moving = resolve.world_velocity(link_b, b) - resolve.world_velocity(link_a, a) - drift
    if not _vanishes(gamma):
        turning = resolve.world_spin(link_b) - resolve.world_spin(link_a)
    half = [0.5 * (2.0 * k - kappa[0] - kappa[1] - kappa[2]) for k in kappa]
    force, torque, stored = NONE, NONE, 0.5 * (kappa[0] + kappa[1] + kappa[2])
    for i in range(3):
        x = A[i].dot(apart)
        force = force - A[i] * (stiffness[i] * x + damping[i] * A[i].dot(moving))
        torque = torque - B[i].cross(A[i]) * half[i] - A[i] * (gamma[i] * A[i].dot(turning))
        stored = stored + 0.5 * stiffness[i] * x * x + half[i] * A[i].dot(B[i])
    pushes = [Push(link_a, a, -force, -torque - apart.cross(force)), Push(link_b, b, force, torque)]
    return Effect(pushes, stored=stored)


def _vanishes(numbers: Sequence[Expression]) -> bool:
    return all(is_literal(x, 0.0) for x in numbers)


def _axes(body: str, rotation: np.ndarray, resolve: Resolver) -> tuple[int, list[Vector]]:
    """The link of a frame on a body, and the frame's axes in world axes."""
    frame = resolve.tree.frames[body]
    columns = frame.rotation @ rotation
    R = resolve.link_rotation(frame.link)
    return frame.link, [Vector(row.dot(columns[:, j]) for row in R) for j in range(3)]


# -- along joints ----------------------------------------------------------------------------------------


def _motor(motor: Motor, resolve: Resolver) -> Effect:
    return Effect(strength=resolve.one(motor.law, thing_of(motor)))


def _friction(friction: Friction, resolve: Resolver) -> Effect:
    """sqrt(2e) (Fs - Fc) x exp(-x²) + Fc tanh(10 u/v) + viscous u, x = u/(sqrt(2) v).

    Fs is reached at u = v (MathWorks, Simscape reference: Translational Friction).
    """
    told = [friction.coulomb, friction.static, friction.viscous, friction.speed]
    coulomb, static, viscous, speed = resolve(told, thing_of(friction))
    u = resolve.rate(friction.body, friction.k)
    x = u / (speed * float(np.sqrt(2.0)))
    peak = ZERO if friction.static is friction.coulomb else PEAK * (static - coulomb) * x * exp(-(x * x))
    return Effect(strength=-(peak + coulomb * tanh(10.0 * u / speed) + viscous * u))


def _limit(limit: Limit, resolve: Resolver) -> Effect:
    """Beyond a limit k x, and a damper whose force is at most that: the sum never pulls, and starts from zero."""
    thing = thing_of(limit)
    stiffness, damping = resolve([limit.stiffness, limit.damping], thing)
    q, u = resolve.coordinate(limit.body, limit.k), resolve.rate(limit.body, limit.k)
    strength, stored = ZERO, ZERO
    for bound, sign in ((limit.lower, -1.0), (limit.upper, 1.0)):
        if bound is not None:
            x = max(sign * (q - resolve.one(bound, thing)), ZERO)
            spring = stiffness * x
            damper = ZERO if is_literal(damping, 0.0) else clip(sign * damping * u, -spring, spring)
            strength = strength - sign * (spring + damper)
            stored = stored + 0.5 * stiffness * x * x
    return Effect(strength=strength, stored=stored)


# -- on one body -----------------------------------------------------------------------------------------


def _body_force(force: BodyForce, resolve: Resolver) -> Effect:
    thing = thing_of(force)
    link, point = _movable(force.body, force.at, resolve, thing)
    f, n = Vector(resolve(force.force, thing)), Vector(resolve(force.torque, thing))
    if not force.in_world:
        R = resolve.tree.frames[force.body].rotation
        f, n = rotate(R, f), rotate(R, n)
    return Effect([Push(link, point, f, n, force.in_world)])


def _drag(drag: Drag, resolve: Resolver) -> Effect:
    thing = thing_of(drag)
    link, point = _movable(drag.body, drag.at, resolve, thing)
    linear, quadratic = resolve([drag.linear, drag.quadratic], thing)
    v = resolve.world_velocity(link, point) - Vector(resolve(drag.fluid, thing))
    speed = sqrt(v.dot(v) + TINY)  # whose derivative exists at rest
    return Effect([Push(link, point, -(v * (linear + quadratic * speed)), NONE)])


def _movable(body: str, at: Vector, resolve: Resolver, thing: str) -> tuple[int, Vector]:
    link, point = point_of(body, at, resolve, thing)
    if link < 0:
        raise ModelError(f"{thing} acts on body {body!r}, which is welded to the world: remove it")
    return link, point


def point_of(body: str, point: Vector, resolve: Resolver, thing: str) -> tuple[int, Vector]:
    """A point of a body in link axes."""
    frame = resolve.tree.frames[body]
    return frame.link, Vector(resolve.parameters_only(frame.origin + rotate(frame.rotation, point), thing))


@dataclass
class Attracted:
    """A body in point gravity: its centre of mass in its link, and in world axes from the centre of gravity."""

    name: str
    link: int
    com: Vector
    r: Vector
    mass: Expression
    mu: Expression


def attracted(resolve: Resolver) -> list[Attracted]:
    """The bodies that can move and have mass, where gravity is one towards a point."""
    gravity = resolve.model.gravity
    if not isinstance(gravity, PointGravity):
        return []
    mu = resolve.parameters_only([gravity.mu], "mu of the point gravity")[0]
    center = Vector(resolve.parameters_only(gravity.center, "center of the point gravity"))
    out = []
    for body in resolve.tree.order:
        link, com = point_of(body.name, body.com, resolve, f"com of body {body.name!r}")
        mass = resolve.parameters_only([body.mass], f"mass of body {body.name!r}")[0]
        if link >= 0 and not is_literal(mass, 0.0):
            out.append(Attracted(body.name, link, com, resolve.world_point(link, com) - center, mass, mu))
    return out


def point_gravity(resolve: Resolver) -> list[tuple[str, Effect]]:
    """What point gravity does to every body that can move, by the body's name."""
    out = []
    for body in attracted(resolve):
        square = body.r.dot(body.r)
        pull = -(body.r * (body.mu * body.mass / (square * sqrt(square))))
        stored = -(body.mu * body.mass / sqrt(square))
        out.append((body.name, Effect([Push(body.link, body.com, pull, NONE)], stored=stored)))
    return out


EFFECTS: dict[type, Callable[[Any, Resolver], Effect]] = {
    BodyForce: _body_force,
    Bushing: _bushing,
    CoordinateSpring: _coordinate_spring,
    Drag: _drag,
    Friction: _friction,
    Limit: _limit,
    Motor: _motor,
    PointSpring: _point_spring,
    RotationalSpring: _rotational_spring,
}


# -- what is measured of a force -------------------------------------------------------------------------


class Forces:
    """What each force of a model does, and what is measured of it."""

    def __init__(self, resolve: Resolver):
        self.resolve = resolve
        self.model = resolve.model
        self.effects: dict[str, Effect | None] = {}
        resolve.rooms[ForceNumber] = self._number

    def effect(self, name: str) -> Effect:
        """What a force of the model does. ModelError where its law depends on that."""
        if name not in self.effects:
            self.effects[name] = None
            force = self.model.forces[name]
            self.effects[name] = EFFECTS[type(force)](force, self.resolve)
        done = self.effects[name]
        if done is None:
            raise ModelError(f"force {name!r} depends on its own power or strength: leave that out of its law")
        return done

    def _number(self, ref: ForceNumber, resolve: Resolver, thing: str) -> Expression:
        if ref.force in self.model.drives:
            rate = f"mbs.rate({self.model.drives[ref.force].body!r})"
            raise ModelError(
                f"{thing}: {ref.force!r} is a drive, not a force: ask for mbs.drive_force({ref.force!r}), and for its "
                f"power multiply that by {rate}"
            )
        if ref.force not in self.model.forces:
            have = ", ".join(self.model.forces) or "none"
            raise ModelError(f"{thing}: unknown force {ref.force!r}; forces of model {self.model.name!r}: {have}")
        force = self.model.forces[ref.force]
        return measured(ref.kind, force, self.effect(ref.force), ref.k, resolve, thing)


def power(force: Force, done: Effect, resolve: Resolver) -> Expression:
    """What a force puts into the mechanism, W."""
    if isinstance(force, OnJoint):
        assert done.strength is not None
        return done.strength * resolve.rate(force.body, force.k)
    total = ZERO
    for push in done.pushes:
        if push.link >= 0:
            if push.in_world:
                v, w = resolve.world_velocity(push.link, push.point), resolve.world_spin(push.link)
            else:
                v, w = resolve.link_twist(push.link)
                v = v + w.cross(push.point)
            total = total + push.force.dot(v) + push.torque.dot(w)
    return total


def measured(kind: str, force: Force, done: Effect, k: int, resolve: Resolver, thing: str) -> Expression:
    """A `ForceNumber`."""
    if kind == "power":
        return power(force, done, resolve)
    if kind == "strength":
        if done.strength is None:
            raise ModelError(f"{thing}: {thing_of(force)} has no single strength: use mbs.applied({force.name!r})")
        return done.strength
    if not isinstance(force, OnBodies):
        raise ModelError(
            f"{thing}: {thing_of(force)} acts along a joint: use mbs.strength({force.name!r}), or mbs.reaction for all "
            "that the joint transmits"
        )
    push = done.pushes[-1]
    vector = push.force if kind == "force" else push.torque
    return vector[k] if push.in_world else resolve.link_rotation(push.link)[k].dot(vector)
