"""One scalar expression type for parameters, inputs, laws, outputs and the traced body steps.

An `Expression` is an immutable node: an operation, its operands and, for a constant or a leaf, a
value. Python's operators build the graph and fold literal zeros and ones on the way, so a formula
written for the general case costs nothing where an axis is aligned or a product vanishes.
`derivative` writes forward tangents of the same graph and `evaluate` computes a number from it.
"""

from __future__ import annotations

import builtins
import heapq
import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "Expression", "Scalar", "abs", "acos", "as_expression", "asin", "atan", "atan2", "clip", "cos",
    "derivative", "evaluate", "exp", "is_literal", "leaf", "leaves", "log", "max", "min", "named", "rebuild",
    "sign", "sin", "sqrt", "table", "tan", "tanh", "where",
]  # fmt: skip

UNARY: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin,
    "acos": math.acos, "atan": math.atan, "exp": math.exp, "log": math.log, "tanh": math.tanh,
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

    # -- arithmetic -------------------------------------------------------------------------
    def __add__(self, other: Any) -> Expression:
        return _add(self, as_expression(other))

    def __radd__(self, other: Any) -> Expression:
        return _add(as_expression(other), self)

    def __sub__(self, other: Any) -> Expression:
        return _sub(self, as_expression(other))

    def __rsub__(self, other: Any) -> Expression:
        return _sub(as_expression(other), self)

    def __mul__(self, other: Any) -> Expression:
        return _mul(self, as_expression(other))

    def __rmul__(self, other: Any) -> Expression:
        return _mul(as_expression(other), self)

    def __truediv__(self, other: Any) -> Expression:
        return _div(self, as_expression(other))

    def __rtruediv__(self, other: Any) -> Expression:
        return _div(as_expression(other), self)

    def __pow__(self, other: Any) -> Expression:
        return _pow(self, as_expression(other))

    def __rpow__(self, other: Any) -> Expression:
        return _pow(as_expression(other), self)

    def __neg__(self) -> Expression:
        return _neg(self)

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

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression has no truth value while it is being traced: "
            "write mbs.where(condition, a, b) instead of if/and/or"
        )

    def __float__(self) -> float:
        if self.op == "const":
            return float(self.value)
        raise TypeError("an expression is not a number: use mbs.sin, mbs.exp, ... instead of the functions of math")

    # -- numpy calls these methods for np.sin(expression) and the like ------------------------
    def sin(self) -> Expression:
        return sin(self)

    def cos(self) -> Expression:
        return cos(self)

    def tan(self) -> Expression:
        return tan(self)

    def exp(self) -> Expression:
        return exp(self)

    def log(self) -> Expression:
        return log(self)

    def sqrt(self) -> Expression:
        return sqrt(self)

    def tanh(self) -> Expression:
        return tanh(self)

    def arctan(self) -> Expression:
        return atan(self)

    def __repr__(self) -> str:
        if self.op == "const":
            return f"{self.value!r}"
        if self.op == "leaf":
            return str(self.value)
        return f"{self.op}({', '.join(map(repr, self.args))})"


Scalar = Expression | float | int


