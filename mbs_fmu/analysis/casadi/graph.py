"""Graphs of CasADi's symbols, from the text of a model's kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...codegen.modules import load_plain
from ...infrastructure.errors import ModelError
from ...integrate.functions.module import values_source
from ...integrate.lanes.branches import in_lanes
from ...kernels import library
from ..array_functions import ArrayFunction, Kernels

Row = Sequence[float] | np.ndarray  #: numbers of a table
#: Functions in formulas that have the same name in CasADi.
FORMULAS = ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "tanh")


class Symbols:
    """A record, or a part of one, whose numbers are floats and CasADi's symbols."""

    __slots__ = ("first", "numbers")

    def __init__(self, numbers: list[Any], first: int = 0):
        self.numbers, self.first = numbers, first

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Symbols(self.numbers, self.first + index.start)
        return self.numbers[self.first + int(index)]

    def __len__(self) -> int:
        return len(self.numbers) - self.first

    def __setitem__(self, index: int, value: Any) -> None:
        self.numbers[self.first + int(index)] = value


class Condition:
    """A condition on symbols. Only `where` can read it, and checks of parameters, which are taken as met."""

    def __init__(self, symbol: Any, graph: Graph):
        self.symbol, self.graph = symbol, graph

    def __bool__(self) -> bool:
        if self.graph.are_checks_met:
            return True
        raise NoGraph


class NoGraph(Exception):
    """A kernel branches on a symbol."""


class SymbolicNumpy:
    """NumPy with CasADi's functions of numbers."""

    def __init__(self, ca: Any):
        self.ca = ca

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ca if name in FORMULAS else np, name)


