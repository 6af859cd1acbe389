"""Lagrange's equations in joint velocities, which need not be rates of coordinates: (D1) to (D3)."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from ...infrastructure.progress import set_stage
from .convert import Converter
from .simplify import shortened, simplified
from .symbols import Symbols
from .terms import Terms


class Derived(NamedTuple):
    """The equations of motion M u_dot + h = Q + Gᵀ lambda, as matrices of SymPy, with exact numbers.

    For the other fields see `Equations`. rest: p_dot without Q and Gᵀ lambda.
    """

    M: Any
    h: Any
    Q: Any
    V: Any
    T: Any
    q_dot: Any
    p: Any
    rest: Any
    g: Any
    G: Any
    rows: list[str]


def derived(terms: Terms, symbols: Symbols, convert: Converter) -> Derived:
    """Return the equations of motion. Raises ModelError for a force that depends on a number without a symbol."""
    u, n = sp.Matrix(symbols.u), len(symbols.u)
    set_stage("kinetic energy")
    M, b, rest = terms.kinetic_energy()
    inertia = _matrix(convert, M, n, n, "the mass matrix").applyfunc(simplified)
    bias = _matrix(convert, [b], 1, n, "prescribed motion").T.applyfunc(simplified)
    (alone,) = convert([rest], "prescribed motion")
    T = (u.T * inertia * u)[0] / 2 + (bias.T * u)[0] + simplified(alone)
    V = simplified(convert([terms.potential_energy()], "gravity")[0])
    rates = [[rate.slopes.get(k, 0) for k in range(n)] for rate in terms.kinematics.rates.values()]
    E = _matrix(convert, rates, len(rates), n, "the rates of coordinates")
    set_stage("velocity terms")
    p, q_dot = inertia * u + bias, E * u
    own = (_along(T, E, symbols) - _turning(terms, symbols, p, u)).applyfunc(simplified)
    at_constant_u = p.jacobian(symbols.q) * q_dot + p.diff(symbols.time)
    h = (at_constant_u - own).applyfunc(simplified)
    set_stage("forces")
    Q = -_along(V, E, symbols)
    for thing, numbers in terms.generalized_forces():
        Q += sp.Matrix(convert(numbers, thing))
    set_stage("closures")
    names, conditions, rows = [], [], []
    for name, label, condition, rate in terms.rows():
        names.append(f"{name}: {label}")
        conditions += convert([condition], f"loop {name!r}")
        rows.append([rate.slopes.get(k, 0) for k in range(n)])
    G = _matrix(convert, rows, len(rows), n, "a loop").applyfunc(shortened)
    g = sp.Matrix(len(rows), 1, conditions).applyfunc(shortened)
    return Derived(inertia, h, Q.applyfunc(shortened), V, T, q_dot, p, own, g, G, names)


def _matrix(convert: Converter, rows: list[list[Any]], height: int, width: int, thing: str) -> Any:
    """Return formulas as a matrix of SymPy."""
    return sp.Matrix(height, width, convert([x for row in rows for x in row], thing))


def _along(x: Any, E: Any, symbols: Symbols) -> Any:
    """Return the derivatives of a function of the coordinates along each joint velocity: Eᵀ dx/dq."""
    return E.T * sp.Matrix(len(symbols.q), 1, [x.diff(q) for q in symbols.q])


def _turning(terms: Terms, symbols: Symbols, p: Any, u: Any) -> Any:
    """Return the terms of velocities that are no rates of coordinates (D3): for i, the sum of c_kij u_j p_k."""
    total = sp.zeros(len(u), 1)
    convert = Converter(symbols.by_load.get)  # the numbers are constant for quaternions of any length
    for x in terms.brackets():
        numbers = map(sp.cancel, convert(x.numbers, "a joint"))
        moved = sum((number * p[x.first + k] for k, number in enumerate(numbers)), start=sp.Integer(0))
        total[x.i] += moved * u[x.j]
        total[x.j] -= moved * u[x.i]
    return total
