"""Static equilibrium of elastic bodies at the start, as kernels. Modules of models with such starts contain them."""

import numpy as np

from ..declarations import Record
from ..linked import copy, derive, fail, momenta
from ..names import F0, FIRST_P, NV, OK, RATES, TOO_LARGE, U_OLD, X0
from .names import N_SAGGING, SAGGING, SETTLING, SETTLING_SHIFT, SETTLING_STEPS


def start_elastic(R: Record) -> int:
    """Initialise modes that start in static equilibrium: momenta along them do not change while the rest is at its
    start; a status.

    Newton's method from undeformed bodies. A pivot of the slopes that is not positive means that a body would buckle.

    Reads: q, settling, u, u_old. Writes: q, u, u_old.
    """
    copy(R, RATES, U_OLD, NV)
    for k in range(N_SAGGING):
        R[X0 + SAGGING[2 * k]] = 0.0
    before = np.inf
    status = TOO_LARGE
    blamed = 0
    for _ in range(SETTLING_STEPS):
        elastic_slopes(R)
        blamed = newton_step(R)
        if blamed >= 0:
            break
        blamed = 0
        step = 0.0
        size = 0.0
        for k in range(N_SAGGING):
            place = X0 + SAGGING[2 * k]
            R[place] += R[SETTLING + N_SAGGING * N_SAGGING + k]
            step = max(step, abs(R[SETTLING + N_SAGGING * N_SAGGING + k]))
            size = max(size, abs(R[place]))
        if step <= 1.0e-15 * size or (step <= 1.0e-10 * size and step >= 0.5 * before):
            status = OK
            break
        before = step
    copy(R, U_OLD, RATES, NV)
    momenta(R)
    return OK if status == OK else fail(R, SAGGING[2 * blamed], 0.0, TOO_LARGE)


def elastic_slopes(R: Record) -> None:
    """Compute the generalized forces along the modes, and minus their slopes, row by row, by differences.

    Reads: q, settling. Writes: q, settling.
    """
    loads = SETTLING + N_SAGGING * N_SAGGING
    elastic_loads(R, loads)
    for b in range(N_SAGGING):
        place = X0 + SAGGING[2 * b]
        x = R[place]
        R[place] = x + SETTLING_SHIFT
        elastic_loads(R, loads + N_SAGGING)
        for a in range(N_SAGGING):
            R[SETTLING + N_SAGGING * a + b] = (R[loads + a] - R[loads + N_SAGGING + a]) / (R[place] - x)
        R[place] = x


def elastic_loads(R: Record, target: int) -> None:
    """Write the rates of the momenta along the modes at the present coordinates, at `target`.

    Reads: p_dot, u_old. Writes: settling, u.
    """
    copy(R, U_OLD, RATES, NV)
    momenta(R)
    derive(R)
    for a in range(N_SAGGING):
        R[target + a] = R[F0 + FIRST_P + SAGGING[2 * a + 1]]


def newton_step(R: Record) -> int:
    """Replace the generalized forces by Newton's step; the mode whose pivot is not positive, or -1.

    Reads: settling. Writes: settling.
    """
    n = N_SAGGING
    loads = SETTLING + n * n
    for k in range(n):
        row = SETTLING + n * k
        if not R[row + k] > 0.0:
            return k
        for a in range(k + 1, n):
            f = R[SETTLING + n * a + k] / R[row + k]
            for b in range(k + 1, n):
                R[SETTLING + n * a + b] += -f * R[row + b]
            R[loads + a] += -f * R[loads + k]
    for k in range(n - 1, -1, -1):
        value = R[loads + k]
        for b in range(k + 1, n):
            value += -R[SETTLING + n * k + b] * R[loads + b]
        R[loads + k] = value / R[SETTLING + n * k + k]
    return -1
