"""Elastic bodies, as kernels: small loops over the modes of one body (docs/equations_elastic.md).

x is the beginning of a body's block and e that of a node's (record/elastic_layout.py), h that of the body's data in
region `shapes`, j that of the rates of its modes. The number n of modes and that of nodes are literals in all calls.
Modules of models with elastic bodies contain these functions, and again as their tangents.

Measurements decided the form of these loops: all arrays lie in one record, so the compiler can't know that they don't
overlap. Hence loops are few and long and treat several rows at a time, and sums of fixed length are kept in locals.
`rows` equals n, but the compiler does not know its value: nested loops must not be unrolled into one long text.
"""

from ...record.elastic_layout import (
    factors_at,
    form_numbers,
    form_rows,
    forms_at,
    mode_columns,
    node_at,
    node_rows_at,
    row_width,
    slopes_at,
    workspace_at,
)
from ..declarations import Record, apart
from ..names import F0, RATES
from .names import ATTACHMENT, BRANCH, ELASTIC_BLOCK, NODE_TWIST, SPIN, SPREADING, SPREADING_RATE, TURN
from .shapes import along, linear

# -- inboard -------------------------------------------------------------------------------------------------


def differ(R: Record, x: int, e: int, root: int, n: int) -> None:
    """Write G of the node at e minus G of the root into the workspace of the body at x.

    Reads: elastic. Writes: elastic.
    """
    columns = mode_columns(n)
    workspace = x + workspace_at(n)
    for a in apart(range(6 * columns)):
        R[workspace + a] = R[e + ATTACHMENT + a] - R[root + ATTACHMENT + a]


def add_attachment(R: Record, x: int, e: int, G: int, n: int, rows: int) -> None:
    """Z += BᵀP B, z += BᵀPhi of one node at e of the body at x, without the part that its frame alone carries (F6).

    Reads: elastic. Writes: elastic.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    Y = e + node_rows_at(n)
    for i in range(6):
        form_row(R, Y + i * width, Y + i * width + columns, G, columns)
    for a in range(rows):
        g0 = R[G + a]
        g1 = R[G + columns + a]
        g2 = R[G + 2 * columns + a]
        g3 = R[G + 3 * columns + a]
        g4 = R[G + 4 * columns + a]
        g5 = R[G + 5 * columns + a]
        row = Z + a * width
        for four in range(a // 4 * 4, width, 4):
            y = Y + four
            for b in apart(range(4)):
                R[row + four + b] += (
                    g0 * R[y + b]
                    + g1 * R[y + width + b]
                    + g2 * R[y + 2 * width + b]
                    + g3 * R[y + 3 * width + b]
                    + g4 * R[y + 4 * width + b]
                    + g5 * R[y + 5 * width + b]
                )


def form_row(R: Record, target: int, p: int, G: int, columns: int) -> None:
    """Write the sum of six rows of G, weighted with the factors at p.

    Reads: elastic. Writes: elastic.
    """
    p0 = R[p]
    p1 = R[p + 1]
    p2 = R[p + 2]
    p3 = R[p + 3]
    p4 = R[p + 4]
    p5 = R[p + 5]
    for b in apart(range(columns)):
        R[target + b] = (
            p0 * R[G + b]
            + p1 * R[G + columns + b]
            + p2 * R[G + 2 * columns + b]
            + p3 * R[G + 3 * columns + b]
            + p4 * R[G + 4 * columns + b]
            + p5 * R[G + 5 * columns + b]
        )


def eliminate_modes(R: Record, x: int, n: int, rows: int) -> None:
    """Eliminate all modes from Z and z, four at a time (F7); the remainder is in `branch`.

    Reads: elastic. Writes: elastic.
    """
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    factors = x + factors_at(n)
    for k in range(0, rows - 3, 4):
        eliminate_block(R, Z, factors, width, k, k + 4)
        row = Z + k * width
        for a in range(k + 4, rows):
            f0 = R[factors + k] * R[row + a]
            f1 = R[factors + k + 1] * R[row + width + a]
            f2 = R[factors + k + 2] * R[row + 2 * width + a]
            f3 = R[factors + k + 3] * R[row + 3 * width + a]
            for four in range(a // 4 * 4, width, 4):
                y = row + four
                for b in apart(range(4)):
                    R[Z + a * width + four + b] += -(
                        f0 * R[y + b] + f1 * R[y + width + b] + f2 * R[y + 2 * width + b] + f3 * R[y + 3 * width + b]
                    )
    eliminate_block(R, Z, factors, width, n // 4 * 4, rows)
    reduce(R, x + BRANCH, Z + width - 8, factors, width, n, rows)


def eliminate_block(R: Record, Z: int, factors: int, width: int, k: int, end: int) -> None:
    """Eliminate modes from k on from their own rows; k is a multiple of four.

    Reads: elastic. Writes: elastic.
    """
    for i in range(k, end):
        row = Z + i * width
        R[factors + i] = 1.0 / R[row + i]
        for a in range(i + 1, end):
            f = R[factors + i] * R[row + a]
            for four in range(k, width, 4):
                for b in apart(range(4)):
                    R[Z + a * width + four + b] += -f * R[row + four + b]


def reduce(R: Record, branch: int, couplings: int, factors: int, width: int, n: int, rows: int) -> None:
    """Subtract the part of the eliminated modes from the body's `branch`.

    Reads: elastic. Writes: elastic.
    """
    for k in range(0, rows - 3, 4):
        row = couplings + k * width
        for i in range(6):
            f0 = R[factors + k] * R[row + i]
            f1 = R[factors + k + 1] * R[row + width + i]
            f2 = R[factors + k + 2] * R[row + 2 * width + i]
            f3 = R[factors + k + 3] * R[row + 3 * width + i]
            for b in apart(range(8)):
                R[branch + 8 * i + b] += -(
                    f0 * R[row + b]
                    + f1 * R[row + width + b]
                    + f2 * R[row + 2 * width + b]
                    + f3 * R[row + 3 * width + b]
                )
    for k in range(n // 4 * 4, rows):
        last = couplings + k * width
        for i in range(6):
            f = R[factors + k] * R[last + i]
            for b in apart(range(8)):
                R[branch + 8 * i + b] += -f * R[last + b]


# -- outboard ------------------------------------------------------------------------------------------------


def free_rates(R: Record, x: int, target: int, n: int) -> None:
    """Write xi_dot due to momenta alone, with all twists and later modes at rest, at `target`.

    Reads: elastic. Writes: target.
    """
    width = row_width(n)
    momenta = x + ELASTIC_BLOCK + width - 2
    factors = x + factors_at(n)
    for k in range(n):
        R[target + k] = -R[factors + k] * R[momenta + k * width]


def mode_rates(R: Record, x: int, v: int, target: int, n: int) -> None:
    """Write xi_dot at `target`, last mode first, from the free rates there and the root's twist at v.

    Reads: elastic, target. Writes: target.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    factors = x + factors_at(n)
    v0 = R[v]
    v1 = R[v + 1]
    v2 = R[v + 2]
    v3 = R[v + 3]
    v4 = R[v + 4]
    v5 = R[v + 5]
    for k in range(n - 1, -1, -1):
        row = Z + k * width
        C = row + columns
        value = R[C] * v0 + R[C + 1] * v1 + R[C + 2] * v2 + (R[C + 3] * v3 + R[C + 4] * v4 + R[C + 5] * v5)
        for b in range(n - 1, k, -1):
            value += R[row + b] * R[target + b]
        R[target + k] += -R[factors + k] * value


