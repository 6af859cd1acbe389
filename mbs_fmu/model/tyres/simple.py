"""Tyre formulas with few numbers: the brush model and linear slip stiffnesses."""

from __future__ import annotations

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, max, min, sqrt
from .formula import Formula, Slip, SteadyForces, some_load

TINY = 1e-18  #: keeps the derivative of a square root finite where its argument vanishes
LEAST = 1e-3  #: least denominator 1 + kappa of the theoretical slips


@dataclass(frozen=True, eq=False)
class Brush(Formula):
    """Brush model with equal stiffnesses along and across (Pacejka 2012, section 3.2).

    The slip stiffness grows in proportion to the load, and half the length of the patch with its root. radius: m. load:
    N. slip_stiffness: at that load, N. friction: coefficient. half_patch: half the length at that load, m. relaxation:
    length at that load, m.
    """

    load: float
    slip_stiffness: float
    friction: float
    half_patch: float
    relaxation_length: float

    def steady(self, slip: Slip) -> SteadyForces:
        """Return the forces: mu Fz (1 - (1 - theta sigma)^3) with theta = C/(3 mu Fz) and theoretical slip sigma."""
        fz = some_load(slip.fz)
        limit, stiffness = self.friction * fz * slip.grip, self.slip_stiffness / self.load * fz
        rolling = max(1.0 + slip.kappa, LEAST)
        sx, sy = slip.kappa / rolling, slip.tan_alpha / rolling
        size = sqrt(sx * sx + sy * sy + TINY)
        sliding = min(stiffness / (3.0 * limit), 1.0 / size)  # share of the patch that slides, by slip
        adhesion = 1.0 - sliding * size
        force = limit * sliding * (1.0 + adhesion + adhesion * adhesion)  # by slip
        fx, fy = force * sx, -(force * sy)
        half = self.half_patch * sqrt(fz / self.load)
        trail = half * adhesion * adhesion * adhesion / (1.0 + adhesion + adhesion * adhesion)
        return SteadyForces(fx, fy, ZERO, ZERO, -(trail * fy), ZERO, stiffness, -stiffness, limit, limit)

    def relaxation(self, slip: Slip, forces: SteadyForces) -> tuple[Expression, Expression]:
        """Return the relaxation length, which grows with the root of the load, as the patch does."""
        length = max(self.relaxation_length * sqrt(some_load(slip.fz) / self.load), 0.1 * self.relaxation_length)
        return length, length


@dataclass(frozen=True, eq=False)
class Linear(Formula):
    """Forces proportional to slip up to the friction limit; independent of the load below it.

    c_kappa, c_alpha: slip stiffnesses, N and N/rad. friction: coefficient. trail, relaxation_length: m.
    """

    c_kappa: float
    c_alpha: float
    friction: float
    trail: float
    relaxation_length: float

    def steady(self, slip: Slip) -> SteadyForces:
        x, y = self.c_kappa * slip.kappa, -(self.c_alpha * slip.tan_alpha)
        limit = self.friction * some_load(slip.fz) * slip.grip
        share = min(1.0, limit / sqrt(x * x + y * y + TINY))
        fx, fy = share * x, share * y
        stiffness = ZERO + self.c_kappa, ZERO - self.c_alpha
        return SteadyForces(fx, fy, ZERO, ZERO, -(self.trail * fy), ZERO, *stiffness, limit, limit)

    def relaxation(self, slip: Slip, forces: SteadyForces) -> tuple[Expression, Expression]:
        return ZERO + self.relaxation_length, ZERO + self.relaxation_length
