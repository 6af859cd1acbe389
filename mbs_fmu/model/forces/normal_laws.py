"""Laws of the normal force of a contact point, (C1) and (C9) of docs/contact.md."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, max, sqrt

TINY = 1e-24  #: m, keeps the derivative of a square root finite where its argument vanishes
MINDLIN = 2.0 / 3.0  #: default of grip over stiffness: 2 (1 - nu)/(2 - nu) of Mindlin, least at nu = 0.5

Value = Callable[[Expression], float]  #: evaluates an expression at an instant


class Normal(ABC):
    """Law of the normal force: an elastic force of the depth, with the damping of Hunt and Crossley (1975).

    dissipation: s/m. Depths are in m and not negative.
    """

    dissipation: Expression

    @abstractmethod
    def elastic(self, depth: Expression) -> Expression:
        """Return the elastic force, N."""

    @abstractmethod
    def slope(self, depth: Expression) -> Expression:
        """Return the derivative of the elastic force, N/m."""

    @abstractmethod
    def stored(self, depth: Expression) -> Expression:
        """Return the energy that the elastic force stores, J (C9): its integral."""

    @abstractmethod
    def grip(self, thing: str) -> Expression:
        """Return the default stiffness of bristles, N/m. Raises ModelError if it depends on the load."""

    @abstractmethod
    def depth_under(self, load: float, value: Value) -> float:
        """Return the depth at which the elastic force is a load (N); zero if the stiffness has no value."""

    @abstractmethod
    def depth_with(self, energy: float, value: Value) -> float:
        """Return the depth at which the stored energy has a value (J); zero if the stiffness has none."""

    def force(self, depth: Expression, rate: Expression) -> Expression:
        """Return the force, N, never negative (C1).

        rate: normal velocity of b relative to a, m/s, positive while they separate.
        """
        return self.elastic(depth) * max(1.0 - self.dissipation * rate, 0.0)

    def damping(self, load: Expression) -> Expression:
        """Return the damping about rest under a load (N), N.s/m."""
        return self.dissipation * load


@dataclass(frozen=True, eq=False)
class Linear(Normal):
    """Elastic force in proportion to the depth. stiffness: N/m."""

    stiffness: Expression
    dissipation: Expression

    def elastic(self, depth: Expression) -> Expression:
        return self.stiffness * depth

    def slope(self, depth: Expression) -> Expression:
        return self.stiffness

    def stored(self, depth: Expression) -> Expression:
        return self.elastic(depth) * depth / 2.0

    def grip(self, thing: str) -> Expression:
        return MINDLIN * self.stiffness

    def depth_under(self, load: float, value: Value) -> float:
        return _root(load, value(self.stiffness), 1.0)

    def depth_with(self, energy: float, value: Value) -> float:
        return _root(2.0 * energy, value(self.stiffness), 2.0)


@dataclass(frozen=True, eq=False)
class Hertz(Normal):
    """Elastic force of two balls (Hertz). stiffness: N/m^1.5."""

    stiffness: Expression
    dissipation: Expression

    def elastic(self, depth: Expression) -> Expression:
        return self.stiffness * (depth * sqrt(depth + TINY))

    def slope(self, depth: Expression) -> Expression:
        return 1.5 * self.stiffness * sqrt(depth)

    def stored(self, depth: Expression) -> Expression:
        return self.elastic(depth) * depth / 2.5

    def grip(self, thing: str) -> Expression:
        raise ModelError(f"{thing}: with exponent=1.5 friction needs the stiffness of its bristles: give grip= (N/m)")

    def depth_under(self, load: float, value: Value) -> float:
        return _root(load, value(self.stiffness), 1.5)

    def depth_with(self, energy: float, value: Value) -> float:
        return _root(2.5 * energy, value(self.stiffness), 2.5)


def _root(x: float, stiffness: float, power: float) -> float:
    """Return the depth whose power, times the stiffness, is x; zero for no stiffness."""
    return float((x / stiffness) ** (1.0 / power)) if stiffness > 0.0 and x > 0.0 else 0.0
