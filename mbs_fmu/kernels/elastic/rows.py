"""Constraint rows of loops through elastic bodies, as kernels (docs/equations_elastic.md, F8).

They are the columns of modes in the matrix D of Gorobtsov (2005), (21) and (22), for velocities (15) and (16).

Arguments are those of bodies.py. Modules of models with elastic bodies and loops contain these functions, and again as
their tangents.
"""

from ...record.elastic_layout import factors_at, mode_columns, row_width
from ..declarations import Record
from .forces import add_form
from .names import ATTACHMENT, ATTACHMENT_ROW, ELASTIC_BLOCK, ROW


def attachment_row(R: Record, e: int, o: int, n: int) -> None:
    """Add the entries of one open row for the modes at `o`, from Y in the node's `row` (F8).

    Reads: row_w. Writes: row_w.
    """
    add_form(R, e + ATTACHMENT_ROW, e + ATTACHMENT, mode_columns(n), o, n, 1.0)


def root_row(R: Record, x: int, e: int, o: int, n: int) -> None:
    """Add those of the root, with the opposite sign, from Y in the body's `row`.

    Reads: row_w. Writes: row_w.
    """
    add_form(R, x + ROW, e + ATTACHMENT, mode_columns(n), o, n, -1.0)


def mode_row(R: Record, x: int, w: int, b: int, d: int, right: int, n: int) -> None:
    """Pass one open row through the elimination of the modes (F8): W at w becomes B and D B, and then zero.

    Reads: elastic, right, row_b, row_d, row_w. Writes: elastic, right, row_b, row_d, row_w.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    factors = x + factors_at(n)
    for k in range(n):
        R[b + k] = R[w + k]
        R[w + k] = 0.0
    for k in range(n):
        row = Z + k * width
        R[d + k] = R[factors + k] * R[b + k]
        R[right] += -R[d + k] * R[row + columns + 6]
        for a in range(k + 1, n):
            R[b + a] += -R[d + k] * R[row + a]
        for i in range(6):
            R[x + ROW + i] += -R[d + k] * R[row + columns + i]


def plain_mode_row(R: Record, w: int, b: int, d: int, mask: int, n: int) -> None:
    """Pass one open row without inertia: W at w becomes B, and B of the free coordinates, and then zero.

    Reads: mask, row_w. Writes: row_b, row_d, row_w.
    """
    for k in range(n):
        R[b + k] = R[w + k]
        R[d + k] = R[mask + k] * R[w + k]
        R[w + k] = 0.0
