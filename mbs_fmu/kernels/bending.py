"""Elastic bodies, as kernels: small loops over the modes of one body (docs/equations.md, section F).

A body's block (`BentBlock`) begins at x, those of its nodes (`SeatBlock`) follow it, the root's first; h is where its
numbers begin, j where its modes' rates do. n, the number of modes, is a literal in all calls. These functions are
copied into modules of models with elastic bodies, and again as their tangents. No innermost loop is a sum where that
can be: sums are not made vector code.
"""

from .bending_names import (
    BENT,
    BENT_FACTORS,
    BRANCH,
    PULL,
    ROTATION,
    ROW,
    SEAT,
    SEAT_BRANCH,
    SEAT_MOMENTUM,
    SEAT_ROW,
    SEEN,
    SLIP,
    SPIN,
    SPREADING,
    SPREADING_RATE,
    TURN,
    TWIST_IN,
)
from .declarations import Record, constant
from .loop_names import MOMENTUM, PUSH
from .names import F0, FIRST_P, P0, RATES, X0

# -- the body alone ------------------------------------------------------------------------------------------


def bend(R: Record, x: int, h: int, q: int, j: int, n: int, seats: int) -> None:
    """What follows from xi alone: J and Cr (F2), Z without children, and where the nodes are.

    Reads: R, p, q, shapes. Writes: elastic.
    """
    slopes = x + BENT
    couplings = slopes + 6 * n
    Z = couplings + 3 * n
    width = n + 7
    J2 = h + 6 * n
    for i in range(6):
        for a in range(n):
            R[slopes + i * n + a] = constant(R[h + i * n + a])
        for b in range(n):
            for a in range(n):
                R[slopes + i * n + a] += constant(R[J2 + (i * n + b) * n + a]) * R[X0 + q + b]
        R[x + i] = 0.0
        for a in range(n):
            R[x + i] += 0.5 * (constant(R[h + i * n + a]) + R[slopes + i * n + a]) * R[X0 + q + a]
    C1 = J2 + 6 * n * n
    for i in range(3):
        for a in range(n):
            R[couplings + i * n + a] = 0.0
        for b in range(n):
            for a in range(n):
                R[couplings + i * n + a] += -constant(R[C1 + (i * n + b) * n + a]) * R[X0 + q + b]
    Me = C1 + 3 * n * n
    for a in range(n):
        for b in range(width):
            R[Z + a * width + b] = 0.0
        R[Z + a * width + a] = constant(R[Me + a])
        for i in range(3):
            R[Z + a * width + n + 3 + i] = R[couplings + i * n + a]
        R[Z + a * width + n + 6] = -R[P0 + j + a]
    first = x + BENT + 10 * n + (n + 6) * (n + 7)
    numbers = Me + 2 * n + n * n
    for k in range(seats):
        place_node(R, first + k * (SEAT + 12 * n), numbers + k * (3 + 6 * n + 6 * n * n), q, n)


def place_node(R: Record, x: int, h: int, q: int, n: int) -> None:
    """A node's place and turn, the matrix N of their rates, and A N (F4).

    Reads: R, q, shapes. Writes: elastic.
    """
    N = x + SEAT
    G = N + 6 * n
    Y1 = h + 3
    Y2 = Y1 + 6 * n
    for i in range(6):
        for a in range(n):
            R[N + i * n + a] = constant(R[Y1 + i * n + a])
        for b in range(n):
            for a in range(n):
                R[N + i * n + a] += constant(R[Y2 + (i * n + b) * n + a]) * R[X0 + q + b]
        R[x + i] = 0.0
        for a in range(n):
            R[x + i] += 0.5 * (constant(R[Y1 + i * n + a]) + R[N + i * n + a]) * R[X0 + q + a]
    for i in range(3):
        R[x + i] += constant(R[h + i])
    turn_node(R, x)
    T = x + SPREADING
    for i in range(3):
        for a in range(n):
            R[G + i * n + a] = R[N + i * n + a]
            R[G + (3 + i) * n + a] = 0.0
        for k in range(3):
            for a in range(n):
                R[G + (3 + i) * n + a] += R[T + 3 * i + k] * R[N + (3 + k) * n + a]


