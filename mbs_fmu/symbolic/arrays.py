"""Values of expressions at many instants at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .expressions import BINARY, Expression, as_expression
from .graph import evaluate, topological
from .lines import nearest_values
from .polyhedra import OPERATIONS, polyhedron_values
from .surfaces import SURFACES, surface_values

#: numpy's functions for operations that Python's operators do not cover.
ON_ARRAYS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "exp": np.exp, "log": np.log, "tanh": np.tanh, "atan2": np.arctan2, "where": np.where,
    "mod": np.mod,
}  # fmt: skip


def values_along(roots: Sequence[Expression], size: int, lookup: Callable[[Any], np.ndarray | float]) -> np.ndarray:
    """Return values of expressions, (size, roots).

    lookup: value of a leaf by its reference, a number or an array (size). Values that are not finite cause no warning.
    """
    if all(root.op == "const" for root in roots):
        return np.broadcast_to([float(root.value) for root in roots], (size, len(roots)))
    done: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in topological(roots):
            if node.op == "const":
                done[id(node)] = float(node.value)
            elif node.op == "leaf":
                done[id(node)] = lookup(node.value)
            else:
                done[id(node)] = _applied(node, [done[id(a)] for a in node.args])
    return np.column_stack([np.broadcast_to(np.asarray(done[id(root)], dtype=float), size) for root in roots])


def _applied(node: Expression, args: list[Any]) -> Any:
    function = ON_ARRAYS.get(node.op) or BINARY.get(node.op)
    if function is not None:
        return function(*(np.asarray(x) for x in args))
    if node.op in (*SURFACES, "nearest", *OPERATIONS):
        columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(x, dtype=float)) for x in args))
        if node.op in OPERATIONS:
            return polyhedron_values(node.op, columns, node.value)
        x, y = columns
        return surface_values(x, y, node.value) if node.op in SURFACES else nearest_values(x, y, node.value)

    # a table or spline: looked up number by number
    def value(*numbers: float) -> float:
        return evaluate(Expression(node.op, tuple(map(as_expression, numbers)), node.value), {})

    return np.vectorize(value, [float])(*args)
