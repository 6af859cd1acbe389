"""Belts and ropes that creep and slip on their pulleys (M3): a state and a force for each span."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..infrastructure.cached_properties import cached_property
from ..model.measures.measures import signal
from ..model.model import Model
from ..symbolic.expressions import ZERO, Expression, clip, is_literal, log, max, min, sqrt, where
from .lines import Line

STEEPEST = 1e4  #: m/s, slope of the slip by the share of the largest ratio of tensions, at which it goes on linearly
SLACK = 1e-6  #: strain that the logarithm adds to both tensions, so that slack spans have a ratio


class CreepLaw(NamedTuple):
    """Numbers of a belt with friction.

    stiffness: EA, N. preload: tension of all spans at the start, N. friction: coefficient that counts, of V-belts the
    effective one. creep: m/s. mass: kg/m.
    """

    stiffness: Expression
    preload: Expression
    friction: Expression
    creep: Expression
    mass: Expression


class CreepingBelt:
    """Formulas of a belt whose spans have their tensions as states, which are negative while a span is slack.

    Span i with the halves of both its arcs has the length g_i and the strain e_i, so it contains the unstretched length
    g_i/(1 + e_i). The flow of unstretched belt past the middle of each arc is (V - s)/(1 + e), m/s, with the speed V of
    the pulley's surface relative to this middle, the slip s and the strain e of the span from which the belt comes.
    """

    def __init__(self, name: str, line: Line, law: CreepLaw):
        self.name, self.line, self.law = name, line, law
        self.count = len(line.path.spans)
        forces = [signal(f"{name}_tension{i + 1}") for i in range(self.count)]
        self.tensions = [max(force, 0.0) for force in forces]
        self.strains = [force / law.stiffness for force in forces]
        self.taut = [tension / law.stiffness for tension in self.tensions]
        self.rates = line.rates()
        self.angle_rates = [span.angle_rate(rate) for span, rate in zip(line.path.spans, self.rates, strict=True)]
        self.speeds = [self._speed(k) for k in range(len(line.places))]
        self.slips = [self._slip(k) for k in range(len(line.places))]
        self.flows = [self._flow(k) for k in range(len(line.places))]

    def add_to(self, model: Model) -> None:
        """Add the states and the forces of the spans."""
        for i in range(self.count):
            number = i + 1
            model.state(
                f"{self.name}_tension{number}", self.law.stiffness * self._strain_rate(i), self.law.preload, "N",
                f"strain of span {number} of belt {self.name!r} times its stiffness", energy=self._energy(i),
            )  # fmt: skip
            pull = self.tensions[i] - self._centrifugal(i)
            model.motor(f"{self.name}_span{number}", along=self.line.string_rate(i), force=-pull)

    @cached_property
    def loss(self) -> Expression:
        """Power that slip and creep take, and the elastic energy of the rope that drums wind up, W."""
        return sum((self._loss(k) for k in range(len(self.line.places))), start=ZERO)

    def _beside(self, k: int) -> Iterator[int]:
        """Yield the indices of the spans at a place, one or two."""
        return (i for i in self.line.path.spans_at(k) if i is not None)

    def _speed(self, k: int) -> Expression:
        """Return the speed of a wheel's surface relative to the middle of its arc, m/s; zero for a point."""
        place = self.line.places[k]
        if not place.is_wheel:
            return ZERO
        rates = [self.angle_rates[i] for i in self._beside(k)]
        return place.radius * (self.line.turns[k].rate - sum(rates, start=ZERO) / len(rates))

    def _slip(self, k: int) -> Expression:
        """Return the slip of a pulley (M3), the inverse of (A6), continued linearly where it is steep, m/s.

        The largest ratio is then exceeded by the share s/STEEPEST, whatever the scale of the creep.
        """
        if not self.line.path.is_wrapped(k):
            return ZERO
        centrifugal = self.law.mass * self.speeds[k] * self.speeds[k]
        before, after = (max(self.tensions[i] - centrifugal, 0.0) + SLACK * self.law.stiffness for i in self._beside(k))
        ratio = log(before / after) / (self.law.friction * self.line.path.wraps[k])
        steep = min((self.law.creep / STEEPEST) ** (2.0 / 3.0), 0.5)  # 1 - x² where the slope is STEEPEST
        edge = sqrt(1.0 - steep)
        x = clip(ratio, -edge, edge)
        slip: Expression = self.law.creep * (x / sqrt(1.0 - x * x) + (ratio - x) * steep**-1.5)
        return slip

    def _flow(self, k: int) -> Expression:
        """Return the flow of unstretched belt at a place, m/s."""
        speed = self.speeds[k] - self.slips[k]
        beside = [self.taut[i] for i in self._beside(k)]
        from_there = beside[0] if len(beside) == 1 else where(speed >= 0.0, beside[0], beside[1])
        return speed / (1.0 + from_there)

    def _strain_rate(self, i: int) -> Expression:
        """Return the rate of the strain: that of g/L - 1, 1/s."""
        a, b = self.line.path.ends_of(i)
        ratio = 1.0 + self.strains[i]
        return ratio * (self._length_rate(i) - ratio * (self.flows[a] - self.flows[b])) / self.line.path.length(i)

    def _length_rate(self, i: int) -> Expression:
        """Return the rate of the length of a span with the halves of its arcs, m/s."""
        path = self.line.path
        total = path.spans[i].reach_rate(self.rates[i])
        for k in path.ends_of(i):
            if path.is_wrapped(k):
                before, after = (self.angle_rates[j] for j in self._beside(k))
                total = total + 0.5 * path.radii[k] * (after - before)
        return total

    def _energy(self, i: int) -> Expression:
        """Return the elastic energy of a span with the halves of its arcs, J."""
        return 0.5 * self.tensions[i] * self.taut[i] * self.line.path.length(i) / (1.0 + self.strains[i])

    def _centrifugal(self, i: int) -> Expression:
        """Return the part of the tension that turns the belt itself, N: on arcs of equal speeds m' v².

        The mean of the squares over a span makes its power zero on fixed pulleys.
        """
        if is_literal(self.law.mass, 0.0):
            return ZERO
        ends = [k for k in self.line.path.ends_of(i) if self.line.places[k].is_wheel]
        a, b = self.speeds[ends[0]], self.speeds[ends[-1]]
        return self.law.mass * (a * a + a * b + b * b) / 3.0

    def _loss(self, k: int) -> Expression:
        """Return the power that the belt loses at a place (M12), W."""
        before, after = self.line.path.spans_at(k)
        apart = [ZERO, ZERO]  # differences of the tension, and of the tension with the elastic energy that flows along
        for i, sign in ((before, 1.0), (after, -1.0)):
            if i is not None:
                apart[0] = apart[0] + sign * self.tensions[i]
                apart[1] = apart[1] + sign * self.tensions[i] * (1.0 + 0.5 * self.taut[i])
        return apart[0] * self.speeds[k] - apart[1] * self.flows[k]
