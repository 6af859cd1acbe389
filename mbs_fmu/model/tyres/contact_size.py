"""Size of the contact of a tyre at its nominal load, and its tandem cams (T16)."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import as_expression
from ..roads import Cams
from .coefficients import Coefficients
from .vertical import Vertical


def cams_of(c: Coefficients, vertical: Vertical, thing: str) -> Cams:
    """Return the cams of coefficients. Raises ModelError for those that are missing or zero; thing: the tyre."""
    a, b, order, shift = c.ELLIPS_LENGTH, c.ELLIPS_HEIGHT, c.ELLIPS_ORDER, c.ELLIPS_SHIFT
    needed = {"ELLIPS_LENGTH": a, "ELLIPS_HEIGHT": b, "ELLIPS_ORDER": order, "ELLIPS_SHIFT": shift}
    missing = [name for name, value in needed.items() if not value]
    missing += [] if c.QRA1 or c.QRA2 else ["Q_RA1", "Q_RA2"]
    if missing:
        raise ModelError(
            f"{thing} has no {', '.join(missing)}: give envelope=mbs.Cams(length, height, order, distance) instead of "
            "True"
        )
    radius = vertical.radius
    share = float(vertical.deflection(as_expression(vertical.load)).value) / radius
    length = 2.0 * radius * (c.QRA1 * share**0.5 + c.QRA2 * share)
    width = 2.0 * c.WIDTH * (c.QRB1 * share ** (1.0 / 3.0) + c.QRB2 * share)
    try:
        return Cams(a * radius, b * radius, order, shift * length, width)
    except ModelError as error:
        raise ModelError(f"{thing}: by its coefficients, {error}") from None
