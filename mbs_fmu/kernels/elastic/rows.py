"""Constraint rows of loops through elastic bodies, as kernels (docs/equations_elastic.md, F8).

They are the columns of modes in the matrix D of Gorobtsov (2005), (21) and (22), for velocities (15) and (16). An open
row has numbers for the modes, Y_e, and for the twist v' of the body, Y_v. Y_n is its part at a node.

bodies.py explains the arguments x, e and n. Modules of models with elastic bodies and loops contain these functions and
also their tangents.
"""

from ...record.elastic_layout import factors_at, mode_columns, row_width
from ...record.fields import Vector
from ...record.schema import ElasticBlock, NodeBlock, Record
from .forces import add_form


def attachment_row(R: Record, e: NodeBlock, row: Vector, n: int) -> None:
    """Add Y_n G to the n entries of one open row for the modes (F8); Y_n is in the node's `row`."""
    add_form(R, e.row, e.matrix(NodeBlock.size, mode_columns(n)), mode_columns(n), row, n, 1.0)


def root_row(R: Record, x: ElasticBlock, e: NodeBlock, row: Vector, n: int) -> None:
    """Subtract Y_v G_r from the n entries of one open row for the modes (F8); Y_v is in the body's `row`."""
    add_form(R, x.row, e.matrix(NodeBlock.size, mode_columns(n)), mode_columns(n), row, n, -1.0)


def mode_row(R: Record, x: ElasticBlock, w: Vector, b: Vector, d: Vector, row_bias: Vector, n: int) -> None:
    """Pass one open row through the elimination of the modes (F8).

    w: its n numbers for the modes, which become zero. b and d receive y_k and g_k y_k, its numbers in `row_b` and
    `row_d`. The first number of row_bias is its bias. Y_v is in the body's `row`.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    factors = x.part(factors_at(n))
    for k in range(n):
        b[k] = w[k]
        w[k] = 0.0
    for k in range(n):
        row = Z[k]
        d[k] = factors[k] * b[k]
        row_bias[0] += -d[k] * row[columns + 6]
        for a in range(k + 1, n):
            b[a] += -d[k] * row[a]
        for i in range(6):
            x.row[i] += -d[k] * row[columns + i]


def plain_mode_row(R: Record, w: Vector, b: Vector, d: Vector, free_mask: Vector, n: int) -> None:
    """Pass one open row through the modes without inertia, as in assembly.

    w: its n numbers for the modes, which become zero. b receives these numbers, d those of free modes, else zeros.
    """
    for k in range(n):
        b[k] = w[k]
        d[k] = free_mask[k] * w[k]
        w[k] = 0.0
