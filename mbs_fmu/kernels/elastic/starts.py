"""Static equilibrium of elastic bodies at the start, as kernels. Modules of models with such starts contain them."""

import numpy as np

from ...record.fields import Vector
from ...record.schema import N_STATIC, STATIC_MODES, Record
from ..constants import MOST_STATIC_STEPS, OK, TOO_LARGE
from ..linked import derive, fail, momenta
from ..tolerances import STATIC_DIFFERENCE


def start_elastic(R: Record) -> int:
    """Initialise the modal coordinates of modes that start in static equilibrium; return a status.

    In equilibrium the rates of the momenta along these modes are zero, with all else at its start values. Newton's
    method begins with undeformed bodies. The status is TOO_LARGE if it does not converge or if a pivot of its matrix is
    not positive, since a body would then buckle.
    """
    R.u_old[:] = R.u
    for k in range(N_STATIC):
        R.x[STATIC_MODES[k].coordinate] = 0.0
    before = np.inf
    status = TOO_LARGE
    buckling = 0
    for _ in range(MOST_STATIC_STEPS):
        elastic_slopes(R)
        buckling = newton_step(R)
        if buckling >= 0:
            break
        buckling = 0
        step = 0.0
        size = 0.0
        for k in range(N_STATIC):
            i = STATIC_MODES[k].coordinate
            R.x[i] += R.static_forces[0, k]
            step = max(step, abs(R.static_forces[0, k]))
            size = max(size, abs(R.x[i]))
        if step <= 1.0e-15 * size or (step <= 1.0e-10 * size and step >= 0.5 * before):
            status = OK
            break
        before = step
    R.u[:] = R.u_old
    momenta(R)
    return OK if status == OK else fail(R, STATIC_MODES[buckling].coordinate, 0.0, TOO_LARGE)


def elastic_slopes(R: Record) -> None:
    """Compute the generalized forces along the modes, in `static_forces[0]`, and minus their slopes by differences.

    The slopes are the derivatives with respect to the modal coordinates, in `static_slopes`.
    """
    loads = R.static_forces
    elastic_loads(R, loads[0])
    for b in range(N_STATIC):
        i = STATIC_MODES[b].coordinate
        x = R.x[i]
        R.x[i] = x + STATIC_DIFFERENCE
        elastic_loads(R, loads[1])
        for a in range(N_STATIC):
            R.static_slopes[a, b] = (loads[0, a] - loads[1, a]) / (R.x[i] - x)
        R.x[i] = x


def elastic_loads(R: Record, target: Vector) -> None:
    """Write the rates of the momenta along the modes at the present coordinates to `target`."""
    R.u[:] = R.u_old
    momenta(R)
    derive(R)
    for a in range(N_STATIC):
        target[a] = R.p_dot[STATIC_MODES[a].rate]


def newton_step(R: Record) -> int:
    """Replace `static_forces[0]` by Newton's step; return -1, or the index of the mode whose pivot is not positive."""
    n = N_STATIC
    for k in range(n):
        if not R.static_slopes[k, k] > 0.0:
            return k
        for a in range(k + 1, n):
            f = R.static_slopes[a, k] / R.static_slopes[k, k]
            for b in range(k + 1, n):
                R.static_slopes[a, b] += -f * R.static_slopes[k, b]
            R.static_forces[0, a] += -f * R.static_forces[0, k]
    for k in range(n - 1, -1, -1):
        value = R.static_forces[0, k]
        for b in range(k + 1, n):
            value += -R.static_slopes[k, b] * R.static_forces[0, b]
        R.static_forces[0, k] = value / R.static_slopes[k, k]
    return -1
