"""The numbers of an expression at many instants at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .expressions import BINARY, Expression, as_expression
from .graph import evaluate, topological

#: Where numpy has another function than Python's operators.
ON_ARRAYS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "exp": np.exp, "log": np.log, "tanh": np.tanh, "atan2": np.arctan2, "where": np.where,
}  # fmt: skip


def values_along(root: Expression, size: int, lookup: Callable[[Any], np.ndarray | float]) -> np.ndarray:
    """An array of `size` numbers; `lookup` gives each leaf by its reference, a number or an array of that size.

    What is not finite at some instant is so in the array, and nothing is said of it.
    """
    done: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in topological([root]):
            if node.op == "const":
                done[id(node)] = float(node.value)
            elif node.op == "leaf":
                done[id(node)] = lookup(node.value)
            else:
                done[id(node)] = _applied(node, [done[id(a)] for a in node.args])
    return np.broadcast_to(np.asarray(done[id(root)], dtype=float), size).copy()


def _applied(node: Expression, args: list[Any]) -> Any:
    function = ON_ARRAYS.get(node.op) or BINARY.get(node.op)
    if function is not None:
        return function(*(np.asarray(x) for x in args))
    # a table or spline: looked up number by number
    return np.vectorize(lambda x: evaluate(Expression(node.op, (as_expression(x),), node.value), {}), [float])(args[0])