def turn_node(R: Record, x: int) -> None:
    """R = E + theta~ T and T = c (E + ½ theta~) of a node's Cayley vector theta (F4).

    Reads: R. Writes: elastic.
    """
    t0 = R[x + TURN]
    t1 = R[x + TURN + 1]
    t2 = R[x + TURN + 2]
    c = 1.0 / (1.0 + 0.25 * (t0 * t0 + t1 * t1 + t2 * t2))
    T = x + SPREADING
    for i in range(3):
        R[T + 4 * i] = c
    R[T + 1] = -0.5 * c * t2
    R[T + 2] = 0.5 * c * t1
    R[T + 3] = 0.5 * c * t2
    R[T + 5] = -0.5 * c * t0
    R[T + 6] = -0.5 * c * t1
    R[T + 7] = 0.5 * c * t0
    for k in range(3):
        R[x + ROTATION + k] = t1 * R[T + 6 + k] - t2 * R[T + 3 + k]
        R[x + ROTATION + 3 + k] = t2 * R[T + k] - t0 * R[T + 6 + k]
        R[x + ROTATION + 6 + k] = t0 * R[T + 3 + k] - t1 * R[T + k]
    for i in range(3):
        R[x + ROTATION + 4 * i] += 1.0


# -- inboard -------------------------------------------------------------------------------------------------


def add_seat(R: Record, x: int, e: int, n: int) -> None:
    """Z += BᵀP B, z += BᵀPhi of one node at e of the body at x, but for what its frame alone bears (F5).

    Reads: R. Writes: elastic.
    """
    width = n + 7
    Z = x + BENT + 9 * n
    room = Z + n * width + n
    G = e + SEAT + 6 * n
    for i in range(6):
        for b in range(n):
            R[room + i * width + b] = 0.0
        for k in range(6):
            for b in range(n):
                R[room + i * width + b] += R[e + SEAT_BRANCH + 6 * i + k] * R[G + k * n + b]
        for k in range(7):
            R[room + i * width + n + k] = R[e + SEEN + 7 * i + k]
    add_rows_of(R, Z, G, room, n, 1.0)


def add_rows_of(R: Record, Z: int, G: int, room: int, n: int, sign: float) -> None:
    """Z += sign Gᵀ times the six rows in `room`, all of n + 7 columns.

    Reads: R. Writes: elastic.
    """
    for a in range(n):
        for i in range(6):
            g = sign * R[G + i * n + a]
            for b in range(n + 7):
                R[Z + a * (n + 7) + b] += g * R[room + i * (n + 7) + b]


def to_root(R: Record, x: int, n: int) -> None:
    """Z and z in the rates of the modes and the twist of the root, in the axes of the mean frame (F6).

    `branch` has P and Phi of the body's frame already seen from there.

    Reads: R. Writes: elastic.
    """
    width = n + 7
    Z = x + BENT + 9 * n
    room = Z + n * width + n
    e = room + 6 * width
    G = e + SEAT + 6 * n
    for a in range(n):
        row = Z + a * width + n
        R[row + 3] += -(R[e + 1] * R[row + 2] - R[e + 2] * R[row + 1])
        R[row + 4] += -(R[e + 2] * R[row] - R[e] * R[row + 2])
        R[row + 5] += -(R[e] * R[row + 1] - R[e + 1] * R[row])
    for i in range(6):
        for b in range(n):
            R[room + i * width + b] = R[Z + b * width + n + i]
        for k in range(6):
            for b in range(n):
                R[room + i * width + b] += -R[x + BRANCH + 7 * i + k] * R[G + k * n + b]
        for k in range(7):
            R[room + i * width + n + k] = R[x + BRANCH + 7 * i + k]
    for a in range(n):
        for i in range(6):
            for b in range(n):
                R[Z + a * width + b] += -R[Z + a * width + n + i] * R[G + i * n + b]
    add_rows_of(R, Z, G, room, n, -1.0)


