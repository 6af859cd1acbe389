"""Size of the contact of a tyre at its nominal load, and its tandem cams (T16)."""

from __future__ import annotations

from collections.abc import Mapping

from ...infrastructure.errors import ModelError
from ...symbolic.expressions import as_expression
from ..roads import Cams
from .keys import canonical
from .vertical import Vertical

NEEDED = ("ELLIPS_LENGTH", "ELLIPS_HEIGHT", "ELLIPS_ORDER", "ELLIPS_SHIFT")
LENGTHS = ("Q_RA1", "Q_RA2")  #: coefficients of the contact's length, of which one may be zero


def cams_of(values: Mapping[str, float], vertical: Vertical, thing: str) -> Cams:
    """Return the cams of coefficients by canonical names. Raises ModelError for those that are missing or zero."""
    c = {name: values.get(canonical(name), 0.0) for name in (*NEEDED, *LENGTHS, "Q_RB1", "Q_RB2", "WIDTH")}
    missing = [name for name in NEEDED if not c[name]]
    missing += [] if any(c[name] for name in LENGTHS) else list(LENGTHS)
    if missing:
        raise ModelError(
            f"{thing} has no {', '.join(missing)}: give envelope=mbs.Cams(length, height, order, distance) instead of "
            "True"
        )
    radius = vertical.radius
    share = float(vertical.deflection(as_expression(vertical.load)).value) / radius
    length = 2.0 * radius * (c["Q_RA1"] * share**0.5 + c["Q_RA2"] * share)
    width = 2.0 * c["WIDTH"] * (c["Q_RB1"] * share ** (1.0 / 3.0) + c["Q_RB2"] * share)
    try:
        return Cams(
            c["ELLIPS_LENGTH"] * radius, c["ELLIPS_HEIGHT"] * radius, c["ELLIPS_ORDER"], c["ELLIPS_SHIFT"] * length,
            width,
        )  # fmt: skip
    except ModelError as error:
        raise ModelError(f"{thing}: by its coefficients, {error}") from None
