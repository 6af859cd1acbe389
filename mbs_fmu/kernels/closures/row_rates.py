"""Kernels that compute the rates of constraint rows, including rows that do not hold now.

The modules of models whose closures have constraint modes contain them and also their tangents.
"""

from ..declarations import Record
from ..linked import conditions
from ..names import N_LINKS, RATES, TWIST
from .names import (
    ENDS,
    N_ENDS,
    N_ROWS,
    OPEN,
    OPEN_FIRST,
    RATE_INDEX,
    RATES_OF,
    RESIDUAL_RATES,
    ROW_RATES,
    ROW_W,
    ROW_Y,
)


def row_rates(R: Record) -> None:
    """Compute K v + W u + gamma of all rows at the present velocities, each row at the links where it is open.

    Reads: residual_rates, row_rates, row_w, row_y, twist, u. Writes: row_rates.
    """
    conditions(R)
    for k in range(N_ROWS):
        R[ROW_RATES + k] = R[RESIDUAL_RATES + k]
    for end in range(N_ENDS):
        for h in range(6):
            R[ROW_RATES + ENDS[3 * end + 2]] += R[ROW_Y + ENDS[3 * end + 1] + h] * R[TWIST + 6 * ENDS[3 * end] + h]
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            for k in range(RATES_OF[i]):
                R[ROW_RATES + OPEN[4 * e + 3]] += R[ROW_W + OPEN[4 * e + 2] + k] * R[RATES + RATE_INDEX[i] + k]
