"""Results of passes that formulas need, found in the numbers that they read."""

from __future__ import annotations

from collections.abc import Iterable

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.blocks import LoopNumbers
from ...record.layout import Load
from ...symbolic.expressions import Expression
from ...symbolic.graph import leaves
from .law import Law

RESIDUAL = Load("R", "loop_state", LoopNumbers.residual)  #: of the balance of momenta


@dataclass(frozen=True)
class Needs:
    """Results of passes: poses, twists, the energy, the totals of the mechanism, instantaneous forces."""

    pose: bool = False
    twist: bool = False
    energy: bool = False
    totals: bool = False
    instantaneous: bool = False

    def __or__(self, other: Needs) -> Needs:
        """Return the results that either needs."""
        return Needs(*(a or b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


def needs_of(laws: Iterable[Law], formulas: Iterable[Expression] = ()) -> Needs:
    """Return the results that laws and further formulas need."""
    patterns = {id(law.pattern): law.pattern for law in laws}
    read = leaves([*(root for law in patterns.values() for root in law.roots), *formulas])
    regions = {load.region for load in read}
    energy, totals = "energy" in regions, "totals" in regions
    return Needs(
        pose="pose" in regions or energy or totals,
        twist="twist" in regions or totals,
        energy=energy,
        totals=totals,
        instantaneous=any(load.array == "D" or load == RESIDUAL for load in read),
    )
