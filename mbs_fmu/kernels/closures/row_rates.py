"""Kernels that compute the rates of constraint rows, including those of released closures.

The modules of models whose closures have constraint modes contain them and also their tangents.
"""

from ...record.schema import ENDS, N_ENDS, N_LINKS, N_ROWS, OPEN, OPEN_FIRST, RATE_INDEX, RATES_OF, Record
from ..linked import conditions


def row_rates(R: Record) -> None:
    """Compute R.row_rates, r = K v + W u + gamma (L1), of all rows at the present velocities.

    K v is summed over the ends of rows (the bodies on which they act), W u over the links at which rows are open.
    """
    conditions(R)
    for k in range(N_ROWS):
        R.row_rates[k] = R.residual_rates[k]
    for end in range(N_ENDS):
        row_end = ENDS[end]
        for h in range(6):
            R.row_rates[row_end.row] += R.row_y[row_end.y + h] * R.twist[row_end.link, h]
    for i in range(N_LINKS):
        for e in range(OPEN_FIRST[i], OPEN_FIRST[i + 1]):
            open_row = OPEN[e]
            for k in range(RATES_OF[i]):
                R.row_rates[open_row.row] += R.row_w[open_row.projection + k] * R.u[RATE_INDEX[i] + k]
