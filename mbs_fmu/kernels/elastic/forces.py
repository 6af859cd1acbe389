"""Contributions of elastic bodies to momenta and their rates, as kernels (docs/equations_elastic.md).

bodies.py explains the arguments x, e, h, q, j, n and n_nodes, shapes.py N and Cr. Modules of models with elastic bodies
contain these functions and also their tangents.
"""

from typing import Annotated

from ...record.elastic_layout import form_numbers, forms_at, mode_columns
from ...record.fields import Matrix, Vector
from ...record.schema import ElasticBlock, NodeBlock, Record
from ..declarations import apart, constant
from ..library import common, integer


def clear(R: Record, target: Vector, n: int) -> None:
    """Set the first n numbers of `target` to zero."""
    for a in apart(range(n)):
        target[a] = 0.0


def add_numbers(R: Record, source: Vector, target: Vector, n: int) -> None:
    """Add the first n numbers of `source` to those of `target`."""
    for a in apart(range(n)):
        target[a] += source[a]


def add_form(R: Record, p: Vector, N: Annotated[Matrix, "w"], w: int, target: Vector, n: int, sign: float) -> None:
    """Add sign Nᵀp to the first n numbers of `target`; p has six numbers, N six rows of w numbers."""
    p0 = sign * p[0]
    p1 = sign * p[1]
    p2 = sign * p[2]
    p3 = sign * p[3]
    p4 = sign * p[4]
    p5 = sign * p[5]
    for a in apart(range(n)):
        target[a] += p0 * N[0, a] + p1 * N[1, a] + p2 * N[2, a] + p3 * N[3, a] + p4 * N[4, a] + p5 * N[5, a]


def mode_momenta(R: Record, x: ElasticBlock, Me: Vector, twist: Vector, j: int, target: Vector, n: int) -> None:
    """Add the momenta of the body alone along the modes, Crᵀ omega + Me xi_dot, to `target`.

    Me: the modal masses. twist: that of the mean frame, v and omega.
    """
    columns = mode_columns(n)
    couplings = x.matrix(forms_at(n) + 6 * columns, columns)
    w0 = twist[3]
    w1 = twist[4]
    w2 = twist[5]
    for a in apart(range(n)):
        turning = couplings[0, a] * w0 + couplings[1, a] * w1 + couplings[2, a] * w2
        target[a] += constant(Me[a]) * R.u[j + a] + turning


def attachment_momenta(
    R: Record, e: NodeBlock, N: Annotated[Matrix, "mode_columns(n)"], target: Vector, n: int, sign: float
) -> None:
    """Add the momenta of the branch at a node along the modes, sign NᵀAᵀmu, to `target`; the sign of the root is -1."""
    add_form(R, e.momentum, N, mode_columns(n), target, n, sign)


def mode_forces(R: Record, x: ElasticBlock, h: Vector, twist: Vector, q: int, j: int, n: int, n_nodes: int) -> None:
    """Add the body's own part of the rates of the momenta along its modes (F9): dT/dxi, stiffness and damping.

    This is Gorobtsov (2005), (3), in modal coordinates, with the minus that the inertia forces there lack. twist: that
    of the mean frame. Behind the m numbers of the forms, h contains Me, K and the diagonal of D, then the number of
    other rows of D and these rows.
    """
    p_dot = R.p_dot[j:]
    columns = mode_columns(n)
    slopes = x.matrix(forms_at(n), columns)
    m = form_numbers(n, n_nodes)
    turning_rates = slopes.flat.matrix(m + 6 * columns, columns)
    stiffness = h[m + n :]
    damping = stiffness[n:]
    damping_rows = damping[n:]
    stiff = -x.factors[0]
    damped = -x.factors[1]
    w0 = twist[3]
    w1 = twist[4]
    w2 = twist[5]
    for a in apart(range(n)):
        turning = w0 * (0.5 * w0 * slopes[0, a] + w1 * slopes[1, a] + w2 * slopes[2, a])
        turning += w1 * (0.5 * w1 * slopes[3, a] + w2 * slopes[4, a])
        turning += 0.5 * w2 * w2 * slopes[5, a]
        turning += -w0 * turning_rates[0, a] - w1 * turning_rates[1, a]
        turning += -w2 * turning_rates[2, a]
        turning += stiff * constant(stiffness[a]) * R.x[q + a]
        p_dot[a] += turning + damped * constant(damping[a]) * R.u[j + a]
    for b in range(integer(common(damping_rows[0]))):
        d = damped * R.u[j + b]
        for a in apart(range(n)):
            p_dot[a] += d * constant(damping_rows[1 + b * n + a])


def attachment_forces(
    R: Record, e: NodeBlock, N: Annotated[Matrix, "columns"], m: int, j: int, n: int, sign: float
) -> None:
    """Add the part of the branch at a node to the rates of the momenta along the modes (F9): the sum over n there.

    The sign is -1 for the root, otherwise 1. The rates of N are m numbers behind N.
    """
    columns = mode_columns(n)
    add_form(R, e.pull, N, columns, R.p_dot[j:], n, sign)
    add_form(R, e.momentum, N.flat.matrix(m, columns), columns, R.p_dot[j:], n, sign)
