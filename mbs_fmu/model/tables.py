"""Tables of a model whose values are parameters."""

from __future__ import annotations

from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..symbolic.argument_types import Number
from ..symbolic.expressions import Expression, where
from ..symbolic.tables import in_first_period, is_open, looked_up
from ..symbolic.units import to_si
from .geometry.vectors import Vector, number


@dataclass(frozen=True)
class Table:
    """Piecewise linear table whose values are an array parameter; `Model.table` makes it.

    Called with x, it is its value there: linear between points, constant beyond the ends, or periodic. name: that of
    the parameter. points: (n,), in the unit of x. entries: n parameters in `unit`. period: that of x, or None.
    """

    name: str
    points: tuple[float, ...]
    entries: tuple[Expression, ...]
    unit: str | None
    period: float | None

    def __call__(self, x: Number) -> Expression:
        """Return the value at x, in SI units."""
        return self._at("table", x)

    def slope(self, x: Number) -> Expression:
        """Return the derivative by x: constant between two points; beyond the ends zero, or periodic.

        At a point it is that of the interval above.
        """
        return self._at("slope", x)

    def area(self, x: Number) -> Expression:
        """Return the integral from the first point to x. Raises ModelError for a periodic table."""
        if self.period is not None:
            raise ModelError(f"table {self.name!r} is periodic and has no area: integrate it by a state")
        return self._at("area", x)

    @property
    def values(self) -> Vector:
        """The values, n expressions in SI units."""
        return Vector(to_si(y, self.unit) for y in self.entries)

    def _at(self, op: str, x: Number) -> Expression:
        """Return the table, its slope or its area at x."""
        place = number(x, f"argument of table {self.name!r}")
        if self.period is None:
            return to_si(looked_up(op, place, self.points, self.entries), self.unit)
        place = in_first_period(place, self.points, self.period)
        end, last = self.points[0] + self.period, self.points[-1]
        if not is_open(self.points, self.period):
            return to_si(looked_up(op, place, (*self.points[:-1], end), self.entries), self.unit)
        y, change = self.entries[-1], self.entries[0] - self.entries[-1]
        share = (place - last) / (end - last)
        beyond = change / (end - last) if op == "slope" else y + change * share
        return to_si(where(place < last, looked_up(op, place, self.points, self.entries), beyond), self.unit)
