"""Traversals of expression graphs: order, replacement, pickling, evaluation, forward tangents."""

from __future__ import annotations

import bisect
import builtins
import copyreg
import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from .expressions import (
    BINARY,
    ONE,
    UNARY,
    ZERO,
    Expression,
    Scalar,
    as_expression,
    atan2,
    cos,
    fold_add,
    fold_div,
    fold_mul,
    fold_neg,
    fold_pow,
    fold_sub,
    fold_unary,
    is_literal,
    log,
    mod,
    named,
    sin,
    sqrt,
    where,
)
from .lines import nearest_values
from .polyhedra import OPERATIONS, polyhedron_values
from .splines import spline_number, spline_slope
from .surfaces import SURFACES, surface_number, surface_slope
from .tables import areas, table_tangent


def topological(roots: Iterable[Expression]) -> list[Expression]:
    """Return every node below the roots once, operands first, in a fixed order."""
    order: list[Expression] = []
    seen: set[Expression] = set()
    path: list[Expression] = []  # from a root to the current node
    waiting = [iter(roots)]  # the remaining roots, then the remaining operands of each node of the path
    while waiting:
        for node in waiting[-1]:
            if node not in seen:
                seen.add(node)
                if node.args:
                    path.append(node)
                    waiting.append(iter(node.args))
                    break
                order.append(node)
        else:
            waiting.pop()
            if path:
                order.append(path.pop())
    return order


def by_creation(roots: Iterable[Expression]) -> list[Expression]:
    """Return every node below the roots once, operands first, otherwise in the order of creation."""
    nodes = topological(roots)
    if all(a.order <= node.order for node in nodes for a in node.args):
        return sorted(nodes, key=attrgetter("order"))  # of nodes of the same order operands stay first
    waiting = {node: len({*node.args}) for node in nodes}
    places = {node: place for place, node in enumerate(nodes)}
    users: dict[Expression, list[Expression]] = {}
    for node in nodes:
        for a in {*node.args}:
            users.setdefault(a, []).append(node)
    ready = [(node.order, places[node], node) for node in nodes if not node.args]
    heapq.heapify(ready)
    order = []
    while ready:
        node = heapq.heappop(ready)[2]
        order.append(node)
        for user in users.get(node, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, (user.order, places[user], user))
    return order


def leaves(roots: Iterable[Expression]) -> list[Any]:
    """Return the references of all leaves below the roots, once each, in a fixed order."""
    references: dict[Any, None] = {}
    for node in topological(roots):
        if node.op == "leaf":
            references.setdefault(node.value)
    return list(references)


def structure(roots: Iterable[Expression]) -> tuple[object, ...]:
    """Return a key that is equal for formulas that are equal node by node."""
    roots = list(roots)
    numbers: dict[tuple[object, ...], int] = {}
    number_of: dict[Expression, int] = {}
    for node in topological(roots):
        key = (node.op, node.value, *(number_of[arg] for arg in node.args))
        number_of[node] = numbers.setdefault(key, len(numbers))
    return *numbers, *(number_of[root] for root in roots)


def distinct(roots: Sequence[Expression]) -> int:
    """Number of different formulas among the nodes below the roots."""
    return len(structure(roots)) - len(roots)


def rebuild(
    roots: Sequence[Expression],
    replace: Callable[[Expression], Expression | None],
    make: Callable[[Expression, list[Expression]], Expression] | None = None,
) -> list[Expression]:
    """Return the formulas with some nodes replaced.

    replace: returns the replacement of a node, which is not changed further, or None. make: returns another node for
    its rebuilt operands; by default `remake`.
    """
    new: dict[int, Expression] = {}
    for node in topological(roots):
        other = replace(node)
        if other is None:
            other = node if not node.args else (make or remake)(node, [new[id(a)] for a in node.args])
        new[id(node)] = other
    return [new[id(root)] for root in roots]


