"""Linear models by compiled kernels: equal to plain Python, and fast."""

from __future__ import annotations

import time

import numpy as np
import pytest

import mbs_fmu as mbs
from models.pendulum_on_cart import pendulum_on_cart


@pytest.mark.slow
def test_compiled_linear_models_equal_plain_ones_and_are_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bits are the same; a second call takes milliseconds, since kernels are cached."""
    m = pendulum_on_cart()
    lin, times = mbs.linearize(m), []
    for _ in range(10):
        began = time.process_time()
        mbs.linearize(m)
        times.append(time.process_time() - began)
    assert min(times) < 5e-3
    monkeypatch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
    plain = mbs.linearize(pendulum_on_cart())
    for name in "ABCD":
        assert np.array_equal(getattr(lin, name), getattr(plain, name))
