"""How loops are kept closed."""

from __future__ import annotations

from ...lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Stabilization:
    """How a closed loop is kept closed.

    alpha: rate at which an open residual decays, 1/s; None: 1/s, but at most 0.1 over the step size (in model
    exchange 10/s). projection: project after steps that leave a residual above a hundredth of the absolute
    tolerance. rebasing: begin each step with the momenta themselves and no accumulated impulse. bound: a step fails
    when the largest residual (m, rad) passes it; None: a hundredth of the mechanism's size.
    """

    alpha: float | None = None
    projection: bool = True
    rebasing: bool = True
    bound: float | None = None
