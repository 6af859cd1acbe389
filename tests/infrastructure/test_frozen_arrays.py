"""Immutable arrays as values: equality, hash, conversion, pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mbs_fmu.infrastructure.frozen_arrays import FrozenArray

pytestmark = pytest.mark.quick


def test_arrays_of_equal_bits_are_one_key() -> None:
    """Equality and hash depend on the bits of the numbers, also of NaN and of zeros of both signs."""
    a, b = FrozenArray([1.0, np.nan, 0.0]), FrozenArray(np.array([1.0, np.nan, 0.0]))
    assert a == b and hash(a) == hash(b) and {a: 1}[b] == 1
    assert a != FrozenArray([1.0, np.nan, -0.0]) and a != FrozenArray([1.0, np.nan]) and a != (1.0, np.nan, 0.0)
    assert FrozenArray.taking(np.arange(10.0)[::2]) == FrozenArray([0, 2, 4, 6, 8])
    assert pickle.loads(pickle.dumps(a)) == a


def test_arrays_are_sequences_of_floats() -> None:
    """Indices and iteration give floats, slices arrays; nothing can be written, and the source can change later."""
    numbers = np.array([3.0, 4.0, 5.0])
    a = FrozenArray(numbers)
    numbers[0] = 9.0
    assert [type(x) for x in (a[1], *a)] == [float] * 4 and list(a) == [3.0, 4.0, 5.0] and len(a) == 3
    assert np.array_equal(a[1:], [4.0, 5.0]) and np.array_equal(np.asarray(a), [3.0, 4.0, 5.0])
    with pytest.raises(ValueError, match="read-only"):
        a.array[0] = 1.0
    copy = np.array(a)
    copy[0] = 1.0
    assert a[0] == 3.0
    assert len(repr(FrozenArray(np.zeros(10**6)))) < 100