def eliminate_modes(R: Record, x: int, n: int) -> None:
    """All modes out of Z and z by rank-one updates (F7); what is left is in `branch`.

    Reads: R. Writes: elastic.
    """
    width = n + 7
    Z = x + BENT + 9 * n
    gains = Z + n * width
    for k in range(n):
        row = Z + k * width
        R[gains + k] = 1.0 / R[row + k]
        for a in range(k + 1, n):
            f = R[gains + k] * R[row + a]
            for b in range(a, width):
                R[Z + a * width + b] += -f * R[row + b]
        for i in range(6):
            f = R[gains + k] * R[row + n + i]
            for b in range(7):
                R[x + BRANCH + 7 * i + b] += -f * R[row + n + b]


# -- outboard ------------------------------------------------------------------------------------------------


def mode_rates(R: Record, x: int, j: int, n: int) -> None:
    """xi_dot, the last mode first, from the twist that is left to the modes, and what loops push.

    Reads: R, push, u. Writes: u.
    """
    width = n + 7
    Z = x + BENT + 9 * n
    gains = Z + n * width
    for k in range(n - 1, -1, -1):
        row = Z + k * width
        value = R[row + n + 6]
        for i in range(6):
            value += R[row + n + i] * R[x + TWIST_IN + i]
        for b in range(k + 1, n):
            value += R[row + b] * R[RATES + j + b]
        R[RATES + j + k] = R[PUSH + j + k] - R[gains + k] * value


def node_rates(R: Record, x: int, q: int, j: int, n: int, seats: int) -> None:
    """What the modes' rates do: q_dot, Cr xi_dot, and the nodes' own velocities A N xi_dot.

    Reads: R, u. Writes: elastic, q_dot.
    """
    for a in range(n):
        R[F0 + q + a] = R[RATES + j + a]
    couplings = x + BENT + 6 * n
    for i in range(3):
        R[x + SPIN + i] = 0.0
        for a in range(n):
            R[x + SPIN + i] += R[couplings + i * n + a] * R[RATES + j + a]
    for k in range(seats):
        e = x + BENT + 10 * n + (n + 6) * (n + 7) + k * (SEAT + 12 * n)
        N = e + SEAT
        for i in range(6):
            R[e + SLIP + i] = 0.0
            for a in range(n):
                R[e + SLIP + i] += R[N + 6 * n + i * n + a] * R[RATES + j + a]
        spread(R, e, N, j, n)


def spread(R: Record, e: int, N: int, j: int, n: int) -> None:
    """Ṫ of a node: c_dot / c is -½ c theta·theta_dot (F4).

    Reads: R, u. Writes: elastic.
    """
    r0 = 0.0
    r1 = 0.0
    r2 = 0.0
    for a in range(n):
        r0 += R[N + 3 * n + a] * R[RATES + j + a]
        r1 += R[N + 4 * n + a] * R[RATES + j + a]
        r2 += R[N + 5 * n + a] * R[RATES + j + a]
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


# -- momenta and forces --------------------------------------------------------------------------------------


def mode_momenta(R: Record, x: int, h: int, twist: int, j: int, target: int, n: int) -> None:
    """Momenta along the modes of the body alone, Crᵀ omega + Me xi_dot, added at `target`.

    Reads: R, shapes, twist, u. Writes: target.
    """
    couplings = x + BENT + 6 * n
    Me = h + 6 * n + 9 * n * n
    for a in range(n):
        R[target + a] += constant(R[Me + a]) * R[RATES + j + a]
    for i in range(3):
        for a in range(n):
            R[target + a] += R[couplings + i * n + a] * R[twist + 3 + i]


def no_momenta(R: Record, target: int, n: int) -> None:
    """Zeros at `target`.

    Writes: target.
    """
    for a in range(n):
        R[target + a] = 0.0


def seat_momenta(R: Record, e: int, target: int, n: int, sign: float) -> None:
    """What the branch at a node gives the momenta along the modes, sign NᵀAᵀmu; the root's sign is -1.

    Reads: R. Writes: target.
    """
    for i in range(6):
        f = sign * R[e + SEAT_MOMENTUM + i]
        for a in range(n):
            R[target + a] += f * R[e + SEAT + i * n + a]


