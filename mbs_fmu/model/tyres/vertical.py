"""The vertical spring of a tyre, and its effective rolling radius: (T8) and (T9) of docs/vehicles.md."""

from __future__ import annotations

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression, as_expression, atan, clip, max, min
from ...symbolic.graph import evaluate, leaves
from ...symbolic.tables import area, table

FASTEST = 1.0  #: m/s, largest speed of deflection that counts for the damping
RISE = 5e-3  #: m, deflection over which the damping rises to its full value
FAR = 10.0  #: multiple of the last deflection of a curve, up to which its last slope is extrapolated

Table = tuple[tuple[float, ...], tuple[float, ...]]  #: points and values


def plain(x: Expression) -> Expression | float:
    """Return the value of a constant expression as a number; any other expression unchanged."""
    return x if leaves([x]) else evaluate(x, {})


@dataclass(frozen=True, eq=False)
class Vertical:
    """Vertical load of a tyre by its deflection.

    radius: unloaded, m. stiffness: N/m. damping: N.s/m. load: nominal load, N. reff: the coefficients BREFF, DREFF and
    FREFF of the effective radius. curve: deflections (m) and loads (N) in place of the stiffness, or none.
    """

    radius: float
    stiffness: float
    damping: float
    load: float
    reff: tuple[float, float, float] = (0.0, 0.0, 0.0)
    curve: tuple[tuple[float, float], ...] = ()

    @cached_property
    def _table(self) -> Table:
        """Deflections and loads of the curve from zero deflection on, and a far point that extrapolates it linearly."""
        (x0, f0), (x1, f1) = self.curve[-2:]
        far = FAR * x1
        rows = [*self.curve, (far, f1 + (f1 - f0) / (x1 - x0) * (far - x1))]
        rows = rows if rows[0][0] == 0.0 else [(0.0, 0.0), *rows]
        return tuple(x for x, _ in rows), tuple(f for _, f in rows)

    @property
    def chord(self) -> float:
        """Stiffness of the curve between no load and the nominal load, N/m."""
        return self.load / float(plain(self.deflection(as_expression(self.load))))

    def elastic(self, deflection: Expression) -> Expression:
        """Return the load of the spring, N; deflection: m, not negative."""
        return table(deflection, *self._table) if self.curve else self.stiffness * deflection

    def stored(self, deflection: Expression) -> Expression:
        """Return the energy of the spring, J; deflection: m, not negative."""
        return area(deflection, *self._table) if self.curve else 0.5 * self.stiffness * deflection * deflection

    def force(self, deflection: Expression, speed: Expression) -> Expression:
        """Return the load, N, never negative; speed: of the deflection, m/s, positive while it grows."""
        damping = self.damping * clip(speed, -FASTEST, FASTEST) * min(deflection / RISE, 1.0)
        return max(self.elastic(deflection) + damping, 0.0)

    def deflection(self, load: Expression) -> Expression:
        """Return the static deflection under a load, m."""
        return table(load, points=self._table[1], values=self._table[0]) if self.curve else load / self.stiffness

    def effective_radius(self, load: Expression) -> Expression:
        """Return the effective rolling radius, m."""
        b, d, f = self.reff
        relative = load / self.load
        return self.radius - self.load / self.stiffness * (f * relative + d * atan(b * relative))