def as_expression(value: Any) -> Expression:
    """A number or an expression as an expression; TypeError for anything else."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError(f"{value!r} is neither a number nor an expression")
    try:
        return Expression("const", value=float(value))
    except (TypeError, ValueError):
        raise TypeError(f"{value!r} is neither a number nor an expression") from None


def leaf(reference: Hashable, name: str | None = None) -> Expression:
    """A variable: what `reference` means is the business of whoever resolves it."""
    return Expression("leaf", value=reference, name=name)


def named(expression: Any, name: str) -> Any:
    """The same expression with a name for the generated source."""
    if isinstance(expression, Expression) and expression.op not in ("const", "leaf", "neg"):
        expression.name = name
    return expression


def is_literal(expression: Any, value: float | None = None) -> bool:
    """Whether this is a constant (equal to `value`, where given)."""
    expression = as_expression(expression)
    return expression.op == "const" and (value is None or expression.value == value)


ZERO = Expression("const", value=0.0)


def _add(a: Expression, b: Expression) -> Expression:
    if a.op == "const" and b.op == "const":
        return as_expression(a.value + b.value)
    if a.op == "const" and a.value == 0.0:
        return b
    if b.op == "const" and b.value == 0.0:
        return a
    if b.op == "neg":
        return _sub(a, b.args[0])
    if a.op == "neg":
        return _sub(b, a.args[0])
    return Expression("add", (a, b))


def _sub(a: Expression, b: Expression) -> Expression:
    if a.op == "const" and b.op == "const":
        return as_expression(a.value - b.value)
    if b.op == "const" and b.value == 0.0:
        return a
    if a.op == "const" and a.value == 0.0:
        return _neg(b)
    if a is b:
        return ZERO
    if b.op == "neg":
        return _add(a, b.args[0])
    if a.op == "neg":
        return _neg(_add(a.args[0], b))
    return Expression("sub", (a, b))


def _neg(a: Expression) -> Expression:
    if a.op == "const":
        return as_expression(-a.value)
    if a.op == "neg":
        return a.args[0]
    if a.op == "sub":
        return Expression("sub", (a.args[1], a.args[0]))
    return Expression("neg", (a,))


def _mul(a: Expression, b: Expression) -> Expression:
    if a.op == "const" and b.op == "const":
        return as_expression(a.value * b.value)
    if b.op == "const":
        a, b = b, a
    if a.op == "const":
        if a.value == 0.0:
            return ZERO
        if a.value == 1.0:
            return b
        if a.value == -1.0:
            return _neg(b)
    if a.op == "neg":
        return _neg(_mul(a.args[0], b))
    if b.op == "neg":
        return _neg(_mul(a, b.args[0]))
    return Expression("mul", (a, b))


def _div(a: Expression, b: Expression) -> Expression:
    if b.op == "const":
        if b.value == 0.0:
            raise ZeroDivisionError("an expression is divided by the literal zero")
        if a.op == "const":
            return as_expression(a.value / b.value)
        if b.value == 1.0:
            return a
        if b.value == -1.0:
            return _neg(a)
    if a.op == "const" and a.value == 0.0:
        return ZERO
    if a.op == "neg":
        return _neg(_div(a.args[0], b))
    if b.op == "neg":
        return _neg(_div(a, b.args[0]))
    return Expression("div", (a, b))


def _pow(a: Expression, b: Expression) -> Expression:
    if b.op == "const":
        exponent = b.value
        if a.op == "const":
            return as_expression(a.value**exponent)
        if exponent == 0.0:
            return as_expression(1.0)
        if exponent == 0.5:
            return sqrt(a)
        if exponent < 0.0 and exponent == int(exponent):
            return 1.0 / _pow(a, as_expression(-exponent))
        if exponent == int(exponent) and exponent <= 16:
            half = _pow(a, as_expression(exponent // 2)) if exponent > 1 else None
            if half is None:
                return a
            return half * half if exponent % 2 == 0 else half * half * a
    return Expression("pow", (a, b))


def _compare(op: str, a: Expression, b: Expression) -> Expression:
    return Expression(op, (a, b))


def _unary(op: str, x: Any) -> Expression:
    x = as_expression(x)
    if x.op == "const":
        return as_expression(UNARY[op](x.value))
    return Expression(op, (x,))


def sqrt(x: Any) -> Expression:
    """Square root."""
    return _unary("sqrt", x)


def sin(x: Any) -> Expression:
    """Sine of an angle in rad."""
    return _unary("sin", x)


def cos(x: Any) -> Expression:
    """Cosine of an angle in rad."""
    return _unary("cos", x)


def tan(x: Any) -> Expression:
    """Tangent of an angle in rad."""
    return _unary("tan", x)


def asin(x: Any) -> Expression:
    """Inverse sine, in rad."""
    return _unary("asin", x)


def acos(x: Any) -> Expression:
    """Inverse cosine, in rad."""
    return _unary("acos", x)


def atan(x: Any) -> Expression:
    """Inverse tangent, in rad."""
    return _unary("atan", x)


def atan2(y: Any, x: Any) -> Expression:
    """Angle of the point (x, y), in rad."""
    y, x = as_expression(y), as_expression(x)
    if y.op == x.op == "const":
        return as_expression(math.atan2(y.value, x.value))
    return Expression("atan2", (y, x))


def exp(x: Any) -> Expression:
    """Exponential."""
    return _unary("exp", x)


def log(x: Any) -> Expression:
    """Natural logarithm."""
    return _unary("log", x)


def tanh(x: Any) -> Expression:
    """Hyperbolic tangent."""
    return _unary("tanh", x)


def where(condition: Any, a: Any, b: Any) -> Expression:
    """`a` where the condition holds, else `b`; the condition compares two expressions."""
    a, b = as_expression(a), as_expression(b)
    if isinstance(condition, bool):
        return a if condition else b
    if not isinstance(condition, Expression) or condition.op not in ("lt", "le"):
        raise TypeError("the condition of mbs.where must be a comparison such as x > 0")
    if all(arg.op == "const" for arg in condition.args):
        return a if evaluate(condition, {}) else b
    return Expression("where", (condition, a, b))


def abs(x: Any) -> Expression:
    """Absolute value."""
    x = as_expression(x)
    return where(x < 0.0, -x, x)


def sign(x: Any) -> Expression:
    """-1, 0 or 1."""
    x = as_expression(x)
    return where(x < 0.0, -1.0, where(x > 0.0, 1.0, 0.0))


def min(a: Any, b: Any) -> Expression:
    """The smaller of two."""
    a, b = as_expression(a), as_expression(b)
    return where(b < a, b, a)


def max(a: Any, b: Any) -> Expression:
    """The larger of two."""
    a, b = as_expression(a), as_expression(b)
    return where(a < b, b, a)


def clip(x: Any, lower: Any, upper: Any) -> Expression:
    """`x` limited to lower..upper."""
    return min(max(x, lower), upper)


def table(x: Any, points: Sequence[float], values: Sequence[float]) -> Expression:
    """Linear interpolation of `values` over `points` (strictly increasing); constant beyond the ends."""
    xs, ys = tuple(float(p) for p in points), tuple(float(v) for v in values)
    if len(xs) != len(ys) or len(xs) < 2:
        raise ValueError(f"a table needs two or more points and as many values: got {len(xs)} and {len(ys)}")
    if not all(a < b for a, b in itertools.pairwise(xs)):
        raise ValueError("the points of a table must be strictly increasing")
    if not all(map(math.isfinite, xs + ys)):
        raise ValueError("the points and values of a table must be finite")
    return Expression("table", (as_expression(x),), value=(xs, ys))


def _interpolate(x: float, data: tuple[tuple[float, ...], tuple[float, ...]], slope: bool) -> float:
    xs, ys = data
    if x <= xs[0] or x >= xs[-1]:
        return 0.0 if slope else (ys[0] if x <= xs[0] else ys[-1])
    k = next(i for i in range(len(xs) - 1) if x < xs[i + 1])
    rate = (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k])
    return rate if slope else ys[k] + rate * (x - xs[k])


def evaluate(expression: Any, values: Mapping[Any, float] | Callable[[Any], float]) -> float:
    """The number of an expression; `values` gives each leaf by its reference."""
    lookup = values.__getitem__ if isinstance(values, Mapping) else values
    done: dict[int, float] = {}

    def number(e: Expression) -> float:
        key = id(e)
        if key not in done:
            done[key] = _apply(e, [number(a) for a in e.args], lookup)
        return done[key]

    return number(as_expression(expression))


def _apply(e: Expression, args: list[float], lookup: Callable[[Any], float]) -> float:
    if e.op == "const":
        return e.value
    if e.op == "leaf":
        return lookup(e.value)
    if e.op in UNARY:
        return UNARY[e.op](args[0])
    if e.op in ("table", "slope"):
        return _interpolate(args[0], e.value, e.op == "slope")
    return BINARY[e.op](*args)


BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "neg": lambda a: -a, "pow": lambda a, b: a**b,
    "atan2": math.atan2, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "where": lambda c, a, b: a if c else b,
}  # fmt: skip


def topological(roots: Iterable[Expression]) -> list[Expression]:
    """Every node below the roots once, operands first, in a fixed order."""
    order: list[Expression] = []
    seen: set[int] = set()
    stack = [(root, False) for root in reversed(list(roots))]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(node.args))
    return order


def by_creation(roots: Iterable[Expression]) -> list[Expression]:
    """Every node below the roots once, operands first, otherwise in the order of creation."""
    nodes = topological(roots)
    waiting = {id(node): len({id(a) for a in node.args}) for node in nodes}
    users: dict[int, list[Expression]] = {}
    for node in nodes:
        for key in {id(a) for a in node.args}:
            users.setdefault(key, []).append(node)
    ready = [(node.order, place, node) for place, node in enumerate(nodes) if not waiting[id(node)]]
    places = {id(node): place for place, node in enumerate(nodes)}
    heapq.heapify(ready)
    order = []
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for user in users.get(id(node), ()):
            waiting[id(user)] -= 1
            if not waiting[id(user)]:
                heapq.heappush(ready, (user.order, places[id(user)], user))
    return order


def leaves(roots: Iterable[Expression]) -> list[Any]:
    """The references of all leaves below the roots, once each, in a fixed order."""
    found: dict[Any, None] = {}
    for node in topological(roots):
        if node.op == "leaf":
            found.setdefault(node.value)
    return list(found)


def rebuild(roots: Sequence[Expression], replace: Callable[[Expression], Expression | None]) -> list[Expression]:
    """The same formulas with some nodes replaced; `replace` returns None to keep a node as it is.

    What `replace` returns is rebuilt in its turn only below its own operands, never again itself.
    """
    new: dict[int, Expression] = {}
    for node in topological(roots):
        other = replace(node)
        if other is None:
            other = node if not node.args else remake(node, [new[id(a)] for a in node.args])
        new[id(node)] = other
    return [new[id(root)] for root in roots]


def remake(node: Expression, args: list[Expression]) -> Expression:
    """The node's operation on other operands, folded anew."""
    if all(x is y for x, y in zip(node.args, args, strict=True)):
        return node
    if node.op in UNARY:
        result = _unary(node.op, args[0])
    elif node.op in FOLDING:
        result = FOLDING[node.op](*args)
    else:
        result = Expression(node.op, tuple(args), node.value)
    result.order = builtins.min(result.order, node.order) if result.args else result.order
    return named(result, node.name) if node.name and result.name is None else result


