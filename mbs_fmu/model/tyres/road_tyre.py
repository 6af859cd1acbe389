"""Tyres between wheels and roads: (T7) to (T13), (T15) and (T19) of docs/vehicles.md."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import Any, NamedTuple

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ONE, ZERO, Expression, abs, atan, atan2, clip, cos, leaf, max, min, sqrt
from ...symbolic.sides import sense
from ...symbolic.vectors import Vector
from ..effects import Action, Check, Effect, Foot, Part, Push
from ..geometry.anchors import axes, point_position, point_velocity, spin
from ..geometry.poses import Pose
from ..items import OnBodies
from ..measures.measures import signal
from ..references.leaves import FailedStep
from ..references.naming import A_NAME, equal_key
from ..roads import Envelope, Level, Road
from .cross_sections import CrossSection
from .formula import LEAST_RELAXATION, Slip, SteadyForces
from .tyre import Tyre
from .vertical import Motion, Vertical

GRAVITY = 9.81  #: m/s², turns a load into a mass that the damper near standstill damps
DAMPING_RATIO = 0.7  #: of that damper
MOST_SLIP = 1.5  #: largest slip state: the slips relax at least as fast as the contact slides by this many lengths
MOST_TURN = 2.0  #: largest product of spin and unloaded radius: a parked wheel unwinds within a steering angle
PARABOLA_END = 1.5  #: slip at the limit of friction, times the slip stiffness over that limit
SHORTEST = 2e-3  #: s, time within which slips relax at least in full sliding, so that steps of 5 ms are stable
LEAST_LOAD = 1.0  #: N, load from which the formulas are evaluated
FADE = 10.0  #: N, load at which the forces have faded in
LEAST_GRIP = 1e-3
AHEAD = 20.0  #: where checks look after a failed step, in units of the way in what is looked at: a tenth of the step
SLOWEST = 0.1  #: m/s, least speed by which slips without relaxation divide
FLAT = 1e-24  #: keeps the axes of the contact finite for a wheel that lies flat
TINY = 1e-12  #: m²/s², keeps the derivative of a speed finite where it vanishes


class Place(NamedTuple):
    """The centre of a wheel on a road.

    axes: of the road, in world axes. line: from the road's origin to the centre, m, world axes. position: the same in
    the road's axes.
    """

    axes: Sequence[Vector]
    line: Vector
    position: Sequence[Expression]


@dataclass(frozen=True, eq=False)
class Patch:
    """The contact of a wheel with a road; vectors in world axes.

    along, across, normal: axes of the contact. spin_axis: of the wheel, to its left. arm: from the wheel's centre to
    the contact point, m. arm_on: from the origin of the road to the contact point, m. loaded, lean, drop: see `Touch`.
    cosine: of the inclination angle. sine: of that angle. velocity: of the contact point on the wheel's carrier,
    relative to the road, m/s. height: of the road, m, and slope: along the wheel's heading, below the wheel's centre,
    in the road's axes.
    """

    along: Vector
    across: Vector
    normal: Vector
    spin_axis: Vector
    arm: Vector
    arm_on: Vector
    loaded: Expression
    lean: Expression
    drop: Expression
    cosine: Expression
    sine: Expression
    velocity: Vector
    height: Expression
    slope: Expression


@dataclass(frozen=True, eq=False)
class Slips:
    """Slips of a tyre. kappa: longitudinal slip. tan_alpha: tangent of the slip angle. rates: those of the states, 1/s.

    vx: speed of the contact along x, m/s. sliding: speed of the contact on the road, m/s.
    """

    kappa: Expression
    tan_alpha: Expression
    vx: Expression
    sliding: Expression
    rates: tuple[Expression, ...] = ()


@dataclass(frozen=True, eq=False)
class Spin:
    """Turn slip of a tyre. spin: of the contact over its speed, 1/m. rates: that of the state, 1/(m s).

    direction: of travel, from -1 to 1, less for a wheel that turns on the spot.
    """

    spin: Expression | None = None
    direction: Expression = ONE
    rates: tuple[Expression, ...] = ()


@dataclass(frozen=True, eq=False)
class RoadTyre(OnBodies):
    """A tyre on a wheel, in contact with a road.

    wheel: the body that turns, carrier: the body in which it turns. center: of the wheel, m, wheel axes. axes: rotation
    whose second column is the spin axis, in wheel axes, to the left. on: the body of the road, whose frame has the
    origin `at` (m, body axes) and the rotation `turned`. states: names of the slip states, none without relaxation.
    turn_slip: True with turn slip. spin_state: name of its state, none without turn slip or relaxation. followed:
    names of the states that locate the wheel on its road. near: approximate values of these at the start, m, or none.
    standstill: True if a damper supports the relaxation at low speed. grip: factor of friction. scale: factor of the
    road's heights. envelope: the road as cams sense it; None for a contact at a point.
    """

    wheel: str = field(metadata=A_NAME)
    carrier: str = field(metadata=A_NAME)
    on: str = field(metadata=A_NAME)
    states: tuple[str, ...] = field(metadata=A_NAME)
    spin_state: tuple[str, ...] = field(metadata=A_NAME)
    followed: tuple[str, ...] = field(metadata=A_NAME)
    tyre: Tyre
    road: Road
    center: Vector
    axes: np.ndarray
    at: Vector
    turned: np.ndarray
    standstill: bool
    turn_slip: bool
    cross_section: CrossSection
    grip: Expression
    scale: Expression
    envelope: Envelope | None
    near: tuple[Expression, ...] = ()

    @property
    def thing(self) -> str:
        return f"tyre {self.name!r}"

    @property
    def grounds(self) -> Sequence[tuple[str, Pose, Any]]:
        return [(self.on, Pose(self.at, self.turned), self.road)]

    def parts(self) -> Sequence[Part]:
        """Return the tyre as one part; equal tyres on equal roads are traced once."""
        states = self.states + self.spin_state + self.followed
        return [Part(self.effect, equal_key(self), (self.wheel, self.carrier, self.on), states)]

    def feet(self) -> Sequence[Foot]:
        feet = self.road.feet(self._place.position[:2], self._parameters)
        guesses = self.near or [guess for guess, _ in feet]
        return [Foot(name, guess, step) for name, guess, (_, step) in zip(self.followed, guesses, feet, strict=True)]

    def start_checks(self) -> Sequence[Check]:
        velocity = self._velocity
        way = AHEAD * leaf(FailedStep()) * sqrt(velocity.dot(velocity) + TINY)
        return self.road.checks(self._place.position[:2], self._parameters, way, self.thing)

    def effect(self) -> Effect:
        patch = self._patch()
        vertical = self._vertical
        omega = (spin(self.wheel) - spin(self.carrier)).dot(patch.spin_axis)
        motion = Motion(omega, atan2(patch.sine, patch.cosine))
        grip = max(self.grip, LEAST_GRIP)
        deflection = vertical.compression(patch.loaded, motion)
        fz = self._load(patch, deflection, motion, grip)
        load = max(fz, LEAST_LOAD)
        radius = vertical.effective_radius(fz, omega) - patch.drop
        now, rates = self._now(patch, load, omega * radius, motion, grip)
        steady = self.tyre.steady(now)
        touching = min(vertical.elastic(deflection, motion) / FADE, 1.0)
        values = _faded(steady, touching, sense(now.speed))
        force = patch.along * values["fx"] + patch.across * values["fy"] + patch.normal * fz
        moment = patch.along * values["mx"] + patch.across * values["my"] + patch.normal * values["mz"]
        # the spring at rest stores the energy and acts along the radius, of which the road carries the normal part
        at_rest = vertical.compression_at_rest(patch.loaded)
        elastic = patch.normal * (vertical.spring.load(at_rest) / patch.lean)
        place = point_position(self.wheel, self.center) + patch.arm
        spins = ZERO if now.spin is None else now.spin, steady.mz_spin * touching
        slipping = now.kappa, atan(now.tan_alpha), motion.gamma
        numbers = (*slipping, fz, *values.values(), patch.loaded, radius, *spins, patch.height, patch.slope, *place)
        return Effect(
            self._action(patch, force, moment), fz, vertical.spring.energy(at_rest),
            prescribed=self._action(patch, force - elastic, moment),
            rates=(*zip(self.states + self.spin_state, rates), *self._following()),
            measures={"wheel": (Vector(numbers),), "along": (self._along(patch.along),)},
        )  # fmt: skip

    @property
    def _vertical(self) -> Vertical:
        law = self.tyre.vertical
        return law if self.cross_section.flat else law.of_round_tyre

    def _load(self, patch: Patch, deflection: Expression, motion: Motion, grip: Expression) -> Expression:
        """Return the load, N (T8): that of the spring and its damper, decreased by the forces along and across."""
        vertical = self._vertical
        fz = vertical.force(deflection, -patch.velocity.dot(patch.normal), motion)
        if not vertical.corrections:
            return fz
        load = max(fz, LEAST_LOAD)
        radius = vertical.effective_radius(fz, motion.omega) - patch.drop
        now, _ = self._now(patch, load, motion.omega * radius, motion, grip)
        if self.states:  # without the damper near standstill
            kappa, tan_alpha = (signal(name) for name in self.states)
            now = replace(now, kappa=kappa, tan_alpha=tan_alpha)
        share = ONE
        for _ in range(vertical.corrections):  # in place of an algebraic loop
            forces = self.tyre.steady(replace(now, fz=load * share))
            under_load = forces.fx / share, forces.fy / share
            share = vertical.share(load, deflection, patch.loaded, motion, *under_load)
        return fz * share

    def _now(
        self, patch: Patch, load: Expression, rolling: Expression, motion: Motion, grip: Expression
    ) -> tuple[Slip, tuple[Expression, ...]]:
        """Return the arguments of the steady forces, and the rates of the states.

        rolling: velocity at which the wheel rolls freely, m/s.
        """
        slips, turn = self._slips(patch, load, rolling, grip), self._turn(patch, load, motion.omega)
        now = Slip(
            load, slips.kappa, slips.tan_alpha, motion.gamma, patch.sine, self.tyre.pressure, slips.vx, grip,
            turn.spin, turn.direction, slips.sliding,
        )  # fmt: skip
        return now, slips.rates + turn.rates

    def _action(self, patch: Patch, force: Vector, moment: Vector) -> Action:
        """Return the wrench of a force at the contact point and a moment on the wheel, and its opposite on the road."""
        on_road = Push(self.on, self.at, -force, -patch.arm_on.cross(force) - moment)
        return Action((on_road, Push(self.wheel, self.center, force, patch.arm.cross(force) + moment)))

    @property
    def _place(self) -> Place:
        """The wheel's centre on the road."""
        center, axes_on = point_position(self.wheel, self.center), axes(self.on, self.turned)
        line = center - point_position(self.on, self.at)
        return Place(axes_on, line, [line.dot(axis) for axis in axes_on])

    @property
    def _velocity(self) -> Vector:
        """Velocity of the wheel's centre relative to the road, m/s, world axes."""
        moving = point_velocity(self.wheel, self.center) - point_velocity(self.on, self.at)
        return moving - spin(self.on).cross(self._place.line)

    @property
    def _parameters(self) -> list[Expression]:
        return [signal(name) for name in self.followed]

    def _following(self) -> Iterator[tuple[str, Expression]]:
        """Return the rates of the contact parameters, m/s, by name."""
        place = self._place
        velocity = [self._velocity.dot(axis) for axis in place.axes[:2]]
        return zip(self.followed, self.road.followed(place.position[:2], velocity, self._parameters), strict=True)

    def _along(self, forward: Vector) -> Vector:
        """Return the coordinates of the wheel on its road, m, and the heading of a direction relative to it, rad."""
        (x, y, _), _, place = self._place
        chart = self.road.chart(place[0], place[1], self._parameters)
        return Vector((chart.a, chart.b, chart.heading(forward.dot(x), forward.dot(y))))

    def _patch(self) -> Patch:
        """(T7), (T8)."""
        (x, y, z), from_road, place = self._place
        s = axes(self.wheel, self.axes)[1]
        at, slope = self._level(place, s.dot(y), -s.dot(x))
        steepness = sqrt(1.0 + at.slope_x * at.slope_x + at.slope_y * at.slope_y)
        n = (z - x * at.slope_x - y * at.slope_y) / steepness
        forward = s.cross(n)
        cosine = sqrt(forward.dot(forward) + FLAT)
        along = forward / cosine
        down = s.cross(along)
        touch = self.cross_section.touch(down, n, (place[2] - at.height) / steepness, cosine)
        arm = touch.arm
        velocity = point_velocity(self.wheel, self.center) + spin(self.carrier).cross(arm)
        velocity = velocity - point_velocity(self.on, self.at) - spin(self.on).cross(from_road + arm)
        return Patch(
            along, n.cross(along), n, s, arm, from_road + arm, *touch[1:], cosine, s.dot(n), velocity, at.height, slope
        )  # fmt: skip

    def _level(self, place: Sequence[Expression], x: Expression, y: Expression) -> tuple[Level, Expression]:
        """Return height and slopes of the road at a place, with cams those of the effective plane (T16).

        x, y: the wheel's heading in the road's axes, not normalised. Returns the slope along the heading too.
        """
        size = sqrt(x * x + y * y + FLAT)
        ahead_x, ahead_y = x / size, y / size
        chart = self.road.chart(place[0], place[1], self._parameters)
        if self.envelope is None:
            sensed = chart.level(self.road.relief(chart.a, chart.b))
        else:
            sensed = self.envelope.level(chart, ahead_x, ahead_y)
        at = Level(*(self.scale * value for value in sensed))
        return at, at.slope_x * ahead_x + at.slope_y * ahead_y

    def _turn(self, patch: Patch, load: Expression, omega: Expression) -> Spin:
        """(T19); omega: of the wheel in its carrier, rad/s."""
        if not self.turn_slip:
            return Spin()
        law = self.tyre.turn_slip(load)
        rate = (spin(self.carrier) - spin(self.on)).dot(patch.normal) + law.share * omega * patch.sine
        vx = patch.velocity.dot(patch.along)
        decay = max(abs(vx), abs(rate) * (self.tyre.radius / MOST_TURN))
        direction = vx / max(decay, SLOWEST)
        if not self.spin_state:
            return Spin(rate / max(decay, SLOWEST), direction)
        state, length = signal(self.spin_state[0]), max(law.length, SHORTEST * decay)
        return Spin(state, direction, ((rate - decay * state) / length,))

    def _slips(self, patch: Patch, load: Expression, rolling: Expression, grip: Expression) -> Slips:
        """(T9) to (T12), (T15); rolling: velocity at which the wheel rolls freely, m/s."""
        vx, vsy = patch.velocity.dot(patch.along), patch.velocity.dot(patch.across)
        vsx, speed = vx - rolling, abs(vx)
        sliding = _sliding(vsx, vsy)
        if not self.states:
            decay = max(_decay(speed, sliding), SLOWEST)
            return Slips(-vsx / decay, vsy / decay, vx, sliding)
        along, across, free = self.tyre.relaxation(load, patch.sine, grip)
        kappa, tan_alpha = (signal(name) for name in self.states)
        decay = _decay(speed, sliding)
        slope = _slope(free, kappa, tan_alpha)
        shortest = max(LEAST_RELAXATION * self.tyre.radius, SHORTEST * decay)
        rates = (
            (-vsx - decay * kappa) / _shortened(along, slope, shortest),
            (vsy - decay * tan_alpha) / _shortened(across, slope, shortest),
        )
        if not self.standstill:
            return Slips(kappa, tan_alpha, vx, sliding, rates)
        low = 0.5 * (1.0 + cos(math.pi * min(max(speed, sliding) / self.tyre.low_speed, 1.0)))
        damped_x = _damping(along, load, free.kappa_stiffness)
        damped_y = _damping(across, load, abs(free.alpha_stiffness))
        return Slips(kappa - low * damped_x * vsx, tan_alpha + low * damped_y * vsy, vx, sliding, rates)


