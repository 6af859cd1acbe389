"""Expressions as text: formulas of ordinary precedence, which Python evaluates to the same number, cut where long."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.expressions import Expression, leaf
from mbs_fmu.symbolic.graph import evaluate

pytestmark = pytest.mark.quick

X, Y, Z = (leaf(name) for name in "xyz")
VALUES = {"x": 0.7, "y": -1.3, "z": 2.1}

FORMULAS = {
    "2*x + sin(y)": 2 * X + mbs.sin(Y),
    "x - (y + z)": X - (Y + Z),
    "x + y + z": X + (Y + Z),
    "x*y/z": X * (Y / Z),
    "x/(y*z)": X / (Y * Z),
    "(x + y)*z": (X + Y) * Z,
    "-x*y": -(X * Y),
    "-(x + y)": -(X + Y),
    "-2*x": -2 * X,
    "x - 2*y*z": X + -2 * Y * Z,
    "x + 2*y": X - -2 * Y,
    "x - 1.5": X + -1.5,
    "x*(y - z)": X * (Y - Z),
    "x**2.5": X**2.5,
    "(-x)**y": (-X) ** Y,
    "x**(-0.5)": X**-0.5,
    "2**x**y": 2**X**Y,
    "(x*y)**z": (X * Y) ** Z,
    "atan2(x, y + 1)": mbs.atan2(X, Y + 1),
    "max(x, 0)": mbs.max(X, 0.0),
    "min(max(x, -1), 1)": mbs.clip(X, -1.0, 1.0),
    "abs(x - y)": mbs.abs(X - Y),
    "where(x <= y, 1, 1e-09*z)": mbs.where(X <= Y, 1.0, 1e-9 * Z),
    "table(x)": mbs.table(X, (0.0, 1.0), (0.0, 2.0)),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_an_expression_reads_as_a_formula(text: str) -> None:
    assert repr(FORMULAS[text]) == str(FORMULAS[text]) == text


def random_formula(rng: np.random.Generator, depth: int) -> Any:
    if depth == 0:
        return X if rng.random() < 0.3 else Y if rng.random() < 0.5 else float(rng.choice([-3.0, -0.5, 2.0, 4.0]))
    a, b = random_formula(rng, depth - 1), random_formula(rng, int(rng.integers(depth)))
    kind = rng.integers(7)
    if kind == 0:
        return -a
    if kind == 1:
        return mbs.max(a, b)
    if kind == 2:
        return mbs.abs(a)
    return a + b if kind == 3 else a - b if kind == 4 else a * b if kind == 5 else a / (b * b + 1.0)


def where(condition: bool, a: float, b: float) -> float:
    return a if condition else b


def test_formulas_have_the_value_of_their_expressions() -> None:
    """Random short formulas, read by Python. The bound is 20 roundings of numbers that hardly cancel."""
    rng, checked = np.random.default_rng(1), 0
    for _ in range(600):
        expression = random_formula(rng, 3)
        text = repr(expression)
        if not isinstance(expression, Expression) or text.endswith("..."):
            continue
        names = {"max": builtins.max, "abs": builtins.abs, "min": builtins.min, "where": where, **VALUES}
        size = 1.0 + abs(evaluate(expression, VALUES))
        assert math.isclose(eval(text, names), evaluate(expression, VALUES), abs_tol=1e-12 * size**2), text
        checked += 1
    assert checked > 200


@pytest.mark.usual
def test_long_formulas_are_cut() -> None:
    """Deep expressions with shared parts too; up to 80 characters the text is complete."""
    total = doubled = X
    for _ in range(100_000):
        total = total + Y
    for _ in range(200):
        doubled = mbs.sin(doubled) + doubled
    assert len(repr(total)) == len(repr(doubled)) == 80
    assert repr(total).startswith("x + y + y") and repr(total).endswith("...")
    longest = leaf("a" * 76) + X
    assert repr(longest) == "a" * 76 + " + x" and repr(longest + Y) == "a" * 76 + " ..."
