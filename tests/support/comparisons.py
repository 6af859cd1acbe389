"""Failure messages of comparisons: the first difference with its quantity, its time and its body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def first_difference(
    actual: np.ndarray,
    expected: np.ndarray,
    bound: float | np.ndarray,
    quantity: str = "element",
    labels: Sequence[str] = (),
    times: Sequence[float] = (),
) -> str:
    """Text about the first element of `actual` that differs from `expected` by more than `bound`, or is NaN.

    bound: for all elements, or an array with one for each. labels: names of the elements along the last axis, such as
    "coordinate 'phi' of body 'arm'". times, s: of the rows.
    """
    actual, expected, bound = np.broadcast_arrays(np.asarray(actual), np.asarray(expected), np.asarray(bound))
    differing = np.argwhere(~(np.abs(actual - expected) <= bound))
    if not len(differing):
        return f"{quantity}: no difference above {np.max(bound, initial=0.0):g}"
    index = tuple(differing[0])
    label = f" ({labels[index[-1]]})" if len(index) and index[-1] < len(labels) else ""
    time = f" at time {times[index[0]]:g} s" if len(index) and index[0] < len(times) else ""
    place = f"[{', '.join(map(str, index))}]" if index else ""
    return (
        f"{quantity}{place}{label}{time} is {actual[index]!r}, expected {expected[index]!r}: "
        f"they differ by more than {bound[index]:.3g}; {len(differing)} of {actual.size} elements do"
    )


def assert_close(
    actual: np.ndarray | float,
    expected: np.ndarray | float,
    bound: float | np.ndarray,
    quantity: str,
    labels: Sequence[str] = (),
    times: Sequence[float] = (),
) -> None:
    """Check that no element of `actual` differs from that of `expected` by more than `bound`, and that there are some.

    Arguments: see `first_difference`.
    """
    __tracebackhide__ = True
    difference = np.abs(np.asarray(actual) - np.asarray(expected))
    assert difference.size, f"{quantity} has no elements"
    assert np.all(difference <= bound), first_difference(actual, expected, bound, quantity, labels, times)
