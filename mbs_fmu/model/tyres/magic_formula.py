"""The Magic Formula 5.2 (PAC2002) and 6.1: (T1) to (T6) and (T11) of docs/vehicles.md.

Numbers (4.E..) of equations are those of H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed. 2012, section 4.3.2. The
variables have the names of the book: capital letters with the axis and the kind of slip.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import (
    ZERO,
    Expression,
    Scalar,
    abs,
    as_expression,
    atan,
    clip,
    cos,
    exp,
    is_literal,
    max,
    min,
    sign,
    sin,
    sqrt,
)
from ...symbolic.sides import sense
from .coefficients import Coefficients
from .formula import LEAST_RELAXATION, Formula, Slip, SteadyForces, TurnSlip, some_load
from .keys import STANDARD_SPEED, YAW_STIFFNESS
from .ranges import NO_RANGES, Ranges
from .turn_slip import STRAIGHT, Straight, Turning, remaining_spin, spin_stiffness

TINY = 1e-18  #: keeps the derivative of a square root finite where its argument vanishes
STANDSTILL = 0.5  #: m/s, speed below which rolling resistance decreases to zero
DEGRESSION = 10.0  #: A of (4.E8)
LEAST_CARCASS = 0.1  #: stiffness of a carcass over that at the nominal load
LONGITUDINAL_STIFFNESS, LATERAL_STIFFNESS = 3e5, 1.5e5  #: N/m, of carcasses whose file states none
LEAST_LENGTH = 0.01  #: shortest relaxation length of spin over the unloaded radius


def bent(B: Scalar, E: Scalar, x: Expression) -> Expression:
    """Return the argument of the arc tangent in the Magic Formula; E is limited to 1, as (4.E14) and others demand."""
    return B * x - min(E, 1.0) * (B * x - atan(B * x))


def sine(D: Scalar, C: float, B: Scalar, E: Scalar, x: Expression) -> Expression:
    """Return the Magic Formula of forces."""
    return D * sin(C * atan(bent(B, E, x)))


def cosine(B: Scalar, C: float, E: Scalar, x: Expression) -> Expression:
    """Return the Magic Formula of weights and trails, of amplitude 1."""
    return cos(C * atan(bent(B, E, x)))


@dataclass(frozen=True, eq=False)
class Pure:
    """A force in pure slip. force: N. stiffness: K, its derivative with respect to slip, N. friction: mu."""

    force: Expression
    stiffness: Expression
    friction: Expression


@dataclass(frozen=True, eq=False)
class PureLateral(Pure):
    """Lateral force in pure slip. shift: S_Hy. offset: S_Vy, N. B, C: factors of the formula."""

    shift: Expression
    offset: Expression
    B: Expression
    C: float


@dataclass(frozen=True, eq=False)
class Weighted:
    """Lateral force in combined slip, N. weight: G_yk, its factor of pure slip. offset: S_Vyk, N."""

    force: Expression
    weight: Expression
    offset: Expression


@dataclass(frozen=True, eq=False)
class MagicFormula(Formula):
    """The Magic Formula with the coefficients of one tyre, within ranges of slips and load."""

    c: Coefficients
    ranges: Ranges = NO_RANGES

    def mirrored(self) -> MagicFormula:
        return self if self.c.symmetric and self.ranges == self.ranges.mirrored() else self._twin

    @cached_property
    def _twin(self) -> MagicFormula:
        twin = MagicFormula(self.c.mirrored(), self.ranges.mirrored())
        vars(twin)["_twin"] = self
        return twin

    def steady(self, slip: Slip) -> SteadyForces:
        slip = self.ranges.limited(self._decayed(slip))
        at = At(self.c, replace(slip, fz=some_load(slip.fz)))
        pure_x, pure_y = at.longitudinal(), at.lateral()
        fx, lateral = at.combined_longitudinal(pure_x), at.combined_lateral(pure_y)
        turning, arm, spin = at.aligning(pure_x, pure_y, lateral, fx)
        mx, my = at.overturning(lateral.force), at.rolling(fx)
        stiffness, fz = (pure_x.stiffness, pure_y.stiffness), at.slip.fz
        limits = pure_x.friction * fz, pure_y.friction * fz
        return SteadyForces(fx, lateral.force, mx, my, turning, arm, *stiffness, *limits, spin)

    @property
    def no_turn_slip(self) -> str:  # type: ignore[override]
        if self.c.QDZ8:
            return ""
        return "turn slip needs QDZ8, the slope of the moment over the inclination, -0.14 of a typical tyre: give it"

    def turn_slip(self, fz: Expression) -> TurnSlip:
        """(T19): the moment of a wheel that stands grows with the stiffness YAW_STIFFNESS of the carcass."""
        c, fz = self.c, some_load(fz)
        df = (fz - c.nominal_load) / c.nominal_load
        yaw = c.YAW_STIFFNESS or YAW_STIFFNESS * c.nominal_load * c.UNLOADED_RADIUS
        length = abs(spin_stiffness(c, fz, df)) * (c.UNLOADED_RADIUS / yaw)
        return TurnSlip(remaining_spin(c, df), max(length, LEAST_LENGTH * c.UNLOADED_RADIUS))

    def _decayed(self, slip: Slip) -> Slip:
        """Return a slip with the friction that decays with the sliding speed, (4.E7)."""
        if not self.c.LMUV:
            return slip
        return replace(slip, grip=slip.grip / (1.0 + self.c.LMUV / (self.c.LONGVL or STANDARD_SPEED) * slip.sliding))

    def relaxation(self, slip: Slip, forces: SteadyForces) -> tuple[Expression, Expression]:
        """(T11): by PTX1 and PTY1 if the coefficients have them, else slip stiffness over stiffness of the carcass."""
        slip = self.ranges.limited(slip)
        c, fz = self.c, some_load(slip.fz)
        F0, R0 = c.nominal_load, c.UNLOADED_RADIUS
        least, df = LEAST_RELAXATION * R0, (fz - F0) / F0
        if c.version == 52 and c.PTX1:
            along = fz * (c.PTX1 + c.PTX2 * df) * exp(-c.PTX3 * df) * (R0 / c.FNOMIN * c.LSGKP)
        else:
            carcass = (c.LONGITUDINAL_STIFFNESS or LONGITUDINAL_STIFFNESS, c.PCFX1, c.PCFX2, c.PCFX3)
            along = forces.kappa_stiffness / self._carcass(slip, df, *carcass)
        if c.version == 52 and c.PTY1 and c.PTY2:
            inclined = 1.0 - c.PKY3 * abs(slip.sin_gamma)
            across = c.PTY1 * sin(2.0 * atan(fz / (c.PTY2 * F0))) * inclined * (R0 * c.LFZO * c.LSGAL)
        else:
            carcass = (c.LATERAL_STIFFNESS or LATERAL_STIFFNESS, c.PCFY1, c.PCFY2, c.PCFY3)
            across = forces.alpha_stiffness / self._carcass(slip, df, *carcass)
        return max(abs(along), least), max(abs(across), least)

    def _carcass(
        self, slip: Slip, df: Expression, stiffness: float, by_load: float, by_square: float, by_pressure: float
    ) -> Expression | float:
        """Return a stiffness of the carcass, N/m, which depends on load and pressure in 6.1."""
        if self.c.version == 52:
            return stiffness
        factor = (1.0 + by_load * df + by_square * df * df) * (1.0 + by_pressure * slip.pressure)
        return stiffness * max(factor, LEAST_CARCASS)


@dataclass(frozen=True, eq=False)
class At:
    """The terms of the Magic Formula at one load and slip."""

    c: Coefficients
    slip: Slip

    @cached_property
    def df(self) -> Expression:
        """Relative deviation of the load from the nominal one (4.E2a)."""
        return (self.slip.fz - self.c.nominal_load) / self.c.nominal_load

    @cached_property
    def turn(self) -> Straight:
        """The factors of turn slip."""
        return STRAIGHT if self.slip.spin is None else Turning(self, self.slip.spin)

    def pressed(self, linear: float, quadratic: float = 0.0) -> Expression:
        """Return a factor that depends on the inflation pressure."""
        dp = self.slip.pressure
        return 1.0 + linear * dp + quadratic * dp * dp

    def shifted(self, friction: Expression) -> Expression:
        """Return the factor of vertical shifts by that of friction: the same, but digressive in 6.1 (4.E8)."""
        return friction if self.c.version == 52 else DEGRESSION * friction / (1.0 + (DEGRESSION - 1.0) * friction)

    def longitudinal(self) -> Pure:
        """(T1), (4.E9) to (4.E18)."""
        c, df, fz = self.c, self.df, self.slip.fz
        g = self.slip.sin_gamma * c.LGAX if c.version == 52 else self.slip.gamma
        friction = c.LMUX * self.slip.grip
        kx = self.slip.kappa + (c.PHX1 + c.PHX2 * df) * c.LHX
        pressed = self.pressed(c.PPX3, c.PPX4)
        mu = (c.PDX1 + c.PDX2 * df) * pressed * (1.0 - c.PDX3 * g * g) * friction
        D, C = mu * fz * self.turn.longitudinal, c.PCX1 * c.LCX
        E = (c.PEX1 + c.PEX2 * df + c.PEX3 * df * df) * (1.0 - c.PEX4 * sign(kx)) * c.LEX
        K = fz * (c.PKX1 + c.PKX2 * df) * exp(c.PKX3 * df) * self.pressed(c.PPX1, c.PPX2) * c.LKX
        offset = fz * (c.PVX1 + c.PVX2 * df) * c.LVX * self.shifted(friction)
        return Pure(sine(D, C, K / (C * D), E, kx) + offset, K, mu)

    def lateral(self) -> PureLateral:
        """(T2), (4.E19) to (4.E30)."""
        c, df, fz, g = self.c, self.df, self.slip.fz, self.slip.sin_gamma * self.c.LGAY
        friction = c.LMUY * self.slip.grip
        mu = (c.PDY1 + c.PDY2 * df) * self.pressed(c.PPY3, c.PPY4) * (1.0 - c.PDY3 * g * g) * friction
        D, C = mu * fz * self.turn.lateral, c.PCY1 * c.LCY
        relative = fz / (c.nominal_load * (c.PKY2 + c.PKY5 * g * g) * self.pressed(c.PPY2))
        K = self._cornering_stiffness(relative) * (1.0 - c.PKY3 * abs(g)) * c.LKY * self.turn.stiffness
        B = K / (C * D)
        shifts = self.shifted(friction)
        inclined = fz * (c.PVY3 + c.PVY4 * df) * g * (c.LKYC * shifts) * self.turn.lateral
        upright = self._cornering_stiffness(fz / (c.nominal_load * c.PKY2 * self.pressed(c.PPY2))) * c.LKY
        by_spin = self.turn.shift(self._camber_shift(K, inclined), inclined, K, upright * self.turn.stiffness)
        shift = (c.PHY1 + c.PHY2 * df) * c.LHY + by_spin
        ay = self.slip.tan_alpha + shift
        E = (c.PEY1 + c.PEY2 * df) * (1.0 + c.PEY5 * g * g - (c.PEY3 + c.PEY4 * g) * sign(ay)) * c.LEY
        offset = fz * (c.PVY1 + c.PVY2 * df) * (c.LVY * shifts) * self.turn.lateral + inclined
        return PureLateral(sine(D, C, B, E, ay) + offset, K, mu, shift, offset, B, C)

    def _cornering_stiffness(self, relative: Expression) -> Expression:
        """Return the cornering stiffness, N, at a load over that of the largest one (4.E25)."""
        c = self.c
        return c.PKY1 * c.nominal_load * self.pressed(c.PPY1) * sin(c.PKY4 * atan(relative))

    def camber_stiffness(self, upright: Expression) -> Expression:
        """Return the derivative of Fy with respect to the inclination, N (4.E30); upright: cornering stiffness, N."""
        c, fz = self.c, self.slip.fz
        if c.version == 52:
            return (c.PHY3 * upright + fz * (c.PVY3 + c.PVY4 * self.df)) * c.LKYC
        return fz * (c.PKY6 + c.PKY7 * self.df) * self.pressed(c.PPY5) * c.LKYC

    def _camber_shift(self, K: Expression, inclined: Expression) -> Expression:
        """Return the part of S_Hy due to inclination: in 6.1 it gives the camber stiffness (4.E30) with S_Vy."""
        c, g = self.c, self.slip.sin_gamma * self.c.LGAY
        if c.version == 52:
            return c.PHY3 * g * c.LKYC
        return (self.camber_stiffness(K) * g - inclined) / K

    def combined_longitudinal(self, pure: Pure) -> Expression:
        """(T3), (4.E50) to (4.E57)."""
        c, s = self.c, self.slip
        B = (c.RBX1 + c.RBX3 * s.sin_gamma * s.sin_gamma) * cos(atan(c.RBX2 * s.kappa)) * c.LXAL
        E = c.REX1 + c.REX2 * self.df
        shift = as_expression(c.RHX1)
        return pure.force * cosine(B, c.RCX1, E, s.tan_alpha + shift) / cosine(B, c.RCX1, E, shift)

    def combined_lateral(self, pure: PureLateral) -> Weighted:
        """(T4), (4.E58) to (4.E68)."""
        c, s, df = self.c, self.slip, self.df
        B = (c.RBY1 + c.RBY4 * s.sin_gamma * s.sin_gamma) * cos(atan(c.RBY2 * (s.tan_alpha - c.RBY3))) * c.LYKA
        E, shift = c.REY1 + c.REY2 * df, c.RHY1 + c.RHY2 * df
        weight = cosine(B, c.RCY1, E, s.kappa + shift) / cosine(B, c.RCY1, E, shift)
        D = pure.friction * s.fz * (c.RVY1 + c.RVY2 * df + c.RVY3 * s.sin_gamma) * cos(atan(c.RVY4 * s.tan_alpha))
        D = D * self.turn.lateral
        offset = D * sin(c.RVY5 * atan(c.RVY6 * s.kappa)) * c.LVYKA
        return Weighted(weight * pure.force + offset, weight, offset)

    def aligning(
        self, along: Pure, across: PureLateral, combined: Weighted, fx: Expression
    ) -> tuple[Expression, Expression, Expression]:
        """(T5), (4.E31) to (4.E49) and (4.E71) to (4.E78): the part that turns with the direction of travel, the arm of
        Fx, and the moment that opposes the spin.

        In 6.1 the force of the trail is that without inclination and spin (4.E74), in 5.2 that with them.
        """
        c, s, R0 = self.c, self.slip, self.c.UNLOADED_RADIUS
        if c.version == 52 or is_literal(s.sin_gamma, 0.0) and s.spin is None:
            lateral = combined.force - combined.offset
        else:
            upright = At(c, replace(s, gamma=ZERO, sin_gamma=ZERO, spin=None))
            pure = upright.lateral()
            lateral = upright.combined_lateral(pure).weight * pure.force
        residual, by_spin = self._residual(along, across, combined.weight)
        turning = residual - self._trail(along, across) * lateral
        arm = R0 * (c.SSZ1 + c.SSZ2 * combined.force / c.nominal_load + (c.SSZ3 + c.SSZ4 * self.df) * s.sin_gamma)
        return turning, arm * (c.LS * fx), by_spin

    def _equivalent(self, angle: Expression, along: Pure, across: PureLateral) -> Expression:
        """Return the tangent of the slip angle that stands for combined slip (4.E77), (4.E78)."""
        share = along.stiffness * self.slip.kappa / across.stiffness
        return sqrt(angle * angle + share * share + TINY) * sense(angle)

    @cached_property
    def _cosine(self) -> Expression:
        """Cosine of the slip angle."""
        return 1.0 / sqrt(1.0 + self.slip.tan_alpha * self.slip.tan_alpha)

    @cached_property
    def _stiffness_scale(self) -> Expression:
        """Factor of the widths of trail and residual moment."""
        return self.c.LKY / (self.c.LMUY * self.slip.grip)

    def _trail(self, along: Pure, across: PureLateral) -> Expression:
        """Return the pneumatic trail, m, (4.E38) to (4.E44) and (4.E73)."""
        c, df, g = self.c, self.df, self.slip.sin_gamma * self.c.LGAZ
        inclined = abs(g)
        at = self.slip.tan_alpha + c.QHZ1 + c.QHZ2 * df + (c.QHZ3 + c.QHZ4 * df) * g
        if c.version == 52:
            of_B, of_D = c.QBZ4 * g + c.QBZ5 * inclined, c.QDZ3 * g
        else:
            of_B, of_D = c.QBZ5 * inclined + c.QBZ6 * g * g, c.QDZ3 * inclined
        B = (c.QBZ1 + c.QBZ2 * df + c.QBZ3 * df * df) * (1.0 + of_B) * self._stiffness_scale
        D = self.slip.fz * (c.UNLOADED_RADIUS / c.nominal_load * c.LTR) * (c.QDZ1 + c.QDZ2 * df)
        D = D * self.pressed(-c.PPZ1) * (1.0 + of_D + c.QDZ4 * g * g)
        bent = (c.QEZ4 + c.QEZ5 * g) * (2.0 / math.pi) * atan(B * c.QCZ1 * at)
        E = (c.QEZ1 + c.QEZ2 * df + c.QEZ3 * df * df) * (1.0 + bent)
        return D * self.turn.trail * cosine(B, c.QCZ1, E, self._equivalent(at, along, across)) * self._cosine

    def _residual(self, along: Pure, across: PureLateral, weight: Expression) -> tuple[Expression, Expression]:
        """Return the residual moment and its part due to spin, N.m, (4.E36), (4.E45) to (4.E47) and (4.E75)."""
        c, df, g = self.c, self.df, self.slip.sin_gamma * self.c.LGAZ
        ar = self.slip.tan_alpha + across.shift + across.offset / across.stiffness
        B = (c.QBZ9 * self._stiffness_scale + c.QBZ10 * across.B * across.C) * self.turn.width
        camber = (c.QDZ8 + c.QDZ9 * df) * self.pressed(c.PPZ2) * g
        if c.version == 61:
            camber = camber + (c.QDZ10 + c.QDZ11 * df) * abs(g) * g
        size = (c.QDZ6 + c.QDZ7 * df) * c.LRES * self.turn.lateral + camber * (c.LKZC * self.turn.camber)
        D = self.slip.fz * c.UNLOADED_RADIUS * size * (c.LMUY * self.slip.grip)
        moment, shape = self.turn.moment(across.friction, weight)
        bent = cos(shape * atan(B * self._equivalent(ar, along, across)))
        return D * bent * self._cosine, moment * bent

    def overturning(self, fy: Expression) -> Expression:
        """(T6), (4.E69)."""
        c, load, side = self.c, self.slip.fz / self.c.FNOMIN, fy / self.c.FNOMIN
        if c.version == 52:
            terms = c.QSX1 * c.LVMX - c.QSX2 * self.slip.sin_gamma + c.QSX3 * side
            return self.slip.fz * (c.UNLOADED_RADIUS * c.LMX) * terms
        g, heavy = self.slip.gamma, c.QSX6 * load
        terms = c.QSX1 * c.LVMX - c.QSX2 * g * self.pressed(c.PPMX1) - c.QSX12 * g * abs(g) + c.QSX3 * side
        terms = terms + c.QSX4 * cos(c.QSX5 * atan(heavy * heavy)) * sin(c.QSX7 * g + c.QSX8 * atan(c.QSX9 * side))
        terms = terms + c.QSX10 * atan(c.QSX11 * load) * g
        return (self.slip.fz * terms + fy * (c.QSX13 + c.QSX14 * abs(g))) * (c.UNLOADED_RADIUS * c.LMX)

    def rolling(self, fx: Expression) -> Expression:
        """(T6), (4.E70) with the dependence on load and pressure of 6.1; it opposes the rolling of the wheel."""
        c, g, load = self.c, self.slip.gamma, self.slip.fz / self.c.FNOMIN
        speed = self.slip.speed / (c.LONGVL or 1.0)
        size = c.QSY1 + c.QSY2 * fx / c.FNOMIN + c.QSY3 * abs(speed) + c.QSY4 * speed**4
        if c.version == 61:
            size = size + (c.QSY5 + c.QSY6 * load) * g * g
            load = load ** as_expression(c.QSY7) * (1.0 + self.slip.pressure) ** as_expression(c.QSY8)
        sense = sin(0.5 * math.pi * clip(self.slip.speed / STANDSTILL, -1.0, 1.0))
        return size * load * sense * (-c.UNLOADED_RADIUS * c.FNOMIN * c.LMY)
