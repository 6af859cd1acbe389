"""The interface of tyre formulas: forces and moments in steady slip, and relaxation lengths."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ONE, ZERO, Expression, max

LEAST_RELAXATION = 0.1  #: shortest relaxation length over the unloaded radius
LEAST_LOAD = 1e-6  #: N, below which a load counts as this load, so that no formula divides by zero


@dataclass(frozen=True, eq=False)
class Slip:
    """Load and slip of a tyre, in W axes of ISO 8855: x forward, y to the left, z up.

    fz: load, N. kappa: longitudinal slip. tan_alpha: tangent of the slip angle. gamma: inclination angle, rad.
    sin_gamma: its sine. pressure: deviation of the inflation pressure over the nominal one. speed: of the centre
    along x, m/s. grip: factor of the coefficients of friction. spin: of the contact, 1/m, positive to the left, with
    that due to inclination, or None without turn slip. direction: of travel, -1 to 1, with which the lateral force of
    the spin changes its sign. sliding: speed of the contact on the road, m/s.
    """

    fz: Expression
    kappa: Expression
    tan_alpha: Expression
    gamma: Expression = ZERO
    sin_gamma: Expression = ZERO
    pressure: Expression = ZERO
    speed: Expression = ZERO
    grip: Expression = ONE
    spin: Expression | None = None
    direction: Expression = ONE
    sliding: Expression = ZERO


@dataclass(frozen=True, eq=False)
class SteadyForces:
    """Forces and moments of the road on the tyre at the contact point, in W axes.

    fx, fy: N. mx: overturning moment, N.m. my: rolling resistance moment, N.m. turning: the part of the aligning moment
    that changes its sign with the direction of travel, for travel along x, N.m. mz_arm: the other part, N.m.
    kappa_stiffness, alpha_stiffness: the derivatives of fx with respect to kappa and of fy with respect to alpha
    without slip, N (and N/rad). fx_limit, fy_limit: products of load and coefficient of friction, N. mz_spin: the
    moment that opposes the spin, N.m.
    """

    fx: Expression
    fy: Expression
    mx: Expression
    my: Expression
    turning: Expression
    mz_arm: Expression
    kappa_stiffness: Expression
    alpha_stiffness: Expression
    fx_limit: Expression
    fy_limit: Expression
    mz_spin: Expression = ZERO


@dataclass(frozen=True, eq=False)
class TurnSlip:
    """How spin follows the motion. share: of the spin due to inclination that counts. length: of relaxation, m."""

    share: Expression
    length: Expression


class Formula(ABC):
    """Steady forces of a tyre as functions of load and slip; all numbers may be expressions.

    no_turn_slip: why the tyre has no turn slip, and the remedy; empty if it has.
    """

    no_turn_slip: str = "this tyre has no turn slip: give one of the Magic Formula, mbs.Tyre or mbs.Tyre.from_tir"

    def turn_slip(self, fz: Expression) -> TurnSlip:
        """Return how spin follows the motion under a load, N, if the tyre has turn slip."""
        raise ModelError(self.no_turn_slip)

    @abstractmethod
    def steady(self, slip: Slip) -> SteadyForces:
        """Return forces and moments in steady slip."""

    @abstractmethod
    def relaxation(self, slip: Slip, forces: SteadyForces) -> tuple[Expression, Expression]:
        """Return the relaxation lengths of longitudinal and lateral slip, m; `forces`: those without slip."""

    def mirrored(self) -> Formula:
        """Return the formula of the same tyre on the other side of the vehicle; itself if it is symmetric."""
        return self


def some_load(fz: Expression) -> Expression:
    """Return a load that is large enough to divide by, N."""
    return max(fz, LEAST_LOAD)
