"""Contact parameters: states that locate the points where curves touch (docs/equations_loops.md, L18)."""

from __future__ import annotations

from collections.abc import Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...model.closures.tangency import contact_changes
from ...record.layout import Load
from ...symbolic.expressions import Expression


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
    return contact_changes([contact.z for contact in contacts], [contact.tangency for contact in contacts], values)
