"""Implicit treatment of the modes of elastic bodies, as kernels (docs/equations_elastic.md).

Modules of models with elastic bodies contain them if a method treats the modes implicitly. S is the second record,
whose modal masses contain the stiffness and damping of a step. Equations are those of docs/equations_elastic.md.
"""

from ...record.elastic_layout import mode_columns, node_at, slopes_at
from ..declarations import Record
from ..library import integer, tail
from ..linked import error_velocities
from ..names import ERRORS, FIRST_P, NV, Q_INDEX, TAIL, U_INDEX
from .names import (
    ATTACHMENT_MOMENTUM,
    COUPLINGS,
    COUPLINGS_INDEX,
    ELASTIC,
    ELASTIC_FACTORS,
    ELASTIC_INDEX,
    ELASTIC_LINKS,
    MASSES_INDEX,
    MODE_COUNT,
    N_ELASTIC,
    NODE_COUNT,
    ROOTED_MODES,
    SHAPES,
    SHAPES_INDEX,
)


def couple_modes(R: Record) -> None:
    """Compute B of all elastic bodies (W1): the derivatives of their modal momenta by xi at given velocities.

    Reads: elastic, shapes. Writes: mode_couplings.
    """
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        columns = mode_columns(n)
        B = COUPLINGS + COUPLINGS_INDEX[i]
        for a in range(n * columns):
            R[B + a] = 0.0
        x = ELASTIC + ELASTIC_INDEX[i]
        slopes = SHAPES + SHAPES_INDEX[i] + slopes_at(n, NODE_COUNT[i])
        modes = slopes + 1
        for _ in range(integer(R[slopes])):
            places = modes + 6
            block = places + integer(R[modes + 4])
            for k in range(places, places + integer(R[modes + 5])):
                form = integer(R[k])
                row = form // columns - 9
                if row >= 0:
                    node = row // 6
                    weight = R[x + node_at(n, NODE_COUNT[i], node) + ATTACHMENT_MOMENTUM + row - 6 * node]
                    if node == 0 and ROOTED_MODES[i] > 0:
                        weight = -weight
                    first = form - (row + 9) * columns
                    for b in range(4):
                        target = B + integer(R[modes + b]) * columns + first
                        for a in range(4):
                            R[target + a] += weight * R[block + 4 * b + a]
                block += 16
            modes = places + integer(R[modes + 4]) * 17


def stiffen_modes(R: Record, s: float) -> None:
    """Write the modal masses Me + s delta D + s² kappa K to the second record, s = gamma h (W3).

    There K and D become s kappa K and s delta D. Bodies with the same modes share these numbers, so that the largest
    factors hold for all of them. D is diagonal here.

    Reads: S, elastic, shapes. Writes: S.
    """
    S = tail(R, TAIL)
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = SHAPES + MASSES_INDEX[i] + n
        for a in range(2 * n):
            S[stiffness + a] = 0.0
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = SHAPES + MASSES_INDEX[i] + n
        damping = stiffness + n
        stiff = s * R[ELASTIC + ELASTIC_INDEX[i] + ELASTIC_FACTORS]
        damped = s * R[ELASTIC + ELASTIC_INDEX[i] + ELASTIC_FACTORS + 1]
        for a in range(n):
            S[stiffness + a] = max(S[stiffness + a], stiff * R[stiffness + a])
            S[damping + a] = max(S[damping + a], damped * R[damping + a])
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        masses = SHAPES + MASSES_INDEX[i]
        for a in range(n):
            S[masses + a] = R[masses + a] + (S[masses + 2 * n + a] + s * S[masses + n + a])


def solve_modes(R: Record, x: int, s: float) -> None:
    """Solve (E - s W) y = x for a vector x of the size of the state, which becomes y (W3).

    Reads: S, mode_couplings, x. Writes: S, x.
    """
    S = tail(R, TAIL)
    for k in range(NV):
        S[ERRORS + k] = R[x + FIRST_P + k]
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = SHAPES + MASSES_INDEX[i] + n
        B = COUPLINGS + COUPLINGS_INDEX[i]
        q = x + Q_INDEX[i]
        for a in range(n):
            S[ERRORS + U_INDEX[i] + a] += -S[stiffness + a] * R[q + a]
        for b in range(n):
            for a in range(n):
                S[ERRORS + U_INDEX[i] + a] += -R[B + b * mode_columns(n) + a] * R[q + b]
    error_velocities(S)
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = SHAPES + MASSES_INDEX[i] + n
        damping = stiffness + n
        B = COUPLINGS + COUPLINGS_INDEX[i]
        p = x + FIRST_P + U_INDEX[i]
        for a in range(n):
            rate = S[ERRORS + U_INDEX[i] + a]
            shift = R[x + Q_INDEX[i] + a] + s * rate
            R[x + Q_INDEX[i] + a] = shift
            R[p + a] += -(S[stiffness + a] * shift + S[damping + a] * rate)
        for b in range(n):
            shift = s * S[ERRORS + U_INDEX[i] + b]
            for a in range(n):
                R[p + a] += R[B + b * mode_columns(n) + a] * shift


def separate_modes(R: Record, x: int) -> None:
    """Subtract B xi from the momenta of a vector x of the size of the state, so that M u remains (W4).

    Reads: mode_couplings, x. Writes: x.
    """
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        B = COUPLINGS + COUPLINGS_INDEX[i]
        p = x + FIRST_P + U_INDEX[i]
        for b in range(n):
            shift = R[x + Q_INDEX[i] + b]
            for a in range(n):
                R[p + a] += -R[B + b * mode_columns(n) + a] * shift
