"""Failing comparisons name the first difference: its quantity, body and time."""

from __future__ import annotations

import numpy as np
import pytest

from support.comparisons import assert_close

pytestmark = pytest.mark.quick

LABELS = ("coordinate 'phi' of body 'arm'", "coordinate 's' of body 'cart'")
TIMES = (0.0, 0.5)


def test_the_first_difference_is_named() -> None:
    """Quantity, place, label, time, both values and the bound."""
    actual, expected = np.zeros((2, 2)), np.array([[0.0, 1e-3], [0.0, 2e-3]])
    with pytest.raises(AssertionError) as error:
        assert_close(actual, expected, [1e-6, 1.5e-3], "start", LABELS, TIMES)  # type: ignore[arg-type]
    assert str(error.value).startswith(
        "start[1, 1] (coordinate 's' of body 'cart') at time 0.5 s is np.float64(0.0), expected np.float64(0.002): "
        "they differ by more than 0.0015; 1 of 4 elements do"
    )


@pytest.mark.parametrize("actual", [np.nan, [0.0, np.nan], 1.0 + 1e-6])
def test_no_number_is_close_to_others(actual: object) -> None:
    """NaN is no result, whatever the bound of the other elements."""
    with pytest.raises(AssertionError, match="they differ by more than 1e-07; 1 of"):
        assert_close(actual, np.nan_to_num(np.floor(actual)), 1e-7, "speed")  # type: ignore[arg-type, call-overload]


def test_empty_comparisons_fail() -> None:
    """A result without elements compares nothing."""
    with pytest.raises(AssertionError, match="speed has no elements"):
        assert_close(np.array([]), 0.0, 1.0, "speed")


def test_bounds_hold_for_each_element() -> None:
    """A bound may be an array, of a column or of every element."""
    assert_close([[1.0, 10.0], [1.5, 11.0]], [1.0, 10.0], np.array([0.5, 1.0]), "column")  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match=r"column\[1, 0\] is .* more than 0.4; 1 of 4"):
        assert_close([[1.0, 10.0], [1.5, 11.0]], [1.0, 10.0], np.array([0.4, 1.0]), "column")  # type: ignore[arg-type]
