"""Errors of momenta of elastic bodies as errors of velocities, as a kernel (docs/equations_elastic.md).

Modules of trees with elastic bodies and error control contain it. Arguments are those of bodies.py.
"""

from ...record.elastic_layout import factors_at, mode_columns, row_width
from ..declarations import Record
from .names import ELASTIC_BLOCK, ROW


def mode_errors(R: Record, x: int, target: int, n: int) -> None:
    """Repeat the elimination of the modes (F7) for other momenta at `target`; write what `free_rates` gives for these.

    The remainder is added to the bias in the body's `row`.

    Reads: elastic, target. Writes: elastic, target.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    factors = x + factors_at(n)
    for k in range(n):
        row = Z + k * width
        R[target + k] = R[factors + k] * R[target + k]
        for a in range(k + 1, n):
            R[target + a] += -R[target + k] * R[row + a]
        for i in range(6):
            R[x + ROW + i] += R[target + k] * R[row + columns + i]
