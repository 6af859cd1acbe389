"""Failure messages of comparisons: the first difference with its quantity, its time and its body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def first_difference(
    actual: np.ndarray,
    expected: np.ndarray,
    bound: float,
    quantity: str = "element",
    labels: Sequence[str] = (),
    times: Sequence[float] = (),
) -> str:
    """Text about the first element of `actual` that differs from `expected` by more than `bound`, or is NaN.

    labels: names of the elements along the last axis, such as "coordinate 'phi' of body 'arm'"; times, s: of the rows.
    """
    actual, expected = np.broadcast_arrays(np.asarray(actual), np.asarray(expected))
    places = np.argwhere(~(np.abs(actual - expected) <= bound))
    if not len(places):
        return f"{quantity}: no difference above {bound:g}"
    place = tuple(places[0])
    label = f" ({labels[place[-1]]})" if len(place) and place[-1] < len(labels) else ""
    time = f" at time {times[place[0]]:g} s" if len(place) and place[0] < len(times) else ""
    index = ", ".join(map(str, place))
    return (
        f"{quantity}[{index}]{label}{time} is {actual[place]!r}, expected {expected[place]!r}: "
        f"they differ by more than {bound:.3g}; {len(places)} of {actual.size} elements do"
    )
