"""Deformation of elastic bodies, as kernels: inertia, node poses and the matrix Z of a body as functions of xi.

(F2) to (F5) are equations of docs/equations_elastic.md. bodies.py explains the arguments x, e, h, q, j, n, rows and
n_nodes. Modules of models with elastic bodies contain these functions and also their tangents.

The modal coordinates are xi. The *forms* are the numbers that are linear in xi: dJ/dxi, six rows for the numbers of the
inertia J; Cr, three rows, which couple xi_dot to the angular velocity; and N of each node, six rows, with y_dot = N
xi_dot for the node's six coordinates y (displacement and Cayley vector of its rotation). A row has one number for each
mode. The *slopes* of a quantity are its derivatives with respect to xi. G of a node are the twists of the node by unit
rates of the modes; the *root* is the node that the body's joint holds. `constant`, `apart` and `common` are marks
(declarations.py, library.py) without effect on values.
"""

from typing import Annotated

from ...record.elastic_layout import (
    form_numbers,
    form_rows,
    forms_at,
    mode_columns,
    node_at,
    node_form_at,
    rest_inertia_at,
    rest_places_at,
    row_width,
    slopes_at,
    workspace_at,
)
from ...record.fields import Matrix, Vector
from ...record.schema import ElasticBlock, NodeBlock, Record
from ..declarations import apart, constant
from ..library import common, integer


