"""Elastic bodies, as kernels: small loops over the modes of one body (docs/equations.md, section F).

A body's block (`BentBlock`) begins at x, that of a node (`SeatBlock`) at e; h is where the body's numbers begin, j
where the rates of its modes do. The number of modes n and that of nodes are literals in all calls. These functions are
copied into modules of models with elastic bodies, and again as their tangents.

How they are written is measured: arrays lie in one record, and the compiler can't know that they don't overlap. So
loops are few and long, several rows at a time, and what has a fixed size is summed in locals. `rows` is n once more, as
a number that the compiler doesn't know: loops over loops must not become one long text.
"""

from .bending_names import (
    BENT,
    BRANCH,
    ROTATION,
    SEAT,
    SEAT_BRANCH,
    SEEN,
    SLIP,
    SPIN,
    SPREADING,
    SPREADING_RATE,
    TURN,
)
from .declarations import Record, apart, constant
from .library import common, integer
from .names import F0, P0, RATES, X0

# -- the body alone ------------------------------------------------------------------------------------------


def bend(R: Record, x: int, h: int, q: int, j: int, n: int, rows: int, seats: int) -> None:
    """What follows from xi alone: dJ/dxi, Cr (F2) and N of all nodes (F4), which are linear; J; Z without children.

    Reads: elastic, p, q, shapes. Writes: elastic.
    """
    columns = (n + 3) // 4 * 4
    width = columns + 8
    Z = x + BENT
    forms = Z + n * width + n + 6 * columns
    m = (9 + 6 * seats) * columns
    Me = h + m
    places = Me + 2 * n + n * n
    for a in apart(range(m)):
        R[forms + a] = constant(R[h + a])
    linear(R, forms, places + 3 * seats, X0 + q, 1)
    second_order(R, x, h, forms, q, n)
    for a in range(rows):
        for b in range(width):
            R[Z + a * width + b] = 0.0
    for a in range(rows):
        R[Z + a * width + a] = constant(R[Me + a])
        R[Z + a * width + columns + 3] = R[forms + 6 * columns + a]
        R[Z + a * width + columns + 4] = R[forms + 7 * columns + a]
        R[Z + a * width + columns + 5] = R[forms + 8 * columns + a]
        R[Z + a * width + columns + 6] = -R[P0 + j + a]
    for k in range(seats):
        e = forms + 2 * m + k * (SEAT + 6 * columns)
        place_node(R, e, forms + (9 + 6 * k) * columns, places + 3 * k, h + (9 + 6 * k) * columns, q, n)


def linear(R: Record, target: int, slopes: int, source: int, most: int) -> None:
    """Adds to forms what is linear in the numbers at `source`: xi, or its rates for the rates of the forms.

    The table of slopes is in blocks of four forms by four modes, and where all is zero there is none
    (compile/slopes.py). There stand how many times four modes there are; of each the four, how many blocks, and how
    many but for dJ/dxi; of each block which is the first of its forms, those of dJ/dxi last; the blocks, by modes.
    most: 1: all blocks, 2: but for dJ/dxi.

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


def second_order(R: Record, target: int, first: int, slopes: int, q: int, n: int) -> None:
    """Six numbers of which `first` are the slopes at xi = 0, and `slopes` those at xi.

    Reads: elastic, q, shapes. Writes: target.
    """
    y0 = 0.0
    y1 = 0.0
    y2 = 0.0
    y3 = 0.0
    y4 = 0.0
    y5 = 0.0
    w = (n + 3) // 4 * 4
    for a in range(n):
        half = 0.5 * R[X0 + q + a]
        y0 += half * (constant(R[first + a]) + R[slopes + a])
        y1 += half * (constant(R[first + w + a]) + R[slopes + w + a])
        y2 += half * (constant(R[first + 2 * w + a]) + R[slopes + 2 * w + a])
        y3 += half * (constant(R[first + 3 * w + a]) + R[slopes + 3 * w + a])
        y4 += half * (constant(R[first + 4 * w + a]) + R[slopes + 4 * w + a])
        y5 += half * (constant(R[first + 5 * w + a]) + R[slopes + 5 * w + a])
    R[target] = y0
    R[target + 1] = y1
    R[target + 2] = y2
    R[target + 3] = y3
    R[target + 4] = y4
    R[target + 5] = y5


def place_node(R: Record, e: int, N: int, place: int, Y1: int, q: int, n: int) -> None:
    """A node's place and turn, and A N (F4).

    Reads: elastic, shapes. Writes: elastic.
    """
    second_order(R, e, Y1, N, q, n)
    for i in range(3):
        R[e + i] += constant(R[place + i])
    turn_node(R, e)
    columns = (n + 3) // 4 * 4
    T = e + SPREADING
    for i in range(3):
        G = e + SEAT + i * columns
        turned = G + 3 * columns
        c0 = R[T + 3 * i]
        c1 = R[T + 3 * i + 1]
        c2 = R[T + 3 * i + 2]
        for a in apart(range(columns)):
            R[G + a] = R[N + i * columns + a]
            R[turned + a] = c0 * R[N + 3 * columns + a] + c1 * R[N + 4 * columns + a] + c2 * R[N + 5 * columns + a]


def turn_node(R: Record, e: int) -> None:
    """R = E + theta~ T and T = c (E + ½ theta~) of a node's Cayley vector theta (F4).

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


