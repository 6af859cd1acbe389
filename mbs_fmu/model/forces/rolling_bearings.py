"""Rolling bearings: one potential for all balls or rollers, each of which is a part of the force."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, cos, is_literal, max, sin, sqrt
from ...symbolic.vectors import ORIGIN, Vector
from ..effects import Check, Effect, Part
from ..items import OnBodies
from ..measures.measures import signal
from ..references.kinds import Kind, common_key, kind_of, numbers_of, with_all_numbers
from ..references.naming import A_NAME
from .frame_pairs import FramePair

FARTHEST = 0.5  #: of the pitch diameter, distance of the rings' centres at a start: deformations are far smaller
CLOSE = 1e-30  #: m, keeps the derivatives of a root finite where a ball just touches
POINT, LINE = 1.5, 10.0 / 9.0  #: exponents of the load over the approach of the rings, Hertz and Palmgren


@dataclass(frozen=True, eq=False)
class RingPose:
    """The inner ring as a rolling element sees it: all vectors in axes of the outer ring, m.

    offset: of the ring's centre. axis: of the ring. out, ahead: unit vectors from the axis of the outer ring to the
    element, and across it, in the direction of increasing phase.
    """

    offset: Vector
    axis: Vector
    out: Vector
    ahead: Vector


@dataclass(frozen=True, eq=False)
class Pressing:
    """The load of one rolling element.

    approach: positive while the element is loaded, else not; any number of this kind. load: N. stored: J. by_offset,
    by_axis, by_phase: gradient of the stored energy by the offset (N) and the axis (N.m) of the inner ring, and by the
    phase of the cage (N.m).
    """

    approach: Expression
    load: Expression
    stored: Expression
    by_offset: Vector
    by_axis: Vector
    by_phase: Expression


class Row(ABC):
    """A row of equal rolling elements. count: number of them. rolled: turns of the cage per turn of the inner ring."""

    count: int
    rolled: Expression

    @abstractmethod
    def pressing(self, ring: RingPose) -> Pressing:
        """Return the load of the element of which `ring` has the direction."""


@dataclass(frozen=True, eq=False)
class BallRow(Row):
    """Balls in grooves: the circle of the inner groove's centres against that of the outer (Q2), (Q3).

    span: distance of both centres at which a loose ball just fits, m. apart: radius of the inner circle less that of
    the outer, m. lever: distance of both circles along the axis, m. radius: of the inner circle, m. stiffness: K,
    N/m^1.5.
    """

    count: int
    rolled: Expression
    span: Expression
    apart: Expression
    lever: Expression
    radius: Expression
    stiffness: Expression

    def pressing(self, ring: RingPose) -> Pressing:
        out, ahead, e, z = ring.out, ring.ahead, ring.axis, ring.axis[2]
        tilt, yaw = e.dot(out), e.dot(ahead)
        steep = self.radius / z
        along_r = ring.offset.dot(out) + self.lever * tilt + self.apart
        along_z = ring.offset[2] + self.lever * z - steep * tilt
        square = along_r * along_r + along_z * along_z
        distance = sqrt(square)
        x = max(distance - self.span, 0.0)
        load = self.stiffness * x * sqrt(x + CLOSE)
        fr, fz = load * along_r / distance, load * along_z / distance
        moment = fr * self.lever - fz * steep
        return Pressing(
            square - self.span * self.span, load, load * x * (1.0 / (POINT + 1.0)),
            out * fr + Vector((ZERO, ZERO, fz)),
            out * moment + Vector((ZERO, ZERO, fz * (self.lever + steep * tilt / z))),
            fr * ring.offset.dot(ahead) + moment * yaw,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RollerRow(Row):
    """Cylindrical rollers in slices, which carry radial loads and moments (Q4).

    slack: half the radial clearance, m. places: of the slices along the axis, m. stiffness: of a slice, N/m^(10/9).
    """

    count: int
    rolled: Expression
    slack: Expression
    places: Vector
    stiffness: Expression

    def pressing(self, ring: RingPose) -> Pressing:
        tilt, radial = ring.axis.dot(ring.out), ring.offset.dot(ring.out) - self.slack
        slices = [max(radial + z * tilt, 0.0) for z in self.places]
        loads = [self.stiffness * x**LINE for x in slices]
        load, moment, stored = ZERO, ZERO, ZERO
        for x, z, own in zip(slices, self.places, loads, strict=True):
            load, moment, stored = load + own, moment + own * z, stored + own * x
        ends = (radial + z * tilt for z in (self.places[0], self.places[-1]))
        return Pressing(
            max(*ends), load, stored * (1.0 / (LINE + 1.0)), ring.out * load, ring.out * moment,
            load * ring.offset.dot(ring.ahead) + moment * ring.axis.dot(ring.ahead),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class RollingElements(OnBodies):
    """A rolling bearing: the stored energy depends on offset and tilt of the inner ring, and on the cage.

    cage: name of the state with the phase of the cage, rad; none if the cage does not roll but has the given phase.
    damping: N.s/m, of dampers spread evenly over the pitch circle. pitch: diameter of this circle, m.
    """

    frames: FramePair
    row: Row
    phase: Expression
    damping: Expression
    pitch: Expression
    cage: tuple[str, ...] = field(default=(), metadata=A_NAME)

    @property
    def thing(self) -> str:
        return f"bearing {self.name!r}"

    @property
    def cage_rate(self) -> Expression:
        """Angular velocity of the rolling cage relative to the outer ring, rad/s."""
        return self.row.rolled * self.frames.turning()[2]

    def start_checks(self) -> Sequence[Check]:
        """Return the check that the rings stand in each other: elements deform by much less than this."""
        offset = self.frames.offset()
        message = (
            f"{self.thing}: its rings are more than {FARTHEST:g} of the pitch diameter apart at the start: give "
            "at_shaft= and at_housing=, the centres of the rings, or another start value"
        )
        return [(FARTHEST * FARTHEST * self.pitch * self.pitch - offset.dot(offset), message)]

    def loads(self) -> tuple[Expression, ...]:
        """Return the loads of all rolling elements, N."""
        return tuple(x.load for x in self._pressings(self._angles()))

    def effect(self) -> Effect:
        pressings = self._pressings(self._angles())
        force, torque, stored = ORIGIN, ORIGIN, ZERO
        for pressing in pressings:
            f, t = self._wrench(pressing)
            force, torque, stored = force + f, torque + t, stored + pressing.stored
        damping, damped = self._damping()
        action = self.frames.action(force + damping, torque + damped)
        return Effect(action, stored=stored, dissipates=self.frames.action(damping, damped))

    def parts(self) -> Sequence[Part]:
        """Return the effects of the rolling elements, all of which are traced once, and that of the dampers."""
        common = kind_of((self.frames, self.row, self.phase))
        parts = [self._part(angle, (common, kind_of(angle))) for angle in self._angles()]
        return parts if is_literal(self.damping, 0.0) else [*parts, Part(self._of_dampers)]

    def _part(self, angle: Vector, kinds: tuple[Kind, Kind]) -> Part:
        """Return the effect of one element; kinds: of frames, row and phase, and of its angle."""

        def with_numbers(numbers: Sequence[Expression]) -> Effect:
            (frames, row, phase), own = with_all_numbers(kinds, numbers)
            return replace(self, frames=frames, row=row, phase=phase)._of_element(own)

        return Part(
            partial(self._of_element, angle), common_key(RollingElements, kinds), (self.frames.a, self.frames.b),
            self.cage, numbers_of(kinds), with_numbers,
        )  # fmt: skip

    def _of_element(self, angle: Vector) -> Effect:
        pressing = self._pressings([angle])[0]
        action = self.frames.action(*self._wrench(pressing))
        return Effect(action, stored=pressing.stored, depth=pressing.approach)

    def _of_dampers(self) -> Effect:
        action = self.frames.action(*self._damping())
        return Effect(action, dissipates=action)

    def _angles(self) -> list[Vector]:
        """Return the angle of each element in the cage, rad, as a vector of one number."""
        return [Vector((2.0 * math.pi * k / self.row.count,)) for k in range(self.row.count)]

    def _pressings(self, angles: Sequence[Vector]) -> list[Pressing]:
        offset, axis = self.frames.offset(), self.frames.third_axis()
        phase = signal(self.cage[0]) if self.cage else self.phase
        result = []
        for (angle,) in angles:
            c, s = cos(phase + angle), sin(phase + angle)
            ring = RingPose(offset, axis, Vector((c, s, ZERO)), Vector((-s, c, ZERO)))
            result.append(self.row.pressing(ring))
        return result

    def _wrench(self, pressing: Pressing) -> tuple[Vector, Vector]:
        """Return force and torque on the shaft, minus the gradient of the stored energy along its motion.

        The axis e of the ring moves with ω × e, and a rolling cage with `rolled` times the relative spin.
        """
        torque = -self.frames.third_axis().cross(pressing.by_axis)
        if self.cage:
            torque = torque - Vector((ZERO, ZERO, self.row.rolled * pressing.by_phase))
        return -pressing.by_offset, torque

    def _damping(self) -> tuple[Vector, Vector]:
        """Return force and torque of the dampers on the shaft."""
        velocity, turning = self.frames.velocity(), self.frames.turning()
        tilting = Vector((turning[0], turning[1], ZERO))
        return -velocity * self.damping, -tilting * (0.125 * self.damping * self.pitch * self.pitch)