def _sliding(vsx: Expression, vsy: Expression) -> Expression:
    """Return the sliding speed of the contact, m/s."""
    return sqrt(vsx * vsx + vsy * vsy + TINY)


def _decay(speed: Expression, sliding: Expression) -> Expression:
    """Return the speed with which slips decay, m/s (T10): the sliding velocity over a steady slip."""
    return max(speed, sliding / MOST_SLIP)


def _slope(free: SteadyForces, kappa: Expression, tan_alpha: Expression) -> Expression:
    """Return the slope of the force over the slip, as a share of that without slip (T15).

    The force is in proportion to slip up to half the limit of friction, and approaches the limit by a parabola.
    """
    x, y = kappa * free.kappa_stiffness / free.fx_limit, tan_alpha * free.alpha_stiffness / free.fy_limit
    return clip(PARABOLA_END - sqrt(x * x + y * y + TINY), 0.0, 1.0)


def _shortened(length: Expression, slope: Expression, shortest: Expression) -> Expression:
    """Return the relaxation length in slip, m: in proportion to the slope of the force, but not too short (T15)."""
    return max(length * slope, min(length, shortest))


def _damping(length: Expression, load: Expression, stiffness: Expression) -> Expression:
    """Return the damping time over the relaxation length, s/m, for the spring stiffness/length under the load (T12)."""
    return 2.0 * DAMPING_RATIO * sqrt(load / (GRAVITY * stiffness * length))


def _faded(steady: SteadyForces, touching: Expression, sense: Expression) -> dict[str, Expression]:
    """Return forces and moments that vanish while the tyre lifts; sense: of travel, 1 or -1."""
    mz = steady.turning * sense + steady.mz_arm + steady.mz_spin
    values = {"fx": steady.fx, "fy": steady.fy, "mx": steady.mx, "my": steady.my, "mz": mz}
    return {name: value * touching for name, value in values.items()}
