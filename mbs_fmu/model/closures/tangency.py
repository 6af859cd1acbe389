"""Contact parameters z of curves from their conditions of tangency h = 0 (docs/equations_loops.md, L18)."""

from __future__ import annotations

from collections.abc import Sequence

from ...symbolic.expressions import Expression, as_expression
from ...symbolic.graph import derivative


def contact_changes(
    parameters: Sequence[object], tangencies: Sequence[Expression], values: Sequence[Expression]
) -> list[Expression]:
    """Return -(dh/dz)^-1 times the values, where h are the tangencies of one or two contact parameters z.

    parameters: the leaves z. With the values h these are Newton's steps, with the rates of h at constant z the rates of
    z.
    """
    if not parameters:
        return []
    H = [[slope(tangency, z) for z in parameters] for tangency in tangencies]
    if len(parameters) == 1:
        return [-(values[0] / H[0][0])]
    (a, b), (c, d) = H
    determinant = a * d - b * c
    return [(b * values[1] - d * values[0]) / determinant, (c * values[0] - a * values[1]) / determinant]


def slope(expression: Expression, reference: object) -> Expression:
    """Return the derivative of an expression with respect to one leaf."""
    return derivative([expression], lambda other: as_expression(float(other == reference)))[0]
