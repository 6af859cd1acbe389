"""The vertical law of a tyre by its coefficients: (T8) of docs/vehicles.md."""

from __future__ import annotations

import math

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import as_expression
from .coefficients import Coefficients
from .keys import STANDARD_SPEED
from .vertical import Influences, Proportional, Quadratic, Spring, Tabulated, Tread, Vertical, plain

PERCENT = 2.0  #: aspect ratios above this one are in percent

Curve = tuple[tuple[float, float], ...]  #: deflections, m, and loads, N


def vertical_law(c: Coefficients, curve: Curve, pressure: float, thing: str) -> Vertical:
    """Return the vertical law of coefficients, or of a table of deflections and loads with their influences.

    pressure: relative deviation of the inflation pressure from the nominal one, within its range. Raises ModelError
    without a stiffness, and for a quadratic term that does not fit to it.
    """
    pressed = 1.0 + c.PFZ1 * pressure if c.version == 61 else 1.0
    scale = c.LCZ * pressed
    if curve:
        spring: Spring = Tabulated(curve)
        stiffness = c.nominal_load / float(plain(spring.deflection(as_expression(c.nominal_load))))
    else:
        stiffness = _stiffness(c, thing) * scale
        spring = _quadratic(c, scale, thing) if c.version == 61 and c.QFZ2 else Proportional(stiffness)
    reff = (c.BREFF, c.DREFF, c.FREFF)
    return Vertical(
        c.UNLOADED_RADIUS, spring, stiffness, c.VERTICAL_DAMPING, c.nominal_load, reff, _influences(c, scale)
    )


def _stiffness(c: Coefficients, thing: str) -> float:
    """Return the stiffness at the nominal load, N/m: VERTICAL_STIFFNESS, or that of QFZ1 and QFZ2 (4.E68)."""
    terms = math.sqrt(max(c.QFZ1 * c.QFZ1 + 4.0 * c.QFZ2, 0.0)) if c.QFZ1 else 0.0
    stiffness = c.VERTICAL_STIFFNESS or c.nominal_load / c.UNLOADED_RADIUS * terms
    if stiffness <= 0.0 or c.LCZ <= 0.0:
        raise ModelError(
            f"{thing} has no VERTICAL_STIFFNESS: give it in N/m, or QFZ1 of version 6.1; Tyre.from_tir takes it "
            "in changes="
        )
    return stiffness


def _quadratic(c: Coefficients, scale: float, thing: str) -> Quadratic:
    """Return the spring of version 6.1; without QFZ1, VERTICAL_STIFFNESS is the stiffness at the nominal load."""
    F0, R0 = c.nominal_load, c.UNLOADED_RADIUS
    linear = c.QFZ1
    if not linear:
        square = (c.VERTICAL_STIFFNESS * R0 / F0) ** 2
        if square <= 4.0 * c.QFZ2:
            raise ModelError(
                f"{thing}: Q_FZ2 is {c.QFZ2:g}: with this VERTICAL_STIFFNESS it must be less than {square / 4.0:g}; "
                "give another one, or 0 for a constant stiffness; Tyre.from_tir takes it in changes="
            )
        linear = math.sqrt(square - 4.0 * c.QFZ2)
    return Quadratic(scale * linear * F0 / R0, scale * c.QFZ2 * F0 / (R0 * R0))


def _influences(c: Coefficients, scale: float) -> Influences:
    if c.version == 52:
        return Influences()
    camber = scale * (c.QCAM + c.QFZ3) * c.nominal_load / c.UNLOADED_RADIUS
    tread = _tread(c) if c.release == 62 else None
    return Influences(c.QRE0 or 1.0, c.QV1, c.QV2, c.QFCX, c.QFCY, camber, c.LONGVL or STANDARD_SPEED, tread)


def _tread(c: Coefficients) -> Tread:
    """Return the influences of version 6.2; the width of the tread is that of a tyre of this width and aspect ratio."""
    ratio = c.ASPECT_RATIO / 100.0 if c.ASPECT_RATIO > PERCENT else c.ASPECT_RATIO
    width = (1.075 - 0.5 * ratio) * c.WIDTH
    return Tread(width, c.QCAM1, c.QCAM2, c.QCAM3, c.QFCY2, c.QFYS1, c.QFYS2, c.QFYS3)
