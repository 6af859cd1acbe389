"""Tangents of roots and powers at zero: those of laws at rest exist, and no 0/0 hides them."""

from __future__ import annotations

import math

import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.arrays import values_along
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.reverse import adjoints

pytestmark = pytest.mark.quick

x, y, n = leaf("x"), leaf("y"), leaf("n")


def tangent(formula: mbs.Expression, by: str, **at: float) -> float:
    """Return the derivative of a formula by one of its leaves."""
    (slope,) = derivative([formula], lambda name: as_expression(1.0 if name == by else 0.0))
    return float(values_along([slope], 1, at.__getitem__)[0, 0])


def test_quadratic_drag_has_no_slope_at_rest() -> None:
    """|v| v has the derivative zero there, although that of |v| does not exist."""
    v = mbs.Vector((x, y, 0.0))
    drag = (v.norm() * v)[0]
    assert tangent(drag, "x", x=0.0, y=0.0) == tangent(drag, "y", x=0.0, y=0.0) == 0.0
    assert tangent(drag, "x", x=3.0, y=4.0) == pytest.approx(5.0 + 9.0 / 5.0)
    assert tangent(mbs.sqrt(x), "x", x=0.0) == math.inf  # and never passes for a number


def test_adjoints_exist_at_rest_too() -> None:
    """Reverse mode uses the same rules."""
    drag = mbs.Vector((x, y, 0.0)).norm() * x + mbs.max(x, 0.0) ** n
    by = adjoints([drag], [as_expression(1.0)])
    for name in ("x", "y", "n"):
        assert float(values_along([by[name]], 1, {"x": 0.0, "y": 0.0, "n": 1.5}.__getitem__)[0, 0]) == 0.0


@pytest.mark.parametrize("exponent", [1.5, 2.0])
def test_powers_with_a_parameter_as_exponent(exponent: float) -> None:
    """The contact force max(x, 0)**n has derivatives by x and n where bodies are apart, touch and overlap."""
    force = mbs.max(x, 0.0) ** n
    for place in (-1.0, 0.0):
        assert tangent(force, "n", x=place, n=exponent) == 0.0
        assert tangent(force, "x", x=place, n=exponent) == 0.0
    assert tangent(force, "x", x=2.0, n=exponent) == pytest.approx(exponent * 2.0 ** (exponent - 1.0))
    assert tangent(force, "n", x=2.0, n=exponent) == pytest.approx(2.0**exponent * math.log(2.0))


@pytest.mark.parametrize("formula", [mbs.sqrt(x), x**1.5, x**n, mbs.sqrt(x * x + y * y), 2.0**x, y**x], ids=str)
def test_tangents_have_tangents_where_the_first_direction_is_zero(formula: mbs.Expression) -> None:
    """The derivative of the tangent by its direction is the derivative, as second tangents of kernels need it."""
    at = {"x": 0.7, "y": 0.4, "n": 1.7, "dx": 0.0}
    dx = leaf("dx")
    (first,) = derivative([formula], lambda name: dx if name == "x" else as_expression(0.0))
    assert tangent(first, "dx", **at) == pytest.approx(tangent(formula, "x", **at), rel=1e-14)


def test_powers_of_negative_numbers() -> None:
    """They have a derivative by the base, and none by the exponent."""
    assert tangent(x**n, "x", x=-3.0, n=2.0) == -6.0
    assert math.isnan(tangent(x**n, "n", x=-3.0, n=2.0))


def test_bounds_in_the_wrong_order_are_refused() -> None:
    """Such a clip would have the upper bound as its value, whatever its argument."""
    with pytest.raises(mbs.ModelError, match="lower bound 1 above the upper one -1: exchange them"):
        mbs.clip(x, 1, -1)
    assert evaluate(mbs.clip(x, n, 1.0), {"x": 0.5, "n": -1.0}) == 0.5