def remake(node: Expression, args: list[Expression]) -> Expression:
    """Return the node's operation on other operands, with literals folded again."""
    if all(x is y for x, y in zip(node.args, args, strict=True)):
        return node
    if node.op in UNARY:
        result = fold_unary(node.op, args[0])
    elif node.op in FOLDING:
        result = FOLDING[node.op](*args)
    else:
        result = Expression(node.op, tuple(args), node.value)
    result.order = builtins.min(result.order, node.order) if result.args else result.order
    return named(result, node.name) if node.name and result.name is None else result


FOLDING: dict[str, Callable[..., Expression]] = {
    "add": fold_add, "sub": fold_sub, "mul": fold_mul, "div": fold_div, "neg": fold_neg, "pow": fold_pow,
    "mod": mod, "atan2": atan2, "where": where,
}  # fmt: skip


LARGE = 1e300  #: above the slopes of powers that are not infinite


def _unless_zero(x: Expression, a: Expression, b: Scalar) -> Expression:
    """Return a, or b where x is zero."""
    return where(x > 0.0, a, where(x < 0.0, a, b))


def _d_sqrt(e: Expression, a: Expression, da: Expression) -> Expression:
    """Return the tangent of a root. It is zero at zero if the argument stays, as in |v| v at rest, in place of 0/0.

    The exceptions of roots and powers change divisors and slopes only, so that the tangent has itself a tangent where
    `da` is zero.
    """
    return 0.5 * da / where(e > 0.0, e, _unless_zero(da, ZERO, 1.0))


def _d_pow(e: Expression, a: Expression, b: Expression, da: Expression, db: Expression) -> Expression:
    """Return the tangent of a power: the parts of base and exponent are zero where these stay, for any base."""
    slope = fold_pow(a, b - 1.0)
    if b.op != "const" or b.value < 1.0:  # the slope is infinite at zero
        slope = where(slope < LARGE, slope, _unless_zero(da, slope, 0.0))
    by_base = b * slope * da
    if is_literal(db, 0.0):
        return by_base
    base = where(a > 0.0, a, where(a < 0.0, _unless_zero(db, a, 1.0), 1.0))  # e log(a) vanishes at zero
    return by_base + e * log(base) * db


TANGENTS: dict[str, Callable[..., Expression]] = {
    "add": lambda e, a, b, da, db: da + db,
    "sub": lambda e, a, b, da, db: da - db,
    "neg": lambda e, a, da: -da,
    "mul": lambda e, a, b, da, db: da * b + a * db,
    "div": lambda e, a, b, da, db: (da - e * db) / b,
    "pow": _d_pow,
    "mod": lambda e, a, b, da, db: da - (a - e) / b * db,
    "sqrt": _d_sqrt,
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
    **dict.fromkeys(("table", "slope", "area"), table_tangent),
    "spline": spline_slope,
    **dict.fromkeys(SURFACES, surface_slope),
    **dict.fromkeys((*OPERATIONS, "nearest"), lambda e, *args: ZERO),
    "lt": lambda e, a, b, da, db: ZERO,
    "le": lambda e, a, b, da, db: ZERO,
}


def _flat(root: Expression) -> tuple[Callable[..., Expression], tuple[list[tuple[Any, ...]]]]:
    """Return a pickle's data: a list of all nodes below the root, since long sums are deeper than Python's stack.

    Nodes that two roots share are then stored twice; emission merges equal formulas again, in the order of creation.
    """
    nodes = topological([root])
    places = {id(node): k for k, node in enumerate(nodes)}
    return _restored, ([(n.op, [places[id(a)] for a in n.args], n.value, n.name, n.order) for n in nodes],)


def _restored(nodes: list[tuple[Any, ...]]) -> Expression:
    made: list[Expression] = []
    for op, args, value, name, order in nodes:
        node = Expression(op, tuple(made[k] for k in args), value, name)
        node.order = order
        made.append(node)
    Expression.come_before(builtins.max(node.order for node in made))
    return made[-1]


copyreg.pickle(Expression, _flat)


#: Number of nodes from which on each node's tangent follows that node in the code, to keep few values alive.
LONG = 1000


