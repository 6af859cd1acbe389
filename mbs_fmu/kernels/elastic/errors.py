"""Elastic bodies where errors of momenta become those of velocities, as a kernel (docs/equations_elastic.md).

Copied into modules of trees with elastic bodies and error control. Arguments are those of bending.py.
"""

from ...record.elastic_layout import factors_at, mode_columns, row_width
from ..declarations import Record
from .names import ELASTIC_BLOCK, ROW


def mode_errors(R: Record, x: int, target: int, n: int) -> None:
    """The elimination of the modes once more (F7), for other momenta at `target`: what `free_rates` would give of them.

    What they leave is added to the bias in the body's `row`.

    Reads: elastic, target. Writes: elastic, target.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    gains = x + factors_at(n)
    for k in range(n):
        row = Z + k * width
        R[target + k] = R[gains + k] * R[target + k]
        for a in range(k + 1, n):
            R[target + a] += -R[target + k] * R[row + a]
        for i in range(6):
            R[x + ROW + i] += R[target + k] * R[row + columns + i]
