"""The type of all scalar expressions: parameters, inputs, laws, outputs and the steps of bodies.

An `Expression` is a node: an operation, its operands and, for a constant or a leaf, a value. Python's operators build
the graph and fold literal zeros and ones, so that general formulas cost nothing where an axis is aligned or a product
vanishes. graph.py traverses such graphs for values, replacements and forward tangents.
"""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from .text import formula_text

__all__ = [
    "Expression", "Scalar", "abs", "acos", "as_expression", "asin", "atan", "atan2", "clip", "cos", "exp",
    "is_condition", "is_literal", "leaf", "log", "max", "min", "mod", "named", "sign", "sin", "sqrt", "tan", "tanh",
    "where",
]  # fmt: skip

UNARY: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin,
    "acos": math.acos, "atan": math.atan, "exp": math.exp, "log": math.log, "tanh": math.tanh,
}  # fmt: skip


BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "neg": lambda a: -a, "pow": lambda a, b: a**b,
    "mod": lambda a, b: a % b, "atan2": math.atan2, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "where": lambda c, a, b: a if c else b,
}  # fmt: skip


class Expression:
    """A node of a formula.

    `op` names the operation, `args` are its operands, `value` is the number of a constant, the
    reference of a leaf or the data of a table; `name` is a hint for the generated source and `order`
    the order of creation: generated code follows it, since it is the order of the derivation.
    """

    __slots__ = ("op", "args", "value", "name", "order")
    __array_priority__ = 100.0
    _created = itertools.count()

    def __init__(self, op: str, args: tuple[Expression, ...] = (), value: Any = None, name: str | None = None):
        self.op = op
        self.args = args
        self.value = value
        self.name = name
        self.order = next(Expression._created)

    @classmethod
    def come_before(cls, order: int) -> None:
        """Make the order of all nodes created later larger than this one."""
        cls._created = itertools.count(builtins.max(next(cls._created), order + 1))

    # -- copies are the same node, since nodes do not change; for pickles see graph.py ---------------
    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: Any) -> Expression:
        return self

    # -- arithmetic -------------------------------------------------------------------------
    def __add__(self, other: Any) -> Expression:
        return fold_add(self, as_expression(other))

    def __radd__(self, other: Any) -> Expression:
        return fold_add(as_expression(other), self)

    def __sub__(self, other: Any) -> Expression:
        return fold_sub(self, as_expression(other))

    def __rsub__(self, other: Any) -> Expression:
        return fold_sub(as_expression(other), self)

    def __mul__(self, other: Any) -> Expression:
        if isinstance(other, tuple) and hasattr(other, "cross"):  # a vector multiplies its components
            return NotImplemented
        return fold_mul(self, as_expression(other))

    def __rmul__(self, other: Any) -> Expression:
        return fold_mul(as_expression(other), self)

    def __truediv__(self, other: Any) -> Expression:
        return fold_div(self, as_expression(other))

    def __rtruediv__(self, other: Any) -> Expression:
        return fold_div(as_expression(other), self)

    def __pow__(self, other: Any) -> Expression:
        return fold_pow(self, as_expression(other))

    def __rpow__(self, other: Any) -> Expression:
        return fold_pow(as_expression(other), self)

    def __mod__(self, other: Any) -> Expression:
        return mod(self, other)

    def __rmod__(self, other: Any) -> Expression:
        return mod(other, self)

    def __neg__(self) -> Expression:
        return fold_neg(self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return abs(self)

    # -- comparison: conditions for `where` ---------------------------------------------------
    def __lt__(self, other: Any) -> Expression:
        return _compare("lt", self, as_expression(other))

    def __le__(self, other: Any) -> Expression:
        return _compare("le", self, as_expression(other))

    def __gt__(self, other: Any) -> Expression:
        return _compare("lt", as_expression(other), self)

    def __ge__(self, other: Any) -> Expression:
        return _compare("le", as_expression(other), self)

    __hash__ = object.__hash__  # of the node, as `==` is: dictionaries and sets contain nodes

    def __eq__(self, other: object) -> bool:
        """True for the same node. Raises TypeError for a number: the comparison would be decided before the run."""
        if isinstance(other, (int, float, np.number)):
            raise TypeError(
                f"an expression is compared with {display(other)} by == or !=, but it has no value before the run: "
                f"compare by <, <=, > or >= in mbs.where, or let m.event locate the zeros of the difference"
            )
        return self is other

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no truth value while it is being traced: "
            "write mbs.where(condition, a, b) instead of if/and/or, and mbs.max, mbs.min, mbs.clip instead of others"
        )

    def __and__(self, other: Any) -> Expression:
        raise TypeError(
            "conditions are not joined by & or |: of numbers that are positive where a condition holds, "
            "mbs.min(x, y) > 0 is both and mbs.max(x, y) > 0 is one of them"
        )

    __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __and__

    def __invert__(self) -> Expression:
        raise TypeError("conditions are not inverted by ~: state the opposite, such as x <= 0 in place of x > 0")

    def __float__(self) -> float:
        if self.op == "const":
            return float(self.value)
        raise TypeError("an expression is not a number: use mbs.sin, mbs.exp, ... instead of the functions of math")

    # -- numpy's functions ---------------------------------------------------------------------
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply a function of numpy to scalar expressions. Raises TypeError for other functions and for arrays."""
        name = ufunc.__name__
        function = OF_NUMPY.get(name)
        if function is None or method != "__call__" or options:
            raise TypeError(f"numpy's {name} takes no expressions: use mbs.sin, mbs.where, mbs.table, ... of numbers")
        if any(np.ndim(x) for x in inputs if not isinstance(x, Expression)):
            raise TypeError(f"numpy's {name} of an array and an expression: take its numbers one by one")
        return function(*inputs)

    def __repr__(self) -> str:
        """Return a formula of at most 80 characters, such as `2*k + sin(q)`."""
        return formula_text(self)


Scalar = Expression | float | int


def as_float(value: Any) -> float:
    """Return a float, infinite if the value is too large. Raises TypeError or ValueError, also for arrays."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        raise TypeError("an array is not a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_expression(value: Any) -> Expression:
    """Return a number or an expression as an expression. Raises TypeError for anything else."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"{display(value)} is neither a number nor an expression")
    try:
        return Expression("const", value=as_float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{display(value)} is neither a number nor an expression") from None


def leaf(reference: Hashable, name: str | None = None) -> Expression:
    """Return a variable; the meaning of `reference` is defined by the code that resolves it."""
    return Expression("leaf", value=reference, name=name)


def named(expression: Any, name: str) -> Any:
    """Return the same expression; it gets a name for the generated source unless it has one."""
    unnamed = isinstance(expression, Expression) and expression.op not in ("const", "leaf", "neg")
    if unnamed and expression.name is None:
        expression.name = name
    return expression


def is_literal(expression: Any, value: float | None = None) -> bool:
    """True if the expression is a constant, equal to `value` unless that is None."""
    if not isinstance(expression, Expression):
        expression = as_expression(expression)
    return expression.op == "const" and (value is None or expression.value == value)


def is_condition(expression: Expression) -> bool:
    """True if the expression is a comparison, as `where` requires, and not a number."""
    return expression.op in ("lt", "le")


ZERO, ONE = (Expression("const", value=x) for x in (0.0, 1.0))


def fold_add(a: Expression, b: Expression) -> Expression:
    if a.op == "const" and b.op == "const":
        return Expression("const", value=a.value + b.value)
    if a.op == "const" and a.value == 0.0:
        return b
    if b.op == "const" and b.value == 0.0:
        return a
    if b.op == "neg":
        return fold_sub(a, b.args[0])
    if a.op == "neg":
        return fold_sub(b, a.args[0])
    return Expression("add", (a, b))


def fold_sub(a: Expression, b: Expression) -> Expression:
    if a.op == "const" and b.op == "const":
        return Expression("const", value=a.value - b.value)
    if b.op == "const" and b.value == 0.0:
        return a
    if a.op == "const" and a.value == 0.0:
        return fold_neg(b)
    if a is b:
        return ZERO
    if b.op == "neg":
        return fold_add(a, b.args[0])
    if a.op == "neg":
        return fold_neg(fold_add(a.args[0], b))
    return Expression("sub", (a, b))


def fold_neg(a: Expression) -> Expression:
    if a.op == "const":
        return Expression("const", value=-a.value)
    if a.op == "neg":
        return a.args[0]
    if a.op == "sub":
        return Expression("sub", (a.args[1], a.args[0]))
    return Expression("neg", (a,))


def fold_mul(a: Expression, b: Expression) -> Expression:
    if a.op == "const" and b.op == "const":
        return Expression("const", value=a.value * b.value)
    if b.op == "const":
        a, b = b, a
    if a.op == "const":
        if a.value == 0.0:
            return ZERO
        if a.value == 1.0:
            return b
        if a.value == -1.0:
            return fold_neg(b)
    if a.op == "neg":
        return fold_neg(fold_mul(a.args[0], b))
    if b.op == "neg":
        return fold_neg(fold_mul(a, b.args[0]))
    return Expression("mul", (a, b))


def fold_div(a: Expression, b: Expression) -> Expression:
    if b.op == "const":
        if b.value == 0.0:
            raise ZeroDivisionError("an expression is divided by the literal zero")
        if a.op == "const":
            return Expression("const", value=a.value / b.value)
        if b.value == 1.0:
            return a
        if b.value == -1.0:
            return fold_neg(a)
    if a.op == "const" and a.value == 0.0:
        return ZERO
    if a.op == "neg":
        return fold_neg(fold_div(a.args[0], b))
    if b.op == "neg":
        return fold_neg(fold_div(a, b.args[0]))
    return Expression("div", (a, b))


def fold_pow(a: Expression, b: Expression) -> Expression:
    if b.op == "const":
        exponent = b.value
        if a.op == "const":
            return _of_numbers("a power", lambda: a.value**exponent, f"{a!r} ** {b!r}")
        if exponent == 0.0:
            return as_expression(1.0)
        if exponent == 0.5:
            return sqrt(a)
        if exponent < 0.0 and exponent.is_integer():
            return 1.0 / fold_pow(a, as_expression(-exponent))
        if exponent.is_integer() and exponent <= 16:
            half = fold_pow(a, as_expression(exponent // 2)) if exponent > 1 else None
            if half is None:
                return a
            return half * half if exponent % 2 == 0 else half * half * a
    return Expression("pow", (a, b))


def _compare(op: str, a: Expression, b: Expression) -> Expression:
    return Expression(op, (a, b))


def _of_numbers(what: str, function: Callable[[], Any], formula: str) -> Expression:
    """Return the value of a formula of literals. Raises ModelError if it has no finite real value."""
    try:
        return Expression("const", value=float(function()))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        raise ModelError(f"{formula} has no finite real value: give {what} other numbers") from None


def fold_unary(op: str, x: Any) -> Expression:
    x = as_expression(x)
    if x.op == "const":
        return _of_numbers(op, lambda: UNARY[op](x.value), f"{op}({x!r})")
    return Expression(op, (x,))


def sqrt(x: Any) -> Expression:
    """Square root."""
    return fold_unary("sqrt", x)


def sin(x: Any) -> Expression:
    """Sine of an angle in rad."""
    return fold_unary("sin", x)


def cos(x: Any) -> Expression:
    """Cosine of an angle in rad."""
    return fold_unary("cos", x)


def tan(x: Any) -> Expression:
    """Tangent of an angle in rad."""
    return fold_unary("tan", x)


def asin(x: Any) -> Expression:
    """Inverse sine, in rad."""
    return fold_unary("asin", x)


def acos(x: Any) -> Expression:
    """Inverse cosine, in rad."""
    return fold_unary("acos", x)


def atan(x: Any) -> Expression:
    """Inverse tangent, in rad."""
    return fold_unary("atan", x)


def atan2(y: Any, x: Any) -> Expression:
    """Angle of the point (x, y), in rad."""
    y, x = as_expression(y), as_expression(x)
    if y.op == x.op == "const":
        return as_expression(math.atan2(y.value, x.value))
    return Expression("atan2", (y, x))


def exp(x: Any) -> Expression:
    """Exponential."""
    return fold_unary("exp", x)


def log(x: Any) -> Expression:
    """Natural logarithm."""
    return fold_unary("log", x)


def tanh(x: Any) -> Expression:
    """Hyperbolic tangent."""
    return fold_unary("tanh", x)


def where(condition: Any, a: Any, b: Any) -> Expression:
    """`a` if the condition is true, otherwise `b`; both are evaluated.

    The condition compares two expressions by <, <=, > or >=. Raises TypeError for any other condition.
    """
    first, second = as_expression(a), as_expression(b)
    if not isinstance(condition, Expression) or not is_condition(condition):
        raise TypeError("the condition of mbs.where must be a comparison with <, <=, > or >= (== is not traced)")
    if all(arg.op == "const" for arg in condition.args):
        holds = bool(BINARY[condition.op](*(arg.value for arg in condition.args)))
        return first if holds else second
    return Expression("where", (condition, first, second))


def abs(x: Any) -> Expression:
    """Absolute value."""
    x = as_expression(x)
    return where(x < 0.0, -x, x)


def sign(x: Any) -> Expression:
    """Sign: -1, 0 or 1."""
    x = as_expression(x)
    return where(x < 0.0, -1.0, where(x > 0.0, 1.0, 0.0))


def min(a: Any, b: Any) -> Expression:
    """Smaller of two expressions or numbers."""
    a, b = as_expression(a), as_expression(b)
    return where(b < a, b, a)


def max(a: Any, b: Any) -> Expression:
    """Larger of two expressions or numbers."""
    a, b = as_expression(a), as_expression(b)
    return where(a < b, b, a)


def clip(x: Any, lower: Any, upper: Any) -> Expression:
    """`x`, limited to the range from lower to upper. Raises ModelError for numbers of which the lower is the larger."""
    low, high = as_expression(lower), as_expression(upper)
    if low.op == high.op == "const" and low.value > high.value:
        raise ModelError(f"clip has the lower bound {low.value:g} above the upper one {high.value:g}: exchange them")
    return min(max(x, low), high)


def mod(x: Any, period: Any) -> Expression:
    """`x` less the multiple of `period` for which the rest is between 0 and the period, as `x % period` of Python.

    The rest has the sign of the period and jumps from the period to 0 where x is a multiple of it. Its derivative by x
    is 1. Both arguments have the same unit. Raises ModelError for a number as period that is zero or not finite.
    """
    x, period = as_expression(x), as_expression(period)
    if period.op == "const":
        if period.value == 0.0 or not math.isfinite(period.value):
            raise ModelError(f"mod has the period {period.value:g}: give a finite period other than zero")
        if x.op == "const":
            return _of_numbers("mod", lambda: x.value % period.value, f"mod({x!r}, {period!r})")
    return Expression("mod", (x, period))


def _is_equal(a: Any, b: Any) -> bool:
    """Compare an expression and what numpy gives with it, a number as an array without axes."""
    expression, other = (a, b) if isinstance(a, Expression) else (b, a)
    return bool(expression == (other.item() if isinstance(other, np.ndarray) else other))


#: Functions of expressions by the names of numpy's ufuncs.
OF_NUMPY: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: as_expression(a) + b, "subtract": lambda a, b: as_expression(a) - b,
    "multiply": lambda a, b: as_expression(a) * b, "divide": lambda a, b: as_expression(a) / b,
    "power": lambda a, b: as_expression(a) ** b, "float_power": lambda a, b: as_expression(a) ** b,
    "square": lambda a: a * a, "negative": lambda a: -a, "positive": lambda a: a,
    "less": lambda a, b: as_expression(a) < b, "less_equal": lambda a, b: as_expression(a) <= b,
    "greater": lambda a, b: as_expression(a) > b, "greater_equal": lambda a, b: as_expression(a) >= b,
    "equal": _is_equal, "not_equal": lambda a, b: not _is_equal(a, b),
    "sin": sin, "cos": cos, "tan": tan, "arcsin": asin, "arccos": acos, "arctan": atan, "arctan2": atan2, "exp": exp,
    "log": log, "sqrt": sqrt, "tanh": tanh, "absolute": abs, "fabs": abs, "sign": sign, "maximum": max, "minimum": min,
    "fmax": max, "fmin": min, "remainder": mod,
}  # fmt: skip
for _name in ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "exp", "log", "sqrt", "tanh"):
    setattr(Expression, _name, OF_NUMPY[_name])  # numpy calls such methods of the expressions in an array
