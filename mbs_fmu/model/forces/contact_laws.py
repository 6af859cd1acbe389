"""Laws of the friction of a contact point, (C4) to (C11) of docs/contact.md."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
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
    rad/s. load: normal force, N. radius: of the area of contact, m, and scale: a constant length of this order, m, both
    None at a point. Vectors are in world axes.
    """

    normal: Vector
    turns: bool
    axes: list[Vector]
    slip: Vector
    spin: Expression
    load: Expression
    radius: Expression | None = None
    scale: Expression | None = None


@dataclass(frozen=True, eq=False)
class Resistance:
    """Friction at a contact point.

    force: on a, N, world axes; the opposite acts on b. torque: on a, about the normal, N.m; the opposite acts on b.
    rates: those of the states, m/s, then rad/s. stored: energy of the bristles, J. lost: power that is dissipated, W.
    slides: 1 if the force is at its limit, else 0.
    """

    force: Vector = ORIGIN
    torque: Expression = ZERO
    rates: tuple[Expression, ...] = ()
    stored: Expression = ZERO
    lost: Expression = ZERO
    slides: Expression = ZERO


@dataclass(frozen=True, eq=False)
class Held:
    """Friction at a contact point about rest, while it sticks or creeps: a spring and a damper.

    stiffness, damping: of tangential motion, N/m and N.s/m. pad: radius at which they resist spin about the normal, m.
    """

    stiffness: Expression = ZERO
    damping: Expression = ZERO
    pad: Expression = ZERO


class Friction(ABC):
    """Law of friction at one contact point, with or without states."""

    @property
    def settling_time(self) -> float:
        """Smallest time constant of the states, s; infinite if there are none."""
        return math.inf

    @abstractmethod
    def units(self, turns: bool, wide: bool) -> tuple[str, ...]:
        """Return the units of the states of one contact point; turns: as in `Sliding`; wide: True on an area."""

    @abstractmethod
    def resistance(self, at: Sliding, states: tuple[str, ...]) -> Resistance:
        """Return the friction at a contact point; states: their names."""

    @abstractmethod
    def held(self, load: Expression) -> Held:
        """Return the friction about rest; load: normal force, N."""

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

    def held(self, load: Expression) -> Held:
        return Held()


@dataclass(frozen=True, eq=False)
class Creeping(Friction):
    """Regularized Coulomb friction (C8), a smooth function of the sliding velocity: it does not stick.

    coefficient: of friction. speed: m/s, at which friction is 1/√2 of its limit.
    """

    coefficient: Expression
    speed: Expression

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
        return Resistance(force, torque, lost=force.dot(at.slip) + torque * at.spin, slides=slides)

    def held(self, load: Expression) -> Held:
        return Held(damping=self.coefficient * load / self.speed)


@dataclass(frozen=True, eq=False)
class Bristle(Friction):
    """Spring and damper in series with a Coulomb slider (C4)-(C7): friction that sticks without creep.

    coefficient: of sliding friction. static: coefficient of static friction, or None if it is the same. speed: m/s,
    about which friction falls from static to sliding (C10). grip: stiffness of the spring, N/m. settling: time constant
    of spring and damper, s. pad: radius at which friction resists spin about the normal, m, or None for that of the
    area of contact, and for no resistance at a point.
    """

    coefficient: Expression
    static: Expression | None
    speed: Expression
    grip: Expression
    settling: float = field(metadata=A_NUMBER)
    pad: Expression | None

    @property
    def settling_time(self) -> float:
        return self.settling

    def units(self, turns: bool, wide: bool) -> tuple[str, ...]:
        return ("m",) * (3 if turns else 2) + ("rad",) * (wide or self.pad is not None)

    def held(self, load: Expression) -> Held:
        return Held(self.grip, self.grip * self.settling, ZERO if self.pad is None else self.pad)

    def free_rates(self, states: tuple[str, ...]) -> tuple[Expression, ...]:
        return tuple(_unless_relaxed(leaf(Signal("state", name))) * (-1.0 / self.settling) for name in states)

    def resistance(self, at: Sliding, states: tuple[str, ...]) -> Resistance:
        z = [leaf(Signal("state", name)) for name in states]
        limit = self._coefficient(at.slip) * at.load
        slid = self._turning(at, z[:3], limit) if at.turns else self._fixed(at, z[:2], limit)
        radius, scale = (at.radius, at.scale) if self.pad is None else (self.pad, self.pad)
        if radius is None or scale is None:
            return slid
        grip, angle = self.grip * scale * scale, z[-1]
        (torque,), (rate,), _ = self._slider(grip, [angle], [at.spin], limit * radius)
        stored, lost = 0.5 * grip * angle * angle, torque * at.spin - grip * angle * rate
        return Resistance(slid.force, torque, (*slid.rates, rate), slid.stored + stored, slid.lost + lost, slid.slides)

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

    def _fixed(self, at: Sliding, z: list[Expression], limit: Expression) -> Resistance:
        """Return the friction if the normal is constant in a; z: components along the first two axes of a."""
        slip = [at.slip.dot(axis) for axis in at.axes[:2]]
        f, rates, slides = self._slider(self.grip, z, slip, limit)
        force = at.axes[0] * f[0] + at.axes[1] * f[1]
        power = sum((x * v for x, v in zip(f, slip, strict=True)), start=ZERO)
        return self._resistance(force, z, rates, power, slides)

    def _turning(self, at: Sliding, z: list[Expression], limit: Expression) -> Resistance:
        """Return the friction if the normal turns in a; z: components along all three axes of a (C11)."""
        n_a, n = [at.normal.dot(axis) for axis in at.axes], at.normal  # the normal in the axes of a, and of the world
        normal_part = sum((x * c for x, c in zip(z, n_a, strict=True)), start=ZERO)
        tangential = [x - c * normal_part for x, c in zip(z, n_a, strict=True)]
        slip = [at.slip.dot(axis) for axis in at.axes]
        f, tangential_rates, slides = self._slider(self.grip, tangential, slip, limit)
        rates = [r - c * (normal_part / self.settling) for r, c in zip(tangential_rates, n_a, strict=True)]
        force = sum((axis * x for axis, x in zip(at.axes, f, strict=True)), start=ORIGIN)
        return self._resistance(force - n * force.dot(n), z, rates, force.dot(at.slip), slides)

    def _resistance(
        self, force: Vector, z: list[Expression], rates: list[Expression], power: Expression, slides: Expression
    ) -> Resistance:
        """Return the friction. power: that of the force along the slip, W, which is stored or lost (C9)."""
        stored = 0.5 * self.grip * sum((x * x for x in z), start=ZERO)
        storing = self.grip * sum((x * r for x, r in zip(z, rates, strict=True)), start=ZERO)
        return Resistance(force, ZERO, tuple(rates), stored, power - storing, slides)