def mode_forces(R: Record, x: int, h: int, twist: int, q: int, j: int, n: int) -> None:
    """Rates of the momenta along the modes, of the body alone (F9): dT/dxi, stiffness and damping; momenta too.

    Reads: R, p_dot, q, shapes, twist, u. Writes: momentum, p_dot.
    """
    p_dot = F0 + FIRST_P + j
    slopes = x + BENT
    C1 = h + 6 * n + 6 * n * n
    Me = C1 + 3 * n * n
    stiffness = Me + n
    damping = stiffness + n
    mode_momenta(R, x, h, twist, j, MOMENTUM + j, n)
    w0 = R[twist + 3]
    w1 = R[twist + 4]
    w2 = R[twist + 5]
    for a in range(n):
        turning = w0 * (0.5 * w0 * R[slopes + a] + w1 * R[slopes + n + a] + w2 * R[slopes + 2 * n + a])
        turning += w1 * (0.5 * w1 * R[slopes + 3 * n + a] + w2 * R[slopes + 4 * n + a])
        turning += 0.5 * w2 * w2 * R[slopes + 5 * n + a]
        R[p_dot + a] += turning - R[x + BENT_FACTORS] * constant(R[stiffness + a]) * R[X0 + q + a]
    for b in range(n):
        for i in range(3):
            f = R[twist + 3 + i] * R[RATES + j + b]
            for a in range(n):
                R[p_dot + a] += f * constant(R[C1 + (i * n + b) * n + a])
        d = -R[x + BENT_FACTORS + 1] * R[RATES + j + b]
        for a in range(n):
            R[p_dot + a] += d * constant(R[damping + b * n + a])


def seat_forces(R: Record, e: int, h: int, j: int, n: int, sign: float) -> None:
    """What the branch at a node gives momenta along the modes and their rates (F9); the root's sign is -1.

    Reads: R, p_dot, shapes, u. Writes: momentum, p_dot.
    """
    p_dot = F0 + FIRST_P + j
    Y2 = h + 3 + 6 * n
    seat_momenta(R, e, MOMENTUM + j, n, sign)
    for i in range(6):
        f = sign * R[e + PULL + i]
        for a in range(n):
            R[p_dot + a] += f * R[e + SEAT + i * n + a]
        for b in range(n):
            g = sign * R[e + SEAT_MOMENTUM + i] * R[RATES + j + b]
            for a in range(n):
                R[p_dot + a] += g * constant(R[Y2 + (i * n + b) * n + a])


# -- rows of loops -------------------------------------------------------------------------------------------


def seat_row(R: Record, e: int, o: int, n: int) -> None:
    """One open row at a node: its entries for the modes, at `o`, from Y in `row` (F8).

    Reads: R. Writes: row_w.
    """
    G = e + SEAT + 6 * n
    for i in range(6):
        for a in range(n):
            R[o + a] += R[e + SEAT_ROW + i] * R[G + i * n + a]


def root_row(R: Record, x: int, o: int, n: int) -> None:
    """The same at the root, with the other sign, from Y in the body's `row`.

    Reads: R. Writes: row_w.
    """
    G = x + BENT + 10 * n + (n + 6) * (n + 7) + SEAT + 6 * n
    for i in range(6):
        for a in range(n):
            R[o + a] += -R[x + ROW + i] * R[G + i * n + a]


def mode_row(R: Record, x: int, w: int, b: int, d: int, right: int, n: int) -> None:
    """One open row through the elimination of the modes (F8): W at w becomes B and D B, and is zero again.

    Reads: R, elastic. Writes: elastic, right, row_b, row_d, row_w.
    """
    width = n + 7
    Z = x + BENT + 9 * n
    gains = Z + n * width
    for k in range(n):
        R[b + k] = R[w + k]
        R[w + k] = 0.0
    for k in range(n):
        row = Z + k * width
        R[d + k] = R[gains + k] * R[b + k]
        R[right] += -R[d + k] * R[row + n + 6]
        for a in range(k + 1, n):
            R[b + a] += -R[d + k] * R[row + a]
        for i in range(6):
            R[x + ROW + i] += -R[d + k] * R[row + n + i]


def plain_mode_row(R: Record, w: int, b: int, d: int, mask: int, n: int) -> None:
    """One open row without inertia: W at w becomes B, and B of the free coordinates, and is zero again.

    Reads: R, mask. Writes: row_b, row_d, row_w.
    """
    for k in range(n):
        R[b + k] = R[w + k]
        R[d + k] = R[mask + k] * R[w + k]
        R[w + k] = 0.0
