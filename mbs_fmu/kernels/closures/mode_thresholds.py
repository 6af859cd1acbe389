"""Thresholds for the choice of modes, as kernels: rates, impulses and loads that are rounding or of an instant.

Copied into modules of models whose closures have modes, beside modes.py. Masses may differ by ten orders of magnitude:
what is rounding to one body is all that another one has.
"""

from ..declarations import Record
from ..names import F0, FIRST_P, NV, P0, RATES
from .names import MULTIPLIER_RATES, N_ROWS, ROW_ACCELERATIONS, SCALES, SLIGHT, SLOW, SLUGGISH


def find_slow(R: Record, rest: float) -> None:
    """Rates of rows that count as none: by the rounding of momenta, or what forces give in an instant.

    The former is far less than velocities are, however light a body. The latter is known of the largest force, by the
    row's scale, and of the largest change of all rows' rates.

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
    """Of a sum of numbers that belong to the model's coordinates and rows, over the largest of them."""
    return 1.0e-15 * (8.0 + NV + N_ROWS)


def largest_row_acceleration(R: Record) -> float:
    """Of all rows, how fast their rates change, or would if they didn't hold.

    Reads: multiplier_rates, row_accelerations, scales.
    """
    found = 0.0
    for k in range(N_ROWS):
        found = max(found, abs(R[ROW_ACCELERATIONS + k]), R[SCALES + k] * abs(R[MULTIPLIER_RATES + k]))
    return found


def least_multiplier_rate(R: Record, row: int, size: float, fast: float) -> float:
    """Threshold of a row's impulse or load: size is the largest of all, fast what they do to rates.

    A share of what would change the row's own rate by that, above rounding: a light body bears little for certain.

    Reads: scales.
    """
    return min(SLIGHT * size, max(rounding_share() * size, SLIGHT * fast / R[SCALES + row]))


def largest(R: Record, first: int, count: int) -> float:
    """Of so many numbers.

    Reads: first.
    """
    found = 0.0
    for k in range(count):
        found = max(found, abs(R[first + k]))
    return found