def node_rates(R: Record, x: int, h: int, q: int, j: int, n: int, attachments: int) -> None:
    """Compute what follows from the rates of the modes: q_dot, rates of the forms, Cr xi_dot, the nodes' own twists G
    xi_dot.

    Reads: elastic, u. Writes: elastic, q_dot.
    """
    columns = mode_columns(n)
    forms = x + forms_at(n)
    m = form_numbers(n, attachments)
    rates = forms + 2 * m
    for a in apart(range(n)):
        R[F0 + q + a] = R[RATES + j + a]
        R[rates + a] = R[RATES + j + a]
    for a in apart(range(m - 6 * columns)):
        R[forms + m + 6 * columns + a] = 0.0
    linear(R, forms + m, h + slopes_at(n, attachments), rates, 2)
    sums = rates + columns
    along(R, sums, forms + 6 * columns, rates, columns, form_rows(attachments) - 6)
    for i in range(3):
        R[x + SPIN + i] = R[sums + i]
    for k in range(attachments):
        spread(R, x + node_at(n, attachments, k), sums + 3 + 6 * k)


def node_twist_of(R: Record, G: int, rates: int, target: int, n: int) -> None:
    """Compute G xi_dot of a node.

    Reads: elastic, rates. Writes: target.
    """
    w = mode_columns(n)
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    s4 = 0.0
    s5 = 0.0
    for a in range(n):
        rate = R[rates + a]
        s0 += rate * R[G + a]
        s1 += rate * R[G + w + a]
        s2 += rate * R[G + 2 * w + a]
        s3 += rate * R[G + 3 * w + a]
        s4 += rate * R[G + 4 * w + a]
        s5 += rate * R[G + 5 * w + a]
    R[target] = s0
    R[target + 1] = s1
    R[target + 2] = s2
    R[target + 3] = s3
    R[target + 4] = s4
    R[target + 5] = s5


def spread(R: Record, e: int, y: int) -> None:
    """Compute a node's displacement rate and Ṫ from the rates of its six coordinates at y: c_dot / c is -½ c
    theta·theta_dot (F4).

    Reads: elastic. Writes: elastic.
    """
    r0 = R[y + 3]
    r1 = R[y + 4]
    r2 = R[y + 5]
    T = e + SPREADING
    t0 = R[T] * r0 + R[T + 1] * r1 + R[T + 2] * r2
    t1 = R[T + 3] * r0 + R[T + 4] * r1 + R[T + 5] * r2
    t2 = R[T + 6] * r0 + R[T + 7] * r1 + R[T + 8] * r2
    R[e + NODE_TWIST] = R[y] + R[e + 1] * t2 - R[e + 2] * t1
    R[e + NODE_TWIST + 1] = R[y + 1] + R[e + 2] * t0 - R[e] * t2
    R[e + NODE_TWIST + 2] = R[y + 2] + R[e] * t1 - R[e + 1] * t0
    R[e + NODE_TWIST + 3] = t0
    R[e + NODE_TWIST + 4] = t1
    R[e + NODE_TWIST + 5] = t2
    c = R[T]
    slower = -0.5 * c * (R[e + TURN] * r0 + R[e + TURN + 1] * r1 + R[e + TURN + 2] * r2)
    d0 = 0.5 * c * r0
    d1 = 0.5 * c * r1
    d2 = 0.5 * c * r2
    rate = e + SPREADING_RATE
    R[rate] = slower * c
    R[rate + 1] = slower * R[T + 1] - d2
    R[rate + 2] = slower * R[T + 2] + d1
    R[rate + 3] = slower * R[T + 3] + d2
    R[rate + 4] = slower * c
    R[rate + 5] = slower * R[T + 5] - d0
    R[rate + 6] = slower * R[T + 6] - d1
    R[rate + 7] = slower * R[T + 7] + d0
    R[rate + 8] = slower * c
