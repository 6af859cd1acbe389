"""Kernels that compute thresholds for the choice of constraint modes.

Rates, impulses and multipliers below these thresholds are due to rounding or to forces that act for an instant, 1e-4 of
the time within which a motion counts as rest. These kernels are part of the modules of models whose closures have
constraint modes, together with modes.py. Masses may differ by ten orders of magnitude, so that the rounding errors of
one body may exceed all numbers of another one. A row's own threshold therefore depends on its reference pivot, its
inverse effective mass (rows.py): an impulse times this pivot is a rate of the row.
"""

from ...record.fields import Vector
from ...record.schema import MODE, N_MODES, N_ROWS, NV, Record
from ..constants import FRICTION
from ..tolerances import RATE_SHARE, ZERO_SHARE


def rate_thresholds(R: Record, rest_time: float) -> None:
    """Compute `rate_thresholds`, below which the rate of each row counts as zero; the larger of two estimates.

    The first is the rate due to rounding of the largest momentum, at most a share of the largest joint velocity:
    however light a body is, rounding is far below the velocities of the mechanism. The second is the rate due to forces
    that act for an instant, 1e-4 of `rest_time` (s): by the largest force, or by the largest acceleration of all rows,
    whichever gives less.
    """
    instant = 1.0e-4 * rest_time
    rounding = rounding_share() * largest(R, R.p, NV)
    impulse = instant * largest(R, R.p_dot, NV)
    change = instant * largest_row_acceleration(R)
    most = RATE_SHARE * largest(R, R.u, NV)
    for k in range(N_ROWS):
        R.rate_thresholds[k] = max(
            min(R.reference_pivots[k] * rounding, most), min(R.reference_pivots[k] * impulse, change)
        )


def rounding_share() -> float:
    """Return the rounding error of a sum over the model's coordinates and rows, relative to its largest term."""
    return 1.0e-15 * (8.0 + NV + N_ROWS)


def largest_row_acceleration(R: Record) -> float:
    """Return the largest acceleration of all rows; engaged rows count with that which their force alone would cause."""
    most = 0.0
    for k in range(N_ROWS):
        most = max(most, abs(R.row_accelerations[k]), R.reference_pivots[k] * abs(R.multiplier_rates[k]))
    return most


def largest_friction(R: Record) -> float:
    """Return the largest capacity of all slipping friction closures."""
    most = 0.0
    for g in range(N_MODES):
        if MODE[g].role == FRICTION and R.modes[g] != 0.0:
            most = max(most, R.mode_numbers[g, 0], R.mode_numbers[g, 2])
    return most


def largest_friction_acceleration(R: Record) -> float:
    """Return the largest row acceleration that the capacity of a slipping friction closure alone would cause."""
    most = 0.0
    for g in range(N_MODES):
        closure = MODE[g]
        if closure.role == FRICTION and R.modes[g] != 0.0:
            bound = max(R.mode_numbers[g, 0], R.mode_numbers[g, 2])
            most = max(most, R.reference_pivots[closure.first_row] * bound)
    return most


def multiplier_threshold(R: Record, row: int, size: float, fast: float) -> float:
    """Return the threshold below which a row's impulse or multiplier counts as zero.

    For impulses, `size` is the largest impulse and `fast` the largest rate; for multipliers, the largest force and the
    largest acceleration. The threshold is ZERO_SHARE times the impulse (multiplier) that would change the row's own
    rate (acceleration) by `fast`, since small values of a light body are significant; it is at least the rounding error
    of `size`, and at most ZERO_SHARE times `size`.
    """
    return min(ZERO_SHARE * size, max(rounding_share() * size, ZERO_SHARE * fast / R.reference_pivots[row]))


def largest(R: Record, numbers: Vector, count: int) -> float:
    """Return the largest absolute value of the first `count` numbers of a vector."""
    most = 0.0
    for k in range(count):
        most = max(most, abs(numbers[k]))
    return most
