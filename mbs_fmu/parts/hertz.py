"""Hertzian point contacts of steel bodies with exact elliptic integrals."""

from __future__ import annotations

import math

LARGEST_RATIO = 1e6  #: of the axes of a contact ellipse


def elliptic(k: float) -> tuple[float, float]:
    """Return the complete elliptic integrals K and E of a contact ellipse whose axes have the ratio k >= 1.

    The modulus is m = 1 - 1/k². Source: arithmetic-geometric mean, Abramowitz and Stegun, 17.6.
    """
    a, b, power = 1.0, 1.0 / k, 0.5
    total = power * (1.0 - b * b)
    while abs(a - b) > 1e-15 * a:
        a, b, half = 0.5 * (a + b), math.sqrt(a * b), 0.5 * (a - b)
        power *= 2.0
        total += power * half * half
    first = 0.5 * math.pi / a
    return first, first * (1.0 - total)


def curvature_difference(k: float) -> float:
    """Return ((k² + 1) E - 2 K)/((k² - 1) E), the difference of the principal curvatures over their sum."""
    first, second = elliptic(k)
    return ((k * k + 1.0) * second - 2.0 * first) / ((k * k - 1.0) * second)


def point_stiffness(curvatures: tuple[float, float, float, float], young: float, poisson: float) -> float:
    """Return K, N/m^1.5, of the load K δ^1.5 of two bodies of one material that approach each other by δ (Q1).

    curvatures: in the direction of rolling and across it, of the first body and then of the second, 1/m; negative for
    hollows. young: Pa. Source: Harris and Kotzalas, Essential Concepts of Bearing Technology, 5th ed., chapter 6.
    """
    total = sum(curvatures)
    difference = abs(curvatures[0] + curvatures[2] - curvatures[1] - curvatures[3]) / total
    ratio = _ratio(difference)
    first, second = elliptic(ratio)
    approach = 2.0 * first / math.pi * (0.5 * math.pi / (ratio * ratio * second)) ** (1.0 / 3.0)
    stiff = young / (1.0 - poisson * poisson)
    return total * stiff / (3.0 * math.sqrt(0.5 * approach * total) ** 3)


def _ratio(difference: float) -> float:
    """Return the ratio of the axes at which `curvature_difference` has a value, by bisection of its logarithm."""
    if difference < 1e-9:
        return 1.0
    low, high = 1e-9, math.log(LARGEST_RATIO)
    while high - low > 4e-16 * high:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if curvature_difference(math.exp(middle)) < difference else (low, middle)
    return math.exp(high)
