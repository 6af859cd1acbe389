"""What elastic bodies give momenta, their rates and the rows of loops, as kernels (docs/equations.md, section F).

Arguments are those of bending.py. These functions are copied into modules of models with elastic bodies, and again as
their tangents.
"""

from .bending_names import (
    BENT,
    BENT_FACTORS,
    PULL,
    ROW,
    SEAT,
    SEAT_MOMENTUM,
    SEAT_ROW,
)
from .declarations import Record, constant
from .loop_names import MOMENTUM
from .names import F0, FIRST_P, RATES, X0

# -- momenta and forces --------------------------------------------------------------------------------------


def mode_momenta(R: Record, x: int, Me: int, twist: int, j: int, target: int, n: int) -> None:
    """Momenta along the modes of the body alone, Crᵀ omega + Me xi_dot, added at `target`.

    Reads: elastic, shapes, target, twist, u. Writes: target.
    """
    couplings = x + BENT + (n + 6) * ((n + 10) // 4 * 4) + 7 * n
    w0 = R[twist + 3]
    w1 = R[twist + 4]
    w2 = R[twist + 5]
    for a in range(n):
        turning = R[couplings + a] * w0 + R[couplings + n + a] * w1 + R[couplings + 2 * n + a] * w2
        R[target + a] += constant(R[Me + a]) * R[RATES + j + a] + turning


def no_momenta(R: Record, target: int, n: int) -> None:
    """Zeros at `target`.

    Writes: target.
    """
    for a in range(n):
        R[target + a] = 0.0


def seat_momenta(R: Record, e: int, N: int, target: int, n: int, sign: float) -> None:
    """What the branch at a node gives the momenta along the modes, sign NᵀAᵀmu; the root's sign is -1.

    Reads: target. Writes: target.
    """
    add_form(R, e + SEAT_MOMENTUM, N, target, n, sign)


def add_form(R: Record, p: int, N: int, target: int, n: int, sign: float) -> None:
    """Adds Nᵀ times the six numbers at p, with a sign.

    Reads: elastic, target. Writes: target.
    """
    p0 = sign * R[p]
    p1 = sign * R[p + 1]
    p2 = sign * R[p + 2]
    p3 = sign * R[p + 3]
    p4 = sign * R[p + 4]
    p5 = sign * R[p + 5]
    for a in range(n):
        R[target + a] += (
            p0 * R[N + a]
            + p1 * R[N + n + a]
            + p2 * R[N + 2 * n + a]
            + p3 * R[N + 3 * n + a]
            + p4 * R[N + 4 * n + a]
            + p5 * R[N + 5 * n + a]
        )


def mode_forces(R: Record, x: int, h: int, twist: int, q: int, j: int, n: int, rows: int, seats: int) -> None:
    """Rates of the momenta along the modes, of the body alone (F9): dT/dxi, stiffness and damping; momenta too.

    Reads: elastic, momentum, p_dot, q, shapes, twist, u. Writes: momentum, p_dot.
    """
    p_dot = F0 + FIRST_P + j
    slopes = x + BENT + (n + 6) * ((n + 10) // 4 * 4) + n
    m = (9 + 6 * seats) * n
    Me = h + (n + 1) * m
    stiffness = Me + n
    damping = stiffness + n
    mode_momenta(R, x, Me, twist, j, MOMENTUM + j, n)
    w0 = R[twist + 3]
    w1 = R[twist + 4]
    w2 = R[twist + 5]
    for a in range(n):
        turning = w0 * (0.5 * w0 * R[slopes + a] + w1 * R[slopes + n + a] + w2 * R[slopes + 2 * n + a])
        turning += w1 * (0.5 * w1 * R[slopes + 3 * n + a] + w2 * R[slopes + 4 * n + a])
        turning += 0.5 * w2 * w2 * R[slopes + 5 * n + a]
        R[p_dot + a] += turning - R[x + BENT_FACTORS] * constant(R[stiffness + a]) * R[X0 + q + a]
    for b in range(rows):
        C1 = h + (b + 1) * m + 6 * n
        f0 = -w0 * R[RATES + j + b]
        f1 = -w1 * R[RATES + j + b]
        f2 = -w2 * R[RATES + j + b]
        d = -R[x + BENT_FACTORS + 1] * R[RATES + j + b]
        for a in range(n):
            R[p_dot + a] += (
                f0 * constant(R[C1 + a])
                + f1 * constant(R[C1 + n + a])
                + f2 * constant(R[C1 + 2 * n + a])
                + d * constant(R[damping + b * n + a])
            )


def seat_forces(R: Record, e: int, N: int, Y2: int, m: int, j: int, n: int, rows: int, sign: float) -> None:
    """What the branch at a node gives momenta along the modes and their rates (F9); the root's sign is -1.

    Y2: where its numbers of the first mode begin; those of the next lie m further.

    Reads: elastic, momentum, p_dot, shapes, u. Writes: momentum, p_dot.
    """
    p_dot = F0 + FIRST_P + j
    seat_momenta(R, e, N, MOMENTUM + j, n, sign)
    add_form(R, e + PULL, N, p_dot, n, sign)
    for b in range(rows):
        rate = sign * R[RATES + j + b]
        p0 = rate * R[e + SEAT_MOMENTUM]
        p1 = rate * R[e + SEAT_MOMENTUM + 1]
        p2 = rate * R[e + SEAT_MOMENTUM + 2]
        p3 = rate * R[e + SEAT_MOMENTUM + 3]
        p4 = rate * R[e + SEAT_MOMENTUM + 4]
        p5 = rate * R[e + SEAT_MOMENTUM + 5]
        Y = Y2 + b * m
        for a in range(n):
            R[p_dot + a] += (
                p0 * constant(R[Y + a])
                + p1 * constant(R[Y + n + a])
                + p2 * constant(R[Y + 2 * n + a])
                + p3 * constant(R[Y + 3 * n + a])
                + p4 * constant(R[Y + 4 * n + a])
                + p5 * constant(R[Y + 5 * n + a])
            )


# -- rows of loops -------------------------------------------------------------------------------------------


def seat_row(R: Record, e: int, o: int, n: int) -> None:
    """One open row at a node: its entries for the modes, at `o`, from Y in `row` (F8).

    Reads: row_w. Writes: row_w.
    """
    add_form(R, e + SEAT_ROW, e + SEAT, o, n, 1.0)


def root_row(R: Record, x: int, e: int, o: int, n: int) -> None:
    """The same at the root, with the other sign, from Y in the body's `row`.

    Reads: row_w. Writes: row_w.
    """
    add_form(R, x + ROW, e + SEAT, o, n, -1.0)


def mode_row(R: Record, x: int, w: int, b: int, d: int, right: int, n: int) -> None:
    """One open row through the elimination of the modes (F8): W at w becomes B and D B, and is zero again.

    Reads: elastic, right, row_b, row_d, row_w. Writes: elastic, right, row_b, row_d, row_w.
    """
    width = (n + 10) // 4 * 4
    Z = x + BENT
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

    Reads: mask, row_w. Writes: row_b, row_d, row_w.
    """
    for k in range(n):
        R[b + k] = R[w + k]
        R[d + k] = R[mask + k] * R[w + k]
        R[w + k] = 0.0