def evaluate_deformation(
    R: Record, x: ElasticBlock, h: Vector, q: int, j: int, n: int, rows: int, n_nodes: int, root: int
) -> None:
    """Compute what follows from xi alone: the forms (F2, F4), the contribution of xi to J, poses and G of the nodes.

    Also writes Z and z = -p of the body alone (F5). root: 1 if the joint holds the first node, else 0.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    forms = x.part(forms_at(n))
    m = form_numbers(n, n_nodes)
    Me = h[m:]
    places = h[rest_places_at(n, n_nodes) :]
    for a in apart(range(m)):
        forms[a] = constant(h[a])  # at xi = 0
    add_linear_terms(R, forms, h[slopes_at(n, n_nodes) :], R.x[q:], 4)
    half = forms[2 * m :]  # behind the forms and their rates
    sums = half[columns:]
    for a in apart(range(n)):
        half[a] = 0.5 * R.x[q + a]
    for a in range(n, columns):
        half[a] = 0.0
    quadratic_terms(R, sums, h.matrix(0, columns), forms.matrix(0, columns), half, columns, form_rows(n_nodes))
    for i in range(6):
        x.inertia[i] = sums[i]
    for k in range(n_nodes):
        e = x.node_block(node_at(n, n_nodes, k))
        node_pose(R, e, places[3 * k :], sums[form_rows(k) :], x.matrix(node_form_at(n, k), columns), columns)
    if root:
        G = x.node_block(node_at(n, n_nodes, 0)).matrix(NodeBlock.size, columns)
        mass_with_root_held(
            R, x, h[rest_inertia_at(n, n_nodes) :], G, forms.matrix(6 * columns, mode_columns(n)), n, rows
        )
    else:
        rotation_couplings(R, Z, forms.matrix(6 * columns, columns), width, columns, rows)
    for a in range(rows):
        Z[a, a] += constant(Me[a])
        Z[a, columns + 6] = -R.p[j + a]  # z
        Z[a, columns + 7] = 0.0


def rotation_couplings(
    R: Record,
    Z: Annotated[Matrix, "width"],
    Cr: Annotated[Matrix, "columns"],
    width: int,
    columns: int,
    rows: int,
) -> None:
    """Write the rows of xi_dot of Z of a body without a root, except Me: zeros, and Crᵀ by the angular velocity."""
    for a in range(rows):
        row = Z[a]
        for b in apart(range(columns + 3)):
            row[b] = 0.0
        row[columns + 3] = Cr[0, a]
        row[columns + 4] = Cr[1, a]
        row[columns + 5] = Cr[2, a]


def mass_with_root_held(
    R: Record,
    x: ElasticBlock,
    inertia: Vector,
    G: Annotated[Matrix, "columns"],
    Cr: Annotated[Matrix, "columns"],
    n: int,
    rows: int,
) -> None:
    """Write the rows of xi_dot of Z of the body alone (F5), except Me, for a body whose joint holds the root.

    With Y = M_r G - (0; Cr) they are [GᵀY - CrᵀG_w, -Yᵀ]. G is that of the root, G_w its rows of angular velocity, and
    M_r the mass matrix of the body as a rigid one. inertia: mass, mass times position of its centre, and J at xi = 0,
    ten numbers.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x.matrix(ElasticBlock.size, width)
    Y = x.matrix(workspace_at(n), columns)
    momenta_of_modes(R, x, inertia, G, Cr, Y, columns)
    for a in range(rows):
        row = Z[a]
        g0 = G[0, a]
        g1 = G[1, a]
        g2 = G[2, a]
        g3 = G[3, a]
        g4 = G[4, a]
        g5 = G[5, a]
        c3 = -Cr[0, a]
        c4 = -Cr[1, a]
        c5 = -Cr[2, a]
        for four in range(a // 4 * 4, columns, 4):
            y = Y[:, four:]
            turned = G[3:, four:]
            for b in apart(range(4)):
                row[four + b] = (
                    (g0 * y[0, b] + g1 * y[1, b] + g2 * y[2, b])
                    + (g3 * y[3, b] + g4 * y[4, b] + g5 * y[5, b])
                    + (c3 * turned[0, b] + c4 * turned[1, b] + c5 * turned[2, b])
                )
        row[columns] = -Y[0, a]
        row[columns + 1] = -Y[1, a]
        row[columns + 2] = -Y[2, a]
        row[columns + 3] = -Y[3, a]
        row[columns + 4] = -Y[4, a]
        row[columns + 5] = -Y[5, a]


def momenta_of_modes(
    R: Record,
    x: ElasticBlock,
    inertia: Vector,
    G: Annotated[Matrix, "columns"],
    Cr: Annotated[Matrix, "columns"],
    Y: Annotated[Matrix, "columns"],
    columns: int,
) -> None:
    """Write Y = M_r G - (0; Cr) of `mass_with_root_held`, six rows; J includes the contribution of xi."""
    m = constant(inertia[0])
    s0 = constant(inertia[1])
    s1 = constant(inertia[2])
    s2 = constant(inertia[3])
    J00 = constant(inertia[4]) + x.inertia[0]
    J01 = constant(inertia[5]) + x.inertia[1]
    J02 = constant(inertia[6]) + x.inertia[2]
    J11 = constant(inertia[7]) + x.inertia[3]
    J12 = constant(inertia[8]) + x.inertia[4]
    J22 = constant(inertia[9]) + x.inertia[5]
    for a in apart(range(columns)):
        v0 = G[0, a]
        v1 = G[1, a]
        v2 = G[2, a]
        w0 = G[3, a]
        w1 = G[4, a]
        w2 = G[5, a]
        Y[0, a] = m * v0 + (w1 * s2 - w2 * s1)
        Y[1, a] = m * v1 + (w2 * s0 - w0 * s2)
        Y[2, a] = m * v2 + (w0 * s1 - w1 * s0)
        Y[3, a] = (J00 * w0 + J01 * w1 + J02 * w2) + (s1 * v2 - s2 * v1 - Cr[0, a])
        Y[4, a] = (J01 * w0 + J11 * w1 + J12 * w2) + (s2 * v0 - s0 * v2 - Cr[1, a])
        Y[5, a] = (J02 * w0 + J12 * w1 + J22 * w2) + (s0 * v1 - s1 * v0 - Cr[2, a])


def add_linear_terms(R: Record, target: Vector, slopes: Vector, source: Vector, count_at: int) -> None:
    """Add the product of the forms' slopes and `source` to `target`: source is xi, or xi_dot for the rates of the
    forms.

    The table of slopes consists of blocks of four forms by four modes; blocks of zeros are left out
    (compile/tree/elastic_slopes.py). It begins with the number of groups of four modes. Each group has a header: its
    four modes, the number of its blocks (entry 4) and the number of those without dJ/dxi (entry 5). The index of the
    first form of each block follows, with dJ/dxi last, then the blocks, mode by mode. count_at: 4 adds all blocks, 5
    those without dJ/dxi.
    """
    group = slopes[1:]
    for _ in range(integer(common(slopes[0]))):
        x0 = source[integer(common(group[0]))]
        x1 = source[integer(common(group[1]))]
        x2 = source[integer(common(group[2]))]
        x3 = source[integer(common(group[3]))]
        count = integer(common(group[4]))
        block = group[6 + count :]
        for k in range(integer(common(group[count_at]))):
            first = target[integer(common(group[6 + k])) :]
            for a in apart(range(4)):
                first[a] += (
                    constant(block[a]) * x0
                    + constant(block[4 + a]) * x1
                    + constant(block[8 + a]) * x2
                    + constant(block[12 + a]) * x3
                )
            block = block[16:]
        group = group[6 + 17 * count :]


def quadratic_terms(
    R: Record,
    sums: Vector,
    first: Annotated[Matrix, "columns"],
    slopes: Annotated[Matrix, "columns"],
    half: Vector,
    columns: int,
    count: int,
) -> None:
    """Compute `count` quadratic functions of xi, which vanish at xi = 0: ½ xi·(slopes at 0 + slopes at xi).

    first, slopes: a row for each function, its slopes at xi = 0 and at xi. half: ½ xi. sums receives the values, and
    has four numbers for each: sums of every fourth term, which keeps their order for vector code.
    """
    for i in range(count):
        for a in apart(range(4)):
            sums[4 * i + a] = half[a] * (constant(first[i, a]) + slopes[i, a])
    for b in range(4, columns, 4):
        for i in range(count):
            for a in apart(range(4)):
                sums[4 * i + a] += half[b + a] * (constant(first[i, b + a]) + slopes[i, b + a])
    add_fours(R, sums, count)


def products_of_forms(
    R: Record, sums: Vector, forms: Annotated[Matrix, "columns"], rates: Vector, columns: int, count: int
) -> None:
    """Compute the scalar products of `count` rows of forms with `rates`; sums: as in `quadratic_terms`."""
    for i in range(count):
        for a in apart(range(4)):
            sums[4 * i + a] = rates[a] * forms[i, a]
    for b in range(4, columns, 4):
        for i in range(count):
            for a in apart(range(4)):
                sums[4 * i + a] += rates[b + a] * forms[i, b + a]
    add_fours(R, sums, count)


def add_fours(R: Record, sums: Vector, count: int) -> None:
    """Replace `count` groups of four numbers by their sums, in the first `count` numbers."""
    for i in range(count):
        four = sums[4 * i :]
        sums[i] = (four[0] + four[1]) + (four[2] + four[3])


def node_pose(R: Record, e: NodeBlock, place: Vector, y: Vector, N: Annotated[Matrix, "w"], w: int) -> None:
    """Compute position and rotation of a node from its six coordinates y, and G = X⁻¹A N (F4).

    place: the node's position at xi = 0. N: six rows of w numbers.
    """
    for i in range(3):
        e.place[i] = constant(place[i]) + y[i]
        e.turn[i] = y[3 + i]
    node_rotation(R, e)
    G = e.matrix(NodeBlock.size, w)
    T = e.spreading
    r0 = e.place[0]
    r1 = e.place[1]
    r2 = e.place[2]
    c = T[0]
    half0 = T[7]
    half1 = T[2]
    half2 = T[3]
    for a in apart(range(w)):
        n0 = N[3, a]
        n1 = N[4, a]
        n2 = N[5, a]
        t0 = c * n0 - half2 * n1 + half1 * n2
        t1 = half2 * n0 + c * n1 - half0 * n2
        t2 = half0 * n1 - half1 * n0 + c * n2
        G[0, a] = N[0, a] + r1 * t2 - r2 * t1
        G[1, a] = N[1, a] + r2 * t0 - r0 * t2
        G[2, a] = N[2, a] + r0 * t1 - r1 * t0
        G[3, a] = t0
        G[4, a] = t1
        G[5, a] = t2


def node_rotation(R: Record, e: NodeBlock) -> None:
    """Compute R = E + theta~ T and T = c (E + ½ theta~) from a node's Cayley vector theta (F4).

    T, the tangent operator of the rotation, is in `spreading`.
    """
    t0 = e.turn[0]
    t1 = e.turn[1]
    t2 = e.turn[2]
    c = 1.0 / (1.0 + 0.25 * (t0 * t0 + t1 * t1 + t2 * t2))
    half = 0.5 * c
    T = e.spreading
    T[0] = c
    T[1] = -half * t2
    T[2] = half * t1
    T[3] = half * t2
    T[4] = c
    T[5] = -half * t0
    T[6] = -half * t1
    T[7] = half * t0
    T[8] = c
    e.rotation[0] = 1.0 - half * (t1 * t1 + t2 * t2)
    e.rotation[1] = half * t0 * t1 - c * t2
    e.rotation[2] = half * t0 * t2 + c * t1
    e.rotation[3] = half * t0 * t1 + c * t2
    e.rotation[4] = 1.0 - half * (t0 * t0 + t2 * t2)
    e.rotation[5] = half * t1 * t2 - c * t0
    e.rotation[6] = half * t0 * t2 - c * t1
    e.rotation[7] = half * t1 * t2 + c * t0
    e.rotation[8] = 1.0 - half * (t0 * t0 + t1 * t1)
