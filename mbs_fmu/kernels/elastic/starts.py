"""Static equilibrium of elastic bodies at the start, as kernels. Modules of models with such starts contain them."""

import numpy as np

from ...kernels.constants import OK, SETTLING_SHIFT, SETTLING_STEPS, TOO_LARGE
from ...record.fields import Vector
from ...record.schema import N_SAGGING, SAGGING, Record
from ..linked import derive, fail, momenta


def start_elastic(R: Record) -> int:
    """Initialise modes that start in static equilibrium: momenta along them do not change while the rest is at its
    start; a status.

    Newton's method from undeformed bodies. A pivot of the slopes that is not positive means that a body would buckle.
    """
    R.u_old[:] = R.u
    for k in range(N_SAGGING):
        R.x[SAGGING[k].coordinate] = 0.0
    before = np.inf
    status = TOO_LARGE
    blamed = 0
    for _ in range(SETTLING_STEPS):
        elastic_slopes(R)
        blamed = newton_step(R)
        if blamed >= 0:
            break
        blamed = 0
        step = 0.0
        size = 0.0
        for k in range(N_SAGGING):
            place = R.x[SAGGING[k].coordinate :]
            place[0] += R.sag_forces[0, k]
            step = max(step, abs(R.sag_forces[0, k]))
            size = max(size, abs(place[0]))
        if step <= 1.0e-15 * size or (step <= 1.0e-10 * size and step >= 0.5 * before):
            status = OK
            break
        before = step
    R.u[:] = R.u_old
    momenta(R)
    return OK if status == OK else fail(R, SAGGING[blamed].coordinate, 0.0, TOO_LARGE)


def elastic_slopes(R: Record) -> None:
    """Compute the generalized forces along the modes, and minus their slopes, row by row, by differences."""
    loads = R.sag_forces
    elastic_loads(R, loads[0])
    for b in range(N_SAGGING):
        place = R.x[SAGGING[b].coordinate :]
        x = place[0]
        place[0] = x + SETTLING_SHIFT
        elastic_loads(R, loads[1])
        for a in range(N_SAGGING):
            R.sag[a, b] = (loads[0, a] - loads[1, a]) / (place[0] - x)
        place[0] = x


def elastic_loads(R: Record, target: Vector) -> None:
    """Write the rates of the momenta along the modes at the present coordinates, at `target`."""
    R.u[:] = R.u_old
    momenta(R)
    derive(R)
    for a in range(N_SAGGING):
        target[a] = R.p_dot[SAGGING[a].rate]


def newton_step(R: Record) -> int:
    """Replace the generalized forces by Newton's step; the mode whose pivot is not positive, or -1."""
    n = N_SAGGING
    for k in range(n):
        if not R.sag[k, k] > 0.0:
            return k
        for a in range(k + 1, n):
            f = R.sag[a, k] / R.sag[k, k]
            for b in range(k + 1, n):
                R.sag[a, b] += -f * R.sag[k, b]
            R.sag_forces[0, a] += -f * R.sag_forces[0, k]
    for k in range(n - 1, -1, -1):
        value = R.sag_forces[0, k]
        for b in range(k + 1, n):
            value += -R.sag[k, b] * R.sag_forces[0, b]
        R.sag_forces[0, k] = value / R.sag[k, k]
    return -1
