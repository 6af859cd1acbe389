"""Equations as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sympy as sp

written = sp.latex


def dotted(symbol: Any) -> str:
    """Return the rate of a symbol."""
    name, index, label = symbol.name.partition("_")
    return str(sp.latex(sp.Symbol(f"{name}dot{index}{label}")))


def left_side(row: Iterable[Any], rates: Iterable[Any], rest: Any) -> str:
    """Return a row of M u_dot + h, in the order of the rates."""
    products = [(_factor(x), str(sp.latex(rate))) for x, rate in zip(row, rates, strict=True) if x != 0]
    terms = [f"{factor} {rate}".strip() for factor, rate in products] + ([str(sp.latex(rest))] if rest != 0 else [])
    joined = " + ".join(terms) or "0"
    return joined.replace("+ -", "- ").replace("-  ", "- ")


def _factor(x: Any) -> str:
    """Return a factor before a symbol: a sum in parentheses, and no 1."""
    if x == 1:
        return ""
    text = str(sp.latex(x))
    return rf"\left({text}\right)" if x.is_Add else text


def aligned(rows: Iterable[tuple[str, str]]) -> str:
    """Return equations, by their left and right sides, below each other with aligned equal signs."""
    lines = r" \\ ".join(f"{left} &= {right}" for left, right in rows)
    return rf"\begin{{aligned}} {lines} \end{{aligned}}"
