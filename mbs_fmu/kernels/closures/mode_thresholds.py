"""Kernels that compute thresholds for the choice of constraint modes.

Rates, impulses and multipliers below these thresholds are due to rounding or to forces that act for a single instant.
These kernels are part of the modules of models whose closures have constraint modes, together with modes.py. Masses may
differ by ten orders of magnitude, so that the rounding errors of one body may exceed all numbers of another one.
"""

from ..declarations import Record
from ..names import F0, FIRST_P, N_MODES, NV, P0, RATES
from .names import (
    MODE_FIRST,
    MODE_NUMBERS,
    MODE_ROLE,
    MODES,
    MULTIPLIER_RATES,
    N_ROWS,
    PER_MODE,
    ROW_ACCELERATIONS,
    SCALES,
    SLIGHT,
    SLOW,
    SLUGGISH,
    STICKING,
)


def find_slow(R: Record, rest: float) -> None:
    """Compute the threshold below which the rate of each row counts as zero.

    Such rates are due to rounding of momenta or to forces that act for an instant. Rates due to rounding are far below
    the velocities of the mechanism, however light a body is. Rates due to forces that act for an instant are estimated
    from the largest force and the row's scale, and from the largest acceleration of all rows; the smaller estimate
    counts.

    Reads: p, p_dot, scales, u. Writes: slow.
    """
    instant = 1.0e-4 * rest
    blow = rounding_share() * largest(R, P0, NV)
    force = instant * largest(R, F0 + FIRST_P, NV)
    pull = instant * largest_row_acceleration(R)
    most = SLUGGISH * largest(R, RATES, NV)
    for k in range(N_ROWS):
        R[SLOW + k] = max(min(R[SCALES + k] * blow, most), min(R[SCALES + k] * force, pull))


def rounding_share() -> float:
    """Return the rounding error of a sum over the model's coordinates and rows, relative to its largest term."""
    return 1.0e-15 * (8.0 + NV + N_ROWS)


def largest_row_acceleration(R: Record) -> float:
    """Return the largest acceleration of all rows, including those that held rows would have if released.

    Reads: multiplier_rates, row_accelerations, scales.
    """
    most = 0.0
    for k in range(N_ROWS):
        most = max(most, abs(R[ROW_ACCELERATIONS + k]), R[SCALES + k] * abs(R[MULTIPLIER_RATES + k]))
    return most


def largest_friction(R: Record) -> float:
    """Return the largest capacity of all slipping friction closures.

    Reads: mode_numbers, modes.
    """
    most = 0.0
    for g in range(N_MODES):
        if MODE_ROLE[g] == STICKING and R[MODES + g] != 0.0:
            most = max(most, R[MODE_NUMBERS + PER_MODE * g], R[MODE_NUMBERS + PER_MODE * g + 2])
    return most


def largest_friction_acceleration(R: Record) -> float:
    """Return the largest row acceleration that the force of a slipping friction closure alone would cause.

    Reads: mode_numbers, modes, scales.
    """
    most = 0.0
    for g in range(N_MODES):
        if MODE_ROLE[g] == STICKING and R[MODES + g] != 0.0:
            bound = max(R[MODE_NUMBERS + PER_MODE * g], R[MODE_NUMBERS + PER_MODE * g + 2])
            most = max(most, R[SCALES + MODE_FIRST[g]] * bound)
    return most


def least_multiplier_rate(R: Record, row: int, size: float, fast: float) -> float:
    """Return the threshold below which a row's impulse or multiplier counts as zero.

    `size` is the largest impulse or multiplier of all rows, `fast` the largest effect on rates. The threshold is a
    share of the value that would change the row's own rate by `fast`, and at least the rounding error: small values of
    a light body are significant.

    Reads: scales.
    """
    return min(SLIGHT * size, max(rounding_share() * size, SLIGHT * fast / R[SCALES + row]))


def largest(R: Record, first: int, count: int) -> float:
    """Return the largest absolute value of `count` numbers.

    Reads: first.
    """
    most = 0.0
    for k in range(count):
        most = max(most, abs(R[first + k]))
    return most
