"""Thresholds for the choice of modes, as kernels: rates, impulses and multipliers due to rounding or to a single
instant.

Modules of models whose closures have modes contain them, beside modes.py. Masses may differ by ten orders of magnitude:
the rounding of one body may exceed everything about another.
"""

from ..declarations import Record
from ..names import F0, FIRST_P, NV, P0, RATES
from .names import MULTIPLIER_RATES, N_ROWS, ROW_ACCELERATIONS, SCALES, SLIGHT, SLOW, SLUGGISH


def find_slow(R: Record, rest: float) -> None:
    """Compute the rates of rows that count as zero: due to rounding of momenta, or to forces acting for an instant.

    The former is far below the velocities, however light a body. The latter follows from the largest force, by the
    row's scale, and from the largest acceleration of all rows.

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
    """Return the largest acceleration of all rows, with those that they would have without holding.

    Reads: multiplier_rates, row_accelerations, scales.
    """
    most = 0.0
    for k in range(N_ROWS):
        most = max(most, abs(R[ROW_ACCELERATIONS + k]), R[SCALES + k] * abs(R[MULTIPLIER_RATES + k]))
    return most


def least_multiplier_rate(R: Record, row: int, size: float, fast: float) -> float:
    """Return the threshold of a row's impulse or multiplier; size: largest of all, fast: their effect on rates.

    It is a share of what would change the row's own rate by `fast`, above rounding: a light body reliably carries
    little.

    Reads: scales.
    """
    return min(SLIGHT * size, max(rounding_share() * size, SLIGHT * fast / R[SCALES + row]))


def largest(R: Record, first: int, count: int) -> float:
    """Return the largest magnitude of n numbers.

    Reads: first.
    """
    most = 0.0
    for k in range(count):
        most = max(most, abs(R[first + k]))
    return most
