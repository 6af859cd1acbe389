"""Lines of generated functions that are written with the names of record/schema.py."""

from __future__ import annotations

import ast

from ...infrastructure.syntax import parsed
from ...kernels.lowering import lowered


def flat_lines(*lines: str) -> list[str]:
    """Return lines of a function of the record R as flat text: `R.row_bias[k]` becomes `R[ROW_BIAS + k]`."""
    (head,) = parsed("def lines(R: Record): pass").body
    assert isinstance(head, ast.FunctionDef)
    head.body = parsed("\n".join(lines)).body
    return [line for statement in lowered(head).body for line in ast.unparse(statement).splitlines()]


def flat(expression: str) -> str:
    """Return an expression of the record R as flat text."""
    (text,) = flat_lines(expression)
    return text
