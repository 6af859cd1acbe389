"""Graphs of CasADi's symbols, from the formulas of a model's kernels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...infrastructure.frozen_arrays import FrozenArray
from ...symbolic.expressions import BINARY, UNARY, Expression
from ...symbolic.graph import combined
from ...symbolic.lines import HEAD
from ...symbolic.polyhedra import ROW, Counts
from ...symbolic.splines import DEGREE
from ...symbolic.surfaces import Grid, Lines, extended
from ..array_functions import ArrayFunction, KernelCall, Kernels
from ..formulas import formulas_of, results_of, symbols
from ..pieces import PIECES, Pieces, pieces, with_weights
from .lines import nearest_on_line
from .polyhedra import nearest_edge, nearest_feature

REMEDY = "use mbs.ode, or export a native FMU for CasADi's DaeBuilder"


class Graph:
    """Formulas of a model's kernels, and their graphs of CasADi's SX.

    Conditions become `if_else`, tables and splines polynomials of pieces, surfaces calls of CasADi's B-splines. Leaves
    of formulas refer to symbols by their number.
    """

    def __init__(self, ca: Any, kernels: Kernels):
        self.ca, self.R = ca, kernels.R
        self.formulas = formulas_of(kernels, REMEDY)
        self._symbols: list[Any] = []
        self._b_spline = functools.cache(self._made)  # one function for all places
        self._polyhedron = functools.cache(self._of_polyhedron)
        self._line = functools.cache(self._of_line)
        self._operations: dict[str, Any] = {
            **BINARY, **{name: getattr(ca, name) for name in UNARY}, "atan2": ca.atan2, "where": ca.if_else,
            "mod": self._mod,
        }  # fmt: skip
        self._tables: dict[str, Any] = {
            "surface": self._surface,
            "uneven_surface": self._uneven_surface,
            "feature": self._feature,
            "edge": self._edge,
            "entry": self._entry,
            "nearest": self._nearest,
        }

    def function(self, f: ArrayFunction, call: KernelCall, names: tuple[str, str]) -> Any:
        """Return the `casadi.Function` of the call of a kernel. `names`: its own, and that of its first result.

        Raises ModelError if the kernel branches on symbols.
        """
        t, *vectors = (self.column(part) for part in (["t"], f.states, f.inputs, f.parameters))
        made = results_of(self.formulas, call, symbols(len(self._symbols)), len(f.states))
        results = self.vectors(made.rates, made.outputs)
        return self.ca.Function(names[0], [t, *vectors], results, ["t", "x", "u", "p"], [names[1], "y"])

    def column(self, names: Sequence[str]) -> Any:
        """Return a vector of new symbols with these names, (n, 1)."""
        made = [self.ca.SX.sym(name) for name in names]
        self._symbols += made
        return self.ca.vertcat(self.ca.SX(0, 1), *made)

    def vectors(self, *parts: Sequence[Expression]) -> list[Any]:
        """Return arrays of formulas as vectors, (n, 1), with common nodes."""
        formulas = with_weights([x for part in parts for x in part], self.R)
        nodes = iter(combined(formulas, self._node))
        return [self.ca.vertcat(self.ca.SX(0, 1), *(next(nodes) for _ in part)) for part in parts]

    def _node(self, node: Expression, operands: list[Any]) -> Any:
        """Return the symbols of a formula from those of its operands."""
        if node.op == "const":
            return self.ca.SX(node.value)
        if node.op == "leaf":
            return self._symbols[node.value]
        if node.op in self._tables:
            start, *numbers = node.value
            return self._tables[node.op](start.offset, *numbers, *operands)
        if node.op in PIECES:
            start, *numbers = node.value
            return self._pieces(operands[0], pieces(node.op, self.R, start.offset, *numbers))
        return self._operations[node.op](*operands)

    def _mod(self, x: Any, period: Any) -> Any:
        rest = self.ca.fmod(x, period)
        return rest + self.ca.if_else(rest * period < 0.0, period, 0.0)

    # -- tables --------------------------------------------------------------------------------------------------
    def _pieces(self, x: Any, table: Pieces) -> Any:
        """Return the value at x of polynomials between knots."""
        if table.turn is not None:
            first, period = table.turn
            x = x - self.ca.floor((x - first) / period) * period
        knots = self.ca.DM(table.knots)
        origin, *powers = (self.ca.pw_const(x, knots, self.ca.DM(row)) for row in (table.origins, *table.powers))
        value, h = powers[-1], x - origin
        for power in reversed(powers[:-1]):
            value = power + h * value
        return value

    def _numbers(self, start: int, count: int) -> np.ndarray:
        """Return numbers of a table in the record, (count,)."""
        return self.R[start : start + count]

    # -- surfaces ------------------------------------------------------------------------------------------------
    def _surface(self, start: int, nx: int, ny: int, order_x: int, order_y: int, x: Any, y: Any) -> Any:
        lines = self._grid(start, nx), self._grid(start + 2, ny)
        return self._b_spline(lines, start + 4, (order_x, order_y))(self.ca.vertcat(x, y))

    def _uneven_surface(self, start: int, nx: int, ny: int, order_x: int, order_y: int, x: Any, y: Any) -> Any:
        lines = self._grid(start, nx), FrozenArray(self._numbers(start + 2, ny))
        basis = 4 * (DEGREE + 1) * (ny - 1)
        return self._b_spline(lines, start + 2 + ny + basis, (order_x, order_y))(self.ca.vertcat(x, y))

    def _grid(self, start: int, count: int) -> Grid:
        first, step = self._numbers(start, 2)
        return float(first), float(step), count

    def _made(self, lines: tuple[Lines, Lines], start: int, orders: tuple[int, int]) -> Any:
        """Return a surface over lines, or a derivative of it, as a `casadi.Function` of a place, (2, 1).

        start: where the coefficients begin. A derivative of a B-spline is one of a lower degree, whose coefficients are
        differences over distances of knots. A call costs the same for all numbers of lines, while formulas would
        contain all coefficients.
        """
        nx, ny = ((len(own) if isinstance(own, FrozenArray) else own[2]) + DEGREE - 1 for own in lines)
        coefficients, knots = self._numbers(start, nx * ny).reshape(nx, ny), []
        for axis, (own, order) in enumerate(zip(lines, orders, strict=True)):
            if isinstance(own, FrozenArray):
                places = extended(own)
                for degree in range(DEGREE, DEGREE - order, -1):
                    widths = (places[degree + 1 : -1] - places[1 : -degree - 1]) / degree
                    coefficients, places = np.diff(coefficients, axis=axis) / widths, places[1:-1]
                knots.append(places.tolist())
            else:
                first, step, count = own
                coefficients = np.diff(coefficients, order, axis) / step**order
                knots.append((first + step * np.arange(order - DEGREE, count + DEGREE - order)).tolist())
        place, degrees = self.ca.MX.sym("place", 2), [DEGREE - order for order in orders]
        values = self.ca.bspline(place, self.ca.DM(coefficients.ravel(order="F")), knots, degrees, 1, {})
        return self.ca.Function("surface", [place], [values], {"never_inline": True})

    # -- polyhedra -----------------------------------------------------------------------------------------------
    def _feature(self, start: int, faces: int, edges: int, vertices: int, *place: Any) -> Any:
        return self._polyhedron("feature", start, (faces, edges, vertices))(self.ca.vertcat(*place))

    def _edge(self, start: int, faces: int, edges: int, vertices: int, *line: Any) -> Any:
        return self._polyhedron("edge", start, (faces, edges, vertices))(self.ca.vertcat(*line))

    def _entry(self, start: int, faces: int, edges: int, vertices: int, k: int, feature: Any) -> Any:
        count = faces + edges + vertices
        column = self._numbers(start, ROW * count).reshape(count, ROW)[:, k]
        return self.ca.pw_const(feature, self.ca.DM(np.arange(1, count) - 0.5), self.ca.DM(column))

    def _of_polyhedron(self, operation: str, start: int, counts: Counts) -> Any:
        """Return the number of the nearest feature or edge of a polyhedron as a `casadi.Function` of a vector."""
        rows = self._numbers(start, ROW * sum(counts)).reshape(-1, ROW)
        given = self.ca.SX.sym("given", 3 if operation == "feature" else 6)
        found = (nearest_feature if operation == "feature" else nearest_edge)(self.ca, rows, counts, given)
        return self.ca.Function(operation, [given], [found], {"never_inline": True})

    # -- lines ---------------------------------------------------------------------------------------------------
    def _nearest(self, start: int, n: int, x: Any, y: Any) -> Any:
        return self._line(start, n)(self.ca.vertcat(x, y))

    def _of_line(self, start: int, n: int) -> Any:
        """Return the nearest place on a polyline as a `casadi.Function` of a place, (2, 1)."""
        given = self.ca.SX.sym("given", 2)
        found = nearest_on_line(self.ca, self._numbers(start, HEAD + 2 * n), given)
        return self.ca.Function("nearest", [given], [found], {"never_inline": True})
