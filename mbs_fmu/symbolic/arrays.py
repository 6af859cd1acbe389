"""The numbers of expressions at many instants at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .expressions import BINARY, Expression, as_expression
from .graph import evaluate, topological

#: Where numpy has another function than Python's operators.
ON_ARRAYS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "exp": np.exp, "log": np.log, "tanh": np.tanh, "atan2": np.arctan2, "where": np.where,
}  # fmt: skip


def values_along(roots: Sequence[Expression], size: int, lookup: Callable[[Any], np.ndarray | float]) -> np.ndarray:
    """The numbers of expressions, (size, roots); `lookup` gives each leaf by its reference, a number or (size).

    What is not finite at some instant is so in the array, and nothing is said of it.
    """
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
    # a table or spline: looked up number by number
    return np.vectorize(lambda x: evaluate(Expression(node.op, (as_expression(x),), node.value), {}), [float])(args[0])