class Graph:
    """The text of a model's kernels as plain Python for CasADi's symbols.

    Conditions become `if_else`, tables and splines polynomials of pieces.
    """

    def __init__(self, ca: Any, kernels: Kernels):
        self.ca, self.are_checks_met = ca, False
        self.program = kernels.mechanism.program
        text = values_source(kernels.mechanism.runtime.kernels.text_with(), kernels.method)
        self.module: Any = load_plain(in_lanes(text), self._overrides())
        self._prepare = vars(self.module)["prepare"]
        vars(self.module).update(sines=self._sines, prepare=self._prepared)

    def function(
        self, f: ArrayFunction, names: tuple[str, str], kernel: Callable[[Symbols, Symbols, Symbols], int]
    ) -> Any:
        """Return the `casadi.Function` of a kernel of R, X and Y. `names`: its own, and that of its first result.

        Raises ModelError if the kernel branches on symbols.
        """
        ca = self.ca
        t, *vectors = ca.SX.sym("t"), *(column(ca, names) for names in (f.states, f.inputs, f.parameters))
        X = Symbols([t, *(part for vector in vectors for part in elements(ca, vector))])
        Y = zeros(len(f._Y))
        self.traced(f.name, lambda: kernel(Symbols(f._R.tolist()), X, Y))
        count = len(f.states)
        results = [ca.SX(0, 1) if not part else ca.vertcat(*part) for part in (Y.numbers[:count], Y.numbers[count:])]
        return ca.Function(names[0], [t, *vectors], results, ["t", "x", "u", "p"], [names[1], "y"])

    def traced(self, name: str, call: Callable[[], object]) -> None:
        """Call a kernel of symbols of a model. Raises ModelError if it branches on them."""
        try:
            call()
        except (NoGraph, RuntimeError) as error:  # RuntimeError: the truth value of a symbol
            if isinstance(error, RuntimeError) and "truth value" not in str(error):
                raise
            raise ModelError(
                f"model {name!r} has laws whose kernels branch on states, so there is no graph of them: "
                "use mbs.ode, or export a native FMU for CasADi's DaeBuilder"
            ) from None

    # -- functions of the module --------------------------------------------------------------------------------
    def _overrides(self) -> dict[str, object]:
        ca = self.ca
        return {
            **{name: getattr(ca, name) for name in FORMULAS},
            "np": SymbolicNumpy(ca),
            "every": lambda condition: False,  # the longer side of branches that only save time
            "abs": ca.fabs, "sincos": lambda x: (ca.sin(x), ca.cos(x)), "where": self._where,
            "lt": lambda a, b: self._condition(a < b), "le": lambda a, b: self._condition(a <= b),
            "interpolate": self._interpolate, "interpolated_slope": self._slope, "interpolated_area": self._area,
            "spline": self._spline,
        }  # fmt: skip

    def _condition(self, value: Any) -> Any:
        return Condition(value, self) if isinstance(value, self.ca.SX) else value

    def _where(self, condition: Any, a: Any, b: Any) -> Any:
        if isinstance(condition, Condition):
            return self.ca.if_else(condition.symbol, a, b)
        return a if condition else b

    def _sines(self, R: Symbols) -> None:
        region = self.program.region
        first = region("driven_sines").start
        for k in range(region("sines").stop - first):
            angle = R[region("driven_q").start + k] + R[region("driven_offsets").start + k]
            R[first + k] = self.ca.sin(angle)
            R[region("driven_cosines").start + k] = self.ca.cos(angle)

    def _prepared(self, R: Symbols) -> int:
        """Compute constants of parameters; their checks are taken as met."""
        self.are_checks_met = True
        try:
            return int(self._prepare(R))
        finally:
            self.are_checks_met = False

    # -- tables: each piece begins at a knot and is a polynomial of the distance from it -------------------------
    def _pieces(self, x: Any, knots: Row, origins: Row, rows: Iterable[Row]) -> Any:
        """Return the polynomial of x between knots; piece 0 is below all knots. rows: coefficients of each power."""
        origin, *powers = (self.ca.pw_const(x, self.ca.DM(knots), self.ca.DM(row)) for row in (origins, *rows))
        value, h = powers[-1], x - origin
        for power in reversed(powers[:-1]):
            value = power + h * value
        return value

    def _interpolate(self, A: Symbols, start: int, n: int, x: Any) -> Any:
        if not isinstance(x, self.ca.SX) or n == 1:
            return library.interpolate(A, start, n, x)
        knots, values = numbers(A, start, n), numbers(A, start + n, n)
        slopes = np.diff(values) / np.diff(knots)
        return self._pieces(x, knots, [knots[0], *knots], [[values[0], *values], [0.0, *slopes, 0.0]])

    def _slope(self, A: Symbols, start: int, n: int, x: Any) -> Any:
        if not isinstance(x, self.ca.SX) or n == 1:
            return library.interpolated_slope(A, start, n, x)
        knots, values = numbers(A, start, n), numbers(A, start + n, n)
        return self._pieces(x, knots, [knots[0], *knots], [[0.0, *(np.diff(values) / np.diff(knots)), 0.0]])

    def _area(self, A: Symbols, start: int, n: int, x: Any) -> Any:
        if not isinstance(x, self.ca.SX):
            return library.interpolated_area(A, start, n, x)
        knots, values, areas = (numbers(A, start + k * n, n) for k in range(3))
        slopes = [0.0, *(np.diff(values) / np.diff(knots) if n > 1 else ()), 0.0]
        rows = [[0.0, *areas], [values[0], *values], [0.5 * slope for slope in slopes]]
        return self._pieces(x, knots, [knots[0], *knots], rows)

    def _spline(self, A: Symbols, start: int, n: int, order: int, x: Any) -> Any:
        if not isinstance(x, self.ca.SX):
            return library.spline(A, start, n, order, x)
        knots = numbers(A, start, n + 1)
        table = numbers(A, start + n + 1, 4 * n).reshape(n, 4).T
        for _ in range(order):
            table = np.arange(1, len(table))[:, None] * table[1:]
        period = knots[-1] - knots[0]
        h = x - self.ca.floor((x - knots[0]) / period) * period
        return self._pieces(h, knots[1:-1], knots[:-1], table)


def zeros(count: int) -> Symbols:
    """Return a record of zeros."""
    return Symbols([0.0] * count)


def numbers(A: Symbols, start: int, count: int) -> np.ndarray:
    """Return numbers of a table, (count,)."""
    return np.array([float(A[start + k]) for k in range(count)])


def column(ca: Any, names: Sequence[str]) -> Any:
    """Return a vector of symbols with these names, (n, 1)."""
    return ca.vertcat(*map(ca.SX.sym, names)) if names else ca.SX(0, 1)


def elements(ca: Any, vector: Any) -> list[Any]:
    """Return the elements of a vector of symbols."""
    return list(ca.vertsplit(vector)) if vector.numel() else []