def _put_beside(node: Expression, made: Expression, before: int) -> None:
    """Give the new nodes of a node's tangent the node's own order."""
    waiting = [made]
    while waiting:
        new = waiting.pop()
        if new.order > before:
            new.order = node.order
            waiting += new.args


def derivative(roots: Sequence[Expression], seed: Callable[[Any], Expression]) -> list[Expression]:
    """Return forward tangents of the roots; `seed(reference)` is the tangent of a leaf."""
    tangent: dict[int, Expression] = {}
    nodes = topological(roots)
    is_long = len(nodes) > LONG and distinct(roots) > LONG  # a copy's formulas share less, and must give the same text
    for node in nodes:
        before = next(Expression._created)
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
        if is_long:
            _put_beside(node, tangent[id(node)], before)
    return [tangent[id(root)] for root in roots]


def only(reference: object) -> Callable[[object], Expression]:
    """Return the seed of the derivative by one leaf, by its reference."""
    return lambda x: ONE if x == reference else ZERO


def evaluate(expression: Any, values: Mapping[Any, float] | Callable[[Any], float]) -> float:
    """Return the value of an expression; values: of leaves, by their references."""
    lookup = values.__getitem__ if isinstance(values, Mapping) else values
    return evaluate_all([as_expression(expression)], lookup)[0]


def evaluate_all(roots: Sequence[Expression], lookup: Callable[[Any], float]) -> list[float]:
    """Return values of several expressions; shared nodes are evaluated once."""
    return combined(roots, lambda node, args: apply(node, args, lookup))


def combined(roots: Sequence[Expression], combine: Callable[[Expression, list[Any]], Any]) -> list[Any]:
    """Return what `combine` returns for the roots, from each node and the results for its operands; nodes once."""
    done: dict[int, Any] = {}
    for node in topological(roots):
        done[id(node)] = combine(node, [done[id(a)] for a in node.args])
    return [done[id(root)] for root in roots]


def apply(e: Expression, args: list[float], lookup: Callable[[Any], float]) -> float:
    """Return the value of a node for the values of its operands; `lookup(reference)` is that of a leaf."""
    if e.op == "const":
        return float(e.value)
    if e.op == "leaf":
        return lookup(e.value)
    if e.op in UNARY:
        return UNARY[e.op](args[0])
    if e.op in ("table", "slope", "area"):
        points, values = e.value
        return TABULAR[e.op](args[0], points, args[1:] if values is None else values)
    if e.op == "spline":
        return spline_number(args[0], e.value)
    if e.op in SURFACES:
        return surface_number(args[0], args[1], e.value)
    if e.op == "nearest":
        return float(nearest_values(np.array([args[0]]), np.array([args[1]]), e.value)[0])
    if e.op in OPERATIONS:
        return float(polyhedron_values(e.op, [np.array([x]) for x in args], e.value)[0])
    return float(BINARY[e.op](*args))


def _interpolate(x: float, xs: Sequence[float], ys: Sequence[float], slope: bool = False) -> float:
    if x < xs[0] or x >= xs[-1]:
        return 0.0 if slope else (ys[0] if x < xs[0] else ys[-1])
    k = _interval(x, xs)
    rate = (ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k])
    return rate if slope else ys[k] + rate * (x - xs[k])


def _area(x: float, xs: Sequence[float], ys: Sequence[float]) -> float:
    if x < xs[0]:
        return ys[0] * (x - xs[0])
    k = len(xs) - 1 if x >= xs[-1] else _interval(x, xs)
    middle = 0.5 * (x + xs[k])
    return float(areas(xs, ys)[k]) + _interpolate(middle, xs, ys) * (x - xs[k])


def _interval(x: float, xs: Sequence[float]) -> int:
    """Return the number of the interval that contains x; the last one if x is NaN."""
    return builtins.min(bisect.bisect_right(xs, x) - 1, len(xs) - 2)


TABULAR: dict[str, Callable[..., float]] = {
    "table": _interpolate,
    "slope": lambda x, xs, ys: _interpolate(x, xs, ys, slope=True),
    "area": _area,
}