FOLDING: dict[str, Callable[..., Expression]] = {
    "add": _add, "sub": _sub, "mul": _mul, "div": _div, "neg": _neg, "pow": _pow,
    "atan2": atan2, "where": where,
}  # fmt: skip


def _d_pow(e: Expression, a: Expression, b: Expression, da: Expression, db: Expression) -> Expression:
    return b * _pow(a, b - 1.0) * da + (ZERO if is_literal(db, 0.0) else e * log(a) * db)


TANGENTS: dict[str, Callable[..., Expression]] = {
    "add": lambda e, a, b, da, db: da + db,
    "sub": lambda e, a, b, da, db: da - db,
    "neg": lambda e, a, da: -da,
    "mul": lambda e, a, b, da, db: da * b + a * db,
    "div": lambda e, a, b, da, db: (da - e * db) / b,
    "pow": _d_pow,
    "sqrt": lambda e, a, da: 0.5 * da / e,
    "sin": lambda e, a, da: cos(a) * da,
    "cos": lambda e, a, da: -(sin(a) * da),
    "tan": lambda e, a, da: (1.0 + e * e) * da,
    "asin": lambda e, a, da: da / sqrt(1.0 - a * a),
    "acos": lambda e, a, da: -(da / sqrt(1.0 - a * a)),
    "atan": lambda e, a, da: da / (1.0 + a * a),
    "atan2": lambda e, y, x, dy, dx: (x * dy - y * dx) / (x * x + y * y),
    "exp": lambda e, a, da: e * da,
    "log": lambda e, a, da: da / a,
    "tanh": lambda e, a, da: (1.0 - e * e) * da,
    "where": lambda e, c, a, b, dc, da, db: where(c, da, db),
    "table": lambda e, a, da: Expression("slope", (a,), e.value) * da,
    "slope": lambda e, a, da: ZERO,
    "lt": lambda e, a, b, da, db: ZERO,
    "le": lambda e, a, b, da, db: ZERO,
}


def derivative(roots: Sequence[Expression], seed: Callable[[Any], Expression]) -> list[Expression]:
    """Forward tangents of the roots; `seed(reference)` is the tangent of a leaf."""
    tangent: dict[int, Expression] = {}
    for node in topological(roots):
        if node.op == "const":
            tangent[id(node)] = ZERO
        elif node.op == "leaf":
            tangent[id(node)] = seed(node.value)
        else:
            dargs = [tangent[id(a)] for a in node.args]
            if all(is_literal(d, 0.0) for d in dargs):
                tangent[id(node)] = ZERO
            else:
                tangent[id(node)] = TANGENTS[node.op](node, *node.args, *dargs)
    return [tangent[id(root)] for root in roots]
