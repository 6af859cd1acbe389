"""Reverse mode of automatic differentiation: adjoints of formulas by all their leaves at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .expressions import ZERO, Expression, is_literal
from .graph import TANGENTS, topological


def adjoints(roots: Sequence[Expression], weights: Sequence[Expression]) -> dict[Any, Expression]:
    """Return the derivatives of the sum of `weights[k] * roots[k]` with respect to all leaves, by their references.

    Weights are constants with respect to the leaves. Leaves without influence are omitted. A tangent is linear in those
    of the operands, so the rule for tangents, with the adjoint of the result in the place of one operand's tangent,
    gives the adjoint of that operand.
    """
    gathered: dict[int, Expression] = {}

    def add(node: Expression, share: Expression) -> None:
        gathered[id(node)] = gathered[id(node)] + share if id(node) in gathered else share

    for root, weight in zip(roots, weights, strict=True):
        add(root, weight)
    nodes = topological(roots)
    for node in reversed(nodes):
        adjoint = gathered.get(id(node))
        if adjoint is None:
            continue
        for place, operand in enumerate(node.args):
            if operand.op == "const":
                continue
            seeds = [ZERO] * len(node.args)
            seeds[place] = adjoint
            share = TANGENTS[node.op](node, *node.args, *seeds)
            if not is_literal(share, 0.0):
                add(operand, share)
    return {node.value: gathered[id(node)] for node in nodes if node.op == "leaf" and id(node) in gathered}
