"""Massless rods between two points."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import as_expression, is_literal
from ...symbolic.graph import leaves
from ..effects import Check
from ..geometry.vectors import number
from ..references.leaves import Signal
from .closure import Pair, check_leaves
from .conditions import Conditions


@dataclass(frozen=True)
class Distance(Pair):
    """Massless rod between two points: their distance is `length` (m), which may depend on time and parameters.

    `Model.close` raises ModelError for a length that is not positive.
    """

    length: Quantity

    def checked(self, thing: str) -> Distance:
        length = number(self.length, f"length of {thing}", "m")
        check_leaves([length], thing)
        if is_literal(length) and length.value <= 0.0:
            raise ModelError(
                f"length of {thing} is {length.value!r}: it must be positive (for none, close with a ball)"
            )
        return Distance(length)

    @property
    def is_rod(self) -> bool:
        return True

    def conditions(self, frame: int | None, thing: str) -> Conditions:
        conditions = Conditions()
        conditions.add(conditions.gap().norm() - as_expression(self.length), "distance", "m")
        return conditions

    def parameter_checks(self, thing: str) -> list[Check]:
        """Return the length to be checked if it depends on parameters only."""
        length = as_expression(self.length)
        parameters = leaves([length])
        if not parameters or not all(isinstance(r, Signal) and r.role == "parameter" for r in parameters):
            return []
        names = ", ".join(repr(r.name) for r in parameters)
        return [(length, f"length of {thing} must be positive: change parameter {names}")]
