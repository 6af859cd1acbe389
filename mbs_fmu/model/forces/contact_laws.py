"""Laws of the friction of a contact point, (C4) to (C11), (C13) and (C15) of docs/contact.md."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, exp, leaf, min, sqrt, where
from ...symbolic.vectors import ORIGIN, Vector
from ..references.kinds import A_NUMBER
from ..references.leaves import Signal

RELAXED = 1e-30  #: m or rad, deflection that stays; smaller ones would become denormal numbers, which are slow
TINY = 1e-24  #: N², keeps the derivative of a square root finite where its argument vanishes


def _unless_relaxed(z: Expression) -> Expression:
    """Return a deflection, or 0 in place of one that stays; the derivative is 1 in both cases.

    A sum with 1 rounds the deflection to zero, but keeps its derivative, which a literal zero would not have.
    """
    return where(abs(z) > RELAXED, z, (z + 1.0) - 1.0)


@dataclass(frozen=True, eq=False)
class Sliding:
    """Arguments of a law of friction: the relative motion of two surfaces at a contact point, and their load.

    normal: unit vector from a to b. turns: True if it is not constant in the axes of surface a. axes: those of surface
    a. slip: tangential velocity of b relative to a, m/s. spin: angular velocity of b relative to a about the normal,
    rad/s. rolling: tangential part of this angular velocity, rad/s. load: normal force, N. lever: half the width of the
    narrower shape, m, None if friction does not resist rolling. radius: of the area of contact, m, and scale: a
    constant length of this order, m, both None at a point. Vectors are in world axes.
    """

    normal: Vector
    turns: bool
    axes: list[Vector]
    slip: Vector
    spin: Expression
    rolling: Vector
    load: Expression
    lever: Expression | None = None
    radius: Expression | None = None
    scale: Expression | None = None


@dataclass(frozen=True, eq=False)
class Resistance:
    """Friction at a contact point.

    force, torque: on a, N and N.m, world axes; the opposite acts on b. rates: those of the states, m/s, then rad/s.
    stored: energy of the bristles, J. lost: power that is dissipated, W. slides: 1 if the force is at its limit, else
    0.
    """

    force: Vector = ORIGIN
    torque: Vector = ORIGIN
    rates: tuple[Expression, ...] = ()
    stored: Expression = ZERO
    lost: Expression = ZERO
    slides: Expression = ZERO

    def beside(self, torque: Vector, rates: Sequence[Expression], stored: Expression, lost: Expression) -> Resistance:
        """Return the friction with a further torque, and the rates, energy and lost power of its bristle."""
        return Resistance(
            self.force,
            self.torque + torque,
            (*self.rates, *rates),
            self.stored + stored,
            self.lost + lost,
            self.slides,
        )


@dataclass(frozen=True, eq=False)
class _Slid:
    """Resistance of one bristle to a tangential velocity or angular velocity.

    vector: force or torque on a, world axes. rates: those of its states. stored, lost, slides: as in `Resistance`.
    """

    vector: Vector
    rates: list[Expression]
    stored: Expression
    lost: Expression
    slides: Expression


@dataclass(frozen=True, eq=False)
class Held:
    """Friction at a contact point about rest, while it sticks or creeps: a spring and a damper.

    stiffness, damping: of tangential motion, N/m and N.s/m. pad: radius at which they resist spin about the normal, m.
    rolling: stiffness and damping of rolling, N.m/rad and N.m.s/rad.
    """

    stiffness: Expression = ZERO
    damping: Expression = ZERO
    pad: Expression = ZERO
    rolling: tuple[Expression, Expression] = (ZERO, ZERO)


class Friction(ABC):
    """Law of friction at one contact point, with or without states."""

    @property
    def settling_time(self) -> float:
        """Smallest time constant of the states, s; infinite if there are none."""
        return math.inf

    @property
    def rolls(self) -> bool:
        """True if friction resists rolling."""
        return False

    @abstractmethod
    def units(self, turns: bool, wide: bool) -> tuple[str, ...]:
        """Return the units of the states of one contact point; turns: as in `Sliding`; wide: True on an area."""

    @abstractmethod
    def resistance(self, at: Sliding, states: tuple[str, ...]) -> Resistance:
        """Return the friction at a contact point; states: their names."""

    @abstractmethod
    def held(self, load: Expression, lever: Expression) -> Held:
        """Return the friction about rest; load: normal force, N; lever: half the width of the narrower shape, m."""

    def free_rates(self, states: tuple[str, ...]) -> tuple[Expression, ...]:
        """Return the rates of the states while the surfaces are apart, those of `resistance` without load."""
        return ()


@dataclass(frozen=True, eq=False)
class NoFriction(Friction):
    """Contact without friction."""

    def units(self, turns: bool, wide: bool) -> tuple[str, ...]:
        return ()

    def resistance(self, at: Sliding, states: tuple[str, ...]) -> Resistance:
        return Resistance()

    def held(self, load: Expression, lever: Expression) -> Held:
        return Held()


@dataclass(frozen=True, eq=False)
class Creeping(Friction):
    """Regularized Coulomb friction (C8), a smooth function of the sliding velocity: it does not stick.

    coefficient: of friction. speed: m/s, at which friction is 1/√2 of its limit. roll: torque against rolling over the
    load, m (C15), or None.
    """

    coefficient: Expression
    speed: Expression
    roll: Expression | None = None

    @property
    def rolls(self) -> bool:
        return self.roll is not None

    def units(self, turns: bool, wide: bool) -> tuple[str, ...]:
        return ()

    def resistance(self, at: Sliding, states: tuple[str, ...]) -> Resistance:
        square = at.slip.dot(at.slip)
        force = at.slip * (self.coefficient * at.load / sqrt(square + self.speed * self.speed))
        slides = where(square > self.speed * self.speed, 1.0, 0.0)
        torque = ZERO
        if at.radius is not None:
            rim = at.spin * at.radius  # m/s
            torque = self.coefficient * at.load * at.radius * rim / sqrt(rim * rim + self.speed * self.speed)
        lost = force.dot(at.slip) + torque * at.spin
        rolling = self._against_rolling(at)
        return Resistance(force, at.normal * torque + rolling, lost=lost + rolling.dot(at.rolling), slides=slides)

    def _against_rolling(self, at: Sliding) -> Vector:
        """Return the torque against rolling (C15), N.m."""
        if self.roll is None or at.lever is None:
            return ORIGIN
        slow = self.speed / at.lever  # rad/s
        return at.rolling * (self.roll * at.load / sqrt(at.rolling.dot(at.rolling) + slow * slow))

    def held(self, load: Expression, lever: Expression) -> Held:
        rolling = ZERO if self.roll is None else self.roll * load * lever / self.speed
        return Held(damping=self.coefficient * load / self.speed, rolling=(ZERO, rolling))


@dataclass(frozen=True, eq=False)
class Bristle(Friction):
    """Springs and dampers in series with Coulomb sliders (C4)-(C7), (C13): friction that sticks without creep.

    coefficient: of sliding friction. static: coefficient of static friction, or None if it is the same. speed: m/s,
    about which friction falls from static to sliding (C10). grip: stiffness of the spring, N/m. settling: time constant
    of spring and damper, s. pad: radius at which friction resists spin about the normal, m, or None for that of the
    area of contact, and for no resistance at a point. roll: torque against rolling over the load, m, or None.
    """

    coefficient: Expression
    static: Expression | None
    speed: Expression
    grip: Expression
    settling: float = field(metadata=A_NUMBER)
    pad: Expression | None
    roll: Expression | None

    @property
    def settling_time(self) -> float:
        return self.settling

    @property
    def rolls(self) -> bool:
        return self.roll is not None

    def units(self, turns: bool, wide: bool) -> tuple[str, ...]:
        components = 3 if turns else 2
        spin = wide or self.pad is not None
        return ("m",) * components + ("rad",) * (spin + components * self.rolls)

    def held(self, load: Expression, lever: Expression) -> Held:
        grip = self.grip * lever * lever if self.rolls else ZERO
        pad = ZERO if self.pad is None else self.pad
        return Held(self.grip, self.grip * self.settling, pad, (grip, grip * self.settling))

    def free_rates(self, states: tuple[str, ...]) -> tuple[Expression, ...]:
        return tuple(_unless_relaxed(leaf(Signal("state", name))) * (-1.0 / self.settling) for name in states)

    def resistance(self, at: Sliding, states: tuple[str, ...]) -> Resistance:
        z = [leaf(Signal("state", name)) for name in states]
        components = 3 if at.turns else 2
        limit = self._coefficient(at.slip) * at.load
        slid = self._tangential(at, self.grip, z[:components], at.slip, limit)
        found = Resistance(slid.vector, ORIGIN, tuple(slid.rates), slid.stored, slid.lost, slid.slides)
        radius, scale = (at.radius, at.scale) if self.pad is None else (self.pad, self.pad)
        if radius is not None and scale is not None:
            found = self._with_spin(found, at, z[components], limit * radius, self.grip * scale * scale)
        if self.roll is not None and at.lever is not None:
            grip, limit = self.grip * at.lever * at.lever, self.roll * at.load
            rolled = self._tangential(at, grip, z[-components:], at.rolling, limit)
            found = found.beside(rolled.vector, rolled.rates, rolled.stored, rolled.lost)
        return found

    def _with_spin(
        self, found: Resistance, at: Sliding, angle: Expression, limit: Expression, grip: Expression
    ) -> Resistance:
        """Return the friction with the resistance to spin about the normal (C7).

        angle: rad. limit: largest torque, N.m. grip: N.m/rad.
        """
        (torque,), (rate,), _ = self._slider(grip, [angle], [at.spin], limit)
        stored, lost = 0.5 * grip * angle * angle, torque * at.spin - grip * angle * rate
        return found.beside(at.normal * torque, [rate], stored, lost)

    def _coefficient(self, slip: Vector) -> Expression:
        """Return the coefficient of friction at a sliding velocity (C10)."""
        if self.static is None:
            return self.coefficient
        square = slip.dot(slip) / (self.speed * self.speed)
        return self.coefficient + (self.static - self.coefficient) * exp(-square)

    def _slider(
        self, grip: Expression, z: list[Expression], slip: list[Expression], limit: Expression
    ) -> tuple[list[Expression], list[Expression], Expression]:
        """Return the components of the force, the rates of the states (C4)-(C6), and 1 if it is at its limit.

        z, slip: deflection of the spring and velocity, components along the same axes. limit: largest magnitude of the
        force. For spin about the normal they are angle, angular velocity and torque.
        """
        damper = grip * self.settling
        trial = [grip * x + damper * v for x, v in zip(z, slip, strict=True)]
        size = sqrt(sum((x * x for x in trial), start=ZERO) + TINY)
        share = min(1.0, limit / size)
        force = [share * x for x in trial]
        rates = [(f - grip * x) / damper for f, x in zip(force, z, strict=True)]
        return force, rates, where(size > limit, 1.0, 0.0)

    def _tangential(
        self, at: Sliding, grip: Expression, z: list[Expression], motion: Vector, limit: Expression
    ) -> _Slid:
        """Return the resistance to a tangential velocity, or angular velocity.

        grip: stiffness, N/m or N.m/rad. z: deflection in the axes of a; if the normal is constant in a, along the first
        two. motion: m/s or rad/s. limit: largest magnitude, N or N.m.
        """
        return (self._turning if at.turns else self._fixed)(at, grip, z, motion, limit)

    def _fixed(self, at: Sliding, grip: Expression, z: list[Expression], motion: Vector, limit: Expression) -> _Slid:
        slip = [motion.dot(axis) for axis in at.axes[:2]]
        f, rates, slides = self._slider(grip, z, slip, limit)
        force = at.axes[0] * f[0] + at.axes[1] * f[1]
        power = sum((x * v for x, v in zip(f, slip, strict=True)), start=ZERO)
        return self._slid(force, grip, z, rates, power, slides)

    def _turning(self, at: Sliding, grip: Expression, z: list[Expression], motion: Vector, limit: Expression) -> _Slid:
        """Return the resistance if the normal turns in a (C11)."""
        n_a, n = [at.normal.dot(axis) for axis in at.axes], at.normal  # the normal in the axes of a, and of the world
        normal_part = sum((x * c for x, c in zip(z, n_a, strict=True)), start=ZERO)
        tangential = [x - c * normal_part for x, c in zip(z, n_a, strict=True)]
        slip = [motion.dot(axis) for axis in at.axes]
        f, tangential_rates, slides = self._slider(grip, tangential, slip, limit)
        rates = [r - c * (normal_part / self.settling) for r, c in zip(tangential_rates, n_a, strict=True)]
        force = sum((axis * x for axis, x in zip(at.axes, f, strict=True)), start=ORIGIN)
        return self._slid(force - n * force.dot(n), grip, z, rates, force.dot(motion), slides)

    def _slid(
        self,
        vector: Vector,
        grip: Expression,
        z: list[Expression],
        rates: list[Expression],
        power: Expression,
        slides: Expression,
    ) -> _Slid:
        """Return the resistance. power: that of its vector along the motion, W, which is stored or lost (C9)."""
        stored = 0.5 * grip * sum((x * x for x in z), start=ZERO)
        storing = grip * sum((x * r for x, r in zip(z, rates, strict=True)), start=ZERO)
        return _Slid(vector, rates, stored, power - storing, slides)