# -- inboard -------------------------------------------------------------------------------------------------


def add_seat(R: Record, x: int, e: int, n: int, rows: int) -> None:
    """Z += BᵀP B, z += BᵀPhi of one node at e of the body at x, but for what its frame alone bears (F5)."""
    columns = (n + 3) // 4 * 4
    width = columns + 8
    Z = x + BENT
    room = Z + n * width + n
    G = e + SEAT
    for i in range(6):
        form_row(R, room + i * columns, e + SEAT_BRANCH + 6 * i, G, columns)
    add_products(R, Z, width, G, columns, 1, room, columns, columns, 1, rows, 1.0)
    add_products(R, Z + columns, width, G, columns, 1, e + SEEN, 8, 8, 0, rows, 1.0)


def form_row(R: Record, target: int, p: int, G: int, columns: int) -> None:
    """The sum of six rows of G with the factors at p.

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


def add_products(
    R: Record, Z: int, width: int, G: int, step: int, next_row: int, Y: int, w: int, columns: int, upper: int,
    rows: int, sign: float,
) -> None:  # fmt: skip
    """Adds the sum of six products, sign g_i Y_i, to each row of Z; Y_i has w numbers, of which so many columns count.

    The g_i of a row lie `step` apart, those of the next row `next_row` further. upper: 1 where all that is left of the
    diagonal may be left out, else 0.

    Reads: elastic. Writes: elastic.
    """
    for a in range(rows):
        g = G + a * next_row
        g0 = sign * R[g]
        g1 = sign * R[g + step]
        g2 = sign * R[g + 2 * step]
        g3 = sign * R[g + 3 * step]
        g4 = sign * R[g + 4 * step]
        g5 = sign * R[g + 5 * step]
        row = Z + a * width
        for b in apart(range(upper * (a // 4 * 4), columns)):
            R[row + b] += (
                g0 * R[Y + b]
                + g1 * R[Y + w + b]
                + g2 * R[Y + 2 * w + b]
                + g3 * R[Y + 3 * w + b]
                + g4 * R[Y + 4 * w + b]
                + g5 * R[Y + 5 * w + b]
            )


def to_root(R: Record, x: int, e: int, n: int, rows: int) -> None:
    """Z and z in the rates of the modes and the twist of the root at e, in the axes of the mean frame (F6).

    `branch` has P and Phi of the body's frame already seen from there.

    Reads: elastic. Writes: elastic.
    """
    columns = (n + 3) // 4 * 4
    width = columns + 8
    Z = x + BENT
    C = Z + columns
    room = Z + n * width + n
    G = e + SEAT
    for i in range(6):
        form_row(R, room + i * columns, x + BRANCH + 8 * i, G, columns)
    for a in range(rows):
        row = C + a * width
        R[row + 3] += R[e + 2] * R[row + 1] - R[e + 1] * R[row + 2]
        R[row + 4] += R[e] * R[row + 2] - R[e + 2] * R[row]
        R[row + 5] += R[e + 1] * R[row] - R[e] * R[row + 1]
        for i in range(6):
            R[room + i * columns + a] = R[row + i] - R[room + i * columns + a]
    add_products(R, Z, width, C, 1, width, G, columns, columns, 1, rows, -1.0)
    add_products(R, Z, width, G, columns, 1, room, columns, columns, 1, rows, -1.0)
    add_products(R, C, width, G, columns, 1, x + BRANCH, 8, 8, 0, rows, -1.0)


def eliminate_modes(R: Record, x: int, n: int, rows: int) -> None:
    """All modes out of Z and z, four at a time (F7); what is left is in `branch`.

    Reads: elastic. Writes: elastic.
    """
    width = (n + 3) // 4 * 4 + 8
    Z = x + BENT
    gains = Z + n * width
    for k in range(0, rows - 3, 4):
        eliminate_block(R, Z, gains, width, k, k + 4)
        row = Z + k * width
        for a in range(k + 4, rows):
            f0 = R[gains + k] * R[row + a]
            f1 = R[gains + k + 1] * R[row + width + a]
            f2 = R[gains + k + 2] * R[row + 2 * width + a]
            f3 = R[gains + k + 3] * R[row + 3 * width + a]
            for b in apart(range(a // 4 * 4, width)):
                R[Z + a * width + b] += -(
                    f0 * R[row + b]
                    + f1 * R[row + width + b]
                    + f2 * R[row + 2 * width + b]
                    + f3 * R[row + 3 * width + b]
                )
    eliminate_block(R, Z, gains, width, n // 4 * 4, rows)
    reduce(R, x + BRANCH, Z + width - 8, gains, width, n, rows)


def eliminate_block(R: Record, Z: int, gains: int, width: int, k: int, end: int) -> None:
    """Modes from k on out of their own rows; k is a multiple of four.

    Reads: elastic. Writes: elastic.
    """
    for i in range(k, end):
        row = Z + i * width
        R[gains + i] = 1.0 / R[row + i]
        for a in range(i + 1, end):
            f = R[gains + i] * R[row + a]
            for b in apart(range(k, width)):
                R[Z + a * width + b] += -f * R[row + b]


def reduce(R: Record, branch: int, couplings: int, gains: int, width: int, n: int, rows: int) -> None:
    """What is left behind the modes.

    Reads: elastic. Writes: elastic.
    """
    for k in range(0, rows - 3, 4):
        row = couplings + k * width
        for i in range(6):
            f0 = R[gains + k] * R[row + i]
            f1 = R[gains + k + 1] * R[row + width + i]
            f2 = R[gains + k + 2] * R[row + 2 * width + i]
            f3 = R[gains + k + 3] * R[row + 3 * width + i]
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
            f = R[gains + k] * R[last + i]
            for b in apart(range(8)):
                R[branch + 8 * i + b] += -f * R[last + b]


# -- outboard ------------------------------------------------------------------------------------------------


def free_rates(R: Record, x: int, target: int, n: int) -> None:
    """What xi_dot would be of momenta alone, were all twists and later modes at rest, at `target`.

    Reads: elastic. Writes: target.
    """
    width = (n + 3) // 4 * 4 + 8
    momenta = x + BENT + width - 2
    gains = x + BENT + n * width
    for k in range(n):
        R[target + k] = -R[gains + k] * R[momenta + k * width]


def mode_rates(R: Record, x: int, v: int, target: int, n: int) -> None:
    """xi_dot at `target`, the last mode first, from what stands there and the twist at v that is left to the modes.

    Reads: elastic, target. Writes: target.
    """
    columns = (n + 3) // 4 * 4
    width = columns + 8
    Z = x + BENT
    gains = Z + n * width
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
        R[target + k] += -R[gains + k] * value


def node_rates(R: Record, x: int, h: int, q: int, j: int, n: int, seats: int) -> None:
    """What the modes' rates do: q_dot, rates of what is linear in xi, Cr xi_dot, the nodes' own velocities A N xi_dot.

    Reads: elastic, u. Writes: elastic, q_dot.
    """
    for a in range(n):
        R[F0 + q + a] = R[RATES + j + a]
    columns = (n + 3) // 4 * 4
    forms = x + BENT + n * (columns + 8) + n + 6 * columns
    m = (9 + 6 * seats) * columns
    for a in apart(range(m - 6 * columns)):
        R[forms + m + 6 * columns + a] = 0.0
    linear(R, forms + m, h + m + 2 * n + n * n + 3 * seats, RATES + j, 2)
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    for a in range(n):
        s0 += R[forms + 6 * columns + a] * R[RATES + j + a]
        s1 += R[forms + 7 * columns + a] * R[RATES + j + a]
        s2 += R[forms + 8 * columns + a] * R[RATES + j + a]
    R[x + SPIN] = s0
    R[x + SPIN + 1] = s1
    R[x + SPIN + 2] = s2
    for k in range(seats):
        e = forms + 2 * m + k * (SEAT + 6 * columns)
        slip_of(R, e + SEAT, RATES + j, e + SLIP, n)
        spread(R, e, forms + (9 + 6 * k) * columns, j, n)


def slip_of(R: Record, G: int, rates: int, target: int, n: int) -> None:
    """A N xi_dot of a node, G = A N.

    Reads: elastic, rates. Writes: target.
    """
    w = (n + 3) // 4 * 4
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


def spread(R: Record, e: int, N: int, j: int, n: int) -> None:
    """Ṫ of a node: c_dot / c is -½ c theta·theta_dot (F4).

    Reads: elastic, u. Writes: elastic.
    """
    r0 = 0.0
    r1 = 0.0
    r2 = 0.0
    w = (n + 3) // 4 * 4
    for a in range(n):
        r0 += R[N + 3 * w + a] * R[RATES + j + a]
        r1 += R[N + 4 * w + a] * R[RATES + j + a]
        r2 += R[N + 5 * w + a] * R[RATES + j + a]
    c = R[e + SPREADING]
    slower = -0.5 * c * (R[e + TURN] * r0 + R[e + TURN + 1] * r1 + R[e + TURN + 2] * r2)
    for k in range(9):
        R[e + SPREADING_RATE + k] = slower * R[e + SPREADING + k]
    R[e + SPREADING_RATE + 1] += -0.5 * c * r2
    R[e + SPREADING_RATE + 2] += 0.5 * c * r1
    R[e + SPREADING_RATE + 3] += 0.5 * c * r2
    R[e + SPREADING_RATE + 5] += -0.5 * c * r0
    R[e + SPREADING_RATE + 6] += -0.5 * c * r1
    R[e + SPREADING_RATE + 7] += 0.5 * c * r0
