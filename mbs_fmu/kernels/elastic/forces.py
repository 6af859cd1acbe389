"""Contributions of elastic bodies to momenta and their rates, as kernels (docs/equations_elastic.md).

Arguments are those of bodies.py. Modules of models with elastic bodies contain these functions, and again as their
tangents.
"""

from ...record.elastic_layout import form_numbers, forms_at, mode_columns
from ..declarations import Record, apart, constant
from ..library import common, integer
from ..names import F0, FIRST_P, RATES, X0
from .names import ATTACHMENT_MOMENTUM, ELASTIC_FACTORS, PULL


def clear(R: Record, target: int, n: int) -> None:
    """Write n zeros at `target`.

    Writes: target.
    """
    for a in apart(range(n)):
        R[target + a] = 0.0


def add_numbers(R: Record, source: int, target: int, n: int) -> None:
    """Add the n numbers at `source` to those at `target`.

    Reads: source, target. Writes: target.
    """
    for a in apart(range(n)):
        R[target + a] += R[source + a]


def add_form(R: Record, p: int, N: int, w: int, target: int, n: int, sign: float) -> None:
    """Add Nᵀ times the six numbers at p, with a sign; a row of N has w numbers.

    Reads: elastic, target. Writes: target.
    """
    p0 = sign * R[p]
    p1 = sign * R[p + 1]
    p2 = sign * R[p + 2]
    p3 = sign * R[p + 3]
    p4 = sign * R[p + 4]
    p5 = sign * R[p + 5]
    for a in apart(range(n)):
        R[target + a] += (
            p0 * R[N + a]
            + p1 * R[N + w + a]
            + p2 * R[N + 2 * w + a]
            + p3 * R[N + 3 * w + a]
            + p4 * R[N + 4 * w + a]
            + p5 * R[N + 5 * w + a]
        )


def mode_momenta(R: Record, x: int, Me: int, twist: int, j: int, target: int, n: int) -> None:
    """Add the momenta along the modes of the body alone, Crᵀ omega + Me xi_dot, at `target`.

    Reads: elastic, shapes, target, twist, u. Writes: target.
    """
    columns = mode_columns(n)
    couplings = x + forms_at(n) + 6 * columns
    w0 = R[twist + 3]
    w1 = R[twist + 4]
    w2 = R[twist + 5]
    for a in apart(range(n)):
        turning = R[couplings + a] * w0 + R[couplings + columns + a] * w1 + R[couplings + 2 * columns + a] * w2
        R[target + a] += constant(R[Me + a]) * R[RATES + j + a] + turning


def attachment_momenta(R: Record, e: int, N: int, target: int, n: int, sign: float) -> None:
    """Add the momenta along the modes of the branch at a node, sign NᵀAᵀmu; the root's sign is -1.

    Reads: target. Writes: target.
    """
    add_form(R, e + ATTACHMENT_MOMENTUM, N, mode_columns(n), target, n, sign)


def mode_forces(R: Record, x: int, h: int, twist: int, q: int, j: int, n: int, attachments: int) -> None:
    """Add the body's own part of the rates of the momenta along its modes (F9): dT/dxi, stiffness and damping.

    It is Gorobtsov (2005), (3), in modes, with the minus that the inertia forces there lack.

    Reads: elastic, p_dot, q, shapes, twist, u. Writes: p_dot.
    """
    p_dot = F0 + FIRST_P + j
    columns = mode_columns(n)
    slopes = x + forms_at(n)
    m = form_numbers(n, attachments)
    turning_rates = slopes + m + 6 * columns
    stiffness = h + m + n
    damping = stiffness + n
    others = damping + n
    stiff = -R[x + ELASTIC_FACTORS]
    damped = -R[x + ELASTIC_FACTORS + 1]
    w0 = R[twist + 3]
    w1 = R[twist + 4]
    w2 = R[twist + 5]
    for a in apart(range(n)):
        turning = w0 * (0.5 * w0 * R[slopes + a] + w1 * R[slopes + columns + a] + w2 * R[slopes + 2 * columns + a])
        turning += w1 * (0.5 * w1 * R[slopes + 3 * columns + a] + w2 * R[slopes + 4 * columns + a])
        turning += 0.5 * w2 * w2 * R[slopes + 5 * columns + a]
        turning += -w0 * R[turning_rates + a] - w1 * R[turning_rates + columns + a]
        turning += -w2 * R[turning_rates + 2 * columns + a]
        turning += stiff * constant(R[stiffness + a]) * R[X0 + q + a]
        R[p_dot + a] += turning + damped * constant(R[damping + a]) * R[RATES + j + a]
    for b in range(integer(common(R[others]))):
        d = damped * R[RATES + j + b]
        for a in apart(range(n)):
            R[p_dot + a] += d * constant(R[others + 1 + b * n + a])


def attachment_forces(R: Record, e: int, N: int, m: int, j: int, n: int, sign: float) -> None:
    """Add the part of the branch at a node to the rates of the momenta along the modes (F9); the root's sign is -1.

    The rates of N are m numbers behind N.

    Reads: p_dot. Writes: p_dot.
    """
    columns = mode_columns(n)
    add_form(R, e + PULL, N, columns, F0 + FIRST_P + j, n, sign)
    add_form(R, e + ATTACHMENT_MOMENTUM, N + m, columns, F0 + FIRST_P + j, n, sign)
