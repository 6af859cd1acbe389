"""Turn slip of the Magic Formula: factors zeta by which the spin of the contact changes forces and moments.

(T18) of docs/vehicles.md; equations (4.76) to (4.105) of H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed. 2012,
section 4.3.3.
"""

from __future__ import annotations

import math
from typing import Protocol

from ...symbolic.expressions import ONE, ZERO, Expression, abs, acos, atan, cos, min, sin, sqrt
from .coefficients import Coefficients
from .formula import Slip

TINY = 1e-18  #: keeps the derivative of a square root finite where its argument vanishes
MOST_SHARE = 1.0 - 1e-9  #: largest cosine of (4.103), whose arc has a finite derivative


class Terms(Protocol):
    """The terms of the formula at one load and slip that turn slip needs."""

    @property
    def c(self) -> Coefficients: ...
    @property
    def slip(self) -> Slip: ...
    @property
    def df(self) -> Expression: ...
    def camber_stiffness(self, upright: Expression) -> Expression: ...


def fading(x: Expression) -> Expression:
    """Return a factor that decreases from 1 with the absolute value of x: the cosine of its arc tangent."""
    return cos(atan(x))


def remaining_spin(c: Coefficients, df: Expression) -> Expression:
    """Return 1 - epsilon_gamma, the share of the spin due to inclination that has an effect (4.90)."""
    return 1.0 - c.PECP1 * (1.0 + c.PECP2 * df)


def spin_stiffness(c: Coefficients, fz: Expression, df: Expression) -> Expression:
    """Return the derivative of the moment with respect to R0 times the spin, without slip, N.m (4.100)."""
    return fz * c.UNLOADED_RADIUS * (c.QDZ8 + c.QDZ9 * df) * c.LKZC / remaining_spin(c, df)


class Straight:
    """The factors without turn slip. camber: zeta_0, 1 where inclination acts by terms of its own."""

    camber = 1.0
    longitudinal: Expression = ONE  #: zeta_1, of the peak of Fx
    lateral: Expression = ONE  #: zeta_2, of the peak of Fy
    stiffness: Expression = ONE  #: zeta_3, of the cornering stiffness
    trail: Expression = ONE  #: zeta_5
    width: Expression = ONE  #: zeta_6, of the residual moment

    def shift(self, straight: Expression, inclined: Expression, K: Expression, upright: Expression) -> Expression:
        """Return the shift of the lateral force by spin or inclination; straight: that by inclination alone.

        inclined: S_Vy gamma, N. K: cornering stiffness, N, upright: that without inclination.
        """
        return straight

    def moment(self, friction: Expression, weight: Expression) -> tuple[Expression, Expression]:
        """Return the moment that opposes the spin, D_r phi, N.m, and zeta_7, the shape of the residual moment.

        friction: mu_y. weight: G_y kappa.
        """
        return ZERO, ONE


class Turning(Straight):
    """The factors for a spin of the contact, 1/m, which contains that due to inclination."""

    camber = 0.0

    def __init__(self, at: Terms, spin: Expression):
        self.at, self.c = at, at.c
        self.turn = self.c.UNLOADED_RADIUS * spin  # R0 phi
        c, s, df = self.c, at.slip, at.df
        size = abs(self.turn)
        self.longitudinal = fading(c.PDXP1 * (1.0 + c.PDXP2 * df) * fading(c.PDXP3 * s.kappa) * self.turn)
        rate = c.PDYP1 * (1.0 + c.PDYP2 * df) * fading(c.PDYP3 * s.tan_alpha)
        root = c.PDYP4 * sqrt(size + TINY) if c.PDYP4 else ZERO
        self.lateral = fading(rate * (size + root))
        self.stiffness = fading(c.PKYP1 * self.turn * self.turn)
        self.trail = fading(c.QDTP1 * self.turn)
        self.width = fading(c.QBRP1 * self.turn)

    def shift(self, straight: Expression, inclined: Expression, K: Expression, upright: Expression) -> Expression:
        """(4.84) to (4.89): that of the spin; the offset due to inclination has no effect without slip."""
        c, df = self.c, self.at.df
        C, D, E = c.PHYP1, c.PHYP2 + c.PHYP3 * df, min(ZERO + c.PHYP4, 1.0)
        B = self.at.camber_stiffness(upright) / (remaining_spin(c, df) * C * D * upright)
        return self._sine(C, D, B, E) * self.at.slip.direction - inclined / K

    def moment(self, friction: Expression, weight: Expression) -> tuple[Expression, Expression]:
        """(4.92) to (4.103)."""
        most = self._most(friction)
        moment = self._moment(most)
        across = most * weight * (2.0 / math.pi) * atan(self.c.QCRP2 * abs(self.turn))
        share = min(across / sqrt(moment * moment + TINY), MOST_SHARE)
        return moment, (2.0 / math.pi) * acos(share)

    def _most(self, friction: Expression) -> Expression:
        """Return the moment of a wheel that turns on the spot, N.m (4.95)."""
        c, fz = self.c, self.at.slip.fz
        return c.QCRP1 * friction * c.UNLOADED_RADIUS * fz * sqrt(fz / c.nominal_load) * c.LMP

    def _moment(self, most: Expression) -> Expression:
        C, D = self.c.QDRP1, most / math.sin(0.5 * math.pi * self.c.QDRP1)
        B = spin_stiffness(self.c, self.at.slip.fz, self.at.df) / (C * D)
        return self._sine(C, D, B, min(ZERO + self.c.QDRP2, 1.0))

    def _sine(self, C: float, D: Expression, B: Expression, E: Expression) -> Expression:
        bent = B * self.turn
        return D * sin(C * atan(bent - E * (bent - atan(bent))))


STRAIGHT = Straight()
