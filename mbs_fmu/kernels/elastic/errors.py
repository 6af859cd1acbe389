"""A kernel that converts errors of momenta of elastic bodies into errors of velocities (docs/equations_elastic.md).

Modules of trees with elastic bodies and error control contain it. bodies.py explains the arguments.
"""

from ...record.elastic_layout import factors_at, mode_columns, row_width
from ...record.fields import Vector
from ...record.schema import ElasticBlock, Record


def mode_errors(R: Record, x: ElasticBlock, target: Vector, n: int) -> None:
    """Repeat the elimination of the modes (F7) with the errors of the modal momenta, in `target`, in place of -z.

    `target` becomes the errors of xi_dot with v' and later modes at rest, as in `uncoupled_mode_rates`. The reduced
    right-hand side of v' is added to the body's `row`.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    factors = x.part(factors_at(n))
    for k in range(n):
        row = Z[k]
        target[k] = factors[k] * target[k]
        for a in range(k + 1, n):
            target[a] += -target[k] * row[a]
        for i in range(6):
            x.row[i] += target[k] * row[columns + i]
