"""Numbers of expressions in many rows at once: what `graph.evaluate_all` gives for each row, to rounding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .expressions import BINARY, Expression, as_expression
from .graph import evaluate, topological

#: Operations on arrays. Others go row by row.
ARRAYS: dict[str, Callable[..., Any]] = {
    **BINARY, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "exp": np.exp, "log": np.log, "tanh": np.tanh, "atan2": np.arctan2, "where": np.where,
}  # fmt: skip


def evaluate_rows(roots: Sequence[Expression], lookup: Callable[[Any], Any], rows: int) -> np.ndarray:
    """The numbers of several expressions, (rows, roots). `lookup` gives a leaf by its reference: a number or (rows).

    What is not defined is NaN or infinite.
    """
    done: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for node in topological(roots):
            done[id(node)] = _applied(node, [done[id(a)] for a in node.args], lookup)
    return np.column_stack([np.broadcast_to(done[id(root)], rows).astype(float) for root in roots])


def _applied(node: Expression, args: list[Any], lookup: Callable[[Any], Any]) -> Any:
    if node.op == "const":
        return float(node.value)
    if node.op == "leaf":
        return lookup(node.value)
    if node.op in ARRAYS:
        return ARRAYS[node.op](*args)

    def one(*numbers: float) -> float:
        return evaluate(Expression(node.op, tuple(as_expression(float(x)) for x in numbers), node.value), {})

    return np.vectorize(one, otypes=[float])(*args)
