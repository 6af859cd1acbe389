"""Elastic bodies, as kernels: the passes over the modes of one body, (F4) to (F7) of docs/equations_elastic.md.

Modules of models with elastic bodies contain these functions and also their tangents. Arguments that occur often:

- x: the block of a body, e: the block of a node (record/elastic_layout.py);
- h: the data of the body in region `shapes`;
- q, j: indices of its first modal coordinate xi in R.x, and of its first modal velocity xi_dot in R.u;
- n: number of modes, n_nodes: number of nodes; both are literals in all calls;
- rows: n too, but the compiler does not know its value, so that it does not unroll nested loops.

Z is the matrix of the equations Z (xi_dot; v') + z = (0; mu). v' is the twist of the root at the mean frame's origin
(F5); the root is the node that the body's joint holds. A row of Z has `row_width(n)` numbers: `mode_columns(n)` for the
modes, six for v' (Z_kv), then z and a zero. `factors` are g of (F7). G of a node is its twist by unit rates of the
modes, G_r that of the root.

The form of these loops follows from measurements. All arrays lie in one record, so the machine-code compiler must
assume that they overlap. Therefore loops are few and long and treat several rows at a time, and sums of fixed length
are written out with locals: `four` is the first of four columns, and p0 to p5 are the six numbers of a vector.
"""

from typing import Annotated

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
from ...record.fields import Matrix, Vector
from ...record.schema import ElasticBlock, NodeBlock, Record
from ..declarations import apart
from .shapes import add_linear_terms, products_of_forms

# -- inboard -------------------------------------------------------------------------------------------------


def subtract_root(R: Record, x: ElasticBlock, e: NodeBlock, root: NodeBlock, n: int) -> None:
    """Write G - G_r (F6), of the node e and the root, to the workspace of the body."""
    columns = mode_columns(n)
    workspace = x.part(workspace_at(n))
    for a in apart(range(6 * columns)):
        workspace[a] = e.part(NodeBlock.size)[a] - root.part(NodeBlock.size)[a]


def add_attachment(
    R: Record, x: ElasticBlock, e: NodeBlock, G: Annotated[Matrix, "columns"], n: int, rows: int
) -> None:
    """Add the rows of the modes of BᵀP B to Z, and of BᵀPhi to z, for the branch at node e (F6).

    G: the six rows G - G_r of the node. Its block contains P and Phi; P (G - G_r) is written in front of them.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    Y = e.matrix(node_rows_at(n), width)
    for i in range(6):
        combine_rows(R, Y[i], Y[i, columns:], G, columns)
    for a in range(rows):
        g0 = G[0, a]
        g1 = G[1, a]
        g2 = G[2, a]
        g3 = G[3, a]
        g4 = G[4, a]
        g5 = G[5, a]
        row = Z[a]
        for four in range(a // 4 * 4, width, 4):
            y = Y[:, four:]
            for b in apart(range(4)):
                row[four + b] += g0 * y[0, b] + g1 * y[1, b] + g2 * y[2, b] + g3 * y[3, b] + g4 * y[4, b] + g5 * y[5, b]


def combine_rows(R: Record, target: Vector, p: Vector, G: Annotated[Matrix, "columns"], columns: int) -> None:
    """Write pᵀG, the sum of the six rows of G with the factors p, to `target`."""
    p0 = p[0]
    p1 = p[1]
    p2 = p[2]
    p3 = p[3]
    p4 = p[4]
    p5 = p[5]
    for b in apart(range(columns)):
        target[b] = p0 * G[0, b] + p1 * G[1, b] + p2 * G[2, b] + p3 * G[3, b] + p4 * G[4, b] + p5 * G[5, b]


def eliminate_modes(R: Record, x: ElasticBlock, n: int, rows: int) -> None:
    """Eliminate all modes from Z and z, four at a time (F7); subtract their parts from `branch` (P, Phi)."""
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    factors = x.part(factors_at(n))
    for k in range(0, rows - 3, 4):
        eliminate_block(R, Z, factors, width, k, k + 4)
        row = Z[k:]
        for a in range(k + 4, rows):
            f0 = factors[k] * row[0, a]
            f1 = factors[k + 1] * row[1, a]
            f2 = factors[k + 2] * row[2, a]
            f3 = factors[k + 3] * row[3, a]
            for four in range(a // 4 * 4, width, 4):
                y = row[:, four:]
                for b in apart(range(4)):
                    Z[a, four + b] += -(f0 * y[0, b] + f1 * y[1, b] + f2 * y[2, b] + f3 * y[3, b])
    eliminate_block(R, Z, factors, width, n // 4 * 4, rows)
    reduce_branch(R, x.branch, Z[:, width - 8 :], factors, width, n, rows)


def eliminate_block(R: Record, Z: Annotated[Matrix, "width"], factors: Vector, width: int, k: int, end: int) -> None:
    """Eliminate the modes k to `end` - 1, at most four, from each other's rows; k is a multiple of four."""
    for i in range(k, end):
        row = Z[i]
        factors[i] = 1.0 / row[i]
        for a in range(i + 1, end):
            f = factors[i] * row[a]
            for four in range(k, width, 4):
                for b in apart(range(4)):
                    Z[a, four + b] += -f * row[four + b]


