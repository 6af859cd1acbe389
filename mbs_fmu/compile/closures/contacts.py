"""Contact parameters: states that locate the points where curves touch (docs/equations_loops.md, L18)."""

from __future__ import annotations

from collections.abc import Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.layout import Load
from ...symbolic.expressions import Expression, as_expression
from ...symbolic.graph import derivative


@dataclass(frozen=True)
class Contact:
    """A contact parameter: its address, its condition of tangency, and an approximate value.

    `tangency` and `guess` are expressions of addresses and of symbols for the closure's vectors.
    """

    z: Load
    tangency: Expression
    guess: Expression


def solved(contacts: Sequence[Contact], values: Sequence[Expression]) -> list[Expression]:
    """Return -(dh/dz)^-1 times the values, where h are the tangency conditions of one or two contact parameters z."""
    if not contacts:
        return []
    H = [[slope(contact.tangency, other.z) for other in contacts] for contact in contacts]
    if len(contacts) == 1:
        return [-(values[0] / H[0][0])]
    (a, b), (c, d) = H
    determinant = a * d - b * c
    return [(b * values[1] - d * values[0]) / determinant, (c * values[0] - a * values[1]) / determinant]


def slope(expression: Expression, reference: object) -> Expression:
    """Return the derivative of an expression with respect to one leaf."""
    return derivative([expression], lambda other: as_expression(float(other == reference)))[0]
