"""Laws of a contact point: normal force and friction, (C1) to (C11) of docs/contact.md."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, exp, leaf, max, min, sqrt
from ...symbolic.vectors import ORIGIN, Vector
from ..references.leaves import Signal

TINY = 1e-24  #: N² or m²/s², keeps the derivative of a length finite where it vanishes


@dataclass(frozen=True, eq=False)
class Normal:
    """Normal force of Hunt and Crossley. stiffness: N/m, or N/m^1.5 if the exponent is 1.5; dissipation: s/m."""

    stiffness: Expression
    dissipation: Expression
    exponent: float

    def elastic(self, depth: Expression) -> Expression:
        """Return the elastic force, N; depth: m, not negative."""
        return self.stiffness * (depth if self.exponent == 1.0 else depth * sqrt(depth + TINY))

    def force(self, depth: Expression, rate: Expression) -> Expression:
        """Return the force, N; rate: normal velocity of b relative to a, m/s (C1)."""
        return self.elastic(depth) * max(1.0 - self.dissipation * rate, 0.0)

    def stored(self, depth: Expression) -> Expression:
        """Return the stored energy, J (C9)."""
        return self.elastic(depth) * depth / (self.exponent + 1.0)


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two surfaces at a contact point.

    normal: from a to b; turns: True if it turns in the axes of surface a. axes: of surface a. slip: tangential velocity
    of b relative to a, m/s. spin: angular velocity of b relative to a about the normal, rad/s. load: normal force, N.
    Vectors are in world axes.
    """

    normal: Vector
    turns: bool
    axes: list[Vector]
    slip: Vector
    spin: Expression
    load: Expression


@dataclass(frozen=True, eq=False)
class Resistance:
    """Friction at a contact point.

    force: N, on a; the opposite acts on b. torque: N.m about the normal, on a. rates: of the states. stored: energy of
    the bristles, J. lost: power that friction loses, W.
    """

    force: Vector = ORIGIN
    torque: Expression = ZERO
    rates: tuple[Expression, ...] = ()
    stored: Expression = ZERO
    lost: Expression = ZERO


class Friction(ABC):
    """Law of friction."""

    @property
    def settling_time(self) -> float:
        """Shortest time constant of the states, s; infinite without states."""
        return math.inf

    @abstractmethod
    def units(self, turns: bool) -> tuple[str, ...]:
        """Return the units of the states of one contact point; turns: as in `Meeting`."""

    @abstractmethod
    def resistance(self, at: Meeting, states: tuple[str, ...]) -> Resistance:
        """Return the friction at a contact point with these states."""


@dataclass(frozen=True, eq=False)
class NoFriction(Friction):
    """Contact without friction."""

    def units(self, turns: bool) -> tuple[str, ...]:
        return ()

    def resistance(self, at: Meeting, states: tuple[str, ...]) -> Resistance:
        return Resistance()


@dataclass(frozen=True, eq=False)
class Creeping(Friction):
    """Regularized friction (C8): it grows with the speed of sliding and creeps under any load. speed: m/s."""

    coefficient: Expression
    speed: Expression

    def units(self, turns: bool) -> tuple[str, ...]:
        return ()

    def resistance(self, at: Meeting, states: tuple[str, ...]) -> Resistance:
        square = at.slip.dot(at.slip)
        force = at.slip * (self.coefficient * at.load / sqrt(square + self.speed * self.speed))
        return Resistance(force, lost=force.dot(at.slip))


@dataclass(frozen=True, eq=False)
class Bristle(Friction):
    """Spring and damper in series with Coulomb's slider (C4)-(C7), which sticks without creep.

    coefficient: of sliding friction; static: of static friction, which falls to the former at sliding speeds of some
    `speed` (m/s), or None (C10). grip: stiffness of the spring, N/m. settling: time constant of spring and damper, s.
    pad: radius at which friction resists spin about the normal, m, or None.
    """

    coefficient: Expression
    static: Expression | None
    speed: Expression
    grip: Expression
    settling: float
    pad: Expression | None

    @property
    def settling_time(self) -> float:
        return self.settling

    def units(self, turns: bool) -> tuple[str, ...]:
        return ("m",) * (3 if turns else 2) + ("rad",) * (self.pad is not None)

    def resistance(self, at: Meeting, states: tuple[str, ...]) -> Resistance:
        z = [leaf(Signal("state", name)) for name in states]
        capacity = self._coefficient(at.slip) * at.load
        slid = self._turning(at, z[:3], capacity) if at.turns else self._fixed(at, z[:2], capacity)
        if self.pad is None:
            return slid
        grip, angle = self.grip * self.pad * self.pad, z[-1]
        (torque,), (rate,) = self._slider(grip, [angle], [at.spin], capacity * self.pad)
        stored, lost = 0.5 * grip * angle * angle, torque * at.spin - grip * angle * rate
        return Resistance(slid.force, torque, (*slid.rates, rate), slid.stored + stored, slid.lost + lost)

    def _coefficient(self, slip: Vector) -> Expression:
        if self.static is None:
            return self.coefficient
        square = slip.dot(slip) / (self.speed * self.speed)
        return self.coefficient + (self.static - self.coefficient) * exp(-square)

    def _slider(
        self, grip: Expression, z: list[Expression], slip: list[Expression], capacity: Expression
    ) -> tuple[list[Expression], list[Expression]]:
        """Return force and rates of the states, by components (C4)-(C6)."""
        damper = grip * self.settling
        trial = [grip * x + damper * v for x, v in zip(z, slip, strict=True)]
        size = sqrt(sum((x * x for x in trial), start=ZERO) + TINY)
        share = min(1.0, capacity / size)
        force = [share * x for x in trial]
        return force, [(f - grip * x) / damper for f, x in zip(force, z, strict=True)]

    def _fixed(self, at: Meeting, z: list[Expression], capacity: Expression) -> Resistance:
        """Return the friction on a plane; states are components along the first two axes of a."""
        slip = [at.slip.dot(axis) for axis in at.axes[:2]]
        f, rates = self._slider(self.grip, z, slip, capacity)
        force = at.axes[0] * f[0] + at.axes[1] * f[1]
        return self._resistance(force, z, rates, sum((x * v for x, v in zip(f, slip, strict=True)), start=ZERO))

    def _turning(self, at: Meeting, z: list[Expression], capacity: Expression) -> Resistance:
        """Return the friction along a normal that turns; states are components along the three axes of a (C11)."""
        across, n = [at.normal.dot(axis) for axis in at.axes], at.normal
        normal_part = sum((x * c for x, c in zip(z, across, strict=True)), start=ZERO)
        tangential = [x - c * normal_part for x, c in zip(z, across, strict=True)]
        slip = [at.slip.dot(axis) for axis in at.axes]
        f, along = self._slider(self.grip, tangential, slip, capacity)
        rates = [rate - c * (normal_part / self.settling) for rate, c in zip(along, across, strict=True)]
        force = sum((axis * x for axis, x in zip(at.axes, f, strict=True)), start=ORIGIN)
        return self._resistance(force - n * force.dot(n), z, rates, force.dot(at.slip))

    def _resistance(self, force: Vector, z: list[Expression], rates: list[Expression], power: Expression) -> Resistance:
        """Return the friction; power: that of the force at the slip, W. What it does not store is lost."""
        stored = 0.5 * self.grip * sum((x * x for x in z), start=ZERO)
        kept = self.grip * sum((x * r for x, r in zip(z, rates, strict=True)), start=ZERO)
        return Resistance(force, ZERO, tuple(rates), stored, power - kept)
