"""Steps with tangents of the state. The module for sensitivities contains copies of them, after the model's functions.

The times of the steps, the mesh, are prescribed. The tangents are therefore the exact derivatives of the discrete
solution with respect to start values and parameters. D contains the tangents of the numbers of R. In SIMD lanes R and D
have a column for each direction; all columns of R are equal.
"""

from __future__ import annotations

from ...kernels.declarations import supplied
from ...kernels.library import common, interpolate_beside
from ...kernels.linked import derive_d, momenta_d, outputs_d
from ...record.fields import Numbers
from ...record.schema import COLUMNS, N_COLUMNS, N_INPUTS, NX, Inputs, Record
from ..stepping.clock import nearness
from .hooks import METHOD_jacobian_d, METHOD_stages_d, arrive_d, copy_d, lane_of, normalise_d, prepare_d, starts_d

LANES = supplied()


def evaluate_d(R: Record, D: Record, U: Inputs) -> None:
    """Compute what `evaluate` computes, with tangents. A tangent of an input shifts its whole table by a constant."""
    for k in range(N_INPUTS):
        points = int(common(U.tables[k].points))
        if points > 0:
            R.inputs[k] = interpolate_beside(U, int(common(U.tables[k].first)), points, R.time, R.side)
    derive_d(R, D)
    R.evaluations += 1.0


def start_with_tangents(R: Record, D: Record) -> None:
    """Initialise a tree from q, u, z, inputs and parameters in R and D."""
    starts_d(R, D)
    prepare_d(R, D)
    normalise_d(R, D)
    momenta_d(R, D)


def write_row(R: Record, D: Record, U: Inputs, Y: Numbers, place: int) -> None:
    """Write a result row without time to Y from `place` on: the columns, then their tangents by direction."""
    outputs_d(R, D)
    for k in range(1, N_COLUMNS):
        Y[place + k] = common(R[int(COLUMNS[k])])
    for lane in range(LANES):
        start = place + (lane + 1) * N_COLUMNS
        for k in range(1, N_COLUMNS):
            Y[start + k] = lane_of(D, int(COLUMNS[k]), lane)


def METHOD_advance_d(R: Record, D: Record, U: Inputs, time: float, h: float) -> None:
    """Advance the state as `METHOD_advance` does, with tangents."""
    copy_d(R, D, R.x, R.step_start, NX)
    copy_d(R, D, R.x_dot, R.stages[0], NX)
    R.side = -nearness(time, h)
    METHOD_stages_d(R, D, U, time, h)
    R.side = nearness(time, h)


def METHOD_on_mesh(R: Record, D: Record, U: Inputs, Y: Numbers, first: int, last: int) -> int:
    """Take steps `first` to `last` - 1 of METHOD on the mesh stored at the beginning of Y; return `last`.

    For each step the mesh contains its initial time, its size, its final time, and the index in Y of the result row at
    its end (0: none). An entry of size -h makes no step but prepares for steps of size h. The rates must be those of
    the present state, except before the first step of a run; on return they are up to date.
    """
    for k in range(first, last):
        time = Y[4 * k]
        h = Y[4 * k + 1]
        if h > 0.0:
            METHOD_jacobian_d(R, D, U)
            METHOD_advance_d(R, D, U, time, h)
            normalise_d(R, D)
        R.time = Y[4 * k + 2]
        R.side = nearness(time, abs(h))
        arrive_d(R, D, U, abs(h))
        row = int(Y[4 * k + 3])
        if row > 0:
            write_row(R, D, U, Y, row)
    return last