def reduce_branch(
    R: Record,
    branch: Annotated[Matrix, "8"],
    couplings: Annotated[Matrix, "width"],
    factors: Vector,
    width: int,
    n: int,
    rows: int,
) -> None:
    """Subtract the parts of all modes, g_k Z_kvᵀ (Z_kv, z_k), from the body's `branch` (P, Phi).

    couplings: the last eight numbers of each row of Z: Z_kv, z_k and a zero.
    """
    for k in range(0, rows - 3, 4):
        row = couplings[k:]
        for i in range(6):
            f0 = factors[k] * row[0, i]
            f1 = factors[k + 1] * row[1, i]
            f2 = factors[k + 2] * row[2, i]
            f3 = factors[k + 3] * row[3, i]
            for b in apart(range(8)):
                branch[i, b] += -(f0 * row[0, b] + f1 * row[1, b] + f2 * row[2, b] + f3 * row[3, b])
    for k in range(n // 4 * 4, rows):
        last = couplings[k]
        for i in range(6):
            f = factors[k] * last[i]
            for b in apart(range(8)):
                branch[i, b] += -f * last[b]


# -- outboard ------------------------------------------------------------------------------------------------


def uncoupled_mode_rates(R: Record, x: ElasticBlock, target: Vector, n: int) -> None:
    """Write -g_k z_k to `target`: the rate of mode k with v' and the rates of later modes zero."""
    width = row_width(n)
    z = x.matrix(ElasticBlock.size + width - 2, width)
    factors = x.part(factors_at(n))
    for k in range(n):
        target[k] = -factors[k] * z[k, 0]


def mode_rates(R: Record, x: ElasticBlock, v: Vector, target: Vector, n: int) -> None:
    """Complete xi_dot in `target`, last mode first: add -g_k (Z_kv v' + the sum of Z_kb xi_dot_b over later modes b).

    `target` contains the results of `uncoupled_mode_rates`. v: v'.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    factors = x.part(factors_at(n))
    v0 = v[0]
    v1 = v[1]
    v2 = v[2]
    v3 = v[3]
    v4 = v[4]
    v5 = v[5]
    for k in range(n - 1, -1, -1):
        row = Z[k]
        C = row[columns:]
        value = C[0] * v0 + C[1] * v1 + C[2] * v2 + (C[3] * v3 + C[4] * v4 + C[5] * v5)
        for b in range(n - 1, k, -1):
            value += row[b] * target[b]
        target[k] += -factors[k] * value


def node_rates(R: Record, x: ElasticBlock, h: Vector, q: int, j: int, n: int, n_nodes: int) -> None:
    """Compute what follows from xi_dot: the rates of xi, Cr and N (shapes.py), Cr xi_dot, node twists (F4)."""
    columns = mode_columns(n)
    forms = x.part(forms_at(n))
    m = form_numbers(n, n_nodes)
    rates = forms[2 * m :]
    for a in apart(range(n)):
        R.x_dot[q + a] = R.u[j + a]
        rates[a] = R.u[j + a]
    for a in apart(range(m - 6 * columns)):
        forms[m + 6 * columns + a] = 0.0
    add_linear_terms(R, forms[m:], h[slopes_at(n, n_nodes) :], rates, 5)
    sums = rates[columns:]
    products_of_forms(R, sums, forms.matrix(6 * columns, columns), rates, columns, form_rows(n_nodes) - 6)
    for i in range(3):
        x.spin[i] = sums[i]
    for k in range(n_nodes):
        node_velocity(R, x.node_block(node_at(n, n_nodes, k)), sums[3 + 6 * k :])


def node_twist_of(R: Record, G: Annotated[Matrix, "mode_columns(n)"], rates: Vector, target: Vector, n: int) -> None:
    """Write the twist G xi_dot of a node, relative to the mean frame, to `target`. rates: xi_dot."""
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    s4 = 0.0
    s5 = 0.0
    for a in range(n):
        rate = rates[a]
        s0 += rate * G[0, a]
        s1 += rate * G[1, a]
        s2 += rate * G[2, a]
        s3 += rate * G[3, a]
        s4 += rate * G[4, a]
        s5 += rate * G[5, a]
    target[0] = s0
    target[1] = s1
    target[2] = s2
    target[3] = s3
    target[4] = s4
    target[5] = s5


def node_velocity(R: Record, e: NodeBlock, y_dot: Vector) -> None:
    """Compute the twist G xi_dot of a node and the rate of T from the rates y_dot of its six coordinates (F4).

    The rate of c is -½ c² theta·theta_dot.
    """
    r0 = y_dot[3]
    r1 = y_dot[4]
    r2 = y_dot[5]
    T = e.spreading
    t0 = T[0] * r0 + T[1] * r1 + T[2] * r2
    t1 = T[3] * r0 + T[4] * r1 + T[5] * r2
    t2 = T[6] * r0 + T[7] * r1 + T[8] * r2
    e.node_twist[0] = y_dot[0] + e.place[1] * t2 - e.place[2] * t1
    e.node_twist[1] = y_dot[1] + e.place[2] * t0 - e.place[0] * t2
    e.node_twist[2] = y_dot[2] + e.place[0] * t1 - e.place[1] * t0
    e.node_twist[3] = t0
    e.node_twist[4] = t1
    e.node_twist[5] = t2
    c = T[0]
    ratio = -0.5 * c * (e.turn[0] * r0 + e.turn[1] * r1 + e.turn[2] * r2)  # c_dot / c
    d0 = 0.5 * c * r0
    d1 = 0.5 * c * r1
    d2 = 0.5 * c * r2
    rate = e.spreading_rate
    rate[0] = ratio * c
    rate[1] = ratio * T[1] - d2
    rate[2] = ratio * T[2] + d1
    rate[3] = ratio * T[3] + d2
    rate[4] = ratio * c
    rate[5] = ratio * T[5] - d0
    rate[6] = ratio * T[6] - d1
    rate[7] = ratio * T[7] + d0
    rate[8] = ratio * c
