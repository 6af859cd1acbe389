"""Implicit treatment of the modes of elastic bodies, as kernels (docs/equations_elastic.md).

Modules of models with elastic bodies contain them if a method treats the modes implicitly. (W1) to (W4) are equations
of docs/equations_elastic.md; W approximates the Jacobian of a step and contains only stiffness, damping and B, the
derivatives of the modal momenta by xi at given velocities. S is the second record, whose modal masses contain the
stiffness and damping of a step; `S.like(view)` are its numbers at the place of a view of R.
"""

from ...record.elastic_layout import mode_columns, node_at, slopes_at
from ...record.fields import Vector
from ...record.schema import (
    COUPLINGS_INDEX,
    ELASTIC_INDEX,
    ELASTIC_LINKS,
    FIRST_P,
    MASSES_INDEX,
    MODE_COUNT,
    N_ELASTIC,
    NODE_COUNT,
    NV,
    Q_INDEX,
    ROOTED_MODES,
    SHAPES_INDEX,
    U_INDEX,
    Record,
)
from ..library import integer
from ..linked import error_velocities


def momentum_derivatives(R: Record) -> None:
    """Compute B of all elastic bodies (W1).

    Its terms are the slopes Y2 of N, weighted by the momenta at the nodes. The table of slopes (`add_linear_terms` in
    shapes.py) has blocks of four forms by four modes; `row` is the row of a block in N of all nodes, which follow nine
    rows of dJ/dxi and Cr.
    """
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        columns = mode_columns(n)
        B = R.mode_couplings.matrix(COUPLINGS_INDEX[i], columns)
        for a in range(n * columns):
            B.flat[a] = 0.0
        x = R.elastic_block(ELASTIC_INDEX[i])
        slopes = R.shapes[SHAPES_INDEX[i] + slopes_at(n, NODE_COUNT[i]) :]
        group = slopes[1:]
        for _ in range(integer(slopes[0])):
            count = integer(group[4])
            block = group[6 + count :]
            for k in range(integer(group[5])):
                form = integer(group[6 + k])
                row = form // columns - 9
                if row >= 0:
                    node = row // 6
                    weight = x.node_block(node_at(n, NODE_COUNT[i], node)).momentum[row - 6 * node]
                    if node == 0 and ROOTED_MODES[i] > 0:
                        weight = -weight
                    first = form - (row + 9) * columns
                    for b in range(4):
                        target = B[integer(group[b]), first:]
                        for a in range(4):
                            target[a] += weight * block[4 * b + a]
                block = block[16:]
            group = group[6 + 17 * count :]


def effective_modal_masses(R: Record, s: float) -> None:
    """Write the modal masses Me + s delta D + s² kappa K to the second record (W3); s = gamma h for the step size h.

    K and D of the second record become s kappa K and s delta D, with the diagonal of D only. Bodies with the same modes
    share these numbers, so that the largest factors kappa and delta hold for all of these bodies.
    """
    S = R.second
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = R.shapes[MASSES_INDEX[i] + n :]
        for a in range(2 * n):
            S.like(stiffness)[a] = 0.0
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = R.shapes[MASSES_INDEX[i] + n :]
        damping = stiffness[n:]
        stiff = s * R.elastic_block(ELASTIC_INDEX[i]).factors[0]
        damped = s * R.elastic_block(ELASTIC_INDEX[i]).factors[1]
        for a in range(n):
            S.like(stiffness)[a] = max(S.like(stiffness)[a], stiff * stiffness[a])
            S.like(damping)[a] = max(S.like(damping)[a], damped * damping[a])
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        masses = R.shapes[MASSES_INDEX[i] :]
        stiffness = masses[n:]
        damping = stiffness[n:]
        for a in range(n):
            S.like(masses)[a] = masses[a] + (S.like(damping)[a] + s * S.like(stiffness)[a])


def solve_modes(R: Record, x: Vector, s: float) -> None:
    """Solve (E - s W) y = x for a vector x of the size of the state, which becomes y (W3).

    `error_velocities` of the second record solves for w = (M + s delta D + s² kappa K)⁻¹ (x_p - (s kappa K + B) x_xi).
    """
    S = R.second
    for k in range(NV):
        S.errors[k] = x[FIRST_P + k]
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = R.shapes[MASSES_INDEX[i] + n :]
        B = R.mode_couplings.matrix(COUPLINGS_INDEX[i], mode_columns(n))
        q = x[Q_INDEX[i] :]
        for a in range(n):
            S.errors[U_INDEX[i] + a] += -S.like(stiffness)[a] * q[a]
        for b in range(n):
            for a in range(n):
                S.errors[U_INDEX[i] + a] += -B[b, a] * q[b]
    error_velocities(S)
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        stiffness = R.shapes[MASSES_INDEX[i] + n :]
        damping = stiffness[n:]
        B = R.mode_couplings.matrix(COUPLINGS_INDEX[i], mode_columns(n))
        p = x[FIRST_P + U_INDEX[i] :]
        for a in range(n):
            rate = S.errors[U_INDEX[i] + a]
            shift = x[Q_INDEX[i] + a] + s * rate
            x[Q_INDEX[i] + a] = shift
            p[a] += -(S.like(stiffness)[a] * shift + S.like(damping)[a] * rate)
        for b in range(n):
            shift = s * S.errors[U_INDEX[i] + b]
            for a in range(n):
                p[a] += B[b, a] * shift


def subtract_coupling(R: Record, x: Vector) -> None:
    """Subtract B x_xi from the momenta of a vector x of the size of the state; what remains is M u (W4)."""
    for e in range(N_ELASTIC):
        i = ELASTIC_LINKS[e]
        n = MODE_COUNT[i]
        B = R.mode_couplings.matrix(COUPLINGS_INDEX[i], mode_columns(n))
        p = x[FIRST_P + U_INDEX[i] :]
        for b in range(n):
            shift = x[Q_INDEX[i] + b]
            for a in range(n):
                p[a] += -B[b, a] * shift
