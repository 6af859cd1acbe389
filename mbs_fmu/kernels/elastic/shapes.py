"""Deformation of elastic bodies, as kernels: quantities that follow from xi and its rates alone
(docs/equations_elastic.md).

Arguments are those of bodies.py. Modules of models with elastic bodies contain these functions, and again as their
tangents.
"""

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
from ..declarations import Record, apart, constant
from ..library import common, integer
from ..names import P0, X0
from .names import ATTACHMENT, ELASTIC_BLOCK, ROTATION, SPREADING, TURN


def bend(R: Record, x: int, h: int, q: int, j: int, n: int, rows: int, attachments: int, root: int) -> None:
    """Compute what follows from xi alone: dJ/dxi, Cr (F2) and N of all nodes (F4), which are linear; J; Z without
    children.

    root: 1 if the joint holds the first node, else 0.

    Reads: elastic, p, q, shapes. Writes: elastic.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    forms = x + forms_at(n)
    m = form_numbers(n, attachments)
    Me = h + m
    places = h + rest_places_at(n, attachments)
    for a in apart(range(m)):
        R[forms + a] = constant(R[h + a])
    linear(R, forms, h + slopes_at(n, attachments), X0 + q, 1)
    half = forms + 2 * m
    sums = half + columns
    for a in apart(range(n)):
        R[half + a] = 0.5 * R[X0 + q + a]
    for a in range(n, columns):
        R[half + a] = 0.0
    second_order(R, sums, h, forms, half, columns, form_rows(attachments))
    for i in range(6):
        R[x + i] = R[sums + i]
    for k in range(attachments):
        e = x + node_at(n, attachments, k)
        place_node(R, e, places + 3 * k, sums + form_rows(k), x + node_form_at(n, k), columns)
    if root:
        G = x + node_at(n, attachments, 0) + ATTACHMENT
        hold_root(R, x, h + rest_inertia_at(n, attachments), G, forms + 6 * columns, n, rows)
    else:
        couple(R, Z + columns + 3, forms + 6 * columns, width, columns, rows)
    for a in range(rows):
        R[Z + a * width + a] += constant(R[Me + a])
        R[Z + a * width + columns + 6] = -R[P0 + j + a]
        R[Z + a * width + columns + 7] = 0.0


def couple(R: Record, Z: int, Cr: int, width: int, columns: int, rows: int) -> None:
    """Fill Z with zeros up to its first three couplings to rotation, and write Cr there.

    Reads: elastic. Writes: elastic.
    """
    for a in range(rows):
        row = Z + a * width
        for b in apart(range(columns + 3)):
            R[row - columns - 3 + b] = 0.0
        R[row] = R[Cr + a]
        R[row + 1] = R[Cr + columns + a]
        R[row + 2] = R[Cr + 2 * columns + a]


def hold_root(R: Record, x: int, inertia: int, G: int, Cr: int, n: int, rows: int) -> None:
    """Write Z of the body alone in the rates of the modes and the root's twist, without Me (F5).

    G: of the root, since Qe is -G. inertia: index of mass, its moment and J at xi = 0.

    Reads: elastic. Writes: elastic.
    """
    columns = mode_columns(n)
    width = row_width(n)
    Z = x + ELASTIC_BLOCK
    Y = x + workspace_at(n)
    weigh(R, x, inertia, G, Cr, Y, columns)
    for a in range(rows):
        row = Z + a * width
        g0 = R[G + a]
        g1 = R[G + columns + a]
        g2 = R[G + 2 * columns + a]
        g3 = R[G + 3 * columns + a]
        g4 = R[G + 4 * columns + a]
        g5 = R[G + 5 * columns + a]
        c3 = -R[Cr + a]
        c4 = -R[Cr + columns + a]
        c5 = -R[Cr + 2 * columns + a]
        for four in range(a // 4 * 4, columns, 4):
            y = Y + four
            turned = G + 3 * columns + four
            for b in apart(range(4)):
                R[row + four + b] = (
                    (g0 * R[y + b] + g1 * R[y + columns + b] + g2 * R[y + 2 * columns + b])
                    + (g3 * R[y + 3 * columns + b] + g4 * R[y + 4 * columns + b] + g5 * R[y + 5 * columns + b])
                    + (c3 * R[turned + b] + c4 * R[turned + columns + b] + c5 * R[turned + 2 * columns + b])
                )
        R[row + columns] = -R[Y + a]
        R[row + columns + 1] = -R[Y + columns + a]
        R[row + columns + 2] = -R[Y + 2 * columns + a]
        R[row + columns + 3] = -R[Y + 3 * columns + a]
        R[row + columns + 4] = -R[Y + 4 * columns + a]
        R[row + columns + 5] = -R[Y + 5 * columns + a]


def weigh(R: Record, x: int, inertia: int, G: int, Cr: int, Y: int, columns: int) -> None:
    """Write the effect of G on the momentum of the body alone, minus Cr: six rows of columns at Y.

    Reads: elastic, shapes. Writes: elastic.
    """
    m = constant(R[inertia])
    s0 = constant(R[inertia + 1])
    s1 = constant(R[inertia + 2])
    s2 = constant(R[inertia + 3])
    J00 = constant(R[inertia + 4]) + R[x]
    J01 = constant(R[inertia + 5]) + R[x + 1]
    J02 = constant(R[inertia + 6]) + R[x + 2]
    J11 = constant(R[inertia + 7]) + R[x + 3]
    J12 = constant(R[inertia + 8]) + R[x + 4]
    J22 = constant(R[inertia + 9]) + R[x + 5]
    for a in apart(range(columns)):
        v0 = R[G + a]
        v1 = R[G + columns + a]
        v2 = R[G + 2 * columns + a]
        w0 = R[G + 3 * columns + a]
        w1 = R[G + 4 * columns + a]
        w2 = R[G + 5 * columns + a]
        R[Y + a] = m * v0 + (w1 * s2 - w2 * s1)
        R[Y + columns + a] = m * v1 + (w2 * s0 - w0 * s2)
        R[Y + 2 * columns + a] = m * v2 + (w0 * s1 - w1 * s0)
        R[Y + 3 * columns + a] = (J00 * w0 + J01 * w1 + J02 * w2) + (s1 * v2 - s2 * v1 - R[Cr + a])
        R[Y + 4 * columns + a] = (J01 * w0 + J11 * w1 + J12 * w2) + (s2 * v0 - s0 * v2 - R[Cr + columns + a])
        R[Y + 5 * columns + a] = (J02 * w0 + J12 * w1 + J22 * w2) + (s0 * v1 - s1 * v0 - R[Cr + 2 * columns + a])


def linear(R: Record, target: int, slopes: int, source: int, most: int) -> None:
    """Add to forms their part that is linear in the numbers at `source`: xi, or its rates for the rates of the forms.

    The table of slopes consists of blocks of four forms by four modes; blocks of zeros are left out
    (compile/tree/elastic_slopes.py). It begins with the number of groups of four modes. For each group it has the four
    modes, the number of blocks, and the number of blocks without dJ/dxi; for each block the first of its forms, those
    of dJ/dxi last; then the blocks, by modes. most: 1: all blocks, 2: without dJ/dxi.

    Reads: shapes, source, target. Writes: target.
    """
    modes = slopes + 1
    for _ in range(integer(common(R[slopes]))):
        x0 = R[source + integer(common(R[modes]))]
        x1 = R[source + integer(common(R[modes + 1]))]
        x2 = R[source + integer(common(R[modes + 2]))]
        x3 = R[source + integer(common(R[modes + 3]))]
        places = modes + 6
        block = places + integer(common(R[modes + 4]))
        modes = block + 16 * (block - places)
        for k in range(places, places + integer(common(R[places - 3 + most]))):
            first = target + integer(common(R[k]))
            for a in apart(range(4)):
                R[first + a] += (
                    constant(R[block + a]) * x0
                    + constant(R[block + 4 + a]) * x1
                    + constant(R[block + 8 + a]) * x2
                    + constant(R[block + 12 + a]) * x3
                )
            block += 16


def second_order(R: Record, sums: int, first: int, slopes: int, half: int, columns: int, count: int) -> None:
    """Compute `count` numbers from rows of slopes: rows from `first` on hold the slopes at xi = 0, those from `slopes`
    on those at xi.

    half: index of half of xi.

    Reads: elastic, shapes. Writes: elastic.
    """
    for i in range(count):
        for a in apart(range(4)):
            R[sums + 4 * i + a] = R[half + a] * (constant(R[first + i * columns + a]) + R[slopes + i * columns + a])
    for b in range(4, columns, 4):
        for i in range(count):
            row = i * columns + b
            for a in apart(range(4)):
                R[sums + 4 * i + a] += R[half + b + a] * (constant(R[first + row + a]) + R[slopes + row + a])
    add_fours(R, sums, count)


def along(R: Record, sums: int, forms: int, rates: int, columns: int, count: int) -> None:
    """Compute the products of `count` forms, a row each, with the numbers at `rates`.

    Reads: elastic. Writes: elastic.
    """
    for i in range(count):
        for a in apart(range(4)):
            R[sums + 4 * i + a] = R[rates + a] * R[forms + i * columns + a]
    for b in range(4, columns, 4):
        for i in range(count):
            for a in apart(range(4)):
                R[sums + 4 * i + a] += R[rates + b + a] * R[forms + i * columns + b + a]
    add_fours(R, sums, count)


def add_fours(R: Record, sums: int, count: int) -> None:
    """Sum each four numbers; the sums are contiguous.

    Reads: elastic. Writes: elastic.
    """
    for i in range(count):
        four = sums + 4 * i
        R[sums + i] = (R[four] + R[four + 1]) + (R[four + 2] + R[four + 3])


def place_node(R: Record, e: int, place: int, y: int, N: int, w: int) -> None:
    """Compute position and rotation of a node from its six coordinates at y, and G = X^-1 A N (F4).

    Reads: elastic, shapes. Writes: elastic.
    """
    for i in range(3):
        R[e + i] = constant(R[place + i]) + R[y + i]
        R[e + TURN + i] = R[y + 3 + i]
    turn_node(R, e)
    G = e + ATTACHMENT
    T = e + SPREADING
    r0 = R[e]
    r1 = R[e + 1]
    r2 = R[e + 2]
    c = R[T]
    half0 = R[T + 7]
    half1 = R[T + 2]
    half2 = R[T + 3]
    for a in apart(range(w)):
        n0 = R[N + 3 * w + a]
        n1 = R[N + 4 * w + a]
        n2 = R[N + 5 * w + a]
        t0 = c * n0 - half2 * n1 + half1 * n2
        t1 = half2 * n0 + c * n1 - half0 * n2
        t2 = half0 * n1 - half1 * n0 + c * n2
        R[G + a] = R[N + a] + r1 * t2 - r2 * t1
        R[G + w + a] = R[N + w + a] + r2 * t0 - r0 * t2
        R[G + 2 * w + a] = R[N + 2 * w + a] + r0 * t1 - r1 * t0
        R[G + 3 * w + a] = t0
        R[G + 4 * w + a] = t1
        R[G + 5 * w + a] = t2


def turn_node(R: Record, e: int) -> None:
    """Compute R = E + theta~ T and T = c (E + ½ theta~) from a node's Cayley vector theta (F4).

    Reads: elastic. Writes: elastic.
    """
    t0 = R[e + TURN]
    t1 = R[e + TURN + 1]
    t2 = R[e + TURN + 2]
    c = 1.0 / (1.0 + 0.25 * (t0 * t0 + t1 * t1 + t2 * t2))
    half = 0.5 * c
    T = e + SPREADING
    R[T] = c
    R[T + 1] = -half * t2
    R[T + 2] = half * t1
    R[T + 3] = half * t2
    R[T + 4] = c
    R[T + 5] = -half * t0
    R[T + 6] = -half * t1
    R[T + 7] = half * t0
    R[T + 8] = c
    R[e + ROTATION] = 1.0 - half * (t1 * t1 + t2 * t2)
    R[e + ROTATION + 1] = half * t0 * t1 - c * t2
    R[e + ROTATION + 2] = half * t0 * t2 + c * t1
    R[e + ROTATION + 3] = half * t0 * t1 + c * t2
    R[e + ROTATION + 4] = 1.0 - half * (t0 * t0 + t2 * t2)
    R[e + ROTATION + 5] = half * t1 * t2 - c * t0
    R[e + ROTATION + 6] = half * t0 * t2 - c * t1
    R[e + ROTATION + 7] = half * t1 * t2 + c * t0
    R[e + ROTATION + 8] = 1.0 - half * (t0 * t0 + t1 * t1)
