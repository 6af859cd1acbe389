"""Search for zero crossings within a step: of events, and of the quantities that end steps."""

from __future__ import annotations

from ...kernels.constants import COUNTED_ZERO, OF_EVENTS
from ...kernels.hooks import evaluate_ends, evaluate_indicators
from ...record.fields import Vector
from ...record.schema import Inputs, Record
from .between import METHOD_between


def METHOD_at(R: Record, U: Inputs, start: float, end: float, theta: float, which: int) -> None:
    """Compute rates and monitored quantities at fraction theta of the step from `start` to `end`.

    `which` is OF_EVENTS for the indicators of events, OF_ENDS for the distances in `end_now`.
    """
    METHOD_between(R, U, start + theta * (end - start), theta, end - start)
    if which == OF_EVENTS:
        evaluate_indicators(R)
    else:
        evaluate_ends(R)


def METHOD_locate(
    R: Record, U: Inputs, start: float, end: float, which: int, quantity: Vector, left: float, right: float,
    g_left: float, g_right: float,
) -> float:  # fmt: skip
    """Locate the zero of a monitored quantity between two fractions of a step, to the rounding of time.

    Return the fraction at which the quantity is zero. `quantity` begins with the number that `METHOD_at` computes for
    `which`; it is `g_left` at fraction `left` and `g_right` at fraction `right`.

    The search uses inverse quadratic interpolation and bisection (T. R. Chandrupatla, Advances in Engineering Software
    28 (1997) 145-149). For a quantity that is zero on the left, the result is the point where it leaves zero.
    """
    side = R.side
    R.side = 0.0  # a jump that is a crossing is located at its own time
    resolution = max(4.5e-16 * max(abs(start), abs(end)) / (end - start), 1.2e-16)
    a = right
    ga = g_right
    shift = 0.0
    if g_left == 0.0:
        shift = COUNTED_ZERO if g_right < 0.0 else -COUNTED_ZERO
    b = left
    gb = g_left + shift
    c = a
    gc = ga
    t = 0.5
    for _ in range(200):
        x = a if abs(ga) < abs(gb) else b
        share = resolution / max(abs(b - a), 1.0e-300)
        if share >= 0.5 or ga == 0.0 or gb == 0.0:
            break
        t = min(max(t, share), 1.0 - share)
        x = a + t * (b - a)
        METHOD_at(R, U, start, end, x, which)
        g = quantity[0] + shift
        c = b
        gc = gb
        if (g >= 0.0 and ga >= 0.0) or not (g >= 0.0 or ga >= 0.0):
            c = a
            gc = ga
        else:
            b = a
            gb = ga
        a = x
        ga = g
        xi = (a - b) / (c - b)
        phi = (ga - gb) / (gc - gb)
        t = 0.5
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            t = ga / (gb - ga) * gc / (gb - gc) + (c - a) / (b - a) * ga / (gc - ga) * gb / (gc - gb)
    R.side = side
    return a if abs(ga) < abs(gb) else b
