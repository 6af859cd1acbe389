"""Formulas of the package as formulas of SymPy, with exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import BINARY, UNARY, Expression, as_expression, leaf
from ...symbolic.graph import apply, combined, derivative

DIGITS = 15  #: significant digits of decimal numbers that rounding leaves as they were given
SHORT = 12  #: significant digits up to which a number counts as a decimal number that a user wrote
SIMPLE = 1000  #: largest denominator of numbers that count as fractions, as fractions of pi, or as their square roots
SHOWN = (1, 2, 3, 4, 6, 8, 12)  #: denominators of numbers that are shown as fractions
ROUNDING = 4e-16  #: relative distance within which a number counts as equal to a simpler one
WITHOUT_BOUND = 1e300  #: numbers from here on only mark infinite slopes
NOTHING = 1e-20  #: numbers below this only keep divisions and derivatives finite in the kernels

OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: BINARY[name] for name in ("add", "sub", "mul", "div", "neg", "pow")},
    **{name: getattr(sp, name) for name in UNARY},
    "atan2": sp.atan2,
    "mod": sp.Mod,
    "lt": lambda x, y: _condition(sp.StrictLessThan, x, y),
    "le": lambda x, y: _condition(sp.LessThan, x, y),
}


UNDECIDED = sp.Max, sp.Min, sp.Piecewise, sp.core.relational.Relational


def exact(x: float) -> Any:
    """Return a number as the simplest exact number that equals it to rounding.

    These are decimal numbers, fractions, fractions of pi and square roots of fractions.
    """
    x = float(x)  # of numpy's numbers
    if not math.isfinite(x):
        return sp.oo if x > 0.0 else -sp.oo if x < 0.0 else sp.nan
    if abs(x) < NOTHING:
        return sp.Integer(0)
    text = f"{x:.{DIGITS}g}"
    if len(text.partition("e")[0].lstrip("-0.").replace(".", "").rstrip("0")) <= SHORT:
        return _rational(Fraction(text))
    for scale, unit in ((1.0, sp.Integer(1)), (math.pi, sp.pi)):
        fraction = Fraction(x / scale).limit_denominator(SIMPLE)
        if abs(fraction * scale - x) <= ROUNDING * abs(x):
            return _rational(fraction) * unit
    fraction = Fraction(x * x).limit_denominator(SIMPLE)
    if abs(math.sqrt(fraction) - abs(x)) <= ROUNDING * abs(x):
        return sp.sqrt(_rational(fraction)) * (1 if x > 0.0 else -1)
    return _rational(Fraction(repr(x)))


def _rational(x: Fraction) -> Any:
    return sp.Rational(x.numerator, x.denominator)


def shown(x: Any) -> Any:
    """Return a formula or matrix with decimal numbers in place of exact ones, except for simple fractions."""
    known: dict[Any, Any] = {}  # parts of long formulas occur many times

    def part(x: Any) -> Any:
        if x.is_Rational:
            return x if x.q in SHOWN else sp.Float(x, DIGITS)
        if x.is_Atom:
            return x
        if x not in known:
            known[x] = remade(x, [part(arg) for arg in x.args])
        return known[x]

    return x.applyfunc(part) if isinstance(x, sp.MatrixBase) else part(x)


def remade(x: Any, args: Sequence[Any]) -> Any:
    """Return the operation of a formula on other operands. Comparisons of formulas are not decided: that takes long."""
    if all(new is old for new, old in zip(args, x.args, strict=True)):
        return x
    return x.func(*args, evaluate=False) if isinstance(x, UNDECIDED) else x.func(*args)


class Converter:
    """Converts formulas whose leaves `symbols` returns for their references; it returns None for unknown ones.

    units: formulas that are always 1, such as the squared length of a quaternion. functions: by name, functions of
    numbers for the tables and surfaces that formulas contain.
    """

    def __init__(self, symbols: Callable[[Any], Any], units: Sequence[Any] = ()):
        self._symbols, self._units = symbols, frozenset(units)
        self.functions: dict[str, Callable[..., float]] = {}
        self._classes: dict[tuple[str, int], Any] = {}
        self._held: list[Any] = []  #: data of tables, kept alive because their ids are keys

    def __call__(self, expressions: Sequence[Any], thing: str) -> list[Any]:
        """Return formulas of SymPy. Raises ModelError if one reads a number for which there is no symbol."""
        return combined(list(map(as_expression, expressions)), lambda node, args: self._node(node, args, thing))

    def _node(self, node: Expression, args: list[Any], thing: str) -> Any:
        if node.op == "const":
            return exact(node.value)
        if node.op == "leaf":
            symbol = self._symbols(node.value)
            if symbol is None:
                raise ModelError(
                    f"{thing} depends on {node.value}, a number that symbolic equations do not have: leave it out, or "
                    "use mbs.extended_system for numbers"
                )
            return symbol
        if node.op == "where":
            return _choice(node, args)
        operation = OPERATIONS.get(node.op)
        value = self._table(node)(*args) if operation is None else operation(*args)
        return sp.Integer(1) if value in self._units else value

    def _table(self, node: Expression) -> Any:
        """Return the function of SymPy for a table, with its derivatives."""
        key = node.op, id(node.value)
        if key not in self._classes:
            self._held.append(node.value)
            kinds = sum(op == node.op for op, _ in self._classes)
            name = f"{node.op}_{kinds + 1}"
            self._classes[key] = type(name, (sp.Function,), {"fdiff": _slope(self, node)})
            self.functions[name] = _function(node)
        return self._classes[key]


def _function(node: Expression) -> Callable[..., float]:
    """Return the function of numbers of an operation."""
    return lambda *values: apply(node, [float(x) for x in values], lambda reference: 0.0)


def _slope(converter: Converter, node: Expression) -> Callable[..., Any]:
    """Return the method that differentiates a table with respect to one of its arguments."""

    def fdiff(self: Any, argindex: int = 1) -> Any:
        places = [leaf(k) for k in range(len(node.args))]
        table = Expression(node.op, tuple(places), node.value)
        (slope,) = derivative([table], lambda k: as_expression(float(k == argindex - 1)))
        inner = Converter(lambda k: self.args[k])
        inner._classes, inner.functions, inner._held = converter._classes, converter.functions, converter._held
        return inner([slope], "a table")[0]

    return fdiff


def _condition(kind: Any, x: Any, y: Any) -> Any:
    """Return a comparison, which is decided for numbers only."""
    return kind(x, y, evaluate=x.is_number and y.is_number)


def _choice(node: Expression, args: list[Any]) -> Any:
    """Return `where` as an absolute value, a minimum, a maximum or a sign if it is one.

    Exceptions of derivatives, where a root is zero or a slope is infinite, are left out.
    """
    condition, a, b = args
    if condition in (sp.true, sp.false):
        return a if condition else b
    x, y = condition.args
    if x == 0 and a == y and y.is_Pow and not y.exp.is_Integer or y.is_Number and y >= WITHOUT_BOUND:
        return a
    if y == 0 and b == x and a == -x:
        return sp.Abs(x, evaluate=False)
    if (a, b) in ((x, y), (y, x)):
        return (sp.Min if a == x else sp.Max)(x, y, evaluate=False)
    if y == 0 and a == -1 and b == sp.Piecewise((1, _condition(sp.StrictLessThan, y, x)), (0, True), evaluate=False):
        return sp.sign(x)
    return sp.Piecewise((a, condition), (b, True), evaluate=False)
