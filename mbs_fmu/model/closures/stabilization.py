"""Settings of the stabilization of loops."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass


@dataclass(frozen=True)
class Stabilization:
    """Stabilization of constraint residuals.

    alpha: decay rate of residuals, 1/s; None: 1/s, but at most 0.1 over the step size (in model exchange 10/s).
    projection: project after steps that leave a residual above a hundredth of the absolute tolerance. rebasing: begin
    each step with the momenta themselves and no accumulated impulse. bound: a step fails if the largest residual (m,
    rad) exceeds it; None: a hundredth of the size of the mechanism.
    """

    alpha: float | None = None
    projection: bool = True
    rebasing: bool = True
    bound: float | None = None
